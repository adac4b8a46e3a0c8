"""Verdicts against worked cases, simulated coverage, and the figures of published power tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.measure import equivalence


def behaviour(test: str, n: int, flips: int, induced: int = 0, repaired: int = 0) -> pd.DataFrame:
    """Rows of an INV test with so many events, the repaired after the induced ones."""
    at = np.arange(n)
    return pd.DataFrame(
        {
            "test": test,
            "rate": np.nan,
            "changed": True,
            "flip": at < flips,
            "induced": at < induced,
            "repaired": (at >= induced) & (at < induced + repaired),
            "failure": at < induced,
        }
    )


def test_the_case_of_the_negation_notebook():
    table = measure.verdicts(behaviour("gak", 188, 5), "INV").set_index(["quantity", "margin"])
    assert table.loc[("flips", 0.1), "verdict"] == "stands"
    assert table.loc[("flips", 0.05), "verdict"] == "undecided"
    assert table.loc[("flips", 0.05), "upper"] == pytest.approx(0.0551, abs=1e-4)


def test_bounds_are_those_of_scipy():
    for count, n in ((0, 20), (3, 40), (20, 20)):
        result = stats.binomtest(count, n, alternative="less").proportion_ci(0.95, "exact")
        assert measure.bounds(count, n)[1] == pytest.approx(result.high)
        result = stats.binomtest(count, n, alternative="greater").proportion_ci(0.95, "exact")
        assert measure.bounds(count, n)[0] == pytest.approx(result.low)


def test_the_validity_that_a_margin_needs():
    assert measure.bounds(1, 100)[1] < 0.05 and measure.bounds(4, 100)[1] < 0.1
    assert measure.bounds(2, 100)[1] > 0.05 and measure.bounds(5, 100)[1] > 0.1
    assert measure.verdict(0, 0.01, 0.05, instrument=0.06) == "undecided: instrument"
    assert measure.verdict(0, 0.01, 0.1, instrument=0.06) == "stands"


def test_a_difference_stands_only_within_both_margins():
    assert measure.verdict(-0.2, 0.01, 0.05, two=True) == "undecided"
    assert measure.verdict(-0.2, 0.01, 0.05) == "stands"
    assert measure.verdict(-0.04, 0.04, 0.05, two=True) == "stands"


def test_bounds_of_a_difference_invert_the_score_test():
    worse, better, n = 12, 4, 80
    lower, upper = measure.change_bounds(
        [True] * worse + [False] * (n - worse),
        [False] * worse + [True] * better + [False] * (n - worse - better),
    )
    z = stats.norm.ppf(0.95)
    assert equivalence._score((worse, better, n), lower) == pytest.approx(z, abs=1e-6)
    assert equivalence._score((worse, better, n), upper) == pytest.approx(-z, abs=1e-6)
    assert lower < (worse - better) / n < upper


@pytest.mark.parametrize(
    ("n", "least"), [(500, 0.045), (188, 0.07), (30, None)], ids=["smsa", "tidak", "triplets"]
)
def test_what_mcnemar_could_have_found(n, least):
    assert measure.detectable_difference(n, 0.1) == least


def test_texts_needed_are_enough_and_one_less_is_not():
    n = measure.texts_needed(0.05, 0.02)
    most = max(k for k in range(n) if measure.bounds(k, n)[1] < 0.05)
    assert stats.binom.cdf(most, n, 0.02) >= 0.8
    fewer = max(k for k in range(n - 1) if measure.bounds(k, n - 1)[1] < 0.05)
    assert stats.binom.cdf(fewer, n - 1, 0.02) < 0.8
    with pytest.raises(InputError):
        measure.texts_needed(0.05, 0.05)


def test_rows_that_repeat_one_another_count_once():
    events = np.repeat([True, False, False, False, True, False], 5)
    clusters = np.repeat(np.arange(6), 5)
    count, n = measure.effective(events, clusters)
    assert count / n == pytest.approx(events.mean()) and n == pytest.approx(5, abs=0.5)
    assert measure.effective([False] * 10, [0] * 5 + [1] * 5) == (0.0, 2.0)
    free = np.arange(30)
    assert measure.effective(events, free)[1] == pytest.approx(29, abs=1)


def test_p_is_where_the_bound_reaches_the_margin():
    table = measure.verdicts(behaviour("x", 200, 2, 8, 3), "INV", margins=(0.05,))
    flips = table[table["quantity"] == "flips"].iloc[0]
    assert flips["p"] == pytest.approx(stats.binom.cdf(2, 200, 0.05), abs=1e-6)
    assert (flips["p"] < 0.05) == (flips["verdict"] == "stands")


def test_verdicts_leave_out_what_did_not_change():
    rows = pd.concat([behaviour("x", 50, 0), behaviour("x", 50, 50).assign(changed=False)])
    table = measure.verdicts(rows, "INV")
    assert set(table["n"]) == {50} and (table["value"] == 0).all()


def test_a_model_that_cannot_see_a_change_does_not_stand_it():
    unseen = measure.verdicts(behaviour("word_case", 500, 0).assign(moved=False), "INV")
    assert set(unseen["verdict"]) == {"cannot act"}
    seen = behaviour("word_case", 500, 0).assign(moved=np.arange(500) == 7)
    assert set(measure.verdicts(seen, "INV")["verdict"]) == {"stands"}


def test_a_directed_test_is_judged_by_what_goes_the_wrong_way():
    rows = behaviour("negative", 200, 100, 80).assign(is_wrong_way=np.arange(200) < 2)
    table = measure.verdicts(rows, "DIR").set_index("margin")
    assert table["quantity"].eq("failures").all() and table["value"].eq(0.01).all()
    assert table["verdict"].eq("stands").all()
    assert measure.verdicts(rows, "MFT")["value"].eq(0.4).all()


def test_tests_of_other_types_are_left_out_and_others_keep_their_own():
    rows = pd.concat([behaviour(name, 300, 3) for name in ("typos", "passive", "reversed")])
    table = measure.verdicts(rows, {"typos": "INV", "reversed": "DIR"}, instrument={"typos": 0.07})
    assert table.groupby("test")["type"].first().to_dict() == {"typos": "INV", "reversed": "DIR"}
    typos = table[(table["test"] == "typos") & (table["quantity"] == "flips")].set_index("margin")
    assert typos["verdict"].to_dict() == {0.05: "undecided: instrument", 0.1: "stands"}


@pytest.mark.parametrize("quantity", ["flips", "errors added"])
@pytest.mark.parametrize("size", [None, 4])
def test_p_says_what_the_verdict_says(quantity, size):
    """Below 0.05 where a test stands or breaks, above where it is undecided, with clusters too."""
    seen = set()
    for events in range(0, 80, 3):
        rows = behaviour("x", 200, events, events, 6)
        rows = rows if size is None else rows.assign(cluster=np.arange(200) // size)
        table = measure.verdicts(rows, "INV", margins=(0.05, 0.1))
        for row in table[table["quantity"] == quantity].itertuples():
            assert (row.p < 0.05) == (row.verdict != "undecided"), (events, row)
            seen.add(row.verdict)
    assert seen == {"stands", "breaks", "undecided"}


def test_rows_of_one_cluster_decide_less():
    rows = behaviour("x", 200, 10)
    free = measure.verdicts(rows, "INV", margins=[0.1]).set_index("quantity")
    together = rows.assign(cluster=np.arange(200) // 10)
    bound = measure.verdicts(together, "INV", margins=[0.1]).set_index("quantity")
    assert free.loc["flips", "verdict"] == "stands"
    assert bound.loc["flips", "verdict"] == "undecided"
    assert bound.loc["errors added", "upper"] > 0  # no change at all is no proof of none
    alone = measure.verdicts(rows.assign(cluster=0), "INV", margins=[0.1])
    assert set(alone["verdict"]) == {"undecided"}


def test_shares_that_a_test_can_show_are_shown_four_times_in_five():
    stands, breaks = measure.detectable_shares(188, 0.05)
    most = max(k for k in range(188) if measure.bounds(k, 188)[1] < 0.05)
    least = min(k for k in range(1, 188) if measure.bounds(k, 188)[0] > 0.05)
    assert stats.binom.cdf(most, 188, stands) == pytest.approx(0.8)
    assert stats.binom.sf(least - 1, 188, breaks) == pytest.approx(0.8)
    assert measure.detectable_shares(20, 0.05)[0] is None


def test_wrong_uses_are_named():
    with pytest.raises(InputError, match="INV, DIR or MFT"):
        measure.verdicts(behaviour("x", 5, 0), "XYZ")
    with pytest.raises(InputError, match="share"):
        measure.verdict(0, 0.1, 5)
    with pytest.raises(InputError, match="pair up"):
        measure.change_bounds([True], [])


@pytest.mark.long
@pytest.mark.parametrize("size", [1, 3, 8])
def test_bounds_hold_with_clusters(size):
    """One-sided 95% bounds of clustered events cover the truth in 93% of draws and more."""
    rng, held, naive = np.random.default_rng(1), [], []
    for _ in range(1500):
        chances = rng.beta(1, 4, 60)  # mean 0.2, rows of a cluster strongly alike
        events = (rng.random((60, size)) < chances[:, None]).ravel()
        clusters = np.repeat(np.arange(60), size)
        held.append(measure.bounds(*measure.effective(events, clusters))[1] >= 0.2)
        naive.append(measure.bounds(events.sum(), len(events))[1] >= 0.2)
    assert np.mean(held) >= 0.93
    assert size < 8 or np.mean(naive) < 0.9  # rows counted as if they were independent
