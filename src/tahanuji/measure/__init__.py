"""Metrics, rates, intervals and tests; every interval is a 95% one.

| file | functions |
| --- | --- |
| `shares` | a count of n and its Wilson interval: `share`, `percent`; rates of behavioural tests: `behaviour`, `rates`, `by_test`, `VERDICTS`, `COLUMNS` |
| `scoring` | accuracy, precision, recall, F1: `scores`, `bootstrapped`, `confusion`, `from_confusion`, `from_margins`, `METRICS` |
| `scoring`, as tables | `classification`, `evaluation` |
| `bootstrap` | rows drawn again, seeded: `resample`, `replicate`, `interval`, `RESAMPLES` |
| `calibration` | confidence against accuracy: `reliability`, `ece` |
| `comparisons` | the same rows twice or more: `compare` (McNemar), `cochran`, `paired_difference`; other rows: `unpaired` (Fisher); many tests: `holm` |
| `agreement` | two raters of the same rows: `kappa`, `kappa_of`, `ac1`, `ac1_of` |
| `seeds` | one score over several trainings: `over_seeds`, `Spread` |
| `checks` | what is refused with an InputError: `checked`, `check_rows`, `check_ids`, `check_chances` |

Intervals of shares, scores, differences and kappa say how much the choice of test rows matters,
`over_seeds` how much the training seed does.
"""

from tahanuji.measure.agreement import ac1, ac1_of, kappa, kappa_of
from tahanuji.measure.bootstrap import RESAMPLES, interval, replicate, resample
from tahanuji.measure.calibration import ece, reliability
from tahanuji.measure.checks import check_chances, check_ids, check_rows, checked
from tahanuji.measure.comparisons import cochran, compare, holm, paired_difference, unpaired
from tahanuji.measure.scoring import (
    METRICS,
    bootstrapped,
    classification,
    confusion,
    evaluation,
    from_confusion,
    from_margins,
    scores,
)
from tahanuji.measure.seeds import Spread, over_seeds
from tahanuji.measure.shares import (
    COLUMNS,
    KEY,
    VERDICTS,
    behaviour,
    by_test,
    keys,
    percent,
    rates,
    share,
    title,
)

__all__ = [
    "COLUMNS",
    "KEY",
    "METRICS",
    "RESAMPLES",
    "VERDICTS",
    "Spread",
    "ac1",
    "ac1_of",
    "behaviour",
    "bootstrapped",
    "by_test",
    "check_chances",
    "check_ids",
    "check_rows",
    "checked",
    "classification",
    "cochran",
    "compare",
    "confusion",
    "ece",
    "evaluation",
    "from_confusion",
    "from_margins",
    "holm",
    "interval",
    "kappa",
    "kappa_of",
    "keys",
    "over_seeds",
    "paired_difference",
    "percent",
    "rates",
    "reliability",
    "replicate",
    "resample",
    "scores",
    "share",
    "title",
    "unpaired",
]
