"""The halves of the lexicons: what hardens a classifier and what it is tested by share no entry.

An entry belongs to a half by the form that it puts into a text (gak, smpe, tasty), whichever list
it stands in, so that a form that several lists have is in one half only.
"""

import hashlib

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
