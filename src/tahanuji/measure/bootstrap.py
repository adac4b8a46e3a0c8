"""The percentile bootstrap over rows or clusters (Efron and Tibshirani, 1993, chapter 13), seeded
and vectorised. scipy's bootstrap draws rows one by one; the draws here are of counts, and the
intervals of committed runs rest on them.
"""

from collections.abc import Callable

import numpy as np

from tahanuji.measure.estimate import Estimate

RESAMPLES = 10_000
BLOCK = 2_000_000  # counts drawn at a time: 16 MB, whatever the number of cells

Statistic = Callable[[np.ndarray], np.ndarray]


def replicate(
    statistic: Statistic, cells: np.ndarray, seed: int, resamples: int = RESAMPLES
) -> np.ndarray:
    """A statistic of every draw of rows, given as counts per kind of row (a multinomial draw); the
    statistic gets a block of draws at a time.

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
    """The distinct sums of rows over clusters, and how many clusters have each.

    >>> sums, counts = kinds(np.array([[1], [2], [3]]), ["a", "a", "b"])
    >>> sums.tolist(), counts.tolist()
    ([[3]], [2])
    """
    return np.unique(_sums(table, clusters), axis=0, return_counts=True)


def _sums(table: np.ndarray, clusters) -> np.ndarray:
    """The sums of the rows of every cluster."""
    names, codes = np.unique(clusters, return_inverse=True)
    sums = np.zeros((len(names), table.shape[1]), table.dtype)
    np.add.at(sums, codes, table)
    return sums


def resampled(
    statistic: Statistic,
    table: np.ndarray,
    seed: int,
    clusters=None,
    resamples: int = RESAMPLES,
    pooled: bool = True,
) -> tuple[float, np.ndarray]:
    """A statistic of the sums of columns: of the table, and of every draw of rows or clusters.

    Rows (clusters) of the same numbers are drawn together where `pooled`, which is faster and gives
    other draws for the same seed.

    >>> resampled(lambda sums: sums[:, 0], np.array([[1], [1]]), seed=1, resamples=2)
    (2.0, array([2., 2.]))
    """
    table = np.asarray(table, float)
    rows = table if clusters is None else _sums(table, clusters)
    cells = np.ones(len(rows), int)
    if pooled:
        rows, cells = np.unique(rows, axis=0, return_counts=True)
    value = float(statistic((cells @ rows)[None])[0])
    return value, replicate(lambda drawn: statistic(drawn @ rows), cells, seed, resamples)


def ratio(
    above, below, seed: int, clusters=None, resamples: int = RESAMPLES, pooled: bool = True
) -> Estimate:
    """The sum above by the sum below, and its interval over rows or clusters; draws whose sum below
    is 0 are left out.

    >>> f"{ratio([1, 2], [4, 8], seed=1):%}"
    '25.0% (25.0 to 25.0)'
    """
    table = np.column_stack([above, below]).astype(float).reshape(-1, 2)
    if not table[:, 1].sum():
        return Estimate.none()
    value, drawn = resampled(_divided, table, seed, clusters, resamples, pooled)
    return estimated(value, drawn, len(table))


def _divided(sums: np.ndarray) -> np.ndarray:
    """The first of two sums by the second, NaN where that is 0."""
    above, below = sums.T
    return np.divide(above, below, out=np.full_like(above, np.nan), where=below > 0)


def estimated(value: float, drawn: np.ndarray, n: int) -> Estimate:
    """A value with the interval of its draws, without those in which it is 0/0 (NaN)."""
    return Estimate(float(value), *interval(drawn[~np.isnan(drawn)]), n)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles of a statistic's draws; NaN where there is none or one is NaN.

    >>> interval(np.arange(101))
    (2.5, 97.5)
    """
    low, high = np.percentile(values, [2.5, 97.5]) if np.size(values) else (np.nan, np.nan)
    return float(low), float(high)
