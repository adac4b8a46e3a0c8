"""Probabilities for many texts, fast: distinct texts once, sorted by length, every batch padded to
its own longest.
"""

import copy
import inspect
import warnings
from collections.abc import Iterator

import numpy as np
import torch

from tahanuji import predict

CHUNK = 4096
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


class Network(predict.Classifier):
    """A classifier that is a network with a tokenizer, and computes in any precision."""

    def __init__(self, model, tokenizer, labels: list[str], device="cpu", card: dict | None = None):
        super().__init__(labels, card)
        self.model, self.tokenizer = model.to(device).eval(), tokenizer
        self.converted: dict[str, torch.nn.Module] = {}

    def in_precision(self, precision: str) -> torch.nn.Module:
        """The network as `convert` gives it; the last one is kept."""
        if precision not in self.converted:
            self.converted = {precision: convert(self.model, precision)}
        return self.converted[precision]


def convert(model: torch.nn.Module, precision: str) -> torch.nn.Module:
    """The model in `fp32`, `bf16`, `fp16` or `int8` (dynamic quantisation of its linear layers, on
    the CPU); the given one stays as it is.
    """
    if precision == "int8":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.ao.quantization.quantize_dynamic(
                copy.deepcopy(model).cpu(), {torch.nn.Linear}, dtype=torch.qint8
            )
    return model if model.dtype == DTYPES[precision] else copy.deepcopy(model).to(DTYPES[precision])


def probabilities(
    model: torch.nn.Module, tokenizer, texts: list, *, max_length: int = 512, batch_tokens: int = 0
) -> np.ndarray:
    """Softmax probabilities of a sequence classifier, float32 (n, labels), row i for texts[i], a
    text or a pair (text, text_pair).

    Texts longer than `max_length` pieces are cut, of a pair the longer one first. `batch_tokens`
    bounds the padded tokens of a batch (0: 1,024 on a CPU, 65,536 on a GPU). Memory beyond the
    result does not grow with n: texts pass in chunks of 4,096.
    """
    distinct, rows_of = predict.distinct(texts)
    device = next(model.parameters()).device
    result = np.empty((len(distinct), model.config.num_labels), dtype=np.float32)
    budget = batch_tokens or (65_536 if device.type == "cuda" else 1024)
    for chunk in chunks(distinct):
        part = [distinct[number] for number in chunk]
        encoded = encode(model, tokenizer, part, max_length, return_attention_mask=False)
        for rows in batches([len(piece) for piece in encoded["input_ids"]], budget):
            batch = {name: [column[row] for row in rows] for name, column in encoded.items()}
            result[chunk[rows]] = _forward(model, tokenizer, batch, device)
    return result[np.array(rows_of, dtype=int)]


def chunks(examples: list) -> Iterator[np.ndarray]:
    """The numbers of the texts, then those of the pairs, at most `CHUNK` at a time: a tokenizer
    takes either.
    """
    single = np.array([isinstance(example, str) for example in examples], dtype=bool)
    for kind in (single, ~single):
        numbers = np.flatnonzero(kind)
        yield from (numbers[start : start + CHUNK] for start in range(0, len(numbers), CHUNK))


def encode(model: torch.nn.Module, tokenizer, examples: list, max_length: int, **options):
    """Token ids of texts or of pairs, not of both, and their token types where the model takes
    them.

    The tokenizers of XLNet and Funnel give token types (which mark <cls> and the second sentence)
    only to those who ask.
    """
    pairs = examples and not isinstance(examples[0], str)
    columns = [list(column) for column in zip(*examples, strict=True)] if pairs else [examples]
    options |= {"truncation": True, "max_length": max_length}
    return tokenizer(*columns, return_token_type_ids=takes_token_types(model), **options)


def takes_token_types(model: torch.nn.Module) -> bool:
    """Whether a model tells the sentences of a pair apart by token types: DistilBERT has none,
    RoBERTa a single one.
    """
    taken = "token_type_ids" in inspect.signature(model.forward).parameters
    return taken and getattr(model.config, "type_vocab_size", 2) > 1


def batches(lengths: list[int], budget: int) -> Iterator[np.ndarray]:
    """Row numbers in batches of similar length, longest first, each at most `budget` tokens when
    padded (at least one row).
    """
    order = np.argsort(lengths, kind="stable")[::-1]
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


@torch.inference_mode()
def _forward(
    model, tokenizer, encoded: dict[str, list[list[int]]], device: torch.device
) -> np.ndarray:
    pieces, types = encoded["input_ids"], encoded.get("token_type_ids", [])
    lengths, multiple = torch.tensor([len(row) for row in pieces]), width_multiple(model)
    width, left = -(-int(lengths.max()) // multiple) * multiple, tokenizer.padding_side == "left"
    given = {"input_ids": _padded(pieces, width, tokenizer.pad_token_id, left).to(device)}
    if any(map(any, types)):  # a model takes zeros for granted
        padded = _padded(types, width, tokenizer.pad_token_type_id, left)
        given["token_type_ids"] = padded.to(device)
    columns = torch.arange(width)
    real = columns >= width - lengths[:, None] if left else columns < lengths[:, None]
    mask = None if int(lengths.min()) == width else real.long().to(device)
    return model(**given, attention_mask=mask).logits.float().softmax(-1).cpu().numpy()


def width_multiple(model: torch.nn.Module) -> int:
    """The number that the padded width of a batch must be a multiple of.

    That is 1, but 8 for a Funnel Transformer of three blocks: where its pooling halves an odd
    length, its answer depends on the padding (by up to 0.3 of probability in tests/test_tasks.py),
    and of two or three pieces it makes an error.
    """
    return 2 ** len(getattr(model.config, "block_sizes", []))


def _padded(rows: list[list[int]], width: int, pad: int, left: bool) -> torch.Tensor:
    """Rows of different length as one tensor of `width` columns."""
    result = torch.full((len(rows), width), pad)
    for number, row in enumerate(rows):
        place = slice(width - len(row), None) if left else slice(len(row))
        result[number, place] = torch.as_tensor(row)
    return result
