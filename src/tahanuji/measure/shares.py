"""Shares of rows with Wilson intervals, and the rates of behavioural tests."""

import pandas as pd
from statsmodels.stats.proportion import proportion_confint

from tahanuji.measure.checks import check_count, check_ids, yes_no

VERDICTS = {
    "failure": "failure_rate",
    "flip": "flip_rate",
    "induced": "induced_rate",
    "repaired": "repaired_rate",
    "changed": "changed_share",
}


def share(count: int, n: int) -> tuple[float, float, float]:
    """A share and its 95% Wilson interval: `(count / n, low, high)`; NaN for n = 0, InputError for
    a count outside 0 to n.

    Wilson (1927); it keeps near its 95% for shares near 0 and 1 and for small n, where the normal
    interval does not (Brown et al., 2001).

    >>> [round(number, 3) for number in share(4, 30)]
    [0.133, 0.053, 0.297]
    >>> [round(number, 3) for number in share(0, 30)]
    [0.0, 0.0, 0.114]
    """
    check_count(count, n)
    if n == 0:
        return (float("nan"),) * 3
    low, high = proportion_confint(count, n, method="wilson")
    return (
        count / n,
        float(low) if count else 0.0,
        float(high) if count < n else 1.0,
    )  # exact where rounding is not


def percent(count: int, n: int) -> str:
    """A share in words.

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
    """Rates of behavioural test rows, per test and per value of every column `by_...`: `slice,
    metric, value, ci_low, ci_high, n`.

    `slice` is the test's name, or `test|column=value`; each rate has a Wilson interval. Yes/no
    columns `is_...` become `..._share`. InputError where an id stands twice in a test, and for a
    verdict that is missing.
    """
    check_ids(rows)
    found = []
    for test, part in rows.groupby("test", sort=False):
        found += rates(test, part)
        for column in [column for column in rows if column.startswith("by_")]:
            for value, some in part.groupby(column):
                found += rates(f"{test}|{column[3:]}={value}", some)
    return pd.DataFrame(found, columns=["slice", "metric", "value", "ci_low", "ci_high", "n"])


def rates(name: str, part: pd.DataFrame) -> list[tuple]:
    """The verdicts' rates of one slice, and the clean error rate, as `(slice, metric, value,
    ci_low, ci_high, n)`.
    """
    n = len(part)
    clean = ("clean_error_rate", int((part["clean_label"] != part["gold"]).sum()))
    named = VERDICTS | {
        column: f"{column[3:]}_share" for column in part if column.startswith("is_")
    }
    counted = [
        (metric, int(yes_no(part[column], f"values of {column}").sum()))
        for column, metric in named.items()
    ]
    return [(name, metric, *share(count, n), n) for metric, count in [*counted, clean]]
