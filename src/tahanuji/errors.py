"""One kind of error for what a user can mend, and sentences that say how."""

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath

# What writers say of a full disk where they raise no OSError: safetensors, and torch's archive.
FULL = re.compile(
    r"No space left on device|inline_container\.cc.*(unexpected pos|write failed)", re.S
)


class InputError(ValueError):
    """Something given from outside is wrong; the message says what was given, what is allowed and
    what to do.
    """


def unknown(kind: str, given: object, allowed: Iterable[str], hint: str = "") -> InputError:
    """An InputError for a name that is not among the allowed ones, with the nearest of them.

    >>> str(unknown("position", "ende", ["end", "start"]))
    "unknown position 'ende'; did you mean 'end'? Allowed: end, start."
    """
    import difflib

    names = [str(name) for name in allowed]
    near = difflib.get_close_matches(str(given), names, n=2, cutoff=0.5)
    guess = f"; did you mean {' or '.join(repr(name) for name in near)}?" if near else "."
    return InputError(
        f"unknown {kind} {given!r}{guess} Allowed: {', '.join(names)}.{' ' + hint if hint else ''}"
    )


def absent(kind: str, given: str, allowed: Iterable[str], hint: str = "") -> InputError:
    """An InputError for what is neither a file nor an allowed name; a path is not answered with
    names.

    >>> str(absent("data set", "ulasan.csv", ["smsa", "embedded"]))
    "there is no file or folder 'ulasan.csv'."
    """
    path = PurePath(given)
    if path.suffix or path.name != given:
        return InputError(f"there is no file or folder {given!r}.{' ' + hint if hint else ''}")
    return unknown(kind, given, allowed, hint)


@contextmanager
def extra(name: str) -> Iterator[None]:
    """A context for imports that an extra of the distribution brings: where a package is missing,
    an InputError says how to install it.

    >>> with extra("models"):
    ...     import no_such_package
    Traceback (most recent call last):
    ...
    tahanuji.errors.InputError: no_such_package is not installed: pip install "tahanuji[models]".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "tahanuji":
            raise
        said = f'{package} is not installed: pip install "tahanuji[{name}]".'
        raise InputError(said) from error


def no_space(said: str) -> bool:
    """Whether an error's text is that of a full disk.

    >>> no_space("I/O error: No space left on device (os error 28)"), no_space("unexpected pos")
    (True, False)
    """
    return bool(FULL.search(said))


def sentence(error: BaseException) -> str:
    """One sentence for an error that reached the command line: InputErrors as they are, a full disk
    and a read-only folder in plain words.
    """
    if isinstance(error, OSError) and error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return (
            f"{error.filename or 'a file'} is read-only, or not yours to read; change its "
            "permissions, or name another folder for runs in TAHAN_OUTPUTS."
        )
    if getattr(error, "errno", None) == errno.ENOSPC or no_space(str(error)):
        name = getattr(error, "filename", "")
        where = f" while writing {name}" if name else ""
        return (
            f"no space left on the device{where}; free some and give the same command again: "
            "finished runs and finished epochs are kept."
        )
    return str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
