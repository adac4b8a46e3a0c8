"""Whether probabilities mean what they say: confidence against accuracy."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

from tahanuji.measure.checks import check_length, check_probabilities, coded
from tahanuji.measure.estimate import Estimate
from tahanuji.measure.shares import share_of

LEAST = 1e-12  # probability, so that none has an infinite logarithm
TEMPERATURES = (0.05, 20.0)  # between which one is sought


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


def temperature(probabilities: np.ndarray, gold, labels: list[str]) -> float:
    """The temperature that calibrates a classifier: its logits divided by it have the least
    negative log-likelihood of the right labels, and every label stays as it is.

    Parameters
    ----------
    probabilities : array (n, k)
        Of texts that had no part in training, nor have one in the test.
    gold : sequence of str, length n
        The right labels.
    labels : list of str, length k
        In the order of the columns.

    Returns
    -------
    float
        Above 1 where the classifier is overconfident; from 0.05 to 20.

    References
    ----------
    Guo et al. (2017), *On calibration of modern neural networks*, section 4.2.

    Examples
    --------
    >>> sure = np.array([[0.99, 0.01]] * 4)
    >>> round(temperature(sure, ["a", "a", "a", "b"], ["a", "b"]), 2)
    4.18
    """
    check_length(probabilities=probabilities, gold=gold)
    check_probabilities(probabilities, labels)
    right = coded(labels, gold=gold)
    scores = np.log(np.maximum(np.asarray(probabilities, dtype=float), LEAST))

    def loss(logarithm: float) -> float:
        given = log_softmax(scores / np.exp(logarithm), axis=1)
        return -float(np.take_along_axis(given, right, 1).mean())

    found = minimize_scalar(loss, bounds=tuple(np.log(TEMPERATURES)), method="bounded")
    return float(np.exp(found.x))


def selective(
    probabilities: np.ndarray, gold, labels: list[str], least: float
) -> tuple[Estimate, Estimate]:
    """The share of texts that a classifier answers if it abstains below a probability, and the
    share of these answers that are right (coverage and accuracy of selective classification).

    >>> answered, right = selective(np.array([[0.9, 0.1], [0.6, 0.4]]), "ab", ["a", "b"], 0.8)
    >>> answered.value, right.value, right.n
    (0.5, 1.0, 1)
    """
    check_length(probabilities=probabilities, gold=gold)
    check_probabilities(probabilities, labels)
    answered = np.asarray(probabilities).max(1) >= least
    right = np.asarray(probabilities).argmax(1) == coded(labels, gold=gold)[:, 0]
    return share_of(answered), share_of(right[answered])
