"""The perturbation grids of all runs: kappa, texts changed and accuracy lost data set by data set,
models side by side, and the scores beside the published ones for English (Romero Alvarado, 2023,
Tables 27 to 29).
"""

import re

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from helpers import figures, grid_views
from study.report.words import ENGLISH, spoken, told
from tahanuji import grid, measure, perturb, published
from tahanuji.instrument import Instrument
from tahanuji.measure import Estimate, robustness
from tahanuji.results import Results, Run, select

LAST = re.compile(r"(?<=, )[^,()]+(?=\)$)")  # a test, the last of what stands in brackets
DOCUMENT, NOTEBOOK = "romero2023", "07_perturbation_grid"
COLUMNS = ["level", "perturbation", "asked", "test_type", "rate", "model", "n", "changed"]
COLUMNS += ["kappa", "kappa_low", "kappa_high", "accuracy_lost", "lost_low", "lost_high"]
NAMES = {
    "Keyboard": "keyboard",
    "Ocr": "ocr",
    "SpellingError": "spelling",
    "Typos": "character_typos",
    "SSWN": "synonym_wordnet",
    "SNE": "synonym_embedding",
    "Punctuation": "punctuation",
    "Twitter": "twitter",
    "InsertAdv": "insert_adverb",
    "WordCase": "word_case",
    "VerbTense": "verb_form",
    "Contraction": "contraction",
    "SwapNum": "swap_number",
    "Prejudice": "prejudice",
}
LEVELS = {
    "level": ("Table 27", "Perturbation type"),
    "level, changing at least half": ("Table 29", None),
}


def runs(results: Results) -> list[Run]:
    """The runs of the grid, without repeats with another seed."""
    return [run for run in results.of(NOTEBOOK) if not run.repeat]


# Data set by data set


def by_dataset(results: Results) -> dict[str, pd.DataFrame]:
    """Per data set a table of all tests of all models: `COLUMNS`, a row per test and model, in the
    order of the registry and of the models.

    `changed` is a share of n texts, kappa goes from -1 to 1, `accuracy_lost` is the share of texts
    right before less that of texts right after, -1 to 1; all intervals are 95%. No accuracy is lost
    by a DIR test, whose gold labels no longer hold. A model that has several runs on a data set
    stands with their variants. Source: Romero Alvarado (2023), chapter 4, tables per task.
    """
    parts: dict[str, list[pd.DataFrame]] = {}
    several = pd.Series([(run.dataset, run.model) for run in runs(results)]).value_counts()
    for run in runs(results):
        alone = several[run.dataset, run.model] == 1
        name = run.model if alone else f"{run.model} ({run.variant})"
        if len(tests := of_run(run)):
            parts.setdefault(run.dataset, []).append(tests.assign(model=name))
    place = list(perturb.REGISTRY).index
    order = {"by": ["perturbation", "rate"], "kind": "stable"}
    order["key"] = lambda column: column.map(place) if column.name == "perturbation" else column
    return {
        dataset: pd.concat(part, ignore_index=True)[COLUMNS].sort_values(**order)
        for dataset, part in sorted(parts.items())
    }


def of_run(run: Run) -> pd.DataFrame:
    """The tests of a run of the grid that the registry has: `COLUMNS`."""
    whole = run.metrics[run.metrics["group"] == "all"]
    value = {metric: part.set_index("title")["value"] for metric, part in whole.groupby("metric")}
    rows = []
    for row in whole[whole["metric"] == "kappa"].itertuples():
        if row.test in perturb.REGISTRY:
            rates = (None, None)
            if grid.kind(row.test) != "DIR":
                rates = (value[name][row.title] for name in ("induced_rate", "repaired_rate"))
            about = grid.level_of(row.test), row.test, grid.asked(row.test, row.rate)
            kind = perturb.REGISTRY[row.test].test_type
            changed = value["changed_share"][row.title]
            kappa = row.value, row.ci_low, row.ci_high
            gone = lost(*rates, row.n, run.seed)
            rows.append((*about, kind, row.rate, run.model, row.n, changed, *kappa, *gone))
    return pd.DataFrame(rows, columns=COLUMNS)


def lost(
    induced: float | None, repaired: float | None, n: int, seed: int
) -> tuple[float, float, float]:
    """Accuracy lost as a share of n texts, and its paired 95% bootstrap interval; NaN where it is
    not known.

    >>> [round(number, 3) for number in lost(0.25, 0.05, 100, seed=1)]
    [0.2, 0.1, 0.3]
    """
    if induced is None or repaired is None or not n:
        return (float("nan"),) * 3
    turned = [round(share * n) for share in (induced, repaired)]
    counts = np.array([*turned, n - sum(turned)])
    drawn = measure.replicate(lambda drawn: (drawn[:, 0] - drawn[:, 1]) / n, counts, seed)
    return (turned[0] - turned[1]) / n, *measure.interval(drawn)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """A table of `by_dataset` for reading: a row per test, and per model `kappa` with its interval
    and `points lost` of accuracy with theirs.

    `changed` is the percentage of texts changed, several in the order of the models where these had
    not the same texts.
    """
    rows = []
    for (name, _), part in table.groupby(["perturbation", "rate"], sort=False, dropna=False):
        shares = dict.fromkeys(f"{share:.1%}" for share in part["changed"])
        row = {"level": part["level"].iloc[0], "perturbation": grid.label(name)}
        row |= {"asked": part["asked"].iloc[0], "changed": ", ".join(shares)}
        for one in part.itertuples():
            kappa = Estimate(one.kappa, one.kappa_low, one.kappa_high)
            gone = [100 * end for end in (one.accuracy_lost, one.lost_low, one.lost_high)]
            points = "{:.1f} ({:.1f} to {:.1f})".format(*gone).replace("-", "−")
            row[f"{one.model}: kappa"] = f"{kappa:kappa}" if one.kappa == one.kappa else "none"
            row[f"{one.model}: points lost"] = points if gone[0] == gone[0] else ""
        rows.append(row)
    kinds = ("kappa", "points lost")
    heads = [f"{model}: {what}" for model in table["model"].unique() for what in kinds]
    columns = ["level", "perturbation", "asked", "changed", *heads]
    return pd.DataFrame(rows, columns=columns).fillna("")


def chart(table: pd.DataFrame, dataset: str) -> Figure | None:
    """Kappa per perturbation at its middle rate, a colour per model, with the share of texts
    changed; None without any kappa.

    In the manner of Romero Alvarado (2023), Figures 8 to 10, which have a bar per rate; those stand
    in the executed notebooks 07.
    """
    tests = zip(table["perturbation"], table["rate"], strict=True)
    rated = [rate != rate or Instrument(name).rate == rate for name, rate in tests]
    middle = table[pd.Series(rated, table.index, dtype=bool)].dropna(subset="kappa")
    if middle.empty:
        return None
    names = middle["perturbation"].map(grid.label).str.replace("_", " ")
    often = middle.groupby("perturbation")["changed"].transform("mean")
    groups = [f"{name}, {share:.0%}" for name, share in zip(names, often, strict=True)]
    columns = {"perturbation": "test", "model": "series", "kappa": "value"}
    columns |= {"kappa_low": "ci_low", "kappa_high": "ci_high"}
    shown = middle.rename(columns=columns)[["test", "rate", "series", "value", "ci_low", "ci_high"]]
    shown.insert(0, "group", groups)
    lowest = grid_views.least(shown, of_models=True)
    lowest = LAST.sub(lambda found: told(ENGLISH, found[0]), lowest)
    named = spoken(told(ENGLISH, dataset))
    title = f"Answers before and after on {named}, middle rates: {lowest}"
    figure = figures.dots(shown, title, "Cohen's kappa; behind a name the share of texts changed")
    figure.set_size_inches(9, 1.3 + 0.34 * shown["group"].nunique())
    figure.axes[0].xaxis.set_major_formatter("{x:.1f}")
    return figure


# Scores


def cells(runs: list[Run]) -> pd.DataFrame:
    """The cells of grids that can be averaged, `robustness.GRID` and `rate`: at rated rates, of
    models above chance; the task is the run's data set.
    """
    chance = [select(run.metrics, metric="at_chance")["value"].eq(1).any() for run in runs]
    above = [run for run, low in zip(runs, chance, strict=True) if not low]
    parts = [grid.cells(run.metrics, run.dataset) for run in above]
    empty = pd.DataFrame(columns=[*robustness.GRID, "rate"])
    found = pd.concat(parts, ignore_index=True) if parts else empty
    return found[grid.at_rated(found)]


def perturbations(table: pd.DataFrame) -> pd.DataFrame:
    """Table 28: per perturbation `level, changed, score, n` (plain means over models and tasks) and
    `published`, the score of Romero Alvarado (2023) for English.
    """
    printed = published.table(DOCUMENT, "Table 28").droplevel("group")["Score"].rename(index=NAMES)
    return robustness.by_perturbation(table).assign(published=printed).reset_index()


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Tables 27 and 29: `over, name, score, published` by model, task and level, WordCase and what
    is not of the fourteen left out.

    The rows `changing at least half` are levels without perturbations that change under half of the
    texts, WordCase among them again.
    """
    fourteen = table[table["perturbation"].isin(grid.FOURTEEN)]
    kept = robustness.without(fourteen, *({"word_case"} & set(fourteen["perturbation"])))
    means = {
        "model": robustness.by(kept, "model"),
        "task": robustness.by(kept, "task"),
        "level": robustness.by_level(kept),
        "level, changing at least half": robustness.by_level(robustness.frequent(fourteen)),
    }
    printed = {
        over: published.table(DOCUMENT, *place)["Score"].rename(index=str.lower)
        for over, place in LEVELS.items()
    }
    rows = [
        (over, name, score, printed.get(over, {}).get(name))
        for over, part in means.items()
        for name, score in part["score"].items()
    ]
    return pd.DataFrame(rows, columns=["over", "name", "score", "published"])
