"""What benchmarks/RESULTS.md says of hardening is what the published runs found."""

import pandas as pd
import pytest
from conftest import ROOT

from tahanuji.harden import loss

RUN = ROOT / "outputs/reference/cpu/mini/17_hardening"
COLUMNS = (  # variants and defences, as the table has them
    (("wordings", "wordings_seed_2"), "undefended"),
    (("default",), "normaliser+noise"),
    (("wordings", "wordings_seed_2"), "normaliser+agreement"),
    (("wordings", "wordings_seed_2"), "normaliser+agreement+wordings"),
)
ROWS = {
    "errors, unchanged texts": ("unchanged", "errors"),
    "added, typing as on social media (`realistic noise`)": ("realistic noise", "errors_added"),
    "added, a typo in every word": ("typos", "errors_added"),
    "flips, COPAL": ("colloquial wording (COPAL)", "flips"),
    "flips, triplets": ("informal wording (triplets)", "flips"),
    "flips, STIF": ("customers' tweets, informal (STIF)", "flips"),
    "added, hostile English (all four tests)": ("hostile mixing: all tests", "errors_added"),
    "added, English mixed by people": ("mixing by people: all tests", "errors_added"),
    "MFT, other capabilities": ("skills, other capabilities, MFT", "failures"),
}


@pytest.fixture(scope="module")
def metrics() -> pd.DataFrame:
    made = pd.read_csv(RUN / "metrics.csv")
    keys = ["test", "metric", "group", "variant"]
    return made.sort_values("rate").drop_duplicates(keys, keep="last").set_index(keys).sort_index()


@pytest.mark.parametrize("name", ROWS)
def test_every_row_of_the_table_is_in_metrics(metrics, name):
    cells = []
    for variants, defence in COLUMNS:
        rows = [metrics.loc[(*ROWS[name], defence, variant)] for variant in variants]
        shown = [(100 * row[["value", "ci_low", "ci_high"]]).astype(float) for row in rows]
        cells.append("; ".join("{:.1f} ({:.1f} to {:.1f})".format(*one) for one in shown))
    text = (ROOT / "benchmarks/RESULTS.md").read_text(encoding="utf-8")
    assert f"| {name} | {' | '.join(cells)} |" in text.replace("-0.0", "0.0")


def test_the_loss_on_unchanged_texts_has_the_bounds_that_are_told():
    made = pd.read_csv(RUN / "metrics.csv")
    rows = [loss.lost(made[made["variant"] == variant]) for variant in COLUMNS[-1][0]]
    rows = [table[table["group"] == COLUMNS[-1][1]].set_index("margin") for table in rows]
    gains, bounds = ([100 * table[name].iloc[0] for table in rows] for name in ("loss", "upper"))
    assert [table.loc[0.02, "verdict"] for table in rows] == ["stands", "stands"]
    told = "{:+.1f} and {:+.1f} | met: one-sided 95% bounds {:.1f} and {:.1f} |"
    text = (ROOT / "benchmarks/RESULTS.md").read_text(encoding="utf-8")
    assert f"shown under 2 | {told.format(*gains, *bounds)}" in text
