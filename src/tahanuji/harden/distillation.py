"""Training rows out of unlabelled texts: one network learns what several answer about them."""

from dataclasses import replace

import numpy as np
import pandas as pd

from tahanuji import data, grid, predict, training
from tahanuji.errors import InputError

__all__ = ["Together", "rows", "shares", "teachers"]

SHARE = "share of "  # begins the columns that hold the mean answers
BESIDE = "tfidf"  # reads a text in another way than a network


def teachers(
    job: training.Job, train: pd.DataFrame, valid: pd.DataFrame, networks: int = 3
) -> tuple[list, list[float]]:
    """Classifiers that answer about unlabelled texts, and the seconds that each took to train: so
    many networks of the job's model, whose seeds count on from the job's own, and n-grams.
    InputError as `defences.fit` raises it, and for no network.

    They have no defences: these are for the network that they teach.
    """
    from tahanuji.harden import defences

    if networks < 1:
        raise InputError(f"at least one network teaches, not {networks}.")
    asked = [(job.model_name, job.seed + number) for number in range(networks)]
    made, seconds = [], []
    for name, seed in [*asked, (BESIDE, job.seed)]:
        own = replace(job, model_name=name, seed=seed, facts={}).below(f"teacher_{len(made) + 1}")
        made.append(defences.fit("", own, train, valid, training.settings(name)))
        seconds.append(own.facts["training_seconds"])
    return made, seconds


class Together:
    """Several classifiers as one, whose answer is the mean of theirs.

    >>> from types import SimpleNamespace
    >>> def sure(p):
    ...     return SimpleNamespace(labels=["a"], predict_proba=lambda *asked: np.array([[p]]))
    >>> Together([sure(0.2), sure(0.4)]).predict_proba(["ya"]).round(3)
    array([[0.3]])
    """

    def __init__(self, classifiers: list):
        self.classifiers, self.labels = classifiers, classifiers[0].labels

    def predict_proba(self, texts: list, precision: str = "fp32") -> np.ndarray:
        """The mean of the probabilities (n, labels)."""
        return np.mean([one.predict_proba(texts, precision) for one in self.classifiers], axis=0)


def rows(
    train: pd.DataFrame,
    texts: list[str],
    answers: np.ndarray,
    labels: list[str],
    amount: int,
    seed: int,
) -> pd.DataFrame:
    """Training rows and unlabelled texts with the answers of teachers.

    Which texts are taken is drawn by the seed: as many of each label that the teachers give, so
    that the commonest kind of text does not drown the others (Xie et al., 2020, *Self-training with
    Noisy Student*, section 2).

    Parameters
    ----------
    train : DataFrame
        As `data.load` gives it.
    texts : list of str
        Unlabelled ones; repetitions and texts of `train` are left out.
    answers : array
        Probabilities (texts, labels) of the teachers.
    labels : list of str
        In the order of the answers.
    amount : int
        Of unlabelled texts at most; 0: all that keep the labels even.
    seed : int

    Returns
    -------
    DataFrame
        `id, text, label` and a column `share of <label>` per label: 1 for the label of a training
        row, the teachers' probability for an unlabelled text, whose label is their likeliest.

    Raises
    ------
    InputError
        Where the teachers give a label to no text.

    Examples
    --------
    >>> train = data.load("embedded", "train").head(2)
    >>> answers = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
    >>> made = rows(train, ["enak", "biasa", "buruk"], answers, data.labels("embedded"), 3, 1)
    >>> made["share of positive"].tail(3).tolist()
    [0.9, 0.2, 0.1]
    """
    columns = [SHARE + label for label in labels]
    given = pd.DataFrame(answers, columns=columns).assign(
        text=texts,
        label=predict.named(answers, labels),
        id=[f"unlabelled-{n}" for n in range(len(texts))],
    )
    given = given[~given["text"].isin(train["text"])].drop_duplicates("text")
    least = given["label"].value_counts().reindex(labels, fill_value=0).min()
    if not least:
        raise InputError(
            "The teachers give one of the labels to no unlabelled text; take more texts."
        )
    each = min(least, max(1, amount // len(labels))) if amount else least
    taken = [grid.drawn(given[given["label"] == label], each, seed) for label in labels]
    own = {SHARE + label: (train["label"] == label).astype(float) for label in labels}
    return data.describe(
        pd.concat([train.assign(**own), *taken], ignore_index=True)[
            ["id", "text", "label", *columns]
        ],
        **train.attrs["source"],
    )


def shares(frame: pd.DataFrame) -> pd.DataFrame:
    """The columns `share of <label>` of training rows under the names of the labels; without
    columns where the rows have none.
    """
    own = frame.filter(regex=f"^{SHARE}")
    return own.rename(columns=lambda name: name.removeprefix(SHARE))
