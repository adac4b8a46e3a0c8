"""The halves of the lexicons: what hardens a classifier and what it is tested by share no entry.

An entry belongs to a half by the form that it puts into a text (gak, smpe, tasty), whichever list
it stands in, so that a form that several lists have is in one half only.
"""

import hashlib
import re
from difflib import SequenceMatcher

from tahanuji import words
from tahanuji.errors import unknown

__all__ = ["HALVES", "of", "used"]

HALVES = ("hardening", "tests")


def of(form: str) -> str:
    """The half to which the entries with a form belong, by a hash of its lower-case form.

    Parameters
    ----------
    form : str
        What the entry puts into a text.

    Returns
    -------
    str
        One of `HALVES`.

    Examples
    --------
    >>> of("gak"), of("ga"), of("Gak") == of("gak")
    ('hardening', 'tests', True)
    """
    return HALVES[hashlib.blake2b(words.key(form).encode(), digest_size=1).digest()[0] % 2]


def used(form: str, half: str | None) -> bool:
    """Whether the entries with a form count: all of them do where no half is asked for."""
    return half is None or of(form) == half


def check(half: str | None) -> None:
    """InputError for a half that does not exist."""
    if half is not None and half not in HALVES:
        raise unknown("half", half, HALVES, "None means both.")


def kept(text: str, changed: str | None, half: str) -> str | None:
    """A changed text with only those exchanges of words whose new words belong to a half; None
    where none does.

    Parameters
    ----------
    text, changed : str
        Before and after; None: no change applied.
    half : str
        One of `HALVES`.

    Returns
    -------
    str or None

    Examples
    --------
    >>> kept("tidak enak, tidak murah", "gak enak, ga murah", "hardening")
    'gak enak, tidak murah'
    """
    if changed is None:
        return None
    old, new = (re.findall(r"\S+\s*", one) for one in (text, changed))
    made: list[str] = []
    for kind, *ends in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before, after = old[ends[0] : ends[1]], new[ends[2] : ends[3]]
        pairs = [([one], [two]) for one, two in zip(before, after, strict=False)]
        for one, two in pairs if len(before) == len(after) else [(before, after)]:
            forms = [word.text for word in words.words("".join(two))]
            belongs = kind == "equal" or bool(forms) and all(used(form, half) for form in forms)
            made += two if belongs else one
    return "".join(made) if "".join(made) != text else None
