"""The documents' claims beside the runs of a profile."""

from types import SimpleNamespace

import pandas as pd
import pytest
import reports

from helpers.report import appendix, changes, claims, compare, matrix, published, runs
from tahanuji import behaviour, data

TYPOS, INSERTION, PLAIN = "05_typos", "03_sentence_insertion", "02_conventional_metrics"


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("TAHAN_DATA_CACHE", str(tmp_path / "nothing"))
    monkeypatch.delenv("TAHAN_DATA_MIRROR", raising=False)
    (tmp_path / "outputs" / reports.PROFILE).mkdir(parents=True)


def outcomes() -> pd.Series:
    found = runs.collect(reports.PROFILE)
    table = claims.table(found, matrix.judged(found), 0.1)
    return table.set_index("claim")["outcome"].set_axis(listed()["answer"])


def listed() -> pd.DataFrame:
    return data.read_table(published.FOLDER / "claims.csv")


def test_every_claim_names_a_document_and_an_answer():
    table = listed()
    assert set(table["document"]) == set(published.documents())
    assert set(table["answer"]) == set(claims.ANSWERS)
    assert not table["claim"].duplicated().any()


def test_without_runs_every_claim_is_open():
    assert set(outcomes()) == {"open"}


@pytest.mark.parametrize(
    ("shown", "outcome"),
    [
        ([True, True], "reproduced"),
        ([False], "not reproduced"),
        ([True, False], "mixed"),
        ([True, False, None], "mixed"),
        ([True, None], "reproduced in part"),
        ([None, False], "contradicted in part"),
        ([None], "open"),
        ([], "open"),
    ],
)
def test_models_together_give_an_outcome(shown, outcome):
    assert claims._outcome(shown) == outcome


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("p" * 200, "reproduced"), ("n" * 200, "not reproduced"), ("p" * 20 + "n" * 180, "open")],
)
def test_an_added_sentence_overrides_or_does_not(said, outcome):
    texts, expected = "n" * 200, behaviour.directed("positive")
    rows = reports.perturbed(texts, texts, {"positive": said}, expected=expected)
    reports.write("tfidf", INSERTION, rows)
    assert outcomes()["insertion"] == outcome


def test_indobert_is_compared_with_mbert_where_both_were_run():
    reports.write("indobert", PLAIN, reports.plain("pn" * 100, "pn" * 100))
    assert outcomes()["better_indobert"].tolist() == ["open", "open"]
    reports.write("mbert", PLAIN, reports.plain("pn" * 100, "pnnp" * 50))
    assert outcomes()["better_indobert"].tolist() == ["reproduced", "reproduced"]


def test_a_better_mbert_contradicts_the_claim():
    reports.write("indobert", PLAIN, reports.plain("pn" * 100, "pnnp" * 50))
    reports.write("mbert", PLAIN, reports.plain("pn" * 100, "pn" * 100))
    assert outcomes()["better_indobert"].tolist() == ["not reproduced", "not reproduced"]


def test_a_sentence_counts_the_outcomes():
    table = pd.DataFrame({"outcome": ["open", "reproduced"], "document": ["a", "b"], "models": ""})
    assert claims.sentence(table).startswith("Of 2 claims of 2 documents: 1 reproduced by every")
    fewer = claims.sentence(table.assign(models=["mini", "tfidf"]))
    assert "1 by tfidf alone" in fewer and "mini" not in fewer


def test_a_claim_names_its_models_where_they_are_fewer_than_all():
    said = {"tfidf": ("", True)}
    assert claims._covered(said, ["tfidf"]) == "" == claims._covered({}, [])
    assert claims._covered(said, ["tfidf", "mini"]) == "tfidf"
    assert claims._covered({"indobert and mbert": ("", None)}, ["indobert", "mbert"]) == ""


def test_the_tables_of_a_report_have_names_of_their_own():
    reports.write("tfidf", TYPOS, reports.perturbed("pn", "pn", {"typos 0.3": "pn"}))
    found = runs.collect(reports.PROFILE)
    between, _ = changes.models(found)
    moved = compare.perturbed(found)
    both = [*appendix.published(found, 0.1), *appendix.every(between, moved, found)]
    assert len({table.name for table in both}) == len(both) >= 7
    assert all(table.caption for table in both)


@pytest.mark.parametrize(
    ("verdict", "flips", "shown"),
    [
        ("stands", "stands", True),
        ("stands", "breaks", None),  # errors cancel out, while labels flip
        ("breaks", "breaks", False),
        ("undecided", "undecided", None),
    ],
)
def test_what_stands_on_balance_alone_shows_nothing(verdict, flips, shown):
    row = {"notebook": "05_typos", "test": "typos", "label": "typos", "model": "mini"}
    row |= {"value": 0.03, "lower": 0.0, "upper": 0.07, "verdict": verdict, "flips": flips}
    judged = pd.DataFrame([row | {"quantity": "errors added", "margin": 0.1}])
    nothing = pd.DataFrame(columns=["variant", "group"])
    evidence = claims.Evidence(SimpleNamespace(metrics=lambda: nothing), judged, 0.1)
    ((_, said),) = claims._verdicts(evidence, "05_typos").values()
    assert said is shown
