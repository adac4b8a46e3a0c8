"""Linear models of tags and aspects: a conditional random field, and TF-IDF with logistic
regression per aspect.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from tahanuji import data, lexicons
from tahanuji.errors import InputError, extra
from tahanuji.models import spec, tfidf
from tahanuji.tagging.corpus import aspects

with extra("tagging"):
    import pycrfsuite

WINDOW = 2  # words on either side
AFFIXES = 4  # letters at most of a beginning or an end
SHORT = 3  # letters of a question's word that says nothing of the answer's place
FAR = 8  # words from the nearest word of the question
SENTENCE_ENDS = ".!?"
SETTINGS = {"c1": 0.05, "c2": 0.02, "max_iterations": 100, "feature.possible_transitions": True}
WEIGHT = 10  # C of the regressions: the larger, the closer to the training rows


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

    >>> features(["Ani", "tidur"])[0][:3]
    ['bias', 'w0=ani', 's0=Xx']
    """
    lower = [word.lower() for word in words]
    padded = ["<s>"] * WINDOW + lower + ["</s>"] * WINDOW
    outlines = ["<s>", *map(shape, words), "</s>"]
    table = []
    for at, word in enumerate(lower):
        near = padded[at : at + 2 * WINDOW + 1]
        row = ["bias", f"w0={word}", f"s0={outlines[at + 1]}"]
        row += [f"w{place - WINDOW}={near[place]}" for place in range(2 * WINDOW + 1)]
        row += [f"s-1={outlines[at]}", f"s+1={outlines[at + 2]}"]
        row += [f"b={near[1]}|{word}", f"e={word}|{near[3]}"]
        for size in range(1, min(AFFIXES, len(word)) + 1):
            row += [f"p={word[:size]}", f"x={word[-size:]}"]
        table.append(row)
    return _with_question(table, lower, outlines, question) if question else table


def _with_question(
    table: list[list[str]], lower: list[str], outlines: list[str], question: Sequence[str]
) -> list[list[str]]:
    """The features of a passage's words, and beside them what the question asks for and how near
    its own words are.
    """
    asked = [word.lower() for word in question]
    content = {word for word in asked if len(word) > SHORT}
    places = [place for place, word in enumerate(lower) if word in content]
    covered, sought = _covered(lower, content), _sought(asked)
    for at, row in enumerate(table):
        far = min((abs(at - place) for place in places), default=FAR)
        near = ["far"] if far >= FAR else [str(far) if far < FAR // 2 else "some"]
        crossed = [f"near={near[0]}", f"covered={covered[at]}", f"in={lower[at] in content}"]
        row += crossed + [f"{feature}|{sought[0]}|{outlines[at + 1]}" for feature in crossed]
        for kind in sought:
            before = lower[at - 1] if at else "<s>"
            row += [f"q={kind}|s={outlines[at + 1]}", f"q={kind}|w-1={before}"]
        row += [f"q={sought[0]}|w={lower[at]}"]
    return table


def _covered(lower: list[str], content: set[str]) -> list[int]:
    """How many quarters of the question's words the sentence of each word has."""
    ends = [place + 1 for place, word in enumerate(lower) if word in SENTENCE_ENDS]
    covered, start = [], 0
    for end in [*ends, len(lower)]:
        share = len(content & set(lower[start:end])) / max(1, len(content))
        covered += [round(4 * share)] * (end - start)
        start = end
    return covered


def _sought(asked: list[str]) -> list[str]:
    """The question word, alone and with the word after it; without one the question's beginning.

    >>> _sought(["siapakah", "nama", "presiden"]), _sought(["sebutkan", "nama", "presiden"])
    (['siapa', 'siapa nama'], ['sebutkan', 'sebutkan nama'])
    """
    words = lexicons.members("id", "question word")
    plain = [word.removeprefix("di").removesuffix("kah") for word in asked]
    at = next((place for place, word in enumerate(plain) if word in words), 0)
    return [plain[at], " ".join(plain[at : at + 2])]


class Crf:
    """A linear-chain conditional random field over `features` (Lafferty et al., 2001), fitted by
    CRFsuite's L-BFGS (Okazaki, 2007).

    >>> train = pd.DataFrame({"words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> Crf().fit(train).predict(train)
    [['B-PER', 'O']]
    """

    def __init__(self) -> None:
        self.tagger = pycrfsuite.Tagger()

    def fit(self, train: pd.DataFrame) -> "Crf":
        """Learn from words and tags, and questions where there are any.

        InputError where there is but one tag.
        """
        if train["tags"].explode().nunique() < 2:
            raise InputError("training has but one tag, and nothing can be learnt from it.")
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.set_params(SETTINGS)
        for row, tags in zip(_seen(train), train["tags"], strict=True):
            trainer.append(row, tags)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "crf"
            trainer.train(str(path))
            self.weights = path.read_bytes()  # the tagger reads them where they lie
        self.tagger.open_inmemory(self.weights)
        return self

    def tells_apart(self, frame: pd.DataFrame, other: pd.DataFrame) -> list[bool]:
        """Whether the field sees any difference between each sentence and the other one."""
        return [one != two for one, two in zip(_seen(frame), _seen(other), strict=True)]

    def predict(self, frame: pd.DataFrame) -> list[list[str]]:
        """The most probable tags of every sentence."""
        return [self.tagger.tag(row) for row in _seen(frame)]


def _seen(frame: pd.DataFrame) -> list[list[list[str]]]:
    questions = frame["question"] if "question" in frame else [()] * len(frame)
    return [features(words, asked) for words, asked in zip(frame["words"], questions, strict=True)]


class Aspects:
    """TF-IDF with logistic regression, one classifier per aspect, its labels weighted by how rare
    they are: most cells of a review are neutral.

    >>> rows = {"id": ["a", "b"] * 3, "text": ["murah", "mahal"] * 3, "harga": ["pos", "neg"] * 3}
    >>> train = pd.DataFrame(rows)
    >>> Aspects().fit(train).predict(train.head(2))
    [['pos'], ['neg']]
    """

    def fit(self, train: pd.DataFrame) -> "Aspects":
        """Learn from texts and a label per aspect."""
        self.features = tfidf.fitted(spec("tfidf"), data.inputs(train))
        table, self.heads = self.features.transform(data.inputs(train)), {}
        for name in aspects(train):
            several = train[name].nunique() > 1
            rare = LogisticRegression(C=WEIGHT, max_iter=1000, class_weight="balanced")
            self.heads[name] = (rare if several else DummyClassifier()).fit(table, train[name])
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
        As `load` gives it.

    Returns
    -------
    Crf or Aspects
        Has `predict(frame)` and `tells_apart(frame, other)`, as `tested` takes it.

    Examples
    --------
    >>> train = pd.DataFrame({"words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> type(fitted(train)).__name__
    'Crf'
    """
    return (Aspects() if aspects(train) else Crf()).fit(train)


def trained(job, splits: dict[str, pd.DataFrame], **settings) -> tuple[object, pd.DataFrame]:
    """The model of a job and how its training went.

    Parameters
    ----------
    job : tahanuji.training.Job
        `tfidf` stands for the linear models, anything else for a network.
    splits : dict of str to DataFrame
        `train` and `valid`, as `load` gives them.
    **settings
        Of a network: learning_rate, batch_size, epochs and max_length; 0 stands for the model's
        own.

    Returns
    -------
    tuple
        The model, as `tested` takes it, and a row per epoch: epoch, train_loss and f1 (macro, of
        valid); no row of a linear model.

    Examples
    --------
    >>> from tahanuji.training import Job
    >>> train = pd.DataFrame({"words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> model, history = trained(Job("tfidf", "tags", Path("."), seed=1), {"train": train})
    >>> len(history)
    0
    """
    if spec(job.model_name)["kind"] == "tfidf":
        return fitted(splits["train"]), pd.DataFrame(columns=["epoch", "train_loss", "f1"])
    from tahanuji.tagging import networks

    chosen = networks.settings(job.model_name, **settings)
    return networks.trained(job, splits["train"], splits["valid"], chosen)
