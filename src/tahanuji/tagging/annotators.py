"""Spans that annotators wrote down, as tags, and how far two annotators agree."""

import pandas as pd

from tahanuji import measure
from tahanuji.errors import InputError
from tahanuji.measure import COLUMNS, RESAMPLES
from tahanuji.tagging.measures import Tags, evaluation

ANNOTATIONS = ["id", "rater", "span", "type", "note"]


def annotated(sentences: pd.DataFrame, rows: pd.DataFrame) -> list[list[str]]:
    """The tags of sentences in BIO by the spans of one annotator.

    `sentences` has `id` and `words`; `rows` has `id`, `span` (words with a blank between) and
    `type`: a row per span, in the order of the text where the same words stand twice; one with an
    empty span for a sentence without any. InputError for a sentence without a row, for an id that
    no sentence has, and for a span that is not there, or only within another one.

    >>> one = pd.DataFrame({"id": ["a"], "words": [["bu", "Ani", "tidur"]]})
    >>> annotated(one, pd.DataFrame({"id": ["a"], "span": ["bu Ani"], "type": ["PER"]}))
    [['B-PER', 'I-PER', 'O']]
    """
    written = dict(list(rows.groupby("id")))
    if lacking := sorted(set(sentences["id"]) - set(written)):
        raise InputError(
            f"{len(lacking)} sentences have no row, the first is {lacking[0]}; give one with an "
            f"empty span for a sentence without entities."
        )
    if strange := sorted(set(written) - set(sentences["id"])):
        raise InputError(f"no sentence has the id {strange[0]}; give those of the sentences.")
    return [
        _tags(example, words, written[example])
        for example, words in zip(sentences["id"], sentences["words"], strict=True)
    ]


def _tags(example: str, words: list[str], rows: pd.DataFrame) -> list[str]:
    """The tags of a sentence."""
    tags = ["O"] * len(words)
    for span, name in zip(rows["span"], rows["type"], strict=True):
        parts = span.split()
        if not parts:
            continue
        ends = range(len(parts), len(words) + 1)
        free = [
            end - len(parts)
            for end in ends
            if words[end - len(parts) : end] == parts and set(tags[end - len(parts) : end]) == {"O"}
        ]
        if not free:
            raise InputError(
                f"{example} has no words {span!r} outside other spans; copy them as they stand."
            )
        place = slice(free[0], free[0] + len(parts))
        tags[place] = [f"B-{name}", *[f"I-{name}"] * (len(parts) - 1)]
    return tags


def agreement(first: Tags, second: Tags, seed: int, resamples: int = RESAMPLES) -> pd.DataFrame:
    """How far two annotators of the same sentences agree, in `measure.COLUMNS` with intervals over
    sentences.

    Group all: `micro_f1` of spans, which is the same whoever comes first (n spans of the first),
    `token_accuracy`, `sentence_accuracy` (all tags the same) and `kappa` of tokens; each type `f1`.
    Without a number of things that nobody marked, F1 takes the place of kappa (Hripcsak and
    Rothschild, 2005, *Agreement, the F-measure, and reliability in information retrieval*).

    >>> table = agreement([["B-PER", "O"]] * 9, [["B-PER", "O"]] * 9, seed=1, resamples=50)
    >>> float(table.set_index(["group", "metric"])["value"].loc["all", "kappa"])
    1.0
    """
    table = evaluation(first, second, seed, test="annotators", resamples=resamples)
    shown = ["micro_f1", "token_accuracy", "sentence_accuracy", "f1"]
    sides = [[tag for tags in side for tag in tags] for side in (first, second)]
    names = sorted(set(sides[0] + sides[1]))
    clusters = [number for number, tags in enumerate(first) for _ in tags]
    kappa = measure.kappa(*sides, names, seed, resamples, clusters)
    row = "annotators", float("nan"), "all", "kappa", *kappa, len(clusters)
    parts = [table[table["metric"].isin(shown)], pd.DataFrame([row], columns=COLUMNS)]
    return pd.concat(parts, ignore_index=True)
