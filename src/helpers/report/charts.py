"""The charts of a report, from the metrics of its runs."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from helpers import figures, tables
from helpers.report import grid_tables, runs, thesis
from tahanuji import paths
from tahanuji.codemix import translators

MIXING = "08_code_mixing"
DOSE = "words_replaced_share"


def mixing(found: runs.Collection) -> Figure | None:
    """Right answers that code-mixing breaks against the share of words really replaced, a panel per
    model: the most important words by language as lines, words at random as hollow points.
    """
    metrics = tables.select(found.metrics(), notebook=MIXING, variant="default", group="all")
    key = ["model", "test", "rate"]
    doses = tables.select(metrics, metric=DOSE).set_index(key)["value"].rename("dose")
    lost = tables.select(metrics, metric="induced_rate").join(doses, on=key).dropna(subset="dose")
    if lost.empty:
        return None
    models = runs.order(set(lost["model"]))
    figure, panels = plt.subplots(
        1,
        len(models),
        figsize=(3.8 * len(models), 4.2),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes, model in zip(panels[0], models, strict=True):
        _mixed(axes, lost[lost["model"] == model])
        axes.set_title(model, loc="left")
        axes.set_xlabel("share of words replaced")
        axes.xaxis.set_major_formatter(PercentFormatter(1, 0))
    panels[0, 0].set(ylabel="right answers broken", ylim=(0, None), xlim=(0, None))
    panels[0, 0].yaxis.set_major_formatter(PercentFormatter(1, 0))
    names, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(names, labels, loc="outside lower center", ncols=5, title="hollow: random words")
    worst = lost.loc[lost["value"].idxmax()]
    figure.suptitle(
        f"Code-mixing breaks up to {worst['value']:.0%} of right answers ({worst['model']}, "
        f"{translators.NAMES.get(worst['test'], worst['test'])})"
    )
    return figure


def _mixed(axes, lost: pd.DataFrame) -> None:
    """The lines and points of one model, a colour per language."""
    languages = [name for name in translators.NAMES if name in set(lost["test"])]
    for number, name in enumerate(languages):
        line = lost[lost["test"] == name].sort_values("rate")
        colour = f"C{number}"
        axes.plot("dose", "value", "o-", data=line, color=colour, label=translators.NAMES[name])
        axes.fill_between("dose", "ci_low", "ci_high", data=line, color=colour, alpha=0.12, lw=0)
        points = lost[lost["test"] == f"{name} random"]
        axes.plot("dose", "value", "o", data=points, color=colour, mfc="white", label="_random")


def typos(found: runs.Collection) -> Figure | None:
    """Labels that typos flip, by the chance of a typo."""
    every = tables.select(found.metrics(), notebook="05_typos", variant="default", group="all")
    flips = tables.select(every, metric="flip_rate").sort_values(["model", "rate"])
    if flips.empty:
        return None
    flips = flips.assign(x=flips["rate"], series=flips["model"])
    last = flips.groupby("model")["value"].last()
    ends = ", ".join(f"{name} {value:.0%}" for name, value in last.items())
    title = f"Labels that flip where every long word has a typo: {ends}"
    return figures.curve(flips, title, "chance of a typo per word of over three letters", "flips")


def table_4_2(found: runs.Collection) -> Figure:
    """The thesis's Table 4.2 as dots with intervals, published and run here."""
    tests = thesis.table_4_2(found)
    points = tests.assign(
        group=tests["number"].astype(str) + " " + tests["test"],
        series=tests["model"] + tests["source"].map({"published": ", published", "rerun": ""}),
    )
    widest = (tests["ci_high"] - tests["ci_low"]).max()
    title = f"Viannisa (2025), Table 4.2: intervals are up to {widest * 100:.0f} points wide"
    return figures.dots(points, title)


def every(found: runs.Collection) -> Iterator[tuple[str, Figure]]:
    """Name and figure of all charts of the report but that of Table 4.2."""
    if figure := mixing(found):
        yield "mixing", figure
    if figure := typos(found):
        yield "typos", figure
    for dataset, table in grid_tables.by_dataset(found).items():
        if figure := grid_tables.chart(table, dataset):
            yield f"grid_{paths.slug(dataset)}", figure
