"""Many texts perturbed at once: numbers from counters, the same for any batch, and nothing from one
text to the next.
"""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from tahanuji import grid, perturb
from tahanuji.errors import InputError
from tahanuji.perturb import batches, noise, places

FACTORIES = (noise.keyboard, noise.ocr, noise.character_typos)
PIECES = [
    *"abDxwWlrnm\x00\x01.-'`:;=/@#[]<>_23 \n\u0301\ud800\u00a0\u3000é😂",
    ".id",
    "toko.com",
    "http://",
    "www.",
    "[URL]",
    "xxx",
    "xD",
    "cl",
    "rn",
    "VV",
    *"\ud800\u00a0\u3000",
]
TEXTS = st.lists(
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join), min_size=1, max_size=7
)
# Vigna's splitmix64.c, begun at 1234567.
SPLITMIX = (
    6457827717110365317,
    3203168211198807973,
    9817491932198370423,
    4593380528125082431,
    16408922859458223821,
)


def test_numbers_are_those_of_splitmix64():
    found = [
        batches.numbers(np.array([1234567], np.uint64), number)[0]
        for number in range(len(SPLITMIX))
    ]
    assert found == [(value >> 11) / 2**53 for value in SPLITMIX]


def test_numbers_are_even_over_keys_and_over_rounds():
    """Of neighbouring keys too, and the next one says nothing about the one after it."""
    keys = np.arange(20_000, dtype=np.uint64)
    first, second = batches.numbers(keys, 0), batches.numbers(keys, 1)
    along = np.concatenate([batches.numbers(keys[:1], number) for number in range(20_000)])
    assert all(kstest(some, "uniform").pvalue > 0.001 for some in (first, second, along))
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.03
    assert abs(np.corrcoef(along[:-1], along[1:])[0, 1]) < 0.03


def test_choices_from_one_fraction_are_even_and_do_not_hang_together():
    fraction = batches.numbers(np.arange(48_000, dtype=np.uint64), 3)
    one, rest = batches.below(5, fraction)
    other, _ = batches.below(4, rest)
    assert chisquare(np.bincount(one * 4 + other, minlength=20)).pvalue > 0.001
    assert batches.below(np.array([7]), np.array([1 - 2**-53]))[0] == [6]


@pytest.mark.parametrize("factory", FACTORIES)
@settings(max_examples=60)
@given(texts=TEXTS, rate=st.floats(0, 1), seed=st.integers(0, 2**64 - 8))
def test_a_text_comes_out_the_same_in_any_batch(factory, texts, rate, seed):
    function, keys = factory(), [seed + number for number in range(len(texts))]
    alone = [function.many([text], rate, [key])[0] for text, key in zip(texts, keys, strict=True)]
    assert function.many(texts, rate, keys) == alone
    assert function.many(texts[::-1], rate, keys[::-1]) == alone[::-1]


@pytest.mark.parametrize("factory", FACTORIES)
def test_the_size_of_a_batch_changes_nothing(factory, monkeypatch):
    texts = [
        f"ongkir ke Ambon mahal banget, {number} hari baru sampai 😂"[number % 7 : -1 - number % 2]
        for number in range(11)
    ]
    whole = factory().many(texts, 0.2, list(range(11)))
    for size in (1, 60, 130):
        monkeypatch.setattr(batches, "SIZE", size)
        assert factory().many(texts, 0.2, list(range(11))) == whole
    assert factory().many([], 0.2, []) == []


def test_a_single_text_takes_its_key_from_the_generator_and_apply_hands_it_over():
    text, function = "parkirnya sempit, tapi makanannya juara", noise.character_typos()
    assert (
        function(text, 0.2, random.Random(3))
        == function.many([text], 0.2, [random.Random(3).getrandbits(64)])[0]
    )
    frame = pd.DataFrame({"id": ["a", "b"], "text": [text, text]})
    assert perturb.apply(function, frame, 0.2, 7) == function.many(
        [text, text], 0.2, [perturb.key(7, "a"), perturb.key(7, "b")]
    )
    assert len(set(perturb.apply(function, frame, 0.2, 7))) == 2


@pytest.mark.parametrize("pattern", [places.LATIN, places.PLAIN])
@settings(max_examples=200)
@given(texts=TEXTS)
def test_arrays_say_what_the_functions_of_single_texts_say(pattern, texts):
    batch = batches.Batch(texts, 0.3, [0] * len(texts), pattern)
    assert batch.free.tolist() == [
        flag == 1 for text in texts for flag in places.free(text, pattern)
    ]
    assert batch.alphabetic().tolist() == [
        character.isalpha() for text in texts for character in f"{text}\n"
    ]
    assert batch.wanted.tolist() == [
        batches.units.count(places.visible(text), 0.3) for text in texts
    ]
    assert batch.result() == [None] * len(texts)


@given(texts=TEXTS, rate=st.floats(0.001, 1))
def test_every_site_is_given_out_once_until_there_are_enough(texts, rate):
    batch = batches.Batch(texts, rate, list(range(len(texts))), places.PLAIN)
    place, fraction = batch.draw(
        np.flatnonzero(batch.free), lambda place, fraction: (True, place, fraction)
    )
    assert len(set(place.tolist())) == len(place)
    assert batch.free[place].all()
    assert ((fraction >= 0) & (fraction < 1)).all()
    owners = np.searchsorted(batch.starts, place, "right") - 1
    assert np.bincount(owners, minlength=len(texts)).tolist() == [
        min(wanted, sum(places.free(text, places.PLAIN)))
        for wanted, text in zip(batch.wanted.tolist(), texts, strict=True)
    ]


def test_sites_are_drawn_evenly():
    texts = ["abcdefgh"] * 4000
    batch = batches.Batch(texts, 0.25, list(range(4000)), places.LATIN)
    (place,) = batch.draw(np.flatnonzero(batch.free), lambda place, fraction: (True, place))
    assert len(place) == 8000
    assert chisquare(np.bincount(place % 9, minlength=8)).pvalue > 0.001


def test_sites_that_make_no_unit_are_passed_over():
    batch = batches.Batch(["abcdefgh", "ace"], 0.5, [1, 2], places.LATIN)

    def take(place: np.ndarray, fraction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        hit = batch.signs[place] % 2 == 0  # b, d, f, h
        return hit, place[hit]

    (place,) = batch.draw(np.flatnonzero(batch.free), take)
    assert sorted(place.tolist()) == [1, 3, 5, 7]


def test_characters_go_and_come():
    batch = batches.Batch(["abc", "", "dé"], 0.5, [1, 2, 3], places.LATIN)
    batch.codes[1] = ord("B")
    assert batch.result(
        np.array([0, 6]), np.array([3, 3, 5]), np.array([ord("1"), ord("2"), ord("x")])
    ) == ["Bc12", None, "xd"]


def test_what_cannot_be_is_refused_before_any_text():
    with pytest.raises(InputError, match="between 0 and 1"):
        noise.keyboard().many(["es teh"], 1.5, [1])
    with pytest.raises(ValueError, match="2 texts and 1 keys"):
        noise.keyboard().many(["es teh", "kopi"], 0.5, [1])


def test_a_fault_that_is_not_one_text_s_stops_the_grid():
    def work(batch: batches.Batch) -> list[str]:
        if len(batch.texts) > 1:
            raise IndexError("out of bounds")
        return batch.texts

    errors: list[tuple] = []
    frame = pd.DataFrame({"id": ["a", "b"], "text": ["bakso urat", "es teh"]})
    with pytest.raises(IndexError, match="out of bounds"):
        perturb.apply(
            grid.guarded(batches.Batched(work, places.LATIN), "work 0.1", errors), frame, 0.1, 1
        )
    assert not errors


def test_a_text_at_which_a_batch_breaks_is_named_and_the_others_are_perturbed():
    """Many texts at once fail together; which it was is found out one by one."""
    upper = batches.Batched(lambda batch: [brittle(text) for text in batch.texts], places.LATIN)

    def brittle(text: str) -> str:
        if "angpau" in text:
            raise ValueError("no angpau, please")
        return text.upper()

    frame = pd.DataFrame({"id": ["a", "b", "c"], "text": ["bakso urat", "angpau merah", "es teh"]})
    errors: list[tuple] = []
    assert perturb.apply(grid.guarded(upper, "upper 0.1", errors), frame, 0.1, 1) == [
        "BAKSO URAT",
        None,
        "ES TEH",
    ]
    assert [test for test, _ in errors] == ["upper 0.1"]
    assert "12 characters" in errors[0][1]
    with pytest.raises(InputError, match="between 0 and 1"):
        perturb.apply(grid.guarded(upper, "upper 2", errors), frame, 2, 1)
    function = noise.ocr()
    assert perturb.apply(grid.guarded(function, "ocr 0.3", errors), frame, 0.3, 1) == perturb.apply(
        function, frame, 0.3, 1
    )
    assert len(errors) == 1
