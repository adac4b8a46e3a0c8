"""What the whole grid costs on paper: its work is that of the GPU's benchmark, its sums add up."""

import importlib.util
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT


def benchmark(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclass is looked up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def cost():
    return benchmark("grid_cost")


def test_work_is_counted_as_for_a_gpu(cost):
    lengths = np.array([10.0, 30.0, 50.0])
    row = {"texts": 3, "pieces": lengths.mean(), "squares": (lengths**2).mean()}
    shape = SimpleNamespace(hidden_size=cost.WIDTH, num_hidden_layers=cost.LAYERS)
    expected = benchmark("gpu").operations(lengths, shape)
    assert cost.forward(pd.DataFrame([row])).iloc[0] == pytest.approx(expected)


def test_nodes_share_the_work_until_the_longest_run_is_left(cost, monkeypatch):
    monkeypatch.setattr(cost, "beside", lambda: (0.0, 0.0))
    even = pd.DataFrame({"training": [3600.0] * 12, "grid": [3600.0] * 12})
    assert cost.hours(even, 1.0) == (600, 30, 2)
    monkeypatch.setattr(cost, "SEEDS", 1)
    one = pd.DataFrame({"training": [3600.0 * 100, 0], "grid": [0.0, 0]})
    assert cost.hours(one, 1.0) == (500, 100, 100)


def test_the_twelve_tasks_are_counted_and_the_table_is_printed(cost):
    tasks = pd.read_csv(cost.TASKS)
    assert tasks.groupby("task").size().eq(2).all() and tasks["task"].nunique() == 12
    assert cost.report().count("\n| ") == 5
