"""The registry of perturbations: what each is called, does and tests, filled by the decorator
`perturbation` where its function is written.
"""

import functools
import inspect
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tahanuji import downloads, lexicons, paths
from tahanuji.errors import InputError, unknown
from tahanuji.perturb import units

Function = Callable[[str, float, random.Random], str | None]
Rating = dict[str, float | None]
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

    def validity(self, language: str = "id", option: str = "") -> Rating | None:
        """Its rated validity: which shares of its outputs readers find as its test needs them.

        Parameters
        ----------
        language : str
            `id` or `en`.
        option : str
            The value of an option that is rated for itself, such as `gak` of negation; empty: as
            it is by default.

        Returns
        -------
        dict or None
            Of data/validity/shares.csv n (rated outputs), raters; the shares grammatical,
            same_meaning, same_label and as_expected (None but of a DIR test), 0 to 1; and bound,
            the one-sided 95% upper bound of the share that lost its label (of a DIR test: that
            does not say what is expected). None where nobody has rated it.

        Examples
        --------
        >>> REGISTRY["insertion"].validity() is None
        True
        >>> REGISTRY["negation"].validity(option="gak")["same_label"]
        1.0
        """
        rated = f"{self.name}:{option}" if option else self.name
        rating = _ratings().get((rated, language))
        return rating and dict(rating)


REGISTRY: dict[str, Perturbation] = {}
SHARES = paths.DATA / "validity" / "shares.csv"  # written by python -m tahanuji.validity shares
RATED = ("instrument", "language", "rate", "n", "raters", "grammatical", "same_meaning")
RATED += ("same_label", "as_expected", "bound")


@functools.cache
def _ratings() -> dict[tuple[str, str], Rating]:
    """The figures of each instrument and language that readers have rated."""
    return {
        (instrument, language): {
            column: int(cell) if cell.isdecimal() else float(cell) if cell else None
            for column, cell in zip(RATED[3:], cells, strict=True)
        }
        for _, (instrument, language, _, *cells) in lexicons.body(SHARES, RATED)
    }


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


def names(wanted: str = "all", language: str = "id") -> list[str]:
    """The perturbations that a parameter means, in the order of the registry.

    Parameters
    ----------
    wanted : str
        `all` of the grid, `offline` (those of the grid that need no download), or names of any
        perturbations, joined by commas.
    language : str
        `id` or `en`.

    Returns
    -------
    list of str
        Names of `REGISTRY`.

    Raises
    ------
    InputError
        For a language or a name that is not there, and for a perturbation that the language does
        not have.

    Examples
    --------
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
    asked = [name.strip() for name in wanted.split(",") if name.strip()]
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


def rates(name: str) -> tuple[float, ...]:
    """The rates at which the grid applies a perturbation, those of its level.

    Parameters
    ----------
    name : str
        A name of `REGISTRY`.

    Returns
    -------
    tuple of float
        Shares from 0 to 1.

    Raises
    ------
    InputError
        For an unknown name.

    References
    ----------
    Romero Alvarado (2023), section 3.3.

    Examples
    --------
    >>> rates("keyboard"), rates("twitter")
    ((0.01, 0.05, 0.1), (1.0,))
    """
    if name not in REGISTRY:
        raise unknown("perturbation", name, REGISTRY)
    return RATES[REGISTRY[name].level]
