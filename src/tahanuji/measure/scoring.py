"""Accuracy, precision, recall and F1 of predictions, alone and with bootstrap intervals."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.metrics import confusion_matrix

from tahanuji.errors import unknown
from tahanuji.measure.bootstrap import RESAMPLES, interval, kinds, replicate
from tahanuji.measure.calibration import ece
from tahanuji.measure.checks import answered, checked, coded
from tahanuji.measure.shares import COLUMNS, at_chance, by_test, share_of
from tahanuji.predict import UNPARSABLE

METRICS = (
    "accuracy",
    *(
        f"{average}_{part}"
        for average in ("macro", "weighted")
        for part in ("precision", "recall", "f1")
    ),
)


def from_margins(hits: np.ndarray, gold: np.ndarray, said: np.ndarray) -> dict[str, np.ndarray]:
    """Accuracy and weighted, macro and per-class precision, recall and F1 of counts per class.

    Parameters
    ----------
    hits : array (..., k)
        Rows of each class that are predicted rightly.
    gold : array (..., k)
        Rows of each class.
    said : array (..., k)
        Rows predicted as each class.

    Returns
    -------
    dict of array
        As `from_confusion`.

    Examples
    --------
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
    """Accuracy and weighted, macro and per-class precision, recall and F1 of confusion matrices.

    0/0 counts as 0, as in scikit-learn; a class without gold or predicted rows takes no part in the
    macro averages.

    Parameters
    ----------
    counts : array (..., k, k)
        Rows by gold and predicted class.
    classes : int, optional
        How many of the k are classes, the first ones; what is predicted as another is wrong, and
        no more. All of them where it is not given.

    Returns
    -------
    dict of array
        Shares from 0 to 1: `accuracy`, `macro_f1`, `weighted_f1` and so on have shape (...),
        `class_f1` and so on (..., k). Without any row, accuracy and averages are NaN.

    Examples
    --------
    >>> round(float(from_confusion([[2, 1], [1, 1]])["macro_f1"]), 3)
    0.583
    """
    counts = np.asarray(counts)[..., :classes, :]
    hits, said = np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-2)[..., :classes]
    return from_margins(hits, counts.sum(-1), said)


def confusion(gold, predicted, labels: list[str]) -> np.ndarray:
    """Counts of rows by gold and predicted label.

    Parameters
    ----------
    gold, predicted : sequence of str, length n
        The right labels, and those given.
    labels : list of str, length k
        The labels in their order.

    Returns
    -------
    array of int (k, k)
        Gold labels by predicted ones.

    Raises
    ------
    InputError
        For a label that is not among `labels` and for lists of different lengths.

    Examples
    --------
    >>> confusion(["a", "a", "b"], ["a", "b", "b"], ["a", "b"]).tolist()
    [[1, 1], [0, 1]]
    """
    codes = coded(labels, gold=gold, predicted=predicted)
    if not len(codes):
        return np.zeros((len(labels), len(labels)), dtype=int)
    return confusion_matrix(*codes.T, labels=range(len(labels)))


def drawn_tables(
    statistic: Callable[[np.ndarray], np.ndarray],
    tables: tuple,
    labels: list[str],
    seed: int,
    resamples: int = RESAMPLES,
    clusters=None,
) -> np.ndarray:
    """A statistic of bootstrap confusion tables: of rows, or of whole clusters of rows.

    Parameters
    ----------
    statistic : callable
        Gets tables (draws, k, k) and gives back (draws, ...).
    tables : tuple of two sequences of str, length n
        Gold and predicted labels, or two raters' ones.
    labels : list of str, length k
        The labels in their order.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.
    clusters : sequence, length n, optional
        The cluster of each row; its rows are drawn together.

    Returns
    -------
    array (resamples, ...)

    Examples
    --------
    >>> same = ["a", "b"] * 9, ["a", "b"] * 9
    >>> right = drawn_tables(lambda drawn: np.trace(drawn.T), same, ["a", "b"], 1, 3)
    >>> right.tolist()
    [18, 18, 18]
    """
    if clusters is None:
        return replicate(statistic, confusion(*tables, labels), seed, resamples)
    k, codes = len(labels), coded(labels, gold=tables[0], predicted=tables[1])
    sums, counts = kinds(np.eye(k * k, dtype=int)[codes[:, 0] * k + codes[:, 1]], clusters)
    return replicate(
        lambda drawn: statistic((drawn @ sums).reshape(-1, k, k)), counts, seed, resamples
    )


def scores(gold, predicted, labels: list[str]) -> dict[str, float]:
    """Accuracy and weighted and macro precision, recall and F1 as plain numbers.

    Parameters
    ----------
    gold, predicted : sequence of str, length n
        The right labels, and those given.
    labels : list of str, length k
        The labels in their order.

    Returns
    -------
    dict of float
        The `METRICS`, 0 to 1; NaN without rows.

    Raises
    ------
    InputError
        For a label that is not among `labels` and for lists of different lengths.

    Examples
    --------
    >>> scores(["a", "a", "b"], ["a", "b", "b"], ["a", "b"])["weighted_recall"]
    0.6666666666666666
    """
    counts = confusion(gold, predicted, answered(labels, predicted))
    point = from_confusion(counts, len(labels))
    return {name: float(point[name]) for name in METRICS}


def bootstrapped(
    gold, predicted, labels: list[str], metric: str, seed: int, resamples: int = RESAMPLES
) -> tuple[float, float, float]:
    """One of the `METRICS` with an interval over rows, the one that `classification` reports for
    the same seed.

    Parameters
    ----------
    gold, predicted : sequence of str, length n
        The right labels, and those given.
    labels : list of str, length k
        The labels in their order.
    metric : str
        One of `METRICS`.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.

    Returns
    -------
    tuple of float
        `(value, low, high)`: the metric, 0 to 1, and its 95% percentile bootstrap interval; NaN
        without rows.

    Raises
    ------
    InputError
        For an unknown metric or label and for lists of different lengths.

    References
    ----------
    Efron and Tibshirani (1993), *An introduction to the bootstrap*, chapter 13.

    Examples
    --------
    >>> bootstrapped(["a", "b"] * 9, ["a", "b"] * 9, ["a", "b"], "macro_f1", seed=1)
    (1.0, 1.0, 1.0)
    """
    check_metric(metric)
    counts, k = confusion(gold, predicted, answered(labels, predicted)), len(labels)
    return float(from_confusion(counts, k)[metric]), *interval(
        replicate(lambda drawn: from_confusion(drawn, k)[metric], counts, seed, resamples)
    )


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
        The labels in their order.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `shares.COLUMNS`: group "all", and per label (`group`) precision, recall and F1. Accuracy
        has a Wilson interval, the calibration error and `at_chance` none, the others a percentile
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
    """The metrics of one evaluation; `classification` gives those of all that a frame holds.

    Parameters
    ----------
    frame : DataFrame
        `gold, label` and probabilities `p_<label>`, a row per text.
    labels : list of str
        The labels in their order.
    seed : int
        Of the bootstrap.
    test : tuple of str and float
        The test's name and rate.

    Returns
    -------
    DataFrame
        As `classification`.

    Raises
    ------
    InputError
        For a label that is not among `labels`, and as `check_probabilities`.

    Examples
    --------
    >>> frame = pd.DataFrame({"gold": ["a"], "label": ["a"], "p_a": [0.9], "p_b": [0.1]})
    >>> table = evaluation(frame, ["a", "b"], 1, ("typos", 0.3))
    >>> table.head(1)[["test", "rate", "metric", "value"]].to_dict("records")
    [{'test': 'typos', 'rate': 0.3, 'metric': 'accuracy', 'value': 1.0}]
    """
    said, every = (frame["gold"], frame["label"]), answered(labels, frame["label"])
    counts, k, clusters = confusion(*said, every), len(labels), frame.get("cluster")
    point = from_confusion(counts, k)
    drawn = from_confusion(drawn_tables(np.copy, said, every, seed, clusters=clusters), k)
    n, rows = len(frame), []
    for name in [name for name in point if name in METRICS and name != "accuracy"]:
        rows.append(("all", name, float(point[name]), *interval(drawn[name]), n))
    for name in ("precision", "recall", "f1"):
        for number, label in enumerate(labels):
            values = drawn[f"class_{name}"][:, number]
            rows.append(
                (
                    label,
                    name,
                    float(point[f"class_{name}"][number]),
                    *interval(values),
                    int(counts[number].sum()),
                )
            )
    right = (frame["gold"] == frame["label"]).to_numpy()
    rows.insert(0, ("all", "accuracy", *share_of(right, clusters), n))
    probabilities = frame[[f"p_{label}" for label in labels]].to_numpy()
    none = (float("nan"),) * 2
    silent = (frame["label"] == UNPARSABLE).to_numpy()
    error = ece(probabilities[~silent], frame["gold"][~silent], labels)
    rows.append(("all", "ece", error, *none, n - int(silent.sum())))
    if silent.any():
        rows.append(("all", "unparsable_share", *share_of(silent, clusters), n))
    rows.append(("all", "at_chance", at_chance(*said), *none, n))
    return pd.DataFrame([(*test, *row) for row in rows], columns=COLUMNS)
