"""What the network reads: blocks of pieces without padding, and masks over whole words that are
drawn anew at every step.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from transformers import BertTokenizer

from tahanuji.errors import InputError
from tahanuji.pretraining.vocabulary import encodings

__all__ = ["Batches", "Masking", "Phase", "batches", "encode", "pack", "plan"]

MASKED = 0.15  # share of words that are to be guessed
HIDDEN, REPLACED = 0.8, 0.1  # of their pieces: shown as [MASK], as another piece
IGNORED = -100  # what a label is where nothing is to be guessed


def encode(tokenizer: BertTokenizer, texts: list[str]) -> np.ndarray:
    """The pieces of all texts in their order, int32 (pieces,), a [SEP] after each."""
    end = [tokenizer.sep_token_id]
    rows = (encoding.ids + end for encoding in encodings(tokenizer, texts) if encoding.ids)
    stream = np.fromiter(chain.from_iterable(rows), dtype=np.int32)
    if not len(stream):
        raise InputError("the texts hold no piece of the vocabulary; is the corpus empty?")
    return stream


def pack(stream: np.ndarray, length: int, tokenizer: BertTokenizer) -> np.ndarray:
    """The stream as blocks (n, length) of [CLS], length - 2 pieces, [SEP]; the last one is filled
    up from the start of the stream.

    Full blocks over the ends of texts: no step is spent on padding (Liu et al., 2019, *RoBERTa*,
    section 4.2, FULL-SENTENCES).
    """
    body = np.resize(stream, (-(-len(stream) // (length - 2)), length - 2))
    ends = (tokenizer.cls_token_id, tokenizer.sep_token_id)
    return np.pad(body, ((0, 0), (1, 1)), constant_values=((0, 0), ends))


class Masking:
    """Whole-word masking: `masking(blocks, rng)` gives inputs and labels, int64 (n, length), labels
    -100 where nothing is to be guessed.

    Each word (a piece and the "##" pieces behind it) is chosen with a chance of 15%, so 15% of the
    pieces are in expectation, whatever the lengths of words. Of the chosen pieces 80% become
    [MASK], 10% another piece, 10% stay (Devlin et al., 2019, section 3.1; Wilie et al., 2020,
    section 4). Special pieces, [UNK] too, are neither chosen nor put in; of a word that is cut by
    the end of a block, each part counts as a word.

    The collator of transformers 5 (`DataCollatorForLanguageModeling(whole_word_mask=True)`) is no
    match: it replaces by [MASK] only, and by offsets it takes a word and the punctuation after it
    for one.
    """

    def __init__(self, tokenizer: BertTokenizer):
        pieces = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
        self.inner = np.array([piece.startswith("##") for piece in pieces])
        self.special = np.isin(np.arange(len(pieces)), tokenizer.all_special_ids)
        self.ordinary = np.flatnonzero(~self.special)
        self.mask = tokenizer.mask_token_id

    def __call__(
        self, blocks: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        word = np.cumsum(~self.inner[blocks], axis=1) - 1
        chosen = np.take_along_axis(rng.random(blocks.shape) < MASKED, word, axis=1)
        chosen &= ~self.special[blocks]
        fate, others = rng.random(blocks.shape), rng.choice(self.ordinary, blocks.shape)
        hidden, replaced = chosen & (fate < HIDDEN), chosen & (fate < HIDDEN + REPLACED)
        inputs = np.where(hidden, self.mask, np.where(replaced, others, blocks))
        return inputs.astype(np.int64), np.where(chosen, blocks, IGNORED).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase of training: its blocks (n, length), the blocks of a step, and its steps."""

    blocks: np.ndarray
    size: int
    steps: int

    @property
    def length(self) -> int:
        return self.blocks.shape[1]

    def rows(self, *seed: int) -> np.ndarray:
        """The blocks of every step (steps, size): each epoch has an order of its own."""
        n, needed = len(self.blocks), self.steps * self.size
        epochs = range(-(-needed // n))
        orders = [np.random.default_rng([*seed, epoch]).permutation(n) for epoch in epochs]
        return np.concatenate(orders)[:needed].reshape(self.steps, self.size)


def plan(
    stream: np.ndarray, tokenizer: BertTokenizer, epochs: dict[int, float], batch_tokens: int
) -> list[Phase]:
    """The phases of training by `epochs` for each length of blocks, as in {128: 5.0, 512: 0.5},
    every step of so many tokens; InputError where that makes no whole block, or no step at all.
    """
    if batch_tokens <= 0 or any(batch_tokens % length for length in epochs):
        raise InputError(
            f"batch_tokens is a positive multiple of {max(epochs)}, the longest block, and "
            f"{batch_tokens} is not."
        )
    if wrong := [passes for passes in epochs.values() if not 0 <= passes <= 1000]:
        raise InputError(f"epochs lie between 0 and 1000 in every phase, and {wrong[0]} does not.")
    phases = []
    for length, passes in epochs.items():
        blocks, size = pack(stream, length, tokenizer), batch_tokens // length
        phases.append(Phase(blocks, size, round(passes * len(blocks) / size)))
    if not any(phase.steps for phase in phases):
        raise InputError(
            "these epochs make no step of training; give more of them, smaller batch_tokens or "
            "more text."
        )
    return [phase for phase in phases if phase.steps]


class Batches(torch.utils.data.Dataset):
    """The batches of all phases, one per step: `input_ids` and `labels`, int64 (blocks, length).

    A batch is a function of the seed and the step alone: every epoch has its own order of blocks,
    every step its own masks, and an interrupted training goes on as if it had not been.
    """

    def __init__(self, phases: list[Phase], masking: Masking, seed: int):
        self.phases, self.masking, self.seed = phases, masking, seed
        self.rows = [phase.rows(seed, 2, number) for number, phase in enumerate(phases)]
        self.ends = np.cumsum([phase.steps for phase in phases])

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __getitem__(self, step: int) -> dict[str, torch.Tensor]:
        number, within = self.place(step)
        blocks = self.phases[number].blocks[self.rows[number][within]]
        inputs, labels = self.masking(blocks, np.random.default_rng([self.seed, 1, step]))
        return {"input_ids": torch.from_numpy(inputs), "labels": torch.from_numpy(labels)}

    def place(self, step: int) -> tuple[int, int]:
        """The number of the phase of a step, and the step's number in the phase, from 0."""
        if not 0 <= step < len(self):
            raise IndexError(step)
        number = int(np.searchsorted(self.ends, step, side="right"))
        return number, step - int(self.ends[number]) + self.phases[number].steps


def batches(
    tokenizer: BertTokenizer,
    texts: list[str],
    epochs: dict[int, float],
    batch_tokens: int,
    seed: int,
) -> Batches:
    """The batches of all steps over the texts; see `plan` for `epochs` and `batch_tokens`."""
    phases = plan(encode(tokenizer, texts), tokenizer, epochs, batch_tokens)
    return Batches(phases, Masking(tokenizer), seed)
