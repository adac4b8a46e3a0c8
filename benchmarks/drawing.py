"""What drawing noise takes of a training of `mini`: the share of its seconds of the processor.

    OMP_NUM_THREADS=1 python benchmarks/drawing.py [--steps 100] [--rounds 3] [--defence noise]

Each round trains `mini` anew for so many steps on texts of SmSA's training split, in batches and
epochs of its own number; timed are the training from its first draw to its end, and in it the calls
that draw noise. Each text is drawn once more before the first epoch, for batches of like length.
What the first draws read from files is timed apart, before.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tahanuji import data, grid, training
from tahanuji.harden import defences
from tahanuji.harden.noise import Noise

FEW = 32  # texts that choose the epoch
WARM = 200  # draws before the first round


class Clock:
    """Adds up the seconds of the processor that the calls of a function take."""

    def __init__(self, function: Callable):
        self.function, self.seconds, self.calls, self.began = function, 0.0, 0, 0.0

    def __call__(self, *values):
        began = time.process_time()
        self.began = self.began or began
        made = self.function(*values)
        self.seconds, self.calls = self.seconds + time.process_time() - began, self.calls + 1
        return made


def share(name: str, steps: int, seed: int, dataset: str = "smsa") -> tuple[float, float, int]:
    """The seconds that drawing takes in a short training, those of the training, and the draws."""
    chosen = training.settings("mini")
    count = steps * chosen["batch_size"] // chosen["epochs"]
    rows = grid.drawn(data.load(dataset, "train"), count, seed)
    valid = grid.drawn(data.load(dataset, "valid"), FEW, seed)
    with tempfile.TemporaryDirectory() as folder:
        job = training.Job("mini", dataset, Path(folder), seed=seed)
        clock, Noise.__call__ = Clock(Noise.__call__), lambda *values: clock(*values)
        try:
            defences.fit(name, job, rows, valid, chosen)
        finally:
            Noise.__call__ = clock.function
    return clock.seconds, time.process_time() - clock.began, clock.calls


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--defence", default="noise")
    given = parser.parse_args()
    clock = Clock(Noise())
    for number, text in enumerate(data.load("smsa", "valid")["text"][:WARM]):
        clock(text, random.Random(number))
    print(f"the first {WARM} draws, which read the lists: {clock.seconds:.2f} s\n")
    print("| round | draws | drawing, s | training, s | share |\n|---|---|---|---|---|")
    shares = []
    for seed in range(1, given.rounds + 1):
        drawing, whole, draws = share(given.defence, given.steps, seed)
        shares.append(drawing / whole)
        row = f"{draws:,} | {drawing:.2f} | {whole:.1f} | {shares[-1]:.2%}"
        print(f"| {seed} | {row} |", flush=True)
    print(f"median {statistics.median(shares):.2%}")


if __name__ == "__main__":
    main()
