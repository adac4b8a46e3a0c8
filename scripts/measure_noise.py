"""Measure how Indonesians misspell, from pairs of words, and write data/lexicons/noise_id.csv
(figures only).

python scripts/measure_noise.py --pairs FILE_OR_FOLDER ... [--output noise_id.csv]

Known files, in whatever folder they were downloaded to:
  colloquial-indonesian-lexicon.csv   github.com/nasalsabila/kamus-alay (Salsabila et al., 2018)
  full.csv                            github.com/haryoa/indo-collex, data/ (Wibowo et al., 2021)
  *.inf with *.for beside it          github.com/haryoa/stif-indonesia, data/labelled/ (Wibowo et
  al., 2020)

Kind `typo`: pairs that the first list files under "salah ketik" and nothing else, one error apart;
at two errors or more other processes mix in (abbreviation, affixes). Kind `informal`: pairs of the
categories that respell a word (not acronyms, affixes, reduplication or new words), and single words
that stand in for one another in parallel sentences and have the same first letter. Each pair counts
once; both words are plain letters; no more than half of the characters differ; neither is a
clipping of the other (restoran, resto) nor has another affix; a lengthened letter (bangettt) is one
operation.
"""

import argparse
import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from pathlib import Path

from tahanuji import paths
from tahanuji.perturb.noise_tables import KINDS, OPERATIONS, VOWELS
from tahanuji.perturb.places import NEIGHBOURS

RESPELLING = {
    *(
        "abreviasi",
        "zeroisasi",
        "elongasi",
        "anaptiksis",
        "modifikasi vokal",
        "monoftongisasi",
        "subtitusi",
        "homofon",
        "metatesis",
    ),
    *("disemvoweling", "sound-alter"),
}
Pair = tuple[str, str, str]


def distances(right: str, wrong: str) -> list[list[int]]:
    """The table of edit distances of all beginnings of two words, swaps of neighbours included
    (optimal string alignment).
    """
    table = [
        [row + column if not row or not column else 0 for column in range(len(wrong) + 1)]
        for row in range(len(right) + 1)
    ]
    for row in range(1, len(right) + 1):
        for column in range(1, len(wrong) + 1):
            best = min(table[row - 1][column], table[row][column - 1]) + 1
            best = min(best, table[row - 1][column - 1] + (right[row - 1] != wrong[column - 1]))
            table[row][column] = (
                min(best, table[row - 2][column - 2] + 1)
                if swapped(right, wrong, row, column)
                else best
            )
    return table


def swapped(right: str, wrong: str, row: int, column: int) -> bool:
    """Whether the two letters before these places are swapped."""
    return (
        row > 1
        and column > 1
        and right[row - 2 : row] == wrong[column - 2 : column][::-1]
        and right[row - 1] != right[row - 2]
    )


def position(place: int, length: int) -> str:
    """First, inner or last letter of a word."""
    return "first" if place == 0 else "last" if place == length - 1 else "inner"


def substitution(old: str, new: str) -> str:
    """Adjacent keys, else a vowel for a vowel, else other."""
    return (
        "adjacent"
        if new in NEIGHBOURS[old]
        else "vowel for vowel"
        if old in VOWELS and new in VOWELS
        else "other"
    )


def insertion(right: str, place: int, new: str) -> str:
    """A doubling with the position of the letter that is doubled, or another insertion with its
    own, before the letter at `place`.
    """
    if new in (beside := right[max(0, place - 1) : place + 1]):
        return f"doubling {position(max(0, place - 1) + beside.index(new), len(right))}"
    return f"other {'first' if not place else 'last' if place == len(right) else 'inner'}"


def operations(right: str, wrong: str) -> Iterator[tuple[str, str]]:
    """The edits (operation, detail) of one shortest way from the right word to the wrong one, from
    the end.
    """
    table, row, column, length = distances(right, wrong), len(right), len(wrong), len(right)
    while row or column:
        here = table[row][column]
        if (
            row
            and column
            and right[row - 1] == wrong[column - 1]
            and here == table[row - 1][column - 1]
        ):
            row, column = row - 1, column - 1
        elif swapped(right, wrong, row, column) and here == table[row - 2][column - 2] + 1:
            yield "swap", "neighbours"
            row, column = row - 2, column - 2
        elif row and column and here == table[row - 1][column - 1] + 1:
            yield "substitution", substitution(right[row - 1], wrong[column - 1])
            row, column = row - 1, column - 1
        elif row and here == table[row - 1][column] + 1:
            yield (
                "deletion",
                f"{'vowel' if right[row - 1] in VOWELS else 'consonant'} "
                f"{position(row - 1, length)}",
            )
            row -= 1
        else:
            column -= 1
            yield "insertion", insertion(right, row, wrong[column])


def shortened(right: str, wrong: str) -> str:
    """The wrong word with every lengthened letter at most once more than the right word has it:
    bangettt for banget becomes bangett.
    """
    longest = max((len(hit[0]) for hit in re.finditer(r"(.)\1*", right)), default=1)
    return re.sub(r"(.)\1+", lambda hit: hit[1] * min(len(hit[0]), longest + 1), wrong)


def lexicon(path: Path, right: str, wrong: str, kinds: list[str]) -> Iterator[Pair]:
    """The pairs of a table with categories: (kind, right word, wrong word)."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = {row[name] for name in kinds} - {"0"}
            if found == {"salah ketik"}:
                yield "typo", row[right], row[wrong]
            elif found and found <= RESPELLING:
                yield "informal", row[right], row[wrong]


def parallel(path: Path) -> Iterator[Pair]:
    """The single words that differ between the lines of a file of informal sentences and the formal
    ones beside it.
    """
    informal, formal = (
        file.read_text(encoding="utf-8").splitlines() for file in (path, path.with_suffix(".for"))
    )
    for one, other in zip(informal, formal, strict=True):
        old, new = other.lower().split(), one.lower().split()
        for tag, start, end, start2, end2 in SequenceMatcher(
            None, old, new, autojunk=False
        ).get_opcodes():
            if tag == "replace" and end - start == end2 - start2:
                yield from (
                    ("informal", *pair)
                    for pair in zip(old[start:end], new[start2:end2], strict=True)
                    if not affixed(*pair)
                )


def affixed(right: str, wrong: str) -> bool:
    """Whether a pair of running text differs in an affix (matikan, matiin) or in more than spelling
    (another first letter).
    """
    return right[0] != wrong[0] or (wrong.endswith(("in", "an")) and not right.endswith(wrong[-2:]))


def clipped(right: str, wrong: str) -> bool:
    """Whether one word is the other without two or more letters at an end: resto for restoran,
    masang for memasang, adanya for ada.
    """
    short, long = sorted((right, wrong), key=len)
    return len(long) - len(short) > 1 and (long.startswith(short) or long.endswith(short))


def pairs_of(path: Path) -> Iterator[Pair]:
    """The pairs of a file in one of the three forms; none for other files."""
    if path.suffix == ".inf" and path.with_suffix(".for").is_file():
        yield from parallel(path)
    elif path.suffix == ".csv":
        with path.open(encoding="utf-8", errors="replace") as file:
            header = file.readline().strip().split(",")
        if header[:2] == ["slang", "formal"] and "category1" in header:
            yield from lexicon(path, "formal", "slang", ["category1", "category2", "category3"])
        elif header == ["no", "transformed", "original-for", "transformation"]:
            yield from lexicon(path, "original-for", "transformed", ["transformation"])


def usable(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The pairs of plain letters that are one error (typo) or not more than half of the word
    (informal) apart, each once.
    """
    for kind, right, wrong in sorted(
        {(kind, right.lower().strip(), wrong.lower().strip()) for kind, right, wrong in pairs}
    ):
        wrong = wrong if kind == "typo" else shortened(right, wrong)
        if (
            re.fullmatch("[a-z]{2,}", right)
            and re.fullmatch("[a-z]+", wrong)
            and not clipped(right, wrong)
            and "xxx" not in right + wrong
        ):
            edits = distances(right, wrong)[-1][-1]
            if 0 < edits <= (1 if kind == "typo" else (len(right) + 1) // 2):
                yield kind, right, wrong


def measure(pairs: Iterable[Pair]) -> list[dict]:
    """The table kind, operation, detail, count, share; one row for every operation, also for those
    that do not occur.
    """
    counts = Counter(
        (kind, *found)
        for kind, right, wrong in dict.fromkeys(usable(pairs))
        for found in operations(right, wrong)
    )
    rows = []
    for kind in KINDS:
        whole = sum(number for (owner, *_), number in counts.items() if owner == kind)
        for operation, detail in OPERATIONS:
            number = counts[kind, operation, detail]
            rows.append(
                {
                    "kind": kind,
                    "operation": operation,
                    "detail": detail,
                    "count": number,
                    "share": f"{number / max(1, whole):.4f}",
                }
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", nargs="+", type=Path, required=True, metavar="FILE_OR_FOLDER")
    parser.add_argument("--output", type=Path, default=paths.DATA / "lexicons" / "noise_id.csv")
    options = parser.parse_args()
    files = sorted(
        {file for path in options.pairs for file in ([path] if path.is_file() else path.rglob("*"))}
    )
    found = {file: list(pairs_of(file)) for file in files}
    pairs = [pair for of_file in found.values() for pair in of_file]
    if not {kind for kind, *_ in pairs} >= set(KINDS):
        sys.exit(
            f"measure_noise: no pairs of both kinds below {', '.join(map(str, options.pairs))}; "
            f"the files it knows stand in its --help."
        )
    with options.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(
            file, ["kind", "operation", "detail", "count", "share"], lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(measure(pairs))
    for file, of_file in found.items():
        if of_file:
            print(f"{file}: {len(of_file):,} pairs")
    print(f"{paths.shown(options.output)}: {Counter(kind for kind, *_ in set(usable(pairs)))}")


if __name__ == "__main__":
    main()
