"""The search of IndoRobusta-Blend: a text's candidate words in their order, and which of them give
way while the result is too unlike it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import numpy as np
import pandas as pd

from tahanuji import perturb, words

# Least similarity by characters: it binds a quarter of English mixes at random with R = 0.4.
ALPHA = 0.6
TRIES = 10


class Row(NamedTuple):
    """An example: whether it is classified rightly, its words, the numbers of those that are no
    stop words, and its generator's seed.
    """

    id: str
    text: str
    label: str
    right: bool
    words: list[words.Word]
    free: set[int]
    seed: int


@dataclass(slots=True)
class Mix:
    """A text in one setting. `order` holds the numbers of its candidate words, best first; `chosen`
    and `rest` are positions in `order`.
    """

    text: str
    words: list[words.Word]
    targets: dict[int, str]
    order: list[int] = field(default_factory=list)
    asked: int = 0
    outcome: str = ""
    perturbed: str = ""
    similarity: float = float("nan")
    tries: int = 0
    chosen: list[int] = field(default_factory=list)
    rest: list[int] | None = None
    generator: Random | None = None

    def __post_init__(self) -> None:
        self.chosen = list(range(min(self.asked, len(self.order))))
        self.write()

    def write(self) -> None:
        """Put the text with the chosen words exchanged into `perturbed`."""
        changes = {position: self.targets[position] for position in self.positions()}
        for position, target in list(changes.items()):
            if "_" in target:
                self._move(changes, position, target)
        self.perturbed = words.replace(
            self.text, {self.words[position]: change for position, change in changes.items()}
        )

    def _move(self, changes: dict[int, str], position: int, target: str) -> None:
        """Let a translation change places with the word beside it that `_` stands for; unless that
        word moves itself.
        """
        beside, moved = position + (1 if target.startswith("_") else -1), target.strip("_ ")
        neighbour = changes.get(beside, self.words[beside].text)
        changes[position] = moved
        if "_" not in neighbour:
            first, second = min(position, beside), max(position, beside)
            texts = {position: neighbour, beside: moved}
            changes[first] = words.cased(self.words[first].text, texts[first])
            changes[second] = words.cased(self.words[second].text, texts[second])

    def positions(self) -> list[int]:
        """The numbers of the chosen words in the order of the text."""
        return sorted(self.order[position] for position in self.chosen)

    def swaps(self) -> list[list]:
        """Number, source and target of every exchanged word, in the order of the text."""
        return [
            [number, self.words[number].text, self.targets[number].strip("_ ")]
            for number in self.positions()
        ]

    def resample(self, make: Callable[[], Random]) -> None:
        """The least important chosen word gives way to one never chosen before, drawn at random; to
        none where no such word is left.
        """
        if self.rest is None:
            self.rest, self.generator = list(range(len(self.chosen), len(self.order))), make()
        self.chosen.remove(max(self.chosen))
        if self.rest:
            self.chosen.append(self.rest.pop(self.generator.randrange(len(self.rest))))
        self.tries += 1
        self.write()

    def end(self, outcome: str) -> None:
        """Settle the outcome; the text stays as it was unless it is `mixed`."""
        self.outcome, self.generator = outcome, None
        if outcome != "mixed":
            self.chosen = []
            self.similarity = float("nan")
            self.write()


def rows_of(frame: pd.DataFrame, answers, stop_words: frozenset[str], seed: int) -> list[Row]:
    """The examples of a frame `id, text, label` with the classifier's answers."""
    rows, columns = [], (frame["id"], frame["text"], frame["label"], answers)
    for example, text, label, answer in zip(*columns, strict=True):
        tokens = words.words(text)
        free = {at for at, word in enumerate(tokens) if words.key(word.text) not in stop_words}
        key = perturb.key(seed, example)
        rows.append(Row(example, text, label, answer == label, tokens, free, key))
    return rows


def targets_of(translator, rows: list[Row]) -> list[dict[int, str]]:
    """For every row the translations, in the case of the text, of the words that have one."""
    return [
        {
            number: words.cased(row.words[number].text, target)
            for number, target in translator.targets(row.text, row.words).items()
        }
        for row in rows
    ]


def orders(
    rows: list[Row], wanted: list[set[int]], importances: list[np.ndarray] | None
) -> list[list[int]]:
    """The numbers of each row's words, best first: by importance and place, or, without
    importances, in random order.
    """
    if importances is None:
        return [Random(row.seed).sample(range(len(row.words)), len(row.words)) for row in rows]
    ranked = []
    for positions, values in zip(wanted, importances, strict=True):
        ranked.append(sorted(positions, key=lambda at, values=values: (-values[at], at)))
    return ranked


def start(row: Row, targets: dict[int, str], order: list[int], rate: float) -> Mix:
    """A row in one setting, with its outcome where it is not attacked."""
    candidates = [position for position in order if position in targets and position in row.free]
    reasons = {
        "wrong already": not row.right,
        "no words": not row.words,
        "not asked": rate == 0,
        "stop words only": not row.free,
        "no translation": not candidates,
    }
    outcome = next((reason for reason, holds in reasons.items() if holds), "")
    asked = max(1, round(rate * len(row.words))) if rate and row.right and row.words else 0
    return Mix(row.text, row.words, targets, [] if outcome else candidates, asked, outcome)


def settle(
    mixes: list[Mix], makers: list[Callable[[], Random]], similarity, alpha: float, tries: int
) -> None:
    """Give every mix without an outcome one: `mixed` or `too dissimilar`. All that are below alpha
    are measured together, once a try.
    """
    pending = [(mix, make) for mix, make in zip(mixes, makers, strict=True) if not mix.outcome]
    while pending and similarity is not None:
        scores = similarity.scores(
            [mix.text for mix, _ in pending], [mix.perturbed for mix, _ in pending]
        )
        below = []
        for (mix, make), score in zip(pending, scores, strict=True):
            mix.similarity = float(score)
            if mix.similarity >= alpha:
                mix.end("mixed")
            elif mix.tries == tries:
                mix.end("too dissimilar")
            else:
                mix.resample(make)
                below.append((mix, make))
        pending = [(mix, make) for mix, make in below if mix.chosen]
        for mix, _ in below:
            if not mix.chosen:
                mix.end("too dissimilar")
    for mix, _ in pending:
        mix.end("mixed")
