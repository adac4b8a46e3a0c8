"""What a profile's tests will be able to show, counted without a model."""

import subprocess
import sys

import pytest
from conftest import ROOT

from helpers import notebooks, parameters
from study import __main__ as study
from study import plan
from tahanuji import checklist, data, measure
from tahanuji.errors import InputError


@pytest.fixture(scope="module")
def embedded():
    return plan.table("embedded").set_index(["notebook", "variant"])


def test_every_notebook_that_judges_says_what_its_texts_are(embedded):
    judging = {
        name
        for name in notebooks.every()
        if "margins" in parameters.declared(ROOT / "notebooks" / f"{name}.ipynb")
    }
    named = {name for name, about in notebooks.every().items() if about.texts}
    assert judging == named and {notebooks.every()[name].texts for name in named} <= {*plan.TEXTS}
    assert set(embedded.index.get_level_values("notebook")) <= judging


def test_texts_are_counted_and_drawn_as_in_the_runs(embedded):
    whole = len(data.load("embedded", "test"))
    assert set(embedded.loc["05_typos", "texts"]) == {whole}
    assert set(embedded.loc["07_perturbation_grid", "texts"]) == {150}
    assert embedded.loc["04_negation", "texts"].max() < whole
    cases = checklist.expand(checklist.read())
    listed = embedded.loc["12_checklist"]
    assert set(listed["tests"]) == {f"{kind}, each capability" for kind in cases["test_type"]}
    assert (listed["clusters"] < listed["texts"]).all()


def test_what_can_be_shown_follows_from_clusters_and_margin(embedded):
    for row in embedded.itertuples():
        stands, breaks = measure.detectable_shares(row.clusters, row.margin)
        assert row.breaks == breaks > row.margin
        assert row.stands == stands or (stands is None and row.stands != row.stands)


def test_pairs_cluster_by_their_first_sentence():
    ((_, rows, clusters),) = plan.whole({"dataset": "acceptability", "test_rows": 100})
    test = data.load("acceptability", "test")
    assert rows == 100 and clusters == round(100 * test["text"].nunique() / len(test))


def test_the_plan_loads_no_torch_and_says_how_many_texts_are_needed():
    program = (
        "import sys; from study import plan; status = plan.main(['embedded']);"
        "assert 'torch' not in sys.modules; sys.exit(status)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert f"{measure.texts_needed(0.05, 0.02)} texts" in done.stdout


def test_an_unknown_profile_is_named(capsys):
    with pytest.raises(InputError):
        plan.table("nowhere")
    assert study.main(["plan", "nowhere"]) == 2
    assert "nowhere" in capsys.readouterr().err
