"""The normaliser in front of a classifier, at training and at test."""

from tahanuji.harden.defence import Defence
from tahanuji.harden.normalise import normaliser
from tahanuji.harden.recipe import Reading


class Normaliser(Defence):
    """Texts are normalised before the classifier learns from them or answers."""

    def __init__(self, half: str | None = "hardening"):
        self.read = normaliser(half).text

    def fit(self, recipe, train):
        return train(recipe.changing(reads=(*recipe.reads, self.read)))

    def wrap(self, classifier):
        return Reading(classifier, self.read)
