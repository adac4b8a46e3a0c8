"""How well the network guesses masked pieces of held-out texts, with the same masks at every
evaluation.
"""

import numpy as np
import pandas as pd
import torch
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM, BertTokenizer

from tahanuji import measure
from tahanuji.pretraining import packing
from tahanuji.pretraining.vocabulary import resampled

__all__ = ["FixedMasks", "metrics", "summary"]

MASK_SEED = 2020  # of held-out masks: the same for every run, whatever its seed
TOKENS = 8192  # a forward pass
LENGTH = 128  # of the blocks of the learning curve
GUESSING = ["masked_accuracy", "masked_loss", "unigram_loss", "perplexity"]
SUMS = ["guessed", "right", "loss", "unigram_loss"]
COLUMNS = ["set", "length", "block", *SUMS]


class FixedMasks:
    """Held-out texts by the name of their set, as blocks of one length, masked as in training, once
    and for all.
    """

    def __init__(self, tokenizer: BertTokenizer, texts: dict[str, list[str]], length: int = LENGTH):
        self.length, self.sets, masking = length, {}, packing.Masking(tokenizer)
        for name, members in texts.items():
            blocks = packing.pack(packing.encode(tokenizer, members), length, tokenizer)
            self.sets[name] = masking(blocks, np.random.default_rng([MASK_SEED, length]))

    def __call__(
        self,
        model: BertForMaskedLM,
        dtype: torch.dtype = torch.float32,
        pieces: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """A row of COLUMNS per block, losses summed over its guessed pieces, in nats.

        `pieces` are those of the training texts, as `packing.encode` gives them; `unigram_loss` is
        that of guessing each piece by how often it stands there (plus one).
        """
        kinds = model.config.vocab_size
        counts = (
            np.full(kinds, np.nan) if pieces is None else np.bincount(pieces, minlength=kinds) + 1
        )
        frequency, parts = -np.log(counts / counts.sum()), []
        for name, (inputs, labels) in self.sets.items():
            asked = labels != packing.IGNORED
            right, loss = _guess(model, inputs, labels, dtype)
            guessed = np.where(asked, frequency[np.where(asked, labels, 0)], 0)
            sums = np.stack([part.sum(1) for part in (asked, right, loss, guessed)], axis=1)
            part = pd.DataFrame(sums, columns=SUMS).astype({"guessed": int, "right": int})
            places = {"set": name, "length": self.length, "block": range(len(part))}
            parts.append(part.assign(**places)[COLUMNS])
        return pd.concat(parts, ignore_index=True)


@torch.inference_mode()
def _guess(
    model: BertForMaskedLM, inputs: np.ndarray, labels: np.ndarray, dtype: torch.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each piece was guessed, and the loss on it, (blocks, length); 0 where nothing was
    asked.
    """
    model.eval()
    right, loss = np.zeros(inputs.shape), np.zeros(inputs.shape)
    size = max(1, TOKENS // inputs.shape[1])
    for rows in (slice(start, start + size) for start in range(0, len(inputs), size)):
        shown, gold = (torch.from_numpy(part[rows]).to(model.device) for part in (inputs, labels))
        asked = gold != packing.IGNORED
        with torch.autocast(model.device.type, dtype, enabled=dtype != torch.float32):
            logits = model.cls(model.bert(shown).last_hidden_state[asked]).float()
        place = asked.cpu().numpy()
        right[rows][place] = (logits.argmax(-1) == gold[asked]).cpu().numpy()
        loss[rows][place] = cross_entropy(logits, gold[asked], reduction="none").cpu().numpy()
    return right, loss


def summary(rows: pd.DataFrame) -> dict[str, float]:
    """`<set>_loss` and `<set>_accuracy` of every set of the rows of FixedMasks."""
    sums = rows.groupby("set", sort=False)[["guessed", "right", "loss"]].sum()
    means = sums.div(sums["guessed"], axis=0)[["loss", "right"]]
    means.columns = ["loss", "accuracy"]
    return {f"{name}_{what}": float(value) for (name, what), value in means.stack().items()}


def metrics(rows: pd.DataFrame, fertility: pd.DataFrame, seed: int) -> pd.DataFrame:
    """`measure.COLUMNS` of the blocks of FixedMasks of every length (n: guessed pieces) and of the
    rows of `vocabulary.fertility` (n: words).

    A test is a set of texts, its group `length <n>` for blocks that are not `LENGTH` long.
    Intervals of losses and accuracy: bootstrap over blocks, because the guesses of a block share
    their text. `perplexity` is e to the masked loss; it is not the pseudo-perplexity of Salazar et
    al. (2020), which masks one piece at a time.
    """
    measured, nan = [], float("nan")
    for (name, length), part in rows.groupby(["set", "length"], sort=False):
        group = "all" if length == LENGTH else f"length {length}"
        values, n = _guessing(part[SUMS].to_numpy(dtype=float), seed)
        measured += [(name, nan, group, *value, n) for value in values]
    for row in fertility.itertuples():
        shares = {"continued_share": row.continued, "unknown_share": row.unknown}
        values = [("fertility", row.fertility, row.ci_low, row.ci_high)]
        for metric, value in shares.items():
            values.append((metric, *measure.share(round(value * row.words), row.words)))
        measured += [(row.set, nan, "all", *value, row.words) for value in values]
    return pd.DataFrame(measured, columns=measure.COLUMNS)


def _guessing(sums: np.ndarray, seed: int) -> tuple[list[tuple], int]:
    """The measures of GUESSING with their intervals from SUMS (blocks, 4), and the guesses."""
    total, drawn = sums.sum(0), resampled(sums, seed)
    ends = [measure.interval(drawn[:, at] / drawn[:, 0]) for at in (1, 2, 3)]
    values = [(total[at] / total[0], *ends[at - 1]) for at in (1, 2, 3)]
    values.append(tuple(np.exp(values[1])))
    return [(name, *value) for name, value in zip(GUESSING, values, strict=True)], int(total[0])
