"""Rules of style that every notebook source keeps."""

import ast
import json
import os
import pkgutil
import re
import subprocess
import sys

import nbformat
import papermill
import pytest
from conftest import ROOT

from helpers import parameters, setup_cell
from study import redraw

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
MANY = {
    "01_finetune": 13,
    "07_perturbation_grid": 13,
    "08_code_mixing": 16,
    "09_code_mixing_defence": 17,
    "15_pretrain": 18,
    "18_classifier": 16,
    # every setting of the papers' training and attack, and every kind of a perturbation, is a
    # parameter
}
COMMON = {  # parameters of notebooks without a model
    "90_published_figures": {"published_predictions", "run_dir"},
    "99_report": {"profile", "seed", "run_dir"},
}
HIDDEN = {"jupyter": {"source_hidden": True}}
FORM = HIDDEN | {"cellView": "form"}  # collapsed in Jupyter and on Colab
LOOKS = {
    "finding": FORM | {"tags": ["finding"]},
    "parameters": {"tags": ["parameters"]},
    "setup": FORM,
    "start": HIDDEN,
}
SECTIONS = ["Data", "Method on three examples", "Run", "Results", "Findings", "Limits"]


def cells(path, kind="code"):
    return [
        cell
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        if cell["cell_type"] == kind
    ]


def source(cell) -> str:
    return "".join(cell["source"])


def each(function):
    return pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)(function)


def test_there_are_the_six_of_the_core():
    assert [path.stem[:2] for path in NOTEBOOKS[:6]] == ["01", "02", "03", "04", "05", "06"]


@each
def test_valid_cleared_and_with_stable_ids(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9-]*", name) for name in ids)
    for cell in cells(path):
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
        assert cell["metadata"] == LOOKS.get(cell["id"], {})
        assert "injected-parameters" not in cell["metadata"].get("tags", [])
    assert "widgets" not in notebook.metadata


@each
def test_parameters_cell_declares_and_nothing_else(path):
    tagged = [cell for cell in cells(path) if cell["metadata"].get("tags") == ["parameters"]]
    assert len(tagged) == 1
    tree = ast.parse(source(tagged[0]))
    assert all(
        isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant)
        for node in tree.body
    )
    declared = parameters.declared(path)
    common = COMMON.get(path.stem, {"model_name", "dataset", "seed", "run_dir"})
    assert common <= set(declared)
    assert all(len(parameter.comment) > 8 for parameter in declared.values())
    assert len(declared) <= MANY.get(path.stem, 10)
    parameters.check({}, declared)


@each
def test_papermill_reads_the_same_parameters(path):
    assert list(papermill.inspect_notebook(str(path))) == list(parameters.declared(path))


def test_the_setup_cell_is_the_same_everywhere_and_the_only_magic():
    setups = {source(cell) for path in NOTEBOOKS for cell in cells(path) if cell["id"] == "setup"}
    assert setups == {setup_cell.SOURCE} and len(setup_cell.SOURCE.splitlines()) <= 25
    for path in NOTEBOOKS:
        for cell in cells(path):
            if cell["id"] != "setup":
                assert not re.search(r"^\s*[!%]", source(cell), flags=re.MULTILINE)
                assert not re.search(r"chdir|sys\.path|get_ipython|import \*", source(cell))


@each
def test_cells_are_short(path):
    lengths = [
        len(source(cell).splitlines())
        for cell in cells(path)
        if cell["id"] not in {"setup", "parameters"}
    ]
    assert max(lengths) <= 25
    assert sum(length <= 15 for length in lengths) >= 0.9 * len(lengths)
    assert sorted(lengths)[len(lengths) // 2] <= 6


@each
def test_no_class_and_no_long_function(path):
    for cell in cells(path):
        if cell["id"] == "setup":
            continue
        for node in ast.walk(ast.parse(source(cell))):
            assert not isinstance(node, ast.ClassDef)
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 10


@each
def test_order_of_sections(path):
    heads = [
        line.removeprefix("## ")
        for cell in cells(path, "markdown")
        for line in source(cell).splitlines()
        if line.startswith("## ")
    ]
    assert heads == SECTIONS
    assert cells(path, "markdown")[0]["id"] == "title"
    assert [cell["id"] for cell in cells(path)[:4]] == ["finding", "parameters", "setup", "start"]
    assert source(cells(path)[-1]) == "run.finish()"


@each
def test_title_says_it_all(path):
    title = source(cells(path, "markdown")[0])
    assert title.startswith(f"# {path.stem[:2]} · ")
    for word in (
        "**Question**",
        "**Test type**",
        "**Needs**",
        "**Writes**",
        "**Minutes**",
    ):
        assert word in title


@each
def test_title_opens_the_notebook_on_colab(path):
    """But for those that are made of other notebooks' runs."""
    place = (
        f"https://colab.research.google.com/github/tahan-uji/tahan-uji/blob/main/{path.parent.name}"
    )
    linked = f"]({place}/{path.name})" in source(cells(path, "markdown")[0])
    assert linked == (path.stem[0] != "9")


@each
def test_findings_are_computed(path):
    """No number is typed into a finding, except a rate's or a test's name and the level of
    significance.
    """
    cell = "\n".join(
        source(c) for c in cells(path) if c["id"] in ("findings-say", "findings-table")
    )
    texts = [
        node.value
        for node in ast.walk(ast.parse(cell))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    for text in texts:
        bare = re.sub(r"95%|80%|[Ff]1|\b20\d\d\b", "", text)  # a level, a score, a year of a source
        assert not re.search(r"\d", bare) or re.fullmatch(r"[.,+\d%a-z]+", text), text


def names(node: ast.AST, context: type) -> set[str]:
    """The names that a statement reads (ast.Load) or binds (ast.Store)."""
    every = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in every if isinstance(part.ctx, context)}


def comprehended(node: ast.AST) -> list[ast.AST]:
    """The targets of the comprehensions in a statement."""
    return [part.target for part in ast.walk(node) if isinstance(part, ast.comprehension)]


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if path.stem < "90"], ids=lambda p: p.stem
)
def test_results_are_made_from_csv_files_and_parameters_alone(path):
    """What a cell between the imports and "Results" binds is read below only after it was bound
    there anew: so that `study.redraw` can make figures without the models. What is saved as
    a run's numbers is saved above, so that `study.reads` counts the cells that made it.
    """
    every = json.loads(path.read_text(encoding="utf-8"))["cells"]
    code, results = cells(path), {cell["id"] for cell in redraw.below(every)}
    above, below = set(), set()
    for cell in [cell for cell in code if cell["id"] not in (*redraw.BEFORE, redraw.FINISH)]:
        for statement in ast.parse(source(cell)).body:
            if cell["id"] in results:
                assert not re.search(r"(tables|verdicts)\.save\(", ast.unparse(statement))
                own = (
                    [statement]
                    if isinstance(statement, ast.If | ast.For)
                    else comprehended(statement)
                )
                bound = below.union(*(names(part, ast.Store) for part in own))
                stale = (names(statement, ast.Load) & above) - bound
                assert not stale, (cell["id"], stale)
                below |= names(statement, ast.Store)
            else:
                above |= names(statement, ast.Store)


def imported(tree: ast.AST) -> dict[str, object]:
    """What a notebook imports of the project, by the name that it goes by there."""
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    named = [(node.module, one) for node in froms for one in node.names]
    return {
        one.asname or one.name: pkgutil.resolve_name(f"{module}.{one.name}")
        for module, one in named
        if module.split(".")[0] in ("helpers", "study", "tahanuji")
    }


@each
def test_every_name_of_the_project_is_there(path):
    """A name that was renamed or deleted fails here, and not after an hour of a study."""
    code = [source(cell) for cell in cells(path) if cell["id"] != "setup"]
    tree = ast.parse("\n".join(code))
    modules = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            assert module is None or hasattr(module, node.attr), ast.unparse(node)


def on_colab(folder, git: str) -> subprocess.CompletedProcess:
    """The setup cell run in a folder with a stand-in for google.colab, pip and a git that does
    what is given.
    """
    tools = folder / "bin"
    tools.mkdir()
    for name, does in {"git": git, "pip": "true"}.items():
        (tools / name).write_text(
            f'#!/bin/sh\necho {name} "$@" >>"{folder}/called"\n{does}\n', encoding="utf-8"
        )
        (tools / name).chmod(0o755)
    program = f"""
import sys, types
sys.modules["google"] = types.ModuleType("google")
sys.modules["google.colab"] = types.ModuleType("google.colab")
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.instance().run_cell({setup_cell.SOURCE!r}).raise_error()
print(sys.modules["helpers"].__file__)
"""
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_clone_that_fails_is_said_in_words_of_colab(tmp_path):
    done = on_colab(tmp_path, 'echo "fatal: repository not found" >&2; exit 128')
    said = done.stdout + done.stderr
    assert f"Colab could not fetch tag {setup_cell.TAG} of {setup_cell.REPOSITORY}" in said
    assert "run_all.sh" not in said.splitlines()[-1]
    assert (tmp_path / "called").read_text(encoding="utf-8").count("\n") == 1  # no pip


def test_setup_cell_fetches_the_repository_on_colab(tmp_path):
    """With a stand-in for google.colab, git and pip: the pinned tag is cloned, what the lock marks
    for Colab is installed at its version, helpers imported from there.
    """
    files = f'"{ROOT}/src" "{ROOT}/requirements.lock"'
    done = on_colab(tmp_path, f"mkdir tahan-uji && cp -r {files} tahan-uji")
    assert done.stdout.strip().endswith(f"{tmp_path}/tahan-uji/src/helpers/__init__.py"), (
        done.stderr
    )
    called = (tmp_path / "called").read_text(encoding="utf-8").splitlines()
    assert called[0].startswith("git clone --quiet --depth 1 --branch v") and called[0].endswith(
        setup_cell.REPOSITORY
    )
    packages = called[1].removeprefix("pip install --quiet ").split()
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    assert packages == [line.split("  # ")[0] for line in lock if line.endswith("# colab")]
    assert len(packages) > 10 and not any(one.startswith("torch") for one in packages)
