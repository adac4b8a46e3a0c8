"""Similarities: one interface, three measures, each against plain arithmetic."""

import json

import folders
import numpy as np
import pytest
import torch
from folders import LABELS, TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file
from sklearn.metrics.pairwise import cosine_similarity
from transformers import AutoConfig

from tahanuji import models
from tahanuji.codemix import encoders, similarity
from tahanuji.errors import InputError
from tahanuji.models.tfidf import Tfidf

FITTED = similarity.CharacterTfidf.fit(TEXTS)
quick = settings(deadline=None, max_examples=60)
PAIRS = list(
    zip(
        [*TEXTS[:6], "", "kuah", "😋", TEXTS[0]],
        [*TEXTS[1:7], "kuah", "", "😋", TEXTS[0]],
        strict=True,
    )
)


def plainly(model, tokenizer, text: str, max_length: int) -> np.ndarray:
    """Mean of the last hidden states, a text at a time, as transformers' documentation shows it."""
    with torch.inference_mode():
        return (
            model(**tokenizer(text, truncation=True, max_length=max_length, return_tensors="pt"))
            .last_hidden_state[0]
            .mean(0)
            .numpy()
        )


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_characters_are_scikit_learns_cosine():
    originals, changed = zip(*PAIRS, strict=True)
    vectors = [FITTED.vectorizer.transform(side) for side in (originals, changed)]
    expected = np.diagonal(cosine_similarity(*vectors)).copy()
    expected[8] = 1  # equal texts, though neither has a known n-gram
    np.testing.assert_allclose(FITTED.scores(list(originals), list(changed)), expected, atol=1e-6)


def test_equal_texts_are_alike_and_strange_ones_are_not():
    assert FITTED.scores(
        ["", "😋", "kuah soto", "kuah", "kuah", "kuah"], ["", "😋", "kuah soto", "", "😋", "zzz"]
    ).tolist() == [1, 1, 1, 0, 0, 0]
    near, far = FITTED.scores(
        ["kuah sotonya gurih"] * 2, ["kuah sotonya lezat", "warung tutup sekarang"]
    )
    assert 1 > near > far


def test_no_pairs_and_unequal_numbers():
    assert FITTED.scores([], []).shape == (0,)
    with pytest.raises(ValueError, match="zip"):
        FITTED.scores(["a"], [])


def test_nothing_to_fit_on():
    with pytest.raises(InputError, match="need training texts, and these 1 give none"):
        similarity.CharacterTfidf.fit([""])


@quick
@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), max_size=8))
def test_scores_are_symmetric_bounded_and_blind_to_company(pairs):
    originals, changed = [one for one, _ in pairs], [other for _, other in pairs]
    found = FITTED.scores(originals, changed)
    assert ((found >= 0) & (found <= 1)).all()
    np.testing.assert_allclose(found, FITTED.scores(changed, originals), atol=2e-6)
    assert [FITTED.scores([one], [other])[0] for one, other in pairs] == found.tolist()


def test_chunks_change_nothing(monkeypatch):
    originals, changed = map(list, zip(*PAIRS, strict=True))
    whole = FITTED.scores(originals, changed)
    monkeypatch.setattr(similarity, "CHUNK", 3)
    np.testing.assert_array_equal(FITTED.scores(originals, changed), whole)


@pytest.mark.parametrize("kind", ["bert", "distilbert", "xlm-roberta"])
def test_a_sentence_encoder_is_the_mean_of_its_states(tmp_path, kind):
    encoder = encoders.sentence_encoder(str(folders.base(tmp_path / kind, kind)))
    expected = [
        cosine(
            *(plainly(encoder.model, encoder.tokenizer, text, encoder.max_length) for text in pair)
        )
        for pair in PAIRS
    ]
    np.testing.assert_allclose(
        encoder.scores(*map(list, zip(*PAIRS, strict=True))), np.clip(expected, 0, 1), atol=1e-5
    )
    assert np.ptp(expected) > 0.05


@pytest.mark.parametrize("kind", ["bert", "albert"])
def test_the_classifiers_own_encoder(tmp_path, kind):
    classifier = models.load(folders.classifier(tmp_path / kind, kind, LABELS), LABELS)
    encoder = encoders.own_encoder(classifier)
    long = " ".join(TEXTS)
    found = encoder.scores(["kuah", long, TEXTS[0]], [TEXTS[0], f"{long} lagi", TEXTS[0]])
    base, tokenizer = classifier.model.base_model, classifier.tokenizer
    expected = cosine(
        *(plainly(base, tokenizer, text, classifier.max_length) for text in ("kuah", TEXTS[0]))
    )
    np.testing.assert_allclose(found, [expected, 1, 1], atol=1e-5)


def test_tfidf_has_no_encoder_of_its_own():
    with pytest.raises(InputError, match="no encoder of its own; use CharacterTfidf"):
        encoders.own_encoder(Tfidf(LABELS))


@pytest.fixture
def folder(tmp_path):
    return folders.base(tmp_path / "encoder", "bert")


def pooling(folder, settings: dict, *kinds: str) -> None:
    """The files beside an encoder in the layout of sentence-transformers."""
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(settings))
    modules = [
        {
            "type": f"sentence_transformers.models.{kind}",
            "path": f"{number}_{kind}" if number else "",
        }
        for number, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))


def dense(
    folder, activation: str = "torch.nn.modules.activation.Tanh", width: int = 3
) -> tuple[torch.Tensor, torch.Tensor]:
    """A dense layer as the third module; its weights."""
    inside = AutoConfig.from_pretrained(folder).hidden_size
    (folder / "2_Dense").mkdir()
    about = {
        "in_features": inside,
        "out_features": 3,
        "bias": True,
        "activation_function": activation,
    }
    (folder / "2_Dense" / "config.json").write_text(json.dumps(about))
    weight, bias = (
        torch.randn(width, inside, generator=torch.Generator().manual_seed(5)),
        torch.tensor([0.5, -1.0, 0.25][:width]),
    )
    save_file(
        {"linear.weight": weight, "linear.bias": bias}, folder / "2_Dense" / "model.safetensors"
    )
    return weight, bias


FIRST = [
    {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True, "include_prompt": True},
    {"pooling_mode": "cls"},
]


@pytest.mark.parametrize(
    "settings",
    [
        {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False, "include_prompt": True},
        {"pooling_mode": "mean"},
    ],
)
def test_the_layout_of_sentence_transformers(folder, settings):
    plain = encoders.sentence_encoder(str(folder)).vectors(TEXTS)
    pooling(folder, settings, "Transformer", "Pooling", "Normalize")
    np.testing.assert_array_equal(encoders.sentence_encoder(str(folder)).vectors(TEXTS), plain)


@pytest.mark.parametrize("settings", FIRST)
def test_pooling_by_the_first_piece(folder, settings):
    pooling(folder, settings, "Transformer", "Pooling", "Normalize")
    encoder = encoders.sentence_encoder(str(folder))
    for text, vector in zip(TEXTS[:4], encoder.vectors(TEXTS[:4]), strict=True):
        with torch.inference_mode():
            state = (
                encoder.model(**encoder.tokenizer(text, return_tensors="pt"))
                .last_hidden_state[0, 0]
                .numpy()
            )
        np.testing.assert_allclose(vector, state / np.linalg.norm(state), atol=1e-5)


def test_a_dense_layer_with_its_activation(folder):
    pooling(
        folder, {"pooling_mode_mean_tokens": True}, "Transformer", "Pooling", "Dense", "Normalize"
    )
    weight, bias = (part.numpy() for part in dense(folder))
    encoder = encoders.sentence_encoder(str(folder))
    for text, vector in zip(TEXTS[:4], encoder.vectors(TEXTS[:4]), strict=True):
        expected = np.tanh(
            weight @ plainly(encoder.model, encoder.tokenizer, text, encoder.max_length) + bias
        )
        np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=1e-5)


def test_dense_layers_that_cannot_be_read(folder):
    pooling(folder, {"pooling_mode_mean_tokens": True}, "Transformer", "Pooling", "Dense")
    with pytest.raises(
        InputError, match="dense layer in 2_Dense without config.json or model.safetensors"
    ):
        encoders.sentence_encoder(str(folder))
    dense(folder, "torch.nn.modules.activation.Softplus")
    with pytest.raises(InputError, match="dense layer with Softplus; known are Tanh"):
        encoders.sentence_encoder(str(folder))


def test_a_dense_layer_of_another_shape(folder):
    pooling(folder, {"pooling_mode_mean_tokens": True}, "Transformer", "Pooling", "Dense")
    dense(folder, width=2)
    with pytest.raises(
        InputError, match="dense layer in 2_Dense are not those that its config.json describes"
    ):
        encoders.sentence_encoder(str(folder))


@pytest.mark.parametrize(
    ("settings", "kinds"),
    [
        (
            {"pooling_mode_mean_tokens": True, "pooling_mode_cls_token": True},
            ("Transformer", "Pooling"),
        ),
        ({"pooling_mode": "max"}, ("Transformer", "Pooling")),
        ({"pooling_mode_weightedmean_tokens": True}, ("Transformer", "Pooling")),
        ({"pooling_mode_mean_tokens": True}, ("Transformer", "Pooling", "LSTM")),
    ],
)
def test_other_poolings_are_refused(folder, settings, kinds):
    pooling(folder, settings, *kinds)
    with pytest.raises(InputError, match="does more than pool states by mean or first piece"):
        encoders.sentence_encoder(str(folder))


def test_an_encoder_that_lacks_weights(folder):
    weights = load_file(folder / "model.safetensors")
    save_file(
        {name: value for name, value in weights.items() if "attention" not in name},
        folder / "model.safetensors",
        {"format": "pt"},
    )
    with pytest.raises(InputError, match="lacks weights of its encoder"):
        encoders.sentence_encoder(str(folder))


def test_encoders_that_cannot_be_had(tmp_path, folder):
    with pytest.raises(InputError, match="cannot load the sentence encoder 'kosong/tidak/ada'"):
        encoders.sentence_encoder("kosong/tidak/ada")
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(InputError, match=r"only pickled weights \(pytorch_model.bin\)"):
        encoders.sentence_encoder(str(folder))
