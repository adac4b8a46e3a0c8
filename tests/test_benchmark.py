"""The frozen benchmark: what is frozen, that its scores are an audit's, and the tasks for
lm-evaluation-harness.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import causal
import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import tahanuji
from study.bench import answers, command, scoring
from tahanuji import behaviour, bench, checklist, data, measure, models, nli, paths, predict
from tahanuji.bench import __main__ as line
from tahanuji.bench import frozen, harness, making
from tahanuji.errors import InputError
from tahanuji.instrument import instrument
from tahanuji.models import outside

HARNESS = "lm_eval[hf]==0.4.13"
TEXTS, PAIRS = bench.read("sentiment"), bench.read("inference")
WORDS = {"positive": ("enak", "bagus", "ramah", "suka"), "negative": ("tidak", "mahal", "kotor")}


def answered(texts: list) -> list[list[float]]:
    """Probabilities by words; a pair is judged by its hypothesis."""
    rows = []
    for text in [one if isinstance(one, str) else one[1] for one in texts]:
        counts = {label: sum(word in text for word in words) for label, words in WORDS.items()}
        rows.append([0.1 + counts["positive"], 0.3, 0.2 + counts["negative"]])
    return [[share / sum(row) for share in row] for row in rows]


def classifier(labels=data.LABELS) -> outside.Function:
    return outside.Function(answered, labels, {"labels": labels})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A copy of the benchmark without results, and the answers of a classifier of words."""
    place = tmp_path_factory.mktemp("bench")
    for name in ("README.md", "SHA256SUMS", *bench.TABLES):
        source = frozen.FOLDER / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, place / name)
    answers.predicted(classifier(), "sentiment").to_csv(place / "texts.csv", index=False)
    answers.predicted(classifier(nli.LABELS), "inference").to_csv(place / "pairs.csv", index=False)
    return place


@pytest.fixture(scope="module")
def scored(folder) -> pd.DataFrame:
    files = [str(folder / name) for name in ("texts.csv", "pairs.csv")]
    given = ["score", "words", *files, "--folder", str(folder), "--about", "counts words"]
    assert command.main(given) == 0
    return command.results(folder)


# What is frozen


def test_the_tables_are_those_that_were_frozen_and_few_bytes():
    sums = bench.check()
    assert list(sums) == [f"{name}/test.parquet" for name in bench.TABLES]
    assert sum((frozen.FOLDER / name).stat().st_size for name in sums) < 3_000_000


def test_a_table_that_changed_is_refused(tmp_path):
    frozen.write(tmp_path, {"inference": PAIRS})
    assert len(bench.read("inference", tmp_path)) == len(PAIRS)
    frozen.place(tmp_path, "inference").write_bytes(b"other")
    with pytest.raises(InputError, match="not the file that was frozen"):
        bench.read("inference", tmp_path)


def test_a_repeated_id_and_a_folder_with_tables_are_refused(tmp_path, capsys):
    with pytest.raises(InputError, match="repeat the id"):
        frozen.write(tmp_path, {"inference": pd.concat([PAIRS.head(1)] * 2)})
    frozen.write(tmp_path, {"inference": PAIRS.head(3)})
    before = bench.check(tmp_path)
    assert line.main(["make", str(tmp_path)]) == 2
    assert "frozen" in capsys.readouterr().err and bench.check(tmp_path) == before


def test_the_command_still_makes_the_same_layout():
    few = data.load("embedded", "test").head(4)
    few = few.assign(text=["pelayanan nya tidak ramah dan mahal , saya kecewa ."] * 4)
    made = {"sentiment": making.sentiment(few), "inference": making.inference()}
    made["instruments"] = making.instruments()
    for name, table in made.items():
        old = bench.read(name)
        assert table.dtypes.to_dict() == old.dtypes.to_dict()
        assert table["id"].is_unique and (table["id"] != "").all()
    new = made["sentiment"]
    assert set(new["part"]) == set(TEXTS["part"])
    assert set(new["type"]) == set(TEXTS["type"])
    changed = new[(new["part"] == "perturbed") & (new["original"] != "")]
    assert changed["test"].nunique() > 20
    assert (changed["id"] == changed["original"] + "/" + changed["test"]).all()


@pytest.mark.parametrize("table", [TEXTS, PAIRS], ids=["sentiment", "inference"])
def test_ids_are_unique_and_changed_rows_name_another_row(table):
    assert table["id"].is_unique
    made = table[table["original"] != ""]
    old = table.set_index("id").loc[made["original"]]
    assert len(made) and (old["original"] == "").all()
    assert (np.array(answers.inputs(made)) != np.array(answers.inputs(old))).any()


def test_every_changed_text_differs_and_every_test_has_an_instrument():
    made = TEXTS[TEXTS["original"] != ""]
    old = TEXTS.set_index("id").loc[made["original"], "text"]
    assert (made["text"].to_numpy() != old.to_numpy()).all()
    perturbed = TEXTS[(TEXTS["part"] == "perturbed") & (TEXTS["type"] != "clean")]
    about = bench.read("instruments").set_index("id")
    assert set(perturbed["test"]) == set(about.index)
    assert (perturbed["type"] == about.loc[perturbed["test"], "type"].to_numpy()).all()
    same = perturbed[perturbed["type"] == "INV"]
    assert (same["label"] == same["expected"]).all()


def test_datasets_reads_the_folder(tmp_path):
    from datasets import load_dataset, load_dataset_builder

    read = {"cache_dir": str(tmp_path)}
    for name in bench.TABLES:
        table = load_dataset(str(frozen.FOLDER), name, split="test", **read)
        assert list(table["id"]) == bench.read(name)["id"].to_list()
    default = load_dataset_builder(str(frozen.FOLDER), **read)
    assert default.config.name == "sentiment"


# Scores


def rows_of(scored: pd.DataFrame, test: str, table: str = "sentiment", **where) -> pd.DataFrame:
    rows = scored[(scored["test"] == test) & (scored["table"] == table)]
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


@pytest.mark.parametrize("options", [{"rate": 0.3}, {"variant": "gak"}])
def test_a_verdict_is_that_of_a_run_on_the_same_texts(scored, options):
    one = instrument("negation" if "variant" in options else "typos", **options)
    frame = data.load("embedded", "test")
    part = TEXTS[TEXTS["test"] == one.key].set_index("original")["text"]
    texts = [part.get(name) for name in frame["id"]]
    rows = behaviour.rows(classifier(), frame, {one: texts})
    validity = {one.test: (one.validity.bound, one.validity.rate)}
    expected = measure.verdicts(rows, "INV", instrument=validity)
    expected = expected[expected["quantity"] == "errors added"]
    said = rows_of(scored, one.key)
    for name in ("margin", "value", "lower", "upper", "n"):
        assert said[name].to_list() == pytest.approx(expected[name].to_list(), abs=1e-5)
    assert said["verdict"].to_list() == expected["verdict"].to_list()


def test_cases_are_judged_as_notebook_12_judges_them(scored):
    cases = scoring.cases(TEXTS[TEXTS["part"] == "checklist"])
    judged = checklist.judge(cases, checklist.predicted(classifier(), cases), data.LABELS)
    expected = judged.groupby("capability")["failure"].mean()
    said = scored[(scored["notebook"] == "12_checklist") & (scored["margin"] == 0.1)]
    said = said.set_index("test")["value"]
    assert said[expected.index].to_list() == pytest.approx(expected.to_list(), abs=1e-5)
    assert set(said.index) - set(expected.index) == {
        f"{language}_word" for language in ("balinese", "banjar", "betawi", "bugis", "minangkabau")
    }


def test_rows_have_families_with_intervals_and_verdicts(scored):
    tests = scored[scored["margin"] == 0.1]
    assert (tests["lower"] <= tests["value"]).all() and (tests["value"] <= tests["upper"]).all()
    robust = tests[(tests["type"] != "MFT") & (tests["table"] == "sentiment")]
    families = robust.groupby("family")["family_verdict"]
    assert (families.nunique() <= 1).all() and {"typing", "mixing"} <= set(families.groups)
    typing = robust[robust["family"] == "typing"]
    broken = "breaks" in set(typing["shown"])
    assert ("breaks" in set(typing["family_verdict"])) == broken
    whole = rows_of(scored, "perturbed", quantity="accuracy").iloc[0]
    clean = TEXTS[(TEXTS["part"] == "perturbed") & (TEXTS["type"] == "clean")]
    said = np.array(data.LABELS)[np.argmax(answered(list(clean["text"])), axis=1)]
    assert whole["value"] == pytest.approx((said == clean["label"]).mean(), abs=1e-5)
    assert whole["lower"] < whole["value"] < whole["upper"]


def test_a_row_is_added_to_the_card_and_replaced(folder, scored):
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| | words |" in card and "counts words" in card
    assert command.rendered(scored, command.listed(folder)) in card
    assert command.main(["table", "--folder", str(folder)]) == 0
    assert (folder / "README.md").read_text(encoding="utf-8") == card


def test_the_card_shows_the_committed_results():
    card = (frozen.FOLDER / "README.md").read_text(encoding="utf-8")
    rows, about = command.results(frozen.FOLDER), command.listed(frozen.FOLDER)
    assert {"tfidf", "mini", "sentiment"} <= set(about["model"])
    assert command.rendered(rows, about) in card


def test_the_rows_are_of_the_weights_that_ship():
    """Where it fails, docs/benchmark.md says how a row is made anew."""
    files = sorted((paths.DATA / "models").glob("*/model.safetensors"))
    weights = command.listed(frozen.FOLDER).set_index("model")["weights"].to_dict()
    assert {file.parent.name: data.sha256(file) for file in files} == {
        file.parent.name: weights.get(file.parent.name, "no row") for file in files
    }


def test_the_row_of_the_shipped_classifier_is_what_it_answers_behind_its_normaliser():
    told = rows_of(command.results(frozen.FOLDER), "perturbed", model="sentiment").iloc[0]
    clean = TEXTS[(TEXTS["part"] == "perturbed") & (TEXTS["type"] == "clean")]
    shipped = tahanuji.load("sentiment")
    said = predict.named(shipped.predict_proba(list(clean["text"]), "fp32"), shipped.labels)
    assert told["value"] == pytest.approx((said == clean["label"]).mean(), abs=0.005)


def test_a_row_notes_the_weights_that_ship_under_its_name(folder, scored, tmp_path, monkeypatch):
    monkeypatch.setattr(command, "SHIPPED", tmp_path)
    monkeypatch.setattr(command, "scored", lambda *_: scored[scored["table"] == "sentiment"])
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "model.safetensors").write_bytes(b"weights")
    before = command.listed(folder).set_index("model").loc["words"]
    place = shutil.copytree(folder, tmp_path / "bench")
    assert command.main(["score", "words", str(place / "texts.csv"), "--folder", str(place)]) == 0
    after = command.listed(place).set_index("model").loc["words"]
    assert (before["weights"], after["weights"]) == ("", hashlib.sha256(b"weights").hexdigest())
    assert after["about"] == before["about"] == "counts words"


def test_the_committed_families_are_those_of_today():
    """Families change without an answer of a model; their columns follow from the other ones."""
    rows = command.results(frozen.FOLDER)
    for _, part in rows[rows["margin"].notna()].groupby(["model", "table", "margin"]):
        label = part["notebook"] + "/" + part["test"]
        own = part.fillna({"family": "", "family_verdict": ""}).assign(label=label)
        columns = ["family", "family_verdict", "foremost"]
        again = scoring._with_families(own.astype({"counted": bool, "alone": bool}))[columns]
        pd.testing.assert_frame_equal(again, own[columns].astype({"foremost": bool}))


def test_labels_alone_and_a_model_without_neutral_are_scored(folder):
    table = pd.read_csv(folder / "texts.csv", dtype=str)[["id", "label"]]
    table["label"] = table["label"].replace("neutral", "negative")
    table.to_csv(folder / "two.csv", index=False)
    two = command.scored("two", folder / "two.csv", "positive,negative", {})
    whole = rows_of(two, "perturbed", quantity="accuracy").iloc[0]
    clean = TEXTS[(TEXTS["part"] == "perturbed") & (TEXTS["type"] == "clean")]
    assert whole["n"] == (clean["label"] != "neutral").sum()


def test_what_cannot_be_written_is_refused_before_anything_is_asked(folder, monkeypatch, capsys):
    monkeypatch.setattr(command.answers, "asked", lambda *_: pytest.fail("a model was asked"))
    monkeypatch.setattr(command, "scored", lambda *_: pytest.fail("answers were scored"))
    with pytest.raises(InputError, match="there is no folder"):
        command.main(["predict", "tfidf", str(folder / "tiada" / "a.csv")])
    with pytest.raises(InputError, match="another name than models"):
        command.main(["score", "models", str(folder / "texts.csv"), "--folder", str(folder)])


def test_labels_of_two_are_named_as_the_file_names_them(folder, monkeypatch):
    table = pd.read_csv(folder / "texts.csv", dtype=str)[["id"]]
    table.assign(p_negatif=0.2, p_positif=0.8).to_csv(folder / "two.csv", index=False)
    monkeypatch.setattr(scoring, "scores", lambda *given: given)
    _, _, said = command.scored("two", folder / "two.csv", "negatif,positif", {})
    assert said.labels == ["positive", "negative"]
    with pytest.raises(InputError, match="say --labels positive,negative"):
        command.scored("two", folder / "two.csv", "", {})


def test_numbers_of_labels_are_read_by_labels(folder, monkeypatch):
    table = pd.read_csv(folder / "texts.csv", dtype=str)[["id"]]
    table.assign(label="1", note="é").to_csv(folder / "two.csv", index=False, encoding="cp1252")
    monkeypatch.setattr(scoring, "scores", lambda *given: given)
    with pytest.raises(InputError, match="--encoding"):
        command.scored("two", folder / "two.csv", "positif,negatif", {})
    _, _, said = command.scored("two", folder / "two.csv", "positif,negatif", {}, "cp1252")
    assert said.predict_proba([TEXTS["text"][0]]).tolist() == [[0, 1]]


def test_answers_that_cannot_be_scored_are_refused(folder):
    table = pd.read_csv(folder / "texts.csv", dtype=str)[["id", "label"]]
    path = folder / "bad.csv"
    table.drop(index=5).to_csv(path, index=False)
    with pytest.raises(InputError, match="15842 of 15843"):
        command.scored("bad", path, "", {})
    twice = TEXTS[TEXTS["text"].duplicated(keep=False)]
    twice = twice[twice["text"] == twice["text"].iloc[0]]["id"]
    table.loc[table["id"].isin(twice), "label"] = data.LABELS[: len(twice)]
    table.to_csv(path, index=False)
    with pytest.raises(InputError, match="several labels"):
        command.scored("bad", path, "", {})
    table.assign(id=[f"x{number}" for number in range(len(table))]).to_csv(path, index=False)
    with pytest.raises(InputError, match="none of the benchmark's"):
        command.scored("bad", path, "", {})


def test_two_files_of_one_table_are_refused(folder, scored):
    path = str(folder / "pairs.csv")
    with pytest.raises(InputError, match="two files answer one table"):
        command.main(["score", "twice", path, path, "--folder", str(folder)])


# lm-evaluation-harness


def test_the_task_files_are_those_that_the_command_writes(tmp_path):
    (tmp_path / harness.FOLDER).mkdir()
    assert harness.write(tmp_path) == 10
    for file in (tmp_path / harness.FOLDER).iterdir():
        assert file.read_text() == (frozen.FOLDER / harness.FOLDER / file.name).read_text()


def logged(samples: list[dict], path) -> None:
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples), encoding="utf-8")


def test_a_log_is_read_as_shares_in_the_order_of_the_words(tmp_path):
    path = tmp_path / "samples.jsonl"
    scores = [[-1.0, False], [-3.0, True], [-2.0, False]]
    logged([{"doc": {"id": "a"}, "filtered_resps": scores}], path)
    said = answers.probabilities(answers.read(path), nli.LABELS, {}, path).iloc[0]
    assert said["p_contradiction"] > said["p_neutral"] > said["p_entailment"]
    assert said.drop("id").sum() == pytest.approx(1)
    with pytest.raises(InputError, match="3 label words"):
        answers.probabilities(answers.read(path), ["positive", "negative"], {}, path)
    logged([{"doc": {"id": "a"}}], path)
    with pytest.raises(InputError, match="--log_samples"):
        answers.read(path)


def test_lines_of_answers_are_no_log(tmp_path):
    path = tmp_path / "answers.JSONL"
    logged([{"id": "a", "label": "neutral"}], path)
    said = answers.probabilities(answers.read(path), data.LABELS, {}, path)
    assert said[["id", "p_neutral"]].values.tolist() == [["a", 1]]
    logged([{"doc": {"id": "a"}, "filtered_resps": [[-1.0], [-2.0], [-3.0]]}], path)
    path.write_text(path.read_text(encoding="utf-8") + '{"doc": {"id": ', encoding="utf-8")
    with pytest.raises(InputError, match="row 2 is not JSON"):
        answers.read(path)


@pytest.fixture
def lm_eval(tmp_path) -> Path:
    """The command of lm-evaluation-harness from the package index, in an environment of its own
    that finds this one's packages too: torch is not fetched again.
    """
    pip = [sys.executable, "-m", "pip", "--quiet", "--timeout", "10", "--retries", "1"]
    probe = [*pip, "download", "--no-deps", "-d", tmp_path, "tabulate"]
    if subprocess.run(probe, capture_output=True).returncode:
        pytest.skip("there is no package index within reach: the tasks of data/bench are not run")
    folder = tmp_path / "own"
    venv.create(folder)
    there = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})["purelib"]
    (Path(there) / "packages.pth").write_text(sysconfig.get_paths()["purelib"])
    install = [*pip, "--python", folder / "bin" / "python", "install", "--no-compile", HARNESS]
    done = subprocess.run(install, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder / "bin" / "lm_eval"


@pytest.mark.long
def test_the_harness_agrees_with_our_own_likelihoods(lm_eval, tmp_path):
    """By the command of docs/benchmark.md, on a tiny model whose label words have equally many
    tokens, so that sums of log-likelihoods and their means have one order.
    """
    source, logs = causal.worded(tmp_path / "model"), tmp_path / "logs"
    tasks = {
        "tahanuji_sentiment_id_ulasan": (TEXTS, data.LABELS, "id-ulasan"),
        "tahanuji_inference_id_label": (PAIRS, nli.LABELS, "id-label"),
    }
    about = f"pretrained={source},dtype=float32,max_length=512"
    command = [lm_eval, "run", "--model", "hf", "--model_args", about, "--tasks", ",".join(tasks)]
    command += ["--include_path", "data/bench/lm_eval", "--log_samples", "--output_path", logs]
    command += ["--limit", "120", "--device", "cpu", "--batch_size", "16"]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    kept |= {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=kept, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    results = json.loads(next(logs.glob("*/results_*.json")).read_text("utf-8"))["results"]
    for task, (table, labels, prompt) in tasks.items():
        part = table.head(120)
        card = {"kind": "generative", "source": str(source), "calibration": "none"}
        own = models.prompted(card | {"prompt": prompt}, labels)
        probabilities = own.predict_proba(answers.inputs(part))
        said = np.array(labels)[probabilities.argmax(1)]
        accepted = [set(labels_) & set(labels) for labels_ in part["expected"].str.split("|")]
        right = [label in there for label, there in zip(said, accepted, strict=True) if there]
        assert results[task]["acc,none"] == pytest.approx(np.mean(right))
        assert len(set(said)) > 1 and 0 < np.mean(right) < 1
        path = next(logs.glob(f"*/samples_{task}_*.jsonl"))
        shares = answers.probabilities(answers.read(path), labels, {}, path)
        assert shares["id"].to_list() == part["id"].to_list()
        columns = [f"p_{label}" for label in labels]
        assert (shares[columns].to_numpy().argmax(1) == probabilities.argmax(1)).all()
