"""A user's file of texts and labels, whatever its columns, separators, encoding and label names."""

import codecs
from pathlib import Path

import pandas as pd

from study.audit import labels as naming
from tahanuji import data, paths
from tahanuji.data import reading
from tahanuji.errors import InputError

LARGEST = 256 * 2**20  # bytes; what is read stands in memory several times
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
SEPARATORS = (",", ";", "\t", "|")
OWN_ID = "own_id"  # by which a user finds a row again: the id in his file, or its number there


def load(path: Path, text: str, label: str, names: dict[str, str], encoding: str) -> pd.DataFrame:
    """The rows of a file as `text, label` or `text, text_pair, label`, labels as they are meant,
    with OWN_ID.

    Raises InputError for a file that is missing, too large, in another encoding or no table, for
    columns that are not there and rows without text or label, by their numbers.
    """
    table = cells(path, encoding)
    for given, what in ((text, "text"), (label, "label")):
        if given and given not in table:
            raise InputError(
                f"{paths.shown(path)} has no column {given!r} for --{what}; its columns are "
                f"{', '.join(map(str, table.columns))}."
            )
    dropped = [new for old, new in ((text, "text"), (label, "label")) if old and old != new]
    table = table.drop(columns=[name for name in dropped if name in table])
    table = table.rename(columns={text: "text", label: "label"})
    frame = wanted(table, path)
    bare = frame["label"].str.strip()
    data.refuse(frame, bare == "", path, "have no label")
    frame["label"] = bare.map({name: naming.meant(name, names) for name in bare.unique()})
    frame = frame[frame["label"] != naming.LEFT_OUT]
    if frame.empty:
        raise InputError(f"{paths.shown(path)} has no rows that take part.")
    return frame


def wanted(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """The columns of texts and labels, by their usual names where they have others, and OWN_ID;
    rows without text are refused.
    """
    table = table[(table != "").any(axis=1)]
    for new, old in reading.ALIASES:
        if old in table and new not in table:
            table = table.rename(columns={old: new})
    if missing := {"text", "label"} - set(table.columns):
        what = " and ".join(sorted(missing))
        options = " ".join(f"--{name} COLUMN" for name in sorted(missing, reverse=True))
        raise InputError(
            f"{paths.shown(path)} has no column {what}; its columns are "
            f"{', '.join(map(str, table.columns))}. Say which is meant with {options}."
        )
    columns = [name for name in ("text", "text_pair", "label") if name in table]
    for column in columns[:-1]:
        data.refuse(table, table[column].str.strip() == "", path, f"have no {column}")
    named = next((table[name] for name in (OWN_ID, "id") if name in table), table.index)
    return table[columns].assign(**{OWN_ID: named})


def cells(path: Path, encoding: str) -> pd.DataFrame:
    """All cells of a csv, tsv or jsonl file as strings; the encoding is that of its byte order mark
    where it has one, the separator that of its header.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path} for --data.")
    if path.stat().st_size > LARGEST:
        raise InputError(
            f"{path} has {path.stat().st_size / 2**20:,.0f} MiB, and an audit reads at most "
            f"{LARGEST // 2**20}; give a sample of its rows (some thousands say as much)."
        )
    with path.open("rb") as file:
        start = file.read(4)
    encoding = next((name for mark, name in MARKS.items() if start.startswith(mark)), encoding)
    header = first_line(path, encoding)
    if path.suffix.lower() == ".jsonl":
        return reading.read_lines(path, encoding)
    most = max(SEPARATORS, key=header.count)
    return data.read_table(path, encoding=encoding, separator=most)


def check_folder(path: Path) -> None:
    """Raise an InputError where a file cannot be written for want of its folder, before what takes
    long is done for it.
    """
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {path.parent} to write {path.name} into.")


def first_line(path: Path, encoding: str) -> str:
    """The header of a file, all of which is read to see that it is of the encoding."""
    try:
        with path.open(encoding=encoding) as file:
            header = file.readline()
            while file.read(1 << 20):
                pass
    except LookupError:
        raise InputError(
            f"there is no encoding {encoding!r}; try utf-8, cp1252 or utf-16."
        ) from None
    except UnicodeError:
        raise InputError(
            f"{path} is not {encoding.upper()}; say in which encoding it was saved (--encoding "
            f"cp1252 is that of older Windows programs), or save it as UTF-8."
        ) from None
    if "\0" in header:
        raise InputError(
            f"{path} is no text file, or one of UTF-16 without a mark: --encoding utf-16-le."
        )
    return header
