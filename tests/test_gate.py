"""The gate: policies, what they say of outcomes, exit statuses, formats, and a regression."""

import json
import os
import shutil
import subprocess
from importlib import resources

import huggingface_hub
import jsonschema
import junitparser
import numpy as np
import pandas as pd
import pytest
import sarif_pydantic
import yaml
from conftest import ROOT
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from study.audit import classifiers
from study.audit import command as audit
from tahanuji import data, gate, measure, testing
from tahanuji.errors import InputError
from tahanuji.gate import __main__ as command
from tahanuji.gate import against, formats, frames
from tahanuji.gate.policy import FOLDER, Policy


def answers(test: str, wrong: int, n: int = 200, **more) -> pd.DataFrame:
    """Outcomes of a classifier that is right on all unchanged texts, and wrong on so many changed
    ones.
    """
    said = ["negative"] * wrong + ["positive"] * (n - wrong)
    frame = pd.DataFrame({"id": [f"u{number:03d}" for number in range(n)], "test": test})
    frame = frame.assign(gold="positive", clean_label="positive", perturbed_label=said)
    return frame.assign(text="enak", perturbed="enk", **more)


def frame(**tests: int) -> pd.DataFrame:
    """Outcomes by test, none of them with an instrument whose bound counts."""
    parts = [answers(name, wrong) for name, wrong in tests.items()]
    return gate.prepared(pd.concat(parts, ignore_index=True).assign(instrument=0.0))


def outcomes(rows: pd.DataFrame, **rule) -> dict[str, str]:
    judged = gate.judge(rows, Policy("own", rule))
    return dict(zip(judged["test"], judged["outcome"], strict=True))


def test_what_must_stand_passes_breaks_or_is_left_open():
    rows = frame(ocr=2, keyboard=60, typos=18)
    assert outcomes(rows) == {"ocr": "passed", "keyboard": "failed", "typos": "undecided"}
    assert outcomes(rows, must="not break")["typos"] == "passed"
    assert set(outcomes(rows, must="nothing").values()) == {"skipped"}
    judged = gate.judge(rows, gate.read("default"))
    assert gate.status(judged, gate.read("default")) == 1 and gate.outcome(judged) == "failed"


def test_verdicts_are_those_of_measure():
    rows = frame(ocr=2, keyboard=60, typos=18)
    judged = gate.judge(rows, Policy("own", {"margin": 0.05}))
    wanted = measure.verdicts(rows.drop(columns="rate", errors="ignore"), "INV", [0.05])
    wanted = wanted[wanted["quantity"] == "errors added"]
    for name in ("value", "lower", "upper", "n", "verdict"):
        assert judged[name].tolist() == wanted[name].tolist()


@pytest.mark.parametrize(
    ("wrong", "undecided", "status"), [(2, 2, 0), (60, 2, 1), (18, 2, 2), (18, 0, 0)]
)
def test_the_exit_status_says_what_was_decided(tmp_path, capsys, wrong, undecided, status):
    frame(ocr=wrong).to_csv(tmp_path / "o.csv.gz", index=False)
    own = tmp_path / "own.yaml"
    own.write_text(f"undecided: {undecided}\nrule: {{margin: 0.1}}\n", encoding="utf-8")
    assert command.main([str(tmp_path / "o.csv.gz"), "--policy", str(own)]) == status
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("classifier, own: ")
    assert ("would decide" in said) == (wrong == 18)


def test_so_many_texts_as_are_asked_for_do_decide():
    judged = gate.judge(frame(ocr=18), Policy("own", {"margin": 0.12}))
    assert judged["outcome"].tolist() == ["undecided"]
    n = int(judged["needed"].iloc[0])
    more = gate.prepared(answers("ocr", round(0.09 * n), n).assign(instrument=0.0))
    assert n > 200 and outcomes(more, margin=0.12) == {"ocr": "passed"}


def test_a_higher_confidence_and_more_texts_leave_open_what_passed():
    rows = frame(ocr=11)
    assert outcomes(rows) == {"ocr": "passed"}
    assert outcomes(rows, confidence=0.999) == {"ocr": "undecided"}
    judged = gate.judge(rows, Policy("own", {"least_texts": 201, "must": "not break"}))
    assert judged["outcome"].tolist() == ["undecided"] and "201 are asked" in judged["why"].iloc[0]
    assert judged["needed"].iloc[0] == 201


def test_rules_of_families_and_tests_come_before_the_general_one():
    rows = frame(ocr=60, laughter=60, emoji=60)
    policy = Policy(
        "own",
        {"must": "stand"},
        {"small additions": {"must": "nothing"}},
        {"emoji": {"must": "stand", "margin": 0.5}},
    )
    judged = gate.judge(rows, policy).set_index("test")
    assert judged["outcome"].to_dict() == {
        "ocr": "failed",
        "laughter": "skipped",
        "emoji": "passed",
    }


def test_an_instrument_that_is_unfit_decides_nothing():
    rows = frame(ocr=60).assign(instrument=0.2)
    assert outcomes(rows) == {"ocr": "skipped"}
    judged = gate.judge(rows, gate.read("default"))
    assert gate.outcome(judged) == "undecided"  # nothing passed


def test_a_change_that_no_probability_sees_passes_on_enough_texts_of_a_fit_instrument():
    rows = frame(ocr=0).assign(moved=False)
    assert outcomes(rows) == {"ocr": "passed"}
    judged = gate.judge(rows.head(3), Policy("own"))
    assert judged["outcome"].tolist() == ["undecided"] and "3 texts" in judged["why"].iloc[0]
    for bound in (0.2, 1.0):  # unfit, and rated by nobody
        assert outcomes(rows.assign(instrument=bound)) == {"ocr": "skipped"}


def test_written_cases_are_asked_only_where_they_are_named():
    rows = frame(ocr=0)
    cases = rows.assign(family="skills", test="negation", type="MFT", failure=True)
    both = pd.concat([rows, cases], ignore_index=True)
    assert outcomes(both) == {"ocr": "passed", "negation": "skipped"}
    named = gate.judge(both, Policy("own", {}, {"skills": {}})).set_index("test")
    assert named.loc["negation", "outcome"] == "failed"
    assert named.loc["negation", "quantity"] == "failures"


def test_labels_that_move_and_errors_that_cancel_out():
    rows = frame(ocr=60)
    rows["gold"] = ["positive"] * 30 + ["negative"] * 30 + ["positive"] * 140
    told = measure_outcomes(rows)
    assert outcomes(told) == {"ocr": "passed"}
    assert outcomes(told, by="flips") == {"ocr": "failed"}
    both = gate.judge(told, Policy("own", {"by": "both"}))
    assert sorted(both["outcome"]) == ["failed", "passed"]


def measure_outcomes(rows: pd.DataFrame) -> pd.DataFrame:
    """The outcomes of a frame's labels anew."""
    kept = ["id", "test", "gold", "clean_label", "perturbed_label", "instrument"]
    return gate.prepared(rows[kept])


def test_a_model_that_draws_is_asked_again_and_its_texts_are_clusters():
    once = answers("ocr", 20)
    rows = gate.prepared(pd.concat([once] * 5, ignore_index=True).assign(instrument=0.0))
    apart = gate.judge(frame(ocr=20), Policy("own", {"margin": 0.15})).iloc[0]
    drawn = gate.judge(rows, Policy("own", {"margin": 0.15, "repeats": 5})).iloc[0]
    assert drawn["n"] == 1000 and drawn["upper"] == pytest.approx(apart["upper"], abs=0.01)
    few = gate.judge(frame(ocr=2), Policy("own", {"repeats": 3})).iloc[0]
    assert few["outcome"] == "undecided" and "asked 1 times" in few["why"]


def test_what_a_policy_names_and_nobody_tested_is_undecided():
    judged = gate.judge(frame(ocr=0), Policy("own", {}, {"register": {}}, {"slang": {}}))
    assert dict(zip(judged["test"], judged["outcome"], strict=True)) == {
        "ocr": "passed",
        "register": "undecided",
        "slang": "undecided",
    }


def test_a_named_test_of_a_change_that_no_text_has_is_undecided():
    named = {"negation: gak": {}, "realistic noise 0.1": {}}
    judged = gate.judge(frame(ocr=0), Policy("own", {}, {}, named)).set_index("test")
    assert (judged.loc[[*named], "outcome"] == "undecided").all()
    assert (judged.loc[[*named], "why"] == "no texts").all()
    rated = frame(ocr=0).assign(test="ocr 0.05")
    with pytest.raises(InputError, match="did you mean 'ocr 0.05'"):
        gate.judge(rated, Policy("own", {}, {}, {"ocr 0.5": {}}))


BAD = [
    ("rule: {must: standing}", "unknown must 'standing'; did you mean 'stand' or"),
    ("rule: {margin: 5}", "margin lies between 0 and 1, and 5 does not."),
    ("rule: {margins: 0.1}", "did you mean 'margin'?"),
    ("rules: {}", "did you mean 'rule'?"),
    ("families: {typing: stand}", "is no mapping"),
    ("families: [typing]", "has a rule for each name"),
    ("undecided: soon", "is an exit status"),
    ("rule: {least_texts: 0}", "least_texts is a whole number"),
    ("rule: {by: labels}", "unknown quantity"),
    ("- a", "unknown key"),
    ("rule: {", "is no yaml"),
    ("families: {typin: {}}", "did you mean 'typing'?"),
    ("tests: {ocrs: {}}", "did you mean 'ocr'?"),
    ("rule: {must: no worse than baseline}", "name it with --against"),
    ("rule: {must: no worse than old.csv}", "there is no file of outcomes old.csv"),
]


@pytest.mark.parametrize(("text", "message"), BAD)
def test_a_policy_that_cannot_be_is_refused_in_a_sentence(tmp_path, capsys, text, message):
    frame(ocr=0).to_csv(tmp_path / "o.csv", index=False)
    (tmp_path / "own.yaml").write_text(text, encoding="utf-8")
    words = [str(tmp_path / "o.csv"), "--policy", str(tmp_path / "own.yaml")]
    assert command.main(words) == 2
    said = capsys.readouterr()
    assert message in said.err and said.err.count("\n") == 1 and not said.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,test\n", "no row"),
        ("id,label\n1,a\n", "no column test"),
        ("id,test\n1,ocr\n", "neither failure"),
        ("", "cannot be read"),
        ("id,test,failure\n1,ocr,0\n", "no flip of ocr, an INV test"),
        ("id,test,failure,flip\n1,ocr,no,yes\n", "failure of ocr are true or false, and 'no'"),
        ("id,test,failure,flip\n1,ocr,0,1\n2,ocr,,0\n", "failure of ocr are true or false"),
        ("id,test,failure,flip\n1,ocr,0,1\n2,ocr,1,\n", "no flip of ocr, an INV test"),
    ],
)
def test_outcomes_that_are_none_are_refused(tmp_path, capsys, content, message):
    (tmp_path / "o.csv").write_text(content, encoding="utf-8")
    assert command.main([str(tmp_path / "o.csv")]) == 2
    assert message in capsys.readouterr().err
    assert command.main([str(tmp_path / "none.csv")]) == 2


def test_ready_policies_ask_more_and_more():
    assert gate.ready() == sorted(path.stem for path in FOLDER.glob("*.yaml"))
    rows = frame(ocr=15)
    said = {name: gate.judge(rows, gate.read(name)) for name in ("lenient", "default", "strict")}
    statuses = [gate.status(judged, gate.read(name)) for name, judged in said.items()]
    assert statuses == [0, 2, 2]
    rows = frame(ocr=7)
    statuses = [gate.status(gate.judge(rows, gate.read(name)), gate.read(name)) for name in said]
    assert statuses == [0, 0, 2]


def test_stored_outcomes_give_the_same_decision(tmp_path):
    rows = frame(ocr=2, keyboard=60, typos=18)
    for name in ("o.csv", "o.csv.gz", "o.parquet"):
        path = tmp_path / name
        rows.to_parquet(path) if name.endswith("parquet") else rows.to_csv(path, index=False)
        again = gate.judge(frames.read(path), gate.read("strict"))
        pd.testing.assert_frame_equal(again, gate.judge(rows, gate.read("strict")))


def test_rates_beyond_the_rated_one_are_not_judged():
    rows = pd.concat([answers("typos", 0, rate=rate) for rate in (0.3, 0.9)], ignore_index=True)
    judged = gate.judge(gate.prepared(rows), Policy("own")).set_index("test")
    assert judged.loc["typos 0.3", "family"] == "typing"
    assert judged["outcome"].to_dict() == {"typos 0.3": "passed", "typos 0.9": "skipped"}


# --- beside older answers ---


def test_no_worse_is_judged_on_the_same_rows():
    old, same, worse = (frame(ocr=wrong, keyboard=50) for wrong in (20, 22, 60))
    policy = Policy("own", {"must": "no worse than main", "margin": 0.05})
    judged = gate.judge(same, policy, {"main": old}.get).set_index("test")
    assert judged["outcome"].to_dict() == dict.fromkeys(("ocr", "keyboard", frames.CLEAN), "passed")
    assert judged.loc["ocr", "value"] == pytest.approx(0.01)
    judged = gate.judge(worse, policy, {"main": old}.get).set_index("test")
    assert judged["outcome"].to_dict() == {
        "ocr": "failed",
        "keyboard": "passed",
        frames.CLEAN: "passed",
    }
    low, high = measure.change_bounds([True] * 40 + [False] * 160, [False] * 200)
    assert judged.loc["ocr", ["lower", "upper"]].tolist() == pytest.approx([low, high])


def test_a_classifier_that_lost_accuracy_is_worse_on_unchanged_texts():
    old, new = frame(ocr=0), frame(ocr=0)
    new.loc[:59, ["clean_label"]] = "negative"
    policy = gate.read("no_worse")
    judged = gate.judge(new, policy, {"baseline": old}.get).set_index("test")
    assert judged["outcome"].to_dict() == {"ocr": "passed", frames.CLEAN: "failed"}


def test_other_texts_are_not_compared_and_other_rows_are_refused():
    old = frame(ocr=0).assign(perturbed_sha256="a")
    new = frame(ocr=60).assign(perturbed_sha256="b")
    policy = gate.read("no_worse")
    judged = gate.judge(new, policy, {"baseline": old}.get).set_index("test")
    assert judged.loc["ocr", "outcome"] == "skipped"
    with pytest.raises(InputError, match="1 of the ids stand in one"):
        gate.judge(new, policy, {"baseline": old.iloc[1:]}.get)
    lacking = gate.judge(frame(ocr=0, typos=0), policy, {"baseline": old}.get).set_index("test")
    assert lacking.loc["typos", "why"] == "baseline lacks the test"


def test_a_test_that_one_lacks_does_not_keep_unchanged_texts_from_being_compared():
    more = answers("typos", 0).assign(instrument=0.0).replace({"id": {"u000": "x000"}})
    old = pd.concat([frame(ocr=0), gate.prepared(more)], ignore_index=True)
    judged = gate.judge(frame(ocr=0), gate.read("no_worse"), {"baseline": old}.get)
    assert judged["n"].tolist() == [200, 200] and set(judged["outcome"]) == {"passed"}


def test_what_got_worse_comes_first(tmp_path, capsys):
    old, new = frame(ocr=4, keyboard=4), frame(ocr=1, keyboard=60)
    moved = against.flips(new, old)
    assert moved["test"].tolist() == ["keyboard"] * 56 + ["ocr"] * 3
    assert moved["worse"].tolist() == [True] * 56 + [False] * 3
    assert moved.iloc[0][["id", "old_label", "new_label"]].tolist() == [
        "u004",
        "positive",
        "negative",
    ]
    for name, rows in (("old", old), ("new", new)):
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    words = [str(tmp_path / "new.csv"), "--against", str(tmp_path / "old.csv")]
    assert command.main([*words, "--out", str(tmp_path / "out")]) == 1
    page = (tmp_path / "out/against.md").read_text(encoding="utf-8")
    first = "* keyboard, u004, positive, now negative (right: positive): enk"
    assert page.index(first) < page.index("| typing | keyboard |") < page.index("| typing | ocr |")
    assert "| breaks | 56 | 56 | 0 |" in page
    assert len(pd.read_csv(tmp_path / "out/flips.csv")) == 59
    assert command.main(words) == 1 and first in capsys.readouterr().out


def test_more_errors_than_a_baseline_count_where_no_probability_moves_too():
    rule = {"must": "no worse than old", "margin": 0.1}
    new, old = frame(ocr=60).assign(moved=False), frame(ocr=2)
    judged = gate.judge(new, Policy("own", rule), {"old": old}.get)
    assert judged.set_index("test").loc["ocr", "outcome"] == "failed"


def test_frames_that_say_failures_need_no_labels():
    rows = frame(ocr=2).assign(type="MFT")[["id", "test", "type", "failure", "perturbed_label"]]
    judged = gate.judge(gate.prepared(rows), Policy("own", tests={"ocr": {"margin": 0.1}}))
    assert judged[["n", "outcome"]].values.tolist() == [[200, "passed"]]


def test_a_column_changed_that_is_empty_says_nothing():
    rows = answers("ocr", wrong=2, instrument=0.0)
    every = rows, rows.assign(changed=None), rows.assign(changed=[True] + [None] * 199)
    said = [gate.judge(gate.prepared(one), Policy("own")) for one in every]
    pd.testing.assert_frame_equal(said[0], said[1])
    pd.testing.assert_frame_equal(said[0], said[2])


def test_written_cases_are_compared_that_do_not_say_whether_they_changed():
    new, old = (frame(ocr=2).assign(type="MFT").drop(columns="changed") for _ in "ab")
    assert frames.paired(new, old)["changed"].all()


def test_written_cases_that_have_no_label_of_their_own_are_told_without_one():
    old, new = (frame(ocr=wrong).drop(columns="perturbed_label") for wrong in (0, 1))
    page = against.page(gate.judge(new, Policy("own")), against.flips(new, old), "new", "old")
    assert "* ocr, u000, passed before (right: positive): enk" in page and "nan" not in page


# --- formats, each read by its own reader or schema ---


@pytest.fixture
def written(tmp_path):
    """A folder with all formats of a gate in which tests passed, failed, were left open and could
    not judge.
    """
    rows = frame(ocr=2, keyboard=60, typos=18, emoji=60)
    rows.loc[rows["test"] == "emoji", "instrument"] = 0.5
    judged = gate.judge(rows, gate.read("default"))
    formats.write(tmp_path, judged, gate.read("default"), "saya/<model>", "ulasan & lain")
    return tmp_path, judged


def test_junit_has_a_case_per_test_for_its_reader(written):
    folder, judged = written
    suites = list(junitparser.JUnitXml.fromfile(str(folder / "junit.xml")))
    assert [suite.name for suite in suites] == ["typing", "small additions"]
    cases = [case for suite in suites for case in suite]
    results = {
        case.name.split(":")[0]: [type(one).__name__ for one in case.result] for case in cases
    }
    assert results == {
        "ocr": [],
        "keyboard": ["Failure"],
        "typos": ["Error"],
        "emoji": ["Skipped"],
    }
    assert [(s.tests, s.failures, s.errors, s.skipped) for s in suites] == [
        (3, 1, 1, 0),
        (1, 0, 0, 1),
    ]
    assert "stands" in cases[0].system_out and "would decide" in cases[2].result[0].message
    lenient = formats.junit(judged, gate.read("lenient"), "m")
    assert "<error" not in lenient and lenient.count("<skipped") == 2


def test_sarif_has_a_result_per_test_for_its_model(written):
    content = json.loads((written[0] / "gate.sarif").read_text(encoding="utf-8"))
    log = sarif_pydantic.Sarif.model_validate(content)
    results = log.runs[0].results
    kinds = [(one["kind"], one["level"]) for one in content["runs"][0]["results"]]
    assert kinds == [
        ("pass", "none"),
        ("fail", "error"),
        ("open", "none"),
        ("notApplicable", "none"),
    ]
    rules = [rule.id for rule in log.runs[0].tool.driver.rules]
    assert all(rules[one.rule_index] == one.rule_id for one in results)
    uris = [one.locations[0].physical_location.artifact_location.uri for one in results]
    assert set(uris) == {"saya---model-"}


def test_cyclonedx_is_valid_by_its_schema(written):
    text = (written[0] / "bom.cdx.json").read_text(encoding="utf-8")
    checker = JsonStrictValidator(SchemaVersion.V1_6)
    assert checker.validate_str(text) is None
    assert checker.validate_str(text.replace('"slice"', '"slices"')) is not None
    (component,) = json.loads(text)["components"]
    metrics = component["modelCard"]["quantitativeAnalysis"]["performanceMetrics"]
    assert [one["slice"] for one in metrics][1] == "typing/keyboard"
    interval = metrics[1]["confidenceInterval"]
    assert float(interval["lowerBound"]) < float(metrics[1]["value"]) == 0.3
    assert float(interval["upperBound"]) > 0.3


def test_the_hub_reads_the_model_card(written):
    card = huggingface_hub.ModelCard.load(written[0] / "model_card.md")
    results = card.data.eval_results
    assert [one.metric_name for one in results][1] == "typing: keyboard: errors added"
    assert results[1].metric_value == 0.3 and results[1].dataset_name == "ulasan & lain"
    assert results[1].metric_args["verdict"] == "breaks"
    assert card.data.model_name == "saya/<model>"
    assert "| typing | keyboard | stand | errors added | +30.0 (" in card.text


def test_the_badge_is_what_shields_takes(written):
    badge = json.loads((written[0] / "badge.json").read_text(encoding="utf-8"))
    assert set(badge) == {"schemaVersion", "label", "message", "color"}
    assert badge["schemaVersion"] == 1 and badge["color"] == "red"
    assert badge["message"] == "1 of 3 passed (default)"


def test_the_table_of_the_gate_is_a_csv(written):
    table = pd.read_csv(written[0] / "gate.csv")
    assert table["outcome"].tolist() == ["passed", "failed", "undecided", "skipped"]


# --- one line in a test of one's own, and the pipelines that run it ---


def classify(texts: list[str]) -> list[str]:
    return ["negative" if "tidak" in text.lower().split() else "positive" for text in texts]


def test_one_line_passes_breaks_or_refuses():
    frame = data.load("embedded", "test")
    frame = frame[frame["label"] != "neutral"]
    right = frame.assign(label=classify(frame["text"]))
    with pytest.raises(AssertionError, match="negation: errors added .*: breaks"):
        testing.stands(classify, "negation", margin=0.1, data_set=right)
    judged = testing.stands(lambda texts: classify(map(spelt_out, texts)), "negation")
    assert judged["outcome"].tolist() == ["passed"]
    with pytest.raises(InputError, match="did you mean 'typing'"):
        testing.stands(classify, "typin")


def test_texts_may_lack_ids_have_numbers_as_labels_or_lie_in_a_file(tmp_path):
    texts = data.load("embedded", "test").head(60)[["text"]]
    numbered = texts.assign(label=[0, 1] * 30)
    judged = testing.stands(lambda said: [0] * len(said), "ocr", data_set=numbered)
    assert judged["n"].tolist() == [60]
    for labels, answer in (([0.0, 1.0], 0), ([False, True], False)):  # as pandas may read them
        read = texts.assign(label=labels * 30)
        again = testing.stands(lambda said, one=answer: [one] * len(said), "ocr", data_set=read)
        pd.testing.assert_frame_equal(again, judged)
    texts.assign(label=classify(texts["text"])).to_csv(tmp_path / "x.csv", index=False)
    said = testing.stands(classify, "ocr", data_set=tmp_path / "x.csv")
    assert said["n"].tolist() == [60]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ({"text": ["enak"]}, "no column label, and are a frame text, label"),
        ({"text": [], "label": []}, "the texts are none"),
        ({"text": ["enak", "ya"], "label": ["positive", None]}, "no label in row 1"),
        ({"text": [None], "label": ["positive"]}, "no text in row 0"),
        ({"text": ["enak"], "label": ["positive"], "id": [None]}, "no id in row 0"),
        ({"text": ["enak"], "label": [float("inf")]}, "which is none of inf"),
    ],
)
def test_texts_that_cannot_be_tested_are_refused(texts, message):
    with pytest.raises(InputError, match=message):
        testing.stands(classify, "ocr", data_set=pd.DataFrame(texts))


def test_labels_of_a_function_go_by_their_usual_names():
    named = {"negative": "NEGATIF", "positive": "positif"}
    texts = data.load("embedded", "test").head(60)
    rows = [
        testing.asked(answering, testing.instruments("ocr"), texts)
        for answering in (classify, lambda texts: [named[label] for label in classify(texts)])
    ]
    pd.testing.assert_frame_equal(*rows)


def spelt_out(text: str) -> str:
    return text.replace("nggak", "tidak").replace("Nggak", "tidak")


def test_a_model_that_draws_is_asked_so_often_as_is_said():
    calls = []

    def drawing(texts):
        calls.append(len(texts))
        return classify(texts)

    texts = data.load("embedded", "test")
    rows = testing.asked(drawing, testing.instruments("ocr"), texts)
    assert len(rows) == 300 and len(calls) == 1
    testing.stands(drawing, "ocr", must="not break", repeats=3)
    assert len(calls) == 4


def test_outcomes_without_right_labels_are_judged_by_flips():
    rows = pd.DataFrame({"id": np.arange(100), "test": "ocr", "clean_label": "a"}).astype(str)
    rows = gate.prepared(rows.assign(perturbed_label=["b"] * 40 + ["a"] * 60, instrument=0.0))
    judged = gate.judge(rows, gate.read("default"))
    assert judged[["quantity", "outcome"]].values.tolist() == [["flips", "failed"]]


EXAMPLES = ROOT / "docs/examples/gate"
SCHEMAS = {"github.yml": "github-workflows", "gitlab.yml": "gitlab-ci"}


def commands(name: str) -> dict[str, list[str]]:
    """The shell lines of every job of a pipeline's example."""
    content = yaml.safe_load((EXAMPLES / name).read_text(encoding="utf-8"))
    if "jobs" in content:
        jobs = content["jobs"].items()
        return {job: [s["run"] for s in one["steps"] if "run" in s] for job, one in jobs}
    return {job: one["script"] for job, one in content.items() if "script" in one}


@pytest.mark.parametrize("name", SCHEMAS)
def test_pipelines_are_valid_and_what_they_call_is_there(name):
    folder = resources.files("check_jsonschema.builtin_schemas") / "vendor"
    schema = json.loads((folder / f"{SCHEMAS[name]}.json").read_text(encoding="utf-8"))
    text = (EXAMPLES / name).read_text(encoding="utf-8").replace("\non:", "\n'on':")
    validator = jsonschema.validators.validator_for(schema)(schema)
    assert not list(validator.iter_errors(yaml.safe_load(text)))
    (line,) = commands(name)["gate"]
    script, action, *words = line.split()
    given, rest = audit.parser().parse_known_args(words)
    assert (script, action, rest) == ("tahan-uji/run_all.sh", "audit", [])
    assert (EXAMPLES / given.gate).is_file() and (ROOT / "run_all.sh").is_file()
    classifier = classifiers.name(given.model, given.name)
    assert f"outputs/audit-{classifier}/gate" in text


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_lines_of_a_pipeline_run_as_they_are(name, tmp_path):
    for path in EXAMPLES.iterdir():
        if path.is_file():
            shutil.copy(path, tmp_path)
    (tmp_path / "tahan-uji").symlink_to(ROOT)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pip").write_text("#!/bin/sh\n", encoding="utf-8")  # all is installed here
    (tmp_path / "bin/pip").chmod(0o755)
    env = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    script = "\n".join(["set -e", *commands(name)["lines"]])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    suites = junitparser.JUnitXml.fromfile(str(tmp_path / "lines.xml"))
    assert suites.tests == 2 and suites.failures == 0
