"""What a hardening costs: seconds of trainings and of answers."""

import json
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from tahanuji import data

MOST = 500  # texts that are answered for it
WARM = 8  # of them beforehand, so that no loading is counted
COLUMNS = {"trained": "seconds of training", "answered": "seconds per 1,000 answers"}


def of(classifier, frame: pd.DataFrame, *folders: Path) -> dict[str, float]:
    """The seconds of a classifier's trainings in folders, and of its answers to 1,000 texts: by the
    names of COLUMNS.
    """
    return {"trained": trained(folders), "answered": answered(classifier, data.inputs(frame))}


def trained(folders: Iterable[Path]) -> float:
    """The seconds of the trainings that are finished in folders; of one that was interrupted those
    of its last start.
    """
    records = [path for folder in folders for path in sorted(folder.rglob("history.json"))]
    return sum(json.loads(path.read_text(encoding="utf-8"))["seconds"] for path in records)


def answered(classifier, texts: list) -> float:
    """The seconds that a classifier takes for 1,000 texts."""
    classifier.predict_proba(texts[:WARM])
    began = time.perf_counter()
    classifier.predict_proba(texts[:MOST])
    return 1000 * (time.perf_counter() - began) / len(texts[:MOST])


class Mute:
    """A classifier that answers at once, by which the time of what stands before one is taken."""

    def __init__(self, labels: list[str]):
        self.labels = labels

    def predict_proba(self, texts: list, precision: str = "fp32") -> np.ndarray:
        """Nothing (n, labels)."""
        return np.zeros((len(texts), len(self.labels)), np.float32)


def write(path: Path, costs: dict[str, dict]) -> None:
    """Write costs by classifier as csv."""
    table = pd.DataFrame.from_dict(costs, orient="index").rename(columns=COLUMNS)
    table.rename_axis("classifier").to_csv(path, float_format="%.3g")
