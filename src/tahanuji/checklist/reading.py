"""The files of `data/checklist` as a suite, refused with the numbers of bad rows."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from tahanuji import data, paths
from tahanuji.errors import InputError

FOLDER, LEXICONS, FILLERS = "data/checklist", "data/lexicons", "checklist_fillers*.csv"
GROUPS = ("words", "negation", "structure", "use")
TEST_TYPES = ("MFT", "INV", "DIR")
DIRECTIONS = ("more_positive", "more_negative", "less_positive", "less_negative")
REGISTERS = ("formal", "neutral", "colloquial")
DOMAINS = (
    *("food", "hotel", "phone", "transport", "bank", "government"),
    *("game", "film", "shop", "health", "school", "general"),
)
COLUMNS = {
    "capabilities": ["capability", "group", "test_type", "about"],
    "templates": ["template_id", "template", "expected", "register", "domain", "note"],
    "sentences": ["sentence_id", "text", "changed", "expected", "register", "domain"],
    "fillers": ["slot", "word"],
    "left_out": ["id", "reason"],
}
ARROW = " => "
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")
NAME = r"[a-z][a-z0-9_]*"


@dataclass(frozen=True)
class Suite:
    """The checklist as its authors wrote it, before slots are filled.

    Parameters
    ----------
    capabilities : DataFrame
        `capability, group, test_type, about`.
    templates : DataFrame
        `capability, id, text, changed, expected, register, domain`; `changed` is empty for MFT.
    sentences : DataFrame
        The same columns, for sentences written without a template.
    fillers : dict
        The words of every slot.
    left_out : frozenset
        Ids of templates, sentences and cases that the readers did not accept.
    """

    capabilities: pd.DataFrame
    templates: pd.DataFrame
    sentences: pd.DataFrame
    fillers: dict[str, list[str]]
    left_out: frozenset[str] = frozenset()


def read(folder: Path | str | None = None, fillers: Path | str | None = None) -> Suite:
    """The suite of a folder.

    Parameters
    ----------
    folder : path, optional
        Holds capabilities.csv, templates/ and sentences/; default: `data/checklist`.
    fillers : path, optional
        A csv `slot,word`, or a folder with some named checklist_fillers*.csv; default:
        `data/lexicons`.

    Returns
    -------
    Suite

    Raises
    ------
    InputError
        With file and row: an unknown slot, label, register or domain, an id that stands twice,
        unbalanced braces, a change without `=>`, a capability without a file or a file without a
        capability.

    Examples
    --------
    >>> "fused_negation" in set(read().capabilities["capability"])
    True
    """
    folder = Path(folder or paths.ROOT / FOLDER)
    words = _fillers(Path(fillers or paths.ROOT / LEXICONS))
    capabilities = _capabilities(folder / "capabilities.csv")
    _check_files(folder, set(capabilities["capability"]))
    parts: dict[str, list] = {"templates": [], "sentences": []}
    for capability in capabilities.itertuples():
        for kind, readers in (("templates", _templates), ("sentences", _sentences)):
            path = folder / kind / f"{capability.capability}.csv"
            if path.is_file():
                parts[kind].append(readers(path, capability, words))
    frames = {kind: _joined(frames) for kind, frames in parts.items()}
    _check_shared_ids(folder, frames)
    return Suite(capabilities, **frames, fillers=words, left_out=_left_out(folder))


def _table(path: Path, kind: str) -> pd.DataFrame:
    """A csv with the columns of its kind, cells stripped, without blank lines."""
    if not path.is_file():
        raise InputError(f"{paths.shown(path)} is not there; the checklist needs it.")
    table = data.read_table(path)
    if missing := [name for name in COLUMNS[kind] if name not in table]:
        raise InputError(
            f"{paths.shown(path)} has no column {', '.join(missing)}; its columns are "
            f"{','.join(COLUMNS[kind])}."
        )
    table = table[COLUMNS[kind]].apply(lambda column: column.str.strip())
    return table[(table != "").any(axis=1)]


def _fillers(place: Path) -> dict[str, list[str]]:
    """The words of every slot; a word that stands twice in a slot counts once."""
    words: dict[str, dict] = {}
    for path in sorted(place.glob(FILLERS)) if place.is_dir() else [place]:
        table = _table(path, "fillers")
        _refuse_outside(table, "slot", NAME, path)
        data.refuse(table, table["word"] == "", path, "have no word")
        data.refuse(table, table["word"].str.contains(r"[{}]"), path, "have a brace in the word")
        for row in table.itertuples():
            words.setdefault(row.slot, {})[row.word] = None
    return {slot: list(listed) for slot, listed in words.items()}


@cache
def groups(test_type: str | None = None) -> dict[str, str]:
    """The groups of the suite's capabilities by name, of one type of test or of all; reads their
    table alone.

    >>> groups("MFT")["fused_negation"], "particles" in groups("MFT")
    ('negation', False)
    """
    table = _capabilities(paths.ROOT / FOLDER / "capabilities.csv")
    kept = table if test_type is None else table[table["test_type"] == test_type]
    return dict(zip(kept["capability"], kept["group"], strict=True))


def _capabilities(path: Path) -> pd.DataFrame:
    table = _table(path, "capabilities")
    _refuse_outside(table, "capability", NAME, path)
    _refuse_repeated(table, "capability", path)
    _refuse_unknown(table, "group", GROUPS, path)
    _refuse_unknown(table, "test_type", TEST_TYPES, path)
    data.refuse(table, table["about"] == "", path, "do not say what is tested (column about)")
    return table.reset_index(drop=True)


def _check_files(folder: Path, capabilities: set[str]) -> None:
    present = {
        path.stem for kind in ("templates", "sentences") for path in folder.glob(f"{kind}/*")
    }
    if strange := sorted(present - capabilities):
        raise InputError(
            f"{paths.shown(folder)} has files for {', '.join(strange)}, which capabilities.csv "
            f"does not list; add a row there."
        )
    if missing := sorted(capabilities - present):
        raise InputError(
            f"{paths.shown(folder)} has no file of templates or sentences for "
            f"{', '.join(missing)}; add one, or take the row out of capabilities.csv."
        )


def _templates(path: Path, capability, fillers: dict[str, list[str]]) -> pd.DataFrame:
    """The templates of a capability, both versions apart."""
    table = _table(path, "templates")
    _refuse_repeated(table, "template_id", path)
    _check_meaning(table, capability.test_type, path)
    _check_slots(table, fillers, path)
    has_change = table["template"].str.contains(ARROW, regex=False)
    if capability.test_type == "MFT":
        data.refuse(table, has_change, path, "hold ' => ', which only INV and DIR have")
    else:
        data.refuse(
            table,
            table["template"].str.count(ARROW) != 1,
            path,
            "need ' => ' once, between original and changed version",
        )
    halves = table["template"].str.split(ARROW, n=1, regex=False)
    table = table.assign(
        text=halves.str[0].str.strip(), changed=halves.str[1].fillna("").str.strip()
    )
    return _named(table.rename(columns={"template_id": "id"}), capability, path)


def _sentences(path: Path, capability, fillers: dict[str, list[str]]) -> pd.DataFrame:
    """The written sentences of a capability."""
    table = _table(path, "sentences")
    _refuse_repeated(table, "sentence_id", path)
    _check_meaning(table, capability.test_type, path)
    for what in ("{", "}", ARROW):
        held = table["text"].str.contains(what, regex=False)
        data.refuse(table, held, path, f"hold {what!r}; a sentence has no slots and no arrow")
    if capability.test_type == "MFT":
        data.refuse(table, table["changed"] != "", path, "have a changed text, which MFT has not")
    else:
        data.refuse(table, table["changed"] == "", path, "have no changed text")
    return _named(table.rename(columns={"sentence_id": "id"}), capability, path)


def _named(table: pd.DataFrame, capability, path: Path) -> pd.DataFrame:
    data.refuse(table, table["text"] == "", path, "have no text")
    data.refuse(table, table["text"] == table["changed"], path, "say the same before and after")
    columns = ["capability", "id", "text", "changed", "expected", "register", "domain"]
    return table.assign(capability=capability.capability)[columns]


def _check_meaning(table: pd.DataFrame, test_type: str, path: Path) -> None:
    """InputError for an expectation, a register or a domain that is not of the format."""
    allowed = {"MFT": data.LABELS, "INV": ["same"], "DIR": list(DIRECTIONS)}[test_type]
    single = table["expected"].str.split("|" if test_type == "MFT" else "\n")
    wrong = single.map(lambda names: not set(names) <= set(allowed) or len(set(names)) < len(names))
    every = len(allowed) > 1 and test_type == "MFT"
    data.refuse(table, wrong, path, f"expect something outside {', '.join(allowed)}")
    data.refuse(
        table, single.map(len).eq(len(allowed)) & every, path, "accept every label: no test"
    )
    _refuse_unknown(table, "register", REGISTERS, path)
    _refuse_unknown(table, "domain", DOMAINS, path)


def _check_slots(table: pd.DataFrame, fillers: dict[str, list[str]], path: Path) -> None:
    rest = table["template"].str.replace(SLOT, "", regex=True)
    data.refuse(
        table, rest.str.contains(r"[{}]"), path, "have unbalanced braces, or no slot name in them"
    )
    for slot in sorted({slot for text in table["template"] for slot in SLOT.findall(text)}):
        if group_of(slot, fillers) not in fillers:
            held = table["template"].str.contains(f"{{{slot}}}", regex=False)
            data.refuse(table, held, path, f"name the slot {slot}, which no lexicon of fillers has")


def group_of(slot: str, fillers: dict[str, list[str]]) -> str:
    """The words that a slot takes: those of its own name, else of its name without its number.

    >>> group_of("food2", {"food": ["nasi"]})
    'food'
    """
    return slot if slot in fillers else slot.rstrip("0123456789").rstrip("_")


def _left_out(folder: Path) -> frozenset[str]:
    """The ids of `left_out.csv`; none where there is no such file yet."""
    path = folder / "left_out.csv"
    return frozenset(_table(path, "left_out")["id"] if path.is_file() else ())


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    columns = ["capability", "id", "text", "changed", "expected", "register", "domain"]
    return pd.concat([pd.DataFrame(columns=columns), *frames], ignore_index=True)


def _check_shared_ids(folder: Path, frames: dict[str, pd.DataFrame]) -> None:
    rows = pd.concat(frames.values(), ignore_index=True)
    twice = rows[rows.duplicated(["capability", "id"])]
    if len(twice):
        row = twice.iloc[0]
        raise InputError(
            f"{paths.shown(folder)}: a template and a sentence of {row['capability']} share the "
            f"id {row['id']}; rename one."
        )


def _refuse_repeated(table: pd.DataFrame, column: str, path: Path) -> None:
    data.refuse(table, table[column] == "", path, f"have no {column}")
    data.refuse(table, table[column].str.contains("/"), path, f"have a slash in {column}")
    data.refuse(table, table[column].duplicated(), path, f"repeat the {column} of an earlier row")


def _refuse_unknown(table: pd.DataFrame, column: str, allowed: tuple[str, ...], path: Path) -> None:
    unknown = ~table[column].isin(allowed)
    data.refuse(table, unknown, path, f"have a {column} outside {', '.join(allowed)}")


def _refuse_outside(table: pd.DataFrame, column: str, pattern: str, path: Path) -> None:
    unlike = ~table[column].str.fullmatch(pattern)
    data.refuse(table, unlike, path, f"have a {column} that is not lower case with underscores")
