"""The scores of a classifier on the frozen texts, made of the functions that make those of an
audit's notebooks.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from helpers.verdicts import FEWEST
from study.report import decisions
from tahanuji import behaviour, bench, checklist, data, grid, measure, nli
from tahanuji.checklist import expansion, scoring
from tahanuji.nli.scoring import certain
from tahanuji.nli.suite import versions
from tahanuji.results import Results, Run

SEED = 26092020  # of a run's parameters; nothing here draws
TRIPLETS, CASES, PAIRS = "06_formality", "12_checklist", "11_indonli"
NUMBERS = ["value", "lower", "upper", "n", "instrument", "verdict"]
SHOWN = ["shown", "counted", "alone"]  # as `decisions.judged` has them
ABOUT = ["table", "notebook", "test", "type", "quantity", "margin"]
COLUMNS = ["model", *ABOUT, *NUMBERS, *SHOWN, "family", "family_verdict", "foremost"]
Tests = Iterator[tuple[str, pd.DataFrame, dict[str, str], dict[str, tuple[float, float]]]]


def scores(model: str, table: str, classifier) -> pd.DataFrame:
    """What a classifier of a table's texts comes to: COLUMNS, a row per test and margin, and
    without a margin what stands beside them (`wholes`).

    `value` is that of `quantity`, with one-sided 95% bounds; `family_verdict` is the verdict on all
    tests of a family, and `foremost` says whether a test is the costliest of its family,
    of those with `FEWEST` texts.
    """
    frame = bench.read(table)
    tests = of_pairs(classifier, frame) if table == "inference" else of_texts(classifier, frame)
    results = Results("bench", [_run(model, *one) for one in tests])
    judged = decisions.judged(results).assign(table=table)
    parts = [_with_families(part) for _, part in judged.groupby("margin")]
    rows = [(model, table, *about, *one, one.n) for *about, one in wholes(classifier, frame)]
    beside = pd.DataFrame(rows, columns=["model", "table", *ABOUT[2:5], *NUMBERS[:4]])
    return pd.concat([*parts, beside], ignore_index=True)[COLUMNS]


def _with_families(part: pd.DataFrame) -> pd.DataFrame:
    """Verdicts at one margin with the family of every test of robustness, and what it comes to."""
    said = decisions.by_family(part).set_index("family")["said"]
    enough = part[part["n"] >= FEWEST]
    top = decisions.families(enough).set_index(["label", "quantity"])["foremost"]
    part = decisions.with_family(part)
    part["family"] = part["family"].where(part["type"] != "MFT", "").astype(str)
    keys = zip(part["label"], part["quantity"], strict=True)
    return part.assign(
        family_verdict=part["family"].map(said).fillna(""),
        foremost=[bool(top.get(key, False)) for key in keys],
    )


def wholes(classifier, frame: pd.DataFrame) -> Iterator[tuple[str, str, str, measure.Estimate]]:
    """Test, type and quantity of what is no test of its own, with 95% intervals: the accuracy on
    the unchanged texts of each part, and the share of written cases with a known label that fail.
    """
    if "premise" in frame:
        failing = certain(classifier, frame)
        yield "pairs", "MFT", "failures", measure.share_of(failing["failure"], failing["cluster"])
        return
    clean = frame[(frame["type"] == "clean") & frame["label"].isin(classifier.labels)]
    for part, texts in clean.groupby("part", sort=False):
        said = behaviour.rows(classifier, _described(texts), {"same": [None] * len(texts)})
        yield part, "clean", "accuracy", measure.share_of(said["clean_label"] == said["gold"])
    judged = written(classifier, frame)
    counted = judged[judged["counted"] & (judged["test_type"] == "MFT")]
    yield "cases", "MFT", "failures", scoring.clustered(counted, SEED, measure.RESAMPLES)


def of_texts(classifier, frame: pd.DataFrame) -> Tests:
    """The tests of sentiment: notebook, rows, types, and the bounds of instruments."""
    about = bench.read("instruments").set_index("id")
    perturbed = frame[frame["part"] == "perturbed"]
    once = grid.Once(classifier)
    for notebook, own in about.groupby("notebook"):
        rows = [_changed(once, perturbed, test, own.loc[test, "towards"]) for test in own.index]
        bounds = own["bound"].dropna()
        weak = {test: (bound, float("inf")) for test, bound in bounds.items()}
        yield notebook, pd.concat(rows, ignore_index=True), own["type"].to_dict(), weak
    wordings = frame[frame["part"] == "triplets"]
    levels = [test for test in wordings["test"].unique() if test != "formal"]
    rows = [_changed(once, wordings, level, "") for level in levels]
    yield TRIPLETS, pd.concat(rows, ignore_index=True), dict.fromkeys(levels, "INV"), {}
    yield CASES, *checklist.as_tests(written(once, frame)), {}


def written(classifier, frame: pd.DataFrame) -> pd.DataFrame:
    """The cases of both CheckLists as `checklist.judge` gives them."""
    own = cases(frame[frame["part"].isin(["checklist", "regional"])])
    return checklist.judge(own, checklist.predicted(classifier, own), classifier.labels)


def _changed(classifier, frame: pd.DataFrame, test: str, towards: str) -> pd.DataFrame:
    """The rows of one test of a part: its texts beside those that they were made of."""
    new = frame[(frame["test"] == test) & frame["label"].isin(classifier.labels)]
    expected = dict(zip(new["label"], new["expected"].str.split("|").map(set), strict=True))
    old = frame.set_index("id").loc[new["original"]].reset_index()
    texts = {test: list(new["text"])}
    rows = behaviour.rows(classifier, _described(old), texts, expected.__getitem__)
    if towards:
        rows["is_wrong_way"] = behaviour.wrong_way(rows, towards)
    return rows


def cases(frame: pd.DataFrame) -> pd.DataFrame:
    """The cases of CheckLists from their texts, with the columns of `checklist.expand`."""
    changed = frame.set_index("original")["text"]
    originals = frame[frame["original"] == ""]
    renamed = {"test": "capability", "type": "test_type", "group": "family"}
    again = originals["id"].map(changed[changed.index != ""]).fillna("")
    table = originals.rename(columns=renamed).assign(changed=again)
    return table[expansion.COLUMNS].reset_index(drop=True)


def of_pairs(classifier, frame: pd.DataFrame) -> Tests:
    """The tests of inference, as `of_texts` gives those of sentiment."""
    suite = frame[~frame["test"].str.contains(",")].rename(columns={"original": "pair_of"})
    suite = data.describe(suite.reset_index(drop=True), name="bench")
    parts = certain(classifier, suite).assign(kind="MFT"), versions(classifier, suite)
    rows = pd.concat([parts[0], parts[1].assign(kind="INV")], ignore_index=True)
    yield PAIRS, *nli.as_tests(rows), {}


def _described(frame: pd.DataFrame) -> pd.DataFrame:
    return data.describe(frame[["id", "text", "label"]].reset_index(drop=True), name="bench")


def _run(model: str, notebook: str, rows: pd.DataFrame, types: dict, weak: dict) -> Run:
    """Tests as a finished run, of which an audit's decisions are made."""
    given = {"model_name": model, "dataset": "bench", "seed": SEED}
    about = {"notebook": notebook, "parameters": given, "data": []}
    judged = measure.verdicts(rows, types, instrument=weak)
    named = {"model": model, "notebook": notebook, "variant": "default", "dataset": "bench"}
    judged = judged.assign(**named, seed=SEED, title=judged["test"], summary=True)
    return Run(Path("bench", model, notebook, "default"), about, pd.DataFrame(), judged)
