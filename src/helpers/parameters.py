"""A notebook's parameters: declared in its parameters cell, typed and checked before it runs."""

import ast
import fnmatch
import io
import json
import tokenize
from dataclasses import dataclass
from pathlib import Path

from helpers import layout, notebooks
from tahanuji import commas, downloads, models, paths
from tahanuji.errors import InputError, unknown

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


def parse(pairs: list[str], allowed: dict[str, Parameter]) -> dict:
    """Values of `name=value` words, each typed as its parameter declares: '007' stays a string
    where a string is wanted.

    Raises InputError for an unknown name, a missing '=' or a word that is not of the type.
    """
    values = {}
    for pair in pairs:
        name, equals, word = pair.partition("=")
        if not equals:
            raise InputError(f"{pair!r} is not of the form name=value.")
        if name not in allowed:
            raise unknown("parameter", name, allowed)
        values[name] = _convert(allowed[name], word)
    return values


def _convert(parameter: Parameter, word: str) -> bool | int | float | str:
    if parameter.type is bool:
        if word.lower() not in {"true", "false"}:
            raise InputError(f"{parameter.name} is true or false, not {word!r}.")
        return word.lower() == "true"
    try:
        return parameter.type(word)
    except ValueError:
        raise InputError(
            f"{parameter.name} is of type {parameter.type.__name__}, and {word!r} is not."
        ) from None


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
    if (
        name == "dataset"
        and value not in downloads.registry()["datasets"] | downloads.registry()["tagging"]
        and not Path(value).exists()
    ):
        raise unknown(
            "data set",
            value,
            downloads.registry()["datasets"],
            "A folder with train, valid and test (csv, tsv or jsonl), or one such file, does too.",
        )


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


def planned(profile: dict) -> list[tuple[str, str, str]]:
    """The runs that a profile's configuration asks for, as (model, notebook, variant).

    Every model runs every variant, but those named in `only` run what their patterns
    `notebook/variant` match, and a generative model is not fine-tuned. InputError where a pattern
    matches nothing.

    >>> runs = {"05_typos": {"default": {}, "seed_2": {}}}
    >>> planned({"models": ["a", "b"], "runs": runs, "only": {"b": ["05_*/default"]}})
    [('a', '05_typos', 'default'), ('a', '05_typos', 'seed_2'), ('b', '05_typos', 'default')]
    """
    only = {
        model: patterns
        for model, patterns in profile.get("only", {}).items()
        if model in profile["models"]
    }
    asked = [
        f"{notebook}/{variant}"
        for notebook, variants in profile["runs"].items()
        for variant in variants
    ]
    idle = [
        f"{model}: {pattern}"
        for model, patterns in only.items()
        for pattern in patterns
        if not fnmatch.filter(asked, pattern)
    ]
    if idle:
        raise InputError(
            f"`only` of a profile has patterns that no run matches: {', '.join(idle)}."
        )
    wanted = [
        (model, run)
        for model in profile["models"]
        for run in asked
        if any(fnmatch.fnmatchcase(run, pattern) for pattern in only.get(model, ["*"]))
        and (models.needs_training(model) or not run.startswith(f"{notebooks.fine_tuning()}/"))
    ]
    return [(model, *run.split("/")) for model, run in wanted]
