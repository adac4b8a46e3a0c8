"""Natural language inference in Indonesian: IndoNLI's data, what can be guessed without reading
both sentences, and its diagnostics (Mahendra et al., 2021).

| file | what it holds |
| --- | --- |
| `corpus` | splits with all their columns, the diagnostic set, translated pairs, the leak |
| `overlap` | the words that premise and hypothesis share |
| `artefacts` | words that betray a label (PMI), and guesses from what was seen of a premise |
| `probe` | a linear model of counts of overlap, negation and numbers |
"""

from tahanuji.nli.artefacts import least_seen, pmi
from tahanuji.nli.corpus import LABELS, SPLITS, diagnostic, load, translated, unseen
from tahanuji.nli.overlap import compare, lengths, medians, tokens
from tahanuji.nli.probe import COUNTS, Probe, counts

__all__ = [
    "COUNTS",
    "LABELS",
    "SPLITS",
    "Probe",
    "compare",
    "counts",
    "diagnostic",
    "least_seen",
    "lengths",
    "load",
    "medians",
    "pmi",
    "tokens",
    "translated",
    "unseen",
]
