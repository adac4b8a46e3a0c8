"""What each instrument makes of texts at the rate of the headlines: the items that are rated."""

import hashlib
import inspect

import pandas as pd

from tahanuji import data, perturb
from tahanuji.errors import unknown

SEED = 24112026  # of the sample: drawn anew after repairs, which the former one called for
CODE_MIXING = "code_mixing"
MIXED = ("en", "jv", "su", "ms", "synonym")
MIXING_RATE = 0.4
RATES = {"typos": 0.3}  # where the notebook of the headline does not use the middle of the grid
SOURCES = {"id": ("embedded", "smsa"), "en": ("embedded_english", "nusax_english")}
UNRATED = ("insertion",)  # the whole text and a fixed sentence: there is nothing to rate
VARIANTS = {  # by language and perturbation an option and its values that are rated for themselves
    "id": {
        "negation": ("variant", ("enggak", "gak", "engga", "ngga", "ga", "ndak")),
        "prejudice": ("kind", ("names", "groups")),
        "contraction": ("direction", ("expand",)),
    },
    "en": {"prejudice": ("kind", ("names",)), "contraction": ("direction", ("expand",))},
}
EACH = {"id": 50, "en": 50}  # outputs per source
KEY = ["instrument", "language", "rate", "draw", "dataset", "split", "id"]


def instruments(language: str = "id") -> list[str]:
    """The names of everything that is rated.

    Parameters
    ----------
    language : str
        `id` or `en`, of the texts.

    Returns
    -------
    list of str
        Perturbations of the registry, without those that need a file of the user's own; some of
        their options, as `negation:gak`; and for Indonesian `code_mixing:<language>`.

    Examples
    --------
    >>> instruments()[-1], "code_mixing:jv" in instruments("en")
    ('code_mixing:synonym', False)
    """
    spoken = [name for name, entry in perturb.REGISTRY.items() if language in entry.languages]
    mixed = [f"{CODE_MIXING}:{code}" for code in MIXED] if language == "id" else []
    options = VARIANTS[language].items()
    chosen = [f"{name}:{value}" for name, (_, values) in options for value in values]
    return [name for name in spoken if rateable(name, language)] + chosen + mixed


def rateable(instrument: str, language: str = "id") -> bool:
    """Whether a name is one of a perturbation or of code-mixing whose outputs can be rated: not of
    a fixed insertion, nor of a user's own file.
    """
    if instrument.startswith(f"{CODE_MIXING}:"):
        return True
    entry = perturbation(instrument)
    return entry is not None and entry.name not in UNRATED and entry.needs.get(language) != ()


def instrument(name: str, **options) -> str:
    """The instrument that a perturbation is with options.

    Parameters
    ----------
    name : str
        A perturbation of the registry.
    **options
        As `perturb.make` takes them.

    Returns
    -------
    str
        The name itself where no option differs from its default; else one that says which do, and
        is among `instruments` only if that one value is rated for itself.

    Examples
    --------
    >>> instrument("negation", variant="nggak"), instrument("negation", variant="gak")
    ('negation', 'negation:gak')
    >>> instrument("negation", variant="nggak", word="gak")
    'negation:word=gak'
    """
    declared = inspect.signature(perturb.REGISTRY[name].function).parameters
    rated = {
        option for variants in VARIANTS.values() for option, _ in [variants.get(name, ("", ()))]
    }
    other = [
        str(value) if key in rated else f"{key}={value}"
        for key, value in options.items()
        if value != declared[key].default
    ]
    return ":".join([name, *other])


def perturbation(instrument: str) -> perturb.Perturbation | None:
    """The perturbation behind an instrument's name; None of code-mixing."""
    return perturb.REGISTRY.get(instrument.partition(":")[0])


def headline_rate(instrument: str) -> float:
    """The rate at which an instrument is rated.

    Parameters
    ----------
    instrument : str
        Of `instruments`, or any perturbation.

    Returns
    -------
    float
        The middle rate of the grid, or the one of the instrument's own notebook.

    Raises
    ------
    InputError
        For a name that is no instrument.

    Examples
    --------
    >>> headline_rate("keyboard"), headline_rate("typos"), headline_rate("code_mixing:jv")
    (0.05, 0.3, 0.4)
    """
    rated = [name for language in SOURCES for name in instruments(language)]
    if instrument not in {*rated, *perturb.REGISTRY}:
        raise unknown("instrument", instrument, dict.fromkeys(rated))
    entry = perturbation(instrument)
    if entry is None:
        return MIXING_RATE
    grid = perturb.rates(entry.name)
    return RATES.get(entry.name, grid[len(grid) // 2])


def fingerprint(text: str) -> str:
    """Twelve digits by which an output is recognised without being printed."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def outputs(
    instrument: str, dataset: str, language: str = "id", count: int = 50, seed: int = SEED
) -> pd.DataFrame:
    """Texts of a data set that an instrument changes, with what it makes of them.

    Parameters
    ----------
    instrument : str
        Of `instruments`.
    dataset : str
        Whose test, validation and training texts are tried, in this order.
    language : str
        Of the texts.
    count : int
        Texts wanted; fewer where it changes fewer.
    seed : int
        Of the perturbation, and of the order in which texts are tried.

    Returns
    -------
    DataFrame
        instrument, language, rate, draw (the seed), dataset, split, id, text, changed.

    Raises
    ------
    InputError
        For an unknown instrument or data set.

    Examples
    --------
    >>> outputs("negation", "embedded", count=2).columns.tolist()[:3]
    ['instrument', 'language', 'rate']
    """
    parts, missing = [], count
    for split in reversed(data.SPLITS):
        frame = _shuffled(data.load(dataset, split), f"{seed} {instrument}")
        for start in range(0, len(frame), 8 * count):
            part = _changed(instrument, frame[start : start + 8 * count], language, seed)
            part = part.head(missing).assign(split=split)
            parts.append(part)
            missing -= len(part)
            if not missing:
                break
        if not missing:
            break
    table = pd.concat(parts, ignore_index=True)
    rate = headline_rate(instrument)
    named = {"instrument": instrument, "language": language, "rate": rate, "draw": str(seed)}
    return table.assign(**named, dataset=dataset)[[*KEY, "text", "changed"]]


def again(rated: pd.DataFrame, instrument: str, language: str, seed: int = SEED) -> pd.Series:
    """The fingerprints of an instrument's outputs today for rated texts; None where it no longer
    changes them. `rated` has dataset, split, id.
    """
    parts = []
    for (dataset, split), part in rated.groupby(["dataset", "split"]):
        frame = data.load(dataset, split)
        frame = frame[frame["id"].isin(set(part["id"]))]
        changed = _changed(instrument, frame, language, seed).set_index("id")["changed"]
        now = part["id"].map(changed.map(fingerprint))
        parts.append(now.where(now.notna(), None))
    return pd.concat(parts)


def _shuffled(frame: pd.DataFrame, salt: str) -> pd.DataFrame:
    """The rows in an order that depends on a salt and their ids alone."""
    order = sorted(frame["id"], key=lambda example: fingerprint(f"{salt} {example}"))
    shuffled = frame.set_index("id", drop=False).loc[order].reset_index(drop=True)
    return data.describe(shuffled, **frame.attrs["source"])


def _changed(instrument: str, frame: pd.DataFrame, language: str, seed: int) -> pd.DataFrame:
    """Id, text and changed text of the rows that an instrument changes; InputError for one that the
    language does not have.
    """
    if instrument not in instruments(language):
        raise unknown("instrument", instrument, instruments(language))
    rate = headline_rate(instrument)
    name, _, value = instrument.partition(":")
    if name == CODE_MIXING:
        new = _mixed(frame, value, rate, seed)
    else:
        option = {VARIANTS[language][name][0]: value} if value else {}
        new = perturb.apply(name, frame, rate, seed, language=language, **option)
    table = frame[["id", "text"]].assign(changed=new)
    return table[table["changed"].notna() & (table["changed"] != table["text"])]


def _mixed(frame: pd.DataFrame, language: str, rate: float, seed: int) -> list[str]:
    """Texts with words in random order exchanged, as the defence's control has it."""
    from tahanuji.codemix import mixing, translators

    if frame.empty:
        return []
    translator = translators.named("lexicon", language)
    blend = mixing.Blend([translator], rate, seed, {})
    return list(blend.randomly(frame)["text"])
