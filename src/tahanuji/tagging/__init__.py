"""Tags of words and labels of aspects: IndoNLU's tasks beyond whole texts (Wilie et al., 2020), and
what a change of the text does to them.

| file | what it holds |
| --- | --- |
| `measures` | spans, F1 by type and its mean, micro F1, accuracy of tokens, aspects; intervals |
| `alterations` | perturbed sentences given back word by word; entities swapped |
| `robustness` | what moves with them: tokens, spans, sentences, cells; rates, kappa, F1 |
"""

from tahanuji.tagging.alterations import (
    LENGTHS,
    Altered,
    alter,
    entities,
    given_back,
    swap_entities,
)
from tahanuji.tagging.measures import (
    SCHEMES,
    aspect_evaluation,
    confusion,
    evaluation,
    scheme_of,
    span_table,
    spans,
)
from tahanuji.tagging.robustness import cells, metrics, rows, sentences, units

__all__ = [
    "LENGTHS",
    "SCHEMES",
    "Altered",
    "alter",
    "aspect_evaluation",
    "cells",
    "confusion",
    "entities",
    "evaluation",
    "given_back",
    "metrics",
    "rows",
    "scheme_of",
    "sentences",
    "span_table",
    "spans",
    "swap_entities",
    "units",
]
