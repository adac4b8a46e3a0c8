"""The documents' printed figures hold to one another, as tests/published/constraints.csv says, but
for the misprints of data/published/errata.csv; and a wrong digit is found.
"""

from dataclasses import replace

import constraints
import pytest
from constraints import DOCUMENTS, figures, numbers

ROWS = {(row.document, row.name): row for row in constraints.constraints()}
KINDS = {"misprint", "rounding", "label", "contradiction"}
# of two numbers in one cell, the one that the column names
PLACES = {"from": 0, "to": 1, "1": 0, "2": 1, "3": 2}
PLACES |= {"Count, all": 1, "Value, XLNet": 1, "Value, of each": 1}


@pytest.mark.parametrize("key", ROWS, ids=": ".join)
def test_constraint(key, request):
    row = ROWS[key]
    if row.needs_files:
        request.getfixturevalue("mirror")
    assert constraints.complaints(row, figures(row.document)) == []


def unexplained(document: constraints.Figures) -> set[tuple]:
    """The errata, but for labels, that no constraint breaks at; released files count unread."""
    cells = {cell for cell, row in document.errata.items() if row["kind"] != "label"}
    for row in constraints.constraints(document.document):
        if row.needs_files:
            cells -= set(document.cells(row.cells, errata=True) if row.cells else ())
        elif row.relation != "shape" and cells & set(document.cells(row.cells or "*", errata=True)):
            cells -= constraints.violations(row, document).keys()
    return cells


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_erratum_breaks_a_constraint(document):
    assert unexplained(figures(document)) == set()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_errata_repeat_the_printed_cells(document):
    for cell, row in figures(document).errata.items():
        assert figures(document).printed.get(cell, row["printed"]) == row["printed"], cell
        assert row["kind"] in KINDS and len(row["why"]) > 10, cell


@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_file_is_plain(document):
    raw = (constraints.FOLDER / f"{document}.csv").read_bytes()
    assert b"\r" not in raw and raw.endswith(b"\n")
    assert all(line.isprintable() for line in raw.decode("utf-8").splitlines())
    frame = constraints.read(document)
    assert list(frame.columns) == [*constraints.CELL, "value", "printed"]
    assert not frame.duplicated(constraints.CELL).any()


def stated(document: str, cell: tuple, printed: str) -> set[float]:
    """The values that a printed cell can stand for: in its unit, or without it where the column
    names the unit.
    """
    if printed == "all":
        return {constraints.ALL[document]}
    parts, column = numbers(printed), cell[-1]
    part = parts[PLACES.get(column, PLACES.get(column.split(", ")[-1], 0)) if parts[1:] else 0]
    return {part.value, part.plain}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_values_are_what_is_printed(document):
    book = figures(document)
    for cell, printed in book.printed.items():
        if printed in ("-", "n/a"):
            assert book.values[cell] != book.values[cell], cell
        else:
            assert book.values[cell] in stated(document, cell, printed), cell


# The runner


CHANGED = """
adilazuarda2022; Table 1 / SmSA / XRB / ms; 4.35; average of a model in Table 1
adilazuarda2022; Table 1 / SmSA / XRB / ms; 4.35; average of a language in Table 1
adilazuarda2022; Table 6 / * / asik / IF; 99999; ratio of the most perturbed words
mahendra2021; Table 4 / Label / neutral / Test LAY; 777; premises add up to labels
mahendra2021; Table 11 / * / CS / pairs, N; 77; pairs of a tag
romero2023; Table 14 / * / Twitter / XLNet; 0.01; the annex repeats the grids
romero2023; Table 28 / * / SSWN / Score; 0.777; averages follow from the kappas
romero2023; Figure 7 / * / Class A / Class A; 9; row totals of Figure 7
viannisa2025; Table 4.2 / * / 5 typos / mBERT failures; 123; rates of mBERT by the counts
viannisa2025; Table 4.1 / * / mBERT / * in this thesis; 87.7%; IndoBERT leads in all metrics
wilie2020; Table 5 / * / mBERT / CASA; 74.23; averages of tasks
wilie2020; Table 5 / * / mBERT / CASA; 74.23; Table 5 is the best of Table 22
wilie2020; Table 3 / * / Kompas / # Words; 1; words and sentences of Indo4B
"""


@pytest.mark.parametrize("change", CHANGED.strip().splitlines())
def test_a_wrong_digit_breaks_its_constraint(change):
    document, cell, printed, name = change.split("; ")
    (cell,) = figures(document).cells(cell)
    row = ROWS[document, name]
    assert not constraints.complaints(row, figures(document))
    assert constraints.complaints(row, figures(document).change(cell, printed))


def test_a_wrong_digit_breaks_no_more_than_it_touches():
    book = figures("adilazuarda2022")
    (cell,) = book.cells("Table 2 / SmSA / IBB / Joint, CM")
    changed = book.change(cell, "99.9")
    rows = [row for row in constraints.constraints(book.document) if not row.needs_files]
    broken = {row.name for row in rows if constraints.complaints(row, changed)}
    assert broken == {"two steps beat joint on the code-mixed"}


def test_a_wrong_erratum_is_found():
    """One that is missing, one that gives another number, and one for a cell that is right."""
    book, row = figures("adilazuarda2022"), ROWS["adilazuarda2022", "average of a model in Table 1"]
    cell, right = ("Table 1", "EmoT", "mBB", "avg"), ("Table 1", "EmoT", "IBB", "avg")
    assert cell in constraints.violations(row, book)
    without = {key: value for key, value in book.errata.items() if key != cell}
    other = {**book.errata, cell: book.errata[cell] | {"recomputed": "12.95"}}
    assert constraints.complaints(row, replace(book, errata=without))
    assert constraints.complaints(row, replace(book, errata=other))
    more = replace(book, errata={**book.errata, right: book.errata[cell]})
    assert unexplained(more) == {right}
