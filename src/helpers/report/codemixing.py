"""Code-mixing of all runs of a profile beside IndoRobusta's Tables 1 and 2, as printed and as its
released files give them.
"""

import pandas as pd

from helpers import tables
from helpers.report import compare, released, runs
from tahanuji import measure
from tahanuji.codemix import defence, results
from tahanuji.codemix.translators import LANGUAGES

ATTACK, DEFENCE = "08_code_mixing", "09_code_mixing_defence"
SHARES = ["lexicon_share", "words_replaced_share", "changed_share"]
PUBLISHED = ["printed", "released", "least", "most"]
DOSED = ["task", "model", "test", "difference", "low", "high"]  # of no attack at a dose
COSTS = ["mixing_seconds", "training_seconds"]
PAPER = {"code-mixed only": "CM Only", "two-step": "Two-Step", "joint": "Joint"}


def task(run: runs.Finished) -> str:
    """The paper's task of a run's data set."""
    return task_of(run.about["parameters"]["dataset"])


def task_of(dataset: str) -> str:
    """The paper's task of a data set; the data set's own name where the paper does not have it."""
    return released.DATASETS.get(dataset, dataset)


def _headline(found: runs.Collection) -> list[runs.Finished]:
    """The attacks of each task and model with their repeats, of several settings those that are the
    default's, or else those of the most seeds.
    """
    groups: dict[tuple, dict[tuple, list]] = {}
    for run in found.of(ATTACK):
        alike = groups.setdefault((task(run), run.model), {})
        alike.setdefault(compare.settings(run), []).append(run)
    kept = []
    for alike in groups.values():
        kept += max(alike.values(), key=lambda several: (_default(several), len(several)))
    return kept


def _default(several: list[runs.Finished]) -> bool:
    return any(run.variant == "default" for run in several)


def sweep(found: runs.Collection) -> pd.DataFrame:
    """Points of accuracy lost at every R: `task, model, language, R, here, here_low, here_high, sd,
    seeds, lexicon, replaced, changed`.

    `here` is the mean over the seeds of a run, `sd` their standard deviation, `here_low, here_high`
    its 95% interval over seeds and texts (`measure.over_seeds_and_rows`); runs with other settings
    than the headline's are left out. In percent, means over seeds:
    `lexicon`, the attacked texts' words that have a translation which is another word, `replaced`,
    those that became it, and `changed`, the texts with at least one.
    """
    groups: dict[tuple, list] = {}
    for run in _headline(found):
        answers = tables.select(run.predictions(), test=LANGUAGES)
        for (language, rate), rows in answers.groupby(["test", "rate"], sort=False):
            metrics = tables.select(run.metrics, test=language, rate=rate, group="all")
            shares = 100 * metrics.set_index("metric")["value"].reindex(SHARES)
            turned = 100 * rows.set_index("id")["induced"].astype(float)
            groups.setdefault((task(run), run.model, language, rate), []).append((turned, shares))
    rows = []
    for group, parts in groups.items():
        turned = pd.concat([one for one, _ in parts], axis=1, join="inner")
        spread = measure.over_seeds_and_rows(turned.to_numpy().T)
        shares = pd.concat([one for _, one in parts], axis=1).mean(axis=1)
        rows.append((*group, spread.mean, spread.low, spread.high, spread.sd, spread.n, *shares))
    columns = [
        "task",
        "model",
        "language",
        "R",
        "here",
        "here_low",
        "here_high",
        "sd",
        "seeds",
        "lexicon",
        "replaced",
        "changed",
    ]
    return (
        pd.DataFrame(rows, columns=columns)
        .sort_values("task", kind="stable")
        .reset_index(drop=True)
    )


def by_rate(table: pd.DataFrame) -> pd.DataFrame:
    """The sweep for reading: a row per task, model and language, a column per R with `here
    (here_low to here_high)`.
    """
    cells = folded(table).assign(R=["R = " + f"{rate:g}" for rate in table["R"]])
    order = cells[["task", "model", "language"]].drop_duplicates()
    return order.merge(
        cells.pivot(index=["task", "model", "language"], columns="R", values="here")
        .fillna("")
        .reset_index()
    )


def lost(found: runs.Collection) -> pd.DataFrame:
    """Table 1: the `sweep` at R = 0.4, without R, and `printed, released, least, most`.

    IndoBERT base as printed and released, and the least and most of the paper's five models;
    nothing for tasks that it does not have.
    """
    table = sweep(found).query("R == 0.4").drop(columns="R").reset_index(drop=True)
    paper = {
        name: released.losses(dataset).set_index("language")
        for dataset, name in released.DATASETS.items()
    }
    for column in PUBLISHED:
        beside = [
            paper[row.task].loc[row.language, column] if row.task in paper else None
            for row in table.itertuples()
        ]
        table[column] = pd.Series(beside, index=table.index, dtype=float)
    return table


def defended(found: runs.Collection) -> pd.DataFrame:
    """Table 2, accuracy in percent: `task, model, tuning`, then `original`, `old` and `fresh`, each
    with `_low` and `_high`, the 95% interval over test texts.

    `mixing seconds` and `training seconds` are the tuning's cost, NaN for the undefended model.
    `printed original`, `printed CM`, `four CM`: IndoBERT base. `old` attacks were made for the
    undefended model, as the paper's CM is; `fresh` ones for the tuned model. Ours are means over
    the run's languages at one ratio; printed are means over seven attacks and four ratios, `four
    CM` over the paper's own four languages.
    """
    paper = (
        released.table_2().query("model == 'IndoBERT base'").set_index(["task", "tuning", "test"])
    )
    rows = []
    for run in [run for run in found.of(DEFENCE) if not run.repeat]:
        old, fresh, spent = accuracy(run, "old"), accuracy(run, "fresh"), costs(run)
        errors = tables.select(run.metrics, metric="clean_error_rate").set_index("test")
        for name in fresh.index:
            wrong = errors.loc[[f"{name} fresh"], ["value", "ci_high", "ci_low"]].iloc[0]
            ours = *(100 * (1 - wrong)), *old.loc[name], *fresh.loc[name], *spent.loc[name]
            rows.append((task(run), run.model, name, *ours, *printed(paper, task(run), name)))
    ends = ("", "_low", "_high")
    scores = [f"{kind}{end}" for kind in ("original", "old", "fresh") for end in ends]
    others = [*(name.replace("_", " ") for name in COSTS), "printed original"]
    others += ["printed CM", "four CM"]
    table = pd.DataFrame(rows, columns=["task", "model", "tuning", *scores, *others])
    return table.astype(dict.fromkeys(others, float))


def costs(run: runs.Finished) -> pd.DataFrame:
    """Seconds of mixing and training by tuning; NaN for the undefended model, and for all where the
    run has no costs.csv.
    """
    path, tunings = run.folder / "costs.csv", [defence.UNDEFENDED, *defence.TUNINGS]
    if not path.is_file():
        return pd.DataFrame(index=tunings, columns=COSTS, dtype=float)
    return tables.read(path, ["tuning", *COSTS]).set_index("tuning")[COSTS].reindex(tunings)


def printed(paper: pd.DataFrame, task_name: str, tuning: str) -> tuple:
    """What the paper has of a tuning: original and CM as printed, CM over its four languages; None
    where its Table 2 lacks the tuning.
    """
    key = (task_name, PAPER.get(tuning))
    if (*key, "CM") not in paper.index:
        return (None,) * 3
    return paper.loc[(*key, "Orig"), "printed"], *paper.loc[(*key, "CM"), ["printed", "four"]]


def accuracy(run: runs.Finished, kind: str) -> pd.DataFrame:
    """Percent right under `old` or `fresh` attacks over all languages, by tuning, with interval:
    columns value, ci_low, ci_high.
    """
    table = defence.accuracies(run.metrics)
    table = table[table["series"] == f"{kind} attacks"].set_index("group")
    return 100 * table[["value", "ci_low", "ci_high"]]


def folded(table: pd.DataFrame) -> pd.DataFrame:
    """The table for reading: numbers with one decimal, an interval's two columns behind its number.

    >>> scores = {"tuning": ["joint"], "old": [71.25], "old_low": [67.0], "old_high": [75.0]}
    >>> folded(pd.DataFrame(scores))["old"].tolist()
    ['71.2 (67.0 to 75.0)']
    """
    shown = table.copy()
    for name in [name for name in table if table[name].dtype == float]:
        shown[name] = ["" if pd.isna(value) else f"{value:.1f}" for value in table[name]]
        if f"{name}_low" in table:
            spread = zip(shown[name], table[f"{name}_low"], table[f"{name}_high"], strict=True)
            shown[name] = [
                f"{one} ({low:.1f} to {high:.1f})" if pd.notna(low) else one
                for one, low, high in spread
            ]
    return shown.drop(columns=[name for name in table if name.endswith(("_low", "_high"))])


def at_dose(found: runs.Collection) -> pd.DataFrame:
    """`results.equal_dose` of every attack with the default seed, `task, model` in front: what the
    languages cost where the same share of words is really replaced.
    """
    parts = []
    for run in [run for run in _headline(found) if not run.repeat]:
        rows = tables.select(run.predictions(), test=LANGUAGES)
        names = [name for name in LANGUAGES if name in set(rows["test"])]
        if names and {"replaced", "words"} <= {*rows}:
            seed = run.about["parameters"]["seed"]
            table = results.equal_dose(rows, names, results.DOSE, seed)
            parts.append(table.assign(task=task(run), model=run.model))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=DOSED)


def sentences(dosed: pd.DataFrame, defences: pd.DataFrame) -> list[str]:
    """What the tables say: per task and model what the languages cost at one share of words really
    replaced (`at_dose`), and how many answers are right under old and fresh attacks after each
    tuning (`defended`).
    """
    said = []
    for (name, model), part in dosed.groupby(["task", "model"], sort=False):
        reached = part["dose"] >= results.DOSE
        costs = [_cost(row) for row in part[reached].itertuples()]
        few = [
            f"{LANGUAGES[row.test]} replaces at most {row.dose:.0%}, too few to compare"
            for row in part[~reached].itertuples()
        ]
        if costs:
            said.append(
                f"{name}: with {results.DOSE:.0%} of the words really replaced {model} loses "
                f"accuracy by {'; '.join(costs + few)} (95% intervals, paired on the same texts)."
            )
    for (name, model), part in defences.groupby(["task", "model"], sort=False):
        table = part.set_index("tuning")
        famous = table.loc[table["old"].idxmax()]
        seconds = table[[cost.replace("_", " ") for cost in COSTS]].sum(axis=1, min_count=1)
        right = [f"*{row.name}* {_share(row, seconds[row.name])}" for _, row in table.iterrows()]
        said.append(
            f"{name}: under the attacks made for the undefended {model} *{famous.name}* has the "
            f"highest accuracy ({famous['old']:.1f}%, undefended "
            f"{table.loc['undefended', 'old']:.1f}%; no test). Attacked anew, each tuning is right "
            f"in: {', '.join(right)}."
        )
    return said


def _cost(row) -> str:
    """A language's cost at the dose, and what English costs more on the same texts."""
    words = f"{100 * row.value:.1f} points with {LANGUAGES[row.test]} ({_ends(row, 'ci_')}"
    minus = f"; English minus {LANGUAGES[row.test]} {tables.points(row.difference)}"
    more = f"{minus}, {_ends(row)}" * (row.low == row.low)
    return f"{words}{more})"


def _ends(row, prefix: str = "") -> str:
    return tables.between(getattr(row, f"{prefix}low"), getattr(row, f"{prefix}high"))


def _share(row: pd.Series, seconds: float) -> str:
    """Percent right under attacks made anew, with its interval and what the tuning took."""
    spent = f"; {seconds:.0f} s of mixing and training" if seconds == seconds else ""
    return f"{row['fresh']:.1f}% ({row['fresh_low']:.1f} to {row['fresh_high']:.1f}{spent})"
