"""What networks of tags and aspects have in common: a linear layer with a part for each aspect, or
one for all tags, its loss and its answers.
"""

from abc import ABC, abstractmethod

import numpy as np
import pandas as pd
import torch
from torch import nn

from tahanuji.tagging.corpus import aspects

NO_LABEL = -100  # of places that fill a batch: cross_entropy leaves it out


class Tagger(nn.Module, ABC):
    """A linear layer over what a network makes of each word, with a part for each aspect, or one
    for all tags. A review is one "word".
    """

    def __init__(self, heads: dict[str, list[str]], width: int) -> None:
        super().__init__()
        self.heads, self.sizes = heads, [len(labels) for labels in heads.values()]
        self.layer = nn.Linear(width, sum(self.sizes))

    @abstractmethod
    def states(self, rows: pd.DataFrame) -> torch.Tensor:
        """What the network makes of each word (rows, words, width)."""

    @abstractmethod
    def tells_apart(self, frame: pd.DataFrame, other: pd.DataFrame) -> list[bool]:
        """Whether the network sees any difference between each row and the other one."""

    def forward(self, rows: pd.DataFrame) -> tuple[torch.Tensor, ...]:
        """Logits (rows, words, labels) of each head."""
        return self.layer(self.states(rows)).split(self.sizes, dim=-1)

    def loss(self, rows: pd.DataFrame) -> torch.Tensor:
        """The mean cross-entropy of the heads."""
        wanted = targets(rows, self.heads).to(self.layer.weight.device)
        parts = [
            nn.functional.cross_entropy(
                logits.float().flatten(0, 1), wanted[..., head].flatten(), ignore_index=NO_LABEL
            )
            for head, logits in enumerate(self(rows))
        ]
        return torch.stack(parts).mean()

    @torch.inference_mode()
    def predict(self, frame: pd.DataFrame, batch_size: int = 32) -> list[list[str]]:
        """The most probable tags of every sentence, or a label per aspect of every review."""
        self.eval()
        said: list = [None] * len(frame)
        order = np.argsort(row_lengths(frame), kind="stable")
        for start in range(0, len(frame), batch_size):
            places = order[start : start + batch_size]
            rows = frame.iloc[places]
            best = torch.stack([logits.argmax(-1) for logits in self(rows)], -1).tolist()
            for place, words, size in zip(places, best, lengths(rows), strict=True):
                said[place] = [
                    labels[number]
                    for word in words[:size]
                    for labels, number in zip(self.heads.values(), word, strict=True)
                ]
        return said


def row_lengths(frame: pd.DataFrame) -> list[int]:
    """How long rows are, so that like ones share a batch."""
    return frame["text" if "text" in frame else "words"].map(len).tolist()


def lengths(rows: pd.DataFrame) -> list[int]:
    """How many words of each row have labels."""
    return [1] * len(rows) if "text" in rows else [len(words) for words in rows["words"]]


def targets(rows: pd.DataFrame, heads: dict[str, list[str]]) -> torch.Tensor:
    """Numbers of the right labels (rows, words, heads)."""
    names, sizes = aspects(rows), lengths(rows)
    wanted = torch.full((len(rows), max(sizes), len(heads)), NO_LABEL)
    columns = names or ["tags"]
    for row, right in enumerate(rows[columns].itertuples(index=False)):
        for head, given in enumerate(right):
            labels = heads[columns[head]]
            cells = [given] if names else given
            wanted[row, : sizes[row], head] = torch.tensor([labels.index(cell) for cell in cells])
    return wanted
