"""Shares of rows with Wilson intervals, and the rates of behavioural tests."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm, t
from statsmodels.stats.proportion import proportion_confint

from tahanuji.errors import InputError
from tahanuji.measure.checks import KEY, check_count, check_ids, yes_no
from tahanuji.predict import UNPARSABLE

OUTCOMES = {
    "failure": "failure_rate",
    "flip": "flip_rate",
    "induced": "induced_rate",
    "repaired": "repaired_rate",
    "changed": "changed_share",
}
COLUMNS = [*KEY, "metric", "value", "ci_low", "ci_high", "n"]


def share(count: int, n: int) -> tuple[float, float, float]:
    """A share and its 95% Wilson interval.

    Parameters
    ----------
    count, n : int
        Rows counted, and all rows.

    Returns
    -------
    tuple of float
        `(value, low, high)`, shares from 0 to 1; NaN for n = 0.

    Raises
    ------
    InputError
        For a count outside 0 to n.

    References
    ----------
    Wilson (1927), *Probable inference, the law of succession, and statistical inference*; it keeps
    near its 95% for shares near 0 and 1 and for small n, where the normal interval does not (Brown
    et al., 2001, *Interval estimation for a binomial proportion*).

    Examples
    --------
    >>> [round(number, 3) for number in share(4, 30)]
    [0.133, 0.053, 0.297]
    >>> [round(number, 3) for number in share(0, 30)]
    [0.0, 0.0, 0.114]
    """
    check_count(count, n)
    if n == 0:
        return (float("nan"),) * 3
    low, high = proportion_confint(count, n, method="wilson")
    # 0 and 1 are exact where rounding is not.
    return count / n, float(low) if count else 0.0, float(high) if count < n else 1.0


def effective(events: Sequence[bool], clusters: Sequence[Hashable]) -> tuple[float, float]:
    """Events and rows as so many independent ones, where rows of a cluster go together.

    The share stays; n is divided by the design effect, at least 1, and by what few clusters leave
    unsure (a squared ratio of t to normal quantiles). Where the share is 0 or 1 the variance says
    nothing, and n is the number of clusters.

    Parameters
    ----------
    events : sequence of bool
        One per row.
    clusters : sequence
        The cluster of each row: its triplet, template, premise or text.

    Returns
    -------
    tuple of float
        Effective events and rows, for `bounds` and Wilson intervals.

    References
    ----------
    Korn and Graubard (1998), *Confidence intervals for proportions with small expected number of
    positive counts estimated from survey data*.

    Examples
    --------
    >>> count, n = effective([True] * 2 + [False] * 4, ["a", "a", "b", "b", "c", "c"])
    >>> round(count, 2), round(n, 2)
    (0.14, 0.42)
    """
    events = np.asarray(events, float)
    n, share = len(events), float(events.mean())
    groups = pd.DataFrame({"event": events - share, "cluster": list(clusters)}).groupby("cluster")
    sums, number = groups["event"].sum(), groups.ngroups
    if share in (0.0, 1.0) or number < 2:
        return share * number, float(number)
    variance = number / (number - 1) * float((sums**2).sum()) / n**2
    rows = min(float(n), share * (1 - share) / variance) if variance else float(n)
    rows *= float(norm.ppf(0.975) / t.ppf(0.975, number - 1)) ** 2
    return share * rows, rows


def share_of(
    events: Sequence[bool], clusters: Sequence[Hashable] | None = None
) -> tuple[float, float, float]:
    """A share of rows and its 95% Wilson interval, over clusters where rows belong together.

    Parameters
    ----------
    events : sequence of bool
        One per row.
    clusters : sequence, optional
        The cluster of each row; without it every row stands for itself.

    Returns
    -------
    tuple of float
        `(value, low, high)`, shares from 0 to 1; NaN for no rows.

    References
    ----------
    Korn and Graubard (1998), see `effective`.

    Examples
    --------
    >>> [round(number, 3) for number in share_of([True] * 4 + [False] * 26)]
    [0.133, 0.053, 0.297]
    >>> [round(number, 3) for number in share_of([True] * 4 + [False] * 26, [*range(15)] * 2)]
    [0.133, 0.049, 0.315]
    """
    if clusters is None or not len(events):
        return share(int(np.sum(events)), len(events))
    count, n = effective(events, clusters)
    low, high = proportion_confint(count, n, method="wilson")
    return float(np.mean(events)), float(low) if count else 0.0, float(high) if count < n else 1.0


def at_chance(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Whether labels agree with the right ones no better than chance: 1.0 or 0.0.

    Chance is refuted where Cohen's kappa lies above 0 by a one-sided test at 5%. A model that
    always gives one label is at chance, however frequent that label is.

    Parameters
    ----------
    gold, predicted : sequence of str, length n
        The right labels, and those given.

    Returns
    -------
    float
        NaN without rows, and where there is but one right label: nothing tells there.

    References
    ----------
    Fleiss, Cohen and Everitt (1969), *Large sample standard errors of kappa and weighted kappa*.

    Examples
    --------
    >>> at_chance(["a", "b"] * 9, ["a"] * 18), at_chance(["a", "b"] * 9, ["a", "b"] * 9)
    (1.0, 0.0)
    """
    both = np.concatenate([np.asarray(gold, object), np.asarray(predicted, object)])
    codes, labels = pd.factorize(both, use_na_sentinel=False)
    right, given = codes.reshape(2, -1)
    if len(set(right)) < 2:
        return float("nan")
    table = np.zeros((len(labels), len(labels)))
    np.add.at(table, (right, given), 1)
    table /= len(right)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    same, chance = np.trace(table), float(rows @ columns)
    variance = chance + chance**2 - float((rows * columns) @ (rows + columns))
    return float((same - chance) * len(gold) ** 0.5 <= norm.ppf(0.95) * max(variance, 0) ** 0.5)


def percent(count: int, n: int) -> str:
    """A share in words, with its count, n and 95% Wilson interval.

    Parameters
    ----------
    count, n : int
        Rows counted, and all rows.

    Returns
    -------
    str
        In percent; "no examples" for n = 0.

    Raises
    ------
    InputError
        For a count outside 0 to n.

    Examples
    --------
    >>> percent(4, 30)
    '13.3% (4 of 30, 95% 5.3 to 29.7)'
    >>> percent(0, 0)
    'no examples'
    """
    if n == 0:
        return "no examples"
    value, low, high = share(count, n)
    return f"{value:.1%} ({count} of {n}, 95% {low * 100:.1f} to {high * 100:.1f})"


def behaviour(rows: pd.DataFrame) -> pd.DataFrame:
    """Rates of behavioural test rows, per test and per value of every column `by_...`.

    Parameters
    ----------
    rows : DataFrame
        One row per example and test, as `tahanuji.behaviour.rows` gives them: `test`, the outcomes
        of `OUTCOMES`, `gold` and `clean_label`; where there are any, `rate`, `group`, `id`,
        `moved` and `cluster`, which names the rows that belong together. Columns `by_...` name a
        subset that a row belongs to; yes/no columns `is_...` become `..._share`, and where
        `perturbed_label` is `UNPARSABLE` in any row there is `unparsable_share`.

    Returns
    -------
    DataFrame
        `COLUMNS`: rates between 0 and 1, each with a 95% Wilson interval, over clusters where there
        are any; `group` is "all" or the value of a column `by_...`. Of all rows also `at_chance`.

    Raises
    ------
    InputError
        Where an id stands twice in a test, an outcome is missing, or a subset is named "all".

    Examples
    --------
    >>> row = {"test": "typos", "gold": "a", "clean_label": "a"} | dict.fromkeys(OUTCOMES, True)
    >>> behaviour(pd.DataFrame([row])).head(1)[["test", "metric", "value"]].to_dict("records")
    [{'test': 'typos', 'metric': 'failure_rate', 'value': 1.0}]
    """
    check_ids(rows)
    if UNPARSABLE in set(rows.get("perturbed_label", ())):
        rows = rows.assign(is_unparsable=rows["perturbed_label"] == UNPARSABLE)
    table = []
    for key, part in by_test(rows):
        table += rates(key, part)
        for column in [column for column in rows if column.startswith("by_")]:
            for value, subset in part.groupby(column):
                if value == key[2]:
                    raise InputError(f"{column} names a subset {value!r}, the name of all rows.")
                table += rates((*key[:2], str(value)), subset)
    return pd.DataFrame(table, columns=COLUMNS)


def by_test(rows: pd.DataFrame) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """The rows of each test, rate and group.

    Parameters
    ----------
    rows : DataFrame
        `test`, `rate` and `group`, where they are there; else as in `keys`.

    Yields
    ------
    tuple
        `((test, rate, group), rows)`, in the order of the table.

    Examples
    --------
    >>> [key for key, _ in by_test(pd.DataFrame({"test": ["typos"] * 2, "rate": [0.1, 0.3]}))]
    [('typos', 0.1, 'all'), ('typos', 0.3, 'all')]
    """
    yield from rows.groupby([keys(rows)[name] for name in KEY], sort=False, dropna=False)


def keys(rows: pd.DataFrame) -> pd.DataFrame:
    """Test, rate and group of every row.

    Parameters
    ----------
    rows : DataFrame
        `test`, `rate` and `group`, where they are there.

    Returns
    -------
    DataFrame
        The columns `KEY` with the index of the rows: "clean", NaN and "all" where the rows do not
        say.

    Examples
    --------
    >>> keys(pd.DataFrame({"test": ["typos"], "rate": [0.1]})).to_dict("records")
    [{'test': 'typos', 'rate': 0.1, 'group': 'all'}]
    """
    named = {"test": "clean", "rate": float("nan"), "group": "all"}
    return pd.DataFrame({name: rows.get(name, none) for name, none in named.items()}, rows.index)


def title(test: str, rate: float = float("nan"), group: str = "all") -> str:
    """A test's name for readers, with its rate and group where it has them.

    Parameters
    ----------
    test : str
        Its name.
    rate : float
        From 0 to 1; NaN where it has none.
    group : str
        The subset of the rows; "all" for all of them.

    Returns
    -------
    str

    Examples
    --------
    >>> title("gak"), title("typos", 0.3), title("typos", 0.3, "hit")
    ('gak', 'typos 0.3', 'typos 0.3, hit')
    """
    rated = f"{test} {rate:g}" if rate == rate else test
    return rated if group == "all" else f"{rated}, {group}"


def rates(key: tuple, part: pd.DataFrame) -> list[tuple]:
    """The outcomes' rates of one test's rows, and the clean error rate.

    Parameters
    ----------
    key : tuple
        Test, rate and group.
    part : DataFrame
        Its rows, as in `behaviour`.

    Returns
    -------
    list of tuple
        Rows of `COLUMNS`: each rate, 0 to 1, with its 95% interval and n; `at_chance`, 0 or 1.

    Raises
    ------
    InputError
        For an outcome that is missing or neither yes nor no.

    Examples
    --------
    >>> part = pd.DataFrame([{"gold": "a", "clean_label": "a"} | dict.fromkeys(OUTCOMES, True)])
    >>> [row[3:5] for row in rates(("typos", 0.3, "hit"), part)][-2:]
    [('changed_share', 1.0), ('clean_error_rate', 0.0)]
    """
    clusters = part.get("cluster")
    named = OUTCOMES | {
        column: f"{column[3:]}_share" for column in part if column.startswith("is_")
    }
    named |= {"moved": "moved_share"} if "moved" in part else {}
    events = {
        metric: yes_no(part[column], f"values of {column}") for column, metric in named.items()
    }
    events["clean_error_rate"] = (part["clean_label"] != part["gold"]).to_numpy()
    n = len(part)
    table = [(*key, metric, *share_of(rows, clusters), n) for metric, rows in events.items()]
    if tuple(key)[2:] == ("all",):
        none = (float("nan"),) * 2
        table.append((*key, "at_chance", at_chance(part["gold"], part["clean_label"]), *none, n))
    return table
