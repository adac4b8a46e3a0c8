"""A Hugging Face sequence classifier."""

from pathlib import Path

import numpy as np
import torch

from tahanuji import data
from tahanuji.errors import InputError
from tahanuji.models import inference


class Transformer(inference.Network):
    """A Hugging Face sequence classifier with its tokenizer; probabilities come in the order of
    `labels`.
    """

    kind = "transformer"

    def __init__(
        self,
        model,
        tokenizer,
        labels: list[str],
        max_length: int,
        device="cpu",
        card: dict | None = None,
    ):
        super().__init__(model, tokenizer, labels, device, card)
        if tokenizer.pad_token is None:  # GPT-2 and its kin
            _pad(model, tokenizer)
        names = model.config.id2label.items()
        column_of = {str(name).lower(): int(number) for number, name in names}
        self.columns = [column_of[label.lower()] for label in labels]
        self.max_length = max_length

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities of texts or pairs, float32 (n, labels); each distinct one is computed once.
        See `inference.probabilities`.
        """
        model, options = self.in_precision(precision), {"max_length": self.max_length}
        raw = inference.probabilities(model, self.tokenizer, texts, **options)
        return raw[:, self.columns]

    def pieces(self, text: str) -> list[str]:
        """The tokenizer's pieces of a text."""
        return self.tokenizer.tokenize(text)

    def cool(self, temperature: float) -> None:
        """Divide the logits by a temperature: weights and bias of the layer that gives them."""
        layers = [one for one in self.model.modules() if isinstance(one, torch.nn.Linear)]
        logits = [one for one in layers if one.out_features == self.model.config.num_labels][-1]
        with torch.no_grad():
            for values in logits.parameters():
                values /= temperature
        self.converted.clear()

    def save(self, folder: Path) -> None:
        """Write safetensors, configuration and tokenizer."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


def _pad(model, tokenizer) -> None:
    """Let the end of a text stand for padding, which is masked."""
    if tokenizer.eos_token is None:
        raise InputError(
            f"the tokenizer of {model.config.name_or_path} has no padding and no end of a text; "
            f"name a pad_token in its tokenizer_config.json."
        )
    tokenizer.pad_token = tokenizer.eos_token
    model.config.pad_token_id = tokenizer.pad_token_id
