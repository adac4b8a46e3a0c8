"""Code-mixing as people write it: Indonesian-English tweets with sentiment (Astuti, Sari and
Suprapto, 2023).

Upstream has one split (3,638 train, 399 validation, 1,011 test) in four versions, row by row the
same tweets: `skenario-ori` as written, `skenario1` machine-translated into Indonesian, `skenario2`
into English, `skenario3` normalised. A tweet as written beside its Indonesian translation is
natural code-mixing beside what it is compared with in an attack, a text without it; that the
translation is a machine's is part of the comparison.
"""

import pandas as pd

from tahanuji import data, words

NAMES = {"Positif": "positive", "Netral": "neutral", "Negatif": "negative"}
# Upper bounds of the share of words that are not in the Indonesian version.
MIXES = {"little": 1 / 3, "half": 2 / 3, "most": 1.0}


def load(split: str = "test") -> pd.DataFrame:
    """The tweets of a split as written, as a frame `id, text, label`, with the label names of SmSA
    so that its classifiers can read them.

    The test split shares no text with the two others.
    """
    frame = data.load("indonglish", split)
    return frame.assign(label=frame["label"].map(NAMES))


def pairs() -> pd.DataFrame:
    """The test tweets as a frame `id, text, label, mixed, english`: text in Indonesian (by
    machine), mixed as written.

    `english` says how much of the tweet as written is not in its Indonesian version, of its words:
    `little` (up to a third), `half` (up to two thirds) or `most`. Most of it is English; some is a
    spelling that the translation made regular.
    """
    written, indonesian = load(), data.load("indonglish_indonesian", "test")
    table = indonesian.assign(label=written["label"], mixed=written["text"])
    return table.assign(english=list(map(kind, table["mixed"], table["text"])))


def kind(written: str, indonesian: str) -> str:
    """A key of MIXES for a text as written and in Indonesian.

    >>> kind("mood banget ini", "suasana hati banget ini"), kind("stay safe ya", "tetap aman ya")
    ('little', 'half')
    """
    mixed, plain = (
        [words.key(word.text) for word in words.words(text)] for text in (written, indonesian)
    )
    share = sum(word not in plain for word in mixed) / len(mixed) if mixed else 0.0
    return next(name for name, most in MIXES.items() if share <= most)
