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
    with sources.loading(source, revision, f"{source!r} as a masked language model"):
        model, tokenizer, lost = sources.pretrained(AutoModelForMaskedLM, source, revision)
    if lost:
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


class Preference(inference.Network):
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
        super().__init__(model, tokenizer, labels, device, (card or {}) | {"method": method})
        said = tokenizer.model_max_length
        self.method = method
        self.limit = sources.window(model.config, said if said < 10**6 else 512)
        self.scored: dict[tuple[str, str], float] = {}

    def predict_proba(self, pairs: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, 2) of pairs of sentences."""
        scores = torch.tensor(self.scores(data.sentences(pairs), precision)).reshape(-1, 2)
        return scores.softmax(1).numpy().astype(np.float32)

    def scores(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        """Pseudo-log-likelihoods, float64 (n,), in nats; 0 for a text without pieces. Texts are cut
        at the model's window.
        """
        new = [text for text in dict.fromkeys(texts) if (text, precision) not in self.scored]
        if new:
            model = self.in_precision(precision)
            for start in range(0, len(new), 512):
                part = new[start : start + 512]
                keys = [(text, precision) for text in part]
                self.scored |= zip(keys, self._score(part, model), strict=True)
        return np.array([self.scored[text, precision] for text in texts], dtype=float)

    def _score(self, texts: list[str], model) -> list[float]:
        """The scores of texts: one row for every piece, masked, batched by length."""
        options = {"truncation": True, "max_length": self.limit}
        encoded = self.tokenizer(texts, return_special_tokens_mask=True, **options)
        rows = []  # of (number of the text, place of the piece, the piece, the pieces shown)
        for number, pieces in enumerate(encoded["input_ids"]):
            words, special = encoded.word_ids(number), encoded["special_tokens_mask"][number]
            for place in [place for place, fixed in enumerate(special) if not fixed]:
                rows.append((number, place, pieces[place], self._shown(pieces, words, place)))
        totals, budget = np.zeros(len(texts)), 8192 if model.device.type == "cuda" else 1024
        for batch in inference.batches([len(row[-1]) for row in rows], budget):
            owners, places, wanted, shown = zip(*(rows[at] for at in batch), strict=True)
            log_probabilities = self._forward(model, list(shown), list(places))
            np.add.at(totals, list(owners), log_probabilities[np.arange(len(batch)), list(wanted)])
        return totals.tolist()

    def _shown(self, pieces: list[int], words: list, place: int) -> list[int]:
        """The pieces with that of a place masked, and by `word` the later ones of its word."""
        shown = [*pieces[:place], self.tokenizer.mask_token_id, *pieces[place + 1 :]]
        later = range(place + 1, len(pieces)) if self.method == "word" else ()
        for other in later:
            if words[other] is not None and words[other] == words[place]:
                shown[other] = self.tokenizer.mask_token_id
        return shown

    @torch.inference_mode()
    def _forward(self, model, rows: list[list[int]], positions: list[int]) -> np.ndarray:
        """Log probabilities (rows, vocabulary) at one place of every row."""
        options = {"padding": True, "return_tensors": "pt", "padding_side": "right"}
        given = self.tokenizer.pad({"input_ids": rows}, **options).to(model.device)
        logits = model(**given).logits[torch.arange(len(rows)), torch.tensor(positions)]
        return logits.float().log_softmax(-1).cpu().numpy()
