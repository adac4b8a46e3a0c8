"""Verdicts of a run: their margins, verdicts.csv, and how a notebook shows them."""

from collections.abc import Iterable

import pandas as pd
from pandas.io.formats.style import Styler

from helpers import tables, titles
from tahanuji import commas, measure
from tahanuji.instrument import Instrument
from tahanuji.measure import FEWEST, Estimate, decisive, enough

TOTALS = ("MFT", "INV", "DIR")  # over the tests of a suite: no tests themselves
UNFIT = "unfit outputs"  # of an instrument: those that lost the right label, or the meaning
LEVEL = 0.05  # of p
UNITS = {"errors added": "points"}  # differences of shares; all else is in percent


def announce(margins: str, count: int, units: str = "texts") -> list[float]:
    """The margins of a parameter, smallest first; before anything runs it prints the true shares
    that so many texts (or other units, independent of each other) can show to stand and to break.
    """
    chosen = sorted(commas.numbers(margins))
    shares = [measure.detectable_shares(count, margin) for margin in chosen]
    columns = ["stands up to", "breaks from"]
    table = pd.DataFrame(shares, [f"{margin:.0%}" for margin in chosen], columns, dtype=float)
    print(f"Shares that a test of {count} {units} shows (80% power, one-sided 95% bounds):")
    print(table.rename_axis("margin").map("{:.1%}".format).replace("nan%", "none").to_string())
    return chosen


def save(
    run,
    rows: pd.DataFrame,
    types: str | dict[str, str],
    margins: list[float],
    instruments: Iterable[Instrument] = (),
    question: str = "label",
) -> None:
    """Write verdicts.csv of a run (`measure.verdicts` of its rows), columns `tables.VERDICTS`.

    The `instruments` made the texts: where too many of an instrument's outputs have another right
    label (or, as `question`, another meaning), where its ratings no longer hold, and beyond the
    rate at which it was rated, no margin is decided.
    """
    rated = {one.test: one.validity for one in instruments}
    weak = {test: (about.unfit(question), about.rate) for test, about in rated.items() if about}
    judged = measure.verdicts(rows, types, margins, weak)
    tables.write(run.dir / "verdicts.csv", tables.named(run, judged, tables.VERDICTS))


def table(judged: pd.DataFrame) -> pd.DataFrame:
    """Verdicts for reading: a row per test and quantity, the bound of the instrument's unfit
    outputs, the estimate with both one-sided 95% bounds, and a verdict per margin in the rows that
    it rests on (`decisive`): of undecided ones with the least effect that would have been shown, of
    corrected ones (column q) with q.
    """
    judged = enough(judged)
    pairs = zip(judged.itertuples(), decisive(judged), strict=True)
    judged = judged.assign(
        test=tables.titles(judged),
        verdict=[_verdict(row) if rests else "" for row, rests in pairs],
        unfit=judged["instrument"].map(unfit),
        value=[f"{_estimate(row):{_unit(row)}}" for row in judged.itertuples()],
        margin=[f"margin {margin:.0%}" for margin in judged["margin"]],
    )
    key = ["test", "unfit", "quantity", "n", "value"]
    wide = judged.pivot(index=key, columns="margin", values="verdict")
    wide = wide[judged["margin"].unique()].loc[judged[key].drop_duplicates().apply(tuple, axis=1)]
    wide = wide.rename_axis(columns=None).reset_index().rename(columns={"unfit": UNFIT})
    return wide if wide[UNFIT].any() else wide.drop(columns=UNFIT)


def show(run, corrected: bool = False, **wanted) -> Styler:
    """The verdicts of a run for reading (`table`), of the tests wanted by column; corrected with q,
    p after Benjamini and Hochberg over them.
    """
    judged = tables.select(tables.load(run, "verdicts"), **wanted)
    if corrected:
        judged["q"] = measure.benjamini_hochberg(judged["p"])
    return tables.prose(table(judged))


def rows(run, margin: float | None = None, **wanted) -> list[tuple[str, Estimate, str, str]]:
    """A run's verdicts as rows of `tables.findings`: of every test wanted by column the quantity,
    its estimate and the verdict at a margin, the largest if none is named; only what the verdict
    rests on.
    """
    judged = enough(tables.load(run, "verdicts"))
    judged = tables.select(judged[decisive(judged)], **wanted)
    judged = judged[~judged["test"].isin(TOTALS)]
    judged = judged[judged["margin"] == (judged["margin"].max() if margin is None else margin)]
    return [
        (
            f"{titles.short(row.notebook, title)}: {row.quantity}",
            _estimate(row),
            _unit(row),
            f"{_verdict(row)} (margin {row.margin:.0%})",
        )
        for row, title in zip(judged.itertuples(), tables.titles(judged), strict=True)
    ]


def paired(question: str, first, second) -> tuple:
    """A row of `tables.findings`: how many points more often the first of two outcomes is true than
    the second on the same rows (exact McNemar test).
    """
    tested = measure.compare(first, second)
    said = difference(tested["p"], measure.least_paired((first, second)))
    return question, f"{100 * tested['difference']:+.1f} points", "", said


def unpaired(question: str, first, second) -> tuple:
    """A row of `tables.findings`: the share of true outcomes in one set of rows, and whether it
    differs from that in another (Fisher's exact test).
    """
    counts = int(first.sum()), len(first), int(second.sum()), len(second)
    said = difference(measure.unpaired(*counts), measure.detectable_unpaired(*counts[1:]))
    return question, Estimate(*measure.share(*counts[:2]), counts[1]), "%", said


def difference(p: float, least: float | None = None) -> str:
    """The verdict of a test of a difference: whether it is shown, else the least one that would
    have been, with 80% power.

    >>> difference(0.01), difference(0.2, 0.08), difference(0.2)
    ('shown (p = 0.01)', 'not shown (p = 0.2; 8.0 points would have been)', 'not shown (p = 0.2)')
    """
    if p < LEVEL:
        return f"shown (p = {p:.2g})"
    would = f"; {100 * least:.1f} points would have been" if least is not None else ""
    return f"not shown (p = {p:.2g}{would})"


def unfit(bound: float | None) -> str:
    """The bound of an instrument's unfit outputs for readers, empty where there is no instrument.

    >>> unfit(0.0296), unfit(1.0), unfit(float("nan"))
    ('at most 3.0%', 'not rated', '')
    """
    if bound is None or pd.isna(bound):
        return ""
    return f"at most {bound:.1%}" if bound < 1 else "not rated"


def validity_note(run, tests: Iterable[str] | None = None) -> str:
    """What stands below a chart: the readers' bounds in verdicts.csv of the unfit outputs of its
    tests' instruments; empty where no test has an instrument.
    """
    judged = tables.load(run, "verdicts").dropna(subset="instrument")
    judged = judged if tests is None else judged[judged["test"].isin(tests)]
    bounds = judged.groupby("test")["instrument"].min().map(unfit)  # beyond the rated rate it is 1
    named = [f"{said} ({', '.join(part.index)})" for said, part in bounds.groupby(bounds)]
    said = f"Outputs with another label, by two language models: {'; '.join(named)}"
    return said if named else ""


def _estimate(row) -> Estimate:
    return Estimate(row.value, row.lower, row.upper, row.n)


def _unit(row) -> str:
    return UNITS.get(row.quantity, "%")


def _verdict(row) -> str:
    """A verdict, of an undecided one with the least effect that would have been shown, of a
    corrected one with q.
    """
    if row.verdict in measure.DECIDED:
        return f"{row.verdict} (q = {row.q:.2g})" if hasattr(row, "q") else row.verdict
    if row.verdict != "undecided":
        return row.verdict
    if row.n < FEWEST:
        return f"undecided: {row.n} texts"
    return "undecided" if pd.isna(row.detectable) else f"undecided: {row.detectable:.1%} would show"
