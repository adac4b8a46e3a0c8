"""The graph of notebook runs of one profile: every model fine-tuned, then tested by every other notebook, then the report over all.

    ./run_all.sh [profile] [Snakemake's arguments]

A failed job loses its `output:` files, so these are only metrics.csv, provenance.json and the mark that a checkpoint is complete;
executed.ipynb is a `log:`, which is kept, and checkpoints are nobody's output. Whether a run is stale is told by `params:` (the hash of
code cells and of the helpers they reach, and the notebook's parameters), never by file times.
"""

import os
import shlex

from helpers import parameters, provenance
from tahanuji import paths
from tahanuji.training import hyperparameters

PROFILE, RUNS = config["profile"], config["runs"]
MODELS = {paths.slug(name): name for name in config["models"]}
OUT = paths.shown(layout.outputs())
TRAIN = "01_finetune"
SEARCH = "14_hyperparameters"
PAIRS = "13_minimal_pairs"
TRAINING = {TRAIN, "09_code_mixing_defence"}
HASHES = {notebook: provenance.code_hash(notebook) for notebook in {TRAIN, *RUNS}}
TRAINING_THREADS = config.get("training_threads") or int(os.environ.get("OMP_NUM_THREADS") or 2)
GPU = {"gpu": config["gpu"]} if "gpu" in config else {}
DONE = "{out}/{profile}/{model}/{notebook}/{variant}/provenance.json"


def searched(variant):
    """The trainings of a search: {variant of TRAIN: its parameters}."""
    given = RUNS[SEARCH][variant] or {}
    defaults = {name: known.default for name, known in parameters.declared(layout.NOTEBOOKS / f"{SEARCH}.ipynb").items()}
    trainings = hyperparameters.settings(defaults | given, variant)
    return {name: {**{key: given[key] for key in ("dataset", "seed") if key in given}, **chosen} for name, chosen in trainings.items()}


SEARCHED = {name: chosen for variant in RUNS.get(SEARCH, ()) for name, chosen in searched(variant).items()}
REPORT, REPORT_NOTEBOOK = f"{OUT}/{PROFILE}/report", "99_report"
PLANNED = {(paths.slug(model), notebook, variant) for model, notebook, variant in parameters.planned(config)}
FINISHED = [DONE.format(out=OUT, profile=PROFILE, model=model, notebook=notebook, variant=variant) for model, notebook, variant in sorted(PLANNED)]


localrules:
    all,
    report,
    page,


wildcard_constraints:
    model="[^/]+",
    notebook="[^/]+",
    variant="[^/]+",


def words(chosen):
    """name=value words, quoted for the shell."""
    return " ".join(shlex.quote(f"{name}={value}") for name, value in chosen.items())


def values(notebook, variant, model):
    """The parameters of a run."""
    own = SEARCHED[variant] if notebook == TRAIN and variant in SEARCHED else RUNS[notebook][variant]
    return words({"model_name": MODELS[model], "dataset": config["dataset"], **(own or {})})


def checkpoints(wildcards):
    """The marks of the checkpoints that a run loads: its model's; for the chart over models in 02, everyone's; for a search, those of its trainings.

    Minimal pairs ask a model as it was pre-trained, which is nobody's output.
    """
    if wildcards.notebook == PAIRS:
        return []
    if wildcards.notebook == SEARCH:
        return [f"{OUT}/{PROFILE}/{wildcards.model}/{TRAIN}/{name}/checkpoint/done.json" for name in searched(wildcards.variant)]
    variant = wildcards.variant if wildcards.variant in RUNS.get(TRAIN, ()) else "default"
    others = [model for model in MODELS if (model, TRAIN, variant) in PLANNED] if wildcards.notebook == "02_conventional_metrics" else []
    return [f"{OUT}/{PROFILE}/{model}/{TRAIN}/{variant}/checkpoint/done.json" for model in dict.fromkeys([wildcards.model, *others])]


rule all:
    input:
        FINISHED,
        f"{REPORT}/index.html",


rule finetune:
    output:
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/metrics.csv",
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/provenance.json",
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/checkpoint/done.json",
    log:
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/executed.ipynb",
    params:
        code=HASHES[TRAIN],
        folder=f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}",
        values=lambda wildcards: values(TRAIN, wildcards.variant, wildcards.model),
    threads: TRAINING_THREADS
    priority: 3
    resources:
        **GPU,
    shell:
        f"OMP_NUM_THREADS={{threads}} python -m helpers.runner notebooks/{TRAIN}.ipynb {{params.folder:q}} {{params.values}}"


rule test:
    input:
        checkpoints,
    output:
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/metrics.csv",
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/provenance.json",
    log:
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/executed.ipynb",
    params:
        code=lambda wildcards: HASHES[wildcards.notebook],
        folder=f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}",
        values=lambda wildcards: values(wildcards.notebook, wildcards.variant, wildcards.model),
    threads: lambda wildcards: TRAINING_THREADS if wildcards.notebook in TRAINING else config.get("threads", 1)
    resources:
        **GPU,
    shell:
        "OMP_NUM_THREADS={threads} python -m helpers.runner notebooks/{wildcards.notebook}.ipynb {params.folder:q} {params.values}"


use rule test as defend with:  # the longest runs begin first, or the end waits for them
    wildcard_constraints:
        notebook="09_code_mixing_defence",
    priority: 2


use rule test as grid with:  # and the longer ones before the short
    wildcard_constraints:
        notebook="07_perturbation_grid|08_code_mixing",
    priority: 1


ruleorder: defend > grid > test


rule report:
    input:
        FINISHED,
    output:
        f"{REPORT}/provenance.json",
    log:
        f"{REPORT}/executed.ipynb",
    params:
        code=provenance.code_hash(REPORT_NOTEBOOK),
        folder=REPORT,
        values=words({"profile": PROFILE, **config.get("report", {})}),
    shell:
        f"python -m helpers.runner notebooks/{REPORT_NOTEBOOK}.ipynb {{params.folder:q}} {{params.values}}"


rule page:
    input:
        FINISHED,
        f"{REPORT}/provenance.json",
    output:
        f"{REPORT}/index.html",
    params:
        code=provenance.page_hash(),
        profile=PROFILE,
    shell:
        "python -m helpers.report --page {params.profile:q}"


ruleorder: finetune > test
