"""Do the quick tests notice when a conclusion is decided in another way?

    python tests/mutants/run.py [WORD ...]    the mutants of mutants.yaml, or those whose file, new
                                              text or reason holds a word

A mutant is a change of a line that decides a conclusion, with the tests that have to fail on it. It
is made in a copy of the repository, whose tests pass without it. Exit status 1 where one survives.
"""

import importlib
import os
import shutil
import sys
import tempfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("mutants.yaml")
COPIED = ("src", "tests")
SHARED = ("pandas", "scipy.stats", "statsmodels.stats.proportion", "hypothesis", "jinja2")


def mutants(words: list[str]) -> list[dict]:
    """The rows of the table, or those that hold a word."""
    rows = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    said = [" ".join([row["file"], row["new"], row["why"]]) for row in rows]
    chosen = zip(rows, said, strict=True)
    return [row for row, text in chosen if not words or any(word in text for word in words)]


def copy(folder: Path) -> None:
    """The repository in another folder: sources and tests copied, all else linked."""
    for path in ROOT.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, folder / path.name, symlinks=True)
        elif not path.name.startswith("."):
            (folder / path.name).symlink_to(path)


def passes(folder: Path, tests: set[str]) -> bool:
    """Whether tests pass in a folder, run in a process that has the libraries loaded already."""
    child = os.fork()
    if not child:
        _run(folder, sorted(tests))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status not in (0, 1):
        text = (folder / "said").read_text(encoding="utf-8")
        raise SystemExit(f"pytest could not run {' '.join(sorted(tests))}\n{text}")
    return status == 0


def _run(folder: Path, tests: list[str]) -> None:
    """Run tests on the sources of a folder and end the process with their exit status."""
    os.chdir(folder)
    sys.path.insert(0, str(folder / "src"))
    os.environ["PYTHONPATH"] = str(folder / "src")
    sys.dont_write_bytecode = True
    said = os.open("said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(said, 1)
    os.dup2(said, 2)
    os._exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *tests]))


def survives(mutant: dict, folder: Path) -> bool:
    """Whether the tests of a mutant pass all the same."""
    path = folder / mutant["file"]
    original = path.read_text(encoding="utf-8")
    path.write_text(original.replace(mutant["old"], mutant["new"]), encoding="utf-8")
    try:
        return passes(folder, set(mutant["tests"].split()))
    finally:
        path.write_text(original, encoding="utf-8")


def main(words: list[str]) -> int:
    """The command line; the exit status is 0 where every mutant dies, else 1."""
    alive, chosen = 0, mutants(words)
    for name in SHARED:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory() as name:
        copy(Path(name))
        if not passes(Path(name), {test for row in chosen for test in row["tests"].split()}):
            raise SystemExit((Path(name) / "said").read_text(encoding="utf-8"))
        for mutant in chosen:
            lives = survives(mutant, Path(name))
            alive += lives
            fate = "SURVIVES" if lives else "dies"
            print(f"{fate:9} {mutant['file']}: {mutant['why']}", flush=True)
    print(f"{len(chosen) - alive} of {len(chosen)} mutants die")
    return int(alive > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
