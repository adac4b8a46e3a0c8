"""The study cell by cell, interrupted and failing, through the real entry points."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, edited, environment, run_all, runner
from nbclient import NotebookClient

from helpers import layout, tables
from study.report import words

pytestmark = pytest.mark.long
NOTEBOOKS = [path.stem for path in sorted(layout.NOTEBOOKS.glob("0*.ipynb"))]
SMALLER = {  # the others take seconds
    "07_perturbation_grid": {"test_rows": "100"},
    "08_code_mixing": {"rates": '"0.4"'},
    "09_code_mixing_defence": {"attacked_rows": "100", "test_rows": "60", "epochs": "1"},
}


def interactive(notebook: str, **changed: str) -> None:
    """Execute a notebook as JupyterLab does, with lines of its parameters cell edited by hand."""
    where = {"metadata": {"path": str(ROOT / "notebooks")}}
    source = edited(notebook, **changed)
    NotebookClient(source, timeout=None, kernel_name="python3", resources=where).execute()


def test_cell_by_cell_without_the_runner(tmp_path, monkeypatch):
    """As in JupyterLab: every notebook from top to bottom, nothing injected; 01 trains, the others
    find its checkpoint.
    """
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("TAHAN_RUNNER", raising=False)
    for notebook in NOTEBOOKS:
        interactive(notebook, model_name='"tfidf"', **SMALLER.get(notebook, {}))
        run = tmp_path / "interactive-embedded/tfidf" / notebook / "default"
        assert (run / "provenance.json").is_file(), notebook
        assert tables.read(run / "metrics.csv", tables.METRICS)["model"].eq("tfidf").all()
    interactive("99_report", profile='"interactive-embedded"')
    said = json.loads(
        (tmp_path / "interactive-embedded/report/findings.json").read_text(encoding="utf-8")
    )
    nothing = words.points("en", "findings", pairs=[], adding=[], models=["tfidf"])
    assert nothing["pairs"] in said["Findings"]  # one model has no other to be compared with
    assert any("tfidf" in one for one in said["Answer"])


def test_a_report_of_a_profile_without_runs_lists_what_is_missing(tmp_path):
    done = runner(tmp_path, "99_report", "embedded/report", "profile=embedded")
    assert done.returncode == 0, done.stderr
    executed = (tmp_path / "embedded/report/executed.ipynb").read_text(encoding="utf-8")
    assert executed.count("not run yet") >= 14
    said = json.loads((tmp_path / "embedded/report/findings.json").read_text(encoding="utf-8"))
    nothing = words.points("en", "findings", pairs=[], adding=[], models=[])
    assert said["Findings"] == list(nothing.values())


def start(outputs: Path, *words: str) -> subprocess.Popen:
    return subprocess.Popen(
        ["./run_all.sh", *words],
        cwd=ROOT,
        env=environment(outputs),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def wait_for(condition, process: subprocess.Popen, seconds: float = 180) -> None:
    end = time.time() + seconds
    while not condition():
        assert process.poll() is None, "the study ended before it could be interrupted"
        assert time.time() < end, "nothing to interrupt came up"
        time.sleep(0.1)


@pytest.mark.parametrize("how", [signal.SIGINT], ids=["SIGINT"])
def test_an_interrupted_study_goes_on_with_the_same_command(tmp_path, how):
    """Stopped while `mini` trains: the same command takes up its last finished epoch and finishes,
    without a lock in the way.
    """
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
