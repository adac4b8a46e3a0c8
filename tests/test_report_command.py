"""`python -m study report --page` on what a clone has."""

import resource
import subprocess
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from conftest import ROOT, environment

from study.report import __main__ as report
from study.report import examples, page
from tahanuji import downloads


@pytest.mark.parametrize(("profile", "restore"), [("thesis", False), ("indonlu", True)])
def test_a_page_without_runs_is_refused_in_a_sentence(
    tmp_path, monkeypatch, capsys, profile, restore
):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    assert report.main(["--page", profile]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"./run_all.sh {profile} makes them" in said
    assert (f"publish {profile} --restore" in said) == restore
    assert not list(tmp_path.rglob("index.html"))


def test_a_page_of_some_runs_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    made = tmp_path / "thesis/report"
    monkeypatch.setattr(page, "write", lambda report, folder: folder)
    monkeypatch.setattr(report.cards, "write", lambda report, folder: None)
    told = SimpleNamespace(results=SimpleNamespace(runs=["one"]))
    monkeypatch.setattr(report.report, "of", lambda profile: told)
    assert report.main(["--page", "thesis"]) == 0 and not made.exists()


def test_examples_download_nothing(monkeypatch):
    """What an instrument makes of the project's texts is shown where its files are here."""

    def refused(source, key):
        raise AssertionError(f"a page asked for {key}")

    monkeypatch.setattr(downloads, "fetch", refused)
    monkeypatch.setattr(downloads, "_in_mirror", lambda relative: None)
    monkeypatch.setattr(downloads, "_in_cache", lambda relative: None)
    tests = {"07": ["synonym_wordnet", "word_case"], "08_code_mixing": ["en", "synonym random"]}
    about = {"variant": "default", "parameters": {}}
    runs = {
        name: SimpleNamespace(metrics=pd.DataFrame({"test": own}), **about)
        for name, own in tests.items()
    }
    results = SimpleNamespace(
        notebooks=list(runs), of=lambda name: [runs[name]], main_task=lambda one: True
    )
    shown = pd.concat(examples._unasked(results, set()))
    assert set(shown["test"]) == {"word_case", *tests["08_code_mixing"]}


@pytest.mark.long
def test_published_runs_become_a_page_without_downloads_in_little_time(tmp_path):
    """Seconds of the processor, since the clock also counts what runs beside; the page is made in
    two languages.
    """
    around = environment(tmp_path, TAHAN_DATA_CACHE=str(tmp_path / "cache"))
    around = {**around, "TAHAN_DATA_MIRROR": "", "https_proxy": "http://127.0.0.1:9"}
    tasks = {60: ["publish", "--restore", "cpu"], 120: ["report", "--page", "cpu"]}
    for most, words in tasks.items():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-m", "study", *words]
        done = subprocess.run(command, cwd=ROOT, env=around, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        assert spent < most, words
    assert (tmp_path / "cpu/report/index.html").stat().st_size > 1e6
    assert not (tmp_path / "cache").exists()
