"""The charts of a report, from the metrics of its runs."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from helpers import figures, tables
from helpers.report import grid_tables, matrix, runs, thesis
from tahanuji import paths
from tahanuji.codemix import translators

MIXING = "08_code_mixing"
DOSE = "words_replaced_share"


def mixing(found: runs.Collection) -> Figure | None:
    """Answers that code-mixing turns from right to wrong, as a share of all texts, against the
    share of words really replaced, a panel per model: the most important words by language as
    lines, words at random as hollow points.
    """
    metrics = tables.select(found.metrics(), notebook=MIXING, variant="default", group="all")
    key = ["model", "test", "rate"]
    doses = tables.select(metrics, metric=DOSE).set_index(key)["value"].rename("dose")
    lost = tables.select(metrics, metric="induced_rate").join(doses, on=key).dropna(subset="dose")
    if lost.empty:
        return None
    models = runs.order(set(lost["model"]))
    figure, panels = plt.subplots(
        1,
        len(models),
        figsize=(3.8 * len(models), 4.2),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for axes, model in zip(panels[0], models, strict=True):
        _mixed(axes, lost[lost["model"] == model])
        axes.set_title(model, loc="left")
        axes.set_xlabel("share of words replaced")
        axes.xaxis.set_major_formatter(PercentFormatter(1, 0))
    panels[0, 0].set(ylabel="answers turned wrong, of all texts", ylim=(0, None), xlim=(0, None))
    panels[0, 0].yaxis.set_major_formatter(PercentFormatter(1, 0))
    names, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(
        names, labels, loc="outside lower center", ncols=5, title="hollow: words drawn at random"
    )
    worst = lost.loc[lost["value"].idxmax()]
    figure.suptitle(
        f"Code-mixing turns up to {worst['value']:.0%} of all answers from right to wrong "
        f"({worst['model']}, {translators.NAMES.get(worst['test'], worst['test'])})"
    )
    return figure


def _mixed(axes, lost: pd.DataFrame) -> None:
    """The lines and points of one model, a colour per language."""
    languages = [name for name in translators.NAMES if name in set(lost["test"])]
    for number, name in enumerate(languages):
        line = lost[lost["test"] == name].sort_values("rate")
        colour = f"C{number}"
        axes.plot("dose", "value", "o-", data=line, color=colour, label=translators.NAMES[name])
        axes.fill_between("dose", "ci_low", "ci_high", data=line, color=colour, alpha=0.12, lw=0)
        points = lost[lost["test"] == f"{name} random"]
        axes.plot("dose", "value", "o", data=points, color=colour, mfc="white", label="_random")


def typos(found: runs.Collection) -> Figure | None:
    """Labels that typos flip, by the chance of a typo."""
    every = tables.select(found.metrics(), notebook="05_typos", variant="default", group="all")
    flips = tables.select(every, metric="flip_rate").sort_values(["model", "rate"])
    if flips.empty:
        return None
    flips = flips.assign(x=flips["rate"], series=flips["model"])
    last = flips.groupby("model")["value"].last()
    ends = ", ".join(f"{name} {value:.0%}" for name, value in last.items())
    title = f"Labels that flip where every long word has a typo: {ends}"
    return figures.curve(
        flips, title, "chance of a typo per word of over three letters", "labels flipped"
    )


def table_4_2(found: runs.Collection) -> Figure:
    """The thesis's Table 4.2 as dots with intervals, published and run here."""
    tests = thesis.table_4_2(found)
    points = tests.assign(
        group=tests["number"].astype(str) + " " + tests["test"],
        series=tests["model"] + tests["source"].map({"published": ", published", "rerun": ""}),
    )
    widest = (tests["ci_high"] - tests["ci_low"]).max()
    title = (
        f"Viannisa (2025), Table 4.2, published and here: intervals up to {widest * 100:.0f} points"
    )
    return figures.dots(points, title)


def verdicts(judged: pd.DataFrame, margin: float) -> Figure | None:
    """The matrix as a figure: tests by model under the capability that they are about, INV and DIR
    on the left, MFT on the right, each cell with its value, sign and colour.
    """
    table = judged[(judged["margin"] == margin) & (judged["verdict"] != matrix.WEAK)]
    sides = [table[table["type"] != "MFT"], table[table["type"] == "MFT"]]
    sides = [_headed(side) for side in sides if len(side)]
    if not sides:
        return None
    models = runs.order(set(table["model"]))
    rows = max(side["line"].max() for side in sides) + 1
    size = (len(sides) * (2.4 + 0.95 * len(models)), 1.2 + 0.19 * rows)
    figure, panels = plt.subplots(1, len(sides), figsize=size, squeeze=False)
    for axes, side in zip(panels[0], sides, strict=True):
        _cells(axes, side, models)
        axes.set_ylim(rows, 0)
    seen = table[table["verdict"] != "cannot act"]
    counts = {name: seen[seen["model"] == name]["verdict"] for name in models}
    stood = ", ".join(
        f"{name} {(own == 'stands').sum()} of {len(own)}" for name, own in counts.items()
    )
    figure.suptitle(f"Tests stood at a margin of {100 * margin:.0f} points: {stood}")
    named = {name: f"{matrix.SIGNS[name]} {name}" for name in matrix.COLOURS}
    patches = [
        plt.Rectangle((0, 0), 1, 1, fc=colour, label=named[name])
        for name, colour in matrix.COLOURS.items()
    ]
    figure.legend(
        handles=patches,
        loc="outside lower center",
        ncols=len(patches),
        fontsize=8,
        title=f"+: points of errors added; %: of answers (INV: labels that flip, DIR: moves the "
        f"wrong way, MFT: failures). {matrix.ALONE}: not after Holm's correction",
        title_fontsize=8,
    )
    return figure


def _headed(side: pd.DataFrame) -> pd.DataFrame:
    """The rows of one half with `head`, the type and capability above them, and `line`, where a
    row stands under it; within a capability the costliest test first.
    """
    cost = side.groupby("label")["value"].transform("max")
    family = [name if "CheckList" in name else name.split(":")[0] for name in side["capability"]]
    head = side["type"] + "  " + pd.Series(family, side.index)
    side = side.assign(head=head, cost=-cost).sort_values(["head", "cost", "label"])
    number = side["label"].ne(side["label"].shift()).cumsum()
    heads = side["head"].ne(side["head"].shift()).cumsum()
    return side.assign(line=number + heads - 1)


def _cells(axes, side: pd.DataFrame, models: list[str]) -> None:
    """One half of the matrix, the tests of a type together."""
    for row, alone in zip(side.itertuples(), matrix.alone(side), strict=True):
        x, verdict = models.index(row.model), matrix.shown(row)
        fill = matrix.COLOURS[verdict]
        axes.add_patch(plt.Rectangle((x, row.line), 1, 1, fc=fill, ec="white"))
        paired = row.quantity == matrix.SHOWN["INV"]
        value = f"{100 * row.value:+.0f}" if paired else f"{100 * row.value:.0f}%"
        cell = f"{matrix.SIGNS[verdict]} {value.replace('-0', '+0')}{matrix.ALONE * alone}"
        axes.text(x + 0.5, row.line + 0.5, cell, ha="center", va="center", fontsize=7)
    labels = side.drop_duplicates("line")
    axes.set_yticks(labels["line"] + 0.5, labels["label"], fontsize=7)
    for head, line in side.groupby("head")["line"].min().items():
        axes.text(-0.02, line - 0.4, head, ha="right", va="center", fontsize=7, weight="bold")
    axes.set_xlim(0, len(models))
    axes.set_xticks([number + 0.5 for number in range(len(models))], models)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.grid(False)
    axes.spines[:].set_visible(False)


def every(
    found: runs.Collection, judged: pd.DataFrame, margin: float
) -> Iterator[tuple[str, Figure]]:
    """Name and figure of all charts of the report but that of Table 4.2."""
    if figure := verdicts(judged, margin):
        yield "matrix", figure
    if figure := mixing(found):
        yield "mixing", figure
    if figure := typos(found):
        yield "typos", figure
    for dataset, table in grid_tables.by_dataset(found).items():
        if figure := grid_tables.chart(table, dataset):
            yield f"grid_{paths.slug(dataset)}", figure
