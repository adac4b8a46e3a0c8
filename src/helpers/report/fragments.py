"""HTML of notebooks made fit for the page: known tags only (bleach), tables that say what they are
and scroll in their boxes, and no folders of the machine it was made on.
"""

import re
from itertools import count

import bleach
from bs4 import BeautifulSoup
from markupsafe import Markup

from helpers import layout
from tahanuji import paths

CELLS = {"class", "colspan", "rowspan", "lang", "title"}
TAGS = [
    "a",
    "abbr",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "del",
    "details",
    "div",
    "dl",
    "dt",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
]
NUMBER = re.compile(
    r"[<]?[-+−]?\d[\d.,]*( ?%| pp)?( \([-+−\d.,]+%? to [-+−\d.,]+%?\))?|nan|NaN|True|False"
)
LONG = 120  # characters of a cell from which it is prose, and gets a width to be read in
INTERVAL = re.compile(r"([-+−]?\d[\d.]*)%? \(([-+−]?\d[\d.]*)%? to ([-+−]?\d[\d.]*)%?\)")
ABSOLUTE = re.compile(
    r"(?<![\w.:/~-])/(?:home|Users|root|tmp|var|mnt|media|work|srv|opt|scratch|content|private)/(?:[^\s'\"<>,:]*/)?([^\s'\"<>,:/]*)"
)
PLOT = (
    '<svg class="plot" aria-hidden="true" height="10">'
    '<line class="tick" x1="{0:.1f}%" x2="{0:.1f}%" y1="0" y2="10"></line>'
    '<line x1="{2:.1f}%" x2="{3:.1f}%" y1="5" y2="5"></line>'
    '<circle cx="{1:.1f}%" cy="5" r="3"></circle></svg>'
)


def safe(text: str) -> Markup:
    """HTML that may stand in the page.

    >>> safe("<p onclick='x()'>a<script>b</script><b>c</b></p>")
    Markup('<p>ab<b>c</b></p>')
    """
    text = re.sub(r"<style\b.*?</style>", "", tidy(text), flags=re.DOTALL | re.IGNORECASE)
    cleaned = bleach.clean(text, tags=TAGS, attributes=_allowed, protocols={"https"}, strip=True)
    if "<table" not in cleaned and "<h1" not in cleaned:
        return Markup(cleaned)
    soup = BeautifulSoup(cleaned, "html.parser")
    for heading in soup.find_all("h1"):
        heading.name = "h2"
    for number, table in zip(count(1), soup.find_all("table")):
        _tell(table, number)
    return Markup(str(soup))


def linked(text: str, places: dict[str, str]) -> str:
    """Tables in which the cells of a column `test` lead to the test's place on the page; what
    stands in brackets behind a name does not count.
    """
    soup = BeautifulSoup(text, "html.parser")
    cells = [cell for table in soup.find_all("table") for cell in _column(table, "test")]
    for cell in cells:
        words = cell.get_text().strip()
        place = places.get(words) or places.get(re.sub(r" \([^)]*\)$", "", words))
        if place and not cell.find("a"):
            link = soup.new_tag("a", href=f"#{place}")
            link.string = words
            cell.clear()
            cell.append(link)
    return str(soup)


def plotted(text: str) -> Markup:
    """Tables in which a cell with an interval shows it too: a dot for the value and a line for the
    interval, on one scale in the whole table, with a tick at 0.
    """
    soup = BeautifulSoup(text, "html.parser")
    for table in soup.find_all("table"):
        cells = [(cell, _interval(cell.get_text())) for cell in table.find_all("td")]
        cells = [(cell, numbers) for cell, numbers in cells if numbers]
        low = min([0.0, *(min(numbers) for _, numbers in cells)])
        span = max([0.0, *(max(numbers) for _, numbers in cells)]) - low
        for cell, numbers in cells if span else []:
            places = [100 * (number - low) / span for number in (0.0, *numbers)]
            cell.append(BeautifulSoup(PLOT.format(*places), "html.parser"))
    return Markup(str(soup))


def placed(text: str, section: str) -> Markup:
    """HTML in which bold words are a place that links can lead to, where they begin a point the
    whole point; of the same words the first.

    >>> placed("<ul><li><strong>What it costs.</strong> Much.</li></ul>", "answer")
    Markup('<ul><li id="answer-what-it-costs"><strong>What it costs.</strong> Much.</li></ul>')
    """
    soup = BeautifulSoup(text, "html.parser")
    places = set()
    for bold in soup.find_all("strong"):
        words = re.findall(r"[a-z0-9]+", bold.get_text().lower())
        name = "-".join([section, *words])
        if name not in places:
            begins = bold.parent.name == "li" and bold.parent.get_text().startswith(bold.get_text())
            (bold.parent if begins else bold)["id"] = name
            places.add(name)
    return Markup(str(soup))


def folded(text: str) -> Markup:
    """HTML in which every table with a caption is folded behind it."""
    soup = BeautifulSoup(text, "html.parser")
    for box in soup.find_all("div", class_="scroll"):
        caption = box.find("caption")
        if caption:
            summary = soup.new_tag("summary")
            summary.string = caption.get_text().strip()
            box.wrap(soup.new_tag("details", attrs={"class": "folded"})).insert(0, summary)
    return Markup(str(soup))


def _interval(words: str) -> list[float]:
    """Value, low and high that a cell prints; none where it prints no interval."""
    printed = INTERVAL.search(words)
    return [float(number.replace("−", "-")) for number in printed.groups()] if printed else []


def _column(table, head: str) -> list:
    """The cells of a table's column below its head; none where it has no such column."""
    heads, *rows = [row.find_all(["th", "td"]) for row in table.find_all("tr")] or [[]]
    words = [cell.get_text().strip() for cell in heads]
    if head not in words:
        return []
    place = words.index(head)
    return [cells[place] for cells in rows if len(cells) == len(heads)]


def _allowed(tag: str, name: str, value: str) -> bool:
    """Whether an attribute stays: ids on what is linked to, classes, and links."""
    if name == "id":
        return tag in {"h2", "h3", "h4", "h5", "h6", "details", "a"}
    if tag == "a":
        return name in {"href", "class", "title"}
    return name in CELLS


def _tell(table, number: int) -> None:
    """Give a table's cells their scope, whether they are numbers or long texts, and the table its
    box.
    """
    soup = BeautifulSoup("", "html.parser")
    head = table.find("thead")
    if head:
        _one_row(head)
    for cell in table.find_all(["th", "td"]):
        words = cell.get_text().strip()
        if cell.name == "th" and not words:
            cell.name = "td"
        elif cell.name == "th":
            cell["scope"] = "col" if cell.find_parent("thead") else "row"
        if NUMBER.fullmatch(words):
            cell["class"] = [*cell.get("class", []), "number"]
        elif len(words) > LONG and cell.name == "td":
            cell["class"] = [*cell.get("class", []), "long"]
    name = table.find("caption")
    words = name.get_text() if name else f"Table {number}"
    box = {"class": "scroll", "role": "region", "tabindex": "0", "aria-label": words}
    table.wrap(soup.new_tag("div", attrs=box))


def _one_row(head) -> None:
    """The head of a pandas table in one row: pandas puts the names of the index into a second one,
    whose other cells are empty. A head without a word goes.
    """
    rows = [row.find_all(["th", "td"]) for row in head.find_all("tr")]
    if not head.get_text().strip():
        head.decompose()
    elif len(rows) == 2 and len(rows[0]) == len(rows[1]):
        filled = [bool(cell.get_text().strip()) for cell in rows[1]]
        if all(filled[: sum(filled)]):
            for above, below in list(zip(*rows, strict=True))[: sum(filled)]:
                above.replace_with(below.extract())
            head.find_all("tr")[-1].decompose()


def tidy(text: str) -> str:
    """A text without folders of the machine it was made on: below outputs/ and the repository
    relative, elsewhere the last part.

    >>> tidy("/opt/models/best and file:///srv/study/outputs/cpu, see https://hub/home/x")
    '…/best and outputs/cpu, see https://hub/home/x'
    """
    text = text.replace("file://", "").replace(f"{layout.outputs()}/", "outputs/")
    text = text.replace(f"{paths.ROOT}/", "")
    text = re.sub(r"(?<![\w.:/~-])/[^\s'\"<>]*/(outputs/)", r"\1", text)
    return ABSOLUTE.sub(r"…/\1", text)
