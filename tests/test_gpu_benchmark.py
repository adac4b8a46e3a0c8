"""The benchmark of a GPU: its work is counted right, its texts have SmSA's lengths, and it runs,
here on a CPU and tiny.
"""

import importlib.util
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from conftest import ROOT
from torch.utils.flop_counter import FlopCounterMode


@pytest.fixture(scope="module")
def gpu():
    spec = importlib.util.spec_from_file_location("gpu_benchmark", ROOT / "benchmarks" / "gpu.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclass is looked up
    spec.loader.exec_module(module)
    return module


def test_operations_are_those_that_torch_counts(gpu):
    model, _ = gpu.classifier(2, 128, torch.device("cpu"))
    model.config._attn_implementation = "eager"
    with FlopCounterMode(display=False) as counter, torch.inference_mode():
        model(input_ids=torch.full((3, 40), 7))
    head = 3 * (2 * 128 * 128 + 2 * 128 * 3)  # pooler and classes, which the count leaves out
    assert gpu.operations(np.full(3, 40.0), model.config) == counter.get_total_flops() - head


def test_made_up_texts_have_the_lengths_of_smsa(gpu):
    table = pd.read_csv(gpu.LENGTHS)
    texts = gpu.made_up(int(table["texts"].sum()))
    _, tokenizer = gpu.classifier(1, 64, torch.device("cpu"))
    found = pd.Series([len(ids) for ids in tokenizer(texts[:500])["input_ids"]])
    assert table["texts"].sum() == 11_000
    assert found.tolist() == [len(text.split()) + 2 for text in texts[:500]]
    assert (
        pd.Series([len(text.split()) + 2 for text in texts]).value_counts().sort_index().tolist()
        == table["texts"].tolist()
    )


@pytest.mark.long
def test_it_runs_on_a_cpu(gpu, monkeypatch, capsys):
    words = [
        "--device",
        "cpu",
        "--layers",
        "1",
        "--width",
        "64",
        "--texts",
        "6",
        "--rounds",
        "1",
        "--ways",
        "eager",
    ]
    monkeypatch.setattr(sys, "argv", ["gpu.py", *words])
    gpu.main()
    table = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")][1:]
    assert [line.split(" | ")[:3] for line in table] == [
        ["| " + task, precision, "eager"]
        for precision in ("fp32", "bf16")
        for task in ("fine-tuning", "prediction")
    ]
    assert all("%" in line for line in table)
