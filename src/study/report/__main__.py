"""python -m study report PROFILE             print the headline table, and where notebooks are
python -m study report --compare PROFILE   compare the headline numbers with the reference
python -m study report --page PROFILE      make outputs/PROFILE/report/index.html and cards
python -m study report --finish PROFILE    page, table and comparison, as ./run_all.sh ends
python -m study report --readme            write the READMEs' answers and docs/index.html anew
"""

import argparse
import sys

from helpers import layout
from study import publish
from study.report import cards, headline, page, report, verify
from tahanuji import paths
from tahanuji.errors import InputError, sentence


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 1 a verdict of FAIL, 2 wrong use."""
    parser = argparse.ArgumentParser(
        prog="python -m study report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    steps = {"page": [page_of_runs], "readme": [readme], "compare": [compare]}
    steps["finish"] = [draw, show, compare]
    what = parser.add_mutually_exclusive_group()
    for name, asked in steps.items():
        what.add_argument(f"--{name}", dest="steps", action="store_const", const=asked)
    parser.add_argument("profile", nargs="?", default="embedded")
    given = parser.parse_args(words)
    return max(attempt(step, given.profile) for step in given.steps or [show])


def attempt(step, profile: str) -> int:
    """The exit status of a step; what is wrong with its input is said in a sentence."""
    try:
        return int(step(profile) or 0)
    except (InputError, OSError) as error:
        print(f"report: {sentence(error)}", file=sys.stderr)
        return 2


def draw(profile: str, told: report.Report | None = None) -> None:
    """Make the cards of the models and the page, of a report that is made already where given."""
    folder, told = layout.outputs() / profile / "report", told or report.of(profile)
    cards.write(told, folder)
    print(f"report: {paths.shown(page.write(told, folder))}")


def page_of_runs(profile: str) -> None:
    """Make the page; InputError where no run has finished that it could be about."""
    told = report.of(profile)
    if not told.results.runs:
        published = (layout.REFERENCE / profile).is_dir()
        lay = f", or python -m study publish {profile} --restore lays the published ones here"
        raise InputError(
            f"{profile} has no finished run below {paths.shown(layout.outputs())}, so that there "
            f"is nothing to make a page of: ./run_all.sh {profile} makes them"
            f"{lay if published else ''}."
        )
    draw(profile, told)


def show(profile: str) -> None:
    """Print the headline table."""
    print(headline.printed(profile))


def compare(profile: str) -> bool:
    """Print the comparison with the reference; True where a number moved too far."""
    verdicts = verify.verdicts(profile)
    print(verify.printed(profile, verdicts), flush=True)
    return bool((verdicts["verdict"] == "FAIL").any())


def readme(_) -> None:
    """Write what README.md, README.id.md and docs/index.html show of published reports."""
    for path in paths.ROOT.glob("README*.md"):
        path.write_text(headline.with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
    front = publish.PAGES.parent / "index.html"
    front.write_text(headline.front(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
