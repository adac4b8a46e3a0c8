"""The share of valid outputs per instrument, with its interval, agreement, and the bound that
verdicts need.
"""

import itertools
from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from tahanuji import downloads, lexicons, measure, paths, rating
from tahanuji import instrument as instruments
from tahanuji.instrument import SHARED, Instrument
from tahanuji.validity import making
from tahanuji.validity.sheets import ANSWERS, RATINGS, controls_right

FILE = paths.DATA / "validity" / "ratings.csv"
MISSED = 0.1  # a reader who misses a larger share of the controls of a kind is discarded
READERS = 2  # the ratings of fewer give no bound
QUESTIONS = ["grammatical", "meaning", "label", "said"]
GOOD = {"grammatical": "yes", "meaning": "same", "label": "same", "said": "yes"}
NAMED = ["grammatical", "same_meaning", "same_label", "as_expected"]


def ratings(path=FILE) -> pd.DataFrame:
    """All ratings that stand in a file, those of discarded readers too.

    As `sheets.collect` gives them; no rows where the file is not there.

    >>> {"instrument", "rater", "label"} <= set(ratings().columns)
    True
    """
    if not path.is_file():
        return pd.DataFrame(columns=RATINGS)
    rows = [cells for _, cells in lexicons.body(path, tuple(RATINGS))]
    frame = pd.DataFrame(rows, columns=RATINGS)
    return frame.assign(rate=pd.to_numeric(frame["rate"]), order=pd.to_numeric(frame["order"]))


def counted(rows: pd.DataFrame) -> pd.DataFrame:
    """The ratings that count: no controls, and no reader who missed more than MISSED of the
    controls of a kind.
    """
    right = controls_right(rows)
    poor = set(right[right["right"] < (1 - MISSED) * right["n"]]["rater"])
    return rows[(rows["control"] == "") & ~rows["rater"].isin(poor)]


def items(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per rated output: a question counts as good where more than half of its readers say
    so (of two readers both).
    """
    good = {question: (rows[question] == GOOD[question]).astype(float) for question in QUESTIONS}
    good["said"] = good["said"].where(rows["said"] != "")
    judged = rows[[*making.KEY, "output"]].assign(**good)
    keys = [*making.KEY, "output"]
    shares = judged.groupby(keys, dropna=False, sort=False)[QUESTIONS].mean()
    return (shares > 0.5).astype(float).where(shares.notna()).reset_index()


def standing(rows: pd.DataFrame, instrument: Instrument) -> pd.DataFrame:
    """The ratings of an instrument that still hold: those of outputs that it makes today, at the
    rate of today, in one sample (`_sample`); none where it makes something unrated of a rated text.
    All of them where it cannot be run without a network: then it is not what a verdict rests on
    here.
    """
    rows = _sample(rows[rows["rate"] == instrument.rate])
    needs = instrument.entry.needs.get(instrument.language, ()) if instrument.entry else ()
    if not all(map(downloads.at_hand, needs)):
        return rows
    rated = rows.drop_duplicates([*making.KEY, "output"])
    rated = rated[[_at_hand(dataset, split) for dataset, split in _places(rated)]]
    if rated.empty:
        return rows.head(0)
    now = making.again(rated, instrument, int(rated["draw"].iloc[0])).loc[rated.index]
    made = _outputs(rated.assign(output=now)[now.notna()])
    if not made.isin(_outputs(rated)).all():
        return rows.head(0)
    gone = rated[now != rated["output"]]
    return rows[~_outputs(rows).isin(_outputs(gone))]


def _sample(rows: pd.DataFrame) -> pd.DataFrame:
    """The ratings of the newest sample that enough readers have rated, else of the newest: a first
    reader's sheet does not put away what two have rated before.
    """
    readers = rows.groupby("draw", sort=False)["rater"].nunique()
    enough = readers[readers >= READERS]
    newest = (enough if len(enough) else readers).index[-1:]
    return rows[rows["draw"].isin(newest)]


def _outputs(rows: pd.DataFrame) -> pd.MultiIndex:
    return pd.MultiIndex.from_frame(rows[[*making.KEY, "output"]])


def _places(rated: pd.DataFrame) -> Iterable[tuple[str, str]]:
    return rated[["dataset", "split"]].itertuples(index=False, name=None)


@cache
def _at_hand(dataset: str, split: str) -> bool:
    """Whether a split can be read without a network."""
    entry = downloads.registry()["datasets"].get(dataset)
    if entry is None or "splits" not in entry:
        return False
    return downloads.at_hand(entry["splits"][split]) is not None


def worked_out(rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """The validity of every instrument whose ratings hold, as data/validity/shares.csv keeps it:
    columns `instrument.SHARED`. The instruments are run again on the texts that were rated.
    """
    rows = counted(ratings() if rows is None else rows)
    table = []
    for one in [one for language in making.SOURCES for one in instruments.rated(language)]:
        own = rows[(rows["instrument"] == one.key) & (rows["language"] == one.language)]
        held = standing(own, one)
        if len(held):
            table.append((one.key, one.language, *_row(one, held), one.fingerprint()))
    return pd.DataFrame(table, columns=SHARED)


def _row(one: Instrument, rows: pd.DataFrame) -> tuple:
    """What stands in `worked_out` of one instrument, from its rate on."""
    every, twice = items(rows), items(_twice(rows))
    shares = [every[question].dropna().mean() for question in QUESTIONS]
    asked = ["said", "said"] if one.test_type == "DIR" else ["label", "meaning"]
    bounds = [_bound(twice[question]) for question in asked]
    return one.rate, len(every), rows["rater"].nunique(), *shares, len(twice), *bounds


def _bound(good: pd.Series) -> float:
    """The one-sided 95% upper bound of the share of outputs that are not good; 1 without any."""
    good = good.dropna()
    return measure.bounds(len(good) - int(good.sum()), len(good))[1] if len(good) else 1.0


def table(language: str = "id") -> pd.DataFrame:
    """The measured validity of every instrument.

    Parameters
    ----------
    language : str
        Of the texts, `id` or `en`.

    Returns
    -------
    DataFrame
        A row per instrument: instrument, test_type, rate, n (rated outputs), raters, twice (outputs
        that two readers and more rated); the shares grammatical, same_meaning, same_label and
        as_expected (of DIR tests), each with `_low` and `_high` (95%, Wilson); bound, the one-sided
        95% bound of the share of changed labels among those rated twice (of a DIR test: of outputs
        that do not say what is expected); current, whether the instrument is the one that was
        rated. Unrated ones have n = 0 and bound 1.

    Examples
    --------
    >>> list(table().columns)[:4]
    ['instrument', 'test_type', 'rate', 'n']
    """
    shown = []
    for one in instruments.rated(language):
        about = one.validity
        row = {"instrument": one.key, "test_type": one.test_type, "rate": one.rate}
        row |= {name: getattr(about, name) for name in ("n", "raters", "twice")}
        for name in NAMED:
            row |= _with_interval(name, getattr(about, name), about.n)
        shown.append(row | {"bound": about.unfit(), "current": about.current})
    return pd.DataFrame(shown)


def _with_interval(name: str, share: float, n: int) -> dict[str, float]:
    """A share of n outputs with the ends of its interval."""
    values = measure.share(0, 0) if np.isnan(share) else measure.share(round(share * n), n)
    return dict(zip([name, f"{name}_low", f"{name}_high"], values, strict=True))


def _twice(rows: pd.DataFrame) -> pd.DataFrame:
    """The ratings of outputs that enough readers have rated."""
    readers = rows.groupby([*making.KEY, "output"], dropna=False)["rater"].transform("nunique")
    return rows[readers >= READERS]


def agreed(rows: pd.DataFrame, question: str = "label") -> tuple[float, int]:
    """The share of the pairs of readers of one output that agree on a question, and the pairs.

    >>> agreed(pd.DataFrame(columns=RATINGS))[1]
    0
    """
    same, pairs = 0, 0
    for one, two in itertools.combinations(_answers(counted(rows), question).to_numpy().T, 2):
        both = pd.notna(one) & pd.notna(two)
        same, pairs = same + int((one == two)[both].sum()), pairs + int(both.sum())
    return (same / pairs if pairs else float("nan")), pairs


def _answers(rows: pd.DataFrame, question: str) -> pd.DataFrame:
    """The answers to a question: a row per output, a column per reader."""
    rows = rows[rows[question] != ""]
    return rows.pivot(index=[*making.KEY, "output"], columns="rater", values=question)


def agreement(rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """How far readers agree, pair by pair and question by question.

    `rating.AGREEMENT`.

    Source: Cohen (1960); Gwet (2008), *Computing inter-rater reliability and its variance in the
    presence of high agreement*.

    >>> list(agreement(pd.DataFrame(columns=RATINGS)).columns)[:4]
    ['question', 'raters', 'n', 'agree']
    """
    rows = counted(ratings() if rows is None else rows)
    said = []
    for question in QUESTIONS:
        labels = [answer for answer in ANSWERS[question] if answer]
        said += rating.agreement(question, _answers(rows, question), labels, making.SEED)
    return pd.DataFrame(said, columns=rating.AGREEMENT)
