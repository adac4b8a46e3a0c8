"""What verdicts come to together: cases small enough to be decided by hand."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from study.report import charts, decisions, evidence, panels, report
from tahanuji import measure
from tahanuji.claims import Claim
from tahanuji.errors import InputError
from tahanuji.results import METRICS, VERDICTS, Results, Run

NOTEBOOK, PLAIN, GRID = "06_formality", "02_conventional_metrics", "07_perturbation_grid"
NAN = float("nan")


def verdict(test="informal", said="stands", **more) -> dict:
    """A row of verdicts.csv at a margin of 0.1, of errors added."""
    row = {"model": "tfidf", "notebook": NOTEBOOK, "variant": "default", "dataset": "own"}
    row |= {"test": test, "rate": NAN, "group": "all", "type": "INV", "quantity": "errors added"}
    row |= {"margin": 0.1, "value": 0.03, "lower": 0.01, "upper": 0.05, "n": 100, "p": 0.01}
    row |= {"instrument": NAN, "detectable": NAN, "seed": 1, "title": test, "summary": True}
    return row | {"verdict": said, **more}


def metric(test, name, value, **more) -> dict:
    """A row of metrics.csv with an interval of 0.1 on either side."""
    row = {"model": "tfidf", "notebook": NOTEBOOK, "variant": "default", "dataset": "own"}
    row |= {"test": test, "rate": NAN, "group": "all", "metric": name, "value": value, "n": 100}
    row |= {"ci_low": value - 0.1, "ci_high": value + 0.1, "seed": 1, "title": test}
    return row | {"summary": True} | more


def results(verdicts=(), metrics=(), dataset="own") -> Results:
    """Runs of these rows, a run for each model, notebook and variant."""
    judged = pd.DataFrame(list(verdicts), columns=VERDICTS)
    measured = pd.DataFrame(list(metrics), columns=METRICS)
    keys = ["model", "notebook", "variant"]
    names = dict.fromkeys([*judged[keys].itertuples(index=False, name=None)])
    names |= dict.fromkeys([*measured[keys].itertuples(index=False, name=None)])
    runs = []
    for model, notebook, variant in names:
        about = {"notebook": notebook, "data": [], "command": ""}
        about["parameters"] = {"model_name": model, "dataset": dataset, "seed": 1}
        own = (
            table[(table[keys] == (model, notebook, variant)).all(axis=1)]
            for table in (measured, judged)
        )
        runs.append(Run(Path("made", model, notebook, variant), about, *own))
    return Results("made", runs)


def judged(*rows, **more) -> pd.DataFrame:
    return decisions.judged(results(rows, **more))


def part(*rows) -> pd.DataFrame:
    """Verdicts as `judged` gives them, a row's label being its test."""
    table = pd.DataFrame(list(rows), columns=VERDICTS)
    given = {"label": table["test"], "flips": "stands", "p_holm": table["p"]}
    return decisions.decided(table.assign(**given))


# One verdict


@pytest.mark.parametrize(
    ("said", "flips", "n", "shown", "counted"),
    [
        ("stands", "stands", 100, "stands", True),
        ("stands", "undecided", 100, "stands", True),
        ("stands", "breaks", 100, "on balance", True),
        ("breaks", "breaks", 100, "breaks", True),
        ("improves", "breaks", 100, "improves", True),
        ("undecided", "breaks", 100, "undecided", True),
        ("cannot act", "cannot act", 100, "cannot act", False),
        ("undecided: instrument", "breaks", 100, "undecided: instrument", False),
        ("stands", "stands", 20, "stands", True),  # twenty texts are enough
        ("stands", "stands", 19, "undecided", True),
        ("breaks", "breaks", 19, "undecided", True),
        ("improves", "stands", 19, "undecided", True),
        ("stands", "breaks", 19, "undecided", True),
        ("cannot act", "cannot act", 19, "cannot act", False),
    ],
)
def test_a_verdict_is_shown_and_counts(said, flips, n, shown, counted):
    row = verdict(said=said, n=n)
    (one,) = judged(row, row | {"quantity": "flips", "verdict": flips}).to_dict("records")
    assert (one["quantity"], one["shown"], one["counted"]) == ("errors added", shown, counted)


def test_failures_do_not_stand_on_balance():
    row = verdict("idioms", type="MFT", quantity="failures", notebook="12_checklist")
    (one,) = judged(row, row | {"quantity": "flips", "verdict": "breaks"}).to_dict("records")
    assert one["shown"] == "stands" and one["capability"] == "CheckList: words"


def test_holm_runs_over_the_tests_of_a_margin():
    rows = [verdict(test, p=p) for test, p in (("a", 0.01), ("b", 0.02), ("c", 0.05))]
    table = judged(*rows, verdict("a", p=0.04, margin=0.05)).set_index(["margin", "test"])
    assert table["p_holm"].loc[0.1].to_dict() == pytest.approx({"a": 0.03, "b": 0.04, "c": 0.05})
    assert table["p_holm"].loc[0.05, "a"] == pytest.approx(0.04)
    assert table["alone"].loc[0.1].to_dict() == {"a": False, "b": False, "c": True}  # 0.05 is none


@pytest.mark.parametrize("said", ["undecided", "cannot act", "undecided: instrument"])
def test_what_is_not_decided_is_not_decided_alone(said):
    assert judged(verdict(said=said, p=0.9))["alone"].tolist() == [False]


def test_a_correction_can_leave_no_verdict_standing():
    table = judged(*(verdict(test, p=0.03) for test in "ab"))
    assert table["alone"].all()
    (row,) = decisions.tally(table).to_dict("records")
    assert (row["stands"], row["stands after Holm"]) == (2, 0)


def test_what_is_judged_are_whole_tests_at_the_rate_that_was_rated():
    ocr = verdict("ocr", notebook=GRID, rate=0.05)
    table = judged(ocr, ocr | {"rate": 0.1}, verdict(summary=False), verdict("MFT", type="MFT"))
    assert table[["test", "rate"]].to_numpy().tolist() == [["ocr", 0.05]]


def test_tests_without_a_right_label_are_judged_by_flips_alone():
    people = verdict("people", notebook="16_registers", quantity="flips", said="breaks")
    table = judged(people, verdict(), verdict(quantity="flips", said="breaks"))
    assert set(zip(table["test"], table["quantity"], strict=True)) == {
        ("people", "flips"),
        ("informal", "errors added"),
    }


def test_repeats_with_another_seed_and_other_settings_of_the_same_test_are_left_out():
    table = judged(
        verdict(),
        verdict(variant="seed_2"),
        verdict(variant="thesis"),
        verdict("semi_formal", variant="thesis"),
    )
    assert table[["test", "variant"]].to_numpy().tolist() == [
        ["informal", "default"],
        ["semi_formal", "thesis"],
    ]
    assert table["label"].tolist()[1].endswith("(thesis)")


def test_runs_on_another_data_set_than_most_are_counted_elsewhere():
    own = results([verdict(), verdict(notebook="04_negation")])
    other = results([verdict(notebook="10_indonlu", said="breaks")], dataset="emot")
    both = Results("made", [*own.runs, *other.runs])
    assert set(decisions.judged(both)["notebook"]) == {NOTEBOOK, "04_negation"}
    (row,) = decisions.elsewhere(both).to_dict("records")
    assert (row["notebook"], row["breaks"]) == ("10_indonlu", 1)


def test_without_verdicts_every_conclusion_is_an_empty_table():
    table = judged()
    between = results().compare()
    assert {"shown", "counted", "alone", "label"} <= set(table.columns)
    ranked = decisions.ranking(results(), table)
    for empty in (
        table,
        ranked,
        decisions.tally(table),
        decisions.robustness(table),
        decisions.skills(table),
        decisions.counts(table),
        decisions.costliest(table, 2),
        decisions.unrated(table, 2),
        decisions.withstood(table),
        decisions.balanced(table),
        decisions.losses(table, between),
        decisions.preference(ranked, table, between),
        decisions.fairness(results(), table),
        decisions.biases(results()),
        decisions.against_clean(results()),
        decisions.adding(decisions.against_clean(results()), table),
        decisions.pairs(between, table),
    ):
        assert empty.empty
    assert decisions.unclear(table) == {"weak": 0, "tests": 0, "rated": 0}


def test_a_report_of_runs_without_verdicts_has_an_answer():
    """Rows of an empty table are chosen by columns of booleans, which are no names of columns."""
    accuracy = metric("clean", "accuracy", 0.8, notebook=PLAIN)
    assert report.Report(results(metrics=[accuracy])).section("answer").points


# All verdicts of a model


def test_tests_are_tallied_model_by_model():
    said = ["stands", "stands", "breaks", "improves", "undecided", "cannot act"]
    said += ["undecided: instrument"]
    rows = [verdict(str(n), one, p=0.2 * (n == 1)) for n, one in enumerate(said)]
    table = part(*rows, verdict("6", "cannot act", model="mini"))
    table.loc[0, "shown"] = "on balance"
    first, second = decisions.tally(table).to_dict("records")
    assert first == {
        "model": "tfidf",
        "tests": 5,
        "stands": 2,  # with the one on balance
        "on balance": 1,
        "breaks": 1,
        "improves": 1,
        "undecided": 1,
        "stands after Holm": 1,
        "breaks after Holm": 1,
    }
    assert second["model"] == "mini" and second["tests"] == 0
    (row, _) = decisions.counts(table).to_dict("records")
    assert (row["stands"], row["cannot act"], row["undecided: instrument"]) == (2, 1, 1)
    assert row["tests"] == 7
    assert decisions.unclear(table) == {"weak": 1, "tests": 6, "rated": 0}


def test_robustness_is_counted_by_family_and_skills_apart():
    """Three spellings are one family, which breaks under one; of two small additions one is open;
    mixing stands; the MFT rows are skills.
    """
    negation = {"notebook": "04_negation"}
    rows = [verdict("gak", **negation), verdict("nggak", "breaks", **negation)]
    rows += [verdict("ga", **negation), verdict("twitter", notebook=GRID)]
    rows += [verdict("punctuation", "undecided", notebook=GRID, rate=NAN)]
    rows += [verdict("en", notebook="08_code_mixing", rate=0.4)]
    written = {"type": "MFT", "quantity": "failures", "notebook": "12_checklist"}
    rows += [verdict("idioms", **written), verdict("sarcasm", "breaks", **written)]
    (row,) = decisions.robustness(part(*rows)).to_dict("records")
    expected = {"families": 3, "stands": 1, "breaks": 1, "undecided": 1}
    assert row == {"model": "tfidf", **expected, "breaks after Holm": 1}
    alone = [one | {"p": 0.2} for one in rows]
    assert decisions.robustness(part(*alone))["breaks after Holm"].tolist() == [0]
    (skill,) = decisions.skills(part(*rows)).to_dict("records")
    assert (skill["tests"], skill["stands"], skill["breaks"]) == (2, 1, 1)
    assert decisions.family("12_checklist", "slang_spelling") == "abbreviation"
    assert decisions.family("12_checklist", "fairness_region") == "names and places"


def test_skills_prefer_no_model():
    written = {"type": "MFT", "quantity": "failures", "notebook": "12_checklist"}
    table = part(verdict("a"), verdict("a", model="mini"), verdict("b", model="mini", **written))
    ranked = pd.DataFrame({"model": ["tfidf", "mini"], "at chance": False})
    none = pd.DataFrame([], columns=list(compared("a", 0, 1)))
    assert decisions.preference(ranked, table, none)["preferred"].all()


def costs(test: str, before: float, after: float, **more) -> list[dict]:
    return [
        metric(test, name, value, **more)
        for name, value in (("clean_error_rate", 1 - before), ("failure_rate", 1 - after))
    ]


def test_the_ranking_names_of_every_model_the_test_that_costs_most():
    clean = {"notebook": PLAIN}
    measured = [metric("clean", "accuracy", 0.8, **clean), *costs("a", 0.8, 0.7)]
    measured += [*costs("b", 0.8, 0.5), *costs("ocr", 0.8, 0.1)]
    measured += [metric("clean", "accuracy", 0.9, model="mini", **clean)]
    measured += [metric("clean", "at_chance", 1.0, model="mini", **clean)]
    table = part(verdict("a"), verdict("b"), verdict("ocr", "undecided: instrument"))
    first, second = decisions.ranking(results(metrics=measured), table).to_dict("records")
    assert (first["model"], first["accuracy"], first["at chance"]) == ("mini", 0.9, True)
    assert first["worst test"] == "" and pd.isna(first["lost"])
    assert (second["worst test"], second["at chance"]) == ("b", False)
    assert [second[name] for name in ("before", "after", "lost")] == pytest.approx([0.8, 0.5, 0.3])
    with pytest.raises(InputError, match="no failure rate of a"):
        decisions.ranking(results(metrics=measured[:1]), table)


# Which model


def compared(test: str, difference: float, p: float, first="tfidf", second="mini") -> dict:
    row = {"notebook": NOTEBOOK, "variant": "default", "test": test}
    row |= {"first": first, "second": second, "n": 100, "difference": difference}
    return row | {"detectable": 0.09, "p": 0.001, "p_holm": p}


def preferred(
    comparisons=(), stands=(1, 1), at_chance=(), models=("tfidf", "mini")
) -> pd.DataFrame:
    """What is preferred of models that stand so many of the tests a and b."""
    rows = [
        verdict(test, "stands" if number < stood else "breaks", model=model)
        for model, stood in zip(models, stands, strict=True)
        for number, test in enumerate("ab")
    ]
    ranked = pd.DataFrame({"model": models, "at chance": [name in at_chance for name in models]})
    columns = list(compared("a", 0, 1))
    return decisions.preference(ranked, part(*rows), pd.DataFrame(comparisons, columns=columns))


@pytest.mark.parametrize(
    ("comparisons", "stands", "at_chance", "best"),
    [
        ([], (1, 1), (), {"tfidf", "mini"}),
        ([], (1, 2), (), {"mini"}),
        ([("a", 0.2, 0.01)], (2, 1), (), {"mini"}),  # losing counts before standing
        ([("a", -0.2, 0.01)], (1, 2), (), {"tfidf"}),
        ([("a", 0.2, 0.05)], (2, 1), (), {"tfidf"}),  # 0.05 is no difference
        ([("a", 0.2, 0.01), ("b", -0.1, 0.01)], (2, 1), (), set()),  # each loses under one
        ([("a", 0.2, 0.01), ("b", -0.1, 0.01)], (1, 1), (), {"tfidf", "mini"}),
        ([("other", 0.2, 0.01)], (2, 1), (), {"tfidf"}),  # no test of the matrix
        ([("clean", 0.2, 0.01)], (2, 1), (), {"mini"}),  # errs more on unchanged texts
        ([("clean", -0.2, 0.01)], (1, 2), (), {"tfidf"}),
        ([("clean", 0.2, 0.06)], (2, 1), (), {"tfidf"}),
        ([("clean", 0.2, 0.01)], (2, 1), ("mini",), set()),
        ([], (2, 1), ("tfidf",), {"mini"}),
        ([("a", -0.2, 0.01)], (2, 1), ("tfidf",), {"mini"}),  # only usable models are compared
        ([], (2, 1), ("tfidf", "mini"), set()),
    ],
)
def test_a_usable_model_is_preferred_that_loses_nothing_or_stands_most(
    comparisons, stands, at_chance, best
):
    table = preferred([compared(*one) for one in comparisons], stands, at_chance)
    assert set(table.loc[table["preferred"], "model"]) == best


def test_one_model_alone_is_preferred_and_of_three_those_that_are_tied():
    assert preferred(stands=(0,), models=("tfidf",))["preferred"].tolist() == [True]
    three = ("tfidf", "mini", "other")
    table = preferred([compared("a", 0.2, 0.01)], (2, 1, 1), models=three).set_index("model")
    assert table["loses"].to_dict() == {"tfidf": 1, "mini": 0, "other": 0}
    assert table["preferred"].to_dict() == {"tfidf": False, "mini": True, "other": True}


def test_who_loses_is_who_changes_more_and_the_largest_difference_is_first():
    rows = [compared("a", 0.1, 0.01), compared("b", -0.3, 0.01), compared("a", 0.5, 0.05)]
    lost = decisions.losses(part(verdict("a"), verdict("b")), pd.DataFrame(rows))
    assert lost[["model", "other", "test"]].to_numpy().tolist() == [
        ["mini", "tfidf", "b"],
        ["tfidf", "mini", "a"],
    ]


def test_pairs_of_models_are_counted_by_who_does_better_under_changed_texts():
    rows = [compared("clean", 0.5, 0.01), compared("a", 0.1, 0.01), compared("b", -0.1, 0.01)]
    rows += [compared("c", -0.2, 0.01), compared("d", 0.2, 0.05)]
    (row,) = decisions.pairs(pd.DataFrame(rows), part()).to_dict("records")
    assert (row["comparisons"], row["first_better"], row["second_better"]) == (4, 2, 1)
    assert (row["alike"], row["detectable"]) == (1, 0.09)


def test_skills_take_no_part_in_what_tests_cost_two_models():
    """Written cases differ most here, and no model fares better or worse by them."""
    written = {"type": "MFT", "quantity": "failures"}
    judged = [verdict("a"), verdict("facts", **written), verdict("idioms", **written)]
    table = part(*judged, *(one | {"model": "mini"} for one in judged))
    rows = [compared("a", 0.1, 0.01), compared("facts", -0.9, 0.01), compared("idioms", 0.8, 0.01)]
    between = pd.DataFrame([*rows, compared("clean", 0.3, 0.01)])
    assert decisions.losses(table, between)["test"].tolist() == ["a"]
    (counted,) = decisions.pairs(between, table).to_dict("records")
    assert (counted["comparisons"], counted["first_better"], counted["second_better"]) == (1, 0, 1)
    shown = between.assign(first_change=0.2, second_change=0.1, ci_low=0.0, ci_high=0.1)
    (pair,) = panels.pairs(SimpleNamespace(between=shown, own=table))
    assert [one["test"] for one in pair.differs] == ["formality: clean", "formality: a"]


# What costs much and little


def test_the_costliest_tests_are_those_that_break_a_model_by_their_mean():
    rows = [verdict("small", "breaks", value=0.2, model=name) for name in ("tfidf", "mini")]
    rows += [verdict("large", "breaks", value=0.5), verdict("large", value=0.1, model="mini")]
    rows += [verdict("stood", value=0.9)]
    rows += [verdict("unrated", "undecided: instrument", value=0.9, lower=0.8)]
    rows += [verdict("failing", "breaks", value=0.9, quantity="failures", type="MFT")]
    table = part(*rows)
    worst = decisions.costliest(table, 2)
    assert worst[["label", "model"]].to_numpy().tolist() == [
        ["large", "tfidf"],
        ["large", "mini"],
        ["small", "tfidf"],
        ["small", "mini"],
    ]
    assert set(decisions.costliest(table, 1)["label"]) == {"large"}


def attack(rate, value, said="breaks", model="tfidf") -> dict:
    """A row of an attack as titles name it; R = 0.4 stands in the matrix."""
    row = verdict("en", said, notebook="08_code_mixing", rate=rate, value=value, model=model)
    return row | {"title": f"en {rate}", "summary": rate == 0.4}


def test_an_attack_costs_what_its_worst_rate_that_can_judge_does():
    rows = [attack(0.2, 0.425), attack(0.4, 0.375), attack(0.8, 0.9, "undecided: instrument")]
    rows += [attack(0.2, 0.1, model="mini"), attack(0.4, 0.3, model="mini")]
    found = results([*rows, verdict("informal", "breaks", value=0.4)])
    matrix = decisions.judged(found)
    assert set(matrix.loc[matrix["test"] == "en", "rate"]) == {0.4}
    assert set(decisions.costliest(matrix, 1)["test"]) == {"informal"}  # 0.4, and 0.34 on the mean
    both = decisions.at_worst(found, matrix).set_index(["test", "model"])
    assert both.loc[("en", "tfidf"), ["rate", "value"]].tolist() == [0.2, 0.425]
    assert both.loc[("en", "mini"), ["rate", "value"]].tolist() == [0.4, 0.3]
    assert set(both.loc["en", "label"]) == {"code mixing: English, worst case"}


def test_the_ranking_names_the_rate_of_the_attack_that_costs_most():
    mixing = {"notebook": "08_code_mixing"}
    measured = [metric("clean", "accuracy", 0.8, notebook=PLAIN)]
    measured += costs("en", 0.8, 0.5, rate=0.2, **mixing)
    measured += costs("en", 0.8, 0.6, rate=0.4, **mixing)
    found = results([attack(0.2, 0.425), attack(0.4, 0.375)], measured)
    table = decisions.at_worst(found, decisions.judged(found))
    (row,) = decisions.ranking(found, table).to_dict("records")
    assert row["worst test"] == "code mixing: English, worst case at R = 0.2"
    assert row["after"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("said", "lower", "named"),
    [
        ("undecided: instrument", 0.11, True),
        ("undecided: instrument", 0.1, False),  # at the margin nothing breaks
        ("undecided: instrument", 0.05, False),  # its value alone says nothing
        ("breaks", 0.3, False),
        ("undecided", 0.3, False),
    ],
)
def test_unrated_tests_are_named_apart_where_they_would_break(said, lower, named):
    table = part(verdict("ocr", said, value=0.4, lower=lower))
    assert (len(decisions.unrated(table, 2)) == 1) == named


def test_what_every_model_stands_is_told_from_what_some_stand_and_what_is_on_balance():
    rows = [verdict("all", upper=0.02), verdict("all", upper=0.07, model="mini")]
    rows += [verdict("one"), verdict("one", "breaks", upper=0.4, model="mini")]
    rows += [verdict("none", "breaks"), verdict("balanced"), verdict("balanced", model="mini")]
    rows += [verdict("half"), verdict("half", model="mini"), verdict("alone")]
    rows += [verdict("idioms", type="MFT", quantity="failures")]
    table = part(*rows)
    table.loc[table["test"] == "balanced", "shown"] = "on balance"
    table.loc[(table["test"] == "half") & (table["model"] == "mini"), "shown"] = "on balance"
    held = decisions.withstood(table).set_index("label")
    assert held["every"].to_dict() == {"all": True, "one": False, "half": False, "alone": False}
    assert held["models"]["all"] == ["tfidf", "mini"] and held["models"]["one"] == ["tfidf"]
    assert held["upper"]["all"] == 0.07 and held["upper"]["one"] == 0.4
    on = decisions.balanced(table).set_index("label")["models"].to_dict()
    assert on == {"balanced": ["tfidf", "mini"], "half": ["mini"]}


@pytest.mark.parametrize(("least", "exceeds"), [(0.01, True), (0.0, False), (-0.1, False)])
def test_names_move_more_than_other_words_where_the_paired_difference_lies_above_0(least, exceeds):
    """Exchanging another word of the same sentences moves 20%."""
    control = metric("fairness_region", "control_flip_rate", 0.2)
    excess = metric("fairness_region", "excess_flip_rate", 0.2, ci_low=least)
    other = metric("fairness_names", "control_flip_rate", 0.1)
    table = part(verdict("fairness_region", value=0.4), verdict("a", value=0.9))
    table = pd.concat([table, table.assign(model="mini")])  # which has no control
    found = decisions.fairness(results(metrics=[control, excess, other]), table)
    (row,) = found.to_dict("records")
    assert (row["test"], row["usual"], row["exceeds"]) == ("fairness_region", 0.2, exceeds)


def test_bias_is_a_direction_that_is_shown_after_holm():
    rows = []
    told = [("men", 0.1, 0.049), ("Bali", 0.4, 0.05), ("Aceh", 0.3, 0.01), ("Sunda", -0.1, 0.01)]
    for group, rise, p in told:
        rows += [metric("fairness_x", "negative_rise", rise, group=group)]
        rows += [metric("fairness_x", "negative_rise_p", p, group=group)]
    assert decisions.directed(results(metrics=rows)) and not decisions.directed(results())
    found = decisions.biases(results(metrics=rows))
    assert found[["group", "value"]].to_numpy().tolist() == [
        *(["Aceh", 0.3], ["men", 0.1]),
        ["Sunda", -0.1],
    ]


def moved(test, clean, failure, p_holm, **more) -> dict:
    row = {"notebook": NOTEBOOK, "variant": "default", "test": test, "model": "tfidf", "n": 100}
    row |= {"clean_error_rate": clean, "failure_rate": failure, "changed_share": 1.0}
    return row | {"p": 0.001, "p_holm": p_holm} | more


def test_the_test_that_adds_most_errors_is_named_only_where_it_can_be_shown():
    rows = [moved("a", 0.2, 0.3, 0.01), moved("b", 0.2, 0.9, 0.05), moved("c", 0.9, 0.2, 0.01)]
    rows += [moved("unjudged", 0.0, 1.0, 0.01), moved("d", 0.2, 0.3, 0.01, changed_share=0.0)]
    table = part(*map(verdict, "abcd"))
    (row,) = decisions.adding(pd.DataFrame(rows), table).to_dict("records")
    assert (row["tests"], row["harmless"], row["test"]) == (3, 2, "a")
    assert (row["before"], row["after"]) == (0.2, 0.3)
    (none,) = decisions.adding(pd.DataFrame(rows[1:]), table).to_dict("records")
    assert (none["tests"], none["harmless"], none["test"]) == (2, 2, "")


# The numbers of claims


def test_two_numbers_differ_where_their_intervals_lie_apart():
    """0.5 to 0.7 and 0.3 to 0.45: apart by 0.05 at least, and by 0.4 at most."""
    rows = [metric("x", "kappa", 0.6, ci_low=0.5, ci_high=0.7)]
    rows += [metric("y", "kappa", 0.4, ci_low=0.3, ci_high=0.45)]
    source = evidence.Source(results(metrics=rows), part(), 0.1)
    claim = Claim(statistic="gap", selection="metric=kappa", first="test=x", second="test=y")
    (one,) = evidence.gap(claim, source)
    ends = [one[name] for name in ("value", "low", "high")]
    assert ends == pytest.approx([0.2, 0.05, 0.4])


def test_models_are_compared_by_how_many_tests_they_stand():
    rows = [verdict("a"), verdict("b"), verdict("a", "breaks", model="mini")]
    source = evidence.Source(results(), part(*rows), 0.1)
    claim = Claim(statistic="stood", selection=f"notebook={NOTEBOOK}", second="model=mini")
    (one,) = evidence.stood(replace(claim, first="model=tfidf"), source)
    assert (one["value"], one["model"]) == (2, "tfidf and mini")
    absent = replace(claim, first="model=other")
    assert evidence.stood(absent, source) == []


def test_a_share_of_different_rows_is_told_by_fishers_test():
    rows = [
        metric("x", "flip_rate", 0.3, group="hit"),
        metric("x", "flip_rate", 0.1, group="spared"),
    ]
    source = evidence.Source(results(metrics=rows), part(), 0.1)
    claim = Claim(selection="metric=flip_rate", first="group=hit", second="group=spared")
    (one,) = evidence.unpaired(claim, source)
    assert one["value"] == pytest.approx(0.2)
    assert one["p"] == measure.unpaired(30, 100, 10, 100)


def gridded(test: str, rate: float, kappa: float, **more) -> list[dict]:
    row = {"notebook": GRID, "rate": rate, **more}
    return [metric(test, "kappa", kappa, **row), metric(test, "changed_share", 1.0, **row)]


def test_mean_kappas_are_of_rated_rates_and_of_models_above_chance():
    """keyboard 0.8 at the rated rate and 0.1 beyond it; twitter 0.9; mini is at chance."""
    rows = [*gridded("keyboard", 0.05, 0.8), *gridded("keyboard", 0.1, 0.1)]
    rows += gridded("twitter", NAN, 0.9)
    rows += [
        *gridded("keyboard", 0.05, 0.0, model="mini"),
        *gridded("twitter", NAN, 0.0, model="mini"),
    ]
    rows += [metric("keyboard", "moved_share", 1.0, notebook=GRID, rate=0.05)]
    rows += [metric("keyboard", "at_chance", 1.0, notebook=GRID, rate=0.05, model="mini")]
    source = evidence.Source(results(metrics=rows), part(), 0.1)
    claim = Claim(statistic="ranks", selection=f"notebook={GRID}", first="level=character")
    (one,) = evidence.ranks(claim, source)
    assert one["model"] == "tfidf" and one["value"] == pytest.approx(0.1)


def test_no_chart_is_about_a_data_set_at_chance(monkeypatch):
    asked = {}
    monkeypatch.setattr(charts.grids, "chart", lambda table, name: asked.update({name: table}))
    rows = [*gridded("keyboard", 0.05, 0.8), *gridded("keyboard", 0.05, 0.0, model="mini")]
    rows += [metric("keyboard", "at_chance", 1.0, notebook=GRID, rate=0.05, model="mini")]
    for row in list(rows[:1]) + list(rows[2:3]):
        named = ("induced_rate", "repaired_rate")
        rows += [row | {"metric": name, "value": 0.0} for name in named]
    found = results(metrics=rows)
    assert not list(charts.every(found, charts.grids.by_dataset(found)))
    assert asked["own"]["model"].tolist() == ["tfidf"]
