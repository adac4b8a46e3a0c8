"""The Indonesian CheckList from the command line.

python -m tahanuji.checklist export FOLDER       write the suite: checklist.csv, checklist.jsonl
python -m tahanuji.checklist score FILE          score a csv with columns id, label
python -m tahanuji.checklist sizes               print what the suite holds
python -m tahanuji.checklist sheet FOLDER RATER  write a blind rating sheet and its key
python -m tahanuji.checklist collect KEY SHEET RATER RATINGS
                                                 add a filled sheet to a file of ratings
python -m tahanuji.checklist agreement RATINGS   print agreement and what lies below the bar
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tahanuji import commas, data, paths
from tahanuji.checklist import answers, expansion, ratings, reading, scoring
from tahanuji.errors import InputError, sentence


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 2 wrong use."""
    given = _parser().parse_args(words)
    try:
        suite = reading.read(given.suite, given.fillers)
        given.run(given, suite, expansion.expand(suite, given.cases))
    except (InputError, OSError) as error:
        print(f"checklist: {sentence(error)}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tahanuji.checklist",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--suite", help="folder of the suite (data/checklist)")
    parser.add_argument(
        "--fillers", help=f"csv of the slots' words, or a folder ({reading.LEXICONS})"
    )
    parser.add_argument(
        "--cases", type=int, default=expansion.CASES, help="filled templates per capability"
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    shapes = {
        export: ["folder"],
        score: ["file"],
        sizes: [],
        sheet: ["folder", "rater"],
        collect: ["key", "sheet", "rater", "ratings"],
        agreement: ["ratings"],
    }
    for action, arguments in shapes.items():
        command = commands.add_parser(action.__name__, help=action.__doc__)
        command.set_defaults(run=action)
        for name in arguments:
            command.add_argument(name, type=str if name == "rater" else Path)
        if action is score:
            command.add_argument("--labels", default=",".join(data.LABELS))
            command.add_argument("--failures", type=Path, help="csv for the cases that fail")
        if action is sheet:
            command.add_argument("--templates", default="", help="only these, with all their cases")
        if action is agreement:
            command.add_argument("--left-out", type=Path, help="csv for what lies below the bar")
    return parser


def export(given, suite, cases: pd.DataFrame) -> None:
    """Write the texts to predict as csv and jsonl."""
    given.folder.mkdir(parents=True, exist_ok=True)
    rows = answers.texts(cases)
    _write(given.folder / "checklist.csv", rows)
    rows.to_json(given.folder / "checklist.jsonl", orient="records", lines=True, force_ascii=False)
    print(
        f"{len(rows)} texts of {len(cases)} cases: {paths.shown(given.folder)}/checklist.csv and "
        f"checklist.jsonl. Predict a label for every text and score a csv with columns id,label."
    )


def score(given, suite, cases: pd.DataFrame) -> None:
    """Print the failure rates of a file of predictions."""
    labels = commas.words(given.labels)
    judged = scoring.judge(cases, _read(given.file), labels, place=str(given.file))
    rated = scoring.rates(judged, expansion.SEED)
    print(scoring.matrix(rated, cases).to_string(index=False))
    left = int((~judged["counted"]).sum())
    if left:
        print(f"{left} cases accept only neutral and are left out for a model without that label.")
    if given.failures:
        _write(given.failures, judged[judged["failure"]])
        print(f"{int(judged['failure'].sum())} failing cases: {paths.shown(given.failures)}")


def sizes(given, suite, cases: pd.DataFrame) -> None:
    """Print templates, sentences, cases and near-duplicates by capability."""
    print(expansion.sizes(suite, cases).to_string(index=False))
    pairs = expansion.near_duplicates(cases)
    print(f"{len(pairs)} pairs of cases of different templates are near-duplicates.")


def sheet(given, suite, cases: pd.DataFrame) -> None:
    """Write a reader's sheet and its key."""
    given.folder.mkdir(parents=True, exist_ok=True)
    blank, key = ratings.sheet(cases, given.rater, templates=commas.words(given.templates))
    for name, table in (("sheet", blank), ("key", key)):
        _write(given.folder / f"{name}_{given.rater}.csv", table)
    print(
        f"{len(blank)} texts to rate: {paths.shown(given.folder)}/sheet_{given.rater}.csv. Fill "
        f"verdict (one text: {', '.join(ratings.SINGLE)}; two, the second against the first: "
        f"{', '.join(ratings.PAIR)}) and natural ({', '.join(ratings.NATURAL)})."
    )


def collect(given, suite, cases: pd.DataFrame) -> None:
    """Add a filled sheet to the ratings."""
    filled = _read(given.sheet)
    rows = ratings.collect(_read(given.key), filled, given.rater, str(given.sheet))
    if given.ratings.is_file():
        rows = pd.concat([_read(given.ratings), rows], ignore_index=True)
    _write(given.ratings, ratings.check_ratings(rows, str(given.ratings)))
    print(f"{len(rows)} verdicts: {paths.shown(given.ratings)}")


def agreement(given, suite, cases: pd.DataFrame) -> None:
    """Print agreement, controls, and what the readers did not accept."""
    table = ratings.check_ratings(_read(given.ratings), str(given.ratings))
    whole = replace(suite, left_out=frozenset())  # what has left the suite was rated too
    below = ratings.below_bar(table, expansion.expand(whole, given.cases))
    print(ratings.agreement(table).round(3).to_string(index=False))
    print(ratings.controls_right(table).to_string(index=False))
    print(f"{len(below)} templates and cases lie below the bar.")
    print(below.to_string(index=False) if len(below) else "")
    if given.left_out:
        _write(given.left_out, below)


def _read(path: Path) -> pd.DataFrame:
    if not path.is_file():
        raise InputError(f"{paths.shown(path)} is not there.")
    table = data.read_table(path)
    return table[(table != "").any(axis=1)]


def _write(path: Path, table: pd.DataFrame) -> None:
    table.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    sys.exit(main())
