"""Training texts attacked by code-mixing, beside the others (the joint tuning of notebook 09)."""

import pandas as pd

from tahanuji import grid
from tahanuji.codemix import mixing
from tahanuji.harden import halves
from tahanuji.harden.defence import Defence

LANGUAGES = "en, jv, su, ms"
RATE, ALPHA = 0.4, 0.6
ROWS = 2000  # training texts that are attacked at most, of which a network needs minutes


class Adversarial(Defence):
    """The plain classifier is trained first and attacked (Adilazuarda et al., 2022, section 2.3);
    then the model is trained on the texts and on the attacked ones.
    """

    def __init__(self, half: str | None = "hardening", rows: int = ROWS):
        self.half, self.rows = half, rows

    def fit(self, recipe, train):
        plain, job = train(recipe.plain()), recipe.job
        chosen = grid.drawn(recipe.rows, self.rows, job.seed)
        how = {"rate": RATE, "seed": job.seed, "alpha": ALPHA}
        blend = mixing.named(LANGUAGES, "lexicon", "characters", job.dataset, plain, **how)
        blend.translators = [Half(one, self.half) for one in blend.translators]
        attacked = blend.attacked(plain, chosen)
        attacked = attacked[attacked["text"].to_numpy() != chosen["text"].to_numpy()]
        both = pd.concat([recipe.rows, attacked], ignore_index=True)
        both.attrs = recipe.rows.attrs
        return train(recipe.changing(rows=both))


class Half:
    """A translator that knows the words of one half alone; all else is the translator's."""

    def __init__(self, translator, half: str | None):
        self.translator, self.half = translator, half

    def translate(self, word: str) -> str | None:
        """A translation of the half, or None."""
        made = self.translator.translate(word)
        return made if made and halves.used(made, self.half) else None

    def targets(self, text: str, tokens: list) -> dict[int, str]:
        """The translations of the half in a text, by the number of the word."""
        every = self.translator.targets(text, tokens)
        return {number: made for number, made in every.items() if halves.used(made, self.half)}

    def __getattr__(self, name: str) -> object:
        return getattr(object.__getattribute__(self, "translator"), name)  # as predict.Around
