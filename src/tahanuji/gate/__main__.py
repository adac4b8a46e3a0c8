"""Judge stored outcomes by a policy, without a model; exit status 0 passed, 1 failed, 2 undecided
(or the policy's `undecided`), and 2 where something is wrong with the command.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import pandas as pd

from tahanuji.errors import InputError, sentence
from tahanuji.gate import against, formats, frames, judging, policy
from tahanuji.gate.judging import FAILED, UNDECIDED


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="python -m tahanuji.gate", description=__doc__)
    options.add_argument("outcomes", help="a csv, csv.gz or parquet file, a row per text and test")
    about = f"{', '.join(policy.ready())} or a yaml file; default, or no_worse with --against"
    options.add_argument("--policy", default="", help=about)
    about = "outcomes of an older classifier: what got worse, and the baseline of the policy"
    options.add_argument("--against", default="", metavar="OUTCOMES", help=about)
    options.add_argument("--out", type=Path, metavar="FOLDER", help="where all formats are written")
    options.add_argument("--model", default="classifier", help="its name for readers")
    options.add_argument("--undecided", type=int, metavar="STATUS", help="instead of the policy's")
    return options


def main(words: list[str] | None = None) -> int:
    """The exit status of the gate."""
    given = parser().parse_args(words)
    try:
        asked = policy.read(given.policy or ("no_worse" if given.against else "default"))
        new = frames.read(given.outcomes)
        old = frames.read(given.against) if given.against else None
        names = given.model, Path(given.against).name.split(".")[0]
        if given.undecided is not None:
            asked = replace(asked, undecided=given.undecided)
        return run(new, asked, old, names, given.out, frames.read)
    except (InputError, OSError) as error:
        print(f"gate: {sentence(error)}", file=sys.stderr)
        return 2


def run(
    new: pd.DataFrame,
    asked: policy.Policy,
    old: pd.DataFrame | None,
    names: tuple[str, str],
    out: Path | None,
    find,
    dataset: str = "texts",
) -> int:
    """Judge outcomes, beside older ones where there are, print what was decided, and write it into
    a folder; the exit status. `find` gives the outcomes of a baseline by its name.
    """

    def baseline(name: str) -> pd.DataFrame:
        if name != policy.BASELINE:
            return find(name)
        if old is None:
            raise asked.no_baseline()
        return old

    judged = judging.judge(new, asked, baseline)
    for row in judged[judged["outcome"].isin([FAILED, UNDECIDED])].itertuples():
        print(f"{row.outcome}: {row.family}: {row.test}: {judging.said(row)}")
    if old is not None:
        beside = judging.judge(new, policy.read("no_worse"), baseline)
        moved = against.flips(new, old)
        if out:
            against.write(out, beside, moved, *names)
        else:
            print(against.page(beside, moved, *names))
    if out:
        formats.write(out, judged, asked, names[0], dataset)
    print(f"{names[0]}, {asked.name}: {judging.outcome(judged)} ({formats.counts(judged)})")
    return judging.status(judged, asked)


if __name__ == "__main__":
    sys.exit(main())
