"""Sentence encoders as similarities of texts: a classifier's own, or one of the hub."""

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from transformers.utils import cached_file

from tahanuji.codemix.similarity import Cosine
from tahanuji.errors import InputError
from tahanuji.models import inference, sources

# Names of sentence-transformers, old and new.
POOLINGS = {"mean_tokens": "mean", "mean": "mean", "cls_token": "first", "cls": "first"}
ACTIVATIONS = {name: getattr(torch.nn, name) for name in ("Tanh", "Identity", "ReLU", "GELU")}
LAYERS = {"Transformer", "Pooling", "Dense", "Normalize"}


class Encoder(Cosine):
    """Mean of a transformer's last hidden states over a text's pieces, or the state of its first
    piece, through dense layers where a model has them.
    """

    def __init__(
        self,
        model: torch.nn.Module,
        tokenizer,
        max_length: int,
        first: bool = False,
        dense: torch.nn.Module | None = None,
    ):
        self.model, self.tokenizer, self.max_length = model.eval(), tokenizer, max_length
        self.first, self.dense = first, (dense or torch.nn.Identity()).eval()

    @torch.inference_mode()
    def vectors(self, texts: list[str]) -> np.ndarray:
        """Unit vectors, float32 (n, width)."""
        device = next(self.model.parameters()).device
        asked = {"truncation": True, "max_length": self.max_length, "return_attention_mask": False}
        pieces = self.tokenizer(texts, **asked)["input_ids"]
        size, vectors_of = 65_536 if device.type == "cuda" else 1024, {}
        for rows in inference.batches([len(piece) for piece in pieces], size):
            batch = [torch.as_tensor(pieces[row]) for row in rows]
            vectors_of |= zip(rows, self._pooled(batch, device).cpu().numpy(), strict=True)
        return np.stack([vectors_of[row] for row in range(len(texts))])

    def _pooled(self, batch: list[torch.Tensor], device: torch.device) -> torch.Tensor:
        """The unit vectors of a batch of texts in pieces."""
        pad = {"batch_first": True, "padding_value": self.tokenizer.pad_token_id}
        ids = torch.nn.utils.rnn.pad_sequence(batch, **pad).to(device)
        lengths = torch.tensor([len(piece) for piece in batch])[:, None]
        inside = (torch.arange(ids.shape[1]) < lengths).long().to(device)
        states = self.model(input_ids=ids, attention_mask=inside).last_hidden_state.float()
        mean = (states * inside[:, :, None]).sum(1) / inside.sum(1, keepdim=True)
        pooled = states[:, 0] if self.first else mean
        return torch.nn.functional.normalize(self.dense(pooled), dim=1)


def own_encoder(classifier) -> Encoder:
    """The encoder of the classifier under attack. Its cosines are high throughout (often above
    0.9), so the threshold has to be too.

    Raises InputError for a classifier without one (TF-IDF).
    """
    model = getattr(classifier, "model", None)
    if not hasattr(model, "base_model"):
        raise InputError(
            "this classifier has no encoder of its own; use CharacterTfidf.fit(texts) or "
            "sentence_encoder(name)."
        )
    return Encoder(model.base_model, classifier.tokenizer, classifier.max_length)


def sentence_encoder(source: str, device="cpu") -> Encoder:
    """A sentence-transformers model, or any encoder, by hub id or folder: safetensors only, no code
    of its own.

    Its states are pooled as `1_Pooling` says, by their mean or the first one's, by the mean where
    nothing is said; dense layers (LaBSE) follow. It is read by transformers alone, so that the same
    model gives the same numbers wherever sentence-transformers is installed or not. Raises
    InputError where it cannot be had, and for a model that pools otherwise or adds other layers.
    """
    with sources.loading(source, named=f"the sentence encoder {source!r}"):
        model, tokenizer = sources.encoder(source)
        modules = _json(source, "modules.json") or []
        pooling = _json(source, "1_Pooling/config.json") or {}
        kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
        both = zip(modules, kinds, strict=True)
        dense = [_dense(source, module["path"]) for module, kind in both if kind == "Dense"]
    modes = _modes(pooling)
    if len(modes) > 1 or modes[0] not in POOLINGS or set(kinds) - LAYERS:
        raise InputError(
            f"{source} does more than pool states by mean or first piece "
            f"({', '.join([*kinds, *modes])}); take a model that does not."
        )
    length, first = sources.window(model.config, 512), POOLINGS[modes[0]] == "first"
    layers = torch.nn.Sequential(*dense).to(device)
    return Encoder(model.to(device), tokenizer, length, first, layers)


def _modes(pooling: dict) -> list[str]:
    """How a model pools its states, by its `1_Pooling`."""
    mode = "pooling_mode_"
    named = [name for name, on in pooling.items() if on is True and name.startswith(mode)]
    return [name.removeprefix(mode) for name in named] or [pooling.get("pooling_mode", "mean")]


def _dense(source: str, folder: str) -> torch.nn.Module:
    """A dense layer of a sentence-transformers model with its activation; InputError where it has
    no safetensors, or another activation.
    """
    about = _json(source, f"{folder}/config.json")
    weights = _file(source, f"{folder}/model.safetensors")
    if not about or not weights:
        raise InputError(
            f"{source} has a dense layer in {folder} without config.json or model.safetensors; "
            f"take a copy of the model that has both."
        )
    activation = about.get("activation_function", "Tanh").rsplit(".", 1)[-1]
    if activation not in ACTIVATIONS:
        raise InputError(
            f"{source} has a dense layer with {activation}; known are {', '.join(ACTIVATIONS)}."
        )
    sizes = about["in_features"], about["out_features"]
    layer = torch.nn.Linear(*sizes, bias=about.get("bias", True))
    state = {name.removeprefix("linear."): value for name, value in load_file(weights).items()}
    try:
        layer.load_state_dict(state)
    except RuntimeError as error:
        raise InputError(
            f"{source}: the weights of the dense layer in {folder} are not those that its "
            f"config.json describes."
        ) from error
    return torch.nn.Sequential(layer, ACTIVATIONS[activation]())


def _json(source: str, name: str):
    """A json file of a model's folder or repository, None where it has none."""
    path = _file(source, name)
    return json.loads(Path(path).read_text(encoding="utf-8")) if path else None


def _file(source: str, name: str) -> str | None:
    """The path of a file of a model's folder or repository, None where it has none."""
    return cached_file(source, name, _raise_exceptions_for_missing_entries=False)
