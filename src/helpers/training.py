"""Fine-tuning, its checkpoints and the epoch table, for every kind of model."""

import hashlib
import json
import shutil
import time
from pathlib import Path

import pandas as pd
import torch
import transformers
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from helpers import data, measure, models, paths, provenance, tfidf, trainer
from helpers.session import Run


def settings(model_name: str, **given) -> dict:
    """The model's settings of config/models.yaml with those given in their place; 0 and "" stand for "the model's own".

    >>> settings("indobert", learning_rate=0.0, epochs=2)["learning_rate"]
    3e-06
    """
    entry = models.spec(model_name)
    own = {"weight_decay": 0.0, "sampling": "random", **entry.get("training", {})}
    return own | {name: value for name, value in given.items() if value not in (0, "")}


def fresh(run: Run, chosen: dict):
    """The run's model before fine-tuning (see `models.build`), its first weights from the run's seed, whatever was computed before."""
    transformers.set_seed(run.parameters["seed"] % 2**32)
    return models.build(
        run.model_name,
        data.labels(run.parameters["dataset"]),
        run.device,
        chosen.get("max_length", 0),
    )


def fine_tune(
    run: Run, classifier, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict, name: str = ""
) -> pd.DataFrame:
    """Fine-tune the classifier and write `checkpoint/best` and `checkpoint/last` of the run (`checkpoint/<name>/best`); the epoch table comes back.

    Columns: epoch, train_loss, valid_loss, accuracy, precision, recall, f1, the last three macro averages on `valid` as in the thesis's
    Tables 3.5 and 3.6. "Best" is the first epoch with the highest macro-F1. An interrupted run goes on from its last finished epoch,
    a finished one is not repeated, both only where data, settings and training code are the same.
    """
    folder, mark = run.dir / "checkpoint" / name, fingerprint(run, classifier, train, valid, chosen)
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "history.json"
    known = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    whole = all((folder / name / models.CARD).is_file() for name in ("best", "last"))
    if known.get("fingerprint") != mark or not whole:
        clear(folder, mark)
        began = time.time()
        run.facts["origin"] = {
            name: classifier.card[name]
            for name in ("source", "revision")
            if name in classifier.card
        }
        fit = fit_tfidf if isinstance(classifier, tfidf.Tfidf) else fit_transformer
        history = fit(run, classifier, train, valid, chosen, folder)
        known = {"fingerprint": mark, "seconds": round(time.time() - began, 1), "history": history}
        provenance.write_json(record, known)
        shutil.rmtree(folder / "steps", ignore_errors=True)
    else:
        print(
            "Training was complete already with the same data, settings and code; its checkpoints are used."
        )
    provenance.write_json(folder / "done.json", {"fingerprint": mark})
    run.facts |= {"training": chosen, "training_seconds": known["seconds"]}
    if not isinstance(classifier, tfidf.Tfidf):
        run.facts["training_precision"] = trainer.precision(
            run.device, run.parameters["training_precision"]
        )
    return pd.DataFrame(known["history"])


def clear(folder: Path, mark: str) -> None:
    """Prepare a checkpoint folder for training: what was begun with another fingerprint goes, its marks of completion first."""
    started = folder / "fingerprint"
    for name in ("done.json", "history.json"):
        (folder / name).unlink(missing_ok=True)
    if not started.is_file() or started.read_text(encoding="utf-8") != mark:
        shutil.rmtree(folder)
        folder.mkdir()
        started.write_text(mark, encoding="utf-8")


def fingerprint(
    run: Run, classifier, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict
) -> str:
    """A hash of everything that the trained weights depend on."""
    code = {
        name: provenance.bare(source)
        for name, source in provenance.reachable(["from helpers import training, models"]).items()
    }
    needed = {
        name: code[name]
        for name in (
            "helpers.training",
            "helpers.trainer",
            "helpers.models",
            "helpers.predict",
            "helpers.sources",
            "helpers.tfidf",
        )
    }
    asked = {
        name: run.parameters.get(name) for name in ("seed", "patience", "training_precision")
    }  # the rest is in `chosen` and the rows
    entry = {
        name: value
        for name, value in models.spec(run.model_name).items()
        if name not in ("about", "colour", "training")
    }
    folder = Path(paths.local(entry.get("source", "-")))
    weights = (
        [data.sha256(path) for path in sorted(folder.glob("*.safetensors"))]
        if folder.is_dir()
        else []
    )
    facts = [
        entry,
        weights,
        classifier.about(),
        chosen,
        asked,
        train.attrs["source"],
        valid.attrs["source"],
        needed,
        torch.__version__,
    ]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def epoch_row(
    epoch: float,
    train_loss: float,
    valid_loss: float,
    gold: list[str],
    predicted: list[str],
    labels: list[str],
) -> dict:
    """One row of the epoch table."""
    scores = measure.scores(gold, predicted, labels)
    macro = {"precision": "macro_precision", "recall": "macro_recall", "f1": "macro_f1"}
    return {
        "epoch": int(epoch),
        "train_loss": train_loss,
        "valid_loss": valid_loss,
        "accuracy": scores["accuracy"],
        **{name: scores[key] for name, key in macro.items()},
    }


def card(run: Run, chosen: dict, epoch: int) -> dict:
    """What a checkpoint's tahan.json says beside labels and hash."""
    origin = run.facts.get("origin", {})
    return {
        "model_name": run.model_name,
        **origin,
        "dataset": data.trained_as(run.parameters["dataset"]),
        "epoch": int(epoch),
        "seed": run.parameters["seed"],
        "settings": chosen,
    }


def best_epoch(history: list[dict]) -> int:
    """The first epoch with the highest macro-F1."""
    return max(history, key=lambda row: (row["f1"], -row["epoch"]))["epoch"]


def fit_tfidf(
    run: Run,
    classifier: tfidf.Tfidf,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> list[dict]:
    """Fit the logistic regression at every penalty of the model's entry, weakest last, one "epoch" each; a fitted classifier keeps its n-grams."""
    entry, history, fitted = models.spec(run.model_name), [], {}
    features = (
        classifier.pipeline[0] if classifier.pipeline else tfidf.fitted(entry, data.inputs(train))
    )
    known, unseen = features.transform(data.inputs(train)), features.transform(data.inputs(valid))
    for epoch, penalty in enumerate(entry["penalties"], start=1):
        regression = LogisticRegression(C=penalty, class_weight="balanced", max_iter=2000).fit(
            known, train["label"]
        )
        fitted[epoch] = make_pipeline(features, regression)
        classifier.pipeline = fitted[epoch]
        losses = [loss(classifier, frame) for frame in (train, valid)]
        history.append(
            epoch_row(epoch, *losses, valid["label"], regression.predict(unseen), classifier.labels)
            | {"penalty": penalty}
        )
    for name, kept in (
        ("last", len(history)),
        ("best", best_epoch(history)),
    ):  # the best one stays in the classifier
        classifier.pipeline = fitted[kept]
        models.save(classifier, folder / name, **card(run, chosen, kept))
    return history


def loss(classifier, frame: pd.DataFrame) -> float:
    """Mean cross-entropy of a classifier on a frame."""
    numbers = frame["label"].map(classifier.labels.index)
    return float(
        log_loss(
            numbers,
            classifier.predict_proba(data.inputs(frame)),
            labels=range(len(classifier.labels)),
        )
    )


def fit_transformer(
    run: Run,
    classifier: models.Transformer,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> list[dict]:
    """Train with Hugging Face's Trainer, after an interruption from the last complete epoch."""
    history, last = trainer.train(run, classifier, train, valid, chosen, folder / "steps")
    models.save(classifier, folder / "best", **card(run, chosen, best_epoch(history)))
    models.save(last, folder / "last", **card(run, chosen, history[-1]["epoch"]))
    return history
