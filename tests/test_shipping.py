"""A finished run of 18_classifier becomes a model that ships: calibrated, small, read alike by
every program, and with a card that says what breaks it.
"""

import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import ROOT
from huggingface_hub import ModelCard
from safetensors import safe_open
from sklearn.linear_model import LogisticRegression
from transformers import pipeline

import tahanuji
from tahanuji import data, measure, models, predict, shipping
from tahanuji.errors import InputError
from tahanuji.harden import defences, trials
from tahanuji.instrument import instrument
from tahanuji.models import export
from tahanuji.shipping import card

ROWS = {"train": 150, "valid": 100, "test": 90}


class Rule:
    """Tells sentiment by two words, and what is about neither by its length."""

    labels = data.LABELS

    def __init__(self, *bad: str):
        self.bad = bad

    def predict_proba(self, texts, precision="fp32"):
        said = [2 if any(word in text for word in self.bad) else len(text) % 2 for text in texts]
        return np.eye(3, dtype=np.float32)[said]


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A data set of its own, small enough to train on in a test."""
    folder = tmp_path_factory.mktemp("data") / "ulasan"
    folder.mkdir()
    for split, count in ROWS.items():
        frame = data.load("embedded", split).sample(count, random_state=1)
        frame[["text", "label"]].to_csv(folder / f"{split}.csv", index=False)
    return folder


@pytest.fixture(scope="module")
def run(texts, tmp_path_factory):
    """A run as 18 leaves it: a network that is surer than it is right, and the tables."""
    folder = tmp_path_factory.mktemp("runs") / "default"
    classifier = learned(data.load(str(texts), "train"))
    defences.save(classifier, folder / "checkpoint" / "classifier", "normaliser")
    tables(folder, data.load(str(texts), "test").head(40))
    given = {"model_name": "next", "dataset": str(texts), "seed": 1, "unlabelled": ""}
    given |= {"files": "", "leave_out": "", "amount": 60, "teachers": 1, "defences": "normaliser"}
    about = {"parameters": given | {"run_dir": str(folder)}, "device": "CPU, threads: 1"}
    (folder / "provenance.json").write_text(json.dumps(about), encoding="utf-8")
    return folder


def learned(rows: pd.DataFrame):
    """A network whose head is a logistic regression, fitted to its rows too well."""
    classifier = models.build("mini", data.LABELS, max_length=40)
    head, given = classifier.model.classifier, list(rows["text"])
    how = {"padding": True, "truncation": True, "max_length": 40, "return_tensors": "pt"}
    with torch.no_grad():
        read = classifier.model.bert(**classifier.tokenizer(given, **how)).pooler_output
        fitted = LogisticRegression(C=1000, max_iter=500).fit(read, rows["label"])
        order = [list(fitted.classes_).index(label) for label in data.LABELS]
        head.weight.copy_(torch.tensor(fitted.coef_[order]))
        head.bias.copy_(torch.tensor(fitted.intercept_[order]))
    return classifier


def tables(folder, test: pd.DataFrame) -> None:
    """The tables of a run, of two rules in place of networks."""
    asked = (instrument("typos", rate=0.3), instrument("contraction", rate=1.0))
    changed = {one: one.apply(test, seed=1) for one in asked}
    parts = [trials.unchanged(test, "unchanged"), trials.changed(test, changed)]
    parts += [trials.reworded("embedded", "informal wording (triplets)", 1), trials.skills()]
    named = {trials.PLAIN: Rule("tidak"), "classifier": Rule("tidak", "gak")}
    rows = [trials.rows(one, parts).assign(group=name) for name, one in named.items()]
    rows = pd.concat(rows, ignore_index=True)
    trials.compared(rows).to_csv(folder / "metrics.csv", index=False)
    kinds = rows[rows["quantity"].isin([trials.ADDED, trials.FLIPS])]
    judged = measure.verdicts(kinds, "INV", [0.05, 0.1])
    judged.to_csv(folder / "verdicts.csv", index=False)
    tried = {"strength": [0, 0.5, 1], "accuracy": 0.8, "macro_f1": [0.7, 0.75, 0.72]}
    pd.DataFrame(tried).to_csv(folder / "strengths.csv", index=False)


@pytest.fixture(scope="module")
def shipped(run, tmp_path_factory):
    """The model of the run; in place of its ONNX files, which take half a minute, the network."""
    out = tmp_path_factory.mktemp("models") / "sentiment"

    def written(folder):
        (folder / "onnx").mkdir()
        for name in (export.FULL, export.QUANTIZED):
            (folder / name).write_bytes(b"0")
        return export.network(folder)

    def asked(path, classifier, texts):
        return classifier.predict_proba(texts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "onnxruntime", sys)
        patch.setattr(export, "export", written)
        patch.setattr(export, "probabilities", asked)
        shipping.ship(run, out, "mini")
    return out


def card_of(folder) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_temperature_is_that_of_the_validation_texts_and_folded_into_the_weights(
    run, texts, shipped
):
    valid = data.load(str(texts), "valid")
    before = models.load(run / "checkpoint" / "classifier", data.LABELS)
    raw = defences.wrap("normaliser", before, None).predict_proba(list(valid["text"]))
    after = tahanuji.load(shipped).predict_proba(list(valid["text"]))
    fitted = measure.temperature(raw, list(valid["label"]), data.LABELS)
    assert fitted > 1.5
    assert fitted == pytest.approx(models.read_card(shipped)["temperature"], abs=1e-4)
    scores = np.log(raw.astype(float)) / fitted
    cooled = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    assert np.abs(cooled - after).max() < 0.005  # half precision
    errors = [measure.ece(one, list(valid["label"]), data.LABELS) for one in (raw, after)]
    assert errors[1] < errors[0] - 0.05
    assert f"| validation texts | {100 * errors[0]:.1f}% | {100 * errors[1]:.1f}% |" in card_of(
        shipped
    )


def test_every_program_reads_the_same_probabilities(shipped):
    classify = pipeline("text-classification", model=str(shipped), truncation=True, top_k=None)
    text = "gak enak bgt, pdhl mahal"
    own = tahanuji.load(shipped).predict_proba([text])[0]
    said = {one["label"]: one["score"] for one in classify([tahanuji.normalise(text)])[0]}
    assert [said[label] for label in data.LABELS] == pytest.approx(own, abs=0.005)
    assert len(classify(["kopi enak " * 400])[0]) == 3  # cut at what the network has read


def test_it_is_in_half_precision_and_reads_with_both_halves(run, shipped):
    with safe_open(shipped / "model.safetensors", "pt") as stored:
        assert {stored.get_slice(name).get_dtype() for name in stored.keys()} == {"F16"}  # noqa: SIM118
    assert defences.before(shipped) == {"defences": "normaliser", "half": None}
    assert defences.before(run / "checkpoint" / "classifier")["half"] == "hardening"


def test_the_card_says_first_what_breaks_and_no_text_or_place(run, texts, shipped):
    page = card_of(shipped)
    sections = re.findall(r"^## (.+)$", page, re.MULTILINE)
    assert sections[0] == "What still breaks it"
    broken = [row for row in shipping.tables(run)["verdicts"] if row["verdict"] == "breaks"]
    assert broken and f"breaks under {len(broken)} of them" in page
    verdicts = re.findall(r"\| \d+ \| (breaks|undecided|withstands)[^|]*\|$", page, re.MULTILINE)
    assert verdicts == sorted(verdicts, key=["breaks", "undecided", "withstands"].index)
    assert verdicts[: len(broken) + 1].count("breaks") == len(broken)
    assert "| informal wording (triplets) | flips |" in page and "skills, other capab" in page
    assert "\n* Unlabelled texts: the training texts alone.\n" in page
    for split in ROWS:
        assert not [one for one in data.load(str(texts), split)["text"] if one in page]
    assert str(texts.parent) not in page and "model_name=mini dataset=ulasan" in page
    plain = re.findall(
        r"^\| typos 0.3 \| errors added \| ([^|]+) \| ([^|]+) \|", page, re.MULTILINE
    )
    (row,) = [row for row in shipping.tables(run)["verdicts"] if row["title"] == "typos 0.3"]
    assert plain == [(f"{row['before']:points}", f"{row['number']:points}")]
    assert "lowered by 0.5 times the logarithm" in page and "75.0% against 70.0% without" in page
    assert "It began as `mini`" in page and models.read_card(shipped)["model_name"] == "mini"


def test_the_numbers_of_the_card_are_those_of_the_test_texts(texts, shipped):
    test, page = data.load(str(texts), "test"), card_of(shipped)
    classifier = tahanuji.load(shipped)
    given, gold = classifier.predict_proba(list(test["text"])), list(test["label"])
    right = measure.share_of(predict.named(given, classifier.labels) == np.array(gold))
    assert f"{right:%} are labelled correctly" in page
    rows = re.findall(r"^\| (0\.\d+) \| (.+) \|$", page, re.MULTILINE)
    assert len(rows) == len(shipping.THRESHOLDS)
    for least, part in rows:
        shares = measure.selective(given, gold, classifier.labels, float(least))
        assert part == " | ".join(f"{one:%}" for one in shares)
    for label in classifier.labels:
        own = np.array(gold) == label
        recall = (predict.named(given, classifier.labels)[own] == label).mean()
        assert re.search(rf"^\| {label} \| {own.sum()} \| .*\| {100 * recall:.1f}% \(", page, re.M)
    about = ModelCard(page).data
    assert about.license == "cc-by-sa-4.0" and about.pipeline_tag == "text-classification"
    values = {one.metric_type: one.metric_value for one in about.eval_results}
    assert values["accuracy"] == pytest.approx(right.value, abs=1e-4)
    assert set(values) == {"accuracy", "f1", "ece"}


def test_the_licences_of_labels_and_unlabelled_texts_are_said(texts, tmp_path):
    smsa = card.origin("smsa")
    assert smsa["repository"] == "IndoNLP/indonlu" and "CC BY-SA 4.0" in smsa["licence"]
    assert card.origin(str(texts)) == {"about": "ulasan", "repository": ""}
    (tmp_path / "santai.txt").write_text("satu dua\ntiga\n", encoding="utf-8")
    (tmp_path / "santai.sources.txt").write_text("forum\nforum\n", encoding="utf-8")
    said = "| key | repository | licence |\n| --- | --- | --- |\n| forum | o/n @ 1 | CC BY 4.0 |\n"
    (tmp_path / "heldout_santai.txt").write_text("empat\n", encoding="utf-8")
    (tmp_path / "README.md").write_text(said, encoding="utf-8")
    given = {"unlabelled": str(tmp_path), "files": "", "leave_out": ""}
    assert re.search(r"forum +\| +3 \| o/n @ 1 +\| CC BY 4.0", card.sources(given))
    assert "tiga" not in card.sources(given)


def test_what_cannot_be_shipped_is_refused(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", sys)
    with pytest.raises(InputError, match="no finished run"):
        shipping.ship(tmp_path, tmp_path / "out")
    folder = tmp_path / "checkpoint" / "classifier"
    folder.mkdir(parents=True)
    (folder / models.CARD).write_text('{"kind": "tfidf", "labels": ["a"]}', encoding="utf-8")
    with pytest.raises(InputError, match="a network is wanted"):
        export.network(folder)


@pytest.mark.long
def test_the_command_ships_a_run_and_its_onnx_files_answer_as_the_network(run, texts, tmp_path):
    out = tmp_path / "sentiment"
    command = [sys.executable, str(ROOT / "scripts/ship_classifier.py"), str(run), str(out)]
    command += ["--encoder", "mini"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    classifier, test = export.network(out), list(data.load(str(texts), "test")["text"])
    asked = ["", "enak", "kopi " * 300, *test]
    own = classifier.predict_proba(asked)
    full, small = (
        export.probabilities(out / name, classifier, asked)
        for name in (export.FULL, export.QUANTIZED)
    )
    assert np.abs(full - own).max() < 1e-3
    equal = (small.argmax(1) == own.argmax(1))[-len(test) :]
    assert equal.mean() > 0.8  # of a head that is fitted too well
    assert (
        f"{measure.share_of(equal):%} | {np.abs(small - own)[-len(test) :].max():.2g} |"
        in card_of(out)
    )
    assert (out / export.QUANTIZED).stat().st_size < (out / export.FULL).stat().st_size / 3
