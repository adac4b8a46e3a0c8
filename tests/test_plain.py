"""Tables of notebooks as plain text, in the shell of a kernel."""

import pandas as pd
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.display import Markdown
from matplotlib.figure import Figure

from helpers import plain, tables

FRAME = pd.DataFrame({"text": ["enak <b> sekali", "biasa\nsaja"], "share": [0.12345, None]})


@pytest.fixture
def text(monkeypatch):
    """What a notebook holds of an object as text/plain."""
    shell = InteractiveShell()
    monkeypatch.setattr(plain, "get_ipython", lambda: shell)
    plain.install()
    return lambda shown: shell.display_formatter.format(shown)[0]["text/plain"]


def test_a_styled_table_is_a_table(text):
    shown = text(tables.prose(FRAME).set_caption("Two of 9"))
    caption, _, head, rule, first, second = shown.splitlines()
    assert caption == "Two of 9" and head.split() == ["text", "share"] and set(rule) == {"-", " "}
    assert first.split() == ["enak", "<b>", "sekali", "0.123"]  # as it reads, not as HTML has it
    assert second.split() == ["biasa", "saja"]
    assert "Styler" not in shown and "nan" not in shown


def test_a_long_text_stands_in_lines(text):
    long = " ".join(["kata"] * 40)
    lines = text(tables.prose(pd.DataFrame({"text": [long]}))).splitlines()
    assert max(map(len, lines)) <= plain.WIDTH and " ".join(lines[2:]).split() == long.split()


def test_numbers_stay_as_they_were_formatted(text):
    shown = text(tables.prose(pd.DataFrame({"share": ["30,000", "0.50", "1e5"]})))
    assert shown.splitlines()[2:] == ["30,000", "0.50", "1e5"]


def test_sentences_are_themselves(text):
    assert text(Markdown("* one **finding**")) == "* one **finding**"


def test_a_figure_is_its_title(text):
    shown = Figure()
    assert text(shown) == repr(shown)
    shown.suptitle("mini: 13% of\nlabels flip")
    assert text(shown) == "mini: 13% of labels flip"


def test_a_folded_table_is_read_below_its_line(text):
    shown = tables.folded("All <2>", FRAME)
    assert shown._repr_html_().startswith("<details><summary>All &lt;2&gt;</summary><style")
    assert text(shown).splitlines()[0] == "All <2>" and "0.123" in text(shown)


def test_of_many_folded_tables_the_lines_are_read(text):
    two = tables.Folded(dict.fromkeys(["one", "other"], tables.prose(FRAME)))
    shown = tables.Contents({"MFT: 2 capabilities": two})
    assert text(shown).splitlines() == ["MFT: 2 capabilities", "  one", "  other"]
    assert shown._repr_html_().count("<details>") == 3


def test_outside_of_a_kernel_nothing_is_installed(monkeypatch):
    monkeypatch.setattr(plain, "get_ipython", lambda: None)
    plain.install()
