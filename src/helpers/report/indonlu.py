"""Macro-F1 on the test split of IndoNLU's tasks over seeds, beside what was published (Wilie et
al., 2020; Viannisa, 2025), and what tests of tags and aspects make of it.
"""

import pandas as pd

from helpers import tables
from helpers.report import matrix, published, runs, thesis
from helpers.report.codemixing import task
from tahanuji import measure

NOTEBOOKS = ("02_conventional_metrics", "10_indonlu")
GROUPS = {"Classification": "texts and pairs", "Sequence Labeling": "words"}
# Rows of IndoNLU's Table 5: random weights, word vectors, multilingual and Indonesian encoders.
ROWS = [
    "Scratch",
    "fastText-cc-id",
    "fastText-indo4b",
    "mBERT",
    "XLM-R BASE",
    "IndoBERT-lite BASE",
    "IndoBERT BASE",
    "IndoBERT LARGE",
]
COLUMNS = ["task", "model", "source", "macro_f1", "sd", "seeds", "ci_low", "ci_high"]
MOVED = ["task", "model", "test", "change", "ci_low", "ci_high", "seeds", "verdict"]


def benchmark(found: runs.Collection) -> pd.DataFrame:
    """Columns task, model, source, macro_f1, sd, seeds, ci_low, ci_high, in percent; best model
    first. Empty for tasks that the paper does not have.

    `source` is rerun (the mean over the seeds of this profile's runs, their standard deviation, and
    the 95% interval over test rows of the run with the default seed), "IndoNLU, Table 5" or, for
    SmSA, "Viannisa, Table 4.1"; published figures have no rows behind them, and so no interval.
    """
    paper, rows = table_5(), []
    for (name, model), some in macro_f1(found).items():
        if name in paper:
            spread = measure.over_seeds(one["value"] for one in some.values())
            interval = some[min(some)][["ci_low", "ci_high"]]
            rows.append((name, model, "rerun", spread.mean, spread.sd, spread.n, *interval))
    for name in dict.fromkeys(row[0] for row in rows):
        rows += [
            (name, model, "IndoNLU, Table 5", paper.loc[model, name], *[None] * 4) for model in ROWS
        ]
    if any(row[0] == "SmSA" for row in rows):
        printed = published.table(thesis.DOCUMENT, "Table 4.1")
        rows += [
            ("SmSA", model, "Viannisa, Table 4.1", value, *[None] * 4)
            for model, value in printed["F1-score in this thesis"].items()
        ]
    table = pd.DataFrame(rows, columns=COLUMNS).astype(dict.fromkeys(COLUMNS[3:], float))
    return table.sort_values(["task", "macro_f1"], ascending=[True, False], ignore_index=True)


def table_5() -> pd.DataFrame:
    """The paper's models by its twelve tasks."""
    groups = [published.table("wilie2020", "Table 5", group) for group in GROUPS]
    return pd.concat([group.drop(columns="AVG") for group in groups], axis=1)


def macro_f1(found: runs.Collection) -> dict[tuple[str, str], dict]:
    """Per task and model its runs' macro-F1 with interval, in percent, the default seed's first;
    where two notebooks run a task, those of the first.
    """
    groups: dict[tuple, dict] = {}
    names = {name.lower(): name for name in table_5()}
    for notebook in NOTEBOOKS:
        own: dict[tuple, dict] = {}
        for run in found.of(notebook):
            row = tables.select(run.metrics, test="clean", group="all", metric="macro_f1")
            if len(row):
                name = names.get(run.about["parameters"]["dataset"], task(run))
                cell = 100 * row[["value", "ci_low", "ci_high"]].iloc[0]
                seeded = run.repeat, run.about["parameters"]["seed"]
                own.setdefault((name, run.model), {})[seeded] = cell
        groups = own | groups
    return groups


def wide(table: pd.DataFrame) -> pd.DataFrame:
    """Models by tasks, the runs of this profile first."""
    cells = [f"{row.macro_f1:.1f}" for row in table.itertuples()]
    grid = table.assign(cell=cells).pivot(index=["source", "model"], columns="task", values="cell")
    order = [name for name in table_5() if name in grid]
    ranks = {name: rank for rank, name in enumerate([*table["model"].unique(), *ROWS])}
    rank = [(source != "rerun", source, ranks[model]) for source, model in grid.index]
    grid = grid.assign(rank=rank).sort_values("rank")[order].fillna("")
    return grid.rename_axis(columns=None).reset_index()


def means(table: pd.DataFrame) -> pd.DataFrame:
    """The mean macro-F1 of each model that has run all tasks of a group: group, model, tasks,
    macro_f1, ci_low, ci_high. The interval takes the tasks' test rows as independent.
    """
    rows, here = [], table[table["source"] == "rerun"]
    for group in GROUPS:
        names = set(published.table("wilie2020", "Table 5", group)) - {"AVG"}
        for model, part in here[here["task"].isin(names)].groupby("model", sort=False):
            if set(part["task"]) == names:
                mean, width = part["macro_f1"].mean(), part["ci_high"] - part["ci_low"]
                half = float((width**2).sum() ** 0.5) / 2 / len(part)
                rows.append((group, model, len(part), mean, mean - half, mean + half))
    return pd.DataFrame(rows, columns=["group", "model", "tasks", "macro_f1", "ci_low", "ci_high"])


def on_average(table: pd.DataFrame) -> list[str]:
    """Where each model's mean lies among the paper's."""
    said = []
    for row in means(table).itertuples():
        paper = published.table("wilie2020", "Table 5", row.group).loc[ROWS, "AVG"]
        below, above = paper[paper <= row.macro_f1], paper[paper > row.macro_f1]
        sides = [
            f"{side} {name} ({paper[name]:.1f})"
            for side, part, name in (
                ("above", below, below.idxmax() if len(below) else ""),
                ("below", above, above.idxmin() if len(above) else ""),
            )
            if len(part)
        ]
        said.append(
            f"Over the {row.tasks} tasks of {GROUPS[row.group]} {row.model} reaches a mean "
            f"macro-F1 of {row.macro_f1:.1f} (95% {row.ci_low:.1f} to {row.ci_high:.1f}), "
            f"{' and '.join(sides)} in IndoNLU's Table 5."
        )
    return said


def moved(found: runs.Collection, margin: float) -> pd.DataFrame:
    """What each test of notebook 10 does to the macro-F1 of a task, in points: `MOVED`.

    `change` is the mean over seeds, the 95% interval over test rows that of the default seed, as is
    the verdict at the margin, which rests on errors added to gold spans or cells.
    """
    order, rows = {name.lower(): name for name in table_5()}, []
    for run in found.of(NOTEBOOKS[1]):
        change = tables.select(run.metrics, group="all", metric="macro_f1_change")
        judged = tables.read(run.folder / "verdicts.csv", tables.VERDICTS)
        judged = tables.select(judged, margin=margin, quantity=matrix.SHOWN["INV"])
        verdicts = judged.set_index("test")["verdict"]
        name, seed = (run.about["parameters"][key] for key in ("dataset", "seed"))
        rows += [
            (order.get(name, name), run.model, title, seed, run.repeat, *100 * numbers, verdict)
            for title, numbers, verdict in zip(
                tables.titles(change),
                change[["value", "ci_low", "ci_high"]].to_numpy(),
                change["test"].map(verdicts),
                strict=True,
            )
        ]
    keys = MOVED[:3]
    table = pd.DataFrame(rows, columns=[*keys, "seed", "repeat", *MOVED[3:6], "verdict"])
    table = table.drop_duplicates([*keys, "seed"], keep="last")  # the run on more texts
    over = table.groupby(keys, sort=False)["change"].agg(["mean", "size"]).reset_index()
    table = table[~table["repeat"].astype(bool)].drop_duplicates(keys).merge(over, on=keys)
    return table.assign(change=table["mean"], seeds=table["size"])[MOVED]


def by_test(table: pd.DataFrame) -> pd.DataFrame:
    """`moved` for reading: a row per task and model, a column per test."""
    signs = [matrix.SIGNS.get(verdict, "?") for verdict in table["verdict"]]
    cells = [
        f"{sign} {row.change:+.1f}" for sign, row in zip(signs, table.itertuples(), strict=True)
    ]
    names = [*table_5(), *table["task"]]
    order = table.assign(cell=cells).sort_values(
        "task", key=lambda tasks: tasks.map(names.index), kind="stable"
    )
    wide = order.pivot_table(
        index=["task", "model"], columns="test", values="cell", aggfunc="first", sort=False
    )
    return wide.fillna("").rename_axis(columns=None).reset_index()


def sentences(table: pd.DataFrame) -> list[str]:
    """What pre-training is worth, per task: the pre-trained model against the same network from
    random weights, the paper's Scratch, and mini-adapted, which has read the tasks' own training
    texts.
    """
    said = []
    for name, part in table.groupby("task", sort=False):
        here = part[part["source"] == "rerun"].set_index("model")
        if {"mini", "mini-scratch"} <= set(here.index):
            paper = part[part["source"].str.startswith("IndoNLU")].set_index("model")["macro_f1"]
            said.append(
                f"{name}: with pre-training mini reaches a macro-F1 of "
                f"{over_seeds(here.loc['mini'])}, from random weights "
                f"{over_seeds(here.loc['mini-scratch'])}; "
                f"the paper's Scratch has {paper['Scratch']:.1f}, its mBERT {paper['mBERT']:.1f} "
                f"and IndoBERT base {paper['IndoBERT BASE']:.1f}."
            )
        if {"mini", "mini-adapted"} <= set(here.index):
            said.append(
                f"{name}: pre-trained on the training texts of the evaluated tasks too, without "
                f"their labels, the same network reaches {over_seeds(here.loc['mini-adapted'])}, "
                f"without them {over_seeds(here.loc['mini'])}."
            )
    return said + on_average(table)


def on_tests(table: pd.DataFrame) -> list[str]:
    """Which test of `moved` that most tasks have costs each model most."""
    said = []
    for model, part in table.groupby("model", sort=False):
        change = part.groupby("test")["change"].agg(["mean", "size"])
        change = change[change["size"] == change["size"].max()]
        worst = change["mean"].idxmin()
        lost, tasks = change.loc[worst]
        if tasks > 1 and lost < 0:
            own = part[part["test"] == worst].set_index("task")["change"]
            ends = f"{round(-own.max(), 1) + 0:.1f} on {own.idxmax()} to {-own.min():.1f} on"
            said.append(
                f"Of the tests of tags and aspects {worst} costs {model} most: {-lost:.1f} points "
                f"of macro-F1 over {tasks:.0f} tasks, {ends} {own.idxmin()}."
            )
    return said


def over_seeds(row: pd.Series) -> str:
    """`81.2 (standard deviation 0.7 over 3 seeds)`, in percent."""
    return f"{row['macro_f1']:.1f}" + (
        f" (standard deviation {row['sd']:.1f} over {row['seeds']:.0f} seeds)"
        if row["seeds"] > 1
        else " (one seed)"
    )
