"""What a classifier says of several lists of texts, and what a faster precision costs."""

import numpy as np
import pandas as pd

from tahanuji import data
from tahanuji.errors import InputError

__all__ = ["UNPARSABLE", "changed_labels", "classified", "named", "say_cost", "together"]

UNPARSABLE = "unparsable"  # stands for a label where an answer names none; it is always an error


class Classifier:
    """What every classifier has beside `predict_proba`: `labels`, the names of the columns of its
    probabilities, and `card`, the facts that identify it.
    """

    def __init__(self, labels: list[str], card: dict | None = None):
        self.labels, self.card = list(labels), card or {}

    def about(self) -> dict:
        """The card, for provenance.json."""
        return self.card


class Around:
    """What stands before a classifier; whatever it does not do itself is the classifier's."""

    def __init__(self, classifier):
        self.classifier = classifier

    def __getattr__(self, name: str) -> object:
        # object's own search fails, and does not begin anew, where a copy has no classifier yet.
        return getattr(object.__getattribute__(self, "classifier"), name)


def distinct(examples: list) -> tuple[list, list[int]]:
    """The distinct texts or pairs, and for every given one its number among them; InputError for
    one text that is not in a list.

    >>> distinct(["enak", "mahal", "enak"])
    (['enak', 'mahal'], [0, 1, 0])
    """
    if isinstance(examples, str):
        raise InputError(f"a classifier takes a list of texts: [{examples[:40]!r}].")
    row_of = {example: number for number, example in enumerate(dict.fromkeys(examples))}
    return list(row_of), [row_of[example] for example in examples]


def named(probabilities: np.ndarray, labels: list[str], least: float = 0.0) -> np.ndarray:
    """The label of every row of probabilities, or None where it is too uncertain.

    Parameters
    ----------
    probabilities : array of float, shape (n, k)
        A row of zeros is an answer that names no label.
    labels : list of str, length k
        The names of the columns.
    least : float
        The probability below which a row has no label.

    Returns
    -------
    array of str, shape (n,)
        The label of the largest probability, of equal ones the first, and None where that is below
        `least`; `UNPARSABLE`, which is wrong whatever is right, for a row of zeros.

    Raises
    ------
    InputError
        For a row with a number that is not finite.

    Examples
    --------
    >>> named(np.array([[0.2, 0.8], [0.0, 0.0]]), ["positive", "negative"]).tolist()
    ['negative', 'unparsable']
    >>> named(np.array([[0.2, 0.8], [0.6, 0.4]]), ["positive", "negative"], least=0.7).tolist()
    ['negative', None]
    """
    if broken := int((~np.isfinite(probabilities)).any(1).sum()):
        raise InputError(
            f"{broken} of {len(probabilities)} rows of probabilities hold numbers that are not "
            f"finite; the classifier's weights are broken, or its precision too low: try fp32."
        )
    best = np.asarray(labels, dtype=object)[probabilities.argmax(1)]
    best[probabilities.max(1) < least] = None
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
    """The share of texts, 0 to 1, whose predicted label in a precision differs from that in fp32.

    >>> class Rounded:
    ...     def predict_proba(self, texts, precision):
    ...         return np.array([[0.5, 0.5 + 1e-4 * (precision == "fp32")]] * len(texts))
    >>> changed_labels(Rounded(), ["enak"], "bf16")
    1.0
    """
    fast, full = (classifier.predict_proba(texts, one).argmax(1) for one in (precision, "fp32"))
    return float((fast != full).mean())


def say_cost(classifier, texts: list, precision: str) -> None:
    """Print the share of labels that a precision other than fp32 changes on these texts."""
    if precision != "fp32":
        share = changed_labels(classifier, texts, precision)
        print(f"{precision} changes {share:.1%} of {len(texts)} labels against fp32.")


def classified(frame: pd.DataFrame, probabilities, labels: list[str]) -> pd.DataFrame:
    """Predictions of a plain evaluation, a row per example.

    Columns `id, gold, label, p_<label>..., text_sha256, text`, of pairs also `text_pair` and
    `cluster`.
    """
    table = pd.DataFrame(
        {
            "id": list(frame["id"]),
            "gold": list(frame["label"]),
            "label": named(probabilities, labels),
        }
    )
    for number, label in enumerate(labels):
        table[f"p_{label}"] = probabilities[:, number].round(6)
    table["text_sha256"] = [data.text_hash(example) for example in data.inputs(frame)]
    table = table.assign(**data.as_columns(data.inputs(frame), "text", "text_pair"))
    table = with_clusters(table)
    table.attrs["source"] = frame.attrs["source"]
    return table


def with_clusters(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of pairs with `cluster`, the number of their first sentence in order of appearance;
    other rows as they are.
    """
    if "text_pair" not in rows:
        return rows
    return rows.assign(cluster=pd.factorize(rows["text"])[0])
