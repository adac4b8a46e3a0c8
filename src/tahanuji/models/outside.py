"""Classifiers that are no checkpoints of this project: a Python function, and the answers of a
system that runs elsewhere; and checkpoints whose labels have other names.
"""

import contextlib
import csv
import difflib
import importlib.util
import operator
import sys
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import numpy as np

from tahanuji import data, predict
from tahanuji.errors import InputError, sentence
from tahanuji.predict import UNPARSABLE

CHUNK = 1024
ANSWERS = "answers.csv"
ROUNDING = 0.0201  # how far the sum of four probabilities of two digits may be from 1


def function(place: str, folder: str = "") -> Callable[[list], object]:
    """The function of `module:name` or `file.py:name`; modules are looked for in `folder` too.

    Raises InputError where the module cannot be imported or has no such function.
    """
    module, _, name = place.rpartition(":")
    file = Path(folder, module) if module.endswith(".py") else None
    if (beside := str(file.parent) if file else folder) and beside not in sys.path:
        sys.path.append(beside)  # behind all else, so that no file of it hides a library's
    try:
        answering = getattr(_loaded(file) if file else importlib.import_module(module), name, None)
    except Exception as error:
        raise InputError(f"cannot import {module!r} of {place!r}: {sentence(error)}") from error
    if not callable(answering):
        raise InputError(f"{module!r} has no function {name!r}; give module:function.")
    return answering


def _loaded(file: Path) -> ModuleType:
    """The module of a file, loaded once, whatever else has its name."""
    name = f"{file.stem} of {file.resolve().parent}"
    if name not in sys.modules:
        about = importlib.util.spec_from_file_location(name, file)
        sys.modules[name] = module = importlib.util.module_from_spec(about)
        try:
            about.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]


class Function(predict.Classifier):
    """A Python function from a list of texts to a list of labels or of probabilities.

    An answer is a label (`unparsable` where a system's names none), its number where the card says
    that they are `numbered`, a mapping from labels to probabilities, a list of `label` and `score`
    as pipelines give it, or numbers in the order of the card's `labels`; the card's `names`
    translate labels.
    """

    kind = "callable"

    def __init__(self, answering: Callable[[list], object], labels: list[str], card: dict):
        super().__init__(labels, card)
        self.answering = answering
        self.given = card.get("labels", self.labels)  # the order in which it gives numbers

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities, float32 (n, labels); each distinct text is asked once, `precision` has no
        effect. InputError for an answer that is none.
        """
        distinct, rows_of = predict.distinct(texts)
        rows = []
        for start in range(0, len(distinct), CHUNK):
            rows += self._asked(distinct[start : start + CHUNK])
        table = np.array([rows[row] for row in rows_of], np.float32).reshape(-1, len(self.given))
        return table[:, [self.given.index(label) for label in self.labels]]

    def _asked(self, texts: list[data.Example]) -> list[np.ndarray]:
        try:
            answers = list(self.answering(list(texts)))
        except Exception as error:
            raise InputError(f"{self._name} broke: {sentence(error)}") from error
        if len(answers) != len(texts):
            raise InputError(
                f"{self._name} gave {len(answers)} answers for {len(texts)} texts; it takes a list "
                f"of texts and returns one answer for each."
            )
        return [self._row(answer) for answer in answers]

    @property
    def _name(self) -> str:
        return self.card.get("source", "the function")

    def _row(self, answer: object) -> np.ndarray:
        with contextlib.suppress(TypeError):
            answer = str(operator.index(answer))  # a number of a label, of any library
        if isinstance(answer, str):
            if answer == UNPARSABLE:
                return np.zeros(len(self.given))
            answer = {answer: 1.0}
        try:
            row = _numbers(answer, len(self.given))
        except (TypeError, ValueError, KeyError):
            row = np.empty(0)
        if isinstance(row, dict):
            shares = row
            row = np.zeros(len(self.given))
            for label, share in shares.items():  # several names may mean one label
                row[self.given.index(self._label(label))] += share
        if row.shape != (len(self.given),) or not (np.isfinite(row).all() and (row >= 0).all()):
            raise InputError(
                f"{self._name} answered {str(answer)[:80]!r}, which is neither a label nor "
                f"{len(self.given)} probabilities ({', '.join(self.given)}); "
                f"{_remedy(answer, row)}."
            )
        if abs(row.sum() - 1) > ROUNDING:
            raise InputError(
                f"{self._name} answered {str(answer)[:80]!r}: probabilities add up to 1, these to "
                f"{row.sum():.3g}."
            )
        return row / row.sum()

    def _label(self, said: object) -> str:
        names, own, lower = self.card.get("names", {}), str(said), str(said).lower()
        known = {label.lower(): label for label in self.given} | {one: one for one in self.given}
        number = data.LABEL_NUMBER.fullmatch(own)
        for meant in filter(None, (names.get(own), names.get(lower), own)):
            if meant in known or meant.lower() in known:
                return known.get(meant, known.get(meant.lower()))
        if number and self.card.get("numbered") and int(number[1]) < len(self.given):
            return self.given[int(number[1])]
        near = difflib.get_close_matches(lower, self.given, 1) or ["LABEL"]
        order = ", or what the numbers 0, 1, ... mean with --labels" if number else ""
        raise InputError(
            f"{self._name} answered the label {str(said)[:80]!r}, which is none of "
            f"{', '.join(self.given)}; say what it means with --map {str(said)[:20]}={near[0]}"
            f"{order}."
        )


def _remedy(answer: object, row: np.ndarray) -> str:
    """What to do about an answer that is none, and about its numbers where it has a row of them."""
    parts = [answer, *answer] if isinstance(answer, list) else [answer]
    if any(isinstance(part, Mapping) for part in parts) and not row.size:
        return "call a pipeline with top_k=None"
    if row.ndim != 1 or not row.size:
        return "return one of these for every text"
    if not np.isfinite(row).all():
        return "NaN and infinity are none: look at what the model computes"
    if (row >= 0).all():
        return "name the labels of its numbers, in their order, with --labels"
    return "apply softmax to scores"


def _numbers(answer: object, count: int) -> np.ndarray | dict[object, float]:
    """The numbers of an answer, by label where it names labels; ValueError where a pipeline gives
    less than the `count` of all.
    """
    if isinstance(answer, list | tuple) and answer and isinstance(answer[0], Mapping):
        if len(answer) < count:
            raise ValueError("the likeliest labels alone")
        answer = {part["label"]: part["score"] for part in answer}
    if isinstance(answer, Mapping):
        return {label: float(_plain(share)) for label, share in answer.items()}
    return np.array([float(_plain(number)) for number in _plain(answer)])


def _plain(value: object) -> object:
    """A value without the library that it is of: tensors and arrays become numbers and lists."""
    return value.tolist() if hasattr(value, "tolist") else value


class Answers(predict.Classifier):
    """What a system said elsewhere of the texts of a study, looked up by the hash of a text."""

    kind = "predictions"

    def __init__(self, rows: dict[str, np.ndarray], labels: list[str], card: dict):
        super().__init__(labels, card)
        self.rows = rows

    @classmethod
    def load(cls, folder: Path, labels: list[str], card: dict) -> "Answers":
        """The answers of answers.csv, columns `id, p_<label>...`."""
        table = data.read_table(folder / ANSWERS)
        shares = table[[f"p_{label}" for label in labels]].astype(float).to_numpy(np.float32)
        return cls(dict(zip(table["id"], shares, strict=True)), labels, card)

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities, float32 (n, labels); InputError for texts without an answer."""
        ids = [data.text_hash(text) for text in texts]
        if missing := [one for one in dict.fromkeys(ids) if one not in self.rows]:
            raise InputError(
                f"the predictions have no answer for {len(missing)} of {len(set(ids))} texts "
                f"({', '.join(missing[:3])}, ...); export the texts again and label them."
            )
        return np.array([self.rows[one] for one in ids], np.float32).reshape(-1, len(self.labels))


class Renamed(predict.Around):
    """A classifier with other names of its labels; all else is its own. A label that is no key of
    `names` keeps its name.

    >>> from types import SimpleNamespace
    >>> Renamed(SimpleNamespace(labels=["ya", "tidak"]), {"ya": "entailment"}).labels
    ['entailment', 'tidak']
    """

    def __init__(self, classifier, names: dict[str, str]):
        super().__init__(classifier)
        self.labels = [names.get(label, label) for label in classifier.labels]


class Recorder(predict.Classifier):
    """Answers nothing (every label is as likely), and writes what it was asked into a folder."""

    kind = "recorder"

    def __init__(self, folder: Path, labels: list[str], card: dict):
        super().__init__(labels, card)
        self.folder = folder

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """The same probability for all labels, float32 (n, labels)."""
        with (self.folder / f"{uuid.uuid4().hex}.csv").open("w", encoding="utf-8", newline="") as f:
            writer = csv.writer(f, lineterminator="\n", quoting=csv.QUOTE_ALL)  # "\r" too
            for text in dict.fromkeys(texts):
                columns = [text] if isinstance(text, str) else text
                writer.writerow([data.text_hash(text), *columns])
        return np.full((len(texts), len(self.labels)), 1 / len(self.labels), np.float32)


def load(folder: Path, labels: list[str], card: dict):
    """The classifier of a card of kind `callable`, `predictions` or `recorder`."""
    if card["kind"] == "predictions":
        return Answers.load(folder, labels, card)
    if card["kind"] == "recorder":
        return Recorder(folder, labels, card)
    return Function(function(card["source"], card.get("folder", "")), labels, card)
