"""A run's classifier beside hardened ones. A module of its own: what only finds checkpoints does
not depend on the word lists of the defences.
"""

from tahanuji import commas, data, training
from tahanuji.harden import defences, trials


def classifiers(run, classifier) -> dict:
    """The run's classifier, `undefended`, and by name what the defences of its parameter `defences`
    make of it: those that act at test stand before it, with any other it is trained anew.
    """
    made = {"undefended": classifier}
    for names in commas.words(run.parameters["defences"]):
        trains = {name.strip() for name in names.split("+")} - {*defences.AT_TEST}
        made[names] = hardened(run, names) if trains else defences.wrap(names, classifier)
    return made


def hardened(run, names: str):
    """The run's model, trained on its data set under defences."""
    dataset, folder = run.parameters["dataset"], run.dir / "checkpoint"
    job = training.Job(run.model_name, dataset, folder, run.parameters["seed"], run.device)
    splits = [data.load(dataset, name) for name in ("train", "valid")]
    return trials.hardened(job, names, *splits, training.settings(run.model_name))[0]
