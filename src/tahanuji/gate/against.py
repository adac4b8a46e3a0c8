"""A regression: the answers of a new classifier beside those of an old one on the same texts, what
got worse first.
"""

from pathlib import Path

import pandas as pd

from tahanuji.gate import frames
from tahanuji.gate.judging import said

__all__ = ["page", "write"]

COLUMNS = ["family", "test", "id", "gold", "old_label", "new_label", "worse", "better"]
FILES = ("against.md", "flips.csv")
SHOWN = 10  # examples and flips that the page names
PAGE = Path(__file__).with_name("against.md")


def flips(new: pd.DataFrame, old: pd.DataFrame) -> pd.DataFrame:
    """The answers that differ between two classifiers.

    Parameters
    ----------
    new, old : DataFrame
        Outcomes of the same texts, as `frames.prepared` gives them.

    Returns
    -------
    DataFrame
        A row per answer: family, test, id, gold, old_label, new_label, `worse` (the old one was
        right), `better` (the new one is), and the texts where the frame has them; the test first
        whose answers got worse most, in it what got worse first.

    Examples
    --------
    >>> rows = pd.DataFrame({"id": ["1", "2"], "test": "ocr", "gold": "a", "clean_label": "a"})
    >>> old = frames.prepared(rows.assign(perturbed_label=["b", "a"]))
    >>> new = frames.prepared(rows.assign(perturbed_label=["a", "b"]))
    >>> flips(new, old)[["id", "worse"]].values.tolist()
    [['2', True], ['1', False]]
    """
    olds, parts = dict(frames.tests(frames.with_unchanged(old))), []
    for key, part in frames.tests(frames.with_unchanged(new)):
        both = frames.paired(part, olds[key]) if key in olds else None
        if both is not None:
            both = both[both["changed"]]
            both["loss"] = (both["induced"].astype(float) - both["repaired"]).mean()
            parts.append(both[both["flip"]])
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["loss"])
    names = {"perturbed_label": "new_label", "induced": "worse", "repaired": "better"}
    table = table.rename(columns=names)
    table = table.reindex(columns=[*COLUMNS, *(c for c in frames.TEXTS if c in table), "loss"])
    ordered = table.sort_values(["loss", "test", "worse"], ascending=False, kind="stable")
    return ordered.drop(columns="loss").reset_index(drop=True)


def page(judged: pd.DataFrame, moved: pd.DataFrame, new: str, old: str) -> str:
    """The comparison in Markdown: examples of what got worse, then every test, the worst first."""
    examples = [_example(row) for row in moved[moved["worse"].eq(True)].head(SHOWN).itertuples()]
    counted = moved.groupby(["family", "test"])[["worse", "better"]].sum()
    sizes = moved.groupby(["family", "test"]).size()
    rows = []
    for row in judged.sort_values("value", ascending=False, kind="stable").itertuples():
        key = (row.family, row.test)
        numbers = [sizes.get(key, 0), *(counted.loc[key] if key in sizes else (0, 0))]
        verdict = row.verdict if pd.notna(row.verdict) else row.outcome
        cells = [*key, said(row), verdict, *(f"{number:.0f}" for number in numbers)]
        rows.append(f"| {' | '.join(cells)} |")
    told = "\n".join(examples) or "No answer that was right is wrong now."
    return PAGE.read_text(encoding="utf-8").format(
        new=new, old=old, examples=told, rows="\n".join(rows)
    )


def _example(row) -> str:
    """A flipped answer as an item of a list, with its text where the frame has it."""
    changed = getattr(row, "perturbed", None)
    text = changed if isinstance(changed, str) else getattr(row, "text", None)
    quoted = f": {' '.join(text.split())}" if isinstance(text, str) else ""
    said = f"{row.old_label}, now {row.new_label}" if pd.notna(row.old_label) else "passed before"
    said += f" (right: {row.gold})" if pd.notna(row.gold) else ""
    return f"* {row.test}, {row.id}, {said}{quoted}"


def write(
    folder: Path, judged: pd.DataFrame, moved: pd.DataFrame, new: str, old: str
) -> list[Path]:
    """Write against.md and flips.csv; their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    said, table = (folder / name for name in FILES)
    moved.to_csv(table, index=False, lineterminator="\n")
    said.write_text(page(judged, moved, new, old), encoding="utf-8")
    return [said, table]
