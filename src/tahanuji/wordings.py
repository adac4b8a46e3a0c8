"""How much a generative model's answers hang on the wording of its prompt."""

from itertools import combinations

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from tahanuji import behaviour, data, measure, predict
from tahanuji.models import prompts

__all__ = ["asked", "measured", "sentences", "takes_wordings"]

TEST = "prompts"


def takes_wordings(classifier) -> bool:
    """Whether a classifier is asked in words, so that they can be changed.

    Parameters
    ----------
    classifier
        Anything with `predict_proba`.

    Returns
    -------
    bool

    Examples
    --------
    >>> from tahanuji import models
    >>> takes_wordings(models.build("tfidf", ["positive", "negative"]))
    False
    """
    return isinstance(classifier, prompts.Worded)


def asked(classifier, frame: pd.DataFrame, precision: str = "fp32") -> pd.DataFrame:
    """A model's answers to the same texts in every wording that data/prompts has for its labels.

    Parameters
    ----------
    classifier : Generative or Endpoint
        Its weights, server and settings stay, and only the wording changes.
    frame : DataFrame
        Columns `id, text, label`, and `text_pair` where examples are pairs.
    precision : str
        As `predict.together` takes it.

    Returns
    -------
    DataFrame
        `prompt, language, id, gold, label`, of pairs also `cluster`; a row per wording and text,
        the model's own wording first.
    """
    own, parts = classifier.wording.name, []
    there = prompts.wordings(classifier.labels)
    for name in sorted(there, key=lambda name: name != own):
        worded = classifier.reworded(name)
        given = worded.predict_proba(data.inputs(frame), precision)
        rows = behaviour.classified(frame, given, classifier.labels)
        rows = rows[[column for column in ("id", "gold", "label", "cluster") if column in rows]]
        parts.append(rows.assign(prompt=name, language=there[name].language))
    together = pd.concat(parts, ignore_index=True)
    return together[["prompt", "language", *parts[0].columns.drop(["prompt", "language"])]]


def measured(answers: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """What wordings change: the scores in each of them, and their spread.

    Parameters
    ----------
    answers : DataFrame
        As `asked` gives them.
    labels : list of str
        The labels in their order.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS` of the test "prompts". Per wording (`group`) accuracy, macro-F1,
        `flip_rate` (of texts, those with another label than in the first wording) and
        `unparsable_share`. Of group "all" the mean accuracy, with an interval for other wordings
        and other texts at once, `accuracy_lowest` and `_highest`; `pair_flip_rate`, the mean share
        of texts whose label two wordings change, and that of the nearest and the farthest two;
        `same_share`, of texts with one label in all wordings; and Fleiss's kappa of the wordings.

    References
    ----------
    Fleiss (1971), *Measuring nominal scale agreement among many raters*.

    Examples
    --------
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


def sentences(table: pd.DataFrame, model_name: str) -> list[str]:
    """The spread over wordings in words.

    Parameters
    ----------
    table : DataFrame
        As `measured` gives it.
    model_name : str
        What the sentences call the model.

    Returns
    -------
    list of str

    Examples
    --------
    >>> answers = {"prompt": ["p"] * 3 + ["q"] * 3, "id": list("xyz") * 2}
    >>> answers |= {"gold": list("aba") * 2, "label": list("aba") + list("aaa")}
    >>> print(sentences(measured(pd.DataFrame(answers), ["a", "b"], 1), "qwen")[0])
    qwen's accuracy is 66.7% in its worst wording (q) and 100.0% in its best (p), of 2.
    """
    of = table[table["group"] == "all"].set_index("metric")["value"]
    each = table[(table["metric"] == "accuracy") & (table["group"] != "all")]
    each = each.set_index("group")["value"]
    return [
        f"{model_name}'s accuracy is {each.min():.1%} in its worst wording ({each.idxmin()}) and "
        f"{each.max():.1%} in its best ({each.idxmax()}), of {len(each)}.",
        f"Two wordings give another label to {of['pair_flip_rate']:.1%} of the texts on average "
        f"({of['pair_flip_rate_lowest']:.1%} to {of['pair_flip_rate_highest']:.1%}); "
        f"{of['same_share']:.1%} have one label in all wordings (Fleiss's kappa "
        f"{of['fleiss_kappa']:.2f}).",
    ]
