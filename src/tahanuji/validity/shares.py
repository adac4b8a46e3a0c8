"""The share of valid outputs per instrument, with its interval, agreement, and the bound that
verdicts need.
"""

from collections.abc import Iterable
from functools import cache

import pandas as pd

from tahanuji import downloads, lexicons, measure, paths, rating
from tahanuji.perturb import registry
from tahanuji.validity import making
from tahanuji.validity.sheets import ANSWERS, RATINGS, controls_right, tested

FILE = paths.DATA / "validity" / "ratings.csv"
MISSED = 0.1  # a reader who misses a larger share of the controls of a kind is discarded
READERS = 2  # the ratings of fewer give no bound
QUESTIONS = ["grammatical", "meaning", "label", "said"]
GOOD = {"grammatical": "yes", "meaning": "same", "label": "same", "said": "yes"}
NAMED = ["grammatical", "same_meaning", "same_label", "as_expected"]


def ratings(path=FILE) -> pd.DataFrame:
    """All ratings that stand in a file, those of discarded readers too.

    Parameters
    ----------
    path : Path
        Of a csv with the columns of `sheets.RATINGS`.

    Returns
    -------
    DataFrame
        As `sheets.collect` gives them; no rows where the file is not there.

    Raises
    ------
    InputError
        For a missing column.

    Examples
    --------
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


def _standing(rows: pd.DataFrame, instrument: str, language: str) -> pd.DataFrame:
    """The ratings of an instrument that still hold: those of outputs that it makes today, at the
    rate of today, in one sample (`_sample`); none where it makes something unrated of a rated text.
    All of them where it cannot be run without a network: then it is not what a verdict rests on
    here.
    """
    rows = _sample(rows[rows["rate"] == making.headline_rate(instrument)])
    entry = making.perturbation(instrument)
    if entry and not all(map(downloads.at_hand, entry.needs.get(language, ()))):
        return rows
    rated = rows.drop_duplicates([*making.KEY, "output"])
    rated = rated[[_at_hand(dataset, split) for dataset, split in _places(rated)]]
    if rated.empty:
        return rows.head(0)
    now = making.again(rated, instrument, language, int(rated["draw"].iloc[0])).loc[rated.index]
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


def table(language: str = "id", rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """The measured validity of every instrument.

    Parameters
    ----------
    language : str
        Of the texts, `id` or `en`.
    rows : DataFrame, optional
        Ratings; without them those of data/validity/ratings.csv.

    Returns
    -------
    DataFrame
        A row per instrument: instrument, test_type, rate, n (rated outputs), raters, twice (outputs
        that two readers and more rated); the shares grammatical, same_meaning, same_label and
        as_expected (of DIR tests), each with `_low` and `_high` (95%, Wilson); bound, the one-sided
        95% bound of the share of changed labels among those rated twice (of a DIR test: of outputs
        that do not say what is expected); current, whether the instrument makes nothing of the
        rated texts today that is unrated. Unrated ones have n = 0 and bound 1.

    Examples
    --------
    >>> list(table(rows=ratings().head(0)).columns)[:4]
    ['instrument', 'test_type', 'rate', 'n']
    """
    rows = counted(ratings() if rows is None else rows)
    rows = rows[rows["language"] == language]
    shown = []
    for name in making.instruments(language):
        own = rows[rows["instrument"] == name]
        standing = _standing(own, name, language)
        current = len(standing) > 0
        shown.append(_row(name, standing if current else own) | {"current": current})
    return pd.DataFrame(shown)


def rated(rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """The validity of every instrument whose ratings hold, as the registry of perturbations shows
    it.

    Parameters
    ----------
    rows : DataFrame, optional
        Ratings; without them those of data/validity/ratings.csv.

    Returns
    -------
    DataFrame
        Columns `perturb.registry.RATED`: of `table` those of the best estimate, and the bound,
        rounded to four places.

    Examples
    --------
    >>> rated(ratings().head(0)).empty
    True
    """
    tables = [table(language, rows).assign(language=language) for language in making.SOURCES]
    every = pd.concat(tables, ignore_index=True)
    return every.loc[every["current"], list(registry.RATED)].round(4).reset_index(drop=True)


def _row(name: str, rows: pd.DataFrame) -> dict:
    """The row of one instrument."""
    rated = items(rows)
    twice = items(_twice(rows))
    row = {"instrument": name, "test_type": tested(name), "rate": making.headline_rate(name)}
    row |= {"n": len(rated), "raters": rows["rater"].nunique(), "twice": len(twice)}
    for question, column in zip(QUESTIONS, NAMED, strict=True):
        answers = rated[question].dropna()
        low_high = measure.share(int(answers.sum()), len(answers))
        row |= dict(zip([column, f"{column}_low", f"{column}_high"], low_high, strict=True))
    return row | {"bound": _bound(name, rows)}


def _bound(name: str, rows: pd.DataFrame, question: str = "label") -> float:
    """The bound of one instrument, of the outputs that enough readers have rated."""
    answers = items(_twice(rows))["said" if tested(name) == "DIR" else question].dropna()
    bad = len(answers) - int(answers.sum())
    return measure.bounds(bad, len(answers))[1] if len(answers) else 1.0


def _twice(rows: pd.DataFrame) -> pd.DataFrame:
    """The ratings of outputs that enough readers have rated."""
    readers = rows.groupby([*making.KEY, "output"], dropna=False)["rater"].transform("nunique")
    return rows[readers >= READERS]


def bounds(
    names: Iterable[str] | None = None, language: str = "id", question: str = "label"
) -> dict[str, float]:
    """What a verdict has to know of its instrument.

    Parameters
    ----------
    names : iterable of str, optional
        Of perturbations or `code_mixing:<language>`; without them all.
    language : str
        Of the texts.
    question : str
        `label`, the sentiment; or `meaning`, for tasks whose answer hangs on more than that.

    Returns
    -------
    dict of str to float
        The one-sided 95% upper bound of the share of changed texts whose right label (or meaning)
        changed, 0 to 1; of DIR tests that of outputs that do not say what is expected. 1.0 without
        ratings, where the instrument has changed since, and for options that nobody rated. Names of
        which there is nothing to rate are left out.

    References
    ----------
    Clopper and Pearson (1934), as in `measure.bounds`.

    Examples
    --------
    >>> bounds(["no such instrument", "negation:no such option"])
    {'negation:no such option': 1.0}
    """
    rows = counted(ratings())
    rows = rows[rows["language"] == language]
    every = making.instruments(language)
    named = every if names is None else names
    wanted = [name for name in named if making.rateable(name, language)]
    bound = dict.fromkeys(wanted, 1.0)
    for name in bound.keys() & set(every):
        standing = _standing(rows[rows["instrument"] == name], name, language)
        if len(standing):
            bound[name] = _bound(name, standing, question)
    return bound


def agreement(rows: pd.DataFrame | None = None) -> pd.DataFrame:
    """How far readers agree, pair by pair and question by question.

    Parameters
    ----------
    rows : DataFrame, optional
        Ratings; without them those of data/validity/ratings.csv.

    Returns
    -------
    DataFrame
        `rating.AGREEMENT`.

    References
    ----------
    Cohen (1960); Gwet (2008), *Computing inter-rater reliability and its variance in the presence
    of high agreement*.

    Examples
    --------
    >>> list(agreement(pd.DataFrame(columns=RATINGS)).columns)[:4]
    ['question', 'raters', 'n', 'agree']
    """
    rows = counted(ratings() if rows is None else rows)
    said = []
    for question in QUESTIONS:
        part = rows[rows[question] != ""]
        answers = part.pivot(index=[*making.KEY, "output"], columns="rater", values=question)
        labels = [answer for answer in ANSWERS[question] if answer]
        said += rating.agreement(question, answers, labels, making.SEED)
    return pd.DataFrame(said, columns=rating.AGREEMENT)
