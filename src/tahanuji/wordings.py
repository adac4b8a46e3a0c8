"""How much a generative model's answers hang on the wording of its prompt."""

from itertools import combinations

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from tahanuji import data, measure, predict
from tahanuji.models import prompts

__all__ = ["asked", "measured", "takes_wordings"]

TEST = "prompts"


def takes_wordings(classifier) -> bool:
    """Whether a classifier is asked in words, so that they can be changed.

    >>> from tahanuji import models
    >>> takes_wordings(models.build("tfidf", ["positive", "negative"]))
    False
    """
    return isinstance(classifier, prompts.Worded)


def asked(classifier, frame: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """A model's answers to the same texts in every wording that data/prompts has for its labels.

    `prompt, language, id, gold, label`, of pairs also `cluster`; a row per wording and text, the
    model's own wording first.
    """
    own, parts = classifier.wording.name, []
    there = prompts.wordings(classifier.labels)
    for name in sorted(there, key=lambda name: name != own):
        worded = classifier.reworded(name)
        given = worded.predict_proba(data.inputs(frame), precision)
        rows = predict.classified(frame, given, classifier.labels)
        rows = rows[[column for column in ("id", "gold", "label", "cluster") if column in rows]]
        parts.append(rows.assign(prompt=name, language=there[name].language))
    together = pd.concat(parts, ignore_index=True)
    return together[["prompt", "language", *parts[0].columns.drop(["prompt", "language"])]]


def measured(answers: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """What wordings change: the scores in each of them, and their spread.

    `measure.COLUMNS` of the test "prompts". Per wording (`group`) accuracy, macro-F1, `flip_rate`
    (of texts, those with another label than in the first wording) and `unparsable_share`. Of group
    "all" the mean accuracy, with an interval for other wordings and other texts at once,
    `accuracy_lowest` and `_highest`; `pair_flip_rate`, the mean share of texts whose label two
    wordings change, and that of the nearest and the farthest two; `same_share`, of texts with one
    label in all wordings; and Fleiss's kappa of the wordings.

    Source: Fleiss (1971), *Measuring nominal scale agreement among many raters*.

    >>> answers = {"prompt": list("ppqq"), "id": list("xyxy")}
    >>> answers |= {"gold": list("abab"), "label": list("abaa")}
    >>> table = measured(pd.DataFrame(answers), ["a", "b"], 1)
    >>> table[table["metric"] == "same_share"]["value"].to_list()
    [0.5]
    """
    grouped = dict(list(answers.groupby("prompt", sort=False)))
    first = next(iter(grouped.values()))
    table = []
    for name, rows in grouped.items():
        clusters, n = rows.get("cluster"), len(rows)
        said = rows["gold"], rows["label"]
        shares = {
            "accuracy": (rows["label"] == rows["gold"]).to_numpy(),
            "flip_rate": rows["label"].to_numpy() != first["label"].to_numpy(),
            "unparsable_share": (rows["label"] == predict.UNPARSABLE).to_numpy(),
        }
        table += [(name, key, *measure.share_of(yes, clusters), n) for key, yes in shares.items()]
        table.append((name, "macro_f1", *measure.bootstrapped(*said, labels, "macro_f1", seed), n))
    table += [("all", *row) for row in _spread(grouped, first.get("cluster"))]
    return pd.DataFrame([(TEST, float("nan"), *row) for row in table], columns=measure.COLUMNS)


def _spread(grouped: dict[str, pd.DataFrame], clusters) -> list[tuple]:
    """Metric, value, interval and n of what holds over all wordings."""
    labels = np.array([rows["label"].to_list() for rows in grouped.values()], dtype=object)
    right = np.array([(rows["label"] == rows["gold"]).to_list() for rows in grouped.values()])
    n, none = labels.shape[1], (float("nan"),) * 2
    pairs = [labels[one] != labels[two] for one, two in combinations(range(len(labels)), 2)]
    flips, means = np.mean(pairs, axis=1), right.mean(axis=1)
    mean, moved = (
        measure.over_seeds_and_rows(rows, clusters) for rows in (right, [np.mean(pairs, axis=0)])
    )
    same = (labels == labels[0]).all(axis=0)
    codes = pd.factorize(labels.ravel())[0].reshape(labels.shape).T
    return [
        ("accuracy", mean.mean, mean.low, mean.high, n),
        ("accuracy_lowest", float(means.min()), *none, n),
        ("accuracy_highest", float(means.max()), *none, n),
        ("pair_flip_rate", moved.mean, moved.low, moved.high, n),
        ("pair_flip_rate_lowest", float(flips.min()), *none, n),
        ("pair_flip_rate_highest", float(flips.max()), *none, n),
        ("same_share", *measure.share_of(same, clusters), n),
        ("fleiss_kappa", float(fleiss_kappa(aggregate_raters(codes)[0])), *none, n),
    ]
