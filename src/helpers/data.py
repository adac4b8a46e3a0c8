"""A verified split as a data frame `id, text, label`."""

import csv
import hashlib
from pathlib import Path

import pandas as pd

from helpers import parameters, paths
from helpers.downloads import locate, registry, sha256
from helpers.errors import InputError, unknown

SPLITS = ("train", "valid", "test")
LABELS = ["positive", "neutral", "negative"]
THESIS_CODES = {"0": "positive", "1": "neutral", "2": "negative"}


def labels(dataset: str) -> list[str]:
    """The labels of a data set in their order: those of its registry entry, else positive, neutral, negative."""
    return (registry()["datasets"].get(dataset) or {}).get("labels", LABELS)


def load(dataset: str, split: str) -> pd.DataFrame:
    """One split as a frame `id, text, label`; `attrs["source"]` holds name, split, rows, sha256 and whether texts may be published.

    `dataset` is a name of data/registry.yaml, a folder with train, valid and test as csv or tsv (columns text and label), or one such
    file, which then serves as the test split. Raises InputError with the row numbers of bad cells.

    >>> load("embedded", "test").columns.tolist()
    ['id', 'text', 'label']
    """
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    entry = registry()["datasets"].get(dataset)
    path = locate(entry["splits"][split]) if entry else _own_file(Path(dataset), split)
    frame = read_labelled(path, labels(dataset), (entry or {}).get("columns"))
    name = paths.slug(dataset)
    frame.insert(0, "id", [f"{name}-{split}-{number:05d}" for number in range(1, len(frame) + 1)])
    publish = bool(entry and entry["publish_texts"])
    return describe(frame, name=name, split=split, sha256=sha256(path), publish_texts=publish)


def describe(frame: pd.DataFrame, **source) -> pd.DataFrame:
    """The frame with `attrs["source"]` set to the facts given and the number of rows."""
    frame.attrs["source"] = {**source, "rows": len(frame)}
    return frame


def _own_file(place: Path, split: str) -> Path:
    if place.is_file():
        if split != "test":
            raise InputError(f"{place} is one file, which serves as the test split; {split} needs a folder with {split}.csv or {split}.tsv.")
        return place
    for ending in ("csv", "tsv"):
        if (place / f"{split}.{ending}").is_file():
            return place / f"{split}.{ending}"
    if not place.exists():
        raise unknown("data set", str(place), parameters.datasets())
    raise InputError(f"{place} holds neither {split}.csv nor {split}.tsv.")


def read_table(path: Path, columns: list[str] | None = None) -> pd.DataFrame:
    """A csv or tsv file as strings, with the line number in the file as index; `columns` for files without a header.

    Raises InputError for an empty file, for bytes that are not UTF-8 and for rows with more cells than columns. In tsv files quotes
    are ordinary characters.
    A quoted cell with line breaks counts as one line; a blank line is a row of empty cells.
    """
    options = {"sep": "\t", "quoting": csv.QUOTE_NONE} if path.suffix == ".tsv" else {}
    named = {"header": None, "names": columns} if columns else {"header": 0}
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8", skip_blank_lines=False, **named, **options)
    except pd.errors.EmptyDataError:
        raise InputError(f"{paths.shown(path)} is empty.") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{paths.shown(path)} is not UTF-8: it holds the byte {error.object[error.start]:#04x}; save it as UTF-8.") from None
    except pd.errors.ParserError as error:
        raise InputError(f"{paths.shown(path)} is not a table: {str(error).strip()}.") from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise InputError(f"{paths.shown(path)} has rows with more cells than columns; put quotes round texts with commas, or use tabs (.tsv).")
    frame.index += 1 if columns else 2
    return frame.fillna("")


def read_labelled(path: Path, labels: list[str], columns: list[str] | None = None) -> pd.DataFrame:
    """Texts and labels of a file as a frame `text, label`; the thesis's codes 0, 1, 2 become label names.

    Raises InputError where a column is missing, a text is empty or a label is unknown, with the numbers of the rows.
    """
    frame = read_table(path, columns)
    frame = frame[(frame != "").any(axis=1)]
    for wanted, other in (("text", "sentence"), ("text", "tweet"), ("label", "gold_label")):
        if {wanted, other} <= set(frame.columns):
            raise InputError(f"{paths.shown(path)} has both {wanted} and {other}; keep the one that is meant.")
        frame = frame.rename(columns={other: wanted})
    if missing := {"text", "label"} - set(frame.columns):
        raise InputError(f"{paths.shown(path)} has no column {' and '.join(sorted(missing))}; its columns are {', '.join(frame.columns)}.")
    if frame.empty:
        raise InputError(f"{paths.shown(path)} has a header but no rows.")
    frame["label"] = frame["label"].str.strip().replace(THESIS_CODES)
    refuse(frame, frame["text"].str.strip() == "", path, "have no text")
    refuse(frame, ~frame["label"].isin(labels), path, f"have a label outside {', '.join(labels)}")
    return frame[["text", "label"]].reset_index(drop=True)


def refuse(frame: pd.DataFrame, bad: pd.Series, path: Path, what: str) -> None:
    """Raise an InputError that names the file's rows where `bad` holds."""
    if bad.any():
        rows = frame.index[bad]
        more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
        raise InputError(f"{paths.shown(path)}: rows {', '.join(map(str, rows[:10]))}{more} {what}.")


def text_hash(text: str) -> str:
    """The first 16 hex digits of the text's sha256, which stand for it where the text may not be published."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def repeats(frame: pd.DataFrame, other: pd.DataFrame | None = None) -> int:
    """Rows whose text repeats an earlier row of the frame, or stands in `other` where one is given."""
    return int((frame["text"].duplicated() if other is None else frame["text"].isin(other["text"])).sum())
