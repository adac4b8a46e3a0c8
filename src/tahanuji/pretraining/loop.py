"""The training: Hugging Face's Trainer over batches that are a function of the step, with a
learning curve on held-out texts.
"""

import json
import shutil
import time
import warnings
from dataclasses import replace
from hashlib import sha256
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import (
    BertConfig,
    BertTokenizer,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainerState,
    TrainingArguments,
)

from tahanuji import data, fingerprints, paths, training
from tahanuji.models import inference
from tahanuji.pretraining import network, optimizer
from tahanuji.pretraining.evaluation import FixedMasks, summary
from tahanuji.pretraining.packing import Batches
from tahanuji.training import trainer

__all__ = ["target", "train"]

WEIGHTS = "model.safetensors"
POINTS = 40  # of the learning curve; at each the training can be taken up again
WARM_UP = 0.02  # of all steps; then the learning rate falls in a line to zero, over all phases
MAX_GRADIENT = 1.0
COLUMNS = ["step", "epoch", "length", "tokens", "seconds", "learning_rate", "train_loss"]
# what trained weights and their curve depend on
CODE = ("packing", "network", "optimizer", "evaluation", "loop")


def train(
    job: training.Job,
    learning_rate: float,
    config: BertConfig,
    tokenizer: BertTokenizer,
    batches: Batches,
    heldout: FixedMasks,
    start: str = "",
) -> pd.DataFrame:
    """Train a network and write it to `<model_name>` in the job's folder.

    An interrupted training goes on from its last evaluation, on a CPU to the bit as if nothing had
    happened; a finished one is not repeated; both only where data, parameters and code are the
    same.

    Parameters
    ----------
    job : training.Job
        Names the model, its folder, seed, device and precision; its `facts` get precision,
        seconds, tokens a second and the hash of the weights.
    learning_rate : float
        The highest of its schedule.
    config : BertConfig
        What `network.configure` gives.
    tokenizer : BertTokenizer
        Written beside the weights.
    batches : Batches
        What is learned from, a batch a step.
    heldout : FixedMasks
        What the loss is measured on.
    start : str
        The network, a folder or hub id, whose training goes on; empty: random weights.

    Returns
    -------
    DataFrame
        The learning curve, a row per evaluation: step, epoch (of its phase), length, tokens,
        seconds (of training), learning_rate, train_loss (mean since the row before), and
        `<set>_loss`, `<set>_accuracy` of the held-out sets.
    """
    job = replace(job, device=torch.device(job.device))
    folder, model = job.folder, network.build(config, job.seed, job.device, start)
    mark = fingerprint(job, learning_rate, model, tokenizer, batches, heldout)
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done.json"
    record = json.loads(done.read_text(encoding="utf-8")) if done.is_file() else {}
    if record.get("fingerprint") == mark and (target(job) / WEIGHTS).is_file():
        print(
            "Training was complete already with the same data, parameters and code; its model is "
            "used."
        )
    else:
        training.clear(folder, mark)
        history = fit(make_trainer(job, learning_rate, model, batches, heldout))
        network.export(model.cpu(), config, tokenizer, target(job))
        record = {"fingerprint": mark, "history": history}
        paths.write_json(done, record)
        shutil.rmtree(folder / "steps")
    job.facts.update(facts(job, record["history"][-1]))
    return pd.DataFrame(record["history"])


def facts(job: training.Job, last: dict) -> dict:
    """What provenance should know of a training, by the last row of its curve."""
    made = {"kind": "encoder", "model_name": job.model_name}
    return {
        "models": [made | {"sha256": data.sha256(target(job) / WEIGHTS)}],
        "training_precision": trainer.precision(job.device, job.precision),
        "training_seconds": round(last["seconds"], 1),
        "tokens_per_second": round(last["tokens"] / last["seconds"]),
    }


def target(job: training.Job) -> Path:
    """The folder of the model that a job makes."""
    return job.folder / paths.slug(job.model_name)


def fingerprint(
    job: training.Job,
    learning_rate: float,
    model: network.MaskedPositionsBert,
    tokenizer: BertTokenizer,
    batches: Batches,
    heldout: FixedMasks,
) -> str:
    """A hash of everything that the trained weights and the curve depend on."""
    asked = [job.model_name, job.seed, learning_rate, trainer.precision(job.device, job.precision)]
    steps = [(phase.size, phase.steps, phase.pairs) for phase in batches.phases]
    blocks = [phase.blocks for phase in batches.phases]
    weights = [value.cpu().numpy() for value in model.state_dict().values()]
    read = chain(blocks, *heldout.sets.values(), weights)
    arrays = [sha256(np.ascontiguousarray(array)).hexdigest() for array in read]
    needed = fingerprints.code(*(Path(__file__).with_name(f"{name}.py") for name in CODE))
    config = model.config.to_dict() | {"_name_or_path": ""}  # its weights count, not their place
    made = [config, tokenizer.get_vocab(), torch.__version__, job.device.type]
    return fingerprints.facts([asked, steps, arrays, needed, made])


def make_trainer(
    job: training.Job,
    learning_rate: float,
    model: network.MaskedPositionsBert,
    batches: Batches,
    heldout: FixedMasks,
) -> "Pretrainer":
    """A Trainer that takes the batches in their order, one a step, and evaluates and saves at the
    learning curve's points.
    """
    arguments = TrainingArguments(
        output_dir=str(job.folder / "steps"),
        per_device_train_batch_size=1,  # an item of the data is a whole batch
        max_steps=len(batches),
        train_sampling_strategy="sequential",
        learning_rate=learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=WARM_UP,
        max_grad_norm=MAX_GRADIENT,
        logging_strategy="no",
        save_strategy="no",
        save_total_limit=2,
        **trainer.shared_arguments(job),
    )
    precision = trainer.precision(job.device, job.precision)
    return Pretrainer(model, arguments, batches, heldout, precision)


def fit(pretrainer: "Pretrainer") -> list[dict]:
    """The rows of the learning curve after training from the newest complete checkpoint, or from
    the start.
    """
    resume = trainer.last_complete(Path(pretrainer.args.output_dir))
    if resume:
        print(f"Going on after {paths.shown(resume)}.")
        log = TrainerState.load_from_json(str(resume / "trainer_state.json")).log_history
        pretrainer.started -= max(row.get("seconds", 0.0) for row in log)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(lr_scheduler|use_reentrant).*")
        pretrainer.train(resume_from_checkpoint=str(resume) if resume else None)
    return read_history(pretrainer.state.log_history, pretrainer.train_dataset)


class Pretrainer(Trainer):
    """A Trainer whose evaluation is that on fixed masks, with a clock that counts training alone;
    `started` is when training would have begun without evaluations and interruptions.
    """

    def __init__(self, model, arguments, batches: Batches, heldout: FixedMasks, precision: str):
        chosen = optimizer.MuonAndAdam(model, arguments.learning_rate)
        options = {"callbacks": [Points(batches)], "optimizers": (chosen, None)}
        super().__init__(model, arguments, together, batches, **options)
        self.remove_callback(PrinterCallback)
        self.heldout, self.precision, self.started = heldout, precision, time.monotonic()

    def evaluate(self, *given, **options) -> dict[str, float]:
        """Loss and accuracy of every held-out set, logged with the seconds of training so far."""
        began = time.monotonic()
        scores = summary(self.heldout(self.model, inference.DTYPES[self.precision]))
        self.log({"seconds": began - self.started, **scores})
        self.control = self.callback_handler.on_evaluate(
            self.args, self.state, self.control, scores
        )
        losses = {name: round(value, 3) for name, value in scores.items() if "_loss" in name}
        print(
            f"step {self.state.global_step:,} of {self.state.max_steps:,}, "
            f"{(began - self.started) / 60:.1f} minutes: {losses}",
            flush=True,
        )
        self.started += time.monotonic() - began
        return scores


class Points(TrainerCallback):
    """When the network is measured and saved: after evenly spread steps, and after the last one of
    every phase.
    """

    def __init__(self, batches: Batches):
        even = (round(len(batches) * number / POINTS) for number in range(1, POINTS + 1))
        self.steps = {*even, *batches.ends.tolist()}

    def on_step_end(self, args, state, control, **kwargs):
        now = state.global_step in self.steps
        control.should_log = control.should_evaluate = control.should_save = now


def together(items: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """The batches given, one per GPU, as one."""
    return {name: torch.cat([item[name] for item in items]) for name in items[0]}


def read_history(log: list[dict], batches: Batches) -> list[dict]:
    """The learning curve's rows from the Trainer's log."""
    rows = {}
    for entry in log:
        if "loss" in entry or "seconds" in entry:
            renamed = {"train_loss" if name == "loss" else name: entry[name] for name in entry}
            rows[entry["step"]] = rows.get(entry["step"], {}) | renamed
    for step, row in rows.items():
        number, within = batches.place(step - 1)
        phase = batches.phases[number]
        epoch = (within + 1) * phase.size / len(phase.blocks)
        tokens = step * phase.size * phase.length
        row |= {"epoch": epoch, "length": phase.length, "tokens": tokens}
    scores = sorted({name for row in rows.values() for name in row} - {*COLUMNS, "grad_norm"})
    return [{name: row[name] for name in [*COLUMNS, *scores]} for row in rows.values()]
