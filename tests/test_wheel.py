"""The library as it is installed: a wheel alone in an empty environment, with the extra of models,
and the clone's own install.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import time
import tomllib
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest
from conftest import ROOT

BUILT = ("pyproject.toml", "LICENSE", "data/LICENSE")
PAGE = (ROOT / "src/tahanuji/README.md").read_text(encoding="utf-8")
EXAMPLE = re.search("```python\n(.*?)```", PAGE, re.DOTALL)[1]
PRINTED = re.search("```text\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
READ = [  # what tahanuji reads, apart from data sets and weights
    *("data/registry.yaml", "config/models.yaml", "data/nli/suite.csv"),
    *("data/lexicons/*", "data/prompts/*.csv", "data/validity/*.csv"),
    *("data/checklist/*.csv", "data/checklist/*/*.csv"),
]
STUDY = """
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, downloads, errors, measure, models, paths, perturb
from tahanuji.instrument import instrument


class Classifier:
    labels = ["positive", "negative"]

    def predict_proba(self, texts, precision="fp32"):
        return np.array([[0.1, 0.9] if "tidak" in text else [0.9, 0.1] for text in texts])


praise, blame = "enak sekali makanannya , saya suka", "tidak enak makanannya , saya kecewa"
texts = [f"{half} nomor {number}" for number in range(60) for half in (praise, blame)]
pd.DataFrame({"text": texts, "label": ["positive", "negative"] * 60}).to_csv("test.csv")
test = data.load(str(Path.cwd()), "test")
typos, negation = instrument("typos", rate=0.5), instrument("negation", variant="gak")
changed = {one: one.apply(test, seed=1) for one in (typos, negation)}
rows = behaviour.rows(Classifier(), test, changed)
print(measure.scores(rows["gold"], rows["clean_label"], Classifier.labels)["accuracy"])
right = {name: rows[f"{name}_label"] == rows["gold"] for name in ("clean", "perturbed")}
print(measure.compare(list(right["clean"]), list(right["perturbed"]))["only_first"] > 60)
judged = measure.verdicts(rows[rows["test"] == "negation"], "INV", [0.1])
print(sorted(set(judged["verdict"])), "mini" in models.entries(), "typos" in perturb.REGISTRY)
for task in (lambda: data.load("embedded", "test"), lambda: models.load("mine", ["a", "b"])):
    try:
        task()
    except errors.InputError as error:
        print(error)
print([path for path in sys.path if (Path(path) / "helpers").is_dir()], paths.DATA)
"""
CHECKPOINT = """
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

words = ["[UNK]", "[PAD]", "tidak", "gak", "enak", "kopi"]
tokens = Tokenizer(models.WordLevel(dict(zip(words, range(6))), "[UNK]"))
tokens.pre_tokenizer = pre_tokenizers.Whitespace()
names = {"id2label": {0: "positive", 1: "negative"}, "label2id": {"positive": 0, "negative": 1}}
size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "vocab_size": 6}
config = BertConfig(**names, **size, initializer_range=1.0)
torch.manual_seed(1)
BertForSequenceClassification(config).save_pretrained("mine")
PreTrainedTokenizerFast(
    tokenizer_object=tokens, unk_token="[UNK]", pad_token="[PAD]", model_max_length=64
).save_pretrained("mine")
"""
AUDIT = """
import pandas as pd

from tahanuji import behaviour, data, measure, models
from tahanuji.instrument import instrument

classifier = models.load("mine", ["positive", "negative"])
frame = pd.DataFrame({"text": [f"kopi tidak enak {n}" for n in range(60)], "label": "negative"})
frame.to_csv("test.csv", index=False)
test = data.load("test.csv", "test")
gak = instrument("negation", variant="gak")
rows = behaviour.rows(classifier, test, {gak: gak.apply(test, seed=1)})
verdicts = measure.verdicts(rows, "INV", [0.1])
print(len(rows), *verdicts["verdict"])
"""


def pip(*words: str, python: str = sys.executable, timeout: int = 300) -> None:
    """Run pip for an interpreter; builds go without isolation where setuptools is new enough."""
    try:
        own = int(version("setuptools").split(".")[0]) >= 77
    except PackageNotFoundError:
        own = False
    command = [sys.executable, "-m", "pip", "--python", python, *words, "--quiet"]
    done = subprocess.run(
        [*command, *(["--no-build-isolation"] if own else [])],
        capture_output=True,
        text=True,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """What a build reads of the clone, apart from it: no earlier build is in the way."""
    folder, left_out = tmp_path_factory.mktemp("source"), shutil.ignore_patterns("*.egg-info")
    for name in (*BUILT, *read()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "src", folder / "src", ignore=left_out, symlinks=True)
    return folder


def read() -> set[str]:
    """The files that tahanuji reads."""
    return {path.relative_to(ROOT).as_posix() for pattern in READ for path in ROOT.glob(pattern)}


@pytest.fixture(scope="module")
def wheel(source) -> Path:
    pip("wheel", str(source), "--no-deps", "--wheel-dir", str(source / "dist"))
    return next((source / "dist").glob("*.whl"))


def installed(folder: Path, *packages: str, versions: Path = ROOT / "requirements.lock") -> str:
    """The interpreter of a new environment with packages and what they need, at the versions of a
    file; prints how many there are, their size and the seconds.
    """
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "tabulate"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("there is no package index within reach")
    venv.create(folder)
    start, python = time.monotonic(), str(folder / "bin" / "python")
    pip("install", "-c", str(versions), *packages, python=python, timeout=1500)
    seconds = time.monotonic() - start
    files = [path for path in folder.rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    count = len(list(folder.glob("lib/*/site-packages/*.dist-info")))
    print(f"{packages}: {count} packages, {megabytes:.0f} MB, {seconds:.0f} seconds")
    return python


def beside(folder: Path, *install: str) -> str:
    """The interpreter of a new environment with one package, which finds this environment's
    packages too, yet not the clone: .pth files are not followed there.
    """
    venv.create(folder)
    python = str(folder / "bin" / "python")
    there = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})["purelib"]
    (Path(there) / "packages.pth").write_text(sysconfig.get_paths()["purelib"])
    pip("install", "--no-deps", "--ignore-installed", *install, python=python)
    return python


def run(python: str, code: str, folder: Path) -> list[str]:
    """The lines that code prints outside the clone."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [python, "-c", code], cwd=folder, env=kept, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_page_of_the_package_prints_what_it_says(capsys):
    exec(compile(EXAMPLE, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == PRINTED


@pytest.mark.long
def test_the_wheel_is_the_library_and_the_files_that_it_reads(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    info = next(name for name in names if name.endswith("/METADATA")).split("/")[0]
    assert {name.split("/")[0] for name in names} == {"tahanuji", info}
    within = "tahanuji/resources/"
    assert {name.removeprefix(within) for name in names if name.startswith(within)} == read()


@pytest.mark.long
def test_a_source_distribution_makes_the_same_wheel(source, wheel, tmp_path):
    build = "from setuptools import build_meta; print(build_meta.build_sdist('dist'))"
    done = subprocess.run([sys.executable, "-c", build], cwd=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    with tarfile.open(source / "dist" / done.stdout.split()[-1]) as archive:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # since 3.11.4
        archive.extractall(tmp_path, **safe)
    (folder,) = tmp_path.iterdir()
    pip("wheel", str(folder), "--no-deps", "--wheel-dir", str(tmp_path / "dist"))
    (other,) = (tmp_path / "dist").iterdir()
    assert set(zipfile.ZipFile(other).namelist()) == set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.long
def test_the_wheel_alone_perturbs_scores_compares_and_judges(wheel, tmp_path):
    python, place = installed(tmp_path / "alone", str(wheel)), tmp_path / "elsewhere"
    place.mkdir()
    *said, refusal, missing, where = run(python, STUDY, place)
    assert said == ["1.0", "True", "['breaks'] True True"]
    assert "data/embedded/test.tsv is a file of the repository" in refusal
    assert missing.endswith('is not installed: pip install "tahanuji[models]".')
    assert where.startswith(f"[] {tmp_path / 'alone'}")
    assert run(python, EXAMPLE, place) == PRINTED


@pytest.mark.long
@pytest.mark.skipif(sys.version_info >= (3, 13), reason="the oldest versions have no files for it")
def test_the_oldest_versions_that_are_allowed_do(wheel, tmp_path):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest = tmp_path / "oldest.txt"
    oldest.write_text("\n".join(project["dependencies"]).replace(">=", "=="), encoding="utf-8")
    python = installed(tmp_path / "old", str(wheel), versions=oldest)
    assert run(python, EXAMPLE, tmp_path) == PRINTED
    assert run(python, STUDY, tmp_path)[0] == "1.0"


@pytest.mark.long
def test_with_models_the_wheel_tests_a_folder(wheel, tmp_path):
    python, place = installed(tmp_path / "models", f"{wheel}[models]"), tmp_path / "elsewhere"
    place.mkdir()
    run(python, CHECKPOINT, place)
    assert run(python, AUDIT, place) == ["60 stands stands"]


@pytest.mark.long
def test_an_editable_install_has_library_and_helpers(source, tmp_path):
    python = beside(tmp_path / "editable", "--editable", str(source))
    said = run(
        python, "import helpers, tahanuji.paths as p; print(helpers.__file__, p.DATA)", tmp_path
    )
    assert said == [f"{source}/src/helpers/__init__.py {source}/data"]
