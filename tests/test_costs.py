"""What runs ask a cluster for, and the lines that say how far a study is."""

import logging
from pathlib import Path

import pytest
from snakemake.iocontainers import ResourceList

from helpers import layout, parameters, provenance
from study import costs, profiles, progress
from tahanuji import paths

TYPOS, MINI = "05_typos", "mini"


@pytest.fixture
def reference(tmp_path, monkeypatch) -> Path:
    """A reference of two models: (model, variant, data set, seconds, MiB) of notebook 05."""
    runs = [("mini", "default", "embedded", 30, 700), ("mini", "seed_2", "embedded", 50, 600)]
    runs += [("mini", "smsa", "smsa", 400, 900), ("tfidf", "default", "embedded", 6, 500)]
    for model in ("mini", "tfidf"):
        about = {
            variant: {"parameters": {"dataset": data}, "seconds": seconds, "peak_memory_mb": memory}
            for name, variant, data, seconds, memory in runs
            if name == model
        }
        folder = tmp_path / "any" / model / TYPOS
        folder.mkdir(parents=True)
        paths.write_json(folder / "provenance.json", about)
    monkeypatch.setattr(layout, "REFERENCE", tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "seconds", "memory", "common"),
    [
        ((TYPOS, MINI, "embedded", "default"), 30, 700, 4),
        ((TYPOS, MINI, "embedded", "seed_9"), 50, 700, 3),
        ((TYPOS, MINI, "any/folder/smsa", "smsa"), 400, 900, 4),
        ((TYPOS, MINI, "emot", "default"), 400, 900, 2),
        ((TYPOS, "indobert", "emot", "default"), 400, 900, 1),
        ((TYPOS, "indobert", "embedded", "default"), 50, 700, 1),
    ],
)
def test_a_run_is_expected_to_take_what_the_most_alike_took(
    reference, asked, seconds, memory, common
):
    assert costs.expected(*asked) == (costs.Cost(seconds, memory), common)


def test_a_run_that_was_interrupted_took_its_training_too(reference):
    path = reference / "any" / MINI / TYPOS / "provenance.json"
    about = provenance.read_json(path)
    about["default"] |= {"training_seconds": 900.5}
    paths.write_json(path, about)
    assert costs.expected(TYPOS, MINI, "embedded", "default")[0].seconds == 900.5


def test_a_model_that_was_not_measured_asks_for_the_default(reference):
    assert costs.expected("06_formality", MINI, "embedded", "default") == (None, 0)
    for notebook, model in [("06_formality", MINI), (TYPOS, "indobert")]:
        asked = costs.requested(notebook, model, "embedded", "default", 1)
        assert asked == costs.UNMEASURED


def test_a_run_asks_for_more_than_was_measured_and_again_more_after_a_failure(reference):
    first = costs.requested(TYPOS, MINI, "smsa", "smsa", 1)
    assert first["mem_mb"] > 900 and first["runtime"] * 60 > 400
    third = costs.requested(TYPOS, MINI, "smsa", "smsa", 3)
    assert third == {name: 3 * amount for name, amount in first.items()}


def test_every_run_of_the_reference_fits_into_what_it_would_ask_for():
    measured = costs.measured(layout.REFERENCE)
    assert len(measured) > 50
    for run, cost in measured.items():
        asked = costs.requested(*run, 1)
        assert asked["mem_mb"] > cost.memory and asked["runtime"] * 60 > cost.seconds


@pytest.fixture
def study(tmp_path) -> dict[int, progress.Due]:
    """Four runs, two of them beside each other; of `own` the reference knew nothing."""
    seconds = {("tfidf", "a"): 10, ("tfidf", "b"): 30, ("own", "a"): 10, ("own", "b"): 30}
    runs = {}
    for number, ((model, notebook), expected) in enumerate(seconds.items()):
        folder = tmp_path / model / notebook / "default"
        folder.mkdir(parents=True)
        runs[number] = progress.Due(folder, expected, share=0.5)
    return runs


def finish(hears: progress.Progress, number: int, seconds: float) -> None:
    """What Snakemake's log says of a run that ended after so many seconds."""
    paths.write_json(hears.runs[number].folder / "provenance.json", {"seconds": seconds})
    event = {"event": "job_finished", "job_id": number, "levelno": logging.INFO}
    hears.handle(logging.makeLogRecord(event))


def test_what_is_left_follows_what_each_model_took(study, capsys):
    hears = progress.Progress(study)
    assert hears.seconds_left(0) == 40  # 80 seconds, two at once
    finish(hears, 0, 20)
    whole = (20 + progress.PRIOR) / (10 + progress.PRIOR)
    own = (20 + progress.PRIOR * whole) / (10 + progress.PRIOR)
    assert hears.pace("own") == pytest.approx(whole) and hears.pace("tfidf") == pytest.approx(own)
    assert hears.seconds_left(0) == pytest.approx((30 * own + 40 * whole) / 2)
    finish(hears, 2, 5000)
    assert hears.pace("own") > 2 * hears.pace("tfidf") > 2
    assert hears.seconds_left(0) == 30 * hears.pace("own")  # more than its half of everything
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition("]")[0] for line in lines] == ["[1 of 4", "[2 of 4"]
    assert "own a in 5000 s" in lines[1]


def test_much_that_is_done_says_all_about_the_pace(study):
    hears = progress.Progress(study)
    for run in study.values():
        run.seconds, run.taken = 1e6, 3e6 if run.model == "own" else 1e6
    assert hears.pace("own") == pytest.approx(3, abs=0.01)
    assert hears.pace("tfidf") == pytest.approx(1, abs=0.01)


def test_a_run_that_has_begun_has_less_left(study):
    hears = progress.Progress(study)
    hears.handle(logging.makeLogRecord({"event": "job_started", "jobs": [1]}))
    began = study[1].started
    assert hears.seconds_left(began) == 40
    assert hears.seconds_left(began + 1000) == 30  # its time is up, and the others' is not


def test_a_failed_run_is_named_and_not_counted(study, capsys):
    hears = progress.Progress(study)
    hears.handle(logging.makeLogRecord({"event": "job_error", "jobid": 3}))
    assert capsys.readouterr().err.startswith("[0 of 4] own b did not finish")
    assert hears.seconds_left(0) == 40


@pytest.mark.parametrize("as_given", [dict, lambda uses: ResourceList(fromdict=uses)])
def test_a_runs_share_is_the_largest_of_what_it_uses(as_given):
    folder = Path("profile/mini/05_typos/default")
    uses = as_given({"_cores": 1, "gpu": 1, "_nodes": 1})  # of a job a list of Snakemake's
    assert progress.due(folder, "embedded", uses, {"_cores": 4}).share == 0.25
    assert progress.due(folder, "embedded", uses, {"_cores": 4, "gpu": 2}).share == 0.5
    assert progress.due(folder, "embedded", uses, {"_nodes": 20, "_cores": None}).share == 0.05


def test_every_profile_asks_for_something_sensible():
    """From ten minutes and a GiB to what a node has."""
    for profile in parameters.profiles():
        config = paths.read_yaml(paths.CONFIG / f"{profile}.yaml")
        for model, notebook, variant in profiles.planned(config):
            chosen = {"dataset": config["dataset"]} | (config["runs"][notebook][variant] or {})
            asked = costs.requested(notebook, paths.slug(model), chosen["dataset"], variant, 1)
            assert 1000 <= asked["mem_mb"] <= 16_000 and 10 <= asked["runtime"] <= 480
