"""The averages of the perturbation grid against grids small enough to compute by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from tahanuji.errors import InputError
from tahanuji.measure import robustness

NAN = float("nan")
CHANGED = {"typos": 1.0, "synonyms": 0.4, "links": 1.0, "capitals": 0.9}
LEVEL = {"typos": "character", "synonyms": "word", "links": "other", "capitals": "other"}
KAPPA = {
    ("A", "x"): {"typos": 0.4, "synonyms": 0.5, "links": 0.6, "capitals": 0.0},
    ("A", "y"): {"typos": 0.6, "synonyms": 0.5, "links": 0.8, "capitals": 0.2},
    ("B", "x"): {"typos": 0.2, "synonyms": 1.0, "links": 0.9, "capitals": 1.0},
    ("B", "y"): {"typos": 0.4, "synonyms": 1.0, "links": 0.9, "capitals": 1.0},
}


def grid(kappas: dict = KAPPA) -> pd.DataFrame:
    rows = [
        [*pair, name, LEVEL[name], kappa, CHANGED[name]]
        for pair, row in kappas.items()
        for name, kappa in row.items()
    ]
    return pd.DataFrame(rows, columns=robustness.GRID)


def changed_to(**cell) -> pd.DataFrame:
    """The grid with other figures in the row of model A, task x and typos."""
    frame = grid()
    return frame.assign(
        **{column: frame[column].mask((frame.index == 0), value) for column, value in cell.items()}
    )


def close(found: dict, expected: dict) -> bool:
    return list(found) == list(expected) and list(found.values()) == pytest.approx(
        list(expected.values()), abs=1e-12, nan_ok=True
    )


def test_scores_are_kappa_times_the_share_changed():
    frame = robustness.scored(grid())
    assert frame["score"].to_list() == pytest.approx(
        [0.4, 0.2, 0.6, 0, 0.6, 0.2, 0.8, 0.18, 0.2, 0.4, 0.9, 0.9, 0.4, 0.4, 0.9, 0.9]
    )
    assert "score" not in grid().columns
    assert robustness.scored(changed_to(kappa=-0.5, changed=0.5))["score"].iloc[0] == -0.25


def test_by_perturbation_in_the_order_of_levels_and_scores():
    table = robustness.by_perturbation(grid())
    assert close(
        table["score"].to_dict(), {"typos": 0.4, "synonyms": 0.3, "links": 0.8, "capitals": 0.495}
    )
    assert close(table["changed"].to_dict(), CHANGED)
    assert table["level"].to_dict() == LEVEL
    assert set(table["n"]) == {4}


def test_by_level_is_the_mean_over_models_tasks_and_perturbations():
    assert close(
        robustness.by_level(grid())["score"].to_dict(),
        {"character": 0.4, "word": 0.3, "other": 0.6475},
    )
    assert close(
        robustness.by_level(robustness.without(grid(), "capitals"))["score"].to_dict(),
        {"character": 0.4, "word": 0.3, "other": 0.8},
    )
    assert robustness.by_level(grid())["n"].to_dict() == {"character": 4, "word": 4, "other": 8}


def test_by_model_and_by_task_weigh_the_levels_alike():
    """B: (0.3 + 0.4 + 0.9) / 3, where the mean of its eight scores would be 0.625; x: (0.3 + 0.3 +
    0.6) / 3.
    """
    models, tasks = robustness.by(grid(), "model"), robustness.by(grid(), "task")
    assert close(models["score"].to_dict(), {"B": 1.6 / 3, "A": (0.5 + 0.2 + 0.395) / 3})
    assert close(
        models.loc["B", list(robustness.LEVELS)].to_dict(),
        {"character": 0.3, "word": 0.4, "other": 0.9},
    )
    assert close(tasks["score"].to_dict(), {"y": (0.5 + 0.3 + 0.695) / 3, "x": 0.4})
    assert models["n"].to_dict() == {"B": 8, "A": 8}
    assert (
        models["score"].mean()
        == pytest.approx(tasks["score"].mean())
        == pytest.approx(robustness.by_level(grid())["score"].mean())
    )


def test_settings_are_averaged_before_anything_else():
    """Typos at two settings with kappa 0.8 and 0.2 and shares 0.5 and 1.0: 0.3, not 0.5 times 0.75;
    they weigh no more than one setting would.
    """
    rows = [
        ["m", "t", "typos", "character", 0.8, 0.5],
        ["m", "t", "typos", "character", 0.2, 1.0],
        ["m", "t", "ocr", "character", 0.9, 1.0],
    ]
    frame = pd.DataFrame(rows, columns=robustness.GRID)
    assert close(robustness.by_perturbation(frame)["score"].to_dict(), {"ocr": 0.9, "typos": 0.3})
    assert robustness.by_perturbation(frame).loc["typos", ["changed", "n"]].to_list() == [0.75, 1]
    assert robustness.by_level(frame)["score"].to_dict() == pytest.approx({"character": 0.6})


def test_frequent_keeps_half_and_drops_less():
    assert set(robustness.frequent(grid())["perturbation"]) == {"typos", "links", "capitals"}
    assert set(robustness.frequent(grid(), least=0.4)["perturbation"]) == set(LEVEL)
    shares = [0.7, 0.6, 0.2]  # their mean is a last bit below 0.5
    assert np.mean(shares) < 0.5
    frame = pd.DataFrame(
        [
            ["m", f"t{number}", "typos", "character", 1, share]
            for number, share in enumerate(shares)
        ],
        columns=robustness.GRID,
    )
    assert len(robustness.frequent(frame)) == 3


def test_order_of_rows_columns_and_index_does_not_matter():
    frame = grid()
    other = frame.sample(frac=1, random_state=1)[frame.columns[::-1]]
    for function in (
        robustness.by_perturbation,
        robustness.by_level,
        lambda rows: robustness.by(rows, "task"),
    ):
        pd.testing.assert_frame_equal(function(frame), function(other))


# Degenerate grids


def test_a_level_that_the_whole_grid_lacks_is_left_out():
    frame = robustness.without(grid(), "synonyms")
    assert list(robustness.by(frame, "model").columns) == ["character", "other", "score", "n"]
    assert close(
        robustness.by(frame, "model")["score"].to_dict(), {"B": 0.6, "A": (0.5 + 0.395) / 2}
    )
    assert list(robustness.by_level(frame).index) == ["character", "other"]


def test_a_level_that_one_model_lacks_makes_its_score_nan():
    frame = grid()
    frame = frame[(frame["model"] == "A") | (frame["level"] != "word")]
    table = robustness.by(frame, "model")
    assert close(table["score"].to_dict(), {"A": 0.365, "B": NAN})
    assert table.loc["B", "other"] == pytest.approx(0.9)
    assert table["n"].to_dict() == {"A": 8, "B": 6}
    assert robustness.by_perturbation(frame).loc["synonyms", "n"] == 2


def test_a_nan_kappa_reaches_every_mean_it_belongs_to_and_no_other():
    frame = changed_to(kappa=NAN)
    assert close(
        robustness.by_perturbation(frame)["score"].to_dict(),
        {"typos": NAN, "synonyms": 0.3, "links": 0.8, "capitals": 0.495},
    )
    assert close(
        robustness.by_level(frame)["score"].to_dict(),
        {"character": NAN, "word": 0.3, "other": 0.6475},
    )
    assert close(robustness.by(frame, "model")["score"].to_dict(), {"B": 1.6 / 3, "A": NAN})
    assert robustness.by_perturbation(frame).loc["typos", "changed"] == 1


@pytest.mark.parametrize("kappa", [1.0, 0.3, NAN])
def test_where_nothing_was_changed_the_score_is_0(kappa):
    frame = changed_to(kappa=kappa, changed=0.0)
    assert robustness.scored(frame)["score"].iloc[0] == 0
    assert robustness.by_perturbation(frame).loc[
        "typos", ["changed", "score"]
    ].to_list() == pytest.approx([0.75, 0.3])


def test_no_perturbation_left_after_dropping():
    empty = robustness.frequent(grid().assign(changed=0.1))
    assert empty.empty
    assert list(empty.columns) == robustness.GRID
    assert list(robustness.by_perturbation(empty).columns) == ["level", "changed", "score", "n"]
    assert list(robustness.by_level(empty).columns) == ["score", "n"]
    assert list(robustness.by(empty, "model").columns) == ["score", "n"]
    assert (
        len(robustness.by_perturbation(empty))
        == len(robustness.by_level(empty))
        == len(robustness.by(empty, "task"))
        == 0
    )
    assert robustness.frequent(empty).empty


def test_one_cell_is_its_own_mean():
    frame = grid().head(1)
    assert robustness.by(frame, "task").to_dict("index") == {
        "x": {"character": 0.4, "score": 0.4, "n": 1}
    }
    assert math.isclose(robustness.by_level(frame).loc["character", "score"], 0.4)


# What is refused


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (grid().drop(columns=["kappa", "level"]), "no column level, kappa; it needs model"),
        (grid().replace("word", "Word"), "unknown level 'Word'; did you mean 'word'"),
        (grid().assign(changed=99.8), "changed is a share from 0 to 1, but 99.8"),
        (changed_to(changed=NAN), "but nan stands"),
        (changed_to(changed=-0.1), "but -0.1 stands"),
        (changed_to(kappa=1.2), "kappa goes from -1 to 1, but 1.2"),
        (changed_to(level="word"), "perturbation 'typos' stands at 2 levels"),
        (changed_to(task=None), "rows without task"),
    ],
)
def test_grids_that_are_refused(frame, message):
    for function in (
        robustness.scored,
        robustness.by_perturbation,
        robustness.by_level,
        robustness.frequent,
    ):
        with pytest.raises(InputError, match=message):
            function(frame)


def test_names_that_are_refused():
    with pytest.raises(InputError, match="unknown perturbation 'capital'; did you mean 'capitals'"):
        robustness.without(grid(), "capital")
    with pytest.raises(InputError, match="unknown column 'level'; did|Allowed: model, task"):
        robustness.by(grid(), "level")
