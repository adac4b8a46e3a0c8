"""The report's page in a real browser: headless Chromium, found where it is installed; nothing is
downloaded and nothing but files is read.
"""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import pytest
from pages import PROFILES, build, copy, expected_rows, files, need_runs, site
from playwright.sync_api import Browser, Page, expect, sync_playwright

from helpers.report import marking

CHROMIUM = next(
    filter(
        None,
        map(
            shutil.which,
            ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge"),
        ),
    ),
    None,
)
if not CHROMIUM:
    pytest.skip(
        "no Chromium on PATH (on Debian: apt install chromium): the report's page is not tested in "
        "a browser",
        allow_module_level=True,
    )
need_runs()

pytestmark = pytest.mark.long
FLAGS = [
    "--no-first-run",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OFFLINE = [
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
]  # a proxy that is not there: a request to anywhere fails and is seen
WIDTHS = (380, 768, 1280)
NOTEBOOKS = (
    "mini--02_conventional_metrics--default",
    "tfidf--03_sentence_insertion--at_start",
    "mini--05_typos--default",
    "tfidf--06_formality--default",
)
OVERFLOW = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
SHOWN = """elements => elements.map(element => element.checkVisibility(
    {contentVisibilityAuto: true, visibilityProperty: true}
))"""


expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def chromium() -> Browser:
    """A running browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, *OFFLINE])
        yield browser
        browser.close()


@pytest.fixture(scope="module", params=PROFILES)
def index(request, tmp_path_factory) -> Path:
    """The index of a site made of a profile's finished runs."""
    return site(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory) -> Path:
    """The index of the default profile's site."""
    return site(tmp_path_factory.mktemp("default"))


@pytest.fixture
def visit(chromium):
    """Opens pages in a fresh context; afterwards nothing was on the console and nothing but files
    was asked for.
    """
    heard, asked, contexts = [], [], []

    def opened(path: Path, place: str = "", **settings) -> Page:
        contexts.append(
            chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **settings})
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: heard.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri() + place)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not heard
    assert asked and not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]


def count(page: Page) -> int:
    """How many failing rows the page says it has found."""
    said = page.locator("#count").inner_text()
    return 0 if said.startswith("No row") else int(said.split()[0].replace(",", ""))


def rows(page: Page, column: str) -> list[str]:
    """The first words of a column of the failing rows that are shown."""
    return page.locator(f'#rows tbody td[data-label="{column}"]').evaluate_all(
        "cells => cells.map(cell => cell.firstChild?.textContent ?? '')"
    )


def test_every_page_opens_silently_and_shows_its_images(index, visit):
    page = visit(index)
    for path in files(index):
        page.goto(path.as_uri())
        assert page.evaluate(
            "[...document.images].every(image => image.complete && image.naturalWidth > 0)"
        ), path.name
        assert (
            page.evaluate(
                "performance.getEntriesByType('resource').filter(one => "
                "!one.name.startsWith('data:')).length"
            )
            == 0
        )


def test_nothing_is_wider_than_the_screen(index, visit):
    page, grounds = visit(index), {"light": "rgb(252, 251, 248)", "dark": "rgb(24, 23, 21)"}
    for path in [index, *(index.parent / f"pages/{name}.html" for name in NOTEBOOKS)]:
        page.goto(path.as_uri())
        for scheme, ground in grounds.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate(OVERFLOW) <= 0, (path.name, scheme, width)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(OVERFLOW) <= 0, (path.name, width, "unfolded")


def test_popovers_fit_and_tables_scroll_in_their_boxes(embedded, visit):
    page = visit(embedded)
    opened = page.locator(".source:popover-open")
    assert all(
        page.locator(".scroll").evaluate_all(
            "boxes => boxes.map(box => getComputedStyle(box).overflowX === 'auto')"
        )
    )
    page.locator(".grid .value").first.click()
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 700})
        box = opened.bounding_box()
        assert (
            box["x"] >= 0
            and box["x"] + box["width"] <= width
            and box["y"] >= 0
            and box["y"] + box["height"] <= 700
        )
        assert opened.get_by_role("button", name="Close").is_visible()
        assert opened.evaluate("element => element.scrollWidth <= element.clientWidth")


def test_filters_find_what_the_csv_files_hold(index, visit):
    wanted, page = expected_rows(index.parents[1]), visit(index)
    assert count(page) == len(wanted)
    assert page.locator("#rows tbody tr").count() == min(100, len(wanted))
    for name in ("test", "model", "gold", "label", "kind"):
        offered = page.locator(f"#f-{name} option").evaluate_all(
            "options => options.map(option => option.value)"
        )
        assert set(offered) == {"", *wanted[name]}
        for value in offered[1:3]:
            page.select_option(f"#f-{name}", value)
            assert count(page) == (wanted[name] == value).sum(), (name, value)
        page.click("text=Clear")
        expect(page).to_have_url(f"{index.as_uri()}#failures")
        assert count(page) == len(wanted)
    page.select_option("#f-model", "mini")
    page.select_option("#f-gold", "neutral")
    page.select_option("#f-kind", "induced")
    assert (
        count(page)
        == (
            (wanted["model"] == "mini")
            & (wanted["gold"] == "neutral")
            & (wanted["kind"] == "induced")
        ).sum()
    )
    assert (
        set(rows(page, "model")) == {"mini"}
        and set(rows(page, "gold")) == {"neutral"}
        and set(rows(page, "what happened")) == {"induced"}
    )


def test_free_text_looks_into_texts_and_ids(embedded, visit):
    wanted, page = expected_rows(embedded.parents[1])[["id", "text", "perturbed"]], visit(embedded)
    for words in ("tidak", "TIDAK ", "00012", "<b>", "tidka"):
        page.fill("#f-q", words)
        sought = words.strip().lower()
        texts = (wanted[column].str.lower() for column in wanted)
        holding = pd.concat([text.str.contains(sought, regex=False) for text in texts], axis=1)
        assert count(page) == holding.any(axis=1).sum(), words


def test_more_rows_come_by_the_hundred(embedded, visit):
    page = visit(embedded)
    page.select_option("#f-model", "mini")
    page.select_option("#f-test", "05_typos/default/typos 1")
    whole = count(page)
    assert 100 < whole < 200 and page.locator("#count").inner_text().endswith("100 shown")
    assert page.locator("#more").inner_text() == f"Show {whole - 100} more"
    page.click("#more")
    assert (
        page.locator("#rows tbody tr").count() == whole and not page.locator("#more").is_visible()
    )


def test_sorting_sorts_both_ways_and_says_so(embedded, visit):
    page = visit(embedded)
    page.select_option("#f-test", "04_negation/default/nggak")
    every = {
        column: sorted(rows(page, column))
        for column in ("gold", "clean", "perturbed", "what happened", "model")
    }
    for column, everything in every.items():
        head = page.locator("#rows thead th", has_text=column.capitalize())
        head.get_by_role("button").press("Enter")
        assert head.get_attribute("aria-sort") == "ascending"
        assert rows(page, column) == everything
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "descending"
        assert rows(page, column) == everything[::-1]
        assert page.locator("#rows [aria-sort]").count() == 1


def test_a_view_can_be_linked(embedded, visit):
    page = visit(embedded)
    page.select_option("#f-model", "tfidf")
    page.fill("#f-q", "nasi & <b>")
    page.fill("#f-q", "nasi")
    page.locator("#rows thead button", has_text="Gold").click()
    page.locator("#rows thead button", has_text="Gold").click()
    place = page.evaluate("location.hash")
    assert place == "#failures?model=tfidf&q=nasi&sort=-gold"
    other = visit(embedded, place)
    assert (
        other.locator("#count").inner_text() == page.locator("#count").inner_text()
        and count(page) > 0
    )
    assert rows(other, "gold") == rows(page, "gold")
    assert (
        other.locator("#f-q").input_value() == "nasi"
        and other.locator("#f-model").input_value() == "tfidf"
    )
    assert other.locator("#failures").evaluate(
        "element => Math.abs(element.getBoundingClientRect().top) < 900"
    ), "the view is scrolled to"
    strange = visit(embedded, "#failures?length=1&model=none&sort=-toString&q=%F0%9F%98%80")
    assert count(strange) == 0


def test_the_download_is_the_filtered_rows(embedded, visit, tmp_path):
    wanted, page = (
        expected_rows(embedded.parents[1]),
        visit(
            embedded,
            "#failures?" + urlencode({"test": "05_typos/default/typos 0.3", "model": "mini"}),
        ),
    )
    with page.expect_download() as caught:
        page.click("#download")
    assert caught.value.suggested_filename == "failures.csv"
    caught.value.save_as(tmp_path / "failures.csv")
    got = pd.read_csv(tmp_path / "failures.csv", dtype=str, keep_default_na=False)
    part = wanted[
        (wanted["test"] == "05_typos/default/typos 0.3") & (wanted["model"] == "mini")
    ].reset_index(drop=True)
    columns = ["id", "gold", "label", "kind", "text", "perturbed", "model"]
    pd.testing.assert_frame_equal(got[columns], part[columns], check_dtype=False)
    assert set(got["notebook"] + "/" + got["variant"] + "/" + got["test"]) == {
        "05_typos/default/typos 0.3"
    }


def test_marked_words_are_those_that_python_marks(embedded, visit):
    wanted, page = expected_rows(embedded.parents[1]), visit(embedded)
    for test in (
        "03_sentence_insertion/default/positive",
        "05_typos/default/typos 0.5",
        "06_formality/default/informal",
    ):
        page.goto(f"{embedded.as_uri()}#failures?{urlencode({'test': test, 'model': 'mini'})}")
        shown = page.locator("#rows tbody td.text span").evaluate_all(
            "spans => spans.map(span => span.innerHTML)"
        )
        part = wanted[(wanted["test"] == test) & (wanted["model"] == "mini")].head(100)
        assert shown == [
            str(marking.marked(row.text, row.perturbed)) for row in part.itertuples()
        ], test
        assert any("<ins>" in html for html in shown)
    assert set(
        page.locator("#rows tbody td.text span").evaluate_all(
            "spans => spans.map(span => span.lang)"
        )
    ) == {"id"}


def test_where_a_number_comes_from_opens_and_closes(index, visit):
    page = visit(index)
    button, opened = page.locator(".headline .value").nth(3), page.locator(".source:popover-open")
    for way in ("mouse", "Enter", "Space"):
        if way == "mouse":
            button.click()
        else:
            button.focus()
            page.keyboard.press(way)
        assert opened.count() == 1 and opened.get_attribute("id") == button.get_attribute(
            "popovertarget"
        )
        assert button.inner_text().split()[0] in opened.inner_text()
        assert page.evaluate("document.activeElement.closest('.source') !== null"), (
            "the focus goes into it"
        )
        page.keyboard.press("Escape")
        assert opened.count() == 0, way
        assert page.evaluate(
            "document.activeElement.getAttribute('popovertarget')"
        ) == button.get_attribute("popovertarget"), "and comes back"
    button.click()
    opened.get_by_role("button", name="Close").click()
    assert opened.count() == 0


def test_a_number_leads_to_its_failing_texts(embedded, visit):
    page = visit(embedded)
    page.get_by_role("table", name="failure rate of every model").locator(".value").nth(4).click()
    source = page.locator(".source:popover-open")
    share, n = (
        float(source.locator(".is b").inner_text()) / 100,
        int(source.locator("dd").nth(2).inner_text().split(",")[0]),
    )
    source.get_by_text("Its failing texts").click()
    expect(page).to_have_url(re.compile("#failures[?]test="))
    assert page.locator(".source:popover-open").count() == 0
    assert count(page) == round(share * n)


def test_the_keyboard_reaches_the_results_first(embedded, visit):
    page = visit(embedded)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0, "it shows itself"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "content"


def test_fields_and_tables_have_names(embedded, visit):
    page = visit(embedded)
    for name in ("Test", "Model", "Gold label", "Predicted", "What happened"):
        assert page.get_by_role("combobox", name=name, exact=True).count() == 1
    assert page.get_by_role("searchbox", name="Text or id contains").count() == 1
    assert page.get_by_role("table", name="Failing rows").count() == 1
    assert page.get_by_role("table", name="Headline numbers").count() == 1
    assert page.get_by_role("rowheader", name=re.compile(r"^typos 0\.05")).count() == 1
    assert page.get_by_role("img", name="Failure rate against the rate of typos").count() == 1
    assert page.get_by_role("status").count() == 1


def test_without_javascript_everything_but_filtering_is_there(index, visit):
    page = visit(index, java_script_enabled=False)
    assert (
        page.locator(".noscript").is_visible()
        and not page.locator("#filters").is_visible()
        and not page.locator("#more").is_visible()
    )
    assert page.locator("#rows tbody tr").count() == 25
    assert page.locator("#rows thead button").count() == 0
    page.locator(".grid .value").first.click()
    assert page.locator(".source").first.is_visible() or page.get_by_role("dialog").count() == 1
    page.keyboard.press("Escape")
    assert page.get_by_role("dialog").count() == 0
    page.locator(".all-runs summary").click()
    assert page.locator(".all-runs .command").first.is_visible()


def test_static_rows_are_the_first_that_the_script_draws(embedded, visit):
    cells = "rows => rows.slice(0, 25).map(row => row.innerHTML)"
    static = (
        visit(embedded, java_script_enabled=False).locator("#rows tbody tr").evaluate_all(cells)
    )
    assert static == visit(embedded).locator("#rows tbody tr").evaluate_all(cells)


def test_print_unfolds_what_matters_and_leaves_out_what_is_pressed(embedded, visit):
    page = visit(embedded)
    page.emulate_media(media="print")
    for gone in ("nav", "#filters", "#more", "#count", ".skip", ".source"):
        assert not any(page.locator(gone).evaluate_all(SHOWN)), gone
    assert all(page.locator(".all-runs .command").evaluate_all(SHOWN))
    assert all(page.locator(".value").evaluate_all(SHOWN)), "the numbers themselves stay"
    assert page.pdf(format="A4").startswith(b"%PDF")
    notebook = visit(embedded.parent / "pages/mini--05_typos--default.html")
    notebook.emulate_media(media="print")
    assert all(notebook.locator(".highlight").evaluate_all(SHOWN))


def test_motion_is_for_those_who_do_not_mind(embedded, visit):
    behaviour = "getComputedStyle(document.documentElement).scrollBehavior"
    page = visit(embedded.parent / "pages/mini--05_typos--default.html")
    for wish, motion in (("reduce", "auto"), ("no-preference", "smooth")):
        page.emulate_media(reduced_motion=wish)
        assert page.evaluate(behaviour) == motion


def test_lines_of_a_crowded_chart_can_be_left_out(embedded, visit, tmp_path):
    profile = copy(tmp_path, "embedded", "tfidf/05_typos/default", "mini/05_typos/default")
    run = profile / "a--b/05_typos/default"
    shutil.copytree(profile / "mini/05_typos/default", run)
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    about["parameters"]["model_name"] = "a/b"
    (run / "provenance.json").write_text(json.dumps(about), encoding="utf-8")
    metrics = pd.read_csv(run / "metrics.csv").assign(model="a/b")
    metrics.to_csv(run / "metrics.csv", index=False)
    page = visit(build(tmp_path), java_script_enabled=False)
    assert (
        page.locator(".chart polyline").count() == 3
        and page.locator(".chart .l2 polyline").is_visible()
    )
    page.get_by_role("checkbox", name="mini").uncheck()
    assert (
        not page.locator(".chart .l2 polyline").is_visible()
        and page.locator(".chart .l1 polyline").is_visible()
    )
