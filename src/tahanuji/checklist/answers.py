"""What any system is asked and what it answers: a text per row, a label per id."""

import pandas as pd

from tahanuji import data, paths, predict
from tahanuji.errors import InputError

ABOUT = [
    *("case", "capability", "family", "test_type", "source", "template"),
    *("register", "domain", "expected"),
]


def texts(cases: pd.DataFrame) -> pd.DataFrame:
    """The texts of cases to predict, a row each.

    Parameters
    ----------
    cases : DataFrame
        What `expand` gives.

    Returns
    -------
    DataFrame
        `id, text, version, case, capability, family, test_type, source, template, register, domain,
        expected`. An MFT case is one row; an INV or DIR case is two: `original`, with the case's
        id, and `changed`, whose id ends in `/changed`.

    Examples
    --------
    >>> row = dict.fromkeys(ABOUT, "") | {"id": "a/t1/1", "text": "Enak.", "changed": "Enak sih."}
    >>> texts(pd.DataFrame([row]))[["id", "text"]].values.tolist()
    [['a/t1/1', 'Enak.'], ['a/t1/1/changed', 'Enak sih.']]
    """
    original = cases.assign(case=cases["id"], version="original", order=range(len(cases)))
    changed = original[original["changed"] != ""].assign(version="changed")
    changed = changed.assign(id=changed["id"] + "/changed", text=changed["changed"])
    rows = pd.concat([original, changed]).sort_values("order", kind="stable")
    return rows[["id", "text", "version", *ABOUT]].reset_index(drop=True)


def predicted(classifier, cases: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """A classifier's answers to the texts of cases.

    Parameters
    ----------
    classifier : object
        Has `labels` and `predict_proba(texts, precision)`, which gives float32 (n, labels).
    cases : DataFrame
        What `expand` gives.
    precision : str
        Handed to the classifier.

    Returns
    -------
    DataFrame
        `id, label, p_<label>...`, a row per text.
    """
    rows = texts(cases)
    probabilities = classifier.predict_proba(list(rows["text"]), precision)
    said = predict.named(probabilities, classifier.labels)
    answers = pd.DataFrame({"id": rows["id"], "label": said})
    for number, label in enumerate(classifier.labels):
        answers[f"p_{label}"] = probabilities[:, number].round(6)
    return answers


def check_answers(
    answers: pd.DataFrame, cases: pd.DataFrame, labels: list[str], place: str = "predictions"
) -> pd.DataFrame:
    """The answers as given, when there is exactly one for every text of the cases: InputError for a
    missing column, an unknown or repeated id, a missing case, a label that is none of `labels`, or
    a probability that is none. The index is the row number that errors name.
    """
    check_labels(labels)
    if missing := [column for column in ("id", "label") if column not in answers]:
        raise InputError(f"{paths.shown(place)} has no column {' and '.join(missing)}.")
    wanted = texts(cases)["id"]
    data.refuse(answers, ~answers["id"].isin(wanted), place, "have an id that no case has")
    data.refuse(answers, answers["id"].duplicated(), place, "repeat the id of an earlier row")
    outside = ~answers["label"].isin([*labels, predict.UNPARSABLE])
    data.refuse(answers, outside, place, f"have a label outside {', '.join(labels)}")
    absent = wanted[~wanted.isin(answers["id"])]
    if len(absent):
        some = ", ".join(absent[:3]) + (", ..." if len(absent) > 3 else "")
        numbers = ", ".join(str(row + 2) for row in absent.index[:3])
        raise InputError(
            f"{paths.shown(place)} answers {len(answers)} of {len(wanted)} texts; missing: {some} "
            f"(from row {numbers} of the exported checklist.csv)."
        )
    _check_probabilities(answers, labels, place)
    return answers


def check_labels(labels: list[str]) -> None:
    """InputError unless labels are positive and negative, with or without neutral."""
    if not data.of_sentiment(labels) or len(set(labels)) < len(labels):
        raise InputError(
            f"a model of the labels {', '.join(labels)} cannot be scored; the checklist knows "
            f"positive, neutral, negative, or positive, negative."
        )


def _check_probabilities(answers: pd.DataFrame, labels: list[str], place: str) -> None:
    columns = [f"p_{label}" for label in labels]
    there = [column for column in columns if column in answers]
    if there and there != columns:
        raise InputError(
            f"{paths.shown(place)} has {', '.join(there)} but not {', '.join(columns)}; give a "
            f"probability for every label, or none."
        )
    for column in there:
        numbers = pd.to_numeric(answers[column], errors="coerce")
        data.refuse(answers, ~numbers.between(0, 1), place, f"have no probability in {column}")
