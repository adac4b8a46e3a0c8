"""Behavioural tests: expected labels, clean and perturbed predictions, and a row per example and
test.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from tahanuji import data, lexicons, predict
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.outcomes import outcomes

__all__ = [
    "directed",
    "hit_sentiment_word",
    "invariant",
    "judged",
    "label_away",
    "right_way",
    "rows",
    "sentiment_words",
    "wrong_way",
]

Accepts = Callable[[str], set[str]]  # from a right label to the accepted ones
INSERTION_EXPECTED = {
    "positive": {
        "positive": {"positive"},
        "neutral": {"positive"},
        "negative": {"positive", "neutral"},
    },
    "negative": {
        "positive": {"neutral", "negative"},
        "neutral": {"negative"},
        "negative": {"negative"},
    },
}

SAME = 1e-5  # probabilities that differ by less are equal: batches round differently


def invariant(gold: str) -> set[str]:
    """INV: the gold label and nothing else.

    >>> invariant("neutral")
    {'neutral'}
    """
    return {gold}


def directed(sentiment: str):
    """DIR: the labels that are expected after a sentence of a sentiment was added.

    From a gold label to the set of accepted labels, as `rows` takes it.

    Source: Viannisa (2025), Table 3.9.

    >>> sorted(directed("negative")("positive"))
    ['negative', 'neutral']
    """
    return INSERTION_EXPECTED[sentiment].__getitem__


def wrong_way(rows: pd.DataFrame, sentiment: str, tolerance: float = 0.1) -> pd.Series:
    """DIR: whether the probability of a sentiment that was added falls by more than a tolerance.

    No gold label is needed, and a prediction near a border may cross it by chance.

    Source: Ribeiro et al. (2020), CheckList.

    >>> row = {"clean_positive": [0.7, 0.7], "perturbed_positive": [0.55, 0.65]}
    >>> wrong_way(pd.DataFrame(row), "positive").to_list()
    [True, False]
    """
    return rows[f"perturbed_{sentiment}"] < rows[f"clean_{sentiment}"] - tolerance


def right_way(rows: pd.DataFrame, sentiment: str, tolerance: float = 0.1) -> pd.Series:
    """Which rows of a DIR test (`rows`) move towards a sentiment: its probability rises by more
    than the tolerance. A model that never moves has none.

    >>> row = {"clean_positive": [0.4, 0.9], "perturbed_positive": [0.6, 0.95]}
    >>> right_way(pd.DataFrame(row), "positive").to_list()
    [True, False]
    """
    return rows[f"perturbed_{sentiment}"] - rows[f"clean_{sentiment}"] > tolerance


def label_away(rows: pd.DataFrame, sentiment: str) -> pd.Series:
    """DIR: whether the label moves away from a sentiment that was added, by however little its
    probability does.

    >>> row = {"clean_label": ["neutral"], "perturbed_label": ["negative"]}
    >>> label_away(pd.DataFrame(row), "positive").to_list()
    [True]
    """
    order = {"negative": -1, "neutral": 0, "positive": 1}
    places = [rows[f"{kind}_label"].map(order) for kind in ("clean", "perturbed")]
    return (places[1] - places[0]) * order[sentiment] < 0


def rows(
    classifier,
    frame: pd.DataFrame,
    tests: Mapping[Instrument | str, list[data.Example | None]],
    accepts: Accepts = invariant,
    precision: str = "fp32",
) -> pd.DataFrame:
    """One row per example and test: labels and probabilities of the clean and the perturbed text,
    and what they amount to.

    Parameters
    ----------
    classifier
        Anything with `labels` and `predict_proba`; all texts pass it as one stream.
    frame : DataFrame
        Columns `id, text, label`, and `text_pair` where examples are pairs.
    tests : mapping
        From an instrument, or the name of a test whose texts were written, to a changed text per
        row of the frame (of pairs both sentences), or None where the test does not apply: the
        clean text stands for it.
    accepts : callable
        From a gold label to the set of accepted labels.
    precision : str
        As `predict.together` takes it.

    Returns
    -------
    DataFrame
        `id, test, rate`, the columns of `judged`; `changed`, whether clean and perturbed text
        differ; both texts and their sha256. Pairs with the same first sentence have the same
        `cluster`: they are no independent rows.

    Raises
    ------
    InputError
        For a test that gives texts for pairs or pairs for texts.
    """
    clean = data.inputs(frame)
    perturbed = {named(test): _filled(test, texts, clean) for test, texts in tests.items()}
    columns = {"": clean, **{f"test {one}": texts for one, texts in perturbed.items()}}
    probabilities = predict.together(classifier, columns, precision)
    parts = []
    for one, texts in perturbed.items():
        said = probabilities[""], probabilities[f"test {one}"]
        part = judged(frame, *said, classifier.labels, accepts)
        part.insert(1, "test", one.test)
        part.insert(2, "rate", one.table_rate)
        parts.append(part.assign(**_texts(clean, texts)))
    together = predict.with_clusters(pd.concat(parts, ignore_index=True))
    together.attrs["source"] = frame.attrs["source"]
    return together


def named(test: Instrument | str) -> Instrument:
    """The instrument of a test; a name alone is that of a test whose texts were written."""
    return test if isinstance(test, Instrument) else Instrument("", test=test)


def _filled(test, texts: list[data.Example | None], clean: list[data.Example]) -> list:
    """The changed texts, the clean one where the test does not apply; InputError for texts in place
    of pairs, and the reverse.
    """
    both = list(zip(texts, clean, strict=True))
    if any(new and isinstance(new, str) != isinstance(old, str) for new, old in both):
        raise InputError(
            f"test {named(test).test!r} does not give pairs for pairs and texts for texts; "
            "perturb.apply does."
        )
    return [new or old for new, old in both]


def _texts(clean: list[data.Example], texts: list[data.Example]) -> dict[str, list]:
    """What `rows` keeps of the texts themselves."""
    return {
        "changed": [new != old for new, old in zip(texts, clean, strict=True)],
        "clean_sha256": list(map(data.text_hash, clean)),
        "perturbed_sha256": list(map(data.text_hash, texts)),
        **data.as_columns(clean, "text", "text_pair"),
        **data.as_columns(texts, "perturbed", "perturbed_pair"),
    }


def judged(
    frame: pd.DataFrame, clean, perturbed, labels: list[str], accepts: Accepts = invariant
) -> pd.DataFrame:
    """The outcomes of a frame's rows from the probabilities of clean and perturbed texts.

    `id`, the columns of `outcomes`, `expected` (the accepted labels), `moved` (whether any
    probability changed; of answers that are labels alone, which cannot show it, always true),
    `clean_<label>`, `perturbed_<label>`.

    >>> import numpy as np
    >>> frame = pd.DataFrame({"id": ["a"], "label": ["positive"]})
    >>> clean, perturbed = np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]])
    >>> table = judged(frame, clean, perturbed, ["positive", "negative"])
    >>> table[["failure", "flip", "induced", "repaired"]].values.tolist()
    [[True, True, True, False]]
    """
    answers = predict.named(clean, labels), predict.named(perturbed, labels)
    table = outcomes(list(frame["label"]), *answers, accepts)
    table.insert(0, "id", list(frame["id"]))
    accepted = [accepts(gold) for gold in table["gold"]]
    said = ["|".join(label for label in labels if label in wanted) for wanted in accepted]
    table.insert(4, "expected", said)
    alone = np.isin([clean, perturbed], (0, 1)).all()
    table.insert(7, "moved", alone | (abs(clean - perturbed).max(axis=1) > SAME))
    for kind, probabilities in (("clean", clean), ("perturbed", perturbed)):
        for number, label in enumerate(labels):
            table[f"{kind}_{label}"] = probabilities[:, number].round(6)
    return table


def hits(rows: pd.DataFrame) -> list[str]:
    """Whether the change of every row `text, perturbed` hit a sentiment word: hit or spared."""
    lexicon = sentiment_words()
    pairs = zip(rows["text"], rows["perturbed"], strict=True)
    return ["hit" if hit_sentiment_word(*pair, lexicon) else "spared" for pair in pairs]


def hit_sentiment_word(text: str, perturbed: str, lexicon: set[str]) -> bool:
    """Whether a word of the lexicon stands in a text and no longer at its place in the perturbed
    one.

    >>> hit_sentiment_word("Makanannya enak.", "Makanannya neak.", {"enak"})
    True
    """
    return any(
        old != new and old.strip(".,!?").lower() in lexicon
        for old, new in zip(text.split(), perturbed.split(), strict=False)
    )


def sentiment_words() -> set[str]:
    """The word forms of data/lexicons/sentiment_words.csv.

    >>> "enak" in sentiment_words()
    True
    """
    return set(lexicons.sentiment_words())
