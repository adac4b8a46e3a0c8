"""What attacks amount to, counted by hand: shares of words, words exchanged, paired tests, the
published figures, and tweets that people mixed.
"""

import json

import folders
import numpy as np
import pandas as pd
import pytest
from folders import LABELS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from test_codemix_blend import ENGLISH, SUNDANESE, frame
from test_codemix_importance import by_hand

from tahanuji import data, measure, models, words
from tahanuji.codemix import blend, encoders, natural, results, similarity
from tahanuji.errors import InputError
from tahanuji.models.tfidf import Tfidf
from tahanuji.published import indorobusta

SEED = 5
ANSWERS = {
    ".": ("positive", "positive"),
    "x": ("positive", "negative"),
    "w": ("negative", "negative"),
    "r": ("negative", "positive"),
}
quick = settings(deadline=None, max_examples=15)


def ratio(above, below) -> tuple[float, float, float]:
    """The value and the interval of `results.ratio`."""
    one = results.ratio(pd.Series(above), pd.Series(below), SEED)
    return one.value, one.low, one.high


def verdicts(test: str, pattern: str, **columns) -> pd.DataFrame:
    """A test's rows from a sign per text, all positive: `.` right before and after, `x` made wrong,
    `w` wrong before and after, `r` made right.
    """
    clean, perturbed = (pd.Series([ANSWERS[sign][side] for sign in pattern]) for side in (0, 1))
    table = pd.DataFrame(
        {"id": [f"a{number}" for number in range(len(pattern))], "test": test, "gold": "positive"}
    )
    table["clean_label"], table["perturbed_label"] = clean, perturbed
    table["failure"], table["flip"] = perturbed != "positive", perturbed != clean
    table["induced"], table["repaired"] = (
        (clean == "positive") & table["failure"],
        (clean != "positive") & ~table["failure"],
    )
    return table.assign(changed=table["flip"], **columns)


def plain_bootstrap(above, below, seed: int, resamples: int = 20_000) -> np.ndarray:
    """Ratios of sums over rows drawn one by one."""
    above, below = np.asarray(above), np.asarray(below)
    drawn = np.random.default_rng(seed).integers(len(above), size=(resamples, len(above)))
    return above[drawn].sum(1) / below[drawn].sum(1)


def of(table: pd.DataFrame, test: str, metric: str, group: str = "all") -> pd.Series:
    rows = table.query("test == @test and metric == @metric and group == @group")
    (row,) = rows.to_dict("records")
    return pd.Series(row)


# Named tests


@pytest.mark.parametrize(
    ("language", "rate", "ranking", "expected"),
    [
        ("en", 0.4, "importance", "en"),
        ("jv", 0.4, "random", "jv random"),
        ("su", 1.0, "importance", "su"),
        ("synonym", 0.25, "random", "synonym random"),
    ],
)
def test_a_test_is_named_after_its_setting(language, rate, ranking, expected):
    given = pd.DataFrame(
        {
            "id": ["a", "b"],
            "language": language,
            "translator": "own",
            "rate": rate,
            "ranking": ranking,
            "words": [3, 4],
        }
    )
    table = results.as_tests(given)
    rated = {"test": [expected] * 2, "rate": [rate] * 2}
    assert table.to_dict("list") == {"id": ["a", "b"], **rated, "words": [3, 4]}
    assert list(given) == ["id", "language", "translator", "rate", "ranking", "words"]


def test_every_setting_of_an_attack_is_a_test_of_its_own():
    rows = frame("gurih empuk sekali lalu", "warung gurih", "hambar")
    both = [
        blend.attack_many(by_hand(), rows, [ENGLISH, SUNDANESE], [0.2, 0.6], 5, ranking=ranking)
        for ranking in blend.RANKINGS
    ]
    attacked = pd.concat(both, ignore_index=True)
    table = results.as_tests(attacked)
    assert table[["test", "rate"]].drop_duplicates().to_records(index=False).tolist() == [
        (f"{language}{ending}", rate)
        for ending in ("", " random")
        for language in ("en", "su")
        for rate in (0.2, 0.6)
    ]
    assert not table.duplicated(["test", "rate", "id"]).any()
    assert set(blend.SETTING) & set(table) == {"rate"}
    pd.testing.assert_frame_equal(
        table.drop(columns=["test", "rate"]), attacked.drop(columns=list(blend.SETTING))
    )
    assert list(table)[:4] == ["id", "test", "rate", "gold"]


# Shares of words

COUNTS = {
    "words": [5, 10, 90, 6],
    "translatable": [3, 2, 80, 0],
    "asked": [2, 4, 0, 2],
    "replaced": [2, 1, 0, 0],
}


def test_shares_of_words_are_those_of_rightly_classified_texts():
    """The third text is wrong already: its 90 words count nowhere, the fourth text's six do though
    none has a translation.
    """
    found = results.metrics(verdicts("en", "x.w.", **COUNTS), SEED)
    for metric, top in (
        ("words_replaced_share", 3),
        ("words_asked_share", 8),
        ("lexicon_share", 5),
    ):
        row = of(found, "en", metric)
        assert row["value"] == pytest.approx(top / 21) and row["n"] == 3, metric
        assert row["ci_low"] < row["value"] < row["ci_high"], metric


def test_the_rates_of_behaviour_are_as_they_were_and_come_first():
    rows = pd.concat(
        [verdicts("en", "x.wr", **COUNTS), verdicts("en random", "..w.", **COUNTS)],
        ignore_index=True,
    )
    found, rates = results.metrics(rows, SEED), measure.behaviour(rows)
    pd.testing.assert_frame_equal(found.head(len(rates)), rates)
    assert found.tail(len(found) - len(rates))["test"].tolist() == ["en"] * 3 + ["en random"] * 3
    assert list(found) == measure.COLUMNS


def test_tests_without_words_get_no_shares_of_words():
    both = pd.concat(
        [verdicts("tweets natural", "x."), verdicts("en", "x.wr", **COUNTS)], ignore_index=True
    )
    found = results.metrics(both, SEED)
    assert set(found.loc[found["metric"].isin(results.RATIOS), "test"]) == {"en"}
    alone = verdicts("tweets natural", "x.")
    pd.testing.assert_frame_equal(results.metrics(alone, SEED), measure.behaviour(alone))


def test_a_model_that_is_always_wrong_is_not_attacked_and_has_no_shares_of_words():
    found = results.metrics(verdicts("en", "wwrw", **COUNTS), SEED)
    assert (
        not set(found["metric"]) & set(results.RATIOS)
        and of(found, "en", "clean_error_rate")["value"] == 1
    )


def test_an_attack_that_finds_no_right_answer_is_refused_in_one_sentence():
    rows = verdicts("en", "wwrw", **COUNTS).assign(rate=0.4)
    with pytest.raises(InputError, match=f"none of {rows['id'].nunique()} texts right"):
        results.metrics(rows, SEED)


def test_shares_of_words_are_reproducible_per_test_and_from_a_file(tmp_path):
    one = verdicts(
        "en",
        "x.wr...x" * 5,
        words=[7, 3, 9, 4, 5, 6, 8, 2] * 5,
        translatable=2,
        asked=2,
        replaced=[1, 2, 0, 0, 2, 1, 1, 2] * 5,
    )
    both = pd.concat(
        [one, one.assign(test="jv", replaced=one["replaced"].clip(upper=1))], ignore_index=True
    )
    found = results.metrics(both, SEED)
    pd.testing.assert_frame_equal(results.metrics(both, SEED), found)
    both.to_csv(tmp_path / "predictions.csv", index=False)
    pd.testing.assert_frame_equal(
        results.metrics(pd.read_csv(tmp_path / "predictions.csv"), SEED), found
    )
    tables = (found, results.metrics(one, SEED), results.metrics(one, SEED + 1))
    same, alone, other = (of(table, "en", "words_replaced_share") for table in tables)
    pd.testing.assert_series_equal(alone, same)
    assert other["value"] == same["value"] and other["ci_low"] != same["ci_low"]


def test_a_translation_equal_to_its_source_is_no_word_replaced():
    """`ya` and, in Sundanese, `warung` stand in the lists with themselves."""
    rows = results.as_tests(
        blend.attack_many(
            by_hand(), frame("gurih ya warung lalu", "Ya gurih"), [ENGLISH, SUNDANESE], [1.0], 1
        )
    )
    found = results.metrics(rows, SEED)
    assert of(found, "en", "words_replaced_share")["value"] == pytest.approx(3 / 6)
    assert (
        of(found, "su", "words_replaced_share")["value"]
        == of(found, "su", "lexicon_share")["value"]
        == pytest.approx(2 / 6)
    )
    assert of(found, "su", "words_asked_share")["value"] == 1


@pytest.mark.parametrize(("above", "below"), [([], []), ([0, 0], [0, 0]), ([3], [0])])
def test_a_ratio_to_nothing_is_none(above, below):
    assert np.isnan(ratio(above, below)).all()


def test_draws_without_a_word_say_nothing_of_the_ratio():
    """Two of three texts have no words: draws of these alone have no ratio, and count for nothing
    rather than as 0.
    """
    assert ratio([0, 0, 5], [0, 0, 10]) == (0.5, 0.5, 0.5)


def test_one_row_has_an_interval_of_no_width():
    assert ratio([3], [8]) == (0.375, 0.375, 0.375)


def test_a_ratio_is_that_of_the_sums_and_not_the_mean_of_ratios():
    value, low, high = ratio([1, 0], [1, 9])
    assert (value, low, high) == (0.1, 0, 1)


@pytest.mark.parametrize("seed", [1, 2])
def test_the_interval_is_that_of_a_plain_bootstrap_of_rows(seed):
    draw = np.random.default_rng(seed)
    below = draw.integers(1, 30, size=80)
    above = draw.binomial(below, draw.beta(1, 3, size=80))
    value, low, high = ratio(above, below)
    drawn = plain_bootstrap(above, below, seed)
    assert value == above.sum() / below.sum()
    np.testing.assert_allclose(
        [low, high], np.percentile(drawn, [2.5, 97.5]), atol=0.05 * (high - low)
    )
    assert high - low > 0.05


@quick
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(1, 9)), min_size=1, max_size=12),
    st.randoms(use_true_random=False),
)
def test_a_ratio_is_seeded_blind_to_order_and_within_its_rows(pairs, shuffler):
    above, below = (pd.Series(side) for side in zip(*pairs, strict=True))
    found = ratio(above, below)
    assert found[0] == above.sum() / below.sum() and found == ratio(above, below)
    order = shuffler.sample(range(len(pairs)), len(pairs))
    assert ratio(above.iloc[order], below.iloc[order]) == found
    rates = above / below
    assert rates.min() - 1e-12 <= found[1] <= found[2] <= rates.max() + 1e-12
    np.testing.assert_allclose(ratio(2 * above, below), 2 * np.array(found))


# Words exchanged

SENTENCES = {
    "s1": "Ojolnya cepat , jalannya juga cepat",
    "s2": "servis hp di ruko itu Cepat dan murah",
    "s3": "drakor baru tamat , cepat sekali rasanya",
    "s4": "kuota kampus secepat siput , percepat dong #cepat @cepat",
    "s5": "warung tenda itu murah , nasinya murah",
    "s6": "tiket bola murah tapi antrenya cepat habis",
}
# What was exchanged: per test and text the sources with their translations.
SWAPS = {
    "en": {
        "s1": [("cepat", "quick")],
        "s2": [("Cepat", "Fast"), ("murah", "cheap")],
        "s3": [("cepat", "fast")],
        "s5": [("murah", "cheap"), ("murah", "cheap")],
        "s6": [],
    },
    "jv": {
        "s1": [("cepat", "rikat")] * 2,
        "s2": [],
        "s3": [("sekali", "banget")],
        "s5": [],
        "s6": [("murah", "mirah")],
    },
}


def attacked(wrong: tuple = ("s4",), **changes) -> pd.DataFrame:
    rows = []
    for test, swaps in (SWAPS | changes).items():
        for example, text in SENTENCES.items():
            swap = [[0, source, target] for source, target in swaps.get(example, [])]
            rows.append(
                (
                    example,
                    test,
                    text,
                    "positive",
                    "negative" if example in wrong else "positive",
                    json.dumps(swap),
                )
            )
    return pd.DataFrame(rows, columns=["id", "test", "text", "gold", "clean_label", "replacements"])


def test_words_are_counted_by_tests_times_texts():
    """`cepat` stands in s1 (twice), s2, s3 and s6, not in s4's longer words and tags; in s1 it went
    in both tests, in s2 and s3 in English.
    """
    table = results.exchanged(attacked(wrong=()), least=1).set_index("word")
    assert table.loc["cepat", ["IF", "DF"]].tolist() == [4, 8]
    assert table.loc["murah", ["IF", "DF"]].tolist() == [3, 6]
    assert table.loc["sekali", ["IF", "DF"]].tolist() == [1, 2]
    assert table["IF/DF"].to_dict() == {"cepat": 0.5, "murah": 0.5, "sekali": 0.5}
    assert list(table.reset_index()) == ["word", "IF", "DF", "IF/DF", "en", "jv"]


def test_no_word_is_counted_inside_another():
    table = results.exchanged(
        attacked(wrong=(), en={"s4": [("percepat", "hurry")], "s2": [("di", "in")]}),
        least=1,
    ).set_index("word")
    assert table.loc["percepat", ["IF", "DF"]].tolist() == [1, 2] and table.loc[
        "di", ["IF", "DF"]
    ].tolist() == [1, 2]
    assert "tag" not in table.index and table.loc["cepat", "DF"] == 8


def test_texts_that_were_wrong_already_do_not_count():
    table = results.exchanged(attacked(wrong=("s2", "s6")), least=1).set_index("word")
    assert table.loc["cepat", ["IF", "DF"]].tolist() == [3, 4]
    assert table.loc["murah", ["IF", "DF"]].tolist() == [1, 2]


def test_words_of_few_texts_are_left_out_however_often_they_are_tested():
    """`cepat` stands in four texts and `murah` in three, in two tests each, and twice in a text."""
    assert set(results.exchanged(attacked(), least=3)["word"]) == {"cepat", "murah"}
    assert set(results.exchanged(attacked(), least=4)["word"]) == {"cepat"}
    assert results.exchanged(attacked(), least=5).empty and results.exchanged(attacked()).empty
    fifth = pd.concat([attacked(), attacked().query("id == 's3'").assign(id="s7")])
    assert set(results.exchanged(fifth)["word"]) == {"cepat"}


def test_a_languages_column_has_its_commonest_translation():
    table = results.exchanged(attacked(), least=1).set_index("word")
    assert table["en"].to_dict() == {"cepat": "fast", "murah": "cheap", "sekali": ""}
    assert table["jv"].to_dict() == {"cepat": "rikat", "murah": "mirah", "sekali": "banget"}
    rates = pd.concat([attacked(), attacked().query("test == 'en'").assign(rate=0.8)])
    assert list(results.exchanged(rates, least=1))[4:] == ["en", "jv"]


def test_most_exchanged_first_then_most_often_then_by_name():
    swaps = {
        "s1": [("cepat", "fast"), ("juga", "also")],
        "s3": [("baru", "new"), ("drakor", "series")],
    }
    rows = attacked(en=swaps, jv={"s5": [("murah", "mirah")]})
    table = results.exchanged(rows, least=1)
    assert table["word"].tolist() == ["baru", "drakor", "juga", "murah", "cepat"]
    assert table["IF"].tolist() == [1, 1, 1, 1, 1] and table["DF"].tolist() == [2, 2, 2, 6, 8]
    assert results.exchanged(rows, least=1, top=2)["word"].tolist() == ["baru", "drakor"]
    often = dict.fromkeys(("s1", "s2", "s6"), [("cepat", "fast")]) | {
        "s3": [("cepat", "fast"), ("baru", "new"), ("drakor", "series")]
    }
    table = results.exchanged(attacked(en=often, jv={"s3": [("baru", "anyar")]}), least=1)
    assert table[["word", "IF", "IF/DF"]].values.tolist() == [
        ["baru", 2, 1.0],
        ["cepat", 4, 0.5],
        ["drakor", 1, 0.5],
    ]


def test_only_twenty_words_are_shown():
    many = [f"kata{letter}" for letter in "abcdefghijklmnopqrstuvwxy"]
    swaps = json.dumps([[0, word, "x"] for word in many])
    rows = pd.DataFrame(
        {
            "id": list("12345"),
            "test": "en",
            "text": " ".join(many),
            "gold": "positive",
            "clean_label": "positive",
        }
    )
    assert results.exchanged(rows.assign(replacements=swaps))["word"].tolist() == many[:20]


def test_nothing_exchanged():
    assert results.exchanged(attacked(en={}, jv={}), least=1).empty
    assert list(results.exchanged(attacked().head(0))) == ["word", "IF", "DF", "IF/DF"]


def test_words_exchanged_are_those_of_a_real_attack():
    rows = results.as_tests(
        blend.attack_many(
            by_hand(),
            frame("Gurih ya", "gurih gurih lalu", "hambar gurih"),
            [ENGLISH, SUNDANESE],
            [1.0],
            1,
        )
    )
    table = results.exchanged(rows, least=2)
    assert table.to_dict("records") == [
        {"word": "gurih", "IF": 6, "DF": 6, "IF/DF": 1.0, "en": "tasty", "su": "ngeunah"}
    ]


# Pairs of tests


def test_pairs_are_compared_by_mcnemar_with_holm_over_all():
    """English against random words: 8 texts fall to the first alone and 1 to the second; against
    Javanese 8 and 3.
    """
    rows = pd.concat(
        [
            verdicts("en", "x" * 8 + "..w."),
            verdicts("en random", "." * 8 + "x.w."),
            verdicts("jv", "." * 8 + "xxwx"),
        ],
        ignore_index=True,
    )
    table = results.against(rows, [("en", "en random"), ("en", "jv"), ("en random", "jv")])
    ps = [binomtest(8, 9).pvalue, binomtest(8, 11).pvalue, binomtest(2, 2).pvalue]
    assert list(table) == [
        "first",
        "second",
        "n",
        "first_rate",
        "second_rate",
        "difference",
        "detectable",
        "p",
        "p_holm",
    ]
    assert table["p"].tolist() == pytest.approx(ps)
    assert table["p_holm"].tolist() == pytest.approx([3 * ps[0], 2 * ps[1], ps[2]])
    assert table[["first_rate", "second_rate", "difference"]].values.tolist() == [
        pytest.approx([8 / 12, 1 / 12, 7 / 12]),
        pytest.approx([8 / 12, 3 / 12, 5 / 12]),
        pytest.approx([1 / 12, 3 / 12, -2 / 12]),
    ]
    assert table["n"].tolist() == [12] * 3
    one, other = (rows.loc[rows["test"] == test, "induced"] for test in ("en", "en random"))
    assert {key: measure.compare(one, other)[key] for key in ("difference", "p")} == table.loc[
        0, ["difference", "p"]
    ].to_dict()


def test_rows_in_another_order_are_paired_by_id():
    rows = pd.concat(
        [verdicts("en", "xxxxxxxx.."), verdicts("en random", "xx........")], ignore_index=True
    )
    expected = results.against(rows, [("en", "en random")])
    assert expected.loc[0, "p"] == pytest.approx(binomtest(6, 6).pvalue)
    turned = pd.concat([rows.head(10), rows.tail(10).iloc[::-1]])
    pd.testing.assert_frame_equal(results.against(turned, [("en", "en random")]), expected)


def test_failures_that_were_there_before_are_no_failures_of_the_test():
    rows = pd.concat([verdicts("en", "wwww.x"), verdicts("jv", "wrrr.x")], ignore_index=True)
    assert results.against(rows, [("en", "jv")]).loc[
        0, ["first_rate", "second_rate", "p"]
    ].tolist() == [1 / 6, 1 / 6, 1]


# Published figures


@pytest.fixture(scope="module")
def table_1() -> pd.DataFrame:
    """`indorobusta.table_1()`, which tries all readings of the labels and takes its time."""
    return indorobusta.table_1()


@pytest.mark.parametrize(
    ("dataset", "task"),
    [("smsa", "SmSA"), ("emot", "EmoT"), ("embedded", "SmSA"), ("punya/sendiri", "SmSA")],
)
def test_published_figures_are_those_of_the_released_files(dataset, task, table_1, monkeypatch):
    monkeypatch.setattr(indorobusta, "table_1", table_1.copy)
    table, printed = indorobusta.losses(dataset), indorobusta.printed("Table 1")
    runs = indorobusta.attack().query("task == @task and ratio == 0.4")
    assert table["language"].tolist() == ["en", "jv", "su", "ms"] and table.attrs["task"] == task
    assert list(table) == ["language", "printed", "released", "least", "most"]
    for row in table.itertuples():
        code = {"jv": "jw"}.get(row.language, row.language)
        means = runs[runs["attack"] == code].groupby("model")["delta"].mean()
        assert row.printed == printed[task, "IndoBERT base", code]
        assert (row.released, row.least, row.most) == pytest.approx(
            (means["IndoBERT base"], means.min(), means.max())
        ) and len(means) == 5


# Findings


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.01, 0.2, "English costs more"),
        (-0.2, -0.01, "English costs less"),
        (-0.1, 0.1, "no difference shown"),
        (0.0, 0.2, "no difference shown"),  # an interval that touches zero
    ],
)
def test_a_language_differs_from_english_where_the_interval_excludes_zero(low, high, expected):
    row = ("jv", "Javanese", 0.1, 0.2, 0.15, 0.1, 0.2, 9, (low + high) / 2, low, high)
    none = pd.DataFrame(columns=[*results.PAIRS, "p_holm"])
    ((question, lost, unit, verdict),) = results.findings(
        pd.DataFrame([row], columns=results.DOSES), none
    )
    assert "10.0% of the words in Javanese" in question and unit == "%"
    assert (lost.value, lost.low, lost.high, lost.n) == (0.15, 0.1, 0.2, 9)
    assert verdict == expected


@pytest.mark.parametrize(
    ("difference", "p", "expected"),
    [
        (0.1, 0.049, "importance costs more"),
        (-0.1, 0.049, "importance costs less"),
        (0.1, 0.05, "no difference shown"),
    ],
)
def test_importance_matters_where_p_after_holm_is_below_the_level(difference, p, expected):
    """The p of a single test, 0.01, does not decide."""
    pair = ("en", "en random", 9, 0.3, 0.2, difference, 0.08, 0.01, p)
    dose = ("en", "English", 0.1, 0.2, 0.15, 0.1, 0.2, 9, *[float("nan")] * 3)
    (first, _, _, compared), (question, one, unit, verdict) = results.findings(
        pd.DataFrame([dose], columns=results.DOSES),
        pd.DataFrame([pair], columns=[*results.PAIRS, "p_holm"]),
    )
    assert compared == "" and question.startswith("English: ")
    assert (one.value, unit, verdict) == (difference, "points", expected)


# Equal doses


def swept(test: str, replaced: list[int], lost: list[str]) -> pd.DataFrame:
    """Ten texts of ten words at R = 0.2 and 0.4: words replaced in each, and what became of it."""
    parts = [
        verdicts(test, outcome).assign(rate=rate, replaced=count, words=10)
        for rate, count, outcome in zip((0.2, 0.4), replaced, lost, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def test_languages_are_compared_at_one_share_of_words_replaced():
    """English replaces a fifth and two fifths, Malay a tenth at most."""
    rows = pd.concat(
        [
            swept("en", [2, 4], ["xx........", "xxxx......"]),
            swept("jv", [1, 3], ["x.........", "xxx......."]),
            swept("ms", [1, 1], ["..........", "x........."]),
        ],
        ignore_index=True,
    )
    doses = results.doses(rows).groupby("test")["dose"].apply(list).to_dict()
    assert doses == {"en": [0.0, 0.2, 0.4], "jv": [0.0, 0.1, 0.3], "ms": [0.0, 0.1, 0.1]}
    table = results.equal_dose(rows, ["en", "jv", "ms"], 0.25, SEED).set_index("test")
    # 0.25 lies a quarter of the way from 0.2 to 0.4, and three quarters from 0.1 to 0.3
    assert table["value"].tolist() == pytest.approx([0.2 + 0.25 * 0.2, 0.1 + 0.75 * 0.2, 0.0])
    assert table["dose"].tolist() == [0.25, 0.25, 0.1]
    assert table["R"].tolist()[:2] == pytest.approx([0.25, 0.35])
    assert np.isnan(table.loc["en", "difference"])
    assert table["language"].tolist() == ["English", "Javanese", "Malay"]
    assert table.loc["jv", "difference"] == pytest.approx(0.0)
    assert table.loc["ms", "difference"] == pytest.approx(0.1)
    assert (table.loc[["jv", "ms"], "low"] <= table.loc[["jv", "ms"], "difference"]).all()


def test_the_threshold_is_counted_among_texts_with_translatable_words():
    rows = verdicts("en", "xx..").assign(
        rate=0.4, replaced=[1, 1, 0, 0], words=4, asked=1, translatable=2, tries=[0, 2, 10, 0]
    )
    rows["outcome"] = ["mixed", "mixed", "too dissimilar", "no translation"]
    values = results.metrics(rows, SEED).set_index("metric")["value"]
    assert values["threshold_binds_share"] == pytest.approx(2 / 3)
    assert values["threshold_rejects_share"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("written", "indonesian", "expected"),
    [
        ("", "kosong", "little"),
        ("!!! 123 😋", "", "little"),
        ("Ojol datang TEPAT", "tepat ojol sudah datang", "little"),
        ("ojol so fast", "ojol begitu cepat", "half"),
        ("ojol datang late", "ojol datang terlambat", "little"),
        ("ojol ojol late late late late", "ojol terlambat", "half"),
        ("ojol late late late", "ojol terlambat", "most"),
        ("so happy today", "senang hari ini", "most"),
        ("so happy", "", "most"),
        ("happy , 123 #ojol datang datang", "datang , 123 #ojol", "little"),
        ("ojol", "ojolnya", "most"),
    ],
)
def test_how_much_of_a_tweet_is_not_in_its_indonesian_version(written, indonesian, expected):
    assert natural.kind(written, indonesian) == expected


@quick
@given(st.integers(0, 12), st.integers(0, 12))
def test_thirds_belong_to_the_lesser_kind(strange, known):
    text = " ".join(["late"] * strange + ["datang"] * known)
    total = strange + known
    expected = "little" if 3 * strange <= total else "half" if 3 * strange <= 2 * total else "most"
    assert natural.kind(text, "datang") == expected


def test_natural_pairs_are_the_same_tweets_row_by_row(mirror):
    table = natural.pairs()
    written, indonesian = (
        data.load("indonglish", "test"),
        data.load("indonglish_indonesian", "test"),
    )
    same = {
        "labels as written": (table["label"] == written["label"].map(natural.NAMES)).all(),
        "labels in Indonesian": (table["label"] == indonesian["label"].map(natural.NAMES)).all(),
        "ids": (table["id"] == indonesian["id"]).all(),
        "texts": (table["text"] == indonesian["text"]).all(),
        "texts as written": (table["mixed"] == written["text"]).all(),
        "another text": (table["mixed"] != table["text"]).mean() > 0.9,
    }
    assert [name for name, holds in same.items() if not holds] == []
    assert len(table) == 1011 and list(table) == ["id", "text", "label", "mixed", "english"]
    assert (
        table.attrs["source"]["publish_texts"] is False
        and table.attrs["source"]["name"] == "indonglish_indonesian"
    )
    assert set(table["label"]) == set(LABELS) and set(table["english"]) == set(natural.MIXES)
    shares = []
    for mixed, text in zip(table["mixed"], table["text"], strict=True):
        found, known = (
            [word.text for word in words.words(mixed)],
            {words.key(word) for word in [word.text for word in words.words(text)]},
        )
        shares.append(np.mean([words.key(word) not in known for word in found]) if found else 0)
    assert (
        pd.cut(shares, [-1, 1 / 3, 2 / 3, 1], labels=list(natural.MIXES)) == table["english"]
    ).all()


# The similarity that a parameter names


def test_characters_are_fitted_on_the_texts_given():
    texts = ["warung tenda", "tiket bola"]
    found = similarity.named("characters", texts, Tfidf(LABELS))
    assert (
        isinstance(found, similarity.CharacterTfidf)
        and "tend" in found.vectorizer.vocabulary_
        and "soto" not in found.vectorizer.vocabulary_
    )
    pairs = (["tiket bola", "warung"], ["tiket kereta", "tenda"])
    np.testing.assert_array_equal(
        found.scores(*pairs), similarity.CharacterTfidf.fit(texts).scores(*pairs)
    )


def test_own_is_the_classifiers_encoder(tmp_path):
    classifier = models.load(folders.classifier(tmp_path, "bert", LABELS), LABELS)
    found = similarity.named("own", [], classifier)
    assert isinstance(found, encoders.Encoder) and found.model is classifier.model.base_model
    with pytest.raises(InputError, match="no encoder of its own"):
        similarity.named("own", ["warung"], Tfidf(LABELS))


def test_none_is_no_similarity():
    assert similarity.named("none", [], Tfidf(LABELS)) is None


@pytest.mark.parametrize("name", ["character", "cosine", "None", "own "])
def test_another_word_is_no_similarity(name, monkeypatch):
    monkeypatch.setattr(
        encoders, "sentence_encoder", lambda *given, **more: pytest.fail("asked for an encoder")
    )
    with pytest.raises(
        InputError,
        match=r"unknown similarity .*Allowed: characters, own, none\. A sentence encoder's hub id",
    ):
        similarity.named(name, ["warung"], Tfidf(LABELS))


def test_a_folder_is_a_sentence_encoder_slash_or_not(tmp_path, monkeypatch):
    folders.base(tmp_path / "encoder", "bert")
    expected = encoders.sentence_encoder(str(tmp_path / "encoder")).scores(
        ["warung tenda"], ["tiket bola"]
    )
    monkeypatch.chdir(tmp_path)
    for name in ("encoder", str(tmp_path / "encoder")):
        assert (
            similarity.named(name, [], Tfidf(LABELS)).scores(["warung tenda"], ["tiket bola"])
            == expected
        )


def test_a_hub_id_is_a_sentence_encoder_on_the_classifiers_device(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        encoders,
        "sentence_encoder",
        lambda source, revision=None, device="cpu": asked.append((source, str(device))),
    )
    classifier = models.load(folders.classifier(tmp_path, "bert", LABELS), LABELS)
    similarity.named("siapa/apa", [], Tfidf(LABELS))
    similarity.named(
        "siapa/apa",
        [],
        classifier.__class__(classifier.model, classifier.tokenizer, LABELS, 8, device="meta"),
    )
    assert asked == [("siapa/apa", "cpu"), ("siapa/apa", "meta")]
