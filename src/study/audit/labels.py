"""What a label means: by its name, or as the user says with --map; never by its position."""

import difflib

from tahanuji import data, lexicons
from tahanuji.errors import InputError

LEFT_OUT = "-"  # what a label is mapped to whose rows take no part
USUAL = {2: ["negative", "positive"], 3: ["negative", "neutral", "positive"]}  # of 0, 1, ...


def mapping(words: str) -> dict[str, str]:
    """The pairs of `0=negative,1=positive`, names in lower case; InputError for words of another
    form, and for a name that stands twice.

    >>> mapping("0=negatif, LABEL_1=Positive")
    {'0': 'negative', 'label_1': 'positive'}
    """
    result: dict[str, str] = {}
    for part in filter(str.strip, words.split(",")):
        name, label = (side.strip() for side in part.partition("=")[::2])
        if not (name and label) or set("=;") & set(label):
            raise InputError(
                f"--map takes name=label pairs such as 0=negative,1=positive, and {part!r} is none."
            )
        if name.lower() in result:
            raise InputError(f"--map names {name!r} twice (case does not count); name it once.")
        result[name.lower()] = meant(label, {})
    return result


def kept(names: dict[str, str]) -> dict[str, str]:
    """A map for the answers of a classifier: whose rows are left out is still one of its labels.

    >>> kept({"neu": "-", "pos": "positive"})
    {'pos': 'positive'}
    """
    return {name: label for name, label in names.items() if label != LEFT_OUT}


def meant(name: str, names: dict[str, str]) -> str:
    """The label that a name means: as mapped (see `mapping`), else by what classifiers of sentiment
    call it, else itself in lower case.

    >>> meant("Positif", {}), meant("1", {"1": "negative"}), meant("Hate", {})
    ('positive', 'negative', 'hate')
    """
    lower = name.strip().lower()
    return names.get(lower) or lexicons.label_names().get(lower, lower)


def proposal(strange: list[str], labels: list[str]) -> str:
    """What to give to --map for names that nobody knows: numbers in their usual order, words by the
    label of sentiment that they resemble, any other for the user to fill in.

    >>> proposal(["0", "1"], ["positive", "negative"]), proposal(["negatives", "x"], data.LABELS)
    ('0=negative,1=positive', 'negatives=negative,x=LABEL')
    """
    sentiment = data.of_sentiment(labels)
    numbers = {name: int(one[1]) for name in strange if (one := data.LABEL_NUMBER.fullmatch(name))}
    usual = USUAL.get(max(numbers.values(), default=0) + 1, []) if sentiment else labels
    said = {name: usual[at] for name, at in numbers.items() if at < len(usual)}
    known = lexicons.label_names() if sentiment else {}
    for name in strange:
        for near in difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75):
            said.setdefault(name, known[near])
    return ",".join(f"{name}={said.get(name, 'LABEL')}" for name in strange)


def of_model(raw: list[str], names: dict[str, str], model: str) -> dict[str, str]:
    """The labels that a model's names mean, by name; InputError where one says nothing, or two mean
    the same.
    """
    result = {name: meant(name, names) for name in raw}
    if mute := [name for name in raw if data.LABEL_NUMBER.fullmatch(result[name])]:
        raise InputError(
            f"{model} calls its labels {', '.join(raw)}, which does not say what they mean; say it "
            f"with --map, such as {proposal(mute, data.LABELS)}."
        )
    resembling = proposal(raw, data.LABELS)
    known = data.of_sentiment(result.values()) or set(map(str.lower, raw)) <= set(names)
    if not known and "=LABEL" not in resembling:
        raise InputError(
            f"{model} calls its labels {', '.join(raw)}; if they are those of sentiment, say so "
            f"with --map {resembling}, and if not, map each to itself."
        )
    if len(set(result.values())) < len(raw):
        raise InputError(
            f"two labels of {model} mean the same ({result}); map each name to a label of its own."
        )
    return result


def ordered(labels: list[str]) -> list[str]:
    """Labels of sentiment in their usual order, others as they come."""
    return [name for name in data.LABELS if name in labels] if data.of_sentiment(labels) else labels
