"""Pairs of sentences of our own, Indonesian and English, as a small task of inference."""

import pandas as pd

LABELS = ["entailment", "neutral", "contradiction"]
SUBJECTS = [
    "Paman",
    "Bibi",
    "Petani itu",
    "Guru kami",
    "Tetangga sebelah",
    "Adik saya",
    "Sopir truk",
    "Penjaga kebun",
    "Nelayan tua",
    "Perawat itu",
]
ACTS = [
    "menjual kambing",
    "membeli perahu",
    "menanam cabai",
    "memasak gulai",
    "mengecat pagar",
    "menulis surat",
]
PLACES = ["di pasar", "di tepi sungai", "di belakang rumah", "di kampung sebelah"]


def frame(split: str = "test", subjects: slice = slice(None)) -> pd.DataFrame:
    """`id, text, text_pair, label`: the second sentence drops the place, adds a reason, or denies
    the first.
    """
    rows = []
    for who, subject in enumerate(SUBJECTS[subjects]):
        for what, act in enumerate(ACTS):
            premise = f"{subject} {act} {PLACES[(who + what) % 4]} kemarin ."
            rows.append((premise, f"{subject} {act} .", "entailment"))
            rows.append((premise, f"{subject} {act} karena butuh uang .", "neutral"))
            rows.append((premise, f"{subject} tidak pernah {act} .", "contradiction"))
    table = pd.DataFrame(rows, columns=["text", "text_pair", "label"])
    table.insert(0, "id", [f"own-{split}-{number:05d}" for number in range(1, len(table) + 1)])
    table.attrs["source"] = {
        "name": "own",
        "split": split,
        "sha256": split,
        "rows": len(table),
        "publish_texts": True,
    }
    return table


ENGLISH = [
    ("The ferry left before noon.", "The ferry left in the evening.", "contradiction"),
    ("Two goats sleep under the mango tree.", "Some animals are asleep.", "entailment"),
    ("My aunt repairs radios.", "My aunt studied in Bandung.", "neutral"),
    ("Rain fell all night on the tin roof.", "It rained.", "entailment"),
    ("Nobody opened the shop today.", "The shop was open all day.", "contradiction"),
    ("The boy carries a red kite.", "The kite was a present.", "neutral"),
]
