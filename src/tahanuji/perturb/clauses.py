"""The words of a text as clauses: their keys, where one begins, and words put before others."""

import re

from tahanuji import lexicons, words
from tahanuji.words import Word

_BREAK = re.compile(r"[.,!?;:()\"\u201c\u201d\u2026\u2014\u2013]")
_APOSTROPHES = "'\u2019"


class Sentence:
    """The words of a text with what decides about verbs: their keys, and whether punctuation stands
    before them (`starts`).
    """

    def __init__(self, text: str):
        self.text, self.words = text, words.words(text)
        self._clitics = lexicons.members("en", "clitic")
        self.keys = [self._key(word) for word in self.words]
        pairs = zip(self.words, self.words[1:], strict=False)
        gaps = [text[word.end : after.start] for word, after in pairs]
        self.starts = [True, *(gap != " " and _BREAK.search(gap) is not None for gap in gaps)]

    def _key(self, word: Word) -> str:
        key = words.key(word.text)
        clitic = f"'{key}"
        if word.start and self.text[word.start - 1] in _APOSTROPHES and clitic in self._clitics:
            return clitic
        return key

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
