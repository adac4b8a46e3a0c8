"""Files of texts and labels as frames: csv, tsv and jsonl, single texts and pairs, refused with the
numbers of bad rows.
"""

import csv
import json
from pathlib import Path

import pandas as pd

from tahanuji import paths
from tahanuji.errors import InputError

ALIASES = (
    ("text", "sentence"),
    ("text", "tweet"),
    ("text", "premise"),
    ("text", "sentence1"),
    ("text_pair", "hypothesis"),
    ("text_pair", "sentence2"),
    ("label", "gold_label"),
    ("label", "sentiment"),
)
OF_PAIRS = {"text_pair", "premise", "sentence1", "hypothesis", "sentence2"}  # columns of pairs only


def read_table(
    path: Path, columns: list[str] | None = None, encoding: str = "utf-8", separator: str = ","
) -> pd.DataFrame:
    """A csv or tsv file as strings, with the line number in the file as index; `columns` names those
    of a file without a header, `separator` is that of csv files.

    In tsv files quotes are ordinary characters. A quoted cell with line breaks counts as one line;
    a blank line is a row of empty cells. Line breaks inside cells become line feeds. Raises
    InputError for an empty file, for bytes that are not of the encoding and for rows with more
    cells than columns.
    """
    tabs = {"sep": "\t", "quoting": csv.QUOTE_NONE}
    options = tabs if path.suffix.lower() == ".tsv" else {"sep": separator}
    named = {"header": None, "names": columns} if columns else {"header": 0}
    try:
        frame = pd.read_csv(
            path,
            dtype=str,
            keep_default_na=False,
            encoding=encoding,
            skip_blank_lines=False,
            **named,
            **options,
        )
    except pd.errors.EmptyDataError:
        raise InputError(f"{paths.shown(path)} is empty.") from None
    except UnicodeDecodeError as error:
        raise _undecodable(path, encoding, error) from None
    except pd.errors.ParserError as error:
        raise InputError(f"{paths.shown(path)} is not a table: {str(error).strip()}.") from None
    if not isinstance(frame.index, pd.RangeIndex):
        raise InputError(
            f"{paths.shown(path)} has rows with more cells than columns; put quotes round texts "
            f"with commas, or use tabs (.tsv)."
        )
    frame.index += 1 if columns else 2
    return _line_fed(frame.fillna(""))


def read_lines(path: Path, encoding: str = "utf-8") -> pd.DataFrame:
    """The objects of a jsonl file as strings, with the line number in the file as index; what is
    null or absent becomes "", and line breaks are line feeds.

    Raises InputError for an empty file, for one JSON array, for bytes that are not of the encoding
    and for lines that hold no JSON object.
    """
    try:
        text = path.read_text(encoding=encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _undecodable(path, encoding, error) from None
    if text.lstrip().startswith("["):
        raise InputError(
            f"{paths.shown(path)} is a JSON array; write jsonl, one object a line without brackets "
            f"and commas around them: row 1 is no JSON object."
        )
    rows = {
        number: _object(line, number, path)
        for number, line in enumerate(text.split("\n"), start=1)
        if line.strip()
    }
    if not rows:
        raise InputError(f"{paths.shown(path)} is empty.")
    return _line_fed(pd.DataFrame.from_dict(rows, orient="index").fillna(""))


def _line_fed(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with line feeds for carriage returns, which csv files of ours would not quote."""
    texts = [name for name in frame if frame[name].str.contains("\r", regex=False).any()]
    return frame.assign(**{name: frame[name].str.replace("\r\n?", "\n", regex=True) for name in texts})


def _object(line: str, number: int, path: Path) -> dict[str, str]:
    """The JSON object of a line, its values as strings; InputError where it is none."""
    try:
        row = json.loads(line, parse_constant=lambda name: None)  # NaN, as Python writes it
    except ValueError as error:
        raise InputError(f"{paths.shown(path)}: row {number} is not JSON: {error}.") from None
    if not isinstance(row, dict):
        raise InputError(
            f'{paths.shown(path)}: row {number} is no JSON object; each line looks like {{"text": '
            f'"…", "label": "…"}}.'
        )
    return {name: "" if value is None else str(value) for name, value in row.items()}


def _undecodable(path: Path, encoding: str, error: UnicodeDecodeError) -> InputError:
    """The refusal of a file that is not of an encoding."""
    name = encoding.upper()
    return InputError(
        f"{paths.shown(path)} is not {name}: it holds the byte {error.object[error.start]:#04x}; "
        f"save it as {name}."
    )


def read_labelled(
    path: Path,
    labels: list[str] | None,
    columns: list[str] | None = None,
    *,
    encoding: str = "utf-8",
    **meaning,
) -> pd.DataFrame:
    """Texts and labels of a csv, tsv or jsonl file as a frame `text, label`, or `text, text_pair,
    label` where it holds pairs. See `labelled`.
    """
    lines = path.suffix.lower() == ".jsonl"
    frame = read_lines(path, encoding) if lines else read_table(path, columns, encoding)
    return labelled(frame, labels, path, **meaning)


def labelled(
    frame: pd.DataFrame,
    labels: list[str] | None,
    origin: Path | str,
    *,
    rename: dict[str, str] | None = None,
    codes: dict[str, str] | None = None,
    derive: dict[str, dict[str, int]] | None = None,
    unlabelled: str | None = None,
    numbered: bool = True,
) -> pd.DataFrame:
    """A frame of strings as `text, label` or `text, text_pair, label`, its labels in words.

    Columns go by the names of `rename`, then by those of `ALIASES`. A label may be given by its
    number in `labels` (where these are `numbered`, and no numbers themselves) or by a key of
    `codes`; without `labels` any that is written will do. `derive` makes it of other columns:
    `{label: {column: value, ...}}`, the first that fits. Rows whose label is `unlabelled` are left
    out. Raises InputError where a column is missing, a text is empty or a label is unknown, with
    the numbers of the rows.

    >>> row = {"premise": "Ia tidur.", "hypothesis": "Ia bangun.", "label": "c"}
    >>> labelled(pd.DataFrame([row]), ["same", "other"], "", codes={"c": "other"}).values
    array([['Ia tidur.', 'Ia bangun.', 'other']], dtype=object)
    """
    frame = frame[(frame != "").any(axis=1)].rename(columns=rename or {})
    wanted = ["text", "text_pair", "label"] if OF_PAIRS & set(frame.columns) else ["text", "label"]
    frame = _aliased(frame, origin)
    if derive:
        frame = frame.assign(label=_derived(frame, derive, origin))
    _require(frame, wanted, origin)
    if unlabelled:
        frame = frame[frame["label"] != unlabelled]
    if frame.empty:
        raise InputError(f"{paths.shown(origin)} has a header but no rows.")
    for column, what in (("text", "have no text"), ("text_pair", "have no second text")):
        if column in wanted:
            refuse(frame, frame[column].str.strip() == "", origin, what)
    frame["label"] = _named(frame, labels, codes or {}, origin, numbered)
    return frame[wanted].reset_index(drop=True)


def _named(
    frame: pd.DataFrame,
    labels: list[str] | None,
    codes: dict[str, str],
    origin: Path | str,
    numbered: bool,
) -> pd.Series:
    """The labels in words; InputError for rows without one, or with one outside `labels`."""
    written = frame["label"].str.strip()
    if labels is None:
        refuse(frame, written == "", origin, "have no label")
        return written
    if numbered and not any(label.isdigit() for label in labels):
        codes = {str(number): label for number, label in enumerate(labels)} | codes
    named = written.replace(codes)
    allowed = (
        f"{', '.join(labels)}; name others, and what the numbers 0, 1, ... mean, in a labels.txt "
        f"beside the files, one a line in their order"
    )
    refuse(frame, ~named.isin(labels), origin, f"have a label outside {allowed}")
    return named


def _aliased(frame: pd.DataFrame, origin: Path | str) -> pd.DataFrame:
    """The frame with the names of columns that `ALIASES` gives; InputError where two are one."""
    for wanted, other in ALIASES:
        if {wanted, other} <= set(frame.columns):
            raise InputError(
                f"{paths.shown(origin)} has both {wanted} and {other}; keep the one that is meant."
            )
        frame = frame.rename(columns={other: wanted})
    return frame


def _derived(
    frame: pd.DataFrame, rules: dict[str, dict[str, int]], origin: Path | str
) -> pd.Series:
    """The label of every row by the first rule that its columns fit; empty where none does."""
    _require(frame, {column for rule in rules.values() for column in rule}, origin)
    labels_of_rows = pd.Series("", index=frame.index)
    for label, rule in rules.items():
        fits = pd.concat(
            [frame[column].str.strip() == str(value) for column, value in rule.items()], axis=1
        ).all(axis=1)
        labels_of_rows = labels_of_rows.mask(fits & (labels_of_rows == ""), label)
    return labels_of_rows


def _require(frame: pd.DataFrame, columns, origin: Path | str) -> None:
    """Refuse a frame that lacks a column."""
    if missing := set(columns) - set(frame.columns):
        raise InputError(
            f"{paths.shown(origin)} has no column {' and '.join(sorted(missing))}; its columns are "
            f"{', '.join(frame.columns)}."
        )


def refuse(frame: pd.DataFrame, bad: pd.Series, path: Path | str, what: str) -> None:
    """Raise an InputError with the numbers of the rows that are `bad`, if any are; `what` ends the
    sentence that begins with "rows 3, 4".
    """
    if bad.any():
        rows = frame.index[bad]
        more = f" and {len(rows) - 10} more" if len(rows) > 10 else ""
        raise InputError(
            f"{paths.shown(path)}: rows {', '.join(map(str, rows[:10]))}{more} {what}."
        )


def read_labels(path: Path) -> list[str]:
    """The labels that a labels.txt declares, one per line in their order; InputError for fewer than
    two and for one that stands twice.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise _undecodable(path, "utf-8", error) from None
    names = list(filter(None, map(str.strip, lines)))
    if len(names) < 2:
        raise InputError(
            f"{paths.shown(path)} holds {len(names)} of the two or more labels that a classifier "
            f"needs; write them one per line."
        )
    lower = [name.lower() for name in names]
    if twice := [name for number, name in enumerate(names) if lower[number] in lower[:number]]:
        raise InputError(
            f"{paths.shown(path)} names {twice[0]!r} twice (case does not count); name each label "
            f"once."
        )
    return names
