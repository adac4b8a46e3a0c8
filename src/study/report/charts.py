"""The charts of a report, from the metrics of its runs."""

from collections.abc import Iterator

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from helpers import figures
from study.report import decisions, grids, thesis
from study.report.words import told
from tahanuji import paths
from tahanuji.codemix import translators
from tahanuji.results import Results, select

DOSE = "words_replaced_share"


def families(
    rows: pd.DataFrame, margin: float, words: dict, language: str = "en", skills=None
) -> Figure | None:
    """What every family of changes costs (`decisions.families`): a point and interval per model for
    its costliest test, faint points for its others, the margin as a line; on the left errors added
    where right labels are known, on the right labels that flip; below `skills` (`panels.Panel`), on
    an axis of its own. `words`: names of families and axes, in the language in which tests are
    named.
    """
    if rows.empty:
        return None
    rows = rows.assign(label=[told(language, label) for label in rows["label"]])
    sides = [name for name in words["axes"] if name in set(rows["quantity"])]
    order = list(dict.fromkeys(rows["family"]))
    heights = [len(order), *([len(skills.groups)] if skills else [])]
    size = (2.6 + 3.6 * len(sides), 1.6 + 0.56 * sum(heights))
    how = {"sharey": "row", "squeeze": False, "layout": "constrained", "height_ratios": heights}
    figure, panels = plt.subplots(len(heights), len(sides), figsize=size, **how)
    shades = figures.colours(list(dict.fromkeys(rows["model"])))
    for axes, side in zip(panels[0], sides, strict=True):
        _family_points(axes, select(rows, quantity=side), order, shades)
        axes.axvline(0, color="#444444", lw=0.8)
        axes.axvline(margin, color="#444444", lw=1, ls="--")
        axes.set_xlim(left=min(0, axes.get_xlim()[0]))
        axes.set_title(words["axes"][side], fontsize=9, loc="left", weight="normal")
        axes.xaxis.set_major_formatter(PercentFormatter(1, 0, symbol=""))
        axes.set_ylim(len(order) - 0.5, -0.5)
    names = [words["names"].get(name, name) for name in order]
    panels[0, 0].set_yticks(range(len(order)), names)
    about = {"title": words["key"], "fontsize": 9, "title_fontsize": 8}
    named = panels[0, 0].get_legend_handles_labels()
    figure.legend(*named, loc="outside lower center", ncols=4, **about)
    figure.suptitle(headline(rows, words))
    if skills:
        _skills(panels[1], skills, shades)
        figure.suptitle(f"{headline(rows, words)}.\n{skills.title}")
    return figure


def _skills(panels, skills, shades: dict[str, str]) -> None:
    """The share right of written cases on one axis over a row of panels: a point and interval per
    model, and the best constant answer as a line.
    """
    axes, *others = panels
    axes.set_subplotspec(axes.get_gridspec()[1, :])
    for other in others:
        other.remove()
    step = 0.5 / len(shades)
    for at, one in enumerate(skills.groups.values()):
        axes.plot([one.constant] * 2, [at - 0.4, at + 0.4], color="#444444", lw=1, ls="--")
        for number, (model, colour) in enumerate(shades.items()):
            if right := one.right.get(model):
                gaps = [[right.value - right.low], [right.high - right.value]]
                place = at + (number - (len(shades) - 1) / 2) * step
                axes.errorbar(right.value, place, xerr=gaps, fmt="o", color=colour)
    axes.set_title(skills.axis, fontsize=9, loc="left", weight="normal")
    axes.set_yticks(range(len(skills.groups)), list(skills.groups))
    axes.set(xlim=(0, 1), ylim=(len(skills.groups) - 0.5, -0.5))
    axes.xaxis.set_major_formatter(PercentFormatter(1, 0, symbol=""))
    axes.grid(axis="y", visible=False)


def headline(rows: pd.DataFrame, words: dict) -> str:
    """What the picture of families shows, in a sentence."""
    broken = rows.loc[rows["shown"] == decisions.BREAKS, "family"].nunique()
    return words["title"].format(broken=broken, families=rows["family"].nunique())


def _family_points(axes, side: pd.DataFrame, order: list[str], shades: dict[str, str]) -> None:
    """One half of the picture of families."""
    step = 0.5 / len(shades)
    for number, (model, colour) in enumerate(shades.items()):
        own = select(side, model=model)
        shift = (number - (len(shades) - 1) / 2) * step
        rows = own.assign(at=[order.index(name) + 0.12 + shift for name in own["family"]])
        faint, bold = rows[~rows["foremost"]], rows[rows["foremost"]]
        axes.plot("value", "at", ".", data=faint, color=colour, alpha=0.3, label="_other tests")
        gaps = [bold["value"] - bold["lower"], bold["upper"] - bold["value"]]
        axes.errorbar(bold["value"], bold["at"], xerr=gaps, fmt="o", color=colour, label=model)
    for row in select(side, foremost=True).drop_duplicates("family").itertuples():
        place = (0.012, order.index(row.family) - 0.36)
        where = axes.get_yaxis_transform()
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
        style = {"fontsize": 7, "color": "#555555", "va": "center", "bbox": ground}
        axes.text(*place, row.label, transform=where, **style)
    axes.grid(axis="y", visible=False)


def mixing(results: Results) -> Figure | None:
    """Answers that code-mixing turns from right to wrong, as a share of all texts, against the
    share of words really replaced, a panel per model: the most important words by language as
    lines, words at random as hollow points.
    """
    metrics = results.select(notebook=decisions.MIXING, variant="default", group="all")
    key = ["model", "test", "rate"]
    doses = select(metrics, metric=DOSE).set_index(key)["value"].rename("dose")
    lost = select(metrics, metric="induced_rate").join(doses, on=key).dropna(subset="dose")
    if lost.empty:
        return None
    models = [name for name in results.models if name in set(lost["model"])]
    size = (3.8 * len(models), 4.2)
    figure, panels = plt.subplots(
        1, len(models), figsize=size, sharex=True, sharey=True, squeeze=False
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
    title = (
        f"A worst-case code-mixing attack turns up to {worst['value']:.0%} of all answers wrong "
        f"({worst['model']}, {translators.NAMES.get(worst['test'], worst['test'])}, "
        f"R = {worst['rate']:g})"
    )
    figure.suptitle(figures.wrapped(title, figure))
    return figure


def _mixed(axes, lost: pd.DataFrame) -> None:
    """The lines and points of one model, a colour per language."""
    languages = {
        name: spoken for name, spoken in translators.NAMES.items() if name in {*lost["test"]}
    }
    shades = figures.colours(list(languages.values()))
    for name, spoken in languages.items():
        line = lost[lost["test"] == name].sort_values("rate")
        colour = shades[spoken]
        axes.plot("dose", "value", "o-", data=line, color=colour, label=spoken)
        axes.fill_between("dose", "ci_low", "ci_high", data=line, color=colour, alpha=0.12, lw=0)
        points = lost[lost["test"] == f"{name} random"]
        axes.plot("dose", "value", "o", data=points, color=colour, mfc="white", label="_random")


def typos(results: Results) -> Figure | None:
    """Labels that typos flip, by the chance of a typo."""
    every = results.select(notebook="05_typos", variant="default", group="all")
    flips = select(every, metric="flip_rate").sort_values(["model", "rate"])
    if flips.empty:
        return None
    flips = flips.assign(x=flips["rate"], series=flips["model"])
    last = flips.groupby("model")["value"].last()
    ends = ", ".join(f"{name} {value:.0%}" for name, value in last.items())
    title = f"Labels that flip where every long word has a typo: {ends}"
    return figures.curve(
        flips, title, "chance of a typo per word of over three letters", "labels flipped"
    )


def table_4_2(results: Results) -> Figure:
    """The thesis's Table 4.2 as dots with intervals, published and run here."""
    tests = thesis.table_4_2(results)
    points = tests.assign(
        group=tests["number"].astype(str) + " " + tests["test"],
        series=tests["model"] + tests["source"].map({"published": ", published", "rerun": ""}),
    )
    widest = (tests["ci_high"] - tests["ci_low"]).max()
    title = (
        f"Viannisa (2025), Table 4.2, published and here: intervals up to {widest * 100:.0f} points"
    )
    return figures.dots(points, title)


def every(results: Results, tables: dict[str, pd.DataFrame]) -> Iterator[tuple[str, Figure]]:
    """Name and figure of all charts of the report but that of Table 4.2, `tables` being those of
    the grid (`grids.by_dataset`).
    """
    if figure := mixing(results):
        yield "mixing", figure
    if figure := typos(results):
        yield "typos", figure
    for dataset, table in tables.items():
        above = table[~table["model"].isin(_at_chance(results, dataset))]
        if figure := grids.chart(above, dataset):
            yield f"grid_{paths.slug(dataset)}", figure


def _at_chance(results: Results, dataset: str) -> set[str]:
    """The models of the grid that do no better than chance on a data set: no chart shows them."""
    runs = [run for run in grids.runs(results) if run.dataset == dataset]
    low = [run for run in runs if select(run.metrics, metric="at_chance")["value"].eq(1).any()]
    return {name for run in low for name in (run.model, f"{run.model} ({run.variant})")}
