"""The trials of the normaliser: neighbours choose among spellings, other spellers stand in its
place, and what benchmarks/RESULTS.md says of texts that were read is in natural_noise.csv.
"""

import lzma

import pandas as pd
import pytest
from conftest import ROOT

from tahanuji import models
from tahanuji.harden.noise import Noise
from tahanuji.harden.normalise import Normaliser, normaliser

TYPED = "tidka akn dtg ke Jakrta, tmpat mkan yg gelpa..."


@pytest.fixture
def benchmarks(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))


@pytest.fixture
def choosing(benchmarks):
    return pytest.importorskip("choosing")


@pytest.fixture
def corpus(tmp_path, choosing):
    lines = ["lampu di kamar itu redup", "lampu kamar", "ruang gelap gulita", "ruang gelap gulita"]
    for name in choosing.FILES:
        with lzma.open(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return tmp_path


def test_without_a_word_from_the_neighbours_nothing_changes(choosing):
    still = choosing.Choosing(lambda done, place, options: [0.0] * len(options), 1.0)
    texts = [*models.examples(3)["text"], TYPED, TYPED.upper(), "Gpp kok, mkan2 aja"]
    assert list(map(still.text, texts)) == [normaliser().text(text) for text in texts]


def test_options_are_likely_spellings_with_the_best_first(choosing):
    options = choosing.Choosing(lambda *_: [], 1.0).options("kamr")
    assert next(iter(options)) == Normaliser()["kamr"] and len(options) > 1
    assert list(options.values())[0] == 0
    assert all(0 < behind <= choosing.NEAR for behind in list(options.values())[1:])


def test_the_neighbours_choose_and_the_weight_says_how_strongly(choosing):
    def last(done, place, options):
        return [float(number) for number in range(len(options))]

    options = list(choosing.Choosing(last, 1.0).options("kamr"))
    assert choosing.Choosing(last, 100.0).text("di kamr itu") == f"di {options[-1]} itu"
    assert choosing.Choosing(last, 0.0).text("di kamr itu") == f"di {options[0]} itu"


def test_a_word_gains_beside_those_that_it_stands_by(choosing, corpus):
    gain = choosing.of_neighbours(corpus)
    beside, apart = gain(["ruang", "?", "gulita"], 1, ["gelap", "kamar"])
    assert beside > 0 > apart
    assert gain(["xyzzy", "?"], 1, ["gelap", "kamar"]) == [0, 0]  # an unknown neighbour


def test_hit_words_and_others_are_counted_apart(choosing):
    pairs = [("makan di tempat itu", "mkan di tempat itu"), ("gelap itu baik", "gelap itu biak")]
    read = {"mkan di tempat itu": "makan di tempat", "gelap itu biak": "gelap ini biak"}
    right, changed = choosing.mended(lambda text: read.get(text, text), [pairs[1]])
    assert right == [False] and changed == [False, True]
    right, _ = choosing.mended(lambda text: text.replace("mkan", "makan"), pairs)
    assert right == [True, False]


def test_another_speller_stands_behind_the_same_lists(choosing):
    made = choosing.with_speller(choosing.Nearest({"makan": 5, "malam": 9}))
    assert made.text("yg mkan mslam") == "yang makan malam"
    assert choosing.Nearest({"makan": 5}).correct("mkn") == "mkn"


@pytest.fixture
def natural() -> pd.DataFrame:
    return pd.read_csv(ROOT / "benchmarks/natural_noise.csv")


def test_results_tell_what_was_counted_in_the_texts_that_were_read(natural, benchmarks):
    import normalise

    assert natural["row"].is_unique and (natural["spoilt"] <= natural["wrong"]).all()
    sums = natural.sum()
    changed, told = sums["right"] + sums["wrong"], (ROOT / "benchmarks/RESULTS.md").read_text()
    wanted = changed - sums["spoilt"] + sums["missed"]
    assert f"| changed | {changed} |" in told and f"| rightly | {sums['right']} |" in told
    assert f"| wrongly | {sums['wrong']} |" in told and f"| missed | {sums['missed']} |" in told
    assert f"{sums['spoilt']} of the {sums['wrong']} were right as written" in told
    for (_, share), whole in zip(normalise.natural(), (changed, wanted), strict=True):
        assert f"{share:%} of {whole}" in told
    flagged = range(2, 1003)
    assert len(natural) == len(normalise.drawn(flagged)) == 100


@pytest.mark.long
def test_drawing_is_timed_within_a_training(benchmarks):
    import drawing

    own = Noise.__call__
    seconds, whole, draws = drawing.share("noise", 5, 1, dataset="embedded")
    assert 0 < seconds < whole and draws in range(90, 103)  # half of 32 texts in 5 epochs and once
    assert Noise.__call__ is own
