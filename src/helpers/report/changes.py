"""Robustness as change from clean: two models on the same rows, and one model over its trainings.

A change is what a test did to a row's answer: 1 where it induced an error, -1 where it repaired
one; of a DIR test 1 where it went the wrong way, of an MFT case and a plain evaluation 1 where it
failed. Error under perturbation would restate the clean gap of two models once per test.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from helpers.report import compare, runs
from tahanuji import measure, perturb
from tahanuji.errors import InputError

PAIR = ["notebook", "variant", "test", "first", "second"]
RESULT = ["n", "first_change", "second_change", "difference", "ci_low", "ci_high", "p"]
SPREAD = ["notebook", "dataset", "model", "test", "mean", "sd", "low", "high", "seeds", "rows"]


def at_chance(run: runs.Finished) -> set[str]:
    """The tests on whose clean texts a run's model is no better than chance."""
    metrics = run.metrics
    flagged = (metrics["metric"] == "at_chance") & (metrics["value"] == 1)
    return set(metrics.loc[flagged, "title"])


def meaning(several: list[runs.Finished]) -> set[str]:
    """The titles of tests whose perturbation changes the meaning, so that no answer is right."""
    metrics = pd.concat([run.metrics[["test", "title"]] for run in several])
    kinds = {name: one.test_type for name, one in perturb.REGISTRY.items()}
    return set(metrics.loc[metrics["test"].map(kinds) == "meaning", "title"])


def models(found: runs.Collection) -> tuple[pd.DataFrame, list[str]]:
    """Every two models' changes from clean on the same rows of every test, and the sentences of
    comparisons that were refused.

    Columns PAIR, RESULT (`measure.change_difference`, paired, first minus second), `detectable`,
    the least difference that the exact McNemar test finds on these rows with 80% power, and
    `p_holm`, Holm's over the whole table. A model at chance on a test is left out of it, and said;
    so are perturbations that change the meaning.
    """
    rows, refused = [], []
    for notebook, variant, several in compare.tests(found):
        outcomes = readable(several, refused)
        every = dict.fromkeys(test for parts in outcomes.values() for test in parts)
        changed = meaning(several)
        for test in [test for test in every if test not in changed]:
            for run in [run for run in outcomes if test in at_chance(run)]:
                refused.append(f"{run.name} is at chance on the clean texts of {test}: left out.")
            told = {run: parts for run, parts in outcomes.items() if test not in at_chance(run)}
            for group in compare.alike(test, told, refused):
                for first, second in combinations(group, 2):
                    named = (notebook, variant, test, first.model, second.model)
                    rows.append((*named, *result(told[first][test], told[second][test])))
    table = pd.DataFrame(rows, columns=[*PAIR, *RESULT, "detectable"])
    return table.assign(p_holm=measure.holm(table["p"])), list(dict.fromkeys(refused))


def readable(several: list[runs.Finished], refused: list[str]) -> dict:
    """The outcomes of runs by test (`compare.verdicts`); what cannot be read is refused."""
    outcomes = {}
    for run in several:
        try:
            outcomes[run] = compare.verdicts(run)
        except InputError as error:
            refused.append(str(error))
    return outcomes


def result(first: pd.DataFrame, second: pd.DataFrame) -> tuple:
    """What two models' changes on the same rows amount to."""
    one, other = first["change"].to_numpy(), second["change"].to_numpy()
    clusters = first.get("cluster")
    told = measure.change_difference(one, other, clusters)
    rows = measure.effective_rows(one - other, clusters)
    least = measure.detectable_change(rows, float((one != other).mean()))
    names = ("first", "second", "difference", "low", "high", "p")
    return (len(one), *(told[name] for name in names), least)


def over_seeds(found: runs.Collection) -> pd.DataFrame:
    """The mean change of every test over trainings that differ in their seed alone, with an
    interval over seeds and rows (`measure.over_seeds_and_rows`): columns SPREAD.
    """
    rows = []
    for (notebook, dataset, model), several in compare.repeats(found):
        outcomes = readable(list(several.values()), [])
        for test in dict.fromkeys(test for parts in outcomes.values() for test in parts):
            parts = [parts[test].set_index("id") for parts in outcomes.values() if test in parts]
            if len(parts) > 1 and all(set(part.index) == set(parts[0].index) for part in parts):
                changes = np.array([part.loc[parts[0].index, "change"] for part in parts])
                spread = measure.over_seeds_and_rows(changes, parts[0].get("cluster"))
                rows.append((notebook, dataset, model, test, *spread, changes.shape[1]))
    return pd.DataFrame(rows, columns=SPREAD)
