"""What made a run: the code, data, models, versions and machine kind, and the command that repeats
it.
"""

import json
import platform
import shlex
import subprocess
from importlib import metadata
from pathlib import Path

from tahanuji import paths
from tahanuji.errors import InputError

PACKAGES = [
    "torch",
    "transformers",
    "tokenizers",
    "datasets",
    "accelerate",
    "pandas",
    "numpy",
    "scikit-learn",
    "scipy",
    "statsmodels",
    "papermill",
]


def repository_state() -> dict:
    """Commit and whether anything but outputs/ differs from it; None where git does not answer."""

    def git(*words: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", paths.ROOT, *words], capture_output=True, text=True, timeout=30
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    changed = git("status", "--porcelain", "--", ".", ":!outputs")
    return {"commit": git("rev-parse", "HEAD"), "dirty": None if changed is None else bool(changed)}


def command(notebook: str, folder: Path, values: dict) -> str:
    """The shell command that repeats a run."""
    pairs = [shlex.quote(f"{name}={value}") for name, value in values.items() if name != "run_dir"]
    words = [f"notebooks/{notebook}.ipynb", shlex.quote(paths.shown(folder)), *pairs]
    return f"python -m study notebook {' '.join(words)}"


def versions() -> dict[str, str]:
    """Versions of the packages that matter, of those that are installed."""
    installed = {
        dist.metadata["Name"].lower() for dist in metadata.distributions() if dist.metadata["Name"]
    }
    return {name: metadata.version(name) for name in PACKAGES if name in installed}


def write(folder: Path, notebook: str, values: dict, facts: dict, seconds: float) -> None:
    """Write provenance.json into a run folder; its presence is what "finished" means."""
    record = {
        "notebook": notebook,
        "parameters": values | {"run_dir": paths.shown(folder)},
        "command": command(notebook, folder, values),
        **facts.pop("state", {}),
        **facts,
        "seconds": round(seconds, 1),
        "python": platform.python_version(),
        "os": f"{platform.system()} {platform.machine()}",
        "versions": versions(),
    }
    paths.write_json(folder / "provenance.json", record)


def read_json(path: Path) -> dict:
    """The content of a JSON file; InputError for a damaged one."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # of the decoder and of json
        raise InputError(
            f"{paths.shown(path)} is damaged (no JSON); remove it, and run its notebook again."
        ) from None
