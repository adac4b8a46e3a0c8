"""One place for pins, and the two commands' own behaviour."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

from helpers import layout, notebooks

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FAULTS = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
PINS = dict(line.split("==") for line in PROJECT["dependencies"])


def shell(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, **more)


def test_every_dependency_is_pinned_exactly():
    assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", line) for line in PROJECT["dependencies"])


def test_the_packages_of_the_design_card_are_there():
    card = {
        "jupyterlab",
        "papermill",
        "torch",
        "transformers",
        "datasets",
        "pandas",
        "seaborn",
        "scikit-learn",
        "nltk",
        "snakemake",
    }
    assert card <= set(PINS)


def test_environment_yml_agrees():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python = next(line for line in listed if isinstance(line, str) and line.startswith("python="))
    assert python.removeprefix("python=") in {"3.11", "3.12", "3.13"}
    pip = next(part["pip"] for part in listed if isinstance(part, dict))
    assert pip[0] == f"torch=={PINS['torch']}"
    assert dict(line.split("==") for line in pip if "==" in line) == PINS


def test_colab_requirements_agree():
    lines = (ROOT / "colab-requirements.txt").read_text(encoding="utf-8").splitlines()
    listed = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert listed.items() <= PINS.items()
    assert "torch" not in listed


def test_the_readme_is_short_and_names_every_notebook_in_order():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(re.sub(r"\]\([^)]*\)", "]", text).split()) <= 900  # links by their words
    assert re.findall(r"\(notebooks/(\w+)\.ipynb\)", text) == sorted(notebooks.every())
    assert f"git clone {layout.REPOSITORY}" in text
    folders = re.findall(r"\]\(([^)#]+)\)", text)
    assert all((ROOT / place).exists() for place in folders if not place.startswith("http"))


def test_the_repository_address_is_one_constant():

    assert PROJECT["urls"]["Repository"] == layout.REPOSITORY
    for name in (
        "README.md",
        "CITATION.cff",
        *(f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")),
    ):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"https://github\.com/[\w.-]+/[\w-]+", text)) <= {
            layout.REPOSITORY
        }, name


def test_version_is_the_same_everywhere():
    import helpers

    assert PROJECT["version"] == helpers.__version__
    assert f"version: {helpers.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"--branch v{helpers.__version__} " in path.read_text(encoding="utf-8")


def test_check_environment_accepts_this_one_and_names_what_differs(tmp_path):
    script = ROOT / "scripts/check_environment.py"
    assert shell(sys.executable, str(script)).returncode == 0
    bare = shell(
        sys.executable, "-S", "-I", str(script)
    )  # without site-packages nothing is installed
    assert bare.returncode == 1
    assert f"torch {PINS['torch']} is missing" in bare.stdout
    assert shell(sys.executable, str(script), "--torch").stdout.strip() == f"torch=={PINS['torch']}"


def test_help_says_profiles_and_options():
    shown = shell("./run_all.sh", "--help")
    assert shown.returncode == 0
    for word in ("embedded", "cpu", "thesis", "--dry-run", "--executor slurm", "TAHAN_DATA_MIRROR"):
        assert word in shown.stdout


def test_unknown_profile_is_one_sentence():
    wrong = shell("./run_all.sh", "embeded")
    assert wrong.returncode == 2
    there = sorted(path.stem for path in (ROOT / "config").glob("*.yaml") if path.stem != "models")
    listed = f"There is no profile 'embeded'; there are: {' '.join(there)}"
    assert wrong.stderr.startswith(listed)
    assert len(wrong.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "script", ["run_all.sh", "run_tests.sh", "scripts/environment.sh", ".ci/run", ".ci/slurm"]
)
def test_scripts_parse(script):
    assert shell("bash", "-n", script).returncode == 0


def test_profiles_name_known_models_notebooks_and_parameters():
    from helpers import parameters

    for path in (ROOT / "config").glob("*.yaml"):
        profile = yaml.safe_load(path.read_text(encoding="utf-8"))
        if "profile" not in profile:
            continue
        assert profile["profile"] == path.stem
        for notebook, variants in profile["runs"].items():
            declared = parameters.declared(layout.NOTEBOOKS / f"{notebook}.ipynb")
            for model in profile["models"]:
                for values in variants.values():
                    parameters.check(
                        {"model_name": model, "dataset": profile["dataset"], **values}, declared
                    )
                    assert set(values) <= set(declared)


def test_text_files_speak_of_the_project_alone():
    """No absolute path of a home, temporary or working folder stands in what git carries."""
    listed = shell("git", "ls-files", "-z")
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.split("\0")):
        if (
            name.endswith(
                (".py", ".md", ".sh", ".yaml", ".yml", ".toml", ".ipynb", ".json", ".csv")
            )
            and (ROOT / name).is_file()
        ):
            text = (ROOT / name).read_text(encoding="utf-8")
            assert not re.search(r"(?<![\w.])/(home|root|tmp|work|Users)/\w", text), name


def test_links_between_pages_lead_to_files_that_git_carries():
    listed = shell("git", "ls-files", "-z")
    if listed.returncode:
        pytest.skip("not a git checkout")
    names = {Path(name) for name in listed.stdout.split("\0") if name}
    carried = names | {folder for name in names for folder in name.parents}
    for page in (name for name in names if name.suffix == ".md" and (ROOT / name).is_file()):
        text = (ROOT / page).read_text(encoding="utf-8")
        for link in re.findall(r"\]\((?!\w+:)([^)#\s]+)", text):
            assert Path(os.path.normpath(page.parent / link)) in carried, f"{page}: {link}"


def test_notebooks_say_what_they_are():
    """Known words, the question of the title cell, and headline names that are used once."""
    names = [number["name"] for about in notebooks.every().values() for number in about.numbers]
    assert len(names) == len(set(names)) > 10
    for about in notebooks.every().values():
        cells = json.loads((layout.NOTEBOOKS / f"{about.name}.ipynb").read_text("utf-8"))["cells"]
        assert f"**Question** | {about.question} |" in "".join(cells[0]["source"]), about.name
        assert about.needs in notebooks.NEEDS
        assert about.test_type in notebooks.TEST_TYPES
        assert all(number["better"] in ("higher", "lower") for number in about.numbers)


def test_every_fault_names_a_test_that_is_there():
    rows = re.findall(r"`(test_\w+\.py)::(\w+)` \|$", FAULTS, re.MULTILINE)
    assert len(rows) >= 30 and len(rows) == len(re.findall(r"^\| [^*|-]", FAULTS, re.MULTILINE)) - 1
    for file, name in rows:
        assert f"\ndef {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), name
