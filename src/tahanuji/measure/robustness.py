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
    """The grid with the score of each row: kappa times the share of samples changed.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.

    Returns
    -------
    DataFrame
        With a column `score`, from -1 to 1: 0 where nothing was changed, also where kappa is then
        0/0, and NaN for any other NaN kappa.

    Raises
    ------
    InputError
        For a missing column, an unknown level, a kappa outside -1 to 1, a share outside 0 to 1 and
        a perturbation of two levels.

    References
    ----------
    Romero Alvarado (2023), section 3.5.

    Examples
    --------
    >>> grid = pd.DataFrame([["m", "t", "typos", "character", 0.8, 0.5]], columns=GRID)
    >>> scored(grid)["score"].to_list()
    [0.4]
    """
    if missing := [column for column in GRID if column not in grid]:
        raise InputError(
            f"the grid has no column {', '.join(missing)}; it needs {', '.join(GRID)}."
        )
    if (gaps := grid[CELL].isna().any()).any():
        raise InputError(
            f"the grid has rows without {', '.join(gaps.index[gaps])}; name what they belong to."
        )
    grid = grid.astype({"kappa": float, "changed": float})
    if strange := [level for level in grid["level"].unique() if level not in LEVELS]:
        raise unknown("level", strange[0], LEVELS)
    if (outside := ~grid["changed"].between(0, 1)).any():
        raise InputError(
            f"changed is a share from 0 to 1, but {grid.loc[outside, 'changed'].iloc[0]} stands in "
            f"the grid; divide percentages by 100."
        )
    if (outside := grid["kappa"].abs() > 1).any():
        raise InputError(
            f"kappa goes from -1 to 1, but {grid.loc[outside, 'kappa'].iloc[0]} stands in the "
            f"grid; compute it again."
        )
    levels = grid.groupby("perturbation")["level"].nunique()
    if len(twice := levels[levels > 1]):
        raise InputError(
            f"perturbation {twice.index[0]!r} stands at {twice.iloc[0]} levels; give each "
            f"perturbation one level."
        )
    return grid.assign(score=(grid["kappa"] * grid["changed"]).mask(grid["changed"] == 0, 0.0))


def without(grid: pd.DataFrame, *perturbations: str) -> pd.DataFrame:
    """The rows of all other perturbations.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.
    *perturbations : str
        Names to leave out.

    Returns
    -------
    DataFrame
        Columns `GRID`.

    Raises
    ------
    InputError
        For a perturbation that the grid does not have.

    References
    ----------
    Romero Alvarado (2023), section 4.2.3, which leaves one out of its totals.

    Examples
    --------
    >>> rows = [["m", "t", name, "other", 0.8, 1.0] for name in ("capitals", "links")]
    >>> grid = pd.DataFrame(rows, columns=GRID)
    >>> without(grid, "capitals")["perturbation"].to_list()
    ['links']
    """
    if strange := [name for name in perturbations if name not in set(grid["perturbation"])]:
        raise unknown("perturbation", strange[0], grid["perturbation"].unique())
    return grid[~grid["perturbation"].isin(perturbations)]


def frequent(grid: pd.DataFrame, least: float = 0.5) -> pd.DataFrame:
    """The rows of perturbations that change many samples, perhaps none.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.
    least : float
        The least mean share of changed samples, 0 to 1.

    Returns
    -------
    DataFrame
        Columns `GRID`.

    Raises
    ------
    InputError
        As `scored`.

    References
    ----------
    Romero Alvarado (2023), Table 29 (annex: 33).

    Examples
    --------
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
    """Means per model, task, perturbation and level: the settings of a perturbation together count
    once.

    Each setting's kappa is multiplied before the mean is taken, which comes nearer to Table 28 than
    mean kappa times mean share.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.

    Returns
    -------
    DataFrame
        `model, task, perturbation, level`, then means of `changed` (0 to 1) and `score` (-1 to 1).

    Raises
    ------
    InputError
        As `scored`.

    References
    ----------
    Romero Alvarado (2023), Table 28.

    Examples
    --------
    >>> rows = [["m", "t", "typos", "character", kappa, 1.0] for kappa in (0.8, 0.4)]
    >>> cells(pd.DataFrame(rows, columns=GRID))["score"].round(3).to_list()
    [0.6]
    """
    return scored(grid).groupby(CELL, as_index=False)[["changed", "score"]].mean(skipna=False)


def by_perturbation(grid: pd.DataFrame) -> pd.DataFrame:
    """Plain means over models and tasks per perturbation; by level, best first.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.

    Returns
    -------
    DataFrame
        Indexed by perturbation: `level`, means of `changed` and `score`, and `n` cells.

    Raises
    ------
    InputError
        As `scored`.

    References
    ----------
    Romero Alvarado (2023), Table 28 (annex: 30 to 32).

    Examples
    --------
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
    """Plain means over models, tasks and perturbations per level that the grid has.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.

    Returns
    -------
    DataFrame
        Indexed by level: the mean `score`, and `n` cells.

    Raises
    ------
    InputError
        As `scored`.

    References
    ----------
    Romero Alvarado (2023), Tables 27 and 29 (annex: 29 and 33).

    Examples
    --------
    >>> rows = [["m", "t", "a", "word", 0.5, 1.0], ["m", "t", "b", "word", 0.1, 1.0]]
    >>> by_level(pd.DataFrame(rows, columns=GRID)).round(3).to_dict()
    {'score': {'word': 0.3}, 'n': {'word': 2}}
    """
    groups = cells(grid).groupby("level")[["score"]]
    table = groups.mean(skipna=False).assign(n=groups.size())
    return table.loc[[level for level in LEVELS if level in table.index]]


def by(grid: pd.DataFrame, column: str) -> pd.DataFrame:
    """Means within the levels per model or task, and the mean of those; best first.

    Parameters
    ----------
    grid : DataFrame
        Columns `GRID`, a row per model, task, perturbation and setting.
    column : str
        `model` or `task`.

    Returns
    -------
    DataFrame
        Indexed by model or task: a column per level that the grid has (NaN where one lacks it, not
        a mean over fewer levels), `score`, the mean of those, and `n` cells.

    Raises
    ------
    InputError
        For another column, and as `scored`.

    References
    ----------
    Romero Alvarado (2023), Table 27 (annex: 27, 28).

    Examples
    --------
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
