"""How a classifier is trained under defences: by the project's own fine-tuning, on texts as the
defences change them.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from tahanuji import data, examples, fingerprints, models, perturb, predict, training
from tahanuji.harden import distillation
from tahanuji.models.config import spec

__all__ = ["Reading", "Recipe", "train"]

Read = Callable[[str], str]
Draw = Callable[[str, random.Random], str]


@dataclass(frozen=True)
class Recipe:
    """A training with what defences do to it.

    Parameters
    ----------
    job : training.Job
        Model, data set, folder of the checkpoints, seed and device.
    rows, valid : DataFrame
        The training and validation splits, as `data.load` gives them.
    chosen : dict
        As `training.settings` gives them.
    name : str
        The defences, joined by `+`.
    reads : tuple of callable
        What the classifier reads of a text, at training and at test.
    draws : tuple of callable
        Noise, drawn anew for every batch.
    agreement : float
        The weight of the symmetric Kullback-Leibler divergence between the answers to a text and to
        its noisy copy.
    pairs : tuple of (str, str, str)
        Two wordings of one meaning, whose answers are compared as well, and their label; an empty
        one is not learned.
    dropout : float
        How often a word piece is refused in training, 0 to 1.
    copies : int
        Noisy copies of each text for models that see their texts once.
    start : classifier, optional
        What is trained on; a fresh one unless given.
    finish : callable, optional
        What makes the classifier of the recipe and of what its training gave.
    """

    job: training.Job
    rows: pd.DataFrame
    valid: pd.DataFrame
    chosen: dict
    name: str = ""
    reads: tuple[Read, ...] = ()
    draws: tuple[Draw, ...] = ()
    agreement: float = 0.0
    pairs: tuple[tuple[str, str, str], ...] = ()
    dropout: float = 0.0
    copies: int = 1
    start: object = None
    finish: Callable[["Recipe", object], object] | None = None

    @property
    def network(self) -> bool:
        """Whether the model is a network, which meets its texts batch by batch."""
        return spec(self.job.model_name)["kind"] != "tfidf"

    @property
    def online(self) -> bool:
        """Whether texts are drawn anew for every batch, or learned from with more than a label."""
        return self.network and bool(self.draws or self.pairs or self.dropout or self.taught)

    @property
    def taught(self) -> bool:
        """Whether the rows hold shares of labels, as teachers give them."""
        return not distillation.shares(self.rows).empty

    def text(self, example, rng: random.Random | None = None):
        """A text or pair as the classifier reads it, with noise where a generator is given."""
        if not isinstance(example, str):
            return tuple(self.text(part, rng) for part in example)
        for draw in self.draws if rng else ():
            example = draw(example, rng)
        for read in self.reads:
            example = read(example)
        return example

    def changing(self, **fields) -> "Recipe":
        """The same with other fields."""
        return replace(self, **fields)

    def plain(self) -> "Recipe":
        """The same training without noise, in a folder of its own."""
        none = {"draws": (), "agreement": 0.0, "pairs": (), "dropout": 0.0, "finish": None}
        return replace(self, job=self.job.below("plain"), name=f"{self.name}, plain", **none)


def train(recipe: Recipe):
    """The classifier that a recipe makes, at its best epoch.

    A network meets noise that is drawn anew for every batch, half of which stays clean; a model
    that sees its texts once gets noisy copies beside them.

    Parameters
    ----------
    recipe : Recipe

    Returns
    -------
    Tfidf or Transformer
        Its checkpoints are in the job's folder.

    Raises
    ------
    InputError
        As `training.fine_tune`, and for a defence that the model cannot take.
    """
    job, chosen = recipe.job, recipe.chosen
    classifier = recipe.start or training.fresh(job, chosen)
    valid = described(recipe, read(recipe, recipe.valid))
    rows = described(recipe, recipe.rows.copy() if recipe.online else with_copies(recipe))
    training.fine_tune(_drawing(recipe), classifier, rows, valid, chosen)
    # A training that was complete already leaves the classifier as it began.
    classifier = models.load(job.folder / "best", classifier.labels, job.device)
    return recipe.finish(recipe, classifier) if recipe.finish else classifier


def _drawing(recipe: Recipe) -> training.Job:
    """The job, which draws its texts where the recipe asks for it."""
    if not recipe.online:
        return recipe.job
    from tahanuji.harden import online  # loads torch, which tfidf can do without

    return replace(recipe.job, online=partial(online.drawing, recipe))


def read(recipe: Recipe, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame as the classifier reads its texts."""
    return _with(frame, [recipe.text(example) for example in data.inputs(frame)])


def with_copies(recipe: Recipe) -> pd.DataFrame:
    """The training rows and noisy copies of them, as the classifier reads them: each text as often
    clean as noisy.
    """
    clean = read(recipe, recipe.rows)
    if not recipe.draws:
        return clean
    frames = []
    for copy in range(recipe.copies):
        rngs = [
            random.Random(perturb.key(recipe.job.seed, f"copy {copy} of {name}"))
            for name in recipe.rows["id"]
        ]
        pairs = zip(data.inputs(recipe.rows), rngs, strict=True)
        frames += [clean, _with(recipe.rows, [recipe.text(one, rng) for one, rng in pairs])]
    return pd.concat(frames, ignore_index=True)


def _with(frame: pd.DataFrame, texts: list) -> pd.DataFrame:
    return frame.assign(**examples.as_columns(texts, "text", "text_pair"))


def described(recipe: Recipe, frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose facts name the defences and their code, by which a finished training is
    recognised.
    """
    acting = {one.__module__ for one in (*recipe.draws, *recipe.reads)}
    own = sorted(name for name in acting if name.startswith("tahanuji"))
    behind = fingerprints.behind("tahanuji.harden.defences", "tahanuji.harden.online", *own)
    source = recipe.rows.attrs["source"]
    shares = distillation.shares(recipe.rows).to_numpy().tolist()
    texts = fingerprints.facts([data.inputs(recipe.rows), list(recipe.rows["label"]), shares])
    settings = [recipe.agreement, recipe.dropout, recipe.copies]
    facts = {"defence": recipe.name, "defence_settings": settings, "defence_code": behind}
    facts["defence_texts"] = texts
    if recipe.pairs:
        facts["defence_pairs"] = fingerprints.facts(recipe.pairs)
    return data.describe(frame, **{**source, **frame.attrs.get("source", {}), **facts})


class Reading(predict.Around):
    """A classifier that reads texts as a function makes them; all else is its own.

    >>> from types import SimpleNamespace
    >>> echo = SimpleNamespace(predict_proba=lambda texts, precision: texts)
    >>> Reading(echo, str.lower).predict_proba(["ENAK", ("Ya", "Tidak")])
    ['enak', ('ya', 'tidak')]
    """

    def __init__(self, classifier, read: Read):
        super().__init__(classifier)
        self.read = read

    def predict_proba(self, texts: list, precision: str = "fp32") -> np.ndarray:
        """The classifier's probabilities of what it reads, float32 (n, labels)."""
        distinct, rows_of = predict.distinct(texts)
        made = [
            self.read(one) if isinstance(one, str) else tuple(map(self.read, one))
            for one in distinct
        ]
        return self.classifier.predict_proba([made[row] for row in rows_of], precision)
