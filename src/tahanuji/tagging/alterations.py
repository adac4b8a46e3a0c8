"""Tagged sentences after a change: perturbed texts given back word by word, entities swapped."""

import random
from collections.abc import Container, Sequence
from dataclasses import dataclass

import pandas as pd
from rapidfuzz.distance import Levenshtein

from tahanuji import lexicons, perturb
from tahanuji.errors import unknown
from tahanuji.instrument import Instrument
from tahanuji.perturb import prejudice, units
from tahanuji.tagging.measures import UNNAMED, spans
from tahanuji.words import key as key_of

LENGTHS = ("equal", "free")
PRODUCTS = ("PRD", "PRO", "PRODUCT")
Pool = dict[str, list[tuple[str, ...]]]


@dataclass(frozen=True)
class Altered:
    """A sentence after a change, and where its original words are in it.

    Attributes
    ----------
    words : list of str
        What a model is to tag.
    places : list of int or None
        Of each original word in `words`; None where it went with an entity of another length.
    hit : list of bool
        Whether each original word is written differently.
    changed : bool
        False where the change did not apply: `words` are the original ones.
    edges : list of int or None, optional
        Where a swap changed the number of words: of each place between original words, the first
        before all, the same place in `words`; None inside of an entity of another length.
    tags : list of str, optional
        The right tags of `words`, where a swap made them.
    """

    words: list[str]
    places: list[int | None]
    hit: list[bool]
    changed: bool = True
    edges: list[int | None] | None = None
    tags: list[str] | None = None


def unchanged(words: Sequence[str], tags: Sequence[str] | None = None) -> Altered:
    """The sentence as it is."""
    n, right = len(words), None if tags is None else list(tags)
    return Altered(list(words), list(range(n)), [False] * n, changed=False, tags=right)


def given_back(words: Sequence[str], text: str) -> Altered | None:
    """The words of a perturbed text, given back to the words that it was made of.

    The text is split at single blanks. With as many pieces as before, each word takes as many as
    its own blanks say; a word may hold blanks ("Rumah Sakit"). With more pieces, where all old ones
    are still there in their order, some were inserted: then no word is hit. None where the words
    cannot be told apart: pieces were joined, split, taken away or emptied, something was inserted
    inside of a word, or pieces moved, so that fewer edits of whole pieces explain the text than its
    differences piece by piece.

    >>> given_back(["RS Harapan", "penuh"], "RS Hrapan penuh").words
    ['RS Hrapan', 'penuh']
    >>> given_back(["Bandung", "macet"], "@budi Bandung macet").places
    [1, 2]
    >>> given_back(["macet", "."], "macet.") is None
    True
    """
    old, new = " ".join(words).split(" "), text.split(" ")
    starts = _kept(old, new)
    if starts is None or "" in new:
        return None
    whole, first = {}, 0
    for word in words:
        size = word.count(" ") + 1
        if starts[first + size - 1] != starts[first] + size - 1:
            return None
        whole[starts[first]] = size
        first += size
    pieces, places, place = [], [], 0
    while place < len(new):
        size = whole.get(place, 1)
        places += [len(pieces)] * (place in whole)
        pieces.append(" ".join(new[place : place + size]))
        place += size
    hit = [pieces[place] != word for place, word in zip(places, words, strict=True)]
    return Altered(pieces, places, hit, changed=pieces != list(words))


def _kept(old: list[str], new: list[str]) -> Sequence[int] | None:
    """Where old pieces are among new ones, in their order; one inserted block is preferred to
    several. None where one is missing, or they moved.
    """
    n, more = len(old), len(new) - len(old)
    if more < 0:
        return None
    if not more:
        moved = Levenshtein.distance(old, new) < sum(map(str.__ne__, old, new))
        return None if moved or _shifted(old, new) else range(n)
    if new[more:] == old:
        return range(more, n + more)
    same = next((place for place in range(n) if new[place] != old[place]), n)
    if new[same + more :] == old[same:]:
        return [*range(same), *range(same + more, n + more)]
    places, place = [], 0
    for piece in old:
        if piece not in new[place:]:
            return None
        place = new.index(piece, place) + 1
        places.append(place - 1)
    return places


def _shifted(old: list[str], new: list[str]) -> bool:
    """Whether a word stands where a mark stood and a mark where a word stood: a mark was joined to
    its word and another one added, or the other way round.
    """
    marks = [[not any(map(str.isalnum, piece)) for piece in pieces] for pieces in (old, new)]
    return {(True, False), (False, True)} <= set(zip(*marks, strict=True))


def alter(instrument: Instrument, frame: pd.DataFrame, seed: int) -> list[Altered | None]:
    """Sentences perturbed as texts, their words given back.

    Parameters
    ----------
    instrument : Instrument
        Applied to the words of a sentence, joined by blanks.
    frame : DataFrame
        With `id` and `words`.
    seed : int
        Together with the ids it fixes what is drawn.

    Returns
    -------
    list
        Per sentence an `Altered`, `changed` only where the instrument applied, or None where the
        words of the perturbed text cannot be given back (see `given_back`).

    Raises
    ------
    InputError
        As `Instrument.apply`.

    Examples
    --------
    >>> from tahanuji.instrument import instrument
    >>> frame = pd.DataFrame({"id": ["a", "b"], "words": [["Tidak", "enak"], ["Enak"]]})
    >>> changed, same = alter(instrument("negation", variant="gak"), frame, seed=1)
    >>> changed.words, changed.hit, same.changed
    (['Gak', 'enak'], [True, False], False)
    """
    texts = instrument.apply(frame[["id"]].assign(text=frame["words"].map(" ".join)), seed)
    return [
        unchanged(words) if text is None else given_back(words, text)
        for words, text in zip(frame["words"], texts, strict=True)
    ]


def entities(frame: pd.DataFrame, without: Container[tuple[str, ...]] = ()) -> Pool:
    """The different entities of tagged sentences by type, each a tuple of words, without those of
    two types (they would not tell the right tag) and those of `without`.

    >>> entities(pd.DataFrame({"words": [["Ani", "ke", "Kota", "Tua"]],
    ...     "tags": [["B-PER", "O", "B-LOC", "I-LOC"]]}))
    {'LOC': [('Kota', 'Tua')], 'PER': [('Ani',)]}
    """
    pool: Pool = {}
    types = types_of(frame).items()
    for entity, names in sorted(types, key=lambda item: (sorted(item[1]), item[0])):
        if len(names) == 1 and entity not in without:
            pool.setdefault(min(names), []).append(entity)
    return pool


def types_of(frame: pd.DataFrame) -> dict[tuple[str, ...], set[str]]:
    """Every entity of tagged sentences with its types.

    >>> types_of(pd.DataFrame({"words": [["di", "Ende"]], "tags": [["O", "B-LOC"]]}))
    {('Ende',): {'LOC'}}
    """
    types: dict[tuple[str, ...], set[str]] = {}
    for words, tags in zip(frame["words"], frame["tags"], strict=True):
        for name, start, end in spans(tags):
            types.setdefault(tuple(words[start:end]), set()).add(name)
    return types


def _says_what(before: str) -> bool:
    """Whether the word before a product may say what it is (beras)."""
    return before.isalpha() and key_of(before) not in lexicons.members("id", "before a product")


def kind_of(entity: Sequence[str]) -> str:
    """What kind of place a name says that it is: the word of a place that it begins with (Pasar
    Baru), else the kind of places.csv, a city of every other name.

    >>> kind_of(("Pasar", "Baru")), kind_of(("Prancis",)), kind_of(("Ende",))
    ('pasar', 'country', 'city')
    """
    first = key_of(entity[0])
    if first in lexicons.members("id", "begins a place"):
        return first
    row = prejudice.rows("id", "places").get(key_of(" ".join(entity)))
    return row.kind if row else "city"


def swap_entities(
    frame: pd.DataFrame, pool: Pool, seed: int, length: str = "equal", rate: float = 1.0
) -> list[Altered]:
    """Sentences with entities swapped for others of the same type: an INV test of tags.

    What an entity is does not depend on which one it is, so the right tags are known. The new one
    is drawn evenly from those of the pool that the sentence does not name yet and that are of the
    same kind (`kind_of`): a market does not become a country. Behind the word that says what a
    product is (*beras*) it stays.

    Parameters
    ----------
    frame : DataFrame
        With `id`, `words` and `tags`, the right ones in BIO; ids and seed fix what is drawn.
    pool : dict
        As `entities` gives it. Entities that a model was trained on are easier than those of a test
        set, so swaps for them can repair more than they break; new ones test what was learnt.
    seed : int
        Of the run.
    length : {"equal", "free"}
        Whether the new entity has as many words as the old one, or any number.
    rate : float
        Share of a sentence's entities, 0 to 1; at least one.

    Returns
    -------
    list of Altered
        With the right `tags` of the new words; not `changed` where there is nothing to swap.

    Raises
    ------
    InputError
        For another length, and a rate outside 0 to 1.

    References
    ----------
    Lin et al. (2021), *RockNER: a simple method to create adversarial examples for evaluating the
    robustness of named entity recognition models*; its entities come from Wikidata.

    Examples
    --------
    >>> frame = pd.DataFrame({"id": ["a"], "words": [["di", "Ende"]], "tags": [["O", "B-LOC"]]})
    >>> [new] = swap_entities(frame, {"LOC": [("Kota", "Tua"), ("Ende",)]}, 1, length="free")
    >>> new.words, new.tags, new.places
    (['di', 'Kota', 'Tua'], ['O', 'B-LOC', 'I-LOC'], [0, None])
    """
    if length not in LENGTHS:
        raise unknown("length", length, LENGTHS)
    rng, altered = random.Random(), []
    for example, words, tags in zip(frame["id"], frame["words"], frame["tags"], strict=True):
        rng.seed(perturb.key(seed, example))
        swaps = _drawn(words, spans(tags), pool, length, rate, rng)
        altered.append(_swapped(words, tags, swaps) if swaps else unchanged(words, tags))
    return altered


def _drawn(
    sentence: Sequence[str], old: list, pool: Pool, length: str, rate: float, rng: random.Random
) -> dict:
    """New entities for some of the old spans."""
    there = {tuple(sentence[start:end]) for _, start, end in old}
    sites = {}
    for span in old:
        name, start, end = span
        if name in PRODUCTS and start and _says_what(sentence[start - 1]):
            continue
        wanted = [
            entity
            for entity in pool.get(name, [])
            if entity not in there
            and (length == "free" or len(entity) == end - start)
            and kind_of(entity) == kind_of(sentence[start:end])
        ]
        if wanted:
            sites[span] = wanted
    return {span: rng.choice(sites[span]) for span in units.chosen(list(sites), rate, rng)}


def _swapped(sentence: Sequence[str], tags: Sequence[str], swaps: dict) -> Altered:
    """The sentence with new entities in the place of old ones."""
    words, right, places, hit, edges, at = [], [], [], [], [0], 0
    starts = {start: (name, end, new) for (name, start, end), new in swaps.items()}
    while at < len(sentence):
        name, end, new = starts.get(at, (None, at + 1, (sentence[at],)))
        size, first = end - at, len(words)
        words += new
        right += _tags(name, len(new)) if name and len(new) != size else tags[at:end]
        if len(new) == size:
            places += range(first, first + size)
            edges += range(first + 1, first + size + 1)
            hit += [one != two for one, two in zip(new, sentence[at:end], strict=True)]
        else:
            places += [None] * size
            edges += [None] * (size - 1) + [len(words)]
            hit += [True] * size
        at = end
    moved = edges if None in places else None
    return Altered(words, places, hit, True, moved, right)


def _tags(name: str, size: int) -> list[str]:
    """The tags of an entity of so many words."""
    type_ = "" if name == UNNAMED else f"-{name}"
    return [f"B{type_}", *[f"I{type_}"] * (size - 1)]
