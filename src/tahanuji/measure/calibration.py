"""Whether probabilities mean what they say: confidence against accuracy."""

import numpy as np
import pandas as pd

from tahanuji.measure.checks import check_length, check_probabilities, coded


def reliability(probabilities: np.ndarray, gold, labels: list[str], bins: int = 10) -> pd.DataFrame:
    """Mean confidence and accuracy per bin of confidence.

    Parameters
    ----------
    probabilities : array (n, k)
        Of the k labels in every row, 0 to 1; a row sums to 1.
    gold : sequence of str, length n
        The right labels.
    labels : list of str, length k
        The labels in the order of the columns.
    bins : int
        Bins of equal width between 0 and 1; a border belongs to the bin that ends there.

    Returns
    -------
    DataFrame
        `bin` (from 0), `confidence` and `accuracy` (0 to 1), `n` (rows); empty bins are left out.

    Raises
    ------
    InputError
        For probabilities that are none (see `check_probabilities`), for a gold label that is not
        among `labels` and for different numbers of rows.

    References
    ----------
    Guo et al. (2017), *On calibration of modern neural networks*.

    Examples
    --------
    >>> table = reliability(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "a"], ["a", "b"])
    >>> table["accuracy"].to_list()
    [0.0, 1.0]
    """
    check_length(probabilities=probabilities, gold=gold)
    check_probabilities(probabilities, labels)
    coded(labels, gold=gold)
    confidence, right = (
        probabilities.max(1),
        np.array(labels)[probabilities.argmax(1)] == np.asarray(gold),
    )
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
        The labels in the order of the columns.
    bins : int
        Bins of equal width between 0 and 1; a border belongs to the bin that ends there.

    Returns
    -------
    float
        From 0 (calibrated) to 1; NaN without rows.

    Raises
    ------
    InputError
        For probabilities that are none (see `check_probabilities`), for a gold label that is not
        among `labels` and for different numbers of rows.

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
    return float(
        (table["n"] * (table["confidence"] - table["accuracy"]).abs()).sum() / table["n"].sum()
    )
