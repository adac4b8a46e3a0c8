"""Blind sheets of data/tagging for a further annotator, and their agreement with those before.

python scripts/annotate.py sheet FILE             the sentences without tags, to be filled
python scripts/annotate.py collect FILE RATER     check a filled sheet and add it to ratings.csv
python scripts/annotate.py table                  how far each two annotators agree

A filled cell of `spans` reads `PER bu Tini; LOC Depok`, in the order of the text; an empty one says
that the sentence has none.
"""

import argparse
from itertools import combinations
from pathlib import Path

import pandas as pd

from tahanuji import data, paths, tagging
from tahanuji.errors import InputError, unknown
from tahanuji.tagging import annotators

FOLDER = paths.DATA / "tagging"
TYPES = ("PER", "LOC", "ORG", "PRD")
SEED = 26092020


def sentences() -> pd.DataFrame:
    """All sentences with the ids that their files give them."""
    frames = [tagging.load("tags", split) for split in data.SPLITS]
    for split, frame in zip(data.SPLITS, frames, strict=True):
        frame["id"] = [f"{split}-{number:03d}" for number in range(1, len(frame) + 1)]
    return pd.concat(frames, ignore_index=True)


def sheet(path: Path) -> None:
    """Write the sentences without tags."""
    table = sentences()
    table = table.assign(text=table["words"].map(" ".join), spans="", note="")
    table[["id", "text", "spans", "note"]].to_csv(path, index=False, lineterminator="\n")


def collected(filled: pd.DataFrame, rater: str) -> pd.DataFrame:
    """Rows of ratings.csv; InputError for a type that there is not, for a sheet without a span, and
    as `annotators.annotated`.
    """
    if filled["spans"].str.strip().eq("").all():
        raise InputError("the sheet has no span; write them as in 'PER bu Tini; LOC Depok'.")
    rows = []
    for example, cell, note in filled[["id", "spans", "note"]].itertuples(index=False):
        spans = [part.split(maxsplit=1) for part in cell.split(";")] if cell.strip() else [["", ""]]
        for name, span in ((part + [""])[:2] for part in spans):
            if name and name not in TYPES:
                raise unknown("type", name, TYPES)
            if name and not span:
                raise InputError(f"{example} has {name} without words; write '{name} <words>'.")
            rows.append((example, rater, span, name, note))
    table = pd.DataFrame(rows, columns=annotators.ANNOTATIONS)
    annotators.annotated(sentences(), table)
    return table


def collect(path: Path, rater: str, ratings: Path) -> None:
    """Add a filled sheet; what the same annotator wrote before gives way."""
    rows, before = collected(data.read_table(path), rater), data.read_table(ratings)
    table = pd.concat([before[before["rater"] != rater], rows], ignore_index=True)
    table.to_csv(ratings, index=False, lineterminator="\n")


def compared(ratings: Path) -> pd.DataFrame:
    """The agreement of each two annotators."""
    rows, table = data.read_table(ratings), sentences()
    tags = {name: annotators.annotated(table, part) for name, part in rows.groupby("rater")}
    parts = [
        annotators.agreement(tags[one], tags[two], SEED).assign(raters=f"{one} and {two}")
        for one, two in combinations(tags, 2)
    ]
    return pd.concat(parts)[["raters", "group", "metric", "value", "ci_low", "ci_high", "n"]]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ratings", type=Path, default=FOLDER / "ratings.csv")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("sheet", help=sheet.__doc__).add_argument("file", type=Path)
    add = commands.add_parser("collect", help=collect.__doc__)
    add.add_argument("file", type=Path)
    add.add_argument("rater")
    commands.add_parser("table", help=compared.__doc__)
    given = parser.parse_args()
    if given.command == "sheet":
        sheet(given.file)
    elif given.command == "collect":
        collect(given.file, given.rater, given.ratings)
    else:
        print(compared(given.ratings).round(3).to_string(index=False))


if __name__ == "__main__":
    main()
