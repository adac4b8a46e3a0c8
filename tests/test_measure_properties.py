"""tahanuji.measure: properties, agreement with the libraries' own functions, degenerate cases,
coverage and speed. A warning fails every test here.
"""

import gc
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, binomtest, bootstrap
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

from tahanuji import behaviour, measure
from tahanuji.measure import bootstrap as drawing

pytestmark = pytest.mark.filterwarnings("error")

LABELS = ["positive", "neutral", "negative"]
ONE, TWO, NOTHING = ["neutral"] * 6, ["neutral", "negative"] * 3, []
quick = settings(deadline=None, max_examples=40)

label = st.sampled_from(LABELS)
pairs = st.lists(st.tuples(label, label), min_size=1, max_size=30)
tables = st.lists(st.integers(0, 6), min_size=9, max_size=9).map(
    lambda cells: np.array(cells).reshape(3, 3)
)
chance = st.floats(0, 1)


def nan(*values) -> bool:
    return bool(np.isnan(values).all())


def triple(n: int, k: int = 3, seed: int = 4) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gold labels and two predictions, numbers below k: the first mostly right, the second mostly
    like the first.
    """
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, k, n)
    first = np.where(rng.random(n) < 0.8, gold, rng.integers(0, k, n))
    return gold, first, np.where(rng.random(n) < 0.7, first, rng.integers(0, k, n))


# Bootstrap


def resample(cells: np.ndarray, seed: int, resamples: int = measure.RESAMPLES) -> np.ndarray:
    """The bootstrap's counts of cells themselves."""
    return measure.replicate(lambda drawn: drawn, cells, seed, resamples)


@given(tables, st.integers(0, 99))
@quick
def test_draws_keep_n_and_never_fill_an_empty_cell(cells, seed):
    drawn = resample(cells, seed, resamples=20)
    assert drawn.shape == (20, 3, 3)
    assert (drawn.sum((1, 2)) == cells.sum()).all()
    assert (drawn[:, cells == 0] == 0).all()


@pytest.mark.parametrize("block", [1, 7, 90, 10**9])
def test_the_size_of_a_block_of_draws_changes_no_number(monkeypatch, block):
    cells = np.array([[8, 0, 3], [1, 5, 0]])
    expected = (
        np.random.default_rng(6).multinomial(17, cells.ravel() / 17, size=50).reshape(50, 2, 3)
    )
    monkeypatch.setattr(drawing, "BLOCK", block)
    assert (resample(cells, 6, resamples=50) == expected).all()
    assert (
        measure.replicate(lambda counts: counts.sum(-1), cells, 6, resamples=50) == expected.sum(-1)
    ).all()


def test_the_default_is_ten_thousand_draws():
    drawn = measure.replicate(lambda counts: counts, np.array([3, 4]), 1)
    assert len(drawn) == measure.RESAMPLES == 10_000


def dense(gold, first, second, metric: str, seed: int, k: int = 3) -> tuple[float, float, float]:
    """The paired bootstrap with every one of the k ** 3 cells drawn, empty or not."""
    cells = np.zeros((k, k, k), dtype=int)
    np.add.at(cells, (gold, first, second), 1)
    drawn = (
        np.random.default_rng(seed)
        .multinomial(len(gold), cells.ravel() / len(gold), size=10_000)
        .reshape(-1, k, k, k)
    )
    value, values = (
        measure.from_confusion(c.sum(-1))[metric] - measure.from_confusion(c.sum(-2))[metric]
        for c in (cells, drawn)
    )
    return float(value), *map(float, np.percentile(values, [2.5, 97.5]))


@pytest.mark.parametrize(
    ("n", "seed", "metric"),
    [(4, 1, "accuracy"), (25, 2, "macro_f1"), (80, 3, "weighted_precision"), (500, 4, "macro_f1")],
)
def test_leaving_out_empty_cells_changes_no_digit(n, seed, metric):
    columns = triple(n, seed=seed)
    found = measure.paired_difference(*columns, [0, 1, 2], metric, seed)
    assert tuple(found) == dense(*columns, metric, seed)


def test_leaving_out_empty_cells_changes_no_digit_where_the_last_label_never_occurs():
    columns = triple(60, k=2, seed=9)
    found = measure.paired_difference(*columns, [0, 1, 2], "macro_f1", 5)
    assert tuple(found) == dense(*columns, "macro_f1", 5)


def macro_f1(gold, said, axis: int = -1) -> np.ndarray:
    """The plain definition, over the labels that occur, along an axis of label numbers."""
    by_class = []
    for number in range(3):
        hits, size = (
            ((gold == number) & (said == number)).sum(axis),
            (gold == number).sum(axis) + (said == number).sum(axis),
        )
        by_class.append(np.where(size > 0, 2 * hits / np.maximum(size, 1), np.nan))
    return np.nanmean(by_class, axis=0)


STATISTICS = {
    "macro_f1": macro_f1,
    "accuracy": lambda gold, said, axis=-1: (gold == said).mean(axis),
}


@pytest.mark.parametrize("metric", STATISTICS)
def test_a_paired_interval_agrees_with_scipys_bootstrap_of_rows(metric):
    columns, score = triple(300), STATISTICS[metric]
    value, *found = measure.paired_difference(*columns, [0, 1, 2], metric, seed=1)

    def gap(gold, first, second, axis: int = -1) -> np.ndarray:
        return score(gold, first, axis) - score(gold, second, axis)

    theirs = bootstrap(
        columns,
        gap,
        paired=True,
        method="percentile",
        n_resamples=4000,
        batch=500,
        rng=np.random.default_rng(2),
    )
    assert value == pytest.approx(gap(*columns))
    assert found == pytest.approx(theirs.confidence_interval, abs=0.2 * theirs.standard_error)


@pytest.mark.parametrize("metric", STATISTICS)
def test_the_interval_of_one_score_agrees_with_scipys_bootstrap_of_rows(metric):
    gold, said, _ = triple(300)
    value, *found = measure.bootstrapped(gold, said, [0, 1, 2], metric, seed=1)
    theirs = bootstrap(
        (gold, said),
        STATISTICS[metric],
        paired=True,
        method="percentile",
        n_resamples=4000,
        batch=500,
        rng=np.random.default_rng(2),
    )
    assert value == pytest.approx(STATISTICS[metric](gold, said))
    assert found == pytest.approx(theirs.confidence_interval, abs=0.2 * theirs.standard_error)


def test_a_bootstrapped_interval_is_the_one_that_classification_reports():
    gold, said, _ = (np.array(LABELS)[column] for column in triple(90))
    frame = pd.DataFrame({"gold": gold, "label": said}).assign(
        **{f"p_{name}": (said == name) * 1.0 for name in LABELS}
    )
    table = measure.classification(frame, LABELS, seed=8).set_index(["group", "metric"])
    for metric in ("macro_f1", "weighted_recall"):
        assert table.loc[("all", metric), ["value", "ci_low", "ci_high"]].to_list() == list(
            measure.bootstrapped(gold, said, LABELS, metric, seed=8)
        )


@given(pairs, st.sampled_from(measure.METRICS))
@quick
def test_a_paired_difference_is_that_of_the_scores_and_the_order_of_rows_is_nothing(rows, metric):
    gold, first = zip(*rows, strict=True)
    second = first[::-1]
    value, low, high = measure.paired_difference(
        gold, first, second, LABELS, metric, 1, resamples=60
    )
    assert value == pytest.approx(
        measure.scores(gold, first, LABELS)[metric] - measure.scores(gold, second, LABELS)[metric]
    )
    assert -1 <= low <= high <= 1
    turned = measure.paired_difference(
        gold[::-1], first[::-1], second[::-1], LABELS, metric, 1, resamples=60
    )
    assert tuple(turned) == (value, low, high)


def test_a_ratio_is_over_rows_over_clusters_and_over_draws_that_have_one():
    above, below = np.array([0, 3, 1, 0]), np.array([2, 4, 4, 0])
    assert measure.ratio(above, below, 1).value == 0.4
    drawn = np.random.default_rng(1).multinomial(4, [0.25] * 4, size=10_000)
    drawn = drawn[(drawn @ below) > 0]
    expected = measure.interval((drawn @ above) / (drawn @ below))
    assert tuple(measure.ratio(above, below, 1, pooled=False)) == (0.4, *expected)
    whole = measure.ratio([0, 4], [6, 4], 1)
    assert measure.ratio(above, below, 1, clusters=["a", "b", "b", "a"]).value == 0.4
    pairs = measure.ratio([0, 3, 0, 1], [3, 2, 3, 2], 1, clusters=["a", "b", "a", "b"])
    assert tuple(pairs) == tuple(whole) and pairs.n == 4
    assert not measure.ratio([1], [0], 1) and not measure.ratio([], [], 1)


# McNemar, Holm


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
@quick
def test_mcnemar_is_a_sign_test_and_swapping_negates(rows):
    first, second = [row[0] for row in rows], [row[1] for row in rows]
    found, swapped = measure.compare(first, second), measure.compare(second, first)
    discordant = found["only_first"] + found["only_second"]
    assert found["p"] == pytest.approx(
        binomtest(found["only_first"], discordant).pvalue if discordant else 1
    )
    assert (swapped["p"], swapped["difference"], swapped["only_first"]) == pytest.approx(
        (found["p"], -found["difference"], found["only_second"])
    )


@given(st.lists(st.one_of(chance, st.just(float("nan"))), max_size=8))
@quick
def test_holm_adjusts_the_tests_that_were_made_and_leaves_the_others_nan(ps):
    made = [p for p in ps if p == p]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            gc, "collect", lambda: 0
        )  # statsmodels collects garbage in every call, which takes a fifth of a second
        adjusted, expected = (
            np.array(measure.holm(ps)),
            multipletests(made, method="holm")[1] if made else [],
        )
    assert adjusted[~np.isnan(ps)] == pytest.approx(expected)
    assert nan(*adjusted[np.isnan(ps)])


def test_a_test_that_could_not_be_made_makes_the_others_no_harder():
    assert measure.holm([float("nan"), 0.01, float("nan"), 0.04]) == pytest.approx(
        [np.nan, 0.02, np.nan, 0.04], nan_ok=True
    )
    assert nan(*measure.holm([float("nan")] * 2))
    assert {type(p) for p in measure.holm([0.01, float("nan")])} == {float}
    assert measure.holm(pd.Series([0.02, None])) == pytest.approx([0.02, np.nan], nan_ok=True)


# Kappa


@given(pairs)
@quick
def test_kappa_is_scikit_learns_symmetric_and_blind_to_the_order_of_labels(rows):
    first, second = zip(*rows, strict=True)
    value = measure.kappa(first, second, LABELS, 1, resamples=20).value
    if len({*first, *second}) == 1:
        assert nan(value)
    else:
        assert value == pytest.approx(cohen_kappa_score(first, second))
        assert -1 <= value <= 1
        turned = measure.kappa(second, first, LABELS[::-1], 1, resamples=20)
        assert turned.value == pytest.approx(value)


def test_kappa_by_hand():
    """Cohen's formula on 20, 5, 10, 15: observed 0.7, by chance 0.5 * 0.6 + 0.5 * 0.4 = 0.5."""
    assert measure.kappa_of([[20, 5], [10, 15]]) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


@pytest.mark.parametrize("k", [2, 3, 5])
def test_the_interval_of_kappa_is_near_statsmodels_asymptotic_one(k):
    first, second, _ = triple(800, k)
    value, low, high = measure.kappa(first, second, list(range(k)), seed=3)
    theirs = cohens_kappa(measure.confusion(first, second, list(range(k))))
    assert value == pytest.approx(theirs.kappa)
    assert (low, high) == pytest.approx(
        (theirs.kappa_low, theirs.kappa_upp), abs=0.12 * (theirs.kappa_upp - theirs.kappa_low)
    )


def test_the_interval_of_kappa_comes_from_the_seeded_draws():
    first, second, _ = triple(120)
    drawn = measure.kappa_of(resample(measure.confusion(first, second, [0, 1, 2]), 3))
    _, *found = measure.kappa(first, second, [0, 1, 2], seed=3)
    assert tuple(found) == measure.interval(drawn)


@given(st.lists(tables, min_size=1, max_size=5), st.integers(1, 5))
@quick
def test_a_stack_of_tables_has_the_kappas_of_each_and_more_rows_alike_change_none(stack, times):
    together = measure.kappa_of(np.array(stack))
    assert together.shape == (len(stack),)
    assert together == pytest.approx(
        [float(measure.kappa_of(times * table)) for table in stack], nan_ok=True
    )


def test_a_grid_of_tables_keeps_its_shape():
    assert measure.kappa_of(np.ones((4, 5, 3, 3))).shape == (4, 5)
    assert measure.kappa_of(np.ones((4, 0, 3, 3))).shape == (4, 0)


def test_draws_without_a_kappa_are_left_out_of_its_interval():
    """A draw of nine rows that misses the one that differs has no kappa; in the others the raters
    agree fully.
    """
    same = ["a"] * 8 + ["b"]
    assert tuple(measure.kappa(same, same, ["a", "b"], seed=1)) == (1, 1, 1)


# Seeds


@given(st.lists(chance, min_size=2, max_size=12))
@quick
def test_mean_deviation_and_t_interval_over_seeds_are_those_of_numpy_and_statsmodels(values):
    mean, sd, low, high, n = measure.over_seeds(values)
    assert (mean, sd, n) == pytest.approx(
        (np.mean(values), np.std(values, ddof=1), len(values)), abs=1e-12
    )
    assert (low, high) == pytest.approx(DescrStatsW(values).tconfint_mean(), abs=1e-9)
    assert low <= mean <= high


def test_over_seeds_by_hand():
    """Mean 3 and standard deviation 1 of 2, 3, 4; the t of two degrees of freedom is 4.302653."""
    assert measure.over_seeds([2, 3, 4]) == pytest.approx(
        (3, 1, 3 - 4.302653 / 3**0.5, 3 + 4.302653 / 3**0.5, 3), abs=1e-6
    )
    assert measure.over_seeds(iter([2, 3, 4])).sd == 1


def test_equal_scores_have_no_spread_and_one_score_has_none_to_tell():
    assert measure.over_seeds([0.1] * 3) == (0.1, 0, 0.1, 0.1, 3)
    alone, none = measure.over_seeds([0.8]), measure.over_seeds([])
    assert (alone.mean, alone.n, none.n) == (0.8, 1, 0)
    assert nan(*alone[1:4], *none[:4])


# Calibration


@given(st.lists(st.tuples(st.floats(0, 1), label), min_size=1, max_size=30), st.integers(1, 20))
@quick
def test_ece_lies_between_0_and_1_and_bins_hold_every_row(rows, bins):
    chances = np.array([[first, (1 - first) / 2, (1 - first) / 2] for first, _ in rows])
    gold = [name for _, name in rows]
    assert 0 <= measure.ece(chances, gold, LABELS, bins) <= 1
    table = measure.reliability(chances, gold, LABELS, bins)
    assert table["n"].sum() == len(rows)
    assert table["bin"].between(0, bins - 1).all()
    right = np.array(LABELS)[chances.argmax(1)] == gold
    assert measure.ece(chances, gold, LABELS, 1) == pytest.approx(
        abs(chances.max(1).mean() - right.mean())
    )


# Degenerate cases: 0 of n, n of n, n = 0, one class, a class that never occurs, identical
# predictions


def test_nothing_of_nothing_is_undefined_everywhere():
    assert nan(*measure.share(0, 0), *measure.scores(NOTHING, NOTHING, LABELS).values())
    assert nan(
        *measure.bootstrapped(NOTHING, NOTHING, LABELS, "accuracy", 1),
        *measure.kappa(NOTHING, NOTHING, LABELS, 1),
    )
    assert nan(*measure.paired_difference(NOTHING, NOTHING, NOTHING, LABELS, "macro_f1", 1))
    assert nan(
        measure.ece(np.empty((0, 3)), NOTHING, LABELS),
        *measure.interval(np.array([])),
        *measure.interval(np.array([1, np.nan])),
    )
    assert measure.reliability(np.empty((0, 3)), NOTHING, LABELS).empty
    assert measure.confusion(NOTHING, NOTHING, LABELS).tolist() == [[0] * 3] * 3
    assert (resample(np.zeros((3, 3), dtype=int), 1, 5) == 0).all()


def test_tests_of_nothing_find_nothing():
    assert measure.compare(NOTHING, NOTHING) == {
        "only_first": 0,
        "only_second": 0,
        "difference": 0.0,
        "p": 1.0,
    }
    assert (
        measure.cochran(np.empty((0, 3)))
        == measure.unpaired(0, 0, 3, 9)
        == measure.unpaired(0, 0, 0, 0)
        == 1
    )
    assert measure.holm(NOTHING) == []


def test_tables_of_nothing_say_n_0():
    columns = ["id", "gold", "label", *(f"p_{name}" for name in LABELS)]
    for frame in (pd.DataFrame(columns=columns), pd.DataFrame(columns=["test", *columns])):
        table = measure.classification(frame, LABELS, seed=1)
        assert set(table["n"]) == {0}
        assert (
            table.loc[table["group"] == "all", ["value", "ci_low", "ci_high"]].isna().all(axis=None)
        )
    rows = behaviour.judged(
        pd.DataFrame(columns=["id", "label"]), np.empty((0, 3)), np.empty((0, 3)), LABELS
    )
    assert measure.behaviour(rows.assign(test=[], changed=[])).empty
    assert nan(
        *[
            value
            for _, _, *values, n in measure.rates("x", rows.assign(changed=[]))
            for value in values
        ]
    )


@pytest.mark.parametrize("metric", measure.METRICS)
def test_one_class_alone_is_certain(metric):
    assert {*measure.bootstrapped(ONE, ONE, LABELS, metric, 1)} == {1}
    assert {*measure.bootstrapped(ONE, ["positive"] * 6, LABELS, metric, 1)} == {0}
    assert {*measure.paired_difference(ONE, ONE, ONE, LABELS, metric, 1)} == {0}
    assert {*measure.paired_difference(ONE, ONE, ["positive"] * 6, LABELS, metric, 1)} == {1}


def test_a_class_absent_from_gold_or_from_predictions_scores_0():
    """neutral has F1 2 * 3 / 9; negative, which is missing on one side, has 0."""
    for gold, said in ((ONE, TWO), (TWO, ONE)):
        found = measure.bootstrapped(gold, said, LABELS, "macro_f1", 1)
        assert found.value == pytest.approx((2 / 3 + 0) / 2)
        assert {*measure.kappa(gold, said, LABELS, 1)} == {0}


def test_kappa_of_raters_who_say_one_thing_only():
    assert nan(*measure.kappa(ONE, ONE, LABELS, 1))
    assert {*measure.kappa(ONE, ["positive"] * 6, LABELS, 1)} == {0}
    assert {*measure.kappa(TWO, TWO, LABELS, 1)} == {1}
    assert measure.kappa(["a", "b"] * 9, ["b", "a"] * 9, ["a", "b"], 1).value == -1


# Coverage


def test_wilson_intervals_cover_95_percent_on_average_and_never_far_less():
    """The mean over shares is near 95%, exactly, over all outcomes (Brown et al., 2001)."""
    for n in (30, 200):
        bounds = np.array([[*measure.share(count, n)][1:] for count in range(n + 1)])
        shares = np.linspace(0.02, 0.98, 97)
        covered = [
            binom.pmf(np.arange(n + 1), n, p)[(bounds[:, 0] <= p) & (p <= bounds[:, 1])].sum()
            for p in shares
        ]
        assert np.mean(covered) == pytest.approx(0.95, abs=0.008)
        assert min(covered) > 0.89


@pytest.mark.long
def test_paired_bootstrap_intervals_cover_the_truth_about_95_times_in_100():
    """400 test sets of 200 rows drawn from a population of known scores, two models with correlated
    errors; binomial bounds of 3 deviations.
    """
    population, rng = np.array(triple(20_000)), np.random.default_rng(12)
    for metric in ("accuracy", "macro_f1"):
        gold, *said = population
        first, second = (measure.scores(gold, column, [0, 1, 2])[metric] for column in said)
        covered = 0
        for number in range(400):
            rows = population[:, rng.integers(0, population.shape[1], 200)]
            _, low, high = measure.paired_difference(
                *rows, [0, 1, 2], metric, number, resamples=400
            )
            covered += low <= first - second <= high
        low, high = binom.interval(0.9973, 400, 0.95)
        assert low <= covered <= high, metric


# Speed and memory


def test_thirty_labels_need_no_room_for_their_27_000_cells():
    columns = triple(5000, 30)
    tracemalloc.start()
    value, low, high = measure.paired_difference(*columns, list(range(30)), "macro_f1", 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert low < value < high
    assert (
        peak < 120e6
    )  # ten thousand times all cells would be 2,160e6, those with rows in them still 150e6
