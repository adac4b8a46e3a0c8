"""The csv files of a run and their columns."""

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from pandas.io.formats.style import Styler

from helpers import plain, provenance
from tahanuji import measure, models, paths
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.measure import Estimate, equivalence
from tahanuji.results import select

METRICS = ["model", "notebook", "variant", "dataset", *measure.COLUMNS, "seed"]
VERDICTS = ["model", "notebook", "variant", "dataset", *equivalence.COLUMNS, "seed"]
NAMES = ["test", "group", "id", "gold", "label", "clean_label", "perturbed_label"]
# columns from which a text could be read or rebuilt
TEXTS = ["text", "text_pair", "perturbed", "perturbed_pair", "replacements", "fragile"]
RATES = ["failure_rate", "clean_error_rate", "induced_rate", "repaired_rate", "flip_rate"]


def write(path: Path, frame: pd.DataFrame) -> None:
    """Write a csv in one step: a reader, or a rerun after a crash, never sees half a file."""
    part = path.with_name(path.name + ".part")
    frame.to_csv(part, index=False, lineterminator="\n", float_format="%.6g")
    part.replace(path)


def read(path: Path, columns: list[str]) -> pd.DataFrame:
    """A csv of a run; InputError where it is missing, empty, broken or lacks a column. Only an
    empty cell is missing: a label may be named None.
    """
    name = paths.shown(path)
    if not path.is_file():
        raise InputError(f"{name} is not there; run its notebook first.")
    try:
        types = dict.fromkeys(NAMES, str)
        options = {"keep_default_na": False, "na_values": [""], "low_memory": False}
        frame = pd.read_csv(path, dtype=types, **options)
    except pd.errors.EmptyDataError:
        raise InputError(f"{name} is empty; run its notebook again.") from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name} cannot be read ({str(error).strip().rstrip('.')}); run its notebook again."
        ) from None
    if missing := [column for column in columns if column not in frame.columns]:
        raise InputError(f"{name} has no column {', '.join(missing)}; run its notebook again.")
    return frame


def load(run, name: str) -> pd.DataFrame:
    """The table `<name>.csv` that a run wrote; misclassified rows with their texts where this
    machine has them. What stands below "Results" in a notebook is made from these tables alone.
    """
    private = run.dir / "private" / f"{name}.csv"
    return read(private if private.is_file() else run.dir / f"{name}.csv", [])


def publishable(run) -> bool:
    """Whether the licences of all data that a run used let git carry their texts."""
    return _licensed(
        run.facts.get("data") or provenance.read_json(run.dir / "provenance.json")["data"]
    )


def withhold(folder: Path, sources: list[dict]) -> None:
    """Take the columns of texts out of a run's csv files where the licence of a data set keeps its
    texts out of git; `private/` keeps them.
    """
    for path in [] if _licensed(sources) else folder.glob("*.csv"):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        if set(TEXTS) & set(frame):
            write(path, bare(frame))


def _licensed(sources: list[dict]) -> bool:
    return all(source.get("publish_texts", False) for source in sources)


def named(run, measured: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """A table with the columns that name the run in front and the seed behind: METRICS or VERDICTS
    of what was measured.
    """
    return measured.assign(
        model=run.model_name,
        notebook=run.notebook,
        variant=run.variant,
        dataset=run.parameters["dataset"],
        seed=run.parameters["seed"],
    )[columns]


def metrics(run, measured: pd.DataFrame) -> pd.DataFrame:
    """`measure.COLUMNS` as metrics.csv has them."""
    return named(run, measured, METRICS)


def save(
    run,
    predictions: pd.DataFrame,
    measured: pd.DataFrame | None = None,
    wrong: pd.DataFrame | None = None,
) -> None:
    """Write predictions.csv, metrics.csv (`measure.behaviour` of behavioural rows, unless other
    measures are given) and misclassified.csv (the failures, or the rows `wrong`) of a run.

    Texts are written only where the licence of the data lets git carry them; else misclassified
    rows with their texts go to `private/`, which git ignores, and everything else holds ids and
    hashes.
    """
    publish = publishable(run)
    measured = measure.behaviour(predictions) if measured is None else measured
    if wrong is None:
        wrong = predictions[
            predictions["failure"]
            if "failure" in predictions
            else predictions["label"] != predictions["gold"]
        ]
    for name, frame in (("predictions", predictions), ("misclassified", wrong)):
        write(run.dir / f"{name}.csv", frame if publish else bare(frame))
    if not publish:
        private(run, wrong)
    write(run.dir / "metrics.csv", metrics(run, measured))


def private(run, wrong: pd.DataFrame) -> None:
    """Write misclassified rows with their texts into a folder that its user alone may read."""
    folder = run.dir / "private"
    folder.mkdir(exist_ok=True)
    folder.chmod(0o700)
    write(folder / "misclassified.csv", wrong)


def bare(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame without its columns of TEXTS."""
    return frame.drop(columns=[column for column in TEXTS if column in frame])


def slim(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of behavioural tests as a predictions.csv keeps them where every text has dozens of
    versions.

    Without texts, without the clean probabilities (notebook 02's predictions.csv has them), the
    others to four digits.
    """
    probabilities = [
        name
        for name in rows
        if name.startswith(("clean_", "perturbed_")) and pd.api.types.is_float_dtype(rows[name])
    ]
    kept = bare(rows).drop(columns=[name for name in probabilities if name.startswith("clean_")])
    return kept.round(dict.fromkeys(probabilities, 4))


def cell(row, unit: str = "%") -> str:
    """A row of metrics for reading: `12.3% (9.8 to 15.4)`."""
    return f"{Estimate(row.value, row.ci_low, row.ci_high, row.n):{unit}}"


def rates(measured: pd.DataFrame, wanted: Sequence[str] = RATES) -> pd.DataFrame:
    """A table for reading: n, and one column per rate as `12.3% (9.8 to 15.4)`; a row per test."""
    shown = select(measured, metric=wanted)
    shown = shown.assign(test=titles(shown), cell=[cell(row) for row in shown.itertuples()])
    table = shown.pivot(index="test", columns="metric", values="cell").loc[
        shown["test"].unique(), list(wanted)
    ]
    table.columns = [
        name.removesuffix("_rate").removesuffix("_share").replace("_", " ")
        for name in table.columns
    ]
    table.insert(0, "n", shown.drop_duplicates("test").set_index("test")["n"])
    return table.rename_axis(columns=None)


def examples(instruments: list[Instrument], seed: int, frame: pd.DataFrame | None = None) -> Styler:
    """Three sentences of the project's own corpus, or those of a frame, and what every instrument
    makes of them: a row per instrument.
    """
    sample = models.examples(3) if frame is None else frame
    rows = [("unchanged", *sample["text"])]
    for one in instruments:
        name = one.test if math.isnan(one.table_rate) else one.name
        rows.append((name, *(text or "(unchanged)" for text in one.apply(sample, seed))))
    columns = [f"example {number}" for number in range(1, len(sample) + 1)]
    return prose(pd.DataFrame(rows, columns=["change", *columns]))


def readable(run, frame: pd.DataFrame, columns: list[str], rows: int = 10) -> "Folded":
    """The first rows with the columns named, below a line that says how many there are and opens
    them; texts only where the licence of the run's data lets a committed notebook show them.
    """
    publish = publishable(run)
    kept = [column for column in columns if publish or column not in TEXTS]
    line = f"The first {rows} of {len(frame)}" if len(frame) > rows else f"All {len(frame)}"
    return folded(line, frame[kept].head(rows))


def prose(frame: pd.DataFrame) -> Styler:
    """A table with whole texts, flush left, for a notebook; tags in a text are shown and not
    obeyed.
    """
    left = [{"selector": "th, td", "props": "text-align: left; vertical-align: top"}]
    plain = Styler(frame, uuid="prose", cell_ids=False).set_table_styles(left)
    return plain.hide(axis="index").format(precision=3, na_rep="", escape="html")


def _details(parts: dict[str, str]) -> str:
    """HTML below lines that open it."""
    return "".join(
        f"<details><summary>{html.escape(line)}</summary>{part}</details>"
        for line, part in parts.items()
    )


@dataclass(frozen=True)
class Folded:
    """Tables below lines that open them; as plain text, the tables one below another."""

    tables: dict[str, Styler]

    def _repr_html_(self) -> str:
        return _details({line: table.to_html() for line, table in self.tables.items()})

    def __repr__(self) -> str:
        return "\n\n".join(f"{line}\n\n{plain.table(one)}" for line, one in self.tables.items())


@dataclass(frozen=True)
class Contents:
    """Folded tables below one line each; as plain text, the lines alone."""

    parts: dict[str, Folded]

    def _repr_html_(self) -> str:
        return _details({line: part._repr_html_() for line, part in self.parts.items()})

    def __repr__(self) -> str:
        lines = [
            [name, *(f"  {line}" for line in part.tables)] for name, part in self.parts.items()
        ]
        return "\n".join(line for group in lines for line in group)


def folded(summary: str, frame: pd.DataFrame) -> Folded:
    """A table as `prose` shows it, below a line that opens it."""
    return Folded({summary: prose(frame)})


def estimate(measured: pd.DataFrame, **wanted) -> Estimate:
    """The first of the rows wanted of a metrics table as an estimate, of all rows (group all)
    unless another group is asked for; no examples where there is none.
    """
    rows = select(measured, **({"group": "all"} | wanted))
    return Estimate.none() if rows.empty else as_estimate(rows.iloc[0])


def as_estimate(row: pd.Series) -> Estimate:
    """A row of metrics as an estimate."""
    return Estimate(*row[["value", "ci_low", "ci_high", "n"]])


def findings(*rows: tuple) -> Styler:
    """The findings of a notebook as a table; a row is (question, estimate, unit, verdict), of which
    the unit, percent, and the verdict, none, may be left out.
    """
    table = []
    for row in rows:
        question, value, unit, verdict = *row, *("%", "")[len(row) - 2 :]
        shown = f"{value:{unit}}" if isinstance(value, Estimate) else value
        table.append((question, shown, verdict))
    return prose(pd.DataFrame(table, columns=["question", "estimate", "verdict"]))


def titles(measured: pd.DataFrame) -> pd.api.extensions.ExtensionArray:
    """The names for readers of the tests of a metrics table, row by row (`measure.title`)."""
    keys = measured[measure.KEY]
    tests = keys.groupby(measure.KEY, dropna=False, sort=False).ngroup()  # as they appear
    names = [measure.title(*key) for key in keys[~tests.duplicated()].itertuples(index=False)]
    return pd.array(names, dtype="str").take(tests)


def phrase(row: pd.Series) -> str:
    """A rate's row in words: `13.3% (n=30, 95% 5.3 to 29.7)`."""
    low, high = row["ci_low"] * 100, row["ci_high"] * 100
    return f"{row['value']:.1%} (n={row['n']}, 95% {low:.1f} to {high:.1f})"
