"""Agreement of two raters beyond chance."""

import numpy as np

from tahanuji.measure.bootstrap import RESAMPLES, interval, replicate
from tahanuji.measure.checks import check_length
from tahanuji.measure.scoring import confusion


def kappa_of(counts: np.ndarray) -> np.ndarray:
    """Cohen's kappa of tables of counts (..., k, k), shape (...); NaN where it is 0/0: no rows, or
    both raters always say the same one label.

    Cohen (1960): (observed - expected agreement) / (1 - expected agreement), here times the squared
    number of rows, so that 0/0 is exact.

    >>> kappa_of(np.array([[[20, 5], [10, 15]], [[9, 0], [0, 0]]])).round(3)
    array([0.4, nan])
    """
    counts = np.asarray(counts, dtype=float)
    n, same = counts.sum((-2, -1)), np.trace(counts, axis1=-2, axis2=-1)
    chance = (counts.sum(-1) * counts.sum(-2)).sum(-1)
    with np.errstate(invalid="ignore"):
        return (n * same - chance) / (n * n - chance)


def kappa(
    first, second, labels: list[str], seed: int, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """Cohen's kappa of two raters of the same rows and its 95% percentile bootstrap interval over
    rows: `(value, low, high)`.

    1 is full agreement, 0 what chance gives, below 0 less than that. All three are NaN where kappa
    is 0/0 (see `kappa_of`). Draws in which it is 0/0, frequent only in small tables with one rare
    label, are left out of the interval. InputError for a label that is not among `labels` and for
    lists of different lengths.

    >>> kappa(["a", "b"] * 9, ["a", "b"] * 9, ["a", "b"], seed=1)
    (1.0, 1.0, 1.0)
    """
    check_length(first=first, second=second)
    counts = confusion(first, second, labels)
    drawn = replicate(kappa_of, counts, seed, resamples)
    return float(kappa_of(counts)), *interval(drawn[~np.isnan(drawn)])


def ac1_of(counts: np.ndarray) -> np.ndarray:
    """Gwet's AC1 of tables of counts (..., k, k), shape (...); NaN without rows.

    Gwet (2008): (observed - expected agreement) / (1 - expected agreement), where the expected
    agreement is the mean over the k labels of p (1 - p) k / (k - 1), p the label's share of both
    raters' answers. Unlike kappa it does not fall where nearly all rows have one label.

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
    first, second, labels: list[str], seed: int, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """Gwet's AC1 of two raters of the same rows and its 95% percentile bootstrap interval over
    rows: `(value, low, high)`; NaN without rows. See `ac1_of`.

    >>> ac1(["a", "b"] * 9, ["a", "b"] * 9, ["a", "b"], seed=1)
    (1.0, 1.0, 1.0)
    """
    check_length(first=first, second=second)
    counts = confusion(first, second, labels)
    return float(ac1_of(counts)), *interval(replicate(ac1_of, counts, seed, resamples))
