"""The classifier that ships, data/models/sentiment: made by the committed run of 18_classifier,
small, loadable, as often right as its card says, and unmoved by what its card says it withstands.
"""

import hashlib
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from safetensors import safe_open
from transformers import pipeline

import tahanuji
from helpers import provenance
from tahanuji import behaviour, data, measure, models, predict, shipping
from tahanuji.harden import defences
from tahanuji.instrument import instrument
from tahanuji.models import export

MODEL = ROOT / "data" / "models" / "sentiment"
RUN = ROOT / "outputs" / "reference" / "cpu" / "mini" / "18_classifier"
recorded = pytest.mark.skipif(not RUN.is_dir(), reason="the reference run of 18 is absent")
TYPED = {  # written for this test, as people type
    "positive": (
        "pelayanannya ramah bgt, makanannya jg enak, pasti balik lg",
        "Barang bgs, pengiriman cepet, recommended seller",
        "kamarnya bersih trus pemandangannya kereen, suka bgt nginep d sini",
        "Rasa sotonya mantap, porsinya pas, harganya jg murah",
    ),
    "negative": (
        "mkanannya ga enak, nunggunya lama bgt, kecewa",
        "nyesel beli dsini, barangnya rusak trus ga bs dibalikin",
        "Kamarnya bau, ac ga dingin, pelayanannya jg judes",
        "aplikasinya sering eror, udh komplain ga ditanggepin jg",
    ),
}


@pytest.fixture(scope="module")
def classifier():
    return tahanuji.load("sentiment")


@pytest.fixture(scope="module")
def card() -> str:
    return (MODEL / "README.md").read_text(encoding="utf-8")


@recorded
def test_it_is_what_the_committed_run_made(card):
    about = provenance.read_json(RUN / "provenance.json")["default"]
    given = about["parameters"]
    assert about["dirty"] is False
    assert given["dataset"] == "smsa" and f"seed={given['seed']}" in card
    table = pd.read_csv(RUN / "verdicts.csv").query(
        "variant == 'default' and group == 'classifier'"
    )
    judged = measure.enough(table[table["margin"] == table["margin"].max()])
    judged = judged[measure.decisive(judged) & judged["verdict"].isin(shipping.ORDER)]
    said = re.findall(r"^\| ([^|]+) \| (?:errors added|flips) \| .* \| ([^|]+) \|$", card, re.M)
    titles = map(measure.title, judged["test"], judged["rate"])
    verdicts = judged["verdict"].replace("stands", "withstands")
    assert dict(said) == dict(zip(titles, verdicts, strict=True))
    assert len(said) == len(judged) > 20
    assert [verdict for _, verdict in said].count("breaks") <= 2


def test_it_is_small_and_in_half_precision():
    assert (MODEL / "model.safetensors").stat().st_size < 16_000_000
    with safe_open(MODEL / "model.safetensors", "pt") as stored:
        assert {stored.get_slice(name).get_dtype() for name in stored.keys()} == {"F16"}  # noqa: SIM118
    about = models.read_card(MODEL)
    weights = data.sha256(MODEL / "model.safetensors")
    assert about["sha256"] == hashlib.sha256(weights.encode()).hexdigest()
    assert about["labels"] == data.LABELS and about["temperature"] > 0
    assert defences.before(MODEL) == {"defences": "normaliser+agreement+wordings", "half": None}


@pytest.mark.parametrize("label", TYPED)
def test_it_reads_what_people_type(classifier, label):
    said = predict.named(classifier.predict_proba(list(TYPED[label])), classifier.labels)
    assert list(said) == [label] * len(TYPED[label])


def test_it_abstains_where_it_is_not_sure(classifier):
    asked = ["enak sekali", "hmm", "biasa saja tapi lumayan lah"]
    shares = classifier.predict_proba(asked)
    said = predict.named(shares, classifier.labels, least=0.9)
    assert [one is None for one in said] == list(shares.max(axis=1) < 0.9)
    assert said[0] == "positive" and None in list(said)


def test_transformers_reads_it_too(classifier):
    classify = pipeline("text-classification", model=str(MODEL), truncation=True, dtype="float32")
    asked = [text for texts in TYPED.values() for text in texts]
    own = classifier.predict_proba(asked)
    said = classify([tahanuji.normalise(text) for text in asked])
    assert [one["label"] for one in said] == list(predict.named(own, classifier.labels))
    assert np.allclose([one["score"] for one in said], own.max(axis=1), atol=1e-3)


def test_it_is_right_as_often_as_its_card_says(classifier, card, mirror):
    test = data.load("smsa", "test")
    own = classifier.predict_proba(data.inputs(test))
    right = measure.share_of(predict.named(own, classifier.labels) == test["label"].to_numpy())
    assert f"{100 * right.value:.1f}% (" in card.split("## What still breaks it")[0]
    assert right.value > 0.84


@pytest.mark.long
def test_typing_hardly_costs_it_answers(classifier, mirror):
    test = data.load("smsa", "test")
    asked = [("typos", 1.0), ("realistic_noise", 0.1), ("contraction", 1.0)]
    asked = [instrument(name, rate=rate) for name, rate in asked]
    rows = behaviour.rows(classifier, test, {one: one.apply(test, seed=1) for one in asked})
    for test, part in rows.groupby("test"):
        assert part["induced"].mean() - part["repaired"].mean() < 0.05, test


@pytest.mark.long
def test_its_onnx_files_answer_as_it_does(tmp_path, classifier):
    pytest.importorskip("onnxruntime")
    folder = shutil.copytree(MODEL, tmp_path / "sentiment")
    export.export(folder)
    asked = [tahanuji.normalise(text) for texts in TYPED.values() for text in texts]
    own = export.network(folder).predict_proba(asked)
    full = export.probabilities(folder / export.FULL, export.network(folder), asked)
    small = export.probabilities(folder / export.QUANTIZED, export.network(folder), asked)
    assert np.abs(full - own).max() < 1e-3
    assert (small.argmax(1) == own.argmax(1)).all()
