"""Parameters that hold several values, separated by commas."""

from tahanuji.errors import InputError


def words(text: str) -> list[str]:
    """The items of a comma-separated parameter.

    >>> words("nggak, gak")
    ['nggak', 'gak']
    """
    return [item.strip() for item in str(text).split(",") if item.strip()]


def numbers(text: str) -> list[float]:
    """The numbers of a comma-separated parameter; InputError where one is none."""
    try:
        return [float(item) for item in words(text)]
    except ValueError as error:
        raise InputError(f"{text!r} is not a comma-separated list of numbers: {error}.") from None
