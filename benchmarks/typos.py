"""How many sentences a second do the seeded typos make? Against a bare loop with one generator,
paired, on one core.

TAHAN_DATA_MIRROR=... python benchmarks/typos.py [--runs 7]
"""

import argparse
import random
import statistics
import time

from tahanuji import data, perturb
from tahanuji.perturb import characters


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    frame = data.load("smsa", "train")
    texts, function, generator = list(frame["text"]), characters.typos(), random.Random(1)
    ways = {
        "perturb.apply, a generator per text": lambda: perturb.apply("typos", frame, 0.3, 1),
        "bare loop, one generator": lambda: [function(text, 0.3, generator) for text in texts],
    }
    rates = {name: [] for name in ways}
    for _ in range(given.runs):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            rates[name].append(len(texts) / (time.perf_counter() - began))
    for name, found in rates.items():
        print(
            f"{name}: median {statistics.median(found):,.0f} sentences a second (least "
            f"{min(found):,.0f}, most {max(found):,.0f})"
        )


if __name__ == "__main__":
    main()
