"""Fine-tuning with Hugging Face's Trainer, and the epoch table."""

import hashlib
import json
import shutil
import time
import warnings
from pathlib import Path

import pandas as pd
import torch
from datasets import Dataset
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from transformers import DataCollatorWithPadding, EarlyStoppingCallback, PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from helpers import data, measure, models, paths, provenance, tfidf
from helpers.session import Run

COLUMNS = ["epoch", "train_loss", "valid_loss", "accuracy", "precision", "recall", "f1"]


def settings(model_name: str, **given) -> dict:
    """The model's settings of config/models.yaml with those given in their place; 0 and "" stand for "the model's own".

    >>> settings("indobert", learning_rate=0.0, epochs=2)["learning_rate"]
    3e-06
    """
    entry = models.spec(model_name)
    own = {"weight_decay": 0.0, **entry.get("training", {})}
    return own | {name: value for name, value in given.items() if value not in (0, "")}


def fine_tune(run: Run, classifier, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict) -> pd.DataFrame:
    """Fine-tune the classifier and write `checkpoint/best` and `checkpoint/last` of the run; the epoch table comes back.

    Columns: epoch, train_loss, valid_loss, accuracy, precision, recall, f1, the last three macro averages on `valid` as in the thesis's
    Tables 3.5 and 3.6. "Best" is the first epoch with the highest macro-F1. An interrupted run goes on from its last finished epoch,
    a finished one is not repeated, both only where data, settings and training code are the same.
    """
    folder, mark = run.dir / "checkpoint", fingerprint(run, train, valid, chosen)
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "history.json"
    known = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    if known.get("fingerprint") != mark:
        started = folder / "fingerprint"
        if not started.is_file() or started.read_text(encoding="utf-8") != mark:
            shutil.rmtree(folder)
            folder.mkdir()
            started.write_text(mark, encoding="utf-8")
        began = time.time()
        fit = fit_tfidf if isinstance(classifier, tfidf.Tfidf) else fit_transformer
        history = fit(run, classifier, train, valid, chosen, folder)
        known = {"fingerprint": mark, "seconds": round(time.time() - began, 1), "history": history}
        provenance.write_json(record, known)
        shutil.rmtree(folder / "steps", ignore_errors=True)
    else:
        print("Training was complete already with the same data, settings and code; its checkpoints are used.")
    provenance.write_json(folder / "done.json", {"fingerprint": mark})
    run.facts |= {"training": chosen, "training_seconds": known["seconds"]}
    return pd.DataFrame(known["history"])


def fingerprint(run: Run, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict) -> str:
    """A hash of everything that the trained weights depend on."""
    code = {name: provenance.bare(source) for name, source in provenance.reachable(["from helpers import training, models"]).items()}
    needed = {name: code[name] for name in ("helpers.training", "helpers.models", "helpers.tfidf")}
    asked = {name: value for name, value in run.parameters.items() if name not in {"run_dir", "model_name", "dataset"}}
    entry = models.spec(run.model_name)
    weights = [data.sha256(path) for path in sorted(Path(entry.get("source", "")).glob("*.safetensors"))] if Path(entry.get("source", "-")).is_dir() else []
    facts = [entry, weights, chosen, asked, train.attrs["source"], valid.attrs["source"], needed, torch.__version__]
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def epoch_row(epoch: float, train_loss: float, valid_loss: float, gold: list[str], predicted: list[str], labels: list[str]) -> dict:
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
    return {"model_name": run.model_name, "dataset": run.parameters["dataset"], "epoch": int(epoch), "seed": run.parameters["seed"], "settings": chosen}


def best_epoch(history: list[dict]) -> int:
    """The first epoch with the highest macro-F1."""
    return max(history, key=lambda row: (row["f1"], -row["epoch"]))["epoch"]


def fit_tfidf(run: Run, classifier: tfidf.Tfidf, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict, folder: Path) -> list[dict]:
    """Fit the logistic regression at every penalty of the model's entry, weakest last, one "epoch" each."""
    entry, history, fitted = models.spec(run.model_name), [], {}
    features = tfidf.features(entry).fit(train["text"])
    known, unseen = features.transform(train["text"]), features.transform(valid["text"])
    for epoch, penalty in enumerate(entry["penalties"], start=1):
        regression = LogisticRegression(C=penalty, class_weight="balanced", max_iter=2000).fit(known, train["label"])
        fitted[epoch] = make_pipeline(features, regression)
        losses = [log_loss(frame["label"], regression.predict_proba(rows), labels=regression.classes_) for frame, rows in ((train, known), (valid, unseen))]
        history.append(epoch_row(epoch, *losses, valid["label"], regression.predict(unseen), classifier.labels) | {"penalty": penalty})
    for name, kept in (("last", len(history)), ("best", best_epoch(history))):
        classifier.pipeline = fitted[kept]
        models.save(classifier, folder / name, **card(run, chosen, kept))
    return history


def fit_transformer(run: Run, classifier: models.Transformer, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict, folder: Path) -> list[dict]:
    """Train with Hugging Face's Trainer, evaluating and saving after every epoch; resumes from the last complete epoch."""
    trainer = make_trainer(run, classifier, train, valid, chosen, folder / "steps")
    resume = last_complete(folder / "steps")
    if resume:
        print(f"Going on after {paths.shown(resume)}.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(lr_scheduler|use_reentrant|loading best).*")
        trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    history = read_history(trainer.state.log_history)
    models.save(classifier, folder / "best", **card(run, chosen, best_epoch(history)))
    model, _ = models.from_source(str(last_complete(folder / "steps")))
    last = models.Transformer(model, classifier.tokenizer, classifier.labels, classifier.max_length)
    models.save(last, folder / "last", **card(run, chosen, history[-1]["epoch"]))
    classifier.model.eval()
    classifier.converted.clear()
    return history


def make_trainer(run: Run, classifier: models.Transformer, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict, folder: Path) -> Trainer:
    """A Trainer with the chosen settings that keeps the best and the last epoch."""
    arguments = TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=chosen["batch_size"],
        per_device_eval_batch_size=64,
        num_train_epochs=chosen["epochs"],
        learning_rate=chosen["learning_rate"],
        lr_scheduler_type=chosen["schedule"],
        weight_decay=chosen["weight_decay"],
        max_grad_norm=chosen["max_grad_norm"],
        seed=run.parameters["seed"] % 2**32,
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="macro_f1",
        restore_callback_states_from_checkpoint=True,  # early stopping counts on after an interruption
        save_total_limit=2,  # with 1 the Trainer deletes the last epoch in favour of the best
        use_cpu=run.device.type == "cpu",
        dataloader_pin_memory=run.device.type == "cuda",
        disable_tqdm=True,
        report_to="none",
        **mixed_precision(run.device, run.parameters["training_precision"]),
    )
    patience = run.parameters["patience"]
    trainer = Trainer(
        classifier.model,
        arguments,
        DataCollatorWithPadding(classifier.tokenizer),
        encode(classifier, train),
        encode(classifier, valid),
        compute_metrics=lambda outcome: outcome_scores(outcome, list(classifier.model.config.id2label.values())),
        callbacks=[EpochLine()] + ([EarlyStoppingCallback(patience)] if patience else []),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def mixed_precision(device: torch.device, precision: str) -> dict:
    """The Trainer's mixed-precision switches; `auto` is bf16 or else fp16 on a GPU, fp32 elsewhere."""
    if precision == "auto":
        able = device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
        precision = "fp32" if device.type != "cuda" else "bf16" if able else "fp16"
    return {"bf16": precision == "bf16", "fp16": precision == "fp16"}


def encode(classifier: models.Transformer, frame: pd.DataFrame) -> Dataset:
    """Token ids and label numbers of a frame."""
    pieces = classifier.tokenizer(list(frame["text"]), truncation=True, max_length=classifier.max_length)
    return Dataset.from_dict({**pieces, "labels": [classifier.model.config.label2id[label] for label in frame["label"]]})


def outcome_scores(outcome, labels: list[str]) -> dict:
    """Accuracy and macro averages of the Trainer's evaluation."""
    gold, predicted = ([labels[number] for number in numbers] for numbers in (outcome.label_ids, outcome.predictions.argmax(-1)))
    return {name: value for name, value in measure.scores(gold, predicted, labels).items() if name == "accuracy" or name.startswith("macro")}


def read_history(log: list[dict]) -> list[dict]:
    """The epoch table from the Trainer's log."""
    rows = {}
    for entry in log:
        row = rows.setdefault(round(entry["epoch"]), {"epoch": round(entry["epoch"])})
        names = {"loss": "train_loss", "eval_loss": "valid_loss", "eval_accuracy": "accuracy", "eval_macro_f1": "f1"}
        names |= {"eval_macro_precision": "precision", "eval_macro_recall": "recall"}
        row |= {names[name]: value for name, value in entry.items() if name in names}
    return [{name: row[name] for name in COLUMNS} for row in rows.values() if COLUMNS[-1] in row]


def last_complete(folder: Path) -> Path | None:
    """The newest Trainer checkpoint whose state file, which is written last, can be read."""
    for path in sorted(folder.glob("checkpoint-*"), key=lambda path: -int(path.name.split("-")[1])):
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            shutil.rmtree(path)
        else:
            return path
    return None


class EpochLine(TrainerCallback):
    """One line of plain text per epoch instead of a progress bar."""

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(f"epoch {metrics['epoch']:.0f}: validation loss {metrics['eval_loss']:.4f}, macro-F1 {metrics['eval_macro_f1']:.4f}", flush=True)
