"""What WordNets know of synonyms, and Wordnet Bahasa (Noor et al., 2011)."""

import functools
import re
from collections import Counter, defaultdict
from math import sqrt

import numpy as np

from tahanuji import downloads, lexicons, words
from tahanuji.downloads import locate
from tahanuji.errors import InputError
from tahanuji.perturb import vectors

VECTORS = lexicons.LEXICONS / "vectors_id.npz"
CLITICS = re.compile(r"(.{3,})(nya|ku|mu|lah|kah|pun)")
_UNCOUNTED = 0.2
_LEAST = 0.005


class WordNet:
    """Synsets (their names end in the part of speech) with their lemmas, and how often a lemma was
    counted in one.
    """

    def __init__(self, synsets: dict[str, list[str]], counts: dict[tuple[str, str], int]):
        self.synsets, self.counts = synsets, counts
        self.of: dict[str, list[str]] = defaultdict(list)
        for synset, lemmas in synsets.items():
            for lemma in lemmas:
                self.of[lemma].append(synset)
        self.synonyms, self._length = functools.cache(self._synonyms), functools.cache(self._length)

    def _synonyms(self, word: str) -> tuple[str, ...]:
        """The synonyms of a lower-case word, best first."""
        raise NotImplementedError

    def kinds(self, word: str) -> Counter[str]:
        """How much a lemma is of each part of speech."""
        found: Counter[str] = Counter()
        for synset in self.of.get(word, ()):
            found[synset[-1]] += self._count(synset, word)
        return found

    def alike(self, word: str, kind: str) -> dict[str, float]:
        """Lemmas that share synsets of a part of speech with a word: the cosine of their counts in
        all synsets, uncounted ones as 0.2.
        """
        shared: Counter[str] = Counter()
        for synset in self.of.get(word, ()):
            for lemma in self.synsets[synset] if synset[-1] == kind else ():
                shared[lemma] += self._count(synset, word) * self._count(synset, lemma)
        return {
            lemma: weight / (self._length(word) * self._length(lemma))
            for lemma, weight in shared.items()
            if lemma != word
        }

    def _count(self, synset: str, lemma: str) -> float:
        return _UNCOUNTED + self.counts.get((synset, lemma), 0)

    def _length(self, lemma: str) -> float:
        return sqrt(sum(self._count(synset, lemma) ** 2 for synset in self.of[lemma]))


def best(weights: dict[str, float], least: float) -> tuple[str, ...]:
    """The names with at least `least` and a quarter of the largest weight, largest first, in
    alphabetical order where equal.
    """
    least = max(least, max(weights.values(), default=0) / 4)
    return tuple(
        sorted(
            (name for name, weight in weights.items() if weight >= least),
            key=lambda name: (-weights[name], name),
        )
    )


class Bahasa(WordNet):
    """Indonesian: of many synsets that were translated by machine, those lemmas that the word
    vectors also hold for near (cosine 0.2).

    A lemma weighs what the two cosines multiply to. It is a word that the vectors know and no other
    form or spelling of the word; a clitic (-nya, -ku, -mu, -lah, -kah, -pun) is set aside and put
    back.
    """

    def _synonyms(self, word: str) -> tuple[str, ...]:
        if word not in self.of:
            hit = CLITICS.fullmatch(word)
            return (
                tuple(other + hit[2] for other in self.synonyms(hit[1]))
                if hit and hit[1] in self.of
                else ()
            )
        if word not in vectors.read(VECTORS).places:
            return ()
        alike = {
            lemma: weight
            for lemma, weight in self.alike(word, self.kinds(word).most_common(1)[0][0]).items()
            if weight >= _LEAST
        }
        weights = {
            lemma: weight * self._near(word, lemma)
            for lemma, weight in alike.items()
            if not vectors.variant(word, lemma)
        }
        return best(weights, _LEAST)

    @staticmethod
    def _near(word: str, lemma: str) -> float:
        table, parts = vectors.read(VECTORS), lemma.split(" ")
        if word in parts or any(part not in table.places for part in (word, *parts)):
            return 0.0
        mean = np.mean([table.matrix[table.places[part]] for part in parts], axis=0)
        cosine = float(table.matrix[table.places[word]] @ mean / np.linalg.norm(mean))
        return cosine if cosine >= 0.2 else 0.0


@functools.cache
def bahasa() -> Bahasa:
    """Wordnet Bahasa's synonyms, read once; an InputError where its two files are not at hand."""
    files = ("wordnet_bahasa/ind", "wordnet_bahasa/ind_counts")
    if None in map(downloads.at_hand, files):
        fetch = "; ".join(f"d.locate('{name}')" for name in files)
        raise InputError(
            "synonym_wordnet needs Wordnet Bahasa for Indonesian, which is not at hand; "
            f'run python -c "from tahanuji import downloads as d; {fetch}", or name a folder that '
            f"has it in TAHAN_DATA_MIRROR."
        )
    synsets: dict[str, dict[str, None]] = defaultdict(dict)
    for synset, listed in lemmas("ind").items():
        for lemma in filter(words.phrase, listed):
            synsets[synset][words.key(lemma)] = None
    return Bahasa({synset: list(kept) for synset, kept in synsets.items()}, counts())


def lemmas(code: str) -> dict[str, list[str]]:
    """Lemmas by synset, both in the order of Wordnet Bahasa's file of a language."""
    table = defaultdict(list)
    path = locate(f"wordnet_bahasa/{code}")
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and cells[1] == f"{code}:lemma":
            table[cells[0]].append(cells[2])
    return table


def counts() -> dict[tuple[str, str], int]:
    """How often Indonesian lemmas were counted in a synset."""
    rows = lexicons.rows(locate("wordnet_bahasa/ind_counts"), 3)
    return {(synset, lemma): int(count) for _, (synset, lemma, count) in rows}
