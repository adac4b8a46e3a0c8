"""The page's tables of numbers: the headline, models against tests, and where each number comes
from.
"""

import math

import pandas as pd

from helpers.report import grid_scores, headline, runs
from helpers.report.templates import inline, tidy
from tahanuji import data, grid

MAIN = ("kappa", "failure_rate", "delta_accuracy", "macro_f1", "accuracy")
GOOD = ("kappa", "macro", "weighted", "accuracy", "f1", "precision", "recall")
POINTS = ("delta", "difference", "gap")
PLAIN = ("kappa", "alpha", "mcc", "rho", "tau")
# Notebooks whose misclassified.csv holds chosen rows (flips, what an attack turned) rather than all
# failures: no number of theirs leads there.
CHOSEN = ("07_perturbation_grid", "08_code_mixing", "09_code_mixing_defence")
WORDS = {
    "macro_f1": "macro-F1",
    "f1": "F1",
    "weighted_f1": "weighted F1",
    "ece": "calibration error (ECE)",
    "kappa": "Cohen's kappa",
}


class Numbers:
    """The numbers shown on a page; each is registered once and has a key, under which the page says
    where it comes from.
    """

    def __init__(self, about: dict[str, dict], tests: set[str]):
        self.about, self.tests = about, tests
        self.found: dict[tuple[str, str, str], dict] = {}

    def cell(self, run: runs.Finished, row: dict) -> dict:
        """What a table shows for a row of a run's metrics: key, text, interval, and its place
        between 0 and 1.
        """
        name = (run.name, row["title"], row["metric"])
        if name not in self.found:
            self.found[name] = self._made(run, row, f"n{len(self.found) + 1}")
        return self.found[name]

    def _made(self, run: runs.Finished, row: dict, key: str) -> dict:
        metric, value = row["metric"], row["value"]
        known, bounded = (
            math.isfinite(value),
            math.isfinite(row["ci_low"]) and math.isfinite(row["ci_high"]),
        )
        test = f"{run.notebook}/{run.variant}/{row['title']}"
        return {
            "key": key,
            "run": run.name,
            "model": self.about[run.name]["model"],
            "title": row["title"],
            "metric": metric,
            "words": words(metric),
            "text": written(metric, value) if known else "no examples",
            "unit": unit(metric),
            "interval": f"{written(metric, row['ci_low'])} to {written(metric, row['ci_high'])}"
            if known and bounded
            else "",
            "place": [min(1, max(0, number)) for number in (row["ci_low"], value, row["ci_high"])]
            if known and bounded
            else None,
            "level": level(metric, value)
            if known and not (is_in(metric, PLAIN) and grid.directional(row["test"]))
            else None,
            "n": int(row["n"]),
            "seed": int(row["seed"]),
            "test": test if test in self.tests and run.notebook not in CHOSEN else None,
        }


def words(metric: str) -> str:
    """A metric's name for readers.

    >>> words("failure_rate"), words("macro_f1")
    ('failure rate', 'macro-F1')
    """
    return WORDS.get(metric, metric.replace("_", " "))


def is_in(metric: str, names: tuple[str, ...]) -> bool:
    """Whether a metric is one of the names or begins with one as a word."""
    return any(metric == name or metric.startswith(f"{name}_") for name in names)


def unit(metric: str) -> str:
    """`%`, `points` or nothing: what a metric's written number is counted in."""
    return "points" if is_in(metric, POINTS) else "" if is_in(metric, PLAIN) else "%"


def written(metric: str, value: float) -> str:
    """A value as tables show it: shares in percent, differences of shares in points with their
    sign, kappa as it is.

    >>> written("failure_rate", 0.2301), written("delta_accuracy", -0.05), written("kappa", 0.6149)
    ('23.0', '−5.0', '0.61')
    """
    if unit(metric) == "points":
        return f"{value * 100:+.1f}".replace("-", "−")
    return (f"{value * 100:.1f}" if unit(metric) else f"{value:.2f}").replace("-", "−")


def level(metric: str, value: float) -> int:
    """How dark a cell is, 0 to 10: the darker, the worse."""
    bad = abs(value) if is_in(metric, POINTS) else 1 - value if is_in(metric, GOOD) else value
    return round(10 * min(1, max(0, bad)))


def main_metric(metrics: pd.DataFrame) -> str | None:
    """The metric that stands for a notebook: kappa, else failure rate, a loss of accuracy,
    macro-F1, accuracy; else its first one.
    """
    there = list(metrics["metric"].unique())
    return next((name for name in MAIN if name in there), there[0] if there else None)


def whole(run: runs.Finished, metric: str) -> pd.DataFrame:
    """A run's rows of a metric for whole tests, not for groups of their rows."""
    return run.metrics[(run.metrics["metric"] == metric) & (run.metrics["group"] == "all")]


def headline_table(found: runs.Collection, numbers: Numbers) -> dict:
    """The headline table: models, and groups of rows `name, cells`, each cell a number or None;
    what is better stands in the group's name.
    """
    named = {run.name: run for run in found.runs}
    rows: dict[str, dict] = {}
    for row in headline.numbers(found).to_dict("records"):
        rows.setdefault(row["name"], {})[named[row["run"]].model] = numbers.cell(
            named[row["run"]], row
        )
    models = [model for model in found.models if any(model in cells for cells in rows.values())]
    groups = []
    for name, good in (
        ("Right answers: higher is better", True),
        ("Answers that do not stand: lower is better", False),
    ):
        some = [
            {"name": inline(row), "cells": [cells.get(model) for model in models]}
            for row, cells in rows.items()
            if is_in(next(iter(cells.values()))["metric"], GOOD) == good
        ]
        groups += [{"name": name, "rows": some}] if some else []
    return {"models": models, "groups": groups}


def grids(found: runs.Collection, numbers: Numbers, titles: dict[str, str]) -> list[dict]:
    """Models against tests, one table per main metric: `metric, words, models, groups`, a group for
    each notebook's runs (see `variants`).

    Kappas of DIR tests, of which a high one is not better, are a group of their own.
    """
    tables: dict[str, list] = {}
    for notebook in found.notebooks:
        for variant, of in variants(found, notebook).items():
            shown = found.of(notebook, variant)
            metric = main_metric(pd.concat([run.metrics for run in shown])) if shown else None
            for about, rows in _apart(shown, metric, numbers) if metric else []:
                title = inline(f"{about or titles[notebook]}{f' ({of})' if of else ''}")
                tables.setdefault(metric, []).append(
                    {"notebook": notebook, "title": title, "rows": rows, "apart": bool(about)}
                )
    known = [metric for metric in MAIN if metric in tables]
    return [
        _grid(found, metric, tables[metric])
        for metric in [*known, *sorted(set(tables) - set(known))]
    ]


def variants(found: runs.Collection, notebook: str) -> dict[str, str]:
    """The variants of a notebook that the page shows: the default one, and of the perturbation grid
    one per data set, which is then named.
    """
    if notebook != grid_scores.NOTEBOOK:
        return {"default": ""}
    of = {
        run.variant: tidy(run.about["parameters"]["dataset"])
        for run in found.of(notebook)
        if not run.repeat
    }
    several, names = len(of) > 1, list(of.values())
    ordered = sorted(of, key=lambda variant: (variant != "default", variant))
    return {
        name: (of[name] if names.count(of[name]) == 1 else f"{of[name]}, {name}") if several else ""
        for name in ordered
    }


def gloss(notebook: str, part: str, metric: str) -> str:
    """What a test of the headline is about, in the headline's words; empty where they only repeat
    its name.

    >>> str(gloss("05_typos", "typos 0.3", "failure_rate"))
    'typos at 0.3 per word'
    >>> str(gloss("06_formality", "formal", "failure_rate"))
    ''
    """
    name = {place: name for name, place in headline.NUMBERS.items()}.get(
        (notebook, part, metric), ""
    )
    said = name.removeprefix("fails").lstrip(", ")
    return inline("" if {said, said.replace("-", "_")} & {part, words(metric)} else said)


def _apart(
    shown: list[runs.Finished], metric: str, numbers: Numbers
) -> list[tuple[str, list[dict]]]:
    """The rows of a group, DIR tests behind the others and with words on how to read them."""
    rows = _rows(shown, metric, numbers)
    turned = [row for row in rows if is_in(metric, PLAIN) and grid.directional(row["name"])]
    sentiment = all(set(run.labels) == set(data.LABELS) for run in shown)
    about = (
        "A directional test: the label should follow, so here lower is better"
        if sentiment
        else "A reversal: nothing is expected of these labels"
    )
    return [
        (said, some)
        for said, some in (("", [row for row in rows if row not in turned]), (about, turned))
        if some
    ]


def _rows(shown: list[runs.Finished], metric: str, numbers: Numbers) -> list[dict]:
    rows: dict[str, dict] = {}
    for run in shown:
        for row in run.main(whole(run, metric)).to_dict("records"):
            rows.setdefault(row["title"], {})[run.model] = numbers.cell(run, row)
    counts = {name: [cell["n"] for cell in cells.values()] for name, cells in rows.items()}
    return [
        {
            "name": name,
            "gloss": gloss(shown[0].notebook, name, metric),
            "cells": cells,
            "n": _range(counts[name]),
        }
        for name, cells in rows.items()
    ]


def _grid(found: runs.Collection, metric: str, groups: list[dict]) -> dict:
    models = [
        model
        for model in found.models
        if any(model in row["cells"] for group in groups for row in group["rows"])
    ]
    for group in groups:
        for row in group["rows"]:
            row["cells"] = [row["cells"].get(model) for model in models]
    return {
        "metric": metric,
        "words": words(metric),
        "unit": unit(metric),
        "good": is_in(metric, GOOD),
        "models": models,
        "groups": groups,
    }


def _range(counts: list[int]) -> str:
    low, high = min(counts), max(counts)
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"
