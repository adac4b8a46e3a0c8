"""The tables of Viannisa (2025) as published and as rerun here."""

import pandas as pd

from helpers import tables
from tahanuji import measure, published
from tahanuji.published import viannisa
from tahanuji.results import Results, Run

HISTORY = ["train_loss", "valid_loss", "accuracy", "precision", "recall", "f1"]
AGAINST = ["model", "number", "n", "difference", "paired", "p"]


def variant(results: Results, notebook: str) -> str:
    """The variant of a notebook that stands for the thesis's test: `thesis` (its own sentences)
    where it was run, else the default.
    """
    return "thesis" if results.of(notebook, "thesis") else "default"


def table_4_2(results: Results) -> pd.DataFrame:
    """Table 4.2: `number, test, model, source, failures, n, printed, value, ci_low, ci_high`.

    `source` is published (the printed counts) or rerun. Every share has its Wilson interval;
    `printed` is the printed rate.
    """
    parts = [viannisa.counts()]
    for case in viannisa.CASES:
        named = pd.DataFrame([{"number": case.number, "test": case.says, "title": case.test}])
        where = {"notebook": case.notebook, "variant": variant(results, case.notebook)}
        own = results.beside(named, ["title"], "inner", metric="failure_rate", **where)
        failed = (own["value"] * own["n"]).fillna(0).round().astype(int)
        own = own.assign(test=case.says, source="rerun", failures=failed, printed=float("nan"))
        parts.append(own.astype({"n": int})[viannisa.COUNTS])
    table = pd.concat([part for part in parts if len(part)])
    return viannisa.shares(table.sort_values("number", kind="stable", ignore_index=True))


def against(results: Results) -> pd.DataFrame:
    """This profile's runs of the eight tests against the published IndoBERT: `AGAINST`, and
    `p_holm` over all of them. The difference is ours less hers, of failure rates.

    Where her per-row predictions are at hand, and a run has as many rows of the same gold labels in
    the same order, both are paired row by row (exact McNemar test); else the counts are compared by
    Fisher's exact test.
    """
    printed = viannisa.counts().query("model == 'IndoBERT'").set_index("number")
    rows = []
    for case in viannisa.CASES:
        released = viannisa.failures(case, "indobert")
        count, n = (int(printed.at[case.number, name]) for name in ("failures", "n"))
        for run in results.of(case.notebook, variant(results, case.notebook)):
            own = _tested(run, case.test)
            wrong = own["failure"].astype(bool).reset_index(drop=True)
            if wrong.empty:
                continue
            same = released is not None and list(released.index) == list(own["gold"])
            p = measure.unpaired(int(wrong.sum()), len(wrong), count, n)
            if same:
                p = measure.compare(wrong, released.reset_index(drop=True))["p"]
            rows.append((run.model, case.number, len(wrong), wrong.mean() - count / n, same, p))
    table = pd.DataFrame(rows, columns=AGAINST)
    return table.assign(p_holm=measure.holm(list(table["p"])))


def _tested(run: Run, title: str) -> pd.DataFrame:
    """A run's predictions in one test."""
    frame = run.predictions()
    return frame[(frame["title"] == title) & frame["group"].eq("all")]


def epochs(results: Results) -> pd.DataFrame:
    """Tables 3.5 and 3.6 beside the epochs of notebook 01: `model, source, epoch`, `HISTORY`."""
    names = ["Train Loss", "Valid Loss", "Accuracy", "Precision", "Recall", "F1"]
    parts = []
    for model, name in viannisa.EPOCHS.items():
        part = published.table(viannisa.DOCUMENT, name)[names].set_axis(HISTORY, axis=1)
        number = part.index.str.split().str[-1].astype(int)
        parts.append(part.assign(model=model, source="published", epoch=number))
    for run in results.of("01_finetune", "default"):
        path = run.folder / "history.csv"
        if path.is_file():
            part = tables.read(path, ["epoch", *HISTORY])
            parts.append(part.assign(model=run.model, source="rerun"))
    table = pd.concat(parts, ignore_index=True)
    return table[["model", "source", "epoch", *HISTORY]]


def scores(results: Results) -> pd.DataFrame:
    """Figure 4.1 and Table 4.1: macro-F1 on SmSA's test split as published here and there, and as
    rerun: `model, source, value, ci_low, ci_high`; printed figures have no interval.
    """
    printed = published.table(viannisa.DOCUMENT, "Table 4.1").rename_axis("model") / 100
    printed = printed.melt(var_name="source", ignore_index=False).reset_index()
    where = {"notebook": "02_conventional_metrics", "variant": "default", "group": "all"}
    own = results.select(metric="macro_f1", **where).assign(source="rerun")
    columns = ["model", "source", "value", "ci_low", "ci_high"]
    parts = [printed.reindex(columns=columns), own.reindex(columns=columns)]
    return pd.concat([part for part in parts if len(part)], ignore_index=True)
