"""Whether the CheckList foretells failures on a data set's own negated texts."""

from functools import cached_property

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from study.report import foretold

NEGATED, ALL = 188, 500


class Found:
    """A collection of runs with these failure rates by training, on one data set."""

    datasets = frozenset({"smsa"})

    def __init__(self, trainings: list[tuple]):
        self.trainings = trainings

    @cached_property
    def metrics(self) -> pd.DataFrame:
        rows = []
        for model, seed, suite, elsewhere, negated, wrong in self.trainings:
            about = (model, "default" if seed == 1 else f"seed_{seed}", "smsa", "all", seed)
            rows += [
                (*about, "12_checklist", "distant_negation", "failure_rate", suite - 0.1, 100),
                (*about, "12_checklist", "negation_bukan", "failure_rate", suite + 0.1, 300),
                (*about, "12_checklist", "negation_variants", "failure_rate", 0.9, 100),  # INV
                (*about, "12_checklist", "idioms", "failure_rate", elsewhere, 100),
                (*about, "04_negation", "nggak", "clean_error_rate", negated, NEGATED),
                (*about, "04_negation", "gak", "clean_error_rate", negated, NEGATED),
                (*about, "02_conventional_metrics", "clean", "accuracy", 1 - wrong / ALL, ALL),
            ]
        columns = ["model", "variant", "dataset", "group", "seed", "notebook", "test", "metric"]
        return pd.DataFrame(rows, columns=[*columns, "value", "n"])


def test_a_training_has_its_failures_on_the_suite_and_on_texts_with_and_without_tidak():
    found = Found([("mini", 1, 0.4, 0.3, 47 / NEGATED, 125), ("mini", 2, 0.5, 0.2, 0.5, 250)])
    table = foretold.trainings(found)
    assert table["suite"].tolist() == pytest.approx([0.4, 0.5])
    assert table["elsewhere"].tolist() == pytest.approx([0.3, 0.2])
    assert table["other"].tolist() == pytest.approx([(125 - 47) / (ALL - NEGATED), 0.5])


def test_a_training_that_repeats_itself_counts_once_and_one_that_lacks_a_notebook_does_not():
    rows = [("tfidf", seed, 0.4, 0.3, 0.25, 125) for seed in (1, 2, 3)]
    found = Found([*rows, ("mini", 1, 0.5, 0.3, 0.25, 125)])
    metrics = found.metrics
    lacking = (metrics["model"] == "mini") & (metrics["notebook"] == "04_negation")
    found.metrics = metrics[~lacking]
    assert foretold.trainings(found)[["model", "seed"]].to_numpy().tolist() == [["tfidf", 1]]


def test_a_suite_that_orders_trainings_as_the_texts_do_correlates_and_another_does_not():
    orders = [(0.1, 0.4), (0.2, 0.1), (0.3, 0.3), (0.4, 0.2), (0.5, 0.5), (0.6, 0.15), (0.7, 0.35)]
    rows = [("mini", n, a, b, a / 2, 250 * a) for n, (a, b) in enumerate(orders, 1)]
    table = foretold.correlations(foretold.trainings(Found(rows))).set_index("predictor")
    suite, elsewhere = (
        table.loc[foretold.PREDICTORS["suite"]],
        table.loc[foretold.PREDICTORS["elsewhere"]],
    )
    assert suite["rho"] == pytest.approx(1) and suite["p"] == pytest.approx(2 / 5040)
    assert elsewhere["low"] < 0 < elsewhere["high"] and elsewhere["p"] > 0.3
    first, second = np.array(orders).T
    assert elsewhere["rho"] == pytest.approx(stats.spearmanr(first, second).statistic)
    assert set(table["trainings"]) == {7} and set(table["models"]) == {1}


def test_few_trainings_have_no_correlation():
    rows = [("mini", n, n / 10, 0.3, n / 20, 20 * n) for n in (1, 2, 3)]
    assert foretold.correlations(foretold.trainings(Found(rows))).empty
    assert foretold.correlations(foretold.trainings(Found([]))).empty
