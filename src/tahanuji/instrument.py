"""An instrument: a perturbation with its language, rate and options, and how valid it is.

What readers found of an instrument's outputs stands in data/validity/shares.csv, which
`python -m tahanuji.validity shares` writes from the ratings. It is read here and never worked out
again: whether it still holds is a comparison of two hashes, that of the code and the word lists by
which the instrument was rated and that of today.
"""

import functools
import importlib
import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tahanuji import fingerprints, lexicons, paths, perturb
from tahanuji.errors import unknown

__all__ = ["Instrument", "Validity", "instrument"]

MIXING = "code_mixing"  # words in random order exchanged by `tahanuji.codemix`
MIXING_RATE = 0.4
MIXED_BY = ("tahanuji.codemix.mixing", "tahanuji.codemix.search", "tahanuji.codemix.translators")
MIXED = ("en", "jv", "su", "ms", "synonym")
SHARES = paths.DATA / "validity" / "shares.csv"
SHARED = ("instrument", "language", "rate", "n", "raters", "grammatical", "same_meaning")
SHARED += ("same_label", "as_expected", "twice", "bound", "meaning_bound", "sha256")


@dataclass(frozen=True)
class Validity:
    """What readers found of an instrument's outputs.

    Parameters
    ----------
    rate : float
        At which it was rated; it says nothing of larger ones.
    n, raters, twice : int
        Outputs rated, their readers, and the outputs that two readers and more rated.
    grammatical, same_meaning, same_label, as_expected : float
        Shares of the outputs, 0 to 1; `as_expected` of a DIR test, else NaN.
    bound : float
        One-sided 95% upper bound of the share of outputs with another right label (of a DIR test:
        that do not say what is expected), of those rated twice; 1 without ratings.
    meaning_bound : float
        The same of outputs with another meaning.
    current : bool
        Whether the instrument is still the one that was rated.
    """

    rate: float = 0.0
    n: int = 0
    raters: int = 0
    twice: int = 0
    grammatical: float = math.nan
    same_meaning: float = math.nan
    same_label: float = math.nan
    as_expected: float = math.nan
    bound: float = 1.0
    meaning_bound: float = 1.0
    current: bool = False

    def unfit(self, question: str = "label") -> float:
        """The bound that a verdict reckons with, for the label or the meaning; 1 where the ratings
        no longer hold.
        """
        bound = self.bound if question == "label" else self.meaning_bound
        return bound if self.current else 1.0


@dataclass(frozen=True)
class Instrument:
    """A perturbation with all that decides what it makes of a text.

    Parameters
    ----------
    perturbation : str
        A name of `perturb.REGISTRY`, or `code_mixing`; any other name is a test whose changed texts
        were written.
    language : str
        Of the texts, `id` or `en`.
    rate : float or None
        Share of characters, words or places; None: the rate at which it is rated.
    options : tuple of (str, value)
        Those that differ from the perturbation's defaults, as `instrument` orders them.
    test : str
        Its name in tables; empty: that of the perturbation.

    Examples
    --------
    >>> gak = instrument("negation", variant="gak")
    >>> gak.key, gak.name, gak.test_type, gak.validity.same_label
    ('negation:gak', 'negation: gak', 'INV', 1.0)
    """

    perturbation: str
    language: str = "id"
    rate: float | None = None
    options: tuple[tuple[str, object], ...] = ()
    test: str = ""

    def __post_init__(self):
        object.__setattr__(self, "test", self.test or self.perturbation)
        if self.rate is None and self.entry:
            object.__setattr__(self, "rate", self.entry.rated_rate)
        elif self.rate is None and self.perturbation == MIXING:
            object.__setattr__(self, "rate", MIXING_RATE)

    @property
    def entry(self) -> perturb.Perturbation | None:
        """The perturbation as it is registered; None for code-mixing and written texts."""
        return perturb.REGISTRY.get(self.perturbation)

    @property
    def key(self) -> str:
        """Its name in data/validity, by the options that are no default: `negation:gak`."""
        rated = dict(self.entry.rated_options) if self.entry else {"into": ()}
        named = [str(v) if option in rated else f"{option}={v}" for option, v in self.options]
        return ":".join([self.perturbation, *named])

    @property
    def name(self) -> str:
        """Its name for readers, with the rate where it has several: `keyboard 0.05`."""
        name = self.key.replace(":", ": ").replace("_", " ")
        return name if math.isnan(self.table_rate) else f"{name} {self.table_rate:g}"

    @property
    def table_rate(self) -> float:
        """The rate in tables: NaN where the perturbation has but one."""
        return self.rate if self.entry and len(self.entry.rates) > 1 else math.nan

    @property
    def family(self) -> str:
        """The family of changes that it belongs to; empty where it has none."""
        return self.entry.family if self.entry else "mixing" * (self.perturbation == MIXING)

    @property
    def test_type(self) -> str:
        """INV, DIR or meaning; of code-mixing and written texts INV."""
        return self.entry.test_type if self.entry else "INV"

    @property
    def rateable(self) -> bool:
        """Whether its outputs can be rated: not of a fixed insertion, nor of a user's own file."""
        if self.entry is None:
            return self.perturbation == MIXING
        return self.entry.rateable and self.entry.needs.get(self.language) != ()

    @property
    def validity(self) -> Validity | None:
        """What readers found of its outputs; None where there is nothing to rate."""
        if not self.rateable:
            return None
        rated = _shares().get((self.key, self.language))
        if rated is None:
            return Validity()
        return replace(rated[0], current=rated[1] == self.fingerprint())

    def fingerprint(self) -> str:
        """The sha256 of the code and word lists that decide what it makes of a text."""
        function = inspect.unwrap(self.entry.function) if self.entry else None
        return fingerprints.behind(*([function.__module__] if function else MIXED_BY[1:]))

    def apply(self, frame, seed: int) -> list:
        """The changed text of every row, the same for any order and subset of rows.

        Parameters
        ----------
        frame : DataFrame
            Columns `id, text`; of pairs also `text_pair`; for code-mixing also `label`.
        seed : int
            Together with the id it seeds the generator of a text.

        Returns
        -------
        list
            A text (of pairs a tuple of two) per row, None where the instrument does not apply.

        Raises
        ------
        InputError
            For an unknown name, language or option value, and a rate outside 0 to 1.
        """
        options = dict(self.options)
        if self.perturbation == MIXING:
            mixing = importlib.import_module(MIXED_BY[0])  # which builds on this module
            return mixing.at_random(frame, options["into"], self.rate, seed)
        return perturb.apply(
            self.perturbation, frame, self.rate, seed, language=self.language, **options
        )

    def at(self, rate: float) -> "Instrument":
        """The same instrument at another rate."""
        return replace(self, rate=rate)


def instrument(
    perturbation: str, language: str = "id", rate: float | None = None, test: str = "", **options
) -> Instrument:
    """The instrument that a perturbation is with options.

    Parameters
    ----------
    perturbation, language, rate, test
        See `Instrument`.
    **options
        As `perturb.make` takes them; those equal to their defaults are left out.

    Returns
    -------
    Instrument

    Raises
    ------
    InputError
        For an unknown perturbation.

    Examples
    --------
    >>> instrument("negation", variant="nggak").key, instrument("negation", word="bukan").key
    ('negation', 'negation:word=bukan')
    """
    if perturbation == MIXING:
        return Instrument(perturbation, language, rate, tuple(options.items()), test)
    if perturbation not in perturb.REGISTRY:
        raise unknown("perturbation", perturbation, perturb.REGISTRY)
    declared = inspect.signature(perturb.REGISTRY[perturbation].function).parameters
    chosen = [
        (name, value)
        for name, value in options.items()
        if name not in declared or value != declared[name].default
    ]
    return Instrument(perturbation, language, rate, tuple(chosen), test)


def grid(
    names: list[str], language: str = "id", options: Mapping | None = None
) -> list[Instrument]:
    """The instruments of a grid: every perturbation at all its rates.

    >>> [one.name for one in grid(["twitter", "keyboard"])]
    ['twitter', 'keyboard 0.01', 'keyboard 0.05', 'keyboard 0.1']
    """
    return [
        instrument(name, language, rate, **(options or {}).get(name, {}))
        for name in names
        for rate in perturb.REGISTRY[name].rates
    ]


def rated(language: str = "id") -> list[Instrument]:
    """All instruments whose outputs readers rate: perturbations, some of their options, and for
    Indonesian code-mixing.

    >>> rated()[-1].key, "code_mixing:jv" in [one.key for one in rated("en")]
    ('code_mixing:synonym', False)
    """
    spoken = {name: one for name, one in perturb.REGISTRY.items() if language in one.languages}
    plain = [instrument(name, language) for name in spoken]
    chosen = [
        instrument(name, language, **{option: value})
        for name, one in spoken.items()
        for option, values in one.rated_options.items()
        for value in values.get(language, ())
    ]
    mixed = MIXED if language == "id" else ()
    mixing = [instrument(MIXING, language, into=into) for into in mixed]
    return [one for one in plain if one.rateable] + chosen + mixing


def named(key: str, language: str = "id") -> Instrument:
    """The rated instrument of a key such as `negation:gak`; InputError for any other."""
    by_key = {one.key: one for one in rated(language)}
    if key not in by_key:
        raise unknown("instrument", key, by_key)
    return by_key[key]


@functools.cache
def _shares() -> dict[tuple[str, str], tuple[Validity, str]]:
    """The validity of every rated instrument and language, with the hash by which it was rated."""
    table = {}
    for _, (key, language, rate, *cells, sha256) in lexicons.body(SHARES, SHARED):
        numbers = [float(cell) if cell else math.nan for cell in cells]
        names = ("n", "raters", *SHARED[5:9], "twice", "bound", "meaning_bound")
        rated = dict(zip(names, numbers, strict=True), rate=float(rate))
        counts = {name: int(rated[name]) for name in ("n", "raters", "twice")}
        table[key, language] = Validity(**rated | counts), sha256
    return table
