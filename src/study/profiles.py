"""The profiles of config/: their files, and the runs that they ask for."""

import fnmatch
from pathlib import Path

from helpers import layout, notebooks
from tahanuji import models, paths
from tahanuji.errors import InputError


def configuration(profile: str) -> Path:
    """The file of a profile: in config/, or that of an audit in its folder of runs; it may not be
    there.
    """
    own = layout.outputs() / profile / "profile.yaml"
    return own if own.is_file() else paths.CONFIG / f"{profile}.yaml"


def planned(profile: dict) -> list[tuple[str, str, str]]:
    """The runs that a profile's configuration asks for, as (model, notebook, variant).

    Every model runs every variant, but those named in `only` run what their patterns
    `notebook/variant` match, and a generative model is not fine-tuned. InputError where a pattern
    matches nothing.

    >>> runs = {"05_typos": {"default": {}, "seed_2": {}}}
    >>> planned({"models": ["a", "b"], "runs": runs, "only": {"b": ["05_*/default"]}})
    [('a', '05_typos', 'default'), ('a', '05_typos', 'seed_2'), ('b', '05_typos', 'default')]
    """
    only = {
        model: patterns
        for model, patterns in profile.get("only", {}).items()
        if model in profile["models"]
    }
    asked = [
        f"{notebook}/{variant}"
        for notebook, variants in profile["runs"].items()
        for variant in variants
    ]
    idle = [
        f"{model}: {pattern}"
        for model, patterns in only.items()
        for pattern in patterns
        if not fnmatch.filter(asked, pattern)
    ]
    if idle:
        raise InputError(
            f"`only` of a profile has patterns that no run matches: {', '.join(idle)}."
        )
    wanted = [
        (model, run)
        for model in profile["models"]
        for run in asked
        if any(fnmatch.fnmatchcase(run, pattern) for pattern in only.get(model, ["*"]))
        and (models.needs_training(model) or not run.startswith(f"{notebooks.fine_tuning()}/"))
    ]
    return [(model, *run.split("/")) for model, run in wanted]


def folders(profile: dict) -> list[str]:
    """The folders of the runs that a profile's configuration asks for, below its own."""
    return ["/".join((paths.slug(model), *run)) for model, *run in planned(profile)]
