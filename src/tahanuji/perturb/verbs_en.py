"""English verbs in a text: which words are finite verbs, of which tense and person, told by their
neighbours.
"""

from functools import cache
from typing import NamedTuple

from tahanuji.perturb import verb_lists
from tahanuji.perturb.verb_lists import Sentence, members
from tahanuji.words import Word

BE = {
    "am": ("present", "first"),
    "is": ("present", "third"),
    "are": ("present", "base"),
    "was": ("past", "third"),
    "were": ("past", "base"),
}
HAVE, DO = (
    {"have": "present", "has": "present", "had": "past"},
    {"do": "present", "does": "present", "did": "past"},
)
MODALS = members("can could will would shall should may might must cannot")
SHORT = {
    f"{plain}n't": plain
    for plain in members(
        "is are was were has have had does do did could would should must might need"
    )
}
SHORT |= {"can't": "can", "won't": "will"}
_AUXILIARIES = MODALS | BE.keys() | HAVE.keys() | DO.keys()
_HAVING = MODALS | HAVE.keys() | {"to", "'ve", "'d", "'ll"}
NOT = frozenset(("not", "n't", "never"))
STATIVE = members(
    "agree appear belong believe consist contain cost depend deserve desire disagree dislike doubt "
    "exist expect fear feel fit hate have hear hope "
    "know lack last like live love matter mean mind need own owe possess prefer realise realize "
    "recognise recognize remain remember resemble see "
    "seem smell sound suppose suspect taste think trust understand value want wish"
)
_BASE_SUBJECTS = members(
    "i you we they people guys folks friends children men women many most some all both who"
)
_THIRD_SUBJECTS = members(
    "he she it this that which who everyone everybody everything someone somebody something nobody "
    "nothing anyone one"
)
_SUBJECTS = _BASE_SUBJECTS | _THIRD_SUBJECTS
_OBJECTS = members("me him us them myself himself herself itself ourselves themselves yourself")
_DETERMINERS = members(
    "a an the my your his her its our their these those any no every each either neither several "
    "few much more other another very so too quite "
    "extremely really such what whose first second last next best good bad great new old same own "
    "only"
)
_PREPOSITIONS = members(
    "of in on at by for from with without about into onto over under between among through during "
    "before after as like than against around behind "
    "beside beyond near off out per toward towards until upon via"
)
_DEGREES = members("very so too quite really extremely")
_COORDINATORS = frozenset(("and", "or", "but", "then", "nor"))
_AFTER_VERB = members(
    "a an the my your his her its our their this that these those it me him us them you everything "
    "everyone here there to back again well so very "
    "up out off down away"
)
_ADVERBS = members(
    "not n't never just also always already ever even still really so very too only almost both "
    "all often usually sometimes soon then now truly "
    "simply absolutely totally rarely barely hardly probably definitely finally actually recently "
    "here there today yesterday"
)
_PLURALS = members("people children men women guys folks police")
_CONTRACTED = frozenset(("'s", "'re", "'m", "'ve", "'d", "'ll"))
_GET = members("get gets got getting gotten")
_CAUSES = members("let lets make makes made making help helps helped see saw watch hear heard")


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
    return [
        Entry(*row)
        for row in verb_lists.table(
            verb_lists.FOLDER / "verbs_en.csv", Entry._fields, optional=("noun",), noun=("", "yes")
        )
    ]


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
        if sentence.keys[at] not in _ADVERBS and not (
            sentence.keys[at].endswith("ly") and sentence.keys[at] not in forms()
        ):
            return at
    return -1


def read(sentence: Sentence) -> list[Verb]:
    """The verbs of a text in their order. What the neighbours leave open is left out, so that nouns
    are rarely taken for verbs.
    """
    found: list[Verb] = []
    for at, key in enumerate(sentence.keys):
        verb = (
            _auxiliary(sentence, at, SHORT.get(key, key), found)
            if key in SHORT or key in _AUXILIARIES
            else None
        )
        known = forms().get(key)
        if verb is None and known:
            verb = _lexical(sentence, at, known, found)
        if verb:
            found.append(verb)
    return found


def _auxiliary(sentence: Sentence, at: int, plain: str, found: list[Verb]) -> Verb | None:
    word, before = sentence.words[at], sentence.key(governor(sentence, at))
    if plain in MODALS:
        return Verb(word, "modal", "", "", None, at)
    following = sentence.following(at)
    person = (
        _person(following)
        if before not in _SUBJECTS and following in _SUBJECTS
        else _agreement(sentence, at, found)
    )
    if plain in BE:
        tense, own = BE[plain]
        return Verb(
            word, "be", tense, person if plain == "was" and person == "first" else own, None, at
        )
    if (
        plain in HAVE
        and before not in _HAVING
        and (plain != "have" or _subject(sentence, at) or following in _SUBJECTS)
    ):
        return Verb(word, "have", HAVE[plain], "third" if plain == "has" else person, None, at)
    if plain in DO and (plain != "do" or _subject(sentence, at) or following in _SUBJECTS):
        return Verb(word, "do", DO[plain], "third" if plain == "does" else person, None, at)
    return None


def _lexical(
    sentence: Sentence, at: int, known: dict[str, Entry], found: list[Verb]
) -> Verb | None:
    place = governor(sentence, at)
    before, word = SHORT.get(sentence.key(place), sentence.key(place)), sentence.words[at]
    asked = (
        place > 0
        and before in _SUBJECTS
        and SHORT.get(sentence.keys[place - 1], sentence.keys[place - 1]) in MODALS | DO.keys()
    )
    if "base" in known and (
        asked or before in MODALS | DO.keys() | {"to", "'ll"} or (before in ("'d", "let's"))
    ):
        return Verb(word, "infinitive", "", "", known["base"], at)
    if "participle" in known and before in BE.keys() | HAVE.keys() | _CONTRACTED | _GET | {
        "be",
        "been",
        "being",
        "having",
    }:
        return Verb(word, "participle", "", "", known["participle"], at)
    last = found[-1] if found and before in _COORDINATORS else None
    if "past" in known and _past(sentence, at, known, before, last):
        return Verb(word, "finite", "past", _agreement(sentence, at, found), known["past"], at)
    if "third" in known and _third(sentence, at, known["third"], before, last):
        return Verb(word, "finite", "present", "third", known["third"], at)
    if "base" in known and (
        _subject(sentence, at)
        or (last and last.kind == "finite" and last.tense == "present" and last.person == "base")
    ):
        return Verb(word, "finite", "present", "base", known["base"], at)
    return None


def _past(
    sentence: Sentence, at: int, known: dict[str, Entry], before: str, last: Verb | None
) -> bool:
    """Whether a past form is a finite verb here and no participle, adjective or present form."""
    if known["past"] is known.get("base"):
        return before in ("he", "she", "it")
    if (
        before in _DETERMINERS | _PREPOSITIONS | _OBJECTS
        or before == "to"
        or sentence.key(at - 1) in _DETERMINERS
    ):
        return False
    if known.get("participle") is not known["past"] or before in _SUBJECTS:
        return True
    if last:
        return last.kind == "finite" or (before == "but" and last.kind == "be")
    return (
        before != "" and before not in forms() and before not in _COORDINATORS
    ) or sentence.following(at) in _AFTER_VERB


def _third(sentence: Sentence, at: int, entry: Entry, before: str, last: Verb | None) -> bool:
    """Whether a form in -s is a verb here and no plural noun."""
    if before in _THIRD_SUBJECTS or (last and last.kind == "finite" and last.person == "third"):
        return True
    if before in _DETERMINERS | _PREPOSITIONS | _OBJECTS | _COORDINATORS or before in ("", "to"):
        return False
    if not entry.noun:
        return True
    place = governor(sentence, at)
    nominal = sentence.following(at) in BE.keys() | HAVE.keys() | {"and"} | _PREPOSITIONS
    return place != at - 1 or (sentence.key(place - 1) in _DETERMINERS and not nominal)


def _subject(sentence: Sentence, at: int) -> bool:
    """Whether a subject stands before a base form that makes it a finite verb: I, you, we, they, or
    a plural noun.
    """
    place = governor(sentence, at)
    if place < 0:
        return False
    before, earlier = sentence.keys[place], sentence.key(place - 1)
    if before in _BASE_SUBJECTS:
        return SHORT.get(earlier, earlier) not in MODALS | DO.keys() | _CAUSES
    return before in _PLURALS or (before.endswith("s") and before not in forms() and len(before) > 3 and not before.endswith(("ss", "us", "is")) and
                                  earlier in _DETERMINERS and before not in _DETERMINERS)  # fmt: skip


def _agreement(sentence: Sentence, at: int, found: list[Verb]) -> str:
    """The person that a present form takes in the place of a past one: of the subject, or of the
    verb that it is joined to.
    """
    place = governor(sentence, at)
    before = sentence.key(place)
    if before in ("who", "which", "that") and place > 0:
        before = sentence.keys[place - 1]
    if before in _COORDINATORS or place < 0:
        return found[-1].person if found and found[-1].person else "base"
    return _person(before)


def _person(subject: str) -> str:
    if subject in _SUBJECTS:
        return "first" if subject == "i" else "base" if subject in _BASE_SUBJECTS else "third"
    return (
        "base"
        if subject in _PLURALS
        or (subject.endswith("s") and not subject.endswith(("ss", "us", "is")))
        else "third"
    )


def denied(sentence: Sentence, verb: Verb) -> bool:
    """Whether not or never stands between a verb and what governs it or in that (didn't like, never
    go), or a word of degree before it.
    """
    place = governor(sentence, verb.at)
    return (
        sentence.before(verb.at) in _DEGREES
        or not NOT.isdisjoint(sentence.keys[place + 1 : verb.at])
        or sentence.key(place) in SHORT
    )
