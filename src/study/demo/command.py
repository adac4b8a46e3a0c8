"""A fine-tuned network as one page that answers what a reader types, and shows what typos, slang
and mixing do to the answer: `python -m study demo FOLDER [PAGE]`. It opens without a server or a
network, and needs nothing but a browser.

The network is computed by some hundred lines of JavaScript of its own. onnxruntime-web would do it
too, but its smallest WebAssembly file (14 MB, version 1.30) takes 19 MB of a page that holds it,
beside 20 MB of weights, and has to be fetched with npm.
"""

import argparse
import json
from pathlib import Path

from markupsafe import Markup

from study.audit import files
from study.demo import network, tables
from study.report import words
from tahanuji import paths
from tahanuji.errors import InputError
from tahanuji.harden import defences

SCRIPTS = ("network", "pieces", "words", "speller", "normaliser", "changes", "page")
THRESHOLD = 0.6  # probability below which an answer is "not sure"


def main(given: list[str]) -> int:
    """Write the page of a classifier."""
    parser = argparse.ArgumentParser(prog="python -m study demo", description=__doc__)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="a BERT as a run saved it")
    parser.add_argument("page", metavar="PAGE", type=Path, nargs="?", default=Path("demo.html"))
    parser.add_argument("--threshold", type=float, default=THRESHOLD, help="of what is sure")
    chosen = parser.parse_args(given)
    if not 0 <= chosen.threshold <= 1:
        raise InputError(f"--threshold is a probability from 0 to 1, not {chosen.threshold:g}.")
    files.check_folder(chosen.page)
    page = write(chosen.folder, chosen.page, chosen.threshold)
    print(f"{paths.shown(page)}: {page.stat().st_size / 1e6:.1f} MB, open it in a browser")
    return 0


def write(folder: Path, page: Path, threshold: float = THRESHOLD) -> Path:
    """Write the page of the classifier in a folder, in one step; its path. The same folder gives
    the same bytes.
    """
    part = page.with_name(f"{page.name}.part")
    part.write_text(render(folder, threshold), encoding="utf-8", newline="\n")
    part.replace(page)
    return page


def render(folder: Path, threshold: float = THRESHOLD) -> str:
    """The page of the classifier in a folder, as HTML."""
    classifier = defences.load(folder)
    before = defences.before(folder)
    names, half = before.get("defences", ""), before.get("half")
    from study.report.page import policy  # with all that draws charts

    about, weights = network.packed(network.bare(classifier, names))
    scripts = [words.file(f"demo/{name}.js") for name in SCRIPTS]
    said = {name: paths.read_yaml(words.FOLDER / name / "demo.yaml") for name in words.ENDS}
    held = about | {
        "name": folder.resolve().name,
        "threshold": threshold,
        "normalised": "normaliser" in names.split("+"),
        "words": said,
        "normaliser": tables.normaliser(half),
        "changes": tables.changes(half),
    }
    template = words.environment(words.ENGLISH, escaped=True).get_template("demo/page.html.j2")
    return template.render(
        styles=Markup("\n").join(map(words.file, ("page.css", "demo/page.css"))),
        scripts=scripts,
        policy=policy(*scripts),
        held=data(held),
        weights=weights,
        said=said,
    )


def data(held: dict) -> Markup:
    """A table as JSON that can stand in a script element.

    >>> data({"a": "</script>"})
    Markup('{"a":"\\\\u003c/script>"}')
    """
    text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c"))
