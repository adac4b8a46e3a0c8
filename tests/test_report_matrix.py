"""The matrix of verdicts, the ranking and the answer, from the files of small runs."""

import numpy as np
import pandas as pd
import pytest

from helpers import tables, verdicts
from helpers.report import answer, matrix


class Run:
    """A finished run as the matrix sees it."""

    def __init__(self, folder, model, notebook, variant="default"):
        self.folder, self.model, self.notebook, self.variant = folder, model, notebook, variant
        self.repeat = variant.startswith("seed_")
        self.about = {"parameters": {"dataset": "own"}}

    def main(self, table):
        return table[table["group"] == "all"]


class Found:
    """A collection of such runs, on one data set."""

    datasets = frozenset({"own"})

    def __init__(self, runs, metrics):
        self.runs, self._metrics = runs, metrics

    def metrics(self):
        return self._metrics


def verdict(model, notebook, test, kind, value, word, margin, **more):
    """A row of verdicts.csv."""
    quantity = "errors added" if kind == "INV" else "failures"
    row = {"model": model, "notebook": notebook, "variant": "default", "dataset": "own"}
    row |= {"test": test, "rate": np.nan, "group": "all", "type": kind, "quantity": quantity}
    row |= {"margin": margin, "value": value, "lower": value - 0.02, "upper": value + 0.02}
    return row | {"n": 100, "instrument": np.nan, "verdict": word, "p": 0.01, "seed": 1} | more


@pytest.fixture
def found(tmp_path):
    rows = [
        verdict("tfidf", "06_formality", "informal", "INV", 0.01, "stands", margin)
        for margin in (0.05, 0.1)
    ]
    rows += [verdict("tfidf", "06_formality", "semi_formal", "INV", 0.3, "breaks", 0.1)]
    rows += [dict(rows[-1], quantity="flips", value=0.5)]  # beside errors added it says less
    rows += [verdict("tfidf", "16_registers", "people", "INV", 0.3, "breaks", 0.1)]
    rows[-1] |= {"quantity": "flips", "p": 0.02}  # no right label: all there is
    rows += [verdict("tfidf", "12_checklist", "idioms", "MFT", 0.4, "breaks", 0.1, n=113)]
    rows += [verdict("tfidf", "12_checklist", "MFT", "MFT", 0.4, "breaks", 0.1)]  # a total
    weak = {"instrument": 1.0}
    rows += [verdict("tfidf", "07_perturbation_grid", "ocr", "INV", 0.2, matrix.WEAK, 0.1, **weak)]
    rows[-1]["rate"] = 0.05
    rows += [{**rows[-1], "rate": 0.1, "value": 0.5}]  # not the rate that was rated
    runs = []
    for number, notebook in enumerate(sorted({row["notebook"] for row in rows})):
        folder = tmp_path / str(number)
        folder.mkdir()
        own = [row for row in rows if row["notebook"] == notebook]
        tables.write(folder / "verdicts.csv", pd.DataFrame(own).reindex(columns=tables.VERDICTS))
        runs.append(Run(folder, "tfidf", notebook))
    metric = {"model": "tfidf", "variant": "default", "group": "all", "rate": np.nan, "n": 100}
    measured = [
        metric | {"notebook": "02", "test": "clean", "metric": "accuracy", "value": 0.8},
        metric | {"notebook": "02", "test": "clean", "metric": "at_chance", "value": 0.0},
    ]
    formal, grid = {"notebook": "06_formality"}, {"notebook": "07_perturbation_grid", "rate": 0.05}
    tests = {"semi_formal": (formal, 0.5), "informal": (formal, 0.21), "ocr": (grid, 0.4)}
    for test, (place, failing) in tests.items():
        for name, share in (("clean_error_rate", 0.2), ("failure_rate", failing)):
            measured.append(metric | place | {"test": test, "metric": name, "value": share})
    return Found(runs, pd.DataFrame(measured).assign(ci_low=0.7, ci_high=0.9))


def test_the_matrix_has_a_row_per_test_and_a_word_per_cell(found):
    table = matrix.judged(found)
    cells = matrix.cells(table.assign(p_holm=0.01), 0.1)
    tests = cells.index.get_level_values("test")
    assert list(cells.index.get_level_values("type")) == ["INV"] * 4 + ["MFT"]
    assert "registers: people" in tests and "checklist" not in tests  # no total
    said = dict(zip(tests, cells["tfidf"], strict=True))
    assert said["formality: informal"] == "= +1.0 (-1.0 to 3.0) stands"
    assert said["formality: semi-formal"] == "\u25b2 +30.0 (28.0 to 32.0) breaks"
    assert said["registers: people"] == "\u25b2 30.0% (28.0 to 32.0) breaks"
    assert said["ocr 0.05"].endswith(matrix.WEAK)
    assert said["idioms"] == "\u25b2 40.0% (38.0 to 42.0) breaks"
    kept = dict(zip(tests, cells.index.get_level_values("instrument"), strict=True))
    assert kept["ocr 0.05"] == "not rated" and kept["idioms"] == "written"
    counts = dict(zip(tests, cells.index.get_level_values("texts"), strict=True))
    assert (counts["idioms"], counts["formality: informal"]) == ("113", "100")
    groups = dict(zip(tests, cells.index.get_level_values("capability"), strict=True))
    assert groups["idioms"] == "CheckList: words"


@pytest.mark.parametrize(
    ("n", "said"), [(verdicts.FEWEST - 1, "undecided"), (verdicts.FEWEST, "breaks")]
)
def test_a_handful_of_texts_decides_nothing(found, n, said):
    path = found.runs[0].folder / "verdicts.csv"
    table = tables.read(path, tables.VERDICTS)
    tables.write(path, table.assign(n=n, verdict="breaks"))
    seen = matrix.judged(Found(found.runs[:1], found.metrics()))
    assert set(seen["verdict"]) == {said}


def test_holm_runs_over_the_whole_table_at_a_margin_and_stars_what_does_not_survive(found):
    table = matrix.judged(found)
    at = table[table["margin"] == 0.1]
    assert at["p_holm"].tolist() == pytest.approx([0.05] * 5)
    assert table[table["margin"] == 0.05]["p_holm"].tolist() == pytest.approx([0.01])
    stars = table.assign(p_holm=table["p_holm"] + 1e-9)
    cells = matrix.cells(stars, 0.1)["tfidf"]
    assert cells.str.endswith(matrix.ALONE).tolist() == [
        cell.rstrip(matrix.ALONE).endswith(("stands", "breaks")) for cell in cells
    ]
    assert not matrix.cells(stars, 0.05)["tfidf"].str.endswith(matrix.ALONE).any()
    html = matrix.styled(stars, 0.1).to_html()
    assert html.count('stands"') == 1 and html.index("<th") < html.index("tfidf")


def test_counts_and_ranking_by_hand(found):
    table = matrix.judged(found)
    counts = matrix.counts(table, 0.1).set_index("type")
    assert counts.loc["INV", ["stands", "breaks", matrix.WEAK, "tests"]].to_list() == [1, 2, 1, 4]
    row = matrix.ranking(found, table[table["margin"] == 0.1]).iloc[0]
    assert (row["accuracy"], row["before"], row["after"]) == (0.8, 0.8, 0.5)
    assert row["worst test"] == "formality: semi-formal" and not row["at chance"]
    (shown,) = matrix.ranks(matrix.ranking(found, table)).to_dict("records")
    assert shown["points lost"] == "30.0" and shown["at chance"] == "no"


def test_the_costliest_test_is_told_by_the_run_that_it_comes_from(found):
    metrics = found.metrics()
    other = metrics[metrics["test"] == "semi_formal"].assign(variant="thesis")
    other.loc[other["metric"] == "failure_rate", "value"] = 0.9
    found._metrics = pd.concat([metrics, other])
    table = matrix.judged(found)
    worst = table[table["test"] == "semi_formal"].assign(variant="thesis", value=0.7)
    row = matrix.ranking(found, pd.concat([table, worst], ignore_index=True)).iloc[0]
    assert (row["before"], row["after"]) == (0.8, pytest.approx(0.1))


def compared(**rows) -> pd.DataFrame:
    """Comparisons of tfidf and mini: the difference and p of every test."""
    pair = {"notebook": "06_formality", "variant": "default", "first": "tfidf", "second": "mini"}
    table = pd.DataFrame(
        [
            pair | {"test": test, "difference": gap, "p": p, "p_holm": p, "detectable": 0.09}
            for test, (gap, p) in rows.items()
        ]
    )
    return table.reindex(columns=["p_holm", "p", "detectable", "difference", "test", *pair])


def claims_of(**outcomes) -> pd.DataFrame:
    """Claims with their outcomes, all of the thesis."""
    rows = {
        "claim": list(outcomes),
        "outcome": [word.replace("_", " ") for word in outcomes.values()],
    }
    return pd.DataFrame(rows).assign(document=answer.THESIS, models="")


def test_the_answer_is_computed_and_says_what_it_does_not_show(found):
    table = matrix.judged(found)
    table["p_holm"] = 0.01
    claimed = claims_of(a="reproduced", b="not_reproduced", c="open")
    said = answer.sentences(found, table, compared(), claimed, 0.1)
    assert len(said) == 6 and all(sentence.startswith("**") for sentence in said)
    assert (
        "**tfidf** is right in 80% (95% interval 70 to 90)" in said[0]
        and "no other model" in said[0]
    )
    assert "**tfidf** stands 1 of 4 and breaks under 3" in said[1]
    assert "*formality: semi-formal*: **tfidf** +30.0 (28.0 to 32.0)" in said[2]
    assert "*formality: informal* (the upper bounds are 3.0 points" in said[3]
    assert "reproduced: “a”; not reproduced: “b”; 1 open" in said[4]
    assert "1 of 5 tests cannot judge" in said[5] and "logistic regression" in said[5]
    assert len(answer.sentences(found, table.iloc[:0], compared(), claimed, 0.1)) == 1


def two(found):
    """The collection and its verdicts with a second model, which stands one test more."""
    table = matrix.judged(found)
    other = table.assign(model="mini").replace({"verdict": {matrix.WEAK: "stands"}})
    metrics = found.metrics()
    both = pd.concat([metrics, metrics.assign(model="mini")], ignore_index=True)
    return Found(found.runs, both), pd.concat([table, other], ignore_index=True)


def test_the_model_that_stands_most_is_preferred_unless_it_is_less_accurate(found):
    both, table = two(found)
    said = answer.sentences(both, table, compared(clean=(0.02, 0.5)), claims_of(a="open"), 0.1)[0]
    assert "(9 points would have been" in said
    assert "No test tells them apart; **mini** stands most of the tests" in said
    less = compared(clean=(-0.1, 0.001))  # mini errs more on unchanged texts
    assert (
        "**tfidf** is the safer choice"
        in answer.sentences(both, table, less, claims_of(a="open"), 0.1)[0]
    )
    loses = compared(clean=(0.0, 1.0), semi_formal=(-0.2, 0.001))
    said = answer.sentences(both, table, loses, claims_of(a="open"), 0.1)[0]
    assert "**tfidf** is the safer choice" in said
    assert "**mini** loses more under *formality: semi-formal*" in said
    mixed = compared(clean=(0.0, 1.0), semi_formal=(-0.2, 0.001), informal=(0.1, 0.001))
    said = answer.sentences(both, table, mixed, claims_of(a="open"), 0.1)[0]
    assert "No model is safer throughout" in said
    assert all(f"**{name}** loses more" in said for name in ("tfidf", "mini"))


def test_no_model_is_preferred_where_both_stand_as_many_tests(found):
    both, table = two(found)
    alike = table.assign(verdict="stands")
    said = answer.sentences(both, alike, compared(clean=(0.0, 1.0)), claims_of(a="open"), 0.1)[0]
    assert "prefer one of them" in said


def test_names_and_groups_are_set_beside_what_any_other_word_moves(found):
    table = matrix.judged(found)
    fair = table[table["test"] == "idioms"].assign(test="fairness_region", label="fairness region")
    usual = {"model": "tfidf", "variant": "default", "metric": "filling_flip_rate", "value": 0.2}
    found._metrics = pd.concat([found.metrics(), pd.DataFrame([usual | {"ci_high": 0.23}])])
    said = answer._fairness(found, fair, ["tfidf"])
    assert "40% of **tfidf**'s answers (*fairness region*; any other words 20%)" in said
    assert "*fairness region* for **tfidf**" in said
    found._metrics["ci_high"] = 0.5
    assert "for **tfidf**" not in answer._fairness(found, fair, ["tfidf"])
    assert answer._fairness(found, table, ["tfidf"]) == ""


def test_an_answer_at_a_margin_that_no_run_used_says_so(found):
    table = matrix.judged(found)
    (said,) = answer.sentences(found, table, compared(), claims_of(), 0.2)
    assert "at a margin of 0.2, only at 0.05 and 0.1" in said


def test_a_model_that_is_left_over_is_preferred_for_the_reason_that_holds():
    chosen = answer._better("mini", ["tfidf", "mini"], {"tfidf"})
    assert chosen == "it is right more often"
    chosen = answer._better("mini", ["tfidf", "mini"], set())
    assert chosen == "**tfidf** does no better than chance"
    chosen = answer._better("mini", ["tfidf", "mini", "other"], {"tfidf"})
    assert chosen == "it is right more often and **other** does no better than chance"


def test_an_instrument_is_said_by_its_bound():
    assert matrix.instrument(np.nan) == "written"
    assert matrix.instrument(1.0) == "not rated"
    assert matrix.instrument(0.04) == "at most 4.0% unfit"
