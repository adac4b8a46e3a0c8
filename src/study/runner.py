"""One strict notebook run: `python -m study notebook notebooks/05_typos.ipynb RUN_DIR
model_name=mini perturbation_rate=0.3`.

Papermill by itself only warns of an unknown parameter, injects `-p flag false` as the string
'false' and `-p name 007` as 7. Here every value is typed and checked by the notebook's parameters
cell before a kernel starts. executed.ipynb is written as the notebook goes, provenance.json last: a
folder without it is not finished.
"""

import argparse
import contextlib
import errno
import os
import re
import signal
import sys
import time
from pathlib import Path

from helpers import parameters, provenance
from study import reads
from tahanuji import paths
from tahanuji.errors import InputError, no_space, sentence, unknown

STARTING = 600  # seconds that a kernel may take to come up on a busy machine
READ_ONLY = "Permission denied|Read-only file system"
DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def run(notebook: Path, folder: Path, given: dict) -> float:
    """Execute a notebook with the parameters given into a run folder; the seconds it took come
    back. InputError for wrong parameters, papermill's error where a cell fails.
    """
    import papermill

    from study import findings

    values = parameters.check(
        given | {"run_dir": paths.shown(folder)}, parameters.declared(notebook)
    )
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("provenance.json", "error.txt"):
        (folder / name).unlink(missing_ok=True)
    state, began = provenance.repository_state(), time.monotonic()
    read = reads.of(notebook.stem, values, folder)
    os.environ["TAHAN_RUNNER"] = "1"
    papermill.execute_notebook(
        paths.shown(notebook),
        paths.shown(folder / "executed.ipynb"),
        {name: values[name] for name in [*given, "run_dir"]},
        kernel_name="python3",
        progress_bar=False,
        start_timeout=STARTING,
        extra_arguments=["--IPKernelApp.log_level=50"],
    )
    findings.fill(folder, notebook.stem, values)
    facts = provenance.read_json(folder / "facts.json") | {"state": state, "read": read}
    provenance.write(folder, notebook.stem, values, facts, time.monotonic() - began)
    (folder / "facts.json").unlink()
    return time.monotonic() - began


def parse(pairs: list[str], allowed: dict[str, parameters.Parameter]) -> dict:
    """Values of `name=value` words, each typed as its parameter declares: '007' stays a string
    where a string is wanted.

    Raises InputError for an unknown name, a missing '=' or a word that is not of the type.
    """
    values = {}
    for pair in pairs:
        name, equals, word = pair.partition("=")
        if not equals:
            raise InputError(f"{pair!r} is not of the form name=value.")
        if name not in allowed:
            raise unknown("parameter", name, allowed)
        values[name] = _convert(allowed[name], word)
    return values


def _convert(parameter: parameters.Parameter, word: str) -> bool | int | float | str:
    if parameter.type is bool:
        if word.lower() not in {"true", "false"}:
            raise InputError(f"{parameter.name} is true or false, not {word!r}.")
        return word.lower() == "true"
    try:
        return parameter.type(word)
    except ValueError:
        raise InputError(
            f"{parameter.name} is of type {parameter.type.__name__}, and {word!r} is not."
        ) from None


def explain(error: Exception, folder: Path) -> str:
    """A sentence for an error of a run: what a cell complained of, and where to look."""
    if type(error).__name__ == "NoSuchKernel":
        return (
            "there is no Jupyter kernel python3 to run notebooks; ./run_all.sh --setup installs it."
        )
    if type(error).__name__ != "PapermillExecutionError":
        return sentence(error)
    if error.ename == "InputError":
        return error.evalue
    if no_space(error.evalue):
        return sentence(OSError(errno.ENOSPC, error.evalue))
    if error.ename in ("PermissionError", "OSError") and re.search(READ_ONLY, error.evalue):
        return sentence(OSError(errno.EROFS, error.evalue, paths.shown(folder)))
    return (
        f"{error.ename}: {error.evalue} The executed notebook "
        f"{paths.shown(folder / 'executed.ipynb')} shows the cell; the same command tries again."
    )


def complain(given: argparse.Namespace, why: str, status: int) -> int:
    """The status of a run that ended, whose reason is printed and left in the run's folder."""
    print(f"{given.notebook.stem}: {why}", file=sys.stderr)
    with contextlib.suppress(OSError):
        (given.run_dir / "error.txt").write_text(why + "\n", encoding="utf-8")
    return status


def stop(*_) -> None:
    """Turn a termination signal into KeyboardInterrupt, so that the kernel is shut down."""
    raise KeyboardInterrupt


def main(words: list[str]) -> int:
    """The command line; the exit status is 0 done, 1 failed, 2 wrong use, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m study notebook", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("notebook", type=Path)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("pairs", nargs="*", metavar="name=value", help="parameters of the notebook")
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, stop)
    try:
        values = parse(given.pairs, parameters.declared(given.notebook))
        parameters.check(values, parameters.declared(given.notebook))
    except InputError as error:
        print(f"{given.notebook.stem}: {error}", file=sys.stderr)
        return WRONG_USE
    try:
        seconds = run(given.notebook, given.run_dir, values)
    except KeyboardInterrupt:
        why = "interrupted; the same command goes on from the last finished epoch."
        return complain(given, why, INTERRUPTED)
    except Exception as error:  # it becomes one sentence; executed.ipynb keeps the traceback
        return complain(given, explain(error, given.run_dir), FAILED)
    print(f"{given.notebook.stem}: {paths.shown(given.run_dir)} in {seconds:.0f} s")
    return DONE


if __name__ == "__main__":  # as the published runs name it
    sys.exit(main(sys.argv[1:]))
