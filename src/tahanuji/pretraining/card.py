"""The model card of a pre-trained network, every number from its run; its text stands in
card.md.jinja.
"""

from pathlib import Path

import jinja2
import pandas as pd
from transformers import BertConfig

from tahanuji import measure
from tahanuji.pretraining import loop, network, optimizer, packing

RECIPE = {
    "hidden": packing.HIDDEN,
    "replaced": packing.REPLACED,
    "masked": packing.MASKED,
    "matrix_rate": optimizer.MATRIX_RATE,
    "warm_up": loop.WARM_UP,
    "head_width": network.HEAD_WIDTH,
}


def text(
    name: str,
    config: BertConfig,
    settings: dict,
    sources: pd.DataFrame,
    history: pd.DataFrame,
    metrics: pd.DataFrame,
    **where: str,
) -> str:
    """The card from the parameters and metrics of a run, its learning curve, the table of
    `Corpus.sources`, and `device` and `command`.
    """
    licensed = bool((sources["licence"] != "").any())
    columns = ["source", "words", *(["repository", "licence"] if licensed else [])]
    template = Path(__file__).with_name("card.md.jinja").read_text(encoding="utf-8")
    return jinja2.Template(template, keep_trailing_newline=True).render(
        RECIPE,
        name=name,
        config=config,
        settings=settings,
        licensed=licensed,
        words=sources["words"].sum(),
        weights=network.parameters(config),
        sources=sources[columns].to_markdown(index=False, intfmt=","),
        epochs=history.groupby("length")["epoch"].max().to_dict(),
        last=history.iloc[-1].to_dict(),
        metrics=_measured(metrics),
        **where,
    )


def _measured(metrics: pd.DataFrame) -> str:
    """The run's metrics with 95% intervals as a Markdown table."""
    values = (
        f"{row.value:.3g} ({row.ci_low:.3g} to {row.ci_high:.3g})" for row in metrics.itertuples()
    )
    titles = map(measure.title, *(metrics[name] for name in measure.KEY))
    shown = metrics.assign(set=list(titles), value=list(values))[["set", "metric", "value", "n"]]
    return shown.to_markdown(index=False, intfmt=",")
