"""One kind of error for what a user can mend, and sentences that say how."""

import difflib
import errno
from collections.abc import Iterable


class InputError(ValueError):
    """Something given from outside is wrong; the message says what was given, what is allowed and
    what to do.
    """


def unknown(kind: str, given: object, allowed: Iterable[str], hint: str = "") -> InputError:
    """An InputError for a name that is not among the allowed ones, with the nearest of them.

    >>> str(unknown("position", "ende", ["end", "start"]))
    "unknown position 'ende'; did you mean 'end'? Allowed: end, start."
    """
    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(str(given), names, n=2, cutoff=0.5)
    guess = f"; did you mean {' or '.join(repr(name) for name in near)}?" if near else "."
    return InputError(
        f"unknown {kind} {given!r}{guess} Allowed: {', '.join(names)}.{' ' + hint if hint else ''}"
    )


def sentence(error: BaseException) -> str:
    """One sentence for an error that reached the command line: InputErrors as they are, a full disk
    in plain words.
    """
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        where = f" while writing {error.filename}" if error.filename else ""
        return (
            f"no space left on the device{where}; free some and give the same command again: "
            "finished runs and finished epochs are kept."
        )
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
