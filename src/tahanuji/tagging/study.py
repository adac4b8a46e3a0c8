"""A model of tags or aspects: its scores, its errors, and its answers before and after
perturbations and swapped entities.
"""

from collections.abc import Sequence

import pandas as pd

from tahanuji import data
from tahanuji.instrument import Instrument
from tahanuji.tagging import measures, robustness
from tahanuji.tagging.alterations import LENGTHS, alter, entities, swap_entities, types_of
from tahanuji.tagging.corpus import aspects

LOST = {(True, False): "type", (False, True): "bounds", (True, True): "type and bounds"}


def scores(
    frame: pd.DataFrame, predicted: list[list[str]], seed: int, seen: Sequence[bool] | None = None
) -> pd.DataFrame:
    """The scores of predicted tags or aspects.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it.
    predicted : list of list of str
        Tags per sentence, or a label per aspect.
    seed : int
        Of the bootstrap.
    seen : sequence of bool, optional
        Whether training has seen each row: where it has seen part of them, the others are scored
        once more, as the test "clean, unseen rows".

    Returns
    -------
    DataFrame
        As `evaluation` gives it; of aspects with the labels in place of types.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": [["B-PER", "O"]] * 2})
    >>> scores(frame, frame["tags"].to_list(), seed=1)["value"].iloc[0]
    np.float64(1.0)
    """
    new = [number for number, old in enumerate(seen) if not old] if seen is not None else []
    if 0 < len(new) < len(frame):
        unseen = scores(frame.iloc[new], [predicted[number] for number in new], seed)
        whole = scores(frame, predicted, seed)
        return pd.concat([whole, unseen.assign(test="clean, unseen rows")])
    if names := aspects(frame):
        return measures.aspect_evaluation(frame[names].to_numpy(), predicted, names, seed)
    gold = frame["tags"].to_list()
    return measures.evaluation(gold, predicted, seed, _scheme(gold, predicted))


def _scheme(*sides: list[list[str]]) -> str:
    """The scheme of all tags of several sides."""
    return measures.scheme_of({tag for side in sides for tags in side for tag in tags})


def tested(
    model,
    frame: pd.DataFrame,
    tests: list[Instrument],
    seed: int,
    train: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """A model's predictions before and after perturbations, and after entities were swapped.

    Parameters
    ----------
    model : object
        Has `predict(frame)`, tags per sentence or a label per aspect, and
        `tells_apart(frame, other)`, a bool per row, as what a model cannot see it cannot stand.
    frame : DataFrame
        As `load` gives it.
    tests : list of Instrument
        Perturbations.
    seed : int
        Of the perturbations and the swaps.
    train : DataFrame, optional
        Training rows. With them entities are swapped too, where the tags name any: for those of
        training, and for others of the frame that training does not name; with as many words, and
        with any number (Lin et al., 2021, *RockNER*).

    Returns
    -------
    DataFrame
        As `rows` takes it: a row per test and sentence, of aspects one per cell and review;
        `moved` says whether the model tells it from the clean one.

    Examples
    --------
    >>> class Outside:
    ...     def predict(self, frame):
    ...         return [["O"] * len(words) for words in frame["words"]]
    ...     def tells_apart(self, frame, other):
    ...         return [False] * len(frame)
    >>> frame = pd.DataFrame({"id": ["a"], "words": [["Tidak", "enak"]], "tags": [["O", "O"]]})
    >>> tested(Outside(), frame, [Instrument("negation")], 1)[["hit", "moved"]].to_numpy().tolist()
    [['h.', False]]
    """
    clean = model.predict(frame)
    if aspects(frame):
        parts = [_reviewed(model, frame, clean, test, seed) for test in tests]
        return pd.concat(parts, ignore_index=True)
    altered = {test: alter(test, frame, seed) for test in tests}
    altered |= {} if train is None else _swaps(frame, train, seed)
    parts = [_tagged(model, frame, clean, new, test) for test, new in altered.items()]
    return pd.concat(parts, ignore_index=True)


def _reviewed(model, frame: pd.DataFrame, clean: list, test: Instrument, seed: int) -> pd.DataFrame:
    """The cells of reviews under a perturbation."""
    old = data.inputs(frame)
    new = [text or one for one, text in zip(old, test.apply(frame, seed), strict=True)]
    altered = frame.assign(**data.as_columns(new, "text", "text_pair"))
    changed = [one != text for one, text in zip(old, new, strict=True)]
    cells = robustness.cells(frame, clean, model.predict(altered), changed, test)
    moved = dict(zip(frame["id"], model.tells_apart(frame, altered), strict=True))
    return cells.assign(moved=cells["cluster"].map(moved))


def _tagged(
    model, frame: pd.DataFrame, clean: list, altered: list, test: Instrument
) -> pd.DataFrame:
    """The tags of sentences after a change; where it could not be followed, there are none."""
    kept = [number for number, change in enumerate(altered) if change is not None]
    new = frame.iloc[kept].assign(words=[altered[number].words for number in kept])
    said, moved = [None] * len(frame), [False] * len(frame)
    if kept:
        told = model.predict(new), model.tells_apart(frame.iloc[kept], new)
        for number, tags, apart in zip(kept, *told, strict=True):
            said[number], moved[number] = tags, apart
    return robustness.sentences(frame, clean, said, altered, test).assign(moved=moved)


def _swaps(frame: pd.DataFrame, train: pd.DataFrame, seed: int) -> dict[Instrument, list]:
    """Sentences with swapped entities by test; none where every word has a type, such as parts of
    speech, and where spans have none, such as key phrases and answers.
    """
    tags = {tag for side in (train, frame) for tag in side["tags"].explode()}
    if measures.scheme_of(tags) != "bio" or "O" not in tags or tags & {"B", "I"}:
        return {}
    pools = {
        "entities of training": entities(train),
        "new entities": entities(frame, without=types_of(train)),
    }
    return {
        Instrument("", test=f"{name}, {length} length"): swap_entities(frame, pool, seed, length)
        for name, pool in pools.items()
        for length in LENGTHS
    }


def as_tests(predictions: pd.DataFrame) -> pd.DataFrame:
    """The rows on which verdicts rest: gold spans, or cells. Most tokens are outside of any span,
    where little can go wrong: a share of all tokens would hide that half of the spans are lost.

    Parameters
    ----------
    predictions : DataFrame
        As `tested` gives them, or their `rows`.

    Returns
    -------
    DataFrame
        As `measure.verdicts` takes them; sentences and reviews are clusters.

    Examples
    --------
    >>> as_tests(pd.DataFrame({"group": ["tokens", "spans"], "gold": ["O", "PER"],
    ...     "aligned": True, "changed": True, "hit": False}))["gold"].to_list()
    ['PER']
    """
    units = robustness.units(robustness.rows(predictions))
    kept = units[units["group"].isin(["gold spans", "cells"])].reset_index(drop=True)
    return kept.assign(group="all")


def errors(frame: pd.DataFrame, predicted: list[list[str]]) -> dict[str, pd.DataFrame]:
    """What a model takes for what else, and the spans that it does not find.

    Parameters
    ----------
    frame : DataFrame
        As `load` gives it.
    predicted : list of list of str
        Tags per sentence, or a label per aspect.

    Returns
    -------
    dict of str to DataFrame
        `confusion`: gold, predicted (tags or labels), n, share (of the gold ones), the most
        frequent first. `lost_spans`: id, type, text (the span's words), said (the type of the
        predicted span that shares most words with it) and how: "missed" (none does), "type",
        "bounds", or "type and bounds"; no row where every token is a span, and of aspects.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a"], "words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> tables = errors(frame, [["B-LOC", "O"]])
    >>> tables["lost_spans"][["text", "said", "how"]].values.tolist()
    [['Ani', 'LOC', 'type']]
    """
    return {"confusion": _mixed_up(frame, predicted), "lost_spans": _lost_spans(frame, predicted)}


def _mixed_up(frame: pd.DataFrame, predicted: list[list[str]]) -> pd.DataFrame:
    """Which tag or label is taken for which other; no row where all are right."""
    names = aspects(frame)
    gold = frame[names].to_numpy().tolist() if names else frame["tags"].to_list()
    flat = [[tag for tags in side for tag in tags] for side in (gold, predicted)]
    table = pd.DataFrame(dict(zip(["gold", "predicted"], flat, strict=True)))
    of = table["gold"].value_counts()
    wrong = table[table["gold"] != table["predicted"]].value_counts().rename("n").reset_index()
    return wrong.assign(share=wrong["n"] / wrong["gold"].map(of).astype(float))


def _lost_spans(frame: pd.DataFrame, predicted: list[list[str]]) -> pd.DataFrame:
    """The spans that are not found, and how they are missed."""
    rows: list[dict] = []
    if not aspects(frame) and _scheme(list(frame["tags"]), predicted) == "bio":
        for row, tags in zip(frame.itertuples(), predicted, strict=True):
            said = measures.spans(tags)
            lost = [span for span in measures.spans(row.tags) if span not in said]
            rows += [{"id": row.id, **_lost(span, said, row.words)} for span in lost]
    return pd.DataFrame(rows, columns=["id", "type", "text", "said", "how"])


def _lost(span: measures.Span, said: list[measures.Span], words: list[str]) -> dict:
    """A span that is not among those said."""
    kind, start, end = span

    def shared(other: measures.Span) -> int:
        return min(end, other[2]) - max(start, other[1])

    nearest = max(said, key=lambda other: (shared(other), other[0] == kind), default=None)
    row = {"type": kind, "text": " ".join(words[start:end]), "said": "", "how": "missed"}
    if nearest is None or shared(nearest) < 1:
        return row
    return row | {
        "said": nearest[0],
        "how": LOST[nearest[0] != kind, nearest[1:] != (start, end)],
    }
