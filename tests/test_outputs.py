"""The committed reference: small, complete, recomputable, without texts not to be published."""

import json
import os
import re
import zlib

import nbformat
import pandas as pd
import pytest
from recompute import judged_again, recomputed

from helpers import notebooks, tables
from study import publish
from study.report import headline, report
from tahanuji import data, downloads, paths, registers

FOLDERS = sorted(path.parent for path in publish.REFERENCE.glob("*/*/*/provenance.json"))
FILES = sorted(path for path in publish.REFERENCE.rglob("*") if path.is_file())
MOST = 2  # variants of a folder that are recomputed
TEXT_FILES = {".csv", ".html", ".ipynb", ".json", ".md"}


def test_the_reference_is_small():
    """With the profiles of the benchmarks and suites in."""
    assert len(FILES) <= 1200
    assert sum(path.stat().st_size for path in FILES) <= 60 * 2**20


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-3:]))
def test_a_reference_has_its_schema_and_no_column_of_texts(folder):
    about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    metrics = tables.read(folder / "metrics.csv", tables.METRICS)
    assert list(metrics) == tables.METRICS
    assert set(metrics["variant"].astype(str)) == set(about)
    for path in folder.glob("*.csv"):
        assert not set(tables.TEXTS) & set(pd.read_csv(path, nrows=1)), path
    for path in folder.glob("*.parquet"):
        assert not set(tables.TEXTS) & set(pd.read_parquet(path)), path
    if "default" in about:
        assert (folder / "executed.ipynb").is_file()
        assert {path.suffix for path in folder.glob("figures/*")} <= {".png"}
    assert not {"checkpoint", "private"} & {path.name for path in folder.iterdir()}


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.suffix == ".ipynb"],
    ids=lambda path: "/".join(path.parts[-4:-1]),
)
def test_executed_to_the_end_without_an_error_or_a_machine_path(path):
    notebook = nbformat.read(path, as_version=4)
    assert notebook.cells[-1]["execution_count"]
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/\w", text)
    for cell in notebook.cells:
        for part in cell.get("outputs", []):
            assert part["output_type"] != "error" and part.get("name") != "stderr", cell["id"]


@pytest.mark.parametrize(
    "folder",
    sorted(path.parent for path in publish.REFERENCE.glob("*/report/executed.ipynb")),
    ids=lambda path: path.parent.name,
)
def test_a_published_report_shows_its_figures(folder):
    notebook = nbformat.read(folder / "executed.ipynb", as_version=4)
    parts = [part for cell in notebook.cells for part in cell.get("outputs", [])]
    shown = sum("image/png" in part.get("data", {}) for part in parts)
    if folder.parent.name == "pairs":  # whose tests are of no family: no picture of families
        assert shown == 1
    else:
        assert shown > 1 and list(folder.glob("figures/*.png"))


@pytest.mark.long
def test_the_published_answer_comes_from_the_published_runs(tmp_path, monkeypatch):
    """What is published of the report is what the committed files give, by the code of today."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore("embedded")
    told = report.of("embedded")
    kept = publish.REFERENCE / "embedded" / "report" / "findings.json"
    published = json.loads(kept.read_text(encoding="utf-8"))
    for section, part in (("answer", "Opening"), ("details", "Answer")):
        assert told.section(section).said == published[part]


def drawn(variants: list[str]) -> list[str]:
    """The variants of a folder that are recomputed: the first, and of the others one drawn by its
    name; with TAHAN_WHOLE=1 in the environment all.
    """
    if len(variants) <= MOST or os.environ.get("TAHAN_WHOLE"):
        return variants
    first, *others = variants
    return [first, *sorted(others, key=lambda name: zlib.crc32(name.encode()))[: MOST - 1]]


@pytest.mark.long
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: "/".join(path.parts[-3:]))
def test_metrics_and_verdicts_come_from_the_predictions(folder):
    about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    metrics = tables.read(folder / "metrics.csv", tables.METRICS)
    if not (folder / "predictions.parquet").is_file():
        assert notebooks.every()[folder.name].test_type == "none"  # it classified nothing
        return
    predictions = publish.predictions(folder)
    path = folder / "verdicts.csv"
    there = path.is_file()
    verdicts = tables.read(path, tables.VERDICTS) if there else pd.DataFrame({"variant": []})
    for variant in drawn(list(about)):
        own, one = predictions[variant], about[variant]
        kept = metrics[metrics["variant"].astype(str) == variant]
        recomputed(own, kept, one, how="left")  # metrics may be added
        judged = verdicts[verdicts["variant"].astype(str) == variant]
        if len(judged):
            judged_again(own, judged)


def word_runs(text: str, length: int = 8) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", text.lower())
    return {tuple(words[start : start + length]) for start in range(len(words) - length + 1)}


def withheld() -> set[tuple[str, ...]]:
    """Runs of words of every registered file whose texts may not be published and that is here."""
    registry, found = downloads.registry(), set()
    for name, entry in registry["datasets"].items():
        if not entry["publish_texts"] and "hub" not in entry:
            for split in data.SPLITS:
                for text in data.sentences(data.inputs(data.load(name, split))):
                    found |= word_runs(text)
    for name, entry in registry["registers"].items():
        if not entry["publish_texts"]:
            for text in registers.load(name)[registers.WORDINGS].to_numpy().ravel():
                found |= word_runs(text)
    for entry in registry["formality"].values():
        if not entry.get("publish_texts"):
            for place in entry.get("levels", {}).values():
                for text in data.read_labelled(data.locate(place), data.LABELS)["text"]:
                    found |= word_runs(text)
    return found


@pytest.mark.long
def test_no_sentence_that_may_not_be_published_stands_in_the_reference(mirror):
    known = withheld()
    assert len(known) > 100_000
    pages = [*publish.PAGES.glob("*.html"), publish.PAGES.parent / "index.html"]
    for path in [path for path in FILES if path.suffix in TEXT_FILES] + pages:
        text = path.read_text(encoding="utf-8").replace("\\n", " ")
        text = re.sub(r'"image/png": "[^"]*"|base64,[^"]*', "", text)
        assert not word_runs(text) & known, path


@pytest.mark.parametrize(("name", "end"), [("README.md", ""), ("README.id.md", "_id")])
def test_what_readme_shows_is_that_of_the_reference(name, end, monkeypatch):
    monkeypatch.delenv("TAHAN_OUTPUTS", raising=False)
    text = (paths.ROOT / name).read_text(encoding="utf-8")
    assert f"<!-- answer{end} cpu -->" in text and f"<!-- claims{end} cpu -->" in text
    assert headline.with_tables(text) == text
    for place in re.findall(r"!\[[^]]*\]\(([^)]*)\)", text):
        assert (paths.ROOT / place).is_file()
