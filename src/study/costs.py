"""What runs take, by what the runs of the reference took: seconds, and memory of the kernel."""

import functools
import math
from dataclasses import dataclass
from pathlib import Path

from helpers import layout, provenance

TIME_MARGIN, LEAST_MINUTES = 4, 10  # another machine, a busy one, a folder on the network
MEMORY_MARGIN = 1.5
AROUND_MB = 350  # beside the kernel: the runner and, on a cluster, Snakemake twice; measured: 338
UNMEASURED = {"mem_mb": 16_000, "runtime": 8 * 60}  # asked for where nothing like it was measured


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds, and the MiB of its kernel at most."""

    seconds: float
    memory: int


@functools.cache
def measured(reference: Path) -> dict[tuple[str, str, str, str], Cost]:
    """The runs of a reference by notebook, model, data set and variant."""
    costs = {}
    for path in sorted(reference.glob("*/*/*/provenance.json")):
        model, notebook = path.parts[-3:-1]
        for variant, about in provenance.read_json(path).items():
            key = (notebook, model, about["parameters"].get("dataset", ""), variant)
            seconds = max(about["seconds"], about.get("training_seconds", 0))  # of the last start
            costs[key] = Cost(seconds, about["peak_memory_mb"])
    return costs


def expected(notebook: str, model: str, dataset: str, variant: str) -> tuple[Cost | None, int]:
    """What a run will take, by the most alike that were measured, and how much they have in common:
    4 the run itself, 3 its notebook, model and data set, 2 notebook and model, 1 notebook, 0 none.

    Of several, those on its data set where there are any, the most seconds and memory count.
    """
    dataset = Path(dataset).name  # an audit has its texts in a folder of that name
    wanted, costs = (notebook, model, dataset, variant), measured(layout.REFERENCE)
    for common in range(len(wanted), 0, -1):
        alike = {key: cost for key, cost in costs.items() if key[:common] == wanted[:common]}
        if alike:
            alike = [c for key, c in alike.items() if key[2] == dataset] or list(alike.values())
            most = Cost(max(one.seconds for one in alike), max(one.memory for one in alike))
            return most, common
    return None, 0


def requested(notebook: str, model: str, dataset: str, variant: str, attempt: int) -> dict:
    """What a run asks a cluster for: `mem_mb` and `runtime` in minutes, with margins; a further
    attempt asks for as many times as much.

    A model that was not measured says nothing of another one, which asks for UNMEASURED.
    """
    cost, common = expected(notebook, model, dataset, variant)
    asked = UNMEASURED
    if cost and common > 1:
        memory = MEMORY_MARGIN * (cost.memory + AROUND_MB)
        minutes = max(LEAST_MINUTES, math.ceil(TIME_MARGIN * cost.seconds / 60))
        asked = {"mem_mb": 100 * math.ceil(memory / 100), "runtime": minutes}
    return {name: attempt * amount for name, amount in asked.items()}
