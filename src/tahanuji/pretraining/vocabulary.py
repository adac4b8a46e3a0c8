"""The WordPiece tokenizer of a corpus, and how many pieces it makes of a word."""

from collections import Counter

import numpy as np
import pandas as pd
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.trainers import WordPieceTrainer
from transformers import BertTokenizer

from tahanuji import measure
from tahanuji.errors import InputError

__all__ = ["fertility", "train"]

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
CHARACTER_COVERAGE = 0.9999
CHUNK = 4096  # lines: encodings of a whole corpus at once would take gigabytes
POSITIONS = 512
LEAST, MOST = 100, 200_000


def train(texts: list[str], pieces: int) -> BertTokenizer:
    """A lower-casing WordPiece tokenizer of at most so many pieces.

    Every character that stays costs two pieces ("a" and "##a"), so the rarest, together at most
    0.01% of all, are left out, as SentencePiece's character coverage does, which IndoNLU used: in a
    corpus of 55 MB 1,794 characters would have taken 3,586 of 16,000 pieces. A word with such a
    character becomes [UNK].

    Parameters
    ----------
    texts : list of str
        What is learned from.
    pieces : int
        The most pieces.

    Returns
    -------
    BertTokenizer

    Raises
    ------
    InputError
        For fewer than `LEAST` pieces, or more than `MOST`.

    References
    ----------
    Kudo and Richardson (2018), *SentencePiece*.
    """
    if not LEAST <= pieces <= MOST:
        raise InputError(
            f"vocabulary lies between {LEAST} and {MOST:,} pieces, and {pieces} does not."
        )
    rare = dict.fromkeys(map(ord, rare_characters(texts)), " ")
    normal = BertNormalizer(lowercase=True)
    kept = [normal.normalize_str(text).translate(rare) for text in texts] if rare else texts
    tokenizer = wordpiece(kept, pieces)
    tokenizer.model_max_length = POSITIONS
    return tokenizer


def wordpiece(texts: list[str], pieces: int) -> BertTokenizer:
    """A lower-casing WordPiece tokenizer of at most `pieces` pieces from `texts`; the same texts
    give the same pieces.

    The trainer numbers inner letters ("##a") in the order of a hash map, which differs from run to
    run and breaks ties differently. Given as special tokens they keep one order; the tokenizer is
    then built from the vocabulary alone, so that they are ordinary again.
    """
    trained = Tokenizer(WordPiece(unk_token="[UNK]"))
    trained.normalizer, trained.pre_tokenizer = BertNormalizer(lowercase=True), BertPreTokenizer()
    letters = sorted(set("".join(trained.normalizer.normalize_str(text) for text in texts)) - {" "})
    special = [*SPECIAL, *(f"##{letter}" for letter in letters)]
    trained.train_from_iterator(
        texts, WordPieceTrainer(vocab_size=pieces, special_tokens=special, show_progress=False)
    )
    return BertTokenizer(vocab=trained.get_vocab(), do_lower_case=True)


def rare_characters(texts: list[str]) -> list[str]:
    """The rarest characters of the lower-cased texts that together make up at most 1 -
    `CHARACTER_COVERAGE` of them.

    >>> rare_characters(["a" * 50_000 + "B", "a" * 50_000 + "ccccccccccc"])
    ['b']
    """
    normal, counts = BertNormalizer(lowercase=True), Counter()
    for text in texts:
        counts.update(normal.normalize_str(text))
    order = sorted(counts, key=lambda character: (counts[character], character))
    left_out = (
        np.cumsum([counts[character] for character in order])
        <= (1 - CHARACTER_COVERAGE) * counts.total()
    )
    return [
        character
        for character, out in zip(order, left_out, strict=True)
        if out and character != " "
    ]


def fertility(tokenizer: BertTokenizer, texts: dict[str, list[str]], seed: int) -> pd.DataFrame:
    """Pieces per word of several sets of texts.

    A word is what the tokenizer splits at space and punctuation, a mark of punctuation included.

    Parameters
    ----------
    tokenizer : BertTokenizer
        Whose pieces are counted.
    texts : dict of list of str
        Texts by the name of their set.
    seed : int
        Of the bootstrap over texts.

    Returns
    -------
    DataFrame
        `set, texts, words, pieces, fertility, ci_low, ci_high, continued, unknown`: `continued` is
        the share of words cut into two or more pieces and `unknown` of those that became [UNK].

    References
    ----------
    Rust et al. (2021), *How good is your tokenizer?*, section 4.1.
    """
    rows = []
    for name, of_set in texts.items():
        counts = np.array(
            [
                counted
                for start in range(0, len(of_set), CHUNK)
                for counted in _counts(tokenizer, of_set[start : start + CHUNK])
            ]
        )
        words, pieces, continued, unknown = (int(total) for total in counts.sum(0))
        low, high = measure.interval(
            measure.replicate(
                lambda drawn, counts=counts: ratio(drawn @ counts, 1, 0),
                np.ones(len(of_set), dtype=int),
                seed,
            )
        )
        rows.append(
            (
                name,
                len(of_set),
                words,
                pieces,
                pieces / words,
                low,
                high,
                continued / words,
                unknown / words,
            )
        )
    return pd.DataFrame(
        rows,
        columns=[
            "set",
            "texts",
            "words",
            "pieces",
            "fertility",
            "ci_low",
            "ci_high",
            "continued",
            "unknown",
        ],
    )


def ratio(sums: np.ndarray, above: int, below: int) -> np.ndarray:
    """One column of sums (n, columns) over another."""
    return sums[:, above] / sums[:, below]


def _counts(tokenizer: BertTokenizer, texts: list[str]) -> list[tuple[int, int, int, int]]:
    """Words, pieces, words of several pieces and unknown words of each text."""
    counts = []
    for encoding in tokenizer(texts, add_special_tokens=False).encodings:
        words = Counter(encoding.word_ids)
        unknown = encoding.ids.count(tokenizer.unk_token_id)
        counts.append(
            (len(words), len(encoding.ids), sum(number > 1 for number in words.values()), unknown)
        )
    return counts
