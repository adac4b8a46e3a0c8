"""The classifier that a name of config/models.yaml, a hub id or a checkpoint folder means.

A classifier is anything with `predict_proba(texts) -> float32 array (n, labels)`, `labels`, `save(folder)` and `about()`; where it was
fine-tuned on pairs of sentences, a text is a tuple (text, text_pair).
"""

import hashlib
import json
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from helpers import data, parameters, paths, predict, sources, tfidf
from helpers.errors import InputError

CARD = "tahan.json"


class Transformer:
    """A Hugging Face sequence classifier with its tokenizer; probabilities come in the order of `labels`."""

    def __init__(
        self,
        model,
        tokenizer,
        labels: list[str],
        max_length: int,
        device="cpu",
        card: dict | None = None,
    ):
        self.model, self.tokenizer = model.to(device).eval(), tokenizer
        self.labels, self.max_length, self.card = list(labels), max_length, card or {}
        place = {str(name).lower(): int(number) for number, name in model.config.id2label.items()}
        self.columns = [place[label.lower()] for label in labels]
        self.converted: dict[str, torch.nn.Module] = {}

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities of texts or pairs, float32 (n, labels); each distinct one is computed once. See `predict.probabilities`."""
        if precision not in self.converted:
            self.converted = {precision: predict.convert(self.model, precision)}
        raw = predict.probabilities(
            self.converted[precision], self.tokenizer, texts, max_length=self.max_length
        )
        return raw[:, self.columns]

    def pieces(self, text: str) -> list[str]:
        """The tokenizer's pieces of a text."""
        return self.tokenizer.tokenize(text)

    def save(self, folder: Path) -> None:
        """Write safetensors, configuration and tokenizer."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)

    def about(self) -> dict:
        return self.card


def spec(model_name: str) -> dict:
    """The entry of config/models.yaml; a hub id or folder gets the settings of `indobert` with itself as source."""
    known = parameters.models()
    entry = known.get(model_name) or {
        **known["indobert"],
        "about": model_name,
        "source": model_name,
        "revision": None,
    }
    return {"name": model_name, **entry}


def colours() -> dict[str, str]:
    """One colour per model, the same in every figure."""
    return {name: entry["colour"] for name, entry in parameters.models().items()}


def build(model_name: str, labels: list[str], device="cpu", max_length: int = 0):
    """The classifier before fine-tuning: the weights of the model's source under a new head.

    An entry of config/models.yaml with `random_weights` takes architecture and tokenizer of its source and nothing else.
    Raises InputError where a source cannot be had or holds no safetensors.
    """
    entry = spec(model_name)
    if entry["kind"] == "tfidf":
        return tfidf.Tfidf(labels)
    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    model, tokenizer = sources.from_source(
        paths.local(entry["source"]), entry.get("revision"), names
    )
    if entry.get("random_weights"):
        model = type(model)(model.config)
    origin = {"source": entry["source"], "revision": getattr(model.config, "_commit_hash", None)}
    window = sources.window(model.config, max_length or entry["training"]["max_length"])
    return Transformer(model, tokenizer, labels, window, device, origin)


def save(classifier, folder: Path, **facts) -> None:
    """Write a checkpoint: weights without pickle, tokenizer, and tahan.json with labels, settings and the weights' sha256."""
    folder.mkdir(parents=True, exist_ok=True)
    classifier.save(folder)
    weights = sorted(folder.glob("*.safetensors"))
    digest = hashlib.sha256("".join(data.sha256(path) for path in weights).encode()).hexdigest()
    kind = "tfidf" if isinstance(classifier, tfidf.Tfidf) else "transformer"
    card = {
        "kind": kind,
        "labels": classifier.labels,
        "max_length": getattr(classifier, "max_length", None),
        "sha256": digest,
        **facts,
    }
    (folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    classifier.card = card


def load(folder: Path | str, labels: list[str], device="cpu"):
    """The fine-tuned classifier of a checkpoint folder, of any sequence classifier's folder, or of a hub id.

    Raises InputError for a missing checkpoint, pickled weights, or labels other than `labels`.
    """
    folder = Path(folder)
    card = (
        json.loads((folder / CARD).read_text(encoding="utf-8"))
        if (folder / CARD).is_file()
        else None
    )
    if card:
        check_labels(card["labels"], labels, folder)
    if card and card["kind"] == "tfidf":
        return tfidf.Tfidf.load(folder, labels, card)
    model, tokenizer = sources.from_source(str(folder))
    check_labels(list(model.config.id2label.values()), labels, folder)
    card = card or {
        "kind": "transformer",
        "source": str(folder),
        "revision": getattr(model.config, "_commit_hash", None),
    }
    return Transformer(
        model,
        tokenizer,
        labels,
        card.get("max_length") or sources.window(model.config, 512),
        device,
        card,
    )


def check_labels(found: list[str], wanted: list[str], folder: Path) -> None:
    """Raise an InputError unless a checkpoint has the wanted labels, in any order and case."""
    if sources.label_set(found) != sources.label_set(wanted):
        raise InputError(
            f"{paths.shown(folder)} has the labels {', '.join(map(str, found))}, not {', '.join(wanted)}; "
            "name them in its config.json (id2label and label2id) where only the names differ."
        )


def checkpoint(run, labels: list[str] | None = None):
    """The classifier that a notebook tests: parameter `checkpoint` is `best` or `last` of the run's 01_finetune, a folder or a hub id.

    It has the labels of the run's data set, unless others are asked for. Raises InputError where 01_finetune has not finished for this model yet.
    """
    given, labels = run.parameters["checkpoint"], labels or data.labels(run.parameters["dataset"])
    if given not in {"best", "last"}:
        return load(given, labels, run.device)
    dataset = run.parameters["dataset"]
    folder = paths.find_checkpoint(run.dir, run.model_name, data.trained_as(dataset), given)
    if folder is None:
        raise InputError(
            f"no checkpoint of {run.model_name!r} fine-tuned on {dataset!r} below {paths.shown(paths.outputs())}; run notebooks/01_finetune.ipynb "
            "with the same model_name and dataset first (./run_all.sh does), or name a folder or hub id in the parameter checkpoint."
        )
    print(f"Checkpoint: {paths.shown(folder)}")
    return load(folder, labels, run.device)


def trained(run) -> dict:
    """Every classifier with a finished checkpoint on the run's data set in the run's profile, by model name; the run's own included."""
    found, labels = {}, data.labels(run.parameters["dataset"])
    for done in sorted(run.dir.parents[2].glob("*/01_finetune/default/checkpoint/done.json")):
        folder = done.parent / "best"
        card = json.loads((folder / CARD).read_text(encoding="utf-8"))
        if card["dataset"] == data.trained_as(run.parameters["dataset"]):
            found[card["model_name"]] = load(folder, labels, run.device)
    return found


def examples(count: int = 3, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """The first short test sentences of the embedded corpus, one of each label in turn, for showing what a perturbation does.

    `like` is a frame of the task: where it has pairs, each sentence is followed by the next one; `label` stays where it has such labels.
    """
    frame = data.load("embedded", "test")
    short = frame[frame["text"].str.split().str.len().between(8, 22)]
    order = short.groupby("label").cumcount()
    ordered = (
        short.assign(order=order)
        .sort_values(["order", "label"])
        .drop(columns="order")
        .reset_index(drop=True)
    )
    if like is not None and data.paired(like):
        ordered.insert(
            2, "text_pair", ordered["text"].shift(-1, fill_value=ordered["text"].iloc[0])
        )
    strange = like is not None and (
        data.paired(like) or not set(ordered["label"]) & set(like["label"])
    )
    return ordered.head(count).drop(columns="label" if strange else [])
