"""The figures of the reference documents' tables, typed once into data/published, and their known
misprints.
"""

import re

import pandas as pd

from helpers import layout, provenance
from tahanuji import data, paths
from tahanuji.errors import unknown

FOLDER = paths.DATA / "published"
CELL = ["table", "group", "row", "column"]


def documents() -> dict[str, dict]:
    """data/published/documents.yaml: per document title, author, year and what each table's rows,
    columns, groups and units are.
    """
    return paths.read_yaml(FOLDER / "documents.yaml")


def figures(document: str) -> pd.DataFrame:
    """All figures of a document: `table, group, row, column, value, printed`; value is NaN where
    the document prints a dash.
    """
    if document not in documents():
        raise unknown("document", document, documents())
    frame = data.read_table(FOLDER / f"{document}.csv").reset_index(drop=True)
    return frame.assign(value=pd.to_numeric(frame["value"]))


def table(document: str, name: str, group: str | None = None) -> pd.DataFrame:
    """One table as printed in numbers: rows by columns; where it has groups and none is asked for,
    rows are (group, row).
    """
    frame = figures(document)
    part = frame[frame["table"] == name]
    if part.empty:
        raise unknown("table", name, frame["table"].unique())
    if group is not None:
        part = part[part["group"] == group]
    keys = ["group", "row"] if group is None and part["group"].any() else ["row"]
    wide = part.pivot(index=keys, columns="column", values="value")
    rows = (
        part[keys].drop_duplicates().apply(tuple, axis=1) if len(keys) > 1 else part["row"].unique()
    )
    return wide.reindex(rows)[list(part["column"].unique())].rename_axis(columns=None)


def beside(document: str, cells: pd.DataFrame) -> pd.DataFrame:
    """Cells of a document's tables as they were worked out again (`table, group, row, column,
    recomputed`) beside what is printed: `printed`, `value`, and `equal` to the last printed digit.
    """
    both = cells.fillna({"group": ""}).merge(figures(document), how="left", on=CELL)
    digits = pd.Series([decimals(str(cell)) for cell in both["printed"]], both.index, dtype=float)
    off = (both["recomputed"].astype(float) - both["value"]).abs()
    return both.assign(equal=off <= 0.5 * 10.0**-digits + 1e-9)


def decimals(printed: str) -> int:
    """The digits behind the point of the first number that is printed.

    >>> decimals("↓ 34.8%"), decimals("2,319/2,905")
    (1, 0)
    """
    number = re.search(r"\d[\d,]*(?:\.(\d+))?", printed)
    return len(number[1] or "") if number else 0


def errata() -> pd.DataFrame:
    """Known misprints of all documents: `document, table, group, row, column, printed, recomputed,
    kind, why`.
    """
    return data.read_table(FOLDER / "errata.csv").reset_index(drop=True)


def audited(profile: str) -> dict[str, list[str]]:
    """What the audit of the documents found in a profile, in sentences by what they are about;
    empty where it has not run.
    """
    path = layout.outputs() / profile / "documents" / "findings.json"
    return provenance.read_json(path) if path.is_file() else {}
