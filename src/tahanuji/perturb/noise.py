"""Character-level perturbations of Romero Alvarado (2023), section 3.3.1: keyboard, ocr, spelling
and character typos.

Changes are drawn one after another and a rate says when to stop: for a generator in the same state,
or the same key, a higher rate keeps the changes of a lower one and adds to them (spelling, which
has to come near a number of characters, only edits no fewer of them).
"""

import random
from collections.abc import Callable, Sequence

import numpy as np

from tahanuji import words
from tahanuji.perturb import batches
from tahanuji.perturb.batches import Batch, Batched
from tahanuji.perturb.noise_tables import LEXICONS, confusions, misspellings
from tahanuji.perturb.places import LATIN, NEIGHBOURS, PLAIN, changed, drawn, pick, visible
from tahanuji.perturb.units import count, known

Function = Callable[[str, float, random.Random], str | None]

_INSERT, _REPLACE, _DELETE, _SWAP = range(4)
_LETTERS, _SMALL = (
    26,
    ord("a") - ord("A"),
)  # the bit in which a small letter differs from its capital


def keyboard(language: str = "id") -> Function:
    """A share of the characters becomes a key that touches theirs on a QWERTY keyboard, after
    Romero Alvarado (2023), section 3.3.1.

    Sites are the letters a to z and the figures; the new key is drawn evenly from those beside,
    above and below that touch the old one on a staggered keyboard; case is kept, and both languages
    have the same layout. Capability: robustness to slips of the finger; type INV. textflint changes
    one character in each chosen word of four letters or more, may change the case and reaches for
    punctuation keys; here the rate counts characters. Few readers are misled, but a figure becomes
    another one (25rb, 35rb), and a short word may become a real word (mau, may).

    >>> keyboard("id")("Ongkirnya mahal", 0.1, random.Random(1))
    'Ontkirnya mahal'
    """
    known(language, "keyboard")
    keys = _codes(NEIGHBOURS)[:, :, 0]
    sizes = (keys > 0).sum(axis=1)

    def work(batch: Batch) -> list[str | None]:
        place, fraction = batch.draw(
            np.flatnonzero(batch.free), lambda place, fraction: (True, place, fraction)
        )
        old = batch.signs[place]
        batch.codes[place] = keys[old, batches.below(sizes[old], fraction)[0]]
        return batch.result()

    return Batched(work, PLAIN)


def _codes(table: dict[str, Sequence[str]]) -> np.ndarray:
    """The codes of some ASCII texts for each first character, (128, most texts, longest text), 0
    behind the end of each.
    """
    codes = np.zeros(
        (
            128,
            max(map(len, table.values())),
            max(len(text) for found in table.values() for text in found),
        ),
        np.uint8,
    )
    for first, found in table.items():
        for number, text in enumerate(found):
            codes[ord(first), number, : len(text)] = list(text.encode())
    return codes


def ocr(language: str = "id") -> Function:
    """A share of the characters is misread as optical recognition misreads them, after Romero
    Alvarado (2023), section 3.3.1.

    The confusions of data/lexicons/ocr_confusions.csv are of one character or of several (l and 1,
    e and c, rn and m); they hang on shapes, so that case matters and the language does not. A
    misreading is one unit whatever it joins or splits, and no two touch one character. Capability:
    robustness to scanned text; type INV. textflint's table has single characters only, goes both
    ways, and holds pairs that look little alike (r and k, 8 and @). Figures may change (5, S, 6),
    as they do in scans.

    >>> ocr("id")("modern dan bersih", 0.2, random.Random(1))
    'rnoclern dan borsih'
    """
    known(language, "ocr")
    table = confusions(LEXICONS / "ocr_confusions.csv")
    source, target = (
        _codes({first: [reading[part] for reading in found] for first, found in table.items()})
        for part in (0, 1)
    )
    return Batched(lambda batch: _misread(batch, source, target), PLAIN)


def _misread(batch: Batch, source: np.ndarray, target: np.ndarray) -> list[str | None]:
    """The texts misread; `source` and `target` (128, most, longest): what is read as what, by first
    character and number of the reading.
    """
    signs, free, further = batch.signs, batch.free, range(1, source.shape[2])

    def take(place: np.ndarray, fraction: np.ndarray) -> tuple[np.ndarray, ...]:
        read = source[signs[place]]
        fits = (read[:, :, 0] > 0) & free[place][:, None]
        for ahead in further:
            beyond, there = (
                free.take(place + ahead, mode="clip"),
                signs.take(place + ahead, mode="clip"),
            )
            fits &= (read[:, :, ahead] == 0) | (
                (read[:, :, ahead] == there[:, None]) & beyond[:, None]
            )
        ways = fits.sum(axis=1)
        hit = ways > 0
        number = batches.below(ways[hit], fraction[hit])[0]
        at, reading = place[hit], (fits[hit].cumsum(axis=1) > number[:, None]).argmax(axis=1)
        for ahead in (0, *further):
            free[at[source[signs[at], reading, ahead] > 0] + ahead] = False
        return hit, at, reading

    place, reading = batch.draw(
        np.flatnonzero(batch.free & source[:, :, 0].any(axis=1)[signs]), take
    )
    read, new = source[signs[place], reading], target[signs[place], reading]
    batch.codes[place] = new[:, 0]
    gone = np.concatenate([place[:0], *(place[read[:, ahead] > 0] + ahead for ahead in further)])
    extra, column = np.nonzero(new[:, 1:])
    return batch.result(gone, place[extra] + 1, new[extra, column + 1])


def spelling(language: str = "id") -> Function:
    """Words become misspellings from a dictionary, after Romero Alvarado (2023), section 3.3.1
    ("predefined spelling mistake dictionary").

    The dictionaries are data/lexicons/misspellings_id.csv and misspellings_en.csv; every pair is
    attested in public lists or running texts, and the table says in how many lists and how often.
    Indonesian words may carry -nya. As for the other character-level perturbations the rate is a
    share of characters: words in random order are misspelt until the edited characters (insertions,
    deletions, exchanges, swaps of neighbours) come as near to count(non-blank characters, rate) as
    whole words allow; a word that would lead further past the mark than the text is short of it is
    left for a smaller one, but one word is always taken where there is any, that with the fewest
    edits where none fits. Capability: robustness to orthographical errors; type INV. textflint
    replaces a share of the words, and its dictionary is read backwards too, which mends
    misspellings; here only right words become wrong. A few entries are themselves words (English
    homophones: its, it's), and chat spellings also lower the register.

    >>> spelling("id")("Risiko di apotek itu kecil", 0.1, random.Random(1))
    'Resiko di apotik itu kecil'
    """
    errors = misspellings(LEXICONS / f"misspellings_{known(language, 'spelling')}.csv", language)

    def perturb(text: str, rate: float, rng: random.Random) -> str | None:
        wanted, done, changes = count(visible(text), rate), 0, {}
        found = _misspelt(text, errors, "nya" if language == "id" else "") if wanted else []
        for word, options in drawn(found, rng):
            wrong, edits = pick(options, rng)
            if edits <= 2 * (wanted - done):
                changes[word], done = words.cased(word.text, wrong), done + edits
            if done >= wanted:
                break
        if found and not changes:
            _, wrong, word = min(
                (edits, wrong, word) for word, options in found for wrong, edits in options
            )
            changes[word] = words.cased(word.text, wrong)
        return changed(text, [words.replace(text, changes)]) if changes else None

    return perturb


def _misspelt(text: str, errors: dict, clitic: str) -> list[tuple[words.Word, tuple]]:
    """The words of a text that have misspellings, and these with their edits."""
    found = []
    for word in words.words(text):
        key = words.key(word.text)
        options = errors.get(key)
        if options is None and clitic and key.endswith(clitic) and len(key) > len(clitic) + 3:
            options = tuple(
                (wrong + clitic, edits) for wrong, edits in errors.get(key[: -len(clitic)], ())
            )
        if options:
            found.append((word, options))
    return found


def character_typos(language: str = "id") -> Function:
    """A share of the characters is mistyped: a letter comes before them, or they are left out,
    swapped with the next one or replaced.

    After Romero Alvarado (2023), section 3.3.1. Sites are the letters a to z. The four typos are
    equally likely where they apply: neighbours that are equal are not swapped, a letter is left out
    only where a letter beside it stays (no word vanishes), and no letter is hit twice. New letters
    are drawn evenly from the alphabet, in the case of the letter that is hit. A swap is one unit
    and touches two characters. Capability: robustness to typing errors; type INV. textflint spares
    the first and the last letter and hits each chosen word once. Short words may become other
    words; realistic_noise has the typos that Indonesians make.

    >>> character_typos("id")("pesanan datang tepat waktu", 0.2, random.Random(1))
    'psran datang tepta waku'
    """
    known(language, "character_typos")
    return Batched(_mistyped, LATIN)


def _mistyped(batch: Batch) -> list[str | None]:
    """The texts mistyped; `stays` has the letters of any script but those that were left out."""
    signs, free, stays = batch.signs, batch.free, batch.alphabetic()

    def take(place: np.ndarray, fraction: np.ndarray) -> tuple[np.ndarray, ...]:
        hit = free[place]
        place = place[hit]
        after = place + 1
        swappable = free[after] & (signs[after] != signs[place])
        leavable = stays[place - 1] | stays[after]
        # One that can be swapped can be left out too, since the next one is there: two, three or
        # four kinds, in their order.
        kind, fraction = batches.below(2 + leavable + swappable, fraction[hit])
        free[place] = free[after[kind == _SWAP]] = stays[place[kind == _DELETE]] = False
        return hit, place, kind, fraction

    place, kind, fraction = batch.draw(np.flatnonzero(free), take)
    swapped, gone, before = (place[kind == sort] for sort in (_SWAP, _DELETE, _INSERT))
    batch.codes[swapped], batch.codes[swapped + 1] = signs[swapped + 1], signs[swapped]
    replaced = kind == _REPLACE
    batch.codes[place[replaced]] = _letters(signs[place[replaced]], fraction[replaced], other=True)
    return batch.result(
        gone, before, _letters(signs[before], fraction[kind == _INSERT], other=False)
    )


def _letters(hit: np.ndarray, fraction: np.ndarray, other: bool) -> np.ndarray:
    """New letters in the case of those that are hit, drawn evenly from the alphabet; with `other`
    from the other letters.
    """
    small = hit & _SMALL
    new = batches.below(_LETTERS - other, fraction)[0]
    new += other & (new >= hit - small - ord("A"))
    return new + ord("A") + small
