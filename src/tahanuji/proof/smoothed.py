"""The majority over texts with words left out, and the edits of words that cannot move it.

A classifier f is asked about many shortened versions of a text, in each of which every white-space
word is left out by itself with probability p; the smoothed classifier gives the label that f gives
most often. After CERT-ED (Huang et al., 2024, arXiv 2408.00728) and AdaptDel (2025, arXiv
2511.09316), derived here anew:

**The certificate.** Let x be a text of n words and y one that k edits make of it, each of which
inserts a word, leaves one out or replaces one. Some words z stand in both in the same order; a
words of x and b words of y are none of them, where a and b are at most k and a is at most n. Write
P_x for the probability that f gives the label c to a shortened x.

1. With probability p^a all a words of x are left out, independently of the words z; then what is
   left of x is distributed as what is left of z. So P_x = p^a P_z + (1 - p^a) q for some q <= 1,
   and P_z >= (P_x - 1 + p^a) / p^a.
2. Likewise P_y >= p^b P_z, since with probability p^b all b words of y are left out.
3. Together P_y >= p^(b-a) (P_x - 1 + p^a), which falls in a and in b where it is above 0.

So where P_x - 1 + p^k > 1/2 (a = b = k, k words replaced; insertions and omissions move less), c
keeps more than half of all answers under any k edits: no other label can overtake it. A text of
fewer than k words has a = n: P_y >= p^(k-n) (P_x - 1 + p^n). The largest such k is the radius.

**What is estimated.** P_x is not known. A first sample names the label, a second, independent one
gives its exact one-sided lower bound at 99.9% (Clopper and Pearson, 1934). Where it is not above
one half the smoothed classifier abstains, and the text counts as not answered. A certificate is
wrong for at most 1 text in 1,000, over the draw of the second sample.
"""

import random
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from tahanuji import data, perturb, predict
from tahanuji.errors import InputError

CONFIDENCE = 0.999
SELECT = 100  # shortened texts that name the label


class Draws(NamedTuple):
    """How a text is shortened: the probability that a word is left out, how many shortened texts
    bound the share of the label, and the seed, which together with the text's id makes them.
    """

    rate: float
    samples: int
    seed: int


def certified(share: float, edits: int, words: int, rate: float) -> bool:
    """Whether a label keeps its majority under so many edits of words.

    Parameters
    ----------
    share : float
        A lower bound of the label's share of all shortened texts, 0 to 1.
    edits, words : int
        Insertions, omissions and replacements together; and the words of the text.
    rate : float
        The probability that a word is left out, above 0 and below 1.

    Returns
    -------
    bool

    Examples
    --------
    >>> certified(0.61, 1, 20, 0.9), certified(0.59, 1, 20, 0.9), certified(0.51, 0, 20, 0.9)
    (True, False, True)
    """
    lost = min(edits, words)
    return rate ** (edits - lost) * (share - 1 + rate**lost) > 1 / 2


def radius(share: float, words: int, rate: float) -> int:
    """The most edits of words under which a label keeps its majority; -1 where it has none.

    Parameters
    ----------
    share, words, rate
        As `certified` takes them.

    Returns
    -------
    int

    Examples
    --------
    >>> radius(0.5, 20, 0.9), radius(0.55, 20, 0.9), radius(0.7, 20, 0.9), radius(1.0, 20, 0.9)
    (-1, 0, 2, 6)
    """
    edits = -1
    while certified(share, edits + 1, words, rate):
        edits += 1
    return edits


def lower_bound(count: int, n: int, confidence: float = CONFIDENCE) -> float:
    """The exact one-sided lower bound of a share.

    Parameters
    ----------
    count, n : int
        Texts with the label, and all.
    confidence : float
        0 to 1.

    Returns
    -------
    float

    References
    ----------
    Clopper and Pearson (1934), *The use of confidence or fiducial limits illustrated in the case of
    the binomial*.

    Examples
    --------
    >>> round(lower_bound(1000, 1000), 4), lower_bound(0, 1000)
    (0.9931, 0.0)
    """
    return float(beta.ppf(1 - confidence, count, n - count + 1)) if count else 0.0


def shortened(text: str, rate: float, rng: random.Random) -> str:
    """A text in which every white-space word is left out with a probability.

    >>> shortened("kopi di sini enak sekali", 0.5, random.Random(1))
    'di sini'
    """
    return " ".join(word for word in text.split() if rng.random() >= rate)


def rows(classifier, frame: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """A row per text: what the majority over shortened texts says, and under how many edits of
    words it cannot change.

    Parameters
    ----------
    classifier
        With `labels` and `predict_proba`.
    frame : DataFrame
        As `data.load` gives it, of single texts.
    draws : Draws
        InputError for a rate that is not between 0 and 1, and for fewer than 1 sample.

    Returns
    -------
    DataFrame
        `id, test, rate, gold, label, right, share, radius, asked`; an abstention has the radius -1
        and no label (`predict.UNPARSABLE`), and is not right. `share` is the lower bound.
    """
    if not (0 < draws.rate < 1 and draws.samples > 0):
        raise InputError(f"words are left out at a rate between 0 and 1, not {draws.rate:g}.")
    found = []
    for name, text in zip(frame["id"], data.inputs(frame), strict=True):
        rng = random.Random(perturb.key(draws.seed, f"words left out of {name}"))
        texts = [shortened(text, draws.rate, rng) for _ in range(SELECT + draws.samples)]
        distinct, numbers = predict.distinct(texts)
        columns = classifier.predict_proba(distinct).argmax(1)[numbers]
        column = np.bincount(columns[:SELECT]).argmax()
        share = lower_bound(int((columns[SELECT:] == column).sum()), draws.samples)
        reach = radius(share, len(text.split()), draws.rate)
        label = classifier.labels[column] if reach >= 0 else predict.UNPARSABLE
        found.append((name, label, share, reach, len(distinct)))
    table = pd.DataFrame(found, columns=["id", "label", "share", "radius", "asked"])
    table.insert(1, "test", "words")
    table.insert(2, "rate", draws.rate)
    table.insert(3, "gold", list(frame["label"]))
    return table.assign(right=table["label"] == table["gold"])
