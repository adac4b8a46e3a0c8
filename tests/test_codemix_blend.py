"""The attack, on classifiers worked out by hand: which words are exchanged, which give way, what is
counted, and that the batch is the plain loop.
"""

import json
import random

import folders
import numpy as np
import pandas as pd
import pytest
from folders import LABELS, TEXTS
from hypothesis import given, settings
from hypothesis import strategies as st
from test_codemix_importance import Points, by_hand, plainly

from tahanuji import behaviour, data, measure, models, perturb, words
from tahanuji.codemix import blend, similarity
from tahanuji.codemix.dictionaries import Dictionary, Translator
from tahanuji.codemix.importance import importance
from tahanuji.errors import InputError

PAIRS = [
    ("gurih", "tasty"),
    ("empuk", "tender"),
    ("hambar", "bland"),
    ("warung", "stall"),
    ("sekali", "very much"),
    ("ya", "ya"),
    ("benar-benar", "truly"),
]
ENGLISH = Dictionary("own", "en", PAIRS)
SUNDANESE = Dictionary(
    "own",
    "su",
    [
        ("gurih", "ngeunah"),
        ("empuk", "hipu"),
        ("sekali", "pisan"),
        ("warung", "warung"),
        ("hambar", "cawerang"),
    ],
)


def frame(*texts: str, label: str = "positive") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "id": [f"a{number}" for number in range(len(texts))],
            "text": list(texts),
            "label": [label] * len(texts),
        }
    )


def one(text: str, rate: float = 1.0, **options) -> pd.Series:
    return blend.attack(
        options.pop("classifier", by_hand()),
        frame(text),
        options.pop("translator", ENGLISH),
        rate,
        1,
        **options,
    ).iloc[0]


def exchanged(row: pd.Series) -> list[str]:
    return [source for _, source, _ in json.loads(row["replacements"])]


class Kept:
    """A similarity: the share of the original's words that still stand in the changed text at their
    places; it notes the sizes of its batches.
    """

    def __init__(self):
        self.sizes = []

    def scores(self, originals: list[str], changed: list[str]) -> np.ndarray:
        self.sizes.append(len(originals))
        return np.array([self.one(old, new) for old, new in zip(originals, changed, strict=True)])

    @staticmethod
    def one(old: str, new: str) -> float:
        kept = {word.text for word in words.words(new)}
        return sum(word.text in kept for word in words.words(old)) / len(words.words(old))


class Never:
    """A similarity that nothing satisfies, and that remembers what it was shown."""

    def __init__(self, value: float = 0.0):
        self.value, self.shown = value, []

    def scores(self, originals: list[str], changed: list[str]) -> np.ndarray:
        self.shown += changed
        return np.full(len(changed), self.value)


# Ranking and rate


def test_the_most_important_words_go_first():
    """Of gurih (3 points), empuk (1), warung (another label), hambar (against) the first two."""
    text = "warung empuk gurih hambar lalu"
    assert exchanged(one(text, 0.2)) == ["gurih"]
    assert exchanged(one(text, 0.4)) == ["empuk", "gurih"]
    assert exchanged(one(text, 0.6)) == ["warung", "empuk", "gurih"]
    assert exchanged(one(text, 0.8)) == ["warung", "empuk", "gurih", "hambar"]
    ranks = importance(by_hand(), [text], ["positive"])[0]
    order = [words.words(text)[place].text for place in np.argsort(-ranks, kind="stable")]
    assert order[:2] == ["gurih", "empuk"]


def test_words_without_a_translation_give_place_to_the_next_most_important():
    only = Dictionary("own", "en", [("empuk", "tender"), ("hambar", "bland"), ("gurih", "gurih")])
    row = one("gurih empuk hambar lalu", 0.25, translator=only)
    assert exchanged(row) == ["empuk"] and row["perturbed"] == "gurih tender hambar lalu"
    assert (
        row["words"],
        row["translatable"],
        row["asked"],
        row["replaced"],
        row["share_replaced"],
    ) == (4, 2, 1, 1, 0.25)


def test_equally_important_words_go_in_the_order_of_the_text():
    assert exchanged(one("sekali empuk empuk", 0.3)) == ["empuk"]
    assert json.loads(one("sekali empuk empuk", 0.3)["replacements"]) == [[1, "empuk", "tender"]]


@pytest.mark.parametrize(
    ("rate", "count"), [(0.01, 1), (0.2, 1), (0.4, 2), (0.6, 3), (0.8, 4), (1.0, 5)]
)
def test_the_rate_is_a_share_of_all_words_and_at_least_one(rate, count):
    row = one("gurih , gurih gurih ! gurih gurih 12", rate)
    assert (row["asked"], row["replaced"], row["words"]) == (count, count, 5)
    assert row["perturbed"].count("tasty") == count


def test_fewer_translations_than_asked_for():
    row = one("gurih lalu lalu lalu", 1.0)
    assert (row["asked"], row["replaced"], row["share_replaced"], row["outcome"]) == (
        4,
        1,
        0.25,
        "mixed",
    )


def test_stop_words_are_never_exchanged():
    row = one("Gurih empuk lalu", 1.0, stop_words=frozenset({"gurih"}))
    assert exchanged(row) == ["empuk"] and row["translatable"] == 2


def test_random_ranking_does_not_ask_the_classifier_for_importance():
    classifier, rows = by_hand(), frame(*["gurih empuk hambar warung sekali lalu gurih gurih"] * 40)
    table = blend.attack(classifier, rows, ENGLISH, 0.125, 3, ranking="random")
    assert len(classifier.calls) == 2
    drawn = [exchanged(row)[0] for _, row in table.iterrows()]
    assert {"gurih", "empuk", "hambar", "warung", "sekali"} == set(drawn)
    assert len({json.loads(row["replacements"])[0][0] for _, row in table.iterrows()}) == 7
    assert set(table["ranking"]) == {"random"}


def test_the_form_of_importance_is_handed_on():
    """With two labels the printed form gives the word that turns the answer 0, so another goes
    first.
    """
    two = Points(["yes", "no"], gurih=(3, 0), empuk=(0.5, 0), hambar=(0, 2))
    table = {
        form: blend.attack(
            two, frame("gurih hambar empuk", label="yes"), ENGLISH, 0.3, 1, form=form
        ).iloc[0]
        for form in ("textfooler", "printed")
    }
    assert exchanged(table["textfooler"]) == ["gurih"] and exchanged(table["printed"]) == ["empuk"]


# What is kept


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GURIH, Empuk! (sekali)", "TASTY, Tender! (very much)"),
        ("Benar-benar\tgurih\n😋 @empuk #gurih 25rb", "Truly\ttasty\n😋 @empuk #gurih 25rb"),
        (
            "gurih[USERNAME]gurih http://gurih.id/empuk",
            "tasty[USERNAME]tasty http://gurih.id/empuk",
        ),
        ("gurih مُحَمَّد gurih", "tasty مُحَمَّد tasty"),
        ("gurih e\u0301 gurih", "tasty e\u0301 tasty"),
    ],
)
def test_case_punctuation_and_all_else_survive(text, expected):
    assert one(text)["perturbed"] == expected


def test_predictions_are_those_of_the_texts_saved():
    rows = pd.concat(
        [
            frame("gurih , empuk lalu", "hambar", "", "gurih hambar"),
            frame("hambar sekali", label="negative").assign(id="b"),
        ],
        ignore_index=True,
    )
    table = blend.attack(by_hand(), rows, ENGLISH, 0.5, 1)
    clean, perturbed = (
        by_hand().predict_proba(list(table[column])) for column in ("text", "perturbed")
    )
    expected = behaviour.judged(rows, clean, perturbed, LABELS)
    pd.testing.assert_frame_equal(table[list(expected)], expected)
    assert list(table["changed"]) == [
        new != old for old, new in zip(table["text"], table["perturbed"], strict=True)
    ]
    assert list(table["clean_sha256"]) == list(map(data.text_hash, table["text"]))
    assert list(table["perturbed_sha256"]) == list(map(data.text_hash, table["perturbed"]))
    assert table["induced"].tolist() == [False, False, False, True, True]
    assert len(measure.behaviour(table.assign(test="en"))) > 0


def test_the_frames_source_stays():
    rows = data.load("embedded", "test").head(3)
    assert blend.attack(by_hand(), rows, ENGLISH, 0.5, 1).attrs["source"] == rows.attrs["source"]


# Outcomes


@pytest.mark.parametrize(
    ("text", "options", "outcome"),
    [
        ("gurih", {}, "mixed"),
        ("hambar", {}, "wrong already"),
        ("", {}, "no words"),
        ("!!! 😋 12", {}, "no words"),
        ("gurih", {"rate": 0}, "not asked"),
        ("gurih sekali", {"stop_words": frozenset({"gurih", "sekali"})}, "stop words only"),
        (
            "lalu gurih",
            {"translator": Dictionary("own", "en", [("gurih", "Gurih")])},
            "no translation",
        ),
        ("gurih مُحَمَّد", {"translator": Dictionary("own", "en", [])}, "no translation"),
        ("gurih", {"similarity": Never(), "alpha": 0.1}, "too dissimilar"),
        (
            "gurih empuk",
            {"similarity": similarity.CharacterTfidf.fit(TEXTS), "alpha": 1},
            "too dissimilar",
        ),
        ("gurih", {"similarity": Never(0.5), "alpha": 0.5}, "mixed"),
    ],
)
def test_outcomes(text, options, outcome):
    row = one(text, **{"rate": 0.5, **options})
    assert row["outcome"] == outcome
    assert row["changed"] == (outcome == "mixed") == (row["perturbed"] != text)
    if outcome != "mixed":
        assert (row["perturbed"], row["replaced"], row["share_replaced"], row["replacements"]) == (
            text,
            0,
            0,
            "[]",
        )
        assert (
            not row["flip"]
            and row["perturbed_label"] == row["clean_label"]
            and np.isnan(row["similarity"])
        )


def test_rate_zero_is_the_identity():
    rows = data.load("embedded", "test").head(40)
    classifier = by_hand()
    table = blend.attack(classifier, rows, ENGLISH, 0, 1)
    assert (
        table["perturbed"].tolist() == rows["text"].tolist()
        and not table["changed"].any()
        and table["asked"].sum() == 0
    )


def test_no_rows():
    table = blend.attack(by_hand(), frame(), ENGLISH, 0.4, 1, similarity=Kept())
    assert len(table) == 0 and {"outcome", "perturbed", "clean_positive"} <= set(table)


def test_a_text_of_ten_thousand_words():
    classifier = by_hand()
    row = one("gurih lalu " * 5000, 0.4, classifier=classifier)
    assert (row["words"], row["asked"], row["replaced"], row["outcome"]) == (
        10_000,
        4000,
        4000,
        "mixed",
    )
    assert len(classifier.calls[1][0]) <= 512


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"rate": 1.01}, "the share of words to exchange lies between 0 and 1, and 1.01 does not"),
        ({"rate": -0.1}, "between 0 and 1, and -0.1 does not"),
        ({"rate": float("nan")}, "between 0 and 1, and nan does not"),
        ({"alpha": 1.2}, "alpha lies between 0 and 1, and 1.2 does not"),
        ({"tries": -1}, "the number of tries is 0 or more, and -1 is not"),
        ({"ranking": "importanc"}, "unknown ranking 'importanc'; did you mean 'importance'"),
        ({"form": "print"}, "unknown form of importance 'print'"),
    ],
)
def test_what_cannot_be_is_said(options, said):
    with pytest.raises(InputError, match=said):
        one("gurih empuk", **{"rate": 0.5, **options})


def test_a_label_that_the_classifier_does_not_have():
    with pytest.raises(InputError, match="unknown label 'Positif'"):
        blend.attack(by_hand(), frame("gurih", label="Positif"), ENGLISH, 0.4, 1, ranking="random")


# Resampling


def test_the_least_important_chosen_word_gives_way_and_the_first_stays():
    """Importance gurih > empuk > the four of no weight. Of two words the second is drawn anew until
    none is left, then dropped, then the first.
    """
    never, text = Never(), "gurih empuk sekali sekali sekali sekali"
    row = one(text, 2 / 6, similarity=never, alpha=0.5, tries=99)
    shown = [changed.replace("very much", "much").split() for changed in never.shown]
    places = [
        [
            number
            for number, (old, new) in enumerate(zip(text.split(), changed, strict=True))
            if old != new
        ]
        for changed in shown
    ]
    assert places[0] == [0, 1]
    assert sorted(place for pair in places[1:5] for place in pair if place) == [2, 3, 4, 5]
    assert all(pair[0] == 0 for pair in places[:6]) and places[5] == [0]
    assert len(places) == 6
    assert (row["tries"], row["outcome"]) == (6, "too dissimilar")


def test_a_word_that_comes_in_is_then_the_least_important_and_gives_way_next():
    never = Never()
    one("gurih empuk sekali hambar", 0.75, similarity=never, alpha=0.5, tries=1)
    assert never.shown == ["tasty tender very much hambar", "tasty tender sekali bland"]


@pytest.mark.parametrize("tries", [0, 1, 2, 5])
def test_tries_bound_the_resampling(tries):
    never = Never()
    row = one("gurih " * 9, 0.5, similarity=never, alpha=0.5, tries=tries)
    assert len(never.shown) == 1 + tries and (row["tries"], row["outcome"]) == (
        tries,
        "too dissimilar",
    )


def test_a_text_that_meets_alpha_is_left_alone_and_one_that_does_not_loses_words():
    row = one("gurih empuk lalu lalu", 0.5, similarity=Kept(), alpha=0.5)
    assert (row["similarity"], row["tries"], row["replaced"]) == (0.5, 0, 2)
    row = one("gurih empuk lalu lalu", 0.5, similarity=Kept(), alpha=0.75)
    assert (row["similarity"], row["tries"], row["replaced"], exchanged(row), row["asked"]) == (
        0.75,
        1,
        1,
        ["gurih"],
        2,
    )


def test_the_draw_is_that_of_seed_and_id():
    text = "gurih " + "sekali " * 30
    drawn = {}
    for seed in range(6):
        never = Never()
        blend.attack(
            by_hand(), frame(text), ENGLISH, 0.01, seed, similarity=never, alpha=0.5, tries=1
        )
        place = next(number for number, word in enumerate(never.shown[1].split()) if word == "very")
        assert place == 1 + random.Random(perturb.key(seed, "a0")).randrange(30)
        drawn[seed] = place
    assert len(set(drawn.values())) > 3


def test_all_that_are_below_alpha_are_measured_together_once_a_try():
    kept = Kept()
    rows = frame("gurih", "gurih empuk lalu", "gurih lalu lalu", "lalu", "hambar")
    table = blend.attack_many(
        by_hand(), rows, [ENGLISH, SUNDANESE], [0.6, 1.0], 1, similarity=kept, alpha=0.6
    )
    assert (
        kept.sizes[0] == 12
        and len(kept.sizes) <= 4
        and kept.sizes == sorted(kept.sizes, reverse=True)
    )
    assert table["outcome"].value_counts().to_dict() == {
        "mixed": 8,
        "too dissimilar": 4,
        "wrong already": 4,
        "no translation": 4,
    }


# Several settings, order, subset and the plain loop


def test_many_settings_are_each_ones_attack_with_one_pass_of_importance():
    classifier, rows = (
        by_hand(),
        frame("gurih empuk sekali lalu", "warung gurih", "Gurih!", "hambar", ""),
    )
    options = {"similarity": Kept(), "alpha": 0.4}
    table = blend.attack_many(classifier, rows, [ENGLISH, SUNDANESE], [0.2, 0.6], 5, **options)
    assert len(classifier.calls) == 3  # clean texts, texts without a word, mixed texts
    assert table[["language", "rate"]].drop_duplicates().values.tolist() == [
        ["en", 0.2],
        ["en", 0.6],
        ["su", 0.2],
        ["su", 0.6],
    ]
    for translator in (ENGLISH, SUNDANESE):
        for rate in (0.2, 0.6):
            alone = blend.attack(by_hand(), rows, translator, rate, 5, **options)
            part = table[
                (table["language"] == translator.language) & (table["rate"] == rate)
            ].reset_index(drop=True)
            pd.testing.assert_frame_equal(part, alone)


def test_only_words_that_some_translator_knows_are_measured():
    classifier = by_hand()
    rows = frame("gurih lalu ya hambar", "hambar sekali", "lalu warung gurih")
    blend.attack_many(
        classifier, rows, [ENGLISH, SUNDANESE], [0.4], 1, stop_words=frozenset({"hambar"})
    )
    assert classifier.calls[1][0] == ["lalu ya hambar", "lalu gurih", "lalu warung "]


def test_a_translator_of_ones_own_that_gives_the_word_itself_is_not_believed():
    class Echo(Translator):
        name, language = "echo", "id"

        def translate(self, word: str) -> str | None:
            return word.upper() if word != "empuk" else "hipu"

    assert one("gurih empuk lalu", 1.0, translator=Echo())["perturbed"] == "gurih hipu lalu"
    assert one("gurih lalu", 1.0, translator=Echo())["outcome"] == "no translation"


quick = settings(deadline=None, max_examples=60)
TOKENS = st.sampled_from(
    [
        "gurih",
        "Empuk",
        "HAMBAR",
        "warung",
        "sekali",
        "ya",
        "lalu",
        "benar-benar",
        ",",
        "!",
        "😋",
        "@gurih",
        "12",
    ]
)
ROWS = st.lists(
    st.tuples(st.lists(TOKENS, max_size=9).map(" ".join), st.sampled_from(LABELS)),
    min_size=1,
    max_size=6,
)


def plain_attack(
    classifier,
    rows: pd.DataFrame,
    translator,
    rate: float,
    seed: int,
    alpha: float,
    tries: int,
    ranking: str,
    stop_words,
) -> list[tuple]:
    """Algorithm 1 one sentence at a time, written without the helpers: outcome, text, tries and
    similarity of every row.
    """
    found = []
    for example, text, gold in rows[["id", "text", "label"]].itertuples(index=False):
        some, generator = words.words(text), random.Random(perturb.key(seed, example))
        if classifier.labels[int(classifier.predict_proba([text])[0].argmax())] != gold:
            found.append(("wrong already", text, 0, None))
            continue
        if not some or rate == 0:
            found.append(("not asked" if some else "no words", text, 0, None))
            continue
        places = [
            place for place, word in enumerate(some) if words.key(word.text) not in stop_words
        ]
        ranked = random.Random(perturb.key(seed, example)).sample(range(len(some)), len(some))
        if ranking == "importance":
            score = {
                place: plainly(classifier, text, gold, some[place], "textfooler")
                for place in places
            }
            ranked = sorted(places, key=lambda place, score=score: (-score[place], place))
        ranked = [
            place
            for place in ranked
            if place in places and translator.translate(words.key(some[place].text))
        ]
        if not ranked:
            found.append(("no translation" if places else "stop words only", text, 0, None))
            continue
        asked = max(1, round(rate * len(some)))
        chosen, rest, turns = ranked[:asked], ranked[asked:], 0
        while True:
            new = text
            for place in sorted(chosen, reverse=True):
                start, end, source = some[place]
                new = (
                    new[:start]
                    + words.cased(source, translator.translate(words.key(source)))
                    + new[end:]
                )
            alike = Kept.one(text, new)
            if not chosen or (alike < alpha and turns == tries):
                found.append(("too dissimilar", text, turns, None))
                break
            if alike >= alpha:
                found.append(("mixed", new, turns, alike))
                break
            chosen.remove(max(chosen, key=ranked.index))
            if rest:
                chosen.append(rest.pop(generator.randrange(len(rest))))
            turns += 1
    return found


@quick
@given(
    ROWS,
    st.sampled_from([0, 0.2, 0.4, 0.8, 1]),
    st.integers(0, 9),
    st.sampled_from([0.0, 0.4, 0.7, 1.0]),
    st.sampled_from([0, 1, 3, 20]),
    st.booleans(),
)
def test_the_batched_attack_is_the_plain_loop(pairs, rate, seed, alpha, tries, at_random):
    rows = pd.DataFrame(
        {
            "id": [f"x{number}" for number in range(len(pairs))],
            "text": [text for text, _ in pairs],
            "label": [label for _, label in pairs],
        }
    )
    ranking, stop_words = "random" if at_random else "importance", frozenset({"sekali"})
    options = {"alpha": alpha, "tries": tries, "ranking": ranking, "stop_words": stop_words}
    table = blend.attack(by_hand(), rows, ENGLISH, rate, seed, similarity=Kept(), **options)
    got = [
        (
            row.outcome,
            row.perturbed,
            row.tries,
            None if np.isnan(row.similarity) else row.similarity,
        )
        for row in table[["outcome", "perturbed", "tries", "similarity"]].itertuples()
    ]
    assert got == plain_attack(by_hand(), rows, ENGLISH, rate, seed, **options)
    for row in table.itertuples():
        assert row.changed == (row.outcome == "mixed") == (row.text != row.perturbed)
        assert all(
            not words.same(source, target) for _, source, target in json.loads(row.replacements)
        )
        assert row.replaced == len(json.loads(row.replacements)) <= max(row.asked, 0)


@quick
@given(
    ROWS,
    st.integers(0, 9),
    st.randoms(use_true_random=False),
    st.sampled_from(["importance", "random"]),
)
def test_order_and_subset_of_rows_change_nothing(pairs, seed, shuffler, ranking):
    rows = pd.DataFrame(
        {
            "id": [f"x{number}" for number in range(len(pairs))],
            "text": [text for text, _ in pairs],
            "label": [label for _, label in pairs],
        }
    )
    options = {"similarity": Kept(), "alpha": 0.7, "tries": 2, "ranking": ranking}
    whole = blend.attack(by_hand(), rows, ENGLISH, 0.6, seed, **options).set_index("id")
    kept = shuffler.sample(range(len(rows)), shuffler.randint(1, len(rows)))
    part = blend.attack(by_hand(), rows.iloc[kept], ENGLISH, 0.6, seed, **options).set_index("id")
    pd.testing.assert_frame_equal(part, whole.loc[part.index])


@pytest.mark.parametrize("ranking", blend.RANKINGS)
def test_a_transformer_under_attack_gives_what_one_sentence_at_a_time_gives(tmp_path, ranking):
    classifier = models.load(folders.classifier(tmp_path, "bert", LABELS), LABELS)
    rows = frame(*TEXTS[::4], "Kuah SOTO !", "")
    rows["label"] = [
        LABELS[number] for number in classifier.predict_proba(list(rows["text"])).argmax(1)
    ]
    rows.loc[1, "label"] = next(label for label in LABELS if label != rows.loc[1, "label"])
    spelt = sorted({word.text.lower() for text in rows["text"] for word in words.words(text)})
    backwards = Dictionary("own", "xx", [(word, word[::-1]) for word in spelt[::2]])
    table = blend.attack(
        classifier, rows, backwards, 0.4, 2, similarity=Kept(), alpha=0.75, tries=3, ranking=ranking
    )
    expected = plain_attack(classifier, rows, backwards, 0.4, 2, 0.75, 3, ranking, frozenset())
    assert list(zip(table["outcome"], table["perturbed"], table["tries"], strict=True)) == [
        row[:3] for row in expected
    ]
    assert table["outcome"].value_counts()["mixed"] > 8 and (table["tries"] > 0).any()
    again = blend.attack(
        classifier,
        rows.sample(frac=1, random_state=4),
        backwards,
        0.4,
        2,
        similarity=Kept(),
        alpha=0.75,
        tries=3,
        ranking=ranking,
    )
    assert (
        again.set_index("id").loc[table["id"], "perturbed"].tolist() == table["perturbed"].tolist()
    )
