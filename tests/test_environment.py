"""One place for pins, and the two commands' own behaviour."""

import ast
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
from packaging.requirements import Requirement

from helpers import layout, notebooks, setup_cell

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
FAULTS = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
BASE = [Requirement(line) for line in PROJECT["dependencies"]]
EXTRAS = {
    extra: [Requirement(line) for line in lines]
    for extra, lines in PROJECT["optional-dependencies"].items()
}
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
PINS = dict(re.findall(r"^([a-z0-9-]+)==([0-9.]+)(?:  # colab)?$", LOCK, re.MULTILINE))
IMPORTED_AS = {
    "beautifulsoup4": "bs4",
    "huggingface-hub": "huggingface_hub",
    "markupsafe": "markupsafe",
    "python-crfsuite": "pycrfsuite",
    "pyyaml": "yaml",
    "scikit-learn": "sklearn",
}
CORE = ("perturb", "instrument", "outcomes", "measure", "behaviour", "validity", "checklist")
CORE += ("gate", "testing")
BROUGHT = {"httpx2": "huggingface_hub", "urllib3": "requests"}


def shell(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, **more)


def within(extra: str) -> list[Requirement]:
    """What an extra asks for, with the extras that it names."""
    own = [one for one in EXTRAS[extra] if one.name != "tahanuji"]
    others = {name for one in EXTRAS[extra] if one.name == "tahanuji" for name in one.extras}
    return own + [one for name in others for one in within(name)]


def test_the_lock_holds_exactly_what_the_library_and_its_extras_ask_for():
    asked = [*BASE, *(one for extra in EXTRAS for one in within(extra))]
    assert {one.name for one in asked} == PINS.keys()
    assert len(PINS) == len([line for line in LOCK.splitlines() if not line.startswith("#")])
    for one in asked:
        assert {part.operator for part in one.specifier} == {">="}, one  # a bound, and no pin
        assert one.specifier.contains(PINS[one.name]), one
    assert {one.name for one in within("dev")} | {one.name for one in BASE} == PINS.keys()


def packages_of(path: Path) -> set[str]:
    """The packages beyond the standard library that a module imports, anywhere in it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module.split(".")[0])
    ours = {"tahanuji", "helpers", "study"}
    return names - sys.stdlib_module_names - ours


def importable(requirements: list[Requirement]) -> set[str]:
    """The names under which requirements are imported."""
    return {IMPORTED_AS.get(one.name, one.name) for one in requirements}


def test_every_import_of_the_library_is_declared():
    declared = importable([*BASE, *(one for extra in EXTRAS for one in within(extra))])
    optional = declared | BROUGHT.keys() | {"deep_translator"}  # whose absence is an InputError
    for path in (ROOT / "src/tahanuji").rglob("*.py"):
        assert packages_of(path) <= optional, path


def test_perturbing_scoring_and_verdicts_need_the_base_alone():
    """With every package of the extras out of reach, the core of the library is imported."""
    hidden = importable([one for extra in EXTRAS for one in within(extra)]) - importable(BASE)
    code = f"""
import importlib, sys

class Hidden:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {sorted(hidden)}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden)
for name in {CORE}:
    importlib.import_module(f"tahanuji.{{name}}")
"""
    done = shell(sys.executable, "-c", code)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "package", "extra"),
    [
        ("from tahanuji import models; models.build('tfidf', ['a', 'b'])", "safetensors", "models"),
        ("from tahanuji import models; models.load('mine', ['a', 'b'])", "torch", "models"),
        ("from tahanuji import data; data.hub.load({'id': 'o/n'}, 'test')", "datasets", "models"),
        ("from tahanuji.perturb import wordnet_en; wordnet_en.princeton()", "nltk", "english"),
        ("from tahanuji.perturb import formality", "nltk", "english"),
        ("import tahanuji.tagging", "pycrfsuite", "tagging"),
        ("import tahanuji.pretraining", "tokenizers", "pretraining"),
        ("from tahanuji.models import export; export.export('mine')", "onnxscript", "onnx"),
    ],
)
def test_a_missing_package_is_a_sentence_that_names_its_extra(code, package, extra):
    done = shell(sys.executable, "-c", f"import sys; sys.modules['{package}'] = None; {code}")
    said = f'InputError: {package} is not installed: pip install "tahanuji[{extra}]".'
    assert done.stderr.strip().splitlines()[-1].endswith(said)


def seconds_of(code: str) -> float:
    """CPU seconds of a new Python that runs code, the least of three."""
    usage = "import resource; u = resource.getrusage(resource.RUSAGE_SELF)"
    words = [sys.executable, "-c", f"{code}; {usage}; print(u.ru_utime + u.ru_stime)"]
    return min(float(shell(*words).stdout) for _ in range(3))


def test_perturbing_is_imported_without_the_heavy_packages_and_soon():
    heavy = ("pandas", "scipy", "sklearn", "statsmodels", "requests", "pooch", "yaml", "torch")
    code = f"import sys, tahanuji.perturb; print(sorted({{*{heavy}}} & sys.modules.keys()))"
    assert shell(sys.executable, "-c", code).stdout.strip() == "[]"
    # half a second; on a machine on which that is too short, less than pandas alone takes
    assert seconds_of("import tahanuji.perturb") < max(0.5, seconds_of("import pandas"))


def test_environment_yml_takes_the_lock():
    listed = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
    python = next(line for line in listed if isinstance(line, str) and line.startswith("python="))
    assert python.removeprefix("python=") in {"3.11", "3.12", "3.13"}
    pip = next(part["pip"] for part in listed if isinstance(part, dict))
    assert pip == ["--requirement requirements.lock", "--editable ."]


@pytest.mark.parametrize("name", ["README.md", "README.id.md"])
def test_the_readme_is_short_and_names_every_notebook_in_order(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert len(re.sub(r"\]\([^)]*\)", "]", text).split()) <= 900  # links by their words
    assert re.findall(r"\(notebooks/(\w+)\.ipynb\)", text) == sorted(notebooks.every())
    assert f"git clone {setup_cell.REPOSITORY}" in text
    (line,) = re.findall(r"`papermill (\S+) \S+ -p model_name tfidf`", text)
    assert (ROOT / line).is_file()
    folders = re.findall(r"\]\(([^)#]+)\)", text)
    assert all((ROOT / place).exists() for place in folders if not place.startswith("http"))


def test_the_repository_address_is_one_constant():

    assert PROJECT["urls"]["Repository"] == setup_cell.REPOSITORY
    for name in (
        "README.md",
        "CITATION.cff",
        *(f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb")),
    ):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"https://github\.com/[\w.-]+/[\w-]+", text)) <= {
            setup_cell.REPOSITORY
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


def there(name: str) -> bool:
    """Whether a dotted name is a module of src, or a name that its last but one part has."""
    path = ROOT / "src" / name.replace(".", "/")
    homes = [path.parent / "__init__.py", path.parent.with_suffix(".py")]
    words = [home.read_text(encoding="utf-8") for home in homes if home.is_file()]
    own = any(re.search(rf"\b{path.name}\b", text) for text in words)
    return path.is_dir() or path.with_suffix(".py").is_file() or own


def test_every_module_that_a_page_names_is_there():
    assert there("tahanuji.nli.load") and not there("tahanuji.nli.Probe")
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("data/*/README.md")]:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:tahanuji|helpers|study)(?:\.\w+)+)", text):
            assert there(name), f"{page.name}: {name}"


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
