"""WordNets small enough to read, for tests: Wordnet Bahasa's synsets, and Princeton's files."""

import nltk
import pytest

from tahanuji.perturb import registry, wordnet_en, wordnets

BAHASA = {
    "1-n": ["makanan", "hidangan", "masakan", "sajian"],
    "2-a": ["enak", "lezat", "gurih", "sedap"],
    "3-n": ["restoran", "rumah makan"],
    "4-a": ["bersih", "rapi"],
    "5-a": ["nyaman", "sejuk", "asri"],
    "6-n": ["enak", "harga"],
    "7-v": ["datang", "tiba", "berkunjung"],
    "8-n": ["uang", "duit"],
    "9-a": ["bersih", "presiden"],
    "10-r": ["tidak", "bukan"],
    "11-v": ["beli", "membeli"],
    "12-a": ["cantik", "indah", "bagus"],
}
# Word, part of speech and count of every lemma of a synset: a WordNet small enough to read.
PRINCETON = {
    "noun": [
        {"movie": 9, "film": 20, "moving_picture": 1},
        {"story": 8, "tale": 3},
        {"city": 12, "metropolis": 2},
        {"man": 30, "adult_male": 1},
        {"car": 9, "auto": 2},
        {"apple": 3, "orchard_fruit": 0, "dessert_fruit": 0},
        {"pie": 2, "apricot_cake": 0},
        {"Paris": 0, "city_of_light": 0},
        {"hour": 4, "unit": 1},
    ],
    "verb": [
        {"stop": 6, "halt": 2, "quit": 1},
        {"try": 9, "attempt": 5},
        {"love": 7, "enjoy": 4},
        {"plan": 3, "design": 2},
        {"buy": 8, "purchase": 3, "lap_up": 1},
    ],
    "adj": [{"great": 3, "outstanding": 3}, {"funny": 5, "comical": 1}, {"smart": 4, "bright": 3}],
    "adv": [{"quickly": 6, "rapidly": 4}],
}
IRREGULAR = {
    "noun": ["men man"],
    "verb": [
        "stopped stop",
        "stopping stop",
        "bought buy",
        "planned plan",
        "planning plan",
        "quitted quit",
        "quitting quit",
    ],
    "adj": [],
    "adv": [],
}
SPLIT = {"noun": ("n", 1, 6), "verb": ("v", 2, 30), "adj": ("a", 3, 0), "adv": ("r", 4, 2)}


def database(folder):
    """Write PRINCETON in the format of WordNet's database files."""
    folder.mkdir(parents=True)
    senses = []
    for name, (kind, number, file) in SPLIT.items():
        text = "  1 This line is the licence in the real files  \n"
        for synset in PRINCETON[name]:
            lemmas = [f"{lemma}(p)" if lemma == "funny" else lemma for lemma in synset]
            senses += [
                f"{lemma.lower()}%{number}:{file:02d}:00:: {len(text):08d} 1 {count}\n"
                for lemma, count in synset.items()
            ]
            members = " ".join(f"{lemma} 0" for lemma in lemmas)
            place = f"{len(text):08d} {file:02d} {kind} {len(synset):02x}"
            text += f'{place} {members} 000 | a gloss; "with | a bar"  \n'
        (folder / f"data.{name}").write_text(text, encoding="utf-8")
        (folder / f"{name}.exc").write_text(
            "".join(f"{line}\n" for line in IRREGULAR[name]), encoding="utf-8"
        )
    (folder / "index.sense").write_text("".join(sorted(senses)), encoding="utf-8")


@pytest.fixture(scope="session")
def princeton(tmp_path_factory):
    """Princeton's WordNet as read from small files in the right place."""
    root = tmp_path_factory.mktemp("nltk")
    database(root / "corpora" / "wordnet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nltk.data, "path", [str(root)])
        return wordnet_en.princeton.__wrapped__()


@pytest.fixture
def small_wordnets(monkeypatch, princeton):
    """Both WordNets small, and nothing to download."""
    bahasa = wordnets.Bahasa(BAHASA, {("2-a", "enak"): 5, ("2-a", "sedap"): 3, ("6-n", "enak"): 1})
    monkeypatch.setattr(wordnets, "bahasa", lambda: bahasa)
    monkeypatch.setattr(wordnet_en, "princeton", lambda: princeton)
    monkeypatch.setattr(registry.downloads, "locate", lambda name: name)
