"""Whether probabilities mean what they say: confidence against accuracy."""

import numpy as np
import pandas as pd

from tahanuji.measure.checks import check_length, check_probabilities, coded


def reliability(probabilities: np.ndarray, gold, labels: list[str], bins: int = 10) -> pd.DataFrame:
    """Mean confidence and accuracy per bin of confidence (bin, confidence, accuracy, n); a border
    belongs to the bin that ends there, and empty bins are left out.

    >>> table = reliability(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "a"], ["a", "b"])
    >>> table["accuracy"].to_list()
    [0.0, 1.0]
    """
    check_length(probabilities=probabilities, gold=gold)
    check_probabilities(probabilities, labels)
    coded(labels, gold=gold)
    confidence = probabilities.max(1)
    right = np.array(labels)[probabilities.argmax(1)] == np.asarray(gold)
    number = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    table = pd.DataFrame({"bin": number, "confidence": confidence, "accuracy": right.astype(float)})
    grouped = table.groupby("bin")
    return grouped.mean().assign(n=grouped.size()).reset_index()


def ece(probabilities: np.ndarray, gold, labels: list[str], bins: int = 10) -> float:
    """Expected calibration error: the mean gap between confidence and accuracy over bins, weighted
    by their rows.

    Parameters
    ----------
    probabilities : array (n, k)
        Of the k labels in every row, 0 to 1; a row sums to 1.
    gold : sequence of str, length n
        The right labels.
    labels : list of str, length k
        In the order of the columns.
    bins : int
        Bins of equal width between 0 and 1.

    Returns
    -------
    float
        From 0 (calibrated) to 1; NaN without rows.

    References
    ----------
    Guo et al. (2017), *On calibration of modern neural networks*.

    Examples
    --------
    >>> round(ece(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "b"], ["a", "b"]), 3)
    0.2
    """
    table = reliability(probabilities, gold, labels, bins)
    if table.empty:
        return float("nan")
    gaps = (table["confidence"] - table["accuracy"]).abs()
    return float((table["n"] * gaps).sum() / table["n"].sum())
