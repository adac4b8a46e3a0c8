"""The most likely word behind a misspelt one: a noisy channel (Kernighan, Church and Gale, 1990)
over an index of deletions (Garbe, 2012, SymSpell).

Two words one edit apart share a form from which one letter is left out, so that a table of such
forms gives all candidates in as many look-ups as a word has letters. Words of eight letters and
more may be two edits off: candidates are then those with the same beginning or the same end.

An edit costs the negative logarithm of how seldom it is made; the word wins whose logarithmic
frequency less the cost is the largest. The costs were chosen on noise drawn over training texts.
"""

import functools
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from rapidfuzz import process
from rapidfuzz.distance import OSA

from tahanuji.perturb.noise_tables import VOWELS
from tahanuji.perturb.places import NEIGHBOURS

SHORTEST, LONGEST = 3, 24  # letters of what is corrected
TARGET = 3  # letters of a correction at least
LONG, END = 6, 2  # letters from which two edits are thought of, and those of an end that has to fit
SOUNDS = ("bp", "ck", "dt", "fp", "fv", "gk", "iy", "jz", "jy", "ou", "sz", "uw", "vp", "ei")
FIRST = 1.5  # more for the first letter, which people seldom miss


class Costs(NamedTuple):
    """What edits cost, in nats, and what the word that stands there is worth.

    `second` comes on top of two edits. A word of edited writing keeps its frequency and `edited`,
    one of unedited writing alone its frequency and `seen`, one built of a known stem that of the
    stem less `built`; any other is worth `unknown`, `short` more where it has three letters and
    `name` more where it may be a name.
    """

    swap: float = 3.5
    missing: float = 3.5
    repeated: float = 3.5
    extra: float = 5.5
    beside: float = 4.5
    sound: float = 5.0
    other: float = 6.5
    second: float = 1.0
    edited: float = 3.5
    seen: float = 0.5
    built: float = 3.0
    unknown: float = -4.5
    short: float = 2.0
    name: float = 4.5


COSTS = Costs()


class Edit(NamedTuple):
    """Where a word and what was typed differ: `meant` against `typed`, behind `before`."""

    before: str
    meant: str
    typed: str
    after: str


def edit(typed: str, word: str) -> Edit | None:
    """The one edit between a word and what was typed; None where it is none or more.

    >>> edit("bgaus", "bagus")
    Edit(before='b', meant='ag', typed='ga', after='us')
    """
    start, stop, other = 0, len(word), len(typed)
    least = min(stop, other)
    while start < least and word[start] == typed[start]:
        start += 1
    while stop > start and other > start and word[stop - 1] == typed[other - 1]:
        stop, other = stop - 1, other - 1
    meant, wrong = word[start:stop], typed[start:other]
    swapped = len(meant) == 2 and meant == wrong[::-1]
    if meant == wrong or (max(len(meant), len(wrong)) > 1 and not swapped):
        return None
    return Edit(word[:start], meant, wrong, word[stop:])


def cost(typed: str, word: str, costs: Costs = COSTS) -> float:
    """What it costs to take a typed form for a word one edit away, in nats; infinity for others.

    >>> cost("bgaus", "bagus") < cost("bzgus", "bagus") < cost("bxgus", "bagus")
    True
    """
    between = edit(typed, word)
    if between is None:
        return float("inf")
    before, meant, wrong, after = between
    first = 0.0 if before else FIRST
    if len(meant) == 2:
        return costs.swap + first
    if not wrong:
        return costs.missing + (first if meant not in after[:1] else 0.0)
    if not meant:
        repeated = wrong in (before[-1:], after[:1])
        return costs.repeated if repeated else costs.extra + first
    return _substitution(meant, wrong, costs) + first


@functools.cache
def _substitution(meant: str, wrong: str, costs: Costs) -> float:
    if wrong in NEIGHBOURS.get(meant, ""):
        return costs.beside
    alike = (meant in VOWELS and wrong in VOWELS) or {meant, wrong} in map(set, SOUNDS)
    return costs.sound if alike else costs.other


class Speller:
    """Corrects words by their frequencies.

    Parameters
    ----------
    frequencies : mapping of str to float
        The natural logarithm of each known word's frequency.
    edited : container of str
        Those of them that edited writing has.
    rarest : float
        The frequency below which a word is no correction.
    costs : Costs
        Of the edits.

    Examples
    --------
    >>> speller = Speller({"bagus": 5.0, "bagas": 1.0, "makan": 4.0})
    >>> speller.correct("bgus"), speller.correct("mkaan"), speller.correct("xyz")
    ('bagus', 'makan', 'xyz')
    """

    def __init__(
        self,
        frequencies: Mapping[str, float],
        edited: Container[str] = (),
        rarest: float = 0.0,
        costs: Costs = COSTS,
    ):
        self.frequencies, self.edited, self.costs = frequencies, edited, costs
        self.targets = {
            word
            for word, often in frequencies.items()
            if often >= rarest and TARGET <= len(word) <= LONGEST and word.isalpha()
        }
        self.index: dict[str, str | list[str]] = {}
        self.ends: dict[str, list[str]] = {}
        for word in self.targets:
            for short in deletions(word):
                self._note(short, word)
            if len(word) >= LONG - 1:
                for end in (f"{word[:END]}_", f"_{word[-END:]}"):
                    self.ends.setdefault(end, []).append(word)

    def _note(self, short: str, word: str) -> None:
        held = self.index.setdefault(short, word)
        if isinstance(held, list):
            held.append(word)
        elif held != word:
            self.index[short] = [held, word]

    def near(self, typed: str) -> set[str]:
        """Words that may be one edit away (and a few that are two)."""
        found = {typed}
        for short in (typed, *deletions(typed)):
            held = self.index.get(short, ())
            found.update((held,) if isinstance(held, str) else held)
            found.add(short)
        return (found & self.targets) - {typed}

    def correct(self, typed: str, stem: float | None = None, name: bool = False) -> str:
        """The word that is most likely meant; what was typed where none is likely enough.

        Parameters
        ----------
        typed : str
            In lower case.
        stem : float, optional
            The frequency of the known word that it may be built of.
        name : bool
            Whether it may be a name.

        Returns
        -------
        str
        """
        if not SHORTEST <= len(typed) <= LONGEST:
            return typed
        best, score = typed, self._worth(typed, stem, name)
        best, score = self._best(typed, self.near(typed), cost, best, score)
        if best == typed and typed not in self.frequencies and len(typed) >= LONG:
            best, score = self._best(typed, self._far(typed), two, best, score)
        return best

    def _worth(self, typed: str, stem: float | None, name: bool) -> float:
        """What speaks for leaving a form as it is."""
        costs, own = self.costs, self.frequencies.get(typed)
        if own is not None:
            return own + (costs.edited if typed in self.edited else costs.seen)
        own = costs.unknown if stem is None else max(costs.unknown, stem - costs.built)
        return own + costs.short * (len(typed) == SHORTEST) + costs.name * name

    def _best(self, typed: str, words: Iterable[str], costing, best: str, score: float):
        for word in sorted(words):
            reached = self.frequencies[word] - costing(typed, word, self.costs)
            if reached > score:
                best, score = word, reached
        return best, score

    def _far(self, typed: str) -> list[str]:
        """Words two edits away that begin or end alike."""
        same = (*self.ends.get(f"{typed[:END]}_", ()), *self.ends.get(f"_{typed[-END:]}", ()))
        hits = process.extract(
            typed, same, scorer=OSA.distance, score_cutoff=2, limit=None, processor=None
        )
        return list(dict.fromkeys(word for word, _, _ in hits))


def two(typed: str, word: str, costs: Costs = COSTS) -> float:
    """What two edits cost, whichever they are."""
    first = 0.0 if typed[0] == word[0] else FIRST
    return 2 * costs.beside + costs.second + first


def deletions(word: str) -> list[str]:
    """A word without each of its letters in turn; of equal neighbours once.

    >>> deletions("saat")
    ['aat', 'sat', 'saa']
    """
    return [
        word[:at] + word[at + 1 :]
        for at in range(len(word))
        if at + 1 == len(word) or word[at] != word[at + 1]
    ]
