"""Profiles for tests of the report: run folders as finished runs leave them, made by the project's
own functions from made-up predictions.
"""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pandas as pd

from helpers import layout, provenance, tables
from study import reads
from tahanuji import behaviour, data, grid, measure, paths, predict
from tahanuji.results import Results

PROFILE = "made_up"
SEED = 7
RATE = re.compile(r"(?<=\S )\d(?:\.\d+)?\b")
SHORT = {"p": "positive", "o": "neutral", "n": "negative"}


def words(letters: str) -> list[str]:
    """Labels by their short letters: p(ositive), o (neutral), n(egative); blanks are for reading
    only.
    """
    return [SHORT[letter] for letter in letters.replace(" ", "")]


def chances(labels: list[str]) -> np.ndarray:
    """Probabilities (n, labels) under which these labels are predicted: 0.8, and 0.1 for each of
    the others.
    """
    return np.array([[0.8 if label == said else 0.1 for label in data.LABELS] for said in labels])


def sentences(gold: list[str], name: str = "made-up") -> pd.DataFrame:
    """As many examples `id, text, label` as there are gold labels; other names are other texts."""
    frame = pd.DataFrame(
        {"id": [f"u{number}" for number in range(1, len(gold) + 1)], "label": gold}
    )
    frame["text"] = [f"kalimat {number} dari {name}" for number in range(1, len(gold) + 1)]
    return data.describe(
        frame,
        name=name,
        split="test",
        sha256=f"{data.text_hash(name)}{'0' * 48}",
        publish_texts=True,
    )


def plain(gold: str, said: str, name: str = "made-up") -> pd.DataFrame:
    """Predictions of a plain evaluation, as notebook 02 writes them."""
    return predict.classified(sentences(words(gold), name), chances(words(said)), data.LABELS)


def perturbed(
    gold: str,
    clean: str,
    tests: dict[str, str],
    name: str = "made-up",
    expected=behaviour.invariant,
) -> pd.DataFrame:
    """Rows of behavioural tests: labels of the clean texts, and per test (`gak`, `typos 0.3`) those
    of the perturbed ones; every text is changed.
    """
    frame = sentences(words(gold), name)
    parts = []
    for test, said in tests.items():
        part = behaviour.judged(
            frame, chances(words(clean)), chances(words(said)), data.LABELS, expected
        )
        part.insert(1, "test", " ".join(RATE.sub("", test).split()))
        part.insert(2, "rate", float(rate[0]) if (rate := RATE.findall(test)) else float("nan"))
        part["changed"], part["text"] = True, list(frame["text"])
        part["perturbed"] = part["text"] + f" , {test}"
        part["clean_sha256"], part["perturbed_sha256"] = (
            list(map(data.text_hash, part[kind])) for kind in ("text", "perturbed")
        )
        parts.append(part)
    together = pd.concat(parts, ignore_index=True)
    together.attrs["source"] = frame.attrs["source"]
    return together


def write(
    model: str,
    notebook: str,
    predictions: pd.DataFrame,
    variant: str = "default",
    profile: str = PROFILE,
    judged: str = "",
    **parameters,
) -> Path:
    """A finished run below TAHAN_OUTPUTS: its three csv files, verdicts.csv where its tests are
    `judged` as a type, its provenance.json and an empty executed.ipynb; the folder comes back.
    """
    folder = layout.run_dir(profile, model, notebook, variant)
    folder.mkdir(parents=True)
    values = {
        "model_name": model,
        "dataset": predictions.attrs["source"]["name"],
        "seed": SEED,
        **parameters,
        "run_dir": str(folder),
    }
    run = SimpleNamespace(
        dir=folder,
        model_name=model,
        notebook=notebook,
        variant=variant,
        parameters=values,
        facts={"data": [predictions.attrs["source"]]},
    )
    found = (
        measure.behaviour(predictions)
        if "flip" in predictions
        else measure.classification(predictions, data.LABELS, values["seed"])
    )
    tables.save(run, predictions, found)
    if judged:
        made = measure.verdicts(predictions, judged, [0.1])
        tables.write(folder / "verdicts.csv", tables.named(run, made, tables.VERDICTS))
    nbformat.write(nbformat.v4.new_notebook(), folder / "executed.ipynb")
    paths.write_json(
        folder / "provenance.json", record(notebook, values, [predictions.attrs["source"]], folder)
    )
    return folder


def gridded(
    model: str, tests: dict[str, str], clean="ppppnnnnoo", name="made-up", gold="", **more
) -> None:
    """A finished run of the grid; every text counts as changed."""
    rows = perturbed(gold or clean, clean, tests, name).assign(achieved=0.1, moved=True)
    folder = write(model, "07_perturbation_grid", rows, **more)
    found = grid.metrics(rows, ["positive", "neutral", "negative"], 1).assign(
        model=model, notebook="07_perturbation_grid", variant=folder.name, dataset=name, seed=1
    )
    tables.write(folder / "metrics.csv", found[tables.METRICS])


def record(notebook: str, values: dict, sources: list[dict], folder: Path) -> dict:
    """The content of a provenance.json, as far as the report reads it."""
    name = f"notebooks/{notebook}.ipynb"
    known = (layout.NOTEBOOKS / f"{notebook}.ipynb").is_file()
    return {
        "notebook": notebook,
        "parameters": values,
        "command": provenance.command(notebook, folder, values),
        "read": {name: reads.digest(name)} if known else {},
        "commit": "0" * 40,
        "dirty": False,
        "data": sources,
        "models": [{"kind": "tfidf", "labels": data.LABELS, "sha256": "0" * 64}],
        "seconds": 1.0,
    }


def compared(results: Results) -> tuple[pd.DataFrame, list[str]]:
    """The comparisons of all models, and what was refused."""
    table = results.compare()
    return table, table.attrs["refused"]


def change(folder: Path, **changes) -> None:
    """Set keys of a run's provenance.json; None takes one away."""
    about = provenance.read_json(folder / "provenance.json") | changes
    paths.write_json(
        folder / "provenance.json",
        {key: value for key, value in about.items() if value is not None},
    )


def copy(folder: Path, model: str, variant: str = "default") -> Path:
    """The same run made by a model of another name."""
    about = provenance.read_json(folder / "provenance.json")
    target = layout.run_dir(folder.parts[-4], model, about["notebook"], variant)
    shutil.copytree(folder, target)
    metrics = (target / "metrics.csv").read_text(encoding="utf-8")
    old, new = (
        f"\n{name},{about['notebook']},{kind},"
        for name, kind in ((about["parameters"]["model_name"], folder.name), (model, variant))
    )
    (target / "metrics.csv").write_text(metrics.replace(old, new), encoding="utf-8")
    change(target, parameters=about["parameters"] | {"model_name": model, "run_dir": str(target)})
    return target
