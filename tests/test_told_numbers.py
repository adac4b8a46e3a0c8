"""Every number that README, pages and cards tell stands in the csv files of the published runs,
which are read here by pandas alone; skills and what decides claims are counted in predictions.
Findings of notebooks: test_findings.
"""

import json
import re
from functools import cache
from itertools import product

import pandas as pd
import pytest
from pages import parse
from statsmodels.stats.proportion import proportion_confint

from study import publish
from study.report import page, report, words
from tahanuji import checklist, paths
from tahanuji.codemix import results as mixed
from tahanuji.codemix import translators

PROFILES = publish.SHOWN
INTERVAL = re.compile(
    r"(?<![\w.])([+-]?\d+(?:\.\d+)?)%? \((-?\d+(?:\.\d+)?) (?:to|sampai) (-?\d+(?:\.\d+)?)[)%]?"
)
AFTER = {"typed": "cured", "wordy": "worded", "hostile": "mended"}  # a remedy, by what it mends
BESIDE = {"negation": "spelled", "mixed": "answered", "names": "genders"}
PRICES = {  # of the remedies, by what they mend
    "typed": ("typed_plain", "cured_plain"),
    "wordy": ("wordy_plain", "worded_plain"),
    "hostile": ("plain", "mended_plain"),
}
LESS = {"typed": "less_typed", "wordy": "less_wordy"}  # the change, where it has an interval
PRICE = re.compile(r"(\d+)( fewer| lebih sedikit)? \(\*\*([\w-]+)\*\*\)")
TOLD = ["right", "typing", "abbreviated", "negation", "written", "colloquial", "mixed", "random"]
TOLD += ["attacked", "tweeted", "names", "typed", "hostile"]
ERRORS = {"typing", "abbreviated", "negation", "written", "mixed"}  # said only where they are shown
INSTEAD = {"random": "mixed", "attacked": "tweeted"}  # said only where the other is not


@cache
def frame(profile: str, model: str, notebook: str, name: str) -> pd.DataFrame:
    path = publish.REFERENCE / profile / model / notebook / f"{name}.csv"
    return pd.read_csv(path) if path.is_file() else pd.DataFrame()


@cache
def known(profile: str, model: str = "*") -> set[tuple[str, ...]]:
    """The numbers with bounds of all csv files of a model's published runs as they are printed: in
    percent, and what is left to 100, with a decimal and without one, and as they are.
    """
    found = set()
    for path in sorted((publish.REFERENCE / profile).glob(f"{model}/*/*.csv")):
        table = pd.read_csv(path)
        for ends in (("ci_low", "ci_high"), ("lower", "upper")):
            if {"value", *ends} <= {*table}:
                rows = table[["value", *ends]].apply(pd.to_numeric, errors="coerce").dropna()
                for value, low, high in rows.drop_duplicates().to_numpy():
                    found |= printed(value, low, high) | printed(1 - value, 1 - high, 1 - low)
    return found


def printed(*numbers: float) -> set[tuple[str, ...]]:
    shown = {tuple(f"{100 * one:.{digits}f}" for one in numbers) for digits in (0, 1)}
    shown |= {tuple(f"{one:.2f}" for one in numbers)}
    return {tuple(re.sub(r"^-(0(?:\.0*)?)$", r"\1", one) for one in row) for row in shown}


def told(text: str) -> list[tuple[str, ...]]:
    """The numbers with an interval of a text, with a point for a decimal comma."""
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    return [tuple(one.lstrip("+") for one in found) for found in INTERVAL.findall(text)]


def opening(profile: str, language: str) -> tuple[str, list[str]]:
    """The first table of a published report, and the sentences below it."""
    path = publish.REFERENCE / profile / "report" / "findings.json"
    part = "Opening" if language == words.ENGLISH else f"Opening {language}"
    lead, *sentences = json.loads(path.read_text(encoding="utf-8"))[part]
    assert lead.startswith("|") and len(sentences) > 3
    return lead, sentences


def first_table(profile: str, language: str) -> tuple[list[str], dict[str, list[str]]]:
    """The models of the first table, and its cells by the name of the number that begins them."""
    lead, _ = opening(profile, language)
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lead.splitlines()
    ]
    names = {row: name for name, row in words.strings(language)["opening"]["rows"].items()}
    return head[1:], {names[row]: cells for row, *cells in rows}


def value(profile: str, model: str, name: str) -> pd.Series | None:
    """The row of a csv file that holds a number of the first table."""
    where = {"variant": "default"} | words.numbers()[name]
    where = {key: one for key, one in where.items() if key not in words.ABOUT}
    table = frame(profile, model, where.pop("notebook"), where.pop("of"))
    several = {key: wanted for key, wanted in where.items() if isinstance(wanted, list)}
    for choice in product(*several.values()):  # the first that is there
        chosen = table
        for column, wanted in (where | dict(zip(several, choice, strict=True))).items():
            chosen = chosen[chosen[column] == wanted] if len(chosen) else chosen
        if len(chosen):
            break
    table = chosen
    if "margin" in table:
        table = table[table["margin"] == 0.1]
    rates = sorted(table["rate"].dropna().unique()) if len(table) else []
    if len(rates) > 1:  # the middle rate, at which readers rated the change
        table = table[table["rate"] == rates[len(rates) // 2]]
    return table.iloc[0] if len(table) else None


def expected(profile: str, models: list[str], none: str) -> dict[str, list[str]]:
    """The cells of the first table, from the csv files."""
    rows = {(name, model): value(profile, model, name) for name, model in
            product(words.numbers(), models)}  # fmt: skip
    there = {name for (name, _), row in rows.items() if row is not None}
    found = {}
    for name in TOLD:
        sign, other = (" → ", AFTER[name]) if name in AFTER else ("/", BESIDE.get(name))
        pair = [name, other] if other in there or name in AFTER else [name]
        if {*pair} <= there and INSTEAD.get(name) not in there:
            own = [[rows[one, model] for one in pair] for model in models]
            found[name] = [cell(numbers, sign, name, none) for numbers in own]
    return found


def cell(rows: list[pd.Series | None], sign: str, name: str, none: str) -> str:
    if any(row is None for row in rows):
        return "–"
    said = [f"{round(100 * row['value'])}" for row in rows]
    if name in ERRORS and rows[0]["lower"] <= 0:
        said[0] = none
    return sign.join(said)


@pytest.mark.parametrize(("profile", "language"), product(PROFILES, words.ENDS))
def test_the_first_table_says_the_numbers_of_the_csv_files(profile, language):
    """README, its Indonesian sister, front page and pages show it: other tests compare them."""
    models, told = first_table(profile, language)
    none = words.strings(language)["opening"]["none"]
    assert len(models) > 1 and len(told) > 6
    assert told == expected(profile, models, none)


@pytest.mark.parametrize(("profile", "language"), product(PROFILES, words.ENDS))
def test_the_price_of_a_remedy_is_that_of_the_csv_files(profile, language):
    models, _ = first_table(profile, language)
    said = PRICE.findall(" ".join(opening(profile, language)[1]))
    found = []
    for name, pair in PRICES.items():
        rows = {model: [value(profile, model, one) for one in (name, AFTER[name], *pair)]
                for model in models}  # fmt: skip
        told = {model: row for model, row in rows.items() if not any(one is None for one in row)}
        less = {model: value(profile, model, LESS[name]) for model in told if name in LESS}
        if not any(
            after["ci_high"] < before["ci_low"] if less.get(model) is None
            else less[model]["ci_high"] < 0
            for model, (before, after, *_) in told.items()
        ):  # fmt: skip
            continue  # it is not shown to help
        for model, (*_, before, after) in told.items():
            more = round(100 * (after["value"] - before["value"]))
            fewer = {"en": " fewer", "id": " lebih sedikit"}[language] if more < 0 else ""
            found.append((str(abs(more)), fewer, model))
    assert said == found and (found or profile == "embedded")


@cache
def read(profile: str, end: str):
    return parse(publish.PAGES / f"{profile}{end}.html")


@pytest.mark.parametrize(("profile", "end"), product(PROFILES, words.ENDS.values()))
@pytest.mark.parametrize("section", ["answer", "costs", "trust"])
def test_every_interval_of_a_page_is_one_of_the_csv_files(profile, end, section):
    """Those that the report computes are compared in the test of the whole page."""
    (part,) = read(profile, end).all("section", id=section)
    drawn = [one for skills in part.all("figure", class_=SKILLED) for one in told(skills.text)]
    shown = [one for one in told(part.text) if one not in drawn]  # those in their own test
    assert len(shown) > 20 and {*shown} <= known(profile)
    moved = [(str(float(one) + 1.3), low, high) for one, low, high in shown]
    assert sum(one in known(profile) for one in moved) < len(moved) / 10  # a slip would be seen


@pytest.mark.parametrize(("profile", "end"), product(PROFILES, words.ENDS.values()))
def test_what_a_test_costs_a_model_is_in_the_csv_files_of_that_model(profile, end):
    (part,) = read(profile, end).all("section", id="costs")
    cells = [cell for cell in part.all("td") if told(cell.text)]
    assert len(cells) > 40
    for cell in cells:
        assert {*told(cell.text)} <= known(profile, cell.attributes["data-head"]), cell.text


SKILLED = "families skilled"  # the picture of skills


@cache
def predicted(profile: str, model: str, notebook: str) -> pd.DataFrame:
    """The predictions of a published run of the default variant."""
    path = publish.REFERENCE / profile / model / notebook / "predictions.parquet"
    rows = pd.read_parquet(path)
    return rows[rows["variant"] == "default"]


@cache
def written(profile: str, model: str) -> pd.DataFrame:
    """The written cases that count, with their groups, plain ones apart, as capability."""
    rows = predicted(profile, model, "12_checklist")
    rows = rows[(rows["test_type"] == "MFT") & rows["counted"].astype(bool)]
    of = pd.read_csv(paths.DATA / "checklist" / "capabilities.csv", index_col="capability")["group"]
    plain = rows["capability"].str.startswith("plain")
    return rows.assign(capability=rows["capability"].map(of).mask(plain, "plain"))


@cache
def rated(profile: str, model: str) -> pd.DataFrame:
    """The failure rates of the groups of written cases, their intervals drawn anew."""
    seed = int(frame(profile, model, "12_checklist", "metrics")["seed"].iloc[0])
    found = checklist.rates(written(profile, model), seed)
    return found.query("metric == 'failure_rate' and group == 'all'").set_index("test")


def skill(profile: str, model: str, group: str) -> set[tuple[str, ...]]:
    """The share right of a group's cases, counted, and its interval, as printed."""
    rows = written(profile, model)
    wrong = rows.loc[rows["capability"] == group, "failure"].astype(bool).mean()
    low, high = rated(profile, model).loc[group, ["ci_low", "ci_high"]]
    return printed(1 - wrong, 1 - high, 1 - low)


@pytest.mark.parametrize(("profile", "end"), product(PROFILES, words.ENDS.values()))
def test_the_shares_of_skills_are_those_of_the_published_predictions(profile, end):
    root, language = read(profile, end), end.strip(".") or words.ENGLISH
    (part,) = root.all("section", id="skills")
    names = {name: group for group, name in words.strings(language)["page"]["groups"].items()}
    first, *others = part.all("table")
    cells = [(row.all("th")[0].text, cell) for row in first.all("tr")[1:] for cell in row.all("td")]
    found = []
    for name, cell in cells:
        model, group = cell.attributes["data-head"], names[name]
        if told(cell.text):
            assert {*told(cell.text)} <= skill(profile, model, group), (name, model)
            found += told(cell.text)
        else:  # the constant answer
            rows = written(profile, "mini").query("capability == @group")
            allowed = rows["expected"].str.get_dummies("|")
            assert cell.text == f"{100 * allowed.mean().max():.0f}%"
    assert {name for name, _ in cells} == {*names} and len(found) == len(cells) - len(names)
    for figure in root.all("figure", class_=SKILLED):
        assert {*told(" ".join(one.text for one in figure.all("title")))} == {*found}
    parts = [cell for table in others for cell in table.all("td") if told(cell.text)]
    assert len(parts) > 50
    for cell in parts:
        assert {*told(cell.text)} <= known(profile, cell.attributes["data-head"]), cell.text


CLAIMS = pd.read_csv(paths.DATA / "published" / "claims.csv")


@cache
def counts(profile: str, model: str) -> set[tuple[str, ...]]:
    """The shares that claims count in predictions, with their intervals (Wilson), as printed."""
    pairs, folder = [], publish.REFERENCE / profile / model
    for claim in CLAIMS[CLAIMS["statistic"] == "share"].itertuples():
        notebook = claim.selection.partition("=")[2]
        if (folder / notebook).is_dir():
            for _, own in predicted(profile, model, notebook).query(claim.first).groupby("test"):
                pairs.append((len(own.query(claim.second)), len(own)))
    if (folder / "08_code_mixing").is_dir():
        rows = predicted(profile, model, "08_code_mixing").query("test == 'en'")
        lost = rows.assign(induced=rows["induced"].astype(bool)).pivot(
            index="id", columns="rate", values="induced"
        )
        if {0.4, 0.8} <= {*lost}:
            pairs.append((int((lost[0.8] & ~lost[0.4]).sum()), len(lost)))
    ends = [(k / n, *proportion_confint(k, n, method="wilson")) for k, n in pairs]
    return {row for one in ends for row in printed(*one)}


@cache
def dosed(profile: str, model: str) -> set[tuple[str, ...]]:
    """What English costs more than other languages at an equal dose, drawn anew."""
    if not (publish.REFERENCE / profile / model / "08_code_mixing").is_dir():
        return set()
    rows = predicted(profile, model, "08_code_mixing")
    rows = rows[rows["test"].isin(translators.LANGUAGES)]
    seed = int(frame(profile, model, "08_code_mixing", "metrics")["seed"].iloc[0])
    made = mixed.equal_dose(rows, [*translators.LANGUAGES], mixed.DOSE, seed)
    numbers = made[["difference", "low", "high"]].astype(float).dropna().to_numpy()
    return {row for one in numbers for row in printed(*one)}


@pytest.mark.parametrize(("profile", "end"), product(PROFILES, words.ENDS.values()))
def test_what_a_claim_is_decided_by_is_in_the_frames_of_its_models(profile, end):
    (part,) = read(profile, end).all("section", id="claims")
    claims = part.all("details", class_="claim")
    assert len(claims) == len(CLAIMS)
    models, seen = {path.name for path in (publish.REFERENCE / profile).iterdir()}, set()
    slips = []
    for shown, claim in zip(claims, CLAIMS.itertuples(), strict=True):
        ours = [one.text for one in shown.all("p")][:-2]  # before what was published, and the note
        for said in " ".join(ours).split("; "):
            head = said.rpartition(": ")[0].split(": ")
            own = {name for name in models if any(name in one.split() for one in head)}
            there = set().union(*(known(profile, name) | counts(profile, name) for name in own))
            if claim.statistic == "dose":
                there = set().union(*(dosed(profile, name) for name in own))
            for one in told(said):
                value = {row[0] for row in there}
                exact = "as=value" in f"{claim.first}" and len({*one}) == 1 and one[0] in value
                assert one in there or exact, said
                seen.add(claim.statistic)
                slips.append((f"{float(one[0]) + 1.3:g}", *one[1:]) in there)
    assert sum(slips) < len(slips) / 10  # a slip would be seen
    assert {"metric", "verdict", "gap", "share", "unpaired", "paired", "dose"} <= seen


MOST = r"(\d+) .* 100 .*?(\d+) (?:to|sampai) (\d+)"  # what the costliest change costs
CARDS = sorted(path.parent for path in publish.REFERENCE.glob("*/report/card-*/card.md"))


@pytest.mark.parametrize("end", words.ENDS.values())
@pytest.mark.parametrize("folder", CARDS, ids=lambda path: f"{path.parts[-3]}-{path.name}")
def test_a_card_says_the_numbers_of_the_csv_files(folder, end):
    profile, model = folder.parts[-3], folder.name.removeprefix("card-")
    text = (folder / f"card{end}.md").read_text(encoding="utf-8")
    right, stands, cost = text.split("\n\n")[1:4]
    row = value(profile, model, "right")
    ends = [round(100 * row[name]) for name in ("value", "ci_low", "ci_high")]
    assert sorted(numbers(right)) == sorted([100, 95, *ends])
    if numbers(stands):
        families, *parts = numbers(stands)
        assert sum(parts) == families > 0
        most, low, high = re.search(MOST, cost).groups()
        assert (most, low, high) in known(profile, model)


def numbers(text: str) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", text)]


@pytest.mark.long
def test_every_number_of_the_page_comes_from_the_published_runs(tmp_path, monkeypatch):
    """By the report of today: those too that it computes, of comparisons, skills and claims."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore("embedded")
    made = page.write(report.of("embedded"), tmp_path / "embedded" / "report")
    again, published = parse(made), read("embedded", "")
    for name in ("costs", "hardening", "skills", "models", "claims", "trust"):
        (one,), (other,) = (root.all("section", id=name) for root in (again, published))
        found = [
            [re.findall(r"\d+(?:\.\d+)?", cell.text) for cell in part.all("td") + part.all("p")]
            for part in (one, other)
        ]
        assert sum(map(len, found[0])) > 20 and found[0] == found[1], name
