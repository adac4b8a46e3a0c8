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

from tahanuji import paths
from tahanuji.codemix import translators

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
# Half a unit of the last printed digit, and 0.0001 for a delta of two shares that the files give to
# six decimals.
TOLERANCE = 0.005 + 0.0001 + 1e-9


def _read(name: str) -> pd.DataFrame:
    frame = pd.read_csv(paths.DATA / "published" / f"{name}.csv")
    return frame.assign(model=frame["model"].map(NAMES), task=frame["task"].map(TASKS))


def attack() -> pd.DataFrame:
    """The released runs of the attack, 840 rows: shares right clean and attacked, words replaced,
    texts changed, and `delta` in points.

    >>> attack().groupby("task")["n"].first().to_dict()
    {'EmoT': 440, 'SmSA': 500}
    """
    return (frame := _read("indorobusta_attack")).assign(
        delta=100 * (frame["accuracy_clean"] - frame["accuracy_attacked"])
    )


def defence() -> pd.DataFrame:
    """The released runs of the three tunings, 2,055 rows: shares right on clean and attacked texts,
    before and after; many `Joint` ones are missing.
    """
    return (frame := _read("indorobusta_defence")).assign(tuning=frame["tuning"].map(TUNINGS))


def printed(table: str) -> pd.Series:
    """The figures of `Table 1` or `Table 2` as printed, by task, model (or Avg) and column."""
    cells = pd.read_csv(paths.DATA / "published" / "adilazuarda2022.csv").query("table == @table")
    return cells.assign(task=cells["group"], model=cells["row"].replace(MODELS)).set_index(CELL)[
        "value"
    ]


def deltas(paper: pd.Series) -> pd.Series:
    """The 40 deltas of Table 1, without its averages and the clean accuracies."""
    return paper[
        paper.index.isin(LANGUAGES, level="column")
        & (paper.index.get_level_values("model") != "Avg")
    ]


def means(runs: pd.DataFrame, ratio: float = RATIO) -> pd.Series:
    """The mean delta over seeds at one ratio, by task, model and column (the attack)."""
    return (
        runs[runs["ratio"] == ratio]
        .rename(columns={"attack": "column"})
        .groupby(CELL)["delta"]
        .mean()
    )


def best_match(paper: pd.Series, released: pd.Series, keep: int = 5) -> pd.DataFrame:
    """The readings of a printed table's labels that explain most of its cells: the best `keep` of
    all, and the labels as printed.

    Both are indexed by task, model and column. A reading gives every printed model and column a
    released one of its own, the same in all tasks; all are tried (Table 1: 5! x 7!/3! = 100,800).
    Columns: per printed label the released one; `cells` within TOLERANCE, `of`, mean absolute
    `gap`, `tried`.
    """
    paper, released = (table.unstack("task").sort_index() for table in (paper, released))
    (models, columns), (others, attacks) = (
        [level.to_numpy() for level in table.index.remove_unused_levels().levels]
        for table in (paper, released)
    )
    ours, theirs = (
        paper.to_numpy().reshape(len(models), 1, len(columns), 1, -1),
        released.to_numpy().reshape(1, len(others), 1, len(attacks), -1),
    )
    orders, choices = (
        np.array(list(permutations(range(many), few)))
        for many, few in ((len(others), len(models)), (len(attacks), len(columns)))
    )
    scores = []
    for table in ((apart := np.abs(ours - theirs)) <= TOLERANCE, apart):
        pairs = table.sum(-1)[range(len(models)), orders].sum(1)
        scores.append(pairs[:, range(len(columns)), choices].sum(-1).ravel())
    named = np.outer(
        (others[orders] == models).all(1), (attacks[choices] == columns).all(1)
    ).ravel()
    ranks = np.lexsort((scores[1], -scores[0]))
    ranks = np.concatenate([ranks[:keep], ranks[keep:][named[ranks[keep:]]]])
    labels = np.hstack(
        [others[orders[ranks // len(choices)]], attacks[choices[ranks % len(choices)]]]
    )
    readings = pd.DataFrame(labels, columns=[*models, *columns]).assign(
        cells=scores[0][ranks], of=paper.size, gap=scores[1][ranks] / paper.size
    )
    return readings.assign(as_printed=named[ranks], tried=len(named))


def table_1(runs: pd.DataFrame | None = None, paper: pd.Series | None = None) -> pd.DataFrame:
    """Table 1 corrected: per task, model and language the `printed` delta, the `released` one with
    `sd` and `seeds`, and where the printed one is from.

    `released` is the mean over seeds for that very model and language. `source_model`,
    `source_language` and `source`: labels and figure that the printed delta equals under
    `best_match`, else under another attack of that model, else none: the column `su` holds Malay
    figures, and the Sundanese ones stand in no column. `avg`, `Avg`: averages.
    """
    runs, paper = attack() if runs is None else runs, printed("Table 1") if paper is None else paper
    wide = runs[runs["ratio"] == RATIO].pivot(
        index=["task", "model", "seed"], columns="attack", values="delta"
    )[[*LANGUAGES]]
    wide = pd.concat(
        [
            wide,
            wide.groupby(["task", "seed"])
            .mean()
            .assign(model="Avg")
            .set_index("model", append=True)
            .swaplevel(),
        ]
    )
    cells = wide.assign(avg=wide.mean(axis=1)).rename_axis(columns="column").stack().groupby(CELL)
    order = pd.MultiIndex.from_product(
        [TASKS.values(), [*MODELS.values(), "Avg"], [*LANGUAGES, "avg"]], names=CELL
    )
    table = pd.DataFrame(
        {"printed": paper, "released": cells.mean(), "sd": cells.std(), "seeds": cells.count()}
    ).reindex(order)
    released = means(runs)
    reading = best_match(deltas(paper), released).iloc[0]
    for cell in deltas(paper).index:
        same = released[cell[0], reading[cell[1]]]
        near = same[(same - paper[cell]).abs() <= TOLERANCE]
        source = reading[cell[2]] if reading[cell[2]] in near else next(iter(near.index), "")
        table.loc[cell, ["source_model", "source_language", "source"]] = [
            reading[cell[1]] if source else "",
            source,
            same.get(source),
        ]
    return table.astype({"seeds": int}).reset_index().rename(columns={"column": "language"})


def table_2(runs: pd.DataFrame | None = None) -> pd.DataFrame:
    """Table 2 by task, model, tuning and test: `printed`, the mean over `seven` attacks and over
    the paper's `four` languages (all ratios and seeds).

    `runs` of 84 (7 attacks x 4 ratios x 3 seeds) are released; `complete`: the figure can be
    checked; `match`: it is the mean over the seven.
    """
    runs, rows = defence() if runs is None else runs, []
    for (task, model, column), figure in printed("Table 2").items():
        tuning, test = column.split(", ")
        tuned = runs[(runs["task"] == task) & (runs["model"] == model) & (runs["tuning"] == tuning)]
        seven, four = (
            100 * part[TESTS[test]].mean()
            for part in (tuned, tuned[tuned["attack"].isin(LANGUAGES)])
        )
        rows.append(
            (
                task,
                model,
                tuning,
                test,
                figure,
                seven,
                four,
                len(tuned),
                len(tuned) == 84,
                abs(seven - figure) <= TOLERANCE,
            )
        )
    return pd.DataFrame(
        rows,
        columns=[
            "task",
            "model",
            "tuning",
            "test",
            "printed",
            "seven",
            "four",
            "runs",
            "complete",
            "match",
        ],
    )


def identity_share(
    by: tuple[str, ...] = ("attack", "ratio"), runs: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Words `replaced`, the `share` of them replaced by themselves, words really `changed` per
    text, and `untouched`, per attack and ratio or as given.

    `untouched` is the least share of the changed texts that hold no changed word: in a run no more
    texts can have one than words changed.
    """
    runs = (attack() if runs is None else runs).assign(
        new=lambda of: of["words_replaced"] - of["words_replaced_unchanged"]
    )
    total = (
        runs.assign(without=(runs["rows_changed"] - runs["new"]).clip(lower=0))
        .groupby(list(by))
        .sum(numeric_only=True)
    )
    table = pd.DataFrame(
        {
            "replaced": total["words_replaced"],
            "share": 1 - total["new"] / total["words_replaced"],
            "changed": total["new"] / total["n"],
        }
    )
    return table.assign(untouched=total["without"] / total["rows_changed"]).reset_index()


@functools.cache
def losses(dataset: str) -> pd.DataFrame:
    """Accuracy lost at R = 0.4 in IndoRobusta's Table 1, per language: IndoBERT base as printed and
    as the released files give it, and all models.

    Points of accuracy; of SmSA for data sets that the paper does not have. Columns: language,
    printed, released, least, most (of the five models' released means). Section 4.1. `table_1`
    tells which language's figures a printed column holds: Malay ones stand under Sundanese, and the
    Sundanese ones in no column.
    """
    task = DATASETS.get(dataset, "SmSA")
    table = table_1().query("task == @task and model != 'Avg' and language != 'avg'")
    spread = table.groupby("language")["released"].agg(["min", "max"])
    own = table[table["model"] == MODELS["IBB"]].set_index("language")
    rows = [
        (
            code,
            *own.loc[CODES.get(code, code), ["printed", "released"]],
            *spread.loc[CODES.get(code, code)],
        )
        for code in translators.LANGUAGES
    ]
    lost = pd.DataFrame(rows, columns=["language", "printed", "released", "least", "most"])
    lost.attrs["task"] = task
    return lost
