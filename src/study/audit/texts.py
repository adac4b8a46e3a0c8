"""The texts of a study in one file, for systems that run elsewhere, and their answers."""

import csv
import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import layout
from study import runner
from study.audit import classifiers, files
from study.audit import labels as naming
from tahanuji import data, grid, models, paths, perturb, predict
from tahanuji.errors import InputError
from tahanuji.instrument import instrument
from tahanuji.models import outside

TEXTS = "texts.csv"
MARK = "t"  # before the hashes of texts: no spreadsheet takes them for numbers, such as 12e34
TO_READ, OUTPUTS, SOURCES = "to_read.csv", 20, 200  # outputs to read, of so many texts


def export(audit, config: dict, target: Path) -> int:
    """Write all texts of a study as `id, text` (pairs with `text_pair`), each once, by running its
    notebooks on a classifier that knows nothing; how many they are.
    """
    with tempfile.TemporaryDirectory() as place:
        asked, runs = Path(place, "asked"), Path(place, "runs")
        asked.mkdir()
        made = {"kind": "recorder", "labels": audit.labels}
        (asked / models.CARD).write_text(json.dumps(made), encoding="utf-8")
        for pattern in config["only"][audit.name]:
            notebook = pattern.split("/")[0]
            for variant, given in config["runs"][notebook].items():
                values = {"model_name": audit.name, "dataset": config["dataset"], **given}
                source = layout.NOTEBOOKS / f"{notebook}.ipynb"
                runner.run(source, runs / notebook / variant, values | {"checkpoint": str(asked)})
        return gather(asked, audit.folder / TEXTS, target)


def gather(asked: Path, *targets: Path) -> int:
    """Write what a recorder was asked into one csv file per target, with MARK before the ids; how
    many texts they are.
    """
    texts = {}
    for path in sorted(asked.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            texts |= {row[0]: [MARK + row[0], *row[1:]] for row in csv.reader(file)}
    columns = ["id", "text", "text_pair"][: max(map(len, texts.values()))]
    for target in targets:
        with target.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([columns, *(texts[one] for one in sorted(texts))])
    return len(texts)


def to_read(audit, dataset: str, seed: int = 1) -> int:
    """Write what perturbations make of a user's own test texts, at most two outputs each, for
    the user to read: `perturbation, id, text, changed`; how many they are, none of pairs.
    """
    test = data.load(dataset, "test")
    if data.paired(test):
        return 0
    sample, rows = grid.drawn(test, SOURCES, seed), {}
    for one in 2 * [instrument(name) for name in perturb.names()]:
        table = sample[["id", "text"]].assign(changed=one.apply(sample, seed))
        differs = table["changed"].notna() & (table["changed"] != table["text"])
        for row in table[differs & ~table["id"].isin(rows)].head(1).to_dict("records"):
            rows[row["id"]] = {"perturbation": one.name, **row}
    table = pd.DataFrame(rows.values(), columns=["perturbation", "id", "text", "changed"])
    table = table.sample(min(OUTPUTS, len(table)), random_state=seed).sort_index()
    table.to_csv(audit.folder / TO_READ, index=False)
    (audit.folder / TO_READ).chmod(0o600)
    return len(table)


def answered(
    audit, path: Path, names: dict[str, str], label: str, encoding: str
) -> tuple[dict, pd.DataFrame]:
    """The card of a system whose answers are in a file of `id` and `label`, or of `id` and a column
    `p_<label>` per label, and its answers by the hashes of texts.

    Raises InputError for ids that are missing, unknown or repeated, for labels that are missing or
    that the study does not have, for shares that are no probabilities or contradict the label.
    """
    exported = audit.folder / TEXTS
    if not exported.is_file():
        raise InputError(
            "the texts of this study were not exported yet; give the same command with "
            "--export-texts FILE first, let your system label that file, then come back."
        )
    wanted = data.read_table(exported)["id"].str.removeprefix(MARK)
    if not path.is_file():
        raise InputError(f"there is no file {path} for --predictions.")
    answers = files.cells(path, encoding)
    answers = answers[(answers != "").any(axis=1)]
    if label in answers:  # else it is the column of --data
        answers = answers.drop(columns=[*{"label"} - {label}], errors="ignore")
        answers = answers.rename(columns={label: "label"})
    if "id" not in answers:
        raise InputError(f"{paths.shown(path)} has no column id; it comes from the exported texts.")
    answers["id"] = answers["id"].str.removeprefix(MARK)
    check_ids(answers, wanted, path)
    shares = probabilities(answers, audit.labels, names, path)
    shares.insert(0, "id", answers["id"])
    return {"kind": "predictions", "source": path.name, "labels": audit.labels}, shares


def check_ids(answers: pd.DataFrame, wanted: pd.Series, path: Path) -> None:
    """Raise an InputError unless every text has one answer and every answer a text."""
    data.refuse(answers, ~answers["id"].isin(wanted), path, "have an id that no exported text has")
    data.refuse(answers, answers["id"].duplicated(), path, "repeat the id of an earlier row")
    absent = wanted[~wanted.isin(answers["id"])]
    if len(absent):
        raise InputError(
            f"{paths.shown(path)} answers {len(answers)} of {len(wanted)} texts; missing: "
            f"{', '.join(absent[:3])}{', ...' if len(absent) > 3 else ''}."
        )


def probabilities(
    answers: pd.DataFrame, labels: list[str], names: dict[str, str], path: Path
) -> pd.DataFrame:
    """A column `p_<label>` per label: those of the file, divided by their sum, which rounding
    moves, or 1 for the label that it names; zeros where it has them, or calls an answer unparsable.
    """
    columns = {name: f"p_{naming.meant(name.removeprefix('p_'), names)}" for name in answers}
    given = answers.rename(columns={k: v for k, v in columns.items() if k.startswith("p_")})
    wanted = [f"p_{label}" for label in labels]
    there = [label for label in labels if f"p_{label}" in given]
    if 1 < len(there) < len(labels):
        raise InputError(
            f"{paths.shown(path)} has probabilities of {', '.join(there)} alone, and the labels "
            f"are {', '.join(labels)}; if it has no others, say --labels {','.join(there)}."
        )
    if set(wanted) <= set(given):
        points = given[wanted].replace(",", ".", regex=True)
        shares = points.apply(pd.to_numeric, errors="coerce")
        bad = ~shares.apply(lambda column: column.between(0, 1)).all(axis=1)
        sums = shares.sum(axis=1).replace(0, 1)
        bad |= (sums - 1).abs() > outside.ROUNDING
        data.refuse(answers, bad, path, "have probabilities that do not add up to 1")
        if "label" in answers:
            refuse_contradicted(answers, shares.set_axis(labels, axis=1), names, path)
        return shares.div(sums, axis=0)
    if "label" not in answers:
        raise InputError(
            f"{paths.shown(path)} has neither a column label nor {', '.join(wanted)}; its columns "
            f"are {', '.join(answers)}."
        )
    data.refuse(answers, answers["label"].str.strip() == "", path, "have no label")
    said = answers["label"].map(lambda name: naming.meant(name, names))
    strange = ~said.isin([*labels, predict.UNPARSABLE])
    example = naming.proposal(sorted(set(answers.loc[strange, "label"]))[:5], labels)
    what = f"have a label outside {', '.join(labels)}; say what it means with --map {example}"
    data.refuse(answers, strange, path, what)
    hot = np.array([[label == name for label in labels] for name in said], float)
    return pd.DataFrame(hot, columns=wanted, index=answers.index)


def refuse_contradicted(
    answers: pd.DataFrame, shares: pd.DataFrame, names: dict[str, str], path: Path
) -> None:
    """Raise an InputError where a row's label is one of the study's, but not its likeliest one."""
    said = answers["label"].map(lambda name: naming.meant(name, names))
    likeliest = shares.eq(shares.max(axis=1), axis=0) & (shares > 0)
    likeliest[predict.UNPARSABLE] = ~likeliest.any(axis=1)
    bad = [label in likeliest and not likeliest.at[row, label] for row, label in said.items()]
    what = "have a label that is not the likeliest by their probabilities; leave one of both out"
    data.refuse(answers, pd.Series(bad, answers.index), path, what)


def write(audit, made: dict, shares: pd.DataFrame) -> Path:
    """The folder of a system's card and answers."""
    text = shares.to_csv(index=False)
    made["sha256"] = data.text_hash(text)
    place = classifiers.write(made, audit.folder)
    (place / outside.ANSWERS).write_text(text, encoding="utf-8")
    return place
