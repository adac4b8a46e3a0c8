"""Policies of a gate: what a classifier must stand, per family of changes and per test."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import yaml

from tahanuji import paths
from tahanuji.errors import InputError, unknown
from tahanuji.measure import FEWEST
from tahanuji.measure.power import CONFIDENCE

FOLDER = Path(__file__).with_name("policies")
STAND, NOT_BREAK, NOTHING, NO_WORSE = "stand", "not break", "nothing", "no worse than "
BY = ("errors added", "flips", "both")
SKILLS = "skills"  # the family of written cases (MFT)
BASELINE = "baseline"  # what --against names


@dataclass(frozen=True)
class Rule:
    """What is asked of a test.

    Parameters
    ----------
    must : str
        `stand` (shown to cost less than the margin), `not break` (not shown to cost more), `no
        worse than NAME` (shown to cost less than the margin more than on the same rows of a
        baseline), or `nothing`.
    margin : float
        A share of texts between 0 and 1.
    confidence : float
        Of each one-sided bound, from 0.5 to 1.
    least_texts : int
        Fewer decide nothing.
    repeats : int
        How often each text must have been asked: for models that draw their answers.
    by : str
        What an INV test with right labels is judged by: `errors added`, `flips`, or `both`.
    """

    must: str = STAND
    margin: float = 0.1
    confidence: float = CONFIDENCE
    least_texts: int = FEWEST
    repeats: int = 1
    by: str = BY[0]

    def __post_init__(self):
        ranges = {"margin": (0, 1), "confidence": (0.5, 1)}
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if not isinstance(value, int | float) or not low < value < high:
                raise InputError(f"{name} lies between {low} and {high}, and {value!r} does not.")
        for name in ("least_texts", "repeats"):
            value = getattr(self, name)
            if not isinstance(value, int) or value < 1:
                raise InputError(f"{name} is a whole number from 1 on, not {value!r}.")
        if self.by not in BY:
            raise unknown("quantity", self.by, BY)
        if self.must not in (STAND, NOT_BREAK, NOTHING) and not self.baseline:
            raise unknown("must", self.must, (STAND, NOT_BREAK, f"{NO_WORSE}NAME", NOTHING))

    @property
    def baseline(self) -> str:
        """The name of what a classifier must be no worse than; empty where it must not."""
        said = str(self.must)
        return said.removeprefix(NO_WORSE).strip() if said.startswith(NO_WORSE) else ""


NAMES = {one.name for one in fields(Rule)}


@dataclass(frozen=True)
class Policy:
    """What a classifier must stand.

    Parameters
    ----------
    name : str
        The policy's name for readers.
    rule : mapping
        Fields of `Rule` for every test; those of its family, then its own, come before.
    families, tests : mapping of str to mapping
        By name of a family of changes (`skills`: written cases), or of a test.
    undecided : int
        The exit status where nothing breaks and something is undecided.

    Examples
    --------
    >>> policy = Policy("own", {"margin": 0.1}, families={"typing": {"must": "not break"}})
    >>> policy.of("typing", "ocr").must, policy.of("register", "slang").must
    ('not break', 'stand')
    """

    name: str
    rule: Mapping = field(default_factory=dict)
    families: Mapping[str, Mapping] = field(default_factory=dict)
    tests: Mapping[str, Mapping] = field(default_factory=dict)
    undecided: int = 2

    def __post_init__(self):
        for given in (self.rule, *self.families.values(), *self.tests.values()):
            if not isinstance(given, Mapping):
                raise InputError(f"a rule of {self.name} is no mapping: {given!r}.")
            if strange := [name for name in given if name not in NAMES]:
                raise unknown(f"word in a rule of {self.name}", strange[0], sorted(NAMES))
            Rule(**(dict(self.rule) | dict(given)))
        if type(self.undecided) is not int or self.undecided < 0:
            raise InputError(f"undecided is an exit status such as 2, not {self.undecided!r}.")

    def of(self, family: str, test: str) -> Rule:
        """The rule for a test; written cases are skills, of which nothing is asked unless named."""
        own = [self.families.get(family), self.tests.get(test)]
        chosen = Rule(**(dict(self.rule) | dict(own[0] or {}) | dict(own[1] or {})))
        skills = family == SKILLS and own == [None, None]
        return replace(chosen, must=NOTHING) if skills else chosen

    @property
    def repeats(self) -> int:
        """How often a text has to be asked at most."""
        given = [self.rule, *self.families.values(), *self.tests.values()]
        return max(one.get("repeats", 1) for one in given)

    @property
    def baselines(self) -> list[str]:
        """The names of all baselines."""
        given = [self.rule, *self.families.values(), *self.tests.values()]
        return sorted({name for one in given if (name := Rule(**one).baseline)})

    def no_baseline(self) -> InputError:
        """What is said where a baseline is asked for and none is named."""
        return InputError(f"{self.name} compares with a baseline; name it with --against.")


def ready() -> list[str]:
    """The names of the policies that come along.

    >>> ready()
    ['default', 'lenient', 'no_worse', 'strict']
    """
    return sorted(path.stem for path in FOLDER.glob("*.yaml"))


def read(name: str | Path) -> Policy:
    """The policy of a yaml file, or a ready one.

    Parameters
    ----------
    name : str or Path
        A name of `ready`, or a file with `rule`, `families`, `tests` and `undecided`.

    Returns
    -------
    Policy

    Raises
    ------
    InputError
        For a file that is not there or no yaml, and for words and values that no rule has.

    Examples
    --------
    >>> read("lenient").undecided, read("strict").of("typing", "ocr").margin
    (0, 0.05)
    """
    path = FOLDER / f"{name}.yaml" if str(name) in ready() else Path(name)
    if not path.is_file():
        raise unknown("policy", name, ready(), "Or a yaml file.")
    try:
        content = paths.read_yaml(path)
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        said = " ".join(str(error).split())
        raise InputError(f"{paths.shown(path)} is no yaml ({said}).") from None
    allowed = {"rule": {}, "families": {}, "tests": {}, "undecided": 2}
    if not isinstance(content, dict) or (strange := sorted(map(str, set(content) - set(allowed)))):
        what = strange[0] if isinstance(content, dict) else content
        raise unknown(f"key of {paths.shown(path)}", what, allowed)
    given = {name: content.get(name) for name in allowed if content.get(name) is not None}
    if no := [key for key in ("families", "tests") if not isinstance(given.get(key, {}), dict)]:
        raise InputError(f"{no[0]} of {paths.shown(path)} has a rule for each name.")
    return Policy(path.stem, **given)
