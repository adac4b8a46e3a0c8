"""Code-mixing of all runs of a profile beside IndoRobusta's Tables 1 and 2, as printed and as its
released files give them.
"""

import pandas as pd

from helpers import tables
from study.report.indonlu import task_of
from tahanuji import changes, measure
from tahanuji.codemix import defence, results
from tahanuji.codemix.translators import LANGUAGES
from tahanuji.published import indorobusta
from tahanuji.results import Results, Run, select

ATTACK, DEFENCE = "08_code_mixing", "09_code_mixing_defence"
SHARES = ["lexicon_share", "words_replaced_share", "changed_share"]
GROUP = ["task", "model", "language", "R"]
SWEEP = [*GROUP, "here", "here_low", "here_high", "sd", "seeds", "lexicon", "replaced", "changed"]
PUBLISHED = ["printed", "released", "least", "most"]
DOSED = ["task", "model", "test", "difference", "low", "high"]  # of no attack at a dose
COSTS = ["mixing_seconds", "training_seconds"]
PAPER = {"code-mixed only": "CM Only", "two-step": "Two-Step", "joint": "Joint"}
KINDS = ("original", "old", "fresh")


def headline(found: Results) -> list[Run]:
    """The attacks of each task and model with their repeats, of several settings those that are the
    default's, or else those of the most seeds.
    """
    groups: dict[tuple, dict[tuple, list]] = {}
    for run in found.of(ATTACK):
        alike = groups.setdefault((task_of(run.dataset), run.model), {})
        alike.setdefault(changes.settings(run), []).append(run)

    def rank(several: list[Run]) -> tuple[bool, int]:
        return any(run.variant == "default" for run in several), len(several)

    return [run for alike in groups.values() for run in max(alike.values(), key=rank)]


def sweep(found: Results) -> pd.DataFrame:
    """Points of accuracy lost at every R: `SWEEP`.

    `here` is the mean over the seeds of a run, `sd` their standard deviation, `here_low, here_high`
    its 95% interval over seeds and texts (`measure.over_seeds_and_rows`); runs with other settings
    than the headline's are left out. In percent, means over seeds: `lexicon`, the attacked texts'
    words that have a translation which is another word, `replaced`, those that became it, and
    `changed`, the texts with at least one.
    """
    groups: dict[tuple, list] = {}
    for run in headline(found):
        answers = select(run.predictions(), test=LANGUAGES)
        for (language, rate), rows in answers.groupby(["test", "rate"], sort=False):
            metrics = select(run.metrics, test=language, rate=rate, group="all")
            shares = 100 * metrics.set_index("metric")["value"].reindex(SHARES)
            turned = 100 * rows.set_index("id")["induced"].astype(float)
            key = task_of(run.dataset), run.model, language, rate
            groups.setdefault(key, []).append((turned, shares))
    rows = []
    for group, parts in groups.items():
        turned = pd.concat([one for one, _ in parts], axis=1, join="inner")
        spread = measure.over_seeds_and_rows(turned.to_numpy().T)
        shares = pd.concat([one for _, one in parts], axis=1).mean(axis=1)
        rows.append((*group, spread.mean, spread.low, spread.high, spread.sd, spread.n, *shares))
    table = pd.DataFrame(rows, columns=SWEEP)
    return table.sort_values("task", kind="stable", ignore_index=True)


def by_rate(table: pd.DataFrame) -> pd.DataFrame:
    """The sweep for reading: a row per task, model and language, a column per R with `here
    (here_low to here_high)`.
    """
    cells = folded(table).assign(R=["R = " + f"{rate:g}" for rate in table["R"]])
    order = cells[GROUP[:3]].drop_duplicates()
    wide = cells.pivot(index=GROUP[:3], columns="R", values="here").fillna("")
    return order.merge(wide.reset_index())


def lost(swept: pd.DataFrame) -> pd.DataFrame:
    """Table 1: a `sweep` at R = 0.4, without R, and `PUBLISHED`.

    IndoBERT base as printed and released, and the least and most of the paper's five models;
    nothing for tasks that it does not have.
    """
    paper = pd.concat(
        indorobusta.losses(dataset).assign(task=task)
        for dataset, task in indorobusta.DATASETS.items()
    )
    table = swept.query("R == 0.4").drop(columns="R")
    return table.merge(paper[["task", "language", *PUBLISHED]], how="left")


def defended(found: Results) -> pd.DataFrame:
    """Table 2, accuracy in percent: `task, model, tuning`, then `original`, `old` and `fresh`, each
    with `_low` and `_high`, the 95% interval over test texts.

    `mixing seconds` and `training seconds` are the tuning's cost, NaN for the undefended model.
    `printed original`, `printed CM`, `four CM`: IndoBERT base. `old` attacks were made for the
    undefended model, as the paper's CM is; `fresh` ones for the tuned model. Ours are means over
    the run's languages at one ratio; printed are means over seven attacks and four ratios, `four
    CM` over the paper's own four languages.
    """
    parts = [
        accuracies(run).join(costs(run)).assign(task=task_of(run.dataset), model=run.model)
        for run in found.of(DEFENCE)
        if not run.repeat
    ]
    columns = ["task", "model", "tuning", *_scores(), *(cost.replace("_", " ") for cost in COSTS)]
    own = pd.concat(part.rename_axis("tuning").reset_index() for part in parts) if parts else None
    own = pd.DataFrame(own, columns=columns).assign(named=lambda table: table["tuning"].map(PAPER))
    table = own.merge(printed(), how="left", on=["task", "named"]).drop(columns="named")
    return table.astype(dict.fromkeys(table.columns[3:], float))


def _scores() -> list[str]:
    return [f"{kind}{end}" for kind in KINDS for end in ("", "_low", "_high")]


def printed() -> pd.DataFrame:
    """IndoRobusta's Table 2 for IndoBERT base: `task, named, printed original, printed CM, four
    CM`.
    """
    paper = indorobusta.table_2().query("model == 'IndoBERT base'")
    wide = paper.pivot(index=["task", "tuning"], columns="test", values=["printed", "four"])
    names = {
        "printed original": wide["printed", "Orig"],
        "printed CM": wide["printed", "CM"],
        "four CM": wide["four", "CM"],
    }
    return pd.DataFrame(names).rename_axis(["task", "named"]).reset_index()


def accuracies(run: Run) -> pd.DataFrame:
    """Percent right by tuning, on ordinary texts and over all languages under old and fresh
    attacks, each with its interval.
    """
    standing = defence.accuracies(run.metrics)
    standing = standing[standing["series"].notna()].set_index(["series", "group"])
    ends = ["value", "ci_low", "ci_high"]
    old, fresh = (100 * standing.loc[f"{kind} attacks", ends] for kind in KINDS[1:])
    errors = select(run.metrics, metric="clean_error_rate").drop_duplicates("test")
    fresh_tests = [f"{name} fresh" for name in fresh.index]
    wrong = errors.set_index("test").loc[fresh_tests, ["value", "ci_high", "ci_low"]]
    right = 100 * (1 - wrong.set_axis(fresh.index))
    table = pd.concat([right, old.loc[fresh.index], fresh], axis=1)
    return table.set_axis(_scores(), axis=1)


def costs(run: Run) -> pd.DataFrame:
    """Seconds of mixing and training by tuning; NaN for the undefended model, and for all where the
    run has no costs.csv.
    """
    path, tunings = run.folder / "costs.csv", [defence.UNDEFENDED, *defence.TUNINGS]
    names = [cost.replace("_", " ") for cost in COSTS]
    if not path.is_file():
        return pd.DataFrame(index=tunings, columns=names, dtype=float)
    table = tables.read(path, ["tuning", *COSTS]).set_index("tuning")[COSTS]
    return table.reindex(tunings).set_axis(names, axis=1)


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


def at_dose(found: Results) -> pd.DataFrame:
    """`results.equal_dose` of every attack with the default seed, and `task, model`: what the
    languages cost where the same share of words is really replaced.
    """
    parts = []
    for run in [run for run in headline(found) if not run.repeat]:
        rows = select(run.predictions(), test=LANGUAGES)
        names = [name for name in LANGUAGES if name in set(rows["test"])]
        if names and {"replaced", "words"} <= {*rows}:
            table = results.equal_dose(rows, names, results.DOSE, run.seed)
            parts.append(table.assign(task=task_of(run.dataset), model=run.model))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=DOSED)
