"""Agreement of two raters beyond chance."""

import numpy as np

from tahanuji.measure.bootstrap import RESAMPLES, estimated
from tahanuji.measure.checks import answered, check_length
from tahanuji.measure.estimate import Estimate
from tahanuji.measure.scoring import confusion, drawn_tables


def kappa_of(counts: np.ndarray) -> np.ndarray:
    """Cohen's kappa of tables of counts (..., k, k); NaN where both raters always say the same one
    label. Numerator and denominator are times the squared number of rows, so that 0/0 is exact.

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
) -> Estimate:
    """Cohen's kappa of two raters: 1 is full agreement, 0 what chance gives.

    Parameters
    ----------
    first, second : sequence of str, length n
        What each rater said of the same rows, in the same order.
    labels : list of str
        All labels that may be given.
    seed, resamples : int
        Of the bootstrap.
    clusters : sequence, length n, optional
        The cluster of each row; its rows are drawn together.

    Returns
    -------
    Estimate
        With a 95% percentile bootstrap interval, without the draws in which kappa is 0/0.

    References
    ----------
    Cohen (1960), *A coefficient of agreement for nominal scales*.

    Examples
    --------
    >>> f"{kappa(['a', 'b'] * 9, ['a', 'b'] * 9, ['a', 'b'], seed=1):kappa}"
    '1.00 (1.00 to 1.00)'
    """
    return _agreed(kappa_of, first, second, labels, seed, resamples, clusters)


def ac1_of(counts: np.ndarray) -> np.ndarray:
    """Gwet's AC1 of tables of counts (..., k, k). The agreement expected by chance is the mean over
    the labels of p (1 - p) k / (k - 1), p the label's share of both raters' answers.

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
) -> Estimate:
    """Gwet's AC1 of two raters, which unlike kappa does not fall where nearly all rows have one
    label.

    Parameters
    ----------
    first, second, labels, seed, resamples, clusters
        As in `kappa`.

    Returns
    -------
    Estimate
        With a 95% percentile bootstrap interval.

    References
    ----------
    Gwet (2008), *Computing inter-rater reliability and its variance in the presence of high
    agreement*.

    Examples
    --------
    >>> f"{ac1(['a', 'b'] * 9, ['a', 'b'] * 9, ['a', 'b'], seed=1):kappa}"
    '1.00 (1.00 to 1.00)'
    """
    return _agreed(ac1_of, first, second, labels, seed, resamples, clusters)


def _agreed(statistic, first, second, labels: list[str], *draws) -> Estimate:
    """A statistic of the raters' table with its bootstrap interval."""
    check_length(first=first, second=second)
    every = answered(labels, first, second)
    drawn = drawn_tables(statistic, (first, second), every, *draws)
    return estimated(statistic(confusion(first, second, every)), drawn, len(first))
