"""tahanuji.behaviour: the thesis's expected labels, rows worked out by hand, and one stream of
predictions.
"""

import hashlib

import numpy as np
import pandas as pd
import pytest

from tahanuji import behaviour, data, measure
from tahanuji.outcomes import outcomes

TABLE_3_9 = {
    ("positive", "positive"): {"positive"},
    ("positive", "neutral"): {"positive"},
    ("positive", "negative"): {"positive", "neutral"},
    ("negative", "positive"): {"neutral", "negative"},
    ("negative", "neutral"): {"negative"},
    ("negative", "negative"): {"negative"},
}
CHANCES = {"enak": (0.7, 0.2, 0.1), "buruk": (0.05, 0.15, 0.8)}
NEITHER = (0.3, 0.4, 0.3)
CLEAN = [
    "Sotonya enak sekali.",
    "Kamarnya buruk dan pengap.",
    "Toko itu buka pukul delapan.",
    "Pelayannya ramah sekali.",
]
TYPOS = ["Sotonya eank sekali.", None, "Toko itu bukka pukul delapan.", "Pelayannya enak sekali."]


class Keywords:
    """A classifier that knows the words enak and buruk, and remembers what it was asked."""

    labels = data.LABELS

    def __init__(self):
        self.calls = []

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        self.calls.append((list(texts), precision))
        return np.array(
            [next((CHANCES[word] for word in CHANCES if word in text), NEITHER) for text in texts],
            dtype=np.float32,
        )


@pytest.fixture
def frame() -> pd.DataFrame:
    gold = ["positive", "negative", "neutral", "positive"]
    return data.describe(
        pd.DataFrame({"id": ["u1", "u2", "u3", "u4"], "text": CLEAN, "label": gold}), name="ulasan"
    )


@pytest.fixture
def rows(frame) -> pd.DataFrame:
    return behaviour.rows(Keywords(), frame, {"ketik": TYPOS})


# Expected labels


@pytest.mark.parametrize(("sentiment", "gold"), TABLE_3_9)
def test_directed_labels_are_those_of_the_thesis_table_3_9(sentiment, gold):
    assert behaviour.directed(sentiment)(gold) == TABLE_3_9[sentiment, gold]


def test_table_3_9_has_no_other_rows():
    known = {
        (sentiment, gold)
        for sentiment, golds in behaviour.INSERTION_EXPECTED.items()
        for gold in golds
    }
    assert known == set(TABLE_3_9)


@pytest.mark.parametrize("gold", data.LABELS)
def test_invariant_expects_the_gold_label_alone(gold):
    assert behaviour.invariant(gold) == {gold}


# Rows


def test_labels_and_verdicts_by_hand(rows):
    columns = [
        "clean_label",
        "perturbed_label",
        "failure",
        "flip",
        "induced",
        "repaired",
        "changed",
    ]
    assert list(rows[columns].itertuples(index=False, name=None)) == [
        ("positive", "neutral", True, True, True, False, True),
        ("negative", "negative", False, False, False, False, False),
        ("neutral", "neutral", False, False, False, False, True),
        ("neutral", "positive", False, True, False, True, True),
    ]


def test_a_text_without_a_perturbation_stands_for_itself(rows):
    untouched = rows.iloc[1]
    assert not untouched["changed"]
    assert untouched["perturbed"] == untouched["text"] == CLEAN[1]
    assert untouched["perturbed_sha256"] == untouched["clean_sha256"]
    assert rows["perturbed"].to_list() == [TYPOS[0], CLEAN[1], *TYPOS[2:]]


def test_hashes_are_those_of_the_clean_and_the_perturbed_text(rows):
    assert rows.loc[0, "clean_sha256"] == hashlib.sha256(CLEAN[0].encode()).hexdigest()[:16]
    assert rows.loc[0, "perturbed_sha256"] == hashlib.sha256(TYPOS[0].encode()).hexdigest()[:16]


def test_probabilities_stand_beside_their_label(rows):
    assert rows.loc[
        0, ["clean_positive", "clean_neutral", "clean_negative"]
    ].to_list() == pytest.approx([0.7, 0.2, 0.1])
    assert rows.loc[
        0, ["perturbed_positive", "perturbed_neutral", "perturbed_negative"]
    ].to_list() == pytest.approx([0.3, 0.4, 0.3])


def test_columns_and_their_types(rows):
    words = ["id", "test", "gold", "clean_label", "perturbed_label", "expected"]
    verdicts = ["failure", "flip", "moved", "induced", "repaired"]
    chances = [f"{kind}_{label}" for kind in ("clean", "perturbed") for label in data.LABELS]
    assert list(rows) == [
        *words[:2],
        "rate",
        *words[2:],
        *verdicts,
        *chances,
        "changed",
        "clean_sha256",
        "perturbed_sha256",
        "text",
        "perturbed",
    ]
    assert set(rows[[*verdicts, "changed"]].dtypes) == {np.dtype(bool)}
    assert set(rows[chances].dtypes) == {np.dtype(np.float32)}
    assert all(type(cell) is str for column in words for cell in rows[column])


def test_clean_and_perturbed_texts_are_predicted_in_one_call(frame):
    classifier = Keywords()
    behaviour.rows(
        classifier,
        frame,
        {"ketik": TYPOS, "pendek": [None, "Buruk.", None, None]},
        precision="bf16",
    )
    [(texts, precision)] = classifier.calls
    assert texts == [*CLEAN, TYPOS[0], CLEAN[1], *TYPOS[2:], CLEAN[0], "Buruk.", *CLEAN[2:]]
    assert precision == "bf16"


def test_every_test_has_a_row_per_example_in_order(frame):
    rows = behaviour.rows(
        Keywords(), frame, {"sisip": [f"{text} Rasanya buruk." for text in CLEAN], "ketik": TYPOS}
    )
    assert rows["test"].to_list() == ["sisip"] * 4 + ["ketik"] * 4
    assert rows["id"].to_list() == ["u1", "u2", "u3", "u4"] * 2
    assert rows.index.to_list() == list(range(8))


def test_directed_rows_fail_where_the_label_is_not_among_the_expected(frame):
    added = [f"{text} Rasanya buruk." for text in CLEAN]
    rows = behaviour.rows(Keywords(), frame, {"sisip": added}, behaviour.directed("negative"))
    assert rows["perturbed_label"].to_list() == ["positive", "negative", "negative", "negative"]
    assert rows["expected"].to_list() == [
        "neutral|negative",
        "negative",
        "negative",
        "neutral|negative",
    ]
    assert rows["failure"].to_list() == [True, False, False, False]
    assert rows["induced"].to_list() == [True, False, False, False]
    assert rows["repaired"].to_list() == [False, False, False, True]


def test_rows_remember_the_source_of_the_frame(frame, rows):
    assert rows.attrs["source"] == frame.attrs["source"] == {"name": "ulasan", "rows": 4}


def test_a_test_with_too_few_texts_is_refused_before_anything_is_predicted(frame):
    classifier = Keywords()
    with pytest.raises(ValueError, match="zip"):
        behaviour.rows(classifier, frame, {"ketik": TYPOS[:3]})
    assert classifier.calls == []


# Sentiment words


@pytest.mark.parametrize(
    ("text", "perturbed", "hit"),
    [
        ("Makanannya enak sekali", "Makanannya eank sekali", True),
        ("Memang ENAK!", "Memang EANK!", True),
        ("Makanannya enak, porsinya besar", "Makanannya enka, porsinya besar", True),
        ("Makanannya enak sekali", "Makanannya enak seklai", False),
        ("Makanannya enak sekali", "Makanannya enak sekali", False),
        ("Kursinya keras sekali", "Kursniya keras sekali", False),
        ("enak itu enak", "enak itu enka", True),
    ],
)
def test_a_sentiment_word_is_hit_where_it_no_longer_stands_in_its_place(text, perturbed, hit):
    assert behaviour.hit_sentiment_word(text, perturbed, {"enak", "buruk"}) is hit


def test_the_lexicon_holds_single_lower_case_words():
    words = behaviour.sentiment_words()
    assert {"enak", "buruk"} <= words
    assert [word for word in words if word != word.lower() or len(word.split()) != 1] == []


def test_pairs_with_one_first_sentence_form_a_cluster(frame):
    class Always(Keywords):
        def predict_proba(self, texts, precision="fp32"):
            return np.tile(np.float32([0.8, 0.1, 0.1]), (len(texts), 1))

    pairs = frame.assign(text=["a", "b", "a", "c"], text_pair=["d", "e", "f", "g"])
    pairs.attrs = frame.attrs
    rows = behaviour.rows(Always(), pairs, {"x": [None] * 4, "y": [("a", "h"), None, None, None]})
    assert rows["cluster"].to_list() == [0, 1, 0, 2] * 2
    assert not rows["moved"].any()


def test_a_probability_that_moves_is_seen_where_the_label_stays(rows):
    assert (rows["moved"] >= rows["flip"]).all()
    clean = np.float32([[0.6, 0.2, 0.2]] * 3)
    other = clean + np.float32([[0, 0, 0], [1e-6, -1e-6, 0], [1e-3, -1e-3, 0]])
    frame = pd.DataFrame({"id": list("abc"), "label": "positive"})
    assert behaviour.judged(frame, clean, other, data.LABELS)["moved"].to_list() == [
        False,
        False,
        True,
    ]


def test_answers_that_are_labels_alone_cannot_show_that_a_change_is_unseen(frame):
    class Named:
        labels = data.LABELS

        def predict_proba(self, texts, precision="fp32"):
            return np.float32([[1, 0, 0] if "enak" in text else [0, 0, 0] for text in texts])

    assert behaviour.rows(Named(), frame, {"ketik": TYPOS})["moved"].all()
    judged = measure.verdicts(behaviour.rows(Named(), frame, {"ketik": TYPOS}), {"ketik": "INV"})
    assert measure.UNSEEN not in set(judged["verdict"])


def test_going_the_wrong_way_needs_no_gold_label():
    table = pd.DataFrame(
        {
            "clean_label": ["positive", "neutral", "negative", "positive", "positive"],
            "perturbed_label": ["positive", "positive", "negative", "negative", "positive"],
            "clean_negative": [0.2, 0.3, 0.9, 0.1, 0.25],
            "perturbed_negative": [0.15, 0.25, 0.75, 0.8, 0.5],
        }
    )
    # praise that stays praise; praise won; less negative by 0.15; turned negative; nearer to it
    assert behaviour.wrong_way(table, "negative").to_list() == [False, False, True, False, False]
    assert behaviour.label_away(table, "negative").to_list() == [False, True, False, False, False]


def test_a_text_that_is_wrong_before_and_after_is_neither_induced_nor_repaired():
    table = outcomes(["positive"] * 2, ["neutral"] * 2, ["neutral", "negative"])
    assert table["failure"].all() and not table[["induced", "repaired"]].any(axis=None)


def test_a_deaf_model_goes_no_way_and_only_the_second_figure_tells():
    deaf = pd.DataFrame({"clean_negative": [0.2, 0.9], "perturbed_negative": [0.2, 0.9]})
    reads = deaf.assign(perturbed_negative=[0.5, 0.95])  # the surer text has nowhere to go
    for way, expected in (("wrong_way", [0, 0]), ("right_way", [0, 1])):
        moves = getattr(behaviour, way)
        assert [int(moves(table, "negative").sum()) for table in (deaf, reads)] == expected
    assert not behaviour.right_way(reads.assign(perturbed_negative=[0.25, 0.9]), "negative").any()
