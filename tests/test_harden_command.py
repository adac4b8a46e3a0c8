"""The command that hardens a classifier: what it refuses, its table, and the whole way."""

import json
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import folders
import huggingface_hub
import numpy as np
import pandas as pd
import pytest
import torch
from conftest import run_all
from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

import tahanuji
from study import __main__ as study
from study import run
from study.harden import bound, card, command, costs, table
from study.harden.remaining import Remaining
from study.report import words
from tahanuji import data, models, predict, training
from tahanuji.errors import InputError
from tahanuji.harden import defences, interpolation
from tahanuji.measure import Estimate

FUNCTION = """
def labels(texts):
    return ["negative" if "tidak" in text else "positive" for text in texts]
"""
TESTS = [  # label, notebook, test, and value, lower, upper before and after
    ("typos", "05_typos", "typos", (0.30, 0.24, 0.36), (0.05, 0.02, 0.08)),
    ("negation", "04_negation", "gak", (0.10, 0.07, 0.13), (0.09, 0.06, 0.12)),
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """The folder that the command is called from, with a function; runs go below outputs/."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("TAHAN_CALLED_FROM", str(tmp_path))
    (tmp_path / "penilai_saya.py").write_text(FUNCTION, encoding="utf-8")
    return tmp_path


def folder(place, *splits: str):
    """A folder with some rows of the embedded corpus."""
    place.mkdir()
    for split in splits:
        frame = data.load("embedded", split).head(240)
        frame[["text", "label"]].to_csv(place / f"{split}.csv", index=False)
    return str(place)


def asked(*words: str) -> command.Asked:
    return command.Asked(command.parser().parse_args(words))


def verdicts(at: int) -> pd.DataFrame:
    """Made-up verdicts of one audit."""
    rows = [
        {
            "model": "m", "label": row[0], "notebook": row[1], "test": row[2], "type": "INV",
            "quantity": "errors added", "margin": 0.05, "n": 300, "counted": True,
            **dict(zip(("value", "lower", "upper"), row[3 + at], strict=True)),
            "shown": "breaks" if row[3 + at][1] > 0.05 else "undecided",
        }
        for row in TESTS
    ]  # fmt: skip
    weak = {**rows[0], "label": "weak", "counted": at == 1, "value": 0.9}
    return pd.DataFrame([*rows, weak])


def paged(made: pd.DataFrame, clean: dict, **more) -> str:
    """The page of a hardening."""
    costs = {
        "before": {"trained": 4.04, "answered": 0.25},
        "after": {"trained": 1234, "answered": 0.5},
    }
    about = {"classifier": "m", "defence": "normaliser", "half": None, "costs": costs, "bound": {}}
    return words.text("en", "hardened", **about | more, **table.outcome(made, clean))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tfidff"], "did you mean 'tfidf'"),
        (["tfidf", "--half", "third"], "--half takes both, hardening or tests."),
        (["tfidf", "--clean-loss", "-1"], "points from 0 to 100"),
        (["mini", "--defence", "armour"], "unknown defence 'armour'"),
        (["a:f", "--clean-loss", "1"], "mixes weights, and here nothing is trained"),
        (["a:f", "--defence", "normaliser+noise"], "noise needs training, and a black box"),
        (["mini", "--data", "TEST", "--defence", "noise"], "holds no train split"),
        (["mini", "--data", "TRAIN"], "holds train but no valid"),
        (["mini", "--data", "nowhere"], "no file"),
        (["penilai:x", "--map", "a"], "--map takes name=label pairs"),
        (["classifier.py:labels"], "give your file another name"),
        (["tfidf", "--dry-run"], "has no --plan or --dry-run"),
        (["tfidf", "--unlabelled", "penilai_saya.py"], "--unlabelled is for networks"),
        (["mini", "--unlabelled", "nowhere.txt"], "--unlabelled nowhere.txt: No such file"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(here, capsys, words, message):
    places = {"TEST": folder(here / "t", "test"), "TRAIN": folder(here / "n", "train", "test")}
    assert study.main(["harden", *(places.get(word, word) for word in words)]) == 2
    said = capsys.readouterr().err
    assert message in said and said.count("\n") == 1


def test_a_misspelt_label_of_training_texts_is_no_label_of_its_own(here):
    place = folder(here / "d", "train", "valid", "test")
    train = pd.read_csv(here / "d/train.csv")
    train.loc[:3, "label"] = "postif"
    train.to_csv(here / "d/train.csv", index=False)
    with pytest.raises(InputError, match="postif=positive"):
        asked("tfidf", "--data", place).trained()
    assert set(asked("tfidf", "--data", place, "--map", "postif=-").frames["train"]["label"]) == {
        *data.LABELS
    }


def test_a_function_may_lie_in_a_folder_with_blanks(here):
    (here / "kerja saya").mkdir()
    (here / "kerja saya" / "penilai_kami.py").write_text(FUNCTION, encoding="utf-8")
    assert asked("kerja saya/penilai_kami.py:labels").black_box


def test_defences_follow_from_the_model():
    assert asked("mini").defence == "normaliser+agreement"
    assert asked("mini", "--clean-loss", "2").defence == "normaliser+agreement"
    assert asked("tfidf", "--defence", "noise+interpolation").points == 1
    assert asked("tfidf").defence == asked("penilai_saya.py:labels").defence == "normaliser"
    assert asked("tfidf").half is None and asked("tfidf", "--half", "tests").half == "tests"
    assert asked("owner/model", "--name", "saya").folder.name == "harden-saya"


def test_defences_follow_from_what_the_classifier_is_to_stand(here):
    assert asked("mini", "--against", "skills, typing").defence == "templates+normaliser+agreement"
    assert asked("tfidf", "--against", "colloquial").defence == "normaliser+noise+wordings"
    given = asked("mini", "--against", "mixing", "--defence", "pieces")
    assert given.defence == "pieces"  # what is named outright counts


@pytest.mark.parametrize(
    ("model", "named", "second", "message"),
    [
        ("tfidf", "wordings", "", "needs a network or labels of sentiment"),
        ("mini", "normaliser+wordings", "lagi", "is for single texts"),
        ("tfidf", "agreement", "", "needs a network, and tfidf is none"),
    ],
)
def test_what_cannot_be_trained_is_refused_before_the_plain_training(
    here, monkeypatch, model, named, second, message
):
    (here / "d").mkdir()
    for split in ("train", "valid", "test"):
        rows = [("senang", "joy"), ("takut", "fear")] * 4
        table = pd.DataFrame(rows, columns=["text", "label"])
        table = table.assign(text_pair=second) if second else table
        table.to_csv(here / "d" / f"{split}.csv", index=False)
    monkeypatch.setattr(command.Asked, "fit", lambda *given: pytest.fail("it was trained"))
    with pytest.raises(InputError, match=message):
        asked(model, "--data", "d", "--defence", named).trained()


def test_an_aim_that_no_defence_has_is_refused(here):
    with pytest.raises(InputError, match="typing, slang, colloquial, mixing, skills"):
        asked("mini", "--against", "sarcasm")


def test_a_network_learns_what_several_answer_about_unlabelled_texts(here, monkeypatch):
    (here / "more.txt").write_text("enak\n\n  biasa  \nburuk\n", encoding="utf-8")
    own = asked("mini", "--unlabelled", "more.txt", "--half", "tests")
    assert own.unlabelled == ["enak", "biasa", "buruk"]
    said, learned = [], []

    def teachers(job, rows, valid):
        said.append(job.folder.name)
        labels = data.labels("embedded")
        return [SimpleNamespace(labels=labels, predict_proba=lambda *_: np.eye(3))], [1.0]

    monkeypatch.setattr(command.distillation, "teachers", teachers)
    monkeypatch.setattr(command.recipe, "train", lambda one: learned.append(one.rows))
    own.fit("", own.planned("", here / "plain", "embedded"))
    own.fit(own.defence, own.planned(own.defence, here / "hardened", "embedded"))
    assert said == ["teachers"], "the plain training has none, and no training clears their folder"
    plain, taught = learned
    assert taught["text"].tail(3).tolist() == own.unlabelled
    assert taught["label"].tail(3).tolist() == data.labels("embedded")
    assert len(taught) == len(plain) + 3


def certain(rows: int, right: int):
    """A classifier with so many of the rows right, and its weights."""
    shares = np.tile([1.0, 0.0], (rows, 1))
    shares[right:] = [0.0, 1.0]
    return SimpleNamespace(labels=["a", "b"], right=right, predict_proba=lambda texts: shares)


@pytest.mark.parametrize(
    ("points", "share", "loss"),
    [(100, 1, 8), (8, 1, 8), (7.9, 0.75, 6), (1, 0, 0), (0, 0, 0), (3, 0.25, 2)],
)
def test_a_network_that_loses_more_than_the_bound_is_mixed_with_the_plain_one(
    monkeypatch, points, share, loss
):
    """The more of the plain weights, the fewer errors: 8, 6, 4, 2 and 0 more than plainly."""
    valid = pd.DataFrame({"text": [""] * 100, "label": ["a"] * 100})
    plain, hardened = certain(100, 90), certain(100, 82)

    def mixed(one, other, share):
        return certain(100, round(share * other.right + (1 - share) * one.right))

    monkeypatch.setattr(bound, "mixed", mixed)
    own = bound.Bound(plain, valid, points, lambda one: one)
    network = SimpleNamespace(network=True)
    kept = own.finish(None, lambda _: pytest.fail("it was trained"), network, hardened)
    assert (own.facts["share"], own.facts["loss"], own.facts["unmixed"]) == (share, loss, 8)
    assert kept.right == 90 - loss and (kept is hardened) == (share == 1)


def test_a_bound_that_no_mixture_keeps_leaves_the_most_accurate(monkeypatch):
    valid = pd.DataFrame({"text": [""] * 100, "label": ["a"] * 100})
    right = {0.75: 84, 0.5: 87, 0.25: 85, 0.0: 87}
    monkeypatch.setattr(bound, "mixed", lambda one, other, share: certain(100, right[share]))
    own = bound.Bound(certain(100, 90), valid, 1, lambda one: one)
    own.finish(None, None, SimpleNamespace(network=True), certain(100, 80))
    assert (own.facts["share"], own.facts["loss"]) == (0.5, 3)


def test_n_grams_that_lose_more_than_the_bound_are_fitted_again_without_noise(here):
    own = asked("tfidf", "--defence", "noise", "--clean-loss", "0", "--name", "n")
    plan = own.planned("noise", here / "hardened", "embedded")
    plan = plan.changing(rows=plan.rows.head(240), valid=plan.valid.head(120))
    perfect = SimpleNamespace(labels=data.LABELS)
    gold = np.eye(3)[plan.valid["label"].map(data.LABELS.index)]
    perfect.predict_proba = lambda texts: gold
    kept = bound.Bound(perfect, plan.valid, own.points, lambda one: one)
    classifier = own.fit("noise", plan, kept)
    assert (here / "hardened/plain/best/tahan.json").is_file()
    assert 0 < kept.facts["loss"] <= kept.facts["unmixed"]
    right = interpolation.accuracy(classifier, plan.valid)
    assert kept.facts["loss"] == pytest.approx(100 * (1 - right))


def test_the_table_sets_both_audits_side_by_side():
    made = table.compared(verdicts(0), verdicts(1))
    assert made["test"].tolist() == ["typos", "negation"] and made["foremost"].all()
    assert made["family"].tolist() == ["typing", "abbreviation"]
    first = made.iloc[0]
    assert (first["before"], first["after"], first["after_high"]) == (0.30, 0.05, 0.08)
    clean = {"before": Estimate(0.82, 0.78, 0.86, 300), "after": Estimate(0.81, 0.77, 0.85, 300)}
    page = paged(made, clean)
    assert "| typing | typos | +30.0 (24.0 to 36.0) | +5.0 (2.0 to 8.0) |" in page
    assert "Errors in 100, before and after: typing 30.0, 5.0." in page
    assert "Accuracy on 300 unchanged texts: 82.0% before, 81.0% after." in page
    assert (
        "Of 2 tests, 2 were shown to add more than 5 errors in 100 before; now: negation." in page
    )
    assert "negation" in page.split("What still breaks")[1]


def test_a_test_that_no_longer_moves_anything_adds_no_errors_after():
    after = verdicts(1)
    mended = after["label"].isin(["typos", "weak"])
    after.loc[mended, ["value", "lower", "upper"]] = (0.0, -0.01, 0.01)
    after.loc[mended, ["shown", "counted"]] = ("cannot act", False)
    made = table.compared(verdicts(0), after).set_index("test")
    assert made.loc["typos", ["before", "after"]].tolist() == [0.3, 0]
    assert set(made.index) == {"typos", "negation"}, "what could judge neither is left out"
    both = table.compared(after, after)
    assert both["test"].tolist() == ["negation"], "what moves nothing before and after says nothing"


def test_the_page_says_what_trainings_and_answers_cost():
    made, one = table.compared(verdicts(0), verdicts(1)), Estimate(0.8, 0.7, 0.9, 100)
    clean = {"before": one, "after": one}
    page = paged(made, clean)
    assert "Training: 4.04 s plain, 1,234 s hardened." in page
    assert "1,000 answers: 0.25 s before, 0.50 s after." in page and "On validation" not in page
    page = paged(made, clean, costs={"after": {"trained": 0, "answered": 0.1}})
    assert "takes 0.10 s for 1,000 texts." in page and "Training:" not in page
    kept = {"share": 0.75, "loss": 1.0, "unmixed": 2.5, "points": 1}
    page = paged(made, clean, bound=kept)
    assert "2.5 points" in page and "75% are hardened" in page and "is not kept" not in page
    page = paged(made, clean, bound=kept | {"loss": 1.5})
    assert "no mixture of weights loses less than 1.5" in page


def test_costs_are_those_of_finished_trainings_and_of_1000_answers(tmp_path, monkeypatch):
    for name, seconds in (("hardened", 4.5), ("hardened/plain", 2.0), ("teachers", 1.5)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "history.json").write_text(f'{{"seconds": {seconds}}}')
    places = [tmp_path / "hardened", tmp_path / "teachers"]
    asks, clock = [], iter([10.0, 10.5])
    monkeypatch.setattr(costs.time, "perf_counter", lambda: next(clock))
    frame = pd.DataFrame({"text": [f"teks {number}" for number in range(700)]})
    made = costs.of(SimpleNamespace(predict_proba=asks.append), frame, *places)
    assert made == {"trained": 8.0, "answered": 1.0}
    assert [len(texts) for texts in asks] == [costs.WARM, 500], "what is loaded is not timed"
    costs.write(tmp_path / "costs.csv", {"before": made})
    assert (tmp_path / "costs.csv").read_text().splitlines() == [
        "classifier,seconds of training,\"seconds per 1,000 answers\"", "before,8,1",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["network", "n-grams", ""])
def test_the_hub_reads_the_card_of_a_hardened_classifier(tmp_path, kind):
    made = table.compared(verdicts(0), verdicts(1))
    one = Estimate(0.8, 0.7, 0.9, 100)
    name = "normaliser+ensemble" if kind else "normaliser"
    told = {
        "classifier": "saya", "base": "bert", "source": "owner/bert" if kind == "network" else "",
        "kind": kind, "labels": ["a", "b"], "longest": 48, "seed": 1, "defence": name,
        "half": "tests", "standing": name.split("+"), "dataset": "ulasan", "bound": {},
        "files": [{"name": "train.csv", "use": "training", "texts": 1200, "sha256": "abc"}],
        "costs": {"after": {"trained": 0, "answered": 0.1}},
    }  # fmt: skip
    told |= table.outcome(made, {"before": one, "after": one})
    card.write(tmp_path, told, made)
    read = huggingface_hub.ModelCard.load(tmp_path / "README.md")
    right, typing, _ = read.data.eval_results
    assert (right.metric_value, right.dataset_name) == (0.8, "ulasan")
    assert typing.metric_name == "typing: typos: errors added"
    assert typing.metric_args["upper"] == 0.08 and typing.metric_args["verdict"] == "undecided"
    assert (read.data.license, read.data.language) == ("other", "id")
    assert read.data.base_model == ("owner/bert" if kind == "network" else None)
    assert "| typing | typos | +30.0 (24.0 to 36.0) | +5.0 (2.0 to 8.0) |" in read.text
    assert (
        "| train.csv | training | 1,200 | abc |" in read.text and "seed 1" in read.text or not kind
    )
    assert ('normalise("Gk enak bgt, pdhl mahal", half="tests")' in read.text) == (
        kind == "network"
    )
    assert ("Only `tahanuji.load` applies ensemble." in read.text) == (kind == "network")


def test_a_table_of_no_test_says_so():
    made = table.compared(verdicts(0).head(0), verdicts(1).head(0))
    one = Estimate(0.8, 0.7, 0.9, 100)
    page, of_half = (
        paged(made, {"before": one, "after": one}, half=half) for half in (None, "hardening")
    )
    assert "same word lists" in page and "one half of the word lists" in of_half
    assert "--half" not in of_half and made.empty and "No family of changes is shown" in page
    assert "80.0% before, 80.0% after" in page and "now: none." in page


def test_a_black_box_gets_what_acts_at_test(here, monkeypatch, capsys):
    audits, told = [], []
    monkeypatch.setattr(run, "wait_for", lambda words, _: audits.append(words) or 0)
    monkeypatch.setattr(table, "write", lambda _, about, *audits: told.append(about) or "page")
    words = ["penilai_saya.py:labels", "--data", "x.csv", "--labels", "positive,negative"]
    frame = data.load("embedded", "test").query("label != 'neutral'").head(20)
    frame[["text", "label"]].to_csv(here / "x.csv", index=False)
    assert study.main(["harden", *words, "--name", "saya", "--quick"]) == 0
    assert capsys.readouterr().out == "page\n"
    before, after = audits
    assert before[2] == words[0] and "saya-before" in before and "--quick" in before
    place, _, name = after[2].rpartition(":")
    scope = {"__file__": place, "__name__": "classifier"}
    exec(Path(place).read_text(encoding="utf-8"), scope)
    rows = scope[name](["gk enak", "enak"])  # the function alone knows no gk
    assert rows == [[0.0, 1.0], [1.0, 0.0]]
    (about,) = told
    assert about["costs"]["after"]["answered"] > about["costs"]["after"]["trained"] == 0
    assert "before" not in about["costs"], "it is not asked for the sake of its time"
    (texts,) = about["files"]
    assert (texts["name"], texts["use"], texts["texts"]) == ("x.csv", "tests", len(frame))
    assert texts["sha256"] == data.sha256(here / "x.csv")


def test_a_finished_training_is_used(here, capsys):
    one = asked("tfidf", "--data", folder(here / "d", "train", "valid", "test"), "--name", "n")
    first, again = one.trained(), one.trained()
    assert first == again and "complete already" in capsys.readouterr().out
    plain = models.load(first["before"][0], data.LABELS)
    assert plain.predict_proba(["enak sekali"]).argmax() == 0


def test_every_epoch_says_what_the_training_takes_at_most(capsys):
    seconds = iter([0, 600, 1200, 1800, 1860, 1920])
    told = Remaining(sys.stdout, 3, lambda: next(seconds))
    for line in ("epoch 1: loss", "epoch 2: loss", "saved", "epoch 3: loss", "epoch 1", "epoch 1:"):
        print(line, file=told, flush=True)
    first, second, saved, third, other, again = capsys.readouterr().out.splitlines()
    assert "at most about 20 min left" in first and "about 10 min" in second
    assert (saved, third, other) == ("saved", "epoch 3: loss", "epoch 1")
    assert "under 2 min left" not in again and "about 2 min" in again  # of the next training


@pytest.mark.long
def test_a_killed_hardening_goes_on_where_it_stood(here, capsys):
    folders.base(here / "tiny", "bert")
    words = ["tiny", "--data", folder(here / "d", "train", "valid", "test"), "--name", "n"]
    code = "import sys; from study.harden import command as one; "
    code += "one.Asked(one.parser().parse_args(sys.argv[1:])).trained()"
    made = here / "outputs/harden-n"
    begun = made / "hardened/steps"
    with subprocess.Popen([sys.executable, "-c", code, *words], stdout=subprocess.DEVNULL) as first:
        while not [*begun.glob("checkpoint-*/trainer_state.json")]:
            assert first.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
        first.kill()
    assert not (made / "hardened/history.json").exists(), "it was killed in the second training"
    before = (made / "plain/history.json").stat().st_mtime_ns
    asked(*words).trained()
    said = capsys.readouterr().out
    assert said.count("complete already") == 1 and "Going on after" in said
    assert (made / "plain/history.json").stat().st_mtime_ns == before
    epochs = [line for line in said.splitlines() if line.startswith("epoch ")]
    assert 0 < len(epochs) < 5, "the first epoch is not trained again"


@pytest.mark.long
def test_transformers_reads_a_hardened_network(here, monkeypatch):
    folders.base(here / "tiny", "bert")
    settings = partial(training.settings, epochs=3, learning_rate=0.01)
    monkeypatch.setattr(training, "settings", settings)  # so that it learns at all
    own = asked("tiny", "--data", folder(here / "d", "train", "valid", "test"), "--name", "n")
    own.trained()
    texts = data.load("embedded", "test")["text"].tolist()[:60]
    hardened = defences.load(own.model)
    bare = defences.behind(hardened)
    expected = list(predict.named(bare.predict_proba(texts), bare.labels))
    assert len({*expected}) > 1
    cut = {"truncation": True, "max_length": own.about()["longest"]}  # as the card has it
    classify = pipeline("text-classification", model=str(own.model), **cut)
    assert [row["label"] for row in classify(texts)] == expected
    network = AutoModelForSequenceClassification.from_pretrained(own.model)
    words = AutoTokenizer.from_pretrained(own.model)
    with torch.no_grad():
        numbers = network(**words(texts, padding=True, return_tensors="pt", **cut))
    named = [network.config.id2label[int(one)] for one in numbers.logits.argmax(-1)]
    assert named == expected
    behind = [row["label"] for row in classify([tahanuji.normalise(text) for text in texts])]
    assert behind == list(predict.named(hardened.predict_proba(texts), hardened.labels))


@pytest.mark.long
def test_a_classifier_is_hardened_and_audited_twice(here):
    place = folder(here / "d", "train", "valid", "test")
    words = [
        "tfidf",
        "--data",
        place,
        "--name",
        "saya",
        "--quick",
        "--cores",
        "1",
        "--until",
        "test",
    ]
    done = run_all(here / "outputs", "harden", *words)
    assert done.returncode == 0, done.stderr[-3000:]
    made = here / "outputs/harden-saya"
    assert (
        json.loads((made / "model/normalise.json").read_text("utf-8"))["defences"] == "normaliser"
    )
    assert {path.name for path in (made / "model").iterdir()} >= {"classifier.py", "tahan.json"}
    rows = pd.read_csv(made / "before_after.csv").set_index("test")
    assert rows.loc["accuracy", "before"] > 0.5 and len(rows) > 3
    assert (rows["before_low"] <= rows["before_high"]).all()
    page = (made / "before_after.md").read_text("utf-8")
    assert page in done.stdout.replace("\r", "") and "**What still breaks.**" in page
    seconds = pd.read_csv(made / "costs.csv").set_index("classifier")["seconds of training"]
    assert (seconds > 0).all() and {*seconds.index} == {"before", "after"}
    read = huggingface_hub.ModelCard.load(made / "model/README.md")
    assert read.data.eval_results[0].metric_value == pytest.approx(rows.loc["accuracy", "after"])
    assert data.sha256(here / "d/valid.csv") in read.text
