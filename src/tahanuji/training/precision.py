"""Which precision a network computes in fastest here, by a probe of a few steps that is kept per
machine: what a processor says of itself (AVX-512 BF16 without AMX) has chosen wrongly.
"""

import functools
import json
import platform
import time
from contextlib import suppress
from pathlib import Path

import pooch
import torch
from transformers import BertConfig, BertForSequenceClassification

from tahanuji import paths
from tahanuji.models import inference

STEPS = 3  # timed after one that warms up; the quickest counts, as other work only slows down
CLEARLY = 0.9  # of the seconds of fp32: what hardly gains is not worth its rounding
LAYERS = {"num_hidden_layers": 2, "hidden_size": 256, "num_attention_heads": 4}
SHAPE = (8, 48)  # texts of a batch and their pieces


def fastest(device: str | torch.device) -> str:
    """The precision to train in: bf16 or fp16 on an NVIDIA GPU, on a CPU bf16 where the probe finds
    it clearly faster, else fp32.
    """
    kind = torch.device(device).type
    if kind == "cuda":
        return "bf16" if torch.cuda.is_bf16_supported(including_emulation=False) else "fp16"
    if kind != "cpu":
        return "fp32"
    seconds = probed("training", "bf16")
    return "bf16" if seconds["bf16"] < CLEARLY * seconds["fp32"] else "fp32"


def warning(work: str, precision: str) -> str:
    """A sentence where work on this CPU, `training` or `prediction`, takes longer in a precision
    than in fp32; else nothing.
    """
    if precision == "fp16":  # which no CPU computes in
        return ""
    seconds = probed(work, precision)
    ratio = seconds[precision] / seconds["fp32"]
    slower = f"{precision} takes {ratio:.1f} times the seconds of fp32 here, by a {work} probe."
    return slower if ratio > 1 / CLEARLY else ""


def probed(work: str, precision: str) -> dict[str, float]:
    """Seconds of a step of `training` or `prediction` on this CPU in fp32 and in a precision; kept
    in the user's cache.
    """
    return _probed(work, precision, torch.get_num_threads())


@functools.cache
def _probed(work: str, precision: str, threads: int) -> dict[str, float]:
    key = f"{machine()}, threads: {threads}, {work}, {precision}"
    kept = _kept()
    if key not in kept:
        kept = _kept() | {key: measured(work, ("fp32", precision))}
        with suppress(OSError):  # where nothing can be kept it is measured again
            place().parent.mkdir(parents=True, exist_ok=True)
            paths.write_json(place(), kept)
    return kept[key]


def place() -> Path:
    """The file of what was measured."""
    return Path(pooch.os_cache("tahanuji")) / "precision.json"


def _kept() -> dict:
    try:
        return json.loads(place().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def machine() -> str:
    """The processor and what torch makes of it."""
    name = platform.processor() or platform.machine()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next((line.split(": ")[1] for line in lines if line.startswith("model name")), name)
    able = sorted(name for name, there in torch.cpu.get_capabilities().items() if there is True)
    return f"{name}, {' '.join(able)}, torch {torch.__version__}"


def measured(work: str, precisions: tuple[str, ...]) -> dict[str, float]:
    """Seconds of the quickest of a few steps in each precision, in turns; draws nothing."""
    with torch.random.fork_rng(devices=[]):
        network = BertForSequenceClassification(BertConfig(vocab_size=1000, **LAYERS))
        pieces = torch.randint(1000, SHAPE)
    step = _train if work == "training" else _predict
    steps = {name: step(network, pieces, name) for name in precisions}
    taken: dict[str, list[float]] = {name: [] for name in precisions}
    for _ in range(1 + STEPS):
        for name, one in steps.items():
            began = time.perf_counter()
            one()
            taken[name].append(time.perf_counter() - began)
    return {name: round(min(seconds[1:]), 4) for name, seconds in taken.items()}


def _train(network, pieces: torch.Tensor, precision: str):
    """A step of training as the Trainer does it, without the optimizer."""
    labels = torch.zeros(len(pieces), dtype=torch.long)

    def step() -> None:
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            network.eval()(input_ids=pieces, labels=labels).loss.backward()  # dropout would draw

    return step


def _predict(network, pieces: torch.Tensor, precision: str):
    """A step of prediction, as `inference` does it."""
    converted = inference.convert(network.eval(), precision)

    def step() -> None:
        with torch.inference_mode():
            converted(input_ids=pieces)

    return step
