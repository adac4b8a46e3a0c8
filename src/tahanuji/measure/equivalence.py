"""Does a model stand a test? Verdicts with a margin, and what a test could have found.

A difference that is not significant is no evidence of robustness. A test *stands* here only where a
one-sided 95% bound lies below the margin, it *breaks* where the bound on the other side lies above
it, and all else is *undecided* (equivalence testing; Schuirmann, 1987; Lakens, 2017). A model that
makes fewer errors under a change, by more than the margin, *improves*.
"""

import bisect
import functools
import math
from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd
from scipy import optimize, stats

from tahanuji.errors import InputError
from tahanuji.measure.checks import KEY
from tahanuji.measure.shares import by_test, effective

__all__ = [
    "DECIDED",
    "MARGINS",
    "bounds",
    "change_bounds",
    "detectable_change",
    "detectable_difference",
    "detectable_shares",
    "detectable_unpaired",
    "effective_rows",
    "texts_needed",
    "verdict",
    "verdicts",
]

MARGINS = (0.05, 0.1)
CONFIDENCE, POWER = 0.95, 0.8
MOST_TEXTS = 20_000  # where the search of `texts_needed` ends
ROUNDING = 1e-9  # what sums in another order may differ by
DECIDED = ("stands", "breaks", "improves")
COLUMNS = [*KEY, "type", "quantity", "margin", "value", "lower", "upper", "n"]
COLUMNS += ["instrument", "verdict", "detectable", "p"]


def bounds(count: float, n: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The lower and the upper one-sided bound of a share, each exact at the confidence given.

    Parameters
    ----------
    count, n : float
        Events and rows; not whole where they are effective numbers (see `effective`).
    confidence : float
        Of each bound by itself, 0 to 1.

    Returns
    -------
    tuple of float
        Shares from 0 to 1.

    Raises
    ------
    InputError
        For a count outside 0 to n, and for no rows.

    References
    ----------
    Clopper and Pearson (1934), *The use of confidence or fiducial limits*.

    Examples
    --------
    >>> round(bounds(5, 188)[1], 3)
    0.055
    """
    if not 0 <= count <= n or n <= 0:
        raise InputError(f"{count:g} events of {n:g} rows: a share needs 0 <= events <= rows.")
    lower = stats.beta.ppf(1 - confidence, count, n - count + 1) if count else 0.0
    upper = stats.beta.ppf(confidence, count + 1, n - count) if count < n else 1.0
    return float(lower), float(upper)


def change_bounds(
    induced: Sequence[bool],
    repaired: Sequence[bool],
    clusters: Sequence[Hashable] | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """One-sided bounds of the errors added: the share induced minus the share repaired.

    Parameters
    ----------
    induced, repaired : sequence of bool
        Per row: right on the clean text and wrong on the changed one, and the reverse.
    clusters : sequence, optional
        The cluster of each row; with it the bounds hold a t distribution over clusters, or, where
        all clusters change alike, those of as many rows as there are clusters.
    confidence : float
        Of each bound by itself, 0 to 1.

    Returns
    -------
    tuple of float
        Differences from -1 to 1.

    Raises
    ------
    InputError
        For no rows, and for different lengths.

    References
    ----------
    Tango (1998), *Equivalence test and confidence interval for the difference in proportions for
    the paired-sample design*.

    Examples
    --------
    >>> [round(bound, 3) for bound in change_bounds([True] * 12 + [False] * 88, [False] * 100)]
    [0.076, 0.184]
    """
    worse, better = np.asarray(induced, bool), np.asarray(repaired, bool)
    if not len(worse) or len(worse) != len(better):
        raise InputError(f"{len(worse)} rows induced and {len(better)} repaired do not pair up.")
    counts = int(worse.sum()), int(better.sum()), len(worse)
    if clusters is not None:
        change = worse.astype(float) - better
        error, number = _error(change, clusters)
        if number < 2:
            return -1.0, 1.0
        if error:
            reach = stats.t.ppf(confidence, number - 1) * error
            return float(max(-1, change.mean() - reach)), float(min(1, change.mean() + reach))
        counts = _of_clusters(counts, number)
    z = stats.norm.ppf(confidence)
    difference = (counts[0] - counts[1]) / counts[2]
    edge = 1 - 1e-9
    lower = _root(counts, z, -edge, difference) if difference > -edge else -1.0
    upper = _root(counts, -z, difference, edge) if difference < edge else 1.0
    return lower, upper


def _root(counts: tuple[float, float, float], z: float, low: float, high: float) -> float:
    """The difference at which Tango's score is z, between two others."""
    return float(optimize.brentq(lambda delta: _score(counts, delta) - z, low, high))


def _score(counts: tuple[float, float, float], delta: float) -> float:
    """Tango's score statistic of a paired difference `delta`; it falls as delta grows."""
    worse, better, n = counts
    b = -worse - better + (2 * n - worse + better) * delta
    c = -better * delta * (1 - delta)
    q = (np.sqrt(max(b**2 - 8 * n * c, 0)) - b) / (4 * n)
    variance = n * (2 * q + delta * (1 - delta))
    gap = worse - better - n * delta
    return gap / np.sqrt(variance) if variance > 0 else np.sign(gap) * 1e9 if gap else 0.0


def _error(change: np.ndarray, clusters: Sequence[Hashable]) -> tuple[float, int]:
    """The standard error of a mean over rows in clusters, 0 where it is one of rounding, and the
    number of clusters.
    """
    groups = pd.Series(change - change.mean()).groupby(np.asarray(clusters, object))
    number = groups.ngroups
    squares = float((groups.sum() ** 2).sum())
    error = math.sqrt(number / max(1, number - 1) * squares) / len(change)
    return (error if error > ROUNDING else 0.0), number


def _of_clusters(counts: tuple[float, float, float], number: int) -> tuple[float, float, float]:
    """Rows induced, repaired and all, as if every cluster were one row."""
    return tuple(count * number / counts[2] for count in counts)


def verdict(
    lower: float, upper: float, margin: float, instrument: float | None = None, two: bool = False
) -> str:
    """`stands`, `breaks`, `improves`, `undecided`, or `undecided: instrument`.

    Parameters
    ----------
    lower, upper : float
        One-sided bounds of a share or a difference.
    margin : float
        What still counts as nothing, set before the run.
    instrument : float, optional
        The upper bound of the share of changed texts whose right label is no longer the same; at
        the margin or above it the test can decide nothing.
    two : bool
        Whether the other side counts as well: a difference stands only where its lower bound
        lies above -margin too (two one-sided tests), and improves where its upper bound lies
        below it.

    Returns
    -------
    str

    Raises
    ------
    InputError
        For a margin that is no share.

    Examples
    --------
    >>> verdict(0.01, 0.055, 0.1), verdict(0.01, 0.055, 0.05), verdict(0.2, 0.3, 0.1, 0.12)
    ('stands', 'undecided', 'undecided: instrument')
    >>> verdict(-0.3, -0.2, 0.1, two=True)
    'improves'
    """
    if not 0 < margin < 1:
        raise InputError(f"a margin is a share between 0 and 1, such as 0.05, not {margin}.")
    if instrument is not None and instrument >= margin:
        return "undecided: instrument"
    if two and upper < -margin:
        return "improves"
    if upper < margin and (not two or lower > -margin):
        return "stands"
    return "breaks" if lower > margin else "undecided"


def detectable_difference(n: int, discordance: float) -> float | None:
    """The least paired difference that the exact McNemar test (5%, two-sided) finds with 80% power.

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
    low, high = 0, int(np.floor(discordance / 0.005 + 1e-9))
    if not high or _power(n, discordance, high / 200) < POWER:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        enough = _power(n, discordance, middle / 200) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high / 200


def detectable_change(n: float, discordance: float) -> float | None:
    """The least paired difference that so many rows find with 80% power, if as many answers
    disagree as were seen, or, for a larger difference, as many as it takes.

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
    steps = range(max(1, math.ceil(discordance / 0.005 - 1e-9)), 201)
    enough = functools.partial(_found, n)
    place = bisect.bisect_left(steps, True, key=enough)
    return steps[place] / 200 if place < len(steps) else None


def _found(n: int, step: int) -> bool:
    """Whether so many half points are found where all answers that disagree do so one way."""
    return _power(n, step / 200, step / 200) >= POWER


def detectable_unpaired(n_first: int, second: int, n_second: int) -> float | None:
    """The least difference above the second of two shares of different rows that their comparison
    finds with 80% power.

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


def effective_rows(change: np.ndarray, clusters: Sequence[Hashable] | None = None) -> float:
    """As many independent rows as would give a mean over rows in clusters its standard error.

    Parameters
    ----------
    change : array of float
        A value per row.
    clusters : sequence, optional
        The cluster of each row; without it every row counts.

    Returns
    -------
    float
        Between 1 and the number of rows; the number of clusters where these do not differ.

    Examples
    --------
    >>> round(effective_rows(np.array([1.0, 1, 0, 0, 0, 0]), ["a", "a", "b", "b", "c", "c"]), 3)
    2.0
    """
    if clusters is None:
        return float(len(change))
    error, number = _error(change, clusters)
    if not error:
        return float(number)
    return float(min(len(change), max(1.0, change.var() / error**2)))


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


def detectable_shares(n: float, margin: float) -> tuple[float | None, float | None]:
    """The true shares that so many rows can show to lie below and above a margin, by one-sided 95%
    bounds with 80% power.

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
    below = counts[:-1][stats.beta.ppf(CONFIDENCE, counts[:-1] + 1, n - counts[:-1]) < margin]
    above = counts[1:][stats.beta.ppf(1 - CONFIDENCE, counts[1:], n - counts[1:] + 1) > margin]
    stands = stats.beta.ppf(1 - POWER, below[-1] + 1, n - below[-1]) if len(below) else None
    breaks = stats.beta.ppf(POWER, above[0], n - above[0] + 1) if len(above) else None
    return tuple(None if share is None else float(share) for share in (stands, breaks))


def texts_needed(margin: float, truth: float) -> int:
    """The texts that a test needs to show a share below a margin with 80% power, if it really is
    `truth`.

    Parameters
    ----------
    margin, truth : float
        Shares from 0 to 1, truth below margin.

    Returns
    -------
    int

    Raises
    ------
    InputError
        Where truth is no less than the margin, or 20,000 texts are not enough.

    Examples
    --------
    >>> texts_needed(0.05, 0.02)
    234
    """
    if not 0 <= truth < margin < 1:
        raise InputError(f"a share of {truth} cannot be shown to lie below {margin}.")
    count = 0
    while (n := _fewest(count, margin)) <= MOST_TEXTS:
        if stats.binom.cdf(count, n, truth) >= POWER:
            return n
        count += 1
    raise InputError(f"{MOST_TEXTS} texts are not enough to show {truth} below {margin}.")


def _fewest(count: int, margin: float) -> int:
    """The fewest rows at which so many events still have their upper bound below the margin."""
    low, high = count + 1, max(2 * count, 8)
    while bounds(count, high)[1] >= margin:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if bounds(count, middle)[1] < margin:
            high = middle
        else:
            low = middle + 1
    return low


def verdicts(
    rows: pd.DataFrame,
    types: str | dict[str, str],
    margins: Sequence[float] = MARGINS,
    instrument: dict[str, tuple[float, float]] | None = None,
) -> pd.DataFrame:
    """A verdict per test, rate, group, quantity and margin.

    INV tests are judged by two quantities: `flips`, the labels that move, and, where there are
    right labels, `errors added`, induced minus repaired errors. DIR and MFT tests are judged by
    `failures`; of a DIR test these are the rows that go the wrong way, where the rows say which do.
    Of INV and DIR tests only texts that really changed count.

    Parameters
    ----------
    rows : pandas.DataFrame
        The rows of `behaviour.rows`: test, changed, flip, induced, repaired, failure; where they
        are there, rate and group, `is_wrong_way` (DIR), `moved` (whether any probability did) and
        `cluster`, which names the rows that belong together.
    types : str or dict
        INV, DIR or MFT, of all tests or by test; tests that the dict leaves out are not judged.
    margins : sequence of float
        Shares between 0 and 1, set before the run.
    instrument : dict, optional
        Per test the upper bound of the share of changed texts whose right label changed, and the
        highest rate at which it was measured; beyond that rate the share may be anything.

    Returns
    -------
    pandas.DataFrame
        Columns test, rate, group, type, quantity, margin, value, lower, upper (one-sided 95%
        bounds), n, instrument, verdict; detectable, what these rows find with 80% power: of errors
        added the least difference (`detectable_change` at the observed discordance), of a share
        the least that is shown to break (`detectable_shares`); p of the one-sided test against the
        margin, on the side where the value lies. The verdict is `cannot act` where texts changed
        but no probability of the model did.

    Raises
    ------
    InputError
        For another test type, or a margin that is no share.

    Examples
    --------
    >>> rows = pd.DataFrame({"test": ["typos"] * 100, "rate": 0.3, "changed": True, "flip": False})
    >>> table = verdicts(rows.assign(induced=False, repaired=False), "INV", margins=[0.05])
    >>> table[["quantity", "verdict"]].to_numpy().tolist()
    [['flips', 'stands'], ['errors added', 'stands']]
    """
    table = []
    for key, part in by_test(rows):
        kind = types if isinstance(types, str) else types.get(key[0])
        if kind is not None:
            weak, rated = (instrument or {}).get(key[0], (None, math.inf))
            weak = 1.0 if key[1] > rated else weak
            table += [(*key, kind, *row) for row in _judged(part, kind, margins, weak)]
    return pd.DataFrame(table, columns=COLUMNS)


def _judged(part: pd.DataFrame, kind: str, margins: Sequence[float], weak: float | None):
    """The rows of `verdicts` for one test, from its quantity on."""
    if kind not in ("INV", "DIR", "MFT"):
        raise InputError(f"a test is INV, DIR or MFT, not {kind!r}.")
    if kind != "MFT":
        part = part[part["changed"].astype(bool)]
    if part.empty:
        return
    still = kind != "MFT" and "moved" in part and not part["moved"].any()
    for quantity, judged in _quantities(part, kind).items():
        for margin in margins:
            said = verdict(judged.lower, judged.upper, margin, weak, two=judged.paired)
            said = "cannot act" if still else said
            bounds_of = judged.value, judged.lower, judged.upper, len(part)
            numbers = judged.detectable(margin), judged.p(margin)
            yield (quantity, margin, *bounds_of, weak, said, *numbers)


def _quantities(part: pd.DataFrame, kind: str) -> dict[str, "_Share | _Change"]:
    """What a test is judged by."""
    clusters = part.get("cluster")
    if kind == "INV":
        flips = {"flips": _Share(part["flip"], clusters)}
        if "induced" not in part:  # pairs without a right label
            return flips
        return flips | {"errors added": _Change(part["induced"], part["repaired"], clusters)}
    wrong = "is_wrong_way" if kind == "DIR" and "is_wrong_way" in part else "failure"
    return {"failures": _Share(part[wrong], clusters)}


class _Share:
    """A share of rows with its one-sided bounds."""

    paired = False

    def __init__(self, events: pd.Series, clusters: pd.Series | None):
        events = events.astype(bool)
        self.value = float(events.mean())
        plain = (float(events.sum()), float(len(events)))
        self.count, self.n = plain if clusters is None else effective(events, clusters)
        self.lower, self.upper = bounds(self.count, self.n)

    def detectable(self, margin: float) -> float | None:
        return detectable_shares(self.n, margin)[1]

    def p(self, margin: float) -> float:
        """Where the bound just reaches the margin."""
        if self.value < margin:
            return float(stats.beta.sf(margin, self.count + 1, self.n - self.count))
        return float(stats.beta.cdf(margin, self.count, self.n - self.count + 1))


class _Change:
    """Errors added, induced minus repaired, with their one-sided bounds."""

    paired = True

    def __init__(self, induced: pd.Series, repaired: pd.Series, clusters: pd.Series | None):
        self.worse, self.better = induced.to_numpy(bool), repaired.to_numpy(bool)
        self.clusters = clusters
        self.change = self.worse.astype(float) - self.better
        self.value = float(self.change.mean())
        self.lower, self.upper = change_bounds(self.worse, self.better, clusters)
        discordance = float((self.worse | self.better).mean())
        self.least = detectable_change(effective_rows(self.change, clusters), discordance)

    def detectable(self, margin: float) -> float | None:
        return self.least

    def p(self, margin: float) -> float:
        """The greater p of both sides within the margin, that of the nearer one beyond it."""
        if self.value < -margin:
            return self._above(-margin, -1)
        if self.value < margin:
            return max(self._above(margin, -1), self._above(-margin, 1))
        return self._above(margin, 1)

    def _above(self, delta: float, side: int) -> float:
        """p of a difference beyond delta on a side."""
        counts = int(self.worse.sum()), int(self.better.sum()), len(self.change)
        if self.clusters is not None:
            error, number = _error(self.change, self.clusters)
            if number < 2:
                return 1.0
            if error:
                return float(stats.t.sf(side * (self.value - delta) / error, number - 1))
            counts = _of_clusters(counts, number)
        return float(stats.norm.sf(side * _score(counts, delta)))
