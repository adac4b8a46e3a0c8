"""The search for a learning rate and a number of epochs (Romero Alvarado, 2023, section 3.4, Tables
9 to 11).

Every pair of the two is a training of its own, because a rate that decays to 0 at the last epoch is
another rate at every epoch before. (With a constant schedule one training could be scored at
several epochs; the trainings here keep the same form.) In a profile they are runs of 01_finetune,
one job each; where these are not there the notebook trains.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from tahanuji import data, measure, models, predict, training
from tahanuji.commas import numbers
from tahanuji.errors import InputError

__all__ = ["SCORES", "WEIGHTS", "entry", "grid", "indistinct", "search", "settings"]

WEIGHTS = {"train_f1": 0.2, "valid_f1": 0.8}
SCORES = [
    "learning_rate",
    "epochs",
    "train_accuracy",
    "train_f1",
    "valid_accuracy",
    "valid_f1",
    "score",
]


def settings(parameters: dict, variant: str = "default") -> dict[str, dict]:
    """The trainings that a search asks for.

    Parameters
    ----------
    parameters : dict
        `learning_rates` and `epoch_counts`, each numbers joined by commas; batch_size, schedule and
        weight_decay for all.
    variant : str
        Of the search; it begins the names of the trainings where it is not `default`.

    Returns
    -------
    dict of str to dict
        By variant of 01_finetune its parameters.

    Raises
    ------
    InputError
        For rates that are not above 0 and at most 1, and counts that are not whole numbers from 1.

    References
    ----------
    Romero Alvarado (2023), section 3.4, Table 9.

    Examples
    --------
    >>> asked = {"learning_rates": "1e-5, 5e-5", "epoch_counts": "5", "batch_size": 32}
    >>> settings(asked)["lr_5e-05_epochs_5"]
    {'learning_rate': 5e-05, 'epochs': 5, 'batch_size': 32}
    """
    rates, counts = numbers(parameters["learning_rates"]), numbers(parameters["epoch_counts"])
    if not rates or not all(0 < rate <= 1 for rate in rates):
        raise InputError(
            f"learning_rates are numbers above 0 and at most 1, such as 1e-5, 5e-5; "
            f"{parameters['learning_rates']!r} are not."
        )
    if not counts or not all(count >= 1 and count == int(count) for count in counts):
        raise InputError(
            f"epoch_counts are whole numbers from 1, such as 5, 7, 10; "
            f"{parameters['epoch_counts']!r} are not."
        )
    kept = {
        name: parameters[name]
        for name in ("batch_size", "schedule", "weight_decay")
        if name in parameters
    }
    before = "" if variant == "default" else f"{variant}_"
    return {
        f"{before}lr_{rate:g}_epochs_{count:.0f}": {
            "learning_rate": rate,
            "epochs": int(count),
            **kept,
        }
        for rate in rates
        for count in counts
    }


def trained(
    job: training.Job,
    finetuned: Path,
    name: str,
    given: dict,
    train: pd.DataFrame,
    valid: pd.DataFrame,
):
    """The classifier after the last epoch of a training: that of the run of this name in
    `finetuned` where it had the same settings, data and code, else trained here.

    InputError for a model that has no learning rate.
    """
    if models.spec(job.model_name)["kind"] == "tfidf":
        raise InputError(
            "tfidf has no learning rate and no epochs; notebook 01 chooses its penalty on the "
            "validation split."
        )
    labels = data.labels(job.dataset)
    chosen = training.settings(job.model_name, **given)
    own, classifier = job.below(name), training.fresh(job, chosen)
    mark = training.fingerprint(own, classifier, train, valid, chosen)
    folder = finetuned / name / "checkpoint"
    if fits(folder, job, mark):
        return models.load(folder / "last", labels, job.device)
    training.fine_tune(own, classifier, train, valid, chosen)
    return models.load(own.folder / "last", labels, job.device)


def fits(folder: Path, job: training.Job, mark: str) -> bool:
    """Whether checkpoints are those of a finished training with this fingerprint, on a data set of
    this name.
    """
    done = folder / "done.json"
    if not done.is_file() or json.loads(done.read_text(encoding="utf-8"))["fingerprint"] != mark:
        return False
    return models.read_card(folder / "last")["dataset"] == data.trained_as(job.dataset)


def scored(
    classifier, given: dict, train: pd.DataFrame, valid: pd.DataFrame
) -> tuple[dict, pd.DataFrame]:
    """A row of SCORES (accuracy and macro-F1 of both splits, 0.2 F1 of training + 0.8 F1 of
    validation) and the validation rows of `predict.classified`.
    """
    row = {name: given[name] for name in ("learning_rate", "epochs")}
    for split, frame in (("train", train), ("valid", valid)):
        rows = predict.classified(
            frame, classifier.predict_proba(data.inputs(frame)), classifier.labels
        )
        scores = measure.scores(rows["gold"], rows["label"], classifier.labels)
        row |= {f"{split}_accuracy": scores["accuracy"], f"{split}_f1": scores["macro_f1"]}
    row["score"] = sum(weight * row[name] for name, weight in WEIGHTS.items())
    return {name: row[name] for name in SCORES}, rows


def search(
    job: training.Job,
    wanted: dict[str, dict],
    finetuned: Path,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    note: Callable = lambda classifier: None,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All trainings of a search, scored.

    Parameters
    ----------
    job : training.Job
        Names model, data set and seed; what is trained here goes below its folder.
    wanted : dict of str to dict
        As `settings` gives it.
    finetuned : Path
        The folder of 01_finetune's runs; those of the same settings, data and code are taken up.
    train, valid : DataFrame
        As `data.load` gives them.
    note : callable
        Is handed every classifier.

    Returns
    -------
    DataFrame
        SCORES (0 to 1) with the trainings' names as index.
    DataFrame
        The validation rows of `predict.classified` of all of them, the name in `test`.

    Raises
    ------
    InputError
        For a model without a learning rate.

    References
    ----------
    Romero Alvarado (2023), section 3.4, Tables 9 to 11.
    """
    table, parts = {}, []
    for name, given in wanted.items():
        classifier = trained(job, finetuned, name, given, train, valid)
        note(classifier)
        table[name], rows = scored(classifier, given, train, valid)
        parts.append(rows.assign(test=name))
        print(f"{name}: score {table[name]['score']:.4f}", flush=True)
    predictions = pd.concat(parts, ignore_index=True)
    predictions.attrs["source"] = valid.attrs["source"]
    return pd.DataFrame.from_dict(table, orient="index", columns=SCORES), predictions


def grid(table: pd.DataFrame) -> pd.DataFrame:
    """The scores of a search with epochs as rows and learning rates as columns.

    Parameters
    ----------
    table : DataFrame
        What `search` gave.

    Returns
    -------
    DataFrame

    References
    ----------
    Romero Alvarado (2023), Table 10.
    """
    wide = table.pivot(index="epochs", columns="learning_rate", values="score")
    return wide.rename(columns="{:g}".format).rename_axis(
        index="epochs", columns="initial learning rate"
    )


def indistinct(predictions: pd.DataFrame, best: str, labels: list[str], seed: int) -> list[str]:
    """The trainings whose validation macro-F1 cannot be told from that of the best.

    Parameters
    ----------
    predictions : DataFrame
        Validation rows of all trainings as `search` gave them; `test` names the training.
    best : str
        The training that the others are compared with.
    labels : list of str
    seed : int
        Of the paired bootstrap.

    Returns
    -------
    list of str
        The others whose 95% interval of the difference holds 0.
    """
    rows, indistinct_names = dict(list(predictions.groupby("test", sort=False))), []
    for name, part in rows.items():
        if name != best:
            _, low, high = measure.paired_difference(
                part["gold"], rows[best]["label"], part["label"], labels, "macro_f1", seed
            )
            indistinct_names += [name] * (low <= 0 <= high)
    return indistinct_names


def entry(model_name: str, row: pd.Series, given: dict) -> str:
    """The chosen settings as the line `training:` of a model's entry in config/models.yaml.

    Parameters
    ----------
    model_name : str
        Its entry's settings hold where the search chose nothing.
    row : Series
        A row of a search's table, with `learning_rate` and `epochs`.
    given : dict
        The other settings that the search was given.

    Returns
    -------
    str
    """
    chosen = training.settings(
        model_name,
        **given | {"learning_rate": float(row["learning_rate"]), "epochs": int(row["epochs"])},
    )
    return "training: {" + ", ".join(f"{name}: {value}" for name, value in chosen.items()) + "}"
