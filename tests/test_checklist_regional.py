"""The suite of regional words: its form, and that the default suite knows nothing of it."""

import re
from difflib import SequenceMatcher

import pytest
from conftest import ROOT

from tahanuji import checklist

EACH = 20
FOLDER = ROOT / "data/checklist_regional"


@pytest.fixture(scope="module")
def cases():
    return checklist.expand(checklist.read(FOLDER))


def test_every_language_has_its_pairs(cases):
    sizes = cases.groupby("capability").size()
    assert len(sizes) == 5 and (sizes == EACH).all()
    assert set(cases["test_type"]) == {"INV"} and set(cases["expected"]) == {"same"}
    assert (cases.groupby("capability")["domain"].nunique() >= 5).all()
    assert (cases.groupby("capability")["register"].nunique() == 2).all()
    assert not cases.duplicated("text").any()


def test_one_place_differs(cases):
    for case in cases.itertuples():
        words = [re.findall(r"[\w-]+", text) for text in (case.text, case.changed)]
        changes = [code for code, *_ in SequenceMatcher(None, *words).get_opcodes()]
        assert changes.count("replace") == 1 and set(changes) <= {"replace", "equal"}, case.id


def test_texts_are_cleanly_written(cases):
    for text in (*cases["text"], *cases["changed"]):
        assert not re.search(r"\s{2}|\s[,.!?]|(?i:\b(\w{3,}) \1\b)", text), text
    edited = cases[cases["register"] == "neutral"]
    assert all(
        text[0].isupper() and text[-1] == "." for text in (*edited["text"], *edited["changed"])
    )


def test_the_default_suite_knows_nothing_of_it(cases):
    default = checklist.expand(checklist.read())
    assert set(default["capability"]).isdisjoint(cases["capability"])
