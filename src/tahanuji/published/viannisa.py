"""The tables and examples of Viannisa (2025), as printed and as her published per-row predictions
give them.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from tahanuji import behaviour, data, downloads, measure, published
from tahanuji.outcomes import outcomes

__all__ = ["examples", "failures", "figures", "formality", "paired", "probes", "recomputed"]

DOCUMENT = "viannisa2025"
NOT_AT_HAND = (
    "The per-row predictions of Viannisa (2025) are not at hand: -p published_predictions true "
    "downloads them; a copy named in TAHAN_DATA_MIRROR does as well."
)
MODELS = {"indobert": "IndoBERT", "mbert": "mBERT"}
EPOCHS = {"IndoBERT": "Table 3.5", "mBERT": "Table 3.6"}
LABELS = {0.0: "positive", 1.0: "neutral", 2.0: "negative"}  # as the thesis numbers them
SEED = 26092020  # of the bootstrap over rows; the interval moves with it in the third digit
COUNTS = ["number", "test", "model", "source", "failures", "n", "printed"]
OUTCOME = ["n", "first_rate", "second_rate", "difference", "ci_low", "ci_high", "only_first"]
OUTCOME += ["only_second", "p"]


class Case(NamedTuple):
    """A row of Table 4.2: its test here, its published per-row predictions (`<file>_<model>` of the
    source viannisa) and what is expected.
    """

    number: int
    says: str
    notebook: str
    test: str
    file: str
    accepts: Callable[[str], set[str]] = behaviour.invariant


CASES = [
    Case(1, "DIR: saya benci matematika added", "03_sentence_insertion", "negative",
         "insertion_negative", behaviour.directed("negative")),
    Case(2, "DIR: saya cinta matematika added", "03_sentence_insertion", "positive",
         "insertion_positive", behaviour.directed("positive")),
    Case(3, "INV: tidak to nggak", "04_negation", "nggak", "nggak"),
    Case(4, "INV: tidak to gak", "04_negation", "gak", "gak"),
    Case(5, "INV: typos at 0.3 per word", "05_typos", "typos 0.3", "typos"),
    Case(6, "INV: formal", "06_formality", "formal", "formality_high"),
    Case(7, "INV: semi-formal", "06_formality", "semi_formal", "formality_medium"),
    Case(8, "INV: informal", "06_formality", "informal", "formality_low"),
]  # fmt: skip


# Table 4.2


def counts() -> pd.DataFrame:
    """The printed counts of Table 4.2: `number, test, model, source, failures, n, printed`.

    >>> counts()["failures"].tolist()[:2]
    [97, 262]
    """
    table = published.table(DOCUMENT, "Table 4.2").reset_index()
    rows = []
    for case, (_, row) in zip(CASES, table.iterrows(), strict=True):
        for model in MODELS.values():
            printed = row[f"{model} failure rate"] / 100
            failed, n = int(row[f"{model} failures"]), int(row["Total samples"])
            rows.append((case.number, case.says, model, "published", failed, n, printed))
    return pd.DataFrame(rows, columns=COUNTS)


def shares(table: pd.DataFrame) -> pd.DataFrame:
    """Counts of failures, each with its share and Wilson interval: `value, ci_low, ci_high`."""
    pairs = zip(table["failures"], table["n"], strict=True)
    found = [[*measure.share(*pair)] for pair in pairs]
    return table.assign(**pd.DataFrame(found, table.index, ["value", "ci_low", "ci_high"]))


def failures(case: Case, model: str, fetch: bool = False) -> pd.Series | None:
    """Which rows of a published result file fail their test.

    Parameters
    ----------
    case : Case
        One of `CASES`.
    model : {"indobert", "mbert"}
    fetch : bool
        Whether the file may be downloaded.

    Returns
    -------
    Series of bool, or None
        Indexed by gold label; None where the file is not at hand.

    Examples
    --------
    >>> failures(CASES[4], "mbert").sum()  # doctest: +SKIP
    113
    """
    name = f"viannisa/{case.file}_{model}"
    path = downloads.locate(name) if fetch else downloads.at_hand(name)
    if path is None:
        return None
    rows = data.read_table(path).replace(data.THESIS_CODES)
    gold, said = rows["gold_label"].to_list(), rows["predicted_label"].to_list()
    return outcomes(gold, None, said, case.accepts).set_index("gold")["failure"]


def recomputed(fetch: bool = False) -> pd.DataFrame:
    """Table 4.2 as printed and as counted anew in the per-row predictions, where they are at hand.

    Parameters
    ----------
    fetch : bool
        Whether the files may be downloaded.

    Returns
    -------
    DataFrame
        `number, test, model, source` (published, recomputed), `failures, n, printed` (the rate),
        and `value, ci_low, ci_high`, the share by the counts with its Wilson interval.

    Examples
    --------
    >>> recomputed().query("number == 5 and source == 'published'")["failures"].tolist()
    [72, 113]
    """
    rows = []
    for case in CASES:
        for key, model in MODELS.items():
            if (failed := failures(case, key, fetch)) is not None:
                counted = (int(failed.sum()), len(failed), float("nan"))
                rows.append((case.number, case.says, model, "recomputed", *counted))
    table = pd.concat([counts(), pd.DataFrame(rows, columns=COUNTS)]) if rows else counts()
    return shares(table.sort_values("number", kind="stable", ignore_index=True))


def outcome(one: pd.Series, other: pd.Series) -> dict[str, float]:
    """How often two models, or texts, fail on the same rows: `OUTCOME`, p by McNemar's exact test.

    >>> told = outcome(pd.Series([True, True, False]), pd.Series([False, True, False]))
    >>> told["n"], told["only_first"], told["p"]
    (3, 1, 1.0)
    """
    sides = [side.map({True: "failed", False: "passed"}).to_list() for side in (one, other)]
    apart = measure.paired_difference(
        ["failed"] * len(one), *sides, ["passed", "failed"], "accuracy", SEED
    )
    tested = measure.compare(one.to_numpy(), other.to_numpy())
    rates = {"n": len(one), "first_rate": float(one.mean()), "second_rate": float(other.mean())}
    ends = {"difference": tested["difference"], "ci_low": apart.low, "ci_high": apart.high}
    return rates | ends | {name: tested[name] for name in ("only_first", "only_second", "p")}


def paired(fetch: bool = False) -> pd.DataFrame:
    """IndoBERT against mBERT on the same rows of the published predictions, all eight tests.

    Parameters
    ----------
    fetch : bool
        Whether the files may be downloaded.

    Returns
    -------
    DataFrame
        `number, test`, `OUTCOME` and `p_holm` over the eight; empty where the files are not at
        hand.

    Examples
    --------
    >>> paired().query("number == 5")["only_second"].tolist()  # doctest: +SKIP
    [67]
    """
    rows = []
    for case in CASES:
        pair = [failures(case, model, fetch) for model in MODELS]
        if not any(one is None for one in pair):
            rows.append({"number": case.number, "test": case.says} | outcome(*pair))
    table = pd.DataFrame(rows, columns=["number", "test", *OUTCOME])
    return table.assign(p_holm=measure.holm(list(table["p"])))


def formality(fetch: bool = False) -> pd.DataFrame:
    """The three levels of formality against one another, per model on the same thirty triplets:
    row i of each file belongs to triplet i.

    Parameters
    ----------
    fetch : bool
        Whether the files may be downloaded.

    Returns
    -------
    DataFrame
        `model, first, second`, `OUTCOME` and `p_holm` over the six pairs; empty where the files are
        not at hand.

    Examples
    --------
    >>> formality()["second"].unique().tolist()  # doctest: +SKIP
    ['semi-formal', 'informal']
    """
    rows = []
    for key, model in MODELS.items():
        levels = {case.says.removeprefix("INV: "): failures(case, key, fetch) for case in CASES[5:]}
        if not any(failed is None for failed in levels.values()):
            rows += [
                {"model": model, "first": one, "second": other}
                | outcome(levels[one], levels[other])
                for one, other in combinations(levels, 2)
            ]
    table = pd.DataFrame(rows, columns=["model", "first", "second", *OUTCOME])
    return table.assign(p_holm=measure.holm(list(table["p"])))


# What notebooks 01 to 06 show of it


def figures(notebook: str) -> pd.DataFrame:
    """What the thesis prints for a notebook.

    Parameters
    ----------
    notebook : str
        One of notebooks 01 to 06, by the name of its file.

    Returns
    -------
    DataFrame
        Tables 3.5 and 3.6 (01), Table 4.1 (02), or the notebook's rows of Table 4.2 with intervals.

    Examples
    --------
    >>> figures("05_typos")["printed"].tolist()
    ['14.40%', '22.60%']
    """
    if notebook == "01_finetune":
        parts = {model: published.table(DOCUMENT, name) for model, name in EPOCHS.items()}
        return pd.concat(parts, names=["Viannisa's model", "epoch"]).reset_index()
    if notebook == "02_conventional_metrics":
        table = published.table(DOCUMENT, "Table 4.1")
        return table.rename_axis("Viannisa's model").reset_index()
    own = {case.number for case in CASES if case.notebook == notebook}
    table = counts()
    table = table[table["number"].isin(own)].reset_index(drop=True)
    pairs = zip(table["failures"], table["n"], strict=True)
    shown = {"test": table["test"], "Viannisa's model": table["model"]}
    shown["fails"] = [f"{measure.share(*pair):counted}" for pair in pairs]
    return pd.DataFrame(shown | {"printed": table["printed"].map("{:.2%}".format)})


def examples() -> pd.DataFrame:
    """The examples of Tables 3.10 to 3.15 and 5.1 to 5.12 by id.

    Returns
    -------
    DataFrame
        `table, row, model, notebook, test, id, gold, published`; `model` and `published` are empty
        in Table 3.13, which shows texts without predictions.

    Examples
    --------
    >>> examples().iloc[0][["id", "gold", "published"]].tolist()
    ['smsa-test-00016', 'negative', 'positive']
    """
    named = data.read_table(published.FOLDER / f"{DOCUMENT}_examples.csv")
    codes = published.figures(DOCUMENT).drop_duplicates(["table", "row", "column"])
    codes = codes.pivot(index=["table", "row"], columns="column", values="value")
    codes = codes.reindex(pd.MultiIndex.from_frame(named[["table", "row"]]))
    said = {"gold": "Gold label", "published": "Predicted label"}
    labels = codes[list(said.values())].apply(lambda code: code.map(LABELS)).fillna("")
    return named.assign(**dict(zip(said, labels.to_numpy().T, strict=True)))


def beside(notebook: str, rows: pd.DataFrame, rate: float | None = None) -> pd.DataFrame:
    """A notebook's examples that a run tested too: `table, id, test, gold, Viannisa's model, its
    label, clean label here, label here`; none where the run is of other texts.
    """
    rows = rows if rate is None else rows[rows["rate"] == rate]
    own = examples().query("notebook == @notebook").drop(columns="gold")
    both = own.merge(rows[["id", "test", "gold", "clean_label", "perturbed_label"]])
    both["model"] = both["model"].map(MODELS).fillna("")
    names = {
        "model": "Viannisa's model",
        "published": "its label",
        "clean_label": "clean label here",
        "perturbed_label": "label here",
    }
    return both[["table", "id", "test", "gold", *names]].rename(columns=names)


def probes() -> pd.DataFrame:
    """Table 3.7 in counts.

    Returns
    -------
    DataFrame
        A row per model, before and after fine-tuning: the sentences that it labels as intended,
        `of` how many, and its least and greatest confidence.

    Examples
    --------
    >>> probes()["as intended"].tolist()
    [2, 6, 3, 5]
    """
    printed = published.figures(DOCUMENT).query("table == 'Table 3.7'")
    labels = printed.assign(label=printed["printed"].str.split().str[0])
    wide = labels.pivot(index="row", columns="column", values=["label", "value"])
    table = []
    for name in wide["label"].columns.drop("Gold label"):
        right = int((wide["label"][name] == wide["label"]["Gold label"]).sum())
        sure = wide["value"][name].astype(float)
        table.append((name, right, len(wide), f"{sure.min():.1f}%", f"{sure.max():.1f}%"))
    names = ["Viannisa's model", "as intended", "of", "least sure", "surest"]
    return pd.DataFrame(table, columns=names)
