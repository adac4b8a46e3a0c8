"""The WordPiece tokenizer of a corpus, and how many pieces it makes of a word."""

from collections import Counter
from collections.abc import Iterator

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
    """A lower-casing WordPiece tokenizer of at most so many pieces; InputError for fewer than
    `LEAST` or more than `MOST`.

    Every character that stays costs two pieces ("a" and "##a"), so the rarest, together at most
    0.01% of all, are left out, as SentencePiece's character coverage does (Kudo and Richardson,
    2018), which IndoNLU used: in a corpus of 55 MB 1,794 characters would have taken 3,586 of
    16,000 pieces. A word with such a character becomes [UNK].
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
    trainer = WordPieceTrainer(vocab_size=pieces, special_tokens=special, show_progress=False)
    trained.train_from_iterator(texts, trainer)
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
    rising = pd.Series(counts).sort_index().sort_values(kind="stable")
    rare = rising.index[rising.cumsum() <= (1 - CHARACTER_COVERAGE) * counts.total()]
    return [character for character in rare if character != " "]


def encodings(tokenizer: BertTokenizer, texts: list[str]) -> Iterator:
    """The encodings of texts without special pieces, one by one."""
    for start in range(0, len(texts), CHUNK):
        yield from tokenizer(texts[start : start + CHUNK], add_special_tokens=False).encodings


def fertility(tokenizer: BertTokenizer, texts: dict[str, list[str]], seed: int) -> pd.DataFrame:
    """A row per set of texts: `set, texts, words, pieces, fertility, ci_low, ci_high, continued,
    unknown` (Rust et al., 2021, *How good is your tokenizer?*, section 4.1).

    A word is what the tokenizer splits at space and punctuation, a mark of punctuation included.
    `fertility` is pieces per word with a bootstrap interval over texts, `continued` the share of
    words cut into two or more pieces and `unknown` of those that became [UNK].
    """
    rows = []
    for name, members in texts.items():
        counts = np.array([_counts(encoding) for encoding in encodings(tokenizer, members)])
        words, pieces, continued, unknown = (int(total) for total in counts.sum(0))
        drawn = resampled(counts, seed)
        interval = measure.interval(drawn[:, 1] / drawn[:, 0])
        shares = (continued / words, unknown / words)
        rows.append((name, len(members), words, pieces, pieces / words, *interval, *shares))
    about = ["fertility", "ci_low", "ci_high", "continued", "unknown"]
    return pd.DataFrame(rows, columns=["set", "texts", "words", "pieces", *about])


def resampled(counts: np.ndarray, seed: int) -> np.ndarray:
    """The sums of columns (draws, columns) in bootstrap draws of the rows of counts."""
    return measure.replicate(lambda drawn: drawn @ counts, np.ones(len(counts), dtype=int), seed)


def _counts(encoding) -> tuple[int, int, int, int]:
    """Words, pieces, words of several pieces and unknown words of a text."""
    words = Counter(encoding.word_ids)
    several = sum(number > 1 for number in words.values())
    return len(words), len(encoding.ids), several, encoding.tokens.count("[UNK]")
