"""Whether probabilities mean what they say: confidence against accuracy."""

import numpy as np
import pandas as pd

from tahanuji.measure.checks import check_chances, check_length, coded


def reliability(chances: np.ndarray, gold, labels: list[str], bins: int = 10) -> pd.DataFrame:
    """Mean confidence and accuracy per equal-width bin of confidence, empty bins left out: `bin,
    confidence, accuracy, n`.

    `chances` has shape (n, labels); a border belongs to the bin that ends there. InputError for
    probabilities that are none (see `check_chances`), for a gold label that is not among `labels`
    and for different numbers of rows.

    >>> table = reliability(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "a"], ["a", "b"])
    >>> table["accuracy"].to_list()
    [0.0, 1.0]
    """
    check_length(probabilities=chances, gold=gold)
    check_chances(chances, labels)
    coded(labels, gold=gold)
    confidence, right = chances.max(1), np.array(labels)[chances.argmax(1)] == np.asarray(gold)
    number = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    table = pd.DataFrame({"bin": number, "confidence": confidence, "accuracy": right.astype(float)})
    grouped = table.groupby("bin")
    return grouped.mean().assign(n=grouped.size()).reset_index()


def ece(chances: np.ndarray, gold, labels: list[str], bins: int = 10) -> float:
    """Expected calibration error: mean gap of confidence and accuracy over equal-width bins,
    weighted by rows (Guo et al., 2017).

    From 0 (calibrated) to 1; NaN without rows. InputError as in `reliability`.

    >>> round(ece(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "b"], ["a", "b"]), 3)
    0.2
    """
    table = reliability(chances, gold, labels, bins)
    if table.empty:
        return float("nan")
    return float(
        (table["n"] * (table["confidence"] - table["accuracy"]).abs()).sum() / table["n"].sum()
    )
