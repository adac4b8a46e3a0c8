"""What publishing keeps of runs, and what restoring gives back."""

import json

import nbformat
import pandas as pd
import pytest

from helpers import tables
from study import publish

ROWS = pd.DataFrame(
    {"id": ["a", "b"], "rate": [0.3, 0.05], "p_positive": [0.12345, 0.5], "failure": [True, False]}
)


@pytest.fixture
def published(tmp_path, monkeypatch):
    """The reference of two runs of notebook 01 and the folder that is published from."""
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setattr(publish, "REFERENCE", tmp_path / "reference")
    for epochs, variant in enumerate(("default", "seed_2"), start=1):
        folder = tmp_path / "outputs/own/mini/01_finetune" / variant
        folder.mkdir(parents=True)
        pd.DataFrame({name: [variant] for name in tables.METRICS}).to_csv(
            folder / "metrics.csv", index=False
        )
        ROWS.to_csv(folder / "predictions.csv", index=False)
        history = pd.DataFrame({"epoch": range(1, epochs + 1), "f1": 0.5})
        history.to_csv(folder / "history.csv", index=False)
        nbformat.write(nbformat.v4.new_notebook(), folder / "executed.ipynb")
        (folder / "provenance.json").write_text(json.dumps({"seed": epochs}), encoding="utf-8")
    return publish.publish("own")


def test_a_rate_is_found_by_its_number(published):
    whole = pd.read_parquet(published / "mini/01_finetune/predictions.parquet")
    assert whole["rate"].isin([0.3]).sum() == 2 and whole["p_positive"].dtype == "float32"
    read = publish.predictions(published / "mini/01_finetune")["seed_2"]
    assert read["rate"].tolist() == [0.3, 0.05] and read["p_positive"].tolist() == [0.1234, 0.5]


def test_histories_of_all_trainings_are_published_and_restored(published, tmp_path, monkeypatch):
    histories = pd.read_csv(published / "mini/01_finetune/histories.csv")
    assert histories["variant"].tolist() == ["default", "seed_2", "seed_2"]
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "elsewhere"))
    publish.restore("own")
    restored = tmp_path / "elsewhere/own/mini/01_finetune"
    for variant in ("default", "seed_2"):
        one, other = (
            (base / variant / "history.csv").read_bytes()
            for base in (restored, tmp_path / "outputs/own/mini/01_finetune")
        )
        assert one == other
