"""Claims as data: a row says which numbers are looked at, and by which rule they show the claim.

A claim is *reproduced* where every model that ran its test shows it; *not reproduced* where every
model shows the contrary; *mixed* where one shows it and another the contrary; *in part* where some
models decide it and the others do not; *open* where none does.
"""

import operator
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields

import pandas as pd

from tahanuji.errors import InputError

__all__ = ["OUTCOMES", "Claim", "outcome"]

REPRODUCED, NOT_REPRODUCED, MIXED, OPEN = "reproduced", "not reproduced", "mixed", "open"
IN_PART, AGAINST_IN_PART = "reproduced in part", "contradicted in part"
OUTCOMES = (REPRODUCED, IN_PART, MIXED, AGAINST_IN_PART, NOT_REPRODUCED, OPEN)
SURE = 0.05  # the p below which a difference is shown
EVIDENCE = ["model", "item", "value", "low", "high", "n", "p", "verdict", "usable"]
OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
BOUND = re.compile(r"(any|all) (low|high) (>=?|<=?) (-?)(margin|[\d.]+)")
CONDITION = re.compile(r"(\w+) (>=?|<=?) ([\d.]+)")


@dataclass(frozen=True)
class Claim:
    """A claim of a document with the numbers and the rule that decide it for a model.

    Parameters
    ----------
    document, place, claim, evidence : str
        Who claims what, where, and what the document gives as evidence.
    statistic : str
        How the numbers are made (`study.report.evidence.STATISTICS`).
    selection, first, second : str
        Which rows are looked at, as `column=value; column=one|other`; of a comparison its two
        sides.
    rule : str
        `verdict` (all stand; the contrary: any breaks), `difference` (p below 0.05, or an interval
        without 0; shown where it is positive), `none`, or a bound: `any` or `all`, `low` or `high`,
        a sign, and a number or `margin`, as in `all low > 0.03`.
    provided : str
        What else must hold of every item, as `changed_share >= 0.5; moved_share > 0`; else the
        model decides nothing.
    unit : str
        How its numbers are printed (`Estimate`).
    note : str
        What a reader has to know.

    Examples
    --------
    >>> claim = Claim(rule="all low > 0.03", claim="Mixing costs accuracy")
    >>> claim.shows(pd.DataFrame({"low": [0.05], "high": [0.1]}), margin=0.1)
    True
    """

    document: str = ""
    place: str = ""
    claim: str = ""
    evidence: str = ""
    statistic: str = ""
    selection: str = ""
    first: str = ""
    second: str = ""
    rule: str = "none"
    provided: str = ""
    unit: str = "%"
    note: str = ""

    def shows(self, evidence: pd.DataFrame, margin: float) -> bool | None:
        """Whether one model's evidence shows the claim (True), its contrary (False), or neither.

        Parameters
        ----------
        evidence : DataFrame
            The items of one model: EVIDENCE, as far as the rule needs them.
        margin : float
            The margin of the verdicts.

        Examples
        --------
        >>> rows = pd.DataFrame({"value": [0.1], "p": [0.01]})
        >>> Claim(rule="difference").shows(rows, margin=0.1)
        True
        """
        if evidence.empty or ("usable" in evidence and not evidence["usable"].all()):
            return None
        if self.rule in RULES:
            return RULES[self.rule](evidence)
        if match := BOUND.fullmatch(self.rule):
            return _bounded(evidence, match, margin)
        raise InputError(
            f"the rule {self.rule!r} of the claim {self.claim!r} is none: give "
            f"{', '.join(RULES)}, or a bound such as 'all low > margin'."
        )


def _verdicts(evidence: pd.DataFrame) -> bool | None:
    """All items stand, or one breaks; on balance alone, while labels flip, nothing is shown."""
    verdicts = set(evidence["verdict"])
    return True if verdicts == {"stands"} else False if "breaks" in verdicts else None


def _difference(evidence: pd.DataFrame) -> bool | None:
    """The one difference is positive, or negative, beyond chance."""
    row = evidence.iloc[0]
    apart = row.get("low", 0) > 0 or row.get("high", 0) < 0
    sure = row["p"] < SURE if pd.notna(row.get("p")) else apart
    return bool(row["value"] > 0) if sure else None


RULES = {"verdict": _verdicts, "difference": _difference, "none": lambda evidence: None}


def _bounded(evidence: pd.DataFrame, match: re.Match, margin: float) -> bool | None:
    """All bounds lie beyond the threshold, or any of them; the contrary is shown by the other
    bounds: by any where all are asked for, by all where any is.
    """
    among, end, sign, minus, number = match.groups()
    threshold = (-1 if minus else 1) * (margin if number == "margin" else float(number))
    within = OPERATORS[sign](evidence[end], threshold)
    beyond = evidence["high"] < threshold if end == "low" else evidence["low"] > threshold
    shown, contrary = (
        (within.all(), beyond.any()) if among == "all" else (within.any(), beyond.all())
    )
    return True if shown else False if contrary else None


def read(table: pd.DataFrame) -> list[Claim]:
    """The claims of a table with the fields as columns; an empty cell is an empty field."""
    names = [field.name for field in fields(Claim)]
    return [Claim(**row) for row in table[names].fillna("").astype(str).to_dict("records")]


def conditions(text: str) -> dict[str, object]:
    """What rows are chosen by; words that are numbers are numbers.

    >>> conditions("notebook=05_typos; test=nggak|gak; rate=0.3")
    {'notebook': '05_typos', 'test': ['nggak', 'gak'], 'rate': 0.3}
    """
    parts = [part.split("=", 1) for part in text.split(";") if part.strip()]
    return {name.strip(): _values(words.strip()) for name, words in parts}


def _values(words: str) -> object:
    if "|" in words:
        return words.split("|")
    return float(words) if re.fullmatch(r"[\d.]+", words) else words


def meets(provided: str, numbers: Mapping[str, float]) -> bool:
    """Whether numbers by name meet conditions on them; one that is missing meets none.

    >>> meets("changed_share >= 0.5; moved_share > 0", {"changed_share": 0.5, "moved_share": 0.1})
    True
    """
    return all(
        OPERATORS[sign](numbers.get(name, float("nan")), float(limit))
        for name, sign, limit in CONDITION.findall(provided)
    )


def outcome(shown: Iterable[bool | None]) -> str:
    """What the models that ran a claim's test come to together.

    >>> outcome([True, None]), outcome([True, False]), outcome([])
    ('reproduced in part', 'mixed', 'open')
    """
    said = list(shown)
    decided = {one for one in said if one is not None}
    if not decided:
        return OPEN
    if len(decided) > 1:
        return MIXED
    if None in said:
        return IN_PART if True in decided else AGAINST_IN_PART
    return REPRODUCED if True in decided else NOT_REPRODUCED
