"""The suite of regional words: its form, what attests its words, and that the default suite knows
nothing of it.
"""

import re
from difflib import SequenceMatcher

import pandas as pd
import pytest
from conftest import ROOT

from tahanuji import checklist, data, downloads

EACH = 20
FOLDER = ROOT / "data/checklist_regional"
SOURCES = FOLDER / "sources.csv"
NUSAX = {
    "balinese_word": "balinese",
    "banjar_word": "banjarese",
    "bugis_word": "buginese",
    "minangkabau_word": "minangkabau",
}  # which has no Betawi


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


def exchanged(case) -> tuple[str, str]:
    """The Indonesian and the regional word of a case, in lower case and without -nya."""
    words = [re.findall(r"[\w-]+", text.lower()) for text in (case.text, case.changed)]
    ((_, *ends),) = [code for code in SequenceMatcher(None, *words).get_opcodes() if "r" in code[0]]
    pair = words[0][ends[0] : ends[1]], words[1][ends[2] : ends[3]]
    return tuple(" ".join(part).removesuffix("nya") for part in pair)


def plain(texts: pd.Series) -> pd.Series:
    """Texts in lower case, without the apostrophe of a glottal stop."""
    return texts.str.lower().str.replace("['\u2019]", "", regex=True)


def test_every_word_has_a_row_that_says_what_attests_it(cases):
    table = data.read_table(SOURCES)
    of_nusax = cases[cases["capability"].isin(list(NUSAX))]
    words = [(case.capability, *exchanged(case)) for case in of_nusax.itertuples()]
    named = table[["capability", "indonesian", "regional"]].itertuples(index=False, name=None)
    assert list(named) == words
    none = table[(table["listed"] == "no") & (table["texts"] == "0")]
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"*{word}*" in said for word in none["regional"])
    assert f"{(table['listed'] == 'yes').sum()} of the {len(table)} words" in said
    assert f"{(table['texts'] != '0').sum()} stand in its texts" in said


def test_what_attests_a_word_is_as_nusax_has_it(mirror):
    folder = mirror / "IndoNLP/nusax" / downloads.registry()["sources"]["nusax"]["commit"]
    parts = [pd.read_csv(folder / f"datasets/mt/{split}.csv", index_col=0) for split in data.SPLITS]
    texts = pd.concat(parts).apply(plain)
    lists = {name: folder / f"datasets/lexicon/{code}.csv" for name, code in NUSAX.items()}
    pairs = {name: pd.read_csv(path, index_col=0) for name, path in lists.items()}
    listed = {name: set(map(tuple, table.apply(plain).to_numpy())) for name, table in pairs.items()}
    for row in data.read_table(SOURCES).itertuples():
        holds = {
            word: texts[language].str.contains(rf"\b{word}\b")
            for word, language in (
                (row.indonesian, "indonesian"),
                (row.regional, NUSAX[row.capability]),
            )
        }
        found = "yes" if (row.indonesian, row.regional) in listed[row.capability] else "no"
        both = holds[row.indonesian] & holds[row.regional]
        assert (row.listed, row.texts, row.both) == (
            found,
            str(holds[row.regional].sum()),
            str(both.sum()),
        ), row


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
