"""How much of a text a perturbation takes: a share of the text's own characters, words or sites,
and what came of it.

A rate asks for `count(units, rate)` units: never none where anything is asked and there is
something to change. A known toolkit asks for ceil(rate x units) + 1 characters, so that its 5% of a
tweet is 6%; the achieved share therefore stands beside the asked one everywhere.
"""

import random
from collections.abc import Sequence

from rapidfuzz.distance import OSA

from tahanuji import words
from tahanuji.errors import InputError, unknown

LANGUAGES = {"id": "Indonesian", "en": "English"}


def check_language(language: str, owner: str, languages=LANGUAGES) -> str:
    """The language code where `owner` has it; else an InputError that says which it has."""
    if language not in languages:
        raise unknown("language", language, languages, f"These are the languages of {owner}.")
    return language


def count(units: int, rate: float) -> int:
    """How many of so many units a rate asks for: the nearest whole number (halves up), at least one
    for a rate above 0, at most all.

    >>> count(40, 0.05), count(7, 0.05), count(0, 0.5), count(10, 0.0), count(10, 0.25)
    (2, 1, 0, 0, 3)
    """
    if not 0 <= rate <= 1:
        raise InputError(f"a perturbation rate lies between 0 and 1, and {rate!r} does not.")
    return min(units, max(1, int(rate * units + 0.5))) if rate else 0


def chosen(sites: Sequence, rate: float, rng: random.Random, units: int | None = None) -> list:
    """The sites to change, in their order: `count(units, rate)` of them drawn without repetition;
    `units` is the number of sites unless given.

    >>> len(chosen("abcdefgh", 0.25, random.Random(1)))
    2
    >>> len(chosen("ab", 0.25, random.Random(1), units=8))
    2
    """
    wanted = min(len(sites), count(len(sites) if units is None else units, rate))
    return [sites[place] for place in sorted(rng.sample(range(len(sites)), wanted))]


def achieved(unit: str, text: str, perturbed: str | None) -> float:
    """The share of a text's characters or words that was changed, from 0 to 1, 0 for None.

    Of characters: edits (insertion, deletion, exchange, swap of neighbours) over the characters
    that are no white space; of words: the same over the words of `tahanuji.words`, of which a rate
    asks for a share, so not over punctuation; of other perturbations, whose places may be anything:
    the same over white-space tokens. More than 1 (a text that grew beyond double) counts 1.

    >>> achieved("character", "bagus", "bgaus")
    0.2
    >>> achieved("word", "enak , murah !", "lezat , murah !")
    0.5
    >>> achieved("other", "enak , murah !", "enak , murah")
    0.25
    """
    if unit not in ("character", "word", "other"):
        raise unknown("unit", unit, ("character", "word", "other"))
    if perturbed is None or perturbed == text:
        return 0.0
    split = {"character": str, "word": _words, "other": str.split}[unit]
    old, new = split(text), split(perturbed)
    length = sum(map(len, text.split())) if unit == "character" else len(old)
    return min(1.0, OSA.distance(old, new) / max(1, length))


def _words(text: str) -> list[str]:
    return [word.text for word in words.words(text)]
