"""The report as a page: outputs/<profile>/report/index.html, and beside it a page for every
executed notebook.
"""

from pathlib import Path

import pandas as pd

from helpers import layout, provenance
from helpers.report import curves, grids, notebook_pages, runs
from helpers.report.failures import Failures
from helpers.report.templates import inline, policy, render, replace, script, sentence, tidy
from tahanuji import models, paths
from tahanuji.errors import InputError

STATES = {
    "missing": "missing",
    "unfinished": "unfinished",
    "unreadable": "unreadable",
    "stale": "stale",
    "page": "shown without its notebook:",
    "failures": "shown without its failing rows:",
    "findings": "shown without its findings:",
}


def build(profile: str) -> Path:
    """Write `outputs/<profile>/report/index.html` and `report/pages/*.html`; the index's path.

    Every file is written in one step, the index after the pages that it links, and pages of runs
    that are gone are removed last, so that a reader never meets half a page. The same outputs give
    the same bytes. InputError where there is no such profile.
    """
    found = runs.collect(profile)
    folder = layout.outputs() / profile / "report"
    (folder / "pages").mkdir(parents=True, exist_ok=True)
    about = {run.name: notebook_pages.facts(run) for run in found.runs}
    titles = {
        name: notebook_pages.title(found.of(name)[0].folder / "executed.ipynb", name)
        for name in found.notebooks
    }
    notes = found.lacking.to_dict("records") + _write_pages(found, about, titles, folder / "pages")
    findings, problem = _findings(folder / "findings.json")
    notes += [{"run": "report", "state": "findings", "why": problem}] if problem else []
    report = notebook_pages.write_report(folder, profile)
    replace(folder / "index.html", index(found, about, titles, notes, report, findings))
    kept = {entry["page"] for entry in about.values()} | {report}
    for path in [
        path
        for path in (folder / "pages").iterdir()
        if path.is_file() and f"pages/{path.name}" not in kept
    ]:
        path.unlink()
    return folder / "index.html"


def _write_pages(
    found: runs.Collection, about: dict[str, dict], titles: dict[str, tuple], folder: Path
) -> list[dict]:
    """Write the pages of all runs; notes on those whose notebook cannot be read, which then have no
    page in `about`.
    """
    notes, same = [], {}
    for run in found.runs:
        if (run.folder / "executed.ipynb").is_file():
            same.setdefault(run.notebook, []).append(about[run.name])
    for run in found.runs:
        others = [one for one in same.get(run.notebook, []) if one["name"] != run.name]
        try:
            notebook_pages.write(
                run, about[run.name], others, titles[run.notebook][0], found.profile, folder
            )
        except InputError as error:
            about[run.name]["page"] = None
            notes.append({"run": run.name, "state": "page", "why": str(error)})
    return notes


def index(
    found: runs.Collection,
    about: dict[str, dict],
    titles: dict[str, tuple],
    notes: list[dict],
    report: str | None,
    findings: list,
) -> str:
    """The text of index.html: of a collection, its runs' facts, its notebooks' titles and
    questions, notes, the report notebook's page and findings.
    """
    failures = Failures(found, about)
    notes = notes + [
        {"run": name, "state": "failures", "why": why} for name, why in failures.problems.items()
    ]
    numbers = grids.Numbers(about, set(failures.tests))
    styles = curves.colours(found.models)
    charts = [
        curves.chart(family, styles, number)
        for number, family in enumerate(curves.families(found), 1)
    ]
    known = models.entries()
    words = {
        "profile": found.profile,
        "about_profile": _about(found.profile),
        "models": [(tidy(model), known.get(model, {}).get("about", "")) for model in found.models],
        "shown": {model: tidy(model) for model in found.models},
        "colours": {model: style["colour"] for model, style in styles.items()},
        "data": _data(found),
        "commits": sorted({notebook_pages.commit(run.about) for run in found.runs} - {""}),
        "runs": len(found.runs),
        "notes": _grouped(notes),
        "headline": grids.headline_table(found, numbers),
        "grids": grids.grids(found, numbers, {name: title for name, (title, _) in titles.items()}),
        "charts": charts,
        "failures": failures,
        "notebooks": [_notebook(found, about, name, *titles[name]) for name in found.notebooks],
        "all_runs": [about[run.name] for run in found.runs],
        "report": report,
        "findings": findings,
    }
    return render(
        "index.html.j2",
        **words,
        numbers=numbers.found.values(),
        about=about,
        script=script(),
        policy=policy(script()),
    )


def _notebook(
    found: runs.Collection, about: dict[str, dict], name: str, title: str, question: str
) -> dict:
    """A notebook's entry on the page: its variants, and in each the runs of the models."""
    variants: dict[str, list] = {}
    for run in found.of(name):
        variants.setdefault(run.variant, []).append(about[run.name])
    ordered = sorted(variants.items(), key=lambda item: (item[0] != "default", item[0]))
    return {"name": name, "title": inline(title), "question": inline(question), "variants": ordered}


def _data(found: runs.Collection) -> list[str]:
    """What the runs read, in words: `embedded: train 1,161, valid 200, test 300`."""
    parts: dict[str, dict[str, int]] = {}
    for part in (part for run in found.runs for part in run.about["data"]):
        parts.setdefault(part["name"], {})[part.get("split", "rows")] = part.get("rows", 0)
    return [
        f"{tidy(name)}: {', '.join(f'{split} {rows:,}' for split, rows in splits.items())}"
        for name, splits in sorted(parts.items())
    ]


def _grouped(notes: list[dict]) -> list[dict]:
    """Notes with the same state and reason together: `state, why, runs`."""
    order = list(STATES)
    groups = (
        pd.DataFrame(notes, columns=["run", "state", "why"])
        .groupby(["state", "why"], sort=False)["run"]
        .apply(sorted)
    )
    listed = sorted(
        groups.items(),
        key=lambda item: order.index(item[0][0]) if item[0][0] in order else len(order),
    )
    return [
        {"state": STATES.get(state, state), "why": tidy(why), "runs": names}
        for (state, why), names in listed
    ]


def _findings(path: Path) -> tuple[list[tuple[str, list]], str]:
    """The sentences that the report notebook kept, by heading, and what is wrong with them; none of
    either where it has not run.
    """
    try:
        said = provenance.read_json(path) if path.is_file() else {}
        return [
            (heading, [sentence(one) for one in sentences]) for heading, sentences in said.items()
        ], ""
    except (ValueError, AttributeError, TypeError):
        return [], f"{paths.shown(path)} cannot be read; run {runs.REPORT} again."


def _about(profile: str) -> str:
    """The first comment of a profile's configuration, which says what it is for."""
    path = paths.CONFIG / f"{profile}.yaml"
    first = path.read_text(encoding="utf-8").splitlines()[0] if path.is_file() else ""
    return first.lstrip("# ") if first.startswith("#") else ""
