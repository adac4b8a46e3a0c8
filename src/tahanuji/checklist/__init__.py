"""An Indonesian CheckList for sentiment: capabilities tested where the answer is not in doubt.

Ribeiro et al. (2020) test a model by capability, with minimum functionality tests (MFT: the answer
is given), invariance tests (INV: a change that must not move the answer) and directional
expectation tests (DIR: a change that must not move it the wrong way).

* `reading`: the files of `data/checklist` as a suite (`read`, `Suite`)
* `expansion`: templates as cases (`expand`, `sizes`), near-duplicates (`near_duplicates`)
* `answers`: texts to predict and a system's answers (`texts`, `check_answers`, `predicted`)
* `scoring`: which cases fail (`judge`), rates by capability (`rates`, `matrix`)
* `fairness`: controls of pairs that exchange a group (`with_controls`), unsteadiness and bias
* `ratings`: blind sheets (`sheet`, `collect`), what readers said (`agreement`, `below_bar`)

`python -m tahanuji.checklist --help` lists what can be done from the command line.
"""

from tahanuji.checklist.answers import check_answers, predicted, texts
from tahanuji.checklist.expansion import expand, near_duplicates, sizes
from tahanuji.checklist.fairness import with_controls
from tahanuji.checklist.ratings import agreement, below_bar, collect, sheet
from tahanuji.checklist.reading import Suite, groups, read
from tahanuji.checklist.scoring import as_tests, judge, matrix, rates

__all__ = [
    "Suite",
    "as_tests",
    "expand",
    "judge",
    "matrix",
    "predicted",
    "rates",
    "read",
    "texts",
    "with_controls",
]
