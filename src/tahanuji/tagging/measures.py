"""Scores of tag sequences and of aspects, as IndoNLU's code computes them, with intervals.

A sentence is a list of tags, a word each. In the scheme `bio` a type's spans begin with `B-` and go
on with `I-`, and a span is right where its type and both its ends are; in the scheme `token` every
word is a span of its own tag. Aspects of a review are such a sentence too: a label per aspect,
always in the same order.

The spans are those of seqeval's default mode, which is conlleval's and IndoNLU's: an `I-` that
follows nothing, or another type, begins a span (its strict mode with IOB2 drops such spans). Scores
are made of counts per sentence and not by seqeval, as the bootstrap needs 10,000 of each.
"""

import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd
from seqeval.metrics.sequence_labeling import get_entities

from tahanuji.errors import InputError, unknown
from tahanuji.measure import COLUMNS, RESAMPLES, interval, replicate
from tahanuji.measure.scoring import from_margins

SCHEMES = ("bio", "token")
_BIO = re.compile(r"O|[BI](-.*)?", re.DOTALL)
_PREFIXED = re.compile(r"[BIESLUM][-_:].", re.IGNORECASE)  # of BIO, IOBES, BILOU and BMES
UNNAMED = "_"  # seqeval's type of a bare B and I
PARTS = ("precision", "recall", "f1")
OVERALL = [f"{mean}_{part}" for mean in ("macro", "micro") for part in PARTS]
OVERALL += ["token_accuracy", "sentence_accuracy"]
ACCURACIES = {"token_accuracy": "accuracy", "sentence_accuracy": "review_accuracy"}

Tags = Sequence[Sequence[str]]
Span = tuple[str, int, int]


def scheme_of(tags: Iterable[str]) -> str:
    """`bio` where every tag is `O`, `B`, `I` or begins with `B-` or `I-`, `token` where none has
    such a prefix; InputError for a mixture (see `odd_tags`).

    >>> scheme_of(["O", "B-PER", "I-PER"]), scheme_of(["NN", "VB"])
    ('bio', 'token')
    """
    tags = set(tags)
    if odd := odd_tags(tags):
        raise InputError(
            f"tags {', '.join(odd)} are none of O, B-<type> and I-<type>; write all tags so, or "
            f"all without a prefix."
        )
    return "bio" if all(map(_BIO.fullmatch, tags)) else "token"


def odd_tags(tags: Iterable[str]) -> list[str]:
    """The tags with a prefix of another scheme (`S-PER`) or spelling (`b-PER`, `B_PER`), and beside
    tags of BIO any other than `O`, in order of the alphabet.

    >>> odd_tags(["O", "B-PER", "S-LOC"]), odd_tags(["O", "b-PER"]), odd_tags(["NN", "VB"])
    (['S-LOC'], ['b-PER'], [])
    """
    tags = set(tags)
    bare = {"B", "I"} if "O" in tags else set()  # without an O these may be parts of speech
    bio = {tag for tag in tags if tag.startswith(("B-", "I-")) or tag in bare}
    other = {tag for tag in tags if not _BIO.fullmatch(tag)}
    return sorted(tag for tag in other if bio or _PREFIXED.match(tag))


def spans(tags: Sequence[str], scheme: str = "bio") -> list[Span]:
    """The spans of a sentence in their order.

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
    if odd := [tag for tag in tags if not _BIO.fullmatch(tag)]:
        raise InputError(
            f"tag {odd[0]!r} is none of O, B-<type> and I-<type>; give tags of that form, or the "
            f"scheme 'token' where every word is tagged by itself."
        )
    return [(name, start, end + 1) for name, start, end in get_entities(list(tags))]


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


def counts(gold: Tags, predicted: Tags, types: list[str], scheme: str = "bio") -> np.ndarray:
    """Per sentence right, gold and predicted spans by type, then right tokens, tokens, right
    sentences and sentences; shape (n, 3 * types + 4).
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
        overall = [means[f"macro_{part}"] for means in (by_type, total) for part in PARTS]
        overall += [same / tokens, whole / sentences]
    absent = (gold + said) == 0
    types = [np.where(absent, np.nan, by_type[f"class_{part}"]) for part in PARTS]
    return np.concatenate([np.stack(overall, -1), *types], axis=-1)


def estimated(
    statistic: Callable[[np.ndarray], np.ndarray],
    table: np.ndarray,
    seed: int,
    resamples: int = RESAMPLES,
) -> np.ndarray:
    """Value and 95% bootstrap interval of each figure of the sums of sentences, shape (figures, 3).

    Sentences with the same counts are of one kind, and a draw in which a figure is no number takes
    no part in its interval.
    """
    kinds, number = np.unique(table, axis=0, return_counts=True)
    kinds = kinds.astype(float)
    drawn = replicate(lambda draws: statistic(draws @ kinds), number, seed, resamples)
    bounds = [interval(column[~np.isnan(column)]) for column in drawn.T]
    return np.column_stack([statistic(table.sum(0)), bounds])


def evaluation(
    gold: Tags,
    predicted: Tags,
    seed: int,
    scheme: str = "bio",
    test: str = "clean",
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
    test : str
        The test's name.
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
    both = [*gold, *predicted]
    types = sorted({span[0] for tags in both for span in spans(tags, scheme)})
    table = counts(gold, predicted, types, scheme)
    sums, right = table.sum(0), table.sum(0)[len(types) : 2 * len(types)]
    names = [("all", name) for name in OVERALL]
    names += [(name, part) for part in PARTS for name in types]
    result = pd.DataFrame(names, columns=["group", "metric"]).assign(test=test, rate=float("nan"))
    result[["value", "ci_low", "ci_high"]] = estimated(figures, table, seed, resamples)
    result["n"] = [right.sum()] * 6 + [sums[-3], sums[-1]] + 3 * right.tolist()
    whole, by_type = result[: len(OVERALL)], result[len(OVERALL) :]
    parts = [whole, by_type.sort_values("group", kind="stable")]
    return pd.concat(parts, ignore_index=True)[COLUMNS]


def aspect_evaluation(
    gold: Tags, predicted: Tags, aspects: Sequence[str], seed: int, resamples: int = RESAMPLES
) -> pd.DataFrame:
    """Macro scores and accuracy over all cells (an aspect of a review) and by aspect, in
    `measure.COLUMNS`, with intervals over reviews.

    Group "all" has macro precision, recall and F1, `accuracy` (n cells) and `review_accuracy` (n
    reviews: all aspects right); each label has precision, recall and F1; each aspect `macro_f1` and
    `accuracy`. (Wilie et al., 2020, *IndoNLU*, and its code.)

    >>> table = aspect_evaluation([["pos", "neg"]], [["pos", "pos"]], ["harga", "rasa"], seed=1)
    >>> table.query("group == 'rasa'")[["metric", "value"]].to_numpy().tolist()
    [['macro_f1', 0.0], ['accuracy', 0.0]]
    """
    gold, predicted = ([list(map(str, row)) for row in side] for side in (gold, predicted))
    check_sentences(gold=gold, predicted=predicted, aspects=[aspects] * len(gold))
    if twice := {label for row in gold + predicted for label in row} & set(aspects):
        raise InputError(f"{min(twice)!r} names a label and an aspect; rename the aspect.")
    table = evaluation(gold, predicted, seed, "token", resamples=resamples)
    parts = [table[~table["metric"].str.startswith("micro")]]
    for number, aspect in enumerate(aspects):
        columns = ([[row[number]] for row in side] for side in (gold, predicted))
        part = evaluation(*columns, seed, "token", resamples=resamples)
        kept = part["group"].eq("all") & part["metric"].isin(["macro_f1", "token_accuracy"])
        parts.append(part[kept].assign(group=aspect))
    return pd.concat(parts, ignore_index=True).replace({"metric": ACCURACIES})
