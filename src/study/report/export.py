"""The report's tables for other documents: csv as numbers, Markdown and LaTeX (booktabs) as
printed.
"""

import re

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype
from pandas.io.formats.style import Styler

from helpers import tables

SIGNS = {
    "→": r"\to",
    "↓": r"\downarrow",
    "×": r"\times",
    "−": "-",
    "±": r"\pm",
    "∼": r"\sim",
    "≈": r"\approx",
    "≠": r"\neq",
    "≤": r"\leq",
    "≥": r"\geq",
}
SIGNS |= {
    "κ": r"\kappa",
    "β": r"\beta",
    "ε": r"\varepsilon",
    "Δ": r"\Delta",
    "<": "<",
    ">": ">",
}  # LaTeX prints these in mathematics only
WORDS = {"\\": "textbackslash", "~": "textasciitilde", "^": "textasciicircum", "|": "textbar"}
LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {sign: f"\\{word}{{}}" for sign, word in WORDS.items()}
    | {s: f"${m}$" for s, m in SIGNS.items()}
)
NUMBER = r"[<−-]?\d[\d.,]*%?( \(.*\))?|no examples|"


def save(
    run, frame: pd.DataFrame, name: str, caption: str, shown: pd.DataFrame | None = None
) -> Styler:
    """Write `tables/<name>.csv|md|tex` of a run and give the table for the notebook.

    `frame` holds numbers and goes into the csv; `shown` is what a reader sees (default: the frame,
    numbers to three digits), in Markdown, LaTeX and the notebook. An index counts as columns where
    it has names or words.
    """
    folder = run.dir / "tables"
    folder.mkdir(exist_ok=True)
    shown = printable(frame if shown is None else shown)
    tables.write(folder / f"{name}.csv", flat(frame))
    (folder / f"{name}.md").write_text(f"{caption}\n\n{markdown(shown)}\n", encoding="utf-8")
    (folder / f"{name}.tex").write_text(latex(shown, name, caption), encoding="utf-8")
    return tables.prose(shown.map(plain)).set_caption(caption)


def plain(word: str) -> str:
    """A word without the marks of emphasis.

    >>> plain("*tidak* to nggak")
    'tidak to nggak'
    """
    return re.sub(r"\*([^*]+)\*", r"\1", word)


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with its index as columns, where that says anything."""
    if frame.index.nlevels == 1 and frame.index.name is None and is_integer_dtype(frame.index):
        return frame.reset_index(drop=True)
    named = frame.rename_axis(
        [
            name or ("" if frame.index.nlevels == 1 else f"level {level + 1}")
            for level, name in enumerate(frame.index.names)
        ]
    )
    return named.reset_index()


def printable(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as words: three digits, small p values as `<0.001`, whole numbers without a point,
    yes and no, nothing for NaN.
    """
    frame = flat(frame)
    return pd.DataFrame(
        {
            str(name): [word(value, str(name).split("_")[0] == "p") for value in frame[name]]
            for name in frame.columns
        },
        dtype=object,
    )


def word(value, is_p: bool = False) -> str:
    """A cell as it is printed.

    >>> word(0.25), word(12.0), word(float("nan")), word(0.00002, True), word("a")
    ('0.250', '12', '', '<0.001', 'a')
    """
    if isinstance(value, str) or value is None:
        return value or ""
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if is_p:
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.3f}"


def numeric(shown: pd.DataFrame) -> list[bool]:
    """Which columns of words hold numbers, and so stand flush right."""
    return [shown[column].astype(str).str.fullmatch(NUMBER).all() for column in shown.columns]


def markdown(shown: pd.DataFrame) -> str:
    """A Markdown table of words, each as it is given."""
    cells = shown.map(cell).rename(columns=cell)
    sides = ["right" if some else "left" for some in numeric(shown)]
    return (
        cells.to_markdown(index=False, disable_numparse=True, colalign=sides)
        if len(shown)
        else "(no rows)"
    )


def cell(word: str) -> str:
    """A word in one cell of a Markdown table."""
    return word.replace("|", r"\|").replace("\n", " ")


def latex(shown: pd.DataFrame, name: str, caption: str) -> str:
    r"""A booktabs table of words, for \input in a document that loads booktabs; `*word*` becomes
    emphasised.
    """
    return (
        shown.style.hide(axis="index")
        .format(tex)
        .format_index(tex, axis="columns")
        .to_latex(
            hrules=True,
            label=f"tab:{name}",
            caption=tex(caption),
            column_format="".join("r" if some else "l" for some in numeric(shown)) or "l",
            position_float="centering",
        )
    )


def tex(word: str) -> str:
    r"""A word as LaTeX source that prints it.

    >>> print(tex("*tidak* → R&D_1"))
    \emph{tidak} $\to$ R\&D\_1
    """
    text = re.sub(r"\*(?=\S)([^*\n]+)(?<=\S)\*", r"\\emph{\1}", word.translate(LATEX))
    return re.sub(
        r"^(?=[\[*])", "{}", text
    )  # behind the end of a row LaTeX reads these two as part of it
