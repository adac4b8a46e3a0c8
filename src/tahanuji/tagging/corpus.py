"""Sentences with a tag per word, passages with a question, and reviews with a label per aspect; a
text or pair with one label is a review of one aspect.
"""

import ast
from pathlib import Path

import pandas as pd

from tahanuji import data, downloads, paths
from tahanuji.errors import InputError, unknown
from tahanuji.tagging.measures import odd_tags

FOLDER = "a task of your own is a folder with train.conll, valid.conll and test.conll"
NEW_DOCUMENT = "-DOCSTART-"  # CoNLL-2003 has such lines between documents
TEXTS = ["words", "question", "text", "text_pair"]  # columns that a licence may keep out of git


def tasks() -> list[str]:
    """The tasks of data/registry.yaml (Wilie et al., 2020, *IndoNLU*, section 3 and Table 1).

    >>> tasks()[:3]
    ['tags', 'posp', 'bapos']
    """
    return list(downloads.registry()["tagging"])


def load(task: str, split: str) -> pd.DataFrame:
    """A split of a task.

    Parameters
    ----------
    task : str
        A name of data/registry.yaml: a task of tagging, or a data set of texts or pairs with one
        label each; else a folder of train.conll, valid.conll, test.conll (`corpus.read_conll`).
    split : str
        train, valid or test.

    Returns
    -------
    DataFrame
        id and, a row per sentence, `words` and `tags` (lists of the same length), of questions also
        `question` (a list of words); a row per review `text`, of pairs also `text_pair`, and a
        column per aspect, for those with one label `label`. Of a task whose validation rows all
        stand in train, train lacks them. `attrs["source"]` is that of `data.load`.

    Raises
    ------
    InputError
        For an unknown task or split, for what `read_conll` refuses, for tags of a folder that mix
        schemes, and for those of its valid or test that its train lacks, with their lines.

    Examples
    --------
    >>> load("tags", "test").columns.tolist()
    ['id', 'words', 'tags']
    """
    if split not in data.SPLITS:
        raise unknown("split", split, data.SPLITS)
    entry = downloads.registered("tagging", task)
    if entry is None and downloads.registered("datasets", task):
        whole = data.load(task, split)
        kept = whole[[name for name in ("id", "text", "text_pair", "label") if name in whole]]
        return data.describe(kept.astype({"label": str}), **whole.attrs["source"])
    if entry is None:
        frame = _own(Path(task), split)
        path = Path(task) / f"{split}.conll"
        return _described(frame, paths.slug(Path(task).name), split, path, False)
    path = data.locate(entry["splits"][split])
    frame = _content(path, entry)
    if entry.get("inside") and split == "train":
        held = set(map(_key, _content(data.locate(entry["splits"]["valid"]), entry)["words"]))
        frame = frame[[_key(words) not in held for words in frame["words"]]].reset_index(drop=True)
    return _described(frame, task, split, path, entry["publish_texts"])


def _own(folder: Path, split: str) -> pd.DataFrame:
    """The sentences of a file of a folder of one's own."""
    if folder.is_file():
        raise InputError(f"{paths.shown(folder)} is one file; {FOLDER}.")
    if not folder.is_dir():
        raise unknown("task", str(folder), [*tasks(), "a folder"])
    path = folder / f"{split}.conll"
    frame, places = _read(path)
    if odd := odd_tags(places):
        raise InputError(
            f"{paths.shown(path)} has tags of several schemes, or of one that is not read here: "
            f"{_listed({tag: places[tag] for tag in odd})}. Write every tag as O, B-<type> or "
            f"I-<type> (S-<type> and U-<type> are B-, E-<type> and L-<type> are I-), or every tag "
            f"without a prefix."
        )
    if split != "train":
        check_tags(_own(folder, "train"), frame, path.name, places)
    return frame


def _key(words: list[str]) -> tuple[str, ...]:
    return tuple(words)


def _content(path: Path, entry: dict) -> pd.DataFrame:
    """The sentences, passages or reviews of a file of the registry."""
    if "question" in entry:
        return _questions(path, entry["question"])
    if "text" in entry:
        return data.read_table(path).rename(columns={entry["text"]: "text"}).reset_index(drop=True)
    return read_conll(path)


def _described(
    frame: pd.DataFrame, name: str, split: str, path: Path, publish: bool
) -> pd.DataFrame:
    frame.insert(0, "id", [f"{name}-{split}-{number:05d}" for number in range(1, len(frame) + 1)])
    about = {"name": name, "split": split, "sha256": data.sha256(path)}
    return data.describe(frame, **about, publish_texts=publish)


def _questions(path: Path, column: str) -> pd.DataFrame:
    """Questions, passages and tags, each cell a list as Python writes one."""
    table = data.read_table(path).map(ast.literal_eval).reset_index(drop=True)
    names = {column: "question", "passage": "words", "seq_label": "tags"}
    return table.rename(columns=names)[["words", "tags", "question"]]


def read_conll(path: Path) -> pd.DataFrame:
    """The sentences of a file in CoNLL's format: words and tags, a list each per sentence.

    The file has a word, a tab and its tag a line and a blank line between sentences; lines that
    begin with `# ` and hold no tab are comments, those that begin with `-DOCSTART-` are skipped. A
    word may hold blanks, a tag may not. UTF-8, with a byte order mark or without. Anything else is
    an InputError with the numbers of the lines.

    >>> read_conll(paths.DATA / "tagging" / "test.conll")["tags"].map(len).min() > 0
    np.True_
    """
    return _read(path)[0]


def _read(path: Path) -> tuple[pd.DataFrame, dict[str, list[int]]]:
    """The sentences of a file, and the lines of each tag."""
    lines = {
        n: line
        for n, line in enumerate(_decoded(path), 1)
        if not line.startswith("# ") or "\t" in line
    }
    cells = {
        n: line.split("\t")
        for n, line in lines.items()
        if line.strip() and not line.startswith(NEW_DOCUMENT)
    }
    _check_cells(path, cells)
    sentences = _sentences(path, lines, cells)
    pairs = [list(zip(*sentence, strict=True)) for sentence in sentences]
    if not pairs:
        raise InputError(f"{paths.shown(path)} holds no sentence.")
    columns = {"words": [list(one) for one, _ in pairs], "tags": [list(two) for _, two in pairs]}
    places: dict[str, list[int]] = {}
    for number, (_, tag) in cells.items():
        places.setdefault(tag, []).append(number)
    return pd.DataFrame(columns), places


def _sentences(path: Path, lines: dict[int, str], cells: dict[int, list[str]]) -> list[list]:
    """The cells of each sentence; InputError for a blank line behind no word."""
    sentences, blank, before = [[]], [], ""
    for number, line in lines.items():
        if number in cells:
            sentences[-1].append(cells[number])
        elif sentences[-1]:
            sentences.append([])
        elif not (line.startswith(NEW_DOCUMENT) or before.startswith(NEW_DOCUMENT)):
            blank.append(number)
        before = line
    _refuse(path, [n for n in blank if n < max(cells, default=0)], "end a sentence without words")
    return [sentence for sentence in sentences if sentence]


def _decoded(path: Path) -> list[str]:
    """The lines of a file in UTF-8."""
    if not path.is_file():
        raise InputError(f"there is no {paths.shown(path)}; {FOLDER}.")
    try:
        return path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        number = error.object.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{paths.shown(path)} is not UTF-8: line {number} holds the byte "
            f"{error.object[error.start]:#04x}; save it as UTF-8."
        ) from None


def _check_cells(path: Path, cells: dict[int, list[str]]) -> None:
    """InputError unless every line is a word and a tag."""
    two = "have not a word, a tab, a tag; put one tab between word and tag, and no other column"
    _refuse(path, [n for n, row in cells.items() if len(row) != 2], two)
    _refuse(path, [n for n, row in cells.items() if not all(map(str.strip, row))], "lack a cell")
    parted = [n for n, (_, tag) in cells.items() if tag.split() != [tag]]
    _refuse(path, parted, "have a blank in or beside the tag; a tag holds none")


def _refuse(path: Path, lines: list[int], what: str) -> None:
    """InputError where there are bad lines."""
    if lines:
        raise InputError(f"{paths.shown(path)}: lines {_numbers(lines)} {what}.")


def _numbers(lines: list[int]) -> str:
    """The first ten numbers of lines."""
    shown = list(map(str, lines[:10]))
    return ", ".join(shown if len(lines) <= 10 else [*shown, "..."])


def _listed(places: dict[str, list[int]]) -> str:
    """Tags with the numbers of their lines."""
    return "; ".join(f"{tag} (lines {_numbers(lines)})" for tag, lines in sorted(places.items()))


def check_tags(
    train: pd.DataFrame,
    other: pd.DataFrame,
    name: str,
    places: dict[str, list[int]] | None = None,
) -> None:
    """InputError where a split has tags that training lacks: nothing could predict them; `places`
    are their lines.

    >>> one = pd.DataFrame({"tags": [["O", "B-PER"]]})
    >>> check_tags(one, one, "test")
    """
    known = set(train["tags"].explode())
    lacking = sorted(set(other["tags"].explode()) - known)
    if lacking:
        named = _listed({tag: places[tag] for tag in lacking}) if places else ", ".join(lacking)
        raise InputError(
            f"{name} has tags that train lacks: {named}; train has {', '.join(sorted(known))}."
        )


def aspects(frame: pd.DataFrame) -> list[str]:
    """The aspects of a frame of reviews, none of another.

    >>> aspects(pd.DataFrame(columns=["id", "text", "harga"]))
    ['harga']
    """
    return [name for name in frame if name not in ("id", *TEXTS)] if "text" in frame else []


def leaked(test: pd.DataFrame, train: pd.DataFrame) -> pd.DataFrame:
    """What test rows training has seen.

    Parameters
    ----------
    test, train : DataFrame
        As `load` gives them.

    Returns
    -------
    DataFrame
        id, `seen` (the words, passage or review stand in train) and `otherwise`: they stand there
        with other tags or labels alone.

    Examples
    --------
    >>> one = pd.DataFrame({"id": ["a"], "words": [["Ani"]], "tags": [["B-PER"]]})
    >>> leaked(one, one.assign(tags=[["O"]]))[["seen", "otherwise"]].values.tolist()
    [[True, True]]
    """
    names = aspects(test)
    sides = []
    for frame in (train, test):
        texts = pd.Series(data.inputs(frame)) if names else frame["words"].map(_key)
        marks = frame[names].apply(tuple, axis=1) if names else frame["tags"].map(_key)
        sides.append((texts, list(zip(texts, marks, strict=True))))
    texts, pairs = set(sides[0][0]), set(sides[0][1])
    seen = pd.Series([text in texts for text in sides[1][0]], index=test.index)
    same = pd.Series([pair in pairs for pair in sides[1][1]], index=test.index)
    return pd.DataFrame({"id": test["id"], "seen": seen, "otherwise": seen & ~same})
