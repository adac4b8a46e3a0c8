"""A small study from the main command to the last table: killed, resumed, current, and stale where
something that it read has changed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import folders
import nbformat
import pandas as pd
import pytest
import yaml
from conftest import ROOT, environment, run_all
from recompute import recomputes

from helpers import layout, notebooks, tables
from study import profiles, publish, reads
from tahanuji import paths

ROWS = {"train": 60, "valid": 30, "test": 60}
SETTINGS = {"epochs": 12, "learning_rate": 0.001, "batch_size": 8, "max_length": 40}
RUNS = {
    "01_finetune": {"default": SETTINGS},
    "02_conventional_metrics": {"default": {}},
    "05_typos": {"default": {"rates": "0.1, 0.3"}},
    "06_formality": {"bad": {"triplets": "formality.csv"}},
    "07_perturbation_grid": {"default": {"perturbations": "keyboard, insert_adverb"}},
}
TRAIN = notebooks.fine_tuning()


def rows(folder: Path) -> Path:
    """A data set of a few rows of the embedded corpus."""
    folder.mkdir()
    for split, count in ROWS.items():
        whole = pd.read_csv(paths.DATA / "embedded" / f"{split}.tsv", sep="\t")
        whole.head(count).to_csv(folder / f"{split}.csv", index=False)
    return folder


class Study:
    """The folder of a study, its configuration and its plan."""

    def __init__(self, folder: Path):
        self.outputs = folder / "outputs"
        self.network = str(folders.base(folder / "network", "bert"))
        self.profile = {
            "profile": "embedded",
            "dataset": str(rows(folder / "rows")),
            "models": ["tfidf", self.network],
            "runs": RUNS,  # one of them cannot succeed
            "only": {self.network: ["01_*", "02_*"]},
        }
        self.config = folder / "small.yaml"
        self.config.write_text(yaml.safe_dump(self.profile), encoding="utf-8")
        self.words = ["embedded", "--configfile", str(self.config), "--cores", "1"]
        self.runs = {
            (paths.slug(model), *run): self.outputs / "embedded" / paths.slug(model) / "/".join(run)
            for model, *run in profiles.planned(self.profile)
            if run[1] != "bad"
        }

    def trained(self) -> Path:
        return self.runs[paths.slug(self.network), TRAIN, "default"]

    def killed(self) -> None:
        """Start the study, and kill all of it while the network is trained."""
        process = subprocess.Popen(
            ["./run_all.sh", *self.words],
            cwd=ROOT,
            env=environment(self.outputs),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        while not list(self.trained().glob("checkpoint/steps/checkpoint-*/trainer_state.json")):
            assert process.poll() is None, "the study ended before it could be killed"
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def about(self, *run: str) -> dict:
        return json.loads((self.runs[run] / "provenance.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def study(tmp_path_factory) -> Study:
    """A study that was killed and then finished by the same command, but for its impossible run."""
    made = Study(tmp_path_factory.mktemp("study"))
    made.killed()
    made.unfinished = not (made.trained() / "provenance.json").exists()
    made.done = run_all(made.outputs, *made.words)
    assert all((folder / "provenance.json").is_file() for folder in made.runs.values()), (
        made.done.stderr[-4000:]
    )
    return made


def test_a_killed_study_goes_on_with_the_same_command(study):
    """Its training takes up the last finished epoch; test_training compares the weights."""
    assert study.unfinished
    assert "Going on after" in (study.trained() / "executed.ipynb").read_text(encoding="utf-8")
    history = pd.read_csv(study.trained() / "history.csv")
    assert list(history["epoch"]) == list(range(1, SETTINGS["epochs"] + 1))


def test_every_run_leaves_its_files_and_says_what_made_it(study):
    for (_, notebook, _), folder in study.runs.items():
        metrics = tables.read(folder / "metrics.csv", tables.METRICS)
        assert set(metrics["notebook"]) == {notebook}
        assert metrics["value"].between(-1, 1).all()
        executed = nbformat.read(folder / "executed.ipynb", as_version=4)
        assert executed.cells[-1]["execution_count"] is not None
        assert list((folder / "figures").glob("*.png"))
        about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
        assert {"commit", "data", "models", "device", "seconds", "read"} <= set(about)
        assert not (folder / "facts.json").exists()
        columns = set(pd.read_csv(folder / "misclassified.csv", nrows=1))
        published = all(part["publish_texts"] for part in about["data"])
        assert published or not set(tables.TEXTS) & columns


def test_the_metrics_come_from_the_predictions(study):
    for folder in study.runs.values():
        recomputes(folder)


def test_the_study_ends_with_its_notebooks_numbers_and_report(study):
    printed = study.done.stdout
    assert f"({len(study.runs)} finished runs)" in printed
    assert "| macro-F1" in printed
    said = json.loads((study.outputs / "embedded/report/findings.json").read_text("utf-8"))
    assert said


def test_a_failed_run_keeps_its_notebook_and_the_others_go_on(study):
    assert study.done.returncode != 0
    folder = study.outputs / "embedded/tfidf/06_formality/bad"
    assert (folder / "executed.ipynb").is_file()
    assert not (folder / "provenance.json").exists()
    assert "NOT FINISHED" in study.done.stdout
    assert "there is no file or folder 'formality.csv'" in study.done.stdout


def test_what_is_finished_is_not_run_again(study):
    """Of all runs only the failed one is planned again, and the report over it."""
    dry = run_all(study.outputs, *study.words, "--dry-run", "--quiet", "reason")
    jobs = re.findall(r"^(\w+) +(\d+)$", dry.stdout, flags=re.MULTILINE)
    assert dict(jobs) == {"test": "1", "report": "1", "all": "1", "total": "3"}
    asked = re.search(r"(?m)^ +resources: .*", dry.stdout)[0]  # of a cluster's node
    assert "mem_mb=" in asked and "runtime=" in asked


def test_each_finished_run_has_a_line(study):
    lines = re.findall(r"^\[(\d+) of (\d+)\] (.*?) in \d+ s; ", study.done.stderr, re.MULTILINE)
    assert [int(done) for done, _, _ in lines] == list(range(1, len(lines) + 1))
    assert {int(total) for _, total, _ in lines} == {len(lines) + 1}  # one that fails
    assert "] tfidf 06_formality bad did not finish; " in study.done.stderr


# What makes a run stale


@pytest.fixture
def tree(study, tmp_path, monkeypatch) -> Path:
    """A copy of everything that the study read, in which things may be changed."""
    names = {name.partition("#")[0] for run in study.runs for name in study.about(*run)["read"]}
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, tmp_path / name)
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(layout, "NOTEBOOKS", tmp_path / "notebooks")
    return tmp_path


def stale(study: Study) -> set[str]:
    """The stale runs, as the model's kind and the notebook's number."""
    reads.digest.cache_clear()
    return {
        f"{'tfidf' if run[0] == 'tfidf' else 'network'} {run[1][:2]}"
        for run in study.runs
        if reads.changed(study.about(*run))
    }


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path.name} has no {old!r}"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# Notebook 02 loads the checkpoints of all models, for its chart.
EVERY = {"tfidf 01", "tfidf 02", "tfidf 05", "tfidf 07", "network 01", "network 02"}
PERTURBED = {"tfidf 05", "tfidf 07"}
TRAINING = "src/tahanuji/training/__init__.py"


def runs_of(model: str) -> set[str]:
    """All runs of a model; notebook 02 of the other one shows both in its chart."""
    other = {"tfidf": "network", "network": "tfidf"}[model]
    return {run for run in EVERY if model in run} | {f"{other} 02"}


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("config/models.yaml", "min_df: 2", "min_df: 3", runs_of("tfidf")),
        (
            "config/models.yaml",
            "learning_rate: 3.0e-6",
            "learning_rate: 3.0e-5",
            runs_of("network"),
        ),
        ("config/models.yaml", "learning_rate: 1.0e-4", "learning_rate: 2.0e-4", set()),
        ("config/models.yaml", 'colour: "#7f7f7f"', 'colour: "#7f7f70"', set()),
        ("data/lexicons/adverbs_id.csv", "\n", "\nsangat sekali,\n", PERTURBED),
        (
            "data/lexicons/sentiment_words.csv",
            "\n",
            "\nsemarak,positive\n",
            PERTURBED,
        ),
        (
            "src/tahanuji/perturb/characters.py",
            "import random",
            "import random\nOTHER = 1",
            PERTURBED,
        ),
        (TRAINING, "import json", "import json\nOTHER = 1", EVERY),
        (TRAINING, "import json", "import json  # other", set()),
        (TRAINING, '"""', '"""Other words. ', set()),
    ],
)
def test_a_change_makes_stale_what_read_it_and_nothing_else(study, tree, name, old, new, expected):
    change(tree / name, old, new)
    assert stale(study) == expected


def test_what_draws_and_prints_was_not_read(study):
    """A colour or rounding in a helper can make no test stale, because no test reads helpers."""
    for run in study.runs:
        read = study.about(*run)["read"]
        assert not [name for name in read if name.startswith(("src/helpers/", "data/published/"))]
        assert "config/plotting.mplstyle" not in read


def test_a_notebooks_drawing_cells_do_not_count_and_its_computing_cells_do(study, tree):
    path = tree / "notebooks" / "05_typos.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-1]["source"] += "\nprint('drawn')"
    notebook.cells[0]["source"] += "\nMore words."
    nbformat.write(notebook, path)
    assert stale(study) == set()
    next(cell for cell in notebook.cells if cell["id"] == "run")["source"] += "\nrows = rows[:9]"
    nbformat.write(notebook, path)
    assert stale(study) == {"tfidf 05"}


# The reference


def test_what_is_published_recomputes_and_holds_no_text(study, tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(study.outputs))
    monkeypatch.setattr(publish, "REFERENCE", tmp_path)
    monkeypatch.setattr(publish, "PAGES", tmp_path / "pages")
    folder = publish.publish("embedded")
    published = [*folder.glob("*/*/provenance.json")]
    assert len(published) == len(study.runs)
    for path in published:
        predictions = pd.read_parquet(path.with_name("predictions.parquet"))
        assert not set(tables.TEXTS) & set(predictions)
        assert not [name for name in predictions if name.endswith("sha256")]
    assert not list(folder.rglob("private"))
    assert not list(folder.rglob("checkpoint"))
