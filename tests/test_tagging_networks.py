"""Networks of tags and aspects: pieces and words, heads, segments, trainings that go on."""

import copy
import shutil
from dataclasses import replace

import folders
import pandas as pd
import pytest
import torch
from safetensors.torch import load_file, save_file

from tahanuji import models, tagging
from tahanuji.errors import InputError
from tahanuji.models import config
from tahanuji.tagging import networks
from tahanuji.tagging.tagger import targets
from tahanuji.training import Job

CHOSEN = {"learning_rate": 5e-4, "batch_size": 16, "epochs": 2, "max_length": 64}


@pytest.fixture(scope="module")
def encoder(tmp_path_factory) -> str:
    return str(folders.base(tmp_path_factory.mktemp("encoder") / "tiny", "bert"))


@pytest.fixture(params=["fasttext-tasks", "fasttext-random"])
def vectors(request, monkeypatch) -> str:
    """A model of word vectors whose vectors have read the task at hand alone."""
    entries = copy.deepcopy(models.entries())
    entries[request.param] |= {"tasks": ["tags"], "size": 16, "epochs": 1, "buckets": 1000}
    monkeypatch.setattr(config, "entries", lambda: entries)
    return request.param


def sentences(split: str, count: int) -> pd.DataFrame:
    frame = tagging.load("tags", split)
    return frame.head(count)


def of_pieces(weights: torch.Tensor) -> list[list[int]]:
    """The pieces of each word of the first row."""
    return [word.nonzero().flatten().tolist() for word in weights[0]]


def test_each_word_is_the_mean_of_its_own_pieces():
    from tahanuji.models import sources

    tokenizer = sources.load_tokenizer("data/models/mini", {"revision": None})
    rows = pd.DataFrame({"words": [["Makan", "Rp20.000", "PT Maju", "\u200b", "."]]})
    pieces = networks.encoded(tokenizer, rows, 64)
    weights = networks.averages(pieces, rows)
    counts = [len(tokenizer.tokenize(word)) for word in rows["words"][0]]
    starts = [1 + sum(counts[:word]) for word in range(5)]
    expected = [list(range(at, at + n)) for at, n in zip(starts, counts, strict=True)]
    assert counts[1] > 2 and counts[2] >= 2
    assert of_pieces(weights) == expected
    assert weights[0, 1].max().item() == pytest.approx(1 / counts[1])
    cut = networks.averages(networks.encoded(tokenizer, rows, 4), rows)
    assert cut[0, 4].sum() == 0  # past the window


def test_only_the_passage_of_a_question_is_scored(encoder):
    rows = pd.DataFrame(
        {"words": [["enak", "sekali"]], "question": [["apa", "enak"]], "tags": [["B", "O"]]}
    )
    tagger = networks.built(encoder, rows, 64, seed=1)
    pieces = networks.encoded(tagger.tokenizer, rows, 64)
    weights = networks.averages(pieces, rows)
    read = {place for word in of_pieces(weights) for place in word}
    segments = pieces.sequence_ids(0)
    assert read == {place for place, segment in enumerate(segments) if segment == 1}
    assert 0 in segments
    other = rows.assign(question=[["tidak", "bagus", "."]])
    tagger.eval()
    assert not torch.allclose(tagger(rows)[0], tagger(other)[0])


def test_a_network_tells_sentences_apart_by_pieces_and_by_words(encoder):
    train = sentences("train", 40)
    tagger = networks.built(encoder, train, 64, seed=1)
    one = pd.DataFrame({"words": [["Ani", "tidur"], ["Ani", "tidur"], ["a b"]]})
    two = pd.DataFrame({"words": [["Ani", "tidur"], ["Ani", "pergi"], ["a", "b"]]})
    assert tagger.tells_apart(one, two) == [False, True, True]


def test_each_aspect_has_labels_and_a_loss_of_its_own(encoder):
    rows = pd.DataFrame(
        {
            "id": ["a", "b", "c"],
            "text": ["enak sekali", "tidak", "bagus sekali enak"],
            "harga": ["neg", "pos", "neg"],
            "rasa": ["x", "y", "z"],
        }
    )
    tagger = networks.built(encoder, rows, 64, seed=1)
    assert tagger.heads == {"harga": ["neg", "pos"], "rasa": ["x", "y", "z"]}
    assert targets(rows, tagger.heads).tolist() == [[[0, 0]], [[1, 1]], [[0, 2]]]
    with torch.no_grad():
        tagger.layer.weight.zero_()
        tagger.layer.bias.copy_(torch.tensor([0.0, 9, 0, 0, 9]))
    assert tagger.predict(rows) == [["pos", "z"]] * 3
    one, two = pd.DataFrame({"text": ["enak"]}), pd.DataFrame({"text": ["tidak"]})
    assert tagger.tells_apart(one, two) == [True]
    assert tagger.tells_apart(one, one) == [False]


def test_predictions_come_in_the_order_of_the_rows_with_a_tag_per_word(encoder):
    frame = sentences("train", 40)
    tagger = networks.built(encoder, frame, 64, seed=1)
    said = tagger.predict(frame, batch_size=7)
    assert [len(tags) for tags in said] == [len(words) for words in frame["words"]]
    alone = [tagger.predict(frame.iloc[[row]])[0] for row in (0, 20, 39)]
    assert alone == [said[0], said[20], said[39]]


def test_a_training_that_was_killed_goes_on_and_a_finished_one_is_not_repeated(
    encoder, tmp_path, monkeypatch
):
    train, valid = sentences("train", 48), sentences("valid", 16)
    whole = Job(encoder, "tags", tmp_path / "whole", seed=1, precision="fp32")
    first, history = networks.trained(whole, train, valid, CHOSEN)
    killed, passed, epoch = replace(whole, folder=tmp_path / "killed"), [], networks._epoch

    def dies(*given):
        if passed:
            raise KeyboardInterrupt
        passed.append(1)
        return epoch(*given)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(networks, "_epoch", dies)
        networks.trained(killed, train, valid, CHOSEN)
    rest = []
    monkeypatch.setattr(networks, "_epoch", lambda *given: rest.append(1) or epoch(*given))
    second, again = networks.trained(killed, train, valid, CHOSEN)
    assert len(rest) == 1
    pd.testing.assert_frame_equal(history, again)
    for name, value in first.state_dict().items():
        assert torch.equal(value, second.state_dict()[name]), name
    networks.trained(killed, train, valid, CHOSEN)
    assert len(rest) == 1 and not (killed.folder / networks.STATE).exists()
    networks.trained(killed, train, valid, CHOSEN | {"learning_rate": 1e-4})
    assert len(rest) == 3  # other settings: from the beginning


def test_an_encoder_that_is_not_there_or_lacks_weights_is_refused(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    frame = sentences("train", 4)
    with pytest.raises(InputError, match="cannot load 'owner/none'"):
        networks.built("owner/none", frame, 64, 1)
    own = shutil.copytree(encoder, tmp_path / "own")
    named = {f"other.{name}": part for name, part in load_file(own / "model.safetensors").items()}
    save_file(named, own / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match="lacks weights of its encoder"):
        networks.built(str(own), frame, 64, 1)


@pytest.mark.parametrize("name", ["epochs", "batch_size", "max_length"])
def test_a_training_of_nothing_is_refused(name, tmp_path):
    frame = sentences("train", 4)
    with pytest.raises(InputError, match="at least 1"):
        networks.trained(Job("mini", "tags", tmp_path, seed=1), frame, frame, CHOSEN | {name: 0})


def test_word_vectors_learn_tags_and_go_on_alike(vectors, tmp_path):
    train, valid = sentences("train", 48), sentences("valid", 16)
    chosen = CHOSEN | {"epochs": 3, "learning_rate": 5e-3}
    job = Job(vectors, "tags", tmp_path / "whole", seed=1, precision="fp32")
    tagger, history = networks.trained(job, train, valid, chosen)
    assert history["train_loss"].iloc[-1] < history["train_loss"].iloc[0]
    again, same = networks.trained(replace(job, folder=tmp_path / "again"), train, valid, chosen)
    pd.testing.assert_frame_equal(history, same)
    assert tagger.predict(valid) == again.predict(valid)
    assert [len(tags) for tags in tagger.predict(valid)] == [len(row) for row in valid["words"]]


def test_only_vectors_that_were_read_know_a_new_word_by_its_letters(vectors):
    tagger = networks.built(vectors, sentences("train", 48), 64, seed=1)
    new = tagger._vectors(["jakartanisasi"])
    assert (new.abs().sum() > 0) == (vectors == "fasttext-tasks")
    assert "jakartanisasi" not in tagger.places


def test_word_vectors_score_the_passage_and_hold_what_lies_past_the_window(vectors):
    rows = pd.DataFrame(
        {"words": [["enak", "sekali", "ya"]], "question": [["apa"]], "tags": [["B", "O", "O"]]}
    )
    rows.attrs["source"] = {"name": "own"}
    tagger = networks.built(vectors, rows, 5, seed=1).eval()
    states = tagger.states(rows)
    assert states.shape == (1, 3, 16)
    assert states[0, 1].any() and not states[0, 2].any()
    other = rows.assign(question=[["mengapa"]])
    assert not torch.allclose(states[0, 0], tagger.states(other)[0, 0])


def test_word_vectors_read_reviews_and_pairs(vectors):
    rows = pd.DataFrame(
        {
            "id": ["a", "b"],
            "text": ["enak sekali!", "tidak"],
            "text_pair": ["enak", "bagus"],
            "label": ["ya", "bukan"],
        }
    )
    rows.attrs["source"] = {"name": "own"}
    tagger = networks.built(vectors, rows, 64, seed=1).eval()
    assert tagger.heads == {"label": ["bukan", "ya"]}
    assert all(tags[0] in tagger.heads["label"] for tags in tagger.predict(rows))
    other = rows.assign(text=["enak sekali", "tidak"])
    assert tagger.tells_apart(rows, other) == [True, False]
    assert not torch.allclose(tagger.states(rows), tagger.states(rows.assign(text_pair="x")))


def test_word_vectors_are_no_classifier_of_other_notebooks():
    with pytest.raises(InputError, match="10_indonlu"):
        models.build("fasttext-tasks", ["a", "b"])


@pytest.mark.parametrize(("model", "rate"), [("indobert", 4e-5), ("mini", 5e-4), ("own/hub", 4e-5)])
def test_an_encoder_is_trained_as_its_entry_says(model, rate):
    """Each has settings of its own for tags: `mini` as its published runs were made."""
    chosen = networks.settings(model, learning_rate=0.0, epochs=0)
    assert chosen["learning_rate"] == rate and chosen.keys() == networks.SETTINGS.keys()
    assert chosen["epochs"] == (10 if model == "mini" else 25)
