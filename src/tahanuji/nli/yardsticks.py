"""What guesses a label without reading both sentences: the yardsticks of a classifier of pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from tahanuji import data, models
from tahanuji.nli.overlap import counts
from tahanuji.nli.tasks import Task

Pairs = Sequence[tuple[str, str]]
HYPOTHESIS_ONLY = "hypothesis only"


def _premises(pairs: Pairs) -> list[str]:
    return [premise for premise, _ in pairs]


def _hypotheses(pairs: Pairs) -> list[str]:
    return [hypothesis for _, hypothesis in pairs]


class LeastSeen(ClassifierMixin, BaseEstimator):
    """The label that a premise had least often in training; of a new premise the most frequent one.

    It reads no hypothesis. Where a data set was dealt by pair and its authors wrote one hypothesis
    per label, it is right more often than chance.
    """

    def __init__(self, labels: int) -> None:
        self.labels = labels

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "LeastSeen":
        """Count the labels of every premise."""
        self.classes_ = np.arange(self.labels)
        seen = pd.crosstab(np.array(_premises(pairs)), np.asarray(codes))
        seen = seen.reindex(columns=self.classes_, fill_value=0)
        self.least_, self.most_ = seen.idxmin(axis=1).to_dict(), seen.sum().idxmax()
        return self

    def predict_proba(self, pairs: Pairs) -> np.ndarray:
        """One for the guess (pairs, labels)."""
        guesses = [self.least_.get(premise, self.most_) for premise in _premises(pairs)]
        return np.eye(self.labels)[guesses]


class Vectors:
    """The means of the vectors of both sentences, how far they differ and their product; of the
    word pieces of `mini`, as they were pre-trained.
    """

    def __init__(self) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        source = models.spec("mini")["source"]
        weights = load_file(data.locate(f"{source}/model.safetensors"))
        self.vectors = weights["bert.embeddings.word_embeddings.weight"].astype(np.float32)
        self.tokenizer = Tokenizer.from_file(str(data.locate(f"{source}/tokenizer.json")))
        self.tokenizer.no_truncation()

    def __call__(self, pairs: Pairs) -> np.ndarray:
        """Four vectors per pair, one behind the other."""
        first, second = (self._means(side) for side in zip(*pairs, strict=True))
        return np.hstack([first, second, np.abs(first - second), first * second])

    def _means(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        empty = np.zeros((1, self.vectors.shape[1]), np.float32)
        return np.array(
            [(self.vectors[text.ids] if text.ids else empty).mean(0) for text in encoded]
        )


class Reader:
    """A scikit-learn classifier of pairs with the names of its labels, a classifier like any other.

    >>> pairs = [("p", "Ani tidak tidur"), ("p", "Ani sedang tidur")] * 5
    >>> reader = Reader(HYPOTHESIS_ONLY, ["a", "b"]).fit(pairs, [0, 1] * 5)
    >>> reader.predict_proba(pairs[:2]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(self, name: str, labels: list[str]) -> None:
        self.model, self.labels = READERS[name](len(labels)), labels

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "Reader":
        """Learn from pairs and the numbers of their labels."""
        self.model.fit(list(pairs), np.asarray(codes))
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """Probabilities (pairs, labels), float32, zero for labels that training lacks; `precision`
        changes nothing.
        """
        table = np.zeros((len(pairs), len(self.labels)), dtype=np.float32)
        table[:, self.model.classes_] = self.model.predict_proba(list(pairs))
        return table


def _words(side):
    """TF-IDF of one sentence with logistic regression."""
    words = TfidfVectorizer(ngram_range=(1, 2))
    regression = LogisticRegression(C=0.3, max_iter=1000)
    return make_pipeline(FunctionTransformer(side), words, regression)


def _numbers(features, weight: float):
    """Numbers of a pair with logistic regression."""
    regression = LogisticRegression(C=weight, max_iter=1000)
    return make_pipeline(FunctionTransformer(features), StandardScaler(), regression)


# Mahendra et al. (2021): majority, hypothesis only (Table 8; Poliak et al., 2018), bag of vectors
# (Table 6, CBoW, with fastText vectors and a network). The premise alone tells nothing where each
# premise has a hypothesis of each label. IndoNLI's lay splits were dealt by pair: there a premise
# has the labels that it lacks in training, and this reader is far below chance.
READERS = {
    "majority": lambda labels: DummyClassifier(strategy="most_frequent"),
    "least seen label": LeastSeen,
    HYPOTHESIS_ONLY: lambda labels: _words(_hypotheses),
    "premise only": lambda labels: _words(_premises),
    "bag of vectors": lambda labels: _numbers(Vectors(), 0.001),
    "overlap and negation": lambda labels: _numbers(counts, 1.0),
}


class OfHypothesis:
    """A classifier of single texts as one of pairs: it is shown the hypothesis."""

    def __init__(self, classifier) -> None:
        self.classifier, self.labels = classifier, classifier.labels

    def predict_proba(self, pairs: Pairs, precision: str = "fp32") -> np.ndarray:
        """What the classifier says of the hypotheses."""
        return self.classifier.predict_proba(_hypotheses(pairs), precision)


def readers(task: Task, classifier, trained: dict | None = None) -> dict:
    """All that is asked beside a classifier, and the classifier.

    Parameters
    ----------
    task : Task
        Its training pairs fit the yardsticks of `READERS`, where it has any.
    classifier : object
        Has `labels`, names of `LABELS`, and `predict_proba` of pairs.
    trained : dict, optional
        The same model fine-tuned on other data sets, by their names; one of single texts is shown
        the hypothesis.

    Returns
    -------
    dict
        Classifiers of pairs: yardsticks and trained ones by name, the classifier as `pairs`, and
        last what knows two labels alone.

    Examples
    --------
    >>> from tahanuji import nli
    >>> list(readers(nli.task("nli"), None))[:2]
    ['majority', 'least seen label']
    """
    own, train = {}, task.splits.get("train")
    if train is not None:
        pairs = list(zip(train["premise"], train["hypothesis"], strict=True))
        codes = train["label"].map(task.labels.index).to_numpy()
        own = {name: Reader(name, task.labels).fit(pairs, codes) for name in READERS}
    named = {name: task.named(other, name) for name, other in (trained or {}).items()}
    halves = {name: other for name, other in named.items() if name in task.halves}
    others = {name: of_pairs(named[name], name) for name in named if name not in halves}
    return own | others | {"pairs": classifier} | halves


def of_pairs(classifier, dataset: str):
    """The classifier, or `OfHypothesis` of it where its data set holds single texts."""
    return classifier if data.paired(data.load(dataset, "test")) else OfHypothesis(classifier)
