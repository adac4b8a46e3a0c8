"""What guesses a label without reading both sentences: the yardsticks of a classifier of pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tahanuji.nli.artefacts import least_seen
from tahanuji.nli.probe import Probe

Pairs = Sequence[tuple[str, str]]
HYPOTHESIS_ONLY = "hypothesis only"


class Constant:
    """Always the most frequent label of training.

    Parameters
    ----------
    labels : list of str
        In the order of the columns of the probabilities.

    Examples
    --------
    >>> Constant(["a", "b"]).fit([("p", "h")] * 3, [1, 1, 0]).predict_proba([("p", "h")]).tolist()
    [[0.0, 1.0]]
    """

    def __init__(self, labels: list[str]) -> None:
        self.labels, self.code = labels, 0

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "Constant":
        """Count labels by number."""
        self.code = int(np.bincount(codes).argmax())
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """One for that label, float32 (pairs, labels); `precision` changes nothing."""
        return _certain([self.code] * len(pairs), self.labels)


class LeastSeen(Constant):
    """The label that a premise had least often in training; of a new premise the most frequent one.

    It reads no hypothesis. Where a data set was dealt by pair and its authors wrote one hypothesis
    per label, it is right more often than chance.

    Examples
    --------
    >>> guess = LeastSeen(["a", "b"]).fit([("p", "h")] * 2, [1, 1])
    >>> guess.predict_proba([("p", "h"), ("q", "h")]).argmax(1).tolist()
    [0, 1]
    """

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "LeastSeen":
        """Keep the labels of every premise."""
        super().fit(pairs, codes)
        premises = [premise for premise, _ in pairs]
        self.train = pd.DataFrame({"premise": premises, "label": list(codes)})
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """One for the guess, float32 (pairs, labels); `precision` changes nothing."""
        frame = pd.DataFrame({"premise": [premise for premise, _ in pairs]})
        guesses = least_seen(frame, self.train, range(len(self.labels)))
        return _certain([self.code if code is None else code for code in guesses], self.labels)


class HypothesisOnly:
    """TF-IDF of the hypothesis with logistic regression: what the second sentence betrays alone.

    Parameters
    ----------
    labels : list of str
        In the order of the columns of the probabilities.

    References
    ----------
    Mahendra et al. (2021), section 5.2 and Table 8; Poliak et al. (2018), *Hypothesis only
    baselines in natural language inference*.

    Examples
    --------
    >>> pairs = [("p", "Ani tidak tidur"), ("p", "Ani sedang tidur")] * 5
    >>> reader = HypothesisOnly(["a", "b"]).fit(pairs, [0, 1] * 5)
    >>> reader.predict_proba(pairs[:2]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        words = TfidfVectorizer(ngram_range=(1, 2))
        self.model = make_pipeline(words, LogisticRegression(C=0.3, max_iter=1000))

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "HypothesisOnly":
        """Learn from hypotheses and the numbers of their labels."""
        self.model.fit([hypothesis for _, hypothesis in pairs], codes)
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """Probabilities, float32 (pairs, labels); `precision` changes nothing."""
        answers = self.model.predict_proba([hypothesis for _, hypothesis in pairs])
        table = np.zeros((len(pairs), len(self.labels)), dtype=np.float32)
        table[:, self.model[-1].classes_] = answers
        return table


READERS = {
    "majority": Constant,
    "least seen label": LeastSeen,
    HYPOTHESIS_ONLY: HypothesisOnly,
    "overlap and negation": Probe,
}


class Renamed:
    """A classifier with other names of its labels.

    Parameters
    ----------
    classifier : object
        Has `labels` and `predict_proba`.
    names : dict
        From its labels to others; a label that is no key keeps its name.

    Examples
    --------
    >>> Renamed(Constant(["ya", "tidak"]), {"ya": "entailment"}).labels
    ['entailment', 'tidak']
    """

    def __init__(self, classifier, names: dict[str, str]) -> None:
        self.classifier = classifier
        self.labels = [names.get(label, label) for label in classifier.labels]

    def predict_proba(self, pairs: Pairs, precision: str = "fp32") -> np.ndarray:
        """What the classifier says."""
        return self.classifier.predict_proba(pairs, precision)

    def about(self) -> dict:
        """Facts of the classifier."""
        return self.classifier.about()


def fitted(train: pd.DataFrame, labels: list[str]) -> dict:
    """Every yardstick, fitted.

    Parameters
    ----------
    train : DataFrame
        premise, hypothesis, label.
    labels : list of str
        In the order of the columns of the probabilities.

    Returns
    -------
    dict
        Classifiers of pairs by their names in `READERS`.

    Examples
    --------
    >>> train = {"premise": ["Ani tidur"] * 4, "hypothesis": ["Ani tidak tidur", "Ani tidur"] * 2}
    >>> table = pd.DataFrame(train).assign(label=["contradiction", "entailment"] * 2)
    >>> list(fitted(table, ["entailment", "contradiction"]))[:2]
    ['majority', 'least seen label']
    """
    pairs = list(zip(train["premise"], train["hypothesis"], strict=True))
    codes = train["label"].map(labels.index).to_numpy()
    return {name: reader(labels).fit(pairs, codes) for name, reader in READERS.items()}


def _certain(codes: Sequence[int], labels: list[str]) -> np.ndarray:
    """All probability on one label each."""
    return np.eye(len(labels), dtype=np.float32)[list(codes)]
