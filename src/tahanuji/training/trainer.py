"""Hugging Face's Trainer as the study uses it: an evaluation and a checkpoint per epoch, resumable,
best and last kept.
"""

import json
import shutil
import warnings
from pathlib import Path

import pandas as pd
import torch
from datasets import Dataset
from transformers import (
    DataCollatorWithPadding,
    EarlyStoppingCallback,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from tahanuji import data, measure, paths
from tahanuji.models import inference, sources, transformer
from tahanuji.training.precision import fastest, probed

COLUMNS = ["epoch", "train_loss", "valid_loss", "accuracy", "precision", "recall", "f1"]


def train(
    job,
    classifier: transformer.Transformer,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> tuple[list[dict], transformer.Transformer]:
    """Train `classifier`, which ends as its best epoch; the epoch table and the classifier of the
    last epoch come back.

    `folder` holds the Trainer's checkpoints; where it has complete ones, training goes on after the
    newest.
    """
    trainer = make_trainer(job, classifier, train, valid, chosen, folder)
    resume = last_complete(folder)
    if resume:
        print(f"Going on after {paths.shown(resume)}.")
        trainer.args.num_train_epochs = epochs_wanted(resume, chosen["epochs"], job.patience)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(lr_scheduler|use_reentrant|loading best).*")
        trainer.train(resume_from_checkpoint=str(resume) if resume else None)
    # else it would go on answering in the precision of its training
    trainer.accelerator.unwrap_model(classifier.model, keep_fp32_wrapper=False).eval()
    classifier.converted.clear()
    model, _ = sources.from_source(str(last_complete(folder)))
    return read_history(trainer.state.log_history), transformer.Transformer(
        model, classifier.tokenizer, classifier.labels, classifier.max_length
    )


def make_trainer(
    job,
    classifier: transformer.Transformer,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> Trainer:
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
        train_sampling_strategy=chosen["sampling"],
        eval_strategy="epoch",
        save_strategy="epoch",
        logging_strategy="epoch",
        load_best_model_at_end=True,
        metric_for_best_model="macro_f1",
        # early stopping counts on after an interruption
        restore_callback_states_from_checkpoint=True,
        save_total_limit=2,  # with 1 the Trainer deletes the last epoch in favour of the best
        **shared_arguments(job),
    )
    patience = job.patience
    rows, kind = job.online(classifier, train) if job.online else (None, Trainer)
    trainer = kind(
        classifier.model,
        arguments,
        DataCollatorWithPadding(
            classifier.tokenizer, pad_to_multiple_of=inference.width_multiple(classifier.model)
        ),
        encode(classifier, train) if rows is None else rows,
        encode(classifier, valid),
        compute_metrics=lambda outcome: outcome_scores(
            outcome,
            [label for _, label in sorted(zip(classifier.columns, classifier.labels, strict=True))],
        ),
        callbacks=[EpochLine()] + ([EarlyStoppingCallback(patience)] if patience else []),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def precision(device: str | torch.device, asked: str) -> str:
    """What was asked for, `auto` as what is fastest on the device."""
    return fastest(device) if asked == "auto" else asked


def note_precision(job) -> None:
    """Tell a job's facts the precision of its training and, where a probe chose it, the seconds."""
    job.facts["training_precision"] = precision(job.device, job.precision)
    if job.precision == "auto" and torch.device(job.device).type == "cpu":
        job.facts["precision_probe"] = probed("training", "bf16")


def shared_arguments(job) -> dict:
    """The Trainer's arguments that fine-tuning and pre-training share: seed, device, precision, and
    nothing printed or sent anywhere.
    """
    device, chosen = torch.device(job.device).type, precision(job.device, job.precision)
    return {
        "seed": job.seed % 2**32,
        "use_cpu": device == "cpu",
        "dataloader_pin_memory": device == "cuda",
        "disable_tqdm": True,
        "report_to": "none",
        "bf16": chosen == "bf16",
        "fp16": chosen == "fp16",
    }


def encode(classifier: transformer.Transformer, frame: pd.DataFrame) -> Dataset:
    """Token ids, token types and label numbers of a frame of texts or pairs."""
    pieces = inference.encode(
        classifier.model, classifier.tokenizer, data.inputs(frame), classifier.max_length
    )
    return Dataset.from_dict(
        {
            **pieces,
            "labels": list(
                frame["label"].map(dict(zip(classifier.labels, classifier.columns, strict=True)))
            ),
        }
    )


def outcome_scores(outcome, labels: list[str]) -> dict:
    """Accuracy and macro averages of the Trainer's evaluation."""
    gold, predicted = (
        [labels[number] for number in numbers]
        for numbers in (outcome.label_ids, outcome.predictions.argmax(-1))
    )
    return {
        name: value
        for name, value in measure.scores(gold, predicted, labels).items()
        if name == "accuracy" or name.startswith("macro")
    }


def read_history(log: list[dict]) -> list[dict]:
    """The epoch table from the Trainer's log."""
    rows = {}
    for entry in log:
        row = rows.setdefault(round(entry["epoch"]), {"epoch": round(entry["epoch"])})
        names = {
            "loss": "train_loss",
            "eval_loss": "valid_loss",
            "eval_accuracy": "accuracy",
            "eval_macro_f1": "f1",
        }
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


def epochs_wanted(resume: Path, epochs: int, patience: int) -> int:
    """The epochs to train in all: no more than are done where patience was used up before the
    interruption.
    """
    state = json.loads((resume / "trainer_state.json").read_text(encoding="utf-8"))
    stopper = state["stateful_callbacks"].get(
        "EarlyStoppingCallback", {"attributes": {"early_stopping_patience_counter": 0}}
    )
    used_up = patience and stopper["attributes"]["early_stopping_patience_counter"] >= patience
    return round(state["epoch"]) if used_up else epochs


class EpochLine(TrainerCallback):
    """One line of plain text per epoch instead of a progress bar."""

    def on_evaluate(self, args, state, control, metrics=None, **kwargs):
        print(
            f"epoch {metrics['epoch']:.0f}: validation loss {metrics['eval_loss']:.4f}, macro-F1 "
            f"{metrics['eval_macro_f1']:.4f}",
            flush=True,
        )
