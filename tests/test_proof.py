"""Certificates: that edits are all and nothing else, that what is proved holds, by brute force."""

import itertools
import random

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from statsmodels.stats.proportion import proportion_confint

from tahanuji import behaviour, data, models, perturb
from tahanuji.errors import InputError
from tahanuji.harden import defences
from tahanuji.models import tfidf
from tahanuji.models.outside import Renamed
from tahanuji.perturb import characters
from tahanuji.proof import edits, exhaustive, pairs, results, smoothed

TEXT = "Saya tidak suka , mahal sekali dan uang habis ! 5x @budi"
SHORT = ["enak sekali enak", "tidak enak , mahal", "kopi susu mahal sekali", "pelayanan buruk"]


class Random:
    """Answers by a hash of the text: mostly its first label."""

    labels = ["positive", "negative"]

    def __init__(self, often=0.97, seed=1):
        self.often, self.seed, self.asked = often, seed, []

    def predict_proba(self, texts, precision="fp32"):
        self.asked += texts
        drawn = [random.Random(f"{self.seed} {text}").random() for text in texts]
        return np.array([[0.9, 0.1] if one < self.often else [0.3, 0.7] for one in drawn])


@pytest.fixture(scope="module")
def grams():
    rows = data.load("embedded", "train").head(240)
    features = tfidf.fitted(models.spec("tfidf") | {"min_df": 1}, list(rows["text"]))
    head = LogisticRegression(C=30).fit(features.transform(rows["text"]), rows["label"])
    return tfidf.Tfidf(data.LABELS, make_pipeline(features, head))


def draws(name: str, text: str, times: int) -> set[str]:
    """What a perturbation makes of a text at its smallest rate, of many generators."""
    make = perturb.make(name)
    drawn = {make(text, 1e-9, random.Random(seed)) for seed in range(times)}
    return drawn - {None, text}


def test_typos_are_all_that_the_listing_can_draw():
    made, words = set(), TEXT.split()
    for at, word in enumerate(words):
        if len(word) > 3:
            for new in edits.drawable(lambda text, rate, rng: characters._typo(text, rng), word):
                made.add(" ".join([*words[:at], new, *words[at + 1 :]]))
    assert set(edits.edits(TEXT, "typos")) == made - {TEXT}


@pytest.mark.parametrize(
    ("kind", "names", "text"),
    [
        ("keyboard", ["keyboard"], "Ga 5x @budi"),
        ("ocr", ["ocr"], "modern 5x @budi"),
        ("slang", ["slang"], TEXT),
        ("marks", ["emoji", "tone_marks", "punctuation"], TEXT),
    ],
)
def test_edits_are_what_many_draws_find(kind, names, text):
    drawn = set().union(*(draws(name, text, 800) for name in names))
    assert set(edits.edits(text, kind)) == drawn and len(drawn) > 1


def test_typing_is_typos_and_keyboard_together():
    apart = [edits.edits(TEXT, kind) for kind in ("typos", "keyboard")]
    assert set(edits.edits(TEXT, "typing")) == set().union(*apart) and all(apart)


def test_edits_of_a_negation_keep_its_case_and_change_one_at_a_time():
    made = edits.edits("Tidak , tidak setidaknya", "negation")
    assert len(made) == 14 and "Gak , tidak setidaknya" in made and "Tidak , ga setidaknya" in made


def test_white_space_stays_and_equal_letters_swap_nothing():
    assert edits.edits("maaf  ya\n", "typos") == ["maf  ya\n", "mafa  ya\n"]
    assert edits.edits("ini", "typos") == []


def test_unknown_kinds_are_refused():
    with pytest.raises(InputError, match="kind of edits"):
        edits.edits("enak", "misprints")
    with pytest.raises(InputError, match="inside words"):
        edits.pieces("enak", "slang")


@pytest.mark.parametrize("kind", edits.WITHIN)
def test_pieces_make_the_same_texts(kind):
    made = [edits.placed(TEXT, {at: piece}) for at, piece in edits.pieces(TEXT, kind)]
    assert made == edits.edits(TEXT, kind)


def test_a_text_without_a_place_for_an_edit_has_none():
    assert [edits.edits("ya ya", kind) for kind in ("typos", "negation", "slang")] == [[]] * 3
    assert edits.edits("", "marks") == []


def test_a_generator_refuses_draws_that_cannot_be_gone_through():
    with pytest.raises(NotImplementedError):
        list(edits.drawable(perturb.make("keyboard"), "enak"))


@pytest.mark.parametrize("seed", range(30))
def test_a_proof_is_what_brute_force_finds(seed):
    classifier = Random(0.96, seed)
    for text in SHORT:
        proof = exhaustive.prove(classifier, text, "typos")
        made = edits.edits(text, "typos")
        labels = classifier.predict_proba([text, *made]).argmax(1)
        assert proof.edits == len(made)
        assert proof.proved == (labels == labels[0]).all()
        if not proof.proved:
            assert classifier.predict_proba([proof.edited]).argmax() != labels[0]
            assert proof.edited in made


def test_some_are_proved_and_some_are_not():
    found = [exhaustive.prove(Random(0.96, n), SHORT[0], "typos").proved for n in range(30)]
    assert 5 < sum(found) < 25


def test_the_search_stops_at_the_first_edit_that_moves_the_label():
    text = " ".join(SHORT)
    proof = exhaustive.prove(Random(0.5, 3), text, "keyboard")
    assert not proof.proved and proof.asked <= exhaustive.CHUNK < proof.distinct


def test_a_lead_within_rounding_proves_nothing():
    class Close:
        def predict_proba(self, texts, precision="fp32"):
            lead = [1.0 if text == "enak" else behaviour.SAME / 2 for text in texts]
            return np.array([[0.5 + one / 2, 0.5 - one / 2] for one in lead])

    proof = exhaustive.prove(Close(), "enak", "typos")
    assert not proof.proved and 0 < proof.margin < behaviour.SAME


def test_what_a_normaliser_undoes_is_not_asked():
    classifier = Random(1.0)
    normalised = defences.wrap("normaliser", classifier, half=None)
    one, two = (exhaustive.prove(c, "pelayanannya", "typos") for c in (classifier, normalised))
    assert one.edits == one.distinct == two.edits and two.distinct < one.distinct / 2
    assert two.asked == two.distinct and two.proved
    renamed = exhaustive.prove(Renamed(normalised, {"positive": "good"}), "pelayanannya", "typos")
    assert renamed == two


def test_what_stands_before_n_grams_is_not_taken_for_them(grams):
    texts = ["Enak  SEKALI", "enak sekali"]
    assert len(set(exhaustive.view(grams)(texts))) == 1
    for names, seen in (("ensemble", 2), ("normaliser", 1)):
        assert len(set(exhaustive.view(defences.wrap(names, grams))(texts))) == seen


def test_a_text_without_edits_is_proved():
    proof = exhaustive.prove(Random(), "ya", "typos")
    assert proof[:4] == (0, 0, 0, True)


def true_leads(classifier, texts: list[str], column: int) -> np.ndarray:
    """The lead of a label's score over all others, by the model's own decision function."""
    scores = classifier.pipeline.decision_function(texts)
    own = list(classifier.pipeline[-1].classes_).index(classifier.labels[column])
    return scores[:, own] - np.delete(scores, own, 1).max(1)


@pytest.mark.parametrize(("names", "kind"), [("", "typos"), ("normaliser", "keyboard")])
def test_the_bound_of_pairs_lies_below_every_true_lead(grams, names, kind):
    wrapped = defences.wrap(names, grams)
    bound, close = pairs.bound(wrapped), []
    for text in [*SHORT, "mahal mahal mahal enak", "kopi kopi"]:
        if not bound.adds_up(text):
            continue
        column = int(wrapped.predict_proba([text]).argmax())
        leads, made = bound.leads(text, edits.pieces(text, kind), column)
        places = np.argwhere(np.isfinite(leads))
        texts = [bound.read(edits.placed(text, dict([made[i], made[j]]))) for i, j in places]
        true = true_leads(grams, texts, column) if texts else np.zeros(0)
        assert (leads[tuple(places.T)] <= true + 1e-9).all()
        close += [*(true - leads[tuple(places.T)])]
    assert len(close) > 100 and np.median(close) < 0.05


@pytest.mark.parametrize("names", ["", "normaliser"])
def test_pairs_are_what_brute_force_finds(grams, names):
    wrapped = defences.wrap(names, grams)
    bound, found, asked, count = pairs.bound(wrapped), set(), 0, 0
    texts = [" ".join(text.split()[:4]) for text in data.load("embedded", "test")["text"][:14]]
    for text in [*SHORT, *texts]:
        one = exhaustive.prove(wrapped, text, "typos")
        if one.proved:
            two = pairs.prove(wrapped, text, "typos", one, bound)
            made = edits.pieces(text, "typos")
            both = [(a, b) for a, b in itertools.combinations(made, 2) if a[0] != b[0]]
            every = [edits.placed(text, dict(pair)) for pair in both]
            labels = wrapped.predict_proba([text, *every]).argmax(1)
            assert two.pairs == len(every) and two.moved != two.proved
            assert two.proved == (labels == labels[0]).all()
            assert not two.moved or two.edited in every
            found, asked, count = found | {two.proved}, asked + two.asked, count + two.pairs
    assert found == {True, False} and asked < count / 10


def test_texts_that_a_normaliser_reads_as_a_whole_have_no_bound(grams):
    bound = pairs.bound(defences.wrap("normaliser", grams))
    assert bound.adds_up("Kopi ENAK dan murah")
    assert not any(map(bound.adds_up, ["KOPI ENAK SEKALI", "Kopi enak", "kopi\tenak dan murah"]))
    assert pairs.bound(grams).adds_up("KOPI\tENAK")


def test_few_pairs_are_all_asked_without_a_bound():
    """Also under a greedy search that would have found nothing."""
    found = set()
    for seed in range(30):
        classifier = Random(0.995, seed)
        one = exhaustive.prove(classifier, SHORT[2], "typos")
        if one.proved:
            two = pairs.prove(classifier, SHORT[2], "typos", one)
            made = itertools.combinations(edits.pieces(SHORT[2], "typos"), 2)
            both = [
                edits.placed(SHORT[2], {a[0]: a[1], **dict([b])}) for a, b in made if a[0] != b[0]
            ]
            labels = classifier.predict_proba([SHORT[2], *both]).argmax(1)
            assert two.pairs == len(both) and two.proved == (labels == labels[0]).all() != two.moved
            found.add(two.proved)
    assert found == {True, False}


def test_a_black_box_has_no_bound_and_a_greedy_search_claims_no_proof(grams, monkeypatch):
    monkeypatch.setattr(pairs, "FEW", 0)
    assert pairs.bound(Random()) is None and pairs.bound(defences.wrap("ensemble", grams)) is None
    moved = set()
    for seed in range(20):
        classifier = Random(0.99, seed)
        one = exhaustive.prove(classifier, SHORT[2], "typos")
        if one.proved:
            two = pairs.prove(classifier, SHORT[2], "typos", one)
            assert not two.proved
            if two.moved:
                label = classifier.predict_proba([SHORT[2], two.edited]).argmax(1)
                assert label[0] != label[1]
            moved.add(two.moved)
    assert moved == {True, False}


def neighbours(text: tuple[str, ...], vocabulary: str) -> set[tuple[str, ...]]:
    """The texts that one insertion, omission or replacement of a word makes, and the text."""
    made = {text}
    for at in range(len(text) + 1):
        made |= {(*text[:at], word, *text[at:]) for word in vocabulary}
        if at < len(text):
            made.add(text[:at] + text[at + 1 :])
            made |= {(*text[:at], word, *text[at + 1 :]) for word in vocabulary}
    return made


def shortenings(text: tuple[str, ...], rate: float) -> dict[tuple[str, ...], float]:
    """All shortened texts with their probabilities."""
    found: dict[tuple[str, ...], float] = {}
    for kept in itertools.product((True, False), repeat=len(text)):
        left = tuple(itertools.compress(text, kept))
        weight = np.prod([1 - rate if one else rate for one in kept])
        found[left] = found.get(left, 0) + weight
    return found


def least(own: dict, other: dict, lead: float) -> float:
    """The smallest lead of a label over another one in one distribution of texts that any
    classifier, a random one too, of any number of labels, can give it with that lead in another:
    from the second label everywhere it is turned to the first one where that brings least here.
    """
    share, total = (1 + lead) / 2, 0.0
    for text in sorted(own, key=lambda text: other.get(text, 0) / own[text]):
        part = min(own[text], share)
        share -= part
        total += other.get(text, 0) * part / own[text]
    return 2 * total - 1


@pytest.mark.parametrize("rate", [0.6, 0.8, 0.9])
def test_a_smoothed_certificate_holds_for_all_classifiers_texts_and_edits_of_a_toy_vocabulary(rate):
    """Texts of up to three words and some of four to six; all edits, also to a word that is new."""
    rng, tight = random.Random(5), []
    texts = [t for n in range(4) for t in itertools.product("ab", repeat=n)]
    texts += [tuple(rng.choices("ab", k=n)) for n in (4, 5, 6)] + [tuple("abde"), tuple("abdefg")]
    for text in texts:
        own, reached = shortenings(text, rate), {text}
        for k in (1, 2) if len(text) < 6 else (1,):
            reached = set().union(*(neighbours(near, "abc") for near in reached))
            lost = min(k, len(text))
            lead = 1 - rate ** (lost - k) * (2 * rate**k - 1)  # the smallest that is certified
            if lead < 1:
                assert smoothed.certified(lead + 1e-9, k, len(text), rate)
                assert not smoothed.certified(lead - 1e-9, k, len(text), rate)
                worst = min(least(own, shortenings(near, rate), lead) for near in reached)
                assert worst >= -1e-9
                tight.append(worst)
    assert len(tight) > 10 and min(tight) < 1e-6  # for some texts no smaller lead would do


@pytest.mark.parametrize("rate", [0.7, 0.9])
def test_an_answer_that_is_certified_is_that_of_every_text_within_reach(rate):
    """Classifiers of three labels drawn at random, their shares worked out over all shortenings."""
    rng, proved = random.Random(9), 0
    for _ in range(60):
        answers: dict = {}
        text = tuple(rng.choices("ab", k=rng.randint(1, 4)))
        favourite = rng.random()

        def shares(words, answers=answers, favourite=favourite):
            total = [0.0] * 3
            for left, weight in sorted(shortenings(words, rate).items()):
                label = 0 if rng.random() < favourite else rng.randrange(3)
                total[answers.setdefault(left, label)] += weight
            return np.array(total)

        one = shares(text)
        lead = one.max() - np.sort(one)[-2]
        if lead and smoothed.certified(lead, 1, len(text), rate):
            proved += 1
            said = {int(shares(near).argmax()) for near in neighbours(text, "abc")}
            assert said == {one.argmax()}
    assert proved > 10


def test_a_radius_is_the_largest_certified_one():
    for bound in np.linspace(-0.2, 1, 61):
        for words in (0, 1, 2, 30):
            reach = smoothed.radius(bound, words, 0.9)
            for k in range(12):
                assert smoothed.certified(bound, k, words, 0.9) == (k <= reach)


def test_a_least_lead_is_that_of_bounds_that_hold_together():
    for counts in ([600, 250, 150], [30, 0, 20], [400, 300, 200, 100], [5, 5, 0]):
        n, share = sum(counts), 0.001 / len(counts)
        low, high = zip(
            *(proportion_confint(count, n, 2 * share, "beta") for count in counts), strict=True
        )
        low = [0 if np.isnan(one) else one for one in low]
        for label in range(len(counts)):
            other = max(one for at, one in enumerate(high) if at != label)
            wanted = low[label] - min(other, 1 - low[label])
            assert smoothed.least_lead(counts, label) == pytest.approx(wanted)
    low = proportion_confint(70, 100, 0.002, "beta")[0]
    assert smoothed.least_lead([70, 30], 0) == pytest.approx(2 * low - 1)


def test_a_lead_is_seldom_missed():
    """With a confidence of 90%, at most a tenth of samples has a bound above the true lead."""
    rng, shares = np.random.default_rng(3), [0.5, 0.3, 0.2]
    drawn = rng.multinomial(200, shares, size=1000).tolist()
    missed = [smoothed.least_lead(counts, 0, 0.9) > 0.2 for counts in drawn]
    assert 0 < np.mean(missed) < 0.1


def test_lower_bounds_are_those_of_clopper_and_pearson():
    for count, n in ((0, 50), (37, 50), (50, 50), (993, 1000)):
        expected = proportion_confint(count, n, alpha=0.002, method="beta")[0] if count else 0
        assert smoothed.lower_bound(count, n) == pytest.approx(expected)


def frame(texts: list[str], labels: list[str]) -> pd.DataFrame:
    table = pd.DataFrame({"id": [f"t{n}" for n in range(len(texts))], "text": texts})
    return data.describe(table.assign(label=labels), name="own")


class Enak:
    """Positive where the word enak stands, or no word at all."""

    labels = ["positive", "negative"]

    def predict_proba(self, texts, precision="fp32"):
        good = ["enak" in text.split() or not text for text in texts]
        return np.array([[0.9, 0.1] if one else [0.2, 0.8] for one in good])


def test_a_smoothed_classifier_answers_or_abstains():
    texts = ["enak", "murah " * 40, "murah", ""]
    table = frame(texts, ["positive", "negative", "negative", "positive"])
    draws = smoothed.Draws(0.5, 300, 1)
    rows = smoothed.rows(Enak(), table, draws)
    assert list(rows["label"]) == ["positive", "negative", "unparsable", "positive"]
    assert list(rows["radius"]) == [0, 0, -1, 0] and list(rows["right"]) == [
        True,
        True,
        False,
        True,
    ]
    again = smoothed.rows(Enak(), table[::-1], draws)[::-1].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows, again)
    with pytest.raises(InputError):
        smoothed.rows(Enak(), table, smoothed.Draws(1.0, 300, 1))


class Mute(Enak):
    """Enak, but without an answer where the word enak does not stand."""

    def predict_proba(self, texts, precision="fp32"):
        rows = super().predict_proba(texts)
        return np.where(rows[:, :1] > 0.5, rows, 0)


def test_shortened_texts_without_an_answer_count_for_no_label():
    """Half of the shortened texts have no answer, and those of the last one none at all."""
    table = frame(["enak murah", "murah " * 40], ["positive", "positive"])
    draws = smoothed.Draws(0.5, 300, 1)
    rows, mute = smoothed.rows(Enak(), table, draws), smoothed.rows(Mute(), table, draws)
    assert list(mute["lead"])[0] == pytest.approx(list(rows["lead"])[0])
    assert list(mute["label"]) == ["positive", "unparsable"] and list(mute["radius"])[1] == -1
    assert smoothed.least_lead([60, 0], 0, mute=40) == smoothed.least_lead([60, 40], 0)
    assert smoothed.least_lead([60, 0, 0], 0, mute=40) > smoothed.least_lead([60, 40, 0], 0)


def test_metrics_are_those_counted_by_hand():
    """Of enak the typos move the answer; of dekat none; ya has none; the last answer is wrong."""
    texts = ["enak", "dekat", "ya", "jauh"]
    table = frame(texts, ["positive", "negative", "negative", "positive"])
    rows = results.rows(Enak(), table, ["typos"], smoothed.Draws(0.9, 200, 1))
    assert {str(rows[name].dtype) for name in results.COUNTS} == {"Int64"}  # a csv keeps millions
    one = rows[rows["test"] == "typos"]
    assert list(one["proved"]) == [False, True, True, False]
    assert list(one["moved"]) == [True, False, False, False]
    assert list(one["fragile"]) == ["enak", "", "", ""] and list(one["place"]) == [0, 0, -1, -1]
    measured = results.metrics(rows.assign(group="undefended"))
    value = measured.set_index(["test", "metric"])["value"]
    assert value["typos", "accuracy"] == 0.75 and value["typos", "proved_rate"] == 0.5
    assert value["typos", "proved_of_right"] == 0.5 and value["typos", "unmoved_rate"] == 0.5
    two = rows[rows["test"] == "typos, two edits"]
    assert list(two["proved"]) == [False, True, True, False] and two["moved"].sum() == 1
    assert value["words", "certified_one"] == (rows["right"] & (rows["radius"] >= 1)).sum() / 4
