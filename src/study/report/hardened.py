"""What defences do: the tables of the runs on hardening (notebook 17) and of a network that others
teach (18), and what stands over several trainings.
"""

from operator import itemgetter

import pandas as pd

from study.harden import aims
from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.harden import loss, trials
from tahanuji.results import Results, estimates

HARDENED, TAUGHT = "17_hardening", "18_classifier"
SEEDS = ["model", "test", "rate", "defence", "quantity", "mean", "sd", "low", "high", "seeds"]
LESS = f", less {trials.PLAIN}"  # ends a quantity: the difference of two of one training
KEPT = ["test", "rate", "quantity", "group", "id", "cluster", "cost"]


def tables(results: Results) -> list[dict]:
    """The tables of defences of a profile's runs on hardening, and on a network that others teach
    (`taught`): of each `model` the `defences` and `lines`, by test or family of changes what each
    costs in points, as `trials.table` says it, and its mean over the `seeds` of repeats (empty
    where there are none); `foremost` is the one of a model that holds the defence which the command
    takes for networks, else that of its default run.
    """
    made = []
    groups = [same for _, same in results.repeats()]
    for run in results.runs:
        if run.notebook not in (HARDENED, TAUGHT) or run.repeat:
            continue
        several = next((same for same in groups if same.get(run.seed) is run), {run.seed: run})
        table = trials.table(run.metrics).loc[trials.summed(run.metrics)]
        means = _means([one.metrics for one in several.values()], table)
        about = {"model": run.model, "defences": list(table.columns), "seeds": len(several)}
        taught = run.notebook == TAUGHT
        late = taught, aims.NETWORKS not in table, run.variant != "default"
        about |= {"taught": taught, "lines": _lines(table, means) + _losses(run.metrics, table)}
        made.append((late, about))
    ordered = [one for _, one in sorted(made, key=itemgetter(0))]
    first = {one["model"]: one for one in reversed(ordered) if not one["taught"]}
    return [one | {"foremost": one is first.get(one["model"])} for one in ordered]


def _means(metrics: list[pd.DataFrame], table: pd.DataFrame) -> pd.DataFrame:
    """The means of some runs for every cell of a table of defences, in points; of one run empty."""
    if len(metrics) < 2:
        return pd.DataFrame("", table.index, table.columns)
    every = pd.concat(metrics)
    every = every[~every["metric"].str.endswith("_change")]
    means = (100 * every.pivot_table("value", "test", "group")).round(1) + 0.0  # no -0.0
    return means.loc[table.index, table.columns].map("{:.1f}".format)


def _losses(metrics: pd.DataFrame, table: pd.DataFrame) -> list[dict]:
    """The points that each defence's loss on unchanged texts is shown to stay under, as a row."""
    under = loss.least(metrics)
    shown = {name: f"{100 * margin:.0f}" for name, margin in under.items() if margin > 0}
    cells = [(shown.get(name, "–"), "") for name in table.columns]
    return [{"name": "loss", "cells": cells}] if under else []


def _lines(table: pd.DataFrame, means: pd.DataFrame) -> list[dict]:
    """The rows of a table, of a family under its own name, with pairs of number and mean."""
    names = table.index.str.removesuffix(trials.ALL)
    pairs = zip(names, table.to_numpy(), means.to_numpy(), strict=True)
    return [{"name": name, "cells": list(zip(*cells, strict=True))} for name, *cells in pairs]


def over_seeds(results: Results) -> pd.DataFrame:
    """The mean cost of every test and family of changes under every defence over trainings that
    differ in their seed alone, and its mean difference from the undefended classifier of the same
    training (quantity `<quantity>, less undefended`), with an interval over seeds and rows
    (`measure.over_seeds_and_rows`): columns SEEDS. Tests whose rows differ by training have none.
    """
    parts = []
    for (notebook, _, model), several in results.repeats():
        if notebook == HARDENED:
            trainings = {}
            for run in several.values():
                try:
                    trainings[run.seed] = _costs(run.predictions())
                except InputError:
                    continue  # `lacking` says why it cannot be read
            if len(trainings) > 1:
                parts.append(_spread(pd.concat(trainings, names=["seed"])).assign(model=model))
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=SEEDS)
    return table[SEEDS]


def _costs(asked: pd.DataFrame) -> pd.DataFrame:
    """Of predictions of a run on hardening every row of a test or family with its cost."""
    clean = asked["quantity"] == trials.CLEAN
    rows = pd.concat([asked[clean], trials.of_families(asked), asked[~clean]], ignore_index=True)
    return rows[KEPT]


def _spread(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per test, defence and quantity of trainings, told apart by the index `seed`."""
    said = []
    for (test, rate, quantity), own in rows.groupby(
        ["test", "rate", "quantity"], sort=False, dropna=False
    ):
        wide = own.reset_index().pivot(index=["id", "cluster"], columns=["group", "seed"])["cost"]
        if wide.isna().any(axis=None):
            continue
        clusters = wide.index.get_level_values("cluster")
        plain = wide[trials.PLAIN].to_numpy().T
        for defence in own["group"].unique():
            costs = wide[defence].to_numpy().T
            for end, outcomes in (("", costs), (LESS, costs - plain)):
                spread = measure.over_seeds_and_rows(outcomes, clusters)
                said.append((test, rate, defence, f"{quantity}{end}", *spread))
    return pd.DataFrame(said, columns=SEEDS[1:])


def shown(spread: pd.DataFrame) -> pd.DataFrame:
    """What `over_seeds` says of families of changes and of tests that are none, for reading: what a
    defence costs and the difference from no defence, in points with 95% intervals.
    """
    single = spread["quantity"].str.startswith(trials.ADDED)
    whole = spread[~single | spread["test"].str.endswith(trials.ALL)]
    less = whole["quantity"].str.endswith(LESS)
    whole = whole.assign(
        test=whole["test"].str.removesuffix(trials.ALL),
        cell=[f"{one:points}" for one in estimates(whole, "low", "high", "mean")],
        said=less.map({False: "points", True: f"less {trials.PLAIN}"}),
    )
    keys = ["model", "test", "defence", "seeds"]
    order = pd.MultiIndex.from_frame(whole[keys].drop_duplicates())
    wide = whole.pivot(index=keys, columns="said", values="cell").loc[order]
    return wide[["points", f"less {trials.PLAIN}"]].rename_axis(columns=None).reset_index()
