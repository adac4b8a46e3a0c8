"""What the report makes of runs that are missing, stale, cut off or do not fit: one sentence each,
and not one number from them.
"""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
import reports
import yaml

from helpers import tables
from study import profiles, publish
from study.__main__ import main as study
from study.report import __main__ as command
from study.report import decisions, headline, runs, thesis, verify, views
from tahanuji import data, paths
from tahanuji.errors import InputError
from tahanuji.results import Results

TYPOS, PLAIN = "05_typos", "02_conventional_metrics"
BROKEN, WHOLE = f"mini/{TYPOS}/default", f"tfidf/{TYPOS}/default"

DAMAGED = r".*provenance\.json is damaged \(no JSON\); remove it, and run its notebook again\."


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("TAHAN_DATA_CACHE", str(tmp_path / "nothing"))
    monkeypatch.delenv("TAHAN_DATA_MIRROR", raising=False)
    return tmp_path / "outputs"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Outputs with a run of `tfidf` and one of `mini`, which every test copies."""
    folder = tmp_path_factory.mktemp("made")
    tests = {"typos 0.1": "ppnp", "typos 0.3": "npnp"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHAN_OUTPUTS", str(folder))
        for model in ("tfidf", "mini"):
            reports.write(model, TYPOS, reports.perturbed("ppnn", "ppnn", tests))
    return folder


@pytest.fixture
def two(outputs, made) -> Path:
    """The folder of `mini`, which a test breaks; `tfidf` stays whole."""
    shutil.copytree(made, outputs)
    return outputs / reports.PROFILE / BROKEN


def collected() -> Results:
    return runs.collect(reports.PROFILE)


def lacking(found: Results) -> dict[str, tuple[str, str]]:
    """State and reason by run."""
    return {row.run: (row.state, row.why) for row in found.lacking.itertuples()}


def left_out(state: str, why: str) -> None:
    """Assert that `mini` is left out with this state and sentence, and that no table holds a number
    of it.
    """
    found = collected()
    assert list(lacking(found)) == [BROKEN]
    said = lacking(found)[BROKEN]
    assert said[0] == state
    assert re.fullmatch(why, said[1]), said[1]
    assert [run.name for run in found.runs] == [WHOLE]
    assert found.models == ["tfidf"]
    for table in (found.metrics, headline.numbers(found), decisions.against_clean(found)):
        assert set(table["model"]) == {"tfidf"}
    between, refused = reports.compared(found)
    assert between.empty
    assert refused == []


# Unfinished


def test_a_run_without_provenance_is_unfinished(two):
    (two / "provenance.json").unlink()
    left_out("unfinished", "interrupted, or still running; run it again.")


def test_a_run_that_failed_says_why_in_its_own_words(two):
    (two / "provenance.json").unlink()
    (two / "error.txt").write_text(
        "unknown model 'minni'; did you mean 'mini'?\n", encoding="utf-8"
    )
    left_out("unfinished", r"unknown model 'minni'; did you mean 'mini'\?")


def test_an_empty_error_says_as_much_as_none(two):
    (two / "provenance.json").unlink()
    (two / "error.txt").write_text("\n", encoding="utf-8")
    left_out("unfinished", "interrupted, or still running; run it again.")


def test_a_folder_that_a_run_has_just_made_is_unfinished(two):
    for path in sorted(two.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    left_out("unfinished", "interrupted, or still running; run it again.")


def test_a_half_written_provenance_does_not_count(two):
    (two / "provenance.json").rename(two / "provenance.json.part")
    left_out("unfinished", "interrupted, or still running; run it again.")


def test_an_old_error_beside_a_finished_run_is_history(two):
    (two / "error.txt").write_text("no network\n", encoding="utf-8")
    assert collected().lacking.empty


# Unreadable


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", DAMAGED),
        ('{"notebook": "05_ty', DAMAGED),
        ("null", r"provenance\.json cannot be read \(TypeError: .*\); run it again\."),
        (
            "[]",
            r"provenance\.json does not say notebook, parameters, data, command; run it "
            r"again\.",
        ),
        (
            "{}",
            r"provenance\.json does not say notebook, parameters, data, command; run it "
            r"again\.",
        ),
    ],
)
def test_a_provenance_that_is_cut_off_or_empty(two, text, why):
    (two / "provenance.json").write_text(text, encoding="utf-8")
    left_out("unreadable", why)


def test_a_provenance_of_other_bytes(two):
    (two / "provenance.json").write_bytes(b'{"notebook": "\xff\xfe"}')
    left_out("unreadable", DAMAGED)


@pytest.mark.parametrize("key", ["notebook", "parameters", "data", "command"])
def test_a_provenance_without_a_key(two, key):
    reports.change(two, **{key: None})
    left_out("unreadable", rf"provenance\.json does not say {key}; run it again\.")


def test_a_run_by_hand_is_used_and_said_to_have_recorded_nothing(two):
    reports.change(two, read=None)
    found = collected()
    assert {run.name for run in found.runs} == {BROKEN, WHOLE}
    state, why = lacking(found)[BROKEN]
    assert state == "stale" and why.startswith("it was run by hand, which records nothing of ")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"parameters": {"seed": 1}}, "model_name"),
        ({"parameters": {"model_name": "mini"}}, "seed"),
        ({"parameters": []}, "model_name, seed"),
        ({"data": [{"name": "made-up", "split": "test"}]}, "sha256"),
        ({"data": [{"sha256": "0" * 64}]}, "name"),
    ],
)
def test_a_provenance_without_what_the_report_tells_runs_apart_by(two, changes, what):
    reports.change(two, **changes)
    left_out("unreadable", rf"provenance\.json does not say {what}; run it again\.")


def test_metrics_that_are_not_there_empty_or_without_a_column(two):
    path = two / "metrics.csv"
    text = path.read_text(encoding="utf-8")
    path.unlink()
    left_out(
        "unreadable",
        r"\S+/mini/05_typos/default/metrics\.csv is not there; run its notebook first\.",
    )
    path.write_text("", encoding="utf-8")
    left_out("unreadable", r"\S+/metrics\.csv is empty; run its notebook again\.")
    path.write_text(text.replace("ci_low", "low", 1), encoding="utf-8")
    left_out("unreadable", r"\S+/metrics\.csv has no column ci_low; run its notebook again\.")


def test_metrics_that_are_no_table(two):
    path = two / "metrics.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:3], lines[3] + ",1,2", *lines[4:]]), encoding="utf-8")
    left_out(
        "unreadable", r"\S+/metrics\.csv cannot be read \(.*line 4.*\); run its notebook again\."
    )
    path.write_bytes(b"\xff\xfe" + "\n".join(lines).encode("utf-16-le"))
    left_out("unreadable", r"\S+/metrics\.csv cannot be read \(.*\); run its notebook again\.")


@pytest.mark.parametrize("column", ["value", "ci_low", "ci_high", "n"])
def test_metrics_that_hold_words_for_numbers(two, column):
    metrics = pd.read_csv(two / "metrics.csv").astype({column: object})
    metrics.loc[2, column] = "many"
    metrics.to_csv(two / "metrics.csv", index=False)
    left_out(
        "unreadable",
        r"\S+/metrics\.csv holds words where numbers should be, or no number of rows; run its "
        r"notebook again\.",
    )


def test_metrics_that_break_off_in_a_row(two):
    text = (two / "metrics.csv").read_text(encoding="utf-8")
    (two / "metrics.csv").write_text(text[: text.index("typos,0.3,all") + 16], encoding="utf-8")
    left_out(
        "unreadable",
        r"\S+/metrics\.csv holds words where numbers should be, or no number of rows; run its "
        r"notebook again\.",
    )


def test_a_sentence_shows_a_path_as_readers_know_it(two, monkeypatch, outputs):
    (two / "metrics.csv").unlink()
    monkeypatch.chdir(outputs.parent)
    assert lacking(collected())[BROKEN][1].startswith(
        f"outputs/{reports.PROFILE}/{BROKEN}/metrics.csv is not there"
    )


def test_a_copy_of_a_run_does_not_count_a_second_time(two, outputs):
    """Two folders that say the same model would stand in one cell of every table."""
    copied = reports.copy(two, "mini (copy)")
    reports.change(
        copied,
        parameters=json.loads((two / "provenance.json").read_text(encoding="utf-8"))["parameters"],
    )
    found = collected()
    assert len(found.runs) == 2
    (name, (state, why)) = next(iter(lacking(found).items()))
    assert {name, re.search(r"as (\S+) does", why).group(1)} == {
        BROKEN,
        f"mini-copy-/{TYPOS}/default",
    }
    assert state == "unreadable"
    assert why.startswith("says that its model is mini, as ")
    assert why.endswith("; one of the two counts: move this one away.")
    assert len(found.compare()) == 2
    assert not views.overview(found, TYPOS).empty


# Missing and stale


def test_runs_that_a_profile_asks_for_and_that_are_not_there_are_missing(outputs):
    config = yaml.safe_load((paths.CONFIG / "embedded.yaml").read_text(encoding="utf-8"))
    planned = {"/".join(run) for run in profiles.planned(config)}
    assert {
        name: state for name, (state, _) in lacking(runs.collect("embedded")).items()
    } == dict.fromkeys(planned, "missing")
    reports.write(
        "tfidf", TYPOS, reports.perturbed("pn", "pn", {"typos 0.3": "pn"}), profile="embedded"
    )
    (outputs / f"embedded/{BROKEN}").mkdir(parents=True)
    states = {name: state for name, (state, _) in lacking(runs.collect("embedded")).items()}
    assert states == dict.fromkeys(planned - {WHOLE}, "missing") | {BROKEN: "unfinished"}
    assert (
        lacking(runs.collect("embedded"))[f"mini/{PLAIN}/default"][1]
        == "not run yet: ./run_all.sh embedded"
    )


def test_models_of_the_hub_are_planned_by_their_folders_names(tmp_path, monkeypatch):
    (tmp_path / "models.yaml").write_text("tfidf: {kind: tfidf}\n", encoding="utf-8")
    config = {
        "profile": "small",
        "models": ["owner/name", "tfidf"],
        "runs": {TYPOS: {"default": {}, "more": {"seed": 2}}},
    }
    (tmp_path / "small.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
    monkeypatch.setattr(paths, "CONFIG", tmp_path)
    assert runs.plan("small") == [
        f"{model}/{TYPOS}/{variant}"
        for model in ("owner--name", "tfidf")
        for variant in ("default", "more")
    ]
    (tmp_path / "part.yaml").write_text(
        yaml.safe_dump(config | {"profile": "part", "only": {"owner/name": [f"{TYPOS}/m*"]}}),
        encoding="utf-8",
    )
    assert runs.plan("part") == [
        f"owner--name/{TYPOS}/more",
        f"tfidf/{TYPOS}/default",
        f"tfidf/{TYPOS}/more",
    ]
    with pytest.raises(InputError, match=f"no run matches: owner/name: {TYPOS}/mroe"):
        profiles.planned(config | {"only": {"owner/name": [f"{TYPOS}/mroe"], "left out": ["*"]}})
    reports.write(
        "owner/name", TYPOS, reports.perturbed("pn", "pn", {"typos 0.3": "pn"}), profile="small"
    )
    assert list(lacking(runs.collect("small"))) == [
        f"owner--name/{TYPOS}/more",
        f"tfidf/{TYPOS}/default",
        f"tfidf/{TYPOS}/more",
    ]


def test_a_run_of_other_code_is_stale_and_still_shown(two):
    reports.change(two, read={"notebooks/05_typos.ipynb": "0"})
    found = collected()
    about = json.loads((two / "provenance.json").read_text(encoding="utf-8"))
    assert lacking(found) == {
        BROKEN: (
            "stale",
            "something that it read has changed since (notebooks/05_typos.ipynb); to renew it: "
            f"{about['command']}",
        )
    }
    assert found.models == ["tfidf", "mini"]
    assert len(found.compare()) == 2


def test_a_stale_run_of_a_profile_is_renewed_by_the_main_command():
    folder = reports.write(
        "tfidf", TYPOS, reports.perturbed("pn", "pn", {"typos 0.3": "pn"}), profile="embedded"
    )
    reports.change(folder, read={"notebooks/05_typos.ipynb": "0"})
    assert lacking(runs.collect("embedded"))[WHOLE] == (
        "stale",
        "something that it read has changed since (notebooks/05_typos.ipynb); to renew it: "
        "./run_all.sh embedded",
    )


def test_stale_runs_are_counted_and_missing_ones_named():
    rows = [("a/05_typos/x", "stale", "code"), ("b/05_typos/x", "stale", "code")]
    rows += [("c/05_typos/x", "missing", "not run"), ("d/05_typos/x", "missing", "not run")]
    shown = runs.reasons(pd.DataFrame(rows, columns=["run", "state", "why"]))
    assert shown["run"].to_list() == ["a/05_typos/x and 1 more", "c/05_typos/x", "d/05_typos/x"]
    assert shown["state"].to_list() == ["stale", "missing", "missing"]


def test_a_run_of_a_notebook_that_is_not_here_cannot_be_stale(two):
    reports.change(two, notebook="99_other", read={"notebooks/05_typos.ipynb": "0"})
    found = collected()
    assert found.lacking.empty
    assert found.notebooks == [TYPOS, "99_other"]
    assert runs.question("99_other") == "99_other"


@pytest.mark.parametrize("profile", ["embeded", "models", "expected", "no/such"])
def test_an_unknown_profile_is_refused_with_those_there_are(profile):
    with pytest.raises(InputError) as caught:
        runs.collect(profile)
    text = str(caught.value)
    assert text.startswith(f"unknown profile {profile!r}")
    there = sorted(path.stem for path in paths.CONFIG.glob("*.yaml") if path.stem != "models")
    assert f"Allowed: {', '.join(there)}. The name of a folder of runs in " in text
    assert ("did you mean 'embedded'?" in text) == (profile == "embeded")


def test_a_folder_of_runs_is_a_profile_without_a_plan(two, outputs):
    assert runs.plan(reports.PROFILE) == []
    assert collected().lacking.empty
    (outputs / "only_a_folder").mkdir()
    assert runs.collect("only_a_folder").runs == []


def test_what_else_lies_in_a_profile_is_no_run(two, outputs):
    report = outputs / reports.PROFILE / "report"
    (report / "tables").mkdir(parents=True)
    (report / "pages").mkdir()
    for name in ("executed.ipynb", "tables/headline.csv", "pages/one.html", "index.html"):
        (report / name).touch()
    (outputs / reports.PROFILE / "note.txt").touch()
    (outputs / reports.PROFILE / f"tfidf/{TYPOS}/.DS_Store").touch()
    found = collected()
    assert found.lacking.empty
    assert len(found.runs) == 2


# Comparisons that are refused


def third(name: str = "made-up", gold: str = "ppnn") -> Path:
    """A third model's run, on data of another name or of another number of rows."""
    tests = {"typos 0.1": gold, "typos 0.3": gold[::-1]}
    return reports.write("zz/last", TYPOS, reports.perturbed(gold, gold, tests, name))


def only_pair(between: pd.DataFrame) -> bool:
    return (
        set(zip(between["first"], between["second"], strict=True)) == {("tfidf", "mini")}
        and len(between) == 2
    )


def test_runs_on_different_data_are_refused_by_name_and_the_others_compared(two):
    third("other")
    between, refused = reports.compared(collected())
    assert only_pair(between)
    made_up, other = (
        reports.sentences(["positive"], name).attrs["source"]["sha256"][:12]
        for name in ("made-up", "other")
    )
    assert refused == [
        f"{WHOLE} and zz--last/{TYPOS}/default cannot be compared: they read different data "
        f"(made-up test sha256 {made_up}; other test sha256 {other}). Run both again on the same "
        f"files."
    ]


def test_another_version_of_the_same_data_is_different_data(two):
    reports.change(third(), data=[{"name": "made-up", "split": "test", "sha256": "9" * 64}])
    between, refused = reports.compared(collected())
    assert only_pair(between)
    assert re.search(r"made-up test sha256 \w{12}; made-up test sha256 9{12}\)", refused[0])


def test_a_split_that_only_one_run_read_is_different_data(two):
    reports.change(two, data=[])
    between, refused = reports.compared(collected())
    assert between.empty
    assert len(refused) == 1
    assert refused[0].startswith(
        f"{WHOLE} and {BROKEN} cannot be compared: they read different data (made-up test sha256 "
    )
    assert "; none named). " in refused[0]


def test_the_first_run_may_be_the_odd_one(two):
    """Whichever reads other data, the two that agree are compared."""
    reports.change(
        two.parents[2] / WHOLE, data=[{"name": "made-up", "split": "test", "sha256": "9" * 64}]
    )
    third()
    between, refused = reports.compared(collected())
    assert set(zip(between["first"], between["second"], strict=True)) == {("mini", "zz/last")}
    assert [sentence.split(" cannot be compared")[0] for sentence in refused] == [
        f"{WHOLE} and {BROKEN}",
        f"{WHOLE} and zz--last/{TYPOS}/default",
    ]


def test_two_and_two_on_different_data_make_two_pairs(two):
    third("other")
    reports.copy(two.parents[2] / f"zz--last/{TYPOS}/default", "zz/more")
    between, refused = reports.compared(collected())
    assert set(zip(between["first"], between["second"], strict=True)) == {
        ("tfidf", "mini"),
        ("zz/last", "zz/more"),
    }
    assert [sentence.split(" cannot be compared")[0] for sentence in refused] == [
        f"{WHOLE} and zz--{name}/{TYPOS}/default" for name in ("last", "more")
    ]


def test_predictions_of_different_rows_are_refused_by_name(two):
    folder = third(gold="ppnnpp")
    reports.change(
        folder, data=json.loads((two / "provenance.json").read_text(encoding="utf-8"))["data"]
    )
    between, refused = reports.compared(collected())
    assert only_pair(between)
    assert refused == [
        f"{WHOLE} and zz--last/{TYPOS}/default are predictions of different rows, ids in "
        f"zz--last/{TYPOS}/default only: 2 (u5, u6); "
        "predict both on the same split."
    ]


def test_one_test_on_other_rows_leaves_the_other_tests_compared(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    rows[(rows["rate"] != 0.3) | (rows["id"] != "u2")].to_csv(path, index=False)
    between, refused = reports.compared(collected())
    assert list(between["test"]) == ["typos 0.1"]
    assert len(refused) == 1
    assert "ids in tfidf/05_typos/default only: 1 (u2)" in refused[0]


def test_the_same_ids_of_other_texts_or_gold_labels_are_refused(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    rows.assign(clean_sha256="0").to_csv(path, index=False)
    assert (
        "differ in clean_sha256 of 4 of 4 ids (u1, u2, u3, ...)"
        in reports.compared(collected())[1][0]
    )
    rows.assign(gold="neutral").to_csv(path, index=False)
    assert "differ in gold of 4 of 4 ids" in reports.compared(collected())[1][0]


def broken_predictions(folder: Path, why: str) -> None:
    """Assert that a run whose predictions.csv is broken is refused once, by a sentence that names
    the file, and all else compared.
    """
    third()
    between, refused = reports.compared(collected())
    assert set(zip(between["first"], between["second"], strict=True)) == {("tfidf", "zz/last")}
    assert len(between) == 2
    assert len(refused) == 1
    assert re.fullmatch(rf"\S+/{BROKEN}/predictions\.csv{why}", refused[0]), refused[0]
    assert folder.is_dir()


def test_probabilities_that_are_missing_or_none_are_refused_with_the_file(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    rows.loc[1, "perturbed_neutral"] = None
    rows.to_csv(path, index=False)
    broken_predictions(
        two,
        r", columns perturbed_\.\.\.: NaN in 1 of 8 rows \(id u2\); predict again, with a softmax "
        r"over the labels\.",
    )


def test_ids_that_stand_twice_are_refused_with_the_file(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    pd.concat([rows, rows.iloc[:1]]).to_csv(path, index=False)
    broken_predictions(
        two,
        r": 1 of the ids stand more than once in one test \(u1\) and would count again; run the "
        r"notebook again\.",
    )


def test_predictions_that_are_not_there_are_refused_with_the_file(two):
    (two / "predictions.csv").unlink()
    broken_predictions(two, r" is not there; run its notebook first\.")


def test_predictions_of_other_bytes_are_refused_with_the_file(two):
    (two / "predictions.csv").write_bytes(b"id,gold,test\n\xff\xfe,1,2\n")
    broken_predictions(two, r" cannot be read \(.*\); run its notebook again\.")


def test_predictions_without_a_column_are_refused_with_the_file(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    rows.drop(columns="gold").to_csv(path, index=False)
    broken_predictions(two, r" has no column gold; run its notebook again\.")


@pytest.mark.parametrize("wrong", [None, "perhaps", 2])
def test_a_failure_that_is_neither_yes_nor_no_is_refused_with_the_file(two, wrong):
    path = two / "predictions.csv"
    rows = pd.read_csv(path).astype({"failure": object})
    rows.loc[3, "failure"] = wrong
    rows.to_csv(path, index=False)
    broken_predictions(
        two, r" does not name the test of every row and whether it failed; run its notebook again\."
    )


def test_rows_without_their_test_are_refused_with_the_file(two):
    path = two / "predictions.csv"
    rows = pd.read_csv(path)
    rows.drop(columns="test").drop_duplicates("id").to_csv(path, index=False)
    broken_predictions(
        two, r" does not name the test of every row and whether it failed; run its notebook again\."
    )


def test_a_notebook_that_predicts_no_labels_is_not_compared(two):
    rows = pd.read_csv(two / "predictions.csv")
    for model in ("tfidf", "mini"):
        rows[["id", "gold"]].drop_duplicates().to_csv(
            two.parents[2] / model / TYPOS / "default/predictions.csv", index=False
        )
    assert [len(part) for part in reports.compared(collected())] == [0, 0]


def test_a_test_that_applied_to_no_text_leaves_empty_files_and_no_comparison(two):
    """A data set without the words that a perturbation changes: finished, and nothing to say."""
    for name in ("predictions.csv", "metrics.csv", "misclassified.csv"):
        header = (two / name).read_text(encoding="utf-8").splitlines()[0]
        (two / name).write_text(header + "\n", encoding="utf-8")
    found = collected()
    assert found.lacking.empty
    assert found.models == ["tfidf", "mini"]
    assert [len(part) for part in reports.compared(found)] == [0, 0]
    assert set(decisions.against_clean(found)["model"]) == {"tfidf"}
    assert list(views.overview(found, TYPOS).columns) == ["tfidf"]
    assert len(headline.numbers(found)) == 2
    assert set(thesis.table_4_2(found)["source"]) == {"published", "rerun"}


def test_numbers_for_names_are_names(two):
    """Tests called 1 and 2, and a variant called 2, are read from csv files as numbers."""
    for model in ("tfidf", "mini"):
        reports.write(
            model, TYPOS, reports.perturbed("ppnn", "ppnn", {"1": "ppnp", "2": "npnp"}), "2"
        )
    found = collected()
    assert set(decisions.against_clean(found).query("variant == '2'")["test"]) == {"1", "2"}
    assert len(found.compare()) == 4
    assert ("default", "typos 0.3") in views.overview(found, TYPOS).index


# The command line


def test_the_command_refuses_in_one_sentence(capsys, monkeypatch, tmp_path):
    for words in (["nothing"], ["--page", "nothing"], ["models"]):
        assert command.main(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith(f"report: unknown profile '{words[-1]}'")
        assert err.count("\n") == 1
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    (tmp_path / "README.md").write_text("<!-- answer embedded -->\n", encoding="utf-8")
    assert command.main(["--readme"]) == 2
    assert "<!-- end -->" in capsys.readouterr().err
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "<!-- answer embedded -->\n"


def test_verdicts_without_any_fresh_run_are_all_fails(monkeypatch, tmp_path):
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    reports.write(
        "tfidf", TYPOS, reports.perturbed("pn", "pn", {"typos 0.3": "pn"}), profile="embedded"
    )
    publish.publish("embedded")
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "fresh"))
    assert set(verify.verdicts("embedded")["verdict"]) == {"FAIL"}
    assert command.main(["--compare", "embedded"]) == 1


def test_nothing_is_published_where_nothing_has_finished(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    assert study(["publish", "embedded"]) == 2
    assert "has no finished run" in capsys.readouterr().err
    assert not publish.REFERENCE.exists()


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"dirty": True, "read": {}}, "was made with files of no known commit"),
        ({"dirty": None, "read": {}}, "was made with files of no known commit"),
        ({"dirty": False, "read": {"README.md": "0"}}, "has changed since: README.md"),
    ],
)
def test_runs_that_no_commit_repeats_are_not_published(monkeypatch, tmp_path, capsys, about, said):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    run = tmp_path / "embedded" / "tfidf" / "05_typos" / "default"
    run.mkdir(parents=True)
    (run / "provenance.json").write_text(json.dumps(about), encoding="utf-8")
    assert study(["publish", "embedded"]) == 2
    refusal = capsys.readouterr().err
    assert "1 of the runs of embedded cannot be repeated" in refusal and said in refusal
    assert "tfidf/05_typos/default" in refusal and not publish.REFERENCE.exists()
    published = publish.REFERENCE / "embedded" / "tfidf" / "05_typos"
    published.mkdir(parents=True)
    (published / "provenance.json").write_text(json.dumps({"default": about}), encoding="utf-8")
    assert publish.unrepeatable("embedded") == []  # what is published may be published again


def test_half_a_profile_is_published_only_if_asked_for(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    predictions = reports.perturbed("pn", "pn", {"typos 0.3": "pn"})
    reports.write("tfidf", TYPOS, predictions, profile="embedded")
    monkeypatch.setattr(publish, "unrepeatable", lambda profile: [])
    assert study(["publish", "embedded"]) == 2
    assert "tfidf/01_finetune/default" in capsys.readouterr().err
    assert not publish.REFERENCE.exists()
    assert study(["publish", "embedded", "--unfinished"]) == 0
    assert len(publish.reference("embedded").runs) == 1


def test_labels_of_other_data_are_those_of_the_runs_own_classifier(two):
    """Probabilities are checked for the labels that a run names, so its columns may be others than
    the sentiment ones.
    """
    rows = pd.read_csv(two / "predictions.csv").rename(
        columns={f"perturbed_{label}": f"perturbed_{label[:3]}" for label in data.LABELS}
    )
    rows = rows.rename(columns={f"clean_{label}": f"clean_{label[:3]}" for label in data.LABELS})
    tables.write(two / "predictions.csv", rows.assign(clean_pos=2.0))
    reports.change(two, models=[{"labels": [label[:3] for label in data.LABELS]}])
    broken_predictions(two, r", columns clean_\.\.\.: outside 0 to 1 in 8 of 8 rows .*")


def test_two_runs_that_changed_the_texts_by_other_parameters_are_refused():
    rows = reports.perturbed("ppnn", "ppnn", {"typos 0.3": "npnp"})
    reports.write("tfidf", TYPOS, rows, perturbation_rate=0.3)
    reports.write("mini", TYPOS, rows, perturbation_rate=0.5, precision="int8")
    between, refused = reports.compared(runs.collect(reports.PROFILE))
    assert between.empty
    assert len(refused) == 1
    assert "other parameters (perturbation_rate " in refused[0]
    assert "precision" not in refused[0]
    assert f"tfidf/{TYPOS}/default" in refused[0]
    assert f"mini/{TYPOS}/default" in refused[0]


def test_a_label_named_none_is_a_label_and_an_empty_cell_is_missing(tmp_path):
    path = tmp_path / "predictions.csv"
    path.write_text("id,gold,label\nu1,None,NA\nu2,null,\n", encoding="utf-8")
    frame = tables.read(path, ["id", "gold"])
    assert list(frame["gold"]) == ["None", "null"]
    assert frame["label"].isna().tolist() == [False, True]


def test_tags_in_a_text_are_shown_in_a_notebook_and_not_obeyed():
    html = tables.prose(
        pd.DataFrame({"text": ["<b>enak</b> <script>alert(1)</script> & murah"], "p": [0.25]})
    ).to_html()
    assert "&lt;b&gt;enak&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt; &amp; murah" in html
    assert "0.250" in html
