"""IndoNLI's data, leak and artefacts, and the probe of counts; what the paper prints is held by
test_published_mahendra2021.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import planned, runner
from recompute import recomputes

from helpers import tables
from helpers.session import Run
from tahanuji import data, nli, paths
from tahanuji.errors import InputError
from tahanuji.nli import corpus, overlap, scoring, yardsticks
from tahanuji.nli import suite as suites


@pytest.fixture(scope="module")
def splits(mirror) -> dict[str, pd.DataFrame]:
    return {name: nli.load(name) for name in nli.SPLITS}


def codes(frame: pd.DataFrame) -> np.ndarray:
    return frame["label"].map(nli.LABELS.index).to_numpy()


def pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["premise"], frame["hypothesis"], strict=True))


def test_the_lay_splits_were_dealt_by_pair_and_the_expert_split_was_not(splits):
    new = {name: int(corpus.unseen(splits[name], splits["train"]).sum()) for name in splits}
    assert new == {"train": 0, "dev": 122, "lay": 250, "expert": 2984}
    premises = {name: set(frame["premise"]) for name, frame in splits.items()}
    assert [len(premises[name] & premises["train"]) for name in ("dev", "lay")] == [785, 750]


def test_the_label_that_a_premise_lacks_is_a_guess_far_above_chance(splits):
    reader = nli.Reader("least seen label", nli.LABELS)
    reader.fit(pairs(splits["train"]), codes(splits["train"]))
    for name, least in (("dev", 0.48), ("lay", 0.47)):
        known = splits[name][~corpus.unseen(splits[name], splits["train"])]
        assert np.mean(reader.predict_proba(pairs(known)).argmax(1) == codes(known)) > least
    new = reader.predict_proba(pairs(splits["expert"])).argmax(1)
    assert set(new) == {np.bincount(codes(splits["train"])).argmax()}


@pytest.mark.long
def test_counts_of_overlap_and_negation_beat_reading_the_hypothesis_alone(splits):
    probe = nli.Reader("overlap and negation", nli.LABELS)
    probe.fit(pairs(splits["train"]), codes(splits["train"]))
    right = {
        name: float(np.mean(probe.predict_proba(pairs(splits[name])).argmax(1) == codes(frame)))
        for name, frame in splits.items()
        if name != "train"
    }
    assert right["dev"] > 0.6 and right["lay"] > 0.6 and 0.42 < right["expert"] < 0.5


def test_the_probe_gives_probabilities_in_the_order_of_its_labels():
    examples = [("Ani tidur", "Ani tidur"), ("Ani tidur", "Ani tidak tidur")]
    probe = nli.Reader("overlap and negation", nli.LABELS).fit(examples * 5, [0, 1] * 5)
    answers = probe.predict_proba(examples)
    assert answers.dtype == np.float32 and answers.shape == (2, 3)
    assert answers.argmax(1).tolist() == [0, 1] and (answers[:, 2] == 0).all()
    assert answers.sum(1) == pytest.approx(1)


def test_counts_by_hand():
    row = overlap.counts([("Ada 3 kucing .", "Tidak ada 4 kucing .")]).iloc[0]
    assert row["share of the hypothesis's words in the premise"] == 3 / 5
    assert row["share of the hypothesis's word pairs in the premise"] == 1 / 4
    assert (row["a new number"], row["negation in the hypothesis only"]) == (1, 1)
    assert (row["new words"], row["every word in the premise"]) == (2, 0)


def test_translated_pairs_have_gold_labels(mirror):
    frames = nli.splits("indonli_translated")
    assert {name: len(frame) for name, frame in frames.items()} == {
        "train": 10330,
        "valid": 2158,
        "test": 2201,
    }
    assert set(frames["valid"]["label"]) == set(nli.LABELS)


def test_both_training_sets_stand_one_behind_the_other(mirror, splits):
    both = data.load("indonli_both", "train")
    assert len(both) == len(splits["train"]) + 10330 and both["id"].is_unique
    assert both["text"].head(len(splits["train"])).to_list() == splits["train"]["premise"].to_list()


def test_hypotheses_alone_are_single_texts(mirror, splits):
    alone = data.load("indonli_hypothesis", "test")
    assert list(alone) == ["id", "text", "label"]
    assert alone["text"].to_list() == splits["lay"]["hypothesis"].to_list()


def test_wrete_asks_whether_it_follows(mirror):
    pairs = corpus.wrete()
    counts = pairs["expected"].value_counts().to_dict()
    assert counts == {"entailment": 61, "neutral|contradiction": 39}
    constant = nli.Reader("majority", nli.LABELS).fit([("p", "h")], [1])
    assert (~scoring.certain(constant, pairs)["failure"]).sum() == 39


def test_two_labels_of_three():
    pair = {"id": list("abc"), "premise": ["p", "p", "q"], "hypothesis": ["h"] * 3}
    frame = corpus.two_way(pd.DataFrame(pair).assign(label=nli.LABELS))
    assert frame["case"].to_list() == ["0", "0", "1"]
    answers = scoring.certain(nli.Reader("majority", nli.LABELS).fit([("p", "h")], [2]), frame)
    assert answers["failure"].to_list() == [True, False, False]


def test_other_ways_to_train_have_the_same_test_split(mirror):
    assert corpus.variants("indonli") and not corpus.variants("nli")
    lay = data.load("indonli", "test")
    for name in corpus.variants("indonli"):
        test = data.load(name, "test")
        assert test["label"].equals(lay["label"]) and data.labels(name) == data.labels("indonli")


def test_a_run_waits_for_all_that_its_model_is_trained_on(tmp_path):
    trainings = {"default": {}, "seed_2": {"seed": 2}, "alone": {"dataset": "indonli_hypothesis"}}
    runs = {"01_finetune": trainings, "11_indonli": {"default": {}}}
    profile = {"profile": "own", "dataset": "indonli", "models": ["tfidf", "attention"]}
    said = planned(tmp_path, profile | {"runs": runs, "only": {"attention": ["*/default"]}})
    waits = {
        model: re.findall(rf"{model}/01_finetune/(\w+)/checkpoint", line)
        for model in profile["models"]
        for line in re.findall(rf"input: (.*)\n +output: \S+{model}/11_indonli/", said)
    }
    assert waits == {"tfidf": ["default", "alone"], "attention": ["default"]}


class Shouts:
    """Says yes to what is written in capitals."""

    labels = ["yes", "no"]

    def predict_proba(self, texts, precision="fp32"):
        return np.eye(2)[[int(not text.isupper()) for text in texts]]


def test_a_classifier_of_hypotheses_reads_no_premise():
    reader = yardsticks.OfHypothesis(Shouts())
    answers = reader.predict_proba([("IA PULANG", "ia pergi"), ("ia pulang", "IA PERGI")])
    assert reader.labels == ["yes", "no"] and answers.argmax(1).tolist() == [1, 0]


def test_what_learnt_from_single_texts_is_shown_the_hypothesis():
    single = Shouts()
    assert isinstance(yardsticks.of_pairs(single, "embedded"), yardsticks.OfHypothesis)
    assert yardsticks.of_pairs(single, "nli") is single


def test_a_bag_of_vectors_knows_no_order_but_which_sentence_is_which():
    pairs = [("Kucing tidur.", "Anjing lari."), ("Anjing lari.", "Kucing tidur.")] * 10
    reader = nli.Reader("bag of vectors", nli.LABELS).fit(pairs, [0, 1] * 10)
    one, other, turned = reader.predict_proba([*pairs[:2], ("tidur. Kucing", "lari. Anjing")])
    assert (one.argmax(), other.argmax()) == (0, 1) and turned == pytest.approx(one, abs=1e-6)
    assert reader.predict_proba([("Kucing tidur.", "")]).sum() == pytest.approx(1)


def test_a_split_that_is_not_there_is_named():
    with pytest.raises(InputError, match="unknown split of IndoNLI 'test'"):
        nli.load("test")


def test_readers_that_do_not_read_both_sentences():
    train = [("pagi", "ya"), ("pagi", "lho"), ("sore", "ya")]
    fitted = {
        name: nli.Reader(name, nli.LABELS).fit(train, [0, 2, 0]) for name in yardsticks.READERS
    }
    new = pd.DataFrame({"premise": ["pagi", "siang"], "hypothesis": ["deh", "deh"]})
    said = {name: scoring.labelled(reader, new).tolist() for name, reader in fitted.items()}
    assert said["majority"] == ["entailment"] * 2
    assert said["least seen label"] == ["contradiction", "entailment"]
    one, other = (
        fitted[nli.HYPOTHESIS_ONLY].predict_proba([(premise, "ya")]) for premise in ("pagi", "sore")
    )
    assert (one == other).all()


def answered() -> pd.DataFrame:
    """Four pairs of two premises: the reader right on three, the hypothesis alone on two."""
    about = {"group": "lay", "kind": "reading", "gold": "neutral", "label": "neutral"}
    own = [False, False, False, True]
    guess = [False, True, True, False]
    rows = []
    for name, failures in (("pairs", own), (nli.HYPOTHESIS_ONLY, guess)):
        for number, failure in enumerate(failures):
            row = about | {"test": name, "id": str(number), "cluster": number // 2}
            rows.append(row | {"failure": failure, "new": number < 2})
    return pd.DataFrame(rows)


def test_the_gain_over_the_hypothesis_alone_is_paired():
    row = nli.gain(answered(), "pairs").iloc[0]
    assert (row["accuracy"], row["guess"], row["value"], row["n"]) == (0.75, 0.5, 0.25, 4)
    assert row["ci_low"] < 0.25 < row["ci_high"]
    assert nli.gain(answered().query("test == 'pairs'"), "pairs").empty
    itself = nli.gain(answered(), "pairs", "pairs").iloc[0]
    assert (itself["reader"], itself["value"]) == ("pairs", 0)


def test_accuracy_where_the_guess_is_right_and_wrong_and_on_new_premises():
    beside = nli.beside_guess(answered(), "pairs").set_index("guess")
    assert beside["value"].to_dict() == {"right": 0.5, "wrong": 1.0}
    table = scoring.accuracies(answered()).set_index(["test", "group"])["value"]
    assert table["pairs", "lay, new premises"] == 1 and table["pairs", "lay"] == 0.75


def test_what_the_surface_of_indonlis_pairs_shows(splits):
    marked = {name: overlap.shown(splits[name]).sum().to_list() for name in ("lay", "expert")}
    assert marked == {"lay": [273, 440, 104, 149], "expert": [132, 286, 238, 287]}


@pytest.mark.parametrize(
    ("premise", "hypothesis", "marked"),
    [
        ("Ia membeli 2 buku, lalu pulang.", "Ia pulang.", [True, False, False, False]),
        ("Ia pulang.", "Bukanlah ia yang pulang.", [False, True, False, False]),
        ("Ia nggak pulang.", "Ia tidak pulang.", [False, False, False, False]),
        ("Ada 1,5 liter.", "Ada 15 liter susu.", [False, False, True, False]),
        ("Semua pulang.", "Sebagian pulang.", [False, False, False, True]),
    ],
)
def test_what_the_surface_of_a_pair_shows(premise, hypothesis, marked):
    frame = pd.DataFrame({"premise": [premise], "hypothesis": [hypothesis]}, index=[7])
    table = overlap.shown(frame)
    assert table.loc[7].to_list() == marked


def test_accuracy_by_phenomenon_and_label():
    frame = pd.DataFrame({"premise": list("abc"), "label": ["neutral", "neutral", "entailment"]})
    failures = pd.Series([True, False, False])
    table = scoring.by_phenomenon(
        failures, frame, scoring.tagged(pd.DataFrame({"tags": [["N"], ["N"], []]}))
    )
    assert table.set_index("label")["n"].to_dict() == dict(zip(nli.LABELS, [0, 0, 2], strict=True))
    assert table.set_index("label")["value"]["neutral"] == 0.5


def test_either_side_of_a_pair_is_changed():
    row = {"id": "a", "premise": "Ia tidak pergi.", "hypothesis": "Ia tidak di sini.", "label": ""}
    tests = suites.changed(pd.DataFrame([row]), nli.changes(["negation"]), seed=1)
    old = row["premise"], row["hypothesis"]
    (one,), (two,), (both,) = (
        tests[f"negation, {side}"] for side in ("premise", "hypothesis", "both")
    )
    assert one[0] != old[0] and one[1] == old[1]
    assert two[0] == old[0] and two[1] != old[1]
    assert both == (one[0], two[1])
    row["hypothesis"] = "Ia pulang."
    assert suites.changed(pd.DataFrame([row]), nli.changes(["negation"]), seed=1)[
        "negation, both"
    ] == [None]


class Copies:
    """Entailment where the hypothesis is the premise, else neutral."""

    labels = nli.LABELS

    def predict_proba(self, pairs, precision="fp32"):
        same = [premise == hypothesis for premise, hypothesis in pairs]
        names = ["entailment" if one else "neutral" for one in same]
        return np.eye(3, dtype=np.float32)[[nli.LABELS.index(name) for name in names]]


def test_a_reader_of_copies_passes_one_test_of_entailment_and_flips_with_a_tautology():
    suite = nli.load_suite()
    rows = scoring.certain(Copies(), suite)
    failing = rows.groupby("test")["failure"].mean()
    assert (
        failing["same_text"] == 0 and failing["active_passive"] == 1 and failing["or_to_one"] == 0
    )
    assert failing["roles_swapped"] == 18 / 98  # elsewhere neutral is among what is expected
    versions = suites.versions(Copies(), suite)
    sides = {"informal", "informal, premise", "informal, hypothesis"}
    assert set(versions["test"]) == {"tautology_added", *sides} and not versions["flip"].any()
    both = pd.concat([rows.assign(kind="MFT"), versions.assign(kind="INV"), answered()])
    table = nli.metrics(both).set_index(["test", "metric"])["value"]
    assert table["active_passive", "failure_rate"] == 1 and table["informal", "flip_rate"] == 0


def test_one_sentence_of_an_informal_pair_stands_beside_the_other_of_its_pair():
    suite = nli.load_suite()
    rows = suites.versions(Copies(), suite).set_index(["test", "id"])
    own = suite.set_index("id").loc["informal-002"]
    old = suite.set_index("id").loc[own["pair_of"]]
    both = {
        "informal": (own["premise"], own["hypothesis"]),
        "informal, premise": (own["premise"], old["hypothesis"]),
        "informal, hypothesis": (old["premise"], own["hypothesis"]),
    }
    for test, pair in both.items():
        part = rows.loc[test]
        row = part[part.index.str.startswith("informal-002")].iloc[0]
        assert (row["perturbed"], row["perturbed_pair"]) == pair and len(part) == 43
        assert (row["text"], row["text_pair"]) == (old["premise"], old["hypothesis"])
    assert not rows.reset_index().duplicated(["test", "id"]).any()
    assert rows.loc["informal, premise", "changed"].all()


@pytest.mark.parametrize("publish", [True, False])
def test_wrong_answers_have_their_texts_where_the_licence_allows_it(tmp_path, publish):
    """As notebook 11 saves them: predictions never, misclassified pairs of data/nli, others not."""
    splits, suite = {"test": data_of("nli", publish)}, nli.load_suite()
    run = Run(
        "11_indonli",
        tmp_path,
        {"model_name": "tfidf", "dataset": "nli", "seed": 1},
        torch.device("cpu"),
    )
    run.used(*splits.values(), suite)
    read = scoring.answers({"pairs": Copies()}, splits).assign(kind="reading")
    rows = pd.concat([read, scoring.certain(Copies(), suite).assign(kind="MFT")]).fillna("all")
    wrong = rows[rows["failure"].astype(bool)]
    tables.save(run, tables.bare(rows), scoring.accuracies(read), wrong=wrong)
    written = {
        name: pd.read_csv(tmp_path / f"{name}.csv") for name in ("predictions", "misclassified")
    }
    assert not {"text", "text_pair"} & set(written["predictions"])
    assert ({"text", "text_pair"} <= set(written["misclassified"])) == publish
    if publish:
        assert written["misclassified"][["text", "text_pair"]].notna().all(axis=None)
    else:
        private = pd.read_csv(tmp_path / "private" / "misclassified.csv")
        assert private["text_pair"].notna().all()


def data_of(dataset: str, publish: bool) -> pd.DataFrame:
    """A test split of pairs under another licence."""
    frame = nli.splits(dataset)["test"].head(30)
    frame.attrs["source"] = frame.attrs["source"] | {"publish_texts": publish}
    return frame


def test_the_premise_alone_tells_less_than_chance_where_splits_were_dealt_by_pair(splits):
    reader = nli.Reader("premise only", nli.LABELS)
    reader.fit(pairs(splits["train"]), codes(splits["train"]))
    right = {
        name: float(np.mean(reader.predict_proba(pairs(splits[name])).argmax(1) == codes(frame)))
        for name, frame in splits.items()
    }
    assert {name: round(share, 2) for name, share in right.items() if name != "train"} == {
        "dev": 0.16,
        "lay": 0.15,
        "expert": 0.33,
    }
    one, other = (reader.predict_proba([("Ani tidur.", text)]) for text in ("ya", "tidak"))
    assert (one == other).all()


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"expected": "ya"}, "row 2 expect"),
        ({"expected": ""}, "row 3 have neither"),
        ({"id": "b"}, "repeat the id"),
    ],
)
def test_a_broken_suite_is_refused_with_its_rows(tmp_path, change, complaint):
    row = dict.fromkeys(["test", "case", "premise", "hypothesis", "capability"], "x")
    rows = [row | {"id": "a", "expected": "neutral", "pair_of": ""} | change]
    rows += [row | {"id": "b", "expected": "", "pair_of": "a"}]
    pd.DataFrame(rows).to_csv(tmp_path / "suite.csv", index=False)
    with pytest.raises(InputError, match=complaint.replace("row ", "rows? .*")):
        nli.load_suite(tmp_path / "suite.csv")


OWN = ["ikut", "lawan", "lepas"]


@pytest.fixture
def own(tmp_path) -> pd.DataFrame:
    """Three pairs with labels of their own, as train.csv and test.jsonl of a folder."""
    table = pd.DataFrame({"premise": ["Ani tidur."] * 3, "label": OWN})
    table["hypothesis"] = ["Ani terlelap.", "Ani lari.", "Ani lelah."]
    table.to_csv(tmp_path / "train.csv", index=False, encoding="utf-8-sig")
    lines = [json.dumps(row, ensure_ascii=False) for row in table.to_dict("records")]
    (tmp_path / "test.jsonl").write_text("\ufeff" + "\r\n".join(lines), encoding="utf-8")
    return table


def test_pairs_of_ones_own_and_their_names_of_labels(own, tmp_path):
    splits = nli.splits(str(tmp_path), corpus.label_names(OWN))
    assert list(splits) == ["train", "test"] and list(splits["test"]["label"]) == nli.LABELS
    assert splits["train"]["premise"].to_list() == own["premise"].to_list()


def test_labels_that_are_not_named_are_asked_for(own, tmp_path):
    with pytest.raises(InputError, match="labels ikut, lawan, lepas, .* label_names"):
        nli.splits(str(tmp_path))
    numbered = own.assign(label=["0", "1", "2"])
    numbered.to_csv(tmp_path / "pairs.csv", index=False)
    with pytest.raises(InputError, match="labels 0, 1, 2, .* label_names.*labels.txt"):
        nli.splits(str(tmp_path / "pairs.csv"))
    splits = nli.splits(str(tmp_path / "pairs.csv"), corpus.label_names(["0", "2", "1"]))
    assert splits["test"]["label"].to_list() == ["entailment", "neutral", "contradiction"]


@pytest.mark.parametrize("names", [["ikut", "lawan"], ["ikut", "lawan", "lawan"], [*OWN, "lain"]])
def test_label_names_are_three_that_differ(names):
    with pytest.raises(InputError, match="three that differ"):
        corpus.label_names(names)


def test_pairs_that_cannot_be_used_are_refused(own, tmp_path):
    own.assign(label=["ikut", "", "lepas"]).to_csv(tmp_path / "missing.csv", index=False)
    with pytest.raises(InputError, match="rows 3 have no label"):
        nli.splits(str(tmp_path / "missing.csv"))
    own.replace("Ani tidur.", "“Ani tidur.”").to_csv(tmp_path / "w.csv", encoding="cp1252")
    with pytest.raises(InputError, match="is not UTF-8: it holds the byte 0x93"):
        nli.splits(str(tmp_path / "w.csv"))
    with pytest.raises(InputError, match="single texts"):
        nli.splits("embedded")
    with pytest.raises(InputError, match="there is no file or folder"):
        nli.splits(str(tmp_path / "nothing.csv"))


@pytest.mark.parametrize("name", ["test.jsonl", "soal.jsonl"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n "])
def test_a_json_array_is_told_to_be_jsonl(own, tmp_path, name, start):
    array = json.dumps(own.to_dict("records"))
    (tmp_path / name).write_text(start + array, encoding="utf-8")
    given = tmp_path if name.startswith("test") else tmp_path / name
    with pytest.raises(InputError, match=f"{name} is a JSON array; write jsonl, one object a line"):
        nli.splits(str(given), corpus.label_names(OWN))


@pytest.mark.long
def test_the_notebook_runs_on_pairs_of_ones_own(tmp_path):
    """A folder with other columns, other names of labels and nothing but the three files."""
    names = dict(zip(nli.LABELS, OWN, strict=True))
    for split in ("train", "valid", "test"):
        frame = pd.read_csv(paths.DATA / "nli" / f"{split}.csv")
        frame = frame.rename(columns={"premise": "sentence1", "hypothesis": "sentence2"})
        frame["label"] = frame["label"].map(names)
        frame[["sentence1", "sentence2", "label"]].to_csv(tmp_path / f"{split}.csv", index=False)
    (tmp_path / "labels.txt").write_text("ikut\nlawan\nlepas\n", encoding="utf-8")
    words = ["model_name=tfidf", f"dataset={tmp_path}"]
    done = runner(tmp_path, "01_finetune", "own/tfidf/01_finetune/default", *words)
    assert done.returncode == 0, done.stderr
    folder = "own/tfidf/11_indonli/default"
    named = [*words, "label_names=ikut, lawan, lepas", "perturbations=typos", "test_rows=60"]
    done = runner(tmp_path, "11_indonli", folder, *named)
    assert done.returncode == 0, done.stderr
    recomputes(tmp_path / folder)
