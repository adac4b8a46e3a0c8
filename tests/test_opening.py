"""The first sentences of a report: the numbers given to them, in both languages."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest

from helpers import tables
from study.report import report, words
from tahanuji.measure import Estimate

METRICS = {name: where for name, where in words.numbers().items() if where["of"] == "metrics"}
LANGUAGES = ["en", *words.LANGUAGES]
NUMBERS = {
    name: {"mini": Estimate(at / 100, at / 100 - 0.02, at / 100 + 0.02, 300)}
    for at, name in enumerate(words.numbers(), 21)
}


def said(language: str, better=(), chance=(), **changed) -> dict[str, str]:
    """The sentences by block, with some of the numbers exchanged or (None) left out."""
    numbers = {
        name: {} if changed.get(name, one) is None else changed.get(name, one)
        for name, one in NUMBERS.items()
    }
    about = {
        "models": dict.fromkeys(["mini", "sentiment", "tfidf"], ""),
        "texts": "t",
        "chance": chance,
        "unreadable": {},
    }
    about |= {"directed": True, "biases": []} | {"losses": changed.get("losses", {})}
    return words.points(language, "opening", margin=0.1, numbers=numbers, better=better, **about)


def figures(sentence: str) -> list[str]:
    return sorted(re.findall(r"\d+", sentence))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("right", ["right"]),
        ("typing", ["typing"]),
        ("negation", ["negation"]),
        ("colloquial", ["colloquial"]),
        ("mixing", ["broken", "repaired"]),
        ("names", ["names", "genders"]),
        (
            "mending",
            ["typed", "cured", "typed_plain", "cured_plain"]
            + ["hostile", "mended", "mended_plain", "plain"],
        ),
    ],
)
def test_every_sentence_says_its_numbers_and_no_others(language, block, names):
    given = [f"{100 * NUMBERS[name]['mini'].value:.0f}" for name in names]
    told = said(language)[block].replace("100", "").replace("notebook 17", "")
    assert figures(told) == sorted(given)


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_people_who_mix_or_rewrite_other_numbers_stand_in(language):
    told = said(language, broken=None, colloquial=None)
    assert f"{100 * NUMBERS['random']['mini'].value:.0f}" in figures(told["mixing"])
    assert f"{100 * NUMBERS['written']['mini'].value:.0f}" in figures(told["colloquial"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_measured_is_not_said(language):
    nothing = said(language, **dict.fromkeys(NUMBERS))
    assert list(nothing) == ["right", "trust"] and not figures(nothing["right"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("low", "costs"), [(0.001, True), (0.0, False), (-0.01, False)])
def test_negation_costs_something_where_its_interval_lies_above_zero(language, low, costs):
    told = said(language, negation={"mini": Estimate(0.03, low, 0.06, 300)})["negation"]
    assert ("3" in figures(told)) == costs


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["typing", "negation", "written"])
def test_errors_are_counted_only_of_models_for_which_they_are_shown(language, name):
    two = {"mini": Estimate(0.05, 0.01, 0.09, 300), "tfidf": Estimate(-0.02, -0.04, 0.01, 300)}
    block = "colloquial" if name == "written" else name
    told = said(language, colloquial=None, **{name: two})[block]
    assert figures(told) == ["100", "5"]
    counted, none = re.split("none|tidak terbukti|sedangkan", told, maxsplit=1)
    assert "**mini**" in counted and "**tfidf**" in none and "**tfidf**" not in counted
    nobody = said(language, colloquial=None, **{name: {"tfidf": two["tfidf"]}})[block]
    assert not figures(nobody) and re.search("no errors|tidak terbukti", nobody)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("model", "named"), [("mini", True), ("other", False)])
def test_in_which_direction_a_group_moves_answers_is_said(language, model, named):
    numbers = {"names": NUMBERS["names"], "genders": NUMBERS["genders"]}
    given = {"margin": 0.1, "numbers": dict.fromkeys(NUMBERS, {}) | numbers, "better": []}
    given |= {"models": {}, "texts": "t", "chance": [], "unreadable": {}, "losses": {}}
    kinds = {0.02: ("fairness_religion", "Islam"), -0.03: ("fairness_ethnicity", "Sunda")}
    biases = [
        {"model": model, "test": test, "group": group, "rise": Estimate(rise, rise, rise)}
        for rise, (test, group) in kinds.items()
    ]
    asked = {"absent": (False, []), "none": (True, []), "shown": (True, biases)}
    said = {
        name: words.points(language, "opening", directed=directed, biases=own, **given)["names"]
        for name, (directed, own) in asked.items()
    }
    assert said["absent"] != said["none"]
    assert (said["shown"] != said["none"]) == named
    kinds = {"en": ("religion", "ethnic group"), "id": ("agama", "suku")}[language]
    assert (f"Islam ({kinds[0]})" in said["shown"]) == named
    assert f"Sunda ({kinds[1]})" not in said["shown"]  # is answered less negatively


@pytest.mark.parametrize("language", LANGUAGES)
def test_tests_that_cost_a_model_more_than_another_are_named(language):
    tests = ["reducers", "fairness_gender", "typos: 0.3 per word"]
    named = [words.told(language, name.replace("_", " ")) for name in tests]
    told = said(language, losses={"tfidf": tests})["right"]
    assert "**tfidf**" in told and "1" in figures(told)  # and one more
    assert [name in told for name in named] == [True, True, False]
    assert "**tfidf**" not in said(language)["right"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_difference_is_said_to_be_shown_only_where_it_is(language):
    two = {"mini": Estimate(0.84, 0.8, 0.87, 500), "tfidf": Estimate(0.80, 0.76, 0.83, 500)}
    told = {
        bool(better): words.points(
            language, "opening", margin=0.1, numbers=NUMBERS | {"right": two}, better=better,
            models={"mini": "", "tfidf": ""}, texts="t", chance=["tfidf"], unreadable={},
            directed=False, biases=[], losses={},
        )["right"]
        for better in ([("mini", "tfidf")], [])
    }  # fmt: skip
    assert told[True] != told[False]
    assert figures(told[True]) == figures(told[False]) == ["100", "80", "84"]
    first, second = told[True].split("**tfidf**")
    assert not re.search("chance|tebakan", first) and re.search("chance|tebakan", second)


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_three_models_those_are_named_that_are_shown_to_differ(language):
    three = {name: Estimate(0.8, 0.7, 0.9, 500) for name in ("mini", "sentiment", "tfidf")}
    told = said(language, better=[("mini", "tfidf")], right=three)["right"]
    chance = said(language, right=three)["right"]
    assert told != chance
    behind, other = told.split("**tfidf**")[-2:]
    assert "**mini**" in behind.split(". ")[-1] and "sentiment" not in behind.split(". ")[-1]
    assert re.search("chance|kebetulan", other) and re.search("chance|kebetulan", chance)


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_of_three_models_are_a_list(language):
    three = {name: Estimate(0.05, 0.02, 0.08, 500) for name in ("mini", "sentiment", "tfidf")}
    both = {"en": "and", "id": "dan"}[language]
    told = said(language, typing=three)["typing"]
    assert f"5 (**mini**), 5 (**sentiment**) {both} 5 (**tfidf**)" in told


def test_a_model_with_few_of_the_numbers_is_left_to_the_details():
    """Of three models one has six numbers, one three of them, one two."""
    given = {"whole": 6, "half": 3, "few": 2}
    rows = [
        where | {"variant": "default", "model": model, "value": 0.5, "ci_low": 0.4, "ci_high": 0.6}
        for model, most in given.items()
        for where in list(METRICS.values())[:most]
    ]
    metrics = pd.DataFrame(rows).drop(columns="of").assign(n=100)
    none = pd.DataFrame(columns=[*tables.VERDICTS, "detectable"])
    ranked = pd.DataFrame({"model": ["few", "half", "whole"]})
    found = SimpleNamespace(compared=SimpleNamespace(metrics=metrics), own=none, ranked=ranked)
    said = report.opening(found)
    assert {model for numbers in said.values() for model in numbers} == {"whole", "half"}
    assert list(said["right"]) == ["half", "whole"]  # in the order of the ranking
    assert said["right"]["whole"] == Estimate(0.5, 0.4, 0.6, 100)


def test_a_remedy_measured_of_one_model_does_not_leave_the_other_out():
    """Of two models one has six numbers and the remedy, the other three numbers."""
    remedies = [where for where in METRICS.values() if where.get("remedy")]
    given = {"whole": [*list(METRICS.values())[:6], *remedies], "half": list(METRICS.values())[:3]}
    rows = [
        where | {"variant": "default", "model": model, "value": 0.5, "ci_low": 0.4, "ci_high": 0.6}
        for model, places in given.items()
        for where in places
    ]
    metrics = pd.DataFrame(rows).drop(columns=["of", "remedy"]).assign(n=100)
    none = pd.DataFrame(columns=[*tables.VERDICTS, "detectable"])
    ranked = pd.DataFrame({"model": ["half", "whole"]})
    found = SimpleNamespace(compared=SimpleNamespace(metrics=metrics), own=none, ranked=ranked)
    said = report.opening(found)
    assert remedies and {*said["right"]} == {"whole", "half"} and {*said["cured"]} == {"whole"}
