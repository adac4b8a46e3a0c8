"""What the normaliser puts right and wrong, with and without downloaded dictionaries, and how fast.

    python benchmarks/normalise.py quality [--dictionaries kamus_alay,indo_collex,hate_speech]
    python benchmarks/normalise.py speed [--rounds 3]

`quality` prints a column of the texts as written, one of them normalised without dictionaries, one
with each dictionary, and one with all: BLEU (4-grams, one reference) and word accuracy (1 - word
error rate) of STIF-Indonesia's informal test sentences against the formal ones; the pairs of
Indo-Collex's test that come out right, by type; the words of edited texts that are right and
change, among words that edited writing has and that our lists do not call informal.

`speed` times SmSA's training texts in a fresh normaliser and once more, as they are and with slips
(`typos` at a rate of 0.3 and in every word, realistic noise at 0.1).
"""

import argparse
import csv
import time
from collections.abc import Callable, Iterator

from nltk.translate.bleu_score import corpus_bleu
from rapidfuzz.distance import Levenshtein

from tahanuji import data, downloads, registers, words
from tahanuji.harden import vocabulary
from tahanuji.harden.normalise import Normaliser, normaliser
from tahanuji.instrument import instrument

CLEAN = (("embedded", "text", "embedded corpus"), ("indonli", "text", "IndoNLI's premises"))
NOISE = (("typos", 0.3), ("typos", 1.0), ("realistic_noise", 0.1))


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("quality", "speed"))
    parser.add_argument("--dictionaries", default="kamus_alay,indo_collex,hate_speech")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.what == "quality":
        quality(given.dictionaries.split(","))
    else:
        speed(given.rounds)


if __name__ == "__main__":
    main()
