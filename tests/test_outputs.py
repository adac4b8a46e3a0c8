"""The committed reference runs: complete, current, recomputable, without texts that may not be published."""

import json
import re

import nbformat
import pandas as pd
import pytest
import yaml
from conftest import ROOT, recomputes

from helpers import data, provenance, report

COMMITTED = ["embedded", "cpu"]


def runs(profile: str) -> list[tuple]:
    config = yaml.safe_load((ROOT / f"config/{profile}.yaml").read_text(encoding="utf-8"))
    return [(profile, model, notebook, variant) for model in config["models"] for notebook, variants in config["runs"].items() for variant in variants]


RUNS = [run for profile in COMMITTED for run in runs(profile)]


def folder(*parts: str):
    return ROOT.joinpath("outputs", *parts)


@pytest.fixture(scope="module", params=RUNS, ids="/".join)
def run(request):
    return folder(*request.param)


def test_complete(run):
    for name in ("executed.ipynb", "predictions.csv", "metrics.csv", "misclassified.csv", "provenance.json"):
        assert (run / name).is_file(), name
    assert list((run / "figures").glob("*.png"))


def test_made_by_the_code_that_is_here_now(run):
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert about["code_hash"] == provenance.code_hash(about["notebook"]), "rerun the profile and commit its outputs"
    assert about["dirty"] is False
    assert re.fullmatch(r"[0-9a-f]{40}", about["commit"])


def test_metrics_come_from_the_predictions(run):
    recomputes(run)


def test_executed_to_the_end_without_an_error_or_a_machine_path(run):
    notebook = nbformat.read(run / "executed.ipynb", as_version=4)
    assert notebook.cells[-1]["execution_count"]
    text = (run / "executed.ipynb").read_text(encoding="utf-8")
    assert len(text) < 1_000_000
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/\w", text)
    for cell in notebook.cells:
        assert not [part for part in cell.get("outputs", []) if part["output_type"] == "error" or part.get("name") == "stderr"], cell["id"]


def test_texts_that_may_not_be_published_are_not_there(run):
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    if all(part["publish_texts"] for part in about["data"]):
        return
    for name in ("predictions.csv", "misclassified.csv"):
        assert not {"text", "perturbed"} & set(pd.read_csv(run / name, nrows=1).columns)


def words_in_runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def test_no_sentence_of_a_downloaded_data_set_stands_in_an_output(mirror):
    known = set()
    for split in data.SPLITS:
        known.update(*(words_in_runs(text) for text in data.load("smsa", split)["text"]))
    for level in ("high", "medium", "low"):
        known.update(*(words_in_runs(text) for text in data.read_labelled(data.locate(f"viannisa/{level}"), data.LABELS)["text"]))
    for path in [path for profile in COMMITTED for path in folder(profile).rglob("*") if path.suffix in {".csv", ".ipynb", ".json", ".svg"}]:
        if not {"checkpoint", "private"} & set(path.parts):
            text = path.read_text(encoding="utf-8").replace("\\n", " ")
            text = re.sub(r'"image/png": "[^"]*"', "", text)
            assert not words_in_runs(text) & known, path


def test_readme_tables_are_those_of_the_files(monkeypatch):
    monkeypatch.delenv("TAHAN_OUTPUTS", raising=False)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- headline") == len(COMMITTED)
    assert report.with_tables(text) == text
    assert "macro-F1" in report.readme_table("cpu")
