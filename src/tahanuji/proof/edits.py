"""All texts that one edit of a kind makes of a text.

| kind | one edit |
| --- | --- |
| typos | two neighbouring letters of a word swapped, or one lost, as `perturb.typos` does |
| keyboard | one letter or figure becomes a key that touches its own |
| typing | one of the edits of typos or of keyboard |
| ocr | one letter or group of letters is misread |
| negation | one *tidak* in a colloquial spelling |
| slang | one word or phrase in its slang form |
| marks | one emoji behind the text, one mark repeated, one careless full stop or comma |

The sets are those from which the perturbations of the same names draw one change.
"""

import os
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from tahanuji import lexicons, perturb, words
from tahanuji.errors import unknown
from tahanuji.perturb.noise_tables import confusions
from tahanuji.perturb.places import NEIGHBOURS, PLAIN, free

__all__ = ["KINDS", "WITHIN", "edits"]

WORD = re.compile(r"\S+")
TIDAK = re.compile(r"\btidak\b", re.IGNORECASE)
ONE = 1e-9  # a rate that asks for one site
SHORTEST = 4  # letters of a word that a typo hits
MARKS = ("emoji", "tone_marks", "punctuation")
Part = tuple[int, int, str]  # what is replaced, text[start:stop], and by what


def edits(text: str, kind: str) -> list[str]:
    """All texts that one edit of a kind makes of a text.

    Parameters
    ----------
    text : str
    kind : str
        Of `KINDS`.

    Returns
    -------
    list of str
        Each once and none equal to the text; white space stays as it is.

    Raises
    ------
    InputError
        For an unknown kind.

    Examples
    --------
    >>> edits("kopi ini", "typos")
    ['kpi ini', 'kpoi ini', 'koi ini', 'koip ini']
    """
    if kind not in KINDS:
        raise unknown("kind of edits", kind, KINDS)
    made = dict.fromkeys(KINDS[kind](text))
    made.pop(text, None)
    return list(made)


def hit(text: str, edited: str) -> int:
    """The number of the white-space word in which an edited text first differs; that of the last
    word where something was put behind the text.

    >>> hit("kopi ini enak", "kopi ini enk"), hit("enak", "enak 😊")
    (2, 0)
    """
    same = len(os.path.commonprefix([text, edited]))
    spans = [word.span() for word in WORD.finditer(text)]
    return next((n for n, (_, end) in enumerate(spans) if same < end), len(spans) - 1)


def pieces(text: str, kind: str) -> list[tuple[int, str]]:
    """Every edit inside one white-space word, as the word's number and what becomes of it.

    Parameters
    ----------
    text : str
    kind : str
        Of `WITHIN`: their edits of two different words can be made together.

    Returns
    -------
    list of (int, str)
        In the order of `edits`.

    Raises
    ------
    InputError
        For another kind.

    Examples
    --------
    >>> pieces("di kopi", "typos")
    [(1, 'kpi'), (1, 'kpoi'), (1, 'koi'), (1, 'koip')]
    """
    if kind not in WITHIN:
        raise unknown("kind of edits inside words", kind, WITHIN)
    numbered = [(hit(text, new), new) for new in edits(text, kind)]
    return [(at, new.split()[at]) for at, new in numbered]


def placed(text: str, parts: Mapping[int, str]) -> str:
    """The text with some of its white-space words, by number, replaced.

    >>> placed("kopi  ini enak", {0: "kpi", 2: "enk"})
    'kpi  ini enk'
    """
    spans = enumerate(word.span() for word in WORD.finditer(text))
    return words.spliced(text, [(*span, parts[at]) for at, span in spans if at in parts])


def _made(text: str, parts: Iterable[Part]) -> Iterator[str]:
    """The text with each of some parts alone replaced."""
    for start, stop, new in parts:
        yield text[:start] + new + text[stop:]


def typos(text: str) -> Iterator[str]:
    """Swaps and losses of letters, never of a word's first one."""
    for word in WORD.finditer(text):
        start, stop = word.span()
        for at in range(start + 1, stop - 1 if stop - start >= SHORTEST else 0):
            yield text[:at] + text[at + 1 :]
            yield text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def keyboard(text: str) -> Iterator[str]:
    """Keys beside the right one."""
    sites = [at for at, allowed in enumerate(free(text, PLAIN)) if allowed]
    return _made(text, ((at, at + 1, key) for at in sites for key in NEIGHBOURS[text[at]]))


def typing(text: str) -> Iterator[str]:
    """Typos and keys beside the right one."""
    yield from typos(text)
    yield from keyboard(text)


def ocr(text: str) -> Iterator[str]:
    """Misreadings."""
    table, left = confusions(lexicons.LEXICONS / "ocr_confusions.csv"), free(text, PLAIN)
    return _made(
        text,
        (
            (at, at + len(source), target)
            for at in range(len(text))
            for source, target in table.get(text[at], ())
            if text.startswith(source, at) and all(left[at : at + len(source)])
        ),
    )


def negation(text: str) -> Iterator[str]:
    """Spellings of one *tidak*."""
    variants = lexicons.values("id", "variant of tidak")
    parts = (
        (*hit.span(), words.cased(hit[0], variant))
        for hit in TIDAK.finditer(text)
        for variant in variants
    )
    return _made(text, parts)


def slang(text: str) -> Iterator[str]:
    """Slang forms of one word or phrase."""
    return drawable(perturb.make("slang"), text)


def marks(text: str) -> Iterator[str]:
    """Emoji behind the text, repeated marks, careless full stops and commas."""
    for name in MARKS:
        yield from drawable(perturb.make(name), text)


KINDS: dict[str, Callable[[str], Iterable[str]]] = {
    "typos": typos,
    "keyboard": keyboard,
    "typing": typing,
    "ocr": ocr,
    "negation": negation,
    "slang": slang,
    "marks": marks,
}
WITHIN = ("typos", "keyboard", "typing", "ocr")  # whose edits lie inside one white-space word


def drawable(function: perturb.Function, text: str) -> Iterator[str]:
    """Everything that a perturbation can draw where it is asked for one site, by going through all
    choices that it leaves to its generator.
    """
    left: list[tuple[int, ...]] = [()]
    while left:
        rng = Chosen(path := left.pop())
        if (made := function(text, ONE, rng)) is not None:
            yield made
        for depth in range(len(path), len(rng.sizes)):
            before = path + (0,) * (depth - len(path))
            left += [(*before, other) for other in range(1, rng.sizes[depth])]


class Chosen(random.Random):
    """A generator that takes the choices of a path, the first one beyond it, and notes in `sizes`
    how many there were each time. Other draws than these are refused.
    """

    def __init__(self, path: tuple[int, ...]):
        super().__init__(0)
        self.path, self.sizes = path, []

    def _next(self, size: int) -> int:
        depth = len(self.sizes)
        self.sizes.append(size)
        return self.path[depth] if depth < len(self.path) else 0

    def choice(self, options):
        return options[self._next(len(options))]

    def randint(self, low, high):
        return low + self._next(high - low + 1)

    def sample(self, population, k):
        if k > 1:
            raise NotImplementedError(f"{k} sites at once")
        return [population[self._next(len(population))]] if k else []

    def random(self):
        raise NotImplementedError("a share cannot be gone through")
