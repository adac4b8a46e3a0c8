"""Macro-F1 on the test split of IndoNLU's tasks over seeds, beside what was published (Wilie et
al., 2020; Viannisa, 2025).
"""

import pandas as pd

from helpers.report import published, runs, thesis
from helpers.report.codemixing import task
from tahanuji import measure

NOTEBOOK = "02_conventional_metrics"
# Rows of IndoNLU's Table 5: random weights, word vectors, multilingual and Indonesian encoders.
ROWS = [
    "Scratch",
    "fastText-cc-id",
    "fastText-indo4b",
    "mBERT",
    "XLM-R BASE",
    "IndoBERT-lite BASE",
    "IndoBERT BASE",
    "IndoBERT LARGE",
]
COLUMNS = ["task", "model", "source", "macro_f1", "sd", "seeds", "ci_low", "ci_high"]


def benchmark(found: runs.Collection) -> pd.DataFrame:
    """Columns task, model, source, macro_f1, sd, seeds, ci_low, ci_high, in percent; best model
    first. Empty for tasks that the paper does not have.

    `source` is rerun (the mean over the seeds of this profile's runs, their standard deviation, and
    the 95% interval over test rows of the run with the default seed), "IndoNLU, Table 5" or, for
    SmSA, "Viannisa, Table 4.1"; published figures have no rows behind them, and so no interval.
    """
    groups: dict[tuple, dict] = {}
    for run in found.of(NOTEBOOK):
        row = run.metrics[(run.metrics["group"] == "all") & (run.metrics["metric"] == "macro_f1")]
        if len(row):
            groups.setdefault((task(run), run.model), {})[run.repeat, run.variant] = (
                100 * row[["value", "ci_low", "ci_high"]].iloc[0]
            )
    paper = published.table("wilie2020", "Table 5", "Classification")
    rows = []
    for (name, model), some in groups.items():
        if name in paper:
            spread = measure.over_seeds(one["value"] for one in some.values())
            rows.append(
                (
                    name,
                    model,
                    "rerun",
                    spread.mean,
                    spread.sd,
                    spread.n,
                    *some[min(some)][["ci_low", "ci_high"]],
                )
            )
    for name in dict.fromkeys(row[0] for row in rows):
        rows += [
            (name, model, "IndoNLU, Table 5", paper.loc[model, name], *[None] * 4) for model in ROWS
        ]
    if any(row[0] == "SmSA" for row in rows):
        printed = published.table(thesis.DOCUMENT, "Table 4.1")
        rows += [
            ("SmSA", model, "Viannisa, Table 4.1", value, *[None] * 4)
            for model, value in printed["F1-score in this thesis"].items()
        ]
    table = pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[3:], float))
    return table.sort_values(["task", "macro_f1"], ascending=[True, False], ignore_index=True)


def sentences(table: pd.DataFrame) -> list[str]:
    """What pre-training is worth, per task: the pre-trained model against the same network from
    random weights, the paper's Scratch, and mini-adapted, which has read the tasks' own training
    texts.
    """
    said = []
    for name, part in table.groupby("task", sort=False):
        here = part[part["source"] == "rerun"].set_index("model")
        if {"mini", "mini-scratch"} <= set(here.index):
            paper = part[part["source"].str.startswith("IndoNLU")].set_index("model")["macro_f1"]
            said.append(
                f"{name}: with pre-training mini reaches a macro-F1 of "
                f"{over_seeds(here.loc['mini'])}, from random weights "
                f"{over_seeds(here.loc['mini-scratch'])}; "
                f"the paper's Scratch has {paper['Scratch']:.1f}, its mBERT {paper['mBERT']:.1f} "
                f"and IndoBERT base {paper['IndoBERT BASE']:.1f}."
            )
        if {"mini", "mini-adapted"} <= set(here.index):
            said.append(
                f"{name}: pre-trained on the training texts of the evaluated tasks too, without "
                f"their labels, the same network reaches {over_seeds(here.loc['mini-adapted'])}, "
                f"without them {over_seeds(here.loc['mini'])}."
            )
    return said


def over_seeds(row: pd.Series) -> str:
    """`81.2 (standard deviation 0.7 over 3 seeds)`, in percent."""
    return f"{row['macro_f1']:.1f}" + (
        f" (standard deviation {row['sd']:.1f} over {row['seeds']:.0f} seeds)"
        if row["seeds"] > 1
        else " (one seed)"
    )
