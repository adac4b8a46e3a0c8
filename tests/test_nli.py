"""IndoNLI's data, leak and artefacts, and the probe of counts; what the paper prints is held by
test_published_mahendra2021.
"""

import numpy as np
import pandas as pd
import pytest

from tahanuji import nli
from tahanuji.errors import InputError


@pytest.fixture(scope="module")
def splits(mirror) -> dict[str, pd.DataFrame]:
    return {name: nli.load(name) for name in nli.SPLITS}


def codes(frame: pd.DataFrame) -> np.ndarray:
    return frame["label"].map(nli.LABELS.index).to_numpy()


def pairs(frame: pd.DataFrame) -> list[tuple[str, str]]:
    return list(zip(frame["premise"], frame["hypothesis"], strict=True))


def test_the_lay_splits_were_dealt_by_pair_and_the_expert_split_was_not(splits):
    new = {name: int(nli.unseen(splits[name], splits["train"]).sum()) for name in splits}
    assert new == {"train": 0, "dev": 122, "lay": 250, "expert": 2984}
    premises = {name: set(frame["premise"]) for name, frame in splits.items()}
    assert [len(premises[name] & premises["train"]) for name in ("dev", "lay")] == [785, 750]


def test_the_label_that_a_premise_lacks_is_a_guess_far_above_chance(splits):
    for name, least in (("dev", 0.48), ("lay", 0.47)):
        guesses = np.array(nli.least_seen(splits[name], splits["train"]), dtype=object)
        assert np.mean(guesses == splits[name]["label"]) > least
    assert set(nli.least_seen(splits["expert"], splits["train"])) == {None}


def test_counts_of_overlap_and_negation_beat_reading_the_hypothesis_alone(splits):
    probe = nli.Probe(nli.LABELS).fit(pairs(splits["train"]), codes(splits["train"]))
    right = {
        name: float(np.mean(probe.predict_proba(pairs(splits[name])).argmax(1) == codes(frame)))
        for name, frame in splits.items()
        if name != "train"
    }
    assert right["dev"] > 0.6 and right["lay"] > 0.6 and 0.42 < right["expert"] < 0.5


def test_the_probe_gives_probabilities_in_the_order_of_its_labels():
    examples = [("Ani tidur", "Ani tidur"), ("Ani tidur", "Ani tidak tidur")]
    probe = nli.Probe(nli.LABELS).fit(examples * 5, [0, 1] * 5)
    answers = probe.predict_proba(examples)
    assert answers.dtype == np.float32 and answers.shape == (2, 3)
    assert answers.argmax(1).tolist() == [0, 1] and (answers[:, 2] == 0).all()
    assert answers.sum(1) == pytest.approx(1)


def test_counts_by_hand():
    counted = nli.counts([("Ada 3 kucing .", "Tidak ada 4 kucing .")])
    row = pd.DataFrame(counted, columns=nli.COUNTS).iloc[0]
    assert row["share of the hypothesis's words in the premise"] == 3 / 5
    assert row["share of the hypothesis's word pairs in the premise"] == 1 / 4
    assert (row["a new number"], row["negation in the hypothesis only"]) == (1, 1)
    assert (row["new words"], row["every word in the premise"]) == (2, 0)


def test_translated_pairs_have_gold_labels(mirror):
    assert [len(nli.translated(split)) for split in ("train", "dev")] == [10330, 2158]
    assert set(nli.translated("dev")["label"]) == set(nli.LABELS)


def test_a_split_that_is_not_there_is_named():
    with pytest.raises(InputError, match="unknown split of IndoNLI 'test'"):
        nli.load("test")
    with pytest.raises(InputError, match="unknown split of the translated pairs"):
        nli.translated("test")
