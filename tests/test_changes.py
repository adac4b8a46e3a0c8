"""Models compared by their change from clean, and trainings together, on made-up runs."""

import numpy as np
import pandas as pd
import pytest
import reports

from study.report import runs
from tahanuji import changes, measure
from tahanuji.results import Results

TYPOS, INSERTION = "05_typos", "03_sentence_insertion"
GOLD = "ppppp nnnnn" * 6


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))


def wronged(labels: str, *places: int) -> str:
    """The labels with others at some places."""
    turned = list(labels.replace(" ", ""))
    for place in places:
        turned[place] = "n" if turned[place] == "p" else "p"
    return "".join(turned)


def collected() -> Results:
    return runs.collect(reports.PROFILE)


def test_a_clean_gap_alone_is_no_difference():
    """One model is wrong on ten clean texts more, and both lose the same three to typos."""
    worse = wronged(GOLD, *range(10))
    for model, clean in (("tfidf", GOLD), ("mini", worse)):
        lost = wronged(clean, 20, 21, 22)
        reports.write(model, TYPOS, reports.perturbed(GOLD, clean, {"typos 0.3": lost}))
    table, refused = reports.compared(collected())
    (row,) = table.to_dict("records")
    assert not refused
    assert row["first_change"] == row["second_change"] == pytest.approx(3 / 60)
    assert row["difference"] == 0 and row["p"] == 1


def test_a_model_that_loses_more_differs_and_holm_covers_the_whole_table():
    tests = {"typos 0.1": GOLD, "typos 0.3": wronged(GOLD, *range(12))}
    for notebook in (TYPOS, "04_negation"):
        reports.write("tfidf", notebook, reports.perturbed(GOLD, GOLD, dict.fromkeys(tests, GOLD)))
        reports.write("mini", notebook, reports.perturbed(GOLD, GOLD, tests))
    table = collected().compare().set_index(["notebook", "test"])
    row = table.loc[(TYPOS, "typos 0.3")]
    assert row["difference"] == pytest.approx(-12 / 60)
    assert row["ci_low"] < row["difference"] < row["ci_high"] < 0
    assert row["p"] == pytest.approx(2 / 2**12)
    assert row["p_holm"] == pytest.approx(4 * row["p"])  # four tests in two notebooks
    assert row["detectable"] == measure.detectable_difference(60, 12 / 60)


def test_a_model_at_chance_is_named_and_left_out():
    reports.write("tfidf", TYPOS, reports.perturbed(GOLD, GOLD, {"typos 0.3": GOLD}))
    guessed = reports.perturbed(GOLD, "p" * 60, {"typos 0.3": "p" * 60})
    reports.write("mini", TYPOS, guessed)
    table, refused = reports.compared(collected())
    assert table.empty
    assert len(refused) == 1 and "mini" in refused[0] and "chance" in refused[0]


def test_insertion_is_compared_by_what_goes_the_wrong_way():
    for model, wrong in (("tfidf", 0), ("mini", 8)):
        rows = reports.perturbed(GOLD, GOLD, {"negative": wronged(GOLD, *range(5))})
        rows["is_wrong_way"] = rows.index < wrong
        reports.write(model, INSERTION, rows)
    (row,) = collected().compare().to_dict("records")
    assert (row["first_change"], row["second_change"]) == (0, pytest.approx(8 / 60))


def test_clusters_of_rows_are_exchanged_whole():
    for model, said in (("tfidf", GOLD), ("mini", wronged(GOLD, *range(12)))):
        rows = reports.perturbed(GOLD, GOLD, {"typos 0.3": said})
        reports.write(model, TYPOS, rows.assign(cluster=np.arange(60) // 6))
    (row,) = collected().compare().to_dict("records")
    assert row["p"] == 0.5  # two clusters, and not twelve rows


def test_trainings_have_an_interval_over_seeds_and_rows():
    lost = {"default": [0, 1, 2], "seed_2": [1, 2, 3, 4], "seed_3": [5]}
    for number, (variant, places) in enumerate(lost.items(), start=1):
        rows = reports.perturbed(GOLD, GOLD, {"typos 0.3": wronged(GOLD, *places)})
        reports.write("mini", TYPOS, rows, variant=variant, seed=number)
        shuffled = reports.perturbed(GOLD, GOLD, {"typos 0.3": wronged(GOLD, 0)})
        reports.write("tfidf", TYPOS, shuffled, variant=variant, seed=number)
    table = changes.over_seeds(collected()).set_index("model")
    outcomes = np.array([np.isin(np.arange(60), places) for places in lost.values()])
    expected = measure.over_seeds_and_rows(outcomes)
    assert table.loc["mini", ["mean", "low", "high"]].tolist() == pytest.approx(
        [expected.mean, expected.low, expected.high]
    )
    assert (table["seeds"] == 3).all() and (table["rows"] == 60).all()
    assert table.loc["tfidf", "sd"] == 0  # it is deterministic: the interval is over rows alone
    once = measure.over_seeds_and_rows(outcomes[:1] & (np.arange(60) == 0))
    assert table.loc["tfidf", "high"] == pytest.approx(once.high)


def test_a_row_that_no_test_changed_is_compared_by_whether_it_is_wrong():
    rows = {"wrong": [True, False, True, False], "induced": [None, None, True, False]}
    frame = pd.DataFrame(rows | {"repaired": [None, None, False, True]})
    assert changes.changed(frame).to_list() == [1, 0, 1, -1]
