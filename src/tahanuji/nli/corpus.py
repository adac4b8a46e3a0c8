"""Pairs: IndoNLI's splits with all their columns, its diagnostic set, pairs whose label is certain,
and which rows have a premise that was trained on.
"""

import json
from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import data, downloads, paths
from tahanuji.errors import InputError, unknown

LABELS = ["entailment", "contradiction", "neutral"]
SPLITS = {"train": "train", "dev": "valid", "lay": "test_lay", "expert": "test_expert"}
RENAMED = {"SEMLEX": "LEXSEM"}  # the released name of a tag, and the paper's
WRETE = {"Entail_or_Paraphrase": "entailment", "NotEntail": "neutral"}  # labels, as of inference
FILE = paths.DATA / "nli" / "suite.csv"
SUITE = ["id", "test", "case", "premise", "hypothesis", "expected", "pair_of", "capability"]
CODES = {label[0]: label for label in LABELS}


def load(split: str) -> pd.DataFrame:
    """A split of IndoNLI with every column of its file.

    Parameters
    ----------
    split : str
        train, dev, lay or expert. (The released `test` is lay and expert together.)

    Returns
    -------
    DataFrame
        id, premise, hypothesis, label (a name of `LABELS`), premise_id, sentence_size (single,
        double or multiple); of expert rows also author_label, annotation_round, source, topics.

    Raises
    ------
    InputError
        For another split, and where the file cannot be had.

    References
    ----------
    Mahendra et al. (2021), *IndoNLI: A natural language inference dataset for Indonesian*,
    section 3.

    Examples
    --------
    >>> len(load("lay"))  # doctest: +SKIP
    2201
    """
    if split not in SPLITS:
        raise unknown("split of IndoNLI", split, SPLITS)
    return _described(_objects(f"indonli/{SPLITS[split]}"), split)


def splits(dataset: str, names: dict[str, str] | None = None) -> dict[str, pd.DataFrame]:
    """Every split of a data set of inference.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml, a folder or a file of pairs, as `data.load` takes it.
    names : dict, optional
        From labels of the data set to names of `LABELS`, where it has others.

    Returns
    -------
    dict of str to DataFrame
        id, premise, hypothesis, label by split: train, dev, lay and expert of IndoNLI, else those
        of train, valid and test that are there. Ids are unique: IndoNLI has three pairs in dev and
        lay with the id of another.

    Raises
    ------
    InputError
        Where a split holds no pairs, labels that are not those of inference, or is a JSON array.

    Examples
    --------
    >>> list(splits("nli"))
    ['train', 'valid', 'test']
    """
    if dataset in ("indonli", "indonli_expert"):
        return {split: _named_apart(load(split)) for split in SPLITS}
    return {
        split: _pairs(dataset, split, names or {}) for split in data.available(dataset) or ["test"]
    }


def label_names(own: list[str]) -> dict[str, str]:
    """What a data set's own names of entailment, contradiction and neutral mean, in this order; no
    names stand for these. InputError where they are not three that differ.

    >>> label_names(["ikut", "lawan", "lepas"])
    {'ikut': 'entailment', 'lawan': 'contradiction', 'lepas': 'neutral'}
    """
    own = own or LABELS
    if len(own) != len(LABELS) or len(set(own)) != len(LABELS):
        raise InputError(
            f"label_names holds {', '.join(own)}; it takes the data set's names of "
            f"{', '.join(LABELS)}, in this order, three that differ."
        )
    return dict(zip(own, LABELS, strict=True))


def _named_apart(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with "/2" behind an id that stands a second time."""
    times = frame.groupby("id").cumcount()
    return frame.assign(
        id=frame["id"].where(times == 0, frame["id"] + "/" + (times + 1).astype(str))
    )


def _pairs(dataset: str, split: str, names: dict[str, str]) -> pd.DataFrame:
    frame = data.load(dataset, split, any_label=True)
    if not data.paired(frame):
        raise InputError(
            f"{dataset} holds single texts; inference is about pairs, in the columns premise and "
            f"hypothesis."
        )
    frame = frame.rename(columns={"text": "premise", "text_pair": "hypothesis"})
    frame["label"] = frame["label"].replace(names)
    if outside := sorted(set(frame["label"]) - set(LABELS)):
        raise InputError(
            f"{dataset} ({split}) has the labels {', '.join(outside[:5])}, which are not "
            f"{', '.join(LABELS)}; say in the parameter label_names which of them each is. "
            f"Notebook 01 takes them from a labels.txt beside the files, one a line."
        )
    return frame


def diagnostic() -> pd.DataFrame:
    """The diagnostic set of expert pairs (Mahendra et al., 2021, section 7).

    Returns
    -------
    DataFrame
        id, premise, hypothesis, label and `tags`, the phenomena of Table 11 that the inference
        rests on; InputError where the file cannot be had.

    Examples
    --------
    >>> len(diagnostic())  # doctest: +SKIP
    650
    """
    frame = _described(_objects("indonli/diagnostic"), "diagnostic")
    named = frame.pop("inference_phenomena")
    frame["tags"] = [[RENAMED.get(tag, tag) for tag in tags] for tags in named]
    return frame


def variants(dataset: str) -> list[str]:
    """Data sets of the registry that are other ways to train for a data set's tests.

    >>> variants("indonli")
    ['indonli_hypothesis', 'indonli_translated', 'indonli_both']
    """
    entries = downloads.registry()["datasets"].items()
    return [name for name, entry in entries if entry.get("variant_of") == dataset]


def two_way(frame: pd.DataFrame) -> pd.DataFrame:
    """Pairs as a test of whether the hypothesis follows, for readers of two labels or three: with
    `expected` as `load_suite` has it, and premises as cases.

    >>> pair = {"premise": ["p", "p"], "label": ["contradiction", "entailment"]}
    >>> two_way(pd.DataFrame(pair))["expected"].to_list()
    ['neutral|contradiction', 'entailment']
    """
    expected = np.where(frame["label"] == "entailment", "entailment", "neutral|contradiction")
    cases = pd.factorize(frame["premise"])[0].astype(str)
    return frame.assign(test="two labels", case=cases, expected=expected)


def wrete() -> pd.DataFrame:
    """Pairs of WReTE's test split (Wilie et al., 2020, *IndoNLU*), as `two_way` gives them; its
    *NotEntail* is neutral.

    >>> len(wrete())  # doctest: +SKIP
    100
    """
    return two_way(_pairs("wrete", "test", WRETE))


def load_suite(path: Path = FILE) -> pd.DataFrame:
    """The pairs of the suite.

    Parameters
    ----------
    path : Path
        A csv with the columns of `SUITE`. `expected` holds the labels that are right, divided by
        `|`; a pair without one is a version of the pair `pair_of` and must get its label. Pairs of
        one `case` were made of one sentence.

    Returns
    -------
    DataFrame
        As in the file; `attrs["source"]` as `data.load` gives it.

    Raises
    ------
    InputError
        For a missing column, an id that stands twice, another label, and a `pair_of` that is no id
        of a pair with a label.

    References
    ----------
    Ribeiro et al. (2020), CheckList; McCoy et al. (2019), *Right for the wrong reasons* (HANS).

    Examples
    --------
    >>> set(load_suite()["capability"]) >= {"negation", "quantifiers"}
    True
    """
    frame = data.read_table(path)
    if missing := [column for column in SUITE if column not in frame]:
        raise InputError(f"{paths.shown(path)} has no column {', '.join(missing)}.")
    right = frame["expected"].str.split("|").map(set)
    certain = set(frame["id"][frame["expected"] != ""])
    data.refuse(frame, frame["id"].duplicated(), path, "repeat the id of an earlier row")
    outside = (frame["expected"] != "") & ~right.map(lambda labels: labels <= set(LABELS))
    data.refuse(frame, outside, path, f"expect a label outside {', '.join(LABELS)}")
    lost = (frame["expected"] == "") & ~frame["pair_of"].isin(certain)
    data.refuse(frame, lost, path, "have neither an expected label nor a pair that has one")
    about = {"name": "nli-suite", "split": "test", "sha256": data.sha256(path)}
    return data.describe(frame[SUITE].reset_index(drop=True), **about, publish_texts=path == FILE)


def unseen(frame: pd.DataFrame, train: pd.DataFrame) -> pd.Series:
    """Which rows have a premise that no training pair has: IndoNLI's lay splits were dealt by pair
    and not by premise.

    >>> train = pd.DataFrame({"premise": ["Ani tidur."]})
    >>> unseen(pd.DataFrame({"premise": ["Ani tidur.", "Budi lari."]}), train).tolist()
    [False, True]
    """
    return ~frame["premise"].isin(set(train["premise"]))


def _objects(file: str) -> list[dict]:
    """The objects of a jsonl file, or of a file that is one JSON array."""
    text = data.locate(file).read_text(encoding="utf-8")
    if text.lstrip().startswith("["):
        return json.loads(text)
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _described(rows: list[dict], split: str) -> pd.DataFrame:
    """The frame of a file's objects, labels by name, ids as strings."""
    frame = pd.DataFrame(rows)
    frame = frame.rename(columns={"pair_id": "id"}).astype({"id": str})
    for column in ("label", "author_label"):
        if column in frame:
            frame[column] = frame[column].map(CODES)
    if frame["label"].isna().any():
        raise InputError(f"IndoNLI's {split} has labels other than {', '.join(CODES)}.")
    file = f"indonli/{SPLITS.get(split, split)}"
    about = {"name": "indonli", "split": split, "sha256": data.sha256(data.locate(file))}
    return data.describe(frame, **about, publish_texts=False)
