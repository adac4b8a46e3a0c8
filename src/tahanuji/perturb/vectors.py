"""Word vectors: reading and writing files of them, and the nearest neighbours of a word."""

import functools
import gzip
import re
from itertools import groupby
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from rapidfuzz.distance import OSA

from tahanuji import paths
from tahanuji.errors import InputError

READ = 50_000
_VOWELS = re.compile(r"[aeiou]")
_INNER = re.compile(r"(?:[^\W\d_]|[-'])+")


class Vectors:
    """Words, most frequent first, and their vectors as rows of length one; `nearest` keeps its
    answers.
    """

    def __init__(self, words: list[str], matrix: np.ndarray):
        matrix = matrix.astype(np.float32)
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
        self.words, self.matrix = words, matrix / np.where(lengths > 0, lengths, 1)
        self.places = {word: place for place, word in reversed(list(enumerate(words)))}
        self._nearest: dict[tuple[str, int, float], tuple[tuple[str, float], ...]] = {}

    def nearest(self, word: str, top: int = 5, least: float = 0.5) -> tuple[tuple[str, float], ...]:
        """Up to `top` words with a cosine of at least `least`, nearest first, with it; without
        other forms and spellings of the word (`variant`).
        """
        key = (word, top, least)
        if key not in self._nearest:
            self._nearest[key] = tuple(self._search(*key))
        return self._nearest[key]

    def _search(self, word: str, top: int, least: float) -> list[tuple[str, float]]:
        if word not in self.places:
            return []
        cosines = self.matrix @ self.matrix[self.places[word]]
        near = np.flatnonzero(cosines >= least)
        nearest: dict[str, float] = {}
        for place in near[np.argsort(-cosines[near], kind="stable")]:
            if len(nearest) == top:
                break
            if not any(variant(other, self.words[place]) for other in (word, *nearest)):
                nearest[self.words[place]] = float(cosines[place])
        return list(nearest.items())


def variant(word: str, other: str) -> bool:
    """Whether two words are likely forms or spellings of one: equal but for case, one edit apart,
    one inside the other, the same consonants, or some of them in their order and nothing else.

    >>> variant("makan", "memakan"), variant("banget", "bgt"), variant("murah", "terjangkau")
    (True, True, False)
    """
    one, two = sorted((_plain(word), _plain(other)), key=len)
    inside = len(one) > 3 and (one in two or one[1:] in two)
    if inside or OSA.distance(one, two, score_cutoff=1) <= 1:
        return True
    skeleton, letters = _VOWELS.sub("", one), iter(two)
    bare = skeleton == one and one[:1] == two[:1]
    abbreviated = bare and all(letter in letters for letter in one)
    return abbreviated or (len(skeleton) > 2 and skeleton == _VOWELS.sub("", two))


@functools.lru_cache(maxsize=50_000)
def _plain(word: str) -> str:
    return "".join(letter for letter, _ in groupby(word.casefold()))


def read(path: Path | str, most: int = READ) -> Vectors:
    """The vectors of a file: the project's .npz, or word2vec's or GloVe's text format (.txt, .vec,
    either with .gz); kept for the process.

    Text files are read up to `most` words (they are sorted by frequency); only words of letters,
    hyphens and apostrophes are kept. Raises InputError for a missing file, another format, and a
    line that does not fit, with its number.
    """
    return _read(str(path), most)


@functools.lru_cache(maxsize=4)
def _read(name: str, most: int) -> Vectors:
    path = Path(name).expanduser().resolve()
    if not path.is_file():
        raise InputError(
            f"there is no file of word vectors {paths.shown(path)}; name one that is there in "
            f"`vectors` (word2vec's or GloVe's text format, or an "
            ".npz of scripts/train_vectors.py), or leave `vectors` empty for the project's own, "
            "which are Indonesian."
        )
    if path.suffix == ".npz":
        return _packed(path)
    if not path.name.removesuffix(".gz").endswith((".txt", ".vec")):
        raise InputError(
            f"{paths.shown(path)} is no file of word vectors: they end in .npz, .txt, .vec, "
            f".txt.gz or .vec.gz."
        )
    try:
        return Vectors(*_rows(path, most))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"{paths.shown(path)} cannot be read as UTF-8 text ({error}).") from error


def _packed(path: Path) -> Vectors:
    try:
        with np.load(path) as file:
            return Vectors(file["words"].tolist(), file["vectors"])
    except (KeyError, ValueError, OSError, BadZipFile) as error:
        raise InputError(
            f"{paths.shown(path)} does not hold the arrays words and vectors that "
            f"scripts/train_vectors.py writes."
        ) from error


def _rows(path: Path, most: int) -> tuple[list[str], np.ndarray]:
    words, rows, width = [], [], 0
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            cells = line.rstrip().split(" ")
            if number == 1 and len(cells) == 2 and all(cell.isdigit() for cell in cells):
                continue  # word2vec's header: how many words, how many numbers each
            width, row = width or len(cells), _numbers(cells[1:])
            if len(cells) != width or not len(row) or not np.isfinite(row).all():
                raise InputError(
                    f"{paths.shown(path)}: line {number} is not a word and {max(width - 1, 1)} "
                    f"numbers with single blanks between them."
                )
            if _INNER.fullmatch(cells[0]):
                words.append(cells[0])
                rows.append(row)
            if len(words) == most:
                break
    if not words:
        raise InputError(f"{paths.shown(path)} holds no words with vectors.")
    return words, np.stack(rows)


def _numbers(cells: list[str]) -> np.ndarray:
    """Cells as numbers, none of them where one is no number."""
    try:
        return np.array(cells, dtype=np.float32)
    except ValueError:
        return np.array([])


def save(vectors: Vectors, path: Path | str) -> None:
    """Write words and vectors into an .npz file, every number as one of 255 steps of its row (a
    byte): cosines move by less than 0.01.
    """
    largest = np.abs(vectors.matrix).max(axis=1, keepdims=True)
    steps = np.rint(vectors.matrix / largest * 127).astype(np.int8)
    np.savez_compressed(path, words=np.array(vectors.words), vectors=steps)
