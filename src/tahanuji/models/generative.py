"""A causal language model as a classifier: how likely the word of each label is after a prompt."""

import copy
import inspect

import numpy as np
import torch

from tahanuji import data, paths, predict
from tahanuji.errors import InputError, unknown
from tahanuji.models import inference, prompts, sources

CALIBRATIONS = ("contextual", "none")
CONTENT_FREE = ("N/A", "[MASK]", "")  # Zhao et al. (2021), section 5
WINDOW = 2048
BUDGET = {"cpu": 1024, "cuda": 16_384}  # padded tokens of a batch


class Generative(prompts.Worded, inference.Network):
    """A causal model asked with one wording; probabilities come in the order of `labels`.

    A label's score is the mean log-likelihood of its word's tokens after the prompt. Calibration
    `contextual` takes from it the score that the label has after texts without content, the model's
    prior (Zhao et al., 2021, *Calibrate before use*; Holtzman et al., 2021, compare with one such
    text). Scores become probabilities by softmax.
    """

    kind = "generative"

    def __init__(
        self,
        model,
        tokenizer,
        wording: prompts.Wording,
        labels: list[str],
        card: dict,
        device="cpu",
    ):
        super().__init__(model, tokenizer, labels, device, card)
        self.wording = wording
        self.calibration = card.get("calibration", "contextual")
        if self.calibration not in CALIBRATIONS:
            raise unknown("calibration", self.calibration, CALIBRATIONS)
        self.max_length = card.get("max_length") or WINDOW

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities of texts or pairs, float32 (n, labels); each distinct one is computed once,
        and a text too long for the model is cut at its end, never the prompt.
        """
        self.in_precision(precision)
        distinct, rows_of = predict.distinct(texts)
        scores = np.empty((len(distinct), len(self.labels)))
        for rows in inference.chunks(distinct):
            chunk = [distinct[row] for row in rows]
            scores[rows] = self._scores(chunk) - self._prior(chunk[0])
        result = torch.from_numpy(scores).softmax(-1).numpy().astype(np.float32)
        return result[rows_of]

    def _prior(self, like: data.Example) -> np.ndarray | float:
        """The log-probabilities of the labels after texts (or pairs) without content."""
        if self.calibration == "none":
            return 0.0
        single = isinstance(like, str)
        empty = [text if single else (text, text) for text in CONTENT_FREE]
        scores = torch.from_numpy(self._scores(empty))
        return scores.softmax(-1).mean(0).log().numpy()

    def _scores(self, examples: list[data.Example]) -> np.ndarray:
        """Mean log-likelihoods of the labels' words, (n, labels); texts only or pairs only."""
        words = self._words(examples[0])
        room = self.max_length - max(map(len, words))
        prompts = [self._prompt(example, room) for example in examples]
        (model,) = self.converted.values()
        result = np.empty((len(prompts), len(self.labels)))
        budget = BUDGET.get(self.model.device.type, BUDGET["cpu"])
        for rows in inference.batches([len(prompt) for prompt in prompts], budget):
            result[rows] = self._batch(model, [prompts[row] for row in rows], words)
        return result

    def _encoded(self, example: data.Example, word: str = "") -> list[int]:
        """The tokens of a prompt, as a message where the model has a chat template, and of a word
        after it.
        """
        prompt = self.wording.asked(example)
        chat = bool(self.tokenizer.chat_template)
        if chat:
            message = [{"role": "user", "content": prompt}]
            how = {"tokenize": False, "add_generation_prompt": True}
            prompt = self.tokenizer.apply_chat_template(message, **how)
        space = " " * bool(word and not chat)
        ids = self.tokenizer(prompt + space + word, add_special_tokens=not chat)["input_ids"]
        ends = not chat and ids[-1] in (self.tokenizer.eos_token_id, self.tokenizer.sep_token_id)
        return ids[:-1] if ends else ids

    def _words(self, like: data.Example) -> list[list[int]]:
        """The tokens of each label's word as they follow a prompt about a text or a pair."""
        empty = CONTENT_FREE[0] if isinstance(like, str) else (CONTENT_FREE[0],) * 2
        before = self._encoded(empty)
        after = [
            self._encoded(empty, self.wording.words[label])[len(before) :] for label in self.labels
        ]
        if not all(after):
            raise InputError(
                f"the words of prompt {self.wording.name!r} merge with its end in this model's "
                f"tokens; end the template with a colon."
            )
        return after

    def _prompt(self, example: data.Example, room: int) -> list[int]:
        """The tokens of the prompt about an example, whose longer text is cut until they fit."""
        while len(ids := self._encoded(example)) > room:
            parts = [example] if isinstance(example, str) else list(example)
            longest = max(range(len(parts)), key=lambda number: len(parts[number]))
            pieces = self.tokenizer(parts[longest], add_special_tokens=False)["input_ids"]
            if not pieces:
                raise InputError(
                    f"prompt {self.wording.name!r} takes {len(ids)} tokens without any text, and "
                    f"the model reads {room}; choose a shorter wording."
                )
            kept = pieces[: max(0, len(pieces) - (len(ids) - room))]
            text = self.tokenizer.decode(kept).rstrip("\ufffd")  # part of a character
            parts[longest] = text[: len(parts[longest]) - 1]
            example = parts[0] if isinstance(example, str) else tuple(parts)
        return ids

    @torch.inference_mode()
    def _batch(self, model, prompts: list[list[int]], words: list[list[int]]) -> np.ndarray:
        """Scores of one batch: the prompts pass the model once, and words of several tokens go on
        from what it remembers of them.
        """
        lengths, width = [len(prompt) for prompt in prompts], max(map(len, prompts))
        pad = self.tokenizer.pad_token_id or 0
        ids = torch.tensor([[pad] * (width - len(prompt)) + prompt for prompt in prompts])
        mask = torch.arange(width) >= width - torch.tensor(lengths)[:, None]
        out = self._forward(model, ids, mask)
        first = out.logits[:, -1].float().log_softmax(-1)
        result = np.empty((len(prompts), len(words)))
        for number, word in enumerate(words):
            total = first[:, word[0]]
            if len(word) > 1:
                rest = torch.tensor([word[:-1]] * len(prompts))
                whole = torch.cat([mask, torch.ones_like(rest, dtype=torch.bool)], 1)
                memory = copy.deepcopy(out.past_key_values)
                later = self._forward(model, rest, whole, memory).logits.float().log_softmax(-1)
                total = total + sum(later[:, at, token] for at, token in enumerate(word[1:]))
            result[:, number] = (total / len(word)).cpu().numpy()
        return result

    def _forward(self, model, ids: torch.Tensor, mask: torch.Tensor, memory=None):
        """Logits after `ids`, the last columns of `mask`; positions do not count the padding."""
        takes, device = inspect.signature(self.model.forward).parameters, self.model.device
        positions = (mask.long().cumsum(-1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        more = {"position_ids": positions.to(device)} if "position_ids" in takes else {}
        if "logits_to_keep" in takes and memory is None:
            more["logits_to_keep"] = 1
        given = {"input_ids": ids.to(device), "attention_mask": mask.long().to(device)}
        return model(**given, **more, past_key_values=memory, use_cache=True)


def load(labels: list[str], card: dict, device="cpu") -> Generative:
    """The model of a card: `source`, and perhaps `revision, prompt, calibration, max_length`."""
    wording = prompts.wording(card.get("prompt", ""), labels)
    source, revision = paths.local(card["source"]), card.get("revision")
    model, tokenizer = sources.causal(source, revision)
    window = sources.window(model.config, card.get("max_length") or WINDOW)
    facts = {"labels": labels, "prompt": wording.name}
    facts["revision"] = sources.commit(source, revision)
    return Generative(
        model, tokenizer, wording, labels, card | facts | {"max_length": window}, device
    )
