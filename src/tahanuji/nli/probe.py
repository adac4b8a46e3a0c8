"""A linear model of a pair of texts that knows counts only: overlap, negation, numbers, length."""

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tahanuji import lexicons
from tahanuji.nli.overlap import tokens

COUNTS = [
    "share of the hypothesis's words in the premise",
    "Jaccard",
    "share of the hypothesis's word pairs in the premise",
    "new words",
    "words of the premise",
    "words of the hypothesis",
    "ratio of the lengths",
    "negations in the hypothesis",
    "negations in the premise",
    "negation in the hypothesis only",
    "negation in the premise only",
    "a new number",
    "numbers in the hypothesis",
    "every word in the premise",
]


def counts(pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """The counts of `COUNTS` for every pair.

    Parameters
    ----------
    pairs : sequence of tuple
        Premise and hypothesis.

    Returns
    -------
    array (pairs, 14)
        Shares from 0 to 1, counts, and 0 or 1.

    Examples
    --------
    >>> row = counts([("Ani tidur", "Ani tidak tidur")])[0]
    >>> dict(zip(COUNTS, row.tolist()))["negation in the hypothesis only"]
    1.0
    """
    negators = lexicons.members("id", "negator", "form of tidak")
    words = {text: tokens(text) for text in set(chain.from_iterable(pairs))}
    return np.array([_counts(words[a], words[b], negators) for a, b in pairs], dtype=float)


def _counts(first: list[str], second: list[str], negators: frozenset[str]) -> list[float]:
    """The row of one pair of lists of tokens."""
    ours, theirs = set(first), set(second)
    before, after = set(pairwise(first)), set(pairwise(second))
    numbers = [word for word in second if any(letter.isdigit() for letter in word)]
    denied = [len(negators & side) for side in (theirs, ours)]
    return [
        len(theirs & ours) / max(1, len(theirs)),
        len(theirs & ours) / max(1, len(theirs | ours)),
        len(after & before) / max(1, len(after)),
        len(theirs - ours),
        len(first),
        len(second),
        len(second) / max(1, len(first)),
        *denied,
        denied[0] > 0 and denied[1] == 0,
        denied[1] > 0 and denied[0] == 0,
        any(number not in ours for number in numbers),
        len(numbers),
        theirs <= ours,
    ]


class Probe:
    """Logistic regression over `counts`, a classifier of pairs like any other.

    Parameters
    ----------
    labels : list of str
        In the order of the columns of the probabilities.

    Examples
    --------
    >>> pairs = [("Ani tidur", "Ani tidur"), ("Ani tidur", "Ani tidak tidur")] * 5
    >>> probe = Probe(["entailment", "contradiction"]).fit(pairs, [0, 1] * 5)
    >>> probe.predict_proba(pairs[:2]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        self.model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))

    def fit(self, pairs: Sequence[tuple[str, str]], codes: Sequence[int]) -> "Probe":
        """Learn from pairs and the numbers of their labels."""
        self.model.fit(counts(pairs), np.asarray(codes))
        return self

    def predict_proba(self, pairs: Sequence[tuple[str, str]], precision: str = "") -> np.ndarray:
        """Probabilities (pairs, labels), float32; `precision` changes nothing."""
        table = np.zeros((len(pairs), len(self.labels)), dtype=np.float32)
        table[:, self.model[-1].classes_] = self.model.predict_proba(counts(pairs))
        return table
