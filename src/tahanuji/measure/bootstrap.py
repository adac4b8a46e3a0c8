"""The percentile bootstrap over rows (Efron and Tibshirani, 1993, chapter 13), seeded and
vectorised.
"""

from collections.abc import Callable

import numpy as np

RESAMPLES = 10_000
BLOCK = 2_000_000  # counts drawn at a time: 16 MB, whatever the number of cells


def replicate(
    statistic: Callable[[np.ndarray], np.ndarray],
    cells: np.ndarray,
    seed: int,
    resamples: int = RESAMPLES,
) -> np.ndarray:
    """A statistic of bootstrap counts of cells.

    Drawing n rows with replacement is a multinomial draw over the kinds of rows.

    Parameters
    ----------
    statistic : callable
        Gets counts (draws, *cells.shape), each draw with the sum of `cells`, and gives back
        (draws, ...); it is called for a part of the draws at a time.
    cells : array of int, any shape
        Rows of each kind.
    seed : int
        Of the draws.
    resamples : int
        How many draws.

    Returns
    -------
    array (resamples, ...)
        The statistic of every draw; no rows stay no rows.

    References
    ----------
    Efron and Tibshirani (1993), *An introduction to the bootstrap*, chapter 13.

    Examples
    --------
    >>> replicate(lambda counts: counts[:, 0] / 4, np.array([4, 0]), seed=1, resamples=3)
    array([1., 1., 1.])
    """
    cells = np.asarray(cells)
    n, rng = int(cells.sum()), np.random.default_rng(seed)
    size = max(1, BLOCK // max(1, cells.size))
    probabilities, parts = cells.ravel() / max(1, n), []
    for start in range(0, resamples, size):
        draws = min(size, resamples - start)
        if n:
            drawn = rng.multinomial(n, probabilities, size=draws)
        else:
            drawn = np.zeros((draws, cells.size), dtype=np.int64)
        parts.append(statistic(drawn.reshape(draws, *cells.shape)))
    return np.concatenate(parts)


def kinds(table: np.ndarray, clusters) -> tuple[np.ndarray, np.ndarray]:
    """The distinct sums of rows over clusters, and how many clusters have each: what `replicate`
    draws where rows belong together.

    Parameters
    ----------
    table : array (n, columns)
        A row of numbers per example.
    clusters : sequence, length n
        The cluster of each row.

    Returns
    -------
    tuple of array
        Sums (kinds, columns) and counts (kinds,).

    Examples
    --------
    >>> sums, counts = kinds(np.array([[1], [2], [3]]), ["a", "a", "b"])
    >>> sums.tolist(), counts.tolist()
    ([[3]], [2])
    """
    names, codes = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), table.shape[1]), table.dtype)
    np.add.at(sums, codes, table)
    return np.unique(sums, axis=0, return_counts=True)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles: a 95% percentile interval.

    Parameters
    ----------
    values : array
        What a statistic was in each draw.

    Returns
    -------
    tuple of float
        `(low, high)`, in the unit of the values; NaN where there is no value or one is NaN.

    References
    ----------
    Efron and Tibshirani (1993), *An introduction to the bootstrap*, chapter 13.

    Examples
    --------
    >>> interval(np.arange(101))
    (2.5, 97.5)
    """
    low, high = np.percentile(values, [2.5, 97.5]) if np.size(values) else (np.nan, np.nan)
    return float(low), float(high)
