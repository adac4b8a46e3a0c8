"""What a classifier says of several lists of texts, and what a faster precision costs."""

import numpy as np

from tahanuji.errors import InputError

__all__ = ["UNPARSABLE", "changed_labels", "named", "say_cost", "together"]

UNPARSABLE = "unparsable"  # stands for a label where an answer names none; it is always an error


def named(probabilities: np.ndarray, labels: list[str]) -> np.ndarray:
    """The label of every row of probabilities.

    Parameters
    ----------
    probabilities : array of float, shape (n, k)
        A row of zeros is an answer that names no label.
    labels : list of str, length k
        The names of the columns.

    Returns
    -------
    array of str, shape (n,)
        The label of the largest probability, of equal ones the first; `UNPARSABLE`, which is wrong
        whatever is right, for a row of zeros.

    Raises
    ------
    InputError
        For a row with a number that is not finite.

    Examples
    --------
    >>> named(np.array([[0.2, 0.8], [0.0, 0.0]]), ["positive", "negative"]).tolist()
    ['negative', 'unparsable']
    """
    if broken := int((~np.isfinite(probabilities)).any(1).sum()):
        raise InputError(
            f"{broken} of {len(probabilities)} rows of probabilities hold numbers that are not "
            f"finite; the classifier's weights are broken, or its precision too low: try fp32."
        )
    best = np.asarray(labels, dtype=object)[probabilities.argmax(1)]
    return np.where(probabilities.any(1), best, UNPARSABLE)


def together(
    classifier, columns: dict[str, list], precision: str = "fp32"
) -> dict[str, np.ndarray]:
    """Probabilities for several lists of texts or pairs in one stream.

    Parameters
    ----------
    classifier
        Anything with `predict_proba(texts, precision) -> float32 array (n, labels)`.
    columns : dict of str to list
        Texts or pairs by name.
    precision : str
        `fp32`, `bf16`, `fp16` or `int8`.

    Returns
    -------
    dict of str to array (n, labels)
        Float32, by the same names; row i is of text i of that list.

    Examples
    --------
    >>> class Even:
    ...     def predict_proba(self, texts, precision):
    ...         return np.full((len(texts), 2), 0.5, np.float32)
    >>> together(Even(), {"clean": ["enak"], "perturbed": ["enk"]})["perturbed"].tolist()
    [[0.5, 0.5]]
    """
    if not columns:
        return {}
    stream = [text for texts in columns.values() for text in texts]
    everything = classifier.predict_proba(stream, precision)
    ends = np.cumsum([len(texts) for texts in columns.values()])
    return dict(zip(columns, np.split(everything, ends[:-1]), strict=True))


def changed_labels(classifier, texts: list, precision: str) -> float:
    """What a faster precision costs.

    Parameters
    ----------
    classifier
        As `together` takes it.
    texts : list
        n texts or pairs, at least one.
    precision : str
        `bf16`, `fp16` or `int8`.

    Returns
    -------
    float
        The share of texts, 0 to 1, whose predicted label differs from that of fp32.

    Examples
    --------
    >>> class Rounded:
    ...     def predict_proba(self, texts, precision):
    ...         return np.array([[0.5, 0.5 + 1e-4 * (precision == "fp32")]] * len(texts))
    >>> changed_labels(Rounded(), ["enak"], "bf16")
    1.0
    """
    fast = classifier.predict_proba(texts, precision).argmax(1)
    return float((fast != classifier.predict_proba(texts, "fp32").argmax(1)).mean())


def say_cost(classifier, texts: list, precision: str) -> None:
    """Print the share of labels that a precision other than fp32 changes on these texts.

    Parameters
    ----------
    classifier
        As `together` takes it.
    texts : list
        Texts or pairs.
    precision : str
        `fp32`, for which nothing is printed, `bf16`, `fp16` or `int8`.

    Examples
    --------
    >>> say_cost(None, ["enak"], "fp32")
    """
    if precision != "fp32":
        print(
            f"{precision} changes {changed_labels(classifier, texts, precision):.1%} of "
            f"{len(texts)} labels against fp32."
        )
