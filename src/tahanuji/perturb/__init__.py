"""Perturbations: pure functions `(text, rate, rng) -> str | None`, their registry, and how they are
applied to the rows of a frame.

None means "does not apply or changed nothing": an unchanged text never counts as perturbed. The
generator handed to a function comes from (seed, example id), so that order, subset and batch size
cannot change a perturbation: a function called alone with `random.Random(key(seed, id))` gives what
`apply` gives.

A new perturbation is one function in its family's file, under the decorator `perturbation`, and its
golden cases in tests/golden; a new family is also a line of the imports below.
"""

from __future__ import annotations

import random
from hashlib import blake2b
from typing import TYPE_CHECKING

from tahanuji import examples
from tahanuji.errors import InputError
from tahanuji.perturb import units
from tahanuji.perturb.registry import (
    REGISTRY,
    Function,
    Perturbation,
    make,
    names,
    perturbation,
)

# isort: off
# Importing a family registers its perturbations; the order of the registry is that of the lines.
from tahanuji.perturb import characters, noise, realistic  # noqa: F401
from tahanuji.perturb import synonyms  # noqa: F401
from tahanuji.perturb import contraction, verbs, prejudice, surface  # noqa: F401
from tahanuji.perturb import reversal, negation, sentences  # noqa: F401
from tahanuji.perturb import additions, chat_spelling, spoken  # noqa: F401
# isort: on

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "REGISTRY",
    "Function",
    "Perturbation",
    "apply",
    "key",
    "make",
    "names",
    "perturbation",
    "show",
]


def key(seed: int, example: str) -> int:
    """The number that seeds the generator of one example.

    64 bits of a BLAKE2b hash of both.

    >>> key(1, "a") == key(1, "a") != key(1, "b")
    True
    """
    return int.from_bytes(blake2b(f"{seed}:{example}".encode(), digest_size=8).digest(), "big")


def apply(
    name: str | Function, frame: pd.DataFrame, rate: float, seed: int, **options
) -> list[examples.Example | None]:
    """The perturbed text of every row, the same for any order and subset of rows.

    Parameters
    ----------
    name : str or callable
        A name of `REGISTRY`, or a function such as `make` gives.
    frame : DataFrame
        Columns `id, text`; of pairs also `text_pair`, whose sentences are perturbed each with a
        generator of its own.
    rate : float
        Share from 0 to 1 of the text's characters, words or places, as the perturbation's level
        says.
    seed : int
        Together with the id it seeds the generator of a text.
    **options
        For `make`, where a name is given.

    Returns
    -------
    list
        A text (of pairs a tuple of two) per row, None where the perturbation does not apply.

    Raises
    ------
    InputError
        For an unknown name, language or option value, a rate outside 0 to 1, and a row without
        text.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": ["a", "b"], "text": ["Tidak enak .", "Murah ."]})
    >>> apply("negation", frame, 1.0, seed=1, variant="gak")
    ['Gak enak .', None]
    """
    units.count(1, rate)  # refuses a rate that is no share
    function = make(name, **options) if isinstance(name, str) else name
    first = _column(function, frame["id"], frame["text"], rate, seed)
    if not examples.paired(frame):
        return first
    second = _column(function, frame["id"].astype(str) + "/pair", frame["text_pair"], rate, seed)
    both = zip(examples.inputs(frame), first, second, strict=True)
    return [
        (one or text, two or pair) if one is not None or two is not None else None
        for (text, pair), one, two in both
    ]


def _column(
    function: Function, examples: pd.Series, texts: pd.Series, rate: float, seed: int
) -> list[str | None]:
    """The perturbed texts of one column."""
    rng, perturbed = random.Random(), []
    for example, text in zip(examples.tolist(), texts.tolist(), strict=True):
        if not isinstance(text, str):
            raise InputError(f"the row {example!r} has no text but {text!r}; leave it out.")
        rng.seed(key(seed, example))
        perturbed.append(function(text, rate, rng))
    return perturbed


def show(frame: pd.DataFrame, **columns: list[str | None]) -> pd.DataFrame:
    """A table for a notebook that sets perturbed texts beside the originals.

    Columns `original` and one per name; `(unchanged)` stands for None.

    >>> import pandas as pd
    >>> show(pd.DataFrame({"text": ["oke"]}), typos=[None]).to_dict("list")
    {'original': ['oke'], 'typos': ['(unchanged)']}
    """
    import pandas as pd

    table = pd.DataFrame({"original": list(frame["text"])})
    for name, texts in columns.items():
        table[name] = ["(unchanged)" if text is None else text for text in texts]
    return table
