"""The headline numbers of a profile: one table, for command line, README and page."""

import json

import pandas as pd

from helpers import layout, notebooks
from helpers.report import answer, runs
from helpers.study import publish
from tahanuji import measure, paths
from tahanuji.errors import InputError


def _place(number: dict) -> tuple[str, str, str]:
    rate = float("nan") if number["rate"] is None else number["rate"]
    title = measure.title(number["test"], rate, number["group"])
    return number["notebook"], title, number["metric"]


NUMBERS = {name: _place(number) for name, number in notebooks.numbers().items()}
PROFILES = ("embedded", "cpu", "thesis")


def numbers(found: runs.Collection) -> pd.DataFrame:
    """The headline numbers of a collection's default runs: `name, model, run, title, metric, value,
    ci_low, ci_high, n, seed`.
    """
    rows = []
    for name, (notebook, part, metric) in NUMBERS.items():
        for run in found.of(notebook, "default"):
            row = run.metrics[(run.metrics["title"] == part) & (run.metrics["metric"] == metric)]
            rows += [
                {"name": name, "run": run.name, **one}
                for one in row.drop(columns=["notebook", "variant"]).to_dict("records")
            ]
    return pd.DataFrame(
        rows,
        columns=[
            "name",
            "model",
            "run",
            "title",
            "metric",
            "value",
            "ci_low",
            "ci_high",
            "n",
            "seed",
        ],
    )


def table(found: runs.Collection) -> pd.DataFrame:
    """The headline table: one row per number, one column per model, `value (low to high)` in
    percent, empty where there is no run.
    """
    rows = numbers(found)
    cells = [
        f"{row.value * 100:.1f} ({row.ci_low * 100:.1f} to {row.ci_high * 100:.1f})"
        for row in rows.itertuples()
    ]
    wide = rows.assign(cell=cells).pivot(index="name", columns="model", values="cell")
    ordered = wide.reindex([name for name in NUMBERS if name in wide.index])[
        runs.order(set(wide.columns))
    ]
    return ordered.rename_axis(index=None, columns=None).fillna("")


def printed(profile: str) -> str:
    """What run_all.sh prints at its end."""
    found = runs.collect(profile)
    lines = [f"Executed notebooks of profile {profile} ({len(found.runs)} finished runs):"]
    lines += [f"  {paths.shown(run.folder / 'executed.ipynb')}" for run in found.runs]
    if len(numbers(found)):
        lines += [
            "",
            "Percent, with 95% intervals:",
            "",
            table(found).rename(index=lambda name: name.replace("*", "")).to_markdown(),
        ]
    states = {"unfinished": "NOT FINISHED", "unreadable": "NOT READABLE"}
    lines += [
        f"\n{states[row.state]} {row.run}: {row.why}"
        for row in found.lacking.itertuples()
        if row.state in states
    ]
    page = layout.outputs() / profile / "report" / "index.html"
    if page.is_file():
        lines += ["", f"The report, for a browser: {paths.shown(page)}"]
    return "\n".join(lines)


def readme_table(profile: str) -> str:
    """The headline table of a profile's reference, else of its runs here, in Markdown."""
    published = publish.Reference(profile)
    return table(published if published.runs() else runs.collect(profile)).to_markdown()


def readme_answer(profile: str) -> str:
    """The answer of a profile's published report, a paragraph a point, below its matrix; without
    what costs little, which the matrix shows, and the claims, which `readme_claims` has of SmSA.
    """
    folder = publish.REFERENCE / profile / "report"
    where = paths.shown(folder / "figures" / "matrix.png")
    about = "Verdict of every test by model: stands, breaks or undecided, with its value"
    left_out = answer.LITTLE, answer.CLAIMS
    shown = [f"* {one}" for one in _answer(profile) if not one.startswith(left_out)]
    return "\n".join([f"![{about}]({where})", "", *shown])


def readme_claims(profile: str) -> str:
    """Which claims hold by a profile's published report."""
    return "\n".join(f"* {one}" for one in _answer(profile) if one.startswith(answer.CLAIMS))


def _answer(profile: str) -> list[str]:
    path = publish.REFERENCE / profile / "report" / "findings.json"
    return json.loads(path.read_text(encoding="utf-8"))["Answer"]


def with_tables(text: str) -> str:
    """README.md's text with what stands between its markers `<!-- headline PROFILE -->`, `<!--
    answer PROFILE -->` or `<!-- claims PROFILE -->` and `<!-- end -->` made anew.
    """
    kinds = {"headline": readme_table, "answer": readme_answer, "claims": readme_claims}
    for kind, make in kinds.items():
        for profile in PROFILES:
            start = f"<!-- {kind} {profile} -->\n"
            if start in text:
                before, rest = text.split(start, 1)
                old, end, after = rest.partition("<!-- end -->")
                if not end or f"<!-- {kind}" in old:
                    raise InputError(
                        f"README.md has {start.strip()} without <!-- end --> behind it; add that "
                        "line behind the table."
                    )
                text = before + start + make(profile) + "\n" + end + after
    return text
