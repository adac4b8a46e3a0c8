"""What a model name means: seven architectures, TF-IDF, the models that ship, and folders that must
be refused.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pandas as pd
import pytest
import torch
from folders import KINDS, LABELS, TEXTS
from safetensors.torch import load_file, save_file
from transformers import (
    AutoModelForSequenceClassification,
    BertConfig,
    CamembertConfig,
    RobertaConfig,
    T5Config,
    XLMRobertaConfig,
    XLNetConfig,
)

from helpers import checkpoints
from tahanuji import models, paths, training
from tahanuji.errors import InputError
from tahanuji.harden import defences
from tahanuji.models import sources, transformer

CPU = torch.device("cpu")
PICKLES = {".bin", ".pt", ".pth", ".pkl", ".pickle", ".joblib", ".npy", ".npz"}
SAMPLE = ["", "kuah", *TEXTS[::7], " ".join(TEXTS[:9])]


@pytest.fixture(scope="session")
def bases(tmp_path_factory) -> dict[str, Path]:
    return {kind: folders.base(tmp_path_factory.mktemp("bases") / kind, kind) for kind in KINDS}


@pytest.fixture(scope="session")
def fitted(tmp_path_factory) -> SimpleNamespace:
    """A TF-IDF classifier fitted by the training module, and the folder where its best epoch was
    saved.
    """
    folder = tmp_path_factory.mktemp("tfidf")
    job = training.Job("tfidf", "embedded", folder, seed=1)
    frame = pd.DataFrame(
        [(text, label) for label, texts in folders.SENTENCES.items() for text in texts],
        columns=["text", "label"],
    )
    classifier = models.build("tfidf", LABELS)
    training.fit_tfidf(job, classifier, frame, frame, {}, folder)
    return SimpleNamespace(classifier=classifier, folder=folder / "best")


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def edit(folder: Path, **changes) -> Path:
    """The folder with entries of its config.json replaced."""
    path = folder / "config.json"
    path.write_text(
        json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8"
    )
    return folder


def vocabulary_only(folder: Path, kind: str) -> Path:
    """A classifier's folder as IndoNLU's on the hub are: vocab.txt and an empty
    tokenizer_config.json.
    """
    folders.classifier(folder, kind, LABELS)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    vocabulary = folders.tokenizer("bert").get_vocab()
    (folder / "vocab.txt").write_text(
        "\n".join(sorted(vocabulary, key=vocabulary.get)) + "\n", encoding="utf-8"
    )
    (folder / "tokenizer_config.json").write_text("{}", encoding="utf-8")
    return folder


def raw(folder: Path, text: str) -> np.ndarray:
    """Probabilities of one text in the order of the folder's own outputs, without the helpers."""
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = folders.TOKENIZERS[model.config.model_type].from_pretrained(folder)
    with torch.inference_mode():
        return model(**folders.plain(model, tokenizer, text)).logits.softmax(-1)[0].numpy()


def refusal(action, *given, **more) -> str:
    """The sentence with which something is refused."""
    with pytest.raises(InputError) as caught:
        action(*given, **more)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Seven architectures


@pytest.mark.parametrize("kind", KINDS)
def test_folder_as_model_name_gives_a_classifier_with_its_own_architecture_and_tokenizer(
    bases, kind
):
    classifier = models.build(str(bases[kind]), LABELS)
    assert classifier.model.config.model_type == kind
    assert classifier.pieces(TEXTS[0]) == folders.tokenizer(kind).tokenize(TEXTS[0])
    assert classifier.model.dtype == torch.float32 and not classifier.model.training


@pytest.mark.parametrize("kind", KINDS)
def test_predictions_are_float32_rows_that_sum_to_one_and_differ_between_texts(bases, kind):
    torch.manual_seed(
        7
    )  # of the new head, which can be so sure of itself that its answers hardly differ
    rows = models.build(str(bases[kind]), LABELS).predict_proba(SAMPLE)
    assert rows.dtype == np.float32 and rows.shape == (len(SAMPLE), 3)
    np.testing.assert_allclose(rows.sum(1), 1, atol=1e-6)
    assert (np.ptp(rows, axis=0) > 0.01).all()


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_loaded_classifier_gives_identical_probabilities(bases, kind, tmp_path):
    built = models.build(str(bases[kind]), LABELS)
    models.save(built, tmp_path / "deep" / "best", epoch=3)
    loaded = models.load(tmp_path / "deep" / "best", LABELS)
    np.testing.assert_array_equal(loaded.predict_proba(SAMPLE), built.predict_proba(SAMPLE))
    assert loaded.max_length == built.max_length
    assert loaded.about() == built.about() and loaded.about()["epoch"] == 3


def test_saved_checkpoint_is_safetensors_without_pickle_and_its_card_holds_the_hash_of_the_weights(
    bases, tmp_path
):
    classifier = models.build(str(bases["bert"]), LABELS)
    models.save(classifier, tmp_path / "one")
    with torch.no_grad():
        classifier.model.classifier.bias += 1
    models.save(classifier, tmp_path / "two")
    cards = [
        json.loads((tmp_path / name / "tahan.json").read_text(encoding="utf-8"))
        for name in ("one", "two")
    ]
    assert not [path for path in tmp_path.rglob("*") if path.suffix in PICKLES]
    assert cards[0]["sha256"] != cards[1]["sha256"]
    assert {name: cards[0][name] for name in ("kind", "labels", "max_length")} == {
        "kind": "transformer",
        "labels": LABELS,
        "max_length": 48,
    }


def test_head_of_another_size_is_replaced(tmp_path):
    five = folders.classifier(tmp_path, "distilbert", list("abcde"))
    rows = models.build(str(five), LABELS).predict_proba(SAMPLE)
    assert rows.shape == (len(SAMPLE), 3)


# Order and names of labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "names", [["negative", "positive", "neutral"], ["Negative", "NEUTRAL", "Positive"]]
)
def test_columns_are_positive_neutral_negative_whatever_the_folder_calls_them(
    tmp_path, kind, names
):
    folder = folders.classifier(tmp_path / "given", kind, names)
    own = raw(folder, TEXTS[5])
    expected = [own[[name.lower() for name in names].index(label)] for label in LABELS]
    loaded = models.load(folder, LABELS)
    np.testing.assert_allclose(loaded.predict_proba([TEXTS[5]])[0], expected, atol=1e-6)
    models.save(loaded, tmp_path / "again")
    np.testing.assert_allclose(
        models.load(tmp_path / "again", LABELS).predict_proba([TEXTS[5]])[0], expected, atol=1e-6
    )


def test_id2label_counts_where_label2id_says_otherwise(tmp_path):
    folder = folders.classifier(tmp_path, "bert", ["negative", "neutral", "positive"])
    edit(folder, label2id={"positive": 0, "neutral": 1, "negative": 2})
    np.testing.assert_allclose(
        models.load(folder, LABELS).predict_proba([TEXTS[0]])[0],
        raw(folder, TEXTS[0])[::-1],
        atol=1e-6,
    )


def test_loaded_columns_follow_the_labels_asked_for(bases, tmp_path):
    classifier = models.build(str(bases["bert"]), LABELS)
    models.save(classifier, tmp_path)
    np.testing.assert_array_equal(
        models.load(tmp_path, LABELS[::-1]).predict_proba(SAMPLE),
        classifier.predict_proba(SAMPLE)[:, ::-1],
    )


def test_loaded_tfidf_columns_follow_the_labels_asked_for(fitted):
    np.testing.assert_allclose(
        models.load(fitted.folder, LABELS[::-1]).predict_proba(SAMPLE),
        fitted.classifier.predict_proba(SAMPLE)[:, ::-1],
        atol=1e-6,
    )


def test_built_columns_keep_their_meaning_where_the_folder_is_a_classifier_already(tmp_path):
    folder = folders.classifier(tmp_path, "bert", ["negative", "neutral", "positive"])
    np.testing.assert_allclose(
        models.build(str(folder), LABELS).predict_proba(SAMPLE),
        models.load(folder, LABELS).predict_proba(SAMPLE),
        atol=1e-6,
    )


@pytest.mark.parametrize(
    "names",
    [
        ["happy", "sad", "angry"],
        ["positive", "negative"],
        ["positive", "neutral", "negative", "mixed"],
    ],
)
def test_labels_of_another_set_are_refused_by_naming_both_sets(tmp_path, names):
    message = refusal(models.load, folders.classifier(tmp_path, "bert", names), LABELS)
    assert ", ".join(names) in message and "positive, neutral, negative" in message


def test_unnamed_labels_are_refused_with_what_to_do(tmp_path):
    message = refusal(models.load, folders.classifier(tmp_path, "bert"), LABELS)
    assert "LABEL_0, LABEL_1, LABEL_2" in message and "id2label" in message


def test_checkpoint_of_another_task_is_refused_for_both_kinds(bases, fitted, tmp_path):
    models.save(models.build(str(bases["bert"]), ["ya", "tidak"]), tmp_path)
    assert "ya, tidak" in refusal(models.load, tmp_path, LABELS)
    assert "positive, neutral, negative" in refusal(models.load, fitted.folder, ["ya", "tidak"])


@pytest.mark.parametrize("act", ["build", "load"])
def test_labels_with_capitals_work_too(bases, tmp_path, act):
    names = ["Setuju", "Tidak"]
    classifier = models.build("mini-scratch" if act == "load" else str(bases["bert"]), names)
    models.save(classifier, tmp_path)
    np.testing.assert_array_equal(
        models.load(tmp_path, names).predict_proba(SAMPLE), classifier.predict_proba(SAMPLE)
    )


# TF-IDF


def test_saved_and_loaded_tfidf_gives_equal_probabilities(fitted):
    texts = [*SAMPLE, "Kuah SOTONYA hambar !", "zzz qqq", "naïve 🙂"]
    np.testing.assert_allclose(
        models.load(fitted.folder, LABELS).predict_proba(texts),
        fitted.classifier.predict_proba(texts),
        atol=1e-6,
    )


def test_tfidf_predictions_are_float32_rows_that_sum_to_one_and_mostly_right(fitted):
    rows = fitted.classifier.predict_proba(TEXTS)
    assert rows.dtype == np.float32 and rows.shape == (len(TEXTS), 3)
    np.testing.assert_allclose(rows.sum(1), 1, atol=1e-6)
    gold = [label for label in LABELS for _ in folders.SENTENCES[label]]
    assert (
        np.mean([LABELS[row.argmax()] == label for row, label in zip(rows, gold, strict=True)])
        > 0.9
    )


def test_tfidf_writes_safetensors_and_json_and_nothing_else(fitted):
    assert {path.name for path in fitted.folder.iterdir()} == {
        "model.safetensors",
        "tfidf.json",
        "tahan.json",
    }
    assert isinstance(json.loads((fitted.folder / "tfidf.json").read_text(encoding="utf-8")), dict)


def test_untrained_tfidf_answers_a_third_for_every_label():
    rows = models.build("tfidf", LABELS).predict_proba(TEXTS[:4])
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows, np.full((4, 3), 1 / 3, dtype=np.float32))


def test_tfidf_gives_no_rows_for_no_texts(fitted):
    assert (
        fitted.classifier.predict_proba([]).shape
        == models.build("tfidf", LABELS).predict_proba([]).shape
        == (0, 3)
    )


# Folders that must be refused


@pytest.mark.parametrize(
    "act",
    [lambda folder: models.load(folder, LABELS), lambda folder: models.build(str(folder), LABELS)],
    ids=["load", "build"],
)
@pytest.mark.parametrize("name", ["pytorch_model.bin", "weights.pt", "tf_model.h5"])
def test_pickled_weights_are_refused_by_name(tmp_path, act, name):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    weights = AutoModelForSequenceClassification.from_pretrained(folder).state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / name)
    message = refusal(act, folder)
    assert name in message and "safetensors" in message


def test_pickled_weights_beside_other_safetensors_are_not_loaded(tmp_path):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    torch.save(
        AutoModelForSequenceClassification.from_pretrained(folder).state_dict(),
        folder / "pytorch_model.bin",
    )
    (folder / "model.safetensors").rename(folder / "adapter_model.safetensors")
    assert "safetensors" in refusal(models.load, folder, LABELS)


def test_folder_without_weights_is_refused(tmp_path):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    (folder / "model.safetensors").unlink()
    assert "no weights" in refusal(models.load, folder, LABELS)


def test_folder_without_config_is_refused(tmp_path):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    (folder / "config.json").unlink()
    assert "config.json" in refusal(models.load, folder, LABELS)
    assert "config.json" in refusal(models.build, str(folder), LABELS)


def test_broken_config_is_refused(tmp_path):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    (folder / "config.json").write_text("{", encoding="utf-8")
    assert "config" in refusal(models.load, folder, LABELS)


def test_truncated_weights_are_refused(tmp_path):
    folder = folders.classifier(tmp_path, "bert", LABELS)
    weights = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    assert str(folder) in refusal(models.load, folder, LABELS)


@pytest.mark.parametrize("kind", KINDS)
def test_folder_without_tokenizer_is_refused(tmp_path, kind):
    folder = folders.classifier(tmp_path, kind, LABELS)
    for path in folder.glob("tokenizer*"):
        path.unlink()
    assert "tokenizer" in refusal(models.load, folder, LABELS)


def test_bert_folder_with_vocab_txt_alone_is_read_like_any_other(tmp_path):
    assert models.load(vocabulary_only(tmp_path, "bert"), LABELS).pieces(
        "Kuah sotonya gurih"
    ) == folders.tokenizer("bert").tokenize("kuah sotonya gurih")


def test_albert_folder_with_vocab_txt_alone_is_read_right_or_refused(tmp_path):
    folder = vocabulary_only(tmp_path, "albert")
    try:
        pieces = models.load(folder, LABELS).pieces("Kuah sotonya gurih")
    except InputError as error:
        pieces = (
            folders.tokenizer("bert").tokenize("kuah sotonya gurih")
            if "tokenizer" in str(error)
            else []
        )
    assert pieces == folders.tokenizer("bert").tokenize("kuah sotonya gurih")


def test_encoder_without_head_is_refused_as_a_checkpoint(tmp_path):
    folder = edit(
        folders.base(tmp_path, "bert"),
        id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )
    refusal(models.load, folder, LABELS)


def test_encoder_with_missing_layers_is_refused_as_a_source(tmp_path):
    folder = folders.base(tmp_path, "bert")
    kept = {
        name: array
        for name, array in load_file(folder / "model.safetensors").items()
        if "encoder.layer.0" not in name
    }
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    refusal(models.build, str(folder), LABELS)


def test_code_of_a_model_folder_never_runs(tmp_path, monkeypatch):
    names = {
        "model_type": "aneh",
        "auto_map": {"AutoConfig": "own.Config", "AutoModelForSequenceClassification": "own.Model"},
    }
    folder, mark = (
        edit(folders.classifier(tmp_path / "given", "bert", LABELS), **names),
        tmp_path / "ran",
    )
    (folder / "own.py").write_text(
        f"from pathlib import Path\nPath({str(mark)!r}).touch()\n", encoding="utf-8"
    )
    asked = []
    monkeypatch.setattr("builtins.input", lambda question: asked.append(question) or "y")
    monkeypatch.setattr(
        "transformers.dynamic_module_utils.HF_MODULES_CACHE", str(tmp_path / "modules")
    )
    refusal(models.load, folder, LABELS)
    assert not mark.exists() and not asked


@pytest.mark.parametrize(("card", "said"), folders.BAD_CARDS)
def test_a_card_that_says_too_little_is_refused_whoever_reads_it(tmp_path, card, said):
    (tmp_path / models.CARD).write_text(card, encoding="utf-8")
    for message in (refusal(models.load, tmp_path, LABELS), refusal(models.read_card, tmp_path)):
        assert said in message and "tahan.json" in message


@pytest.mark.parametrize("reason", ["", "\n", "broken\nin two lines"])
def test_a_failure_with_any_message_is_one_sentence(reason):
    def fails():
        with sources.loading("owner/none", named="the encoder 'owner/none'"):
            raise OSError(reason)

    message = refusal(fails)
    assert message.startswith("cannot load the encoder 'owner/none' from the Hugging Face hub")
    assert (reason.split("\n")[0] or "OSError") in message


# The hub


def test_offline_hub_id_is_refused_in_one_sentence(offline):
    message = refusal(models.build, "tidak-ada/model-ini", LABELS)
    assert "'tidak-ada/model-ini'" in message and "local folder" in message


@pytest.mark.long
def test_unreachable_hub_is_refused_in_one_sentence_within_half_a_minute(tmp_path):
    """huggingface_hub tries six times with 23 seconds of waiting in all, which are counted here and
    not waited for.
    """
    code = """
import time
from tahanuji import models
from tahanuji.errors import InputError
waited = []
time.sleep = waited.append
for action in (models.build, models.load):
    try:
        action("tidak-ada/model-ini", ["a", "b"])
    except InputError as error:
        print(round(sum(waited)), repr(str(error)))
    waited.clear()
"""
    unreachable = {
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "NO_PROXY": "127.0.0.1",
        "HF_HOME": str(tmp_path),
    }
    done = folders.python(code, **unreachable, HF_HUB_OFFLINE="", TRANSFORMERS_OFFLINE="")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and len(lines) == 2, done.stderr
    for line in lines:
        seconds, message = line.split(" ", 1)
        assert int(seconds) < 30
        assert "tidak-ada/model-ini" in message and "network" in message and "\\n" not in message


# The models of the repository


def test_mini_is_the_encoder_that_ships_whatever_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    built = models.build("mini", LABELS)
    shipped = load_file(paths.ROOT / "data/models/mini/model.safetensors")
    kept = {name: weights for name, weights in built.model.state_dict().items() if name in shipped}
    assert all(torch.equal(weights, shipped[name].float()) for name, weights in kept.items())
    assert len(kept) == sum(name.startswith("bert.") for name in shipped)
    assert built.about()["source"] == "data/models/mini" and built.model.dtype == torch.float32


def test_mini_scratch_has_the_network_and_vocabulary_of_mini_and_weights_of_the_seed():
    pretrained, *drawn = [
        seeded(name, seed)
        for name, seed in (
            ("mini", 1),
            ("mini-scratch", 1),
            ("mini-scratch", 1),
            ("mini-scratch", 2),
        )
    ]
    assert all(one.tokenizer.get_vocab() == pretrained.tokenizer.get_vocab() for one in drawn)
    assert all(
        one.model.config.to_diff_dict() == pretrained.model.config.to_diff_dict() for one in drawn
    )
    embeddings = [one.model.get_input_embeddings().weight for one in (pretrained, *drawn)]
    assert torch.equal(embeddings[1], embeddings[2])
    assert not any(torch.equal(embeddings[1], embeddings[other]) for other in (0, 3))
    assert 0.019 < embeddings[1].std() < 0.021  # BERT's own


def seeded(name: str, seed: int) -> transformer.Transformer:
    torch.manual_seed(seed)
    return models.build(name, LABELS)


# How many pieces fit


@pytest.mark.parametrize(
    ("config", "wanted", "expected"),
    [
        (BertConfig(max_position_embeddings=512), 512, 512),
        (BertConfig(max_position_embeddings=512), 128, 128),
        (BertConfig(max_position_embeddings=64), 512, 64),
        (RobertaConfig(max_position_embeddings=514), 512, 512),
        (RobertaConfig(max_position_embeddings=514), 8192, 512),
        (XLMRobertaConfig(max_position_embeddings=66), 512, 64),
        (XLMRobertaConfig(max_position_embeddings=66), 32, 32),
        (T5Config(), 512, 512),
        (CamembertConfig(max_position_embeddings=514), 8192, 512),
        (XLNetConfig(), 512, 512),
    ],
    ids=lambda value: getattr(value, "model_type", value),
)
def test_window_is_what_is_wanted_or_what_the_positions_allow(config, wanted, expected):
    assert sources.window(config, wanted) == expected


@pytest.mark.parametrize(
    ("kind", "expected"), [("bert", folders.POSITIONS), ("xlm-roberta", folders.POSITIONS - 2)]
)
def test_long_texts_fill_the_window_and_no_more(bases, tmp_path, kind, expected):
    classifier = models.build(str(bases[kind]), LABELS)
    assert classifier.max_length == expected
    long = " ".join(TEXTS)
    rows = classifier.predict_proba([long, f"{long} jelek", TEXTS[0]])
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    models.save(classifier, tmp_path)
    assert models.load(tmp_path, LABELS).max_length == expected


def test_max_length_given_to_build_is_kept_in_the_checkpoint(bases, tmp_path):
    models.save(models.build(str(bases["albert"]), LABELS, max_length=12), tmp_path)
    assert models.load(tmp_path, LABELS).max_length == 12


# The checkpoint that a notebook tests


@pytest.fixture
def outputs(tmp_path, monkeypatch, bases) -> Path:
    """A folder of runs where `mini` has a finished checkpoint on the data set `embedded`."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    trained = tmp_path / "embedded" / "mini" / "01_finetune" / "default" / "checkpoint"
    classifier = models.build(str(bases["bert"]), LABELS)
    for number, which in enumerate(("best", "last")):
        models.save(
            classifier, trained / which, model_name="mini", dataset="embedded", epoch=number
        )
    (trained / "done.json").write_text("{}", encoding="utf-8")
    return tmp_path


def asking(outputs: Path, **parameters) -> SimpleNamespace:
    """A stub of the run of 05_typos that asks for a checkpoint."""
    values = {"checkpoint": "best", "dataset": "embedded", "model_name": "mini"} | parameters
    folder = outputs / "embedded" / values["model_name"] / "05_typos" / "default"
    return SimpleNamespace(
        parameters=values, dir=folder, model_name=values["model_name"], device=CPU
    )


@pytest.mark.parametrize(("which", "epoch"), [("best", 0), ("last", 1)])
def test_checkpoint_of_the_runs_own_model_is_found(outputs, which, epoch):
    assert checkpoints.load(asking(outputs, checkpoint=which)).about()["epoch"] == epoch


def test_missing_checkpoint_says_what_to_run(outputs):
    message = refusal(checkpoints.load, asking(outputs, model_name="indobert"))
    assert (
        "'indobert'" in message
        and "'embedded'" in message
        and "notebooks/01_finetune.ipynb" in message
    )


def test_checkpoint_on_another_data_set_does_not_count(outputs):
    assert "'smsa'" in refusal(checkpoints.load, asking(outputs, dataset="smsa"))


def test_unfinished_checkpoint_does_not_count(outputs):
    (
        outputs / "embedded" / "mini" / "01_finetune" / "default" / "checkpoint" / "done.json"
    ).unlink()
    assert "no checkpoint" in refusal(checkpoints.load, asking(outputs))


def test_a_finished_model_is_tested_behind_its_normaliser_and_never_fine_tuned(
    outputs, tmp_path, monkeypatch
):
    plain = models.load(folders.classifier(tmp_path / "plain", "bert", LABELS), LABELS)
    defences.save(plain, tmp_path / "shipped", "normaliser", half=None)
    entries = models.entries()
    own = entries["sentiment"] | {"source": str(tmp_path / "shipped")}
    monkeypatch.setattr("tahanuji.models.config.entries", lambda: entries | {"sentiment": own})
    found = checkpoints.load(asking(outputs, model_name="sentiment"))
    said = found.predict_proba(["sgt enakkk bgt"])
    np.testing.assert_allclose(said, plain.predict_proba(["sangat enak banget"]), atol=1e-6)
    assert "is a finished classifier" in refusal(models.build, "sentiment", LABELS)


def test_folder_given_as_checkpoint_is_loaded(outputs, tmp_path):
    folder = folders.classifier(tmp_path / "own", "albert", LABELS)
    found = checkpoints.load(asking(outputs, checkpoint=str(folder)))
    assert found.model.config.model_type == "albert"
    np.testing.assert_allclose(found.predict_proba([TEXTS[0]])[0], raw(folder, TEXTS[0]), atol=1e-6)


def test_trained_lists_finished_models_of_the_profile_on_the_data_set(outputs):
    assert list(checkpoints.trained(asking(outputs, model_name="indobert"))) == ["mini"]
    assert checkpoints.trained(asking(outputs, dataset="smsa")) == {}


def test_trained_passes_over_a_model_whose_training_was_interrupted(outputs):
    (outputs / "embedded" / "tfidf" / "01_finetune" / "default" / "checkpoint" / "best").mkdir(
        parents=True
    )
    assert list(checkpoints.trained(asking(outputs))) == ["mini"]
