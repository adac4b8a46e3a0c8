"""Perturbations of verbs: an adverb before them, another tense, voice or aspect."""

import functools
import random
from pathlib import Path
from typing import NamedTuple

from tahanuji import lexicons, words
from tahanuji.errors import unknown
from tahanuji.perturb import units, verbs_en, verbs_id
from tahanuji.perturb.clauses import Sentence, put_before
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.words import Word

CHANGES = ("both", "voice", "aspect")
KINDS = ("any", "action")
REGISTERS = ("neutral", "formal", "colloquial")


class Adverb(NamedTuple):
    """An adverb that can stand before a verb: `kind` any (also know, like, have) or action (only
    what somebody does or what happens).
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
    source="Romero Alvarado (2023), section 3.3.3, InsertAdv",
    languages=("id", "en"),
)
def insert_adverb(language: str = "id") -> Function:
    """The text with an adverb before a share of its verbs.

    The adverbs (data/lexicons/adverbs_<language>.csv) judge nothing, deny nothing and weaken
    nothing (no sadly, never, hardly; no sayangnya, jarang); verbs of knowing, having and feeling
    get only those that suit them. Indonesian: before the whole verb group, so that a negation stays
    (tidak dibalas: sering tidak dibalas), adverbs of the text's register, and not after sangat,
    after another verb or after jangan. English: before finite forms, infinitives and participles
    after be and have, not under not and never, whose scope would change. The first word of a text
    hands its capital on to the adverb.

    Robustness: added adverbs, INV; Romero Alvarado (2023, section 3.3.3, InsertAdv). textflint puts
    any adverb before everything that its tagger calls a verb, be and have among them. How often or
    when something happens does change; what is said of it does not.

    >>> insert_adverb()("kurirnya tidak menelepon dulu", 1.0, random.Random(1))
    'kurirnya tiba-tiba tidak menelepon dulu'
    >>> insert_adverb("en")("He jumped the fence", 1.0, random.Random(4))
    'He officially jumped the fence'
    """
    units.check_language(language, "insert_adverb")
    sites = {"id": _adverb_sites_id, "en": _adverb_sites_en}[language]
    listed = {
        (casual, stative): _fitting(language, casual, stative)
        for casual in (False, True)
        for stative in (False, True)
    }

    def insert(text: str, rate: float, rng: random.Random) -> str | None:
        sentence = Sentence(text)
        casual = language == "id" and verbs_id.colloquial(sentence)
        changes = {}
        for at, stative in units.chosen(sites(sentence), rate, rng):
            near = {sentence.before(at), sentence.keys[at]}
            adverb = rng.choice(
                [adverb for adverb in listed[casual, stative] if near.isdisjoint(adverb.split())]
            )
            changes[sentence.words[at]] = put_before(sentence.words[at], adverb, at == 0)
        return words.replace(text, changes) if changes else None

    return insert


def _fitting(language: str, casual: bool, stative: bool) -> list[str]:
    """The adverbs for texts of one register and verbs of one kind."""
    left_out = "formal" if casual else "colloquial"
    return [
        adverb.text
        for adverb in adverbs(language)
        if adverb.register != left_out and (not stative or adverb.kind == "any")
    ]


def _adverb_sites_id(sentence: Sentence) -> list[tuple[int, bool]]:
    """Where an Indonesian adverb fits, and whether the verb is stative."""
    verbs = [verb for verb in verbs_id.read(sentence) if not verbs_id.governed(sentence, verb)]
    return [
        (verb.first, verbs_id.stative(sentence.keys[verb.at]))
        for verb in verbs
        if not verbs_id.forbids(sentence, verb)
    ]


def _adverb_sites_en(sentence: Sentence) -> list[tuple[int, bool]]:
    """Where an English adverb fits, and whether the verb is stative."""
    verbs = [
        verb
        for verb in verbs_en.read(sentence)
        if verb.entry and not verbs_en.denied(sentence, verb)
    ]
    return [(verb.at, verbs_en.stative(verb.entry.base)) for verb in verbs]


@perturbation(
    name="verb_form",
    level="other",
    capability="tense, voice and aspect",
    test_type="INV",
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

    Tense, voice and aspect, INV for sentiment; Romero Alvarado (2023, section 3.3.3, VerbTense).
    textflint's Tense takes any other form of the verb.

    >>> verb_form("en")("He started slow but ended up winning", 1.0, random.Random(1))
    'He starts slow but ends up winning'
    >>> verb_form(change="voice")("saya membaca ulasannya", 1.0, random.Random(1))
    'saya dibaca ulasannya'
    """
    units.check_language(language, "verb_form")
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
    key, third = sentence.keys[verb.at], verb.person == "third"
    short = verbs_en.values("short negation")
    if verb.kind == "finite":
        return (
            verb.entry.past
            if verb.tense == "present"
            else verb.entry.third
            if third
            else verb.entry.base
        )
    present = {
        "be": {"first": "am", "third": "is", "base": "are"}.get(verb.person, ""),
        "have": "has" if third else "have",
        "do": "does" if third else "do",
    }
    past = {"be": "were" if verb.person == "base" else "was", "have": "had", "do": "did"}
    form = (past if verb.tense == "present" else present).get(verb.kind, "")
    return (
        ""
        if not form or (key in short and form == "am")
        else f"{form}n't"
        if key in short
        else form
    )


def _forms(sentence: Sentence, change: str) -> list[list[tuple[Word, str]]]:
    """For every Indonesian verb that can change: the words that can be exchanged and what can take
    their place.
    """
    sites = []
    for verb in verbs_id.read(sentence):
        options, word = [], sentence.words[verb.at]
        if change != "aspect":
            options += [
                (word, words.cased(word.text, form)) for form in verbs_id.voiced(sentence, verb)
            ]
        place, markers = verbs_id.aspects(sentence, verb) if change != "voice" else (0, [])
        old = sentence.words[place]
        for marker in markers:
            options.append(
                (
                    old,
                    put_before(old, marker, place == 0)
                    if place == verb.at
                    else words.cased(old.text, marker),
                )
            )
        sites += [options] if options else []
    return sites
