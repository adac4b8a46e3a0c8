"""Tests and intervals for outcomes of the same rows, for shares of different rows, and for families
of tests.
"""

from collections.abc import Callable, Hashable, Sequence

import numpy as np
from scipy.stats import false_discovery_control, fisher_exact, t
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar

from tahanuji.errors import InputError
from tahanuji.measure.bootstrap import RESAMPLES, estimated, replicate
from tahanuji.measure.checks import answered, check_count, check_length, coded, yes_no
from tahanuji.measure.estimate import Estimate
from tahanuji.measure.power import detectable_change
from tahanuji.measure.scoring import check_metric, from_margins
from tahanuji.measure.shares import standard_error


def compare(first, second) -> dict[str, float]:
    """The exact McNemar test of two yes/no outcomes on the same rows.

    Parameters
    ----------
    first, second : sequence of bool, length n
        Row i of both is the same example (see `check_rows`).

    Returns
    -------
    dict
        `only_first` and `only_second`, the rows with one outcome alone; `difference`, the first
        share minus the second; `p`, two-sided. Identical outcomes, and no rows at all, give 0 and p
        = 1.

    References
    ----------
    McNemar (1947), *Note on the sampling error of the difference between correlated proportions or
    percentages*; exact as a sign test on discordant rows.

    Examples
    --------
    >>> compare([True] * 6 + [False] * 4, [True] + [False] * 9)
    {'only_first': 5, 'only_second': 0, 'difference': 0.5, 'p': 0.0625}
    """
    check_length(first=first, second=second)
    first, second = yes_no(first), yes_no(second)
    one, other = int((first & ~second).sum()), int((~first & second).sum())
    difference = float(first.mean() - second.mean()) if len(first) else 0.0
    p = float(mcnemar([[0, one], [other, 0]], exact=True).pvalue) if one + other else 1.0
    return {"only_first": one, "only_second": other, "difference": difference, "p": p}


def least_paired(*pairs) -> float | None:
    """The largest of the least differences that exact McNemar tests of pairs of yes/no outcomes
    find with 80% power (`detectable_change`); None where one finds none.

    >>> least_paired(([True] * 20 + [False] * 180, [False] * 190 + [True] * 10))
    0.08
    """
    least = []
    for first, second in pairs:
        tested, n = compare(first, second), len(first)
        share = (tested["only_first"] + tested["only_second"]) / n if n else 0.0
        least.append(detectable_change(n, share))
    return max(least) if least and None not in least else None


def cochran(outcomes: np.ndarray) -> float:
    """p of Cochran's Q test (1950) for three or more yes/no outcomes, a column each, on the same
    rows; 1 where no row differs.

    >>> round(cochran(np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 0, 0]])), 4)
    0.0388
    """
    outcomes = yes_no(outcomes).astype(int)
    if (outcomes == outcomes[:, :1]).all():
        return 1.0
    return float(cochrans_q(outcomes).pvalue)


def unpaired(first: int, n_first: int, second: int, n_second: int) -> float:
    """Two-sided p of Fisher's exact test for two shares of different rows, each a count and its n;
    1 where one of them has no rows.

    >>> round(unpaired(3, 4, 1, 4), 4)
    0.4857
    """
    check_count(first, n_first)
    check_count(second, n_second)
    return float(fisher_exact([[first, n_first - first], [second, n_second - second]]).pvalue)


def holm(ps: Sequence[float]) -> list[float]:
    """Holm's adjusted p values of a family of tests.

    Parameters
    ----------
    ps : sequence of float
        From 0 to 1; NaN marks a test that could not be made: it does not count in the family.

    Returns
    -------
    list of float
        In the order given; NaN stays NaN.

    References
    ----------
    Holm (1979), *A simple sequentially rejective multiple test procedure*.

    Examples
    --------
    >>> holm([0.01, float("nan"), 0.04])
    [0.02, nan, 0.04]
    """
    return _adjusted(ps, _step_down)


def benjamini_hochberg(ps: Sequence[float]) -> list[float]:
    """p values adjusted for the false discovery rate (Benjamini and Hochberg, 1995); NaN as in
    `holm`.

    >>> benjamini_hochberg([0.01, float("nan"), 0.04])
    [0.02, nan, 0.04]
    """
    return _adjusted(ps, false_discovery_control)


def _step_down(ps: np.ndarray) -> np.ndarray:
    """Each p times the number of those not below it, and no less than what a smaller one gives.

    As statsmodels' multipletests, which collects garbage in every call: a fifth of a second.
    """
    order = np.argsort(ps, kind="stable")
    adjusted = np.empty(len(ps))
    adjusted[order] = np.maximum.accumulate(ps[order] * np.arange(len(ps), 0, -1))
    return np.minimum(adjusted, 1)


def _adjusted(ps: Sequence[float], method: Callable[[np.ndarray], np.ndarray]) -> list[float]:
    """p values adjusted by a method; NaN stays NaN and does not count."""
    ps = np.asarray(list(ps), dtype=float)
    made = ~np.isnan(ps)
    if wrong := [float(p) for p in ps[made] if not 0 <= p <= 1]:
        raise InputError(
            f"p values lie between 0 and 1, and {wrong[0]:g} does not; give NaN for a test that "
            f"could not be made."
        )
    adjusted = np.full(len(ps), np.nan)
    adjusted[made] = method(ps[made])
    return adjusted.tolist()


def change_difference(
    first: Sequence[int], second: Sequence[int], clusters: Sequence[Hashable] | None = None
) -> dict[str, float]:
    """Two models' changes from clean on the same rows, compared: a difference of differences.

    Parameters
    ----------
    first, second : sequence of int, length n
        Per row 1 where the change of the text induced an error, -1 where it repaired one, else 0.
    clusters : sequence, length n, optional
        The cluster of each row; without it every row stands for itself.

    Returns
    -------
    dict
        `first` and `second`, the errors added as shares of the rows; `difference`, first minus
        second; `low` and `high`, its 95% interval (t, over rows or clusters); `p`, two-sided, of
        the exact test that exchanges the models within rows or clusters. For changes of one
        direction that is McNemar's.

    References
    ----------
    Fisher (1935), *The design of experiments*, on exchanging the signs of differences.

    Examples
    --------
    >>> result = change_difference([1] * 6 + [0] * 4, [1] + [0] * 9)
    >>> round(result["difference"], 2), result["p"]
    (0.5, 0.0625)
    """
    check_length(first=first, second=second)
    first, second = np.asarray(first, int), np.asarray(second, int)
    if not len(first):
        return {"first": 0.0, "second": 0.0, "difference": 0.0, "low": -1.0, "high": 1.0, "p": 1.0}
    names = range(len(first)) if clusters is None else np.asarray(clusters, str)
    gaps, codes = first - second, np.unique(names, return_inverse=True)[1]
    (error, number), mean = standard_error(gaps, codes), float(gaps.mean())
    reach = t.ppf(0.975, number - 1) * error if number > 1 else 2.0
    return {
        "first": float(first.mean()),
        "second": float(second.mean()),
        "difference": mean,
        "low": max(-2.0, mean - reach),
        "high": min(2.0, mean + reach),
        "p": _exchanged(np.bincount(codes, gaps).astype(int)),
    }


def _exchanged(gaps: np.ndarray) -> float:
    """Two-sided p of a sum of whole numbers whose signs are exchanged at random, exact."""
    sizes = np.abs(gaps[gaps != 0])
    total = int(sizes.sum())
    weights = np.zeros(2 * total + 1)
    weights[total] = 1.0  # at i the chance that the signed sum is i - total
    for size in sizes:
        weights = (np.roll(weights, size) + np.roll(weights, -size)) / 2
    sums = np.arange(-total, total + 1)
    return float(min(1.0, weights[np.abs(sums) >= abs(int(gaps.sum()))].sum()))


def paired_difference(
    gold, first, second, labels: list[str], metric: str, seed: int, resamples: int = RESAMPLES
) -> Estimate:
    """A metric of the first predictions minus that of the second, with an interval.

    Parameters
    ----------
    gold, first, second : sequence of str, length n
        The right labels, and two predictions of the same rows: of two models, or of one model on
        clean and perturbed texts. A draw takes a row with both.
    labels : list of str
        In their order.
    metric : str
        One of `METRICS`.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    Estimate
        From -1 to 1, with its paired 95% percentile bootstrap interval; NaN without rows.

    Examples
    --------
    >>> right, wrong = ["a", "b"] * 9, ["b", "a"] * 9
    >>> f"{paired_difference(right, right, wrong, ['a', 'b'], 'accuracy', seed=1):points}"
    '+100.0 (100.0 to 100.0)'
    """
    check_metric(metric)
    every = answered(labels, first, second)
    rows, counts = occupied(coded(every, gold=gold, first=first, second=second), len(every))
    # Per kind of row a one-hot vector of its label: of gold, and of either prediction.
    gold_class, *said = (np.eye(len(every), len(labels))[column] for column in rows.T)

    def gap(drawn: np.ndarray) -> np.ndarray:
        drawn = drawn.astype(float)
        one, other = (
            from_margins(drawn @ (gold_class * own), drawn @ gold_class, drawn @ own)[metric]
            for own in said
        )
        return one - other

    return estimated(gap(counts), replicate(gap, counts, seed, resamples), len(gold))


def occupied(codes: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of label numbers (n, columns), sorted, and how often each stands there: 30
    labels need no room for their 27,000 combinations.

    The very last combination comes along even where it has no rows: a multinomial draw gives its
    last cell what the others leave, so the generator is asked for the same numbers as if every one
    of the k ** columns cells were drawn.
    """
    last = np.full((1, codes.shape[1]), k - 1)
    rows, counts = np.unique(np.vstack([codes, last]), axis=0, return_counts=True)
    counts[-1] -= 1
    return rows, counts
