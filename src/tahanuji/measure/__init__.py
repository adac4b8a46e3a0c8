"""Metrics, rates, intervals and tests; every interval is a 95% one.

| file | what it measures |
| --- | --- |
| `estimate` | a value with its interval, which formats itself |
| `shares` | a count of n and its Wilson interval; the rates of behavioural tests |
| `scoring` | accuracy, precision, recall, F1, of lists and as tables |
| `bootstrap` | rows drawn again, seeded |
| `calibration` | confidence against accuracy; the temperature that calibrates |
| `comparisons` | the same rows twice or more (McNemar, Cochran), changes from clean; many tests |
| `agreement` | two raters of the same rows: kappa, AC1 |
| `seeds` | one score over several trainings |
| `equivalence` | whether a model stands a test, with a margin |
| `power` | exact bounds of a share, and what a test could have found |
| `robustness` | (a module of its own) kappa over a grid of models, tasks and perturbations |
| `checks` | what is refused with an InputError |

`__all__` lists what users of the library call; the rest serves the library itself.

Intervals of shares, scores, differences and kappa say how much the choice of test rows matters,
`over_seeds` how much the training seed does.
"""

from tahanuji.measure.agreement import ac1, ac1_of, kappa, kappa_of
from tahanuji.measure.bootstrap import (
    RESAMPLES,
    estimated,
    interval,
    kinds,
    ratio,
    replicate,
    resampled,
)
from tahanuji.measure.calibration import ece, reliability, selective, temperature
from tahanuji.measure.checks import KEY, check_ids, check_probabilities, check_rows, checked
from tahanuji.measure.comparisons import (
    benjamini_hochberg,
    change_difference,
    cochran,
    compare,
    holm,
    least_paired,
    paired_difference,
    unpaired,
)
from tahanuji.measure.equivalence import (
    DECIDED,
    FEWEST,
    MARGINS,
    UNSEEN,
    WEAK,
    change_bounds,
    decisive,
    enough,
    texts_to_decide,
    verdict,
    verdicts,
)
from tahanuji.measure.estimate import Estimate
from tahanuji.measure.power import (
    bounds,
    detectable_change,
    detectable_difference,
    detectable_shares,
    detectable_unpaired,
    effective_rows,
    texts_needed,
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
    rates,
    share,
    share_of,
    title,
)

__all__ = [
    "COLUMNS",
    "DECIDED",
    "Estimate",
    "KEY",
    "MARGINS",
    "METRICS",
    "OUTCOMES",
    "RESAMPLES",
    "UNSEEN",
    "WEAK",
    "ac1",
    "behaviour",
    "bounds",
    "change_difference",
    "classification",
    "compare",
    "detectable_change",
    "detectable_difference",
    "detectable_shares",
    "detectable_unpaired",
    "ece",
    "holm",
    "kappa",
    "over_seeds",
    "over_seeds_and_rows",
    "paired_difference",
    "share",
    "share_of",
    "texts_to_decide",
    "verdict",
    "verdicts",
]
