"""The perturbation grid for reading: its table, its charts, two tests against each other."""

import pandas as pd

from helpers import figures, grid, measure
from helpers.perturb import catalogue

UNITS = {"character": "characters", "word": "words", "other": "places"}


def table(found: pd.DataFrame) -> pd.DataFrame:
    """A run's metrics for reading: per test `perturbation, rate, kappa, flips, accuracy, texts changed, achieved`, shares with 95% intervals."""
    value = {metric: part.set_index("slice") for metric, part in found[~found["slice"].str.contains("|", regex=False)].groupby("metric")}
    rows = []
    for test, row in value["kappa"].iterrows():
        failed, achieved = value["failure_rate"].loc[test], value["achieved_rate"].loc[test]
        right = "" if catalogue.REGISTRY[grid.name_of(test)].test_type == "DIR" else f"{1 - failed['value']:.1%}"
        rows.append(
            {
                "perturbation": grid.name_of(test),
                "rate": f"{grid.settings([grid.name_of(test)])[test][1]:.0%}",
                "kappa": phrase(row),
                "flips": f"{value['flip_rate'].loc[test, 'value']:.1%}",
                "accuracy": right,
                "texts changed": f"{value['changed_share'].loc[test, 'value']:.1%}",
                "achieved": f"{achieved['value']:.1%}" if achieved["n"] else "",
            }
        )
    return pd.DataFrame(rows)


def phrase(row: pd.Series) -> str:
    """A kappa with its interval: `0.81 (0.76 to 0.86)`; `none` where both raters always say the same one label."""
    return f"{row['value']:.2f} ({row['ci_low']:.2f} to {row['ci_high']:.2f})" if row["value"] == row["value"] else "none"


def chart(found: pd.DataFrame, level: str, model_name: str):
    """Bars of kappa per perturbation and rate of one level with the share of texts changed above them; None where the level has no test.

    Romero Alvarado (2023), Figures 8 to 10.
    """
    shares = found[found["metric"] == "changed_share"].set_index("slice")["value"]
    shown = found[(found["metric"] == "kappa") & found["slice"].map(lambda test: catalogue.REGISTRY[grid.name_of(test)].level == level)].dropna(subset="value")
    if shown.empty:
        return None
    rates = [grid.settings([grid.name_of(test)])[test][1] for test in shown["slice"]]
    shown = shown.assign(
        group=[grid.name_of(test).replace("_", "\n") for test in shown["slice"]], series=[f"{rate:.0%} of the text's {UNITS[level]}" for rate in rates]
    )
    least = shown.loc[shown["value"].idxmin()]
    title = f"{model_name} agrees with itself down to {least['value']:.2f} ({least['slice'].replace('_', ' ')})"
    figure = figures.bars(shown, title, ylabel="Cohen's kappa")
    axes, groups, series = figure.axes[0], list(shown["group"].unique()), list(shown["series"].unique())
    axes.yaxis.set_major_formatter("{x:.1f}")
    for row in shown.itertuples():
        at = groups.index(row.group) + (series.index(row.series) - (len(series) - 1) / 2) * 0.8 / len(series)
        axes.annotate(f"{shares[row.slice]:.0%}", (at, max(row.value, row.ci_high)), xytext=(0, 3), textcoords="offset points", ha="center", fontsize=7)
    return figure


def against(rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """Two tests of the same rows, pair by pair: `first, second, n, first_rate, second_rate` of flipped labels, exact McNemar `p`, `p_holm` over the pairs."""
    flips, compared = {test: part["flip"].to_numpy() for test, part in rows.groupby("test")}, []
    for first, second in pairs:
        one, other = flips[first], flips[second]
        compared.append((first, second, len(one), one.mean(), other.mean(), measure.compare(one, other)["p"]))
    found = pd.DataFrame(compared, columns=["first", "second", "n", "first_rate", "second_rate", "p"])
    return found.assign(p_holm=measure.holm(found["p"]))
