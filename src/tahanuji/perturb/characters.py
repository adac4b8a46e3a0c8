"""The typos of the thesis on sentiment (Viannisa, 2025)."""

import random

from tahanuji.perturb.registry import Function, perturbation


@perturbation(
    name="typos",
    level="word",
    capability="robustness: orthographical errors",
    test_type="INV",
    family="typing",
    rate=0.3,
    source="Viannisa (2025), section 3.6.2, Listing 3.7",
    languages=("id", "en"),
    grid=False,
)
def typos(language: str = "id") -> Function:
    """The thesis's typos (Viannisa, 2025, Listing 3.7): every word longer than three characters is
    hit with probability `rate`.

    A hit swaps two neighbouring letters or deletes one, each with probability one half, at a
    uniform position after the first letter, which is never touched (the last one can be swapped,
    never deleted). Draws are those of the listing, so a generator in the same state gives the
    listing's text, in any language. Words are what white space separates; a swap of equal letters
    changes nothing and does not count.

    >>> typos()("kopi susunya nikmat", 1.0, random.Random(3))
    'koip susuna nikmta'
    """
    return _typos


def _typos(text: str, rate: float, rng: random.Random) -> str | None:
    """The listing: it draws whether a word is hit, swap or delete, and the position."""
    words = text.split()
    typed = [_typo(word, rng) if len(word) > 3 and rng.random() < rate else word for word in words]
    return " ".join(typed) if typed != words else None


def _typo(word: str, rng: random.Random) -> str:
    """The word with two neighbouring letters swapped or one deleted."""
    kind = rng.choice(["swap", "delete"])
    at = rng.randint(1, len(word) - 2)
    if kind == "delete":
        return word[:at] + word[at + 1 :]
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
