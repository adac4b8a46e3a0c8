"""The most frequent answer to texts with words left out, and the edits of words that cannot change
it.

A classifier f is asked about many shortened versions of a text, in each of which every white-space
word is left out by itself with probability p; the smoothed classifier gives the label that f gives
most often. After CERT-ED (Huang et al., 2024, arXiv 2408.00728) and AdaptDel (2025, arXiv
2511.09316), derived here anew, for the lead of a label over each other one:

**The certificate.** Let x be a text of n words and y one that k edits make of it, each of which
inserts a word, leaves one out or replaces one. Some words z stand in both in the same order; a
words of x and b words of y are none of them, where a and b are at most k and a is at most n. Write
D_x for the probability that f gives the label c to a shortened x, less the probability that it
gives another label j; it lies between -1 and 1, under any condition too.

1. With probability p^a all a words of x are left out, independently of the words z; then what is
   left of x is distributed as what is left of z. So D_x <= p^a D_z + (1 - p^a), and
   D_z >= (D_x - 1 + p^a) / p^a.
2. Likewise D_y >= p^b D_z - (1 - p^b), since with probability p^b all b words of y are left out.
3. Together D_y >= 2 p^b - 1 - p^(b-a) (1 - D_x) = p^b (2 - p^-a (1 - D_x)) - 1. This falls in a,
   and where it is above 0 the bracket is, so that it falls in b too.

So where D_x > 2 (1 - p^k) for every other label (a = b = k, k words replaced; insertions and
omissions move less), c stays ahead under any k edits. A text of fewer than k words has a = n:
D_y >= 2 p^k - 1 - p^(k-n) (1 - D_x). The largest such k is the radius. (That c keeps more than half
of all answers is the same for two labels and asks for more where there are three.)

**What is estimated.** D_x is not known. A first sample names the label, a second, independent one
gives exact one-sided bounds (Clopper and Pearson, 1934): a lower one of the label's share and upper
ones of the others', which hold together at 99.9%. A shortened text that f gives no label counts for
none. Where the lead that they leave is not above 0 the smoothed classifier abstains, and the text
counts as not answered. A certificate is wrong for at
most 1 text in 1,000, over the draw of the second sample.
"""

import random
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import beta

from tahanuji import data, perturb, predict
from tahanuji.errors import InputError
from tahanuji.harden.deletion import shortened

CONFIDENCE = 0.999
SELECT = 100  # shortened texts that name the label


class Draws(NamedTuple):
    """How a text is shortened: the probability that a word is left out, how many shortened texts
    bound the lead of the label, and the seed, which together with the text's id makes them.
    """

    rate: float
    samples: int
    seed: int


def certified(lead: float, edits: int, words: int, rate: float) -> bool:
    """Whether a label stays ahead of all others under so many edits of words.

    Parameters
    ----------
    lead : float
        A lower bound of the label's share of all shortened texts less any other label's, -1 to 1.
    edits, words : int
        Insertions, omissions and replacements together; and the words of the text.
    rate : float
        The probability that a word is left out, above 0 and below 1.

    Returns
    -------
    bool

    Examples
    --------
    >>> certified(0.21, 1, 20, 0.9), certified(0.19, 1, 20, 0.9), certified(0.01, 0, 20, 0.9)
    (True, False, True)
    """
    lost = min(edits, words)
    return 2 * rate**edits - 1 - rate ** (edits - lost) * (1 - lead) > 0


def radius(lead: float, words: int, rate: float) -> int:
    """The most edits of words under which a label stays ahead; -1 where it is not ahead.

    Parameters
    ----------
    lead, words, rate
        As `certified` takes them.

    Returns
    -------
    int

    Examples
    --------
    >>> radius(0.0, 20, 0.9), radius(0.1, 20, 0.9), radius(0.4, 20, 0.9), radius(1.0, 20, 0.9)
    (-1, 0, 2, 6)
    """
    edits = -1
    while certified(lead, edits + 1, words, rate):
        edits += 1
    return edits


def least_lead(
    counts: list[int], label: int, confidence: float = CONFIDENCE, mute: int = 0
) -> float:
    """A lower bound of how far a label's share lies above every other one's.

    Parameters
    ----------
    counts : list of int
        Shortened texts by label.
    label : int
        Its place in the counts.
    confidence : float
        0 to 1, of all bounds together: each has its part of the error.
    mute : int
        Shortened texts that have no label.

    Returns
    -------
    float
        Of two labels by one bound, since their shares add up to 1 or less.

    Examples
    --------
    >>> round(least_lead([700, 300], 0), 2), round(least_lead([600, 200, 200], 0), 2)
    (0.31, 0.3)
    """
    n, bounds = sum(counts) + mute, len(counts) if len(counts) > 2 else 1
    each = 1 - (1 - confidence) / bounds
    share = lower_bound(counts[label], n, each)
    if bounds == 1:
        return share - (1 - share)
    others = [1 - lower_bound(n - count, n, each) for count in counts]
    del others[label]
    return share - min(1 - share, max(others))


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


def rows(classifier, frame: pd.DataFrame, draws: Draws) -> pd.DataFrame:
    """A row per text: the most frequent answer to shortened texts, and under how many edits of
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
        `id, test, rate, gold, label, right, lead, radius, asked`; an abstention has the radius -1
        and no label (`predict.UNPARSABLE`), and is not right. `lead` is the lower bound.
    """
    if not (0 < draws.rate < 1 and draws.samples > 0):
        raise InputError(f"words are left out at a rate between 0 and 1, not {draws.rate:g}.")
    found = []
    for name, text in zip(frame["id"], data.inputs(frame), strict=True):
        rng = random.Random(perturb.key(draws.seed, f"words left out of {name}"))
        texts = [shortened(text, draws.rate, rng) for _ in range(SELECT + draws.samples)]
        distinct, numbers = predict.distinct(texts)
        said = predict.named(classifier.predict_proba(distinct), classifier.labels)[numbers]
        first, second = (
            [int((part == label).sum()) for label in classifier.labels]
            for part in (said[:SELECT], said[SELECT:])
        )
        column = int(np.argmax(first))
        lead = least_lead(second, column, mute=draws.samples - sum(second))
        reach = radius(lead, len(text.split()), draws.rate)
        label = classifier.labels[column] if reach >= 0 else predict.UNPARSABLE
        found.append((name, label, lead, reach, len(distinct)))
    table = pd.DataFrame(found, columns=["id", "label", "lead", "radius", "asked"])
    table.insert(1, "test", "words")
    table.insert(2, "rate", draws.rate)
    table.insert(3, "gold", list(frame["label"]))
    return table.assign(right=table["label"] == table["gold"])
