"""What the translators are made of: pairs of words, and a chain of several translators."""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable

from tahanuji import words
from tahanuji.errors import InputError


class Translator:
    """What all translators share; a subclass says in `answer` what it knows of a word, be it the
    word itself.
    """

    name = language = ""
    # Words of the language that Indonesian texts use themselves, so that they are no foreign ones.
    native: Collection[str] = frozenset()

    def answer(self, word: str) -> str | None:
        """The translation of a word in the form of `words.key`, the word itself where no other is
        known, or None.
        """
        raise NotImplementedError

    def translate(self, word: str) -> str | None:
        """A foreign translation of a lower-case word, or None."""
        target = self.answer(word)
        return None if target is None or not self.foreign(word, target) else target

    def foreign(self, word: str, target: str) -> bool:
        """Whether a translation is another word, and not one that Indonesian texts use."""
        used = all(part == word or part in self.native for part in _parts(target))
        return not used and not words.same(word, target)

    def targets(self, text: str, tokens: list[words.Word]) -> dict[int, str]:
        """The foreign translations of the words of a text, by the numbers of the words."""
        keys = [words.key(token.text) for token in tokens]
        answers = ((number, key, self.translate(key)) for number, key in enumerate(keys))
        return {
            number: target
            for number, key, target in answers
            if target and self.foreign(key, target)
        }

    def coverage(self, wanted: Iterable[str]) -> dict:
        """How many of the wanted words (repeats count) are `translated`, `native` (only by a word
        that Indonesian texts use), `identical` (only by themselves) or `missing`, and the `share`
        translated.
        """
        keys = [words.key(word) for word in wanted]
        kinds = Counter(self._kind(key) for key in keys)
        counts = {kind: kinds[kind] for kind in ("translated", "native", "identical", "missing")}
        share = counts["translated"] / len(keys) if keys else float("nan")
        return {"words": len(keys), **counts, "share": share}

    def _kind(self, key: str) -> str:
        target = self.answer(key)
        if target is None:
            return "missing"
        if words.same(key, target) or _parts(target) == [key]:
            return "identical"
        return "translated" if self.foreign(key, target) else "native"


def bare(text: str) -> str:
    """A text in lower case without accents, as Indonesians write other languages.

    >>> bare("Gedé")
    'gede'
    """
    return unaccented(words.key(text))


def unaccented(text: str) -> str:
    """A text without accents: Sundanese is written with é in word lists and without it by most.

    >>> unaccented("Nyaéta")
    'Nyaeta'
    """
    letters = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def _parts(target: str) -> list[str]:
    """The words of a translation, bare; `_`, which stands for a word beside, is none."""
    return [bare(part) for part in target.split() if part != "_"]


class Dictionary(Translator):
    """Pairs of words, of several translations of a word the first that differs from it; without
    pairs whose source or target is not made of words, or whose source is of several.
    """

    def __init__(self, name: str, language: str, pairs: Iterable[tuple[str, str]]):
        self.name, self.language = name, language
        self.entries: dict[str, str] = {}
        for source, target in pairs:
            self._add(words.key(source.strip()), target.strip())

    def _add(self, source: str, target: str) -> None:
        if " " in source or not words.phrase(source) or not words.phrase(target):
            return
        identical = words.same(source, target)
        if source not in self.entries or (
            not identical and words.same(source, self.entries[source])
        ):
            self.entries[source] = target

    def answer(self, word: str) -> str | None:
        return self.entries.get(word)


class Chain(Translator):
    """The first of several translators of one language that has another word; the later ones are
    asked only where the earlier have none.
    """

    def __init__(self, *translators: Translator):
        self.translators, self.name = translators, "+".join(part.name for part in translators)
        languages = list(dict.fromkeys(part.language for part in translators))
        if len(languages) != 1:
            raise InputError(
                f"a chain of translators is of one language, not of "
                f"{', '.join(languages) or 'none'}."
            )
        self.language = languages[0]

    def answer(self, word: str) -> str | None:
        itself = None
        for part in self.translators:
            target = part.answer(word)
            if target is not None and part.foreign(word, target):
                return target
            itself = itself or target
        return itself

    def targets(self, text: str, tokens: list[words.Word]) -> dict[int, str]:
        targets: dict[int, str] = {}
        for part in self.translators:
            targets = part.targets(text, tokens) | targets
        return targets
