"""Blind rating sheets for the cases, and what the readers' verdicts amount to."""

import itertools
import math
import random
import re
from collections.abc import Iterable

import pandas as pd

from tahanuji import data, rating
from tahanuji.checklist.expansion import SEED
from tahanuji.errors import InputError, unknown

SINGLE = ("positive", "neutral", "negative", "unclear")
PAIR = ("same", "more_positive", "more_negative", "unclear")
NATURAL = ("yes", "no")
CONTROLS = ("broken", "label", "same", "opposite")
SHARE = 10  # one in ten: of the cases beside one per template, and of the sheet as controls
SHEET = ["number", "text", "changed", "verdict", "natural", "note"]
RATINGS = [
    *("case_id", "text", "changed", "expected"),
    *("rater", "order", "verdict", "natural", "note"),
]


def sheet(
    cases: pd.DataFrame, rater: str, templates: Iterable[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A blind sheet for one reader, the last three of its columns empty, and its key.

    The sheet holds one case of every template, a tenth of all other cases (written sentences among
    them) and a tenth of controls with a known answer: shuffled words (not natural), embedded
    sentences with a known label, a text beside itself (same) and a positive text beside a negative
    one (more negative). Every reader gets the same texts in an order of their own, which the name
    seeds. With `templates` (`capability/template`) it holds only these, with all their cases, as
    after a repair. The verdict of two texts is how the second differs from the first.
    """
    chosen = _chosen(cases, list(templates))
    controls = _controls(cases, math.ceil(len(chosen) / SHARE))
    key = rating.numbered(pd.concat([chosen, controls]), rater, SEED)
    blank = key[["number", "text", "changed"]].assign(verdict="", natural="", note="")
    return blank[SHEET], key[["number", "case_id", "text", "changed", "expected"]]


def _chosen(cases: pd.DataFrame, templates: list[str]) -> pd.DataFrame:
    origin = cases["capability"] + "/" + cases["template"]
    if missing := sorted(set(templates) - set(origin)):
        raise InputError(f"the suite has no template {', '.join(missing)}.")
    first = ~cases.duplicated(["capability", "template"]) & (cases["source"] == "templates")
    rest = cases[~first]
    picked = random.Random(SEED).sample(list(rest.index), math.ceil(len(rest) / SHARE))
    rows = cases.loc[sorted([*cases.index[first], *picked])]
    rows = cases[origin.isin(templates)] if templates else rows
    return rows.rename(columns={"id": "case_id"})[["case_id", "text", "changed", "expected"]]


def _controls(cases: pd.DataFrame, count: int) -> pd.DataFrame:
    """Controls of all kinds in turn; their `expected` is the verdict, or no for broken texts."""
    rng = random.Random(f"{SEED}/controls")
    embedded = data.load("embedded", "test")
    embedded = embedded[embedded["text"].str.split().str.len().between(6, 20)]
    embedded = embedded.assign(text=embedded["text"].map(_untokenised))
    long = cases[cases["text"].str.split().str.len() >= 6]["text"]
    by_label = {label: list(part["text"]) for label, part in embedded.groupby("label")}
    rows = []
    for number, kind in zip(range(1, count + 1), itertools.cycle(CONTROLS), strict=False):
        if kind == "broken":
            words = rng.choice(list(long)).split()
            text, changed, expected = " ".join(rng.sample(words, len(words))), "", "no"
        elif kind == "label":
            expected = rng.choice(data.LABELS)
            text, changed = rng.choice(by_label[expected]), ""
        else:
            text = rng.choice(by_label["positive"])
            changed = text if kind == "same" else rng.choice(by_label["negative"])
            expected = "same" if kind == "same" else "more_negative"
        rows.append((f"control/{kind}/{number}", text, changed, expected))
    return pd.DataFrame(rows, columns=["case_id", "text", "changed", "expected"])


def _untokenised(text: str) -> str:
    """A sentence of the embedded corpus in the spelling of the suite, so that none stands out.

    >>> _untokenised("lemari nya doyong , murah sih .")
    'Lemarinya doyong, murah sih.'
    """
    joined = re.sub(r" (nya\b|[,.!?;:])", r"\1", text)
    return joined[:1].upper() + joined[1:]


def collect(
    key: pd.DataFrame, filled: pd.DataFrame, rater: str, place: str = "sheet"
) -> pd.DataFrame:
    """A reader's filled sheet as rows of ratings.csv (`RATINGS`); InputError for a number that is
    missing, unknown or repeated, and for a verdict that is not allowed.
    """
    if missing := [column for column in SHEET if column not in filled]:
        raise InputError(f"{place} has no column {', '.join(missing)}.")
    key = key.astype({"number": int})
    filled = rating.check_numbers(key, filled, place)
    pairs = filled["number"].map(key.set_index("number")["changed"] != "")
    for rows, allowed in ((~pairs, SINGLE), (pairs, PAIR)):
        wrong = rows & ~filled["verdict"].isin(allowed)
        data.refuse(filled, wrong, place, f"have a verdict outside {', '.join(allowed)}")
    outside = ~filled["natural"].isin(NATURAL)
    data.refuse(filled, outside, place, "have something else than yes or no in natural")
    said = filled[["number", "verdict", "natural", "note"]]
    joined = key.merge(said, on="number", validate="one_to_one")
    return joined.assign(rater=rater, order=joined["number"].astype(str))[RATINGS]


def accepts(verdict: str, natural: str, expected: str) -> bool:
    """Whether a reader's verdict lets a case stand.

    >>> accepts("neutral", "yes", "neutral|negative"), accepts("same", "yes", "more_positive")
    (True, True)
    >>> accepts("positive", "no", "positive"), accepts("more_positive", "yes", "less_positive")
    (False, False)
    """
    rising = expected in ("more_positive", "less_negative")
    directed = {"same", "more_positive" if rising else "more_negative"}
    allowed = directed if "_" in expected else set(expected.split("|"))
    return natural == "yes" and verdict in allowed


def agreement(ratings: pd.DataFrame) -> pd.DataFrame:
    """How far readers agree on the same texts, pair by pair of readers (`rating.AGREEMENT`);
    question is label (one text), change (two texts) or natural. Controls do not count.
    """
    real = ratings[~ratings["case_id"].str.startswith("control/")]
    asked = {
        "label": (real[real["changed"] == ""], "verdict", SINGLE),
        "change": (real[real["changed"] != ""], "verdict", PAIR),
        "natural": (real, "natural", NATURAL),
    }
    rows = []
    for question, (part, column, labels) in asked.items():
        table = part.pivot(index=["case_id", "text", "changed"], columns="rater", values=column)
        rows += rating.agreement(question, table, labels, SEED)
    return pd.DataFrame(rows, columns=rating.AGREEMENT)


def controls_right(ratings: pd.DataFrame) -> pd.DataFrame:
    """Per reader how many controls were answered as is known: `rater, right, n`."""
    rows = ratings[ratings["case_id"].str.startswith("control/")]
    said = rows["verdict"].where(rows["expected"] != "no", rows["natural"])
    right = (said == rows["expected"]).groupby(rows["rater"])
    return right.agg(["sum", "size"]).set_axis(["right", "n"], axis=1).reset_index()


def below_bar(ratings: pd.DataFrame, cases: pd.DataFrame, bar: float = 0.5) -> pd.DataFrame:
    """What the readers did not accept and therefore leaves the suite: `id, reason`, rows of
    `data/checklist/left_out.csv`.

    A verdict accepts where it is among the expected ones (for DIR: not the opposite direction) and
    the text was found natural. A template leaves where at most the share `bar` of the verdicts on
    its cases accept, else those of its cases of which that holds: 0.5 asks of two readers that both
    accept. Verdicts on a text that has changed since do not count.
    """
    now = cases.rename(columns={"id": "case_id"})
    keys = ["case_id", "text", "changed"]
    expected = cases.set_index("id")["expected"]
    rated = ratings.merge(now[[*keys, "capability", "template"]], on=keys)
    rated["accepted"] = [
        accepts(row.verdict, row.natural, expected[row.case_id]) for row in rated.itertuples()
    ]
    rated["origin"] = rated["capability"] + "/" + rated["template"]
    by_template = rated.groupby("origin")["accepted"].agg(["sum", "size"])
    gone = by_template[by_template["sum"] <= bar * by_template["size"]]
    rest = rated[~rated["origin"].isin(gone.index)]
    by_case = rest.groupby("case_id")["accepted"].agg(["sum", "size"])
    left = pd.concat([gone, by_case[by_case["sum"] <= bar * by_case["size"]]])
    reasons = [f"accepted in {accepted} of {n} verdicts" for accepted, n in left.to_numpy()]
    return pd.DataFrame({"id": left.index, "reason": reasons})


def check_ratings(table: pd.DataFrame, place: str) -> pd.DataFrame:
    """Ratings as read from a file; InputError for a missing column, and where one reader rates a
    case twice.
    """
    if missing := [column for column in RATINGS if column not in table]:
        raise InputError(f"{place} has no column {', '.join(missing)}.")
    data.refuse(table, table.duplicated(["case_id", "rater"]), place, "rate a case again")
    for natural in set(table["natural"]) - set(NATURAL):
        raise unknown("answer in natural", natural, NATURAL)
    return table
