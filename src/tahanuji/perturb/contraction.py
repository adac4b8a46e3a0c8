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

DIRECTIONS = ("contract", "expand")
KINDS = {
    "id": ("abbreviation", "clipped", "clitic", "fused"),
    "en": ("informal", "negation", "perfect", "verb"),
}
AMBIGUOUS = {"no": (), "contracting": ("contract",), "expanding": ("expand",)}
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
    one that says `contracting` only expanded (tahu, known or tofu, to tau). In English a pronoun
    and its verb contract only before a further word other than not (not in "here it is"), have, has
    and had only before a participle; 's and 'd expand only where the next word tells is from has
    and would from had, and n't not before a pronoun (isn't it). Tokens cut apart (do n't) and the
    possessive 's are left alone.

    Capability: vocabulary and spelling, register. Test type: INV; the meaning stays, the style
    becomes casual or stiff. Source: Romero Alvarado (2023), section 3.3.3, Contraction, after
    textflint, which looks at no neighbouring words.

    >>> contraction()("Saya tidak tahu .", 1.0, random.Random(1)), contraction("en", "expand")("It's fine, I can't stay", 1.0, random.Random(1))
    ('Sy gatau .', "It's fine, I cannot stay")
    """
    units.check_language(language, "contraction", KINDS)
    if direction not in DIRECTIONS:
        raise unknown("direction", direction, DIRECTIONS)
    wanted = {kinds} if isinstance(kinds, str) else set(kinds)
    for kind in sorted(wanted - set(KINDS[language])):
        raise unknown("kind of contraction", kind, KINDS[language])
    known = entries(language)[direction]
    longest = phrases.lengths(known)

    def fit(place: phrases.Place, some: list[Entry]) -> list[Entry]:
        fitting = (
            some
            if language == "id"
            else [entry for entry in some if _fits(entry, place.after(), direction, len(some) > 1)]
        )
        return [entry for entry in fitting if not wanted or entry.kind in wanted]

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        places = list(phrases.find(text, known, longest, fit)) if units.count(1, rate) else []
        if not places:
            return None
        curly = "’" in text and "'" not in text
        changes = {}
        for word, some in units.chosen(places, rate, rng):
            target = some[rng.randrange(len(some))].target
            initials = (
                direction == "expand"
                and len(word.text) < 4
                and word.text.isupper()
                and not text.isupper()
            )
            target = target if initials else words.cased(word.text, target)
            changes[word] = target.replace("'", "’") if curly else target
        return words.replace(text, changes)

    return replace


def _fits(entry: Entry, following: str, direction: str, doubtful: bool) -> bool:
    """Whether the word after an English contraction allows it."""
    if entry.kind not in ("negation", "verb", "perfect"):
        return True
    if direction == "expand":
        if entry.kind == "negation":
            return following not in _class("subject of a contraction")
        return not doubtful or following in _class(
            "after had and has" if entry.kind == "perfect" else "after would and is"
        )
    if entry.kind == "perfect":
        return _participle(following)
    return entry.kind == "negation" or (
        following != "" and (following != "not" or entry.target == "i'm")
    )


def _participle(word: str) -> bool:
    """Whether a word can be an English participle."""
    return re.fullmatch(r"\w{3,}ed", word) is not None or word in _class("irregular participle")


@functools.cache
def entries(language: str) -> dict[str, dict[str, list[Entry]]]:
    """What contracts and what expands, by direction and lower-case phrase, from the language's
    list.

    Raises InputError for a bad row, with its line: a phrase that is not made of lower-case words, a
    kind or a flag that does not exist, a pair that is there twice.
    """
    path = lexicons.LEXICONS / f"contractions_{language}.csv"
    known: dict[str, dict[str, list[Entry]]] = {direction: {} for direction in DIRECTIONS}
    for line, row in lexicons.rows(path, 4):
        full, short, kind, ambiguous = row
        if line == 1:
            continue
        for phrase in (full, short):
            if phrase != words.key(phrase) or not words.phrase(phrase):
                lexicons.refuse(path, line, f"has {phrase!r} where lower-case words belong")
        if kind not in KINDS[language] or ambiguous not in AMBIGUOUS or full == short:
            kinds, flags = ", ".join(KINDS[language]), ", ".join(AMBIGUOUS)
            lexicons.refuse(
                path,
                line,
                f"is not a full form, another short one, one of the kinds {kinds}, and one of "
                f"{flags}",
            )
        for direction, phrase, target in (("contract", full, short), ("expand", short, full)):
            if direction not in AMBIGUOUS[ambiguous]:
                _add(known[direction], phrase, Entry(target, kind), path, line)
    return known


def _add(known: dict[str, list[Entry]], phrase: str, entry: Entry, path, line: int) -> None:
    negated = entry.kind == "fused" and phrase.startswith("tidak ")
    for other in (
        (
            phrase,
            *(
                phrase.replace("tidak", variant, 1)
                for variant in lexicons.values("id", "variant of tidak")
            ),
        )
        if negated
        else (phrase,)
    ):
        if entry in known.setdefault(other, []):
            lexicons.refuse(path, line, f"repeats {phrase!r} and {entry.target!r}")
        known[other].append(entry)
