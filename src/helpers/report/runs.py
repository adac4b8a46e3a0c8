"""Which runs a profile has: finished ones with their tables, and what is missing, unfinished, stale
or unreadable.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from helpers import layout, notebooks, parameters, provenance, reads, tables
from tahanuji import data, measure, models, paths
from tahanuji.errors import InputError, sentence, unknown

PROVENANCE = ("notebook", "parameters", "read", "data", "command")


@dataclass(frozen=True, eq=False)
class Finished:
    """A finished run: its folder, its provenance.json and its metrics.csv."""

    folder: Path
    about: dict
    metrics: pd.DataFrame

    @property
    def model(self) -> str:
        return self.about["parameters"]["model_name"]

    @property
    def notebook(self) -> str:
        return self.about["notebook"]

    @property
    def variant(self) -> str:
        return self.folder.name

    @property
    def repeat(self) -> bool:
        """Whether the run repeats another one with another seed (its variant is named `seed_...` or
        `..._seed_...`) or was a search's (`..._epochs_...`).
        """
        return "_seed_" in f"_{self.variant}" or "_epochs_" in self.variant

    @property
    def name(self) -> str:
        """`model/notebook/variant`, as the folder below the profile."""
        return "/".join(self.folder.parts[-3:])

    @property
    def read(self) -> dict[str, str]:
        """What the run read: {data set and split: sha256}."""
        return {
            f"{part['name']} {part.get('split', '')}".strip(): part["sha256"]
            for part in self.about["data"]
        }

    @property
    def labels(self) -> list[str]:
        """The labels that the run's classifier gives."""
        return next(
            (model["labels"] for model in self.about.get("models", []) if "labels" in model),
            data.LABELS,
        )

    def main(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of a table `test, rate, group` that stand in tables over notebooks: whole tests,
        of those what `summary` of the notebook's metadata says.
        """
        about = notebooks.every().get(self.notebook)
        summary, given = about.summary if about else {}, self.about["parameters"]
        kept = table["group"] == "all"
        if "unless" in summary:
            kept &= any(given.get(name) != value for name, value in summary["unless"].items())
        if "rates" in summary:
            rates = [given.get(rate, rate) for rate in summary["rates"]]
            kept &= table["rate"].isin([float("nan") if rate is None else rate for rate in rates])
        if "without" in summary:
            kept &= ~table["test"].str.endswith(summary["without"])
        return table[kept]

    def predictions(self) -> pd.DataFrame:
        """predictions.csv; InputError where it is missing, repeats an id, holds a probability that
        is none, or does not name the tests and failures of a behavioural run.
        """
        path = self.folder / "predictions.csv"
        frame = measure.checked(tables.read(path, ["id", "gold"]), self.labels, paths.shown(path))
        judged = frame["failure"].isin([True, False]).all() if "failure" in frame else True
        if not judged or (
            "failure" in frame and ("test" not in frame or frame["test"].isna().any())
        ):
            raise InputError(
                f"{paths.shown(path)} does not name the test of every row and whether it failed; "
                f"run its notebook again."
            )
        return titled(frame)


@dataclass(frozen=True)
class Collection:
    """A profile's finished runs, and a table `run, state, why` of what it lacks."""

    profile: str
    runs: list[Finished]
    lacking: pd.DataFrame

    @property
    def models(self) -> list[str]:
        return order({run.model for run in self.runs})

    @property
    def notebooks(self) -> list[str]:
        return sorted({run.notebook for run in self.runs})

    @property
    def datasets(self) -> set[str]:
        """The data set of most of the default runs; as a set, empty without a run."""
        named = Counter(
            run.about["parameters"]["dataset"]
            for run in self.runs
            if run.variant == "default" and "dataset" in run.about["parameters"]
        )
        return {name for name, _ in named.most_common(1)}

    @property
    def language(self) -> str:
        """The language of the texts that most runs perturb: `id`, or `en` where they say so."""
        named = Counter(run.about["parameters"].get("language") for run in self.runs)
        del named[None]
        return next((name for name, _ in named.most_common(1)), "id")

    def main_task(self, run: Finished) -> bool:
        """Whether a run is about the data set of most, or about none."""
        return run.about["parameters"].get("dataset") in {None, *self.datasets}

    def of(self, notebook: str, variant: str | None = None) -> list[Finished]:
        """The runs of a notebook, of one variant or of all, in the order of models."""
        return [
            run for run in self.runs if run.notebook == notebook and variant in (None, run.variant)
        ]

    def metrics(self) -> pd.DataFrame:
        """The metrics of all runs in one table."""
        return (
            pd.concat([run.metrics for run in self.runs], ignore_index=True)
            if self.runs
            else pd.DataFrame(columns=tables.METRICS)
        )


def order(names: set[str]) -> list[str]:
    """Model names in the order of config/models.yaml, others behind.

    >>> order({"mini", "my/model", "tfidf"})
    ['tfidf', 'mini', 'my/model']
    """
    known = list(models.entries())
    return sorted(
        names, key=lambda name: (known.index(name) if name in known else len(known), name)
    )


def collect(profile: str) -> Collection:
    """Every run below `outputs/<profile>/<model>/<notebook>/<variant>/`; nothing of a run that is
    not whole is used.

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
    found, lacking = {}, []
    for folder in sorted(path for path in base.glob("*/*/*") if path.is_dir()):
        try:
            run = read(folder)
            other = found.setdefault((run.model, run.notebook, run.variant), run)
            if other is not run:
                raise InputError(
                    f"says that its model is {run.model}, as {other.name} does; one of the two "
                    f"counts: move this one away."
                )
        except InputError as error:
            lacking.append(
                (
                    _name(folder),
                    "unreadable" if (folder / "provenance.json").is_file() else "unfinished",
                    str(error),
                )
            )
    for run in found.values():
        if run.notebook in notebooks.every() and (changed := reads.changed(run.about)):
            again = f"./run_all.sh {profile}" if planned else run.about["command"]
            lacking.append(
                (
                    run.name,
                    "stale",
                    f"something that it read has changed since ({changed[0]}); "
                    f"to renew it: {again}",
                )
            )
    models, there = (
        order({run.model for run in found.values()}),
        {_name(run.folder) for run in found.values()} | {name for name, *_ in lacking},
    )
    lacking += [
        (name, "missing", f"not run yet: ./run_all.sh {profile}")
        for name in planned
        if name not in there
    ]
    ordered = sorted(
        found.values(), key=lambda run: (models.index(run.model), run.notebook, run.variant)
    )
    return Collection(profile, ordered, pd.DataFrame(lacking, columns=["run", "state", "why"]))


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


def read(folder: Path) -> Finished:
    """The finished run in a folder; InputError says what is wrong with it."""
    if not (folder / "provenance.json").is_file():
        error = folder / "error.txt"
        said = (
            error.read_text(encoding="utf-8", errors="replace").strip() if error.is_file() else ""
        )
        raise InputError(said or "interrupted, or still running; run it again.")
    try:
        about = provenance.read_json(folder / "provenance.json")
        absent = [key for key in PROVENANCE if key not in about]
        absent = absent or [key for key in ("model_name", "seed") if key not in about["parameters"]]
        absent = absent or [
            key for part in about["data"] for key in ("name", "sha256") if key not in part
        ]
    except (ValueError, TypeError) as error:
        raise InputError(
            f"provenance.json cannot be read ({sentence(error).rstrip('.')}); run it again."
        ) from None
    if absent:
        raise InputError(f"provenance.json does not say {', '.join(absent)}; run it again.")
    metrics = titled(tables.read(folder / "metrics.csv", tables.METRICS))
    if (
        len(metrics)
        and not all(is_numeric_dtype(metrics[name]) for name in ("value", "ci_low", "ci_high", "n"))
        or metrics["n"].isna().any()
    ):
        raise InputError(
            f"{paths.shown(folder / 'metrics.csv')} holds words where numbers should be, or no "
            f"number of rows; run its notebook again."
        )
    return Finished(folder, about, metrics)


def titled(frame: pd.DataFrame) -> pd.DataFrame:
    """Metrics or predictions with test, rate and group in every row, and with `title`, the test's
    name for readers.
    """
    key = measure.keys(frame)
    return frame.assign(**key, title=tables.titles(key))


def plan(profile: str) -> list[str]:
    """The runs that a profile's configuration asks for, as `model/notebook/variant`; none where it
    has no configuration.
    """
    config = settings(profile)
    if "runs" not in config:
        return []
    return [
        f"{paths.slug(model)}/{notebook}/{variant}"
        for model, notebook, variant in parameters.planned(config)
    ]


def settings(profile: str) -> dict:
    """The configuration of a profile; empty where it has none."""
    path = layout.configuration(profile)
    return paths.read_yaml(path) if path.is_file() else {}


def left_out(profile: str) -> list[str]:
    """What an audit could not test, a sentence each."""
    return settings(profile).get("left_out", [])


def question(notebook: str) -> str:
    """The question that a notebook answers; its name where there is no such notebook."""
    about = notebooks.every().get(notebook)
    return about.question if about else notebook


def _name(folder: Path) -> str:
    return "/".join(folder.parts[-3:])
