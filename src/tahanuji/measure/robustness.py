"""Cohen's kappa of perturbed against clean predictions, averaged over a grid of models, tasks and
perturbations.

The recipe is Romero Alvarado's (2023, sections 3.5 and 4.2.3): a kappa counts as much as the
perturbation changed, and models or tasks are compared with the levels weighing alike, however many
perturbations each has. A grid is a frame with the columns of `GRID`, one row per model, task,
perturbation and setting (such as 5% of the characters): `kappa` from -1 to 1, and `changed`, from 0
to 1, the share of samples that the perturbation changed. A score is kappa times that share, so a
perturbation that seldom applies scores low even where it does no harm. A NaN kappa makes every mean
NaN that it belongs to; `n` counts the cells of a mean, fewer where the grid has gaps.
"""

import pandas as pd

from tahanuji.errors import InputError, unknown

LEVELS = ("character", "word", "other")
CELL = ["model", "task", "perturbation", "level"]
GRID = [*CELL, "kappa", "changed"]


def scored(grid: pd.DataFrame) -> pd.DataFrame:
    """The grid with the score of each row: kappa times the share of samples changed
    (Romero Alvarado, 2023, section 3.5); 0 where nothing was changed, also where kappa is then 0/0.

    >>> grid = pd.DataFrame([["m", "t", "typos", "character", 0.8, 0.5]], columns=GRID)
    >>> scored(grid)["score"].to_list()
    [0.4]
    """
    grid = _checked(grid)
    return grid.assign(score=(grid["kappa"] * grid["changed"]).mask(grid["changed"] == 0, 0.0))


def _checked(grid: pd.DataFrame) -> pd.DataFrame:
    """The grid with kappa and changed as numbers; InputError for what no grid has."""
    if missing := [column for column in GRID if column not in grid]:
        raise InputError(
            f"the grid has no column {', '.join(missing)}; it needs {', '.join(GRID)}."
        )
    if (gaps := grid[CELL].isna().any()).any():
        raise InputError(
            f"the grid has rows without {', '.join(gaps.index[gaps])}; name what they belong to."
        )
    if strange := [level for level in grid["level"].unique() if level not in LEVELS]:
        raise unknown("level", strange[0], LEVELS)
    grid = grid.astype({"kappa": float, "changed": float})
    changed, kappa = grid["changed"], grid["kappa"]
    for name, numbers, outside, rule in (
        ("changed", changed, ~changed.between(0, 1), "is a share from 0 to 1"),
        ("kappa", kappa, kappa.abs() > 1, "goes from -1 to 1"),
    ):
        if outside.any():
            raise InputError(
                f"{name} {rule}, but {numbers[outside].iloc[0]} stands in the grid; compute it "
                f"again (percentages divided by 100)."
            )
    levels = grid.groupby("perturbation")["level"].nunique()
    if len(twice := levels[levels > 1]):
        raise InputError(
            f"perturbation {twice.index[0]!r} stands at {twice.iloc[0]} levels; give each "
            f"perturbation one level."
        )
    return grid


def without(grid: pd.DataFrame, *perturbations: str) -> pd.DataFrame:
    """The rows of all other perturbations (section 4.2.3 leaves one out of its totals).

    >>> rows = [["m", "t", name, "other", 0.8, 1.0] for name in ("capitals", "links")]
    >>> without(pd.DataFrame(rows, columns=GRID), "capitals")["perturbation"].to_list()
    ['links']
    """
    if strange := [name for name in perturbations if name not in set(grid["perturbation"])]:
        raise unknown("perturbation", strange[0], grid["perturbation"].unique())
    return grid[~grid["perturbation"].isin(perturbations)]


def frequent(grid: pd.DataFrame, least: float = 0.5) -> pd.DataFrame:
    """The rows of perturbations that change at least so great a mean share of samples (Table 29).

    >>> changed = {"a": 0.7, "b": 0.2}
    >>> rows = [["m", task, "contraction", "other", 1.0, changed[task]] for task in changed]
    >>> grid = pd.DataFrame(rows, columns=GRID)
    >>> len(frequent(grid)), len(frequent(grid, least=0.45))
    (0, 2)
    """
    # Rounded, because a mean of exactly `least` may come out a last bit below.
    shares = by_perturbation(grid)["changed"].round(9)
    return grid[grid["perturbation"].isin(shares.index[shares >= least])]


def cells(grid: pd.DataFrame) -> pd.DataFrame:
    """Means of `changed` and `score` per model, task, perturbation and level: the settings of a
    perturbation together count once.

    Each setting's kappa is multiplied before the mean is taken, which comes nearer to Table 28 than
    mean kappa times mean share.

    >>> rows = [["m", "t", "typos", "character", kappa, 1.0] for kappa in (0.8, 0.4)]
    >>> cells(pd.DataFrame(rows, columns=GRID))["score"].round(3).to_list()
    [0.6]
    """
    return scored(grid).groupby(CELL, as_index=False)[["changed", "score"]].mean(skipna=False)


def by_perturbation(grid: pd.DataFrame) -> pd.DataFrame:
    """Means over models and tasks per perturbation (Table 28): `level`, `changed`, `score` and
    `n` cells; by level, best first.

    >>> changed = {"a": 1.0, "b": 0.6}
    >>> rows = [["m", task, "typos", "character", 0.5, changed[task]] for task in changed]
    >>> by_perturbation(pd.DataFrame(rows, columns=GRID)).round(3).to_dict("index")
    {'typos': {'level': 'character', 'changed': 0.8, 'score': 0.4, 'n': 2}}
    """
    groups = cells(grid).groupby(["perturbation", "level"])[["changed", "score"]]
    table = (
        groups.mean(skipna=False)
        .assign(n=groups.size())
        .reset_index("level")
        .sort_values("score", ascending=False, kind="stable")
    )
    return table.iloc[table["level"].map(LEVELS.index).argsort(kind="stable")]


def by_level(grid: pd.DataFrame) -> pd.DataFrame:
    """Plain means over models, tasks and perturbations per level (Tables 27 and 29): `score`, `n`.

    >>> rows = [["m", "t", "a", "word", 0.5, 1.0], ["m", "t", "b", "word", 0.1, 1.0]]
    >>> by_level(pd.DataFrame(rows, columns=GRID)).round(3).to_dict()
    {'score': {'word': 0.3}, 'n': {'word': 2}}
    """
    groups = cells(grid).groupby("level")[["score"]]
    table = groups.mean(skipna=False).assign(n=groups.size())
    return table.loc[[level for level in LEVELS if level in table.index]]


def by(grid: pd.DataFrame, column: str) -> pd.DataFrame:
    """Means within the levels per model or task, and `score`, the mean of those (Table 27), and `n`
    cells; best first. NaN where one lacks a level that the grid has: no mean over fewer levels.

    >>> rows = [["m", "t", "typos", "character", 0.2, 1.0], ["m", "t", "links", "other", 0.8, 1.0]]
    >>> rows += [["m", "t", "tense", "other", 0.4, 1.0]]
    >>> by(pd.DataFrame(rows, columns=GRID), "model").round(3).to_dict("index")
    {'m': {'character': 0.2, 'other': 0.6, 'score': 0.4, 'n': 3}}
    """
    if column not in ("model", "task"):
        raise unknown("column", column, ("model", "task"))
    table = cells(grid)
    means = (
        table.groupby([column, "level"])["score"]
        .mean(skipna=False)
        .unstack("level")
        .rename_axis(columns=None)
    )
    means = means[[level for level in LEVELS if level in means]]
    means = means.assign(score=means.mean(axis=1, skipna=False), n=table.groupby(column).size())
    return means.sort_values("score", ascending=False, kind="stable")
