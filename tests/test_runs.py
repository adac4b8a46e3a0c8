"""The study end to end, through the real entry points."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pandas as pd
import pytest
import yaml
from conftest import ROOT, environment, recomputes, runner
from nbclient import NotebookClient

from helpers import paths, tables

NOTEBOOKS = [path.stem for path in sorted(paths.NOTEBOOKS.glob("*.ipynb"))]
PROFILE = yaml.safe_load((ROOT / "config/embedded.yaml").read_text(encoding="utf-8"))
RUNS = [(model, notebook, variant) for model in PROFILE["models"] for notebook, variants in PROFILE["runs"].items() for variant in variants]
FIGURES = {
    "01_finetune": {"learning_curves"},
    "02_conventional_metrics": {"confusion", "reliability", "models"},
    "03_sentence_insertion": {"failure_by_gold"},
    "04_negation": {"failure_by_negations"},
    "05_typos": {"rates", "sentiment_word"},
    "06_formality": {"failure_by_level"},
}

pytestmark = pytest.mark.xdist_group("runs")  # one process: they share an output folder


def run_all(outputs: Path, *words: str) -> subprocess.CompletedProcess:
    return subprocess.run(["./run_all.sh", *words], cwd=ROOT, env=environment(outputs), capture_output=True, text=True, timeout=900)


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """An output folder in which `./run_all.sh` ran the embedded profile; what it printed is in printed.txt."""
    outputs = tmp_path_factory.mktemp("study")
    done = run_all(outputs)
    assert done.returncode == 0, done.stderr[-4000:]
    (outputs / "printed.txt").write_text(done.stdout, encoding="utf-8")
    return outputs


def folder(outputs: Path, model: str, notebook: str, variant: str) -> Path:
    return outputs / "embedded" / model / notebook / variant


def test_run_all_ends_with_notebooks_and_headline_table(study):
    printed = (study / "printed.txt").read_text(encoding="utf-8")
    assert f"({len(RUNS)} finished runs)" in printed
    for model, notebook, variant in RUNS:
        assert f"embedded/{model}/{notebook}/{variant}/executed.ipynb" in printed
    assert "| macro-F1" in printed
    assert "| fails, informal" in printed
    assert "NOT FINISHED" not in printed


@pytest.mark.parametrize(("model", "notebook", "variant"), RUNS)
def test_every_run_leaves_its_files(study, model, notebook, variant):
    run = folder(study, model, notebook, variant)
    metrics = tables.read(run / "metrics.csv", tables.METRICS)
    assert list(metrics.columns) == tables.METRICS
    assert set(metrics["model"]) == {model}
    assert metrics["value"].between(0, 1).all()
    known = metrics.dropna(subset=["ci_low"])
    assert (known["ci_low"] - 1e-9 <= known["value"]).mean() > 0.98  # a percentile bootstrap may miss its point in tiny classes
    executed = nbformat.read(run / "executed.ipynb", as_version=4)
    assert executed.cells[-1]["source"] == "run.finish()"
    assert executed.cells[-1]["execution_count"] is not None
    for name in FIGURES[notebook]:
        assert (run / "figures" / f"{name}.png").stat().st_size > 5000
        assert (run / "figures" / f"{name}.svg").is_file()


@pytest.mark.parametrize(("model", "notebook", "variant"), RUNS)
def test_provenance_says_what_made_the_run(study, model, notebook, variant):
    run = folder(study, model, notebook, variant)
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert about["parameters"]["model_name"] == model
    assert about["code_hash"]
    assert about["versions"]["torch"]
    assert about["command"].startswith(f"python -m helpers.runner notebooks/{notebook}.ipynb ")
    assert {"commit", "dirty", "data", "models", "device", "seconds", "peak_memory_mb", "python", "os"} <= set(about)
    assert all(len(part["sha256"]) == 64 and part["rows"] for part in about["data"])
    assert all(len(part["sha256"]) == 64 for part in about["models"])
    assert about["peak_memory_mb"] < 3000
    assert not (run / "facts.json").exists()


@pytest.mark.parametrize(("model", "notebook", "variant"), RUNS)
def test_metrics_come_from_the_predictions(study, model, notebook, variant):
    recomputes(folder(study, model, notebook, variant))


def test_the_same_command_again_runs_nothing(study):
    before = {path: path.stat().st_mtime_ns for path in study.rglob("provenance.json")}
    again = run_all(study)
    assert again.returncode == 0
    assert before == {path: path.stat().st_mtime_ns for path in study.rglob("provenance.json")}


def test_a_prose_edit_does_not_retrain_and_a_code_edit_does(study):
    """The Snakefile asks provenance.code_hash, which test_runner.py checks; here a dry run sees a changed hash."""
    quiet = run_all(study, "--dry-run")
    assert "finetune" not in quiet.stdout
    recorded = [json.loads(path.read_text())["code_hash"] for path in study.glob("embedded/*/01_finetune/*/provenance.json")]
    from helpers import provenance

    assert set(recorded) == {provenance.code_hash("01_finetune")}


def test_plain_papermill_uses_the_parameters_given(study, tmp_path):
    """`papermill notebooks/05_typos.ipynb out.ipynb -p model_name ... -p perturbation_rate 0.5` finds the checkpoint of the profile."""
    words = ["-p", "model_name", "tfidf", "-p", "perturbation_rate", "0.5", "-p", "rates", "0.5", "-p", "run_dir", str(tmp_path / "mine")]
    command = [sys.executable, "-m", "papermill", "notebooks/05_typos.ipynb", str(tmp_path / "out.ipynb"), *words]
    done = subprocess.run(command, cwd=ROOT, env=environment(study), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    about = json.loads((tmp_path / "mine/provenance.json").read_text(encoding="utf-8"))
    assert about["parameters"]["perturbation_rate"] == 0.5
    assert set(pd.read_csv(tmp_path / "mine/predictions.csv")["test"]) == {"typos 0.5"}


def test_plain_papermill_stops_on_a_bad_value_in_the_first_cells(study, tmp_path):
    words = ["-p", "model_name", "tfidf", "-p", "perturbation_rate", "2"]
    command = [sys.executable, "-m", "papermill", "notebooks/05_typos.ipynb", str(tmp_path / "out.ipynb"), *words]
    done = subprocess.run(command, cwd=ROOT, env=environment(study), capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
    assert "perturbation_rate lies between 0 and 1, and 2.0 does not" in done.stderr
    cells = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells
    stopped = [cell["id"] for cell in cells if cell["cell_type"] == "code" and any(part["output_type"] == "error" for part in cell["outputs"])]
    assert "start" in stopped
    assert not any(cell.get("execution_count") for cell in cells if cell["id"] == "run")


def test_a_faster_precision_says_what_it_costs(study):
    done = runner(study, "02_conventional_metrics", "fast/mini/02_conventional_metrics/default", "precision=int8")
    assert done.returncode == 0, done.stderr
    executed = (study / "fast/mini/02_conventional_metrics/default/executed.ipynb").read_text(encoding="utf-8")
    assert re.search(r"int8 changes \d+\.\d% of 300 labels against fp32", executed)


def test_cell_by_cell_with_default_parameters(tmp_path, monkeypatch):
    """As in JupyterLab: every notebook from top to bottom, nothing injected; 01 trains, the others find its checkpoint."""
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TAHAN_RUNNER", raising=False)
    for notebook in NOTEBOOKS:
        source = nbformat.read(paths.NOTEBOOKS / f"{notebook}.ipynb", as_version=4)
        NotebookClient(source, timeout=None, kernel_name="python3", resources={"metadata": {"path": str(ROOT / "notebooks")}}).execute()
        run = tmp_path / "interactive/mini" / notebook / "default"
        assert (run / "provenance.json").is_file(), notebook
        assert tables.read(run / "metrics.csv", tables.METRICS)["model"].eq("mini").all()


def start(outputs: Path, *words: str) -> subprocess.Popen:
    return subprocess.Popen(
        ["./run_all.sh", *words], cwd=ROOT, env=environment(outputs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )


def wait_for(condition, process: subprocess.Popen, seconds: float = 180) -> None:
    end = time.time() + seconds
    while not condition():
        assert process.poll() is None, "the study ended before it could be interrupted"
        assert time.time() < end, "nothing to interrupt came up"
        time.sleep(0.1)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=["SIGINT", "kill -9"])
def test_an_interrupted_study_goes_on_with_the_same_command(tmp_path, how):
    """Stopped while `mini` trains: the same command takes up its last finished epoch and finishes, without a lock in the way."""
    run = tmp_path / "embedded/mini/01_finetune/default"
    target = f"{tmp_path}/embedded/mini/01_finetune/default/provenance.json"
    process = start(tmp_path, "embedded", "--cores", "2", target)
    wait_for(lambda: list(run.glob("checkpoint/steps/checkpoint-*/trainer_state.json")), process)
    os.killpg(process.pid, how)
    process.wait(60)
    assert not (run / "provenance.json").exists()
    assert not (run / "checkpoint/done.json").exists()
    done = run_all(tmp_path, "embedded", "--cores", "2", target)
    assert done.returncode == 0, done.stderr[-3000:]
    assert (run / "provenance.json").is_file()
    printed = (run / "executed.ipynb").read_text(encoding="utf-8")
    assert "Going on after" in printed
    history = pd.read_csv(run / "history.csv")
    assert list(history["epoch"]) == list(range(1, len(history) + 1))


def test_a_failed_run_keeps_its_notebook_and_the_others_go_on(tmp_path):
    """A profile with one impossible run: the rest finishes, the summary names the one that did not, the exit status tells."""
    profile = {
        **PROFILE,
        "profile": "embedded",
        "models": ["tfidf"],
        "runs": {"01_finetune": {"default": {}}, "06_formality": {"default": {}, "bad": {"triplets": "formality.csv"}}},
    }
    config = tmp_path / "broken.yaml"
    config.write_text(yaml.safe_dump(profile), encoding="utf-8")
    done = run_all(tmp_path, "embedded", "--configfile", str(config))
    assert done.returncode != 0
    bad = tmp_path / "embedded/tfidf/06_formality/bad"
    assert (bad / "executed.ipynb").is_file()
    assert not (bad / "provenance.json").exists()
    assert (tmp_path / "embedded/tfidf/06_formality/default/provenance.json").is_file()
    assert "NOT FINISHED" in done.stdout
    assert "unknown formality set 'formality.csv'" in done.stdout
