"""What several classifiers answer about unlabelled texts, as training rows of one network."""

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import runner
from recompute import recomputed
from torch.nn.functional import cross_entropy

import tahanuji
from helpers import tables
from tahanuji import data, training
from tahanuji.errors import InputError
from tahanuji.harden import distillation, recipe

LABELS = data.labels("embedded")
ROWS = data.load("embedded", "train").head(12)
ROWS.attrs["source"] = data.load("embedded", "train").attrs["source"]


def answers(*likeliest: int) -> np.ndarray:
    """Answers of 0.8 for one label each, and 0.1 for the others."""
    return np.where(np.arange(3) == np.array(likeliest)[:, None], 0.8, 0.1)


def test_teachers_are_networks_of_several_seeds_and_n_grams(tmp_path, monkeypatch):
    fitted = []

    def fit(names, job, train, valid, chosen):
        fitted.append((names, job.model_name, job.seed, job.folder.name))
        job.facts["training_seconds"] = float(len(fitted))
        return SimpleNamespace(labels=LABELS)

    monkeypatch.setattr("tahanuji.harden.defences.fit", fit)
    job = training.Job("mini", "embedded", tmp_path, seed=5)
    made, seconds = distillation.teachers(job, ROWS, ROWS, 2)
    assert fitted == [
        ("", "mini", 5, "teacher_1"),
        ("", "mini", 6, "teacher_2"),
        ("", "tfidf", 5, "teacher_3"),
    ]
    assert (len(made), seconds, job.facts) == (3, [1.0, 2.0, 3.0], {})
    with pytest.raises(InputError, match="at least one network teaches, not 0"):
        distillation.teachers(job, ROWS, ROWS, 0)


def test_as_many_texts_of_each_label_are_taken():
    texts = [f"teks {number}" for number in range(9)]
    made = distillation.rows(ROWS, texts, answers(0, 0, 0, 0, 1, 1, 1, 2, 2), LABELS, 0, 1)
    assert made["label"].tail(6).tolist() == [label for label in LABELS for _ in range(2)]
    fewer = distillation.rows(ROWS, texts, answers(0, 0, 0, 0, 1, 1, 1, 2, 2), LABELS, 3, 1)
    assert len(fewer) == len(ROWS) + 3
    assert distillation.shares(made).columns.tolist() == LABELS
    assert distillation.shares(made).sum(axis=1).to_numpy() == pytest.approx(1)
    own = distillation.shares(made).head(len(ROWS))
    assert own.idxmax(axis=1).tolist() == ROWS["label"].tolist()
    assert set(own.to_numpy().ravel()) == {0.0, 1.0}


def test_training_texts_and_repetitions_teach_nothing():
    texts = ["satu", "satu", "dua", "tiga", ROWS["text"][0]]
    made = distillation.rows(ROWS, texts, answers(0, 0, 1, 2, 2), LABELS, 0, 1)
    assert made["text"].tail(3).tolist() == ["satu", "dua", "tiga"]
    assert made["id"].is_unique


def test_a_label_that_no_teacher_gives_is_said():
    with pytest.raises(InputError, match="one of the labels to no unlabelled text"):
        distillation.rows(ROWS, ["a", "b"], answers(0, 1), LABELS, 0, 1)


@pytest.fixture(scope="module")
def network():
    """A classifier, its recipe on taught rows, and those rows."""
    made = distillation.rows(ROWS, ["a", "b", "c"], answers(0, 1, 2), LABELS, 0, 1)
    job = training.Job("mini", "embedded", None, seed=1)
    chosen = training.settings("mini", epochs=1, batch_size=8, max_length=32)
    return training.fresh(job, chosen), recipe.Recipe(job, made, ROWS, chosen), made


def test_a_network_reads_the_shares_in_the_order_of_its_columns(network):
    from tahanuji.harden import online

    classifier, own, made = network
    rows, kind = online.drawing(own, classifier, made)
    assert kind is online.Taught
    at = dict(zip(classifier.labels, classifier.columns, strict=True))
    assert own.online
    for number in (0, len(made) - 1):
        shares = distillation.shares(made).loc[number]
        assert [rows[number]["labels"][at[label]] for label in LABELS] == shares.tolist()


def test_the_loss_is_the_cross_entropy_with_shares_and_with_labels(network):
    from tahanuji.harden.online import Taught

    logits = torch.tensor([[1.0, 0.0, -1.0], [0.5, 0.2, 0.1]])

    def loss(labels):
        given = {"input_ids": torch.zeros(2, 3), "labels": labels}
        return Taught.compute_loss(None, lambda input_ids: {"logits": logits}, given)

    one_hot = torch.tensor([[1.0, 0, 0], [0, 0, 1.0]])
    assert loss(one_hot) == pytest.approx(loss(torch.tensor([0, 2])).item())
    assert loss(logits.softmax(-1)) < loss(one_hot.flip(1))
    assert loss(one_hot) == pytest.approx(cross_entropy(logits, torch.tensor([0, 2])).item())


@pytest.mark.long
def test_a_network_trained_on_teachers_answers_gives_them(tmp_path):
    texts = [f"kata {word}" for word in ("enak", "bagus", "biasa", "buruk", "jelek", "kabar")]
    said = answers(2, 2, 1, 0, 0, 1)  # the wrong way round: nothing else has taught it that
    made = distillation.rows(ROWS.head(0), texts, said, LABELS, 0, 1)
    valid = pd.DataFrame({"id": list("abc"), "text": texts[:3], "label": LABELS})
    data.describe(made, name="taught")
    data.describe(valid, name="taught")
    job = training.Job("mini", "embedded", tmp_path / "own", seed=1, precision="fp32")
    chosen = training.settings("mini", epochs=30, batch_size=3, max_length=16, learning_rate=5e-4)
    recipe.train(recipe.Recipe(job, made, valid, chosen))
    from tahanuji import models

    last = models.load(job.folder / "last", LABELS)
    assert np.abs(last.predict_proba(texts) - said).max() < 0.25


@pytest.mark.long
def test_the_notebook_writes_the_classifier_and_what_each_step_gave(tmp_path):
    few = ["teachers=1", "amount=60", "test_rows=20", "attacked_rows=4", "model_name=tfidf"]
    done = runner(tmp_path, "18_classifier", "own/tfidf/18_classifier/default", *few)
    assert done.returncode == 0, done.stderr[-2000:]
    folder = tmp_path / "own" / "tfidf" / "18_classifier" / "default"
    predictions, metrics = (
        tables.read(folder / f"{name}.csv", []) for name in ("predictions", "metrics")
    )
    recomputed(predictions, metrics, json.loads((folder / "provenance.json").read_text()))
    steps = ["undefended", "normaliser+noise", "teachers together", "taught", "classifier"]
    assert metrics["group"].unique().tolist() == steps
    seconds = tables.read(folder / "costs.csv", []).set_index("defence")["seconds of training"]
    assert seconds["classifier"] > seconds["teachers together"] > seconds["undefended"]
    classifier = tahanuji.load(folder / "checkpoint" / "classifier")
    assert np.array_equal(*classifier.predict_proba(["enakkk sekali", "enak sekali"]))
