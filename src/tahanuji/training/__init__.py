"""Fine-tuning, its checkpoints and the epoch table, for every kind of model."""

import json
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

from tahanuji import data, fingerprints, measure, models, paths
from tahanuji.errors import extra

with extra("models"):
    from tahanuji.models import tfidf

__all__ = ["Job", "best_epoch", "fine_tune", "fresh", "settings"]


@dataclass(frozen=True)
class Job:
    """A training: which model on which data set, where its checkpoints go, and on which device.

    Parameters
    ----------
    model_name : str
        A name of config/models.yaml, a Hugging Face id or a local folder.
    dataset : str
        The data set that the checkpoint's card names.
    folder : Path
        Where `best` and `last` go.
    seed : int
        Of weights and batches.
    device : str or torch.device
        Where a network is trained.
    patience : int
        Epochs without a better one after which training stops; 0: never.
    precision : str
        `auto`, `fp32`, `bf16` or `fp16`.
    facts : dict
        Takes what provenance should know of the training.
    online : callable, optional
        Of a network: takes the classifier and the training rows, and gives what the Trainer reads
        for them and the Trainer's class. The rows' facts have to tell it apart.

    Examples
    --------
    >>> Job("tfidf", "embedded", Path("checkpoint"), seed=1).below("joint").folder.as_posix()
    'checkpoint/joint'
    """

    model_name: str
    dataset: str
    folder: Path
    seed: int
    device: Any = "cpu"
    patience: int = 0
    precision: str = "auto"
    facts: dict = field(default_factory=dict, compare=False)
    online: Callable | None = field(default=None, compare=False)

    def below(self, name: str) -> "Job":
        """The same with its checkpoints in a folder of that name."""
        return replace(self, folder=self.folder / name)


# The code that trained weights depend on.
HERE, MODELS = Path(__file__).parent, Path(models.__file__).parent
CODE = (HERE / "__init__.py", HERE / "trainer.py", MODELS / "__init__.py", MODELS / "tfidf.py")
CODE += (MODELS / "inference.py", MODELS / "sources.py")


def settings(model_name: str, **given) -> dict:
    """The settings of a training.

    Parameters
    ----------
    model_name : str
        A name of config/models.yaml, a Hugging Face id or a local folder.
    **given
        Learning rate, epochs, batch_size, max_length (pieces), schedule, weight_decay,
        max_grad_norm, sampling; 0 and "" stand for the model's own.

    Returns
    -------
    dict
        Those of the model's entry with the given ones in their place.

    Examples
    --------
    >>> settings("indobert", learning_rate=0.0, epochs=2)["learning_rate"]
    3e-06
    """
    entry = models.spec(model_name)
    own = {"weight_decay": 0.0, "sampling": "random", **entry.get("training", {})}
    return own | {name: value for name, value in given.items() if value not in (0, "")}


def fresh(job: Job, chosen: dict):
    """The model before fine-tuning, its first weights from the job's seed.

    Parameters
    ----------
    job : Job
        Names model, data set, device and seed.
    chosen : dict
        As `settings` gives them.

    Returns
    -------
    Tfidf or Transformer
        As `models.build` gives it, whatever was computed before.

    Raises
    ------
    InputError
        Where the model's source cannot be had.

    Examples
    --------
    >>> fresh(Job("tfidf", "embedded", Path("checkpoint"), seed=1), {}).labels
    ['positive', 'neutral', 'negative']
    """
    if models.spec(job.model_name)["kind"] != "tfidf":  # which draws nothing
        from transformers import set_seed

        set_seed(job.seed % 2**32)
    return models.build(
        job.model_name,
        data.labels(job.dataset),
        job.device,
        chosen.get("max_length", 0),
    )


def fine_tune(
    job: Job, classifier, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict
) -> pd.DataFrame:
    """Fine-tune a classifier and write its checkpoints `best` and `last`.

    An interrupted training goes on from its last finished epoch, a finished one is not repeated,
    both only where data, settings and training code are the same.

    Parameters
    ----------
    job : Job
        Where the checkpoints go; its `facts` get settings and seconds.
    classifier : Tfidf or Transformer
        Changed in place; it ends as its best epoch.
    train, valid : DataFrame
        As `data.load` gives them.
    chosen : dict
        As `settings` gives them.

    Returns
    -------
    DataFrame
        The epoch table: epoch, train_loss and valid_loss (mean cross-entropy in nats), accuracy,
        precision, recall and f1 (macro averages) on `valid`, the scores 0 to 1. "Best" is the first
        epoch with the highest macro-F1.

    Raises
    ------
    InputError
        Where the training texts hold nothing to learn from.

    References
    ----------
    Viannisa (2025), section 3.4, Tables 3.5 and 3.6.

    Examples
    --------
    >>> import tempfile
    >>> train, valid = data.load("embedded", "train"), data.load("embedded", "valid")
    >>> job = Job("tfidf", "embedded", Path(tempfile.mkdtemp()), seed=1)
    >>> history = fine_tune(job, fresh(job, {}), train.head(90), valid.head(30), {})
    >>> history["epoch"].tolist(), sorted(path.name for path in job.folder.iterdir())
    ([1, 2, 3, 4, 5], ['best', 'done.json', 'fingerprint', 'history.json', 'last'])
    """
    folder, mark = job.folder, fingerprint(job, classifier, train, valid, chosen)
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / "history.json"
    finished = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    whole = all((folder / name / models.CARD).is_file() for name in ("best", "last"))
    if finished.get("fingerprint") != mark or not whole:
        clear(folder, mark)
        began = time.time()
        job.facts["origin"] = {
            name: classifier.card[name]
            for name in ("source", "revision")
            if name in classifier.card
        }
        fit = fit_tfidf if isinstance(classifier, tfidf.Tfidf) else fit_transformer
        history = fit(job, classifier, train, valid, chosen, folder)
        finished = {
            "fingerprint": mark,
            "seconds": round(time.time() - began, 1),
            "history": history,
        }
        paths.write_json(record, finished)
        shutil.rmtree(folder / "steps", ignore_errors=True)
    else:
        print(
            "Training was complete already with the same data, settings and code; its checkpoints "
            "are used."
        )
    paths.write_json(folder / "done.json", {"fingerprint": mark})
    job.facts.update({"training": chosen, "training_seconds": finished["seconds"]})
    if not isinstance(classifier, tfidf.Tfidf):
        from tahanuji.training import trainer

        trainer.note_precision(job)
    return pd.DataFrame(finished["history"])


def clear(folder: Path, mark: str) -> None:
    """Prepare a checkpoint folder for training: what was begun with another fingerprint goes, its
    marks of completion first.
    """
    started = folder / "fingerprint"
    for name in ("done.json", "history.json"):
        (folder / name).unlink(missing_ok=True)
    if not started.is_file() or started.read_text(encoding="utf-8") != mark:
        shutil.rmtree(folder)
        folder.mkdir()
        started.write_text(mark, encoding="utf-8")


def fingerprint(
    job: Job, classifier, train: pd.DataFrame, valid: pd.DataFrame, chosen: dict
) -> str:
    """A hash of everything that the trained weights depend on."""
    asked = [job.seed, job.patience, job.precision]  # the rest is in `chosen` and the rows
    entry = {
        name: value
        for name, value in models.spec(job.model_name).items()
        if name not in ("about", "colour", "training", "tagging")
    }
    folder = Path(paths.local(entry.get("source", "-")))
    weights = (
        [data.sha256(path) for path in sorted(folder.glob("*.safetensors"))]
        if folder.is_dir()
        else []
    )
    facts = [
        entry,
        weights,
        classifier.about(),
        chosen,
        asked,
        train.attrs["source"],
        valid.attrs["source"],
        fingerprints.code(*CODE),
        version("scikit-learn" if isinstance(classifier, tfidf.Tfidf) else "torch"),
    ]
    return fingerprints.facts(facts)


def epoch_row(
    epoch: float,
    train_loss: float,
    valid_loss: float,
    gold: list[str],
    predicted: list[str],
    labels: list[str],
) -> dict:
    """One row of the epoch table."""
    scores = measure.scores(gold, predicted, labels)
    macro = {"precision": "macro_precision", "recall": "macro_recall", "f1": "macro_f1"}
    return {
        "epoch": int(epoch),
        "train_loss": train_loss,
        "valid_loss": valid_loss,
        "accuracy": scores["accuracy"],
        **{name: scores[key] for name, key in macro.items()},
    }


def card(job: Job, chosen: dict, epoch: int) -> dict:
    """What a checkpoint's tahan.json says beside labels and hash."""
    origin = job.facts.get("origin", {})
    return {
        "model_name": job.model_name,
        **origin,
        "dataset": data.trained_as(job.dataset),
        "epoch": int(epoch),
        "seed": job.seed,
        "settings": chosen,
    }


def best_epoch(history: list[dict]) -> int:
    """The first epoch with the highest macro-F1.

    Parameters
    ----------
    history : list of dict
        A row per epoch with `epoch` and `f1`.

    Returns
    -------
    int

    Examples
    --------
    >>> best_epoch([{"epoch": 1, "f1": 0.6}, {"epoch": 2, "f1": 0.7}, {"epoch": 3, "f1": 0.7}])
    2
    """
    return max(history, key=lambda row: (row["f1"], -row["epoch"]))["epoch"]


def fit_tfidf(
    job: Job,
    classifier: tfidf.Tfidf,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> list[dict]:
    """Fit the logistic regression at every penalty of the model's entry, weakest last, one "epoch"
    each; a fitted classifier keeps its n-grams.
    """
    entry, history, fitted = models.spec(job.model_name), [], {}
    features = (
        classifier.pipeline[0] if classifier.pipeline else tfidf.fitted(entry, data.inputs(train))
    )
    train_rows, valid_rows = (features.transform(data.inputs(part)) for part in (train, valid))
    for epoch, penalty in enumerate(entry["penalties"], start=1):
        regression = LogisticRegression(C=penalty, class_weight="balanced", max_iter=2000).fit(
            train_rows, train["label"]
        )
        fitted[epoch] = make_pipeline(features, regression)
        classifier.pipeline = fitted[epoch]
        losses = [loss(classifier, frame) for frame in (train, valid)]
        history.append(
            epoch_row(
                epoch, *losses, valid["label"], regression.predict(valid_rows), classifier.labels
            )
            | {"penalty": penalty}
        )
    for name, kept in (
        ("last", len(history)),
        ("best", best_epoch(history)),
    ):  # the best one stays in the classifier
        classifier.pipeline = fitted[kept]
        models.save(classifier, folder / name, **card(job, chosen, kept))
    return history


def loss(classifier, frame: pd.DataFrame) -> float:
    """Mean cross-entropy of a classifier on a frame."""
    numbers = frame["label"].map(classifier.labels.index)
    return float(
        log_loss(
            numbers,
            classifier.predict_proba(data.inputs(frame)),
            labels=range(len(classifier.labels)),
        )
    )


def fit_transformer(
    job: Job,
    classifier,
    train: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    folder: Path,
) -> list[dict]:
    """Train with Hugging Face's Trainer, after an interruption from the last complete epoch."""
    from tahanuji.training import trainer  # loads torch, which a tfidf can do without

    history, last = trainer.train(job, classifier, train, valid, chosen, folder / "steps")
    models.save(classifier, folder / "best", **card(job, chosen, best_epoch(history)))
    models.save(last, folder / "last", **card(job, chosen, history[-1]["epoch"]))
    return history
