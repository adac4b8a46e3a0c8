"""Count the words of a folder of plain text, for the spelling correction of `tahanuji.harden`:
data/lexicons/word_counts_id.csv, numbers of single words and no texts.

python scripts/count_words.py FOLDER [--out data/lexicons/word_counts_id.csv]

FOLDER holds .txt or .txt.xz files in UTF-8, one sentence or paragraph a line; a file whose name
begins with `colloquial` counts as unedited writing, every other one as edited, and files that begin
with `heldout` or `extra` are left out. A word is written that stands five times and more, in three
lines and more; in lower case, of the letters a to z, of at most 24 letters, with single inner
hyphens and apostrophes, without a figure.
"""

import argparse
import csv
import re
from collections import Counter
from pathlib import Path

from train_vectors import opened

from tahanuji import paths, words

LEAST, LINES = 5, 3
WORD = re.compile(r"(?=.{2,24}$)[a-z]+(?:['-][a-z]+)*")


def counted(folder: Path) -> tuple[dict[bool, Counter], Counter]:
    """How often each word stands in edited and in unedited writing, and in how many lines."""
    counts, lines = {False: Counter(), True: Counter()}, Counter()
    for path in sorted((*folder.glob("*.txt"), *folder.glob("*.txt.xz"))):
        if ".sources." in path.name or path.name.startswith(("heldout", "extra")):
            continue
        own = counts[path.name.startswith("colloquial")]
        with opened(path) as text:
            for line in text:
                keys = [words.key(word.text) for word in words.words(line)]
                own.update(keys)
                lines.update(set(keys))
    return counts, lines


def main() -> None:
    """Write a row per word that occurs often enough, by the alphabet."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("folder", type=Path, help="with .txt or .txt.xz files")
    parser.add_argument("--out", type=Path, default=paths.DATA / "lexicons" / "word_counts_id.csv")
    asked = parser.parse_args()
    counts, lines = counted(asked.folder)
    every = {word: [counts[kind][word] for kind in (False, True)] for word in lines}
    with asked.out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("word", "edited", "unedited"))
        for word in sorted(every):
            if sum(every[word]) >= LEAST and lines[word] >= LINES and WORD.fullmatch(word):
                writer.writerow((word, *every[word]))


if __name__ == "__main__":
    main()
