"""Behavioural tests: expected labels, clean and perturbed predictions, and a row per example and
test.
"""

import pandas as pd

from tahanuji import data, lexicons, predict
from tahanuji.errors import InputError

__all__ = [
    "classified",
    "directed",
    "hit_sentiment_word",
    "invariant",
    "judge",
    "label_away",
    "rows",
    "sentiment_words",
    "wrong_way",
]

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

    Parameters
    ----------
    gold : str

    Returns
    -------
    set of str

    Examples
    --------
    >>> invariant("neutral")
    {'neutral'}
    """
    return {gold}


def directed(sentiment: str):
    """DIR: the labels that are expected after a sentence of a sentiment was added.

    Parameters
    ----------
    sentiment : {"positive", "negative"}
        Of the added sentence.

    Returns
    -------
    callable
        From a gold label to the set of accepted labels, as `rows` and `judge` take it.

    References
    ----------
    Viannisa (2025), Table 3.9.

    Examples
    --------
    >>> sorted(directed("negative")("positive"))
    ['negative', 'neutral']
    """
    return INSERTION_EXPECTED[sentiment].__getitem__


def wrong_way(rows: pd.DataFrame, sentiment: str, tolerance: float = 0.1) -> pd.Series:
    """DIR: whether the probability of a sentiment that was added falls by more than a tolerance.

    No gold label is needed, and a prediction near a border may cross it by chance.

    Parameters
    ----------
    rows : DataFrame
        As `rows` gives them: clean and perturbed probabilities.
    sentiment : {"positive", "negative"}
    tolerance : float
        A difference of probabilities, 0 to 1.

    Returns
    -------
    Series of bool

    References
    ----------
    Ribeiro et al. (2020), CheckList.

    Examples
    --------
    >>> row = {"clean_positive": [0.7, 0.7], "perturbed_positive": [0.55, 0.65]}
    >>> wrong_way(pd.DataFrame(row), "positive").to_list()
    [True, False]
    """
    return rows[f"perturbed_{sentiment}"] < rows[f"clean_{sentiment}"] - tolerance


def label_away(rows: pd.DataFrame, sentiment: str) -> pd.Series:
    """DIR: whether the label moves away from a sentiment that was added, by however little its
    probability does.

    Parameters
    ----------
    rows : DataFrame
        As `rows` gives them: clean and perturbed labels.
    sentiment : {"positive", "negative"}

    Returns
    -------
    Series of bool

    Examples
    --------
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
    tests: dict[str | tuple[str, float], list[data.Example | None]],
    expected=invariant,
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
    tests : dict
        From a test, a name or a name and a rate as in `("typos", 0.3)`, to a perturbed text per
        row of the frame (of pairs both sentences), or None where the test does not apply: the
        clean text stands for it.
    expected : callable
        From a gold label to the set of accepted labels.
    precision : str
        As `predict.together` takes it.

    Returns
    -------
    DataFrame
        The columns of `judge` with `test, rate`; `changed`, whether clean and perturbed text
        differ; both texts and their sha256. Pairs with the same first sentence have the same
        `cluster`: they are no independent rows.

    Raises
    ------
    InputError
        For a test that gives texts for pairs or pairs for texts.
    """
    clean = data.inputs(frame)
    for name, texts in tests.items():
        if any(
            new and isinstance(new, str) != isinstance(old, str)
            for new, old in zip(texts, clean, strict=True)
        ):
            raise InputError(
                f"test {name!r} does not give pairs for pairs and texts for texts; perturb.apply "
                f"does."
            )
    perturbed = {
        name: [new or old for new, old in zip(texts, clean, strict=True)]
        for name, texts in tests.items()
    }
    probabilities = predict.together(
        classifier,
        {"": clean, **{f"test {name}": texts for name, texts in perturbed.items()}},
        precision,
    )
    parts = []
    for name, texts in perturbed.items():
        part = judge(
            frame, probabilities[""], probabilities[f"test {name}"], classifier.labels, expected
        )
        part.insert(1, "test", name[0] if isinstance(name, tuple) else name)
        part.insert(2, "rate", name[1] if isinstance(name, tuple) else float("nan"))
        part["changed"] = [new != old for new, old in zip(texts, clean, strict=True)]
        part["clean_sha256"], part["perturbed_sha256"] = (
            list(map(data.text_hash, clean)),
            list(map(data.text_hash, texts)),
        )
        parts.append(
            part.assign(
                **data.as_columns(clean, "text", "text_pair"),
                **data.as_columns(texts, "perturbed", "perturbed_pair"),
            )
        )
    together = _with_clusters(pd.concat(parts, ignore_index=True))
    together.attrs["source"] = frame.attrs["source"]
    return together


def _with_clusters(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of pairs with `cluster`, the number of their first sentence in order of appearance;
    other rows as they are.
    """
    if "text_pair" not in rows:
        return rows
    return rows.assign(cluster=pd.factorize(rows["text"])[0])


def judge(
    frame: pd.DataFrame, clean, perturbed, labels: list[str], expected=invariant
) -> pd.DataFrame:
    """What clean and perturbed predictions amount to, a row per example.

    With gold g, clean prediction c and perturbed prediction p: failure p not expected, flip p != c,
    moved any probability changed, induced c right and failure, repaired c wrong and no failure (for
    INV that is "p wrong" and "p right"); so failures = clean errors + induced - repaired.

    Parameters
    ----------
    frame : DataFrame
        Columns `id, label`.
    clean, perturbed : array of float, shape (n, labels)
        Probabilities of the frame's rows; zeros where an answer names no label, which is then
        `predict.UNPARSABLE` and an error.
    labels : list of str
        The names of the probabilities' columns.
    expected : callable
        From a gold label to the set of accepted labels.

    Returns
    -------
    DataFrame
        Columns `id, gold, clean_label, perturbed_label, expected, failure, flip, moved, induced,
        repaired, clean_<label>, perturbed_<label>`.

    References
    ----------
    Viannisa (2025), section 3.6.2 (failure rate); Ribeiro et al. (2020), section 2 (INV and DIR).

    Examples
    --------
    >>> import numpy as np
    >>> frame = pd.DataFrame({"id": ["a"], "label": ["positive"]})
    >>> clean, perturbed = np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]])
    >>> table = judge(frame, clean, perturbed, ["positive", "negative"])
    >>> table[["failure", "flip", "induced", "repaired"]].values.tolist()
    [[True, True, True, False]]
    """
    table = pd.DataFrame({"id": list(frame["id"]), "gold": list(frame["label"])})
    table["clean_label"] = predict.named(clean, labels)
    table["perturbed_label"] = predict.named(perturbed, labels)
    accepted = [expected(gold) for gold in table["gold"]]
    table["expected"] = [
        "|".join(label for label in labels if label in wanted) for wanted in accepted
    ]
    right = table["clean_label"] == table["gold"]
    table["failure"] = [
        label not in wanted
        for label, wanted in zip(table["perturbed_label"], accepted, strict=True)
    ]
    table["flip"] = table["perturbed_label"] != table["clean_label"]
    table["moved"] = abs(clean - perturbed).max(axis=1) > SAME
    table["induced"] = right & table["failure"]
    table["repaired"] = ~right & ~table["failure"]
    for kind, probabilities in (("clean", clean), ("perturbed", perturbed)):
        for number, label in enumerate(labels):
            table[f"{kind}_{label}"] = probabilities[:, number].round(6)
    return table


def hit_sentiment_word(text: str, perturbed: str, lexicon: set[str]) -> bool:
    """Whether a word of the lexicon stands in a text and no longer at its place in the perturbed
    one.

    Parameters
    ----------
    text, perturbed : str
        With the same number of words.
    lexicon : set of str
        Words in lower case.

    Returns
    -------
    bool

    Examples
    --------
    >>> hit_sentiment_word("Makanannya enak.", "Makanannya neak.", {"enak"})
    True
    """
    return any(
        old != new and old.strip(".,!?").lower() in lexicon
        for old, new in zip(text.split(), perturbed.split(), strict=False)
    )


def sentiment_words() -> set[str]:
    """The word forms of data/lexicons/sentiment_words.csv.

    Returns
    -------
    set of str

    Examples
    --------
    >>> "enak" in sentiment_words()
    True
    """
    return set(lexicons.sentiment_words())


def classified(frame: pd.DataFrame, probabilities, labels: list[str]) -> pd.DataFrame:
    """Predictions of a plain evaluation, a row per example.

    Parameters
    ----------
    frame : DataFrame
        Columns `id, text, label`, and `text_pair` where examples are pairs.
    probabilities : array of float, shape (n, labels)
        Of the frame's rows.
    labels : list of str
        The names of the probabilities' columns.

    Returns
    -------
    DataFrame
        Columns `id, gold, label, p_<label>..., text_sha256, text`, of pairs also `text_pair` and
        `cluster`.
    """
    table = pd.DataFrame(
        {
            "id": list(frame["id"]),
            "gold": list(frame["label"]),
            "label": predict.named(probabilities, labels),
        }
    )
    for number, label in enumerate(labels):
        table[f"p_{label}"] = probabilities[:, number].round(6)
    table["text_sha256"] = [data.text_hash(example) for example in data.inputs(frame)]
    table = table.assign(**data.as_columns(data.inputs(frame), "text", "text_pair"))
    table = _with_clusters(table)
    table.attrs["source"] = frame.attrs["source"]
    return table
