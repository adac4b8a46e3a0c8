"""What every perturbation keeps to, and how many golden cases each has."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st


def check_laws(
    function,
    texts: st.SearchStrategy[str],
    kept: tuple[str, ...],
    also=lambda text, rate, new: None,
    examples: int = 40,
) -> None:
    """Never the text itself; the same for the same seed; nothing at rate 0; `kept`, which stand in
    some texts, stay; and what `also` asserts.
    """

    @settings(max_examples=examples, deadline=None)
    @given(texts, st.floats(0, 1), st.integers(0, 2**40))
    def laws(text, rate, seed):
        new = function(text, rate, random.Random(seed))
        assert new is None or new != text
        assert new == function(text, rate, random.Random(seed))
        assert function(text, 0.0, random.Random(seed)) is None
        for token in kept:
            assert (new or text).count(token) == text.count(token)
        also(text, rate, new)

    laws()


def check_golden(cases: list[dict]) -> None:
    """Six golden cases in each language, and one that the perturbation does not apply to."""
    for language in ("id", "en"):
        some = [case for case in cases if case.get("options", {}).get("language", "id") == language]
        assert len(some) >= 6
        assert any(case["expected"] is None for case in some)
