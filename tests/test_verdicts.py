"""Verdicts against worked cases, simulated coverage, and the figures of published power tables."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.measure import comparisons, equivalence


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


def test_errors_repaired_beyond_the_margin_improve():
    assert measure.verdict(-0.2, -0.06, 0.05, two=True) == "improves"
    assert measure.verdict(-0.2, -0.06, 0.05) == "stands"  # a share
    table = measure.verdicts(behaviour("informal", 200, 60, 0, 60), "INV").set_index("quantity")
    assert set(table.loc["errors added", "verdict"]) == {"improves"}
    assert set(table.loc["flips", "verdict"]) == {"breaks"}


def test_effective_rows_are_not_lost_to_rounding():
    assert measure.detectable_change(188 - 1e-12, 0.1) == measure.detectable_change(188, 0.1)


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


def test_clusters_that_change_alike_have_bounds_whatever_the_order_of_their_rows():
    clusters = np.repeat(np.arange(10), 2)
    nothing = [False] * 20
    bounds = [measure.change_bounds(rows, nothing, clusters) for rows in ([1, 0] * 10, [0, 1] * 10)]
    assert bounds[0] == bounds[1] == measure.change_bounds([1, 0] * 5, nothing[:10])
    lower, upper = measure.change_bounds([1, 0, 0] * 4, [0] * 12, np.repeat(np.arange(4), 3))
    assert lower < 1 / 3 < upper
    every = measure.change_bounds([1] * 20, nothing, clusters)
    assert every == measure.change_bounds([1] * 10, nothing[:10])


def test_what_few_discordant_answers_could_have_shown():
    assert measure.detectable_change(10_000, 0.004) == 0.005
    assert measure.detectable_change(188, 0.1) == measure.detectable_difference(188, 0.1)
    least = measure.detectable_change(127, 0.03)
    assert 0.03 < least < 0.1
    share = int(np.ceil(least * 127 + 5))
    assert measure.change_bounds([True] * share + [False] * (127 - share), [False] * 127)[0] > 0
    assert measure.detectable_change(5, 0.2) is None


def test_rows_in_clusters_detect_no_more_than_their_spread_allows():
    clusters = np.repeat(np.arange(6), 30)
    induced = np.zeros(180, bool)
    induced[:10] = True
    row = measure.verdicts(
        behaviour("chat", 180, 10, 10).assign(cluster=clusters), "INV", [0.1]
    ).set_index("quantity")
    assert row.loc["errors added", "detectable"] > row.loc["errors added", "upper"]
    change = induced.astype(float)
    assert 1 <= measure.effective_rows(change, clusters) < 180
    assert measure.effective_rows(change) == 180


@pytest.mark.parametrize(
    ("n", "least"), [(500, 0.045), (188, 0.07), (30, None)], ids=["smsa", "tidak", "triplets"]
)
def test_what_mcnemar_could_have_found(n, least):
    assert measure.detectable_difference(n, 0.1) == least


def test_what_a_comparison_of_other_rows_could_have_found():
    least = measure.detectable_unpaired(60, 30, 120)
    effect = proportion_effectsize(0.25 + least, 0.25)
    power = NormalIndPower().power(effect, 60, 0.05, ratio=2, alternative="two-sided")
    assert power == pytest.approx(0.8, abs=1e-4)
    assert measure.detectable_unpaired(5, 9, 10) is None
    assert measure.detectable_unpaired(60, 1, 1) is None


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
    unsure = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 5)) ** 2  # six clusters say little
    assert count / n == pytest.approx(events.mean()) and n == pytest.approx(5 * unsure)
    assert measure.effective([False] * 10, [0] * 5 + [1] * 5) == (0.0, 2.0)
    free = np.arange(30)
    assert measure.effective(events, free)[1] == pytest.approx(27, abs=1)


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
    table = measure.verdicts(
        rows, {"typos": "INV", "reversed": "DIR"}, instrument={"typos": (0.07, 0.3)}
    )
    assert table.groupby("test")["type"].first().to_dict() == {"typos": "INV", "reversed": "DIR"}
    typos = table[(table["test"] == "typos") & (table["quantity"] == "flips")].set_index("margin")
    assert typos["verdict"].to_dict() == {0.05: "undecided: instrument", 0.1: "stands"}


@pytest.mark.parametrize("quantity", ["flips", "errors added"])
@pytest.mark.parametrize("size", [None, 4])
@pytest.mark.parametrize("repaired", [6, 60])
def test_p_says_what_the_verdict_says(quantity, size, repaired):
    """Below 0.05 where a test is decided, above where it is undecided, with clusters too."""
    seen = set()
    for events in range(0, 120, 3):
        rows = behaviour("x", 200, events, events, repaired)
        rows = rows if size is None else rows.assign(cluster=np.arange(200) // size)
        table = measure.verdicts(rows, "INV", margins=(0.05, 0.1))
        for row in table[table["quantity"] == quantity].itertuples():
            assert (row.p < 0.05) == (row.verdict != "undecided"), (events, row)
            seen.add(row.verdict)
    better = repaired > 6 and quantity == "errors added"
    assert seen - {"stands"} == {"breaks", "undecided"} | ({"improves"} if better else set())


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


@pytest.mark.parametrize("direction", [1, -1])
def test_changes_of_one_direction_are_compared_as_mcnemar_does(direction):
    rng = np.random.default_rng(3)
    first, second = rng.random(150) < 0.2, rng.random(150) < 0.1
    result = measure.change_difference(direction * first, direction * second)
    assert result["p"] == pytest.approx(measure.compare(first, second)["p"])
    assert result["difference"] == pytest.approx(direction * (first.mean() - second.mean()))
    assert result["low"] < result["difference"] < result["high"]


def test_a_clean_gap_is_no_difference_in_robustness():
    """Two models that both lose the same rows differ in errors, not in change from clean."""
    change = np.repeat([1, -1, 0], [20, 5, 175])
    assert measure.change_difference(change, change)["p"] == 1
    doubled = measure.change_difference(np.repeat(change, 2), np.repeat(0 * change, 2))
    clusters = np.repeat(np.arange(200), 2)
    held = measure.change_difference(np.repeat(change, 2), np.repeat(0 * change, 2), clusters)
    assert held["p"] == pytest.approx(measure.change_difference(change, 0 * change)["p"])
    assert held["p"] > doubled["p"] and held["low"] < doubled["low"]


def test_exchanged_signs_agree_with_all_of_them():
    gaps = np.array([3, -1, 2, 2, -1, 4])
    signs = np.array(np.meshgrid(*[[-1, 1]] * 6)).reshape(6, -1)
    share = (abs(np.abs(gaps) @ signs) >= abs(gaps.sum())).mean()
    result = measure.change_difference(np.repeat([1], 13), np.repeat([0, 1, 2], [11, 1, 1]))
    assert 0 < result["p"] < 1
    assert comparisons._exchanged(gaps) == pytest.approx(share)


def test_chance_is_refuted_or_flagged():
    gold = ["positive", "negative"] * 100
    rng = np.random.default_rng(5)
    right = np.where(rng.random(200) < 0.8, gold, gold[::-1])
    assert measure.at_chance(gold, right) == 0
    assert measure.at_chance(gold, ["negative"] * 200) == 1
    guessed = rng.choice(["positive", "negative"], (400, 200))
    assert np.mean([measure.at_chance(gold, said) for said in guessed]) > 0.9
    frequent = ["negative"] * 180 + ["positive"] * 20
    assert measure.at_chance(frequent, ["negative"] * 200) == 1  # right in 90%, and knows nothing
    assert np.isnan(measure.at_chance(["positive"] * 5, ["positive"] * 5))


def test_kappa_draws_clusters_whole():
    first, second = ["a", "b"] * 60, ["a", "b"] * 50 + ["b", "a"] * 10
    free = measure.kappa(first, second, ["a", "b"], 1)
    alone = measure.kappa(first, second, ["a", "b"], 1, clusters=np.arange(120))
    whole = measure.kappa(first, second, ["a", "b"], 1, clusters=np.arange(120) // 20)
    assert free.value == alone.value == whole.value
    assert [alone.low, alone.high] == pytest.approx([free.low, free.high], abs=0.02)
    assert whole.high - whole.low > 1.5 * (free.high - free.low)


def test_scores_of_pairs_are_drawn_by_cluster():
    gold = ["a", "b"] * 60
    frame = pd.DataFrame({"gold": gold, "label": ["a", "b"] * 50 + ["b", "a"] * 10})
    frame = frame.assign(p_a=0.5, p_b=0.5)
    free, whole = (
        measure.classification(table, ["a", "b"], 1).set_index(["group", "metric"])
        for table in (frame, frame.assign(cluster=np.arange(120) // 20))
    )
    for metric in ("accuracy", "macro_f1"):
        one, other = free.loc[("all", metric)], whole.loc[("all", metric)]
        assert one["value"] == other["value"]
        assert other["ci_high"] - other["ci_low"] > 1.5 * (one["ci_high"] - one["ci_low"])


def test_rates_of_pairs_are_over_clusters():
    rows = behaviour("x", 200, 20).assign(gold="a", clean_label="a", id=np.arange(200))
    free, whole = (
        measure.behaviour(table).set_index("metric").loc["flip_rate"]
        for table in (rows, rows.assign(cluster=np.arange(200) // 10))
    )
    assert (free["value"], free["n"]) == (whole["value"], whole["n"]) == (0.1, 200)
    assert whole["ci_high"] - whole["ci_low"] > 2 * (free["ci_high"] - free["ci_low"])


def test_trainings_that_agree_have_an_interval_over_rows_alone():
    outcome = np.arange(200) < 30
    same = measure.over_seeds_and_rows([outcome] * 3)
    once = measure.over_seeds_and_rows([outcome])
    assert (same.low, same.high, same.sd) == (once.low, once.high, 0)
    assert np.isnan(once.sd) and once.low < 0.15 < once.high
    other = np.arange(200) < 60
    assert measure.over_seeds_and_rows([outcome, other, outcome]).low < same.low
    alone = measure.over_seeds_and_rows([np.repeat(outcome, 4)], np.arange(800) // 4)
    assert (alone.low, alone.high) == pytest.approx((once.low, once.high))
    with pytest.raises(InputError, match="two clusters"):
        measure.over_seeds_and_rows([[1, 0]], ["a", "a"])


@pytest.mark.long
@pytest.mark.parametrize(("clusters", "size"), [(100, 1), (60, 3), (60, 8), (300, 8)])
def test_intervals_of_shares_cover_the_truth_with_clusters(clusters, size):
    """95% intervals cover in 93 to 97% of draws; rows taken as independent in far fewer."""
    rng, held, naive = np.random.default_rng(2), [], []
    which = np.repeat(np.arange(clusters), size)
    for _ in range(2000):
        chances = rng.beta(0.6, 1.4, clusters)  # mean 0.3, rows of a cluster strongly alike
        events = (rng.random((clusters, size)) < chances[:, None]).ravel()
        for found, given in ((held, which), (naive, None)):
            _, low, high = measure.share_of(events, given)
            found.append(low <= 0.3 <= high)
    assert 0.93 <= np.mean(held) <= 0.97
    assert size < 8 or np.mean(naive) < 0.8


@pytest.mark.long
@pytest.mark.parametrize("seeds", [3, 5])
@pytest.mark.parametrize("spread", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("size", [1, 4])
def test_intervals_over_seeds_and_rows_cover_the_truth(seeds, spread, size):
    """93 to 97% for other seeds and other rows, where trainings differ not at all, and by about
    one and three points; intervals over seeds alone, or rows alone, cover less.
    """
    rng, held, rows_alone = np.random.default_rng(4), [], []
    clusters = np.repeat(np.arange(200), size)
    draws = np.random.default_rng(6).normal(size=(3, 400_000))
    truth = stats.norm.cdf(-1 + 0.8 * draws[0] + 0.6 * draws[1] + 0.15 * spread * draws[2]).mean()
    for _ in range(1500):
        hard = 0.8 * rng.normal(size=(1, 200)).repeat(size, axis=1)
        hard = hard + 0.6 * rng.normal(size=(1, 200 * size))
        seed = 0.15 * spread * rng.normal(size=(seeds, 1))
        outcomes = rng.random((seeds, 200 * size)) < stats.norm.cdf(-1 + hard + seed)
        found = measure.over_seeds_and_rows(outcomes, clusters)
        held.append(found.low <= truth <= found.high)
        one = measure.over_seeds_and_rows(outcomes.mean(axis=0, keepdims=True))
        rows_alone.append(one.low <= truth <= one.high)
    assert 0.93 <= np.mean(held) <= 0.97
    assert size == 1 or np.mean(rows_alone) < 0.9


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
