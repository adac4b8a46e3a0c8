"""The most likely word behind a misspelt one: a noisy channel (Kernighan, Church and Gale, 1990)
over an index of deletions (Garbe, 2012, SymSpell).

Two words one edit apart share a form from which one letter is left out, so that a table of such
forms gives all candidates in as many look-ups as a word has letters. Words of eight letters and
more may be two edits off: candidates are then those with the same beginning or the same end.

An edit costs the negative logarithm of how seldom it is made; the word wins whose logarithmic
frequency less the cost is the largest. The costs were chosen on noise drawn over training texts.

RapidFuzz gives the distance of two edits. Its search and symspellpy do not know which slips are
likely, and put fewer of them right in this place (benchmarks/RESULTS.md).
"""

import functools
import itertools
import math
from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

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


def cost(typed: str, word: str, costs: Costs = COSTS) -> float:
    """What it costs to take a typed form for a word one edit away, in nats; infinity for others.

    >>> cost("bgaus", "bagus") < cost("bzgus", "bagus") < cost("bxgus", "bagus")
    True
    """
    same = 0  # letters at the beginning
    for letter, meant in zip(typed, word, strict=False):
        if letter != meant:
            break
        same += 1
    first = 0.0 if same else FIRST
    if len(word) > len(typed):
        return costs.missing + first if typed[same:] == word[same + 1 :] else math.inf
    if len(word) < len(typed):
        if typed[same + 1 :] != word[same:]:
            return math.inf
        return costs.repeated if same and typed[same - 1] == typed[same] else costs.extra + first
    if typed[same + 1 :] == word[same + 1 :]:
        if typed == word:
            return math.inf
        return getattr(costs, _exchange(word[same], typed[same])) + first
    swapped = typed[same : same + 2] == word[same : same + 2][::-1]
    return costs.swap + first if swapped and typed[same + 2 :] == word[same + 2 :] else math.inf


@functools.cache
def _exchange(meant: str, wrong: str) -> str:
    """The kind of the exchange of a letter for another, by the names of the costs."""
    if wrong in NEIGHBOURS.get(meant, ""):
        return "beside"
    alike = (meant in VOWELS and wrong in VOWELS) or {meant, wrong} in map(set, SOUNDS)
    return "sound" if alike else "other"


def two(typed: str, word: str, costs: Costs = COSTS) -> float:
    """What two edits cost, whichever they are; infinity for a word that is further away."""
    if OSA.distance(typed, word, score_cutoff=2) > 2:
        return math.inf
    return 2 * costs.beside + costs.second + (0.0 if typed[0] == word[0] else FIRST)


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
        self.least = min(costs[: Costs._fields.index("second")])
        self.least_of_two = 2 * costs.beside + costs.second
        targets = [
            word
            for word, often in frequencies.items()
            if often >= rarest and TARGET <= len(word) <= LONGEST and word.isalpha()
        ]
        # All that follows runs from the most frequent word, of equal ones by the alphabet.
        targets.sort(key=lambda word: (-frequencies[word], word))
        self.index: dict[str, str] = {}  # words with blanks between them
        self.ends: dict[str, list[str]] = {}
        for word in targets:
            for form in forms(word):
                self.index[form] = f"{held} {word}" if (held := self.index.get(form)) else word
            far = frequencies[word] - self.least_of_two >= costs.unknown
            for end in _ends(word) if far and len(word) >= LONG - 1 else ():
                self.ends.setdefault(end, []).append(word)

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
        score, index = self._worth(typed, stem, name), self.index
        near = [index[form].split() for form in forms(typed) if form in index]
        best = self._best(typed, score, near, cost, self.least)
        if best == typed and typed not in self.frequencies and len(typed) >= LONG:
            far = [self.ends.get(end, ()) for end in _ends(typed)]
            best = self._best(typed, score, far, two, self.least_of_two)
        return best

    def _worth(self, typed: str, stem: float | None, name: bool) -> float:
        """What speaks for leaving a form as it is."""
        costs, own = self.costs, self.frequencies.get(typed)
        if own is not None:
            return own + (costs.edited if typed in self.edited else costs.seen)
        own = costs.unknown if stem is None else max(costs.unknown, stem - costs.built)
        return own + costs.short * (len(typed) == SHORTEST) + costs.name * name

    def _best(
        self,
        typed: str,
        score: float,
        lists: Iterable[Iterable[str]],
        costing: Callable[[str, str, Costs], float],
        least: float,
    ) -> str:
        """The best of some words, of equal ones by the alphabet; what was typed where none is above
        its score. A list is left where its words are too rare even at the least cost.
        """
        best, frequencies, costs = typed, self.frequencies, self.costs
        for words in lists:
            for word in words:
                often = frequencies[word]
                if often - least < score:
                    break
                reached = often - costing(typed, word, costs)
                if reached > score or (reached == score and typed != best > word):
                    best, score = word, reached
        return best


def _ends(word: str) -> tuple[str, str]:
    return f"{word[:END]}_", f"_{word[-END:]}"


def forms(word: str) -> set[str]:
    """A word, and it without each of its letters in turn.

    >>> sorted(forms("saat"))
    ['aat', 'saa', 'saat', 'sat']
    """
    return {word, *map("".join, itertools.combinations(word, len(word) - 1))}
