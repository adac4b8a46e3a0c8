"""What decides a conclusion, at its edges, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, t

from helpers import verdicts
from tahanuji import measure
from tahanuji.checklist import ratings, scoring

NAN = float("nan")


def behaviour(n: int, flips: int = 0, **columns) -> pd.DataFrame:
    """n changed texts of one test, the first of which flip."""
    rows = pd.DataFrame({"test": "t", "rate": 0.3, "changed": True, "flip": np.arange(n) < flips})
    return rows.assign(failure=rows["flip"]).assign(**columns)


# A verdict


@pytest.mark.parametrize(
    ("lower", "upper", "instrument", "two", "expected"),
    [
        (0, 0.049, None, False, "stands"),
        (0, 0.05, None, False, "undecided"),
        (0.04, 0.2, None, False, "undecided"),
        (0.05, 0.2, None, False, "undecided"),
        (0.051, 0.2, None, False, "breaks"),
        (0, 0.01, 0.049, False, "stands"),
        (0, 0.01, 0.05, False, measure.WEAK),
        (0.2, 0.3, 1.0, False, measure.WEAK),
        (-0.049, 0.049, None, True, "stands"),
        (-0.05, 0.01, None, True, "undecided"),
        (-0.2, 0.049, None, True, "undecided"),
        (-0.2, -0.04, None, True, "undecided"),
        (-0.2, -0.05, None, True, "undecided"),
        (-0.2, -0.051, None, True, "improves"),
        (-0.2, -0.051, None, False, "stands"),
        (0.06, 0.2, None, True, "breaks"),
    ],
)
def test_a_bound_at_the_margin_decides_nothing(lower, upper, instrument, two, expected):
    assert measure.verdict(lower, upper, 0.05, instrument, two) == expected


@pytest.mark.parametrize(
    ("rate", "rated", "expected"),
    [(0.3, 0.3, "stands"), (0.3, 0.29, measure.WEAK), (NAN, 0.3, "stands")],
)
def test_an_instrument_decides_up_to_the_rate_at_which_it_was_rated(rate, rated, expected):
    rows = behaviour(200, rate=rate)
    judged = measure.verdicts(rows, "INV", [0.05], {"t": (0.01, rated)})
    assert judged["verdict"].to_list() == [expected]
    assert judged["instrument"].to_list() == [1.0 if expected == measure.WEAK else 0.01]


def test_a_share_detects_what_would_break_and_errors_added_the_least_difference():
    """McNemar at 10% discordance finds 7 points in 188 rows; from 16 events on the lower bound lies
    above 5 points, and 0.101 gives so many in four of five samples.
    """
    rows = behaviour(188, 5, induced=np.arange(188) < 19, repaired=False)
    judged = measure.verdicts(rows, "INV", [0.05]).set_index("quantity")["detectable"]
    least = next(count for count in range(188) if measure.bounds(count, 188)[0] > 0.05)
    assert judged["flips"] == pytest.approx(0.101, abs=5e-4) and least == 16
    assert judged["errors added"] == measure.detectable_change(188, 19 / 188) == 0.07


@pytest.mark.parametrize(
    ("kind", "expected"), [("INV", measure.UNSEEN), ("DIR", measure.UNSEEN), ("MFT", "stands")]
)
def test_only_a_change_can_go_unseen(kind, expected):
    unseen, seen = behaviour(200, moved=False), behaviour(200, moved=np.arange(200) == 7)
    assert measure.verdicts(unseen, kind, [0.05])["verdict"].to_list() == [expected]
    assert measure.verdicts(seen, kind, [0.05])["verdict"].to_list() == ["stands"]


def test_errors_taken_away_beyond_the_margin_are_no_robustness():
    """60 of 200 repaired: as a share the lower side would stand, as a difference it improves."""
    rows = behaviour(200, induced=False, repaired=np.arange(200) < 60)
    judged = measure.verdicts(rows, "INV", [0.05]).set_index("quantity")
    assert judged["verdict"].to_dict() == {"flips": "stands", "errors added": "improves"}
    assert judged.loc["errors added", "value"] == -0.3


# Rows that belong together


def test_rows_that_differ_within_their_clusters_count_no_more_than_themselves():
    """Sixteen pairs, fourteen with one event: their sums differ less than chance has it."""
    events = np.array([1, 0] * 14 + [1, 1, 0, 0])
    clusters, unsure = np.arange(32) // 2, (norm.ppf(0.975) / t.ppf(0.975, 15)) ** 2
    assert measure.effective(events, clusters) == pytest.approx((16 * unsure, 32 * unsure))
    assert measure.effective_rows(events.astype(float), clusters) == 32


def test_one_cluster_is_one_row():
    events = [True] * 3 + [False] * 9
    assert measure.effective(events, [0] * 12) == (0.25, 1.0)
    assert measure.change_bounds(events, [False] * 12, [0] * 12) == (-1.0, 1.0)


# Chance, p values


@pytest.mark.parametrize(("right", "expected"), [(55, 1.0), (56, 0.0)])
def test_chance_is_refuted_from_a_z_of_1_645_on(right, expected):
    """Of 100 and 100 rows so many are right: z = (2 right / 200 - 0.5) * 2 * sqrt(200), 1.41 and
    1.70.
    """
    gold = ["a"] * 100 + ["b"] * 100
    said = ["a"] * right + ["b"] * (100 - right) + ["a"] * (100 - right) + ["b"] * right
    assert measure.at_chance(gold, said) == expected
    assert measure.at_chance(gold, ["b"] * 200) == 1.0


def test_families_of_tests_by_hand():
    assert measure.benjamini_hochberg([0.01, 0.03, 0.02]) == pytest.approx([0.03] * 3)
    assert measure.holm([0.01, 0.03, 0.02]) == pytest.approx([0.03, 0.04, 0.04])
    assert measure.holm([0.01, NAN, 0.3])[::2] == pytest.approx([0.02, 0.3])


def test_the_interval_of_a_difference_of_changes_by_hand():
    """Differences 1, 0, 0, 0: mean 0.25, standard error 0.25, t of three degrees 3.1824."""
    result = measure.change_difference([1, 0, 0, 0], [0, 0, 0, 0])
    assert (result["low"], result["high"]) == pytest.approx((-0.5456, 1.0456), abs=1e-4)
    assert result["p"] == 1.0  # either sign of the one difference is as extreme


# Verdicts for readers


def judged(*rows) -> pd.DataFrame:
    """Verdicts of verdicts.csv: test, n, margin, verdict, instrument."""
    table = pd.DataFrame(rows, columns=["test", "n", "margin", "verdict", "instrument"])
    return table.assign(rate=NAN, group="all", quantity="flips", notebook="04_negation").assign(
        value=0.01, lower=0.0, upper=0.04, detectable=0.1, type="INV"
    )


def test_twenty_texts_may_decide_and_nineteen_may_not():
    rows = [("a", 20, 0.05, "stands", NAN), ("b", 19, 0.05, "breaks", NAN)]
    rows += [("c", 5, 0.05, measure.WEAK, 1.0), ("d", 5, 0.05, measure.UNSEEN, NAN)]
    said = verdicts.enough(judged(*rows))["verdict"].to_list()
    assert said == ["stands", "undecided", measure.WEAK, measure.UNSEEN]


def test_a_test_has_one_verdict_and_its_other_figure_none():
    rows = judged(("a", 100, 0.1, "breaks", NAN), ("a", 100, 0.1, "stands", NAN))
    table = verdicts.table(rows.assign(quantity=["flips", "errors added"]))
    assert table.set_index("quantity")["margin 10%"].to_dict() == {
        "flips": "",
        "errors added": "stands",
    }
    alone = verdicts.table(rows.head(1).assign(quantity="flips"))
    assert alone["margin 10%"].tolist() == ["breaks"]


def test_an_instrument_that_nobody_rated_is_called_so():
    assert [verdicts.unfit(bound) for bound in (0.999, 1.0)] == ["at most 99.9%", "not rated"]


# The checklist


def case(kind: str = "MFT", template: str = "t1", **columns) -> dict:
    about = {"capability": "x", "test_type": kind, "source": "templates", "template": template}
    about |= {"family": "use", "register": "neutral", "domain": "food", "text": "a", "changed": ""}
    return about | {"expected": "same" if kind == "INV" else "positive"} | columns


def told(cases: list[dict], labels=("positive", "neutral", "negative"), **said) -> pd.DataFrame:
    """Cases judged by what is said to every text, by the case's id."""
    frame = pd.DataFrame([one | {"id": f"c{k}"} for k, one in enumerate(cases)])
    answers = pd.DataFrame(list(said.items()), columns=["id", "label"])
    answers["id"] = answers["id"].str.replace("_changed", "/changed")
    return scoring.judge(frame, answers, list(labels))


def test_an_answer_that_names_no_label_fails_wherever_it_stands():
    pair = case("INV", changed="b")
    said = {"c0": "unparsable", "c0_changed": "unparsable"}
    said |= {"c1": "positive", "c1_changed": "unparsable"}
    said |= {"c2": "positive", "c2_changed": "positive", "c3": "unparsable"}
    rows = told([pair, pair, pair, case()], **said)
    assert rows["failure"].to_list() == [True, True, False, True]
    rated = scoring.rates(rows, 1, 50).set_index(["test", "metric"])["value"]
    assert rated["INV", "unparsable_share"].item() == pytest.approx(2 / 3)


def test_what_a_model_cannot_say_is_neither_failure_nor_counted():
    rows = told(
        [case(expected="neutral"), case(expected="neutral|positive")],
        ("positive", "negative"),
        c0="negative",
        c1="negative",
    )
    assert rows["counted"].to_list() == [False, True]
    assert rows["failure"].to_list() == [False, True]
    assert len(scoring.as_tests(rows)[0]) == 2  # of one case: its type and its capability
    assert set(scoring.rates(rows, 1, 50)["n"]) <= {0, 1}


@pytest.mark.parametrize(("moved", "fails"), [(-0.1, False), (-0.100002, True), (0.5, False)])
def test_a_probability_may_move_the_wrong_way_by_the_tolerance(moved, fails):
    frame = pd.DataFrame([case("DIR", expected="more_positive", id="d", changed="b")])
    answers = pd.DataFrame({"id": ["d", "d/changed"], "label": "positive"})
    answers["p_positive"] = [0.5, 0.5 + moved]
    answers["p_negative"] = 1 - answers["p_positive"]
    rows = scoring.judge(frame, answers, ["positive", "negative"])
    assert rows["failure"].to_list() == [fails]


def test_fillings_are_compared_where_the_same_is_expected():
    """Of the three cases that expect positive one differs from the other two: 2 of 3 pairs; the
    one that expects negative stands alone.
    """
    rows = told(
        [case(), case(), case(), case(expected="negative")],
        c0="positive",
        c1="positive",
        c2="negative",
        c3="negative",
    )
    rated = scoring.rates(rows, 1, 50).query("metric == 'filling_flip_rate' and test == 'MFT'")
    assert rated[["value", "n"]].to_numpy().tolist() == [[2 / 3, 3]]


def test_templates_are_drawn_one_by_one():
    """Three templates of two cases that fail 1, 0 and 0 times: a share of none to a half."""
    rows = pd.DataFrame([case(template=f"t{number}") for number in (1, 1, 2, 2, 3, 3)])
    found = scoring.clustered(rows.assign(failure=[True] + [False] * 5), 1, 1000)
    drawn = np.random.default_rng(1).multinomial(3, [1 / 3] * 3, size=1000)[:, 0] / 6
    assert tuple(found) == (1 / 6, *np.percentile(drawn, [2.5, 97.5]))


def test_a_template_accepted_in_half_of_its_verdicts_leaves():
    cases = pd.DataFrame([case(id="x/t1/1", text="a")])
    said = pd.DataFrame({"case_id": "x/t1/1", "text": "a", "changed": "", "natural": "yes"}, [0, 1])
    said = said.assign(verdict=["positive", "negative"], rater=["a", "b"])
    assert ratings.below_bar(said, cases)["id"].to_list() == ["x/t1"]
    assert ratings.below_bar(said, cases, bar=0.49).empty


def test_shares_over_templates_draw_every_template_by_itself():
    """Not templates of one value in one draw, which gives other bounds for the same seed."""
    table = pd.DataFrame({"sum": [0, 0, 1, 1, 2, 2, 4], "size": [4, 4, 4, 4, 4, 4, 4]})
    rows = [
        {"capability": "made", "template": str(number), "failure": case < failed}
        for number, failed in enumerate(table["sum"])
        for case in range(4)
    ]
    found = scoring.clustered(pd.DataFrame(rows), 1, 200)
    each, pooled = (
        measure.ratio(table["sum"], table["size"], 1, resamples=200, pooled=one)
        for one in (False, True)
    )
    assert (found.low, found.high) == (each.low, each.high) != (pooled.low, pooled.high)
