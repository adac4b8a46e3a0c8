"""The gate of finished runs and of an audit: one frame of what the report judges, and the exit
status of the command.
"""

import pandas as pd
import pytest
from conftest import ROOT, run_all

from study import __main__ as study

EXAMPLE = ROOT / "docs/examples/gate"
POLICY = "rule: {must: stand, margin: 0.3}\n"


@pytest.mark.long
def test_a_strangers_function_fails_is_hardened_and_passes(tmp_path):
    place = f"{EXAMPLE}/penilai.py:classify"
    words = [place, "--gate", str(EXAMPLE / "policy.yaml"), "--name", "penilai", "--quick"]
    done = run_all(tmp_path, "harden", *words, "--cores", "1", "--until", "test")
    assert done.returncode == 0, done.stderr[-3000:]
    said = {
        when: pd.read_csv(tmp_path / f"audit-penilai-{when}/gate/gate.csv")
        for when in ("before", "after")
    }
    asked = {when: table[table["must"] == "stand"] for when, table in said.items()}
    assert (asked["before"]["outcome"] == "failed").any() and len(asked["before"]) == 4
    assert asked["after"]["outcome"].tolist() == ["passed"] * 4
    assert "penilai-before, policy: failed" in done.stdout
    assert "penilai-after, policy: passed" in done.stdout
    again = ["gate", "audit-penilai-after", "--policy", str(EXAMPLE / "policy.yaml")]
    assert study_elsewhere(tmp_path, *again, "--against", "penilai-before") == 0
    page = (tmp_path / "audit-penilai-after/gate/private/against.md").read_text(encoding="utf-8")
    assert "What got worse" in page


def study_elsewhere(outputs, *words: str) -> int:
    """The exit status of a study's command on a folder of outputs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAHAN_OUTPUTS", str(outputs))
        return study.main(list(words))
