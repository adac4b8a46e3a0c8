"""Behavioural tests of inference: pairs whose label is certain by construction, and changes of a
pair that must not move its label.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, measure, paths, perturb, validity
from tahanuji.errors import InputError
from tahanuji.nli.corpus import LABELS
from tahanuji.nli.scoring import accuracies, labelled

FILE = paths.DATA / "nli" / "suite.csv"
SUITE = ["id", "test", "case", "premise", "hypothesis", "expected", "pair_of", "capability"]
SIDES = ("premise", "hypothesis", "both")
ONE_SIDED = ["informal"]  # versions whose sentences also stand beside the other one of their pair
MIXING = "code_mixing:"


def load_suite(path: Path = FILE) -> pd.DataFrame:
    """The pairs of the suite.

    Parameters
    ----------
    path : Path
        A csv with the columns of `SUITE`. `expected` holds the labels that are right, divided by
        `|`; a pair without one is a version of the pair `pair_of` and must get its label. Pairs of
        one `case` were made of one sentence.

    Returns
    -------
    DataFrame
        As in the file; `attrs["source"]` as `data.load` gives it.

    Raises
    ------
    InputError
        For a missing column, an id that stands twice, another label, and a `pair_of` that is no id
        of a pair with a label.

    References
    ----------
    Ribeiro et al. (2020), CheckList; McCoy et al. (2019), *Right for the wrong reasons* (HANS).

    Examples
    --------
    >>> set(load_suite()["capability"]) >= {"negation", "quantifiers"}
    True
    """
    frame = data.read_table(path)
    if missing := [column for column in SUITE if column not in frame]:
        raise InputError(f"{paths.shown(path)} has no column {', '.join(missing)}.")
    right = frame["expected"].str.split("|").map(set)
    certain = set(frame["id"][frame["expected"] != ""])
    data.refuse(frame, frame["id"].duplicated(), path, "repeat the id of an earlier row")
    outside = (frame["expected"] != "") & ~right.map(lambda labels: labels <= set(LABELS))
    data.refuse(frame, outside, path, f"expect a label outside {', '.join(LABELS)}")
    lost = (frame["expected"] == "") & ~frame["pair_of"].isin(certain)
    data.refuse(frame, lost, path, "have neither an expected label nor a pair that has one")
    about = {"name": "nli-suite", "split": "test", "sha256": data.sha256(path)}
    return data.describe(frame[SUITE].reset_index(drop=True), **about, publish_texts=path == FILE)


def certain(reader, suite: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """Answers to the pairs with a certain label (MFT).

    Parameters
    ----------
    reader : object
        A classifier of pairs with names of `LABELS`.
    suite : DataFrame
        As `load_suite` gives it.
    precision : str
        Handed to the reader.

    Returns
    -------
    DataFrame
        id, test, text, text_pair, gold (what is expected), label, failure, cluster (the case).

    Examples
    --------
    >>> class Yes:
    ...     labels = LABELS
    ...     def predict_proba(self, pairs, precision):
    ...         return np.eye(3)[[0] * len(pairs)]
    >>> rows = certain(Yes(), load_suite())
    >>> rows[rows["test"] == "same_text"]["failure"].any()
    np.False_
    """
    rows = suite[suite["expected"] != ""].reset_index(drop=True)
    said = labelled(reader, rows, precision)
    failure = [
        label not in right.split("|") for label, right in zip(said, rows["expected"], strict=True)
    ]
    names = {"premise": "text", "hypothesis": "text_pair", "expected": "gold", "case": "cluster"}
    kept = rows[["id", "test", *names]].rename(columns=names)
    return kept.assign(label=said, failure=failure, changed=True)


def versions(reader, suite: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """Answers to the pairs that are versions of others (INV), beside those to the others.

    Parameters
    ----------
    reader, suite, precision
        As for `certain`.

    Returns
    -------
    DataFrame
        The rows of `behaviour.rows`, a test at a time; cases are clusters. Tests of `ONE_SIDED`
        are there three times: as they are written, and "<test>, premise" and "<test>, hypothesis",
        where the other sentence is that of the pair they were made of.
    """
    base, parts = suite.set_index("id"), []
    written = suite[suite["expected"] == ""]
    for test, part in pd.concat([written, *_one_sided(written, base)]).groupby("test", sort=False):
        old = base.loc[part["pair_of"]]
        frame = pd.DataFrame({"id": part["id"].to_list(), "text": old["premise"].to_list()})
        frame["text_pair"] = old["hypothesis"].to_list()
        frame["label"] = old["expected"].str.split("|").str[0].to_list()
        frame.attrs = suite.attrs
        new = list(zip(part["premise"], part["hypothesis"], strict=True))
        rows = behaviour.rows(reader, frame, {test: new}, precision=precision)
        parts.append(rows.assign(cluster=part["case"].to_list()))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def _one_sided(written: pd.DataFrame, base: pd.DataFrame) -> list[pd.DataFrame]:
    """Versions with one sentence of their own, per test and side."""
    parts = []
    for test in ONE_SIDED:
        part = written[written["test"] == test]
        old = base.loc[part["pair_of"]]
        for own, other in (SIDES[:2], SIDES[1::-1]):
            kept = {"test": f"{test}, {own}", other: old[other].to_list()}
            parts.append(part.assign(**kept, id=part["id"] + f"/{own}"))
    return parts


def changed(frame: pd.DataFrame, names: list[str], seed: int) -> dict[str, list]:
    """Pairs with a perturbed premise, a perturbed hypothesis, and both.

    Parameters
    ----------
    frame : DataFrame
        id, premise, hypothesis, label.
    names : list of str
        Perturbations, or `code_mixing:<language>`: words in random order exchanged. Rates are
        those at which outputs were rated (`validity`).
    seed : int
        Of the perturbations.

    Returns
    -------
    dict of str to list
        By test, "<name>, premise" and so on, a pair per row, None where nothing changed on that
        side.

    Raises
    ------
    InputError
        For another name.

    Examples
    --------
    >>> row = {"id": "a", "premise": "Ani tidak tidur.", "hypothesis": "Ani tidur."}
    >>> row["label"] = "contradiction"
    >>> changed(pd.DataFrame([row]), ["negation"], 1)["negation, hypothesis"]
    [None]
    """
    tests = {}
    sides = [frame[["id", "label"]].assign(text=frame[side]) for side in SIDES[:2]]
    sides[1]["id"] += "/hypothesis"
    for name in names:
        columns = [_changed(name, side, seed) for side in sides]
        for side in SIDES:
            tests[f"{name}, {side}"] = [
                _pair(old, new, side) for old, *new in zip(_pairs(frame), *columns, strict=True)
            ]
    return tests


def _pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["premise"], frame["hypothesis"], strict=True))


def _pair(old: tuple[str, str], new: list[str | None], side: str) -> tuple[str, str] | None:
    """A pair with one side or both exchanged; None where a side that is wanted did not change."""
    wanted = [side in ("both", name) for name in SIDES[:2]]
    if any(want and text in (None, was) for want, text, was in zip(wanted, new, old, strict=True)):
        return None
    return tuple(text if want else was for want, text, was in zip(wanted, new, old, strict=True))


def _changed(name: str, side: pd.DataFrame, seed: int) -> list[str | None]:
    """One sentence of every pair, perturbed."""
    rate = validity.headline_rate(name)
    if not name.startswith(MIXING):
        return perturb.apply(name, side, rate, seed)
    from tahanuji.codemix import mixing, translators

    translator = translators.named("lexicon", name.removeprefix(MIXING))
    return list(mixing.Blend([translator], rate, seed, {}).randomly(side)["text"])


def invariant(
    reader, frame: pd.DataFrame, tests: dict[str, list], precision: str = "fp32"
) -> pd.DataFrame:
    """Answers to pairs and to their perturbed versions (INV).

    Parameters
    ----------
    reader : object
        A classifier of pairs.
    frame : DataFrame
        id, premise, hypothesis, label.
    tests : dict
        As `changed` gives them for the frame.
    precision : str
        Handed to the reader.

    Returns
    -------
    DataFrame
        The rows of `behaviour.rows`; pairs of one premise are a cluster.
    """
    texts = frame.rename(columns={"premise": "text", "hypothesis": "text_pair"})
    texts.attrs = frame.attrs
    return behaviour.rows(reader, texts, tests, precision=precision)


def as_tests(rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of a run that are tests, and the type of each, as `measure.verdicts` takes them.

    Parameters
    ----------
    rows : DataFrame
        With `kind`: reading (no test), MFT or INV.

    Returns
    -------
    tuple
        Rows and {test: MFT or INV}.

    Examples
    --------
    >>> as_tests(pd.DataFrame({"test": ["pairs", "same_text"], "kind": ["reading", "MFT"]}))[1]
    {'same_text': 'MFT'}
    """
    judged = rows[rows["kind"] != "reading"].drop(columns="group", errors="ignore")
    return judged, judged.drop_duplicates("test").set_index("test")["kind"].to_dict()


def instruments(tests) -> dict[str, str]:
    """What was rated for each test of `changed`.

    Parameters
    ----------
    tests : iterable of str

    Returns
    -------
    dict of str to str
        Tests of a side of a pair alone.

    Examples
    --------
    >>> instruments(["typos, both", "same_text"])
    {'typos, both': 'typos'}
    """
    return {test: test.rpartition(", ")[0] for test in tests if test.endswith(SIDES)}


def metrics(rows: pd.DataFrame) -> pd.DataFrame:
    """The metrics of a run's rows, by their `kind`.

    Parameters
    ----------
    rows : DataFrame
        Rows of `scoring.answers` (kind reading), `certain` (MFT), `versions` and `invariant` (INV).

    Returns
    -------
    DataFrame
        test, rate, group, metric, value, ci_low, ci_high, n: accuracy of readers by split,
        failure_rate of MFT, those of `measure.behaviour` of INV; 95% intervals over premises and
        cases.
    """
    parts = [accuracies(rows[rows["kind"] == "reading"])]
    table = []
    for test, part in [("MFT", rows[rows["kind"] == "MFT"]), *_by_test(rows)]:
        values = measure.share_of(part["failure"].astype(bool), part["cluster"])
        table.append((test, float("nan"), "all", "failure_rate", *values, len(part)))
    parts.append(pd.DataFrame(table, columns=measure.COLUMNS))
    moved = rows[rows["kind"] == "INV"].drop(columns=["group", "kind"])
    parts.append(measure.behaviour(moved.assign(**_yes_no(moved))))
    return pd.concat([part for part in parts if len(part)], ignore_index=True)


def _by_test(rows: pd.DataFrame):
    yield from rows[rows["kind"] == "MFT"].groupby("test", sort=False)


def _yes_no(rows: pd.DataFrame) -> dict[str, np.ndarray]:
    """The outcomes of INV rows as bool: beside other kinds of rows they are objects."""
    names = ["failure", "flip", "moved", "induced", "repaired", "changed"]
    return {name: rows[name].astype(bool) for name in names if name in rows}
