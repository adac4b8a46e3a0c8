"""What the whole grid costs: 5 encoders of BERT-base's size, IndoNLU's 12 tasks, every perturbation
and rate of the registry, 5 seeds.

    python benchmarks/grid_cost.py            # prints the table of docs/cluster.md
    python benchmarks/grid_cost.py --count    # writes tasks.csv: texts and pieces of the tasks

Work is counted as in gpu.py, every perturbation as if it changed every text. Two CPU cores have the
speed that RESULTS.md gives for prediction; the speeds of a GPU are assumptions. A run's work beside
the network (start, perturbing, bootstrap) is what the runs of `tfidf` took in the reference.
"""

import argparse
from pathlib import Path
from statistics import mean

import pandas as pd

from helpers import layout
from study import costs
from tahanuji import data, downloads, paths, perturb
from tahanuji.models import sources
from tahanuji.tagging import corpus

TASKS = Path(__file__).with_name("tasks.csv")
TEXTS = ("emot", "smsa", "wrete")  # of IndoNLU's tasks; the others are tags and aspects
MODELS, SEEDS, EPOCHS, NODES = 5, 5, 5, 20
LAYERS, WIDTH = 12, 768
MEASURED_TEXTS, MEASURED_SECONDS = 500, 14.8  # of SmSA's test split on two cores, fp32
ASSUMED = (10, 30, 100)  # TFLOP/s that a GPU sustains


def texts(task: str, split: str) -> list[tuple[str, ...]]:
    """The texts of a split of a task, or its pairs."""
    if task in TEXTS:
        frame = data.load(task, split)
        columns = [name for name in ("text", "text_pair") if name in frame]
        return list(frame[columns].itertuples(index=False, name=None))
    frame = corpus.load(task, split)
    whole = frame["text"] if "text" in frame else frame["words"].map(" ".join)
    return [(text,) for text in whole]


def count() -> None:
    """Write tasks.csv: texts of a split, and the means of pieces and of their squares."""
    tokenizer = sources.load_tokenizer(str(paths.DATA / "models/mini"), {})
    rows = []
    for task in (*TEXTS, *(name for name in downloads.registry()["tagging"] if name != "tags")):
        for split in ("train", "test"):
            inputs = texts(task, split)
            ids = tokenizer(*map(list, zip(*inputs, strict=True)), truncation=True, max_length=512)
            lengths = pd.Series([len(pieces) for pieces in ids["input_ids"]])
            rows.append((task, split, len(lengths), lengths.mean(), (lengths**2).mean()))
    table = pd.DataFrame(rows, columns=["task", "split", "texts", "pieces", "squares"])
    table.round(1).to_csv(TASKS, index=False, lineterminator="\n")


def forward(rows: pd.DataFrame) -> pd.Series:
    """Floating-point operations of a pass over the texts of each row of tasks.csv."""
    weights = 12 * WIDTH**2 * LAYERS
    return rows["texts"] * (2 * weights * rows["pieces"] + 4 * LAYERS * WIDTH * rows["squares"])


def work(tasks: pd.DataFrame, versions: int) -> pd.DataFrame:
    """Operations of one training and one grid of each task."""
    passes = tasks.assign(work=forward(tasks)).pivot(index="task", columns="split", values="work")
    return pd.DataFrame(
        {"training": 3 * EPOCHS * passes["train"], "grid": (1 + versions) * passes["test"]}
    )


def beside() -> tuple[float, float]:
    """Seconds of a training and of a grid beside the network."""
    runs = costs.measured(layout.REFERENCE)
    trainings = [c.seconds for r, c in runs.items() if r[:2] == ("01_finetune", "tfidf")]
    grids = [c.seconds for r, c in runs.items() if r[:2] == ("07_perturbation_grid", "tfidf")]
    return min(trainings), mean(grids)


def hours(needed: pd.DataFrame, speed: float) -> tuple[float, float, float]:
    """Hours on one machine, on NODES of them, and of the longest training with its grid."""
    training, grid = beside()
    chains = (needed.sum(axis=1) / speed + training + grid) / 3600
    whole = MODELS * SEEDS * chains.sum()
    return whole, max(whole / NODES, chains.max()), chains.max()


def report() -> str:
    """The table as Markdown, and what it is made of."""
    tasks = pd.read_csv(TASKS)
    versions = sum(len(perturb.REGISTRY[name].rates) for name in perturb.names("all", "id"))
    needed, runs = work(tasks, versions), MODELS * SEEDS * tasks["task"].nunique()
    sample = tasks[(tasks["task"] == "smsa") & (tasks["split"] == "test")]
    cores = float(forward(sample.assign(texts=MEASURED_TEXTS)).iloc[0]) / MEASURED_SECONDS
    ways = {"two CPU cores, as measured": cores}
    ways |= {f"a GPU that sustains {speed} TFLOP/s": speed * 1e12 for speed in ASSUMED}
    answers = MODELS * SEEDS * tasks.loc[tasks["split"] == "test", "texts"].sum() * versions
    total = MODELS * SEEDS * needed.sum()
    lines = [
        f"{runs} trainings ({total['training'] / 1e15:,.0f} PFLOP) and {runs} grids of {versions} "
        f"perturbations and rates ({total['grid'] / 1e15:,.0f} PFLOP), {answers / 1e6:.1f} million "
        f"answers to perturbed texts; two cores reach {cores / 1e12:.2f} TFLOP/s.",
        "",
        f"| machine | hours on one | on {NODES} | longest training and grid, minutes |",
        "|---|---|---|---|",
    ]
    for way, speed in ways.items():
        one, several, longest = hours(needed, speed)
        lines.append(f"| {way} | {one:,.1f} | {several:.2g} | {60 * longest:,.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", action="store_true", help="write tasks.csv and stop")
    if parser.parse_args().count:
        count()
    else:
        print(report())


if __name__ == "__main__":
    main()
