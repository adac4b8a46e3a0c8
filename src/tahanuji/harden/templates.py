"""Cases of half of the CheckList's capabilities among the training texts; the other half tests."""

import pandas as pd

from tahanuji import checklist
from tahanuji.harden import halves
from tahanuji.harden.defence import Defence

SHARE = 0.1  # of the training texts: as many cases at most


class Templates(Defence):
    """Written cases with one right label, as many of every capability of the half (Ribeiro et al.,
    2020, whose suites test; Liu et al., 2019, inoculation by fine-tuning, whose challenge sets
    train).
    """

    def __init__(self, half: str | None = "hardening"):
        self.half = half

    def fit(self, recipe, train):
        rows = recipe.rows
        more = cases(self.half, int(SHARE * len(rows)), set(rows["label"]))
        both = pd.concat([rows, more], ignore_index=True)
        both.attrs = rows.attrs
        return train(recipe.changing(rows=both))


def cases(half: str | None, most: int, labels: set[str]) -> pd.DataFrame:
    """Cases `id, text, label` of the capabilities of a half (None: of all), evenly allocated.

    >>> few = cases("hardening", 40, {"positive", "negative"})
    >>> len(few) <= 40, sorted(set(few["label"]))
    (True, ['negative', 'positive'])
    """
    every = checklist.expand(checklist.read())
    mine = every["capability"].map(lambda name: halves.used(name, half))
    one = every[mine & (every["test_type"] == "MFT") & every["expected"].isin(labels)]
    place = one.groupby("capability").cumcount()
    even = one.assign(place=place).sort_values(["place", "capability"], kind="stable").head(most)
    return even.rename(columns={"expected": "label"})[["id", "text", "label"]]
