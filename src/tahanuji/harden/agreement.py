"""Noise in training, with a term that asks for the same answer to a text and to its noisy copy."""

from tahanuji.errors import InputError
from tahanuji.harden.noisy import Noisy


class Agreement(Noisy):
    """`Noisy` with a weight of the divergence; networks alone.

    After the consistency term of Miyato et al. (2019), symmetric as in R-Drop (Liang et al., 2021).
    """

    def __init__(self, half: str | None = "hardening", agreement: float = 0.5):
        super().__init__(half, agreement)

    def refuse(self, recipe):
        if not recipe.network:
            raise InputError(
                f"agreement needs a network, and {recipe.job.model_name} is none; use noise."
            )

    def fit(self, recipe, train):
        self.refuse(recipe)
        return super().fit(recipe, train)
