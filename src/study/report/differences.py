"""What a perturbation changed in a text, marked for reading."""

import re
from difflib import SequenceMatcher
from os.path import commonprefix

from markupsafe import Markup, escape

OBEYED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def marked(text: str, changed: str, ahead: int | None = None) -> Markup:
    """A text with the words that a perturbation took out and put in marked; tags in it are shown.
    `ahead`: how many of the words before the first of them are shown at most; None: all.

    >>> marked("saya tidak suka", "saya gak suka")
    Markup('saya <del>tidak</del> <ins>gak</ins> suka')
    >>> marked("kamar mandi di hotel ini bersih", "kamar mandi di hotel itu bersih", ahead=2)
    Markup('… di hotel <del>ini</del> <ins>itu</ins> bersih')
    """
    old, new = visible(text).split(), visible(changed).split()
    same = len(commonprefix([old, new]))
    parts: list[Markup] = []
    if ahead is not None and same > ahead:
        old, new = old[same - ahead :], new[same - ahead :]
        parts.append(Markup("…"))
    for kind, start, stop, first, last in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind == "equal":
            parts.append(_words("{}", old[start:stop]))
        else:
            parts += [_words("<del>{}</del>", old[start:stop])] * (stop > start)
            parts += [_words("<ins>{}</ins>", new[first:last])] * (last > first)
    return Markup(" ").join(parts)


def _words(element: str, words: list[str]) -> Markup:
    return Markup(element).format(" ".join(words))


def shown(text: str) -> Markup:
    """A text for a page: tags in it are shown.

    >>> shown("a<b>\\x07")
    Markup('a&lt;b&gt;[U+0007]')
    """
    return escape(visible(text))


def visible(text: str) -> str:
    """A text with U+ and a number for what a browser would obey or drop: controls, and marks that
    turn the direction of writing.
    """
    return OBEYED.sub(lambda one: f"[U+{ord(one[0]):04X}]", text)
