"""tahanuji.measure against numbers worked out by hand, plain definitions, scikit-learn, scipy and
statsmodels.
"""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import softmax
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from tahanuji import behaviour, data, measure
from tahanuji.errors import InputError
from tahanuji.measure import Estimate

LABELS = data.LABELS
Z = 1.959963984540054  # the 97.5 percentile of the standard normal distribution
METRICS = ("precision", "recall", "f1")

pairs = st.lists(
    st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=1, max_size=25
)
outcomes = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)
quick = settings(deadline=None, max_examples=60)


# Shares


@pytest.mark.parametrize(
    ("count", "expected"),
    [(4, (0.133333, 0.053097, 0.296812)), (7, (0.233333, 0.117924, 0.409282))],
)
def test_the_thesis_shares_of_30_have_their_wilson_intervals(count, expected):
    assert tuple(measure.share(count, 30)) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("n", [1, 7, 9, 14, 30, 500])
def test_none_and_all_of_n_have_one_sided_intervals(n):
    none, every = measure.share(0, n), measure.share(n, n)
    assert (none.value, none.low, every.value, every.high) == (0, 0, 1, 1)
    assert (none.high, every.low) == pytest.approx((Z**2 / (n + Z**2), n / (n + Z**2)))


def test_no_examples_give_nan_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan([*measure.share(0, 0), *measure.share_of([])]).all()


@pytest.mark.parametrize(
    ("estimate", "form", "text"),
    [
        (measure.share(4, 30), "%", "13.3% (5.3 to 29.7)"),
        (measure.share(4, 30), "counted", "13.3% (4 of 30, 95% 5.3 to 29.7)"),
        (measure.share(30, 30), "counted", "100.0% (30 of 30, 95% 88.6 to 100.0)"),
        (measure.share(0, 0), "counted", "no examples"),
        (measure.share(0, 0), "%", "no examples"),
        (Estimate(-0.021, -0.04, -0.0004, 9), "points", "-2.1 (-4.0 to 0.0)"),
        (Estimate(0.021, -0.04, 0.05, 9), ".2points", "+2.10 (-4.00 to 5.00)"),
        (Estimate(0.4), "kappa", "0.40"),
        (Estimate(0.4, 0.25, 0.5), "interval:.0%", "25 to 50"),
        (Estimate(0.4, 0.25, 0.5), "value:points", "+40.0"),
        (Estimate(0.084, 0.01, 0.2), "100", "8 in 100 (1 to 20)"),
    ],
)
def test_estimates_write_themselves(estimate, form, text):
    assert format(estimate, form) == text


def test_an_estimate_unpacks_and_says_whether_there_is_one():
    value, low, high = Estimate(0.4, 0.25, 0.5, 9)
    assert (value, low, high) == (0.4, 0.25, 0.5)
    assert Estimate(0.0) and not Estimate.none()


# Precision, recall, F1


def ours(gold, said) -> dict:
    return measure.from_confusion(confusion_matrix(gold, said, labels=LABELS))


def test_scores_by_hand():
    gold = ["positive"] * 4 + ["neutral"] * 2 + ["negative"] * 4
    said = (
        ["positive", "positive", "positive", "negative"]
        + ["positive", "neutral"]
        + ["negative", "negative", "neutral", "neutral"]
    )
    found = ours(gold, said)
    assert found["accuracy"] == pytest.approx(6 / 10)
    assert found["class_precision"] == pytest.approx([3 / 4, 1 / 3, 2 / 3])
    assert found["class_recall"] == pytest.approx([3 / 4, 1 / 2, 1 / 2])
    assert found["class_f1"] == pytest.approx([3 / 4, 2 / 5, 4 / 7])
    assert found["macro_f1"] == pytest.approx((3 / 4 + 2 / 5 + 4 / 7) / 3)
    assert found["weighted_f1"] == pytest.approx((4 * 3 / 4 + 2 * 2 / 5 + 4 * 4 / 7) / 10)


@given(pairs)
@quick
def test_scores_agree_with_scikit_learn_over_the_labels_present(rows):
    gold, said = zip(*rows, strict=True)
    found = ours(gold, said)
    assert found["accuracy"] == pytest.approx(accuracy_score(gold, said))
    for average in ("macro", "weighted"):
        theirs = precision_recall_fscore_support(gold, said, average=average, zero_division=0)[:3]
        assert [found[f"{average}_{name}"] for name in METRICS] == pytest.approx(list(theirs))
    theirs = precision_recall_fscore_support(gold, said, labels=LABELS, zero_division=0)[:3]
    for name, values in zip(METRICS, theirs, strict=True):
        assert found[f"class_{name}"] == pytest.approx(values)


def test_one_class_alone_scores_1_whatever_the_other_labels():
    assert set(measure.scores(["neutral"] * 3, ["neutral"] * 3, LABELS).values()) == {1.0}


def test_a_class_never_predicted_counts_0_in_the_macro_average_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = measure.scores(["positive", "positive", "negative"], ["positive"] * 3, LABELS)
    assert found["macro_precision"] == pytest.approx((2 / 3 + 0) / 2)
    assert found["macro_recall"] == pytest.approx((1 + 0) / 2)
    assert found["macro_f1"] == pytest.approx((4 / 5 + 0) / 2)


def test_scores_are_plain_numbers_without_the_per_class_ones():
    found = measure.scores(["positive", "negative"], ["positive", "neutral"], LABELS)
    assert set(found) == {*measure.METRICS}
    assert {type(value) for value in found.values()} == {float}


def test_a_stack_of_confusion_matrices_scores_as_each_alone():
    stack = np.random.default_rng(5).integers(0, 9, size=(4, 3, 3))
    together = measure.from_confusion(stack)
    for number, counts in enumerate(stack):
        for name, value in measure.from_confusion(counts).items():
            assert together[name][number] == pytest.approx(value), name


# Bootstrap


def predictions(n: int = 60, seed: int = 11) -> pd.DataFrame:
    """Rows `gold, label, p_<label>...` of a classifier that is right about two times in three."""
    rng = np.random.default_rng(seed)
    gold = rng.choice(3, size=n, p=[0.5, 0.2, 0.3])
    chances = rng.dirichlet([1, 1, 1], size=n) + 0.6 * np.eye(3)[gold]
    chances /= chances.sum(1, keepdims=True)
    frame = pd.DataFrame(
        {"gold": np.array(LABELS)[gold], "label": np.array(LABELS)[chances.argmax(1)]}
    )
    return frame.assign(**{f"p_{label}": chances[:, number] for number, label in enumerate(LABELS)})


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others():
    frame = predictions()
    first, again, other = (measure.classification(frame, LABELS, seed) for seed in (7, 7, 8))
    pd.testing.assert_frame_equal(first, again)
    assert (first["value"] == other["value"]).all()
    assert (first["ci_low"] != other["ci_low"]).any()


# Tables of a plain evaluation


def test_classification_names_every_group_and_metric_once():
    table = measure.classification(predictions(), LABELS, seed=1)
    assert (
        list(table)
        == measure.COLUMNS
        == [*measure.KEY, "metric", "value", "ci_low", "ci_high", "n"]
    )
    assert set(table["test"]) == {"clean"} and table["rate"].isna().all()
    averages = [
        ("all", f"{average}_{name}") for average in ("macro", "weighted") for name in METRICS
    ]
    classes = [(label, name) for label in LABELS for name in METRICS]
    assert sorted(zip(table["group"], table["metric"], strict=True)) == sorted(
        [("all", "accuracy"), *averages, *classes, ("all", "ece"), ("all", "at_chance")]
    )


def test_accuracy_has_a_wilson_interval_and_ece_none():
    frame = predictions()
    table = measure.classification(frame, LABELS, seed=1).set_index("metric")
    hits = int((frame["gold"] == frame["label"]).sum())
    assert table.loc["accuracy", ["value", "ci_low", "ci_high"]].to_list() == pytest.approx(
        [*measure.share(hits, len(frame))]
    )
    assert table.loc["ece", ["ci_low", "ci_high"]].isna().all()


def test_tests_are_evaluated_apart_under_their_own_names():
    late, early = predictions(30, seed=1), predictions(20, seed=2)
    both = pd.concat([late.assign(test="sesudah"), early.assign(test="sebelum")])
    table = measure.classification(both, LABELS, seed=4)
    assert list(table["test"].unique()) == ["sesudah", "sebelum"]
    for test, alone in {"sesudah": late, "sebelum": early}.items():
        expected = measure.classification(alone, LABELS, seed=4).assign(test=test)
        pd.testing.assert_frame_equal(table[table["test"] == test].reset_index(drop=True), expected)


# Calibration


def two_way(*confidences: float) -> np.ndarray:
    """Probabilities of the labels a and b where a has each confidence."""
    return np.array([[confidence, 1 - confidence] for confidence in confidences])


def test_reliability_and_ece_by_hand():
    chances = two_way(0.62, 0.66, 0.91, 0.97, 0.95)
    gold = ["a", "b", "a", "a", "b"]
    table = measure.reliability(chances, gold, ["a", "b"])
    assert list(table) == ["bin", "confidence", "accuracy", "n"]
    assert table["bin"].to_list() == [6, 9]
    assert table["n"].to_list() == [2, 3]
    assert table["confidence"].to_list() == pytest.approx([0.64, 2.83 / 3])
    assert table["accuracy"].to_list() == pytest.approx([1 / 2, 2 / 3])
    assert measure.ece(chances, gold, ["a", "b"]) == pytest.approx(
        (2 * 0.14 + 3 * (2.83 / 3 - 2 / 3)) / 5
    )


def test_confidence_of_1_and_on_bin_borders_belongs_to_the_bin_that_ends_there():
    table = measure.reliability(two_way(0.5, 0.6, 0.7, 0.8, 0.9, 1.0), ["a"] * 6, ["a", "b"])
    assert table["bin"].to_list() == [4, 5, 6, 7, 8, 9]
    single = measure.reliability(
        two_way(0.5, 0.6, 0.7, 0.8, 0.9, 1.0).astype(np.float32), ["a"] * 6, ["a", "b"]
    )
    assert single["bin"].to_list() == [4, 5, 6, 7, 8, 9]


@pytest.mark.parametrize(
    ("chances", "gold", "expected"),
    [
        (two_way(1, 1, 1), ["a", "a", "a"], 0),
        (two_way(0.75, 0.75, 0.75, 0.75), ["a", "a", "a", "b"], 0),
        (two_way(1, 1, 0), ["b", "b", "a"], 1),
        (two_way(0.5, 0.5), ["b", "b"], 0.5),
    ],
)
def test_ece_of_perfect_and_of_worst_calibration(chances, gold, expected):
    assert measure.ece(chances, gold, ["a", "b"]) == pytest.approx(expected)


def test_the_temperature_undoes_one_that_was_put_in():
    rng = np.random.default_rng(1)
    logits = rng.normal(size=(4000, 3))
    calibrated, sharp = (softmax(scale * logits, axis=1) for scale in (1, 2.5))
    gold = [["a", "b", "c"][rng.choice(3, p=row)] for row in calibrated]
    fitted = measure.temperature(sharp, gold, ["a", "b", "c"])
    assert fitted == pytest.approx(2.5, rel=0.1)
    cooled = softmax(np.log(sharp) / fitted, axis=1)
    error = [measure.ece(one, gold, ["a", "b", "c"]) for one in (sharp, cooled)]
    assert error[1] < 0.03 < 0.1 < error[0]


def test_an_abstaining_classifier_answers_less_and_is_judged_by_what_it_answers():
    chances, gold = two_way(0.55, 0.65, 0.75, 0.95), ["b", "a", "b", "a"]
    answered, right = measure.selective(chances, gold, ["a", "b"], 0.7)
    assert (answered.value, answered.n, right.value, right.n) == (0.5, 4, 0.5, 2)
    assert answered.low < 0.5 < answered.high
    answered, right = measure.selective(chances, gold, ["a", "b"], 0.99)
    assert answered.value == 0 and not right


@given(st.lists(st.tuples(st.integers(0, 64), st.booleans()), min_size=1, max_size=40))
@quick
def test_ece_is_the_weighted_gap_over_half_open_bins(rows):
    """Eight bins and 64ths, so that borders are exact numbers."""
    chances, gold = (
        two_way(*[first / 64 for first, _ in rows]),
        ["a" if is_a else "b" for _, is_a in rows],
    )
    confidence = chances.max(1)
    right = np.array(
        [
            ("b" if second > first else "a") == label
            for (first, second), label in zip(chances, gold, strict=True)
        ]
    )
    gap = 0.0
    for number in range(8):
        inside = (confidence > number / 8) & (confidence <= (number + 1) / 8)
        gap += (
            inside.sum() / len(rows) * abs(confidence[inside].mean() - right[inside].mean())
            if inside.any()
            else 0
        )
    assert measure.ece(chances, gold, ["a", "b"], bins=8) == pytest.approx(gap)


# Behavioural rates


@pytest.fixture
def verdicts() -> pd.DataFrame:
    """Four rows of one test and one of another, with what each amounts to."""
    columns = [
        "test",
        "gold",
        "clean_label",
        "failure",
        "flip",
        "induced",
        "repaired",
        "changed",
        "by_length",
        "is_hit",
    ]
    rows = [
        ("ketik", "positive", "positive", True, True, True, False, True, "short", True),
        ("ketik", "positive", "negative", False, True, False, True, True, "short", False),
        ("ketik", "neutral", "negative", True, False, False, False, True, "long", True),
        ("ketik", "negative", "negative", False, False, False, False, False, "long", False),
        ("sisip", "negative", "negative", False, False, False, False, True, "long", True),
    ]
    return pd.DataFrame(rows, columns=columns)


def value_of(table: pd.DataFrame, test: str, metric: str, group: str = "all") -> tuple[float, int]:
    row = table.query("test == @test and metric == @metric and group == @group")
    assert len(row) == 1
    return row["value"].item(), row["n"].item()


def test_rates_are_the_shares_of_each_verdict(verdicts):
    table = measure.behaviour(verdicts)
    expected = {
        "failure_rate": 2,
        "flip_rate": 2,
        "induced_rate": 1,
        "repaired_rate": 1,
        "changed_share": 3,
        "hit_share": 2,
        "clean_error_rate": 2,
    }
    assert {metric: value_of(table, "ketik", metric) for metric in expected} == {
        metric: (count / 4, 4) for metric, count in expected.items()
    }


def test_every_rate_carries_its_wilson_interval(verdicts):
    table = measure.behaviour(verdicts)
    assert list(table) == measure.COLUMNS
    for row in table[table["metric"] != "at_chance"].itertuples():
        assert [row.value, row.ci_low, row.ci_high] == pytest.approx(
            [*measure.share(round(row.value * row.n), row.n)]
        )


def test_by_columns_become_groups_of_their_own_test(verdicts):
    table = measure.behaviour(verdicts)
    assert table[["test", "group"]].drop_duplicates().to_records(index=False).tolist() == [
        ("ketik", "all"),
        ("ketik", "long"),
        ("ketik", "short"),
        ("sisip", "all"),
        ("sisip", "long"),
    ]
    assert value_of(table, "ketik", "flip_rate", "short") == (1.0, 2)
    assert value_of(table, "ketik", "repaired_rate", "long") == (0.0, 2)
    assert value_of(table, "ketik", "clean_error_rate", "long") == (0.5, 2)
    assert value_of(table, "sisip", "changed_share", "long") == (1.0, 1)


def test_a_group_cannot_have_the_name_of_all_rows(verdicts):
    with pytest.raises(InputError, match="by_length names a subset 'all'"):
        measure.behaviour(verdicts.assign(by_length="all"))


def test_rates_of_one_test_and_groups_of_predictions_are_apart(verdicts):
    rated = pd.concat([verdicts.assign(rate=rate, group="en") for rate in (0.1, 0.3)])
    table = measure.behaviour(rated.drop(columns="by_length"))
    assert table[measure.KEY].drop_duplicates().to_records(index=False).tolist() == [
        (test, rate, "en") for rate in (0.1, 0.3) for test in ("ketik", "sisip")
    ]


def test_is_columns_become_shares_in_every_group(verdicts):
    table = measure.behaviour(verdicts)
    assert value_of(table, "ketik", "hit_share", "short") == (0.5, 2)
    assert value_of(table, "sisip", "hit_share") == (1.0, 1)


def test_rates_of_one_slice_are_the_rows_of_the_table(verdicts):
    part = verdicts[verdicts["test"] == "ketik"]
    key = ("nama", 0.3, "all")
    found = measure.rates(key, part)
    assert {row[:3] for row in found} == {key}
    values = {metric: (value, n) for *_, metric, value, _, _, n in found}
    assert values["clean_error_rate"] == (0.5, 4)
    assert len(found) == 8
    assert values["at_chance"] == (1.0, 4)


@given(
    st.integers(1, 20),
    st.integers(0, 2**32 - 1),
    st.sampled_from(
        [behaviour.invariant, behaviour.directed("positive"), behaviour.directed("negative")]
    ),
)
@quick
def test_failure_is_clean_error_plus_induced_minus_repaired(n, seed, expected):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"id": range(n), "label": rng.choice(LABELS, size=n)})
    rows = behaviour.judged(frame, rng.random((n, 3)), rng.random((n, 3)), LABELS, expected)
    table = measure.behaviour(rows.assign(test="acak", changed=True)).set_index("metric")["value"]
    assert table["failure_rate"] == pytest.approx(
        table["clean_error_rate"] + table["induced_rate"] - table["repaired_rate"]
    )
    assert table["induced_rate"] <= table["failure_rate"]
    assert table["repaired_rate"] <= table["clean_error_rate"]


# Paired and unpaired tests


def test_compare_by_hand():
    first, second = [True] * 6 + [False] * 4, [True] + [False] * 9
    found = measure.compare(first, second)
    assert (found["only_first"], found["only_second"]) == (5, 0)
    assert found["difference"] == pytest.approx(0.5)
    assert found["p"] == pytest.approx(2 * 0.5**5)


def test_cochran_by_hand():
    """Column sums 4, 3, 0 and row sums 2, 2, 2, 1: Q = 2 (3 (16 + 9) - 49) / (3 * 7 - 13) = 6.5,
    and p = exp(-Q / 2) with 2 degrees of freedom.
    """
    rows = np.array([[1, 1, 0], [1, 1, 0], [1, 1, 0], [1, 0, 0]])
    assert measure.cochran(rows) == pytest.approx(np.exp(-6.5 / 2))


def test_cochran_is_1_where_no_row_differs():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert measure.cochran(np.array([[1, 1, 1], [0, 0, 0]])) == 1.0


def test_holm_by_hand():
    assert measure.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert measure.holm([0.6, 0.7]) == [1.0, 1.0]
    assert measure.holm([0.02]) == [0.02]
    assert measure.holm([]) == []


def test_unpaired_is_fishers_tea_tasting():
    assert measure.unpaired(3, 4, 1, 4) == pytest.approx(34 / 70)
    assert measure.unpaired(5, 10, 5, 10) == pytest.approx(1)
