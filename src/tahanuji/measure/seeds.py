"""One score over trainings that differ in their seed alone, on the same rows."""

import statistics
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from tahanuji.errors import InputError


class Spread(NamedTuple):
    """Mean, sample standard deviation and 95% interval of the mean of one score over n trainings,
    in the unit of the score.
    """

    mean: float
    sd: float
    low: float
    high: float
    n: int


def over_seeds(values: Iterable[float]) -> Spread:
    """Mean, sample standard deviation and 95% t interval of the mean of one score over trainings.

    Parameters
    ----------
    values : iterable of float
        The score of each training; InputError for one that is NaN or infinite.

    Returns
    -------
    Spread
        It says how much training over again moves the score on one fixed set of test rows, and
        nothing of other test rows. One value has no spread: sd and interval are NaN.

    Examples
    --------
    >>> [round(number, 3) for number in over_seeds([0.80, 0.82, 0.84])]
    [0.82, 0.02, 0.77, 0.87, 3]
    """
    values = [float(value) for value in values]
    if missing := [number for number, value in enumerate(values, 1) if not np.isfinite(value)]:
        raise InputError(
            f"{len(missing)} of {len(values)} values over seeds are no numbers, first number "
            f"{missing[0]}: finish that run, or leave it out."
        )
    if len(values) < 2:
        return Spread(*(values or [np.nan]), np.nan, np.nan, np.nan, len(values))
    # Exact sums: equal values have no spread at all.
    mean, sd = statistics.mean(values), statistics.stdev(values)
    half = float(t.ppf(0.975, len(values) - 1)) * sd / len(values) ** 0.5
    return Spread(mean, sd, mean - half, mean + half, len(values))


def over_seeds_and_rows(outcomes: np.ndarray, clusters: Sequence[Hashable] | None = None) -> Spread:
    """The mean of an outcome over trainings and rows, with a 95% interval for other seeds and other
    rows at once.

    Parameters
    ----------
    outcomes : array (seeds, rows)
        Of each training, in the same order of rows: yes or no, or a change (-1, 0 or 1).
    clusters : sequence, optional
        The cluster of each row; without it every row stands for itself.

    Returns
    -------
    Spread
        sd is that of the means of the trainings; n counts trainings. One training has an interval
        over rows; its sd is NaN.

    Notes
    -----
    The variance is that between rows (or clusters) of the mean over seeds, and that between seeds
    as far as chance within rows does not explain it; each part has a t quantile of its own. Where
    all trainings agree the interval is over rows alone.

    References
    ----------
    Searle, Casella and McCulloch (1992), *Variance components*, on two crossed factors; Zou and
    Donner (2008), *Construction of confidence limits about effect measures*, on adding limits of
    parts.

    Examples
    --------
    >>> spread = over_seeds_and_rows([[1, 0, 0, 0, 1, 0], [1, 0, 0, 1, 1, 0]])
    >>> [round(number, 2) for number in spread]
    [0.42, 0.12, -0.1, 0.93, 2]
    """
    values = np.atleast_2d(np.asarray(outcomes, float))
    seeds, rows = values.shape
    every = np.asarray(range(rows) if clusters is None else clusters, str)
    names, codes = np.unique(every, return_inverse=True)
    number, mean = len(names), float(values.mean()) if values.size else float("nan")
    if not np.isfinite(mean) or number < 2:
        raise InputError(
            f"{seeds} trainings with {number} clusters of rows, mean {mean}: an interval needs one "
            f"training, two clusters, and finite numbers."
        )
    means = values.mean(axis=1)
    sums = np.array([np.bincount(codes, row - mean, number) for row in values]) / rows
    between_rows = number / (number - 1) * float((sums.mean(axis=0) ** 2).sum())
    reach = t.ppf(0.975, number - 1) ** 2 * between_rows
    sd = float(means.std(ddof=1)) if seeds > 1 else float("nan")
    if seeds > 1:
        own = np.bincount(codes, minlength=number) / rows
        rest = sums - sums.mean(axis=0) - np.outer(means - mean, own)
        within = float((rest**2).sum()) * number / ((seeds - 1) * (number - 1) * seeds)
        reach += t.ppf(0.975, seeds - 1) ** 2 * max(0.0, sd**2 / seeds - within)
    half = float(reach) ** 0.5
    return Spread(mean, sd, mean - half, mean + half, seeds)
