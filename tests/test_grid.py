"""The perturbation grid: its perturbations, texts of any kind, predictions once per text, kappa and
shares by hand, and its way into the scores.
"""

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers import grid_views
from tahanuji import behaviour, data, grid, instrument, measure, models, perturb
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.measure import robustness
from tahanuji.models import tfidf
from tahanuji.perturb import units

OFFLINE = {language: perturb.names("offline", language) for language in ("id", "en")}
STRANGE = {
    "empty": "",
    "one letter": "a",
    "two letters": "ya",
    "blanks": "  \t ",
    "emoji": "😀😂🙏🏽❤️",
    "combining marks": "kafe\u0301 itu na\u0308yaman",
    "Arabic": "السلام عليكم ورحمة الله",
    "zero-width": "en\u200bak ba\u200dnget",
    "mentions and links": "@toko_baju cek https://t.co/abc #promo [USERNAME] <mask>",
    "figures": "12.500 25rb 3,5 anak2 0812",
    "3,000 words": "warung nya ramai , pelayan nya tidak ramah dan harga 25rb " * 300,
}


class ByWord:
    """Says negative where a text holds the word jelek, else positive; counts the texts that it was
    asked for.
    """

    labels = data.LABELS

    def __init__(self):
        self.asked: list[str] = []

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        self.asked += texts
        return np.array(
            [[0.1, 0.1, 0.8] if "jelek" in text else [0.8, 0.1, 0.1] for text in texts],
            dtype=np.float32,
        ).reshape(len(texts), 3)


class ByLength:
    """Goes by the number of characters, whatever they are: positive, neutral, negative in turn."""

    labels = data.LABELS

    def predict_proba(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        return np.eye(3, dtype=np.float32)[[len(text) % 3 for text in texts]].reshape(len(texts), 3)


def frame_of(*texts: str, labels: list[str] | None = None) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "id": [f"t{number}" for number in range(len(texts))],
            "text": texts,
            "label": labels or ["positive"] * len(texts),
        }
    )
    return data.describe(frame, name="own", split="test", sha256="0" * 64, publish_texts=True)


def test_the_grid_has_the_fourteen_of_the_thesis_and_more():
    of_grid = {name for name, entry in perturb.REGISTRY.items() if entry.grid}
    assert len(grid.FOURTEEN) == 14
    assert of_grid > set(grid.FOURTEEN)
    assert {perturb.REGISTRY[name].level for name in of_grid} == set(robustness.LEVELS)
    assert [grid.kind(name) for name in ("reversed_negation", "keyboard", "jv")] == [
        "DIR",
        "INV",
        "",
    ]


def test_the_typos_of_the_thesis_can_be_in_the_grid():
    texts, errors = changed(frame_of("kopi susunya nikmat sekali"), perturb.names("typos"), 3)
    assert [one.rate for one in texts] == [0.1, 0.2, 0.3] and errors.empty
    rows = grid.rows(ByLength(), frame_of("kopi susunya nikmat sekali"), texts)
    assert keys(rows) == list(texts)


def test_a_download_that_cannot_be_had_stops_the_grid_before_it_begins(tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tmp_path))
    with pytest.raises(InputError, match="TAHAN_DATA_MIRROR"):
        changed(frame_of("enak sekali"), ["synonym_wordnet"], 1)


def changed(frame: pd.DataFrame, names: list[str], seed: int, language: str = "id") -> tuple:
    """The changed texts of a grid of perturbations, and its errors."""
    return grid.changed(frame, instrument.grid(names, language), seed)


def keys(table: pd.DataFrame) -> list[Instrument]:
    """The instrument of every row, English or Indonesian alike."""
    tests = zip(table["test"], table["rate"], strict=True)
    return [Instrument(test, rate=None if rate != rate else rate) for test, rate in tests]


@pytest.mark.parametrize("language", ["id", "en"])
def test_no_text_breaks_the_grid(language):
    frame = frame_of(*STRANGE.values())
    found, errors = changed(frame, OFFLINE[language], 3, language)
    assert errors.empty, errors["error"].tolist()
    assert set(found) == set(instrument.grid(OFFLINE[language], language))
    found = {replace(one, language="id"): texts for one, texts in found.items()}
    for test, texts in found.items():
        for kind, old, new in zip(STRANGE, frame["text"], texts, strict=True):
            assert new is None or new != old, (test, kind)
        assert texts[list(STRANGE).index("empty")] is None, test

    rows = grid.rows(ByLength(), frame, found)
    assert len(rows) == len(found) * len(STRANGE) and set(keys(rows)) == set(found)
    assert (
        rows["achieved"].between(0, 1).all() and ((rows["achieved"] > 0) == rows["changed"]).all()
    )
    for test in found:
        part = rows[[key == test for key in keys(rows)]]
        assert part["changed"].tolist() == [new is not None for new in found[test]], test
        texts = [new or old for old, new in zip(frame["text"], found[test], strict=True)]
        assert part["perturbed_label"].tolist() == [data.LABELS[len(text) % 3] for text in texts], (
            test
        )
    metrics = grid.metrics(rows, data.LABELS, 3)
    assert set(keys(metrics)) == set(found)
    defined = metrics[(metrics["n"] > 0) & ~metrics["metric"].isin(["kappa_changed", "at_chance"])]
    assert np.isfinite(defined[["value", "ci_low", "ci_high"]]).all(axis=None)
    assert (defined["ci_low"] <= defined["value"] + 1e-9).all() and (
        defined["value"] <= defined["ci_high"] + 1e-9
    ).all()
    assert (defined["value"].abs() <= 1).all()


def test_a_text_at_which_a_perturbation_breaks_is_named_and_the_grid_goes_on():
    def brittle(text: str, rate: float, rng: random.Random) -> str | None:
        if "angpau" in text:
            raise ValueError("no angpau, please")
        return text.upper()

    errors: list[tuple] = []
    found = perturb.apply(
        grid.guarded(brittle, "brittle 0.1", errors),
        frame_of("bakso urat", "angpau merah", "es teh"),
        0.1,
        1,
    )
    assert found == ["BAKSO URAT", None, "ES TEH"]
    assert len(errors) == 1
    assert errors[0][0] == "brittle 0.1"
    assert data.text_hash("angpau merah") in errors[0][1]
    assert "angpau merah" not in errors[0][1]


def test_what_the_user_did_wrong_is_no_bad_text():
    def refusing(text: str, rate: float, rng: random.Random) -> str | None:
        raise InputError("no such lexicon.")

    with pytest.raises(InputError, match="no such lexicon"):
        grid.guarded(refusing, "refusing", [])("es teh", 0.1, random.Random(1))


def test_a_text_is_predicted_once_however_often_it_stands_in_the_grid():
    classifier = ByWord()
    once = grid.Once(classifier)
    frame = frame_of("warung ini jelek", "pelayan nya ramah")
    grid.rows(
        once,
        frame,
        {
            Instrument("twitter"): ["warung ini jelek @a", None],
            Instrument("punctuation"): [None, "pelayan nya ramah !"],
            Instrument("word_case"): ["warung ini jelek @a", None],
        },
    )
    assert sorted(classifier.asked) == sorted(
        ["warung ini jelek", "pelayan nya ramah", "warung ini jelek @a", "pelayan nya ramah !"]
    )
    before = len(classifier.asked)
    again = once.predict_proba(["pelayan nya ramah !", "pelayan nya ramah"])
    assert len(classifier.asked) == before
    np.testing.assert_array_equal(
        again, classifier.predict_proba(["pelayan nya ramah !", "pelayan nya ramah"])
    )
    assert once.predict_proba([]).shape == (0, 3)


def test_rows_are_those_of_any_behavioural_test_with_the_achieved_share():
    frame = frame_of(
        "warung ini jelek",
        "pelayan nya ramah",
        "es teh manis",
        labels=["negative", "positive", "neutral"],
    )
    texts = {
        Instrument("keyboard"): ["warung ini jelej", None, "es teh maniz"],
        Instrument("reversed_negation"): [
            "warung ini tidak jelek",
            "pelayan nya tidak ramah",
            None,
        ],
    }
    rows = grid.rows(ByWord(), frame, texts)
    plain = behaviour.rows(ByWord(), frame, {one: texts[one] for one in list(texts)[:1]})
    pd.testing.assert_frame_equal(
        rows[rows["test"] == "keyboard"].drop(columns="achieved").reset_index(drop=True), plain
    )
    assert rows["achieved"].tolist() == [
        round(1 / 14, 6),
        0.0,
        round(1 / 10, 6),
        round(1 / 3, 6),
        round(1 / 3, 6),
        0.0,
    ]
    turned = rows[rows["test"] == "reversed_negation"]
    assert turned["expected"].tolist() == [
        "positive|neutral",
        "neutral|negative",
        "positive|neutral|negative",
    ]
    assert turned["failure"].tolist() == [True, True, False]
    assert rows.attrs["source"]["name"] == "own"


def test_what_changes_meaning_is_out_of_level_means():
    rows = [("m", name, 0.0, "all", "kappa", 0.1) for name in ("keyboard", "verb_form")]
    rows += [("m", name, 0.0, "all", "changed_share", 1.0) for name in ("keyboard", "verb_form")]
    columns = ["model", "test", "rate", "group", "metric", "value"]
    cells = grid.cells(pd.DataFrame(rows, columns=columns), "made-up")
    assert cells["perturbation"].tolist() == ["keyboard"]


class First(ByWord):
    """Always says the first of two labels."""

    def __init__(self, *labels: str):
        self.labels = list(labels)

    def predict_proba(self, texts, precision="fp32"):
        return np.tile(np.array([[0.9, 0.1]], dtype=np.float32), (len(texts), 1))


def test_of_other_labels_reversed_negation_expects_nothing():
    rows = grid.rows(
        First("acceptable", "unacceptable"),
        frame_of("saya makan", labels=["unacceptable"]),
        {Instrument("twitter"): [None], Instrument("reversed_negation"): ["saya tidak makan"]},
    )
    assert rows["failure"].tolist() == [True, False]


def test_two_labels_of_sentiment_are_enough_for_the_dir_test():
    labels = ["negative", "positive"]
    rows = grid.rows(
        First(*labels),
        frame_of("saya suka", "saya kecewa", labels=["positive", "negative"]),
        {Instrument("reversed_negation"): ["saya tidak suka", "saya tidak kecewa"]},
    )
    assert rows["expected"].tolist() == ["negative", "positive"]
    assert rows["failure"].tolist() == [False, True]
    assert grid.types(["reversed_negation"], labels) == {"reversed_negation": "DIR"}


def by_hand() -> pd.DataFrame:
    """Ten rows of one test: clean aaaaaabbbb, perturbed aaaabbbbba; six texts changed."""
    clean, changed = list("aaaaaabbbb"), [True] * 6 + [False] * 4
    new = list("aaaabbbbba")
    table = pd.DataFrame(
        {
            "id": range(10),
            "test": "keyboard",
            "rate": 0.05,
            "gold": clean,
            "clean_label": clean,
            "perturbed_label": new,
            "changed": changed,
        }
    )
    table["flip"] = table["clean_label"] != table["perturbed_label"]
    table["failure"] = table["induced"] = table["flip"]
    return table.assign(repaired=False, achieved=[0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0, 0, 0, 0])


def test_metrics_by_hand():
    found = grid.metrics(by_hand(), ["a", "b"], seed=5).set_index("metric")
    observed, chance = 7 / 10, (6 * 5 + 4 * 5) / 100
    assert found.loc["kappa", "value"] == pytest.approx((observed - chance) / (1 - chance))
    assert found.loc["kappa", ["value", "ci_low", "ci_high"]].tolist() == list(
        measure.kappa(by_hand()["clean_label"], by_hand()["perturbed_label"], ["a", "b"], 5)
    )
    assert found.loc["achieved_rate", "value"] == pytest.approx(0.15)
    assert found.loc["achieved_rate", "n"] == 6
    assert (
        0.1
        <= found.loc["achieved_rate", "ci_low"]
        < 0.15
        < found.loc["achieved_rate", "ci_high"]
        <= 0.2
    )
    assert found.loc["changed_share", "value"] == 0.6
    assert found.loc["flip_rate", "value"] == 0.3


def test_a_test_that_changes_nothing_has_no_achieved_share():
    table = by_hand().assign(changed=False, achieved=0.0)
    found = grid.metrics(table, ["a", "b"], seed=5).set_index("metric")
    assert found.loc["achieved_rate", "n"] == 0
    assert np.isnan(found.loc["achieved_rate", "value"])


def test_the_mean_of_equal_values_has_no_spread():
    assert grid.mean(np.array([0.25, 0.25]), 1) == (0.25, 0.25, 0.25)


def cells() -> pd.DataFrame:
    found = grid.metrics(
        pd.concat(
            [
                by_hand(),
                by_hand().assign(test="twitter", rate=np.nan),
                by_hand().assign(test="reversed_negation", rate=np.nan),
            ]
        ),
        ["a", "b"],
        5,
    )
    return grid.cells(found.assign(model="m"), "own")


def test_cells_are_what_the_scores_are_made_of():
    table = cells()
    assert table["perturbation"].tolist() == ["keyboard", "twitter"]  # a DIR test is no robustness
    assert table["rate"].tolist() == [0.05, pytest.approx(np.nan, nan_ok=True)]
    assert table["level"].tolist() == ["character", "other"]
    scored = robustness.scored(table)
    assert scored["score"].tolist() == pytest.approx([0.4 * 0.6] * 2)
    assert robustness.by_perturbation(table)["changed"].tolist() == [0.6, 0.6]


def test_a_real_model_on_the_embedded_corpus_from_texts_to_table():
    train, frame = data.load("embedded", "train"), data.load("embedded", "test").iloc[60:100]
    features = tfidf.features(models.spec("tfidf")).fit(train["text"])
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    fitted = LogisticRegression(max_iter=500).fit(features.transform(train["text"]), train["label"])
    classifier = tfidf.Tfidf(data.LABELS, make_pipeline(features, fitted))
    names = ["keyboard", "contraction", "word_case", "reversed_negation"]
    texts, errors = changed(frame, names, 9)
    assert errors.empty
    rows = grid.rows(classifier, frame, texts)
    found = grid.metrics(rows, data.LABELS, 9).assign(model="tfidf")
    table = grid_views.table(found)
    assert table["perturbation"].tolist() == ["keyboard"] * 3 + [
        "contraction",
        "word_case",
        "reversed_negation",
    ]
    assert table["asked"].tolist() == [
        "1% of characters",
        "5% of characters",
        "10% of characters",
        "all places",
        "all places",
        "all places",
    ]
    assert [text.split(" of ")[1] for text in table["achieved"]] == ["characters"] * 3 + [
        "tokens"
    ] * 3
    assert (
        table.set_index("perturbation").loc["word_case", "kappa"] == "cannot act"
    )  # n-grams are lower-cased
    assert table["accuracy"].tolist()[-1] == ""
    shares = found[found["metric"] == "achieved_rate"].set_index("rate")["value"]
    assert 0.045 < shares[0.05] < 0.06
    assert 0.09 < shares[0.1] < 0.11
    subset = frame.sample(frac=0.5, random_state=2)
    subset.attrs = frame.attrs
    again, _ = changed(subset, names, 9)
    for test, some in again.items():
        assert some == [
            dict(zip(frame["id"], texts[test], strict=True))[example] for example in subset["id"]
        ]
    assert grid_views.chart(found, "word", "tfidf") is None
    figure = grid_views.chart(found, "character", "tfidf")
    assert [text.get_text() for text in figure.axes[0].texts] == ["100%"] * 3
    others = grid_views.chart(found, "other", "tfidf").axes[0]
    assert [label.get_text() for label in others.get_xticklabels()][
        -1
    ] == "reversed\nnegation\n(DIR)"
    lowest = found[(found["metric"] == "kappa") & found["test"].isin(["contraction", "word_case"])][
        "value"
    ].min()
    assert f"kappa {lowest:.2f}" in others.get_title(loc="left") + others.get_title()


def test_the_lowest_agreement_is_no_dir_tests():
    rows = pd.DataFrame(
        {"test": ["ocr", "reversed_negation"], "rate": [0.05, np.nan], "value": [0.6, 0.1]}
    ).assign(series="mini")
    own = "lowest kappa of invariance tests at rated rates 0.60"  # the other one lies lower
    assert grid_views.least(rows) == f"{own} (ocr 0.05)"
    assert grid_views.least(rows, of_models=True) == f"{own} (mini, ocr 0.05)"
    assert grid_views.least(rows.head(1)) == "lowest kappa 0.60 (ocr 0.05)"
    unrated = rows.assign(test="ocr", rate=[0.05, 0.1])
    assert grid_views.least(unrated) == f"{own} (ocr 0.05)"
    assert "low kappa is no fault" in grid_views.least(rows.tail(1))
    moved = rows.assign(test=["ocr", "verb_form"])
    assert "(ocr 0.05)" in grid_views.least(moved)


def test_achieved_words_are_counted_without_punctuation():
    text, new = "enak , murah , dan dekat .", "lezat , murah , dan dekat ."
    assert units.achieved("word", text, new) == 0.25
    assert units.achieved("other", text, new) == pytest.approx(1 / 7)
    assert units.achieved("word", "😀 !", "😀 !!") == 0.0
    rows = grid.rows(
        ByWord(),
        frame_of(text),
        {Instrument("synonym_embedding"): [new], Instrument("verb_form"): [new]},
    )
    assert rows["achieved"].tolist() == [0.25, round(1 / 7, 6)]


def test_pairs_go_through_the_grid_with_both_sentences():
    frame = pd.DataFrame(
        {
            "id": ["p1"],
            "text": ["Ibu membeli ikan di pasar Minggu."],
            "text_pair": ["Ibu sedang tidak berbelanja di warung."],
            "label": ["positive"],
        }
    )
    frame = data.describe(frame, name="own", split="test", sha256="0" * 64, publish_texts=True)
    texts, _ = changed(frame, ["word_case"], 1)
    assert texts[Instrument("word_case")] == [
        ("IBU MEMBELI IKAN DI PASAR MINGGU.", "IBU SEDANG TIDAK BERBELANJA DI WARUNG.")
    ]

    class Always(ByWord):
        def predict_proba(self, texts, precision="fp32"):
            assert all(isinstance(text, tuple) for text in texts)
            return np.tile(np.array([[0.8, 0.1, 0.1]], dtype=np.float32), (len(texts), 1))

    rows = grid.rows(Always(), frame, texts)
    assert rows["achieved"].tolist() == [1.0]
    assert rows["perturbed_pair"].tolist() == ["IBU SEDANG TIDAK BERBELANJA DI WARUNG."]


def test_two_tests_against_each_other():
    rows = pd.concat([by_hand(), by_hand().assign(test="ocr", flip=[True] * 9 + [False])])
    (found,) = grid.against(rows, "keyboard", "ocr").to_dict("records")
    assert found["rate"] == 0.05 and grid.against(rows, "keyboard", "spelling").empty
    assert (found["keyboard"], found["ocr"]) == (0.3, 0.9)
    assert found["p"] == measure.compare(by_hand()["flip"], [True] * 9 + [False])["p"]


# A part of a large test split


def test_drawn_rows_are_the_same_for_every_seed_and_keep_their_order():
    rows = data.describe(
        pd.DataFrame({"id": [f"own-{number}" for number in range(50)], "text": "ya"}),
        name="own",
        sha256="0",
    )
    some = grid.drawn(rows, 20, seed=1)
    assert len(some) == 20 and list(some.index) == list(range(20)) and some.attrs == rows.attrs
    places = [int(name.removeprefix("own-")) for name in some["id"]]
    assert places == sorted(places) and places != list(range(20))
    assert set(grid.drawn(rows.iloc[::-1], 20, seed=1)["id"]) == set(some["id"]), (
        "by id, not by place"
    )
    assert set(grid.drawn(rows, 20, seed=2)["id"]) != set(some["id"])
    for all_of_them in (0, 50, 51):
        assert grid.drawn(rows, all_of_them, seed=1) is rows
    with pytest.raises(InputError, match="0 \\(all\\) or more, not -5"):
        grid.drawn(rows, -5, seed=1)


def test_what_the_model_cannot_see_counts_nowhere():
    rows = pd.concat(
        [by_hand().assign(moved=True), by_hand().assign(test="word_case", rate=np.nan)]
    )
    seen = rows["test"] != "word_case"
    rows = rows.assign(moved=seen, flip=rows["flip"] & seen, achieved=0.1)
    rows["perturbed_label"] = rows["perturbed_label"].where(seen, rows["clean_label"])
    measured = grid.metrics(rows, ["a", "b"], 1)
    assert grid.idle(measured) == ["word_case"]
    shown = grid_views.table(measured).set_index("perturbation")
    assert shown.loc["word_case", "kappa"] == "cannot act" != shown.loc["keyboard", "kappa"]
    assert grid.cells(measured.assign(model="m"), "t")["perturbation"].unique() == ["keyboard"]


def test_agreement_is_shown_over_changed_texts_too():
    rows = by_hand().assign(moved=True, achieved=0.1)
    rows["changed"] = rows["perturbed_label"] != rows["clean_label"]
    values = grid.metrics(rows, ["a", "b"], 1).set_index("metric")
    assert values.loc["kappa_changed", "n"] == rows["changed"].sum() < values.loc["kappa", "n"]
    assert values.loc["kappa_changed", "value"] < values.loc["kappa", "value"]
    touched = rows[rows["changed"]]
    ac1 = measure.ac1(touched["clean_label"], touched["perturbed_label"], ["a", "b"], 1)
    assert values.loc["ac1", "value"] == ac1.value
