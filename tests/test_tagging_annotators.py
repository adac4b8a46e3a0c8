"""Annotators of data/tagging: spans as tags, blind sheets, the agreement that its README says."""

import re
import sys

import pandas as pd
import pytest
from conftest import ROOT
from seqeval.metrics import f1_score

from tahanuji import data
from tahanuji.errors import InputError
from tahanuji.tagging import annotators

sys.path.insert(0, str(ROOT / "scripts"))
import annotate

FOLDER = ROOT / "data" / "tagging"
ONE = pd.DataFrame({"id": ["a"], "words": [["Ani", "dan", "Ani", "Dewi"]]})


def rows(*spans: str, example: str = "a") -> pd.DataFrame:
    return pd.DataFrame({"id": example, "span": spans, "type": "PER"})


def test_spans_become_tags_in_the_order_of_the_text():
    assert annotators.annotated(ONE, rows("Ani", "Ani Dewi")) == [["B-PER", "O", "B-PER", "I-PER"]]
    assert annotators.annotated(ONE, rows("Ani Dewi")) == [["O", "O", "B-PER", "I-PER"]]
    assert annotators.annotated(ONE, rows("")) == [["O"] * 4]


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        (rows("Budi"), "a has no words 'Budi' outside other spans"),
        (rows("Ani Dewi", "Dewi"), "no words 'Dewi' outside"),
        (rows("Ani", example="b"), "1 sentences have no row, the first is a"),
        (pd.concat([rows("Ani"), rows("Ani", example="b")]), "no sentence has the id b"),
    ],
)
def test_spans_that_are_not_there_are_refused(given, complaint):
    with pytest.raises(InputError, match=complaint):
        annotators.annotated(ONE, given)


def test_agreement_is_that_of_seqeval_and_the_same_from_both_sides():
    first = [["B-PER", "I-PER", "O", "B-LOC"], ["O", "B-ORG"], ["O"]] * 5
    second = [["B-PER", "O", "O", "B-LOC"], ["O", "B-ORG"], ["B-LOC"]] * 5
    values = [
        annotators.agreement(*sides, seed=1, resamples=50).set_index(["group", "metric"])["value"]
        for sides in ((first, second), (second, first))
    ]
    assert values[0]["all", "micro_f1"] == pytest.approx(f1_score(first, second))
    assert values[0]["all", "micro_f1"] == values[1]["all", "micro_f1"] != 1
    # 5 of 7 tokens alike; by chance (1*1 + 3*3 + 1*2 + 1*1) / 49
    assert values[0]["all", "kappa"] == pytest.approx((5 / 7 - 13 / 49) / (1 - 13 / 49))


def test_a_sheet_shows_no_tags_and_comes_back_as_it_was_filled(tmp_path):
    ratings = tmp_path / "ratings.csv"
    ratings.write_bytes((FOLDER / "ratings.csv").read_bytes())
    before = data.read_table(ratings)
    annotate.sheet(tmp_path / "sheet.csv")
    filled = data.read_table(tmp_path / "sheet.csv")
    assert set(filled["spans"]) == {""} and not filled["text"].str.contains("B-").any()
    with pytest.raises(InputError, match="the sheet has no span"):
        annotate.collect(tmp_path / "sheet.csv", "anna", ratings)
    own = before[before["rater"] == "reader_15"]
    cells = (own["type"] + " " + own["span"]).str.strip().groupby(own["id"]).agg("; ".join)
    filled["spans"] = filled["id"].map(cells)
    filled.to_csv(tmp_path / "sheet.csv", index=False)
    for _ in range(2):  # collected again it replaces what stood there
        annotate.collect(tmp_path / "sheet.csv", "anna", ratings)
    after = data.read_table(ratings)
    columns = ["id", "span", "type"]
    anna = after.loc[after["rater"] == "anna", columns]
    assert anna.to_numpy().tolist() == own[columns].to_numpy().tolist()
    assert len(after) == len(before) + len(own)
    with pytest.raises(InputError, match="unknown type 'PERS'"):
        annotate.collected(filled.assign(spans="PERS Ani"), "anna")
    with pytest.raises(InputError, match="has PER without words"):
        annotate.collected(filled.assign(spans="PER"), "anna")


def test_the_readme_says_how_far_the_annotators_agree():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    table = annotate.compared(FOLDER / "ratings.csv").set_index(["group", "metric"]).round(3)
    for name, said in (("micro_f1", "F1"), ("kappa", "kappa")):
        value, low, high = table.loc[("all", name), ["value", "ci_low", "ci_high"]]
        assert re.search(rf"{said} {value:.3f} \((95% )?{low:.3f} to {high:.3f}", readme)
    for name in annotate.TYPES:
        assert f"{name} {table.at[(name, 'f1'), 'value']:.3f}" in readme
    alike = round(table.at[("all", "sentence_accuracy"), "value"] * 312)
    assert f"{alike} sentences were marked alike" in readme


def test_each_sentence_that_was_marked_otherwise_is_decided():
    ratings, table = data.read_table(FOLDER / "ratings.csv"), annotate.sentences()
    writer, reader = (
        annotators.annotated(table, ratings[ratings["rater"] == name])
        for name in ("writer", "reader_15")
    )
    notes = ratings[ratings["note"] != ""].drop_duplicates("id").set_index("id")["note"]
    for example, one, two, gold in zip(table["id"], writer, reader, table["tags"], strict=True):
        if one == two:
            assert gold == one and example not in notes
        else:
            assert gold == (two if notes[example].startswith("mended: ") else one), example
