"""Words left out in training: for a classifier that is asked about texts with words left out."""

import random

from tahanuji import data, examples, perturb
from tahanuji.harden.defence import Defence

RATES = (0.5, 0.95)  # shares of words, from and to
COPIES = 2  # of each text, for models that see their texts once


class Deletion(Defence):
    """Half of what the classifier learns from has words left out at random, at a rate drawn for
    each text, and so has all by which its best epoch is chosen. What `proof.smoothed` certifies is
    the answer to such texts.
    """

    def __init__(self, half: str | None = None):
        """No word of a lexicon is needed, whatever the half."""

    def fit(self, recipe, train):
        draws = (*recipe.draws, drop)
        bare = recipe.changing(draws=draws, reads=())  # what is read is read in training
        names = [f"words left out of {name}" for name in recipe.valid["id"]]
        rngs = [random.Random(perturb.key(recipe.job.seed, name)) for name in names]
        texts = [bare.text(*pair) for pair in zip(data.inputs(recipe.valid), rngs, strict=True)]
        valid = recipe.valid.assign(**examples.as_columns(texts, "text", "text_pair"))
        return train(recipe.changing(draws=draws, copies=COPIES, valid=valid))


def drop(text: str, rng: random.Random) -> str:
    """A text in which every white-space word is left out with a probability, drawn anew.

    >>> drop("kopi di sini enak sekali", random.Random(1))
    'kopi di'
    """
    return shortened(text, rng.uniform(*RATES), rng)


def shortened(text: str, rate: float, rng: random.Random) -> str:
    """A text in which every white-space word is left out with a probability.

    >>> shortened("kopi di sini enak sekali", 0.5, random.Random(1))
    'di sini'
    """
    return " ".join(word for word in text.split() if rng.random() >= rate)
