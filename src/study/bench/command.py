"""The frozen benchmark: `python -m study bench predict MODEL FILE` asks a classifier, `score NAME
FILE ...` adds a row to the results, `table` writes the results into the card.
"""

import argparse
import hashlib
import re
from pathlib import Path

import pandas as pd

from helpers.verdicts import FEWEST
from study.audit import classifiers, files
from study.audit import labels as naming
from study.bench import answers, scoring
from study.report import decisions, words
from tahanuji import data, paths
from tahanuji.bench.frozen import FOLDER
from tahanuji.errors import InputError
from tahanuji.measure import Estimate
from tahanuji.results import select

RESULTS, MODELS = "results", "models.csv"
LISTED = ["model", "about", "sha256", "weights"]  # of MODELS; sha256 of the files of predictions
SHIPPED = paths.DATA / "models"  # a row of that name notes the sha256 of the weights there
MARGIN = 0.1  # of the table in the card; the csv files have all
PLACE = re.compile("(?<=<!-- results -->\n).*(?=<!-- end of results -->)", re.DOTALL)


def main(given: list[str]) -> int:
    """The exit status of a command of the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m study bench", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for action in (predict, score, table):
        command = commands.add_parser(action.__name__, help=action.__doc__)
        command.set_defaults(run=action)
        command.add_argument("--folder", type=Path, default=FOLDER, help=argparse.SUPPRESS)
        if action is table:
            continue
        command.add_argument("model", metavar="MODEL" if action is predict else "NAME")
        several = "+" if action is score else None
        command.add_argument("files", metavar="FILE", type=Path, nargs=several)
        command.add_argument("--labels", default="", help="where they are not the usual three")
        command.add_argument("--map", default="", help="what its names of labels mean")
        if action is predict:
            command.add_argument("--table", default="sentiment", choices=list(answers.LABELS))
            command.add_argument("--prompt", default="", help="the wording for a generative model")
        else:
            command.add_argument("--about", default="", help="what it learnt; else as before")
            command.add_argument("--encoding", default="utf-8", help="of the files: cp1252, ...")
    chosen = parser.parse_args(given)
    chosen.run(chosen)
    return 0


def predict(given) -> None:
    """Write the answers of anything that an audit takes as MODEL to a csv file."""
    names = naming.kept(naming.mapping(given.map))
    files.check_folder(given.files)
    said = answers.asked(given.model, given.table, names, given.labels, given.prompt)
    said.to_csv(given.files, index=False, lineterminator="\n")
    print(f"{len(said)} answers: {paths.shown(given.files)}")


def score(given) -> None:
    """Add the scores of files of predictions to the results of the benchmark."""
    name, parts = paths.slug(given.model), []
    if f"{name}.csv" == MODELS:
        raise InputError(f"{MODELS} lists the models; give yours another name than {name}.")
    names = naming.kept(naming.mapping(given.map))
    for path in given.files:
        parts.append(scored(name, path, given.labels, names, given.encoding))
    rows = pd.concat(parts, ignore_index=True)
    if rows["table"].nunique() < len(parts):
        raise InputError("two files answer one table; a row of results has one answer to a text.")
    folder = given.folder / RESULTS
    folder.mkdir(exist_ok=True)
    rows.to_csv(folder / f"{name}.csv", index=False, float_format="%.6g", lineterminator="\n")
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in given.files]
    old, file = listed(given.folder), SHIPPED / name / "model.safetensors"
    about = given.about or "".join(old.loc[old["model"] == name, "about"])
    weights = data.sha256(file) if file.is_file() else ""
    row = pd.DataFrame([[name, about, "+".join(digests), weights]], columns=LISTED)
    both = pd.concat([old[old["model"] != name], row]).sort_values("model")
    both.to_csv(folder / MODELS, index=False, lineterminator="\n")
    table(given)


def scored(
    name: str, path: Path, labels: str, names: dict[str, str], encoding: str = "utf-8"
) -> pd.DataFrame:
    """The scores of one file, which answers one table of the benchmark."""
    said = answers.read(path, encoding)
    kind = answers.table_of(said, path)
    usual = ",".join(answers.LABELS[kind])
    own = naming.ordered(classifiers.own_labels(labels or usual, names))
    given = answers.probabilities(said, own, classifiers.numbered(labels, names), path)
    return scoring.scores(name, kind, answers.classifier(given, kind, own, path))


def listed(folder: Path) -> pd.DataFrame:
    """The models with results, and what they learnt."""
    path = folder / RESULTS / MODELS
    return data.read_table(path) if path.is_file() else pd.DataFrame(columns=LISTED)


def results(folder: Path) -> pd.DataFrame:
    """The scores of all models, as `scoring.scores` gives them."""
    files = [folder / RESULTS / f"{name}.csv" for name in listed(folder)["model"]]
    if not files:
        raise InputError(f"{paths.shown(folder)} has no results yet; score a file of predictions.")
    read = [pd.read_csv(file, keep_default_na=False, na_values=[""]) for file in files]
    return pd.concat(read, ignore_index=True)


def table(given) -> None:
    """Write the results into the card of the benchmark."""
    card = given.folder / "README.md"
    said = rendered(results(given.folder), listed(given.folder))
    text = card.read_text(encoding="utf-8")
    if not PLACE.search(text):
        raise InputError(f"{paths.shown(card)} has no place for results.")
    card.write_text(PLACE.sub(lambda _: said + "\n", text), encoding="utf-8")
    print(f"{len(listed(given.folder))} models: {paths.shown(card)}")


def rendered(rows: pd.DataFrame, about: pd.DataFrame) -> str:
    """The results as Markdown."""
    names = list(about["model"])
    whole = rows[rows["margin"].isna()]
    part = select(rows, margin=MARGIN).astype({"counted": bool, "alone": bool, "foremost": bool})
    wholes = {
        key: {row["model"]: estimate(row) for row in own.to_dict("records")}
        for key, own in whole.groupby(["test", "quantity"], sort=False)
    }
    return words.text(
        "en",
        "benchmark",
        models=names,
        about=about.to_dict("records"),
        wholes=wholes,
        families=families(part[part["table"] == "sentiment"]),
        skills=skills(part),
        margin=MARGIN,
    )


def families(part: pd.DataFrame) -> dict[str, dict[str, dict]]:
    """By family and model the `verdict` and, by quantity, the costliest test (`test, value`), the
    one with most texts of equal ones, of DIR tests the one that fails most; the costliest family
    first.
    """
    directed = part[(part["type"] == "DIR") & part["counted"] & (part["n"] >= FEWEST)]
    directed = directed.sort_values("value", ascending=False, kind="stable")
    top = part[part["foremost"]].sort_values("n", ascending=False, kind="stable")
    top = pd.concat([top, directed]).drop_duplicates(["model", "family", "quantity"])
    order = top.groupby("family")["value"].max().sort_values(ascending=False).index
    made: dict[str, dict[str, dict]] = {family: {} for family in order}
    for row in top.sort_values("quantity", kind="stable").to_dict("records"):
        said = {"verdict": row["family_verdict"], "tests": {}}
        cell = made[row["family"]].setdefault(row["model"], said)
        cell["tests"][row["quantity"]] = {"test": row["test"], "value": estimate(row)}
    return made


def skills(part: pd.DataFrame) -> dict[str, dict[str, dict]]:
    """By table and model how many tests with a known label count, are passed and are failed."""
    return {
        name: {row["model"]: row for row in decisions.skills(own).to_dict("records")}
        for name, own in part.groupby("table", sort=False)
    }


def estimate(row: dict) -> Estimate:
    """The number of a row of results."""
    return Estimate(row["value"], row["lower"], row["upper"], row["n"])
