"""IndoRobusta-Blend (Adilazuarda et al., 2022, Algorithm 1): the words that an answer hangs on
most, exchanged for their translation.

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
from tahanuji.codemix.search import ALPHA, Mix, Row, orders, rows_of, settle, start, targets_of
from tahanuji.errors import InputError, unknown

__all__ = ["attack", "attack_many"]

RANKINGS = ("importance", "random")
# The columns of `attack_many` that other behavioural tests do not have.
SETTING = ("language", "translator", "rate", "ranking")
OWN = (
    *SETTING,
    "words",
    "translatable",
    "asked",
    "replaced",
    "share_replaced",
    "similarity",
    "tries",
    "outcome",
    "replacements",
)


def attack(
    classifier, frame: pd.DataFrame, translator, rate: float, seed: int, **options
) -> pd.DataFrame:
    """`attack_many` for one translator and one rate.

    Parameters
    ----------
    classifier, frame, seed, **options
        As in `attack_many`.
    translator : Translator
        Of one language.
    rate : float
        Share of a text's words to exchange, 0 to 1.

    Returns
    -------
    DataFrame
        As `attack_many` gives it, a row per example.

    Raises
    ------
    InputError
        For options out of range.

    References
    ----------
    Adilazuarda et al. (2022), section 2.2, Algorithm 1.

    Examples
    --------
    >>> from tahanuji.codemix.dictionaries import Dictionary
    >>> from tahanuji.models.tfidf import Tfidf
    >>> frame = pd.DataFrame({"id": ["a"], "text": ["Enak, murah!"], "label": ["positive"]})
    >>> english = Dictionary("own", "en", [("enak", "tasty")])
    >>> attack(Tfidf(data.LABELS), frame, english, 0.5, 1)["perturbed"].tolist()
    ['Tasty, murah!']
    """
    return attack_many(classifier, frame, [translator], [rate], seed, **options)


def attack_many(
    classifier,
    frame: pd.DataFrame,
    translators: list,
    rates: list[float],
    seed: int,
    *,
    alpha: float = ALPHA,
    tries: int = 10,
    similarity=None,
    ranking: str = "importance",
    form: str = "textfooler",
    masking: str = "auto",
    stop_words: frozenset[str] = frozenset(),
    importances: list[np.ndarray] | None = None,
    precision: str = "fp32",
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
    importances : list of array, optional
        What `importance.importance` gives for the texts and labels of the frame; if not given, the
        words in question are measured.
    precision : str
        `fp32`, `bf16`, `fp16` or `int8`.

    Returns
    -------
    DataFrame
        One row per translator, rate and example: language, translator, rate, ranking, the columns
        of `behaviour.judge`, and words, translatable (words with a translation), asked, replaced,
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
    """
    _check(rates, alpha, tries, ranking)
    if data.paired(frame):
        raise InputError(
            "code-mixing attacks single texts, and these are pairs of sentences; take a data set "
            "of texts."
        )
    numbers(classifier, frame["label"])
    clean = predicted(classifier, list(frame["text"]), precision)
    answers = predict.named(clean, classifier.labels)
    rows = rows_of(frame, answers, stop_words, seed)
    targets = [targets_of(translator, rows) for translator in translators]
    wanted = _wanted(rows, targets)
    if ranking == "random":
        importances = None
    elif importances is None:
        texts, labels = [row.text for row in rows], [row.label for row in rows]
        how = {"masking": masking, "precision": precision}
        importances = importance(classifier, texts, labels, form, only=wanted, clean=clean, **how)
    ranked = orders(rows, wanted, importances)
    settings = [(number, rate) for number in range(len(translators)) for rate in rates]
    mixes = [
        start(row, targets[number][example], ranked[example], rate)
        for example, row in enumerate(rows)
        for number, rate in settings
    ]
    makers = [partial(Random, row.seed) for row in rows for _ in settings]
    settle(mixes, makers, similarity, alpha, tries)
    repeated = np.repeat(clean, len(settings), axis=0)
    perturbed = _probabilities(classifier, mixes, repeated, precision)
    parts = []
    for offset, (number, rate) in enumerate(settings):
        own = slice(offset, None, len(settings))
        judged = behaviour.judge(frame, clean, perturbed[own], classifier.labels)
        about = (translators[number].language, translators[number].name, rate, ranking)
        parts.append(_table(judged, mixes[own], dict(zip(SETTING, about, strict=True))))
    together = pd.concat(parts, ignore_index=True)
    together.attrs["source"] = frame.attrs.get("source", {})
    return together


def _wanted(rows: list[Row], targets: list[list[dict[int, str]]]) -> list[set[int]]:
    """The numbers of the words of each row that some translator could exchange; none of a row that
    is not attacked.
    """
    return [
        row.free & set().union(*(of_rows[number] for of_rows in targets)) if row.right else set()
        for number, row in enumerate(rows)
    ]


def _check(rates: list[float], alpha: float, tries: int, ranking: str) -> None:
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


def _probabilities(classifier, mixes: list[Mix], clean: np.ndarray, precision: str) -> np.ndarray:
    """Probabilities of all mixes in one stream; unchanged texts keep those of the clean text."""
    changed = [number for number, mix in enumerate(mixes) if mix.outcome == "mixed"]
    if changed:
        clean[changed] = predicted(
            classifier, [mixes[number].perturbed for number in changed], precision
        )
    return clean


def _table(judged: pd.DataFrame, mixes: list[Mix], named: dict) -> pd.DataFrame:
    """The rows of one setting."""
    for column, (name, value) in enumerate(named.items()):
        judged.insert(column, name, value)
    judged["words"] = [len(mix.words) for mix in mixes]
    judged["translatable"] = [len(mix.targets) for mix in mixes]
    judged["asked"] = [mix.asked for mix in mixes]
    judged["replaced"] = [len(mix.chosen) for mix in mixes]
    judged["share_replaced"] = [
        len(mix.chosen) / len(mix.words) if mix.words else 0.0 for mix in mixes
    ]
    judged["similarity"] = [mix.similarity for mix in mixes]
    judged["tries"] = [mix.tries for mix in mixes]
    judged["outcome"] = [mix.outcome for mix in mixes]
    swaps = (
        [
            [number, mix.words[number].text, mix.targets[number].strip("_ ")]
            for number in mix.positions()
        ]
        for mix in mixes
    )
    judged["replacements"] = [json.dumps(swap, ensure_ascii=False) for swap in swaps]
    judged["changed"] = [mix.outcome == "mixed" for mix in mixes]
    judged["clean_sha256"] = [data.text_hash(mix.text) for mix in mixes]
    judged["perturbed_sha256"] = [data.text_hash(mix.perturbed) for mix in mixes]
    judged["text"], judged["perturbed"] = (
        [mix.text for mix in mixes],
        [mix.perturbed for mix in mixes],
    )
    return judged
