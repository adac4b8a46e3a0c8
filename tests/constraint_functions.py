"""What the formulas of tests/published/constraints.csv call besides Python, pandas and numpy."""

import itertools
import math
import re

import numpy as np
import pandas as pd
from released_files import *  # noqa: F403 (the formulas read released files by these names)

from tahanuji import behaviour, measure  # noqa: F401 (formulas read behaviour)
from tahanuji.measure import robustness
from tahanuji.perturb import negation

LABELS = ["positive", "neutral", "negative"]


def whole(shares: pd.DataFrame, n: int) -> int:
    """How many shares in percent are, to two digits, whole numbers of n."""
    shares = shares.to_numpy()
    return int((np.abs(np.round(shares * n / 100) * 100 / n - shares) <= 0.005 + 1e-9).sum())


def appearances(printed: float, present: float, ratio: float, half: float) -> float:
    """The count of a word in IndoRobusta's Tables 5 and 6: as printed where its ratio fits, else
    the multiple of seven in the ratio's rounding that begins with the printed digits.
    """
    if abs(printed / present - ratio) <= half:
        return printed
    low, high = math.ceil((ratio - half) * present), math.floor((ratio + half) * present)
    fits = range(low, high + 1)
    return only(n for n in fits if n % 7 == 0 and str(n).startswith(f"{printed:.0f}"))


def only(values) -> float:
    """The one value that there is, or NaN where there are none or several."""
    values = set(values)
    return values.pop() if len(values) == 1 else math.nan


def near(value: float, other: float, slack: float) -> bool:
    """Whether two numbers are as near as a slack, but for floating point."""
    return bool(abs(value - other) <= slack + 1e-9 * max(1.0, abs(other)))


def gcd(values: pd.Series) -> int:
    return math.gcd(*values.to_numpy().astype(int).ravel())


# Viannisa (2025)


def guesses(document, checkpoint: str) -> pd.DataFrame:
    """The label and its confidence that a checkpoint gives each sentence of Table 3.7."""
    cells = document.cells(f"Table 3.7 / * / * / {checkpoint}")
    labels = [document.printed[cell].split()[0] for cell in cells]
    return pd.DataFrame({"label": labels, "sure": [document.values[cell] for cell in cells]})


def guessed(document, checkpoint: str) -> dict[str, float]:
    """What can be read from a column of Table 3.7, in the words of section 3.4."""
    table, gold = guesses(document, checkpoint), guesses(document, "Gold label")["label"]
    right, wrong = table[table["label"] == gold]["sure"], table[table["label"] != gold]["sure"]
    return {f"Labelled {label}": (table["label"] == label).sum() for label in LABELS} | {
        "Labelled correctly": len(right),
        "Labelled incorrectly": len(wrong),
        "Highest confidence": table["sure"].max(),
        "Lowest confidence": table["sure"].min(),
        "Highest confidence of a correct label": right.max(),
        "Lowest confidence of a correct label": right.min(),
        "Confidence of the incorrect label": wrong.sum(),
    }


# IndoNLI


def runs_fit(n: float, mean: float, sd: float) -> bool:
    """Whether three runs with whole numbers of n pairs right can have this mean and sample sd, both
    in percent to one digit.
    """
    n = int(n)
    totals = [t for t in range(3 * n + 1) if abs(100 * t / (3 * n) - mean) <= 0.05 + 1e-9]
    for total in totals:
        low, middle = np.triu_indices(total // 2 + 1)
        rights = np.stack([low, middle, total - low - middle])
        spread = np.sqrt(((rights - total / 3) ** 2).sum(axis=0) / 2)
        fits = (rights[2] >= middle) & (rights[2] <= n)
        if (fits & (np.abs(100 * spread / n - sd) <= 0.05 + 1e-9)).any():
            return True
    return False


def rights(accuracies: pd.Series, sizes: pd.Series, cut: bool) -> set[int]:
    """The numbers of pairs right in all that accuracies of one run allow, with one digit that is
    rounded, or cut off.
    """
    totals = {0}
    for part, printed in accuracies.items():
        n, tenths = int(sizes[part]), round(printed * 10)
        right = np.arange(n + 1)
        shown = right * 1000 // n if cut else (right * 2000 + n) // (2 * n)
        totals = {total + int(more) for total in totals for more in right[shown == tenths]}
    return totals


def short_shares(tokens: int) -> set[float]:
    """The shares in percent, to one digit, that parts of at most so many tokens can have."""
    parts = ((part, whole) for whole in range(1, tokens + 1) for part in range(whole + 1))
    return {round(100 * part / whole, 1) for part, whole in parts}


def shares_of_label(table: pd.DataFrame, off: float) -> pd.Series:
    """The share of a label among the words that each word of Table 9 implies, if its PMI is off by
    so much; ten is added to every count of a word with a label.
    """
    counts = (table["Count, label"] + 10) / (table["Count, all"] + 30)
    return counts / 2 ** (table["PMI"] + off)


def negations(words) -> int:
    """How many words negate."""
    return sum(negation.count(word) for word in words)


# IndoNLU

FAMILIES = {
    r"scratch": "Scratch",
    r"fasttext-cc-id.*": "fastText-cc-id",
    r"fasttext-4B.*": "fastText-indo4b",
    r"bert-base-multilingual-uncased": "mBERT",
    r"xlm-mlm-100-1280": "XLM-MLM",
    r"xlm-roberta-(base|large)": "XLM-R {}",
    r"indobert-(base|large)-128.*": "IndoBERT {}",
    r"indobert-(base|large)-512.*": "IndoBERT {} + phase two",
    r"indobert-lite-(base|large)-128.*": "IndoBERT-lite {}",
    r"indobert-lite-(base|large)-512.*": "IndoBERT-lite {} + phase two",
}


def family(run: str) -> str:
    """The model of Table 5 that a row of Table 22 is a configuration of.

    >>> family("indobert-lite-base-512-162.5k, lr 1e-5, 12 layers")
    'IndoBERT-lite BASE + phase two'
    """
    name = run.split(", lr ")[0]
    for pattern, model in FAMILIES.items():
        if match := re.fullmatch(pattern, name):
            return model.format(*(part.upper() for part in match.groups()))
    raise LookupError(f"Table 5 has no model of {run}")


def of_family(runs: pd.Series, model: str) -> pd.Series:
    """The rows of Table 22 that are configurations of a model."""
    return runs[[family(run) == model for run in runs.index]]


def layer(hidden: float, inner: float) -> float:
    """The parameters of one transformer layer: attention, feed-forward network, two norms."""
    return 4 * (hidden**2 + hidden) + 2 * hidden * inner + inner + hidden + 4 * hidden


def bert(pieces: float, hidden: float, inner: float, layers: float) -> float:
    """The parameters of a BERT with 512 positions, two types, the embeddings' norm and a pooler."""
    embeddings = (pieces + 512 + 2 + 2) * hidden
    return embeddings + layers * layer(hidden, inner) + hidden**2 + hidden


def vocabulary(settings: pd.Series, parameters: float) -> tuple[float, float]:
    """The word pieces that a column of Table 20 leaves room for, if the parameters are rounded to
    0.1 million and hold a head of 0 to 41 classes.
    """
    hidden, narrow = settings["hidden_size"], settings["embedding_size"]
    shared = settings["num_hidden_groups"] == 1
    depth = 1 if shared else settings["num_hidden_layers"]
    positions = settings["max_position_embeddings"] + settings["type_vocab_size"] + 2
    body = positions * narrow + (narrow * hidden + hidden if shared else 0)
    body += depth * layer(hidden, settings["intermediate_size"]) + hidden**2 + hidden
    slack = (-5e4 - 41 * (hidden + 1), 5e4)
    return tuple((parameters + off - body) / narrow for off in slack)


def last_figure(value: float) -> float:
    """Half a unit of the last figure of a round number that is not 0.

    >>> last_figure(8000), last_figure(250)
    (500.0, 5.0)
    """
    digits = f"{value:.0f}"
    return 10 ** (len(digits) - len(digits.rstrip("0"))) / 2


# Romero Alvarado (2023)

TASKS = {
    "GC": "Grammatical Coherence",
    "HSOL": "Hate Speech and Offensive Language",
    "NLI": "Natural Language Inference",
    "SA": "Sentiment Analysis",
    "SS": "Semantic Similarity",
}
MODELS = ["DistilBERT", "ELECTRA", "Funnel Transformer", "XLNet"]
EMBEDDING, CAPITALS = "Swap Synonym Word Embedding", "WordCase"
ABBREVIATED = {"SSWN": "Swap Synonym WordNet", "SNE": EMBEDDING}
# the main text goes task by task, the annex level by level, its figures also model by model
MAIN = dict(enumerate(itertools.product(TASKS, robustness.LEVELS), start=12))
ANNEX = dict(enumerate(itertools.product(robustness.LEVELS, TASKS), start=12))
PICTURES = dict(enumerate(itertools.product(robustness.LEVELS, TASKS, MODELS), start=8))


def in_main_text(table: str) -> str:
    """The table of the main text that one of the annex's repeats.

    >>> in_main_text("Annex Table 13"), in_main_text("Annex Table 9")
    ('Table 15', 'Table 9')
    """
    level, task = ANNEX.get(int(table.split()[-1]), (None, None))
    return next(
        (f"Table {number}" for number, pair in MAIN.items() if pair == (task, level)),
        table.removeprefix("Annex "),
    )


def kappa_grid(document) -> pd.DataFrame:
    """The kappas of Tables 12 to 26 as a grid of `tahanuji.measure.robustness`, with `setting` and
    half of the last digit of kappa and share.
    """
    rows = []
    for number, (task, level) in MAIN.items():
        table = f"Table {number}"
        for cell in document.cells(f"{table} / * / * / {'|'.join(MODELS)}"):
            share = (*cell[:3], "% of samples perturbed")
            values = [document.values[cell], document.values[share] / 100]
            halves = [document.half(key) for key in (cell, share)]
            rows.append([cell[3], task, level, cell[2], cell[1], *values, *halves])
    names = ["model", "task", "level", "perturbation", "setting", "kappa", "changed"]
    grid = pd.DataFrame(rows, columns=[*names, "kappa_half", "changed_half"])
    return grid.assign(changed_half=grid["changed_half"] / 100)


def is_missing(grid: pd.DataFrame) -> pd.Series:
    """The cell that the author's released files lack, and with them the averages: DistilBERT under
    WordCase on NLI. The other 19 cells of WordCase have a mean of 0.632, as printed.
    """
    of_model = (grid["model"] == "DistilBERT") & (grid["task"] == "NLI")
    return of_model & (grid["perturbation"] == CAPITALS)


def kappas(grid: pd.DataFrame, **wanted: str) -> pd.Series:
    """The kappas of a grid whose columns have one of the wanted values, `a|b`."""
    for column, allowed in wanted.items():
        grid = grid[grid[column].isin(allowed.split("|"))]
    return grid["kappa"]


def extreme(grid: pd.DataFrame, side: int) -> pd.DataFrame:
    """The grid with the lowest (-1) or highest (1) kappas and shares that round to the printed
    ones: a score grows with kappa and, where kappa is positive, with the share.
    """
    kappa = (grid["kappa"] + side * grid["kappa_half"]).clip(-1, 1)
    signs = np.where(kappa < 0, -side, side)
    changed = (grid["changed"] + signs * grid["changed_half"]).clip(0, 1)
    return grid.assign(kappa=kappa, changed=changed)


def averages(grid: pd.DataFrame, kept: set[str], capitals: bool = True) -> dict[tuple, float]:
    """Tables 27 to 29 worked out again, by table and row; Table 29 with or without WordCase."""
    totals = robustness.without(grid, CAPITALS)
    frequent = (grid if capitals else totals)[lambda rows: rows["perturbation"].isin(kept)]
    scores = {
        "Table 27": [robustness.by(totals, column) for column in ("model", "task")]
        + [robustness.by_level(totals)],
        "Table 28": [robustness.by_perturbation(grid)],
        "Table 29": [robustness.by_level(frequent)],
    }
    return {
        (table, name): score
        for table, parts in scores.items()
        for part in parts
        for name, score in part["score"].items()
    }


def limits(grid: pd.DataFrame, capitals: bool = True) -> dict[tuple, tuple]:
    """Of each average the least, the most and the likeliest that the rounded kappas allow."""
    kept = set(robustness.frequent(grid)["perturbation"])
    parts = (extreme(grid, -1), extreme(grid, 1), grid)
    found = [averages(part, kept, capitals) for part in parts]
    return {key: tuple(part[key] for part in found) for key in found[0]}


def average_row(row: str) -> str:
    """The perturbation or level that a row of Tables 27 to 29 abbreviates.

    >>> average_row("SNE"), average_row("OTHER")
    ('Swap Synonym Word Embedding', 'other')
    """
    level = row.lower() if row.lower() in robustness.LEVELS else row
    return ABBREVIATED.get(row, level)


def residuals(scores: dict, printed: pd.Series) -> pd.Series:
    """Averages worked out again less the printed ones, in last digits, without the mean of Table 29
    that holds WordCase.
    """
    printed = printed.rename(average_row, level="row").drop([("Table 29", "other")])
    return (pd.Series(scores)[printed.index] - printed) / 0.001


def missed(grid: pd.DataFrame, column: str, printed: pd.Series, recipe) -> int:
    """How many printed averages another recipe cannot give, within its rounding."""
    low, high = (recipe(extreme(grid, side))["score"] for side in (-1, 1))
    printed = printed[low.index]
    return int(((printed < low - 5e-4 - 1e-9) | (printed > high + 5e-4 + 1e-9)).sum())


def plain_mean(grid: pd.DataFrame, column: str) -> pd.DataFrame:
    """Mean scores over all rows, whatever their level."""
    return robustness.scored(grid).groupby(column)[["score"]].mean()


def cohen(matrix: pd.DataFrame) -> float:
    return float(measure.kappa_of(matrix.to_numpy()))


def caption(table: str, what: str) -> str:
    """The task or model of a table or figure, by its place in the document."""
    number = int(table.split()[-1])
    if "Figure" in table:
        _, task, model = PICTURES[number]
        return TASKS[task] if what == "Task" else model
    task = ANNEX[number][1] if table.startswith("Annex") else MAIN[number][0]
    return TASKS[task]
