"""The committed reference runs: complete, current, recomputable, without texts that may not be
published.
"""

import json
import re

import nbformat
import pandas as pd
import pytest
import yaml
from conftest import ROOT, recomputes

from helpers import parameters, provenance
from helpers.report import headline, verify
from tahanuji import data, grid, perturb

COMMITTED = ["embedded", "cpu"]
ALONE = ["search", "search_smsa", "pairs"]  # profiles without a report


def runs(profile: str) -> list[tuple]:
    config = yaml.safe_load((ROOT / f"config/{profile}.yaml").read_text(encoding="utf-8"))
    return [(profile, *run) for run in parameters.planned(config)]


RUNS = [run for profile in (*COMMITTED, *ALONE) for run in runs(profile)]


def folder(*parts: str):
    return ROOT.joinpath("outputs", *parts)


@pytest.fixture(scope="module", params=RUNS, ids="/".join)
def run(request):
    return folder(*request.param)


def test_complete(run):
    for name in (
        "executed.ipynb",
        "predictions.csv",
        "metrics.csv",
        "misclassified.csv",
        "provenance.json",
    ):
        assert (run / name).is_file(), name
    assert list((run / "figures").glob("*.png"))


def test_made_by_the_code_that_is_here_now(run):
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert about["code_hash"] == provenance.code_hash(about["notebook"]), (
        "rerun the profile and commit its outputs"
    )
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
        assert not [
            part
            for part in cell.get("outputs", [])
            if part["output_type"] == "error" or part.get("name") == "stderr"
        ], cell["id"]


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
    for dataset in (
        "smsa",
        "emot",
        "hate_speech",
        "indonli",
        "wrete",
        "indonglish",
        "indonglish_indonesian",
    ):
        for split in data.SPLITS:
            known.update(
                *(
                    words_in_runs(text)
                    for text in data.sentences(data.inputs(data.load(dataset, split)))
                )
            )
    for level in ("high", "medium", "low"):
        known.update(
            *(
                words_in_runs(text)
                for text in data.read_labelled(data.locate(f"viannisa/{level}"), data.LABELS)[
                    "text"
                ]
            )
        )
    for path in [
        path
        for profile in (*COMMITTED, *ALONE, "pretraining")
        for path in folder(profile).rglob("*")
        if path.suffix in {".csv", ".ipynb", ".json", ".svg", ".html", ".md", ".tex"}
    ]:
        if not {"checkpoint", "private"} & set(path.parts):
            text = path.read_text(encoding="utf-8").replace("\\n", " ")
            text = re.sub(r'"image/png": "[^"]*"|base64,[^"]*', "", text)
            assert not words_in_runs(text) & known, path


def test_the_texts_of_the_embedded_grid_come_out_again():
    """From the code, the word lists and the seed that are here now; the hash of the code knows
    nothing of the lists.
    """
    run = folder("embedded", "tfidf", "07_perturbation_grid", "default")
    seed = json.loads((run / "provenance.json").read_text(encoding="utf-8"))["parameters"]["seed"]
    frame = data.load("embedded", "test")
    perturbed, _ = grid.texts(frame, perturb.names("offline", "id"), seed)
    rows = pd.read_csv(run / "predictions.csv", usecols=["id", "test", "perturbed_sha256"])
    assert set(rows["test"]) == set(perturbed)
    for test, part in rows.groupby("test"):
        found = [
            data.text_hash(new or old)
            for old, new in zip(frame["text"], perturbed[test], strict=True)
        ]
        assert dict(zip(frame["id"], found, strict=True)) == dict(
            zip(part["id"], part["perturbed_sha256"], strict=True)
        ), test


@pytest.mark.parametrize("profile", COMMITTED)
def test_the_report_is_there_and_current(profile):
    about = json.loads((folder(profile, "report") / "provenance.json").read_text(encoding="utf-8"))
    assert about["code_hash"] == provenance.code_hash("99_report"), "rerun the report and commit it"
    assert about["dirty"] is False
    assert set(about["runs"]) == {"/".join(parts[1:]) for parts in runs(profile)}
    for model, notebook, variant in (parts[1:] for parts in runs(profile)):
        assert about["runs"][f"{model}/{notebook}/{variant}"] == provenance.code_hash(notebook)
    executed = nbformat.read(folder(profile, "report") / "executed.ipynb", as_version=4)
    assert not [
        part
        for cell in executed.cells
        for part in cell.get("outputs", [])
        if part["output_type"] == "error" or part.get("name") == "stderr"
    ]
    assert (folder(profile, "report") / "index.html").is_file()


@pytest.mark.parametrize("profile", COMMITTED)
def test_expected_numbers_are_those_of_the_committed_runs(profile, monkeypatch):
    monkeypatch.delenv("TAHAN_OUTPUTS", raising=False)
    verdicts = verify.verdicts(profile)
    assert (verdicts["moved"] < 0.006).all()
    assert (verdicts["verdict"] == "OK").all()
    assert {*verdicts["name"]} == {*headline.NUMBERS}


def test_readme_tables_are_those_of_the_files(monkeypatch):
    monkeypatch.delenv("TAHAN_OUTPUTS", raising=False)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert text.count("<!-- headline") == len(COMMITTED)
    assert headline.with_tables(text) == text
    assert "macro-F1" in headline.readme_table("cpu")
