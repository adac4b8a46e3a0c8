"""A verified split as a data frame `id, text, label`, or `id, text, text_pair, label` where the
examples are pairs of sentences.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from tahanuji import downloads, paths
from tahanuji.data import hub, splits
from tahanuji.data.reading import labelled, read_labelled, read_labels, read_table, refuse
from tahanuji.downloads import locate, sha256
from tahanuji.errors import InputError, unknown

__all__ = [
    "LABELS",
    "SPLITS",
    "THESIS_CODES",
    "Example",
    "as_columns",
    "available",
    "describe",
    "inputs",
    "labels",
    "load",
    "locate",
    "of_sentiment",
    "own_files",
    "paired",
    "read_table",
    "refuse",
    "repeats",
    "sentences",
    "sentiments",
    "sha256",
    "text_hash",
    "trained_as",
    "word_counts",
]

SPLITS = ("train", "valid", "test")
ENDINGS = ("csv", "tsv", "jsonl")  # of files of one's own
LABELS = ["positive", "neutral", "negative"]
THESIS_CODES = {"0": "positive", "1": "neutral", "2": "negative"}
# What a registry entry says of columns and labels: see reading.labelled.
MEANING = ("rename", "codes", "derive", "unlabelled")

Example = str | tuple[str, str]  # what a classifier is given: a text, or a pair of texts


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

    Parameters
    ----------
    labels : iterable of str
        The names of the labels, in any order.

    Returns
    -------
    bool

    Examples
    --------
    >>> of_sentiment(["negative", "positive"]), of_sentiment(["hate", "none"])
    (True, False)
    """
    return {"positive", "negative"} <= set(labels) <= set(LABELS)


def sentiments(dataset: str) -> list[str]:
    """The labels of a data set of sentiment, with neutral or without.

    Parameters
    ----------
    dataset : str
        As `labels` takes it.

    Returns
    -------
    list of str
        As `labels` gives them.

    Raises
    ------
    InputError
        Where they are not positive and negative, with or without neutral.

    Examples
    --------
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
    """The data set whose classifiers a data set tests.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml, a folder or a file.

    Returns
    -------
    str
        Itself, unless its registry entry says that it only has another test split.

    Examples
    --------
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
    """The splits that a data set has.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml, a folder or a file.

    Returns
    -------
    list of str
        Of `train`, `valid` and `test`; one file is a test split.

    Examples
    --------
    >>> available("embedded")
    ['train', 'valid', 'test']
    """
    if entry := downloads.registered("datasets", dataset):
        return [split for split in SPLITS if split in entry["splits"]]
    return list(own_files(Path(dataset)))


def own_files(path: Path) -> dict[str, Path]:
    """The files of a data set of one's own.

    Parameters
    ----------
    path : Path
        A folder with train, valid and test as csv, tsv or jsonl, or one such file.

    Returns
    -------
    dict of str to Path
        By split, those that are there; one file is the test split.

    Raises
    ------
    InputError
        Where a split has two files.

    Examples
    --------
    >>> own_files(Path("nowhere"))
    {}
    """
    if path.is_file():
        return {"test": path}
    parts = {}
    for split in SPLITS:
        ways = [path / f"{split}.{ending}" for ending in ENDINGS]
        there = [way for way in ways if way.is_file()]
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
        return labelled(
            frame, labels(dataset), f"{dataset} ({part} of {entry['hub']['id']})", **meaning
        ), facts
    path = locate(part)
    return read_labelled(
        path,
        labels(dataset),
        entry.get("columns"),
        encoding=entry.get("encoding", "utf-8"),
        **meaning,
    ), {"sha256": sha256(path)}


def _own(dataset: str, split: str, any_label: bool) -> tuple[pd.DataFrame, dict]:
    """A split of one's own; what its labels.txt says is as much a fact of it as the file."""
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
    """The frame with facts that identify it.

    Parameters
    ----------
    frame : DataFrame
        Of texts; it is changed in place.
    **source
        Name, split, sha256 and whatever else provenance should know.

    Returns
    -------
    DataFrame
        The same, its `attrs["source"]` set to these facts and the number of rows.

    Examples
    --------
    >>> describe(pd.DataFrame({"text": ["Ia tidur."]}), name="own").attrs["source"]
    {'name': 'own', 'rows': 1}
    """
    frame.attrs["source"] = {**source, "rows": len(frame)}
    return frame


def _own_file(path: Path, split: str) -> Path:
    if own := own_files(path).get(split):
        return own
    if path.is_file():
        raise InputError(
            f"{path} is one file, which serves as the test split; {split} needs a folder with "
            f"{split}.csv, {split}.tsv or {split}.jsonl."
        )
    if not path.exists():
        raise unknown("data set", str(path), downloads.registry()["datasets"])
    raise InputError(f"{path} holds no {split}.csv, {split}.tsv or {split}.jsonl.")


def paired(frame: pd.DataFrame) -> bool:
    """Whether the examples of a frame are pairs of sentences.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it.

    Returns
    -------
    bool
        Whether it has a column `text_pair`.

    Examples
    --------
    >>> paired(pd.DataFrame({"text": ["Ia tidur."]}))
    False
    """
    return "text_pair" in frame


def inputs(frame: pd.DataFrame) -> list[Example]:
    """What `predict_proba` takes of a frame.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it, n rows.

    Returns
    -------
    list of str, or of tuple of str
        n texts, or (text, text_pair) for pairs.

    Examples
    --------
    >>> inputs(pd.DataFrame({"text": ["Ia tidur."], "text_pair": ["Ia bangun."]}))
    [('Ia tidur.', 'Ia bangun.')]
    """
    return (
        list(zip(frame["text"], frame["text_pair"], strict=True))
        if paired(frame)
        else list(frame["text"])
    )


def as_columns(examples: list[Example], *names: str) -> dict[str, list[str]]:
    """Texts or pairs as columns of a frame.

    Parameters
    ----------
    examples : list of str, or of tuple of str
        As `inputs` gives them.
    *names : str
        Of the column of texts, and of that of the second sentences.

    Returns
    -------
    dict of str to list of str
        A column of the first name, for pairs another of the second.

    Examples
    --------
    >>> as_columns([("Ia tidur.", "Ia bangun.")], "text", "text_pair")
    {'text': ['Ia tidur.'], 'text_pair': ['Ia bangun.']}
    """
    width = max(
        (1 if isinstance(example, str) else len(example) for example in examples), default=1
    )
    return {
        name: [example if isinstance(example, str) else example[side] for example in examples]
        for side, name in enumerate(names[:width])
    }


def sentences(examples: list[Example]) -> list[str]:
    """All sentences of texts or pairs in their order.

    Parameters
    ----------
    examples : list of str, or of tuple of str
        As `inputs` gives them.

    Returns
    -------
    list of str
        One sentence per text, two per pair.

    Examples
    --------
    >>> sentences(["Ia makan.", ("Ia tidur.", "Ia bangun.")])
    ['Ia makan.', 'Ia tidur.', 'Ia bangun.']
    """
    return [
        sentence
        for example in examples
        for sentence in ([example] if isinstance(example, str) else example)
    ]


def word_counts(frame: pd.DataFrame) -> pd.Series:
    """The number of words of every example.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it, n rows.

    Returns
    -------
    Series
        n whole numbers: words between spaces, both sentences of a pair together.

    Examples
    --------
    >>> pair = {"text": ["Ia tidur lagi."], "text_pair": ["Ia bangun."]}
    >>> word_counts(pd.DataFrame(pair)).tolist()
    [5]
    """
    return sum(
        frame[column].str.split().str.len() for column in frame.filter(["text", "text_pair"])
    )


def text_hash(example: Example) -> str:
    """What stands for a text where it may not be published.

    Parameters
    ----------
    example : str, or tuple of str
        A text or a pair.

    Returns
    -------
    str
        The first 16 hex digits of the sha256 of the text, or of the pair with a line feed between.

    Examples
    --------
    >>> text_hash("Ia tidur."), text_hash(("Ia tidur.", "")) == text_hash("Ia tidur.")
    ('5595b6605e9e24ec', False)
    """
    text = example if isinstance(example, str) else "\n".join(example)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def repeats(frame: pd.DataFrame, other: pd.DataFrame | None = None) -> int:
    """How many rows repeat a text.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it.
    other : DataFrame, optional
        Another split.

    Returns
    -------
    int
        Rows whose text, or pair, stands in an earlier row of the frame, or in `other` where it is
        given.

    Examples
    --------
    >>> repeats(pd.DataFrame({"text": ["Ia tidur.", "Ia makan.", "Ia tidur."]}))
    1
    """
    here = pd.Series(inputs(frame), dtype=object)
    return int((here.duplicated() if other is None else here.isin(set(inputs(other)))).sum())
