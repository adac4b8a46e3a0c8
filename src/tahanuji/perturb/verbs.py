"""Perturbations of verbs: an adverb before them, another tense, voice or aspect."""

import functools
import random
from pathlib import Path
from typing import NamedTuple

from tahanuji import lexicons, words
from tahanuji.errors import unknown
from tahanuji.perturb import adverb_places, units, verbs_en, verbs_id
from tahanuji.perturb.clauses import Sentence, put_before
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.words import Word

CHANGES = ("both", "voice", "aspect")
KINDS = ("any", "claim", "denied")
REGISTERS = ("neutral", "formal", "colloquial")
# Of auxiliaries in a tense the form by person.
AUXILIARIES = {
    ("be", "present"): {"first": "am", "third": "is", "base": "are"},
    ("be", "past"): {"first": "was", "third": "was", "base": "were"},
    ("have", "present"): {"first": "have", "third": "has", "base": "have"},
    ("have", "past"): dict.fromkeys(("first", "third", "base"), "had"),
    ("do", "present"): {"first": "do", "third": "does", "base": "do"},
    ("do", "past"): dict.fromkeys(("first", "third", "base"), "did"),
}


class Adverb(NamedTuple):
    """An adverb that can stand before a verb: `kind` any, claim (before what can be more or less
    true: feeling, judging, being able, and whatever is denied) or denied (before a negator only).
    """

    text: str
    kind: str
    register: str


def adverbs(language: str) -> list[Adverb]:
    """The adverbs of a language, data/lexicons/adverbs_<language>.csv."""
    return adverbs_of(lexicons.LEXICONS / f"adverbs_{language}.csv")


@functools.cache
def adverbs_of(path: Path) -> list[Adverb]:
    """The adverbs of a file with the columns adverb, kind, register."""
    rows = lexicons.table(path, ("adverb", "kind", "register"), kind=KINDS, register=REGISTERS)
    return [Adverb(*row) for row in rows]


@perturbation(
    name="insert_adverb",
    level="other",
    capability="robustness: added adverbs",
    test_type="INV",
    family="small additions",
    source="Romero Alvarado (2023), section 3.3.3, InsertAdv",
    languages=("id", "en"),
)
def insert_adverb(language: str = "id") -> Function:
    """The text with an adverb before a share of its verbs.

    The adverbs (data/lexicons/adverbs_<language>.csv) affirm what is said anyway and leave the
    claim as it is (memang, benar-benar, sama sekali tidak; actually, really): none says how often,
    when, how or how far something holds, none judges. They are few, so each stands in a text at
    most once, and a text with many verbs gets fewer than the rate asks for. Indonesian: in a
    statement, before its first verb with the negators and auxiliaries that belong to it, where a
    subject, yang or a conjunction such as karena stands before that group; not in questions, wishes
    and requests, nor where the clause says when or what for. English: before a finite form right
    behind its pronoun. The first word of a text hands its capital on to the adverb.

    Robustness: added adverbs, INV; Romero Alvarado (2023, section 3.3.3, InsertAdv). textflint puts
    any adverb before everything that its tagger calls a verb, be and have among them.

    >>> insert_adverb()("kurirnya tidak menelepon dulu", 1.0, random.Random(1))
    'kurirnya benar-benar tidak menelepon dulu'
    >>> insert_adverb("en")("He jumped the fence", 1.0, random.Random(4))
    'He actually jumped the fence'
    """
    sites = {"id": adverb_places.sites, "en": _adverb_sites_en}[language]

    def insert(text: str, rate: float, rng: random.Random) -> str | None:
        sentence = Sentence(text)
        left_out = "formal" if language == "id" and verbs_id.colloquial(sentence) else "colloquial"
        free = [adverb for adverb in adverbs(language) if adverb.register != left_out]
        # None that the text has already; its memang leaves no room for emang either.
        said = " ".join(sentence.keys)
        free = [adverb for adverb in free if adverb.text not in said]
        changes = {}
        for at, kinds in units.chosen(sites(sentence), rate, rng):
            fitting = [adverb for adverb in free if adverb.kind in kinds]
            if fitting:
                adverb = rng.choice(fitting)
                free.remove(adverb)
                word = sentence.words[at]
                changes[word] = put_before(word, adverb.text, at == 0)
        return words.replace(text, changes) if changes else None

    return insert


def _adverb_sites_en(sentence: Sentence) -> list[adverb_places.Site]:
    """Where an English adverb fits."""
    return [
        (verb.at, frozenset(("any", "claim") if _felt_more(verb.entry.base) else ("any",)))
        for verb in verbs_en.read(sentence)
        if verb.kind == "finite"
        and sentence.before(verb.at) in verbs_en.members("pronoun subject")
        and sentence.before(verb.at - 1) not in verbs_en.members("no adverb behind")
    ]


def _felt_more(base: str) -> bool:
    """Whether what an English verb says can be more or less true (love, not live)."""
    return base in verbs_en.members("can be felt more")


@perturbation(
    name="verb_form",
    level="other",
    capability="tense, voice and aspect",
    test_type="meaning",
    source="Romero Alvarado (2023), section 3.3.3, VerbTense",
    languages=("id", "en"),
)
def verb_form(language: str = "id", change: str = "both") -> Function:
    """The text with a share of its verbs in another form: English in the other tense, Indonesian in
    the other voice or with another aspect.

    English: past for present and back (data/lexicons/verbs_en.csv; be, have and do too, with n't),
    in the person that the subject shows; modals, contractions (it's), participles, infinitives and
    forms with no difference (I put) stay. Indonesian has no tense. `change="voice"` exchanges me-
    and di- and their colloquial like (membaca, dibaca; nyobain, dicobain; pairs of
    data/lexicons/verbs_id.csv): this swaps who does and who undergoes what, so the sentence says
    something else and can turn odd. `change="aspect"` exchanges sudah, telah, akan, sedang, masih
    (udah, bakal, lagi in colloquial texts) or sets one before a verb without: when or whether
    something happened changes. `both` draws for each verb one that it has. `change` says nothing in
    English.

    Tense, voice and aspect; Romero Alvarado (2023, section 3.3.3, VerbTense), who expects the same
    label. Its test type here is "meaning": who did what or when it happened is no longer the same,
    so that another answer may be right. textflint's Tense takes any other form of the verb.

    >>> verb_form("en")("He started slow but ended up winning", 1.0, random.Random(1))
    'He starts slow but ends up winning'
    >>> verb_form(change="voice")("saya membaca ulasannya", 1.0, random.Random(1))
    'saya dibaca ulasannya'
    """
    if change not in CHANGES:
        raise unknown("change of verbs", change, CHANGES)

    def alter(text: str, rate: float, rng: random.Random) -> str | None:
        sentence = Sentence(text)
        sites = _tenses(sentence) if language == "en" else _forms(sentence, change)
        changes = dict(rng.choice(options) for options in units.chosen(sites, rate, rng))
        return words.replace(text, changes) if changes else None

    return alter


def _tenses(sentence: Sentence) -> list[list[tuple[Word, str]]]:
    """For every English verb that has another tense: the word and what takes its place."""
    others = [(verb, _other_tense(sentence, verb)) for verb in verbs_en.read(sentence)]
    return [
        [(verb.word, words.cased(verb.word.text, form))]
        for verb, form in others
        if form and form != sentence.keys[verb.at]
    ]


def _other_tense(sentence: Sentence, verb: verbs_en.Verb) -> str:
    """The verb in the other tense, present for past and past for present; empty where it has none
    or has the same form in both.
    """
    if verb.kind == "finite":
        present = verb.entry.third if verb.person == "third" else verb.entry.base
        return verb.entry.past if verb.tense == "present" else present
    tense = "past" if verb.tense == "present" else "present"
    form = AUXILIARIES.get((verb.kind, tense), {}).get(verb.person, "")
    if sentence.keys[verb.at] not in verbs_en.values("short negation"):
        return form
    return f"{form}n't" if form not in ("", "am") else ""


def _forms(sentence: Sentence, change: str) -> list[list[tuple[Word, str]]]:
    """For every Indonesian verb that can change: the words that can be exchanged and what can take
    their place.
    """
    sites = []
    for verb in verbs_id.read(sentence):
        voiced = verbs_id.voiced(sentence, verb) if change != "aspect" else []
        place, markers = verbs_id.aspects(sentence, verb) if change != "voice" else (0, [])
        word, old, first = sentence.words[verb.at], sentence.words[place], place == 0
        options = [(word, words.cased(word.text, form)) for form in voiced]
        if place == verb.at:
            options += [(old, put_before(old, marker, first)) for marker in markers]
        else:
            options += [(old, words.cased(old.text, marker)) for marker in markers]
        sites += [options] if options else []
    return sites
