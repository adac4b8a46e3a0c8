"""Macro-F1 on the test split of IndoNLU's tasks over seeds, beside what was published (Wilie et
al., 2020; Viannisa, 2025), and what tests of tags and aspects make of it.
"""

from functools import cache

import pandas as pd

from study.report import decisions, views
from tahanuji import measure, published
from tahanuji.published import indorobusta, viannisa
from tahanuji.results import Results, select

LINEAR, CRF = "tfidf", "tfidf (a CRF)"  # what notebook 10 fits for tags is no TF-IDF
NOTEBOOKS = ("02_conventional_metrics", "10_indonlu")
GROUPS = {"Classification": "texts and pairs", "Sequence Labeling": "words"}
# Rows of IndoNLU's Table 5: random weights, word vectors, multilingual and Indonesian encoders.
ROWS = ["Scratch", "fastText-cc-id", "fastText-indo4b", "mBERT", "XLM-R BASE"]
ROWS += ["IndoBERT-lite BASE", "IndoBERT BASE", "IndoBERT LARGE"]
COLUMNS = ["task", "model", "source", "macro_f1", "sd", "seeds", "ci_low", "ci_high"]
MEANS = ["group", "model", "source", "tasks", "macro_f1", "ci_low", "ci_high"]
MOVED = ["task", "model", "test", "change", "ci_low", "ci_high", "seeds", "verdict"]


@cache
def table_5() -> pd.DataFrame:
    """The paper's models by its twelve tasks."""
    groups = [published.table("wilie2020", "Table 5", group) for group in GROUPS]
    return pd.concat([group.drop(columns="AVG") for group in groups], axis=1)


def task_of(dataset: str) -> str:
    """The documents' name of a data set; its own where they do not have it.

    >>> task_of("smsa"), task_of("facqa"), task_of("embedded")
    ('SmSA', 'FacQA', 'embedded')
    """
    named = {name.lower(): name for name in table_5()} | indorobusta.DATASETS
    return named.get(dataset, dataset)


def named(model: str, task: str) -> str:
    """What a table of tasks calls a model: the linear one of tags is a conditional random field.

    >>> named("tfidf", "POSP"), named("tfidf", "CASA"), named("mini", "POSP")
    ('tfidf (a CRF)', 'tfidf', 'mini')
    """
    words = published.table("wilie2020", "Table 5", "Sequence Labeling").columns
    return CRF if model == LINEAR and task in words else model


def benchmark(results: Results) -> pd.DataFrame:
    """`COLUMNS`, in percent, the best model first; empty for tasks that the paper does not have.

    `source` is rerun (the mean over the seeds of this profile's runs, their standard deviation, and
    the 95% interval over test rows of the run with the default seed), "IndoNLU, Table 5" or, for
    SmSA, "Viannisa, Table 4.1"; published figures have no rows behind them, and so no interval.
    """
    own = macro_f1(results)
    own["model"] = [named(*pair) for pair in zip(own["model"], own["task"], strict=True)]
    tasks = list(dict.fromkeys(own["task"]))
    paper = table_5().reindex(ROWS)[[name for name in table_5() if name in tasks]]
    printed = [paper.melt(var_name="task", value_name="macro_f1", ignore_index=False)]
    printed[0]["source"] = "IndoNLU, Table 5"
    if "SmSA" in tasks:
        hers = published.table(viannisa.DOCUMENT, "Table 4.1")[["F1-score in this thesis"]]
        hers = hers.set_axis(["macro_f1"], axis=1)
        printed.append(hers.assign(task="SmSA", source="Viannisa, Table 4.1"))
    parts = [part.rename_axis("model").reset_index() for part in printed if len(part.columns) > 1]
    table = pd.concat([own, *(part for part in parts if len(part))]).reindex(columns=COLUMNS)
    table = table.astype(dict.fromkeys(COLUMNS[3:], float))
    return table.sort_values(["task", "macro_f1"], ascending=[True, False], ignore_index=True)


def macro_f1(results: Results) -> pd.DataFrame:
    """The runs' macro-F1 on the paper's tasks, in percent; where two notebooks run a task, that of
    the first.
    """
    rows = results.select(notebook=NOTEBOOKS, test="clean", group="all", metric="macro_f1")
    rows = rows.assign(task=rows["dataset"].map(task_of)).query("task in @table_5().columns")
    table = []
    for (task, model), part in rows.groupby(["task", "model"], sort=False):
        part = part[part["notebook"] == part["notebook"].min()]
        part = part.assign(repeat=part["variant"].map(_repeats)).sort_values(["repeat", "seed"])
        part = part.drop_duplicates(["repeat", "seed"], keep="last")
        spread = measure.over_seeds(100 * part["value"])
        ends = 100 * part[["ci_low", "ci_high"]].iloc[0]
        table.append((task, model, "rerun", spread.mean, spread.sd, spread.n, *ends))
    return pd.DataFrame(table, columns=COLUMNS)


def _repeats(variant: str) -> bool:
    return "_seed_" in f"_{variant}" or "_epochs_" in variant


def wide(table: pd.DataFrame) -> pd.DataFrame:
    """Models by tasks, the runs of this profile first: means over seeds with their standard
    deviation, and over how many seeds.
    """
    spread = table["sd"].map(" ± {:.1f}".format).where(table["seeds"] > 1, "")
    cells = table.assign(cell=table["macro_f1"].map("{:.1f}".format) + spread)
    grid = cells.pivot(index=["source", "model"], columns="task", values="cell")
    ranks = {name: rank for rank, name in enumerate([*table["model"].unique(), *ROWS])}
    rank = [(source != "rerun", source, ranks[model]) for source, model in grid.index]
    order = [name for name in table_5() if name in grid]
    grid = grid.assign(rank=rank).sort_values("rank")[order].fillna("")
    seeds = cells.groupby(["source", "model"])["seeds"].agg(_counts)
    grid.insert(0, "seeds", seeds.reindex(grid.index))
    return grid.rename_axis(columns=None).reset_index()


def _counts(seeds: pd.Series) -> str:
    """The numbers of seeds over tasks, as "3" or "1 to 3"; empty for printed figures."""
    known = seeds.dropna().astype(int)
    return " to ".join(map(str, sorted({known.min(), known.max()}))) if len(known) else ""


def means(table: pd.DataFrame) -> pd.DataFrame:
    """`MEANS`: the mean macro-F1 of each model that has run all tasks of a group, beside the
    paper's. The interval takes the tasks' test rows as independent.
    """
    rows, here = [], table[table["source"] == "rerun"]
    for group, about in GROUPS.items():
        paper = published.table("wilie2020", "Table 5", group)
        names = set(paper) - {"AVG"}
        own = []
        for model, part in here[here["task"].isin(names)].groupby("model", sort=False):
            if set(part["task"]) == names:
                mean, width = part["macro_f1"].mean(), part["ci_high"] - part["ci_low"]
                half = float((width**2).sum() ** 0.5) / 2 / len(part)
                own.append((about, model, "rerun", len(part), mean, mean - half, mean + half))
        printed = [(about, model, "IndoNLU, Table 5", len(names), paper.at[model, "AVG"])
                   for model in ROWS]  # fmt: skip
        rows += own + printed if own else []
    return pd.DataFrame(rows, columns=MEANS)


def moved(results: Results, margin: float) -> pd.DataFrame:
    """What each test of notebook 10 does to the macro-F1 of a task, in points: `MOVED`.

    `change` is the mean over seeds, the 95% interval over test rows that of the default seed, as is
    the verdict at the margin, which rests on errors added to gold spans or cells.
    """
    parts = [
        _changes(run, margin).assign(
            task=task_of(run.dataset),
            model=named(run.model, task_of(run.dataset)),
            repeat=run.repeat,
        )
        for run in results.of(NOTEBOOKS[1])
    ]
    if not parts:
        return pd.DataFrame(columns=MOVED)
    keys = MOVED[:3]
    # of two runs with one seed that on more texts
    table = pd.concat(parts).drop_duplicates([*keys, "seed"], keep="last")
    over = table.groupby(keys, sort=False)["change"].agg(["mean", "size"]).reset_index()
    table = table[~table["repeat"].astype(bool)].drop_duplicates(keys).merge(over, on=keys)
    return table.assign(change=table["mean"], seeds=table["size"])[MOVED]


def _changes(run, margin: float) -> pd.DataFrame:
    """The change of macro-F1 in every test of a run, in points, and the verdict on errors added."""
    change = select(run.metrics, group="all", metric="macro_f1_change")
    judged = select(run.verdicts, margin=margin, quantity=decisions.ADDED)
    shown = 100 * change[["value", "ci_low", "ci_high"]].rename(columns={"value": "change"})
    verdicts = change["test"].map(judged.set_index("test")["verdict"])
    return shown.assign(test=change["title"], verdict=verdicts, seed=run.seed)


def by_test(table: pd.DataFrame) -> pd.DataFrame:
    """`moved` for reading: a row per task and model, a column per test."""
    signs = [views.SIGNS.get(verdict, "?") for verdict in table["verdict"]]
    changes = zip(signs, table["change"], strict=True)
    names = [*table_5(), *table["task"]]
    order = table.assign(cell=[f"{sign} {change:+.1f}" for sign, change in changes]).sort_values(
        "task", key=lambda tasks: tasks.map(names.index), kind="stable"
    )
    wide = order.pivot_table(
        index=["task", "model"], columns="test", values="cell", aggfunc="first", sort=False
    )
    return wide.fillna("").rename_axis(columns=None).reset_index()
