"""Mutants of conclusions can still be made; `python tests/mutants/run.py` shows that they die."""

import pytest
import yaml
from conftest import ROOT

MUTANTS = yaml.safe_load((ROOT / "tests/mutants/mutants.yaml").read_text(encoding="utf-8"))


def test_there_are_enough_mutants_and_each_is_another():
    assert len(MUTANTS) >= 20
    assert len({(row["file"], row["new"]) for row in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("row", MUTANTS, ids=lambda row: row["why"])
def test_a_mutant_changes_one_place_and_names_its_tests(row):
    assert (ROOT / row["file"]).read_text(encoding="utf-8").count(row["old"]) == 1
    assert row["old"] != row["new"]
    assert all((ROOT / name).exists() for name in row["tests"].split())
