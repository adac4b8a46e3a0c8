"""The suite of data/checklist keeps what its README promises."""

import re
from dataclasses import replace

import pytest
from conftest import ROOT

from tahanuji import checklist, data


@pytest.fixture(scope="module")
def suite():
    return checklist.read()


@pytest.fixture(scope="module")
def cases(suite):
    return checklist.expand(suite)


def test_the_size_that_was_set_out(suite, cases):
    table = checklist.sizes(suite, cases)
    each, total = table.iloc[:-1], table.iloc[-1]
    assert len(each) >= 30
    assert (each["templates"] >= 15).all()
    assert (each["sentences"] >= 10).all()
    assert (each["cases"] >= 100).all()
    assert total["templates"] >= 450 and total["cases"] >= 3000
    readme = (ROOT / "data/checklist/README.md").read_text(encoding="utf-8")
    assert f"{total['templates']} templates and {total['sentences']} written" in readme


def test_templates_differ_in_structure(suite, cases):
    assert checklist.near_duplicates(suite.templates).empty
    assert len(checklist.near_duplicates(cases)) <= len(cases) // 100


def test_every_case_is_a_text_of_its_own(cases):
    assert cases["id"].is_unique
    assert not cases.duplicated(["capability", "text", "changed"]).any()
    contrary = cases[cases["test_type"] == "MFT"].groupby("text")["expected"].nunique()
    assert (contrary == 1).all(), contrary[contrary > 1]


def test_texts_are_cleanly_written(cases):
    rows = checklist.texts(cases).set_index("id")
    for pattern in (r"\s{2}", r"\s[,.!?;:](?:\s|$)", r"[{}]", r"=>", r"(?i)\b(\w{3,}) \1\b"):
        wrong = rows["text"][[bool(re.search(pattern, text)) for text in rows["text"]]]
        assert wrong.empty, f"{pattern}: {wrong.head()}"
    edited = rows["text"][rows["register"] != "colloquial"]
    start = edited.str.lstrip("\"'“‘(").str[0]
    assert not start.str.islower().any(), edited[start.str.islower()]


def test_domains_and_registers_vary(cases):
    assert (cases.groupby("capability")["domain"].nunique() >= 5).all()
    shares = cases["register"].value_counts(normalize=True)
    assert shares.min() > 0.05 and len(shares) == 3


def test_what_readers_did_not_accept_has_left(suite):
    ratings = data.read_table(ROOT / "data/checklist/ratings.csv")
    whole = checklist.expand(replace(suite, left_out=frozenset()))
    assert set(checklist.below_bar(ratings, whole)["id"]) == suite.left_out
    assert ratings["rater"].nunique() >= 2


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        ("counterfactual", "bukan bikin nasabah emosi"),
        ("distant_negation", "Tidak pernah, sejak pertama kali dibeli"),
        ("distant_negation", "Gue nggak pernah, dari awal beli"),
        ("clitics", "Buat harga segini {phone_part} {phone_part_pos_adj}"),
        ("clitics", "kemahalan, gelas juga kecil"),
        ("clitics", "hari, warna {plain_color}. =>"),
    ],
)
def test_templates_that_nobody_would_say_are_gone(name, odd):
    path = ROOT / f"data/checklist/templates/{name}.csv"
    assert odd not in path.read_text(encoding="utf-8")
