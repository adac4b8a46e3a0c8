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
from tahanuji.pretraining.vocabulary import ratio

__all__ = ["FixedMasks", "metrics", "summary"]

MASK_SEED = 2020  # of held-out masks: the same for every run, whatever its seed
TOKENS = 8192  # a forward pass
LENGTH = 128  # of the blocks of the learning curve
GUESSING = ["masked_accuracy", "masked_loss", "unigram_loss", "perplexity"]
COLUMNS = ["set", "length", "block", "guessed", "right", "loss", "unigram_loss"]


class FixedMasks:
    """Held-out texts as blocks of one length, masked as in training, once and for all.

    Called with a model, it gives a row per block: `set, length, block, guessed, right, loss,
    unigram_loss`.

    Parameters
    ----------
    tokenizer : BertTokenizer
    texts : dict of str to list of str
        The held-out sets by name.
    length : int
        Pieces of a block.
    """

    def __init__(self, tokenizer: BertTokenizer, texts: dict[str, list[str]], length: int = LENGTH):
        self.length, masking = length, packing.Masking(tokenizer)
        packed = {
            name: packing.pack(packing.encode(tokenizer, held_out), length, tokenizer)
            for name, held_out in texts.items()
        }
        self.sets = {
            name: masking(blocks, np.random.default_rng([MASK_SEED, length]))
            for name, blocks in packed.items()
        }

    def __call__(
        self,
        model: BertForMaskedLM,
        dtype: torch.dtype = torch.float32,
        pieces: np.ndarray | None = None,
    ) -> pd.DataFrame:
        """`set, length, block, guessed, right, loss, unigram_loss`, a row per block, losses summed
        over its guessed pieces, in nats.

        `pieces` counts the vocabulary's pieces in the training texts; `unigram_loss` is that of
        guessing by these counts (plus one each).
        """
        share = (
            np.log((pieces + 1) / (pieces + 1).sum())
            if pieces is not None
            else np.full(model.config.vocab_size, np.nan)
        )
        rows = []
        for name, (inputs, labels) in self.sets.items():
            right, loss = _guess(model, inputs, labels, dtype)
            asked = labels != packing.IGNORED
            frequency = np.where(asked, -share[np.where(asked, labels, 0)], 0)
            sums = [asked.sum(1), right.sum(1), loss.sum(1), frequency.sum(1)]
            rows += [
                (name, self.length, number, *values)
                for number, values in enumerate(zip(*sums, strict=True))
            ]
        return pd.DataFrame(rows, columns=COLUMNS)


@torch.inference_mode()
def _guess(
    model: BertForMaskedLM, inputs: np.ndarray, labels: np.ndarray, dtype: torch.dtype
) -> tuple[np.ndarray, np.ndarray]:
    """Whether each piece was guessed, and the loss on it, (blocks, length); 0 where nothing was
    asked.
    """
    model.eval()
    device, size = next(model.parameters()).device, max(1, TOKENS // inputs.shape[1])
    right, loss = np.zeros(inputs.shape), np.zeros(inputs.shape)
    for start in range(0, len(inputs), size):
        rows = slice(start, start + size)
        gold = torch.from_numpy(labels[rows]).to(device)
        asked = gold != packing.IGNORED
        with torch.autocast(device.type, dtype, enabled=dtype != torch.float32):
            logits = model.cls(
                model.bert(torch.from_numpy(inputs[rows]).to(device)).last_hidden_state[asked]
            ).float()
        place = labels[rows] != packing.IGNORED
        right[rows][place] = (logits.argmax(-1) == gold[asked]).cpu().numpy()
        loss[rows][place] = cross_entropy(logits, gold[asked], reduction="none").cpu().numpy()
    return right, loss


def summary(rows: pd.DataFrame) -> dict[str, float]:
    """`<set>_loss` and `<set>_accuracy` of every set.

    Parameters
    ----------
    rows : DataFrame
        What `FixedMasks` gave.

    Returns
    -------
    dict of str to float
    """
    sums = rows.groupby("set", sort=False)[["guessed", "right", "loss"]].sum()
    losses, shares = sums["loss"] / sums["guessed"], sums["right"] / sums["guessed"]
    return {
        f"{name}_{what}": float(values[name])
        for name in sums.index
        for what, values in (("loss", losses), ("accuracy", shares))
    }


def metrics(rows: pd.DataFrame, fertility: pd.DataFrame, seed: int) -> pd.DataFrame:
    """`measure.COLUMNS` of blocks (n: guessed pieces) and of fertilities (n: words).

    Parameters
    ----------
    rows : DataFrame
        What `FixedMasks` gave, of every length.
    fertility : DataFrame
        What `vocabulary.fertility` gave.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame

    Notes
    -----
    A test is a set of texts, its group `length <n>` for blocks that are not `LENGTH` long.
    Intervals of losses and accuracy: bootstrap over blocks, because the guesses of a block share
    their text. `perplexity` is e to the masked loss; it is not the pseudo-perplexity of Salazar et
    al. (2020), which masks one piece at a time.
    """
    measured, nan = [], float("nan")
    for (name, length), part in rows.groupby(["set", "length"], sort=False):
        group = "all" if length == LENGTH else f"length {length}"
        columns = part[["guessed", "right", "loss", "unigram_loss"]].to_numpy(dtype=float)
        drawn, n = (
            measure.replicate(
                lambda times, columns=columns: times @ columns, np.ones(len(part), dtype=int), seed
            ),
            int(columns[:, 0].sum()),
        )
        values = [
            (columns[:, number].sum() / n, *measure.interval(ratio(drawn, number, 0)))
            for number in (1, 2, 3)
        ]
        values.append(tuple(np.exp(values[1])))
        measured += [
            (name, nan, group, metric, *value, n)
            for metric, value in zip(GUESSING, values, strict=True)
        ]
    for row in fertility.itertuples():
        rates = [("fertility", row.fertility, row.ci_low, row.ci_high)]
        for metric, share in (("continued_share", row.continued), ("unknown_share", row.unknown)):
            rates.append((metric, *measure.share(round(share * row.words), row.words)))
        measured += [(row.set, nan, "all", *rate, row.words) for rate in rates]
    return pd.DataFrame(measured, columns=measure.COLUMNS)
