"""All runs as one table: what is selected, estimated, compared and set beside published figures."""

from pathlib import Path

import pandas as pd
import pytest

from tahanuji.errors import InputError
from tahanuji.results import METRICS, Results, Run, estimates, select

TYPOS = "05_typos"


def run(model: str, variant: str = "default", notebook: str = TYPOS, **more) -> Run:
    """A run with a flip rate at two rates, and answers to four texts of which so many are wrong."""
    wrong, trains = more.pop("wrong", 0), more.pop("trains", False)
    given = {"model_name": model, "dataset": "own", "seed": 1} | more
    about = {"notebook": notebook, "parameters": given, "data": [], "command": ""}
    row = {"model": model, "notebook": notebook, "variant": variant, "dataset": given["dataset"]}
    row |= {"test": "typos", "group": "all", "metric": "flip_rate", "title": "typos"}
    rows = [row | {"rate": rate, "value": rate, "n": 4} for rate in (0.1, 0.3)]
    metrics = pd.DataFrame(rows, columns=METRICS).assign(ci_low=0.0, ci_high=0.5, summary=True)
    answers = pd.DataFrame({"id": list("abcd"), "gold": "p", "title": "typos", "summary": True})
    failed = [number < wrong for number in range(4)]
    answers = answers.assign(failure=failed, induced=failed, repaired=False)
    made = Path("made", model, notebook, variant)
    return Run(made, about, metrics, reader=lambda _: answers.copy(), trains=trains)


def test_rows_are_selected_by_one_value_several_or_a_missing_one():
    table = pd.DataFrame({"test": ["a", "b", "c"], "rate": [0.1, 0.3, None]})
    assert select(table, test="b")["rate"].tolist() == [0.3]
    assert select(table, test=["a", "c"])["test"].tolist() == ["a", "c"]
    assert select(table, rate=None)["test"].tolist() == ["c"]
    assert select(table, rate=0.1, test="b").empty and select(table, other=1).empty
    assert len(select(table)) == 3


def test_one_number_is_estimated_and_several_are_refused_with_what_tells_them_apart():
    results = Results("made", [run("tfidf"), run("mini"), run("mini", "more")])
    one = results.estimate(model="mini", rate=0.3)
    assert (one.value, one.low, one.high, one.n) == (0.3, 0.0, 0.5, 4)
    assert not results.estimate(model="other")
    with pytest.raises(InputError, match="2 numbers.*: rate, value"):
        results.estimate(model="mini")
    with pytest.raises(InputError, match="model"):
        results.estimate(rate=0.3)


def test_rows_without_examples_are_no_numbers():
    rows = pd.DataFrame({"value": [0.5, 0.5], "ci_low": 0.1, "ci_high": 0.9, "n": [0, 2]})
    assert [bool(one) for one in estimates(rows)] == [False, True]


def test_models_are_compared_by_what_each_test_changes():
    runs = [run("tfidf", wrong=3), run("mini", wrong=1), run("other")]
    runs += [run("mini", "seed_2", wrong=4, seed=2), run("tfidf", "seed_2", seed=2)]
    runs += [run("tfidf", notebook="01_finetune", trains=True)]
    runs += [run("mini", notebook="01_finetune", trains=True)]
    results = Results("made", runs)
    table = results.compare().set_index(["first", "second"])
    assert table["difference"].to_dict() == {
        ("tfidf", "mini"): 0.5,
        ("tfidf", "other"): 0.75,
        ("mini", "other"): 0.25,
    }
    assert table.loc[("tfidf", "other"), ["n", "first_change", "p"]].tolist() == [4, 0.75, 0.25]
    assert table["p_holm"].max() == 1 and table["p_holm"].min() == 0.75
    assert set(table["variant"]) == {"default"} and set(table["notebook"]) == {TYPOS}
    assert len(results.compare("tfidf", "mini")) == 1
    assert results.compare(notebook="04_negation").empty
    assert results.compare().attrs["refused"] == []


def test_runs_of_other_parameters_or_without_predictions_are_refused_by_name():
    results = Results("made", [run("tfidf"), run("mini", budget=3)])
    (why,) = results.compare().attrs["refused"]
    assert "tfidf/05_typos/default" in why and "budget" in why
    lost = run("mini")
    bare = Run(lost.folder, lost.about, lost.metrics)
    (why,) = Results("made", [run("tfidf"), bare]).compare().attrs["refused"]
    assert "mini/05_typos/default" in why


def test_published_figures_stand_beside_the_numbers_of_the_runs():
    printed = pd.DataFrame({"task": ["typos", "slang"], "value": [0.2, 0.4]})
    results = Results("made", [run("tfidf")])
    left = results.beside(printed, {"task": "test"}, rate=0.3)
    assert left["value_published"].tolist() == [0.2, 0.4]
    assert left["value"].tolist()[0] == 0.3 and pd.isna(left["value"].tolist()[1])
    assert results.beside(printed, {"task": "test"}, "inner", rate=0.3)["task"].tolist() == [
        "typos"
    ]
    other = printed[printed["task"] == "slang"].rename(columns={"task": "test"})
    outer = results.beside(other, ["test"], "outer", rate=0.3)
    assert set(outer["test"]) == {"typos", "slang"}


def test_repeats_differ_in_their_seed_alone():
    runs = [run("mini"), run("mini", "seed_2", seed=2), run("tfidf"), run("mini", "b", budget=3)]
    ((name, several),) = Results("made", runs).repeats()
    assert name == (TYPOS, "own", "mini") and sorted(several) == [1, 2]
    assert [one.repeat for one in runs] == [False, True, False, False]
    assert run("mini", "smsa_seed_3").repeat and run("mini", "lr_epochs_2").repeat


def test_a_profile_is_about_the_data_set_of_most_default_runs():
    runs = [run("mini"), run("tfidf"), run("mini", "emot", dataset="emot")]
    runs += [run("mini", notebook="10_indonlu", dataset="emot")]
    results = Results("made", runs)
    assert results.datasets == {"own"} and results.language == "id"
    assert [results.main_task(one) for one in runs] == [True, True, False, False]
    assert results.models == ["mini", "tfidf"] and results.notebooks == [TYPOS, "10_indonlu"]
    assert [one.name for one in results.of(TYPOS, "emot")] == ["mini/05_typos/emot"]
