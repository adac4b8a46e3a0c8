"""The cards of models: their numbers, their worst answers, and which texts they show."""

import re
import shutil
from types import SimpleNamespace

import pandas as pd
import pytest
import reports
from pages import CHROMIUM, DESK, FLAGS, HOSTILE, PHONE, TYPOS, parse, write_runs
from playwright.sync_api import sync_playwright

from helpers import tables
from study import publish
from study.audit import profile
from study.report import __main__ as command
from study.report import cards, cases, decisions, headline, report, runs, words
from tahanuji import data, predict
from tahanuji.results import select

CONVENTIONAL, PLAIN = "02_conventional_metrics", "ppppp nnnnn"
WRONG = "typos 0.3"


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    return tmp_path / "outputs"


def plain(model: str, said: str, gold: str = PLAIN) -> None:
    """A plain evaluation of a model."""
    frame = reports.sentences(reports.words(gold))
    answers = predict.classified(frame, reports.chances(reports.words(said)), data.LABELS)
    reports.write(model, CONVENTIONAL, answers)


def typed(model: str, said: str, text: str = "", **columns):
    """A run of typos in which `said` are the answers after them, to texts that were read right."""
    clean = PLAIN.replace(" ", "") * 4
    rows = reports.perturbed(clean, clean, {WRONG: said.replace(" ", "") * 4}).assign(moved=True)
    rows["perturbed"] += text
    return reports.write(model, TYPOS, rows.assign(**columns), judged="INV")


def made(outputs, model: str = "mini") -> dict[tuple[str, str], str]:
    """The cards of a model, written anew, by language and kind."""
    folder = outputs / reports.PROFILE / "report"
    cards.write(report.of(reports.PROFILE), folder)
    return {
        (language, kind): (folder / f"card-{model}" / f"card{end}.{kind}").read_text("utf-8")
        for language, end in words.ENDS.items()
        for kind in ("md", "html")
    }


def test_a_model_that_is_no_longer_there_has_no_card(outputs):
    plain("mini", PLAIN)
    left = outputs / reports.PROFILE / "report" / "card-gone"
    left.mkdir(parents=True)
    (left / "card.html").write_text("", encoding="utf-8")
    made(outputs)
    assert [path.name for path in left.parent.glob("card-*")] == ["card-mini"]


def lines(card: str) -> list[str]:
    """The worst answers of a card."""
    return re.findall(r"^\d\. (.*)", card, re.MULTILINE)


def test_a_card_says_how_often_a_model_is_right_and_what_its_families_cost(outputs):
    plain("mini", "ppppp nnnpp")
    typed("mini", "ppppn nnnnp")
    (one,) = select(report.of(reports.PROFILE).part, model="mini").to_dict("records")
    bounds = [f"{100 * one[name]:.0f}" for name in ("value", "lower", "upper")]
    for (language, kind), card in made(outputs).items():
        text = re.sub("<style>.*</style>|<[^>]+>", "", card, flags=re.DOTALL)
        start = r"(?:Of|Dari) \d+ .*|(?:Most costly|Yang paling merugikan) .*"
        first, second, third = (re.sub(r"\d+%", "", said) for said in re.findall(start, text))
        assert {"100", "80"} <= set(re.findall(r"\d+", first)), (language, kind)
        assert re.findall(r"\d+", second)[:3] == ["1", "0", "1"]  # families, withstood, broken
        assert set(bounds) <= set(re.findall(r"\d+", third)) and bounds[0] == "20"


def test_every_model_has_a_card_that_loads_nothing(outputs):
    plain("mini", PLAIN)
    write_runs()
    for model in ("mini", "tfidf"):
        written = made(outputs, model)
        folder = outputs / reports.PROFILE / "report" / f"card-{model}"
        for language, end in words.ENDS.items():
            root = parse(folder / f"card{end}.html")
            assert root.all("html")[0].attributes["lang"] == language
            (image,) = root.all("img")
            assert image.attributes["src"].startswith("data:image/png;base64,")
            assert image.attributes["alt"].count(model) == 1
            assert not root.all("script") and "script" not in str(root.all("meta")[1].attributes)
            ids = [one.attributes["id"] for one in root.all() if "id" in one.attributes]
            assert len(ids) == len(set(ids))
            (other,) = [one.attributes["href"] for one in root.all("a")]
            assert (folder / other).is_file() and other != f"card{end}.html"
            (picture,) = re.findall(r"!\[[^]]+\]\((.*)\)", written[language, "md"])
            assert (folder / picture).is_file()


def test_a_model_without_a_test_of_changes_has_a_card_without_a_picture(outputs):
    plain("mini", PLAIN)
    card = made(outputs)["en", "md"]
    assert "100 right" in card and "No test of changes" in card
    assert "![" not in card and "worst" not in card and "more errors" not in card


def answer_surely(rows: pd.DataFrame, place: int, share: float) -> None:
    """Give the answer to a changed text a probability, the other two labels half the rest each."""
    for label in data.LABELS:
        said = label == rows.loc[place, "perturbed_label"]
        rows.loc[place, f"perturbed_{label}"] = share if said else (1 - share) / 2


def test_the_answers_are_the_surest_wrong_ones_that_followed_right_ones(outputs):
    """Of ten texts two are lost, one of them twice as surely; one was wrong before."""
    folder = typed("mini", "ppppn nnnnp")
    rows = tables.read(folder / "predictions.csv", [])
    flipped = rows.index[rows["flip"]]
    for place in flipped:
        answer_surely(rows, place, {flipped[3]: 0.9, flipped[5]: 1.0}.get(place, 0.5))
    rows.loc[flipped[5], ["induced", "clean_label"]] = [False, "neutral"]
    tables.write(folder / "predictions.csv", rows)
    told = report.of(reports.PROFILE)
    worst = cards.worst(told.results, decisions.families(told.part))
    assert len(worst) == cards.MOST and worst["id"].iloc[0] == rows["id"].loc[flipped[3]]
    assert worst["sure"].tolist() == [0.9, *[0.5] * (cards.MOST - 1)]
    assert set(worst["verdict"]) == {cases.INDUCED} and worst["id"].is_unique
    assert "90%" in made(outputs)["en", "md"]


def test_every_family_has_an_example_before_one_has_two(outputs):
    """Typing costs less and its answers are surer: register comes first, then typing."""
    clean = "pppppppp" * 4
    for notebook, said in {TYPOS: "nppppppp" * 4, "06_formality": "nnpppppp" * 4}.items():
        rows = reports.perturbed(clean, clean, {{TYPOS: WRONG}.get(notebook, "informal"): said})
        for place in rows.index[rows["flip"]]:
            answer_surely(rows, place, 0.95 if notebook == TYPOS else 0.6)
        reports.write("mini", notebook, rows.assign(moved=True), judged="INV")
    told = report.of(reports.PROFILE)
    worst = cards.worst(told.results, decisions.families(told.part))
    assert worst["family"].tolist()[:3] == ["register", "typing", "register"]


def unpublished(folder) -> None:
    """Say that the texts of a run may not be published, and take them away as a run does."""
    rows = tables.read(folder / "predictions.csv", [])
    about = runs.provenance.read_json(folder / "provenance.json")
    about["data"][0]["publish_texts"] = False
    runs.paths.write_json(folder / "provenance.json", about)
    tables.private(SimpleNamespace(dir=folder), rows[rows["failure"]])
    for name in ("predictions", "misclassified"):
        tables.write(folder / f"{name}.csv", tables.bare(tables.read(folder / f"{name}.csv", [])))


def test_texts_that_may_not_be_published_are_shown_by_their_ids(outputs):
    plain("mini", PLAIN)
    folder = typed("mini", "nnnnn nnnnn")
    shown = made(outputs)
    assert "dari made-up" in shown["en", "md"]
    for kind in ("md", "html"):  # labels are named in the language of the card
        assert "positif" in shown["id", kind] and "positive" not in shown["id", kind]
        assert "positive" in shown["en", kind]
    unpublished(folder)
    for card in made(outputs).values():
        assert "dari made-up" not in card and re.search(r"\bu\d+\b", card)


def test_where_a_text_may_not_be_shown_another_one_shows_the_change(outputs):
    clean = "pppppppp" * 4
    rows = reports.perturbed(clean, clean, {"informal": "nnpppppp" * 4})
    unpublished(reports.write("mini", "06_formality", rows.assign(moved=True), judged="INV"))
    first, *_ = lines(made(outputs)["en", "md"])
    assert "a change of this kind" in first and "<ins>" in first


@pytest.mark.parametrize("own", [True, False])
def test_a_users_own_texts_stand_on_a_card_that_he_alone_may_read(outputs, own):
    name = "milikku"
    plain(name, PLAIN)
    plain("tfidf", PLAIN)
    unpublished(typed(name, "nnnnn nnnnn"))
    config = {
        "profile": reports.PROFILE,
        "models": [name, "tfidf"],
        "runs": {},
        "left_out": ["x y"],
        "left_out_id": ["x dan y"],
    }
    audit = {"audited": name, "learnt": {}, "own_texts": own}
    profile.write(outputs / reports.PROFILE, config | audit)
    every = made(outputs, name)
    card, indonesian = every["en", "md"], every["id", "md"]
    assert "dari made-up" not in card and "* x y" in card and "./run_all.sh" not in card
    assert "* x dan y" in indonesian and "* x y" not in indonesian
    private = outputs / reports.PROFILE / "report" / cards.PRIVATE
    assert private.is_dir() == own
    if own:
        shown = (private / "card.md").read_text(encoding="utf-8")
        assert "dari made-up" in shown and (private / "card.id.html").is_file()
        assert private.stat().st_mode & 0o777 == 0o700
        assert "`private`" in card and "stays on your machine" in shown


def test_what_is_forgotten_of_an_audit_is_its_private_card_too(outputs):
    folder = outputs / "audit-zz" / "report"
    for place in (folder / cards.PRIVATE, folder / "card-zz"):
        place.mkdir(parents=True)
        (place / "card.md").write_text("x", encoding="utf-8")
    assert profile.forget("zz") == 1
    assert not (folder / cards.PRIVATE).exists() and (folder / "card-zz" / "card.md").is_file()


def test_hostile_texts_are_shown_and_not_obeyed(outputs):
    plain("mini", PLAIN)
    typed("mini", "nnnnn nnnnn", f" {HOSTILE} **bold** [x](y) `code` | a")
    written = made(outputs)
    html, markdown = written["en", "html"], written["en", "md"]
    root = parse(outputs / reports.PROFILE / "report" / "card-mini" / "card.html")
    assert HOSTILE.split()[0] in root.text and "<script" not in html and "alert(2)>" not in html
    assert "<script" not in markdown and "<img" not in markdown
    assert r"\*\*bold\*\* \[x\](y) \`code\` \| a" in markdown


def test_text_is_literal_in_markdown():
    text = r"*a* _b_ `c` [d](e) ~f~ \ $g$ | <i>"
    made = words.html(words.literal(text), "x")
    assert "em>" not in made and "code>" not in made and "<a" not in made
    assert re.sub("<[^>]+>", "", made).strip().replace("&lt;", "<").replace("&gt;", ">") == text


def test_the_report_writes_the_cards_and_the_summary_names_them(outputs):
    plain("mini", PLAIN)
    typed("mini", "ppppn nnnnp")
    command.draw(reports.PROFILE)
    assert "card-mini/card.html" in headline.printed(reports.PROFILE)
    shutil.rmtree(outputs / reports.PROFILE / "report" / "card-mini")
    assert "card-mini" not in headline.printed(reports.PROFILE)


def test_cards_are_published_without_the_private_one(outputs, tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    plain("mini", PLAIN)
    folder = typed("mini", "ppppn nnnnp")
    made(outputs)
    there = outputs / reports.PROFILE / "report"
    for name in ("executed.ipynb", "provenance.json"):
        shutil.copyfile(folder / name, there / name)
    (there / "findings.json").write_text("{}", encoding="utf-8")
    (there / cards.PRIVATE).mkdir()
    (there / cards.PRIVATE / "card.md").write_text("x", encoding="utf-8")
    shown = publish.publish(reports.PROFILE) / "report"
    kept = {path.relative_to(shown).as_posix() for path in shown.glob("*/*")}
    files = ("card.md", "card.html", "families.png")
    assert {f"card-mini/{name}" for name in files} <= kept
    assert not [name for name in kept if name.startswith(cards.PRIVATE)]


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM, reason="no Chromium on PATH (on Debian: apt install chromium)")
def test_a_card_is_one_screen_and_no_wider_than_a_phone(outputs):
    plain("mini", PLAIN)
    typed("mini", "nnnnn nnnnn")
    made(outputs)
    folder = outputs / reports.PROFILE / "report" / "card-mini"
    size = "[document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight]"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for path in sorted(folder.glob("card*.html")):
            for screen in (DESK, PHONE):
                page = browser.new_context(**screen).new_page()
                page.goto(path.as_uri())
                width, height = page.evaluate(size)
                assert width <= screen["viewport"]["width"], path.name
                assert height <= screen["viewport"]["height"] or screen is PHONE, path.name
        browser.close()


def test_two_cards_of_the_same_runs_are_the_same_bytes(outputs):
    typed("mini", "ppppn nnnnp")
    assert made(outputs) == made(outputs)


def test_costliest_are_errors_added_before_labels_that_flip():
    rows = pd.DataFrame({"value": [0.3, 0.1, 0.2], "lower": 0.0, "upper": 0.5, "n": 100})
    rows = rows.assign(quantity=["flips", "errors added", "errors added"], label=list("abc"))
    assert cards._costliest(rows.assign(family="x"))["label"] == "c"
    assert cards._costliest(rows[:1].assign(family="x"))["label"] == "a"
    assert cards._costliest(rows[:0].assign(family="x")) is None
