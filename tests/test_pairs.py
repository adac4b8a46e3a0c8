"""Pairs of sentences from file to verdict: reading, hashes, both kinds of classifier, perturbation,
predictions and training.
"""

from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pairs
import pandas as pd
import pytest
import torch
import transformers
from folders import KINDS, TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import tables
from helpers.session import Run
from tahanuji import behaviour, data, measure, models, perturb, predict, training
from tahanuji.errors import InputError
from tahanuji.models import inference, tfidf, transformer
from tahanuji.training import trainer

HEADER = "text,text_pair,label\n"
NAMES = "entailment\nneutral\ncontradiction\n"
MIXED = [
    ("kuah sotonya gurih", "kuahnya hambar"),
    "kuah sotonya gurih",
    ("kuahnya hambar", "kuah sotonya gurih"),
    ("kuah", ""),
    TEXTS[0],
    (TEXTS[0], TEXTS[9]),
]


def own(folder: Path, **files: str) -> str:
    """A folder of one's own with files `test="…"`, which are csv, and labels.txt."""
    for name, content in {"labels": NAMES, **files}.items():
        (folder / f"{name}.{'txt' if name == 'labels' else 'csv'}").write_text(
            content, encoding="utf-8"
        )
    return str(folder)


def refusal(*given, split: str = "test") -> str:
    with pytest.raises(InputError) as caught:
        data.load(*given, split)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# Files


@pytest.mark.parametrize("names", ["text,text_pair", "premise,hypothesis", "sentence1,sentence2"])
def test_a_folder_of_pairs_is_read_by_any_of_the_usual_names(tmp_path, names):
    frame = data.load(
        own(tmp_path, test=f"{names},label\nIbu pergi.,Ibu ada di rumah.,contradiction\n"), "test"
    )
    assert list(frame) == ["id", "text", "text_pair", "label"]
    assert frame.iloc[0, 1:].to_list() == ["Ibu pergi.", "Ibu ada di rumah.", "contradiction"]
    assert data.inputs(frame) == [("Ibu pergi.", "Ibu ada di rumah.")] and data.paired(frame)


def test_pairs_of_a_tsv_and_of_one_file_beside_its_labels(tmp_path):
    own(tmp_path)
    (tmp_path / "soal.tsv").write_text(
        'premise\thypothesis\tlabel\nKata ibu, "ya".\tIbu setuju.\tentailment\n', encoding="utf-8"
    )
    frame = data.load(str(tmp_path / "soal.tsv"), "test")
    assert data.inputs(frame) == [('Kata ibu, "ya".', "Ibu setuju.")]


def test_a_missing_second_text_is_refused_with_its_row(tmp_path):
    said = refusal(
        own(
            tmp_path,
            test=HEADER
            + "Ibu pergi.,Ibu ada.,neutral\nIbu pergi.,,neutral\nIbu pergi.,  ,neutral\n",
        )
    )
    assert said.endswith("test.csv: rows 3, 4 have no second text.")


def test_a_missing_first_text_is_refused_with_its_row(tmp_path):
    assert "rows 2 have no text" in refusal(own(tmp_path, test=HEADER + ",Ibu ada.,neutral\n"))


@pytest.mark.parametrize(
    ("names", "missing"),
    [
        ("premise,label", "text_pair"),
        ("sentence1,label", "text_pair"),
        ("hypothesis,label", "text"),
        ("text,text_pair", "label"),
    ],
)
def test_half_a_pair_of_columns_is_refused(tmp_path, names, missing):
    assert f"has no column {missing};" in refusal(
        own(tmp_path, test=f"{names}\nIbu pergi.,neutral\n")
    )


def test_two_columns_that_mean_the_second_sentence_are_refused(tmp_path):
    assert "has both text_pair and hypothesis" in refusal(
        own(tmp_path, test="text,text_pair,hypothesis,label\na,b,c,neutral\n")
    )


def test_an_unknown_label_of_a_pair_is_refused(tmp_path):
    assert "rows 2 have a label outside entailment, neutral, contradiction" in refusal(
        own(tmp_path, test=HEADER + "a b,c d,maybe\n")
    )


def test_jsonl_lines_of_pairs_are_read_and_bad_ones_named(tmp_path):
    path = tmp_path / "soal.jsonl"
    path.write_text(
        '{"premise": "Ibu pergi.", "hypothesis": "Ibu ada\\u2028di rumah.", "label": "c", "nomor": '
        "7}\n\n",
        encoding="utf-8",
    )
    frame = data.read_labelled(path, pairs.LABELS, codes={"c": "contradiction"})
    assert frame.values.tolist() == [["Ibu pergi.", "Ibu ada\u2028di rumah.", "contradiction"]]
    for content, said in {
        '{"premise": "a", "hypothesis": null, "label": "c"}': "rows 1 have no second text",
        '{"premise": "a", "label": "c"}': "has no column text_pair",
        '{"premise": "a", "hypothesis": "b", "label": "x"}': "rows 1 have a label outside",
        '{"premise": "a"': "row 1 is not JSON",
        '["a", "b", "c"]': "row 1 is no JSON object",
        "\n": "is empty",
    }.items():
        path.write_text(content, encoding="utf-8")
        with pytest.raises(InputError, match=said):
            data.read_labelled(path, pairs.LABELS, codes={"c": "contradiction"})


def test_a_pair_repeats_where_both_sentences_do():
    frame = pd.DataFrame({"text": ["a", "a", "a", "b"], "text_pair": ["x", "y", "x", "x"]})
    assert data.repeats(frame) == 1
    assert data.repeats(frame, frame.iloc[[1, 3]]) == 2


def test_the_hash_of_a_pair_tells_its_order_and_is_not_that_of_a_text():
    assert (
        len(
            {
                data.text_hash(example)
                for example in [("a", "b"), ("b", "a"), "ab", "a b", ("a b", "")]
            }
        )
        == 5
    )


@settings(deadline=None)
@given(st.lists(st.tuples(st.text(), st.text())), st.booleans())
def test_sentences_and_columns_lose_nothing(examples, single):
    examples = [first for first, _ in examples] if single else examples
    columns = data.as_columns(examples, "text", "text_pair")
    again = pd.DataFrame(columns)
    assert data.inputs(again) == examples
    assert sorted(data.sentences(examples)) == sorted(
        sentence for column in columns.values() for sentence in column
    )


def test_words_of_both_sentences_count():
    assert data.word_counts(
        pd.DataFrame({"text": ["a b c", "a"], "text_pair": ["d", "e f"]})
    ).to_list() == [4, 3]
    assert data.word_counts(pd.DataFrame({"text": ["a b c", "a"]})).to_list() == [3, 1]


# Transformers


@pytest.fixture(scope="session")
def classifiers(tmp_path_factory) -> dict[str, transformer.Transformer]:
    made = {
        kind: folders.classifier(tmp_path_factory.mktemp("classifiers") / kind, kind, pairs.LABELS)
        for kind in KINDS
    }
    return {kind: models.load(folder, pairs.LABELS) for kind, folder in made.items()}


def naive(classifier, example) -> np.ndarray:
    """One text or pair as transformers' documentation shows it."""
    inputs = folders.plain(
        classifier.model,
        classifier.tokenizer,
        example,
        truncation="longest_first",
        max_length=classifier.max_length,
    )
    with torch.inference_mode():
        return classifier.model(**inputs).logits.softmax(-1)[0].numpy()


@pytest.mark.parametrize("kind", KINDS)
def test_texts_and_pairs_together_give_what_each_gives_alone(classifiers, kind):
    rows = classifiers[kind].predict_proba(MIXED * 2)
    np.testing.assert_allclose(
        rows, [naive(classifiers[kind], example) for example in MIXED] * 2, atol=1e-5
    )
    assert np.abs(rows[0] - rows[2]).max() > 1e-3  # the order of the sentences counts


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in {"distilbert", "xlm-roberta"}]
)
def test_token_types_reach_the_models_that_have_them(classifiers, kind):
    classifier, given = classifiers[kind], []
    hook = classifier.model.register_forward_pre_hook(
        lambda module, args, more: given.append(more), with_kwargs=True
    )
    classifier.predict_proba([(TEXTS[0], "kuah"), ("kuah", TEXTS[0])])
    hook.remove()
    types = torch.cat([more["token_type_ids"].flatten() for more in given])
    assert set(types.tolist()) == {0, 1} | ({2} if kind in {"funnel", "xlnet"} else set())


@pytest.mark.parametrize("kind", ["distilbert", "xlm-roberta"])
def test_models_without_token_types_get_none(classifiers, kind):
    given = []
    hook = classifiers[kind].model.register_forward_pre_hook(
        lambda module, args, more: given.append(more), with_kwargs=True
    )
    classifiers[kind].predict_proba([(TEXTS[0], "kuah")])
    hook.remove()
    assert "token_type_ids" not in given[0]


def test_a_roberta_with_one_token_type_gets_none():
    config = transformers.XLMRobertaConfig(
        vocab_size=30,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        type_vocab_size=1,
    )
    assert not inference.takes_token_types(transformers.XLMRobertaForSequenceClassification(config))


@pytest.mark.parametrize("kind", KINDS)
def test_of_a_long_pair_the_longer_sentence_is_cut(classifiers, kind):
    classifier, long = classifiers[kind], " ".join(TEXTS[:12])
    short = transformer.Transformer(classifier.model, classifier.tokenizer, pairs.LABELS, 24)
    rows = short.predict_proba(
        [
            (long, "kuah sotonya"),
            (f"{long} hambar", "kuah sotonya"),
            (long, "kuah hambar"),
            ("kuah", long),
        ]
    )
    np.testing.assert_allclose(
        rows,
        [
            naive(short, example)
            for example in [(long, "kuah sotonya")] * 2 + [(long, "kuah hambar"), ("kuah", long)]
        ],
        atol=1e-5,
    )
    assert np.abs(rows[0] - rows[2]).max() > 1e-4  # the short sentence is still there


def test_xlnet_is_padded_on_the_left(classifiers):
    given = []
    hook = classifiers["xlnet"].model.register_forward_pre_hook(
        lambda module, args, more: given.append(more), with_kwargs=True
    )
    classifiers["xlnet"].predict_proba(["kuah", TEXTS[0]])
    hook.remove()
    mask = given[0]["attention_mask"]
    assert mask[:, -1].tolist() == [1, 1] and sorted(mask[:, 0].tolist()) == [0, 1]


def test_funnel_answers_alike_in_any_company(classifiers):
    classifier = classifiers["funnel"]
    texts = ["", "kuah", *[" ".join(TEXTS[0].split()[:count]) for count in range(2, 8)]]
    together = inference.probabilities(
        classifier.model, classifier.tokenizer, texts, batch_tokens=10_000
    )
    for row, text in zip(together, texts, strict=True):
        for mate in ("kuah", TEXTS[5], " ".join(TEXTS[:3])):
            pair = inference.probabilities(
                classifier.model, classifier.tokenizer, [text, mate], batch_tokens=10_000
            )
            np.testing.assert_allclose(pair[0], row, atol=1e-5)


def test_funnel_left_to_itself_depends_on_the_padding(classifiers):
    """Why `inference.width_multiple` is there; where this fails, transformers was mended and it may
    go.
    """
    model, tokenizer = classifiers["funnel"].model, classifiers["funnel"].tokenizer
    gaps = []
    for count in range(1, 8):
        text = " ".join(TEXTS[0].split()[:count])
        rows = []
        for width in (0, 64):
            inputs = tokenizer(
                [text],
                return_tensors="pt",
                return_token_type_ids=True,
                **({"padding": "max_length", "max_length": width} if width else {}),
            )
            with torch.inference_mode():
                try:
                    rows.append(model(**inputs).logits.softmax(-1))
                except RuntimeError:
                    rows.append(torch.full((1, 3), torch.inf))
        gaps.append(float((rows[0] - rows[1]).abs().max()))
    assert max(gaps) > 1e-3


# TF-IDF


def fine_tune(
    folder: Path, name: str, classifier, train: pd.DataFrame, valid: pd.DataFrame, **changes
) -> SimpleNamespace:
    job = training.Job(name, "own", folder / "checkpoint", seed=5, precision="fp32")
    chosen = training.settings(name, **changes)
    history = training.fine_tune(job, classifier, train, valid, chosen)
    return SimpleNamespace(
        classifier=classifier, history=history, folder=folder / "checkpoint" / "best"
    )


@pytest.fixture(scope="session")
def linear(tmp_path_factory) -> SimpleNamespace:
    train, valid = pairs.frame("train", slice(0, 7)), pairs.frame("valid", slice(7, 10))
    return fine_tune(
        tmp_path_factory.mktemp("linear"),
        "tfidf",
        models.build("tfidf", pairs.LABELS),
        train,
        valid,
    )


def test_tfidf_learns_pairs_of_unseen_people(linear):
    test = pairs.frame("test", slice(7, 10))
    answers = [
        pairs.LABELS[row.argmax()] for row in linear.classifier.predict_proba(data.inputs(test))
    ]
    assert measure.scores(test["label"], answers, pairs.LABELS)["accuracy"] > 0.9


def test_saved_tfidf_of_pairs_gives_equal_probabilities(linear):
    examples = [
        *data.inputs(pairs.frame()),
        *[(one, two) for one, two, _ in pairs.ENGLISH],
        ("", ""),
        ("", "kuah"),
        ("kuah", ""),
    ]
    np.testing.assert_allclose(
        models.load(linear.folder, pairs.LABELS).predict_proba(examples),
        linear.classifier.predict_proba(examples),
        atol=1e-6,
    )


def test_tfidf_refuses_texts_where_it_learnt_pairs_and_the_reverse(linear, tmp_path):
    with pytest.raises(InputError, match="fine-tuned on pairs of sentences"):
        linear.classifier.predict_proba(["kuah"])
    single = pairs.frame().drop(columns="text_pair")
    other = fine_tune(
        tmp_path, "tfidf", models.build("tfidf", pairs.LABELS), single, single
    ).classifier
    with pytest.raises(InputError, match="fine-tuned on single texts"):
        other.predict_proba(["kuah", ("kuah", "hambar")])
    assert linear.classifier.predict_proba([]).shape == (0, 3)


@settings(deadline=None)
@given(
    st.tuples(st.text(alphabet="ab cd.K", max_size=30), st.text(alphabet="ab cd.K", max_size=30))
)
def test_views_divide_the_words_of_both_sentences(pair):
    words = [tfidf._words(sentence) for sentence in pair]
    assert sorted(tfidf.shared(pair).split() + tfidf.added(pair).split()) == sorted(words[1])
    assert set(tfidf.dropped(pair).split()) == set(words[0]) - set(words[1])
    assert not set(tfidf.shared(pair).split()) & set(tfidf.added(pair).split())
    covered, added, length = tfidf.overlap(pair).split()
    assert int(covered.removeprefix("covered")) in range(11) and int(
        added.removeprefix("added")
    ) in range(10)
    assert int(length.removeprefix("length")) in range(10)


def test_order_of_the_sentences_counts(linear):
    one, two = ("Bibi menjual kambing di pasar kemarin .", "Bibi menjual kambing .")
    rows = linear.classifier.predict_proba([(one, two), (two, one)])
    assert np.abs(rows[0] - rows[1]).max() > 0.01


# Training a transformer


@pytest.mark.parametrize("kind", ["bert", "distilbert", "electra", "funnel", "xlnet"])
def test_a_transformer_is_fine_tuned_on_pairs_saved_and_loaded(tmp_path, kind):
    base = folders.base(tmp_path / "base", kind)
    train, valid = pairs.frame("train", slice(0, 3)), pairs.frame("valid", slice(8, 9))
    transformers.set_seed(5)
    classifier = models.build(str(base), pairs.LABELS)
    chosen = {"learning_rate": 2e-3, "epochs": 2, "batch_size": 18}
    done = fine_tune(tmp_path / "run", str(base), classifier, train, valid, **chosen)
    assert len(done.history) == 2 and done.history[["train_loss", "valid_loss", "f1"]].notna().all(
        axis=None
    )
    again = models.load(done.folder, pairs.LABELS)
    np.testing.assert_allclose(
        again.predict_proba(data.inputs(valid)),
        done.classifier.predict_proba(data.inputs(valid)),
        atol=1e-5,
    )
    gold = valid["label"].map(pairs.LABELS.index)
    chances = again.predict_proba(data.inputs(valid)).astype(float)
    expected = -np.log(chances[np.arange(len(gold)), gold]).mean()
    assert (
        abs(expected - done.history["valid_loss"].min()) < 0.01
        or abs(expected - done.history["valid_loss"].iloc[-1]) < 0.01
    )


@pytest.mark.parametrize("kind", ["electra", "funnel", "xlnet"])
def test_training_and_prediction_read_the_same_tokens(classifiers, kind):
    frame = pairs.frame().head(4)
    rows = trainer.encode(classifiers[kind], frame)
    seen = inference.encode(
        classifiers[kind].model,
        classifiers[kind].tokenizer,
        data.inputs(frame),
        classifiers[kind].max_length,
    )
    assert (
        rows["input_ids"] == seen["input_ids"] and rows["token_type_ids"] == seen["token_type_ids"]
    )
    assert all(1 in types for types in rows["token_type_ids"])


# Perturbed pairs and the tables of a run


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), rate=st.floats(0, 1))
def test_both_sentences_are_perturbed_each_by_its_own_draw(seed, rate):
    frame = pairs.frame().head(12)
    found = perturb.apply("typos", frame, rate, seed)
    first = perturb.apply("typos", frame.drop(columns="text_pair"), rate, seed)
    for clean, one, pair in zip(data.inputs(frame), first, found, strict=True):
        assert pair is None or (pair != clean and pair[0] == (one or clean[0]))
        assert pair is not None or one is None
    assert perturb.apply("typos", frame[::-1], rate, seed)[::-1] == found


def test_the_second_sentence_has_a_generator_of_its_own():
    same = pd.DataFrame(
        {
            "id": [f"s-{number}" for number in range(30)],
            "text": "menjual kambing di pasar",
            "text_pair": "menjual kambing di pasar",
        }
    )
    found = [pair for pair in perturb.apply("typos", same, 0.5, 3) if pair]
    assert any(one != two for one, two in found)
    assert any(one == same["text"][0] for one, _ in found) and any(
        two == same["text"][0] for _, two in found
    )


def test_rows_of_a_behavioural_test_hold_both_sentences(linear):
    frame = pairs.frame().head(9)
    rows = behaviour.rows(
        linear.classifier,
        frame,
        {"typos": perturb.apply("typos", frame, 0.4, 3), "nothing": [None] * 9},
    )
    part = rows[rows["test"] == "typos"]
    assert list(zip(part["text"], part["text_pair"], strict=True)) == data.inputs(frame)
    perturbed = list(zip(part["perturbed"], part["perturbed_pair"], strict=True))
    assert (
        list(part["changed"])
        == [new != old for new, old in zip(perturbed, data.inputs(frame), strict=True)]
        and part["changed"].any()
    )
    assert list(part["perturbed_sha256"]) == [data.text_hash(pair) for pair in perturbed]
    chances = part[[f"perturbed_{label}" for label in pairs.LABELS]].to_numpy(float)
    np.testing.assert_allclose(chances, linear.classifier.predict_proba(perturbed), atol=1e-6)
    assert not rows[rows["test"] == "nothing"]["changed"].any()


def test_views_of_pairs_without_a_word_are_left_out(tmp_path):
    """No second sentence shares a word with its first: there is no n-gram of shared words, and the
    others are learnt from all the same.
    """
    entry = models.spec("tfidf") | {"min_df": 1}
    apart = [
        ("Paman memancing", "Ikan berenang"),
        ("Ibu memasak", "Nasi matang"),
        ("Adik menggambar", "Krayon patah"),
    ]
    assert [name for name, _ in tfidf.fitted(entry, apart).transformer_list] == [
        "second",
        "added",
        "dropped",
        "overlap",
    ]
    union = tfidf.fitted(entry, [*apart, ("Ibu memasak nasi", "Ibu makan")])
    assert [name for name, _ in union.transformer_list] == list(tfidf.VIEWS)
    assert union.transform(apart).shape[0] == 3


def test_nothing_to_learn_is_said(tmp_path):
    with pytest.raises(InputError, match="no word stands in 2 of them"):
        tfidf.fitted(models.spec("tfidf") | {"min_df": 2}, ["kuah", "nasi"])


def test_single_texts_for_pairs_are_refused(linear):
    frame = pairs.frame().head(2)
    with pytest.raises(InputError, match="'typos' does not give pairs for pairs"):
        behaviour.rows(linear.classifier, frame, {"typos": ["kuah", None]})


@pytest.mark.parametrize("publish", [True, False])
def test_texts_of_pairs_are_saved_only_where_they_may_be(linear, tmp_path, publish):
    frame = pairs.frame().head(9)
    frame.attrs["source"]["publish_texts"] = publish
    run = Run(
        "02_conventional_metrics",
        tmp_path,
        {"model_name": "tfidf", "dataset": "own", "seed": 1},
        torch.device("cpu"),
    )
    run.used(frame)
    wrong = np.roll(linear.classifier.predict_proba(data.inputs(frame)), 1, axis=1)
    predictions = predict.classified(frame, wrong, pairs.LABELS)
    assert list(predictions["text_sha256"]) == [data.text_hash(pair) for pair in data.inputs(frame)]
    tables.save(run, predictions, measure.classification(predictions, pairs.LABELS, 1))
    for name in ("predictions.csv", "misclassified.csv"):
        content = (tmp_path / name).read_text(encoding="utf-8")
        assert ("Paman" in content) == publish and ("text_pair" in content) == publish
    if not publish:
        assert "text_pair" in (tmp_path / "private" / "misclassified.csv").read_text(
            encoding="utf-8"
        )


def test_examples_for_showing_come_as_pairs_without_a_label_of_sentiment():
    shown = models.examples(3, like=pairs.frame())
    assert list(shown) == ["id", "text", "text_pair"] and len(shown) == 3
    assert (shown["text"] != shown["text_pair"]).all()
    assert (
        list(models.examples(3, like=data.load("embedded", "test")))
        == list(models.examples(3))
        == ["id", "text", "label"]
    )
    assert list(models.examples(2, like=pd.DataFrame({"text": ["a"], "label": ["hate"]}))) == [
        "id",
        "text",
    ]
