"""One strict notebook run: `python -m helpers.runner notebooks/05_typos.ipynb RUN_DIR
model_name=mini perturbation_rate=0.3`.

Papermill by itself only warns of an unknown parameter, injects `-p flag false` as the string
'false' and `-p name 007` as 7. Here every value is typed and checked by the notebook's parameters
cell before a kernel starts. executed.ipynb is written as the notebook goes, provenance.json last: a
folder without it is not finished.
"""

import argparse
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

from helpers import parameters, provenance
from tahanuji import paths
from tahanuji.errors import InputError, sentence

DONE, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130


def run(notebook: Path, folder: Path, given: dict) -> float:
    """Execute a notebook with the parameters given into a run folder; the seconds it took come
    back.

    Raises InputError for parameters that are unknown or out of range, and papermill's error where a
    cell fails.
    """
    import papermill

    declared = parameters.declared(notebook)
    values = parameters.check(given | {"run_dir": paths.shown(folder)}, declared)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("provenance.json", "error.txt"):
        (folder / name).unlink(missing_ok=True)
    state, began = provenance.repository_state(), time.time()
    os.environ["TAHAN_RUNNER"] = "1"
    injected = {name: values[name] for name in [*given, "run_dir"]}
    quiet = {"progress_bar": False, "extra_arguments": ["--IPKernelApp.log_level=50"]}
    papermill.execute_notebook(
        paths.shown(notebook),
        paths.shown(folder / "executed.ipynb"),
        injected,
        kernel_name="python3",
        **quiet,
    )
    facts = provenance.read_json(folder / "facts.json") | {"state": state}
    provenance.write(folder, notebook.stem, values, facts, time.time() - began)
    (folder / "facts.json").unlink()
    return time.time() - began


def explain(error: Exception, folder: Path) -> str:
    """A sentence for an error of a run: what a cell complained of, and where to look."""
    if type(error).__name__ == "PapermillExecutionError":
        if error.ename == "InputError":
            return error.evalue
        if "No space left on device" in error.evalue:
            return sentence(OSError(28, error.evalue))
        return (
            f"{error.ename}: {error.evalue} The executed notebook "
            f"{paths.shown(folder / 'executed.ipynb')} shows the cell; the same command tries "
            f"again."
        )
    return sentence(error)


def complain(given: argparse.Namespace, why: str, status: int) -> int:
    """Print why a run ended and leave it in the run's folder, where the final summary finds it."""
    print(f"{given.notebook.stem}: {why}", file=sys.stderr)
    with contextlib.suppress(OSError):
        (given.run_dir / "error.txt").write_text(why + "\n", encoding="utf-8")
    return status


def stop(*_) -> None:
    """Turn a termination signal into KeyboardInterrupt, so that the kernel is shut down."""
    raise KeyboardInterrupt


def main(words: list[str] | None = None) -> int:
    """The command line; the exit status is 0 done, 1 failed, 2 wrong use, 130 interrupted."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.runner", description=__doc__.split("\n\n")[1]
    )
    parser.add_argument("notebook", type=Path)
    parser.add_argument("run_dir", type=Path)
    parser.add_argument("pairs", nargs="*", metavar="name=value", help="parameters of the notebook")
    given = parser.parse_args(words)
    signal.signal(signal.SIGTERM, stop)
    try:
        values = parameters.parse(given.pairs, parameters.declared(given.notebook))
        parameters.check(values, parameters.declared(given.notebook))
    except InputError as error:
        print(f"{given.notebook.stem}: {error}", file=sys.stderr)
        return WRONG_USE
    try:
        seconds = run(given.notebook, given.run_dir, values)
    except KeyboardInterrupt:
        return complain(
            given,
            "interrupted; the same command goes on from the last finished epoch.",
            INTERRUPTED,
        )
    except (
        Exception
    ) as error:  # whatever went wrong becomes one sentence; executed.ipynb keeps the traceback
        return complain(given, explain(error, given.run_dir), FAILED)
    print(f"{given.notebook.stem}: {paths.shown(given.run_dir)} in {seconds:.0f} s")
    return DONE


if __name__ == "__main__":
    sys.exit(main())
