"""How often readers of pairs are right: by split, on premises that were not trained on, by
phenomenon and label.
"""

import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tahanuji import lexicons, measure, predict
from tahanuji.nli.corpus import LABELS, unseen
from tahanuji.nli.readers import HYPOTHESIS_ONLY

NEW = "new premises"
PUNCTUATION = ".,;:!?()[]\"'“”‘’"
_DIGITS = re.compile(r"\d+")


def answers(
    readers: dict, splits: dict[str, pd.DataFrame], precision: str = "fp32"
) -> pd.DataFrame:
    """What readers say of every split but train.

    Parameters
    ----------
    readers : dict
        Classifiers of pairs by name.
    splits : dict of str to DataFrame
        As `corpus.splits` gives them.
    precision : str
        Handed to the readers.

    Returns
    -------
    DataFrame
        `test` (the reader), `group` (the split), id, text, text_pair, gold, label, failure,
        `cluster` (the premise) and `new`, whether training lacks the premise; where there is no
        train, all are new.

    Examples
    --------
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
        new = unseen(frame, splits["train"]) if "train" in splits else True
        about = frame[["id"]].assign(group=split, gold=frame["label"], new=new)
        about = about.assign(text=frame["premise"], text_pair=frame["hypothesis"])
        about["cluster"] = (
            split + "/" + pd.factorize(frame["premise"])[0].astype(str).astype(object)
        )
        for name, reader in readers.items():
            said = labelled(reader, frame, precision)
            parts.append(about.assign(test=name, label=said, failure=said != frame["label"]))
    return pd.concat(parts, ignore_index=True)


def labelled(reader, frame: pd.DataFrame, precision: str = "fp32") -> np.ndarray:
    """The labels that a classifier gives to pairs.

    Parameters
    ----------
    reader : object
        Has `labels` and `predict_proba`.
    frame : DataFrame
        premise, hypothesis.
    precision : str
        Handed to the reader.

    Returns
    -------
    array of str, length n
    """
    pairs = list(zip(frame["premise"], frame["hypothesis"], strict=True))
    return predict.named(reader.predict_proba(pairs, precision), reader.labels)


def accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """The share of pairs that each reader gets right.

    Parameters
    ----------
    rows : DataFrame
        As `answers` gives them.

    Returns
    -------
    DataFrame
        test, rate (empty), group (a split, or "split, new premises" where both kinds are there),
        metric (accuracy), value with a 95% interval over premises, n.

    References
    ----------
    Mahendra et al. (2021), Tables 6 and 8. IndoNLI's lay splits were dealt by pair: 785 of 807
    premises of dev and 750 of 803 of lay are in train with other hypotheses.
    """
    table = []
    for (name, split), part in rows.groupby(["test", "group"], sort=False):
        new = part["new"].astype(bool)
        groups = {split: part} | (
            {f"{split}, {NEW}": part[new]} if new.any() and not new.all() else {}
        )
        for group, chosen in groups.items():
            values = measure.share_of(~chosen["failure"].astype(bool), chosen["cluster"])
            table.append((name, float("nan"), group, "accuracy", *values, len(chosen)))
    return pd.DataFrame(table, columns=measure.COLUMNS)


def beside_guess(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    """A reader's accuracy where the hypothesis alone gives the label away and where it misleads.

    Parameters
    ----------
    rows : DataFrame
        As `answers` gives them, with the reader `HYPOTHESIS_ONLY`.
    name : str
        Of the reader.

    Returns
    -------
    DataFrame
        group (split), guess (right or wrong), n, accuracy, low and high (95%, over premises).

    References
    ----------
    Gururangan et al. (2018), *Annotation artifacts in natural language inference data*.
    """
    key = ["group", "id"]
    guess = rows[rows["test"] == HYPOTHESIS_ONLY].set_index(key)["failure"].astype(bool)
    own = rows[rows["test"] == name].set_index(key)
    own = own.assign(guess=guess.map({False: "right", True: "wrong"}))
    table = [
        (*group, len(part), *measure.share_of(~part["failure"].astype(bool), part["cluster"]))
        for group, part in own.groupby(["group", "guess"], sort=False)
    ]
    return pd.DataFrame(table, columns=["group", "guess", "n", "accuracy", "low", "high"])


def gain(rows: pd.DataFrame, name: str, reader: str = HYPOTHESIS_ONLY) -> pd.DataFrame:
    """How much more often a model is right than a reader that knows less.

    Parameters
    ----------
    rows : DataFrame
        As `answers` gives them; without those of `reader` there is no row.
    name, reader : str
        Of the model, and of the reader.

    Returns
    -------
    DataFrame
        group (split), reader, n, accuracy, guess (the reader's accuracy), gain, low and high (a
        paired difference of accuracies with its 95% interval over premises).

    References
    ----------
    Mahendra et al. (2021), section 6.2.

    Examples
    --------
    >>> row = {"group": "lay", "id": "a", "cluster": "p"}
    >>> both = [row | {"test": name, "failure": name != "own"} for name in ("own", HYPOTHESIS_ONLY)]
    >>> gain(pd.DataFrame(both), "own")[["group", "gain"]].values.tolist()
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
            table.append((group, reader, len(own), *shares, shares[0] - shares[1], *edges))
    columns = ["group", "reader", "n", "accuracy", "guess", "gain", "low", "high"]
    return pd.DataFrame(table, columns=columns)


def phenomena(frame: pd.DataFrame) -> pd.DataFrame:
    """What a pair of sentences shows on its surface, a yes/no column each.

    Words are what stands between spaces, in lower case and without marks of punctuation at their
    ends. The lay and expert tests of IndoNLI have 273 and 132 pairs whose hypothesis has no other
    words than its premise, 440 and 286 with a negation in the hypothesis alone (*bukanlah* counts
    as *bukan*), 104 and 238 with digits that the premise lacks, and 149 and 287 with a quantifier.

    Parameters
    ----------
    frame : DataFrame
        premise, hypothesis.

    Returns
    -------
    DataFrame
        The index of the frame; columns named as what they mark.

    Examples
    --------
    >>> pair = {"premise": ["Ada 3 kucing."], "hypothesis": ["Semua kucing tidak ada."]}
    >>> phenomena(pd.DataFrame(pair)).iloc[0].to_list()
    [False, True, False, True]
    """
    negators = lexicons.members("id", "negator", "form of tidak")
    negators |= {f"{word}lah" for word in negators}
    quantifiers = lexicons.members("id", "quantifier")
    premises, hypotheses = (frame[side].map(_plain) for side in ("premise", "hypothesis"))
    numbers = [frame[side].map(_DIGITS.findall).map(set) for side in ("premise", "hypothesis")]
    pairs = list(zip(premises, hypotheses, strict=True))
    marks = {
        "every word in the premise": [new <= old for old, new in pairs],
        "negation in the hypothesis only": [
            bool(negators & new) and not negators & old for old, new in pairs
        ],
        "a new number": [bool(new - old) for old, new in zip(*numbers, strict=True)],
        "a quantifier in the hypothesis": [bool(quantifiers & new) for _, new in pairs],
    }
    return pd.DataFrame(marks, index=frame.index)


def _plain(text: str) -> set[str]:
    """Words in lower case without marks of punctuation at their ends."""
    return {word.strip(PUNCTUATION) for word in text.lower().split()} - {""}


def by_phenomenon(
    failures: pd.Series, frame: pd.DataFrame, marks: dict[str, Iterable[bool]]
) -> pd.DataFrame:
    """Accuracy by phenomenon and label: accuracy by phenomenon alone hides what a reader takes a
    phenomenon to mean.

    Parameters
    ----------
    failures : Series of bool
        A row per pair.
    frame : DataFrame
        premise, label of the same rows.
    marks : dict
        By phenomenon, whether each pair shows it.

    Returns
    -------
    DataFrame
        phenomenon, label, n, value (accuracy), ci_low, ci_high (95%, over premises); labels as in
        `LABELS`.

    Examples
    --------
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
    """The tags of a diagnostic set as marks for `by_phenomenon`, the most frequent first.

    Parameters
    ----------
    frame : DataFrame
        As `diagnostic` gives it.

    Returns
    -------
    dict of str to list of bool

    References
    ----------
    Mahendra et al. (2021), Table 11.

    Examples
    --------
    >>> tagged(pd.DataFrame({"tags": [["NEG", "NUM"], ["NUM"]]}))
    {'NUM': [True, True], 'NEG': [True, False]}
    """
    names = frame["tags"].explode().value_counts().index
    return {name: [name in tags for tags in frame["tags"]] for name in names}
