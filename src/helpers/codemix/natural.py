"""Code-mixing as people write it: Indonesian-English tweets with sentiment (Astuti, Sari and Suprapto, 2023)."""

import pandas as pd

from helpers import data

NAMES = {"Positif": "positive", "Netral": "neutral", "Negatif": "negative"}


def load(split: str = "test") -> pd.DataFrame:
    """The tweets of a split as a frame `id, text, label`, with the label names of SmSA so that its classifiers can read them.

    Upstream has one split (3,638 train, 399 validation, 1,011 test) in four versions; this is `skenario-ori`, the tweets as written: the
    others are machine-translated into Indonesian, into English, or normalised. Its test split shares no text with the two others.
    """
    frame = data.load("indonglish", split)
    return frame.assign(label=frame["label"].map(NAMES))
