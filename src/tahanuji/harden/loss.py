"""What a defence costs on unchanged texts, with verdicts."""

import pandas as pd
from scipy import stats

from tahanuji import measure
from tahanuji.harden.trials import CLEAN, PLAIN

MARGINS = (0.01, 0.02, 0.05)  # of accuracy


def lost(metrics: pd.DataFrame, test: str = "unchanged") -> pd.DataFrame:
    """The accuracy that each defence costs on unchanged texts, of `trials.compared`: a row per
    defence and margin with the loss, its one-sided 95% bounds and whether it *stands* (is shown to
    be smaller than the margin), *breaks* (larger) or is *undecided*. A gain stands.

    >>> list(lost(pd.DataFrame(columns=measure.COLUMNS)))
    ['group', 'margin', 'loss', 'lower', 'upper', 'n', 'verdict']
    """
    own = metrics[(metrics["test"] == test) & (metrics["metric"] == f"{CLEAN}_change")]
    said = []
    for row in own[own["group"] != PLAIN].itertuples():
        one, two = stats.t.ppf((0.95, 0.975), row.n - 1)  # the interval has both sides
        reach = (row.ci_high - row.value) * one / two
        ends = row.value - reach, row.value + reach
        for margin in MARGINS:
            verdict = measure.verdict(*ends, margin)
            said.append((row.group, margin, row.value, *ends, row.n, verdict))
    return pd.DataFrame(said, columns=["group", "margin", "loss", "lower", "upper", "n", "verdict"])


def least(metrics: pd.DataFrame, test: str = "unchanged") -> dict[str, float]:
    """The smallest margin that each defence's loss is shown to stay under; NaN where it is none."""
    table = lost(metrics, test)
    under = table["margin"].where(table["verdict"] == "stands")
    return under.groupby(table["group"], sort=False).min().to_dict()
