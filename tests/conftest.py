"""Shared fixtures: the real mirror, private output folders, and the real entry points as
subprocesses.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from hypothesis import settings

from tahanuji import paths

# Drawn texts are the same in every run, so that nobody's change fails by another's luck, and have
# no deadline, which a busy machine misses; HYPOTHESIS_PROFILE=default looks for new ones.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

pytest.register_assert_rewrite("recompute")
ROOT = paths.ROOT


def pytest_addoption(parser):
    parser.addoption("--all", action="store_true", help="run the long tests too")


def pytest_collection_modifyitems(config, items):
    """The study begins first, because its file takes longest; without --all the tests marked `long`
    are left out.
    """
    items.sort(key=lambda item: item.path.stem != "test_study")
    if not config.getoption("--all"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]


@pytest.fixture(scope="session")
def mirror() -> Path:
    """The folder of real data sets; tests that need it are skipped where it is absent, and pytest's
    summary says so.
    """
    named = os.environ.get("TAHAN_DATA_MIRROR", "")
    if not named or not Path(named).is_dir():
        pytest.skip(
            "TAHAN_DATA_MIRROR names no folder with the real data sets: checks on SmSA and the "
            "thesis's files are left out"
        )
    return Path(named)


def environment(outputs: Path, **more: str) -> dict[str, str]:
    """The environment of an entry point whose runs go below `outputs`."""
    return {
        **os.environ,
        "TAHAN_OUTPUTS": str(outputs),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        **more,
    }


def runner(
    outputs: Path, notebook: str, folder: str, *pairs: str, **more: str
) -> subprocess.CompletedProcess:
    """`python -m study notebook` on a notebook, with output captured."""
    command = [
        sys.executable,
        "-m",
        "study",
        "notebook",
        f"notebooks/{notebook}.ipynb",
        str(outputs / folder),
        *pairs,
    ]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=environment(outputs, **more),
        capture_output=True,
        text=True,
        timeout=1200,
    )


def run_all(outputs: Path, *words: str) -> subprocess.CompletedProcess:
    """`./run_all.sh` with output captured."""
    return subprocess.run(
        ["./run_all.sh", *words],
        cwd=ROOT,
        env=environment(outputs),
        capture_output=True,
        text=True,
        timeout=3000,
    )


def edited(notebook: str, **changed: str):
    """A notebook's source with lines of its parameters cell edited by hand."""
    import nbformat  # not for every process that reads this file

    source = nbformat.read(ROOT / "notebooks" / f"{notebook}.ipynb", as_version=4)
    cell = next(cell for cell in source.cells if "parameters" in cell.metadata.get("tags", []))
    for name, value in changed.items():
        line = rf"(?m)^({name}: \w+ = )[^#\n]*"
        assert re.search(line, cell["source"]), f"{notebook} has no parameter {name}"
        cell["source"] = re.sub(line, rf"\g<1>{value}  ", cell["source"])
    return source


@pytest.fixture(scope="session")
def trained(tmp_path_factory) -> Path:
    """An output folder in which the real runner fine-tuned `tfidf` on the embedded corpus."""
    outputs = tmp_path_factory.mktemp("trained")
    done = runner(outputs, "01_finetune", "embedded/tfidf/01_finetune/default", "model_name=tfidf")
    assert done.returncode == 0, done.stderr
    return outputs


def planned(tmp_path, profile: dict) -> str:
    """What Snakemake would run of a profile."""
    config = tmp_path / "own.yaml"
    config.write_text(yaml.safe_dump(profile), encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--configfile",
        str(config),
        "--nolock",
        "--dry-run",
        "--printshellcmds",
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment(tmp_path / "outputs"),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def made_up_page(tmp_path_factory) -> Path:
    """The English page of made-up runs, with the Indonesian one and the runs beside it, which no
    test may change.
    """
    import pages

    folder = tmp_path_factory.mktemp("made-up")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHAN_OUTPUTS", str(folder))
        pages.write_runs()
        return pages.build(folder)
