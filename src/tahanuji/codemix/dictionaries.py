"""What the translators are made of: pairs of words, and a chain of several translators."""

from collections import Counter
from collections.abc import Iterable

from tahanuji import words
from tahanuji.errors import InputError


class Translator:
    """What all translators share; a subclass says in `answer` what it knows of a word, be it the
    word itself.
    """

    name = language = ""

    def answer(self, word: str) -> str | None:
        """The translation of a word in the form of `words.key`, the word itself where no other is
        known, or None.
        """
        raise NotImplementedError

    def translate(self, word: str) -> str | None:
        """A translation that differs from the lower-case word, or None."""
        found = self.answer(word)
        return None if found is None or words.same(word, found) else found

    def coverage(self, wanted: Iterable[str]) -> dict:
        """How many of the wanted words (repeats count) are `translated`, `identical` (only by
        themselves) or `missing`, and the `share` translated.
        """
        keys = [words.key(word) for word in wanted]
        kinds = Counter(
            "translated"
            if self.translate(key)
            else "missing"
            if self.answer(key) is None
            else "identical"
            for key in keys
        )
        counts = {kind: kinds[kind] for kind in ("translated", "identical", "missing")}
        return {
            "words": len(keys),
            **counts,
            "share": counts["translated"] / len(keys) if keys else float("nan"),
        }


class Dictionary(Translator):
    """Pairs of words; of several translations of a word the first that differs from it.

    `counts`: `pairs` given, those of them left out as `identical` or as `junk` (source or target is
    not made of words, or the source of several), and the `words` that have a translation.
    """

    def __init__(self, name: str, language: str, pairs: Iterable[tuple[str, str]]):
        self.name, self.language = name, language
        self.known: dict[str, str] = {}
        self.counts = dict.fromkeys(("pairs", "identical", "junk", "words"), 0)
        for source, target in pairs:
            self._add(words.key(source.strip()), target.strip())
        self.counts["words"] = sum(
            not words.same(source, target) for source, target in self.known.items()
        )

    def _add(self, source: str, target: str) -> None:
        self.counts["pairs"] += 1
        if " " in source or not words.phrase(source) or not words.phrase(target):
            self.counts["junk"] += 1
            return
        identical = words.same(source, target)
        self.counts["identical"] += identical
        if source not in self.known or (not identical and words.same(source, self.known[source])):
            self.known[source] = target

    def answer(self, word: str) -> str | None:
        return self.known.get(word)


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
            found = part.answer(word)
            if found is not None and not words.same(word, found):
                return found
            itself = found or itself
        return itself
