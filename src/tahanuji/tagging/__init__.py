"""Tags of words and labels of aspects: IndoNLU's tasks beyond whole texts (Wilie et al., 2020), and
what a change of the text does to them.

| file | what it holds |
| --- | --- |
| `corpus` | sentences, passages and reviews of the registry or of a folder; leaks |
| `models` | linear ones: a conditional random field, TF-IDF per aspect |
| `networks` | any encoder under a linear layer, trained epoch by epoch; loads torch |
| `word_vectors` | fastText's vectors under a small transformer, in the same way |
| `tagger` | what these have in common |
| `measures` | spans, F1 by type and its mean, micro F1, accuracy of tokens, aspects; intervals |
| `annotators` | spans that annotators wrote down, and how far two agree |
| `alterations` | perturbed sentences given back word by word; entities swapped |
| `study` | a model before and after changes, from sentences to rows |
| `robustness` | what moves with them: tokens, spans, sentences, cells; rates, kappa, F1 |
"""

from tahanuji.tagging.alterations import (
    LENGTHS,
    Altered,
    alter,
    entities,
    given_back,
    swap_entities,
    types_of,
)
from tahanuji.tagging.annotators import ANNOTATIONS, agreement, annotated
from tahanuji.tagging.corpus import aspects, check_tags, leaked, load, tasks
from tahanuji.tagging.measures import (
    SCHEMES,
    aspect_evaluation,
    evaluation,
    scheme_of,
    spans,
)
from tahanuji.tagging.models import Aspects, Crf, features, fitted
from tahanuji.tagging.robustness import cells, metrics, rows, sentences, units
from tahanuji.tagging.study import (
    as_tests,
    instruments,
    lost_spans,
    mixed_up,
    outcomes,
    scores,
    swapped,
    tested,
)

__all__ = [
    "ANNOTATIONS",
    "LENGTHS",
    "SCHEMES",
    "Altered",
    "Aspects",
    "Crf",
    "agreement",
    "alter",
    "annotated",
    "as_tests",
    "aspect_evaluation",
    "aspects",
    "cells",
    "check_tags",
    "entities",
    "features",
    "evaluation",
    "fitted",
    "given_back",
    "instruments",
    "leaked",
    "load",
    "lost_spans",
    "metrics",
    "mixed_up",
    "outcomes",
    "rows",
    "scheme_of",
    "scores",
    "sentences",
    "spans",
    "swap_entities",
    "swapped",
    "tasks",
    "tested",
    "types_of",
    "units",
]
