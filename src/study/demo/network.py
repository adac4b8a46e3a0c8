"""A fine-tuned BERT as a page's script reads it: what it is made of, and its weights in 16 bits.

A matrix has a scale for each of its rows. The floats of all tensors (vectors, scales) come first,
in the order of the tensors, and then the numbers of all matrices. Eight bits moved a probability by
up to 0.02 (4 layers of 256, 200 texts).
"""

import base64
import json

import numpy as np

from tahanuji.errors import InputError
from tahanuji.harden import defences
from tahanuji.harden.defence import Defence
from tahanuji.harden.normaliser import Normaliser

__all__ = ["bare", "packed"]

LARGEST = 2**15 - 1  # of 16 bits with a sign
NETWORK = {"model_type": "bert", "hidden_act": "gelu"}
PIECES = {
    "model": {"type": "WordPiece", "continuing_subword_prefix": "##", "unk_token": "[UNK]"},
    "normalizer": {"type": "BertNormalizer", "lowercase": True, "strip_accents": None},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
}


def bare(classifier, names: str):
    """The network behind the defences of these names.

    Raises InputError where it is no BERT with word pieces as the page's script computes them, and
    where another defence than the normaliser stands before it.
    """
    acting = [type(one) for one in defences.named(names) if type(one).wrap is not Defence.wrap]
    if others := [one.__name__ for one in acting if one is not Normaliser]:
        raise InputError(f"the page has no {', '.join(others)} before its network but Normaliser.")
    classifier = defences.behind(classifier)
    config = getattr(getattr(classifier, "model", None), "config", None)
    for name, wanted in NETWORK.items():
        if (own := getattr(config, name, classifier.kind)) != wanted:
            raise InputError(f"the page computes networks whose {name} is {wanted}, not {own}.")
    pieces = _pieces(classifier)
    own = {part: {name: pieces[part][name] for name in about if name in pieces[part]}
           for part, about in PIECES.items()}  # fmt: skip
    if own != PIECES:
        raise InputError(f"the page cuts words by {PIECES}, and this network's tokenizer by {own}.")
    return classifier


def packed(classifier) -> tuple[dict, str]:
    """What the page's script has to know of a network, and its weights in base64; the columns of
    the answers stand in the order of the labels.
    """
    tensors = {name: one.float().numpy() for name, one in classifier.model.state_dict().items()}
    for name in ("classifier.weight", "classifier.bias"):
        tensors[name] = tensors[name][classifier.columns]
    positions = "bert.embeddings.position_embeddings.weight"
    tensors[positions] = tensors[positions][: classifier.max_length]
    floats, numbers, shapes = [], [], {}
    for name, tensor in tensors.items():
        if tensor.ndim not in (1, 2):
            continue
        shapes[name.removeprefix("bert.")] = list(tensor.shape)
        vector, matrix = rounded(tensor) if tensor.ndim == 2 else (tensor, None)
        floats.append(vector.astype("<f4").tobytes())
        numbers.append(b"" if matrix is None else matrix.tobytes())
    config, pieces = classifier.model.config, _pieces(classifier)
    vocabulary = sorted(pieces["model"]["vocab"], key=pieces["model"]["vocab"].get)
    about = {
        "labels": classifier.labels,
        "max_length": classifier.max_length,
        "heads": config.num_attention_heads,
        "layers": config.num_hidden_layers,
        "epsilon": config.layer_norm_eps,
        "shapes": shapes,
        "vocabulary": vocabulary,
        "special": [one["content"] for one in pieces["added_tokens"] if one["special"]],
        "longest": pieces["model"]["max_input_chars_per_word"],
    }
    return about, base64.b64encode(b"".join([*floats, *numbers])).decode()


def rounded(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A scale for each row of a matrix, and its numbers in 16 bits.

    >>> scales, numbers = rounded(np.array([[0.5, -1.0], [0.0, 0.0]]))
    >>> (numbers * scales[:, None]).round(2).tolist()
    [[0.5, -1.0], [0.0, 0.0]]
    """
    scales = np.abs(matrix).max(1) / LARGEST
    shares = matrix / np.where(scales, scales, 1)[:, None]
    return scales, shares.round().astype("<i2")


def _pieces(classifier) -> dict:
    """What the tokenizer of a network is made of."""
    return json.loads(classifier.tokenizer.backend_tokenizer.to_str())
