"""Curves over rates, drawn as SVG: one line per model with its intervals, for every notebook whose
tests have rates.
"""

import math
from itertools import cycle, islice

from helpers.report import grids, runs
from helpers.report.templates import tidy
from tahanuji import models

SPARE = (
    "#c2410c",
    "#2b7fb8",
    "#b0527a",
    "#7d8a2e",
    "#8a63c9",
    "#0f8b8d",
    "#b7791f",
    "#6b7fa3",
    "#c05252",
)
DASHES = ("", "7 4", "2 3", "9 3 2 3")
WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 54, 14, 14, 58


def colours(names: list[str]) -> dict[str, dict]:
    """A colour and a dash per model: colours from config/models.yaml, others from a spare list;
    models that share a colour differ in dash.
    """
    known = models.entries()
    spare = iter(islice(cycle(SPARE), len(names)))
    found, seen = {}, []
    for model in names:
        colour = known[model]["colour"] if model in known else next(spare)
        found[model] = {"colour": colour, "dash": DASHES[seen.count(colour) % len(DASHES)]}
        seen.append(colour)
    return found


def families(found: runs.Collection) -> list[dict]:
    """What can be drawn: per notebook, data set and test name `notebook, of, name, metric, lines`,
    a line being model and rows by rising rate.

    `of` names the data set where a notebook's runs on several are shown (`grids.variants`), else it
    is empty.
    """
    drawn: dict[tuple[str, str, str, str], dict] = {}
    for notebook in found.notebooks:
        for variant, of in grids.variants(found, notebook).items():
            for run in found.of(notebook, variant):
                metric = grids.main_metric(run.metrics)
                for name, row in _rated(run, metric) if metric else []:
                    drawn.setdefault((notebook, of, name, metric), {}).setdefault(
                        run.model, []
                    ).append(row)
    return [
        {
            "notebook": notebook,
            "of": of,
            "name": name,
            "metric": metric,
            "lines": {
                model: _sorted(found, notebook, model, rows) for model, rows in lines.items()
            },
        }
        for (notebook, of, name, metric), lines in drawn.items()
        if max(len(rows) for rows in lines.values()) > 1
    ]


def _rated(run: runs.Finished, metric: str) -> list[tuple[str, dict]]:
    """A run's rows of tests at a rate, with the tests' names."""
    rows = grids.whole(run, metric).dropna(subset=["value", "rate"])
    return [(row["test"], row) for row in rows.to_dict("records")]


def _sorted(found: runs.Collection, notebook: str, model: str, rows: list[dict]) -> list[dict]:
    """A line's rows by rate; failure rates begin with the error rate on the clean texts, as rate 0,
    where all tests read the same texts.
    """
    rows = sorted(rows, key=lambda row: row["rate"])
    if rows[0]["metric"] != "failure_rate" or rows[0]["rate"] == 0:
        return rows
    run = next(run for run in found.of(notebook, "default") if run.model == model)
    clean = grids.whole(run, "clean_error_rate")
    clean = clean[clean["title"].isin([row["title"] for row in rows])]
    same = len(clean) == len(rows) and clean["value"].nunique() == 1 and clean["n"].nunique() == 1
    return [{**clean.iloc[0].to_dict(), "rate": 0.0}, *rows] if same else rows


def chart(family: dict, styles: dict[str, dict], number: int) -> dict:
    """A family as `number, caption, legend, svg parts`: positions in the drawing's own units, words
    for its title and description.
    """
    rows = [row for line in family["lines"].values() for row in line]
    right = max(row["rate"] for row in rows)
    highs = [row["ci_high"] if math.isfinite(row["ci_high"]) else row["value"] for row in rows]
    low = min(0, math.floor(10 * min(row["value"] for row in rows)) / 10)
    top = max(low + 0.1, math.ceil(10 * max(highs) - 1e-9) / 10)

    def x(rate: float) -> float:
        return round(LEFT + rate / right * (WIDTH - LEFT - RIGHT), 1)

    def y(value: float) -> float:
        return round(TOP + (top - value) / (top - low) * (HEIGHT - TOP - BOTTOM), 1)

    step = next(step for step in (0.1, 0.2, 0.25, 0.5, 1) if (top - low) / step <= 6)
    ticks = [low + step * number for number in range(int((top - low) / step + 1e-9) + 1)]
    metric = family["metric"]
    return {
        "number": number,
        "notebook": family["notebook"],
        "words": grids.words(metric),
        "unit": grids.unit(metric),
        "name": family["name"],
        "of": family["of"],
        "clean": any(row["rate"] == 0 and row["metric"] == "clean_error_rate" for row in rows),
        "x": [(x(right * part / 4), _share(right * part / 4)) for part in range(5)],
        "y": [(y(value), grids.written(metric, value).removesuffix(".0")) for value in ticks],
        "lines": [
            _line(model, line, styles[model], x, y) for model, line in family["lines"].items()
        ],
        "faint": len(family["lines"]) > 4,
        "box": {
            "width": WIDTH,
            "height": HEIGHT,
            "left": LEFT,
            "right": WIDTH - RIGHT,
            "top": TOP,
            "bottom": HEIGHT - BOTTOM,
        },
    }


def _line(model: str, line: list[dict], style: dict, x, y) -> dict:
    band = [row for row in line if math.isfinite(row["ci_low"]) and math.isfinite(row["ci_high"])]
    edge = [(x(row["rate"]), y(row["ci_high"])) for row in band] + [
        (x(row["rate"]), y(row["ci_low"])) for row in reversed(band)
    ]
    metric = line[-1]["metric"]
    said = [f"{grids.written(metric, row['value'])} at {_share(row['rate'])}" for row in line]
    points = [
        {
            "x": x(row["rate"]),
            "y": y(row["value"]),
            "open": row["rate"] == 0,
            "said": f"{model}: {words}",
        }
        for row, words in zip(line, said, strict=True)
    ]
    return {
        "model": tidy(model),
        **style,
        "path": " ".join(f"{point['x']},{point['y']}" for point in points),
        "band": " ".join(f"{left},{top}" for left, top in edge),
        "points": points,
        "said": ", ".join(said),
    }


def _share(rate: float) -> str:
    return f"{rate * 100:g}%" if rate <= 1 else f"{rate:g}"
