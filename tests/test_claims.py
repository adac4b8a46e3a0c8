"""Claims as data: every rule by every outcome, and the documents' claims on the published runs."""

import pandas as pd
import pytest

from study import publish
from study.report import evidence, report
from tahanuji import claims, data, published
from tahanuji.claims import Claim
from tahanuji.errors import InputError
from tahanuji.results import Results

OUTCOMES = {  # of the published runs, in the order of claims.csv
    "embedded": "open|open|mixed|reproduced|reproduced in part|open|open|open|reproduced|"
    "open|open|open|open|open|open|open|open|open|open|"
    "reproduced in part|open",
    "cpu": "open|open|reproduced|reproduced in part|reproduced in part|reproduced in part|"
    "reproduced in part|open|reproduced|open|open|reproduced in part|reproduced|"
    "reproduced in part|open|open|open|open|reproduced in part|reproduced in part|open",
}


def shows(rule: str, margin: float = 0.1, **columns) -> bool | None:
    return Claim(rule=rule).shows(pd.DataFrame(columns), margin)


@pytest.mark.parametrize(
    ("verdicts", "shown"),
    [
        (["stands", "stands"], True),
        (["stands", "on balance"], None),
        (["stands", "undecided"], None),
        (["stands", "undecided: instrument"], None),
        (["stands", "breaks"], False),
        (["cannot act"], None),
    ],
)
def test_a_claim_of_robustness_needs_every_test_to_stand(verdicts, shown):
    assert shows("verdict", verdict=verdicts) is shown


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ({"value": [0.2], "p": [0.049]}, True),
        ({"value": [-0.2], "p": [0.049]}, False),
        ({"value": [0.2], "p": [0.05]}, None),
        ({"value": [0.2], "low": [0.1], "high": [0.3], "p": [0.5]}, None),  # p decides if there
        ({"value": [0.2], "low": [0.01], "high": [0.3]}, True),
        ({"value": [-0.2], "low": [-0.3], "high": [-0.01]}, False),
        ({"value": [0.2], "low": [0.0], "high": [0.3]}, None),
        ({"value": [-0.2], "low": [-0.3], "high": [0.0]}, None),
        ({"value": [0.2]}, None),
    ],
)
def test_a_difference_is_shown_beyond_chance_alone(row, shown):
    assert shows("difference", **row) is shown


@pytest.mark.parametrize(
    ("rule", "low", "high", "shown"),
    [
        ("all low > 0.3", [0.4, 0.31], [0.5, 0.5], True),
        ("all low > 0.3", [0.4, 0.3], [0.5, 0.5], None),
        ("all low > 0.3", [0.4, 0.1], [0.5, 0.29], False),
        ("all low > 0.3", [0.4, 0.1], [0.5, 0.3], None),
        ("all low >= 0.3", [0.4, 0.3], [0.5, 0.5], True),
        ("all high < 0.3", [0.0, 0.1], [0.2, 0.29], True),
        ("all high < 0.3", [0.0, 0.1], [0.2, 0.3], None),
        ("all high < 0.3", [0.0, 0.31], [0.2, 0.4], False),
        ("all high <= 0.3", [0.0, 0.1], [0.2, 0.3], True),
        ("any low > margin", [0.0, 0.11], [0.2, 0.2], True),
        ("any low > margin", [0.0, 0.1], [0.05, 0.2], None),
        ("any low > margin", [0.0, 0.0], [0.05, 0.09], False),
        ("any high < 0", [-0.2, -0.1], [-0.1, 0.1], True),
        ("all low > -margin", [-0.09], [0.1], True),
        ("all low > -margin", [-0.2], [-0.11], False),
        ("all low > -0.05", [-0.05], [0.1], None),
        ("none", [1.0], [1.0], None),
    ],
)
def test_a_bound_is_shown_by_the_interval_and_its_contrary_too(rule, low, high, shown):
    assert shows(rule, low=low, high=high) is shown


def test_nothing_and_what_does_not_meet_a_condition_show_nothing():
    assert shows("verdict", verdict=[]) is None
    assert shows("verdict", verdict=["stands"] * 2, usable=[True, False]) is None
    numbers = {"changed_share": 0.5, "moved_share": 0.0}
    assert claims.meets("changed_share >= 0.5", numbers) and claims.meets("", {})
    assert not claims.meets("changed_share >= 0.5; moved_share > 0", numbers)
    assert not claims.meets("another >= 0", numbers)
    with pytest.raises(InputError, match="'most low > 0'"):
        shows("most low > 0", low=[1])


@pytest.mark.parametrize(
    ("shown", "outcome"),
    [
        ([True, True], "reproduced"),
        ([False], "not reproduced"),
        ([True, False], "mixed"),
        ([True, False, None], "mixed"),
        ([True, None], "reproduced in part"),
        ([None, False], "contradicted in part"),
        ([None], "open"),
        ([], "open"),
    ],
)
def test_models_together_give_an_outcome(shown, outcome):
    assert claims.outcome(shown) == outcome


def test_every_claim_names_a_document_a_statistic_and_a_rule():
    table = data.read_table(evidence.FILE)
    assert set(table["document"]) == set(published.documents())
    assert set(table["statistic"]) == set(evidence.STATISTICS)
    assert not table["claim"].duplicated().any()
    for claim in claims.read(table):
        claim.shows(pd.DataFrame({"low": [0], "high": [0], "value": 0, "verdict": ""}), 0.1)
        assert claims.conditions(claim.selection)


def test_without_runs_every_claim_is_open():
    nothing = report.Report(Results("made", []))
    assert set(nothing.claims["outcome"]) == {"open"}
    assert not nothing.claims["models"].str.len().any()


@pytest.mark.parametrize("profile", ["embedded", pytest.param("cpu", marks=pytest.mark.long)])
def test_the_published_runs_come_to_the_published_outcomes(profile, tmp_path, monkeypatch):
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path))
    publish.restore(profile)
    assert report.of(profile).claims["outcome"].tolist() == OUTCOMES[profile].split("|")
