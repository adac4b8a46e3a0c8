"""Contraction: what it does where, and what its lists promise."""

import random

import pytest

from tahanuji import lexicons
from tahanuji.errors import InputError
from tahanuji.perturb import contraction as module
from tahanuji.perturb import phrases
from tahanuji.perturb.contraction import contraction

BOTH = [(language, direction) for language in ("id", "en") for direction in ("contract", "expand")]


def once(text, language="id", direction="contract", rate=1.0, seed=1, **options):
    return contraction(language, direction, **options)(text, rate, random.Random(seed))


def every(text, language="id", direction="contract", **options):
    """All that comes out at rate 1."""
    return {once(text, language, direction, seed=seed, **options) for seed in range(60)}


def test_the_rate_is_a_share_of_the_places():
    text = "tidak , " * 10
    counts = [
        (once(text, rate=rate) or text).count("tdk") for rate in (0.0, 0.01, 0.1, 0.24, 0.5, 1.0)
    ]
    assert counts == [0, 1, 1, 2, 5, 10]
    assert once(text, rate=0.5, seed=1) != once(text, rate=0.5, seed=2)


def test_long_texts_and_odd_ones():
    assert once("tidak tahu , " * 5000) == "gatau , " * 5000
    for text in ("", "x", " \n\t ", "😀😀", "مرحبا", "yan\u0301g", "yang\u0301"):
        for language, direction in BOTH:
            assert once(text, language, direction) is None


def test_longest_first_and_only_single_blanks():
    assert once("tidak tahu") == "gatau"
    assert once("tidak  tahu") == "tdk  tahu"
    assert once("tidak\ntahu") == "tdk\ntahu"
    assert once("tidak, tahu") == "tdk, tahu"
    assert once("tidak\u200btahu") == "tdk\u200btahu"
    assert every("di mana-mana") == {"dimana-mana"}
    assert once("setidak tahunya ketidak-tahuan") is None


def test_case_is_kept():
    assert every("Tidak tahu . TIDAK TAHU . Tidak Tahu") == {"Gatau . GATAU . Gatau"}
    assert once("Gatau . GATAU", direction="expand") == "Tidak tahu . TIDAK TAHU"
    assert once("Beli HP baru", direction="expand") == "Beli handphone baru"
    assert once("BELI HP BARU", direction="expand") == "BELI HANDPHONE BARU"
    assert once("I WILL NOT, Will Not, will not", "en") == "I WON'T, Won't, won't"
    assert once("i am ill and I am", "en") is not None
    assert once("i am here . I am here", "en") == "i'm here . I'm here"


def test_all_variants_of_tidak_fuse():
    for variant in lexicons.values("id", "variant of tidak"):
        assert once(f"{variant} bisa") == "gabisa"
    assert once("gabisa", direction="expand") == "tidak bisa"
    assert once("gak bisa", kinds="clipped") is None


def test_short_forms_are_drawn():
    assert every("banget") == {"bgt", "bngt"}
    assert every("bagaimana") == {"gimana", "gmn", "bgmn"}


def test_ambiguous_ones_go_one_way():
    assert every("kamu") == {"km"}
    assert once("km dr pd", direction="expand") is None
    assert once("tahu goreng") is None
    assert once("saya tau", direction="expand") == "saya tahu"
    assert once("tau", direction="expand") == "tahu"
    assert once("it's kinda fun", "en", "expand") == "it's kind of fun"
    assert once("a kind of fish", "en") is None


def test_kinds():
    text = "sudah tidak bisa dengan kamu"
    assert once(text, kinds="fused") == "sudah gabisa dengan kamu"
    assert once(text, kinds=("clitic", "fused")) == "sudah gabisa denganmu"
    assert once("she'd better", "en", "expand", kinds="verb") is None
    with pytest.raises(
        InputError, match="unknown kind of contraction 'fusd'; did you mean 'fused'"
    ):
        contraction(kinds="fusd")


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("I am not sure", "I'm not sure"),
        ("he is not here", "he isn't here"),
        ("they will not go", "they won't go"),
        ("what it is .", None),
        ("he has a car", None),
        ("he has walked home", "he's walked home"),
        ("I had no idea", None),
        ("I had seen it", "I'd seen it"),
        ("you would see", "you'd see"),
        ("we could have known better", "we could've known better"),
        ("let us go", None),
        ("that is why", "that's why"),
    ],
)
def test_english_contracts_where_it_can(full, short):
    assert once(full, "en") == short


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("isn't it", None),
        ("it isn't", "it is not"),
        ("he's a cook", "he is a cook"),
        ("he's been ill", "he has been ill"),
        ("he's cooked", None),
        ("I'd like tea", "I would like tea"),
        ("I'd better go", "I had better go"),
        ("I'd put it there", None),
        ("the dog's tail", None),
        ("can't", "cannot"),
        ("do n't", None),
        ("it’s so nice", "it is so nice"),
    ],
)
def test_english_expands_where_it_is_sure(short, full):
    assert once(short, "en", "expand") == full


def test_apostrophes_follow_the_text():
    assert once("she’s here and I am too late", "en") == "she’s here and I’m too late"


def test_bad_options():
    with pytest.raises(InputError, match="unknown direction 'expnd'; did you mean 'expand'"):
        contraction(direction="expnd")


@pytest.mark.parametrize("language", ["id", "en"])
def test_lists_are_well_formed(language):
    path = lexicons.LEXICONS / f"contractions_{language}.csv"
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "full,short,kind,ambiguous"
    rows = [line.split(",") for line in lines[1:]]
    assert rows == sorted(rows)
    assert len({tuple(row[:2]) for row in rows}) == len(rows)
    assert len(rows) >= (250 if language == "id" else 90)
    assert {row[2] for row in rows} == set(module.KINDS[language])
    expanding = [row[1] for row in rows if row[3] != "expanding"]
    verbs = [row[1] for row in rows if row[3] != "expanding" and row[2] != "perfect"]
    assert len(expanding if language == "id" else verbs) == len(
        set(verbs)
    )  # one full form for each; 's and 'd have two
    known = module.entries(language)["contract"]
    assert phrases.lengths(known)[rows[0][0].split(" ")[0]] >= 1
    if language == "id":
        assert all(len(row[1]) < len(row[0]) or row[2] == "clipped" for row in rows)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("Yang,yg,abbreviation,no", "line 2 has 'Yang' where lower-case words belong"),
        ("yang,y.g,abbreviation,no", "line 2 has 'y.g'"),
        ("yang,yg,short,no", "line 2 is not a full form"),
        ("yang,yg,abbreviation,maybe", "line 2 is not a full form"),
        ("yang,yang,abbreviation,no", "line 2 is not a full form"),
        ("yang,yg,abbreviation", "line 2 has a wrong number of cells: 3, not 4"),
        ("yang,yg,abbreviation,no\nyang,yg,abbreviation,no", "line 3 repeats 'yang' and 'yg'"),
    ],
)
def test_bad_rows_are_named(monkeypatch, tmp_path, row, message):
    (tmp_path / "contractions_id.csv").write_text(
        f"full,short,kind,ambiguous\n{row}\n", encoding="utf-8"
    )
    monkeypatch.setattr(lexicons, "LEXICONS", tmp_path)
    with pytest.raises(InputError, match=message):
        module.entries.__wrapped__("id")
