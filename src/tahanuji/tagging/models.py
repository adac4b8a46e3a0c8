"""Linear models of tags and aspects: a conditional random field, and TF-IDF with logistic
regression per aspect.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pycrfsuite
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from tahanuji import data
from tahanuji.errors import InputError
from tahanuji.models import spec, tfidf
from tahanuji.tagging.corpus import aspects

WINDOW = 2  # words on either side
AFFIXES = 4  # letters at most of a beginning or an end
SETTINGS = {"c1": 0.05, "c2": 0.02, "max_iterations": 100, "feature.possible_transitions": True}


def shape(word: str) -> str:
    """The outline of a word: X, x and d for capitals, small letters and figures, repeats cut.

    >>> shape("Rp20.000"), shape("KPK-lah")
    ('Xxd.d', 'X-x')
    """
    letters = []
    for letter in word:
        kind = "d" if letter.isdigit() else "X" if letter.isupper() else "x"
        kind = kind if letter.isalnum() else letter
        if not letters or letters[-1] != kind:
            letters.append(kind)
    return "".join(letters)


def features(words: Sequence[str], question: Sequence[str] = ()) -> list[list[str]]:
    """What the field sees of each word: the words around it, beginnings and ends of one to four
    letters, its shape and those beside it, pairs of neighbours; of a passage also which words the
    question has, and what it asks for.

    Parameters
    ----------
    words : sequence of str
        Of a sentence.
    question : sequence of str
        Of the question that the sentence answers, if any.

    Returns
    -------
    list of list of str
        A list per word.

    Examples
    --------
    >>> features(["Ani", "tidur"])[0][:3]
    ['bias', 'w0=ani', 's0=Xx']
    """
    lower = [word.lower() for word in words]
    padded = ["<s>"] * WINDOW + lower + ["</s>"] * WINDOW
    outlines = ["<s>", *map(shape, words), "</s>"]
    asked = {word.lower() for word in question}
    kind = " ".join(word.lower() for word in question[:2])
    table = []
    for at, word in enumerate(lower):
        near = padded[at : at + 2 * WINDOW + 1]
        row = ["bias", f"w0={word}", f"s0={outlines[at + 1]}"]
        row += [f"w{place - WINDOW}={near[place]}" for place in range(2 * WINDOW + 1)]
        row += [f"s-1={outlines[at]}", f"s+1={outlines[at + 2]}"]
        row += [f"b={near[1]}|{word}", f"e={word}|{near[3]}"]
        for size in range(1, min(AFFIXES, len(word)) + 1):
            row += [f"p={word[:size]}", f"x={word[-size:]}"]
        if question:
            close = [str(other in asked) for other in near]
            row += [f"q={kind}|{outlines[at + 1]}", f"in={close[WINDOW]}", f"q={kind}|{word}"]
            row += [f"near={'|'.join(close)}", f"q={kind}|{near[1]}", f"q={kind}|{word[:2]}"]
        table.append(row)
    return table


class Crf:
    """A linear-chain conditional random field over `features`.

    Parameters
    ----------
    settings : dict, optional
        Of CRFsuite's L-BFGS; those left out as in `SETTINGS`.

    References
    ----------
    Lafferty et al. (2001), *Conditional random fields*; Okazaki (2007), *CRFsuite*.

    Examples
    --------
    >>> train = pd.DataFrame({"words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> Crf().fit(train).predict(train)
    [['B-PER', 'O']]
    """

    def __init__(self, settings: dict | None = None) -> None:
        self.settings = SETTINGS | (settings or {})
        self.tagger = pycrfsuite.Tagger()

    def fit(self, train: pd.DataFrame) -> "Crf":
        """Learn from words and tags, and questions where there are any.

        InputError where there is but one tag.
        """
        if train["tags"].explode().nunique() < 2:
            raise InputError("training has but one tag, and nothing can be learnt from it.")
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params(self.settings)
        for row, tags in zip(_seen(train), train["tags"], strict=True):
            trainer.append(row, tags)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "crf"
            trainer.train(str(path))
            self.weights = path.read_bytes()  # the tagger reads them where they lie
        self.tagger.open_inmemory(self.weights)
        return self

    def predict(self, frame: pd.DataFrame) -> list[list[str]]:
        """The most probable tags of every sentence."""
        return [self.tagger.tag(row) for row in _seen(frame)]


def _seen(frame: pd.DataFrame) -> list[list[list[str]]]:
    questions = frame["question"] if "question" in frame else [()] * len(frame)
    return [features(words, asked) for words, asked in zip(frame["words"], questions, strict=True)]


class Aspects:
    """TF-IDF with logistic regression, one classifier per aspect, its labels weighted by how rare
    they are: most cells of a review are neutral.

    Parameters
    ----------
    weight : float
        C of the regression: the larger, the closer to the training rows.

    Examples
    --------
    >>> rows = {"id": ["a", "b"] * 3, "text": ["murah", "mahal"] * 3, "harga": ["pos", "neg"] * 3}
    >>> train = pd.DataFrame(rows)
    >>> Aspects().fit(train).predict(train.head(2))
    [['pos'], ['neg']]
    """

    def __init__(self, weight: float = 10) -> None:
        self.weight = weight

    def fit(self, train: pd.DataFrame) -> "Aspects":
        """Learn from texts and a label per aspect."""
        self.features = tfidf.fitted(spec("tfidf"), data.inputs(train))
        known, self.heads = self.features.transform(data.inputs(train)), {}
        for name in aspects(train):
            several = train[name].nunique() > 1
            rare = LogisticRegression(C=self.weight, max_iter=1000, class_weight="balanced")
            self.heads[name] = (rare if several else DummyClassifier()).fit(known, train[name])
        return self

    def tells_apart(self, frame: pd.DataFrame, other: pd.DataFrame) -> list[bool]:
        """Whether the model sees any difference between each row and the other one."""
        one, two = (self.features.transform(data.inputs(rows)) for rows in (frame, other))
        apart = one != two
        return (apart.getnnz(axis=1) > 0).tolist()

    def predict(self, frame: pd.DataFrame) -> list[list[str]]:
        """A label per aspect of every review."""
        table = self.features.transform(data.inputs(frame))
        said = {name: head.predict(table) for name, head in self.heads.items()}
        return [list(map(str, row)) for row in zip(*said.values(), strict=True)]


def fitted(train: pd.DataFrame) -> Crf | Aspects:
    """The linear model of a task.

    Parameters
    ----------
    train : DataFrame
        As `corpus.load` gives it.

    Returns
    -------
    Crf or Aspects

    Examples
    --------
    >>> train = pd.DataFrame({"words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> type(fitted(train)).__name__
    'Crf'
    """
    return (Aspects() if aspects(train) else Crf()).fit(train)
