"""What people say where a careful writer has something else: verbs without their prefix, slang."""

import functools
import random
from pathlib import Path

from tahanuji import lexicons, words
from tahanuji.perturb import phrases, tone, units
from tahanuji.perturb.registry import Function, perturbation

VERBS, SLANG = (lexicons.LEXICONS / name for name in ("spoken_verbs_id.csv", "slang_id.csv"))
_APART = {"nya", "ku", "mu"}
_DEGREE = {"sangat", "amat", "terlalu", "paling", "sungguh"}  # before it
_SAID = {"sekali", "banget", "bgt", *_APART}  # behind a phrase that banget would end


@perturbation(
    name="prefix_dropping",
    level="other",
    capability="vocabulary: spoken verbs",
    test_type="INV",
    family="register",
    source="this project: spoken Indonesian",
    grid=False,
)
def prefix_dropping(language: str = "id") -> Function:
    """A share of the verbs in me- gets the form that is spoken: menonton to nonton, mengambil to
    ngambil, membeli to beli, memberi to ngasih, mengerjakan to ngerjain.

    The pairs of spoken_verbs_id.csv were written one by one; of several one is drawn. A verb with
    nya, ku or mu written behind it stays (menonton nya), and so do names. Only texts in which a
    person speaks change (`tone.personal`): news does not say ngambil.

    Vocabulary: register, INV; the meaning stays, the style becomes casual. Forms are those of
    Jakarta and of social media everywhere; other regions say some of them otherwise.

    >>> prefix_dropping()("saya menunggu dua jam lalu membeli tiket lain", 1.0, random.Random(2))
    'saya nunggu dua jam lalu beli tiket lain'
    """

    def fit(match: phrases.Match, options: list[str]) -> list[str]:
        return [] if match.after() in _APART else options

    return _replacing(VERBS, ("formal", "spoken"), fit)


@perturbation(
    name="slang",
    level="other",
    capability="vocabulary: current slang",
    test_type="INV",
    family="register",
    source="this project: current colloquial Indonesian",
    grid=False,
)
def slang(language: str = "id") -> Function:
    """A share of the words and phrases for which people have a colloquial one gets it: uang to
    duit, sangat enak to enak banget, ongkos kirim to ongkir, seperti itu to kayak gitu.

    The pairs of slang_id.csv keep meaning, polarity and strength. Words of evaluation stay
    themselves, but for those whose slang evaluates alike (cepat tanggap to gercep, mantap sekali to
    mantul). The longest phrase comes first, of several equivalents one is drawn, and a phrase
    without one stays as it is (uang muka). Only texts in which a person speaks change
    (`tone.personal`), and no names.

    Vocabulary: register, INV; the meaning stays, the style becomes casual.

    >>> slang()("aku ingin ke sana bersama teman , makanannya enak sekali", 1.0, random.Random(1))
    'aku pengen ke sana bareng temen , makanannya enak banget'
    """

    def fit(match: phrases.Match, options: list[str]) -> list[str]:
        said = match.after() in _SAID or match.before() in _DEGREE
        return [new for new in options if not (said and new.endswith(" banget"))]

    return _replacing(SLANG, ("phrase", "slang"), fit)


def _replacing(path: Path, header: tuple[str, str], fit) -> Function:
    """The function that exchanges a share of a list's phrases."""
    table = entries(path, header)
    longest = phrases.lengths(table)

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        if not units.count(1, rate) or not tone.personal(text):
            return None
        sites = [
            (word, options)
            for word, options in phrases.find(text, table, longest, fit)
            if options != [""] and not tone.named(text, word)
        ]
        changes = {
            word: words.cased(word.text, rng.choice(options))
            for word, options in units.chosen(sites, rate, rng)
        }
        return words.replace(text, changes) if changes else None

    return replace


@functools.cache
def entries(path: Path, header: tuple[str, str]) -> dict[str, list[str]]:
    """What can stand for each phrase of a list of pairs; an empty text where the phrase stays.

    Raises InputError for a bad row, with its line.
    """
    table: dict[str, list[str]] = {}
    for phrase, new in lexicons.table(path, header, optional=header[1:]):
        table.setdefault(phrase, []).append(new)
    return table
