"""A made-up report with its runs, for tests of the page, and a strict reader of the page's HTML."""

import io
import shutil
from html.parser import HTMLParser
from pathlib import Path

import reports
from matplotlib.figure import Figure
from playwright.sync_api import sync_playwright

from helpers import tables
from study.report import page, report

TYPOS, GRID, INSERTION = "05_typos", "07_perturbation_grid", "03_sentence_insertion"
FOLDER = "/".join(["", "home", "someone", ""])
HOSTILE = "</script><script>document.title='obeyed'</script><img src=x onerror=alert(2)> =1+1 &amp;"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome", "microsoft-edge")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--no-sandbox",
    "--no-first-run",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--proxy-server=http://127.0.0.1:9",  # is not there: a request to anywhere fails and is seen
    "--proxy-bypass-list=<-loopback>",
]
READY = "html[data-ready=true]"
PHONE = {"viewport": {"width": 390, "height": 844}}
DESK = {"viewport": {"width": 1280, "height": 900}}
ANSWERED = {  # a new reader's questions, and where the page answers them
    "Which model would you deploy?": "#answer-which-model",
    "Does typing matter?": "#answer-typing",
    "Is *gak* a problem?": "#answer-gak-for-tidak",
    "What of the words that people use every day?": "#answer-informal-wording",
    "And English words?": "#answer-english-words",
    "What can I do?": "#answer-what-helps",
    "What does it take to stand a test?": "#answer-how-far-to-trust-this",
    "What hurts most?": "#answer figure:not(.skilled)",
    "Show me a failure.": "#answer-example .case",
    "Did the thesis's claims hold?": 'nav a[href="#claims"]',
    "Which models and texts is this about?": 'nav a[href="#trust"]',
    "Where is every test?": 'nav a[href="#costs"]',
}
ANYWHERE = {  # those whose answer stands at the same place in every language
    question: place for question, place in ANSWERED.items() if not place.startswith("#answer-")
}
VOID = {"meta", "link", "br", "hr", "img", "input", "wbr"}
DRAWN = {"circle", "line", "polygon", "polyline"}
BLOCKS = {
    "p",
    "div",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "blockquote",
    "h1",
    "h2",
    "h3",
    "h4",
    "section",
    "article",
    "form",
    "figure",
    "details",
}
NEVER_INSIDE = {"a": {"a", "button"}, "button": {"a", "button", "select", "input"}, "p": BLOCKS}


def figure(title: str) -> bytes:
    """A figure as a png with the title it carries."""
    file = io.BytesIO()
    Figure(figsize=(4, 2)).savefig(file, metadata={"Title": title} if title else {})
    return file.getvalue()


def write_runs(text: str = "") -> None:
    """Runs of two models: an INV test with verdicts, and the grid, whose list holds a flip that
    passed.
    """
    for model, said in (("tfidf", "ppnno"), ("mini", "pnnnp")):
        rows = reports.perturbed("ppnno", "ppnnn", {"typos 0.3": said})
        rows["perturbed"] = rows["perturbed"] + text
        reports.write(model, TYPOS, rows.assign(moved=True), judged="INV")
    rows = reports.perturbed("ppnno", "ppnnn", {"keyboard 0.05": "pnnno"})
    folder = reports.write("mini", GRID, rows)
    tables.write(folder / "misclassified.csv", rows[rows["flip"]])


def build(outputs: Path) -> Path:
    """The page of the made-up runs below `outputs`; its path."""
    return page.write(report.of(reports.PROFILE), outputs / reports.PROFILE / "report")


class Element:
    """An element that was read: tag, attributes, parent, children, and the text directly in it."""

    def __init__(self, tag: str, attributes: dict, parent: "Element | None"):
        self.tag, self.attributes, self.parent = tag, attributes, parent
        self.children: list[Element] = []
        self.parts: list = []

    def all(self, tag: str | None = None, **wanted: str) -> list["Element"]:
        """The elements below this one, of a tag and with attribute values where these are given
        (`class_` for class).
        """
        found = []
        for child in self.children:
            fits = tag in (None, child.tag) and all(
                child.attributes.get(name.rstrip("_").replace("_", "-")) == value
                for name, value in wanted.items()
            )
            found += [child] * fits + child.all(tag, **wanted)
        return found

    @property
    def text(self) -> str:
        return " ".join(
            "".join(
                part if isinstance(part, str) else f" {part.text} " for part in self.parts
            ).split()
        )

    def inside(self, tag: str) -> bool:
        return self.parent is not None and (self.parent.tag == tag or self.parent.inside(tag))


class Strict(HTMLParser):
    """Reads a page and asserts that its elements are well nested."""

    def __init__(self):
        super().__init__()
        self.root = self.open = Element("", {}, None)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        assert len(dict(attrs)) == len(attrs), (tag, attrs)
        made = Element(tag, dict(attrs), self.open)
        for outer, forbidden in NEVER_INSIDE.items():
            assert not (tag in forbidden and made.inside(outer)), (
                f"<{tag}> inside <{outer}>, line {self.getpos()[0]}"
            )
        self.open.children.append(made)
        self.open.parts.append(made)
        if tag not in VOID:
            self.open = made

    def handle_startendtag(self, tag: str, attrs: list) -> None:
        assert tag in VOID | DRAWN, tag
        self.handle_starttag(tag, attrs)
        if tag in DRAWN:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.tag, f"</{tag}> closes <{self.open.tag}>, line {self.getpos()[0]}"
        self.open = self.open.parent

    def handle_data(self, data: str) -> None:
        self.open.parts.append(data)


def parse(path: Path) -> Element:
    """The elements of a page, strictly nested."""
    reader = Strict()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    assert reader.open is reader.root, f"<{reader.open.tag}> stays open"
    return reader.root


def late(path: Path, screen: dict, asked: dict[str, str] = ANSWERED) -> list[str]:
    """Of the questions those whose answer is not seen on the page's first two screens."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_context(**screen).new_page()
        page.goto(path.as_uri())
        page.wait_for_selector(READY, state="attached")
        ends = {}
        for question, place in asked.items():
            found = page.locator(place)
            box = found.bounding_box() if found.count() == 1 and found.is_visible() else None
            ends[question] = box["y"] + box["height"] if box else float("inf")
        browser.close()
    return [name for name, end in ends.items() if end > 2 * screen["viewport"]["height"]]
