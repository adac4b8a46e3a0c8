"""The csv files of a run: what is written where texts may be published and where not, and the slim
form for many versions of a text.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from recompute import judged_again

from helpers import tables, verdicts
from tahanuji import data, measure, validity

LABELS = ["positive", "negative"]
SEVERAL = {
    "id": ["u1", "u2"],
    "test": "gores",
    "gold": "positive",
    "clean_label": "positive",
    "perturbed_label": ["negative", "positive"],
}
OUTCOMES = {
    "failure": [True, False],
    "flip": [True, False],
    "induced": [True, False],
    "repaired": False,
    "changed": True,
    "achieved": [0.123456, 0.1],
}
CHANCES = {
    "clean_positive": [0.912345, 0.8],
    "clean_negative": [0.087655, 0.2],
    "perturbed_positive": [0.123456, 0.7],
    "perturbed_negative": [0.876544, 0.3],
}
TEXTS = {
    "clean_sha256": "a",
    "perturbed_sha256": ["b", "c"],
    "text": ["kuah gurih", "nasi liwet"],
    "perturbed": ["kuha gurih", "nasi liwte"],
}


def rows(publish: bool) -> pd.DataFrame:
    frame = pd.DataFrame({**SEVERAL, **OUTCOMES, **CHANCES, **TEXTS})
    frame.attrs["source"] = {"name": "own", "publish_texts": publish}
    return frame


def make_run(folder, publish=True):
    return SimpleNamespace(
        dir=folder,
        model_name="m",
        notebook="n",
        variant="default",
        parameters={"seed": 1, "dataset": "own"},
        facts={"data": [{"publish_texts": publish}]},
    )


@pytest.mark.parametrize("publish", [True, False])
def test_rows_of_ones_own_as_misclassified_are_withheld_like_any(tmp_path, publish):
    """The notebooks of many versions give predictions without texts, and rows with texts as the
    wrong ones.
    """
    whole = rows(publish)
    tables.save(
        make_run(tmp_path, publish),
        tables.slim(whole),
        measure.behaviour(whole),
        wrong=whole[whole["flip"]],
    )
    assert "gurih" not in (tmp_path / "predictions.csv").read_text(encoding="utf-8")
    assert ("kuha gurih" in (tmp_path / "misclassified.csv").read_text(encoding="utf-8")) == publish
    assert len(pd.read_csv(tmp_path / "misclassified.csv")) == 1
    if publish:
        assert not (tmp_path / "private").exists()
    else:
        assert "kuha gurih" in (tmp_path / "private/misclassified.csv").read_text(encoding="utf-8")


def test_slim_rows_give_the_same_metrics_and_no_text():
    whole = rows(False)
    slim = tables.slim(whole)
    assert slim.attrs == whole.attrs and not {*tables.TEXTS, "clean_positive", "clean_negative"} & {
        *slim
    }
    assert slim["perturbed_positive"].tolist() == [0.1235, 0.7] and slim["achieved"].tolist() == [
        0.123456,
        0.1,
    ]
    assert {"clean_label", "clean_sha256", "perturbed_sha256"} <= {*slim}
    pd.testing.assert_frame_equal(measure.behaviour(slim), measure.behaviour(whole))
    assert "perturbed" in whole, "the rows themselves stay as they are"


@pytest.mark.parametrize(
    "labels", [LABELS, data.LABELS, [f"label {number}" for number in range(12)]]
)
def test_slim_probabilities_are_still_probabilities(labels):
    chances = np.random.default_rng(1).dirichlet(np.ones(len(labels)), 500).round(6)
    frame = pd.DataFrame(
        {
            "id": range(500),
            "test": "t",
            "clean_label": labels[0],
            **{f"perturbed_{label}": chances[:, n] for n, label in enumerate(labels)},
        }
    )
    frame[f"perturbed_{labels[0]}"] += 1 - chances.sum(1)
    measure.checked(tables.slim(frame), labels)


def test_verdicts_of_a_run_have_their_schema_and_are_recomputed(tmp_path, monkeypatch):
    monkeypatch.setattr(validity, "bounds", lambda names, *_: dict.fromkeys(names, 0.06))
    many = pd.concat([rows(True)] * 40, ignore_index=True).assign(rate=0.3)
    many["id"] = [f"u{number}" for number in range(len(many))]
    many["flip"] = many["induced"] = many.index < 2
    tables.save(make_run(tmp_path), many, measure.behaviour(many))
    verdicts.save(make_run(tmp_path), many, "INV", [0.05, 0.1], {"gores": "negation"})
    written = tables.read(tmp_path / "verdicts.csv", tables.VERDICTS)
    assert list(written) == tables.VERDICTS and len(written) == 4
    assert written["verdict"].to_list() == ["undecided: instrument", "stands"] * 2
    judged_again(pd.read_csv(tmp_path / "predictions.csv"), written)
    with pytest.raises(AssertionError):
        judged_again(pd.read_csv(tmp_path / "predictions.csv").assign(flip=True), written)
    shown = verdicts.table(written).set_index("quantity")
    assert shown.loc["flips", "margin 10%"] == "stands"
    assert "2.5%" in shown.loc["flips", "value"]
    assert set(shown[verdicts.UNFIT]) == {"at most 6.0%"}
    assert "6.0%" in verdicts.validity_note(make_run(tmp_path))
    assert not verdicts.validity_note(make_run(tmp_path), ["another test"])
    said = verdicts.sentences(written)
    assert len(said) == 4 and "gores" in said[0] and "instrument" in said[0]
    assert "stands" in said[1] and "instrument" not in said[1]


def test_an_instrument_that_nobody_rated_decides_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(validity, "bounds", lambda names, *_: dict.fromkeys(names, 1.0))
    many = pd.concat([rows(True)] * 200, ignore_index=True).assign(flip=False, id=range(400))
    verdicts.save(make_run(tmp_path), many, "INV", [0.05, 0.1], {"gores": "negation"})
    written = tables.read(tmp_path / "verdicts.csv", tables.VERDICTS)
    assert set(written["verdict"]) == {"undecided: instrument"}
    assert set(written["instrument"]) == {1.0}
    assert "not rated: gores" in verdicts.validity_note(make_run(tmp_path))


def test_margins_are_announced_with_what_the_texts_can_show(capsys):
    assert verdicts.announce("0.1, 0.05", 30) == [0.05, 0.1]
    small, large = capsys.readouterr().out.splitlines()
    assert measure.detectable_shares(30, 0.05)[0] is None and "cannot be shown to stand" in small
    assert f"{measure.detectable_shares(30, 0.1)[1]:.1%}" in large


def test_texts_that_may_not_be_published_leave_the_run_and_stay_in_private(tmp_path):
    content = "id,text,perturbed,label\na,warung ini ramai,warung ini ramia,positive\n"
    for path in (tmp_path / "misclassified.csv", tmp_path / "private" / "misclassified.csv"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    tables.withhold(tmp_path, [{"name": "own", "publish_texts": True}])
    assert (tmp_path / "misclassified.csv").read_text(encoding="utf-8") == content
    tables.withhold(
        tmp_path,
        [{"name": "own", "publish_texts": True}, {"name": "other", "publish_texts": False}],
    )
    assert (tmp_path / "misclassified.csv").read_text(encoding="utf-8") == "id,label\na,positive\n"
    assert (tmp_path / "private" / "misclassified.csv").read_text(encoding="utf-8") == content
