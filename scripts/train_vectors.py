"""Train the small word vectors that `synonym_embedding` uses for Indonesian, from a folder of plain
text.

python scripts/train_vectors.py FOLDER [--out data/lexicons/vectors_id.npz] [--without KEY ...]

FOLDER holds .txt or .txt.xz files in UTF-8, one sentence or paragraph a line. Beside `name.txt` a
file `name.sources.txt` may say, line by line, where each line is from; `--without` leaves lines out
by these keys. Files that begin with `heldout` are left out. Only single words and numbers are
written: no word that is seldom, short, written with a capital inside sentences (names), or never
seen in text that has capitals at all.
"""

import argparse
import lzma
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from tahanuji import paths, words
from tahanuji.errors import InputError
from tahanuji.perturb import synonyms, vectors

CAPITALS = 0.35
SEEN = 5


def opened(path: Path):
    """A text file or one packed with xz, for reading."""
    return (
        lzma.open(path, "rt", encoding="utf-8")
        if path.suffix == ".xz"
        else path.open(encoding="utf-8")
    )


def lines_of(folder: Path, without: set[str]) -> Iterator[str]:
    """All lines of the folder's texts but those whose source is left out."""
    for path in sorted((*folder.glob("*.txt"), *folder.glob("*.txt.xz"))):
        if ".sources." in path.name or path.name.startswith("heldout"):
            continue
        beside = next(
            (other for other in folder.glob(f"{path.name.split('.')[0]}.sources.txt*")), None
        )
        with opened(path) as text:
            if beside is None:
                yield from text
                continue
            with opened(beside) as keys:
                yield from (
                    line for line, key in zip(text, keys, strict=True) if key.strip() not in without
                )


def tokens(lines: Iterable[str]) -> tuple[list[list[str]], set[str]]:
    """The words of every line, and the words that the vocabulary leaves out."""
    read, seen, capital = [], Counter(), Counter()
    for line in lines:
        found = words.words(line)
        read.append([words.key(word.text) for word in found])
        if line.islower():
            continue
        for word, key in zip(found, read[-1], strict=True):
            before = line[: word.start].rstrip()
            if before and (before[-1].isalnum() or before[-1] == ","):
                seen[key] += 1
                capital[key] += word.text[0].isupper()
    every = {key for line in read for key in line}
    return read, {
        key
        for key in every
        if unfit(key) or seen[key] < SEEN or capital[key] / seen[key] >= CAPITALS
    }


def unfit(key: str) -> bool:
    """Whether a word is too short, an abbreviation without vowels, drawn out (baguuus) or a
    function word.
    """
    drawn = any(key[place] == key[place + 1] == key[place + 2] for place in range(len(key) - 2))
    return (
        len(key) < 3 or not set(key) & set("aeiou") or drawn or key in synonyms.function_words("id")
    )


def train(
    lines: Iterable[list[str]],
    vocabulary: int = 6000,
    least: int = 40,
    dimensions: int = 128,
    window: int = 2,
    without: Iterable[str] = (),
) -> vectors.Vectors:
    """Vectors of the most frequent words of tokenised lines: PPMI of the words beside them, reduced
    by truncated SVD (Levy et al., 2015).

    Each place within the window (one before, one after, two before, ...) has contexts of its own,
    so that words which could stand for each other come close, more than words of one topic;
    contexts are smoothed by 0.75. A word is kept from `least` occurrences on, a context from half
    of it; words in `without` are contexts only. The same lines give the same vectors.
    """
    from sklearn.utils.extmath import randomized_svd

    lines = list(lines)
    counts = Counter(word for line in lines for word in line)
    contexts = [
        word
        for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= least / 2
    ]
    unwanted = set(without)
    kept = [
        place
        for place, word in enumerate(contexts)
        if counts[word] >= least and word not in unwanted
    ][:vocabulary]
    if len(kept) <= dimensions:
        raise InputError(
            f"only {len(kept)} words occur {least} times in the text; vectors of {dimensions} "
            f"numbers need more of it."
        )
    information = _information(_neighbours(lines, contexts, window))[kept]
    left, _, _ = randomized_svd(information, dimensions, n_iter=5, random_state=0)
    return vectors.Vectors([contexts[place] for place in kept], left)


def _neighbours(lines: list[list[str]], contexts: list[str], window: int):
    """How often each word has each context at each place: a sparse matrix with 2 x window blocks of
    columns.
    """
    from scipy.sparse import coo_matrix, hstack

    size, numbers = len(contexts), {word: number for number, word in enumerate(contexts)}
    ids = np.fromiter(_stream(lines, numbers, window), dtype=np.int64)
    blocks = []
    for distance in range(1, window + 1):
        first, second = ids[:-distance], ids[distance:]
        both = (first >= 0) & (second >= 0)
        after = coo_matrix((np.ones(both.sum()), (first[both], second[both])), (size, size)).tocsr()
        blocks += [after, after.T]
    return hstack(blocks).tocsr()


def _stream(lines: list[list[str]], numbers: dict[str, int], window: int) -> Iterator[int]:
    for line in lines:
        yield from (numbers.get(word, -1) for word in line)
        yield from [-1] * window


def _information(counts):
    """Positive pointwise mutual information of a sparse matrix of counts."""
    rows, columns = (
        np.asarray(counts.sum(axis=1)).ravel(),
        np.asarray(counts.sum(axis=0)).ravel() ** 0.75,
    )
    table = counts.tocoo()
    table.data = np.maximum(
        np.log(table.data * columns.sum() / (rows[table.row] * columns[table.col])), 0
    )
    table.eliminate_zeros()
    return table.tocsr()


def main() -> None:
    """Read, train, write, and print what came out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path, default=paths.DATA / "lexicons" / "vectors_id.npz")
    parser.add_argument("--without", nargs="*", default=[], metavar="KEY")
    given = parser.parse_args()
    if not given.folder.is_dir():
        parser.error(f"there is no folder {given.folder}")
    read, left_out = tokens(lines_of(given.folder, set(given.without)))
    trained = train(read, without=left_out)
    vectors.save(trained, given.out)
    count = sum(map(len, read))
    print(
        f"{count:,} words read; vectors of {len(trained.words):,} words in "
        f"{paths.shown(given.out)} ({given.out.stat().st_size:,} bytes)"
    )


if __name__ == "__main__":
    main()
