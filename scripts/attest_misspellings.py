"""Count where the misspellings of data/lexicons/misspellings_*.csv stand in public lists and
running texts, and drop those that stand nowhere.

python scripts/attest_misspellings.py --lists FOLDER ... [--texts FILE_OR_FOLDER ...] [--add FILE
...] [--output misspellings_id.csv]

`lists` of the table: in how many of these, in whatever folder they were downloaded to, the pair of
right and wrong word stands:
  colloquial-indonesian-lexicon.csv             github.com/nasalsabila/kamus-alay (Salsabila et al.,
  2018) full.csv, inforformal-formal-…-dictionary.tsv github.com/haryoa/indo-collex (Wibowo et al.,
  2021), taken as one *.inf with *.for beside it
  github.com/haryoa/stif-indonesia, data/labelled/ (Wibowo et al., 2020): words that stand in for
  one another new_kamusalay.csv
  github.com/okkyibrohim/id-multi-label-hate-speech-and-abusive-language-detection (Ibrohim and
  Budi, 2019) combined_slang_words.txt
  github.com/louisowen6/NLP_bahasa_resources dictionary*.txt with lines wrong->right
  codespell, codespell_lib/data/ (English) spelling_en.txt                               nlpaug,
  nlpaug/res/word/spelling/ (English)
`texts`: how often the wrong word stands in lower case in the texts (empty: none were counted), in
which it may be another word now and then. A pair is kept that stands in a list, or whose wrong word
stands in the texts at least twice. `--add` names further tables word,misspelling,kind to try.
"""

import argparse
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from measure_noise import parallel
from train_vectors import opened

from tahanuji import paths, words

LEAST = 2
OWNERS = {"full.csv": "indo-collex", "inforformal-formal-Indonesian-dictionary.tsv": "indo-collex"}
_WORD = re.compile(r"(?<![\w@#./-])[a-z]+(?:[-'][a-z]+)*(?![\w@/])")
Pair = tuple[str, str]


def listed(path: Path) -> Iterator[Pair]:
    """The (right, wrong) words of a public list; none for other files."""
    if path.suffix == ".inf" and path.with_suffix(".for").is_file():
        yield from (pair for _, *pair in parallel(path))
    elif path.name == "combined_slang_words.txt":
        yield from (
            (right, wrong) for wrong, right in json.loads(path.read_text(encoding="utf-8")).items()
        )
    elif path.name == "new_kamusalay.csv":
        yield from (
            (row[1], row[0])
            for row in csv.reader(path.read_text(encoding="latin-1").splitlines())
            if len(row) == 2
        )
    elif path.name == "colloquial-indonesian-lexicon.csv":
        yield from (
            (row["formal"], row["slang"])
            for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        )
    elif path.name == "full.csv" and "original-for" in path.read_text(encoding="utf-8")[:200]:
        yield from (
            (row["original-for"], row["transformed"])
            for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines())
        )
    elif path.name == "inforformal-formal-Indonesian-dictionary.tsv":
        yield from (
            (row[1], row[0])
            for row in csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t")
            if len(row) == 2
        )
    elif path.name.startswith("dictionary") and path.suffix == ".txt":
        rows = (line.partition("->") for line in path.read_text(encoding="utf-8").splitlines())
        yield from (
            (right, wrong)
            for wrong, _, rights in rows
            for right in rights.split(",")
            if right.strip()
        )
    elif path.name == "spelling_en.txt":
        yield from (
            (right, wrong)
            for right, *wrongs in map(str.split, path.read_text(encoding="utf-8").splitlines())
            for wrong in wrongs
        )


def public(folders: list[Path]) -> dict[str, set[Pair]]:
    """The pairs of every list below the folders, by a name for the list; several files may be one
    list.
    """
    found: dict[str, set[Pair]] = {}
    for path in sorted(path for folder in folders for path in folder.rglob("*") if path.is_file()):
        pairs = {
            (words.key(right.strip()), words.key(wrong.strip())) for right, wrong in listed(path)
        }
        if pairs:
            found.setdefault(
                "stif" if path.suffix == ".inf" else OWNERS.get(path.name, path.stem.split("_")[0]),
                set(),
            ).update(pairs)
    return found


def running(places: list[Path]) -> Counter:
    """How often each word stands in lower case in the texts: all files of the folders (not
    `.sources.`, not held out), or the files.
    """
    counts: Counter = Counter()
    for place in places:
        files = (
            [place]
            if place.is_file()
            else sorted(
                path for path in place.rglob("*") if path.suffix in (".txt", ".xz", ".csv", ".tsv")
            )
        )
        for path in files:
            if ".sources." not in path.name and not path.name.startswith(("heldout", "README")):
                with (
                    opened(path)
                    if path.suffix == ".xz"
                    else path.open(encoding="utf-8", errors="replace") as text
                ):
                    for line in text:
                        counts.update(_WORD.findall(line))
    return counts


def table_of(path: Path) -> list[tuple[str, str, str]]:
    """The rows word, misspelling, kind of a table that may have more columns."""
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["word"], row["misspelling"], row["kind"]) for row in csv.DictReader(file)]


def attested(
    rows: list[tuple[str, str, str]], lists: dict[str, set[Pair]], texts: Counter
) -> list[tuple[str, str, str, int, int]]:
    """The rows that are attested, sorted, each pair once, with the counts behind: word,
    misspelling, kind, lists, texts.
    """
    kinds: dict[Pair, str] = {}
    for word, wrong, kind in rows:
        kinds.setdefault((word, wrong), kind)
    counted = [
        (*pair, kind, sum(pair in found for found in lists.values()), texts[pair[1]])
        for pair, kind in sorted(kinds.items())
    ]
    return [row for row in counted if row[3] or row[4] >= LEAST]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--lists", nargs="+", type=Path, required=True)
    parser.add_argument("--texts", nargs="*", type=Path, default=[])
    parser.add_argument("--add", nargs="*", type=Path, default=[])
    parser.add_argument(
        "--output", type=Path, default=paths.DATA / "lexicons" / "misspellings_id.csv"
    )
    options = parser.parse_args()
    before = [row for path in (options.output, *options.add) for row in table_of(path)]
    lists, texts = public(options.lists), running(options.texts)
    kept = attested(before, lists, texts)
    with options.output.open("w", encoding="utf-8", newline="") as file:
        written = [(*row[:4], row[4] if texts else "") for row in kept]
        csv.writer(file, lineterminator="\n").writerows(
            [("word", "misspelling", "kind", "lists", "texts"), *written]
        )
    print({name: len(pairs) for name, pairs in lists.items()}, f"{texts.total():,} words of text")
    print(
        f"{len(before):,} rows, {len(kept):,} attested: {sum(row[3] > 0 for row in kept):,} in "
        f"lists, {sum(row[4] >= LEAST for row in kept):,} in texts"
    )
    print(Counter(row[2] for row in kept))


if __name__ == "__main__":
    main()
