"""Notebooks as Colab runs them: from the first cell on, in a kernel that knows nothing of the
project.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from conftest import ROOT, edited
from nbclient import NotebookClient
from packaging.requirements import Requirement

from helpers import layout, parameters, setup_cell, tables
from study import reads

SURE = ("torch", "numpy", "scipy", "matplotlib", "ipykernel", "pip")  # what Colab surely has
BARE = {"extra": ""}
OPTIONAL = {"deep_translator"}  # translates online, where a user installs it
PROVIDERS = metadata.packages_distributions()
NOTEBOOKS = sorted(layout.NOTEBOOKS.glob("*.ipynb"))
AUDIT = "90_published_figures"
NETWORKS = {"13_minimal_pairs", "14_hyperparameters", "15_pretrain"}
LEFT = {"18_classifier", "99_report"}  # trains four networks; needs the runs of a profile
SMALL = {"test_rows": "40", "attacked_rows": "10"}  # more of them are run elsewhere
QUICK = {
    "09_code_mixing_defence": {"languages": '"en"', "epochs": "1"},
    "14_hyperparameters": {"learning_rates": '"1e-4"', "epoch_counts": '"1"'},
    "15_pretrain": {"short_epochs": "0.1", "epochs": "0.1", "phase_two_epochs": "0.0"},
    "17_hardening": {"defences": '"normaliser"'},
    "19_certificates": {"test_rows": "5", "samples": "50"},
}
STUB = """\
import sys
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec

for name in ("google", "google.colab"):
    sys.modules[name] = module_from_spec(ModuleSpec(name, None))
"""
PIP = """\
#!{python}
import sys
from pathlib import Path

from pip._internal.cli.main import main

done, asked = Path(__file__).with_name("done"), repr(sys.argv)
if asked in done.read_text().splitlines():  # by a notebook before, in the same environment
    raise SystemExit(0)
if not (status := main()):
    done.write_text(done.read_text() + asked + "\\n")
raise SystemExit(status)
"""


def with_needs(names: tuple[str, ...]) -> list[metadata.Distribution]:
    """Installed distributions and all that they need."""
    todo, needed = list(names), {}
    while todo:
        name = todo.pop()
        if name not in needed:
            needed[name] = metadata.distribution(name)
            wants = map(Requirement, needed[name].requires or [])
            todo += [one.name for one in wants if not one.marker or one.marker.evaluate(BARE)]
    return list(needed.values())


def plain_python(folder: Path) -> Path:
    """A Python with Colab's sure packages and nothing of ours: the rest is installed by the
    notebook's first cell.

    They are gigabytes, so they are links to those here, outside the environment, where pip changes
    nothing.
    """
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "own"], check=True)
    python, sure = folder / "own" / "bin" / "python", folder / "sure"
    sure.mkdir()
    for distribution in with_needs(SURE):
        for name in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            if not (sure / name).exists():
                (sure / name).symlink_to(distribution.locate_file(name))
    (site,) = folder.glob("own/lib/*/site-packages")
    (site / "sure.pth").write_text(f"{sure}\n", encoding="utf-8")
    pip = python.with_name("pip")
    pip.write_text(PIP.format(python=python), encoding="utf-8")
    pip.chmod(0o755)
    pip.with_name("done").touch()
    return python


def published(folder: Path) -> Path:
    """A repository that holds the working tree, as its tag of this version."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        own, link = (ROOT / name).is_file(), (ROOT / name).is_symlink()
        if (own or link) and not name.startswith("outputs/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name, follow_symlinks=False)
    git = ["git", "-C", folder, "-c", "user.name=any", "-c", "user.email=any@example.org"]
    for words in ("init -q", "add -A", "commit -qm All", f"tag {setup_cell.TAG}"):
        subprocess.run([*git, *words.split()], check=True)
    return folder


def imported(source: str) -> set[str]:
    """The dotted names that a source imports, wherever in it."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def cells(notebook: Path) -> str:
    """The code of a notebook without its setup cell, which is no plain Python."""
    every = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in every if cell["cell_type"] == "code" and cell["id"] != "setup"]
    return "\n".join("".join(cell["source"]) for cell in code)


def behind(notebook: Path) -> set[str]:
    """The packages of others that a notebook's cells and the modules behind them import."""
    todo, seen, others = imported(cells(notebook)), set(), set()
    while todo:
        name = todo.pop()
        parents = {name.rsplit(".", cut)[0] for cut in range(name.count(".") + 1)}
        if name.split(".")[0] not in reads.ROOMS:
            others.add(name.split(".")[0])
        for path in {reads.module(one) for one in parents} - {None} - seen:
            seen.add(path)
            todo |= imported(path.read_text(encoding="utf-8"))
    return others - sys.stdlib_module_names - OPTIONAL


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_colab_has_or_gets_what_a_notebook_and_the_modules_behind_it_import(notebook):
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    marked = re.findall(r"(?m)^(\S+)==.*# colab$", lock)
    there = {one.metadata["Name"].lower() for one in with_needs((*SURE, *marked))}
    lacking = {
        name for name in behind(notebook) if not there & {one.lower() for one in PROVIDERS[name]}
    }
    assert not lacking


@pytest.fixture(scope="module")
def colab(tmp_path_factory) -> dict[str, str]:
    """The environment of a kernel of Colab's, found by that name."""
    folder = tmp_path_factory.mktemp("colab")
    python = plain_python(folder / "python")
    probe = [python.with_name("pip"), "download", "-q", "--no-deps", "-d", folder, "tabulate"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("there is no package index within reach")
    kernel = folder / "jupyter" / "kernels" / "colab"
    kernel.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"argv": command, "display_name": "colab", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(about), encoding="utf-8")
    startup = folder / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text(STUB, encoding="utf-8")
    ours = ("TAHAN_", "PYTHON", "VIRTUAL_ENV")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return variables | {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{published(folder / 'origin').as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": setup_cell.REPOSITORY,
        "IPYTHONDIR": str(folder / "ipython"),
        "JUPYTER_PATH": str(kernel.parents[1]),
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.mark.long
@pytest.mark.parametrize("notebook", [path.stem for path in NOTEBOOKS if path.stem not in LEFT])
def test_a_notebook_runs_on_colab_by_itself_from_the_first_cell_on(
    notebook, colab, tmp_path, monkeypatch
):
    monkeypatch.setenv("JUPYTER_PATH", colab["JUPYTER_PATH"])
    declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
    given = {name: value for name, value in SMALL.items() if name in declared}
    given |= {"model_name": '"tfidf"'} if notebook not in NETWORKS | {AUDIT} else {}
    source = edited(notebook, **given | QUICK.get(notebook, {}))
    where = {"metadata": {"path": str(tmp_path)}}
    client = NotebookClient(source, timeout=600, kernel_name="colab", resources=where)
    client.execute(env=colab)
    (written,) = (tmp_path / "tahan-uji" / "outputs").rglob("provenance.json")
    assert any(len(tables.read(table, [])) for table in written.parent.rglob("*.csv"))
    about = json.loads(written.read_text(encoding="utf-8"))
    pins = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert f"transformers=={about['versions']['transformers']}  # colab\n" in pins
    assert not about["dirty"]  # the clone as it was published
