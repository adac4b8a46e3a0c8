"""Networks of tags and aspects: an encoder under one linear layer, and a training that goes on
after an interruption.
"""

from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import nn
from transformers import get_linear_schedule_with_warmup, set_seed
from transformers.trainer_pt_utils import get_length_grouped_indices

from tahanuji import data, fingerprints, paths
from tahanuji.errors import InputError
from tahanuji.models import sources, spec
from tahanuji.tagging import word_vectors
from tahanuji.tagging.corpus import aspects
from tahanuji.tagging.study import scores
from tahanuji.tagging.tagger import Tagger, lengths, row_lengths
from tahanuji.training import Job, best_epoch, clear
from tahanuji.training.trainer import note_precision, precision

SETTINGS = {"learning_rate": 5e-4, "batch_size": 16, "epochs": 10, "max_length": 512}
IDS = "input_ids"
STATE, BEST = "state.pt", "best.pt"  # between epochs, and at the end


class EncoderTagger(Tagger):
    """An encoder whose pieces are averaged per word; of a review it is the first piece."""

    def __init__(self, encoder, tokenizer, heads: dict[str, list[str]], window: int) -> None:
        super().__init__(heads, encoder.config.hidden_size)
        self.encoder, self.tokenizer, self.window = encoder, tokenizer, window

    def states(self, rows: pd.DataFrame) -> torch.Tensor:
        """What the encoder makes of each word (rows, words, width)."""
        pieces = encoded(self.tokenizer, rows, self.window)
        means = averages(pieces, rows).to(self.layer.weight.device)
        given = {name: value.to(means.device) for name, value in pieces.items()}
        states = self.encoder(**given).last_hidden_state
        return means.to(states.dtype) @ states

    def tells_apart(self, frame: pd.DataFrame, other: pd.DataFrame) -> list[bool]:
        """Whether the network sees any difference between each row and the other one."""
        sides = []
        for rows in (frame, other):
            pieces = encoded(self.tokenizer, rows, self.window, padding=False, return_tensors=None)
            # the same pieces may be other words
            words = map(pieces.word_ids, range(len(rows))) if "words" in rows else pieces[IDS]
            sides.append(zip(pieces[IDS], words, strict=True))
        return [one != two for one, two in zip(*sides, strict=True)]


def encoded(tokenizer, rows: pd.DataFrame, window: int, **form):
    """Pieces of reviews, or of words one by one, a question before its passage; cut at the
    window. `form` changes how the tokenizer returns them.
    """
    options = {"return_tensors": "pt", "padding": True, "max_length": window, **form}
    if "text" in rows:
        return tokenizer(data.inputs(rows), truncation=True, **options)
    words, options["is_split_into_words"] = list(rows["words"]), True
    if "question" in rows:
        return tokenizer(list(rows["question"]), words, truncation="only_second", **options)
    return tokenizer(words, truncation=True, **options)


def averages(pieces, rows: pd.DataFrame) -> torch.Tensor:
    """Weights (rows, words, pieces) by which pieces become words; a word without pieces, past the
    window or of unprintable signs alone, has none, and its label is the layer's bias.
    """
    sizes = lengths(rows)
    weights = torch.zeros(len(rows), max(sizes), pieces[IDS].shape[1])
    if "text" in rows:
        weights[:, 0, 0] = 1
        return weights
    scored = 1 if "question" in rows else 0
    for row in range(len(rows)):
        segments = zip(pieces.word_ids(row), pieces.sequence_ids(row), strict=True)
        for piece, (word, segment) in enumerate(segments):
            if segment == scored:
                weights[row, word, piece] = 1
    return weights / weights.sum(-1, keepdim=True).clamp(min=1)


def built(model_name: str, train: pd.DataFrame, max_length: int, seed: int) -> Tagger:
    """An encoder of config/models.yaml, the hub or a folder, or word vectors, under a new layer for
    the labels of training; InputError for a source that cannot be had or lacks weights.
    """
    entry, heads = spec(model_name), _heads(train)
    if entry["kind"] == "word_vectors":
        set_seed(seed % 2**32)
        return word_vectors.built(entry, train, heads, max_length, seed)
    source, revision = paths.local(entry["source"]), entry.get("revision")
    set_seed(seed % 2**32)
    with sources.loading(source, revision):
        encoder, tokenizer = sources.encoder(source, revision)
    if entry.get("random_weights"):
        encoder = type(encoder)(encoder.config)
    return EncoderTagger(encoder, tokenizer, heads, sources.window(encoder.config, max_length))


def settings(model_name: str, **given) -> dict:
    """How a model is trained: `SETTINGS`, what its entry says of its training and then of tags,
    and what is given and not 0.

    >>> settings("fasttext-tasks", epochs=0)["learning_rate"]
    0.002
    >>> settings("indobert", epochs=3)
    {'learning_rate': 4e-05, 'batch_size': 16, 'epochs': 3, 'max_length': 512}
    """
    entry = spec(model_name)
    own = entry.get("training", {}) | entry.get("tagging", {})
    own = {name: value for name, value in own.items() if name in SETTINGS}
    return SETTINGS | own | {name: value for name, value in given.items() if value}


def _heads(train: pd.DataFrame) -> dict[str, list[str]]:
    """The labels of each aspect, or all tags."""
    names = aspects(train)
    values = {name: train[name] for name in names} or {"tags": train["tags"].explode()}
    return {name: sorted(column.unique()) for name, column in values.items()}


def trained(
    job: Job, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict
) -> tuple[Tagger, pd.DataFrame]:
    """A network trained on tags or aspects, as its best epoch on `valid`, and its epoch table:
    epoch, train_loss, f1 (the task's macro F1).

    `chosen` has learning_rate, batch_size, epochs and max_length. After an interruption the
    training goes on from its last whole epoch; a finished one is not repeated. Both only where
    data, settings, weights and code are the same.
    """
    if min(chosen["epochs"], chosen["batch_size"], chosen["max_length"]) < 1:
        raise InputError(
            f"epochs, batch_size and max_length of a network are at least 1, and {chosen} has less."
        )
    tagger = built(job.model_name, train, chosen["max_length"], job.seed).to(job.device)
    mark = _fingerprint(job, train, valid, chosen)
    job.folder.mkdir(parents=True, exist_ok=True)
    done, path = job.folder / "done.json", job.folder / BEST
    if not (done.is_file() and path.is_file() and mark in done.read_text(encoding="utf-8")):
        clear(job.folder, mark)
        _save(_epochs(job, tagger, train, valid, chosen), path)
        paths.write_json(done, {"fingerprint": mark})
        (job.folder / STATE).unlink()  # four times the size of what is kept
    note_precision(job)
    kept = torch.load(path, map_location=job.device, weights_only=True)
    tagger.load_state_dict(kept["best"])
    return tagger, pd.DataFrame(kept["history"])


def _save(state: dict, path: Path) -> None:
    """Write in one step."""
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


def _fingerprint(job: Job, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict) -> str:
    """A hash of everything that the trained weights, and the choice of their epoch, depend on."""
    entry, files = spec(job.model_name), ["networks", "tagger", "corpus", "study", "measures"]
    if entry["kind"] == "word_vectors":
        origin, files = word_vectors.origin(entry, train), [*files, "word_vectors"]
    else:
        folder = Path(paths.local(entry["source"]))
        parts = [data.sha256(path) for path in sorted(folder.glob("*")) if path.is_file()]
        origin = [entry["source"], entry.get("revision"), bool(entry.get("random_weights")), parts]
    read = [frame.attrs["source"] for frame in (train, valid)]
    code = fingerprints.code(*[Path(__file__).with_name(f"{name}.py") for name in files])
    asked = [job.seed, precision(job.device, job.precision), chosen]
    versions = [version(name) for name in ("torch", "transformers", "gensim")]
    return fingerprints.facts([origin, read, asked, code, versions])


def _epochs(
    job: Job, tagger: Tagger, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict
) -> dict:
    """Train what is left of the epochs, with everything that the next one needs kept after each."""
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=chosen["learning_rate"])
    batches = -(-len(train) // chosen["batch_size"])
    schedule = get_linear_schedule_with_warmup(optimizer, 0, batches * chosen["epochs"])
    parts, path = (
        {"model": tagger, "optimizer": optimizer, "schedule": schedule},
        job.folder / STATE,
    )
    state: dict = {"history": []}
    if path.is_file():
        state = torch.load(path, map_location=job.device, weights_only=True)
        for name, part in parts.items():
            part.load_state_dict(state[name])
    for epoch in range(len(state["history"]) + 1, chosen["epochs"] + 1):
        set_seed((job.seed + epoch) % 2**32)  # an epoch draws the same whatever ran before it
        loss = _epoch(job, tagger, train, optimizer, schedule, chosen["batch_size"])
        table = scores(valid, tagger.predict(valid), job.seed)
        macro = table[(table["group"] == "all") & (table["metric"] == "macro_f1")]["value"]
        row = {"epoch": epoch, "train_loss": loss, "f1": float(macro.iloc[0])}
        state["history"].append(row)
        state |= {name: part.state_dict() for name, part in parts.items()}
        if best_epoch(state["history"]) == epoch:
            state["best"] = {name: value.clone() for name, value in state["model"].items()}
        _save(state, path)
    return {"best": state["best"], "history": state["history"]}


def _epoch(job: Job, tagger: Tagger, train: pd.DataFrame, optimizer, schedule, size: int) -> float:
    """One pass over training in a new order; the mean loss."""
    tagger.train()
    order, losses = get_length_grouped_indices(row_lengths(train), size), []
    kind, lower = torch.device(job.device).type, precision(job.device, job.precision) == "bf16"
    for start in range(0, len(train), size):
        with torch.autocast(kind, dtype=torch.bfloat16, enabled=lower):
            loss = tagger.loss(train.iloc[order[start : start + size]])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(tagger.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    return float(np.mean(losses))
