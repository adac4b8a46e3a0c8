"""What a label can be guessed from without inference: words that go with it, and the labels that a
premise already had.
"""

import math
import string
from collections import Counter

import pandas as pd

from tahanuji.nli.corpus import LABELS
from tahanuji.nli.overlap import tokens

SMOOTHING = (
    10  # added to every count of a word with a label; with it Table 9 comes out to the digit
)


def pmi(frame: pd.DataFrame) -> pd.DataFrame:
    """How much more often a word stands in hypotheses of a label than chance would have it.

    Parameters
    ----------
    frame : DataFrame
        hypothesis, label.

    Returns
    -------
    DataFrame
        label, word, pmi (bits), count (with the label), count_all; the highest pmi first within a
        label. Words with marks of punctuation are left out.

    References
    ----------
    Mahendra et al. (2021), section 5.2 and Table 9; Gururangan et al. (2018), *Annotation artifacts
    in natural language inference data*.

    Examples
    --------
    >>> pairs = {"hypothesis": ["Ani tidak tidur", "Ani tidur"], "label": LABELS[1::-1]}
    >>> pmi(pd.DataFrame(pairs)).query("label == 'contradiction'")["word"].iloc[0]
    'tidak'
    """
    counts = {
        label: Counter(token for text in part["hypothesis"] for token in tokens(text))
        for label, part in frame.groupby("label")
    }
    every = sum(counts.values(), Counter())
    smoothed = every.total() + len(LABELS) * SMOOTHING * len(every)
    rows = []
    for label, own in counts.items():
        total = own.total() + SMOOTHING * len(every)
        for word, count in every.items():
            if not set(word) & set(string.punctuation):
                ratio = (own[word] + SMOOTHING) * smoothed
                ratio /= (count + len(LABELS) * SMOOTHING) * total
                rows.append((label, word, math.log2(ratio), own[word], count))
    table = pd.DataFrame(rows, columns=["label", "word", "pmi", "count", "count_all"])
    return table.sort_values(["label", "pmi"], ascending=[True, False], ignore_index=True)


def least_seen(frame: pd.DataFrame, train: pd.DataFrame, labels=LABELS) -> list:
    """For every row the label that its premise had least often in training: authors wrote one
    hypothesis per label, so that what is missing can be guessed unread.

    Parameters
    ----------
    frame, train : DataFrame
        Rows to guess, with premise; training rows, with premise and label.
    labels : iterable
        All that a row may have.

    Returns
    -------
    list
        A label per row, of equals the first of `labels`; None where training has not the premise.

    Examples
    --------
    >>> train = pd.DataFrame({"premise": ["p", "p"], "label": ["entailment", "neutral"]})
    >>> least_seen(pd.DataFrame({"premise": ["p", "q"]}), train)
    ['contradiction', None]
    """
    seen = pd.crosstab(train["premise"], train["label"]).reindex(columns=list(labels), fill_value=0)
    least = seen.idxmin(axis=1).to_dict()
    return [least.get(premise) for premise in frame["premise"]]
