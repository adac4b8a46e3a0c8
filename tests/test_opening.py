"""The first table and sentences of a report: the numbers given to them, in both languages."""

import re
from types import SimpleNamespace

import pandas as pd
import pytest
from markupsafe import Markup

from helpers import tables
from study.report import report, words
from tahanuji.measure import Estimate

METRICS = {name: where for name, where in words.numbers().items() if where["of"] == "metrics"}
LANGUAGES = ["en", *words.LANGUAGES]


def estimate(value: float, far: float = 0.02) -> Estimate:
    return Estimate(value, value - far, value + far, 300)


NUMBERS = {name: {"mini": estimate(at / 100)} for at, name in enumerate(words.numbers(), 21)}
for worse, name in enumerate(("typed", "wordy", "hostile"), 93):  # are mended
    NUMBERS[name] = {"mini": estimate(worse / 100)}
NUMBERS |= dict.fromkeys(("less_typed", "less_wordy"), {"mini": estimate(-0.5)})


def numbers(**changed) -> dict[str, dict[str, Estimate]]:
    """The numbers, some of them exchanged or (None) left out."""
    given = {name: changed.get(name, one) for name, one in NUMBERS.items()}
    return {name: {} if one is None else one for name, one in given.items()}


def said(
    language: str, better=(), chance=(), losses=None, gained=None, **changed
) -> dict[str, str]:
    """The sentences by block."""
    about = {"models": {}, "chance": chance, "unreadable": {}, "directed": True, "biases": []}
    about["models"] = dict.fromkeys(["mini", "sentiment", "tfidf"], "")
    about |= {"losses": losses or {}, "numbers": numbers(**changed), "better": better}
    about |= {"alike": False, "gained": gained or {}}
    return words.points(language, "opening", margin=0.1, **about)


def table(language: str, models=("mini",), **changed) -> dict[str, list[str]]:
    """The cells of the first table by the number that begins them."""
    about = {"asked": words.numbers(), "models": models, "texts": "t"}
    made = words.text(language, "opening_table", numbers=numbers(**changed), **about)
    names = {row: name for name, row in words.strings(language)["opening"]["rows"].items()}
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in made.splitlines()]
    assert {len(row) for row in rows} == {1 + len(models)} and rows[0][1:] == list(models)
    return {names[row]: cells for row, *cells in rows[2:]}


def figures(sentence: str) -> list[str]:
    return sorted(re.findall(r"\d+", sentence))


def percent(name: str) -> str:
    return f"{100 * NUMBERS[name]['mini'].value:.0f}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_has_its_row_or_stands_beside_another(language):
    alone = ["right", "typing", "abbreviated", "written", "colloquial", "tweeted"]
    pairs = {"negation": "/spelled", "mixed": "/answered", "names": "/genders"}
    pairs |= {"typed": " → cured", "hostile": " → mended"}
    expected = {name: percent(name) for name in alone}
    for first, two in pairs.items():
        sign, second = re.fullmatch(r"(\W+)(\w+)", two).groups()
        expected[first] = f"{percent(first)}{sign}{percent(second)}"
    assert table(language) == {name: [cell] for name, cell in expected.items()}
    told = table(language, genders=None, models=["mini", "tfidf"])
    assert told["names"] == [percent("names"), "–"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_has_its_interval_in_the_same_cell_of_the_exact_table(language):
    about = {"asked": words.numbers(), "models": ["mini"], "texts": "t"}
    low = {"typing": {"mini": estimate(0.01)}}  # said to be none, with an interval all the same
    rough, exact = (
        words.text(language, "opening_table", numbers=numbers(**low), **about, **how)
        for how in ({}, {"exact": True})
    )
    rows = [
        [row.strip("| ").split(" | ") for row in one.splitlines()[2:]] for one in (rough, exact)
    ]
    prices = words.strings(language)["opening"]["prices"]
    assert [name for name, _ in rows[1]] == [*(name for name, _ in rows[0]), *prices.values()]
    for _, cell in rows[1]:
        assert len(re.findall(r"\d+[.,]\d \(-?\d+[.,]\d \w+ \d+[.,]\d\)", cell)) in (1, 2)
    first = words.number(NUMBERS["right"]["mini"], language=language).replace("%", "")
    assert rows[1][0][1] == first
    cells = "".join(f"<td>{cell}</td>" for _, cell in rows[0])
    made = words.titled(Markup(cells), exact)
    assert made.startswith(f'<td title="{first}">') and made.count("title=") == len(rows[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sentences_hold_no_numbers_but_the_price_of_a_remedy_and_the_margin(language):
    told = said(language, better=[("mini", "tfidf")])
    assert list(told) == ["right", "bias", "mending", "trust"]
    assert not figures(told["right"] + told["bias"])
    assert figures(told["trust"]) == ["10", "100", "95"]
    pairs = [("typed_plain", "cured_plain"), ("wordy_plain", "worded_plain")]
    pairs += [("plain", "mended_plain")]
    prices = [int(percent(after)) - int(percent(before)) for before, after in pairs]
    changed = [percent("wordy"), percent("worded")]
    assert figures(told["mending"]) == sorted(["100", *map(str, prices), *changed])
    assert len(figures(said(language, mended=None, worded=None)["mending"])) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("before", "after"), [("typed", "cured"), ("wordy", "worded"), ("hostile", "mended")]
)
def test_what_helps_is_what_is_shown_to(language, before, after):
    value = NUMBERS[after]["mini"].value
    apart = {"less_typed": None, "less_wordy": None}  # without an interval of the difference
    other = dict.fromkeys({"cured", "worded", "mended"} - {after}) | apart
    none = {"en": "Nothing that was tried", "id": "Belum ada yang terbukti"}[language]
    for worse, helps in ((0.05, True), (0.03, False), (-0.05, False)):
        given = {before: {"mini": estimate(value + worse)}, **other}
        assert (none not in said(language, **given)["mending"]) == helps
    told = said(language, **{after: {"tfidf": estimate(0.01)}, **other})["mending"]
    assert none in told and not figures(told)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("far", "helps"), [(0.01, True), (0.03, False)])
def test_where_the_difference_has_an_interval_it_decides(language, far, helps):
    given = {"worded": None, "mended": None, "less_typed": {"mini": estimate(-0.02, far)}}
    assert ("harden" in said(language, **given)["mending"]) == helps


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_remedy_that_takes_errors_away_costs_fewer(language):
    told = said(language, typed_plain={"mini": estimate(0.3)}, cured_plain={"mini": estimate(0.28)})
    fewer = {"en": "Cost: 2 fewer (**mini**)", "id": "Biayanya: 2 lebih sedikit (**mini**)"}
    assert fewer[language] in told["mending"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_names_change_answers_where_they_are_shown_to(language):
    told = said(language, names={"mini": estimate(0.01)})["bias"]
    assert told != said(language)["bias"] and len(told) < len(said(language)["bias"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_people_who_mix_another_number_stands_in(language):
    assert "random" not in table(language)
    told = table(language, mixed=None, answered=None)
    assert told["random"] == [percent("random")] and not {"mixed", "answered"} & {*told}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_not_measured_is_not_said(language):
    nothing = dict.fromkeys(NUMBERS)
    assert table(language, **nothing) == {}
    told = said(language, **nothing)
    assert list(told) == ["right", "trust"] and not figures(told["right"])
    none = dict.fromkeys(["cured", "worded", "mended"])
    assert not {"typed", "wordy", "hostile"} & {*table(language, **none)}
    assert "mending" not in said(language, **none)
    assert "harden" not in said(language, cured=None)["mending"]
    two = table(language, models=["mini", "tfidf"])
    assert all(cells[1] == "–" for cells in two.values())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["typing", "abbreviated", "written"])
@pytest.mark.parametrize(("low", "costs"), [(0.001, True), (0.0, False), (-0.01, False)])
def test_errors_are_counted_where_their_interval_lies_above_zero(language, name, low, costs):
    none = {"en": "none", "id": "nihil"}[language]
    two = {"mini": Estimate(0.03, low, 0.06, 300), "tfidf": Estimate(0.05, 0.01, 0.09, 300)}
    told = table(language, models=["tfidf", "mini"], **{name: two})[name]
    assert told == ["5", "3" if costs else none]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("model", "named"), [("mini", True), ("other", False)])
def test_in_which_direction_a_group_moves_answers_is_said(language, model, named):
    numbers = {"names": NUMBERS["names"], "genders": NUMBERS["genders"]}
    given = {"margin": 0.1, "numbers": dict.fromkeys(NUMBERS, {}) | numbers, "better": []}
    given |= {
        "models": {},
        "chance": [],
        "unreadable": {},
        "losses": {},
        "alike": True,
        "gained": {},
    }
    kinds = {0.02: ("fairness_religion", "Islam"), -0.03: ("fairness_ethnicity", "Sunda")}
    biases = [
        {"model": model, "test": test, "group": group, "rise": Estimate(rise, rise, rise)}
        for rise, (test, group) in kinds.items()
    ]
    asked = {"absent": (False, []), "none": (True, []), "shown": (True, biases)}
    said = {
        name: words.points(language, "opening", directed=directed, biases=own, **given)["bias"]
        for name, (directed, own) in asked.items()
    }
    assert said["absent"] != said["none"]
    beside = {"en": "not shown more than other words", "id": "tidak terbukti melebihi"}[language]
    assert beside in said["none"]
    assert (said["shown"] != said["none"]) == named
    kinds = {"en": ("religion", "ethnic group"), "id": ("agama", "suku")}[language]
    assert (f"Islam ({kinds[0]})" in said["shown"]) == named
    assert f"Sunda ({kinds[1]})" not in said["shown"]  # is answered less negatively


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_that_nothing_hurts_more_than_another_is_named(language):
    two = dict.fromkeys(["mini", "tfidf"], Estimate(0.8, 0.7, 0.9, 500))
    tests = {"tfidf": ["reducers"]}
    told = said(language, right=two, losses=tests)["right"]
    each = said(language, right=two, losses=tests | {"mini": ["particles"]})["right"]
    nobody = said(language, right=two)["right"]
    assert told.count("**mini**") == 2 and told.count("**tfidf**") == 1
    assert each.count("**mini**") == nobody.count("**mini**") == 1
    assert len({told, each, nobody}) == 3
    often = said(language, right=two, losses=tests, gained={"mini": 7})["right"]
    assert figures(often) == ["7"] and not figures(told)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_difference_is_said_to_be_shown_only_where_it_is(language):
    two = {"mini": Estimate(0.84, 0.8, 0.87, 500), "tfidf": Estimate(0.80, 0.76, 0.83, 500)}
    told = {
        bool(better): words.points(
            language, "opening", margin=0.1, numbers=NUMBERS | {"right": two}, better=better,
            models={"mini": "", "tfidf": ""}, chance=["tfidf"], unreadable={},
            directed=False, biases=[], losses={}, gained={},
        )["right"]
        for better in ([("mini", "tfidf")], [])
    }  # fmt: skip
    assert told[True] != told[False]
    first, second = told[False].split("**tfidf**")
    assert not re.search("chance|tebakan", first) and re.search("chance|tebakan", second)
    assert told[True].count("**mini**") == 2 and told[False].count("**mini**") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_three_models_those_are_named_that_are_shown_to_differ(language):
    three = {name: Estimate(0.8, 0.7, 0.9, 500) for name in ("mini", "sentiment", "tfidf")}
    told = said(language, better=[("mini", "tfidf")], right=three)["right"]
    chance = said(language, right=three)["right"]
    assert told != chance
    behind, other = told.split("**tfidf**")[-2:]
    assert "**mini**" in behind.split(". ")[-1] and "sentiment" not in behind.split(". ")[-1]
    assert re.search("chance|kebetulan", other) and re.search("no difference|tak ada", chance)


def row(model: str, where: dict, at: int = 0, value: float = 0.5, variant: str = "default") -> dict:
    """A row of metrics of a number: where there are several values, of that one."""
    several = {key: wanted for key, wanted in where.items() if isinstance(wanted, list)}
    one = where | {key: wanted[min(at, len(wanted) - 1)] for key, wanted in several.items()}
    one |= {"variant": variant, "model": model, "value": value}
    return one | {"ci_low": value - 0.1, "ci_high": value + 0.1}


def test_of_several_recipes_the_first_counts_that_a_model_has():
    """`mini` has all, `tfidf` the second of them and the last; the rows stand in any order."""
    cured = METRICS["cured"]
    rows = [
        row("mini", METRICS["right"], value=0.8),
        row("tfidf", METRICS["right"], value=0.8),
        row("mini", cured, at=1, value=0.2),
        row("tfidf", cured, at=2, value=0.3),
        row("tfidf", cured, at=1, value=0.4),
        row("mini", cured, at=1, value=0.5, variant="wordings"),
        row("mini", cured, at=0, value=0.6, variant="wordings"),
    ]
    unsaid = ["of", *words.ABOUT]
    metrics = pd.DataFrame(rows).drop(columns=unsaid, errors="ignore").assign(n=100)
    none = pd.DataFrame(columns=[*tables.VERDICTS, "detectable"])
    ranked = pd.DataFrame({"model": ["mini", "tfidf"]})
    found = SimpleNamespace(compared=SimpleNamespace(metrics=metrics), own=none, ranked=ranked)
    said = report.opening(found)["cured"]
    assert {model: one.value for model, one in said.items()} == {"mini": 0.6, "tfidf": 0.4}


def test_a_model_with_few_of_the_numbers_is_left_to_the_details():
    """Of three models one has four numbers, one two of them, one one."""
    given = {"whole": 4, "half": 2, "few": 1}
    counted = [where for where in METRICS.values() if not where.get("remedy")]
    rows = [row(model, where) for model, most in given.items() for where in counted[:most]]
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
    rows = [row(model, where) for model, places in given.items() for where in places]
    metrics = pd.DataFrame(rows).drop(columns=["of", "remedy"]).assign(n=100)
    none = pd.DataFrame(columns=[*tables.VERDICTS, "detectable"])
    ranked = pd.DataFrame({"model": ["half", "whole"]})
    found = SimpleNamespace(compared=SimpleNamespace(metrics=metrics), own=none, ranked=ranked)
    said = report.opening(found)
    assert remedies and {*said["right"]} == {"whole", "half"} and {*said["cured"]} == {"whole"}
