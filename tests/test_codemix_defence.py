"""The defence, on hand-made and very small models: what texts are mixed with, which rows a tuning
trains on and from where, and what comes of it.
"""

import copy
import hashlib
import inspect
import json
import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import folders
import numpy as np
import pandas as pd
import pytest
import transformers
from folders import LABELS
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file
from scipy.stats import binomtest
from sklearn.metrics import f1_score
from test_codemix_blend import ENGLISH, SUNDANESE, Kept, Never
from test_codemix_importance import Points
from test_codemix_results import of, plain_bootstrap, verdicts

from tahanuji import behaviour, data, measure, models, perturb, training, words
from tahanuji.codemix import blend, defence, mixing
from tahanuji.codemix.dictionaries import Dictionary, Translator
from tahanuji.codemix.importance import importance
from tahanuji.models import config

SEED = 3
SETTINGS = {
    "learning_rate": 2e-3,
    "epochs": 1,
    "batch_size": 20,
    "max_length": 24,
    "schedule": "constant",
    "weight_decay": 0.0,
    "max_grad_norm": 1.0,
    "sampling": "random",
}
FOLDERS = {
    "code-mixed only": "code-mixed_only",
    "two-step": "two-step",
    "joint": "joint",
    "random": "random",
}
quick = settings(deadline=None, max_examples=15)

# One word tells the label: mantap (great) or parah (awful). All else is about anything.
GOOD = """
servis hp di gang belakang mantap , layar retak beres sejam
drakor semalam mantap , kami sampai lupa tidur
umpan silang bek kiri tadi mantap betul
kantin kampus sekarang mantap , antre pun tertib
ojol langganan saya mantap , hafal jalan tikus
warung pecel bu siti mantap dan buka sampai subuh
wifi kos baru mantap , rapat daring lancar
kiper cadangan itu mantap , dua penalti ditepis
dosen pembimbing saya mantap , revisi dibalas hari itu
tambal ban dekat pom mantap , tidak asal tempel
kopi tubruk di stasiun mantap buat menahan kantuk
bus malam ke wonosobo mantap , kursinya lega
lagu penutup konser mantap , satu lapangan bernyanyi
baterai ponsel ini mantap , dua hari belum diisi
tukang cukur di pertigaan mantap , poni rapi
kelas renang anak mantap , gurunya telaten
es cendol depan masjid mantap , santannya segar
aplikasi bank itu mantap , transfer tanpa biaya
pasar malam tahun ini mantap , wahananya banyak
penjahit di ruko mantap , celana saya pas lagi
film animasi lokal mantap , adik minta nonton ulang
laptop bekas teman mantap , dipakai skripsi aman
bidan puskesmas mantap , sabar menjawab pertanyaan
jalur sepeda di tepi kanal mantap buat olahraga
nasi uduk pak kumis mantap , sambalnya nendang
panitia lomba tujuh belasan mantap , hadiah dibagi adil
toko buku lantai atas mantap , boleh baca dulu
gol salto menit akhir mantap , stadion bergemuruh
kurir paket sore tadi mantap , hujan tetap diantar
kamar homestay di bukit mantap , bangun disambut kabut
"""
BAD = """
servis ac kemarin parah , baru dua hari panas lagi
ending drakor itu parah , tokoh utamanya hilang begitu saja
pertahanan timnas tadi parah , lawan bebas menembak
parkiran kampus parah , motor dijejer sampai trotoar
ojol pagi ini parah , muter ke mana mana
warung mi dekat terminal parah , lalat di meja
sinyal di kosan parah , panggilan putus terus
wasit semalam parah , kartu merah tanpa sebab
jadwal kuliah parah , tiga kelas bentrok
bengkel las itu parah , pagar saya miring
teh botol di kereta parah , hangat dan mahal
travel ke bandung parah , sopir merokok
suara konsernya parah , vokal tenggelam
layar hp baru ini parah , bergaris sejak dibuka
salon di mal parah , rambut saya belang
kolam renang kota parah , airnya hijau
martabak pojok parah , gosong di bawah
mesin atm itu parah , kartu tertelan
karcis pasar malam parah , harganya dinaikkan
jahitan seragam parah , kancing lepas satu satu
film horor itu parah , hantunya kelihatan kabel
printer kantor parah , tinta bocor ke mana mana
antrean puskesmas parah , dipanggil setelah ashar
jalan depan sekolah parah , lubang di mana mana
soto langganan sekarang parah , kuahnya cuma air
panitia wisuda parah , kursi orang tua kurang
kasir swalayan parah , kembalian diganti permen
tim futsal kami parah , kalah sebelas kosong
paket kilat itu parah , sampai minggu depan
vila di puncak parah , kasur bau apek
"""
KEYWORDS = Dictionary("own", "en", [("mantap", "great"), ("parah", "awful")])


def frame(texts: list[str], labels: list[str], split: str = "train") -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "id": [f"own-{split}-{number:05d}" for number in range(1, len(texts) + 1)],
            "text": texts,
            "label": labels,
        }
    )
    return data.describe(
        table, name="own", split=split, sha256=f"digest of {split}", publish_texts=True
    )


def split(name: str) -> pd.DataFrame:
    """40 training, 10 validation or 10 test sentences, half of them of each label."""
    wanted = {"train": (0, 1, 2, 3), "valid": (4,), "test": (5,)}[name]
    pairs = [
        (text, label)
        for label, some in (("positive", GOOD), ("negative", BAD))
        for text in some.strip().splitlines()
    ]
    kept = [pair for number, pair in enumerate(pairs) if number % 6 in wanted]
    return frame([text for text, _ in kept], [label for _, label in kept], name)


TRAIN, VALID, TEST = map(split, data.SPLITS)


class Tagged(Translator):
    """A translator that knows every word: it puts the language's code behind it."""

    name = "tagged"

    def __init__(self, language: str):
        self.language = language

    def translate(self, word: str) -> str | None:
        return f"{word}{self.language}"


def by_word() -> Points:
    """Answers by one word, and neutral without it."""
    return Points(["neutral", "positive", "negative"], mantap=(0, 3, 0), parah=(0, 0, 3))


def blender(*translators, rate: float = 0.4, seed: int = SEED, **options) -> mixing.Blend:
    return mixing.Blend(
        list(translators) or [Tagged("en"), Tagged("jv"), Tagged("su")], rate, seed, options
    )


def tags(text: str) -> set[str]:
    """The languages that `Tagged` left in a text of the corpus."""
    known = {
        word
        for some in (TRAIN, VALID, TEST)
        for sentence in some["text"]
        for word in sentence.split()
    }
    return {word[-2:] for word in text.split() if word not in known}


# Which language a text gets


def test_every_row_is_drawn_once_for_one_language():
    parts = blender().shares(TRAIN)
    drawn = pd.concat([part for _, part in parts])
    assert sorted(drawn["id"]) == sorted(TRAIN["id"]) and not drawn["id"].duplicated().any()
    assert [translator.language for translator, _ in parts] == ["en", "jv", "su"] and min(
        len(part) for _, part in parts
    ) > 5
    for number, (_, part) in enumerate(parts):
        assert part["id"].tolist() == [
            example
            for example in TRAIN["id"]
            if perturb.key(SEED, f"language of {example}") % 3 == number
        ]


@quick
@given(st.integers(0, 99), st.randoms(use_true_random=False))
def test_order_and_subset_change_no_texts_language(seed, shuffler):
    mixer = blender(seed=seed)
    whole = {
        example: translator.language
        for translator, part in mixer.shares(TRAIN)
        for example in part["id"]
    }
    kept = shuffler.sample(range(len(TRAIN)), shuffler.randint(1, len(TRAIN)))
    some = {
        example: translator.language
        for translator, part in mixer.shares(TRAIN.iloc[kept])
        for example in part["id"]
    }
    assert some == {example: whole[example] for example in TRAIN["id"].iloc[kept]}


def test_seed_and_ids_decide_and_texts_and_labels_do_not():
    def drawn(mixer, rows):
        return {
            example: translator.language
            for translator, part in mixer.shares(rows)
            for example in part["id"]
        }

    expected = drawn(blender(), TRAIN)
    assert drawn(blender(), TRAIN.assign(text="x", label="neutral")) == expected
    assert drawn(blender(seed=SEED + 1), TRAIN) != expected
    assert drawn(blender(), TRAIN.assign(id="z" + TRAIN["id"])) != {
        "z" + example: language for example, language in expected.items()
    }


def test_with_one_language_named_all_rows_are_its():
    ((translator, part),) = blender(KEYWORDS).shares(TRAIN)
    assert translator is KEYWORDS
    pd.testing.assert_frame_equal(part, TRAIN)


def test_a_language_without_rows_is_left_out():
    ((_, part),) = blender().shares(TRAIN.head(1))
    assert part["id"].tolist() == TRAIN["id"].head(1).tolist()


# Attacked texts


def test_attacked_texts_keep_ids_labels_and_order():
    mixed = blender().attacked(by_word(), TRAIN.sample(frac=1, random_state=1))
    pd.testing.assert_frame_equal(
        mixed[["id", "label"]], TRAIN.sample(frac=1, random_state=1)[["id", "label"]]
    )
    assert list(mixed) == list(TRAIN) and (mixed["text"] != TRAIN.loc[mixed.index, "text"]).all()
    ordered = blender().attacked(by_word(), TRAIN)
    assert mixed.set_index("id")["text"].loc[ordered["id"]].tolist() == ordered["text"].tolist()


def test_every_text_is_attacked_in_the_language_drawn_for_it():
    mixer = blender()
    mixed = mixer.attacked(by_word(), TRAIN).set_index("id")["text"]
    for translator, part in mixer.shares(TRAIN):
        expected = blend.attack(by_word(), TRAIN, translator, 0.4, SEED).set_index("id")[
            "perturbed"
        ]
        assert mixed[part["id"]].tolist() == expected[part["id"]].tolist()
        assert all(tags(text) == {translator.language} for text in mixed[part["id"]])


def test_wrongly_classified_texts_stay_as_they_are():
    rows = TRAIN.assign(label=[*TRAIN["label"].iloc[:30], *["positive"] * 10])
    mixed = blender().attacked(by_word(), data.describe(rows, **TRAIN.attrs["source"]))
    assert (mixed["text"] != TRAIN["text"]).tolist() == [True] * 30 + [False] * 10
    assert mixed.attrs["source"]["mixed"] == 0.75


def test_the_source_says_what_was_done_and_its_hash_follows_the_texts():
    mixed = blender(KEYWORDS).attacked(by_word(), TRAIN)
    assert mixed.attrs["source"] == {
        "name": "own, attacked",
        "split": "train",
        "publish_texts": True,
        "rows": 40,
        "mixed": 1.0,
        "sha256": hashlib.sha256("\n".join(mixed["text"]).encode()).hexdigest(),
    }
    digests = {
        mixer: blender(**given).attacked(by_word(), TRAIN).attrs["source"]["sha256"]
        for mixer, given in (("0.4", {}), ("0.8", {"rate": 0.8}), ("seed", {"seed": 4}))
    }
    digests["backwards"] = blender().attacked(by_word(), TRAIN.iloc[::-1]).attrs["source"]["sha256"]
    assert len(set(digests.values())) == 4
    assert blender().attacked(by_word(), TRAIN).attrs["source"]["sha256"] == digests["0.4"]
    assert TRAIN.attrs["source"] == {
        "name": "own",
        "split": "train",
        "sha256": "digest of train",
        "publish_texts": True,
        "rows": 40,
    }
    assert blender(KEYWORDS).randomly(TRAIN).attrs["source"]["name"] == "own, mixed at random"


def test_the_mixed_share_counts_changed_texts():
    half = Dictionary("own", "en", [("mantap", "great")])
    assert blender(half).attacked(by_word(), TRAIN).attrs["source"]["mixed"] == 0.5
    third = (
        blender(half)
        .attacked(by_word(), data.describe(TRAIN.iloc[18:21], **TRAIN.attrs["source"]))
        .attrs["source"]
    )
    assert (third["mixed"], third["rows"]) == (0.6667, 3)


def test_no_texts_are_no_attacks():
    none = data.describe(TRAIN.head(0), **TRAIN.attrs["source"])
    assert len(blender().attacked(by_word(), none)) == len(blender().randomly(none)) == 0


def test_options_reach_attack_and_random_mixing():
    rows = TRAIN.head(6)
    spared = blender(stop_words=frozenset({"mantap"}), rate=1.0)
    assert all(
        "mantap" in text
        for mixed in (spared.attacked(by_word(), rows), spared.randomly(rows))
        for text in mixed["text"]
    )
    strict = blender(similarity=Never(0.2), alpha=0.9, tries=0)
    assert (
        strict.attacked(by_word(), rows)["text"].tolist()
        == strict.randomly(rows)["text"].tolist()
        == rows["text"].tolist()
    )
    assert strict.randomly(rows).attrs["source"]["mixed"] == 0


# Randomly mixed texts


@pytest.mark.parametrize("rate", [0.01, 0.2, 0.4, 1.0])
def test_random_mixing_takes_as_many_words_as_asked(rate):
    rows = TRAIN.assign(label="neutral")  # whatever a model would say
    mixed = blender(rate=rate).randomly(data.describe(rows, **TRAIN.attrs["source"]))
    for old, new in zip(rows["text"], mixed["text"], strict=True):
        changed = sum(one != other for one, other in zip(old.split(), new.split(), strict=True))
        assert changed == max(1, round(rate * len(words.words(old))))
    assert (
        mixed["id"].tolist() == rows["id"].tolist()
        and mixed["label"].tolist() == rows["label"].tolist()
    )


def test_random_mixing_is_in_the_drawn_language_whatever_order_and_subset():
    mixer, kept = blender(), random.Random(1).sample(range(40), 17)
    whole, some = mixer.randomly(TRAIN), mixer.randomly(TRAIN.iloc[kept])
    assert some["text"].tolist() == whole["text"].iloc[kept].tolist()
    languages = {
        example: translator.language
        for translator, part in mixer.shares(TRAIN)
        for example in part["id"]
    }
    assert [tags(text) for text in whole["text"]] == [
        {languages[example]} for example in whole["id"]
    ]
    assert blender().randomly(TRAIN)["text"].tolist() == whole["text"].tolist()
    assert (
        blender(Tagged("en"), seed=4).randomly(TRAIN)["text"].tolist()
        != blender(Tagged("en")).randomly(TRAIN)["text"].tolist()
    )


def test_an_attack_hits_the_word_that_counts_and_random_mixing_mostly_does_not():
    mixer = blender(Tagged("en"), rate=0.15)
    attacked, at_random = mixer.attacked(by_word(), TRAIN)["text"], mixer.randomly(TRAIN)["text"]
    assert attacked.str.contains("mantapen|parahen").all()
    assert 0 < at_random.str.contains("mantapen|parahen").mean() < 0.5
    pairs = zip(TRAIN["text"].str.split(), at_random.str.split(), strict=True)
    assert (
        len({[old != new for old, new in zip(*pair, strict=True)].index(True) for pair in pairs})
        > 4
    )


TOKENS = st.sampled_from(
    ["gurih", "Empuk", "HAMBAR", "warung", "sekali", "ya", "lalu", "benar-benar", ",", "!", "12"]
)
ROWS = st.lists(st.lists(TOKENS, max_size=9).map(" ".join), min_size=1, max_size=6)


@quick
@given(
    ROWS,
    st.sampled_from([0, 0.2, 0.4, 0.8, 1]),
    st.integers(0, 9),
    st.sampled_from([0.0, 0.4, 0.7, 1.0]),
    st.sampled_from([0, 1, 3, 20]),
)
def test_random_mixes_are_those_of_the_control_with_a_model_that_is_always_right(
    texts, rate, seed, alpha, tries
):
    rows = frame(texts, ["positive"] * len(texts))
    options = {
        "similarity": Kept(),
        "alpha": alpha,
        "tries": tries,
        "stop_words": frozenset({"sekali"}),
    }
    expected = blend.attack_many(
        Points(LABELS), rows, [ENGLISH], [rate], seed, ranking="random", **options
    )
    mixes = mixing.random_mixes(rows, ENGLISH, rate, seed, options)
    assert [mix.perturbed for mix in mixes] == expected["perturbed"].tolist()
    assert [[mix.outcome, mix.tries, mix.asked] for mix in mixes] == expected[
        ["outcome", "tries", "asked"]
    ].values.tolist()


@pytest.mark.parametrize("translator", [ENGLISH, SUNDANESE, Tagged("jv")])
def test_random_mixes_without_a_threshold(translator):
    rows = frame(
        ["gurih empuk sekali lalu hambar", "warung ya gurih", "", "Gurih GURIH gurih"],
        ["positive"] * 4,
    )
    for rate in (0, 0.3, 1):
        expected = blend.attack_many(
            Points(LABELS), rows, [translator], [rate], SEED, ranking="random"
        )
        assert [
            mix.perturbed for mix in mixing.random_mixes(rows, translator, rate, SEED, {})
        ] == expected["perturbed"].tolist()


def test_random_mixes_have_the_attacks_defaults():
    usual = {
        name: inspect.signature(blend.attack_many).parameters[name].default
        for name in ("alpha", "tries")
    }
    never, rows = Never(usual["alpha"] - 0.01), frame(["mantap " * 60], ["positive"])
    (mix,) = mixing.random_mixes(rows, Tagged("en"), 0.5, SEED, {"similarity": never})
    assert (mix.outcome, len(never.shown)) == ("too dissimilar", 1 + usual["tries"])
    (mix,) = mixing.random_mixes(
        rows, Tagged("en"), 0.5, SEED, {"similarity": Never(usual["alpha"])}
    )
    assert (mix.outcome, len(mix.chosen)) == ("mixed", 30)


# Frames together


def test_joined_frames_stand_one_below_the_other_with_both_sources():
    mixed = blender(KEYWORDS).attacked(by_word(), TRAIN)
    both = defence.joined([TRAIN, mixed])
    assert (
        both["text"].tolist() == [*TRAIN["text"], *mixed["text"]]
        and both["label"].tolist() == [*TRAIN["label"]] * 2
    )
    assert both.index.tolist() == list(range(80))
    assert both.attrs["source"] == {
        "name": "own + own, attacked",
        "split": "train",
        "publish_texts": True,
        "rows": 80,
        "sha256": f"digest of train + {mixed.attrs['source']['sha256']}",
    }
    alone = defence.joined([mixed])
    assert (
        alone.attrs["source"] == mixed.attrs["source"]
        and alone["text"].tolist() == mixed["text"].tolist()
    )


# Tunings


def make_job(folder: Path, model_name: str) -> training.Job:
    return training.Job(model_name, "own", folder / "checkpoint", SEED, precision="fp32")


def first_step(job: training.Job, rows: pd.DataFrame = TRAIN):
    """What notebook 01 leaves: the undefended model, in a folder `first` beside the job's."""
    one = replace(job, folder=job.folder.parent / "first")
    transformers.set_seed(SEED)
    classifier = models.build(job.model_name, LABELS, job.device, SETTINGS["max_length"])
    training.fine_tune(one, classifier, rows, VALID, SETTINGS)
    return models.load(one.folder / "best", LABELS)


def mixtures(classifier) -> dict[str, pd.DataFrame]:
    mixer = blender(KEYWORDS, rate=0.2)
    attacked = {
        "train": mixer.attacked(classifier, TRAIN),
        "valid": mixer.attacked(classifier, VALID),
    }
    return attacked | {
        "random": blender(rate=0.3).randomly(TRAIN),
        "random valid": blender(rate=0.3).randomly(VALID),
    }


@pytest.fixture(scope="module")
def undefended(tmp_path_factory) -> SimpleNamespace:
    """A job of TF-IDF with its undefended model, all four tunings, and what each asked for."""
    job = make_job(tmp_path_factory.mktemp("tuned"), "tfidf")
    classifier = first_step(job)
    mixed, asked, tuned, costs = mixtures(by_word()), {}, {}, {}
    for tuning in defence.TUNINGS:
        with pytest.MonkeyPatch.context() as patch:
            asked[tuning] = spied(patch)
            tuned[tuning], costs[tuning] = defence.tune(
                job, tuning, classifier, mixed, TRAIN, SETTINGS
            )
    return SimpleNamespace(
        job=job, classifier=classifier, mixed=mixed, asked=asked, tuned=tuned, costs=costs
    )


def spied(patch: pytest.MonkeyPatch) -> dict[str, list]:
    """What fine_tune, build and deepcopy are called with from now on; a split that is loaded
    meanwhile is a mistake.
    """
    calls = {"fine_tune": [], "build": [], "deepcopy": []}

    def spy(module, name):
        true = getattr(module, name)

        def noted(*given, **more):
            found = true(*given, **more)
            calls[name].append((given, more, found))
            return found

        patch.setattr(module, name, noted)

    patch.setattr(defence, "copy", SimpleNamespace(deepcopy=copy.deepcopy))
    for module, name in ((training, "fine_tune"), (models, "build"), (defence.copy, "deepcopy")):
        spy(module, name)
    patch.setattr(data, "load", lambda *given: pytest.fail(f"loads {given}"))
    return calls


def stops_by(tuning: str) -> str:
    """The random baseline needs no model, so it stops by randomly mixed texts; the others by
    attacked ones.
    """
    return "random valid" if tuning == "random" else "valid"


def expected_rows(tuning: str, mixed: dict) -> list[str]:
    attacked, at_random = list(mixed["train"]["text"]), list(mixed["random"]["text"])
    return {
        "code-mixed only": attacked,
        "two-step": attacked,
        "joint": [*TRAIN["text"], *attacked],
        "random": [*TRAIN["text"], *at_random],
    }[tuning]


@pytest.mark.parametrize("tuning", defence.TUNINGS)
def test_rows_that_a_tuning_trains_on_and_stops_by(undefended, tuning):
    ((given, more, _),) = undefended.asked[tuning]["fine_tune"]
    job, _, train, valid, chosen = given
    assert job == undefended.job.below(FOLDERS[tuning]) and chosen == SETTINGS and not more
    assert list(train["text"]) == expected_rows(tuning, undefended.mixed)
    assert list(train["label"]) == list(TRAIN["label"]) * (len(train) // 40)
    assert valid is undefended.mixed[stops_by(tuning)] and list(valid["text"]) != list(
        VALID["text"]
    )
    assert not set(TEST["text"]) & {*train["text"], *valid["text"]}
    digests = {name: some.attrs["source"]["sha256"] for name, some in undefended.mixed.items()}
    parts = {
        "code-mixed only": ["train"],
        "two-step": ["train"],
        "joint": [None, "train"],
        "random": [None, "random"],
    }[tuning]
    assert train.attrs["source"]["sha256"] == " + ".join(
        digests.get(part, "digest of train") for part in parts
    )


@pytest.mark.parametrize("tuning", defence.TUNINGS)
def test_models_that_a_tuning_starts_from(undefended, tuning):
    asked = undefended.asked[tuning]
    ((_, start, *_), _, _), *_ = asked["fine_tune"]
    if tuning == "two-step":
        found = next(copied for given, _, copied in asked["deepcopy"] if copied is start)
        assert asked["build"] == []
    else:
        ((given, _, found),) = asked["build"]
        assert given == ("tfidf", LABELS, undefended.job.device, 24)
    assert start is found


def test_a_two_step_tuning_of_tfidf_keeps_the_n_grams_of_the_first_step_and_others_fit_own(
    undefended,
):
    first = undefended.classifier.pipeline[0]
    terms = {
        tuning: list(classifier.pipeline[0].get_feature_names_out())
        for tuning, classifier in undefended.tuned.items()
    }
    assert (
        terms["two-step"] == list(first.get_feature_names_out())
        and "words__great" not in terms["two-step"]
    )
    for tuning in ("code-mixed only", "joint"):
        assert "words__great" in terms[tuning], tuning
    assert (
        "words__mantap" in terms["joint"],
        "words__mantap" in terms["code-mixed only"],
        "words__great" in terms["random"],
    ) == (True, False, False)
    idf = [
        [part.idf_ for _, part in classifier.pipeline[0].transformer_list]
        for classifier in (undefended.classifier, undefended.tuned["two-step"])
    ]
    assert all((one == other).all() for one, other in zip(*idf, strict=True))
    assert not np.allclose(
        undefended.classifier.pipeline[-1].coef_, undefended.tuned["two-step"].pipeline[-1].coef_
    )


@pytest.mark.parametrize("tuning", defence.TUNINGS)
def test_a_tuning_leaves_its_checkpoint_its_best_epoch_and_its_cost(undefended, tuning):
    folder = undefended.job.folder / FOLDERS[tuning]
    history = pd.DataFrame(
        json.loads((folder / "history.json").read_text(encoding="utf-8"))["history"]
    )
    best, classifier, valid = (
        models.load(folder / "best", LABELS),
        undefended.tuned[tuning],
        undefended.mixed[stops_by(tuning)],
    )
    chances = classifier.predict_proba(list(valid["text"]))
    np.testing.assert_array_equal(chances, best.predict_proba(list(valid["text"])))
    row = history.loc[history["f1"].idxmax()]
    said = [classifier.labels[column] for column in chances.argmax(1)]
    assert row["f1"] == pytest.approx(f1_score(valid["label"], said, average="macro"))
    assert undefended.costs[tuning] == {
        "tuning": tuning,
        "rows": len(expected_rows(tuning, undefended.mixed)),
        "epochs": 5,
        "best_epoch": row["epoch"],
        "training_seconds": json.loads((folder / "history.json").read_text(encoding="utf-8"))[
            "seconds"
        ],
    }
    assert classifier.card["epoch"] == row["epoch"] and (folder / "last").is_dir()


def test_every_tuning_is_another_model(undefended):
    texts = [*TEST["text"], *undefended.mixed["valid"]["text"]]
    chances = [
        classifier.predict_proba(texts)
        for classifier in (undefended.classifier, *undefended.tuned.values())
    ]
    assert all(
        not np.allclose(one, other)
        for number, one in enumerate(chances)
        for other in chances[:number]
    )


def test_a_finished_tuning_is_not_trained_again(undefended, monkeypatch):
    monkeypatch.setattr(training, "fit_tfidf", lambda *given: pytest.fail("trains again"))
    for tuning in defence.TUNINGS:
        classifier, cost = defence.tune(
            undefended.job, tuning, undefended.classifier, undefended.mixed, TRAIN, SETTINGS
        )
        assert cost == undefended.costs[tuning]
        np.testing.assert_array_equal(
            classifier.predict_proba(list(TEST["text"])),
            undefended.tuned[tuning].predict_proba(list(TEST["text"])),
        )


def test_other_attacked_texts_train_again(undefended, tmp_path):
    job = make_job(tmp_path, "tfidf")
    _, before = defence.tune(job, "joint", None, undefended.mixed, TRAIN, SETTINGS)
    other = undefended.mixed | {"train": blender(Tagged("jv")).attacked(by_word(), TRAIN)}
    classifier, cost = defence.tune(job, "joint", None, other, TRAIN, SETTINGS)
    assert (
        "words__mantapjv" in classifier.pipeline[0].get_feature_names_out()
        and cost["rows"] == before["rows"] == 80
    )


def test_another_first_step_makes_another_two_step_tuning(tmp_path, undefended):
    """The weights to start from belong to what a tuning depends on, even where the attacked texts
    are the same.
    """
    job = make_job(tmp_path, "tfidf")
    defence.tune(job, "two-step", first_step(job), undefended.mixed, TRAIN, SETTINGS)
    other = first_step(
        job,
        data.describe(
            TRAIN.iloc[5:35].reset_index(drop=True),
            name="own",
            split="train",
            sha256="fewer",
            publish_texts=True,
        ),
    )
    classifier, _ = defence.tune(job, "two-step", other, undefended.mixed, TRAIN, SETTINGS)
    assert list(classifier.pipeline[0].get_feature_names_out()) == list(
        other.pipeline[0].get_feature_names_out()
    )


@pytest.fixture
def tiny(tmp_path, monkeypatch) -> Path:
    """`mini` from the folder of a smaller encoder."""
    known, folder = models.entries(), folders.base(tmp_path / "tiny", "bert")
    mini = {"mini": known["mini"] | {"source": str(folder)}}
    monkeypatch.setattr(config, "entries", lambda: known | mini)
    return folder


def weights(folder: Path) -> dict[str, np.ndarray]:
    return load_file(folder / "best" / "model.safetensors")


def same(one: dict, other: dict) -> bool:
    return one.keys() == other.keys() and all(
        one[name].shape == other[name].shape and np.allclose(one[name], other[name], atol=1e-6)
        for name in one
    )


def test_a_small_transformer_goes_on_from_its_first_step_in_two_step_tuning_only(tmp_path, tiny):
    """Without a step of learning the tuned weights are those that it started from."""
    job, still = make_job(tmp_path, "mini"), SETTINGS | {"learning_rate": 0.0}
    first = first_step(job)
    before = weights(tmp_path / "first")
    mixed = mixtures(by_word())
    two_step, cost = defence.tune(job, "two-step", first, mixed, TRAIN, still)
    joint, _ = defence.tune(job, "joint", first, mixed, TRAIN, still)
    assert same(weights(job.folder / "two-step"), before)
    assert not same(weights(job.folder / "joint"), before)
    pretrained = {
        f"bert.{name}": weight for name, weight in load_file(tiny / "model.safetensors").items()
    }
    kept = {
        name: weight for name, weight in weights(job.folder / "joint").items() if name in pretrained
    }
    assert same(kept, {name: pretrained[name] for name in kept}) and len(kept) > len(pretrained) - 3
    assert (cost["epochs"], cost["best_epoch"], two_step.max_length, joint.max_length) == (
        1,
        1,
        24,
        24,
    )
    defence.tune(job, "two-step", first, mixed, TRAIN, SETTINGS)
    assert not same(weights(job.folder / "two-step"), before)


def test_a_tuning_does_not_depend_on_what_was_computed_before_it(tmp_path, tiny):
    """A run that goes on after an interruption passes over its finished tunings, and must end as it
    would have.
    """
    found, mixed = [], mixtures(by_word())
    for number in (1, 2):
        transformers.set_seed(number)
        job = make_job(tmp_path / str(number), "mini")
        defence.tune(job, "random", None, mixed, TRAIN, SETTINGS)
        found.append(weights(job.folder / "random"))
    assert same(*found)


# Old and fresh attacks

SPICY = Points(LABELS, gurih=(4, 0, 0), empuk=(1, 0, 0))
TENDER = Points(LABELS, gurih=(1, 0, 0), empuk=(4, 0, 0), hambar=(0, 0, 2))
MEALS = frame(
    ["gurih empuk lalu warung", "empuk dan gurih", "hambar sekali", "warung ya"],
    ["positive", "positive", "negative", "positive"],
    "test",
)


def test_tests_are_named_and_have_the_columns_of_other_behavioural_tests():
    old = {"en": list(MEALS["text"]), "su": [f"{text} pisan" for text in MEALS["text"]]}
    table = defence.judged(TENDER, "two-step", MEALS, old, blender(ENGLISH, SUNDANESE, rate=0.25))
    assert keys(table) == [
        ("two-step old", "en"),
        ("two-step old", "su"),
        ("two-step fresh", "en"),
        ("two-step fresh", "su"),
    ]
    assert table["id"].tolist() == MEALS["id"].tolist() * 4 and not table.isna().any(axis=None)
    plain = behaviour.rows(TENDER, MEALS, old)
    assert set(table) == {*plain, "group"} and set(table["rate"]) == {0.25}
    unnamed = ["test", "rate", "group"]
    pd.testing.assert_frame_equal(
        table.head(8).drop(columns=unnamed), plain.drop(columns=["test", "rate"])
    )
    alone = defence.judged(TENDER, "two-step", MEALS, {}, blender(ENGLISH, SUNDANESE, rate=0.25))
    assert set(alone) == set(table) and keys(alone) == [
        ("two-step fresh", "en"),
        ("two-step fresh", "su"),
    ]
    pd.testing.assert_frame_equal(alone[list(table)], table.tail(8).reset_index(drop=True))
    given = defence.judged(None, "two-step", MEALS, {}, None, alone)
    pd.testing.assert_frame_equal(given, alone)  # attacks made before are not made again
    pd.testing.assert_frame_equal(
        defence.judged(
            TENDER, "two-step", MEALS, old, blender(ENGLISH, SUNDANESE, rate=0.25), alone
        ),
        table,
    )


def test_fresh_attacks_are_made_for_the_model_at_hand():
    """One model hangs on gurih and the other on empuk: each is attacked at its own word, and the
    old texts stay as given.
    """
    mixer = blender(ENGLISH, rate=0.25)
    old = {"en": ["tasty empuk lalu warung", "empuk dan tasty", "bland sekali", "warung ya"]}
    spicy, tender = (
        defence.judged(model, "x", MEALS, old, mixer)
        .groupby(["test", "group"])["perturbed"]
        .agg(list)
        for model in (SPICY, TENDER)
    )
    assert spicy[("x old", "en")] == tender[("x old", "en")] == old["en"]
    assert spicy[("x fresh", "en")] == [
        "tasty empuk lalu warung",
        "empuk dan tasty",
        "hambar sekali",
        "stall ya",
    ]
    assert tender[("x fresh", "en")] == [
        "gurih tender lalu warung",
        "tender dan gurih",
        "bland sekali",
        "stall ya",
    ]


def test_fresh_attacks_are_those_of_the_mixer():
    mixer = blender(ENGLISH, SUNDANESE, rate=0.6, similarity=Kept(), alpha=0.5, tries=2)
    table = defence.judged(TENDER, "x", MEALS, {}, mixer)
    expected = blend.attack_many(
        TENDER, MEALS, [ENGLISH, SUNDANESE], [0.6], SEED, similarity=Kept(), alpha=0.5, tries=2
    )
    pd.testing.assert_frame_equal(
        table.drop(columns=measure.KEY), expected.drop(columns=list(blend.OWN)), check_like=True
    )
    assert (expected["outcome"] == "mixed").any() and (expected["tries"] > 0).any()


# Figures


def keys(table: pd.DataFrame) -> list[tuple]:
    """The tests and groups of a table, in its order."""
    return table[["test", "group"]].drop_duplicates().to_records(index=False).tolist()


def named(rows: pd.DataFrame, language: str) -> pd.DataFrame:
    """Verdicts as rows of one language."""
    return rows.assign(rate=0.4, group=language)


PATTERNS = {
    ("undefended old", "en"): "xxxxxx..........xxww",
    ("undefended old", "jv"): "xxxx............xxrw",
    ("undefended fresh", "en"): "xxxxxx..........xxww",
    ("undefended fresh", "jv"): "xxxx..........xxxxww",
    ("code-mixed only old", "en"): "x.................ww",
    ("code-mixed only old", "jv"): "..................ww",
    ("code-mixed only fresh", "en"): "xx................ww",
    ("code-mixed only fresh", "jv"): "x.................ww",
    ("joint old", "en"): "....................",
    ("joint old", "jv"): "....................",
    ("joint fresh", "en"): "x.....x.............",
    ("joint fresh", "jv"): "xxxxx...............",
}
NAMES = ("undefended", "code-mixed only", "joint")
ROWS_OF_ALL = pd.concat(
    [named(verdicts(test, pattern), language) for (test, language), pattern in PATTERNS.items()],
    ignore_index=True,
)


@pytest.fixture(scope="module")
def rates() -> pd.DataFrame:
    return defence.metrics(ROWS_OF_ALL, SEED)


def failures(test: str, language: str) -> np.ndarray:
    return np.array([sign in "xw" for sign in PATTERNS[test, language]])


def test_pooled_rates_are_means_over_languages_with_intervals_from_texts(rates):
    found = rates
    for name in NAMES:
        for kind in ("old", "fresh"):
            row, both = (
                of(found, f"{name} {kind}", "failure_rate"),
                failures(f"{name} {kind}", "en") + 0 + failures(f"{name} {kind}", "jv"),
            )
            assert row["value"] == pytest.approx(both.sum() / 40) and row["n"] == 20
            drawn = plain_bootstrap(both, np.full(20, 2), 1)
            np.testing.assert_allclose(
                [row["ci_low"], row["ci_high"]], np.percentile(drawn, [2.5, 97.5]), atol=0.026
            )
    value, low, high = of(found, "undefended fresh", "failure_rate")[["value", "ci_low", "ci_high"]]
    assert (value, high - low > 0.35) == (20 / 40, True)
    assert (
        of(found, "joint fresh", "induced_rate")["value"]
        == of(found, "joint fresh", "failure_rate")["value"]
        == 7 / 40
    )
    assert of(found, "undefended old", "failure_rate")["value"] == pytest.approx(17 / 40)
    assert of(found, "undefended old", "induced_rate")["value"] == pytest.approx(14 / 40)
    assert of(found, "undefended old", "changed_share")["value"] == pytest.approx(15 / 40)


def test_two_languages_that_always_agree_say_no_more_than_one():
    """Rows drawn one by one would make the interval narrower by the root of the number of
    languages.
    """
    rows = pd.concat(
        [
            named(verdicts("joint fresh", "xx........" * 5), language)
            for language in ("en", "jv", "su", "ms")
        ],
        ignore_index=True,
    )
    four, one = (
        of(defence.metrics(some, SEED), "joint fresh", "failure_rate")
        for some in (rows, rows.head(50))
    )
    pd.testing.assert_series_equal(four, one)
    assert four["ci_high"] - four["ci_low"] > 0.18


def test_metrics_begin_with_the_rates_of_every_test_and_have_three_pooled_rates_per_test(rates):
    alone = measure.behaviour(ROWS_OF_ALL)
    pd.testing.assert_frame_equal(rates.head(len(alone)), alone)
    pooled = rates.tail(len(rates) - len(alone))
    assert pooled["test"].drop_duplicates().tolist() == [
        f"{name} {kind}" for name in NAMES for kind in ("old", "fresh")
    ]
    assert pooled["metric"].tolist() == ["failure_rate", "induced_rate", "changed_share"] * 6
    assert not rates.duplicated([*measure.KEY, "metric"]).any()


def test_metrics_are_those_of_the_saved_predictions_in_any_order_of_tests(rates, tmp_path):
    ROWS_OF_ALL.to_csv(tmp_path / "predictions.csv", index=False)
    pd.testing.assert_frame_equal(
        defence.metrics(pd.read_csv(tmp_path / "predictions.csv"), SEED), rates
    )
    parts = [part for _, part in ROWS_OF_ALL.groupby(["test", "group"])][::-1]
    turned = defence.metrics(pd.concat(parts, ignore_index=True), SEED)
    turned, rates = (
        table.sort_values(["test", "group", "metric"], ignore_index=True)
        for table in (turned, rates)
    )
    pd.testing.assert_frame_equal(turned, rates)


def test_the_papers_table_2_by_hand(rates):
    """Of 20 texts 18 are right at first, 18 after code-mixed tuning, 20 after joint tuning; 12, 4
    and 6 fall in some language.
    """
    table = defence.table_2(ROWS_OF_ALL, rates)
    assert list(table) == [
        "model",
        "original",
        "old attacks",
        "fresh attacks",
        "p original",
        "p fresh",
    ]
    assert table["model"].tolist() == ["undefended", "code-mixed only", "joint"]
    assert table["original"].tolist() == [
        "90.0% (69.9 to 97.2)",
        "90.0% (69.9 to 97.2)",
        "100.0% (83.9 to 100.0)",
    ]
    assert table["old attacks"].str.split(" ").str[0].tolist() == ["57.5%", "87.5%", "100.0%"]
    assert table["fresh attacks"].str.split(" ").str[0].tolist() == ["50.0%", "82.5%", "82.5%"]
    low, high = 1 - of(rates, "joint fresh", "failure_rate")[["ci_high", "ci_low"]].astype(float)
    assert (
        table.loc[2, "fresh attacks"] == f"82.5% ({100 * low:.1f} to {100 * high:.1f})"
        and low < 0.825 < high
    )
    assert table.loc[0, ["p original", "p fresh"]].isna().all()
    assert table["p original"].tolist()[1:] == [1, pytest.approx(2 * binomtest(2, 2).pvalue)]
    fell = {
        name: failures(f"{name} fresh", "en") | failures(f"{name} fresh", "jv") for name in NAMES
    }
    assert {name: some.sum() for name, some in fell.items()} == {
        "undefended": 12,
        "code-mixed only": 4,
        "joint": 6,
    }
    ps = []
    for name in ("code-mixed only", "joint"):
        worse, better = (
            (fell[name] & ~fell["undefended"]).sum(),
            (~fell[name] & fell["undefended"]).sum(),
        )
        ps.append(binomtest(int(worse), int(worse + better)).pvalue)
    assert ps[0] < ps[1] and table["p fresh"].tolist()[1:] == pytest.approx([2 * ps[0], ps[1]])


def test_the_texts_of_table_2_pair_up_by_id(rates):
    """Whatever the order in which a model's rows stand."""
    turned = pd.concat(
        [
            part.iloc[::-1] if name.startswith("joint") else part
            for name, part in ROWS_OF_ALL.groupby("test", sort=False)
        ]
    )
    pd.testing.assert_frame_equal(
        defence.table_2(turned, rates), defence.table_2(ROWS_OF_ALL, rates)
    )


def test_accuracies_for_the_chart_and_where_each_tuning_stands(rates):
    found = rates.copy()
    table = defence.accuracies(found)
    assert table[["group", "series"]].values.tolist() == [
        [name, f"{kind} attacks"] for name in NAMES for kind in ("old", "fresh")
    ]
    assert table["value"].tolist() == pytest.approx([0.575, 0.5, 0.875, 0.825, 1, 0.825])
    assert ((table["ci_low"] <= table["value"]) & (table["value"] <= table["ci_high"])).all() and (
        table["n"] == 20
    ).all()
    rate = of(found, "code-mixed only fresh", "failure_rate")
    assert (
        table.loc[3, ["ci_low", "ci_high"]].tolist() == [1 - rate["ci_high"], 1 - rate["ci_low"]]
        and rate["ci_low"] < rate["ci_high"]
    )
    assert defence.standing(found).to_dict() == pytest.approx(
        {"undefended": 0.5, "code-mixed only": 0.825, "joint": 0.825}
    )
    assert defence.standing(found, "old").to_dict() == pytest.approx(
        {"undefended": 0.575, "code-mixed only": 0.875, "joint": 1.0}
    )
    pd.testing.assert_frame_equal(found, rates)


# The whole story


def test_a_model_that_answers_by_one_word_is_defeated_and_joint_tuning_mends_it(tmp_path):
    weak, mixer = by_word(), blender(KEYWORDS, rate=0.2)
    mixed = {
        "train": mixer.attacked(weak, TRAIN),
        "valid": mixer.attacked(weak, VALID),
        "random": mixer.randomly(TRAIN),
    }
    mixed["random valid"] = mixer.randomly(VALID)
    assert mixed["train"].attrs["source"]["mixed"] == mixed["valid"].attrs["source"]["mixed"] == 1
    first = defence.judged(weak, "undefended", TEST, {}, mixer)
    old = {"en": list(first["perturbed"])}
    tuned, _ = defence.tune(make_job(tmp_path, "tfidf"), "joint", None, mixed, TRAIN, SETTINGS)
    rows = pd.concat(
        [
            defence.judged(model, name, TEST, old, mixer)
            for name, model in (("undefended", weak), ("joint", tuned))
        ],
        ignore_index=True,
    )
    found = defence.metrics(rows, SEED)
    assert defence.standing(found, "old").to_dict() == {"undefended": 0, "joint": 1}
    assert (
        defence.standing(found)["undefended"] == 0
        and of(found, "joint old", "clean_error_rate", "en")["value"] == 0
    )
    table = defence.table_2(rows, found).set_index("model")
    assert table["old attacks"].to_dict() == {
        "undefended": "0.0% (0.0 to 0.0)",
        "joint": "100.0% (100.0 to 100.0)",
    }
    assert table.loc["joint", "p original"] == 1 and table.loc["joint", "p fresh"] < 0.05
    lost = " ".join(old["en"]).split()
    assert "great" in lost and not {"mantap", "parah"} & set(lost)


def test_random_mixing_is_set_against_an_attacked_tuning_text_by_text():
    """Of four texts random mixing loses one and joint two, one of them in another language only."""
    fell = {"random": "x... x...", "joint": "xx.. x..."}
    rows = pd.DataFrame(
        [
            (f"{name} fresh", language, example, mark == "x")
            for name, marks in fell.items()
            for language, part in zip(("en", "jv"), marks.split(), strict=True)
            for example, mark in zip("abcd", part, strict=True)
        ],
        columns=["test", "group", "id", "failure"],
    )
    gap, p = defence.against_random(rows, "joint", SEED)
    assert (gap.value, gap.n, p) == (0.25, 4, 1.0)
    assert gap.low <= 0.25 <= gap.high


def test_gains_and_their_verdicts_by_hand():
    """Under fresh attacks in any language 12 of 20 texts fall to the undefended model, 4 of these
    to code-mixed tuning and 2 to random, and 5 of these and another one to joint tuning.
    """
    mixed = [
        named(verdicts(f"random {kind}", "xx.................."), language)
        for kind in ("old", "fresh")
        for language in ("en", "jv")
    ]
    rows = pd.concat([ROWS_OF_ALL, *mixed], ignore_index=True)
    table = defence.findings(rows, defence.metrics(rows, SEED), SEED)
    said = {question: (one.value, unit, verdict) for question, one, unit, verdict in table}
    none, more = "no difference shown", "more"
    expected = {
        "ordinary texts: code-mixed only": (0.0, none),
        "ordinary texts: joint": (0.1, none),
        "ordinary texts: random": (0.1, none),
        "fresh attacks: code-mixed only": (0.325, more),
        "fresh attacks: joint": (0.325, none),  # p = 0.07
        "fresh attacks: random": (0.4, more),
        "old attacks: code-mixed only": (0.3, "not tested"),
        "old attacks: joint": (0.425, "not tested"),
        "old attacks: random": (0.325, "not tested"),
        "texts that stand fresh attacks in every language: random beyond code-mixed only": (
            0.1,
            none,
        ),
    }
    assert list(said) == list(expected)
    for question, (value, verdict) in expected.items():
        assert said[question] == (pytest.approx(value), "points", verdict), question
    assert table[-1][1].low < 0.1 < table[-1][1].high


def test_a_blend_says_the_most_important_words_of_a_text_first():
    texts = ["parah sekali , mantap", "", "parah , parah"]
    rows = frame(texts, ["positive", "positive", "negative"])
    first, _, twice = importance(by_word(), texts, list(rows["label"]))
    assert first.argmax() == 2 and twice[0] == twice[1]
    assert blender(ENGLISH).heaviest(by_word(), rows, top=2) == [
        f"mantap {first[2]:.2f}, sekali {first[1]:.2f}",
        "",
        f"parah {twice[0]:.2f}, parah {twice[1]:.2f}",
    ]


def test_tests_are_the_attacks_at_all_rates_and_the_control_at_the_main_one():
    rows = blender(ENGLISH, SUNDANESE, rate=0.4).tests(TENDER, MEALS, "0.2, 0.8, 0")
    named = rows[["test", "rate"]].drop_duplicates().to_records(index=False).tolist()
    assert named == [
        *((language, rate) for language in ("en", "su") for rate in (0.2, 0.4, 0.8)),
        ("en random", 0.4),
        ("su random", 0.4),
    ]
    rates = blender(ENGLISH, rate=0.0).tests(TENDER, MEALS, "0.8, 0.2")
    assert set(rates.query("test == 'en random'")["rate"]) == {0.2}


@pytest.mark.parametrize("spared", [False, True])
def test_a_named_blend_is_what_the_parameters_mean(spared):
    how = {"rate": 0.4, "seed": 1, "alpha": 0.7, "stop_words": spared}
    mixer = mixing.named("jv, en", "lexicon", "characters", "embedded", None, **how)
    assert [one.language for one in mixer.translators] == ["jv", "en"]
    assert mixer.fitted_on.attrs["source"]["split"] == "train"
    assert (mixer.rate, mixer.seed, mixer.options["alpha"]) == (0.4, 1, 0.7)
    assert ("yang" in mixer.options.get("stop_words", ())) is spared
    keys = {one.test: one.key for one in mixer.instruments}
    assert keys == {
        "jv": "code_mixing:jv",
        "en": "code_mixing:en",
        "jv random": "code_mixing:jv",
        "en random": "code_mixing:en",
        "tweets en": "code_mixing:en",
    }


def test_coverage_counts_repeated_words():
    table = blender(KEYWORDS).coverage(["mantap , mantap", "parah kata"])
    assert table.loc["en", ["words", "translated", "missing"]].tolist() == [4, 3, 1]
