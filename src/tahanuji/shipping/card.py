"""The model card of a shipped classifier, every number from its run or measured on its weights;
its text stands in card.md.jinja.
"""

import shlex
from pathlib import Path

import jinja2
import pandas as pd
import yaml

from tahanuji import downloads, models, paths
from tahanuji.pretraining import corpus

HUB = {"smsa": ("indonlp/indonlu", "smsa")}  # data sets of the hub by their names here


def text(
    out: Path,
    about: dict,
    figures: dict,
    tables: dict,
    splits: dict[str, pd.DataFrame],
    encoder: dict,
) -> str:
    """The card from provenance.json of a run, `figures` of the shipped weights and the table of
    `unlabelled` texts, `tables` of the run, the data set's splits and the entry of the encoder.
    """
    given, card = about["parameters"] | {"model_name": encoder["name"]}, models.read_card(out)
    network = models.load(out, card["labels"]).model
    template = Path(__file__).with_name("card.md.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    return environment.from_string(template).render(
        figures,
        name=out.name,
        header=yaml.safe_dump(header(out.name, given["dataset"], figures), sort_keys=False),
        say=format,
        labels=card["labels"],
        longest=card["max_length"],
        config=network.config,
        weights=network.num_parameters(),
        megabytes=(out / "model.safetensors").stat().st_size / 1e6,
        tables=tables,
        rows={name: len(frame) for name, frame in splits.items()},
        given=given,
        encoder=encoder,
        origin=origin(given["dataset"]),
        command=command(given),
        device=about["device"],
    )


def header(name: str, dataset: str, figures: dict) -> dict:
    """The YAML header of a card on the Hugging Face hub, with its `model-index`."""
    right = figures["readings"]["both"]
    hub, config = HUB.get(dataset, (paths.slug(shown(dataset)).lower(), None))
    about = {"name": shown(dataset), "type": hub, "split": "test"}
    metrics = [
        {"type": "accuracy", "value": round(right["accuracy"].value, 4)},
        {"type": "f1", "name": "macro F1", "value": round(right["macro_f1"].value, 4)},
        {"type": "ece", "name": "calibration error", "value": round(right["ece"].value, 4)},
    ]
    result = {
        "task": {"type": "text-classification", "name": "sentiment"},
        "dataset": about | ({"config": config} if config else {}),
        "metrics": metrics,
    }
    return {
        "language": "id",
        "license": "cc-by-sa-4.0",
        "library_name": "transformers",
        "pipeline_tag": "text-classification",
        "model-index": [{"name": name, "results": [result]}],
    }


def origin(dataset: str) -> dict:
    """What the registry says of where the labelled texts come from: `about`, and of downloaded ones
    `repository`, `commit` and `licence`.
    """
    registry = downloads.registry()
    entry = registry["datasets"].get(dataset, {})
    source = str(entry.get("splits", {}).get("train", "")).partition("/")[0]
    about = {"about": entry.get("about", shown(dataset)), "repository": ""}
    return about | registry["sources"].get(source, {})


def sources(given: dict) -> str:
    """The sources of the unlabelled texts of a run with their licences, as a Markdown table; empty
    where it had none of its own.
    """
    folder = given["unlabelled"]
    if not folder:
        return ""
    table = corpus.load(folder, given["files"], given["leave_out"]).sources(folder)
    return table[["source", "words", "repository", "licence"]].to_markdown(index=False, intfmt=",")


def shown(place: str) -> str:
    """A data set's name, or the last part of its folder, which is somebody's own.

    >>> shown("smsa"), shown("/data/of/somebody/")
    ('smsa', 'somebody')
    """
    return Path(place).name


def command(given: dict) -> str:
    """The command that repeats a run, folders by their last part."""
    folders = {name: shown(given[name]) for name in ("dataset", "unlabelled")}
    values = {name: value for name, value in (given | folders).items() if name != "run_dir"}
    pairs = [f"{name}={value}" for name, value in values.items() if value != ""]
    return shlex.join(
        ["python", "-m", "study", "notebook", "notebooks/18_classifier.ipynb", "RUN", *pairs]
    )
