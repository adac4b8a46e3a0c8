"""What the page shows beyond tables: families of changes with their tests and a picture of what
they cost, skills, and models two by two.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from os.path import commonprefix

import pandas as pd

from helpers import titles
from study import findings
from study.report import charts, decisions, examples, views, words
from study.report.cases import suite
from study.report.cells import Cell, scale
from tahanuji import changes, measure
from tahanuji.checklist import scoring
from tahanuji.measure import Estimate
from tahanuji.results import Run, estimates, select

CHECKLIST, PLAIN = "12_checklist", "plain"  # begins the capabilities without a difficulty
STEPS = 6  # ticks of an axis at most
Key = tuple[str, str]


@dataclass(frozen=True)
class Axis:
    """The ends of an axis in hundredths, 0 and the margin on it."""

    low: float
    high: float
    margin: float

    def place(self, value: float) -> float:
        """Where a value lies, in percent of the axis."""
        return 100 * (value - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[float]:
        """Round values from end to end."""
        step = 0.1 * math.ceil((self.high - self.low) / 0.1 / STEPS)
        first = math.ceil(round(self.low / step, 6)) * step
        return [first + n * step for n in range(int((self.high - first) / step + 1e-6) + 1)]

    @classmethod
    def of(cls, rows: pd.DataFrame, margin: float) -> "Axis":
        """An axis on which the intervals of some verdicts lie, from and to a round value."""
        low = min(0.0, rows["lower"].min(), rows["value"].min())
        high = max(margin, rows["upper"].max(), rows["value"].max())
        return cls(math.floor(10 * low) / 10, math.ceil(10 * high) / 10, margin)


@dataclass(frozen=True)
class Mark:
    """What a test costs a model; `foremost`: the test that costs most of its family."""

    model: str
    test: str
    number: Estimate
    foremost: bool


@dataclass(frozen=True)
class Row:
    """A test of a family: its name and the place of its examples, one example before and after,
    the cells of the models, the validity of its instrument, and by what it is filtered.
    """

    name: Cell
    example: Key | None
    cells: dict[str, Cell]
    valid: str
    capability: str
    said: list[str]

    @property
    def apart(self) -> bool:
        """Whether models come to other verdicts."""
        return len(self.said) > 1


@dataclass(frozen=True)
class Family:
    """A family of changes: marks by quantity for the picture, the verdict of every model on it,
    the test of that verdict with its cost, and all its tests.
    """

    name: str
    marks: dict[str, list[Mark]]
    said: dict[str, Cell]
    rows: list[Row]
    example: Key | None = None


@dataclass(frozen=True)
class Picture:
    """What families of changes cost: its finding, an axis by quantity, and the models shown."""

    title: str
    families: list[Family]
    axes: dict[str, Axis]
    models: list[str]


def picture(report) -> Picture:
    """The families of changes of a report, the costliest first, then those without an INV test."""
    part, shown = report.part, decisions.families(report.own)
    every = decisions.with_family(part[part["type"] != decisions.SKILL])
    said = decisions.by_family(report.own)
    cases = _cases(report.examples)
    order = dict.fromkeys([*shown["family"], *every["family"]])
    made = [
        _family(name, select(shown, family=name), select(every, family=name), said, report, cases)
        for name in order
    ]
    sides = [name for name in report.words["families"]["axes"] if name in set(shown["quantity"])]
    axes = {side: Axis.of(select(shown, quantity=side), report.margin) for side in sides}
    title = charts.headline(shown, report.words["families"])
    return Picture(title, made, axes, list(dict.fromkeys(shown["model"])))


def _family(name, shown, every, said, report, cases: dict[Key, Key]) -> Family:
    marks: dict[str, list[Mark]] = {}
    for row, number in zip(shown.itertuples(), estimates(shown, "lower", "upper"), strict=True):
        mark = Mark(row.model, row.label, number, row.foremost)
        marks.setdefault(row.quantity, []).append(mark)
    rows = list(_rows(every, report, cases))
    first = [cases.get((row.notebook, row.test)) for row in shown[shown["foremost"]].itertuples()]
    example = next(filter(None, [*first, *(row.example for row in rows)]), None)
    verdicts = {
        row.model: _told(select(every, model=row.model), row.said, report)
        for row in select(said, family=name).itertuples()
    }
    named = report.words["families"]["names"]
    own = words.told(report.language, name.replace("_", " "))
    return Family(named.get(name, own), marks, verdicts, rows, example)


def _told(own: pd.DataFrame, said: str, report) -> Cell:
    """A model's verdict on a family, with the cost of the test that decides it."""
    counted = own[own["counted"]]
    asked = counted if said == decisions.STANDS else counted[counted["shown"] == said]
    row = (
        asked.assign(gold=asked["quantity"] == decisions.ADDED)
        .sort_values(["gold", "value"], ascending=False, kind="stable")
        .iloc[0]
    )
    cost = report.words["costs"][row["quantity"]].format(round(100 * row["value"]))
    name = words.told(report.language, row["label"])
    said_by = report.words["verdicts"][said]
    return Cell.of(f"{views.SIGNS[said]} {said_by}: {cost} ({name})", said)


def _rows(every: pd.DataFrame, report, cases: dict[Key, Key]) -> Iterator[Row]:
    """The tests of a family, the costliest first."""
    within = scale(estimates(report.part, "lower", "upper"))
    links = examples.links(every)
    models = list(dict.fromkeys(report.part["model"]))
    cost = every.groupby("label")["value"].transform("mean")
    ordered = every.assign(cost=-cost).sort_values("cost", kind="stable")
    for label, own in ordered.groupby("label", sort=False):
        one = own.drop_duplicates("model").set_index("model")
        first = own.iloc[0]
        key = first["notebook"], first["test"]
        yield Row(
            name=Cell.of(label, href=links.get(label, "")),
            example=cases.get(key),
            cells={name: _cell(one, name, within, report) for name in models},
            valid=views.instrument(own["instrument"].max(), report.language),
            capability=first["capability"].split(":")[0],
            said=sorted({*own.loc[own["counted"], "shown"].replace(decisions.BALANCED, "stands")}),
        )


def _cell(one: pd.DataFrame, model: str, within: tuple, report) -> Cell:
    """A model's cell, with the margin behind the places of its plot."""
    cell = views.verdict(one, model, within, report.language)
    cell.plot += (100 * (report.margin - within[0]) / within[1],) if cell.plot else ()
    return cell


def _cases(picked: pd.DataFrame) -> dict[Key, Key]:
    """An example of every test whose text changes, before and after: the one that changes first."""
    kept = picked[(picked["changed"] != "") & (picked["changed"] != picked["text"])]
    same = [len(commonprefix(pair)) for pair in zip(kept["text"], kept["changed"], strict=True)]
    kept = kept.assign(same=same, size=kept["text"].str.len())
    kept = kept.sort_values(["same", "size"], kind="stable")
    first = kept.drop_duplicates(["notebook", "test"])
    return {(row.notebook, row.test): (row.text, row.changed) for row in first.itertuples()}


@dataclass(frozen=True)
class Skill:
    """A capability of written cases, or a group of them: the share that every model gets right,
    that of the best constant answer, a sentence, and what it holds.
    """

    name: str
    about: str
    right: dict[str, Estimate]
    constant: float | None = None
    example: str = ""
    parts: list["Skill"] = field(default_factory=list)


def skills(report) -> list[Skill]:
    """The groups of capabilities, plain cases first, with their capabilities, the hardest first."""
    runs = report.compared.of(CHECKLIST, "default")
    if not runs:
        return []
    about = suite().capabilities.set_index("capability")["about"]
    cases = select(report.examples, notebook=CHECKLIST).drop_duplicates("test")
    texts = cases.set_index("test")["text"]
    metrics = report.results.select(
        notebook=CHECKLIST, variant="default", group="all", metric="failure_rate"
    )
    constant = _constant(runs[0])
    made = []
    for group in constant.index:
        right = {model: own[group] for model, own in report.right.items() if group in own}
        names = [name for name, own in _groups().items() if own == group]
        parts = []
        for name in names:
            own = _right(select(metrics, test=name), "model")
            said = name.replace("_", " ")
            parts.append(Skill(said, about[name], own, example=texts.get(name, "")))
        parts = sorted(parts, key=lambda one: sum(x.value for x in one.right.values()))
        made.append(Skill(group, "", right, float(constant[group]), parts=parts))
    return made


@dataclass(frozen=True)
class Panel:
    """Skills as a picture: its finding, what its axis counts, and the groups of cases by their
    names for readers, plain ones first.
    """

    title: str
    axis: str
    groups: dict[str, Skill]

    @classmethod
    def of(cls, report) -> "Panel | None":
        """That of a report; None where no model was asked written cases."""
        if not (every := skills(report)):
            return None
        wording, names = report.words["skills"], report.words["page"]["groups"]
        hard = [one for one in every if one.name != PLAIN]
        weak = [
            one for one in hard if all(x.low <= one.constant for x in one.right.values())
        ]  # no model is shown to beat the constant answer
        title = wording["title"].format(weak=len(weak), groups=len(hard))
        return cls(title, wording["axis"], {names.get(one.name, one.name): one for one in every})

    def marks(self, name: str) -> tuple[Axis, list[Mark]]:
        """The axis of a group, with the constant answer for a margin, and a mark per model."""
        one = self.groups[name]
        marks = [Mark(model, name, right, True) for model, right in one.right.items()]
        return Axis(0.0, 1.0, one.constant), marks


@functools.cache
def _groups() -> dict[str, str]:
    """The groups of the capabilities of written cases, those without a difficulty apart."""
    table = suite().capabilities
    written = select(table, test_type="MFT")
    return {
        row.capability: PLAIN if row.capability.startswith(PLAIN) else row.group
        for row in written.itertuples()
    }


def _written(run: Run) -> pd.DataFrame:
    """The written cases of a run with their group as capability."""
    rows = run.predictions()
    rows = rows[(rows["test_type"] == "MFT") & rows["counted"]]
    return rows.assign(capability=rows["capability"].map(_groups())).dropna(subset="capability")


def by_group(runs: list[Run]) -> dict[str, dict[str, Estimate]]:
    """The shares right of the models of some runs by group of capabilities."""
    return {
        run.model: {
            group: _right_of(cases, run.seed)
            for group, cases in _written(run).groupby("capability", sort=False)
        }
        for run in runs
    }


def _right_of(cases: pd.DataFrame, seed: int) -> Estimate:
    failed = scoring.clustered(cases, seed, measure.RESAMPLES)
    return replace(findings.rest(failed), n=len(cases))


def _right(rates: pd.DataFrame, by: str) -> dict[str, Estimate]:
    """The shares right behind some failure rates, by a column."""
    return dict(zip(rates[by], map(findings.rest, estimates(rates)), strict=True))


def _constant(run: Run) -> pd.Series:
    """The share right of the constant answer that is right most often, by group."""
    rows = _written(run)
    allowed = rows["expected"].str.split("|")
    labels = sorted({name for names in allowed for name in names})
    right = pd.DataFrame({name: [name in names for names in allowed] for name in labels})
    best = right.groupby(rows["capability"].to_numpy()).mean().max(axis=1)
    return best.reindex(sorted(best.index, key=lambda name: (name != PLAIN, name)))


@dataclass(frozen=True)
class Pair:
    """Two models on the same rows: tests whose difference is shown, and the others, each with
    `test, first, second, difference, detectable`.
    """

    first: str
    second: str
    differs: list[dict]
    alike: list[dict]

    @property
    def least(self) -> float:
        """The difference that half of the tests without one would have shown."""
        return pd.Series([one["detectable"] for one in self.alike], dtype=float).median()


def pairs(report) -> list[Pair]:
    """Every two models that answered the same rows, on unchanged texts and under the changes that
    have a verdict (skills stand by themselves), most comparisons first.
    """
    made, between = [], report.between
    clean = (between["variant"] == "default") & (between["test"] == changes.CLEAN)
    judged = report.own[report.own["type"] != decisions.SKILL]
    between = between[clean | decisions.of_tests(between, judged)]
    for (first, second), own in between.groupby(["first", "second"], sort=False):
        own = own.sort_values("difference", key=abs, ascending=False, kind="stable")
        differs, alike = (list(_compared(rows)) for rows in decisions.told_apart(own))
        made.append(Pair(first, second, differs, alike))
    return sorted(made, key=lambda one: -len(one.differs) - len(one.alike))


def _compared(rows: pd.DataFrame) -> Iterator[dict]:
    for row, number in zip(rows.itertuples(), estimates(rows, value="difference"), strict=True):
        plain = row.test == changes.CLEAN
        name = titles.title(row.notebook, row.test) if plain else ""
        yield {
            "test": name or decisions.label(row.notebook, row.test, row.variant),
            "first": Estimate(row.first_change),
            "second": Estimate(row.second_change),
            "difference": number,
            "better": row.second if row.difference > 0 else row.first,
            "detectable": float("nan") if row.detectable is None else row.detectable,
        }
