"""Noise as Indonesians make it: the mix of marks that was counted in their unedited texts
(scripts/measure_marks.py), and the mix of slips that was measured on pairs of words
(scripts/measure_noise.py).
"""

import functools
import random
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate

from rapidfuzz.distance import OSA

from tahanuji import words
from tahanuji.errors import unknown
from tahanuji.lexicons import LEXICONS, members, values
from tahanuji.perturb import contraction, noise, phrases, reversal_id
from tahanuji.perturb.noise_tables import VOWELS, marks, measured, misspellings
from tahanuji.perturb.places import LATIN, LETTERS, NEIGHBOURS, changed, drawn, pick, runs, visible
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.perturb.units import count
from tahanuji.perturb.verbs_id import forms

KINDS = ("mixed", "typo")
_BESIDE = {key: "".join(other for other in NEIGHBOURS[key] if other.isalpha()) for key in LETTERS}
_SUBSTITUTES = {
    "adjacent": _BESIDE,
    "vowel for vowel": {
        key: "".join(new for new in VOWELS if new != key and new not in _BESIDE[key])
        for key in VOWELS
    },
    "other": {
        key: "".join(
            new for new in LETTERS if new not in key + _BESIDE[key] + VOWELS * (key in VOWELS)
        )
        for key in LETTERS
    },
}


@perturbation(
    name="realistic_noise",
    level="character",
    capability="robustness: typos as people make them",
    test_type="INV",
    family="typing",
    source="counted in social media, measured on pairs",
)
def realistic_noise(language: str = "id", kind: str = "mixed") -> Function:
    """A share of the characters is edited by noise as Indonesians make it: marks of unedited
    writing in their natural mix, or slips of the finger alone.

    `mixed`: words become short forms (contractions_id.csv: yang to yg, saja to aja, tidak bisa to
    gabisa), attested misspellings, variants of tidak, lengthened words (lagi to lagiii; only words
    of judgement and degree, and particles), reduplications with a figure (anak-anak to anak2), or
    get a slip, drawn by the counts of data/lexicons/noise_mixture_id.csv in 1,001 texts of social
    media (10,288 words, of which 16 in 100 bear such a mark; slips less those that the same rule
    finds in edited texts). A mark that the text has no word left for makes way for the others.
    Words change until their edits come to the share that is asked for, at least one; a word that
    would lead further past it than the text is short of it stays.

    `typo`: single letters, each hit drawn by the counts of noise_id.csv, in 83 words that
    annotators filed as mistyped and nothing else, one error each: 92% substitutions (95% interval
    84 to 96%), 82% of these by an adjacent key, 4% swaps, 4% insertions, 1% deletions. The sample
    is small and not neutral: lost and doubled letters were mostly filed as abbreviation and
    lengthening. No letter is hit twice, no word vanishes, and figures stay.

    Capability: robustness to unedited writing; type INV; `mixed` lowers the register as well, and a
    slip may hit a short word that carries the meaning. Source: this project, from texts of
    github.com/supryzhu/Indonesia-Chinese-MTRobustEval and pairs of Salsabila et al. (2018);
    textflint has no such thing.

    >>> realistic_noise()("barang yang dipesan sudah sampai , lama sekali", 0.2, random.Random(59))
    'barang yg dipesan udah smpe , lamaaa skali'
    >>> realistic_noise(kind="typo")("barang sudah sampai tadi pagi", 0.1, random.Random(8))
    'baeagn sudah sampai tadi pagu'
    """
    if kind not in KINDS:
        raise unknown("kind of noise", kind, KINDS)

    def slips(text: str, rate: float, rng: random.Random) -> str | None:
        wanted = count(visible(text), rate)
        return changed(text, _noise(text, wanted, _slips(), rng)) if wanted else None

    def mixed(text: str, rate: float, rng: random.Random) -> str | None:
        changes = {word: new for word, (_, new) in marked(text, rate, rng).items()}
        return changed(text, [words.replace(text, changes)]) if changes else None

    return mixed if kind == "mixed" else slips


def weights() -> dict[str, int]:
    """How many words of unedited texts bear each mark that noise makes."""
    return marks(LEXICONS / "noise_mixture_id.csv")


def _slips() -> dict[tuple[str, str], int]:
    return measured(LEXICONS / "noise_id.csv")["typo"]


def marked(text: str, rate: float, rng: random.Random) -> dict[words.Word, tuple[str, str]]:
    """The words that change, with their marks and what they become."""
    wanted, changes, done, taken = count(visible(text), rate), {}, 0, set()
    if not wanted:
        return changes
    pools = {name: drawn(sites, rng) for name, sites in _sites(text).items() if sites}
    while pools and done < wanted:
        name = rng.choices(list(pools), [weights()[mark] for mark in pools])[0]
        site = next(pools[name], None)
        if site is None:
            del pools[name]
            continue
        word, options = site
        new = pick(options, rng) if options else "".join(_noise(word.text, 1, _slips(), rng))
        edits, place = OSA.distance(word.text, new), range(word.start, word.end)
        short = edits <= 2 * (wanted - done) or not changes
        if edits and short and taken.isdisjoint(place):
            changes[word], done = (name, new), done + edits
            taken.update(place)
    return changes


def _sites(text: str) -> dict[str, list[tuple[words.Word, tuple[str, ...]]]]:
    """The words and phrases that can bear each mark, with what they become; nothing where a slip
    has to be drawn.
    """
    sites = {name: [] for name in weights()}
    table, longest = _short_forms()
    for word, entries in phrases.find(text, table, longest, _short):
        for kind in {entry.kind for entry in entries} - {"clitic"}:
            short = tuple(entry.target for entry in entries if entry.kind == kind)
            sites[kind].append((word, tuple(words.cased(word.text, form) for form in short)))
    errors = misspellings(LEXICONS / "misspellings_id.csv", "id")
    for word, options in noise._misspelt(text, errors, "nya"):
        wrong = tuple(words.cased(word.text, form) for form, _ in options)
        sites["misspelling"].append((word, wrong))
    for word in words.words(text):
        first, _, second = words.key(word.text).partition("-")
        if first == "tidak":
            forms = tuple(words.cased(word.text, form) for form in values("id", "variant of tidak"))
            sites["negation"].append((word, forms))
        elif second and first == second:
            sites["figure two"].append((word, (word.text[: len(first)] + "2",)))
        elif len(word.text) > 3:
            sites["slip"].append((word, ()))
            if word.text[-1] in VOWELS and words.key(word.text) in _lengthened():
                sites["lengthening"].append((word, (word.text + word.text[-1] * 2,)))
    return sites


@functools.cache
def _lengthened() -> frozenset[str]:
    """What people lengthen: judging words that are no verbs, words of degree and particles."""
    judging = {word for word, denial in reversal_id.predicates().items() if denial == "tidak"}
    return frozenset(judging - forms().keys()) | members("id", "can be lengthened")


@functools.cache
def _short_forms() -> tuple[dict, dict]:
    """What contracts, and how many words the longest phrase has that begins with a word."""
    table = contraction.entries("id")["contract"]
    return table, phrases.lengths(table)


def _short(match: phrases.Match, entries: list) -> list:
    """The short forms of a phrase, none where it keeps its full form."""
    return [] if phrases.whole(match) else entries


class _Draft:
    """A text under way: `result` its parts, `taken` the letters that were hit, `gone` those of them
    that were left out.
    """

    def __init__(self, text: str, rng: random.Random):
        self.text, self.rng, self.result = text, rng, list(text)
        self.spans = runs(text, LATIN)
        self.taken: set[int] = set()
        self.gone: set[int] = set()
        self.pools: dict[str, Iterator[int]] = {}

    def hit(self, operation: str, detail: str) -> bool:
        """Carry out an operation at a letter drawn from those left to it; False where there is
        none.
        """
        pool = detail if operation == "deletion" else f"{operation} {detail}"
        if pool not in self.pools:
            self.pools[pool] = drawn(self._sites(operation, detail), self.rng)
        carry_out = getattr(self, f"_{operation}")
        return any(
            place not in self.taken and carry_out(place, detail) for place in self.pools[pool]
        )

    def _sites(self, operation: str, detail: str) -> list[int]:
        """The letters to which an operation applies."""
        text = self.text
        if operation == "swap":
            pairs = [at for start, stop in self.spans for at in range(start, stop - 1)]
            return [at for at in pairs if text[at].lower() != text[at + 1].lower()]
        if operation == "insertion":
            return self._positions(detail)
        if operation == "deletion":
            vowel, sites = detail.startswith("vowel"), self._positions(detail)
            return [at for at in sites if (text[at].lower() in VOWELS) == vowel]
        letters = [at for span in self.spans for at in range(*span)]
        if detail != "vowel for vowel":
            return letters
        return [at for at in letters if text[at].lower() in VOWELS]

    def _positions(self, detail: str) -> list[int]:
        """The first, last or inner letters of all words, as the detail says."""
        if detail.endswith("first"):
            return [start for start, _ in self.spans]
        if detail.endswith("last"):
            alone = detail == "other last"  # of a word of one letter that is the last one too
            return [stop - 1 for start, stop in self.spans if stop - start > 1 or alone]
        # What comes in before the last letter is inside the word too.
        short = detail != "other inner"
        return [at for start, stop in self.spans for at in range(start + 1, stop - short)]

    def _swap(self, place: int, detail: str) -> bool:
        """Two neighbours change places."""
        if place + 1 in self.taken:
            return False
        self.result[place], self.result[place + 1] = self.text[place + 1], self.text[place]
        self.taken.update((place, place + 1))
        return True

    def _deletion(self, place: int, detail: str) -> bool:
        """The letter goes, where a letter beside it stays."""
        if not any(
            beside in range(len(self.text))
            and self.text[beside].isalpha()
            and beside not in self.gone
            for beside in (place - 1, place + 1)
        ):
            return False
        self.gone.add(place)
        return self._becomes(place, "")

    def _substitution(self, place: int, detail: str) -> bool:
        """Another letter takes its place."""
        letter = self.text[place]
        return self._becomes(
            place, _as(letter, pick(_SUBSTITUTES[detail][letter.lower()], self.rng))
        )

    def _insertion(self, place: int, detail: str) -> bool:
        """A letter comes in: the same once more, or another one."""
        letter = self.text[place]
        if detail.startswith("doubling"):
            return self._becomes(place, letter * 2)
        beside = letter + (self.text[place - 1] if detail == "other inner" else "")
        new = _as(letter, pick([new for new in LETTERS if new not in beside.lower()], self.rng))
        return self._becomes(place, letter + new if detail == "other last" else new + letter)

    def _becomes(self, place: int, parts: str) -> bool:
        """Put parts in the place of a letter, which is taken then."""
        self.taken.add(place)
        self.result[place] = parts
        return True


def _noise(
    text: str, wanted: int, table: dict[tuple[str, str], int], rng: random.Random
) -> list[str]:
    """The parts of a text after as many operations as are wanted and possible."""
    draft, names, sums = _Draft(text, rng), list(table), list(accumulate(table.values()))
    while wanted and names:
        at = bisect(sums, rng.random() * sums[-1])
        if draft.hit(*names[at]):
            wanted -= 1
        else:
            del names[at]
            sums = list(accumulate(table[name] for name in names))
    return draft.result


def _as(letter: str, new: str) -> str:
    """The new letter in the case of the old one."""
    return new.upper() if letter.isupper() else new
