"""Rare labels: logits lowered by the shares of the labels in the training texts."""

import copy

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, f1_score

from tahanuji import data, predict
from tahanuji.errors import InputError
from tahanuji.harden import defences
from tahanuji.models.tfidf import Tfidf

__all__ = ["STRENGTHS", "adjusted", "chosen"]

STRENGTHS = (0.0, 0.25, 0.5, 0.75, 1.0)


def chosen(classifier, train: pd.DataFrame, valid: pd.DataFrame) -> tuple[object, pd.DataFrame]:
    """A copy of a classifier that answers rare labels more often, as often as serves macro-F1 on
    validation texts best.

    Parameters
    ----------
    classifier
        A network or n-grams, behind defences or not.
    train, valid : DataFrame
        As `data.load` gives them; of the first the shares of the labels count.

    Returns
    -------
    tuple
        The copy, and `strength, accuracy, macro_f1` on the validation texts; the least strength of
        the best ones is taken.

    Raises
    ------
    InputError
        As `adjusted`, and where the training texts lack a label.
    """
    labels = list(classifier.labels)
    shares = train["label"].value_counts(normalize=True).reindex(labels, fill_value=0)
    if not shares.all():
        raise InputError(f"the training texts have no {shares.idxmin()}.")
    amounts = np.log(shares.to_numpy())
    scores = np.log(np.maximum(classifier.predict_proba(data.inputs(valid)), 1e-12))
    table = []
    for strength in STRENGTHS:
        said = predict.named(np.exp(scores - strength * amounts), labels)
        share = accuracy_score(valid["label"], said)
        table.append((strength, share, f1_score(valid["label"], said, average="macro")))
    found = pd.DataFrame(table, columns=["strength", "accuracy", "macro_f1"])
    best = found.loc[found["macro_f1"].idxmax(), "strength"]
    return adjusted(classifier, best * amounts), found


def adjusted(classifier, amounts: np.ndarray):
    """A copy of a network or of n-grams, behind defences or not, whose logits are lower by an
    amount in nats for each of its labels: in the layer that gives them, so that whatever reads the
    weights answers alike. InputError for other classifiers, and a last layer without bias.

    Source: Menon et al. (2021), *Long-tail learning via logit adjustment*, section 4.1, with the
    logarithm of a label's share of the training texts as the amount.

    >>> adjusted(object(), np.zeros(2))
    Traceback (most recent call last):
    tahanuji.errors.InputError: object is neither a network nor n-grams.
    """
    made = copy.deepcopy(classifier)
    own = defences.behind(made)
    if isinstance(own, Tfidf):
        regression = own.pipeline[-1]
        lower = np.array([amounts[own.labels.index(label)] for label in regression.classes_])
        two = len(regression.intercept_) == 1  # one logit, that of the second label
        regression.intercept_ = regression.intercept_ - (np.diff(lower) if two else lower)
    elif hasattr(own, "model"):
        _lower(own, amounts)
    else:
        raise InputError(f"{type(own).__name__} is neither a network nor n-grams.")
    return made


def _lower(network, amounts: np.ndarray) -> None:
    import torch

    layers = [one for one in network.model.modules() if isinstance(one, torch.nn.Linear)]
    last = [one for one in layers if one.out_features == network.model.config.num_labels][-1]
    if last.bias is None:
        raise InputError("the layer that gives the logits has no bias.")
    with torch.no_grad():
        last.bias[network.columns] -= torch.tensor(amounts, dtype=last.bias.dtype)
    network.converted.clear()
