"""A classifier's robustness in one line of a test: `stands(classifier, "typing", margin=0.1)`."""

from collections.abc import Callable, Iterable
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, lexicons, perturb
from tahanuji.errors import InputError, unknown
from tahanuji.gate import Policy, judge, prepared
from tahanuji.gate.judging import FAILED, PASSED, SKIPPED, UNDECIDED, said
from tahanuji.instrument import Instrument, instrument
from tahanuji.models.outside import Function

__all__ = ["instruments", "stands"]

SEED = 26092020


def stands(
    classifier: Callable | object,
    changes: str,
    margin: float = 0.1,
    must: str = "stand",
    data_set: str | Path | pd.DataFrame = "embedded",
    seed: int = SEED,
    **rule,
) -> pd.DataFrame:
    """Assert that a classifier stands a family of changes, or one.

    Parameters
    ----------
    classifier : callable or object
        A function from a list of texts to a label or probabilities for each, or anything with
        `labels` and `predict_proba`. A label is the data set's, or another usual name of it
        (`positif`, `POS`: data/lexicons/label_names.csv).
    changes : str
        A family of changes such as `typing`, or a name of `perturb.REGISTRY`.
    margin : float
        The share of errors added that counts as nothing.
    must : str
        `stand`, or `not break`, by which what is undecided passes.
    data_set : str, Path or DataFrame
        Whose test texts are changed: a name, folder or file as `data.load` takes it, or a frame
        `text, label`, perhaps with `id`.
    seed : int
        Of the changes.
    **rule
        `confidence`, `least_texts`, `by`, and `repeats`, how often each text is asked, for models
        that draw their answers (see `gate.Rule`).

    Returns
    -------
    DataFrame
        What was decided, as `gate.judge` gives it.

    Raises
    ------
    AssertionError
        Where a change breaks it, or is undecided, or none could judge.
    InputError
        For an unknown family or change, texts without a label, and answers that are none.

    Examples
    --------
    >>> def classify(texts):
    ...     words = ("tidak", "nggak", "gak")
    ...     return ["negative" if any(w in text for w in words) else "positive" for text in texts]
    >>> stands(classify, "slang", margin=0.1)[["test", "outcome"]].values.tolist()
    [['slang', 'passed']]
    """
    policy = Policy("test", {"must": must, "margin": margin, **rule})
    frame = data_set if isinstance(data_set, pd.DataFrame) else data.load(str(data_set), "test")
    repeats = policy.of("", "").repeats
    rows = asked(classifier, instruments(changes), labelled(frame), seed, repeats)
    judged = judge(rows, policy)
    told = [f"{row.test}: {said(row)}" for row in judged.itertuples() if row.outcome != SKIPPED]
    bad = judged["outcome"].isin([FAILED, UNDECIDED]).any() or PASSED not in set(judged["outcome"])
    if bad:
        raise AssertionError(f"{changes}: " + ("; ".join(told) or "no change of it could judge"))
    return judged


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Texts with their labels as strings, numbered where they have no ids; InputError where there
    are none, or a text, label or id is missing. A label that is a whole number, or true or false,
    is written as a whole number, as the answers of functions are.

    >>> labelled(pd.DataFrame({"text": ["enak"], "label": [1.0]})).to_dict("records")
    [{'text': 'enak', 'label': '1', 'id': '1'}]
    """
    if missing := [name for name in ("text", "label") if name not in frame]:
        raise InputError(
            f"the texts have no column {' and '.join(missing)}, and are a frame text, label; their "
            f"columns are {', '.join(map(str, frame.columns))}."
        )
    if frame.empty:
        raise InputError("the texts are none; give a frame text, label with a row per text.")
    for name in ("text", "label", "id"):
        if name in frame and frame[name].isna().any():
            row = frame.index[frame[name].isna()][0]
            raise InputError(f"the texts have no {name} in row {row}; leave such rows out.")
    frame = frame.assign(label=frame["label"].map(_written))
    return frame if "id" in frame else frame.assign(id=[str(n + 1) for n in range(len(frame))])


def _written(label: object) -> str:
    """A label as a string: of any library's numbers and booleans the whole ones without a point."""
    whole = isinstance(label, Real | np.bool_) and float(label).is_integer()
    return str(int(label) if whole else label)


def instruments(changes: str, language: str = "id") -> list[Instrument]:
    """The instruments of a family of changes, or the one of a name; InputError for neither.

    >>> [one.name for one in instruments("negation")], len(instruments("typing")) > 5
    (['negation'], True)
    """
    spoken = {name: one for name, one in perturb.REGISTRY.items() if language in one.languages}
    offline = [name for name, one in spoken.items() if language not in one.needs]
    names = [name for name in offline if spoken[name].family == changes]
    names = names or [name for name in spoken if name == changes]
    if not names:
        families = {one.family for one in spoken.values() if one.family}
        raise unknown("family or change", changes, sorted(families) + list(spoken))
    return [instrument(name, language) for name in names]


def asked(
    classifier: Callable | object,
    chosen: Iterable[Instrument],
    frame: pd.DataFrame,
    seed: int = SEED,
    repeats: int = 1,
) -> pd.DataFrame:
    """The outcomes of instruments, each text asked so often, as `gate.judge` takes them.

    Parameters
    ----------
    classifier : callable or object
        As `stands` takes it.
    chosen : iterable of Instrument
        Such as `instruments` gives.
    frame : DataFrame
        Columns `id, text, label`.
    seed : int
        Of the changes.
    repeats : int
        How often every text is asked.

    Returns
    -------
    DataFrame
        With the texts.

    Examples
    --------
    >>> frame = data.load("embedded", "test").head(20)
    >>> rows = asked(lambda texts: ["positive" for text in texts], instruments("ocr"), frame)
    >>> len(rows), rows["flip"].any()
    (20, np.False_)
    """
    if not hasattr(classifier, "predict_proba"):
        labels = list(dict.fromkeys(frame["label"]))
        named = lexicons.label_names().items()
        names = {name: label for name, label in named if label in labels and name not in labels}
        classifier = Function(classifier, labels, {"labels": labels, "names": names})
    frame = frame.copy(deep=False)
    frame.attrs.setdefault("source", {})
    changed = {one: one.apply(frame, seed) for one in chosen}
    parts = [behaviour.rows(classifier, frame, changed) for _ in range(repeats)]
    return prepared(pd.concat(parts, ignore_index=True))
