"""Character-level perturbations of Romero Alvarado (2023), section 3.3.1: keyboard, ocr, spelling
and character typos.

Changes are drawn one after another and a rate says when to stop: for a generator in the same state
a higher rate keeps the changes of a lower one and adds to them (spelling, which has to come near a
number of characters, only edits no fewer of them).
"""

import random
from itertools import compress, islice

from tahanuji import words
from tahanuji.lexicons import LEXICONS
from tahanuji.perturb import phrases
from tahanuji.perturb.noise_tables import confusions, misspellings
from tahanuji.perturb.places import (
    LATIN,
    LETTERS,
    NEIGHBOURS,
    PLAIN,
    changed,
    drawn,
    free,
    pick,
    visible,
)
from tahanuji.perturb.registry import Function, perturbation
from tahanuji.perturb.units import count

# The typos that are possible where a letter beside stays or not, and the next one can be swapped.
_KINDS = {
    (False, False): ("insert", "replace"),
    (False, True): ("insert", "replace", "swap"),
    (True, False): ("insert", "replace", "delete"),
    (True, True): ("insert", "replace", "delete", "swap"),
}
_OTHERS = {letter: LETTERS.replace(letter.lower(), "") for letter in LETTERS + LETTERS.upper()}


@perturbation(
    name="keyboard",
    level="character",
    capability="robustness: slips of the finger",
    test_type="INV",
    family="typing",
    source="Romero Alvarado (2023), section 3.3.1, Keyboard",
    languages=("id", "en"),
)
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
    'Omgkirnya mahal'
    """

    def perturb(text: str, rate: float, rng: random.Random) -> str | None:
        wanted = count(visible(text), rate)
        if not wanted:
            return None
        letters = list(text)
        for place in islice(drawn(_sites(free(text, PLAIN)), rng), wanted):
            letters[place] = pick(NEIGHBOURS[text[place]], rng)
        return changed(text, letters)

    return perturb


def _sites(left: bytearray) -> list[int]:
    """The places of the characters that may be changed."""
    return list(compress(range(len(left)), left))


@perturbation(
    name="ocr",
    level="character",
    capability="robustness: misread scans",
    test_type="INV",
    family="typing",
    source="Romero Alvarado (2023), section 3.3.1, OCR",
    languages=("id", "en"),
)
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
    'moolern clan bcrsih'
    """
    table = confusions(LEXICONS / "ocr_confusions.csv")

    def perturb(text: str, rate: float, rng: random.Random) -> str | None:
        wanted = count(visible(text), rate)
        if not wanted:
            return None
        letters, left = list(text), free(text, PLAIN)
        for place in drawn(_sites(left), rng):
            readings = [
                (source, target)
                for source, target in table.get(text[place], ())
                if text.startswith(source, place) and all(left[place : place + len(source)])
            ]
            if readings:
                source, target = pick(readings, rng)
                letters[place : place + len(source)] = [target, *[""] * (len(source) - 1)]
                left[place : place + len(source)] = bytes(len(source))
                wanted -= 1
            if not wanted:
                break
        return changed(text, letters)

    return perturb


@perturbation(
    name="spelling",
    level="character",
    capability="robustness: misspellings",
    test_type="INV",
    family="typing",
    source="Romero Alvarado (2023), section 3.3.1, Spelling error",
    languages=("id", "en"),
)
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
    errors = misspellings(LEXICONS / f"misspellings_{language}.csv", language)
    clitic = "nya" if language == "id" else ""

    def perturb(text: str, rate: float, rng: random.Random) -> str | None:
        wanted, done, changes = count(visible(text), rate), 0, {}
        sites = _misspelt(text, errors, clitic) if wanted else []
        for word, options in drawn(sites, rng):
            wrong, edits = pick(options, rng)
            if edits <= 2 * (wanted - done):
                changes[word], done = words.cased(word.text, wrong), done + edits
            if done >= wanted:
                break
        if sites and not changes:
            every = ((edits, wrong, word) for word, options in sites for wrong, edits in options)
            _, wrong, word = min(every)
            changes[word] = words.cased(word.text, wrong)
        return changed(text, [words.replace(text, changes)]) if changes else None

    return perturb


def _misspelt(text: str, errors: dict, clitic: str) -> list[tuple[words.Word, tuple]]:
    """The words of a text that have misspellings, and these with their edits."""
    sites, tokens = [], words.words(text)
    for at, word in enumerate(tokens):
        key = words.key(word.text)
        options = errors.get(key)
        if options is None and clitic and key.endswith(clitic) and len(key) > len(clitic) + 3:
            base = errors.get(key[: -len(clitic)], ())
            options = tuple((wrong + clitic, edits) for wrong, edits in base)
        if options and not phrases.whole(phrases.Match(text, tokens, at, at + 1)):
            sites.append((word, options))
    return sites


@perturbation(
    name="character_typos",
    level="character",
    capability="robustness: random typos",
    test_type="INV",
    family="typing",
    source="Romero Alvarado (2023), section 3.3.1, Typos",
    languages=("id", "en"),
)
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
    'pesnaan daang teapnt wuktu'
    """

    def perturb(text: str, rate: float, rng: random.Random) -> str | None:
        wanted = count(visible(text), rate)
        if not wanted:
            return None
        letters, left = list(text), free(text, LATIN)
        for place in drawn(_sites(left), rng):
            if left[place]:
                _mistype(text, place, letters, left, rng)
                wanted -= 1
            if not wanted:
                break
        return changed(text, letters)

    return perturb


def _mistype(
    text: str, place: int, letters: list[str], left: bytearray, rng: random.Random
) -> None:
    """Make one typo in `letters`, which has "" for a letter left out; `left` has 1 for those not
    hit yet.
    """
    letter, after = text[place], place + 1
    swappable = left[after] == 1 and text[after] != letter
    kind = pick(_KINDS[_leavable(letters, place), swappable], rng)
    left[place] = 0
    if kind == "delete":
        letters[place] = ""
    elif kind == "swap":
        letters[place], letters[after] = text[after], letter
        left[after] = 0
    else:
        new = pick(_OTHERS[letter] if kind == "replace" else LETTERS, rng)
        new = new.upper() if letter.isupper() else new
        letters[place] = new if kind == "replace" else new + letter


def _leavable(letters: list[str], place: int) -> bool:
    """Whether a letter beside this one stays."""
    before, after = place - 1, place + 1
    return (before >= 0 and letters[before].isalpha()) or (
        after < len(letters) and letters[after].isalpha()
    )
