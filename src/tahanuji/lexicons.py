"""The word lists of data/lexicons: their rows with line numbers, and the classes of function words
that the perturbations and translators go by.
"""

import csv
import functools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NoReturn

from tahanuji import paths, words
from tahanuji.errors import InputError

LEXICONS = paths.DATA / "lexicons"


def rows(path: Path, columns: int) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every row of a csv or tsv file, the header among them; in tsv files
    quotes are ordinary characters.

    Raises InputError, with the line, for a row with more or fewer cells than the first one or with
    fewer than `columns`.
    """
    if not path.is_file():
        raise InputError(f"there is no word list {paths.shown(path)}.")
    options = (
        {"delimiter": "\t", "quoting": csv.QUOTE_NONE}
        if path.suffix in {".tsv", ".tab"}
        else {"strict": True}
    )
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader, width = csv.reader(file, **options), 0
        try:
            for row in reader:
                width = width or len(row)
                if row and (len(row) != width or width < columns):
                    wrong = f"{len(row)}, not {max(width, columns)}"
                    refuse(path, reader.line_num, f"has a wrong number of cells: {wrong}")
                if row:
                    yield reader.line_num, row
        except csv.Error as error:
            refuse(path, reader.line_num, f"is no row of a csv file ({error})")
        except UnicodeDecodeError:
            line = reader.line_num + 1
            refuse(path, line, "or one soon after it is not UTF-8; save the file as UTF-8")


def refuse(path: Path, line: int, what: str) -> NoReturn:
    """Raise an InputError that names a line of a word list."""
    raise InputError(f"{paths.shown(path)}: line {line} {what}.")


def body(path: Path, header: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of the rows below the header; InputError for another header."""
    lines = rows(path, len(header))
    line, first = next(lines, (1, []))
    if tuple(first) != header:
        refuse(path, line, f"is not the header {','.join(header)}")
    return lines


def table(
    path: Path,
    header: tuple[str, ...],
    optional: tuple[str, ...] = (),
    distinct: int | None = None,
    fault: Callable[..., str] = lambda *cells: "",
    **allowed: tuple[str, ...],
) -> list[list[str]]:
    """The rows below the header of a word list, whose cells are lower-case words but in a column
    `note`.

    InputError, with the line, for an empty cell that is not `optional`, another cell, one that is
    not `allowed` in its column, a row of which `fault` says what is wrong with its cells, and one
    whose first `distinct` cells (all, unless given) an earlier row has.
    """
    result, seen = [], {}
    for line, row in body(path, header):
        for name, cell in zip(header, row, strict=True):
            if not cell and name not in optional:
                refuse(path, line, f"has no {name}")
            if cell and name != "note" and (not words.phrase(cell) or cell != words.key(cell)):
                refuse(path, line, f"has {cell!r} as {name}, which is not in lower-case words")
            if cell not in allowed.get(name, (cell,)):
                names = ", ".join(filter(None, allowed[name]))
                refuse(path, line, f"has the {name} {cell!r}; allowed are {names}")
        if said := fault(*row):
            refuse(path, line, said)
        if (earlier := seen.setdefault(tuple(row[:distinct]), line)) != line:
            refuse(path, line, f"repeats line {earlier}")
        result.append(row)
    return result


def pair_fault(word: str, other: str, *_: str) -> str:
    """What is wrong with a pair of words; nothing where they are two single lower-case ones.

    >>> pair_fault("enak", "lezat"), pair_fault("enak", "enak")
    ('', "has 'enak' and 'enak'; both are one lower-case word, and they differ")
    """
    single = all(
        cell == words.key(cell) and " " not in cell and words.phrase(cell) for cell in (word, other)
    )
    if single and word != other:
        return ""
    return f"has {word!r} and {other!r}; both are one lower-case word, and they differ"


@functools.cache
def word_classes(path: Path) -> dict[str, dict[str, str]]:
    """The words of each class of a table `class,word,value` in the order of the file, with their
    values; InputError for a word that is empty, not in lower case or twice in its class.
    """
    classes: dict[str, dict[str, str]] = {}
    for line, (name, word, value) in body(path, ("class", "word", "value")):
        members = classes.setdefault(name, {})
        if not name or not word or word != word.lower() or word in members:
            refuse(path, line, f"has {word!r} in {name!r}: empty, not in lower case, or repeated")
        members[word] = value
    return classes


@functools.cache
def values(language: str, name: str) -> Mapping[str, str]:
    """The words of a class of word_classes_<language>.csv with their values, in the file's order.

    >>> values("id", "not yet")["belum"]
    'sudah'
    """
    return MappingProxyType(word_classes(LEXICONS / f"word_classes_{language}.csv")[name])


@functools.cache
def members(language: str, *names: str) -> frozenset[str]:
    """The words of one or several classes of word_classes_<language>.csv together.

    >>> sorted(members("id", "prohibition", "privative"))
    ['anti', 'jangan', 'jgn', 'tanpa']
    """
    return frozenset(word for name in names for word in values(language, name))


@functools.cache
def label_names() -> Mapping[str, str]:
    """The labels of sentiment by the names that classifiers and data sets give them.

    >>> label_names()["positif"]
    'positive'
    """
    return MappingProxyType(dict(table(LEXICONS / "label_names.csv", ("name", "label"))))


@functools.cache
def sentiment_words() -> Mapping[str, str]:
    """The words of sentiment_words.csv with their polarities.

    >>> sentiment_words()["enak"], "word" in sentiment_words()
    ('positive', False)
    """
    listed = table(
        LEXICONS / "sentiment_words.csv",
        ("word", "polarity", "register", "note"),
        optional=("note",),
        distinct=1,
        polarity=("positive", "negative"),
    )
    return MappingProxyType({row[0]: row[1] for row in listed})


def initials(text: str, tokens: list[words.Word]) -> set[int]:
    """The numbers of words in capitals that look like negators and may be initials, in a text that
    is not all in capitals.

    >>> text = "Garuda GA-204 ga telat"
    >>> initials(text, words.words(text))
    {1}
    """
    if text.isupper():
        return set()
    doubtful = members("id", "no negator in capitals")
    return {
        number
        for number, token in enumerate(tokens)
        if token.text.isupper() and words.key(token.text) in doubtful
    }
