"""Marks of unedited writing: shares by hand, what realistic_noise really makes, the table that it
draws by, and its count from the texts.
"""

import sys

import pandas as pd
import pytest
from conftest import ROOT

from tahanuji import data, grid, marks, perturb, words
from tahanuji.perturb import noise_tables, realistic

sys.path.insert(0, str(ROOT / "scripts"))
import measure_marks

SEED = 7


def test_shares_by_hand():
    rows = {"slip": [2, 0, 1], "open end": [1, 0, 1], "words": [10, 10, 20], "texts": [1, 1, 1]}
    table = marks.shares(pd.DataFrame(rows), "mine").set_index("mark")
    assert table.loc["slip", ["count", "n", "value"]].to_list() == [3, 40, 0.075]
    assert table.loc["open end", ["count", "n", "value"]].to_list() == [2, 3, 2 / 3]
    assert table.loc["slip", ["ci_low", "ci_high"]].to_list() == [0.0, 0.2]  # of one text alone
    same = marks.shares(pd.DataFrame({"slip": [1] * 5, "words": [8] * 5, "texts": [1] * 5}), "x")
    assert same[["value", "ci_low", "ci_high"]].to_numpy().tolist() == [[0.125] * 3]


@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_what_is_counted_is_what_the_perturbation_changes(rate):
    frame = data.load("embedded", "test").head(40)
    table = marks.made(frame, rate, SEED).set_index("mark")["count"]
    after = perturb.apply("realistic_noise", frame, rate, SEED)
    changed = 0
    for text, new in zip(frame["text"], after, strict=True):
        if new is not None:
            old, now = ([word.text for word in words.words(one)] for one in (text, new))
            changed += sum(one not in now for one in old)
    assert table["noise"] == table.drop("noise").sum()
    # a phrase of two words is one mark; the same word may stand elsewhere unchanged
    assert table["noise"] <= changed + 12 and changed <= table["noise"] + table["fused"]


def test_a_text_that_offers_one_mark_bears_that_mark():
    frame = pd.DataFrame({"id": ["a", "b"], "text": ["yang", "."]})
    table = marks.made(frame, 0.5, SEED).set_index("mark")
    assert table.loc["abbreviation", ["count", "n"]].to_list() == [1, 1]
    assert table["count"].sum() == 2  # with `noise`


def test_noise_draws_by_the_table_of_natural_marks():
    table = marks.natural().set_index(["texts", "mark"])["count"]
    weights = realistic.weights()
    assert list(weights) == list(noise_tables.MARKS)
    assert all(weights[mark] == table["all", mark] for mark in weights if mark != "slip")
    assert 0 < weights["slip"] < table["all", "slip"]
    for texts in ("all", "typo", "edited"):
        assert table[texts, "noise"] == sum(table[texts, mark] for mark in weights)


def test_a_table_and_a_sentence_set_people_beside_the_perturbation():
    frame = data.load("embedded", "test").head(30)
    made = [marks.made(frame, rate, SEED) for rate in perturb.REGISTRY["realistic_noise"].rates]
    counted = pd.concat([marks.natural(), *made])
    table = marks.table(counted).set_index("mark")
    assert list(table.index) == list(marks.MADE_BY)
    middle = made[1].set_index("mark").loc["noise", "value"]
    assert table.at["noise", "realistic_noise 0.05"].startswith(f"{middle:.1%} (")
    assert table.at["capitals", "realistic_noise 0.05"] == ""
    (_, own), *_ = findings = marks.density(counted)
    assert own.value == middle and len(findings) == 3
    none = counted.head(0)
    assert marks.density(none) == [] and len(marks.table(none)) == len(table)
    assert set(", ".join(marks.MADE_BY.values()).split(", ")) <= {
        *grid.perturb.REGISTRY,
        *(f"code_mixing:{code}" for code in measure_marks.FOREIGN),
    }


def test_marks_of_a_written_text(mirror):
    text = "Gue gak tau knp KERETANYA telaaat bgt .. anak2 pd nangis , so sad https://t.co/a1"
    numbers = dict(zip(marks.MADE_BY, measure_marks.counted(text), strict=False))
    expected = {"negation": 1, "figure two": 1, "capitals": 1, "link or mention": 1}
    assert {name: numbers[name] for name in expected} == expected
    assert numbers["abbreviation"] >= 3 and numbers["lengthening"] == 1
    assert (numbers["open end"], numbers["repeated mark"]) == (1, 1)
    assert measure_marks.counted("Rumahnya bagus .")[-1] == 1
    assert not any(measure_marks.counted("Rumahnya bagus .")[:-2])


@pytest.mark.long
def test_the_table_of_marks_is_what_the_texts_give(mirror, tmp_path, monkeypatch):
    target = tmp_path / "marks.csv"
    monkeypatch.setattr(sys, "argv", ["measure_marks.py", "--output", str(target)])
    measure_marks.main()
    assert target.read_text() == (measure_marks.LEXICONS / "noise_mixture_id.csv").read_text()
