"""A line for each finished run of a study: what is done, what is left and about how long it takes.

Seconds are those of the reference (`study.costs`), times what this machine has taken so far
for as much: by model, since a model that the reference lacks may be anything.
"""

import logging
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from helpers import provenance
from study import costs

UNMEASURED = 30.0  # seconds of a run of a notebook of which nothing was measured
PRIOR = 30.0  # expected seconds that a pace of nothing yet weighs


def lasting(seconds: float) -> str:
    """How long something takes, for a person who waits.

    >>> lasting(170), lasting(20)
    ('about 3 min', 'under 2 min')
    """
    return f"about {seconds / 60:.0f} min" if seconds >= 90 else "under 2 min"


@dataclass
class Due:
    """A run that is to be made: its folder, the seconds expected, and the share of the machine, or
    of the cluster's jobs, that it takes.
    """

    folder: Path
    seconds: float
    share: float
    started: float | None = None
    taken: float | None = None

    @property
    def model(self) -> str:
        return self.folder.parts[-3]


def due(folder: Path, dataset: str, uses: dict, limits: dict) -> Due:
    """A run of a data set, by its folder, what it uses and how much of that there is."""
    model, notebook, variant = folder.parts[-3:]
    cost, _ = costs.expected(notebook, model, dataset, variant)
    shares = [uses.get(name, 0) / limit for name, limit in limits.items() if limit]
    return Due(folder, cost.seconds if cost else UNMEASURED, min(1, max(shares, default=1)))


def runs(workflow, graph, run: Callable) -> dict[int, Due]:
    """The runs that Snakemake is about to make, by the number of their job."""
    limits = {name: limit.value for name, limit in workflow.global_resources.items()}
    limits = {name: limit for name, limit in limits.items() if isinstance(limit, int)}
    return {
        job.jobid: due(Path(job.params.folder), dataset, job.resources, limits)
        for job in workflow.dag.needrun_jobs()
        if hasattr(job.wildcards, "model")
        for dataset in [graph.own(*run(job.wildcards)[1:])["dataset"]]
    }


def begin(logger: logging.Logger, runs: dict[int, Due]) -> None:
    """Print progress lines from now on, in place of those of Snakemake's scheduler."""
    hears = Progress(runs)
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler":  # its log file keeps them
            handler.addFilter(
                lambda record: record.levelno > logging.INFO or record.module != "job_scheduler"
            )
    logger.addHandler(hears)
    if runs:
        left = hears.left(time.time())
        print(f"{len(runs)} runs to make, {left}, going by the reference.", file=sys.stderr)


class Progress(logging.Handler):
    """Hears Snakemake's events of the runs that are due, by the number of their job."""

    def __init__(self, runs: dict[int, Due]):
        super().__init__()
        self.runs = runs

    def emit(self, record: logging.LogRecord) -> None:
        """Note a start, and print a line for a run that ended."""
        event, now = getattr(record, "event", ""), time.time()
        if event == "job_started":
            for run in self._runs(record.jobs):
                run.started = now
        elif event == "job_finished":
            for run in self._runs([record.job_id]):
                run.taken = provenance.read_json(run.folder / "provenance.json")["seconds"]
                self.line(run, f"in {run.taken:.0f} s", now)
        elif event == "job_error":
            for run in self._runs([record.jobid]):
                run.started = None
                self.line(run, "did not finish", now)

    def _runs(self, numbers: list[int]) -> list[Due]:
        return [self.runs[number] for number in numbers if number in self.runs]

    def line(self, run: Due, how: str, now: float) -> None:
        """Print where the study is."""
        done = sum(run.taken is not None for run in self.runs.values())
        left = self.left(now) if done < len(self.runs) else "no run is left"
        named = " ".join(run.folder.parts[-3:]).removesuffix(" default")
        print(f"[{done} of {len(self.runs)}] {named} {how}; {left}", file=sys.stderr)

    def left(self, now: float) -> str:
        """About how long the runs that are not done take."""
        return f"{lasting(self.seconds_left(now))} left"

    def seconds_left(self, now: float) -> float:
        """The most that one of the runs takes, or all of them with their shares."""
        rest = {
            number: max(0, self.pace(run.model) * run.seconds - (now - (run.started or now)))
            for number, run in self.runs.items()
            if run.taken is None
        }
        together = sum(seconds * self.runs[number].share for number, seconds in rest.items())
        return max([together, *rest.values()])

    def pace(self, model: str) -> float:
        """How many times the expected seconds a model takes: as many as so far, where little of it
        is done more like all runs, and where little of these is done more like once.
        """
        done = [run for run in self.runs.values() if run.taken is not None]
        pace = 1.0
        for runs in (done, [run for run in done if run.model == model]):
            taken, expected = sum(run.taken for run in runs), sum(run.seconds for run in runs)
            pace = (taken + PRIOR * pace) / (expected + PRIOR)
        return pace
