"""IndoRobusta-Blend (Adilazuarda et al., 2022, Algorithm 1): the most important words of a text,
exchanged for their translation.

Outcomes of a row: `wrong already` (only rightly classified rows are attacked), `no words`, `not
asked` (rate 0), `stop words only`, `no translation`, `too dissimilar` (alpha was not reached and
the text stays), `mixed`.
"""

import json
from functools import partial
from random import Random

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, predict
from tahanuji.codemix.importance import importance, numbers, predicted
from tahanuji.codemix.search import ALPHA, TRIES, Mix, orders, rows_of, settle, start, targets_of
from tahanuji.errors import InputError, unknown

__all__ = ["attack_many"]

RANKINGS = ("importance", "random")
# The columns of `attack_many` that other behavioural tests do not have.
SETTING = ("language", "translator", "rate", "ranking")
OWN = (*SETTING, "words", "translatable", "asked", "replaced", "share_replaced", "similarity")
OWN += ("tries", "outcome", "replacements")


def attack(
    classifier, frame: pd.DataFrame, translator, rate: float, seed: int, **options
) -> pd.DataFrame:
    """`attack_many` for one translator and one rate."""
    return attack_many(classifier, frame, [translator], [rate], seed, **options)


def attack_many(
    classifier,
    frame: pd.DataFrame,
    translators: list,
    rates: list[float],
    seed: int,
    *,
    alpha: float = ALPHA,
    tries: int = TRIES,
    similarity=None,
    ranking: str = "importance",
    form: str = "textfooler",
    masking: str = "auto",
    stop_words: frozenset[str] = frozenset(),
) -> pd.DataFrame:
    """Attacks by code-mixing; all settings share one pass of importance and one of predictions.

    Of a text's words max(1, round(rate x words)) are asked for: by importance (or in random order),
    none of `stop_words`, and those without a translation are passed over for the next. While the
    similarity to the original is below `alpha` the least important chosen word gives way to one not
    chosen before, drawn with the generator of (seed, example id), or to none where all have been;
    after `tries` of these, or with no word left, the text stays as it was. Order, subset and
    company of rows, translators and rates change nothing.

    Parameters
    ----------
    classifier
        Anything with `labels` and `predict_proba(texts, precision) -> float32 array (n, labels)`.
    frame : DataFrame
        Columns `id, text, label`, n rows.
    translators : list of Translator
        One per language, see `translators.named`.
    rates : list of float
        Shares of a text's words to exchange, 0 to 1.
    seed : int
        Of the draws.
    alpha : float
        The least similarity, 0 to 1; without a `similarity` there is no threshold.
    tries : int
        Exchanges of a chosen word for another, at most.
    similarity : Similarity, optional
        See `similarity.named`.
    ranking : str
        `importance` or `random`.
    form, masking : str
        As in `importance.importance`.
    stop_words : frozenset of str
        In lower case; never exchanged.

    Returns
    -------
    DataFrame
        One row per translator, rate and example: language, translator, rate, ranking, the columns
        of `behaviour.judged`, and words, translatable (words with a translation), asked, replaced,
        share_replaced (of the words), similarity (of mixed texts), tries, outcome, replacements
        (JSON: word number, source, target), changed, clean_sha256, perturbed_sha256, text,
        perturbed.

    Raises
    ------
    InputError
        For options out of range and for pairs of sentences.

    References
    ----------
    Adilazuarda et al. (2022), section 2.2, Algorithm 1.

    Examples
    --------
    >>> from tahanuji.codemix.dictionaries import Dictionary
    >>> from tahanuji.models.tfidf import Tfidf
    >>> frame = pd.DataFrame({"id": ["a"], "text": ["Enak, murah!"], "label": ["positive"]})
    >>> english = Dictionary("own", "en", [("enak", "tasty")])
    >>> attack_many(Tfidf(data.LABELS), frame, [english], [0.5], 1)["perturbed"].tolist()
    ['Tasty, murah!']
    """
    _check(frame, rates, alpha, tries, ranking)
    numbers(classifier, frame["label"])
    clean = predicted(classifier, list(frame["text"]))
    rows = rows_of(frame, predict.named(clean, classifier.labels), stop_words, seed)
    targets = [targets_of(translator, rows) for translator in translators]
    wanted, importances = _wanted(rows, targets), None
    if ranking == "importance":
        how = {"only": wanted, "clean": clean, "masking": masking}
        importances = importance(classifier, list(frame["text"]), list(frame["label"]), form, **how)
    ranked = orders(rows, wanted, importances)
    settings = [(number, rate) for number in range(len(translators)) for rate in rates]
    mixes = [
        start(row, targets[number][example], ranked[example], rate)
        for example, row in enumerate(rows)
        for number, rate in settings
    ]
    makers = [partial(Random, row.seed) for row in rows for _ in settings]
    settle(mixes, makers, similarity, alpha, tries)
    perturbed = _probabilities(classifier, mixes, np.repeat(clean, len(settings), axis=0))
    parts = []
    for offset, (number, rate) in enumerate(settings):
        own = slice(offset, None, len(settings))
        judged = behaviour.judged(frame, clean, perturbed[own], classifier.labels)
        about = (translators[number].language, translators[number].name, rate, ranking)
        parts.append(_table(judged, mixes[own], dict(zip(SETTING, about, strict=True))))
    together = pd.concat(parts, ignore_index=True)
    together.attrs["source"] = frame.attrs.get("source", {})
    return together


def _wanted(rows: list, targets: list[list[dict[int, str]]]) -> list[set[int]]:
    """The numbers of the words of each row that some translator could exchange; none of a row that
    is not attacked.
    """
    return [
        row.free & set().union(*(of_rows[number] for of_rows in targets)) if row.right else set()
        for number, row in enumerate(rows)
    ]


def _check(frame: pd.DataFrame, rates: list[float], alpha: float, tries: int, ranking: str) -> None:
    """Refuse options out of range, and pairs of sentences."""
    for rate in rates:
        if not 0 <= rate <= 1:
            raise InputError(
                f"the share of words to exchange lies between 0 and 1, and {rate!r} does not."
            )
    if not 0 <= alpha <= 1:
        raise InputError(
            f"the similarity threshold alpha lies between 0 and 1, and {alpha!r} does not."
        )
    if tries < 0:
        raise InputError(f"the number of tries is 0 or more, and {tries!r} is not.")
    if ranking not in RANKINGS:
        raise unknown("ranking", ranking, RANKINGS)
    if data.paired(frame):
        raise InputError(
            "code-mixing attacks single texts, and these are pairs of sentences; take a data set "
            "of texts."
        )


def _probabilities(classifier, mixes: list[Mix], clean: np.ndarray) -> np.ndarray:
    """Probabilities of all mixes in one stream; unchanged texts keep those of the clean text."""
    changed = [number for number, mix in enumerate(mixes) if mix.outcome == "mixed"]
    if changed:
        clean[changed] = predicted(classifier, [mixes[number].perturbed for number in changed])
    return clean


def _table(judged: pd.DataFrame, mixes: list[Mix], setting: dict) -> pd.DataFrame:
    """The rows of one setting."""
    for column, (name, value) in enumerate(setting.items()):
        judged.insert(column, name, value)
    return judged.assign(
        words=[len(mix.words) for mix in mixes],
        translatable=[len(mix.targets) for mix in mixes],
        asked=[mix.asked for mix in mixes],
        replaced=[len(mix.chosen) for mix in mixes],
        share_replaced=[len(mix.chosen) / len(mix.words) if mix.words else 0.0 for mix in mixes],
        similarity=[mix.similarity for mix in mixes],
        tries=[mix.tries for mix in mixes],
        outcome=[mix.outcome for mix in mixes],
        replacements=[json.dumps(mix.swaps(), ensure_ascii=False) for mix in mixes],
        changed=[mix.outcome == "mixed" for mix in mixes],
        clean_sha256=[data.text_hash(mix.text) for mix in mixes],
        perturbed_sha256=[data.text_hash(mix.perturbed) for mix in mixes],
        text=[mix.text for mix in mixes],
        perturbed=[mix.perturbed for mix in mixes],
    )
