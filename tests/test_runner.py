"""Parameters are strict, and bad input ends in one sentence
through the real entry point.
"""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import papermill
import pytest
import safetensors
import torch
from conftest import runner
from jupyter_client import kernelspec
from papermill.exceptions import PapermillExecutionError

from helpers import layout, parameters
from study import publish, warm
from study import run as run_module
from study.__main__ import main as study
from study.runner import explain, main, parse, run
from tahanuji import downloads
from tahanuji.errors import InputError, sentence

TYPOS = parameters.declared(layout.NOTEBOOKS / "05_typos.ipynb")


def test_values_are_typed_by_the_parameters_cell():
    given = parse(["model_name=007", "seed=7", "perturbation_rate=1", "rates=0.1, 0.2"], TYPOS)
    assert given == {"model_name": "007", "seed": 7, "perturbation_rate": 1.0, "rates": "0.1, 0.2"}


def test_booleans_are_true_or_false_never_a_string():
    flag = {"flag": parameters.Parameter("flag", bool, True, "")}
    assert parse(["flag=false"], flag) == {"flag": False}
    with pytest.raises(InputError, match="flag is true or false, not 'no'"):
        parse(["flag=no"], flag)
    with pytest.raises(InputError, match="flag is of type bool, and 'false' is not"):
        parameters.check({"flag": "false"}, flag)


@pytest.mark.parametrize(
    ("pair", "says"),
    [
        (
            "perturbation_rat=0.3",
            "unknown parameter 'perturbation_rat'; did you mean 'perturbation_rate'",
        ),
        ("perturbation_rate=1.5", "perturbation_rate lies between 0 and 1, and 1.5 does not"),
        ("perturbation_rate=nan", "perturbation_rate lies between 0 and 1"),
        ("perturbation_rate=lots", "perturbation_rate is of type float, and 'lots' is not"),
        ("rates=0.1,2", "perturbation_rate lies between 0 and 1, and 2.0 does not"),
        ("rates=0.1;0.2", "is not a comma-separated list of numbers"),
        ("seed=-1", "seed lies between 0"),
        ("seed=1.5", "seed is of type int, and '1.5' is not"),
        ("model_name=indbert", "unknown model 'indbert'; did you mean 'indobert'"),
        ("dataset=smse", "unknown data set 'smse'; did you mean 'smsa'"),
        ("precision=bf32", "unknown precision 'bf32'; did you mean"),
        ("seed", "'seed' is not of the form name=value"),
    ],
)
def test_bad_parameters_stop_before_a_kernel_starts(tmp_path, capsys, pair, says):
    assert main([str(layout.NOTEBOOKS / "05_typos.ipynb"), str(tmp_path / "x"), pair]) == 2
    printed = capsys.readouterr().err
    assert says in printed
    assert len(printed.strip().splitlines()) == 1
    assert not (tmp_path / "x").exists()


def test_unknown_notebook_names_the_nearest(tmp_path, capsys):
    assert main(["notebooks/05_typo.ipynb", str(tmp_path)]) == 2
    assert "unknown notebook '05_typo'; did you mean '05_typos'" in capsys.readouterr().err


def test_a_missing_kernel_gets_one_sentence(tmp_path, capsys, monkeypatch):
    def nowhere(_, name):
        raise kernelspec.NoSuchKernel(name)

    monkeypatch.setattr(kernelspec.KernelSpecManager, "get_kernel_spec", nowhere)
    assert main([str(layout.NOTEBOOKS / "05_typos.ipynb"), str(tmp_path), "model_name=tfidf"]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "no Jupyter kernel python3" in line and "--setup" in line


def test_a_reference_that_is_cut_off_gets_one_sentence(tmp_path, capsys, monkeypatch):
    whole = layout.REFERENCE / "embedded/tfidf/05_typos"
    folder = tmp_path / "embedded/tfidf/05_typos"
    shutil.copytree(whole, folder)
    content = (whole / "predictions.parquet").read_bytes()
    monkeypatch.setattr(publish, "REFERENCE", tmp_path)
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    for cut in (0, 3, len(content) // 2):
        (folder / "predictions.parquet").write_bytes(content[:cut])
        for words in (["judge", "embedded"], ["publish", "embedded", "--restore"]):
            assert study(words) == 2
            (line,) = capsys.readouterr().err.splitlines()
            assert "predictions.parquet is damaged or cut off; git checkout" in line


def test_a_clock_that_is_set_back_makes_no_seconds_negative(tmp_path, monkeypatch):
    (tmp_path / "facts.json").write_text("{}", encoding="utf-8")
    monkeypatch.setattr(
        papermill,
        "execute_notebook",
        lambda source, target, *words, **more: shutil.copy(source, target),
    )
    clock = iter(range(10**6, 0, -1000))
    monkeypatch.setattr(time, "time", lambda: next(clock))
    assert run(layout.NOTEBOOKS / "90_published_figures.ipynb", tmp_path, {}) >= 0
    about = json.loads((tmp_path / "provenance.json").read_text(encoding="utf-8"))
    assert about["seconds"] >= 0


@pytest.fixture(scope="module", autouse=True)
def warmed() -> Iterator[None]:
    """Kernels that begin with the packages loaded, as those of a study do."""
    with warm.environment() as extra, pytest.MonkeyPatch.context() as patch:
        for name, value in extra.items():
            patch.setenv(name, value)
        yield


def failing(outputs: Path, notebook: str, *pairs: str, **more: str) -> str:
    """The one sentence with which a run fails."""
    folder = "x/tfidf/" + notebook + "/default"
    done = runner(outputs, notebook, folder, "model_name=tfidf", *pairs, **more)
    assert done.returncode == 1, done.stdout
    assert not (outputs / folder / "provenance.json").exists()
    assert (outputs / folder / "error.txt").read_text(encoding="utf-8").strip() in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_missing_checkpoint(tmp_path):
    said = failing(tmp_path, "02_conventional_metrics")
    assert "no checkpoint of 'tfidf' fine-tuned on 'embedded'" in said
    assert "notebooks/01_finetune.ipynb" in said


@pytest.mark.long
def test_csv_without_the_columns(tmp_path):
    (tmp_path / "own.csv").write_text("kalimat,kelas\nbagus sekali,positive\n", encoding="utf-8")
    assert "own.csv has no column label and text; its columns are kalimat, kelas" in failing(
        tmp_path, "05_typos", f"dataset={tmp_path / 'own.csv'}"
    )


@pytest.mark.long
def test_labels_outside_the_set_with_row_numbers(tmp_path):
    (tmp_path / "own.csv").write_text(
        "text,label\nbagus sekali,positive\nlumayan,so-so\nparah,bad\n", encoding="utf-8"
    )
    said = failing(tmp_path, "04_negation", f"dataset={tmp_path / 'own.csv'}")
    assert "rows 3, 4 have a label outside positive, neutral, negative" in said


@pytest.mark.long
def test_empty_file_and_undecodable_bytes(tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    assert "empty.csv is empty" in failing(
        tmp_path, "02_conventional_metrics", f"dataset={tmp_path / 'empty.csv'}"
    )
    (tmp_path / "latin.csv").write_bytes("text,label\nkafé enak,positive\n".encode("latin-1"))
    assert "is not UTF-8: it holds the byte 0xe9" in failing(
        tmp_path, "02_conventional_metrics", f"dataset={tmp_path / 'latin.csv'}"
    )


@pytest.mark.long
def test_pickled_weights_and_other_labels(tmp_path, trained):
    folder = tmp_path / "pickled"
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04.")
    assert "only pickled weights (pytorch_model.bin)" in failing(
        tmp_path, "03_sentence_insertion", f"checkpoint={folder}"
    )
    other = tmp_path / "other"
    shutil.copytree(trained / "embedded/tfidf/01_finetune/default/checkpoint/best", other)
    card = json.loads((other / "tahan.json").read_text(encoding="utf-8"))
    (other / "tahan.json").write_text(
        json.dumps(card | {"labels": ["joy", "anger", "fear"]}), encoding="utf-8"
    )
    assert "has the labels joy, anger, fear, not positive, neutral, negative" in failing(
        tmp_path, "03_sentence_insertion", f"checkpoint={other}"
    )


@pytest.mark.long
def test_no_network_and_wrong_checksum(tmp_path):
    address = {
        "TAHAN_DATA_MIRROR": "http://127.0.0.1:9",
        "TAHAN_DATA_CACHE": str(tmp_path / "cache"),
    }
    assert "no network to reach http://127.0.0.1:9/IndoNLP/indonlu" in failing(
        tmp_path, "01_finetune", "dataset=smsa", **address
    )
    registered = downloads.registry()["sources"]["indonlu"]
    wrong = (
        tmp_path
        / "mirror"
        / registered["repository"]
        / registered["commit"]
        / registered["files"]["smsa_train"]["path"]
    )
    wrong.parent.mkdir(parents=True)
    wrong.write_text("bukan ini\tpositive\n", encoding="utf-8")
    assert "has another sha256 than data/registry.yaml states" in failing(
        tmp_path, "01_finetune", "dataset=smsa", TAHAN_DATA_MIRROR=str(tmp_path / "mirror")
    )


FULL = Path("/dev/full")  # a device that is always full, with the real ENOSPC
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, which only Linux has")


@pytest.mark.long
@needs_full
def test_full_disk(tmp_path):
    """executed.ipynb leads to a device that is always full, through the real runner."""
    folder = tmp_path / "x/tfidf/01_finetune/default"
    folder.mkdir(parents=True)
    (folder / "executed.ipynb").symlink_to(FULL)
    assert "no space left on the device" in failing(tmp_path, "01_finetune")
    assert sentence(OSError(28, "No space left on device", "x.csv")).startswith(
        "no space left on the device while writing x.csv"
    )


def weights(frame, path):
    """Weights are renamed into place, onto no device: the error is that of a disk of 100 kB."""
    said = "Error while serializing: I/O error: No space left on device (os error 28)"
    raise safetensors.SafetensorError(said)


WRITERS = {  # what a run, a training and a report write with
    "csv": lambda frame, path: frame.to_csv(path),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "json or page": lambda frame, path: path.write_text(frame.to_json()),
    "figure": lambda frame, path: frame.plot().figure.savefig(path, format="png"),
    "weights": weights,
    "state of a training": lambda frame, path: torch.save(torch.tensor(frame.to_numpy()), path),
}


@needs_full
@pytest.mark.parametrize("what", WRITERS)
def test_a_full_disk_gets_one_sentence_whatever_was_written(what, tmp_path, capsys, monkeypatch):
    frame = pd.DataFrame({"x": np.random.default_rng(1).random(100_000)})
    place = tmp_path / "full"
    place.symlink_to(FULL)
    with pytest.raises(Exception) as caught:  # each writer has an error of its own
        WRITERS[what](frame, place)
    cell = PapermillExecutionError(1, 1, "", type(caught.value).__name__, str(caught.value), [])
    for said in (sentence(caught.value), explain(cell, tmp_path)):
        assert said.startswith("no space left on the device")
        assert said.endswith("finished runs and finished epochs are kept.")

    def filled(words):
        raise caught.value

    monkeypatch.setattr(run_module, "main", filled)  # nor is a command's own writing a traceback
    assert study(["run", "embedded"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("run: no space left on the device")


def test_other_errors_are_not_taken_for_a_full_disk(monkeypatch):
    def broken(words):
        raise RuntimeError("unexpected pos 576 vs 534")

    monkeypatch.setattr(run_module, "main", broken)
    with pytest.raises(RuntimeError, match="unexpected pos"):
        study(["run", "embedded"])


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root may mount a disk")
def test_a_disk_that_fills_up_at_any_step_is_one_sentence_and_the_command_goes_on(tmp_path):
    """A disk of 40 kB has no room for the notebook, of 400 kB and 1 MB for the checkpoint."""
    disk = tmp_path / "disk"
    disk.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", str(disk)]
    if subprocess.run(options, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount a disk")
    try:
        for size in ("40k", "400k", "1m"):
            subprocess.run(["mount", "-o", f"remount,size={size}", str(disk)], check=True)
            done = runner(disk, "01_finetune", "x/tfidf/01_finetune/default", "model_name=tfidf")
            assert done.returncode == 1 and len(done.stderr.strip().splitlines()) == 1
            assert "no space left on the device" in done.stderr
            assert not list(disk.rglob("provenance.json"))
        subprocess.run(["mount", "-o", "remount,size=30m", str(disk)], check=True)
        done = runner(disk, "01_finetune", "x/tfidf/01_finetune/default", "model_name=tfidf")
        assert done.returncode == 0, done.stderr
    finally:
        subprocess.run(["umount", str(disk)], check=True)
