"""All finished runs of a profile as tidy tables: the one place from which a report takes numbers.

A number has one way: run -> csv -> `Results` -> `Estimate` -> template.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from tahanuji import changes
from tahanuji.errors import InputError
from tahanuji.measure import COLUMNS, Estimate, equivalence

__all__ = ["Results", "Run", "estimates", "select"]

LACKING = ["run", "state", "why"]
RUN = ["model", "notebook", "variant", "dataset"]
METRICS = [*RUN, *COLUMNS, "seed", "title", "summary"]
VERDICTS = [*RUN, *equivalence.COLUMNS, "seed", "title", "summary"]


def _no_predictions(run: "Run") -> pd.DataFrame:
    raise InputError(f"{run.name} was read without a way to its predictions.")


@dataclass(frozen=True, eq=False)
class Run:
    """A finished run: its folder, provenance, metrics, verdicts, and predictions when asked for.

    Parameters
    ----------
    folder : Path
        `<profile>/<model>/<notebook>/<variant>`.
    about : dict
        Its provenance.json: `notebook`, `parameters`, `data`, `command`.
    metrics, verdicts : DataFrame
        As in its csv files, with `title`, a test's name with its rate and group, and `summary`,
        whether the row stands in tables over notebooks.
    reader : callable
        Gives the predictions of the run, with `title` and `summary`.
    trains : bool
        Whether it makes a checkpoint, and so is no test.
    """

    folder: Path
    about: dict
    metrics: pd.DataFrame
    verdicts: pd.DataFrame = field(default_factory=pd.DataFrame)
    reader: Callable[["Run"], pd.DataFrame] = _no_predictions
    trains: bool = False

    @property
    def parameters(self) -> dict:
        return self.about["parameters"]

    @property
    def model(self) -> str:
        return self.parameters["model_name"]

    @property
    def notebook(self) -> str:
        return self.about["notebook"]

    @property
    def dataset(self) -> str | None:
        return self.parameters.get("dataset")

    @property
    def seed(self) -> int:
        return self.parameters["seed"]

    @property
    def variant(self) -> str:
        return self.folder.name

    @property
    def name(self) -> str:
        """`model/notebook/variant`, as the folder below the profile."""
        return "/".join(self.folder.parts[-3:])

    @property
    def repeat(self) -> bool:
        """Whether the run repeats another one with another seed (its variant is named `seed_...` or
        `..._seed_...`) or was a search's (`..._epochs_...`).
        """
        return "_seed_" in f"_{self.variant}" or "_epochs_" in self.variant

    @property
    def read(self) -> dict[str, str]:
        """The data that the run read: {data set and split: sha256}."""
        return {
            f"{part['name']} {part.get('split', '')}".strip(): part["sha256"]
            for part in self.about["data"]
        }

    def main(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows of metrics, verdicts or predictions that stand in tables over notebooks."""
        return table[table["summary"].astype(bool)]

    def predictions(self) -> pd.DataFrame:
        """predictions.csv; InputError where it is missing or not whole."""
        return self._predictions.copy(deep=False)

    @cached_property
    def _predictions(self) -> pd.DataFrame:
        """What was read once: a report asks for it many times."""
        return self.reader(self)


@dataclass(frozen=True, eq=False)
class Results:
    """All finished runs of a profile.

    Parameters
    ----------
    profile : str
        The profile's name.
    runs : list of Run
        In the order in which models are to be shown.
    lacking : DataFrame
        `run, state, why`: what is missing, unfinished, stale or unreadable.

    Examples
    --------
    >>> about = {"notebook": "05_typos", "parameters": {"model_name": "mini", "seed": 1}}
    >>> row = {"model": "mini", "notebook": "05_typos", "variant": "default", "test": "typos",
    ...        "rate": 0.3, "group": "all", "metric": "flip_rate", "value": 0.1, "ci_low": 0.07,
    ...        "ci_high": 0.14, "n": 300}
    >>> run = Run(Path("cpu/mini/05_typos/default"), about, pd.DataFrame([row]))
    >>> f"{Results('cpu', [run]).estimate(model='mini', test='typos', metric='flip_rate'):%}"
    '10.0% (7.0 to 14.0)'
    """

    profile: str
    runs: list[Run]
    lacking: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=LACKING))

    @property
    def models(self) -> list[str]:
        return list(dict.fromkeys(run.model for run in self.runs))

    @property
    def notebooks(self) -> list[str]:
        return sorted({run.notebook for run in self.runs})

    @property
    def datasets(self) -> set[str]:
        """The data set of most of the default runs; as a set, empty without a run."""
        counted = Counter(run.dataset for run in self.runs if run.variant == "default")
        del counted[None]
        return {name for name, _ in counted.most_common(1)}

    @property
    def language(self) -> str:
        """The language of the texts that most runs perturb: `id`, or `en` where they say so."""
        counted = Counter(run.parameters.get("language") for run in self.runs)
        del counted[None]
        return next((name for name, _ in counted.most_common(1)), "id")

    @cached_property
    def metrics(self) -> pd.DataFrame:
        """The metrics of all runs in one table."""
        return _together([run.metrics for run in self.runs], METRICS)

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """The verdicts of all runs in one table."""
        return _together([run.verdicts for run in self.runs], VERDICTS)

    def main_task(self, run: Run) -> bool:
        """Whether a run is about the data set of most, or about none."""
        return run.dataset in {None, *self.datasets}

    def of(self, notebook: str, variant: str | None = None) -> list[Run]:
        """The runs of a notebook, of one variant or of all."""
        return [
            run for run in self.runs if run.notebook == notebook and variant in (None, run.variant)
        ]

    def select(self, **where) -> pd.DataFrame:
        """The rows of the metrics of all runs that have the values asked for.

        Parameters
        ----------
        **where
            A column of metrics.csv with its value, several values in a list, or None for missing.

        Examples
        --------
        >>> Results("cpu", []).select(model=["mini", "tfidf"]).empty
        True
        """
        return select(self.metrics, **where)

    def estimate(self, **where) -> Estimate:
        """The one number that is chosen (as in `select`; of the default variant and all rows where
        these are not named); no number where nothing was run.

        Raises
        ------
        InputError
            Where several numbers fit.

        Examples
        --------
        >>> bool(Results("cpu", []).estimate(model="mini", metric="accuracy"))
        False
        """
        rows = self.select(**({"variant": "default", "group": "all"} | where))
        if len(rows) > 1:
            told = [name for name in rows if rows[name].nunique(dropna=False) > 1]
            raise InputError(
                f"{where} names {len(rows)} numbers; add one of the columns in which they differ: "
                f"{', '.join(told)}."
            )
        return next(estimates(rows), Estimate.none())

    def compare(self, *models: str, **where) -> pd.DataFrame:
        """Every two models' changes from clean on the same rows of every test (`changes.COLUMNS`).

        Parameters
        ----------
        *models : str
            Two and more; all where none is named.
        **where
            `notebook` and `variant` of the runs; repeats with another seed are left out.

        Returns
        -------
        DataFrame
            A row per test and pair, the difference being the first model's change less the
            second's; `p_holm` is Holm's correction over the table, and `attrs["refused"]` holds
            a sentence for each comparison that could not be made.

        Examples
        --------
        >>> Results("cpu", []).compare("mini", "tfidf")["difference"].tolist()
        []
        """
        groups: dict[tuple, list[Run]] = {}
        for run in sorted(self.runs, key=lambda run: (run.notebook, run.variant)):
            named = {"notebook": run.notebook, "variant": run.variant}
            asked = run.model in (models or self.models) and all(
                named[key] in ([value] if isinstance(value, str) else value)
                for key, value in where.items()
            )
            if asked and not run.repeat and not run.trains:
                groups.setdefault((run.notebook, run.variant), []).append(run)
        return changes.between([runs for runs in groups.values() if len(runs) > 1])

    def beside(
        self,
        published: pd.DataFrame,
        on: Sequence[str] | Mapping[str, str],
        how: str = "left",
        **where,
    ) -> pd.DataFrame:
        """A published table with the numbers of the runs beside it.

        Parameters
        ----------
        published : DataFrame
            A row per published figure.
        on : list of str, or dict
            The columns by which rows belong together; {published column: column of the metrics}
            where their names differ.
        how : str
            `left` keeps published rows that nothing was run for, `outer` also runs without a
            published row, `inner` only what both have.
        **where
            Which numbers of the runs, as in `select`.

        Returns
        -------
        DataFrame
            The published columns, then those of the metrics.

        Examples
        --------
        >>> printed = pd.DataFrame({"task": ["smsa"], "printed": [0.9]})
        >>> Results("cpu", []).beside(printed, {"task": "dataset"}, metric="accuracy").columns[:2]
        Index(['task', 'printed'], dtype='str')
        """
        keys = dict(on) if isinstance(on, Mapping) else {name: name for name in on}
        own = self.select(**where)
        return published.merge(
            own.reindex(columns=list(dict.fromkeys([*own.columns, *keys.values()]))),
            how=how,
            left_on=list(keys),
            right_on=list(keys.values()),
            suffixes=("_published", ""),
        )

    def repeats(self) -> Iterator[tuple[tuple[str, str | None, str], dict[int, Run]]]:
        """The runs that differ in nothing but their seed, and the rates that they sweep:
        `(notebook, dataset, model), {seed: run}`, where there are two and more.
        """
        groups: dict[tuple, dict[int, Run]] = {}
        for run in self.runs:
            same = (run.notebook, run.dataset, run.model, *changes.settings(run))
            groups.setdefault(same, {})[run.seed] = run
        for (*group, _, _), several in groups.items():
            if len(several) > 1:
                yield tuple(group), several


def select(table: pd.DataFrame, **where) -> pd.DataFrame:
    """The rows of a table with the values asked for: one value, several in a list, or None for
    missing. A column that is not there has no such row.

    >>> table = pd.DataFrame({"test": ["gak", "ga", "typos"], "rate": [None, None, 0.3]})
    >>> select(table, test=["gak", "typos"], rate=None)["test"].to_list()
    ['gak']
    """
    for column, wanted in where.items():
        if column not in table:
            return table.iloc[:0]
        if wanted is None:
            table = table[table[column].isna()]
        else:
            values = [wanted] if pd.api.types.is_scalar(wanted) else list(wanted)
            table = table[table[column].isin(values)]
    return table


def estimates(
    rows: pd.DataFrame, low: str = "ci_low", high: str = "ci_high", value: str = "value"
) -> Iterator[Estimate]:
    """The estimate of every row of metrics (or of verdicts, with `lower` and `upper`).

    >>> rows = pd.DataFrame({"value": [0.1], "ci_low": [0.05], "ci_high": [0.2], "n": [100]})
    >>> [f"{one:%}" for one in estimates(rows)]
    ['10.0% (5.0 to 20.0)']
    """
    counts = rows["n"] if "n" in rows else pd.Series(0, rows.index)
    for numbers in zip(rows[value], rows[low], rows[high], counts, strict=True):
        yield Estimate(*numbers) if numbers[3] or "n" not in rows else Estimate.none()


def _together(tables: list[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=columns)
