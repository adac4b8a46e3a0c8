"""What a test with so many rows could have found, with 80% power."""

import bisect
import math
from collections.abc import Hashable, Sequence

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from tahanuji.errors import InputError
from tahanuji.measure.shares import ROUNDING, standard_error

CONFIDENCE, POWER = 0.95, 0.8
STEPS = 200  # differences are told in half points
MOST_TEXTS = 20_000  # where the search of `texts_needed` ends


def detectable_difference(n: int, discordance: float) -> float | None:
    """The least paired difference that the exact McNemar test (5%, two-sided) finds.

    Parameters
    ----------
    n : int
        Paired rows.
    discordance : float
        The share of rows on which the two disagree, 0 to 1.

    Returns
    -------
    float or None
        A share in steps of half a point; None where even one-sided discordance is not found.

    References
    ----------
    Miettinen (1968), *The matched pairs design in the case of all-or-none responses*.

    Examples
    --------
    >>> detectable_difference(188, 0.1), detectable_difference(30, 0.1)
    (0.07, None)
    """
    steps = range(1, math.floor(discordance * STEPS + ROUNDING) + 1)
    return _least(steps, lambda step: _power(n, discordance, step / STEPS))


def detectable_change(n: float, discordance: float) -> float | None:
    """The least paired difference that so many rows find, if as many answers disagree as were seen,
    or, for a larger difference, as many as it takes.

    Parameters
    ----------
    n : float
        Paired rows, or effective rows (`effective_rows`).
    discordance : float
        The share of rows on which the two disagreed, 0 to 1.

    Returns
    -------
    float or None
        A share in steps of half a point; None where not even a change of all answers is found.

    Examples
    --------
    >>> detectable_change(188, 0.1), detectable_change(30, 0.1), detectable_change(4, 0.1)
    (0.07, 0.255, None)
    """
    n = int(n + ROUNDING)
    if (within := detectable_difference(n, discordance)) is not None:
        return within
    steps = range(max(1, math.ceil(discordance * STEPS - ROUNDING)), STEPS + 1)
    return _least(steps, lambda step: _power(n, step / STEPS, step / STEPS))


def _least(steps: range, power) -> float | None:
    """The first of the steps whose power, which rises along them, is enough."""
    if not steps or power(steps[-1]) < POWER:
        return None
    return steps[bisect.bisect_left(steps, True, key=lambda step: power(step) >= POWER)] / STEPS


def _power(n: int, discordance: float, difference: float) -> float:
    """The power of the exact McNemar test for a true difference, over all discordant counts."""
    share, pairs = (discordance + difference) / (2 * discordance), np.arange(1, n + 1)
    weights = stats.binom.pmf(pairs, n, discordance)
    pairs, weights = pairs[weights > 1e-9], weights[weights > 1e-9]
    limit = stats.binom.ppf(0.025, pairs, 0.5)  # most that may still be rejected
    limit = limit - (2 * stats.binom.cdf(limit, pairs, 0.5) > 0.05)
    below = stats.binom.cdf(limit, pairs, share)
    above = stats.binom.sf(pairs - limit - 1, pairs, share)
    return float(weights @ (below + above))


def detectable_unpaired(n_first: int, second: int, n_second: int) -> float | None:
    """The least difference above the second of two shares of different rows that their comparison
    finds.

    Parameters
    ----------
    n_first : int
        Rows of the first share.
    second, n_second : int
        Events and rows of the second.

    Returns
    -------
    float or None
        A share, by the arcsine approximation, for Fisher's exact test (`unpaired`) about right;
        None where no difference is found, and for fewer than two rows of either.

    References
    ----------
    Cohen (1988), *Statistical power analysis for the behavioral sciences*, chapter 6.

    Examples
    --------
    >>> round(detectable_unpaired(100, 20, 100), 3), detectable_unpaired(1, 20, 100)
    (0.178, None)
    """
    if min(n_first, n_second) < 2:
        return None
    share = second / n_second
    reach = stats.norm.ppf(0.975) + stats.norm.ppf(POWER)
    angle = math.asin(math.sqrt(share)) + reach * math.sqrt(1 / n_first + 1 / n_second) / 2
    return float(math.sin(angle) ** 2 - share) if angle <= math.pi / 2 else None


def detectable_shares(n: float, margin: float) -> tuple[float | None, float | None]:
    """The true shares that so many rows can show to lie below and above a margin, by one-sided 95%
    bounds.

    Parameters
    ----------
    n : float
        Rows, or effective rows (see `effective`).
    margin : float
        A share between 0 and 1.

    Returns
    -------
    tuple of float or None
        The greatest share that is shown to lie below the margin (the test stands), and the least
        that is shown to lie above it (the test breaks); None where no share is.

    Examples
    --------
    >>> [round(share, 3) for share in detectable_shares(188, 0.05)]
    [0.016, 0.101]
    >>> detectable_shares(30, 0.05)[0] is None
    True
    """
    counts = np.arange(int(n) + 1)
    lower, upper = _exact(counts, n)
    below, above = counts[upper < margin], counts[lower > margin]
    stands = stats.beta.ppf(1 - POWER, below[-1] + 1, n - below[-1]) if len(below) else None
    breaks = stats.beta.ppf(POWER, above[0], n - above[0] + 1) if len(above) else None
    return tuple(None if share is None else float(share) for share in (stands, breaks))


def bounds(count: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The lower and the upper one-sided bound of a share, each exact at the confidence given
    (Clopper and Pearson, 1934, *The use of confidence or fiducial limits*); counts need not be
    whole where they are effective numbers (see `effective`).

    >>> round(bounds(5, 188)[1], 3)
    0.055
    """
    if not 0 <= count <= n or n <= 0:
        raise InputError(f"{count:g} events of {n:g} rows: a share needs 0 <= events <= rows.")
    return _exact(count, n, confidence)


def _exact(count, n: float, confidence: float = CONFIDENCE) -> tuple:
    """Clopper and Pearson's bounds of one count or of an array of counts."""
    return proportion_confint(count, n, 2 * (1 - confidence), method="beta")


def effective_rows(change: np.ndarray, clusters: Sequence[Hashable] | None = None) -> float:
    """As many independent rows as would give a mean over rows in clusters its standard error:
    between 1 and the number of rows; the number of clusters where these do not differ.

    >>> round(effective_rows(np.array([1.0, 1, 0, 0, 0, 0]), ["a", "a", "b", "b", "c", "c"]), 3)
    2.0
    """
    if clusters is None:
        return float(len(change))
    error, number = standard_error(change, clusters)
    if not error:
        return float(number)
    return float(min(len(change), change.var() / error**2))


def texts_needed(margin: float, truth: float) -> int:
    """The texts that a test needs to show a share below a margin, if it really is `truth`;
    InputError where truth is no less than the margin, or 20,000 texts are not enough.

    >>> texts_needed(0.05, 0.02)
    234
    """
    if not 0 <= truth < margin < 1:
        raise InputError(f"a share of {truth} cannot be shown to lie below {margin}.")
    least = deciding_share(truth, margin)
    if least is None:
        raise InputError(f"{MOST_TEXTS} texts are not enough to show {truth} below {margin}.")
    return least


def deciding_share(truth: float, margin: float, confidence: float = CONFIDENCE) -> int | None:
    """The texts with which an exact one-sided bound shows a true share to lie below or above a
    margin, with 80% power; None where 20,000 do not.

    >>> deciding_share(0.02, 0.05), deciding_share(0.1, 0.05), deciding_share(0.05, 0.05)
    (234, 169, None)
    """
    n = np.arange(1, MOST_TEXTS + 1)
    if truth < margin:
        most = stats.binom.ppf(1 - confidence, n, margin) - 1  # events with which it still stands
        enough = stats.binom.cdf(most, n, truth) >= POWER
    else:
        least = stats.binom.ppf(confidence, n, margin) + 1  # events from which on it breaks
        enough = stats.binom.sf(least - 1, n, truth) >= POWER
    return int(n[enough.argmax()]) if enough.any() else None


def deciding_change(
    truth: float, discordance: float, margin: float, confidence: float = CONFIDENCE
) -> int | None:
    """The texts with which a bound of a paired difference shows it to lie below or above a
    margin, with 80% power, if so large a share of answers disagrees (by the normal
    approximation: Blackwelder, 1982, *Proving the null hypothesis in clinical trials*); None where
    20,000 do not.

    >>> deciding_change(0.02, 0.1, 0.05), deciding_change(0.0, 0.0, 0.05)
    (685, 52)
    """
    z = stats.norm.ppf(confidence)
    gap, variance = abs(margin - truth), discordance - truth**2
    least = (z + stats.norm.ppf(POWER)) ** 2 * variance / gap**2 if gap else math.inf
    unmoved = (
        z**2 * (1 - margin) / margin
    )  # where no answer moves, Tango's bound is z^2 / (n + z^2)
    needed = max(least, unmoved)
    return math.ceil(needed) if needed <= MOST_TEXTS else None
