"""Adverbs before verbs, tense, voice, aspect: the word lists, and what the docstrings promise."""

import random
import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahanuji import lexicons, perturb, words
from tahanuji.errors import InputError
from tahanuji.perturb import adverb_places, verbs, verbs_en, verbs_id
from tahanuji.perturb.clauses import Sentence

FACTORIES = {"insert_adverb": verbs.insert_adverb, "verb_form": verbs.verb_form}
PIECES = (
    "saya gue Dia tidak nggak jangan sudah lagi akan bisa yang untuk sangat membaca dibaca nyobain "
    "dibeliin Membuka beli dibacanya datang DIBAYAR "
    "he She I they the was had don't didn't to can never not loves love loved put went left WANTS "
    "and but , . ? @dibaca #love https://a.id/love "
    "[USERNAME] 😀 e\u0301nak"
)
TEXTS = st.text(max_size=50) | st.lists(st.sampled_from(PIECES.split()), max_size=12).map(" ".join)
LANGUAGES = st.sampled_from(["id", "en"])


def words_of(text: str) -> list[str]:
    return text.split()


def one(name: str, text: str, rate: float = 1.0, seed: int = 1, **options) -> str | None:
    return FACTORIES[name](**options)(text, rate, random.Random(perturb.key(seed, "a")))


def drawn(name: str, text: str, **options) -> set[str | None]:
    return {one(name, text, seed=seed, **options) for seed in range(60)}


@settings(max_examples=80)
@given(text=TEXTS, seed=st.integers(0, 2**32), language=LANGUAGES)
def test_without_the_adverbs_the_text_is_as_before(text, seed, language):
    """Each adverb stands at a site, and at most once."""
    changed = one("insert_adverb", text, 1.0, seed, language=language)
    if changed is not None:
        sentence = Sentence(text)
        sites = adverb_places.sites if language == "id" else verbs._adverb_sites_en
        texts = [adverb.text for adverb in verbs.adverbs(language)]
        listed = "|".join(sorted(texts, key=len, reverse=True))
        pattern, end = "", 0
        for at, _ in sites(sentence):
            start = sentence.words[at].start
            pattern += re.escape(text[end:start]) + f"(?:({listed}) )?"
            end = start
        match = re.fullmatch(pattern + re.escape(text[end:]), changed, re.IGNORECASE)
        added = [adverb.lower() for adverb in match.groups() if adverb]
        assert added and len(set(added)) == len(added)


def test_bad_options():
    with pytest.raises(InputError, match="did you mean 'voice'"):
        verbs.verb_form(change="voices")


@pytest.mark.parametrize(("rate", "units"), [(0.01, 1), (0.3, 3), (0.5, 5), (1.0, 10)])
def test_the_rate_is_a_share_of_the_verbs(rate, units):
    changed = one("verb_form", "kopi dibuang , " * 10, rate)
    assert sum(part != "kopi dibuang" for part in changed.split(" , ") if part) == units


def test_the_rate_is_a_share_of_the_places_until_the_adverbs_are_used_up():
    text = "kopi nya tidak dibuang . " * 10
    added = {0.01: 1, 0.2: 2, 0.3: 3, 1.0: 4}  # sama sekali, memang, benar-benar, betul-betul
    for rate, adverbs in added.items():
        assert one("insert_adverb", text, rate).count("nya tidak") == 10 - adverbs


def test_adverbs_affirm_and_nothing_else():
    """No adverb is a sentiment word, a negator or one of time, frequency or degree."""
    for language in ("id", "en"):
        listed = [adverb.text for adverb in verbs.adverbs(language)]
        assert listed == sorted(set(listed))
        assert {adverb.kind for adverb in verbs.adverbs(language)} >= {"any", "claim"}
    closed = lexicons.sentiment_words().keys() | verbs_id.members(
        "form of tidak", "other negator", "aspect after tidak", "always", "ability"
    )
    closed |= set(words_of("kadang jarang sering umumnya biasanya dulu tadi sempat lantas kembali"))
    assert not any(closed & set(adverb.text.split()) for adverb in verbs.adverbs("id"))


def test_registers_and_kinds_of_adverbs():
    kinds = {adverb.text: adverb for adverb in verbs.adverbs("id")}

    def added(before, after):
        texts = drawn("insert_adverb", f"{before} {after}")
        return {text.removeprefix(f"{before} ").removesuffix(f" {after}") for text in texts}

    casual = added("gue", "nggak bisa masuk")
    assert casual == {text for text, adverb in kinds.items() if adverb.register != "formal"}
    formal = added("beliau", "tidak bisa masuk")
    assert formal == {text for text, adverb in kinds.items() if adverb.register != "colloquial"}
    assert added("beliau", "bisa masuk") == formal - {"sama sekali"}
    assert added("beliau", "sudah masuk") == {"memang"}
    assert added("beliau", "merasa rugi") == {"memang", "benar-benar", "betul-betul"}
    doing = {text.split()[1] for text in drawn("insert_adverb", "She called", language="en")}
    assert doing == {adverb.text for adverb in verbs.adverbs("en") if adverb.kind == "any"}


ADVERBS_FIT = (
    "paket nya | tidak dikirim|saya | sudah membayar|paket yang | tidak bisa dibuka|"
    "gagal karena | belum membayar|harga ini | bisa dikurangi|server | tidak bisa dibuka|"
    "kalau | mau membeli|dan | tidak membalas"
)
NO_ADVERBS = (
    "tolong dibalas|di tanggapi|saya makan|mereka tidak membalas ?|kenapa saya tidak membalas|"
    "paket yang saya kirim|untuk tidak dibuka|semoga kami bisa datang|jangan tidak datang|"
    "saya memang tidak membeli|sejak saya sudah membayar|surat yang saya sudah baca|"
    "beli kopi dan minum teh|ada yang bisa membantu|saya juga harus membayar|"
    "sebenarnya bukan membeli|bisa dibuka tidak|saya membeli kopi|"
    "penting nya menjaga toko|harusnya tidak membeli|saya mau lapor pohon tumbang|"
    "saya mau memesan dua kotak"
)


@pytest.mark.parametrize("text", ADVERBS_FIT.replace(" | ", "~").split("|"))
def test_where_an_indonesian_adverb_fits(text):
    before, after = text.split("~")
    texts = drawn("insert_adverb", f"{before} {after}")
    assert f"{before} memang {after}" in texts
    assert all(one.startswith(before) and one.endswith(after) for one in texts)


@pytest.mark.parametrize("text", NO_ADVERBS.split("|"))
def test_where_no_indonesian_adverb_fits(text):
    assert one("insert_adverb", text) is None


def test_an_adverb_of_the_text_is_not_added_again():
    text = "memang begitu , beliau sudah membayar"
    assert one("insert_adverb", text) is None
    assert one("insert_adverb", text.removeprefix("memang ")) is not None
    assert one("insert_adverb", "He actually called , he called", language="en") is None


def test_bare_verbs_need_a_neighbour():
    assert one("verb_form", "tempat makan baru , beli kopi", change="aspect") is None
    for text in ("saya makan", "kami beli kopi", "sudah makan", "yang beli"):
        assert one("verb_form", text, change="aspect") is not None


def test_aspect():
    def markers(text):
        return {
            re.sub("kopi|dibuang|ini", "", changed or "").strip()
            for changed in drawn("verb_form", text, change="aspect")
        }

    assert markers("kopi dibuang") == {"sudah", "telah", "akan", "sedang", "masih"}
    assert markers("kopi sudah dibuang") == {"akan", "sedang", "masih"}
    assert markers("kopi akan dibuang") == {"sudah", "telah", "sedang", "masih"}
    assert markers("kopi tidak dibuang") == {"tidak akan", "tidak sedang"}
    assert drawn("verb_form", "gue dibuang", change="aspect") == {
        f"gue {marker} dibuang" for marker in ("udah", "bakal", "lagi", "masih")
    }
    assert drawn("verb_form", "Dibuang", change="aspect") == {
        f"{marker} dibuang" for marker in ("Sudah", "Telah", "Akan", "Sedang", "Masih")
    }
    having = drawn("verb_form", "saya memiliki kopi", change="aspect")
    assert having == {
        f"saya {marker} memiliki kopi" for marker in ("sudah", "telah", "akan", "masih")
    }
    for text in (
        "kopi belum dibuang",
        "kopi bisa dibuang",
        "untuk dibuang",
        "datang membuang kopi , jangan dibuang",
        "kopi tidak lagi dibuang",
    ):
        assert "dibuang" not in text or not re.search(
            r"(sudah|akan|sedang|masih) dibuang", str(one("verb_form", text, change="aspect"))
        )


def test_voice_keeps_register_and_enclitics():
    assert drawn("verb_form", "suratnya dicek", change="voice") == {"suratnya mengecek"}
    assert drawn("verb_form", "suratnya dicek dong", change="voice") == {"suratnya ngecek dong"}
    assert drawn("verb_form", "Dibacalah", change="voice") == {"Membacalah"}


def test_english_verbs_are_well_formed():
    entries = verbs_en.entries()
    assert len(entries) >= 500
    assert max(Counter(entry.base for entry in entries).values()) == 1
    for entry in entries:
        assert re.fullmatch(f"(?:{entry.base}|{entry.base[:-1]}i)e?s", entry.third)
        assert entry.gerund.endswith("ing")
        assert entry.noun in ("", "yes")
    by_base = {entry.base: entry for entry in entries}
    table = "go goes went gone going,stop stops stopped stopped stopping,"
    table += "cry cries cried cried crying,lie lies lay lain lying"
    for row in table.split(","):
        assert tuple(by_base[row.split()[0]])[:5] == tuple(row.split())


TENSES = (
    ("I love it", "I loved it"),
    ("She goes there", "She went there"),
    ("He was late", "He is late"),
    ("I was late", "I am late"),
    ("They were late", "They are late"),
    ("I am here", "I was here"),
    ("she doesn't know", "she didn't know"),
    ("they didn't know", "they don't know"),
    ("she didn't know", "she doesn't know"),
    ("It hasn't rained", "It hadn't rained"),
    ("My brother cooked", "My brother cooks"),
    ("My brothers cooked", "My brothers cook"),
    ("people laughed", "people laugh"),
    ("the man who sold it", "the man who sells it"),
    ("Loved it", "Love it"),
    ("he sat and waited", "he sits and waits"),
    ("it looks good", "it looked good"),
    ("the phone works well", "the phone worked well"),
    ("She put it away", "She puts it away"),
    ("she had a dog", "she has a dog"),
    ("we had a dog", "we have a dog"),
    ("SHE SANG", "SHE SINGS"),
)
NO_TENSES = (
    "a used car",
    "the limited menu",
    "Disappointed with the result",
    "to love",
    "can go",
    "must have gone",
    "it's fine",
    "I'm fine",
    "looks of the place",
    "the plays",
    "I put it away",
    "don't go",
    "fried rice",
    "your works",
    "three calls",
    "with baked potatoes",
    "I wasn't",
)


@pytest.mark.parametrize(("text", "expected"), TENSES)
def test_tenses(text, expected):
    assert one("verb_form", text, language="en") == expected


@pytest.mark.parametrize("text", NO_TENSES)
def test_no_tenses(text):
    assert one("verb_form", text, language="en") is None


@pytest.mark.parametrize(
    "text",
    [
        "He did not sing",
        "He didn't sing",
        "never sang",
        "very tired",
        "the songs of the choir",
        "She is good",
        "has it",
    ],
)
def test_no_english_adverbs(text):
    assert one("insert_adverb", text, language="en") is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "adverb,sort,register\nsoon,any,formal\n",
            "line 1 is not the header adverb,kind,register",
        ),
        ("adverb,kind,register\nsoon,any\n", "line 2 has a wrong number of cells: 2, not 3"),
        ("adverb,kind,register\nsoon,any,\n", "line 2 has no register"),
        ("adverb,kind,register\nSoon,any,neutral\n", "line 2 has 'Soon' as adverb"),
        ("adverb,kind,register\nsoon!,any,neutral\n", "line 2 has 'soon!' as adverb"),
        ("adverb,kind,register\nsoon,any,neutral\n\nsoon,any,neutral\n", "line 4 repeats line 2"),
        (
            "adverb,kind,register\nsoon,any,neutral\n\nnow,manner,neutral\n",
            "line 4 has the kind 'manner'",
        ),
    ],
)
def test_bad_word_lists_name_the_line(tmp_path, content, message):
    path = tmp_path / "adverbs.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(message)):
        verbs.adverbs_of(path)


def test_forms_are_words():
    for pair in verbs_id.pairs():
        assert all(words.phrase(form) for form in pair[:2])
