"""Examples as a classifier is given them: texts, or pairs of sentences."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

Example = str | tuple[str, str]


def paired(frame: pd.DataFrame) -> bool:
    """Whether the examples of a frame are pairs: it has a column `text_pair`."""
    return "text_pair" in frame


def inputs(frame: pd.DataFrame) -> list[Example]:
    """What `predict_proba` takes of a frame: its texts, or its pairs (text, text_pair).

    >>> inputs({"text": ["Ia tidur."], "text_pair": ["Ia bangun."]})
    [('Ia tidur.', 'Ia bangun.')]
    """
    if paired(frame):
        return list(zip(frame["text"], frame["text_pair"], strict=True))
    return list(frame["text"])


def as_columns(examples: list[Example], *names: str) -> dict[str, list[str]]:
    """A column of texts under the first name, and for pairs one of second sentences under the next.

    >>> as_columns([("Ia tidur.", "Ia bangun.")], "text", "text_pair")
    {'text': ['Ia tidur.'], 'text_pair': ['Ia bangun.']}
    """
    parts = [(example,) if isinstance(example, str) else example for example in examples]
    width = max(map(len, parts), default=1)
    return {name: [part[side] for part in parts] for side, name in enumerate(names[:width])}


def sentences(examples: list[Example]) -> list[str]:
    """All sentences in their order, one per text and two per pair.

    >>> sentences(["Ia makan.", ("Ia tidur.", "Ia bangun.")])
    ['Ia makan.', 'Ia tidur.', 'Ia bangun.']
    """
    parts = [(example,) if isinstance(example, str) else example for example in examples]
    return [sentence for part in parts for sentence in part]


def text_hash(example: Example) -> str:
    """The first 16 hex digits of the sha256 of a text, or of a pair with a line feed between: it
    stands for a text that may not be published.

    >>> text_hash("Ia tidur."), text_hash(("Ia tidur.", "")) == text_hash("Ia tidur.")
    ('5595b6605e9e24ec', False)
    """
    text = example if isinstance(example, str) else "\n".join(example)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
