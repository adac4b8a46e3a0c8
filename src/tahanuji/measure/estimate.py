"""A number with its interval: the one form in which a number goes from a frame to a reader."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """A value with its interval and the number of rows that it rests on.

    Parameters
    ----------
    value, low, high : float
        The estimate and the ends of its interval, in the unit of the quantity: shares and their
        differences from 0 to 1. NaN where there is no row, or no interval.
    n : float
        Rows, or effective rows.

    Notes
    -----
    `format` writes it in a unit, with `value:` or `interval:` before the unit one part alone, and
    with a precision such as `.0` the decimals:

    | specification | value 0.1234, interval 0.098 to 0.154 |
    | --- | --- |
    | `%` | 12.3% (9.8 to 15.4) |
    | `points` | +12.3 (9.8 to 15.4) |
    | `kappa` (or any other word) | 0.12 (0.10 to 0.15) |
    | `value:.0%` | 12% |
    | `interval:points` | 9.8 to 15.4 |
    | `100` | 12 in 100 |
    | `counted` | 12.3% (37 of 300, 95% 9.8 to 15.4) |

    It unpacks as value, low and high. Without a value it says `no examples`, or `none` where there
    are rows.

    Examples
    --------
    >>> error = Estimate(0.1234, 0.098, 0.154, 300)
    >>> f"{error:%}", f"{error:points}", f"{error:kappa}", f"{error:value:.0%}"
    ('12.3% (9.8 to 15.4)', '+12.3 (9.8 to 15.4)', '0.12 (0.10 to 0.15)', '12%')
    >>> f"{Estimate(-0.0001, -0.02, 0.02, 300):points}", f"{Estimate.none():%}"
    ('0.0 (-2.0 to 2.0)', 'no examples')
    >>> value, low, high = error
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n: float = 0

    @classmethod
    def none(cls) -> "Estimate":
        """The estimate of a quantity of which there is no row."""
        return cls(math.nan)

    def __iter__(self) -> Iterator[float]:
        return iter((self.value, self.low, self.high))

    def __bool__(self) -> bool:
        return not math.isnan(self.value)

    def __format__(self, spec: str) -> str:
        part, unit = spec.split(":", 1) if ":" in spec else ("", spec)
        if not self:
            return "none" if self.n else "no examples"
        if unit == "counted":
            count = f"{self.value * self.n:.0f} of {self.n:.0f}"
            return f"{self:value:%} ({count}, 95% {self:interval:%})"
        if part == "value" or math.isnan(self.low):
            return _number(self.value, unit, signed=True)
        ends = " to ".join(_number(end, unit, signed=False) for end in (self.low, self.high))
        return ends if part == "interval" else f"{_number(self.value, unit, signed=True)} ({ends})"


def _number(value: float, unit: str, signed: bool) -> str:
    """One number in a unit; the value has its sign or percent, the ends of an interval have not."""
    digits, unit = _digits(unit)
    if unit == "100":
        return f"{100 * value:.{digits or 0}f}" + " in 100" * signed
    if unit not in ("%", "points"):
        return f"{value:.{2 if digits is None else digits}f}"
    shown = round(100 * value, 1 if digits is None else digits) + 0.0  # no minus before zero
    sign = "+" if unit == "points" and signed and shown > 0 else ""
    return f"{sign}{shown:.{1 if digits is None else digits}f}" + "%" * (unit == "%" and signed)


def _digits(unit: str) -> tuple[int | None, str]:
    """The decimals asked for before a unit, as in `.0%`, and the unit."""
    if not unit.startswith("."):
        return None, unit
    count = len(unit[1:]) - len(unit[1:].lstrip("0123456789"))
    return int(unit[1 : 1 + count]), unit[1 + count :]
