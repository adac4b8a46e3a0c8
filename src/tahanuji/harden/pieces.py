"""Word pieces that are refused at random in training, so that a word is met in many cuts."""

from tahanuji.errors import InputError
from tahanuji.harden.defence import Defence


class Pieces(Defence):
    """MaxMatch-Dropout (Hiraoka, 2022): each longest match of a word-piece tokenizer is refused at
    a rate, and the next shorter one is taken.
    """

    def __init__(self, half: str | None = None, rate: float = 0.1):
        self.rate = rate

    def refuse(self, recipe):
        if not recipe.network:
            raise InputError(
                f"pieces needs a network with word pieces, and {recipe.job.model_name} is none."
            )

    def fit(self, recipe, train):
        self.refuse(recipe)
        return train(recipe.changing(dropout=self.rate))
