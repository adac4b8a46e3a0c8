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
    """`statistic` of bootstrap counts of cells, shape (resamples, ...).

    Drawing n rows with replacement is a multinomial draw over the kinds of rows, so `cells`, of any
    shape, counts the rows of each kind. `statistic` gets counts (some, *cells.shape), every one
    with the sum of `cells`, and gives back (some, ...). No rows stay no rows.

    >>> replicate(lambda counts: counts[:, 0] / 4, np.array([4, 0]), seed=1, resamples=3)
    array([1., 1., 1.])
    """
    cells = np.asarray(cells)
    n, rng, size = (
        int(cells.sum()),
        np.random.default_rng(seed),
        max(1, BLOCK // max(1, cells.size)),
    )
    chances, parts = cells.ravel() / max(1, n), []
    for start in range(0, resamples, size):
        some = min(size, resamples - start)
        drawn = (
            rng.multinomial(n, chances, size=some)
            if n
            else np.zeros((some, cells.size), dtype=np.int64)
        )
        parts.append(statistic(drawn.reshape(some, *cells.shape)))
    return np.concatenate(parts)


def resample(cells: np.ndarray, seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Bootstrap counts of cells, shape (resamples, *cells.shape); see `replicate`, which needs less
    memory where there are many cells.

    >>> resample(np.array([3, 2]), seed=1, resamples=4).sum(1)
    array([5, 5, 5, 5])
    """
    return replicate(lambda drawn: drawn, cells, seed, resamples)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles; NaN where there is no value or one is NaN.

    >>> interval(np.arange(101))
    (2.5, 97.5)
    """
    low, high = np.percentile(values, [2.5, 97.5]) if np.size(values) else (np.nan, np.nan)
    return float(low), float(high)
