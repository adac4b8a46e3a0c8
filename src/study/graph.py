"""Which runs a profile has, what each is given and what it waits for: all that the Snakefile's
rules ask.
"""

import os
import shlex
from functools import cached_property

from helpers import layout, notebooks, parameters
from study import costs, profiles
from tahanuji import models, paths

TRAIN = notebooks.fine_tuning()


def shell_words(values: dict) -> str:
    """name=value words, quoted for the shell.

    >>> shell_words({"seed": 1, "rates": "0.1, 0.2"})
    "seed=1 'rates=0.1, 0.2'"
    """
    return " ".join(shlex.quote(f"{name}={value}") for name, value in values.items())


class Graph:
    """The runs of a profile's configuration; models go by their folder names."""

    def __init__(self, config: dict):
        self.config, self.runs = config, config["runs"]
        self.out = f"{paths.shown(layout.outputs())}/{config['profile']}"
        self.models = {paths.slug(name): name for name in config["models"]}
        # of models that are fine-tuned already: a folder or hub id, or one by data set
        self.given = config.get("checkpoints", {})
        planned = profiles.planned(config)
        self.planned = {(paths.slug(model), *run) for model, *run in planned}

    @property
    def finished(self) -> list[str]:
        """The files whose presence means that all runs but the report have finished."""
        marks = [f"{self.folder(*run)}/provenance.json" for run in sorted(self.planned)]
        documents = ["documents"] if "documents" in self.config else []
        return marks + [f"{self.out}/{name}/provenance.json" for name in documents]

    def folder(self, model: str, notebook: str, variant: str) -> str:
        """The folder of a run."""
        return f"{self.out}/{model}/{notebook}/{variant}"

    def own(self, notebook: str, variant: str) -> dict:
        """The data set and the parameters of a run that are not its model's."""
        searched = self.searched if notebook == TRAIN else {}
        chosen = searched.get(variant) or self.runs[notebook][variant] or {}
        return {"dataset": self.config["dataset"], **chosen}

    def values(self, model: str, notebook: str, variant: str) -> str:
        """The parameters of a run, as words for the shell."""
        name = self.models[model]
        own, given = self.own(notebook, variant), self.given.get(name)
        given = given.get(own["dataset"]) if isinstance(given, dict) else given
        checkpoint = {"checkpoint": given} if given else {}
        return shell_words({"model_name": name, **checkpoint, **own})

    def requested(self, model: str, notebook: str, variant: str, attempt: int) -> dict:
        """What a run asks a cluster for; more after each failure."""
        dataset = self.own(notebook, variant)["dataset"]
        return costs.requested(notebook, model, dataset, variant, attempt)

    def threads(self, notebook: str) -> int:
        """The threads of a run: of a training, or of a test."""
        if notebooks.every()[notebook].training:
            most = os.environ.get("OMP_NUM_THREADS") or 2
            return self.config.get("training_threads") or int(most)
        return self.config.get("threads", 1)

    @cached_property
    def searched(self) -> dict[str, dict]:
        """The trainings of all searches of the profile: parameters by variant."""
        searches = [name for name in notebooks.needing("trainings") if name in self.runs]
        parts = [self.trainings(name, variant) for name in searches for variant in self.runs[name]]
        return {name: chosen for part in parts for name, chosen in part.items()}

    def trainings(self, search: str, variant: str) -> dict[str, dict]:
        """The trainings of one search: parameters by variant."""
        from tahanuji.training import hyperparameters  # loads torch, which other profiles spare

        given = self.runs[search][variant] or {}
        declared = parameters.declared(layout.NOTEBOOKS / f"{search}.ipynb")
        defaults = {name: parameter.default for name, parameter in declared.items()}
        shared = {name: given[name] for name in ("dataset", "seed") if name in given}
        trainings = hyperparameters.settings(defaults | given, variant)
        return {name: {**shared, **chosen} for name, chosen in trainings.items()}

    @property
    def trained_on(self) -> dict[str, str]:
        """The data set of each variant of the training."""
        return {name: self.own(TRAIN, name)["dataset"] for name in self.runs.get(TRAIN, {})}

    def training(self, notebook: str, variant: str) -> str:
        """The variant of the training that a run needs: of the same name, else one on its data set,
        the default first, else the default.
        """
        trained, wanted = self.trained_on, self.own(notebook, variant)["dataset"]
        if variant in trained and variant != "default":
            return variant
        same = [name for name, dataset in trained.items() if dataset == wanted]
        return "default" if "default" in same or not same else same[0]

    def ready(self, model: str) -> bool:
        """Whether a model needs no training by the profile."""
        name = self.models[model]
        return name in self.given or not models.needs_training(name)

    def checkpoints(self, model: str, notebook: str, variant: str) -> list[str]:
        """The marks of the checkpoints that a run loads, by its notebook's needs."""
        needs = notebooks.every()[notebook].needs
        if needs == "trainings":
            return [self.mark(model, name) for name in self.trainings(notebook, variant)]
        if needs not in ("checkpoint", "own checkpoints", "every checkpoint"):
            return []
        trained = self.training(notebook, variant)
        loaded = [(model, trained)]
        if needs == "own checkpoints":
            data = self.trained_on
            loaded += [(model, name) for name in data if data[name] != data.get(trained)]
        if needs == "every checkpoint":
            loaded += [(other, trained) for other in self.models]
        others = [one for one in loaded[1:] if (one[0], TRAIN, one[1]) in self.planned]
        needed = dict.fromkeys([loaded[0], *others])
        return [self.mark(*one) for one in needed if not self.ready(one[0])]

    def mark(self, model: str, variant: str) -> str:
        """The mark of a finished checkpoint."""
        return f"{self.folder(model, TRAIN, variant)}/checkpoint/done.json"

    def order(self, priority: int) -> str:
        """A pattern of the notebooks of a priority: the longest runs begin first, or the end waits
        for them.
        """
        every = notebooks.every().values()
        return "|".join(about.name for about in every if about.priority == priority)
