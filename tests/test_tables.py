"""The csv files of a run: what is written where texts may be published and where not, and the slim
form for many versions of a text.
"""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from recompute import judged_again

from helpers import tables, verdicts
from tahanuji import data, measure
from tahanuji.instrument import Instrument, Validity

LABELS = ["positive", "negative"]
GORES = [Instrument("negation", test="gores")]
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
    monkeypatch.setattr(Instrument, "validity", Validity(1.0, 100, bound=0.06, current=True))
    many = pd.concat([rows(True)] * 40, ignore_index=True).assign(rate=0.3)
    many["id"] = [f"u{number}" for number in range(len(many))]
    many["flip"] = many["induced"] = many.index < 2
    tables.save(make_run(tmp_path), many, measure.behaviour(many))
    verdicts.save(make_run(tmp_path), many, "INV", [0.05, 0.1], GORES)
    written = tables.read(tmp_path / "verdicts.csv", tables.VERDICTS)
    assert list(written) == tables.VERDICTS and len(written) == 4
    assert written["verdict"].to_list() == ["undecided: instrument", "stands"] * 2
    judged_again(pd.read_csv(tmp_path / "predictions.csv"), written)
    with pytest.raises(AssertionError):
        judged_again(pd.read_csv(tmp_path / "predictions.csv").assign(flip=True), written)
    shown = verdicts.table(written).set_index("quantity")
    assert shown.loc["flips", "margin 10%"] == ""  # the verdict rests on the errors added
    assert shown.loc["errors added", "margin 10%"] == "stands"
    assert "2.5%" in shown.loc["flips", "value"]
    assert set(shown[verdicts.UNFIT]) == {"at most 6.0%"}
    assert "6.0%" in verdicts.validity_note(make_run(tmp_path))
    assert not verdicts.validity_note(make_run(tmp_path), ["another test"])
    run = make_run(tmp_path)
    verdict = {margin: [row[3] for row in verdicts.rows(run, margin)] for margin in (0.05, 0.1)}
    assert verdict[0.05] == ["undecided: instrument (margin 5%)"]
    assert verdict[0.1] == ["stands (margin 10%)"] and verdicts.rows(run)[0][1].n == 80
    assert verdicts.rows(run)[0][3] == "stands (margin 10%)"


@pytest.mark.parametrize(
    "about",
    [
        Validity(),  # nobody has rated it
        Validity(1.0, 100, bound=0.01, current=False),  # it has changed since
        Validity(0.2, 100, bound=0.01, current=True),  # rated at a lower rate
    ],
)
def test_an_instrument_without_a_rating_that_holds_decides_nothing(tmp_path, monkeypatch, about):
    monkeypatch.setattr(Instrument, "validity", about)
    many = pd.concat([rows(True)] * 200, ignore_index=True).assign(flip=False, id=range(400))
    verdicts.save(make_run(tmp_path), many.assign(rate=0.3), "INV", [0.05, 0.1], GORES)
    written = tables.read(tmp_path / "verdicts.csv", tables.VERDICTS)
    assert set(written["verdict"]) == {"undecided: instrument"}
    assert set(written["instrument"]) == {1.0}
    assert "not rated (gores)" in verdicts.validity_note(make_run(tmp_path))


def test_margins_are_announced_with_what_the_texts_can_show(capsys):
    assert verdicts.announce("0.1, 0.05", 30) == [0.05, 0.1]
    small, large = capsys.readouterr().out.splitlines()[-2:]
    assert measure.detectable_shares(30, 0.05)[0] is None and "none" in small
    assert f"{measure.detectable_shares(30, 0.1)[1]:.1%}" in large


def test_a_rated_instrument_decides_up_to_its_own_rate(tmp_path, monkeypatch):
    monkeypatch.setattr(Instrument, "validity", Validity(0.3, 100, bound=0.01, current=True))
    many = pd.concat([rows(True)] * 200, ignore_index=True).assign(flip=False, id=range(400))
    verdicts.save(make_run(tmp_path), many.assign(rate=0.3), "INV", [0.1], GORES)
    written = tables.read(tmp_path / "verdicts.csv", tables.VERDICTS).set_index("quantity")
    assert written["verdict"].to_dict() == {"flips": "stands", "errors added": "breaks"}


def test_findings_are_a_table_of_estimates():
    metrics = pd.DataFrame({"test": "gores", "group": ["all", "hit"], "metric": "flip_rate"})
    metrics = metrics.assign(value=[0.1, 0.5], ci_low=0.05, ci_high=[0.2, 0.9], n=[40, 4])
    rate = tables.estimate(metrics, test="gores", metric="flip_rate")
    assert rate == measure.Estimate(0.1, 0.05, 0.2, 40)
    assert tables.estimate(metrics, group="hit").value == 0.5
    shown = tables.findings(
        ("flips", rate),
        ("in points", rate, "points", "breaks"),
        ("of none", tables.estimate(metrics, test="typos")),
        ("texts", "3 of 40"),
    ).data
    assert shown["estimate"].tolist() == [
        "10.0% (5.0 to 20.0)",
        "+10.0 (5.0 to 20.0)",
        "no examples",
        "3 of 40",
    ]
    assert shown["verdict"].tolist() == ["", "breaks", "", ""]


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


def test_a_difference_is_shown_below_the_level_and_not_at_it():
    said = [verdicts.difference(p).split(" (")[0] for p in (0.0499, 0.05)]
    assert said == ["shown", "not shown"]


def test_of_several_comparisons_the_least_certain_says_what_all_would_have_shown():
    few, many = ([[True] * n + [False] * 9 * n, [False] * 10 * n] for n in (10, 40))
    least = [measure.least_paired(pair) for pair in (few, many)]
    assert least[0] > least[1] and measure.least_paired(few, many) == least[0]
