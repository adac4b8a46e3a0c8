"""The rules of one profile: every model is fine-tuned, then tested by every other notebook, then
the report is made over all. What each run is given and waits for: src/study/graph.py.

    ./run_all.sh [profile] [Snakemake's arguments]

A failed job loses its `output:` files, so these are only metrics.csv, provenance.json and the mark
that a checkpoint is complete; executed.ipynb is a `log:`, which is kept, and checkpoints are
nobody's output. A run is made again where its parameters changed (`params:`), and where something
that it depends on did (src/study/reads.py, whose runs src/study/run.py forces); file times play no
part.
"""

from pathlib import Path

from snakemake.logging import logger

from helpers import notebooks
from study import progress
from study.graph import TRAIN, Graph, shell_words

graph = Graph(config)
REPORT, DOCUMENTS = f"{graph.out}/report", f"{graph.out}/documents"
RUN = f"{graph.out}/{{model}}/{{notebook}}/{{variant}}"
TRAINING = f"{graph.out}/{{model}}/{TRAIN}/{{variant}}"
GPU = {"gpu": config["gpu"]} if "gpu" in config else {}


def run(wildcards):
    """Model, notebook and variant of a job."""
    return wildcards.model, wildcards.get("notebook", TRAIN), wildcards.variant


onstart:  # a line for each finished run
    progress.begin(logger, progress.runs(workflow, graph, run))


localrules:
    all,
    documents,
    report,


wildcard_constraints:
    model="[^/]+",
    notebook="[^/]+",
    variant="[^/]+",


rule all:
    input:
        graph.finished,
        f"{REPORT}/provenance.json",


rule finetune:
    output:
        f"{TRAINING}/metrics.csv",
        f"{TRAINING}/provenance.json",
        f"{TRAINING}/checkpoint/done.json",
    log:
        f"{TRAINING}/executed.ipynb",
    params:
        folder=TRAINING,
        values=lambda wildcards: graph.values(*run(wildcards)),
    threads: graph.threads(TRAIN)
    priority: 3
    resources:
        mem_mb=lambda wildcards, attempt: graph.requested(*run(wildcards), attempt)["mem_mb"],
        runtime=lambda wildcards, attempt: graph.requested(*run(wildcards), attempt)["runtime"],
        **GPU,
    shell:
        f"OMP_NUM_THREADS={{threads}} python -m study notebook notebooks/{TRAIN}.ipynb"
        " {params.folder:q} {params.values} > /dev/null"


rule test:
    input:
        lambda wildcards: graph.checkpoints(*run(wildcards)),
    output:
        f"{RUN}/metrics.csv",
        f"{RUN}/provenance.json",
    log:
        f"{RUN}/executed.ipynb",
    params:
        folder=RUN,
        values=lambda wildcards: graph.values(*run(wildcards)),
    threads: lambda wildcards: graph.threads(wildcards.notebook)
    resources:
        mem_mb=lambda wildcards, attempt: graph.requested(*run(wildcards), attempt)["mem_mb"],
        runtime=lambda wildcards, attempt: graph.requested(*run(wildcards), attempt)["runtime"],
        **GPU,
    shell:
        "OMP_NUM_THREADS={threads} python -m study notebook notebooks/{wildcards.notebook}.ipynb"
        " {params.folder:q} {params.values} > /dev/null"


# The longest runs begin first, or the end waits for them.
use rule test as later with:
    wildcard_constraints:
        notebook=graph.order(1),
    priority: 1


use rule test as first with:
    wildcard_constraints:
        notebook=graph.order(2),
    priority: 2


ruleorder: finetune > first > later > test


rule documents:
    output:
        f"{DOCUMENTS}/provenance.json",
    log:
        f"{DOCUMENTS}/executed.ipynb",
    params:
        folder=DOCUMENTS,
        values=shell_words(config.get("documents") or {}),
    shell:
        f"python -m study notebook notebooks/{notebooks.audit()}.ipynb"
        " {params.folder:q} {params.values}"


rule report:
    input:
        graph.finished,
    output:
        f"{REPORT}/provenance.json",
    log:
        f"{REPORT}/executed.ipynb",
    params:
        folder=REPORT,
        values=shell_words({"profile": config["profile"]}),
    shell:
        f"python -m study notebook notebooks/{notebooks.report()}.ipynb"
        " {params.folder:q} {params.values}"
