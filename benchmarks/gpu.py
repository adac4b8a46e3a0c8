"""What a GPU gives: fine-tuning and prediction of a BERT-base-sized classifier, fp32 against bf16,
eager against compiled.

    python benchmarks/gpu.py [--texts 4000] [--rounds 5] python benchmarks/gpu.py --device cpu
    --layers 1 --width 64 --texts 32 --rounds 1 --ways eager      # a look at whether it runs

Random weights read made-up words, as many per text as SmSA's training texts have pieces
(`smsa_lengths.csv`; `--lengths` writes it anew): speed depends on lengths, not on words. Every
round runs all ways in turn. Work is counted on real pieces (padding is waste): a forward pass takes
2 operations per weight of the layers and piece, and 4 per layer, hidden unit and pair of pieces for
attention; training three times that. The card's ceiling is the best of several bf16 matrix products
in the same run.
"""

import argparse
import copy
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

from helpers import session
from tahanuji import data
from tahanuji.models import inference
from tahanuji.pretraining import vocabulary

LENGTHS = Path(__file__).with_name("smsa_lengths.csv")
PIECES, BATCH, MULTIPLE, LONGEST = 30_000, 32, 32, 512
WORDS = np.array([f"kata{number}" for number in range(PIECES - len(vocabulary.SPECIAL))])


def write_lengths() -> None:
    """Count the texts of SmSA's training split by their pieces, [CLS] and [SEP] included, with a
    vocabulary of 30,000 made from them.
    """
    texts = list(data.load("smsa", "train")["text"])
    tokenizer = vocabulary.wordpiece(texts, PIECES)
    lengths = pd.Series([min(LONGEST, len(ids)) for ids in tokenizer(texts)["input_ids"]])
    lengths.value_counts().sort_index().rename_axis("pieces").rename("texts").to_csv(LENGTHS)


def made_up(count: int) -> list[str]:
    """So many texts of made-up words, each one piece, with the lengths of SmSA's."""
    table, rng = pd.read_csv(LENGTHS), np.random.default_rng(1)
    lengths = rng.permutation(table["pieces"].repeat(table["texts"]).to_numpy())
    return [" ".join(rng.choice(WORDS, length - 2)) for length in np.resize(lengths, count)]


def classifier(
    layers: int, width: int, device: torch.device
) -> tuple[BertForSequenceClassification, BertTokenizer]:
    """A BERT with random weights, heads 64 wide, and a tokenizer to which every made-up word is one
    piece.
    """
    torch.manual_seed(1)
    tokenizer = BertTokenizer(
        vocab={piece: number for number, piece in enumerate([*vocabulary.SPECIAL, *WORDS])}
    )
    shape = {
        "num_hidden_layers": layers,
        "hidden_size": width,
        "num_attention_heads": width // 64,
        "intermediate_size": 4 * width,
    }
    return BertForSequenceClassification(
        BertConfig(vocab_size=PIECES, num_labels=len(data.LABELS), **shape)
    ).to(device), tokenizer


def operations(lengths: np.ndarray, config: BertConfig) -> float:
    """Floating-point operations of a forward pass over texts of these lengths; see above."""
    weights = 12 * config.hidden_size**2 * config.num_hidden_layers
    return float(
        (
            2 * weights * lengths + 4 * config.num_hidden_layers * config.hidden_size * lengths**2
        ).sum()
    )


def ceiling(device: torch.device) -> float:
    """The best bf16 TFLOP/s of square matrix products, the median of ten each."""
    best = 0.0
    for size in (4096, 8192, 16384) if device.type == "cuda" else (512, 1024):
        left, right = (
            torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2)
        )
        left @ right
        best = max(
            best,
            2
            * size**3
            / statistics.median(timed(lambda a=left, b=right: a @ b, device) for _ in range(10))
            / 1e12,
        )
    return best


def timed(function: Callable, device: torch.device) -> float:
    """Seconds of a call, the device's work included."""
    wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
    wait()
    began = time.perf_counter()
    function()
    wait()
    return time.perf_counter() - began


def batches(
    tokenizer: BertTokenizer, texts: list[str], device: torch.device
) -> list[dict[str, torch.Tensor]]:
    """Batches of 32 in the given order, each padded to a multiple of 32 pieces, with labels, on the
    device.
    """
    rows = []
    for start in range(0, len(texts), BATCH):
        batch = tokenizer(
            texts[start : start + BATCH],
            truncation=True,
            max_length=LONGEST,
            padding=True,
            pad_to_multiple_of=MULTIPLE,
            return_tensors="pt",
        )
        rows.append(
            {name: column.to(device) for name, column in batch.items()}
            | {"labels": torch.zeros(len(batch["input_ids"]), dtype=torch.long).to(device)}
        )
    return rows


def fine_tuning(
    model: BertForSequenceClassification, precision: str, rows: list[dict], device: torch.device
) -> Callable:
    """One epoch as a function: AdamW, and autocast where the precision is bf16, as the Trainer does
    it.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5, fused=True)

    def epoch() -> None:
        model.train()
        for row in rows:
            with torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16"):
                loss = model(**row).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()

    return epoch


def prediction(
    model: BertForSequenceClassification, tokenizer: BertTokenizer, texts: list[str]
) -> Callable:
    """`inference.probabilities` of all texts, tokenizing included, as the notebooks call it."""
    return lambda: inference.probabilities(model, tokenizer, texts, max_length=LONGEST)


@dataclass
class Way:
    """A task in a precision, eager or compiled, with a model of its own: seconds of its rounds and
    the GiB it needs on the GPU.
    """

    task: str
    precision: str
    execution: str
    model: BertForSequenceClassification
    run: Callable
    seconds: list[float] = field(default_factory=list)
    states: float = 0.0
    peak: float = float("nan")

    @property
    def memory(self) -> float:
        """Weights, the optimizer's states and what a call takes at most beside them."""
        return (
            sum(weight.numel() * weight.element_size() for weight in self.model.parameters())
            / 2**30
            + self.states
            + self.peak
        )


def ways(given: argparse.Namespace, texts: list[str], device: torch.device) -> list[Way]:
    """What is compared."""
    base, tokenizer = classifier(given.layers, given.width, device)
    rows, found = batches(tokenizer, texts, device), []
    for execution in given.ways.split(","):
        for precision in ("fp32", "bf16"):
            for task in ("fine-tuning", "prediction"):
                model = (
                    copy.deepcopy(base)
                    if task == "fine-tuning"
                    else inference.convert(copy.deepcopy(base), precision).eval()
                )
                if execution == "compiled":
                    model.compile(dynamic=True)
                run = (
                    fine_tuning(model, precision, rows, device)
                    if task == "fine-tuning"
                    else prediction(model, tokenizer, texts)
                )
                found.append(Way(task, precision, execution, model, run))
    return found


def measure(compared: list[Way], rounds: int, device: torch.device) -> None:
    """Time every way in every round, and note its memory on a GPU; a first call, which compiles and
    makes the optimizer's states, does not count.
    """
    gpu = device.type == "cuda"
    for number in range(rounds + 1):
        for way in compared:
            held = torch.cuda.memory_allocated(device) if gpu else 0
            torch.cuda.reset_peak_memory_stats(device) if gpu else None
            took = timed(way.run, device)
            if gpu and number == 0:
                way.states = (torch.cuda.memory_allocated(device) - held) / 2**30
            elif number:
                way.seconds.append(took)
                way.peak = (
                    (torch.cuda.max_memory_allocated(device) - held) / 2**30
                    if gpu
                    else float("nan")
                )
            print(
                f"{f'round {number}' if number else 'warm-up'}: {way.task} {way.precision} "
                f"{way.execution} {took:.2f} s",
                flush=True,
            )


def report(compared: list[Way], work: float, texts: int, best: float, device: torch.device) -> str:
    """The measures as a Markdown table: medians over rounds, the range of samples a second, shares
    of the ceiling.
    """
    lines = [
        f"{session.device_name(device)}, torch {torch.__version__}, {date.today():%d %B %Y}; bf16 "
        f"ceiling {best:,.3g} TFLOP/s.",
        "",
        "| task | precision | execution | samples/s, median (range) | TFLOP/s | of the ceiling | "
        "peak memory, GiB |",
        "|---|---|---|---|---|---|---|",
    ]
    for way in compared:
        middle = statistics.median(way.seconds)
        done = work * (3 if way.task == "fine-tuning" else 1) / middle / 1e12
        slow, fast = texts / max(way.seconds), texts / min(way.seconds)
        rates = f"{texts / middle:,.0f} ({slow:,.0f} to {fast:,.0f})"
        memory = "–" if np.isnan(way.memory) else f"{way.memory:.1f}"
        lines.append(
            f"| {way.task} | {way.precision} | {way.execution} | {rates} | {done:,.3g} | "
            f"{done / best:.1%} | {memory} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options = {
        "device": "cuda",
        "layers": 12,
        "width": 768,
        "texts": 4000,
        "rounds": 5,
        "ways": "eager,compiled",
    }
    for name, default in options.items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--lengths", action="store_true", help="write smsa_lengths.csv and stop")
    given = parser.parse_args()
    session.quiet()
    if given.lengths:
        write_lengths()
        return
    device, texts = torch.device(given.device), made_up(given.texts)
    lengths = np.array([min(LONGEST, len(text.split()) + 2) for text in texts], dtype=float)
    best = ceiling(device)
    compared = ways(given, texts, device)
    measure(compared, given.rounds, device)
    work = operations(lengths, compared[0].model.config)
    print("\n" + report(compared, work, len(texts), best, device))


if __name__ == "__main__":
    main()
