"""The tone of an Indonesian text: whether a person speaks in it, and whether it allows a laugh."""

import re

from tahanuji import lexicons, words

LIST = lexicons.LEXICONS / "tone_id.csv"
_SENTENCE = re.compile(r"[\w,][^\w.!?:;\n]*\Z")


def personal(text: str) -> bool:
    """Whether somebody speaks for himself or chats: a text with a pronoun of the first or second
    person or a colloquial word (classes `speaker` and `casual` of tone_id.csv), and none of the
    words of an office (class `official`).

    >>> personal("saya pesan dua porsi"), personal("gubernur meresmikan jembatan")
    (True, False)
    """
    return (_has(text, "speaker") or _has(text, "casual")) and not _has(text, "official")


def casual(text: str) -> bool:
    """Whether a text is written as one talks to friends: with a colloquial word and none of an
    office.

    >>> casual("gue pesen dua porsi"), casual("saya memesan dua porsi")
    (True, False)
    """
    return _has(text, "casual") and not _has(text, "official")


def sober(text: str) -> bool:
    """Whether a laugh would be out of place: illness, death, crime, faith, politics, requests, and
    praise of those who serve (class `no laughter`).

    >>> sober("kakek masuk rumah sakit"), sober("kopinya tumpah")
    (True, False)
    """
    return _has(text, "no laughter")


def _has(text: str, name: str) -> bool:
    """Whether one of a class's words stands in a text, with or without a clitic."""
    listed = lexicons.word_classes(LIST)[name]
    keys = {words.key(word.text) for word in words.words(text)}
    return any(key in listed or key.removesuffix("nya") in listed for key in keys)


def named(text: str, word: words.Word) -> bool:
    """Whether a capital inside a sentence makes a word a name.

    >>> text = "Es di Kopi Tuku"
    >>> [named(text, word) for word in words.words(text)]
    [False, False, True, True]
    """
    capital = word.text[:1].isupper() and not text.isupper()
    return capital and _SENTENCE.search(text[: word.start]) is not None
