"""Blind rating sheets: pairs of texts with controls among them, and filled sheets as ratings."""

import math
import random

import pandas as pd

from tahanuji import data, lexicons, paths, rating
from tahanuji.errors import InputError
from tahanuji.validity.making import KEY, SEED, fingerprint

ANSWERS = {
    "grammatical": ("yes", "no"),
    "meaning": ("same", "changed"),
    "label": ("same", "changed"),
    "said": ("yes", "no", ""),
}
SHEET = ["number", "text", "changed", "question", *ANSWERS, "note"]
RATINGS = [*KEY, "output", "control", "rater", "sheet", "order", *ANSWERS]
SHARE = 10  # one in ten of the items stands beside itself, and one in ten is broken
BROKEN = paths.DATA / "validity" / "broken.csv"
QUESTIONS = {
    "reversed_negation": "Does the second text deny what the first affirms, or the reverse?",
}


def sheet(items: pd.DataFrame, rater: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A blind sheet for one reader and its key.

    Items of all instruments stand mixed, and nothing on the sheet says which made a text. Controls
    have known answers: texts beside themselves, and written changes that break meaning, label or
    grammar (data/validity/broken.csv, in the language of the items), with shuffled words where
    those are too few.

    >>> from tahanuji.instrument import Instrument
    >>> from tahanuji.validity import outputs
    >>> blank, key = sheet(outputs(Instrument("negation"), "embedded", count=10), "a")
    >>> len(blank), int((key["control"] == "same").sum())
    (12, 1)
    """
    rng = random.Random(f"{SEED}/controls")
    many = math.ceil(len(items) / SHARE)
    same = items.iloc[sorted(rng.sample(range(len(items)), many))]
    same = same.assign(changed=same["text"], control="same")
    broken = _broken(items, many, rng)
    rows = pd.concat([items.assign(control=""), same, broken], ignore_index=True)
    key = rating.numbered(rows, rater, SEED)
    blank = key[["number", "text", "changed"]].copy()
    blank["question"] = _asked(key)
    return blank.assign(**dict.fromkeys([*ANSWERS, "note"], ""))[SHEET], key


def _asked(key: pd.DataFrame) -> pd.Series:
    """The question of each row of a key, empty where it has none."""
    return key["instrument"].where(key["control"] == "", "").map(QUESTIONS).fillna("")


def _broken(items: pd.DataFrame, many: int, rng: random.Random) -> pd.DataFrame:
    """Written broken pairs in the language of the items, then texts with seven neighbouring words
    in another order."""
    languages = set(items["language"])
    pairs = (cells for _, cells in lexicons.body(BROKEN, ("language", "text", "changed", "breaks")))
    written = [
        (text, changed, "label" if breaks == "label" else "broken")
        for code, text, changed, breaks in pairs
        if code in languages
    ]
    rows = rng.sample(written, min(many, len(written)))
    long = items[items["text"].str.split().str.len() >= 8]["text"].drop_duplicates()
    for text in rng.sample(list(long), min(len(long), many - len(rows))):
        words = text.split()
        start = rng.randrange(len(words) - 6)
        part = words[start : start + 7]
        words[start : start + 7] = part[::2][::-1] + part[1::2]
        rows.append((text, " ".join(words), "broken"))
    table = pd.DataFrame(rows, columns=["text", "changed", "control"])
    table["id"] = [f"broken-{number:03d}" for number in range(1, len(table) + 1)]
    return table.assign(**dict.fromkeys(set(KEY) - {"id", "rate"}, ""), rate=float("nan"))


def collect(key: pd.DataFrame, filled: pd.DataFrame, rater: str, place: str) -> pd.DataFrame:
    """A reader's filled sheet as rows of ratings.csv, which holds no text and no note (a note may
    quote).

    Columns instrument, language, rate, draw, dataset, split, id, output (fingerprint), control,
    rater, sheet, order and the answers.

    >>> from tahanuji.instrument import Instrument
    >>> from tahanuji.validity import outputs
    >>> blank, key = sheet(outputs(Instrument("negation"), "embedded", count=10), "a")
    >>> answers = {"grammatical": "yes", "meaning": "same", "label": "same"}
    >>> collect(key, blank.assign(**answers), "a", "sheet")["order"].tolist()[:2]
    [1, 2]
    """
    if missing := [column for column in ("number", *ANSWERS) if column not in filled]:
        raise InputError(f"{place} has no column {', '.join(missing)}.")
    key = key.astype({"number": int})
    filled = rating.check_numbers(key, filled, place)
    for column, allowed in ANSWERS.items():
        wrong = ~filled[column].isin(allowed)
        data.refuse(filled, wrong, place, f"have another {column} than {', '.join(allowed)}")
    asked = filled["number"].isin(key.loc[_asked(key) != "", "number"])
    wrong = (filled["said"] == "") == asked
    data.refuse(filled, wrong, place, "answer said where nothing is asked, or leave it empty")
    joined = key.merge(filled[["number", *ANSWERS]], on="number", validate="one_to_one")
    joined["output"] = joined["changed"].map(fingerprint)
    return joined.assign(rater=rater, sheet=place, order=joined["number"])[RATINGS]


def controls_right(ratings: pd.DataFrame) -> pd.DataFrame:
    """How many controls each reader answered as is known.

    Columns rater, control (same, broken, label), right, n. A text beside itself is right where
    meaning and
    label are the same, a broken one where any of the three answers objects, and one with another
    label where that is said.

    >>> row = {"rater": "a", "grammatical": "yes", "meaning": "same", "label": "same"}
    >>> rows = pd.DataFrame([row | {"control": "same"}, row | {"control": "broken"}])
    >>> controls_right(rows)[["control", "right", "n"]].values.tolist()
    [['broken', 0, 1], ['same', 1, 1]]
    """
    rows = ratings[ratings["control"] != ""]
    kept = (rows["meaning"] == "same") & (rows["label"] == "same")
    objects = ~kept | (rows["grammatical"] == "no")
    right = kept.where(rows["control"] == "same", objects)
    right = right.mask(rows["control"] == "label", rows["label"] == "changed")
    counted = right.groupby([rows["rater"], rows["control"]]).agg(["sum", "size"])
    return counted.set_axis(["right", "n"], axis=1).reset_index()
