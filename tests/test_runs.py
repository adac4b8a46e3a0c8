"""The study end to end, through the real entry points."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pages
import pandas as pd
import pytest
import yaml
from conftest import ROOT, environment, run_all, runner
from recompute import recomputes

from helpers import layout, notebooks, tables
from study import profiles, redraw
from study.report import runs

pytestmark = pytest.mark.long
NOTEBOOKS = [path.stem for path in sorted(layout.NOTEBOOKS.glob("*.ipynb"))]
PROFILE = yaml.safe_load((ROOT / "config/embedded.yaml").read_text(encoding="utf-8"))
RUNS = profiles.planned(PROFILE)
HASHES = re.compile(r"[0-9a-f]{64}|[0-9a-f]{16}(\+[0-9a-f]{16})*")  # of one file, or of several


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Path:
    """An output folder in which `./run_all.sh` ran the embedded profile, or found it finished where
    this machine has run it before; what it printed is in printed.txt.
    """
    outputs = tmp_path_factory.mktemp("study")
    if (layout.outputs() / "embedded").is_dir():
        shutil.copytree(layout.outputs() / "embedded", outputs / "embedded")
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
    assert metrics["value"].dropna().between(-1, 1).all()  # changes are below 0 too
    undefined = metrics[metrics["value"].isna() & (metrics["n"] > 0)]
    assert set(undefined["metric"]) <= {"at_chance", "kappa_changed"}  # texts of one label
    bounded = metrics.dropna(subset=["ci_low"])
    below = bounded["ci_low"] - 1e-9 <= bounded["value"]
    assert below.mean() > 0.98  # a percentile bootstrap may miss its point in tiny classes
    executed = nbformat.read(run / "executed.ipynb", as_version=4)
    assert executed.cells[-1]["source"] == "run.finish()"
    assert executed.cells[-1]["execution_count"] is not None
    pictures = list(run.glob("figures/*.png"))
    always = sum(len(re.findall(r"(?m)^figures\.save\(", cell.source)) for cell in executed.cells)
    assert len(pictures) >= max(1, always)  # saved neither in a loop nor under a condition
    assert all(path.stat().st_size > 5000 for path in pictures)


@pytest.mark.parametrize(("model", "notebook", "variant"), RUNS)
def test_provenance_says_what_made_the_run(study, model, notebook, variant):
    run = folder(study, model, notebook, variant)
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert about["parameters"]["model_name"] == model
    assert about["read"]
    assert about["versions"]["torch"]
    assert about["command"].startswith(f"python -m study notebook notebooks/{notebook}.ipynb ")
    assert {
        "commit",
        "dirty",
        "data",
        "device",
        "seconds",
        "peak_memory_mb",
        "python",
        "os",
    } <= set(about)
    assert all(HASHES.fullmatch(part["sha256"]) and part["rows"] for part in about["data"])
    loads = notebooks.every()[notebook].needs != "nothing"
    assert not loads or about["models"]
    assert all(len(part["sha256"]) == 64 for part in about.get("models", []))
    assert about["peak_memory_mb"] < 3000
    assert not (run / "facts.json").exists()


@pytest.mark.parametrize(("model", "notebook", "variant"), RUNS)
def test_metrics_come_from_the_predictions(study, model, notebook, variant):
    recomputes(folder(study, model, notebook, variant))


def test_the_report_reads_what_the_runs_left(study):
    folder = study / "embedded/report"
    about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    assert set(about["runs"]) == {
        f"{model}/{notebook}/{variant}" for model, notebook, variant in RUNS
    }
    said = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    assert any(all(model in one for model in PROFILE["models"]) for one in said["Answer"])
    between = pd.read_csv(folder / "model_comparisons.csv")
    assert {"negative", "positive", "nggak", "gak", "typos 0.3", "informal", "clean"} <= set(
        between["test"]
    )
    assert (folder / "tables/thesis_table_4_2.tex").read_text(encoding="utf-8").count(
        "toprule"
    ) == 1
    assert "report/index.html" in (study / "printed.txt").read_text(encoding="utf-8")
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert "mini" in page and "<h1" in page
    audited = json.loads((study / "embedded/documents/findings.json").read_text(encoding="utf-8"))
    executed = (folder / "executed.ipynb").read_text(encoding="utf-8")
    asked = [json.dumps(row[0], ensure_ascii=False)[1:-1] for row in audited["Printed figures"]]
    assert asked and all(question in executed for question in asked)


@pytest.mark.skipif(not pages.CHROMIUM, reason="no Chromium on PATH")
@pytest.mark.parametrize("screen", [pages.DESK, pages.PHONE], ids=["desk", "phone"])
def test_a_new_readers_questions_are_answered_on_the_first_two_screens(study, screen):
    assert pages.late(study / "embedded/report/index.html", screen) == []
    asked = pages.ANYWHERE | {"Show me a failure.": pages.ANSWERED["Show me a failure."]}
    assert pages.late(study / "embedded/report/index.id.html", screen, asked) == []


def test_plain_papermill_uses_the_parameters_given(study, tmp_path):
    """`papermill notebooks/05_typos.ipynb out.ipynb -p model_name ... -p perturbation_rate 0.5`
    finds the checkpoint of the profile.
    """
    words = [
        "-p",
        "model_name",
        "tfidf",
        "-p",
        "perturbation_rate",
        "0.5",
        "-p",
        "rates",
        "0.5",
        "-p",
        "run_dir",
        str(tmp_path / "mine"),
    ]
    command = [
        sys.executable,
        "-m",
        "papermill",
        "notebooks/05_typos.ipynb",
        str(tmp_path / "out.ipynb"),
        *words,
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(study), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    about = json.loads((tmp_path / "mine/provenance.json").read_text(encoding="utf-8"))
    assert about["parameters"]["perturbation_rate"] == 0.5
    rows = pd.read_csv(tmp_path / "mine/predictions.csv")
    assert set(zip(rows["test"], rows["rate"], strict=True)) == {("typos", 0.5)}


def test_plain_papermill_stops_on_a_bad_value_in_the_first_cells(study, tmp_path):
    words = ["-p", "model_name", "tfidf", "-p", "perturbation_rate", "2"]
    command = [
        sys.executable,
        "-m",
        "papermill",
        "notebooks/05_typos.ipynb",
        str(tmp_path / "out.ipynb"),
        *words,
    ]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(study), capture_output=True, text=True, timeout=300
    )
    assert done.returncode != 0
    assert "perturbation_rate lies between 0 and 1, and 2.0 does not" in done.stderr
    cells = nbformat.read(tmp_path / "out.ipynb", as_version=4).cells
    stopped = [
        cell["id"]
        for cell in cells
        if cell["cell_type"] == "code"
        and any(part["output_type"] == "error" for part in cell["outputs"])
    ]
    assert "start" in stopped
    assert not any(cell.get("execution_count") for cell in cells if cell["id"] == "run")


def test_a_faster_precision_says_what_it_costs(study):
    done = runner(
        study,
        "02_conventional_metrics",
        "fast/mini/02_conventional_metrics/default",
        "precision=int8",
    )
    assert done.returncode == 0, done.stderr
    executed = (study / "fast/mini/02_conventional_metrics/default/executed.ipynb").read_text(
        encoding="utf-8"
    )
    assert re.search(r"int8 changes \d+\.\d% of 300 labels against fp32", executed)


def test_a_figure_that_is_added_is_drawn_without_the_models(study, tmp_path, monkeypatch):
    """`study.redraw` executes what stands below Results of the notebook as it is now."""
    run = tmp_path / "run"
    shutil.copytree(folder(study, "tfidf", "02_conventional_metrics", "default"), run)
    shutil.copytree(layout.NOTEBOOKS, tmp_path / "notebooks")
    path = tmp_path / "notebooks" / "02_conventional_metrics.ipynb"
    notebook = nbformat.read(path, 4)
    added = nbformat.v4.new_code_cell(
        'table = tables.select(tables.load(run, "metrics"), metric="recall")\n'
        'table = table.assign(x=table["group"], series="recall")\n'
        'figures.save(run, figures.bars(table, "Recall"), "added")',
        id="added",
    )
    notebook.cells.insert(-1, added)
    nbformat.write(notebook, path)
    monkeypatch.setattr(layout, "NOTEBOOKS", tmp_path / "notebooks")
    before = nbformat.read(run / "executed.ipynb", 4).cells
    (run / "figures" / "confusion.png").unlink()
    assert "added.png" in redraw.redraw(run)
    assert (run / "figures" / "confusion.png").is_file()
    after = nbformat.read(run / "executed.ipynb", 4).cells
    assert before[1].outputs == after[1].outputs and len(after[1].outputs) == 2  # the finding
    assert [cell["id"] for cell in after] == [
        *(cell["id"] for cell in before[:-1]),
        "added",
        before[-1]["id"],
    ]


@pytest.mark.parametrize("kind", ["places", "names"])
def test_prejudice_is_named_for_what_it_exchanges(kind):
    about = {"notebook": "07_perturbation_grid", "parameters": {"prejudice_kind": kind}}
    frame = pd.DataFrame({"test": ["prejudice", "twitter"], "rate": float("nan"), "group": "all"})
    assert runs.titled(frame, about)["title"].tolist() == [f"prejudice ({kind})", "twitter"]
