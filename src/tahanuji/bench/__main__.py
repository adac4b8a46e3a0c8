"""The frozen benchmark from the command line.

python -m tahanuji.bench make FOLDER    write the tables as the corpora and instruments are today
python -m tahanuji.bench tasks          write the task files of data/bench for lm-evaluation-harness
python -m tahanuji.bench check          compare the tables of data/bench with their sha256

A made table never replaces a frozen one: data/bench keeps its version, another one gets another.
"""

import argparse
import sys
from pathlib import Path

from tahanuji import paths
from tahanuji.bench import frozen, harness, making
from tahanuji.errors import InputError, sentence


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="python -m tahanuji.bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for action in (make, tasks, check):
        command = commands.add_parser(action.__name__, help=action.__doc__)
        command.set_defaults(run=action)
        if action is make:
            command.add_argument("folder", type=Path)
    given = parser.parse_args(words)
    try:
        given.run(given)
    except (InputError, OSError) as error:
        print(f"bench: {sentence(error)}", file=sys.stderr)
        return 2
    return 0


def make(given) -> None:
    """Write the tables into a folder that has none yet."""
    if (given.folder / frozen.SUMS).exists():
        raise InputError(f"{paths.shown(given.folder)} holds a benchmark already, which is frozen.")
    tables = {name: getattr(making, name)() for name in frozen.TABLES}
    frozen.write(given.folder, tables)
    for name, table in tables.items():
        print(f"{name}: {len(table)} rows")


def tasks(given) -> None:
    """Write the task files."""
    count = harness.write(frozen.FOLDER)
    print(f"{count} tasks: {paths.shown(frozen.FOLDER / harness.FOLDER)}")


def check(given) -> None:
    """Print the sha256 of the tables."""
    for name, digest in frozen.check().items():
        print(digest, name)


if __name__ == "__main__":
    sys.exit(main())
