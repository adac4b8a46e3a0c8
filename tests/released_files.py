"""What the files that the documents' authors released give: numbers only, no text leaves here."""

import ast
import csv
import os
import re
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import behaviour, data, downloads, paths

__all__ = [
    "FILES",
    "SPLITS",
    "released_classes",
    "released_example",
    "released_failures",
    "released_formality",
    "released_labels",
    "released_rows",
    "released_smsa",
    "released_survey",
    "released_tags",
    "released_with",
]
COMMIT = "ce728f6926a36174b9923dfe49d6a6839b6e9bb7"  # of IndoNLP/indonlu, as in data/registry.yaml
FOLDERS = {
    "EmoT": "emot_emotion-twitter",
    "SmSA": "smsa_doc-sentiment-prosa",
    "CASA": "casa_absa-prosa",
    "HoASA": "hoasa_absa-airy",
    "WReTE": "wrete_entailment-ui",
    "POSP": "posp_pos-prosa",
    "BaPOS": "bapos_pos-idn",
    "TermA": "terma_term-extraction-airy",
    "KEPS": "keps_keyword-extraction-prosa",
    "NERGrit": "nergrit_ner-grit",
    "NERP": "nerp_ner-prosa",
    "FacQA": "facqa_qa-factoid-itb",
}
SPLITS = ["Train", "Valid", "Test"]
TEXTS = ["tweet", "sentence", "review", "sent_A", "sent_B", "category"]
DIRECTED = {"insertion_negative": "negative", "insertion_positive": "positive"}
EXAMPLES = paths.ROOT / "tests" / "published" / "examples.csv"
FILES = {
    "1 insertion of a negative sentence": "insertion_negative",
    "2 insertion of a positive sentence": "insertion_positive",
    "3 negation: nggak for tidak": "nggak",
    "4 negation: gak for tidak": "gak",
    "5 typos": "typos",
    "6 formality: high": "formality_high",
    "7 formality: medium": "formality_medium",
    "8 formality: low": "formality_low",
}


# SmSA and IndoNLU's tasks


@lru_cache
def released_smsa(split: str) -> pd.DataFrame:
    """A split of SmSA."""
    return data.load("smsa", split)


@lru_cache
def words() -> list[set[str]]:
    return [set(re.findall(r"\w+", text.lower())) for text in released_smsa("test")["text"]]


def released_with(word: str) -> int:
    """How many test texts of SmSA have a word."""
    return sum(word in found for found in words())


def tagged(text: str) -> list[list[str]]:
    """The tags of each sentence of a file with one `word<tab>tag` a line."""
    blocks = [block for block in re.split(r"\n\s*\n", text.strip("\n")) if block.strip()]
    return [[line.split("\t")[-1].strip() for line in block.split("\n")] for block in blocks]


@lru_cache
def released_labels(task: str, split: str) -> list[list]:
    """The labels of every row of a split of one of IndoNLU's tasks."""
    mirror = Path(os.environ["TAHAN_DATA_MIRROR"])
    folder = mirror / "IndoNLP" / "indonlu" / COMMIT / "dataset" / FOLDERS[task]
    (path,) = folder.glob(f"{split.lower()}_preprocess.?[sx][vt]")
    if path.suffix == ".txt":
        return tagged(path.read_text(encoding="utf-8"))
    if path.suffix == ".tsv":
        frame = pd.read_csv(path, sep="\t", header=None, quoting=csv.QUOTE_NONE)
        return frame.iloc[:, 1:].to_numpy().tolist()
    frame = pd.read_csv(path)
    if task == "FacQA":
        return [ast.literal_eval(cell) for cell in frame["seq_label"]]
    return frame.drop(columns=TEXTS, errors="ignore").to_numpy().tolist()


def released_classes(task: str) -> set:
    """The labels that the splits of a task have."""
    return {label for split in SPLITS for row in released_labels(task, split) for label in row}


def released_tags(task: str, prefix: str) -> set[str]:
    """The tags of a task that begin with B- or I-."""
    return {tag.removeprefix(prefix) for tag in released_classes(task) if tag.startswith(prefix)}


# Viannisa (2025)


@lru_cache
def released_rows(file: str) -> pd.DataFrame:
    """Text, gold and predicted label of a published result file, by line; `failure` as the test has
    it.
    """
    table = data.read_table(data.locate(f"viannisa/{file}"))
    table = table.rename(
        columns={"sentence": "text", "gold_label": "gold", "predicted_label": "predicted"}
    )[["text", "gold", "predicted"]]
    table[["gold", "predicted"]] = table[["gold", "predicted"]].replace(data.THESIS_CODES)
    directed = DIRECTED.get(file.rpartition("_")[0])
    accepts = behaviour.directed(directed) if directed else behaviour.invariant
    one_hot = np.eye(3)[table["predicted"].map(data.LABELS.index)]
    frame = pd.DataFrame({"id": table.index, "label": table["gold"]})
    judged = behaviour.judged(frame, one_hot, one_hot, data.LABELS, accepts)
    return table.assign(failure=list(judged["failure"]))


def released_failures(test: str, model: str) -> pd.DataFrame:
    """The rows of a test of Table 4.2 that a model fails."""
    return released_rows(f"{FILES[test]}_{model.lower()}").query("failure")


def released_example(table: str, row: str, file: str | None = None) -> dict:
    """Gold label, predicted label and match of a printed example in the published file, or in
    another file at the same line; `Appended Sentence`: how often the added sentence stands there.
    """
    lines = pd.read_csv(EXAMPLES).set_index(["table", "row"])
    named, line = lines.loc[(table, row)]
    example = released_rows(file or named).loc[line]
    times = example["text"].count("saya benci matematika")
    return {
        "Gold label": data.LABELS.index(example["gold"]),
        "Predicted label": data.LABELS.index(example["predicted"]),
        "Label match": int(not example["failure"]),
        "Appended Sentence": "once" if times == 1 else f"{times} times",
    }


def released_survey() -> pd.Series:
    """The answers of the survey to whether one takes part."""
    return data.read_table(data.locate("viannisa/survey")).iloc[:, 1]


def released_formality() -> dict[str, pd.DataFrame]:
    """The three formality sets by level."""
    levels = downloads.registry()["formality"]["thesis"]["levels"]
    return {
        level: data.read_labelled(data.locate(name), data.LABELS) for level, name in levels.items()
    }
