"""Behavioural tests of inference: pairs whose label is certain by construction, and changes of a
pair that must not move its label.
"""

from dataclasses import replace

import pandas as pd

from tahanuji import behaviour, measure
from tahanuji.instrument import Instrument, instrument
from tahanuji.nli.scoring import SUITE, accuracies, answers, certain
from tahanuji.nli.tasks import Task

SIDES = ("premise", "hypothesis", "both")
ONE_SIDED = ["informal"]  # versions whose sentences also stand beside the other one of their pair
MIXING = "code_mixing:"
OUTCOMES = ["failure", "flip", "moved", "induced", "repaired", "changed"]


def read(task: Task, readers: dict, precision: str = "fp32") -> pd.DataFrame:
    """What readers say of a task's pairs.

    Parameters
    ----------
    task : Task
    readers : dict
        As `readers` gives them; the model is `pairs`.
    precision : str
        Handed to the readers.

    Returns
    -------
    DataFrame
        By `kind`: `reading`, the answers of every reader (`test`) to every group of pairs, the
        suite and questions of two labels among them; `MFT`, the model's answers to the suite's
        pairs with a certain label, by test; `INV`, those to versions of them, with the columns of
        `behaviour.rows`.

    References
    ----------
    Ribeiro et al. (2020), CheckList; McCoy et al. (2019), *Right for the wrong reasons* (HANS).

    Examples
    --------
    >>> from tahanuji import nli
    >>> always = {"pairs": nli.Reader("majority", nli.LABELS).fit([("p", "h")], [0])}
    >>> read(nli.task("nli"), always).groupby("kind")["failure"].size()["INV"] > 0
    np.True_
    """
    whole = {name: one for name, one in readers.items() if name not in task.halves}
    parts = [answers(whole, task.splits, precision).assign(kind="reading")]
    suite = {name: certain(reader, task.suite, precision) for name, reader in whole.items()}
    asked = {(SUITE, name): part for name, part in suite.items()}
    for group, frame in task.twofold.items():
        for name, reader in readers.items():
            asked[group, name] = certain(reader, frame, precision)
    for (group, name), part in asked.items():
        parts.append(part.assign(test=name, group=group, new=True, kind="reading"))
    parts.append(suite["pairs"].assign(kind="MFT"))
    parts.append(versions(readers["pairs"], task.suite, precision).assign(kind="INV"))
    return pd.concat(parts, ignore_index=True).fillna({"group": "all"})


def versions(reader, suite: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """Answers to the pairs that are versions of others (INV), beside those to the others, as
    `behaviour.rows` gives them, a test at a time; cases are clusters. Tests of `ONE_SIDED` are
    there three times: as they are written, and "<test>, premise" and "<test>, hypothesis", where
    the other sentence is that of the pair they were made of.
    """
    base, parts = suite.set_index("id"), []
    written = suite[suite["expected"] == ""]
    for test, part in pd.concat([written, *one_sided(written, base)]).groupby("test", sort=False):
        old = base.loc[part["pair_of"]]
        frame = pd.DataFrame({"id": part["id"].to_list(), "text": old["premise"].to_list()})
        frame["text_pair"] = old["hypothesis"].to_list()
        frame["label"] = old["expected"].str.split("|").str[0].to_list()
        frame.attrs = suite.attrs
        new = list(zip(part["premise"], part["hypothesis"], strict=True))
        rows = behaviour.rows(reader, frame, {test: new}, precision=precision)
        parts.append(rows.assign(cluster=part["case"].to_list()))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()


def one_sided(written: pd.DataFrame, base: pd.DataFrame) -> list[pd.DataFrame]:
    """Versions with one sentence of their own, per test and side."""
    parts = []
    for test in ONE_SIDED:
        part = written[written["test"] == test]
        old = base.loc[part["pair_of"]]
        for own, other in (SIDES[:2], SIDES[1::-1]):
            kept = {"test": f"{test}, {own}", other: old[other].to_list()}
            parts.append(part.assign(**kept, id=part["id"] + f"/{own}"))
    return parts


def changes(names: list[str]) -> list[Instrument]:
    """The changes of one sentence of a pair or both, as tests "<name>, premise" and so on.

    Parameters
    ----------
    names : list of str
        Perturbations, or `code_mixing:<language>`: words in random order exchanged. Rates are those
        at which outputs were rated.

    Returns
    -------
    list of Instrument

    Raises
    ------
    InputError
        For another name.

    Examples
    --------
    >>> [one.test for one in changes(["typos", "code_mixing:jv"])][2:4]
    ['typos, both', 'code_mixing:jv, premise']
    """
    return [_instrument(name, f"{name}, {side}") for name in names for side in SIDES]


def _instrument(name: str, test: str) -> Instrument:
    """The instrument of a perturbation or of `code_mixing:<language>`."""
    if name.startswith(MIXING):
        return instrument("code_mixing", test=test, into=name.removeprefix(MIXING))
    return instrument(name, test=test)


def changed(frame: pd.DataFrame, tests: list[Instrument], seed: int) -> dict[str, list]:
    """By test of `changes` a pair per row with a changed premise, hypothesis or both, None where
    nothing changed on that side.

    >>> row = {"id": "a", "premise": "Ani tidak tidur.", "hypothesis": "Ani tidur.", "label": ""}
    >>> changed(pd.DataFrame([row]), changes(["negation"]), 1)["negation, hypothesis"]
    [None]
    """
    sides = [frame[["id", "label"]].assign(text=frame[side]) for side in SIDES[:2]]
    sides[1]["id"] += "/hypothesis"
    new, pairs = {}, list(zip(frame["premise"], frame["hypothesis"], strict=True))
    for one in dict.fromkeys(replace(test, test="") for test in tests):
        new[one] = list(zip(*(one.apply(side, seed) for side in sides), strict=True))
    return {
        test.test: [
            _pair(old, texts, test.test.rpartition(", ")[2])
            for old, texts in zip(pairs, new[replace(test, test="")], strict=True)
        ]
        for test in tests
    }


def _pair(old: tuple[str, str], new: tuple, side: str) -> tuple[str, str] | None:
    """A pair with one side or both exchanged; None where a side that is wanted did not change."""
    wanted = [side in ("both", name) for name in SIDES[:2]]
    if any(want and text in (None, was) for want, text, was in zip(wanted, new, old, strict=True)):
        return None
    return tuple(text if want else was for want, text, was in zip(wanted, new, old, strict=True))


def perturbed(
    reader, frame: pd.DataFrame, tests: list[Instrument], seed: int, precision: str = "fp32"
) -> pd.DataFrame:
    """Answers to pairs and to their changed versions (INV).

    Parameters
    ----------
    reader : object
        A classifier of pairs.
    frame : DataFrame
        id, premise, hypothesis, label.
    tests : list of Instrument
        As `changes` gives them.
    seed : int
        Of the changes.
    precision : str
        Handed to the reader.

    Returns
    -------
    DataFrame
        The rows of `behaviour.rows`, beside those of `read`; pairs of one premise are a cluster.

    Examples
    --------
    >>> from tahanuji import nli
    >>> always = nli.Reader("majority", nli.LABELS).fit([("p", "h")], [0])
    >>> frame = nli.task("nli").splits["test"].head(9)
    >>> perturbed(always, frame, changes(["typos"]), seed=1)["flip"].any()
    np.False_
    """
    texts = frame.rename(columns={"premise": "text", "hypothesis": "text_pair"})
    texts.attrs = frame.attrs
    rows = behaviour.rows(reader, texts, changed(frame, tests, seed), precision=precision)
    return rows.assign(kind="INV", group="all")


def as_tests(rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows that are tests, and the type of each, as `measure.verdicts` takes them.

    Parameters
    ----------
    rows : DataFrame
        As `read` and `perturbed` give them; a reading is no test.

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


def metrics(rows: pd.DataFrame) -> pd.DataFrame:
    """The metrics of rows by their `kind`.

    Parameters
    ----------
    rows : DataFrame
        As `read` and `perturbed` give them.

    Returns
    -------
    DataFrame
        test, rate, group, metric, value, ci_low, ci_high, n: accuracy of readers by split,
        failure_rate of MFT, those of `measure.behaviour` of INV; 95% intervals over premises and
        cases.

    Examples
    --------
    >>> row = {"test": "pairs", "group": "lay", "new": True, "failure": False, "cluster": "p"}
    >>> metrics(pd.DataFrame([row | {"kind": "reading"}]))[["metric", "value"]].values.tolist()
    [['accuracy', 1.0]]
    """
    kinds = dict(list(rows.groupby("kind")))
    parts = [accuracies(kinds["reading"])] if "reading" in kinds else []
    if "MFT" in kinds:
        suite, table = kinds["MFT"], []
        for test, part in [("MFT", suite), *suite.groupby("test", sort=False)]:
            failing = measure.share_of(part["failure"].astype(bool), part["cluster"])
            table.append((test, float("nan"), "all", "failure_rate", *failing, len(part)))
        parts.append(pd.DataFrame(table, columns=measure.COLUMNS))
    if "INV" in kinds:  # beside rows of other kinds yes and no are objects
        yes_no = dict.fromkeys([name for name in OUTCOMES if name in rows], bool)
        moved = kinds["INV"].drop(columns=["group", "kind"]).astype(yes_no)
        parts.append(measure.behaviour(moved))
    return pd.concat(parts, ignore_index=True)
