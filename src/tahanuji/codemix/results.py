"""What attacks amount to: named tests, shares of words and texts really changed, words exchanged
most, and the published figures beside it.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tahanuji import measure, words
from tahanuji.codemix import blend
from tahanuji.codemix.natural import MIXES

NATURAL = "tweets natural"  # the test of tweets as people wrote them
MADE = "tweets en"  # the test of their Indonesian versions, attacked in English
RATIOS = {
    "words_replaced_share": ("replaced", "words"),
    "words_asked_share": ("asked", "words"),
    "lexicon_share": ("translatable", "words"),
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
    became another word; a translation equal to its source is none. `words_asked_share` were asked
    for, and `lexicon_share` have a translation.

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
        As `measure.behaviour`.
    """
    parts = [measure.behaviour(rows)]
    if "replaced" in rows:
        attacked = rows[rows["replaced"].notna() & (rows["clean_label"] == rows["gold"])]
        for key, part in measure.by_test(attacked):
            shares = [
                (*key, name, *ratio(part[above], part[below], seed), len(part))
                for name, (above, below) in RATIOS.items()
            ]
            parts.append(pd.DataFrame(shares, columns=parts[0].columns))
    return pd.concat(parts, ignore_index=True)


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
    """All words of some texts, repeats included.

    >>> running_words(["enak, enak!", "murah"])
    ['enak', 'enak', 'murah']
    """
    return [word.text for text in texts for word in words.words(text)]


def heaviest(texts: Iterable[str], importances: list[np.ndarray], top: int = 4) -> list[str]:
    """Per text its most important words with their importance.

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


def losses(rows: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """Accuracy lost from clean to perturbed text, of all tweets and by their share of English.

    Parameters
    ----------
    rows : DataFrame
        Those of the tests `tweets ...`: `test, gold, clean_label, perturbed_label` and
        `by_english`.
    labels : list of str
        The labels in their order.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        `group, series, value, ci_low, ci_high, n`: differences from -1 to 1 with their paired
        bootstrap interval.
    """
    parts = []
    for test, part in rows.groupby("test", sort=False):
        groups = {"all tweets": part} | {
            f"{name} of it English": part[part["by_english"] == name] for name in MIXES
        }
        for group, tweets in groups.items():
            gap = measure.paired_difference(
                tweets["gold"],
                tweets["clean_label"],
                tweets["perturbed_label"],
                labels,
                "accuracy",
                seed,
            )
            parts.append((group, test, *gap, len(tweets)))
    return pd.DataFrame(parts, columns=["group", "series", "value", "ci_low", "ci_high", "n"])


def natural_sentence(rows: pd.DataFrame, labels: list[str], seed: int, model_name: str) -> str:
    """What natural and synthetic code-mixing cost on the same tweets, in words, and whether the
    tweets lost to the one are those lost to the other.

    Parameters
    ----------
    rows : DataFrame
        As for `losses`, with `id` and `induced`.
    labels : list of str
        The labels in their order.
    seed : int
        Of the bootstrap.
    model_name : str
        What the sentence calls the model.

    Returns
    -------
    str
    """
    parts = {name: rows[rows["test"] == name].set_index("id") for name in (NATURAL, MADE)}
    natural, made = parts[NATURAL], parts[MADE].loc[parts[NATURAL].index]
    gaps = [
        measure.paired_difference(
            part["gold"], part["clean_label"], part["perturbed_label"], labels, "accuracy", seed
        )
        for part in (natural, made)
    ]
    cost = [f"{gap[0]:.1%} (95% {gap[1] * 100:.1f} to {gap[2] * 100:.1f})" for gap in gaps]
    right = natural["clean_label"] == natural["gold"]
    both, only = (
        int((natural["induced"] & made["induced"])[right].sum()),
        int((natural["induced"] & ~made["induced"])[right].sum()),
    )
    hit, spared = int(made["induced"][right].sum()), int((~made["induced"])[right].sum())
    p = measure.unpaired(both, hit, only, spared)
    return (
        f"On {len(natural)} tweets {model_name} loses {cost[0]} of accuracy from the Indonesian "
        f"version to the tweet as written, and {cost[1]} to the "
        f"synthetic attack in English. Of tweets that the attack turns wrong, natural mixing "
        f"turns {measure.percent(both, hit)} wrong too, "
        f"of the others {measure.percent(only, spared)} (Fisher p = {p:.2g})."
    )
