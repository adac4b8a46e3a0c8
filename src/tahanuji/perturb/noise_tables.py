"""The tables of the character-level perturbations, read and checked: a bad row is an InputError
that names its line.
"""

from functools import cache
from pathlib import Path

from rapidfuzz.distance import OSA

from tahanuji.lexicons import body, pair_fault, refuse

VOWELS = "aeiou"
MISSPELLINGS = {
    "id": ("nonstandard", "chat", "slip"),
    "en": ("spelling", "apostrophe", "homophone", "slip"),
}
KINDS = ("typo", "informal")
# What realistic noise makes; what mixes languages is no noise.
MARKS = ("abbreviation", "clipped", "fused", "negation", "lengthening", "figure two", "slip")
MARKS += ("misspelling",)
_ENDS = ("first", "inner", "last")
OPERATIONS = (
    *(("substitution", detail) for detail in ("adjacent", "vowel for vowel", "other")),
    *(("deletion", f"{sort} {end}") for sort in ("vowel", "consonant") for end in _ENDS),
    *(("insertion", f"{sort} {end}") for sort in ("doubling", "other") for end in _ENDS),
    ("swap", "neighbours"),
)


@cache
def confusions(path: Path) -> dict[str, tuple[tuple[str, str], ...]]:
    """What is misread as what, by the first character of what is misread, from a table
    `from,to,note`; InputError for a bad row.
    """
    table: dict[str, list[tuple[str, str]]] = {}
    for line, (source, target, *_) in body(path, ("from", "to", "note")):
        plain = (source + target).isascii() and source.isalnum() and target.isalnum()
        if not plain or source == target:
            what = "both are letters or figures without accents, and they differ"
            refuse(path, line, f"misreads {source!r} as {target!r}; {what}")
        if (source, target) in table.setdefault(source[0], []):
            refuse(path, line, f"repeats {source!r} as {target!r}")
        table[source[0]].append((source, target))
    return {first: tuple(readings) for first, readings in table.items()}


@cache
def misspellings(path: Path, language: str) -> dict[str, tuple[tuple[str, int], ...]]:
    """The misspellings of each word and how many characters they edit, from a table
    `word,misspelling,kind,lists,texts`; InputError for a bad row.

    The last two say where a pair was found (scripts/attest_misspellings.py): in so many public
    lists, and its misspelling so often in texts.
    """
    table: dict[str, dict[str, int]] = {}
    for line, row in body(path, ("word", "misspelling", "kind", "lists", "texts")):
        if fault := _fault(*row, MISSPELLINGS[language]):
            refuse(path, line, fault)
        word, wrong = row[:2]
        if wrong in table.setdefault(word, {}):
            refuse(path, line, f"repeats {word!r} as {wrong!r}")
        table[word][wrong] = OSA.distance(word, wrong)
    return {word: tuple(wrongs.items()) for word, wrongs in table.items()}


def _fault(word: str, wrong: str, kind: str, lists: str, texts: str, kinds: tuple[str, ...]) -> str:
    """What is wrong with a row of the misspellings; nothing where it is as it should be."""
    if said := pair_fault(word, wrong):
        return said
    if kind not in kinds:
        return f"is of the kind {kind!r}; kinds are {', '.join(kinds)}"
    counted = lists.isdecimal() and (texts.isdecimal() or not texts)
    if not counted or not int(lists) + int(texts or 0):
        numbers = "both are whole numbers (texts may be empty), and one is above 0"
        return f"has {lists!r} lists and {texts!r} texts; {numbers}"
    return ""


@cache
def measured(path: Path) -> dict[str, dict[tuple[str, str], int]]:
    """How often each operation was counted, by kind, without those that never were, from
    `kind,operation,detail,count,share`.
    """
    table: dict[str, dict[tuple[str, str], int]] = {kind: {} for kind in KINDS}
    line, header = 1, ("kind", "operation", "detail", "count", "share")
    for line, (kind, operation, detail, number, _) in body(path, header):
        name, fits = (operation, detail), kind in KINDS and number.isdecimal()
        if not fits or name not in OPERATIONS or name in table[kind]:
            what = "each operation of a kind stands once, with a whole number"
            given = f"{kind!r}, {operation!r}, {detail!r}, {number!r}"
            refuse(path, line, f"has {given}; {what}")
        table[kind][name] = int(number)
    if not all(any(counts.values()) for counts in table.values()):
        refuse(path, line, f"is the last, and a kind ({', '.join(KINDS)}) has no counted operation")
    return {
        kind: {name: number for name, number in counts.items() if number}
        for kind, counts in table.items()
    }


@cache
def marks(path: Path) -> dict[str, int]:
    """How many words of unedited texts bear each mark that noise can make, from a table
    `texts,mark,count,n,value,ci_low,ci_high`; InputError for a bad row.

    Of the slips those are taken off that the same rule finds in as many words of edited texts:
    names and rare words.
    """
    table: dict[tuple[str, str], tuple[int, int]] = {}
    header = ("texts", "mark", "count", "n", "value", "ci_low", "ci_high")
    for line, (texts, mark, number, whole, *_) in body(path, header):
        if not (number.isdecimal() and whole.isdecimal() and int(number) <= int(whole) > 0):
            refuse(path, line, f"has {number!r} of {whole!r} words")
        table[texts, mark] = int(number), int(whole)
    natural = {mark: table["all", mark][0] for mark in MARKS}
    number, whole = table["edited", "slip"]
    natural["slip"] = max(0, natural["slip"] - round(number / whole * table["all", "slip"][1]))
    return natural
