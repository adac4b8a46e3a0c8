"""IndoNLU's fastText row without its Indo4B: word vectors with subwords that have read the training
texts of the tasks alone, under a small transformer of random weights, all of it fine-tuned.
"""

import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from tahanuji.errors import extra
from tahanuji.tagging import corpus
from tahanuji.tagging.tagger import Tagger, lengths

with extra("tagging"):
    from nltk.tokenize import wordpunct_tokenize

FIRST, BETWEEN = "[CLS]", "[SEP]"  # no text has them as one word
LAYERS, ATTENTION_HEADS, DROPOUT = 2, 4, 0.1
RARE = 2  # a word below this count has no vector of its own, only those of its letters


class WordTagger(Tagger):
    """Words' vectors under a transformer. A word that training lacks has the mean of the vectors
    of its letter sequences, which stays as it is; with random vectors it has none.
    """

    def __init__(self, vectors, words: list[str], heads: dict, width: int, window: int) -> None:
        super().__init__(heads, width)
        self.vectors, self.window = vectors, window
        listed = [FIRST, BETWEEN, *words]
        self.places = {word: place for place, word in enumerate(listed)}
        self.table = nn.Embedding(len(listed), width)
        with torch.no_grad():
            for word in words if vectors is not None else ():
                self.table.weight[self.places[word]] = torch.tensor(vectors[word])
        self.positions, self.norm = nn.Embedding(window, width), nn.LayerNorm(width)
        layer = nn.TransformerEncoderLayer(
            width, ATTENTION_HEADS, 4 * width, DROPOUT, "gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)

    def states(self, rows: pd.DataFrame) -> torch.Tensor:
        """What the transformer makes of each word (rows, words, width)."""
        read, starts = zip(*map(self._read, rows.to_dict("records")), strict=True)
        device, sizes = self.layer.weight.device, lengths(rows)
        given = pad_sequence([self._vectors(words) for words in read], batch_first=True)
        ends = torch.tensor([[len(words)] for words in read], device=device)
        empty = torch.arange(given.shape[1], device=device) >= ends
        places = self.positions.weight[: given.shape[1]]
        states = self.encoder(self.norm(given + places), src_key_padding_mask=empty)
        if "text" in rows:
            return (states * ~empty[..., None]).sum(1, keepdim=True) / (~empty).sum(1)[
                :, None, None
            ]
        wanted = torch.zeros(len(rows), max(sizes), states.shape[2], device=device)
        for row, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            part = states[row, start : min(start + size, len(read[row]))]
            wanted[row, : len(part)] = part  # words past the window keep zeros
        return wanted

    def tells_apart(self, frame: pd.DataFrame, other: pd.DataFrame) -> list[bool]:
        """Whether the network sees any difference between each row and the other one."""
        sides = [map(self._read, rows.to_dict("records")) for rows in (frame, other)]
        return [one != two for one, two in zip(*sides, strict=True)]

    def _read(self, row: dict) -> tuple[list[str], int]:
        """The words of a row up to the window, and where those begin that are scored."""
        if "text" in row:
            words = [FIRST, *tokens(row["text"])]
            if "text_pair" in row:
                words += [BETWEEN, *tokens(row["text_pair"])]
            return words[: self.window], 0
        before = [FIRST, *map(str.lower, row.get("question", ())), BETWEEN]
        return [*before, *map(str.lower, row["words"])][: self.window], len(before)

    def _vectors(self, words: list[str]) -> torch.Tensor:
        """The vectors of words (words, width)."""
        device = self.table.weight.device
        known = torch.tensor([word in self.places for word in words], device=device)
        own = self.table(torch.tensor([self.places.get(word, 0) for word in words], device=device))
        made = np.stack([self._of_letters(word) for word in words])
        return torch.where(known[:, None], own, torch.tensor(made, device=device))

    def _of_letters(self, word: str) -> np.ndarray:
        if word in self.places or self.vectors is None:
            return np.zeros(self.table.embedding_dim, np.float32)
        return self.vectors[word]


def tokens(text: str) -> list[str]:
    """The words and signs of a text in lower case.

    >>> tokens("Rp20.000, mahal!")
    ['rp20', '.', '000', ',', 'mahal', '!']
    """
    return wordpunct_tokenize(text.lower())


def texts(frame: pd.DataFrame) -> list[list[str]]:
    """What vectors read of a split: words of sentences, passages, questions and reviews."""
    sides = [
        frame[name].map(tokens if name.startswith("text") else _lower).tolist()
        for name in ("words", "question", "text", "text_pair")
        if name in frame
    ]
    return sum(sides, [])


def _lower(words: list[str]) -> list[str]:
    return [word.lower() for word in words]


def built(entry: dict, train: pd.DataFrame, heads: dict, window: int, seed: int) -> WordTagger:
    """A network over vectors that have read the training texts of the entry's `tasks` and of the
    task at hand; with `random_vectors` over such as have read nothing.
    """
    sentences = texts(train)
    words = sorted({word for sentence in sentences for word in sentence})
    width = entry["size"]
    if entry.get("random_vectors"):
        return WordTagger(None, words, heads, width, window)
    with extra("tagging"):
        from gensim.models import FastText

    for task in entry["tasks"]:
        if task != train.attrs["source"]["name"]:
            sentences += texts(corpus.load(task, "train"))
    settings = {"sg": 1, "vector_size": width, "min_count": RARE, "epochs": entry["epochs"]}
    model = FastText(sentences, bucket=entry["buckets"], workers=1, seed=seed, **settings)
    return WordTagger(model.wv, words, heads, width, window)


def origin(entry: dict, train: pd.DataFrame) -> list:
    """What tells one set of vectors from another: how they are made, and of which texts."""
    made = {name: value for name, value in entry.items() if name not in ("about", "colour")}
    read = () if entry.get("random_vectors") else entry["tasks"]
    others = [name for name in read if name != train.attrs["source"]["name"]]
    return [made, [corpus.load(name, "train").attrs["source"] for name in others]]
