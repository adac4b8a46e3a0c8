"""An audit under a policy of one's own makes the runs that have what the policy asks, no others."""

import json

import pandas as pd
import pytest
from conftest import ROOT

from study.audit import asked, profile
from study.audit.asked import GRID, narrowed
from study.report import decisions, runs
from tahanuji import paths
from tahanuji.errors import InputError
from tahanuji.families import family
from tahanuji.gate.policy import SKILLS, Policy
from tahanuji.results import Results, Run

WHOLE = paths.read_yaml(profile.PLANNED)["runs"]
UNTESTED = "02_conventional_metrics"  # whose accuracy every report states
ANY, NONE = {"must": "stand"}, {"must": "nothing"}


@pytest.fixture(scope="module")
def judged():
    """What the committed reference judges of a model, of the runs that an audit makes."""
    made = []
    for notebook in set(WHOLE) - {UNTESTED}:
        folder = ROOT / "outputs/reference/embedded/tfidf" / notebook
        about = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["default"]
        metrics, verdicts = (
            runs.titled(table[table["variant"] == "default"], about)
            for table in (pd.read_csv(folder / f"{name}.csv") for name in ("metrics", "verdicts"))
        )
        made.append(Run(folder / "default", about, metrics, verdicts))
    table = decisions.judged(Results("embedded", made))
    return table.drop_duplicates(["notebook", "label"])


def holds(made: dict, row) -> bool:
    """Whether a test is among the runs."""
    names = made.get(row.notebook, {}).get("default", {}).get("perturbations")
    return row.notebook in made and (names is None or row.test in names.split(", "))


def test_a_test_is_run_where_it_is_asked_by_its_name_and_little_else(judged):
    for row in judged.itertuples():
        made, left = narrowed(WHOLE, Policy("own", NONE, tests={row.label: ANY}))
        assert holds(made, row), row.label
        assert set(made) == {UNTESTED, row.notebook}
        assert row.notebook != GRID or made[GRID]["default"]["perturbations"] == row.test
        assert not {row.notebook, row.test} & set(left)
    assert set(judged["notebook"]) == set(WHOLE) - {UNTESTED}


def test_a_family_is_run_with_all_its_tests(judged):
    families = [family(row.notebook, row.test) for row in judged.itertuples()]
    kinds = judged.assign(family=families)
    kinds.loc[kinds["type"] == "MFT", "family"] = SKILLS
    for name, part in kinds.groupby("family"):
        made, _ = narrowed(WHOLE, Policy("own", NONE, {name: ANY}))
        assert all(holds(made, row) for row in part.itertuples())
        assert set(made) == {UNTESTED, *part["notebook"]}
    assert {SKILLS, "typing", "hostile mixing"} <= set(kinds["family"])


def test_what_asks_everything_or_nothing_makes_every_run():
    for policy in (Policy("all"), Policy("none", NONE)):
        assert narrowed(WHOLE, policy) == (WHOLE, [])


def test_what_a_rule_excepts_is_not_run():
    policy = Policy("own", {}, {"hostile mixing": NONE, "typing": NONE}, {"ocr 0.05": ANY})
    made, left = narrowed(WHOLE, policy)
    assert {"08_code_mixing", "05_typos", "keyboard"} <= set(left) and "ocr" not in left
    assert set(made) == set(WHOLE) - {"08_code_mixing", "05_typos"}
    assert asked.asks(policy, "ocr") and not asked.asks(policy, "keyboard")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Policy("own", NONE, {"typin": ANY}), "did you mean 'typing'"),
        (Policy("own", NONE, tests={"fused negations": ANY}), "did you mean 'fused negation'"),
    ],
)
def test_what_no_run_can_have_is_refused_before_any_is_made(policy, message):
    with pytest.raises(InputError, match=message):
        narrowed(WHOLE, policy)
