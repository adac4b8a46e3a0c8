"""Perturbations of negation words."""

import random
import re
from collections.abc import Callable

VARIANTS = ("enggak", "nggak", "gak", "engga", "ngga", "ga", "ndak")
NEGATORS = ("tidak", "tak", "bukan", "belum", "jangan", "tanpa", *VARIANTS)
_NEGATORS = re.compile(rf"\b(?:{'|'.join(NEGATORS)})\b", re.IGNORECASE)


def substitute(
    variant: str = "nggak", word: str = "tidak"
) -> Callable[[str, float, random.Random], str | None]:
    """Every whole `word` becomes `variant` with probability `rate`, its case kept: tidak, Tidak,
    TIDAK to gak, Gak, GAK.

    The thesis replaces all of them (rate 1) and lower-cases them (Viannisa, 2025, Listing 3.5); its
    variants are nggak and gak, further colloquial ones of its section 2.4 are in VARIANTS. Texts
    without `word` give None.

    >>> substitute("nggak")("Tidak mahal , tidak ramai .", 1.0, random.Random(0))
    'Nggak mahal , nggak ramai .'
    """
    pattern = re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE)

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        changed = pattern.sub(
            lambda hit: as_in(hit[0], variant) if rng.random() < rate else hit[0], text
        )
        return changed if changed != text else None

    return replace


def as_in(model: str, word: str) -> str:
    """The word in the case of a model: all capitals, a capital first letter, or lower case."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return word.capitalize() if model[:1].isupper() else word


def contains(text: str, word: str = "tidak") -> bool:
    """Whether a whole word stands in a text, in any case."""
    return re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def count(text: str) -> int:
    """How many negation words (NEGATORS: the thesis's of section 2.4, and *tanpa*) stand in a text."""
    return len(_NEGATORS.findall(text))
