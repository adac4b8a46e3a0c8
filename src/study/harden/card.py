"""The model card of a hardened classifier, with what two audits found."""

from pathlib import Path

import pandas as pd
import yaml

from study.report import words
from tahanuji.gate import formats

FILE = "README.md"


def write(model: Path, told: dict, table: pd.DataFrame) -> None:
    """Write the card into a model's folder.

    Parameters
    ----------
    model : Path
        Its folder.
    told : dict
        What the page of the hardening is filled with, and what `command.Asked.card` says.
    table : DataFrame
        The errors that every test adds before and after, as `table.compared` gives them.
    """
    made = yaml.safe_dump(header(told, table), sort_keys=False, allow_unicode=True)
    said = words.text("en", "hardened_card", header=made, **told)
    (model / FILE).write_text(f"{said}\n", encoding="utf-8", newline="\n")


def header(told: dict, table: pd.DataFrame) -> dict:
    """The YAML header for the Hugging Face hub; the licence is its user's to choose."""
    about = {"language": "id", "license": "other", "pipeline_tag": "text-classification"}
    about |= {"base_model": told["source"]} if told["source"] else {}
    about |= {"library_name": "transformers"} if told["kind"] == "network" else {}
    ends = {"": "value", "_low": "lower", "_high": "upper", "_n": "n", "_verdict": "verdict"}
    named = {f"after{end}": name for end, name in ends.items()}
    judged = table.rename(columns=named).assign(quantity="errors added", margin=told["margin"])
    index = formats.model_index(judged, told["classifier"], told["dataset"])
    right = told["clean"]["after"]
    metric = {"type": "accuracy", "value": round(right.value, 6), "name": "unchanged texts"}
    for result in index["model-index"][0]["results"]:
        result["metrics"].insert(0, metric)
    return about | index
