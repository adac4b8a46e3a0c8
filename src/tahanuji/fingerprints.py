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
