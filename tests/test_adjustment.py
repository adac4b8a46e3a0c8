"""Rare labels are answered more often where that serves macro-F1."""

import folders
import numpy as np
import pytest
from sklearn.metrics import f1_score

from tahanuji import data, models, predict, training
from tahanuji.errors import InputError
from tahanuji.harden import adjustment, defences

LABELS = data.labels("embedded")
ORDERS = [LABELS, LABELS[::-1]]
AMOUNTS = np.array([-0.5, -2.0, -1.0])


@pytest.fixture(scope="module")
def splits():
    """Training texts of which one in ten is neutral, and validation texts as they come."""
    train, valid = (data.load("embedded", name) for name in ("train", "valid"))
    rare = train[train["label"] == "neutral"].head(40)
    both = train[train["label"] != "neutral"].head(360)
    rows = train.loc[sorted([*rare.index, *both.index])]
    rows.attrs = train.attrs
    return rows, valid


@pytest.fixture(scope="module")
def n_grams(splits, tmp_path_factory):
    job = training.Job("tfidf", "embedded", tmp_path_factory.mktemp("job"), seed=1)
    return defences.fit("normaliser", job, *splits, {})


@pytest.mark.parametrize("labels", ORDERS)
def test_a_network_answers_by_shares_and_its_original_is_left_alone(tmp_path, labels):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    network = models.load(folder, labels)
    texts = ["gk enak", "murah dan enak", "biasa saja"]
    before = network.predict_proba(texts)
    after = adjustment.adjusted(network, AMOUNTS)
    wanted = before * np.exp(-AMOUNTS)
    assert after.predict_proba(texts) == pytest.approx(
        wanted / wanted.sum(1, keepdims=True), abs=1e-6
    )
    assert np.array_equal(network.predict_proba(texts), before)


def test_n_grams_keep_what_was_lowered_when_they_are_saved(n_grams, tmp_path):
    texts = ["gk enak", "murah dan enak", "biasa saja"]
    wanted = n_grams.predict_proba(texts) * np.exp(-AMOUNTS)
    after = adjustment.adjusted(n_grams, AMOUNTS)
    defences.save(after, tmp_path, "normaliser")
    for one in (after, defences.load(tmp_path)):
        assert one.predict_proba(texts) == pytest.approx(
            wanted / wanted.sum(1, keepdims=True), abs=1e-6
        )


def test_n_grams_of_two_labels_have_one_logit(splits, tmp_path):
    train, valid = (one[one["label"] != "neutral"] for one in splits)
    for one, whole in zip((train, valid), splits, strict=True):
        one.attrs = whole.attrs
    job = training.Job("tfidf", "embedded", tmp_path, seed=1)
    two = defences.fit("", job, train, valid, {})
    before = two.predict_proba(["enak", "mahal"])
    wanted = before * np.exp(-AMOUNTS)
    after = adjustment.adjusted(two, AMOUNTS).predict_proba(["enak", "mahal"])
    assert after == pytest.approx(wanted / wanted.sum(1, keepdims=True), abs=1e-6)


def test_the_strength_is_that_of_the_best_macro_f1(n_grams, splits):
    train, valid = splits
    made, found = adjustment.chosen(n_grams, train, valid)
    assert found["strength"].tolist() == list(adjustment.STRENGTHS)
    said = predict.named(made.predict_proba(data.inputs(valid)), made.labels)
    plain = predict.named(n_grams.predict_proba(data.inputs(valid)), n_grams.labels)
    score = f1_score(valid["label"], said, average="macro")
    assert score == pytest.approx(found["macro_f1"].max())
    assert score > f1_score(valid["label"], plain, average="macro") == found["macro_f1"][0]
    assert (said == "neutral").sum() > (plain == "neutral").sum()


def test_what_cannot_be_adjusted_is_refused(n_grams, splits):
    train, valid = splits
    with pytest.raises(InputError, match="the training texts have no neutral"):
        adjustment.chosen(n_grams, train[train["label"] != "neutral"], valid)
    with pytest.raises(InputError, match="is neither a network nor n-grams"):
        adjustment.adjusted(predict.Classifier(LABELS), AMOUNTS)
