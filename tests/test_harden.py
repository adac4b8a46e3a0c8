"""The defences: what each does in training and at test, how they combine, and that they help."""

import copy
import functools
import pickle
import random

import folders
import numpy as np
import pytest

import tahanuji
from tahanuji import data, measure, models, perturb, predict, training, words
from tahanuji.errors import InputError
from tahanuji.harden import (
    defences,
    deletion,
    halves,
    interpolation,
    noise,
    recipe,
    vocabulary,
    wordings,
)
from tahanuji.harden.normalise import normaliser
from tahanuji.harden.recipe import Reading
from tahanuji.models.outside import Renamed

CLEAN = "barang tidak sampai"
ROWS = 400  # of training, so that a fit takes seconds
TEXTS = data.load("embedded", "train")["text"].tolist()[:60]


class Echo:
    """Remembers what it is asked."""

    labels, asked = ["yes", "no"], []

    def predict_proba(self, texts, precision="fp32"):
        self.asked += texts
        return np.full((len(texts), 2), 0.5, np.float32)


@pytest.fixture(scope="module")
def splits():
    return [data.load("embedded", split) for split in ("train", "valid", "test")]


def fitted(names, folder, splits, **options):
    job = training.Job("tfidf", "embedded", folder / (names or "plain"), seed=1)
    return defences.fit(names, job, *splits[:2], {}, **options)


@pytest.fixture(scope="module")
def answers(splits, tmp_path_factory):
    """Labels of the test texts as they are and with a typo in every word, by defence."""
    test, folder = splits[2], tmp_path_factory.mktemp("hardened")
    typos = perturb.apply("typos", test, 1.0, seed=7)
    both = {
        "clean": list(test["text"]),
        "typos": list(map(lambda new, old: new or old, typos, test["text"])),
    }
    labels = {}
    for names in ("", "normaliser", "normaliser+noise"):
        classifier = fitted(names, folder, (splits[0].head(ROWS), splits[1]), half=None)
        shares = predict.together(classifier, both)
        labels[names] = {
            name: predict.named(one, classifier.labels) for name, one in shares.items()
        }
    return labels, test["label"].to_numpy()


@pytest.mark.long
@pytest.mark.parametrize("names", ["normaliser", "normaliser+noise"])
def test_defences_help_under_typos_and_cost_little(answers, names):
    labels, gold = answers
    flips = {one: labels[one]["typos"] != labels[one]["clean"] for one in ("", names)}
    assert measure.compare(list(flips[names]), list(flips[""]))["p"] < 0.001
    assert flips[names].mean() < flips[""].mean() / 2
    wrong = {one: (labels[one]["typos"] != gold).mean() for one in ("", names)}
    assert wrong[names] < wrong[""]
    assert (labels[names]["clean"] != gold).mean() < (labels[""]["clean"] != gold).mean() + 0.05


def test_words_are_left_out_of_half_of_the_training_texts_and_of_all_validation_texts(
    splits, tmp_path
):
    rows, valid = splits[0].head(40), splits[1].head(40)
    job = training.Job("tfidf", "embedded", tmp_path, seed=1)
    made = recipe.Recipe(job, rows, valid, {}, reads=(str.upper,))
    one = deletion.Deletion().fit(made, lambda recipe: recipe)
    assert all(map(left_of, one.valid["text"], valid["text"]))
    frame = recipe.with_copies(one)
    shares = frame["text"].str.split().str.len() / np.tile(rows["text"].str.split().str.len(), 4)
    assert (shares == 1).sum() >= 80 and 0.15 < shares[shares < 1].mean() < 0.4
    assert frame["text"].str.isupper().mean() > 0.9


def left_of(text: str, whole: str) -> bool:
    """Whether a text is another one without some of its words."""
    words = iter(whole.split())
    return text != whole and all(word in words for word in text.split())


def test_words_are_left_out_at_rates_from_half_to_nearly_all():
    text, kept = " ".join("abcdefghij" * 10), []
    for seed in range(200):
        left = deletion.drop(text, random.Random(seed)).split()
        kept.append(len(left))
        assert set(left) <= set("abcdefghij")
    assert 0 < min(kept) < 15 and 40 < max(kept) < 65


def test_a_hardened_classifier_is_saved_and_loaded(splits, tmp_path):
    rows, valid = splits[0].head(90), splits[1].head(30)
    classifier = fitted("normaliser+noise+ensemble", tmp_path, (rows, valid))
    defences.save(classifier, tmp_path / "model", "normaliser+noise+ensemble")
    again = tahanuji.load(tmp_path / "model")
    assert again.labels == classifier.labels
    texts = ["gk enak bgt", "sgt memuaskan", "biasa aja"]
    shares = classifier.predict_proba(texts)
    assert shares.shape == (3, 3)
    assert np.allclose(shares.sum(1), 1, atol=1e-5)
    assert np.allclose(again.predict_proba(texts), shares, atol=1e-6)
    assert models.read_card(tmp_path / "model")["model_name"] == "tfidf"


def test_a_folder_without_defences_is_loaded_as_it_is(splits, tmp_path):
    classifier = fitted("", tmp_path, (splits[0].head(90), splits[1].head(30)))
    defences.save(classifier, tmp_path / "model", "")
    assert type(defences.load(tmp_path / "model", classifier.labels)) is type(classifier)


def test_a_shipped_classifier_is_loaded_by_its_name(splits, tmp_path, monkeypatch):
    classifier = fitted("normaliser", tmp_path, (splits[0].head(90), splits[1].head(30)), half=None)
    defences.save(classifier, tmp_path / "sentiment", "normaliser", half=None)
    monkeypatch.setattr(defences, "SHIPPED", tmp_path)
    texts = ["gk enak bgt", "tidak enak banget"]
    expected = classifier.predict_proba(texts)
    assert (expected[0] == expected[1]).all()
    for labels in (None, classifier.labels):
        assert (tahanuji.load("sentiment", labels).predict_proba(texts) == expected).all()
    assert tahanuji.load("sentiment").labels == classifier.labels
    with pytest.raises(InputError, match="'sentimen'; did you mean 'sentiment'?"):
        tahanuji.load("sentimen")
    with pytest.raises(InputError, match="no file or folder 'models/mine'"):
        tahanuji.load("models/mine")


@pytest.fixture
def trained(monkeypatch):
    """How many rows each training was given."""
    rows, plain = [], training.fine_tune

    def counted(job, classifier, train, *others):
        rows.append(len(train))
        return plain(job, classifier, train, *others)

    monkeypatch.setattr(training, "fine_tune", counted)
    return rows


def test_interpolation_keeps_to_its_bound(splits, tmp_path, trained):
    rows, valid = splits[0].head(150), splits[1].head(100)
    best = fitted("interpolation+noise", tmp_path, (rows, valid))
    assert trained == [300, 150], "noise stays out of the plain training wherever it stands"
    folder = tmp_path / "interpolation+noise"
    plain, mixed = (models.load(folder / name, best.labels) for name in ("plain/best", "mixed"))
    right = {one: interpolation.accuracy(one, valid) for one in (plain, mixed)}
    assert right[mixed] >= right[plain] - 0.01
    assert 0 <= models.read_card(folder / "mixed")["hardened_share"] <= 1


def test_noise_is_a_function_of_its_generator_and_changes_most_texts():
    drawn = noise.Noise()
    first = [drawn(text, random.Random(number)) for number, text in enumerate(TEXTS)]
    assert first == [drawn(text, random.Random(number)) for number, text in enumerate(TEXTS)]
    assert sum(new != old for new, old in zip(first, TEXTS, strict=True)) > 0.8 * len(TEXTS)
    assert len({drawn(TEXTS[0], random.Random(number)) for number in range(20)}) > 10


@pytest.mark.parametrize("family", noise.FAMILIES)
def test_every_family_changes_texts_and_takes_any(family):
    drawn = noise.Noise(families=(family,))
    new = [drawn(text, random.Random(number)) for number, text in enumerate(TEXTS)]
    assert sum(one != old for one, old in zip(new, TEXTS, strict=True)) > 0.2 * len(TEXTS)
    assert [drawn(text, random.Random(1)) for text in ("", " ", "...", "12")]


@pytest.mark.parametrize("half", halves.HALVES)
def test_noise_draws_from_its_half_alone(half):
    drawn = noise.Noise(half, families=("short forms",))
    for number, text in enumerate(TEXTS):
        new = drawn(text, random.Random(number))
        forms = {words.key(word.text) for word in words.words(new)}
        forms -= {words.key(word.text) for word in words.words(text)}
        assert all(halves.of(form) == half for form in forms)
        assert forms <= vocabulary.informal(half).keys()


def test_noise_comes_before_the_normaliser_wherever_it_stands(splits, tmp_path):
    made, job = {}, training.Job("tfidf", "embedded", tmp_path, seed=1)
    for names in ("normaliser+noise", "noise+normaliser"):
        run = functools.partial(made.__setitem__, names)
        for defence in reversed(defences.named(names)):
            run = functools.partial(defence.fit, train=run)
        run(recipe.Recipe(job, *splits[:2], {}))
    texts = [one.text(CLEAN, random.Random(3)) for one in made.values()]
    assert texts[0] == texts[1]
    assert texts[0] == normaliser("hardening").text(noise.Noise()(CLEAN, random.Random(3)))


def test_copies_are_half_clean_and_named_in_the_facts(splits, tmp_path):
    job = training.Job("tfidf", "embedded", tmp_path, seed=1)
    rows = splits[0].head(40)
    one = recipe.Recipe(job, rows, splits[1], {}, name="noise", draws=(noise.Noise(),))
    frame = recipe.described(one, recipe.with_copies(one))
    assert len(frame) == 80
    assert frame["text"].isin(rows["text"]).sum() >= 40
    assert frame.attrs["source"]["defence"] == "noise"
    assert frame.attrs["source"]["sha256"] == rows.attrs["source"]["sha256"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("normalizer", "unknown defence 'normalizer'"),
        ("noise+noise", "names the defence noise twice"),
        ("pieces", "needs a network with word pieces"),
        ("agreement", "needs a network"),
    ],
)
def test_what_cannot_be_is_refused(splits, tmp_path, names, message):
    with pytest.raises(InputError, match=message):
        fitted(names, tmp_path, splits)


def test_pairs_are_read_and_drawn_sentence_by_sentence():
    reading = defences.wrap("normaliser+ensemble", Echo(), half=None)
    assert reading.predict_proba([("gk enak", "enak bgt")]).shape == (1, 2)
    assert ("tidak enak", "enak banget") in Echo.asked


@pytest.mark.parametrize(
    "around",
    [
        defences.wrap("ensemble", Echo(), half=None),
        Reading(Echo(), str.lower),
        Renamed(Echo(), {"yes": "ya"}),
    ],
)
def test_what_stands_before_a_classifier_can_be_copied_and_stored(around):
    copies = copy.copy(around), copy.deepcopy(around), pickle.loads(pickle.dumps(around))
    for again in copies:
        assert type(again) is type(around) and again.labels == around.labels
        assert vars(again).keys() == vars(around).keys()
        assert again.predict_proba(["a"]).tolist() == [[0.5, 0.5]]
        with pytest.raises(AttributeError, match="nothing"):
            again.nothing  # noqa: B018


def test_one_text_in_place_of_a_list_is_refused():
    for around in (Reading(Echo(), str.lower), defences.wrap("normaliser", Echo(), half=None)):
        with pytest.raises(InputError, match="takes a list of texts"):
            around.predict_proba("enak")


def test_a_folder_of_a_network_is_loaded_with_the_labels_of_its_configuration(tmp_path):
    folders.classifier(tmp_path / "a", "bert", ["negatif", "netral", "positif"])
    (tmp_path / "a" / models.CARD).unlink(missing_ok=True)
    classifier = tahanuji.load(tmp_path / "a")
    assert classifier.labels == ["negatif", "netral", "positif"]
    assert classifier.predict_proba(["enak"]).shape == (1, 3)


@pytest.mark.long
def test_a_network_learns_from_texts_drawn_anew(tmp_path, monkeypatch):
    """One short training with everything on: noise, agreement, refused pieces, interpolation."""
    from tahanuji.harden import online
    from tahanuji.training import trainer

    rows = data.load("embedded", "train").head(24)
    rows.attrs["source"] = data.load("embedded", "train").attrs["source"]
    job = training.Job("mini", "embedded", tmp_path / "mini", seed=1, precision="fp32")
    chosen = training.settings("mini", epochs=1, batch_size=8, max_length=48)
    names = "normaliser+interpolation+agreement+pieces"
    encode, plain, asked = trainer.encode, trainer.Trainer, []
    batches = online.Drawn.__getitems__
    monkeypatch.setattr(
        online.Drawn,
        "__getitems__",
        lambda self, rows: asked.append(batches(self, rows)) or asked[-1],
    )
    classifier = defences.fit(names, job, rows, rows.head(9), chosen)
    assert (trainer.encode, trainer.Trainer) == (encode, plain)
    assert classifier.predict_proba(["gk enak"]).shape == (1, 3)
    assert [len(batch) for batch in asked] == [16, 16, 16], "each text twice, clean and noisy"

    made = recipe.Recipe(job, rows, rows, chosen, draws=(noise.Noise(),), dropout=0.3)
    network = training.fresh(job, chosen)
    drawn = online.Drawn(made, network, rows)
    draws = [tuple(drawn[0]["input_ids"]) for _ in range(8)]
    assert len(set(draws)) > 3
    again = online.Drawn(made, network, rows)
    assert draws == [tuple(again[0]["input_ids"]) for _ in range(8)]
    whole = online.Drawn(made.changing(dropout=0.0, draws=()), network, rows)
    static = trainer.encode(network, rows)
    assert whole[3] == {name: static[3][name] for name in whole[3]}
    uncut = online.cut(network.tokenizer, drawn.vocabulary, rows["text"][3], 0.0, random.Random(1))
    assert uncut == static[3]["input_ids"][1:-1]
    pairs = online.Drawn(made.changing(agreement=1.0), network, rows)
    assert len(pairs.__getitems__([0, 1])) == 4


@pytest.mark.long
@pytest.mark.parametrize("named", [True, False])
def test_wordings_join_every_batch(tmp_path, monkeypatch, named):
    """With their labels where the task is sentiment, and without for another one."""
    from tahanuji.harden import online

    rows = data.load("embedded", "train").head(24)
    if not named:
        rows["label"] = [*["joy", "anger", "fear"] * 8]
    rows.attrs["source"] = data.load("embedded", "train").attrs["source"]
    job = training.Job("mini", "embedded", tmp_path / "mini", seed=1, precision="fp32")
    chosen = training.settings("mini", epochs=1, batch_size=8, max_length=48)
    batches, asked = online.Drawn.__getitems__, []
    monkeypatch.setattr(
        online.Drawn,
        "__getitems__",
        lambda self, rows: asked.append((self, batches(self, rows))) or asked[-1][1],
    )
    monkeypatch.setattr(training, "fresh", functools.partial(fresh, sorted(set(rows["label"]))))
    classifier = defences.fit("normaliser+wordings", job, rows, rows.head(9), chosen)
    assert np.isfinite(classifier.predict_proba(["gk enak"])).all()
    drawn, batch = asked[0]
    tokenizer, read = drawn.classifier.tokenizer, drawn.recipe.reads[0]

    def pieces(text: str) -> tuple:
        return tuple(tokenizer(read(text), truncation=True, max_length=48)["input_ids"])

    table = wordings.pairs(rows)
    labels = [drawn.columns[one] if one else online.NO_LABEL for one in table["label"]]
    known = zip(table["formal"].map(pieces), table["informal"].map(pieces), labels, strict=True)
    given = [(tuple(one["input_ids"]), one["labels"]) for one in batch]
    pairs = zip(given[8:12], given[20:24], strict=True)
    made = {(one, other, label) for (one, label), (other, _) in pairs}
    assert len(made) == 4 and made <= set(known)
    assert [label for _, label in given[8:12]] == [label for _, label in given[20:24]]
    assert (online.NO_LABEL in labels) != named


def fresh(labels: list[str], job: training.Job, chosen: dict):
    """A classifier of some labels before its training."""
    return models.build(job.model_name, labels, max_length=chosen["max_length"])


def test_models_that_see_their_texts_once_learn_from_both_wordings(splits, tmp_path):
    rows, seen = splits[0].head(90), []
    job = training.Job("tfidf", "embedded", tmp_path, seed=1)
    made = recipe.Recipe(job, rows, splits[1], {})
    wordings.Wordings().fit(made, lambda one: seen.append(one.rows))
    (both,) = seen
    table = wordings.pairs(rows)
    assert both["text"].to_list() == [*rows["text"], *table["formal"], *table["informal"]]
    assert both["label"].to_list() == [*rows["label"], *[*table["label"]] * 2]
    two = made.changing(rows=rows[rows["label"] != "neutral"])
    wordings.Wordings().fit(two, lambda one: seen.append(one.rows))
    assert set(seen[1]["label"]) == {"positive", "negative"}
    for column, said in (("label", "needs a network or labels"), ("text_pair", "is for single")):
        with pytest.raises(InputError, match=said):
            wordings.Wordings().fit(made.changing(rows=rows.assign(**{column: "x"})), seen.append)


def test_wordings_are_written_as_the_training_texts_are(splits):
    lower = wordings.pairs(splits[0])
    assert (lower["formal"] == lower["formal"].str.lower()).all()
    usual = wordings.pairs(splits[0].assign(text=splits[0]["text"].str.capitalize()))
    assert not (usual["formal"] == usual["formal"].str.lower()).any()


def test_pairs_of_wordings_are_a_fact_of_a_training(splits, tmp_path):
    job = training.Job("mini", "embedded", tmp_path, seed=1)
    made = recipe.Recipe(job, splits[0].head(9), splits[1], {}, agreement=0.5)
    facts = [
        recipe.described(made.changing(pairs=pairs), splits[0].head(9)).attrs["source"]
        for pairs in ((), (("tidak", "gak", ""),), (("tidak", "ga", ""),))
    ]
    assert "defence_pairs" not in facts[0]
    assert facts[1]["defence_pairs"] != facts[2]["defence_pairs"]
    assert made.changing(pairs=(("tidak", "gak", ""),)).plain().pairs == ()


def test_every_defence_has_a_row_in_the_table():
    assert all(f"| {name} | " in defences.__doc__ for name in defences.DEFENCES)
