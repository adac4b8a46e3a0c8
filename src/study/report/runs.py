"""Which runs a profile has: finished ones with their tables, and what is missing, unfinished, stale
or unreadable.
"""

from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from helpers import layout, notebooks, parameters, provenance, tables
from study import profiles, reads
from tahanuji import data, measure, models, paths
from tahanuji.errors import InputError, sentence, unknown
from tahanuji.results import LACKING, Results, Run

PROVENANCE = ("notebook", "parameters", "data", "command")
NUMBERS = ("value", "ci_low", "ci_high", "n")


def order(names: set[str], profile: str = "") -> list[str]:
    """Model names in the order of config/models.yaml, others behind; before all the one that a
    profile audits.

    >>> order({"mini", "my/model", "tfidf"})
    ['tfidf', 'mini', 'my/model']
    """
    known = [settings(profile).get("audited") if profile else None, *models.entries()]
    return sorted(
        names, key=lambda name: (known.index(name) if name in known else len(known), name)
    )


def collect(profile: str) -> Results:
    """The finished runs below `outputs/<profile>/<model>/<notebook>/<variant>/`, and what is
    lacking; nothing of a run that is not whole is used.

    Raises InputError where the profile has neither a configuration nor runs.
    """
    base = layout.outputs() / profile
    planned = plan(profile)
    if not planned and not base.is_dir():
        raise unknown(
            "profile",
            profile,
            parameters.profiles(),
            f"The name of a folder of runs in {paths.shown(layout.outputs())} does as well.",
        )
    runs, broken = _finished(base)
    stale = [lack for run in runs if (lack := _stale(run, profile, bool(planned)))]
    there = {_name(run.folder) for run in runs} | {name for name, *_ in broken}
    missing = [
        (name, "missing", f"not run yet: ./run_all.sh {profile}")
        for name in planned
        if name not in there
    ]
    place = order({run.model for run in runs}, profile).index
    ordered = sorted(runs, key=lambda run: (place(run.model), run.notebook, run.variant))
    return Results(profile, ordered, pd.DataFrame(broken + stale + missing, columns=LACKING))


def _finished(base: Path) -> tuple[list[Run], list[tuple[str, str, str]]]:
    """The runs below a profile's folder, and `run, state, why` of those that are not whole."""
    runs: dict[tuple, Run] = {}
    broken = []
    for folder in sorted(path for path in base.glob("*/*/*") if path.is_dir()):
        try:
            run = read(folder)
            other = runs.setdefault((run.model, run.notebook, run.variant), run)
            if other is not run:
                raise InputError(
                    f"says that its model is {run.model}, as {other.name} does; one of the two "
                    f"counts: move this one away."
                )
        except InputError as error:
            there = (folder / "provenance.json").is_file()
            broken.append((_name(folder), "unreadable" if there else "unfinished", str(error)))
    return list(runs.values()), broken


def _stale(run: Run, profile: str, planned: bool) -> tuple[str, str, str] | None:
    """`run, state, why` of a run that read what has changed since or recorded nothing of it; None
    of any other.
    """
    changed = reads.changed(run.about) if run.notebook in notebooks.every() else []
    if not changed:
        return None
    again = f"./run_all.sh {profile}" if planned else run.about["command"]
    why = "it was run by hand, which records nothing of what it read"
    if reads.recorded(run.about):
        why = f"something that it read has changed since ({changed[0]})"
    return run.name, "stale", f"{why}; to renew it: {again}"


def reasons(lacking: pd.DataFrame) -> pd.DataFrame:
    """What `lacking` of a collection says for a reader: stale runs counted by what has changed,
    behind the first of them; every other run by its name.
    """
    rows = []
    for (state, why), names in lacking.groupby(["state", "why"], sort=False)["run"]:
        if state == "stale" and len(names) > 1:
            names = [f"{names.iloc[0]} and {len(names) - 1} more"]
        rows += [(name, state, why) for name in names]
    return pd.DataFrame(rows, columns=lacking.columns)


def read(folder: Path) -> Run:
    """The finished run in a folder; InputError says what is wrong with it."""
    about = _provenance(folder)
    metrics = tables.read(folder / "metrics.csv", tables.METRICS)
    numeric = all(is_numeric_dtype(metrics[name]) for name in NUMBERS)
    if (len(metrics) and not numeric) or metrics["n"].isna().any():
        raise InputError(
            f"{paths.shown(folder / 'metrics.csv')} holds words where numbers should be, or no "
            f"number of rows; run its notebook again."
        )
    judged = pd.DataFrame(columns=tables.VERDICTS)
    if (folder / "verdicts.csv").is_file():
        judged = tables.read(folder / "verdicts.csv", tables.VERDICTS)
    metrics, judged = (titled(frame, about) for frame in (metrics, judged))
    trains = about["notebook"] == notebooks.fine_tuning()
    return Run(folder, about, metrics, judged, predictions, trains)


def _provenance(folder: Path) -> dict:
    """The provenance.json of a run that has finished; InputError where it has not."""
    path = folder / "provenance.json"
    if not path.is_file():
        error = folder / "error.txt"
        said = error.read_text(encoding="utf-8", errors="replace") if error.is_file() else ""
        raise InputError(said.strip() or "interrupted, or still running; run it again.")
    try:
        about = provenance.read_json(path)
        absent = [key for key in PROVENANCE if key not in about]
        absent = absent or [key for key in ("model_name", "seed") if key not in about["parameters"]]
        absent = absent or [
            key for part in about["data"] for key in ("name", "sha256") if key not in part
        ]
    except InputError:
        raise
    except (ValueError, TypeError) as error:
        raise InputError(
            f"provenance.json cannot be read ({sentence(error).rstrip('.')}); run it again."
        ) from None
    if absent:
        raise InputError(f"provenance.json does not say {', '.join(absent)}; run it again.")
    return about


def predictions(run: Run) -> pd.DataFrame:
    """predictions.csv of a run; InputError where it is missing, repeats an id, holds a probability
    that is none, or does not name the tests and failures of a behavioural run.
    """
    path = run.folder / "predictions.csv"
    named = (model["labels"] for model in run.about.get("models", []) if "labels" in model)
    labels = next(named, data.LABELS)
    frame = measure.checked(tables.read(path, ["id", "gold"]), labels, paths.shown(path))
    tested = "failure" not in frame or ("test" in frame and frame["test"].notna().all())
    judged = "failure" not in frame or frame["failure"].isin([True, False]).all()
    if not (tested and judged):
        raise InputError(
            f"{paths.shown(path)} does not name the test of every row and whether it failed; "
            f"run its notebook again."
        )
    return titled(frame, run.about)


def titled(frame: pd.DataFrame, about: dict) -> pd.DataFrame:
    """Metrics, verdicts or predictions with test, rate and group in every row, with `title`, the
    test's name for readers, and `summary`, whether it stands in tables over notebooks.
    """
    key = measure.keys(frame)
    kind = about["parameters"].get("prejudice_kind", "places").replace("_", " ")
    swaps = {"prejudice": f"prejudice ({kind})"}  # the row is named for what it exchanges
    title = pd.Series(tables.titles(key), frame.index).replace(swaps)
    return frame.assign(**key, title=title, summary=_summary(key, about))


def _summary(key: pd.DataFrame, about: dict) -> pd.Series:
    """Which tests stand in tables over notebooks: whole ones, of those what `summary` of the
    notebook's metadata names.
    """
    notebook = notebooks.every().get(about["notebook"])
    summary, given = notebook.summary if notebook else {}, about["parameters"]
    kept = key["group"] == "all"
    if "unless" in summary:
        kept &= any(given.get(name) != value for name, value in summary["unless"].items())
    if "rates" in summary:
        rates = [given.get(rate, rate) for rate in summary["rates"]]
        kept &= key["rate"].isin([float("nan") if rate is None else rate for rate in rates])
    if "without" in summary:
        kept &= ~key["test"].astype(str).str.endswith(summary["without"])
    return kept


def plan(profile: str) -> list[str]:
    """The runs that a profile's configuration asks for, as `model/notebook/variant`; none where it
    has no configuration.
    """
    config = settings(profile)
    return profiles.folders(config) if "runs" in config else []


def settings(profile: str) -> dict:
    """The configuration of a profile; empty where it has none."""
    path = profiles.configuration(profile)
    return paths.read_yaml(path) if path.is_file() else {}


def question(notebook: str) -> str:
    """The question that a notebook answers; its name where there is no such notebook."""
    about = notebooks.every().get(notebook)
    return about.question if about else notebook


def _name(folder: Path) -> str:
    return "/".join(folder.parts[-3:])
