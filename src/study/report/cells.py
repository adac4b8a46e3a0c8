"""Cells of tables: words that know how a page shows them."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

import pandas as pd

from study.report import export
from tahanuji.measure import Estimate


class Cell(str):
    """Words with the kind of verdict that they tell, the place that they lead to, and the places of
    0, value, low and high of their interval on the scale of their table, in percent.
    """

    kind: str = ""
    href: str = ""
    plot: tuple[float, ...] = ()

    @classmethod
    def of(cls, words: str, kind: str = "", href: str = "", plot: tuple = ()) -> "Cell":
        made = cls(words)
        made.kind, made.href, made.plot = kind, href, plot
        return made


class Table(NamedTuple):
    """A table of a report: `frame` holds the numbers, `shown` what a reader sees of them (None: the
    numbers to three digits); `quoted`: its cells stay in English. The caption is the words named
    `told`, filled in with `facts`, or where none are named stays as it is in every language.
    """

    name: str
    caption: str
    frame: pd.DataFrame
    shown: pd.DataFrame | None = None
    quoted: bool = False
    told: str = ""
    facts: Mapping[str, str] = MappingProxyType({})

    @property
    def words(self) -> pd.DataFrame:
        """What a reader sees, every cell a word."""
        return export.printable(self.frame if self.shown is None else self.shown)

    @property
    def rows(self) -> list[list[Cell]]:
        """What a reader sees, row by row; numbers are of the kind `number`."""
        words = self.words
        kinds = ["number" if numeric else "" for numeric in export.numeric(words)]
        return [
            [
                cell if isinstance(cell, Cell) else Cell.of(export.plain(cell), kind)
                for cell, kind in zip(row, kinds, strict=True)
            ]
            for row in words.itertuples(index=False)
        ]


def scale(estimates: Iterable[Estimate]) -> tuple[float, float]:
    """The least number of some intervals and how far they reach, 0 among them."""
    ends = [0.0] + [
        end for one in estimates for end in (one.value, one.low, one.high) if end == end
    ]
    return min(ends), max(ends) - min(ends)


def places(one: Estimate, within: tuple[float, float]) -> tuple[float, ...]:
    """Where 0, value, low and high lie on a scale, in percent; none on a scale without length.

    >>> places(Estimate(0.1, 0.0, 0.2), scale([Estimate(0.1, 0.0, 0.2)]))
    (0.0, 50.0, 0.0, 100.0)
    """
    low, span = within
    if not span or not one or one.low != one.low:
        return ()
    return tuple(100 * (end - low) / span for end in (0.0, one.value, one.low, one.high))
