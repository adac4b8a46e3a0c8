"""The tables of a report that no other section shows, each with a name and a caption."""

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
)
from study.report.cells import Table
from tahanuji import changes, measure, paths
from tahanuji import published as documents
from tahanuji.results import Results

FINDINGS = ["about", "question", "estimate", "verdict"]
MOVED = ["notebook", "variant", "test", "model", "n", *decisions.RATES[:5], "p_holm"]


def published(results: Results, margin: float) -> Iterator[Table]:
    """The thesis's tables and IndoNLU's Table 5 beside the runs, with what tests cost its tasks."""
    yield from of_thesis(results)
    pretrained = indonlu.benchmark(results)
    if len(pretrained):
        several = pretrained["task"].nunique() > 3
        yield Table(
            "indonlu_table_5",
            "IndoNLU (Wilie et al., 2020), Table 5: macro-F1 in percent, mean and standard "
            "deviation over seeds, intervals over test rows of the default seed; mini-scratch is "
            "mini with random weights, the linear model of tags a conditional random field (CRF)",
            pretrained,
            indonlu.wide(pretrained) if several else pretrained,
        )
    if len(averaged := indonlu.means(pretrained)):
        yield Table(
            "indonlu_means",
            "IndoNLU's two groups of tasks: mean macro-F1 of models that have run all of them "
            "(intervals take the tasks' test rows as independent), and of the paper's Table 5",
            averaged,
        )
    tests = indonlu.moved(results, margin)
    if tests["task"].nunique() > 1:
        yield Table(
            "indonlu_tests",
            "Tasks by tests: change of macro-F1 in points, mean over seeds, with the verdict on "
            f"errors added to gold spans or cells at {100 * margin:.0f} points (the matrix "
            "explains the signs)",
            tests,
            indonlu.by_test(tests),
        )


def audited(profile: str) -> Iterator[Table]:
    """What notebook 90 finds in a profile: its findings, then its other tables; none where it has
    not run.
    """
    folder = layout.outputs() / profile / "documents"
    if (folder / "findings.json").is_file():
        rows = []
        for about, found in provenance.read_json(folder / "findings.json").items():
            # a sentence each, in runs of before the findings were tables
            cells = [[one] if isinstance(one, str) else one for one in found]
            rows += [(about, one[0], *one[1:2], *one[3:]) for one in cells]
        findings = pd.DataFrame(rows, columns=FINDINGS[: max(map(len, rows))])
        caption = "What the documents' own figures and released files say (notebook 90)"
        yield Table("documents", caption, findings.reindex(columns=FINDINGS).fillna(""))
    if (folder / "tables" / "captions.json").is_file():
        for name, caption in provenance.read_json(folder / "tables" / "captions.json").items():
            if name not in ("errata", "thesis_table_4_2"):  # the report has these itself
                path = folder / "tables" / f"{name}.csv"
                yield Table(f"documents_{name}", caption, tables.read(path, []))


def of_thesis(results: Results) -> Iterator[Table]:
    """Tables 3.5, 3.6, 4.1 and 4.2 of Viannisa (2025), published and run here."""
    epochs = thesis.epochs(results)
    best = epochs.loc[epochs.groupby(["model", "source"], sort=False)["f1"].idxmax()]
    yield Table(
        "thesis_tables_3_5_and_3_6",
        "Viannisa (2025), Tables 3.5 and 3.6: best epoch by validation F1, published and run here",
        best,
    )
    texts = ", ".join(sorted(results.datasets))
    yield Table(
        "thesis_table_4_1",
        "Viannisa (2025), Figure 4.1 and Table 4.1: macro-F1, published on SmSA's test split and "
        f"run here on that of {texts}; printed figures have no rows behind them and so no interval",
        thesis.scores(results),
    )
    tests = thesis.table_4_2(results)
    rates = [f"{measure.share(row.failures, row.n):counted}" for row in tests.itertuples()]
    printed = [f"{rate:.2%}" if rate == rate else "" for rate in tests["printed"]]
    shown = tests.assign(rate=rates, printed=printed)
    yield Table(
        "thesis_table_4_2",
        "Viannisa (2025), Table 4.2: failure rates of the eight tests, published and run here",
        tests,
        shown[["number", "test", "model", "source", "rate", "printed"]],
    )
    if results.datasets == {"smsa"}:
        yield Table(
            "thesis_indobert",
            "The eight tests against the published IndoBERT of Viannisa (2025): failure rates, "
            "ours less hers; paired: on the same rows (exact McNemar test), else by the counts "
            "(Fisher's exact test); Holm's correction over all",
            thesis.against(results),
        )


def seeds(results: Results) -> Iterator[Table]:
    """The spread over trainings, and what the CheckList foretells over them."""
    spread = changes.over_seeds(results)
    if len(spread):
        yield Table(
            "over_seeds",
            "Over training seeds: mean change from clean, 95% interval over trainings and rows, "
            "where runs differ in nothing but the seed",
            spread,
        )
    told = foretold.correlations(foretold.trainings(results))
    if len(told):
        yield Table(
            "checklist_foretells",
            "Does the CheckList foretell failures on the data set's own negated texts: Spearman's "
            "rank correlations over trainings, 95% intervals, p of a permutation test. Trainings "
            "of one model are not independent: the intervals may be too narrow",
            told,
        )


def mixed(results: Results) -> Iterator[Table]:
    """Code-mixing: IndoRobusta's Tables 1 and 2 beside the runs."""
    attacks, swept = codemixing.lost(results), codemixing.sweep(results)
    if len(attacks):
        yield Table(
            "code_mixing",
            "Code-mixing at R = 0.4, points of accuracy lost (here: mean over seeds), percent of "
            "words with a translation, of words replaced and of texts changed; IndoRobusta's Table "
            "1 for IndoBERT base as printed and released, and the range of its five models",
            attacks,
            codemixing.folded(attacks),
        )
    if len(swept):
        caption = "Code-mixing at every R, points of accuracy lost, means over seeds"
        yield Table("code_mixing_rates", caption, swept, codemixing.by_rate(swept))
    dosed = codemixing.at_dose(results)
    if len(dosed):
        yield Table(
            "code_mixing_dose",
            "Accuracy lost where a tenth of the words is really replaced, or as many as a language "
            "can; difference: English less the language on the same texts",
            dosed,
        )
    defences = codemixing.defended(results)
    if len(defences):
        yield Table(
            "code_mixing_defence",
            "Defences, percent right: on ordinary texts, under attacks made for the undefended "
            "model (old, the paper's CM) and made afresh for the tuned one; IndoRobusta's Table 2",
            defences,
            codemixing.folded(defences),
        )


def gridded(results: Results) -> Iterator[Table]:
    """The perturbation grid: kappa per data set, and the scores of Romero Alvarado (2023)."""
    for dataset, table in grids.by_dataset(results).items():
        yield Table(
            f"grid_{paths.slug(dataset)}",
            f"The perturbation grid on {dataset}: kappa, texts changed, points of accuracy lost",
            table,
            grids.readable(table),
        )
    cells = grids.cells(results)
    if len(cells):
        yield Table(
            "grid_perturbations",
            "Robustness score (kappa times share of texts changed) per perturbation, and that of "
            "Romero Alvarado (2023) for English",
            grids.perturbations(cells),
        )
        yield Table(
            "grid_totals",
            "Robustness scores by model, task and level, and the published ones for English",
            grids.totals(cells),
        )


def every(results: Results, between: pd.DataFrame, moved: pd.DataFrame) -> Iterator[Table]:
    """All tables that no other section shows, the documents' errata first."""
    errata = documents.errata()
    columns = ["document", "table", "row", "column", "printed", "recomputed", "kind", "why"]
    yield Table("errata", "Errata of the reference documents", errata, errata[columns])
    yield Table(
        "headline",
        f"Headline numbers of profile {results.profile}, percent with 95% intervals",
        headline.numbers(results),
        headline.table(results).rename_axis("").reset_index(),
    )
    if len(others := decisions.elsewhere(results)):
        caption = "Verdicts on other tasks than that of the matrix: tests by what they come to"
        yield Table("other_tasks", caption, others)
    yield from views.compared(between)
    yield Table(
        "clean_against_perturbed",
        "Clean against perturbed predictions: failure = clean error + induced - repaired; p of the "
        "exact test of induced against repaired errors, Holm's correction over the whole table",
        moved[MOVED],
    )
    yield from (*seeds(results), *mixed(results), *gridded(results))
    for notebook in results.notebooks:
        view = views.overview(results, notebook)
        if len(view):
            asked = runs.question(notebook).replace("*", "")
            yield Table(notebook, f"{asked} ({notebook}, {view.attrs['metric']})", view)
