"""The study through Slurm, where it is there or can be installed."""

import subprocess

import pytest
from conftest import ROOT, environment

NONE_HERE = 77


@pytest.mark.long
def test_a_job_cancelled_by_slurm_is_made_again_with_the_same_numbers(tmp_path):
    """In the words of .ci/slurm; it starts a Slurm of its own and stops it."""
    done = subprocess.run(
        [ROOT / ".ci" / "slurm"], env=environment(tmp_path), capture_output=True, text=True
    )
    if done.returncode == NONE_HERE:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-6000:]
