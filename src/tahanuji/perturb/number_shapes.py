"""Numbers that count or price something: where their figures stand, and near numbers of the same
shape.
"""

import functools
import random
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tahanuji import lexicons
from tahanuji import words as wording

_PHONE = r"(?<!\w)\(?(?:\+|0)\d[\d\s().-]{6,}\d(?!\w)"
_TOKEN = re.compile(rf"{'|'.join(wording.NO_WORDS)}|{_PHONE}|(?P<token>\S+)")
_FIGURES = r"[0-9]{1,3}(?:[.,][0-9]{3})+(?:[.,][0-9]{1,2})?|[0-9]{1,7}(?:[.,][0-9]{1,2})?"
_ENDS = ".,:;!?()[]\"'"  # what stands around a number without belonging to it
_WHOLE = {("time", "24"), ("share", "100")}  # round the clock, all of it
_SIGN = re.compile(r"[-/~<>+=×–—:]+")  # of a range, a threshold, a score


_YEAR = re.compile(r"(?:19|20)\d\d")
_REACH = 3  # words about a number among which a threshold or a number to compare may stand


class Number(NamedTuple):
    """The figures of a number, what it measures (money, time, people, or the thing itself), and
    whether it stays as it is.
    """

    start: int
    end: int
    measure: str
    stays: bool


@functools.cache
def _amount(language: str) -> re.Pattern:
    """An amount in figures with the currency or the unit that is glued to it."""
    money, unit = (
        "|".join(map(re.escape, lexicons.values(language, name)))
        for name in ("currency", "counted by figures")
    )
    return re.compile(
        rf"(?:(?P<money>{money})\.?)?(?P<figures>{_FIGURES})(?P<unit>{unit})?(?:,-)?",
        re.IGNORECASE,
    )


def sites(text: str, language: str) -> list[Number]:
    """The numbers that count or price something and have no other of their measure in the text,
    which theirs may be compared with.
    """
    numbers = list(_numbers(text, language))
    often = Counter(number.measure for number in numbers)
    return [
        number
        for number in numbers
        if not number.stays
        and often[number.measure] == 1
        and (number.measure, text[number.start : number.end]) not in _WHOLE
        and _near(text[number.start : number.end])
    ]


def _numbers(text: str, language: str) -> Iterator[Number]:
    """The numbers with a currency or a unit; those stay that belong to a name, a date, a threshold
    or a constant (7 hari seminggu).
    """
    measures, tokens = lexicons.values(language, "counted by figures"), list(_TOKEN.finditer(text))
    for place, token in enumerate(tokens):
        core = (token["token"] or "").lstrip(_ENDS).rstrip(_ENDS)
        hit = _amount(language).fullmatch(core)
        if not hit:
            continue
        following = tokens[place + 1][0] if place + 1 < len(tokens) else ""
        apart = following.rstrip(_ENDS).lower() if token[0].endswith(core) else ""
        # Apart, one letter is no unit: 160 x 200 is a size.
        unit = (hit["unit"] or (apart if apart == "%" or len(apart) > 1 else "")).lower()
        if hit["money"] or unit in measures:
            at = token.start() + token[0].index(core) + hit.start("figures")
            measure = "money" if hit["money"] else measures[unit] or unit
            ahead = [other[0] for other in tokens[max(0, place - _REACH) : place]]
            behind = [other[0] for other in tokens[place + 1 : place + 1 + _REACH]]
            year = measure == "time" and _YEAR.fullmatch(hit["figures"]) is not None
            compared = measure != "money" and _beside(tokens, place, language)
            stays = year or compared or _stays(ahead, behind, language)
            yield Number(at, at + len(hit["figures"]), measure, stays)


def _beside(tokens: list[re.Match], place: int, language: str) -> bool:
    """Whether a bare number stands near, which this one may be compared with (pesan 3 datang 2
    porsi).
    """
    first = max(0, place - _REACH - 1)
    near, here = tokens[first : place + _REACH + 2], place - first
    plain = [(token["token"] or "").strip(_ENDS).lower() for token in near]
    fixing = lexicons.members(language, "before a number that stays")
    units = lexicons.members(language, "counted by figures")
    for at in range(max(0, here - _REACH), min(len(near), here + _REACH + 1)):
        # The unit of this number fixes no other: 3 hari 2 malam.
        fixed = 0 < at != here + 2 and plain[at - 1] in fixing
        counts = not units.isdisjoint(plain[at + 1 : at + 2])
        if at != here and not fixed and not counts and re.fullmatch(_FIGURES, plain[at]):
            return True
    return False


def _stays(ahead: list[str], behind: list[str], language: str) -> bool:
    """Whether what stands up to three words before a number and two words or a phrase behind it
    fixes it.
    """
    if ahead and _SIGN.fullmatch(ahead[-1]):
        return True
    before, after = ([token.strip(_ENDS).lower() for token in side] for side in (ahead, behind))
    members = functools.partial(lexicons.members, language)
    fixed = not members("before a number that stays").isdisjoint(before[-1:])
    bound = not members("bounds a number").isdisjoint(before)
    after = after[:2] + [" ".join(pair) for pair in zip(after, after[1:], strict=False)]
    return fixed or bound or not members("behind a number that stays").isdisjoint(after)


def other(old: str, rng: random.Random) -> str:
    """Another number with as many figures and the same separators, at most a fifth away, by one
    where it has one figure.

    >>> other("1.250.000", random.Random(1)), other("3", random.Random(1))
    ('1.150.000', '2')
    """
    figures = re.sub(r"\D", "", old)
    fresh = iter(str(rng.choice(_near(old))).zfill(len(figures)))
    return "".join(next(fresh) if letter.isdecimal() else letter for letter in old)


def _near(old: str) -> list[int]:
    """The numbers that can stand for a number, its separators left out: none for 0 and 1, and for
    codes such as 007.

    The first two figures move, in steps of five where they are 25, 30, 35 and so on.
    """
    figures = re.sub(r"\D", "", old)
    number = int(figures)
    if number < 2 or (figures[0] == "0" and old[1:2] not in (".", ",")):
        return []
    size = 10 ** max(0, len(str(number)) - 2)
    first, rest = divmod(number, size)
    step = 5 if first % 5 == 0 and first >= 25 else 1
    farthest = max(1, first // 5)
    near = (first + move for move in range(-farthest, farthest + 1) if move and move % step == 0)
    return [new * size + rest for new in near if new > 1 and len(str(new)) == len(str(first))]
