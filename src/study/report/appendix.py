"""The tables of a report that no other section shows, each with a name and, in `captions` of the
words of a language, a caption.
"""

from collections.abc import Iterator

import pandas as pd

from helpers import layout, provenance, tables
from study.report import (
    codemixing,
    decisions,
    foretold,
    grids,
    headline,
    indonlu,
    runs,
    thesis,
    views,
    words,
)
from study.report.cells import Table
from tahanuji import changes, measure, paths
from tahanuji import published as documents
from tahanuji.results import Results

FINDINGS = ["about", "question", "estimate", "verdict"]
MOVED = ["notebook", "variant", "test", "model", "n", *decisions.RATES[:5], "p_holm"]


def captions(language: str) -> dict[str, str]:
    """The captions of a language by the names of tables."""
    return words.strings(language)["captions"]


def published(results: Results, margin: float, language: str = "en") -> Iterator[Table]:
    """The thesis's tables and IndoNLU's Table 5 beside the runs, with what tests cost its tasks."""
    said = captions(language)
    yield from of_thesis(results, language)
    pretrained = indonlu.benchmark(results)
    if len(pretrained):
        several = pretrained["task"].nunique() > 3
        shown = indonlu.wide(pretrained) if several else pretrained
        yield Table("indonlu_table_5", said["indonlu_table_5"], pretrained, shown)
    if len(averaged := indonlu.means(pretrained)):
        yield Table("indonlu_means", said["indonlu_means"], averaged)
    tests = indonlu.moved(results, margin)
    if tests["task"].nunique() > 1:
        caption = said["indonlu_tests"].format(margin=f"{100 * margin:.0f}")
        yield Table("indonlu_tests", caption, tests, indonlu.by_test(tests))


def audited(profile: str, language: str = "en") -> Iterator[Table]:
    """What notebook 90 finds in a profile, in English: its findings, then its other tables; none
    where it has not run.
    """
    folder = layout.outputs() / profile / "documents"
    if (folder / "findings.json").is_file():
        rows = []
        for about, found in provenance.read_json(folder / "findings.json").items():
            # a sentence each, in runs of before the findings were tables
            cells = [[one] if isinstance(one, str) else one for one in found]
            rows += [(about, one[0], *one[1:2], *one[3:]) for one in cells]
        findings = pd.DataFrame(rows, columns=FINDINGS[: max(map(len, rows))])
        findings = findings.reindex(columns=FINDINGS).fillna("")
        yield Table("documents", captions(language)["documents"], findings, quoted=True)
    if (folder / "tables" / "captions.json").is_file():
        for name, caption in provenance.read_json(folder / "tables" / "captions.json").items():
            if name not in ("errata", "thesis_table_4_2"):  # the report has these itself
                path = folder / "tables" / f"{name}.csv"
                yield Table(f"documents_{name}", caption, tables.read(path, []), quoted=True)


def of_thesis(results: Results, language: str = "en") -> Iterator[Table]:
    """Tables 3.5, 3.6, 4.1 and 4.2 of Viannisa (2025), published and run here."""
    said = captions(language)
    epochs = thesis.epochs(results)
    best = epochs.loc[epochs.groupby(["model", "source"], sort=False)["f1"].idxmax()]
    name = "thesis_tables_3_5_and_3_6"
    yield Table(name, said[name], best)
    texts = ", ".join(sorted(results.datasets))
    name = "thesis_table_4_1"
    yield Table(name, said[name].format(texts=texts), thesis.scores(results))
    tests = thesis.table_4_2(results)
    rates = [f"{measure.share(row.failures, row.n):counted}" for row in tests.itertuples()]
    printed = [f"{rate:.2%}" if rate == rate else "" for rate in tests["printed"]]
    shown = tests.assign(rate=rates, printed=printed)
    shown = shown[["number", "test", "model", "source", "rate", "printed"]]
    yield Table("thesis_table_4_2", said["thesis_table_4_2"], tests, shown)
    if results.datasets == {"smsa"}:
        yield Table("thesis_indobert", said["thesis_indobert"], thesis.against(results))


def seeds(results: Results, said: dict[str, str]) -> Iterator[Table]:
    """The spread over trainings, and what the CheckList foretells over them."""
    spread = changes.over_seeds(results)
    if len(spread):
        yield Table("over_seeds", said["over_seeds"], spread)
    told = foretold.correlations(foretold.trainings(results))
    if len(told):
        yield Table("checklist_foretells", said["checklist_foretells"], told)


def mixed(results: Results, said: dict[str, str]) -> Iterator[Table]:
    """Code-mixing: IndoRobusta's Tables 1 and 2 beside the runs."""
    attacks, swept = codemixing.lost(results), codemixing.sweep(results)
    defences = codemixing.defended(results)
    made = {
        "code_mixing": (attacks, codemixing.folded),
        "code_mixing_rates": (swept, codemixing.by_rate),
        "code_mixing_dose": (codemixing.at_dose(results), None),
        "code_mixing_defence": (defences, codemixing.folded),
    }
    for name, (frame, shown) in made.items():
        if len(frame):
            yield Table(name, said[name], frame, shown(frame) if shown else None)


def gridded(results: Results, said: dict[str, str]) -> Iterator[Table]:
    """The perturbation grid: kappa per data set, and the scores of Romero Alvarado (2023)."""
    for dataset, table in grids.by_dataset(results).items():
        caption = said["grid"].format(dataset=dataset)
        yield Table(f"grid_{paths.slug(dataset)}", caption, table, grids.readable(table))
    cells = grids.cells(results)
    if len(cells):
        name = "grid_perturbations"
        yield Table(name, said[name], grids.perturbations(cells))
        yield Table("grid_totals", said["grid_totals"], grids.totals(cells))


def overviews(results: Results, language: str) -> Iterator[Table]:
    """Every notebook's whole-test numbers."""
    for notebook in results.notebooks:
        view = views.overview(results, notebook)
        if len(view):
            asked = words.told(language, runs.question(notebook).replace("*", ""))
            about = {"question": asked, "notebook": notebook}
            metric = words.told(language, view.attrs["metric"])
            caption = captions(language)["overview"].format(**about, metric=metric)
            yield Table(notebook, caption, view)


def every(
    results: Results, between: pd.DataFrame, moved: pd.DataFrame, language: str = "en"
) -> Iterator[Table]:
    """All tables that no other section shows, the documents' errata first."""
    said = captions(language)
    errata = documents.errata()
    columns = ["document", "table", "row", "column", "printed", "recomputed", "kind", "why"]
    yield Table("errata", said["errata"], errata, errata[columns], quoted=True)
    caption = said["headline"].format(profile=results.profile)
    shown = headline.table(results).rename_axis("").reset_index()
    yield Table("headline", caption, headline.numbers(results), shown)
    if len(others := decisions.elsewhere(results)):
        yield Table("other_tasks", said["other_tasks"], others)
    for name, part in views.compared(between).items():
        yield Table(name, said[name], part)
    name = "clean_against_perturbed"
    yield Table(name, said[name], moved[MOVED])
    yield from (*seeds(results, said), *mixed(results, said), *gridded(results, said))
    yield from overviews(results, language)
