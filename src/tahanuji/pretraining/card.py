"""The model card of a pre-trained network, every number from its run."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from transformers import BertConfig

from tahanuji import measure
from tahanuji.pretraining import loop, network, optimizer, packing

HEAD = """---
language: id
library_name: transformers
pipeline_tag: fill-mask
---"""

USE = (
    """```python
from transformers import AutoModelForSequenceClassification, AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(FOLDER)
model = AutoModelForSequenceClassification.from_pretrained(FOLDER, num_labels=3)"""
    "  # the head is new: fine-tune it\n```"
)

LIMITS = (
    "* IndoBERT learned from about 4,000 million words, this network from the few above: it knows "
    "their styles and topics, and others hardly.\n"
    "* What its sources say wrongly, rudely or one-sidedly it has learned with the rest; the run "
    "filters nothing.\n"
    "* Its positions beyond 128 were trained in the last phase only; how well it reads there, the "
    "rows of length 512 say."
)

RIGHTS = (
    "The folder holds weights and a vocabulary, no texts. Whether weights inherit the terms of the "
    "texts that they were trained on is not\nsettled. The table above gives attribution; whoever "
    "wants to be on the safe side of its share-alike licences treats the weights as CC BY-SA 4.0."
)

NO_RIGHTS = (
    "The run knows no licences of its sources (a README.md with a table `key`, `repository`, "
    "`licence` beside the texts would tell it)."
)


@dataclass(frozen=True)
class Card:
    """What a card is made of: the run's parameters and metrics, the learning curve, the table of
    `corpus.by_source`, device and command.
    """

    name: str
    config: BertConfig
    settings: dict
    sources: pd.DataFrame
    history: pd.DataFrame
    metrics: pd.DataFrame
    device: str
    command: str

    @property
    def licensed(self) -> bool:
        return bool((self.sources["licence"] != "").any())

    def write(self, folder: Path) -> None:
        """Write README.md beside the weights."""
        (folder / "README.md").write_text(self.text(), encoding="utf-8")

    def text(self) -> str:
        """The card: use, data by source, recipe and cost, measures, limits, licence."""
        sections = {
            "Data": self.data(),
            "Recipe and cost": self.recipe(),
            "Measured on held-out texts": self.measured(),
            "Limits": LIMITS,
        }
        sections["Licence"] = RIGHTS if self.licensed else NO_RIGHTS
        return (
            "\n\n".join(
                [
                    HEAD,
                    f"# {self.name}",
                    self.about(),
                    USE,
                    *(f"## {head}\n\n{section}" for head, section in sections.items()),
                ]
            )
            + "\n"
        )

    def about(self) -> str:
        """What the network is, in a sentence or two."""
        shape = (
            f"{self.config.num_hidden_layers} layers, {self.config.hidden_size} wide, "
            f"heads of {network.HEAD_WIDTH}"
        )
        return (
            f"A small Indonesian BERT: {shape}, {self.config.vocab_size:,} lower-cased WordPiece "
            f"pieces, {network.parameters(self.config):,} weights in "
            "half precision. Pre-trained from random weights by masked language modelling over "
            "whole words, after IndoBERT (Wilie et al., 2020, "
            "section 4), by the notebook `15_pretrain` of Tahan Uji."
        )

    def data(self) -> str:
        """Words by source, with licences where they are known."""
        shown = self.sources[
            ["source", "words", *(["repository", "licence"] if self.licensed else [])]
        ]
        table = shown.to_markdown(index=False, intfmt=",")
        return f"{self.sources['words'].sum():,} words:\n\n{table}"

    def recipe(self) -> str:
        """Settings, tokens, minutes, device and command."""
        last = self.history.iloc[-1]
        epochs = self.history.groupby("length")["epoch"].max()
        phases = ", ".join(
            f"{passes:.3g} in blocks of {length}" for length, passes in epochs.items()
        )
        shares = f"{packing.HIDDEN:.0%} [MASK], {packing.REPLACED:.0%} another piece, the rest kept"
        return (
            f"Epochs: {phases}; {last['step']:,.0f} steps of {self.settings['batch_tokens']:,} "
            f"tokens, {last['tokens'] / 1e6:,.1f} million in all. "
            f"Learning rate {self.settings['learning_rate']:g} (AdamW; for the matrices of the "
            f"layers {optimizer.MATRIX_RATE:g} times that with Muon) "
            f"after a warm-up over {loop.WARM_UP:.0%} of the steps, falling in a line to zero; "
            f"{packing.MASKED:.0%} of words chosen, of their pieces {shares}; no dropout; seed "
            f"{self.settings['seed']}.\n\n"
            f"{last['seconds'] / 60:,.0f} minutes on {self.device}, "
            f"{last['tokens'] / last['seconds']:,.0f} tokens a second. Made by\n\n    "
            f"{self.command}"
        )

    def measured(self) -> str:
        """The run's metrics with 95% intervals."""
        rows = self.metrics.itertuples()
        sets = map(measure.title, *(self.metrics[name] for name in measure.KEY))
        shown = self.metrics[["metric", "n"]].assign(
            set=list(sets),
            value=[f"{row.value:.3g} ({row.ci_low:.3g} to {row.ci_high:.3g})" for row in rows],
        )
        told = (
            "`unigram_loss`: each masked piece guessed by its frequency in the training texts. "
            "Losses in nats; 95% intervals over blocks or texts."
        )
        table = shown[["set", "metric", "value", "n"]].to_markdown(index=False, intfmt=",")
        return f"{told}\n\n{table}"
