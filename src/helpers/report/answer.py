"""Does a model stand the tests? Five sentences, each number computed, and what they do not show."""

import pandas as pd

from helpers.report import matrix, runs
from helpers.report.findings import listed

MOST = 3  # tests that a sentence names


def sentences(found: runs.Collection, table: pd.DataFrame, margin: float) -> list[str]:
    """The answer from the verdicts `table` (`matrix.judged`) at a margin: who is right on unseen
    texts, how many tests each model stands, what costs most, what costs nothing, what the written
    cases show, and what none of it shows.
    """
    if table.empty:
        return ["No run of this profile has ended in a verdict."]
    part = table[table["margin"] == margin]
    models = runs.order(set(part["model"]))
    ranked = matrix.ranking(found, part)
    said = [*_clean(ranked), _stands(part, models, margin), _costs(part, models)]
    said += [_holds(part, models, margin), *_written(part, models)]
    return [sentence for sentence in said if sentence] + [_open(found, part)]


def _points(value: float) -> str:
    """Points with their sign; zero has none."""
    rounded = round(100 * value, 1)
    return f"{rounded:+.1f}" if rounded else "0.0"


def _listed_or_none(named: list[str]) -> str:
    return listed(named) if named else "no test of this profile"


def _clean(ranked: pd.DataFrame) -> list[str]:
    """Who is right how often where nothing is changed."""
    if ranked.empty:
        return []
    rows = [
        f"**{row.model}** {row.accuracy:.0%} ({100 * row.low:.0f} to {100 * row.high:.0f})"
        for row in ranked.itertuples()
    ]
    return [f"Of unseen texts that nobody changed, {listed(rows)} get the right label."]


def _stands(part: pd.DataFrame, models: list[str], margin: float) -> str:
    """How many tests each model stands, breaks under, or leaves open."""
    parts = []
    for model in models:
        own = part[part["model"] == model]
        fair = own[(own["verdict"] != matrix.WEAK) & (own["verdict"] != "cannot act")]
        stands, breaks = ((fair["verdict"] == word).sum() for word in ("stands", "breaks"))
        parts.append(
            f"**{model}** stands {stands} of {len(fair)} tests, breaks under {breaks} and leaves "
            f"{len(fair) - stands - breaks} undecided"
        )
    return (
        f"A test is stood where at most {margin:.0%} of the answers go wrong because of it, shown "
        f"with 95% confidence: {'; '.join(parts)}."
    )


def _worst(part: pd.DataFrame, model: str) -> pd.DataFrame:
    """A model's INV tests that break it, those that add most errors first."""
    own = part[(part["model"] == model) & (part["type"] == "INV") & (part["verdict"] == "breaks")]
    return own.sort_values("value", ascending=False).drop_duplicates("label")


def _costs(part: pd.DataFrame, models: list[str]) -> str:
    """What adds most errors."""
    parts = []
    for model in models:
        rows = _worst(part, model).head(MOST)
        named = [
            f"*{row.label}* ({_points(row.value)} points, at least {_points(row.lower)})"
            for row in rows.itertuples()
        ]
        parts.append(f"for **{model}** {_listed_or_none(named)}")
    return (
        f"Changes that leave the meaning alone and are shown to cost more than the margin: "
        f"{'; '.join(parts)}."
    )


def _holds(part: pd.DataFrame, models: list[str], margin: float) -> str:
    """What can be shown to cost little."""
    parts = []
    for model in models:
        own = part[(part["model"] == model) & (part["type"] == "INV")]
        rows = own[own["verdict"] == "stands"].sort_values("upper").drop_duplicates("label")
        named = [
            f"*{row.label}* ({_points(row.value)}, at most {_points(row.upper)})"
            for row in rows.head(MOST).itertuples()
        ]
        parts.append(f"for **{model}** {_listed_or_none(named)}")
    return f"What is shown to cost less than {100 * margin:.0f} points: {'; '.join(parts)}."


def _written(part: pd.DataFrame, models: list[str]) -> list[str]:
    """The worst capability where the right label is known."""
    known = part[part["type"] == "MFT"]
    if known.empty:
        return []
    parts = []
    for model in models:
        own = known[known["model"] == model].sort_values("value", ascending=False)
        if len(own):
            row = own.iloc[0]
            stands = (own["verdict"] == "stands").sum()
            parts.append(
                f"**{model}** stands {stands} of {len(own)} and fails most on *{row['label']}* "
                f"({row['value']:.0%} of {row['n']} cases)"
            )
    return [
        "Of the written capabilities, whose right answer is not in doubt, " + "; ".join(parts) + "."
    ]


def _open(found: runs.Collection, part: pd.DataFrame) -> str:
    """What the answer does not show."""
    weak = part[part["verdict"] == matrix.WEAK]["label"].nunique()
    every = part["label"].nunique()
    names = listed([f"`{name}`" for name in runs.order(set(part["model"]))])
    fair = (
        f"{weak} of {every} tests cannot judge any model at this margin, because readers have not "
        "rated their changed texts or found too many of them changed in meaning"
        if weak
        else f"All {every} tests can judge at this margin by the ratings of their changed texts"
    )
    return (
        f"**What this does not show.** {fair}; the readers are language models, and no speaker has "
        f"rated yet. The models here are {names}, on {listed(sorted(found.datasets))}: of other "
        "models, texts and years it says nothing (IndoBERT and mBERT are run by the profile "
        "`thesis`)."
    )
