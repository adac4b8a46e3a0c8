"""The words of a text with their places, so that some can be masked or replaced and everything else
stays byte for byte.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple


class Word(NamedTuple):
    """One word: `text[start:end]`."""

    start: int
    end: int
    text: str


_CATEGORIES = [*map(unicodedata.category, map(chr, range(0x80, 0x20000)))]  # planes 0 and 1


def _inside(categories: set[str], without: range = range(0)) -> str:
    """All characters of some Unicode categories as the inside of a pattern's brackets."""
    codes = [
        code
        for code, category in enumerate(_CATEGORIES, 0x80)
        if category in categories and code not in without
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(
        chr(first) if first == last else f"{chr(first)}-{chr(last)}" for first, last in ranges
    )


def _word(letters: str, marks: str) -> str:
    return rf"(?<![\w{marks}]){letters}(?:[-\u2010\u2011'\u2018\u2019`]{letters})*2?(?![\w{marks}])"


# MARKS: combining marks, for inside the brackets of a regular expression. Variation selectors
# (U+FE00 to U+FE0F) follow emoji; \u2139 is an emoji that Unicode counts among the letters.
MARKS = _inside({"Mn", "Mc"}, without=range(0xFE00, 0xFE10))
_WORD = _word(rf"(?>(?:[^\W\d_\u2139{_inside({'Nl', 'No'})}][{MARKS}]*)+)", MARKS)
# What is no word though letters stand in it, as patterns.
NO_WORDS = (
    r"(?i:https?://|www\.)\S+",
    r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
    r"@\w+(?:\.\w+)*|#\w+",
    r"(?<![\w.-])[\w-]{1,60}(?:\.[\w-]{1,60}){0,4}\.(?i:com|net|org|id)(?![\w])(?:/\S*)?",
    r"\[[A-Z][A-Z0-9_ "
    r"-]*\]|(?i:\[(?:user|username|mention|url|link|number|sensitive-no)\])|<[A-Za-z/][^<>\s]*>|(?<!\w)xxx[a-z]+xxx(?!\w)",
    r"(?<!\w)(?:[:;=]-?[DPpOoSsXx]|[xX]D)(?!\w)",
)
_TOKENS = re.compile(rf"{'|'.join(NO_WORDS)}|(?P<word>{_WORD})")
_ASCII = re.compile(
    rf"{'|'.join(NO_WORDS)}|(?P<word>{_word('(?>[A-Za-z]+)', '')})", re.ASCII
)  # the same for ASCII texts, twice as fast
# The words (in the group) and figures of an ASCII text without marks, and what marks such a text
# beside single characters.
_PLAIN_WORD = re.compile(r"([A-Za-z]+(?:[-'`][A-Za-z]+)*2?)(?!\w)|\w+")
_DOTTED, _FACED = re.compile(r"\.\w"), re.compile(r"[:;=][-/\w]")
_PHRASE = re.compile(rf"{_WORD}(?: {_WORD})*")
_PLAIN = str.maketrans("\u2018\u2019`\u2010\u2011", "'''--")


def words(text: str) -> list[Word]:
    """The words of a text in their order.

    Letters of any script with their combining marks are a word; inner hyphens and apostrophes
    belong to it, and so does the figure 2 of a reduplication (anak2). No words: numbers and other
    mixtures with figures, punctuation, emoji, emoticons, @mentions, #tags, addresses, and
    placeholders such as [USERNAME] or <mask>.

    >>> [word.text for word in words("Benar-benar enak, kata @budi di hari Jum'at :D 25rb")]
    ['Benar-benar', 'enak', 'kata', 'di', 'hari', "Jum'at"]
    """
    if text.isascii() and not marked(text):
        return [
            tuple.__new__(Word, (hit.start(), hit.end(), hit[1]))
            for hit in _PLAIN_WORD.finditer(text)
            if hit[1]
        ]  # spares a Word's own constructor
    return [
        Word(hit.start(), hit.end(), hit["word"])
        for hit in (_ASCII if text.isascii() else _TOKENS).finditer(text)
        if hit["word"]
    ]


def marked(text: str) -> bool:
    """Whether a text has a character or pair of which everything in NO_WORDS has one; most texts
    have none and are spared the search for such tokens.
    """
    return (
        any(sign in text for sign in ("@", "#", "[", "<", "_", "xxx", "xD", "XD"))
        or ("." in text and ("w." in text or "W." in text or _DOTTED.search(text) is not None))
        or ((":" in text or ";" in text or "=" in text) and _FACED.search(text) is not None)
    )


def key(word: str) -> str:
    """The form under which a word is looked up: composed (NFC), lower case, plain hyphens and
    apostrophes.

    >>> key("JUM’AT")
    "jum'at"
    """
    if word.isascii():
        return word.lower().replace("`", "'")
    return unicodedata.normalize("NFC", word).lower().translate(_PLAIN)


def same(source: str, target: str) -> bool:
    """Whether two words are one but for case, composition and surrounding space."""
    return key(source).casefold() == key(target.strip()).casefold()


def phrase(text: str) -> bool:
    """Whether a text consists of words with single spaces between them and nothing else."""
    return text.isalpha() or _PHRASE.fullmatch(text) is not None


def cased(source: str, target: str) -> str:
    """The target in the case of the source: lower, Capitalised or UPPER; as it is where the source
    has none of them.

    >>> cased("Enak", "very nice"), cased("ENAK", "nice")
    ('Very nice', 'NICE')
    >>> cased("udah", "Already"), cased("eNak", "Nice")
    ('already', 'Nice')
    """
    if source.islower():
        return target.lower()
    if source.isupper() and sum(letter.isalpha() for letter in source) > 1:
        return target.upper()
    if source[:1].isupper() and not any(
        letter.isupper() for part in re.split(r"\W+", source) for letter in part[1:]
    ):
        return target[:1].upper() + target[1:].lower()
    return target


def replace(text: str, changes: dict[Word, str]) -> str:
    """The text with some of its words exchanged and all else as it was.

    >>> replace("enak, enak!", {Word(6, 10, "enak"): "nice"})
    'enak, nice!'
    """
    return spliced(text, [(word.start, word.end, changes[word]) for word in sorted(changes)])


def spliced(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """The text with other parts in some places; edits are (start, stop, new part), in the order of
    the text.

    >>> spliced("enak, murah", [(0, 4, "lezat"), (11, 11, ".")])
    'lezat, murah.'
    """
    parts, end = [], 0
    for start, stop, new in edits:
        parts += [text[end:start], new]
        end = stop
    return "".join([*parts, text[end:]])


def delete(text: str, word: Word) -> str:
    """The text without one word and without the space that would stand double.

    >>> delete("enak , murah", Word(0, 4, "enak")), delete("enak banget .", Word(5, 11, "banget"))
    (', murah', 'enak .')
    """
    before, after = text[: word.start], text[word.end :]
    return before + (after[1:] if after[:1] == " " and (not before or before[-1] == " ") else after)
