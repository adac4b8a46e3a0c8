"""A fine-tuned network as ONNX, in full precision and as 8-bit integers.

python -m tahanuji.models.export FOLDER    write FOLDER/onnx/model.onnx and model_quantized.onnx
"""

import argparse
import contextlib
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch

from tahanuji import models
from tahanuji.errors import InputError, extra
from tahanuji.models.transformer import Transformer

FULL, QUANTIZED = "onnx/model.onnx", "onnx/model_quantized.onnx"  # as transformers.js looks for
INPUTS = ("input_ids", "attention_mask")


def export(folder: Path) -> Transformer:
    """Write a checkpoint's network beside it as ONNX, from pieces to logits: `FULL` in float32, and
    `QUANTIZED`, its weights as 8-bit integers (onnxruntime's dynamic quantisation).

    Returns the network that was exported, without what may stand before it; InputError as
    `models.load`, for a classifier that is no network, and where the extra `onnx` lacks.
    """
    with extra("onnx"):
        import onnxscript  # noqa: F401  which torch.onnx needs
        from onnxruntime.quantization import quantize_dynamic

    classifier = network(folder)
    example = classifier.tokenizer(["satu dua", "tiga"], padding=True, return_tensors="pt")
    axes = {0: torch.export.Dim("texts"), 1: torch.export.Dim("pieces")}
    (folder / FULL).parent.mkdir(exist_ok=True)
    with quiet():
        torch.onnx.export(
            classifier.model,
            kwargs={name: example[name] for name in INPUTS},
            f=folder / FULL,
            input_names=list(INPUTS),
            output_names=["logits"],
            dynamic_shapes=dict.fromkeys(INPUTS, axes),
            external_data=False,
            verbose=False,
        )
        quantize_dynamic(folder / FULL, folder / QUANTIZED, per_channel=True)
    return classifier


def network(folder: Path) -> Transformer:
    """The network of a checkpoint, nothing before it; InputError for any other classifier."""
    card = models.read_card(folder)
    if card["kind"] != Transformer.kind:
        raise InputError(f"{folder} is of kind {card['kind']}, and a network is wanted.")
    return models.load(folder, card["labels"])


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without warnings and the exporters' logs, which speak to their own authors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        try:
            yield
        finally:
            logging.disable(logging.NOTSET)


def probabilities(path: Path, classifier: Transformer, texts: list[str]) -> np.ndarray:
    """What onnxruntime answers by an exported file with the tokenizer, the length and the order of
    labels of its classifier, float32 (n, labels).

    It reads one text at a time: texts of a batch would share the scales of 8-bit activations.
    """
    with extra("onnx"):
        import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    session = onnxruntime.InferenceSession(path, options)
    cut = {"truncation": True, "max_length": classifier.max_length, "return_tensors": "np"}
    rows = []
    for text in texts:
        pieces = classifier.tokenizer([text], **cut)
        rows.append(session.run(None, {name: pieces[name] for name in INPUTS})[0])
    shares = torch.from_numpy(np.concatenate(rows)).softmax(-1).numpy()
    return shares[:, classifier.columns]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="a checkpoint of a network")
    folder = parser.parse_args().folder
    export(folder)
    for name in (FULL, QUANTIZED):
        print(f"{folder / name}: {(folder / name).stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
