"""What a label means: by its name, or as the user says with --map; never by its position."""

import functools
import re

from tahanuji import data, lexicons
from tahanuji.errors import InputError

LEFT_OUT = "-"  # what a label is mapped to whose rows take no part


@functools.cache
def synonyms() -> dict[str, str]:
    """The labels of sentiment by the names that classifiers give them."""
    return dict(lexicons.table(lexicons.LEXICONS / "label_names.csv", ("name", "label")))


def mapping(words: str) -> dict[str, str]:
    """The pairs of `0=negative,1=positive`; InputError for words of another form.

    >>> mapping("0=negative, LABEL_1=Positive")
    {'0': 'negative', 'LABEL_1': 'positive'}
    """
    pairs = [part.partition("=") for part in words.split(",") if part.strip()]
    if bad := [name + equals + label for name, equals, label in pairs if not (name and label)]:
        raise InputError(
            f"--map takes name=label pairs such as 0=negative,1=positive, and {bad[0]!r} is none."
        )
    return {name.strip(): label.strip().lower() for name, _, label in pairs}


def kept(names: dict[str, str]) -> dict[str, str]:
    """A map for the answers of a classifier: whose rows are left out is still one of its labels.

    >>> kept({"NEU": "-", "POS": "positive"})
    {'POS': 'positive'}
    """
    return {name: label for name, label in names.items() if label != LEFT_OUT}


def meant(name: str, names: dict[str, str]) -> str:
    """The label that a name means: as mapped, else by what classifiers of sentiment call it, else
    itself in lower case.

    >>> meant("Positif", {}), meant("1", {"1": "negative"}), meant("Hate", {})
    ('positive', 'negative', 'hate')
    """
    lower = name.strip().lower()
    return names.get(name.strip()) or synonyms().get(lower, lower)


def of_model(raw: list[str], names: dict[str, str], model: str) -> dict[str, str]:
    """The labels that a model's names mean, by name; InputError where one says nothing, or two mean
    the same.
    """
    result = {name: meant(name, names) for name in raw}
    if mute := [name for name in raw if re.fullmatch(r"(label_?)?\d+", result[name].lower())]:
        example = ",".join(f"{name}=LABEL" for name in mute)
        raise InputError(
            f"{model} calls its labels {', '.join(raw)}, which does not say what they mean; say it "
            f"with --map {example} (LABEL such as positive, neutral, negative)."
        )
    if len(set(result.values())) < len(raw):
        raise InputError(
            f"two labels of {model} mean the same ({result}); map each name to a label of its own."
        )
    return result


def ordered(labels: list[str]) -> list[str]:
    """Labels of sentiment in their usual order, others as they come."""
    return [name for name in data.LABELS if name in labels] if data.of_sentiment(labels) else labels
