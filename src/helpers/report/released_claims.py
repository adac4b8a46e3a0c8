"""What IndoRobusta's released result files change in the paper's conclusions and what they leave
(Adilazuarda et al., 2022).

A claim is a row `about, holds, sentence`; `holds` is None where the files cannot tell.
"""

import pandas as pd

from helpers.report import released
from helpers.report.released import LANGUAGES, RATIO

Claim = tuple[str, bool | None, str]
KINDS = ["released", "printed"]


def table(
    runs: pd.DataFrame | None = None,
    paper: pd.Series | None = None,
    tuned: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Columns `about, verdict` (stays, changes, open) and `sentence`, figures computed."""
    runs = released.attack() if runs is None else runs
    paper = released.printed("Table 1") if paper is None else paper
    one = released.table_1(runs, paper).set_index(["task", "model", "language"])
    four = runs[runs["attack"].isin(LANGUAGES)]
    rows = [labels(released.best_match(released.deltas(paper), released.means(runs)))]
    for task in released.TASKS.values():
        about = of_task(task, one, four[four["task"] == task])
        rows += [(f"{task}, {what}", holds, text) for what, holds, text in about]
    rows += [ratio(four), size(one), *tunings(released.table_2(tuned))]
    verdicts = [
        "open" if holds is None else "stays" if holds else "changes" for _, holds, _ in rows
    ]
    return pd.DataFrame(rows, columns=["about", "verdict", "sentence"]).assign(verdict=verdicts)


def labels(best: pd.DataFrame) -> Claim:
    """Whether the names of Table 1's rows and columns are those of the files that fit best."""
    top, named = best.iloc[0], best[best["as_printed"]].iloc[0]
    names = [*released.MODELS.values(), *LANGUAGES]
    other = ", ".join(f"{name} as {top[name]}" for name in names if top[name] != name)
    text = (
        f"{named['cells']} of the {top['of']} losses printed in Table 1 agree with the released "
        f"files; with {other or 'the labels as printed'}, the best of {top['tried']:,} readings of "
        f"its labels, {top['cells']} do."
    )
    return "Table 1, labels", top["as_printed"], text


def of_task(task: str, one: pd.DataFrame, four: pd.DataFrame) -> list[Claim]:
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


def extremes(about: str, part: pd.DataFrame) -> Claim:
    """Which row loses least and which most, by the files and as printed; the files cannot tell
    where they differ by less than a standard deviation over seeds.
    """
    now, was = ([part[kind].idxmin(), part[kind].idxmax()] for kind in KINDS)
    pairs = zip(now, was, strict=True)
    apart = any(
        abs(part.released[new] - part.released[old]) > part.sd[[new, old]].max()
        for new, old in pairs
    )
    least, most = (
        f"{name} ({part.released[name]:.2f} points, standard deviation {part.sd[name]:.2f})"
        for name in now
    )
    old = " and ".join(
        f"{name} ({part.printed[name]:.2f}; in the files {part.released[name]:.2f})" for name in was
    )
    holds = True if now == was else False if apart else None
    return about, holds, f"By the files {least} loses least and {most} most; as printed {old}."


def monolingual(models: pd.DataFrame) -> Claim:
    """Whether the IndoBERTs lose more, or less, than the multilingual models, as printed."""
    indonesian = models.index.str.startswith("IndoBERT")
    own, other = models.loc[indonesian, KINDS].mean(), models.loc[~indonesian, KINDS].mean()
    gap = own - other
    text = (
        f"By the files the IndoBERTs lose {own.released:.2f} points and the multilingual models "
        f"{other.released:.2f}; as printed {own.printed:.2f} and {other.printed:.2f}."
    )
    holds = None if abs(gap.printed) < 0.05 else gap.released * gap.printed > 0
    return "monolingual models", holds, text


def local(languages: pd.DataFrame, runs: pd.DataFrame) -> Claim:
    """Whether the other languages cost more than English, on the mean and in most runs."""
    more = (languages[KINDS] - languages.loc["English", KINDS]).iloc[1:]
    wide = runs.pivot(index=["model", "seed"], columns="attack", values="delta")
    wide = wide.rename(columns=LANGUAGES)
    higher = wide.gt(wide["English"] + 1e-6, axis=0).sum()
    text = ", ".join(
        f"{name} costs {row.released:.2f} points more (in {higher[name]} of {len(wide)} runs; as "
        f"printed {row.printed:.2f})"
        for name, row in more.iterrows()
    )
    most = (higher[more.index] * 2 > len(wide)).all()
    holds = (more["released"] > 0).all() and (most or None)
    return "local languages", holds, f"Beside English, {text}."


def changed_words(languages: pd.DataFrame, runs: pd.DataFrame) -> Claim:
    """How many words of a text really change, and how that goes with the points lost."""
    shares = released.identity_share(("attack",), runs).set_index("attack").rename(LANGUAGES)
    words = shares["changed"].sort_values()
    text = ", ".join(f"{name} {count:.2f}" for name, count in words.items())
    order = words.corr(languages["released"], method="spearman")
    text = (
        f"So many words really change per text: {text}; their rank correlation with the points "
        f"lost is {order:.1f}."
    )
    return "words", None, text


def other_changes(runs: pd.DataFrame) -> Claim:
    """How many of the texts that count as changed hold no changed word, at the least ratio."""
    least = released.identity_share(("ratio",), runs).iloc[0]
    text = (
        f"At R = {least.ratio} at least {least.untouched:.0%} of the texts that were counted "
        f"as changed hold no changed word: the attack drops words with a punctuation mark too."
    )
    return "other changes", None, text


def ratio(four: pd.DataFrame) -> Claim:
    """What every step of R costs on EmoT; the paper's R should bring the largest."""
    lost = four[four["task"] == "EmoT"].groupby("ratio")["delta"].mean()
    steps = lost.diff().fillna(lost)
    text = ", ".join(f"{step:.2f} up to {rate}" for rate, step in steps.items())
    holds = True if steps.idxmax() == RATIO else None
    return "EmoT, ratio", holds, f"Raising R step by step from 0 costs in points: {text}."


def size(one: pd.DataFrame) -> Claim:
    """How many models lose more than ten points on EmoT."""
    models = one.xs(("EmoT", "avg"), level=("task", "language")).drop("Avg")
    large = (models[KINDS] > 10).sum()
    text = (
        f"By the files {large['released']} models lose more than 10 points, as printed "
        f"{large['printed']}."
    )
    return "EmoT, size", large["released"] == large["printed"], text


def tunings(two: pd.DataFrame) -> list[Claim]:
    """Over which attacks Table 2 takes its means, and whether two-step tuning leads over the four
    languages.
    """
    whole = two[two["complete"]]
    mixed = whole[whole["test"] == "CM"]
    mixed = mixed.pivot(index=["task", "model"], columns="tuning", values=["seven", "four"])
    more = (mixed["four"] - mixed["seven"]).stack()
    ahead = mixed["four"].dropna().eval("`Two-Step` > Joint")
    attacks = (
        f"{whole['match'].sum()} of {len(whole)} figures of Table 2 are means over all seven "
        f"attacks of the files ({len(two) - len(whole)} more, of Joint, lack runs); over the four "
        f"languages that the paper names, accuracy under code-mixing is {more.min():.2f} to "
        f"{more.max():.2f} points higher."
    )
    best = (
        f"Over those four languages Two-Step is more often right under code-mixing than Joint in "
        f"{ahead.sum()} of {len(ahead)} cases."
    )
    return [
        ("Table 2, attacks", False if whole["match"].all() else None, attacks),
        ("Table 2, tunings", ahead.all(), best),
    ]
