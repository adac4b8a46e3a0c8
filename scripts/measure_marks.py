"""Count how Indonesians write what they do not edit, and write data/lexicons/noise_mixture_id.csv
(figures only).

python scripts/measure_marks.py [--output noise_mixture_id.csv]

Natural texts are the 1,001 of social media that annotators flagged for noise
(github.com/supryzhu/Indonesia-Chinese-MTRobustEval, fetched as data/registry.yaml says); edited
ones are the test texts of the embedded corpus. A word bears at most one mark of spelling or
language: those of the lexicons of short forms, misspellings and variants of tidak; a letter three
times or a last one doubled (lengthening); the figure 2 of a reduplication; a slip, one edit away
from a word of six letters and more that has the same first letter, and itself no word of Wordnet
Bahasa, of the word vectors or of a lexicon, with or without affixes; or a word that the lexicon of
code-mixing translates into and Indonesian lacks (one of several languages counts for the first). Of
the 45 commonest slips about two thirds are names and rare words: the share is an upper bound, and
edited texts are counted beside it. Counted apart: words of three letters and more in capitals,
links and mentions, and of texts those that end without a mark or repeat one.

Shares have 95% percentile bootstrap intervals over texts.
"""

import argparse
import re
import xml.etree.ElementTree as ET
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
from rapidfuzz.distance import OSA

from tahanuji import data, downloads, marks, words
from tahanuji.codemix import senses
from tahanuji.lexicons import LEXICONS, body, rows, values
from tahanuji.perturb import contraction, noise_tables, synonyms, vectors, wordnets

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
FLAGS = {"typo": "B", "spoken": "D", "slang": "E", "code-switch": "H"}
FOREIGN = {"en": "english", "jv": "javanese", "su": "sundanese", "ms": "malay"}
MARKS = (*marks.MADE_BY,)
_NO_WORD = re.compile("|".join(pattern for pattern in words.NO_WORDS[:3]))
_REPEATED = re.compile(r"([.!?,])\s?\1")
_LONG = re.compile(r"(\w)\1\1|(\w)\2$")
_AFFIXES = re.compile(
    r"^(?:ber|di|ke|me[mn]?g?|per?|se|ter|nge?|ny)|(?:nya|ku|mu|lah|kah|an|kan|in|i)$"
)


def texts() -> Iterator[tuple[str, set[str]]]:
    """The natural texts with the names of their flags."""
    with zipfile.ZipFile(downloads.locate("mtrobusteval/noise")) as book:
        strings = [
            "".join(part.text or "" for part in item.iter(f"{SHEET}t"))
            for item in ET.fromstring(book.read("xl/sharedStrings.xml"))
        ]
        sheet = ET.fromstring(book.read("xl/worksheets/sheet1.xml"))
    for line in list(sheet.iter(f"{SHEET}row"))[1:]:
        cells = {cell.get("r", "")[:1]: cell for cell in line if cell.find(f"{SHEET}v") is not None}
        if "A" in cells:
            text = strings[int(cells["A"].findtext(f"{SHEET}v"))]
            yield text, {name for name, column in FLAGS.items() if column in cells}


def _foreign(language: str) -> set[str]:
    """The words that the lexicon of code-mixing writes and Indonesian lacks."""
    held = senses.lexicon(language).senses.values()
    parts = {part for several in held for sense in several for part in sense.target.split()}
    plain = set(vectors.read(wordnets.VECTORS).words) | synonyms.function_words("id")
    return parts - plain - wordnets.bahasa().of.keys() - {"_"}


@cache
def regional() -> dict[str, str]:
    """The marks of words of the other languages."""
    others = [(code, name) for code, name in FOREIGN.items() if code != "en"]
    return {word: f"{name} word" for code, name in reversed(others) for word in _foreign(code)}


@cache
def attested() -> dict[str, str]:
    """The marks of words that stand in the lexicons."""
    table = dict.fromkeys(_foreign("en"), "english word")
    header = ("word", "misspelling", "kind", "lists", "texts")
    for _, (_, wrong, kind, *_) in body(LEXICONS / "misspellings_id.csv", header):
        table[wrong] = "slip" if kind == "slip" else "misspelling"
    for _, (_, short, kind, _) in body(LEXICONS / "contractions_id.csv", contraction.HEADER):
        if kind != "clitic" and " " not in short:
            table[short] = kind
    return table | dict.fromkeys(values("id", "variant of tidak"), "negation")


@cache
def vocabulary() -> frozenset[str]:
    """Words without a mark."""
    known = set(vectors.read(wordnets.VECTORS).words) | wordnets.bahasa().of.keys()
    known |= synonyms.function_words("id")
    for name, columns in (("stop_words", 1), ("sentiment_words", 4), ("synonyms_id", 4)):
        known |= {row[0] for _, row in rows(LEXICONS / f"{name}.csv", columns)}
    header = ("word", "misspelling", "kind", "lists", "texts")
    known |= {right for _, (right, *_) in body(LEXICONS / "misspellings_id.csv", header)}
    return frozenset(known - attested().keys())


@cache
def mark(word: str) -> str:
    """The mark of a lower-case word, an empty string for none."""
    plain = "" if word in vocabulary() else regional().get(word, "")
    return _spelt(word) or plain


def _spelt(word: str) -> str:
    """The mark of spelling, or of an English word."""
    if word in attested():
        return attested()[word]
    if word[-1] == "2":
        return "figure two"
    if word in vocabulary() or not word.isalpha():
        return ""
    shortened = re.sub(r"(\w)\1+", r"\1", word)
    if _LONG.search(word) and (shortened in vocabulary() or shortened in attested()):
        return "lengthening"
    if not set(word) & set("aeiou") and not re.fullmatch("[wk]+|[hm]+|[xz]+", word):
        return "abbreviation"
    stem = _AFFIXES.sub("", word)
    if len(word) < 6 or stem in vocabulary() or _AFFIXES.sub("", stem) in vocabulary():
        return ""
    near = (right for right in vocabulary() if right[0] == word[0] and len(right) > 4)
    return "slip" if any(OSA.distance(word, right, score_cutoff=1) == 1 for right in near) else ""


def counted(text: str) -> list[int]:
    """How often each mark stands in a text, then its words, then 1 for the text."""
    hits = words.words(text)
    numbers = Counter(mark(words.key(word.text)) for word in hits)
    numbers[marks.NOISE] = sum(numbers[name] for name in noise_tables.MARKS)
    numbers["capitals"] = sum(len(word.text) > 2 and word.text.isupper() for word in hits)
    numbers["link or mention"] = len(_NO_WORD.findall(text))
    numbers["open end"] = int(text.rstrip()[-1:].isalnum())
    numbers["repeated mark"] = int(bool(_REPEATED.search(text)))
    return [*(numbers[name] for name in MARKS), len(hits), 1]


def main() -> None:
    """Count and write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--output", type=Path, default=LEXICONS / "noise_mixture_id.csv")
    output, natural = parser.parse_args().output, list(texts())
    groups = {"all": [text for text, _ in natural]}
    groups |= {name: [text for text, flags in natural if name in flags] for name in FLAGS}
    groups["edited"] = data.load("embedded", "test")["text"].tolist()
    parts = []
    for name, group in groups.items():
        numbers = pd.DataFrame(map(counted, group), columns=[*MARKS, "words", "texts"])
        parts.append(marks.shares(numbers, name))
    pd.concat(parts).round(4).to_csv(output, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
