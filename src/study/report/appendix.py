"""The tables of a report that no other section shows. Nothing in them depends on the language that
it is told in, but their captions.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from helpers import layout, provenance, tables
from study.report import (
    codemixing,
    decisions,
    foretold,
    grids,
    hardened,
    headline,
    indonlu,
    runs,
    thesis,
    views,
)
from study.report.cells import Table
from tahanuji import changes, measure, paths
from tahanuji import published as documents
from tahanuji.results import select

if TYPE_CHECKING:  # which shows these tables
    from study.report.report import Report

FINDINGS = ["about", "question", "estimate", "verdict"]
MOVED = ["notebook", "variant", "test", "model", "n", *decisions.RATES[:5], "p_holm"]


def published(report: "Report") -> Iterator[Table]:
    """The thesis's tables and IndoNLU's Table 5 beside the runs, with what tests cost its tasks."""
    yield from of_thesis(report)
    pretrained = indonlu.benchmark(report.collected)
    if len(pretrained):
        several = pretrained["task"].nunique() > 3
        shown = indonlu.wide(pretrained) if several else pretrained
        yield report.table("indonlu_table_5", pretrained, shown)
    if len(averaged := indonlu.means(pretrained)):
        yield report.table("indonlu_means", averaged)
    tests = indonlu.moved(report.results, report.margin)
    if tests["task"].nunique() > 1:
        margin = f"{100 * report.margin:.0f}"
        yield report.table("indonlu_tests", tests, indonlu.by_test(tests), margin=margin)


def audited(report: "Report") -> Iterator[Table]:
    """What notebook 90 finds in a profile, in English: its findings, then its other tables; none
    where it has not run.
    """
    folder = layout.outputs() / report.results.profile / "documents"
    if (folder / "findings.json").is_file():
        rows = []
        for about, found in provenance.read_json(folder / "findings.json").items():
            # a sentence each, in runs of before the findings were tables
            cells = [[one] if isinstance(one, str) else one for one in found]
            rows += [(about, one[0], *one[1:2], *one[3:]) for one in cells]
        findings = pd.DataFrame(rows, columns=FINDINGS[: max(map(len, rows))])
        findings = findings.reindex(columns=FINDINGS).fillna("")
        yield report.table("documents", findings)._replace(quoted=True)
    if (folder / "tables" / "captions.json").is_file():
        for name, caption in provenance.read_json(folder / "tables" / "captions.json").items():
            if name not in ("errata", "thesis_table_4_2"):  # the report has these itself
                path = folder / "tables" / f"{name}.csv"
                yield Table(f"documents_{name}", caption, tables.read(path, []), quoted=True)


def of_thesis(report: "Report") -> Iterator[Table]:
    """Tables 3.5, 3.6, 4.1 and 4.2 of Viannisa (2025), published and run here."""
    results = report.results
    epochs = thesis.epochs(results)
    best = epochs.loc[epochs.groupby(["model", "source"], sort=False)["f1"].idxmax()]
    yield report.table("thesis_tables_3_5_and_3_6", best)
    texts = ", ".join(sorted(results.datasets))
    yield report.table("thesis_table_4_1", thesis.scores(results), texts=texts)
    tests = thesis.table_4_2(results)
    rates = [f"{measure.share(row.failures, row.n):counted}" for row in tests.itertuples()]
    printed = [f"{rate:.2%}" if rate == rate else "" for rate in tests["printed"]]
    shown = tests.assign(rate=rates, printed=printed)
    shown = shown[["number", "test", "model", "source", "rate", "printed"]]
    yield report.table("thesis_table_4_2", tests, shown)
    if results.datasets == {"smsa"}:
        yield report.table("thesis_indobert", thesis.against(results))


def seeds(report: "Report") -> Iterator[Table]:
    """The spread over trainings, that of defences, and what the CheckList foretells over them."""
    spread = changes.over_seeds(report.results)
    if len(spread):
        yield report.table("over_seeds", spread)
    defended = hardened.over_seeds(report.results)
    if len(defended):
        yield report.table("defences_over_seeds", defended, hardened.shown(defended))
    told = foretold.correlations(foretold.trainings(report.results))
    if len(told):
        yield report.table("checklist_foretells", told)


def mixed(report: "Report") -> Iterator[Table]:
    """Code-mixing: IndoRobusta's Tables 1 and 2 beside the runs."""
    made = {
        "code_mixing": (codemixing.lost(report.swept), codemixing.folded),
        "code_mixing_rates": (report.swept, codemixing.by_rate),
        "code_mixing_dose": (codemixing.at_dose(report.results), None),
        "code_mixing_defence": (codemixing.defended(report.results), codemixing.folded),
    }
    for name, (frame, shown) in made.items():
        if len(frame):
            yield report.table(name, frame, shown(frame) if shown else None)


def gridded(report: "Report") -> Iterator[Table]:
    """The perturbation grid: kappa per data set, and the scores of Romero Alvarado (2023)."""
    for dataset, table in report.grids.items():
        name = f"grid_{paths.slug(dataset)}"
        yield report.table(name, table, grids.readable(table), told="grid", dataset=dataset)
    cells = grids.cells(grids.runs(report.results))
    if len(cells):
        yield report.table("grid_perturbations", grids.perturbations(cells))
        yield report.table("grid_totals", grids.totals(cells))


def overviews(report: "Report") -> Iterator[Table]:
    """Every notebook's whole-test numbers."""
    for notebook in report.results.notebooks:
        view = views.overview(report.results, notebook)
        if len(view):
            asked, metric = runs.question(notebook).replace("*", ""), view.attrs["metric"]
            about = {"question": asked, "notebook": notebook, "metric": metric}
            yield report.table(notebook, view, told="overview", **about)


def every(report: "Report") -> Iterator[Table]:
    """All tables that no other section shows, the documents' errata first."""
    results, errata = report.results, documents.errata()
    columns = ["document", "table", "row", "column", "printed", "recomputed", "kind", "why"]
    yield report.table("errata", errata, errata[columns])._replace(quoted=True)
    shown = headline.table(results).rename_axis("").reset_index()
    yield report.table("headline", headline.numbers(results), shown, profile=results.profile)
    if len(others := decisions.elsewhere(results)):
        yield report.table("other_tasks", others)
    shown, alike = views.compared(report.between).values()
    yield report.table("models_that_differ", shown)
    named = list(report.opened["right"]) or results.models  # not beside controls, which are long
    yield report.table("models_alike", select(alike, first=named, second=named))
    yield report.table("clean_against_perturbed", report.moved[MOVED])
    for part in (seeds, mixed, gridded, overviews):
        yield from part(report)
