"""A model of tags or aspects under perturbations and swapped entities, from sentences to rows."""

import pandas as pd

from tahanuji import data, perturb, validity
from tahanuji.errors import unknown
from tahanuji.tagging import measures, robustness
from tahanuji.tagging.alterations import LENGTHS, alter, entities, swap_entities, types_of
from tahanuji.tagging.corpus import aspects

SWAPS = {"entities of training": False, "new entities": True}


def scores(frame: pd.DataFrame, predicted: list[list[str]], seed: int) -> pd.DataFrame:
    """The scores of predicted tags or aspects.

    Parameters
    ----------
    frame : DataFrame
        As `corpus.load` gives it.
    predicted : list of list of str
        Tags per sentence, or a label per aspect.
    seed : int
        Of the bootstrap.

    Returns
    -------
    DataFrame
        As `measures.evaluation` and `measures.aspect_evaluation` give it.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": [["B-PER", "O"]] * 2})
    >>> scores(frame, frame["tags"].to_list(), seed=1)["value"].iloc[0]
    np.float64(1.0)
    """
    if names := aspects(frame):
        return measures.aspect_evaluation(frame[names].to_numpy(), predicted, names, seed)
    gold = frame["tags"].to_list()
    return measures.evaluation(gold, predicted, seed, _scheme(gold, predicted))


def _scheme(*sides: list[list[str]]) -> str:
    return measures.scheme_of({tag for side in sides for tags in side for tag in tags})


def tested(model, frame: pd.DataFrame, names: list[str], seed: int) -> list[pd.DataFrame]:
    """A model's predictions before and after perturbations, at the rates at which these were rated.

    Parameters
    ----------
    model : object
        Has `predict(frame)`, tags per sentence or a label per aspect, and
        `tells_apart(frame, other)`, a bool per row, as what a model cannot see it cannot stand.
    frame : DataFrame
        As `corpus.load` gives it.
    names : list of str
        Perturbations.
    seed : int
        Of the perturbations.

    Returns
    -------
    list of DataFrame
        Per perturbation what `robustness.sentences` gives; of aspects what `robustness.cells` does.
        Beside it `moved`: whether the model tells the sentence or review from the clean one.

    Raises
    ------
    InputError
        For a name that is no perturbation.

    Examples
    --------
    >>> class Outside:
    ...     def predict(self, frame):
    ...         return [["O"] * len(words) for words in frame["words"]]
    ...     def tells_apart(self, frame, other):
    ...         return [False] * len(frame)
    >>> frame = pd.DataFrame({"id": ["a"], "words": [["Tidak", "enak"]], "tags": [["O", "O"]]})
    >>> tested(Outside(), frame, ["negation"], seed=1)[0][["hit", "moved"]].to_numpy().tolist()
    [['h.', False]]
    """
    for name in names:
        if name not in perturb.REGISTRY:
            raise unknown("perturbation", name, perturb.REGISTRY)
    clean, marks = model.predict(frame), aspects(frame)
    several = [(name, validity.headline_rate(name)) for name in names]
    if marks:
        return [_reviewed(model, frame, clean, test, seed) for test in several]
    changes = [
        (test, alter(test[0], frame["words"], frame["id"], test[1], seed)) for test in several
    ]
    return [_tagged(model, frame, clean, altered, test) for test, altered in changes]


def _reviewed(model, frame: pd.DataFrame, clean: list, test: tuple, seed: int) -> pd.DataFrame:
    """The cells of reviews under a perturbation."""
    texts = perturb.apply(test[0], frame, test[1], seed)
    old = data.inputs(frame)
    new = [one if text is None else text for one, text in zip(old, texts, strict=True)]
    changed = [one != text for one, text in zip(old, new, strict=True)]
    altered = frame.assign(**data.as_columns(new, "text", "text_pair"))
    said = model.predict(altered)
    names = aspects(frame)
    gold = frame[names].to_numpy()
    cells = robustness.cells(frame["id"], gold, clean, said, changed, names, test)
    moved = dict(zip(frame["id"], model.tells_apart(frame, altered), strict=True))
    return cells.assign(moved=cells["cluster"].map(moved))


def _tagged(model, frame: pd.DataFrame, clean: list, altered: list, test: tuple) -> pd.DataFrame:
    """The tags of sentences after a change; where it could not be followed, there are none."""
    kept = [number for number, change in enumerate(altered) if change is not None]
    new = frame.iloc[kept].assign(words=[altered[number].words for number in kept])
    said: list = [None] * len(frame)
    moved = [False] * len(frame)
    if kept:
        told = model.predict(new), model.tells_apart(frame.iloc[kept], new)
        for number, tags, apart in zip(kept, *told, strict=True):
            said[number], moved[number] = tags, apart
    gold = frame["tags"].to_list()
    table = robustness.sentences(list(frame["id"]), gold, clean, said, altered, test)
    return table.assign(moved=moved)


def swapped(model, frame: pd.DataFrame, train: pd.DataFrame, seed: int) -> list[pd.DataFrame]:
    """A model's predictions before and after entities were swapped for others of their type.

    Parameters
    ----------
    model : object
        As for `tested`.
    frame, train : DataFrame
        As `corpus.load` gives them. Entities are swapped for those of training, and for others of
        the frame that training does not name; with as many words, and with any number.
    seed : int
        Of the draws.

    Returns
    -------
    list of DataFrame
        As `tested` gives them; none where the tags name no entities: where every word has a type,
        such as parts of speech, and where spans have none, such as key phrases and answers.

    References
    ----------
    Lin et al. (2021), RockNER.

    Examples
    --------
    >>> swapped(None, pd.DataFrame({"tags": [["NN"]]}), pd.DataFrame({"tags": [["NN"]]}), seed=1)
    []
    """
    tags = {tag for side in (train, frame) for tag in side["tags"].explode()}
    if measures.scheme_of(tags) != "bio" or "O" not in tags or tags & {"B", "I"}:
        return []
    known = train["words"], train["tags"]
    new = entities(frame["words"], frame["tags"], without=types_of(*known))
    pools = {False: entities(*known), True: new}
    clean, gold, parts = model.predict(frame), frame["tags"].to_list(), []
    for name, is_new in SWAPS.items():
        for length in LENGTHS:
            given = list(frame["words"]), gold, list(frame["id"]), pools[is_new], seed
            altered = swap_entities(*given, length=length)
            test = f"{name}, {length} length", float("nan")
            parts.append(_tagged(model, frame, clean, altered, test))
    return parts


def outcomes(predictions: pd.DataFrame) -> pd.DataFrame:
    """The rows of a run's predictions, of which metrics and verdicts are made.

    Parameters
    ----------
    predictions : DataFrame
        What `tested` and `swapped` give, together; also as it comes back from a csv file.

    Returns
    -------
    DataFrame
        As `robustness.rows` or `robustness.cells` gives it, with `moved`.

    Examples
    --------
    >>> from tahanuji.tagging.alterations import given_back
    >>> change = [given_back(["Ani", "tidur"], "Nai tidur")]
    >>> tags = [["B-PER", "O"]]
    >>> table = robustness.sentences(["a"], tags, tags, tags, change, ("typos", 0.3))
    >>> outcomes(table.assign(moved=True))["group"].to_list()
    ['tokens', 'tokens', 'spans', 'sentences']
    """
    if "group" in predictions:
        return predictions
    lines = predictions[["gold", "clean"]].fillna("").stack()
    rows = robustness.rows(predictions, _scheme([line.split() for line in lines]))
    moved = predictions[["id", "test", "moved"]].rename(columns={"id": "cluster"})
    return rows.merge(moved, on=["cluster", "test"], validate="many_to_one")


def as_tests(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows on which verdicts rest: gold spans, or cells. Most tokens are outside of any span,
    where little can go wrong: a share of all tokens would hide that half of the spans are lost.

    Parameters
    ----------
    rows : DataFrame
        As `outcomes` gives them.

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
    units = robustness.units(rows)
    kept = units[units["group"].isin(["gold spans", "cells"])].reset_index(drop=True)
    return kept.assign(group="all")


def instruments(predictions: pd.DataFrame) -> dict[str, str]:
    """What was rated for each test: a perturbation for itself; swaps were not.

    Parameters
    ----------
    predictions : DataFrame
        With `test`.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> instruments(pd.DataFrame({"test": ["typos", "new entities, free length"]}))
    {'typos': 'typos'}
    """
    return {test: test for test in predictions["test"].unique() if test in perturb.REGISTRY}


def mixed_up(frame: pd.DataFrame, predicted: list[list[str]]) -> pd.DataFrame:
    """Which tag or label is taken for which other.

    Parameters
    ----------
    frame : DataFrame
        As `corpus.load` gives it.
    predicted : list of list of str
        Tags per sentence, or a label per aspect.

    Returns
    -------
    DataFrame
        gold, predicted, n, share (of the gold ones), the most frequent first; no row where all are
        right.

    Examples
    --------
    >>> frame = pd.DataFrame({"tags": [["B-PER", "O"]]})
    >>> mixed_up(frame, [["O", "O"]]).values.tolist()
    [['B-PER', 'O', 1, 1.0]]
    """
    names = aspects(frame)
    gold = frame[names].to_numpy().tolist() if names else frame["tags"].to_list()
    flat = [[tag for tags in side for tag in tags] for side in (gold, predicted)]
    table = pd.DataFrame(dict(zip(["gold", "predicted"], flat, strict=True)))
    of = table["gold"].value_counts()
    wrong = table[table["gold"] != table["predicted"]].value_counts().rename("n").reset_index()
    return wrong.assign(share=wrong["n"] / wrong["gold"].map(of).astype(float))


def lost_spans(frame: pd.DataFrame, predicted: list[list[str]]) -> pd.DataFrame:
    """The spans that a model does not find, and how it misses them.

    Parameters
    ----------
    frame : DataFrame
        As `corpus.load` gives it.
    predicted : list of list of str
        Tags per sentence.

    Returns
    -------
    DataFrame
        id, type, text (the span's words), said (the type of the predicted span that shares most
        words with it) and how: "missed" (none does), "type", "bounds", or "type and bounds". Empty
        where every token is a span, and for aspects.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a"], "words": [["Ani", "tidur"]], "tags": [["B-PER", "O"]]})
    >>> lost_spans(frame, [["B-LOC", "O"]])[["text", "said", "how"]].values.tolist()
    [['Ani', 'LOC', 'type']]
    """
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
    wrong = {"type": nearest[0] != kind, "bounds": nearest[1:] != (start, end)}
    return row | {
        "said": nearest[0],
        "how": " and ".join(key for key, is_so in wrong.items() if is_so),
    }
