"""What a run depends on: every file of the repository behind its numbers, by sha256.

It is read off the code, before the notebook starts. Of the notebook its cells up to Results count,
of tahanuji every module that these cells use, directly or through other modules and helpers, by
import or by name. Of data/lexicons a file counts where that code names it, of the other folders of
data/ every file where it names the folder; of the registry and of config/models.yaml the entries
that parameters name. What a checkpoint's training depends on, its tests depend on too. helpers
carries, draws and prints, and does not count itself. Comments, docstrings and layout of code never
count.
"""

import argparse
import ast
import fnmatch
import functools
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from helpers import checkpoints, layout, notebooks, provenance
from study import profiles
from tahanuji import data, downloads, fingerprints, models, paths
from tahanuji.errors import InputError

ROOMS = ("tahanuji", "helpers", "study")
# Modules without influence on a number: where files lie, how errors are worded, how files are
# fetched (their content is checked), and pictures.
SILENT = {"__init__", "paths", "errors", "fingerprints", "downloads", "pretraining/charts"}
APART = ("lexicons", "models", "downloads")  # folders of data/ that do not count as a whole
PUBLISHED = "published"  # figures that stand beside a run's own, and that a report is made of
KINDS = {
    "dataset": downloads.DATA_SETS,
    "triplets": ("formality",),
    "registers": ("registers",),
}
DRAWN = {"colour", "about"}  # of a model's entry
PRINTING = {"figures", "grid_views", "parameters", "tables", "titles"}  # of helpers
LEAST = 4  # letters that a pattern such as misspellings_*.csv has to fix


def of(notebook: str, values: dict, folder: Path) -> dict[str, str]:
    """The files on which a run of a notebook depends: {path, or path#part: sha256}."""
    if notebook not in notebooks.every():
        return {}
    cells = references(computing_cells(notebook))
    modules, words = closure(cells, is_report(notebook))
    rooms = ROOMS if is_report(notebook) else ROOMS[:1]
    own = {f"notebooks/{notebook}.ipynb"}
    own |= {path for path in map(_relative, modules) if counts(path, rooms)}
    own |= set(data_files(words, is_report(notebook)))
    own |= set(entries(named(values, cells.words), words))
    own |= set(model_entries(values.get("model_name"), modules))
    inherited = {}
    for training in trainings(notebook, folder, values):
        inherited |= recorded(read(training / "provenance.json"))
    return inherited | {name: digest(name) for name in sorted(own)}


def is_report(notebook: str) -> bool:
    """Whether a notebook is made of all rooms: the report, and the audit of published figures."""
    return notebook in (notebooks.report(), notebooks.audit())


def counts(path: str, rooms: tuple[str, ...]) -> bool:
    """Whether a module's content can change a number of a notebook of these rooms."""
    room, _, rest = path.removeprefix("src/").removesuffix(".py").partition("/")
    return room in rooms and not (room == "tahanuji" and rest in SILENT)


# Code


class References(NamedTuple):
    """What a source names: modules of this repository, string literals, models by `spec("mini")`;
    what an f-string fills in is `*`.
    """

    modules: frozenset[str]
    words: frozenset[str]
    models: frozenset[str]


def closure(cells: References, whole: bool) -> tuple[dict[Path, References], set[str]]:
    """The modules of this repository that cells use, directly or through others, and the string
    literals of the cells and of those modules that belong to tahanuji; of the whole also those
    that only print.
    """
    todo, found, words = list(cells.modules), {}, set(cells.words)
    while todo:
        path = module(todo.pop())
        if path and path not in found and (whole or followed(path)):
            found[path] = references(path.read_text(encoding="utf-8"))
            todo += found[path].modules
            words |= found[path].words if _relative(path).startswith("src/tahanuji/") else set()
    return found, words


def followed(path: Path) -> bool:
    """Whether a run depends on what a module imports: not for silent ones and printing helpers."""
    name = _relative(path).removeprefix("src/").removesuffix(".py")
    silent = {f"tahanuji/{one}" for one in SILENT} | {f"helpers/{one}" for one in PRINTING}
    return name not in silent


@functools.lru_cache(maxsize=1000)
def references(source: str) -> References:
    """What a source imports and uses, wherever in it, and the literals that it holds.

    >>> named = references("from tahanuji import perturb, data; perturb.load(f'a_{b}.csv')")
    >>> sorted(named.modules), "a_*.csv" in named.words
    (['tahanuji.perturb'], True)
    """
    imported, used, words, specified = [], set(), set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imported += _imported(node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words.add(node.value)
        elif isinstance(node, ast.JoinedStr):
            words.add("".join(getattr(part, "value", "*") for part in _parts(node)))
        elif isinstance(node, ast.Call) and _name(node.func) == "spec":
            specified |= {str(one.value) for one in node.args if isinstance(one, ast.Constant)}
    names = {name for bound, name in imported if bound in used or "__all__" in used}
    names |= {name for word in words if "." in word for name in _loaded(word)}
    return References(frozenset(filter(module, names)), frozenset(words), frozenset(specified))


def _name(node: ast.expr) -> str:
    return getattr(node, "attr", getattr(node, "id", ""))


def _parts(text: ast.JoinedStr) -> list[ast.expr]:
    return [part if isinstance(part, ast.Constant) else ast.Slice() for part in text.values]


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds, with the modules that they are or come from."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield alias.asname or alias.name.split(".")[0], alias.name
        elif (node.module or "").split(".")[0] in ROOMS:
            inner = f"{node.module}.{alias.name}"
            yield alias.asname or alias.name, inner if module(inner) else node.module


def _loaded(word: str) -> list[str]:
    """The modules that a literal names, as import_module takes them; of `package.*` all of it.

    >>> "tahanuji.harden.noisy" in _loaded("tahanuji.harden.*"), _loaded("no.*")
    (True, ['no.*'])
    """
    package = module(word.removesuffix(".*")) if word.endswith(".*") else None
    if package is None or package.name != "__init__.py":
        return [word]
    return [word.replace("*", path.stem) for path in sorted(package.parent.glob("*.py"))]


@functools.cache
def module(name: str) -> Path | None:
    """The file of a module of this repository by its dotted name; None for anything else."""
    if name.split(".")[0] not in ROOMS:
        return None
    place = paths.ROOT.joinpath("src", *name.split("."))
    files = (place.with_suffix(".py"), place / "__init__.py")
    return next((path for path in files if path.is_file()), None)


def computing_cells(notebook: str) -> str:
    """A notebook's code up to its Results, where every number is saved; of a report all."""
    path = layout.NOTEBOOKS / f"{notebook}.ipynb"
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    ends = [i for i, source in enumerate(sources) if source.startswith("## Results")]
    end = None if is_report(notebook) or not ends else ends[0]
    return "\n".join(
        source
        for cell, source in list(zip(cells, sources, strict=True))[:end]
        if cell["cell_type"] == "code" and not source.startswith("# @title Setup")
    )


# Data


def data_files(words: set[str], published: bool) -> Iterator[str]:
    """The files of data/ that words name: lexicons by file, stem or pattern, others by folder."""
    patterns = [word for word in words if len(Path(word).stem.replace("*", "")) >= LEAST]
    patterns = [word for word in patterns if "*" in word and "\n" not in word]
    for path in sorted((paths.ROOT / "data" / "lexicons").iterdir()):
        named = {path.name, path.stem, _relative(path)} & words
        if named or any(fnmatch.fnmatch(path.name, one) for one in patterns):
            yield _relative(path)
    for folder in sorted((paths.ROOT / "data").iterdir()):
        whole = folder.name not in APART and {folder.name, f"data/{folder.name}"} & words
        if folder.is_dir() and (published if folder.name == PUBLISHED else whole):
            yield from (_relative(path) for path in sorted(folder.rglob("*")) if _counted(path))


def _counted(path: Path) -> bool:
    return path.is_file() and path.suffix != ".md"


def named(values: dict, words: frozenset[str]) -> set[tuple[str, str]]:
    """The entries of the registry that parameters name, and data sets that cells do, by kind;
    examples are the embedded corpus's.
    """
    registry = downloads.registry()
    asked = {(kind, values.get(name)) for name, kinds in KINDS.items() for kind in kinds}
    asked |= {(kind, word) for kind in KINDS["dataset"] for word in {*words, "embedded"}}
    return {(kind, name) for kind, name in asked if name in registry[kind]}


def entries(asked: set[tuple[str, str]], words: set[str]) -> Iterator[str]:
    """Entries of the registry, their files, and the downloads that words name as `source/file`."""
    registry, files = downloads.registry(), set()
    for kind, name in asked:
        yield f"data/registry.yaml#{kind}/{name}"
        files |= set(_strings(registry[kind][name]))
    yield from (name for name in files if name.startswith("data/") and _is_file(name))
    patterns = [word for word in words if re.fullmatch(r"\w+/\w*\*", word)]
    for source, about in registry["sources"].items():
        for key in about["files"]:
            name = f"{source}/{key}"
            if name in words | files or any(fnmatch.fnmatch(name, one) for one in patterns):
                yield f"data/registry.yaml#sources/{source}/files/{key}"


def model_entries(model: str | None, modules: dict[Path, References]) -> Iterator[str]:
    """The entries of config/models.yaml for a model and for those that modules ask for by name,
    with the files of the folders that they lie in.
    """
    listed = models.entries()
    asked = set()
    for path, about in modules.items():  # models/tfidf.py is every model's, and its entry its own
        asked |= about.models - {path.stem}
    own = {model if model in listed else "indobert"} if model else set()
    for name in sorted(own | asked & listed.keys()):
        yield f"config/models.yaml#{name}"
        folder = paths.ROOT / str(listed[name].get("source") or "-")
        yield from (_relative(path) for path in sorted(folder.glob("*")) if _counted(path))


def trainings(notebook: str, folder: Path, values: dict) -> list[Path]:
    """The folders of the trainings whose checkpoints a run loads."""
    needs, training = notebooks.every()[notebook].needs, notebooks.fine_tuning()
    if needs == "every checkpoint":
        return sorted(folder.parents[2].glob(f"*/{training}/*"))
    if needs in ("own checkpoints", "trainings"):
        return sorted(folder.parents[1].glob(f"{training}/*"))
    if needs != "checkpoint":
        return []
    which, model = values["checkpoint"], values["model_name"]
    if which in ("best", "last"):
        place = checkpoints.find(folder, model, data.trained_as(values["dataset"]), which)
    else:
        place = Path(which)
    return [place.parents[1]] if place and len(place.parents) > 1 else []


def _strings(entry) -> Iterator[str]:
    """All texts in a nested entry."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, dict | list):
        for part in entry.values() if isinstance(entry, dict) else entry:
            yield from _strings(part)


def _is_file(name: str) -> bool:
    return (paths.ROOT / name).is_file()


def _relative(path: Path) -> str:
    return path.relative_to(paths.ROOT).as_posix()


# What has changed since


@functools.cache
def digest(name: str) -> str:
    """The sha256 of something that a run depends on, as it is now; empty where it is not there."""
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
    """What a run depends on, by its provenance.json, that is another now; everything, for a run
    that recorded nothing.
    """
    then = recorded(about)
    if not then:
        return ["everything: it did not record what it read"]
    return [name for name, sha256 in then.items() if digest(name) != sha256]


def recorded(about: dict) -> dict[str, str]:
    """What a provenance.json says that its run depends on; empty where it says nothing sensible."""
    then = about.get("read")
    return then if isinstance(then, dict) else {}


def stale(profile: str, config: dict) -> Iterator[Path]:
    """The provenance.json of every finished run that a profile's configuration asks for and that
    depends on what has changed since, or cannot be read.
    """
    asked = {(paths.slug(model), *run) for model, *run in profiles.planned(config)}
    searches = any(name in config["runs"] for name in notebooks.needing("trainings"))
    for path in sorted((layout.outputs() / profile).glob("**/provenance.json")):
        run, alone = path.parts[-4:-1], path.parent.name in ("report", "documents")
        training = searches and run[1] == notebooks.fine_tuning()
        if (run in asked or training or alone) and changed(read(path)):
            yield path


def read(path: Path) -> dict:
    """The content of a run's provenance.json; empty where it cannot be read."""
    try:
        content = provenance.read_json(path)
    except (InputError, OSError):
        return {}
    return content if isinstance(content, dict) else {}


def main(words: list[str]) -> int:
    """Print the stale runs of a profile, and what has changed."""
    parser = argparse.ArgumentParser(prog="python -m study stale")
    parser.add_argument("profile", nargs="?", default="embedded", help="such as embedded")
    profile = parser.parse_args(words).profile
    for path in stale(profile, paths.read_yaml(profiles.configuration(profile))):
        print(f"{paths.shown(path.parent)}: {', '.join(changed(read(path))[:3])}")
    return 0
