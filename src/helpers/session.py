"""One call per notebook: checked parameters, device, seeds, quiet logs and plot style."""

import logging
import os
import platform
import resource
import sys
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import torch
import transformers
from IPython.display import Markdown, display

from helpers import layout, parameters, plain, provenance, tables
from tahanuji import paths


@dataclass
class Run:
    """A notebook's run: its folder, checked parameters and device, and the facts that
    provenance.json will hold.
    """

    notebook: str
    dir: Path
    parameters: dict
    device: torch.device
    facts: dict = field(default_factory=dict)
    started: float = field(default_factory=time.time)

    @property
    def model_name(self) -> str:
        return self.parameters["model_name"]

    @property
    def variant(self) -> str:
        return self.dir.name

    def job(self):
        """The training that this run's parameters ask for, its checkpoints in `checkpoint/`."""
        from tahanuji import training

        given = self.parameters
        return training.Job(
            model_name=self.model_name,
            dataset=given["dataset"],
            folder=self.dir / "checkpoint",
            seed=given["seed"],
            device=self.device,
            patience=given.get("patience", 0),
            precision=given["training_precision"],
            facts=self.facts,
        )

    def used(self, *things) -> None:
        """Note data frames (name, split, rows, sha256) and classifiers (checkpoint hash) for
        provenance.json.
        """
        for thing in things:
            kind = "data" if isinstance(thing, pd.DataFrame) else "models"
            about = thing.attrs["source"] if kind == "data" else thing.about()
            self.facts.setdefault(kind, [])
            if about not in self.facts[kind]:
                self.facts[kind].append(about)

    def finish(self, **facts) -> None:
        """Close the run: take out texts that may not be published and write its facts; outside the
        runner also provenance.json, which makes the run count as finished.
        """
        tables.withhold(self.dir, self.facts.get("data", []))
        self.facts |= facts | {
            "device": device_name(self.device),
            "threads": torch.get_num_threads(),
            "seconds_in_kernel": round(time.time() - self.started, 1),
            "peak_memory_mb": peak_memory_mb(),
        }
        if self.device.type == "cuda":
            self.facts["peak_gpu_memory_mb"] = round(torch.cuda.max_memory_allocated() / 2**20)
        if os.environ.get("TAHAN_RUNNER"):
            paths.write_json(self.dir / "facts.json", self.facts)
        else:
            provenance.write(
                self.dir, self.notebook, self.parameters, self.facts, time.time() - self.started
            )
        print(f"Finished: {paths.shown(self.dir)}")


def start(notebook: str, variables: dict) -> Run:
    """The run of `notebook` with the parameters found in `variables` (the notebook's globals()).

    Raises InputError where a value has the wrong type, lies out of range or names nothing known,
    before anything is computed. The run's folder is created and its old provenance.json removed: an
    unfinished rerun must not look finished.
    """
    quiet()
    plain.install()
    declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
    values = parameters.check({name: variables[name] for name in declared}, declared)
    folder = Path(values["run_dir"] or layout.default_folder(notebook, values))
    folder.mkdir(parents=True, exist_ok=True)
    if not os.environ.get("TAHAN_REDRAW"):
        (folder / "provenance.json").unlink(missing_ok=True)
    transformers.set_seed(values.get("seed", 0) % 2**32)
    run = Run(notebook, folder, values, pick_device())
    run.facts["state"] = provenance.repository_state()
    print(f"Run folder: {paths.shown(folder)}")
    print(
        f"python {platform.python_version()} · torch {torch.__version__} · transformers "
        f"{transformers.__version__} · {device_name(run.device)}"
    )
    say_precision(run)
    return run


def say_precision(run: Run) -> None:
    """Print, before anything is computed, where a precision that was asked for is slow here."""
    asked = {
        "training": run.parameters.get("training_precision", "auto"),
        "prediction": run.parameters.get("precision", "fp32"),
    }
    chosen = {work: name for work, name in asked.items() if name not in ("auto", "fp32")}
    if chosen and run.device.type == "cpu":
        from tahanuji.training import precision

        for work, name in chosen.items():
            if said := precision.warning(work, name):
                print(said)


def pick_device() -> torch.device:
    """The device to compute on: TAHAN_DEVICE where set, else CUDA, Apple's GPU, the CPU, in this
    order.
    """
    if name := os.environ.get("TAHAN_DEVICE"):
        return torch.device(name)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def device_name(device: torch.device) -> str:
    """`NVIDIA T4`, `mps` or `CPU, threads: 2`."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU, threads: {torch.get_num_threads()}" if device.type == "cpu" else device.type


def peak_memory_mb() -> int:
    """The process's largest resident set so far, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" else 2**10))


def quiet() -> None:
    """Keep progress bars and advice out of executed notebooks; errors still show."""
    os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    transformers.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message=".*pin_memory.*")
    pd.set_option("display.max_colwidth", 90, "display.precision", 3, "display.width", 160)


def say(*sentences: str) -> None:
    """Show sentences as a list in the notebook."""
    display(Markdown("\n".join(f"* {sentence}" for sentence in sentences)))
