"""One score over trainings that differ in their seed alone."""

import statistics
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.stats import t

from tahanuji.errors import InputError


class Spread(NamedTuple):
    """Mean, sample standard deviation and 95% t interval of the mean of one score over trainings.

    Attributes
    ----------
    mean, sd : float
        In the unit of the score.
    low, high : float
        The interval's ends.
    n : int
        How many trainings.
    """

    mean: float
    sd: float
    low: float
    high: float
    n: int


def over_seeds(values: Iterable[float]) -> Spread:
    """Mean, sample standard deviation (n - 1) and 95% t interval of the mean of one score over
    training seeds.

    It says how much training over again moves the score on one fixed set of test rows. It knows
    nothing of other test rows: never mix it with the Wilson and bootstrap intervals, which are
    about those.

    Parameters
    ----------
    values : iterable of float
        The score of each training.

    Returns
    -------
    Spread
        In the unit of the values. One value has no spread: sd and interval are NaN; without values
        the mean is too.

    Raises
    ------
    InputError
        For a value that is NaN or infinite.

    References
    ----------
    Student (1908), *The probable error of a mean*.

    Examples
    --------
    >>> [round(number, 3) for number in over_seeds([0.80, 0.82, 0.84])]
    [0.82, 0.02, 0.77, 0.87, 3]
    """
    values = [float(value) for value in values]
    if missing := [
        number for number, value in enumerate(values, start=1) if not np.isfinite(value)
    ]:
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
