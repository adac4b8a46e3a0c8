"""The word lists of the verb perturbations, read once, with the line of a bad row."""

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tahanuji import paths, words
from tahanuji.codemix.dictionaries import read, refuse
from tahanuji.errors import InputError
from tahanuji.words import Word

FOLDER = paths.DATA / "lexicons"
KINDS = ("any", "action")
REGISTERS = ("neutral", "formal", "colloquial")


_BREAK = re.compile(r"[.,!?;:()\"\u201c\u201d\u2026\u2014\u2013]")
_APOSTROPHES = "'\u2019"
_CONTRACTED = frozenset(("s", "re", "m", "ve", "d", "ll"))


def members(text: str) -> frozenset[str]:
    """The words of a string as a set."""
    return frozenset(text.split())


class Sentence:
    """The words of a text with what decides about verbs: their keys, and whether punctuation stands
    before them (`starts`).
    """

    def __init__(self, text: str):
        self.text, self.words = text, words.words(text)
        self.keys = [self._key(word) for word in self.words]
        gaps = [
            text[word.end : after.start]
            for word, after in zip(self.words, self.words[1:], strict=False)
        ]
        self.starts = [True, *(gap != " " and _BREAK.search(gap) is not None for gap in gaps)]

    def _key(self, word: Word) -> str:
        key = (
            word.text
            if word.text.isascii() and word.text.islower() and word.text.isalpha()
            else words.key(word.text)
        )
        return (
            f"'{key}"
            if key in _CONTRACTED and word.start and self.text[word.start - 1] in _APOSTROPHES
            else key
        )

    def key(self, at: int) -> str:
        """The word at a place, empty beyond the ends."""
        return self.keys[at] if 0 <= at < len(self.keys) else ""

    def before(self, at: int) -> str:
        """The word before a place in the same clause, empty where there is none."""
        return "" if at <= 0 or self.starts[at] else self.keys[at - 1]

    def following(self, at: int) -> str:
        """The word after a place in the same clause, empty where there is none."""
        return "" if at + 1 >= len(self.keys) or self.starts[at + 1] else self.keys[at + 1]


def put_before(word: Word, added: str, first: bool) -> str:
    """An added word and the word after it; a word in capitals makes the added one so, the first of
    a text hands its capital on.

    >>> put_before(Word(0, 7, "Dibayar"), "langsung", True)
    'Langsung dibayar'
    """
    if word.text.isupper() and len(word.text) > 1:
        return f"{added.upper()} {word.text}"
    if first and word.text[:1].isupper() and word.text[1:].islower():
        return f"{added[:1].upper()}{added[1:]} {word.text[:1].lower()}{word.text[1:]}"
    return f"{added} {word.text}"


class Adverb(NamedTuple):
    """An adverb that can stand before a verb: `kind` any (also know, like, have) or action (only
    what somebody does or what happens).
    """

    text: str
    kind: str
    register: str


def table(
    path: Path, header: tuple[str, ...], optional: tuple[str, ...] = (), **allowed: tuple[str, ...]
) -> list[list[str]]:
    """The rows below the header of a word list, whose cells are lower-case words but in a column
    `note`.

    InputError, with the line, for an empty cell that is not `optional`, another cell, one that is
    not `allowed` in its column, and a repeated row.
    """
    rows = read(path, len(header))
    _, first = next(rows, (1, []))
    if tuple(first) != header:
        raise InputError(
            f"{paths.shown(path)} begins with the columns {', '.join(first)}, not "
            f"{', '.join(header)}."
        )
    result, seen = [], {}
    for line, row in rows:
        for name, cell in zip(header, row, strict=True):
            if not cell and name not in optional:
                refuse(path, line, f"has no {name}")
            if cell and name != "note" and (not words.phrase(cell) or cell != cell.lower()):
                refuse(path, line, f"has {cell!r} as {name}, which is not in lower-case words")
            if cell not in allowed.get(name, (cell,)):
                refuse(
                    path,
                    line,
                    f"has the {name} {cell!r}; allowed are "
                    f"{', '.join(filter(None, allowed[name]))}",
                )
        if (earlier := seen.setdefault(tuple(row), line)) != line:
            refuse(path, line, f"repeats line {earlier}")
        result.append(row)
    return result


def adverbs(language: str) -> list[Adverb]:
    """The adverbs of a language, data/lexicons/adverbs_<language>.csv."""
    return adverbs_of(FOLDER / f"adverbs_{language}.csv")


@cache
def adverbs_of(path: Path) -> list[Adverb]:
    """The adverbs of a file with the columns adverb, kind, register."""
    return [
        Adverb(*row)
        for row in table(path, ("adverb", "kind", "register"), kind=KINDS, register=REGISTERS)
    ]
