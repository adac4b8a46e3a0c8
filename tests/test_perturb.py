"""All perturbations of the registry: golden cases for linguists, the laws that each keeps, and the
ways to apply them.
"""

import random
import subprocess
import sys
from collections import Counter

import pandas as pd
import pytest
import yaml
from conftest import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_wordnets import princeton, small_wordnets  # noqa: F401

from tahanuji import data, perturb
from tahanuji.errors import InputError
from tahanuji.perturb import characters, negation

GOLDEN = [
    case
    for path in sorted((ROOT / "tests/golden").glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]
LANGUAGES = [(name, code) for name, entry in perturb.REGISTRY.items() for code in entry.languages]
# Options without which a perturbation cannot be made.
REQUIRED = {
    ("insertion", "id"): {"sentence": "saya benci matematika ."},
    ("synonym_embedding", "en"): {"vectors": "tests/golden/vectors_en.txt"},
}
FURTHER = [
    ("contraction", {"direction": "expand"}),
    ("contraction", {"language": "en", "direction": "expand"}),
    ("prejudice", {"kind": "names"}),
    ("prejudice", {"language": "en", "kind": "names"}),
    ("prejudice", {"kind": "groups"}),
    ("realistic_noise", {"kind": "typo"}),
    ("verb_form", {"change": "voice"}),
]
SETTINGS = {
    f"{name} {code}": (name, {"language": code, **REQUIRED.get((name, code), {})})
    for name, code in LANGUAGES
}
SETTINGS |= {
    " ".join(map(str, (name, *options.values()))): (name, options) for name, options in FURTHER
}
TOKENS = ("@budi_88", "#jumat", "[USERNAME]", "https://contoh.id/a", "info@toko.co.id", "😀")
WORDS = (
    "tidak gak enak Enak bersih makanan beli membaca dibaca Jakarta pak Budi orang islam tahu yang "
    "dua 25rb 2019 di mana it is don't can't good car loved He They Canada seven , . ! ? e\u0301nak"
)
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from((*TOKENS, *WORDS.split())), max_size=14).map(" ".join),
)
ODD = ("", " \n\t ", "x", "😀😂", "السلام عليكم", "\u200b\u200d", "e\u0301", "1\ufe0f\u20e3", "!!!")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, small_wordnets):  # noqa: F811
    """The folder that golden cases name files from, and small WordNets."""
    monkeypatch.chdir(ROOT)


def one(name: str, text: str, rate: float, seed: int, **options) -> str | None:
    frame = pd.DataFrame({"id": ["a"], "text": [text]})
    return perturb.apply(name, frame, rate, seed, **options)[0]


@pytest.mark.parametrize(
    "case", GOLDEN, ids=lambda case: f"{case['perturbation']}: {case['why'][:50]}"
)
def test_golden(case):
    options = case.get("options", {})
    perturbed = one(case["perturbation"], case["text"], case["rate"], case["seed"], **options)
    assert perturbed == case["expected"]


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_every_perturbation_has_golden_cases_in_each_of_its_languages(name, language):
    """Six, and one of them that it does not apply to."""
    cases = [
        case
        for case in GOLDEN
        if case["perturbation"] == name
        and case.get("options", {}).get("language", "id") == language
    ]
    assert len(cases) >= 6
    assert any(case["expected"] is None for case in cases)
    assert all(case["why"] for case in cases)


def test_the_registry_says_what_each_perturbation_is():
    assert {case["perturbation"] for case in GOLDEN} <= set(perturb.REGISTRY)
    for name, entry in perturb.REGISTRY.items():
        assert entry.name == name
        assert entry.test_type in {"INV", "DIR", "MFT", "meaning"}
        assert entry.capability and entry.source
        assert set(entry.languages) | set(entry.needs) <= {"id", "en"}
    with pytest.raises(ValueError, match="of the level sentence, none of"):
        perturb.perturbation(
            "new", level="sentence", capability="a", test_type="INV", source="here"
        )(characters.typos)
    assert "new" not in perturb.REGISTRY


@pytest.mark.parametrize("setting", SETTINGS)
def test_laws(setting):
    """A perturbation is pure: None or another text, the same for the same state of the generator,
    None at rate 0. Mentions, tags, links, addresses and emoji stay; the thesis's typos, which take
    whatever stands between blanks, spare none.
    """
    name, options = SETTINGS[setting]
    function = perturb.make(name, **options)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TEXTS, st.floats(0, 1), st.integers(0, 2**40))
    def laws(text, rate, seed):
        perturbed = function(text, rate, random.Random(seed))
        assert perturbed != text
        assert perturbed == function(text, rate, random.Random(seed))
        assert function(text, 0.0, random.Random(seed)) is None
        if perturbed is not None and name != "typos":
            assert all(perturbed.count(token) == text.count(token) for token in TOKENS)

    laws()


@pytest.mark.parametrize("setting", SETTINGS)
def test_order_and_company_cannot_matter(setting):
    """A text comes out the same alone, in any order and in any part of the frame."""
    name, options = SETTINGS[setting]
    frame = data.load("embedded", "test").head(40)[["id", "text"]]
    odd = pd.DataFrame({"id": [f"odd {number}" for number in range(len(ODD))], "text": ODD})
    frame = pd.concat([frame, odd], ignore_index=True)
    together = dict(zip(frame["id"], perturb.apply(name, frame, 0.4, 7, **options), strict=True))
    part = frame.sample(frac=0.5, random_state=3)
    assert perturb.apply(name, part, 0.4, 7, **options) == [together[key] for key in part["id"]]
    function = perturb.make(name, **options)
    for example, text in zip(frame["id"], frame["text"], strict=True):
        rng = random.Random(perturb.key(7, example))
        assert function(text, 0.4, rng) == together[example]


@pytest.mark.parametrize("setting", SETTINGS)
def test_long_texts(setting):
    name, options = SETTINGS[setting]
    text = "saya tidak tahu harga 25rb di Bandung , it is really good food he loved . " * 200
    assert one(name, text, 1.0, 1, **options) != text


@pytest.mark.parametrize(("name", "language"), LANGUAGES)
def test_bad_input(name, language):
    options = REQUIRED.get((name, language), {})
    with pytest.raises(InputError, match="unknown language 'jw'"):
        perturb.make(name, "jw")
    with pytest.raises(InputError, match="unknown language 'jw'"):
        perturb.REGISTRY[name].function(language="jw")
    for rate in (-0.1, 1.5):
        with pytest.raises(InputError, match="between 0 and 1"):
            one(name, "kopi 25rb", rate, 1, language=language, **options)


def test_ids_may_be_numbers_and_every_row_needs_a_text():
    frame = pd.DataFrame({"id": [7, 8], "text": ["tidak enak", "tidak"], "text_pair": "tidak lama"})
    named = frame.assign(id=frame["id"].astype(str))
    made = perturb.apply("typos", frame, 0.5, 1)
    assert made == perturb.apply("typos", named, 0.5, 1) and any(made)
    for missing in (None, float("nan")):
        broken = frame[["id"]].assign(text=["tidak", missing])
        with pytest.raises(InputError, match="row 8 has no text"):
            perturb.apply("negation", broken, 1.0, 1)


def test_a_word_to_replace_cannot_be_empty():
    for word in ("", " "):
        with pytest.raises(InputError, match="the word to replace is empty"):
            perturb.make("negation", word=word)


def test_unknown_names_give_the_nearest():
    with pytest.raises(InputError, match="did you mean 'typos'"):
        perturb.make("typo")
    with pytest.raises(InputError, match="give it in the option sentence"):
        perturb.make("insertion")
    with pytest.raises(InputError, match="unknown position 'ende'; did you mean 'end'"):
        perturb.make("insertion", sentence="oke .", position="ende")
    with pytest.raises(InputError, match="'varian'; did you mean 'variant'.* language, variant, w"):
        perturb.make("negation", varian="gak")
    with pytest.raises(InputError, match="unknown option of word_case 'kind'. Allowed: language"):
        perturb.make("word_case", kind="any")


def test_names_of_the_grid_and_beyond():
    every, offline = (
        {code: perturb.names(kind, code) for code in ("id", "en")} for kind in ("all", "offline")
    )
    assert set(every["id"]) - set(offline["id"]) == {"synonym_wordnet"}
    assert set(every["en"]) - set(offline["en"]) == {"synonym_wordnet", "synonym_embedding"}
    assert not {"typos", "negation", "insertion"} & set(every["id"])
    assert perturb.names("typos, ocr") == ["typos", "ocr"] == perturb.names(["ocr", "typos"])
    assert not {"realistic_noise", "synonym_lexicon"} & set(every["en"])
    for wanted, language, said in (
        ("keybord", "id", "did you mean 'keyboard'"),
        ("realistic_noise", "en", "there is no realistic_noise in English"),
        ("all", "jv", "unknown language 'jv'"),
    ):
        with pytest.raises(InputError, match=said):
            perturb.names(wanted, language)


def test_perturbing_needs_no_torch():
    code = "import sys, tahanuji.perturb; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# The perturbations of the thesis on sentiment


def listing(sentence: str, typo_prob: float, generator: random.Random) -> str:
    """The thesis's Listing 3.7, with its generator handed in."""
    words = []
    for word in sentence.split():
        if len(word) > 3 and generator.random() < typo_prob:
            kind = generator.choice(["swap", "delete"])
            at = generator.randint(1, len(word) - 2)
            if kind == "swap":
                letters = list(word)
                letters[at], letters[at + 1] = letters[at + 1], letters[at]
                word = "".join(letters)
            else:
                word = word[:at] + word[at + 1 :]
        words.append(word)
    return " ".join(words)


@given(st.text(max_size=80), st.floats(0, 1), st.integers(0, 2**40))
def test_typos_are_those_of_the_thesis_listing(text, rate, seed):
    ours = characters.typos()(text, rate, random.Random(seed))
    assert (" ".join(text.split()) if ours is None else ours) == listing(
        text, rate, random.Random(seed)
    )


@given(st.text(max_size=60), st.integers(0, 2**40))
def test_typos_touch_at_most_one_letter_of_a_word_and_never_the_first(text, seed):
    perturbed = characters.typos()(text, 1.0, random.Random(seed))
    for old, new in zip(text.split(), (perturbed or text).split(), strict=True):
        assert new[0] == old[0]
        assert len(old) > 3 or new == old
        assert sorted(new) == sorted(old) or len(new) == len(old) - 1


def test_typos_hit_the_share_that_the_rate_asks_for():
    frame = data.load("embedded", "test")
    long_words = sum(len(word) > 3 for text in frame["text"] for word in text.split())
    perturbed = perturb.apply("typos", frame, 0.3, 11)
    hit = sum(
        one != other
        for old, new in zip(frame["text"], perturbed, strict=True)
        for one, other in zip(old.split(), (new or old).split(), strict=True)
    )
    assert abs(hit / long_words - 0.3) < 0.02


def test_negation_rate_thins_the_replacements():
    texts = pd.DataFrame({"id": [str(number) for number in range(2000)], "text": ["tidak"] * 2000})
    perturbed = perturb.apply("negation", texts, 0.25, 1, variant="gak")
    assert abs(Counter(perturbed)["gak"] / 2000 - 0.25) < 0.04


def test_negation_keeps_the_case_of_a_word():
    for word, expected in (("tidak", "gak"), ("Tidak", "Gak"), ("TIDAK", "GAK"), ("TiDak", "gak")):
        assert one("negation", f"{word} enak", 1.0, 1, variant="gak") == f"{expected} enak"


def test_negation_count():
    assert negation.count("tidak enak , nggak murah , belum tentu bukan salah kita") == 4
    assert negation.count("setidaknya dia tahu") == 0
