"""Metrics, rates, intervals and tests; every interval is a 95% one.

| file | what it measures |
| --- | --- |
| `shares` | a count of n and its Wilson interval; the rates of behavioural tests |
| `scoring` | accuracy, precision, recall, F1, of lists and as tables |
| `bootstrap` | rows drawn again, seeded |
| `calibration` | confidence against accuracy |
| `comparisons` | the same rows twice or more (McNemar, Cochran), changes from clean; many tests |
| `agreement` | two raters of the same rows: kappa, AC1 |
| `seeds` | one score over several trainings |
| `equivalence` | whether a model stands a test, with a margin |
| `robustness` | (a module of its own) kappa over a grid of models, tasks and perturbations |
| `checks` | what is refused with an InputError |

Intervals of shares, scores, differences and kappa say how much the choice of test rows matters,
`over_seeds` how much the training seed does.
"""

from tahanuji.measure.agreement import ac1, ac1_of, kappa, kappa_of
from tahanuji.measure.bootstrap import RESAMPLES, interval, kinds, replicate
from tahanuji.measure.calibration import ece, reliability
from tahanuji.measure.checks import KEY, check_ids, check_probabilities, check_rows, checked
from tahanuji.measure.comparisons import (
    benjamini_hochberg,
    change_difference,
    cochran,
    compare,
    holm,
    paired_difference,
    unpaired,
)
from tahanuji.measure.equivalence import (
    DECIDED,
    MARGINS,
    bounds,
    change_bounds,
    detectable_change,
    detectable_difference,
    detectable_shares,
    detectable_unpaired,
    effective_rows,
    texts_needed,
    verdict,
    verdicts,
)
from tahanuji.measure.scoring import (
    METRICS,
    bootstrapped,
    classification,
    confusion,
    drawn_tables,
    evaluation,
    from_confusion,
    from_margins,
    scores,
)
from tahanuji.measure.seeds import Spread, over_seeds, over_seeds_and_rows
from tahanuji.measure.shares import (
    COLUMNS,
    OUTCOMES,
    at_chance,
    behaviour,
    by_test,
    effective,
    keys,
    percent,
    rates,
    share,
    share_of,
    title,
)

__all__ = [
    "COLUMNS",
    "KEY",
    "DECIDED",
    "MARGINS",
    "METRICS",
    "OUTCOMES",
    "RESAMPLES",
    "Spread",
    "ac1",
    "ac1_of",
    "at_chance",
    "behaviour",
    "benjamini_hochberg",
    "bootstrapped",
    "bounds",
    "by_test",
    "change_bounds",
    "change_difference",
    "check_ids",
    "check_probabilities",
    "check_rows",
    "checked",
    "classification",
    "cochran",
    "compare",
    "confusion",
    "detectable_change",
    "detectable_difference",
    "detectable_shares",
    "detectable_unpaired",
    "effective_rows",
    "drawn_tables",
    "ece",
    "effective",
    "evaluation",
    "from_confusion",
    "from_margins",
    "holm",
    "interval",
    "kappa",
    "kappa_of",
    "keys",
    "kinds",
    "over_seeds",
    "over_seeds_and_rows",
    "paired_difference",
    "percent",
    "rates",
    "reliability",
    "replicate",
    "scores",
    "share",
    "share_of",
    "texts_needed",
    "title",
    "unpaired",
    "verdict",
    "verdicts",
]
