"""Clauses turned into their opposite: what the docstring promises."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahanuji import perturb
from tahanuji.perturb import reversal, reversal_id
from tahanuji.perturb.clauses import Sentence

PIECES = (
    "tidak Tidak gak bukan belum jangan kurang enak mahal terbaik sangat sudah terlalu yang dan "
    "tapi tempatnya hanya mau lagi pernah TIDAK ENAK suka "
    "penipu luar biasa paling it is isn't not n't do don't does never good like likes He they can "
    "cannot can't ca wo have been seen very Not and but "
    ", . ? @tidak #enak https://a.id/not [USERNAME] 😀 3 e\u0301nak"
)
TEXTS = st.text(max_size=50) | st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join)
LANGUAGES = st.sampled_from(["id", "en"])


def one(text: str, rate: float = 1.0, seed: int = 1, language: str = "id") -> str | None:
    return reversal.reversed_negation(language)(text, rate, random.Random(perturb.key(seed, "a")))


def sites(text: str, language: str) -> list:
    return (reversal_id.sites if language == "id" else reversal._sites_en)(Sentence(text))


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("id", "enak tapi tidak @tidak lagi murah", "tidak enak tapi @tidak murah"),
        ("id", "Tidak @budi pernah telat", "@budi telat"),
        ("en", "do @tidak not buy", "@tidak buy"),
        ("en", "Do @budi not buy", "@budi buy"),
        ("en", "it does @budi not work", "it @budi works"),
        ("en", "I ca @budi n't complain", "I ca @budi n't complain"),
    ],
)
def test_a_mention_between_words_that_go_together_stays(language, text, expected):
    assert (one(text, language=language) or text) == expected


@settings(max_examples=150)
@given(text=TEXTS, language=LANGUAGES)
def test_changes_do_not_overlap_and_really_change(text, language):
    end = 0
    for edits in sites(text, language):
        assert edits
        for start, stop, new in edits:
            assert end <= start <= stop <= len(text)
            assert text[start:stop] != new
            end = stop


@pytest.mark.parametrize(("rate", "clauses"), [(0.01, 1), (0.3, 3), (0.5, 5), (1.0, 10)])
def test_the_rate_is_a_share_of_the_clauses(rate, clauses):
    assert one("enak , " * 10, rate).count("tidak") == clauses
    assert one("it is good , " * 10, rate, language="en").count("not") == clauses


INDONESIAN = [
    ("enak", "tidak enak"),
    ("tidak enak", "enak"),
    ("TIDAK ENAK", "ENAK"),
    ("Tidak enak", "Enak"),
    ("Enak", "Tidak enak"),
    ("ENAK", "TIDAK ENAK"),
    ("enak banget", "nggak enak banget"),
    ("enak , gak mahal", "gak enak , mahal"),
    ("sangat enak", "tidak enak"),
    ("lumayan enak", "tidak enak"),
    ("masih belum enak", "sudah enak"),
    ("selalu ramah", "tidak pernah ramah"),
    ("tidak begitu enak", "enak"),
    ("gampang rusak", "tidak gampang rusak"),
    ("sinyal nya memang jelek", "sinyal nya memang tidak jelek"),
    ("ramah banget orang nya", "nggak ramah banget orang nya"),
    ("terlalu mahal", "tidak terlalu mahal"),
    ("kurang enak", "enak"),
    ("sudah enak", "belum enak"),
    ("belum enak", "sudah enak"),
    ("blm enak", "udah enak"),
    ("jangan dibeli", "dibeli"),
    ("jangan pernah dibeli", "dibeli"),
    ("tidak lagi enak", "enak"),
    ("dia bukan penipu", "dia penipu"),
    ("dia penipu", "dia bukan penipu"),
    ("kota ini yang terbaik", "kota ini bukan yang terbaik"),
    ("kota ini terbaik", "kota ini bukan yang terbaik"),
    ("soto nya paling enak", "soto nya bukan yang paling enak"),
    ("saya paling suka rawon", "saya tidak suka rawon"),
    ("luar biasa", "tidak luar biasa"),
    ("enak dan murah", "tidak enak dan tidak murah"),
    ("makanan nya enak , servis nya lambat", "makanan nya tidak enak , servis nya tidak lambat"),
    ("tidak 3 enak", "3 enak"),
    ("tidak merasa kecewa", "merasa kecewa"),
]
STAYING = [
    "mau tidak mau",
    "mau tak mau",
    "bukan main",
    "tidak apa-apa",
    "tidak ada duanya",
    "tidak ada salahnya",
    "tidak sabar",
    "tidak mungkin tidak enak",
    "tidak kalah enak",
    "tidak hanya enak tapi juga murah",
    "yang paling enak",
    "jauh lebih enak",
    "di rumah sakit",
    "tidak usah tidak khawatir",
    "semoga enak",
    "kalau enak saya beli",
    "walaupun mahal , makanannya enak",
    "enak , kemarin kami duduk di teras sampai sore",
    "sudah transfer tapi etiket belum masuk",
    "belum kecewa dan tidak pernah tidak enak",
    "sama sekali tidak enak",
    "enak , tapi kopinya terlalu encer",
    "terima kasih , enak",
    "tidak heran",
    "jangan lupa",
    "jangan khawatir",
    "enak nggak ?",
    "bukan ?",
    "kalau tidak , pulang",
    "belum lagi",
    "tanpa kecewa",
    "bukan A melainkan B",
    "terima kasih",
    "wow",
    "kebaikan",
    "sayangnya",
    "senang hati",
    "enaknya",
    "@tidak #enak",
    "setidaknya ketidakadilan",
    "tidak",
    "jadwalnya jam tujuh",
    "ya tidak juga",
]
ENGLISH = [
    ("it is good", "it is not good"),
    ("it isn't good", "it is good"),
    ("it is n't good", "it is good"),
    ("it's good", "it's not good"),
    ("it 's not good", "it 's good"),
    ("I like it", "I do not like it"),
    (
        "food was good and the captain's jokes were great",
        "food was not good and the captain's jokes were not great",
    ),
    ("staff and food are good", "staff and food are not good"),
    ("the ref was bad n the pitch was great", "the ref was not bad n the pitch was not great"),
    ("She likes it", "She does not like it"),
    ("She liked it", "She did not like it"),
    ("She doesn't like it", "She likes it"),
    ("She didn't like it", "She liked it"),
    ("Didn't like it", "Liked it"),
    ("I do not really like it", "I really like it"),
    ("I really like it", "I do not really like it"),
    ("They never reply", "They reply"),
    ("You can go", "You cannot go"),
    ("You cannot go", "You can go"),
    ("You ca n't go", "You can go"),
    ("It won't work", "It will work"),
    ("We should go", "We should not go"),
    ("Don't go", "Go"),
    ("Do not go", "Go"),
    ("Not good", "Good"),
    ("I DON'T LIKE IT", "I LIKE IT"),
    ("IT IS GOOD", "IT IS NOT GOOD"),
    ("it is good but I do not like it", "it is not good but I like it"),
]
STAYING_EN = [
    "I can't wait",
    "hi , is the pool good",
    "they were good and explained every fee",
    "it was good and the captain's dog ate the cake",
    "he did not overcharge or leave a mess",
    "not only",
    "It is not only cheap",
    "Do n't worry",
    "Don't worry",
    "Is it good ?",
    "why not",
    "good food",
    "couldn't agree more",
    "they went home",
    "she ordered two plates",
    "it is good but we ordered late",
    "it is also good",
    "if it is good I buy it",
    "it is good , thanks",
    "it is good , a bit of a walk from the station",
]


@pytest.mark.parametrize(("text", "expected"), INDONESIAN)
def test_indonesian(text, expected):
    assert one(text) == expected


@pytest.mark.parametrize("text", STAYING)
def test_indonesian_that_stays(text):
    assert one(text) is None


@pytest.mark.parametrize(("text", "expected"), ENGLISH)
def test_english(text, expected):
    assert one(text, language="en") == expected


@pytest.mark.parametrize("text", STAYING_EN)
def test_english_that_stays(text):
    assert one(text, language="en") is None


def test_a_text_that_asks_stays():
    assert one("enak tidak ? mahal . murah ? lezat !") is None


def test_what_may_be_for_or_against_keeps_the_whole_text():
    assert one("kuah nya enak , harga nya murah") == "kuah nya tidak enak , harga nya tidak murah"
    assert one("kuah nya enak , antre nya dari jam lima pagi sampai siang") is None
    assert one("kuah nya enak , di sini") == "kuah nya tidak enak , di sini"


def test_judging_words():
    known = reversal_id.predicates()
    assert 1200 < len(known) < 2059
    assert set(known.values()) == {"tidak", "bukan", "bukan yang"}
    expected = {
        "enak": "tidak",
        "terenak": "bukan yang",
        "tersenyum": "tidak",
        "penipu": "bukan",
        "kalah": "tidak",
        "kebaikan": None,
        "anjing": None,
    }
    assert {word: known.get(word) for word in expected} == expected


def test_what_is_taken_away_comes_back():
    for text in ("enak", "tempatnya bersih , airnya jernih", "pelayanannya lambat"):
        assert one(one(text)) == text
    for text in ("it is good", "She likes it", "they can come"):
        assert one(one(text, language="en"), language="en") == text
