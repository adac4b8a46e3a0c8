"""The perturbation grid for reading: its table, its charts, two tests against each other."""

from collections.abc import Iterator

import pandas as pd

from helpers import figures, tables, verdicts
from tahanuji import grid, measure
from tahanuji.instrument import Instrument


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
        achieved = f"{of['achieved_rate']:.1%} of {grid.OF[grid.level_of(row.test)]}"
        rows.append(
            {
                "perturbation": row.test,
                "asked": grid.asked(row.test, row.rate),
                "texts changed": f"{of['changed_share']:.1%}",
                "kappa": "cannot act" if row.test in idle else tables.cell(row, "kappa"),
                "kappa of changed": tables.cell(agreed["kappa_changed"].loc[row.title], "kappa"),
                "AC1 of changed": tables.cell(agreed["ac1"].loc[row.title], "kappa"),
                "flips": f"{of['flip_rate']:.1%}",
                "accuracy": "" if grid.kind(row.test) == "DIR" else f"{1 - of['failure_rate']:.1%}",
                "achieved": achieved if touched[row.title] else "",
            }
        )
    return pd.DataFrame(rows)


def charts(measured: pd.DataFrame, model_name: str) -> Iterator[tuple[str, object, list[str]]]:
    """A level, its chart and its tests, of every level that has one (Romero Alvarado, 2023, Figures
    8 to 10).
    """
    for level in grid.OF:
        tests = [name for name in measured["test"].unique() if grid.level_of(name) == level]
        if figure := chart(measured, level, model_name):
            yield level, figure, tests


def chart(measured: pd.DataFrame, level: str, model_name: str):
    """Bars of kappa per perturbation and rate of one level with the share of texts changed above
    them; None where the level has no test.

    Romero Alvarado (2023), Figures 8 to 10.
    """
    whole = tables.select(measured, group="all")
    whole = whole[whole["test"].map(grid.level_of) == level]
    shown = tables.select(whole, metric="kappa").dropna(subset="value")
    if shown.empty:
        return None
    shown = shown.assign(
        group=[grid.label(name).replace("_", "\n").replace(" ", "\n") for name in shown["test"]],
        series=[
            grid.asked(row.test, row.rate) + ("" if known else ", unrated")
            for row, known in zip(shown.itertuples(), grid.rated(shown), strict=True)
        ],
    )
    title = f"{model_name}, invariance tests: {least(shown)}"
    figure = figures.bars(shown, title, ylabel="Cohen's kappa", ordered=True)
    figure.axes[0].yaxis.set_major_formatter("{x:.1f}")
    changed = tables.select(whole, metric="changed_share")
    shares = dict(zip(tables.titles(changed), changed["value"], strict=True))
    tests = map(measure.title, shown["test"], shown["rate"])
    _write_above(figure.axes[0], shown, [shares[test] for test in tests])
    return figure


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

    With `of_models` the model is named too, the column `series`. Where one of those that do not
    count is lower still, it says of which ones this is the lowest.
    """
    kept = shown[(shown["test"].map(grid.kind) == "INV") & grid.rated(shown)]
    if kept.empty:
        return "where the meaning changes and a low kappa is no fault"
    row = kept.loc[kept["value"].idxmin()]
    model = f"{row['series']}, " if of_models else ""
    test = measure.title(row["test"], row["rate"]).replace("_", " ")
    of = " of invariance tests at rated rates" if shown["value"].min() < row["value"] else ""
    return f"lowest kappa{of} {row['value']:.2f} ({model}{test})"


def listed(instruments: list[Instrument]) -> pd.DataFrame:
    """The perturbations of a grid: name, level, capability, test type, source, unfit outputs."""
    fields = ["name", "level", "capability", "test_type", "source"]
    rows = [[getattr(one.entry, field) for field in fields] for one in instruments]
    validity = [one.validity for one in instruments]
    unfit = [verdicts.unfit(about and about.unfit()) for about in validity]
    return pd.DataFrame(rows, columns=fields).assign(**{verdicts.UNFIT: unfit})


def extremes(metrics: pd.DataFrame) -> list[tuple]:
    """Findings, as `tables.findings` takes them: the invariance tests at rated rates under which a
    model agrees least and most with itself on changed texts.
    """
    agreed = tables.select(metrics, metric="kappa_changed", group="all").dropna(subset="value")
    agreed = agreed[(agreed["test"].map(grid.kind) == "INV") & grid.rated(agreed)]
    agreed = agreed[~agreed["test"].isin(grid.idle(metrics))].sort_values("value")
    ends = pd.concat([agreed.head(1), agreed.tail(1)])
    question = "{} agreement on changed texts (kappa): {}"
    named = map(question.format, ("Least", "Most"), tables.titles(ends))
    return [
        (said, tables.as_estimate(row), "kappa")
        for said, (_, row) in zip(named, ends.iterrows(), strict=False)
    ]
