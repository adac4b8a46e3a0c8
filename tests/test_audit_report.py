"""What the report of an audit says otherwise than that of a profile of the project."""

import shutil
from pathlib import Path

import pandas as pd
import pytest
import reports
from pages import parse

from helpers import tables
from study.audit import profile
from study.report import page, report, runs
from tahanuji import data, models, paths, predict

NAME, LEARNT = "zz-milikku", "embedded"
CONVENTIONAL, TYPOS = "02_conventional_metrics", "05_typos"
MODELS = {NAME: "pnppn", "tfidf": "ppnno", "mini": "ppnnn"}


@pytest.fixture(autouse=True)
def outputs(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    return tmp_path


def plain(said: str) -> pd.DataFrame:
    """Predictions of a plain evaluation."""
    frame = reports.sentences(reports.words("ppnno"))
    return predict.classified(frame, reports.chances(reports.words(said)), data.LABELS)


def told(outputs: Path, **more) -> report.Report:
    """The report of an audit of NAME beside two models."""
    for name, said in MODELS.items():
        reports.write(name, CONVENTIONAL, plain(said))
        rows = reports.perturbed("ppnno" * 8, said * 8, {"typos 0.3": "pnppn" * 8})
        reports.write(name, TYPOS, rows.assign(moved=True), judged="INV")
    config = {"profile": reports.PROFILE, "models": list(MODELS), "runs": {}, "left_out": []}
    beside = {"audited": NAME, "learnt": dict.fromkeys(["tfidf", "mini"], LEARNT), **more}
    profile.write(outputs / reports.PROFILE, config | beside)
    return report.of(reports.PROFILE)


def test_models_that_learnt_other_texts_are_shown_and_not_compared(outputs):
    made = told(outputs, compared=False, own_texts=True)
    assert list(made.ranked["model"]) == [NAME] and made.between.empty
    (table,) = made.section("matrix").tables
    heads = list(table.shown)
    assert heads[1] == NAME and f"mini, trained on {LEARNT}" in heads
    said = made.section("details").text
    assert "compared with no other model" in said and "Which model to deploy" not in said
    assert "**mini** withstands" not in said and f"**{NAME}** withstands" in said
    assert "compared with none" in made.section("findings").text


@pytest.mark.parametrize("names", [[NAME], list(MODELS)])
def test_the_appendix_of_an_audit_has_no_empty_table(outputs, names):
    told(outputs)
    for name in set(MODELS) - set(names):
        shutil.rmtree(outputs / reports.PROFILE / name)
    tables = report.of(reports.PROFILE).section("appendix").tables
    assert tables and all(len(table.frame) for table in tables)


@pytest.mark.parametrize(
    ("card", "command", "said"),
    [
        ({"kind": "callable", "source": "a/saya.py:nilai"}, "harden a/saya.py:nilai`", "as it is"),
        ({"kind": "link", "source": "owner/name"}, "harden owner/name --data FOLDER", "trains"),
        ({"kind": "predictions", "source": "a.csv"}, "", "tahanuji.normalise"),
    ],
)
def test_how_an_audited_classifier_is_hardened_is_said_as_it_was_named(
    outputs, card, command, said
):
    (outputs / "kartu").mkdir()
    paths.write_json(outputs / "kartu" / models.CARD, card | {"labels": data.LABELS})
    made = told(outputs, compared=True, checkpoints={NAME: str(outputs / "kartu")})
    for language in ("en", "id"):
        text = made.told_in(language).section("hardening").text
        assert command in text and ("./run_all.sh harden" in text) == bool(command)
        assert said in text or language == "id"
        assert "--against" not in text.split("./run_all.sh harden")[-1] or "link" in card.values()


@pytest.mark.parametrize(("own", "name"), [(True, "komentar"), (False, "texts written for this")])
def test_tested_texts_are_named_without_their_place(outputs, own, name):
    made = told(outputs, compared=True, own_texts=own)
    place = "/somewhere/audit-x/data-1/" + ("komentar" if own else "embedded")
    for run in made.results.runs:
        run.about["parameters"]["dataset"] = place
    assert made.texts.startswith(name) and "somewhere" not in made.texts


def test_what_models_learnt_is_said_in_the_language_of_the_page(outputs):
    made = told(outputs, compared=True, learnt={"tfidf": "the train split of --data"})
    for language, head, texts, unknown in (
        ("en", "tfidf, trained on ", "the train split of --data", "not known here"),
        ("id", "tfidf, dilatih pada ", "bagian train dari --data", "tidak diketahui di sini"),
    ):
        page = made.told_in(language)
        assert head + texts in list(page.section("matrix").tables[0].shown)
        shown = page.section("ranking").tables[0].shown
        assert set(shown["trained on"]) == {texts, unknown}


def test_the_audited_model_comes_first_where_models_are_compared(outputs):
    made = told(outputs, compared=True, own_texts=True)
    assert made.results.models[0] == NAME and len(made.between)
    assert made.ranked["accuracy"].iloc[0] < made.ranked["accuracy"].max()
    (first, *_), (about, *_) = (made.section("ranking").tables[0].shown[name] for name in
                                ("model", "trained on"))  # fmt: skip
    assert (first, about) == (NAME, "not known here")
    assert list(made.section("matrix").tables[0].shown)[1] == NAME
    assert runs.order({*MODELS}, reports.PROFILE)[0] == NAME
    assert "trained on embedded" in made.section("details").points["open"]


def test_an_audit_has_no_claims_and_errata_of_other_peoples_papers(outputs):
    made = told(outputs, compared=False)
    root = parse(page.write(made, outputs / reports.PROFILE / "report"))
    assert "claims" not in [one.attributes["id"] for one in root.all("section")]
    assert "claims" not in made.section("details").points
    assert "errata" not in [table.name for table in made.section("appendix").tables]
    assert "Notebook 90" not in made.section("appendix").text
    assert made.section("claims").tables == [] and not made.section("claims").figures


@pytest.mark.parametrize("own", [True, False])
def test_ratings_are_said_to_be_of_other_texts(outputs, own):
    made = told(outputs, compared=False, own_texts=own)
    for name in ("instruments", "matrix"):
        section = made.section(name)
        assert ("other texts than yours" in section.text + section.legend) == own


def test_a_model_that_answers_nothing_readable_is_told_so_first(outputs):
    told(outputs, compared=False)
    folder = outputs / reports.PROFILE / NAME / CONVENTIONAL / "default"
    metrics = tables.read(folder / "metrics.csv", tables.METRICS)
    mute = metrics[metrics["metric"] == "accuracy"].assign(metric="unparsable_share", value=0.9)
    tables.write(folder / "metrics.csv", pd.concat([metrics, mute]))
    first, *_ = report.of(reports.PROFILE).section("answer").points.values()
    assert first.startswith(f"**{NAME} gives no readable answer** to 90%")
