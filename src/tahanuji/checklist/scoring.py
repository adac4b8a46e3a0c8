"""Which cases fail, and rates by capability with intervals over templates."""

import numpy as np
import pandas as pd

from tahanuji import measure, predict
from tahanuji.checklist.answers import check_answers

TOLERANCE = 0.1  # of probability: how far a DIR test may move the wrong way (Ribeiro et al., 2020)
ORDER = {"negative": -1, "neutral": 0, "positive": 1}


def judge(
    cases: pd.DataFrame,
    answers: pd.DataFrame,
    labels: list[str],
    place: str = "predictions",
) -> pd.DataFrame:
    """The cases with a system's answers and whether they fail.

    MFT fails where the label is not among the expected ones; INV where the labels of the two
    versions differ; DIR where the answer moves the wrong way: the probability of the label that
    `expected` names by more than `TOLERANCE`, or, where no probabilities are given, the label on
    the scale negative, neutral, positive. An expected set is cut to the labels that the system
    knows; a case of which nothing is left is not `counted` (only neutral is accepted, and the
    system has no neutral).

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

    Raises
    ------
    InputError
        See `check_answers`.

    References
    ----------
    Ribeiro, Wu, Guestrin and Singh (2020), Beyond Accuracy: Behavioral Testing of NLP Models with
    CheckList, ACL.
    """
    check_answers(answers, cases, labels, place)
    judged = _with_answers(cases, answers, labels)
    accepted = [set(expected.split("|")) & set(labels) for expected in judged["expected"]]
    moves = [wrong_way(row) for row in judged[judged["test_type"] == "DIR"].to_dict("records")]
    judged.loc[judged["test_type"] == "DIR", "wrong_way"] = np.round(moves, 6)
    records = list(zip(judged.to_dict("records"), accepted, strict=True))
    judged["counted"] = [row["test_type"] != "MFT" or bool(names) for row, names in records]
    fails = pd.Series([_fails(row, names) for row, names in records], dtype=bool)
    judged["failure"] = judged["counted"] & fails
    return judged


def _with_answers(cases: pd.DataFrame, answers: pd.DataFrame, labels: list[str]) -> pd.DataFrame:
    """The cases with the answers to both versions."""
    columns = [column for column in answers if column == "label" or column in probability(labels)]
    by_id = answers.set_index("id")[columns]
    by_id = by_id.astype({column: float for column in columns if column != "label"})
    original = by_id.reindex(cases["id"]).reset_index(drop=True)
    changed = by_id.reindex(cases["id"] + "/changed").add_prefix("changed_").reset_index(drop=True)
    changed["changed_label"] = changed["changed_label"].fillna("")
    return pd.concat([cases.reset_index(drop=True), original, changed], axis=1)


def probability(labels: list[str]) -> list[str]:
    """The names of the columns of probabilities."""
    return [f"p_{label}" for label in labels]


def _fails(row: dict, accepted: set[str]) -> bool:
    if predict.UNPARSABLE in (row["label"], row["changed_label"]):
        return True
    if row["test_type"] == "MFT":
        return row["label"] not in accepted
    if row["test_type"] == "INV":
        return row["label"] != row["changed_label"]
    return row["wrong_way"] > (TOLERANCE if "p_positive" in row else 0)


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
    steps = [ORDER.get(row[name], float("nan")) for name in ("changed_label", "label")]
    moved = steps[0] - steps[1]
    return -moved if (amount == "more") == (label == "positive") else moved


def rates(judged: pd.DataFrame, seed: int, resamples: int = measure.RESAMPLES) -> pd.DataFrame:
    """Rates by capability, for all its cases, its templates and its written sentences.

    Cases of one template are not independent, so the intervals are percentile bootstraps over
    templates, each drawn with all its cases; a written sentence counts as a template of one case.
    Where all cases fail, or none, a bootstrap cannot vary: the interval is then Wilson's for as
    many independent cases as there are templates.

    Parameters
    ----------
    judged : DataFrame
        What `judge` gives, of which `capability, test_type, source, template, counted, failure`
        are used, and the labels where they are there.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`. `test` is a capability, or MFT, INV or DIR for all of a type; `rate` is
        empty; `group` is all, templates or sentences; `metric` is failure_rate, as in CheckList for
        all three types (see `judge`), and where an answer names no label also unparsable_share, of
        all cases; `n` counts cases. Of MFT, where the labels are there, also filling_flip_rate: of
        two cases of one template that expect the same the share that get different labels (`n`
        counts such pairs). It is what an exchange of any filling moves: a yardstick for the INV
        tests that exchange names and groups.
    """
    silent = judged.filter(["label", "changed_label"]).eq(predict.UNPARSABLE).any(axis=1)
    judged = judged.assign(silent=silent)
    counted = judged[judged["counted"].astype(bool)]
    tests = [*counted.groupby("test_type", sort=False), *counted.groupby("capability", sort=False)]
    rows = []
    for test, part in tests:
        for group in ("all", "templates", "sentences"):
            cases = part if group == "all" else part[part["source"] == group]
            values = clustered(cases, seed, resamples)
            rows.append((test, float("nan"), group, "failure_rate", *values, len(cases)))
        if silent.any():
            values = clustered(part.assign(failure=part["silent"]), seed, resamples)
            rows.append((test, float("nan"), "all", "unparsable_share", *values, len(part)))
        if test == "MFT" and "label" in part:
            *values, pairs = _fillings(part, seed, resamples)
            rows.append((test, float("nan"), "templates", "filling_flip_rate", *values, pairs))
    return pd.DataFrame(rows, columns=measure.COLUMNS)


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
        DIR; `cluster`, the template; and for INV pairs the outcomes of `tahanuji.behaviour`, of
        which a failure is a flip. And `{test: MFT, INV or DIR}`.

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


def clustered(cases: pd.DataFrame, seed: int, resamples: int) -> tuple[float, float, float]:
    """The share of cases that fail and its interval over templates; NaN without cases."""
    by_template = cases.groupby(["capability", "template"])["failure"].agg(["sum", "size"])
    return _over_templates(by_template, seed, resamples)


def _fillings(cases: pd.DataFrame, seed: int, resamples: int) -> tuple[float, float, float, int]:
    """The share of pairs of cases of one template with different labels, its interval over
    templates, and the number of pairs.
    """
    keys = ["capability", "template", "expected"]
    alike = cases.groupby([*keys, "label"]).size().pipe(_pairs).groupby(keys).sum()
    pairs = cases.groupby(keys).size().pipe(_pairs)
    table = pd.DataFrame({"sum": pairs - alike, "size": pairs})[pairs > 0]
    return *_over_templates(table, seed, resamples), int(pairs.sum())


def _pairs(counts: pd.Series) -> pd.Series:
    return counts * (counts - 1) // 2


def _over_templates(table: pd.DataFrame, seed: int, resamples: int) -> tuple[float, float, float]:
    """A share of events (`sum`) among all (`size`) with its interval over the rows."""
    events, sizes = table[["sum", "size"]].to_numpy(dtype=float).T
    templates = len(table)
    if not templates:
        return (float("nan"),) * 3
    share = events.sum() / sizes.sum()
    if share in (0, 1):
        return measure.share(int(share) * templates, templates)
    drawn = measure.replicate(
        lambda counts: (counts @ events) / (counts @ sizes),
        np.ones(templates, int),
        seed,
        resamples,
    )
    return float(share), *measure.interval(drawn)


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
    """
    table = cases[["capability", "family", "test_type"]].drop_duplicates()
    table = table.rename(columns={"test_type": "type"})
    rated = rated[rated["test"].isin(table["capability"]) & (rated["metric"] == "failure_rate")]
    counts = rated[rated["group"] == "all"].set_index("test")["n"]
    table["n"] = table["capability"].map(counts).fillna(0).astype(int)
    for group, part in rated.groupby("group", sort=False):
        words = part.set_index("test").apply(_words, axis=1)
        table[group] = table["capability"].map(words).fillna("no cases")
    return table.reset_index(drop=True)


def _words(row: pd.Series) -> str:
    if not row["n"]:
        return "no cases"
    return f"{row['value']:.1%} ({row['ci_low'] * 100:.1f} to {row['ci_high'] * 100:.1f})"
