"""Where the characters of a text may be changed, in which order they are drawn, and which keys touch on a keyboard.

Never changed are mentions, hashtags, links, e-mail addresses, placeholders, emoticons, emoji, and letters under combining marks.
"""

import random
import re
from collections.abc import Iterator, Sequence
from itertools import compress
from typing import Any
from unicodedata import category

from helpers import words

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LATIN, PLAIN = re.compile("[A-Za-z]+"), re.compile("[A-Za-z0-9]+")
# The rows of an ANSI keyboard and how far each begins to the right of the row of figures, in widths of a key.
ROWS = (("1234567890", 0.0), ("qwertyuiop", 0.5), ("asdfghjkl", 0.75), ("zxcvbnm", 1.25))
_FACES = r"(?<!\w)[A-Za-z]_+[A-Za-z](?!\w)|<[/\\]?3+|[:;=]-?3(?!\w)"
_PROTECTED = re.compile("|".join((*words.NO_WORDS, _FACES)))
# The bytes of an ASCII text: which are white space, and for each pattern 1 where it matches.
_WHITE = bytes(code for code in range(128) if chr(code).isspace())
_ALLOWED = {pattern: bytes(code < 128 and pattern.match(chr(code)) is not None for code in range(256)) for pattern in (LATIN, PLAIN)}


def _neighbours() -> dict[str, str]:
    at = {key: (place + shift, row) for row, (keys, shift) in enumerate(ROWS) for place, key in enumerate(keys)}

    def touch(one: str, other: str) -> bool:
        (x, row), (x2, row2) = at[one], at[other]
        return abs(x - x2) == 1 if row == row2 else abs(row - row2) == 1 and abs(x - x2) < 1

    keys = {one: "".join(other for other in at if touch(one, other)) for one in at}
    return keys | {key.upper(): others.upper() for key, others in keys.items() if key.isalpha()}


NEIGHBOURS = _neighbours()


def visible(text: str) -> int:
    """How many characters of a text are not white space.

    >>> visible("dua porsi")
    8
    """
    return len(text.encode().translate(None, _WHITE)) if text.isascii() else len("".join(text.split()))


def pick(options: Sequence, rng: random.Random) -> Any:
    """One of the options: random.choice without its call overhead."""
    return options[int(rng.random() * len(options))]


def drawn(sites: Sequence, rng: random.Random) -> Iterator:
    """The sites in random order, each drawn only when it is asked for.

    >>> list(drawn("abcd", random.Random(3)))
    ['a', 'b', 'd', 'c']
    """
    rest, draw = list(sites), rng.random
    for size in range(len(rest), 0, -1):
        place = int(draw() * size)
        yield rest[place]
        rest[place] = rest[size - 1]


def runs(text: str, pattern: re.Pattern) -> list[tuple[int, int]]:
    """Where the matches of a pattern lie that may be changed; a last character that carries a combining mark is left out of its run.

    >>> runs("tiket @budi 2x", PLAIN)
    [(0, 5), (12, 14)]
    """
    found = [hit.span() for hit in pattern.finditer(text)]
    if not text.isascii():
        found = [(start, end - (category(text[end : end + 1] or " ")[0] == "M")) for start, end in found]
    if words.marked(text):
        inside = {place for hit in _PROTECTED.finditer(text) for place in range(*hit.span())}
        found = [(start, end) for start, end in found if inside.isdisjoint(range(start, end))]
    return found


def free(text: str, pattern: re.Pattern) -> bytearray:
    """A byte for every character and one for the end: 1 in the `runs` of LATIN or PLAIN, else 0.

    >>> list(free("2x di", LATIN))
    [0, 1, 0, 1, 1, 0]
    """
    if text.isascii() and not words.marked(text):
        return bytearray(text.encode().translate(_ALLOWED[pattern]) + b"\0")
    result = bytearray(len(text) + 1)
    for start, end in runs(text, pattern):
        result[start:end] = b"\1" * (end - start)
    return result


def places(text: str, pattern: re.Pattern) -> list[int]:
    """The single places of `runs`, of LATIN or PLAIN."""
    return list(compress(range(len(text)), free(text, pattern)))


def changed(text: str, parts: Sequence[str]) -> str | None:
    """The text that the parts make, None where it is the old one."""
    result = "".join(parts)
    return result if result != text else None
