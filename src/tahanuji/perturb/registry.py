"""The registry of perturbations: what each is called, does and tests, filled by the decorator
`perturbation` where its function is written.
"""

import functools
import inspect
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from tahanuji import downloads
from tahanuji.errors import InputError, unknown
from tahanuji.perturb import units

Function = Callable[[str, float, random.Random], str | None]
RATES = {"character": (0.01, 0.05, 0.1), "word": (0.1, 0.2, 0.3), "other": (1.0,)}


@dataclass(frozen=True)
class Perturbation:
    """What a perturbation does and tests.

    Attributes
    ----------
    name : str
    function : callable
        `function(language=..., **options)` gives the pure function `(text, rate, rng)` that returns
        the perturbed text, or None where the perturbation does not apply.
    level : {"character", "word", "other"}
        What its rate is a share of: characters, words, or the places where it applies.
    capability : str
        As in CheckList.
    test_type : {"INV", "DIR", "MFT", "meaning"}
        As in CheckList; `meaning` (changes meaning) says that another answer may be right, so that
        no level mean, verdict or headline rests on it.
    source : str
        Paper and section.
    languages : tuple of str
    needs : mapping
        By language the registered files to download, an empty tuple where something else has to be
        fetched.
    grid : bool
        Whether `all` means it too.
    family : str
        The family of changes that it belongs to: typing, abbreviation, register, mixing, names and
        places, small additions, numbers and synonyms; empty where its label need not stay.
    rate : float or None
        That of headlines, where it is not the middle one of its level.
    rated_options : mapping
        Options of which some values are rated for themselves: by option and language the values.
    rateable : bool
        Whether there is anything to rate.
    """

    name: str
    function: Callable[..., Function]
    level: str
    capability: str
    test_type: str
    source: str
    languages: tuple[str, ...] = ("id",)
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    grid: bool = True
    family: str = ""
    rate: float | None = None
    rated_options: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    rateable: bool = True

    @property
    def rates(self) -> tuple[float, ...]:
        """The rates at which a grid applies it (Romero Alvarado, 2023, section 3.3)."""
        return RATES[self.level]

    @property
    def rated_rate(self) -> float:
        """The rate of headlines, at which readers rate it: the middle one, if not its own."""
        return self.rates[len(self.rates) // 2] if self.rate is None else self.rate


REGISTRY: dict[str, Perturbation] = {}


def perturbation(name: str, **fields) -> Callable[[Callable[..., Function]], Callable]:
    """Register the decorated function as a perturbation.

    Parameters
    ----------
    name : str
        The name under which it is asked for.
    **fields
        The other fields of `Perturbation`.

    Returns
    -------
    callable
        A decorator that returns the function with its language and the names of its options
        checked (InputError).

    Raises
    ------
    ValueError
        Where another perturbation has the name, or the level is none of `RATES`.

    Examples
    --------
    >>> perturbation("keyboard", level="character", capability="", test_type="INV", source="")(make)
    Traceback (most recent call last):
    ...
    ValueError: a second perturbation keyboard
    """

    def register(function: Callable[..., Function]) -> Callable[..., Function]:
        declared = inspect.signature(function).parameters

        @functools.wraps(function)
        def checked(language: str = "id", *values, **options) -> Function:
            units.check_language(language, name, REGISTRY[name].languages)
            for option in options:
                if option not in declared:
                    raise unknown(f"option of {name}", option, declared)
            return function(language, *values, **options)

        entry = Perturbation(name, checked, **fields)
        if name in REGISTRY:
            raise ValueError(f"a second perturbation {name}")
        if entry.level not in RATES:
            raise ValueError(f"{name} is of the level {entry.level}, none of {', '.join(RATES)}")
        REGISTRY[name] = entry
        return checked

    return register


def names(wanted: str | Iterable[str] = "all", language: str = "id") -> list[str]:
    """The perturbations that a parameter or a list means, in the order of the registry.

    Names of `REGISTRY`.

    >>> names("offline")[:3], names("typos, ocr, keyboard", "en")
    (['keyboard', 'ocr', 'spelling'], ['typos', 'keyboard', 'ocr'])
    """
    units.check_language(language, "the perturbations")
    spoken = {name: entry for name, entry in REGISTRY.items() if language in entry.languages}
    if wanted in ("all", "offline"):
        return [
            name
            for name, entry in spoken.items()
            if entry.grid and (wanted == "all" or language not in entry.needs)
        ]
    listed = wanted.split(",") if isinstance(wanted, str) else wanted
    asked = [name.strip() for name in listed if name.strip()]
    for name in asked:
        if name not in REGISTRY:
            raise unknown("perturbation", name, REGISTRY, "all and offline mean several.")
        if name not in spoken:
            raise InputError(
                f"there is no {name} in {units.LANGUAGES[language]}; it is for "
                f"{', '.join(REGISTRY[name].languages)}."
            )
    return [name for name in spoken if name in asked]


def make(name: str, language: str = "id", **options) -> Function:
    """The function of a perturbation; files that it needs are fetched first, so that nothing fails
    half-way.

    Parameters
    ----------
    name : str
        A name of `REGISTRY`.
    language : str
        Of the texts, `id` or `en`.
    **options
        What the perturbation takes beyond that; its own docstring says what.

    Returns
    -------
    callable
        `(text, rate, rng) -> str | None`: the perturbed text, or None where it does not apply. The
        rate is a share from 0 to 1 of the text's characters, words or places, as the level says.

    Raises
    ------
    InputError
        For an unknown name, language, option or option value, and where a file cannot be had.

    Examples
    --------
    >>> make("negation", variant="gak")("Tidak enak .", 1.0, random.Random(1))
    'Gak enak .'
    """
    if name not in REGISTRY:
        raise unknown("perturbation", name, REGISTRY)
    names(name, language)
    for file in REGISTRY[name].needs.get(language, ()):
        downloads.locate(file)
    return REGISTRY[name].function(language=language, **options)
