"""What each instrument makes of texts at the rate of the headlines: the items that are rated."""

import hashlib

import pandas as pd

from tahanuji import data
from tahanuji.instrument import Instrument

SEED = 28112026  # of the sample: drawn anew after repairs, which the former one called for
SOURCES = {"id": ("embedded", "smsa"), "en": ("embedded_english", "nusax_english")}
EACH = 50  # outputs per source
KEY = ["instrument", "language", "rate", "draw", "dataset", "split", "id"]


def fingerprint(text: str) -> str:
    """Twelve digits by which an output is recognised without being printed."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def outputs(
    instrument: Instrument, dataset: str, count: int = EACH, seed: int = SEED
) -> pd.DataFrame:
    """Texts of a data set that an instrument changes, with what it makes of them.

    Columns instrument, language, rate, draw (the seed), dataset, split, id, text, changed.

    >>> outputs(Instrument("negation"), "embedded", count=2).columns.tolist()[:3]
    ['instrument', 'language', 'rate']
    """
    parts, missing = [], count
    for split in reversed(data.SPLITS):
        frame = _shuffled(data.load(dataset, split), f"{seed} {instrument.key}")
        for start in range(0, len(frame), 8 * count):
            part = _changed(instrument, frame[start : start + 8 * count], seed)
            parts.append(part.head(missing).assign(split=split))
            missing -= len(parts[-1])
            if not missing:
                break
        if not missing:
            break
    about = {"instrument": instrument.key, "language": instrument.language}
    about |= {"rate": instrument.rate, "draw": str(seed), "dataset": dataset}
    return pd.concat(parts, ignore_index=True).assign(**about)[[*KEY, "text", "changed"]]


def again(rated: pd.DataFrame, instrument: Instrument, seed: int = SEED) -> pd.Series:
    """The fingerprints of an instrument's outputs today for rated texts (columns dataset, split,
    id); None where it no longer changes them.
    """
    parts = []
    for (dataset, split), part in rated.groupby(["dataset", "split"]):
        frame = data.load(dataset, split)
        frame = frame[frame["id"].isin(set(part["id"]))]
        changed = _changed(instrument, frame, seed).set_index("id")["changed"]
        now = part["id"].map(changed.map(fingerprint))
        parts.append(now.where(now.notna(), None))
    return pd.concat(parts)


def _shuffled(frame: pd.DataFrame, salt: str) -> pd.DataFrame:
    """The rows in an order that depends on a salt and their ids alone."""
    order = sorted(frame["id"], key=lambda example: fingerprint(f"{salt} {example}"))
    shuffled = frame.set_index("id", drop=False).loc[order].reset_index(drop=True)
    return data.describe(shuffled, **frame.attrs["source"])


def _changed(instrument: Instrument, frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Id, text and changed text of the rows that an instrument changes."""
    table = frame[["id", "text"]].assign(changed=instrument.apply(frame, seed))
    return table[table["changed"].notna() & (table["changed"] != table["text"])]
