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
| `study` | a model before and after changes, and its errors |
| `robustness` | what moves with them: tokens, spans, sentences, cells; rates, kappa, F1 |
"""

from tahanuji.tagging.alterations import alter, swap_entities
from tahanuji.tagging.corpus import leaked, load
from tahanuji.tagging.measures import evaluation, spans
from tahanuji.tagging.models import fitted, trained
from tahanuji.tagging.robustness import metrics, rows
from tahanuji.tagging.study import as_tests, errors, scores, tested

__all__ = [
    "alter",
    "as_tests",
    "errors",
    "evaluation",
    "fitted",
    "leaked",
    "load",
    "metrics",
    "rows",
    "scores",
    "spans",
    "swap_entities",
    "tested",
    "trained",
]
