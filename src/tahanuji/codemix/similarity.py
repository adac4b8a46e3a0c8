"""How alike two texts are: one interface, `scores(originals, changed) -> float array (n,)`, cosines
cut to 0..1; equal texts give 1.

The paper measures with the Universal Sentence Encoder, which was trained on English: an Indonesian
sentence says little to it, and only an English word in it is understood. Its threshold therefore
asks for shared letters more than for shared meaning, and not for the same in every language. The
character n-grams here measure letters alone, alike for all languages; for meaning take a
multilingual encoder by `sentence_encoder`. A threshold belongs to one of the three.
"""

import itertools
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from tahanuji.errors import InputError, extra, unknown

__all__ = ["named"]

CHUNK = 4096


class Similarity(Protocol):
    """What `blend` asks of a similarity."""

    def scores(self, originals: list[str], changed: list[str]) -> np.ndarray:
        """Cosines of originals[i] and changed[i], cut to 0..1."""


class Cosine:
    """Cosines of the unit vectors that `vectors(texts)` of a subclass gives, dense or sparse; zero
    vectors are like nothing but equal texts.
    """

    def scores(self, originals: list[str], changed: list[str]) -> np.ndarray:
        pairs = list(zip(originals, changed, strict=True))
        parts = [self._cosines(pairs[at : at + CHUNK]) for at in range(0, len(pairs), CHUNK)]
        return np.concatenate([np.empty(0), *parts]).clip(0, 1).round(6)

    def _cosines(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        """The cosines of pairs of texts, each text measured once."""
        row_of = {text: row for row, text in enumerate(dict.fromkeys(itertools.chain(*pairs)))}
        rows = self.vectors(list(row_of))
        left, right = (rows[[row_of[pair[side]] for pair in pairs]] for side in (0, 1))
        product = left.multiply(right).sum(1) if sparse.issparse(rows) else (left * right).sum(1)
        return np.where([old == new for old, new in pairs], 1.0, np.asarray(product).ravel())


class CharacterTfidf(Cosine):
    """TF-IDF of the character 2- to 4-grams of words, fitted on the training split: needs no
    network and no model.
    """

    def __init__(self, vectorizer: TfidfVectorizer):
        self.vectorizer = vectorizer

    @classmethod
    def fit(cls, texts: list[str]) -> "CharacterTfidf":
        """The similarity whose weights come from these texts; InputError where they hold no letters
        at all.
        """
        grams = {"analyzer": "char_wb", "ngram_range": (2, 4), "sublinear_tf": True}
        try:
            return cls(TfidfVectorizer(**grams, dtype=np.float64).fit(texts))
        except ValueError as error:
            raise InputError(
                f"character n-grams need training texts, and these {len(texts)} give none."
            ) from error

    def vectors(self, texts: list[str]) -> sparse.csr_matrix:
        return self.vectorizer.transform(texts)


def named(name: str, texts: list[str], classifier) -> Similarity | None:
    """The similarity that a notebook's parameter means.

    Parameters
    ----------
    name : str
        `characters` (fitted on these texts), `own` (the classifier's encoder), `none`, or a
        sentence encoder's hub id or folder.
    texts : list of str
        Of the training split.
    classifier
        The attacked one; a sentence encoder computes on its device.

    Returns
    -------
    Similarity or None
        With `scores(originals, changed) -> float array (n,)`, cosines cut to 0 to 1; None for
        `none`.

    Raises
    ------
    InputError
        For any other word (an id has a slash), for texts without letters, a classifier without an
        encoder, and an encoder that cannot be had.

    Examples
    --------
    >>> alike = named("characters", ["warung tenda", "tiket bola"], None)
    >>> alike.scores(["warung", "tiket"], ["warung", "tenda"]).tolist()
    [1.0, 0.035508]
    """
    if name == "none":
        return None
    if name == "characters":
        return CharacterTfidf.fit(texts)
    with extra("models"):  # loads torch, which only those who ask should wait for
        from tahanuji.codemix import encoders

    if name == "own":
        return encoders.own_encoder(classifier)
    if "/" not in name and not Path(name).is_dir():
        raise unknown(
            "similarity",
            name,
            ("characters", "own", "none"),
            "A sentence encoder's hub id (owner/name) or folder does as well.",
        )
    device = getattr(getattr(classifier, "model", None), "device", "cpu")
    return encoders.sentence_encoder(name, device=device)
