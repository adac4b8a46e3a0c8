"""The thesis's tables three times: as published, as recomputed from its per-row predictions, and as
rerun here (Viannisa, 2025).
"""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from helpers import tables
from helpers.report import compare, published, runs
from tahanuji import behaviour, data, downloads, measure

DOCUMENT = "viannisa2025"
NOT_AT_HAND = (
    "The per-row predictions of Viannisa (2025) are not at hand: -p published_predictions true "
    "downloads them; a copy named in TAHAN_DATA_MIRROR does as well."
)
MODELS = {"indobert": "IndoBERT", "mbert": "mBERT"}


@dataclass(frozen=True)
class Case:
    """A row of Table 4.2: its test here, its published per-row predictions (`<file>_<model>` of the
    source viannisa) and what is expected.
    """

    number: int
    says: str
    notebook: str
    test: str
    file: str
    expected: object = staticmethod(behaviour.invariant)


CASES = [
    Case(
        1,
        "DIR: saya benci matematika added",
        "03_sentence_insertion",
        "negative",
        "insertion_negative",
        behaviour.directed("negative"),
    ),
    Case(
        2,
        "DIR: saya cinta matematika added",
        "03_sentence_insertion",
        "positive",
        "insertion_positive",
        behaviour.directed("positive"),
    ),
    Case(3, "INV: tidak to nggak", "04_negation", "nggak", "nggak"),
    Case(4, "INV: tidak to gak", "04_negation", "gak", "gak"),
    Case(5, "INV: typos at 0.3 per word", "05_typos", "typos 0.3", "typos"),
    Case(6, "INV: formal", "06_formality", "formal", "formality_high"),
    Case(7, "INV: semi-formal", "06_formality", "semi_formal", "formality_medium"),
    Case(8, "INV: informal", "06_formality", "informal", "formality_low"),
]


def failures(case: Case, model: str, fetch: bool = False) -> pd.Series | None:
    """Per row of a published result file whether the test failed, by the row's gold label as index;
    None where the file is not at hand and may not be fetched.
    """
    name = f"viannisa/{case.file}_{model}"
    path = downloads.locate(name) if fetch else downloads.at_hand(name)
    if path is None:
        return None
    rows = data.read_table(path).replace(data.THESIS_CODES)
    one_hot = np.eye(len(data.LABELS))[rows["predicted_label"].map(data.LABELS.index)]
    frame = pd.DataFrame({"id": rows.index, "label": rows["gold_label"]})
    judged = behaviour.judge(frame, one_hot, one_hot, data.LABELS, case.expected)
    return judged.set_index(rows["gold_label"].to_numpy())["failure"]


def table_4_2(found: runs.Collection) -> pd.DataFrame:
    """Table 4.2 in tidy form: `number, test, model, source, failures, n, printed, value, ci_low,
    ci_high`.

    `source` is published (the printed counts) or rerun (this profile's runs; tests 6 to 8 on the
    thesis's own triplets where the profile has them). Every share has its Wilson interval;
    `printed` is the printed rate.
    """
    rows = []
    for case in CASES:
        rows += published_counts(case)
        for run in rerun(found, case.notebook):
            row = run.metrics[
                (run.metrics["title"] == case.test) & (run.metrics["metric"] == "failure_rate")
            ]
            if len(row):
                n = int(row["n"].iloc[0])
                count = round(row["value"].iloc[0] * n) if n else 0
                rows.append((case.number, case.says, run.model, "rerun", count, n, float("nan")))
    return _shares(rows)


def recomputed(fetch: bool = False) -> pd.DataFrame:
    """Table 4.2 as `table_4_2` has it, published and recomputed: counted anew in the thesis's
    per-row predictions, where they are at hand.
    """
    rows = []
    for case in CASES:
        rows += published_counts(case)
        for key, model in MODELS.items():
            if (failed := failures(case, key, fetch)) is not None:
                counts = (int(failed.sum()), len(failed), float("nan"))
                rows.append((case.number, case.says, model, "recomputed", *counts))
    return _shares(rows)


def published_counts(case: Case) -> list[tuple]:
    """The printed counts and rate of a test, a row per model."""
    return [
        (case.number, case.says, model, "published", *_printed(case.number, model))
        for model in MODELS.values()
    ]


def _shares(rows: list[tuple]) -> pd.DataFrame:
    """Counts of failures as a table, each with its share and Wilson interval."""
    columns = ["number", "test", "model", "source", "failures", "n", "printed"]
    table = pd.DataFrame(rows, columns=columns)
    table[["value", "ci_low", "ci_high"]] = [
        measure.share(*pair) for pair in zip(table["failures"], table["n"], strict=True)
    ]
    return table


def _printed(number: int, model: str) -> tuple[int, int, float]:
    """Failures, samples and the printed rate as a share."""
    table = published.figures(DOCUMENT).query("table == 'Table 4.2'")
    values = table[table["row"].str.startswith(f"{number} ")].set_index("column")["value"]
    return (
        int(values[f"{model} failures"]),
        int(values["Total samples"]),
        values[f"{model} failure rate"] / 100,
    )


def rerun(found: runs.Collection, notebook: str) -> list[runs.Finished]:
    """A notebook's runs that stand for the thesis's: variant `thesis` (its own sentences) where
    there is one, else the default.
    """
    return found.of(notebook, "thesis") or found.of(notebook, "default")


def against(found: runs.Collection) -> pd.DataFrame:
    """This profile's runs of the thesis's eight tests against its IndoBERT: `model, number, n,
    difference, paired, p`, and `p_holm` over all of them.

    Where the thesis's per-row predictions are at hand, and a run has as many rows of the same gold
    labels in the same order, both are paired row by row (exact McNemar test); else the counts are
    compared by Fisher's exact test. The difference is ours less hers, of failure rates.
    """
    rows = []
    for case in CASES:
        released = failures(case, "indobert")
        count, n, _ = _printed(case.number, MODELS["indobert"])
        for run in rerun(found, case.notebook):
            frame = run.predictions()
            own = frame[(frame["title"] == case.test) & frame["group"].eq("all")]
            wrong = own["failure"].astype(bool).reset_index(drop=True)
            if wrong.empty:
                continue
            same = released is not None and list(released.index) == list(own["gold"])
            p = measure.unpaired(int(wrong.sum()), len(wrong), count, n)
            if same:
                p = measure.compare(wrong, released.reset_index(drop=True))["p"]
            gap = wrong.mean() - count / n
            rows.append((run.model, case.number, len(wrong), gap, same, p))
    table = pd.DataFrame(rows, columns=["model", "number", "n", "difference", "paired", "p"])
    return table.assign(p_holm=measure.holm(list(table["p"])))


def paired(fetch: bool = False) -> pd.DataFrame:
    """IndoBERT against mBERT on the same rows of the published predictions, all eight tests: as
    `compare.outcome`, with `number, test, p_holm`.

    Empty where the files are not at hand. The family of Holm's correction is the eight tests.
    """
    rows = []
    for case in CASES:
        pair = [failures(case, model, fetch) for model in MODELS]
        if not any(one is None for one in pair):
            rows.append({"number": case.number, "test": case.says} | compare.outcome(*pair))
    table = pd.DataFrame(rows, columns=["number", "test", *compare.OUTCOME])
    return table.assign(p_holm=measure.holm(list(table["p"])))


def formality(fetch: bool = False) -> pd.DataFrame:
    """Do the published failure rates differ between levels? Levels in pairs per model, on the same
    thirty triplets: as `compare.outcome`.

    `model, first, second` in front, Holm's correction over the six pairs behind. Row i of each of
    the three files belongs to triplet i.
    """
    rows = []
    for key, model in MODELS.items():
        levels = {case.says.removeprefix("INV: "): failures(case, key, fetch) for case in CASES[5:]}
        if not any(failed is None for failed in levels.values()):
            rows += [
                {"model": model, "first": one, "second": other}
                | compare.outcome(levels[one], levels[other])
                for one, other in combinations(levels, 2)
            ]
    table = pd.DataFrame(rows, columns=["model", "first", "second", *compare.OUTCOME])
    return table.assign(p_holm=measure.holm(list(table["p"])))


def epochs(found: runs.Collection) -> pd.DataFrame:
    """Tables 3.5 and 3.6 beside the epoch tables of notebook 01: `model, source, epoch, train_loss,
    valid_loss, accuracy, precision, recall, f1`.
    """
    names = {
        "Train Loss": "train_loss",
        "Valid Loss": "valid_loss",
        "Accuracy": "accuracy",
        "Precision": "precision",
        "Recall": "recall",
        "F1": "f1",
    }
    parts = []
    for model, name in (("IndoBERT", "Table 3.5"), ("mBERT", "Table 3.6")):
        part = published.table(DOCUMENT, name).rename(columns=names)
        parts.append(
            part.assign(
                model=model, source="published", epoch=part.index.str.split().str[-1].astype(int)
            )
        )
    for run in found.of("01_finetune", "default"):
        path = run.folder / "history.csv"
        if path.is_file():
            parts.append(
                tables.read(path, ["epoch", *names.values()]).assign(
                    model=run.model, source="rerun"
                )
            )
    table = pd.concat(parts, ignore_index=True)
    return table[["model", "source", "epoch", *names.values()]]


def scores(found: runs.Collection) -> pd.DataFrame:
    """Figure 4.1 and Table 4.1: macro-F1 on SmSA's test split as published here and there, and as
    rerun: `model, source, value, ci_low, ci_high`.

    Published figures have no rows behind them, and so no interval.
    """
    table = published.table(DOCUMENT, "Table 4.1") / 100
    rows = [
        (model, column, value, float("nan"), float("nan"))
        for column in table
        for model, value in table[column].items()
    ]
    for run in found.of("02_conventional_metrics", "default"):
        row = run.metrics[(run.metrics["group"] == "all") & (run.metrics["metric"] == "macro_f1")]
        rows += [
            (run.model, "rerun", *numbers)
            for numbers in row[["value", "ci_low", "ci_high"]].itertuples(index=False)
        ]
    return pd.DataFrame(rows, columns=["model", "source", "value", "ci_low", "ci_high"])
