"""Perturbations of whole sentences: insertion."""

import random

from tahanuji.errors import InputError, unknown
from tahanuji.perturb.registry import Function, perturbation

PLACES = ("end", "start")


@perturbation(
    name="insertion",
    level="other",
    capability="sentiment of an added sentence",
    test_type="DIR",
    rateable=False,  # the whole text and a fixed sentence
    source="Viannisa (2025), section 3.6.2, Tables 3.8 and 3.9",
    grid=False,
)
def insert(language: str = "id", sentence: str = "", position: str = "end") -> Function:
    """The text with a sentence added at its `end` or `start`, with probability `rate` (Viannisa,
    2025, Table 3.8 adds it to every text).

    >>> insert(sentence="saya cinta matematika .")("oke .", 1.0, random.Random(0))
    'oke . saya cinta matematika .'
    """
    added = " ".join(sentence.split())
    if not added:
        raise InputError("insertion needs a sentence to add; give it in the option sentence.")
    if position not in PLACES:
        raise unknown("position", position, PLACES)

    def extend(text: str, rate: float, rng: random.Random) -> str | None:
        if rng.random() >= rate:
            return None
        return f"{text} {added}" if position == "end" else f"{added} {text}"

    return extend
