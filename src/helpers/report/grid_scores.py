"""The perturbation grids of all runs as scores, beside the published ones for English (Romero
Alvarado, 2023, Tables 27 to 29).
"""

import pandas as pd

from helpers.report import published, runs
from tahanuji import grid
from tahanuji.measure import robustness

DOCUMENT, NOTEBOOK = "romero2023", "07_perturbation_grid"
NAMES = {
    "Keyboard": "keyboard",
    "Ocr": "ocr",
    "SpellingError": "spelling",
    "Typos": "character_typos",
    "SSWN": "synonym_wordnet",
    "SNE": "synonym_embedding",
    "Punctuation": "punctuation",
    "Twitter": "twitter",
    "InsertAdv": "insert_adverb",
    "WordCase": "word_case",
    "VerbTense": "verb_form",
    "Contraction": "contraction",
    "SwapNum": "swap_number",
    "Prejudice": "prejudice",
}


def cells(found: runs.Collection) -> pd.DataFrame:
    """The cells of all grids of a profile, `robustness.GRID` and `rate`; the task is the run's
    data set. Repeats with another seed are left out.
    """
    some = [run for run in found.of(NOTEBOOK) if not run.repeat]
    parts = [grid.cells(run.metrics, run.about["parameters"]["dataset"]) for run in some]
    return (
        pd.concat(parts, ignore_index=True)
        if parts
        else pd.DataFrame(columns=[*robustness.GRID, "rate"])
    )


def perturbations(table: pd.DataFrame) -> pd.DataFrame:
    """Table 28: per perturbation `level, changed, score, n` (plain means over models and tasks) and
    `published`, the score of Romero Alvarado (2023) for English.
    """
    printed = published.table(DOCUMENT, "Table 28").droplevel("group")["Score"].rename(index=NAMES)
    return robustness.by_perturbation(table).assign(published=printed).reset_index()


def agreement(table: pd.DataFrame) -> pd.DataFrame:
    """Mean `kappa` (-1 to 1) and `changed` (0 to 1) per perturbation, lowest kappa first; the rates
    of one model and task together count once.

    A NaN kappa makes the mean NaN that it belongs to. The table has the columns of
    `robustness.GRID`.

    >>> rows = [["m", "t", "ocr", "character", kappa, 1.0] for kappa in (0.4, 0.6)]
    >>> rows += [["m", "t", "verb_form", "other", 0.9, 0.6]]
    >>> agreement(pd.DataFrame(rows, columns=robustness.GRID)).round(3).to_dict("index")
    {'ocr': {'kappa': 0.5, 'changed': 1.0}, 'verb_form': {'kappa': 0.9, 'changed': 0.6}}
    """
    each = table.groupby(robustness.CELL)[["kappa", "changed"]].mean(skipna=False)
    return each.groupby("perturbation").mean(skipna=False).sort_values("kappa", kind="stable")


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Tables 27 and 29: `over, name, score, published` by model, task and level, WordCase and what
    is not of the fourteen left out.

    The rows `changing at least half` are levels without perturbations that change under half of the
    texts, WordCase among them again.
    """
    fourteen = table[table["perturbation"].isin(grid.FOURTEEN)]
    kept = robustness.without(fourteen, *({"word_case"} & set(fourteen["perturbation"])))
    found = {
        "model": robustness.by(kept, "model"),
        "task": robustness.by(kept, "task"),
        "level": robustness.by_level(kept),
    }
    found["level, changing at least half"] = robustness.by_level(robustness.frequent(fourteen))
    printed = {
        over: published.table(DOCUMENT, name, group)["Score"].rename(index=str.lower)
        for over, name, group in LEVELS
    }
    rows = [
        (over, name, row["score"], printed.get(over, {}).get(name))
        for over, part in found.items()
        for name, row in part.iterrows()
    ]
    return pd.DataFrame(rows, columns=["over", "name", "score", "published"])


LEVELS = (
    ("level", "Table 27", "Perturbation type"),
    ("level, changing at least half", "Table 29", None),
)


def _words(name: str) -> str:
    return name.replace("_", " ")


def sentences(table: pd.DataFrame) -> list[str]:
    """What the grids say: under which of the frequent perturbations the mean kappa of each model is
    lowest and highest, and which seldom apply.

    The rank is by mean kappa and not by score, which is low as well where a perturbation only
    changes few texts.
    """
    if table.empty:
        return []
    said = []
    for model, part in table.groupby("model", sort=False):
        ranked = agreement(robustness.frequent(part)).dropna()
        if len(ranked):
            named = [
                f"*{row.Index}* (mean kappa {row.kappa:.2f}, {row.changed:.0%} of texts changed)"
                for row in ranked.rename(_words).itertuples()
            ]
            said.append(
                f"Of the perturbations that change at least half of the texts **{model}** agrees "
                f"least with its own answers to the clean texts under {named[0]} and most under "
                f"{named[-1]}, over data sets and rates (ranked by mean kappa, without a test)."
            )
    shares = robustness.by_perturbation(table)["changed"]
    seldom = shares[shares < 0.5]
    listed = ", ".join(f"*{_words(name)}* ({share:.0%})" for name, share in seldom.items())
    return said + [f"Perturbations that change under half of the texts: {listed or 'none'}."]
