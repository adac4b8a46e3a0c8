"""The project's own lexicon: words by sense, chosen by the words beside them.

A row of `data/lexicons/codemix.csv` holds where a word beside the word is one of `left` and the one
on the other side one of `right` (an empty cell asks for nothing; `me*` is any word that begins so,
`tidak_*` the next two words of that side; `^` and `$` mean that neither a word nor a number stands
there). The first row that holds decides, and an empty translation leaves the word as it is; `~`
leaves the decision to the rows below, so that a row can be for some languages alone. In a
translation `_` is the word beside, so that `_ pisan` goes behind the next word and `really _`
before the one in front. Accents of the list (Sundanese é) are left out of texts.
"""

import fnmatch
import functools
import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tahanuji import lexicons, paths, words
from tahanuji.codemix import noun_phrases
from tahanuji.codemix.dictionaries import Translator, unaccented
from tahanuji.errors import unknown
from tahanuji.perturb import phrases
from tahanuji.perturb import synonyms as written

PATH = lexicons.LEXICONS / "codemix.csv"
HEADER = ("word", "left", "right")
NOTHING = {"left": "^", "right": "$"}
ELSEWHERE = "~"
_FIGURE_BEFORE, _FIGURE_AFTER = re.compile(r"(?<!\S)(\d\S*) $"), re.compile(r" (\d\S*)")


class Sense(NamedTuple):
    """A translation (empty for none; `_` is the word beside) and the patterns of `fnmatch` of which
    one fits the word on either side; no patterns fit any word.

    >>> Sense((), ("me*",), "can").holds("saya", "memilih")
    True
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    target: str

    def holds(self, before: str, after: str) -> bool:
        """Whether the words beside (up to two a side joined by `_`; `^` and `$` for none) are those
        of the sense; patterns with `_` are held against both words, others against the next one.
        """
        return _fits(self.left, before, before.rpartition("_")[2]) and _fits(
            self.right, after, after.partition("_")[0]
        )


class Senses(Translator):
    """A lexicon of words by sense, in the order in which the senses are tried.

    English words break no phrase (`noun_phrases`). Words inside the fixed expressions of
    `fixed_expressions_id.csv`, those that a capital makes a name, and those that stand twice
    (*cepat cepat*) have no translation in a text.

    >>> can, get = Sense((), ("me*",), "can"), Sense((), (), "get")
    >>> both = Senses("own", "en", {"dapat": [can, get]})
    >>> text = "dapat memilih, dapat bonus"
    >>> both.targets(text, words.words(text))
    {0: 'can', 2: 'get'}
    """

    def __init__(self, name: str, language: str, senses: dict[str, list[Sense]]):
        self.name, self.language, self.senses = name, language, senses

    def answer(self, word: str) -> str | None:
        """The translation without any context: of the last sense that has one."""
        targets = [sense.target for sense in self.senses.get(word, ()) if sense.target]
        return targets[-1] if targets else None

    def targets(self, text: str, tokens: list[words.Word]) -> dict[int, str]:
        """The translations of the words of a text by their numbers."""
        closed, keys = guarded(text, tokens), [words.key(token.text) for token in tokens]
        chosen = {}
        for number, key in enumerate(keys):
            if key in self.senses and number not in closed:
                target = self._target(text, tokens, number)
                if target and self.foreign(key, target):
                    chosen[number] = target
        return chosen

    def _target(self, text: str, tokens: list[words.Word], number: int) -> str:
        """The translation of one word by the words beside it, empty for none."""
        key = words.key(tokens[number].text)
        before = _beside(text, tokens, number, -1) or NOTHING["left"]
        after = _beside(text, tokens, number, 1) or NOTHING["right"]
        held = (sense.target for sense in self.senses[key] if sense.holds(before, after))
        target = unaccented(next(held, ""))
        lacking = (target.startswith("_") and after == NOTHING["right"]) or (
            target.endswith("_") and before == NOTHING["left"]
        )
        return "" if lacking or self._breaks(key, target, before, after) else target

    def _breaks(self, key: str, target: str, before: str, after: str) -> bool:
        """Whether a translation breaks an Indonesian phrase: only English orders its own another
        way.
        """
        beside = before.rpartition("_")[2], after.partition("_")[0]
        return self.language == "en" and noun_phrases.broken(key, target, *beside, self._names)

    def _names(self, word: str) -> bool:
        """Whether a word is translated as a noun."""
        return any(noun_phrases.named(sense.target) for sense in self.senses.get(word, ()))


def guarded(text: str, tokens: list[words.Word]) -> set[int]:
    """The numbers of the words of an Indonesian text that are not translated one by one: inside a
    fixed expression, beside themselves (*anak anak*), initials that look like negators (*GA-204*),
    and names, which have a capital that no sentence begins with, in a text that is not all in
    capitals or Title Case.

    >>> text = "antre lama di Bank Mandiri, bak ayam jago"
    >>> sorted(guarded(text, words.words(text)))
    [3, 4, 6, 7]
    """
    inside = written.in_expressions(text, tokens)
    inside |= _twice(text, tokens) | lexicons.initials(text, tokens)
    capital = [token.text[0].isupper() and not token.text.isupper() for token in tokens]
    if sum(capital) > len(tokens) / 2 and len(tokens) > 4:
        return inside
    names = {
        number
        for number, token in enumerate(tokens)
        if capital[number] and not written.BEGINS.search(text, 0, token.start)
    }
    first = {number - 1 for number in names if number and capital[number - 1]}
    return inside | names | first


def lexicon(language: str, path: Path = PATH) -> Senses:
    """The words of a lexicon such as `data/lexicons/codemix.csv` with their senses in the language
    of a column.

    Raises InputError for a language without a column, and with its line for a bad row: a word that
    is missing, not lower case or not one word, a translation with signs that no word has, or a
    sense behind one that holds anywhere.

    >>> lexicon("en").answer("kecewa")
    'disappointed'
    """
    lines = lexicons.rows(path, 4)
    _, header = next(lines, (1, [""]))
    if tuple(header[:3]) != HEADER:
        lexicons.refuse(path, 1, "is not a header that begins with word,left,right")
    if language not in header[3:]:
        raise unknown("language", language, header[3:], f"These are those of {paths.shown(path)}.")
    column, senses = header.index(language), {}
    for line, row in lines:
        word, target = row[0], row[column].strip()
        if word != words.key(word) or " " in word or not words.phrase(word):
            lexicons.refuse(path, line, f"has {word!r} where one lower-case word belongs")
        if target == ELSEWHERE:
            continue
        if target and not words.phrase(target.removeprefix("_ ").removesuffix(" _")):
            lexicons.refuse(path, line, f"has {target!r} where a translation of {word!r} belongs")
        before = senses.setdefault(word, [])
        if before and before[-1][:2] == ((), ()):
            lexicons.refuse(path, line, f"has a sense of {word!r} behind one that always holds")
        before.append(Sense(tuple(row[1].split()), tuple(row[2].split()), target))
    return Senses("lexicon", language, senses)


def synonyms() -> Senses:
    """The first synonym of each word in `data/lexicons/synonyms_id.csv`, as if Indonesian were
    another language: a control that exchanges words and mixes nothing.

    >>> synonyms().translate("agar")
    'supaya'
    """
    table = written.lexicon(written.LEXICON)
    after = dict.fromkeys(lexicons.members("id", "strengthens what is before"), ("??*",))
    senses = {word: [Sense(after.get(word, ()), (), one[0])] for word, one in table.items()}
    return Senses("synonyms", "synonym", senses)


def _beside(text: str, tokens: list[words.Word], number: int, step: int) -> str:
    """The next words on one side of a word, two at most, in the text's order and joined by `_`; a
    number that stands there counts as one, so that *baru 3* is no *baru* at an end.
    """
    start, end, _ = tokens[number]
    figure = _FIGURE_AFTER.match(text, end) if step > 0 else _FIGURE_BEFORE.search(text, 0, start)
    if figure:
        return figure[1]
    beside, at = [], number
    while len(beside) < 2 and 0 <= at + step < len(tokens):
        if not phrases.together(text, tokens[min(at, at + step) : max(at, at + step) + 1]):
            break
        at += step
        beside.append(words.key(tokens[at].text))
    return "_".join(beside[::step])


def _twice(text: str, tokens: list[words.Word]) -> set[int]:
    """The numbers of the words that stand twice, with blanks or hyphens between them, affixes or
    not (*bertahun tahun*).
    """
    twice = set()
    for number, (one, other) in enumerate(zip(tokens, tokens[1:], strict=False)):
        left, right = words.key(one.text), words.key(other.text)
        affixed = len(min(left, right, key=len)) > 3
        alike = left == right or (affixed and (left.endswith(right) or right.startswith(left)))
        if alike and not text[one.end : other.start].strip(" -"):
            twice |= {number, number + 1}
    return twice


def _fits(patterns: Iterable[str], words_beside: str, nearest: str) -> bool:
    return not patterns or any(
        _matches(pattern, words_beside if "_" in pattern else nearest) for pattern in patterns
    )


@functools.cache
def _matches(pattern: str, word: str) -> bool:
    return pattern == word if pattern in NOTHING.values() else fnmatch.fnmatchcase(word, pattern)
