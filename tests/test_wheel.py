"""The library as it is installed: a wheel in an empty environment, and the clone's own install."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from conftest import ROOT

BUILT = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE", "data/LICENSE")
READ = [  # what tahanuji reads, apart from data sets and weights
    *("data/registry.yaml", "config/models.yaml", "data/nli/suite.csv"),
    *("data/lexicons/*", "data/prompts/*.csv", "data/validity/*.csv"),
    *("data/checklist/*.csv", "data/checklist/*/*.csv"),
]
STUDY = """
import sys
from pathlib import Path

import pandas as pd

from tahanuji import behaviour, data, downloads, errors, measure, models, paths, perturb, training

praise, blame = "enak sekali makanannya , saya suka", "tidak enak makanannya , saya kecewa"
texts = [f"{half} nomor {number}" for number in range(12) for half in (praise, blame)]
frame = pd.DataFrame({"text": texts, "label": ["positive", "negative"] * 12})
for split in data.SPLITS:
    frame.to_csv(f"{split}.csv", index=False)
train, valid, test = (data.load(str(Path.cwd()), split) for split in data.SPLITS)
job = training.Job("tfidf", str(Path.cwd()), Path("checkpoint"), seed=1)
classifier = training.fresh(job, {})
training.fine_tune(job, classifier, train, valid, {})
noisy = perturb.apply("typos", test, 0.5, seed=1)
negated = perturb.apply("negation", test, 1.0, seed=1, variant="gak")
rows = behaviour.rows(classifier, test, {"typos": noisy, "negation": negated})
typos = rows[rows["test"] == "typos"]
print(measure.scores(typos["gold"], typos["clean_label"], classifier.labels)["accuracy"])
right = [typos[name] == typos["gold"] for name in ("clean_label", "perturbed_label")]
noticed = sum(new is not None for new in noisy)
lost = measure.compare(*(list(column) for column in right))["only_first"]
print(noticed > 12 and 0 <= lost <= noticed, sum(new is not None for new in negated))
print("mini" in models.entries(), "smsa" in downloads.registry()["datasets"])
try:
    data.load("embedded", "test")
except errors.InputError as error:
    print(error)
print([path for path in sys.path if (Path(path) / "helpers").is_dir()], paths.ROOT)
"""


def pip(*words: str, python: str = sys.executable) -> None:
    """Run pip for an interpreter; builds go without isolation where setuptools is new enough."""
    try:
        own = int(version("setuptools").split(".")[0]) >= 77
    except PackageNotFoundError:
        own = False
    command = [sys.executable, "-m", "pip", "--python", python, *words, "--no-deps", "--quiet"]
    done = subprocess.run(
        [*command, *(["--no-build-isolation"] if own else [])],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """What a build reads of the clone, apart from it: no earlier build is in the way."""
    folder, left_out = tmp_path_factory.mktemp("source"), shutil.ignore_patterns("*.egg-info")
    for name in (*BUILT, *read()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "src", folder / "src", ignore=left_out)
    return folder


def read() -> set[str]:
    """The files that tahanuji reads."""
    return {path.relative_to(ROOT).as_posix() for pattern in READ for path in ROOT.glob(pattern)}


@pytest.fixture(scope="module")
def wheel(source) -> Path:
    pip("wheel", str(source), "--wheel-dir", str(source / "dist"))
    return next((source / "dist").glob("*.whl"))


def environment(folder: Path, *install: str) -> str:
    """The interpreter of a new environment with one package, which finds this environment's
    packages too, yet not the clone: .pth files are not followed there.
    """
    venv.create(folder)
    python = str(folder / "bin" / "python")
    there = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})["purelib"]
    (Path(there) / "packages.pth").write_text(sysconfig.get_paths()["purelib"])
    pip("install", "--ignore-installed", *install, python=python)
    return python


def run(python: str, code: str, folder: Path) -> list[str]:
    """The lines that code prints outside the clone."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", code], cwd=folder, env=kept, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.long
def test_the_wheel_is_the_library_and_the_files_that_it_reads(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    info = next(name for name in names if name.endswith("/METADATA")).split("/")[0]
    assert {name.split("/")[0] for name in names} == {"tahanuji", info}
    shipped = {name.removeprefix("tahanuji/shipped/") for name in names if "/shipped/" in name}
    assert shipped == read()


@pytest.mark.long
def test_a_source_distribution_holds_what_the_wheel_does(source):
    build = "from setuptools import build_meta; print(build_meta.build_sdist('dist'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(source / "dist" / done.stdout.split()[-1]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert read() <= names


@pytest.mark.long
def test_the_wheel_perturbs_scores_and_compares_outside_the_clone(wheel, tmp_path):
    python, place = environment(tmp_path / "empty", str(wheel)), tmp_path / "elsewhere"
    place.mkdir()
    *numbers, refusal, where = run(python, STUDY, place)
    assert numbers == ["1.0", "True 12", "True True"]
    assert "data/embedded/test.tsv is a file of the repository" in refusal
    assert where.startswith(f"[] {tmp_path / 'empty'}")


@pytest.mark.long
def test_an_editable_install_has_library_and_helpers(source, tmp_path):
    python = environment(tmp_path / "editable", "--editable", str(source))
    said = run(
        python, "import helpers, tahanuji.paths as p; print(helpers.__file__, p.DATA)", tmp_path
    )
    assert said == [f"{source}/src/helpers/__init__.py {source}/data"]
