"""Anyone's classifier and file through the audit's command: what works, and the one sentence where
something does not.
"""

import codecs
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pandas as pd
import pytest
import safetensors.torch
import torch
from conftest import ROOT, run_all

from helpers import parameters, tables
from study import __main__ as study
from study import graph, profiles, reads, run
from study.audit import classifiers, command, files, profile, texts
from study.audit import labels as naming
from tahanuji import data, downloads, models, paths, training
from tahanuji.errors import InputError
from tahanuji.harden import defences
from tahanuji.models import outside
from tahanuji.perturb import negation
from tahanuji.proof import smoothed

MAIN = run.main
ROWS = [
    ("kuahnya gurih , porsinya banyak", "positive"),
    ("pesanan tertukar dan tidak ada yang minta maaf", "negative"),
    ("loket tutup pukul empat sore", "neutral"),
    ("kasurnya empuk , tidur jadi nyenyak", "positive"),
]
FUNCTION = """
def labels(texts):
    return ["negatif" if "tidak" in text else "Positif" for text in texts]
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch) -> Iterator[Path]:
    """The folder that the command is called from, with a function; runs go below outputs/."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setenv("TAHAN_CALLED_FROM", str(tmp_path))
    (tmp_path / "penilai.py").write_text(FUNCTION, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)  # what functions add is taken back with it
    monkeypatch.setattr(command.run, "main", lambda words: 0)
    yield tmp_path
    for name in ("penilai", "fungsi"):
        sys.modules.pop(name, None)


def audit(capsys, *words: str) -> dict:
    """The profile that the command wrote."""
    name = command.prepare(command.parser().parse_args(words))
    capsys.readouterr()
    return paths.read_yaml(profiles.configuration(name))


def refused(capsys, *words: str) -> str:
    """The sentence with which the command refuses."""
    assert study.main(["audit", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.count("\n") == printed.err.strip().count("\n") + 1
    return printed.err


def rows(config: dict) -> list[tuple[str, str]]:
    frame = data.load(config["dataset"], "test")
    return list(zip(frame["text"], frame["label"], strict=True))


def content(header: str, separator: str = ",", ending: str = "\n") -> str:
    lines = [separator.join(f'"{cell}"' for cell in row) for row in ROWS]
    return ending.join([header, *lines]) + ending


GOOD = {
    "plain": (content("text,label").encode(), []),
    "other names": (content("sentence,sentiment").encode(), []),
    "named": (content("ulasan,nilai").encode(), ["--text", "ulasan", "--label", "nilai"]),
    "semicolons": (content("text;label", ";").encode(), []),
    "tabs in a csv": (content("text\tlabel", "\t").encode(), []),
    "windows": (content("text,label", ending="\r\n").encode(), []),
    "byte order mark": (codecs.BOM_UTF8 + content("text,label").encode(), []),
    "utf-16": (content("text,label").encode("utf-16"), []),
    "cp1252": (content("text,label").encode("cp1252"), ["--encoding", "cp1252"]),
    "numbers": (
        content("text,label")
        .replace('"positive"', "2")
        .replace('"neutral"', "1")
        .replace('"negative"', "0")
        .encode(),
        ["--map", "0=negative,1=neutral,2=positive"],
    ),
    "indonesian": (
        content("text,label").replace("tive", "tif").replace("neutral", "Netral").encode(),
        [],
    ),
    "more columns": (
        ("no," + content("text,label").replace("\n", "\n7,").removesuffix("7,")).encode(),
        [],
    ),
}


@pytest.mark.parametrize("kind", GOOD)
def test_a_file_in_any_dress_gives_the_same_rows(capsys, here, kind):
    written, options = GOOD[kind]
    (here / "ulasan.csv").write_bytes(written)
    labels = ["--labels", "positive,neutral,negative"]
    config = audit(capsys, "penilai:labels", "--data", "ulasan.csv", *labels, *options)
    assert rows(config) == ROWS


def test_quotes_line_breaks_and_signs_stay_in_the_texts(capsys, here):
    hostile = [
        ('katanya "pasti balik" ,\nternyata bohong', "negative"),
        ("=HYPERLINK(0) <b>bagus</b> \x07 é 😀", "positive"),
        ("sama persis", "positive"),
        ("sama persis", "positive"),
        ("panjang " * 30_000, "negative"),
    ]
    pd.DataFrame(hostile, columns=["text", "label"]).to_csv(here / "x.csv", index=False)
    assert rows(audit(capsys, "penilai:labels", "--data", "x.csv")) == hostile


def test_a_carriage_return_inside_a_text_breaks_no_csv(capsys, here):
    lines = [{"text": f"{text}\r", "label": label} for text, label in ROWS]
    (here / "x.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    config = audit(capsys, "penilai:labels", "--data", "x.jsonl")
    assert rows(config) == [(f"{text}\n", label) for text, label in ROWS]
    outside.Recorder(here, data.LABELS, {}).predict_proba(["satu\rdua", "tiga"])
    assert texts.gather(here, here / "texts.txt") == 2
    sent = pd.read_csv(here / "texts.txt")
    assert set(sent["text"]) == {"satu\rdua", "tiga"}


def test_one_class_is_a_test_set_too(capsys, here):
    pd.DataFrame(ROWS[:1] * 3, columns=["text", "label"]).to_csv(here / "x.csv", index=False)
    config = audit(capsys, "penilai:labels", "--data", "x.csv")
    assert rows(config) == ROWS[:1] * 3
    assert data.labels(config["dataset"]) == data.LABELS


def test_a_hundred_thousand_rows_become_a_sample(capsys, here):
    many = pd.DataFrame(ROWS * 25_000, columns=["text", "label"])
    many["text"] += " " + many.index.astype(str)
    many.to_csv(here / "x.csv", index=False)
    config = audit(capsys, "penilai:labels", "--data", "x.csv", "--quick")
    counts = data.load(config["dataset"], "test")["label"].value_counts()
    assert 200 < counts.sum() < 300
    assert abs(counts["positive"] - counts.sum() / 2) <= 1
    assert any("of 100000 test texts" in left for left in config["left_out"])


BAD = {
    "encoding": ("text,label\nsudah lamakah é,positive\n".encode("cp1252"), [], "is not UTF-8"),
    "unknown encoding": (
        b"text,label\nya,positive\n",
        ["--encoding", "cp12"],
        "no encoding 'cp12'",
    ),
    "no columns": (b"ulasan,nilai\nya,positive\n", [], "--text COLUMN --label COLUMN"),
    "no such column": (b"text,label\nya,positive\n", ["--text", "isi"], "no column 'isi'"),
    "no label": (b"text,label\nya,\nitu,positive\n", [], "rows 2 have no label"),
    "no text": (b"text,label\n ,positive\n", [], "rows 2 have no text"),
    "no rows": (b"text,label\n", [], "no rows that take part"),
    "empty": (b"", [], "is empty"),
    "another label": (b"text,label\nya,lucu\n", [], "the labels lucu"),
    "more cells": (b"text,label\nya, mantap, pak,positive\n", [], "more cells than columns"),
    "spreadsheet": (b"PK\x03\x04\x00\x00\x08\x00text,label\n\x00", [], "no text file"),
    "wrong map": (b"text,label\nya,positive\n", ["--map", "0"], "'0' is none"),
    "a map of semicolons": (b"text,label\nya,0\n", ["--map", "0=a;1=b"], "'0=a;1=b' is none"),
    "a map of two": (b"text,label\nya,0\n", ["--map", "0=positive=1"], "is none"),
    "named twice": (b"text,label\nya,0\n", ["--map", "0=negative,0=positive"], "'0' twice"),
    "all left out": (b"text,label\nya,1\n", ["--map", "1=-"], "no rows that take part"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_file_that_cannot_be_used_gets_one_sentence(capsys, here, kind):
    written, options, said = BAD[kind]
    (here / "x.csv").write_bytes(written)
    assert said in refused(capsys, "penilai:labels", "--data", "x.csv", *options)
    assert not (here / "outputs").exists()


def test_files_that_are_missing_or_too_large_are_refused(capsys, here, monkeypatch):
    assert "no file" in refused(capsys, "penilai:labels", "--data", "nowhere.csv")
    monkeypatch.setattr(files, "LARGEST", 5)
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    assert "a sample of its rows" in refused(capsys, "penilai:labels", "--data", "x.csv")


def test_a_row_is_found_again_by_the_users_own_id(capsys, here):
    table = pd.DataFrame(ROWS, columns=["text", "label"])
    for column, own in (({}, ["2", "3", "4", "5"]), ({"id": list("abcd")}, list("abcd"))):
        table.assign(**column).to_csv(here / "x.csv", index=False)
        place = audit(capsys, "penilai:labels", "--data", "x.csv")["dataset"]
        kept = pd.read_csv(Path(place) / "test.csv", dtype=str)
        assert kept["own_id"].tolist() == own
        assert list(data.load(place, "test")) == ["id", "text", "label"]


def test_endings_may_be_in_capitals(capsys, here):
    table = pd.DataFrame(ROWS, columns=["text", "label"])
    table.to_json(here / "X.JSONL", orient="records", lines=True)
    table.to_csv(here / "X.TSV", sep="\t", index=False)
    for name in ("X.JSONL", "X.TSV"):
        assert rows(audit(capsys, "penilai:labels", "--data", name)) == ROWS


def test_rows_can_be_left_out_by_their_label(capsys, here):
    (here / "x.csv").write_text("text,label\nya,spam\nitu bagus,positive\n", encoding="utf-8")
    config = audit(capsys, "penilai:labels", "--data", "x.csv", "--map", "spam=-")
    assert rows(config) == [("itu bagus", "positive")]


def test_a_label_whose_rows_are_left_out_is_still_the_models(capsys, here):
    folders.classifier(here / "m", "bert", data.LABELS)
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    answer = '["neutral"] * len(texts)'
    (here / "fungsi.py").write_text(f"def f(texts):\n    return {answer}\n", encoding="utf-8")
    for model in ("m", "fungsi:f"):
        config = audit(capsys, model, "--data", "x.csv", "--map", "neutral=-")
        assert {label for _, label in rows(config)} == {"positive", "negative"}
        assert data.labels(config["dataset"]) == data.LABELS


# Classifiers


def probabilities(config: dict, texts: list[str]) -> pd.DataFrame:
    """What the audited classifier says, as the notebooks load it."""
    folder = config["checkpoints"][config["audited"]]
    labels = data.labels(config["dataset"])
    return pd.DataFrame(models.load(folder, labels).predict_proba(texts), columns=labels)


def test_labels_go_by_name_and_not_by_position(capsys, here):
    texts = [text for text, _ in ROWS]
    folders.classifier(here / "a", "bert", ["positive", "neutral", "negative"])
    folders.classifier(here / "b", "bert", ["Negatif", "Netral", "Positif"])
    first, second = (probabilities(audit(capsys, name), texts) for name in "ab")
    np.testing.assert_allclose(first["positive"], second["negative"], atol=1e-6)
    np.testing.assert_allclose(first["neutral"], second["neutral"], atol=1e-6)
    assert (first["positive"] - second["positive"]).abs().max() > 0.01


@pytest.mark.parametrize("model_name", ["tfidf", "mini-scratch"])
@pytest.mark.parametrize(
    "names", [["negatif", "netral", "positif"], ["Neutral", "Negative", "Positive"]]
)
def test_checkpoints_of_the_project_go_by_what_their_labels_mean(capsys, here, model_name, names):
    sample, meant = [text for text, _ in ROWS], {name: naming.meant(name, {}) for name in names}
    classifier = models.build(model_name, names)
    if model_name == "tfidf":
        frame = data.load("embedded", "train").head(90)
        gold = frame["label"].map({label: name for name, label in meant.items()})
        own, job = frame.assign(label=gold), training.Job("tfidf", "embedded", here, seed=1)
        training.fit_tfidf(job, classifier, own, own, {}, here)
    models.save(classifier, here / "best", model_name=model_name)
    expected = pd.DataFrame(classifier.predict_proba(sample), columns=names).rename(columns=meant)
    said = probabilities(audit(capsys, "best", "--name", "m"), sample)
    assert list(said) == data.LABELS
    np.testing.assert_allclose(said, expected[data.LABELS], atol=1e-6)


def test_a_hardened_checkpoint_is_audited_behind_its_normaliser(capsys, here):
    plain = models.load(folders.classifier(here / "plain", "bert", data.LABELS), data.LABELS)
    defences.save(plain, here / "best", "normaliser", half=None)
    config, texts = audit(capsys, "best"), ["sgt enakkk bgt", "sangat enak banget"]
    said = probabilities(config, texts).to_numpy()
    assert (said[0] == said[1]).all()
    raw = plain.predict_proba(texts)
    np.testing.assert_allclose(said[1], raw[1], atol=1e-6)
    assert abs(raw[0] - raw[1]).max() > 0.001
    defences.save(plain, here / "best", "normaliser", half="hardening")
    other = audit(capsys, "best")["checkpoints"]["best"]
    assert other != config["checkpoints"]["best"], "another half is another classifier"


def test_labels_without_a_name_want_a_map(capsys, here):
    folders.classifier(here / "m", "bert", None)
    said = refused(capsys, "m")
    assert "--map, such as LABEL_0=negative,LABEL_1=neutral,LABEL_2=positive" in said
    config = audit(capsys, "m", "--map", "LABEL_0=negative,LABEL_1=neutral,LABEL_2=positive")
    given = folders.classifier(here / "n", "bert", ["negative", "neutral", "positive"])
    texts = [text for text, _ in ROWS]
    expected = models.load(given, data.LABELS).predict_proba(texts)
    np.testing.assert_allclose(probabilities(config, texts), expected, atol=1e-6)
    other = audit(capsys, "m", "--map", "label_0=negatif,label_1=netral,label_2=Positif")
    assert other["checkpoints"] == config["checkpoints"]
    twice = "LABEL_0=negative,LABEL_1=negative,LABEL_2=positive"
    assert "mean the same" in refused(capsys, "m", "--map", twice)


@pytest.mark.parametrize(
    ("model", "labels", "said"),
    [
        ("penilai:labels", ["0", "1"], "--map, such as 0=negative,1=positive;"),
        ("penilai:labels", ["0", "1", "2"], "such as 0=negative,1=neutral,2=positive;"),
        ("penilai:labels", ["negatives", "positives", "lucu"],
         "such as lucu=LABEL,negatives=negative,positives=positive;"),
        ("jamak", ["positive"], "negatives=negative,neutrals=neutral,positives=positive"),
    ],
)  # fmt: skip
def test_unknown_names_are_answered_with_a_map(capsys, here, model, labels, said):
    folders.classifier(here / "jamak", "bert", ["negatives", "neutrals", "positives"])
    frame = pd.DataFrame({"text": map(str, range(len(labels))), "label": labels})
    frame.to_csv(here / "x.csv", index=False)
    refusal = refused(capsys, model, "--data", "x.csv")
    assert said in refusal and "=-" not in refusal.replace("NAME=-", "")
    proposed = next(word for word in refusal.split() if "=" in word and "NAME" not in word)
    proposed = proposed.strip(",;.").replace("=LABEL", "=-")
    assert audit(capsys, model, "--data", "x.csv", "--map", proposed)["dataset"]


def test_names_may_be_mapped_to_themselves(capsys, here):
    folders.classifier(here / "jamak", "bert", ["negatives", "neutrals", "positives"])
    (here / "x.csv").write_text("text,label\nya,negatives\n", encoding="utf-8")
    own = "negatives=negatives,neutrals=neutrals,positives=positives"
    config = audit(capsys, "jamak", "--data", "x.csv", "--map", own)
    assert data.labels(config["dataset"]) == ["negatives", "neutrals", "positives"]


def test_two_labels_are_tested_where_two_make_sense(capsys, here):
    folders.classifier(here / "dua", "bert", ["negative", "positive"])
    config = audit(capsys, "dua")
    assert data.labels(config["dataset"]) == ["positive", "negative"]
    splits = [set(data.load(config["dataset"], split)["label"]) for split in data.SPLITS]
    assert splits == [{"positive", "negative"}] * 3
    assert {"03_sentence_insertion", "06_formality", "12_checklist"} <= config["runs"].keys()
    assert any("they are neutral" in left for left in config["left_out"])
    assert any("labelnya neutral" in left for left in config["left_out_id"])


def test_another_task_runs_what_is_not_about_sentiment(capsys, here):
    folders.classifier(here / "benci", "bert", ["hate", "none"])
    assert "give yours with --data" in refused(capsys, "benci")
    (here / "t.csv").write_text("tweet,label\ndasar bodoh,hate\nselamat pagi,none\n", "utf-8")
    config = audit(capsys, "benci", "--data", "t.csv")
    assert config["models"] == ["benci"] and "01_finetune" not in config["runs"]
    assert not {"03_sentence_insertion", "06_formality", "12_checklist"} & config["runs"].keys()
    assert sum("03_sentence_insertion" in left for left in config["left_out"]) == 1


def test_pairs_run_what_takes_pairs(capsys, here):
    folders.classifier(here / "nli", "bert", ["entailment", "neutral", "contradiction"])
    row = "premise,hypothesis,label\nia tidur,ia bangun,contradiction\n"
    (here / "p.csv").write_text(row, encoding="utf-8")
    config = audit(capsys, "nli", "--data", "p.csv")
    assert list(config["runs"]) == ["02_conventional_metrics", "07_perturbation_grid"]


def test_texts_without_the_word_leave_out_negation(capsys, here):
    (here / "x.csv").write_text("text,label\nkuahnya gurih,positive\n", encoding="utf-8")
    config = audit(capsys, "penilai:labels", "--data", "x.csv")
    assert "04_negation" not in config["runs"]
    assert any("no test text has the word tidak" in left for left in config["left_out"])
    with pytest.raises(InputError, match="none of 1 texts has the word 'tidak'"):
        negation.having(data.load(config["dataset"], "test"), "tidak")


def test_a_folder_with_all_splits_trains_the_models_beside_it(capsys, here):
    folders.classifier(here / "benci", "bert", ["hate", "none"])
    for split in data.SPLITS:
        path = here / "tugas" / f"{split}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("text,label\ndasar bodoh,hate\nselamat pagi,none\n", "utf-8")
    config = audit(capsys, "benci", "--data", "tugas")
    assert config["models"] == ["benci", "tfidf", "mini"]
    assert trainings(config) == {("tfidf", "default"), ("mini", "default")}
    assert set(config["learnt"].values()) == {"the train split of --data"} and config["compared"]


def trainings(config: dict) -> set[tuple[str, str]]:
    """The trainings of the models beside an audit's; it has none of its own."""
    assert not any(run[1] == "01_finetune" for run in profiles.planned(config))
    beside = paths.read_yaml(profiles.configuration(config["beside"]))
    return {(model, variant) for model, _, variant in profiles.planned(beside)}


def test_alone_leaves_the_other_models_out(capsys, here):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    for more in ([], ["--data", "x.csv"]):
        config = audit(capsys, "penilai:labels", "--alone", *more)
        assert config["models"] == ["labels"] and not config["beside"]
    assert {path.name for path in (here / "outputs").iterdir()} == {"audit-labels"}


def test_further_perturbations_are_asked_for_by_name(capsys, here):
    """They stand in a variant of their own: the study's grid stays as it is."""
    for more in ([], ["--quick"]):
        plain = audit(capsys, "penilai:labels", *more)["runs"]
        asked = audit(capsys, "penilai:labels", "--perturbations", "slang, laughter", *more)["runs"]
        grid = asked.pop("07_perturbation_grid")
        default = plain.pop("07_perturbation_grid")
        assert asked == plain and grid.pop("by_name") == default["default"] | {
            "perturbations": "laughter, slang"
        }
        assert grid == default
    assert "did you mean 'slang'" in refused(capsys, "penilai:labels", "--perturbations", "slank")


def test_certificates_are_asked_for_by_prove(capsys, here):
    for more in ([], ["--quick"]):
        plain, proved = (
            audit(capsys, "penilai:labels", *more, *asked) for asked in ([], ["--prove"])
        )
        asked = {"samples": 100} if more else {}
        assert proved["runs"].pop("19_certificates") == {"default": asked}
        assert proved["runs"] == plain["runs"]
        assert "19_certificates/*" in proved["only"]["labels"]


def test_a_quick_proof_can_certify_two_and_three_edits():
    asked = paths.read_yaml(profile.PLANNED)["quick_prove"]["19_certificates"]["default"]["samples"]
    rate = parameters.declared(ROOT / "notebooks/19_certificates.ipynb")["deletion_rate"].default
    reach = {
        equal: smoothed.radius(smoothed.least_lead([equal, asked - equal, 0], 0), 20, rate)
        for equal in (91, 92, 98, 99, asked)
    }
    assert reach == {91: 1, 92: 2, 98: 2, 99: 3, 100: 3}


def test_models_beside_it_are_kept_for_audits_of_the_same_training_texts(capsys, here):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    one = audit(capsys, "penilai:labels", "--data", "x.csv")
    (here / "y.csv").write_text(content("text,label") + "baru,neutral\n", encoding="utf-8")
    other = audit(capsys, "penilai:labels", "--data", "y.csv", "--name", "lain")
    assert one["beside"] == other["beside"] and one["dataset"] != other["dataset"]
    places = [config["checkpoints"]["mini"] for config in (one, other)]
    assert [*places[0].values()] == [*places[1].values()]
    two = ["--labels", "positive,negative"]
    pair = audit(capsys, "penilai:labels", *two)
    assert pair["beside"] == audit(capsys, "penilai:labels", *two, "--name", "b")["beside"]
    assert pair["beside"] != one["beside"]
    of_two = Path(paths.read_yaml(profiles.configuration(pair["beside"]))["dataset"])
    assert set(data.load(str(of_two), "train")["label"]) == {"positive", "negative"}


def test_a_run_tests_the_kept_model_on_each_data_set(capsys, here, monkeypatch):
    monkeypatch.setattr(downloads, "at_hand", lambda part: True)
    made = graph.Graph(audit(capsys, "penilai:labels"))
    for variant in ("default", "smsa"):
        said = made.values("mini", "05_typos", variant)
        assert f"neighbours-embedded/mini/01_finetune/{variant}/checkpoint/best" in said
    assert not made.checkpoints("mini", "05_typos", "default")


def test_kept_models_are_trained_once_and_a_failure_ends_the_command(capsys, here, monkeypatch):
    config, asked = audit(capsys, "penilai:labels"), []
    monkeypatch.setattr(run, "has_gpu", lambda: False)
    monkeypatch.setattr(run, "wait_for", lambda words, extra: asked.append(words) or 1)
    assert run.beside(config["beside"], ["--executor", "x"]) == 1
    monkeypatch.setattr(run, "study", lambda *words: 0)
    assert MAIN([config["profile"], "--executor", "x"]) == 1  # not 0 of the study
    marks = graph.Graph(paths.read_yaml(profiles.configuration(config["beside"]))).finished
    assert asked[0][: len(marks) + 1] == ["snakemake", *marks] and len(asked) == 2
    for mark in map(Path, marks):
        mark.parent.mkdir(parents=True)
        paths.write_json(mark, {"read": {"README.md": reads.digest("README.md")}})
    assert run.beside(config["beside"], []) == 0 and len(asked) == 2


def test_the_embedded_corpus_and_smsa_where_it_is_at_hand(capsys, here, monkeypatch):
    folders.classifier(here / "m", "bert", data.LABELS)
    for there, variants in ((True, {"default", "smsa"}), (False, {"default"})):
        monkeypatch.setattr(downloads, "at_hand", lambda part, there=there: there)
        config = audit(capsys, "m")
        assert config["dataset"] == "embedded"
        assert set(config["runs"]["02_conventional_metrics"]) == variants
        assert {variant for _, variant in trainings(config)} == variants


@pytest.mark.parametrize("ending", data.ENDINGS)
def test_a_folder_may_hold_each_split_in_any_form(capsys, here, ending):
    (here / "tugas").mkdir()
    table = pd.DataFrame(ROWS, columns=["text", "label"])
    table.to_json(here / "tugas/test.jsonl", orient="records", lines=True)
    for path in (here / f"tugas/{split}.{ending}" for split in ("train", "valid")):
        if ending == "jsonl":
            table.to_json(path, orient="records", lines=True)
        else:
            table.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    config = audit(capsys, "penilai:labels", "--data", "tugas")
    assert rows(config) == ROWS and data.available(config["dataset"]) == list(data.SPLITS)
    assert len(data.load(config["dataset"], "train")) == len(ROWS)


def test_a_folder_with_two_files_of_a_split_or_no_test_is_refused(capsys, here):
    (here / "tugas").mkdir()
    words = ["penilai:labels", "--data", "tugas"]
    assert "tugas holds no test.csv, test.tsv or test.jsonl" in refused(capsys, *words)
    for name in ("test.jsonl", "train.csv", "train.tsv"):
        (here / "tugas" / name).write_text(content("text,label"), encoding="utf-8")
    assert "tugas holds train.csv and train.tsv" in refused(capsys, *words)


def test_another_classifier_or_other_texts_make_other_runs(capsys, here):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    first = audit(capsys, "penilai:labels", "--data", "x.csv")
    assert audit(capsys, "penilai:labels", "--data", "x.csv") == first
    (here / "penilai.py").write_text(FUNCTION + "\n# changed\n", encoding="utf-8")
    assert audit(capsys, "penilai:labels", "--data", "x.csv")["checkpoints"] != first["checkpoints"]
    (here / "x.csv").write_text(content("text,label") + "baru,neutral\n", encoding="utf-8")
    assert audit(capsys, "penilai:labels", "--data", "x.csv")["dataset"] != first["dataset"]


def test_classifiers_that_cannot_be_had_get_one_sentence(capsys, here):
    assert "there is no classifier 'nowhere'" in refused(capsys, "nowhere")
    folders.base(here / "encoder", "bert")
    assert "no trained classification head" in refused(
        capsys, "encoder", "--map", "LABEL_0=negative,LABEL_1=positive"
    )
    folders.classifier(here / "acar", "bert", data.LABELS)
    (here / "acar/model.safetensors").rename(here / "acar/pytorch_model.bin")
    assert "pickles are never loaded" in refused(capsys, "acar")
    (here / "kosong").mkdir()
    assert "holds no config.json" in refused(capsys, "kosong")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"problem_type": "multi_label_classification"}, "gives several labels for a text"),
        ({"problem_type": "regression"}, "gives a number for a text"),
        ({"id2label": {"0": "positive"}, "label2id": {"positive": 0}}, "gives a number"),
    ],
)
def test_networks_whose_numbers_are_no_shares_of_labels_are_refused(capsys, here, about, said):
    names = list(about["label2id"]) if "label2id" in about else data.LABELS
    folder = folders.classifier(here / "m", "bert", names)
    config = json.loads((folder / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(config | about), encoding="utf-8")
    assert said in refused(capsys, "m")


def test_two_classifiers_of_one_name_want_two_names(capsys, here):
    for number, name in enumerate(("lari1", "lari2")):
        folder = folders.classifier(here / name / "best", "bert", data.LABELS)
        (folder / "README.md").write_text(str(number), encoding="utf-8")
    first = audit(capsys, "lari1/best")
    said = refused(capsys, "lari2/best")
    assert "lari1/best; give lari2/best a name of its own" in said and "--name" in said
    assert audit(capsys, "lari1/best") == first
    assert audit(capsys, "lari2/best", "--name", "dua")["audited"] == "dua"


@pytest.mark.parametrize(("card", "said"), folders.BAD_CARDS)
def test_checkpoints_whose_card_says_too_little_are_refused(here, card, said):
    (here / "best").mkdir()
    (here / "best" / models.CARD).write_text(card, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        classifiers.card("best", {}, "", here)


ANSWERS = {
    "labels": '["positif"] * len(texts)',
    "mappings": '[{"positive": 0.9, "negative": 0.1}] * len(texts)',
    "pipeline": '[[{"label": "NEG", "score": 0.1}, {"label": "POS", "score": 0.9}]] * len(texts)',
    "numbers": "[[0.1, 0.9]] * len(texts)",
    "rounded": "[[0.07, 0.92]] * len(texts)",
    "array": "__import__('numpy').array([[0.1, 0.9]] * len(texts))",
}


@pytest.mark.parametrize("kind", ANSWERS)
def test_functions_may_answer_in_any_of_these_ways(capsys, here, kind):
    (here / "fungsi.py").write_text(f"def f(texts):\n    return {ANSWERS[kind]}\n", "utf-8")
    config = audit(capsys, "fungsi:f", "--labels", "negative,positive")
    said = probabilities(config, ["ya", "ya", "lagi"])
    assert list(said) == ["positive", "negative"]
    assert (said["positive"] >= 0.9 - 1e-6).all() and len(said) == 3
    np.testing.assert_allclose(said.sum(axis=1), 1, atol=1e-6)


NUMBERS = {
    "integers": "[1] * len(texts)",
    "numpy": "__import__('numpy').ones(len(texts), int)",
    "torch": "__import__('torch').ones(len(texts), dtype=int)",
    "words": "['1'] * len(texts)",
    "of a pipeline": "[{'LABEL_0': 0.1, 'LABEL_1': 0.9}] * len(texts)",
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers_of_labels_are_read_by_labels(capsys, here, kind):
    (here / "fungsi.py").write_text(f"def f(texts):\n    return {NUMBERS[kind]}\n", "utf-8")
    said = probabilities(audit(capsys, "fungsi:f", "--labels", "negative,positive"), ["ya"])
    assert said.iloc[0].idxmax() == "positive"
    mapped = audit(capsys, "fungsi:f", "--map", "1=negative,LABEL_1=negative,LABEL_0=neutral")
    assert probabilities(mapped, ["ya"]).iloc[0].idxmax() == "negative"
    refusal = refused(capsys, "fungsi:f")
    assert "with --labels" in refusal and "LABEL" in refusal


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return [2] * len(texts)", "--map 2=LABEL, or what the numbers"),
        ("return ['positives'] * len(texts)", "--map positives=positive"),
        ("return ['positive']", "gave 1 answers for 2 texts"),
        ("return ['lucu'] * len(texts)", "--map lucu=LABEL"),
        ("return [[0.2, 0.2]] * len(texts)", "add up to 1"),
        ("return [[1.0]] * len(texts)", "neither a label nor 2 probabilities"),
        ("return [[0.2, 0.3, 0.5]] * len(texts)", "in their order, with --labels"),
        ("return [[float('nan'), 1.0]] * len(texts)", "neither a label nor 2 probabilities"),
        ("return [[float('nan'), 1.0]] * len(texts)", "NaN and infinity are none"),
        ("return [[-2.1, 1.9]] * len(texts)", "apply softmax to scores"),
        ("return [{'label': 'positive', 'score': 1.0}] * len(texts)", "pipeline with top_k=None"),
        ("return [[{'label': 'positive', 'score': 0.99}]] * len(texts)", "with top_k=None"),
        ("return [('positive', 0.98)] * len(texts)", "neither a label nor 2 probabilities"),
        ("return [{'positive': None}] * len(texts)", "neither a label nor 2 probabilities"),
        ("return [[{'name': 'positive'}]] * len(texts)", "neither a label nor 2 probabilities"),
        ("return 1 / 0", "f broke: ZeroDivisionError"),
        ("return None", "broke: TypeError"),
        ("return [None] * len(texts)", "return one of these for every text"),
    ],
)
def test_functions_that_answer_otherwise_are_refused(capsys, here, body, said):
    (here / "fungsi.py").write_text(f"def f(texts):\n    {body}\n", encoding="utf-8")
    assert said in refused(capsys, "fungsi:f", "--labels", "negative,positive")


def test_labels_are_named_as_in_the_file(capsys, here):
    text = content("text,label").replace("tive", "tif").replace('"neutral"', '"positif"')
    (here / "x.csv").write_text(text, encoding="utf-8")
    words = ["penilai:labels", "--data", "x.csv", "--labels"]
    config = audit(capsys, *words, "negatif,positif")
    assert data.labels(config["dataset"]) == ["positive", "negative"]
    assert config["runs"].keys() >= {"04_negation", "12_checklist"}
    assert probabilities(config, ["tidak", "ya"]).to_numpy().argmax(1).tolist() == [1, 0]
    assert "mean the same: positive, positive" in refused(capsys, *words, "positif,pos")
    (here / "fungsi.py").write_text("def f(texts):\n    return [1] * len(texts)\n", "utf-8")
    numbers = ["--labels", "0,1", "--map", "0=negative,1=positive"]
    assert probabilities(audit(capsys, "fungsi:f", *numbers), ["ya"]).loc[0, "positive"] == 1


def test_a_function_may_lie_in_a_folder_with_blanks(capsys, here):
    (here / "kerja (saya)").mkdir()
    (here / "kerja (saya)" / "fungsi.py").write_text(FUNCTION, encoding="utf-8")
    assert audit(capsys, "kerja (saya)/fungsi.py:labels")["audited"] == "labels"


@pytest.mark.parametrize(("options", "told"), [([], True), (["--labels", "neg,neu,pos"], False)])
def test_a_function_that_never_says_neutral_is_asked_for_its_labels(capsys, here, options, told):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    assert study.main(["audit", "penilai:labels", "--data", "x.csv", *options]) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert ("No answer is neutral; if it has no such label, say --labels" in said) == told


def test_two_files_of_one_name_are_not_taken_for_each_other(capsys, here):
    for name in ("lama", "baru"):
        (here / name).mkdir()
        share = {"lama": 0.9, "baru": 0.2}[name]
        text = f"def f(texts):\n    return [[{share}, {1 - share}]] * len(texts)\n"
        (here / name / "fungsi.py").write_text(text, encoding="utf-8")
    for name, share in (("baru", 0.2), ("lama", 0.9)):
        words = [f"{name}/fungsi.py:f", "--name", name, "--labels", "positive,negative"]
        config = audit(capsys, *words)
        assert probabilities(config, ["ya"]).loc[0, "positive"] == pytest.approx(share)


@pytest.mark.parametrize("name", ["helpers", "json", "sys"])
def test_a_file_may_have_the_name_of_a_module_that_is_taken(capsys, here, name):
    (here / f"{name}.py").write_text(FUNCTION, encoding="utf-8")
    assert "give your file another name" in refused(capsys, f"{name}:labels")
    config = audit(capsys, f"{name}.py:labels")
    assert probabilities(config, ["tidak"]).shape == (1, 3)
    assert not hasattr(sys.modules[name], "labels")


def test_a_function_from_elsewhere_is_known_by_the_file_that_names_it(capsys, here):
    (here / "fungsi.py").write_text("from penilai import labels\n", encoding="utf-8")
    card = classifiers.card("fungsi:labels", {}, "", here)
    assert card["sha256"] == data.sha256(here / "fungsi.py")


def test_functions_that_are_not_there_are_refused(capsys, here):
    assert "cannot import 'hilang'" in refused(capsys, "hilang:f")
    assert "has no function 'g'" in refused(capsys, "penilai:g")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return ['unparsable'] * len(texts)", "none of the first 4 texts"),
        ("return ['positive' if len(t) else '' for t in texts]", "right on 2 of the first 4 texts"),
        (
            "return ['unparsable', 'negative', 'neutral', 'positive'][:len(texts)]",
            "1 answers name no label",
        ),
        ("return ['neutral' if 'gurih' in t else 'positive' for t in texts]", "right on 1 of"),
    ],
)
def test_a_classifier_is_probed_before_anything_runs(capsys, here, body, said):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    (here / "fungsi.py").write_text(f"def f(texts):\n    {body}\n", encoding="utf-8")
    status = study.main(["audit", "fungsi:f", "--data", "x.csv"])
    lines = capsys.readouterr().err.splitlines()
    assert said in lines[0] and ("guessing" in lines[0]) == ("right on 1" in said)
    assert status == (2 if "none of" in said else 0)


def test_weights_that_are_not_numbers_are_refused_before_anything_runs(capsys, here):
    folder = folders.classifier(here / "m", "bert", data.LABELS)
    weights = safetensors.torch.load_file(folder / "model.safetensors")
    broken = {name: torch.full_like(value, torch.nan) for name, value in weights.items()}
    safetensors.torch.save_file(broken, folder / "model.safetensors", {"format": "pt"})
    assert "numbers that are not finite" in refused(capsys, "m", "--alone")


def test_nothing_stands_before_a_refusal(here):
    folders.base(here / "encoder", "bert")
    words = ["audit", "encoder", "--map", "LABEL_0=negative,LABEL_1=positive"]
    done = folders.python(
        "import sys; from study.__main__ import main; sys.exit(main(sys.argv[1:]))", *words
    )
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "has no trained classification head" in line


# Systems that run elsewhere


@pytest.fixture
def exported(here, monkeypatch) -> pd.DataFrame:
    """Four texts of a study of `jauh`, as an export leaves them."""
    monkeypatch.setattr(classifiers, "probe", lambda *_: "")
    frame = pd.DataFrame({"text": [text for text, _ in ROWS]})
    frame.insert(0, "id", frame["text"].map(data.text_hash))
    (here / "outputs/audit-jauh").mkdir(parents=True)
    frame.to_csv(here / "outputs/audit-jauh/texts.csv", index=False)
    return frame


def test_answers_of_a_system_elsewhere_are_its_classifier(capsys, here, exported):
    labels = [label for _, label in ROWS]
    answered = exported.assign(label=[label.upper() for label in labels])
    answered.drop(columns="text").sample(frac=1, random_state=1).to_csv(here / "a.csv", index=False)
    config = audit(capsys, "jauh", "--predictions", "a.csv")
    assert "08_code_mixing" not in config["runs"]
    assert list(probabilities(config, list(exported["text"])).idxmax(axis=1)) == labels
    shares = exported.assign(p_positive=0.5, p_neutral=0.3, p_negative=0.2)
    shares.to_csv(here / "b.csv", index=False)
    said = probabilities(audit(capsys, "jauh", "--predictions", "b.csv"), list(exported["text"]))
    np.testing.assert_allclose(said, [[0.5, 0.3, 0.2]] * len(ROWS), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda frame: frame.iloc[1:], "answers 3 of 4 texts; missing: "),
        (lambda frame: frame.assign(id=["0" * 16, *frame["id"][1:]]), "an id that no exported"),
        (lambda frame: pd.concat([frame, frame[:1]]), "repeat the id"),
        (lambda frame: frame.assign(label="lucu"), "--map lucu=LABEL"),
        (lambda frame: frame.assign(label=["positive", "", "", ""]), "rows 3, 4, 5 have no label"),
        (
            lambda frame: frame.assign(p_positive=[0.4, 0.3] * 2, p_neutral=0.3).assign(
                p_negative=[0.3, 0.4] * 2
            ),
            "rows 3, 5 have a label that is not the likeliest",
        ),
        (
            lambda frame: frame.assign(p_positive=0, p_neutral=0, p_negative=0),
            "rows 2, 3, 4, 5 have a label that is not the likeliest",
        ),
        (lambda frame: frame.assign(label="positives"), "--map positives=positive"),
        (lambda frame: frame.drop(columns="label"), "neither a column label nor p_positive"),
        (lambda frame: frame.drop(columns="id"), "no column id"),
        (
            lambda frame: frame.assign(p_positive=1, p_neutral=1, p_negative=0),
            "do not add up to 1",
        ),
        (
            lambda frame: frame.assign(p_positif=0.4, p_negatif=0.6),
            "say --labels positive,negative",
        ),
    ],
)
def test_answers_that_do_not_fit_the_texts_are_refused(capsys, here, exported, change, said):
    change(exported.assign(label="positive")).to_csv(here / "a.csv", index=False)
    assert said in refused(capsys, "jauh", "--predictions", "a.csv")


def test_answers_come_in_any_dress(capsys, here, exported):
    labels = [label for _, label in ROWS]
    frame = exported.drop(columns="text").assign(label=["neutral"] * 4, pred=labels)
    plain = frame.drop(columns="label").rename(columns={"pred": "label"})
    dressed = {
        "named beside another": (frame.to_csv(index=False), ["--label", "pred"]),
        "of the data alone": (plain.to_csv(index=False), ["--label", "nilai"]),
        "semicolons": (plain.to_csv(index=False, sep=";"), []),
        "a blank line at the end": (plain.to_csv(index=False) + "\n", []),
    }
    for kind, (written, options) in dressed.items():
        (here / "a.csv").write_text(written, encoding="utf-8-sig")
        config = audit(capsys, "jauh", "--predictions", "a.csv", *options)
        said = probabilities(config, list(exported["text"]))
        assert list(said.idxmax(axis=1)) == labels, kind


def test_rounded_answers_add_up_to_one(capsys, here, exported):
    shares = {"p_positive": [0.33, 0.334, 0.5, 0.0], "p_neutral": [0.33, 0.333, 0.25, 0.0]}
    shares["p_negative"] = [0.33, 0.334, 0.27, 0.0]
    exported.assign(**shares).to_csv(here / "a.csv", index=False)
    said = probabilities(audit(capsys, "jauh", "--predictions", "a.csv"), list(exported["text"]))
    np.testing.assert_allclose(said.sum(axis=1), [1, 1, 1, 0], atol=1e-6)


def test_answers_are_read_with_commas_and_in_their_encoding(capsys, here, exported):
    shares = exported.assign(label="", p_positive="0,5", p_neutral="0,25", p_negative="0,25")
    shares.to_csv(here / "a.csv", index=False, sep=";")
    said = probabilities(audit(capsys, "jauh", "--predictions", "a.csv"), list(exported["text"]))
    np.testing.assert_allclose(said, [[0.5, 0.25, 0.25]] * len(ROWS), atol=1e-6)
    exported.assign(label="negative", note="é").to_csv(here / "a.csv", encoding="cp1252")
    words = ["jauh", "--predictions", "a.csv"]
    assert "--encoding" in refused(capsys, *words)
    assert audit(capsys, *words, "--encoding", "cp1252")["audited"] == "jauh"


def test_numbers_in_answers_are_labels_in_the_order_of_labels(capsys, here, exported):
    words = ["jauh", "--predictions", "a.csv", "--labels"]
    for said in (["0", "1", "0", "1"], ["label-0", "LABEL 1"] * 2, ["LABEL_0", "LABEL_1"] * 2):
        exported.assign(label=said).to_csv(here / "a.csv", index=False)
        config = audit(capsys, *words, "positive,negative")
        read = probabilities(config, list(exported["text"])).idxmax(axis=1)
        assert list(read) == ["positive", "negative"] * 2
    other = audit(capsys, *words, "positive,negative", "--map", "LABEL_0=negative,LABEL_1=positive")
    assert probabilities(other, list(exported["text"])).idxmax(axis=1)[0] == "negative"


def test_ids_that_look_like_numbers_are_sent_as_words(capsys, here, exported):
    recorder = outside.Recorder(here, data.LABELS, {})
    recorder.predict_proba(list(exported["text"]))
    texts.gather(here, here / "outputs/audit-jauh/texts.csv")
    sent = pd.read_csv(here / "outputs/audit-jauh/texts.csv")
    assert sorted(sent["id"]) == sorted("t" + exported["id"])
    for answers in (sent, exported):  # as they are sent now, and as they were
        answers.assign(label="neutral").to_csv(here / "a.csv", index=False)
        config = audit(capsys, "jauh", "--predictions", "a.csv")
        assert probabilities(config, list(exported["text"]))["neutral"].eq(1).all()


def test_answers_want_an_export_first(capsys, here):
    (here / "a.csv").write_text("id,label\n", encoding="utf-8")
    assert "--export-texts FILE first" in refused(capsys, "lain", "--predictions", "a.csv")


def test_a_place_that_is_not_there_is_refused_before_texts_are_made(capsys, here, monkeypatch):
    monkeypatch.setattr(texts, "export", lambda *_: pytest.fail("texts were made"))
    said = refused(capsys, "jauh", "--export-texts", "tiada/texts.csv")
    assert "there is no folder" in said and "texts.csv" in said


# Copies of texts


def test_copies_of_texts_are_for_their_user_alone_and_can_be_deleted(capsys, here):
    (here / "tugas").mkdir()
    for split in data.SPLITS:
        (here / "tugas" / f"{split}.csv").write_text(content("text,label"), encoding="utf-8")
    for name in ("satu", "dua"):
        config = audit(capsys, "penilai:labels", "--data", "tugas", "--name", name)
    outputs, beside = here / "outputs", here / "outputs" / config["beside"]
    frame = pd.DataFrame({"text": ["rahasia"], "failure": [True]})
    for name in ("satu", "dua"):
        folder = outputs / f"audit-{name}/{name}/05_typos/default"
        folder.mkdir(parents=True)
        tables.private(SimpleNamespace(dir=folder), frame)
        (outputs / f"audit-{name}/texts.csv").write_text("id,text\n1,rahasia\n", encoding="utf-8")
    private = [*outputs.glob("*/data-*"), *outputs.glob("*/*/*/*/private")]
    assert len(private) == 5 and {path.stat().st_mode & 0o777 for path in private} == {0o700}
    assert command.prepare(command.parser().parse_args(["satu", "--forget-texts"])) == ""
    assert "--forget-texts" not in capsys.readouterr().out
    kept = {path.relative_to(outputs).parts[0] for path in outputs.rglob("*.csv")}
    assert kept == {"audit-dua"} and not beside.exists()
    assert (outputs / "audit-satu/profile.yaml").is_file()
    assert "unknown audit 'sat'; did you mean 'satu'" in refused(capsys, "sat", "--forget-texts")


def test_where_copies_of_texts_lie_is_said(capsys, here):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    command.prepare(command.parser().parse_args(["penilai:labels", "--data", "x.csv"]))
    said = capsys.readouterr().err
    assert "data-*" in said and "private/" in said and "labels --forget-texts" in said
    command.prepare(command.parser().parse_args(["penilai:labels"]))
    assert "forget" not in capsys.readouterr().err


def test_the_command_that_forgets_texts_knows_a_name_with_blanks(capsys, here):
    (here / "x.csv").write_text(content("text,label"), encoding="utf-8")
    words = ["penilai:labels", "--data", "x.csv", "--name", "model saya"]
    command.prepare(command.parser().parse_args(words))
    (said,) = re.findall("run_all.sh audit (.* --forget-texts)", capsys.readouterr().err)
    assert [*here.glob("outputs/*/data-*")]
    command.prepare(command.parser().parse_args(shlex.split(said)))
    assert not [*here.glob("outputs/*/data-*")]


def test_a_user_gets_twenty_outputs_on_his_own_texts(capsys, here):
    frame = data.load("embedded", "test")[["text", "label"]].head(60)
    frame.to_csv(here / "x.csv", index=False)
    command.prepare(command.parser().parse_args(["penilai:labels", "--data", "x.csv"]))
    folder = here / "outputs/audit-labels"
    assert "20 of your texts as tests change them" in capsys.readouterr().err
    outputs = pd.read_csv(folder / texts.TO_READ)
    assert len(outputs) == outputs["id"].nunique() == 20 > outputs["perturbation"].nunique() > 10
    assert set(outputs["text"]) <= set(frame["text"])
    assert (outputs["text"] != outputs["changed"]).all() and outputs["changed"].notna().all()
    command.prepare(command.parser().parse_args(["labels", "--forget-texts"]))
    assert not (folder / texts.TO_READ).exists() and folder.is_dir()


# The whole way


@pytest.mark.long
def test_a_csv_and_a_function_give_a_report(here):
    rows_of = data.load("embedded", "test").query("label != 'neutral'").head(40)
    table = rows_of.rename(columns={"text": "sentence", "label": "sentiment"})
    table[["sentence", "sentiment"]].to_csv(here / "ulasan.csv", index=False)
    done = run_all(
        here / "outputs", "audit", f"{here}/penilai.py:labels", "--data", str(here / "ulasan.csv"),
        "--labels", "positive,negative", "--name", "milikku", "--quick", "--cores", "2",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    report = here / "outputs/audit-milikku/report"
    assert (report / "index.html").is_file()
    assert "The classifier has no neutral" in (report / "executed.ipynb").read_text("utf-8")
    for path in (here / "outputs/audit-milikku/milikku").glob("*/default/metrics.csv"):
        assert set(tables.read(path, tables.METRICS)["model"]) == {"milikku"}


@pytest.mark.long
def test_texts_go_out_and_answers_come_back(here):
    outputs, words = here / "outputs", ["audit", "jauh", "--quick", "--alone"]
    done = run_all(outputs, *words, "--export-texts", str(here / "texts.csv"))
    assert done.returncode == 0, done.stderr[-3000:]
    sent = pd.read_csv(here / "texts.csv", keep_default_na=False)
    assert list(sent) == ["id", "text"] and sent["id"].is_unique and len(sent) > 2000
    sent.assign(label="neutral").to_csv(here / "answers.csv", index=False)
    answers = ["--predictions", str(here / "answers.csv"), "--cores", "2"]
    done = run_all(outputs, *words, *answers, "--until", "test", "first", "later")
    assert done.returncode == 0, done.stderr[-3000:]
    run = outputs / "audit-jauh/jauh/05_typos/default"
    assert (pd.read_csv(run / "predictions.csv")["perturbed_label"] == "neutral").all()
    assert json.loads((run / "provenance.json").read_text("utf-8"))["models"][0]["kind"]
