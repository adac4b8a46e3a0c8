"""The wordings of data/prompts: how a generative model is asked for a label, and what its answer
means.
"""

import copy
import re
from dataclasses import dataclass

from tahanuji import data, paths
from tahanuji.errors import InputError, unknown

PROMPTS = paths.DATA / "prompts"
DEFAULTS = {"sentiment": "id-perintah", "general": "id-pilih"}
OR = {"id": "atau", "en": "or"}
SIGNS = " \t\r\n.,:;!?\"'`*_()[]“”‘’"  # may stand around the one word of an answer


@dataclass(frozen=True)
class Wording:
    """A way to ask: the template of a prompt, that for pairs where it has one, and the word that
    stands for each label.
    """

    name: str
    language: str
    template: str
    pair_template: str
    words: dict[str, str]

    def asked(self, example: data.Example) -> str:
        """The prompt about a text or pair.

        >>> wording("en-review", ["positive", "negative"]).asked("enak {labels}")
        'Review: enak {labels}\\nSentiment (positive or negative):'
        """
        single = isinstance(example, str)
        template = self.template if single else self.pair_template
        if not template:
            raise InputError(
                f"wording {self.name!r} asks about single texts, and these are pairs of sentences; "
                f"take one of {', '.join(_table('general')['name'])}."
            )
        cells = (
            {"{text}": example}
            if single
            else dict(zip(("{text}", "{text_pair}"), example, strict=True))
        )
        cells["{labels}"] = enumerated(list(self.words.values()), OR[self.language])
        return "".join(cells.get(part, part) for part in re.split(r"(\{\w+\})", template))

    def meant(self, answer: str) -> str | None:
        """The label that an answer names: the whole answer is one of the words, but for signs and
        capitals around it. None for anything else.

        >>> ask = wording("id-perintah", ["positive", "negative"])
        >>> ask.meant(" **Positif**."), ask.meant("tidak positif"), ask.meant("positif/negatif")
        ('positive', None, None)
        """
        said = answer.strip(SIGNS).casefold()
        named = [label for label, word in self.words.items() if word.casefold() == said]
        return named[0] if named else None


class Worded:
    """A classifier that is asked in words: it has `wording`, `labels` and `card`."""

    def reworded(self, name: str):
        """The same model, asked in another wording of its labels."""
        other = copy.copy(self)
        other.wording = wording(name, self.labels)
        other.card = self.card | {"prompt": name}
        return other


def enumerated(words: list[str], conjunction: str) -> str:
    """Words as a list in a sentence.

    >>> enumerated(["positif", "netral", "negatif"], "atau")
    'positif, netral, atau negatif'
    """
    if len(words) < 3:
        return f" {conjunction} ".join(words)
    return f"{', '.join(words[:-1])}, {conjunction} {words[-1]}"


def wordings(labels: list[str]) -> dict[str, Wording]:
    """The wordings for a set of labels, by name: those of sentiment.csv for labels of sentiment,
    else those of general.csv. A prompt lists the labels in one order, however they are given.
    """
    kind, result = family(labels), {}
    order = data.LABELS if kind == "sentiment" else sorted(labels)
    for row in _table(kind).to_dict("records"):
        words = {label: row.get(label, label) for label in order if label in labels}
        cells = (row["name"], row["language"], row["template"], row.get("pair_template", ""))
        result[row["name"]] = Wording(*cells, words)
    return result


def wording(name: str, labels: list[str]) -> Wording:
    """The wording of a name, "" for the first choice; InputError for a name that the labels' file
    lacks.
    """
    there = wordings(labels)
    chosen = name or DEFAULTS[family(labels)]
    if chosen not in there:
        hint = f"They are the rows of data/prompts/{family(labels)}.csv."
        raise unknown("prompt", chosen, there, hint)
    return there[chosen]


def family(labels: list[str]) -> str:
    """Which file of data/prompts is for labels.

    >>> family(["negative", "positive"]), family(["entailment", "neutral", "contradiction"])
    ('sentiment', 'general')
    """
    return "sentiment" if data.of_sentiment(labels) else "general"


def _table(kind: str):
    return data.read_table(PROMPTS / f"{kind}.csv")
