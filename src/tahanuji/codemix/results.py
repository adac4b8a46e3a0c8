"""What attacks amount to: named tests, shares of words and texts really changed, words exchanged
most, and the published figures beside it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tahanuji import measure, words
from tahanuji.codemix import blend, translators
from tahanuji.codemix.natural import MIXES
from tahanuji.errors import InputError

NATURAL = "tweets natural"  # the test of tweets as people wrote them
MADE = "tweets en"  # the test of their Indonesian versions, attacked in English
SHOWN = {NATURAL: "as people mix", MADE: "as the attack mixes"}
FROM = "en"  # the language that the others are compared with
DOSE = 0.1  # share of words really replaced by foreign ones at which languages are compared
__all__ = [
    "against",
    "as_tests",
    "dose_sentences",
    "doses",
    "equal_dose",
    "exchanged",
    "heaviest",
    "instruments",
    "losses",
    "metrics",
    "natural_sentence",
    "ratio",
    "running_words",
    "success_sentences",
    "turned",
]

RATIOS = {
    "words_replaced_share": ("replaced", "words"),
    "words_asked_share": ("asked", "words"),
    "lexicon_share": ("translatable", "words"),
    "threshold_binds_share": ("binds", "ones"),
    "threshold_rejects_share": ("rejected", "ones"),
}


def as_tests(attacked: pd.DataFrame) -> pd.DataFrame:
    """The rows of an attack as behavioural tests.

    Parameters
    ----------
    attacked : DataFrame
        As `blend.attack_many` gives it.

    Returns
    -------
    DataFrame
        `test`, the language (of random words `en random`), and `rate`, in place of the columns that
        name the setting; the others stay.

    Examples
    --------
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
    """
    parts = [measure.behaviour(rows)]
    if "replaced" in rows:
        attacked = rows[rows["replaced"].notna() & (rows["clean_label"] == rows["gold"])]
        for key, part in measure.by_test(_thresholds(attacked)):
            names = [name for name, (above, _) in RATIOS.items() if above in part]
            shares = [
                (*key, name, *ratio(*(part[column] for column in RATIOS[name]), seed), len(part))
                for name in names
            ]
            parts.append(pd.DataFrame(shares, columns=parts[0].columns))
        parts += [_dosed(rows, seed)] if "rate" in rows else []
    return pd.concat(parts, ignore_index=True)


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
    table = equal_dose(rows, languages, DOSE, seed)
    table = table[table["dose"] == DOSE]
    shown = table.assign(rate=float("nan"), group="all", metric="induced_rate_at_dose")
    return shown.reindex(columns=measure.COLUMNS)


def doses(rows: pd.DataFrame) -> pd.DataFrame:
    """What each R really replaces.

    Parameters
    ----------
    rows : DataFrame
        As `as_tests` gives them.

    Returns
    -------
    DataFrame
        `test, rate, dose`: of the words of rightly classified texts the share that became a foreign
        word, with R = 0 in front.

    Examples
    --------
    >>> rows = pd.DataFrame({"test": ["en"], "rate": [0.4], "replaced": [2], "words": [8]})
    >>> doses(rows.assign(clean_label="x", gold="x"))["dose"].tolist()
    [0.0, 0.25]
    """
    attacked = rows[rows["replaced"].notna() & (rows["clean_label"] == rows["gold"])]
    sums = attacked.groupby(["test", "rate"], sort=False)[["replaced", "words"]].sum()
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
        `test, dose, R, value, ci_low, ci_high, n`, and against English at the same dose and on the
        same texts `difference, low, high` (English minus the language; NaN without English).

    Examples
    --------
    >>> one = {"id": ["a"], "gold": ["x"], "clean_label": ["x"], "words": [4]}
    >>> low = pd.DataFrame(one | {"test": "en", "rate": 0.2, "replaced": 1, "induced": False})
    >>> high = pd.DataFrame(one | {"test": "en", "rate": 0.4, "replaced": 2, "induced": True})
    >>> equal_dose(pd.concat([low, high]), ["en"], 0.375, seed=1)["value"].tolist()
    [0.5]
    """
    reached, table = doses(rows), []
    for language in languages:
        own = _rising(reached, language)
        at = min(dose, own["dose"].max())
        value = _between(rows, own, at)
        line = {"test": language, "dose": at, "R": float(np.interp(at, own["dose"], own["rate"]))}
        line |= dict(zip(("value", "ci_low", "ci_high"), _mean(value, seed), strict=True))
        other = _rising(reached, FROM)
        gap = (float("nan"),) * 3
        if language != FROM and len(other) and other["dose"].max() >= at:
            gap = _mean(_between(rows, other, at).loc[value.index] - value, seed)
        line |= {"n": len(value)} | dict(zip(("difference", "low", "high"), gap, strict=True))
        table.append(line)
    columns = ["test", "dose", "R", "value", "ci_low", "ci_high", "n", "difference", "low", "high"]
    return pd.DataFrame(table, columns=columns)


def dose_sentences(table: pd.DataFrame, model_name: str) -> list[str]:
    """What languages cost at equal doses, in words.

    Parameters
    ----------
    table : DataFrame
        As `equal_dose` gives it.
    model_name : str
        What the sentences call the model.

    Returns
    -------
    list of str
        Of every language its cost, and for those beside English the difference.

    Examples
    --------
    >>> line = {"test": "en", "dose": 0.1, "value": 0.2, "ci_low": 0.1, "ci_high": 0.3, "n": 10}
    >>> line |= {"difference": float("nan"), "low": float("nan"), "high": float("nan")}
    >>> dose_sentences(pd.DataFrame([line]), "mini")[0].partition(" mini")[0]
    'With 10.0% of the words exchanged for English'
    """
    said = []
    for row in table.itertuples():
        low, high = 100 * row.ci_low, 100 * row.ci_high
        line = (
            f"With {row.dose:.1%} of the words exchanged for {translators.NAMES[row.test]} "
            f"{model_name} loses {100 * row.value:.1f} points of accuracy ({low:.1f} to "
            f"{high:.1f}, n = {row.n})"
        )
        if not np.isnan(row.difference):
            how = (
                "more"
                if row.low > 0
                else "less"
                if row.high < 0
                else "neither measurably more nor less"
            )
            line += (
                f"; English costs {how} at the same dose ({100 * row.difference:+.1f} points, "
                f"{100 * row.low:.1f} to {100 * row.high:.1f})"
            )
        said.append(f"{line}.")
    return said


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
    part = rows[rows["test"] == point["test"]]
    if point["rate"] == 0:
        return pd.Series(0.0, index=part["id"].unique())
    return part[part["rate"] == point["rate"]].set_index("id")["induced"].astype(float)


def _mean(values: pd.Series, seed: int) -> tuple[float, float, float]:
    """A mean over texts with its bootstrap interval."""
    return ratio(values, pd.Series(1, index=values.index), seed)


def success_sentences(table: pd.DataFrame) -> list[str]:
    """What readers make of successful attacks.

    Parameters
    ----------
    table : DataFrame
        As `validity.success` gives it.

    Returns
    -------
    list of str
        One sentence; it says so where nothing was rated.

    Examples
    --------
    >>> success_sentences(pd.DataFrame({"rated": [0], "broken": [3], "same_label": [0.5]}))
    ['None of the 3 successful attacks was rated: how many keep the label is not known.']
    """
    rated, broken = int(table["rated"].sum()), int(table["broken"].sum())
    if not rated:
        return [
            f"None of the {broken} successful attacks was rated: how many keep the label is not "
            "known."
        ]
    same = round(float((table["rated"] * table["same_label"].fillna(0)).sum()))
    return [
        f"Of {rated} successful attacks that two readers rated (of {broken}), "
        f"{measure.percent(same, rated)} keep their label for both."
    ]


def instruments(languages: list[str]) -> dict[str, str]:
    """What is rated (`tahanuji.validity`) for each test of an attack.

    Parameters
    ----------
    languages : list of str
        The languages mixed in.

    Returns
    -------
    dict of str
        By test: those of the languages, of their random controls, and `MADE`.

    Examples
    --------
    >>> instruments(["jv"])["jv random"]
    'code_mixing:jv'
    """
    tests = {name: name for name in languages} | {f"{name} random": name for name in languages}
    return {test: f"code_mixing:{name}" for test, name in (tests | {MADE: "en"}).items()}


def ratio(above: pd.Series, below: pd.Series, seed: int) -> tuple[float, float, float]:
    """A ratio of two sums over rows, with a 95% bootstrap interval.

    Parameters
    ----------
    above, below : Series, length n
        What is summed, row by row.
    seed : int
        Of the bootstrap.

    Returns
    -------
    tuple of float
        `(value, low, high)`, over the draws whose sum below is not 0; NaN where it is 0 itself.

    Examples
    --------
    >>> ratio(pd.Series([1, 2]), pd.Series([4, 8]), seed=1)
    (0.25, 0.25, 0.25)
    """
    kinds, counts = np.unique(
        np.column_stack([above, below]).astype(float).reshape(-1, 2), axis=0, return_counts=True
    )
    if not (counts @ kinds[:, 1] if len(kinds) else 0):
        return (float("nan"),) * 3

    def share(drawn: np.ndarray) -> np.ndarray:
        top, bottom = (drawn @ kinds).T
        return np.divide(top, bottom, out=np.full_like(top, np.nan), where=bottom > 0)

    drawn = measure.replicate(share, counts, seed)
    return float(share(counts[None])[0]), *measure.interval(drawn[~np.isnan(drawn)])


def exchanged(rows: pd.DataFrame, least: int = 5, top: int = 20) -> pd.DataFrame:
    """The words that attacks exchange most for their occurrences.

    Parameters
    ----------
    rows : DataFrame
        As `as_tests` gives them.
    least : int
        Words of fewer texts are left out: they say nothing, and rare words would give texts away.
    top : int
        How many words at most.

    Returns
    -------
    DataFrame
        `word, IF, DF, IF/DF` and a column per test. DF counts the tests times rightly classified
        texts in which the word stands, IF those in which it was exchanged; a test's column holds
        the word's commonest translation.

    References
    ----------
    Adilazuarda et al. (2022), Tables 5 and 6.
    """
    stood, changed, texts, targets = (
        Counter(),
        Counter(),
        defaultdict(set),
        defaultdict(lambda: defaultdict(Counter)),
    )
    for row in rows[rows["clean_label"] == rows["gold"]].itertuples():
        there = {words.key(word.text) for word in words.words(row.text)}
        stood.update(there)
        for word in there:
            texts[word].add(row.id)
        swaps = {
            words.key(source): target.lower() for _, source, target in json.loads(row.replacements)
        }
        changed.update(swaps.keys())
        for source, target in swaps.items():
            targets[row.test][source][target] += 1
    kept = [word for word in changed if len(texts[word]) >= least]
    table = pd.DataFrame(
        {"word": kept, "IF": [changed[word] for word in kept], "DF": [stood[word] for word in kept]}
    )
    table["IF/DF"] = table["IF"] / table["DF"]
    for language, by_word in targets.items():
        table[language] = [
            by_word[word].most_common(1)[0][0] if by_word[word] else "" for word in kept
        ]
    return (
        table.sort_values(["IF/DF", "IF", "word"], ascending=[False, False, True])
        .head(top)
        .reset_index(drop=True)
    )


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
        `first, second, n, first_rate, second_rate, difference, p, p_holm`: shares of rows made
        wrong, 0 to 1, their difference, exact McNemar p and p after Holm over the pairs.

    Examples
    --------
    >>> rows = pd.DataFrame({"test": ["en", "jv"], "id": ["a", "a"], "induced": [True, False]})
    >>> float(against(rows, [("en", "jv")])["difference"][0])
    1.0
    """
    failures = {
        test: part.set_index("id")["induced"] for test, part in rows.groupby("test", sort=False)
    }
    table = []
    for first, second in pairs:
        one, other = failures[first], failures[second].loc[failures[first].index]
        tested = measure.compare(one, other)
        table.append(
            (
                first,
                second,
                len(one),
                float(one.mean()),
                float(other.mean()),
                tested["difference"],
                tested["p"],
            )
        )
    tests = pd.DataFrame(
        table, columns=["first", "second", "n", "first_rate", "second_rate", "difference", "p"]
    )
    return tests.assign(p_holm=measure.holm(tests["p"]))


def running_words(texts: Iterable[str]) -> list[str]:
    """All words of texts, repeats included.

    Parameters
    ----------
    texts : iterable of str
        Whose words are wanted.

    Returns
    -------
    list of str
        In their order.

    Examples
    --------
    >>> running_words(["enak, enak!", "murah"])
    ['enak', 'enak', 'murah']
    """
    return [word.text for text in texts for word in words.words(text)]


def heaviest(texts: Iterable[str], importances: list[np.ndarray], top: int = 4) -> list[str]:
    """Per text its most important words with their importance.

    Parameters
    ----------
    texts : iterable of str
        The texts.
    importances : list of array
        Per text a number per word, as `importance.importance` gives them.
    top : int
        Words per text, at most.

    Returns
    -------
    list of str
        A line per text, the most important word first.

    Examples
    --------
    >>> heaviest(["enak dan murah"], [np.array([0.5, 0.0, 0.25])], top=2)
    ['enak 0.50, murah 0.25']
    """
    lines = []
    for text, values in zip(texts, importances, strict=True):
        ranked = sorted(zip(words.words(text), values, strict=True), key=lambda pair: -pair[1])[
            :top
        ]
        lines.append(", ".join(f"{word.text} {value:.2f}" for word, value in ranked))
    return lines


def losses(rows: pd.DataFrame) -> pd.DataFrame:
    """Answers broken and repaired from the Indonesian version of tweets to their mixed one, apart:
    an attack mixes rightly classified texts alone and cannot repair.

    Parameters
    ----------
    rows : DataFrame
        Those of the tests `tweets ...`: `test, gold, clean_label, perturbed_label` and
        `by_english`.

    Returns
    -------
    DataFrame
        `group, series, test, outcome, value, ci_low, ci_high, n`: shares of the group's tweets, of
        all and by their share of English; `outcome` is `broken` or `repaired`.
    """
    parts = []
    for test, part in rows.groupby("test", sort=False):
        groups = {"all tweets": part} | {
            f"{name} of it English": part[part["by_english"] == name] for name in MIXES
        }
        outcomes = ("broken", "repaired") if test == NATURAL else ("broken",)
        for group, tweets in groups.items():
            for outcome in outcomes:
                count = int(turned(tweets, outcome).sum())
                share = measure.share(count, len(tweets))
                series = f"{SHOWN[test]}, {outcome}"
                parts.append((group, series, test, outcome, *share, len(tweets)))
    columns = ["group", "series", "test", "outcome", "value", "ci_low", "ci_high", "n"]
    return pd.DataFrame(parts, columns=columns)


def turned(rows: pd.DataFrame, outcome: str) -> pd.Series:
    """Whether each answer is broken or repaired.

    Parameters
    ----------
    rows : DataFrame
        `gold, clean_label, perturbed_label`.
    outcome : str
        `broken` (right before, wrong now) or `repaired` (the other way).

    Returns
    -------
    Series of bool
        In the order of the rows.
    """
    before, now = (rows[name] == rows["gold"] for name in ("clean_label", "perturbed_label"))
    return before & ~now if outcome == "broken" else ~before & now


def natural_sentence(rows: pd.DataFrame, model_name: str) -> str:
    """What natural and synthetic code-mixing break on the same tweets, in words, and whether the
    tweets that the one breaks are those that the other breaks.

    Parameters
    ----------
    rows : DataFrame
        As for `losses`, with `id`.
    model_name : str
        What the sentence calls the model.

    Returns
    -------
    str
    """
    table = losses(rows).query("group == 'all tweets'").set_index("series")
    said = {
        name: f"{measure.percent(round(row['value'] * row['n']), int(row['n']))}"
        for name, row in table.iterrows()
    }
    parts = {name: rows[rows["test"] == name].set_index("id") for name in (NATURAL, MADE)}
    natural, made = parts[NATURAL], parts[MADE].loc[parts[NATURAL].index]
    right = natural["clean_label"] == natural["gold"]
    one, other = (turned(part, "broken")[right] for part in (natural, made))
    both, only = int((one & other).sum()), int((one & ~other).sum())
    hit, spared = int(other.sum()), int((~other).sum())
    p = measure.unpaired(both, hit, only, spared)
    return (
        f"From the Indonesian version to the tweet as written {model_name} breaks "
        f"{said[f'{SHOWN[NATURAL]}, broken']} of its answers and repairs "
        f"{said[f'{SHOWN[NATURAL]}, repaired']}; the synthetic attack in English, which cannot "
        f"repair, breaks {said[f'{SHOWN[MADE]}, broken']} on the same tweets. Of tweets that the "
        f"attack breaks, natural mixing breaks {measure.percent(both, hit)} too, "
        f"of the others {measure.percent(only, spared)} (Fisher p = {p:.2g})."
    )
