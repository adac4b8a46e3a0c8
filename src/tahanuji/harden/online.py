"""Texts that are drawn anew for every batch of a network's training."""

import functools
import random
from collections.abc import Callable

import pandas as pd
from torch.nn.functional import cross_entropy, kl_div
from torch.utils.data import Dataset
from transformers import Trainer

from tahanuji import data, perturb
from tahanuji.errors import InputError
from tahanuji.harden import distillation
from tahanuji.harden.recipe import Recipe
from tahanuji.models import inference


def drawing(recipe: Recipe, classifier, rows: pd.DataFrame) -> tuple[Dataset, Callable]:
    """Training rows that draw their texts by a recipe, and the Trainer for them (`Job.online`)."""
    kind = Taught if recipe.taught else Trainer
    if recipe.agreement:
        kind = functools.partial(Agreeing, weight=recipe.agreement)
    return Drawn(recipe, classifier, rows), kind


BESIDE = 0.5  # pairs of wordings in a batch, as a share of its rows
NO_LABEL = -100  # which the cross-entropy leaves out


class Drawn(Dataset):
    """Training rows, of which every second draw of each is noisy, beginning with either by chance.

    Where answers are compared a batch holds its texts clean first and noisy behind; the formal
    wordings of pairs are among the first, the informal ones among the others.
    """

    def __init__(self, recipe: Recipe, classifier, rows: pd.DataFrame):
        self.recipe, self.classifier = recipe, classifier
        self.inputs, self.ids = data.inputs(rows), list(rows["id"])
        self.columns = dict(zip(classifier.labels, classifier.columns, strict=True))
        self.labels = [self.columns[label] for label in rows["label"]]
        if recipe.taught:
            shares = distillation.shares(rows)
            self.labels = shares[sorted(self.columns, key=self.columns.get)].to_numpy().tolist()
        self.draws = [0] * len(rows)
        self.vocabulary = word_pieces(classifier.tokenizer) if recipe.dropout else {}

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, row: int) -> dict:
        rng = self._rng(row)
        start = perturb.key(self.recipe.job.seed, self.ids[row]) + self.draws[row]
        return self._features(row, rng, noisy=bool(self.recipe.draws) and start % 2 == 0)

    def __getitems__(self, rows: list[int]) -> list[dict]:
        if not self.recipe.agreement:
            return [self[row] for row in rows]
        rngs = [self._rng(row) for row in rows]
        own = list(zip(rows, rngs, strict=True))
        pairs = self.recipe.pairs and rngs[0].sample(self.recipe.pairs, round(BESIDE * len(rows)))
        batch = []
        for side, noisy in enumerate((False, True)):
            batch += [self._features(*one, noisy=noisy) for one in own]
            batch += [self._wording(pair[side], pair[-1]) for pair in pairs]
        return batch

    def _rng(self, row: int) -> random.Random:
        self.draws[row] += 1
        name = f"draw {self.draws[row]} of {self.ids[row]}"
        return random.Random(perturb.key(self.recipe.job.seed, name))

    def _wording(self, text: str, label: str) -> dict:
        """The features of a wording."""
        number = self.columns[label] if label else NO_LABEL
        shares = [float(column == number) for column in range(len(self.columns))]
        known = shares if self.recipe.taught else number
        return self._encoded(self.recipe.text(text)) | {"labels": known}

    def _encoded(self, text) -> dict:
        one = self.classifier
        pieces = inference.encode(one.model, one.tokenizer, [text], one.max_length)
        return {name: column[0] for name, column in pieces.items()}

    def _features(self, row: int, rng: random.Random, noisy: bool) -> dict:
        text, one = self.recipe.text(self.inputs[row], rng if noisy else None), self.classifier
        features = self._encoded(text)
        if self.vocabulary and isinstance(text, str):
            ids = cut(one.tokenizer, self.vocabulary, text, self.recipe.dropout, rng)
            ids = ids[: one.max_length - 2]
            framed = [one.tokenizer.cls_token_id, *ids, one.tokenizer.sep_token_id]
            features = {"input_ids": framed, "attention_mask": [1] * len(framed)}
        return features | {"labels": self.labels[row]}


class Taught(Trainer):
    """A Trainer whose loss is the cross-entropy with labels or with shares of labels (Hinton et
    al., 2015, *Distilling the knowledge in a neural network*, at temperature 1).
    """

    def compute_loss(self, model, inputs, return_outputs=False, **options):
        labels = inputs["labels"]
        outputs = model(**{name: value for name, value in inputs.items() if name != "labels"})
        loss = cross_entropy(outputs["logits"].float(), labels)
        return (loss, outputs) if return_outputs else loss


class Agreeing(Taught):
    """A Trainer whose loss has the symmetric Kullback-Leibler divergence between the answers to the
    first half of a batch and to the second.
    """

    def __init__(self, *values, weight: float, **options):
        super().__init__(*values, **options)
        self.weight = weight

    def compute_loss(self, model, inputs, return_outputs=False, **options):
        loss, outputs = super().compute_loss(model, inputs, return_outputs=True, **options)
        if model.training:
            one, other = outputs["logits"].float().log_softmax(-1).chunk(2)
            apart = [
                kl_div(*pair, log_target=True, reduction="batchmean")
                for pair in ((one, other), (other, one))
            ]
            loss = loss + self.weight * sum(apart) / 2
        return (loss, outputs) if return_outputs else loss


def word_pieces(tokenizer) -> dict[str, int]:
    """The vocabulary of a word-piece tokenizer; InputError for another one."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or type(backend.model).__name__ != "WordPiece":
        raise InputError("pieces needs a tokenizer of word pieces, as BERT has.")
    return tokenizer.get_vocab()


def cut(tokenizer, vocabulary: dict[str, int], text: str, rate: float, rng: random.Random):
    """The pieces of a text by number, each longest match refused at a rate."""
    backend, ids = tokenizer.backend_tokenizer, []
    plain = backend.normalizer.normalize_str(text) if backend.normalizer else text
    for word, _ in backend.pre_tokenizer.pre_tokenize_str(plain):
        ids += _pieces(word, vocabulary, rate, rng) or [tokenizer.unk_token_id]
    return ids


def _pieces(word: str, vocabulary: dict[str, int], rate: float, rng: random.Random) -> list[int]:
    """The pieces of one word; none where a letter is unknown."""
    ids, start = [], 0
    while start < len(word):
        ends = [
            end
            for end in range(len(word), start, -1)
            if ("##" * (start > 0) + word[start:end]) in vocabulary
        ]
        if not ends:
            return []
        end = next((one for one in ends[:-1] if rng.random() >= rate), ends[-1])
        ids.append(vocabulary["##" * (start > 0) + word[start:end]])
        start = end
    return ids
