"""What guesses a label without reading both sentences: the yardsticks of a classifier of pairs."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tahanuji import data, models
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

    side = 1  # of a pair, the sentence that is read

    def __init__(self, labels: list[str]) -> None:
        self.labels = labels
        words = TfidfVectorizer(ngram_range=(1, 2))
        self.model = make_pipeline(words, LogisticRegression(C=0.3, max_iter=1000))

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "HypothesisOnly":
        """Learn from one sentence of pairs and the numbers of their labels."""
        self.model.fit([pair[self.side] for pair in pairs], codes)
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """Probabilities, float32 (pairs, labels); `precision` changes nothing."""
        return _spread(self.model, [pair[self.side] for pair in pairs], self.labels)


class PremiseOnly(HypothesisOnly):
    """TF-IDF of the premise with logistic regression: what the first sentence betrays alone.

    Nothing, where every premise has one hypothesis of each label. IndoNLI's lay splits were dealt
    by pair: a premise of dev or lay that is known from training has there the labels that it lacks
    here, so that this reader is right on 16.1% of dev and 15.4% of lay, far below chance. On
    expert, whose premises are new, it is right on 33.4%.

    Parameters
    ----------
    labels : list of str
        In the order of the columns of the probabilities.

    Examples
    --------
    >>> pairs = [("Ani tidak tidur", "h"), ("Ani sedang tidur", "h")] * 5
    >>> reader = PremiseOnly(["a", "b"]).fit(pairs, [0, 1] * 5)
    >>> reader.predict_proba(pairs[:2]).argmax(1).tolist()
    [0, 1]
    """

    side = 0


class BagOfVectors:
    """A continuous bag of words: the means of the vectors of both sentences, how far they differ
    and their product, with logistic regression. The vectors are those of the word pieces of `mini`
    and stay as they were pre-trained.

    Parameters
    ----------
    labels : list of str
        In the order of the columns of the probabilities.

    References
    ----------
    Mahendra et al. (2021), section 4 and Table 6, *CBoW* (with fastText vectors and a network).

    Examples
    --------
    >>> pairs = [("Ani tidur", "Ani tidak tidur"), ("Ani tidur", "Ani sedang tidur")] * 5
    >>> reader = BagOfVectors(["a", "b"]).fit(pairs, [0, 1] * 5)
    >>> reader.predict_proba(pairs[:2]).argmax(1).tolist()
    [0, 1]
    """

    def __init__(self, labels: list[str]) -> None:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        self.labels, source = labels, models.spec("mini")["source"]
        weights = load_file(data.locate(f"{source}/model.safetensors"))
        self.vectors = weights["bert.embeddings.word_embeddings.weight"].astype(np.float32)
        self.tokenizer = Tokenizer.from_file(str(data.locate(f"{source}/tokenizer.json")))
        self.tokenizer.no_truncation()
        self.model = make_pipeline(StandardScaler(), LogisticRegression(C=0.001, max_iter=1000))

    def fit(self, pairs: Pairs, codes: Sequence[int]) -> "BagOfVectors":
        """Learn from pairs and the numbers of their labels."""
        self.model.fit(self._features(pairs), codes)
        return self

    def predict_proba(self, pairs: Pairs, precision: str = "") -> np.ndarray:
        """Probabilities, float32 (pairs, labels); `precision` changes nothing."""
        return _spread(self.model, self._features(pairs), self.labels)

    def _features(self, pairs: Pairs) -> np.ndarray:
        """Four vectors per pair, one behind the other."""
        first, second = (self._means(side) for side in zip(*pairs, strict=True))
        return np.hstack([first, second, np.abs(first - second), first * second])

    def _means(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self.tokenizer.encode_batch(list(texts), add_special_tokens=False)
        empty = np.zeros((1, self.vectors.shape[1]), np.float32)
        return np.array(
            [(self.vectors[text.ids] if text.ids else empty).mean(0) for text in encoded]
        )


READERS = {
    "majority": Constant,
    "least seen label": LeastSeen,
    HYPOTHESIS_ONLY: HypothesisOnly,
    "premise only": PremiseOnly,
    "bag of vectors": BagOfVectors,
    "overlap and negation": Probe,
}


class OfHypothesis:
    """A classifier of single texts as one of pairs: it is shown the hypothesis.

    Parameters
    ----------
    classifier : object
        Has `labels` and `predict_proba` of texts.

    Examples
    --------
    >>> class Length:
    ...     labels = ["short", "long"]
    ...     def predict_proba(self, texts, precision="fp32"):
    ...         return np.eye(2)[[int(len(text) > 5) for text in texts]]
    >>> OfHypothesis(Length()).predict_proba([("Ani tidur", "Ya")]).tolist()
    [[1.0, 0.0]]
    """

    def __init__(self, classifier) -> None:
        self.classifier, self.labels = classifier, classifier.labels

    def predict_proba(self, pairs: Pairs, precision: str = "fp32") -> np.ndarray:
        """What the classifier says of the hypotheses."""
        return self.classifier.predict_proba([hypothesis for _, hypothesis in pairs], precision)


def of_pairs(classifier, dataset: str):
    """A classifier as one of pairs, whatever it was fine-tuned on.

    Parameters
    ----------
    classifier : object
        Has `labels` and `predict_proba`.
    dataset : str
        What it was fine-tuned on, as `data.load` takes it.

    Returns
    -------
    object
        The classifier, or `OfHypothesis` of it where the data set holds single texts.

    Examples
    --------
    >>> of_pairs("a classifier of pairs", "nli")
    'a classifier of pairs'
    """
    return classifier if data.paired(data.load(dataset, "test")) else OfHypothesis(classifier)


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


def _spread(model, rows, labels: list[str]) -> np.ndarray:
    """Probabilities of a fitted pipeline, zero for labels that it never saw."""
    table = np.zeros((len(rows), len(labels)), dtype=np.float32)
    table[:, model[-1].classes_] = model.predict_proba(rows)
    return table


def _certain(codes: Sequence[int], labels: list[str]) -> np.ndarray:
    """All probability on one label each."""
    return np.eye(len(labels), dtype=np.float32)[list(codes)]
