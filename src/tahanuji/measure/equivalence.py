"""Does a model stand a test? Verdicts with a margin.

A difference that is not significant is no evidence of robustness. A test *stands* here only where a
one-sided 95% bound lies below the margin, it *breaks* where the bound on the other side lies above
it, and all else is *undecided* (equivalence testing; Schuirmann, 1987; Lakens, 2017). A model that
makes fewer errors under a change, by more than the margin, *improves*.
"""

import math
from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy import optimize, stats

from tahanuji.errors import InputError
from tahanuji.measure.checks import KEY
from tahanuji.measure.power import (
    CONFIDENCE,
    bounds,
    deciding_change,
    deciding_share,
    detectable_change,
    detectable_shares,
    effective_rows,
)
from tahanuji.measure.shares import by_test, effective, standard_error

MARGINS = (0.05, 0.1)
DECIDED = ("stands", "breaks", "improves")
FEWEST = 20  # texts; fewer cannot stand for those that a change would meet
WEAK = "undecided: instrument"
UNSEEN = "cannot act"
JUDGED = ["quantity", "margin", "value", "lower", "upper", "n"]
JUDGED += ["instrument", "verdict", "detectable", "p"]
COLUMNS = [*KEY, "type", *JUDGED]


def change_bounds(
    induced: Sequence[bool],
    repaired: Sequence[bool],
    clusters: Sequence[Hashable] | None = None,
    confidence: float = CONFIDENCE,
) -> tuple[float, float]:
    """One-sided bounds, each of the confidence given, of the errors added: the share induced minus
    the share repaired (Tango, 1998, *Equivalence test and confidence interval for the difference in
    proportions for the paired-sample design*).

    With clusters the bounds hold a t distribution over clusters, or, where all clusters change
    alike, those of as many rows as there are clusters.

    >>> [round(bound, 3) for bound in change_bounds([True] * 12 + [False] * 88, [False] * 100)]
    [0.076, 0.184]
    """
    worse, better = np.asarray(induced, bool), np.asarray(repaired, bool)
    if not len(worse) or len(worse) != len(better):
        raise InputError(f"{len(worse)} rows induced and {len(better)} repaired do not pair up.")
    counts = int(worse.sum()), int(better.sum()), len(worse)
    if clusters is not None:
        change = worse.astype(float) - better
        error, number = standard_error(change, clusters)
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
        return WEAK
    if two and upper < -margin:
        return "improves"
    if upper < margin and (not two or lower > -margin):
        return "stands"
    return "breaks" if lower > margin else "undecided"


def verdicts(
    rows: pd.DataFrame,
    types: str | dict[str, str],
    margins: Sequence[float] = MARGINS,
    instrument: dict[str, tuple[float, float]] | None = None,
    confidence: float = CONFIDENCE,
) -> pd.DataFrame:
    """A verdict per test, rate, group, quantity and margin.

    Parameters
    ----------
    rows : pandas.DataFrame
        A row per example and test: test, changed, flip, induced, repaired, failure; where they are
        there, rate and group, `is_wrong_way` (DIR), `moved` (whether any probability did) and
        `cluster`, which names the rows that belong together.
    types : str or dict
        INV, DIR or MFT, of all tests or by test; tests that the dict leaves out are not judged.
    margins : sequence of float
        Shares between 0 and 1, set before the run.
    instrument : dict, optional
        Per test the upper bound of the share of changed texts whose right label changed, and the
        highest rate at which it was measured; beyond that rate the share may be anything.
    confidence : float
        Of each one-sided bound.

    Returns
    -------
    pandas.DataFrame
        `equivalence.COLUMNS`: value, lower and upper (one-sided bounds); detectable, what these
        rows find with 80% power: of errors added the least difference, of a share the least that is
        shown to break; p of the one-sided test against the margin, on the side where the value
        lies. The verdict is `cannot act` where texts changed but no probability did.

    Notes
    -----
    INV tests are judged by two quantities: `flips`, the labels that move, and, where there are
    right labels, `errors added`, induced minus repaired errors. DIR and MFT tests are judged by
    `failures`; of a DIR test these are the rows that go the wrong way, where the rows say which do.
    Of INV and DIR tests only texts that really changed count.

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
            judged = _judged(part, kind, margins, weak, confidence)
            table += [(*key, kind, *row) for row in judged]
    return pd.DataFrame(table, columns=COLUMNS)


def enough(judged: pd.DataFrame, fewest: int = FEWEST) -> pd.DataFrame:
    """Verdicts, those undecided that rest on fewer than so many texts, whatever their bounds."""
    few = judged["verdict"].isin(DECIDED) & (judged["n"] < fewest)
    return judged.assign(verdict=judged["verdict"].mask(few, "undecided"))


def decisive(judged: pd.DataFrame) -> pd.Series:
    """Which rows the verdict of their test rests on: errors added where there are right labels,
    else the only quantity. A test has one verdict; its other figure stands beside it without one.

    >>> two = pd.DataFrame({"test": list("aab"), "quantity": ["flips", "errors added", "flips"]})
    >>> decisive(two.assign(rate=0.3, group="all")).to_list()
    [False, True, True]
    """
    added = judged["quantity"] == "errors added"
    keys = [judged[name] for name in KEY]
    return added | ~added.groupby(keys, dropna=False).transform("any")


def texts_to_decide(
    rows: pd.DataFrame, kind: str, quantity: str, margin: float, confidence: float = CONFIDENCE
) -> int | None:
    """The texts that a test would need to stand or to break with 80% power, were the share that it
    has the true one.

    Parameters
    ----------
    rows : pandas.DataFrame
        Those of one test, as `verdicts` takes them.
    kind, quantity : str
        INV, DIR or MFT, and the quantity of the verdict.
    margin, confidence : float
        Of the verdict.

    Returns
    -------
    int or None
        None where 20,000 would not decide it: the share lies too near to the margin.

    Examples
    --------
    >>> rows = pd.DataFrame({"changed": True, "flip": [True] * 4 + [False] * 96})
    >>> texts_to_decide(rows, "INV", "flips", 0.1), texts_to_decide(rows, "INV", "flips", 0.04)
    (116, None)
    """
    if kind != "MFT":
        rows = rows[rows["changed"].astype(bool)]
    return _quantities(rows, kind, confidence)[quantity].needed(margin) if len(rows) else None


def _judged(
    part: pd.DataFrame,
    kind: str,
    margins: Sequence[float],
    weak: float | None,
    confidence: float,
) -> Iterator[tuple]:
    """The columns `JUDGED` of one test."""
    if kind not in ("INV", "DIR", "MFT"):
        raise InputError(f"a test is INV, DIR or MFT, not {kind!r}.")
    if kind != "MFT":
        part = part[part["changed"].astype(bool)]
    if part.empty:
        return
    unseen = kind != "MFT" and "moved" in part and not part["moved"].any()
    for quantity, judged in _quantities(part, kind, confidence).items():
        for margin in margins:
            said = verdict(judged.lower, judged.upper, margin, weak, two=judged.paired)
            numbers = judged.value, judged.lower, judged.upper, len(part), weak
            rest = UNSEEN if unseen else said, judged.detectable(margin), judged.p(margin)
            yield (quantity, margin, *numbers, *rest)


def _quantities(part: pd.DataFrame, kind: str, confidence: float) -> dict[str, "_Share | _Change"]:
    """What a test is judged by."""
    clusters = part.get("cluster")
    if kind == "INV":
        flips = {"flips": _Share(part["flip"], clusters, confidence)}
        if "induced" not in part or part["induced"].isna().all():  # pairs without a right label
            return flips
        change = _Change(part["induced"], part["repaired"], clusters, confidence)
        return flips | {"errors added": change}
    wrong = "is_wrong_way" if kind == "DIR" and "is_wrong_way" in part else "failure"
    return {"failures": _Share(part[wrong], clusters, confidence)}


class _Share:
    """A share of rows with its one-sided bounds."""

    paired = False

    def __init__(self, events: pd.Series, clusters: pd.Series | None, confidence: float):
        events = events.astype(bool)
        self.value, self.rows, self.confidence = float(events.mean()), len(events), confidence
        plain = (float(events.sum()), float(len(events)))
        self.count, self.n = plain if clusters is None else effective(events, clusters)
        self.lower, self.upper = bounds(self.count, self.n, confidence)

    def needed(self, margin: float) -> int | None:
        least = deciding_share(self.value, margin, self.confidence)
        return least and math.ceil(least * self.rows / self.n)

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

    def __init__(
        self,
        induced: pd.Series,
        repaired: pd.Series,
        clusters: pd.Series | None,
        confidence: float,
    ):
        self.worse, self.better = induced.to_numpy(bool), repaired.to_numpy(bool)
        self.clusters = clusters
        self.change = self.worse.astype(float) - self.better
        self.value = float(self.change.mean())
        self.lower, self.upper = change_bounds(self.worse, self.better, clusters, confidence)
        self.discordance = float((self.worse | self.better).mean())
        self.rows, self.confidence = effective_rows(self.change, clusters), confidence
        self.least = detectable_change(self.rows, self.discordance)

    def needed(self, margin: float) -> int | None:
        least = deciding_change(self.value, self.discordance, margin, self.confidence)
        return least and math.ceil(least * len(self.change) / self.rows)

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
            error, number = standard_error(self.change, self.clusters)
            if number < 2:
                return 1.0
            if error:
                return float(stats.t.sf(side * (self.value - delta) / error, number - 1))
            counts = _of_clusters(counts, number)
        return float(stats.norm.sf(side * _score(counts, delta)))
