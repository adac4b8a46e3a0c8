"""The perturbation grids of all runs as scores, beside the published ones for English (Romero Alvarado, 2023, Tables 27 to 29)."""

import pandas as pd

from helpers import grid, robustness
from helpers.report import published, runs

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
    """The cells of all grids of a profile, `robustness.GRID` and `setting`; the task is the run's data set. Repeats with another seed are left out."""
    some = [run for run in found.of(NOTEBOOK) if not run.repeat]
    parts = [grid.cells(run.metrics, run.about["parameters"]["dataset"]) for run in some]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=[*robustness.GRID, "setting"])


def perturbations(table: pd.DataFrame) -> pd.DataFrame:
    """Table 28: per perturbation `level, changed, score, n` (plain means over models and tasks) and `published`, the thesis's score for English."""
    printed = published.table(DOCUMENT, "Table 28").droplevel("group")["Score"].rename(index=NAMES)
    return robustness.by_perturbation(table).assign(published=printed).reset_index()


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """Tables 27 and 29: `over, name, score, published` by model, task and level, WordCase and what is not of the fourteen left out.

    The rows `changing at least half` are levels without perturbations that change under half of the texts, WordCase among them again.
    """
    fourteen = table[table["perturbation"].isin(grid.FOURTEEN)]
    kept = robustness.without(fourteen, *({"word_case"} & set(fourteen["perturbation"])))
    found = {"model": robustness.by(kept, "model"), "task": robustness.by(kept, "task"), "level": robustness.by_level(kept)}
    found["level, changing at least half"] = robustness.by_level(robustness.frequent(fourteen))
    printed = {over: published.table(DOCUMENT, name, group)["Score"].rename(index=str.lower) for over, name, group in LEVELS}
    rows = [(over, name, row["score"], printed.get(over, {}).get(name)) for over, part in found.items() for name, row in part.iterrows()]
    return pd.DataFrame(rows, columns=["over", "name", "score", "published"])


LEVELS = (("level", "Table 27", "Perturbation type"), ("level, changing at least half", "Table 29", None))


def sentences(table: pd.DataFrame) -> list[str]:
    """What the grids say: the level and the perturbation that each model stands worst, and which perturbations seldom apply."""
    if table.empty:
        return []
    said = []
    for model, part in table.groupby("model", sort=False):
        scores = robustness.by_perturbation(robustness.frequent(part))["score"]
        said.append(
            f"Of the perturbations that change at least half of the texts {model} stands {scores.idxmin()} worst (score {scores.min():.2f}) "
            f"and {scores.idxmax()} best ({scores.max():.2f})."
        )
    shares = robustness.by_perturbation(table)["changed"]
    seldom = shares[shares < 0.5]
    listed = ", ".join(f"{name} ({share:.0%})" for name, share in seldom.items())
    return said + [f"Perturbations that change under half of the texts: {listed or 'none'}."]
