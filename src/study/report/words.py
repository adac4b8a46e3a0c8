"""The words of a report: templates, one file per place, and fixed strings, in a folder per
language.
"""

import re
from functools import cache, partial
from pathlib import Path

import jinja2
import mistune
from markupsafe import Markup

from study.report.differences import marked, shown
from tahanuji import paths
from tahanuji.measure import Estimate

EMPHASIS = re.compile(r"\*([^*]+)\*")
# The name of a test or a label, as code has it; no file and no part of a path.
NAME = re.compile(r"(?<![\w./-])[a-z]+(?:_[a-z0-9]+)+\b(?![./]\w)")
NOTEBOOK = re.compile(r"(?<![\w./-])(\d\d)_[a-z_]+\b(?![./]\w)")
FOLDER = Path(__file__).parent / "templates"
ENGLISH, LANGUAGES = "en", ("id",)  # and those beside it
ENDS = {ENGLISH: ""} | {name: f".{name}" for name in LANGUAGES}  # of the names of files
NUMBER = re.compile(r"\d+(?:\.\d+)?")
NUMERIC = re.compile(r"[-+<−]?\d+(\.\d+)?%?( \([^()]*\d\))?")  # a cell that is a number
ABOUT = ("remedy", "after", "beside", "shown", "unless")  # what else opening.yaml says of a number
PARTS = (r"(.+?)( \()([^()]+)(\))", r"(.+?)(: )(.+)()", r"(.+?)( / )(.+)()")  # of a name


@cache
def environment(language: str, escaped: bool = False) -> jinja2.Environment:
    """The templates of a language; `escaped` for HTML, in which every value is escaped."""
    loader = jinja2.FileSystemLoader([FOLDER / language, FOLDER / ENGLISH, FOLDER])
    made = jinja2.Environment(
        loader=loader,
        autoescape=escaped,
        undefined=jinja2.StrictUndefined,  # a placeholder that nobody fills is an error
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "number": partial(number, language=language),
        "told": partial(told, language),
        "counted": partial(counted, language),
        "html": partial(html, language=language),
        "literal": literal,
        "marked": marked,
        "shown": shown,
        "slug": paths.slug,
        "plain": lambda text: shown(EMPHASIS.sub(r"\1", text)),
        "spoken": spoken,
        "explained": lambda made: explained(made, language),
        "titled": titled,
        "named": lambda name: strings(language)["columns"].get(
            name, told(language, name.replace("_", " "))
        ),
    }
    made.filters["interval"] = lambda ends, unit: number(Estimate(*ends), unit, language)
    made.globals["words"] = strings(language)
    made.globals["macros"] = made.get_template("macros.md.j2").module
    return made


def file(name: str) -> Markup:
    """A file beside the templates, as it is."""
    return Markup((FOLDER / name).read_text(encoding="utf-8"))


def number(value, unit: str = "%", language: str = "en") -> str:
    """An estimate, or a bare number, in a unit of `Estimate`, as a language writes it.

    >>> number(Estimate(0.1, 0.05, 0.2, 100)), number(0.034, "points")
    ('10.0% (5.0 to 20.0)', '+3.4')
    >>> number(Estimate(0.1, 0.05, 0.2, 100), language="id")
    '10,0% (5,0 sampai 20,0)'
    """
    return _written(
        format(value if isinstance(value, Estimate) else Estimate(value), unit), language
    )


def _written(said: str, language: str) -> str:
    """A formatted number as a language writes it."""
    for english, own in strings(language)["numbers"].items():
        said = said.replace(english, own)
    return said


def counted(language: str, count: int) -> str:
    """A number of things as a language writes it.

    >>> counted("en", 5367), counted("id", 5367)
    ('5,367', '5.367')
    """
    return f"{count:,}".replace(",", "." if strings(language)["numbers"].get(".") == "," else ",")


def told(language: str, name: str) -> str:
    """The name of a test, a capability or an outcome in a language, whatever numbers stand in it;
    part by part where the language does not name the whole, and else as it is.

    >>> told("id", "typos: 0.3 per word"), told("id", "mini"), told("id", "negation: gak (emot)")
    ('salah ketik: 0,3 per kata', 'mini', 'negasi: gak (emot)')
    """
    if NUMERIC.fullmatch(name):
        return _written(name, language)
    spoken = name.replace("_", " ")
    own = names(language).get(name) or names(language).get(NUMBER.sub("{}", spoken))
    if own:
        mark = strings(language)["numbers"]["."]
        return own.format(*(one.replace(".", mark) for one in NUMBER.findall(name)))
    found = [re.fullmatch(part, name) for part in PARTS] if names(language) else []
    if not any(found):
        return name
    first, between, rest, end = next(filter(None, found)).groups()
    return f"{told(language, first)}{between}{told(language, rest)}{end}"


def spoken(text: str) -> str:
    """A text whose names of code are words.

    >>> spoken("08_code_mixing, insert_adverb, code_mixing:en"), spoken("tfidf/05_typos/seed_2")
    ('notebook 08, insert adverb, code mixing:en', 'tfidf/05_typos/seed_2')
    """
    text = NOTEBOOK.sub(r"notebook \1", text)
    return NAME.sub(lambda found: found[0].replace("_", " "), text)


@cache
def names(language: str) -> dict[str, str]:
    """The names of a language by their English ones, `{}` for every number; none of English."""
    path = FOLDER / language / "names.yaml"
    return paths.read_yaml(path) if path.is_file() else {}


def literal(text: str) -> str:
    r"""A text in which Markdown finds nothing to obey.

    >>> literal("*nggak* [x](y) | <b>")
    '\\*nggak\\* \\[x\\](y) \\| <b>'
    """
    return re.sub(r"([\\`*_\[\]|~$#])", r"\\\1", " ".join(text.split()))


@cache
def strings(language: str) -> dict:
    """The fixed strings of a language: titles of sections, heads of tables, names of verdicts;
    those that it lacks are in English.
    """
    own = paths.read_yaml(FOLDER / language / "words.yaml")
    return own if language == ENGLISH else _over(strings(ENGLISH), own)


def _over(below: dict, above: dict) -> dict:
    """Two nested tables as one, in the order of the first; what stands in both is the second's.

    >>> _over({"a": {"b": 1, "c": 2}, "d": 3}, {"a": {"b": 9}, "e": 4})
    {'a': {'b': 9, 'c': 2}, 'd': 3, 'e': 4}
    """
    both = {
        name: _over(below[name], value) if isinstance(below.get(name), dict) else value
        for name, value in above.items()
    }
    return below | both


@cache
def numbers() -> dict[str, dict]:
    """The numbers of the first table by name: where each stands in metrics or verdicts, and what of
    ABOUT there is to say of it.
    """
    return paths.read_yaml(FOLDER / "opening.yaml")


def parts(language: str, name: str, **values) -> dict[str, str]:
    """The blocks of the template `<name>.md.j2` filled in, as Markdown by name; empty ones are left
    out.
    """
    template = environment(language).get_template(f"{name}.md.j2")
    context = template.new_context(values)
    said = {block: "".join(make(context)).strip() for block, make in template.blocks.items()}
    return {block: words for block, words in said.items() if words}


def points(language: str, name: str, **values) -> dict[str, str]:
    """The blocks of a template as `parts` gives them, each in one line."""
    said = parts(language, name, **values)
    return {block: " ".join(words.split()) for block, words in said.items()}


def listed(said: list[str]) -> str:
    """Sentences as a list in Markdown, a table among them above it.

    >>> listed(["| a | b |", "One.", "Two."])
    '| a | b |\\n\\n* One.\\n* Two.'
    """
    tables = [one for one in said if one.startswith("|")]
    points = [f"* {one}" for one in said if one not in tables]
    return "\n\n".join([*tables, "\n".join(points)]).strip()


def text(language: str, name: str, **values) -> str:
    """The template `<name>.md.j2` filled in, as Markdown."""
    return environment(language).get_template(f"{name}.md.j2").render(**values).strip()


@cache
def terms(language: str) -> dict[str, str]:
    """What the terms of the glossary mean, by the term."""
    rows = [line.strip("| ").split(" | ") for line in text(language, "terms").splitlines()[2:]]
    return {name: meaning for names, meaning in rows for name in names.split(", ")}


def explained(made: Markup, language: str) -> Markup:
    """HTML in which the first use of every term of the glossary carries what it means.

    >>> explained(Markup("<p>After Holm, Holm.</p>"), "en")[:43]
    Markup('<p>After <abbr title="a correction of p ove')
    """
    meanings, told = terms(language), set()

    def abbreviated(found: re.Match) -> str:
        name = found[0]
        if name in told:
            return name
        told.add(name)
        return Markup('<abbr title="{}">{}</abbr>').format(meanings[name], name)

    names = "|".join(map(re.escape, sorted(meanings, key=len, reverse=True)))
    term = re.compile(rf"\b(?:{names})\b")
    parts = re.split(r"(<code>.*?</code>|<[^>]*>)", made)  # texts, and between them tags
    return Markup(
        "".join(one if n % 2 else term.sub(abbreviated, one) for n, one in enumerate(parts))
    )


def titled(made: Markup, exact: str) -> Markup:
    """HTML whose cells have those of a table in Markdown, with its intervals, as titles.

    >>> titled(Markup("<td>8</td><td>9</td>"), "| a | b |\\n|--|--|\\n| row | 8 (7 to 9) |")
    Markup('<td title="8 (7 to 9)">8</td><td>9</td>')
    """
    lines = [line.strip("| ").split(" | ") for line in exact.splitlines()[2:]]
    titles = iter(cell for _, *cells in lines for cell in cells)

    def cell(found: re.Match) -> str:
        title = next(titles, "")
        return Markup('<td{} title="{}">').format(Markup(found[1]), title) if title else found[0]

    return Markup(re.sub(r"<td\b([^>]*)>", cell, made))


class _Places(mistune.HTMLRenderer):
    """HTML in which bold words are a place that links can lead to; of the same words the first.
    Tables lie in a box that scrolls, and stay as they are written; the first cells are heads.
    """

    def __init__(self, section: str, language: str):
        super().__init__(escape=True)
        self.section, self.places, self.words = section, set(), strings(language)

    def table(self, text: str) -> str:
        box = '<div class="scroll" data-wide="{}" role="region" tabindex="0" aria-label="{}">'
        named = self.words["titles"].get(self.section, self.section)
        box = Markup(box).format(self.words["page"]["wide"], named)
        text = re.sub(r"<th\b", '<th scope="col"', text)
        text = re.sub(r"<tr>\n?\s*<td>(.*?)</td>", r'<tr><th scope="row">\1</th>', text)
        return f'{box}<table class="plain">\n{text}</table></div>\n'

    def strong(self, text: str) -> str:
        place = f"{self.section}-{paths.slug(Markup(text).striptags().lower()).strip('-.')}"
        new = place not in self.places
        self.places.add(place)
        return f'<strong id="{place}">{text}</strong>' if new else f"<strong>{text}</strong>"


def html(markdown: str, section: str, language: str = ENGLISH) -> Markup:
    """Markdown as HTML; tags in it are shown and not obeyed.

    >>> html("**What it costs.** <b>", "answer")
    Markup('<p><strong id="answer-what-it-costs">What it costs.</strong> &lt;b&gt;</p>\\n')
    """
    make = mistune.create_markdown(renderer=_Places(section, language), plugins=["table"])
    return Markup(make(markdown))
