"""The perturbation grids data set by data set, models side by side: kappa, texts changed and
accuracy lost in every test, and a chart of them.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from helpers import figures, grid_views
from helpers.report import grid_scores, runs
from tahanuji import grid, measure, perturb

COLUMNS = [
    "level",
    "perturbation",
    "asked",
    "test_type",
    "rate",
    "model",
    "n",
    "changed",
    "kappa",
    "kappa_low",
    "kappa_high",
]
COLUMNS += ["accuracy_lost", "lost_low", "lost_high"]


def by_dataset(found: runs.Collection) -> dict[str, pd.DataFrame]:
    """Per data set a table of all tests of all models: `COLUMNS`, a row per test and model, in the
    order of the registry and of the models.

    `changed` is a share of n texts, kappa goes from -1 to 1, `accuracy_lost` is the share of texts
    right before less that of texts right after, -1 to 1; all intervals are 95%. No accuracy is lost
    by a DIR test, whose gold labels no longer hold. A model that has several runs on a data set
    stands with their variants; repeats with another seed are left out. Source: Romero Alvarado
    (2023), chapter 4, tables per task.
    """
    parts: dict[str, list[pd.DataFrame]] = {}
    some = [run for run in found.of(grid_scores.NOTEBOOK) if not run.repeat]
    for run in some:
        dataset = run.about["parameters"]["dataset"]
        same = [
            one
            for one in some
            if (one.model, one.about["parameters"]["dataset"]) == (run.model, dataset)
        ]
        parts.setdefault(dataset, []).append(
            of_run(run).assign(model=f"{run.model} ({run.variant})" if len(same) > 1 else run.model)
        )
    order = list(perturb.REGISTRY)
    together = {
        dataset: pd.concat(tables, ignore_index=True)[COLUMNS]
        for dataset, tables in sorted(parts.items())
    }
    return {
        dataset: table.sort_values(
            ["perturbation", "rate"],
            key=lambda column: column.map(order.index) if column.name == "perturbation" else column,
            kind="stable",
        )
        for dataset, table in together.items()
    }


def of_run(run: runs.Finished) -> pd.DataFrame:
    """The tests of a run of the grid that the registry has: `COLUMNS` without the model."""
    whole = run.metrics[run.metrics["group"] == "all"]
    value = {metric: part.set_index("title")["value"] for metric, part in whole.groupby("metric")}
    rows = []
    for row in whole[whole["metric"] == "kappa"].itertuples():
        test, name = row.title, row.test
        if name in perturb.REGISTRY:
            rates = (
                (None, None)
                if grid.directional(name)
                else (value["induced_rate"][test], value["repaired_rate"][test])
            )
            known = (
                grid_views.level_of(name),
                name,
                grid_views.asked(name, row.rate),
                perturb.REGISTRY[name].test_type,
                row.rate,
                run.model,
                row.n,
            )
            rows.append(
                (
                    *known,
                    value["changed_share"][test],
                    row.value,
                    row.ci_low,
                    row.ci_high,
                    *lost(*rates, row.n, run.about["parameters"]["seed"]),
                )
            )
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
    drawn = measure.replicate(
        lambda counts: (counts[:, 0] - counts[:, 1]) / n, np.array([*turned, n - sum(turned)]), seed
    )
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
        row = {
            "level": part["level"].iloc[0],
            "perturbation": grid_views.label(name),
            "asked": part["asked"].iloc[0],
            "changed": ", ".join(shares),
        }
        for one in part.itertuples():
            row[f"{one.model}: kappa"] = (
                f"{one.kappa:.2f} ({one.kappa_low:.2f} to {one.kappa_high:.2f})"
                if one.kappa == one.kappa
                else "none"
            )
            points = [
                f"{100 * share:.1f}".replace("-", "−")
                for share in (one.accuracy_lost, one.lost_low, one.lost_high)
            ]
            row[f"{one.model}: points lost"] = (
                "{} ({} to {})".format(*points) if one.accuracy_lost == one.accuracy_lost else ""
            )
        rows.append(row)
    heads = [
        f"{model}: {what}" for model in table["model"].unique() for what in ("kappa", "points lost")
    ]
    return pd.DataFrame(rows)[["level", "perturbation", "asked", "changed", *heads]].fillna("")


def chart(table: pd.DataFrame, dataset: str) -> Figure | None:
    """Kappa per perturbation at its middle rate, a colour per model, with the share of texts
    changed; None without any kappa.

    In the manner of Romero Alvarado (2023), Figures 8 to 10, which have a bar per rate; those stand
    in the executed notebooks 07.
    """
    tests = zip(table["perturbation"], table["rate"], strict=True)
    middle = [grid.middle(name) in (name, (name, rate)) for name, rate in tests]
    middle = table[middle].dropna(subset="kappa")
    if middle.empty:
        return None
    names = middle["perturbation"].map(grid_views.label).str.replace("_", " ")
    often = middle.groupby("perturbation")["changed"].transform("mean")
    shown = pd.DataFrame(
        {
            "group": [f"{name}, {share:.0%}" for name, share in zip(names, often, strict=True)],
            "test": middle["perturbation"],
            "rate": middle["rate"],
            "series": middle["model"],
            "value": middle["kappa"],
            "ci_low": middle["kappa_low"],
            "ci_high": middle["kappa_high"],
        }
    )
    lowest = grid_views.least(shown, of_models=True)
    title = f"Answers before and after on {dataset}, middle rates: {lowest}"
    figure = figures.dots(shown, title, "Cohen's kappa; behind a name the share of texts changed")
    figure.set_size_inches(9, 1.3 + 0.34 * shown["group"].nunique())
    figure.axes[0].xaxis.set_major_formatter("{x:.1f}")
    return figure
