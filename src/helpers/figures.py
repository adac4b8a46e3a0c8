"""The few standard charts. One claim each, in the title; shares start at 0; intervals drawn; one
colour per model everywhere.
"""

import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from helpers import verdicts
from helpers.plain import title
from tahanuji import measure, models, paths, predict

plt.style.use(paths.CONFIG / "plotting.mplstyle")  # wherever a figure is made

LABEL_COLOURS = {"positive": "#4c9f70", "neutral": "#8c8c8c", "negative": "#c8553d"}
SMALLEST = 7  # points of the smallest type in a figure
LETTERS = 11  # of a title in an inch
NOTED = 15  # letters of the smallest type in an inch
LANGUAGE_COLOURS = {
    "english": "#3d6fc8",
    "javanese": "#c8553d",
    "sundanese": "#e6ab02",
    "malay": "#6a51a3",
    "indonesian synonyms": "#525252",
}
SHADED = {"cmap": "Greys", "cbar": False, "linewidths": 1, "linecolor": "white"}  # cells
SPARE = ["#3d6fc8", "#9db8e8", "#e6ab02", "#a6761d", "#b39ddb", "#1c3f7c", "#7fb3a6"]


def colours(series: list[str]) -> dict[str, str]:
    """A colour per series: models have theirs from config/models.yaml (`IndoBERT, published` that
    of indobert), labels and languages theirs, others a spare one.
    """
    fixed = LABEL_COLOURS | LANGUAGE_COLOURS | models.colours()
    keys = {name: name if name in fixed else name.split(",")[0].lower() for name in series}
    spare = [name for name in series if keys[name] not in fixed]
    return {name: fixed.get(keys[name]) or SPARE[spare.index(name) % len(SPARE)] for name in series}


def save(run, figure: Figure, name: str, tests: Iterable[str] | None = ()) -> None:
    """Write `figures/<name>.png` of a run, which carries its title for those who cannot see it; the
    notebook shows the figure itself. Below it stands how valid the instruments of `tests` are
    (None: of all tests).
    """
    note = verdicts.validity_note(run, tests) if tests is None or list(tests) else ""
    note = textwrap.fill(note, int(NOTED * figure.get_figwidth()))  # a line would widen the picture
    if note and figure.legends:  # which stand below the axes; a label there would lie over them
        figure.legends[0].set_title(note, prop={"size": SMALLEST})
    elif note:
        figure.supxlabel(note, x=0.01, ha="left", fontsize=SMALLEST)
    write(Path(run.dir), figure, name)


def write(folder: Path, figure: Figure, name: str) -> None:
    """Write `figures/<name>.png` below a folder; the file carries the figure's title."""
    png(folder / "figures" / f"{name}.png", figure)


def png(path: Path, figure: Figure) -> None:
    """Write a figure as a png that carries its title."""
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Software": None, "Title": title(figure)})


def wrapped(title: str, figure: Figure) -> str:
    """A title in lines that are no wider than its figure, in the size and weight of our titles."""
    return textwrap.fill(title, max(24, int(LETTERS * (figure.get_figwidth() - 0.6))))


def _titled(axes, title: str) -> None:
    axes.set_title(wrapped(title, axes.figure))


def _headed(figure: Figure, title: str) -> None:
    """A title over the whole figure, for one whose axes begin far from its left edge."""
    figure.suptitle(wrapped(title, figure), x=0.01, ha="left", weight="bold", fontsize=11)


def _percent(axis) -> None:
    """Whole percentages at ticks that are whole percentages."""
    axis.set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    axis.set_major_formatter(PercentFormatter(1, decimals=0))


def learning_curves(history: pd.DataFrame, title: str) -> Figure:
    """Losses, as far as they were kept, and validation macro-F1 by epoch."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    losses = {"training": ("train_loss", "#9a9a9a"), "validation": ("valid_loss", "#222222")}
    for name, (column, colour) in losses.items():
        if column in history:
            left.plot(history["epoch"], history[column], marker="o", label=name, color=colour)
    left.set(xlabel="epoch", ylabel="cross-entropy", ylim=(0, None))
    left.legend()
    right.plot(history["epoch"], history["f1"], marker="o", color="#222222")
    best = history.loc[history["f1"].idxmax()]
    place, red = (best["epoch"], best["f1"]), "#c8553d"
    right.plot(*place, marker="o", markersize=9, markerfacecolor="none", color=red)
    above = {"textcoords": "offset points", "xytext": (0, 10), "ha": "center"}
    right.annotate(f"best: {best['f1']:.3f}", place, color=red, **above)
    right.set(xlabel="epoch", ylabel="validation macro-F1", ylim=(0, 1))
    _headed(figure, title)
    return figure


def bars(
    table: pd.DataFrame,
    title: str,
    xlabel: str = "",
    ylabel: str = "share",
    top: float | None = None,
    ordered: bool = False,
) -> Figure:
    """Bars with intervals from `group, series, value, ci_low, ci_high`; one colour per series,
    which are model names or labels, or steps of one quantity (`ordered`) in shades of blue.
    """
    groups, series = list(table["group"].unique()), list(table["series"].unique())
    length = min(9, max(5, 0.55 * len(groups) * (len(series) + 1)))
    figure, axes = plt.subplots(figsize=(length, 3.8))
    steps = sns.color_palette("Blues", len(series) + 2)[2:]
    shades = dict(zip(series, steps, strict=True)) if ordered else colours(series)
    width = 0.8 / len(series)
    line = {"fmt": "none", "ecolor": "#222222", "elinewidth": 1, "capsize": 2.5}
    for name, values, at, gaps in _beside(table, width):
        axes.bar(at, values, width * 0.92, color=shades[name], label=name)
        axes.errorbar(at, values, yerr=gaps, **line)
    axes.set_xticks(range(len(groups)), groups)
    _titled(axes, title)
    axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, top))
    _percent(axes.yaxis)
    axes.grid(axis="x", visible=False)
    if len(series) > 1:
        figure.legend(loc="outside lower center", ncols=min(4, len(series)))
    return figure


def _beside(
    table: pd.DataFrame, step: float
) -> Iterator[tuple[str, pd.Series, np.ndarray, np.ndarray]]:
    """Series that stand beside each other in their groups: name, values, places, and how far the
    intervals reach to both sides.
    """
    groups, series = table["group"].unique(), table["series"].unique()
    for number, name in enumerate(series):
        part = table[table["series"] == name].set_index("group").reindex(groups)
        at = np.arange(len(groups)) + (number - (len(series) - 1) / 2) * step
        gaps = np.vstack([part["value"] - part["ci_low"], part["ci_high"] - part["value"]])
        yield name, part["value"], at, np.nan_to_num(gaps.clip(min=0))


def curve(table: pd.DataFrame, title: str, xlabel: str, ylabel: str = "share") -> Figure:
    """Lines with interval bands from `x, series, value, ci_low, ci_high`, x and y as shares."""
    figure, axes = plt.subplots()
    series = list(table["series"].unique())
    shades = colours(series)
    for name, part in table.groupby("series", sort=False):
        axes.plot(part["x"], part["value"], marker="o", label=name, color=shades[name])
        band = {"alpha": 0.15, "color": shades[name], "linewidth": 0}
        axes.fill_between(part["x"], part["ci_low"], part["ci_high"], **band)
    _titled(axes, title)
    axes.set(xlabel=xlabel, ylabel=ylabel, ylim=(0, None), xlim=(0, None))
    _percent(axes.xaxis)
    _percent(axes.yaxis)
    axes.legend()
    return figure


def dots(table: pd.DataFrame, title: str, xlabel: str = "failure rate") -> Figure:
    """Points with intervals from `group, series, value, ci_low, ci_high`, groups from top to
    bottom; hollow for a series named `..., published`.
    """
    groups, series = list(table["group"].unique()), list(table["series"].unique())
    figure, axes = plt.subplots(figsize=(7.6, 0.9 + 0.19 * len(groups) * (len(series) + 1)))
    shades = colours(series)
    for name, values, at, gaps in _beside(table, 1 / (len(series) + 1)):
        fill = "white" if name.endswith("published") else shades[name]
        about = {"color": shades[name], "label": name, "mfc": fill}
        axes.errorbar(values, at, xerr=gaps, fmt="o", markersize=4.5, elinewidth=1.4, **about)
    axes.set_yticks(range(len(groups)), groups)
    _headed(figure, title)
    axes.set(
        xlabel=xlabel,
        xlim=_span(table[["value", "ci_low", "ci_high"]].to_numpy()),
        ylim=(len(groups) - 0.5, -0.5),
    )
    _percent(axes.xaxis)
    axes.grid(axis="y", visible=False)
    figure.legend(loc="outside lower center", ncols=min(4, len(series)))
    return figure


def _span(values: np.ndarray) -> tuple[float, float]:
    """Limits of an axis that begins at 0 or at the lowest value, so that no point is hidden."""
    return min(0, np.nanmin(values) * 1.04), max(0.02, np.nanmax(values) * 1.04)


def heatmap(
    table: pd.DataFrame, title: str, decimals: int = 0, shades: tuple[float, float] = (0, 100)
) -> Figure:
    """Shares of a frame, rows by columns, as percentages in shaded cells, white at the first of
    `shades` and black at the second; NaN stays blank.
    """
    figure, axes = plt.subplots(figsize=(2.6 + 1.1 * len(table.columns), 0.9 + 0.27 * len(table)))
    least, most = shades
    about = {"annot": True, "fmt": f".{decimals}f", "vmin": least, "vmax": most}
    sns.heatmap(table.astype(float) * 100, ax=axes, **about, **SHADED)
    _titled(axes, title)
    axes.set(xlabel=table.columns.name or "", ylabel=table.index.name or "")
    axes.tick_params(axis="both", rotation=0, length=0)
    axes.grid(False)
    return figure


def confusion(gold, predicted, labels: list[str], title: str) -> Figure:
    """Confusion matrix with counts, shaded by the share of the gold label; answers that name no
    label have a column of their own where there are any.
    """
    named = [*labels, *{predict.UNPARSABLE}.intersection(predicted)]
    counts = pd.crosstab(
        pd.Categorical(gold, labels), pd.Categorical(predicted, named), dropna=False
    )
    figure, axes = plt.subplots(figsize=(4.4, 3.6))
    shares = counts.div(counts.sum(axis=1).clip(lower=1), axis=0)
    about = {"annot": counts.to_numpy(), "fmt": "d", "vmin": 0, "vmax": 1}
    sns.heatmap(shares, ax=axes, **about, **SHADED)
    _titled(axes, title)
    axes.set(xlabel="predicted", ylabel="gold")
    axes.tick_params(axis="y", rotation=0)
    axes.grid(False)
    return figure


def reliability(probabilities: np.ndarray, gold, labels: list[str], title: str) -> Figure:
    """Accuracy against confidence in ten bins, areas by number of rows, beside the diagonal of
    perfect calibration.
    """
    told = probabilities.any(axis=1)  # an answer that names no label has no confidence
    table = measure.reliability(probabilities[told], np.asarray(gold)[told], labels)
    figure, axes = plt.subplots(figsize=(4.4, 3.8))
    axes.plot([0, 1], [0, 1], color="#9a9a9a", linestyle="--", linewidth=1)
    axes.plot(table["confidence"], table["accuracy"], color="#222222", linewidth=1)
    areas = 20 + 500 * table["n"] / table["n"].sum()
    axes.scatter(table["confidence"], table["accuracy"], s=areas, color="#3d6fc8", zorder=3)
    _titled(axes, title)
    axes.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1.03), ylim=(0, 1.03))
    return figure
