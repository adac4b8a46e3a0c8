"""Agreement of two raters beyond chance."""

import numpy as np

from tahanuji.measure.bootstrap import RESAMPLES, interval
from tahanuji.measure.checks import answered, check_length
from tahanuji.measure.scoring import confusion, drawn_tables


def kappa_of(counts: np.ndarray) -> np.ndarray:
    """Cohen's kappa of tables of counts.

    (observed - expected agreement) / (1 - expected agreement), here times the squared number of
    rows, so that 0/0 is exact.

    Parameters
    ----------
    counts : array (..., k, k)
        Rows by the first rater's label and the second rater's label.

    Returns
    -------
    array (...)
        From -1 to 1; NaN where it is 0/0: no rows, or both raters always say the same one label.

    References
    ----------
    Cohen (1960), *A coefficient of agreement for nominal scales*.

    Examples
    --------
    >>> kappa_of(np.array([[[20, 5], [10, 15]], [[9, 0], [0, 0]]])).round(3)
    array([0.4, nan])
    """
    counts = np.asarray(counts, dtype=float)
    n, same = counts.sum((-2, -1)), np.trace(counts, axis1=-2, axis2=-1)
    chance = (counts.sum(-1) * counts.sum(-2)).sum(-1)
    with np.errstate(invalid="ignore"):
        return (n * same - chance) / (n * n - chance)


def kappa(
    first, second, labels: list[str], seed: int, resamples: int = RESAMPLES, clusters=None
) -> tuple[float, float, float]:
    """Cohen's kappa of two raters of the same rows, with an interval over rows.

    1 is full agreement, 0 what chance gives, below 0 less than that. Draws in which kappa is 0/0,
    frequent only in small tables with one rare label, are left out of the interval.

    Parameters
    ----------
    first, second : sequence of str, length n
        What each rater said of the same rows, in the same order.
    labels : list of str, length k
        The labels in their order.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.
    clusters : sequence, length n, optional
        The cluster of each row; its rows are drawn together.

    Returns
    -------
    tuple of float
        `(value, low, high)`: kappa and its 95% percentile bootstrap interval; all NaN where kappa
        is 0/0 (see `kappa_of`).

    Raises
    ------
    InputError
        For a label that is not among `labels` and for lists of different lengths.

    References
    ----------
    Cohen (1960), *A coefficient of agreement for nominal scales*.

    Examples
    --------
    >>> kappa(["a", "b"] * 9, ["a", "b"] * 9, ["a", "b"], seed=1)
    (1.0, 1.0, 1.0)
    """
    check_length(first=first, second=second)
    return _agreed(kappa_of, (first, second), labels, seed, resamples, clusters)


def ac1_of(counts: np.ndarray) -> np.ndarray:
    """Gwet's AC1 of tables of counts.

    (observed - expected agreement) / (1 - expected agreement), where the expected agreement is the
    mean over the k labels of p (1 - p) k / (k - 1), p the label's share of both raters' answers.
    Unlike kappa it does not fall where nearly all rows have one label.

    Parameters
    ----------
    counts : array (..., k, k)
        Rows by the first rater's label and the second rater's label.

    Returns
    -------
    array (...)
        From -1 to 1; NaN without rows.

    References
    ----------
    Gwet (2008), *Computing inter-rater reliability and its variance in the presence of high
    agreement*.

    Examples
    --------
    >>> ac1_of(np.array([[[20, 5], [10, 15]], [[9, 0], [0, 0]]])).round(3)
    array([0.406, 1.   ])
    """
    counts = np.asarray(counts, dtype=float)
    n, labels = counts.sum((-2, -1)), counts.shape[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = np.trace(counts, axis1=-2, axis2=-1) / n
        share = (counts.sum(-1) + counts.sum(-2)) / (2 * n)[..., None]
        chance = (share * (1 - share)).sum(-1) / (labels - 1)
        return (observed - chance) / (1 - chance)


def ac1(
    first, second, labels: list[str], seed: int, resamples: int = RESAMPLES, clusters=None
) -> tuple[float, float, float]:
    """Gwet's AC1 of two raters of the same rows, with an interval over rows.

    Parameters
    ----------
    first, second : sequence of str, length n
        What each rater said of the same rows, in the same order.
    labels : list of str, length k
        The labels in their order.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.
    clusters : sequence, length n, optional
        The cluster of each row; its rows are drawn together.

    Returns
    -------
    tuple of float
        `(value, low, high)`: AC1 and its 95% percentile bootstrap interval; NaN without rows.

    Raises
    ------
    InputError
        For a label that is not among `labels` and for lists of different lengths.

    References
    ----------
    Gwet (2008), see `ac1_of`.

    Examples
    --------
    >>> ac1(["a", "b"] * 9, ["a", "b"] * 9, ["a", "b"], seed=1)
    (1.0, 1.0, 1.0)
    """
    check_length(first=first, second=second)
    return _agreed(ac1_of, (first, second), labels, seed, resamples, clusters)


def _agreed(statistic, raters: tuple, labels: list[str], *draws) -> tuple[float, float, float]:
    """An agreement with its bootstrap interval, over the draws in which it is none of 0/0."""
    every = answered(labels, *raters)
    drawn = drawn_tables(statistic, raters, every, *draws)
    value = float(statistic(confusion(*raters, every)))
    return value, *interval(drawn[~np.isnan(drawn)])
