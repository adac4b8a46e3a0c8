"""Models on the same rows, and clean against perturbed predictions, from the files of finished
runs.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from helpers import grid_views, notebooks, tables
from helpers.report import runs
from tahanuji import grid, measure
from tahanuji.errors import InputError

RATES = [
    "clean_error_rate",
    "failure_rate",
    "flip_rate",
    "induced_rate",
    "repaired_rate",
    "changed_share",
]
CLEAN = "clean"  # the test of unchanged texts
# of the bootstrap over rows; the interval of a difference moves with it in the third digit
SEED = 26092020
OWN = {
    "model_name",
    "run_dir",
    "checkpoint",
    "precision",
}  # parameters that two runs need not share
OUTCOME = [
    "n",
    "first_rate",
    "second_rate",
    "difference",
    "ci_low",
    "ci_high",
    "only_first",
    "only_second",
    "p",
]


def verdicts(run: runs.Finished) -> dict[str, pd.DataFrame]:
    """Per test of a run its rows `id, gold, wrong, change`, `cluster` and the texts' hashes: wrong
    is `failure` of a behavioural test, a wrong label of a plain one; change as in `changes`.

    InputError where predictions.csv cannot be read or does not name the test of every row and
    whether it failed.
    """
    frame = run.predictions()
    if "failure" in frame:
        frame = frame.assign(wrong=frame["failure"].astype(bool))
    elif "label" in frame:
        frame = frame.assign(wrong=frame["label"] != frame["gold"])
    else:
        return {}
    if "by_answer" in frame:  # pairs of wordings, whose gold is each model's own first answer
        frame["gold"] = ""
    frame["change"] = changed(frame)
    kept = [
        column
        for column in ("id", "gold", "wrong", "change", "cluster", "clean_sha256", "text_sha256")
        if column in frame
    ]
    return {title: part[kept] for title, part in run.main(frame).groupby("title", sort=False)}


def changed(frame: pd.DataFrame) -> pd.Series:
    """What a test did to the answer of every row, -1, 0 or 1 (see `changes`); of a row that was not
    changed whether it is wrong.
    """
    if "is_wrong_way" in frame:
        return frame["is_wrong_way"].astype(int)
    wrong = frame["wrong"].astype(int)
    if "induced" in frame:
        moved = frame[["induced", "repaired"]].astype(float)
        return (moved["induced"] - moved["repaired"]).fillna(wrong).astype(int)
    return wrong


def tests(found: runs.Collection) -> Iterator[tuple[str, str, list[runs.Finished]]]:
    """Notebook, variant and runs wherever more than one model made the same run; training and
    repeats with another seed apart.
    """
    for notebook in [name for name in found.notebooks if name != notebooks.fine_tuning()]:
        for variant in sorted({run.variant for run in found.of(notebook) if not run.repeat}):
            some = found.of(notebook, variant)
            if len(some) > 1:
                yield notebook, variant, some


def alike(
    test: str, wrong: dict[runs.Finished, dict[str, pd.DataFrame]], refused: list[str]
) -> list[list[runs.Finished]]:
    """The runs that have a test, those on the same data and rows together; into `refused` goes a
    sentence for each that differs from the first.
    """
    groups: list[list[runs.Finished]] = []
    for run in [run for run in wrong if test in wrong[run]]:
        errors = []
        for group in groups:
            error = objection(test, wrong, group[0], run)
            if error is None:
                group.append(run)
                break
            errors.append(error)
        if len(errors) == len(groups):  # no group is like this run
            groups.append([run])
        refused += errors[:1]
    return groups


def objection(
    test: str,
    wrong: dict[runs.Finished, dict[str, pd.DataFrame]],
    first: runs.Finished,
    second: runs.Finished,
) -> str | None:
    """A sentence on why a test of two runs cannot be compared; None where it can."""
    try:
        same_data(first, second)
        measure.check_rows(wrong[first][test], wrong[second][test], (first.name, second.name))
    except InputError as error:
        return str(error)
    return None


def same_data(first: runs.Finished, second: runs.Finished) -> None:
    """InputError, with both named, where two runs that are to be compared read different data, or
    changed them by other parameters.
    """
    if first.read != second.read:
        read = "; ".join(
            ", ".join(f"{name} sha256 {digest[:12]}" for name, digest in run.read.items())
            or "none named"
            for run in (first, second)
        )
        raise InputError(
            f"{first.name} and {second.name} cannot be compared: they read different data "
            f"({read}). Run both again on the same files."
        )
    given = [
        {key: value for key, value in run.about["parameters"].items() if key not in OWN}
        for run in (first, second)
    ]
    if unlike := sorted(
        key for key in given[0].keys() | given[1].keys() if given[0].get(key) != given[1].get(key)
    ):
        how = ", ".join(f"{key} {given[0].get(key)!r} and {given[1].get(key)!r}" for key in unlike)
        raise InputError(
            f"{first.name} and {second.name} cannot be compared: they were run with other "
            f"parameters ({how}). Run both again with the same."
        )


def outcome(one: pd.Series, other: pd.Series, seed: int = SEED) -> dict:
    """What two yes/no outcomes on the same rows amount to."""
    one, other, n = np.asarray(one), np.asarray(other), len(one)
    tested, both = measure.compare(one, other), int((one & other).sum())
    cells = [
        n - both - tested["only_first"] - tested["only_second"],
        tested["only_second"],
        tested["only_first"],
        both,
    ]
    # the draws of measure.paired_difference, without the other metrics that it works out of them: a
    # report may hold thousands of pairs
    low, high = measure.interval(
        measure.replicate(lambda drawn: (drawn[:, 2] - drawn[:, 1]) / n, np.array(cells), seed)
    )
    rates = {
        "n": n,
        "first_rate": float(one.mean()),
        "second_rate": float(other.mean()),
        "difference": tested["difference"],
    }
    return (
        rates
        | {"ci_low": low, "ci_high": high}
        | {key: tested[key] for key in ("only_first", "only_second", "p")}
    )


def perturbed(found: runs.Collection) -> pd.DataFrame:
    """Clean against perturbed predictions of every behavioural test: the rates with n, and exact
    McNemar of induced against repaired.

    `notebook, variant, test, model, n, clean_error_rate, failure_rate, flip_rate, induced_rate,
    repaired_rate, changed_share, p, p_holm`, Holm's correction over the whole table. p asks
    whether the test induces more errors than it repairs; failure = clean error + induced -
    repaired.
    """
    rows = []
    for run in [run for run in found.runs if not run.repeat]:
        for test, part in run.main(run.metrics).groupby("title", sort=False):
            values = part.set_index("metric")["value"]
            if {*RATES} <= {*values.index}:
                n = int(part["n"].iloc[0])
                counts = {
                    name: round(values[name] * n) if n else 0
                    for name in ("induced_rate", "repaired_rate")
                }
                p = (
                    binomtest(counts["induced_rate"], sum(counts.values())).pvalue
                    if any(counts.values())
                    else 1.0
                )
                rows.append(
                    {
                        "notebook": run.notebook,
                        "variant": run.variant,
                        "test": test,
                        "model": run.model,
                        "n": n,
                        **values[RATES],
                        "p": p,
                    }
                )
    table = pd.DataFrame(rows, columns=["notebook", "variant", "test", "model", "n", *RATES, "p"])
    return table.assign(p_holm=measure.holm(list(table["p"])))


def settings(run: runs.Finished) -> tuple[str, str]:
    """What repeats of a run with another seed have in common: parameters, and what was read."""
    varying = ("seed", "run_dir", "rates")
    fixed = {key: one for key, one in run.about["parameters"].items() if key not in varying}
    return str(sorted(fixed.items())), str(run.read)


def repeats(found: runs.Collection) -> Iterator[tuple[tuple, dict[int, runs.Finished]]]:
    """The runs that differ in nothing but their seed, and the rates that they sweep: `(notebook,
    dataset, model), {seed: run}`, where there are two and more.
    """
    groups: dict[tuple, dict[int, runs.Finished]] = {}
    for run in found.runs:
        same = (run.notebook, run.about["parameters"]["dataset"], run.model, *settings(run))
        groups.setdefault(same, {})[run.about["parameters"]["seed"]] = run
    for (*group, _, _), several in groups.items():
        if len(several) > 1:
            yield tuple(group), several


def told_apart(table: pd.DataFrame, level: float = 0.05) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The comparisons that differ after Holm's correction, and those that cannot be told apart."""
    differs = table["p_holm"] < level
    return table[differs], table[~differs]


def overview(found: runs.Collection, notebook: str) -> pd.DataFrame:
    """A notebook's whole-test numbers for reading: one row per variant and test, one column per
    model, `value (low to high)`.

    The figure is kappa where there is one, else the failure rate, else macro-F1: what a notebook is
    about. Kappas of DIR tests, of which a low one is good, are marked.
    """
    shown = [run.main(run.metrics) for run in found.of(notebook)]
    whole = pd.concat(shown, ignore_index=True)
    metric = next(
        (
            name
            for name in ("kappa", "failure_rate", "macro_f1", "accuracy")
            if name in set(whole["metric"])
        ),
        None,
    )
    if metric is None:
        return pd.DataFrame()
    part = whole[whole["metric"] == metric].copy()
    written = grid_views.phrase if metric == "kappa" else tables.cell
    part["cell"] = [written(row) for row in part.itertuples()]
    if metric == "kappa":
        part["title"] += [" (DIR)" * grid.directional(test) for test in part["test"]]
    wide = part.pivot(index=["variant", "title"], columns="model", values="cell")
    wide = wide.reindex(part[["variant", "title"]].drop_duplicates().apply(tuple, axis=1))[
        runs.order(set(wide.columns))
    ]
    wide.attrs["metric"] = metric.replace("_", " ").replace("f1", "F1")
    return wide.rename_axis(columns=None)
