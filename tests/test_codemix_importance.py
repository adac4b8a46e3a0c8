"""Importance, on classifiers whose answers can be worked out by hand and on small transformers."""

import random
import re

import folders
import numpy as np
import pytest
from folders import KINDS, LABELS, TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st

from tahanuji import models, words
from tahanuji.codemix import importance
from tahanuji.errors import InputError
from tahanuji.models.tfidf import Tfidf

quick = settings(deadline=None, max_examples=60)


class Points:
    """A classifier by hand: every known word gives points to labels, each label has one to begin
    with, and the answer is the shares.
    """

    def __init__(self, labels: list[str], **points: tuple):
        self.labels, self.points, self.calls = (
            labels,
            {word: np.array(given, dtype=float) for word, given in points.items()},
            [],
        )

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        self.calls.append((list(texts), precision))
        rows = [
            1
            + sum(
                (
                    self.points[word]
                    for word in re.findall(r"\w+", text.lower())
                    if word in self.points
                ),
                np.zeros(len(self.labels)),
            )
            for text in texts
        ]
        return np.array([row / row.sum() for row in rows], dtype=np.float32).reshape(
            len(texts), len(self.labels)
        )


class Masked(Points):
    """The same with a mask token, which gives its own points as the word `topeng`."""

    class tokenizer:
        mask_token = "<topeng>"


def by_hand() -> Points:
    return Points(LABELS, gurih=(3, 0, 0), empuk=(1, 0, 0), hambar=(0, 0, 2), warung=(0, 1, 0))


# By hand


def test_a_word_counts_what_the_label_loses_without_it():
    gurih, empuk, lalu = importance.importance(by_hand(), ["Gurih , empuk lalu"], ["positive"])[0]
    assert (gurih, empuk, lalu) == pytest.approx((5 / 7 - 2 / 4, 5 / 7 - 4 / 6, 0), abs=1e-6)


def test_a_word_that_turns_the_answer_counts_what_the_other_label_gains_too():
    """gurih hambar: 4/8 positive, 3/8 negative; without gurih: 1/5 and 3/5."""
    turning, against = importance.importance(by_hand(), ["gurih hambar"], ["positive"])[0]
    assert turning == pytest.approx((4 / 8 - 1 / 5) + (3 / 5 - 3 / 8), abs=1e-6)
    assert against == pytest.approx(4 / 8 - 4 / 6, abs=1e-6)
    printed, same = importance.importance(
        by_hand(), ["gurih hambar"], ["positive"], form="printed"
    )[0]
    assert printed == pytest.approx((4 / 8 - 1 / 5) + (3 / 8 - 3 / 5), abs=1e-6)
    assert same == against


def test_an_answer_without_a_label_turns_to_no_other():
    class Mute:
        labels = ["positive", "negative"]

        def predict_proba(self, texts, precision="fp32"):
            return np.float32([[0, 1] if "hambar" in text else [0, 0] for text in texts])

    for form in importance.FORMS:
        (values,) = importance.importance(Mute(), ["kuah hambar"], ["negative"], form)
        assert values.tolist() == [0, 1]


def test_for_two_labels_the_printed_form_cancels_on_just_the_words_that_turn_the_answer():
    two = Points(["yes", "no"], gurih=(3, 0), empuk=(1, 0), hambar=(0, 2))
    textfooler, printed = (
        importance.importance(two, ["gurih hambar empuk"], ["yes"], form=form)[0]
        for form in importance.FORMS
    )
    assert textfooler[0] == pytest.approx(2 * (5 / 8 - 2 / 5), abs=1e-6) and printed[0] == 0
    assert list(textfooler[1:]) == list(printed[1:])


def test_the_label_is_the_one_given_and_not_the_predicted_one():
    negative = importance.importance(by_hand(), ["gurih hambar"], ["negative"])[0]
    assert negative[1] == pytest.approx((3 / 8 - 1 / 6) + (4 / 6 - 4 / 8), abs=1e-6)


# What is predicted


def test_every_variant_is_predicted_once_in_one_stream():
    classifier = by_hand()
    found = importance.importance(
        classifier,
        ["gurih gurih", "gurih gurih", "empuk , gurih", "", "!"],
        ["positive"] * 5,
    )
    whole, variants = classifier.calls
    assert whole == (["gurih gurih", "empuk , gurih", "", "!"], "fp32")
    assert variants == (["gurih", "gurih ", ", gurih", "empuk , "], "fp32")
    assert [len(numbers) for numbers in found] == [2, 2, 2, 0, 0]
    np.testing.assert_array_equal(found[0], found[1])


def test_known_probabilities_are_not_predicted_again():
    classifier, texts = by_hand(), ["gurih hambar", "empuk"]
    clean = classifier.predict_proba(texts)
    expected = importance.importance(classifier, texts, ["positive"] * 2)
    classifier.calls.clear()
    found = importance.importance(classifier, texts, ["positive"] * 2, clean=clean)
    assert len(classifier.calls) == 1 and all(
        (one == other).all() for one, other in zip(found, expected, strict=True)
    )


def test_only_the_words_asked_for_are_measured():
    classifier = by_hand()
    some, none = importance.importance(
        classifier, ["gurih , empuk hambar", "gurih"], ["positive"] * 2, only=[{2, 0}, set()]
    )
    assert np.isnan(some).tolist() == [False, True, False] and np.isnan(none).all()
    assert len(classifier.calls[1][0]) == 2
    whole = importance.importance(classifier, ["gurih , empuk hambar"], ["positive"])[0]
    assert (some[[0, 2]] == whole[[0, 2]]).all()


def test_words_after_the_limit_count_nothing_and_are_not_predicted():
    classifier = by_hand()
    found = importance.importance(classifier, ["lalu gurih gurih"], ["positive"], limit=2)[0]
    assert found[1] > 0 and found[2] == found[0] == 0
    assert len(classifier.calls[1][0]) == 2


def test_chunks_bound_what_is_held_and_change_nothing(monkeypatch):
    texts = [
        f"gurih {' '.join('a' * number for number in range(1, size))} hambar"
        for size in range(1, 12)
    ]
    whole = importance.importance(by_hand(), texts, ["positive"] * len(texts))
    monkeypatch.setattr(importance, "CHUNK", 6)
    classifier = by_hand()
    chunked = importance.importance(classifier, texts, ["positive"] * len(texts))
    assert (
        len(classifier.calls) > 5 and max(len(given) for given, _ in classifier.calls[1:]) < 6 + 13
    )
    assert all((one == other).all() for one, other in zip(whole, chunked, strict=True))
    monkeypatch.setattr(importance, "CHARACTERS", 1)
    by_text = by_hand()
    importance.importance(by_text, texts, ["positive"] * len(texts))
    assert len(by_text.calls) == 1 + len(texts)


def test_a_mask_token_is_used_where_there_is_one():
    classifier = Masked(LABELS, gurih=(3, 0, 0), topeng=(0, 0, 1))
    importance.importance(classifier, ["(Gurih), Benar-benar!"], ["positive"])
    assert classifier.calls[-1][0] == ["(<topeng>), Benar-benar!", "(Gurih), <topeng>!"]
    importance.importance(classifier, ["Gurih , ya"], ["positive"], masking="delete")
    assert classifier.calls[-1][0] == [", ya", "Gurih , "]


def test_no_texts():
    assert importance.importance(by_hand(), [], []) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"form": "textfoler"},
            "unknown form of importance 'textfoler'; did you mean 'textfooler'",
        ),
        ({"masking": "remove"}, "unknown masking 'remove'"),
        ({"masking": "mask"}, "has no mask token; use masking='delete' or 'auto'"),
        ({"labels": ["positiv"]}, "unknown label 'positiv'; did you mean 'positive'"),
    ],
)
def test_what_cannot_be_measured_is_said(options, said):
    with pytest.raises(InputError, match=said):
        importance.importance(by_hand(), ["gurih"], **{"labels": ["positive"], **options})


WORDS = st.sampled_from(["gurih", "empuk", "hambar", "warung", "lalu", ",", "😋", "12", "Gurih!"])


@quick
@given(
    st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=5),
    st.integers(0, 99),
    st.sampled_from(importance.FORMS),
)
def test_importance_is_that_of_one_text_and_word_at_a_time(texts, seed, form):
    labels = random.Random(seed).choices(LABELS, k=len(texts))
    found = importance.importance(by_hand(), texts, labels, form)
    for text, label, numbers in zip(texts, labels, found, strict=True):
        assert numbers.tolist() == [
            plainly(by_hand(), text, label, word, form) for word in words.words(text)
        ]


def plainly(classifier, text: str, label: str, word: words.Word, form: str) -> float:
    """The definition for one word, its two texts predicted alone."""
    mask = getattr(getattr(classifier, "tokenizer", None), "mask_token", None)
    without = (
        words.delete(text, word) if mask is None else text[: word.start] + mask + text[word.end :]
    )
    before, after = (
        dict(zip(classifier.labels, classifier.predict_proba([one])[0].astype(float), strict=True))
        for one in (text, without)
    )
    turned = max(after, key=after.get)
    result = before[label] - after[label]
    if turned != label:
        result += (
            after[turned] - before[turned]
            if form == "textfooler"
            else before[turned] - after[turned]
        )
    return round(result, 6)


# Real classifiers


@pytest.mark.parametrize("kind", KINDS)
def test_a_transformers_words_are_masked(tmp_path, kind):
    classifier = models.load(folders.classifier(tmp_path, kind, LABELS), LABELS)
    texts = [*TEXTS[:4], "Kuah SOTO !", "kuah", ""]
    labels = [LABELS[number] for number in classifier.predict_proba(texts).argmax(1)]
    found = importance.importance(classifier, texts, labels)
    for text, label, numbers in zip(texts, labels, found, strict=True):
        np.testing.assert_allclose(
            numbers,
            [plainly(classifier, text, label, word, "textfooler") for word in words.words(text)],
            atol=2e-6,
        )
    assert (
        classifier.tokenizer.mask_token_id
        in classifier.tokenizer(f"kuah {classifier.tokenizer.mask_token}")["input_ids"]
    )
    assert max(np.ptp(numbers) for numbers in found if len(numbers)) > 0.02


def test_words_behind_a_transformers_window_count_exactly_nothing(tmp_path):
    classifier = models.load(folders.classifier(tmp_path, "bert", LABELS), LABELS)
    text = " ".join(TEXTS[:12])
    numbers = importance.importance(classifier, [text], [LABELS[0]])[0]
    assert (numbers[classifier.max_length :] == 0).all() and len(numbers) > classifier.max_length
    limited = importance.importance(classifier, [text], [LABELS[0]], limit=classifier.max_length)[0]
    np.testing.assert_allclose(numbers, limited, atol=2e-6)


def test_tfidf_has_its_words_deleted():
    found = importance.importance(Tfidf(LABELS), ["kuah gurih"], ["positive"])[0]
    assert found.tolist() == [0, 0]
