"""Splits and subsamples that come out alike for everyone.

Which rows go where follows from the sha256 of a seed and the text: neither the order of the rows
nor any library's generator matters.
"""

import hashlib

import numpy as np
import pandas as pd


def partition(frame: pd.DataFrame, shares: dict[str, int], seed: int) -> dict[str, pd.DataFrame]:
    """The rows dealt to splits in the given proportions, label by label, each split in the order of
    the frame `text[, text_pair], label`.

    Rows with the same texts, but for case and space, stay in one split (counted under the first of
    their labels by name where they differ), so a split's share of a label may be off by the size of
    such a group, else by one row.

    >>> frame = pd.DataFrame({"text": [f"kalimat {number}" for number in range(20)], "label": "a"})
    >>> parts = partition(frame, {"train": 55, "valid": 25, "test": 20}, 1)
    >>> {name: len(part) for name, part in parts.items()}
    {'train': 11, 'valid': 5, 'test': 4}
    """
    keys = _keys(frame, seed)
    groups = frame.assign(key=keys).groupby("key", sort=True)["label"].agg(["min", "size"])
    before = groups.groupby("min")["size"].cumsum() - groups["size"]
    total = groups.groupby("min")["size"].transform("sum")
    bounds = np.cumsum(list(shares.values()))
    share_number = sum(
        (before * int(bounds[-1]) >= total * int(bound)).astype(int) for bound in bounds[:-1]
    )
    split = keys.map(share_number)
    return {
        name: frame[split == number].reset_index(drop=True) for number, name in enumerate(shares)
    }


def subsample(frame: pd.DataFrame, most: int, seed: int) -> pd.DataFrame:
    """At most so many rows, in the order of the frame, with its proportions of labels to the row
    (largest remainders).

    >>> frame = pd.DataFrame({"text": list("abcdef"), "label": ["x", "y"] * 3})
    >>> sorted(subsample(frame, 4, 1)["label"])
    ['x', 'x', 'y', 'y']
    """
    if len(frame) <= most:
        return frame
    counts = frame["label"].value_counts().sort_index()
    quota, rest = counts * most // len(frame), counts * most % len(frame)
    quota[rest.sort_values(ascending=False, kind="stable").index[: most - int(quota.sum())]] += 1
    rank = _keys(frame, seed).groupby(frame["label"]).rank(method="first")
    return frame[rank <= frame["label"].map(quota)].reset_index(drop=True)


def _keys(frame: pd.DataFrame, seed: int) -> pd.Series:
    """The number by which a row is dealt: 60 bits of the sha256 of the seed and its texts without
    case and space.
    """
    texts = frame.filter(["text", "text_pair"]).itertuples(index=False)
    plain = ("\x1f".join(" ".join(text.casefold().split()) for text in row) for row in texts)
    return pd.Series(
        [int(hashlib.sha256(f"{seed}\x1f{text}".encode()).hexdigest()[:15], 16) for text in plain],
        index=frame.index,
    )
