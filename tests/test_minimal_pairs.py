"""Minimal pairs: what is read, how sentences are scored, and what the shipped encoder prefers."""

import csv
import json
from collections import Counter, defaultdict

import folders
import numpy as np
import pandas as pd
import pytest
import torch
from conftest import ROOT, runner
from recompute import recomputes

from tahanuji import data, instrument, minimal_pairs
from tahanuji.errors import InputError
from tahanuji.minimal_pairs import SIDES
from tahanuji.models import masked

KINDS = [kind for kind in folders.KINDS if kind != "xlnet"]
FOLDER = ROOT / "data/acceptability"


@pytest.fixture(scope="module")
def pairs():
    return minimal_pairs.load("acceptability")


@pytest.fixture(scope="module")
def mini():
    return minimal_pairs.load_model("mini")


@pytest.fixture(scope="module", params=KINDS)
def tiny(request, tmp_path_factory):
    return folders.masked(tmp_path_factory.mktemp("masked"), request.param)


def write(folder, text, name="test.tsv"):
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder)


def test_pairs_are_what_the_files_hold(pairs):
    rows = [
        row
        for split in data.SPLITS
        for row in csv.DictReader(
            (FOLDER / f"{split}.tsv").open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE
        )
    ]
    there = defaultdict(dict)
    for row in rows:
        there[row["pair"]][row["label"]] = row["text"]
    found = {}
    for row in pairs.itertuples():
        sides = {"first": row.text, "second": row.text_pair}
        found[row.id.rsplit("-", 1)[1]] = {
            "acceptable": sides.pop(row.label),
            "unacceptable": next(iter(sides.values())),
        }
    assert found == there
    assert pairs["id"].is_unique
    assert 0.45 < (pairs["label"] == "first").mean() < 0.55
    assert pairs.attrs["source"]["rows"] == len(pairs) == len(rows) // 2
    assert pairs.attrs["source"]["publish_texts"] is True
    assert len(pairs.attrs["source"]["sha256"].split("+")) == 3
    assert dict(pairs["phenomenon"].value_counts()) == {
        name: count // 2 for name, count in Counter(row["phenomenon"] for row in rows).items()
    }


def test_pairs_by_linguists_are_as_many_as_published(mirror):
    """Leong et al. (2023): twenty pairs on negation, 160, 60 and 140."""
    pairs = minimal_pairs.load("lindsea")
    assert pairs["phenomenon"].value_counts().to_dict() == {
        "negation": 20,
        "argument_structure": 160,
        "filler_and_gap": 60,
        "morphology": 140,
    }
    assert pairs["id"].is_unique and (pairs["text"] != pairs["text_pair"]).all()
    assert 0.4 < (pairs["label"] == "first").mean() < 0.6
    good = pairs["text"].where(pairs["label"] == "first", pairs["text_pair"])
    negated = good[pairs["phenomenon"] == "negation"]
    assert negated.str.contains(r"\btidak\b|\btak\b|\bbelum\b|\bjangan\b", case=False).all()
    assert pairs.attrs["source"]["publish_texts"] is False


def test_a_folder_of_ones_own(tmp_path):
    own = write(
        tmp_path, "text\tlabel\tpair\nIa tidur.\tacceptable\t1\nTidur akan ia.\tunacceptable\t1\n"
    )
    frame = minimal_pairs.load(own)
    assert list(frame["phenomenon"]) == ["unnamed"]
    assert {frame["text"][0], frame["text_pair"][0]} == {"Ia tidur.", "Tidur akan ia."}
    assert frame.attrs["source"]["publish_texts"] is False


def test_blank_lines_are_no_pairs(tmp_path):
    rows = "text\tlabel\tpair\n\na\tacceptable\t1\nb\tunacceptable\t1\n\n"
    assert len(minimal_pairs.load(write(tmp_path, rows))) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("text\tlabel\na\tacceptable\n", "has no column pair"),
        (
            "text\tlabel\tpair\na\tacceptable\t1\nb\tacceptable\t1\n",
            "pair 1 of .* has the labels acceptable, acceptable; it needs one",
        ),
        ("text\tlabel\tpair\na\tacceptable\t7\n", "pair 7 of .* has the labels acceptable;"),
        ("text\tlabel\tpair\na\tacceptable\t1\n \tunacceptable\t1\n", "rows 3 have no text"),
        ("text\tlabel\tpair\na\tgood\t1\nb\tbad\t1\n", "pair 1 of .* has the labels good, bad"),
    ],
)
def test_bad_pairs_are_refused(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        minimal_pairs.load(write(tmp_path, text))


def test_a_folder_without_pairs_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no train, valid or test"):
        minimal_pairs.load(str(tmp_path))


@pytest.mark.parametrize("dataset", ["sst2", "indonli_both"])
def test_a_registered_data_set_of_another_kind_is_refused(dataset):
    with pytest.raises(InputError, match=f"{dataset} has no file of minimal pairs for each split"):
        minimal_pairs.load(dataset)


def by_hand(model, text, method):
    """A sentence's pseudo-log-likelihood, one row at a time and without padding."""
    encoded = model.tokenizer(text, return_special_tokens_mask=True)
    pieces, total = encoded["input_ids"], 0.0
    for place, special in enumerate(encoded["special_tokens_mask"]):
        if special:
            continue
        row, word = list(pieces), encoded.word_ids()
        for other in range(place, len(row)):
            if other == place or (method == "word" and word[other] == word[place]):
                row[other] = model.tokenizer.mask_token_id
        with torch.inference_mode():
            total += float(
                model.model(input_ids=torch.tensor([row]))
                .logits[0, place]
                .log_softmax(-1)[pieces[place]]
            )
    return total


@pytest.mark.parametrize("method", masked.METHODS)
def test_scores_are_those_of_one_sentence_at_a_time(tiny, method):
    model = minimal_pairs.load_model(str(tiny), method=method)
    texts = [
        "kuah sotonya gurih",
        "rapat warga dimulai pukul delapan malam di balai desa",
        "ibu",
        "kuah sotonya gurih",
    ]
    if (
        model.model.config.model_type == "funnel"
    ):  # its pooling looks at the padding, see inference.width_multiple
        texts = [texts[0]] * 2
        assert model.scores(texts)[0] == model.scores(texts)[1] < 0
        return
    assert model.scores(texts) == pytest.approx(
        [by_hand(model, text, method) for text in texts], abs=1e-3
    )
    assert len(model.scored) == 3


def test_the_later_pieces_of_a_word_are_masked_with_it(tmp_path):
    folder = folders.masked(tmp_path, "bert")
    by_word, by_piece = (
        minimal_pairs.load_model(str(folder), method=method) for method in masked.METHODS
    )
    long, short = "pelayanan", "ibu"
    assert len(by_word.tokenizer.tokenize(long)) > 1
    assert by_word.scores([long])[0] != pytest.approx(by_piece.scores([long])[0])
    assert by_word.scores([short])[0] == pytest.approx(by_piece.scores([short])[0], abs=1e-5)


def test_probabilities_follow_the_scores_and_sentences_are_scored_once(tmp_path, monkeypatch):
    model = minimal_pairs.load_model(str(folders.masked(tmp_path, "bert")))
    two = [("ibu membeli beras", "beras membeli ibu"), ("beras membeli ibu", "ibu membeli beras")]
    chances = model.predict_proba(two)
    assert chances.shape == (2, 2)
    assert chances.dtype == np.float32
    assert chances[0] == pytest.approx(chances[1][::-1])
    assert chances.sum(1) == pytest.approx([1, 1])
    scores = model.scores(list(two[0]))
    assert (chances[0, 0] > chances[0, 1]) == (scores[0] > scores[1])
    monkeypatch.setattr(model, "_score", None)
    model.predict_proba(two)


def test_odd_texts(tmp_path):
    model = minimal_pairs.load_model(str(folders.masked(tmp_path, "bert")))
    assert model.scores([""])[0] == 0
    assert np.isfinite(
        model.scores(["x", "😀", "مرحبا", "e\u0301nak", "ibu " * 400])
    ).all()  # the last is cut at the window


def test_what_has_no_language_model_is_refused(tmp_path):
    with pytest.raises(InputError, match="tfidf is no language model"):
        minimal_pairs.load_model("tfidf")
    with pytest.raises(InputError, match="no trained head of a masked language model"):
        minimal_pairs.load_model(str(folders.classifier(tmp_path / "classifier", "bert")))
    with pytest.raises(InputError, match="cannot load .* as a masked language model"):
        minimal_pairs.load_model(str(folders.base(tmp_path / "xlnet", "xlnet")))
    with pytest.raises(InputError, match="unknown method of scoring 'pieces'"):
        minimal_pairs.load_model(str(folders.masked(tmp_path / "bert", "bert")), method="pieces")


def test_random_weights_are_random(mini):
    other = minimal_pairs.load_model("mini-scratch")
    text = ["Ibu membeli beras di pasar."]
    assert other.scores(text)[0] < mini.scores(text)[0] - 10


def test_both_sentences_are_perturbed_with_the_same_draws(pairs):
    instruments = instrument.grid(["keyboard", "twitter"])
    found, errors = minimal_pairs.texts(pairs.head(80), instruments, 3)
    assert not len(errors)
    added = [
        {text[len(old) :] for text, old in zip(new, clean, strict=True)}
        for new, clean in zip(found[instruments[-1]], data.inputs(pairs.head(80)), strict=True)
    ]
    assert sum(len(ends) == 1 for ends in added) > 70  # the same mention or link at the same end
    assert list(found) == instruments and len(instruments) == 4
    bare = pairs.head(3).assign(text="!!!", text_pair="...")
    untouched, _ = minimal_pairs.texts(bare, instruments[:1], 3)
    assert untouched[instruments[0]] == [None] * 3


def test_preferences_are_counted_once_a_pair():
    rows = pd.DataFrame(
        {
            "id": ["a", "b", "c", "a", "b", "c"],
            "test": ["x"] * 3 + ["y"] * 3,
            "gold": ["first", "first", "second"] * 2,
            "clean_label": ["first", "second", "second"] * 2,
            "by_phenomenon": ["negation", "negation", "voice"] * 2,
        }
    )
    table = minimal_pairs.preferred(rows)
    assert list(table["group"]) == ["all", "voice", "negation"]
    assert list(table["value"].round(3)) == [0.667, 1.0, 0.5]
    assert list(table["n"]) == [3, 1, 2]


@pytest.mark.long
def test_the_shipped_encoder_knows_some_grammar(mini, pairs):
    """A coin prefers half of the acceptable sentences; of every tenth pair mini prefers far more,
    and of negation nearly all.
    """
    some = pairs[::10]
    right = np.array(
        [
            SIDES[at] == gold
            for at, gold in zip(
                mini.predict_proba(data.inputs(some)).argmax(1), some["label"], strict=True
            )
        ]
    )
    assert right.mean() > 0.75
    negation = pairs[pairs["phenomenon"] == "negation"].head(12)
    assert (
        sum(
            SIDES[at] == gold
            for at, gold in zip(
                mini.predict_proba(data.inputs(negation)).argmax(1), negation["label"], strict=True
            )
        )
        >= 10
    )


@pytest.mark.long
def test_the_notebook_runs_and_its_metrics_come_from_its_predictions(tmp_path):
    done = runner(
        tmp_path,
        "13_minimal_pairs",
        "own/mini/13_minimal_pairs/default",
        "test_rows=12",
        "perturbations=word_case, contraction",
    )
    assert done.returncode == 0, done.stderr
    run = tmp_path / "own/mini/13_minimal_pairs/default"
    recomputes(run)
    assert len(pd.read_csv(run / "preferred.csv")) > 1
    assert (run / "figures/preferred.png").is_file()
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    assert about["models"][0]["method"] == "word"
    assert about["models"][0]["sha256"] == [
        data.sha256(ROOT / "data/models/mini/model.safetensors")
    ]
