"""Perturbations: golden cases for linguists, and the laws that every perturbation keeps."""

import random

import pandas as pd
import pytest
import yaml
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from tahanuji import data, perturb
from tahanuji.errors import InputError
from tahanuji.perturb import characters, formality, negation

GOLDEN = yaml.safe_load((ROOT / "tests/golden/perturbations.yaml").read_text(encoding="utf-8"))
OPTIONS = {
    "typos": {},
    "negation": {"variant": "gak"},
    "insertion": {"sentence": "saya benci matematika ."},
}
SENTENCES = data.load("embedded", "test")


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


def one(name: str, text: str, rate: float, seed: int, **options) -> str | None:
    return perturb.apply(name, pd.DataFrame({"id": ["a"], "text": [text]}), rate, seed, **options)[
        0
    ]


@pytest.mark.parametrize(
    "case", GOLDEN, ids=lambda case: f"{case['perturbation']}: {case['why'][:50]}"
)
def test_golden(case):
    assert (
        one(
            case["perturbation"],
            case["text"],
            case["rate"],
            case["seed"],
            **case.get("options", {}),
        )
        == case["expected"]
    )


def test_every_perturbation_has_golden_cases_and_a_description():
    assert {case["perturbation"] for case in GOLDEN} == set(perturb.REGISTRY) == set(OPTIONS)
    for entry in perturb.REGISTRY.values():
        assert entry.test_type in {"INV", "DIR", "MFT"}
        assert entry.capability
        assert "section" in entry.source


@pytest.mark.parametrize("name", OPTIONS)
def test_rate_zero_changes_nothing(name):
    assert perturb.apply(name, SENTENCES, 0.0, 1, **OPTIONS[name]) == [None] * len(SENTENCES)


@pytest.mark.parametrize("name", OPTIONS)
def test_same_seed_same_text_and_order_cannot_matter(name):
    first = perturb.apply(name, SENTENCES, 0.4, 7, **OPTIONS[name])
    shuffled = SENTENCES.sample(frac=1, random_state=3)
    again = dict(
        zip(shuffled["id"], perturb.apply(name, shuffled, 0.4, 7, **OPTIONS[name]), strict=True)
    )
    assert first == [again[example] for example in SENTENCES["id"]]
    assert first != perturb.apply(name, SENTENCES, 0.4, 8, **OPTIONS[name])


@pytest.mark.parametrize("name", OPTIONS)
def test_unchanged_text_never_counts_as_perturbed(name):
    for rate in (0.05, 0.3, 1.0):
        for old, new in zip(
            SENTENCES["text"], perturb.apply(name, SENTENCES, rate, 5, **OPTIONS[name]), strict=True
        ):
            assert new is None or new != old


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
        assert len(old) - len(new) in (0, 1)
        assert len(old) > 3 or new == old
        assert sorted(new) == sorted(old) or len(new) == len(old) - 1


def test_about_one_percent_of_swaps_change_nothing():
    words = [word for text in SENTENCES["text"] for word in text.split() if len(word) > 3]
    equal = sum(word[at] == word[at + 1] for word in words for at in range(1, len(word) - 1))
    assert 0.002 < equal / sum(len(word) - 2 for word in words) < 0.03


def test_typos_hit_the_share_that_the_rate_asks_for():
    long_words = sum(len(word) > 3 for text in SENTENCES["text"] for word in text.split())
    hit = 0
    for old, new in zip(SENTENCES["text"], perturb.apply("typos", SENTENCES, 0.3, 11), strict=True):
        hit += sum(a != b for a, b in zip(old.split(), (new or old).split(), strict=True))
    assert abs(hit / long_words - 0.3) < 0.02


def test_negation_rate_thins_the_replacements():
    texts = pd.DataFrame({"id": [str(number) for number in range(2000)], "text": ["tidak"] * 2000})
    changed = sum(
        text is not None for text in perturb.apply("negation", texts, 0.25, 1, variant="gak")
    )
    assert abs(changed / 2000 - 0.25) < 0.04


@pytest.mark.parametrize("variant", negation.VARIANTS)
def test_variants_of_section_2_4(variant):
    assert one("negation", "tidak apa-apa .", 1.0, 1, variant=variant) == f"{variant} apa-apa ."


def test_negation_count():
    assert negation.count("tidak enak , nggak murah , belum tentu bukan salah kita") == 4
    assert negation.count("setidaknya dia tahu") == 0


def test_unknown_perturbation_names_the_nearest():
    with pytest.raises(InputError, match="did you mean 'typos'"):
        perturb.make("typo")


def test_tokenise_is_the_thesis_preparation():
    assert (
        formality.tokenise('Katanya "murah", ternyata... Rp25.000!')
        == "katanya `` murah '' , ternyata ... rp25.000 !"
    )


def test_survey_names_the_rows_that_it_refuses():
    frame = formality.from_survey(data.locate("data/formality/survey_example.csv"))
    assert list(frame["id"]) == ["row002", "row003", "row007"]
    assert list(frame["label"]) == ["positive", "neutral", "negative"]
    assert frame.attrs["refused"] == [
        {"row": 4, "lacks": "informal"},
        {"row": 5, "lacks": "gold_label"},
        {"row": 6, "lacks": "formal, semi_formal, informal, gold_label"},
    ]


def test_survey_without_a_complete_row_or_column(tmp_path):
    header = "Timestamp,formal,semi_formal,informal,gold_label\n"
    (tmp_path / "none.csv").write_text(header + "1,Saya setuju.,,setuju gue,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="no row has a label and a sentence at every level"):
        formality.load(str(tmp_path / "none.csv"))
    (tmp_path / "column.csv").write_text("Timestamp,formal\n1,Saya setuju.\n", encoding="utf-8")
    with pytest.raises(InputError, match="no column gold_label, informal, semi_formal"):
        formality.load(str(tmp_path / "column.csv"))


def test_triplets_of_a_file_are_checked(tmp_path):
    path = tmp_path / "triplets.csv"
    path.write_text(
        "id,label,formal,semi_formal,informal\na,positive,Bagus sekali.,,bgs bgt\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match="rows 2 miss a sentence"):
        formality.load(str(path))


def test_the_thesis_survey_gives_its_thirty_triplets(mirror):
    """33 labelled rows of which 3 are the key of the codes, 7 unlabelled, 1 blank; most sentences
    come out as published.
    """
    frame, published = formality.load("thesis_survey"), formality.load("thesis")
    assert len(frame) == len(published) == 30
    assert len(frame.attrs["refused"]) == 11
    same = {level: len(set(frame[level]) & set(published[level])) for level in formality.LEVELS}
    assert same == {
        "formal": 23,
        "semi_formal": 27,
        "informal": 28,
    }  # the thesis reworded the other 12 by hand (section 3.2.2)
    assert published["label"].value_counts().to_dict() == {
        "positive": 10,
        "neutral": 10,
        "negative": 10,
    }
