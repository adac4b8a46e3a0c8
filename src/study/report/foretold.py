"""Does the CheckList foretell anything: failures on its negation capabilities and on negated texts
of the data set, over models and training seeds.
"""

import math

import numpy as np
import pandas as pd
from scipy import stats

from tahanuji import checklist
from tahanuji.results import Results, select

PREDICTORS = {
    "suite": "the suite's negation capabilities",
    "elsewhere": "its other capabilities",
    "other": "the data set's rows without *tidak*",
}
LEAST = 4  # trainings; of fewer a rank correlation has no interval
COLUMNS = ["predictor", "trainings", "models", "rho", "low", "high", "p"]


def trainings(results: Results) -> pd.DataFrame:
    """A row per model and training that has run notebooks 02, 04 and 12 on the main data set:
    `model, seed`, and shares of failures: `suite`, the mean over the MFT capabilities of negation,
    `elsewhere`, over all others; `negated` and `other`, on the test split's rows with *tidak* and
    without it. What repeats without a change counts once.
    """
    metrics = results.metrics
    metrics = metrics[metrics["dataset"].isin(results.datasets) & (metrics["group"] == "all")]
    rows = metrics[metrics["variant"].str.fullmatch(r"default|seed_\w+")]
    groups = checklist.groups("MFT")
    negation = {name for name, group in groups.items() if group == "negation"}
    failed = select(rows, notebook="12_checklist", metric="failure_rate")
    parts = {
        "suite": failed[failed["test"].isin(negation)],
        "elsewhere": failed[failed["test"].isin(set(groups) - negation)],
        "negated": select(rows, notebook="04_negation", metric="clean_error_rate"),
        "all": select(rows, notebook="02_conventional_metrics", metric="accuracy"),
    }
    keys = ["model", "seed"]
    table = pd.DataFrame({name: part.groupby(keys)["value"].mean() for name, part in parts.items()})
    sizes = {name: parts[name].groupby(keys)["n"].first() for name in ("negated", "all")}
    wrong = (1 - table.pop("all")) * sizes["all"] - table["negated"] * sizes["negated"]
    table["other"] = wrong / (sizes["all"] - sizes["negated"])
    table = table.dropna().reset_index()
    return table.drop_duplicates(["model", "suite", "negated"], ignore_index=True)


def correlations(table: pd.DataFrame) -> pd.DataFrame:
    """Spearman's rank correlation of each of PREDICTORS with the failures on negated texts, over
    trainings: COLUMNS, with a 95% interval (Bonett and Wright, 2000, *Sample size requirements for
    estimating Pearson, Kendall and Spearman correlations*) and the p of a permutation test. No rows
    where fewer than LEAST trainings differ.
    """
    rows = []
    for name, predictor in PREDICTORS.items():
        if len(table) < LEAST or min(table[name].nunique(), table["negated"].nunique()) < 2:
            continue
        rho, low, high, p = ranked(table[name].to_numpy(), table["negated"].to_numpy())
        rows.append((predictor, len(table), table["model"].nunique(), rho, low, high, p))
    return pd.DataFrame(rows, columns=COLUMNS)


def ranked(first: np.ndarray, second: np.ndarray) -> tuple[float, float, float, float]:
    """Spearman's rank correlation of two rows of numbers, its interval, and a permutation's p."""
    rho = float(stats.spearmanr(first, second).statistic)
    width = 1.96 * math.sqrt((1 + rho**2 / 2) / (len(first) - 3))
    middle = math.atanh(min(max(rho, -0.9999), 0.9999))
    ranks, others = stats.rankdata(first), stats.rankdata(second)
    test = stats.permutation_test(
        (ranks,),
        lambda orders, axis: (orders * (others - others.mean())).sum(axis=axis),
        permutation_type="pairings",
        n_resamples=5_040,
        vectorized=True,
        rng=np.random.default_rng(1),
    )
    return rho, math.tanh(middle - width), math.tanh(middle + width), float(test.pvalue)
