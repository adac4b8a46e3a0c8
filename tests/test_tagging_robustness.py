"""What changes of a text do to its tags: golden cases for linguists, the laws that hold exactly."""

import random

import pandas as pd
import pytest
from conftest import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics import f1_score

from tahanuji import measure, perturb, tagging
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.tagging import robustness
from tahanuji.tagging.alterations import Altered, entities, given_back, unchanged
from tahanuji.tagging.measures import aspect_evaluation

TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
TEST = Instrument("keyboard")
WORDS = [
    ["Bu", "Ratna", "tidak", "jadi", "ke", "RS Harapan", ",", "sudah", "bayar", "Rp", "50.000"],
    ["Kereta", "dari", "Tanjung Selor", "terlambat", "3", "jam", "."],
    ["kata", "Pak", "Darmo", "jalannya", "bagus", "sekali", "dan", "petugasnya", "ramah"],
]
SENTENCES = pd.DataFrame({"id": ["a", "b", "c"], "words": WORDS})
OFFLINE = [
    name
    for name, entry in perturb.REGISTRY.items()
    if "id" in entry.languages and "id" not in entry.needs and name != "insertion"
]


def cases(name):
    table = pd.read_csv(ROOT / "tests/golden" / f"{name}.csv", keep_default_na=False)
    return [pytest.param(row, id=row.why[:60]) for row in table.itertuples()]


def parts(cell, mark="|"):
    return cell.split(mark) if cell else []


@st.composite
def scored(draw, tags=TAGS):
    """Gold, clean and perturbed tags of sentences of which some words changed."""
    lengths = draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    sides = [
        [draw(st.lists(st.sampled_from(tags), min_size=n, max_size=n)) for n in lengths]
        for _ in range(3)
    ]
    altered = []
    for n in lengths:
        hit = draw(st.lists(st.booleans(), min_size=n, max_size=n))
        words = ["x" if new else "w" for new in hit]
        altered.append(Altered(words, [*range(n)], hit, changed=any(hit)))
    return *sides, altered


def named(tags, **columns):
    """Sentences with these tags."""
    return pd.DataFrame({"id": [f"s{n}" for n in range(len(tags))], "tags": tags} | columns)


def predictions_of(gold, clean, perturbed, altered, test=TEST):
    return robustness.sentences(named(gold), clean, perturbed, altered, test)


def table_of(sides, test=TEST):
    return tagging.rows(predictions_of(*sides, test))


def value(table, group, metric):
    return table[(table["group"] == group) & (table["metric"] == metric)]["value"].item()


@pytest.mark.parametrize("case", cases("tagging_alignment"))
def test_golden_words_given_back(case):
    words = parts(case.words)
    back = given_back(words, case.text)
    assert (back is None) == (case.given_back == "")
    if back is not None:
        assert [back.words[place] for place in back.places] == parts(case.given_back)
        hit = [word for word, new in zip(words, back.hit, strict=True) if new]
        assert hit == parts(case.hit)
        inserted = [word for place, word in enumerate(back.words) if place not in back.places]
        assert inserted == parts(case.inserted)
        assert " ".join(back.words) == case.text
        assert back.changed == (case.text != " ".join(words))


@pytest.mark.parametrize("case", cases("tagging_spans"))
def test_golden_flips_and_spans(case):
    back = given_back(parts(case.words), case.text)
    said = [parts(case.gold, " ")], [parts(case.clean, " ")], [parts(case.perturbed, " ")]
    table = table_of((*said, [back]))
    tokens = table[(table["group"] == "tokens") & table["flip"]]
    assert tokens["hit"].sum() == case.hit_flips
    assert (~tokens["hit"]).sum() == case.other_flips
    spans = table[(table["group"] == "spans") & (table["gold"] != "-")]
    assert (spans["clean_label"] == "-").sum() == case.clean_misses
    assert (spans["induced"].sum(), spans["repaired"].sum()) == (case.induced, case.repaired)
    result = tagging.metrics(table, seed=1, resamples=10)
    found = result[result["metric"] == "new_spurious_share"].iloc[0]
    assert found["value"] * found["n"] == pytest.approx(case.new_spurious) or not found["n"]
    sentence = table[table["group"] == "sentences"].iloc[0]
    assert sentence["flip"] == case.sentence_flips


@pytest.mark.parametrize("case", cases("tagging_swaps"))
def test_golden_entity_swaps(case):
    pool = {}
    for item in parts(case.pool, ";"):
        name, entity = item.split("=")
        pool.setdefault(name, []).append(tuple(entity.split()))
    words, gold = parts(case.words), case.gold.split()
    frame = named([gold], words=[words])
    [new] = tagging.swap_entities(frame, pool, seed=1, length=case.length)
    if not case.new_words:
        assert new == unchanged(words, gold)
    else:
        assert (new.words, new.tags) == (parts(case.new_words), case.new_gold.split())
        assert new.changed


@settings(deadline=None, max_examples=50)
@given(scored())
def test_failures_are_clean_misses_and_induced_less_repaired_in_every_unit(sides):
    table = robustness.units(table_of(sides))
    assert {"tokens", "sentences"} <= set(table["group"])
    for _, part in table.groupby("group"):
        misses = (part["clean_label"] != part["gold"]).sum()
        changes = part["induced"].sum() - part["repaired"].sum()
        assert part["failure"].sum() == misses + changes
        assert not (part["induced"] & part["repaired"]).any()
    gold, clean, perturbed, _ = sides
    spans = table[table["group"] == "gold spans"]
    for column, said in (("clean_label", clean), ("perturbed_label", perturbed)):
        lost = sum(
            len(set(tagging.spans(one)) - set(tagging.spans(two)))
            for one, two in zip(gold, said, strict=True)
        )
        assert (spans[column] == "-").sum() == lost


@settings(deadline=None, max_examples=25)
@given(scored())
def test_measures_are_those_of_tags_scored_plainly(sides):
    gold, clean, perturbed, altered = sides
    result = tagging.metrics(table_of(sides), seed=1, resamples=10)
    for prefix, said in (("clean_", clean), ("", perturbed)):
        plain = tagging.evaluation(gold, said, seed=1, resamples=10)
        for name in ("macro_f1", "micro_f1"):
            ours, theirs = value(result, "all", prefix + name), value(plain, "all", name)
            assert ours == pytest.approx(theirs, nan_ok=True)
    changes = value(result, "all", "macro_f1") - value(result, "all", "clean_macro_f1")
    assert value(result, "all", "macro_f1_change") == pytest.approx(changes, nan_ok=True)
    if any(map(tagging.spans, [*clean, *perturbed])):
        same = f1_score(clean, perturbed, zero_division=0)  # one of them stands for gold
        assert value(result, "spans", "agreement_f1") == pytest.approx(same)
    flat = [[tag for tags in said for tag in tags] for said in (clean, perturbed)]
    clusters = [number for number, tags in enumerate(gold) for _ in tags]
    kappa = measure.kappa(*flat, TAGS, seed=1, resamples=10, clusters=clusters).value
    assert value(result, "tokens", "kappa") == pytest.approx(kappa, nan_ok=True)
    new = sum(
        len(set(tagging.spans(three)) - set(tagging.spans(one)) - set(tagging.spans(two)))
        for one, two, three in zip(gold, clean, perturbed, strict=True)
    )
    row = result[result["metric"] == "new_spurious_share"].iloc[0]
    assert not row["n"] or row["value"] * row["n"] == pytest.approx(new)


def drawn_sides(number=60, seed=4):
    rng = random.Random(seed)
    gold = [rng.choices(TAGS, k=rng.randint(2, 9)) for _ in range(number)]
    clean, perturbed = (
        [[tag if rng.random() < kept else rng.choice(TAGS) for tag in tags] for tags in gold]
        for kept in (0.9, 0.7)
    )
    altered = [
        Altered(["w"] * len(tags), [*range(len(tags))], [True, *[False] * (len(tags) - 1)])
        for tags in gold
    ]
    return gold, clean, perturbed, altered


def test_the_interval_of_kappa_is_that_of_the_agreement_module():
    sides = drawn_sides()
    result = tagging.metrics(table_of(sides), seed=1)
    row = result[result["metric"] == "kappa"].iloc[0]
    flat = [[tag for tags in said for tag in tags] for said in sides[1:3]]
    clusters = [number for number, tags in enumerate(sides[0]) for _ in tags]
    theirs = measure.kappa(*flat, TAGS, seed=2, clusters=clusters)
    assert (row["value"], row["ci_low"], row["ci_high"]) == pytest.approx(tuple(theirs), abs=0.01)


def test_measures_survive_a_csv_file(tmp_path):
    """Of sentences that changed in place, of entities of other lengths, and of one not aligned."""
    gold, clean, perturbed, altered = drawn_sides(20)
    frame = named(gold, words=[["w"] * len(tags) for tags in gold])
    swapped = tagging.swap_entities(frame, POOL, seed=1, length="free")
    said = [["B-LOC", *new.tags[1:]] for new in swapped]
    parts = [
        predictions_of(gold, clean, perturbed, altered),
        predictions_of(gold, clean, said, swapped, Instrument("", test="swap")),
        predictions_of([["O"]], [["O"]], [None], [None]).assign(id="x"),
    ]
    table = pd.concat(parts, ignore_index=True)
    table.to_csv(tmp_path / "predictions.csv", index=False)
    again = tagging.rows(pd.read_csv(tmp_path / "predictions.csv"))
    pd.testing.assert_frame_equal(tagging.rows(table), again)
    assert list(again) == [*robustness.KEYS, *robustness.OUTCOMES]
    assert not again.duplicated(["test", "id"]).any()
    result = tagging.metrics(again, seed=1, resamples=50)
    assert list(result) == measure.COLUMNS and set(result["test"]) == {"keyboard", "swap"}
    assert not result.duplicated([*measure.KEY, "metric"]).any()


def test_a_sentence_with_the_right_spans_in_other_tags_was_wrong_and_is_repaired_with_its_entity():
    """A stray I- begins the right span: no span is wrong, but a tag is, until its word is gone."""
    pool = {"LOC": [("Kota", "Baru")]}
    tags, stray = ["O", "B-LOC"], ["O", "I-LOC"]
    [new] = tagging.swap_entities(named([tags], words=[["ke", "Palu"]]), pool, 1, length="free")
    table = table_of(([tags], [stray], [new.tags], [new])).set_index("group")
    whole = table.loc["sentences"]
    assert (whole["clean_label"], whole["perturbed_label"]) == ("wrong", "right")
    assert whole["repaired"] and not whole["flip"] and not table.loc["spans", "repaired"]


def test_verdicts_take_tokens_and_spans_and_know_their_sentences():
    table = robustness.units(table_of(drawn_sides()))
    judged = measure.verdicts(table, "INV", [0.1])
    groups = ["tokens", "gold spans", "sentences", "hit tokens", "other tokens"]
    assert set(groups) <= set(judged["group"])
    flips = judged[judged["quantity"] == "flips"].set_index("group")
    assert flips.loc["gold spans", "verdict"] == "breaks"
    whole = measure.verdicts(table.drop(columns="cluster"), "INV", [0.1])
    plain = whole[whole["quantity"] == "flips"].set_index("group")
    assert flips.loc["tokens", "upper"] >= plain.loc["tokens", "upper"]


def test_hit_and_other_units_are_those_of_changed_sentences_by_their_own_words():
    gold, clean, perturbed, altered = drawn_sides()
    altered[0] = unchanged(altered[0].words)
    table = table_of((gold, clean, perturbed, altered))
    spans = table[(table["group"] == "spans") & (table["cluster"] != "s0")]
    starts = spans["id"].str.split(":").str[1].str.startswith("0,")
    assert starts.any() and not starts.all() and (spans["hit"] == starts).all()
    groups = robustness.units(table).groupby("group")["cluster"].agg(set)
    assert "s0" in groups["tokens"] and groups["hit tokens"] == groups["tokens"] - {"s0"}
    assert "s0" not in groups["other tokens"] | groups["other spans"]


def test_a_sentence_that_is_not_aligned_is_counted_and_scored_nowhere():
    gold, clean, perturbed, altered = drawn_sides(10)
    full = tagging.metrics(table_of((gold, clean, perturbed, altered)), seed=1, resamples=10)
    more = [*gold, TAGS], [*clean, TAGS], [*perturbed, None], [*altered, None]
    result = tagging.metrics(table_of(more), seed=1, resamples=10)
    assert value(full, "sentences", "aligned_share") == 1
    assert value(result, "sentences", "aligned_share") == pytest.approx(10 / 11)
    key = [*measure.KEY, "metric"]
    rest = [one[one["metric"] != "aligned_share"].set_index(key)["n"] for one in (full, result)]
    assert rest[0].equals(rest[1])


def test_words_of_a_test_that_could_not_be_given_back_anywhere_leave_only_their_count():
    result = tagging.metrics(table_of(([TAGS], [TAGS], [None], [None])), seed=1, resamples=10)
    assert result[["metric", "value", "n"]].to_numpy().tolist() == [["aligned_share", 0.0, 1]]


@pytest.mark.parametrize("name", OFFLINE)
def test_every_perturbation_gives_back_its_text_or_nothing(name):
    texts = SENTENCES.assign(text=SENTENCES["words"].map(" ".join))
    expected = perturb.apply(name, texts, 1.0, seed=1)
    altered = tagging.alter(Instrument(name, rate=1.0), SENTENCES, seed=1)
    for words, text, new in zip(WORDS, expected, altered, strict=True):
        if text is None:
            assert new == unchanged(words)
        elif new is not None:
            assert " ".join(new.words) == text and new.changed
            assert len(new.places) == len(new.hit) == len(words)
            assert sorted(set(new.places)) == new.places


@pytest.mark.parametrize("name", ["keyboard", "ocr", "spelling", "character_typos", "typos"])
def test_noise_inside_of_words_keeps_every_word_in_its_place(name):
    altered = tagging.alter(Instrument(name, rate=0.3), SENTENCES, seed=1)
    for words, new in zip(WORDS, altered, strict=True):
        assert new is not None and new.places == [*range(len(words))]
        assert any(new.hit) == new.changed
    assert sum(new.changed for new in altered) > 1


def test_draws_depend_on_seed_and_id_alone():
    pool = {"PER": [("Ani",), ("Budi",), ("Citra",)], "LOC": [("Ende",), ("Palu",), ("Solo",)]}
    frame = named([["B-PER", "O", "B-LOC"]] * 9, words=[["Dewi", "ke", "Blitar"]] * 9)
    one = tagging.swap_entities(frame, pool, seed=1, rate=0.5)
    two = tagging.swap_entities(frame[::-1], pool, seed=1, rate=0.5)[::-1]
    assert one == two and len({tuple(new.words) for new in one}) > 2
    assert {sum(new.hit) for new in one} == {1}
    assert one != tagging.swap_entities(frame, pool, seed=2, rate=0.5)
    keyboard = Instrument("keyboard", rate=0.1)
    first = tagging.alter(keyboard, SENTENCES, seed=1)
    assert first == tagging.alter(keyboard, SENTENCES[::-1], seed=1)[::-1]
    assert not any(new.changed for new in tagging.alter(keyboard.at(0.0), SENTENCES, seed=1))


POOL = {
    "PER": [("Sari",), ("Joko", "Wibowo"), ("Siti", "Nur", "Aini")],
    "LOC": [("Palu",), ("Kota", "Baru"), ("Muara", "Teweh", "Hulu")],
}


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=9),
    st.sampled_from(["equal", "free"]),
    st.integers(0, 99),
)
def test_a_model_that_knows_the_swapped_tags_loses_no_span(tags, length, seed):
    words = [f"kata{number}" for number in range(len(tags))]
    [new] = tagging.swap_entities(named([tags], words=[words]), POOL, seed, length)
    assert [name for name, *_ in tagging.spans(new.tags)] == [
        name for name, *_ in tagging.spans(tags)
    ]
    assert new.changed == any(tag != "O" for tag in tags)
    if length == "equal":
        assert len(new.words) == len(words) and new.tags == tags
    outside = [word for word, tag in zip(words, tags, strict=True) if tag == "O"]
    assert outside == [word for word, tag in zip(new.words, new.tags, strict=True) if tag == "O"]
    table = table_of(([tags], [tags], [new.tags], [new]))
    assert not table[["failure", "flip", "induced", "repaired"]].any().any()
    table = table_of(([tags], [tags], [["O"] * len(new.tags)], [new]))
    spans = table[table["group"] == "spans"]
    assert spans["induced"].all() and len(spans) == len(tagging.spans(tags))
    assert table[table["group"] == "sentences"]["failure"].item() == new.changed


def test_a_part_of_a_longer_entity_is_no_agreement():
    words, tags = ["ke", "Palu"], ["O", "B-LOC"]
    pool = {"LOC": [("Kota", "Baru")]}
    [new] = tagging.swap_entities(named([tags], words=[words]), pool, seed=1, length="free")
    said = [["O", "B-LOC", "O"]]
    table = table_of(([tags], [tags], said, [new]))
    spans = table[table["group"] == "spans"]
    assert sorted(spans["gold"]) == ["-", "LOC"] and spans["failure"].all()
    result = tagging.metrics(table, seed=1, resamples=10)
    assert value(result, "spans", "agreement_f1") == 0
    assert value(result, "spans", "new_spurious_share") == 1
    assert table[table["group"] == "tokens"]["gold"].tolist() == ["O"]


def test_the_pool_holds_each_entity_once_and_none_of_two_types():
    words = [["Ani", "dan", "Solo"], ["Ani", "suka", "Solo"], ["Kota", "Tua"]]
    tags = [["B-PER", "O", "B-LOC"], ["B-PER", "O", "B-ORG"], ["B-LOC", "I-LOC"]]
    frame = named(tags, words=words)
    assert entities(frame) == {"LOC": [("Kota", "Tua")], "PER": [("Ani",)]}
    assert entities(frame, without={("Ani",)}) == {"LOC": [("Kota", "Tua")]}


def test_aspects_are_judged_by_cell_with_reviews_as_clusters():
    aspects = ["harga", "rasa", "porsi"]
    gold = [["pos", "neut", "neg"], ["neut", "neut", "pos"]]
    clean = [["pos", "neut", "neut"], ["neut", "neut", "pos"]]
    perturbed = [["neut", "neut", "neg"], ["neut", "neut", "pos"]]
    reviews = pd.DataFrame(gold, columns=aspects).assign(id=["r1", "r2"], text="-")
    table = robustness.cells(reviews, clean, perturbed, [True, False], TEST)
    cells = table[table["group"] == "cells"]
    assert cells["flip"].tolist() == [True, False, True, False, False, False]
    assert (cells["induced"].sum(), cells["repaired"].sum()) == (1, 1)
    result = tagging.metrics(table, seed=1, resamples=20)
    assert value(result, "cells", "flip_rate") == pytest.approx(2 / 6)
    assert value(result, "rasa", "flip_rate") == 0
    assert value(result, "reviews", "flip_rate") == 0.5
    for prefix, said in (("clean_", clean), ("", perturbed)):
        plain = aspect_evaluation(gold, said, aspects, seed=1, resamples=10)
        assert value(result, "all", f"{prefix}macro_f1") == value(plain, "all", "macro_f1")
    flat = [[label for row in said for label in row] for said in (clean, perturbed)]
    kappa = measure.kappa(*flat, ["pos", "neut", "neg"], seed=1, resamples=10).value
    assert value(result, "cells", "kappa") == pytest.approx(kappa)
    judged = measure.verdicts(robustness.units(table), "INV", [0.05])
    assert judged.set_index(["group", "quantity"])["n"].loc[("cells", "flips")] == 3


GOLD, NEW = [["B-PER", "O"]], unchanged(["Ani", "tidur"])


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ((GOLD, GOLD, [["O"]], [NEW]), "'s0': 1 tags for 2 changed words"),
        ((GOLD, GOLD, [None], [NEW]), "'s0': no tags for 2 changed words"),
        ((GOLD * 2, GOLD * 2, GOLD, [NEW, NEW]), "gold has 2, perturbed has 1"),
        (([["B-PER X", "O"]], GOLD, GOLD, [NEW]), "but 'B-PER X' is"),
    ],
)
def test_tags_that_do_not_belong_together_are_refused(given, complaint):
    with pytest.raises(InputError, match=complaint):
        predictions_of(*given)


def test_what_does_not_belong_together_is_refused():
    twice = pd.concat([predictions_of(GOLD, GOLD, GOLD, [NEW])] * 2)
    with pytest.raises(InputError, match="stand more than once in one test"):
        tagging.metrics(tagging.rows(twice), seed=1)
    with pytest.raises(InputError, match="unknown length 'same'"):
        tagging.swap_entities(named(GOLD, words=[["Ani", "tidur"]]), POOL, seed=1, length="same")
    review = pd.DataFrame({"id": ["a"], "text": ["-"], "harga": ["pos"], "rasa": ["pos"]})
    with pytest.raises(InputError, match="2 tags in gold and 1 in clean"):
        robustness.cells(review, [["pos"]], [["pos", "neg"]], [True], TEST)
