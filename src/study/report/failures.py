"""The table of failures: a sample of the failing cases of every test and model, those first whose
text may be published.
"""

import pandas as pd

from helpers import titles
from study.report import cases
from tahanuji.errors import InputError
from tahanuji.results import Results

EACH = 20  # cases of a test and model at most
ROWS = 12  # of the table in a notebook
BYTES = 430_000  # of the table in the page, which has at most 3 MB
GROUP = ["notebook", "variant", "dataset", "title", "model"]
FRAME = 260  # bytes of the HTML of a case besides its texts


def every(results: Results) -> pd.DataFrame:
    """All failing cases (`cases.COLUMNS`, and `of`, how many their test and model have), drawn by
    the hash of their ids, so that the same runs give the same cases, those with a text first.
    Repeats with other seeds are left out; `problems` in attrs are what could not be read.
    """
    parts, problems = [], {}
    for run in results.runs:
        try:
            parts += [] if run.repeat else [cases.failures(run)]
        except InputError as error:
            problems[run.name] = str(error)
    parts = [part for part in parts if len(part)]
    if not parts:
        return pd.DataFrame(columns=[*cases.COLUMNS, "of", "draw", "bare"])
    whole = pd.concat(parts, ignore_index=True)
    whole = whole.assign(draw=whole["id"].map(cases.draw), bare=whole["text"] == "")
    whole["of"] = whole.groupby(GROUP, sort=False)["id"].transform("size")
    whole = whole.sort_values(["bare", "draw"], kind="stable")
    whole.attrs["problems"] = problems
    return whole


def first(whole: pd.DataFrame, each: int) -> pd.DataFrame:
    """At most `each` cases of every test and model of all; one of each test comes first, and those
    that a change brought about before texts that were wrong anyway.
    """
    kept = whole.groupby(GROUP, sort=False).head(each)
    kept = kept.assign(
        late=kept["verdict"].map({cases.BEFORE_TOO: 1, cases.WRONG: 2}).fillna(0),
        nth=kept.groupby(GROUP, sort=False).cumcount(),
        varied=kept["variant"] != "default",
    )
    order = ["bare", "late", "nth", "varied", *GROUP]
    kept = kept.sort_values(order, kind="stable").reset_index(drop=True)
    kept = kept.drop(columns=["draw", "bare", "late", "nth", "varied"])
    kept.attrs.update(problems=whole.attrs.get("problems", {}), all=len(whole))
    return kept


def table(whole: pd.DataFrame) -> pd.DataFrame:
    """One failing case of every notebook and model, at most ROWS, for a notebook."""
    few = first(whole, 1).groupby(["notebook", "model"], sort=False).head(1).head(ROWS)
    columns = ["notebook", "title", "model", "id", "expected", "before", "after", "verdict"]
    return few[[*columns, "text", "changed"]].rename(columns={"title": "test"})


def fitting(whole: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The sample for the page, as many cases of every test and model as fit into BYTES, and how
    many these are at most; where one of each is too many, the first of them.
    """
    for each in (EACH, 15, 10, 7, 5, 3, 2, 1):
        kept = first(whole, each)
        texts = kept["text"].str.len() + kept["changed"].str.len()
        if texts.sum() + FRAME * len(kept) < BYTES:
            break
    return kept[(texts + FRAME).cumsum() < BYTES], each


def words(kept: pd.DataFrame) -> list[dict]:
    """The cases of a sample as the page shows them: `text, changed, id` and the columns behind."""
    return [
        {
            "text": row.text,
            "changed": row.changed,
            "id": row.id,
            "cells": (
                row.dataset,
                titles.title(row.notebook, row.title) + _setting(row.variant),
                row.model,
                row.expected.replace("|", " / "),
                row.before,
                row.after,
                row.verdict,
            ),
        }
        for row in kept.itertuples()
    ]


def _setting(variant: str) -> str:
    return "" if variant == "default" else f" ({variant})"
