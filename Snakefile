"""The graph of notebook runs of one profile: every model fine-tuned, then tested by every other notebook, then the report over all.

    ./run_all.sh [profile] [Snakemake's arguments]

A failed job loses its `output:` files, so these are only metrics.csv, provenance.json and the mark that a checkpoint is complete;
executed.ipynb is a `log:`, which is kept, and checkpoints are nobody's output. A run is made again where its parameters changed (`params:`), and
where something that it read did (`python -m helpers.reads` names those runs, and run_all.sh forces them); file times play no part.
"""

import os
import shlex
from pathlib import Path

from snakemake.logging import logger

from helpers import layout, notebooks, parameters
from helpers.study import costs, progress
from tahanuji import models, paths

PROFILE, RUNS = config["profile"], config["runs"]
MODELS = {paths.slug(name): name for name in config["models"]}
GIVEN = config.get("checkpoints", {})  # of models that are fine-tuned already, by name
OUT = paths.shown(layout.outputs())
READY = {name for name in MODELS.values() if name in GIVEN or not models.needs_training(name)}
ABOUT = notebooks.every()
TRAIN = notebooks.fine_tuning()
SEARCHES = [name for name in notebooks.needing("trainings") if name in RUNS]
TRAINING_THREADS = config.get("training_threads") or int(os.environ.get("OMP_NUM_THREADS") or 2)
GPU = {"gpu": config["gpu"]} if "gpu" in config else {}
DONE = "{out}/{profile}/{model}/{notebook}/{variant}/provenance.json"


def searched(search, variant):
    """The trainings of a search: {variant of TRAIN: its parameters}."""
    from tahanuji.training import hyperparameters  # loads torch, which no other profile needs here

    given = RUNS[search][variant] or {}
    declared = parameters.declared(layout.NOTEBOOKS / f"{search}.ipynb")
    defaults = {name: parameter.default for name, parameter in declared.items()}
    shared = {name: given[name] for name in ("dataset", "seed") if name in given}
    trainings = hyperparameters.settings(defaults | given, variant)
    return {name: {**shared, **chosen} for name, chosen in trainings.items()}


SEARCHED = {name: chosen for search in SEARCHES for variant in RUNS[search] for name, chosen in searched(search, variant).items()}
REPORT, DOCUMENTS = f"{OUT}/{PROFILE}/report", f"{OUT}/{PROFILE}/documents"
PLANNED = {(paths.slug(model), notebook, variant) for model, notebook, variant in parameters.planned(config)}
FINISHED = [DONE.format(out=OUT, profile=PROFILE, model=model, notebook=notebook, variant=variant) for model, notebook, variant in sorted(PLANNED)]
if "documents" in config:  # the audit of the reference documents, once a profile
    FINISHED.append(f"{DOCUMENTS}/provenance.json")


onstart: # a line for each finished run
    limits = {name: limit.value for name, limit in workflow.global_resources.items() if isinstance(limit.value, int)}
    runs = {}
    for job in workflow.dag.needrun_jobs():
        if "model" in job.wildcards.keys():
            dataset = own(job.wildcards.get("notebook", TRAIN), job.wildcards.variant)["dataset"]
            runs[job.jobid] = progress.due(Path(job.params.folder), dataset, job.resources, limits)
    progress.begin(logger, runs)


localrules:
    all,
    documents,
    report,


wildcard_constraints:
    model="[^/]+",
    notebook="[^/]+",
    variant="[^/]+",


def words(chosen):
    """name=value words, quoted for the shell."""
    return " ".join(shlex.quote(f"{name}={value}") for name, value in chosen.items())


def own(notebook, variant):
    """The data set and the parameters of a run that are not its model's."""
    chosen = SEARCHED[variant] if notebook == TRAIN and variant in SEARCHED else RUNS[notebook][variant]
    return {"dataset": config["dataset"], **(chosen or {})}


def values(notebook, variant, model):
    """The parameters of a run."""
    given = {"checkpoint": GIVEN[MODELS[model]]} if MODELS[model] in GIVEN else {}
    return words({"model_name": MODELS[model], **given, **own(notebook, variant)})


def asked(resource):
    """What a run asks a cluster for, measured in the runs of the reference; more after each failure."""

    def amount(wildcards, attempt):
        notebook, variant = wildcards.get("notebook", TRAIN), wildcards.variant
        return costs.requested(notebook, wildcards.model, own(notebook, variant)["dataset"], variant, attempt)[resource]

    return amount


def checkpoint(model, variant):
    """The mark of a finished checkpoint."""
    return f"{OUT}/{PROFILE}/{model}/{TRAIN}/{variant}/checkpoint/done.json"


def trained_on():
    """The data set of each variant of the training."""
    return {name: (chosen or {}).get("dataset", config["dataset"]) for name, chosen in RUNS.get(TRAIN, {}).items()}


def training(notebook, variant):
    """The variant of the training that a run needs: of the same name, else the one on its data set, else the default."""
    trained = trained_on()
    if variant in trained and variant != "default":
        return variant
    wanted = (RUNS[notebook][variant] or {}).get("dataset", config["dataset"])
    if trained.get("default") == wanted:
        return "default"
    return next((name for name, dataset in trained.items() if dataset == wanted), "default")


def checkpoints(wildcards):
    """The marks of the checkpoints that a run loads, by its notebook's needs."""
    needs, model = ABOUT[wildcards.notebook].needs, wildcards.model
    if needs == "trainings":
        return [checkpoint(model, name) for name in searched(wildcards.notebook, wildcards.variant)]
    if needs not in ("checkpoint", "own checkpoints", "every checkpoint"):
        return []
    variant = training(wildcards.notebook, wildcards.variant)
    if needs == "own checkpoints" and MODELS[model] not in READY:
        others = [name for name, dataset in trained_on().items() if dataset != trained_on().get(variant)]
        planned = [name for name in others if (model, TRAIN, name) in PLANNED]
        return [checkpoint(model, name) for name in [variant, *planned]]
    others = [other for other in MODELS if (other, TRAIN, variant) in PLANNED] if needs == "every checkpoint" else []
    return [checkpoint(name, variant) for name in dict.fromkeys([model, *others]) if MODELS[name] not in READY]


rule all:
    input:
        FINISHED,
        f"{REPORT}/provenance.json",


rule finetune:
    output:
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/metrics.csv",
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/provenance.json",
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/checkpoint/done.json",
    log:
        f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}/executed.ipynb",
    params:
        folder=f"{OUT}/{PROFILE}/{{model}}/{TRAIN}/{{variant}}",
        values=lambda wildcards: values(TRAIN, wildcards.variant, wildcards.model),
    threads: TRAINING_THREADS
    priority: 3
    resources:
        mem_mb=asked("mem_mb"),
        runtime=asked("runtime"),
        **GPU,
    shell:
        f"OMP_NUM_THREADS={{threads}} python -m helpers.study.job notebooks/{TRAIN}.ipynb {{params.folder:q}} {{params.values}} > /dev/null"


rule test:
    input:
        checkpoints,
    output:
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/metrics.csv",
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/provenance.json",
    log:
        f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}/executed.ipynb",
    params:
        folder=f"{OUT}/{PROFILE}/{{model}}/{{notebook}}/{{variant}}",
        values=lambda wildcards: values(wildcards.notebook, wildcards.variant, wildcards.model),
    threads: lambda wildcards: TRAINING_THREADS if ABOUT[wildcards.notebook].training else config.get("threads", 1)
    resources:
        mem_mb=asked("mem_mb"),
        runtime=asked("runtime"),
        **GPU,
    shell:
        "OMP_NUM_THREADS={threads} python -m helpers.study.job notebooks/{wildcards.notebook}.ipynb {params.folder:q} {params.values} > /dev/null"


# The longest runs begin first, or the end waits for them.
use rule test as later with:
    wildcard_constraints:
        notebook="|".join(name for name, about in ABOUT.items() if about.priority == 1),
    priority: 1


use rule test as first with:
    wildcard_constraints:
        notebook="|".join(name for name, about in ABOUT.items() if about.priority == 2),
    priority: 2


ruleorder: finetune > first > later > test


rule documents:
    output:
        f"{DOCUMENTS}/provenance.json",
    log:
        f"{DOCUMENTS}/executed.ipynb",
    params:
        folder=DOCUMENTS,
        values=words(config.get("documents") or {}),
    shell:
        f"python -m helpers.study.job notebooks/{notebooks.audit()}.ipynb {{params.folder:q}} {{params.values}}"


rule report:
    input:
        FINISHED,
    output:
        f"{REPORT}/provenance.json",
    log:
        f"{REPORT}/executed.ipynb",
    params:
        folder=REPORT,
        values=words({"profile": PROFILE}),
    shell:
        f"python -m helpers.study.job notebooks/{notebooks.report()}.ipynb {{params.folder:q}} {{params.values}}"
