"""The perturbation grid for reading: its table, its charts, two tests against each other."""

import pandas as pd

from helpers import figures, tables
from tahanuji import grid, marks, measure, perturb, validity

OF = {"character": "characters", "word": "words", "other": "tokens"}  # what an achieved share is of


def table(measured: pd.DataFrame) -> pd.DataFrame:
    """A run's metrics for reading: per test `perturbation, asked, texts changed, kappa, kappa of
    changed, AC1 of changed, flips, accuracy, achieved`, agreements with their 95% intervals;
    `cannot act` in place of kappa where the model does not see a change.

    Asked and achieved are shares of a text's characters or words; a perturbation that is asked for
    all its places achieves a share of the white-space tokens.
    """
    whole = tables.select(measured, group="all")
    whole = whole.assign(title=tables.titles(whole))
    value = whole.pivot(index="title", columns="metric", values="value")
    touched = tables.select(whole, metric="achieved_rate").set_index("title")["n"]
    agreed = {
        name: tables.select(whole, metric=name).set_index("title")
        for name in ("kappa_changed", "ac1")
    }
    idle, rows = grid.idle(measured), []
    for row in tables.select(whole, metric="kappa").itertuples():
        of = value.loc[row.title]
        achieved = f"{of['achieved_rate']:.1%} of {OF[level_of(row.test)]}"
        rows.append(
            {
                "perturbation": row.test,
                "asked": asked(row.test, row.rate),
                "texts changed": f"{of['changed_share']:.1%}",
                "kappa": "cannot act" if row.test in idle else phrase(row),
                "kappa of changed": phrase(agreed["kappa_changed"].loc[row.title]),
                "AC1 of changed": phrase(agreed["ac1"].loc[row.title]),
                "flips": f"{of['flip_rate']:.1%}",
                "accuracy": "" if grid.directional(row.test) else f"{1 - of['failure_rate']:.1%}",
                "achieved": achieved if touched[row.title] else "",
            }
        )
    return pd.DataFrame(rows)


def extremes(by_test: pd.DataFrame, model_name: str) -> str:
    """A sentence on the perturbations under which a model agrees least and most with itself, of the
    rows of `kappa_changed` from low to high; of rates that readers have rated.
    """
    by_test = by_test[rated(by_test)]
    if by_test.empty:
        return (
            f"{model_name} gives one answer to all texts that changed, so that agreement beyond "
            f"chance is not defined."
        )
    worst, best = by_test.iloc[0], by_test.iloc[-1]
    least, most = (measure.title(row["test"], row["rate"]) for row in (worst, best))
    return (
        f"Among the texts that changed, {model_name}'s answers before and after agree least under "
        f"*{least.replace('_', ' ')}* (kappa {phrase(worst)}, {worst['n']} texts) and most under "
        f"*{most.replace('_', ' ')}* ({phrase(best)}, {best['n']} texts)."
    )


def rated(tests: pd.DataFrame) -> pd.Series:
    """Which rows of tests have no rate, or one at which readers rated the outputs, or a lower."""
    most = [validity.headline_rate(test) for test in tests["test"]]
    return tests["rate"].isna() | (tests["rate"] <= most)


def phrase(row) -> str:
    """A kappa with its interval: `0.81 (0.76 to 0.86)`; `none` where both raters always say the
    same one label, `no examples` of no rows.
    """
    if not row.n:
        return "no examples"
    return (
        f"{row.value:.2f} ({row.ci_low:.2f} to {row.ci_high:.2f})"
        if row.value == row.value
        else "none"
    )


def level_of(name: str) -> str:
    """The level of a perturbation: character, word or other."""
    return perturb.REGISTRY[name].level


def asked(name: str, rate: float) -> str:
    """How much of a text a test asks for, in words; a perturbation without a rate for all places.

    >>> asked("keyboard", 0.05), asked("synonym_wordnet", 0.2), asked("twitter", float("nan"))
    ('5% of characters', '20% of words', 'all places')
    """
    return f"{rate:.0%} of {OF[level_of(name)]}" if rate == rate else "all places"


def label(name: str) -> str:
    """The name of a perturbation in charts and tables; a DIR test and one that changes meaning are
    marked, because there a low kappa is no fault.

    >>> label("keyboard"), label("reversed_negation"), label("verb_form")
    ('keyboard', 'reversed_negation (DIR)', 'verb_form (changes meaning)')
    """
    kind = perturb.REGISTRY[name].test_type if name in perturb.REGISTRY else "INV"
    return name + {"DIR": " (DIR)", "meaning": " (changes meaning)"}.get(kind, "")


def chart(measured: pd.DataFrame, level: str, model_name: str):
    """Bars of kappa per perturbation and rate of one level with the share of texts changed above
    them; None where the level has no test.

    Romero Alvarado (2023), Figures 8 to 10.
    """
    whole = tables.select(measured, group="all")
    whole = whole[whole["test"].map(level_of) == level]
    shown = tables.select(whole, metric="kappa").dropna(subset="value")
    if shown.empty:
        return None
    shown = shown.assign(
        group=[label(name).replace("_", "\n").replace(" ", "\n") for name in shown["test"]],
        series=[
            asked(row.test, row.rate) + ", unrated" * (not known)
            for row, known in zip(shown.itertuples(), rated(shown), strict=True)
        ],
    )
    title = f"{model_name}, invariance tests: {least(shown)}"
    figure = figures.bars(shown, title, ylabel="Cohen's kappa", ordered=True)
    figure.axes[0].yaxis.set_major_formatter("{x:.1f}")
    changed = tables.select(whole, metric="changed_share")
    shares = dict(zip(tables.titles(changed), changed["value"], strict=True))
    _write_above(figure.axes[0], shown, [shares[measure.title(*key)] for key in _keys(shown)])
    return figure


def _keys(table: pd.DataFrame):
    return table[["test", "rate"]].itertuples(index=False)


def _write_above(axes, shown: pd.DataFrame, shares: list[float]) -> None:
    """The shares above the bars of `figures.bars`."""
    groups, series = list(shown["group"].unique()), list(shown["series"].unique())
    for row, share in zip(shown.itertuples(), shares, strict=True):
        beside = series.index(row.series) - (len(series) - 1) / 2
        axes.annotate(
            f"{share:.0%}",
            (groups.index(row.group) + beside * 0.8 / len(series), max(row.value, row.ci_high)),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )


def least(shown: pd.DataFrame, of_models: bool = False) -> str:
    """Where agreement is lowest, in words for a title, from rows `test, rate, value` of kappa; DIR
    tests, where low is good, what changes meaning and unrated rates do not count.

    With `of_models` the model is named too, the column `series`.
    """
    kept = shown[shown["test"].map(grid.invariant) & rated(shown)]
    if kept.empty:
        return "where the meaning changes and a low kappa is no fault"
    row = kept.loc[kept["value"].idxmin()]
    model = f"{row['series']}, " if of_models else ""
    test = measure.title(row["test"], row["rate"]).replace("_", " ")
    return f"lowest kappa {row['value']:.2f} ({model}{test})"


def against(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Two tests of the same rows, rate by rate: `rate, n, first_rate, second_rate` of flipped
    labels, exact McNemar `p`, and `q`, p after Benjamini and Hochberg over the rates; no row where
    a test is missing.
    """
    flips = {key: part["flip"].to_numpy() for key, part in rows.groupby(["test", "rate"])}
    compared = []
    for rate in [rate for test, rate in flips if test == first and (second, rate) in flips]:
        one, other = flips[first, rate], flips[second, rate]
        p = measure.compare(one, other)["p"]
        compared.append((rate, len(one), one.mean(), other.mean(), p))
    table = pd.DataFrame(compared, columns=["rate", "n", "first_rate", "second_rate", "p"])
    return table.assign(q=measure.benjamini_hochberg(table["p"]))


def noise_marks(counted: pd.DataFrame) -> pd.DataFrame:
    """How often people make each mark and how often realistic_noise does, in percent of the words
    (of ends and repeated marks, of the texts): a row per mark, a column per kind of texts, and the
    perturbations that make it; intervals beside all natural texts and the middle rate.
    """
    middle = measure.title(*grid.middle("realistic_noise"))
    cells = [
        tables.cell(row) if row.texts in ("all", middle) else f"{row.value:.1%}"
        for row in counted.itertuples()
    ]
    table = counted.assign(cell=cells).pivot(index="mark", columns="texts", values="cell")
    table = table.reindex(index=list(marks.MADE_BY), columns=counted["texts"].unique())
    table.insert(0, "made by", list(marks.MADE_BY.values()))
    return table.fillna("").reset_index()


def density(counted: pd.DataFrame) -> str:
    """A sentence on how much of unedited writing realistic_noise makes at its middle rate; empty
    where it was not counted.
    """
    test, rate = grid.middle("realistic_noise")
    rows = counted[counted["mark"] == marks.NOISE].set_index("texts")
    if measure.title(test, rate) not in rows.index:
        return ""
    said = {name: tables.phrase(rows.loc[name]) for name in rows.index}
    own = said[measure.title(test, rate)]
    return (
        f"At {asked(test, rate)} *{test.replace('_', ' ')}* leaves a mark in {own} of the words. "
        f"In unedited texts of social media people leave one in {said['all']}; the rules "
        f"that count them find one in {said['edited']} of the words of edited texts too."
    )
