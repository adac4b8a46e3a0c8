"""Served models as classifiers: strict answers, a cache on disk, retries, and what may go wrong."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path

import causal
import numpy as np
import pandas as pd
import pytest
import requests
import servers
from conftest import runner
from recompute import recomputes

from helpers import tables
from study import __main__ as study
from study.audit import classifiers, command, texts
from tahanuji import behaviour, checklist, data, measure, models, predict, wordings
from tahanuji.errors import InputError
from tahanuji.models import endpoint, outside, prompts

TEXTS = [f"pesanan nomor {number} datang {'tepat waktu' * (number % 3)}" for number in range(40)]


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """A cache of the test's own, no proxy, and short waits."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("TAHAN_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(endpoint, "BACKOFF", 0.01)


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """The chat completions of a tiny causal model."""
    return servers.model(causal.speaking(tmp_path_factory.mktemp("models") / "tiny"))


def asked(served, labels=data.LABELS, **more):
    card = {"kind": "endpoint", "source": served.address, "max_tokens": 1, **more}
    return models.prompted(card, labels)


def always(*answers):
    """A model that gives these answers in turn, by the number that ends the text."""
    return lambda content: servers.reply(
        answers[int(content["messages"][0]["content"].split("#")[1].split()[0]) % len(answers)]
    )


def test_a_served_model_names_labels_or_is_unparsable(complete):
    with servers.serving(complete) as served:
        classifier = asked(served)
        given = classifier.predict_proba([*TEXTS, TEXTS[0]])
        said = classifier.answers(TEXTS)
    expected = [classifier.wording.meant(said[text]) or "unparsable" for text in TEXTS]
    assert predict.named(given, classifier.labels).tolist() == [*expected, expected[0]]
    assert "unparsable" in expected and len(set(expected)) > 1  # the model's own words
    assert set(given.sum(1)) == {0.0, 1.0}
    assert len(served.asked) == len(set(served.asked)) == len(TEXTS)
    cost = classifier.about()["cost"]
    assert cost["requests"] == cost["completion_tokens"] == len(TEXTS)
    assert cost["prompt_tokens"] > 10 * len(TEXTS)


def test_a_rerun_is_free_and_another_question_is_another(complete):
    with servers.serving(complete) as served:
        first = asked(served).predict_proba(TEXTS)
        again = asked(served)
        np.testing.assert_array_equal(again.predict_proba(TEXTS), first)
        assert len(served.asked) == again.cost["kept_answers"] == len(TEXTS)
        assert again.cost["requests"] == 0 and again.cost["kept_tokens"] > 0
        for more in ({"prompt": "en-review"}, {"temperature": 0.5}, {"model": "other"}):
            before = len(served.asked)
            asked(served, **more).predict_proba(TEXTS[:2])
            assert len(served.asked) == before + 2
    kept = asked(served, model="tiny")  # the server is gone
    np.testing.assert_array_equal(kept.predict_proba(TEXTS), first)


def test_the_cache_holds_no_texts(complete, tmp_path):
    with servers.serving(complete) as served:
        asked(served).predict_proba(TEXTS[:3])
    assert b"pesanan" not in (tmp_path / "cache/answers.sqlite").read_bytes()


CLIENT = """
import json, sys
from tahanuji import models
card, texts = json.load(sys.stdin)
models.prompted(card, ["positive", "neutral", "negative"]).predict_proba(texts)
"""


def test_a_killed_run_goes_on_with_the_rest(complete):
    with servers.serving(complete, seconds=0.05) as served:
        card = {"kind": "endpoint", "source": served.address, "max_tokens": 1, "at_once": 2}
        words = [sys.executable, "-c", CLIENT]
        client = subprocess.Popen(words, stdin=subprocess.PIPE, text=True)
        client.stdin.write(json.dumps([card, TEXTS]))
        client.stdin.close()
        while len(served.asked) < 15 and client.poll() is None:
            time.sleep(0.01)
        client.kill()
        client.wait()
        time.sleep(0.2)
        before = len(served.asked)
        assert 15 <= before < len(TEXTS)
        served.seconds = 0
        resumed = asked(served)
        given = resumed.predict_proba(TEXTS)
        assert len(served.asked) == before + resumed.cost["requests"]
        assert len(TEXTS) <= len(served.asked) <= len(TEXTS) + 2  # those in flight are asked again
        assert resumed.cost["requests"] + resumed.cost["kept_answers"] == len(TEXTS)
    with servers.serving(complete) as other:
        np.testing.assert_array_equal(asked(other).predict_proba(TEXTS), given)


def test_a_server_that_dies_keeps_what_it_said(complete, monkeypatch):
    monkeypatch.setattr(endpoint, "TRIES", 1)

    def dying(content):
        if len(served.asked) > 10:
            raise OSError("gone")
        return complete(content)

    with servers.serving(dying) as served:
        with pytest.raises(InputError, match="answers that came are kept"):
            asked(served, at_once=1).predict_proba(TEXTS)
        served.complete = complete
        resumed = asked(served)
        resumed.predict_proba(TEXTS)
    assert resumed.cost["kept_answers"] == 10 and resumed.cost["requests"] == 30


def test_at_most_so_many_requests_at_a_time(complete):
    with servers.serving(complete, seconds=0.02) as served:
        asked(served, at_once=3).predict_proba(TEXTS)
    assert 1 < served.peak <= 3


def test_a_busy_server_is_asked_again(complete):
    with servers.serving(complete, failures=[429, 503, 500]) as served:
        classifier = asked(served, at_once=1)
        classifier.predict_proba(TEXTS[:4])
    assert classifier.cost["requests"] == len(served.asked) == 4


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"failures": [400]}, "status 400.*busy"),
        ({"failures": [429] * 9}, "status 429"),
        ({"models": ("a", "b")}, r"serves 2 models \(a, b\)"),
        ({"complete": lambda content: {"text": "positif"}}, "as OpenAI's chat completions do"),
        (
            {"complete": lambda content: servers.reply([{"type": "text", "text": "positif"}])},
            "as OpenAI's chat completions do",
        ),
    ],
)
def test_what_cannot_be_used_gets_one_sentence(complete, more, said):
    serving = servers.serving(**{"complete": complete} | more)
    with serving as served, pytest.raises(InputError, match=said):
        asked(served).predict_proba(["ya"])


@pytest.mark.parametrize("listed", [[{"id": "tiny"}], {"data": ["tiny"]}, {"models": []}])
def test_a_list_of_models_of_another_form_gets_one_sentence(complete, monkeypatch, listed):
    with servers.serving(complete) as served:
        monkeypatch.setattr(endpoint.Endpoint, "_request", lambda self, method, path: listed)
        with pytest.raises(InputError, match="as OpenAI's models do .* that ends in /v1"):
            asked(served)


@pytest.mark.parametrize("key", ["sk-raha\rsia", "sk-rähasia–1"])
def test_a_key_that_no_header_carries_is_refused_and_not_shown(complete, monkeypatch, key):
    monkeypatch.setenv("MY_KEY", key)
    with servers.serving(complete, key="sk-rahasia") as served:
        with pytest.raises(InputError, match="MY_KEY holds signs that no header") as caught:
            asked(served, key="MY_KEY").predict_proba(TEXTS[:1])
        assert "sk-" not in str(caught.value)
        monkeypatch.setenv("MY_KEY", "sk-rahasia\r\n")
        assert asked(served, key="MY_KEY").predict_proba(TEXTS[:1]).shape == (1, 3)


def test_a_server_that_is_not_there_gets_one_sentence(complete, monkeypatch):
    monkeypatch.setattr(endpoint, "TRIES", 1)
    with servers.serving(complete) as served:
        pass
    with pytest.raises(InputError, match="gives no answer.*see that the server runs"):
        asked(served)


def test_the_key_comes_from_the_environment_and_is_told_to_nobody(complete, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_KEY", "sk-rahasia")
    with servers.serving(complete, key="sk-rahasia") as served:
        classifier = asked(served, key="MY_KEY")
        classifier.predict_proba(TEXTS[:2])
        assert "rahasia" not in json.dumps(classifier.about())
        assert b"rahasia" not in (tmp_path / "cache/answers.sqlite").read_bytes()
        monkeypatch.setenv("MY_KEY", "sk-rahasia-lama")
        with pytest.raises(InputError, match="status 401") as caught:
            asked(served, key="MY_KEY")
        assert "rahasia" not in str(caught.value)
        monkeypatch.delenv("MY_KEY")
        with pytest.raises(InputError, match="MY_KEY holds no key"):
            asked(served, key="MY_KEY")


# What becomes of answers that name no label


def frame(count: int) -> pd.DataFrame:
    rows = [(f"r{n}", f"teks #{n} ini", data.LABELS[n % 3]) for n in range(count)]
    return data.describe(pd.DataFrame(rows, columns=["id", "text", "label"]), name="own")


def test_an_unparsable_answer_is_an_error_with_a_share_of_its_own():
    answers = ("positif", "netral", "Negatif.", "positif", "tidak tahu", "negatif")
    with servers.serving(always(*answers)) as served:
        test, labels = frame(60), data.LABELS
        classifier = asked(served)
        rows = predict.classified(test, classifier.predict_proba(data.inputs(test)), labels)
    table = measure.classification(rows, labels, seed=1)
    overall = table[table["group"] == "all"].set_index("metric")
    assert rows["label"].value_counts()["unparsable"] == 10
    assert overall.loc["unparsable_share", "value"] == pytest.approx(1 / 6)
    assert overall.loc["accuracy", "value"] == pytest.approx(5 / 6)
    assert overall.loc["ece", "n"] == 50 and overall.loc["ece", "value"] == 0
    recall = table[table["metric"] == "recall"].set_index("group")["value"]
    assert recall.to_dict() == {"positive": 1.0, "neutral": 0.5, "negative": 1.0}
    f1 = (1 + 2 * 0.5 / 1.5 + 1) / 3
    assert overall.loc["macro_f1", "value"] == pytest.approx(f1)
    assert set(table["group"]) == {"all", *labels}
    own = measure.bootstrapped(rows["gold"], rows["label"], labels, "macro_f1", 1)
    assert tuple(own) == pytest.approx(
        tuple(overall.loc["macro_f1", ["value", "ci_low", "ci_high"]])
    )
    best = measure.paired_difference(
        rows["gold"], rows["gold"], rows["label"], labels, "accuracy", 1
    )
    assert best.value == pytest.approx(1 / 6)


def test_an_unparsable_answer_fails_and_flips_and_agrees_with_no_label(tmp_path):
    with servers.serving(always("positif", "netral", "negatif", "?")) as served:
        test = frame(12)
        other = [text.replace("#3", "#7").replace("#8", "#11") for text in test["text"]]
        rows = behaviour.rows(asked(served), test, {"typos": other})
    assert rows["perturbed_label"].to_list()[:4] == [
        "positive",
        "neutral",
        "negative",
        "unparsable",
    ]
    lost = rows[rows["perturbed_label"] == "unparsable"]
    assert list(lost["id"]) == ["r3", "r7", "r8", "r11"] and lost["failure"].all()
    assert list(lost["flip"]) == [False, False, True, False]
    rates = measure.behaviour(rows).set_index("metric")["value"]
    assert rates["unparsable_share"] == pytest.approx(4 / 12)
    assert rates["flip_rate"] == pytest.approx(1 / 12)
    measure.checked(rows, data.LABELS)
    said = rows["clean_label"], rows["perturbed_label"]
    assert 0 < measure.kappa(*said, data.LABELS, 1).value < 1
    tables.write(tmp_path / "predictions.csv", rows)
    assert tables.read(tmp_path / "predictions.csv", ["id"])["perturbed_label"].equals(said[1])


def test_a_row_of_zeros_with_a_label_is_still_refused():
    rows = pd.DataFrame({"id": ["a"], "label": ["positive"], "p_positive": [0.0], "p_x": [0.0]})
    with pytest.raises(InputError, match="not summing to 1"):
        measure.checked(rows, ["positive", "x"])
    measure.checked(rows.assign(label="unparsable"), ["positive", "x"])


def test_functions_and_files_of_answers_may_say_unparsable(tmp_path):
    answering = outside.Function(lambda texts: ["positive", "unparsable"], data.LABELS, {})
    given = answering.predict_proba(["ya", "tidak"])
    assert predict.named(given, data.LABELS).tolist() == ["positive", "unparsable"]
    answers = pd.DataFrame({"id": ["a", "b"], "label": ["negatif", "unparsable"]})
    shares = texts.probabilities(answers, data.LABELS, {}, tmp_path / "answers.csv")
    assert predict.named(shares.to_numpy(), data.LABELS).tolist() == ["negative", "unparsable"]


def test_cases_of_the_checklist_fail_without_a_label():
    cases = checklist.expand(checklist.read(), cases=2)
    chosen = cases.groupby("test_type", sort=False).head(2).reset_index(drop=True)

    class Silent:
        labels = data.LABELS

        def predict_proba(self, texts, precision):
            return np.zeros((len(texts), 3), np.float32)

    answers = checklist.predicted(Silent(), chosen)
    for given in (answers, answers[["id", "label"]]):
        judged = checklist.judge(chosen, given, data.LABELS)
        assert judged["failure"].all()
        rated = checklist.rates(judged, seed=1)
        assert set(rated["metric"]) == {"failure_rate", "unparsable_share", "filling_flip_rate"}
        assert (rated["value"].dropna() == 1).all()


# In the study


def test_an_audit_takes_the_address_of_a_server(complete, tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setattr(classifiers, "probe", lambda *given: "")  # random weights name no label
    with servers.serving(complete, models=("owner/tiny", "other")) as served:
        words = [served.address, "--served", "owner/tiny", "--prompt", "id-tanya", "--at-once", "2"]
        assert command.prepare(command.parser().parse_args(words)) == "audit-tiny"
        made = {"model": "owner/tiny", "prompt": "id-tanya", "at_once": 2}
        card = classifiers.card(served.address, {}, "", tmp_path, made)
        assert made.items() <= card.items() and card["kind"] == "endpoint"
        loaded = models.load(classifiers.write(card, tmp_path), data.LABELS)
        assert loaded.predict_proba(TEXTS[:2]).shape == (2, 3)
        wrong = [served.address, "--served", "other", "--at-once", "none"]
        assert study.main(["audit", *wrong]) == 2
    with pytest.raises(InputError, match="is for a server's address"):
        classifiers.card("owner/x", {}, "", tmp_path, {"key": "MY_KEY"})


@pytest.mark.long
def test_notebook_02_shows_tokens_unparsable_answers_and_the_spread_over_wordings(
    complete, tmp_path
):
    folder = tmp_path / "mine/served/02_conventional_metrics/default"
    with servers.serving(complete) as served:
        card = {"kind": "endpoint", "source": served.address, "max_tokens": 1}
        place = classifiers.write(card | {"labels": data.LABELS}, tmp_path)
        given = ("model_name=owner/served", f"checkpoint={place}", "prompt_texts=30")
        for number in range(2):
            before = len(served.asked)
            done = runner(tmp_path, "02_conventional_metrics", str(folder), *given)
            assert done.returncode == 0, done.stderr
            about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
            assert about["models"][0]["cost"]["requests"] == len(served.asked) - before
            assert (len(served.asked) > before) == (number == 0)
    recomputes(folder)
    metrics = pd.read_csv(folder / "metrics.csv").set_index(["group", "metric"])["value"]
    rows = pd.read_csv(folder / "predictions.csv")
    silent = rows[["p_positive", "p_neutral", "p_negative"]].sum(axis=1) == 0
    assert 0 < metrics["all", "unparsable_share"] == pytest.approx(silent.mean(), abs=1e-5)
    answers = pd.read_csv(folder / "prompt_answers.csv")
    assert len(answers) == 30 * len(prompts.wordings(data.LABELS))
    again = wordings.measured(answers, data.LABELS, about["parameters"]["seed"])
    written = pd.read_csv(folder / "prompts.csv")
    np.testing.assert_allclose(written["value"], again["value"], rtol=1e-5)
    shown = (folder / "executed.ipynb").read_text(encoding="utf-8")
    assert "Labels that differ between two wordings" in shown and "unparsable" in shown


@pytest.fixture(scope="module")
def extras(tmp_path_factory):
    """A folder with what `transformers serve` needs beyond transformers and torch."""
    folder = tmp_path_factory.mktemp("extras")
    named = [line.split(";") for line in metadata.requires("transformers")]
    wanted = [name.strip() for name, *when in named if any('"serving"' in part for part in when)]
    wanted = [name for name in wanted if not re.match("torch|accelerate", name)]
    words = ["pip", "install", "--quiet", "--target", str(folder), *wanted]
    done = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"pip cannot install what transformers serve needs: {done.stderr[-200:]}")
    return folder


@contextmanager
def transformers_serving(model, port: int, extras, log):
    """`transformers serve` with one model; killed at the end."""
    command = [str(Path(sys.executable).with_name("transformers")), "serve", str(model)]
    words = [*command, "--port", str(port), "--device", "cpu", "--log-level", "warning"]
    environment = {**os.environ, "PYTHONPATH": str(extras), "HF_HUB_OFFLINE": "1"}
    with log.open("w") as file:
        server = subprocess.Popen(words, env=environment, stdout=file, stderr=file)
        try:
            for _ in range(1200):
                with suppress(requests.RequestException):
                    if requests.get(f"http://127.0.0.1:{port}/health", timeout=5).ok:
                        break
                assert server.poll() is None, log.read_text()[-2000:]
                time.sleep(0.1)
            yield server
        finally:
            server.kill()
            server.wait()


@pytest.mark.long
def test_transformers_serve_is_killed_and_its_answers_stay(extras, tmp_path, monkeypatch):
    monkeypatch.setattr(endpoint, "TRIES", 1)
    tiny = causal.speaking(tmp_path / "tiny")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    card = {"kind": "endpoint", "source": f"http://127.0.0.1:{port}/v1", "model": str(tiny)}
    card["max_tokens"] = 1
    first = models.prompted(card | {"at_once": 1}, data.LABELS)
    keep = endpoint.Kept.keep

    def kept_until(cache, key, answer):
        keep(cache, key, answer)
        if first.kept.file.execute("SELECT count(*) FROM answers").fetchone()[0] == 10:
            server.kill()

    with transformers_serving(tiny, port, extras, tmp_path / "one.log") as server:
        monkeypatch.setattr(endpoint.Kept, "keep", kept_until)
        with pytest.raises(InputError, match="answers that came are kept"):
            first.predict_proba(TEXTS)
    monkeypatch.setattr(endpoint.Kept, "keep", keep)
    with transformers_serving(tiny, port, extras, tmp_path / "two.log"):
        resumed = models.prompted(card, data.LABELS)
        given = resumed.predict_proba(TEXTS)
    assert resumed.cost["kept_answers"] == 10 and resumed.cost["requests"] == 30
    assert resumed.cost["prompt_tokens"] > 0 and resumed.cost["completion_tokens"] > 0
    with servers.serving(servers.model(tiny)) as served:
        np.testing.assert_array_equal(asked(served).predict_proba(TEXTS), given)
    assert len(set(predict.named(given, data.LABELS))) > 1
