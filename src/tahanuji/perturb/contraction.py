"""Full forms replaced by contracted ones, and the other way round."""

import functools
import random
import re
from collections.abc import Iterable
from typing import NamedTuple

from tahanuji import lexicons, words
from tahanuji.errors import unknown
from tahanuji.perturb import phrases, units
from tahanuji.perturb.registry import Function, perturbation

HEADER = ("full", "short", "kind", "ambiguous")
DIRECTIONS = ("contract", "expand")
KINDS = {
    "id": ("abbreviation", "clipped", "clitic", "fused"),
    "en": ("informal", "negation", "perfect", "verb"),
}
AMBIGUOUS = {"no": (), "contracting": ("contract",), "expanding": ("expand",)}
REACH = 8  # words before a pronoun among which its clause may open with a question word
_class = functools.partial(lexicons.members, "en")


class Entry(NamedTuple):
    """What a phrase becomes, and of which kind the contraction is."""

    target: str
    kind: str


@perturbation(
    name="contraction",
    level="other",
    capability="vocabulary: short forms",
    test_type="INV",
    family="abbreviation",
    rated_options={"direction": {"id": ("expand",), "en": ("expand",)}},
    source="Romero Alvarado (2023), section 3.3.3, Contraction",
    languages=("id", "en"),
)
def contraction(
    language: str = "id", direction: str = "contract", kinds: Iterable[str] = ()
) -> Function:
    """A share `rate` of the places where it can be: full forms become contracted (`contract`), or
    contracted ones full (`expand`).

    The lists contractions_id.csv and contractions_en.csv say what is contracted to what; of several
    short forms one is drawn. The longest phrase comes first (tidak tahu to gatau, before tidak to
    tdk), words must stand with one blank between them, and the case is kept (HP becomes handphone
    unless all is in capitals). Indonesian fused forms with tidak are made from its variants too
    (gak tahu to gatau). `kinds` takes some of the kinds only: KINDS.

    A row whose column `ambiguous` says `expanding` is only contracted (km is kamu or kilometre),
    one that says `contracting` only expanded (tahu, known or tofu, to tau); what means something
    else beside some word stays there (akan tetapi, promosi jabatan). In English a pronoun
    and its verb contract only before a further word other than not (not in "here it is") and is, am
    and are not behind a question word or a comparison (how good it is in May), here is and there is
    only where a clause begins, have, has and had only before a participle that describes no noun
    (not in "had fried rice"); 's and 'd expand only where the next word tells is from has and would
    from had, and n't not before a pronoun (isn't it). Tokens cut apart (do n't) and the possessive
    's are left alone.

    Capability: vocabulary and spelling, register. Test type: INV; the meaning stays, the style
    becomes casual or stiff. Source: Romero Alvarado (2023), section 3.3.3, Contraction, after
    textflint, which looks at no neighbouring words.

    >>> contraction()("Saya tidak tahu .", 1.0, random.Random(1))
    'Sy gatau .'
    >>> contraction("en", "expand")("It's fine, I can't stay", 1.0, random.Random(1))
    "It's fine, I cannot stay"
    """
    if direction not in DIRECTIONS:
        raise unknown("direction", direction, DIRECTIONS)
    wanted = {kinds} if isinstance(kinds, str) else set(kinds)
    for kind in sorted(wanted - set(KINDS[language])):
        raise unknown("kind of contraction", kind, KINDS[language])
    table = entries(language)[direction]
    longest = phrases.lengths(table)

    def fit(match: phrases.Match, options: list[Entry]) -> list[Entry]:
        kept = [entry for entry in options if not wanted or entry.kind in wanted]
        if language == "id":
            return [] if direction == "contract" and phrases.whole(match) else kept
        following, doubtful = match.after(), len(options) > 1
        held = _held(match, following) if direction == "contract" else ()
        kept = [entry for entry in kept if entry.kind not in held]
        return [entry for entry in kept if _fits(entry, following, direction, doubtful)]

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        sites = list(phrases.find(text, table, longest, fit)) if units.count(1, rate) else []
        changes = {}
        for word, options in units.chosen(sites, rate, rng):
            target = options[rng.randrange(len(options))].target
            changes[word] = _written(text, word, target, direction)
        return words.replace(text, changes) if changes else None

    return replace


def _written(text: str, word: words.Word, target: str, direction: str) -> str:
    """What takes the place of a word, in its case and with the text's apostrophes; initials that
    are written out (HP, handphone) keep no capitals.
    """
    short = direction == "expand" and len(word.text) < 4
    if not (short and word.text.isupper() and not text.isupper()):
        target = words.cased(word.text, target)
    return target.replace("'", "’") if "’" in text and "'" not in text else target


def _fits(entry: Entry, following: str, direction: str, doubtful: bool) -> bool:
    """Whether the word after an English contraction allows it."""
    if entry.kind not in ("negation", "verb", "perfect"):
        return True
    if direction == "expand":
        if entry.kind == "negation":
            return following not in _class("subject of a contraction")
        tells = "after had and has" if entry.kind == "perfect" else "after would and is"
        return not doubtful or following in _class(tells)
    if entry.kind == "perfect":
        return _participle(following)
    leans = following not in ("", "not") or (following == "not" and entry.target == "i'm")
    return entry.kind == "negation" or leans


def _held(match: phrases.Match, following: str) -> tuple[str, ...]:
    """The kinds that cannot contract here: a modal and the not of not only, a stranded verb."""
    modal = words.key(match.tokens[match.at].text) in _class("modal")
    if modal and following in _class("after a fixed not"):
        return ("negation",)
    return ("verb", "perfect") if _stranded(match, following) else ()


def _stranded(match: phrases.Match, following: str) -> bool:
    """Whether a verb cannot lean on the word before it: what it says stands before them (how good
    it is), a clause ends with it (it is and was), or here and there belong to a noun (the pool here
    is).
    """
    first, last = (words.key(match.tokens[at].text) for at in (match.at, match.end - 1))
    begins = _class("conjunction of clauses", "before a clause")
    if first in _class("leans at the start of a clause"):
        return match.before() not in begins | {""}
    if following in _class("behind a stranded verb"):
        return True
    if last not in _class("be") or first in _class("before a gap"):
        return False
    for at in range(match.at, max(0, match.at - REACH), -1):
        key = words.key(match.tokens[at - 1].text)
        if key in begins or not phrases.together(match.text, match.tokens[at - 1 : at + 1]):
            return False
        if key in _class("before a gap"):
            return True
    return False


def _participle(word: str) -> bool:
    """Whether a word can be an English participle that describes no noun."""
    regular = re.fullmatch(r"\w{3,}ed", word) and word not in _class("participle before a noun")
    return bool(regular) or word in _class("irregular participle")


@functools.cache
def entries(language: str) -> dict[str, dict[str, list[Entry]]]:
    """What contracts and what expands, by direction and lower-case phrase, from the language's
    list.

    Raises InputError for a bad row, with its line: a phrase that is not made of lower-case words, a
    kind or a flag that does not exist, a pair that is there twice.
    """
    path = lexicons.LEXICONS / f"contractions_{language}.csv"
    tables: dict[str, dict[str, list[Entry]]] = {direction: {} for direction in DIRECTIONS}
    for line, (full, short, kind, ambiguous) in lexicons.body(path, HEADER):
        for phrase in (full, short):
            if phrase != words.key(phrase) or not words.phrase(phrase):
                lexicons.refuse(path, line, f"has {phrase!r} where lower-case words belong")
        if kind not in KINDS[language] or ambiguous not in AMBIGUOUS or full == short:
            kinds, flags = ", ".join(KINDS[language]), ", ".join(AMBIGUOUS)
            what = f"a full form, another short one, one of the kinds {kinds}, and one of {flags}"
            lexicons.refuse(path, line, f"is not {what}")
        for direction, phrase, target in (("contract", full, short), ("expand", short, full)):
            if direction in AMBIGUOUS[ambiguous]:
                continue
            for same in _variants(phrase, kind):
                options = tables[direction].setdefault(same, [])
                if (entry := Entry(target, kind)) in options:
                    lexicons.refuse(path, line, f"repeats {phrase!r} and {target!r}")
                options.append(entry)
    return tables


def _variants(phrase: str, kind: str) -> list[str]:
    """The phrase; one with tidak that fuses also with each variant of tidak."""
    if kind != "fused" or not phrase.startswith("tidak "):
        return [phrase]
    variants = lexicons.values("id", "variant of tidak")
    return [phrase, *(phrase.replace("tidak", variant, 1) for variant in variants)]
