"""What the network reads: blocks of pieces without padding, and masks over whole words that are
drawn anew at every step.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from transformers import BertTokenizer

from tahanuji.errors import InputError
from tahanuji.pretraining.vocabulary import CHUNK

__all__ = ["Batches", "Masking", "Phase", "encode", "pack", "plan"]

MASKED, HIDDEN, REPLACED = (
    0.15,
    0.8,
    0.1,
    # share of words that are to be guessed; of their pieces, shares shown as [MASK] and as another
    # piece
)
IGNORED = -100  # what a label is where nothing is to be guessed


def encode(tokenizer: BertTokenizer, texts: list[str]) -> np.ndarray:
    """The pieces of all texts in their order, a [SEP] after each.

    Parameters
    ----------
    tokenizer : BertTokenizer
    texts : list of str

    Returns
    -------
    array of int32, shape (pieces,)
    """
    options = {
        "add_special_tokens": False,
        "return_attention_mask": False,
        "return_token_type_ids": False,
    }
    parts = []
    for start in range(0, len(texts), CHUNK):
        rows = tokenizer(texts[start : start + CHUNK], **options)["input_ids"]
        parts.append(
            np.fromiter(
                (piece for row in rows if row for piece in (*row, tokenizer.sep_token_id)),
                dtype=np.int32,
            )
        )
    stream = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    if not len(stream):
        raise InputError("the texts hold no piece of the vocabulary; is the corpus empty?")
    return stream


def pack(stream: np.ndarray, length: int, tokenizer: BertTokenizer) -> np.ndarray:
    """The stream as blocks of [CLS], length - 2 pieces, [SEP]; the last one is filled up from the
    start of the stream.

    Full blocks over the ends of texts: no step is spent on padding.

    Parameters
    ----------
    stream : array of int32
        What `encode` gives.
    length : int
        Pieces of a block.
    tokenizer : BertTokenizer
        Whose [CLS] and [SEP] are taken.

    Returns
    -------
    array of int32 (n, length)

    References
    ----------
    Liu et al. (2019), *RoBERTa*, section 4.2 (FULL-SENTENCES).
    """
    body = np.resize(stream, (-(-len(stream) // (length - 2)), length - 2))
    ends = (
        np.array([tokenizer.cls_token_id, tokenizer.sep_token_id], dtype=stream.dtype)
        .repeat(len(body))
        .reshape(2, -1, 1)
    )
    return np.concatenate([ends[0], body, ends[1]], axis=1)


class Masking:
    """Whole-word masking: `masking(blocks, rng)` gives inputs and labels, int64 (n, length), labels
    -100 where nothing is to be guessed.

    Each word (a piece and the "##" pieces behind it) is chosen with a chance of 15%, so 15% of the
    pieces are in expectation, whatever the lengths of words. Of the chosen pieces 80% become
    [MASK], 10% another piece, 10% stay (Devlin et al., 2019, section 3.1). Special pieces, [UNK]
    too, are neither chosen nor put in; of a word that is cut by the end of a block, each part
    counts as a word. The paper's limit of 20 guesses a sequence belongs to its hardware's fixed
    shapes.

    Parameters
    ----------
    tokenizer : BertTokenizer
        Its vocabulary says which pieces stand inside a word.

    Notes
    -----
    The collator of transformers 5 (`DataCollatorForLanguageModeling(whole_word_mask=True)`) is no
    match: it replaces by [MASK] only, and by offsets it takes a word and the punctuation after it
    for one.

    References
    ----------
    Devlin et al. (2019), section 3.1; Wilie et al. (2020), section 4.
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
        chosen = (
            np.take_along_axis(rng.random(blocks.shape) < MASKED, word, axis=1)
            & ~self.special[blocks]
        )
        fate, others = rng.random(blocks.shape), rng.choice(self.ordinary, blocks.shape)
        shown = np.where(
            fate < HIDDEN, self.mask, np.where(fate < HIDDEN + REPLACED, others, blocks)
        )
        return np.where(chosen, shown, blocks).astype(np.int64), np.where(
            chosen, blocks, IGNORED
        ).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Phase:
    """A phase of training.

    Attributes
    ----------
    blocks : array of int, shape (n, length)
        Its texts as pieces.
    size : int
        Blocks a step.
    steps : int
    """

    blocks: np.ndarray
    size: int
    steps: int

    @property
    def length(self) -> int:
        return self.blocks.shape[1]


def plan(
    stream: np.ndarray, tokenizer: BertTokenizer, epochs: dict[int, float], batch_tokens: int
) -> list[Phase]:
    """The phases of training.

    Parameters
    ----------
    stream : array of int32
        What `encode` gives.
    tokenizer : BertTokenizer
        As for `pack`.
    epochs : dict
        Epochs by length of block: {128: 5.0, 512: 0.5}; a phase of 0 epochs falls away.
    batch_tokens : int
        Tokens of every step, whatever the length.

    Returns
    -------
    list of Phase

    Raises
    ------
    InputError
        Where that makes no whole block, or no step at all.
    """
    phases = []
    for length, wanted in epochs.items():
        if batch_tokens % length or batch_tokens <= 0:
            raise InputError(
                f"batch_tokens is a positive multiple of {max(epochs)}, the longest block, and "
                f"{batch_tokens} is not."
            )
        if not 0 <= wanted <= 1000:
            raise InputError(
                f"epochs lie between 0 and 1000 in either phase, and {wanted} does not."
            )
        blocks, size = pack(stream, length, tokenizer), batch_tokens // length
        phases.append(Phase(blocks, size, round(wanted * len(blocks) / size)))
    if not sum(phase.steps for phase in phases):
        raise InputError(
            "these epochs make no step of training; give more of them, smaller batch_tokens or "
            "more text."
        )
    return [phase for phase in phases if phase.steps]


class Batches(torch.utils.data.Dataset):
    """The batches of all phases, one per step: `input_ids` and `labels`, int64 (blocks, length).

    A batch is a function of the seed and the step alone: every epoch has its own order of blocks,
    every step its own masks, and an interrupted training goes on as if it had not been.

    Parameters
    ----------
    phases : list of Phase
        In their order.
    masking : Masking
    seed : int
    """

    def __init__(self, phases: list[Phase], masking: Masking, seed: int):
        self.phases, self.masking, self.seed = phases, masking, seed
        self.order = lru_cache(maxsize=4)(self._order)

    def __len__(self) -> int:
        return sum(phase.steps for phase in self.phases)

    def __getitem__(self, step: int) -> dict[str, torch.Tensor]:
        number, first = self.phase(step)
        phase = self.phases[number]
        positions = np.arange(phase.size) + (step - first) * phase.size
        rows = [
            self.order(number, int(position // len(phase.blocks)))[position % len(phase.blocks)]
            for position in positions
        ]
        inputs, labels = self.masking(
            phase.blocks[rows], np.random.default_rng([self.seed, 1, step])
        )
        return {"input_ids": torch.from_numpy(inputs), "labels": torch.from_numpy(labels)}

    def phase(self, step: int) -> tuple[int, int]:
        """The number of the phase of a step, and the phase's first step."""
        first = 0
        for number, phase in enumerate(self.phases):
            if step < first + phase.steps:
                return number, first
            first += phase.steps
        raise IndexError(step)

    def _order(self, number: int, epoch: int) -> np.ndarray:
        return np.random.default_rng([self.seed, 2, number, epoch]).permutation(
            len(self.phases[number].blocks)
        )
