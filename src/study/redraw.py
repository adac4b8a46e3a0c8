"""Figures and tables of finished runs made anew from their csv files, without their models.

Everything below "Results" in a notebook reads the run's csv files and its parameters alone. Here
these cells of the notebook as it is now are executed in the run's folder; figures are written anew,
the cells of executed.ipynb replaced, and the finding under its title with them. Provenance stays:
nothing is computed again.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from helpers import layout, provenance
from study import findings
from tahanuji import paths
from tahanuji.errors import InputError, sentence

BEFORE = ("parameters", "setup", "start")  # the cells that a notebook's results need
RESULTS, FINISH = "## Results", "finish"


def below(cells: list[dict]) -> list[dict]:
    """The cells from "Results" on; InputError for a notebook without such a heading."""
    for number, cell in enumerate(cells):
        if "".join(cell["source"]).startswith(RESULTS):
            return [cell for cell in cells[number:] if cell["id"] != FINISH]
    raise InputError("a notebook without Results has nothing to be drawn anew; run it again.")


def redraw(folder: Path) -> list[str]:
    """Execute the cells of a run's results again; the names of its figures come back.

    Raises InputError where the folder holds no finished run, and papermill's error where a cell
    fails.
    """
    if not (folder / "provenance.json").is_file():
        raise InputError(f"{paths.shown(folder)} holds no finished run; run its notebook first.")
    import nbformat
    import papermill

    about = provenance.read_json(folder / "provenance.json")
    notebook = nbformat.read(layout.NOTEBOOKS / f"{about['notebook']}.ipynb", 4)
    drawing = below(notebook.cells)
    notebook.cells = [cell for cell in notebook.cells if cell["id"] in BEFORE] + drawing
    os.environ["TAHAN_REDRAW"] = "1"
    given = about["parameters"] | {"run_dir": paths.shown(folder)}
    with tempfile.TemporaryDirectory() as place:
        part, done = Path(place) / "part.ipynb", Path(place) / "done.ipynb"
        nbformat.write(notebook, part)
        papermill.execute_notebook(part, done, given, kernel_name="python3", progress_bar=False)
        drawn = {cell["id"]: cell for cell in nbformat.read(done, 4).cells}
    executed = nbformat.read(folder / "executed.ipynb", 4)
    first = len(executed.cells) - len(below(executed.cells)) - 1  # FINISH is the last one
    results = [drawn[cell["id"]] for cell in drawing]
    executed.cells = [*executed.cells[:first], *results, executed.cells[-1]]
    nbformat.write(executed, folder / "executed.ipynb")
    findings.fill(folder, about["notebook"], about["parameters"])
    return sorted(path.name for path in (folder / "figures").glob("*.png"))


def main(words: list[str]) -> int:
    """The command line; the exit status is 1 where a run could not be drawn anew."""
    parser = argparse.ArgumentParser(prog="python -m study redraw", description=__doc__)
    parser.add_argument("run_dir", nargs="+", help="outputs/PROFILE/MODEL/NOTEBOOK/VARIANT")
    status = 0
    for word in parser.parse_args(words).run_dir:
        try:
            print(f"{word}: {', '.join(redraw(Path(word))) or 'no figures'}")
        except Exception as error:  # one sentence for each, and on to the next
            print(f"{word}: {sentence(error)}", file=sys.stderr)
            status = 1
    return status
