"""Constraints on the documents' printed figures: the rows of tests/published/constraints.csv.

`cells` and every `{...}` of a formula select figures as `table / group / row / column`. A part is a
name, `*` (any), `?*` (any but empty), `a|b` (either), `!a|b` (neither), or `.` (as in the cell that
is checked); `$row` stands for that cell's row. A selection is a number where it meets one cell, a
series or frame with the labels that vary where it meets several.
"""

import math
import re
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from types import CodeType

import constraint_functions
import numpy as np
import pandas as pd
from constraint_functions import near

from tahanuji import paths

CELL = ["table", "group", "row", "column"]
FOLDER = paths.DATA / "published"
DOCUMENTS = ["adilazuarda2022", "mahendra2021", "romero2023", "viannisa2025", "wilie2020"]
WORDS = {"only one": 1, "hardest": 2, "a thousand": 1000}
WORDS |= dict.fromkeys(("False", "misclassification", "classified incorrectly"), 0)
WORDS |= dict.fromkeys(("True", "high accuracy", "classified correctly"), 1)
WORDS |= {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
WORDS |= {"eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12}
WORDS |= {"positive": 0, "neutral": 1, "negative": 2}
ALL = {"mahendra2021": 3, "viannisa2025": 6}  # what "all" counts there
UNITS = {"K": 1e3, "k": 1e3, "M": 1e6, "B": 1e9, "million": 1e6, "billion": 1e9}
UNITS |= {"GB": 1e3, "MB": 1, "KB": 1e-3}
NUMBER = re.compile(
    r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.(?P<digits>\d+))?"
    r"(?:[eE](?P<e>[+-]?\d+)| ?× ?10\^\{?(?P<power>-\d+)\}?)? ?"
    r"(?P<unit>(?:[KMG]B|[kKMB]|million|billion)\b)?"
)


@dataclass(frozen=True)
class Number:
    """A printed number: in its unit, without it, and half of its last digit (in the unit)."""

    value: float
    plain: float
    half: float


def numbers(printed: str) -> list[Number]:
    """The numbers that stand in a printed cell.

    >>> [number.value for number in numbers("124.5 million")], numbers("34.8%")[0].half
    ([124500000.0], 0.05)
    >>> [number.plain for number in numbers("0.0001 / 0.0005")], numbers("8 550")[0].value
    ([0.0001, 0.0005], 8550.0)
    """
    if (word := printed.removesuffix(" times")) in WORDS:
        return [Number(WORDS[word], WORDS[word], 0.0)]
    return [number(match) for match in NUMBER.finditer(re.sub(r"(?<=\d) (?=\d{3})", "", printed))]


def number(match: re.Match) -> Number:
    """The number that a match of NUMBER stands for."""
    figure = re.match(r"[-\d,.]*\d", match[0])[0].replace(",", "")
    plain = float(f"{figure}e{match['e'] or match['power'] or 0}")
    last = -len(match["digits"] or "") + int(match["e"] or match["power"] or 0)
    unit = UNITS.get(match["unit"], 1)
    return Number(round(plain * unit, 12), plain, 0.5 * 10.0**last * unit)


def half(printed: str) -> float:
    """Half of the last printed digit: how far a rounded figure can be from the one it was."""
    return numbers(printed)[0].half if numbers(printed) else 0.0


def matches(pattern: str, text: str) -> bool:
    """Whether a part of a selection allows a name.

    >>> matches("a|b*", "bc"), matches("!a|b", "a"), matches("?*", "")
    (True, False, False)
    """
    if pattern.startswith("!"):
        return not matches(pattern[1:], text)
    return any(fnmatchcase(text, part) for part in pattern.split("|"))


@dataclass(frozen=True, eq=False)
class Figures:
    """The figures of a document by cell, as values and as printed, and its errata by cell."""

    document: str
    values: dict[tuple, float]
    printed: dict[tuple, str]
    errata: dict[tuple, dict] = field(default_factory=dict)

    def half(self, cell: tuple) -> float:
        """Half of the last printed digit of a cell's figure."""
        return half(self.printed[cell])

    @lru_cache  # noqa: B019 (a handful of documents, and the changed ones of a test)
    def tables(self, errata: bool) -> dict[str, list[tuple]]:
        """The cells of each table; with `errata` also those that only errata name."""
        tables = {}
        for cell in [*self.values, *(self.errata.keys() - self.values.keys() if errata else ())]:
            tables.setdefault(cell[0], []).append(cell)
        return tables

    def cells(self, pattern: str, at: tuple | None = None, errata: bool = False) -> list[tuple]:
        """The cells that a selection meets; with `errata` also those that only errata name."""
        parts = pattern.split(" / ")
        if at:
            parts = [value if part == "." else part for part, value in zip(parts, at, strict=True)]
            for name, value in zip(CELL, at, strict=True):
                parts = [part.replace(f"${name}", value) for part in parts]
        table, *others = parts
        known = self.tables(errata)
        cells = [cell for name in known if matches(table, name) for cell in known[name]]
        for place, part in enumerate(others, start=1):
            cells = [cell for cell in cells if part == "*" or matches(part, cell[place])]
        if not cells:
            raise LookupError(f"{self.document} has no cell {pattern!r}")
        return cells

    def select(self, pattern: str, at: tuple | None = None):
        """The values that a selection meets: a number, a series or a frame."""
        document, _, rest = pattern.rpartition(": ")
        if document in DOCUMENTS:
            return figures(document).select(rest)
        cells = self.cells(pattern, at)
        if len(cells) == 1:
            return self.values[cells[0]]
        index = pd.MultiIndex.from_tuples(cells, names=CELL)
        values = pd.Series([self.values[cell] for cell in cells], index, dtype=float)
        still = [name for name in CELL if index.get_level_values(name).nunique() == 1]
        values = values.droplevel(still[: len(CELL) - 1])
        if values.index.nlevels == 1 or "column" in still:
            return values
        columns = index.get_level_values("column").unique()
        rows = values.index.droplevel("column").unique()
        return values.unstack("column").reindex(rows)[columns]

    def text(self, cell: tuple) -> str:
        """What is printed in a cell, or what an erratum says is printed there."""
        return self.printed[cell] if cell in self.printed else self.errata[cell]["printed"]

    def change(self, cell: tuple, printed: str) -> "Figures":
        """The same figures with another number printed in a cell."""
        old, new = numbers(self.printed[cell])[0], numbers(printed)[0]
        value = new.plain if old.plain == self.values[cell] else new.value
        return replace(
            self,
            values={**self.values, cell: value},
            printed={**self.printed, cell: printed},
        )


def read(name: str) -> pd.DataFrame:
    """A csv file of the documents, every cell as text."""
    return pd.read_csv(FOLDER / f"{name}.csv", dtype=str, keep_default_na=False)


@lru_cache
def figures(document: str) -> Figures:
    """The figures of a document and its errata."""
    frame, errata = read(document), read("errata").query("document == @document")
    cells = list(frame[CELL].itertuples(index=False, name=None))
    return Figures(
        document,
        dict(zip(cells, pd.to_numeric(frame["value"]).astype(float), strict=True)),
        dict(zip(cells, frame["printed"], strict=True)),
        {tuple(row[part] for part in CELL): row for row in errata.to_dict("records")},
    )


# One constraint


@dataclass(frozen=True)
class Constraint:
    """A row of the table: `formula` is what every one of `cells` must be, in the `relation`."""

    document: str
    name: str
    cells: str
    relation: str
    formula: str
    slack: str = ""

    @property
    def needs_files(self) -> bool:
        """Whether the formula reads the files that the document's authors released."""
        return "released" in self.formula


@lru_cache
def table() -> list[Constraint]:
    """All rows of tests/published/constraints.csv."""
    path = paths.ROOT / "tests" / "published" / "constraints.csv"
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return [Constraint(**row) for row in frame.to_dict("records")]


@lru_cache
def lets(document: str) -> dict[str, str]:
    """The names that rows of a document let, with their formulas."""
    rows = [row for row in table() if row.relation == "let" and row.document == document]
    return {row.cells: row.formula for row in rows}


def constraints(document: str | None = None) -> list[Constraint]:
    """The constraints of a document, or of all."""
    return [row for row in table() if row.relation != "let" and document in (None, row.document)]


@cache
def compiled(formula: str) -> tuple[CodeType, frozenset[str]]:
    """A formula with its selections as calls, and the names that it uses."""
    code = compile(re.sub(r"\{([^{}]*)\}", r'_("\1")', formula), formula, "eval")
    names, parts = set(), [code]
    for part in parts:
        names |= set(part.co_names)
        parts += [inner for inner in part.co_consts if isinstance(inner, CodeType)]
    return code, frozenset(names)


def evaluate(formula: str, document: Figures, at: tuple | None = None):
    """What a formula gives for a cell."""
    code, used = compiled(formula)
    names = dict(vars(constraint_functions), document=document)
    names |= {
        name: let(lets(document.document)[name], document)
        for name in used & lets(document.document).keys()
    }
    if at:
        printed = document.text(at)
        names |= dict(zip(CELL, at, strict=True), cell=document.values.get(at, math.nan))
        names |= {"printed": printed, "half": half(printed)}
    names["_"] = lambda pattern: document.select(pattern, at)
    return eval(code, names)


@cache
def let(formula: str, document: Figures):
    """The value of a name that a row lets."""
    return evaluate(formula, document)


RELATIONS = {
    "=": lambda value, expected, slack, printed: near(value, expected, slack),
    "~": lambda value, expected, slack, printed: near(value, expected, slack),
    "<": lambda value, expected, slack, printed: value < expected,
    "<=": lambda value, expected, slack, printed: value <= expected + slack + 1e-9,
    ">": lambda value, expected, slack, printed: value > expected,
    ">=": lambda value, expected, slack, printed: value >= expected - slack - 1e-9,
    "in": lambda value, expected, slack, printed: any(near(value, x, slack) for x in expected),
    "within": lambda value, expected, slack, printed: (
        expected[0] - slack - 1e-9 <= value <= expected[1] + slack + 1e-9
    ),
    "set": lambda value, expected, slack, printed: (
        {number.plain for number in numbers(printed)} == set(expected)
    ),
    "is": lambda value, expected, slack, printed: printed == expected,
    "reads": lambda value, expected, slack, printed: bool(re.fullmatch(expected, printed)),
    "!=": lambda value, expected, slack, printed: value != expected,
    "holds": lambda value, expected, slack, printed: bool(np.all(expected)),
}


def shape(cells: list[tuple]) -> tuple[int, ...]:
    """How many groups, rows, columns and cells there are."""
    return (*(len({cell[place] for cell in cells}) for place in (1, 2, 3)), len(cells))


def violations(constraint: Constraint, document: Figures) -> dict:
    """The cells that break a constraint, with what they should be."""
    if constraint.relation == "shape":
        cells = document.cells(f"{constraint.cells} / * / * / *")
        shapes = {name: shape([cell for cell in cells if cell[0] == name]) for name, *_ in cells}
        wanted = evaluate(constraint.formula, document)
        return {(name, "", "", ""): wanted for name, has in shapes.items() if has != wanted}
    if not constraint.cells:
        holds = np.all(evaluate(constraint.formula, document))
        return {} if holds else {("", "", "", ""): True}
    wrong = {}
    for cell in document.cells(constraint.cells, errata=True):
        value = document.values.get(cell, math.nan)
        expected = evaluate(constraint.formula, document, cell)
        slack = constraint.slack or ("half" if constraint.relation == "~" else "0")
        holds = RELATIONS[constraint.relation]
        if not holds(value, expected, evaluate(slack, document, cell), document.text(cell)):
            wrong[cell] = expected
    return wrong


def agrees(recomputed: str, expected, relation: str, value: float) -> bool:
    """Whether an erratum gives what the constraint that it breaks expects."""
    if isinstance(expected, str):
        return (
            numbers(recomputed)[0].plain == value
            if relation == "reads"
            else (recomputed == expected)
        )
    if relation in ("in", "set"):
        return {number.plain for number in numbers(recomputed)} == set(expected)
    if relation == "holds":
        return False
    right = numbers(recomputed)[0]
    if relation == "within" and len(expected) == 2:
        return expected[0] <= right.value <= expected[1]
    return near(right.value, expected[2] if relation == "within" else expected, right.half)


def complaints(constraint: Constraint, document: Figures) -> list[str]:
    """The violations of a constraint that no erratum explains."""
    found = []
    for cell, expected in violations(constraint, document).items():
        erratum, value = document.errata.get(cell), document.values.get(cell, math.nan)
        if not erratum or not agrees(erratum["recomputed"], expected, constraint.relation, value):
            found.append(f"{' / '.join(cell)} is {value}, {constraint.relation} {expected}")
    return found
