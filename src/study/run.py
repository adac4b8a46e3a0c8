"""A profile from its stale runs to the last table, by Snakemake: `./run_all.sh [PROFILE]`."""

import argparse
import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from helpers import layout, notebooks, parameters
from study import graph, profiles, reads, warm
from tahanuji import paths
from tahanuji.errors import InputError, unknown

ALWAYS = ["--nolock", "--rerun-incomplete", "--rerun-triggers", "params", "input", "--keep-going"]
PARTS = ("--until", "-U", "--omit-from", "-O")
CLUSTER, CORES = ("--executor", "--profile"), ("--cores", "-c", "--jobs", "-j")
QUIET, DRY = ("--quiet", "-q", "--verbose"), ("--dry-run", "--dryrun", "-n")
INTERRUPTED = 130


def main(words: list[str]) -> int:
    """The exit status of a study: Snakemake's, or 1 for a number that moved and --strict."""
    named = words[:1] if words and not words[0].startswith("-") else []
    profile = named[0] if named else "embedded"
    parser = argparse.ArgumentParser(prog="python -m study run [PROFILE]", allow_abbrev=False)
    parser.add_argument("--strict", action="store_true", help="exit status 1 where a number moved")
    parser.add_argument("--plan", action="store_true", help="say what tests will be able to show")
    parser.add_argument("--configfile", type=Path, default=profiles.configuration(profile))
    given, rest = parser.parse_known_args(words[len(named) :])
    if given.plan:
        from study import plan

        return plan.main([profile])
    if not given.configfile.is_file():
        raise unknown("profile", profile, parameters.profiles())
    if status := beside(paths.read_yaml(given.configfile).get("beside", ""), rest):
        return status
    with contextlib.nullcontext() if asks(rest, DRY) else occupied(profile):
        return study(profile, arguments(profile, given.configfile, rest), given.strict)


def asks(words: list[str], options: tuple[str, ...]) -> bool:
    """Whether one of these options of Snakemake stands in a command line."""
    return any(word.startswith(options) for word in words)


def arguments(profile: str, configuration: Path, asked: list[str]) -> list[str]:
    """Snakemake's arguments: those that were asked for, and what a study wants where they leave it
    open. What takes several values stands first, where it swallows no target.
    """
    words = ["--configfile", str(configuration), *ALWAYS]
    if stale := list(reads.stale(profile, paths.read_yaml(configuration))):
        words = ["--forcerun", *map(paths.shown, stale), *words]
    if not asks(asked, CLUSTER + CORES):
        words += ["--cores", "all"]
    if not asks(asked, QUIET):
        words = ["--quiet", "rules", "reason", "host", *words]
    if not asks(asked, (*CLUSTER, "--resources")) and has_gpu():
        words = ["--resources", "gpu=1", *words]
    return words + asked


def has_gpu() -> bool:
    """Whether a card of NVIDIA's answers here."""
    if not shutil.which("nvidia-smi"):
        return False
    return subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


@contextlib.contextmanager
def occupied(profile: str) -> Iterator[None]:
    """Keep a profile's folder of runs for one study, for as long as its process lives; InputError
    where another one is at work in it.
    """
    folder = layout.outputs() / profile
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(
                f"another study is at work in {paths.shown(folder)}; wait for its end, then give "
                f"the same command again."
            ) from None
        yield


def study(profile: str, words: list[str], strict: bool) -> int:
    """Make the runs and the report, and print where they are; the exit status comes back."""
    from study.report import __main__ as report

    dry = asks(words, DRY)
    here = not dry and not asks(words, CLUSTER)
    with warm.environment() if here else contextlib.nullcontext({}) as extra:
        status = wait_for(["snakemake", *words], extra)
        if dry or status == INTERRUPTED:
            return status
        if status:  # the report says what is missing
            notebook = f"notebooks/{notebooks.report()}.ipynb"
            folder = layout.outputs() / profile / "report"
            wait_for(["study", "notebook", notebook, str(folder), f"profile={profile}"], extra)
    verdict = report.main(["--finish", profile])
    return status or (verdict if strict or verdict > 1 else 0)


def beside(profile: str, asked: list[str]) -> int:
    """Train the models beside an audited one, where no audit before has; the exit status."""
    if not profile:
        return 0
    configuration = profiles.configuration(profile)
    config = paths.read_yaml(configuration)
    marks = graph.Graph(config).finished
    if all(Path(mark).is_file() for mark in marks) and not list(reads.stale(profile, config)):
        return 0
    words = arguments(profile, configuration, whole(asked))
    here = not asks(words, DRY) and not asks(words, CLUSTER)
    kept = contextlib.nullcontext() if asks(words, DRY) else occupied(profile)
    with kept, warm.environment() if here else contextlib.nullcontext({}) as extra:
        return wait_for(["snakemake", *marks, *words], extra)


def whole(asked: list[str]) -> list[str]:
    """Snakemake's arguments without those that keep a part of a study from being made.

    >>> whole(["--until", "test", "later", "--cores", "2", "-n"])
    ['--cores', '2', '-n']
    """
    kept, cut = [], False
    for word in asked:
        cut = word in PARTS if word.startswith("-") else cut
        kept += [] if cut else [word]
    return kept


def wait_for(words: list[str], extra: dict[str, str]) -> int:
    """The exit status of `python -m` with these words, or INTERRUPTED: an interruption reaches the
    process from the terminal, a termination from here, and it is waited for after both.
    """
    process, heard = subprocess.Popen([sys.executable, "-m", *words], env=os.environ | extra), []

    def hear(number: int, _) -> None:
        heard.append(number)
        if number == signal.SIGTERM:
            process.terminate()

    before = {number: signal.signal(number, hear) for number in (signal.SIGINT, signal.SIGTERM)}
    status = process.wait()
    for number, handler in before.items():
        signal.signal(number, handler)
    return INTERRUPTED if heard else status
