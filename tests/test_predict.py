"""Fast predictions must be the plain ones: whatever the order, length, repetition, chunk or batch
of the texts.
"""

import random
from types import SimpleNamespace

import causal
import folders
import numpy as np
import pytest
import torch
from folders import KINDS, LABELS, TEXTS
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPT2Config, GPT2ForSequenceClassification

from tahanuji import models, predict
from tahanuji.errors import InputError
from tahanuji.models import inference
from tahanuji.models.transformer import Transformer

LONG = " ".join(TEXTS)
VARIED = [
    "",
    "kuah",
    "!",
    *TEXTS[::6],
    " ".join(TEXTS[:3]),
    LONG,
    "kuah",
    "",
    "Kuah SOTO",
    TEXTS[0],
    LONG,
]


@pytest.fixture(scope="session")
def classifiers(tmp_path_factory) -> dict[str, Transformer]:
    made = {
        kind: folders.classifier(tmp_path_factory.mktemp("classifiers") / kind, kind, LABELS)
        for kind in KINDS
    }
    return {kind: models.load(folder, LABELS) for kind, folder in made.items()}


@pytest.fixture
def bert(classifiers) -> Transformer:
    return classifiers["bert"]


def naive(classifier: Transformer, texts: list) -> np.ndarray:
    """One text or pair at a time, as transformers' documentation shows it."""
    rows = []
    for text in texts:
        inputs = folders.plain(
            classifier.model,
            classifier.tokenizer,
            text,
            truncation=True,
            max_length=classifier.max_length,
        )
        with torch.inference_mode():
            rows.append(classifier.model(**inputs).logits.softmax(-1)[0].numpy())
    return np.array(rows)


@pytest.fixture
def watch():
    """watch(model) gives a list that every forward call adds the shape of its input to."""
    hooks = []

    def start(model: torch.nn.Module) -> list[tuple[int, int]]:
        shapes = []
        hooks.append(
            model.register_forward_pre_hook(
                lambda module, args, more: shapes.append(tuple(more["input_ids"].shape)),
                with_kwargs=True,
            )
        )
        return shapes

    yield start
    for hook in hooks:
        hook.remove()


def probabilities(classifier: Transformer, texts: list[str], **more) -> np.ndarray:
    return inference.probabilities(
        classifier.model, classifier.tokenizer, texts, max_length=classifier.max_length, **more
    )


# The plain loop


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_equal_those_of_one_text_at_a_time(classifiers, kind):
    classifier = classifiers[kind]
    expected = naive(classifier, VARIED)
    np.testing.assert_allclose(probabilities(classifier, VARIED), expected, atol=1e-5)
    assert np.ptp(expected, axis=0).max() > 0.05


@pytest.mark.parametrize("kind", KINDS)
def test_padding_changes_nothing(classifiers, kind, watch):
    classifier, pair = classifiers[kind], ["kuah", " ".join(TEXTS[:2])]
    shapes = watch(classifier.model)
    rows = probabilities(classifier, pair, batch_tokens=10_000)
    assert len(shapes) == 1 and shapes[0][0] == 2
    np.testing.assert_allclose(rows, naive(classifier, pair), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_padding_is_the_tokenizers_own_piece_and_is_masked(classifiers, kind):
    classifier, given = classifiers[kind], []
    hook = classifier.model.register_forward_pre_hook(
        lambda module, args, more: given.append(more), with_kwargs=True
    )
    probabilities(classifier, ["kuah", TEXTS[0]])
    hook.remove()
    expected = classifier.tokenizer(
        [TEXTS[0], "kuah"],
        padding=True,
        pad_to_multiple_of=8 if kind == "funnel" else None,
        return_tensors="pt",
    )
    assert len(given) == 1
    assert torch.equal(given[0]["input_ids"], expected["input_ids"]) and torch.equal(
        given[0]["attention_mask"], expected["attention_mask"]
    )


def test_a_tokenizer_without_padding_pads_with_the_end_of_a_text(tmp_path):
    words = causal.tokenizer()
    assert words.pad_token is None
    size = {"vocab_size": len(words), "n_positions": 64, "n_embd": 16, "n_layer": 1, "n_head": 2}
    names = {"id2label": dict(enumerate(LABELS)), "bos_token_id": 0, "eos_token_id": 0}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        network = GPT2ForSequenceClassification(GPT2Config(**size, **names, initializer_range=0.4))
    network.save_pretrained(tmp_path)
    words.save_pretrained(tmp_path)
    model, texts = models.load(tmp_path, LABELS), ["enak", "kuah sotonya gurih sekali", "x"]
    alone = [model.predict_proba([text])[0] for text in texts]
    np.testing.assert_allclose(model.predict_proba(texts), alone, atol=1e-5)
    words.eos_token = None
    with pytest.raises(InputError, match="name a pad_token"):
        Transformer(network, words, LABELS, 64)


def test_no_texts_give_an_array_of_no_rows(bert, watch):
    shapes = watch(bert.model)
    rows = bert.predict_proba([])
    assert rows.shape == (0, 3) and rows.dtype == np.float32 and not shapes


def test_empty_string_is_a_text(bert):
    np.testing.assert_allclose(bert.predict_proba([""]), naive(bert, [""]), atol=1e-5)


def test_each_distinct_text_is_computed_once(bert, watch):
    shapes = watch(bert.model)
    texts = [*TEXTS[:5], *TEXTS[:5], "", TEXTS[3], ""]
    rows = probabilities(bert, texts)
    assert sum(size for size, _ in shapes) == 6
    np.testing.assert_allclose(rows, naive(bert, texts), atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_long_texts_are_cut_at_max_length(classifiers, kind, watch):
    classifier = classifiers[kind]
    shapes = watch(classifier.model)
    rows = inference.probabilities(
        classifier.model, classifier.tokenizer, [LONG, f"{LONG} tambahan"], max_length=9
    )
    assert shapes == [(2, 16 if kind == "funnel" else 9)]
    np.testing.assert_allclose(rows[0], rows[1], atol=1e-6)
    short = SimpleNamespace(model=classifier.model, tokenizer=classifier.tokenizer, max_length=9)
    np.testing.assert_allclose(rows[:1], naive(short, [LONG]), atol=1e-5)


def test_columns_are_the_models_own_order_and_the_classifier_turns_them(tmp_path):
    classifier = models.load(folders.classifier(tmp_path, "bert", LABELS[::-1]), LABELS)
    np.testing.assert_array_equal(
        classifier.predict_proba(VARIED), probabilities(classifier, VARIED)[:, ::-1]
    )


# Order, chunks, batches


@pytest.mark.parametrize("kind", KINDS)
def test_order_of_texts_changes_nothing(classifiers, kind):
    order = random.Random(3).sample(range(len(VARIED)), len(VARIED))
    shuffled = probabilities(classifiers[kind], [VARIED[row] for row in order])
    np.testing.assert_allclose(shuffled, probabilities(classifiers[kind], VARIED)[order], atol=1e-6)


def test_company_of_other_texts_changes_nothing(bert):
    np.testing.assert_allclose(
        probabilities(bert, TEXTS)[7:9], probabilities(bert, TEXTS[7:9]), atol=1e-6
    )


def test_chunks_change_nothing_and_bound_what_is_tokenized_at_once(bert, monkeypatch):
    whole = probabilities(bert, VARIED)
    sizes = []

    def tokenizer(texts, **options):
        sizes.append(len(texts))
        return bert.tokenizer(texts, **options)

    for name in ("pad_token_id", "pad_token_type_id", "padding_side"):
        setattr(tokenizer, name, getattr(bert.tokenizer, name))
    monkeypatch.setattr(inference, "CHUNK", 3)
    chunked = inference.probabilities(bert.model, tokenizer, VARIED, max_length=bert.max_length)
    np.testing.assert_allclose(chunked, whole, atol=1e-6)
    assert max(sizes) == 3 and sum(sizes) == len(set(VARIED))


@pytest.mark.parametrize("budget", [1, 20, 64, 100_000])
def test_batches_of_the_model_keep_the_budget_of_padded_tokens(bert, watch, budget):
    shapes = watch(bert.model)
    rows = probabilities(bert, VARIED, batch_tokens=budget)
    assert all(size * width <= budget or size == 1 for size, width in shapes)
    assert sum(size for size, _ in shapes) == len(set(VARIED))
    np.testing.assert_allclose(rows, naive(bert, VARIED), atol=1e-5)


@given(lengths=st.lists(st.integers(0, 600), max_size=80), budget=st.integers(1, 5000))
def test_batches_hold_every_row_once_within_the_budget_longest_first(lengths, budget):
    found = [rows.tolist() for rows in inference.batches(lengths, budget)]
    in_order = [row for rows in found for row in rows]
    assert sorted(in_order) == list(range(len(lengths)))
    assert all(len(rows) * lengths[rows[0]] <= budget or len(rows) == 1 for rows in found)
    assert [lengths[row] for row in in_order] == sorted(lengths, reverse=True)


@given(lengths=st.lists(st.integers(1, 600), min_size=1, max_size=80), budget=st.integers(1, 5000))
def test_batches_are_as_few_as_the_budget_allows_in_this_order(lengths, budget):
    found = list(inference.batches(lengths, budget))
    assert all((len(rows) + 1) * lengths[rows[0]] > budget for rows in found[:-1])


# Precisions


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_faster_precisions_stay_close(classifiers, kind, precision):
    fast, slow = (
        classifiers[kind].predict_proba(VARIED, precision),
        classifiers[kind].predict_proba(VARIED, "fp32"),
    )
    assert fast.dtype == np.float32 and fast.shape == slow.shape
    np.testing.assert_allclose(fast.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(
        fast, slow, atol=0.15 if kind == "funnel" else 0.05
    )  # this small one is steep
    assert (fast != slow).any()


@pytest.mark.parametrize("precision", ["bf16", "fp16", "int8"])
def test_convert_leaves_the_model_as_it_is(bert, precision):
    before = {name: value.clone() for name, value in bert.model.state_dict().items()}
    rows = naive(bert, VARIED)
    converted = inference.convert(bert.model, precision)
    assert converted is not bert.model
    after = bert.model.state_dict()
    assert after.keys() == before.keys() and all(
        torch.equal(after[name], value) for name, value in before.items()
    )
    assert bert.model.dtype == torch.float32
    np.testing.assert_array_equal(naive(bert, VARIED), rows)


def test_converted_models_are_what_they_are_called(bert):
    assert inference.convert(bert.model, "fp32") is bert.model
    assert {value.dtype for value in inference.convert(bert.model, "bf16").parameters()} == {
        torch.bfloat16
    }
    assert {value.dtype for value in inference.convert(bert.model, "fp16").parameters()} == {
        torch.float16
    }
    linear = [
        module
        for module in inference.convert(bert.model, "int8").modules()
        if type(module).__name__ == "Linear"
    ]
    assert linear and all("quantized" in type(module).__module__ for module in linear)


def test_classifier_returns_to_full_precision_after_a_faster_one(bert):
    before = bert.predict_proba(VARIED)
    bert.predict_proba(VARIED, "int8")
    np.testing.assert_array_equal(bert.predict_proba(VARIED), before)


# Several lists together


class Lengths:
    """A stub classifier: its first column is a text's length, its label at bf16 positive
    throughout.
    """

    def __init__(self):
        self.calls = []

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        self.calls.append((list(texts), precision))
        long = [len(text) if precision == "fp32" else 99 for text in texts]
        return np.array([[size, 3, 0] for size in long], dtype=np.float32).reshape(len(texts), 3)


def test_together_predicts_in_one_stream_and_splits_by_name():
    stub = Lengths()
    found = predict.together(
        stub, {"clean": ["a", "bbb"], "nothing": [], "typos": ["cc", "dddd", "e"]}, "fp32"
    )
    assert list(found) == ["clean", "nothing", "typos"]
    assert [found[name][:, 0].tolist() for name in found] == [[1, 3], [], [2, 4, 1]]
    assert {rows.shape[1] for rows in found.values()} == {3}
    assert stub.calls == [(["a", "bbb", "cc", "dddd", "e"], "fp32")]


def test_together_hands_the_precision_on():
    stub = Lengths()
    predict.together(stub, {"clean": ["a"]}, "int8")
    assert stub.calls == [(["a"], "int8")]


def test_together_equals_separate_predictions(bert):
    columns = {"clean": TEXTS[:5], "typos": [text.replace("a", "") for text in TEXTS[:5]]}
    found = predict.together(bert, columns)
    for name, texts in columns.items():
        np.testing.assert_allclose(found[name], naive(bert, texts), atol=1e-5)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_name_no_label(wrong):
    rows = np.array([[0.2, 0.8], [wrong, wrong]], np.float32)
    with pytest.raises(InputError, match="1 of 2 rows of probabilities .* not finite"):
        predict.named(rows, ["positive", "negative"])
    assert predict.named(rows[:0], ["positive", "negative"]).tolist() == []


def test_changed_labels_is_the_share_of_other_answers():
    assert predict.changed_labels(Lengths(), ["a", "bb", "cccc", "ddddd"], "bf16") == 0.5
    assert predict.changed_labels(Lengths(), ["cccc", "ddddd"], "bf16") == 0.0
    assert predict.changed_labels(Lengths(), ["a"], "fp32") == 0.0
