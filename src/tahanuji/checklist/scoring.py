"""Which cases fail, and rates by capability with intervals over templates."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from tahanuji import measure, predict
from tahanuji.checklist import fairness
from tahanuji.checklist.answers import check_answers
from tahanuji.measure import Estimate
from tahanuji.outcomes import outcomes

TOLERANCE = 0.1  # of probability: how far a DIR test may move the wrong way (Ribeiro et al., 2020)
ORDER = {"negative": -1, "neutral": 0, "positive": 1}
GROUPS = ("all", "templates", "sentences")


def judge(
    cases: pd.DataFrame, answers: pd.DataFrame, labels: list[str], place: str = "predictions"
) -> pd.DataFrame:
    """The cases with a system's answers and whether they fail.

    Parameters
    ----------
    cases : DataFrame
        What `expand` gives.
    answers : DataFrame
        `id, label` and, where known, `p_<label>`.
    labels : list of str
        The labels that the system knows.
    place : str
        What errors call the answers.

    Returns
    -------
    DataFrame
        The cases with `label, changed_label`, `p_<label>` and `changed_p_<label>` where known,
        `wrong_way` (DIR: how far the answer moved against what is expected), `counted` and
        `failure`.

    Notes
    -----
    MFT fails where the label is not among the expected ones; INV where the labels of the two
    versions differ; DIR where the answer moves the wrong way: the probability of the label that
    `expected` names by more than `TOLERANCE`, or, without probabilities, the label on the scale
    negative, neutral, positive. An answer that names no label fails. A case that accepts no label
    of the system (only neutral, which it lacks) is not `counted`.

    References
    ----------
    Ribeiro, Wu, Guestrin and Singh (2020), *Beyond accuracy: behavioral testing of NLP models with
    CheckList*.

    Examples
    --------
    >>> case = {"id": "plain/t1/1", "test_type": "MFT", "text": "Enak.", "changed": ""}
    >>> case |= dict.fromkeys(["capability", "family", "source", "template"], "plain")
    >>> case |= {"register": "neutral", "domain": "food", "expected": "positive"}
    >>> said = pd.DataFrame({"id": ["plain/t1/1"], "label": ["negative"]})
    >>> judge(pd.DataFrame([case]), said, ["positive", "negative"])["failure"].to_list()
    [True]
    """
    check_answers(answers, cases, labels, place)
    judged = _with_answers(cases, answers, labels)
    written, directed = (judged["test_type"] == kind for kind in ("MFT", "DIR"))
    moves = [wrong_way(row) for row in judged[directed].to_dict("records")]
    judged.loc[directed, "wrong_way"] = np.round(moves, 6)
    expected = [set(names.split("|")) & set(labels) for names in judged["expected"]]
    accepted = [
        names if alone else {label}
        for names, alone, label in zip(expected, written, judged["label"], strict=True)
    ]
    answer = judged["changed_label"].where(~written, judged["label"])
    fails = outcomes(None, judged["label"], answer, accepted)["failure"]
    limit = TOLERANCE if "p_positive" in judged else 0
    fails = fails.mask(directed, judged["wrong_way"] > limit)
    judged["counted"] = [bool(names) for names in accepted]
    judged["failure"] = judged["counted"] & (fails | _silent(judged))
    return judged


def _silent(judged: pd.DataFrame) -> pd.Series:
    """Whether one of a case's answers names no label."""
    return judged.filter(["label", "changed_label"]).eq(predict.UNPARSABLE).any(axis=1)


def _with_answers(cases: pd.DataFrame, answers: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """The cases with the answers to both versions."""
    probabilities = [name for name in answers if name in {f"p_{label}" for label in labels}]
    by_id = answers.set_index("id")[["label", *probabilities]]
    by_id = by_id.astype(dict.fromkeys(probabilities, float))
    original = by_id.reindex(cases["id"]).reset_index(drop=True)
    changed = by_id.reindex(cases["id"] + "/changed").add_prefix("changed_").reset_index(drop=True)
    changed["changed_label"] = changed["changed_label"].fillna("")
    return pd.concat([cases.reset_index(drop=True), original, changed], axis=1)


def wrong_way(row: dict) -> float:
    """How far a DIR case moved against what is expected, in probability or in steps of the label.

    >>> wrong_way({"expected": "more_positive", "label": "positive", "changed_label": "neutral"})
    1
    >>> row = {"expected": "less_negative", "p_negative": 0.25, "changed_p_negative": 0.5}
    >>> wrong_way(row)
    0.25
    """
    amount, label = row["expected"].split("_")
    if f"p_{label}" in row:
        moved = row[f"changed_p_{label}"] - row[f"p_{label}"]
        return -moved if amount == "more" else moved
    before, after = (ORDER.get(row[name], float("nan")) for name in ("label", "changed_label"))
    rising = (amount == "more") == (label == "positive")
    return before - after if rising else after - before


def rates(judged: pd.DataFrame, seed: int, resamples: int = measure.RESAMPLES) -> pd.DataFrame:
    """Rates by capability, for all its cases, its templates and its written sentences.

    Parameters
    ----------
    judged : DataFrame
        What `judge` gives, of which `capability, test_type, source, template, counted, failure`
        are used, and the labels where they are there.
    seed, resamples : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`. `test` is a capability, or MFT, INV or DIR for all of a type; `group` is
        all, templates or sentences; `metric` is failure_rate; where an answer names no label also
        unparsable_share; of MFT, where the labels are there, also filling_flip_rate: of two cases
        of one template that expect the same the share that get different labels (`n` counts such
        pairs): what an exchange of several words moves. Of cases with controls (`with_controls`)
        also those of `fairness.rates`.

    Notes
    -----
    Cases of one template are not independent, so the intervals are percentile bootstraps over
    templates, each drawn with all its cases; a written sentence counts as a template of one case.
    Where all cases fail, or none, a bootstrap cannot vary: the interval is then Wilson's for as
    many independent cases as there are templates.

    Examples
    --------
    >>> case = {"capability": "typos", "test_type": "INV", "source": "templates", "template": "t1"}
    >>> judged = pd.DataFrame([case | {"counted": True, "failure": False}] * 4)
    >>> rates(judged, seed=1).query("group == 'all'")[["test", "value", "n"]].values.tolist()
    [['INV', 0.0, 4], ['typos', 0.0, 4]]
    """
    judged = judged.assign(silent=_silent(judged))
    counted = judged[judged["counted"].astype(bool)]
    tests = [*counted.groupby("test_type", sort=False), *counted.groupby("capability", sort=False)]
    nan, speaks = float("nan"), not judged["silent"].any()
    rows = [
        (test, nan, *row)
        for test, part in tests
        for row in _of_test(test, part, speaks, seed, resamples)
    ]
    if "control_label" in judged:
        rows += fairness.rates(judged, seed, resamples)
    return pd.DataFrame(rows, columns=measure.COLUMNS)


def _of_test(test: str, part: pd.DataFrame, speaks: bool, *draws: int) -> Iterator[tuple]:
    """The rates of one test from the group on; `speaks`: every answer of the system is a label."""
    for group in GROUPS:
        cases = part if group == "all" else part[part["source"] == group]
        yield group, "failure_rate", *clustered(cases, *draws), len(cases)
    if not speaks:
        silent = clustered(part.assign(failure=part["silent"]), *draws)
        yield "all", "unparsable_share", *silent, len(part)
    if test == "MFT" and "label" in part:
        pairs = _fillings(part)
        flips = _over_templates(pairs, *draws)
        yield "templates", "filling_flip_rate", *flips, int(pairs["size"].sum())


def as_tests(judged: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The cases as rows of tests for `measure.verdicts`, and the type of each test.

    Parameters
    ----------
    judged : DataFrame
        What `judge` gives.

    Returns
    -------
    tuple
        Rows of the counted cases with `test`, the capability and, over all of a type, MFT, INV or
        DIR; `cluster`, the template; and for INV pairs `flip`, which a failure is. And `{test: MFT,
        INV or DIR}`.

    Examples
    --------
    >>> case = {"capability": "typos", "template": "t1", "test_type": "INV", "counted": True}
    >>> rows, types = as_tests(pd.DataFrame([case | {"failure": True}]))
    >>> rows["test"].to_list(), types
    (['INV', 'typos'], {'INV': 'INV', 'typos': 'INV'})
    """
    counted = judged[judged["counted"].astype(bool)]
    parts = [counted.assign(test=counted[name]) for name in ("test_type", "capability")]
    rows = pd.concat(parts, ignore_index=True)
    rows["cluster"] = rows["capability"] + "/" + rows["template"].astype(str)
    types = rows.drop_duplicates("test").set_index("test")["test_type"].to_dict()
    return rows.assign(group="all", changed=True, flip=rows["failure"]), types


def clustered(cases: pd.DataFrame, seed: int, resamples: int) -> Estimate:
    """The share of cases that fail and its interval over templates; NaN without cases."""
    by_template = cases.groupby(["capability", "template"])["failure"].agg(["sum", "size"])
    return _over_templates(by_template, seed, resamples)


def _fillings(cases: pd.DataFrame) -> pd.DataFrame:
    """The pairs of cases of one template that expect the same (`size`), and those of them that get
    different labels (`sum`).
    """
    keys = ["capability", "template", "expected"]
    pairs, alike = (
        cases.groupby(names).size().pipe(lambda counts: counts * (counts - 1) // 2)
        for names in (keys, [*keys, "label"])
    )
    table = pd.DataFrame({"sum": pairs - alike.groupby(keys).sum(), "size": pairs})
    return table[table["size"] > 0]


def _over_templates(table: pd.DataFrame, seed: int, resamples: int) -> Estimate:
    """A share of events (`sum`) among all (`size`) with its interval over the rows."""
    events, sizes = table["sum"].sum(), table["size"].sum()
    if len(table) and events in (0, sizes):
        return measure.share(len(table) * int(events > 0), len(table))
    return measure.ratio(table["sum"], table["size"], seed, resamples=resamples, pooled=False)


def matrix(rated: pd.DataFrame, cases: pd.DataFrame) -> pd.DataFrame:
    """Rates as a table for reading, a row per capability in the order of the suite.

    Parameters
    ----------
    rated : DataFrame
        What `rates` gives.
    cases : DataFrame
        Cases, of which `capability, family, test_type` are used.

    Returns
    -------
    DataFrame
        `capability, family, type, n`, and the rates of all cases, templates and sentences as
        `12.3% (9.8 to 15.4)`.

    Examples
    --------
    >>> rated = pd.DataFrame([["typos", None, "all", "failure_rate", 0.1, 0.05, 0.2, 9]])
    >>> columns = ["capability", "family", "test_type"]
    >>> cases = pd.DataFrame([["typos", "use", "INV"]], columns=columns)
    >>> matrix(rated.set_axis(measure.COLUMNS, axis=1), cases)["all"].to_list()
    ['10.0% (5.0 to 20.0)']
    """
    table = cases[["capability", "family", "test_type"]].drop_duplicates()
    table = table.rename(columns={"test_type": "type"})
    rated = rated[rated["test"].isin(table["capability"]) & (rated["metric"] == "failure_rate")]
    counts = rated[rated["group"] == "all"].set_index("test")["n"]
    table["n"] = table["capability"].map(counts).fillna(0).astype(int)
    for group, part in rated.groupby("group", sort=False):
        part = part[part["n"] > 0].set_index("test")[["value", "ci_low", "ci_high"]]
        words = {test: f"{Estimate(*row):%}" for test, row in part.T.items()}
        table[group] = table["capability"].map(words).fillna("no cases")
    return table.reset_index(drop=True)
