"""Natural language inference in Indonesian: IndoNLI's data, what can be guessed without reading
both sentences, its diagnostics (Mahendra et al., 2021), and behavioural tests of inference.

| file | what it holds |
| --- | --- |
| `corpus` | splits with all their columns, the diagnostic set, the suite, the leak |
| `tasks` | all that readers of a data set are asked |
| `overlap` | what premise and hypothesis share and show as words |
| `artefacts` | words that betray a label (PMI) |
| `yardsticks` | what guesses a label without reading both sentences |
| `scoring` | accuracy by split, on new premises, by phenomenon and label |
| `suite` | pairs whose label is certain, and changes that must not move a label |
| `paper` | the paper's tables, from its released files |
"""

from tahanuji.nli.artefacts import pmi
from tahanuji.nli.corpus import LABELS, SPLITS, diagnostic, load, load_suite, splits
from tahanuji.nli.paper import recomputed
from tahanuji.nli.scoring import beside_guess, gain, phenomena
from tahanuji.nli.suite import as_tests, changes, metrics, perturbed, read
from tahanuji.nli.tasks import Task, task
from tahanuji.nli.yardsticks import HYPOTHESIS_ONLY, Reader, readers

__all__ = [
    "HYPOTHESIS_ONLY",
    "LABELS",
    "SPLITS",
    "Reader",
    "Task",
    "as_tests",
    "beside_guess",
    "changes",
    "diagnostic",
    "gain",
    "load",
    "load_suite",
    "metrics",
    "perturbed",
    "phenomena",
    "pmi",
    "read",
    "readers",
    "recomputed",
    "splits",
    "task",
]
