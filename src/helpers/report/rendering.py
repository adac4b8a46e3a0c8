"""An executed notebook as a page of its own: code folded, outputs cleaned, images inline, nothing
fetched from anywhere.
"""

import ast
import base64
import json
import re
from functools import lru_cache
from pathlib import Path

from markupsafe import Markup
from nbconvert.filters import Highlight2HTML, markdown2html_mistune, strip_ansi
from PIL import Image

from helpers.report.cleaning import clean
from helpers.report.templates import plain, policy, relative, render, tidy
from tahanuji import paths
from tahanuji.errors import InputError


def read(path: Path) -> dict:
    """The notebook in an .ipynb; InputError where it cannot be read."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        return {
            "cells": [{**cell, "source": _joined(cell["source"])} for cell in notebook["cells"]]
        }
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{paths.shown(path)} cannot be read as a notebook ({type(error).__name__}); run it "
            f"again."
        ) from None


def title(notebook: dict) -> tuple[str, str]:
    """A notebook's title and its question, both Markdown, from its title cell; empty where it has
    none.
    """
    source = next(
        (cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"), ""
    )
    heading = re.search(r"^# (.+)$", source, re.MULTILINE)
    question = re.search(r"^\| \*\*Question\*\* \| (.+) \|$", source, re.MULTILINE)
    return (heading[1].strip() if heading else "", question[1].strip() if question else "")


def figure_titles(folder: Path) -> dict[str, str]:
    """The titles of a run's figures, which their files carry: {file name without suffix: title}, an
    empty one for a file without.
    """
    titles = {}
    for path in sorted(folder.glob("figures/*.png")):
        with Image.open(path) as image:
            titles[path.stem] = image.info.get("Title", "")
    return titles


def page(notebook: dict, about: dict, made_from: str) -> str:
    """The page of an executed notebook; `about` is what the template says around it."""
    ids, section, cells = {"top", "content", "where-this-run-comes-from"}, "the notebook", []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            source = re.sub(r"\A# .+\n*", "", cell["source"]) if not cells else cell["source"]
            heading = re.search(r"^##+ (.+)$", source, re.MULTILINE)
            section = plain(heading[1]) if heading else section
            cells.append({"prose": clean(_markdown(source), ids, section)})
        elif cell["cell_type"] == "code" and cell["source"].strip():
            cells.append(_code(cell, section, about["figures"], ids))
    contents = re.findall(
        r'<h2 id="([^"]+)">(.*?)</h2>', "".join(str(cell.get("prose", "")) for cell in cells)
    )
    words = {
        "cells": cells,
        "contents": [(name, Markup(text)) for name, text in contents],
        "made_from": made_from,
    }
    return render("notebook.html.j2", **about, **words, policy=policy())


def _code(cell: dict, section: str, titles: dict[str, str], ids: set[str]) -> dict:
    source = cell["source"].strip("\n")
    lines = [line for line in source.splitlines() if line.strip()]
    named = [titles[name] for name in saved(source) if name in titles]
    outputs = [_output(output, section, named, ids) for output in cell.get("outputs", [])]
    return {
        "lines": len(lines),
        "first": re.sub(r"^(# )?(@title )?", "", lines[0]),
        "code": _highlighted(source),
        "outputs": [output for output in outputs if output],
    }


def saved(source: str) -> list[str]:
    """The names under which a cell saves its figures, in their order, those of a loop over names
    among them; none for a cell that is not plain Python.

    >>> saved('figures.save(run, figures.curve(rows, "Mixed: more words"), "ratios")')
    ['ratios']
    >>> saved('for level in ("word", "other"):\\n    figures.save(run, drawn[level], level)')
    ['word', 'other']
    """
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    nodes = list(ast.walk(tree))
    loops = {
        ast.unparse(node.target): node.iter.elts
        for node in nodes
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple)
    }
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "figures.save" and node.args
    ]
    names = []
    for call in sorted(calls, key=lambda node: node.lineno):
        names += loops.get(ast.unparse(call.args[-1]), call.args[-1:])
    return [name.value for name in names if isinstance(name, ast.Constant)]


def _output(output: dict, section: str, named: list[str], ids: set[str]) -> dict | None:
    """An output for the template; an image takes the next of the titles `named` away."""
    kind = output["output_type"]
    if kind == "stream":
        return {"text": tidy(strip_ansi(_joined(output["text"]))).rstrip()}
    if kind == "error":
        return {"error": tidy(strip_ansi("\n".join(output["traceback"]) or output["ename"]))}
    data = {
        name: _joined(value)
        for name, value in output["data"].items()
        if isinstance(value, str | list)
    }
    for name in ("image/png", "image/jpeg", "image/svg+xml"):
        if name in data:
            return _image(
                name, data[name], (named.pop(0) if named else None) or f"Figure, {section}"
            )
    if "text/html" in data:
        return {"html": clean(relative(data["text/html"]), ids, section)}
    if "text/markdown" in data:
        return {"html": clean(markdown2html_mistune(relative(data["text/markdown"])), ids, section)}
    return {"text": tidy(data["text/plain"])} if "text/plain" in data else None


def _image(kind: str, content: str, alt: str) -> dict:
    encoded = (
        base64.b64encode(content.encode()).decode()
        if kind == "image/svg+xml"
        else re.sub(r"\s", "", content)
    )
    size = None
    if kind == "image/png":
        head = base64.b64decode(encoded[:32])
        size = (int.from_bytes(head[16:20]), int.from_bytes(head[20:24]))
    return {"image": f"data:{kind};base64,{encoded}", "alt": alt, "size": size}


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


@lru_cache(maxsize=4096)
def _markdown(source: str) -> str:
    return markdown2html_mistune(source)


@lru_cache(maxsize=4096)
def _highlighted(source: str) -> Markup:
    return Markup(Highlight2HTML(pygments_lexer="ipython3")(tidy(source)))
