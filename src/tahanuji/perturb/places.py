"""Where the characters of a text may be changed, in which order they are drawn, and which keys
touch on a keyboard.

Never changed are mentions, hashtags, links, e-mail addresses, placeholders, emoticons, emoji, and
letters under combining marks.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any
from unicodedata import category

from tahanuji import words

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LATIN, PLAIN = re.compile("[A-Za-z]+"), re.compile("[A-Za-z0-9]+")
# The rows of an ANSI keyboard and how far each begins to the right of the row of figures, in widths
# of a key.
ROWS = (("1234567890", 0.0), ("qwertyuiop", 0.5), ("asdfghjkl", 0.75), ("zxcvbnm", 1.25))
_FACES = r"(?<!\w)[A-Za-z]_+[A-Za-z](?!\w)|<[/\\]?3+|[:;=]-?3(?!\w)"
_PROTECTED = re.compile("|".join((*words.NO_WORDS, _FACES)))
# The bytes of an ASCII text: which are white space, where free ones stand together, and for each
# pattern 1 where it matches (bytes.translate).
_WHITE = bytes(code for code in range(128) if chr(code).isspace())
_RUNS = re.compile(rb"\x01+")
ALLOWED = {
    pattern: bytes(code < 128 and pattern.match(chr(code)) is not None for code in range(256))
    for pattern in (LATIN, PLAIN)
}


def _neighbours() -> dict[str, str]:
    at = {
        key: (place + shift, row)
        for row, (keys, shift) in enumerate(ROWS)
        for place, key in enumerate(keys)
    }

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
    if text.isascii():
        return len(text.encode().translate(None, _WHITE))
    return len("".join(text.split()))


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


def free(text: str, pattern: re.Pattern) -> bytearray:
    """A byte for every character and one for the end: 1 for those of LATIN or PLAIN that may be
    changed, else 0.

    A letter that carries a combining mark is not free, nor is a run of letters of which a part is
    protected.

    >>> list(free("2x di", LATIN))
    [0, 1, 0, 1, 1, 0]
    """
    result = bytearray(text.encode("ascii", "replace").translate(ALLOWED[pattern]) + b"\0")
    if not text.isascii():
        for place, character in enumerate(text):
            if character > "\u02ff" and place and category(character)[0] == "M":
                result[place - 1] = 0
    for hit in _PROTECTED.finditer(text) if words.marked(text) else ():
        start, end = hit.span()
        while start and result[start] and result[start - 1]:
            start -= 1
        while result[end - 1] and result[end]:
            end += 1
        result[start:end] = bytes(end - start)
    return result


def runs(text: str, pattern: re.Pattern) -> list[tuple[int, int]]:
    """Where free characters of LATIN or PLAIN stand together.

    >>> runs("tiket @budi 2x", PLAIN)
    [(0, 5), (12, 14)]
    """
    return [hit.span() for hit in _RUNS.finditer(free(text, pattern))]


def changed(text: str, parts: Sequence[str]) -> str | None:
    """The text that the parts make, None where it is the old one."""
    result = "".join(parts)
    return result if result != text else None
