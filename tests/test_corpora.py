"""The corpora, triplets and lexicon that the project wrote."""

import os
import re
from collections import Counter
from itertools import combinations

import pandas as pd
import pytest
from conftest import ROOT
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from tahanuji import behaviour, data, measure, models, perturb, registers, words
from tahanuji.codemix import senses, translators
from tahanuji.harden import wordings
from tahanuji.models import tfidf
from tahanuji.perturb import formality, negation
from tahanuji.validity import making

REFERENCE = ROOT / "outputs" / "reference"
SPLITS = {name: data.load("embedded", name) for name in data.SPLITS}


def word_set(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.lower()))


def test_sizes_and_labels():
    assert len(SPLITS["train"]) >= 1000
    assert len(SPLITS["valid"]) >= 200
    assert len(SPLITS["test"]) >= 300
    assert SPLITS["test"]["label"].value_counts().nunique() == 1
    for frame in SPLITS.values():
        assert set(frame["label"]) == set(data.LABELS)


def test_lengths_spread_like_smsa():
    words = SPLITS["train"]["text"].str.split().str.len()
    assert 24 <= words.median() <= 32
    assert (words <= 4).sum() >= 10
    assert (words >= 75).sum() >= 5


def test_negation_is_in_natural_use():
    assert SPLITS["test"]["text"].map(negation.contains).sum() >= 90
    assert (SPLITS["train"]["text"].map(negation.count) >= 2).sum() >= 100


def test_no_sentence_twice_and_no_near_duplicates():
    """Word-set Jaccard under 0.6 over all pairs of all splits, by way of the words that a pair must
    share.
    """
    sets = [word_set(text) for frame in SPLITS.values() for text in frame["text"]]
    sizes = [len(words) for words in sets]
    close = []
    for (first, a), (second, b) in combinations(enumerate(sets), 2):
        small, large = sorted((sizes[first], sizes[second]))
        if small >= 0.6 * large and len(a & b) >= 0.6 * len(a | b):
            close.append((a, b))
    assert not close


def test_the_english_texts_are_those_of_their_statement_and_none_is_near_another():
    splits = {name: data.load("embedded_english", name) for name in data.SPLITS}
    statement = (data.paths.DATA / "embedded_english" / "README.md").read_text(encoding="utf-8")
    for name, frame in splits.items():
        counts = [int((frame["label"] == label).sum()) for label in data.LABELS]
        median = frame["text"].str.split().str.len().median()
        assert (
            f"| {name} | {len(frame)} | {' | '.join(map(str, counts))} | {median:.0f} |"
            in statement
        )
    for name, kind in (("prejudice", {}), ("prejudice", {"kind": "names"}), ("swap_number", {})):
        reach = [
            text
            for frame in splits.values()
            for text in perturb.apply(name, frame, 1.0, making.SEED, language="en", **kind)
        ]
        assert f"in {sum(text is not None for text in reach)}" in statement, (name, kind)
    sets = [word_set(text) for frame in splits.values() for text in frame["text"]]
    assert all(len(a & b) < 0.6 * len(a | b) for a, b in combinations(sets, 2))


def test_texts_are_in_the_manner_of_smsa():
    for frame in SPLITS.values():
        assert (frame["text"] == frame["text"].str.lower()).all()
        assert (frame["text"] == frame["text"].str.split().str.join(" ")).all()


def test_the_statement_states_the_numbers_of_the_files():
    statement = (data.paths.DATA / "embedded" / "README.md").read_text(encoding="utf-8")
    for name, frame in SPLITS.items():
        counts = [int((frame["label"] == label).sum()) for label in data.LABELS]
        median, tidak = (
            frame["text"].str.split().str.len().median(),
            frame["text"].map(lambda text: "tidak" in text.split()).sum(),
        )
        row = (
            f"| {name} | {len(frame):,} | {' | '.join(map(str, counts))} | {median:.0f} | {tidak} |"
        )
        assert row in statement


def test_triplets():
    """303 triplets, 101 a label, no sentence twice, most without regional words; the statement
    gives the numbers of the file.
    """
    frame = formality.load("embedded")
    assert list(frame) == [
        "id",
        "label",
        *formality.LEVELS,
        formality.UNABBREVIATED,
        "domain",
        "dialect",
    ]
    assert frame["label"].value_counts().to_dict() == dict.fromkeys(data.LABELS, 101)
    assert frame["id"].is_unique
    sentences = frame[formality.LEVELS].stack()
    assert sentences.is_unique
    assert (sentences.str.split().str.len() >= 5).all()
    assert (frame[formality.DESCRIPTIONS] != "").all(axis=None)
    assert frame["dialect"].eq("none").sum() >= 190
    statement = (data.paths.DATA / "formality" / "README.md").read_text(encoding="utf-8")
    for column in formality.DESCRIPTIONS:
        for name, counts in pd.crosstab(frame[column], frame["label"])[data.LABELS].iterrows():
            row = f"| {name} | {' | '.join(map(str, counts))} | {counts.sum()} |"
            assert row in statement


def test_informal_sentences_without_dialect_hold_no_pronoun_of_jakarta():
    frame = formality.load("embedded")
    plain = frame.loc[frame["dialect"] == "none", "informal"]
    assert not plain.str.contains(r"\b(?:gue|gua|gw|lo|lu|kagak|kaga|bokap|nyokap)\b").any()
    jakarta = frame.loc[frame["dialect"] == "jakarta", "informal"]
    assert jakarta.str.contains(r"\b(?:gue|gw|w|lo|lu|kagak|kaga|bokap|goceng|kebon|kek)\b").all()


def test_levels_sound_like_their_level():
    """Markers of the thesis's Table 3.2: abbreviations and slang belong to the informal level, not
    to the formal one.
    """
    frame = formality.load("embedded")
    informal = {
        "gue",
        "lo",
        "gw",
        "lu",
        "yg",
        "bgt",
        "gak",
        "ga",
        "nggak",
        "gk",
        "udh",
        "anjir",
        "banget",
        "aja",
        "tp",
        "sm",
        "klo",
        "jg",
        "krn",
    }
    share = {
        level: frame[level].map(lambda text: bool(informal & set(text.split()))).mean()
        for level in formality.LEVELS
    }
    assert share["formal"] == 0
    assert share["semi_formal"] < share["informal"]
    assert share["informal"] > 0.6


def test_minimal_pairs_of_acceptability():
    """Pairs stay in a split, no sentence stands twice, members are of one length, and the statement
    gives the numbers of the files.
    """
    statement = (data.paths.DATA / "acceptability" / "README.md").read_text(encoding="utf-8")
    tables = {
        split: data.read_table(data.paths.DATA / "acceptability" / f"{split}.tsv")
        for split in data.SPLITS
    }
    for split, table in tables.items():
        assert set(table.groupby("pair")["label"].agg(lambda labels: "+".join(sorted(labels)))) == {
            "acceptable+unacceptable"
        }
        assert table.groupby("pair")["phenomenon"].nunique().max() == 1
        assert f"| {split} | {len(table) // 2} | {len(table)} |" in statement
    every = pd.concat(tables.values())
    assert every["text"].str.lower().is_unique
    assert every.groupby("pair").size().eq(2).all()
    assert every["text"].str.fullmatch(r"[A-Z].*[.!?]").all()
    mean = every["text"].str.split().str.len().groupby(every["label"]).mean()
    assert abs(mean["acceptable"] - mean["unacceptable"]) < 0.1
    assert (
        f"({mean['acceptable']:.1f} acceptable, {mean['unacceptable']:.1f} unacceptable)"
        in statement
    )
    for name, count in every["phenomenon"].value_counts().items():
        assert f"| {name} | {count // 2} |" in statement
        assert count >= 40


@pytest.mark.skipif(
    not (REFERENCE / "pairs").is_dir(), reason="the reference run of 13_minimal_pairs is absent"
)
def test_measurements_on_the_minimal_pairs_are_those_of_the_committed_runs():
    statement = (data.paths.DATA / "acceptability" / "README.md").read_text(encoding="utf-8")
    total = pd.read_csv(REFERENCE / "pairs/mini/13_minimal_pairs/preferred.csv").iloc[0]
    assert f"prefers the acceptable sentence in {total['value']:.1%} of the pairs" in statement
    for model, said in (
        ("mini", "it gets {:.1%} of the test sentences right"),
        ("tfidf", "`tfidf` {:.1%}, where a coin"),
    ):
        path = REFERENCE / f"cpu/{model}/07_perturbation_grid/predictions.parquet"
        rows = pd.read_parquet(path).query("variant == 'acceptability'").drop_duplicates("id")
        assert said.format((rows["clean_label"] == rows["gold"]).mean()) in statement


def test_wordings_are_the_pairs_of_their_statement():
    table = data.read_table(data.locate(wordings.PAIRS))
    statement = (data.paths.DATA / "wordings" / "README.md").read_text(encoding="utf-8")
    assert list(table.columns) == ["id", "label", "topic", "formal", "informal"]
    assert f"{len(table):,} pairs of a sentence" in statement and table["id"].is_unique
    assert table["formal"].is_unique and table["informal"].is_unique
    counts = pd.crosstab(table["topic"], table["label"])[["positive", "neutral", "negative"]]
    for topic, row in counts.iterrows():
        said = next(line for line in statement.splitlines() if line.startswith(f"| {topic}: "))
        assert said.endswith(f"| {' | '.join(map(str, [*row, row.sum()]))} |")
    for name, said in (("formal", "Formal members have"), ("informal", "informal ones")):
        count = table[name].str.split().str.len()
        middle = " words (median {:.0f})" if name == "formal" else " ({:.0f})"
        length = f"{said} {count.min()} to {count.max()}{middle.format(count.median())}"
        assert length in statement


@pytest.mark.parametrize("name", ["embedded", "stif", "copal"])
def test_what_judges_wordings_shares_no_sentence_with_those_that_train(name):
    if name != "embedded" and not os.environ.get("TAHAN_DATA_MIRROR"):
        pytest.skip("needs the downloads in TAHAN_DATA_MIRROR")
    own, judging = data.read_table(data.locate(wordings.PAIRS)), registers.load(name)
    mine, others = (
        list(map(word_set, [*one["formal"], *one["informal"]])) for one in (own, judging)
    )
    alike = max(len(one & other) / len(one | other) for one in mine for other in others)
    assert alike < 0.5


def test_sentiment_lexicon():
    table = data.read_table(data.locate("data/lexicons/sentiment_words.csv"))
    assert table["word"].is_unique
    assert set(table["polarity"]) == {"positive", "negative"}
    assert {"kecewa", "bagus", "enak", "mengecewakan", "lemot"} <= behaviour.sentiment_words()
    assert not {"tidak", "gak", "sangat", "harga"} & behaviour.sentiment_words()


def test_code_mixing_lexicon():
    """Lower-case words, one entry each, a translation in every language; the counts of the data
    statement.
    """
    table = data.read_table(data.locate("data/lexicons/codemix.csv"))
    assert list(table.columns) == ["word", "left", "right", "en", "jv", "su", "ms"]
    assert table["word"].is_monotonic_increasing
    assert not table.duplicated(["word", "left", "right"]).any()
    cells = table[["en", "jv", "su", "ms"]].stack()
    form = r"(?:_ )?[a-zéèê]+(?:[-' ][a-zéèê]+){0,2}(?: _)?"
    assert all(re.fullmatch(form, cell) for cell in cells if cell and cell != senses.ELSEWHERE)
    statement = (data.paths.DATA / "lexicons" / "README.md").read_text(encoding="utf-8")
    assert f"{table['word'].nunique():,} frequent words in {len(table):,} senses" in statement


def test_the_code_mixing_lexicon_covers_the_content_words_of_smsa(mirror):
    """At least 80% of SmSA's 500 most frequent content words have an entry in each language; the
    shares of the data statement.

    A content word of its training texts is lower-cased, of letters only, longer than two letters
    and no stop word; ties go by the alphabet.
    """
    stop_words = set(data.read_table(data.locate("data/lexicons/stop_words.csv"))["word"])
    found = Counter(
        words.key(word.text)
        for text in data.load("smsa", "train")["text"]
        for word in words.words(text)
    )
    content = [
        word for word in found if word.isalpha() and len(word) > 2 and word not in stop_words
    ]
    frequent = sorted(content, key=lambda word: (-found[word], word))[:500]
    covered = {
        language: translators.named("lexicon", language).coverage(frequent)
        for language in translators.LANGUAGES
    }
    entries = {language: 1 - part["missing"] / part["words"] for language, part in covered.items()}
    assert min(entries.values()) >= 0.8, entries
    statement = " ".join(
        (data.paths.DATA / "lexicons" / "README.md").read_text(encoding="utf-8").split()
    )
    entered = [f"{share:.1%}" for share in entries.values()]
    assert f"{', '.join(entered[:3])} and {entered[3]} have a translation" in statement, entered
    assert all(
        f"{part['share']:.1%} ({translators.LANGUAGES[language]})" in statement
        for language, part in covered.items()
    ), covered
    running = [
        word.text for text in data.load("smsa", "test")["text"] for word in words.words(text)
    ]
    shares = [
        f"{100 * translators.named('lexicon', language).coverage(running)['share']:.0f}"
        for language in translators.LANGUAGES
    ]
    assert f"for {', '.join(shares[:3])} and {shares[3]}% of the running words" in statement, shares


def test_realism_tfidf_from_embedded_to_real_smsa(mirror):
    """Trained on embedded train, TF-IDF with logistic regression reaches 0.55 macro-F1 on SmSA's
    test set.
    """
    real = data.load("smsa", "test")
    regression = LogisticRegression(C=3.0, class_weight="balanced", max_iter=2000)
    pipeline = make_pipeline(tfidf.features(models.spec("tfidf")), regression).fit(
        SPLITS["train"]["text"], SPLITS["train"]["label"]
    )
    score = measure.scores(real["label"], pipeline.predict(real["text"]), data.LABELS)["macro_f1"]
    print(f"embedded train to SmSA test: macro-F1 {score:.3f}")
    assert score >= 0.55


@pytest.mark.parametrize("split", data.SPLITS)
def test_nothing_is_copied_from_smsa(mirror, split):
    """No run of eight words of the embedded corpus stands in SmSA."""

    def runs(texts) -> set[tuple[str, ...]]:
        return {
            tuple(words[start : start + 8])
            for words in (re.findall(r"\w+", text) for text in texts)
            for start in range(len(words) - 7)
        }

    real = set().union(*(runs(data.load("smsa", name)["text"]) for name in data.SPLITS))
    assert not runs(SPLITS[split]["text"]) & real
