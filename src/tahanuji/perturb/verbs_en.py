"""English verbs in a text: which words are finite verbs, of which tense and person, told by their
neighbours.
"""

from functools import cache, partial
from typing import NamedTuple

from tahanuji import lexicons
from tahanuji.perturb.clauses import Sentence
from tahanuji.words import Word

members = partial(lexicons.members, "en")
values = partial(lexicons.values, "en")
SUBJECT = ("base subject", "third subject")  # classes of words
AUXILIARY = ("modal", "be", "have", "do")


# A row of data/lexicons/verbs_en.csv; `noun` is yes where the base is a noun or an adjective as
# well.
Entry = NamedTuple(
    "Entry", [(name, str) for name in ("base", "third", "past", "participle", "gerund", "noun")]
)


class Verb(NamedTuple):
    """A verb form in a text.

    `kind`: finite, be, have, do, modal, infinitive (also after modals and do) or participle (after
    be, have, get); `tense`: present, past or empty; `person`: first, third or base, of a past form
    the person of its subject; `entry`: of a lexical verb; `at`: its place among the words.
    """

    word: Word
    kind: str
    tense: str
    person: str
    entry: Entry | None
    at: int


@cache
def entries() -> list[Entry]:
    """The verbs of data/lexicons/verbs_en.csv."""
    path = lexicons.LEXICONS / "verbs_en.csv"
    rows = lexicons.table(path, Entry._fields, optional=("noun",), noun=("", "yes"))
    return [Entry(*row) for row in rows]


@cache
def forms() -> dict[str, dict[str, Entry]]:
    """Form to role (base, third, past, participle) to verb; where verbs share a form in a role, the
    irregular one has it (found, lay, bore).
    """
    result: dict[str, dict[str, Entry]] = {}
    for entry in sorted(entries(), key=lambda entry: entry.past.endswith("ed")):
        for role in ("base", "third", "past", "participle"):
            result.setdefault(getattr(entry, role), {}).setdefault(role, entry)
    return result


def governor(sentence: Sentence, at: int) -> int:
    """The place of the nearest word before one that is no adverb, within the clause; -1 where there
    is none.
    """
    while at > 0 and not sentence.starts[at]:
        at -= 1
        key = sentence.keys[at]
        if key not in members("adverb") and not (key.endswith("ly") and key not in forms()):
            return at
    return -1


def plain(key: str) -> str:
    """The verb of a short form with n't (isn't: is), any other word as it is."""
    return values("short negation").get(key, key)


def stative(base: str) -> bool:
    """Whether a verb is one of knowing, having or feeling."""
    return base in members("stative verb")


def read(sentence: Sentence) -> list[Verb]:
    """The verbs of a text in their order. What the neighbours leave open is left out, so that nouns
    are rarely taken for verbs.
    """
    verbs: list[Verb] = []
    for at, key in enumerate(sentence.keys):
        verb = _auxiliary(sentence, at, verbs) if plain(key) in members(*AUXILIARY) else None
        if verb is None and key in forms():
            verb = _lexical(sentence, at, forms()[key], verbs)
        if verb:
            verbs.append(verb)
    return verbs


def _auxiliary(sentence: Sentence, at: int, verbs: list[Verb]) -> Verb | None:
    """The auxiliary at a place: a modal, or a finite form of be, have or do."""
    word, key = sentence.words[at], plain(sentence.keys[at])
    if key in members("modal"):
        return Verb(word, "modal", "", "", None, at)
    before, following = sentence.key(governor(sentence, at)), sentence.following(at)
    asked = before not in members(*SUBJECT) and following in members(*SUBJECT)
    person = _person(following) if asked else _agreement(sentence, at, verbs)
    if key in members("be"):
        tense, own = values("be")[key].split()
        first = key == "was" and person == "first"
        return Verb(word, "be", tense, person if first else own, None, at)
    subject = _subject(sentence, at) or following in members(*SUBJECT)
    for kind, base, third in (("have", "have", "has"), ("do", "do", "does")):
        governed = kind == "have" and before in members("modal", "have", "before a bare have")
        if key in members(kind) and not governed and (key != base or subject):
            own = "third" if key == third else person
            return Verb(word, kind, values(kind)[key], own, None, at)
    return None


def _lexical(
    sentence: Sentence, at: int, roles: dict[str, Entry], verbs: list[Verb]
) -> Verb | None:
    """The lexical verb at a place, from the roles that its form can have."""
    word, before = sentence.words[at], plain(sentence.key(governor(sentence, at)))
    if "base" in roles and _infinitive(sentence, at, before):
        return Verb(word, "infinitive", "", "", roles["base"], at)
    if "participle" in roles and before in members(
        "be", "infinite auxiliary", "have", "clitic", "get"
    ):
        return Verb(word, "participle", "", "", roles["participle"], at)
    last = verbs[-1] if verbs and before in members("coordinator") else None
    if "past" in roles and _past(sentence, at, roles, before, last):
        person = _agreement(sentence, at, verbs)
        return Verb(word, "finite", "past", person, roles["past"], at)
    if "third" in roles and _third(sentence, at, roles["third"], before, last):
        return Verb(word, "finite", "present", "third", roles["third"], at)
    joined = last and (last.kind, last.tense, last.person) == ("finite", "present", "base")
    if "base" in roles and (_subject(sentence, at) or joined):
        return Verb(word, "finite", "present", "base", roles["base"], at)
    return None


def _infinitive(sentence: Sentence, at: int, before: str) -> bool:
    """Whether a base form stands after to, a modal or do, perhaps with the subject between them."""
    place = governor(sentence, at)
    asked = place > 0 and before in members(*SUBJECT)
    asked = asked and plain(sentence.keys[place - 1]) in members("modal", "do")
    return asked or before in members("modal", "do", "before an infinitive")


def _past(
    sentence: Sentence, at: int, roles: dict[str, Entry], before: str, last: Verb | None
) -> bool:
    """Whether a past form is a finite verb here and no participle, adjective or present form."""
    if roles["past"] is roles.get("base"):
        return before in members("personal third subject")
    attributive = members("determiner", "preposition", "object", "infinitive marker")
    if before in attributive or sentence.key(at - 1) in members("determiner"):
        return False
    if roles.get("participle") is not roles["past"] or before in members(*SUBJECT):
        return True
    if last:
        return last.kind == "finite" or (before == "but" and last.kind == "be")
    noun = before != "" and before not in forms() and before not in members("coordinator")
    return noun or sentence.following(at) in members("after a past form")


def _third(sentence: Sentence, at: int, entry: Entry, before: str, last: Verb | None) -> bool:
    """Whether a form in -s is a verb here and no plural noun."""
    if before in members("third subject") or (
        last and last.kind == "finite" and last.person == "third"
    ):
        return True
    nominal = members("determiner", "preposition", "object", "coordinator", "infinitive marker")
    if before == "" or before in nominal:
        return False
    if not entry.noun:
        return True
    place = governor(sentence, at)
    if place != at - 1:
        return True
    following = sentence.following(at)
    plural = following == "and" or following in members("be", "have", "preposition")
    return sentence.key(place - 1) in members("determiner") and not plural


def _subject(sentence: Sentence, at: int) -> bool:
    """Whether a subject stands before a base form that makes it a finite verb: I, you, we, they, or
    a plural noun.
    """
    place = governor(sentence, at)
    if place < 0:
        return False
    before, earlier = sentence.keys[place], sentence.key(place - 1)
    if before in members("base subject"):
        return plain(earlier) not in members("modal", "do", "causative")
    if before in members("plural"):
        return True
    noun = _plural(before) and len(before) > 3 and before not in forms()
    return noun and earlier in members("determiner") and before not in members("determiner")


def _plural(noun: str) -> bool:
    """Whether a word ends as plurals do."""
    return noun.endswith("s") and not noun.endswith(("ss", "us", "is"))


def _agreement(sentence: Sentence, at: int, verbs: list[Verb]) -> str:
    """The person that a present form takes in the place of a past one: of the subject, or of the
    verb that it is joined to.
    """
    place = governor(sentence, at)
    before = sentence.key(place)
    if before in members("relative") and place > 0:
        before = sentence.keys[place - 1]
    if before in members("coordinator") or place < 0:
        return verbs[-1].person if verbs and verbs[-1].person else "base"
    return _person(before)


def _person(subject: str) -> str:
    """The person of a verb with this subject: first, third or base."""
    if subject in members("base subject"):
        return "first" if subject == "i" else "base"
    if subject in members("third subject"):
        return "third"
    return "base" if subject in members("plural") or _plural(subject) else "third"
