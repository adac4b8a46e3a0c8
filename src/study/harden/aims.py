"""What a classifier can be hardened against: for each aim the defences that help (notebook 17) and
the families of changes that it is about; and the defence where no aim is given.
"""

from typing import NamedTuple

import pandas as pd

from study.report import decisions

NETWORKS, OTHERS = "normaliser+agreement", "normaliser"  # noise gives n-grams little more


class Aim(NamedTuple):
    """Defences by name, and families of changes; skills are no family."""

    defences: tuple[str, ...]
    families: frozenset[str]


AIMS = {
    "typing": Aim(("normaliser", "noise"), frozenset({"typing"})),
    "slang": Aim(("normaliser", "noise"), frozenset({"abbreviation"})),
    "colloquial": Aim(("normaliser", "noise", "wordings"), frozenset({"register"})),
    "mixing": Aim(("noise",), frozenset({"mixing", "hostile mixing"})),
    "skills": Aim(("templates",), frozenset()),
}


def broken(part: pd.DataFrame, models: list[str]) -> list[str]:
    """The aims about the families of changes under which one of the models breaks, by verdicts at
    one margin.
    """
    said = decisions.by_family(part[part["model"].isin(models)])
    families = {*said.loc[said["said"] == decisions.BREAKS, "family"]}
    return [name for name, aim in AIMS.items() if families & aim.families]
