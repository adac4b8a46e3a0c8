"""Validity of the instruments from the command line.

python -m tahanuji.validity sheet FOLDER RATER [RATER ...]   write blind sheets and their keys
python -m tahanuji.validity collect KEY SHEET RATER          add a filled sheet
python -m tahanuji.validity table                            print validity, controls, agreement
python -m tahanuji.validity shares                           write what instruments read: shares.csv

A sheet may hold texts that must not be published: keep FOLDER out of the repository.
"""

import argparse
import sys
from pathlib import Path

import pandas as pd

from tahanuji import commas, data, paths
from tahanuji import instrument as instruments
from tahanuji.errors import InputError, sentence
from tahanuji.validity import attacks, making, shares, sheets


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="python -m tahanuji.validity",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--ratings", type=Path, default=shares.FILE)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    write = commands.add_parser("sheet", help=sheet.__doc__)
    write.set_defaults(run=sheet)
    write.add_argument("folder", type=Path)
    write.add_argument("raters", nargs="+")
    write.add_argument("--language", default="id", choices=sorted(making.SOURCES))
    write.add_argument("--instruments", default="", help="comma-separated; all without it")
    write.add_argument(
        "--unrated", action="store_true", help="only those without ratings that hold"
    )
    write.add_argument("--datasets", default="", help="comma-separated; all without it")
    write.add_argument("--count", type=int, default=0, help="outputs per data set, or language")
    write.add_argument(
        "--attacks", type=Path, help="rate the successes of this run of notebook 08 instead"
    )
    add = commands.add_parser("collect", help=collect.__doc__)
    add.set_defaults(run=collect)
    for name in ("key", "filled", "rater"):
        add.add_argument(name, type=str if name == "rater" else Path)
    show = commands.add_parser("table", help=table.__doc__)
    show.set_defaults(run=table)
    show.add_argument("--language", default="id", choices=sorted(making.SOURCES))
    write = commands.add_parser("shares", help=written.__doc__)
    write.set_defaults(run=written)
    given = parser.parse_args(words)
    try:
        given.run(given)
    except (InputError, OSError) as error:
        print(f"validity: {sentence(error)}", file=sys.stderr)
        return 2
    return 0


def sheet(given) -> None:
    """Write a sheet and a key for every reader."""
    if given.attacks:
        items = attacks.successes(given.attacks, given.count or attacks.EACH)
    else:
        items = _outputs(given)
    given.folder.mkdir(parents=True, exist_ok=True)
    for rater in given.raters:
        blank, key = sheets.sheet(items, rater)
        blank.to_csv(given.folder / f"sheet_{rater}.csv", index=False, lineterminator="\n")
        key.to_csv(given.folder / f"key_{rater}.csv", index=False, lineterminator="\n")
    print(f"{len(items)} outputs and their controls for {len(given.raters)} readers.")


def _outputs(given) -> pd.DataFrame:
    """What the instruments asked for make of their samples."""
    every = instruments.rated(given.language)
    wanted = [instruments.named(key, given.language) for key in commas.words(given.instruments)]
    if given.unrated:
        wanted = [one for one in wanted or every if not one.validity.current]
    parts = []
    for one in wanted or every:
        missing = 0  # of the sources before: the next one makes up for them
        for dataset in commas.words(given.datasets) or making.SOURCES[given.language]:
            asked = (given.count or making.EACH) + missing
            parts.append(making.outputs(one, dataset, asked))
            missing = asked - len(parts[-1])
    return pd.concat(parts, ignore_index=True)


def collect(given) -> None:
    """Add a filled sheet; verdicts of the same reader on the same sample give way."""
    key = data.read_table(given.key)
    rows = sheets.collect(key, data.read_table(given.filled), given.rater, given.filled.stem)
    before = shares.ratings(given.ratings)
    named = set(rows.loc[rows["instrument"] != "", "instrument"])
    own = before["rater"] == given.rater
    same = own & (before["sheet"] == given.filled.stem)
    if (set(before.loc[same, "instrument"]) - {""}) - named:
        raise InputError(
            f"{given.rater} has filled a sheet {given.filled.stem} of other instruments; give this "
            "file another name."
        )
    twice = before["instrument"].isin(named) & before["language"].isin(rows["language"])
    twice &= before["draw"].isin(rows["draw"])
    before = before[~(same | own & twice)]
    table = pd.concat([before, rows], ignore_index=True) if len(before) else rows
    table.to_csv(given.ratings, index=False, lineterminator="\n")
    print(f"{len(rows)} verdicts of {given.rater}: {paths.shown(given.ratings)}")


def table(given) -> None:
    """Print validity per instrument, controls and agreement."""
    rows = shares.ratings(given.ratings)
    shown = shares.table(given.language).round(3)
    print(shown.drop(columns=[name for name in shown if name.endswith("_high")]).to_string())
    print(sheets.controls_right(rows).to_string(index=False))
    print(shares.agreement(rows).round(3).to_string(index=False))


def written(given) -> None:
    """Run the instruments on the rated texts and write the validity of those that still hold."""
    table = shares.worked_out(shares.ratings(given.ratings))
    table.to_csv(instruments.SHARES, index=False, lineterminator="\n", float_format="%.10g")
    print(f"{len(table)} instruments: {paths.shown(instruments.SHARES)}")


if __name__ == "__main__":
    sys.exit(main())
