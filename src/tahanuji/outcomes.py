"""What clean and perturbed answers amount to: one frame for every behavioural test, of texts, tags
and pairs.
"""

from collections.abc import Callable, Hashable, Sequence

import pandas as pd

__all__ = ["outcomes"]


def outcomes(
    gold: Sequence[str] | None,
    clean: Sequence[str] | None,
    perturbed: Sequence[str],
    accepts: Callable[[str], set[str]] | Sequence[set[str]] | None = None,
    cluster: Sequence[Hashable] | None = None,
) -> pd.DataFrame:
    """Failures, flips, induced and repaired errors, a row per example.

    Parameters
    ----------
    gold : sequence of str, length n, or None
        The right labels; None where none is known.
    clean : sequence of str, length n, or None
        The answers to the unchanged texts; None where there are none (MFT).
    perturbed : sequence of str, length n
        The answers to the changed texts, or to the written cases of an MFT.
    accepts : callable or sequence of set of str, optional
        From a right label to the labels that are accepted after the change, or these per row;
        without it the right label alone (INV), and without right labels the clean answer.
    cluster : sequence, optional
        Names the rows that belong together: they are no independent ones.

    Returns
    -------
    DataFrame
        Columns gold, clean_label, perturbed_label; failure (the answer is not accepted); where
        there are clean answers flip (another answer than before), and where right labels are known
        too induced (right before, and a failure) and repaired (wrong before, and no failure);
        cluster where given. Of an INV test, failures = clean errors + induced - repaired.

    References
    ----------
    Viannisa (2025), section 3.6.2 (failure rate); Ribeiro et al. (2020), *CheckList*, section 2.

    Examples
    --------
    >>> table = outcomes(["positive"] * 2, ["positive", "neutral"], ["neutral", "positive"])
    >>> table[["failure", "flip", "induced", "repaired"]].to_numpy().tolist()
    [[True, True, True, False], [False, True, False, True]]
    """
    table = pd.DataFrame({"perturbed_label": list(perturbed)})
    if clean is not None:
        table.insert(0, "clean_label", list(clean))
    if gold is not None:
        table.insert(0, "gold", list(gold))
    accepted = _accepted(table, accepts)
    answers = zip(table["perturbed_label"], accepted, strict=True)
    table["failure"] = pd.Series([label not in labels for label, labels in answers], dtype=bool)
    if clean is not None:
        table["flip"] = table["perturbed_label"] != table["clean_label"]
    if clean is not None and gold is not None:
        right = table["clean_label"] == table["gold"]
        table["induced"] = right & table["failure"]
        table["repaired"] = ~right & ~table["failure"]
    return table if cluster is None else table.assign(cluster=list(cluster))


def _accepted(table: pd.DataFrame, accepts) -> list[set[str]]:
    """The labels that are accepted after the change, row by row."""
    if accepts is not None and not callable(accepts):
        return list(accepts)
    right = table["gold"] if "gold" in table else table["clean_label"]
    return [accepts(label) if accepts else {label} for label in right]
