"""What the normaliser knows of words: how often they stand in edited and unedited writing, what
informal spellings stand for, and which words of other languages and names it leaves alone.
"""

import csv
import functools
import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tahanuji import downloads, lexicons, words
from tahanuji.errors import unknown
from tahanuji.harden import halves
from tahanuji.perturb import contraction
from tahanuji.perturb.noise_tables import misspellings

COUNTS = lexicons.LEXICONS / "word_counts_id.csv"
WORDS = (5_951_441, 3_241_147)  # of edited and of unedited writing behind COUNTS
EVIDENCE = 5  # uses in edited writing from which a spelling may be a word of its own
COMMON = 500  # uses in edited writing from which it is one (tapi)
INFORMAL = 3  # times as often an informal spelling stands in unedited writing as in edited
NEGATIONS = ("ngak", "nga", "gag", "gx", "gax", "ngk", "nggk", "enggk", "engak", "ndk", "tida")
FOREIGN = ("en", "jv", "su", "ms")
NAMES = ("names.csv", "places.csv", "groups_id.csv")


class Count(NamedTuple):
    """How often a word stands in edited and in unedited writing."""

    edited: int
    unedited: int


@functools.cache
def counts() -> dict[str, Count]:
    """The counts of data/lexicons/word_counts_id.csv by word.

    >>> counts()["tidak"].edited > counts()["gak"].edited, "gtau ah" in counts()
    (True, False)
    """
    lines = lexicons.body(COUNTS, ("word", "edited", "unedited"))
    return {word: Count(int(edited), int(unedited)) for _, (word, edited, unedited) in lines}


@functools.cache
def frequencies() -> dict[str, float]:
    """The natural logarithm of each word's uses per million words, both kinds of writing weighing
    the same.
    """
    edited, unedited = (5e5 / total for total in WORDS)
    return {
        word: math.log(one.edited * edited + one.unedited * unedited)
        for word, one in counts().items()
    }


def frequency(phrase: str) -> float:
    """The logarithm of the uses of the rarest word of a phrase; minus infinity for an unknown one.

    >>> frequency("tidak tahu") == frequency("tahu") < frequency("tidak")
    True
    """
    known = frequencies()
    return min((known.get(word, -math.inf) for word in phrase.split()), default=-math.inf)


@functools.cache
def edited() -> frozenset[str]:
    """The words that edited writing has often enough to be right.

    >>> "tidak" in edited(), "gatau" in edited()
    (True, False)
    """
    return frozenset(word for word, one in counts().items() if one.edited >= EVIDENCE)


@functools.cache
def informal(half: str | None = None, dictionaries: tuple[str, ...] = ()) -> dict[str, str]:
    """What informal spellings and short forms stand for, by lower-case form: of contractions_id.csv
    backwards, misspellings_id.csv backwards, and the variants of tidak; of one half, or of both;
    and of downloaded dictionaries those forms that these lists and `untouched` lack.

    Forms that edited writing uses as words of their own (item, dimana) are left
    out, and of several meanings the most frequent one counts.

    >>> forms = informal()
    >>> forms["yg"], forms["gatau"], forms["gak"], "item" in forms, "dimana" in forms
    ('yang', 'tidak tahu', 'tidak', False, False)
    """
    halves.check(half)
    best = _likeliest(_pairs(), half)
    if dictionaries:
        kept = best.keys() | untouched()
        pairs = (pair for name in dictionaries for pair in dictionary(name))
        best |= _likeliest((pair for pair in pairs if pair[0] not in kept), half)
    return {form: _last(form, best) for form in best}


def _likeliest(pairs: Iterable[tuple[str, str]], half: str | None) -> dict[str, str]:
    """The most frequent meaning of each form of a half."""
    meanings: dict[str, set[str]] = {}
    for form, meaning in pairs:
        if " " not in form and form != meaning and halves.used(form, half):
            meanings.setdefault(form, set()).add(meaning)
    return {form: max(sorted(all_), key=frequency) for form, all_ in meanings.items()}


@functools.cache
def dictionary(name: str) -> list[tuple[str, str]]:
    """The forms of a dictionary that data/registry.yaml names, with what they stand for, in lower
    case: forms of letters that are no words of their own, and phrases of known words.

    Raises InputError for an unknown dictionary and for one that cannot be downloaded.
    """
    entry = downloads.registered("dictionaries", name)
    if entry is None:
        raise unknown("dictionary", name, downloads.registry()["dictionaries"])
    path, header = downloads.locate(entry["file"]), entry["columns"]
    with path.open(encoding=entry.get("encoding", "utf-8"), newline="") as file:
        rows = csv.DictReader(file, header if entry.get("headless") else None)
        pairs = [tuple(words.key(row[column]).strip() for column in header) for row in rows]
    return [
        (form, meaning)
        for form, meaning in pairs
        if form.isalpha() and frequency(meaning) > -math.inf and not _own_word(form)
    ]


def _last(form: str, best: dict[str, str]) -> str:
    """What a form stands for in the end: dah for udah, and that for sudah."""
    seen = {form}
    while (form := best[form]) in best and form not in seen:
        seen.add(form)
    return form


def _pairs() -> Iterator[tuple[str, str]]:
    """Informal forms that are no words of their own, with what they may stand for."""
    listed = lexicons.members("id", "variant of tidak", "form of tidak") - {"tidak"}
    for variant in {*listed, *NEGATIONS}:
        if not _own_word(variant):
            yield variant, "tidak"
    for form, entries in contraction.entries("id")["expand"].items():
        if not _own_word(form):
            yield from ((form, one.target) for one in entries if one.kind != "clitic")
    for word, wrong in misspellings(lexicons.LEXICONS / "misspellings_id.csv", "id").items():
        for form, _ in wrong:
            if not _own_word(form) and frequency(form) < frequency(word):
                yield form, word


def _own_word(form: str) -> bool:
    """Whether edited writing uses a form, so that it may be a word of its own."""
    edited, unedited = counts().get(form, Count(0, 0))
    return edited >= COMMON or (edited >= EVIDENCE and unedited < INFORMAL * edited)


@functools.cache
def untouched(half: str | None = None) -> frozenset[str]:
    """Names, places, words that judge, and words of other languages that the lexicons have, in
    lower case.

    >>> {"jakarta", "terharu", "delicious"} <= untouched(), "enka" in untouched()
    (True, False)
    """
    listed = {
        part
        for name in NAMES
        for _, row in lexicons.rows(lexicons.LEXICONS / name, 1)
        for part in row[0].lower().split()
    }
    lines = lexicons.body(lexicons.LEXICONS / "codemix.csv", ("word", "left", "right", *FOREIGN))
    cells = {part for _, row in lines for cell in row[3:] for part in cell.lower().split()}
    cells |= {
        word
        for _, (language, word) in lexicons.body(
            lexicons.LEXICONS / "function_words.csv", ("language", "word")
        )
        if language == "en"
    }
    listed |= lexicons.sentiment_words().keys()
    return frozenset(listed | {word for word in cells if halves.used(word, half)})
