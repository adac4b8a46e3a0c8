"""The thesis's printed figures fit one another, IndoNLU's and its published predictions, except
where data/published/errata.csv says so.
"""

import random
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from helpers import parameters
from tahanuji import behaviour, data, downloads, measure, models, paths
from tahanuji.perturb import characters

CELL = ["table", "row", "column"]
NUMBERS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
]
WORDS = {word: number for number, word in enumerate(NUMBERS)} | {
    label: int(code) for code, label in data.THESIS_CODES.items()
}
WORDS |= {
    "False": 0,
    "misclassification": 0,
    "classified incorrectly": 0,
    "True": 1,
    "high accuracy": 1,
    "classified correctly": 1,
    "all": 6,
}
ZEROS = {"": 0, "M": 6, "million": 6, "billion": 9}

# tables whose rows and columns form a grid: how many of each
GRIDS = {
    "Table 3.5": (5, 6),
    "Table 3.6": (5, 6),
    "Table 3.7": (6, 5),
    "Table 4.1": (2, 2),
    "Table 4.2": (8, 5),
}
GRIDS |= {f"Table {number}": (3, 3) for number in ("3.10", "3.12", "3.14", "3.15")} | {
    f"Table 5.{number}": (1, 3) for number in range(1, 13)
}
OTHERS = {"Table 3.4": 12, "Table 5.13": 2, "Table 5.14": 2}
OTHERS |= {
    "Section 3.2.1": 3,
    "Section 3.2.2": 4,
    "Section 3.3.1": 9,
    "Section 3.3.2": 7,
    "Section 3.4": 18,
    "Section 3.6.2": 5,
}
OTHERS |= {
    "Section 4.1": 5,
    "Section 4.2": 17,
    "Section 5": 1,
    "Section 5.1.1": 5,
    "Section 5.1.2": 6,
    "Section 5.2": 3,
    "Section 5.2.1": 5,
}
OTHERS |= {
    "Section 5.2.2": 4,
    "Section 5.3.1": 3,
    "Section 5.3.2": 5,
    "Section 5.4.1": 8,
    "Section 5.4.2": 10,
    "Section 6.1": 2,
}

# tests of Table 4.2: the published file and the labels that pass
NEGATIVE, POSITIVE = "1 insertion of a negative sentence", "2 insertion of a positive sentence"
NGGAK, GAK = "3 negation: nggak for tidak", "4 negation: gak for tidak"
TYPOS, HIGH, MEDIUM, LOW = "5 typos", "6 formality: high", "7 formality: medium", "8 formality: low"
FILES = {
    NEGATIVE: "insertion_negative",
    POSITIVE: "insertion_positive",
    NGGAK: "nggak",
    GAK: "gak",
    TYPOS: "typos",
}
FILES |= {HIGH: "formality_high", MEDIUM: "formality_medium", LOW: "formality_low"}
PASSES = dict.fromkeys(FILES, behaviour.invariant) | {
    NEGATIVE: behaviour.directed("negative"),
    POSITIVE: behaviour.directed("positive"),
}
MODELS = ("IndoBERT", "mBERT")

# printed examples: the test, the model that caption or text names, and the line of the published
# file
EXAMPLES = {
    ("Table 3.10", "example 1"): (NEGATIVE, "mBERT", 17),
    ("Table 3.10", "example 2"): (NEGATIVE, "mBERT", 185),
    ("Table 3.10", "example 3"): (NEGATIVE, "mBERT", 331),
    ("Table 3.12", "example 1"): (NGGAK, "IndoBERT", 97),
    ("Table 3.12", "example 2"): (NGGAK, "IndoBERT", 123),
    ("Table 3.12", "example 3"): (NGGAK, "IndoBERT", 72),
    ("Table 3.14", "example 1"): (TYPOS, "mBERT", 202),
    ("Table 3.14", "example 2"): (TYPOS, "mBERT", 480),
    ("Table 3.14", "example 3"): (TYPOS, "mBERT", 333),
    ("Table 3.15", "example 1"): (MEDIUM, "mBERT", 4),
    ("Table 3.15", "example 2"): (MEDIUM, "mBERT", 19),
    ("Table 3.15", "example 3"): (MEDIUM, "mBERT", 23),
    ("Table 5.1", "example 1"): (POSITIVE, "IndoBERT", 40),
    ("Table 5.2", "example 1"): (NEGATIVE, "IndoBERT", 173),
    ("Table 5.3", "example 1"): (POSITIVE, "mBERT", 22),
    ("Table 5.4", "example 1"): (NEGATIVE, "mBERT", 81),
    ("Table 5.5", "example 1"): (NGGAK, "IndoBERT", 162),
    ("Table 5.6", "example 1"): (NGGAK, "IndoBERT", 133),
    ("Table 5.7", "example 1"): (GAK, "mBERT", 14),
    ("Table 5.8", "example 1"): (GAK, "mBERT", 139),
    ("Table 5.9", "example 1"): (TYPOS, "IndoBERT", 7),
    ("Table 5.10", "example 1"): (TYPOS, "IndoBERT", 25),
    ("Table 5.11", "example 1"): (TYPOS, "mBERT", 359),
    ("Table 5.12", "example 1"): (TYPOS, "mBERT", 220),
    ("Table 5.13", "example 1"): (MEDIUM, "IndoBERT", 22),
    ("Table 5.13", "example 2"): (LOW, "IndoBERT", 23),
    ("Table 5.14", "example 1"): (HIGH, "mBERT", 23),
    ("Table 5.14", "example 2"): (LOW, "mBERT", 23),
    ("Section 5.2", "example, IndoBERT"): (NGGAK, "IndoBERT", 32),
    ("Section 5.2", "example, mBERT"): (NGGAK, "mBERT", 32),
    ("Section 5.3.2", "example on customer service"): (TYPOS, "mBERT", 15),
    ("Section 5.3.2", "example on politics"): (TYPOS, "mBERT", 62),
    ("Section 5.4.1", "example, medium"): (MEDIUM, "IndoBERT", 15),
    ("Section 5.4.1", "example, low"): (LOW, "IndoBERT", 27),
    ("Section 5.4.2", "example, high"): (HIGH, "mBERT", 4),
    ("Section 5.4.2", "example 1, medium"): (MEDIUM, "mBERT", 6),
    ("Section 5.4.2", "example 2, medium"): (MEDIUM, "mBERT", 23),
    ("Section 5.4.2", "example, low"): (LOW, "mBERT", 5),
}


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(paths.DATA / "published" / f"{name}.csv", dtype=str, keep_default_na=False)


FIGURES = read("viannisa2025")
VALUE = {
    tuple(cell): Decimal(value)
    for *cell, value in FIGURES[[*CELL, "value"]].itertuples(index=False)
}
PRINTED = {
    tuple(cell): printed for *cell, printed in FIGURES[[*CELL, "printed"]].itertuples(index=False)
}
ERRATA = {
    tuple(row[name] for name in CELL): row
    for row in read("errata").query("document == 'viannisa2025'").to_dict("records")
}


def number(printed: str) -> Decimal:
    """The number that a printed cell states.

    >>> number("124.5 million"), number("3×10^{-6}"), number("eleven"), number("neutral (38.501%)")
    (Decimal('124500000'), Decimal('0.000003'), Decimal('11'), Decimal('38.501'))
    """
    if (word := printed.removesuffix(" times")) in WORDS:
        return Decimal(WORDS[word])
    digits, exponent, unit = re.search(
        r"(\d[\d,]*(?:\.\d+)?)(?:×10\^\{(-\d)\})? ?(M|million|billion|)", printed
    ).groups()
    return Decimal(f"{Decimal(digits.replace(',', '')).scaleb(int(exponent or 0) + ZEROS[unit]):f}")


def rows(table: str) -> list[str]:
    return list(dict.fromkeys(row for name, row, _ in VALUE if name == table))


def count(test: str, model: str) -> Decimal:
    """Failures of a model in a test of Table 4.2."""
    return VALUE["Table 4.2", test, f"{model} failures"]


def rate(test: str, model: str) -> Decimal:
    """The failure rate in percent by the counts of Table 4.2, rounded like the printed ones."""
    return round(100 * count(test, model) / VALUE["Table 4.2", test, "Total samples"], 2)


def indonlu(table: str, row: str, column: str) -> Decimal:
    """A figure of the IndoNLU paper; of several, that of all groups together."""
    (value,) = (
        read("wilie2020")
        .query("table == @table and row == @row and column == @column")
        .sort_values("group")["value"][:1]
    )
    return Decimal(value)


# What cells must be: each function returns the recomputed value per cell.


def counts_and_rates() -> dict[tuple, Decimal]:
    """Every place that prints a figure of Table 4.2: its count, and the rate by the counts."""
    found = {}
    for table, row, column in VALUE:
        if row in FILES and column.endswith("failure rate"):
            found[table, row, column] = rate(row, column.split()[0])
        elif row in FILES:
            found[table, row, column] = VALUE["Table 4.2", row, column]
    return found


def sentences() -> dict[tuple, Decimal]:
    """What section 3.4 reads from Table 3.7, and the epochs of Tables 3.5 and 3.6."""
    gold = [PRINTED["Table 3.7", row, "Gold label"].split()[0] for row in rows("Table 3.7")]
    found = {("Section 3.4", "test sentences", "Sentences per class"): max(map(gold.count, gold))}
    found["Section 3.4", "fine-tuning", "Epochs"] = len(rows("Table 3.5"))
    for checkpoint in [
        f"{model} {state}" for model in MODELS for state in ("baseline", "fine-tuned")
    ]:
        labels = [PRINTED["Table 3.7", row, checkpoint].split()[0] for row in rows("Table 3.7")]
        sure = [VALUE["Table 3.7", row, checkpoint] for row in rows("Table 3.7")]
        right = [
            confidence
            for confidence, label, true in zip(sure, labels, gold, strict=True)
            if label == true
        ]
        facts = {f"Labelled {label}": labels.count(label) for label in data.LABELS}
        facts |= {"Labelled correctly": len(right), "Labelled incorrectly": len(gold) - len(right)}
        facts |= {"Highest confidence": max(sure), "Lowest confidence": min(sure)}
        facts |= {
            "Highest confidence of a correct label": max(right),
            "Lowest confidence of a correct label": min(right),
        }
        facts["Confidence of the incorrect label"] = sum(sure) - sum(right)
        found |= {cell: facts[cell[2]] for cell in VALUE if cell[:2] == ("Section 3.4", checkpoint)}
    return found


def benchmark() -> dict[tuple, Decimal]:
    """What the thesis quotes from IndoNLU: F1 on SmSA, the learning rate of that run, sizes of
    splits, vocabulary and pre-training data.
    """
    found = {
        ("Table 3.4", "Vocabulary size", "IndoBERT"): indonlu(
            "Table 20", "vocab_size", "IndoBERT BASE"
        )
    }
    for what, column in (
        ("Words", "# Words, around"),
        ("Sentences", "# Sentences, around"),
        ("Source data sets", "datasets"),
    ):
        found["Section 3.3.1", "Indo4B", what] = indonlu("Section 3.2", "Indo4B", column)
    for split, column in (("train", "Train"), ("validation", "Valid"), ("test", "Test")):
        found["Section 3.2.1", f"SmSA, {split}", "Sentences"] = indonlu("Table 1", "SmSA", column)
    for model, row in (("IndoBERT", "IndoBERT BASE"), ("mBERT", "mBERT")):
        found["Table 4.1", model, "F1-score in the IndoNLU benchmark"] = indonlu(
            "Table 5", row, "SmSA"
        )
        runs = read("wilie2020").query("table == 'Table 22' and column == 'SmSA'")
        (run,) = runs.loc[runs["value"].map(Decimal) == indonlu("Table 5", row, "SmSA"), "row"]
        found["Section 4.1", model, "Learning rate in the IndoNLU benchmark"] = indonlu(
            "Table 22", run, "LR"
        )
        found["Section 4.1", model, "Learning rate in this thesis"] = VALUE[
            "Section 3.4", "fine-tuning", "Learning rate"
        ]
    return found


def architecture() -> dict[tuple, Decimal]:
    """Properties that both section 3.3 and Table 3.4 print; BERT's embeddings are as wide as its
    layers, its feed-forward part four times that.
    """
    found = {
        ("Section 3.3.2", "Wikipedia texts", "Languages"): VALUE[
            "Table 3.4", "Pre-training languages", "mBERT"
        ]
    }
    found["Table 3.4", "Pre-training sentences", "IndoBERT"] = VALUE[
        "Section 3.3.1", "Indo4B", "Sentences"
    ]
    for table, model in (("Section 3.3.1", "IndoBERT"), ("Section 3.3.2", "mBERT")):
        found |= {
            (table, model, row): VALUE["Table 3.4", row, model]
            for row in ("Layers", "Attention heads", "Hidden size")
        }
        hidden = VALUE["Table 3.4", "Hidden size", model]
        found |= {
            (table, model, "Embedding size"): hidden,
            (table, model, "Feedforward size"): 4 * hidden,
        }
    return found


@pytest.mark.parametrize("check", [counts_and_rates, sentences, benchmark, architecture])
def test_printed_is_recomputed_but_for_the_errata(check):
    found = check()
    wrong = {cell: value for cell, value in found.items() if VALUE[cell] != value}
    listed = {cell: number(ERRATA[cell]["recomputed"]) for cell in found.keys() & ERRATA.keys()}
    assert wrong == {cell: value for cell, value in listed.items() if VALUE[cell] != value}


# What the text claims: each function says per claim whether it holds.


def claims_in_numbers() -> dict[tuple, bool]:
    """Counts, bounds and multiples that sections 4 to 6 read from Tables 4.1 and 4.2."""
    better = sum(count(test, "IndoBERT") < count(test, "mBERT") for test in FILES)
    worse = sum(count(test, "IndoBERT") > count(test, "mBERT") for test in FILES)
    third = {model: [rate(test, model) for test in (NGGAK, GAK, TYPOS)] for model in MODELS}
    ahead = (
        VALUE["Table 4.1", "IndoBERT", "F1-score in this thesis"]
        - VALUE["Table 4.1", "mBERT", "F1-score in this thesis"]
    )
    multiples = [round(count(test, "mBERT") / count(test, "IndoBERT")) for test in (NGGAK, GAK)]
    claims = {
        ("Section 4.1", "IndoBERT minus mBERT", "Percentage points, all metrics"): lambda stated: (
            abs(ahead - stated) < 1
        ),
        ("Section 6.1", "IndoBERT minus mBERT", "Percentage points, all metrics"): lambda stated: (
            abs(ahead - stated) < 1
        ),
        (
            "Section 4.2",
            "tests 1 to 8",
            "Tests with a lower IndoBERT failure rate",
        ): lambda stated: stated == better,
        ("Section 6.1", "tests 1 to 8", "Tests with a lower mBERT failure rate"): lambda stated: (
            stated == worse
        ),
        ("Section 4.2", "tests 3 to 5", "IndoBERT failure rate, upper bound"): lambda stated: (
            max(third["IndoBERT"]) < stated
        ),
        ("Section 4.2", "tests 3 to 5", "mBERT failure rate, lower bound"): lambda stated: (
            min(third["mBERT"]) > stated
        ),
        (
            "Section 5.2",
            "tests 3 and 4",
            "mBERT failure rate as a multiple of IndoBERT's",
        ): lambda stated: multiples == [stated, stated],
        ("Section 5", "false extraction", "Files"): lambda stated: (
            stated == len(FILES) * len(MODELS)
        ),
        ("Section 3.6.2", "sentence insertion", "Sentences"): lambda stated: (
            stated == VALUE["Table 4.2", NEGATIVE, "Total samples"]
        ),
        ("Section 3.6.2", "negation", "Sentences with tidak"): lambda stated: (
            stated == VALUE["Table 4.2", NGGAK, "Total samples"]
        ),
        ("Section 3.2.2", "formality sets", "Sentences per set"): lambda stated: (
            stated == VALUE["Table 4.2", HIGH, "Total samples"]
        ),
    }
    return {cell: holds(VALUE[cell]) for cell, holds in claims.items()}


def claims_in_words() -> dict[tuple, bool]:
    """Claims without a number that Table 4.2, or Table 3.9 as `behaviour.directed` states it,
    decides.
    """
    invariant = FIGURES.query("table == 'Table 4.2' and group == 'INV'")["row"].unique()
    lead = {test: count(test, "mBERT") - count(test, "IndoBERT") for test in (HIGH, MEDIUM, LOW)}
    high, medium, low = (count(test, "IndoBERT") for test in lead)
    return {
        ("Section 4.2", "tests 3 to 5", "Tests of type INV"): list(invariant)
        == [NGGAK, GAK, TYPOS],
        ("Section 5.1.2", NEGATIVE, "Cause of failures"): any(
            "negative" not in PASSES[NEGATIVE](gold) for gold in data.LABELS
        ),
        ("Section 5.4", LOW, "Largest lead of IndoBERT"): max(lead, key=lead.get) == LOW,
        ("Section 5.4.2", MEDIUM, "Accuracy against the high level"): count(MEDIUM, "mBERT")
        > count(HIGH, "mBERT"),
        ("Section 6.1", TYPOS, "Results of the two models"): count(TYPOS, "mBERT")
        == count(TYPOS, "IndoBERT"),
        ("Section 4.2", "tests 6 to 8", "IndoBERT fails more the lower the level"): high
        < medium
        < low,
    }


def sizes() -> dict[tuple, bool]:
    """No BERT has fewer parameters than its word pieces and layers need; it may have more. Printed
    to a tenth of a million.
    """
    verdicts = {}
    for table, model in (("Section 3.3.1", "IndoBERT"), ("Section 3.3.2", "mBERT")):
        layers, pieces = (
            VALUE["Table 3.4", "Layers", model],
            VALUE["Table 3.4", "Vocabulary size", model],
        )
        wide, inner = VALUE[table, model, "Hidden size"], VALUE[table, model, "Feedforward size"]
        attention, forward, norms = (
            4 * (wide * wide + wide),
            2 * wide * inner + wide + inner,
            4 * wide,
        )
        needed = pieces * wide + layers * (attention + forward + norms)
        verdicts |= {
            cell: VALUE[cell] + 50_000 >= needed
            for cell in ((table, model, "Parameters"), ("Table 3.4", "Parameters", model))
        }
    return verdicts


def forms() -> dict[tuple, bool]:
    """Whether a cell with a percent sign reads as a percentage."""
    return {
        cell: bool(re.fullmatch(r"(?:.*[ (])?\d+(?:\.\d+)?%\)?", printed))
        for cell, printed in PRINTED.items()
        if "%" in printed
    }


@pytest.mark.parametrize("check", [claims_in_numbers, claims_in_words, sizes])
def test_claims_hold_but_for_the_errata(check):
    verdicts = check()
    assert {
        cell for cell, holds in verdicts.items() if not holds
    } == verdicts.keys() & ERRATA.keys()


def test_the_size_of_mbert_is_that_of_the_uncased_model():
    """Why it is too small for the vocabulary beside it, which is the cased model's; IndoBERT's is
    IndoNLU's too, and large enough.
    """
    assert VALUE["Table 3.4", "Parameters", "mBERT"] == indonlu(
        "Table 22", "bert-base-multilingual-uncased, lr 1e-5, 12 layers", "Param"
    )
    assert VALUE["Table 3.4", "Parameters", "IndoBERT"] == indonlu(
        "Table 22", "indobert-base-128, lr 4e-5, 12 layers", "Param"
    )
    for table, model in (("Section 3.3.1", "IndoBERT"), ("Section 3.3.2", "mBERT")):
        assert VALUE[table, model, "Parameters"] == VALUE["Table 3.4", "Parameters", model]


def test_the_project_has_the_settings_of_the_thesis():
    for model in MODELS:
        training = models.entries()[model.lower()]["training"]
        assert training["epochs"] == VALUE["Section 3.4", "fine-tuning", "Epochs"]
        assert (
            Decimal(str(training["learning_rate"]))
            == VALUE["Section 3.4", "fine-tuning", "Learning rate"]
        )
    default = parameters.declared(paths.ROOT / "notebooks" / "05_typos.ipynb")[
        "perturbation_rate"
    ].default
    assert Decimal(str(default)) == VALUE["Section 3.6.2", "typos", "Probability per word"]
    letters = int(VALUE["Section 3.6.2", "typos", "Letters of the longest word left alone"])
    hit = [
        characters.typos()("abcdefgh"[:length], 1.0, random.Random(1)) is not None
        for length in range(1, 9)
    ]
    assert hit == [length > letters for length in range(1, 9)]
    assert (
        len(behaviour.INSERTION_EXPECTED)
        == VALUE["Section 3.6.2", "sentence insertion", "Added sentences"]
    )


def test_percentages_are_printed_as_such_but_for_the_errata():
    verdicts = forms()
    same = {
        cell
        for cell in ERRATA.keys() & VALUE.keys()
        if VALUE[cell] == number(ERRATA[cell]["recomputed"])
    }
    assert {cell for cell, fine in verdicts.items() if not fine} == same


def test_tables_are_complete():
    assert len(VALUE) == len(FIGURES)
    assert FIGURES["table"].value_counts().to_dict() == OTHERS | {
        table: high * wide for table, (high, wide) in GRIDS.items()
    }
    for table, (high, wide) in GRIDS.items():
        part = FIGURES[FIGURES["table"] == table]
        assert (part["row"].nunique(), part["column"].nunique()) == (high, wide), table
    assert rows("Table 4.2") == list(FILES)
    assert len(
        {
            (row, group)
            for row, group in FIGURES[["row", "group"]].itertuples(index=False)
            if row in FILES
        }
    ) == len(FILES)


def test_values_are_what_is_printed():
    for cell, printed in PRINTED.items():
        assert number(printed) == VALUE[cell], cell


def test_errata_name_cells_as_they_are_printed():
    for cell in ERRATA.keys() & PRINTED.keys():
        assert ERRATA[cell]["printed"] == PRINTED[cell], cell


def test_training_tables_are_plausible():
    """A macro F1 cannot exceed the harmonic mean of macro precision and recall, which is concave;
    all are rounded to 0.01.

    The other bounds are no laws: they hold where no class does much worse than the rest and the
    largest does best.
    """
    half = Decimal("0.005")
    for table in ("Table 3.5", "Table 3.6"):
        losses = [VALUE[table, epoch, "Train Loss"] for epoch in rows(table)]
        assert losses == sorted(losses, reverse=True)
        for epoch in rows(table):
            accuracy, precision, recall, f1 = (
                VALUE[table, epoch, name] for name in ("Accuracy", "Precision", "Recall", "F1")
            )
            assert f1 - half <= 2 * (precision + half) * (recall + half) / (
                precision + recall + 2 * half
            )
            assert min(precision, recall) <= f1 <= accuracy <= 1


def test_confidences_are_of_the_likeliest_of_three_labels():
    for cell, printed in PRINTED.items():
        if cell[0] == "Table 3.7":
            assert Decimal(100) / 3 < VALUE[cell] <= 100
            assert printed.split()[0] in data.LABELS


def published(test: str, model: str) -> pd.DataFrame:
    """Text, gold and predicted label names of a published result file, by line; `failure` as the
    test has it.
    """
    table = data.read_table(data.locate(f"viannisa/{FILES[test]}_{model.lower()}"))
    table = table.rename(
        columns={"sentence": "text", "gold_label": "gold", "predicted_label": "predicted"}
    )[["text", "gold", "predicted"]]
    table[["gold", "predicted"]] = table[["gold", "predicted"]].replace(data.THESIS_CODES)
    one_hot = np.eye(3)[table["predicted"].map(data.LABELS.index)]
    frame = pd.DataFrame({"id": table.index, "label": table["gold"]})
    return table.assign(
        failure=list(behaviour.judge(frame, one_hot, one_hot, data.LABELS, PASSES[test])["failure"])
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("test", FILES)
def test_failure_counts_of_table_4_2(mirror, test, model):
    table = published(test, model)
    assert len(table) == VALUE["Table 4.2", test, "Total samples"]
    assert int(table["failure"].sum()) == count(test, model)


def test_examples_are_those_of_the_published_files_but_for_the_errata(mirror):
    found = {}
    for (table, row), (test, model, line) in EXAMPLES.items():
        example = published(test, model).loc[line]
        facts = {
            "Gold label": WORDS[example["gold"]],
            "Predicted label": WORDS[example["predicted"]],
            "Label match": int(not example["failure"]),
        }
        found |= {cell: facts[cell[2]] for cell in VALUE if cell[:2] == (table, row)}
    wrong = {cell: value for cell, value in found.items() if VALUE[cell] != value}
    assert wrong == {
        cell: number(ERRATA[cell]["recomputed"]) for cell in found.keys() & ERRATA.keys()
    }


def test_whose_predictions_the_mislabelled_example_tables_show(mirror):
    """Table 3.14 has IndoBERT's under mBERT's name, Table 3.15 those of the high set beside
    sentences of the medium one; Table 5.12 is mBERT's.
    """
    for table, test, model in (("Table 3.14", TYPOS, "IndoBERT"), ("Table 3.15", HIGH, "mBERT")):
        lines = [EXAMPLES[table, row][2] for row in rows(table)]
        printed = [VALUE[table, row, "Predicted label"] for row in rows(table)]
        assert printed == [WORDS[label] for label in published(test, model).loc[lines, "predicted"]]
    assert (
        WORDS[published(TYPOS, "IndoBERT").loc[EXAMPLES["Table 5.12", "example 1"][2], "predicted"]]
        != VALUE["Table 5.12", "example 1", "Predicted label"]
    )


def test_the_added_sentence_is_added_once(mirror):
    """Table 3.10 prints it twice in two of its three examples."""
    for row in rows("Table 3.10"):
        assert (
            published(*EXAMPLES["Table 3.10", row][:2])
            .loc[EXAMPLES["Table 3.10", row][2], "text"]
            .count("saya benci matematika")
            == 1
        )


def test_what_chapter_5_says_of_gold_labels(mirror):
    """IndoBERT's failures after a positive sentence are mostly negative texts, mBERT's all; mBERT
    mistakes negated negative texts for positive ones.
    """
    failed = {
        (test, model): published(test, model).query("failure") for test in FILES for model in MODELS
    }
    assert (failed[POSITIVE, "IndoBERT"]["gold"] == "negative").mean() > 0.9
    assert (
        set(failed[POSITIVE, "mBERT"]["gold"])
        == set(failed[POSITIVE, "mBERT"]["predicted"])
        == {"negative"}
    )
    for test in (NGGAK, GAK):
        assert (
            (failed[test, "mBERT"]["gold"] == "negative")
            & (failed[test, "mBERT"]["predicted"] == "positive")
        ).mean() > 0.5
    assert set(failed[MEDIUM, "IndoBERT"]["gold"]) == {"neutral"}
    assert failed[NEGATIVE, "mBERT"]["predicted"].value_counts().to_dict() == {
        "positive": 257,
        "neutral": 5,
    }
    both = failed[NGGAK, "IndoBERT"].index.intersection(failed[GAK, "IndoBERT"].index)
    assert len(both) == VALUE["Section 5.2.1", "tests 3 and 4", "Sentences failed in both"]


def test_sizes_of_the_data(mirror):
    for split, name in (("train", "train"), ("valid", "validation"), ("test", "test")):
        assert len(data.load("smsa", split)) == VALUE["Section 3.2.1", f"SmSA, {name}", "Sentences"]
    texts = data.load("smsa", "test")["text"]
    assert (
        texts.str.contains(r"\btidak\b", case=False).sum()
        == VALUE["Section 3.6.2", "negation", "Sentences with tidak"]
    )
    survey = data.read_table(data.locate("viannisa/survey"))
    assert (survey.iloc[:, 1] == "Yes").sum() == VALUE["Section 3.2.2", "survey", "Responses"]
    sets = downloads.registry()["formality"]["thesis"]["levels"].values()
    assert len(sets) == VALUE["Section 3.2.2", "formality sets", "Sets"]
    for name in sets:
        level = data.read_labelled(data.locate(name), data.LABELS)
        assert len(level) == VALUE["Section 3.2.2", "formality sets", "Sentences per set"]
        assert set(level["label"].value_counts()) == {
            VALUE["Section 3.2.2", "formality sets", "Sentences per class and set"]
        }
        assert not level["text"].isin(texts).any()  # the caption of Table 4.2 has them from SmSA


def test_the_numeric_test_file_of_the_thesis_is_smsa(mirror):
    ours, theirs = (
        data.load("smsa", "test"),
        data.read_labelled(data.locate("viannisa/smsa_numeric"), data.LABELS),
    )
    assert list(ours["label"]) == list(theirs["label"])
    same = (
        ours["text"].str.split().str.join(" ") == theirs["text"].str.split().str.join(" ")
    ).mean()
    assert same >= 0.99


def test_models_compared_on_the_same_rows(mirror):
    """The paired test behind "IndoBERT stands typos better": exact McNemar on the published
    predictions.
    """
    right = {model: ~published(TYPOS, model)["failure"] for model in MODELS}
    outcome = measure.compare(right["IndoBERT"], right["mBERT"])
    assert outcome["only_first"] - outcome["only_second"] == count(TYPOS, "mBERT") - count(
        TYPOS, "IndoBERT"
    )
    assert outcome["p"] < 0.001


def test_every_erratum_is_shown():
    """All errata fail a check above, but for labels that only the document itself shows to be
    wrong.
    """
    assert len(ERRATA) == read("errata")["document"].eq("viannisa2025").sum()
    checks = [
        counts_and_rates,
        sentences,
        benchmark,
        architecture,
        claims_in_numbers,
        claims_in_words,
        sizes,
        forms,
    ]
    shown = {cell for check in checks for cell in check()} | {
        cell for cell in VALUE if cell[:2] in EXAMPLES
    }
    shown |= {("Table 3.10", row, "Appended Sentence") for row in rows("Table 3.10")}
    assert {ERRATA[cell]["kind"] for cell in ERRATA.keys() - shown} == {"label"}
    assert all(
        row["why"] and row["kind"] in {"misprint", "rounding", "label", "contradiction"}
        for row in ERRATA.values()
    )
