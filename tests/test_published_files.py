"""The figures of IndoNLI and of Viannisa (2025) beside the files that their authors released, where
a row of tests/published/constraints.csv cannot say it. No text is printed, compared or stored.
"""

import random
from decimal import Decimal
from fnmatch import fnmatch

import pandas as pd
import pytest
from constraints import CELL, figures, read
from released_files import released_failures, released_smsa

from helpers import parameters
from tahanuji import behaviour, data, measure, models, nli, paths, published
from tahanuji.perturb import characters
from tahanuji.published import indonli

SPLITS = ["Train", "Dev", "Test LAY", "Test EXPERT"]
PAPER = figures("mahendra2021")
THESIS = figures("viannisa2025")


# IndoNLI. What the released files give otherwise than it is printed: all others come out to the
# digit

OTHERWISE = {
    ("Table 2", "Expert", "ours", "fewer than MNLI"): 34.747,
    ("Table 3", "", "gold label = author's label", "IndoNLI Expert"): 93.949,
    ("Table 3", "", "gold label ≠ author's label", "IndoNLI Expert"): 5.253,
    ("Table 4", "Length", "premise", "Train"): 21.054,
    ("Table 5", "Test EXPERT", "Neutral", "Jaccard"): 15.0,
    ("Table 6", "", "Majority", "Dev"): 36.732,
}


@pytest.fixture(scope="module")
def corpus(mirror) -> dict[str, pd.DataFrame]:
    """The released splits by their names in the paper."""
    return {split: nli.load(name) for split, name in zip(SPLITS, nli.SPLITS, strict=True)}


@pytest.fixture(scope="module")
def again(mirror) -> pd.DataFrame:
    cells = nli.recomputed(nli.splits("indonli"), nli.diagnostic())
    return published.beside("mahendra2021", cells).set_index(CELL)


def test_the_released_runs_give_the_figures_of_the_validation_split():
    """Two come out otherwise: a standard deviation and a mean whose last digit was cut."""
    beside = published.beside("mahendra2021", indonli.recomputed()).set_index(["row", "column"])
    assert len(beside) == 22 and beside["printed"].notna().all()
    other = beside[~beside["equal"]]["recomputed"].to_dict()
    assert other == pytest.approx(
        {("IndoBERT-large", "Dev, sd"): 0.462, ("translate-train", "Dev"): 82.853}, abs=1e-3
    )


# How many figures only released predictions give, and what the registry says of them
UNREAD = {
    ("Table 8", "*", "Test *"): (16, "The 16 figures", "indo-nli-ho_lay.csv"),
    ("Table 10", "translate-train*", "Test *"): (8, "The eight figures", "zero-shot-small_*.csv"),
    ("Table 11", "*", "translate-train*"): (30, "The 30 accuracies", "zero-shot_expert.csv"),
}


@pytest.mark.parametrize("place", UNREAD, ids=lambda place: place[0])
def test_figures_of_released_predictions_are_said_to_be_unread(place):
    """As many as are printed; notebook 90 shows what is said."""
    table, row, column = place
    count, *said = UNREAD[place]
    again = published.documents()["mahendra2021"]["tables"][table]["again"]
    assert all(words in again for words in [*said, "nothing here reads"])
    cells = published.figures("mahendra2021")
    cells = cells[cells["table"] == table]
    named = zip(cells["row"], cells["column"], strict=True)
    assert sum(fnmatch(one, row) and fnmatch(other, column) for one, other in named) == count


def test_the_released_accuracies_are_shares_of_the_validation_pairs():
    """Whole numbers of 2,197 pairs, by half a unit of their last digit."""
    accuracies, pairs = indonli.runs()["accuracy"], PAPER.select("Table 4 / Label / * / Dev").sum()
    right = accuracies * pairs / 100
    assert len(accuracies) == 60
    assert ((right - right.round()).abs() <= 0.005 * pairs / 100 + 1e-9).all()


def test_the_released_files_give_the_printed_figures(again):
    assert again["printed"].notna().all() and not again.index.duplicated().any()
    other = again[~again["equal"]]["recomputed"]
    assert other.to_dict() == pytest.approx(OTHERWISE, abs=5e-4)
    tables = again.groupby(level="table")["equal"].agg(["size", "sum"])
    assert tables.T.to_dict("list") == {
        "Table 11": [60, 60],
        "Table 2": [9, 8],
        "Table 3": [4, 2],
        "Table 4": [40, 39],
        "Table 5": [18, 17],
        "Table 6": [6, 5],
        "Table 9": [54, 54],
    }


@pytest.mark.parametrize(
    "cells",
    [
        "Table 4|Table 5|Table 9 / * / * / *",
        "Table 2 / Expert / * / *",
        "Table 11 / * / * / pairs*",
    ],
)
def test_every_printed_cell_of_these_tables_is_worked_out(again, cells):
    assert set(PAPER.cells(cells)) <= set(again.index)


def test_premises_are_as_long_as_the_text_allows(corpus):
    limit = PAPER.select("Section 3.1 / * / PARAGRAPH / words, at most")
    for frame in corpus.values():
        long = frame[frame["sentence_size"] == "multiple"]["premise"]
        assert long.str.split().str.len().max() <= limit


def test_dev_and_the_lay_test_set_share_no_premise(corpus):
    """The paper promises this of these two alone, and rightly: most premises of both are in Train,
    those of the expert data nowhere else.
    """
    premises = {split: set(corpus[split]["premise"]) for split in SPLITS}
    shared = {(a, b): len(premises[a] & premises[b]) for a in SPLITS for b in SPLITS}
    assert shared["Dev", "Test LAY"] == 0
    assert all(shared[split, "Train"] > 0.9 * shared[split, split] for split in SPLITS[1:3])
    assert [shared["Test EXPERT", split] for split in SPLITS[:3]] == [0, 0, 0]


def test_the_authors_labels_are_one_fewer_than_the_share_takes(corpus):
    """Gold labels equal the author's in 2,826 pairs, one fewer than Table 3's 94.0% of 3,008."""
    expert = corpus["Test EXPERT"]
    first = PAPER.select("Table 2 / Expert / 1st / #pairs")
    printed = PAPER.select("Table 3 / * / gold label = author's label / IndoNLI Expert")
    same = int((expert["author_label"] == expert["label"]).sum())
    assert same == 2826 and abs(100 * same / first - printed) > 0.05
    assert abs(100 * (same + 1) / first - printed) <= 0.05


def test_the_diagnostic_set_is_of_expert_pairs(corpus):
    diagnostic = nli.diagnostic()
    assert len(diagnostic) == PAPER.select("Section 7 / * / diagnostic set / pairs")
    assert set(diagnostic["tags"].explode()) == set(PAPER.select("Table 11 / * / * / pairs").index)
    expert = corpus["Test EXPERT"].set_index("id")["label"]
    assert (diagnostic["id"].map(expert) == diagnostic["label"]).all()


# Viannisa (2025)


@pytest.mark.parametrize("model", ["indobert", "mbert"])
def test_the_project_trains_as_the_thesis_does(model):
    training = models.entries()[model]["training"]
    assert training["epochs"] == THESIS.select("Section 3.4 / * / fine-tuning / Epochs")
    assert training["learning_rate"] == THESIS.select("Section 3.4 / * / * / Learning rate")


def test_the_project_perturbs_as_the_thesis_does():
    notebook = parameters.declared(paths.ROOT / "notebooks" / "05_typos.ipynb")
    assert Decimal(str(notebook["perturbation_rate"].default)) == Decimal(
        str(THESIS.select("Section 3.6.2 / * / typos / Probability per word"))
    )
    letters = THESIS.select("Section 3.6.2 / * / typos / Letters of the longest word left alone")
    for length in range(1, 9):
        typed = characters.typos()("abcdefgh"[:length], 1.0, random.Random(1))
        assert (typed is not None) == (length > letters)
    sentences = THESIS.select("Section 3.6.2 / * / sentence insertion / Added sentences")
    assert len(behaviour.INSERTION_EXPECTED) == sentences


def test_the_numeric_test_file_of_the_thesis_is_smsa(mirror):
    ours = released_smsa("test")
    theirs = data.read_labelled(data.locate("viannisa/smsa_numeric"), data.LABELS)
    assert list(ours["label"]) == list(theirs["label"])
    words = [frame["text"].str.split().str.join(" ") for frame in (ours, theirs)]
    assert (words[0] == words[1]).mean() >= 0.99


def test_models_compared_on_the_same_rows(mirror):
    """The paired test behind "IndoBERT stands typos better": exact McNemar on the published
    predictions.
    """
    lines = pd.RangeIndex(500)
    failed = {model: released_failures("5 typos", model).index for model in ("IndoBERT", "mBERT")}
    outcome = measure.compare(~lines.isin(failed["IndoBERT"]), ~lines.isin(failed["mBERT"]))
    fewer = THESIS.select("Table 4.2 / * / 5 typos / *failures")
    assert outcome["only_first"] - outcome["only_second"] == fewer.iloc[1] - fewer.iloc[0]
    assert outcome["p"] < 0.001


def test_the_examples_that_the_report_shows_are_those_of_the_published_files():
    ours = read("viannisa2025_examples").query("model != ''").set_index(["table", "row"])
    lines = pd.read_csv(paths.ROOT / "tests" / "published" / "examples.csv")
    models_of = lines.set_index(["table", "row"])["file"].str.rpartition("_")[2]
    assert (ours["model"] == models_of.reindex(ours.index)).all()
