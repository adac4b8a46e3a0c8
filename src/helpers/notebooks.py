"""What each notebook is, as its own metadata say it: question, type of test, needs, headline
numbers, what stands in summary tables, and how it is run.

The metadata `tahanuji` of an ipynb:

question     the question that the notebook answers, as its title cell asks it
test_type    INV, DIR, MFT, none or report
needs        nothing | checkpoint (of its model) | own checkpoints (and those of its model on other
             data sets of the profile) | every checkpoint (of the profile's models) | trainings (of
             its own search) | runs (finished ones, of a report) | documents (data/published
             alone: run once a profile, without a model)
capability   what its tests are about, where they are no perturbations of the registry (which name
             their own)
tests        what its tests are called in tables, where that is not the notebook's name
makes        checkpoint, for the notebook that fine-tunes; else left out
sentiment    whether it asks about sentiment, and so of no other labels
pairs        whether it takes pairs of sentences as well as texts
adaptive     whether its texts follow from a classifier's answers
training     whether it trains, and so takes the threads of a training
priority     the higher, the earlier it is run: the longest first
texts        what its tests are made of (`study.plan.TEXTS`), for what they will be able
             to show
numbers      headline numbers: printed `name`, `test`, `rate`, `group`, `metric`, and which is
             `better`
summary      the tests that stand in tables over notebooks: those of these `rates` (null: no rate; a
             parameter's name: its value), without those whose names end in `without`, and none
             where all parameters in `unless` have those values; else all
"""

import json
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from helpers import layout

NEEDS = ("nothing", "checkpoint", "own checkpoints", "every checkpoint", "trainings", "runs")
NEEDS += ("documents",)
TEST_TYPES = ("INV", "DIR", "MFT", "none", "report")


@dataclass(frozen=True)
class Notebook:
    """A notebook's metadata; `name` is that of its file."""

    name: str
    question: str
    test_type: str
    needs: str
    numbers: list[dict] = field(default_factory=list)
    summary: dict = field(default_factory=dict)
    capability: str = ""
    tests: str = ""
    makes: str = ""
    sentiment: bool = False
    pairs: bool = False
    adaptive: bool = False
    training: bool = False
    priority: int = 0
    texts: str = ""


def about(path: Path) -> Notebook:
    """What the notebook of a file is; one without metadata tests nothing and needs nothing."""
    metadata = json.loads(path.read_text(encoding="utf-8"))["metadata"].get("tahanuji")
    own = metadata or {"question": path.stem, "test_type": "none", "needs": "nothing"}
    return Notebook(path.stem, **own)


@cache
def every() -> dict[str, Notebook]:
    """The notebooks of notebooks/ by name, in their order."""
    return {path.stem: about(path) for path in sorted(layout.NOTEBOOKS.glob("*.ipynb"))}


def needing(need: str) -> list[str]:
    """The names of the notebooks with a need.

    >>> needing("every checkpoint")
    ['02_conventional_metrics']
    """
    return [name for name, notebook in every().items() if notebook.needs == need]


def fine_tuning() -> str:
    """The name of the notebook that makes the checkpoints.

    >>> fine_tuning()
    '01_finetune'
    """
    return next(name for name, notebook in every().items() if notebook.makes == "checkpoint")


def report() -> str:
    """The name of the report over finished runs.

    >>> report()
    '99_report'
    """
    return needing("runs")[0]


def audit() -> str:
    """The name of the audit of the reference documents' figures.

    >>> audit()
    '90_published_figures'
    """
    return needing("documents")[0]
