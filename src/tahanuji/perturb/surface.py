"""Perturbations of the surface: punctuation at the end, numbers, marks of Twitter, capitals."""

import random
import re
import string
import unicodedata

from tahanuji import words as wording
from tahanuji.errors import unknown
from tahanuji.perturb import number_shapes, units
from tahanuji.perturb.registry import Function, perturbation

KINDS = ("any", "mention", "link")
PLACES = ("usual", "start", "end")
_PROTECTED = "|".join(wording.NO_WORDS)
_TOKEN = re.compile(_PROTECTED)
_AT_END = re.compile(rf"(?:^|\s)(?:{_PROTECTED})\Z")
_STOP = re.compile(r"(?<=[^\W_])\s?\.\Z")
# Not between figures, and with a word on both sides.
_COMMA = re.compile(r"(?<=[^\W_])(?!(?<=\d) ?, ?\d)([ ]?),([ ]?)(?=[^\W_])")
_CASED = re.compile(rf"{_PROTECTED}|(?P<unit>[^\W_][\w{wording.MARKS}'\u2018\u2019-]*)")


@perturbation(
    name="punctuation",
    level="other",
    capability="robustness: punctuation",
    test_type="INV",
    family="small additions",
    source="Romero Alvarado (2023), section 3.3.3, Punctuation",
    languages=("id", "en"),
)
def punctuation(language: str = "id") -> Function:
    """The text with a share of its full stops and commas typed as a careless writer types them.

    At the end a full stop is left out or doubled, or comes where no mark stands; the blank before
    or behind a comma comes or goes. Commas and points between figures (4, 5 jam) and in addresses
    stay, and so does an end that is anything but a letter, a figure or one full stop: question and
    exclamation marks, dots and emoji carry a tone.

    Robustness: punctuation, INV. Source: after Romero Alvarado (2023, section 3.3.3), who adds a
    mark at the end, with textflint, which may take the last marks away or put brackets round the
    text. Their "???" and "!!!" make a statement a question or a shout, and are not drawn here.

    >>> punctuation()("kopinya enak , murah .", 1.0, random.Random(1))
    'kopinya enak, murah'
    """

    def punctuate(text: str, rate: float, rng: random.Random) -> str | None:
        sites = _careless(text) if units.count(1, rate) else []
        chosen = units.chosen(sites, rate, rng)
        edits = [(start, stop, rng.choice(others)) for start, stop, others in chosen]
        return wording.spliced(text, edits) if edits else None

    return punctuate


def _careless(text: str) -> list[tuple[int, int, tuple[str, ...]]]:
    """The commas of a text and its end, with what can stand in their place."""
    sites: list[tuple[int, int, tuple[str, ...]]] = []
    inside = [token.span() for token in _TOKEN.finditer(text)] if wording.marked(text) else []
    for comma in _COMMA.finditer(text):
        if any(start < comma.start() < end for start, end in inside):
            continue
        before, after = "" if comma[1] else " ", comma[2]
        others = (before + "," + (after or " "),)
        sites.append((*comma.span(), others if comma[1] or not after else (*others, ",")))
    body = text.rstrip()
    if not body or _AT_END.search(body):
        return sites
    stop = _STOP.search(body)
    if stop:
        return [*sites, (stop.start(), len(body), ("", body[stop.start() :] + "."))]
    blank = " " if " ." in body or " , " in body else ""
    open_end = body[-1].isalnum() or unicodedata.category(body[-1]) in ("Mn", "Mc")
    return [*sites, (len(body), len(body), (f"{blank}.", f"{blank}.."))] if open_end else sites


@perturbation(
    name="swap_number",
    level="other",
    capability="named entities: numbers",
    test_type="INV",
    family="numbers and synonyms",
    source="Romero Alvarado (2023), section 3.3.3, SwapNum",
    languages=("id", "en"),
)
def swap_number(language: str = "id") -> Function:
    """The text with a share of the numbers that count or price something exchanged for near ones.

    Such a number has a currency before it or a unit behind it (25rb, 3 hari, $40; the class
    `counted by figures` of word_classes_<language>.csv), and the new one is at most a fifth away,
    or one where it has one figure, with as many figures and the same separators: 25rb to 30rb,
    1.250.000 to 1.150.000. What names, dates, rates or bounds something stays: years, clock times,
    telephone numbers, ratings (bintang 5, 8/10), ordinals, thresholds (kurang dari 12 jam), ranges,
    0, 1, 24 jam and 100 %, and two numbers of one measure in a text, which may be compared.

    Semantic invariance of numbers, INV for sentiment, whose label a near number leaves; the facts
    of the text change. Source: Romero Alvarado (2023, section 3.3.3, SwapNum). textflint draws any
    number from 0 to one more than the number, of whatever kind.

    >>> swap_number()("bayar 25rb untuk 4 porsi , buka jam 19.30", 1.0, random.Random(3))
    'bayar 30rb untuk 5 porsi , buka jam 19.30'
    """

    def swap(text: str, rate: float, rng: random.Random) -> str | None:
        sites = number_shapes.sites(text, language) if any(map(str.isdecimal, text)) else []
        edits = [
            (site.start, site.end, number_shapes.other(text[site.start : site.end], rng))
            for site in units.chosen(sites, rate, rng)
        ]
        return wording.spliced(text, edits) if edits else None

    return swap


@perturbation(
    name="twitter",
    level="other",
    capability="robustness: mentions and links",
    test_type="INV",
    family="small additions",
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
    family="small additions",
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

    def capitals(text: str, rate: float, rng: random.Random) -> str | None:
        if rate == 1 and text.isascii() and not wording.marked(text):
            return text.upper() if text != text.upper() else None
        sites = [
            hit.span()
            for hit in _CASED.finditer(text)
            if hit["unit"] and hit["unit"] != hit["unit"].upper()
        ]
        edits = [
            (start, stop, text[start:stop].upper())
            for start, stop in units.chosen(sites, rate, rng)
        ]
        return wording.spliced(text, edits) if edits else None

    return capitals
