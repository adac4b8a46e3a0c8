"""The gate: policies, what they say of outcomes, exit statuses, formats, and a regression."""

import pandas as pd
import pytest

from tahanuji import gate, measure
from tahanuji.errors import InputError
from tahanuji.gate import __main__ as command
from tahanuji.gate import against, frames
from tahanuji.gate.policy import FOLDER, Policy

LABELS = ["positive", "negative"]


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
