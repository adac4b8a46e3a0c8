"""Notebooks as Colab runs them: from the first cell on, in a kernel that knows nothing of the
project.
"""

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from conftest import ROOT, edited
from nbclient import NotebookClient
from packaging.requirements import Requirement

from helpers import __version__, layout, tables

SURE = ("torch", "numpy", "scipy", "matplotlib", "ipykernel", "pip")  # what Colab surely has
BARE = {"extra": ""}
STUB = """\
import sys
import types

for name in ("google", "google.colab"):
    sys.modules[name] = types.ModuleType(name)
"""
PIP = "#!{python}\nfrom pip._internal.cli.main import main\n\nraise SystemExit(main())\n"


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
        if (ROOT / name).is_file() and not name.startswith("outputs/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    git = ["git", "-C", folder, "-c", "user.name=any", "-c", "user.email=any@example.org"]
    for words in ("init -q", "add -A", "commit -qm All", f"tag v{__version__}"):
        subprocess.run([*git, *words.split()], check=True)
    return folder


@pytest.fixture
def colab(tmp_path, monkeypatch) -> tuple[Path, dict]:
    """The folder in which Colab's kernel starts, and its environment."""
    python = plain_python(tmp_path / "python")
    probe = [python.with_name("pip"), "download", "-q", "--no-deps", "-d", tmp_path, "tabulate"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("the packages of colab-requirements.txt cannot be had here")
    kernel = tmp_path / "jupyter" / "kernels" / "colab"
    kernel.mkdir(parents=True)
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    about = {"argv": command, "display_name": "colab", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(about), encoding="utf-8")
    monkeypatch.setenv("JUPYTER_PATH", str(kernel.parents[1]))
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text(STUB, encoding="utf-8")
    ours = ("TAHAN_", "PYTHON", "VIRTUAL_ENV")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    address = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{published(tmp_path / 'origin').as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": layout.REPOSITORY,
    }
    (tmp_path / "content").mkdir()
    more = {
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
    }
    return tmp_path / "content", variables | address | more


@pytest.mark.long
def test_training_and_a_test_run_on_colab_from_the_first_cell_on(colab):
    content, variables = colab
    for notebook in ("01_finetune", "05_typos"):
        source = edited(notebook, model_name='"tfidf"')
        where = {"metadata": {"path": str(content)}}
        client = NotebookClient(source, timeout=600, kernel_name="colab", resources=where)
        client.execute(env=variables)
        run = content / "tahan-uji/outputs/interactive/tfidf" / notebook / "default"
        assert len(tables.read(run / "metrics.csv", tables.METRICS))
        about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
        pins = (ROOT / "colab-requirements.txt").read_text(encoding="utf-8")
        assert f"transformers=={about['versions']['transformers']}\n" in pins
        assert not about["dirty"]  # the clone as it was published
