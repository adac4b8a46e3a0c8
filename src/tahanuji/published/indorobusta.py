"""What the result files released with IndoRobusta say about its Tables 1 and 2 (Adilazuarda et al.,
2022).

data/published/indorobusta_*.csv hold figures worked out from the files that the authors published
with their code (faridlazuarda/indorobusta on GitHub, commit 7ca9b421), one row per model, task,
attack, ratio and seed, and per tuning. Only because they did can anything here be checked.
Accuracies are percent, deltas percentage points lost to an attack, spreads standard deviations over
seeds.
"""

import functools
from itertools import permutations

import numpy as np
import pandas as pd

from tahanuji import data, published
from tahanuji.codemix import translators

__all__ = [
    "attack",
    "best_match",
    "defence",
    "identity_share",
    "losses",
    "printed",
    "table_1",
    "table_2",
]

MODELS = {
    "IBB": "IndoBERT base",
    "IBL": "IndoBERT large",
    "mBB": "mBERT",
    "XRB": "XLM-R base",
    "XRL": "XLM-R large",
}
NAMES = dict(
    zip(["indobert", "indobertlarge", "mbert", "xlmr", "xlmrlarge"], MODELS.values(), strict=True)
)
DATASETS = {"smsa": "SmSA", "emot": "EmoT"}
CODES = {"jv": "jw"}  # Javanese in the paper's tables
TASKS = {"emotion": "EmoT", "sentiment": "SmSA"}
LANGUAGES = {"en": "English", "jw": "Javanese", "ms": "Malay", "su": "Sundanese"}
TUNINGS = {"code_mixed_only": "CM Only", "two_step": "Two-Step", "joint": "Joint"}
TESTS = {"Orig": "accuracy_clean_defended", "CM": "accuracy_attacked_defended"}
CELL = ["task", "model", "column"]
RATIO = 0.4  # of Table 1
WHOLE = 84  # runs: 7 attacks x 4 ratios x 3 seeds
# Half a unit of the last printed digit, and 0.0001 for a delta of two shares that the files give to
# six decimals.
TOLERANCE = 0.005 + 0.0001 + 1e-9


def _read(name: str) -> pd.DataFrame:
    frame = pd.read_csv(published.FOLDER / f"{name}.csv")
    return frame.assign(model=frame["model"].map(NAMES), task=frame["task"].map(TASKS))


def attack() -> pd.DataFrame:
    """The released runs of the attack, 840 rows.

    Returns
    -------
    DataFrame
        Shares right on clean and attacked texts, words replaced, texts changed, and `delta` in
        points.

    Examples
    --------
    >>> attack().groupby("task")["n"].first().to_dict()
    {'EmoT': 440, 'SmSA': 500}
    """
    frame = _read("indorobusta_attack")
    return frame.assign(delta=100 * (frame["accuracy_clean"] - frame["accuracy_attacked"]))


def defence() -> pd.DataFrame:
    """The released runs of the three tunings, 2,055 rows; many `Joint` ones are missing.

    Returns
    -------
    DataFrame
        Shares right on clean and attacked texts, before and after tuning.

    Examples
    --------
    >>> sorted(defence()["tuning"].unique())
    ['CM Only', 'Joint', 'Two-Step']
    """
    frame = _read("indorobusta_defence")
    return frame.assign(tuning=frame["tuning"].map(TUNINGS))


def printed(table: str) -> pd.Series:
    """The figures of a table as printed.

    Parameters
    ----------
    table : {"Table 1", "Table 2"}

    Returns
    -------
    Series
        By task, model (or Avg) and column.

    Examples
    --------
    >>> float(printed("Table 1")["SmSA", "mBERT", "en"])
    2.2
    """
    cells = data.read_table(published.FOLDER / "adilazuarda2022.csv").query("table == @table")
    cells = cells.assign(task=cells["group"], model=cells["row"].replace(MODELS))
    return cells.set_index(CELL)["value"].rename_axis(CELL).astype(float)


def deltas(paper: pd.Series) -> pd.Series:
    """The 40 deltas of Table 1, without its averages and the clean accuracies."""
    named = paper.index.isin(LANGUAGES, level="column")
    return paper[named & (paper.index.get_level_values("model") != "Avg")]


def means(runs: pd.DataFrame, ratio: float = RATIO) -> pd.Series:
    """The mean delta over seeds at one ratio, by task, model and column (the attack)."""
    own = runs[runs["ratio"] == ratio].rename(columns={"attack": "column"})
    return own.groupby(CELL)["delta"].mean()


def best_match(paper: pd.Series, released: pd.Series, keep: int = 5) -> pd.DataFrame:
    """The readings of a printed table's labels that explain most of its cells.

    A reading gives every printed model and column a released one of its own, the same in all tasks;
    all are tried (Table 1: 5! x 7!/3! = 100,800).

    Parameters
    ----------
    paper, released : Series
        By task, model and column.
    keep : int
        How many readings are kept besides that of the labels as printed.

    Returns
    -------
    DataFrame
        Per printed label the released one; `cells` within `TOLERANCE`, `of`, mean absolute `gap`,
        `as_printed`, `tried`; the best first.

    Examples
    --------
    >>> best = best_match(deltas(printed("Table 1")), means(attack())).iloc[0]
    >>> best["mBERT"], int(best["cells"]), int(best["of"])
    ('XLM-R large', 39, 40)
    """
    paper, released = (table.unstack("task").sort_index() for table in (paper, released))
    (models, columns), (others, attacks) = (
        [level.to_numpy() for level in table.index.remove_unused_levels().levels]
        for table in (paper, released)
    )
    ours = paper.to_numpy().reshape(len(models), 1, len(columns), 1, -1)
    theirs = released.to_numpy().reshape(1, len(others), 1, len(attacks), -1)
    orders, choices = (
        np.array(list(permutations(range(many), few)))
        for many, few in ((len(others), len(models)), (len(attacks), len(columns)))
    )
    apart = np.abs(ours - theirs)
    cells, gap = (_totals(table, orders, choices) for table in (apart <= TOLERANCE, apart))
    named = np.outer((others[orders] == models).all(1), (attacks[choices] == columns).all(1))
    named = named.ravel()
    ranks = np.lexsort((gap, -cells))
    ranks = np.concatenate([ranks[:keep], ranks[keep:][named[ranks[keep:]]]])
    labels = [others[orders[ranks // len(choices)]], attacks[choices[ranks % len(choices)]]]
    readings = pd.DataFrame(np.hstack(labels), columns=[*models, *columns])
    readings = readings.assign(cells=cells[ranks], of=paper.size, gap=gap[ranks] / paper.size)
    return readings.assign(as_printed=named[ranks], tried=len(named))


def _totals(table: np.ndarray, orders: np.ndarray, choices: np.ndarray) -> np.ndarray:
    """The sum over the cells of a table under every order of models and choice of columns."""
    pairs = table.sum(-1)[range(orders.shape[1]), orders].sum(1)
    return pairs[:, range(choices.shape[1]), choices].sum(-1).ravel()


def table_1(runs: pd.DataFrame | None = None, paper: pd.Series | None = None) -> pd.DataFrame:
    """Table 1 corrected.

    Parameters
    ----------
    runs, paper : DataFrame, Series, optional
        Other runs than those of `attack`, other figures than those of `printed`.

    Returns
    -------
    DataFrame
        Per task, model and language: the `printed` delta; `released`, the mean over seeds for that
        very model and language, with `sd` and `seeds`; `source_model`, `source_language` and
        `source`: labels and figure that the printed delta equals under `best_match`, else under
        another attack of that model, else none. The column `su` holds Malay figures, and the
        Sundanese ones stand in no column. `avg`, `Avg`: averages.

    Examples
    --------
    >>> table_1().query("source_language == 'fr'")[["task", "model", "language"]].values.tolist()
    [['EmoT', 'IndoBERT base', 'jw']]
    """
    runs, paper = attack() if runs is None else runs, printed("Table 1") if paper is None else paper
    cells = _cells(runs).groupby(CELL)
    names = [TASKS.values(), [*MODELS.values(), "Avg"], [*LANGUAGES, "avg"]]
    parts = {"printed": paper, "released": cells.mean(), "sd": cells.std(), "seeds": cells.count()}
    table = pd.DataFrame(parts).reindex(pd.MultiIndex.from_product(names, names=CELL))
    released = means(runs)
    reading = best_match(deltas(paper), released).iloc[0]
    for cell in deltas(paper).index:
        same = released[cell[0], reading[cell[1]]]
        near = same[(same - paper[cell]).abs() <= TOLERANCE]
        source = reading[cell[2]] if reading[cell[2]] in near else next(iter(near.index), "")
        named = [reading[cell[1]] if source else "", source, same.get(source)]
        table.loc[cell, ["source_model", "source_language", "source"]] = named
    return table.astype({"seeds": int}).reset_index().rename(columns={"column": "language"})


def _cells(runs: pd.DataFrame) -> pd.Series:
    """The deltas of Table 1 by task, model (or Avg), seed and language (or avg)."""
    keys = ["task", "model", "seed"]
    own = runs[runs["ratio"] == RATIO]
    wide = own.pivot(index=keys, columns="attack", values="delta")[[*LANGUAGES]]
    average = wide.groupby(["task", "seed"]).mean().assign(model="Avg")
    wide = pd.concat([wide, average.reset_index().set_index(keys)])
    return wide.assign(avg=wide.mean(axis=1)).rename_axis(columns="column").stack()


def table_2(runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Table 2 worked out again.

    Parameters
    ----------
    runs : DataFrame, optional
        Other runs than those of `defence`.

    Returns
    -------
    DataFrame
        By task, model, tuning and test: `printed`; the mean over `seven` attacks and over the
        paper's `four` languages (all ratios and seeds); how many `runs` of 84 were released;
        `complete`: the figure can be checked; `match`: it is the mean over the seven.

    Examples
    --------
    >>> table = table_2()
    >>> len(table), int(table["complete"].sum()), int(table.query("complete")["match"].sum())
    (60, 46, 46)
    """
    runs, rows = defence() if runs is None else runs, []
    groups = dict(list(runs.groupby(["task", "model", "tuning"])))
    for (task, model, column), figure in printed("Table 2").items():
        tuning, test = column.split(", ")
        tuned = groups.get((task, model, tuning), runs.iloc[:0])
        four = tuned[tuned["attack"].isin(LANGUAGES)]
        both = [100 * part[TESTS[test]].mean() for part in (tuned, four)]
        rows.append((task, model, tuning, test, figure, *both, len(tuned)))
    names = ["task", "model", "tuning", "test", "printed", "seven", "four", "runs"]
    table = pd.DataFrame(rows, columns=names)
    near = (table["seven"] - table["printed"]).abs() <= TOLERANCE
    return table.assign(complete=table["runs"] == WHOLE, match=near)


def identity_share(
    by: tuple[str, ...] = ("attack", "ratio"), runs: pd.DataFrame | None = None
) -> pd.DataFrame:
    """How many words were replaced by themselves.

    Parameters
    ----------
    by : tuple of str
        Columns of `attack`.
    runs : DataFrame, optional
        Other runs than those of `attack`.

    Returns
    -------
    DataFrame
        Words `replaced`; the `share` of them replaced by themselves; words really `changed` per
        text; and `untouched`, the least share of the changed texts that hold no changed word: in a
        run no more texts can have one than words changed.

    Examples
    --------
    >>> identity_share(("attack",)).set_index("attack")["share"].round(2).to_dict()["en"]
    0.84
    """
    runs = attack() if runs is None else runs
    runs = runs.assign(new=runs["words_replaced"] - runs["words_replaced_unchanged"])
    runs["without"] = (runs["rows_changed"] - runs["new"]).clip(lower=0)
    total = runs.groupby(list(by)).sum(numeric_only=True)
    shares = {
        "replaced": total["words_replaced"],
        "share": 1 - total["new"] / total["words_replaced"],
        "changed": total["new"] / total["n"],
        "untouched": total["without"] / total["rows_changed"],
    }
    return pd.DataFrame(shares).reset_index()


@functools.cache
def losses(dataset: str) -> pd.DataFrame:
    """Accuracy lost at R = 0.4 in IndoRobusta's Table 1, per language, in points (Section 4.1).

    Parameters
    ----------
    dataset : str
        The figures are those of SmSA for data sets that the paper does not have.

    Returns
    -------
    DataFrame
        `language`, `printed` and `released` of IndoBERT base, `least` and `most` of the five
        models' released means. `table_1` tells which language's figures a printed column holds:
        Malay ones stand under Sundanese, and the Sundanese ones in no column.

    Examples
    --------
    >>> losses("smsa").set_index("language").loc["su", ["printed", "released"]].round(2).tolist()
    [2.4, 2.07]
    """
    task = DATASETS.get(dataset, "SmSA")
    table = table_1().query("task == @task and model != 'Avg' and language != 'avg'")
    spread = table.groupby("language")["released"].agg(["min", "max"])
    own = table[table["model"] == MODELS["IBB"]].set_index("language")[["printed", "released"]]
    lost = own.join(spread).rename(columns={"min": "least", "max": "most"})
    codes = [CODES.get(code, code) for code in translators.LANGUAGES]
    lost = lost.loc[codes].set_axis(pd.Index(translators.LANGUAGES, name="language"))
    lost.attrs["task"] = task
    return lost.reset_index()
