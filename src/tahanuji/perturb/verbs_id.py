"""Indonesian verbs in a text: forms with me-, di-, ber- and the colloquial ng-, ny- and -in, found
by word list and by what they are made of.
"""

import re
from functools import cache, partial
from typing import NamedTuple

from tahanuji import lexicons
from tahanuji.perturb.clauses import Sentence

members = partial(lexicons.members, "id")
values = partial(lexicons.values, "id")
GROUP = ("auxiliary", "form of tidak", "other negator")  # classes that may begin a verb group
_ENDINGS = re.compile(r"(?:nya|lah|kah|pun|ku|mu)\Z")
_PREFIXED = ("me", "ng", "ny", "ber", "ter")


class Pair(NamedTuple):
    """A row of data/lexicons/verbs_id.csv: a verb's active and passive form (empty: none) of one
    register, neutral or colloquial.
    """

    base: str
    active: str
    passive: str
    register: str


@cache
def pairs() -> list[Pair]:
    """The verbs of data/lexicons/verbs_id.csv."""
    rows = lexicons.table(
        lexicons.LEXICONS / "verbs_id.csv",
        Pair._fields,
        optional=("passive",),
        register=("neutral", "colloquial"),
    )
    return [Pair(*row) for row in rows]


class Verb(NamedTuple):
    """A verb in a text: its place among the words, its group's first place (negators and
    auxiliaries before it belong to the group).
    """

    at: int
    first: int
    bare: bool


@cache
def forms() -> dict[str, bool]:
    """Every form that is a verb; True where only its neighbours can tell (bare forms: makan, beli,
    kunjungi).
    """
    result = {
        pair.passive[2:]: True
        for pair in pairs()
        if pair.passive and pair.passive[2:] not in members("noun like a bare verb")
    }
    for pair in pairs():
        result[pair.active] = (
            not pair.passive and pair.active == pair.base and not pair.active.startswith(_PREFIXED)
        )
        if pair.passive == f"di{pair.base}":
            result |= dict.fromkeys(
                [f"{form}{ending}" for form in pair[1:3] for ending in ("kan", "i")]
                + [f"{pair.passive}in"],
                False,
            )
            result[f"ber{pair.base}"] = False
        if pair.passive:
            result[pair.passive] = False
    return {form: bare for form, bare in result.items() if form not in members("no verb")}


@cache
def voices() -> dict[str, list[tuple[str, str]]]:
    """Active to passive forms and back, each with the register of its pair."""
    result: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs():
        if pair.passive:
            result.setdefault(pair.active, []).append((pair.passive, pair.register))
            result.setdefault(pair.passive, []).append((pair.active, pair.register))
    return result


def stem(key: str, table: dict) -> str:
    """The part of a word that a table has: the word, or the word without nya, ku, mu, lah, kah or
    pun; empty where it has neither.
    """
    if key in table:
        return key
    shorter = _ENDINGS.sub("", key)
    return shorter if shorter in table else ""


def colloquial(sentence: Sentence) -> bool:
    """Whether a text has words that formal Indonesian does not (nggak, gue, banget)."""
    return not members("colloquial word").isdisjoint(sentence.keys)


def read(sentence: Sentence) -> list[Verb]:
    """The verbs of a text: marked forms wherever they stand, bare forms only after a pronoun, an
    auxiliary or yang.
    """
    verbs, group = [], members(*GROUP)
    for at, key in enumerate(sentence.keys):
        form = stem(key, forms())
        if not form:
            continue
        first = at
        while sentence.before(first) in group:
            first -= 1
        subject = sentence.before(at) in members("personal pronoun", "relative")
        if not forms()[form] or first < at or subject:
            verbs.append(Verb(at, first, forms()[form]))
    return verbs


def stative(key: str) -> bool:
    """Whether a verb is one of knowing, having or feeling."""
    return key in members("stative verb")


def governed(sentence: Sentence, verb: Verb) -> bool:
    """Whether nothing can come before the verb: after another verb, sangat, untuk and the like, or
    an auxiliary and its pronoun.
    """
    before = sentence.before(verb.first)
    pronoun = before in members("personal pronoun")
    if pronoun and sentence.before(verb.first - 1) in members(*GROUP):
        return True
    ahead = before in members("degree", "before an infinitive")
    return ahead or (bool(before) and forms().get(before) is False)


def aspects(sentence: Sentence, verb: Verb) -> tuple[int, list[str]]:
    """Where an aspect marker is exchanged (the place of the old one) or set (the place of the
    verb), and which ones fit there.
    """
    group = sentence.keys[verb.first : verb.at]
    old = group[-1] if group and group[-1] in _aspect_kinds() else ""
    rest = group[:-1] if old else group
    if not set(rest) <= members("form of tidak"):
        return verb.at, []
    subject = sentence.before(verb.at - 1) in members("personal pronoun", "relative")
    if old == "lagi" and (rest or not subject):
        return verb.at, []
    if not old and governed(sentence, verb):
        return verb.at, []
    kinds = values("colloquial aspect" if colloquial(sentence) else "formal aspect")
    fitting = [marker for marker, kind in kinds.items() if kind != _aspect_kinds().get(old)]
    if rest:
        fitting = [marker for marker in fitting if marker in members("aspect after tidak")]
    if stative(sentence.keys[verb.at]):
        fitting = [marker for marker in fitting if kinds[marker] != "going"]
    return (verb.at - 1 if old else verb.at), fitting


def _aspect_kinds() -> dict[str, str]:
    """What each aspect marker says: done, coming, going or still."""
    return {**values("formal aspect"), **values("colloquial aspect")}


def voiced(sentence: Sentence, verb: Verb) -> list[str]:
    """The forms of the other voice of a verb, of the text's register where there are any; empty
    where the list has none.
    """
    key = sentence.keys[verb.at]
    form = stem(key, voices())
    wanted = "colloquial" if colloquial(sentence) else "neutral"
    forms_there = voices().get(form, [])
    fitting = [other for other, register in forms_there if register == wanted]
    fitting = fitting or [other for other, _ in forms_there]
    return [other + key[len(form) :] for other in fitting]
