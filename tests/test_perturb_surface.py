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
def test_punctuation_only_appends_a_mark(text, seed):
    changed = one("punctuation", text, 1.0, seed)
    assert (changed is None) == (text.strip() == "")
    if changed:
        body = text.rstrip()
        added = changed[len(body) : len(changed) - (len(text) - len(body))]
        assert changed == body + added + text[len(body) :]
        assert added.strip() in surface.MARKS["id"]
        assert not surface._ends(body, added.strip())


@pytest.mark.parametrize(
    ("text", "spaced"),
    [
        ("enak , murah", True),
        ("enak, murah", False),
        ("enak, lalu murah .", True),
        ("enak", False),
        ("enak @budi", True),
        ("enak :D", True),
        ("enak <mask>", True),
        ("enak\u0301", False),
        ("kata a@b.com", True),
        ("Rp5.000", False),
        ("enak banget\u200d", True),
    ],
)
def test_the_blank_before_a_mark(text, spaced):
    assert one("punctuation", text, marks=["!"]) == f"{text}{' ' if spaced else ''}!"
    assert one("punctuation", text, marks=["!"], blank=True) == f"{text} !"
    assert one("punctuation", text, marks=["!"], blank=False) == f"{text}!"


@pytest.mark.parametrize("marks", [[], [""], "!!", ["! !"], ["! "]])
def test_bad_marks(marks):
    with pytest.raises(InputError, match="marks is a list of punctuation marks"):
        surface.punctuation(marks=marks)


def shape(text: str) -> str:
    return re.sub(r"\d", "9", text)


@given(TEXTS, st.integers(0, 2**32), LANGUAGES)
def test_numbers_keep_their_shape(text, seed, language):
    changed = one("swap_number", text, 1.0, seed, language=language)
    if changed is not None:
        assert shape(changed) == shape(text)
        spans = list(number_shapes.sites(text, language))
        assert all(changed[start:end] != text[start:end] for start, end in spans)
        assert all(changed[start] != "0" or text[start] == "0" for start, end in spans)


@pytest.mark.parametrize(
    ("number", "pattern"),
    [
        ("25rb", r"\d[1-9]?\drb"),
        ("100", r"[1-9]00"),
        ("1.000.000", r"[1-9]\.000\.000"),
        ("0,5", r"0,[1-9]"),
        ("12%", r"[1-9]\d%"),
        ("2x", r"[2-9]x"),
        ("9/10", r"[2-9]/[1-9]0"),
        ("3-14", r"[2-9]-[1-9]\d"),
        ("2019", r"(?:19[5-9]|20[0-2])\d"),
        ("90an", r"[1-9]0an"),
        ("0", r"[2-9]"),
        ("-5", r"-[2-9]"),
        ("Rp5.000,-", r"Rp[1-9]\.000,-"),
    ],
)
def test_shapes_of_numbers(number, pattern):
    drawn = {one("swap_number", number, seed=seed) for seed in range(60)}
    assert all(re.fullmatch(pattern, text) for text in drawn)
    assert number not in drawn
    assert len(drawn) > 4


@pytest.mark.parametrize(
    "text",
    [
        "19:30",
        "jam 7.30",
        "12/05/2024",
        "1-2-3",
        "0812 3456 7890",
        "+62 812-3456-789",
        "(021) 5551234",
        "12345678",
        "iphone13",
        "4g",
        "anak2",
        "007",
        "v1.2.3",
        "192.168.1.1",
        "24/7",
        "2nd",
        "3️⃣",
        "٣",
        "#1",
        "@user9",
        "x@y9.com",
        "https://a.id/9",
        "[USER 1]",
    ],
)
def test_no_numbers(text):
    assert one("swap_number", f"cek {text} ya") is None


@pytest.mark.parametrize("number", ["20.3", "19,5", "2,05"])
def test_four_signs_with_a_separator_are_no_year(number):
    changed = one("swap_number", f"versi {number} baru")
    assert re.fullmatch(r"versi [1-9]\d?[.,]\d\d? baru", changed) and number not in changed


def test_a_point_is_a_decimal_point_in_english_and_a_clock_in_indonesian():
    assert one("swap_number", "rated 7.30", language="en") is not None
    assert one("swap_number", "jam 7.30", language="id") is None


@pytest.mark.parametrize("language", ["id", "en"])
def test_number_words(language):
    series = number_shapes.series(language)
    for word, others in series.items():
        assert word in others and len(others) > 1
        drawn = {
            one("swap_number", word.upper(), seed=seed, language=language, words=True)
            for seed in range(60)
        }
        assert drawn == {other.upper() for other in others if other != word}
        assert one("swap_number", word, language=language) is None


@pytest.mark.parametrize("name", ["swap_number", "word_case"])
@pytest.mark.parametrize(("rate", "units"), [(0.01, 1), (0.3, 3), (0.5, 5), (1.0, 10)])
def test_the_rate_is_a_share_of_the_sites(name, rate, units):
    text = " ".join(
        f"kata {number}" if name == "swap_number" else "kata" for number in range(11, 21)
    )
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
