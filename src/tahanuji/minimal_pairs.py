"""Minimal pairs: which of two sentences does a masked language model hold for the likelier one?

An acceptable and an unacceptable sentence that differ in one point of grammar (Warstadt et al.,
2020, BLiMP); the model prefers the one with the higher pseudo-log-likelihood, the sum over its
pieces of the log probability of each when it is masked (Salazar et al., 2020). Nothing is trained.
A pair is an example of two sentences whose label says which is the acceptable one, so that the
perturbation grid works on it as on any pairs.
"""

from pathlib import Path

import pandas as pd

from tahanuji import data, downloads, grid, measure, paths, perturb
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument

__all__ = ["SIDES", "as_tests", "load", "load_model", "preferred", "rows", "texts"]

SIDES = ["first", "second"]
LABELS = ["acceptable", "unacceptable"]
COLUMNS = ["text", "label", "pair"]


def load(dataset: str) -> pd.DataFrame:
    """The minimal pairs of all splits of a data set, of a folder, or of the registry's own.

    Columns `id, text, text_pair, label, phenomenon`, a row per pair. The label is the acceptable
    side, `first` or `second`; which one follows from the id, so that both are as frequent.

    Source: Warstadt et al. (2020), BLiMP.

    >>> load("acceptability").columns.tolist()
    ['id', 'text', 'text_pair', 'label', 'phenomenon']
    """
    if about := downloads.registered("minimal_pairs", dataset):
        files = {name: downloads.locate(file) for name, file in about["files"].items()}
        parts, split = [_lines(name, path) for name, path in files.items()], "test"
    else:
        about = downloads.registered("datasets", dataset)
        files = {split: path for split in data.SPLITS if (path := file_of(dataset, split))}
        parts, split = [table_of(path) for path in files.values()], "+".join(files)
    if not files:
        raise InputError(
            f"{dataset} holds no train, valid or test as csv or tsv with minimal pairs."
        )
    rows = pd.concat(parts, ignore_index=True)
    name, examples = paths.slug(dataset), []
    for pair, two in rows.groupby("pair", sort=False):
        sides = dict(zip(two["label"], two["text"], strict=True))
        if len(two) != 2 or set(sides) != {*LABELS}:
            raise InputError(
                f"pair {pair} of {dataset} has the labels {', '.join(two['label'])}; it needs one "
                f"acceptable and one unacceptable sentence."
            )
        both = (sides[label] for label in LABELS)
        examples.append(_example(f"{name}-pair-{pair}", *both, two["phenomenon"].iloc[0]))
    frame = pd.DataFrame(examples, columns=["id", "text", "text_pair", "label", "phenomenon"])
    digest = "+".join(data.sha256(path)[:16] for path in files.values())
    return data.describe(
        frame,
        name=name,
        split=split,
        sha256=digest,
        publish_texts=bool(about and about["publish_texts"]),
    )


def _lines(phenomenon: str, path: Path) -> pd.DataFrame:
    """The pairs of a file of LINDSEA, in the columns of `table_of`."""
    read = pd.read_json(path, lines=True)
    pairs = f"{phenomenon}-" + read["id"].astype(str)
    sides = zip(LABELS, ("correct", "wrong"), strict=True)
    parts = [
        pd.DataFrame({"text": read[side], "label": label, "pair": pairs, "phenomenon": phenomenon})
        for label, side in sides
    ]
    return pd.concat(parts, ignore_index=True)


def _example(name: str, good: str, bad: str, phenomenon: str) -> tuple:
    first = perturb.key(0, name) % 2 == 0
    return (
        name,
        *((good, bad) if first else (bad, good)),
        SIDES[0] if first else SIDES[1],
        phenomenon,
    )


def file_of(dataset: str, split: str) -> Path | None:
    """The file of a split: of a registered data set, or in a folder; None where a folder does not
    have it, InputError where it has two, and for a registered data set without one file per split.
    """
    if entry := downloads.registered("datasets", dataset):
        part = entry["splits"][split]
        if "hub" in entry or not isinstance(part, str):
            raise InputError(
                f"{dataset} has no file of minimal pairs for each split; take acceptability, or a "
                f"folder with train, valid or test as csv or tsv."
            )
        return downloads.locate(part)
    files = [Path(dataset) / f"{split}.{ending}" for ending in ("csv", "tsv")]
    there = [path for path in files if path.is_file()]
    if len(there) > 1:
        raise InputError(f"{dataset} holds {split} as csv and as tsv; leave one of them.")
    return there[0] if there else None


def table_of(path: Path) -> pd.DataFrame:
    """A file's columns text, label, pair and phenomenon (`unnamed` where it has none), blank lines
    left out; InputError where it lacks one of the first three, and for rows without text.
    """
    table = data.read_table(path)
    table = table[(table != "").any(axis=1)]
    if missing := [column for column in COLUMNS if column not in table]:
        raise InputError(
            f"{paths.shown(path)} has no column {', '.join(missing)}; minimal pairs have text, "
            f"label, pair and, if there, phenomenon."
        )
    data.refuse(table, table["text"].str.strip() == "", path, "have no text")
    return table.assign(phenomenon=table.get("phenomenon", "unnamed"))[[*COLUMNS, "phenomenon"]]


def load_model(model_name: str, device="cpu", method: str = "word"):
    """A masked language model as a classifier of minimal pairs.

    Its `predict_proba` gives the probabilities of `first` and `second`, the softmax of the two
    sentences' pseudo-log-likelihoods.

    Source: Salazar et al. (2020) for `piece`; Kauf and Ivanova (2023) for `word`.

    >>> try:
    ...     load_model("tfidf")
    ... except InputError as error:
    ...     print(str(error).split(";")[0])
    tfidf is no language model
    """
    from tahanuji.models import masked  # loads torch, which reading and counting pairs need not

    return masked.load(model_name, SIDES, device, method)


def texts(
    frame: pd.DataFrame, instruments: list[Instrument], seed: int
) -> tuple[dict[Instrument, list], pd.DataFrame]:
    """Changed pairs of every instrument (None: it does not apply), both sentences of a pair with
    the same draws, so that noise hits them as alike as it can; and the errors of `grid.changed`.

    >>> pairs = load("acceptability").head(1)
    >>> changed, _ = texts(pairs, [Instrument("keyboard")], seed=1)
    >>> {len(changed[one]) for one in changed}
    {1}
    """
    sides = [
        grid.changed(frame[["id", column]].rename(columns={column: "text"}), instruments, seed)
        for column in ("text", "text_pair")
    ]
    clean = data.inputs(frame)
    changed = {
        name: [
            (one or pair[0], other or pair[1]) if one or other else None
            for pair, one, other in zip(clean, sides[0][0][name], sides[1][0][name], strict=True)
        ]
        for name in instruments
    }
    return changed, pd.concat([errors for _, errors in sides], ignore_index=True)


def rows(
    classifier, frame: pd.DataFrame, changed: dict[Instrument, list], precision: str = "fp32"
) -> pd.DataFrame:
    """What a model prefers of clean and changed pairs: `grid.rows` with the phenomenon as
    `by_phenomenon`, so that every rate is given for each.

    >>> import numpy as np
    >>> class First:
    ...     labels = SIDES
    ...     def predict_proba(self, pairs, precision):
    ...         return np.array([[0.9, 0.1]] * len(pairs))
    >>> pairs = load("acceptability").head(1)
    >>> changed, _ = texts(pairs, [Instrument("keyboard")], seed=1)
    >>> rows(First(), pairs, changed)["clean_label"].unique().tolist()
    ['first']
    """
    table = grid.rows(classifier, frame, changed, precision)
    phenomenon = dict(zip(frame["id"], frame["phenomenon"], strict=True))
    return table.assign(by_phenomenon=table["id"].map(phenomenon))


def preferred(predictions: pd.DataFrame) -> pd.DataFrame:
    """How often the acceptable sentence of the clean pairs is preferred.

    Columns `group, series, value, ci_low, ci_high, n`: the share, 0 to 1, with its Wilson interval,
    of all pairs and of each phenomenon, worst last.

    >>> right = {"id": ["a", "b"], "gold": ["first", "second"], "clean_label": ["first", "first"]}
    >>> preferred(pd.DataFrame(right).assign(by_phenomenon="order"))["value"].tolist()
    [0.5, 0.5]
    """
    clean = predictions.drop_duplicates("id").assign(
        right=lambda part: part["clean_label"] == part["gold"]
    )
    groups = {"all": clean} | dict(list(clean.groupby("by_phenomenon")))
    table = [
        (
            name,
            "acceptable preferred",
            *measure.share(int(part["right"].sum()), len(part)),
            len(part),
        )
        for name, part in groups.items()
    ]
    shares = pd.DataFrame(table, columns=["group", "series", "value", "ci_low", "ci_high", "n"])
    return pd.concat(
        [shares[:1], shares[1:].sort_values("value", ascending=False, kind="stable")],
        ignore_index=True,
    )


def as_tests(predictions: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The clean pairs as rows of tests for `measure.verdicts`, and the type of each test.

    A row per pair, its phenomenon as `test` and a failure where the unacceptable sentence is
    preferred; and `{phenomenon: "MFT"}`. What perturbations change is judged by no verdict: whether
    they keep a sentence acceptable was not rated.

    >>> right = {"id": ["a", "b"], "gold": ["first", "second"], "clean_label": ["first", "first"]}
    >>> tests, types = as_tests(pd.DataFrame(right).assign(by_phenomenon="order"))
    >>> tests["failure"].tolist(), types
    ([False, True], {'order': 'MFT'})
    """
    clean = predictions.drop_duplicates("id").sort_values("by_phenomenon", kind="stable")
    tests = clean[["id"]].assign(
        test=clean["by_phenomenon"], failure=clean["clean_label"] != clean["gold"]
    )
    return tests, dict.fromkeys(tests["test"], "MFT")
