"""The checkpoints of notebook 01 that other notebooks load."""

from pathlib import Path

from helpers import layout, notebooks
from tahanuji import data, models, paths
from tahanuji.errors import InputError


def load(run, labels: list[str] | None = None):
    """The classifier that a notebook tests: parameter `checkpoint` is `best` or `last` of the run's
    01_finetune, a folder or a hub id; a generative model of config/models.yaml needs none.

    It has the labels of the run's data set, unless others are asked for. Raises InputError where
    01_finetune has not finished for this model yet.
    """
    given, labels = run.parameters["checkpoint"], labels or data.labels(run.parameters["dataset"])
    if given not in {"best", "last"}:
        return models.load(given, labels, run.device)
    if not models.needs_training(run.model_name):
        return models.prompted(models.spec(run.model_name), labels, run.device)
    dataset = run.parameters["dataset"]
    folder = find(run.dir, run.model_name, data.trained_as(dataset), given)
    if folder is None:
        raise InputError(
            f"no checkpoint of {run.model_name!r} fine-tuned on {dataset!r} below "
            f"{paths.shown(layout.outputs())}; run notebooks/{notebooks.fine_tuning()}.ipynb "
            "with the same model_name and dataset first (./run_all.sh does), or name a folder or "
            "hub id in the parameter checkpoint."
        )
    print(f"Checkpoint: {paths.shown(folder)}")
    return models.load(folder, labels, run.device)


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
    trained_by = notebooks.fine_tuning()
    own = layout.sibling(run, trained_by)
    beside = sorted(own.parent.glob("*"))
    others = sorted(layout.outputs().glob(f"*/{paths.slug(model_name)}/{trained_by}/default"))
    for folder in [own, *beside, *others]:
        checkpoint = folder / "checkpoint" / which
        finished = (folder / "checkpoint/done.json").is_file()
        finished = finished and (checkpoint / models.CARD).is_file()
        if finished and models.read_card(checkpoint)["dataset"] == dataset:
            return checkpoint
    return None
