"""From the thesis's published per-row predictions the helpers recompute the counts of its Table 4.2."""

import numpy as np
import pandas as pd
import pytest

from helpers import behaviour, data, measure

# test: expected labels, samples, IndoBERT's and mBERT's failures (Viannisa, 2025, Table 4.2)
TABLE = {
    "insertion_negative": (behaviour.directed("negative"), 500, 97, 262),
    "insertion_positive": (behaviour.directed("positive"), 500, 186, 36),
    "nggak": (behaviour.invariant, 188, 15, 60),
    "gak": (behaviour.invariant, 188, 15, 58),
    "typos": (behaviour.invariant, 500, 72, 113),
    "formality_high": (behaviour.invariant, 30, 4, 11),
    "formality_medium": (behaviour.invariant, 30, 6, 8),
    "formality_low": (behaviour.invariant, 30, 7, 12),
}


def published(test: str, model: str) -> pd.DataFrame:
    """Gold and predicted label names of a published result file."""
    table = data.read_table(data.locate(f"viannisa/{test}_{model}"))
    return table.rename(columns={"gold_label": "gold", "predicted_label": "predicted"})[["gold", "predicted"]].replace(data.THESIS_CODES)


@pytest.mark.parametrize("model", ["indobert", "mbert"])
@pytest.mark.parametrize("test", TABLE)
def test_failure_counts_of_table_4_2(mirror, test, model):
    expected, samples, *failures = TABLE[test]
    rows = published(test, model)
    one_hot = np.eye(3)[rows["predicted"].map(data.LABELS.index)]
    frame = pd.DataFrame({"id": rows.index, "label": rows["gold"]})
    verdict = behaviour.judge(frame, one_hot, one_hot, data.LABELS, expected)
    assert len(verdict) == samples
    assert int(verdict["failure"].sum()) == failures[model == "mbert"]


def test_the_numeric_test_file_of_the_thesis_is_smsa(mirror):
    ours, theirs = data.load("smsa", "test"), data.read_labelled(data.locate("viannisa/smsa_numeric"), data.LABELS)
    assert list(ours["label"]) == list(theirs["label"])
    same = (ours["text"].str.split().str.join(" ") == theirs["text"].str.split().str.join(" ")).mean()
    assert same >= 0.99


def test_models_compared_on_the_same_rows(mirror):
    """The paired test behind "IndoBERT stands typos better": exact McNemar on the published predictions."""
    right = {model: (rows := published("typos", model))["gold"] == rows["predicted"] for model in ("indobert", "mbert")}
    outcome = measure.compare(right["indobert"], right["mbert"])
    assert outcome["only_first"] - outcome["only_second"] == 113 - 72
    assert outcome["p"] < 0.001
