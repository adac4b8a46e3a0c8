"""Where runs go."""

import os
from pathlib import Path

from tahanuji.paths import ROOT, slug

NOTEBOOKS = ROOT / "notebooks"
REFERENCE = ROOT / "outputs" / "reference"


def outputs() -> Path:
    """The folder of all runs: `outputs/`, or the folder that the environment variable TAHAN_OUTPUTS
    names.
    """
    return Path(os.environ.get("TAHAN_OUTPUTS") or ROOT / "outputs")


def called_from() -> Path:
    """The folder in which a command was given."""
    return Path(os.environ.get("TAHAN_CALLED_FROM") or Path.cwd())


def run_dir(profile: str, model_name: str, notebook: str, variant: str = "default") -> Path:
    """`outputs/<profile>/<model>/<notebook>/<variant>`: the folder of one run."""
    return outputs() / profile / slug(model_name) / notebook / variant


def default_folder(notebook: str, values: dict) -> Path:
    """Where a run goes that was given no run_dir: a report into its profile, a run with a model
    into `interactive-<dataset>`, which is a profile of one data set, anything else into
    `interactive`.
    """
    if "profile" in values:
        return outputs() / values["profile"] / "report"
    if "model_name" in values:
        profile = f"interactive-{slug(values['dataset'])}"
        return run_dir(profile, values["model_name"], notebook)
    return outputs() / "interactive" / notebook


def sibling(run: Path, notebook: str) -> Path:
    """The run of another notebook that belongs to this run: the variant of the same name, else its
    default.
    """
    same = run.parents[1] / notebook / run.name
    return same if same.is_dir() else run.parents[1] / notebook / "default"
