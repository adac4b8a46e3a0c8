"""Noise for training: a new draw every time, over families of what people do to texts, at rates
drawn per text.
"""

import functools
import random
from collections.abc import Callable

from tahanuji import perturb, words
from tahanuji.codemix import translators
from tahanuji.errors import unknown
from tahanuji.harden import halves, vocabulary
from tahanuji.perturb.places import drawn, pick

__all__ = ["FAMILIES", "Noise"]

Family = Callable[[str, random.Random, str | None], str]
TYPING = ("character_typos", "keyboard", "typos")
SLIPS = (0.02, 0.15)  # shares of characters, from and to
HIT = (0.1, 1.0)  # shares of words or places, from and to
MIXED = (0.1, 0.5)
MOST = 3  # families at a time
CLITIC = "nya"
STEM = 4  # letters that a word has to have before nya
EMOJI = ("😊", "🙏", "😂", "👍", "😭", "❤️", "😅", "🔥")
ENDS = ("", " .", " ..", " ...", "!", " !!", " ?!")


class Noise:
    """Draws noise over a text: one to three families, each at a rate of its own.

    Parameters
    ----------
    half : str, optional
        The half of the lexicons from which words are drawn, of `halves.HALVES`; None: both.
    families : tuple of str
        Of `FAMILIES`.

    Examples
    --------
    >>> Noise(families=("short forms",))("barang tidak sampai", random.Random(3))
    'barang enggak sampai'
    """

    def __init__(self, half: str | None = "hardening", families: tuple[str, ...] = ()):
        halves.check(half)
        self.half, self.families = half, tuple(families) or tuple(FAMILIES)

    def __call__(self, text: str, rng: random.Random) -> str:
        """The text with the noise that is drawn."""
        wanted = min(len(self.families), 1 + int(rng.random() * MOST))
        for name in rng.sample(self.families, wanted):
            text = FAMILIES[name](text, rng, self.half) or text
        return text

    def without(self, family: str) -> "Noise":
        """The same without one of its families; InputError for one that it does not have."""
        if family not in self.families:
            raise unknown("family of noise", family, self.families)
        return Noise(self.half, tuple(name for name in self.families if name != family))


def typing(text: str, rng: random.Random, half: str | None) -> str | None:
    """Slips of the finger; no word of a lexicon is needed."""
    name = pick(TYPING, rng)
    bounds = HIT if name == "typos" else SLIPS
    return _made(name)(text, rng.uniform(*bounds), rng)


def short_forms(text: str, rng: random.Random, half: str | None) -> str | None:
    """Abbreviations, misspellings and spellings of tidak."""
    sites = [
        (word, forms)
        for word in words.words(text)
        if (forms := _forms(half).get(words.key(word.text)))
    ]
    return _exchanged(text, sites, rng.uniform(*HIT), rng)


def mixing(text: str, rng: random.Random, half: str | None) -> str | None:
    """Words of another language in random places."""
    language = pick(tuple(translators.LANGUAGES), rng)
    tokens = words.words(text)
    sites = [
        (tokens[number], (target,))
        for number, target in _translator(language).targets(text, tokens).items()
        if "_" not in target and halves.used(target, half)
    ]
    return _exchanged(text, sites, rng.uniform(*MIXED), rng)


def case(text: str, rng: random.Random, half: str | None) -> str | None:
    """All small letters, or some words in capitals."""
    if rng.random() < 0.5 and not words.marked(text):
        return text.lower()
    return _made("word_case")(text, rng.uniform(*HIT), rng)


def marks(text: str, rng: random.Random, half: str | None) -> str:
    """Another end of the text, commas without blanks, or an emoji behind it."""
    body = text.rstrip(" .!")
    if not body:
        return text
    if rng.random() < 0.3:
        return f"{text} {pick(EMOJI, rng) * rng.randint(1, 3)}"
    return (body.replace(" ,", ",") if rng.random() < 0.5 else body) + pick(ENDS, rng)


def nya(text: str, rng: random.Random, half: str | None) -> str | None:
    """The clitic nya behind words, or taken from them."""
    sites = []
    for word in words.words(text):
        if len(word.text) > STEM and word.text.islower():
            stem = word.text.removesuffix(CLITIC)
            sites.append((word, (stem if stem != word.text else word.text + CLITIC,)))
    return _exchanged(text, sites, rng.uniform(0.0, 0.3), rng)


FAMILIES: dict[str, Family] = {
    "typing": typing,
    "short forms": short_forms,
    "mixing": mixing,
    "case": case,
    "marks": marks,
    "nya": nya,
}


def _exchanged(text: str, sites: list, rate: float, rng: random.Random) -> str | None:
    """The text with a share of the sites, at least one, exchanged for one of their forms."""
    if not sites:
        return None
    count = max(1, round(rate * len(sites)))
    chosen = [site for site, _ in zip(drawn(sites, rng), range(count), strict=False)]
    return words.replace(
        text, {word: words.cased(word.text, pick(forms, rng)) for word, forms in chosen}
    )


@functools.cache
def _made(name: str) -> perturb.Function:
    return perturb.make(name)


@functools.cache
def _translator(language: str) -> translators.Translator:
    return translators.named("lexicon", language)


@functools.cache
def _forms(half: str | None) -> dict[str, tuple[str, ...]]:
    """The informal forms of single words: the normaliser's table backwards."""
    forms: dict[str, list[str]] = {}
    for form, meaning in vocabulary.informal(half).items():
        if " " not in meaning:
            forms.setdefault(meaning, []).append(form)
    return {meaning: tuple(sorted(found)) for meaning, found in forms.items()}
