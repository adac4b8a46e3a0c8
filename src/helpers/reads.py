"""What a run read: every file of the repository on which its numbers depend, by sha256.

Recorded in the kernel. Files below data/ count when they are opened; modules of tahanuji when one
of their functions is executed, or a constant of theirs is used by one that was; entries of the
registry and of config/models.yaml when they are looked up (the audit event `tahanuji.entry`). Of
the notebook its code cells count up to its Results. What a checkpoint's training read, its tests
read too. helpers carries, draws and prints, and does not count, but for a report and the audit of
published figures, which are made of it. Comments, docstrings and layout of code never count.
"""

import ast
import functools
import hashlib
import importlib.machinery
import json
import os
import sys
from pathlib import Path

from helpers import layout, notebooks
from tahanuji import fingerprints, paths

# Modules without influence on a number: where files lie, how errors are worded, how files are
# fetched (their content is checked), and pictures.
SILENT = {"__init__", "paths", "errors", "fingerprints", "downloads", "pretraining.charts"}
# Figures that stand beside a run's own ones, where its computing cells do not name them.
PUBLISHED = paths.DATA / "published"
MARK = "__ran__"
DRAWN = {"colour", "about"}  # of a model's entry
_opened: set[str] = set()
_entries: set[tuple] = set()
_references: dict[str, tuple[set, set]] = {}


class _Marker(ast.NodeTransformer):
    """Lets every function of a module note that it was executed."""

    note = ast.parse(f"{MARK}.add(1)").body[0]

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body.insert(int(ast.get_docstring(node) is not None), self.note)
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        self.generic_visit(node)
        both = ast.Tuple([self.note.value, node.body], ast.Load())
        node.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        return node


class _Watched(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname):
        source = self.get_data(self.path)
        _references[fullname] = references(ast.parse(source))
        tree = ast.fix_missing_locations(_Marker().visit(ast.parse(source)))
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module):
        setattr(module, MARK, set())
        super().exec_module(module)


class _Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if not name.startswith("tahanuji."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec and spec.origin:
            spec.loader = _Watched(name, spec.origin)
        return spec


def _hear(event: str, arguments: tuple) -> None:
    if event == "open":
        path, mode, _ = arguments
        if isinstance(path, str | os.PathLike) and not set(mode or "r") & set("wax+"):
            _opened.add(os.fspath(path))
    elif event == "tahanuji.entry":
        _entries.add(arguments)


def begin() -> None:
    """Watch this process from now on; modules that are loaded already count as executed."""
    sys.meta_path.insert(0, _Finder)
    sys.addaudithook(_hear)


def references(tree: ast.Module) -> tuple[set, set]:
    """What a source names of tahanuji, as (module, name, attribute): inside functions, outside."""
    bound = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tahanuji"):
            bound |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    inside, outside = set(), set()

    def walk(node, named):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            named = inside
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", None) in bound:
            named.add((*bound[node.value.id], node.attr))
        elif isinstance(node, ast.Name) and node.id in bound:
            named.add((*bound[node.id], ""))
        for child in ast.iter_child_nodes(node):
            walk(child, named)

    walk(tree, outside)
    return inside, outside


def provider(module: str, name: str, attribute: str) -> str | None:
    """The module whose constant or class a reference names; None for a function or a module."""
    if f"{module}.{name}" in sys.modules:
        module, name = f"{module}.{name}", attribute
    value = getattr(sys.modules.get(module), name, None)
    if not name or value is None or (callable(value) and not isinstance(value, type)):
        return None
    return getattr(value, "__module__", module) if isinstance(value, type) else module


def _modules(cells: str) -> set[str]:
    """The modules on which this process's numbers depend: those executed, and providers of
    constants to them and to the notebook's cells.
    """
    loaded = {name for name in sys.modules if name.startswith("tahanuji.")}
    ran = {name for name in loaded if getattr(sys.modules[name], MARK, True)}
    todo = [set.union(*references(ast.parse(cells)))]
    todo += [set.union(*_references.get(name, (set(), set()))) for name in ran]
    while todo:
        new = {provider(*reference) for reference in todo.pop()} & loaded - ran
        ran |= new
        todo += [_references.get(name, (set(), set()))[1] for name in new]
    return ran


def record(notebook: str, folder: Path) -> dict[str, str]:
    """What this process read so far for a run of a notebook: {path, or path#part: sha256}."""
    if notebook not in notebooks.every():
        return {}
    cells = computing_cells(notebook)
    if notebook in (notebooks.report(), notebooks.audit()):
        names = {f"notebooks/{notebook}.ipynb"} | {
            _relative(module.__file__)
            for name, module in list(sys.modules.items())
            if name.split(".")[0] in ("helpers", "tahanuji")
        }
        opened = {Path.cwd() / one for one in list(_opened)}
        names |= {_relative(one) for one in opened if one.is_relative_to(PUBLISHED)}
        return {name: digest(name) for name in sorted(names)}
    modules = {name for name in _modules(cells) if name.removeprefix("tahanuji.") not in SILENT}
    names = {f"notebooks/{notebook}.ipynb"}
    names |= {_relative(sys.modules[name].__file__) for name in modules}
    names |= {"#".join([entry[0], "/".join(entry[1:])]) for entry in list(_entries)}
    inherited = {}
    for opened in map(Path.cwd().joinpath, list(_opened)):
        shown = opened.is_relative_to(PUBLISHED) and "published" not in cells
        if opened.is_relative_to(paths.DATA) and not shown:
            names |= _data(opened)
        elif opened.name == "tahan.json" and not opened.is_relative_to(folder.resolve()):
            training = opened.parents[2] / "provenance.json"
            about = json.loads(training.read_text("utf-8")) if training.is_file() else {}
            inherited |= about.get("read", {})
    return inherited | {name: digest(name) for name in sorted(names)}


def _data(path: Path) -> set[str]:
    """A file of data/ by name, of a model its whole folder (weights are read past Python)."""
    if path.name == "registry.yaml" or path.is_relative_to(paths.DATA / "downloads"):
        return set()
    whole = path.parent.iterdir() if (path.parent / "config.json").is_file() else [path]
    return {_relative(one) for one in whole if one.suffix != ".md"}


def _relative(path: str | Path) -> str:
    return Path(path).relative_to(paths.ROOT).as_posix()


def computing_cells(notebook: str) -> str:
    """A notebook's code up to its Results, where every number is saved; of a report and of the
    audit of published figures all.
    """
    path = layout.NOTEBOOKS / f"{notebook}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    ends = [i for i, source in enumerate(sources) if source.startswith("## Results")]
    whole = notebook in (notebooks.report(), notebooks.audit())
    end = None if whole or not ends else ends[0]
    return "\n".join(
        source
        for cell, source in list(zip(cells, sources, strict=True))[:end]
        if cell["cell_type"] == "code" and not source.startswith("# @title Setup")
    )


@functools.cache
def digest(name: str) -> str:
    """The sha256 of something that a run read, as it is now; empty where it is no longer there."""
    file, _, part = name.partition("#")
    path = paths.ROOT / file
    if not path.is_file():
        return ""
    if part:
        value = paths.read_yaml(path)
        for key in part.split("/"):
            value = (value or {}).get(key)
        kept = {key: one for key, one in (value or {}).items() if key not in DRAWN}
        return fingerprints.facts(kept if isinstance(value, dict) else value)
    if path.suffix == ".ipynb":
        return fingerprints.code(computing_cells(path.stem))
    if path.suffix == ".py":
        return fingerprints.code(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def changed(about: dict) -> list[str]:
    """What a run read, by its provenance.json, that is another now; everything, for a run that
    recorded nothing.
    """
    if not about.get("read"):
        return ["everything: it did not record what it read"]
    return [name for name, sha256 in about["read"].items() if digest(name) != sha256]


def main(profile: str) -> None:
    """Print the provenance.json of every stale run that a profile asks for, one a line."""
    from helpers import parameters  # it loads modules that a kernel is to be watched loading

    config = paths.read_yaml(layout.configuration(profile))
    asked = {(paths.slug(model), *run) for model, *run in parameters.planned(config)}
    searches = any(name in config["runs"] for name in notebooks.needing("trainings"))
    for path in sorted((layout.outputs() / profile).glob("**/provenance.json")):
        run = path.parts[-4:-1]
        training = searches and run[1] == notebooks.fine_tuning()
        alone = path.parent.name in ("report", "documents")
        wanted = run in asked or training or alone
        if wanted and changed(json.loads(path.read_text(encoding="utf-8"))):
            print(paths.shown(path))


if __name__ == "__main__":
    main(sys.argv[1])
