"""Character-level perturbations and realistic noise: what they may change and how much, their
tables and how those were measured.
"""

import csv
import importlib
import lzma
import random
import re
import sys
import unicodedata
from collections import Counter
from functools import cache

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA
from scipy.stats import chisquare

from tahanuji import data, words
from tahanuji.errors import InputError
from tahanuji.lexicons import LEXICONS
from tahanuji.perturb import noise, noise_tables, places, realistic, units

MISSPELT = "word,misspelling,kind,lists,texts"
FACTORIES = {
    factory.__name__: factory
    for factory in (
        noise.keyboard,
        noise.ocr,
        noise.spelling,
        noise.character_typos,
        realistic.realistic_noise,
    )
}
SETTINGS = {
    **{
        f"{name} {language}": (name, {"language": language})
        for name in FACTORIES
        for language in ("id", "en")
        if name != "realistic_noise"
    },
    "realistic_noise typo": ("realistic_noise", {"kind": "typo"}),
    "realistic_noise mixed": ("realistic_noise", {"kind": "mixed"}),
}
OWN_CODE = [
    name for name in SETTINGS if name not in ("keyboard en", "ocr en", "character_typos en")
]  # the others are one function for both languages
WORDWISE = ("spelling", "realistic_noise mixed")  # as near to the rate as whole words allow
LETTERWISE = [name for name in OWN_CODE if not name.startswith(("ocr", *WORDWISE))]
SENTENCES = [
    "Admin loketnya jutek, padahal saya cuma tanya syarat bikin KTP",
    "wah gokil sih endingnya, dua episode terakhir bikin nangis semalaman",
    "Servis AC di bengkel Pak Darto cepat dan murah, barang aslinya dikembalikan",
    "our kids loved the goats, although the path to the farm was really muddy",
    "I'm not sure the vaccine queue was shorter, but the nurse was friendly and quick",
    "timnas main jelek babak pertama tapi untung kipernya tampil luar biasa",
]
TOKENS = [
    "@budi_88",
    "#kulinerSolo",
    "https://contoh.id/menu?x=1",
    "www.toko.com",
    "info@toko.co.id",
    "[USERNAME]",
    "<mask>",
    "xxxuserxxx",
    ":D",
    "xD",
    "<3",
    "T_T",
]
ANY = st.text(max_size=60) | st.text(
    alphabet="aAeinmrlcd015 .,@#\u0301\u200d\u0627é😂", max_size=60
)


@cache
def made(setting: str):
    name, options = SETTINGS[setting]
    return FACTORIES[name](**options)


def apply(setting: str, text: str, rate: float, seed: int = 1) -> str | None:
    return made(setting)(text, rate, random.Random(seed))


@cache
def script(name):
    """A file of scripts/ as a module; it may import its neighbours, as when it is run."""
    sys.path.insert(0, str(ROOT / "scripts"))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def measuring():
    return script("measure_noise")


@pytest.mark.parametrize("setting", OWN_CODE)
@settings(max_examples=30)
@given(text=ANY, rate=st.floats(0, 1), seed=st.integers(0, 2**40))
def test_laws_for_any_text(setting, text, rate, seed):
    """Nothing drawn at rate 0, blanks untouched, no combining mark parted from its letter."""
    result = apply(setting, text, rate, seed)
    rng = random.Random(seed)
    state = rng.getstate()
    assert made(setting)(text, 0.0, rng) is None
    assert rng.getstate() == state
    if result is not None:
        assert re.findall(r"\s+", result) == re.findall(r"\s+", text)
        assert len(result.split()) == len(text.split())
        assert marked(result) == marked(text)


def marked(text: str) -> list[str]:
    """The combining marks with the characters before them."""
    return [
        text[max(0, at - 1) : at + 1]
        for at, character in enumerate(text)
        if unicodedata.category(character)[0] == "M"
    ]


@pytest.mark.parametrize("setting", LETTERWISE)
@settings(max_examples=30)
@given(text=ANY, rate=st.floats(0.001, 1), seed=st.integers(0, 2**40))
def test_no_more_edits_than_asked(setting, text, rate, seed):
    result = apply(setting, text, rate, seed)
    assert result is None or 1 <= OSA.distance(text, result) <= units.count(
        places.visible(text), rate
    )


@pytest.mark.parametrize("setting", LETTERWISE)
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1])
def test_levels_are_reached(setting, rate):
    """At the levels of the study the edits are those that the rate asks for; neighbouring typos may
    cancel one in fifty.
    """
    asked = achieved = 0
    for seed in range(30):
        for text in SENTENCES:
            asked += units.count(places.visible(text), rate)
            achieved += OSA.distance(text, apply(setting, text, rate, seed))
    assert 0.98 * asked <= achieved <= asked


@pytest.mark.parametrize("setting", SETTINGS)
def test_more_edits_at_higher_rates(setting):
    for text in SENTENCES:
        edits = [
            OSA.distance(text, apply(setting, text, rate, seed=5) or text)
            for rate in (0, 0.01, 0.05, 0.1, 0.2, 0.3)
        ]
        assert edits == sorted(edits)
        assert edits[0] < edits[1] <= edits[2] < edits[-1] or setting.startswith("spelling")


@pytest.mark.parametrize("setting", OWN_CODE)
@pytest.mark.parametrize("token", TOKENS)
def test_protected_tokens_survive(setting, token):
    text = f"barang {token} sudah, sampai the {token} really"
    for seed in range(6):
        result = apply(setting, text, 1.0, seed)
        assert result.count(token) == 2
    assert apply(setting, f"{token} 😂 {token}", 1.0) is None


@pytest.mark.parametrize("setting", OWN_CODE)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n\t",
        "😂🙏🏽",
        "ا ل م",
        "\u200b\u200d",
        "!!! ...",
        "١٢٣",
        "e\u0301",
        "1\ufe0f\u20e3",
    ],
)
def test_texts_without_sites_give_none(setting, text):
    assert apply(setting, text, 1.0) is None


def test_realistic_noise_says_what_it_has():
    with pytest.raises(InputError, match="unknown language 'en'.* of realistic_noise"):
        realistic.realistic_noise("en")
    with pytest.raises(InputError, match="unknown kind of noise 'typos'; did you mean 'typo'"):
        realistic.realistic_noise(kind="typos")


def test_neighbours_are_the_keys_that_touch():
    sets = {key: set(others) for key, others in places.NEIGHBOURS.items()}
    assert sets["a"] == set("qwsz")
    assert sets["g"] == set("tyfhvb")
    assert sets["p"] == set("o0l")
    assert sets["1"] == set("2q")
    assert sets["G"] == set("TYFHVB")
    assert sets["Q"] == set("12WA")
    assert all(
        key in sets[other]
        for key in sets
        for other in sets[key]
        if not key.isupper() and not other.isupper()
    )
    assert len(sets) == 26 * 2 + 10


@given(st.sampled_from(SENTENCES), st.floats(0, 0.5), st.floats(0, 0.5), st.integers(0, 2**40))
def test_keyboard_changes_that_many_characters_and_a_higher_rate_keeps_them(text, one, other, seed):
    characters = sum(not character.isspace() for character in text)
    low, high = (apply("keyboard id", text, rate, seed) or text for rate in sorted((one, other)))
    for rate, result in ((min(one, other), low), (max(one, other), high)):
        hit = [(old, new) for old, new in zip(text, result, strict=True) if old != new]
        assert len(hit) == units.count(characters, rate)
        assert all(new in places.NEIGHBOURS[old] for old, new in hit)
    assert all(new in (old, later) for old, new, later in zip(text, low, high, strict=True))


def test_figures_are_mistyped_and_misread():
    assert all(
        old != new for old, new in zip("2026", apply("keyboard id", "2026", 1.0), strict=True)
    )
    assert apply("ocr id", "0158", 1.0) != "0158"
    assert apply("character_typos id", "2026", 1.0) is None


def test_keyboard_draws_every_neighbour_equally_often():
    drawn = Counter(apply("keyboard id", "g", 1.0, seed) for seed in range(3000))
    assert set(drawn) == set("tyfhvb")
    assert chisquare(list(drawn.values())).pvalue > 0.001


def readings(old: str, new: str) -> int | None:
    """The fewest misreadings of the table that lead from a text to another, None where none do."""
    table = noise_tables.confusions(LEXICONS / "ocr_confusions.csv")
    best = {(0, 0): 0}
    for at in range(len(old)):
        for (_, end), number in [item for item in best.items() if item[0][0] == at]:
            steps = [(old[at], old[at], 0), *((*pair, 1) for pair in table.get(old[at], ()))]
            for source, target, cost in steps:
                if old.startswith(source, at) and new.startswith(target, end):
                    place = (at + len(source), end + len(target))
                    best[place] = min(best.get(place, 99), number + cost)
    return best.get((len(old), len(new)))


@pytest.mark.parametrize("rate", [0.01, 0.05, 0.1, 0.4])
def test_ocr_misreads_as_often_as_asked(rate):
    asked = achieved = 0
    for seed in range(12):
        for text in SENTENCES:
            number = readings(text, apply("ocr id", text, rate, seed))
            asked, achieved = asked + units.count(places.visible(text), rate), achieved + number
            assert number <= units.count(places.visible(text), rate)
    assert achieved > 0.95 * asked


def test_no_character_is_misread_twice():
    for seed in range(150):
        for text in ("rnrnclVVrn", "crnodcl", "modern clay"):
            assert readings(text, apply("ocr id", text, 1.0, seed)) is not None


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("dihttp://a.id ke", places.LATIN, "ke"),  # letters that run into a link
        ("1x <3abc di", places.PLAIN, "1xdi"),  # or out of a heart
        ("ke @budi.id, di", places.LATIN, "kedi"),
        ("cafe\u0301 di", places.LATIN, "cafdi"),
        ("xxxuserxxx [USERNAME] T_T xD ya", places.LATIN, "ya"),
        ("a@ b#c", places.LATIN, "ab"),
    ],
)
def test_what_may_be_changed(text, pattern, expected):
    flags = places.free(text, pattern)
    assert (
        "".join(character for character, flag in zip(text, flags, strict=False) if flag) == expected
    )
    assert len(flags) == len(text) + 1
    assert "".join(text[start:end] for start, end in places.runs(text, pattern)) == expected


def test_ocr_joins_and_splits_characters():
    assert {"m", "rh", "ri"} & {apply("ocr en", "rn", 0.5, seed) for seed in range(60)} == {
        "m",
        "rh",
    }
    assert "rn" in {apply("ocr en", "m", 1.0, seed) for seed in range(20)}
    assert "d" in {apply("ocr en", "cl", 0.5, seed) for seed in range(40)}
    assert apply("ocr en", "BARANG", 1.0) != apply("ocr en", "barang", 1.0)
    assert all(
        len(apply("ocr en", "rn\u0301", 1.0, seed)) == 3 for seed in range(40)
    )  # n belongs to its accent


@pytest.mark.parametrize("language", ["id", "en"])
def test_spelling_takes_misspellings_of_the_dictionary_in_the_case_of_the_word(language):
    table = noise_tables.misspellings(LEXICONS / f"misspellings_{language}.csv", language)
    for seed, (word, wrongs) in enumerate(sorted(table.items())):
        for form in (
            (word, word.capitalize(), word.upper()) if len(word) > 2 and word.isalpha() else (word,)
        ):
            result = apply(f"spelling {language}", f"({form})", 1.0, seed)
            assert result in {f"({words.cased(form, wrong)})" for wrong, _ in wrongs}


def test_spelling_keeps_the_clitic_and_leaves_other_words_alone():
    assert apply("spelling id", "Risikonya", 1.0) == "Resikonya"
    assert apply("spelling id", "punya anaknya", 1.0) in {
        "pny ankny",
        "pny anknya",
        "pnya anknya",
        "pnya anakny",
        "pny anaknya",
    }
    assert apply("spelling en", "reallynya", 1.0) is None
    assert apply("spelling id", "receive", 1.0) is None
    assert apply("spelling id", "bgt resiko2nya kambing", 1.0) is None
    assert apply("spelling en", "Don’t", 1.0) == "Dont"


@given(
    st.lists(
        st.sampled_from(sorted(noise_tables.misspellings(LEXICONS / "misspellings_id.csv", "id"))),
        min_size=1,
        max_size=12,
    ),
    st.floats(0.001, 1),
    st.integers(0, 99),
)
def test_spelling_comes_as_near_as_whole_words_allow(chosen, rate, seed):
    """The characters edited overshoot by no more than they would fall short without the last word,
    and fall short only where words run out.
    """
    text = " ".join(chosen)
    wanted = units.count(places.visible(text), rate)
    result = apply("spelling id", text, rate, seed).split()
    edits = [OSA.distance(old, new) for old, new in zip(text.split(), result, strict=True)]
    changed = [number for number in edits if number]
    assert changed
    assert sum(edits) <= 2 * wanted or len(changed) == 1
    unchanged = [word for word, number in zip(chosen, edits, strict=True) if not number]
    if (
        sum(edits) < wanted
    ):  # every word left would overshoot by more in the spelling that was drawn for it
        table = noise_tables.misspellings(LEXICONS / "misspellings_id.csv", "id")
        assert all(
            max(number for _, number in table[word]) > wanted - sum(edits) for word in unchanged
        )


def test_spelling_takes_the_smallest_word_where_none_fits():
    assert {apply("spelling id", "ramadan hijau", 0.01, seed) for seed in range(40)} == {
        "ramadhan hijau"
    }
    assert apply("spelling id", "hijau", 0.01) == "ijo"
    assert all(
        "ijo" in apply("spelling id", "apotek hijau", 0.27, seed) for seed in range(20)
    )  # of three, four are nearer than one


def test_plain_words_are_those_of_helpers_words():
    for text in (
        *SENTENCES,
        "toko.com",
        "xxxuserxxx",
        "www.x",
        "anak2 ber-main` a-b-c don't 5kg it's2 -ku- o'",
        "x_y",
        "e\u0301 jum'at",
    ):
        assert words.words(text) == [
            words.Word(*hit.span(), hit["word"])
            for hit in words._TOKENS.finditer(text)
            if hit["word"]
        ]


@settings(max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            [
                *"abDxwW.-'`:;=/@#[]<>_23 \n",
                ".id",
                "toko.com",
                "http://",
                "www.",
                "[URL]",
                "xxx",
                "xD",
                "don't",
            ]
        ),
        max_size=12,
    ).map("".join)
)
def test_shortcuts_change_nothing(text):
    """Plain words are found as everywhere; a text without a sign has no protected token."""
    assert words.words(text) == [
        words.Word(*hit.span(), hit["word"]) for hit in words._TOKENS.finditer(text) if hit["word"]
    ]
    assert words.marked(text) or not places._PROTECTED.search(text)


def test_character_typos_are_equally_likely():
    kinds = Counter()
    for seed in range(4000):
        result = apply("character_typos id", "bermain gitar", 0.05, seed)
        kinds[
            len(result) - 13
            if len(result) != 13
            else "swap"
            if sorted(result) == sorted("bermain gitar")
            else "replace"
        ] += 1
    assert set(kinds) == {1, -1, "swap", "replace"}
    # the last letters of both words have nothing to swap with: 10 of 12 places allow four typos, 2
    # allow three
    expected = {"swap": 10 / 12 / 4, **dict.fromkeys((1, -1, "replace"), 10 / 12 / 4 + 2 / 12 / 3)}
    assert (
        chisquare(
            [kinds[kind] for kind in expected], [4000 * share for share in expected.values()]
        ).pvalue
        > 0.001
    )


def test_character_typos_never_delete_a_word_nor_swap_equal_letters():
    for seed in range(150):
        assert len(apply("character_typos id", "di sini aa o", 1.0, seed).split()) == 4
        assert apply("character_typos id", "o", 1.0, seed)
        assert apply("character_typos id", "oo", 0.5, seed) is not None
    both = Counter(apply("character_typos id", "ab", 1.0, seed) for seed in range(400))
    assert both["ba"] > 30  # after a swap neither letter is hit again
    assert all(apply("character_typos id", "SMA", 0.4, seed).isupper() for seed in range(40))


def operation_counts(kind: str, draws: int) -> Counter:
    """The operations of so many single edits, told by the aligning that measured the table."""
    text, pairs, counts = (
        "angin kencang sore itu oleh karena hujan di atas bukit abu",
        Counter(),
        Counter(),
    )
    function, rng = made(f"realistic_noise {kind}"), random.Random(11)
    for _ in range(draws):
        result = function(text, 0.01, rng)
        pairs.update(
            (old, new) for old, new in zip(text.split(), result.split(), strict=True) if old != new
        )
    for pair, number in pairs.items():
        (edit,) = measuring().operations(*pair)
        counts[edit] += number
    assert counts.total() == draws
    return counts


@pytest.mark.parametrize("kind", ["typo"])
def test_drawn_operations_have_the_mix_of_the_table(kind):
    """20,000 operations of both kinds together, one to a text that has letters for all of them."""
    table = noise_tables.measured(LEXICONS / "noise_id.csv")[kind]
    counts, whole = operation_counts(kind, 10_000), sum(table.values())
    assert set(counts) == set(table)
    assert (
        chisquare(
            [counts[name] for name in table], [10_000 * number / whole for number in table.values()]
        ).pvalue
        > 0.001
    )


def test_realistic_noise_uses_up_what_a_text_offers():
    assert apply("realistic_noise typo", "ya", 1.0) not in (None, "")
    assert all(
        len(apply("realistic_noise typo", "di sini o", 1.0, seed).split()) == 3
        for seed in range(200)
    )
    assert apply("realistic_noise typo", "JKT48", 0.2).isupper()
    assert apply("realistic_noise typo", "12 rb", 1.0).startswith("12 ")
    assert not any(
        re.search(r"\d", apply("realistic_noise typo", "potong ketupat", 1.0, seed))
        for seed in range(100)
    )
    draft = realistic._Draft("ab", random.Random(1))
    draft.taken.add(1)
    assert not draft.hit("swap", "neighbours")
    assert not realistic._Draft("aA", random.Random(1)).hit("swap", "neighbours")


def test_mixed_noise_has_the_mix_of_unedited_texts():
    """At one mark a text that offers all of them the shares are those of the table."""
    text = "anak-anak yang baik tidak lewat di mana saja atau dapat izin , maaf"
    weights = noise_tables.marks(LEXICONS / "noise_mixture_id.csv")
    assert set(realistic._sites(text)) == set(weights)
    assert all(realistic._sites(text).values())
    outs = Counter(apply("realistic_noise mixed", text, 0.01, seed) for seed in range(1500))
    assert None not in outs
    negated = sum(
        number for out, number in outs.items() if " tidak" not in out and "tdk" not in out
    )
    paired = sum(number for out, number in outs.items() if out.startswith("anak2"))
    whole = sum(weights.values())
    assert abs(negated / 1500 - weights["negation"] / whole) < 0.04
    assert abs(paired / 1500 - weights["figure two"] / whole) < 0.03


def test_a_bad_row_of_the_mixture_is_named(tmp_path):
    path = tmp_path / "mixture.csv"
    path.write_text(
        "texts,mark,count,n,value,ci_low,ci_high\nall,slip,9,8,1,1,1\n", encoding="utf-8"
    )
    with pytest.raises(InputError, match="line 2 has '9' of '8' words"):
        noise_tables.marks(path)


def test_measured_table_agrees_with_earlier_counts():
    """True typos: 91% substitutions, 81% of them adjacent, 4% swaps; informal spelling mostly
    deletes, mostly vowels.
    """
    share = {kind: Counter() for kind in noise_tables.KINDS}
    with (LEXICONS / "noise_id.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["operation"], row["detail"]) for row in rows] == list(noise_tables.OPERATIONS) * 2
    whole = Counter()
    for row in rows:
        whole[row["kind"]] += int(row["count"])
    for row in rows:
        assert row["share"] == f"{int(row['count']) / whole[row['kind']]:.4f}"
        share[row["kind"]].update(
            {
                name: int(row["count"]) / whole[row["kind"]]
                for name in {row["operation"], f"{row['operation']} {row['detail'].split()[0]}"}
            }
        )
    typo, informal = share["typo"], share["informal"]
    assert abs(typo["substitution"] - 0.91) < 0.02
    assert abs(typo["substitution adjacent"] / typo["substitution"] - 0.81) < 0.02
    assert abs(typo["swap"] - 0.04) < 0.01
    assert informal["deletion"] > 0.5
    assert informal["deletion vowel"] / informal["deletion"] > 0.75


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        ("tengah", "tengaj", [("substitution", "adjacent")]),
        ("adik", "adek", [("substitution", "vowel for vowel")]),
        ("bisa", "bika", [("substitution", "other")]),
        (
            "dengan",
            "dgn",
            [
                ("deletion", "vowel inner"),
                ("deletion", "consonant inner"),
                ("deletion", "vowel inner"),
            ],
        ),
        ("habis", "abi", [("deletion", "consonant last"), ("deletion", "consonant first")]),
        ("itu", "it", [("deletion", "vowel last")]),
        ("banget", "bangett", [("insertion", "doubling last")]),
        ("iya", "iiya", [("insertion", "doubling first")]),
        ("coba", "cobak", [("insertion", "other last")]),
        ("enak", "wenak", [("insertion", "other first")]),
        ("ampun", "ampyun", [("insertion", "other inner")]),
        ("yang", "yagn", [("swap", "neighbours")]),
    ],
)
def test_operations_of_a_pair(right, wrong, expected):
    assert Counter(measuring().operations(right, wrong)) == Counter(expected)


@given(
    st.text(alphabet="aeint", min_size=1, max_size=9),
    st.text(alphabet="aeint", min_size=1, max_size=9),
)
def test_operations_are_as_many_as_the_distance(right, wrong):
    found = list(measuring().operations(right, wrong))
    assert len(found) == OSA.distance(right, wrong)
    assert set(found) <= set(noise_tables.OPERATIONS)


def test_which_pairs_are_measured(tmp_path):
    lexicon = "slang,formal,In-dictionary,context,category1,category2,category3\n"
    lexicon += "kabat,kabar,1,,salah ketik,0,0\nkbar,kabar,1,,abreviasi,0,0\n"
    lexicon += "kaar,kabar,1,,abreviasi,salah ketik,0\nngabarin,mengabari,1,,afiksasi,0,0\n"
    lexicon += "kabaaaar,kabar,1,,elongasi,0,0\nkxbxt,kabar,1,,salah ketik,0,0\n"
    lexicon += "kabar2,kabar,1,,reduplikasi,0,0\n"
    (tmp_path / "list.csv").write_text(lexicon, encoding="utf-8")
    (tmp_path / "full.csv").write_text(
        "no,transformed,original-for,transformation\n1,sampe,sampai,sound-alter\n"
        "2,resto,restoran,shorten\n",
        encoding="utf-8",
    )
    (tmp_path / "a.inf").write_text("gw udah mkn di sana\nkasih tau\n", encoding="utf-8")
    (tmp_path / "a.for").write_text("saya sudah makan di sana\nberi tahu\n", encoding="utf-8")
    (tmp_path / "other.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    found = [
        pair
        for file in sorted(tmp_path.iterdir())
        for pair in measuring().usable(measuring().pairs_of(file))
    ]
    assert sorted(found) == [
        ("informal", "kabar", "kabaar"),
        ("informal", "kabar", "kbar"),
        ("informal", "makan", "mkn"),
        ("informal", "sampai", "sampe"),
        ("informal", "tahu", "tau"),
        ("typo", "kabar", "kabat"),
    ]


def test_measuring_without_pairs_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(
        sys,
        "argv",
        ["measure_noise.py", "--pairs", str(tmp_path), "--output", str(tmp_path / "out.csv")],
    )
    with pytest.raises(SystemExit, match="no pairs of both kinds"):
        measuring().main()
    assert not (tmp_path / "out.csv").exists()


def test_the_committed_figures_are_what_the_pairs_give(mirror, tmp_path, monkeypatch, capsys):
    folders = [str(mirror / owner) for owner in ("nasalsabila", "haryoa")]
    monkeypatch.setattr(
        sys,
        "argv",
        ["measure_noise.py", "--pairs", *folders, "--output", str(tmp_path / "noise_id.csv")],
    )
    measuring().main()
    assert (tmp_path / "noise_id.csv").read_bytes() == (LEXICONS / "noise_id.csv").read_bytes()
    assert "colloquial-indonesian-lexicon.csv: " in capsys.readouterr().out


@pytest.mark.parametrize(("language", "least"), [("id", 1400), ("en", 900)])
def test_misspelling_lexicon(language, least):
    """Sorted, unique, lower-case words that `words.words` takes for one; every kind occurs, and few
    misspellings are other entries' right words.

    Every pair is attested: it stands in a public list, or its misspelling at least twice in texts.
    """
    with (LEXICONS / f"misspellings_{language}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    pairs = [(row["word"], row["misspelling"]) for row in rows]
    assert len(pairs) >= least
    assert pairs == sorted(set(pairs))
    assert {row["kind"] for row in rows} == set(noise_tables.MISSPELLINGS[language])
    assert all(int(row["lists"]) >= 1 or int(row["texts"]) >= 2 for row in rows)
    assert all(
        [found.text for found in words.words(text)] == [text] for pair in pairs for text in pair
    )
    assert all(OSA.distance(*pair) <= max(2, len(pair[0]) * 0.6) for pair in pairs)
    right = {word for word, _ in pairs}
    assert {
        tuple(row.values())[:2]
        for row in rows
        if row["misspelling"] in right and row["kind"] != "homophone"
    } <= {("we're", "were")}


def test_how_many_misspellings_public_lists_have_too(mirror):
    """The column `lists` is what the lists say."""
    found = script("attest_misspellings").public([mirror])
    assert sorted(found) == [
        "colloquial-indonesian-lexicon",
        "combined",
        "indo-collex",
        "new",
        "stif",
    ]
    with (LEXICONS / "misspellings_id.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(
        int(row["lists"])
        == sum((row["word"], row["misspelling"]) in pairs for pairs in found.values())
        for row in rows
    )


def test_misspellings_are_kept_that_are_attested(tmp_path, monkeypatch, capsys):
    """A pair stays that a list has or whose misspelling stands twice in the texts, in lower case
    and as a word of its own.
    """
    lists, texts, table = tmp_path / "lists", tmp_path / "texts", tmp_path / "table.csv"
    for folder in (lists, texts):
        folder.mkdir()
    (lists / "new_kamusalay.csv").write_text("bgt,banget\n", encoding="latin-1")
    (lists / "full.csv").write_text(
        "no,transformed,original-for,transformation\n1,bgt,banget,x\n", encoding="utf-8"
    )
    (lists / "spelling_en.txt").write_text("luck lick\n", encoding="utf-8")
    (texts / "a.txt").write_text("degan degan tida pagai PAGAI @pagai\n", encoding="utf-8")
    with lzma.open(texts / "b.txt.xz", "wt", encoding="utf-8") as file:
        file.write("tida-tida tida\n")
    (texts / "heldout.txt").write_text("pagai pagai\n", encoding="utf-8")
    table.write_text(
        "word,misspelling,kind\npagi,pagai,slip\nbanget,bgt,chat\nluck,lick,slip\n",
        encoding="utf-8",
    )
    (tmp_path / "more.csv").write_text(
        "word,misspelling,kind\ndengan,degan,slip\ntidak,tida,chat\nbanget,bgt,slip\n",
        encoding="utf-8",
    )
    command = [
        "attest_misspellings.py",
        "--lists",
        str(lists),
        "--texts",
        str(texts),
        "--add",
        str(tmp_path / "more.csv"),
        "--output",
        str(table),
    ]
    monkeypatch.setattr(sys, "argv", command)
    script("attest_misspellings").main()
    expected = "word,misspelling,kind,lists,texts\nbanget,bgt,chat,2,0\ndengan,degan,slip,0,2\n"
    expected += "luck,lick,slip,1,0\ntidak,tida,chat,0,2\n"
    assert table.read_text(encoding="utf-8") == expected
    assert "6 rows, 4 attested: 2 in lists, 2 in texts" in capsys.readouterr().out
    monkeypatch.setattr(
        sys, "argv", ["attest_misspellings.py", "--lists", str(lists), "--output", str(table)]
    )
    script("attest_misspellings").main()
    assert (
        table.read_text(encoding="utf-8")
        == "word,misspelling,kind,lists,texts\nbanget,bgt,chat,2,\nluck,lick,slip,1,\n"
    )


def test_ocr_lexicon():
    with (LEXICONS / "ocr_confusions.csv").open(encoding="utf-8", newline="") as file:
        rows = [tuple(row.values()) for row in csv.DictReader(file)]
    pairs = [row[:2] for row in rows]
    assert pairs == sorted(set(pairs))
    assert all(note for *_, note in rows)
    assert {
        ("l", "1"),
        ("1", "I"),
        ("o", "0"),
        ("rn", "m"),
        ("m", "rn"),
        ("cl", "d"),
        ("e", "c"),
        ("u", "v"),
        ("5", "S"),
        ("B", "8"),
    } <= set(pairs)


@pytest.mark.parametrize(
    ("load", "text", "message"),
    [
        (
            lambda path: noise_tables.confusions(path),
            "from,to\n",
            "line 1 has a wrong number of cells: 2, not 3",
        ),
        (
            lambda path: noise_tables.confusions(path),
            "from,to,why\na,b,c\n",
            "line 1 is not the header from,to,note",
        ),
        (
            lambda path: noise_tables.confusions(path),
            "from,to,note\nl,l,x\n",
            "line 2 misreads 'l' as 'l'",
        ),
        (
            lambda path: noise_tables.confusions(path),
            "from,to,note\nl,1,x\né,e,x\n",
            "line 3 misreads 'é'",
        ),
        (
            lambda path: noise_tables.confusions(path),
            "from,to,note\nl,1,x\nc,ç,x\n",
            "line 3 misreads 'c' as 'ç'",
        ),
        (
            lambda path: noise_tables.confusions(path),
            "from,to,note\nl,1,x\nl,1,y\n",
            "line 3 repeats 'l' as '1'",
        ),
        (
            lambda path: noise_tables.misspellings(path, "id"),
            f"{MISSPELT}\napotek,apotek,chat,1,\n",
            "line 2 has 'apotek' and 'apotek'",
        ),
        (
            lambda path: noise_tables.misspellings(path, "id"),
            f"{MISSPELT}\nApotek,apotik,chat,1,0\n",
            "line 2 has 'Apotek'",
        ),
        (
            lambda path: noise_tables.misspellings(path, "id"),
            "word,misspelling,kind,lists,texts\nkerja,di kerja,chat,1,0\n",
            "line 2 has 'kerja' and 'di kerja'",
        ),
        (
            lambda path: noise_tables.misspellings(path, "id"),
            f"{MISSPELT}\napotek,apotik,spelling,1,0\n",
            "line 2 is of the kind 'spelling'; kinds are non",
        ),
        (
            lambda path: noise_tables.misspellings(path, "id"),
            f"{MISSPELT}\napotek,apotik,slip,0,\n",
            "line 2 has '0' lists and '' texts",
        ),
        (
            lambda path: noise_tables.misspellings(path, "en"),
            "word,misspelling,kind,lists,texts\nthe,teh,slip,1,\nthe,teh,slip,1,\n",
            "line 3 repeats 'the' as 'teh'",
        ),
        (
            lambda path: noise_tables.measured(path),
            "kind,operation,detail,count,share\ntypo,swap,letters,1,1\n",
            "line 2 has 'typo', 'swap', 'letters'",
        ),
        (
            lambda path: noise_tables.measured(path),
            "kind,operation,detail,count,share\ntypo,swap,neighbours,-1,1\n",
            "line 2 has .*whole number",
        ),
        (
            lambda path: noise_tables.measured(path),
            "kind,operation,detail,count,share\ntypo,swap,neighbours,1,1\n",
            "no counted operation",
        ),
    ],
)
def test_bad_rows_are_named(tmp_path, load, text, message):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        load(path)


def test_how_often_they_apply_to_real_texts(mirror):
    """On SmSA's test set all but a text or two are changed, and the levels are the levels."""
    texts = data.load("smsa", "test")["text"].head(120)
    for setting in SETTINGS:
        if setting.endswith("en"):
            continue
        results = [apply(setting, text, 0.05, seed) for seed, text in enumerate(texts)]
        assert sum(result is not None for result in results) >= 0.98 * len(texts)
        asked = sum(units.count(places.visible(text), 0.05) for text in texts)
        achieved = sum(
            OSA.distance(text, result or text) for text, result in zip(texts, results, strict=True)
        )
        assert abs(achieved / asked - 1) < (0.25 if setting.startswith("ocr") else 0.1)
