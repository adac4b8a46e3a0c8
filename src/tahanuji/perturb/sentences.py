"""Perturbations of whole sentences: insertion."""

import random
from collections.abc import Callable


def insert(
    sentence: str, position: str = "end"
) -> Callable[[str, float, random.Random], str | None]:
    """The text with a sentence added at its `end` or `start`, with probability `rate` (Viannisa,
    2025, Table 3.8 adds it to every text).

    >>> insert("saya cinta matematika .")("oke .", 1.0, random.Random(0))
    'oke . saya cinta matematika .'
    """
    added = " ".join(sentence.split())

    def extend(text: str, rate: float, rng: random.Random) -> str | None:
        if not added or rng.random() >= rate:
            return None
        return f"{text} {added}" if position == "end" else f"{added} {text}"

    return extend
