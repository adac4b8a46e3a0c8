"""The network: a BERT whose head sees the positions that are to be guessed only, and its files."""

import math
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy
from transformers import BertConfig, BertForMaskedLM, BertTokenizer
from transformers.modeling_outputs import MaskedLMOutput

from tahanuji.errors import InputError
from tahanuji.models import sources
from tahanuji.pretraining.packing import IGNORED
from tahanuji.pretraining.vocabulary import POSITIONS

__all__ = ["begin", "configure", "export", "parameters"]

HEAD_WIDTH = 64  # of every published BERT
DROPOUT = 0.1  # of IndoBERT; what the files say, for fine-tuning


class MaskedPositionsBert(BertForMaskedLM):
    """BERT for masked language modelling whose head is computed on masked positions only; weights
    and loss are those of `BertForMaskedLM`.
    """

    def forward(
        self,
        input_ids: torch.Tensor,
        labels: torch.Tensor,
        token_type_ids: torch.Tensor | None = None,
    ) -> MaskedLMOutput:
        """Loss and logits (masked positions, vocabulary) of inputs, labels and token types
        (blocks, length).
        """
        asked = labels != IGNORED
        read = self.bert(input_ids, token_type_ids=token_type_ids)
        logits = self.cls(read.last_hidden_state[asked])
        return MaskedLMOutput(loss=cross_entropy(logits.float(), labels[asked]), logits=logits)


def configure(pieces: int, layers: int, width: int) -> BertConfig:
    """The configuration of a BERT with heads 64 wide.

    >>> config = configure(16_000, 4, 256)
    >>> config.num_attention_heads, parameters(config)
    (4, 7469440)
    """
    if layers < 1 or width < HEAD_WIDTH or width % HEAD_WIDTH:
        raise InputError(
            f"layers is at least 1 and width a multiple of {HEAD_WIDTH} (the width of a head); "
            f"{layers} and {width} are not."
        )
    return BertConfig(
        vocab_size=pieces,
        max_position_embeddings=POSITIONS,
        num_hidden_layers=layers,
        hidden_size=width,
        num_attention_heads=width // HEAD_WIDTH,
        intermediate_size=4 * width,
        hidden_dropout_prob=DROPOUT,
        attention_probs_dropout_prob=DROPOUT,
    )


def parameters(config: BertConfig) -> int:
    """The number of weights, those of the head that are the embeddings' counted once; each takes
    two bytes of the files.
    """
    with torch.device("meta"):
        return BertForMaskedLM(config).num_parameters()


def begin(start: str) -> tuple[BertConfig, BertTokenizer]:
    """Configuration and tokenizer of a BERT, a folder or hub id, whose training goes on; InputError
    where it cannot be had.
    """
    with sources.loading(start):
        config = BertConfig.from_pretrained(start)
        return config, sources.load_tokenizer(start, {"trust_remote_code": False})


def build(
    config: BertConfig, seed: int, device: torch.device, start: str = ""
) -> MaskedPositionsBert:
    """The network with random weights, or those of `start`, ready for training.

    It trains without dropout, as IndoBERT-lite did (Wilie et al., 2020, Table 20): a small network
    that sees a text a few times underfits. On a CPU its attention is the plain one, whose backward
    pass is faster there than the fused one's (9,000 against 7,200 tokens a second of processor time
    at length 128, as many at 512).
    """
    still = {"hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}
    quiet = BertConfig.from_dict(config.to_dict() | still)
    quiet._attn_implementation = "eager" if device.type == "cpu" else "sdpa"
    if start:
        safe = {"use_safetensors": True, "dtype": torch.float32}
        with sources.loading(start):
            return MaskedPositionsBert.from_pretrained(start, config=quiet, **safe).to(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = MaskedPositionsBert(quiet)
    positions = model.bert.embeddings.position_embeddings.weight
    # as wide as random ones
    positions.data = waves(*positions.shape) * quiet.initializer_range * 2**0.5
    return model.to(device)


def waves(positions: int, width: int) -> torch.Tensor:
    """Sines and cosines of positions, float32 (positions, width), as in Vaswani et al. (2017,
    section 3.5).

    Learned positions begin as these: a distance is the same turn everywhere, so that one matrix can
    learn to look at a neighbour.
    """
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000) / width))
    angles = torch.arange(positions)[:, None] * rates
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def export(
    model: BertForMaskedLM, config: BertConfig, tokenizer: BertTokenizer, folder: Path
) -> None:
    """Write a model on the CPU as a folder in Hugging Face's layout: safetensors in half precision,
    the configuration of the plain network, the tokenizer.
    """
    plain = BertForMaskedLM(config)
    plain.load_state_dict(model.state_dict())
    plain.half().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
