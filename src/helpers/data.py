"""A verified split as a data frame `id, text, label`; downloads, checksums and mirror."""

import csv
import hashlib
import os
from pathlib import Path
from urllib.parse import quote

import pandas as pd
import pooch
import requests
import yaml

from helpers import parameters, paths
from helpers.errors import InputError, unknown

SPLITS = ("train", "valid", "test")
LABELS = ["positive", "neutral", "negative"]
THESIS_CODES = {"0": "positive", "1": "neutral", "2": "negative"}


def registry() -> dict:
    """data/registry.yaml as a dictionary."""
    return yaml.safe_load((paths.DATA / "registry.yaml").read_text(encoding="utf-8"))


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
    frame = read_labelled(path, entry["labels"] if entry else LABELS, (entry or {}).get("columns"))
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
    for wanted, other in (("text", "sentence"), ("label", "gold_label")):
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


def locate(name: str) -> Path:
    """The local path of a file: one of the repository (`data/...`) or a download named `source/file`, verified."""
    if name.startswith("data/"):
        return paths.ROOT / name
    source, key = name.split("/")
    return fetch(registry()["sources"][source], key)


def fetch(source: dict, key: str) -> Path:
    """The verified file `key` of a registry source, downloaded unless it is there with the right hash already.

    Raises InputError for a wrong hash, an unfinished download, a missing file or no network; nothing wrong stays on disk.
    """
    entry = source["files"][key]
    relative = f"{source['repository']}/{source['commit']}/{entry['path']}"
    mirror = os.environ.get("TAHAN_DATA_MIRROR", "")
    if mirror and not mirror.startswith(("http://", "https://")):
        return _from_folder(Path(mirror).expanduser() / relative, entry)
    target = Path(os.environ.get("TAHAN_DATA_CACHE") or paths.DATA / "downloads").expanduser() / relative
    if target.is_file() and sha256(target) == entry["sha256"]:
        return target
    url = (mirror or registry()["base"]).rstrip("/") + "/" + quote(relative)
    timeout = _timeout()
    pooch.get_logger().setLevel("ERROR")
    try:
        target.unlink(missing_ok=True)
        pooch.retrieve(url, f"sha256:{entry['sha256']}", target.name, target.parent, downloader=pooch.HTTPDownloader(timeout=timeout))
    except requests.RequestException as error:
        raise InputError(_download_failed(url, error, timeout)) from error
    except ValueError as error:
        raise InputError(
            f"{url} is not the file that was registered (sha256 differs; {entry['bytes']:,} bytes expected); try again, then report it."
        ) from error
    return target


def _timeout() -> float:
    given = os.environ.get("TAHAN_DOWNLOAD_TIMEOUT") or "30"
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise InputError(f"TAHAN_DOWNLOAD_TIMEOUT is a number of seconds above 0, and {given!r} is not.")
    return seconds


def _from_folder(path: Path, entry: dict) -> Path:
    if not path.is_file():
        raise InputError(f"TAHAN_DATA_MIRROR has no {path}; unset it to download, or complete the mirror.")
    if sha256(path) != entry["sha256"]:
        raise InputError(f"{path} in TAHAN_DATA_MIRROR has another sha256 than data/registry.yaml states; replace it.")
    return path


def _download_failed(url: str, error: Exception, timeout: float) -> str:
    if isinstance(error, requests.HTTPError):
        return f"{url} answers {error.response.status_code}; check the address, or name a copy in TAHAN_DATA_MIRROR."
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return f"{url} sent nothing for {timeout:g} seconds; try again, or name a copy in TAHAN_DATA_MIRROR."
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"{url} broke off before its end; try again."
    return f"no network to reach {url}; connect, or name a copy in TAHAN_DATA_MIRROR."


def sha256(path: Path) -> str:
    """The file's sha256 as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_hash(text: str) -> str:
    """The first 16 hex digits of the text's sha256, which stand for it where the text may not be published."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def repeats(frame: pd.DataFrame, other: pd.DataFrame | None = None) -> int:
    """Rows whose text repeats an earlier row of the frame, or stands in `other` where one is given."""
    return int((frame["text"].duplicated() if other is None else frame["text"].isin(other["text"])).sum())
