"""The headline numbers of a profile: one table, for command line, README and page."""

import json
from functools import partial

import pandas as pd
from PIL import Image

from helpers import layout, notebooks
from study import publish
from study.report import page, runs, words
from tahanuji import measure, paths
from tahanuji.errors import InputError
from tahanuji.results import Results, estimates


def _place(notebook: str, number: dict) -> tuple[str, str, str]:
    rate = float("nan") if number["rate"] is None else number["rate"]
    title = measure.title(number["test"], rate, number["group"])
    return notebook, title, number["metric"]


NUMBERS = {
    number["name"]: _place(name, number)
    for name, notebook in notebooks.every().items()
    for number in notebook.numbers
}
COLUMNS = ["name", "model", "run", "title", "metric", "value", "ci_low", "ci_high", "n", "seed"]
PROFILES = ("embedded", "cpu", "thesis")


def numbers(results: Results) -> pd.DataFrame:
    """The headline numbers of a collection's default runs: COLUMNS."""
    rows = []
    for name, (notebook, part, metric) in NUMBERS.items():
        for run in results.of(notebook, "default"):
            row = run.metrics[(run.metrics["title"] == part) & (run.metrics["metric"] == metric)]
            rows += [
                {"name": name, "run": run.name, **one}
                for one in row.drop(columns=["notebook", "variant"]).to_dict("records")
            ]
    return pd.DataFrame(rows, columns=COLUMNS)


def table(results: Results) -> pd.DataFrame:
    """The headline table: one row per number, one column per model, `value (low to high)` in
    percent, empty where there is no run.
    """
    rows = numbers(results)
    cells = [f"{one:%}".replace("%", "") for one in estimates(rows)]
    wide = rows.assign(cell=cells).pivot(index="name", columns="model", values="cell")
    ordered = wide.reindex([name for name in NUMBERS if name in wide.index])[
        runs.order(set(wide.columns), results.profile)
    ]
    return ordered.rename_axis(index=None, columns=None).fillna("")


def printed(profile: str) -> str:
    """What run_all.sh prints at its end."""
    results = runs.collect(profile)
    lines = [f"Executed notebooks of profile {profile} ({len(results.runs)} finished runs):"]
    lines += [f"  {paths.shown(run.folder / 'executed.ipynb')}" for run in results.runs]
    if len(numbers(results)):
        lines += [
            "",
            "Percent, with 95% intervals:",
            "",
            table(results).rename(index=lambda name: name.replace("*", "")).to_markdown(),
        ]
    states = {"unfinished": "NOT FINISHED", "unreadable": "NOT READABLE"}
    lines += [
        f"\n{states[row.state]} {row.run}: {row.why}"
        for row in results.lacking.itertuples()
        if row.state in states
    ]
    page = layout.outputs() / profile / "report" / "index.html"
    cards = sorted(page.parent.glob("card-*/card.html"))
    if page.is_file():
        lines += ["", f"The report, for a browser: {paths.shown(page)}"]
    lines += [f"A card of one model: {paths.shown(card)}" for card in cards]
    return "\n".join(lines)


def readme_answer(profile: str, language: str = "") -> str | None:
    """The first table and sentences of a profile's published report, below its picture of the
    families of changes, in English or another of `words.LANGUAGES`; None where that report was
    published without them.
    """
    picture = f"families_{language}.png" if language else "families.png"
    where = publish.REFERENCE / profile / "report" / "figures" / picture
    said = _said(profile, f"Opening {language}".strip())
    if not (said and where.is_file()):
        return None
    with Image.open(where) as image:
        title = image.info.get("Title", "")
    return f"![{title}]({paths.shown(where)})\n\n{said}"


def front() -> str:
    """The front page of the published pages: the answer of the first, and the way to all."""

    first, *others = publish.SHOWN
    picture = publish.REFERENCE / first / "report" / "figures" / "families.png"
    template = words.environment("en", escaped=True).get_template("front.html.j2")
    made = template.render(
        first=first,
        others=others,
        said=_said(first, "Opening") or "",
        picture=page.picture(picture),
        styles=words.file("page.css"),
    )
    return made + "\n"


def readme_claims(profile: str, language: str = "") -> str | None:
    """Which claims hold by a profile's published report; None as of `readme_answer`."""
    return _said(profile, f"Claims {language}".strip())


def _said(profile: str, part: str) -> str | None:
    path = publish.REFERENCE / profile / "report" / "findings.json"
    said = json.loads(path.read_text(encoding="utf-8")).get(part, [])
    return words.listed(said) or None


def with_tables(text: str) -> str:
    """README.md's text with what stands between its markers `<!-- answer PROFILE -->` or
    `<!-- claims PROFILE -->` (`answer_id`, `claims_id`: in Indonesian) and `<!-- end -->` made
    anew.
    """
    kinds = {"answer": readme_answer, "claims": readme_claims}
    for name in words.LANGUAGES:
        kinds[f"answer_{name}"] = partial(readme_answer, language=name)
        kinds[f"claims_{name}"] = partial(readme_claims, language=name)
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
                text = before + start + _renewed(make(profile), old) + end + after
    return text


def _renewed(made: str | None, old: str) -> str:
    """What stands between two markers: what was made, or what stood there."""
    return old if made is None else f"{made}\n"
