"""The checkpoints of notebook 01 that other notebooks load."""

import os
from collections.abc import Iterator
from pathlib import Path

from helpers import layout, notebooks
from tahanuji import data, models, paths
from tahanuji.errors import InputError


def load(run, labels: list[str] | None = None):
    """The classifier that a notebook tests: parameter `checkpoint` is `best` or `last` of the run's
    01_finetune, a folder or a hub id; a generative or finished model of config/models.yaml needs
    none.

    It has the labels of the run's data set, unless others are asked for. Raises InputError where
    01_finetune has not finished for this model yet.
    """
    given, labels = run.parameters["checkpoint"], labels or data.labels(run.parameters["dataset"])
    if given not in {"best", "last"}:
        return models.load(given, labels, run.device)
    if not models.needs_training(run.model_name):
        entry = models.spec(run.model_name)
        loading = models.linked if entry["kind"] == "link" else models.prompted
        return loading(entry, labels, run.device)
    dataset = run.parameters["dataset"]
    folder = find(run.dir, run.model_name, data.trained_as(dataset), given)
    if folder is None:
        others = sorted({card["dataset"] for _, card in finished(run.dir, run.model_name, given)})
        raise InputError(
            f"no checkpoint of {run.model_name!r} fine-tuned on {dataset!r} below "
            f"{paths.shown(layout.outputs())}{others and ', there are some on: ' or ''}"
            f"{', '.join(others)}; run notebooks/{notebooks.fine_tuning()}.ipynb "
            "with the same model_name and dataset first (./run_all.sh does), or name a folder or "
            "hub id in the parameter checkpoint."
        )
    print(f"Checkpoint: {paths.shown(folder)}")
    return models.load(folder, labels, run.device)


def ensure(run) -> None:
    """Where a notebook is run by hand and its model has no checkpoint on the data set yet,
    fine-tune it as notebook 01 does; under `python -m study`, which runs 01 itself, do nothing.
    """
    given, trained_by = run.parameters, notebooks.fine_tuning()
    dataset, which = data.trained_as(given["dataset"]), given["checkpoint"]
    ready = which not in {"best", "last"} or not models.needs_training(run.model_name)
    if ready or os.environ.get("TAHAN_RUNNER") or find(run.dir, run.model_name, dataset, which):
        return
    if not {"train", "valid"} <= set(data.available(dataset)):
        return  # `load` says what is missing
    folder = layout.default_folder(trained_by, given | {"dataset": dataset})
    print(
        f"No checkpoint of {run.model_name!r} on {dataset!r} yet: it is fine-tuned now, as "
        f"{trained_by} does, into {paths.shown(folder)}; interrupted, it goes on from its last "
        "epoch."
    )
    train(run, dataset, folder / "checkpoint")


def train(run, dataset: str, folder: Path) -> None:
    """Fine-tune a run's model with its own settings; the run's facts say so."""
    from tahanuji import training

    job = training.Job(
        run.model_name, dataset, folder, run.parameters["seed"], run.device, facts=run.facts
    )
    splits = [data.load(dataset, name) for name in ("train", "valid")]
    training.fine_tune(job, training.fresh(job, {}), *splits, training.settings(run.model_name))


def trained(run) -> dict:
    """Every classifier with a finished checkpoint on the run's data set in the run's profile, by
    model name; the run's own included.
    """
    classifiers, labels = {}, data.labels(run.parameters["dataset"])
    marks = f"*/{notebooks.fine_tuning()}/default/checkpoint/done.json"
    for done in sorted(run.dir.parents[2].glob(marks)):
        folder = done.parent / "best"
        card = models.read_card(folder)
        if card["dataset"] == data.trained_as(run.parameters["dataset"]):
            classifiers[card["model_name"]] = models.load(folder, labels, run.device)
    return classifiers


def beside(run, datasets: list[str]) -> dict:
    """Classifiers of the run's model that were fine-tuned on other data sets, by their names; those
    without a finished checkpoint are left out.
    """
    folders = {name: find(run.dir, run.model_name, data.trained_as(name)) for name in datasets}
    return {
        name: models.load(folder, data.labels(name), run.device)
        for name, folder in folders.items()
        if folder
    }


def find(run: Path, model_name: str, dataset: str, which: str = "best") -> Path | None:
    """The finished checkpoint of a model on a data set: of the variant of the same name, of another
    one of the run's own profile, else of any profile; None where there is none.

    A checkpoint's card names the data set that it was trained on, and only an equal one counts.
    """
    cards = finished(run, model_name, which)
    return next((place for place, card in cards if card["dataset"] == dataset), None)


def finished(run: Path, model_name: str, which: str) -> Iterator[tuple[Path, dict]]:
    """The finished checkpoints of a model with their cards, in the order of `find`."""
    trained_by = notebooks.fine_tuning()
    own = layout.sibling(run, trained_by)
    beside = sorted(own.parent.glob("*"))
    others = sorted(layout.outputs().glob(f"*/{paths.slug(model_name)}/{trained_by}/default"))
    for folder in [own, *beside, *others]:
        place = folder / "checkpoint" / which
        if (folder / "checkpoint/done.json").is_file() and (place / models.CARD).is_file():
            yield place, models.read_card(place)
