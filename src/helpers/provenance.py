"""What made a run: the code, data, models, versions and machine kind, and the command that repeats
it.
"""

import ast
import hashlib
import json
import platform
import shlex
import subprocess
from importlib import metadata
from pathlib import Path

from helpers import layout
from tahanuji import paths

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
HELPERS = Path(__file__).parent


def code_hash(notebook: str) -> str:
    """The first 16 hex digits of the sha256 of a notebook's code cells and of every helper module
    they reach by imports.

    Lines of comment, docstrings, blank lines and markdown cells do not count (a comment behind code
    does): a prose edit must not retrain a model.
    """
    cells = json.loads((layout.NOTEBOOKS / f"{notebook}.ipynb").read_text(encoding="utf-8"))[
        "cells"
    ]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    python = [source for source in code if not source.startswith("# @title Setup")]
    return sources_hash({notebook: "\n".join(python)} | reachable(python))


def sources_hash(sources: dict[str, str]) -> str:
    """The first 16 hex digits of the sha256 of sources by name, their prose left out."""
    digest = hashlib.sha256()
    for name in sorted(sources):
        digest.update(f"{name}\n{bare(sources[name])}\n".encode())
    return digest.hexdigest()[:16]


def page_hash() -> str:
    """The hash of what makes the report's page: its code, templates and style."""
    web = [path for path in sorted((HELPERS / "report" / "web").iterdir()) if path.is_file()]
    return sources_hash(
        reachable(["from helpers.report import page"])
        | {path.name: f"content = {path.read_text(encoding='utf-8')!r}" for path in web}
    )


def reachable(sources: list[str]) -> dict[str, str]:
    """Helper modules that the sources import, directly or through one another: {dotted name:
    source}.
    """
    found, todo = {}, {name for source in sources for name in imports(source)}
    while todo:
        name = todo.pop()
        base = HELPERS.parent.joinpath(*name.split("."))
        path = (
            base.with_suffix(".py") if base.with_suffix(".py").is_file() else base / "__init__.py"
        )
        if name not in found and path.is_file():
            found[name] = path.read_text(encoding="utf-8")
            todo |= imports(found[name])
    return found


def imports(source: str) -> set[str]:
    """Dotted names below `helpers` that a source imports."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] == "helpers"}


def bare(source: str) -> str:
    """A source without docstrings, comment lines and blank lines; the same under every Python
    version.
    """
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and body
            and _is_docstring(body[0])
        ):
            for number in range(body[0].lineno - 1, body[0].end_lineno):
                lines[number] = ""
    return "\n".join(
        line.rstrip() for line in lines if line.strip() and not line.lstrip().startswith("#")
    )


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


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
    return f"python -m helpers.runner notebooks/{notebook}.ipynb {shlex.quote(paths.shown(folder))} {' '.join(pairs)}"


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
        "code_hash": code_hash(notebook),
        **facts.pop("state", {}),
        **facts,
        "seconds": round(seconds, 1),
        "python": platform.python_version(),
        "os": f"{platform.system()} {platform.machine()}",
        "versions": versions(),
    }
    paths.write_json(folder / "provenance.json", record)


def read_json(path: Path) -> dict:
    """The content of a JSON file."""
    return json.loads(path.read_text(encoding="utf-8"))
