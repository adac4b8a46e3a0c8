"""The examples of Viannisa (2025, Tables 3.10 to 3.15 and 5.1 to 5.12) by id: what her model
said of a text, and what a run says of the same one.
"""

import pandas as pd

from helpers.report import published, thesis
from tahanuji import data, measure

LABELS = {0.0: "positive", 1.0: "neutral", 2.0: "negative"}  # as the thesis numbers them


def examples() -> pd.DataFrame:
    """`table, row, model, notebook, test, id, gold, published` of every example; `model` and
    `published` are empty in Table 3.13, which shows texts without predictions.
    """
    named = data.read_table(published.FOLDER / f"{thesis.DOCUMENT}_examples.csv")
    figures = published.figures(thesis.DOCUMENT)
    codes = figures.drop_duplicates(["table", "row", "column"])
    codes = codes.pivot(index=["table", "row"], columns="column", values="value")
    wanted = codes.reindex(pd.MultiIndex.from_frame(named[["table", "row"]]))
    said = {"gold": "Gold label", "published": "Predicted label"}
    return named.assign(
        **{name: wanted[column].map(LABELS).fillna("").to_numpy() for name, column in said.items()}
    )


def beside(notebook: str, rows: pd.DataFrame, rate: float | None = None) -> pd.DataFrame:
    """A notebook's examples that a run tested too: `table, id, test, gold, Viannisa's model, its
    label, clean label here, label here`; none where the run is of other texts.
    """
    rows = rows if rate is None else rows[rows["rate"] == rate]
    own = examples().query("notebook == @notebook").drop(columns="gold")
    both = own.merge(rows[["id", "test", "gold", "clean_label", "perturbed_label"]])
    both["model"] = both["model"].map(thesis.MODELS).fillna("")
    names = {
        "model": "Viannisa's model",
        "published": "its label",
        "clean_label": "clean label here",
        "perturbed_label": "label here",
    }
    return both[["table", "id", "test", "gold", *names]].rename(columns=names)


def probes() -> pd.DataFrame:
    """Table 3.7 in counts: a row per model of hers, before and after fine-tuning, with the
    sentences that it labels as intended, `of`, and its least and greatest confidence.
    """
    printed = published.figures(thesis.DOCUMENT).query("table == 'Table 3.7'")
    labels = printed.assign(label=printed["printed"].str.split().str[0])
    wide = labels.pivot(index="row", columns="column", values=["label", "value"])
    table = []
    for name in wide["label"].columns.drop("Gold label"):
        right = (wide["label"][name] == wide["label"]["Gold label"]).sum()
        sure = wide["value"][name].astype(float)
        table.append((name, right, len(wide), f"{sure.min():.1f}%", f"{sure.max():.1f}%"))
    names = ["Viannisa's model", "as intended", "of", "least sure", "surest"]
    return pd.DataFrame(table, columns=names)


def figures(notebook: str) -> pd.DataFrame:
    """What Viannisa (2025) prints for a notebook: Tables 3.5 and 3.6 (01), Table 4.1 (02), or the
    notebook's rows of Table 4.2 with their intervals.
    """
    if notebook == "01_finetune":
        tables = {"IndoBERT": "Table 3.5", "mBERT": "Table 3.6"}
        parts = {name: published.table(thesis.DOCUMENT, table) for name, table in tables.items()}
        return pd.concat(parts, names=["Viannisa's model", "epoch"]).reset_index()
    if notebook == "02_conventional_metrics":
        table = published.table(thesis.DOCUMENT, "Table 4.1")
        return table.rename_axis("Viannisa's model").reset_index()
    rows = [
        (says, model, measure.percent(failures, n), f"{rate:.2%}")
        for case in thesis.CASES
        if case.notebook == notebook
        for _, says, model, _, failures, n, rate in thesis.published_counts(case)
    ]
    return pd.DataFrame(rows, columns=["test", "Viannisa's model", "fails", "printed"])
