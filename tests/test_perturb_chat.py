"""What Indonesians do in chats and no other perturbation does: laws beside those of the registry,
and that no default run knows of them.
"""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tahanuji import data, fingerprints, lexicons, perturb, words
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.perturb import additions, chat_spelling, spoken, tone

CHAT = ("laughter", "hashtags", "emoji", "tone_marks")
CHAT += ("leetspeak", "clitics", "figure_two", "prefix_dropping", "slang")
KEPT = ("@toko.kita", "#promo", "https://contoh.example/a?b=1!", "kata@contoh.co.id", "[USERNAME]")
WORDS = (
    "saya gue kami aku gak enak jelek Enak MAHAL kopi bandung Bandung makan siang nya ku mu "
    "rasanya hatiku hanya buku teman-teman jalan-jalannya menunggu membeli memberi sekali "
    "seperti itu sangat ramah uang muka untuk ! ? !! . , 😀 📍 🍽️ wkwk 25rb sakit mohon"
)
PIECES = (*KEPT, *WORDS.split())
TEXTS = st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)
SEEDS = st.integers(0, 2**32)


def one(name: str, text: str, rate: float = 1.0, seed: int = 1, **options) -> str | None:
    return perturb.make(name, **options)(text, rate, random.Random(seed))


def judging(text: str) -> list[str]:
    """The words of evaluation in a text, in their order."""
    keys = [words.key(word.text) for word in words.words(text)]
    return [key for key in keys if key in lexicons.sentiment_words()]


@pytest.mark.parametrize("name", CHAT)
@settings(max_examples=150, deadline=None)
@given(TEXTS, SEEDS)
def test_links_mentions_and_words_of_evaluation_stay(name, text, seed):
    changed = one(name, text, seed=seed)
    assert one(name, text, 0.0, seed) is None
    if changed is not None:
        assert changed == one(name, text, seed=seed)
        assert all(changed.count(token) >= text.count(token) for token in (*KEPT, "😀"))
        # enak nya is enaknya: of clitics a test of their own
        assert name == "clitics" or sorted(judging(changed)) == sorted(judging(text))


@pytest.mark.parametrize("name", ["laughter", "hashtags", "emoji", "tone_marks"])
@given(TEXTS, SEEDS)
def test_additions_take_no_word_away(name, text, seed):
    changed = (one(name, text, seed=seed) or text).replace("#", "").replace(" ", "")
    rest = iter(changed)
    assert all(letter in rest for letter in text.replace("#", "").replace(" ", ""))


def test_no_default_run_knows_of_them():
    for language in ("id", "en"):
        assert not {*CHAT} & {*perturb.names("all", language), *perturb.names("offline", language)}
    assert perturb.names(", ".join(CHAT)) == [*CHAT]
    assert list(perturb.REGISTRY)[-len(CHAT) :] == [*CHAT]  # the order of the others stays
    for name in CHAT:
        entry = perturb.REGISTRY[name]
        assert (entry.test_type, entry.grid, entry.languages) == ("INV", False, ("id",))
        assert entry.family in {"typing", "abbreviation", "register", "small additions"}
        assert Instrument(name).validity.current


def test_they_stand_behind_no_other_instrument():
    """A change of their code or lists leaves the ratings of all others."""
    own = {f"tahanuji.perturb.{name}" for name in ("additions", "chat_spelling", "spoken", "tone")}
    for entry in perturb.REGISTRY.values():
        module = entry.function.__wrapped__.__module__
        assert module in own or not own & {*fingerprints.closure(module)}


@pytest.mark.parametrize("name", CHAT)
def test_each_changes_texts_of_the_project(name):
    frame = data.load("embedded", "train")[["id", "text"]]
    assert sum(text is not None for text in perturb.apply(name, frame, 1.0, 3)) >= 90


def test_laughs_come_last_mostly_and_are_gentle_beside_praise():
    text = "gue nunggu sejam . yang dateng malah tukang parkir ."
    drawn = [one("laughter", text, seed=seed) for seed in range(400)]
    last = sum(bool(re.search(r"parkir \w+ \.\Z", text)) for text in drawn)
    assert abs(last / 400 - additions.LAST) < 0.06
    praise = {one("laughter", "kopinya enak banget deh", seed=seed) for seed in range(60)}
    assert not any("wk" in text for text in praise) and len(praise) == 4
    blame = {one("laughter", "sinyalnya lemot banget deh", seed=seed) for seed in range(60)}
    assert not any("hehe" in text for text in blame) and len(blame) == 5


@pytest.mark.parametrize(
    "text", ["", " \n", "😀", "12 , !", "السلام", "e\u0301nak", "nya", "ku mu"]
)
def test_odd_texts(text):
    for name in CHAT:
        assert one(name, text) != text
    assert one("emoji", text, direction="remove") is None


@given(TEXTS, SEEDS)
def test_leetspeak_can_be_read_back(text, seed):
    back = {figure: vowel for vowel, figure in chat_spelling.FIGURES.items()}
    changed = one("leetspeak", text, seed=seed) or text
    for old, new in zip(text.split(), changed.split(), strict=True):
        if old != new:
            assert "".join(back.get(letter, letter) for letter in new).lower() == old.lower()


@given(TEXTS, SEEDS)
def test_clitics_move_blanks_alone(text, seed):
    changed = one("clitics", text, seed=seed) or text
    assert changed.replace(" ", "") == text.replace(" ", "")


def test_lists_keep_words_of_evaluation():
    """Each pair has another word to offer, and none evaluates otherwise: verbs keep their words of
    evaluation, slang brings none of a polarity that the phrase had not.
    """
    polar = lexicons.sentiment_words()
    verbs = spoken.entries(spoken.VERBS, ("formal", "spoken"))
    slang = spoken.entries(spoken.SLANG, ("phrase", "slang"))
    for phrase, options in (verbs | slang).items():
        for new in filter(None, options):
            said, before = ({polar[word] for word in judging(text)} for text in (new, phrase))
            assert said <= before and phrase != new, phrase
            assert phrase in slang or judging(phrase) == judging(new), phrase
    hashtags = lexicons.word_classes(additions.LIST)["hashtag"]
    assert not any(judging(topic) for topic in hashtags)


def test_every_class_of_words_is_explained():
    readme = (lexicons.LEXICONS / "README.md").read_text(encoding="utf-8")
    for path in (additions.LIST, chat_spelling.HOSTS, tone.LIST):
        classes = lexicons.word_classes(path)
        assert all(f"\n| {name} | " in readme for name in classes) and all(classes.values())


def test_unknown_direction_of_emoji():
    with pytest.raises(InputError, match="unknown direction 'delete'"):
        one("emoji", "kopi", direction="delete")
