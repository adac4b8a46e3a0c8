"""Tiny causal language models, made offline: random weights and a tokenizer of bytes."""

from pathlib import Path

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    LlamaConfig,
    PreTrainedTokenizerFast,
)

CHAT = (
    "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


SPEAKS = ("positif", "netral", "negatif", "entahlah")
WORDS = (*SPEAKS[:3], "entailment", "contradiction", "neutral")


def tokenizer(chat: bool = False) -> PreTrainedTokenizerFast:
    """Bytes, and a few longer pieces so that words have one token or several; what a model of
    `speaking` says are tokens of their own.
    """
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("Ġ", "p"), ("o", "s"), ("Ġp", "os"), ("t", "i"), ("ti", "f"), ("i", "f")]
    pieces = ["<|end|>", *letters, *("".join(pair) for pair in merges)]
    words = Tokenizer(models.BPE({piece: n for n, piece in enumerate(pieces)}, merges))
    words.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    words.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<|end|>")
    made.chat_template = CHAT if chat else None
    return made


def speaking(place: Path) -> Path:
    """A model folder whose answers begin with one of the words of `SPEAKS` (or end at once),
    another one for another prompt.
    """
    folder(place, chat=True)
    words, model = tokenizer(chat=True), AutoModelForCausalLM.from_pretrained(place)
    said = words.add_tokens([AddedToken(word, special=False) for word in SPEAKS])
    model.resize_token_embeddings(len(words))
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(5)
        model.lm_head.weight[:-said] = 0
        model.lm_head.weight[-said:] = torch.randn_like(model.lm_head.weight[-said:])
    model.save_pretrained(place)
    words.save_pretrained(place)
    return place


def worded(place: Path) -> Path:
    """A model folder of `llama` without a chat template, in whose tokens the label words of the
    prompts in `WORDS` are one each.
    """
    folder(place)
    words, model = tokenizer(), AutoModelForCausalLM.from_pretrained(place)
    words.add_tokens([AddedToken(word, special=False) for word in WORDS])
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        model.resize_token_embeddings(len(words), mean_resizing=False)
    model.save_pretrained(place)
    words.save_pretrained(place)
    return place


def folder(place: Path, kind: str = "llama", *, chat: bool = False, positions: int = 512) -> Path:
    """A model folder of `llama` (rotary positions) or `gpt2` (learnt ones)."""
    words = tokenizer(chat)
    size = {"vocab_size": len(words), "initializer_range": 0.4, "eos_token_id": 0}
    heads = {"num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 16}
    if kind == "llama":
        more = {"intermediate_size": 32, "num_key_value_heads": 1, "bos_token_id": 0}
        config = LlamaConfig(max_position_embeddings=positions, **heads, **more, **size)
    else:
        config = GPT2Config(
            n_positions=positions, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, **size
        )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = AutoModelForCausalLM.from_config(config)
    model.save_pretrained(place)
    words.save_pretrained(place)
    return place
