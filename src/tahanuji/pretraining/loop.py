"""The training: Hugging Face's Trainer over batches that are a function of the step, with a
learning curve on held-out texts.
"""

import hashlib
import json
import shutil
import time
import warnings
from dataclasses import replace
from pathlib import Path

import pandas as pd
import torch
from transformers import (
    BertConfig,
    BertTokenizer,
    PrinterCallback,
    Trainer,
    TrainerCallback,
    TrainingArguments,
)

from tahanuji import fingerprints, paths, training
from tahanuji.pretraining import network, optimizer
from tahanuji.pretraining.evaluation import FixedMasks, summary
from tahanuji.pretraining.packing import Batches
from tahanuji.training import trainer

__all__ = ["train"]

POINTS = 40  # of the learning curve; at each the training can be taken up again
TIMED = 50  # steps after which the duration is estimated
WARM_UP = 0.02  # of all steps; then the learning rate falls in a line to zero, over all phases
MAX_GRADIENT = 1.0
COLUMNS = [
    "step",
    "epoch",
    "length",
    "tokens",
    "seconds",
    "learning_rate",
    "train_loss",
]  # of the learning curve, before those of the held-out sets
CODE = (
    "packing",
    "network",
    "optimizer",
    "evaluation",
    "loop",
)  # files of this package that trained weights and their curve depend on


def train(
    job: training.Job,
    learning_rate: float,
    config: BertConfig,
    tokenizer: BertTokenizer,
    batches: Batches,
    heldout: FixedMasks,
) -> pd.DataFrame:
    """Train a network and write it to `<model_name>` in the job's folder.

    An interrupted training goes on from its last evaluation, on a CPU to the bit as if nothing had
    happened; a finished one is not repeated; both only where data, parameters and code are the
    same.

    Parameters
    ----------
    job : training.Job
        Names the model, its folder, seed, device and precision.
    learning_rate : float
        The highest of its schedule.
    config : BertConfig
    tokenizer : BertTokenizer
    batches : Batches
        What is learned from, a batch a step.
    heldout : FixedMasks
        What the loss is measured on.

    Returns
    -------
    DataFrame
        The learning curve, a row per evaluation: step, epoch (of its phase), length, tokens,
        seconds (of training), learning_rate, train_loss (mean since the row before), and
        `<set>_loss`, `<set>_accuracy` of the held-out sets.
    """
    job = replace(job, device=torch.device(job.device))
    folder, mark = job.folder, fingerprint(job, learning_rate, config, tokenizer, batches, heldout)
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "done.json"
    record = json.loads(done.read_text(encoding="utf-8")) if done.is_file() else {}
    if record.get("fingerprint") == mark and (target(job) / "model.safetensors").is_file():
        print(
            "Training was complete already with the same data, parameters and code; its model is "
            "used."
        )
        return pd.DataFrame(record["history"])
    training.clear(folder, mark)
    model = network.build(config, job.seed, job.device)
    history = fit(
        make_trainer(job, learning_rate, model, batches, heldout, folder / "steps"),
        folder / "steps",
    )
    network.export(model.cpu(), config, tokenizer, target(job))
    paths.write_json(done, {"fingerprint": mark, "history": history})
    shutil.rmtree(folder / "steps")
    return pd.DataFrame(history)


def target(job: training.Job) -> Path:
    """The folder of the model that a job makes."""
    return job.folder / paths.slug(job.model_name)


def fit(pretrainer: "Pretrainer", folder: Path) -> list[dict]:
    """Train from the newest complete checkpoint in the folder, or from the start; the learning
    curve's rows come back.
    """
    resume = trainer.last_complete(folder)
    if resume:
        print(f"Going on after {paths.shown(resume)}.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(lr_scheduler|use_reentrant).*")
        pretrainer.train(resume_from_checkpoint=str(resume) if resume else None)
    return read_history(pretrainer.state.log_history, pretrainer.train_dataset)


def fingerprint(
    job: training.Job,
    learning_rate: float,
    config: BertConfig,
    tokenizer: BertTokenizer,
    batches: Batches,
    heldout: FixedMasks,
) -> str:
    """A hash of everything that the trained weights and the curve depend on."""
    asked = {"model_name": job.model_name, "seed": job.seed, "learning_rate": learning_rate}
    asked["precision"] = trainer.precision(job.device, job.precision)
    needed = fingerprints.code(*(Path(__file__).with_name(f"{name}.py") for name in CODE))
    facts = [
        asked,
        needed,
        config.to_dict(),
        tokenizer.get_vocab(),
        [(phase.size, phase.steps) for phase in batches.phases],
        torch.__version__,
        job.device.type,
    ]
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode())
    for array in [phase.blocks for phase in batches.phases] + [
        array for pair in heldout.sets.values() for array in pair
    ]:
        digest.update(array.tobytes())
    return digest.hexdigest()


def make_trainer(
    job: training.Job,
    learning_rate: float,
    model: network.MaskedPositionsBert,
    batches: Batches,
    heldout: FixedMasks,
    folder: Path,
) -> "Pretrainer":
    """A Trainer that takes the batches in their order, one a step, and evaluates and saves at the
    learning curve's points.
    """
    arguments = TrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=1,  # an item of the data is a whole batch
        max_steps=len(batches),
        train_sampling_strategy="sequential",
        learning_rate=learning_rate,
        lr_scheduler_type="linear",
        warmup_steps=WARM_UP,
        seed=job.seed % 2**32,
        logging_strategy="no",
        save_strategy="no",
        save_total_limit=2,
        use_cpu=job.device.type == "cpu",
        dataloader_pin_memory=job.device.type == "cuda",
        disable_tqdm=True,
        report_to="none",
        max_grad_norm=MAX_GRADIENT,
        **trainer.mixed_precision(job.device, job.precision),
    )
    return Pretrainer(
        model, arguments, batches, heldout, optimizer.MuonAndAdam(model, arguments.learning_rate)
    )


class Pretrainer(Trainer):
    """A Trainer whose evaluation is that on fixed masks, and whose clock goes on after an
    interruption.
    """

    def __init__(
        self,
        model: network.MaskedPositionsBert,
        arguments: TrainingArguments,
        batches: Batches,
        heldout: FixedMasks,
        optimizer: torch.optim.Optimizer,
    ):
        self.heldout, self.clock = heldout, Clock(batches)
        super().__init__(
            model,
            arguments,
            together,
            batches,
            callbacks=[self.clock],
            optimizers=(optimizer, None),
        )
        self.remove_callback(PrinterCallback)
        self.dtype = (
            torch.bfloat16 if arguments.bf16 else torch.float16 if arguments.fp16 else torch.float32
        )

    def evaluate(self, *given, **options) -> dict[str, float]:
        """Loss and accuracy of every held-out set, logged with the seconds of training so far;
        those of evaluations do not count.
        """
        seconds, began = self.clock.seconds(), time.monotonic()
        scores = summary(self.heldout(self.model, self.dtype))
        self.log({"seconds": seconds, **scores})
        shown = ", ".join(
            f"{name.removesuffix('_loss')} {value:.3f}"
            for name, value in scores.items()
            if name.endswith("_loss")
        )
        print(
            f"step {self.state.global_step:,} of {self.state.max_steps:,}: held-out loss {shown}",
            flush=True,
        )
        self.clock.pause(time.monotonic() - began)
        return scores


class Clock(TrainerCallback):
    """When to evaluate and save, and how long training has taken; after `TIMED` steps it says how
    long the whole will take.
    """

    def __init__(self, batches: Batches):
        self.points = points(batches)

    def on_train_begin(self, args, state, control, **kwargs):
        self.first, self.before = (
            state.global_step,
            max((row.get("seconds", 0.0) for row in state.log_history), default=0.0),
        )
        self.origin = time.monotonic() - self.before

    def on_step_end(self, args, state, control, **kwargs):
        if state.global_step in self.points:
            control.should_log = control.should_evaluate = control.should_save = True
        if state.global_step == self.first + TIMED:
            left, taken = state.max_steps - state.global_step, self.seconds() - self.before
            print(
                f"{TIMED} steps in {taken:.0f} s: about {left / TIMED * taken / 60:.0f} minutes "
                f"for the other {left:,}.",
                flush=True,
            )

    def on_epoch_end(self, args, state, control, **kwargs):
        """The Trainer would measure the last step twice: all steps are one epoch to it."""
        control.should_log = control.should_evaluate = control.should_save = False

    def seconds(self) -> float:
        """Seconds of training so far, those before an interruption included."""
        return time.monotonic() - self.origin

    def pause(self, seconds: float) -> None:
        """Leave seconds out of the count."""
        self.origin += seconds


def points(batches: Batches) -> set[int]:
    """The steps after which the network is measured and saved: evenly spread, and the last one of
    every phase.
    """
    total, last = len(batches), 0
    steps = {round(total * number / POINTS) for number in range(1, POINTS + 1)} - {0}
    for phase in batches.phases:
        last += phase.steps
        steps.add(last)
    return steps


def together(items: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """The batches given, one per GPU, as one."""
    return {name: torch.cat([item[name] for item in items]) for name in items[0]}


def read_history(log: list[dict], batches: Batches) -> list[dict]:
    """The learning curve's rows from the Trainer's log."""
    rows = {}
    for entry in log:
        if "loss" in entry or "seconds" in entry:
            named = {
                "train_loss" if name == "loss" else name: value
                for name, value in entry.items()
                if name not in {"epoch", "grad_norm"}
            }
            rows[entry["step"]] = rows.get(entry["step"], {}) | named
    for step, row in rows.items():
        number, first = batches.phase(step - 1)
        phase = batches.phases[number]
        row |= {
            "epoch": (step - first) * phase.size / len(phase.blocks),
            "length": phase.length,
            "tokens": step * phase.size * phase.length,
        }
    return [
        {name: row[name] for name in [*COLUMNS, *sorted(row.keys() - {*COLUMNS})]}
        for row in rows.values()
    ]
