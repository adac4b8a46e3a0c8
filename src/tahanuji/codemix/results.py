"""What attacks amount to: behavioural tests, shares of words and texts really changed, languages at
one dose, and the words exchanged most.
"""

import json
from collections import Counter, defaultdict

import numpy as np
import pandas as pd

from tahanuji import measure, words
from tahanuji.codemix import blend, translators
from tahanuji.errors import InputError

__all__ = ["against", "equal_dose", "exchanged", "findings", "metrics"]

NATURAL = "tweets natural"  # the test of tweets as people wrote them
MADE = "tweets en"  # the test of their Indonesian versions, attacked in English
FROM = "en"  # the language that the others are compared with
DOSE = 0.1  # share of words really replaced by foreign ones at which languages are compared
LEVEL = 0.05  # of significance
DOSES = ["test", "language", "dose", "R", "value", "ci_low", "ci_high", "n"]
DOSES += ["difference", "low", "high"]
PAIRS = ["first", "second", "n", "first_rate", "second_rate", "difference", "detectable", "p"]
RATIOS = {
    "words_replaced_share": ("replaced", "words"),
    "words_asked_share": ("asked", "words"),
    "lexicon_share": ("translatable", "words"),
    "threshold_binds_share": ("binds", "ones"),
    "threshold_rejects_share": ("rejected", "ones"),
}


def as_tests(attacked: pd.DataFrame) -> pd.DataFrame:
    """The rows of `blend.attack_many` with `test`, the language (of random words `en random`), and
    `rate` in place of the columns that name the setting.

    >>> setting = {"id": ["a"], "language": ["en"], "translator": ["lexicon"]}
    >>> setting |= {"rate": [0.4], "ranking": ["random"]}
    >>> as_tests(pd.DataFrame(setting)).to_dict("records")
    [{'id': 'a', 'test': 'en random', 'rate': 0.4}]
    """
    rows = attacked.drop(columns=list(blend.SETTING))
    endings = attacked["ranking"].map({"importance": "", "random": " random"})
    rows.insert(1, "test", attacked["language"] + endings)
    rows.insert(2, "rate", attacked["rate"])
    return rows


def metrics(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The rates of `measure.behaviour`, and per test what was exchanged.

    Of the words of the texts that were attacked (those classified rightly) `words_replaced_share`
    became another, foreign word; a translation equal to its source is none. `words_asked_share`
    were asked for, and `lexicon_share` have a foreign translation. Of the texts that had one, the
    similarity threshold exchanged a chosen word in `threshold_binds_share` and left
    `threshold_rejects_share` unmixed. `induced_rate_at_dose` is the accuracy lost of
    `equal_dose` at DOSE, where a language gets there.

    Parameters
    ----------
    rows : DataFrame
        As `as_tests` gives them; tests without the columns `replaced`, `words`, `asked` and
        `translatable` get the rates alone.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`, shares from 0 to 1. Of the shares of words, n is the number of attacked
        texts, and texts are drawn with their words for the interval (bootstrap of both sums).

    Raises
    ------
    InputError
        As `measure.behaviour`, and where an attack at several rates found no text that is
        classified rightly.

    Examples
    --------
    >>> one = {"test": "en", "gold": "x", "clean_label": "x", "replaced": 1, "words": 4}
    >>> one |= {"asked": 2, "translatable": 3} | dict.fromkeys(measure.OUTCOMES, True)
    >>> metrics(pd.DataFrame([one]), seed=1).set_index("metric")["value"]["words_replaced_share"]
    np.float64(0.25)
    """
    parts = [measure.behaviour(rows)]
    if "replaced" in rows:
        for key, part in measure.by_test(_thresholds(_attacked(rows))):
            names = [name for name, (above, _) in RATIOS.items() if above in part]
            shares = [
                (*key, name, *_ends(ratio(*(part[one] for one in RATIOS[name]), seed)), len(part))
                for name in names
            ]
            parts.append(pd.DataFrame(shares, columns=measure.COLUMNS))
        parts += [_dosed(rows, seed)] if "rate" in rows else []
    return pd.concat(parts, ignore_index=True)


def _attacked(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of texts that an attack was made on."""
    return rows[rows["replaced"].notna() & (rows["clean_label"] == rows["gold"])]


def _thresholds(attacked: pd.DataFrame) -> pd.DataFrame:
    """The rows with what the similarity threshold did, where their tries are kept."""
    if "tries" not in attacked:
        return attacked
    tried = attacked["outcome"].isin(["mixed", "too dissimilar"])
    return attacked.assign(
        binds=(tried & (attacked["tries"] > 0)).astype(int),
        rejected=(attacked["outcome"] == "too dissimilar").astype(int),
        ones=tried.astype(int),
    )


def _dosed(rows: pd.DataFrame, seed: int) -> pd.DataFrame:
    """`equal_dose` of the languages that reach DOSE as metrics, over all R."""
    if not (rows["clean_label"] == rows["gold"]).any():
        raise InputError(
            f"the classifier gets none of {rows['id'].nunique()} texts right, and only right "
            f"answers are attacked; notebook 02 shows what it answers."
        )
    mixed = set(rows.loc[rows["replaced"].notna(), "test"])
    languages = [name for name in translators.LANGUAGES if name in mixed]
    table = equal_dose(rows, languages, DOSE, seed).query("dose == @DOSE")
    shown = table.assign(rate=float("nan"), group="all", metric="induced_rate_at_dose")
    return shown.reindex(columns=measure.COLUMNS)


def doses(rows: pd.DataFrame) -> pd.DataFrame:
    """`test, rate, dose`: the share of the words of attacked texts that became foreign ones, with
    rate 0 in front.

    >>> rows = pd.DataFrame({"test": ["en"], "rate": [0.4], "replaced": [2], "words": [8]})
    >>> doses(rows.assign(clean_label="x", gold="x"))["dose"].tolist()
    [0.0, 0.25]
    """
    sums = _attacked(rows).groupby(["test", "rate"], sort=False)[["replaced", "words"]].sum()
    table = (sums["replaced"] / sums["words"]).rename("dose").reset_index()
    none = pd.DataFrame({"test": table["test"].unique(), "rate": 0.0, "dose": 0.0})
    return pd.concat([none, table]).sort_values(["test", "rate"]).reset_index(drop=True)


def equal_dose(rows: pd.DataFrame, languages: list[str], dose: float, seed: int) -> pd.DataFrame:
    """Accuracy lost where the same share of words is really replaced by foreign ones.

    Between the two R whose shares lie around the dose a text counts with both outcomes, weighted by
    the distance of the shares. A language that does not get to the dose is compared at the largest
    share that it has.

    Parameters
    ----------
    rows : DataFrame
        As `as_tests` gives them, with several R.
    languages : list of str
        The tests to compare.
    dose : float
        Share of words, 0 to 1.
    seed : int
        Of the bootstrap over texts.

    Returns
    -------
    DataFrame
        `test, language, dose, R, value, ci_low, ci_high, n`, and against English at the same dose
        and on the same texts `difference, low, high` (English minus the language; NaN without
        English).

    Examples
    --------
    >>> one = {"id": ["a"], "gold": ["x"], "clean_label": ["x"], "words": [4]}
    >>> low = pd.DataFrame(one | {"test": "en", "rate": 0.2, "replaced": 1, "induced": False})
    >>> high = pd.DataFrame(one | {"test": "en", "rate": 0.4, "replaced": 2, "induced": True})
    >>> equal_dose(pd.concat([low, high]), ["en"], 0.375, seed=1)["value"].tolist()
    [0.5]
    """
    reached, table = doses(rows), []
    english = _rising(reached, FROM)
    for test in languages:
        own = _rising(reached, test)
        at = min(dose, own["dose"].max())
        lost, gap = _between(rows, own, at), measure.Estimate.none()
        if test != FROM and len(english) and english["dose"].max() >= at:
            gap = _mean(_between(rows, english, at).loc[lost.index] - lost, seed)
        rate = float(np.interp(at, own["dose"], own["rate"]))
        cells = *_ends(_mean(lost, seed)), len(lost), *_ends(gap)
        table.append((test, translators.NAMES[test], at, rate, *cells))
    return pd.DataFrame(table, columns=DOSES)


def _rising(reached: pd.DataFrame, test: str) -> pd.DataFrame:
    """The doses of a test up to its largest; where the threshold holds a larger R to fewer words,
    that R is left out.
    """
    own = reached[reached["test"] == test]
    return own[own["dose"] >= own["dose"].cummax()]


def _between(rows: pd.DataFrame, reached: pd.DataFrame, dose: float) -> pd.Series:
    """Whether each text is made wrong at a dose, interpolated between two R; by id."""
    at = min(int(np.searchsorted(reached["dose"], dose)), len(reached) - 1)
    upper, lower = reached.iloc[at], reached.iloc[max(at - 1, 0)]
    width = upper["dose"] - lower["dose"]
    weight = (dose - lower["dose"]) / width if width else 1.0
    high, low = (_induced(rows, point) for point in (upper, lower))
    return weight * high + (1 - weight) * low


def _induced(rows: pd.DataFrame, point: pd.Series) -> pd.Series:
    """Whether each text is made wrong by a test at a rate; by id."""
    part = rows[rows["test"] == point["test"]]
    if point["rate"] == 0:
        return pd.Series(0.0, index=part["id"].unique())
    return part[part["rate"] == point["rate"]].set_index("id")["induced"].astype(float)


def _mean(values: pd.Series, seed: int) -> measure.Estimate:
    """A mean over texts."""
    return ratio(values, pd.Series(1, index=values.index), seed)


def _ends(one: measure.Estimate) -> tuple[float, float, float]:
    """An estimate as three cells of a table."""
    return one.value, one.low, one.high


def ratio(above: pd.Series, below: pd.Series, seed: int) -> measure.Estimate:
    """The sum above by the sum below, and its bootstrap interval over rows; draws whose sum below
    is 0 are left out.

    >>> f"{ratio(pd.Series([1, 2]), pd.Series([4, 8]), seed=1):%}"
    '25.0% (25.0 to 25.0)'
    """
    table = np.column_stack([above, below]).astype(float).reshape(-1, 2)
    kinds, counts = np.unique(table, axis=0, return_counts=True)
    if not table[:, 1].sum():
        return measure.Estimate(float("nan"), n=len(table))

    def share(drawn: np.ndarray) -> np.ndarray:
        top, bottom = (drawn @ kinds).T
        return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)

    drawn = measure.replicate(share, counts, seed)
    value = float(share(counts[None])[0])
    return measure.Estimate(value, *measure.interval(drawn[~np.isnan(drawn)]), len(table))


def exchanged(rows: pd.DataFrame, least: int = 5, top: int = 20) -> pd.DataFrame:
    """The words that attacks exchange most for their occurrences: `word, IF, DF, IF/DF` and a
    column per test with the word's commonest translation.

    DF counts the tests times rightly classified texts in which the word stands, IF those in which
    it was exchanged (Adilazuarda et al., 2022, Tables 5 and 6). Words of fewer than `least` texts
    are left out: they say nothing, and rare words would give texts away.

    Parameters
    ----------
    rows : DataFrame
        As `as_tests` gives them.
    least : int
        Texts in which a word stands.
    top : int
        How many words at most.

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> row = {"id": "a", "test": "en", "text": "enak", "gold": "x", "clean_label": "x"}
    >>> row["replacements"] = '[[0, "enak", "tasty"]]'
    >>> exchanged(pd.DataFrame([row]), least=1).to_dict("records")
    [{'word': 'enak', 'IF': 1, 'DF': 1, 'IF/DF': 1.0, 'en': 'tasty'}]
    """
    stood, changed, texts = Counter(), Counter(), defaultdict(set)
    targets: dict[str, dict[str, Counter]] = defaultdict(lambda: defaultdict(Counter))
    for row in rows[rows["clean_label"] == rows["gold"]].itertuples():
        there = {words.key(word.text) for word in words.words(row.text)}
        stood.update(there)
        for word in there:
            texts[word].add(row.id)
        pairs = json.loads(row.replacements)
        swaps = {words.key(source): target.lower() for _, source, target in pairs}
        changed.update(swaps.keys())
        for source, target in swaps.items():
            targets[row.test][source][target] += 1
    kept = [word for word in changed if len(texts[word]) >= least]
    counts = {"IF": [changed[word] for word in kept], "DF": [stood[word] for word in kept]}
    table = pd.DataFrame({"word": kept, **counts})
    table["IF/DF"] = table["IF"] / table["DF"]
    for test, by_word in targets.items():
        table[test] = [max(by_word[word], key=by_word[word].get, default="") for word in kept]
    order = {"by": ["IF/DF", "IF", "word"], "ascending": [False, False, True]}
    return table.sort_values(**order).head(top).reset_index(drop=True)


def against(rows: pd.DataFrame, pairs: list[tuple[str, str]]) -> pd.DataFrame:
    """Two tests of the same rows at one rate, pair by pair.

    Parameters
    ----------
    rows : DataFrame
        `test`, `id` and `induced`.
    pairs : list of tuple of str
        Names of two tests.

    Returns
    -------
    DataFrame
        `first, second, n, first_rate, second_rate, difference, detectable, p, p_holm`: shares of
        rows made wrong, 0 to 1, their difference, the least one that a single test would find with
        80% power, exact McNemar p and p after Holm over the pairs.

    Examples
    --------
    >>> rows = pd.DataFrame({"test": ["en", "jv"], "id": ["a", "a"], "induced": [True, False]})
    >>> float(against(rows, [("en", "jv")])["difference"][0])
    1.0
    """
    parts = rows.groupby("test", sort=False)
    lost, table = {test: part.set_index("id")["induced"] for test, part in parts}, []
    for first, second in pairs:
        one, other = lost[first], lost[second].loc[lost[first].index]
        tested, n = measure.compare(one, other), len(one)
        unequal = (tested["only_first"] + tested["only_second"]) / n if n else 0.0
        least = measure.detectable_change(n, unequal)
        rates = float(one.mean()), float(other.mean()), tested["difference"]
        table.append((first, second, n, *rates, least, tested["p"]))
    tests = pd.DataFrame(table, columns=PAIRS).astype({"detectable": float})
    return tests.assign(p_holm=measure.holm(tests["p"]))


def findings(dosed: pd.DataFrame, compared: pd.DataFrame) -> list[tuple]:
    """Rows (question, estimate, unit, verdict): the accuracy lost per language at one dose
    (`equal_dose`), and what important words cost beyond random ones (`against`).

    Parameters
    ----------
    dosed : DataFrame
        As `equal_dose` gives it.
    compared : DataFrame
        As `against` gives it for languages and their controls.

    Returns
    -------
    list of tuple

    Examples
    --------
    >>> dosed = pd.DataFrame([("en", "English", 0.1, 0.2, 0.15, 0.1, 0.2, 9)], columns=DOSES[:8])
    >>> dosed = dosed.reindex(columns=DOSES)
    >>> question, lost, *_ = findings(dosed, pd.DataFrame(columns=[*PAIRS, "p_holm"]))[0]
    >>> question, f"{lost:%}"
    ('Accuracy lost with 10.0% of the words in English', '15.0% (10.0 to 20.0)')
    """
    names, rows = dosed.set_index("test")["language"], []
    for row in dosed.itertuples():
        lost = measure.Estimate(row.value, row.ci_low, row.ci_high, row.n)
        question = f"Accuracy lost with {row.dose:.1%} of the words in {row.language}"
        said = verdict(row.difference, row.low > 0 or row.high < 0, "English costs")
        rows.append((question, lost, "%", said))
    for row in compared.itertuples():
        question = f"{names[row.first]}: points lost by important words minus by random ones"
        said = verdict(row.difference, row.p_holm < LEVEL, "importance costs")
        rows.append((question, measure.Estimate(row.difference), "points", said))
    return rows


def verdict(difference: float, shown: bool, what: str = "") -> str:
    """`more`, `less` or no difference shown, behind a subject; empty where nothing was compared.

    >>> verdict(0.1, True, "English costs"), verdict(0.1, False), verdict(float("nan"), False)
    ('English costs more', 'no difference shown', '')
    """
    if np.isnan(difference):
        return ""
    size = "more" if difference > 0 else "less"
    return f"{what} {size}".strip() if shown else "no difference shown"
