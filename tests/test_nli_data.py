"""The pairs of inference that the project wrote: schema, splits, balance, no label to be read off
the hypothesis alone, and what a second reader said of them.
"""

import re
from itertools import combinations

import pandas as pd
import pytest
from conftest import ROOT
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from tahanuji import measure
from tahanuji.nli import overlap

FOLDER = ROOT / "data" / "nli"
LABELS = {"entailment", "neutral", "contradiction"}
COLUMNS = ["id", "premise_id", "premise", "hypothesis", "label", "register", "domain"]
LEAST = {"train": 330, "valid": 90, "test": 120}
SPLITS = {name: pd.read_csv(FOLDER / f"{name}.csv") for name in LEAST}
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SUITE = pd.read_csv(FOLDER / "suite.csv", dtype=str, keep_default_na=False)
PAIRS = pd.concat(SPLITS.values(), ignore_index=True)
RATINGS = pd.read_csv(FOLDER / "ratings.csv", keep_default_na=False)
EVERY_RATING = pd.read_csv(FOLDER / "suite_ratings.csv", keep_default_na=False)
FIRST = EVERY_RATING["rater"].eq("reader_14")  # read before pairs were reworded for its doubts
SUITE_RATINGS, LATER_RATINGS = EVERY_RATING[FIRST], EVERY_RATING[~FIRST]


@pytest.mark.parametrize("name", LEAST)
def test_each_premise_has_one_hypothesis_of_each_label(name):
    frame = SPLITS[name]
    assert list(frame) == COLUMNS and len(frame) >= LEAST[name]
    assert frame.notna().all(axis=None)
    assert frame.groupby("premise_id")["label"].agg(list).map(sorted).map(
        tuple
    ).unique().tolist() == [tuple(sorted(LABELS))]
    assert (frame.groupby("premise_id")["premise"].nunique() == 1).all()


def test_no_premise_stands_in_two_splits_and_no_text_stands_twice():
    assert PAIRS["id"].is_unique
    assert PAIRS["premise"].nunique() == PAIRS["premise_id"].nunique()
    assert PAIRS["hypothesis"].is_unique
    for one, other in combinations(SPLITS.values(), 2):
        assert not set(one["premise"]) & set(other["premise"])
    assert not set(PAIRS["premise"]) & set(PAIRS["hypothesis"])


def test_registers_domains_and_lengths_vary():
    assert set(PAIRS["register"]) == {"formal", "neutral", "colloquial"}
    for frame in SPLITS.values():
        assert frame["register"].value_counts(normalize=True).min() > 0.2
    assert PAIRS["domain"].nunique() >= 15
    words = PAIRS.drop_duplicates("premise_id")["premise"].str.split().str.len()
    assert words.min() <= 6 and words.max() >= 30 and words.median() >= 12


def test_the_place_in_a_trio_does_not_give_the_label_away():
    places = pd.crosstab(PAIRS["id"].str[-1], PAIRS["label"], normalize="index")
    assert places.max(axis=None) < 0.45


def test_hypotheses_alone_tell_little():
    """Labels guessed from words of hypotheses, over premises that were not trained on."""
    model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(max_iter=1000))
    folds = StratifiedGroupKFold(10, shuffle=True, random_state=0)
    right = cross_val_score(
        model, PAIRS["hypothesis"], PAIRS["label"], groups=PAIRS["premise_id"], cv=folds
    )
    assert right.mean() < 0.45


def test_negation_stands_with_every_label():
    negated = PAIRS["hypothesis"].str.contains(r"\b(?:tidak|bukan|belum|nggak|tanpa)\b", case=False)
    shares = negated.groupby(PAIRS["label"]).mean()
    assert shares.min() > 0.15 and shares.max() - shares.min() < 0.1


def test_the_suite_is_what_its_readme_counts():
    listed = dict(re.findall(r"^\| `(\w+)` \| (\d+) \|", README, re.MULTILINE))
    assert {test: str(n) for test, n in SUITE["test"].value_counts().items()} == listed
    assert len(SUITE) >= 1500 and SUITE["test"].nunique() >= 15


def test_pairs_of_the_suite_are_unique_and_made_of_few_sentences_each():
    assert not SUITE.duplicated(["test", "premise", "hypothesis"]).any()
    assert (SUITE.groupby(["test", "case"]).size() <= 4).all()
    assert not set(SUITE["premise"]) & set(PAIRS["premise"])


def test_each_test_of_the_suite_expects_what_its_name_says():
    expected = SUITE.groupby("test")["expected"].agg(lambda part: " ".join(sorted(set(part))))
    always = {"same_text": "entailment", "negated_copy": "contradiction", "or_to_one": "neutral"}
    assert always.items() <= expected.to_dict().items()
    same = SUITE[SUITE["test"] == "same_text"]
    assert (same["premise"] == same["hypothesis"]).all()
    mixed = SUITE[SUITE["test"].isin(["subsequence", "word_overlap", "quantity"])]
    entailed = mixed["expected"].eq("entailment").groupby(mixed["test"]).mean()
    assert entailed.between(0.3, 0.6).all()


def test_no_answer_alone_passes_half_of_the_suite():
    certain = SUITE[SUITE["expected"] != ""]
    assert (certain["expected"].str.get_dummies().mean() < 0.5).all()


def test_the_readme_quotes_the_agreement_of_the_second_reader():
    labels = sorted(LABELS)
    gold = PAIRS.set_index("id")["label"]
    for rater, rows in RATINGS.groupby("rater"):
        raters = gold[rows["id"]].tolist(), rows["label_given"].tolist()
        agreed = sum(map(str.__eq__, *raters))
        value, low, _ = measure.share(agreed, len(rows))
        kappa, ac1 = (rate(*raters, labels, 1).value for rate in (measure.kappa, measure.ac1))
        for quoted in (
            f"`{rater}`",
            f"{agreed} of {len(rows)} ({value:.0%}, 95% interval {100 * low:.1f} to ",
            f"kappa {kappa:.2f}, AC1 {ac1:.2f}",
        ):
            assert quoted in README, quoted


def test_a_reader_read_as_many_pairs_of_each_split_and_doubts_were_reworded():
    columns = ["id", "rater", "order", "label_given", "note", "reworded"]
    assert list(RATINGS) == columns and set(RATINGS["label_given"]) == LABELS
    for _, rows in RATINGS.groupby("rater"):
        assert rows["id"].is_unique and rows["order"].tolist() == [*range(1, len(rows) + 1)]
        shares = [rows["id"].isin(frame["id"]).sum() for frame in SPLITS.values()]
        assert shares == [len(rows) // 3] * 3
    assert set(RATINGS["reworded"]) == {"yes", "no"}
    first = RATINGS[RATINGS["rater"] == "reader_14"]
    assert (first.loc[first["note"] != "", "reworded"] == "yes").all()


def test_the_readme_quotes_what_the_reader_of_the_suite_agreed_with():
    labelled = SUITE_RATINGS[SUITE_RATINGS["expected"] != "same"]
    versions = SUITE_RATINGS[SUITE_RATINGS["expected"] == "same"]
    agreed = sum(map(_accepts, labelled["expected"], labelled["label"]))
    value, low, high = measure.share(agreed, len(labelled))
    one = labelled[labelled["expected"].isin(LABELS)]
    raters = one["expected"].tolist(), one["label"].tolist()
    kappa, ac1 = (rate(*raters, sorted(LABELS), 1).value for rate in (measure.kappa, measure.ac1))
    interval = f"{100 * low:.1f} to {100 * high:.1f}%"
    for quoted in (
        f"{agreed} of {len(labelled)} ({value:.0%}, 95% interval {interval})",
        f"{len(one)} accepted one label alone, with a kappa of {kappa:.2f} and an AC1 of {ac1:.2f}",
        f"{versions['label'].eq('same').sum()} of {len(versions)} versions",
        f"hesitated over {SUITE_RATINGS['note'].ne('').sum()} pairs",
    ):
        assert quoted in README, quoted


def test_the_reader_of_the_suite_read_12_pairs_of_each_test_and_is_answered():
    rated = SUITE_RATINGS.merge(SUITE, on="id", suffixes=("", "_now"), validate="one_to_one")
    assert len(rated) == len(SUITE_RATINGS) and set(rated["rater"]) == {"reader_14"}
    assert rated["order"].tolist() == [*range(1, len(rated) + 1)]
    assert (rated["test"].value_counts() == 12).all()
    assert rated["test"].nunique() == SUITE["test"].nunique()
    assert all(map(_accepts, rated["expected_now"].replace("", "same"), rated["label"]))
    kept = rated[rated["changed"] == "no"]
    assert (kept["expected"] == kept["expected_now"].replace("", "same")).all()


def test_two_later_readers_read_25_pairs_of_each_test_and_accept_what_the_suite_expects():
    expected = SUITE.set_index("id")["expected"]
    bases = SUITE.set_index("id")["pair_of"]
    for rater, rows in LATER_RATINGS.groupby("rater"):
        rated = rows.merge(SUITE, on="id", suffixes=("", "_now"), validate="one_to_one")
        assert rated["order"].tolist() == [*range(1, len(rated) + 1)]
        assert (rated["test"].value_counts() >= 25).all()
        assert set(SUITE["test"]) - set(rated["test"]) == {"same_text"}
        base = rated["id"].where(rated["expected_now"] != "", rated["id"].map(bases))
        assert rated["expected"].tolist() == expected[base].tolist()
        agreed = sum(map(_accepts, rated["expected"], rated["label"]))
        assert f"`{rater}` " in README and f"{agreed} of {len(rated)}" in README
    assert LATER_RATINGS["rater"].nunique() == 2


def test_no_hypothesis_that_must_follow_from_all_says_sebagian():
    hypotheses = SUITE.loc[SUITE["test"] == "all_to_some", "hypothesis"]
    assert not hypotheses.str.contains("sebagian", case=False).any()
    for words, pattern in {"ada … yang": "Ada .* yang ", "beberapa": "(?i).*beberapa "}.items():
        assert f"*{words}* ({hypotheses.str.match(pattern).sum()})" in README


def test_every_word_of_a_hypothesis_in_another_order_stands_in_its_premise():
    pairs = SUITE[SUITE["test"].isin(["word_overlap", "subsequence"])]
    assert overlap.shown(pairs)["every word in the premise"].all()


def test_roles_that_cannot_be_exchanged_contradict():
    swapped = SUITE[SUITE["test"] == "roles_swapped"]
    certain = swapped["expected"] == "contradiction"
    assert set(swapped.loc[~certain, "expected"]) == {"contradiction|neutral"}
    assert f"contradiction alone in {certain.sum()} pairs" in README
    assert f"the other {(~certain).sum()} accept neutral too" in README
    verbs = re.search(r"at the same time \(\*([^*]+)\*\)", README)[1].split(", ")
    active = swapped.loc[certain, "premise"] + " " + swapped.loc[certain, "hypothesis"]
    for verb in verbs:  # a case is a pair of each voice
        assert active.str.contains(f" {verb} ").sum() >= 1, verb
    assert len(verbs) == swapped[certain]["case"].nunique() == certain.sum() / 2


def _accepts(expected: str, label: str) -> bool:
    """Whether `label` is among the labels that `expected` divides by bars."""
    return label in expected.split("|")
