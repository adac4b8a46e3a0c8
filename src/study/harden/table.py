"""What hardening changed: two audits of one classifier, family by family of changes."""

from pathlib import Path

import pandas as pd

from study.audit import profile
from study.report import decisions, runs
from tahanuji.measure import Estimate
from tahanuji.results import Results, select

MARGIN = 0.05  # the share of extra errors that the verdicts are about
WHEN = ("before", "after")
NUMBERS = ("value", "lower", "upper", "n", "shown")
SHOWN = {"value": "", "lower": "_low", "upper": "_high", "n": "_n", "shown": "_verdict"}
COLUMNS = ["family", "test", *(f"{when}{end}" for when in WHEN for end in SHOWN.values())]
PAGE = """# {name}: before and after hardening

Defence: `{defence}`. The tests change texts in ways that should not alter the answer. The table \
shows how many errors a change adds in 100 texts, for the costliest test of each family of \
changes, with one-sided 95% bounds. Attacks by code mixing are searched anew for each of the two \
classifiers.

{table}

**What got better.** {better}

**What it cost.** {cost}

**What still breaks.** {breaks}

{note}
"""
NOTE = """The tests draw from the same word lists as the defences, which flatters the result \
(`--half hardening` uses half of every list). Another seed of a training moves small differences. \
All tests are in `before_after.csv`."""


def write(folder: Path, name: str, defence: str, *audits: str) -> str:
    """Write before_after.csv and before_after.md of the audits before and after; the page."""
    both = [runs.collect(f"{profile.PREFIX}{audit}") for audit in audits]
    table = compared(*(select(decisions.judged(one), margin=MARGIN) for one in both))
    clean = dict(zip(WHEN, map(accuracy, both), strict=True))
    every = pd.concat([of_clean(clean), table], ignore_index=True)
    every.to_csv(folder / "before_after.csv", index=False, float_format="%.6g")
    words = page(name, defence, table, clean)
    (folder / "before_after.md").write_text(words, encoding="utf-8")
    return words


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
    Tests that cannot judge one of the two are left out.

    Parameters
    ----------
    before, after : DataFrame
        The verdicts of the two audits at one margin, as `decisions.judged` gives them.
    """
    parts = [
        select(part, quantity=decisions.ADDED, counted=True).assign(model=when)
        for when, part in zip(WHEN, (before, after), strict=True)
    ]
    same = set(parts[0]["label"]) & set(parts[1]["label"])
    rows = pd.concat([part[part["label"].isin(same)] for part in parts], ignore_index=True)
    rows = decisions.families(rows)
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


def page(name: str, defence: str, table: pd.DataFrame, clean: dict[str, Estimate]) -> str:
    """The table and its three paragraphs in Markdown."""
    top = table[table["foremost"]].drop_duplicates("family")
    lines = ["| family of changes | test | before | after |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| {row['family']} | {row['test']} | {cell(row, 'before')} | {cell(row, 'after')} |"
        for row in top.to_dict("records")
    ]
    shown = [f"{clean[when]:%}" for when in WHEN]
    lines.append(f"| unchanged texts | accuracy | {shown[0]} | {shown[1]} |")
    words = {"better": better(top), "cost": cost(clean, table), "breaks": breaks(table)}
    return PAGE.format(name=name, defence=defence, table="\n".join(lines), note=NOTE, **words)


def cell(row: dict, when: str) -> str:
    """Errors added in 100 with their bounds."""
    one = Estimate(*(row[f"{when}{end}"] for end in ("", "_low", "_high", "_n")))
    return f"{one:points}"


def better(top: pd.DataFrame) -> str:
    """The families whose bounds before and after do not meet, largest gain first; where there are
    none the one that gains most.
    """
    rows = top.assign(gain=top["before"] - top["after"]).sort_values("gain", ascending=False)
    shown = rows[rows["after_high"] < rows["before_low"]]
    rows = rows[rows["gain"] > 0].head(1) if shown.empty else shown
    parts = [
        f"{row['family']} adds {100 * row['after']:.1f} errors in 100 instead of "
        f"{100 * row['before']:.1f}"
        for row in rows.to_dict("records")
    ]
    if len(shown):
        return f"{sentence(parts)} For the other families the bounds meet."
    most = f" The largest gain: {parts[0]}." if parts else ""
    return f"No family of changes is shown to cost less than before.{most}"


def cost(clean: dict[str, Estimate], table: pd.DataFrame) -> str:
    """What hardening did to the accuracy on unchanged texts, and to tests that cost more now."""
    change = 100 * (clean["after"].value - clean["before"].value)
    moved = "stays the same" if abs(change) < 0.05 else "rises" if change > 0 else "falls"
    by = "" if moved == "stays the same" else f" by {abs(change):.1f} points"
    now = f"from {clean['before']:value:%} to {clean['after']:value:%}" if by else ""
    worse = table[table["after_low"] > table["before_high"]]["test"]
    more = f" More errors than before: {'; '.join(worse)}." if len(worse) else ""
    said = f"Accuracy on {clean['after'].n:.0f} unchanged texts {moved}{by} {now}".strip()
    return f"{said}.{more}"


def breaks(table: pd.DataFrame) -> str:
    """How many tests break the classifier before and after, and which ones still do."""
    counts = [int((table[f"{when}_verdict"] == decisions.BREAKS).sum()) for when in WHEN]
    left = table[table["after_verdict"] == decisions.BREAKS]
    left = left.sort_values("after", ascending=False, kind="stable")["test"]
    named = f" They are: {'; '.join(left)}." if len(left) else ""
    return (
        f"Of {len(table)} tests, {counts[0]} were shown to add more than {100 * MARGIN:.0f} errors "
        f"in 100 before; {counts[1]} are now.{named}"
    )


def sentence(parts: list[str]) -> str:
    """Parts as one sentence."""
    words = "; ".join(parts)
    return f"{words[:1].upper()}{words[1:]}."
