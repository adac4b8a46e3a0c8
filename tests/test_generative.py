"""Generative models as classifiers: wordings, and the likelihood of the labels' words."""

import json
import re

import causal
import numpy as np
import pandas as pd
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from helpers import checkpoints, session
from study import profiles
from study.audit import classifiers
from tahanuji import data, models, wordings
from tahanuji.errors import InputError
from tahanuji.models import generative as scoring
from tahanuji.models import prompts

TEXTS = [
    "kuahnya gurih",
    "kecewa, barang datang pecah dan tidak bisa ditukar",
    "toko buka hari senin",
    "",
]
NLI = ["entailment", "neutral", "contradiction"]


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    return causal.folder(tmp_path_factory.mktemp("models") / "llama")


def asked(source, labels=data.LABELS, **more):
    return models.prompted({"kind": "generative", "source": str(source), **more}, labels)


# Wordings


@pytest.mark.parametrize("labels", [data.LABELS, ["positive", "negative"], NLI, ["hate", "none"]])
def test_every_wording_asks_names_all_labels_and_ends_where_the_answer_begins(labels):
    there = prompts.wordings(labels)
    assert len(there) >= (10 if "positive" in labels else 4)
    assert {wording.language for wording in there.values()} == {"id", "en"}
    examples = ["enak {labels} {text}"] + [("satu", "dua")] * ("positive" not in labels)
    for wording in there.values():
        for example in examples:
            prompt = wording.asked(example)
            assert all(
                part in prompt for part in ([example] if isinstance(example, str) else example)
            )
            assert all(re.search(rf"\b{word}\b", prompt) for word in wording.words.values())
            assert prompt == prompt.strip()
            assert not prompt.endswith(example if isinstance(example, str) else example[1])
        assert len({word.casefold() for word in wording.words.values()}) == len(labels)


def test_templates_hold_each_place_once():
    for kind, columns in (("sentiment", ["template"]), ("general", ["template", "pair_template"])):
        table = data.read_table(prompts.PROMPTS / f"{kind}.csv")
        assert table["name"].is_unique and table["note"].all()
        for column in columns:
            places = {"{text}", "{labels}"} | ({"{text_pair}"} if "pair" in column else set())
            found = table[column].map(lambda cell: sorted(re.findall(r"\{\w*\}", cell)))
            assert all(names == sorted(places) for names in found)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("positif", "positive"),
        (' "Negatif".\n', "negative"),
        ("**NETRAL**", "neutral"),
        ("tidak positif", None),
        ("positif dan negatif", None),
        ("Sentimen: positif", None),
        ("positifnya banyak", None),
        ("positive", None),
        ("", None),
    ],
)
def test_an_answer_means_a_label_only_where_it_is_its_word(answer, label):
    assert prompts.wording("id-ulasan", data.LABELS).meant(answer) == label


def test_a_wording_that_is_not_there_names_those_that_are():
    with pytest.raises(InputError, match="did you mean 'id-tanya'.*sentiment.csv"):
        prompts.wording("id-tanyaa", data.LABELS)
    with pytest.raises(InputError, match="asks about single texts"):
        prompts.wording("id-tanya", data.LABELS).asked(("satu", "dua"))


# Likelihoods


def by_hand(source, prompt: str, word: str) -> float:
    """The mean log-likelihood of a word's tokens after a prompt, from one forward pass."""
    model, words = (
        AutoModelForCausalLM.from_pretrained(source),
        AutoTokenizer.from_pretrained(source),
    )
    before, whole = words(prompt)["input_ids"], words(prompt + word)["input_ids"]
    assert whole[: len(before)] == before
    with torch.no_grad():
        logits = model(torch.tensor([whole])).logits[0].log_softmax(-1)
    places = range(len(before), len(whole))
    return float(np.mean([float(logits[place - 1, whole[place]]) for place in places]))


@pytest.mark.parametrize("kind", ["llama", "gpt2"])
@pytest.mark.parametrize("chat", [False, True])
def test_scores_are_the_mean_log_likelihoods_of_the_words(tmp_path, kind, chat):
    source = causal.folder(tmp_path / kind, kind, chat=chat)
    classifier = asked(source, prompt="id-tanya", calibration="none")
    expected = []
    for text in TEXTS:
        prompt = classifier.wording.asked(text)
        prompt = f"<|user|>{prompt}<|assistant|>" if chat else prompt
        words = [("" if chat else " ") + word for word in classifier.wording.words.values()]
        expected.append([by_hand(source, prompt, word) for word in words])
    together = torch.tensor(expected).softmax(-1).numpy()
    np.testing.assert_allclose(classifier.predict_proba(TEXTS), together, atol=1e-5)
    assert np.ptp(together, axis=0).max() > 1e-3


def test_calibration_takes_the_prior_of_the_words_away(llama):
    plain, calibrated = (asked(llama, calibration=kind) for kind in ("none", "contextual"))
    prior = plain.predict_proba(list(scoring.CONTENT_FREE)).mean(0)
    ratio = plain.predict_proba(TEXTS) / prior
    expected = ratio / ratio.sum(1, keepdims=True)
    np.testing.assert_allclose(calibrated.predict_proba(TEXTS), expected, atol=1e-5)
    assert abs(expected - plain.predict_proba(TEXTS)).max() > 0.01


def test_columns_follow_the_labels_and_repeated_texts_are_computed_once(llama):
    first, second = asked(llama), asked(llama, data.LABELS[::-1])
    np.testing.assert_allclose(
        first.predict_proba(TEXTS), second.predict_proba(TEXTS)[:, ::-1], atol=1e-6
    )
    once = first.predict_proba(["ya"])
    assert first.predict_proba([]).shape == (0, 3)
    np.testing.assert_allclose(
        first.predict_proba(["ya", *TEXTS, "ya"])[[0, -1]], [once[0]] * 2, atol=1e-6
    )


def test_pairs_and_other_labels_are_asked_in_general_words(llama):
    classifier = asked(llama, NLI)
    given = classifier.predict_proba([("ia tidur", "ia bangun"), ("ia bangun", "ia tidur")])
    assert given.dtype == np.float32 and abs(given[0] - given[1]).max() > 1e-4
    np.testing.assert_allclose(given.sum(1), 1, atol=1e-6)


def test_a_long_text_is_cut_and_the_prompt_is_not(tmp_path):
    source = causal.folder(tmp_path / "short", "gpt2", positions=220)
    classifier = asked(source, prompt="en-review", calibration="none")
    lengths = []
    inner = classifier._forward
    classifier._forward = lambda model, ids, *rest: (
        lengths.append(ids.shape[1]) or inner(model, ids, *rest)
    )
    long, cut = classifier.predict_proba(["enak " * 400, "enak " * 300])
    np.testing.assert_allclose(long, cut, atol=1e-6)
    assert 180 < max(lengths) < 220
    with pytest.raises(InputError, match="choose a shorter wording"):
        asked(causal.folder(tmp_path / "tiny", "gpt2", positions=40)).predict_proba(["enak"])


@pytest.mark.parametrize("start", range(4))
def test_a_cut_inside_a_character_takes_it_away(tmp_path, start):
    """Of bytes an emoji has four; what is left of one would be three characters of nine bytes."""
    classifier = asked(causal.folder(tmp_path / "m"), calibration="none")
    text = "x" * start + "\U0001f600" * 100
    ids = classifier._prompt(text, 256)
    kept = classifier.tokenizer.decode(ids).count("\U0001f600")
    assert 250 < len(ids) <= 256 and 0 < kept < 100
    assert "\ufffd" not in classifier.tokenizer.decode(ids)


def test_a_model_that_does_not_generate_is_refused(tmp_path):
    import folders

    with pytest.raises(InputError, match="no generative model|cannot load"):
        asked(folders.base(tmp_path / "bert", "bert"))
    with pytest.raises(InputError, match="unknown calibration 'prior'"):
        asked(causal.folder(tmp_path / "m"), calibration="prior")


# The spread over wordings


def test_the_spread_over_wordings_is_what_counting_by_hand_gives():
    said = {"p": "abab", "q": "abaa", "r": "?baa"}
    answers = pd.DataFrame(
        [
            (prompt, "id", str(number), gold, "unparsable" if label == "?" else label)
            for prompt, labels in said.items()
            for number, (gold, label) in enumerate(zip("abba", labels, strict=True))
        ],
        columns=["prompt", "language", "id", "gold", "label"],
    )
    table = wordings.measured(answers, ["a", "b"], seed=1)
    each = table.pivot(index="group", columns="metric", values="value")
    assert each.loc[list("pqr"), "accuracy"].to_list() == [0.5, 0.75, 0.5]
    assert each.loc[list("pqr"), "flip_rate"].to_list() == [0, 0.25, 0.5]
    assert each.loc[list("pqr"), "unparsable_share"].to_list() == [0, 0, 0.25]
    assert each.loc["q", "macro_f1"] == pytest.approx((2 * 2 / 5 + 2 * 1 / 3) / 2)
    every = each.loc["all"]
    assert every["accuracy"] == pytest.approx((0.5 + 0.75 + 0.5) / 3)
    assert (every["accuracy_lowest"], every["accuracy_highest"]) == (0.5, 0.75)
    assert every["pair_flip_rate"] == pytest.approx((0.25 + 0.5 + 0.25) / 3)
    assert (every["pair_flip_rate_lowest"], every["pair_flip_rate_highest"]) == (0.25, 0.5)
    assert every["same_share"] == 0.5
    # Fleiss (1971): agreement of texts 1/3, 1, 1, 1/3; shares of the labels 7, 4 and 1 of 12.
    met, chance = (1 / 3 + 1 + 1 + 1 / 3) / 4, (7**2 + 4**2 + 1) / 12**2
    assert every["fleiss_kappa"] == pytest.approx((met - chance) / (1 - chance))
    interval = table[(table["group"] == "all") & (table["metric"] == "accuracy")].iloc[0]
    assert interval["ci_low"] < interval["value"] < interval["ci_high"]


def test_a_model_is_asked_in_every_wording_with_its_own_first(llama):
    test = data.describe(data.load("embedded", "test").head(6), name="own")
    classifier = asked(llama, prompt="en-review")
    rows = wordings.asked(classifier, test)
    there = prompts.wordings(data.LABELS)
    assert rows["prompt"].iloc[0] == "en-review" and set(rows["prompt"]) == set(there)
    assert len(rows) == 6 * len(there) and list(rows["id"].head(6)) == list(test["id"])
    own = asked(llama, prompt="id-pesan").predict_proba(list(test["text"]))
    told = rows[rows["prompt"] == "id-pesan"]["label"]
    assert list(told) == [data.LABELS[number] for number in own.argmax(1)]
    assert classifier.wording.name == "en-review" == classifier.about()["prompt"]
    pairs = test.assign(text_pair=test["text"], label=NLI * 2)
    worded = wordings.asked(asked(llama, NLI), data.describe(pairs, name="own"))
    assert {"cluster", "gold"} <= set(worded) and len(worded) == 6 * 4
    assert wordings.measured(worded, NLI, 1)["value"].notna().all()


# In the study


def test_an_entry_is_tested_and_never_fine_tuned(llama, tmp_path, monkeypatch):
    entries = models.entries()
    own = entries["qwen"] | {"source": str(llama)}
    monkeypatch.setattr("tahanuji.models.config.entries", lambda: entries | {"qwen": own})
    with pytest.raises(InputError, match="is asked in words"):
        models.build("qwen", data.LABELS)
    given = {"model_name": "qwen", "dataset": "embedded", "checkpoint": "best"}
    run = session.Run("05_typos", tmp_path, given, torch.device("cpu"))
    assert checkpoints.load(run).predict_proba(["enak"]).shape == (1, 3)
    runs = {"01_finetune": {"default": {}}, "05_typos": {"default": {}}}
    planned = profiles.planned({"models": ["tfidf", "qwen"], "runs": runs})
    assert [run[1] for run in planned if run[0] == "qwen"] == ["05_typos"]
    assert len(planned) == 3


def test_an_audit_knows_a_causal_model_by_its_configuration(llama, tmp_path):
    card = classifiers.card(str(llama), {}, "", tmp_path)
    assert (card["kind"], card["prompt"], card["labels"]) == (
        "generative",
        "id-perintah",
        data.LABELS,
    )
    place = classifiers.write(card, tmp_path)
    assert json.loads((place / models.CARD).read_text(encoding="utf-8"))["sha256"]
    loaded = models.load(place, data.LABELS)
    np.testing.assert_array_equal(loaded.predict_proba(TEXTS), asked(llama).predict_proba(TEXTS))
    other = classifiers.card(str(llama), {}, "hate,none", tmp_path, {"prompt": "en-choose"})
    assert (other["labels"], other["prompt"]) == (["hate", "none"], "en-choose")
    with pytest.raises(InputError, match="unknown prompt"):
        classifiers.card(str(llama), {}, "", tmp_path, {"prompt": "en-choose"})
