"""python -m helpers.report PROFILE             print the headline table, and where notebooks are
python -m helpers.report --compare PROFILE   compare the headline numbers with the reference
python -m helpers.report --page PROFILE      make outputs/PROFILE/report/index.html
python -m helpers.report --readme            write the headline tables into README.md
"""

import argparse
import sys

from helpers.report import headline, page, verify
from tahanuji import paths
from tahanuji.errors import InputError


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 1 a verdict of FAIL, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_mutually_exclusive_group()
    for name in ("page", "readme", "compare"):
        what.add_argument(f"--{name}", action="store_true")
    parser.add_argument("profile", nargs="?", default="embedded")
    given = parser.parse_args(words)
    try:
        return act(given)
    except InputError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2


def act(given: argparse.Namespace) -> int:
    """Do what was asked."""
    if given.readme:
        readme = paths.ROOT / "README.md"
        readme.write_text(
            headline.with_tables(readme.read_text(encoding="utf-8")), encoding="utf-8"
        )
    elif given.compare:
        verdicts = verify.verdicts(given.profile)
        print(verify.printed(given.profile, verdicts))
        return int((verdicts["verdict"] == "FAIL").any())
    elif given.page:
        print(f"report: {paths.shown(page.build(given.profile))}")
    else:
        print(headline.printed(given.profile))
    return 0


if __name__ == "__main__":
    sys.exit(main())
