"""A grid of perturbations on one task: texts, predictions, agreement with the clean predictions
(Romero Alvarado, 2023, sections 3.5 and 4.2).
"""

import random

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, measure, perturb
from tahanuji.errors import InputError, sentence
from tahanuji.measure import robustness
from tahanuji.perturb import units

Test = str | tuple[str, float]  # a perturbation's name, with its rate where it has several
ERRORS = ["test", "error"]
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


def settings(names: list[str]) -> list[Test]:
    """The tests of a grid: name and rate, or the name alone where a perturbation has one rate.

    >>> settings(["twitter", "keyboard"])
    ['twitter', ('keyboard', 0.01), ('keyboard', 0.05), ('keyboard', 0.1)]
    """
    return [
        (name, rate) if len(perturb.rates(name)) > 1 else name
        for name in names
        for rate in perturb.rates(name)
    ]


def texts(
    frame: pd.DataFrame,
    names: list[str],
    seed: int,
    language: str = "id",
    options: dict[str, dict] | None = None,
) -> tuple[dict, pd.DataFrame]:
    """The perturbed texts of every test, None where it does not apply, and a table `test, error` of
    texts at which a perturbation broke.

    Such a text stays as it is in that test, named and counted, and the grid goes on. `options` by
    name go to the perturbations.
    """
    functions = {
        name: perturb.make(name, language, **(options or {}).get(name, {})) for name in names
    }
    perturbed, errors = {}, []
    for test in settings(names):
        name, rate = test if isinstance(test, tuple) else (test, perturb.rates(test)[0])
        title = measure.title(*test) if isinstance(test, tuple) else test
        perturbed[test] = perturb.apply(guarded(functions[name], title, errors), frame, rate, seed)
    return perturbed, pd.DataFrame(errors, columns=ERRORS)


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
    classifier, frame: pd.DataFrame, perturbed: dict[Test, list], precision: str = "fp32"
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
    for follows, expected in ((False, behaviour.invariant), (True, turned)):
        tests = {test: texts for test, texts in perturbed.items() if directional(test) == follows}
        if tests:
            parts.append(behaviour.rows(once, frame, tests, expected, precision))
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


def directional(name: str) -> bool:
    """Whether a perturbation is a DIR test, in which the label should follow the change and a low
    kappa is therefore no fault; False for unknown names.

    >>> directional("reversed_negation"), directional("keyboard"), directional("typos")
    (True, False, False)
    """
    entry = perturb.REGISTRY.get(name)
    return entry is not None and entry.test_type == "DIR"


def invariant(name: str) -> bool:
    """Whether a perturbation is an INV test, of which level means and rankings may be made; False
    for one that changes meaning and for unknown names.

    >>> invariant("keyboard"), invariant("verb_form"), invariant("reversed_negation")
    (True, False, False)
    """
    entry = perturb.REGISTRY.get(name)
    return entry is not None and entry.test_type == "INV"


def types(names: list[str], labels: list[str]) -> dict[str, str]:
    """The type of every perturbation that can be judged, INV or DIR: none of one that changes
    meaning, and none of reversed negation where the labels are not those of sentiment.

    >>> types(["keyboard", "reversed_negation", "verb_form"], ["entailment", "neutral"])
    {'keyboard': 'INV'}
    >>> types(["reversed_negation"], ["positive", "negative"])
    {'reversed_negation': 'DIR'}
    """
    kinds = {name: perturb.REGISTRY[name].test_type for name in names}
    judged = {"INV", "DIR"} if data.of_sentiment(labels) else {"INV"}
    return {name: kind for name, kind in kinds.items() if kind in judged}


def middle(name: str) -> Test:
    """The test of a perturbation at its middle rate, or at the only one.

    >>> middle("keyboard"), middle("synonym_wordnet"), middle("twitter")
    (('keyboard', 0.05), ('synonym_wordnet', 0.2), 'twitter')
    """
    tests = settings([name])
    return tests[len(tests) // 2]


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
    if not len(values):
        return (float("nan"),) * 3
    if clusters is None:
        clusters = np.arange(len(values))
    sums, counts = measure.kinds(np.stack([values, np.ones(len(values))], axis=1), clusters)
    drawn = measure.replicate(lambda times: np.divide(*(times @ sums).T), counts, seed)
    return float(values.mean()), *measure.interval(drawn)


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
    whole = measured[(measured["group"] == "all") & measured["test"].map(invariant)]
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
