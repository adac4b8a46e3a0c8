"""How much each word of a text speaks for a classifier's answer (Adilazuarda et al., 2022, section
2.2).
"""

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

import numpy as np

from tahanuji import words
from tahanuji.errors import InputError, unknown

FORMS = ("textfooler", "printed")
MASKINGS = ("auto", "mask", "delete")
CHUNK = 8192
CHARACTERS = 32_000_000


def importance(
    classifier,
    texts: list[str],
    labels: list[str],
    form: str = "textfooler",
    *,
    only: list[Collection[int]] | None = None,
    clean: np.ndarray | None = None,
    masking: str = "auto",
    limit: int = 512,
) -> list[np.ndarray]:
    r"""How much each word of a text speaks for its label.

    With Y the text's entry of `labels`, X the text, X\w the text without word w and Z the label
    predicted for X\w it is f(Y|X) - f(Y|X\w), and where Z is not Y also f(Z|X\w) - f(Z|X).

    Parameters
    ----------
    classifier
        Anything with `labels` and `predict_proba(texts, precision) -> float32 array (n, labels)`.
    texts : list of str
        n texts; they pass `predict_proba` in chunks of 8,192, repeats removed.
    labels : list of str
        The label Y of each.
    form : str
        `textfooler`, or `printed`, which adds f(Z|X) - f(Z|X\w) instead, as the paper prints it:
        for two labels its two differences cancel, so that just the words that turn the answer
        count 0.
    only : list of collections of int, optional
        The numbers of the words that are measured in each text; the others get NaN.
    clean : array (n, labels), optional
        The probabilities of the texts, where they were computed before.
    masking : str
        `mask` by the tokenizer's mask token, `delete`, or `auto`: delete where the classifier has
        none (TF-IDF). A model trained from scratch on the task alone has never seen its mask token.
    limit : int
        Words after the first so many get 0, which is exact for a transformer whose window ends
        before.

    Returns
    -------
    list of array (words,)
        Per text a number per word of `words.words`, -2 to 2, to six decimals: words that differ by
        the noise of batched arithmetic only count the same.

    Raises
    ------
    InputError
        For an unknown form, masking or label, and for masking without a mask token.

    References
    ----------
    Adilazuarda et al. (2022), section 2.2; Jin et al. (2019), TextFooler, from which the attack
    descends.

    Examples
    --------
    >>> class Praise:
    ...     labels = ["positive", "negative"]
    ...     def predict_proba(self, texts, precision):
    ...         return np.array([[0.9, 0.1] if "enak" in text else [0.4, 0.6] for text in texts])
    >>> importance(Praise(), ["kuah enak"], ["positive"])[0].tolist()
    [0.0, 1.0]
    """
    mask, number = _mask(classifier, form, masking), numbers(classifier, labels)
    clean = predicted(classifier, texts) if clean is None else clean
    chosen = [None] * len(texts) if only is None else [tuple(sorted(wanted)) for wanted in only]
    jobs = list(zip(texts, labels, chosen, strict=True))
    whole = dict(zip(jobs, np.asarray(clean, dtype=np.float64), strict=True))
    values: dict[tuple, np.ndarray] = {}
    for chunk in _chunks(whole, mask, limit):
        rows = predicted(classifier, [text for part in chunk for text in part.texts])
        rows = rows.astype(np.float64)
        blocks = np.split(rows, np.cumsum([len(part.texts) for part in chunk])[:-1])
        for part, block in zip(chunk, blocks, strict=True):
            part.values[part.positions] = _scores(whole[part.job], block, number[part.job[1]], form)
            values[part.job] = part.values
    return [values[job] for job in jobs]


class _Part(NamedTuple):
    """A text of a chunk: what was asked, itself without each of its words, and the array and places
    for their numbers.
    """

    job: tuple
    texts: list[str]
    positions: list[int]
    values: np.ndarray


def _scores(whole: np.ndarray, without: np.ndarray, label: int, form: str) -> np.ndarray:
    """The importance of every word from the probabilities of the text (labels) and of the text
    without it (words, labels).
    """
    turned = np.where(without.any(1), without.argmax(1), label)  # no label is no other label
    lost = whole[label] - without[:, label]
    gained = without[np.arange(len(without)), turned] - whole[turned]
    return np.where(
        turned == label, lost, lost + (gained if form == "textfooler" else -gained)
    ).round(6)


def _mask(classifier, form: str, masking: str) -> str | None:
    """The classifier's mask token, None where words are deleted; InputError for an unknown form or
    masking or a token that is not there.
    """
    if form not in FORMS:
        raise unknown("form of importance", form, FORMS)
    if masking not in MASKINGS:
        raise unknown("masking", masking, MASKINGS)
    mask = getattr(getattr(classifier, "tokenizer", None), "mask_token", None)
    if masking == "mask" and mask is None:
        raise InputError("this classifier has no mask token; use masking='delete' or 'auto'.")
    return None if masking == "delete" else mask


def _chunks(jobs: Iterable[tuple], mask: str | None, limit: int) -> Iterator[list[_Part]]:
    """The jobs (text, label, words to measure) with their texts, in chunks of about 8,192 texts or
    32 million characters.
    """
    held, texts, characters = [], 0, 0
    for job in jobs:
        text, _, only = job
        text_words = words.words(text)
        asked = range(len(text_words)) if only is None else only
        positions = [position for position in asked if position < limit]
        values = np.full(len(text_words), np.nan)
        values[list(asked)] = 0
        without = [
            words.delete(text, text_words[position])
            if mask is None
            else words.replace(text, {text_words[position]: mask})
            for position in positions
        ]
        held.append(_Part(job, without, positions, values))
        texts, characters = texts + len(positions), characters + len(text) * len(positions)
        if texts >= CHUNK or characters >= CHARACTERS:
            yield held
            held, texts, characters = [], 0, 0
    if held:
        yield held


def numbers(classifier, labels: Iterable[str]) -> dict[str, int]:
    """The column of each of the labels; InputError for one that the classifier does not have."""
    column_of = {label: column for column, label in enumerate(classifier.labels)}
    if strange := sorted(set(labels) - set(column_of)):
        raise unknown("label", strange[0], column_of)
    return column_of


def predicted(classifier, texts: list[str]) -> np.ndarray:
    """Probabilities (n, labels) of the texts, each distinct one predicted once, whatever the
    classifier does with repeats.
    """
    if not texts:
        return np.empty((0, len(classifier.labels)), dtype=np.float32)
    row_of = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    return classifier.predict_proba(list(row_of), "fp32")[[row_of[text] for text in texts]]
