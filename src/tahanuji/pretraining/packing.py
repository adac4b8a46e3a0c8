"""What the network reads: blocks of pieces without padding, some with a noisy copy beside the text,
and masks over whole words that are drawn anew at every step.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from transformers import BertTokenizer

from tahanuji import perturb
from tahanuji.errors import InputError
from tahanuji.pretraining.vocabulary import encodings

__all__ = ["Batches", "Masking", "Pairs", "Phase", "batches", "encode", "pack", "plan"]

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


class Pairs:
    """Blocks of a text and its noisy copy: [CLS], pieces, [SEP], pieces of the copy, [SEP].

    What is masked in one half can be read in the other, as in translation language modelling
    (Conneau and Lample, 2019, section 3.3). The copy begins at a word drawn at random and goes
    round, so that no distance, only the words around, tells where to look.

    `share` is that of the blocks of every phase, from 0 to below 1; `noise(text, rng)` makes the
    copies, as `harden.noise.Noise`.
    """

    def __init__(self, share: float, texts: list[str], noise: Callable, seed: int):
        if not 0 <= share < 1:
            raise InputError(f"paired is a share from 0 to below 1, and {share} is not.")
        self.share, self.texts, self.noise, self.seed = share, texts, noise, seed

    def blocks(self, plain: int, length: int, tokenizer: BertTokenizer) -> np.ndarray:
        """So many blocks (n, length), int32, that they are the share beside `plain` others."""
        n = round(plain * self.share / (1 - self.share))
        places, made = np.random.default_rng([self.seed, 3, length]), []
        for number in range(n):
            passage, pieces = self._passage(
                int(places.integers(len(self.texts))), length, tokenizer
            )
            draw = random.Random(perturb.key(self.seed, f"pair {number} of length {length}"))
            copies = list(encodings(tokenizer, [self.noise(text, draw) for text in passage]))
            made.append(framed([pieces, turned(copies, draw)], length, tokenizer))
        return np.array(made, dtype=np.int32).reshape(n, length)

    def _passage(
        self, at: int, length: int, tokenizer: BertTokenizer
    ) -> tuple[list[str], list[int]]:
        """The texts from a place on, and their pieces, as far as they fill half a block."""
        passage, pieces, room = [], [], second_half(length) - 2
        while len(pieces) < room and at < len(self.texts):
            text, at = self.texts[at], at + 1
            (one,) = encodings(tokenizer, [text])
            taken = one.ids[: room - len(pieces)]
            whole = len(taken) == len(one.ids)
            passage.append(text if whole else text[: one.offsets[len(taken)][0]])
            pieces += taken
        return passage, pieces


def second_half(length: int) -> int:
    """The place at which the copy of a pair begins in a block."""
    return (length - 3) // 2 + 2


def turned(copies: list, rng: random.Random) -> list[int]:
    """The pieces of copies in one row that begins at one of their words and goes round."""
    pieces = [piece for one in copies for piece in one.ids]
    starts, before = [], 0
    for one in copies:
        words = one.word_ids
        starts += [before + at for at in range(len(words)) if not at or words[at] != words[at - 1]]
        before += len(words)
    at = rng.choice(starts) if starts else 0
    return pieces[at:] + pieces[:at]


def framed(halves: list[list[int]], length: int, tokenizer: BertTokenizer) -> np.ndarray:
    """One block of a text and its copy, each cut, or repeated, to fill its half."""
    first = second_half(length) - 2
    one, other = (
        np.resize(half or [tokenizer.unk_token_id], size)
        for half, size in zip(halves, (first, length - 3 - first), strict=True)
    )
    end = [tokenizer.sep_token_id]
    return np.concatenate([[tokenizer.cls_token_id], one, end, other, end])


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
    """A phase of training: its blocks (n, length), the blocks of a step, and its steps; so many
    `pairs` stand at the end of the blocks.
    """

    blocks: np.ndarray
    size: int
    steps: int
    pairs: int = 0

    @property
    def length(self) -> int:
        return self.blocks.shape[1]

    def types(self, rows: np.ndarray) -> np.ndarray:
        """The token types of blocks, int64 (n, length): 1 in the copy of a pair, else 0."""
        paired = rows >= len(self.blocks) - self.pairs
        copy = np.arange(self.length) >= second_half(self.length)
        return (paired[:, None] & copy).astype(np.int64)

    def rows(self, *seed: int) -> np.ndarray:
        """The blocks of every step (steps, size): each epoch has an order of its own."""
        n, needed = len(self.blocks), self.steps * self.size
        epochs = range(-(-needed // n))
        orders = [np.random.default_rng([*seed, epoch]).permutation(n) for epoch in epochs]
        return np.concatenate(orders)[:needed].reshape(self.steps, self.size)


def plan(
    stream: np.ndarray,
    tokenizer: BertTokenizer,
    epochs: dict[int, float],
    batch_tokens: int,
    pairs: Pairs | None = None,
) -> list[Phase]:
    """The phases of training by `epochs` for each length of blocks, as in {128: 5.0, 512: 0.5},
    every step of so many tokens; InputError where that makes no whole block, or no step at all.

    Epochs are passes over the stream; pairs come on top.
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
        plain, size = pack(stream, length, tokenizer), batch_tokens // length
        beside = pairs.blocks(len(plain) * bool(passes), length, tokenizer) if pairs else plain[:0]
        blocks = np.concatenate([plain, beside])
        phases.append(Phase(blocks, size, round(passes * len(blocks) / size), len(beside)))
    if not any(phase.steps for phase in phases):
        raise InputError(
            "these epochs make no step of training; give more of them, smaller batch_tokens or "
            "more text."
        )
    return [phase for phase in phases if phase.steps]


class Batches(torch.utils.data.Dataset):
    """The batches of all phases, one per step: `input_ids`, `token_type_ids` and `labels`, int64
    (blocks, length).

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
        phase, rows = self.phases[number], self.rows[number][within]
        rng = np.random.default_rng([self.seed, 1, step])
        inputs, labels = self.masking(phase.blocks[rows], rng)
        made = {"input_ids": inputs, "token_type_ids": phase.types(rows), "labels": labels}
        return {name: torch.from_numpy(array) for name, array in made.items()}

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
    paired: float = 0.0,
    noise: Callable | None = None,
) -> Batches:
    """The batches of all steps over the texts; see `plan` for `epochs` and `batch_tokens`, and
    `Pairs` for the share `paired` of blocks with a noisy copy.
    """
    pairs = Pairs(paired, texts, noise, seed) if paired else None
    phases = plan(encode(tokenizer, texts), tokenizer, epochs, batch_tokens, pairs)
    return Batches(phases, Masking(tokenizer), seed)
