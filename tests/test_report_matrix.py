"""The matrix of verdicts, the ranking and the answer, from the files of small runs."""

import numpy as np
import pandas as pd
import pytest

from helpers import tables
from helpers.report import answer, matrix


class Run:
    """A finished run as the matrix sees it."""

    def __init__(self, folder, model, notebook, variant="default"):
        self.folder, self.model, self.notebook, self.variant = folder, model, notebook, variant
        self.repeat = variant.startswith("seed_")
        self.about = {"parameters": {"dataset": "own"}}

    def main(self, table):
        return table[table["group"] == "all"]


class Found:
    """A collection of such runs, on one data set."""

    datasets = frozenset({"own"})

    def __init__(self, runs, metrics):
        self.runs, self._metrics = runs, metrics

    def metrics(self):
        return self._metrics


def verdict(model, notebook, test, kind, value, word, margin, **more):
    """A row of verdicts.csv."""
    quantity = "errors added" if kind == "INV" else "failures"
    row = {"model": model, "notebook": notebook, "variant": "default", "dataset": "own"}
    row |= {"test": test, "rate": np.nan, "group": "all", "type": kind, "quantity": quantity}
    row |= {"margin": margin, "value": value, "lower": value - 0.02, "upper": value + 0.02}
    return row | {"n": 100, "instrument": np.nan, "verdict": word, "p": 0.01, "seed": 1} | more


@pytest.fixture
def found(tmp_path):
    rows = [
        verdict("tfidf", "06_formality", "informal", "INV", 0.01, "stands", margin)
        for margin in (0.05, 0.1)
    ]
    rows += [verdict("tfidf", "06_formality", "semi_formal", "INV", 0.3, "breaks", 0.1)]
    rows += [verdict("tfidf", "06_formality", "flips only", "INV", 0.3, "breaks", 0.1)]
    rows[-1]["quantity"] = "flips"
    rows += [verdict("tfidf", "12_checklist", "idioms", "MFT", 0.4, "breaks", 0.1, n=113)]
    weak = {"instrument": 1.0}
    rows += [verdict("tfidf", "07_perturbation_grid", "ocr", "INV", 0.2, matrix.WEAK, 0.1, **weak)]
    rows[-1]["rate"] = 0.05
    rows += [{**rows[-1], "rate": 0.1, "value": 0.5}]  # not the rate that was rated
    runs = []
    for number, notebook in enumerate(("06_formality", "07_perturbation_grid", "12_checklist")):
        folder = tmp_path / str(number)
        folder.mkdir()
        own = [row for row in rows if row["notebook"] == notebook]
        tables.write(folder / "verdicts.csv", pd.DataFrame(own).reindex(columns=tables.VERDICTS))
        runs.append(Run(folder, "tfidf", notebook))
    metric = {"model": "tfidf", "variant": "default", "group": "all", "rate": np.nan, "n": 100}
    measured = [
        metric | {"notebook": "02", "test": "clean", "metric": "accuracy", "value": 0.8},
        metric | {"notebook": "02", "test": "clean", "metric": "at_chance", "value": 0.0},
    ]
    for name, share in (("clean_error_rate", 0.2), ("failure_rate", 0.5)):
        row = {"notebook": "06_formality", "test": "semi_formal", "metric": name, "value": share}
        measured.append(metric | row)
    return Found(runs, pd.DataFrame(measured).assign(ci_low=0.7, ci_high=0.9))


def test_the_matrix_has_a_row_per_test_and_a_word_per_cell(found):
    table = matrix.judged(found)
    assert len(table) == 5 and "flips only" not in set(table["test"])
    cells = matrix.cells(table, 0.1)
    assert list(cells.index.get_level_values("type")) == ["INV", "INV", "INV", "MFT"]
    said = cells["tfidf"].to_list()
    assert said[0] == "= +1.0 (-1.0 to 3.0) stands" and said[1].endswith("breaks")
    assert said[2].endswith(matrix.WEAK) and said[3] == "\u25b2 40.0 (38.0 to 42.0) breaks"
    kept = cells.index.get_level_values("instrument")
    assert list(kept) == ["written", "written", "not rated", "written"]


def test_holm_runs_over_the_whole_table_at_a_margin(found):
    table = matrix.judged(found)
    at = table[table["margin"] == 0.1]
    assert at["p_holm"].tolist() == pytest.approx([0.04] * 4)
    assert table[table["margin"] == 0.05]["p_holm"].tolist() == pytest.approx([0.01])


def test_counts_and_ranking_by_hand(found):
    table = matrix.judged(found)
    counts = matrix.counts(table, 0.1).set_index("type")
    assert counts.loc["INV", ["stands", "breaks", matrix.WEAK, "tests"]].to_list() == [1, 1, 1, 3]
    row = matrix.ranking(found, table[table["margin"] == 0.1]).iloc[0]
    assert (row["accuracy"], row["before"], row["after"]) == (0.8, 0.8, 0.5)
    assert row["worst test"] == "formality: semi-formal" and not row["at chance"]


def test_the_answer_is_computed_and_says_what_it_does_not_show(found):
    table = matrix.judged(found)
    said = answer.sentences(found, table, 0.1)
    assert len(said) == 6
    assert "**tfidf** 80%" in said[0] and "stands 1 of 3 tests, breaks under 2" in said[1]
    assert "*formality: semi-formal* (+30.0 points" in said[2]
    assert "*formality: informal* (+1.0, at most +3.0)" in said[3]
    assert "40% of 113 cases" in said[4] and "1 of 4 tests cannot judge" in said[5]
    assert len(answer.sentences(found, table.iloc[:0], 0.1)) == 1


def test_an_instrument_is_said_by_its_bound():
    assert matrix.instrument(np.nan) == "written" and matrix.instrument(1.0) == "not rated"
    assert matrix.instrument(0.04) == "keeps 96% or more"
