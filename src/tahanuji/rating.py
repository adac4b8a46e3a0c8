"""Blind rating sheets: what those of the checklist and of the instruments have in common."""

import itertools
import random
from collections.abc import Sequence

import pandas as pd

from tahanuji import data, measure
from tahanuji.errors import InputError

AGREEMENT = ["question", "raters", "n", "agree"]
AGREEMENT += ["kappa", "kappa_low", "kappa_high", "ac1", "ac1_low", "ac1_high"]


def numbered(rows: pd.DataFrame, rater: str, seed: int) -> pd.DataFrame:
    """The key of a sheet: its rows in the order of one reader, with `number` from 1 in front.

    >>> numbered(pd.DataFrame({"text": ["Enak.", "Mahal.", "Murah."]}), "b", 1).to_numpy().tolist()
    [[1, 'Murah.'], [2, 'Enak.'], [3, 'Mahal.']]
    """
    order = list(range(len(rows)))
    random.Random(f"{seed}/{rater}").shuffle(order)
    key = rows.iloc[order].reset_index(drop=True)
    key.insert(0, "number", range(1, len(key) + 1))
    return key


def check_numbers(key: pd.DataFrame, filled: pd.DataFrame, place: str) -> pd.DataFrame:
    """A filled sheet, its numbers as int; InputError unless it has every one of its key once."""
    filled = filled.assign(number=pd.to_numeric(filled["number"], errors="coerce"))
    numbers = set(key["number"].astype(int))
    data.refuse(filled, ~filled["number"].isin(numbers), place, "have a number that the key lacks")
    data.refuse(filled, filled["number"].duplicated(), place, "repeat a number")
    if absent := sorted(numbers - set(filled["number"])):
        named = ", ".join(map(str, absent[:5]))
        raise InputError(f"{place} lacks the numbers {named}; rate every text.")
    return filled.astype({"number": int})


def agreement(
    question: str, answers: pd.DataFrame, labels: Sequence[str], seed: int
) -> list[tuple]:
    """How far readers agree on one question, pair by pair: rows of the columns `AGREEMENT`, with
    the share of texts on which both agree, kappa and AC1 with their 95% intervals.

    `answers` has a row per text and a column per reader, empty where one did not answer; `labels`
    are all answers that may be given.

    >>> answers = pd.DataFrame({"a": ["yes", "no"], "b": ["yes", "no"]})
    >>> agreement("natural", answers, ["yes", "no"], 1)[0][:5]
    ('natural', 'a and b', 2, 1.0, 1.0)
    """
    rows, labels = [], list(labels)
    columns = {name: answers[name].to_numpy(object) for name in answers}
    answered = {name: answers[name].notna().to_numpy() for name in answers}
    for pair in itertools.combinations(answers.columns, 2):
        both = answered[pair[0]] & answered[pair[1]]
        if both.any():
            one, two = (columns[name][both] for name in pair)
            kappa, ac1 = measure.kappa(one, two, labels, seed), measure.ac1(one, two, labels, seed)
            same = float((one == two).mean())
            rows.append((question, " and ".join(pair), int(both.sum()), same, *kappa, *ac1))
    return rows
