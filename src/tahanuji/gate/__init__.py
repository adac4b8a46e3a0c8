"""A gate: does a classifier stand what a policy asks of it? Outcomes in, a verdict per test and an
exit status out; stored outcomes are judged again without a model.

    python -m tahanuji.gate outcomes.csv.gz --policy default
"""

from tahanuji.gate.frames import prepared
from tahanuji.gate.judging import judge, outcome, status
from tahanuji.gate.policy import Policy, Rule, read, ready

__all__ = ["Policy", "Rule", "judge", "outcome", "prepared", "read", "ready", "status"]
