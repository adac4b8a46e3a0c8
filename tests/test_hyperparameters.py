"""The search: which trainings it asks for, what their scores are made of, which checkpoints it
takes up, and the jobs of its profile.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import folders
import numpy as np
import pandas as pd
import pytest
import transformers
import yaml
from conftest import ROOT, planned
from folders import LABELS
from safetensors.numpy import load_file
from sklearn.metrics import accuracy_score, f1_score
from test_training import TRAIN, VALID, other_rows

from tahanuji import data, models, training
from tahanuji.errors import InputError
from tahanuji.models import config
from tahanuji.training import hyperparameters

GIVEN = {
    "learning_rates": "1e-3, 2e-3",
    "epoch_counts": "1, 2",
    "batch_size": 9,
    "schedule": "linear",
    "weight_decay": 0.01,
}


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """`mini` from the folder of a smaller encoder, on a data set `own` of three labels."""
    known, folder = models.entries(), folders.base(tmp_path / "tiny", "bert")
    mini = {"mini": known["mini"] | {"source": str(folder)}}
    monkeypatch.setattr(config, "entries", lambda: known | mini)
    monkeypatch.setattr(data, "labels", lambda dataset: LABELS)


def make_job(folder: Path, model_name: str = "mini", **changes) -> training.Job:
    """A job whose own trainings go into `folder`/checkpoint."""
    values = {"dataset": "own", "seed": 5, "precision": "fp32"} | changes
    return training.Job(model_name, folder=folder / "checkpoint", **values)


def test_every_rate_with_every_number_of_epochs_by_name():
    wanted = hyperparameters.settings(
        GIVEN | {"learning_rates": "1e-5, 5e-5, 1e-4", "epoch_counts": "5, 7, 10"}
    )
    assert len(wanted) == 9
    assert wanted["lr_0.0001_epochs_10"] == {
        "learning_rate": 1e-4,
        "epochs": 10,
        "batch_size": 9,
        "schedule": "linear",
        "weight_decay": 0.01,
    }
    assert set(hyperparameters.settings(GIVEN, "smsa")) == {
        f"smsa_lr_{rate}_epochs_{count}" for rate in ("0.001", "0.002") for count in (1, 2)
    }


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("learning_rates", "", "learning_rates are numbers above 0"),
        ("learning_rates", "1e-5, 0", "learning_rates are numbers above 0"),
        ("learning_rates", "2", "at most 1"),
        ("learning_rates", "fast", "is not a comma-separated list of numbers"),
        ("epoch_counts", "5, 7.5", "epoch_counts are whole numbers"),
        ("epoch_counts", "0", "epoch_counts are whole numbers"),
        ("epoch_counts", "", "epoch_counts are whole numbers"),
    ],
)
def test_settings_that_make_no_search_are_refused(name, value, said):
    with pytest.raises(InputError, match=said):
        hyperparameters.settings(GIVEN | {name: value})


class Fixed:
    """A classifier whose answers are the labels given to it."""

    def __init__(self, answers: dict[str, str]):
        self.answers, self.labels = answers, LABELS

    def predict_proba(self, texts, precision="fp32"):
        return np.array(
            [[label == self.answers[text] for label in LABELS] for text in texts], dtype=np.float32
        )


def test_the_score_is_a_fifth_training_and_four_fifths_validation_f1():
    answers = dict(zip(TRAIN["text"], TRAIN["label"], strict=True)) | dict.fromkeys(
        list(TRAIN["text"])[:5], "negative"
    )
    answers |= dict(zip(VALID["text"], VALID["label"], strict=True)) | dict.fromkeys(
        list(VALID["text"])[:3], "neutral"
    )
    row, rows = hyperparameters.scored(
        Fixed(answers), {"learning_rate": 1e-3, "epochs": 5}, TRAIN, VALID
    )
    told = {
        name: [answers[text] for text in frame["text"]]
        for name, frame in (("train", TRAIN), ("valid", VALID))
    }
    expected = {
        name: f1_score(frame["label"], told[name], average="macro")
        for name, frame in (("train", TRAIN), ("valid", VALID))
    }
    assert 0.5 < expected["valid"] < expected["train"] < 1
    assert row["train_f1"] == pytest.approx(expected["train"]) and row["valid_f1"] == pytest.approx(
        expected["valid"]
    )
    assert row["valid_accuracy"] == pytest.approx(accuracy_score(VALID["label"], told["valid"]))
    assert row["score"] == pytest.approx(0.2 * expected["train"] + 0.8 * expected["valid"])
    assert list(row) == hyperparameters.SCORES and list(rows["id"]) == list(VALID["id"])


def weights(folder) -> dict[str, np.ndarray]:
    return load_file(folder / "last" / "model.safetensors")


def test_a_search_trains_each_pair_and_says_how_it_did(tmp_path, tiny):
    job, wanted = make_job(tmp_path), hyperparameters.settings(GIVEN)
    table, predictions = hyperparameters.search(job, wanted, tmp_path / "none", TRAIN, VALID)
    names = [f"lr_{rate}_epochs_{count}" for rate in ("0.001", "0.002") for count in (1, 2)]
    assert list(table.index) == names and list(table.columns) == hyperparameters.SCORES
    assert predictions.groupby("test", sort=False).size().to_dict() == dict.fromkeys(
        names, len(VALID)
    )
    assert predictions.attrs["source"] == VALID.attrs["source"]
    for name in names:
        card = json.loads((job.folder / name / "last" / models.CARD).read_text(encoding="utf-8"))
        assert (
            card["epoch"] == table.loc[name, "epochs"]
            and card["settings"]["schedule"] == "linear"
            and card["settings"]["weight_decay"] == 0.01
        )
    one, other = (weights(job.folder / name) for name in names[:2])
    assert any(not np.allclose(one[key], other[key]) for key in one), "two epochs are not one"


def test_a_training_of_the_profile_is_taken_up_where_its_settings_fit(tmp_path, tiny, monkeypatch):
    """Made by 01_finetune as Snakemake has it made; the same weights come of training here, and any
    other setting trains anew.
    """
    name, given = next(iter(hyperparameters.settings(GIVEN).items()))
    finetuned = tmp_path / "01_finetune"
    first = make_job(finetuned / name)
    transformers.set_seed(5)
    chosen = training.settings("mini", **given)
    training.fine_tune(first, models.build("mini", LABELS), TRAIN, VALID, chosen)
    here = make_job(tmp_path / "elsewhere")
    hyperparameters.trained(here, tmp_path / "none", name, given, TRAIN, VALID)
    one, other = weights(first.folder), weights(here.folder / name)
    assert one.keys() == other.keys() and all(np.array_equal(one[key], other[key]) for key in one)

    job, trainings = make_job(tmp_path / "search"), []
    monkeypatch.setattr(
        training,
        "fine_tune",
        lambda *words: trainings.append(words) or pytest.fail("trained again"),
    )
    hyperparameters.trained(job, finetuned, name, given, TRAIN, VALID)
    assert not trainings
    for changes in ({"seed": 6}, {"dataset": "other"}):
        with pytest.raises(pytest.fail.Exception):
            hyperparameters.trained(replace(job, **changes), finetuned, name, given, TRAIN, VALID)
    with pytest.raises(pytest.fail.Exception):
        hyperparameters.trained(job, finetuned, name, given | {"weight_decay": 0.5}, TRAIN, VALID)
    with pytest.raises(pytest.fail.Exception):  # a folder of the same name with other files
        hyperparameters.trained(job, finetuned, name, given, other_rows(), VALID)
    (first.folder / "done.json").unlink()
    with pytest.raises(pytest.fail.Exception):
        hyperparameters.trained(job, finetuned, name, given, TRAIN, VALID)


def test_tfidf_has_nothing_to_search(tmp_path, tiny):
    with pytest.raises(InputError, match="tfidf has no learning rate"):
        hyperparameters.search(
            make_job(tmp_path, "tfidf"), hyperparameters.settings(GIVEN), tmp_path, TRAIN, VALID
        )


def test_the_grid_has_the_form_of_table_10():
    index = ["lr_1e-05_epochs_5", "lr_1e-05_epochs_10", "lr_0.0001_epochs_5", "lr_0.0001_epochs_10"]
    table = pd.DataFrame(
        {
            "learning_rate": [1e-5, 1e-5, 1e-4, 1e-4],
            "epochs": [5, 10, 5, 10],
            "score": [0.1, 0.2, 0.3, 0.4],
        },
        index=index,
    )
    wide = hyperparameters.grid(table)
    assert list(wide.index) == [5, 10] and list(wide.columns) == ["1e-05", "0.0001"]
    assert wide.loc[10, "1e-05"] == 0.2 and wide.loc[5, "0.0001"] == 0.3


def test_what_cannot_be_told_from_the_best():
    gold = ["positive", "neutral", "negative"] * 40
    one_off = ["negative", *gold[1:]]
    wrong = ["negative"] * 60 + gold[60:]
    parts = {"best": gold, "near": one_off, "far": wrong}
    rows = [
        pd.DataFrame({"id": range(120), "gold": gold, "label": labels, "test": name})
        for name, labels in parts.items()
    ]
    assert hyperparameters.indistinct(pd.concat(rows), "best", LABELS, 1) == ["near"]


def test_the_chosen_settings_are_an_entry_of_the_models_file():
    row = pd.Series({"learning_rate": 5e-5, "epochs": 7.0, "score": 0.9})
    entry = yaml.safe_load(
        hyperparameters.entry(
            "distilbert", row, {"batch_size": 32, "schedule": "linear", "weight_decay": 0.01}
        )
    )
    expected = {
        "learning_rate": 5e-5,
        "epochs": 7,
        "batch_size": 32,
        "max_length": 512,
        "schedule": "linear",
        "weight_decay": 0.01,
        "max_grad_norm": 1.0,
    }
    expected |= {"sampling": "random"}
    assert {
        name: float(value) if name == "learning_rate" else value
        for name, value in entry["training"].items()
    } == expected


@pytest.mark.long
def test_the_english_grid_plans_four_models_on_five_tasks(tmp_path):
    said = planned(
        tmp_path,
        yaml.safe_load((ROOT / "config/english.yaml").read_text(encoding="utf-8"))
        | {"profile": "own"},
    )
    assert (
        said.count("notebooks/01_finetune.ipynb")
        == said.count("notebooks/07_perturbation_grid.ipynb")
        == 20
    )
    line = next(
        line
        for line in said.splitlines()
        if "xlnet/07_perturbation_grid/paws" in line and "study notebook" in line
    )
    assert (
        "dataset=paws" in line
        and "language=en" in line
        and "keyboard, ocr, spelling, character_typos" in line
    )


@pytest.mark.long
def test_minimal_pairs_need_no_training(tmp_path):
    said = planned(
        tmp_path,
        yaml.safe_load((ROOT / "config/pairs.yaml").read_text(encoding="utf-8"))
        | {"profile": "own"},
    )
    assert said.count("notebooks/13_minimal_pairs.ipynb") == 2  # ours and LINDSEA's
    assert "notebooks/01_finetune.ipynb" not in said


def test_a_model_that_is_named_in_only_runs_what_its_patterns_match(tmp_path):
    """Its checkpoint is loaded by the chart over models of another one's 02 where it has such a
    checkpoint.
    """
    runs = {
        "01_finetune": {"default": {}, "seed_2": {"seed": 2}},
        "02_conventional_metrics": {"default": {}, "seed_2": {"seed": 2}},
        "05_typos": {"default": {}},
    }
    profile = {
        "profile": "own",
        "dataset": "embedded",
        "models": ["tfidf", "mini-scratch"],
        "runs": runs,
        "only": {"mini-scratch": ["01_*/default", "05_*"]},
    }
    said = planned(tmp_path, profile)
    ran = sorted(re.findall(r"own/(\S+)/(\d\d)_\w+/(\w+) model_name", said))
    both = [
        (model, notebook, "default")
        for model in ("mini-scratch", "tfidf")
        for notebook in ("01", "05")
    ]
    assert ran == sorted(
        [*both, ("tfidf", "02", "default"), ("tfidf", "01", "seed_2"), ("tfidf", "02", "seed_2")]
    )


def test_every_training_of_a_search_is_a_job_of_its_own(tmp_path):
    """The thesis's nine for each of two searches, which differ in their data; and one more run that
    loads them.
    """
    runs = {"14_hyperparameters": {"default": {}, "hate": {"dataset": "hate_speech", "seed": 2}}}
    said = planned(
        tmp_path, {"profile": "own", "dataset": "embedded", "models": ["mini"], "runs": runs}
    )
    assert said.count("notebooks/01_finetune.ipynb") == 18
    line = next(
        line
        for line in said.splitlines()
        if "/hate_lr_5e-05_epochs_7" in line and "study notebook" in line
    )
    for word in (
        "dataset=hate_speech",
        "seed=2",
        "learning_rate=5e-05",
        "epochs=7",
        "batch_size=32",
        "schedule=linear",
        "weight_decay=0.01",
    ):
        assert word in line.split()
    assert said.count("notebooks/14_hyperparameters.ipynb") == 2
