"""Tables, sentences and figures (their titles) as plain text: for terminals, `git diff`, and those
who read the source of a notebook on the web.
"""

import html
import textwrap

from IPython import get_ipython
from IPython.display import Markdown
from pandas.io.formats.style import Styler
from tabulate import tabulate

CELL, WIDTH = "\x1f", 44  # what parts two cells, which no text holds; letters in a line of a cell


def table(shown: Styler) -> str:
    """A styled table as it reads: its cells formatted, hidden parts left out, long texts in lines.

    >>> import pandas as pd
    >>> print(table(pd.DataFrame({"share": [0.25]}, ["tfidf"]).style.format("{:.0%}")))
           share
    -----  -------
    tfidf  25%
    """
    head, *rows = _rows(html.unescape(shown.to_string(delimiter=CELL)))
    short = [[textwrap.fill(cell, WIDTH) for cell in row] for row in rows]
    lines = tabulate(short, head, "simple", disable_numparse=True)
    return f"{shown.caption}\n\n{lines}" if shown.caption else lines


def _rows(text: str) -> list[list[str]]:
    """The cells of every row, where a text in a cell may have line breaks."""
    rows, cells = [], text.partition("\n")[0].count(CELL)
    for line in text.strip("\n").split("\n"):
        whole = not rows or rows[-1].count(CELL) == cells
        rows = [*rows, line] if whole else [*rows[:-1], f"{rows[-1]} {line}"]
    return [row.split(CELL) for row in rows]


def title(figure) -> str:
    """The title over a figure of matplotlib, else that of its first axes, in one line; empty where
    neither has one.
    """
    places = [axes.get_title(loc) for axes in figure.axes[:1] for loc in ("left", "center")]
    return " ".join(next(filter(None, [figure.get_suptitle(), *places]), "").split())


def install() -> None:
    """Print these objects as text from now on, in the kernel of this process; nothing without."""
    if shell := get_ipython():
        from matplotlib.figure import Figure

        kinds = {
            Styler: table,
            Markdown: lambda text: text.data,
            Figure: lambda one: title(one) or repr(one),
        }
        formatter = shell.display_formatter.formatters["text/plain"]
        for kind, words in kinds.items():
            formatter.for_type(kind, lambda shown, p, cycle, words=words: p.text(words(shown)))
