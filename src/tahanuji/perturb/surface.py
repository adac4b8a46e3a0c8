"""Perturbations of the surface: punctuation at the end, numbers, marks of Twitter, capitals."""

import random
import re
import string
import unicodedata
from collections.abc import Sequence

from tahanuji import words as wording
from tahanuji.errors import InputError, unknown
from tahanuji.perturb import number_shapes, units
from tahanuji.perturb.registry import Function, perturbation

MARKS = {"id": ("!", "!!", "...", "???", ".", "~"), "en": ("!", "!!", "...", "???", ".", ";")}
KINDS = ("any", "mention", "link")
PLACES = ("usual", "start", "end")
_PROTECTED = "|".join(wording.NO_WORDS)
_AT_END = re.compile(rf"(?:{_PROTECTED})\Z")
_SPACING = re.compile(r"[^\W_](\s?)[.,!?;:]+(?!\S)")
_ORDINARY = ".,!?;:\u2026\"'\u2019\u201d)~%"
_CASED = re.compile(rf"{_PROTECTED}|(?P<unit>[^\W_][\w{wording.MARKS}'\u2018\u2019-]*)")


@perturbation(
    name="punctuation",
    level="other",
    capability="robustness: punctuation",
    test_type="INV",
    source="Romero Alvarado (2023), section 3.3.3, Punctuation",
    languages=("id", "en"),
)
def punctuation(
    language: str = "id", marks: Sequence[str] | None = None, blank: bool | None = None
) -> Function:
    """The text with one more punctuation mark at its end, drawn from `marks` (MARKS of the language
    unless given).

    Robustness: punctuation, INV; Romero Alvarado (2023, section 3.3.3) adds a mark at the end.
    textflint takes the last marks away first and can put brackets round the text; here all that is
    there stays. `blank` says whether a blank comes first; None does as the text does (tokenised
    texts have one), glues where the text shows nothing, and never glues to a link, mention,
    placeholder or emoji. The mark the text ends with is not drawn again. A question or exclamation
    mark can colour the tone of a text, not what it says. One site: every rate above 0 adds the
    mark.

    >>> punctuation()("kopinya enak , murah", 1.0, random.Random(1))
    'kopinya enak , murah !!'
    >>> punctuation(marks=["!"])("kopinya enak", 1.0, random.Random(1))
    'kopinya enak!'
    """
    units.check_language(language, "punctuation")
    drawn = tuple(MARKS[language] if marks is None else marks)
    if (
        not drawn
        or isinstance(marks, str)
        or any(not mark or mark != "".join(mark.split()) for mark in drawn)
    ):
        raise InputError(
            f"marks is a list of punctuation marks without blanks such as ['!', '...'], not "
            f"{marks!r}."
        )

    def punctuate(text: str, rate: float, rng: random.Random) -> str | None:
        body = text.rstrip()
        if not units.count(1, rate) or not body:
            return None
        mark = rng.choice([mark for mark in drawn if not _ends(body, mark)] or drawn)
        space = " " if (_blank(body) if blank is None else blank) else ""
        return f"{body}{space}{mark}{text[len(body) :]}"

    return punctuate


def _ends(body: str, mark: str) -> bool:
    """Whether a text ends with exactly this mark: `!!` ends neither with `!` nor with `!!!`."""
    return body.endswith(mark) and not body[: -len(mark)].endswith(mark[0])


def _blank(body: str) -> bool:
    """Whether a mark at the end of the text needs a blank before it."""
    last = body[-1]
    if not (
        last.isalnum() or last in _ORDINARY or unicodedata.category(last) in ("Mn", "Mc")
    ) or _AT_END.search(body.split()[-1]):
        return True
    spaces = _SPACING.findall(body)
    return bool(spaces) and spaces[-1] != ""


@perturbation(
    name="swap_number",
    level="other",
    capability="named entities: numbers",
    test_type="INV",
    source="Romero Alvarado (2023), section 3.3.3, SwapNum",
    languages=("id", "en"),
)
def swap_number(language: str = "id", words: bool = False) -> Function:
    """The text with a share of its numbers exchanged for others of the same shape.

    As many figures, separators and round zeros in their places, no new leading zero, a year becomes
    one of 1950 to 2029: 25rb to 58rb, 1.250.000 to 3.810.000, 4,5 to 7,2. Clock times, dates,
    telephone numbers, codes (iphone13, 007, more than 7 figures), the figure of a reduplication
    (anak2) and everything in links, mentions and placeholders stay. `words`: two to nine and the
    like as words too (dua, seratus; two, twenty); off by default, as the source changes figures
    only.

    Semantic invariance of numbers, INV for sentiment; Romero Alvarado (2023, section 3.3.3,
    SwapNum). textflint draws any number from 0 to one more than the number, so lengths and
    roundness go astray. The facts of the text change, and with a rating (10 of 10) its sentiment
    can.

    >>> swap_number()("bayar 25rb untuk 2 porsi , buka jam 19.30", 1.0, random.Random(3))
    'bayar 58rb untuk 7 porsi , buka jam 19.30'
    """
    units.check_language(language, "swap_number")
    others = number_shapes.series(language) if words else {}

    def swap(text: str, rate: float, rng: random.Random) -> str | None:
        sites = list(number_shapes.sites(text, language)) if any(map(str.isdecimal, text)) else []
        if others:
            sites = sorted(
                sites
                + [
                    (word.start, word.end)
                    for word in wording.words(text)
                    if wording.key(word.text) in others
                ]
            )
        parts, end = [], 0
        for start, stop in units.chosen(sites, rate, rng):
            parts += [text[end:start], number_shapes.other(text[start:stop], others, rng)]
            end = stop
        return "".join([*parts, text[end:]]) if parts else None

    return swap


@perturbation(
    name="twitter",
    level="other",
    capability="robustness: mentions and links",
    test_type="INV",
    source="Romero Alvarado (2023), section 3.3.3, Twitter",
    languages=("id", "en"),
)
def twitter(language: str = "id", kind: str = "any", place: str = "usual") -> Function:
    """The text with a mention before it or a short link behind it, which of them drawn.

    Mentions are @ with six random letters and three figures, so that no well-known account is
    named; links are https://t.co/ with ten random letters and figures. `kind`: any, mention or
    link; `place`: usual (a mention at the start, as in replies, a link at the end), start or end.

    Robustness: additions of Twitter, INV; Romero Alvarado (2023, section 3.3.3 and Table 8, with a
    mention at the end). textflint also draws start or end, with handles of one to ten letters and
    figures, and contracts phrases. The meaning stays. One site: every rate above 0 adds it.

    >>> twitter(kind="mention")("Jalannya bagus", 1.0, random.Random(1))
    '@dwtgml670 Jalannya bagus'
    """
    units.check_language(language, "twitter")
    if kind not in KINDS:
        raise unknown("kind of addition", kind, KINDS)
    if place not in PLACES:
        raise unknown("place", place, PLACES)

    def add(text: str, rate: float, rng: random.Random) -> str | None:
        body = text.rstrip()
        if not units.count(1, rate) or not body:
            return None
        drawn = rng.choice(KINDS[1:]) if kind == "any" else kind
        token = (
            _mention(rng)
            if drawn == "mention"
            else "https://t.co/" + "".join(rng.choices(string.ascii_letters + string.digits, k=10))
        )
        first = place == "start" or (place == "usual" and drawn == "mention")
        return f"{token} {text}" if first else f"{body} {token}{text[len(body) :]}"

    return add


def _mention(rng: random.Random) -> str:
    return "@" + "".join(rng.choices(string.ascii_lowercase, k=6) + rng.choices(string.digits, k=3))


@perturbation(
    name="word_case",
    level="other",
    capability="robustness: capitals",
    test_type="INV",
    source="Romero Alvarado (2023), section 3.3.3, WordCase",
    languages=("id", "en"),
)
def word_case(language: str = "id") -> Function:
    """The text with a share of its words in capitals, all of it at rate 1.

    Words count that change: lower case or mixed, figures inside included (25rb to 25RB). Mentions,
    tags, links, addresses, placeholders and emoticons stay, and a text in capitals gives None.
    Capitals are Unicode's, the same for both languages.

    Robustness: case, INV; Romero Alvarado (2023, section 3.3.3, WordCase), who puts the whole text
    into capitals, as textflint does (its mentions and links too). The meaning stays; capitals can
    read as shouting.

    >>> word_case()("Parkirnya susah , cek @info_kota", 1.0, random.Random(1))
    'PARKIRNYA SUSAH , CEK @info_kota'
    """
    units.check_language(language, "word_case")

    def capitals(text: str, rate: float, rng: random.Random) -> str | None:
        if rate == 1 and text.isascii() and not wording.marked(text):
            return text.upper() if text != text.upper() else None
        sites = [
            hit.span()
            for hit in _CASED.finditer(text)
            if hit["unit"] and hit["unit"] != hit["unit"].upper()
        ]
        parts, end = [], 0
        for start, stop in units.chosen(sites, rate, rng):
            parts += [text[end:start], text[start:stop].upper()]
            end = stop
        return "".join([*parts, text[end:]]) if parts else None

    return capitals
