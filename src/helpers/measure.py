"""Metrics, rates, intervals and paired tests. Shares get Wilson intervals, F1-like scores bootstrap intervals, both 95%."""

import numpy as np
import pandas as pd
from scipy.stats import chi2, fisher_exact
from sklearn.metrics import confusion_matrix
from statsmodels.stats.contingency_tables import cochrans_q, mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

RESAMPLES = 10_000
VERDICTS = {"failure": "failure_rate", "flip": "flip_rate", "induced": "induced_rate", "repaired": "repaired_rate", "changed": "changed_share"}


def share(count: int, n: int) -> tuple[float, float, float]:
    """A share and its 95% Wilson interval: `(count / n, low, high)`; NaN for n = 0.

    >>> [round(number, 3) for number in share(4, 30)]
    [0.133, 0.053, 0.297]
    """
    if n == 0:
        return (float("nan"),) * 3
    low, high = proportion_confint(count, n, method="wilson")
    return count / n, float(low) if count else 0.0, float(high) if count < n else 1.0  # exact where rounding is not


def percent(count: int, n: int) -> str:
    """A share in words: `13.3% (4 of 30, 95% 5.3 to 29.7)`."""
    if n == 0:
        return "no examples"
    value, low, high = share(count, n)
    return f"{value:.1%} ({count} of {n}, 95% {low * 100:.1f} to {high * 100:.1f})"


def from_confusion(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Accuracy and weighted, macro and per-class precision, recall and F1 of confusion matrices (..., gold, predicted).

    0/0 counts as 0, as in scikit-learn; a class without gold or predicted rows takes no part in the macro averages.
    """
    counts = np.asarray(counts, dtype=float)
    hits, gold, said = np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(-1), counts.sum(-2)
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = {"precision": hits / said, "recall": hits / gold, "f1": 2 * hits / (gold + said)}
        parts = {name: np.nan_to_num(values) for name, values in parts.items()}
        present = (gold + said) > 0
        result = {"accuracy": hits.sum(-1) / counts.sum((-2, -1))}
        for name, values in parts.items():
            result[f"macro_{name}"] = (values * present).sum(-1) / present.sum(-1)
            result[f"weighted_{name}"] = (values * gold).sum(-1) / gold.sum(-1)
    return result | {f"class_{name}": values for name, values in parts.items()}


def confusion(gold, predicted, labels: list[str]) -> np.ndarray:
    """Counts (gold, predicted) in the order of `labels`; ValueError for a label that is not among them."""
    if stray := {*gold, *predicted} - {*labels}:
        raise ValueError(f"labels {sorted(map(str, stray))} are not among {labels}.")
    return confusion_matrix(list(gold), list(predicted), labels=labels)


def scores(gold, predicted, labels: list[str]) -> dict[str, float]:
    """Accuracy and weighted and macro precision, recall, F1 as plain numbers (no per-class ones); ValueError for a label not in `labels`."""
    counts = confusion(gold, predicted, labels)
    return {name: float(value) for name, value in from_confusion(counts).items() if not name.startswith("class_")}


def resample(cells: np.ndarray, seed: int, resamples: int = RESAMPLES) -> np.ndarray:
    """Bootstrap counts of cells, shape (resamples, *cells.shape): drawing n rows with replacement is a multinomial draw over the cells."""
    n = int(cells.sum())
    drawn = np.random.default_rng(seed).multinomial(n, cells.ravel() / n, size=resamples)
    return drawn.reshape(resamples, *cells.shape)


def interval(values: np.ndarray) -> tuple[float, float]:
    """The 2.5 and 97.5 percentiles."""
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def classification(frame: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """Metrics of predictions `gold, label, p_<label>...` as rows `slice, metric, value, ci_low, ci_high, n`.

    Accuracy has a Wilson interval; the others, per-class ones under slice `label=...` too, a percentile bootstrap over rows.
    A column `part` keeps several evaluations of one file apart: their slices are `<part>` and `<part>|label=...`.
    """
    if "part" not in frame:
        return evaluation(frame, labels, seed)
    tables = []
    for part, rows in frame.groupby("part", sort=False):
        table = evaluation(rows, labels, seed)
        table["slice"] = [part if name == "all" else f"{part}|{name}" for name in table["slice"]]
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def evaluation(frame: pd.DataFrame, labels: list[str], seed: int) -> pd.DataFrame:
    """The metrics of one evaluation; see `classification`."""
    counts = confusion(frame["gold"], frame["label"], labels)
    point, drawn = from_confusion(counts), from_confusion(resample(counts, seed))
    n, rows = len(frame), []
    for name in [name for name in point if name.startswith(("macro", "weighted"))]:
        rows.append(("all", name, float(point[name]), *interval(drawn[name]), n))
    for name in ("precision", "recall", "f1"):
        for number, label in enumerate(labels):
            values = drawn[f"class_{name}"][:, number]
            rows.append((f"label={label}", name, float(point[f"class_{name}"][number]), *interval(values), int(counts[number].sum())))
    rows.insert(0, ("all", "accuracy", *share(int(np.trace(counts)), n), n))
    chances = frame[[f"p_{label}" for label in labels]].to_numpy()
    rows.append(("all", "ece", ece(chances, frame["gold"], labels), float("nan"), float("nan"), n))
    return pd.DataFrame(rows, columns=["slice", "metric", "value", "ci_low", "ci_high", "n"])


def reliability(chances: np.ndarray, gold, labels: list[str], bins: int = 10) -> pd.DataFrame:
    """Mean confidence and accuracy per equal-width bin of confidence, empty bins left out: `bin, confidence, accuracy, n`."""
    confidence, right = chances.max(1), np.array(labels)[chances.argmax(1)] == np.asarray(gold)
    number = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    table = pd.DataFrame({"bin": number, "confidence": confidence, "accuracy": right.astype(float)})
    grouped = table.groupby("bin")
    return grouped.mean().assign(n=grouped.size()).reset_index()


def ece(chances: np.ndarray, gold, labels: list[str], bins: int = 10) -> float:
    """Expected calibration error: mean gap of confidence and accuracy over equal-width bins, weighted by rows (Guo et al., 2017)."""
    table = reliability(chances, gold, labels, bins)
    return float((table["n"] * (table["confidence"] - table["accuracy"]).abs()).sum() / table["n"].sum())


def behaviour(rows: pd.DataFrame) -> pd.DataFrame:
    """Rates of behavioural test rows, per test and per value of every column `by_...`: `slice, metric, value, ci_low, ci_high, n`.

    `slice` is the test's name, or `test|column=value`; each rate has a Wilson interval. Yes/no columns `is_...` become `..._share`.
    """
    found = []
    for test, part in rows.groupby("test", sort=False):
        found += rates(test, part)
        for column in [column for column in rows if column.startswith("by_")]:
            for value, some in part.groupby(column):
                found += rates(f"{test}|{column[3:]}={value}", some)
    return pd.DataFrame(found, columns=["slice", "metric", "value", "ci_low", "ci_high", "n"])


def rates(name: str, part: pd.DataFrame) -> list[tuple]:
    """The verdicts' rates of one slice, and the clean error rate."""
    n = len(part)
    clean = ("clean_error_rate", int((part["clean_label"] != part["gold"]).sum()))
    counted = [(metric, int(part[column].sum())) for column, metric in VERDICTS.items()]
    counted += [(f"{column[3:]}_share", int(part[column].sum())) for column in part if column.startswith("is_")]
    return [(name, metric, *share(count, n), n) for metric, count in [*counted, clean]]


def compare(first, second) -> dict[str, float]:
    """Exact McNemar test for two yes/no outcomes on the same rows: `only_first`, `only_second`, `difference` of shares, `p`.

    Identical outcomes, and no rows at all, give difference 0 and p = 1.
    """
    first, second = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if not len(first):
        return {"only_first": 0, "only_second": 0, "difference": 0.0, "p": 1.0}
    table = [[int((first & second).sum()), int((first & ~second).sum())], [int((~first & second).sum()), int((~first & ~second).sum())]]
    p = mcnemar(table, exact=True).pvalue if table[0][1] + table[1][0] else 1.0
    return {"only_first": table[0][1], "only_second": table[1][0], "difference": float(first.mean() - second.mean()), "p": float(p)}


def cochran(outcomes: np.ndarray) -> float:
    """p of Cochran's Q test for three or more yes/no outcomes (n, k) on the same rows; 1 where no row differs."""
    outcomes = np.asarray(outcomes, dtype=int)
    if (outcomes == outcomes[:, :1]).all():
        return 1.0
    statistic = cochrans_q(outcomes).statistic
    return float(chi2.sf(statistic, outcomes.shape[1] - 1))


def unpaired(first: int, n_first: int, second: int, n_second: int) -> float:
    """p of Fisher's exact test for two shares of different rows."""
    return float(fisher_exact([[first, n_first - first], [second, n_second - second]]).pvalue)


def holm(ps: list[float]) -> list[float]:
    """Holm's adjusted p values of a family of tests."""
    return [float(p) for p in multipletests(ps, method="holm")[1]] if len(ps) else []


def paired_difference(gold, first, second, labels: list[str], metric: str, seed: int) -> tuple[float, float, float]:
    """`metric` of the first predictions minus that of the second on the same rows, with a paired 95% bootstrap interval."""
    code = {label: number for number, label in enumerate(labels)}
    cells = np.zeros((len(labels),) * 3, dtype=int)
    np.add.at(cells, tuple([code[label] for label in column] for column in (gold, first, second)), 1)

    def gap(counts: np.ndarray) -> np.ndarray:
        return from_confusion(counts.sum(-1))[metric] - from_confusion(counts.sum(-2))[metric]

    return float(gap(cells)), *interval(gap(resample(cells, seed)))
