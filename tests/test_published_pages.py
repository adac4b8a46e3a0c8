"""The published pages: whole, small, in step with the published runs, and opened without set-up."""

import dataclasses
import json
import re
import subprocess
from functools import cache

import pytest
from pages import ANYWHERE, CHROMIUM, DESK, FLAGS, PHONE, READY, Element, late, parse
from playwright.sync_api import sync_playwright

from helpers.provenance import read_json
from study import publish
from study.report import cases, headline, page, panels, report, words
from tahanuji import checklist, paths
from tahanuji.results import select

NAMES = [profile + end for profile in publish.SHOWN for end in words.ENDS.values()]
LIMITS = {"screens": 10, "stops": 120, "words": 3000}
MEASURED = """() => ({
  screens: document.scrollingElement.scrollHeight / innerHeight,
  stops: [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
    .filter((one) => one.tabIndex >= 0 && one.checkVisibility({ contentVisibilityAuto: true }))
    .length,
  words: document.body.innerText.split(/\\s+/).length,
})"""


@cache
def read(name: str) -> Element:
    return parse(publish.PAGES / f"{name}.html")


@pytest.mark.parametrize("name", NAMES)
def test_a_published_page_is_small_and_leads_to_files_that_are_there(name):
    path = publish.PAGES / f"{name}.html"
    assert path.stat().st_size <= 3 * 2**20
    links = [one.attributes["href"] for one in read(name).all("a")]
    assert sum(link.endswith("executed.ipynb") for link in links) > 10
    assert all(link.startswith("#") or (path.parent / link).is_file() for link in links)


@pytest.mark.parametrize("profile", publish.SHOWN)
def test_a_published_page_says_what_the_published_runs_say(profile):
    root, reference = read(profile), publish.REFERENCE / profile
    said = json.loads((reference / "report/findings.json").read_text(encoding="utf-8"))
    told = {"": said["Opening"] + said["Answer"]}
    told |= {f".{language}": said[f"Opening {language}"] for language in words.LANGUAGES}
    for end, sentences in told.items():
        (answer,) = read(profile + end).all("section", id="answer")
        flat = re.sub(r"\W+", " ", answer.text)
        for sentence in sentences:
            assert re.sub(r"\W+", " ", sentence).strip() in flat
    (runs,) = root.all("details", id="runs")
    (table,) = [one for one in runs.all("table") if one.attributes.get("class") == "runs"]
    listed = [[cell.text for cell in row.children] for row in table.all("tr")[1:]]
    published = {
        f"{path.parent.parent.name}/{path.parent.name}/{variant}": about["commit"][:12]
        for path in reference.glob("*/*/provenance.json")
        for variant, about in read_json(path).items()
    }
    assert {row[0]: row[3].rstrip("+") for row in listed} == published


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on PATH")
@pytest.mark.parametrize("name", NAMES)
def test_a_published_page_is_short_before_anything_is_opened(name):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(**DESK).new_page()
        page.goto((publish.PAGES / f"{name}.html").as_uri())
        page.wait_for_selector(READY, state="attached")
        measured = page.evaluate(MEASURED)
        browser.close()
    assert all(0 < measured[name] <= most for name, most in LIMITS.items()), measured


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on PATH")
@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", NAMES)
def test_a_published_page_answers_on_its_first_two_screens(name, screen):
    shown = (
        {"A failure": "#answer-example .case"} if read(name).all("div", id="answer-example") else {}
    )
    assert late(publish.PAGES / f"{name}.html", screen, ANYWHERE | shown) == []


def test_the_cases_of_a_published_checklist_and_triplets_have_their_texts(tmp_path, monkeypatch):
    """The reference holds none; they are those of the suite, where it is what the run read."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore("embedded")
    run = next(one for one in report.of("embedded").results.of("12_checklist", "default"))
    every, failed = cases.cases(run, "predictions"), cases.failures(run)
    asked = checklist.expand(checklist.read()).set_index("id")
    assert len(every) == len(asked) > len(failed) > 100
    for found in (every, failed):
        assert (found[["text", "changed"]].to_numpy() == asked.loc[found["id"]][
            ["text", "changed"]].to_numpy()).all()  # fmt: skip
    triplets = next(one for one in report.of("embedded").results.of(cases.TRIPLETS, "default"))
    texts = cases.cases(triplets, "predictions")
    assert len(texts) > 200 and (texts[["text", "changed"]] != "").all(axis=None)
    assert (texts["text"] == texts["changed"]).eq(texts["test"] == "formal").mean() > 0.9
    about = [one | {"sha256": "another suite"} for one in run.about["data"]]
    other = dataclasses.replace(run, about=run.about | {"data": about})
    assert set(cases.cases(other, "predictions")["text"]) == {""}


@pytest.mark.long
def test_every_test_of_the_published_study_has_an_example_but_peoples_own_mixing(
    tmp_path, monkeypatch
):
    """No text of SmSA, of tweets or of COPAL may be shown: others stand in their place."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore("cpu")
    told = report.of("cpu")
    rows = [row for family in panels.picture(told).families for row in family.rows]
    bare = [str(row.name) for row in rows if not row.example]
    assert len(rows) > 40 and bare == ["code mixing: tweets as people mixed them"]
    texts = select(told.examples, notebook=cases.TRIPLETS)
    assert {*texts["model"]} == {*told.results.models}  # whose answers stand beside triplets


@pytest.mark.long
def test_a_profile_of_few_tests_has_a_page_too(tmp_path, monkeypatch):
    """Of the sections that are made of points some have none."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore("pairs")
    found = report.of("pairs")
    page.write(found, tmp_path / "pairs" / "report")
    assert found.section("details").text == "" and found.section("answer").text
    made = (tmp_path / "pairs" / "report" / "index.html").read_text(encoding="utf-8")
    assert "minimal pairs" in made


def test_the_front_page_is_that_of_the_reference():
    path = publish.PAGES.parent / "index.html"
    assert path.read_text(encoding="utf-8") == headline.front()
    links = [one.attributes["href"] for one in parse(path).all("a")]
    assert links == [f"pages/{name}.html" for name in publish.SHOWN]
    assert all((path.parent / link).is_file() for link in links)


def opened(*words: str, **environment) -> subprocess.CompletedProcess:
    """`./run_all.sh --open` with a bare PATH: no Python, no environment, no screen."""
    return subprocess.run(
        ["./run_all.sh", "--open", *words],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        timeout=20,
        env={"PATH": "/usr/bin:/bin", "PYTHON": "/bin/false", **environment},
    )


@pytest.mark.parametrize("profile", publish.SHOWN)
def test_the_page_of_a_profile_opens_without_a_set_up(profile, tmp_path):
    page = str(publish.PAGES / f"{profile}.html")
    told = opened(profile)
    assert (told.returncode, told.stdout.strip(), told.stderr) == (0, page, "")
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/asked\n', encoding="utf-8")
    browser.chmod(0o755)
    assert opened(profile, BROWSER=str(browser)).returncode == 0
    assert (tmp_path / "asked").read_text(encoding="utf-8").strip() == page


def test_a_profile_without_a_page_is_told_those_that_have_one():
    wrong = opened("thesis")
    assert wrong.returncode == 2 and "thesis" in wrong.stderr
    assert all(name in wrong.stderr for name in publish.SHOWN)


def test_publishing_leads_links_to_the_reference(tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "PAGES", tmp_path / "pages")
    made = tmp_path / "index.html"
    made.write_text(
        '<a href="../mini/05_typos/default/executed.ipynb">1</a><a href="executed.ipynb">2</a>'
        '<a href="../mini/05_typos/seed_2/executed.ipynb">3</a>',
        encoding="utf-8",
    )
    text = publish.show(made, "cpu").read_text(encoding="utf-8")
    base = "../../outputs/reference/cpu"
    assert text.endswith("3") and re.findall('href="([^"]*)"', text) == [
        f"{base}/mini/05_typos/executed.ipynb",
        f"{base}/report/executed.ipynb",
    ]
