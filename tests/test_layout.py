"""Imports point one way: study at helpers at tahanuji, no package at one that imports it."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import folders
from conftest import ROOT

SOURCES = ROOT / "src"


def imported(path: Path) -> set[str]:
    """The dotted names that a module of this repository imports, wherever in it."""
    names, tree = set(), ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in ast.walk(tree) if _of_types(node)]
    for node in [node for node in ast.walk(tree) if not any(node in one.body for one in typing)]:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(path.relative_to(SOURCES).parts[: -node.level]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            names |= {f"{module}.{alias.name}" for alias in node.names}
    return {name for name in names if name.split(".")[0] in ("tahanuji", "helpers", "study")}


def _of_types(node: ast.AST) -> bool:
    """Whether a node holds imports that only annotations need."""
    return isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"


def package(dotted: str) -> str:
    """The package of the library that a name belongs to; a module beside them counts as one.

    >>> package("tahanuji.data.reading.refuse")
    'data'
    """
    return dotted.split(".")[1]


def modules(name: str) -> Iterator[tuple[str, Path]]:
    """Every module below a package of src, with its dotted name."""
    for path in sorted((SOURCES / name).rglob("*.py")):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), path


def graph() -> dict[str, set[str]]:
    """Which packages of the library each of them imports."""
    edges: dict[str, set[str]] = {}
    for dotted, path in modules("tahanuji"):
        if "." in dotted:
            own = edges.setdefault(package(dotted), set())
            own |= {package(name) for name in imported(path) if "." in name} - {package(dotted)}
    return edges


def reached(edges: dict[str, set[str]], start: str) -> set[str]:
    """All packages that a package imports, directly or through others."""
    seen, left = set(), [start]
    while left:
        new = edges.get(left.pop(), set()) - seen
        seen |= new
        left += new
    return seen


def rooms(path: Path) -> set[str]:
    """The rooms that a module imports from."""
    return {name.split(".")[0] for name in imported(path)}


def test_the_library_imports_no_other_room():
    guilty = {dotted for dotted, path in modules("tahanuji") if rooms(path) - {"tahanuji"}}
    assert not guilty


def test_no_package_imports_one_that_imports_it():
    edges = graph()
    assert {"data", "models", "perturb", "measure"} <= edges.keys()
    circles = {name: reached(edges, name) for name in edges if name in reached(edges, name)}
    assert not circles


def test_a_circle_over_a_third_package_is_seen():
    edges = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert [name for name in edges if name in reached(edges, name)] == ["a", "b", "c"]


def test_helpers_do_not_import_the_study():
    guilty = {dotted for dotted, path in modules("helpers") if "study" in rooms(path)}
    assert not guilty


def test_importing_helpers_installs_nothing_and_replaces_nothing():
    """Not even in a kernel."""
    code = """
import sys, types
hooks, finders, sys.addaudithook = [], list(sys.meta_path), lambda hook: hooks.append(hook)
sys.modules["ipykernel"] = types.ModuleType("ipykernel")
import helpers
assert sys.meta_path == finders and None not in sys.modules.values()
from helpers import checkpoints, figures, session, tables, verdicts
rooms = ("tahanuji", "helpers", "study")
assert not [one for one in sys.meta_path if getattr(one, "__module__", "").startswith(rooms)]
assert not hooks and not [name for name in sys.modules if name.split(".")[0] == "study"]
"""
    done = folders.python(code)
    assert done.returncode == 0, done.stderr


def test_torch_waits_until_a_network_is_asked_for():
    names = ["perturb", "data", "models", "codemix.blend", "codemix.defence", "measure", "training"]
    code = f"""
import importlib, sys
for name in {names}:
    importlib.import_module(f"tahanuji.{{name}}")
    assert not {{"torch", "transformers", "datasets"}} & set(sys.modules), name
"""
    done = folders.python(code)
    assert done.returncode == 0, done.stderr


def exported() -> list[tuple[str, object]]:
    """Every function and class that a module of the library lists in `__all__`, by dotted name."""
    names = []
    for dotted, _ in modules("tahanuji"):
        if not dotted.endswith("__main__"):
            module = importlib.import_module(dotted)
            listed = [(f"{dotted}.{name}", vars(module)[name]) for name in public(module)]
            names += [(name, value) for name, value in listed if inspect.isroutine(value)]
            names += [(name, value) for name, value in listed if inspect.isclass(value)]
    return names


def public(module) -> list[str]:
    """The names in a module's `__all__`, without submodules that nobody has imported yet."""
    return [name for name in getattr(module, "__all__", ()) if name in vars(module)]


def sections(value) -> set[str]:
    """The numpydoc sections of a docstring, `Attributes` of a class as `Parameters`, `Yields` as
    `Returns`.
    """
    same = {"Attributes": "Parameters", "Yields": "Returns"}
    titles = re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(value) or "", re.MULTILINE)
    return {same.get(title, title) for title in titles}


def wanted(value) -> set[str]:
    """The sections that a docstring cannot go without: of what goes in and what comes out."""
    if inspect.isclass(value):
        return {"Parameters"}
    signature = inspect.signature(value)
    inside = {"Parameters"} if signature.parameters else set()
    return inside | (set() if signature.return_annotation in (None, "None") else {"Returns"})


def test_a_docstring_with_sections_has_those_of_what_goes_in_and_what_comes_out():
    """Sections stand where users of the library call; one good line stands elsewhere."""
    documented = {name: value for name, value in exported() if sections(value) - {"References"}}
    assert 60 < len(documented) < 160
    missing = {name: wanted(value) - sections(value) for name, value in documented.items()}
    assert not {name: lacking for name, lacking in missing.items() if lacking}
