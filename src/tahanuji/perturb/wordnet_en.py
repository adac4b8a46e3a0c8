"""Princeton's WordNet (Fellbaum, 1998), read from its database files."""

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from math import log

from tahanuji import words
from tahanuji.errors import InputError, extra
from tahanuji.perturb.wordnets import WordNet, best

KINDS = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}


class Princeton(WordNet):
    """English: a lemma weighs its cosine times the logarithm of how often it was counted, so that
    film comes before motion-picture show.

    Plurals of nouns, -s, -ed and -ing of verbs are set aside and put back, on regular lemmas only;
    `irregular` has the other lemmas' forms.
    """

    def __init__(
        self,
        synsets: dict[str, list[str]],
        counts: dict[tuple[str, str], int],
        irregular: dict[tuple[str, str], list[str]],
    ):
        super().__init__(synsets, counts)
        self.irregular = irregular
        self.base = {
            (kind, form): base for (kind, base), forms in irregular.items() for form in forms
        }

    def _synonyms(self, word: str) -> tuple[str, ...]:
        readings = {
            (kind, base, ending): weight
            for base, ending in self._bases(word)
            for kind, weight in self._kinds(base, ending)
        }
        if not readings:
            return ()
        kind, base, ending = max(readings, key=readings.__getitem__)
        alike = {
            lemma: weight
            for lemma, weight in self.alike(base, kind).items()
            if base not in re.split("[ -]", lemma) and words.phrase(lemma)
        }
        weights = {
            lemma: weight
            * log(2 + sum(self.counts.get((synset, lemma), 0) for synset in self.of[lemma]))
            for lemma, weight in alike.items()
        }
        found = (self._with(lemma, ending, kind) for lemma in best(weights, 0.05))
        return tuple(other for other in found if other and not words.same(other, word))

    def _kinds(self, base: str, ending: str) -> Iterator[tuple[str, float]]:
        allowed = {"": "nvar", "s": "nv"}.get(ending, "v")
        return ((kind, weight) for kind, weight in self.kinds(base).items() if kind in allowed)

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """What the word may be: itself, or a lemma with a regular ending (or a doubled consonant
        that the lists of exceptions have).
        """
        yield word, ""
        for kind, endings in (("n", ("s",)), ("v", ("s", "ed", "ing"))):
            for ending in endings:
                guesses = {
                    self.base.get((kind, word)),
                    *(
                        word.removesuffix(cut) + add
                        for cut, add in _CUTS[ending]
                        if word.endswith(cut)
                    ),
                }
                yield from (
                    (base, ending)
                    for base in sorted(filter(None, guesses))
                    if base in self.of and self._with(base, ending, kind) == word
                )

    def _with(self, lemma: str, ending: str, kind: str) -> str | None:
        """The lemma with an ending; None for one that needs another form."""
        listed = self.irregular.get((kind, lemma), [])
        if not ending or (kind == "v" and " " in lemma):
            return lemma if not ending else None
        if any(form.endswith(ending) for form in listed):
            return next(form for form in listed if form.endswith(ending))
        irregular = listed if kind == "n" else listed if ending == "ed" else []
        return None if irregular else _add(lemma, ending)


_CUTS = {
    "s": (("s", ""), ("es", ""), ("ies", "y")),
    "ed": (("ed", ""), ("d", ""), ("ied", "y")),
    "ing": (("ing", ""), ("ing", "e")),
}


def _add(base: str, ending: str) -> str:
    if base.endswith("y") and base[-2:-1] not in tuple("aeiou") and ending != "ing":
        return base[:-1] + ("ies" if ending == "s" else "ied")
    if ending == "s":
        return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh")) else "s")
    if base.endswith("e") and (ending == "ed" or not base.endswith(("ee", "oe", "ye"))):
        return base[:-1] + ending
    return base + ending


@functools.cache
def princeton() -> Princeton:
    """Princeton's synonyms from the WordNet that NLTK has, read once (several seconds); an
    InputError where NLTK has none.

    The files are read here because NLTK 3.10's own reader needs half a minute to begin.
    """
    with extra("english"):
        import nltk

    folder = next(
        filter(
            None,
            (_found(nltk, name) for name in ("corpora/wordnet", "corpora/wordnet.zip/wordnet/")),
        ),
        None,
    )
    if folder is None:
        raise InputError(
            "synonym_wordnet needs Princeton's WordNet for English, which NLTK does not find; run "
            "python -m nltk.downloader wordnet."
        )
    try:
        return Princeton(*_database(folder))
    except (OSError, ValueError, IndexError) as error:
        raise InputError(
            f"the WordNet in {folder} cannot be read ({error}); run python -m nltk.downloader "
            f"--force wordnet."
        ) from error


def _found(nltk, name: str):
    try:
        return nltk.data.find(name)
    except LookupError:
        return None


def _database(
    folder,
) -> tuple[dict[str, list[str]], dict[tuple[str, str], int], dict[tuple[str, str], list[str]]]:
    synsets, counts, irregular = {}, {}, defaultdict(list)
    for name, kind in KINDS.items():
        for line in _lines(folder, f"data.{name}"):
            cells = line[: line.index("|")].split(" ")
            names = [
                other.partition("(")[0].replace("_", " ")
                for other in cells[4 : 4 + 2 * int(cells[3], 16) : 2]
            ]
            synsets[cells[0] + kind] = [other for other in names if other.islower()]
        for form, *bases in map(str.split, _lines(folder, f"{name}.exc")):
            for base in bases:
                irregular[kind, base].append(form)
    for line in _lines(folder, "index.sense"):
        sense, offset, _, count = line.split(" ")
        if count != "0":
            lemma, _, place = sense.partition("%")
            counts[offset + "nvara"[int(place[0]) - 1], lemma.replace("_", " ")] = int(count)
    return synsets, counts, irregular


def _lines(folder, name: str) -> list[str]:
    with folder.join(name).open() as file:
        text = file.read()
    text = text.decode("utf-8") if isinstance(text, bytes) else text
    return [line.rstrip() for line in text.splitlines() if line and not line.startswith("  ")]
