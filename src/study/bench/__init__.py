"""Scores on the frozen benchmark: predictions in, families with intervals and verdicts out, by the
way of every audit.
"""
