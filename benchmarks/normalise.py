"""What the normaliser puts right and wrong, with and without downloaded dictionaries, and how fast.

    python benchmarks/normalise.py quality [--dictionaries kamus_alay,indo_collex,hate_speech]
    python benchmarks/normalise.py speed [--rounds 3]
    python benchmarks/normalise.py natural [--texts FILE]

`quality` prints a column of the texts as written, one of them normalised without dictionaries, one
with each dictionary, and one with all: BLEU (4-grams, one reference) and word accuracy (1 - word
error rate) of STIF-Indonesia's informal test sentences against the formal ones; the pairs of
Indo-Collex's test that come out right, by type; the words of edited texts that are right and
change, among words that edited writing has and that our lists do not call informal.

`speed` times SmSA's training texts in a fresh normaliser and once more, as they are and with slips
(`typos` at a rate of 0.3 and in every word, realistic noise at 0.1).

`natural` prints what a reader counted in 100 texts of social media that others flagged for typos or
slang (natural_noise.csv, whose rows are those of the file): words changed rightly, changed wrongly,
of these the ones that were right before, and words missed; shares with 95% intervals over texts.
With the FILE data/noise_type_annotation.xlsx of supryzhu/Indonesia-Chinese-MTRobustEval (MIT) it
prints the texts of these rows beside what they become (openpyxl has to be installed).
"""

import argparse
import csv
import random
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pandas as pd
from nltk.translate.bleu_score import corpus_bleu
from rapidfuzz.distance import Levenshtein

from tahanuji import data, downloads, measure, registers, words
from tahanuji.harden import vocabulary
from tahanuji.harden.normalise import Normaliser, normaliser
from tahanuji.instrument import instrument

CLEAN = (("embedded", "text", "embedded corpus"), ("indonli", "text", "IndoNLI's premises"))
NOISE = (("typos", 0.3), ("typos", 1.0), ("realistic_noise", 0.1))

NATURAL = Path(__file__).with_name("natural_noise.csv")


def rewriting(read: Callable) -> Iterator[tuple[str, str]]:
    """BLEU and word accuracy on STIF's test pairs."""
    pairs = registers.load("stif")
    right = [text.split() for text in pairs["formal"]]
    made = [read(text).split() for text in pairs["informal"]]
    wrong = sum(map(Levenshtein.distance, right, made))
    yield "STIF, BLEU", f"{100 * corpus_bleu([[one] for one in right], made):.1f}"
    yield "STIF, words right", f"{1 - wrong / sum(map(len, right)):.1%}"


def colloquial(read: Callable) -> Iterator[tuple[str, str]]:
    """The pairs of Indo-Collex's test that come out right, of each type and of all."""
    with downloads.locate("indo_collex/test").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for kind in sorted({row["transformation"] for row in rows}) + [""]:
        own = [row for row in rows if kind in ("", row["transformation"])]
        right = sum(read(row["transformed"]) == row["original-for"] for row in own)
        name = f"Indo-Collex, {kind or 'all types'}"
        yield name, f"{right} of {len(own)} ({right / len(own):.0%})"


def kept(read: Callable) -> Iterator[tuple[str, str]]:
    """The right words of edited texts that change."""
    known, forms = vocabulary.edited(), vocabulary.informal()
    for name, column, title in CLEAN:
        texts = {text for split in data.SPLITS for text in data.load(name, split)[column]}
        seen = changed = 0
        for token in (token for text in sorted(texts) for token in text.split()):
            keys = [words.key(word.text) for word in words.words(token)]
            if keys and all(key in known and key not in forms for key in keys):
                seen, changed = seen + 1, changed + (read(token) != token)
        yield f"right words changed, {title}", f"{changed / seen:.2%} of {seen:,}"


def quality(dictionaries: list[str]) -> None:
    """Print the table."""
    used = {"without": ()} | {name: (name,) for name in dictionaries}
    used |= {"all": tuple(dictionaries)}
    columns = {"as written": str}
    columns |= {title: normaliser(None, names).text for title, names in used.items()}
    told = [
        dict(line for part in (rewriting, colloquial, kept) for line in part(read))
        for read in columns.values()
    ]
    print(f"| measure | {' | '.join(columns)} |\n|---|{'---|' * len(columns)}")
    for name in told[0]:
        print(f"| {name} | {' | '.join(column[name] for column in told)} |")


def speed(rounds: int) -> None:
    """Print texts a second of the processor."""
    frame = data.load("smsa", "train")
    clean = frame["text"].tolist()
    sets = {"as they are": clean}
    for name, rate in NOISE:
        made = instrument(name, rate=rate).apply(frame, 1)
        sets[f"{name}, {rate}"] = [new or old for new, old in zip(made, clean, strict=True)]
    print("| texts | new tokens | cold, texts/s | warm, texts/s |\n|---|---|---|---|")
    for name, texts in sets.items():
        cold, warm = [], []
        for _ in range(rounds):
            fresh = Normaliser()
            for times in (cold, warm):
                began = time.process_time()
                for text in texts:
                    fresh.text(text)
                times.append(len(texts) / (time.process_time() - began))
        print(f"| {name} | {len(fresh):,} | {max(cold):,.0f} | {max(warm):,.0f} |", flush=True)


def natural() -> Iterator[tuple[str, measure.Estimate]]:
    """Shares of what a reader counted in texts as people wrote them."""
    read = pd.read_csv(NATURAL)
    changed = read["right"] + read["wrong"]
    wanted = changed - read["spoilt"] + read["missed"]
    yield "changed rightly, of the words changed", measure.ratio(read["right"], changed, seed=1)
    yield "changed rightly, of those to change", measure.ratio(read["right"], wanted, seed=1)


def drawn(flagged: Iterable[int]) -> list[int]:
    """The rows that were read, of those flagged for typos or slang."""
    return sorted(random.Random(1).sample(sorted(flagged), 100))


def sheet(path: str) -> None:
    """Print the drawn texts as they are and normalised."""
    table = pd.read_excel(path).rename(index=lambda number: number + 2)
    flagged = table.index[table[["Spell/Typo Error", "Slang"]].notna().any(axis=1)]
    for row, text in table["Indonesia"].loc[drawn(flagged)].items():
        print(f"{row}\n  {text}\n  {normaliser().text(text)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("quality", "speed", "natural"))
    parser.add_argument("--dictionaries", default="kamus_alay,indo_collex,hate_speech")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", default="")
    given = parser.parse_args()
    if given.what == "quality":
        quality(given.dictionaries.split(","))
    elif given.what == "speed":
        speed(given.rounds)
    elif given.texts:
        sheet(given.texts)
    else:
        print(*(f"{name}: {share:%}" for name, share in natural()), sep="\n")


if __name__ == "__main__":
    main()
