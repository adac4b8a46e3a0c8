"""What tests change in the answers of models: two models on the same rows, and one model over its
trainings.

A change is what a test did to a row's answer: 1 where it induced an error, -1 where it repaired
one; of a DIR test 1 where it went the wrong way, of an MFT case and a plain evaluation 1 where it
failed. Error under perturbation would restate the clean gap of two models once per test.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from tahanuji import measure, perturb
from tahanuji.errors import InputError

if TYPE_CHECKING:
    from tahanuji.results import Results, Run

CLEAN = "clean"  # the test of unchanged texts
PAIR = ["notebook", "variant", "test", "first", "second"]
RESULT = ["n", "first_change", "second_change", "difference", "ci_low", "ci_high", "p"]
COLUMNS = [*PAIR, *RESULT, "detectable", "p_holm"]
SPREAD = ["notebook", "dataset", "model", "test", "mean", "sd", "low", "high", "seeds", "rows"]
OWN = {
    "model_name",
    "run_dir",
    "checkpoint",
    "precision",
}  # parameters that two runs need not share
KEPT = ["id", "gold", "wrong", "change", "cluster", "clean_sha256", "text_sha256"]
Answers = dict[str, pd.DataFrame]  # the rows of every test of a run


def between(groups: list[list["Run"]]) -> pd.DataFrame:
    """Every two runs of each group on the same rows of every test: COLUMNS.

    `detectable` is the least difference that the exact McNemar test finds on these rows with 80%
    power. A model at chance on a test is left out of it, and `attrs["refused"]` says so; tests that
    change the meaning are left out.
    """
    rows, refused = [], []
    for runs in groups:
        answered = readable(runs, refused)
        tests = dict.fromkeys(test for answers in answered.values() for test in answers)
        for test in [test for test in tests if test not in _meaning(runs)]:
            for several in _comparable(test, answered, refused):
                for first, second in combinations(several, 2):
                    named = (first.notebook, first.variant, test, first.model, second.model)
                    rows.append((*named, *_pair(answered[first][test], answered[second][test])))
    table = pd.DataFrame(rows, columns=COLUMNS[:-1])
    table = table.assign(p_holm=measure.holm(table["p"]))
    table.attrs["refused"] = list(dict.fromkeys(refused))
    return table


def over_seeds(results: "Results") -> pd.DataFrame:
    """The mean change of every test over trainings that differ in their seed alone, with an
    interval over seeds and rows (`measure.over_seeds_and_rows`): columns SPREAD.
    """
    rows = []
    for (notebook, dataset, model), several in results.repeats():
        answered = readable(list(several.values()), [])
        for test in dict.fromkeys(test for answers in answered.values() for test in answers):
            parts = [part[test].set_index("id") for part in answered.values() if test in part]
            if len(parts) > 1 and all(set(part.index) == set(parts[0].index) for part in parts):
                changed = np.array([part.loc[parts[0].index, "change"] for part in parts])
                spread = measure.over_seeds_and_rows(changed, parts[0].get("cluster"))
                rows.append((notebook, dataset, model, test, *spread, changed.shape[1]))
    return pd.DataFrame(rows, columns=SPREAD)


def answers(run: "Run") -> Answers:
    """The rows of every test of a run (KEPT): wrong is `failure` of a behavioural test, a wrong
    label of a plain one. InputError where its predictions are not whole.
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
    kept = [column for column in KEPT if column in frame]
    return {title: part[kept] for title, part in run.main(frame).groupby("title", sort=False)}


def changed(frame: pd.DataFrame) -> pd.Series:
    """What a test did to the answer of every row, -1, 0 or 1; of a row that was not changed whether
    it is wrong.

    >>> rows = pd.DataFrame({"wrong": [1, 1, 0], "induced": [1, 0, 0], "repaired": [0, 0, 1]})
    >>> changed(rows).tolist()
    [1, 0, -1]
    """
    if "is_wrong_way" in frame:
        return frame["is_wrong_way"].astype(int)
    wrong = frame["wrong"].astype(int)
    if "induced" not in frame:
        return wrong
    moved = frame[["induced", "repaired"]].astype(float)
    return (moved["induced"] - moved["repaired"]).fillna(wrong).astype(int)


def readable(runs: list["Run"], refused: list[str]) -> dict["Run", Answers]:
    """The answers of the runs whose predictions can be read; why the others cannot is refused."""
    answered = {}
    for run in runs:
        try:
            answered[run] = answers(run)
        except InputError as error:
            refused.append(str(error))
    return answered


def settings(run: "Run") -> tuple[str, str]:
    """What repeats of a run with another seed have in common: parameters, and what was read."""
    varying = ("seed", "run_dir", "rates")
    fixed = {key: one for key, one in run.parameters.items() if key not in varying}
    return str(sorted(fixed.items())), str(run.read)


def _comparable(
    test: str, answered: dict["Run", Answers], refused: list[str]
) -> Iterator[list["Run"]]:
    """The runs that have a test and are not at chance on it, those on the same rows together."""
    groups: list[list[Run]] = []
    for run in [run for run, answers in answered.items() if test in answers]:
        if test in _at_chance(run):
            refused.append(f"{run.name} is at chance on the clean texts of {test}: left out.")
            continue
        objections = [_objection(test, answered, group[0], run) for group in groups]
        home = next((g for g, why in zip(groups, objections, strict=True) if why is None), None)
        if home is None:
            groups.append([run])
        else:
            home.append(run)
        refused += [why for why in objections if why][:1]
    yield from groups


def _objection(
    test: str, answered: dict["Run", Answers], first: "Run", second: "Run"
) -> str | None:
    """A sentence on why a test of two runs cannot be compared; None where it can."""
    try:
        same_data(first, second)
        rows = answered[first][test], answered[second][test]
        measure.check_rows(*rows, (first.name, second.name))
    except InputError as error:
        return str(error)
    return None


def same_data(first: "Run", second: "Run") -> None:
    """InputError, with both named, where two runs that are to be compared read different data, or
    changed them by other parameters.
    """
    if first.read != second.read:
        read = "; ".join(_named(run.read) or "none named" for run in (first, second))
        raise InputError(
            f"{first.name} and {second.name} cannot be compared: they read different data "
            f"({read}). Run both again on the same files."
        )
    ours, theirs = (
        {key: value for key, value in run.parameters.items() if key not in OWN}
        for run in (first, second)
    )
    unlike = sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
    if unlike:
        how = ", ".join(f"{key} {ours.get(key)!r} and {theirs.get(key)!r}" for key in unlike)
        raise InputError(
            f"{first.name} and {second.name} cannot be compared: they were run with other "
            f"parameters ({how}). Run both again with the same."
        )


def _named(read: dict[str, str]) -> str:
    return ", ".join(f"{name} sha256 {digest[:12]}" for name, digest in read.items())


def _pair(first: pd.DataFrame, second: pd.DataFrame) -> tuple:
    """RESULT and `detectable` of two models' changes on the same rows."""
    one, other = first["change"].to_numpy(), second["change"].to_numpy()
    clusters = first.get("cluster")
    told = measure.change_difference(one, other, clusters)
    rows = measure.effective_rows(one - other, clusters)
    least = measure.detectable_change(rows, float((one != other).mean()))
    names = ("first", "second", "difference", "low", "high", "p")
    return (len(one), *(told[name] for name in names), least)


def _at_chance(run: "Run") -> set[str]:
    """The tests on whose clean texts a run's model is no better than chance."""
    flagged = (run.metrics["metric"] == "at_chance") & (run.metrics["value"] == 1)
    return set(run.metrics.loc[flagged, "title"])


def _meaning(runs: list["Run"]) -> set[str]:
    """The titles of tests whose perturbation changes the meaning, so that no answer is right."""
    metrics = pd.concat([run.metrics[["test", "title"]] for run in runs])
    kinds = {name: one.test_type for name, one in perturb.REGISTRY.items()}
    return set(metrics.loc[metrics["test"].map(kinds) == "meaning", "title"])
