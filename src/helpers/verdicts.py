"""Verdicts of a run: their margins, verdicts.csv, and how a notebook shows them."""

from collections.abc import Iterable

import pandas as pd

from helpers import tables, titles
from tahanuji import commas, measure, validity

VERBS = {
    "stands": "**stands**",
    "breaks": "**breaks** under",
    "improves": "**improves** under",
    "undecided": "is **undecided** on",
    "cannot act": "does not see (**cannot act**)",
}
WORDS = {"flips": "Labels that flip", "errors added": "Errors added", "failures": "Failures"}
WRONG_WAY = "Answers that move the wrong way"  # what fails in a DIR test
TOTALS = ("MFT", "INV", "DIR")  # over the tests of a suite: no tests themselves
WEAK = "undecided: instrument"
UNFIT = "unfit outputs"  # of an instrument: those that lost the right label, or the meaning
FEWEST = 20  # texts; fewer cannot stand for those that a change would meet
NAMED = 6  # tests that a sentence names, before it only counts them


def announce(margins: str, count: int, units: str = "texts") -> list[float]:
    """The margins of a parameter, smallest first; before anything runs it prints what so many texts
    (or other units, independent of each other) can show at each.
    """
    chosen = sorted(commas.numbers(margins))
    for margin in chosen:
        stands, breaks = measure.detectable_shares(count, margin)
        print(
            f"Margin {margin:.0%}: with {count} {units} a test "
            + (
                f"is shown to stand where its true share is at most {stands:.1%}"
                if stands
                else "cannot be shown to stand"
            )
            + (f", and to break where it is at least {breaks:.1%}" if breaks else "")
            + " (80% power, one-sided 95% bounds)."
        )
    return chosen


def save(
    run,
    rows: pd.DataFrame,
    types: str | dict[str, str],
    margins: list[float],
    instruments: dict[str, str] | None = None,
    language: str = "id",
    question: str = "label",
) -> None:
    """Write verdicts.csv of a run (`measure.verdicts` of its rows), columns `tables.VERDICTS`.

    `instruments` names what was rated for each test (`tahanuji.validity`): where too many of its
    outputs have another right label (or, as `question`, another meaning), or nobody rated them at
    such a rate, no margin is decided.
    """
    rated = validity.bounds((instruments or {}).values(), language, question) if instruments else {}
    weak = {
        test: (rated[name], validity.headline_rate(name) if rated[name] < 1 else 0.0)
        for test, name in (instruments or {}).items()
        if name in rated
    }
    judged = measure.verdicts(rows, types, margins, weak)
    tables.write(run.dir / "verdicts.csv", tables.named(run, judged, tables.VERDICTS))


def enough(judged: pd.DataFrame) -> pd.DataFrame:
    """Verdicts, those undecided that rest on fewer than FEWEST texts, whatever their bounds."""
    few = judged["verdict"].isin(measure.DECIDED) & (judged["n"] < FEWEST)
    return judged.assign(verdict=judged["verdict"].mask(few, "undecided"))


def table(judged: pd.DataFrame) -> pd.DataFrame:
    """Verdicts for reading: a row per test and quantity, the bound of the instrument's unfit
    outputs, the share with both one-sided 95% bounds, and a verdict per margin, of undecided ones
    with the least effect that would have been detected, of corrected ones (column q) with q.
    """
    judged = enough(judged)
    judged = judged.assign(
        test=tables.titles(judged),
        verdict=[
            row.verdict + _bound(row) * (row.verdict == "undecided") + _q(row)
            for row in judged.itertuples()
        ],
        unfit=judged["instrument"].map(unfit),
        value=[
            f"{row.value:.1%} ({tables.between(row.lower, row.upper)})"
            for row in judged.itertuples()
        ],
        margin=[f"margin {margin:.0%}" for margin in judged["margin"]],
    )
    key = ["test", "unfit", "quantity", "n", "value"]
    wide = judged.pivot(index=key, columns="margin", values="verdict")
    wide = wide[judged["margin"].unique()].loc[judged[key].drop_duplicates().apply(tuple, axis=1)]
    wide = wide.rename_axis(columns=None).reset_index()
    return (
        wide.rename(columns={"unfit": UNFIT}) if wide["unfit"].any() else wide.drop(columns="unfit")
    )


def unfit(bound: float | None) -> str:
    """The bound of an instrument's unfit outputs for readers, empty where there is no instrument.

    >>> unfit(0.0296), unfit(1.0), unfit(float("nan"))
    ('at most 3.0%', 'not rated', '')
    """
    if pd.isna(bound):
        return ""
    return f"at most {bound:.1%}" if bound < 1 else "not rated"


def validity_note(run, tests: Iterable[str] | None = None) -> str:
    """What stands below a chart: how many outputs of its tests' instruments are unfit by the
    readers' bounds in verdicts.csv; empty where no test has an instrument.
    """
    judged = tables.load(run, "verdicts").dropna(subset="instrument")
    judged = judged if tests is None else judged[judged["test"].isin(tests)]
    bounds = judged.groupby("test")["instrument"].min()  # beyond the rated rate it is 1
    rated = bounds[bounds < 1]
    said = []
    if len(rated):
        least, most = f"{rated.min():.1%}", f"{rated.max():.1%}"
        most = most if least == most else f"{least} to {most}, by test"
        said += [f"Unfit outputs (two language models say that the label changed): at most {most}"]
    if len(rated) < len(bounds):
        said += [f"not rated: {', '.join(bounds.index.difference(rated.index))}"]
    return "; ".join(said)


def _q(row) -> str:
    """The p after correction of a verdict that stands or breaks, where the table has one."""
    return f" (q = {row.q:.2g})" if hasattr(row, "q") and row.verdict in measure.DECIDED else ""


def sentences(judged: pd.DataFrame) -> list[str]:
    """A sentence per quantity and margin: which tests the model stands, which break it and which
    are undecided, and what effect the undecided ones would have detected.
    """
    judged = enough(judged[~judged["test"].isin(TOTALS)])
    words = judged["quantity"].map(WORDS).where(judged["type"] != "DIR", WRONG_WAY)
    named = [
        titles.short(notebook, name)
        for notebook, name in zip(judged["notebook"], tables.titles(judged), strict=True)
    ]
    judged = judged.assign(title=named, words=words)
    said = []
    for (quantity, margin), part in judged.groupby(["words", "margin"], sort=False):
        parts = {word: _listed(part[part["verdict"] == word]) for word in VERBS}
        acts = "; ".join(f"{VERBS[word]} {listed}" for word, listed in parts.items() if listed)
        weak = _listed(part[part["verdict"] == WEAK])
        against = f"{quantity}, margin {100 * margin:g} points"
        said.append(
            (f"{against}: the model {acts}." if acts else f"{against}.")
            + f" Not decided, because the instrument is unrated or too weak: {weak}." * bool(weak)
        )
    return said


def _listed(part: pd.DataFrame) -> str:
    """The tests of a verdict by name, or their number where they are many."""
    if len(part) > NAMED:
        return f"{len(part)} tests"
    cells = [f"*{row.title}* ({_size(row, row.value)}{_bound(row)})" for row in part.itertuples()]
    return ", ".join(cells)


def _size(row, share: float) -> str:
    """A share in percent, a difference of shares in points."""
    return f"{tables.points(share)} points" if row.quantity == "errors added" else f"{share:.1%}"


def _bound(row) -> str:
    """The bound that a verdict rests on; of an undecided one what would have been detected."""
    if row.verdict in ("stands", "improves"):
        return f", {_end(row, row.upper, 'at most', 'less than')}"
    if row.verdict == "breaks":
        return f", {_end(row, row.lower, 'at least', 'more than')}"
    if row.verdict != "undecided":
        return ""
    if row.n < FEWEST:
        return f"; {row.n} texts are too few"
    if pd.isna(row.detectable):
        return "; these texts could not have shown any effect"
    if row.quantity == "errors added":
        return f"; a cost of {100 * row.detectable:.1f} points would have been detected"
    return f"; a share of {row.detectable:.1%} would have been shown to break"


def _end(row, bound: float, closed: str, strict: str) -> str:
    """A bound in words; strictly within or beyond the margin where both round to one number."""
    equal = round(100 * bound, 1) == round(100 * row.margin, 1)
    return f"{strict if equal else closed} {_size(row, bound)}"


def paired_power(*pairs) -> str:
    """What exact McNemar tests of pairs of yes/no outcomes on the same rows would have detected:
    the largest of their least differences (`measure.detectable_change`), in words.

    >>> paired_power(([True] * 20 + [False] * 180, [False] * 190 + [True] * 10))
    'a difference of 8.0 points would have been detected with 80% power'
    """
    least = []
    for first, second in pairs:
        tested, n = measure.compare(first, second), len(first)
        share = (tested["only_first"] + tested["only_second"]) / n if n else 0.0
        least.append(measure.detectable_change(n, share))
    return _detected(max(least) if least and None not in least else None)


def unpaired_power(n_first: int, second: int, n_second: int) -> str:
    """What a comparison of two shares of different rows would have detected above the second share
    (`measure.detectable_unpaired`), in words.

    >>> unpaired_power(100, 20, 100)
    'a difference of about 17.8 points would have been detected with 80% power'
    """
    return _detected(measure.detectable_unpaired(n_first, second, n_second), "about ")


def _detected(difference: float | None, about: str = "") -> str:
    """The least difference of two shares that a test detects, in words."""
    size = "no difference of any size"
    if difference is not None:
        size = f"a difference of {about}{100 * difference:.1f} points"
    return f"{size} would have been detected" + " with 80% power" * (difference is not None)
