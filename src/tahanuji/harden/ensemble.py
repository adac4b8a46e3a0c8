"""Answers to a text and to noisy copies of it, averaged."""

import random

import numpy as np

from tahanuji import data, perturb, predict
from tahanuji.harden.defence import Defence
from tahanuji.harden.noise import Noise


class Ensemble(Defence):
    """At test the classifier answers a text and `copies` noisy ones, and the mean counts; the noise
    of a text is the same whenever it is asked.
    """

    def __init__(self, half: str | None = "hardening", copies: int = 4, seed: int = 1):
        self.noise, self.copies, self.seed = Noise(half), copies, seed

    def wrap(self, classifier):
        return Averaged(classifier, self)

    def around(self, example) -> list:
        """A text or pair with its noisy copies."""
        rng = random.Random(perturb.key(self.seed, data.text_hash(example)))
        if isinstance(example, str):
            return [example, *(self.noise(example, rng) for _ in range(self.copies))]
        parts = [self.noise(part, rng) for _ in range(self.copies) for part in example]
        return [example, *zip(parts[::2], parts[1::2], strict=True)]


class Averaged(predict.Around):
    """A classifier whose answer is the mean over a text and its noisy copies."""

    def __init__(self, classifier, ensemble: Ensemble):
        super().__init__(classifier)
        self.ensemble = ensemble

    def predict_proba(self, texts: list, precision: str = "fp32") -> np.ndarray:
        """Mean probabilities, float32 (n, labels)."""
        predict.distinct(texts)  # refuses what is no list
        asked = [one for text in texts for one in self.ensemble.around(text)]
        shares = self.classifier.predict_proba(asked, precision)
        return shares.reshape(len(texts), 1 + self.ensemble.copies, shares.shape[1]).mean(1)
