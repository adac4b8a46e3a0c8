"""Decomposable attention (Parikh et al., 2016): a small network that sets the words of two
sentences beside one another, between a linear model and an encoder.

Parikh, Täckström, Das and Uszkoreit (2016), *A decomposable attention model for natural language
inference*, EMNLP.
"""

import torch
from torch import nn
from torch.nn import functional
from transformers import (
    AutoConfig,
    AutoModelForSequenceClassification,
    PreTrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import SequenceClassifierOutput

from tahanuji.errors import InputError

COSINE = 5.0  # weight of the words' cosine in what they attend to


class AttentionConfig(PreTrainedConfig):
    """The sizes of a network of decomposable attention."""

    model_type = "decomposable_attention"

    def __init__(
        self,
        vocab_size: int = 16_000,
        vector_size: int = 256,
        hidden_size: int = 200,
        dropout: float = 0.2,
        pad_token_id: int = 0,
        **others,
    ) -> None:
        self.vocab_size, self.vector_size, self.hidden_size = vocab_size, vector_size, hidden_size
        self.dropout = dropout
        super().__init__(pad_token_id=pad_token_id, **others)


class DecomposableAttention(PreTrainedModel):
    """Attend, compare, aggregate: every word piece is set beside what it attends to in the other
    sentence, without regard to order; the marks that part the sentences stand for no word.

    Otherwise than in the paper the vectors are those of an encoder's word pieces and stay as they
    are, words attend to words of like vectors from the start, a word and its counterpart are
    compared by their difference and product too, and sentences are means and maxima instead of
    sums: in the paper's form it got no further than a bag of vectors on IndoNLI.
    """

    config_class = AttentionConfig

    def __init__(self, config: AttentionConfig) -> None:
        super().__init__(config)
        width = config.hidden_size
        self.vectors = nn.Embedding(config.vocab_size, config.vector_size)
        self.vectors.weight.requires_grad_(False)
        self.project = nn.Linear(config.vector_size, width, bias=False)
        self.attend = self._layers(width)
        self.compare, self.aggregate = self._layers(4 * width), self._layers(4 * width)
        self.classify = nn.Linear(width, config.num_labels)
        self.post_init()

    def _layers(self, width: int) -> nn.Sequential:
        hidden, drop = self.config.hidden_size, nn.Dropout(self.config.dropout)
        return nn.Sequential(
            *(drop, nn.Linear(width, hidden), nn.ReLU()),
            *(drop, nn.Linear(hidden, hidden), nn.ReLU()),
        )

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            module.reset_parameters()

    def get_input_embeddings(self) -> nn.Embedding:
        """The vectors of word pieces."""
        return self.vectors

    def forward(self, input_ids, attention_mask=None, token_type_ids=None, labels=None, **_):
        """Logits (batch, labels), and the loss where labels are given; InputError for a batch that
        holds single texts.
        """
        sides = _sides(input_ids, attention_mask, token_type_ids)
        words = self.project(self.vectors(input_ids))
        others = self._attended(words, sides)
        beside = torch.cat([words, others, (words - others).abs(), words * others], dim=-1)
        compared = self.compare(beside)
        pooled = [part for side in sides for part in _pooled(compared, side)]
        logits = self.classify(self.aggregate(torch.cat(pooled, dim=-1)))
        loss = None if labels is None else functional.cross_entropy(logits, labels)
        return SequenceClassifierOutput(loss=loss, logits=logits)

    def _attended(self, words, sides):
        """For every word the mean of those of the other sentence, by how it attends to them."""
        keys, near = self.attend(words), functional.normalize(words, dim=-1)
        scores = keys @ keys.transpose(1, 2) / self.config.hidden_size**0.5
        scores = scores + COSINE * (near @ near.transpose(1, 2))
        one, two = sides
        across = (one[:, :, None] & two[:, None]) | (two[:, :, None] & one[:, None])
        return scores.masked_fill(~across, -1e4).softmax(-1) @ words


def _sides(input_ids, attention_mask, token_type_ids):
    """Which places hold the first sentence, and which the second."""
    if token_type_ids is None or not token_type_ids.any(-1).all():
        raise InputError("decomposable attention reads pairs of texts, and was given single ones.")
    real = torch.ones_like(input_ids) if attention_mask is None else attention_mask
    second = token_type_ids.bool()
    return real.bool() & ~second, real.bool() & second


def _pooled(compared, side):
    """Mean and maximum over the places of a sentence (no value is negative)."""
    kept = compared * side[..., None]
    return kept.sum(1) / side.sum(1, keepdim=True), kept.max(1).values


def over(model: PreTrainedModel) -> DecomposableAttention:
    """A new network over the vectors of an encoder's word pieces, with the labels of its head."""
    vectors = model.get_input_embeddings().weight.detach()
    names = {"id2label": model.config.id2label, "label2id": model.config.label2id}
    config = AttentionConfig(*vectors.shape, pad_token_id=model.config.pad_token_id, **names)
    network = DecomposableAttention(config)
    with torch.no_grad():
        network.vectors.weight.copy_(vectors / vectors.norm(dim=1).mean())
    return network


AutoConfig.register(AttentionConfig.model_type, AttentionConfig)
AutoModelForSequenceClassification.register(AttentionConfig, DecomposableAttention)
