"""What premise and hypothesis share and show as words: overlap (Mahendra et al., 2021, Table 5),
negation, numbers.
"""

import re
from collections.abc import Sequence
from itertools import chain, pairwise

import pandas as pd
from rapidfuzz.distance import LCSseq

from tahanuji import lexicons
from tahanuji.errors import extra

with extra("english"):
    from nltk.tokenize import TreebankWordTokenizer

_TREEBANK = TreebankWordTokenizer()
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_DIGITS = re.compile(r"\d+")
PUNCTUATION = ".,;:!?()[]\"'“”‘’"


def tokens(text: str) -> list[str]:
    """Words and marks of punctuation in lower case, by the Treebank tokenizer, a sentence at a
    time: it parts a full stop from its word only at the end of what it is given.

    >>> tokens("Ani tidur. Budi lari!")
    ['ani', 'tidur', '.', 'budi', 'lari', '!']
    """
    sentences = _SENTENCE.split(text.lower())
    return [token for sentence in sentences for token in _TREEBANK.tokenize(sentence)]


def compare(premise: str, hypothesis: str) -> dict[str, float]:
    """How far the hypothesis repeats its premise: `Jaccard` of the two sets of tokens; `LCS`, the
    longest common subsequence as a share of the hypothesis; `New token rate`, the share of the
    hypothesis's tokens that the premise lacks (Mahendra et al., 2021, section 5.2).

    >>> compare("Ani tidur", "Ani lari")
    {'Jaccard': 0.3333333333333333, 'LCS': 0.5, 'New token rate': 0.5}
    """
    first, second = tokens(premise), tokens(hypothesis)
    ours, theirs = set(first), set(second)
    return {
        "Jaccard": len(ours & theirs) / len(ours | theirs),
        "LCS": LCSseq.similarity(first, second) / len(second),
        "New token rate": len(theirs - ours) / len(theirs),
    }


def counts(pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Counts and shares of each pair's overlap, length, negation and numbers, a named column each.

    >>> table = counts([("Ani tidur", "Ani tidak tidur")])
    >>> table["negation in the hypothesis only"].to_list()
    [1.0]
    """
    negators = lexicons.members("id", "negator", "form of tidak")
    words = {text: tokens(text) for text in set(chain.from_iterable(pairs))}
    return pd.DataFrame([_counts(words[a], words[b], negators) for a, b in pairs]).astype(float)


def _counts(first: list[str], second: list[str], negators: frozenset[str]) -> dict[str, float]:
    """The counts of one pair of lists of tokens."""
    ours, theirs = set(first), set(second)
    before, after = set(pairwise(first)), set(pairwise(second))
    numbers = [word for word in second if any(letter.isdigit() for letter in word)]
    denied, denied_before = len(negators & theirs), len(negators & ours)
    return {
        "share of the hypothesis's words in the premise": len(theirs & ours) / max(1, len(theirs)),
        "Jaccard": len(theirs & ours) / max(1, len(theirs | ours)),
        "share of the hypothesis's word pairs in the premise": len(after & before)
        / max(1, len(after)),
        "new words": len(theirs - ours),
        "words of the premise": len(first),
        "words of the hypothesis": len(second),
        "ratio of the lengths": len(second) / max(1, len(first)),
        "negations in the hypothesis": denied,
        "negations in the premise": denied_before,
        "negation in the hypothesis only": denied > 0 and denied_before == 0,
        "negation in the premise only": denied_before > 0 and denied == 0,
        "a new number": any(number not in ours for number in numbers),
        "numbers in the hypothesis": len(numbers),
        "every word in the premise": theirs <= ours,
    }


def shown(frame: pd.DataFrame) -> pd.DataFrame:
    """What a pair of sentences shows on its surface, a yes/no column each.

    Words are compared in lower case and without marks of punctuation at their ends; *bukanlah*
    counts as *bukan*.

    >>> pair = {"premise": ["Ada 3 kucing."], "hypothesis": ["Semua kucing tidak ada."]}
    >>> shown(pd.DataFrame(pair)).iloc[0].to_list()
    [False, True, False, True]
    """
    negators = lexicons.members("id", "negator", "form of tidak")
    negators |= {f"{word}lah" for word in negators}
    quantifiers = lexicons.members("id", "quantifier")
    sides = [frame[side] for side in ("premise", "hypothesis")]
    words = list(zip(*(side.map(_plain) for side in sides), strict=True))
    numbers = zip(*(side.map(_DIGITS.findall).map(set) for side in sides), strict=True)
    marks = {
        "every word in the premise": [new <= old for old, new in words],
        "negation in the hypothesis only": [
            bool(negators & new) and not negators & old for old, new in words
        ],
        "a new number": [bool(new - old) for old, new in numbers],
        "a quantifier in the hypothesis": [bool(quantifiers & new) for _, new in words],
    }
    return pd.DataFrame(marks, index=frame.index)


def _plain(text: str) -> set[str]:
    """Words in lower case without marks of punctuation at their ends."""
    return {word.strip(PUNCTUATION) for word in text.lower().split()} - {""}
