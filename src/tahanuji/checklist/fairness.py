"""Pairs that exchange a group, beside pairs that exchange another word of the same text.

Two things are told apart. Unsteadiness is that answers flip, in whichever direction; it is judged
beside a control, the same texts with another word exchanged for one of its own list. Bias is a
direction: the probability of negative rises for one group against the others.
"""

import re
from collections.abc import Iterator

import pandas as pd
from scipy.stats import t

from tahanuji import data, measure, paths
from tahanuji.checklist.answers import predicted
from tahanuji.checklist.reading import FOLDER
from tahanuji.measure.shares import standard_error

NEGATIVE, FEWEST = "p_negative", 5  # templates; fewer show no direction
COLUMNS = ["control_label", "first_group", "second_group"]


def controls(cases: pd.DataFrame) -> pd.DataFrame:
    """The cases whose template has a control (`controls.csv`), their `control` texts, and the
    groups (`groups.csv`) that the original and the changed version name; empty where it is none.

    >>> from tahanuji import checklist
    >>> found = controls(checklist.expand(checklist.read(), cases=1))
    >>> found.query("id == 'fairness_gender/s04/1'")["control"].item()
    'Bupati pria itu memberikan jawaban yang mengecewakan.'
    """
    listed = _read("controls").set_index("id")["words"]
    named = _read("groups").groupby("capability")
    groups = {name: dict(part[["word", "group"]].to_numpy()) for name, part in named}
    kept = cases[(cases["capability"] + "/" + cases["template"]).isin(listed.index)]
    words = listed[kept["capability"] + "/" + kept["template"]].str.split("|")
    texts = [_exchanged(*row) for row in zip(kept["text"], words, kept["id"], strict=True)]
    pairs = [_named(row.text, row.changed, groups[row.capability]) for row in kept.itertuples()]
    sides = pd.DataFrame(pairs, kept.index, ["first_group", "second_group"])
    return kept.assign(control=texts, **sides)


def _read(name: str) -> pd.DataFrame:
    return data.read_table(paths.ROOT / FOLDER / f"{name}.csv")


def _exchanged(text: str, words: list[str], case: str) -> str:
    """A text whose first of these words became another one, which one by the case's number."""
    found = next(word for word in words if re.search(rf"\b{word}\b", text))
    others = [word for word in words if word != found]
    other = others[int(case.rpartition("/")[2]) % len(others)]
    return re.sub(rf"\b{found}\b", other, text, count=1)


def _named(first: str, second: str, groups: dict[str, str]) -> list[str]:
    """The groups that the words name in which two versions differ.

    >>> _named("Pelayan prianya pergi.", "Pelayan wanitanya pergi.", {"pria": "men"})
    ['men', '']
    """
    sides = [first.split(), second.split()]
    while sides[0][0] == sides[1][0]:
        sides = [words[1:] for words in sides]
    while sides[0][-1] == sides[1][-1]:
        sides = [words[:-1] for words in sides]
    known = {word.lower(): group for word, group in groups.items()}
    longest = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    found = [re.search(rf"\b({longest})(nya)?\b", " ".join(words).lower()) for words in sides]
    return [known[hit[1]] if hit else "" for hit in found]


def with_controls(judged: pd.DataFrame, classifier, precision: str = "fp32") -> pd.DataFrame:
    """Judged cases with COLUMNS: what a classifier answers to the control of a case, and the groups
    that its versions name; missing where a case has none.
    """
    found = controls(judged)
    asked = found.assign(text=found["control"], changed="")
    answers = predicted(classifier, asked, precision).set_index("id")["label"]
    found = found.set_index("id").assign(control_label=answers)
    return judged.join(found[COLUMNS], on="id")


def rates(judged: pd.DataFrame, seed: int, resamples: int) -> list[tuple]:
    """Unsteadiness and bias of judged cases with controls, as rows of `measure.COLUMNS`.

    Of every capability `control_flip_rate`, the share of controls that get another answer, and
    `excess_flip_rate`, the pairs that flip less the controls that do, paired, with a bootstrap over
    templates. Of every group with probabilities and FEWEST templates `negative_rise`, how much more
    probable negative is where a text names it and not another group (t interval over templates),
    and `negative_rise_p`, two-sided, after Holm's correction over all groups. Of two groups the
    first is told: the other is its mirror.
    """
    kept = judged[judged["control_label"].notna() & judged["counted"].astype(bool)]
    rows = []
    for capability, part in kept.groupby("capability", sort=False):
        control = part["control_label"] != part["label"]
        for metric, events in (
            ("control_flip_rate", control.astype(int)),
            ("excess_flip_rate", part["failure"].astype(int) - control),
        ):
            sums = events.groupby(part["template"]).agg(["sum", "size"])
            one = measure.ratio(sums["sum"], sums["size"], seed, resamples=resamples, pooled=False)
            rows.append((capability, float("nan"), "all", metric, *one, len(part)))
    return rows + _directions(kept)


def _directions(kept: pd.DataFrame) -> list[tuple]:
    if NEGATIVE not in kept:
        return []
    tested = [one for _, part in kept.groupby("capability", sort=False) for one in _rises(part)]
    corrected = measure.holm([p for *_, p in tested])
    rows = []
    for (capability, group, *rise, n, _), p in zip(tested, corrected, strict=True):
        key = capability, float("nan"), group
        rows.append((*key, "negative_rise", *rise, n))
        rows.append((*key, "negative_rise_p", p, float("nan"), float("nan"), n))
    return rows


def _rises(part: pd.DataFrame) -> Iterator[tuple]:
    """Per group of a capability `capability, group, value, low, high, n, p`."""
    told = part[part["first_group"].ne(part["second_group"])]
    told = told[told[["first_group", "second_group"]].fillna("").ne("").all(axis=1)]
    groups = sorted({*told["first_group"], *told["second_group"]})
    for group in groups[:1] if len(groups) == 2 else groups:
        own = told[(told["first_group"] == group) | (told["second_group"] == group)]
        rise = own[f"changed_{NEGATIVE}"] - own[NEGATIVE]
        rise = rise.where(own["second_group"] == group, -rise).to_numpy(float)
        if own["template"].nunique() >= FEWEST:
            yield part["capability"].iloc[0], group, *_mean(rise, list(own["template"]))


def _mean(values, clusters: list[str]) -> tuple[float, float, float, int, float]:
    """A mean over rows in clusters with its 95% interval, n, and p of its being 0."""
    error, number = standard_error(values, clusters)
    mean, reach = float(values.mean()), float(t.ppf(0.975, number - 1)) * error
    p = 2 * float(t.sf(abs(mean) / error, number - 1)) if error else float(mean == 0)
    return mean, mean - reach, mean + reach, len(values), p
