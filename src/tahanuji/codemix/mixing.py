"""Texts mixed with one language each: by the attack, or at random without any model."""

import hashlib
from dataclasses import dataclass
from functools import partial
from random import Random

import pandas as pd

from tahanuji import data, perturb
from tahanuji.codemix import blend, search


@dataclass
class Blend:
    """What mixes the texts of a frame, each with one language.

    Parameters
    ----------
    translators : list of Translator
        One per language; each text's is drawn by its id.
    rate : float
        Share of a text's words to exchange, 0 to 1.
    seed : int
        Of all draws.
    options : dict
        Other arguments of `blend.attack_many`.

    References
    ----------
    Adilazuarda et al. (2022), section 2.3.

    Examples
    --------
    >>> from tahanuji.codemix.dictionaries import Dictionary
    >>> frame = pd.DataFrame({"id": ["a"], "text": ["Enak, murah!"], "label": ["positive"]})
    >>> [len(part) for _, part in Blend([Dictionary("own", "en", [])], 0.4, 1, {}).shares(frame)]
    [1]
    """

    translators: list
    rate: float
    seed: int
    options: dict

    def shares(self, frame: pd.DataFrame) -> list[tuple]:
        """Each translator with the rows of the frame that its language was drawn for, by the rows'
        ids.
        """
        drawn = [
            perturb.key(self.seed, f"language of {example}") % len(self.translators)
            for example in frame["id"]
        ]
        parts = [
            (translator, frame[[place == number for place in drawn]])
            for number, translator in enumerate(self.translators)
        ]
        return [(translator, part) for translator, part in parts if len(part)]

    def attacked(self, classifier, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with its texts attacked, in the same order; texts that are not classified
        rightly stay as they are (Algorithm 1).
        """
        perturbed_texts = {}
        for translator, part in self.shares(frame):
            attacked = blend.attack(
                classifier, part, translator, self.rate, self.seed, **self.options
            )
            perturbed_texts |= dict(zip(attacked["id"], attacked["perturbed"], strict=True))
        return self._described(frame, perturbed_texts, "attacked")

    def randomly(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The frame with the same share of words mixed in random order, whatever any model says of
        them.
        """
        perturbed_texts = {}
        for translator, part in self.shares(frame):
            mixes = random_mixes(part, translator, self.rate, self.seed, self.options)
            perturbed_texts |= dict(zip(part["id"], (mix.perturbed for mix in mixes), strict=True))
        return self._described(frame, perturbed_texts, "mixed at random")

    def _described(self, frame: pd.DataFrame, texts: dict[str, str], how: str) -> pd.DataFrame:
        mixed = frame.assign(text=[texts[example] for example in frame["id"]])
        source = frame.attrs["source"]
        digest = hashlib.sha256("\n".join(mixed["text"]).encode()).hexdigest()
        facts = {
            "name": f"{source['name']}, {how}",
            "sha256": digest,
            "mixed": round(float((mixed["text"] != frame["text"]).mean()), 4),
        }
        return data.describe(mixed, **{**source, **facts})


def random_mixes(
    frame: pd.DataFrame, translator, rate: float, seed: int, options: dict
) -> list[search.Mix]:
    """Every text of a frame with words in random order exchanged, held to the same threshold as an
    attack.
    """
    rows = search.rows_of(frame, list(frame["label"]), options.get("stop_words", frozenset()), seed)
    targets = search.targets_of(translator, rows)
    ranked = search.orders(rows, [row.free for row in rows], None)
    mixes = [
        search.start(row, of_row, order, rate)
        for row, of_row, order in zip(rows, targets, ranked, strict=True)
    ]
    makers = [partial(Random, row.seed) for row in rows]
    search.settle(
        mixes,
        makers,
        options.get("similarity"),
        options.get("alpha", search.ALPHA),
        options.get("tries", 10),
    )
    return mixes
