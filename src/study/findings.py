"""The finding that stands under a notebook's title once it has run: at most three sentences and a
figure.

A template of `report/templates/en/notebooks`, one per notebook, takes its numbers from the csv
files of the run and names its figure (`{% set figure = "rates" %}`). The runner fills the
notebook's first cell (tag `finding`) with it.
"""

import argparse
import base64
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pandas as pd

from helpers import provenance, tables
from study import images, publish
from study.report import words
from tahanuji import marks, measure, paths
from tahanuji.errors import InputError
from tahanuji.measure import Estimate
from tahanuji.results import estimates, select

CELL, TITLE, DEFAULT = "finding", "title", "default"  # ids of cells; the variant that is shown
SOURCE = "# @title The finding"
BOUNDS = [("ci_low", "ci_high"), ("lower", "upper")]  # of metrics, and of verdicts


@dataclass(frozen=True)
class Frames:
    """The csv files of a run's folder, of a published one those of its default variant."""

    folder: Path

    def frame(self, name: str) -> pd.DataFrame:
        """`<name>.csv`, empty where the run wrote none."""
        path = self.folder / f"{name}.csv"
        if name == "predictions" and path.with_suffix(".parquet").is_file():
            return self._published[DEFAULT]
        if not path.is_file():
            return pd.DataFrame()
        frame = tables.read(path, [])
        named = {*frame.get("variant", ())}
        return select(frame, variant=DEFAULT) if DEFAULT in named else frame

    @cached_property
    def _published(self) -> dict[str, pd.DataFrame]:
        return publish.predictions(self.folder)

    def rows(self, name: str, **wanted) -> list[SimpleNamespace]:
        """The rows wanted of a table, each with its `estimate` where it has a value and bounds."""
        part = select(self.frame(name), **wanted)
        rows = [SimpleNamespace(**row) for row in part.to_dict("records")]
        for low, high in BOUNDS:
            if {"value", low, high} <= {*part}:
                for row, one in zip(rows, estimates(part, low, high), strict=True):
                    row.estimate = one
        return rows

    def metric(self, metric: str, **wanted) -> Estimate:
        """The first of the rows wanted of metrics.csv, of all texts (group all) unless another
        group is asked for; no examples where there is none.
        """
        found = self.rows("metrics", **({"metric": metric, "group": "all"} | wanted))
        return found[0].estimate if found else Estimate.none()

    def verdict(self, quantity: str, margin: float = 0.1, **wanted) -> SimpleNamespace | None:
        """The first of the rows wanted of verdicts.csv."""
        found = self.rows("verdicts", quantity=quantity, margin=margin, **wanted)
        return found[0] if found else None

    def mean(self, name: str, column: str, **wanted) -> Estimate:
        """The mean of a column over the rows wanted of a table, without an interval."""
        part = select(self.frame(name), **wanted)
        known = part[column] if column in part else pd.Series(dtype=float)
        return Estimate(known.mean(), n=len(known)) if len(known) else Estimate.none()

    def said(self, part: str) -> list:
        """A part of findings.json; empty where there is none."""
        path = self.folder / "findings.json"
        return provenance.read_json(path).get(part, []) if path.is_file() else []


@dataclass(frozen=True)
class Finding:
    """The sentences of a finding, in Markdown, and the png of its figure, where it has one."""

    sentences: str
    figure: Path | None

    def outputs(self) -> list:
        """What stands below the cell of a notebook."""
        from nbformat.v4 import new_output  # which loads its checks of formats for seconds

        shown = [{"text/markdown": self.sentences, "text/plain": self.sentences}]
        if self.figure:
            png = self.figure.read_bytes()
            title = images.title(png) or self.figure.stem
            shown.append({"image/png": base64.b64encode(png).decode(), "text/plain": title})
        return [new_output("display_data", data=data) for data in shown]


def of(folder: Path, notebook: str, given: dict) -> Finding | None:
    """The finding of a run with its parameters; None where its notebook has no template, or
    nothing that the template speaks of was measured.
    """
    try:
        template = words.environment("en").get_template(f"notebooks/{notebook}.md.j2")
    except jinja2.TemplateNotFound:
        return None
    frames = Frames(folder)
    names = ("rows", "metric", "verdict", "mean", "said")
    values = {name: getattr(frames, name) for name in names} | {"natural": natural, "rest": rest}
    values |= {"model": given.get("model_name", ""), "given": given, "title": measure.title}
    filled = template.make_module(values)
    sentences = str(filled).strip()
    figures = [folder / "figures" / f"{name}.png" for name in _figures(filled)]
    shown = next((path for path in figures if path.is_file()), None)
    return Finding(sentences, shown) if sentences else None


def _figures(filled: jinja2.environment.TemplateModule) -> list[str]:
    """The figures that a template names, of which the first that the run drew is shown."""
    return getattr(filled, "figure", "").split()


def natural(mark: str) -> Estimate:
    """The share of words that bear a mark in unedited texts of social media (`marks.natural`)."""
    return next(estimates(select(marks.natural(), texts="all", mark=mark)))


def rest(share: Estimate) -> Estimate:
    """What a share leaves: of the texts that fail, those that are right.

    >>> f"{rest(Estimate(0.2, 0.1, 0.3, 50)):%}"
    '80.0% (70.0 to 90.0)'
    """
    return Estimate(1 - share.value, 1 - share.high, 1 - share.low, share.n)


def fill(folder: Path, notebook: str, given: dict) -> Finding | None:
    """Put the finding of a run under the title of its executed.ipynb; it comes back. InputError
    where the run has none, as repeats that were published.
    """
    path = folder / "executed.ipynb"
    if not path.is_file():
        raise InputError(f"{paths.shown(folder)} holds no executed.ipynb to put its finding into.")
    if finding := of(folder, notebook, given):
        import nbformat

        book = nbformat.read(path, 4)
        _cell(book).update(source=SOURCE, outputs=finding.outputs())
        nbformat.write(book, path)
    return finding


def _cell(book):
    """The cell of the finding; one is put under the title of a notebook that was run without."""
    ids = [cell["id"] for cell in book.cells]
    if CELL not in ids:
        from nbformat.v4 import new_code_cell

        about = {"tags": [CELL], "jupyter": {"source_hidden": True}}
        new = new_code_cell(id=CELL, metadata=about)
        book.cells.insert(ids.index(TITLE) + 1 if TITLE in ids else 0, new)
    return next(cell for cell in book.cells if cell["id"] == CELL)


def about(folder: Path) -> tuple[str, dict]:
    """The notebook of a finished run and its parameters, by its provenance.json or, of a published
    folder, that of its default variant.
    """
    path = folder / "provenance.json"
    if not path.is_file():
        raise InputError(f"{paths.shown(folder)} holds no finished run; run its notebook first.")
    read = provenance.read_json(path)
    one = read if "notebook" in read else read.get(DEFAULT)
    if not one:
        raise InputError(f"{paths.shown(folder)} holds no run of the variant {DEFAULT}.")
    return one["notebook"], one["parameters"]


def main(given: list[str]) -> int:
    """Put the findings of finished runs under the titles of their notebooks, and print them."""
    parser = argparse.ArgumentParser(prog="python -m study finding", description=main.__doc__)
    parser.add_argument("run_dir", nargs="+", type=Path, help="a run's folder, or a published one")
    for folder in parser.parse_args(given).run_dir:
        finding = fill(folder, *about(folder))
        print(f"{folder}: {finding.sentences if finding else 'nothing to say'}")
    return 0
