"""Every single edit of a text, asked: whether an answer is right and no edit of a kind moves it.

What a classifier cannot tell apart is asked once: edits that the normaliser undoes are the text
itself, and edits that a tokenizer cuts into the same pieces are one. A search ends at the first
edit that moves the answer, and begins where the answer is weakest, so that it seldom ends late.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tahanuji import behaviour
from tahanuji.harden.recipe import Reading
from tahanuji.models.outside import Renamed
from tahanuji.proof.edits import edits, hit

__all__ = ["Proof", "prove"]

CHUNK = 32  # texts asked at a time between two looks at the answers
View = Callable[[list[str]], list]


class Proof(NamedTuple):
    """What a search among the edits of one text found.

    `edits` are all, `distinct` those that the classifier can tell apart from the text and from each
    other, `asked` those of which its answer was needed. `margin` is the least lead of the label
    over the next one, in probability, and `edited` the text that has it; `proved`: no edit moves
    the label.
    """

    edits: int
    distinct: int
    asked: int
    proved: bool
    margin: float
    edited: str


def prove(classifier, text: str, kind: str) -> Proof:
    """Whether no single edit of a kind moves a classifier's label of a text.

    Parameters
    ----------
    classifier
        With `predict_proba`; one that answers the same to the same text.
    text : str
    kind : str
        Of `edits.KINDS`.

    Returns
    -------
    Proof
        A lead of at most `behaviour.SAME` is none: there the label hangs on rounding.

    Raises
    ------
    InputError
        For an unknown kind.

    Examples
    --------
    >>> class Careful:
    ...     def predict_proba(self, texts, precision="fp32"):
    ...         return np.array([[0.9, 0.1] if "enak" in text else [0.2, 0.8] for text in texts])
    >>> proof = prove(Careful(), "enak sekali", "typos")
    >>> proof.edits, proof.proved, proof.edited
    (12, False, 'enk sekali')
    """
    made = edits(text, kind)
    own, *keys = view(classifier)([text, *made])
    distinct = dict(zip(reversed(keys), reversed(made), strict=True))
    distinct.pop(own, None)
    column = int(classifier.predict_proba([text])[0].argmax())
    asked, margin, edited = weakest(classifier, text, list(distinct.values())[::-1], column)
    return Proof(len(made), len(distinct), asked, margin > behaviour.SAME, margin, edited)


def weakest(classifier, text: str, texts: list[str], column: int) -> tuple[int, float, str]:
    """How many of the edited texts were asked, and the least lead of a label with its text; all are
    asked unless one has no lead.
    """
    lead, leads = float(margins(classifier, [text], column)[0]), {}
    for chunk in chunked(text, texts, leads):
        leads |= dict(zip(chunk, margins(classifier, chunk, column).tolist(), strict=True))
        if min(leads.values()) <= behaviour.SAME:
            break
    least = min(leads, key=leads.get, default=text)
    return len(leads), leads.get(least, lead), least


def chunked(text: str, texts: list[str], leads: dict[str, float]):
    """The edited texts in chunks: one edit of each word first, then the edits of the words whose
    first edit left the least lead (`leads`, filled in between).
    """
    by_word: dict[int, list[str]] = {}
    for one in texts:
        by_word.setdefault(hit(text, one), []).append(one)
    firsts = [several[len(several) // 2] for several in by_word.values()]
    yield from (firsts[at : at + CHUNK] for at in range(0, len(firsts), CHUNK))
    order = sorted(zip(firsts, by_word.values(), strict=True), key=lambda pair: leads[pair[0]])
    rest = [one for first, several in order for one in several if one != first]
    yield from (rest[at : at + CHUNK] for at in range(0, len(rest), CHUNK))


def margins(classifier, texts: list[str], column: int) -> np.ndarray:
    """The lead of a label's probability over the next largest one for each text.

    >>> class Sure:
    ...     def predict_proba(self, texts, precision="fp32"):
    ...         return np.array([[0.7, 0.1, 0.2]])
    >>> margins(Sure(), ["enak"], 0).round(1).tolist()
    [0.5]
    """
    shares = np.asarray(classifier.predict_proba(texts), float)
    return shares[:, column] - np.delete(shares, column, 1).max(1)


def view(classifier) -> View:
    """What a classifier sees of texts: those with equal views have equal answers.

    A normaliser shows what it reads, a network its pieces, n-grams the lower-case text without
    regard to the width of white space; of any other classifier only equal texts are equal.
    """
    if type(classifier) is Renamed:
        return view(classifier.classifier)
    if type(classifier) is Reading:
        inner, read = view(classifier.classifier), classifier.read
        return lambda texts: inner([read(text) for text in texts])
    kind = vars(type(classifier)).get("kind")  # its own, not that of one that it stands before
    if kind == "tfidf":
        return lambda texts: [" ".join(text.lower().split()) for text in texts]
    if kind == "transformer":
        tokenizer, longest = classifier.tokenizer, classifier.max_length
        cut = {"truncation": True, "max_length": longest}
        return lambda texts: [tuple(ids) for ids in tokenizer(texts, **cut)["input_ids"]]
    return list
