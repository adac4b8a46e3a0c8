"""Tags of words and labels of aspects: IndoNLU's tasks beyond whole texts (Wilie et al., 2020), and
what a change of the text does to them.

| file | what it holds |
| --- | --- |
| `measures` | spans, F1 by type and its mean, micro F1, accuracy of tokens, aspects; intervals |
"""

from tahanuji.tagging.measures import (
    SCHEMES,
    aspect_evaluation,
    confusion,
    evaluation,
    scheme_of,
    span_table,
    spans,
)

__all__ = [
    "SCHEMES",
    "aspect_evaluation",
    "confusion",
    "evaluation",
    "scheme_of",
    "span_table",
    "spans",
]
