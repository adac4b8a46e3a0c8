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
