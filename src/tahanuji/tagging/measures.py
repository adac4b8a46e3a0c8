"""Scores of tag sequences and of aspects, as the benchmark's code computes them, with intervals.

A sentence is a list of tags, a word each. In the scheme `bio` a type's spans begin with `B-` and go
on with `I-`, and a span is right where its type and both its ends are (conlleval); in the scheme
`token` every word is a span of its own tag. Aspects of a review are such a sentence too: a label
per aspect, always in the same order.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from tahanuji.errors import InputError, unknown
from tahanuji.measure import COLUMNS, RESAMPLES, interval, replicate
from tahanuji.measure.scoring import from_margins

SCHEMES = ("bio", "token")
_PREFIXED = re.compile(r"[BIESLUM][-_:].", re.IGNORECASE)  # of BIO, IOBES, BILOU and BMES
UNNAMED = "_"  # the type of a bare B and I, as seqeval writes it
PARTS = ("precision", "recall", "f1")
OVERALL = [f"{mean}_{part}" for mean in ("macro", "micro") for part in PARTS]
OVERALL += ["token_accuracy", "sentence_accuracy"]
ACCURACIES = {"token_accuracy": "accuracy", "sentence_accuracy": "review_accuracy"}

Tags = Sequence[Sequence[str]]
Span = tuple[str, int, int]


def scheme_of(tags: Iterable[str]) -> str:
    """The scheme that a set of tags is written in.

    Parameters
    ----------
    tags : iterable of str
        All tags of a data set.

    Returns
    -------
    str
        `bio` where each is `O`, `B`, `I` or begins with `B-` or `I-`; `token` where none has such a
        prefix.

    Raises
    ------
    InputError
        For tags of several schemes, and of one that is not read here: see `odd_tags`.

    Examples
    --------
    >>> scheme_of(["O", "B-PER", "I-PER"]), scheme_of(["NN", "VB"])
    ('bio', 'token')
    """
    tags = set(tags)
    if odd := odd_tags(tags):
        raise InputError(
            f"tags {', '.join(odd)} are none of O, B-<type> and I-<type>; write all tags so, or "
            f"all without a prefix."
        )
    return "bio" if all(_is_bio(tag) for tag in tags) else "token"


def odd_tags(tags: Iterable[str]) -> list[str]:
    """The tags that keep a set from being BIO, though others of it are, or they look like it.

    Parameters
    ----------
    tags : iterable of str
        All tags of a data set.

    Returns
    -------
    list of str
        In order of the alphabet: those with a prefix of another scheme (`S-PER`) or spelling
        (`b-PER`, `B_PER`), and, beside tags of BIO, any other than `O`. None where every tag is
        BIO, and where none has a prefix, as with parts of speech.

    Examples
    --------
    >>> odd_tags(["O", "B-PER", "S-LOC"]), odd_tags(["O", "b-PER"]), odd_tags(["NN", "VB"])
    (['S-LOC'], ['b-PER'], [])
    """
    tags = set(tags)
    bare = {"B", "I"} if "O" in tags else set()  # without an O these may be parts of speech
    bio = {tag for tag in tags if tag.startswith(("B-", "I-")) or tag in bare}
    other = {tag for tag in tags if not _is_bio(tag)}
    return sorted(tag for tag in other if bio or _PREFIXED.match(tag))


def _is_bio(tag: str) -> bool:
    return tag == "O" or tag.split("-", 1)[0] in ("B", "I")


def spans(tags: Sequence[str], scheme: str = "bio") -> list[Span]:
    """The spans of a sentence in their order.

    An `I-` that follows nothing, or another type, begins a span, as in conlleval.

    Parameters
    ----------
    tags : sequence of str
        One per word.
    scheme : {"bio", "token"}

    Returns
    -------
    list of tuple
        `(type, start, end)`: words start to end - 1; the type is `_` for a bare `B` or `I`.

    Raises
    ------
    InputError
        For an unknown scheme, and for a tag that is none of BIO.

    References
    ----------
    Tjong Kim Sang and Buchholz (2000), *Introduction to the CoNLL-2000 shared task: chunking*.

    Examples
    --------
    >>> spans(["B-PER", "I-PER", "I-LOC", "O", "I-LOC"])
    [('PER', 0, 2), ('LOC', 2, 3), ('LOC', 4, 5)]
    """
    if scheme not in SCHEMES:
        raise unknown("scheme", scheme, SCHEMES)
    if scheme == "token":
        return [(tag, place, place + 1) for place, tag in enumerate(tags)]
    result, before = [], None  # `before` is the type of the span that reaches the last word
    for place, tag in enumerate(tags):
        if not _is_bio(tag):
            raise InputError(
                f"tag {tag!r} is none of O, B-<type> and I-<type>; give tags of that form, or the "
                f"scheme 'token' where every word is tagged by itself."
            )
        begin, _, name = tag.partition("-")
        name = None if tag == "O" else name or UNNAMED
        if name is not None and name == before and begin == "I":
            result[-1] = (name, result[-1][1], place + 1)
        elif name is not None:
            result.append((name, place, place + 1))
        before = name
    return result


def check_sentences(**sides: Tags) -> None:
    """InputError unless all sides have the same sentences, with a tag for each word."""
    (first, gold), *others = sides.items()
    for name, tags in others:
        if len(tags) != len(gold):
            raise InputError(
                f"{first} has {len(gold)} sentences and {name} {len(tags)}; give tags of the same "
                f"sentences."
            )
        for number, (one, two) in enumerate(zip(gold, tags, strict=True)):
            if len(one) != len(two):
                raise InputError(
                    f"sentence {number} (counted from 0) has {len(one)} tags in {first} and "
                    f"{len(two)} in {name}; give one tag per word in both."
                )


def check_ids(ids: Sequence[str], sentences: Sequence) -> None:
    """InputError unless every sentence has an id of its own."""
    if len(ids) != len(sentences) or len(set(ids)) != len(ids):
        raise InputError(
            f"{len(sentences)} sentences have {len(set(ids))} different ids; give each sentence "
            f"one of its own."
        )


def counts(gold: Tags, predicted: Tags, types: list[str], scheme: str = "bio") -> np.ndarray:
    """Per sentence what all scores are made of: right, gold and predicted spans by type, then right
    tokens, tokens, right sentences and sentences; shape (n, 3 * types + 4).
    """
    number = {name: column for column, name in enumerate(types)}
    table = np.zeros((len(gold), 3, len(types)), dtype=int)
    tokens = np.zeros((len(gold), 4), dtype=int)
    for row, (one, two) in enumerate(zip(gold, predicted, strict=True)):
        right, said = set(spans(one, scheme)), set(spans(two, scheme))
        for part, members in enumerate((right & said, right, said)):
            for name, _, _ in members:
                table[row, part, number[name]] += 1
        same = sum(map(str.__eq__, one, two))
        tokens[row] = same, len(one), same == len(one), 1
    return np.hstack([table.reshape(len(gold), -1), tokens])


def figures(sums: np.ndarray) -> np.ndarray:
    """The scores of sums of `counts`, shape (..., columns): `OVERALL`, then precision, recall and
    F1 of each type, NaN for a type that is neither right nor predicted.
    """
    spanned, (same, tokens, whole, sentences) = sums[..., :-4], np.moveaxis(sums[..., -4:], -1, 0)
    hits, gold, said = np.split(spanned, 3, axis=-1)
    by_type = from_margins(hits, gold, said)
    total = from_margins(*(part.sum(-1, keepdims=True) for part in (hits, gold, said)))
    with np.errstate(invalid="ignore"):
        overall = [by_type[f"macro_{part}"] for part in PARTS]
        overall += [total[f"macro_{part}"] for part in PARTS]
        overall += [same / tokens, whole / sentences]
    absent = (gold + said) == 0
    types = [np.where(absent, np.nan, by_type[f"class_{part}"]) for part in PARTS]
    return np.concatenate([np.stack(overall, -1), *types], axis=-1)


def over_sentences(
    statistic: Callable[[np.ndarray], np.ndarray],
    table: np.ndarray,
    seed: int,
    resamples: int = RESAMPLES,
) -> np.ndarray:
    """A statistic of the sums of sentences drawn again: sentences with the same counts are of one
    kind.
    """
    kinds, number = np.unique(table, axis=0, return_counts=True)
    kinds = kinds.astype(float)
    return replicate(lambda drawn: statistic(drawn @ kinds), number, seed, resamples)


def intervals(drawn: np.ndarray) -> list[tuple[float, float]]:
    """An interval per column, over the draws in which it is a number."""
    return [interval(column[~np.isnan(column)]) for column in drawn.T]


def types_of(scheme: str, *sides: Tags) -> list[str]:
    """All types of spans in order of the alphabet."""
    return sorted({span[0] for tags in sides for one in tags for span in spans(one, scheme)})


def evaluation(
    gold: Tags,
    predicted: Tags,
    seed: int,
    scheme: str = "bio",
    test: tuple[str, float] = ("clean", float("nan")),
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """Precision, recall and F1 of spans, accuracy of tokens and of whole sentences.

    The macro scores are unweighted means over the types that are right or predicted anywhere, as
    the benchmark's code takes them: a type that is only predicted counts as 0, one that is nowhere
    not at all. The benchmark's accuracy counts every sentence boundary as a token; this one does
    not.

    Parameters
    ----------
    gold, predicted : sequence of sequences of str
        Tags of the words of each sentence.
    seed : int
        Of the bootstrap.
    scheme : {"bio", "token"}
    test : tuple of str and float
        The test's name and rate.
    resamples : int
        Draws of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`: shares from 0 to 1 with 95% percentile bootstrap intervals over
        sentences. Group "all" has macro and micro precision, recall and F1 (n is the number of gold
        spans), `token_accuracy` (n tokens) and `sentence_accuracy` (n sentences: all tags right);
        each type has precision, recall and F1 (n gold spans).

    Raises
    ------
    InputError
        As `spans`, for sentences of different lengths, and for none.

    References
    ----------
    Wilie et al. (2020), *IndoNLU*, and its code; Efron and Tibshirani (1993), chapter 13.

    Examples
    --------
    >>> table = evaluation([["B-PER", "O"], ["B-LOC"]], [["B-PER", "O"], ["O"]], seed=1)
    >>> table.set_index(["group", "metric"])["value"].loc["all"].round(2).to_dict()["macro_f1"]
    0.5
    """
    check_sentences(gold=gold, predicted=predicted)
    if not len(gold):
        raise InputError("no sentence was given; scores need at least one.")
    types = types_of(scheme, gold, predicted)
    table = counts(gold, predicted, types, scheme)
    sums = table.sum(0)
    right, k = sums[len(types) : 2 * len(types)], len(types)
    numbers = [int(right.sum())] * 6 + [int(sums[-3]), int(sums[-1])] + 3 * right.tolist()
    names = [("all", name) for name in OVERALL]
    names += [(name, part) for part in PARTS for name in types]
    bounds = intervals(over_sentences(figures, table, seed, resamples))
    rows = [
        (*test, *name, float(value), *bound, n)
        for name, value, bound, n in zip(names, figures(sums), bounds, numbers, strict=True)
    ]
    order = [*range(8), *(8 + part * k + number for number in range(k) for part in range(3))]
    return pd.DataFrame([rows[place] for place in order], columns=COLUMNS)


def aspect_evaluation(
    gold: Tags,
    predicted: Tags,
    aspects: Sequence[str],
    seed: int,
    resamples: int = RESAMPLES,
) -> pd.DataFrame:
    """Macro scores and accuracy over all cells, a cell being an aspect of a review, and by aspect.

    Parameters
    ----------
    gold, predicted : sequence of sequences of str, or array (n reviews, k aspects)
        A label per aspect.
    aspects : sequence of str, length k
        Their names, in the order of the columns.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`, intervals over reviews: group "all" has macro precision, recall and F1,
        `accuracy` (n cells) and `review_accuracy` (n reviews: all aspects right); each label has
        precision, recall and F1 over all cells; each aspect `macro_f1` and `accuracy`.

    Raises
    ------
    InputError
        Where a row has not one label per aspect, for none, and where an aspect has the name of a
        label.

    References
    ----------
    Wilie et al. (2020), *IndoNLU*, and its code.

    Examples
    --------
    >>> table = aspect_evaluation([["pos", "neg"]], [["pos", "pos"]], ["harga", "rasa"], seed=1)
    >>> table.query("group == 'rasa'")[["metric", "value"]].to_numpy().tolist()
    [['macro_f1', 0.0], ['accuracy', 0.0]]
    """
    gold, predicted = ([list(map(str, row)) for row in side] for side in (gold, predicted))
    check_sentences(gold=gold, predicted=predicted, aspects=[aspects] * len(gold))
    if twice := {label for row in gold + predicted for label in row} & set(aspects):
        raise InputError(f"{min(twice)!r} names a label and an aspect; rename the aspect.")
    table = evaluation(gold, predicted, seed, "token", resamples=resamples)
    table = table[~table["metric"].str.startswith("micro")]
    parts = [table.assign(metric=table["metric"].replace(ACCURACIES))]
    for number, aspect in enumerate(aspects):
        columns = ([[row[number]] for row in side] for side in (gold, predicted))
        part = evaluation(*columns, seed, "token", resamples=resamples)
        part = part[part["group"].eq("all") & part["metric"].isin(["macro_f1", "token_accuracy"])]
        parts.append(part.assign(group=aspect, metric=part["metric"].replace(ACCURACIES)))
    return pd.concat(parts, ignore_index=True)
