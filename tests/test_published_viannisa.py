"""The thesis's examples by id, against its released predictions of the same rows."""

import pandas as pd
import pytest

from tahanuji import data, published
from tahanuji.perturb import formality, negation
from tahanuji.published import viannisa


def order(case: viannisa.Case) -> list[str]:
    """The ids of the rows of a published result file."""
    if case.notebook == "06_formality":
        return list(formality.load("thesis")["id"])
    frame = data.load("smsa", "test")
    if case.notebook == "04_negation":
        frame = frame[[negation.contains(text) for text in frame["text"]]]
    return list(frame["id"])


def test_every_example_of_the_tables_is_there():
    shown = viannisa.examples()
    assert len(shown) == 27 and not shown.duplicated(["table", "row"]).any()
    without = shown[shown["published"] == ""]
    assert set(without["table"]) == {"Table 3.13"}
    assert set(shown["published"]) - {""} <= set(data.LABELS)


@pytest.mark.parametrize("model", ["indobert", "mbert"])
def test_examples_are_the_rows_of_the_released_predictions(model, mirror):
    """But for those that the errata name."""
    shown = viannisa.examples().query("model == @model")
    cases = {(case.notebook, case.test.split()[0]): case for case in viannisa.CASES}
    apart = []
    for example in shown.itertuples():
        case = cases[example.notebook, example.test]
        failed = dict(zip(order(case), viannisa.failures(case, model), strict=True))
        if failed[example.id] == (example.published in case.accepts(example.gold)):
            apart.append((example.table, example.row))
    errata = data.read_table(published.FOLDER / "errata.csv")
    named = errata[(errata["document"] == viannisa.DOCUMENT) & (errata["column"] == "Label match")]
    known = {(row.table, row.row) for row in named.itertuples() if row.table.startswith("Table")}
    assert set(apart) == (known if model == "mbert" else set())


def test_a_run_stands_beside_the_examples_that_it_tested():
    rows = pd.DataFrame({"id": ["smsa-test-00016", "other"], "test": "negative", "rate": 0.3})
    rows = rows.assign(gold="negative", clean_label="negative", perturbed_label="positive")
    (shown,) = viannisa.beside("03_sentence_insertion", rows).to_dict("records")
    assert shown["its label"] == "positive" and shown["label here"] == "positive"
    assert viannisa.beside("04_negation", rows).empty
    assert viannisa.beside("03_sentence_insertion", rows, rate=0.1).empty


def test_the_thesiss_probes_in_counts():
    table = viannisa.probes().set_index("Viannisa's model")
    assert table.loc["IndoBERT fine-tuned", "as intended"] == 6
    assert table.loc["mBERT baseline", "as intended"] == 3
    assert table.loc["mBERT fine-tuned", "least sure"] == "57.7%"


def test_the_thesiss_figures_by_notebook():
    rows = viannisa.figures("04_negation")
    assert list(rows["printed"]) == ["7.98%", "31.91%", "7.98%", "30.85%"]
    assert rows["fails"].iloc[0].startswith("8.0% (15 of 188")
    epochs = viannisa.figures("01_finetune")
    assert len(epochs) == 10 and set(epochs["Viannisa's model"]) == {"IndoBERT", "mBERT"}
    assert len(viannisa.figures("02_conventional_metrics")) == 2
