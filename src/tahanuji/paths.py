"""Where the files are that the library reads, and names for folders."""

import functools
import json
import os
import re
from importlib import resources
from pathlib import Path

# `resources` of the package holds data and config: copies in a wheel, links to the repository's
# folders in a clone, so that every kind of installation finds them in one way.
DATA = Path(str(resources.files("tahanuji") / "resources" / "data")).resolve()
ROOT = DATA.parent
CONFIG = ROOT / "config"


def downloads() -> Path:
    """The folder of downloads: TAHAN_DATA_CACHE where set, data/downloads in a clone, else the
    user's cache.
    """
    if given := os.environ.get("TAHAN_DATA_CACHE"):
        return Path(given).expanduser()
    if (ROOT / "pyproject.toml").is_file():
        return DATA / "downloads"
    import pooch

    return Path(pooch.os_cache("tahanuji"))


def slug(name: str) -> str:
    """A folder name for a model or data set given as a name, hub id or path.

    >>> slug("indobenchmark/indobert-base-p1"), slug("./models/mine/")
    ('indobenchmark--indobert-base-p1', 'models--mine')
    """
    parts = [part for part in re.split(r"[/\\]+", name) if part not in {"", ".", ".."}]
    return re.sub(r"[^A-Za-z0-9._-]+", "-", "--".join(parts)) or "unnamed"


def local(source: str) -> str:
    """A model's folder that is named relative to the repository, wherever the working folder is;
    anything else as it is given.
    """
    return str(ROOT / source) if not Path(source).is_dir() and (ROOT / source).is_dir() else source


def shown(path: Path | str) -> str:
    """A path as readers should see it: relative to the repository or the working folder where it
    lies below one.
    """
    path = Path(path)
    for base in (Path.cwd(), ROOT):
        if path.is_absolute() and path.is_relative_to(base):
            return path.relative_to(base).as_posix() or "."
    return path.as_posix()


def read_yaml(path: Path) -> dict:
    """The content of a yaml file, which is not to be changed: it is kept while its text is the
    same.
    """
    return _parsed(path.read_text(encoding="utf-8"))


@functools.lru_cache(maxsize=16)
def _parsed(text: str) -> dict:
    """The parsed text, by libyaml, which is some fifteen times as fast as Python."""
    import yaml

    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def write_json(path: Path, content: dict) -> None:
    """Write a json file in one step."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    part.replace(path)
