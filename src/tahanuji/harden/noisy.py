"""Noise in training: every batch a new draw, half of it clean."""

from tahanuji.harden.defence import Defence
from tahanuji.harden.noise import Noise


class Noisy(Defence):
    """Half of what the classifier learns from is noisy; `agreement` weighs the symmetric
    Kullback-Leibler divergence between the answers to a text and to its noisy copy (networks
    alone).
    """

    def __init__(self, half: str | None = "hardening", agreement: float = 0.0):
        self.noise, self.agreement = Noise(half), agreement

    def without(self, family: str) -> "Noisy":
        """The same without a family of noise, of `noise.FAMILIES`."""
        self.noise = self.noise.without(family)
        return self

    def fit(self, recipe, train):
        weight = max(recipe.agreement, self.agreement)
        return train(recipe.changing(draws=(*recipe.draws, self.noise), agreement=weight))
