"""Perturbations: pure functions `(text, rate, rng) -> str | None` and their registry.

None means "does not apply or changed nothing": an unchanged text never counts as perturbed. The
generator handed to a function comes from (seed, example id), so that order, subset and batch size
cannot change a perturbation. A function may also have `many(texts, rate, keys)` for many texts at
once (`batches.Batched`); `apply` then hands over the numbers that would have seeded the generators,
and a single call with such a generator draws otherwise.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

import pandas as pd

from tahanuji import data
from tahanuji.errors import unknown
from tahanuji.perturb import characters, negation, sentences

Function = Callable[[str, float, random.Random], str | None]


@dataclass(frozen=True)
class Perturbation:
    """What a perturbation does and tests: `capability` and `test_type` (INV, DIR, MFT) as in
    CheckList, `source` as paper and section.

    `level`: its rate is a share of the text's characters (`character`), of its words (`word`) or of
    the places where it applies (`other`).
    """

    name: str
    function: Callable[..., Function]
    capability: str
    test_type: str
    source: str
    level: str = "other"
    languages: tuple[str, ...] = ("id",)


REGISTRY = {
    entry.name: entry
    for entry in (
        Perturbation(
            "typos",
            characters.typos,
            "robustness: orthographical errors",
            "INV",
            "Viannisa (2025), section 3.6.2, Listing 3.7",
            "word",
        ),
        Perturbation(
            "negation",
            negation.substitute,
            "negation: colloquial variants",
            "INV",
            "Viannisa (2025), sections 2.4 and 3.6.2, Listing 3.5",
        ),
        Perturbation(
            "insertion",
            sentences.insert,
            "sentiment of an added sentence",
            "DIR",
            "Viannisa (2025), section 3.6.2, Tables 3.8 and 3.9",
        ),
    )
}


def make(name: str, **options) -> Function:
    """The function `(text, rate, rng) -> str | None` of a registered perturbation with its options.

    >>> make("negation", variant="gak")("Tidak enak .", 1.0, random.Random(1))
    'Gak enak .'
    """
    if name not in REGISTRY:
        raise unknown("perturbation", name, REGISTRY)
    return REGISTRY[name].function(**options)


def key(seed: int, example: str) -> int:
    """The 64-bit number that seeds the generator of one example."""
    return int.from_bytes(blake2b(f"{seed}:{example}".encode(), digest_size=8).digest(), "big")


def apply(
    name: str | Function, frame: pd.DataFrame, rate: float, seed: int, **options
) -> list[data.Example | None]:
    """The perturbed text of every row of a frame `id, text`, None where it does not apply; the same
    for any order and subset of rows.

    `name` is that of a registered perturbation, or a function such as `make` gives. Of pairs
    (`text_pair`) both sentences are perturbed, each with a generator of its own; None where neither
    changes.
    """
    function = make(name, **options) if isinstance(name, str) else name
    first = _column(function, frame["id"], frame["text"], rate, seed)
    if not data.paired(frame):
        return first
    second = _column(function, frame["id"] + "/pair", frame["text_pair"], rate, seed)
    both = zip(data.inputs(frame), first, second, strict=True)
    return [
        (one or text, two or pair) if one is not None or two is not None else None
        for (text, pair), one, two in both
    ]


def _column(
    function: Function, examples: pd.Series, texts: pd.Series, rate: float, seed: int
) -> list[str | None]:
    keys = [key(seed, example) for example in examples.tolist()]
    if hasattr(function, "many"):
        return function.many(texts.tolist(), rate, keys)
    rng, result = random.Random(), []
    for number, text in zip(keys, texts.tolist(), strict=True):
        rng.seed(number)
        result.append(function(text, rate, rng))
    return result


def show(frame: pd.DataFrame, **columns: list[str | None]) -> pd.DataFrame:
    """A table `original, <name>, ...` for a notebook; rows that a perturbation leaves alone say so."""
    table = pd.DataFrame({"original": list(frame["text"])})
    for name, texts in columns.items():
        table[name] = ["(unchanged)" if text is None else text for text in texts]
    return table
