"""A line per family of changes, in anyone's own tests."""

from penilai import classify

from tahanuji.testing import stands


def test_short_forms_of_tidak_cost_no_accuracy():
    stands(classify, "negation", margin=0.1)


def test_typing_errors_are_not_shown_to_cost_accuracy():
    stands(classify, "typing", margin=0.1, must="not break")
