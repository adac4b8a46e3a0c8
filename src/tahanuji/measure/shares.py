"""Shares of rows with Wilson intervals, and the rates of behavioural tests."""

from collections.abc import Iterator

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from tahanuji.errors import InputError
from tahanuji.measure.checks import check_count, check_ids, yes_no

OUTCOMES = {
    "failure": "failure_rate",
    "flip": "flip_rate",
    "induced": "induced_rate",
    "repaired": "repaired_rate",
    "changed": "changed_share",
}
KEY = ["test", "rate", "group"]
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
        One row per example and test, as `tahanuji.behaviour.rows` gives them: `test`, the verdicts
        of `OUTCOMES`, `gold` and `clean_label`; where there are any, `rate`, `group` and `id`.
        Columns `by_...` name a subset that a row belongs to; yes/no columns `is_...` become
        `..._share`.

    Returns
    -------
    DataFrame
        `COLUMNS`: rates between 0 and 1, each with a 95% Wilson interval; `group` is "all" or the
        value of a column `by_...`.

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
        Its rows: the outcomes of `OUTCOMES`, yes/no columns `is_...`, `gold` and `clean_label`.

    Returns
    -------
    list of tuple
        Rows of `COLUMNS`: each rate, 0 to 1, with its 95% Wilson interval and n.

    Raises
    ------
    InputError
        For an outcome that is missing or neither yes nor no.

    Examples
    --------
    >>> part = pd.DataFrame([{"gold": "a", "clean_label": "a"} | dict.fromkeys(OUTCOMES, True)])
    >>> [row[3:5] for row in rates(("typos", 0.3, "all"), part)][-2:]
    [('changed_share', 1.0), ('clean_error_rate', 0.0)]
    """
    n = len(part)
    clean = ("clean_error_rate", int((part["clean_label"] != part["gold"]).sum()))
    named = OUTCOMES | {
        column: f"{column[3:]}_share" for column in part if column.startswith("is_")
    }
    counted = [
        (metric, int(yes_no(part[column], f"values of {column}").sum()))
        for column, metric in named.items()
    ]
    return [(*key, metric, *share(count, n), n) for metric, count in [*counted, clean]]
