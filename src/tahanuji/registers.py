"""Registers: pairs of a formal and an informal wording of one meaning, without gold labels, and
how often a classifier's label changes from one to the other.
"""

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, downloads, measure, predict
from tahanuji.errors import InputError, unknown
from tahanuji.perturb.formality import tokenise

__all__ = ["WORDINGS", "flip_ratio", "load", "neighbours", "rates", "rows"]

WORDINGS = ["formal", "informal"]


def load(name: str) -> pd.DataFrame:
    """Pairs of wordings by name.

    Columns id, item, formal, informal. Sentences of one `item` belong together. All are
    lower-cased, with spaces round punctuation (Viannisa, 2025, section 3.2.2).

    Source: Wibowo et al. (2020), *Semi-supervised low-resource style transfer of Indonesian
    informal to formal language with iterative forward-translation*; Wibowo et al. (2024),
    *COPAL-ID: Indonesian language reasoning with local culture and nuances*.

    >>> list(load("embedded").columns)
    ['id', 'item', 'formal', 'informal']
    """
    entry = downloads.registered("registers", name)
    if entry is None:
        raise unknown("set of registers", name, downloads.registry()["registers"])
    files = entry.get("lines") or entry.get("items") or {"triplets": entry.get("triplets")}
    paths = {wording: data.locate(file) for wording, file in files.items()}
    if "lines" in entry:
        frame = _lines(paths)
    elif "items" in entry:
        frame = _items(paths, entry["sentences"])
    else:
        table = data.read_table(paths["triplets"])
        frame = table[["id", *WORDINGS]].assign(item=table["id"])
    frame[WORDINGS] = frame[WORDINGS].map(tokenise)
    return data.describe(
        frame[["id", "item", *WORDINGS]],
        name=name,
        split="registers",
        sha256="+".join(data.sha256(path)[:16] for path in paths.values()),
        publish_texts=entry["publish_texts"],
    )


def _lines(paths: dict) -> pd.DataFrame:
    """Pairs of two files of lines."""
    parts = {name: path.read_text(encoding="utf-8").splitlines() for name, path in paths.items()}
    if len({len(part) for part in parts.values()}) > 1:
        raise InputError(f"{' and '.join(map(str, paths.values()))} have different lengths.")
    frame = pd.DataFrame(parts)
    frame["item"] = [f"r{number:04d}" for number in range(1, len(frame) + 1)]
    return frame.assign(id=frame["item"])


def _items(paths: dict, sentences: list[str]) -> pd.DataFrame:
    """Pairs of two tables with several sentences an item."""
    tables = {name: data.read_table(path) for name, path in paths.items()}
    first, second = tables.values()
    if list(first["idx"]) != list(second["idx"]):
        raise InputError(f"{' and '.join(map(str, paths.values()))} hold different items.")
    parts = []
    for column in sentences:
        part = pd.DataFrame({name: list(table[column]) for name, table in tables.items()})
        part["item"] = [f"r{int(number):04d}" for number in first["idx"]]
        parts.append(part.assign(id=part["item"] + f"-{column}"))
    return pd.concat(parts).sort_values("id", kind="stable").reset_index(drop=True)


def neighbours(texts: list[str], seed: int) -> list[str]:
    """For every text another one of like length, drawn at random: what a change of the whole text
    does to a classifier, a yardstick for the change of its wording.

    Row by row the next longer text (in words), for the longest one the next shorter; texts of one
    length stand in random order.

    >>> neighbours(["a b", "c d e", "f g h i"], seed=1)
    ['c d e', 'f g h i', 'c d e']
    """
    if len(texts) < 2:
        raise InputError(f"{len(texts)} text has no neighbour; two are needed.")
    lengths = np.array([len(text.split()) for text in texts])
    order = np.lexsort((np.random.default_rng(seed).permutation(len(texts)), lengths))
    beside = np.empty(len(texts), dtype=int)
    beside[order] = np.append(order[1:], order[-2])
    return [texts[number] for number in beside]


def rows(classifier, pairs: pd.DataFrame, seed: int, precision: str = "fp32") -> pd.DataFrame:
    """Labels of the formal wording, of the informal one, and of a neighbour.

    There is no gold label: the classifier's own label of the formal wording stands for it, so that
    `failure`, `flip` and `induced` are one.

    The rows of `behaviour.rows` for the tests `informal` and `neighbour`; items are clusters.

    >>> class Short:
    ...     labels = ["positive", "negative"]
    ...     def predict_proba(self, texts, precision):
    ...         return np.array([[len(text) > 7, len(text) <= 7] for text in texts], np.float32)
    >>> pairs = pd.DataFrame({"id": ["a", "b"], "item": ["a", "b"]})
    >>> pairs = pairs.assign(formal=["tidak suka", "bagus"], informal=["ga suka", "bagus"])
    >>> rows(Short(), data.describe(pairs, name="own"), 1)[["test", "flip"]].values.tolist()
    [['informal', True], ['informal', False], ['neighbour', True], ['neighbour', True]]
    """
    formal = list(pairs["formal"])
    own = predict.named(classifier.predict_proba(formal, precision), classifier.labels)
    frame = pd.DataFrame({"id": pairs["id"], "text": formal, "label": own})
    frame.attrs = pairs.attrs
    tests = {"informal": list(pairs["informal"]), "neighbour": neighbours(formal, seed)}
    table = behaviour.rows(classifier, frame, tests, precision=precision)
    table["by_answer"] = table["clean_label"]
    table["cluster"] = table["id"].map(dict(zip(pairs["id"], pairs["item"], strict=True)))
    return table


def rates(table: pd.DataFrame) -> pd.DataFrame:
    """What pairs without gold labels can say: how often the label changes.

    The rows `flip_rate` and `changed_share` of `measure.behaviour`, over all pairs and by the label
    of the formal wording.

    >>> verdicts = dict.fromkeys(["failure", "flip", "induced", "repaired", "changed"], True)
    >>> row = {"test": "informal", "gold": "a", "clean_label": "a", "by_answer": "a"}
    >>> list(rates(pd.DataFrame([row | verdicts]))["metric"])
    ['flip_rate', 'changed_share', 'flip_rate', 'changed_share']
    """
    measured = measure.behaviour(table)
    kept = measured["metric"].isin(["flip_rate", "changed_share"])
    return measured[kept].reset_index(drop=True)


def flip_ratio(table: pd.DataFrame, seed: int) -> measure.Estimate:
    """How many times as many labels rewording flips as choosing another text.

    The ratio of the two flip rates with its 95% interval; none where too few labels flip with the
    text.

    >>> rows = pd.DataFrame({"test": ["informal", "neighbour"], "cluster": "a", "flip": True})
    >>> f"{flip_ratio(rows, 1):ratio}"
    '1.00 (1.00 to 1.00)'
    """
    counts = table.pivot_table(
        index="cluster", columns="test", values="flip", aggfunc=["sum", "size"]
    )
    own, other = (
        counts[[("sum", test), ("size", test)]].fillna(0).to_numpy(float)
        for test in ("informal", "neighbour")
    )

    def ratio(drawn: np.ndarray) -> np.ndarray:
        one, two = (np.divide(*(drawn @ part).T) for part in (own, other))
        return np.divide(one, two, out=np.full_like(one, np.nan), where=two > 0)

    drawn = measure.replicate(ratio, np.ones(len(counts)), seed)
    if np.isnan(drawn).any():
        return measure.Estimate.none()
    value = float(ratio(np.ones((1, len(counts))))[0])
    return measure.Estimate(value, *map(float, measure.interval(drawn)), len(counts))
