"""The tables of a report: each with a name, a caption and what a reader sees of it."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from helpers import tables
from helpers.report import (
    changes,
    codemixing,
    compare,
    foretold,
    grid_scores,
    grid_tables,
    headline,
    indonlu,
    matrix,
    runs,
    thesis,
)
from helpers.report import published as published_figures
from helpers.report.findings import listed
from tahanuji import measure, paths

BETWEEN = ["notebook", "variant", "test", "first", "second", "n", "first_change", "second_change"]
BETWEEN += ["difference", "ci_low", "ci_high", "detectable", "p_holm"]
MOVED = ["notebook", "variant", "test", "model", "n", *compare.RATES[:5], "p_holm"]


class Table(NamedTuple):
    """A table as `export.save` takes it; `shown` is None where a reader sees the numbers."""

    name: str
    caption: str
    frame: pd.DataFrame
    shown: pd.DataFrame | None = None


def published(found: runs.Collection, margin: float) -> Iterator[Table]:
    """The thesis's tables and IndoNLU's Table 5 beside the runs, with what tests cost its tasks."""
    epochs = thesis.epochs(found)
    best = epochs.loc[epochs.groupby(["model", "source"], sort=False)["f1"].idxmax()]
    yield Table(
        "thesis_tables_3_5_and_3_6",
        "Viannisa (2025), Tables 3.5 and 3.6: best epoch by validation F1, published and run here",
        best,
    )
    yield Table(
        "thesis_table_4_1",
        "Viannisa (2025), Figure 4.1 and Table 4.1: macro-F1, published on SmSA's test split and "
        f"run here on that of {listed(sorted(found.datasets))}; printed figures have no rows "
        "behind them and so no interval",
        thesis.scores(found),
    )
    tests = thesis.table_4_2(found)
    rates = [measure.percent(row.failures, row.n) for row in tests.itertuples()]
    printed = [f"{rate:.2%}" if rate == rate else "" for rate in tests["printed"]]
    shown = tests.assign(rate=rates, printed=printed)
    shown = shown[["number", "test", "model", "source", "rate", "printed"]]
    caption = "Viannisa (2025), Table 4.2: failure rates of the eight tests, published and run here"
    yield Table("thesis_table_4_2", caption, tests, shown)
    pretrained = indonlu.benchmark(found)
    caption = (
        "IndoNLU (Wilie et al., 2020), Table 5: macro-F1 in percent, mean and standard deviation "
        "over seeds, intervals over test rows of the default seed; mini-scratch is mini with "
        "random weights"
    )
    several = pretrained["task"].nunique() > 3
    shown = indonlu.wide(pretrained) if several else pretrained
    yield from [Table("indonlu_table_5", caption, pretrained, shown)] * (len(pretrained) > 0)
    tests = indonlu.moved(found, margin)
    caption = (
        "Tasks by tests: change of macro-F1 in points, mean over seeds, with the verdict on "
        f"errors added to gold spans or cells at {100 * margin:.0f} points (the matrix "
        "explains the signs)"
    )
    if tests["task"].nunique() > 1:
        yield Table("indonlu_tests", caption, tests, indonlu.by_test(tests))


def compared(between: pd.DataFrame, moved: pd.DataFrame, found: runs.Collection) -> Iterator[Table]:
    """Models on the same rows, clean against perturbed, and over seeds."""
    differs, alike = compare.told_apart(between)
    yield Table(
        "models_that_differ",
        "Tests that cost two models differently: points of accuracy that a test costs each (DIR: "
        "share that moves the wrong way; plain evaluations: errors), their paired difference, the "
        "least difference that these rows would have shown, p after Holm's correction over all",
        differs[BETWEEN],
    )
    caption = "Tests that show no difference between two models, in the same columns"
    yield Table("models_alike", caption, alike[BETWEEN])
    yield Table(
        "clean_against_perturbed",
        "Clean against perturbed predictions: failure = clean error + induced - repaired; p of the "
        "exact test of induced against repaired errors, Holm's correction over the whole table",
        moved[MOVED],
    )
    spread = changes.over_seeds(found)
    caption = (
        "Over training seeds: mean change from clean, 95% interval over trainings and rows, where "
        "runs differ in nothing but the seed"
    )
    yield from [Table("over_seeds", caption, spread)] * (len(spread) > 0)
    told = foretold.correlations(foretold.trainings(found))
    caption = (
        "Does the CheckList foretell failures on the data set's own negated texts: Spearman's rank "
        "correlations over trainings, 95% intervals, p of a permutation test"
    )
    yield from [Table("checklist_foretells", caption, told)] * (len(told) > 0)


def mixed(found: runs.Collection) -> Iterator[Table]:
    """Code-mixing: IndoRobusta's Tables 1 and 2 beside the runs."""
    attacks, swept = codemixing.lost(found), codemixing.sweep(found)
    defences = codemixing.defended(found)
    caption = (
        "Code-mixing at R = 0.4, points of accuracy lost (here: mean over seeds), percent of words "
        "with a translation, of words replaced and of texts changed; IndoRobusta's Table 1 for "
        "IndoBERT base as printed and released, and the least and most of its five models"
    )
    if len(attacks):
        yield Table("code_mixing", caption, attacks, codemixing.folded(attacks))
    if len(swept):
        caption = "Code-mixing at every R, points of accuracy lost, means over seeds"
        yield Table("code_mixing_rates", caption, swept, codemixing.by_rate(swept))
    if len(defences):
        caption = (
            "Defences, percent right: on ordinary texts, under attacks made for the undefended "
            "model (old, the paper's CM) and made afresh for the tuned one; IndoRobusta's Table 2"
        )
        yield Table("code_mixing_defence", caption, defences, codemixing.folded(defences))


def gridded(found: runs.Collection) -> Iterator[Table]:
    """The perturbation grid: kappa per data set, and the scores of Romero Alvarado (2023)."""
    for dataset, table in grid_tables.by_dataset(found).items():
        caption = (
            f"The perturbation grid on {dataset}: kappa, texts changed, points of accuracy lost"
        )
        name = f"grid_{paths.slug(dataset)}"
        yield Table(name, caption, table, grid_tables.readable(table))
    cells = grid_scores.cells(found)
    if len(cells):
        caption = "Robustness score (kappa times share of texts changed) per perturbation"
        caption += ", and that of Romero Alvarado (2023) for English"
        yield Table("grid_perturbations", caption, grid_scores.perturbations(cells))
        caption = "Robustness scores by model, task and level, and the published ones for English"
        yield Table("grid_totals", caption, grid_scores.totals(cells))


def elsewhere(found: runs.Collection) -> pd.DataFrame:
    """Verdicts of runs on other tasks than the matrix is about: `notebook, model, dataset, type,
    margin` and how many tests come to what.
    """
    parts = []
    for run in found.runs:
        path = run.folder / "verdicts.csv"
        if path.is_file() and not run.repeat and not found.main_task(run):
            table = run.main(tables.read(path, tables.VERDICTS))
            parts.append(table[table["quantity"] == table["type"].map(matrix.SHOWN)])
    if not parts:
        return pd.DataFrame()
    keys = ["notebook", "model", "dataset", "type", "margin"]
    every = pd.concat(parts, ignore_index=True)
    counted = pd.crosstab([every[name] for name in keys], every["verdict"])
    return counted.rename_axis(columns=None).reset_index()


def instruments(rated: pd.DataFrame) -> pd.DataFrame:
    """What readers said of the instruments, for reading."""
    shares = ["grammatical", "same_meaning", "same_label"]
    shown = rated[["instrument", "test_type", "rate", "n", "twice"]].assign(
        **{name.replace("_", " "): [f"{share:.0%}" for share in rated[name]] for name in shares},
        **{"unfit at most": [f"{bound:.1%}" for bound in rated["bound"]]},
        rate=[f"{rate:g}" for rate in rated["rate"]],
        changed=["no" if current else "yes" for current in rated["current"]],
    )
    heads = {"test_type": "type", "n": "rated", "twice": "rated twice"}
    return shown.rename(columns={**heads, "changed": "changed since"})


def audited() -> Iterator[Table]:
    """The errata of the reference documents, each with its reason."""
    errata = published_figures.errata()
    columns = ["document", "table", "row", "column", "printed", "recomputed", "kind", "why"]
    yield Table("errata", "Errata of the reference documents", errata, errata[columns])


def every(between: pd.DataFrame, moved: pd.DataFrame, found: runs.Collection) -> Iterator[Table]:
    """All tables that no other section shows, the documents' errata first."""
    yield from audited()
    shown = headline.table(found).rename_axis("").reset_index()
    caption = f"Headline numbers of profile {found.profile}, percent with 95% intervals"
    yield Table("headline", caption, headline.numbers(found), shown)
    if len(others := elsewhere(found)):
        caption = "Verdicts on other tasks than that of the matrix: tests by what they come to"
        yield Table("other_tasks", caption, others)
    yield from compared(between, moved, found)
    yield from mixed(found)
    yield from gridded(found)
    for notebook in found.notebooks:
        view = compare.overview(found, notebook)
        if len(view):
            asked = runs.question(notebook).replace("*", "")
            yield Table(notebook, f"{asked} ({notebook}, {view.attrs['metric']})", view)
