"""Adverbs before verbs, tense, voice, aspect: the word lists, and what the docstrings promise."""

import random
import re
from collections import Counter

import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from tahanuji import perturb, words
from tahanuji.errors import InputError
from tahanuji.perturb import verbs, verbs_en, verbs_id
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
    changed = one("insert_adverb", text, 1.0, seed, language=language)
    if changed is not None:
        sentence, places = (
            Sentence(text),
            verbs._adverb_sites_id if language == "id" else verbs._adverb_sites_en,
        )
        known = "|".join(
            sorted((adverb.text for adverb in verbs.adverbs(language)), key=len, reverse=True)
        )
        pattern, end = "", 0
        for at, _ in places(sentence):
            start = sentence.words[at].start
            pattern += re.escape(text[end:start]) + f"(?:{known}) "
            end = start
        assert re.fullmatch(pattern + re.escape(text[end:]), changed, re.IGNORECASE)


def test_bad_options():
    with pytest.raises(InputError, match="did you mean 'voice'"):
        verbs.verb_form(change="voices")


@pytest.mark.parametrize("name", FACTORIES)
@pytest.mark.parametrize(("rate", "units"), [(0.01, 1), (0.3, 3), (0.5, 5), (1.0, 10)])
def test_the_rate_is_a_share_of_the_verbs(name, rate, units):
    text = "kopi dibuang , " * 10
    changed = one(name, text, rate)
    assert sum(part != "kopi dibuang" for part in changed.split(" , ") if part) == units


def test_adverbs_are_neutral_and_many():
    for language in ("id", "en"):
        listed = verbs.adverbs(language)
        assert len({adverb.text for adverb in listed}) == len(listed) >= 60
        assert [adverb.text for adverb in listed] == sorted(adverb.text for adverb in listed)
        for register in ("formal", "colloquial"):
            for kind in ("any", "action"):
                assert (
                    sum(adverb.register != register and adverb.kind == kind for adverb in listed)
                    >= 15
                )
    judged = {
        line.split(",")[0]
        for line in (ROOT / "data/lexicons/sentiment_words.csv")
        .read_text(encoding="utf-8")
        .splitlines()
    }
    denying = verbs_id.members("form of tidak", "other negator") | {
        "jarang",
        "sayangnya",
        "untungnya",
        "hampir",
        "nyaris",
        "tanpa",
    }
    assert not any((judged | denying) & set(adverb.text.split()) for adverb in verbs.adverbs("id"))
    bad = words_of(
        "never hardly barely rarely seldom not sadly happily luckily unfortunately badly perfectly "
        "terribly slowly quickly"
    )
    assert not any(adverb.text in bad for adverb in verbs.adverbs("en"))


def test_registers_and_kinds_of_adverbs():
    kinds = {adverb.text: adverb for adverb in verbs.adverbs("id")}
    casual = {
        text.removeprefix("gue ").removesuffix(" menunya")
        for text in drawn("insert_adverb", "gue nyobain menunya")
    }
    assert not any(kinds[text.removesuffix(" nyobain")].register == "formal" for text in casual)
    formal = {
        text.removeprefix("beliau ").removesuffix(" mencatat")
        for text in drawn("insert_adverb", "beliau mencatat")
    }
    assert not any(kinds[text].register == "colloquial" for text in formal)
    having = {
        text.removeprefix("beliau ").removesuffix(" memiliki sawah")
        for text in drawn("insert_adverb", "beliau memiliki sawah")
    }
    assert all(kinds[text].kind == "any" for text in having)
    knowing = {text.split()[1] for text in drawn("insert_adverb", "She knows", language="en")}
    assert knowing <= {adverb.text for adverb in verbs.adverbs("en") if adverb.kind == "any"}


def test_an_adverb_never_stands_beside_itself():
    assert "beliau kini kini mencatat" not in drawn("insert_adverb", "beliau kini mencatat")
    assert "She often often sings" not in drawn("insert_adverb", "She often sings", language="en")


def test_indonesian_pairs_are_well_formed():
    pairs = verbs_id.pairs()
    assert len({pair.base for pair in pairs}) >= 1000
    assert len({(pair.active, pair.passive) for pair in pairs}) == len(pairs)
    assert {pair.register for pair in pairs} == {"neutral", "colloquial"}
    for pair in pairs:
        assert not pair.passive or pair.passive.startswith("di")
        assert not (pair.register == "neutral" and pair.passive) or pair.active.startswith("me")
        assert pair.passive != "di" and pair.active != pair.passive


EXCEPTIONS = (
    "mempedulikan mempengaruhi memperbuat mempercantik mempercayai mempercayakan memperingati "
    "memperingatkan mempermalukan memperuntukkan memplester "
    "memposting mempraktikkan memprediksi memprioritaskan memproduksi memprogram mempromosikan "
    "memproses memprotes memprovokasi mempunyai mengebom "
    "mengecas mengecat mengecek mengeklik mengelap mengepel mengeprek mengerem mengerti "
    "mengesahkan mengetes mengkaji mengkhianati mengklaim "
    "mengklarifikasi mengkonfirmasi mengkonsumsi mengkontrol mengkoordinir mengkritik mengkritisi "
    "mensosialisasikan mensukseskan mensurvei "
    "mensyukuri mentolerir mentraktir mentransfer"
)


def nasal(base: str) -> str:
    """meN- by the rules of the grammar, for bases of two syllables or more."""
    for sounds, prefix, dropped in (
        ("p", "mem", 1),
        ("t", "men", 1),
        ("s", "meny", 1),
        ("k", "meng", 1),
        ("bfv", "mem", 0),
        ("dcjz", "men", 0),
        ("ghaiueo", "meng", 0),
    ):
        if base[0] in sounds:
            return prefix + base[dropped:]
    return f"me{base}"


def test_neutral_actives_follow_the_nasal_rule():
    """Where base and passive are regular the active is too, but for clusters, loans and
    one-syllable bases.
    """
    regular = [
        pair
        for pair in verbs_id.pairs()
        if pair.register == "neutral" and re.fullmatch(f"di{pair.base}(?:kan|i)?", pair.passive)
    ]
    odd = [pair.active for pair in regular if not pair.active.startswith(nasal(pair.base))]
    assert len(regular) > 900
    assert set(odd) == set(EXCEPTIONS.split())


@pytest.mark.parametrize(
    "pair",
    words_of(
        "menulis/ditulis menyapu/disapu mengecat/dicat mengkritik/dikritik memperbaiki/diperbaiki "
        "mempengaruhi/dipengaruhi memengaruhi/dipengaruhi "
        "mengambil/diambil memakai/dipakai membelikan/dibelikan mengirimi/dikirimi nulis/ditulis "
        "ngecek/dicek beliin/dibeliin mengesahkan/disahkan"
    ),
)
def test_pairs(pair):
    active, passive = pair.split("/")
    texts = {"id": f"surat itu {active} di sini , kok", "back": f"surat itu {passive} di sini"}
    assert texts["id"].replace(active, passive) in drawn("verb_form", texts["id"], change="voice")
    assert passive in {other for other, _ in verbs_id.voices()[active]}
    assert active in {other for other, _ in verbs_id.voices()[passive]}


def test_what_looks_like_a_verb_and_is_none():
    looks = "mereka merah dini dinas berita beras meja menu dia diri berapa bersama "
    looks += "memang menurut mengenai dinding menarik memuaskan nyata"
    for word in words_of(looks):
        assert one("verb_form", f"saya {word} itu") is None, word
    for word in ("kopi", "nasi", "tempat", "gambar", "program"):
        assert one("insert_adverb", f"ini {word} baru") is None, word


def test_bare_verbs_need_a_neighbour():
    assert one("insert_adverb", "tempat makan baru , beli kopi") is None
    for text in ("saya makan", "kami beli kopi", "sudah makan", "mau tidur", "yang beli"):
        assert one("insert_adverb", text) is not None


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
        ("adverb,kind,register\nsoon,any\n", "line 2 has 2 cells, not 3"),
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
