"""Shares of rows with Wilson intervals, and the rates of behavioural tests."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
from scipy.stats import norm, t
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

from tahanuji.errors import InputError
from tahanuji.measure.checks import KEY, check_count, check_ids, yes_no
from tahanuji.measure.estimate import Estimate
from tahanuji.predict import UNPARSABLE

OUTCOMES = {
    "failure": "failure_rate",
    "flip": "flip_rate",
    "induced": "induced_rate",
    "repaired": "repaired_rate",
    "changed": "changed_share",
}
COLUMNS = [*KEY, "metric", "value", "ci_low", "ci_high", "n"]
NONE = (float("nan"),) * 2  # the ends of an interval that there is not
ROUNDING = 1e-9  # what sums in another order may differ by


def share(count: int, n: int) -> Estimate:
    """A share of rows and its 95% Wilson interval.

    Parameters
    ----------
    count, n : int
        Rows counted, and all rows; InputError for a count outside 0 to n.

    Returns
    -------
    Estimate
        NaN for n = 0.

    References
    ----------
    Wilson (1927), *Probable inference, the law of succession, and statistical inference*; it keeps
    near its 95% for shares near 0 and 1 and for small n (Brown et al., 2001, *Interval estimation
    for a binomial proportion*).

    Examples
    --------
    >>> f"{share(4, 30):%}", f"{share(0, 30):%}"
    ('13.3% (5.3 to 29.7)', '0.0% (0.0 to 11.4)')
    """
    check_count(count, n)
    return Estimate(count / n, *_wilson(count, n), n) if n else Estimate.none()


def _wilson(count: float, n: float) -> tuple[float, float]:
    """The 95% Wilson interval; 0 and 1 are exact where rounding is not."""
    low, high = proportion_confint(count, n, method="wilson")
    return float(low) if count else 0.0, float(high) if count < n else 1.0


def share_of(events: Sequence[bool], clusters: Sequence[Hashable] | None = None) -> Estimate:
    """A share of rows and its 95% Wilson interval, over clusters where rows belong together.

    Parameters
    ----------
    events : sequence of bool
        One per row.
    clusters : sequence, optional
        The cluster of each row: its triplet, template, premise or text.

    Returns
    -------
    Estimate
        NaN for no rows.

    References
    ----------
    Korn and Graubard (1998), see `effective`.

    Examples
    --------
    >>> f"{share_of([True] * 4 + [False] * 26):%}"
    '13.3% (5.3 to 29.7)'
    >>> f"{share_of([True] * 4 + [False] * 26, [*range(15)] * 2):%}"
    '13.3% (4.9 to 31.5)'
    """
    if clusters is None or not len(events):
        return share(int(np.sum(events)), len(events))
    return Estimate(float(np.mean(events)), *_wilson(*effective(events, clusters)), len(events))


def effective(events: Sequence[bool], clusters: Sequence[Hashable]) -> tuple[float, float]:
    """Events and rows as so many independent ones, where rows of a cluster go together (Korn and
    Graubard, 1998, *Confidence intervals for proportions with small expected number of positive
    counts estimated from survey data*).

    The share stays; n is divided by the design effect, at least 1, and by what few clusters leave
    unsure (a squared ratio of t to normal quantiles). Where the share is 0 or 1 the variance says
    nothing, and n is the number of clusters.

    >>> count, n = effective([True] * 2 + [False] * 4, ["a", "a", "b", "b", "c", "c"])
    >>> round(count, 2), round(n, 2)
    (0.14, 0.42)
    """
    events = np.asarray(events, float)
    n, share = float(len(events)), float(events.mean())
    error, number = standard_error(events, clusters)
    if share in (0.0, 1.0) or number < 2:
        return share * number, float(number)
    rows = min(n, share * (1 - share) / error**2) if error else n
    rows *= float(norm.ppf(0.975) / t.ppf(0.975, number - 1)) ** 2
    return share * rows, rows


def standard_error(values: np.ndarray, clusters: Sequence[Hashable]) -> tuple[float, int]:
    """The standard error of a mean over rows in clusters, 0 where it is one of rounding, and the
    number of clusters.

    >>> standard_error(np.array([1.0, 1, 0, 0]), ["a", "a", "b", "b"])
    (0.5, 2)
    """
    groups = pd.Series(values - values.mean()).groupby(np.asarray(clusters, object))
    number, squares = groups.ngroups, float((groups.sum() ** 2).sum())
    error = (number / max(1, number - 1) * squares) ** 0.5 / len(values)
    return (error if error > ROUNDING else 0.0), number


def at_chance(gold: Sequence[str], predicted: Sequence[str]) -> float:
    """Whether labels agree with the right ones no better than chance: 1.0 or 0.0; NaN without rows,
    and where there is but one right label.

    Chance is refuted where Cohen's kappa lies above 0 by a one-sided test at 5% (Fleiss, Cohen and
    Everitt, 1969, *Large sample standard errors of kappa and weighted kappa*). A model that always
    gives one label is at chance, however frequent that label is.

    >>> at_chance(["a", "b"] * 9, ["a"] * 18), at_chance(["a", "b"] * 9, ["a", "b"] * 9)
    (1.0, 0.0)
    """
    both = np.concatenate([np.asarray(gold, object), np.asarray(predicted, object)])
    codes, labels = pd.factorize(both, use_na_sentinel=False)
    right, given = codes.reshape(2, -1)
    if len(set(right)) < 2:
        return float("nan")
    if len(set(given)) < 2:
        return 1.0
    table = np.zeros((len(labels), len(labels)))
    np.add.at(table, (right, given), 1)
    return float(cohens_kappa(table).z_value <= norm.ppf(0.95))


def behaviour(rows: pd.DataFrame) -> pd.DataFrame:
    """Rates of behavioural test rows, per test and per value of every column `by_...`.

    Parameters
    ----------
    rows : DataFrame
        A row per example and test: `test`, the outcomes of `OUTCOMES`, `gold` and `clean_label`;
        where there are any, `rate`, `group`, `id`, `moved` and `cluster`, which names the rows that
        belong together. Columns `by_...` name a subset that a row belongs to; yes/no columns
        `is_...` become `..._share`.

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
    """The rows of each test, rate and group, in the order of the table.

    >>> [key for key, _ in by_test(pd.DataFrame({"test": ["typos"] * 2, "rate": [0.1, 0.3]}))]
    [('typos', 0.1, 'all'), ('typos', 0.3, 'all')]
    """
    yield from rows.groupby([keys(rows)[name] for name in KEY], sort=False, dropna=False)


def keys(rows: pd.DataFrame) -> pd.DataFrame:
    """Test, rate and group of every row: "clean", NaN and "all" where the rows do not say.

    >>> keys(pd.DataFrame({"test": ["typos"], "rate": [0.1]})).to_dict("records")
    [{'test': 'typos', 'rate': 0.1, 'group': 'all'}]
    """
    named = {"test": "clean", "rate": float("nan"), "group": "all"}
    return pd.DataFrame({name: rows.get(name, none) for name, none in named.items()}, rows.index)


def title(test: str, rate: float = float("nan"), group: str = "all") -> str:
    """A test's name for readers, with its rate and group where it has them.

    >>> title("gak"), title("typos", 0.3), title("typos", 0.3, "hit")
    ('gak', 'typos 0.3', 'typos 0.3, hit')
    """
    rated = f"{test} {rate:g}" if rate == rate else test
    return rated if group == "all" else f"{rated}, {group}"


def rates(key: tuple, part: pd.DataFrame) -> list[tuple]:
    """The rates of one test's rows as rows of `COLUMNS`; of all its rows also `at_chance`.

    >>> part = pd.DataFrame([{"gold": "a", "clean_label": "a"} | dict.fromkeys(OUTCOMES, True)])
    >>> [row[3:5] for row in rates(("typos", 0.3, "hit"), part)][-2:]
    [('changed_share', 1.0), ('clean_error_rate', 0.0)]
    """
    clusters, n = part.get("cluster"), len(part)
    named = {name: f"{name[3:]}_share" for name in part if name.startswith("is_")}
    named |= {"moved": "moved_share"} if "moved" in part else {}
    events = {
        metric: yes_no(part[column], f"values of {column}")
        for column, metric in (OUTCOMES | named).items()
    }
    events["clean_error_rate"] = (part["clean_label"] != part["gold"]).to_numpy()
    table = [(*key, metric, *share_of(rows, clusters), n) for metric, rows in events.items()]
    if tuple(key)[2:] == ("all",):
        table.append((*key, "at_chance", at_chance(part["gold"], part["clean_label"]), *NONE, n))
    return table
