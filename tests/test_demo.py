"""The page on which anybody can try a classifier: what it is made of, and in a real browser whether
it answers as Python does.
"""

import base64
import hashlib
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import ROOT
from pages import CHROMIUM, DESK, FLAGS, PHONE, READY, parse
from playwright.sync_api import Page, expect, sync_playwright
from rapidfuzz.distance import OSA
from test_indonesian import holes, placed
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

import tahanuji
from study import __main__ as study
from study.demo import command, network, tables
from study.report import words
from tahanuji import data, lexicons, perturb
from tahanuji.errors import InputError
from tahanuji.harden import defences, halves, normalise
from tahanuji.models.transformer import Transformer

LABELS = data.labels("embedded")
TEXTS = data.load("embedded", "test")["text"].tolist()
TYPED = [
    "Gk enak bgttt, mkanan2nya bgus tp mahal @budi #promo",
    "GAK ENAK SAMA SEKALI",
    "b4gus bngt wkwkwk, anak2nya main2 terus baguuuus sekaliii",
    "Dr. Budi ga dtg, Louis XIII juga nggk",
    "1/2 porsi 25rb, UU 12/2003, http://a.co/b?c=1 keren",
    "Naïve café 😀👍🏽 👨‍👩‍👧 ❤️ k*ren",
    "jum’at ‘besok’ – kata “dia” … ½ ℹ info",
    "[USERNAME] halo <mask> [MASK] :D xD",
    "  dua  spasi\tdan\nbaris 你好 ",
    "Ga-204 tdk ada, lbh-baik drpd se-gitu, kebangeten2an",
    f"panjang {'a' * 120} sekali",
]


def folder(path: Path, names: str = "normaliser", half: str | None = None, **settings) -> Path:
    """A folder with a tiny network of random weights and other columns than LABELS."""
    torch.manual_seed(3)
    at = {"id2label": dict(enumerate(LABELS[::-1])),
          "label2id": {label: n for n, label in enumerate(LABELS[::-1])}}  # fmt: skip
    size = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=16000, intermediate_size=64, initializer_range=0.3, **size, **at)
    for name, value in settings.items():
        setattr(config, name, value)
    model = BertForSequenceClassification(config)
    with torch.no_grad():
        for vector in (one for one in model.parameters() if one.ndim == 1):
            vector.add_(torch.randn_like(vector) * 0.3)
        model.classifier.weight.mul_(5)  # answers that differ
    tokenizer = AutoTokenizer.from_pretrained(ROOT / "data/models/mini")
    defences.save(Transformer(model, tokenizer, LABELS, 48), path, names, half)
    return path


@pytest.fixture(scope="module")
def tiny(tmp_path_factory) -> Path:
    """The folder of a tiny network behind the normaliser."""
    return folder(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def page(tiny) -> Path:
    """Its page, which lies beside it."""
    return command.write(tiny, tiny / "demo.html")


# What the page is made of


def test_the_command_writes_the_page_and_says_where(tiny, page, tmp_path, capsys):
    assert study.main(["demo", str(tiny), str(tmp_path / "own.html")]) == 0
    assert "own.html: " in capsys.readouterr().out
    assert (tmp_path / "own.html").read_bytes() == page.read_bytes()


def test_what_cannot_be_written_is_refused_first(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command, "render", lambda *_: pytest.fail("a page was made"))
    for given, said in (
        ([str(tmp_path / "tiada" / "page.html")], "there is no folder"),
        ([str(tmp_path / "page.html"), "--threshold", "60"], "a probability from 0 to 1, not 60."),
    ):
        assert study.main(["demo", str(tmp_path), *given]) == 2
        assert said in capsys.readouterr().err


def test_the_page_is_well_made_and_only_its_own_scripts_run(page):
    root = parse(page)
    ids = [one.attributes["id"] for one in root.all() if "id" in one.attributes]
    assert len(ids) == len(set(ids))
    scripts = [one for one in root.all("script") if "type" not in one.attributes]
    digests = [hashlib.sha256("".join(one.parts).encode()).digest() for one in scripts]
    allowed = root.all("meta", http_equiv="Content-Security-Policy")[0].attributes["content"]
    assert len(scripts) == len(command.SCRIPTS)
    assert all(f"'sha256-{base64.b64encode(one).decode()}'" in allowed for one in digests)
    assert "default-src 'none'" in allowed
    text = page.read_text(encoding="utf-8")
    assert not re.search(r"(?:src|href)=[\"'](?!#|data:)", text)
    assert all("lang" in one.attributes for one in root.all("textarea"))


def test_weights_are_those_of_the_network_but_for_the_rounding(tiny):
    classifier = network.bare(defences.load(tiny), "normaliser")
    about, text = network.packed(classifier)
    kept, at = base64.b64decode(text), 0
    floats = sum(shape[0] for shape in about["shapes"].values())
    numbers = np.frombuffer(kept[: 4 * floats], "<f4")
    bits, start = np.frombuffer(kept[4 * floats :], "<i2"), 0
    weights = {name.removeprefix("bert."): one.numpy()
               for name, one in classifier.model.state_dict().items()}  # fmt: skip
    for name in ("classifier.weight", "classifier.bias"):
        weights[name] = weights[name][::-1]  # the network's columns are the other way round
    for name, (rows, *columns) in about["shapes"].items():
        own, at = numbers[at : at + rows], at + rows
        whole = weights[name][:rows]
        if not columns:
            assert np.array_equal(own, whole)
            continue
        matrix = bits[start : start + rows * columns[0]].reshape(rows, -1)
        start += matrix.size
        assert (np.abs(matrix * own[:, None] - whole) <= own[:, None] * 0.51 + 1e-7).all()
    assert start == len(bits) and at == len(numbers)
    assert about["shapes"]["embeddings.position_embeddings.weight"][0] == 48


@pytest.mark.parametrize(
    ("names", "settings", "said"),
    [
        ("clusters", {}, "no Clusters before its network"),
        ("normaliser+ensemble", {}, "no Ensemble before its network"),
        ("normaliser", {"hidden_act": "relu"}, "hidden_act is gelu, not relu"),
    ],
)
def test_what_the_page_cannot_compute_is_refused(tmp_path, names, settings, said):
    with pytest.raises(InputError, match=said):
        command.render(folder(tmp_path, names, **settings))


def test_a_classifier_of_n_grams_is_refused(tmp_path, capsys):
    rows, valid = (data.load("embedded", split).head(60) for split in ("train", "valid"))
    job = tahanuji.training.Job("tfidf", "embedded", tmp_path / "job", seed=1)
    defences.save(defences.fit("", job, rows, valid, {}), tmp_path / "model", "")
    assert study.main(["demo", str(tmp_path / "model"), str(tmp_path / "page.html")]) == 2
    assert "model_type is bert, not tfidf" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_changes_take_the_forms_that_hardened_nothing():
    every, tests = (tables.changes(half)["tables"] for half in (None, "hardening"))
    for name, table in tests.items():
        forms = {form for own in table.values() for form in own}
        assert forms and all(halves.of(form) == "tests" for form in forms), name
        assert forms < {form for own in every[name].values() for form in own}


def test_words_with_several_readings_are_not_mixed_and_fixed_expressions_stay():
    mixed = tables.changes(None)["tables"]["en"]
    lines = lexicons.rows(lexicons.LEXICONS / "codemix.csv", 4)
    every = [row[0] for _, row in lines]
    words_ = {word for word, forms in mixed.items() if forms}
    assert "kecewa" in words_ and "dapat" in every and "dapat" not in words_
    assert all(every.count(word) == 1 for word in words_)
    assert mixed["guru besar"] == [] and tables.changes(None)["tables"]["slang"]["uang muka"] == []


def test_both_languages_say_the_same_strings():
    english, own = (
        placed(dict(words.paths.read_yaml(words.FOLDER / name / "demo.yaml")))
        for name in ("en", "id")
    )
    assert own.keys() - english.keys() == {("examples",)} and english.keys() <= own.keys()
    assert len(own["topics",]) == len(english["topics",]) == len(own["examples",])
    for place, value in english.items():
        assert isinstance(value, list) or holes(value) == holes(own[place]), place
    script = (words.FOLDER / "demo" / "page.js").read_text(encoding="utf-8")
    drawn = re.search(r"const CHANGES = \[(.*?)\]", script, re.DOTALL)[1]
    assert set(re.findall(r"\w+", drawn)) == {place[1] for place in english if place[0] == "kinds"}


# In a real browser


@pytest.fixture(scope="module")
def visit(page):
    """Opens a page; afterwards nothing was on the console and nothing but pages was asked for."""
    if not CHROMIUM:
        pytest.skip("no Chromium on PATH (on Debian: apt install chromium)")
    heard, asked = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)

        def opened(path: Path = page, **settings) -> Page:
            one = browser.new_context(**{**DESK, "locale": "en", **settings}).new_page()
            one.on("console", lambda message: heard.append(f"{message.type}: {message.text}"))
            one.on("pageerror", lambda error: heard.append(str(error)))
            one.on("request", lambda request: asked.append(request.url))
            one.goto(path.as_uri())
            one.wait_for_selector(READY, state="attached", timeout=60_000)
            return one

        yield opened
        browser.close()
    assert not heard
    assert asked and not [url for url in asked if not url.startswith(("file:", "data:"))]


@pytest.fixture(scope="module")
def shown(visit) -> Page:
    """The page, for what changes nothing on it."""
    return visit()


def typed(page: Page, text: str) -> None:
    """Type a sentence and wait for all answers."""
    page.locator("#text").fill(text)
    done(page)


def done(page: Page) -> None:
    page.wait_for_timeout(250)  # what is typed is waited for
    expect(page.locator("#changed")).to_have_attribute("aria-busy", "false", timeout=30_000)


@pytest.mark.long
def test_the_page_answers_as_python_does(shown, tiny):
    texts = TEXTS[:50] + TYPED
    answer = "all => all.map((text) => network.answer(pieces.numbers(text)))"
    said = np.array(shown.evaluate(answer, texts))
    shares = network.bare(defences.load(tiny), "").predict_proba(texts)
    assert np.abs(said - shares).max() < 0.001
    assert shares.std(0).max() > 0.1 and len(set(shares.argmax(1))) > 1


@pytest.mark.long
def test_the_page_cuts_words_as_the_tokenizer_does(shown, tiny):
    texts = TEXTS[:150] + TYPED
    tokenizer = AutoTokenizer.from_pretrained(tiny)
    cut = shown.evaluate("all => all.map((text) => pieces.cut(text))", texts)
    assert cut == [tokenizer.tokenize(text) for text in texts]


def noisy(count: int) -> list[str]:
    """Words of the test texts under changes, each once."""
    frame, made = data.load("embedded", "test"), []
    for name, rate in (("realistic_noise", 0.3), ("typos", 1.0), ("keyboard", 0.1)):
        for text, new in zip(TEXTS, perturb.apply(name, frame, rate, seed=3), strict=True):
            pairs = zip(text.split(), (new or text).split(), strict=False)
            made += [other for one, other in pairs if other != one]
    made = sorted(set(made))
    random.Random(3).shuffle(made)
    return made[:count]


@pytest.mark.long
@pytest.mark.parametrize("half", [None, "hardening"])
def test_the_page_normalises_as_python_does(visit, shown, tmp_path, half):
    one = visit(command.write(folder(tmp_path, half=half), tmp_path / "p.html")) if half else shown
    made = "all => all.map((text) => joined(normaliser.parts(text)))"
    for texts in (noisy(500), TEXTS[:100], TYPED):
        said = one.evaluate(made, texts)
        wanted = [normalise.normalise(text, half) for text in texts]
        assert said == wanted
        assert sum(map(str.__ne__, texts, wanted)) > 5


@pytest.mark.long
def test_a_typed_sentence_is_answered_with_and_without_the_normaliser(visit, tiny):
    page, text = visit(), "gk enak bgt, kecewa"
    typed(page, text)
    chips = page.locator("#answers .chip").all_inner_texts()
    own = defences.load(tiny)
    for chip, classifier in zip(chips, (own, network.bare(own, "")), strict=True):
        shares = classifier.predict_proba([text])[0]
        label, share = re.search(r"(\w+), (\d+)%", chip).groups()
        assert label == LABELS[shares.argmax()] and abs(int(share) / 100 - shares.max()) < 0.006
        assert chip.startswith("not sure") == (int(share) < 60)
    assert page.locator("#said").inner_text() == chips[0]
    assert page.locator("#read").inner_text().endswith(normalise.normalise(text))
    assert page.locator("#read ins").all_inner_texts() == ["tidak", "banget,"]
    typed(page, f"<b>enak</b> {'sekali ' * 50}")
    assert page.locator("main b").count() == 0
    assert page.locator("#read").inner_text().endswith("the network reads its beginning alone.")
    typed(page, "")
    assert page.locator("#said").inner_text() == "Type a sentence above."
    assert page.locator("#changed tbody tr").count() == 0


@pytest.mark.long
def test_every_change_is_answered_and_moved_labels_are_counted(visit):
    page, moved = visit(), []
    rows = page.locator("#changed tbody tr")
    page.get_by_label("the normaliser stands before the network").uncheck()
    for text in ("enak sekali", "tidak puas", "kecewa", TEXTS[1]):
        typed(page, text)
        assert rows.count() == 13
        moved.append(page.locator("#changed small", has_text="another label").count())
        said = page.locator("#moved").inner_text()
        assert said == f"{moved[-1]} of {rows.locator('.chip').count()} changes move the label."
    assert len(set(moved)) > 1
    plain = page.locator("#changed .chip").all_inner_texts()
    page.get_by_label("the normaliser stands before the network").check()
    done(page)
    assert page.locator("#changed .chip").all_inner_texts() != plain
    before = rows.all_inner_texts()
    page.get_by_role("button", name="Draw again").click()
    done(page)
    assert rows.all_inner_texts() != before


def changed(page: Page, name: str, check: Callable[[str, str], bool]) -> int:
    """How many parts of texts change, each of which passes a check beside what stood there."""
    draw = "(text, seed) => changes.edits(name, text, generator(seed))"
    drawn = page.evaluate(f"([name, texts]) => texts.map({draw})", [name, TEXTS[:40]])
    pairs = [(text[start:end], new) for text, edits in zip(TEXTS, drawn, strict=False)
             for start, end, new in edits]  # fmt: skip
    assert not [pair for pair in pairs if not check(*pair)]
    return len(pairs)


@pytest.mark.long
def test_changes_are_what_they_say(shown):
    tables_ = tables.changes(None)["tables"]
    forms = {name: {(phrase, form) for phrase, own in table.items() for form in own}
             for name, table in tables_.items()}  # fmt: skip
    assert changed(shown, "typos", lambda old, new: OSA.distance(old, new) == 1) > 100
    assert changed(shown, "slips", lambda old, new: OSA.distance(old, new) == 1) > 100
    assert changed(shown, "capitals", lambda old, new: old.upper() == new) == 40
    dropped = re.compile("(?<=.)[aeiou]")
    assert changed(shown, "dropped", lambda old, new: dropped.sub("", old) == new) > 100
    for name, pairs in forms.items():
        assert changed(shown, name, lambda old, new, pairs=pairs: (old, new) in pairs) > 5


@pytest.mark.long
def test_below_the_threshold_the_answer_is_not_sure(visit, tiny, tmp_path):
    page = visit(command.write(tiny, tmp_path / "page.html", threshold=1.01))
    assert page.locator("#said").inner_text().startswith("not sure (")
    assert page.locator(".chip").count() == page.locator(".chip.undecided").count() > 2


@pytest.mark.long
def test_without_a_normaliser_the_network_reads_what_is_typed(visit, tmp_path):
    page = visit(command.write(folder(tmp_path / "bare", ""), tmp_path / "page.html"))
    ways = page.locator("#answers th[scope=row]").all_inner_texts()
    assert [way.startswith("as typed") for way in ways] == [True, False]
    assert not page.get_by_label("the normaliser stands before the network").is_checked()
    assert page.locator("#said").inner_text() == page.locator("#answers .chip").first.inner_text()


@pytest.mark.long
@pytest.mark.parametrize("screen", [DESK, PHONE], ids=["desk", "phone"])
def test_examples_and_both_languages_at_every_width(visit, screen):
    page, held = visit(**screen), words.paths.read_yaml(words.FOLDER / "id" / "demo.yaml")
    wide = "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
    for number, topic in enumerate(held["topics"]):
        page.locator("#examples button").nth(number).click()
        done(page)
        assert page.locator("#text").input_value() == held["examples"][number]
        assert page.evaluate(wide) <= 0, topic
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.locator("h1").bounding_box()["y"] < page.locator("#said").bounding_box()["y"]
    said = page.locator("#said").bounding_box()
    assert said["y"] + said["height"] < page.viewport_size["height"]
    page.get_by_role("button", name="Bahasa Indonesia").click()
    done(page)
    assert page.locator("html").get_attribute("lang") == "id"
    assert page.title() == held["page"] and page.locator("h1").inner_text() == held["title"]
    assert page.locator("#answers thead th").all_inner_texts()[1:] == [*held["labels"].values()]
    assert page.locator("#changed tbody th").first.inner_text() == held["kinds"]["typos"]
    assert page.evaluate(wide) <= 0
    assert visit(locale="id-ID").locator("html").get_attribute("lang") == "id"


@pytest.mark.long
def test_the_keyboard_reaches_everything(visit):
    page = visit()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "text"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    done(page)
    assert page.locator("#text").input_value().startswith("udah 5 hari")
    boxes = page.locator("button, textarea, input").all()
    assert all(box.evaluate("one => one.labels?.length || one.textContent") for box in boxes)
