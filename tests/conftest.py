"""Shared fixtures: the real mirror, private output folders, and the real entry points as
subprocesses.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml
from hypothesis import settings

from helpers import tables
from tahanuji import checklist, data, grid, measure, minimal_pairs, nli, paths, registers, tagging
from tahanuji.codemix import defence, results

# Drawn texts are the same in every run, so that nobody's change fails by another's luck;
# HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

ROOT = paths.ROOT


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run the long tests too")


def pytest_collection_modifyitems(config, items):
    """The study begins first, because its file takes longest; without --all the tests marked `long`
    are left out.
    """
    items.sort(key=lambda item: item.path.stem != "test_study")
    if not config.getoption("--all"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is absent, and pytest's
    summary says so.
    """
    named = os.environ.get("TAHAN_DATA_MIRROR", "")
    if not named or not Path(named).is_dir():
        pytest.skip(
            "TAHAN_DATA_MIRROR names no folder with the real data sets: checks on SmSA and the "
            "thesis's files are left out"
        )
    return Path(named)


def environment(outputs: Path, **more: str) -> dict[str, str]:
    """The environment of an entry point whose runs go below `outputs`."""
    return {
        **os.environ,
        "TAHAN_OUTPUTS": str(outputs),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        **more,
    }


def runner(
    outputs: Path, notebook: str, folder: str, *pairs: str, **more: str
) -> subprocess.CompletedProcess:
    """`python -m helpers.runner` on a notebook, with output captured."""
    command = [
        sys.executable,
        "-m",
        "helpers.runner",
        f"notebooks/{notebook}.ipynb",
        str(outputs / folder),
        *pairs,
    ]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment(outputs, **more),
        capture_output=True,
        text=True,
        timeout=1200,
    )


def run_all(outputs: Path, *words: str) -> subprocess.CompletedProcess:
    """`./run_all.sh` with output captured."""
    return subprocess.run(
        ["./run_all.sh", *words],
        cwd=ROOT,
        env=environment(outputs),
        capture_output=True,
        text=True,
        timeout=3000,
    )


def edited(notebook: str, **changed: str) -> nbformat.NotebookNode:
    """A notebook's source with lines of its parameters cell edited by hand."""
    source = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4)
    cell = next(cell for cell in source.cells if "parameters" in cell.metadata.get("tags", []))
    for name, value in changed.items():
        line = rf"(?m)^({name}: \w+ = )[^#\n]*"
        assert re.search(line, cell["source"]), f"{notebook} has no parameter {name}"
        cell["source"] = re.sub(line, rf"\g<1>{value}  ", cell["source"])
    return source


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> Path:
    """An output folder in which the real runner fine-tuned `tfidf` on the embedded corpus."""
    outputs = tmp_path_factory.mktemp("trained")
    done = runner(outputs, "01_finetune", "embedded/tfidf/01_finetune/default", "model_name=tfidf")
    assert done.returncode == 0, done.stderr
    return outputs


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
    about = verdicts.drop_duplicates("test").set_index("test")
    weak = about["instrument"].dropna().to_dict()
    margins = sorted(verdicts["margin"].unique())
    rows = predictions
    if "capability" in predictions:
        rows = checklist.as_tests(predictions)[0]
    elif "hit" in predictions:
        rows = tagging.as_tests(tagging.outcomes(predictions))
    elif "kind" in predictions:
        rows = nli.as_tests(predictions)[0]
    rows = rows[rows["test"].isin(about.index)]  # a control is judged by nothing
    again = measure.verdicts(rows, about["type"].to_dict(), margins, weak)
    # a notebook may judge fewer quantities: of registers only the flips
    again = again[again["quantity"].isin(verdicts["quantity"])].reset_index(drop=True)
    kept = verdicts[again.columns].reset_index(drop=True).astype({"test": str})
    same = {"check_dtype": False, "rtol": 1e-4, "atol": 1e-6}
    pd.testing.assert_frame_equal(kept, again.astype({"instrument": float}), **same)


def recomputed(predictions: pd.DataFrame, metrics: pd.DataFrame, about: dict) -> None:
    """Assert that the metrics of a run are what its predictions give."""
    seed = int(metrics["seed"].iloc[0])
    own = {
        "08_code_mixing": results.metrics,
        "09_code_mixing_defence": defence.metrics,
        "12_checklist": checklist.rates,
    }
    labels = data.labels(about["parameters"]["dataset"])
    if about["notebook"] in own:
        again = own[about["notebook"]](predictions, seed)
    elif about["notebook"] == "10_indonlu":  # its scores are of more rows than it perturbs
        metrics = metrics[~metrics["test"].str.startswith("clean")]
        again = tagging.metrics(tagging.outcomes(predictions), seed)
    elif about["notebook"] in ("11_indonli", "16_registers"):
        own_rates = {"11_indonli": nli.metrics, "16_registers": registers.rates}
        again = own_rates[about["notebook"]](predictions)
    else:
        labels = minimal_pairs.SIDES if about["notebook"] == "13_minimal_pairs" else labels
        gridded = about["notebook"] in ("07_perturbation_grid", "13_minimal_pairs")
        again = (grid.metrics if gridded else tables.recompute)(predictions, labels, seed)
    merged = metrics.merge(
        again, on=[*measure.KEY, "metric"], suffixes=("", "_again"), how="outer", indicator=True
    )
    assert (merged["_merge"] == "both").all()
    slack = 1e-4 + (merged["metric"] == "ece") * binned_anew(predictions)
    for column in ("value", "ci_low", "ci_high", "n"):
        assert ((merged[column] - merged[f"{column}_again"]).abs().fillna(0) < slack).all(), column


def binned_anew(predictions: pd.DataFrame) -> float:
    """The most by which rounded probabilities can move a calibration error: a row whose confidence
    is rounded onto the border of two bins counts in one or the other.
    """
    tenths = 10 * predictions.filter(regex="^p_").max(axis=1)
    on_border = (tenths - tenths.round()).abs() < 1e-9
    tests = predictions.get("test", pd.Series("", predictions.index))
    return 2 * on_border.groupby(tests).mean().max()


def planned(tmp_path, profile: dict) -> str:
    """What Snakemake would run of a profile."""
    config = tmp_path / "own.yaml"
    config.write_text(yaml.safe_dump(profile), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--configfile",
        str(config),
        "--nolock",
        "--dry-run",
        "--printshellcmds",
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(tmp_path / "outputs"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
