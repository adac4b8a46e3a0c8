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
from tahanuji.instrument import Instrument
from tahanuji.measure import COLUMNS, RESAMPLES
from tahanuji.measure.checks import check_length
from tahanuji.measure.scoring import from_margins
from tahanuji.outcomes import outcomes
from tahanuji.tagging.alterations import Altered
from tahanuji.tagging.corpus import aspects
from tahanuji.tagging.measures import Span, Tags, check_sentences, estimated, scheme_of, spans

NONE = "-"  # the label of a span that is not there
LABELS = ["gold", "clean_label", "perturbed_label"]
FLAGS = ["changed", "hit", "aligned"]
OUTCOMES = ["failure", "flip", "induced", "repaired"]
KEYS = ["id", "test", "rate", "group", "cluster", *LABELS, *FLAGS]
SENTENCES = ["id", "test", "rate", "gold", "clean", "after", "hit", "spans", "changed", "aligned"]
F1 = ["clean_macro_f1", "macro_f1", "macro_f1_change", "clean_micro_f1", "micro_f1"]
F1 += ["micro_f1_change"]


def sentences(
    frame: pd.DataFrame,
    clean: Tags,
    perturbed: Sequence[Sequence[str] | None],
    altered: Sequence[Altered | None],
    test: Instrument,
) -> pd.DataFrame:
    """Predictions of one test, a row per sentence: all that is worth keeping in a file.

    `frame` has `id` and the right `tags` of the original words, `clean` the tags predicted for
    them, and `perturbed` those predicted for the words of each `Altered`, or None with it.

    The columns gold, clean and after (the change) hold tags of the original words with blanks
    between ("-" for a word that went with an entity of another length); hit a letter per word, h
    where it is written differently; spans those predicted for the changed sentence as
    `type:start,end` in places between original words, where an entity of another length moved them;
    aligned is False where the words could not be given back.

    >>> from tahanuji.tagging.alterations import given_back
    >>> frame = pd.DataFrame({"id": ["a"], "tags": [["B-PER", "O"]]})
    >>> change = [given_back(["Ani", "tidur"], "Nai tidur")]
    >>> table = sentences(frame, frame["tags"], [["O", "O"]], change, Instrument("typos"))
    >>> table[["test", "rate", "clean", "after", "hit"]].to_numpy().tolist()
    [['typos', 0.3, 'B-PER O', 'O O', 'h.']]
    """
    check_sentences(gold=list(frame["tags"]), clean=list(clean))
    check_length(gold=frame, perturbed=perturbed, altered=altered)
    table, rows = [], zip(frame["id"], frame["tags"], clean, perturbed, altered, strict=True)
    for example, *sides, said, change in rows:
        told = "", "", "", True, False
        if change is not None:
            _check_tags(example, said, change, len(sides[0]))
            told = _told(_line(said).split(" "), change)
        table.append((example, *_named(test), *map(_line, sides), *told))
    return pd.DataFrame(table, columns=SENTENCES).astype({"rate": float})


def _named(test: Instrument) -> tuple[str, float]:
    """The test's name and rate in tables; NaN for swaps, which have none."""
    return test.test, float("nan") if test.rate is None else test.rate


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


def rows(predictions: pd.DataFrame) -> pd.DataFrame:
    """The outcomes of tokens, spans and sentences, or of cells and reviews.

    Parameters
    ----------
    predictions : DataFrame
        As `tested` gives them, of one or more tests; also as they come back from a csv file.

    Returns
    -------
    DataFrame
        id, test, rate, group (tokens, spans or sentences; of aspects cells and reviews), cluster
        (the sentence's id), the columns of `tahanuji.outcomes.outcomes`, changed, hit, aligned, and
        moved where the predictions have it. Labels are tags, types of spans ("-" where there is
        none), and right or wrong of a sentence. Spans are those of G, C and P together. A sentence
        that is not aligned has but one row, which no rate counts. Words that were inserted, or went
        with an entity of another length, are no tokens here; spans are compared by their places
        between the original words.

    Raises
    ------
    InputError
        For tags of several schemes.

    Examples
    --------
    >>> row = {"id": "a", "test": "typos", "rate": 0.3, "gold": "B-PER O", "clean": "B-PER O",
    ...     "after": "O O", "hit": "h.", "spans": "", "changed": True, "aligned": True}
    >>> table = rows(pd.DataFrame([row]))
    >>> table[["group", "gold", "perturbed_label", "hit", "induced"]].to_numpy().tolist()[:2]
    [['tokens', 'B-PER', 'O', True, True], ['tokens', 'O', 'O', False, False]]
    """
    if "group" in predictions:
        return predictions
    lines = predictions.fillna(dict.fromkeys(SENTENCES[3:8], ""))  # an empty cell of a csv file
    scheme = scheme_of(" ".join([*lines["gold"], *lines["clean"]]).split())
    own = ["moved"] if "moved" in lines else []
    parts = [
        (*part, *(getattr(row, name) for name in own))
        for row in lines.itertuples()
        for part in _sentence_rows(row, scheme)
    ]
    return _judged(pd.DataFrame(parts, columns=[*KEYS, "apart", *own]))


def _right(right: bool) -> str:
    """The label of a whole sentence or review."""
    return "right" if right else "wrong"


def _sentence_rows(row, scheme: str) -> list[tuple]:
    """The rows of a sentence, with the columns `KEYS` and `apart`."""
    gold, clean, kept = (side.split(" ") for side in (row.gold, row.clean, row.after))
    about, before = (row.test, row.rate), _right(clean == gold)
    if not row.aligned:
        end = "sentences", row.id, "right", before, "", True, False, False, False
        return [(row.id, *about, *end)]
    hit = [letter == "h" for letter in row.hit]
    place = [number for number, tag in enumerate(kept) if tag != NONE]
    result = [
        (f"{row.id}:{number}", *about, "tokens", row.id, gold[number], clean[number])
        + (kept[number], row.changed, hit[number], True, None)
        for number in place
    ]
    after = _moved(row.spans) if len(place) < len(kept) else set(spans(kept, scheme))
    sets = [set(spans(tags, scheme)) for tags in (gold, clean)] + [after]
    for name, start, end in sorted(set.union(*sets), key=lambda span: (span[1:], span[0])):
        labels = [name if (name, start, end) in members else NONE for members in sets]
        touched = start < 0 or end < 0 or any(hit[start:end])
        key = f"{row.id}:{start},{end}:{name}", *about, "spans", row.id
        result.append((*key, *labels, row.changed, touched, True, None))
    fine = sets[2] == sets[0] and all(kept[number] == gold[number] for number in place)
    apart = sets[2] != sets[1] or any(kept[number] != clean[number] for number in place)
    whole = "sentences", row.id, "right", before, _right(fine), row.changed, any(hit), True, apart
    return [*result, (row.id, *about, *whole)]


def _moved(cell: str) -> set[Span]:
    """The spans of a cell of `sentences`."""
    parts = [part.rpartition(":") for part in cell.split()]
    return {(name, *map(int, places.split(","))) for name, _, places in parts}


def _judged(table: pd.DataFrame) -> pd.DataFrame:
    """Rows with their outcomes behind `KEYS`. A whole sentence flips where any tag did (`apart`):
    it may be wrong before and after.
    """
    judged = outcomes(*(table[name] for name in LABELS))[OUTCOMES]
    judged["flip"] = table["apart"].combine_first(judged["flip"]).astype(bool)
    types = {"rate": float} | dict.fromkeys(FLAGS, bool)
    own = table.drop(columns=[*KEYS, "apart"])
    return pd.concat([table[KEYS].astype(types), judged, own], axis=1)


def cells(
    frame: pd.DataFrame, clean: Tags, perturbed: Tags, changed: Sequence[bool], test: Instrument
) -> pd.DataFrame:
    """Cells and reviews of one test of aspects, as `rows` has tokens and sentences, and
    `by_aspect`, the cell's aspect.

    `frame` has `id` and a column of right labels per aspect, as `corpus.load` gives it.

    >>> frame = pd.DataFrame({"id": ["a"], "text": ["-"], "harga": ["pos"], "rasa": ["neg"]})
    >>> said = [["pos", "neg"]], [["pos", "pos"]]
    >>> cells(frame, *said, [True], Instrument("typos"))["flip"].tolist()
    [False, True, True]
    """
    names = aspects(frame)
    sides = [[list(map(str, row)) for row in side] for side in (frame[names].values, clean)]
    sides.append([list(map(str, row)) for row in perturbed])
    check_sentences(gold=sides[0], clean=sides[1], perturbed=sides[2])
    check_length(gold=frame, changed=changed)
    table = []
    for example, new, *labels in zip(frame["id"], changed, *sides, strict=True):
        about = *_named(test), "cells", example
        for aspect, *cell in zip(names, *labels, strict=True):
            table.append((f"{example}:{aspect}", *about, *cell, new, new, True, None, aspect))
        right, before, after = labels
        said = "right", _right(before == right), _right(after == right)
        whole = *_named(test), "reviews", example, *said, new, new, True, before != after, None
        table.append((example, *whole))
    return _judged(pd.DataFrame(table, columns=[*KEYS, "apart", "by_aspect"]))


def units(table: pd.DataFrame) -> pd.DataFrame:
    """Rows in the groups that rates and verdicts are taken of, without sentences that are not
    aligned: tokens, gold spans and sentences, and of changed sentences hit tokens and other tokens,
    hit spans and other spans (gold ones); of aspects cells and reviews.

    >>> row = {"aligned": True, "changed": True, "hit": True}
    >>> parts = [row | {"group": "tokens", "gold": "O"}, row | {"group": "spans", "gold": "-"}]
    >>> units(pd.DataFrame(parts))["group"].to_list()
    ['tokens', 'hit tokens']
    """
    table = table[table["aligned"].astype(bool)]
    table = table[(table["group"] != "spans") | (table["gold"] != NONE)]
    changed, hit = (table[name].astype(bool) for name in ("changed", "hit"))
    parts = [table.replace({"group": {"spans": "gold spans"}})]
    for name, part in (("hit", table[changed & hit]), ("other", table[changed & ~hit])):
        part = part[part["group"].isin(["tokens", "spans"])]
        parts.append(part.assign(group=name + " " + part["group"]))
    return pd.concat(parts, ignore_index=True)


def metrics(predictions: pd.DataFrame, seed: int, resamples: int = RESAMPLES) -> pd.DataFrame:
    """The measures of one or more tests.

    Parameters
    ----------
    predictions : DataFrame
        As `tested` gives them, or their `rows`.
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
    >>> frame = pd.DataFrame({"id": ["a"], "text": ["-"], "harga": ["pos"], "rasa": ["neg"]})
    >>> table = cells(frame, [["pos", "neg"]], [["pos", "neg"]], [True], Instrument("typos"))
    >>> result = metrics(table, seed=1, resamples=50).set_index(["group", "metric"])["value"]
    >>> result.loc[[("cells", "kappa"), ("all", "macro_f1_change")]].to_list()
    [1.0, 0.0]
    """
    table = rows(predictions)
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
    base, whole = ("cells", "cells") if "cells" in set(part["group"]) else ("tokens", "spans")
    clusters, tokens = part["cluster"].unique(), part[part["group"] == base]
    if not len(clusters):
        return []
    by_tag = _token_counts(tokens, clusters)
    by_type = _span_counts(part[part["group"] == whole], clusters)
    columns = by_tag.shape[1]

    def figures(sums: np.ndarray) -> np.ndarray:
        shown = _span_figures(sums[..., columns:])
        return np.concatenate([_kappa(sums[..., :columns])[..., None], shown], axis=-1)

    either, said, gold = by_type[:, -3:].sum(0).tolist()
    names = [(base, "kappa"), *(("all", name) for name in F1)]
    names += [(whole, "agreement_f1"), (whole, "new_spurious_share")]
    numbers = [len(tokens), *[gold] * len(F1), either, said]
    values = estimated(figures, np.hstack([by_tag, by_type]), seed, resamples).tolist()
    return [(*name, *value, n) for name, value, n in zip(names, values, numbers, strict=True)]


def _tally(table: pd.DataFrame, column: str, clusters: np.ndarray, labels: list) -> np.ndarray:
    """How often each label stands in the rows of each sentence, shape (sentences, labels)."""
    counted = pd.crosstab(table["cluster"], table[column])
    return counted.reindex(clusters, columns=labels, fill_value=0).to_numpy(int)


def _token_counts(tokens: pd.DataFrame, clusters: np.ndarray) -> np.ndarray:
    """Per sentence: tokens, those with the same tag twice, and tokens by clean and perturbed tag;
    what kappa is made of.
    """
    tags = sorted({*tokens["clean_label"], *tokens["perturbed_label"]})
    same = tokens[tokens["clean_label"] == tokens["perturbed_label"]]
    kept = [(same, "clean_label"), (tokens, "clean_label"), (tokens, "perturbed_label")]
    same, clean, perturbed = (_tally(part, name, clusters, tags) for part, name in kept)
    every = [part.sum(1, keepdims=True) for part in (clean, same)]
    return np.hstack([*every, clean, perturbed])


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
    gold, clean, perturbed = (table[name] for name in LABELS)
    types = sorted({*gold, *clean, *perturbed} - {NONE})
    kept = [(clean == gold, LABELS[1]), (slice(None), LABELS[1]), (perturbed == gold, LABELS[2])]
    kept += [(slice(None), LABELS[2]), (slice(None), LABELS[0])]
    parts = [_tally(table[which], name, clusters, types) for which, name in kept]
    new = (perturbed != gold) & (perturbed != clean)
    sums = [
        _tally(table[which], LABELS[2], clusters, types).sum(1)
        for which in (perturbed == clean, new)
    ]
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
