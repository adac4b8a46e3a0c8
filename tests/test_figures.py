"""Charts stay within their pictures, and draw what there is."""

from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers import figures

POINTS = pd.DataFrame(
    {
        "group": ["a change with a long name"],
        "series": "mini",
        "value": 0.1,
        "ci_low": 0,
        "ci_high": 1,
    }
)


@pytest.fixture
def noted(tmp_path):
    """A run that has judged forty tests of instruments that were not rated."""
    tests = [f"a change with a long name {number}" for number in range(40)]
    pd.DataFrame({"test": tests, "instrument": 1.0}).to_csv(tmp_path / "verdicts.csv", index=False)
    return SimpleNamespace(dir=tmp_path)


def test_neither_title_nor_note_widens_a_picture(noted):
    figure = figures.bars(POINTS, "A claim that takes more than a line of the figure " * 3)
    figures.save(noted, figure, "chart", None)
    width = plt.imread(noted.dir / "figures" / "chart.png").shape[1]
    assert width <= (figure.get_figwidth() + 0.3) * plt.rcParams["savefig.dpi"]  # and a margin


def test_learning_curves_do_without_a_validation_loss():
    history = pd.DataFrame({"epoch": [1, 2], "train_loss": [0.5, 0.2], "f1": [0.4, 0.6]})
    losses, scores = figures.learning_curves(history, "title").axes
    assert [line.get_label() for line in losses.lines] == ["training"]
    assert scores.texts[0].get_text() == "best: 0.600"
