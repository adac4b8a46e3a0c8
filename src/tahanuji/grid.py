"""A grid of perturbations on one task: texts, predictions, agreement with the clean predictions
(Romero Alvarado, 2023, sections 3.5 and 4.2).
"""

import random
from collections.abc import Iterable

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, measure, perturb
from tahanuji.errors import InputError, sentence
from tahanuji.instrument import Instrument
from tahanuji.measure import robustness
from tahanuji.perturb import units

ERRORS = ["test", "error"]
OF = {"character": "characters", "word": "words", "other": "tokens"}  # what an achieved share is of
FOURTEEN = tuple(
    name for name, entry in perturb.REGISTRY.items() if entry.source.startswith("Romero")
)


class Once:
    """A classifier that is asked once for every distinct text, over all calls: what a perturbation
    leaves alone costs nothing.
    """

    def __init__(self, classifier):
        self.classifier, self.labels, self.answers = classifier, classifier.labels, {}

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, labels); `answers` keeps those of every text asked for."""
        new = [text for text in dict.fromkeys(texts) if (precision, text) not in self.answers]
        if new:
            self.answers |= {
                (precision, text): row
                for text, row in zip(
                    new, self.classifier.predict_proba(new, precision), strict=True
                )
            }
        return np.array(
            [self.answers[precision, text] for text in texts], dtype=np.float32
        ).reshape(len(texts), len(self.labels))


def drawn(frame: pd.DataFrame, rows: int, seed: int) -> pd.DataFrame:
    """So many rows of a frame, drawn by seed and id, in the order of the frame; 0, or more than
    there are: the frame. InputError for less than 0.

    >>> list(drawn(pd.DataFrame({"id": ["a", "b", "c", "d"]}), 2, seed=1)["id"])
    ['a', 'c']
    """
    if rows < 0:
        raise InputError(f"a number of rows is 0 (all) or more, not {rows}.")
    if not 0 < rows < len(frame):
        return frame
    keys = pd.Series(
        [perturb.key(seed, f"row {example}") for example in frame["id"]], index=frame.index
    )
    return frame.loc[keys.sort_values().index[:rows].sort_values()].reset_index(drop=True)


def changed(
    frame: pd.DataFrame, instruments: list[Instrument], seed: int
) -> tuple[dict[Instrument, list], pd.DataFrame]:
    """The changed texts of every instrument, None where it does not apply, and a table `test,
    error` of texts at which it broke.

    Such a text stays as it is in that test, named and counted, and the grid goes on.
    """
    texts, errors = {}, []
    for one in instruments:
        function = perturb.make(one.perturbation, one.language, **dict(one.options))
        safe = guarded(function, measure.title(one.test, one.table_rate), errors)
        texts[one] = perturb.apply(safe, frame, one.rate, seed)
    return texts, pd.DataFrame(errors, columns=ERRORS)


def guarded(function: perturb.Function, test: str, errors: list[tuple]) -> perturb.Function:
    """The function, but a text at which it breaks counts as one that it does not apply to, and
    `errors` says so.
    """

    def safe(text: str, rate: float, rng: random.Random) -> str | None:
        try:
            return function(text, rate, rng)
        except InputError:
            raise
        except Exception as error:
            about = f"({data.text_hash(text)}, {len(text)} characters)"
            errors.append((test, f"{sentence(error)} {about}"))
            return None

    return safe


def reversed_expected(gold: str) -> set[str]:
    """DIR: the labels that are right once every clause says the opposite; positive and negative are
    left, any other label may stay or go.

    >>> sorted(reversed_expected("positive"))
    ['negative', 'neutral']
    """
    return {"positive": {"neutral", "negative"}, "negative": {"neutral", "positive"}}.get(
        gold, set(data.LABELS)
    )


def rows(
    classifier, frame: pd.DataFrame, texts: dict[Instrument, list], precision: str = "fp32"
) -> pd.DataFrame:
    """The rows of `behaviour.rows` for all tests, with `achieved`, the share of the text's own
    units that really changed (0 to 1).

    Reversed negation is a DIR test where the labels are those of sentiment (`data.of_sentiment`);
    of other tasks nothing is expected of it but what comes out.
    """
    once = classifier if isinstance(classifier, Once) else Once(classifier)
    everything = set(classifier.labels)
    turned = reversed_expected if data.of_sentiment(everything) else lambda _: everything
    parts = []
    for follows, accepts in ((False, behaviour.invariant), (True, turned)):
        tests = {one: new for one, new in texts.items() if (one.test_type == "DIR") == follows}
        if tests:
            parts.append(behaviour.rows(once, frame, tests, accepts, precision))
    together = pd.concat(parts, ignore_index=True)
    together["achieved"] = [round(share, 6) for share in shares(together)]
    together.attrs = parts[0].attrs
    return together


def shares(table: pd.DataFrame) -> list[float]:
    """The achieved share of every row, of both sentences where the examples are pairs."""
    unit = [perturb.REGISTRY[test].level for test in table["test"]]
    if "text_pair" not in table:
        return [
            units.achieved(*row)
            for row in zip(unit, table["text"], table["perturbed"], strict=True)
        ]
    sides = (
        zip(unit, table[text], table[new], strict=True)
        for text, new in (("text", "perturbed"), ("text_pair", "perturbed_pair"))
    )
    return [
        (units.achieved(*one) + units.achieved(*other)) / 2
        for one, other in zip(*sides, strict=True)
    ]


def kind(name: str) -> str:
    """The test type of a perturbation: INV, DIR (the label should follow the change, and a low
    kappa is no fault) or meaning; empty for an unknown name.

    >>> kind("reversed_negation"), kind("keyboard"), kind("verb_form")
    ('DIR', 'INV', 'meaning')
    """
    entry = perturb.REGISTRY.get(name)
    return entry.test_type if entry else ""


def types(names: Iterable[str], labels: list[str]) -> dict[str, str]:
    """The type of every perturbation that can be judged, INV or DIR: none of one that changes
    meaning, and none of reversed negation where the labels are not those of sentiment.

    >>> types(["keyboard", "reversed_negation", "verb_form"], ["entailment", "neutral"])
    {'keyboard': 'INV'}
    """
    judged = {"INV", "DIR"} if data.of_sentiment(labels) else {"INV"}
    return {name: kind(name) for name in names if kind(name) in judged}


def metrics(table: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """The rates of `measure.behaviour`, and per test the agreement of clean and perturbed
    predictions, and `achieved_rate`.

    kappa, Cohen's, is over all texts, as in the thesis; kappa_changed and ac1, Gwet's, are over the
    texts that were changed, and so is achieved_rate, the mean share of units changed. All have
    bootstrap intervals over rows, over clusters where rows belong together.
    """
    agreement = []
    for key, part in measure.by_test(table):
        touched = part[part["changed"]]
        of = {"kappa": (measure.kappa, part), "kappa_changed": (measure.kappa, touched)}
        for name, (measured, rows) in (of | {"ac1": (measure.ac1, touched)}).items():
            said = rows["clean_label"], rows["perturbed_label"]
            value = measured(*said, labels, seed, clusters=rows.get("cluster"))
            agreement.append((*key, name, *value, len(rows)))
        value = mean(touched["achieved"].to_numpy(), seed, touched.get("cluster"))
        agreement.append((*key, "achieved_rate", *value, len(touched)))
    return pd.concat(
        [measure.behaviour(table), pd.DataFrame(agreement, columns=measure.COLUMNS)],
        ignore_index=True,
    )


def mean(values: np.ndarray, seed: int, clusters=None) -> tuple[float, float, float]:
    """The mean of some values and its 95% bootstrap interval, over clusters where rows belong
    together; NaN without values.
    """
    return tuple(measure.ratio(values, np.ones(len(values)), seed, clusters))


def idle(measured: pd.DataFrame) -> list[str]:
    """The perturbations of a run's metrics that changed texts and no probability of the model: it
    cannot see them, as word case where a model lower-cases.
    """
    whole = measured[measured["group"] == "all"]
    shares = whole.groupby(["test", "metric"])["value"].max().unstack()
    if "moved_share" not in shares:
        return []
    return list(shares.index[(shares["moved_share"] == 0) & (shares["changed_share"] > 0)])


def cells(measured: pd.DataFrame, task: str) -> pd.DataFrame:
    """A run's metrics as a grid for `robustness`: `model, task, perturbation, level, kappa,
    changed, rate`, a row per INV test, without what cannot act on the model: not to see a change
    is not to be robust to it.
    """
    kinds = {name: entry.level for name, entry in perturb.REGISTRY.items()}
    whole = measured[(measured["group"] == "all") & (measured["test"].map(kind) == "INV")]
    whole = whole[~whole["test"].isin(idle(measured))]
    parts = [
        whole.loc[whole["metric"] == metric, ["model", "test", "rate", "value"]].rename(
            columns={"value": name, "test": "perturbation"}
        )
        for metric, name in (("kappa", "kappa"), ("changed_share", "changed"))
    ]
    table = parts[0].merge(parts[1], on=["model", "perturbation", "rate"])
    table = table.assign(task=task, level=table["perturbation"].map(kinds))
    table = table.sort_values(["model", "perturbation", "rate"], kind="stable")
    return table[[*robustness.GRID, "rate"]].reset_index(drop=True)


def level_of(name: str) -> str:
    """The level of a perturbation: character, word or other."""
    return perturb.REGISTRY[name].level


def asked(name: str, rate: float) -> str:
    """How much of a text a test asks for, in words; a perturbation without a rate for all places.

    >>> asked("keyboard", 0.05), asked("synonym_wordnet", 0.2), asked("twitter", float("nan"))
    ('5% of characters', '20% of words', 'all places')
    """
    return f"{rate:.0%} of {OF[level_of(name)]}" if rate == rate else "all places"


def label(name: str) -> str:
    """The name of a perturbation in charts and tables; a DIR test and one that changes meaning are
    marked, because there a low kappa is no fault.

    >>> label("keyboard"), label("reversed_negation"), label("verb_form")
    ('keyboard', 'reversed_negation (DIR)', 'verb_form (changes meaning)')
    """
    kind = perturb.REGISTRY[name].test_type if name in perturb.REGISTRY else "INV"
    return name + {"DIR": " (DIR)", "meaning": " (changes meaning)"}.get(kind, "")


def rated(tests: pd.DataFrame) -> pd.Series:
    """Which rows of tests have no rate, or one at which readers rated the outputs, or a lower."""
    most = [Instrument(test).rate for test in tests["test"]]
    return tests["rate"].isna() | (tests["rate"] <= most)


def at_rated(cells: pd.DataFrame) -> pd.Series:
    """Which cells of a grid have no rate, or the one at which readers rated their perturbation.

    >>> cells = pd.DataFrame({"perturbation": "ocr", "rate": [0.01, 0.05, 0.1]})
    >>> at_rated(cells).to_list()
    [False, True, False]
    """
    own = [Instrument(name).rate for name in cells["perturbation"]]
    return cells["rate"].isna() | (cells["rate"] == own)


def against(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Two tests of the same rows, rate by rate: flipped labels, their difference, the least one
    that would have been shown, exact McNemar `p`, and `q`, p after Benjamini and Hochberg over the
    rates; no row where a test is missing.
    """
    flips = {key: part["flip"].to_numpy() for key, part in rows.groupby(["test", "rate"])}
    compared = []
    for rate in [rate for test, rate in flips if test == first and (second, rate) in flips]:
        both = flips[first, rate], flips[second, rate]
        tested, least = measure.compare(*both), measure.least_paired(both)
        shares = both[0].mean(), both[1].mean(), tested["difference"]
        compared.append((rate, len(both[0]), *shares, least, tested["p"]))
    columns = ["rate", "n", first, second, "difference", "least", "p"]
    table = pd.DataFrame(compared, columns=columns)
    return table.assign(q=measure.benjamini_hochberg(table["p"]))


def scores(cells: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Kappa weighted by the share of texts changed, by perturbation and by level (Romero Alvarado,
    2023, Tables 27 and 28): of the fourteen of the thesis, without capitals, which ask of the
    tokenizer, and of those that change at least half of the texts; each at the rate that readers
    rated.
    """
    cells = cells[at_rated(cells)]
    fourteen = cells[cells["perturbation"].isin(FOURTEEN)]
    kept = fourteen[fourteen["perturbation"] != "word_case"]
    often = robustness.frequent(fourteen)
    levels = {"all": kept, "changing at least half of the texts": often}
    by_level = {name: robustness.by_level(part)["score"] for name, part in levels.items()}
    table = pd.concat(by_level, axis=1).rename_axis(columns="score over")
    return robustness.by_perturbation(cells).reset_index(), table
