"""What a change of the text does to tags: rows of tokens, spans and sentences, and their measures.

With gold tags g, those predicted for the clean sentence c and for the changed one p, all on the
original words, and G, C and P their spans:

| unit | failure | flip | induced | repaired |
| --- | --- | --- | --- | --- |
| token | p != g | p != c | c = g and p != g | c != g and p = g |
| gold span | not in P | in one of C and P | in C and not in P | not in C and in P |
| sentence | any tag is wrong | any tag flips | all right before, not after | the reverse |

In each unit failures = clean misses + induced - repaired, exactly. Tokens are told apart by whether
the change hit them. A new spurious span is in P and in neither G nor C. Agreement F1 is
2 |C and P| / (|C| + |P|), 1 where both find the same spans whether right or wrong. Tokens and spans
are both needed: a span is lost with any of its tokens.

Of aspects the unit is the cell, an aspect of a review, and the review stands for the sentence.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.measure import COLUMNS, RESAMPLES
from tahanuji.measure.checks import check_length
from tahanuji.measure.scoring import from_margins
from tahanuji.tagging.alterations import Altered
from tahanuji.tagging.measures import (
    Span,
    Tags,
    check_ids,
    check_sentences,
    intervals,
    over_sentences,
    spans,
)

NONE = "-"  # the label of a span that is not there
LABELS = ["gold", "clean_label", "perturbed_label"]
ROWS = ["id", "test", "rate", "group", "cluster", *LABELS, "changed", "hit", "aligned"]
ROWS += ["failure", "flip", "induced", "repaired"]
FLAGS = ["changed", "hit", "aligned"]
WHOLES = ["sentences", "reviews"]
SENTENCES = ["id", "test", "rate", "gold", "clean", "after", "hit", "spans"]
SENTENCES += ["changed", "aligned"]
F1 = ["clean_macro_f1", "macro_f1", "macro_f1_change", "clean_micro_f1", "micro_f1"]
F1 += ["micro_f1_change"]


def sentences(
    ids: Sequence[str],
    gold: Tags,
    clean: Tags,
    perturbed: Sequence[Sequence[str] | None],
    altered: Sequence[Altered | None],
    test: tuple[str, float],
) -> pd.DataFrame:
    """Predictions of one test, a row per sentence: all that is worth keeping in a file.

    Parameters
    ----------
    ids : sequence of str
        Of the sentences.
    gold, clean : sequence of sequences of str
        Right tags of the original words, and those predicted for them.
    perturbed : sequence
        Per sentence the tags predicted for the words of its `Altered`, or None with it.
    altered : sequence of Altered or None
        As `alter` and `swap_entities` give them; None where words could not be given back.
    test : tuple of str and float
        The test's name and rate, NaN where it has none.

    Returns
    -------
    DataFrame
        id, test, rate; gold, clean and after (the change): tags of the original words with blanks
        between ("-" for one that went with an entity of another length; none of inserted); hit,
        a letter per word, h where it is written differently; spans, those predicted for the changed
        sentence as `type:start,end` in places between original words, where an entity of another
        length moved them; changed; aligned, False where the words could not be given back.

    Raises
    ------
    InputError
        For sentences of different lengths or numbers, for two of one id, for tags that do not match
        the words, and for a tag that is empty, has a blank or is "-".

    Examples
    --------
    >>> from tahanuji.tagging import given_back
    >>> change = [given_back(["Ani", "tidur"], "Nai tidur")]
    >>> table = sentences(["a"], [["B-PER", "O"]], [["B-PER", "O"]], [["O", "O"]], change,
    ...     ("typos", 0.3))
    >>> table[["clean", "after", "hit"]].to_numpy().tolist()
    [['B-PER O', 'O O', 'h.']]
    """
    check_sentences(gold=gold, clean=clean)
    check_length(gold=gold, perturbed=perturbed, altered=altered)
    check_ids(ids, gold)
    table = []
    for example, *sides, said, change in zip(ids, gold, clean, perturbed, altered, strict=True):
        told = "", "", "", True, False
        if change is not None:
            _check_tags(example, said, change, len(sides[0]))
            told = _told(_line(said).split(" "), change)
        table.append((example, *test, *map(_line, sides), *told))
    return pd.DataFrame(table, columns=SENTENCES).astype({"rate": float})


def _line(tags: Sequence[str]) -> str:
    """Tags with blanks between; InputError for one that could not be told from others again."""
    if bad := [tag for tag in tags if not tag or " " in tag or tag == NONE]:
        raise InputError(
            f"a tag is not empty, has no blank and is not {NONE!r}, but {bad[0]!r} is."
        )
    return " ".join(tags)


def _check_tags(example: str, said: Sequence[str] | None, change: Altered, size: int) -> None:
    """InputError unless the changed sentence has a tag per word and the original's words."""
    if said is None or len(said) != len(change.words) or len(change.places) != size:
        given = "no" if said is None else len(said)
        raise InputError(
            f"sentence {example!r}: {given} tags for {len(change.words)} changed words, made of "
            f"{len(change.places)} words where {size} tags are right; predict one tag for each of "
            f"the changed words."
        )


def _told(said: Sequence[str], change: Altered) -> tuple[str, str, str, bool, bool]:
    """What `sentences` keeps of a changed one, from its perturbed tags on. A place that the
    original sentence does not have is negative, so that no right span can be there.
    """
    kept = [NONE if place is None else said[place] for place in change.places]
    hit, moved = "".join("h" if new else "." for new in change.hit), ""
    if change.edges is not None:
        old = {new: place for place, new in enumerate(change.edges) if new is not None}
        ends = [old.get(place, -1 - place) for place in range(len(said) + 1)]
        moved = " ".join(f"{name}:{ends[start]},{ends[end]}" for name, start, end in spans(said))
    return " ".join(kept), hit, moved, change.changed, True


def rows(table: pd.DataFrame, scheme: str = "bio") -> pd.DataFrame:
    """Tokens, spans and sentences of predictions, from which `metrics` and `units` follow.

    Parameters
    ----------
    table : DataFrame
        As `sentences` gives it, of one or more tests; also as it comes back from a csv file.
    scheme : {"bio", "token"}

    Returns
    -------
    DataFrame
        id, test, rate, group (tokens, spans or sentences), cluster (the sentence's id), gold,
        clean_label and perturbed_label (tags; types of spans, "-" where there is none; right or
        wrong of a sentence), changed, hit, aligned, failure, flip, induced, repaired. Spans are
        those of G, C and P together. A sentence that is not aligned has but one row, which no rate
        counts. Words that were inserted, or went with an entity of another length, are no tokens
        here; spans are compared by their places between the original words.

    Raises
    ------
    InputError
        As `spans`.

    Examples
    --------
    >>> from tahanuji.tagging import given_back
    >>> said = [["B-PER", "O"]], [["B-PER", "O"]], [["O", "O"]]
    >>> change = [given_back(["Ani", "tidur"], "Nai tidur")]
    >>> result = rows(sentences(["a"], *said, change, ("typos", 0.3)))
    >>> result[["group", "gold", "perturbed_label", "hit", "induced"]].to_numpy().tolist()[:2]
    [['tokens', 'B-PER', 'O', True, True], ['tokens', 'O', 'O', False, False]]
    """
    parts = [part for row in table.fillna("").itertuples() for part in _sentence_rows(row, scheme)]
    return _judged(parts)


def _right(right: bool) -> str:
    return "right" if right else "wrong"


def _sentence_rows(row, scheme: str) -> list[tuple]:
    """The rows of a sentence, as `_judged` takes them."""
    gold, clean, kept = (side.split(" ") for side in (row.gold, row.clean, row.after))
    about, before = (row.test, row.rate), _right(clean == gold)
    if not row.aligned:
        end = "sentences", row.id, "right", before, "", True, False, False, False
        return [(row.id, *about, *end)]
    hit = [letter == "h" for letter in row.hit]
    place = [number for number, tag in enumerate(kept) if tag != NONE]
    result = [
        (f"{row.id}:{number}", *about, "tokens", row.id, gold[number], clean[number])
        + (kept[number], row.changed, hit[number], True, False)
        for number in place
    ]
    after = _moved(row.spans) if len(place) < len(kept) else set(spans(kept, scheme))
    sets = [set(spans(tags, scheme)) for tags in (gold, clean)] + [after]
    for name, start, end in sorted(set.union(*sets), key=lambda span: (span[1:], span[0])):
        labels = [name if (name, start, end) in members else NONE for members in sets]
        touched = start < 0 or end < 0 or any(hit[start:end])
        key = f"{row.id}:{start},{end}:{name}", *about, "spans", row.id
        result.append((*key, *labels, row.changed, touched, True, False))
    fine = sets[2] == sets[0] and all(kept[number] == gold[number] for number in place)
    moved = sets[2] != sets[1] or any(kept[number] != clean[number] for number in place)
    whole = "sentences", row.id, "right", before, _right(fine), row.changed, any(hit), True, moved
    return [*result, (row.id, *about, *whole)]


def _moved(cell: str) -> set[Span]:
    """The spans of a cell of `sentences`."""
    parts = [part.rpartition(":") for part in cell.split()]
    return {(name, *map(int, places.split(","))) for name, _, places in parts}


def _judged(parts: list[tuple]) -> pd.DataFrame:
    """Rows with their outcomes."""
    frame = pd.DataFrame(parts, columns=[*ROWS[: ROWS.index("failure")], "flip"])
    frame["rate"] = pd.to_numeric(frame["rate"])
    frame[FLAGS] = frame[FLAGS].astype(bool)
    gold, clean, perturbed = (frame[name] for name in LABELS)
    frame["failure"] = perturbed != gold
    whole = frame["group"].isin(WHOLES)
    frame["flip"] = frame["flip"].where(whole, perturbed != clean).astype(bool)
    frame["induced"] = (clean == gold) & frame["failure"]
    frame["repaired"] = (clean != gold) & ~frame["failure"]
    return frame[ROWS]


def cells(
    ids: Sequence[str],
    gold: Tags,
    clean: Tags,
    perturbed: Tags,
    changed: Sequence[bool],
    aspects: Sequence[str],
    test: tuple[str, float],
) -> pd.DataFrame:
    """Cells and reviews of one test of aspects, as `rows` has tokens and sentences.

    Parameters
    ----------
    ids : sequence of str
        Of the reviews.
    gold, clean, perturbed : sequence of sequences of str, or array (n reviews, k aspects)
        Right labels, and those predicted for the clean and the perturbed review.
    changed : sequence of bool
        Whether the perturbation changed each review.
    aspects : sequence of str, length k
    test : tuple of str and float
        The test's name and rate, NaN where it has none.

    Returns
    -------
    DataFrame
        The columns of `rows` and `by_aspect`, the cell's aspect; groups cells and reviews.

    Raises
    ------
    InputError
        For tables of different shapes, and for two reviews of one id.

    Examples
    --------
    >>> said = [["pos", "neg"]], [["pos", "neg"]], [["pos", "pos"]]
    >>> cells(["r1"], *said, [True], ["harga", "rasa"], ("typos", 0.3))["flip"].tolist()
    [False, True, True]
    """
    sides = [[list(map(str, row)) for row in side] for side in (gold, clean, perturbed)]
    check_sentences(
        gold=sides[0], clean=sides[1], perturbed=sides[2], aspects=[aspects] * len(sides[0])
    )
    check_length(gold=gold, changed=changed)
    check_ids(ids, sides[0])
    table, column = [], []
    for example, new, right, before, after in zip(ids, changed, *sides, strict=True):
        for aspect, *labels in zip(aspects, right, before, after, strict=True):
            key = f"{example}:{aspect}", *test, "cells", example
            table.append((*key, *labels, new, new, True, False))
        labels = "right", _right(before == right), _right(after == right)
        table.append((example, *test, "reviews", example, *labels, new, new, True, before != after))
        column += [*aspects, None]
    return _judged(table).assign(by_aspect=column)


def units(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in the groups that rates and verdicts are taken of.

    Parameters
    ----------
    table : DataFrame
        As `rows` or `cells` gives it, of one or more tests.

    Returns
    -------
    DataFrame
        What `measure.behaviour` and `measure.verdicts` take (rows of a cluster belong together):
        groups tokens, gold spans and sentences, and of changed sentences hit tokens and other
        tokens, hit spans and other spans (gold ones); of aspects cells and reviews. Sentences that
        are not aligned are left out.

    Examples
    --------
    >>> from tahanuji.tagging import given_back
    >>> said = [["B-PER", "O"]], [["B-PER", "O"]], [["O", "O"]]
    >>> change = [given_back(["Ani", "tidur"], "Nai tidur")]
    >>> table = rows(sentences(["a"], *said, change, ("typos", 0.3)))
    >>> units(table)[["group", "failure"]].to_numpy().tolist()[:3]
    [['tokens', True], ['tokens', False], ['gold spans', True]]
    """
    table = table[table["aligned"].astype(bool)]
    table = table[(table["group"] != "spans") | (table["gold"] != NONE)]
    changed, hit = (table[name].astype(bool) for name in ("changed", "hit"))
    parts = [table.replace({"group": {"spans": "gold spans"}})]
    for name, part in (("hit", table[changed & hit]), ("other", table[changed & ~hit])):
        part = part[part["group"].isin(["tokens", "spans"])]
        parts.append(part.assign(group=name + " " + part["group"]))
    return pd.concat(parts, ignore_index=True)


def metrics(table: pd.DataFrame, seed: int, resamples: int = RESAMPLES) -> pd.DataFrame:
    """The measures of one or more tests.

    Parameters
    ----------
    table : DataFrame
        As `rows` or `cells` gives it; also as it comes back from a csv file.
    seed : int
        Of the bootstrap.
    resamples : int
        Draws of the bootstrap.

    Returns
    -------
    DataFrame
        `measure.COLUMNS`. In each group of `units` the rates of `measure.behaviour`, with Wilson
        intervals over sentences. With bootstrap intervals over sentences: `kappa` of clean and
        perturbed tags (group tokens; n tokens); group all: macro and micro F1 of spans, clean,
        perturbed and the change between them (n gold spans); group spans: `agreement_f1` (n spans
        of C and P) and `new_spurious_share`, of the spans of P (n). Group sentences:
        `aligned_share`, of the sentences that changed. Aspects have cells for tokens and spans.

    References
    ----------
    Cohen (1960), *A coefficient of agreement for nominal scales*; Efron and Tibshirani (1993), *An
    introduction to the bootstrap*, chapter 13.

    Examples
    --------
    >>> said = [["pos", "neg"]] * 9, [["pos", "neg"]] * 9, [["pos", "neg"]] * 9
    >>> names = [f"r{number}" for number in range(9)]
    >>> table = cells(names, *said, [True] * 9, ["harga", "rasa"], ("typos", 0.3))
    >>> result = metrics(table, seed=1, resamples=50).set_index(["group", "metric"])["value"]
    >>> result.loc[[("cells", "kappa"), ("all", "macro_f1_change")]].to_list()
    [1.0, 0.0]
    """
    parts = [measure.behaviour(units(table))]
    for (name, rate), part in table.groupby(["test", "rate"], sort=False, dropna=False):
        drawn = _drawn_again(part[part["aligned"].astype(bool)], seed, resamples)
        result = [(name, rate, *row) for row in [*drawn, *_aligned(part)]]
        parts.append(pd.DataFrame(result, columns=COLUMNS))
    return pd.concat(parts, ignore_index=True)


def _aligned(part: pd.DataFrame) -> list[tuple]:
    """The share of changed sentences whose words were given back."""
    whole = part[(part["group"] == "sentences") & part["changed"].astype(bool)]
    events = whole["aligned"].astype(bool)
    shown = "sentences", "aligned_share", *measure.share(int(events.sum()), len(events))
    return [(*shown, len(events))] if len(events) else []


def _drawn_again(part: pd.DataFrame, seed: int, resamples: int) -> list[tuple]:
    """Measures of one test with intervals over its sentences."""
    base = "cells" if part["group"].eq("cells").any() else "tokens"
    whole = "cells" if base == "cells" else "spans"
    clusters, tokens = part["cluster"].unique(), part[part["group"] == base]
    if not len(clusters):
        return []
    by_tag = _token_counts(tokens, clusters)
    by_type = _span_counts(part[part["group"] == whole], clusters)
    columns = by_tag.shape[1]

    def figures(sums: np.ndarray) -> np.ndarray:
        shown = _span_figures(sums[..., columns:])
        return np.concatenate([_kappa(sums[..., :columns])[..., None], shown], axis=-1)

    table = np.hstack([by_tag, by_type])
    values, bounds = figures(table.sum(0)), over_sentences(figures, table, seed, resamples)
    either, said, gold = (int(number) for number in by_type[:, -3:].sum(0))
    names = [(base, "kappa"), *(("all", name) for name in F1)]
    names += [(whole, "agreement_f1"), (whole, "new_spurious_share")]
    numbers = [len(tokens), *[gold] * len(F1), either, said]
    return [
        (*name, float(value), *bound, n)
        for name, value, bound, n in zip(names, values, intervals(bounds), numbers, strict=True)
    ]


def _tally(codes: np.ndarray, rows: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """How often each code, from 0, stands in each row; negative codes do not count."""
    table, there = np.zeros(shape, dtype=int), codes >= 0
    np.add.at(table, (rows[there], codes[there]), 1)
    return table


def _token_counts(tokens: pd.DataFrame, clusters: np.ndarray) -> np.ndarray:
    """Per sentence: tokens, those with the same tag twice, and tokens by clean and perturbed tag;
    what kappa is made of.
    """
    rows = pd.Index(clusters).get_indexer(tokens["cluster"])
    clean, perturbed = (tokens[name].to_numpy(str) for name in LABELS[1:])
    tags = np.unique([*clean, *perturbed])
    same = np.where(clean == perturbed, 0, -1)
    parts = [_tally(codes, rows, (len(clusters), 1)) for codes in (np.zeros_like(same), same)]
    for said in (clean, perturbed):
        parts.append(_tally(np.searchsorted(tags, said), rows, (len(clusters), len(tags))))
    return np.hstack(parts)


def _kappa(sums: np.ndarray) -> np.ndarray:
    """Cohen's kappa of sums of `_token_counts`; as `measure.kappa_of`, without its table of all
    pairs of tags.
    """
    sums = np.asarray(sums, dtype=float)
    n, same, (clean, perturbed) = sums[..., 0], sums[..., 1], np.split(sums[..., 2:], 2, axis=-1)
    chance = (clean * perturbed).sum(-1)
    with np.errstate(invalid="ignore"):
        return (n * same - chance) / (n * n - chance)


def _span_counts(table: pd.DataFrame, clusters: np.ndarray) -> np.ndarray:
    """Per sentence, by type: right and all spans of C, then of P, and those of G; then the spans of
    C and P both, new spurious ones, all of C and P, all of P, all of G.
    """
    rows = pd.Index(clusters).get_indexer(table["cluster"])
    gold, clean, perturbed = (table[name].to_numpy(str) for name in LABELS)
    types = np.setdiff1d([*gold, *clean, *perturbed], [NONE])
    shape = len(clusters), len(types)

    def by_type(labels: np.ndarray, kept: np.ndarray) -> np.ndarray:
        there = kept & (labels != NONE)
        return _tally(np.where(there, np.searchsorted(types, labels), -1), rows, shape)

    every = np.ones(len(table), dtype=bool)
    parts = [by_type(clean, clean == gold), by_type(clean, every)]
    parts += [by_type(perturbed, perturbed == gold), by_type(perturbed, every)]
    parts.append(by_type(gold, every))
    new = (perturbed != gold) & (perturbed != clean)
    sums = [by_type(perturbed, kept).sum(1) for kept in (perturbed == clean, new)]
    said = parts[3].sum(1)
    sums += [parts[1].sum(1) + said, said, parts[4].sum(1)]
    return np.hstack([*parts, np.stack(sums, axis=1)])


def _span_figures(sums: np.ndarray) -> np.ndarray:
    """The `F1`, agreement F1 and the share of new spurious spans, of sums of `_span_counts`."""
    parts = np.split(np.asarray(sums[..., :-5], dtype=float), 5, axis=-1)
    both, new, either, said, _ = np.moveaxis(sums[..., -5:], -1, 0)
    figures = []
    for means in (parts, [part.sum(-1, keepdims=True) for part in parts]):
        right_before, before, right_after, after, gold = means
        f1 = from_margins(right_before, gold, before)["macro_f1"]
        changed = from_margins(right_after, gold, after)["macro_f1"]
        figures += [f1, changed, changed - f1]
    with np.errstate(invalid="ignore"):
        figures += [2 * both / either, new / said]
    return np.stack(figures, axis=-1)
