"""Perturbations of characters: the typos of the thesis."""

import random
from collections.abc import Callable


def typos() -> Callable[[str, float, random.Random], str | None]:
    """The thesis's typos (Viannisa, 2025, Listing 3.7): every word longer than three characters is
    hit with probability `rate`.

    A hit swaps two neighbouring letters or deletes one, each with probability one half, at a
    uniform position after the first letter, which is never touched (the last one can be swapped,
    never deleted). Draws are those of the listing, so a generator in the same state gives the
    listing's text. Words are what white space separates; a swap of equal letters changes nothing
    and does not count.

    >>> typos()("kopi susunya nikmat", 1.0, random.Random(3))
    'koip susuna nikmta'
    """
    return _typos


def _typos(text: str, rate: float, rng: random.Random) -> str | None:
    draw, bits = rng.random, rng.getrandbits
    words, changed = text.split(), False
    for number, word in enumerate(words):
        if len(word) > 3 and draw() < rate:
            delete = bits(2)
            while delete > 1:  # random.choice of two, without its call overhead
                delete = bits(2)
            span = len(word) - 2
            size = span.bit_length()
            at = bits(size)
            while at >= span:  # random.randint(1, span), likewise
                at = bits(size)
            at += 1
            typo = (
                word[:at] + word[at + 1 :]
                if delete
                else word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            )
            changed = changed or typo != word
            words[number] = typo
    return " ".join(words) if changed else None
