"""What hardening changed: two audits of one classifier, family by family of changes."""

from pathlib import Path

import pandas as pd

from study.audit import profile
from study.harden import card
from study.report import decisions, runs, words
from tahanuji.measure import Estimate
from tahanuji.results import Results, select

MARGIN = 0.05  # the share of extra errors that the verdicts are about
WHEN = ("before", "after")
NUMBERS = ("value", "lower", "upper", "n", "shown")
SHOWN = {"value": "", "lower": "_low", "upper": "_high", "n": "_n", "shown": "_verdict"}
COLUMNS = ["family", "test", *(f"{when}{end}" for when in WHEN for end in SHOWN.values())]


def write(folder: Path, about: dict, *audits: str) -> str:
    """Write before_after.csv, before_after.md and the model's card of the audits before and after;
    the page. What was hardened, and how, is `about` (`command.Asked.about`).
    """
    both = [runs.collect(f"{profile.PREFIX}{audit}") for audit in audits]
    table = compared(*(select(decisions.judged(one), margin=MARGIN) for one in both))
    clean = dict(zip(WHEN, map(accuracy, both), strict=True))
    every = pd.concat([of_clean(clean), table], ignore_index=True)
    every.to_csv(folder / "before_after.csv", index=False, float_format="%.6g")
    told = about | outcome(table, clean)
    said = f"{words.text('en', 'hardened', **told)}\n"
    card.write(folder / "model", told, table)
    (folder / "before_after.md").write_text(said, encoding="utf-8")
    return said


def accuracy(results: Results) -> Estimate:
    """The share of unchanged test texts that an audited classifier has right."""
    where = {"notebook": "02_conventional_metrics", "test": "clean", "metric": "accuracy"}
    return results.estimate(**where)


def of_clean(clean: dict[str, Estimate]) -> pd.DataFrame:
    """The accuracy on unchanged texts as a row of the table."""
    row = {"family": "unchanged texts", "test": "accuracy", "foremost": True}
    for when, one in clean.items():
        row |= {when: one.value, f"{when}_low": one.low, f"{when}_high": one.high}
        row |= {f"{when}_n": one.n, f"{when}_verdict": ""}
    return pd.DataFrame([row], columns=[*COLUMNS, "foremost"])


def compared(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """The errors that every test adds before and after, as shares of texts with one-sided 95%
    bounds and verdicts: COLUMNS and `foremost`, whether the test is the costliest of its family.
    One that no longer moves any probability adds none; tests that cannot judge one of the two for
    another reason are left out.

    Parameters
    ----------
    before, after : DataFrame
        The verdicts of the two audits at one margin, as `decisions.judged` gives them.
    """
    parts = [
        select(part, quantity=decisions.ADDED).assign(model=when)
        for when, part in zip(WHEN, (before, after), strict=True)
    ]
    judging = [set(part.loc[part["counted"], "label"]) for part in parts]
    unmoved = [set(select(part, shown=decisions.BLIND)["label"]) for part in parts]
    told = [one | other for one, other in zip(judging, unmoved, strict=True)]
    same = (told[0] & told[1]) - (unmoved[0] & unmoved[1])
    rows = pd.concat([part[part["label"].isin(same)] for part in parts], ignore_index=True)
    rows = decisions.families(rows.assign(counted=True))
    keys = ["family", "label", "foremost"]
    one, other = (
        select(rows, model=when).drop_duplicates("label").set_index(keys)[[*NUMBERS]]
        for when in WHEN
    )
    named = [one.rename(columns=renamed("before")), other.rename(columns=renamed("after"))]
    table = named[0].join(named[1]).reset_index().rename(columns={"label": "test"})
    return table[[*COLUMNS, "foremost"]]


def renamed(when: str) -> dict[str, str]:
    """The columns of verdicts as those of the table."""
    return {name: f"{when}{end}" for name, end in SHOWN.items()}


def outcome(table: pd.DataFrame, clean: dict[str, Estimate]) -> dict:
    """What the page is filled with: the costliest test of each family, the families whose bounds
    before and after do not meet, what got worse, and what still breaks.
    """
    top = table[table["foremost"]].drop_duplicates("family")
    top = top.assign(gain=top["before"] - top["after"]).sort_values("gain", ascending=False)
    shown = top["after_high"] < top["before_low"]
    broken = {when: table[table[f"{when}_verdict"] == decisions.BREAKS] for when in WHEN}
    return {
        "top": [row | {"costs": costs(row)} for row in top.sort_index().to_dict("records")],
        "clean": clean,
        "gained": top[shown].to_dict("records"),
        "most": next(iter(top[top["gain"] > 0].to_dict("records")), None),
        "worse": table[table["after_low"] > table["before_high"]]["test"].tolist(),
        "tests": len(table),
        "broke": len(broken["before"]),
        "breaks": broken["after"]
        .sort_values("after", ascending=False, kind="stable")["test"]
        .tolist(),
        "margin": MARGIN,
    }


def costs(row: dict) -> dict[str, Estimate]:
    """The errors that a test adds before and after."""
    ends = ("", "_low", "_high", "_n")
    return {when: Estimate(*(row[f"{when}{end}"] for end in ends)) for when in WHEN}
