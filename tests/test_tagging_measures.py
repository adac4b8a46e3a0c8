"""Scores of tags and aspects against seqeval, scikit-learn and cases worked by hand."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval import metrics as seqeval
from seqeval.metrics.sequence_labeling import get_entities
from sklearn.metrics import accuracy_score, f1_score, precision_score, recall_score

from tahanuji import measure, tagging
from tahanuji.errors import InputError
from tahanuji.tagging import measures

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "B", "I", "B-$$$", "I-A-B"]
LABELS = ["neg", "neut", "pos", "neg_pos"]


@st.composite
def tagged(draw, names=NAMES):
    """Two taggings of the same sentences; every I- may follow anything."""
    lengths = draw(st.lists(st.integers(1, 8), min_size=1, max_size=5))
    tags = st.sampled_from(names)
    return tuple([draw(st.lists(tags, min_size=n, max_size=n)) for n in lengths] for _ in range(2))


def values(table, group="all"):
    return table[table["group"] == group].set_index("metric")["value"]


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from(NAMES), max_size=12))
def test_spans_are_those_of_seqeval(tags):
    theirs = [(name, start, end + 1) for name, start, end in get_entities(tags)]
    assert tagging.spans(tags) == theirs


@settings(deadline=None, max_examples=50)
@given(tagged())
def test_scores_are_those_of_seqeval(sides):
    table = tagging.evaluation(*sides, seed=1, resamples=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # for types without spans
        for part in measures.PARTS:
            theirs = getattr(seqeval, f"{part}_score")(*sides, average=None, zero_division=0)
            types = sorted(
                {span[0] for side in sides for tags in side for span in get_entities(tags)}
            )
            ours = [values(table, name)[part] for name in types]
            assert ours == pytest.approx(list(theirs))
            if types:
                assert values(table)[f"macro_{part}"] == pytest.approx(np.mean(theirs))
                micro = getattr(seqeval, f"{part}_score")(*sides, zero_division=0)
                assert values(table)[f"micro_{part}"] == pytest.approx(micro)
            else:
                assert np.isnan(values(table)[f"micro_{part}"])
    assert values(table)["token_accuracy"] == pytest.approx(seqeval.accuracy_score(*sides))
    whole = np.mean([one == two for one, two in zip(*sides, strict=True)])
    assert values(table)["sentence_accuracy"] == pytest.approx(whole)


@settings(deadline=None, max_examples=50)
@given(tagged(LABELS))
def test_words_tagged_by_themselves_are_scored_as_scikit_learn_does(sides):
    table = values(tagging.evaluation(*sides, seed=1, scheme="token", resamples=10))
    flat = [[tag for tags in side for tag in tags] for side in sides]
    assert table["token_accuracy"] == pytest.approx(accuracy_score(*flat))
    assert table["micro_f1"] == pytest.approx(table["token_accuracy"])
    for part, score in zip(measures.PARTS, (precision_score, recall_score, f1_score), strict=True):
        theirs = score(*flat, average="macro", zero_division=0)
        assert table[f"macro_{part}"] == pytest.approx(theirs)


def test_types_only_predicted_count_as_nothing_and_types_that_are_nowhere_do_not_count():
    table = tagging.evaluation([["B-PER", "O"]], [["B-PER", "B-LOC"]], seed=1, resamples=10)
    assert values(table)["macro_f1"] == pytest.approx(1 / 2)
    assert values(table)["micro_f1"] == pytest.approx(2 / 3)
    assert set(table["group"]) == {"all", "PER", "LOC"}
    assert table.set_index(["group", "metric"])["n"].loc[("LOC", "f1")] == 0


def test_an_interval_is_that_of_whole_sentences_drawn_again():
    """Against a plain loop that draws sentences: with 20,000 draws the ends agree within Monte
    Carlo error, and one long wrong sentence counts as one draw, not as its twelve tokens.
    """
    gold = [["B-PER", "O"]] * 15 + [["B-LOC"] * 12]
    said = [["B-PER", "O"]] * 10 + [["O", "O"]] * 5 + [["O"] * 12]
    table = tagging.evaluation(gold, said, seed=3, resamples=20_000)
    right = [sum(map(str.__eq__, *tags)) for tags in zip(gold, said, strict=True)]
    rng, drawn = np.random.default_rng(5), []
    for _ in range(20_000):
        rows = rng.integers(0, len(gold), len(gold))
        same = sum(right[row] for row in rows)
        drawn.append(same / sum(len(gold[row]) for row in rows))
    row = table[(table["group"] == "all") & (table["metric"] == "token_accuracy")].iloc[0]
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(measure.interval(drawn), abs=0.02)
    assert row["n"] == 42


def test_a_type_that_a_draw_lacks_takes_no_part_in_its_interval():
    gold = [["B-PER"]] * 9 + [["B-LOC"]]
    table = tagging.evaluation(gold, gold, seed=1, resamples=500)
    rare = table[(table["group"] == "LOC") & (table["metric"] == "f1")].iloc[0]
    assert (rare["value"], rare["ci_low"], rare["n"]) == (1.0, 1.0, 1)


def test_order_of_sentences_cannot_matter():
    gold = [["B-PER", "I-PER"], ["O", "B-LOC"], ["B-LOC"]]
    said = [["B-PER", "O"], ["O", "B-LOC"], ["B-PER"]]
    one = tagging.evaluation(gold, said, seed=1, resamples=200)
    two = tagging.evaluation(gold[::-1], said[::-1], seed=1, resamples=200)
    assert one.equals(two)


def test_many_tags_and_sentences_are_drawn_in_one_product_of_matrices():
    """41 tags of a thousand sentences at the full number of draws, as in the greatest task."""
    rng = np.random.default_rng(1)
    gold = [[f"B-{tag}" for tag in rng.integers(0, 41, 25)] for _ in range(1000)]
    said = [[tag if rng.random() < 0.9 else "O" for tag in tags] for tags in gold]
    table = tagging.evaluation(gold, said, seed=1)
    assert len(table) == 8 + 3 * 41
    assert (table["ci_low"] <= table["value"]).all() and (table["value"] <= table["ci_high"]).all()


@settings(deadline=None, max_examples=50)
@given(tagged())
def test_spans_give_the_micro_f1(sides):
    gold, said = (
        {(number, span) for number, tags in enumerate(side) for span in tagging.spans(tags)}
        for side in sides
    )
    total = len(gold) + len(said)
    micro = values(tagging.evaluation(*sides, seed=1, resamples=10))["micro_f1"]
    assert micro == pytest.approx(2 * len(gold & said) / total if total else np.nan, nan_ok=True)


def test_aspects_are_scored_over_all_cells_as_upstream_does():
    rng = np.random.default_rng(2)
    gold = rng.choice(LABELS, (60, 6), p=[0.15, 0.6, 0.2, 0.05])
    said = np.where(rng.random((60, 6)) < 0.7, gold, "neut")
    aspects = ["harga", "rasa", "porsi", "tempat", "pelayanan", "umum"]
    table = measures.aspect_evaluation(gold, said, aspects, seed=1, resamples=300)
    assert values(table)["macro_f1"] == pytest.approx(
        f1_score(gold.ravel(), said.ravel(), average="macro")
    )
    assert values(table)["accuracy"] == pytest.approx((gold == said).mean())
    assert values(table)["review_accuracy"] == pytest.approx((gold == said).all(1).mean())
    for column, aspect in enumerate(aspects):
        theirs = f1_score(gold[:, column], said[:, column], average="macro", zero_division=0)
        assert values(table, aspect)["macro_f1"] == pytest.approx(theirs)
    assert table["n"][table["metric"] == "accuracy"].tolist() == [360, *[60] * 6]
    assert list(table) == measure.COLUMNS


def test_tags_that_are_no_bio_are_refused_and_schemes_are_told_apart():
    with pytest.raises(InputError, match="'NN'"):
        tagging.spans(["NN"])
    with pytest.raises(InputError, match="did you mean 'token'"):
        tagging.spans(["NN"], "tokens")
    assert measures.scheme_of(["B", "I", "O"]) == "bio"
    assert measures.scheme_of(["NN", "VB", "I"]) == "token"
    with pytest.raises(InputError, match="tags S-PER, VB are none of O, B-<type> and I-<type>"):
        measures.scheme_of(["B-NN", "VB", "S-PER"])


@pytest.mark.parametrize(
    "said, message",
    [
        ([["O"]], "2 sentences and predicted 1"),
        ([["O"], ["O", "O"]], "sentence 1 .* 1 tags in gold and 2 in predicted"),
    ],
)
def test_tags_of_other_sentences_are_refused(said, message):
    with pytest.raises(InputError, match=message):
        tagging.evaluation([["O"], ["O"]], said, seed=1)


def test_aspects_need_a_label_each_and_names_of_their_own():
    with pytest.raises(InputError, match="2 tags in gold and 1 in aspects"):
        measures.aspect_evaluation([["pos", "neg"]], [["pos", "neg"]], ["harga"], seed=1)
    with pytest.raises(InputError, match="'pos' names a label and an aspect"):
        measures.aspect_evaluation([["pos"]], [["pos"]], ["pos"], seed=1)
    with pytest.raises(InputError, match="no sentence"):
        tagging.evaluation([], [], seed=1)
