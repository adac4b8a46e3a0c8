"""A masked language model as a classifier of pairs of sentences: which one does it hold for the
likelier?
"""

from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForMaskedLM

from tahanuji import data, paths
from tahanuji.errors import InputError, unknown
from tahanuji.models import inference, sources
from tahanuji.models.config import spec

METHODS = ("word", "piece")


def load(model_name: str, labels: list[str], device="cpu", method: str = "word") -> "Preference":
    """The masked language model of a name in config/models.yaml, a Hugging Face id or a local
    folder.

    InputError for tfidf, for a source that cannot be had, and for one without a trained masked
    language model's head or mask token.
    """
    entry = spec(model_name)
    if entry["kind"] != "transformer":
        raise InputError(
            f"{model_name} is no language model; minimal pairs need a masked one, such as mini, or "
            f"a Hugging Face id."
        )
    source, revision = paths.local(entry["source"]), entry.get("revision")
    options = {"revision": revision, "trust_remote_code": False}
    with sources.loading(source, revision, f"{source!r} as a masked language model"):
        tokenizer = sources.load_tokenizer(source, options)
        model, about = AutoModelForMaskedLM.from_pretrained(
            source, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **options
        )
    if lost := sorted(about["missing_keys"]):
        raise InputError(
            f"{source} has no trained head of a masked language model ({lost[0]} missing); a "
            f"fine-tuned classifier has lost it."
        )
    if tokenizer.mask_token_id is None:
        raise InputError(
            f"the tokenizer of {source} has no mask token, so that it cannot score sentences piece "
            f"by piece."
        )
    if entry.get("random_weights"):
        model = type(model)(model.config)
    weights = [
        data.sha256(path) for path in sorted(Path(source).glob("*.safetensors"))
    ]  # none of a hub's id, which its revision names
    card = {
        "source": entry["source"],
        "revision": sources.commit(source, revision),
        "sha256": weights,
    }
    return Preference(model, tokenizer, labels, device, method, card)


class Preference:
    """A masked language model as a classifier of pairs: probabilities of the two `labels` (the
    first sentence, the second), the softmax of the two sentences' scores.

    `method`: `word` masks with a piece the later pieces of its word too, which keeps long words
    from being guessed by their own ends (Kauf and Ivanova, 2023); `piece` masks it alone (Salazar
    et al., 2020). Scores are kept: a sentence is scored once.
    """

    def __init__(
        self,
        model,
        tokenizer,
        labels: list[str],
        device="cpu",
        method: str = "word",
        card: dict | None = None,
    ):
        if method not in METHODS:
            raise unknown("method of scoring", method, METHODS)
        self.model, self.tokenizer, self.method, self.card = (
            model.to(device).eval(),
            tokenizer,
            method,
            card or {},
        )
        self.labels = list(labels)
        self.limit = sources.window(
            model.config, tokenizer.model_max_length if tokenizer.model_max_length < 10**6 else 512
        )
        self.scored: dict[tuple[str, str], float] = {}
        self.converted: dict[str, torch.nn.Module] = {}

    def about(self) -> dict:
        """Source, revision and way of scoring, for provenance.json."""
        return self.card | {"method": self.method}

    def predict_proba(self, pairs: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, 2) of pairs of sentences."""
        return (
            torch.tensor(self.scores(data.sentences(pairs), precision))
            .reshape(-1, 2)
            .softmax(1)
            .numpy()
            .astype(np.float32)
        )

    def scores(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        """Pseudo-log-likelihoods, float64 (n,), in nats; 0 for a text without pieces. Texts are cut
        at the model's window.
        """
        new = [text for text in dict.fromkeys(texts) if (text, precision) not in self.scored]
        if new:
            if precision not in self.converted:
                self.converted = {precision: inference.convert(self.model, precision)}
            for start in range(0, len(new), 512):
                part = new[start : start + 512]
                self.scored |= zip(
                    [(text, precision) for text in part],
                    self._score(part, self.converted[precision]),
                    strict=True,
                )
        return np.array([self.scored[text, precision] for text in texts], dtype=float)

    def _score(self, texts: list[str], model) -> list[float]:
        """The scores of some texts: one row for every piece, masked, batched by length."""
        encoded = self.tokenizer(
            texts, truncation=True, max_length=self.limit, return_special_tokens_mask=True
        )
        rows, owners, positions, wanted = [], [], [], []
        for number, (pieces, special) in enumerate(
            zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
        ):
            word_of = encoded.word_ids(number)
            for position in [position for position, fixed in enumerate(special) if not fixed]:
                hidden = [self._hidden(word_of, position, other) for other in range(len(pieces))]
                rows.append(
                    [
                        self.tokenizer.mask_token_id if mask else piece
                        for piece, mask in zip(pieces, hidden, strict=True)
                    ]
                )
                owners.append(number)
                positions.append(position)
                wanted.append(pieces[position])
        totals, device = np.zeros(len(texts)), next(model.parameters()).device
        budget = 8192 if device.type == "cuda" else 1024
        for batch in inference.batches([len(row) for row in rows], budget):
            log_probabilities = self._forward(
                model, [rows[at] for at in batch], [positions[at] for at in batch], device
            )
            np.add.at(
                totals,
                [owners[at] for at in batch],
                log_probabilities[np.arange(len(batch)), [wanted[at] for at in batch]],
            )
        return totals.tolist()

    def _hidden(self, word_of: list, position: int, other: int) -> bool:
        return other == position or (
            self.method == "word"
            and other > position
            and word_of[other] is not None
            and word_of[other] == word_of[position]
        )

    @torch.inference_mode()
    def _forward(self, model, rows: list[list[int]], positions: list[int], device) -> np.ndarray:
        """Log probabilities (rows, vocabulary) at one place of every row."""
        given = self.tokenizer.pad(
            {"input_ids": rows}, padding=True, return_tensors="pt", padding_side="right"
        ).to(device)
        logits = model(**given).logits[torch.arange(len(rows)), torch.tensor(positions)]
        return logits.float().log_softmax(-1).cpu().numpy()
