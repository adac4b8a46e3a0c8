"""The tables of the paper (Mahendra et al., 2021) that follow from the released files."""

from collections.abc import Iterator

import pandas as pd

from tahanuji.nli.artefacts import pmi
from tahanuji.nli.corpus import LABELS
from tahanuji.nli.overlap import compare

SPLITS = {"train": "Train", "dev": "Dev", "lay": "Test LAY", "expert": "Test EXPERT"}
PREMISES = {"single": "SINGLE-SENT", "double": "DOUBLE-SENTS", "multiple": "PARAGRAPH"}
ROUNDS = ["1st", "2nd", "3rd"]
WRITTEN = 3008  # expert pairs, by Table 2; those that got no gold label were not released
CELLS = ["table", "group", "row", "column", "recomputed"]


def recomputed(splits: dict[str, pd.DataFrame], tags: pd.DataFrame | None) -> pd.DataFrame:
    """The figures of the paper that its released files give.

    Parameters
    ----------
    splits : dict of str to DataFrame
        As `splits("indonli")` gives them.
    tags : DataFrame or None
        As `diagnostic` gives it; None, of pairs that are not IndoNLI's, gives no row.

    Returns
    -------
    DataFrame
        table, group, row, column (named as in data/published/mahendra2021.csv), recomputed: of
        Table 2 the rounds of the expert data, of Table 3 how far their gold labels are their
        authors', Tables 4 and 5, of Table 6 the majority, Table 9, and of Table 11 the pairs.

    References
    ----------
    Mahendra et al. (2021), Tables 2 to 6, 9 and 11.

    Examples
    --------
    >>> from tahanuji import nli
    >>> len(recomputed(nli.splits("indonli"), nli.diagnostic()))  # doctest: +SKIP
    191
    """
    if tags is None:
        return pd.DataFrame(columns=CELLS)
    expert = splits["expert"]
    parts = [
        *(_table_2(expert["annotation_round"]), _table_3(expert), _table_4(splits)),
        *(_table_5(splits), _table_6(splits), _table_9(splits), _table_11(tags)),
    ]
    cells = [cell for part in parts for cell in part]
    return pd.DataFrame(cells, columns=CELLS)


def _table_2(rounds: pd.Series) -> Iterator[tuple]:
    """What each round settled, and the labels that this took: every pair has those of its author
    and of two others, each later round one more.
    """
    settled = rounds.value_counts().sort_index().cumsum().to_list()
    entered = [WRITTEN, *(WRITTEN - count for count in settled[:-1])]
    for name, count, pairs in zip(ROUNDS, settled, entered, strict=True):
        yield "Table 2", "Expert", name, "#pairs", pairs
        yield "Table 2", "Expert", name, "%cum-cons", 100 * count / WRITTEN
    theirs, ours = 5 * WRITTEN, 3 * WRITTEN + sum(entered[1:])
    yield "Table 2", "Expert", "MNLI", "#annotations", theirs
    yield "Table 2", "Expert", "ours", "#annotations", ours
    yield "Table 2", "Expert", "ours", "fewer than MNLI", 100 * (1 - ours / theirs)


def _table_3(expert: pd.DataFrame) -> Iterator[tuple]:
    same = int((expert["author_label"] == expert["label"]).sum())
    counts = {
        "% pairs with gold label": len(expert),
        "gold label = author's label": same,
        "gold label ≠ author's label": len(expert) - same,
        "no gold label (no 3 labels match)": WRITTEN - len(expert),
    }
    for name, count in counts.items():
        yield "Table 3", "", name, "IndoNLI Expert", 100 * count / WRITTEN


def _table_4(splits: dict[str, pd.DataFrame]) -> Iterator[tuple]:
    for split, column in SPLITS.items():
        frame = splits[split]
        for label in LABELS:
            yield "Table 4", "Label", label, column, int((frame["label"] == label).sum())
        for text in ("premise", "hypothesis"):
            words = frame[text].str.split().str.len()
            yield "Table 4", "Length", text, column, words.mean()
            yield "Table 4", "Length", text, f"{column}, sd", words.std()
        for size, name in PREMISES.items():
            yield "Table 4", "Premise", name, column, int((frame["sentence_size"] == size).sum())


def _table_5(splits: dict[str, pd.DataFrame]) -> Iterator[tuple]:
    """Medians, which the paper does not say."""
    for split in ("lay", "expert"):
        frame = splits[split]
        pairs = zip(frame["premise"], frame["hypothesis"], strict=True)
        shared = pd.DataFrame([compare(*pair) for pair in pairs], index=frame.index)
        medians = 100 * shared.groupby(frame["label"]).median()
        for (label, measure), share in medians.stack().items():
            yield "Table 5", SPLITS[split], label.capitalize(), measure, share


def _table_6(splits: dict[str, pd.DataFrame]) -> Iterator[tuple]:
    most = splits["train"]["label"].mode()[0]
    for split in ("dev", "lay", "expert"):
        share = 100 * float((splits[split]["label"] == most).mean())
        yield "Table 6", "", "Majority", SPLITS[split], share
        yield "Table 6", "", "Majority", f"{SPLITS[split]}, sd", 0


def _table_9(splits: dict[str, pd.DataFrame]) -> Iterator[tuple]:
    """Of each label the three words that lead, in all lay and in all expert pairs."""
    titles = {"pmi": "PMI", "count": "Count, label", "count_all": "Count, all"}
    for name, members in {"LAY": ["train", "dev", "lay"], "EXPERT": ["expert"]}.items():
        words = pmi(pd.concat([splits[split] for split in members]))
        for _, word in words.groupby("label", sort=False).head(3).iterrows():
            for key, column in titles.items():
                yield "Table 9", f"{name}, {word['label']}", word["word"], column, word[key]


def _table_11(tags: pd.DataFrame) -> Iterator[tuple]:
    """Pairs by tag; a pair may have several."""
    tagged = tags.explode("tags", ignore_index=True)
    counts = pd.crosstab(tagged["tags"], tagged["label"])
    for tag, row in counts.iterrows():
        yield "Table 11", "", tag, "pairs", int(row.sum())
        for label in LABELS:
            yield "Table 11", "", tag, f"pairs, {label[0].upper()}", int(row[label])
