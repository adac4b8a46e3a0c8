"""The figures of IndoRobusta (Adilazuarda et al., 2022) as data: complete, and one with another
except where errata.csv says so.

What the authors' released files say about Tables 1 and 2 is in test_released.py.
"""

import math
import re
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

from tahanuji import data, paths

PUBLISHED = paths.DATA / "published"
MODELS = ["IBB", "IBL", "mBB", "XRB", "XRL"]
LANGUAGES = ["en", "jw", "ms", "su"]
TUNINGS = ["CM Only", "Two-Step", "Joint"]
TASKS = ["EmoT", "SmSA"]
WORDS = {"three": 3, "four": 4, "five": 5}
ROWS = {
    "Table 1": 68,
    "Table 2": 60,
    "Table 4": 8,
    "Table 5": 60,
    "Table 6": 60,
    "Figure 2": 3,
    "Appendix A": 4,
}
ROWS |= {
    "Section 1": 2,
    "Section 3.1": 4,
    "Section 3.2": 5,
    "Section 3.4": 9,
    "Section 4.1": 3,
    "Section 4.3": 1,
}
# A printed figure of two decimals is within 0.005 of the true one, and so is the mean of several:
# an average of printed figures, itself rounded, is within 0.01 of the printed average.
ROUNDING = Decimal("0.005")


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(PUBLISHED / f"{name}.csv", dtype=str, keep_default_na=False)


CELLS = read("adilazuarda2022")
VALUES = {tuple(cell): Decimal(value) for *cell, value, _ in CELLS.itertuples(index=False)}
PRINTED = {tuple(cell): printed for *cell, _, printed in CELLS.itertuples(index=False)}
ERRATA = (
    read("errata")
    .query("document == 'adilazuarda2022'")
    .set_index(["table", "group", "row", "column"])
)
WRONG = ERRATA[ERRATA["kind"] != "label"]["recomputed"]


def of(table: str) -> pd.DataFrame:
    return CELLS[CELLS["table"] == table]


def mean(values) -> Decimal:
    values = list(values)
    return sum(values) / len(values)


def averages() -> list[tuple[tuple, list[tuple]]]:
    """The cells of Table 1 that are averages, each with the cells that it is the average of."""
    rows = [
        (
            ("Table 1", task, model, "avg"),
            [("Table 1", task, model, language) for language in LANGUAGES],
        )
        for task in TASKS
        for model in MODELS
    ]
    columns = [
        (
            ("Table 1", task, "Avg", language),
            [("Table 1", task, model, language) for model in MODELS],
        )
        for task in TASKS
        for language in LANGUAGES
    ]
    return rows + columns


# The file


def test_the_columns_and_keys():
    assert list(CELLS.columns) == ["table", "group", "row", "column", "value", "printed"]
    assert len(VALUES) == len(CELLS)
    assert CELLS["table"].value_counts().to_dict() == ROWS
    assert (CELLS["value"] != "").all()


def test_the_file_has_unix_lines_only():
    raw = (PUBLISHED / "adilazuarda2022.csv").read_bytes()
    assert b"\r" not in raw
    assert raw.endswith(b"\n")
    assert all(line.isprintable() for line in raw.decode("utf-8").splitlines())


def test_values_are_what_is_printed():
    for cell, printed in PRINTED.items():
        number = WORDS.get(printed) or re.sub(r"[∼>%,]", "", printed)
        assert VALUES[cell] == Decimal(number), cell


def test_grids_are_complete():
    expected = {
        ("Table 1", task, model, column)
        for task in TASKS
        for model in MODELS
        for column in ["Orig.", *LANGUAGES, "avg"]
    }
    expected |= {("Table 1", task, "Avg", language) for task in TASKS for language in LANGUAGES}
    expected |= {
        ("Table 2", task, model, f"{tuning}, {test}")
        for task in TASKS
        for model in MODELS
        for tuning in TUNINGS
        for test in ("Orig", "CM")
    }
    expected |= {
        ("Table 4", "", task, column)
        for task in TASKS
        for column in ("Train", "Valid", "Test", "#Class")
    }
    assert {cell for cell in VALUES if cell[0] in ("Table 1", "Table 2", "Table 4")} == expected
    for table in ("Table 5", "Table 6"):
        assert (
            of(table).groupby("row", sort=False)["column"].agg(list).tolist()
            == [["IF", "DF", "IF/DF"]] * 20
        )


def test_ranges():
    for (table, _, _, column), value in VALUES.items():
        if table == "Table 2" or column == "Orig.":
            assert 0 < value < 100
        elif table == "Table 1":
            assert 0 < value < 20
        elif table == "Figure 2":
            assert 1 <= value <= 5
        elif column == "IF/DF":
            assert 0 < value < 1


def test_the_errata_are_these():
    """Twelve are shown below or in test_released.py; the abbreviation of section 3.3 and the
    caption of Table 2 stand in words only.
    """
    assert len(ERRATA) == 14
    assert set(ERRATA["kind"]) == {"misprint", "label", "contradiction"}
    assert (ERRATA["why"].str.len() > 30).all()
    assert all(PRINTED.get(cell, printed) == printed for cell, printed in ERRATA["printed"].items())
    assert set(WRONG.index.get_level_values("table")) == {
        "Table 1",
        "Table 4",
        "Table 6",
        "Section 3.2",
        "Section 4.1",
    }


# Tables 1 and 2


def test_averages_of_table_1():
    wrong = {}
    for cell, parts in averages():
        computed = mean(VALUES[part] for part in parts)
        if abs(computed - VALUES[cell]) > 2 * ROUNDING:
            wrong[cell] = str(round(computed, 2))
    assert wrong == WRONG[WRONG.index.isin(dict(averages()))].to_dict()
    assert len(wrong) == 1


def texts(task: str, size: int) -> int:
    """How many of a task's 25 accuracies and deltas in Table 1 are, within rounding, whole numbers
    of texts over three seeds of `size` texts.
    """
    cells = [
        VALUES["Table 1", task, model, column]
        for model in MODELS
        for column in ["Orig.", *LANGUAGES]
    ]
    step = Fraction(100, 3 * size)
    return sum(
        abs(round(Fraction(value) / step) * step - Fraction(value)) <= Fraction(ROUNDING)
        for value in cells
    )


def test_sizes_of_the_test_sets():
    for task in TASKS:
        printed = int(VALUES["Table 4", "", task, "Test"])
        right = int(WRONG.get(("Table 4", "", task, "Test"), printed))
        assert texts(task, right) == 25
        assert right == printed or texts(task, printed) == 0
    sizes = range(430, 451)
    assert [size for size in sizes if texts("EmoT", size) == 25] == [440]


def test_totals_of_table_4():
    for task in TASKS:
        assert (
            sum(VALUES["Table 4", "", task, split] for split in ("Train", "Valid", "Test"))
            == VALUES["Section 3.1", "", task, "samples"]
        )
        assert VALUES["Table 4", "", task, "#Class"] == VALUES["Section 3.1", "", task, "classes"]


def average(task: str, model: str) -> Decimal:
    """The average delta of a model from its four deltas, because one printed average is wrong."""
    return mean(VALUES["Table 1", task, model, language] for language in LANGUAGES)


def test_what_section_4_1_reads_from_table_1():
    reduction = {task: [average(task, model) for model in MODELS] for task in TASKS}
    assert (
        min(reduction["EmoT"]) > VALUES["Section 4.1", "EmoT", "all models", "reduction, more than"]
    )
    assert (
        round(mean(reduction["SmSA"]))
        == VALUES["Section 4.1", "SmSA", "all models", "reduction, around"]
    )
    above = mean(reduction["EmoT"][2:]) - mean(reduction["EmoT"][:2])
    assert (
        round(above)
        == VALUES[
            "Section 4.1", "EmoT", "multilingual models", "delta above that of IndoBERT, around"
        ]
    )


def test_robustness_to_english_is_higher_and_not_lower():
    """A lower delta is higher robustness (caption of Table 1)."""
    for task in TASKS:
        english, *others = (VALUES["Table 1", task, "Avg", language] for language in LANGUAGES)
        assert english < min(others)
    assert WRONG["Section 4.1", "", "English", "robustness against Javanese and Malay"] == "higher"


def test_what_section_4_3_reads_from_table_2():
    gains = []
    for task in TASKS:
        for model in MODELS:
            only, two, joint = (
                tuple(
                    VALUES["Table 2", task, model, f"{tuning}, {test}"] for test in ("Orig", "CM")
                )
                for tuning in TUNINGS
            )
            assert only[0] < two[0] < joint[0]
            assert two[1] > joint[1]
            gains.append(joint[0] - VALUES["Table 1", task, model, "Orig."])
    assert min(gains) > 0
    assert max(gains) > VALUES["Section 4.3", "", "Joint", "gain on the original data, around"]


# Tables 5 and 6


@pytest.mark.parametrize(("table", "wrong"), [("Table 5", 0), ("Table 6", 2)])
def test_ratios_of_the_most_perturbed_words(table, wrong):
    found, ratios = {}, []
    for word in of(table)["row"].unique():
        picked, present, ratio = (
            VALUES[table, "", word, column] for column in ("IF", "DF", "IF/DF")
        )
        digits = len(PRINTED[table, "", word, "IF/DF"].split(".")[1])
        half = Decimal(5).scaleb(-digits - 1)
        ratios.append(ratio)
        if abs(picked / present - ratio) > half:
            (right,) = [
                number
                for number in range(
                    math.ceil((ratio - half) * present), math.floor((ratio + half) * present) + 1
                )
                if number % 7 == 0 and str(number).startswith(str(picked))
            ]
            found[table, "", word, "IF"] = str(right)
        else:
            assert table == "Table 5" or picked % 7 == 0
        assert picked <= present
    assert (
        found
        == WRONG[WRONG.index.isin(of(table).set_index(list(WRONG.index.names)).index)].to_dict()
    )
    assert len(found) == wrong
    assert ratios == sorted(ratios, reverse=True)


def counts(table: str) -> dict[str, int]:
    return {word: int(VALUES[table, "", word, "DF"]) for word in of(table)["row"].unique()}


def test_words_are_counted_over_seven_attacks():
    """A word of a text counts once in every run: 5 models, 4 ratios and 3 seeds leave 7 of the
    common divisor.
    """
    ratios = len(of("Section 3.2")) - 1
    seeds, printed = (
        int(VALUES[cell])
        for cell in (
            ("Section 3.4", "", "experiment", "seeds"),
            ("Section 3.2", "", "experiment", "embedded languages"),
        )
    )
    divisor = math.gcd(*counts("Table 5").values(), *counts("Table 6").values())
    attacks = Fraction(divisor, len(MODELS) * ratios * seeds)
    assert (
        str(attacks) == WRONG["Section 3.2", "", "experiment", "embedded languages"] != str(printed)
    )
    assert any(
        count % (len(MODELS) * ratios * seeds * printed) for count in counts("Table 5").values()
    )


def test_the_counts_are_those_of_smsa(mirror):
    """DF is 420 times the number of SmSA's test texts with the word, for all 20 words."""
    found = [set(re.findall(r"\w+", text.lower())) for text in data.load("smsa", "test")["text"]]
    assert {
        word: 420 * sum(word in words for words in found) for word in counts("Table 6")
    } == counts("Table 6")


# The rest


def test_human_judgement_is_best_for_english():
    scores = [
        VALUES["Figure 2", "", f"{language}-Indonesian", "average score"]
        for language in ("English", "Sundanese", "Javanese")
    ]
    assert scores == sorted(scores, reverse=True)
    low, high = (
        VALUES["Appendix A", "", "human evaluation", f"{end} score"]
        for end in ("lowest", "highest")
    )
    assert all(low <= score <= high for score in scores)


def test_claims_of_sections_1_and_4_3_agree():
    assert (
        VALUES["Section 1", "", "best tuning", "gain on the monolingual test set, around"]
        == VALUES["Section 4.3", "", "Joint", "gain on the original data, around"]
    )
