"""How much accuracy on unchanged texts a hardening may cost."""

import copy
from collections.abc import Callable
from functools import partial

import pandas as pd

from tahanuji.harden.defence import Defence
from tahanuji.harden.interpolation import SHARES, accuracy, mixed

POINTS = 1.0  # of accuracy on validation texts


class Bound(Defence):
    """The hardened classifier as it is where it has at most `points` points of accuracy less than
    the plain one; else its weights mixed with plain ones, as few as that takes. Where no mixture is
    accurate enough, the most accurate.

    A network's weights are mixed with those of the plain network. N-grams of two trainings differ:
    there the weights of the hardened n-grams are fitted once more without noise.

    Parameters
    ----------
    plain : Tfidf or Transformer
        Trained without defences.
    valid : DataFrame
        The validation texts as they are.
    points : float
        0 to 100.
    wrap : callable
        Puts in front of a classifier what stands before the hardened one.
    """

    def __init__(self, plain, valid: pd.DataFrame, points: float, wrap: Callable):
        self.plain, self.valid, self.points, self.wrap = plain, valid, points, wrap
        self.facts = {}  # what `finish` found, for people

    def fit(self, recipe, train):
        return train(recipe.changing(finish=partial(self.finish, recipe.finish, train)))

    def finish(self, before: Callable | None, train: Callable, recipe, hardened):
        """The classifier that is kept, after what another defence makes of the hardened one."""
        hardened = before(recipe, hardened) if before else hardened
        aim = accuracy(self.plain, self.valid)
        losses = {1.0: self.loss(aim, hardened)}
        other = self.plain
        if losses[1.0] > self.points and not recipe.network:
            other = train(recipe.plain().changing(start=copy.copy(hardened)))
        for share in SHARES[1:]:
            if min(losses.values()) > self.points:
                losses[share] = self.loss(aim, mixed(other, hardened, share))
        share = min(losses, key=lambda one: (max(losses[one], self.points), -one))
        found = {"share": share, "loss": losses[share], "unmixed": losses[1.0]}
        self.facts = found | {"points": self.points}
        return hardened if share == 1 else mixed(other, hardened, share)

    def loss(self, aim: float, classifier) -> float:
        """The points of accuracy that a classifier lacks behind what stands before it."""
        return round(100 * (aim - accuracy(self.wrap(classifier), self.valid)), 9)
