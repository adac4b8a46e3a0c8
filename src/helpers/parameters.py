"""A notebook's parameters: declared in its parameters cell, typed and checked before it runs."""

import ast
import io
import json
import tokenize
from dataclasses import dataclass
from pathlib import Path

from helpers import layout, notebooks
from tahanuji import commas, data, downloads, models, paths
from tahanuji.errors import InputError, absent, unknown

PRECISIONS = ("fp32", "bf16", "fp16", "int8")
CHOICES = {
    "precision": PRECISIONS,
    "position": ("end", "start"),
    "schedule": ("", "constant", "linear", "cosine"),
    "training_precision": ("auto", "fp32", "bf16", "fp16"),
    "importance_form": ("textfooler", "printed"),
    "masking": ("auto", "mask", "delete"),
}
RANGES = {
    "perturbation_rate": (0, 1),
    "alpha": (0, 1),
    "learning_rate": (0, 1),
    "weight_decay": (0, 1),
    "epochs": (0, 1000),
    "batch_size": (0, 4096),
    "max_length": (0, 8192),
    "patience": (0, 1000),
    "test_rows": (0, 10**9),
    "seed": (0, 2**63 - 1),
}


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell: `name: type = default  # comment`."""

    name: str
    type: type
    default: bool | int | float | str
    comment: str


def declared(notebook: Path) -> dict[str, Parameter]:
    """The parameters that a notebook declares, in order.

    Raises InputError where the notebook is missing or has no cell tagged `parameters`.
    """
    if not notebook.is_file():
        raise unknown("notebook", notebook.stem, notebooks.every())
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    tagged = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", [])]
    if not tagged:
        raise InputError(f"{notebook.name} has no cell tagged 'parameters'.")
    return _read_cell("".join(tagged[0]["source"]))


def _read_cell(source: str) -> dict[str, Parameter]:
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    lines = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.AnnAssign):
            kind = {"str": str, "int": int, "float": float, "bool": bool}[node.annotation.id]
            lines[node.target.id] = Parameter(
                node.target.id, kind, ast.literal_eval(node.value), comments.get(node.lineno, "")
            )
    return lines


def check(values: dict, allowed: dict[str, Parameter]) -> dict:
    """The values, with whole numbers turned to float where declared so; InputError says which one
    is wrong and why.
    """
    checked = {}
    for name, parameter in allowed.items():
        value = values.get(name, parameter.default)
        if parameter.type is float and type(value) is int:
            value = float(value)
        if name in ("rates", "margins") and type(value) in {
            int,
            float,
        }:  # plain papermill turns a list of one number into a number
            value = str(value)
        if type(value) is not parameter.type:
            raise InputError(f"{name} is of type {parameter.type.__name__}, and {value!r} is not.")
        _check_value(name, value)
        checked[name] = value
    if checked.get("checkpoint", "best") in ("best", "last"):  # else the model's name is anybody's
        _check_model(checked.get("model_name"))
    return checked


def _check_value(name: str, value: bool | int | float | str) -> None:
    if name in RANGES:
        low, high = RANGES[name]
        if not low <= value <= high:
            raise InputError(f"{name} lies between {low} and {high}, and {value!r} does not.")
    if name in CHOICES and value not in CHOICES[name]:
        raise unknown(name, value, CHOICES[name])
    if name == "rates":
        for rate in commas.numbers(value):
            _check_value("perturbation_rate", rate)
    if name in ("margin", "margins"):
        for margin in commas.numbers(str(value)):
            _check_margin(margin)
    if name == "profile" and value not in profiles() and not (layout.outputs() / value).is_dir():
        raise unknown(
            "profile", value, profiles(), "The name of any folder of runs in outputs/ does as well."
        )
    if name == "dataset" and value not in downloads.data_sets() and not Path(value).exists():
        raise absent("data set", value, downloads.registry()["datasets"], data.OWN_SETS)


def _check_model(name: str | None) -> None:
    if name is None or name in models.entries() or "/" in name or Path(name).is_dir():
        return
    raise unknown(
        "model",
        name,
        models.entries(),
        "A Hugging Face id (owner/name) or a local folder does as well.",
    )


def _check_margin(margin: float) -> None:
    if not 0 < margin < 1:
        raise InputError(
            f"margins are shares between 0 and 1, such as 0.05, and {margin:g} is not."
        )


def profiles() -> list[str]:
    """The profiles of config/, by name."""
    return sorted(
        path.stem
        for path in paths.CONFIG.glob("*.yaml")
        if "profile" in (paths.read_yaml(path) or {})
    )
