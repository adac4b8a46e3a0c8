"""How often readers of pairs are right: by split, on premises that were not trained on, by
phenomenon and label.
"""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tahanuji import measure, predict
from tahanuji.nli.corpus import LABELS, unseen
from tahanuji.nli.overlap import shown
from tahanuji.nli.tasks import Task
from tahanuji.nli.yardsticks import HYPOTHESIS_ONLY
from tahanuji.outcomes import outcomes

NEW = "new premises"
SUITE = "the suite"


def labelled(reader, frame: pd.DataFrame, precision: str = "fp32") -> np.ndarray:
    """The labels that a classifier gives to pairs."""
    pairs = list(zip(frame["premise"], frame["hypothesis"], strict=True))
    return predict.named(reader.predict_proba(pairs, precision), reader.labels)


def answered(
    reader, frame: pd.DataFrame, expected: Sequence[str], cluster: Sequence[str], precision: str
) -> pd.DataFrame:
    """A reader's answers to pairs: id, gold (the expected labels, with `|` between), text,
    text_pair, cluster, label, failure.
    """
    accepted = [set(labels.split("|")) for labels in expected]
    said = outcomes(expected, None, labelled(reader, frame, precision), accepted)
    names = {"id": "id", "premise": "text", "hypothesis": "text_pair"}
    table = frame[list(names)].rename(columns=names).reset_index(drop=True)
    table.insert(1, "gold", said["gold"])
    return table.assign(
        cluster=list(cluster), label=said["perturbed_label"], failure=said["failure"]
    )


def answers(
    readers: dict, splits: dict[str, pd.DataFrame], precision: str = "fp32"
) -> pd.DataFrame:
    """What readers (`test`) say of every split but train (`group`), as `answered` has it; clusters
    are premises, and `new` says whether training lacks the premise (without a train all are new).

    >>> class Yes:
    ...     labels = LABELS
    ...     def predict_proba(self, pairs, precision):
    ...         return np.eye(3)[[0] * len(pairs)]
    >>> row = {"id": "a", "premise": "p", "hypothesis": "h", "label": "entailment"}
    >>> answers({"yes": Yes()}, {"test": pd.DataFrame([row])})["failure"].tolist()
    [False]
    """
    parts = []
    for split, frame in splits.items():
        if split == "train":
            continue
        new = unseen(frame, splits["train"]).to_list() if "train" in splits else True
        cluster = [f"{split}/{number}" for number in pd.factorize(frame["premise"])[0]]
        for name, reader in readers.items():
            part = answered(reader, frame, frame["label"].to_list(), cluster, precision)
            part.insert(1, "group", split)
            part.insert(3, "new", new)
            part.insert(part.columns.get_loc("label"), "test", name)
            parts.append(part)
    return pd.concat(parts, ignore_index=True)


def certain(reader, suite: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """Answers to the pairs with a certain label (MFT), as `answered` has them; cases are clusters.

    >>> class Yes:
    ...     labels = LABELS
    ...     def predict_proba(self, pairs, precision):
    ...         return np.eye(3)[[0] * len(pairs)]
    >>> from tahanuji.nli import load_suite
    >>> rows = certain(Yes(), load_suite())
    >>> rows[rows["test"] == "same_text"]["failure"].any()
    np.False_
    """
    rows = suite[suite["expected"] != ""]
    part = answered(reader, rows, rows["expected"].to_list(), rows["case"], precision)
    part.insert(1, "test", rows["test"].to_list())
    return part.assign(changed=True)


def accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of pairs that each reader gets right (`measure.COLUMNS`, intervals over premises):
    by split, and where a split has both kinds also on new premises.
    """
    table = []
    for (name, split), part in rows.groupby(["test", "group"], sort=False):
        new = part["new"].astype(bool)
        groups = [(split, part), (f"{split}, {NEW}", part[new])]
        for group, chosen in groups if new.any() and not new.all() else groups[:1]:
            right = measure.share_of(~chosen["failure"].astype(bool), chosen["cluster"])
            table.append((name, float("nan"), group, "accuracy", *right, len(chosen)))
    return pd.DataFrame(table, columns=measure.COLUMNS)


def beside_guess(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """A reader's accuracy where the hypothesis alone gives the label away and where it misleads.

    Parameters
    ----------
    rows : DataFrame
        As `read` gives them, with the reader `hypothesis only`.
    name : str
        Of the reader.

    Returns
    -------
    DataFrame
        group (split), guess (right or wrong), n, value (accuracy), ci_low, ci_high (95%, over
        premises).

    References
    ----------
    Gururangan et al. (2018), *Annotation artifacts in natural language inference data*.

    Examples
    --------
    >>> row = {"group": "lay", "id": "a", "cluster": "p", "failure": False}
    >>> both = [row | {"test": name} for name in ("own", HYPOTHESIS_ONLY)]
    >>> beside_guess(pd.DataFrame(both), "own")[["guess", "value"]].values.tolist()
    [['right', 1.0]]
    """
    key = ["group", "id"]
    guess = rows[rows["test"] == HYPOTHESIS_ONLY].set_index(key)["failure"].astype(bool)
    own = rows[rows["test"] == name].set_index(key)
    own = own.assign(guess=guess.map({False: "right", True: "wrong"}))
    table = [
        (*group, len(part), *measure.share_of(~part["failure"].astype(bool), part["cluster"]))
        for group, part in own.groupby(["group", "guess"], sort=False)
    ]
    return pd.DataFrame(table, columns=["group", "guess", "n", "value", "ci_low", "ci_high"])


def gain(rows: pd.DataFrame, name: str, reader: str = HYPOTHESIS_ONLY) -> pd.DataFrame:
    """How much more often a model is right than a reader that knows less.

    Parameters
    ----------
    rows : DataFrame
        As `read` gives them; without those of `reader` there is no row.
    name, reader : str
        Of the model, and of the reader.

    Returns
    -------
    DataFrame
        group (split), reader, accuracy, guess (the reader's accuracy), value (a paired difference
        of accuracies), ci_low, ci_high (95%, over premises), n.

    References
    ----------
    Mahendra et al. (2021), section 6.2.

    Examples
    --------
    >>> row = {"group": "lay", "id": "a", "cluster": "p"}
    >>> both = [row | {"test": name, "failure": name != "own"} for name in ("own", HYPOTHESIS_ONLY)]
    >>> gain(pd.DataFrame(both), "own")[["group", "value"]].values.tolist()
    [['lay', 1.0]]
    """
    table = []
    for group, part in rows.groupby("group", sort=False):
        own, guess = (part[part["test"] == who].set_index("id") for who in (name, reader))
        if len(guess):
            mine = ~own["failure"].astype(bool)
            theirs = ~guess["failure"].astype(bool).loc[own.index]
            better, worse = mine & ~theirs, theirs & ~mine
            edges = measure.change_bounds(better, worse, own["cluster"], confidence=0.975)
            shares = float(mine.mean()), float(theirs.mean())
            table.append((group, reader, *shares, shares[0] - shares[1], *edges, len(own)))
    columns = ["group", "reader", "accuracy", "guess", "value", "ci_low", "ci_high", "n"]
    return pd.DataFrame(table, columns=columns)


def phenomena(task: Task, rows: pd.DataFrame, reader, precision: str = "fp32") -> pd.DataFrame:
    """A model's accuracy by what a pair shows on its surface and by its label; of IndoNLI also by
    the tags of the diagnostic set. Accuracy by phenomenon alone hides what a reader takes a
    phenomenon to mean.

    Parameters
    ----------
    task : Task
    rows : DataFrame
        As `read` gives them; the model is the reader `pairs`.
    reader : object
        The model, to be asked the diagnostic set.
    precision : str
        Handed to the reader.

    Returns
    -------
    DataFrame
        phenomenon, label, n, value (accuracy), ci_low, ci_high (95%, over premises), split: the
        splits, `the suite` (pairs that accept one label alone) and `diagnostic`.

    References
    ----------
    Mahendra et al. (2021), Table 11 (tags).

    Examples
    --------
    >>> from tahanuji import nli
    >>> one = nli.task("nli")
    >>> always = {"pairs": nli.Reader("majority", nli.LABELS).fit([("p", "h")], [0])}
    >>> list(phenomena(one, nli.read(one, always), always["pairs"])["split"].unique())
    ['valid', 'test', 'the suite']
    """
    suite = task.suite[task.suite["expected"].isin(LABELS)]
    asked = {name: frame for name, frame in task.splits.items() if name != "train"}
    asked[SUITE] = suite.assign(label=suite["expected"])
    own = rows[(rows["test"] == "pairs") | (rows["kind"] == "MFT")]
    own = own.assign(group=own["group"].where(own["kind"] != "MFT", SUITE))
    own = own[own["kind"].eq("MFT") | own["group"].ne(SUITE)].set_index(["group", "id"])["failure"]
    parts = []
    for split, frame in asked.items():
        marks = shown(frame).to_dict("list")
        parts.append(by_phenomenon(own[split].loc[frame["id"]], frame, marks).assign(split=split))
    if task.diagnostic is not None:
        pairs = task.diagnostic
        missed = pd.Series(labelled(reader, pairs, precision) != pairs["label"])
        parts.append(by_phenomenon(missed, pairs, tagged(pairs)).assign(split="diagnostic"))
    return pd.concat(parts, ignore_index=True)


def by_phenomenon(
    failures: pd.Series, frame: pd.DataFrame, marks: dict[str, Iterable[bool]]
) -> pd.DataFrame:
    """Accuracy by phenomenon (whether each pair shows it) and label, with intervals over premises.

    >>> frame = pd.DataFrame({"premise": ["p", "q"], "label": ["neutral", "entailment"]})
    >>> by_phenomenon(pd.Series([True, False]), frame, {"short": [True, True]})["n"].tolist()
    [1, 0, 1]
    """
    table = []
    for name, shows in marks.items():
        for label in LABELS:
            kept = np.asarray(list(shows), bool) & (frame["label"] == label).to_numpy()
            right = ~failures.to_numpy(bool)[kept]
            values = measure.share_of(right, frame["premise"].to_numpy()[kept])
            table.append((name, label, int(kept.sum()), *values))
    return pd.DataFrame(table, columns=["phenomenon", "label", "n", "value", "ci_low", "ci_high"])


def tagged(frame: pd.DataFrame) -> dict[str, list[bool]]:
    """Whether each pair of a diagnostic set has a tag, by tag, the most frequent first.

    >>> tagged(pd.DataFrame({"tags": [["NEG", "NUM"], ["NUM"]]}))
    {'NUM': [True, True], 'NEG': [True, False]}
    """
    names = frame["tags"].explode().value_counts().index
    return {name: [name in tags for tags in frame["tags"]] for name in names}
