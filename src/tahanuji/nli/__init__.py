"""Natural language inference in Indonesian: IndoNLI's data, what can be guessed without reading
both sentences, its diagnostics (Mahendra et al., 2021), and behavioural tests of inference.

| file | what it holds |
| --- | --- |
| `corpus` | splits with all their columns, the diagnostic set, the leak |
| `overlap` | the words that premise and hypothesis share |
| `artefacts` | words that betray a label (PMI), and guesses from what was seen of a premise |
| `probe` | a linear model of counts of overlap, negation and numbers |
| `readers` | what guesses a label without reading both sentences |
| `scoring` | accuracy by split, on new premises, by phenomenon and label |
| `paper` | the paper's tables, from its released files |
| `suite` | pairs whose label is certain, and changes that must not move a label |
"""

from tahanuji.nli.artefacts import least_seen, pmi
from tahanuji.nli.corpus import (
    LABELS,
    SPLITS,
    WRETE,
    diagnostic,
    label_names,
    load,
    splits,
    two_way,
    unseen,
    variants,
    wrete,
)
from tahanuji.nli.overlap import compare, lengths, medians, tokens
from tahanuji.nli.paper import CELLS, recomputed
from tahanuji.nli.probe import COUNTS, Probe, counts
from tahanuji.nli.readers import HYPOTHESIS_ONLY, READERS, OfHypothesis, fitted, of_pairs
from tahanuji.nli.scoring import (
    accuracies,
    answers,
    beside_guess,
    by_phenomenon,
    gain,
    labelled,
    phenomena,
    tagged,
)
from tahanuji.nli.suite import (
    as_tests,
    certain,
    changed,
    instruments,
    invariant,
    load_suite,
    metrics,
    versions,
)

__all__ = [
    "CELLS",
    "COUNTS",
    "HYPOTHESIS_ONLY",
    "LABELS",
    "READERS",
    "SPLITS",
    "WRETE",
    "OfHypothesis",
    "Probe",
    "accuracies",
    "answers",
    "as_tests",
    "beside_guess",
    "by_phenomenon",
    "certain",
    "changed",
    "compare",
    "counts",
    "diagnostic",
    "fitted",
    "gain",
    "instruments",
    "invariant",
    "label_names",
    "labelled",
    "least_seen",
    "lengths",
    "load",
    "load_suite",
    "medians",
    "metrics",
    "of_pairs",
    "phenomena",
    "pmi",
    "recomputed",
    "splits",
    "tagged",
    "tokens",
    "two_way",
    "unseen",
    "variants",
    "versions",
    "wrete",
]
