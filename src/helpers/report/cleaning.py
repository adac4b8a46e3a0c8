"""HTML of notebooks made fit for a page of the report: known tags only, well nested, nothing that
loads or runs, tables that say what they are.
"""

import html
import re
from html.parser import HTMLParser

from markupsafe import Markup

VOID = {"br", "hr", "img", "wbr"}
BLOCKS = {
    "p",
    "div",
    "ul",
    "ol",
    "dl",
    "table",
    "pre",
    "blockquote",
    "hr",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
}
DROPPED = {
    "style",
    "script",
    "title",
    "head",
    "iframe",
    "object",
    "template",
    "noscript",
    "textarea",
    "select",
    "svg",
    "math",
    "button",
    "form",
}
ALLOWED = {
    **dict.fromkeys(
        (
            "p",
            "div",
            "ul",
            "ol",
            "li",
            "dl",
            "dt",
            "dd",
            "pre",
            "blockquote",
            "hr",
            "br",
            "wbr",
            "span",
            "thead",
            "tbody",
            "tfoot",
            "tr",
        ),
        (),
    ),
    **dict.fromkeys(
        (
            "b",
            "strong",
            "i",
            "em",
            "code",
            "kbd",
            "sub",
            "sup",
            "del",
            "ins",
            "mark",
            "small",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "table",
            "caption",
        ),
        (),
    ),
    "th": ("colspan", "rowspan"),
    "td": ("colspan", "rowspan"),
    "a": ("href",),
}
CLOSES = {"td": {"td", "th"}, "th": {"td", "th"}, "tr": {"td", "th", "tr"}, "li": {"li"}}
NUMBER = re.compile(
    r"[<]?[-+−]?\d[\d.,]*( ?%| pp)?( \([-+−\d.,]+%? to [-+−\d.,]+%?\))?|nan|NaN|True|False"
)
TEXT_COLUMNS = {"text", "perturbed", "original"}


class Cleaner(HTMLParser):
    """Rebuilds HTML from what is allowed; `found` is the result's parts, `ids` the ids that the
    page has already.
    """

    def __init__(self, ids: set[str], place: str):
        super().__init__(convert_charrefs=True)
        self.ids, self.place = ids, place
        self.found: list[str] = []
        self.stack: list[tuple[str, int]] = []
        self.skipped = 0
        self.heads: list[str] = []
        self.headless = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if (
            self.skipped
            or tag in DROPPED
            or (tag == "a" and "anchor-link" in (given.get("class") or ""))
        ):
            self.skipped += tag not in VOID
        elif tag == "img":
            self._words(given.get("alt") or "")
        elif tag == "h1":
            self.handle_starttag("h2", attrs)
        elif tag in ALLOWED:
            if tag in BLOCKS and "p" in self._open():
                self.handle_endtag("p")
            while self.stack and self.stack[-1][0] in CLOSES.get(tag, ()):
                self.handle_endtag(self.stack[-1][0])
            if tag == "table":
                self._start_table()
            self.found.append(self._start(tag, given))
            if tag not in VOID:
                self.stack.append((tag, len(self.found)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.skipped:
            self.skipped -= tag not in VOID
            return
        tag = "h2" if tag == "h1" else tag
        while tag in self._open():
            name, start = self.stack.pop()
            self._close(name, start)
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        if not self.skipped:
            self._words(data)

    def close(self) -> None:
        super().close()
        while self.stack:
            self.handle_endtag(self.stack[-1][0])

    def _open(self) -> list[str]:
        return [name for name, _ in self.stack]

    def _words(self, text: str) -> None:
        self.found.append(html.escape(text, quote=False))

    def _start(self, tag: str, given: dict) -> str:
        kept = {name: given[name] for name in ALLOWED[tag] if given.get(name)}
        if not re.match(r"https?://|#", kept.get("href", "#")):
            del kept["href"]
        if tag == "td" or tag == "th":
            kept = {name: value for name, value in kept.items() if value.isdigit()}
        words = "".join(f' {name}="{html.escape(value)}"' for name, value in kept.items())
        return f"<{tag}{words}>"

    def _start_table(self) -> None:
        self.heads, self.headless = [], False
        self.found.append(
            f'<div class="scroll" role="region" tabindex="0" aria-label="Table, '
            f'{html.escape(self.place)}">'
        )

    def _close(self, tag: str, start: int) -> None:
        inner = "".join(self.found[start:])
        words = html.unescape(re.sub(r"<[^>]*>", "", inner)).strip()
        if tag == "thead" and not words:
            self.headless = True
            del self.found[start - 1 :]
            return
        if tag == "thead":
            self.found[start:] = [_one_row(inner)]
        elif tag in {"td", "th"}:
            tag = self._close_cell(tag, start, words)
        elif tag in {"h2", "h3", "h4", "h5", "h6"}:
            self.found[start - 1] = f'<{tag} id="{self._id(words)}">'
        self.found.append(f"</{tag}>" + ("</div>" if tag == "table" else ""))

    def _close_cell(self, tag: str, start: int, words: str) -> str:
        """A head cell gets its scope, or is none where it is empty; a cell says whether it is a
        number or Indonesian. Its final tag.
        """
        opening, more = self.found[start - 1], ""
        names_row = (
            self.headless and self.found[start].startswith("<strong>")
            if len(self.found) > start
            else False
        )
        tag = "th" if words and (tag == "th" or names_row) else "td"
        if tag == "th":
            more = ' scope="col"' if "thead" in self._open() else ' scope="row"'
            self.heads.append(words)
        elif TEXT_COLUMNS & set(self.heads) and len(words.split()) > 3:
            more = ' lang="id"'
        if NUMBER.fullmatch(words):
            more += ' class="number"'
        self.found[start - 1] = f"<{tag}{opening[3:-1]}{more}>"
        return tag

    def _id(self, words: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "section"
        name, number = plain, 2
        while name in self.ids:
            name, number = f"{plain}-{number}", number + 1
        self.ids.add(name)
        return name


def _one_row(head: str) -> str:
    """The head of a pandas table in one row: pandas puts the names of the index into a second one,
    whose other cells are empty.
    """
    rows = [
        re.findall(r"<(t[dh])([^>]*)>(.*?)</\1>", row, re.DOTALL)
        for row in re.findall(r"<tr>(.*?)</tr>", head, re.DOTALL)
    ]
    if len(rows) != 2 or len(rows[0]) != len(rows[1]):
        return head
    filled = [bool(html.unescape(content).strip()) for *_, content in rows[1]]
    names = sum(filled)
    if not all(filled[:names]):
        return head
    cells = [*rows[1][:names], *rows[0][names:]]
    row = "".join(f"<{tag}{given}>{content}</{tag}>" for tag, given, content in cells)
    return f"<tr>{row}</tr>"


def clean(text: str, ids: set[str] | None = None, place: str = "notebook") -> Markup:
    """HTML that is safe to stand in a page.

    `ids` collects the ids of headings, so that none stands twice on a page; `place` names tables
    for screen readers.

    >>> clean("<p onclick='x()'>a<script>b</script><b>c")
    Markup('<p>a<b>c</b></p>')
    >>> clean("<h2>Data</h2><h2>Data</h2>")
    Markup('<h2 id="data">Data</h2><h2 id="data-2">Data</h2>')
    """
    cleaner = Cleaner(set() if ids is None else ids, place)
    cleaner.feed(text)
    cleaner.close()
    return Markup("".join(cleaner.found))
