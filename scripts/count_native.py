"""Count how often SmSA's training texts use the words that data/lexicons/codemix.csv translates
into: data/lexicons/native_counts.csv, numbers of single words and no texts.

    python scripts/count_native.py
"""

import csv
from collections import Counter

from tahanuji import data, words
from tahanuji.codemix import senses, translators
from tahanuji.codemix.dictionaries import bare


def targets() -> set[str]:
    """The words of all translations, without accents."""
    lexicons = [senses.lexicon(language) for language in translators.LANGUAGES]
    cells = (sense.target for one in lexicons for held in one.senses.values() for sense in held)
    return {bare(part) for cell in cells for part in cell.split() if part != "_"}


def main() -> None:
    """Write a row per word that occurs, by the alphabet."""
    texts = data.load("smsa", "train")["text"]
    counts = Counter(bare(word.text) for text in texts for word in words.words(text))
    with translators.NATIVE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("word", "count"))
        writer.writerows((word, counts[word]) for word in sorted(targets()) if counts[word])


if __name__ == "__main__":
    main()
