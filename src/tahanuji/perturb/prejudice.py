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
from tahanuji.perturb import phrases, reversal_id, units
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.perturb.synonyms import function_words, in_expressions

SAME = "names_same_gender"
KINDS = {"id": ("places", "names", SAME, "groups"), "en": ("places", "names", SAME)}
NEEDS = ("", "capital", "inside", "cue", "after")
GENDERS = {"masculine": "feminine", "feminine": "masculine"}  # whose place a name may take


class Row(NamedTuple):
    """A name as it is written, its kind or gender, the names of which one may take its place, and
    what must stand about it (NEEDS).
    """

    name: str
    kind: str
    others: tuple[str, ...]
    needs: str


@perturbation(
    name="prejudice",
    level="other",
    capability="fairness: places, names, groups",
    test_type="INV",
    family="names and places",
    rated_options={"kind": {"id": ("names", "groups"), "en": ("names",)}},
    source="Romero Alvarado (2023), section 3.3.3, Prejudice",
    languages=("id", "en"),
)
def prejudice(language: str = "id", kind: str = "places") -> Function:
    """A share `rate` of the places, given names or groups (`kind`) that a text names becomes
    another of the same kind.

    `places` (places.csv): a city becomes a city, a country a country, of those in poorer or remoter
    regions: Bandung to Wamena, Canada to Morocco. `names` (names.csv): a masculine given name
    becomes a feminine one and the other way round, with the title right before it (Pak, Bu, Mr,
    Ms). `names_same_gender` draws within a gender, so that no gender changes with the name: titles
    stay, and so may a wife or a husband be named. `groups` (groups_id.csv, Indonesian only): an
    ethnic group becomes another one, a faith another faith, and so for believers, clerics and
    houses of worship. The same name gets the same other name throughout a text, different names
    different ones as far as the list goes.

    What belongs to a longer name stays: companies and institutions (Bank Indonesia, PT ...
    Indonesia), what is named after a place, a word or two between allowed (nasi padang, kopi karimi
    kenya), clubs (persib bandung), masjid agung, dishes and events (soto betawi, tahun baru islam),
    a part of a group or region (batak toba, jawa barat), what stands in a fixed expression (luar
    jawa, gula jawa, sabang sampai merauke), names behind an office (presiden jokowi),
    given names without a title before an unknown word in lower case that may be the surname or
    behind a word with a capital, English surnames behind a given name. So does a place of another
    kind than the word before it says. Full names of public figures count as one name. Texts with a
    wife, a husband or a pregnancy keep their names, in English with any pronoun or word that tells
    the gender (she, my uncle), and texts with a faith and its believers, clerics or houses of
    worship keep their groups, so that nothing contradicts the rest. How many texts a kind applies
    to is `changed_share` in a run's metrics: places in a fifth of the test texts of SmSA, names in
    one of fourteen, groups in one of a hundred.

    Names are found in any case, except for those that are words too, which the column `needs`
    marks: `capital` must have one, `inside` a capital and no sentence begins with it, `cue` the
    same or a word such as "di" before it (di malang), `after` such a word in any case (orang jawa).

    Capability: fairness. Test type: INV: a label of sentiment should not hang on the name; where
    the text is about the place itself, it may. Source: Romero Alvarado (2023), section 3.3.3,
    Prejudice, places; its conclusions speak of masculine and feminine names. textflint draws from
    names of one country.

    >>> prejudice("en")("I'm moving to Canada next month", 1.0, random.Random(0))
    "I'm moving to Yemen next month"
    """
    if kind not in KINDS[language]:
        hint = f"These are the kinds for {units.LANGUAGES[language]}."
        raise unknown("kind of prejudice", kind, KINDS[language], hint)
    sort = "names" if kind == SAME else kind
    table, cues = rows(language, kind), lexicons.members(language, f"cue of {sort}")
    longest = phrases.lengths(table)
    titles = lexicons.values(language, "title") if kind == "names" else {}

    def fit(match: phrases.Match, row: Row) -> Row | None:
        fits = _named(match, row.needs, cues) and not _of_another(match, row, sort)
        second = match.before() in table
        if language == "id":
            second = second or match.after() in table or _second(match, cues)
            fits = fits and match.at not in in_expressions(match.text, match.tokens)
        surname = sort == "names" and second
        return row if fits and not surname else None

    def replace(text: str, rate: float, rng: random.Random) -> str | None:
        sites = list(phrases.find(text, table, longest, fit)) if units.count(1, rate) else []
        if sites and _bound(text, table, language, kind) | _called(text, longest, kind, language):
            return None
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


def _bound(text: str, table: Mapping[str, Row], language: str, kind: str) -> bool:
    """Whether a text holds together what would be drawn apart: a name and who is wife, husband or
    pregnant, or a faith and its believers, clerics or houses of worship.
    """
    keys = {words.key(word.text) for word in words.words(text)}
    if kind == "groups":
        return len({table[key].kind for key in keys & table.keys()} - {"ethnic"}) > 1
    return kind == "names" and not keys.isdisjoint(lexicons.members(language, "tells the gender"))


def _called(text: str, longest: Mapping[str, int], kind: str, language: str) -> bool:
    """Whether an Indonesian text calls somebody pak or bu without a name, which tells the gender
    of whoever is named elsewhere (maju terus , pak).
    """
    if kind != "names" or language != "id":
        return False
    keys = [words.key(word.text) for word in words.words(text)]
    titles = lexicons.members("id", "calls somebody")
    pairs = zip(keys, [*keys[1:], ""], strict=True)
    return any(one in titles and after not in longest for one, after in pairs)


def _named(match: phrases.Match, needs: str, cues: frozenset[str]) -> bool:
    """Whether a name that may be a common word stands as a name."""
    if not needs:
        return True
    first, cued = match.word.text[0], match.before() in cues
    capital = first.isupper() and (
        needs == "capital" or cued or not (match.word.text.isupper() or _begins(match))
    )
    return {"capital": capital, "inside": capital, "cue": capital or cued, "after": cued}[needs]


def _of_another(match: phrases.Match, row: Row, kind: str) -> bool:
    """Whether a name is part of a longer one (Bank Indonesia, masjid agung, toni and an unknown
    surname) or of another kind than the word before it says (pulau Bali, where Bali is a province).
    """
    before, after = match.before(), match.after()
    members = functools.partial(lexicons.members, "id")
    if kind == "places":
        said = lexicons.values("id", "kind of place").get(before, row.kind)
        ahead = {words.key(word.text) for word in match.tokens[max(0, match.at - 5) : match.at]}
        near = {words.key(word.text) for word in match.tokens[max(0, match.at - 3) : match.at]}
        if before in members("cue of places") | function_words("id") | function_words("en"):
            near = set()  # nasi goreng di Bandung
        if match.text[: match.word.start].endswith("- "):  # eastern - bandung, a restaurant
            return True
        named = near & members("named after a place") or ahead & members("company")
        return bool(named) or said != row.kind or after in members("completes a place name")
    if kind == "groups":
        worship = row.kind == "house of worship" and after in members("completes a name of worship")
        fixed = before in members("named after a place") - members("cue of groups")
        fixed = fixed or before in members("named after a group")
        return worship or fixed or after in members("completes a place name", "completes a group")
    surname = match.word.text.islower() and after != "" and reversal_id.noun(after)
    titled = before in members("cue of names")
    ahead = {words.key(word.text) for word in match.tokens[max(0, match.at - 2) : match.at]}
    closed = before in members("office") or bool(ahead & members("no name behind"))
    return closed or (surname and not titled)


def _second(match: phrases.Match, cues: frozenset[str]) -> bool:
    """Whether a word with a capital inside a sentence stands before the name, which then is the
    second half of a longer one (Laudya Chintya Bella).
    """
    if not match.word.text.istitle() or match.before() in {"", *cues}:
        return False
    first = match.tokens[match.at - 1]
    return first.text[0].isupper() and not _begins(match._replace(at=match.at - 1))


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
    files = {"places": "places.csv", "groups": f"groups_{language}.csv"}
    path = LEXICONS / files.get(kind, "names.csv")
    listed: dict[str, tuple[int, str, str, str]] = {}
    targets: dict[str, list[str]] = defaultdict(list)
    for line, (name, group, target, needs) in _table(path, language, kind):
        key = words.key(name)
        if not words.phrase(name) or key in listed:
            refuse(path, line, f"has {name!r}, which is not a name or is there twice")
        if needs not in NEEDS or target not in ("yes", "no"):
            refuse(path, line, f"has {target!r} and {needs!r} where yes or no and NEEDS belong")
        if kind in ("names", SAME) and group not in GENDERS:
            refuse(path, line, f"has the gender {group!r}; allowed are {', '.join(GENDERS)}")
        listed[key] = (line, name, group, needs)
        if target == "yes":
            targets[GENDERS.get(group, group) if kind == "names" else group].append(name)
    table = {}
    for key, (line, name, group, needs) in listed.items():
        own = _whole(language, kind, key)
        others = tuple(other for other in targets[group] if _whole(language, kind, other) != own)
        if not others:
            refuse(path, line, f"has {name!r}, for which the list has no other name to take")
        table[key] = Row(name, group, others, needs)
    return table


def _whole(language: str, kind: str, name: str) -> str:
    """The group that a name of a group, of a part of it or of its clerics or houses of worship
    means (minang: padang, wihara: buddha), else the name itself.
    """
    key = words.key(name)
    return lexicons.values(language, "group meant").get(key, key) if kind == "groups" else key


def _table(path: Path, language: str, kind: str) -> list[tuple[int, tuple[str, str, str, str]]]:
    """Line, name, group, target and needs of the rows of a language."""
    table = list(lexicons.rows(path, 4 if kind == "groups" else 5))[1:]
    if kind == "groups":
        return [(line, (row[0], row[1], row[2], row[3])) for line, row in table]
    return [(line, (row[0], row[2], row[3], row[4])) for line, row in table if row[1] == language]
