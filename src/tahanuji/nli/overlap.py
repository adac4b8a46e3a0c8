"""The words that a premise and its hypothesis share (Mahendra et al., 2021, Table 5)."""

import re

import pandas as pd
from nltk.tokenize import TreebankWordTokenizer
from rapidfuzz.distance import LCSseq

_TREEBANK = TreebankWordTokenizer()
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def tokens(text: str) -> list[str]:
    """Words and marks of punctuation in lower case.

    Parameters
    ----------
    text : str
        Of one or more sentences.

    Returns
    -------
    list of str
        By the Treebank tokenizer, sentence by sentence: it parts a full stop from its word only at
        the end of what it is given.

    Examples
    --------
    >>> tokens("Ani tidur. Budi lari!")
    ['ani', 'tidur', '.', 'budi', 'lari', '!']
    """
    return [
        token
        for sentence in _SENTENCE.split(text.lower())
        for token in _TREEBANK.tokenize(sentence)
    ]


def compare(premise: str, hypothesis: str) -> dict[str, float]:
    """How far the hypothesis repeats its premise.

    Parameters
    ----------
    premise, hypothesis : str
        Texts with at least a word each.

    Returns
    -------
    dict of str to float
        `Jaccard` of the two sets of tokens; `LCS`, the longest common subsequence as a share of the
        hypothesis; `New token rate`, the share of the hypothesis's tokens that the premise lacks.
        All from 0 to 1.

    References
    ----------
    Mahendra et al. (2021), section 5.2 and Table 5.

    Examples
    --------
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


def medians(frame: pd.DataFrame) -> pd.DataFrame:
    """Medians of overlap by label, in percent, as Table 5 prints them.

    Parameters
    ----------
    frame : DataFrame
        premise, hypothesis, label.

    Returns
    -------
    DataFrame
        A row per label, a column per measure of `compare`, 0 to 100.

    References
    ----------
    Mahendra et al. (2021), Table 5.

    Examples
    --------
    >>> pair = {"premise": ["Ani tidur"], "hypothesis": ["Ani lari"], "label": ["contradiction"]}
    >>> medians(pd.DataFrame(pair)).round(1).to_dict("index")
    {'contradiction': {'Jaccard': 33.3, 'LCS': 50.0, 'New token rate': 50.0}}
    """
    pairs = zip(frame["premise"], frame["hypothesis"], strict=True)
    shared = pd.DataFrame([compare(*pair) for pair in pairs], index=frame.index)
    return 100 * shared.groupby(frame["label"]).median()


def lengths(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation of the words of premises and hypotheses.

    Parameters
    ----------
    frame : DataFrame
        premise, hypothesis.

    Returns
    -------
    DataFrame
        Rows premise and hypothesis; columns mean and std, in words between spaces.

    References
    ----------
    Mahendra et al. (2021), Table 4.

    Examples
    --------
    >>> pairs = pd.DataFrame({"premise": ["a b c", "a"], "hypothesis": ["a b", "a b"]})
    >>> lengths(pairs)["mean"].to_dict()
    {'premise': 2.0, 'hypothesis': 2.0}
    """
    words = frame[["premise", "hypothesis"]].map(lambda text: len(text.split()))
    return words.agg(["mean", "std"]).T
