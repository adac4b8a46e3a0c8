"""What the measures refuse, as an InputError that says what was given and what to do next."""

import numpy as np
import pandas as pd

from tahanuji.errors import InputError
from tahanuji.predict import UNPARSABLE

SUM_TOLERANCE = 1e-3  # probabilities are kept with six digits
ROUNDING = 1e-6
LABEL = {"p": "label", "clean": "clean_label", "perturbed": "perturbed_label"}
KINDS = tuple(LABEL)  # prefixes of probability columns, with the column of the label they name
KEY = ["test", "rate", "group"]  # what tells the tests of a table apart
SAME = ("gold", "text_sha256", "clean_sha256")  # what two predictions of one example share


def checked(
    predictions: pd.DataFrame, labels: list[str], name: str = "predictions"
) -> pd.DataFrame:
    """The predictions as given, when every id stands once in its test and probabilities, columns
    `p_<label>` or `clean_<label>` and `perturbed_<label>`, are probabilities.

    A kind is there for all labels or for none; rows whose label is `UNPARSABLE` have none.

    >>> len(checked(pd.DataFrame({"id": ["u1"], "p_a": [0.25], "p_b": [0.75]}), ["a", "b"]))
    1
    """
    check_ids(predictions, name)
    for kind in KINDS:
        columns = [f"{kind}_{label}" for label in labels]
        missing = [column for column in columns if column not in predictions]
        if missing and len(missing) < len(columns):
            raise InputError(
                f"{name}: no column {', '.join(missing)}, and probabilities are needed for every "
                f"label; run the notebook again."
            )
        if not missing:
            told = predictions
            if LABEL[kind] in predictions:
                told = predictions[predictions[LABEL[kind]] != UNPARSABLE]
            numbers = told[columns].apply(pd.to_numeric, errors="coerce")
            check_probabilities(
                numbers.to_numpy(), labels, told.get("id"), f"{name}, columns {kind}_..."
            )
    return predictions


def check_ids(rows: pd.DataFrame, name: str = "rows") -> None:
    """InputError for a table in which an id stands more than once in one test (test, rate, group).

    >>> check_ids(pd.DataFrame({"id": ["u1", "u1"], "test": ["typos", "slang"]}))
    """
    if "id" not in rows:
        return
    key = [column for column in (*KEY, "id") if column in rows]
    twice = rows["id"][rows.duplicated(key)].drop_duplicates()
    if len(twice):
        raise InputError(
            f"{name}: {len(twice)} of the ids stand more than once in one test "
            f"({first_of(twice)}) and would count again; run the notebook again."
        )


def check_probabilities(
    probabilities: np.ndarray, labels: list[str], ids=None, name: str = "probabilities"
) -> None:
    """InputError for probabilities that are NaN, outside 0 to 1 or do not sum to 1 (three digits),
    with the ids of their rows, or their numbers from 0.

    >>> check_probabilities(np.array([[0.9, 0.1], [0.3, 0.7]]), ["a", "b"])
    """
    if np.ndim(probabilities) != 2 or np.shape(probabilities)[1] != len(labels):
        raise InputError(
            f"{name}: shape {np.shape(probabilities)} with {len(labels)} labels; give one row per "
            f"example and one column per label."
        )
    probabilities = np.asarray(probabilities, dtype=float)
    reasons = {
        "NaN": np.isnan(probabilities).any(1),
        "outside 0 to 1": ((probabilities < -ROUNDING) | (probabilities > 1 + ROUNDING)).any(1),
        "not summing to 1": abs(np.nan_to_num(probabilities).sum(1) - 1) > SUM_TOLERANCE,
    }
    for reason, wrong in reasons.items():
        if wrong.any():
            rows = (
                f"row {first_of(np.flatnonzero(wrong))}"
                if ids is None
                else f"id {first_of(np.asarray(ids)[wrong])}"
            )
            raise InputError(
                f"{name}: {reason} in {wrong.sum()} of {len(wrong)} rows ({rows}); predict again, "
                f"with a softmax over the labels."
            )


def check_rows(
    first: pd.DataFrame, second: pd.DataFrame, names: tuple[str, str] = ("first", "second")
) -> None:
    """InputError unless two frames of predictions hold the same examples, in the same order, with
    the same gold labels and clean texts (`SAME`, where both have them).

    Rows are told apart by `id`, and by `test`, `rate` and `group` where a frame holds several; one
    test may be compared with another.

    >>> check_rows(pd.DataFrame({"id": ["u1", "u2"]}), pd.DataFrame({"id": ["u1", "u2"]}))
    """
    both, key = " and ".join(names), _paired_key((first, second), names)
    rows = [pd.MultiIndex.from_frame(frame[key]) for frame in (first, second)]
    if apart := [
        f"ids in {name} only: {len(more)} ({first_of(more)})"
        for name, more in zip(names, only(*rows), strict=True)
        if len(more)
    ]:
        raise InputError(
            f"{both} are predictions of different rows, {', '.join(apart)}; predict both on the "
            f"same split."
        )
    if not rows[0].equals(rows[1]):
        raise InputError(
            f"{both} hold the same rows in another order; sort both by {', '.join(key)}."
        )
    for column in [column for column in SAME if column in first and column in second]:
        if len(unlike := rows[0][first[column].to_numpy() != second[column].to_numpy()]):
            raise InputError(
                f"{both} differ in {column} of {len(unlike)} of {len(first)} ids "
                f"({first_of(unlike)}); predict both on the same version of the data."
            )


def _paired_key(frames: tuple[pd.DataFrame, ...], names: tuple[str, str]) -> list[str]:
    """The columns that tell the rows of two frames apart, ids last; InputError where one lacks
    them, or has a row twice.
    """
    several = [
        column
        for column in KEY
        if any(column in frame and frame[column].nunique() > 1 for frame in frames)
    ]
    key = [*several, "id"]
    for name, frame in zip(names, frames, strict=True):
        if missing := [column for column in key if column not in frame]:
            raise InputError(
                f"{' and '.join(names)} cannot be paired: {name} has no column "
                f"{', '.join(missing)}; give one test of each, with its ids."
            )
        check_ids(frame, name)
    return key


def only(first: pd.MultiIndex, second: pd.MultiIndex) -> tuple[pd.MultiIndex, pd.MultiIndex]:
    """What stands in the first only, and in the second only, in their order."""
    return first[~first.isin(second)], second[~second.isin(first)]


def check_length(**columns) -> None:
    """InputError unless all columns have the same number of rows."""
    if len({len(column) for column in columns.values()}) > 1:
        given = ", ".join(f"{name} has {len(column)}" for name, column in columns.items())
        raise InputError(
            f"one value per row is needed in each, and {given}; give predictions of the same rows "
            f"(check_rows says which are not)."
        )


def check_count(count: int, n: int) -> None:
    """InputError unless a count lies between 0 and n."""
    if not 0 <= count <= n:
        raise InputError(
            f"a share is a count between 0 and n, and {count} of {n} is not; count rows of the "
            f"same table."
        )


def answered(labels: list[str], *columns) -> list[str]:
    """The labels, and `UNPARSABLE` after them where one of the columns holds it.

    >>> answered(["a", "b"], ["a", "unparsable"]), answered(["a", "b"], ["a"])
    (['a', 'b', 'unparsable'], ['a', 'b'])
    """
    there = any(UNPARSABLE in set(column) for column in columns)
    return [*labels, UNPARSABLE] if there else list(labels)


def coded(labels: list[str], **columns) -> np.ndarray:
    """Numbers of labels, shape (n, columns); InputError for a label that is not among `labels` and
    for columns of different lengths.

    >>> coded(["a", "b"], gold=["a", "b"], predicted=["b", "b"]).tolist()
    [[0, 1], [1, 1]]
    """
    check_length(**columns)
    code = {label: number for number, label in enumerate(labels)}
    if stray := {label for column in columns.values() for label in column} - {*labels}:
        raise InputError(
            f"labels {sorted(map(str, stray))} are not among {labels}; name the labels of this "
            f"data set."
        )
    return np.array([[code[label] for label in column] for column in columns.values()], dtype=int).T


def yes_no(values, name: str = "outcomes") -> np.ndarray:
    """Outcomes as true and false; InputError for one that is missing or neither yes (True, 1) nor
    no (False, 0).

    >>> yes_no([1, 0, True])
    array([ True, False,  True])
    """
    values = np.asarray(values)
    valid = ~pd.isna(values)
    valid[valid] = np.isin(values[valid], [0, 1])
    if not valid.all():
        raise InputError(
            f"{name} are true or false, and {values[~valid].tolist()[0]!r} is not; give one of the "
            f"two for every row."
        )
    return values.astype(bool)


def first_of(values) -> str:
    """The first three values, and dots for more."""
    shown = [
        "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
        for value in list(values)[:3]
    ]
    return ", ".join(shown) + (", ..." if len(values) > 3 else "")
