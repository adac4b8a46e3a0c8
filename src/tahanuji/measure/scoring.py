"""Accuracy, precision, recall and F1 of predictions, alone and with bootstrap intervals."""

from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from tahanuji.errors import unknown
from tahanuji.measure.bootstrap import RESAMPLES, estimated, interval, kinds, replicate
from tahanuji.measure.calibration import ece
from tahanuji.measure.checks import answered, checked, coded
from tahanuji.measure.estimate import Estimate
from tahanuji.measure.shares import COLUMNS, NONE, at_chance, by_test, share_of
from tahanuji.predict import UNPARSABLE

PARTS = ("precision", "recall", "f1")
METRICS = ("accuracy", *(f"{mean}_{part}" for mean in ("macro", "weighted") for part in PARTS))


def from_margins(hits: np.ndarray, gold: np.ndarray, said: np.ndarray) -> dict[str, np.ndarray]:
    """As `from_confusion`, of counts (..., k) per class: rows predicted rightly, rows of the class,
    and rows predicted as it.

    >>> from_margins(np.array([2, 1]), np.array([3, 2]), np.array([3, 2]))["accuracy"]
    np.float64(0.6)
    """
    hits, gold, said = (np.asarray(counts, dtype=float) for counts in (hits, gold, said))
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = {"precision": hits / said, "recall": hits / gold, "f1": 2 * hits / (gold + said)}
        parts = {name: np.nan_to_num(values) for name, values in parts.items()}
        present = (gold + said) > 0
        result = {"accuracy": hits.sum(-1) / gold.sum(-1)}
        for name, values in parts.items():
            result[f"macro_{name}"] = (values * present).sum(-1) / present.sum(-1)
            result[f"weighted_{name}"] = (values * gold).sum(-1) / gold.sum(-1)
    return result | {f"class_{name}": values for name, values in parts.items()}


def from_confusion(counts: np.ndarray, classes: int | None = None) -> dict[str, np.ndarray]:
    """Accuracy and weighted, macro and per-class precision, recall and F1 of confusion matrices
    (..., k, k), gold by predicted.

    0/0 counts as 0, as in scikit-learn, whose scores take one matrix at a time; a class without
    gold or predicted rows takes no part in the macro averages. Only the first `classes` of the k
    are classes: what is predicted as another is wrong, and no more.

    >>> round(float(from_confusion([[2, 1], [1, 1]])["macro_f1"]), 3)
    0.583
    """
    counts = np.asarray(counts)[..., :classes, :]
    hits, said = np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-2)[..., :classes]
    return from_margins(hits, counts.sum(-1), said)


def confusion(gold, predicted, labels: list[str]) -> np.ndarray:
    """Counts of rows by gold and predicted label; InputError for a label that is not among those
    given and for lists of different lengths.

    >>> confusion(["a", "a", "b"], ["a", "b", "b"], ["a", "b"]).tolist()
    [[1, 1], [0, 1]]
    """
    k, codes = len(labels), coded(labels, gold=gold, predicted=predicted)
    return np.bincount(codes @ [k, 1], minlength=k * k).reshape(k, k)


def drawn_tables(
    statistic: Callable[[np.ndarray], np.ndarray],
    tables: tuple,
    labels: list[str],
    seed: int,
    resamples: int = RESAMPLES,
    clusters=None,
) -> np.ndarray:
    """A statistic of bootstrap confusion tables of two lists of labels: of rows drawn, or of whole
    clusters of rows.

    >>> same = ["a", "b"] * 9, ["a", "b"] * 9
    >>> drawn_tables(lambda drawn: np.trace(drawn.T), same, ["a", "b"], 1, 3).tolist()
    [18, 18, 18]
    """
    if clusters is None:
        return replicate(statistic, confusion(*tables, labels), seed, resamples)
    k, codes = len(labels), coded(labels, gold=tables[0], predicted=tables[1])
    sums, counts = kinds(np.eye(k * k, dtype=int)[codes @ [k, 1]], clusters)
    return replicate(
        lambda drawn: statistic((drawn @ sums).reshape(-1, k, k)), counts, seed, resamples
    )


def scores(gold, predicted, labels: list[str]) -> dict[str, float]:
    """The `METRICS` of predictions as plain numbers; NaN without rows.

    >>> scores(["a", "a", "b"], ["a", "b", "b"], ["a", "b"])["weighted_recall"]
    0.6666666666666666
    """
    counts = confusion(gold, predicted, answered(labels, predicted))
    point = from_confusion(counts, len(labels))
    return {name: float(point[name]) for name in METRICS}


def bootstrapped(
    gold, predicted, labels: list[str], metric: str, seed: int, resamples: int = RESAMPLES
) -> Estimate:
    """One of the `METRICS` with the interval over rows that `classification` reports for the same
    seed.

    >>> f"{bootstrapped(['a', 'b'] * 9, ['a', 'b'] * 9, ['a', 'b'], 'macro_f1', seed=1):%}"
    '100.0% (100.0 to 100.0)'
    """
    check_metric(metric)
    counts, k = confusion(gold, predicted, answered(labels, predicted)), len(labels)
    drawn = replicate(lambda drawn: from_confusion(drawn, k)[metric], counts, seed, resamples)
    return estimated(from_confusion(counts, k)[metric], drawn, len(gold))


def check_metric(metric: str) -> None:
    """InputError for a metric that is not a single number of a confusion matrix."""
    if metric not in METRICS:
        raise unknown("metric", metric, METRICS)


def classification(frame: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """Metrics of predictions: accuracy, precision, recall and F1, expected calibration error.

    Parameters
    ----------
    frame : DataFrame
        `gold, label` and probabilities `p_<label>`, a row per text; a column `test` keeps several
        evaluations of one file apart, else their test is "clean". The label `UNPARSABLE` is an
        error.
    labels : list of str
        In their order.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `COLUMNS`: group "all", and per label (`group`) precision, recall and F1. Accuracy has a
        Wilson interval, the calibration error and `at_chance` none, the others a percentile
        bootstrap over rows; over clusters where a column `cluster` names rows that belong together.
        Where an answer names no label, `unparsable_share`, and the calibration error of the others.

    Raises
    ------
    InputError
        As `checked`.

    Examples
    --------
    >>> frame = pd.DataFrame({"gold": ["a", "b"], "label": ["a", "a"]})
    >>> frame = frame.assign(p_a=[0.9, 0.6], p_b=[0.1, 0.4])
    >>> table = classification(frame, ["a", "b"], seed=1)
    >>> table.head(1)[["metric", "value", "n"]].to_dict("records")
    [{'metric': 'accuracy', 'value': 0.5, 'n': 2}]
    """
    checked(frame, labels)
    if frame.empty:
        return evaluation(frame, labels, seed)
    parts = [evaluation(rows, labels, seed, key[:2]) for key, rows in by_test(frame)]
    return pd.concat(parts, ignore_index=True)


def evaluation(
    frame: pd.DataFrame, labels: list[str], seed: int, test: tuple = ("clean", float("nan"))
) -> pd.DataFrame:
    """The metrics of one evaluation, as `classification` gives them, under a test's name and rate.

    >>> frame = pd.DataFrame({"gold": ["a"], "label": ["a"], "p_a": [0.9], "p_b": [0.1]})
    >>> table = evaluation(frame, ["a", "b"], 1, ("typos", 0.3))
    >>> table.head(1)[["test", "rate", "metric", "value"]].to_dict("records")
    [{'test': 'typos', 'rate': 0.3, 'metric': 'accuracy', 'value': 1.0}]
    """
    n, clusters = len(frame), frame.get("cluster")
    right = (frame["gold"] == frame["label"]).to_numpy()
    silent = (frame["label"] == UNPARSABLE).to_numpy()
    probabilities = frame[[f"p_{label}" for label in labels]].to_numpy()
    error = ece(probabilities[~silent], frame["gold"][~silent], labels)
    rows = [("all", "accuracy", *share_of(right, clusters), n)]
    rows += _averages_and_classes(frame, labels, seed)
    rows.append(("all", "ece", error, *NONE, n - int(silent.sum())))
    if silent.any():
        rows.append(("all", "unparsable_share", *share_of(silent, clusters), n))
    rows.append(("all", "at_chance", at_chance(frame["gold"], frame["label"]), *NONE, n))
    return pd.DataFrame([(*test, *row) for row in rows], columns=COLUMNS)


def _averages_and_classes(frame: pd.DataFrame, labels: list[str], seed: int) -> Iterator[tuple]:
    """Precision, recall and F1 with bootstrap intervals: averages, then the values per label."""
    said, every = (frame["gold"], frame["label"]), answered(labels, frame["label"])
    counts, k = confusion(*said, every), len(labels)
    drawn = drawn_tables(np.copy, said, every, seed, clusters=frame.get("cluster"))
    point, drawn = from_confusion(counts, k), from_confusion(drawn, k)
    for name in [name for name in point if name in METRICS[1:]]:
        yield "all", name, float(point[name]), *interval(drawn[name]), len(frame)
    for name in PARTS:
        of_class, values = point[f"class_{name}"], drawn[f"class_{name}"].T
        for number, label in enumerate(labels):
            n = int(counts[number].sum())
            yield label, name, float(of_class[number]), *interval(values[number]), n
