"""Phrases of a list found in a text: the longest first, whole words only, with single blanks
between them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeVar

from tahanuji import lexicons, words

Value = TypeVar("Value")


class Match(NamedTuple):
    """Where a phrase stands: the words of the text, and which of them are the phrase,
    `tokens[at:end]`.
    """

    text: str
    tokens: list[words.Word]
    at: int
    end: int

    @property
    def word(self) -> words.Word:
        """The phrase as if it were one word."""
        start, stop = self.tokens[self.at].start, self.tokens[self.end - 1].end
        return words.Word(start, stop, self.text[start:stop])

    def before(self) -> str:
        """The lower-case word that stands a single blank before the phrase, else nothing."""
        return (
            words.key(self.tokens[self.at - 1].text)
            if self.at and together(self.text, self.tokens[self.at - 1 : self.at + 1])
            else ""
        )

    def after(self) -> str:
        """The lower-case word that stands a single blank after the phrase, else nothing."""
        pair = self.tokens[self.end - 1 : self.end + 1]
        return words.key(pair[1].text) if len(pair) == 2 and together(self.text, pair) else ""


def together(text: str, tokens: list[words.Word]) -> bool:
    """Whether words stand with single blanks between them."""
    return all(
        text[one.end : other.start] == " " for one, other in zip(tokens, tokens[1:], strict=False)
    )


def whole(match: Match) -> bool:
    """Whether an Indonesian phrase keeps its full form beside the word before or after it (akan
    tetapi, tahu isi).
    """
    first, last = (words.key(match.tokens[at].text) for at in (match.at, match.end - 1))
    pairs = {f"{match.before()} {first}", f"{last} {match.after()}"}
    return not pairs.isdisjoint(lexicons.members("id", "no short form"))


def lengths(phrases: Iterable[str]) -> dict[str, int]:
    """How many words the longest phrase has that begins with a word.

    >>> lengths(["tidak", "tidak tahu", "di mana"])
    {'tidak': 2, 'di': 2}
    """
    longest: dict[str, int] = {}
    for phrase in phrases:
        first = phrase.partition(" ")[0]
        longest[first] = max(phrase.count(" ") + 1, longest.get(first, 0))
    return longest


def find(
    text: str,
    table: Mapping[str, Value],
    longest: dict[str, int],
    fit: Callable[[Match, Value], Value | None] = lambda match, value: value,
    tokens: list[words.Word] | None = None,
) -> Iterator[tuple[words.Word, Value]]:
    """The phrases of `table` in a text from left to right, none inside another, with what `fit`
    makes of their values.

    Where it makes nothing of one, a shorter phrase is tried. `tokens`: the words of the text, where
    they are known already.
    """
    tokens, free = words.words(text) if tokens is None else tokens, 0
    keys = _keys(text, tokens)
    for at in [at for at, key in enumerate(keys) if key in longest]:
        for end in range(min(len(tokens), at + longest[keys[at]]), at, -1) if at >= free else ():
            value = table.get(keys[at] if end == at + 1 else " ".join(keys[at:end]))
            if (
                value is not None
                and together(text, tokens[at:end])
                and (value := fit(match := Match(text, tokens, at, end), value))
            ):
                yield match.word, value
                free = end
                break


def _keys(text: str, tokens: list[words.Word]) -> list[str]:
    """The words.key of every word; ASCII texts are put in lower case as a whole, which is twice as
    fast.
    """
    if not text.isascii():
        return [words.key(word.text) for word in tokens]
    lowered = words.key(text)
    return [lowered[start:end] for start, end, _ in tokens]
