"""A verified split as a data frame `id, text, label`, or `id, text, text_pair, label` where the
examples are pairs of sentences.
"""

import re
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tahanuji import downloads, paths
from tahanuji.data import hub, splits
from tahanuji.data.reading import (  # noqa: F401
    labelled,
    read_labelled,
    read_labels,
    read_table,
    refuse,
)
from tahanuji.downloads import locate, sha256
from tahanuji.errors import InputError, absent, unknown
from tahanuji.examples import (  # noqa: F401
    Example,
    as_columns,
    inputs,
    paired,
    sentences,
    text_hash,
)

__all__ = ["LABELS", "SPLITS", "Example", "labels", "load"]

SPLITS = ("train", "valid", "test")
ENDINGS = ("csv", "tsv", "jsonl")  # of files of one's own
LABELS = ["positive", "neutral", "negative"]
LABEL_NUMBER = re.compile(r"(?:label[_ -]?)?(\d+)", re.IGNORECASE)  # a name that is a number alone
THESIS_CODES = {"0": "positive", "1": "neutral", "2": "negative"}
# What a registry entry says of columns and labels: see reading.labelled.
MEANING = ("rename", "codes", "derive", "unlabelled")

OWN_SETS = "A folder with train, valid and test (csv, tsv or jsonl), or one such file, does too."


def labels(dataset: str) -> list[str]:
    """The labels of a data set in their order.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml, a folder or a file.

    Returns
    -------
    list of str
        Those of the registry entry, else of labels.txt in the folder (one per line), else positive,
        neutral, negative.

    Raises
    ------
    InputError
        Where labels.txt is not UTF-8, names fewer than two labels or one twice.

    Examples
    --------
    >>> labels("embedded")
    ['positive', 'neutral', 'negative']
    """
    if entry := downloads.registered("datasets", dataset):
        return entry.get("labels", LABELS)
    declared = _declared(Path(dataset))
    return read_labels(declared) if declared else LABELS


def of_sentiment(labels: Iterable[str]) -> bool:
    """Whether labels are positive and negative, with neutral or without.

    >>> of_sentiment(["negative", "positive"]), of_sentiment(["hate", "none"])
    (True, False)
    """
    return {"positive", "negative"} <= set(labels) <= set(LABELS)


def sentiments(dataset: str) -> list[str]:
    """The labels of a data set of sentiment, with neutral or without; InputError for others.

    >>> sentiments("embedded")
    ['positive', 'neutral', 'negative']
    """
    names = labels(dataset)
    if not of_sentiment(names):
        raise InputError(
            f"this test is about sentiment, and {dataset} has the labels {', '.join(names)}; it "
            f"takes positive and negative, with or without neutral."
        )
    return names


def trained_as(dataset: str) -> str:
    """The data set whose classifiers a data set tests: itself, unless its registry entry says that
    it only has another test split.

    >>> trained_as("indonli_expert"), trained_as("my/folder")
    ('indonli', 'my/folder')
    """
    return (downloads.registered("datasets", dataset) or {}).get("trained_as", dataset)


def load(dataset: str, split: str, any_label: bool = False) -> pd.DataFrame:
    """One verified split of a data set.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml; a folder with train, valid and test as csv, tsv or jsonl,
        columns `text, label` and for pairs `text_pair`; or one such file, which then is the test
        split. labels.txt in the folder names other labels than those of sentiment, one per line;
        labels may be given by their numbers (the first is 0) where it is there.
    split : str
        `train`, `valid` or `test`.
    any_label : bool
        Whether the labels of a data set of one's own are taken as they are written, whatever they
        are; else they are those that `labels` gives.

    Returns
    -------
    DataFrame
        Columns `id, text, label`, for pairs of sentences `id, text, text_pair, label`, a row per
        example. `attrs["source"]` holds name, split, rows, sha256 (of labels.txt too, as
        `labels_sha256`, where it is there) and whether texts may be published.

    Raises
    ------
    InputError
        For an unknown split or data set, a file that cannot be had or has another sha256 than was
        registered, and bad cells, with their row numbers.

    Examples
    --------
    >>> load("embedded", "test").columns.tolist()
    ['id', 'text', 'label']
    """
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    entry = downloads.registered("datasets", dataset)
    frame, facts = _registered(dataset, entry, split) if entry else _own(dataset, split, any_label)
    name = paths.slug(dataset if entry else Path(dataset).name)  # wherever the folder lies
    frame.insert(0, "id", [f"{name}-{split}-{number:05d}" for number in range(1, len(frame) + 1)])
    publish = bool(entry and entry["publish_texts"])
    return describe(frame, name=name, split=split, **facts, publish_texts=publish)


def available(dataset: str) -> list[str]:
    """The splits that a data set has, of `train`, `valid` and `test`; one file is a test split.

    >>> available("embedded")
    ['train', 'valid', 'test']
    """
    if entry := downloads.registered("datasets", dataset):
        return [split for split in SPLITS if split in entry["splits"]]
    return list(own_files(Path(dataset)))


def own_files(path: Path) -> dict[str, Path]:
    """The files of a data set of one's own by split, in any case, one file being the test split;
    InputError where a split has two.

    >>> own_files(Path("nowhere"))
    {}
    """
    if path.is_file():
        return {"test": path}
    parts, files = {}, sorted(path.iterdir()) if path.is_dir() else []
    for split in SPLITS:
        ways = {f"{split}.{ending}" for ending in ENDINGS}
        there = [file for file in files if file.name.lower() in ways and file.is_file()]
        if len(there) > 1:
            raise InputError(
                f"{path} holds {' and '.join(way.name for way in there)}; keep the one that is "
                f"meant."
            )
        if there:
            parts[split] = there[0]
    return parts


def _registered(dataset: str, entry: dict, split: str) -> tuple[pd.DataFrame, dict]:
    """A split of a registry entry: a whole upstream part, or this split's share where splits name
    the same part; at most `most` rows.
    """
    frame, facts = _part(dataset, entry, entry["splits"][split])
    together = [name for name in SPLITS if entry["splits"][name] == entry["splits"][split]]
    if len(together) > 1:
        shares = {name: entry["shares"][name] for name in together}
        frame = splits.partition(frame, shares, entry["seed"])[split]
        facts |= {"shares": shares, "split_seed": entry["seed"]}
    if most := entry.get("most", {}).get(split):
        frame = splits.subsample(frame, most, entry["seed"])
        facts |= {"most": most, "split_seed": entry["seed"]}
    return frame, facts


def _part(dataset: str, entry: dict, part: str | list[str]) -> tuple[pd.DataFrame, dict]:
    """An upstream part, or several of them, one behind the other."""
    if isinstance(part, list):
        frames, facts = zip(*(_part(dataset, entry, one) for one in part), strict=True)
        digests = "+".join(fact["sha256"][:16] for fact in facts)
        return pd.concat(frames, ignore_index=True), {"sha256": digests}
    meaning = {name: entry[name] for name in MEANING if name in entry}
    if "hub" in entry:
        frame, facts = hub.load(entry["hub"], part)
        origin = f"{dataset} ({part} of {entry['hub']['id']})"
        return labelled(frame, labels(dataset), origin, **meaning), facts
    path, columns = locate(part), entry.get("columns")
    meaning["encoding"] = entry.get("encoding", "utf-8")
    return read_labelled(path, labels(dataset), columns, **meaning), {"sha256": sha256(path)}


def _own(dataset: str, split: str, any_label: bool) -> tuple[pd.DataFrame, dict]:
    """A split of one's own; what its labels.txt says is as much a fact of it as the file."""
    if not Path(dataset).exists():
        raise absent("data set", dataset, downloads.registry()["datasets"], OWN_SETS)
    path, declared = _own_file(Path(dataset), split), _declared(Path(dataset))
    names = None if any_label else labels(dataset)
    frame = read_labelled(path, names, numbered=declared is not None)
    facts = {"labels_sha256": sha256(declared)} if declared else {}
    return frame, {"sha256": sha256(path)} | facts


def _declared(path: Path) -> Path | None:
    """The labels.txt of a folder or file of one's own; None where it has none."""
    place = (path.parent if path.is_file() else path) / "labels.txt"
    return place if place.is_file() else None


def describe(frame: pd.DataFrame, **source) -> pd.DataFrame:
    """The frame itself, with facts that identify it (name, split, sha256, ...) and its number of
    rows in `attrs["source"]`.

    >>> describe(pd.DataFrame({"text": ["Ia tidur."]}), name="own").attrs["source"]
    {'name': 'own', 'rows': 1}
    """
    frame.attrs["source"] = {**source, "rows": len(frame)}
    return frame


def _own_file(path: Path, split: str) -> Path:
    """The file of a split of one's own; InputError where there is none."""
    if own := own_files(path).get(split):
        return own
    if path.is_file():
        raise InputError(
            f"{path} is one file, which serves as the test split; {split} needs a folder with "
            f"{split}.csv, {split}.tsv or {split}.jsonl."
        )
    raise InputError(f"{path} holds no {split}.csv, {split}.tsv or {split}.jsonl.")


def word_counts(frame: pd.DataFrame) -> pd.Series:
    """The number of words between spaces of every example, both sentences of a pair together.

    >>> pair = {"text": ["Ia tidur lagi."], "text_pair": ["Ia bangun."]}
    >>> word_counts(pd.DataFrame(pair)).tolist()
    [5]
    """
    texts = frame.filter(["text", "text_pair"])
    return sum(texts[column].str.split().str.len() for column in texts)


def repeats(frame: pd.DataFrame, other: pd.DataFrame | None = None) -> int:
    """How many rows have a text, or pair, of an earlier row, or of a row of `other` where it is
    given.

    >>> repeats(pd.DataFrame({"text": ["Ia tidur.", "Ia makan.", "Ia tidur."]}))
    1
    """
    here = pd.Series(inputs(frame), dtype=object)
    return int((here.duplicated() if other is None else here.isin(set(inputs(other)))).sum())
