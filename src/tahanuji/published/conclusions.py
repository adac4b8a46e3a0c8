"""What IndoRobusta's released result files change in the paper's conclusions and what they leave
(Adilazuarda et al., 2022).
"""

import pandas as pd

from tahanuji.published import indorobusta
from tahanuji.published.indorobusta import LANGUAGES, RATIO

__all__ = ["table"]

COLUMNS = ["about", "question", "released", "printed", "verdict"]
VERDICTS = {True: "stays", False: "changes", None: "open"}
KINDS = ["released", "printed"]
QUESTIONS = {
    "labels": "Printed losses that agree with the files, by the best labels and as printed",
    "languages": "Languages that cost least and most, in points (sd over seeds)",
    "models": "Models that lose least and most, in points (sd over seeds)",
    "monolingual models": "Points lost by the IndoBERTs and by the multilingual models",
    "local languages": "Points that a language costs beside English (runs in which it costs more)",
    "words": "Words really changed per text, and their rank correlation with the points lost",
    "other changes": "Changed texts without a changed word, at least, at the lowest ratio",
    "ratio": "Points that each step of the ratio costs",
    "size": "Models that lose more than 10 points",
    "attacks": "Figures that are means over all seven attacks, and what four would add in points",
    "tunings": "Cases in which Two-Step leads Joint on mixed texts, over four languages",
}
Row = tuple[str, bool | None, str, str]  # what it is about, whether it holds, released, printed


def table(
    runs: pd.DataFrame | None = None,
    paper: pd.Series | None = None,
    tuned: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """The paper's conclusions by the released files.

    Parameters
    ----------
    runs, paper, tuned : DataFrame, Series, DataFrame, optional
        Other figures than those of `indorobusta.attack`, `printed` and `defence`.

    Returns
    -------
    DataFrame
        `about`, `question`, what the files give (`released`) and what is `printed`, and `verdict`:
        stays, changes, or open where the files cannot tell.

    Examples
    --------
    >>> table().set_index("about").loc["EmoT, size", ["released", "printed", "verdict"]].tolist()
    ['3', '5', 'changes']
    """
    runs = indorobusta.attack() if runs is None else runs
    paper = indorobusta.printed("Table 1") if paper is None else paper
    one = indorobusta.table_1(runs, paper).set_index(["task", "model", "language"])
    four = runs[runs["attack"].isin(LANGUAGES)]
    deltas, means = indorobusta.deltas(paper), indorobusta.means(runs)
    rows = [("Table 1, labels", *labels(indorobusta.best_match(deltas, means))[1:])]
    for task in indorobusta.TASKS.values():
        about = of_task(task, one, four[four["task"] == task])
        rows += [(f"{task}, {name}", *rest) for name, *rest in about]
    rows += [("EmoT, ratio", *ratio(four)[1:]), ("EmoT, size", *size(one)[1:])]
    two = indorobusta.table_2(tuned)
    rows += [(f"Table 2, {name}", *rest) for name, *rest in (attacks(two), tunings(two))]
    asked = [QUESTIONS[about.split(", ")[1]] for about, *_ in rows]
    told = [
        (about, question, released, printed, VERDICTS[holds])
        for (about, holds, released, printed), question in zip(rows, asked, strict=True)
    ]
    return pd.DataFrame(told, columns=COLUMNS)


def labels(best: pd.DataFrame) -> Row:
    """Whether the names of Table 1's rows and columns are those of the files that fit best."""
    top, named = best.iloc[0], best[best["as_printed"]].iloc[0]
    names = [*indorobusta.MODELS.values(), *LANGUAGES]
    other = ", ".join(f"{name} is {top[name]}" for name in names if top[name] != name)
    released = f"{top['cells']} of {top['of']} ({other or 'as printed'})"
    return "labels", bool(top["as_printed"]), released, f"{named['cells']} of {named['of']}"


def of_task(task: str, one: pd.DataFrame, four: pd.DataFrame) -> list[Row]:
    """What can be said of a task from its rows of Table 1 and from its runs in the paper's
    languages.
    """
    languages = one.xs((task, "Avg"), level=("task", "model")).drop("avg").rename(LANGUAGES)
    models = one.xs((task, "avg"), level=("task", "language")).drop("Avg")
    runs = four[four["ratio"] == RATIO]
    return [
        extremes("languages", languages),
        extremes("models", models),
        monolingual(models),
        local(languages, runs),
        changed_words(languages, runs),
        other_changes(four),
    ]


def extremes(about: str, part: pd.DataFrame) -> Row:
    """Which row loses least and which most, by the files and as printed; the files cannot tell
    where they differ by less than a standard deviation over seeds.
    """
    now, was = ([part[kind].idxmin(), part[kind].idxmax()] for kind in KINDS)
    gaps = [
        abs(part["released"][new] - part["released"][old]) > part["sd"][[new, old]].max()
        for new, old in zip(now, was, strict=True)
    ]
    holds = True if now == was else False if any(gaps) else None
    released = [f"{name} {part['released'][name]:.2f} ({part['sd'][name]:.2f})" for name in now]
    printed = [f"{name} {part['printed'][name]:.2f}" for name in was]
    return about, holds, ", ".join(released), ", ".join(printed)


def monolingual(models: pd.DataFrame) -> Row:
    """Whether the IndoBERTs lose more, or less, than the multilingual models, as printed."""
    indonesian = models.index.str.startswith("IndoBERT")
    own, other = models.loc[indonesian, KINDS].mean(), models.loc[~indonesian, KINDS].mean()
    gap = own - other
    holds = None if abs(gap["printed"]) < 0.05 else bool(gap["released"] * gap["printed"] > 0)
    released, printed = (f"{own[kind]:.2f} and {other[kind]:.2f}" for kind in KINDS)
    return "monolingual models", holds, released, printed


def local(languages: pd.DataFrame, runs: pd.DataFrame) -> Row:
    """Whether the other languages cost more than English, on the mean and in most runs."""
    more = (languages[KINDS] - languages.loc["English", KINDS]).iloc[1:]
    wide = runs.pivot(index=["model", "seed"], columns="attack", values="delta")
    wide = wide.rename(columns=LANGUAGES)
    higher = wide.gt(wide["English"] + 1e-6, axis=0).sum()
    most = (higher[more.index] * 2 > len(wide)).all()
    holds = (True if most else None) if (more["released"] > 0).all() else False
    released = [
        f"{name} {lost:+.2f} ({higher[name]} of {len(wide)})"
        for name, lost in more["released"].items()
    ]
    printed = [f"{name} {lost:+.2f}" for name, lost in more["printed"].items()]
    return "local languages", holds, ", ".join(released), ", ".join(printed)


def changed_words(languages: pd.DataFrame, runs: pd.DataFrame) -> Row:
    """How many words of a text really change, and how that goes with the points lost."""
    shares = indorobusta.identity_share(("attack",), runs).set_index("attack").rename(LANGUAGES)
    words = shares["changed"].sort_values()
    order = words.corr(languages["released"], method="spearman")
    counts = ", ".join(f"{name} {count:.2f}" for name, count in words.items())
    return "words", None, f"{counts}; {order:.1f}", ""


def other_changes(runs: pd.DataFrame) -> Row:
    """How many of the texts that count as changed hold no changed word, at the least ratio: the
    attack drops words with a punctuation mark too.
    """
    least = indorobusta.identity_share(("ratio",), runs).iloc[0]
    return "other changes", None, f"{least.untouched:.0%} at R = {least.ratio}", ""


def ratio(four: pd.DataFrame) -> Row:
    """What every step of R costs on EmoT; the paper's R should bring the largest."""
    lost = four[four["task"] == "EmoT"].groupby("ratio")["delta"].mean()
    steps = lost.diff().fillna(lost)
    released = ", ".join(f"{step:.2f} up to {rate}" for rate, step in steps.items())
    return "ratio", True if steps.idxmax() == RATIO else None, released, f"most up to {RATIO}"


def size(one: pd.DataFrame) -> Row:
    """How many models lose more than ten points on EmoT."""
    models = one.xs(("EmoT", "avg"), level=("task", "language")).drop("Avg")
    large = (models[KINDS] > 10).sum()
    holds = bool(large["released"] == large["printed"])
    return "size", holds, str(large["released"]), str(large["printed"])


def attacks(two: pd.DataFrame) -> Row:
    """Over which attacks Table 2 takes its means; of Joint not all runs were released."""
    whole = two[two["complete"]]
    mixed = whole[whole["test"] == "CM"]
    more = mixed["four"] - mixed["seven"]
    told = f"{whole['match'].sum()} of {len(whole)}; {more.min():.2f} to {more.max():.2f}"
    return "attacks", False if whole["match"].all() else None, told, "four languages"


def tunings(two: pd.DataFrame) -> Row:
    """Whether two-step tuning leads over the four languages."""
    mixed = two[two["complete"] & (two["test"] == "CM")]
    mixed = mixed.pivot(index=["task", "model"], columns="tuning", values="four").dropna()
    ahead = mixed["Two-Step"] > mixed["Joint"]
    return "tunings", bool(ahead.all()), f"{ahead.sum()} of {len(ahead)}", "Two-Step leads"
