"""The report in Indonesian: the numbers of the English one, in words of its own."""

import re

import jinja2
import pytest
import reports
import yaml
from pages import TYPOS, build, parse, write_runs

from helpers import notebooks
from study import publish
from study.report import report, runs, words
from tahanuji import checklist
from tahanuji.harden import defences
from tahanuji.measure import Estimate
from tahanuji.results import select

ENGLISH, INDONESIAN = (words.FOLDER / name for name in ("en", "id"))
# no part of the page
APART = {"matrix_legend", "hardened", "hardened_card", "hardened_results", "benchmark"}
TOLD = ["costs", "skills", "models", "hardening", "trust", "limits", "details", "instruments"]


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    return tmp_path


def numbers(text: str) -> list[str]:
    """The numbers of a text, with a point for a decimal comma."""
    return sorted(re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d)", ".", text)))


def test_every_section_says_the_numbers_of_the_english_one():
    write_runs()
    for model, said in (("tfidf", "ppnno"), ("mini", "pnppn")):
        reports.write(model, "02_conventional_metrics", reports.plain("ppnno", said))
    told = report.of(reports.PROFILE)
    own = told.told_in("id")
    for name in TOLD:
        english, indonesian = told.section(name).text, own.section(name).text
        assert numbers(english) == numbers(indonesian), name
        assert english != indonesian and indonesian
    assert numbers(told.section("details").text)


def test_the_page_is_written_in_both_languages_and_each_leads_to_the_other(made_up_page):
    roots = {language: parse(made_up_page.with_name(f"index{end}.html"))
             for language, end in words.ENDS.items()}  # fmt: skip
    for language, root in roots.items():
        assert root.all("html")[0].attributes["lang"] == language
        (other,) = [one for one in root.all("a") if "hreflang" in one.attributes]
        assert other.attributes["lang"] != language
        assert other.attributes["href"] == f"index{words.ENDS[other.attributes['lang']]}.html"
        ids = [one.attributes["id"] for one in root.all() if "id" in one.attributes]
        links = [one.attributes["href"] for one in root.all("a")]
        assert {link[1:] for link in links if link.startswith("#")} <= set(ids)
    heads = {name: [one.text for one in root.all("h2")] for name, root in roots.items()}
    assert len(heads["en"]) == len(heads["id"]) and not set(heads["en"]) & set(heads["id"])
    sections = {name: [one.attributes["id"] for one in root.all("section")]
                for name, root in roots.items()}  # fmt: skip
    assert sections["en"] == sections["id"]
    assert "salah ketik: 0,3 per kata" in roots["id"].text
    assert "typos: 0.3 per word" in roots["en"].text


def test_what_stays_in_english_says_so(made_up_page):
    root = parse(made_up_page.with_name("index.id.html"))
    english = [one for one in root.all("div", class_="output") if "lang" in one.attributes]
    note = words.strings("id")["english"]["note"]
    assert english and root.text.count(note) == len(english)
    assert all(one.attributes["lang"] == "en" for one in english)


def test_every_template_is_told_or_its_section_is_said_to_be_in_english():
    lacking = {path.name.removesuffix(".md.j2") for path in ENGLISH.glob("*.md.j2")}
    lacking -= {path.name.removesuffix(".md.j2") for path in INDONESIAN.glob("*.md.j2")}
    assert lacking <= {*words.strings("id")["english"]["sections"], *APART}
    assert set(words.strings("id")["english"]["sections"]) <= set(report.SECTIONS)


def placed(table: dict, above: tuple = ()) -> dict[tuple, object]:
    """The strings of a nested table by their place."""
    found = {}
    for name, value in table.items():
        inner = isinstance(value, dict)
        found |= placed(value, (*above, name)) if inner else {(*above, name): value}
    return found


def holes(text: str) -> list[str]:
    """The placeholders of a string."""
    return sorted(re.findall(r"\{\w*(?=[:}])", text))


def test_every_string_is_one_that_english_has_with_the_same_placeholders():
    english, own = (
        placed(yaml.safe_load((folder / "words.yaml").read_text(encoding="utf-8")))
        for folder in (ENGLISH, INDONESIAN)
    )
    free = {"numbers", "models", "table", "columns"}
    for place, value in own.items():
        if not free & set(place):
            assert place in english, place
            if isinstance(value, str):
                holes = [
                    sorted(re.findall(r"\{\w*(?=[:}])", one)) for one in (value, english[place])
                ]
                assert holes[0] == holes[1], place
            else:
                assert type(value) is type(english[place]), place


def test_what_readers_meet_has_an_indonesian_name():
    asked = {name: about.question.replace("*", "") for name, about in notebooks.every().items()}
    tests = [asked[name] for name in asked if name[:2] < "90"]
    written = select(checklist.read().capabilities, test_type="MFT")
    assert all(words.told("id", name) != name for name in [*tests, *written["about"]])
    every = checklist.read().capabilities["capability"].str.replace("_", " ")
    same = {name for name in every if words.told("id", name) == name}
    assert not same


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("character typos 0.05", "salah ketik huruf 0,05"),
        ("perturbation grid: character typos 0.05", "grid perubahan: salah ketik huruf 0,05"),
        ("mini", "mini"),
        ("milikku: v2", "milikku: v2"),
        ("typos: 0.3 per word (emot)", "salah ketik: 0,3 per kata (emot)"),
        ("negation: engga (all variants)", "negasi: engga"),
        ("finetune: best (hate speech)", "fine-tuning: epoch terbaik (ujaran kebencian)"),
        ("neutral / negative", "netral / negatif"),
        ("84.0% (80.5 to 87.0)", "84,0% (80,5 sampai 87,0)"),
        ("0ba4896beb6e", "0ba4896beb6e"),
    ],
)
def test_a_name_keeps_its_numbers_and_an_unknown_one_stays(name, told):
    assert words.told("id", name) == told and words.told("en", name) == name


def test_every_defence_is_explained_in_both_languages():
    tables = [{"defences": ["undefended", "normaliser+agreement", "noise-typing"]}]
    for language in (words.ENGLISH, *words.LANGUAGES):
        explained = words.strings(language)["hardened"]["defences"]
        assert not set(defences.DEFENCES) - set(explained), language
        macros = words.environment(language).globals["macros"]
        told = macros.meant(tables)
        assert all(f"*{name}*: " in told for name in ("normaliser", "agreement", "noise-typing"))


def test_heads_captions_and_recurring_cells_of_tables_are_indonesian(made_up_page):
    tables = [table for name in ("index.html", "index.id.html")
              for table in parse(made_up_page.with_name(name)).all("table")]  # fmt: skip
    count = len(tables) // 2
    for english, own in zip(tables[:count], tables[count:], strict=True):
        for told, one in zip(english.all("caption"), own.all("caption"), strict=True):
            assert told.text != one.text
    heads = {head.text for own in tables[count:] for head in own.all("th", scope="col")}
    assert not heads & {"document", "row", "why", "clean error rate", "difference", "number"}
    cells = [cell.text for own in tables[count:] for cell in own.all("td") if not cell.all("code")]
    assert "negatif" in cells and "negative" not in cells


def test_what_is_missing_is_said_in_either_language(outputs):
    write_runs()
    folder = outputs / reports.PROFILE / "mini" / TYPOS / "default"
    (folder / "provenance.json").unlink()
    index = build(outputs)
    for name, state in (("index.html", "unfinished"), ("index.id.html", "belum selesai")):
        (note,) = parse(index.with_name(name)).all("details", class_="notes")
        assert f"1 {state}" in note.all("summary")[0].text
        text = index.with_name(name).read_text(encoding="utf-8")
        assert text.index('id="answer"') < text.index('class="notes"')  # the answer comes first


def test_numbers_are_written_with_a_comma():
    one = Estimate(0.1234, 0.098, 0.154, 300)
    assert words.number(one, "%", "id") == "12,3% (9,8 sampai 15,4)"
    assert words.number(one, "points", "en") == "+12.3 (9.8 to 15.4)"
    assert words.number(Estimate.none(), "%", "id") == "tidak ada contoh"


def test_a_placeholder_that_nobody_fills_is_an_error_in_both_languages():
    for language in words.ENDS:
        with pytest.raises(jinja2.UndefinedError):
            words.text(language, "defences")


def test_both_pages_are_published_and_lead_to_each_other(made_up_page, outputs, monkeypatch):
    monkeypatch.setattr(publish, "PAGES", outputs / "pages")
    write_runs()
    for path in sorted(made_up_page.parent.glob("index*.html")):
        publish.show(path, "cpu")
    own = {path.name: path.read_text(encoding="utf-8") for path in (outputs / "pages").iterdir()}
    assert set(own) == {"cpu.html", "cpu.id.html"}
    assert 'href="cpu.id.html"' in own["cpu.html"] and 'href="cpu.html"' in own["cpu.id.html"]
    assert runs.collect(reports.PROFILE).runs and TYPOS in own["cpu.html"]


@pytest.mark.parametrize("language", sorted(words.ENDS))
def test_what_runs_say_of_a_claim_is_one_number_or_two(language):
    row = {"model": "mini", "item": "", "first": float("nan"), "second": float("nan")}
    row |= {"value": 0.2, "low": 0.1, "high": 0.3, "p": 0.01, "verdict": "stands", "usable": True}
    said = words.text(language, "evidence", items=[row], unit="%")
    assert numbers(said) == ["0.01", "10.0", "20.0", "30.0"]
    two = row | {"first": Estimate(0.4, 0.35, 0.45, 9), "second": Estimate(0.6, 0.55, 0.65, 9)}
    said = words.text(language, "evidence", items=[two], unit="%")
    assert numbers(said) == ["0.01", "35.0", "40.0", "45.0", "55.0", "60.0", "65.0"]
