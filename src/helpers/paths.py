"""Where the repository is and where runs go."""

import json
import os
import re
from pathlib import Path

REPOSITORY = "https://github.com/tahan-uji/tahan-uji"
ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
CONFIG = ROOT / "config"
DATA = ROOT / "data"


def outputs() -> Path:
    """The folder of all runs: `outputs/`, or the folder that the environment variable TAHAN_OUTPUTS names."""
    return Path(os.environ.get("TAHAN_OUTPUTS") or ROOT / "outputs")


def slug(name: str) -> str:
    """A folder name for a model or data set given as a name, hub id or path.

    >>> slug("indobenchmark/indobert-base-p1"), slug("./models/mine/")
    ('indobenchmark--indobert-base-p1', 'models--mine')
    """
    parts = [part for part in re.split(r"[/\\]+", name) if part not in {"", ".", ".."}]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "--".join(parts)) or "unnamed"


def run_dir(profile: str, model_name: str, notebook: str, variant: str = "default") -> Path:
    """`outputs/<profile>/<model>/<notebook>/<variant>`: the folder of one run."""
    return outputs() / profile / slug(model_name) / notebook / variant


def sibling(run: Path, notebook: str) -> Path:
    """The run of another notebook that belongs to this run: the variant of the same name, else its default."""
    same = run.parents[1] / notebook / run.name
    return same if same.is_dir() else run.parents[1] / notebook / "default"


def local(source: str) -> str:
    """A model's folder that is named relative to the repository, wherever the working folder is; anything else as it is given."""
    return str(ROOT / source) if not Path(source).is_dir() and (ROOT / source).is_dir() else source


def shown(path: Path | str) -> str:
    """A path as readers should see it: relative to the repository or the working folder where it lies below one."""
    path = Path(path)
    for base in (Path.cwd(), ROOT):
        if path.is_absolute() and path.is_relative_to(base):
            return path.relative_to(base).as_posix() or "."
    return path.as_posix()


def find_checkpoint(run: Path, model_name: str, dataset: str, which: str = "best") -> Path | None:
    """The finished checkpoint of a model on a data set: of the run's own profile, else of any profile; None where there is none.

    A checkpoint's card names the data set that it was trained on, and only an equal one counts.
    """
    own = sibling(run, "01_finetune")
    others = sorted(outputs().glob(f"*/{slug(model_name)}/01_finetune/default"))
    for folder in [own, *others]:
        card = folder / "checkpoint" / which / "tahan.json"
        finished = (folder / "checkpoint" / "done.json").is_file() and card.is_file()
        if finished and json.loads(card.read_text(encoding="utf-8"))["dataset"] == dataset:
            return card.parent
    return None
