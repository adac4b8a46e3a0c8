"""Marks of unedited writing: how often people make them, and how often realistic_noise does."""

from collections import Counter

import numpy as np
import pandas as pd

from tahanuji import data, measure, perturb, words
from tahanuji.instrument import Instrument
from tahanuji.lexicons import LEXICONS
from tahanuji.perturb import realistic
from tahanuji.results import estimates

__all__ = ["MADE_BY", "made", "natural", "shares"]

NOISE = "noise"  # any of the marks that realistic_noise makes
MADE_BY = {
    "abbreviation": "contraction, realistic_noise",
    "clipped": "contraction, realistic_noise",
    "fused": "contraction, realistic_noise",
    "negation": "negation, realistic_noise",
    "lengthening": "realistic_noise",
    "figure two": "realistic_noise",
    "slip": "typos, keyboard, character_typos, realistic_noise",
    "misspelling": "spelling, realistic_noise",
    NOISE: "realistic_noise",
    "english word": "code_mixing:en",
    "javanese word": "code_mixing:jv",
    "sundanese word": "code_mixing:su",
    "malay word": "code_mixing:ms",
    "capitals": "word_case",
    "link or mention": "twitter",
    "open end": "punctuation",
    "repeated mark": "punctuation",
}
OF_TEXTS = ("open end", "repeated mark")
COLUMNS = ["texts", "mark", "count", "n", "value", "ci_low", "ci_high"]
RESAMPLES, SEED = 2000, 1  # of the bootstrap


def shares(numbers: pd.DataFrame, texts: str) -> pd.DataFrame:
    """Shares of words, or of texts, that bear each mark.

    Columns texts, mark, count, n (words; of `open end` and `repeated mark` texts), value from 0 to
    1, ci_low and ci_high: 95% percentile bootstrap intervals over texts.

    >>> numbers = pd.DataFrame({"slip": [1, 0], "words": [4, 6], "texts": [1, 1]})
    >>> shares(numbers, "mine")[["mark", "count", "n", "value"]].values.tolist()
    [['slip', 1, 10, 0.1]]
    """
    names = [name for name in numbers if name not in ("words", "texts")]
    whole = numbers[["texts" if name in OF_TEXTS else "words" for name in names]].to_numpy()
    sums = np.hstack([numbers[names].to_numpy(), whole])

    def share(counts: np.ndarray) -> np.ndarray:
        hits, of = np.split(counts, 2, axis=-1)
        return hits / np.maximum(of, 1)

    kinds, many = np.unique(sums, axis=0, return_counts=True)
    drawn = measure.replicate(lambda counts: share(counts @ kinds), many, SEED, RESAMPLES)
    hits, of = np.split(sums.sum(0), 2)
    bounds = [measure.interval(column) for column in drawn.T]
    rows = zip(names, hits.tolist(), of.tolist(), share(sums.sum(0)), bounds, strict=True)
    return pd.DataFrame([(texts, *row, *bound) for *row, bound in rows], columns=COLUMNS)


def natural() -> pd.DataFrame:
    """How often people make each mark.

    As `shares`, of data/lexicons/noise_mixture_id.csv: 1,001 texts of social media (`all`), those
    that annotators flagged for a typo, spoken language, slang and a code-switch, and our edited
    texts, where the same rules find names and rare words.

    Source: The texts are those of github.com/supryzhu/Indonesia-Chinese-MTRobustEval.

    >>> natural()["texts"].unique().tolist()
    ['all', 'typo', 'spoken', 'slang', 'code-switch', 'edited']
    """
    table = data.read_table(LEXICONS / "noise_mixture_id.csv").reset_index(drop=True)
    return table.astype(dict.fromkeys(COLUMNS[2:], float)).astype({"count": int, "n": int})


def counted(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """How often people make each mark, and how often realistic_noise does at each of its rates."""
    rates = Instrument("realistic_noise").entry.rates
    return pd.concat([natural(), *(made(frame, rate, seed) for rate in rates)])


def made(frame: pd.DataFrame, rate: float, seed: int) -> pd.DataFrame:
    """How often realistic_noise makes each mark.

    As `shares`, of the texts `realistic_noise <rate>`; a phrase that becomes one word counts once.

    >>> frame = pd.DataFrame({"id": ["a"], "text": ["barang yang dipesan sudah sampai"]})
    >>> table = made(frame, 0.1, seed=1)
    >>> table.loc[table["count"] > 0, ["mark", "count", "n"]].values.tolist()
    [['abbreviation', 1, 5], ['slip', 1, 5], ['noise', 2, 5]]
    """
    numbers: list[dict] = []

    def count(text: str, rate: float, rng) -> None:
        counted = Counter(mark for mark, _ in realistic.marked(text, rate, rng).values())
        counted[NOISE] = counted.total()
        numbers.append(counted | {"words": len(words.words(text)), "texts": 1})

    perturb.apply(count, frame, rate, seed)
    columns = [*realistic.weights(), NOISE, "words", "texts"]
    table = pd.DataFrame(numbers, columns=columns).fillna(0).astype(int)
    return shares(table, measure.title("realistic_noise", rate))


def table(counted: pd.DataFrame) -> pd.DataFrame:
    """How often people make each mark and how often realistic_noise does, in percent of the words
    (of ends and repeated marks, of the texts): a row per mark, a column per kind of texts, and the
    perturbations that make it; intervals beside all natural texts and the middle rate.
    """
    middle = measure.title("realistic_noise", Instrument("realistic_noise").rate)
    cells = [
        f"{one:%}" if texts in ("all", middle) else f"{one.value:.1%}"
        for texts, one in zip(counted["texts"], estimates(counted), strict=True)
    ]
    table = counted.assign(cell=cells).pivot(index="mark", columns="texts", values="cell")
    table = table.reindex(index=list(MADE_BY), columns=counted["texts"].unique())
    table.insert(0, "made by", list(MADE_BY.values()))
    return table.fillna("").reset_index()


def density(counted: pd.DataFrame) -> list[tuple]:
    """How much of unedited writing realistic_noise
    makes at its headline rate; none where it was not counted.
    """
    own = measure.title("realistic_noise", Instrument("realistic_noise").rate)
    rows = counted[counted["mark"] == NOISE].set_index("texts")
    named = {own: own, "all": "unedited texts", "edited": "edited texts, by the same rules"}
    return [
        (f"Words with a mark of noise: {said}", next(estimates(rows.loc[[name]])))
        for name, said in named.items()
        if own in rows.index
    ]
