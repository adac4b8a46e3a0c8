"""Perturbations of negation words, and how many of them a text has."""

from __future__ import annotations

import functools
import random
import re
from typing import TYPE_CHECKING

from tahanuji import lexicons, words
from tahanuji.errors import InputError
from tahanuji.perturb.registry import Function, perturbation

if TYPE_CHECKING:
    import pandas as pd


@perturbation(
    name="negation",
    level="other",
    capability="negation: colloquial variants",
    test_type="INV",
    family="abbreviation",
    rated_options={"variant": {"id": ("enggak", "gak", "engga", "ngga", "ga", "ndak")}},
    source="Viannisa (2025), sections 2.4 and 3.6.2, Listing 3.5",
    grid=False,
)
def substitute(language: str = "id", variant: str = "nggak", word: str = "tidak") -> Function:
    """Every whole `word` becomes `variant` with probability `rate`, its case kept: tidak, Tidak,
    TIDAK to gak, Gak, GAK.

    The thesis replaces all of them (rate 1) and lower-cases them (Viannisa, 2025, Listing 3.5); its
    variants are nggak and gak; further colloquial ones of its section 2.4 are the class `variant of
    tidak` of data/lexicons/word_classes_id.csv. Texts without `word` give None; links, addresses
    and #tags stay.

    >>> substitute()("Tidak mahal , tidak ramai .", 1.0, random.Random(0))
    'Nggak mahal , nggak ramai .'
    """
    pattern = _whole(word)

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        def one(hit: re.Match) -> str:
            meant = hit["word"] and rng.random() < rate
            return words.cased(hit[0], variant) if meant else hit[0]

        changed = pattern.sub(one, text)
        return changed if changed != text else None

    return replace


def contains(text: str, word: str = "tidak") -> bool:
    """Whether a whole word stands in a text, in any case; not in a link, an address or a #tag."""
    return any(hit["word"] for hit in _whole(word).finditer(text))


@functools.cache
def _whole(word: str) -> re.Pattern:
    """The word in the group `word`, and what is no word without it; InputError for no word."""
    if not word.strip():
        raise InputError("the word to replace is empty; name one, such as tidak.")
    return re.compile(rf"{'|'.join(words.NO_WORDS)}|(?P<word>\b(?i:{re.escape(word)})\b)")


def having(frame: pd.DataFrame, word: str = "tidak") -> pd.DataFrame:
    """The rows of a frame `text` whose texts have the word; InputError where none has."""
    kept = frame[frame["text"].map(lambda text: contains(text, word))]
    if kept.empty:
        raise InputError(
            f"none of {len(frame)} texts has the word {word!r}; there is nothing to replace, so "
            f"give another word or other texts."
        )
    return kept.reset_index(drop=True)


def count(text: str) -> int:
    """How many negation words (the thesis's of section 2.4, and *tanpa*) stand in a text.

    >>> count("tidak enak , nggak murah , setidaknya dekat")
    2
    """
    return len(_negators().findall(text))


@functools.cache
def _negators() -> re.Pattern:
    negators = "|".join(sorted(lexicons.members("id", "negator", "variant of tidak")))
    return re.compile(rf"\b(?:{negators})\b", re.IGNORECASE)
