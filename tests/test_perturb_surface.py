"""Punctuation, numbers, marks of Twitter, capitals: what their docstrings promise."""

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tahanuji import perturb, words
from tahanuji.errors import InputError
from tahanuji.perturb import number_shapes, surface

FACTORIES = {
    name: getattr(surface, name) for name in ("punctuation", "swap_number", "twitter", "word_case")
}
PIECES = [
    "kopi",
    "enak",
    "Es",
    "anak2",
    "25rb",
    "Rp1.250.000",
    "4,5",
    "2019",
    "19:30",
    "@budi",
    "#promo",
    "https://t.co/a1",
    "a@b.com",
    "[USERNAME]",
    "<mask>",
    "😀",
    "3️⃣",
    ":D",
    "e\u0301nak",
    "قهوة",
    "\u200b",
    "7/10",
    "0812-3456-7890",
    ".",
    ",",
    "!",
    "...",
    "dua",
    "ß",
    "İ",
    "ı",
    "ⅷ",
    "①",
]
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=9).map(" ".join)
LANGUAGES = st.sampled_from(["id", "en"])
PROTECTED = re.compile(r"https?://\S+|[\w.]+@[\w.]+\.\w+|[@#]\w+|\[[A-Z]+\]|<\w+>|😀|3️⃣")


def one(name: str, text: str, rate: float = 1.0, seed: int = 1, **options) -> str | None:
    return FACTORIES[name](**options)(text, rate, random.Random(perturb.key(seed, "a")))


@pytest.mark.parametrize("name", FACTORIES)
def test_one_long_token_is_read_too(name):
    assert one(name, "9" * 20_000 + "a" * 20_000) != ""


@given(TEXTS, st.integers(0, 2**32))
def test_punctuation_touches_full_stops_commas_and_blanks_only(text, seed):
    changed = one("punctuation", text, 1.0, seed)
    if changed is not None:
        assert re.sub(r"[., ]", "", changed) == re.sub(r"[., ]", "", text)
        assert [word.text for word in words.words(changed)] == [
            word.text for word in words.words(text)
        ]
        assert abs(changed.count(".") - text.count(".")) <= 2


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("enak", {"enak.", "enak.."}),
        ("enak .", {"enak", "enak .."}),
        ("enak.", {"enak", "enak.."}),
        ("lebih enak , murah !", {"lebih enak, murah !"}),
        ("lebih enak, murah !", {"lebih enak , murah !", "lebih enak,murah !"}),
        ("enak ..", {None}),
        ("enak ???", {None}),
        ("enak :D", {None}),
        ("enak <mask>", {None}),
        ("4,5", {"4,5.", "4,5.."}),
    ],
)
def test_what_careless_punctuation_is(text, drawn):
    assert {one("punctuation", text, seed=seed) for seed in range(40)} == drawn


def shape(text: str) -> str:
    return re.sub(r"\d", "9", text)


@given(TEXTS, st.integers(0, 2**32), LANGUAGES)
def test_numbers_keep_their_shape(text, seed, language):
    changed = one("swap_number", text, 1.0, seed, language=language)
    if changed is not None:
        assert shape(changed) == shape(text)
        sites = number_shapes.sites(text, language)
        assert all(changed[site.start : site.end] != text[site.start : site.end] for site in sites)
        assert all((changed[site.start] == "0") == (text[site.start] == "0") for site in sites)


@pytest.mark.parametrize(
    ("number", "near"),
    [
        ("25rb", {"20rb", "30rb"}),
        ("100 ribu", {"110 ribu", "120 ribu"}),
        ("0,5 kg", {"0,4 kg", "0,6 kg"}),
        ("12%", {"10%", "11%", "13%", "14%"}),
        ("2x", {"3x"}),
        ("9 orang", {"8 orang"}),
        (
            "Rp5.000,-",
            {f"Rp{number}.{rest}00,-" for number, rest in [(4, 0), (4, 5), (5, 5), (6, 0)]},
        ),
        (
            "2.80 juta",
            {f"2.{tens}0 juta" for tens in (3, 4, 5, 6, 7, 9)}
            | {f"3.{tens}0 juta" for tens in range(4)},
        ),
    ],
)
def test_near_numbers_of_the_same_shape(number, near):
    assert {one("swap_number", number, seed=seed) for seed in range(200)} == near


@pytest.mark.parametrize(
    "text",
    [
        *("19:30", "jam 7.30", "12/05/2024", "1-2-3", "0812 3456 7890", "+62 812-3456-789"),
        *("(021) 5551234", "12345678", "iphone13", "4g", "anak2", "007 jam", "v1.2.3", "24/7"),
        *("3️⃣", "٣ jam", "#1", "@user9", "x@y9.com", "https://a.id/9", "[USER 1]", "2nd"),
        *("0 ribu", "1 jam", "24 jam", "100 %", "2019", "bintang 5", "8/10", "sheila on 7"),
        *("nomor 3", "kurang dari 12 jam", "2 - 3 hari", "3 jam , bukan 2 jam", "kilometer 146"),
        *("maksimal 90 hari", "jam 8 malam", "lantai 3", "5 Mei", "160 x 200", "2 sampai 3 hari"),
    ],
)
def test_numbers_that_stay(text):
    assert one("swap_number", f"cek {text} ya") is None


@pytest.mark.parametrize("name", ["swap_number", "word_case"])
@pytest.mark.parametrize(("rate", "units"), [(0.01, 1), (0.3, 3), (0.5, 5), (1.0, 10)])
def test_the_rate_is_a_share_of_the_sites(name, rate, units):
    counted = ["lembar", "orang", "porsi", "kg", "liter", "meter", "kamar", "kursi", "tiket", "jam"]
    text = " ".join(f"12 {word}" for word in counted) if name == "swap_number" else "kata " * 10
    changed = one(name, text, rate)
    assert sum(old != new for old, new in zip(text.split(), changed.split(), strict=True)) == units


def test_additions_of_twitter():
    drawn = [one("twitter", "kopi enak", seed=seed) for seed in range(80)]
    assert all(
        re.fullmatch(r"@[a-z]{6}\d{3} kopi enak|kopi enak https://t\.co/[A-Za-z0-9]{10}", text)
        for text in drawn
    )
    assert {text[0] for text in drawn} == {"@", "k"}
    assert len(set(drawn)) == 80
    for kind, found in (("mention", "@"), ("link", "https://t.co/")):
        assert one("twitter", "kopi", kind=kind, place="start").startswith(found)
        assert one("twitter", "kopi", kind=kind, place="end").startswith(f"kopi {found}")


@pytest.mark.parametrize(("option", "kind"), [("kind", "kind of addition"), ("place", "place")])
def test_unknown_options_of_twitter(option, kind):
    with pytest.raises(InputError, match=f"unknown {kind} 'mentions'"):
        surface.twitter(**{option: "mentions"})


@given(TEXTS)
def test_capitals_change_nothing_but_case(text):
    changed = one("word_case", text)
    if changed is not None:
        assert changed.upper() == text.upper()
        assert one("word_case", changed) is None
        assert all(word.text == word.text.upper() for word in words.words(changed))


def test_capitals_are_unicodes():
    assert one("word_case", "straße e\u0301clair ığdır ﬁlm") == "STRASSE E\u0301CLAIR IĞDIR FILM"
