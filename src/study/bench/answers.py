"""A system's answers to the benchmark: files of predictions, logs of lm-evaluation-harness, and
classifiers that are asked here.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import softmax

from study.audit import classifiers, files, texts
from tahanuji import bench, data, models, nli, paths, predict
from tahanuji.errors import InputError
from tahanuji.models import outside, prompts

LABELS = {"sentiment": data.LABELS, "inference": nli.LABELS}


def table_of(answers: pd.DataFrame, path: Path) -> str:
    """The table of the benchmark that a file answers, told by its first id."""
    for name in LABELS:
        if answers["id"].iloc[:1].isin(bench.read(name)["id"]).any():
            return name
    raise InputError(f"the first id of {paths.shown(path)} is none of the benchmark's.")


def inputs(table: pd.DataFrame) -> list[data.Example]:
    """The texts or pairs of a table, row by row."""
    if "premise" in table:
        return list(zip(table["premise"], table["hypothesis"], strict=True))
    return list(table["text"])


def predicted(classifier, name: str) -> pd.DataFrame:
    """A classifier's answers to a table of the benchmark: `id, label, p_<label>...`."""
    table = bench.read(name)
    given = classifier.predict_proba(inputs(table), "fp32")
    said = predict.named(given, classifier.labels)
    answers = pd.DataFrame({"id": table["id"], "label": said})
    shares = pd.DataFrame(given.round(6), columns=[f"p_{label}" for label in classifier.labels])
    return pd.concat([answers, shares], axis=1)


def asked(model: str, name: str, names: dict[str, str], labels: str, prompt: str) -> pd.DataFrame:
    """The answers of whatever an audit takes as MODEL to a table of the benchmark."""
    own = labels or ",".join(LABELS[name])
    made = classifiers.card(model, names, own, Path.cwd(), {"prompt": prompt})
    with tempfile.TemporaryDirectory() as folder:
        loaded = models.load(classifiers.write(made, Path(folder)), made["labels"])
    return predicted(loaded, name)


def read(path: Path, encoding: str = "utf-8") -> pd.DataFrame:
    """A file of answers as it is: a csv, tsv or jsonl with `id`, or the samples that
    lm-evaluation-harness logs (jsonl with `doc`), then `id` and a share per label word, in the
    order of the words.
    """
    if not path.is_file():
        raise InputError(f"there is no file {paths.shown(path)} of predictions.")
    answers = files.cells(path, encoding)
    if path.suffix.lower() == ".jsonl" and "doc" in answers:
        return logged(path)
    if "id" not in answers:
        raise InputError(f"{paths.shown(path)} has no column id; it comes from the benchmark.")
    return answers[(answers != "").any(axis=1)]


def logged(path: Path) -> pd.DataFrame:
    """The answers in a log of samples: softmax of the log-likelihoods of the label words."""
    lines = path.read_text(encoding="utf-8").split("\n")
    samples = [json.loads(line) for line in lines if line.strip()]
    try:
        ids = [sample["doc"]["id"] for sample in samples]
        scores = [[float(one[0]) for one in sample["filtered_resps"]] for sample in samples]
        shares = pd.DataFrame(softmax(np.array(scores), axis=1))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise InputError(
            f"{paths.shown(path)} is no log of samples of a task of data/bench/lm_eval; run "
            f"lm-evaluation-harness with --log_samples."
        ) from error
    shares.insert(0, "id", ids)
    return shares


def probabilities(
    answers: pd.DataFrame, labels: list[str], names: dict[str, str], path: Path
) -> pd.DataFrame:
    """`id` and `p_<label>` of every label, as an audit reads a file of predictions."""
    if 0 in answers:  # a log, whose words stand in the order of the prompts' lists
        order = list(next(iter(prompts.wordings(labels).values())).words)
        if len(order) != len(answers.columns) - 1:
            raise InputError(
                f"{paths.shown(path)} has scores of {len(answers.columns) - 1} label words, and "
                f"the labels are {', '.join(labels)}."
            )
        return answers.set_axis(["id", *(f"p_{label}" for label in order)], axis=1)
    return texts.probabilities(answers, labels, names, path).assign(id=answers["id"])


def classifier(answers: pd.DataFrame, name: str, labels: list[str], path: Path) -> outside.Answers:
    """Answers as a classifier of the texts of the benchmark.

    Raises InputError for ids that are missing, unknown or repeated, and for a text under several
    ids that is not answered alike.
    """
    table = bench.read(name)
    texts.check_ids(answers, table["id"], path)
    columns = [f"p_{label}" for label in labels]
    given = answers.set_index("id").loc[table["id"], columns].to_numpy(np.float32)
    table["hash"] = [data.text_hash(example) for example in inputs(table)]
    table["said"] = predict.named(given, labels)
    several = table.groupby("hash")["said"].transform("nunique") > 1
    if several.any():
        raise InputError(
            f"{paths.shown(path)} gives one text several labels, under the ids "
            f"{', '.join(table.loc[several, 'id'][:4])}; ask every text once."
        )
    rows = dict(zip(table["hash"], given, strict=True))
    return outside.Answers(rows, labels, {"kind": "predictions", "source": path.name})
