"""Places, given names and groups exchanged for others, to see whether a label hangs on who or where
is named.

The purpose is a test, not a judgement. A classifier of sentiment that reads "the food in Jakarta"
and "the food in Papua" differently has learned what people write about places, not what the
sentence says; whoever uses it treats people by where they come from or what they are called. The
lists name places, names, ethnic groups and faiths of Indonesia and the world because models meet
them in texts; they rank none. A row marked as a target among the places is one of a poorer or
remoter region, as in the source, and says nothing about those who live there. A perturbed text may
state what is untrue of the place or group that it now names: read it as a probe and do not publish
it as a statement.
"""

import functools
import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tahanuji import lexicons, words
from tahanuji.errors import unknown
from tahanuji.lexicons import LEXICONS, refuse
from tahanuji.perturb import phrases, units
from tahanuji.perturb.registry import Function, perturbation

KINDS = {"id": ("places", "names", "groups"), "en": ("places", "names")}
NEEDS = ("", "capital", "inside", "cue", "after")


class Row(NamedTuple):
    """A name as it is written, the names of which one may take its place, and what must stand about
    it (NEEDS).
    """

    name: str
    others: tuple[str, ...]
    needs: str


@perturbation(
    name="prejudice",
    level="other",
    capability="fairness: places, names, groups",
    test_type="INV",
    source="Romero Alvarado (2023), section 3.3.3, Prejudice",
    languages=("id", "en"),
)
def prejudice(language: str = "id", kind: str = "places") -> Function:
    """A share `rate` of the places, given names or groups (`kind`) that a text names becomes
    another of the same kind.

    `places` (places.csv): a city becomes a city, a country a country, of those in poorer or remoter
    regions: Bandung to Wamena, Canada to Morocco. `names` (names.csv): a masculine given name
    becomes a feminine one and the other way round, with the title right before it (Pak, Bu, Mr,
    Ms), not with the pronouns. `groups` (groups_id.csv, Indonesian only): an ethnic group becomes
    another one, a faith another faith, and so for believers, clerics and houses of worship. The
    same name gets the same other name throughout a text, different names different ones as far as
    the list goes.

    Names are found in any case, except for those that are words too, which the column `needs`
    marks: `capital` must have one, `inside` a capital and no sentence begins with it, `cue` the
    same or a word such as "di" before it (di malang), `after` such a word in any case (orang jawa).
    Places right after the name of a dish, bank, bahasa and the like stay (nasi padang, Bank
    Indonesia).

    Capability: fairness. Test type: INV: a label of sentiment should not hang on the name; where
    the text is about the place itself, it may. Source: Romero Alvarado (2023), section 3.3.3,
    Prejudice, places; its conclusions speak of masculine and feminine names. textflint draws from
    names of one country.

    >>> prejudice("en")("I'm moving to Canada next month", 1.0, random.Random(0))
    "I'm moving to Yemen next month"
    """
    units.check_language(language, "prejudice", KINDS)
    if kind not in KINDS[language]:
        hint = f"These are the kinds for {units.LANGUAGES[language]}."
        raise unknown("kind of prejudice", kind, KINDS[language], hint)
    table, cues = rows(language, kind), lexicons.members(language, f"cue of {kind}")
    longest = phrases.lengths(table)
    titles = lexicons.values(language, "title") if kind == "names" else {}
    named_after = lexicons.members("id", "named after a place") if kind == "places" else frozenset()

    def fit(match: phrases.Match, row: Row) -> Row | None:
        fits = _named(match, row.needs, cues) and match.before() not in named_after
        return row if fits else None

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        sites = list(phrases.find(text, table, longest, fit)) if units.count(1, rate) else []
        taken, chosen, changes = {row.name for _, row in sites}, {}, {}
        for word, row in units.chosen(sites, rate, rng):
            if row not in chosen:
                free = [other for other in row.others if other not in taken] or row.others
                chosen[row] = free[rng.randrange(len(free))]
                taken.add(chosen[row])
            changes[word] = _written(word.text, row.name, chosen[row])
            changes |= _title(text, word, titles)
        return words.replace(text, changes) if changes else None

    return replace


def _named(match: phrases.Match, needs: str, cues: frozenset[str]) -> bool:
    """Whether a name that may be a common word stands as a name."""
    if not needs:
        return True
    first, cued = match.word.text[0], match.before() in cues
    capital = first.isupper() and (
        needs == "capital" or cued or not (match.word.text.isupper() or _begins(match))
    )
    return {"capital": capital, "inside": capital, "cue": capital or cued, "after": cued}[needs]


def _begins(match: phrases.Match) -> bool:
    """Whether a sentence begins with the phrase."""
    before = match.text[max(0, match.word.start - 8) : match.word.start].rstrip(" \"'([“‘")
    return not before or before[-1] in ".!?:;\n"


def _written(source: str, name: str, other: str) -> str:
    """The other name in the case of the source."""
    if source.islower():
        return other.lower()
    return other.upper() if source.isupper() and not name.isupper() else other


def _title(text: str, word: words.Word, titles: Mapping[str, str]) -> dict[words.Word, str]:
    """The change of a title right before a name."""
    before = text[max(0, word.start - 12) : word.start]
    bare = before.removesuffix(" ").removesuffix(".")
    title = bare[max(bare.rfind(sign) for sign in " \n\t\"'(,") + 1 :]
    if not before.endswith(" ") or title.lower() not in titles:
        return {}
    end = word.start - (len(before) - len(bare))
    return {words.Word(end - len(title), end, title): words.cased(title, titles[title.lower()])}


@functools.cache
def rows(language: str, kind: str) -> dict[str, Row]:
    """The names of one kind by lower-case name, from places.csv, names.csv or
    groups_<language>.csv.

    Raises InputError for a bad row, with its line: a name that is not made of words or is there
    twice, a column `needs` or `target` (or `gender`) that says something else than the list's
    README allows; and for a kind that has no name to change to.
    """
    path = LEXICONS / (f"groups_{language}.csv" if kind == "groups" else f"{kind}.csv")
    listed: dict[str, tuple[int, str, str, str]] = {}
    targets: dict[str, list[str]] = defaultdict(list)
    other_gender = {"masculine": "feminine", "feminine": "masculine"}
    for line, (name, group, target, needs) in _table(path, language, kind):
        key = words.key(name)
        if not words.phrase(name) or key in listed:
            refuse(path, line, f"has {name!r}, which is not a name or is there twice")
        if needs not in NEEDS or target not in ("yes", "no", "masculine", "feminine"):
            belongs = "yes or no (masculine or feminine) and a word of NEEDS belong"
            refuse(path, line, f"has {target!r} and {needs!r} where {belongs}")
        listed[key] = (line, name, target if kind == "names" else group, needs)
        if target != "no":
            targets[other_gender.get(target, group)].append(name)
    table = {}
    for key, (line, name, group, needs) in listed.items():
        others = tuple(other for other in targets[group] if words.key(other) != key)
        if not others:
            refuse(path, line, f"has {name!r}, for which the list has no other name to take")
        table[key] = Row(name, others, needs)
    return table


def _table(path: Path, language: str, kind: str) -> list[tuple[int, tuple[str, str, str, str]]]:
    """Line, name, group, target and needs of the rows of a language."""
    table = list(lexicons.rows(path, 4))
    if kind == "groups":
        return [(line, (row[0], row[1], row[2], row[3])) for line, row in table[1:]]
    if kind == "names":
        return [
            (line, (row[0], "", row[2], row[3])) for line, row in table[1:] if row[1] == language
        ]
    return [
        (line, (row[0], row[2], row[3], row[4])) for line, row in table[1:] if row[1] == language
    ]
