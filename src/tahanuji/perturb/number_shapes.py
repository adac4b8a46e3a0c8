"""Numbers in a text: where their figures stand, and others of the same shape."""

import functools
import random
import re
from collections.abc import Iterator

from tahanuji import lexicons
from tahanuji import words as wording

_PHONE = r"(?<!\w)\(?(?:\+|0)\d[\d\s().-]{6,}\d(?!\w)"
_TOKEN = re.compile(
    rf"{'|'.join(wording.NO_WORDS)}|{_PHONE}|(?<![\w.,:/+%$€£-])(?P<token>[\w.,:/+%$€£-]+)"
)
_FIGURES = r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d\d?)?|\d{1,7}(?:[.,]\d\d?)?"
_CLOCK = re.compile(r"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d)?")
_CLOCK_ID = re.compile(r"(?:[01]?\d|2[0-4])[.:][0-5]\d")
_DIGITS = tuple(
    "0123456789"
)  # alone they do not become 1, which asks for another noun in English (1 people)
_KEYCAP = ("\ufe0f", "\u20e3")  # what makes an emoji of a figure


@functools.cache
def _amount() -> re.Pattern:
    """An amount in figures, with the currencies and units of both languages."""
    money, unit = (
        "|".join(word for language in ("id", "en") for word in lexicons.values(language, name))
        for name in ("currency", "unit of an amount")
    )
    return re.compile(
        rf"[-+]?(?:(?:{money})\.?|[$€£])?(?P<figures>{_FIGURES})(?:%|{unit})?", re.IGNORECASE
    )


def sites(text: str, language: str) -> Iterator[tuple[int, int]]:
    """Where the figures of the numbers stand."""
    for hit in _TOKEN.finditer(text):
        token, start = hit["token"], hit.start()
        if (
            not token
            or not any("0" <= letter <= "9" for letter in token)
            or text[hit.end() : hit.end() + 1] in _KEYCAP
        ):
            continue
        core = token.rstrip(".,:/+-")
        clock = _CLOCK.fullmatch(core) or (language == "id" and _CLOCK_ID.fullmatch(core))
        pieces = [(start, core)] if _amount().fullmatch(core) else _pair(start, core)
        parts = [(at, _amount().fullmatch(piece)) for at, piece in pieces]
        if not clock and core != "24/7" and all(hit and _plain(hit) for _, hit in parts):
            yield from ((at + hit.start("figures"), at + hit.end("figures")) for at, hit in parts)


def _pair(start: int, core: str) -> list[tuple[int, str]]:
    """The two parts of a range or ratio (3-14, 9/10) with their places."""
    for sign in "/-":
        first, _, second = core.partition(sign)
        if first != core and first:
            return [(start, first), (start + len(first) + 1, second)]
    return [(start, core)]


def _plain(hit: re.Match) -> bool:
    """Whether an amount has ASCII figures and no leading zero but that of a fraction."""
    figures = hit["figures"]
    return figures.isascii() and (
        figures[0] != "0"
        or len(figures) == 1
        or (figures[1] in ".," and figures.strip("0.,") != "")
    )


def series(language: str) -> dict[str, list[str]]:
    """Every number word of a language that can be exchanged, with the words of its series."""
    numbers = lexicons.values(language, "number word")
    return {
        word: [other for other, series in numbers.items() if series == own]
        for word, own in numbers.items()
    }


def other(old: str, others: dict[str, list[str]], rng: random.Random) -> str:
    """Another number of the same shape, or another number word of the same series."""
    if not old[0].isdecimal():
        key = wording.key(old)
        return wording.cased(old, rng.choice([word for word in others[key] if word != key]))
    figures = re.sub(r"\D", "", old)
    if len(old) == len(figures) == 4 and "1900" <= old <= "2099":
        return str(_draw(1950, 2029, int(old), rng))
    lead = figures[: len(figures) - len(figures.lstrip("0"))] if len(figures) > 1 else ""
    core = figures[len(lead) :].rstrip("0") or "0"
    low, high = (2, 9) if old in _DIGITS else (10 ** (len(core) - 1), 10 ** len(core) - 1)
    fresh = iter(lead + str(_draw(low, high, int(core), rng)) + figures[len(lead) + len(core) :])
    return "".join(next(fresh) if letter.isdecimal() else letter for letter in old)


def _draw(low: int, high: int, old: int, rng: random.Random) -> int:
    """A number from low to high that is not the old one."""
    if not low <= old <= high:
        return rng.randint(low, high)
    fresh = rng.randint(low, high - 1)
    return fresh + (fresh >= old)
