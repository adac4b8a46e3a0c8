"""What tahanuji.measure refuses: one sentence that says what was given and what to do next. A
warning fails every test here.
"""

import numpy as np
import pandas as pd
import pytest

from tahanuji import measure
from tahanuji.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")

LABELS = ["positive", "negative"]
CHANCES = [(0.9, 0.1), (0.2, 0.8), (0.5, 0.5), (0.7, 0.3)]


@pytest.fixture
def plain() -> pd.DataFrame:
    """Four predictions of a plain evaluation."""
    return frame(CHANCES)


def frame(chances, kind: str = "p") -> pd.DataFrame:
    table = pd.DataFrame(chances, columns=[f"{kind}_{label}" for label in LABELS])
    names = [f"u{number}" for number in range(1, len(table) + 1)]
    return table.assign(
        id=names,
        gold="positive",
        label="positive",
        text_sha256=[f"hash of {name}" for name in names],
    )


def refused(function, *given, **named) -> str:
    """The one sentence of the InputError that a call ends in."""
    with pytest.raises(InputError) as caught:
        function(*given, **named)
    text = str(caught.value)
    assert text.endswith(".")
    assert "\n" not in text
    return text


# Rows of two predictions


def test_predictions_of_the_same_rows_pass(plain):
    assert measure.check_rows(plain, plain.assign(label="negative")) is None
    assert measure.check_rows(plain.iloc[:0], plain.iloc[:0]) is None


def test_other_rows_are_counted_and_named_on_both_sides(plain):
    text = refused(
        measure.check_rows, plain, plain.iloc[2:].replace({"id": {"u4": "u9"}}), ("mini", "tfidf")
    )
    assert text == (
        "mini and tfidf are predictions of different rows, ids in mini only: 3 (u1, u2, u4), ids "
        "in tfidf only: 1 (u9); predict both on the same split."
    )
    fewer = refused(measure.check_rows, plain.iloc[1:], plain)
    assert (
        "first and second are predictions of different rows, ids in second only: 1 (u1); " in fewer
    )


def test_more_than_three_ids_are_cut_short(plain):
    assert "ids in first only: 4 (u1, u2, u3, ...); " in refused(
        measure.check_rows, plain, plain.iloc[:0]
    )


def test_another_order_is_no_pairing(plain):
    assert "the same rows in another order; sort both by id." in refused(
        measure.check_rows, plain, plain.iloc[::-1]
    )


@pytest.mark.parametrize("column", ["gold", "text_sha256", "clean_sha256"])
def test_the_same_ids_with_other_content_come_from_other_data(plain, column):
    plain["clean_sha256"] = plain["text_sha256"]
    other = plain.copy()
    other.loc[[1, 3], column] = "negative"
    assert (
        f"differ in {column} of 2 of 4 ids (u2, u4); predict both on the same version"
        in refused(measure.check_rows, plain, other)
    )


def test_content_is_compared_where_both_tell_it(plain):
    behavioural = plain.rename(columns={"text_sha256": "clean_sha256"})
    assert measure.check_rows(plain, behavioural) is None
    assert measure.check_rows(behavioural, plain[["id"]]) is None


def test_of_several_tests_the_rows_are_told_apart_by_test_too(plain):
    both = pd.concat([plain.assign(test="ketik"), plain.assign(test="sisip")])
    assert measure.check_rows(both, both) is None
    other = pd.concat([plain.assign(test="ketik"), plain.iloc[:3].assign(test="sisip")])
    assert "ids in first only: 1 (sisip/u4)" in refused(measure.check_rows, both, other)
    assert "second has no column test; give one test of each" in refused(
        measure.check_rows, both, plain
    )
    parts = pd.concat([plain.assign(test="t", rate=0.1), plain.assign(test="t", rate=0.3)])
    assert "sort both by rate, id." in refused(measure.check_rows, parts, parts.iloc[::-1])


def test_one_test_may_be_compared_with_another(plain):
    assert measure.check_rows(plain.assign(test="ketik"), plain.assign(test="sisip")) is None
    assert measure.check_rows(plain.assign(test="ketik"), plain) is None


def test_rows_without_ids_cannot_be_paired(plain):
    assert "mini has no column id" in refused(
        measure.check_rows, plain.drop(columns="id"), plain, ("mini", "tfidf")
    )


def test_rows_that_stand_twice_cannot_be_paired(plain):
    twice = pd.concat([plain, plain.iloc[:1]])
    assert refused(measure.check_rows, plain, twice, ("mini", "tfidf")).startswith(
        "tfidf: 1 of the ids stand more than once in one test (u1)"
    )


def test_numbers_and_words_are_different_ids(plain):
    numbered = plain.assign(id=range(4))
    assert "ids in first only: 4 (0, 1, 2, ...), ids in second only: 4" in refused(
        measure.check_rows, numbered, numbered.astype({"id": str})
    )


# Ids


def test_an_id_may_stand_once_in_every_test_and_group(plain):
    assert measure.check_ids(plain) is None
    assert (
        measure.check_ids(pd.concat([plain.assign(test="ketik"), plain.assign(test="sisip")]))
        is None
    )
    assert (
        measure.check_ids(pd.concat([plain.assign(group="en"), plain.assign(group="jv")])) is None
    )
    assert measure.check_ids(plain.drop(columns="id")) is None


def test_an_id_that_stands_twice_is_refused_wherever_rows_are_counted(plain):
    twice = pd.concat([plain, plain.iloc[[0, 0, 2]]]).assign(test="ketik")
    expected = (
        "2 of the ids stand more than once in one test (u1, u3) and would count again; run the "
        "notebook again."
    )
    assert refused(measure.check_ids, twice) == f"rows: {expected}"
    assert refused(measure.checked, twice, LABELS, "mini") == f"mini: {expected}"
    assert refused(measure.classification, twice, LABELS, 1) == f"predictions: {expected}"
    assert refused(measure.behaviour, twice) == f"rows: {expected}"


# Probabilities


@pytest.mark.parametrize("kind", ["p", "clean", "perturbed"])
def test_good_predictions_come_back_as_they_are(kind):
    given = frame([*CHANCES, (1, 0), (0.333333, 0.666667), (0.4996, 0.4999)], kind)
    assert measure.checked(given, LABELS) is given
    assert len(measure.checked(given.iloc[:0], LABELS)) == 0


BAD = [
    ((np.nan, 0.4), "NaN"),
    ((None, 1), "NaN"),
    (("0,6", 0.4), "NaN"),
    ((np.nan, np.nan), "NaN"),
    ((1.2, -0.2), "outside 0 to 1"),
    ((np.inf, -np.inf), "outside 0 to 1"),
    ((-0.01, 1.01), "outside 0 to 1"),
    ((3.1, -2.7), "outside 0 to 1"),
    ((0.6, 0.6), "not summing to 1"),
    ((0.0, 0.0), "not summing to 1"),
    ((0.499, 0.499), "not summing to 1"),
]


@pytest.mark.parametrize(("wrong", "reason"), BAD)
@pytest.mark.parametrize("kind", ["p", "clean", "perturbed"])
def test_what_is_no_probability_is_refused_with_its_first_rows(wrong, reason, kind):
    given = frame([CHANCES[0], wrong, CHANCES[1], wrong], kind)
    text = refused(measure.checked, given, LABELS, "mini")
    assert text == (
        f"mini, columns {kind}_...: {reason} in 2 of 4 rows (id u2, u4); predict again, with a "
        f"softmax over the labels."
    )


@pytest.mark.parametrize(
    ("wrong", "reason"), [case for case in BAD if not isinstance(case[0][0], str)]
)
def test_calibration_refuses_them_too_and_counts_rows_from_0(wrong, reason):
    for function in (measure.ece, measure.reliability):
        text = refused(
            function, np.array([CHANCES[0], wrong], dtype=float), ["positive"] * 2, LABELS
        )
        assert f"probabilities: {reason} in 1 of 2 rows (row 1); predict again" in text


def test_a_plain_evaluation_refuses_a_missing_probability(plain):
    plain.loc[2, "p_negative"] = np.nan
    assert "NaN in 1 of 4 rows (id u3)" in refused(measure.classification, plain, LABELS, 1)
    assert "NaN in 1 of 4 rows (row 2)" in refused(measure.evaluation, plain, LABELS, 1)


def test_a_label_without_probabilities_is_named(plain):
    assert "mini: no column p_neutral, and probabilities are needed for every label" in refused(
        measure.checked, plain, [*LABELS, "neutral"], "mini"
    )
    assert measure.checked(plain[["id", "gold", "label"]], LABELS) is not None


def test_probabilities_have_a_column_per_label_and_a_row_per_gold_label():
    assert "shape (2, 2) with 3 labels; " in refused(
        measure.check_probabilities, np.full((2, 2), 0.5), ["a", "b", "c"]
    )
    assert "shape (2,) with 1 labels; " in refused(measure.check_probabilities, np.ones(2), ["a"])
    assert "probabilities has 2, gold has 3; " in refused(
        measure.ece, np.full((2, 2), 0.5), ["a"] * 3, ["a", "b"]
    )
    assert "labels ['c'] are not among ['a', 'b']; " in refused(
        measure.ece, np.full((2, 2), 0.5), ["a", "c"], ["a", "b"]
    )


# Labels, lengths, outcomes, counts


SCORERS = [
    lambda first, second: measure.confusion(first, second, LABELS),
    lambda first, second: measure.scores(first, second, LABELS),
    lambda first, second: measure.bootstrapped(first, second, LABELS, "accuracy", 1),
    lambda first, second: measure.kappa(first, second, LABELS, 1),
    lambda first, second: measure.paired_difference(first, first, second, LABELS, "accuracy", 1),
    lambda first, second: measure.paired_difference(first, second, first, LABELS, "accuracy", 1),
]


@pytest.mark.parametrize("score", SCORERS)
def test_unknown_labels_and_other_lengths_are_refused(score):
    stray = refused(score, ["positive", "negative"], ["neutral", np.nan])
    assert stray == (
        "labels ['nan', 'neutral'] are not among ['positive', 'negative']; name the labels of this "
        "data set."
    )
    assert "one value per row is needed in each, and " in refused(
        score, ["positive"], ["positive", "negative"]
    )


def test_lengths_are_told_by_name():
    text = (
        "one value per row is needed in each, and first has 1, second has 2; give predictions of "
        "the same rows (check_rows says which are not)."
    )
    assert refused(measure.compare, [True], [True, False]) == text
    assert refused(measure.kappa, ["positive"], ["positive"] * 2, LABELS, 1) == text
    assert "gold has 2, first has 2, second has 1;" in refused(
        measure.paired_difference, LABELS, LABELS, LABELS[:1], LABELS, "accuracy", 1
    )
    assert "gold has 2, predicted has 1;" in refused(measure.confusion, LABELS, LABELS[:1], LABELS)


@pytest.mark.parametrize("metric", ["macro_f", "class_f1", "ece"])
def test_an_unknown_metric_is_refused_with_those_there_are(metric):
    text = refused(measure.paired_difference, LABELS, LABELS, LABELS, LABELS, metric, 1)
    assert text.startswith(f"unknown metric '{metric}'")
    assert "Allowed: accuracy, macro_precision, macro_recall, macro_f1, weighted_precision" in text
    assert refused(measure.bootstrapped, LABELS, LABELS, LABELS, metric, 1) == text


@pytest.mark.parametrize("wrong", [None, np.nan, pd.NA, "False", "0", 2, 0.5, -1])
def test_outcomes_that_are_neither_yes_nor_no_are_refused(wrong):
    expected = (
        f"outcomes are true or false, and {wrong!r} is not; give one of the two for every row."
    )
    assert (
        refused(measure.compare, pd.Series([True, wrong], dtype=object), [True, False]) == expected
    )
    assert (
        refused(measure.compare, [True, False], pd.Series([True, wrong], dtype=object)) == expected
    )
    assert (
        refused(measure.cochran, np.array([[True, False], [wrong, False]], dtype=object))
        == expected
    )


@pytest.mark.parametrize("words", [["True", "False"], ["1", "0"]])
def test_words_are_no_outcomes(words):
    assert f"{words[0]!r} is not" in refused(measure.compare, np.array(words), [True, False])


def test_a_verdict_that_is_missing_is_not_counted_as_a_no(plain):
    rows = plain.assign(
        test="ketik",
        clean_label="positive",
        **dict.fromkeys(measure.OUTCOMES, False),
        is_hit=[True, None, False, True],
    )
    assert refused(measure.behaviour, rows).startswith(
        "values of is_hit are true or false, and None is not; "
    )


@pytest.mark.parametrize("kind", [bool, int, float, object, "boolean", "Int64"])
def test_yes_and_no_may_be_written_in_several_ways(kind):
    first, second = (
        pd.Series([1, 1, 0], dtype=int).astype(bool).astype(kind),
        pd.Series([1, 0, 0], dtype=int).astype(bool).astype(kind),
    )
    assert measure.compare(first, second)["only_first"] == 1
    assert 0 < measure.cochran(pd.DataFrame({"first": first, "second": second}).to_numpy()) < 1


@pytest.mark.parametrize(("count", "n"), [(5, 3), (-1, 3), (1, 0), (0, -1), (float("nan"), 3)])
def test_a_count_lies_between_0_and_n(count, n):
    expected = (
        f"a share is a count between 0 and n, and {count} of {n} is not; count rows of the same "
        f"table."
    )
    assert refused(measure.share, count, n) == expected
    assert (
        refused(measure.unpaired, count, n, 1, 2)
        == refused(measure.unpaired, 1, 2, count, n)
        == expected
    )


def test_a_p_value_lies_between_0_and_1():
    expected = (
        "p values lie between 0 and 1, and {} does not; give NaN for a test that could not be made."
    )
    assert refused(measure.holm, [0.2, 1.5]) == expected.format("1.5")
    assert refused(measure.holm, [float("nan"), -0.2]) == expected.format("-0.2")


@pytest.mark.parametrize("wrong", [float("nan"), float("inf")])
def test_a_missing_score_is_not_averaged_over(wrong):
    text = refused(measure.over_seeds, [0.8, wrong, 0.9, wrong])
    assert text == (
        "2 of 4 values over seeds are no numbers, first number 2: finish that run, or leave it out."
    )
