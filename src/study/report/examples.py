"""Examples of every test: texts before and after the change, with what the models answered."""

from dataclasses import dataclass

import pandas as pd

from helpers import notebooks, titles
from study.report import cases, runs
from study.report.cases import suite
from tahanuji import (
    behaviour,
    checklist,
    data,
    downloads,
    families,
    measure,
    paths,
    perturb,
)
from tahanuji.codemix import results as mixed
from tahanuji.codemix import translators
from tahanuji.errors import InputError
from tahanuji.families import FAIRNESS
from tahanuji.instrument import MIXING, Instrument, instrument
from tahanuji.perturb import formality
from tahanuji.results import Results, Run, select

SHIPPED = "embedded", "test"  # texts of the project's own
PAIRS, REGISTERS = "12_checklist", "16_registers"
EACH = 3  # examples of a test
MIXED = 40  # texts in which words are exchanged, for examples of mixing
LONGEST = 240  # characters of a text; a longer one is taken only where there is no other


def anchor(notebook: str, test: str) -> str:
    """The place of a test's examples on the page, for links to it.

    >>> anchor("04_negation", "gak")
    'example-04_negation-gak'
    """
    return f"example-{paths.slug(notebook)}-{paths.slug(test)}"


def links(judged: pd.DataFrame) -> dict[str, str]:
    """Where the name of each test of some verdicts leads to: its examples."""
    keys = judged[["label", "notebook", "test"]].drop_duplicates("label")
    return {name: f"#{anchor(*about)}" for name, *about in keys.itertuples(index=False)}


def chosen(results: Results) -> pd.DataFrame:
    """Up to three cases of every test with the answers of all models (`cases.COLUMNS`, a row per
    case and model): first one that a model loses, then one that all keep, then another that is
    lost. Of tests at several rates those at the rates that summaries show.
    """
    parts = []
    for notebook in results.notebooks:
        asked = [part for run in results.of(notebook, "default") if len(part := _asked(run))]
        if asked:
            parts += [
                _of_test(of_test)
                for _, of_test in pd.concat(asked, ignore_index=True).groupby("test", sort=False)
            ]
    there = {(one["notebook"].iloc[0], one["test"].iloc[0]) for one in parts}
    parts += [*_unasked(results, there), *_written(results, there)]
    columns = [*cases.COLUMNS, "place", "lost"]
    none = pd.DataFrame(columns=columns).astype({"lost": bool})
    return pd.concat(parts, ignore_index=True) if parts else none


def _unasked(results: Results, there: set[tuple[str, str]]) -> list[pd.DataFrame]:
    """Examples of the tests of instruments that have none of `there`: the project's own texts,
    changed as the test changes its texts, without an answer of a model. Nothing is downloaded for
    them: those that need a file that is not here have none.
    """
    texts = data.load(*SHIPPED)
    texts = texts[texts["text"].str.len() <= LONGEST].sort_values(
        "id", key=lambda ids: ids.map(cases.draw)
    )
    parts = []
    for notebook in results.notebooks:
        made = {}
        about = [run for run in results.of(notebook) if results.main_task(run)]
        for run in sorted(about, key=lambda run: run.variant != "default"):
            for test in {*run.metrics["test"].dropna()} - {*made}:
                made[test] = _instrument(notebook, test, run.parameters)
        for test, one in sorted(made.items()):
            needs = one.entry.needs.get("id", ()) if one and one.entry else ()
            if one and (notebook, test) not in there and all(map(downloads.at_hand, needs)):
                part = texts[:MIXED] if one.perturbation == MIXING else texts
                part = part.assign(changed=one.apply(part, 1))
                part = part.iloc[_harmed(part)] if one.perturbation == MIXING else part
                rate = one.rate if one.perturbation == MIXING else one.table_rate
                parts.append(_bare(part, notebook, test, measure.title(test, rate)))
        if notebook == REGISTERS:
            pairs = select(cases.triplets(), test="informal", dialect="none")
            pairs = pairs.rename(columns={"perturbed": "changed"})
            parts.append(_bare(pairs, notebook, "informal", "informal"))
    return [part for part in parts if len(part)]


def _instrument(notebook: str, test: str, asked: dict) -> Instrument | None:
    """What makes a test of a notebook out of any text, by the parameters of its run; of an attack
    its exchange of words, which needs no model; None where texts were written for the test.
    """
    if notebook == "03_sentence_insertion":
        added = {
            "sentence": asked.get(f"{test}_sentence"),
            "position": asked.get("position", "end"),
        }
        return instrument("insertion", test=test, **added) if added["sentence"] else None
    if notebook == "04_negation":
        return instrument("negation", test=test, variant=test, word=asked.get("word", "tidak"))
    into = "en" if test == mixed.MADE else test.removesuffix(" random")
    if notebook == families.MIXING and into in translators.NAMES:
        return instrument(MIXING, test=test, into=into)
    return Instrument(test) if test in {*perturb.names(), "typos"} else None


def _harmed(part: pd.DataFrame) -> pd.Index:
    """The places of rows, those first whose change takes a sentiment word, as an attack does."""
    known = behaviour.sentiment_words()
    pairs = zip(part["text"].str.split(), part["changed"].str.split(), strict=True)
    spared = pd.Series([known.isdisjoint({*old} - {*new}) for old, new in pairs])
    return spared.sort_values(kind="stable").index


def _bare(part: pd.DataFrame, notebook: str, test: str, title: str) -> pd.DataFrame:
    """The first texts that change as examples of a test, without an answer of a model."""
    bare = dict.fromkeys(["model", "type", "expected", "before", "after"], "")
    part = part[part["changed"].notna() & (part["changed"] != part["text"])][:EACH]
    about = {"notebook": notebook, "test": test, "title": title, "lost": False}
    return part.assign(**about, **bare, place=range(len(part)))


def _written(results: Results, there: set[tuple[str, str]]) -> list[pd.DataFrame]:
    """Examples of the written capabilities that were asked and have none of `there`: cases of the
    suite as it is now, without an answer of a model.
    """
    parts, bare = [], dict.fromkeys(["model", "type", "before", "after"], "")
    for notebook in results.notebooks:
        about = notebooks.every().get(notebook)
        if not about or about.texts != "cases":
            continue
        asked = {test for run in results.of(notebook) for test in run.metrics["test"]}
        cases = checklist.expand(suite(), cases=EACH)
        for test, own in cases.groupby("capability", sort=False):
            if test in asked and (notebook, test) not in there:
                part = own[:EACH].assign(notebook=notebook, test=test, title=test, **bare)
                parts.append(part.assign(place=range(len(part)), lost=False))
    return parts


def _asked(run: Run) -> pd.DataFrame:
    """The cases of a run that have a text: all that it asked, or where predictions.csv has no texts
    those that it lost.
    """
    if not cases.publishable(run):
        return pd.DataFrame()
    for name in ("predictions", "misclassified"):
        try:
            asked = cases.cases(run, name)
        except InputError:
            continue
        asked = asked[(asked["text"] != "") & (asked["group"] == "all")]
        changes = (asked["changed"] != "") & (asked["changed"] != asked["text"])
        asked = asked[changes | (asked["type"] == "MFT")]
        if len(asked):
            main = run.main(asked)
            return main if len(main) else asked
    return pd.DataFrame()


def _of_test(asked: pd.DataFrame) -> pd.DataFrame:
    """The rows of the cases chosen of one test."""
    case = ["title", "id", "text", "changed"]
    whole = asked.assign(lost=[_lost(row) for row in asked.itertuples()])
    each = whole.groupby(case, sort=False)["lost"].any().reset_index()
    each["long"] = each["text"].str.len() > LONGEST
    each["draw"] = each["id"].map(cases.draw)
    each = each.sort_values(["long", "draw"], kind="stable").drop_duplicates("id")
    lost, kept = each[each["lost"]], each[~each["lost"]]
    first = pd.concat([lost[:1], kept[:1], lost[1:EACH], kept[1:EACH]])[:EACH]
    order = {tuple(row): number for number, row in enumerate(first[case].itertuples(index=False))}
    keys = [tuple(row) for row in whole[case].itertuples(index=False)]
    whole = whole.assign(place=[order.get(key, -1) for key in keys])
    return whole[whole["place"] >= 0].sort_values("place", kind="stable")


def _lost(row) -> bool:
    """Whether an answer is a failure that the text or its change brought about."""
    if row.type == "DIR":
        return False  # predictions.csv says it in probabilities, not in labels
    if row.type == "INV":
        return row.before != row.after
    right = row.expected.split("|")
    return row.after not in right and (row.type == "MFT" or row.before in right)


def alike(picked: pd.DataFrame) -> dict[tuple[str, str], tuple[str, str]]:
    """A text before and after the change of every test of which the project has one of its own, by
    notebook and test: the first example of `chosen`, else one of its written pairs or triplets.
    """
    pairs = checklist.expand(suite(), cases=1)
    triplets = formality.load("embedded")
    frames = [triplets[["formal", level]].assign(test=level) for level in formality.LEVELS[1:]]
    frames = [one.set_axis(["text", "changed", "test"], axis=1) for one in frames]
    own = [pairs.assign(notebook=PAIRS, test=pairs["capability"])]
    own += [one.assign(notebook=cases.TRIPLETS) for one in frames]
    whole = pd.concat([picked, *own])
    whole = whole[(whole["changed"] != "") & (whole["text"] != whole["changed"])]
    first = whole.drop_duplicates(["notebook", "test"])
    return {(row.notebook, row.test): (row.text, row.changed) for row in first.itertuples()}


def table(picked: pd.DataFrame) -> pd.DataFrame:
    """One example of every notebook, before and after, for a notebook."""
    columns = ["notebook", "title", "text", "changed", "model", "before", "after"]
    return picked.drop_duplicates("notebook")[columns].rename(columns={"title": "test"})


@dataclass(frozen=True)
class Case:
    """A text before and after its change, and what every model answered."""

    text: str
    changed: str
    expected: str
    answers: list[dict]


@dataclass(frozen=True)
class Test:
    """The cases of a test, its name, and its place on the page."""

    name: str
    place: str
    cases: list[Case]


def by_notebook(picked: pd.DataFrame) -> dict[str, list[Test]]:
    """The examples of `chosen` test by test, by the question of their notebook."""
    return {
        runs.question(notebook).replace("*", ""): [
            _test(notebook, rows["title"].iloc[0], rows, test)
            for test, rows in own.groupby("test", sort=False)
        ]
        for notebook, own in picked.groupby("notebook", sort=True)
    }


def foremost(picked: pd.DataFrame) -> Test | None:
    """One failure for the page's first screen: of the texts on which a change that leaves the right
    label alone costs most models their answer the shortest, those first on which it moves them all
    from one label to one other; swaps of names and groups, and what may not be shown, are left out.
    """
    kinds = {name: about.test_type for name, about in notebooks.every().items()}
    kind = picked["type"].where(picked["type"] != "", picked["notebook"].map(kinds))
    swaps = picked["test"].str.startswith(FAIRNESS)
    lost = picked[picked["lost"] & (picked["changed"] != "") & (kind == "INV") & ~swaps]
    if lost.empty:
        return None
    case = ["notebook", "test", "title", "place"]
    lost = lost.assign(move=lost["before"] + " " + lost["after"], length=lost["text"].str.len())
    about = {"models": ("model", "nunique"), "moves": ("move", "nunique")}
    each = lost.groupby(case, sort=False).agg(**about, length=("length", "first")).reset_index()
    most = each[each["models"] == each["models"].max()]
    best = most.sort_values(["moves", "length"], kind="stable").iloc[0]
    rows = select(picked, **{name: best[name] for name in case})
    return _test(best["notebook"], best["title"], rows, best["test"])


def _test(notebook: str, title: str, rows: pd.DataFrame, test: str) -> Test:
    cases = [_case(own) for _, own in rows.groupby("place", sort=True)]
    return Test(titles.title(notebook, title), anchor(notebook, test), cases)


def _case(rows: pd.DataFrame) -> Case:
    first = rows.iloc[0]
    answers = rows if first["model"] else rows.iloc[:0]
    return Case(first["text"], first["changed"], first["expected"], answers.to_dict("records"))


def bare(results: Results, picked: pd.DataFrame) -> dict[str, str]:
    """The tests without an example, which links from the matrix lead to as well: {place: name}."""
    there = set(zip(picked["notebook"], picked["test"], strict=True))
    absent: dict[str, str] = {}
    for run in [run for run in results.runs if run.variant == "default"]:
        behavioural = run.metrics[run.metrics["metric"].isin(["flip_rate", "failure_rate"])]
        for test in dict.fromkeys(behavioural["test"].dropna()):
            if (run.notebook, test) not in there:
                absent[anchor(run.notebook, test)] = titles.title(run.notebook, test)
    return absent
