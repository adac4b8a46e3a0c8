"""A run's numbers made anew from its predictions."""

import json
from pathlib import Path

import pandas as pd

from helpers import tables
from study import judge
from tahanuji import checklist, data, grid, measure, minimal_pairs, nli, registers, tagging
from tahanuji.codemix import defence, results
from tahanuji.harden import trials
from tahanuji.proof import results as certificates


def recomputes(run: Path) -> None:
    """Assert that a run's metrics.csv and verdicts.csv are what its predictions.csv gives."""
    predictions = pd.read_csv(run / "predictions.csv")
    recomputed(
        predictions,
        tables.read(run / "metrics.csv", tables.METRICS),
        json.loads((run / "provenance.json").read_text(encoding="utf-8")),
    )
    if (run / "verdicts.csv").is_file():
        judged_again(predictions, tables.read(run / "verdicts.csv", tables.VERDICTS))


def judged_again(predictions: pd.DataFrame, verdicts: pd.DataFrame) -> None:
    """Assert that the verdicts of a run are what its predictions give at the same margins."""
    assert list(verdicts) == tables.VERDICTS and len(verdicts)
    again = judge.again(predictions, verdicts)
    kept = verdicts[again.columns].reset_index(drop=True).astype({"test": str})
    same = {"check_dtype": False, "rtol": 1e-4, "atol": 1e-6}
    pd.testing.assert_frame_equal(kept, again.astype({"instrument": float}), **same)


def recomputed(
    predictions: pd.DataFrame, metrics: pd.DataFrame, about: dict, how: str = "outer"
) -> None:
    """Assert that the metrics of a run are what its predictions give."""
    seed = int(metrics["seed"].iloc[0])
    own = {
        "08_code_mixing": results.metrics,
        "09_code_mixing_defence": defence.metrics,
        "12_checklist": checklist.rates,
        "17_hardening": lambda predictions, _: trials.compared(predictions),
        "18_classifier": lambda predictions, _: trials.compared(predictions),
    }
    labels = data.labels(about["parameters"]["dataset"])
    if about["notebook"] in own:
        again = own[about["notebook"]](predictions, seed)
    elif about["notebook"] == "10_indonlu":  # its scores are of more rows than it perturbs
        metrics = metrics[~metrics["test"].str.startswith("clean")]
        again = tagging.metrics(predictions, seed)
    elif about["notebook"] in ("11_indonli", "16_registers", "19_certificates"):
        own_rates = {"11_indonli": nli.metrics, "16_registers": registers.rates}
        own_rates["19_certificates"] = certificates.metrics
        again = own_rates[about["notebook"]](predictions)
    else:
        labels = minimal_pairs.SIDES if about["notebook"] == "13_minimal_pairs" else labels
        gridded = about["notebook"] in ("07_perturbation_grid", "13_minimal_pairs")
        again = (grid.metrics if gridded else evaluated)(predictions, labels, seed)
    merged = metrics.merge(
        again, on=[*measure.KEY, "metric"], suffixes=("", "_again"), how=how, indicator=True
    )
    assert (merged["_merge"] == "both").all()
    slack = 1e-4 + (merged["metric"] == "ece") * binned_anew(predictions)
    slack += 0.01 * merged["metric"].str.endswith("_p")  # ranks of rounded probabilities may tie
    kept = {"n": 1e-6 * merged["n"]}  # pairs of edits are millions a text, kept to six digits
    for column in ("value", "ci_low", "ci_high", "n"):
        apart = (merged[column] - merged[f"{column}_again"]).abs().fillna(0)
        assert (apart < slack + kept.get(column, 0)).all(), column


def evaluated(predictions: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """The metrics of a behavioural test, or of a plain evaluation."""
    if "perturbed_label" in predictions:
        return measure.behaviour(predictions)
    return measure.classification(predictions, labels, seed)


def binned_anew(predictions: pd.DataFrame) -> float:
    """The most by which rounded probabilities can move a calibration error: a row whose confidence
    is rounded onto the border of two bins counts in one or the other.
    """
    tenths = 10 * predictions.filter(regex="^p_").max(axis=1)
    on_border = (tenths - tenths.round()).abs() < 1e-9
    tests = predictions.get("test", pd.Series("", predictions.index))
    return 2 * on_border.groupby(tests).mean().max()
