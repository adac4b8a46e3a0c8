"""The two figures of pre-training."""

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

COLOURS = ["#3d6fc8", "#c8553d", "#4c9f70", "#e6ab02", "#b39ddb"]


def learning_curves(history: pd.DataFrame, unigram: dict[str, float], title: str) -> Figure:
    """Masked loss by millions of tokens, training grey, held-out sets in colour, dotted the loss of
    guessing by frequency; a line where blocks lengthen.
    """
    figure, axes = plt.subplots()
    millions = history["tokens"] / 1e6
    axes.plot(millions, history["train_loss"], color="#9a9a9a", label="training")
    for (name, loss), colour in zip(unigram.items(), COLOURS, strict=False):
        held = history[f"{name}_loss"]
        axes.plot(millions, held, marker=".", color=colour, label=f"held out: {name}")
        axes.axhline(loss, color=colour, linewidth=1, linestyle=":")
    axes.plot([], [], color="#222222", linewidth=1, linestyle=":", label="guessed by frequency")
    for border in millions[history["length"].diff(-1) < 0]:
        axes.axvline(border, color="#222222", linewidth=0.8, linestyle="--")
    axes.set(title=title, xlabel="millions of tokens", ylabel="masked loss, nats", xlim=(0, None))
    axes.legend()
    return figure


def fertility(table: pd.DataFrame, title: str) -> Figure:
    """Pieces per word with intervals, a bar per set of texts; a line at one piece per word, the
    least there is.
    """
    figure, axes = plt.subplots(figsize=(6.4, 0.9 + 0.5 * len(table)))
    value, low, high = (table[name] for name in ("fertility", "ci_low", "ci_high"))
    gaps = [(value - low).clip(lower=0), (high - value).clip(lower=0)]
    looks = {"color": "#3d6fc8", "ecolor": "#222222", "capsize": 2.5}
    axes.barh(table["set"], value, 0.6, xerr=gaps, **looks)
    axes.axvline(1, color="#222222", linewidth=0.8, linestyle="--")
    axes.invert_yaxis()
    axes.set(title=title, xlabel="pieces per word", xlim=(0, None))
    axes.grid(axis="y", visible=False)
    return figure
