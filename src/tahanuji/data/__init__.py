"""A verified split as a data frame `id, text, label`, or `id, text, text_pair, label` where the
examples are pairs of sentences.
"""

import hashlib
from pathlib import Path

import pandas as pd

from tahanuji import downloads, paths
from tahanuji.data import hub, splits
from tahanuji.data.reading import labelled, read_labelled, read_labels
from tahanuji.data.reading import read_table as read_table
from tahanuji.data.reading import refuse as refuse
from tahanuji.downloads import locate as locate
from tahanuji.downloads import sha256
from tahanuji.errors import InputError, unknown

SPLITS = ("train", "valid", "test")
LABELS = ["positive", "neutral", "negative"]
THESIS_CODES = {"0": "positive", "1": "neutral", "2": "negative"}
MEANING = (
    "rename",
    "codes",
    "derive",
)  # what a registry entry says of columns and labels: see reading.labelled

Example = str | tuple[str, str]  # what a classifier is given: a text, or a pair of texts


def labels(dataset: str) -> list[str]:
    """The labels of a data set in their order: of its registry entry, else of labels.txt in its
    folder, else positive, neutral, negative.
    """
    if entry := downloads.registered("datasets", dataset):
        return entry.get("labels", LABELS)
    path = Path(dataset)
    declared = (path.parent if path.is_file() else path) / "labels.txt"
    return read_labels(declared) if declared.is_file() else LABELS


def trained_as(dataset: str) -> str:
    """The data set whose classifiers a data set tests: itself, unless its registry entry says that
    it only has another test split.
    """
    return (downloads.registered("datasets", dataset) or {}).get("trained_as", dataset)


def load(dataset: str, split: str) -> pd.DataFrame:
    """One split as a frame `id, text, label`, for pairs `id, text, text_pair, label`.

    `attrs["source"]` holds name, split, rows, sha256 and whether texts may be published. `dataset`
    is a name of data/registry.yaml, a folder with train, valid and test as csv or tsv (columns text
    and label, for pairs also text_pair; labels.txt names other labels than those of sentiment, one
    per line), or one such file, which then serves as the test split. Raises InputError with the row
    numbers of bad cells.

    >>> load("embedded", "test").columns.tolist()
    ['id', 'text', 'label']
    """
    if split not in SPLITS:
        raise unknown("split", split, SPLITS)
    entry = downloads.registered("datasets", dataset)
    frame, facts = _registered(dataset, entry, split) if entry else _own(dataset, split)
    name = paths.slug(dataset)
    frame.insert(0, "id", [f"{name}-{split}-{number:05d}" for number in range(1, len(frame) + 1)])
    publish = bool(entry and entry["publish_texts"])
    return describe(frame, name=name, split=split, **facts, publish_texts=publish)


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


def _part(dataset: str, entry: dict, part: str) -> tuple[pd.DataFrame, dict]:
    meaning = {name: entry[name] for name in MEANING if name in entry}
    if "hub" in entry:
        frame, facts = hub.read(entry["hub"], part)
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


def _own(dataset: str, split: str) -> tuple[pd.DataFrame, dict]:
    path = _own_file(Path(dataset), split)
    return read_labelled(path, labels(dataset)), {"sha256": sha256(path)}


def describe(frame: pd.DataFrame, **source) -> pd.DataFrame:
    """The frame with `attrs["source"]` set to the facts given and the number of rows."""
    frame.attrs["source"] = {**source, "rows": len(frame)}
    return frame


def _own_file(path: Path, split: str) -> Path:
    if path.is_file():
        if split != "test":
            raise InputError(
                f"{path} is one file, which serves as the test split; {split} needs a folder with "
                f"{split}.csv or {split}.tsv."
            )
        return path
    for ending in ("csv", "tsv"):
        if (path / f"{split}.{ending}").is_file():
            return path / f"{split}.{ending}"
    if not path.exists():
        raise unknown("data set", str(path), downloads.registry()["datasets"])
    raise InputError(f"{path} holds neither {split}.csv nor {split}.tsv.")


def paired(frame: pd.DataFrame) -> bool:
    """Whether the examples of a frame are pairs of sentences."""
    return "text_pair" in frame


def inputs(frame: pd.DataFrame) -> list[Example]:
    """What `predict_proba` takes of a frame: its texts, or (text, text_pair) for pairs.

    >>> inputs(pd.DataFrame({"text": ["Ia tidur."], "text_pair": ["Ia bangun."]}))
    [('Ia tidur.', 'Ia bangun.')]
    """
    return (
        list(zip(frame["text"], frame["text_pair"], strict=True))
        if paired(frame)
        else list(frame["text"])
    )


def as_columns(examples: list[Example], *names: str) -> dict[str, list[str]]:
    """Texts or pairs as columns of a frame: one of the first name, for pairs another of the second.

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

    >>> sentences(["Ia makan.", ("Ia tidur.", "Ia bangun.")])
    ['Ia makan.', 'Ia tidur.', 'Ia bangun.']
    """
    return [
        sentence
        for example in examples
        for sentence in ([example] if isinstance(example, str) else example)
    ]


def word_counts(frame: pd.DataFrame) -> pd.Series:
    """The number of words of every example, both sentences of a pair together."""
    return sum(
        frame[column].str.split().str.len() for column in frame.filter(["text", "text_pair"])
    )


def text_hash(example: Example) -> str:
    """The first 16 hex digits of the sha256 of a text, or of a pair with a line feed between, which
    stand for it where it may not be published.
    """
    text = example if isinstance(example, str) else "\n".join(example)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def repeats(frame: pd.DataFrame, other: pd.DataFrame | None = None) -> int:
    """Rows whose text, or pair, repeats an earlier row of the frame, or stands in `other` where one
    is given.
    """
    here = pd.Series(inputs(frame), dtype=object)
    return int((here.duplicated() if other is None else here.isin(set(inputs(other)))).sum())
