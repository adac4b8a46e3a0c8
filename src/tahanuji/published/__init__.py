"""The figures that five reference documents print, typed once into data/published, their known
misprints, and what the files give that their authors released.

`viannisa`, `indorobusta`, `indonli` and `conclusions` read those files.
"""

import copy
import re
from functools import cache

import pandas as pd

from tahanuji import data, paths
from tahanuji.errors import unknown

__all__ = ["beside", "documents", "errata", "figures", "table"]

FOLDER = paths.DATA / "published"
CELL = ["table", "group", "row", "column"]


def documents() -> dict[str, dict]:
    """The documents, by the key that the other functions take: title, author and year of each, and
    what its tables' rows and columns are.

    >>> documents()["wilie2020"]["short"]
    'IndoNLU'
    """
    return copy.deepcopy(_documents())


@cache
def _documents() -> dict[str, dict]:
    return paths.read_yaml(FOLDER / "documents.yaml")


def figures(document: str) -> pd.DataFrame:
    """All figures of a document.

    Parameters
    ----------
    document : str
        A key of `documents`.

    Returns
    -------
    DataFrame
        `table, group, row, column, value, printed`; value is NaN where a dash is printed.

    Examples
    --------
    >>> figures("viannisa2025").iloc[0][["row", "printed"]].tolist()
    ['SmSA, train', '11,000']
    """
    if document not in _documents():
        raise unknown("document", document, _documents())
    return _figures(document).copy()


@cache
def _figures(document: str) -> pd.DataFrame:
    frame = data.read_table(FOLDER / f"{document}.csv").reset_index(drop=True)
    return frame.assign(value=pd.to_numeric(frame["value"]))


def table(document: str, name: str, group: str | None = None) -> pd.DataFrame:
    """One table of a document in numbers.

    Parameters
    ----------
    document : str
        A key of `documents`.
    name : str
        As printed, such as `Table 4.1`.
    group : str, optional
        The group of rows that is wanted.

    Returns
    -------
    DataFrame
        Rows by columns as printed; rows are (group, row) where there are groups and none is named.

    Raises
    ------
    InputError
        For a document or table that is not there.

    Examples
    --------
    >>> table("viannisa2025", "Table 4.1")["F1-score in this thesis"].tolist()
    [89.62, 78.7]
    """
    frame = figures(document)
    part = frame[frame["table"] == name]
    if part.empty:
        raise unknown("table", name, frame["table"].unique())
    if group is not None:
        part = part[part["group"] == group]
    keys = ["group", "row"] if group is None and part["group"].any() else ["row"]
    order = part.set_index(keys).index.unique()
    wide = part.pivot(index=keys, columns="column", values="value")
    return wide.reindex(order)[list(part["column"].unique())].rename_axis(columns=None)


def beside(document: str, cells: pd.DataFrame) -> pd.DataFrame:
    """Cells worked out again beside what is printed there.

    Parameters
    ----------
    document : str
        A key of `documents`.
    cells : DataFrame
        `table, group, row, column, recomputed`.

    Returns
    -------
    DataFrame
        With `printed`, `value` and `equal`: whether both agree to the last printed digit.

    Examples
    --------
    >>> cell = ["Table 4.1", "", "mBERT", "F1-score in this thesis", 78.7049]
    >>> beside("viannisa2025", pd.DataFrame([cell], columns=[*CELL, "recomputed"]))["equal"].item()
    True
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
    """The known misprints.

    Returns
    -------
    DataFrame
        `document, table, group, row, column, printed, recomputed, kind, why`.

    Examples
    --------
    >>> sorted(errata()["kind"].unique())
    ['contradiction', 'label', 'misprint', 'rounding']
    """
    return data.read_table(FOLDER / "errata.csv").reset_index(drop=True)
