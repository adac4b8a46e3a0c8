"""Notebook 12 from the real runner: files that agree with one another and with the command line."""

import random

import pandas as pd
import pytest
from conftest import runner
from recompute import recomputes

from tahanuji import checklist
from tahanuji.checklist import __main__ as command
from tahanuji.perturb.chat_spelling import clitics

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(trained):
    folder = "embedded/tfidf/12_checklist/default"
    done = runner(trained, "12_checklist", folder, "model_name=tfidf")
    assert done.returncode == 0, done.stderr
    return trained / folder


def test_metrics_come_from_the_predictions(run):
    recomputes(run)


def test_the_failing_cases_of_every_capability_can_be_opened(run):
    rows = pd.read_csv(run / "predictions.csv")
    failing = pd.read_csv(run / "misclassified.csv")
    assert list(failing["id"]) == list(rows[rows["failure"]]["id"])
    assert failing["text"].notna().all()
    metrics = pd.read_csv(run / "metrics.csv")
    metrics = metrics[metrics["metric"] == "failure_rate"]
    whole = metrics[metrics["group"] == "all"].set_index("test")
    for capability, part in failing.groupby("capability"):
        n, share = whole.loc[capability, ["n", "value"]]
        assert len(part) == round(n * share)
    assert (run / "figures/capabilities.png").is_file()


def test_cases_with_the_clitic_apart_are_asked_again(run):
    rows = pd.read_csv(run / "predictions.csv").query("test_type == 'MFT' and counted")
    holding = sum(bool(clitics()(text, 1.0, random.Random(1))) for text in rows["text"])
    costs = pd.read_csv(run / "clitics.csv").iloc[0]
    assert costs["n"] == holding > 400
    assert costs["low"] <= costs["value"] <= costs["high"] and costs["low"] < costs["high"]
    report = (run / "executed.ipynb").read_text(encoding="utf-8")
    assert f"Fails more on {holding} MFT cases" in report


def test_the_command_line_gives_the_same_rates(run, tmp_path, capsys):
    cases = checklist.expand(checklist.read())
    rows = pd.read_csv(run / "predictions.csv", keep_default_na=False)
    assert list(rows["text"]) == list(cases["text"])
    pairs = rows[rows["changed_label"] != ""]
    said = {
        "id": [*rows["id"], *(pairs["id"] + "/changed")],
        "label": [*rows["label"], *pairs["changed_label"]],
    }
    for label in ("positive", "neutral", "negative"):
        said[f"p_{label}"] = [*rows[f"p_{label}"], *pairs[f"changed_p_{label}"]]
    pd.DataFrame(said).to_csv(tmp_path / "said.csv", index=False)
    failing = tmp_path / "failing.csv"
    assert command.main(["score", str(tmp_path / "said.csv"), "--failures", str(failing)]) == 0
    assert list(pd.read_csv(failing)["id"]) == list(rows[rows["failure"]]["id"])
    assert "wrong_way" in rows and "sarcasm" in capsys.readouterr().out
