"""Words that a typo can confuse, read as one: RobEn's encodings by connected components (Jones,
Jia, Raghunathan and Liang, 2020, *Robust encodings*).
"""

import functools
import itertools

from tahanuji import words
from tahanuji.harden import vocabulary
from tahanuji.harden.defence import Defence
from tahanuji.harden.recipe import Reading

LEAST, LONGEST = 4, 20  # letters of a word that is joined with others
USES = 100  # in the counted writing, from which a word is one of the vocabulary
UNKNOWN = "kata"  # stands for a word that no typo of a known one explains


class Clusters(Defence):
    """At training and at test every word is replaced by the most frequent of its cluster: two words
    are in one where one deletion or swap makes the same string of both. Words that no edit of a
    known word gives stand as one unknown word.
    """

    def __init__(self, half: str | None = None):
        self.half = half

    def fit(self, recipe, train):
        return train(recipe.changing(reads=(*recipe.reads, encoded)))

    def wrap(self, classifier):
        return Reading(classifier, encoded)


def encoded(text: str) -> str:
    """The text with every word as its cluster's.

    >>> encoded("makanan enak") == encoded("makanna enak")
    True
    """
    table = clusters()
    return words.replace(
        text,
        {
            word: words.cased(word.text, _of(words.key(word.text), table))
            for word in words.words(text)
        },
    )


def _of(word: str, table: dict[str, str]) -> str:
    """What stands for a word in lower case."""
    if len(word) < LEAST or not word.isalpha():
        return word
    return next((table[one] for one in (word, *edits(word)) if one in table), UNKNOWN)


def edits(word: str) -> list[str]:
    """What a deletion behind the first letter, or a swap of neighbours, makes of a word."""
    cut = [word[:place] + word[place + 1 :] for place in range(1, len(word))]
    swapped = [
        word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        for place in range(1, len(word) - 1)
    ]
    return cut + swapped


@functools.cache
def clusters() -> dict[str, str]:
    """Of every known word, and of every string that one edit makes of it, the most frequent word of
    its cluster.
    """
    counts = vocabulary.counts()
    known = [
        word
        for word, one in counts.items()
        if sum(one) >= USES and LEAST <= len(word) <= LONGEST and word.isalpha()
    ]
    parent: dict[str, str] = {}

    def root(one: str) -> str:
        while parent.setdefault(one, one) != one:
            parent[one] = one = parent[parent[one]]
        return one

    for word, made in itertools.chain.from_iterable(
        ((word, one) for one in edits(word)) for word in known
    ):
        parent[root(made)] = root(word)
    best: dict[str, str] = {}
    for word in sorted(known, key=lambda one: -sum(counts[one])):
        best.setdefault(root(word), word)
    return {one: best[root(one)] for one in list(parent)}
