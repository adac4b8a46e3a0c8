"""The report's page in a real browser: headless Chromium, found where it is installed; nothing is
downloaded and nothing but the page is read.
"""

import re
from pathlib import Path

import pytest
import reports
from pages import CHROMIUM, FLAGS, PHONE, READY, TYPOS, build, write_runs
from playwright.sync_api import Browser, Page, expect, sync_playwright

from study.report import examples, failures, runs

if not CHROMIUM:
    pytest.skip(
        "no Chromium on PATH (on Debian: apt install chromium): the report's page is not tested in "
        "a browser",
        allow_module_level=True,
    )

pytestmark = pytest.mark.long
OVERFLOW = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"

expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def chromium() -> Browser:
    """A running browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def index(tmp_path_factory) -> Path:
    """The page of made-up runs, with enough failing rows for two pages of the table."""
    with pytest.MonkeyPatch.context() as patch:
        outputs = tmp_path_factory.mktemp("outputs")
        patch.setenv("TAHAN_OUTPUTS", str(outputs))
        write_runs(text=" </script><script>document.title='obeyed'</script>")
        rows = reports.perturbed("p" * 20, "p" * 20, {"gak": "n" * 18 + "oo"})
        reports.write("mini", "04_negation", rows)
        yield build(outputs)


@pytest.fixture
def visit(chromium, index):
    """Opens the page in a fresh context; afterwards nothing was on the console and nothing but the
    page was asked for.
    """
    heard, asked, contexts = [], [], []

    def opened(place: str = "", folded: bool = False, **settings) -> Page:
        contexts.append(
            chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        )
        page = contexts[-1].new_page()
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(index.as_uri() + place)
        if settings.get("java_script_enabled", True):
            page.wait_for_selector(READY, state="attached")
            if not folded:
                page.evaluate("document.querySelectorAll('.more').forEach(one => one.open = true)")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not heard
    assert asked and not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]


def shown(page: Page) -> list[list[str]]:
    """The failing rows that are shown, cell by cell."""
    return page.locator("#failing tbody tr").evaluate_all(
        "rows => rows.map(row => [...row.cells].map(cell => cell.innerText.trim()))"
    )


def test_the_answer_stands_on_the_first_two_screens(visit):
    for settings in ({}, PHONE):
        page = visit(folded=True, **settings)
        box = page.locator("#answer").bounding_box()
        assert box["y"] + box["height"] < 2 * page.viewport_size["height"]


def test_tests_are_filtered_by_verdict_and_by_words(visit):
    page = visit(folded=True)
    row = page.locator(".family tbody tr")
    assert not row.is_visible()
    page.get_by_label("Search the tests").fill("typos")
    expect(row).to_be_visible()
    page.get_by_label("only where the models disagree").check()
    expect(row).not_to_be_visible()


def test_no_type_on_a_phone_is_smaller_than_ten_pixels(visit):
    page = visit(**PHONE)
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    sizes = page.locator("main *").evaluate_all(
        "all => all.filter(one => one.innerText)"
        ".map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 10
    for image in page.locator("figure img").all():
        assert image.bounding_box()["width"] >= float(
            image.evaluate("one => parseFloat(one.style.minWidth)")
        )


def test_a_link_unfolds_the_family_that_it_names(visit):
    page = visit(folded=True)
    assert not page.locator(".family table").is_visible()
    page.locator(".families .name a").first.click()
    expect(page.locator(".family table")).to_be_in_viewport()


def test_nothing_is_wider_than_the_screen_in_either_scheme(visit):
    grounds = {"light": "rgb(252, 251, 248)", "dark": "rgb(24, 23, 21)"}
    page = visit()
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for scheme, ground in grounds.items():
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
        for width in (390, 768, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(OVERFLOW) <= 0, (scheme, width)
            for image in page.locator("figure:not(.scroll figure) img").all():
                box = image.bounding_box()
                assert box["x"] >= 0 and box["x"] + box["width"] <= width


def test_a_table_wider_than_the_screen_says_so_and_scrolls_by_keyboard(visit):
    page = visit(**PHONE)
    box = page.locator("#failures .scroll")
    expect(box).to_have_class(re.compile(r"\bwide\b"))
    hint = box.evaluate("element => getComputedStyle(element, '::before').content")
    assert "scroll sideways" in hint
    box.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(500)
    assert box.evaluate("element => element.scrollLeft") > 0
    page = visit()
    page.locator(".family > summary").click()
    assert "wide" not in page.locator(".family .scroll").get_attribute("class")


def test_searching_finds_what_the_sample_holds(visit):
    kept = failures.first(failures.every(runs.collect(reports.PROFILE)), failures.EACH)
    page = visit()
    assert len(shown(page)) == 10 and len(kept) > 10
    for words in ("u2", "wrong before and after", "tfidf"):
        page.get_by_role("searchbox", name="Search failing cases").fill(words)
        holding = [words in f"{row.id} {row.verdict} {row.model}" for row in kept.itertuples()]
        expect(page.locator("#failures .dt-info")).to_contain_text(f"of {sum(holding)} ")


def test_examples_are_searched_by_their_words(visit):
    page = visit()
    search, example = page.get_by_label("Search the examples"), page.locator(".example")
    every, questions = example.count(), page.locator(".question:visible").count()
    search.fill("GAK")
    expect(page.locator(".example:visible")).to_have_count(1)
    assert every > 1 and page.locator(".question:visible").count() == 1 < questions
    search.fill("")
    expect(page.locator(".example:visible")).to_have_count(every)


def test_columns_filter_by_their_values(visit):
    page = visit()
    for head in ("Data set", "Test", "Model", "Verdict"):
        assert page.locator("#failing thead th", has_text=head).locator("button").count() >= 1
    page.locator("#failing thead th", has_text="Verdict").locator("button").last.click()
    page.locator(".dtcc-list-buttons button", has_text="wrong before and after").click()
    page.keyboard.press("Escape")
    assert {row[-1] for row in shown(page)} == {"wrong before and after"}


def test_a_click_on_a_test_leads_to_examples_and_on_to_failing_rows(visit):
    page = visit()
    example = page.locator(f"#{examples.anchor(TYPOS, 'typos')}")
    assert not example.is_visible()
    page.locator(".family > summary").click()
    link = page.locator(".family th a").first
    link.focus()
    page.keyboard.press("Enter")
    expect(example).to_be_visible()
    expect(example).to_be_in_viewport()
    example.get_by_role("link", name="Failing cases of this test").click()
    expect(page.locator("#failing")).to_be_in_viewport()
    assert {row[2] for row in shown(page)} == {"typos: 0.3 per word"}


def test_hostile_texts_are_shown_and_not_obeyed(visit):
    page = visit()
    assert page.title().startswith("Tahan Uji")
    page.get_by_role("searchbox", name="Search failing cases").fill("obeyed")
    assert any("<script>document.title" in row[0] for row in shown(page))
    assert page.title().startswith("Tahan Uji")


def test_other_long_tables_sort_and_short_ones_stay_plain(visit):
    page = visit()
    assert page.locator("#costs .dt-container").count() == 0
    table = page.locator("#appendix .dt-container table").first
    table.evaluate("table => table.closest('details').open = true")
    head = table.locator("thead th").first
    for order in ("ascending", "descending"):
        head.locator("button").first.click()
        expect(head).to_have_attribute("aria-sort", order)


def test_without_javascript_everything_but_filtering_is_there(visit):
    page = visit(java_script_enabled=False)
    assert page.locator("#failing tbody tr").count() == len(
        failures.first(failures.every(runs.collect(reports.PROFILE)), failures.EACH)
    )
    page.locator("#examples > summary").click()
    page.locator(".example summary").first.click()
    assert page.locator(".example .case").first.is_visible()
    assert page.locator("#answer").is_visible()


def test_the_keyboard_reaches_content_first(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"
