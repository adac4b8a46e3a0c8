"""Hashes of code and of facts, by which a finished training or run is recognised."""

import ast
import functools
import hashlib
import json
from pathlib import Path


def code(*sources: str | Path) -> str:
    """The sha256 of what Python sources compute: comments, docstrings and layout do not count.

    >>> code("x = 1  # one") == code("x  =  1")
    True
    """
    digest = hashlib.sha256()
    for source in sources:
        text = source.read_text(encoding="utf-8") if isinstance(source, Path) else source
        digest.update(bare(text).encode() + b"\n")
    return digest.hexdigest()


@functools.lru_cache(maxsize=500)
def bare(source: str) -> str:
    """A source without comments, docstrings and layout."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            node.body = body[1:] or [ast.Pass()]
    return ast.unparse(tree)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def facts(values) -> str:
    """The sha256 of anything that json can write, dictionaries by sorted keys."""
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()


# Where files lie, how errors are worded, how files are fetched and read (their content counts).
SILENT = {"", "paths", "errors", "fingerprints", "downloads", "data", "perturb", "lexicons"}
SILENT |= {"perturb.registry"}
SOURCES = Path(__file__).resolve().parent


@functools.cache
def behind(*names: str) -> str:
    """The sha256 of the code and the word lists behind modules of the library: of the modules that
    they import, directly or through others, and of the files of data/lexicons that these name.
    """
    modules = sorted({one for name in names for one in closure(name)})
    lists = sorted({path for one in modules for path in word_lists(one)})
    contents = [hashlib.sha256(path.read_bytes()).hexdigest() for path in lists]
    return facts([code(*map(source, modules)), [path.name for path in lists], contents])


def source(module: str) -> Path:
    """The file of a module of the library."""
    path = SOURCES.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@functools.cache
def closure(module: str) -> list[str]:
    """A module of the library and those that it imports, directly or through others, by name;
    without those that only find, fetch and read files.

    >>> closure("tahanuji.perturb.negation")
    ['tahanuji.perturb.negation', 'tahanuji.words']
    """
    seen, left = set(), [module]
    while left:
        name = left.pop()
        if name not in seen:
            seen.add(name)
            left += imports(source(name).read_text(encoding="utf-8"))
    return sorted(seen)


def imports(text: str) -> list[str]:
    """The modules of the library that a source imports, anywhere in it, but for silent ones."""
    names = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tahanuji"):
            below = [f"{node.module}.{alias.name}" for alias in node.names]
            names += [name if source(name).is_file() else node.module for name in below]
    return [name for name in names if ".".join(name.split(".")[1:]) not in SILENT]


@functools.cache
def word_lists(module: str) -> tuple[Path, ...]:
    """The files of data/lexicons that a module names, and those of the classes of words that it
    looks up by `tahanuji.lexicons`; a name with a variable part stands for all that fit.
    """
    from tahanuji import lexicons

    tree = ast.parse(bare(source(module).read_text(encoding="utf-8")))
    patterns = {_pattern(node) for node in ast.walk(tree)} - {""}
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    if called & {"members", "values", "initials"}:
        patterns.add("word_classes_*.csv")
    if "sentiment_words" in called:
        patterns.add("sentiment_words.csv")
    return tuple(sorted(path for one in patterns for path in lexicons.LEXICONS.glob(one)))


def _pattern(node: ast.AST) -> str:
    """The file name that a literal of a source is, with * for what is put in; else nothing."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(
        str(part.value) if isinstance(part, ast.Constant) and isinstance(part.value, str) else "*"
        for part in parts
        if isinstance(part, ast.Constant | ast.FormattedValue)
    )
    return text if text.endswith((".csv", ".npz")) and "/" not in text and text[0] != "." else ""
