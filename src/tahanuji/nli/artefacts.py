"""Words of the hypothesis that go with a label."""

import string

import numpy as np
import pandas as pd

from tahanuji.nli.corpus import LABELS
from tahanuji.nli.overlap import tokens

# added to every count of a word with a label; with it Table 9 comes out to the digit
SMOOTHING = 10


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
    in natural language inference data*, section 3.1.

    Examples
    --------
    >>> pairs = {"hypothesis": ["Ani tidak tidur", "Ani tidur"], "label": LABELS[1::-1]}
    >>> pmi(pd.DataFrame(pairs)).query("label == 'contradiction'")["word"].iloc[0]
    'tidak'
    """
    words = frame[["label"]].assign(word=frame["hypothesis"].map(tokens)).explode("word")
    order = words.sort_values("label", kind="stable")["word"].unique()
    counts = pd.crosstab(words["word"], words["label"]).reindex(order)
    every, extra = counts.sum(axis=1), SMOOTHING * len(counts)
    share = (every + len(LABELS) * SMOOTHING) / (len(words) + len(LABELS) * extra)
    parts = [
        pd.DataFrame({"label": label, "word": order})
        .assign(pmi=np.log2((own + SMOOTHING) / (own.sum() + extra) / share).to_numpy())
        .assign(count=own.to_numpy(), count_all=every.to_numpy())
        for label, own in counts.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    table = table[[not set(word) & set(string.punctuation) for word in table["word"]]]
    return table.sort_values(["label", "pmi"], ascending=[True, False], ignore_index=True)
