"""Probabilities for many texts, fast: distinct texts once, sorted by length, every batch padded to its own longest."""

import copy
import warnings
from collections.abc import Iterator

import numpy as np
import torch

CHUNK = 4096
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}


def convert(model: torch.nn.Module, precision: str) -> torch.nn.Module:
    """The model in `fp32`, `bf16`, `fp16` or `int8` (dynamic quantisation of its linear layers, on the CPU); the given one stays as it is."""
    if precision == "int8":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return torch.ao.quantization.quantize_dynamic(copy.deepcopy(model).cpu(), {torch.nn.Linear}, dtype=torch.qint8)
    return model if model.dtype == DTYPES[precision] else copy.deepcopy(model).to(DTYPES[precision])


def probabilities(model: torch.nn.Module, tokenizer, texts: list[str], *, max_length: int = 512, batch_tokens: int = 0) -> np.ndarray:
    """Softmax probabilities of a sequence classifier, float32 (n, labels), row i for texts[i].

    Texts longer than `max_length` pieces are cut. `batch_tokens` bounds the padded tokens of a batch (0: 1,024 on a CPU, 65,536 on a
    GPU). Memory beyond the result does not grow with n: texts pass in chunks of 4,096.
    """
    place = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    distinct = list(place)
    device = next(model.parameters()).device
    result = np.empty((len(distinct), model.config.num_labels), dtype=np.float32)
    budget = batch_tokens or (65_536 if device.type == "cuda" else 1024)
    for start in range(0, len(distinct), CHUNK):
        pieces = tokenizer(distinct[start : start + CHUNK], truncation=True, max_length=max_length, return_attention_mask=False)["input_ids"]
        for rows in batches([len(piece) for piece in pieces], budget):
            result[start + rows] = _forward(model, tokenizer.pad_token_id, [pieces[row] for row in rows], device)
    return result[[place[text] for text in texts]] if len(texts) else result


def batches(lengths: list[int], budget: int) -> Iterator[np.ndarray]:
    """Row numbers in batches of similar length, longest first, each at most `budget` tokens when padded (at least one row)."""
    order = np.argsort(lengths, kind="stable")[::-1]
    start = 0
    while start < len(order):
        size = max(1, budget // max(1, lengths[order[start]]))
        yield order[start : start + size]
        start += size


@torch.inference_mode()
def _forward(model, pad: int, pieces: list[list[int]], device: torch.device) -> np.ndarray:
    width = max(len(piece) for piece in pieces)
    ids = torch.full((len(pieces), width), pad)
    for row, piece in enumerate(pieces):
        ids[row, : len(piece)] = torch.as_tensor(piece)
    lengths = torch.tensor([len(piece) for piece in pieces])
    mask = None if int(lengths.min()) == width else (torch.arange(width) < lengths[:, None]).long().to(device)
    return model(input_ids=ids.to(device), attention_mask=mask).logits.float().softmax(-1).cpu().numpy()


def together(classifier, columns: dict[str, list[str]], precision: str = "fp32") -> dict[str, np.ndarray]:
    """Probabilities for several lists of texts in one stream: {name: array (n, labels)}."""
    if not columns:
        return {}
    stream = [text for texts in columns.values() for text in texts]
    everything = classifier.predict_proba(stream, precision)
    ends = np.cumsum([len(texts) for texts in columns.values()])
    return dict(zip(columns, np.split(everything, ends[:-1]), strict=True))


def changed_labels(classifier, texts: list[str], precision: str) -> float:
    """The share of texts whose predicted label differs between `precision` and fp32: what a faster precision costs."""
    fast = classifier.predict_proba(texts, precision).argmax(1)
    return float((fast != classifier.predict_proba(texts, "fp32").argmax(1)).mean())


def say_cost(classifier, texts: list[str], precision: str) -> None:
    """Print the share of labels that a precision other than fp32 changes on these texts; nothing for fp32."""
    if precision != "fp32":
        print(f"{precision} changes {changed_labels(classifier, texts, precision):.1%} of {len(texts)} labels against fp32.")
