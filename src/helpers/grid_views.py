"""The perturbation grid for reading: its table, its charts, two tests against each other."""

import pandas as pd

from helpers import figures
from tahanuji import grid, measure, perturb

OF = {"character": "characters", "word": "words", "other": "tokens"}  # what an achieved share is of


def table(found: pd.DataFrame) -> pd.DataFrame:
    """A run's metrics for reading: per test `perturbation, asked, kappa, flips, accuracy, texts
    changed, achieved`, kappa with its 95% interval.

    Asked and achieved are shares of a text's characters or words; a perturbation that is asked for
    all its places achieves a share of the white-space tokens.
    """
    value = {
        metric: part.set_index("slice")
        for metric, part in found[~found["slice"].str.contains("|", regex=False)].groupby("metric")
    }
    rows = []
    for test, row in value["kappa"].iterrows():
        failed, achieved = value["failure_rate"].loc[test], value["achieved_rate"].loc[test]
        right = "" if grid.directional(test) else f"{1 - failed['value']:.1%}"
        rows.append(
            {
                "perturbation": grid.name_of(test),
                "asked": asked(test),
                "kappa": phrase(row),
                "flips": f"{value['flip_rate'].loc[test, 'value']:.1%}",
                "accuracy": right,
                "texts changed": f"{value['changed_share'].loc[test, 'value']:.1%}",
                "achieved": f"{achieved['value']:.1%} of {OF[level_of(test)]}"
                if achieved["n"]
                else "",
            }
        )
    return pd.DataFrame(rows)


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


def level_of(test: str) -> str:
    """The level of a test's perturbation: character, word or other."""
    return perturb.REGISTRY[grid.name_of(test)].level


def asked(test: str) -> str:
    """How much of a text a test asks for, in words.

    >>> asked("keyboard 0.05"), asked("synonym_wordnet 0.2"), asked("twitter")
    ('5% of characters', '20% of words', 'all places')
    """
    level, (_, rate) = level_of(test), grid.settings([grid.name_of(test)])[test]
    return "all places" if level == "other" else f"{rate:.0%} of {OF[level]}"


def label(test: str) -> str:
    """The name of a test's perturbation in charts and tables; a DIR test is marked, because there a
    low kappa is no fault.

    >>> label("keyboard 0.05"), label("reversed_negation")
    ('keyboard', 'reversed_negation (DIR)')
    """
    return f"{grid.name_of(test)}{' (DIR)' * grid.directional(test)}"


def chart(found: pd.DataFrame, level: str, model_name: str):
    """Bars of kappa per perturbation and rate of one level with the share of texts changed above
    them; None where the level has no test.

    Romero Alvarado (2023), Figures 8 to 10.
    """
    shares = found[found["metric"] == "changed_share"].set_index("slice")["value"]
    shown = found[
        (found["metric"] == "kappa") & found["slice"].map(lambda test: level_of(test) == level)
    ].dropna(subset="value")
    if shown.empty:
        return None
    names = [label(test).replace("_", "\n").replace(" ", "\n") for test in shown["slice"]]
    shown = shown.assign(group=names, series=[asked(test) for test in shown["slice"]])
    figure = figures.bars(shown, f"{model_name} {least(shown)}", ylabel="Cohen's kappa")
    axes, groups, series = (
        figure.axes[0],
        list(shown["group"].unique()),
        list(shown["series"].unique()),
    )
    axes.yaxis.set_major_formatter("{x:.1f}")
    for row in shown.itertuples():
        at = groups.index(row.group) + (
            series.index(row.series) - (len(series) - 1) / 2
        ) * 0.8 / len(series)
        axes.annotate(
            f"{shares[row.slice]:.0%}",
            (at, max(row.value, row.ci_high)),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )
    return figure


def least(shown: pd.DataFrame, of_models: bool = False) -> str:
    """Where agreement is lowest, in words for a title, from rows `slice, value` of kappa; DIR
    tests, where low is good, do not count.

    With `of_models` the model is named too, the column `series`.
    """
    kept = shown[~shown["slice"].map(grid.directional)]
    if kept.empty:
        return "after reversed negation, where a low kappa is good"
    row = kept.loc[kept["value"].idxmin()]
    named = f"{row['series']}, " if of_models else ""
    return (
        f"agrees with itself down to {row['value']:.2f} ({named}{row['slice'].replace('_', ' ')})"
    )


def against(rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """Two tests of the same rows, pair by pair: `first, second, n, first_rate, second_rate` of
    flipped labels, exact McNemar `p`, `p_holm` over the pairs.
    """
    flips, compared = {test: part["flip"].to_numpy() for test, part in rows.groupby("test")}, []
    for first, second in pairs:
        one, other = flips[first], flips[second]
        compared.append(
            (first, second, len(one), one.mean(), other.mean(), measure.compare(one, other)["p"])
        )
    found = pd.DataFrame(
        compared, columns=["first", "second", "n", "first_rate", "second_rate", "p"]
    )
    return found.assign(p_holm=measure.holm(found["p"]))
