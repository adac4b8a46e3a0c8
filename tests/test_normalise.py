"""The normaliser: cases that a linguist can read, and what holds for any text."""

import csv
import functools
import hashlib
import tomllib

import folders
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

import tahanuji
from tahanuji import data, downloads, lexicons, words
from tahanuji.errors import InputError
from tahanuji.harden import halves, vocabulary
from tahanuji.harden.normalise import Normaliser, normalise, normaliser
from tahanuji.harden.speller import Speller, cost, two

with (ROOT / "tests" / "golden" / "normalise.csv").open(encoding="utf-8", newline="") as file:
    CASES = [tuple(row.values()) for row in csv.DictReader(file)]


@pytest.mark.parametrize(("text", "expected", "why"), CASES)
def test_golden_cases(text, expected, why):
    assert normalise(text) == expected, why


def test_there_are_cases_of_change_and_of_none():
    same = sum(text == expected for text, expected, _ in CASES)
    assert len(CASES) >= 60
    assert min(same, len(CASES) - same) >= 25


@functools.cache
def common() -> list[str]:
    """Words that edited writing has ten times in a million words and more."""
    total = vocabulary.WORDS[0]
    forms = vocabulary.informal()
    return [
        word
        for word, one in vocabulary.counts().items()
        if one.edited * 1e6 / total >= 10 and word not in forms
    ]


def test_correct_words_stay():
    changed = [word for word in common() if normalise(word) != word]
    assert len(common()) > 5000
    assert len(changed) <= 0.005 * len(common()), changed


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(common()), min_size=1, max_size=12))
def test_a_text_is_normalised_word_by_word(picked):
    text = " ".join(picked)
    assert normalise(text).split(" ") == [normalise(word) for word in picked]


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_taken_and_what_is_no_word_stays(text):
    new = normalise(text)
    assert new.count(" ") >= text.count(" ")
    if not words.words(text) and not any(map(str.isalnum, text)):
        assert new == text


def test_at_most_one_in_two_hundred_words_of_the_embedded_texts_that_are_right_changes():
    known, forms, seen, changed = vocabulary.edited(), vocabulary.informal(), 0, 0
    for text in data.load("embedded", "train")["text"]:
        for token in text.split():
            keys = [words.key(word.text) for word in words.words(token)]
            if keys and all(key in known and key not in forms for key in keys):
                seen, changed = seen + 1, changed + (normaliser()[token] != token)
    assert seen > 10_000
    assert changed <= 0.005 * seen


def test_the_function_is_exported_and_waits_until_it_is_asked_for():
    assert tahanuji.normalise is normalise
    code = "import sys, tahanuji; assert not {'pandas', 'numpy', 'rapidfuzz'} & set(sys.modules)"
    done = folders.python(code)
    assert done.returncode == 0, done.stderr
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        tahanuji.nothing  # noqa: B018


def test_the_package_tells_its_version_and_what_it_exports():
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert tahanuji.__version__ == about["project"]["version"]
    assert {"load", "normalise", "__version__"} <= {*dir(tahanuji)}
    assert set(tahanuji.__all__) == {"load", "normalise"}
    code = "import sys, tahanuji; dir(tahanuji); assert 'pandas' not in sys.modules"
    assert folders.python(code).returncode == 0


def test_each_half_knows_its_own_forms_alone():
    parts = [vocabulary.informal(half) for half in halves.HALVES]
    assert not parts[0].keys() & parts[1].keys()
    assert parts[0].keys() | parts[1].keys() == vocabulary.informal().keys()
    assert 0.4 < len(parts[0]) / len(vocabulary.informal()) < 0.6
    form = next(form for form in sorted(parts[1]) if len(form) == 2)
    assert normalise(form, half="tests") != form
    with pytest.raises(InputError, match="unknown half 'both'"):
        normalise("gk", half="both")


@pytest.fixture
def dictionary(tmp_path, monkeypatch):
    """A registered dictionary without a header, in latin-1, in a folder mirror."""
    body = "qzx,enak\r\nqzx,lezat sekali\r\nitem,hitam\r\nyg,orang\r\nbudi,badai\r\nqqz,xqzxq\r\n"
    content = (body + "qz\xe9,enak\r\nqq z,enak\r\n").encode("latin-1")
    path = tmp_path / "pemilik/kumpulan/0a1b2c/kamus.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    source = {"repository": "pemilik/kumpulan", "commit": "0a1b2c"}
    source |= {"files": {"kamus": {"path": "kamus.csv", **facts}}}
    how = {"columns": ["form", "meaning"], "headless": True, "encoding": "latin-1"}
    kept = {"sources": {"own": source}, "dictionaries": {"own": {"file": "own/kamus", **how}}}
    monkeypatch.setattr(downloads, "registry", lambda: kept)
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tmp_path))
    yield path
    for function in (vocabulary.dictionary, vocabulary.informal, normaliser):
        function.cache_clear()


def test_a_dictionary_is_used_where_it_is_named(dictionary):
    text = "yg qzx item, Budi qqz qzé"
    assert normalise("qzx") == "qzx"
    for names in (["own"], "own"):
        assert normalise(text, dictionaries=names) == "yang enak item, Budi qqz enak"
    halved = {half: vocabulary.informal(half, ("own",)) for half in halves.HALVES}
    assert sum("qzx" in forms for forms in halved.values()) == 1
    assert normalise("qzx") == "qzx"


def test_a_dictionary_that_is_unknown_or_cannot_be_had_is_refused(dictionary):
    with pytest.raises(InputError, match="unknown dictionary 'other'"):
        normalise("gk", dictionaries=("other",))
    dictionary.unlink()
    with pytest.raises(InputError, match="kamus.csv"):
        normalise("gk", dictionaries=("own",))


def test_registered_dictionaries_add_forms_and_keep_ours(mirror):
    own = vocabulary.informal()
    for name in downloads.registry()["dictionaries"]:
        more = vocabulary.informal(None, (name,))
        assert own.keys() <= more.keys()
        added = more.keys() - own.keys()
        assert len(added) > 500
        assert not added & vocabulary.untouched()


def test_a_known_text_costs_look_ups_alone(monkeypatch):
    texts = data.load("embedded", "train")["text"].tolist()
    first = list(map(normalise, texts))
    monkeypatch.delattr(Normaliser, "_token")
    assert list(map(normalise, texts)) == first


@settings(max_examples=200, deadline=None)
@given(st.text("abu", max_size=7), st.data())
def test_the_speller_finds_what_a_search_of_all_words_finds(typed, drawn):
    known = drawn.draw(
        st.dictionaries(
            st.text("abu", min_size=3, max_size=7), st.sampled_from([0, 6, 10]), min_size=9
        )
    )
    speller = Speller(known, edited=sorted(known)[::2])
    words, worth = sorted(set(known) - {typed}), speller._worth(typed, None, False)
    reached = [(known[word] - cost(typed, word), word) for word in words]
    if len(typed) >= 6 and typed not in known and all(one <= worth for one, _ in reached):
        alike = [one for one in words if one[:2] == typed[:2] or one[-2:] == typed[-2:]]
        reached = [(known[one] - two(typed, one), one) for one in alike if len(one) >= 5]
    best = max(reached, key=lambda one: one[0], default=(worth, typed))
    expected = best[1] if len(typed) >= 3 and best[0] > worth else typed
    assert speller.correct(typed) == expected


def test_counts_are_of_frequent_single_words():
    path = lexicons.LEXICONS / "word_counts_id.csv"
    assert path.stat().st_size < 1_000_000
    assert all(sum(one) >= 5 for one in vocabulary.counts().values())
    assert all(words.phrase(word) and " " not in word for word in vocabulary.counts())
