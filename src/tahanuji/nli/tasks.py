"""All that readers of a data set of inference are asked."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from tahanuji import data
from tahanuji.models.outside import Renamed
from tahanuji.nli import corpus
from tahanuji.nli.corpus import LABELS

TWO = "{}, two labels"  # a group of pairs that are asked whether the hypothesis follows or not


@dataclass(frozen=True)
class Task:
    """What readers of a data set of inference are asked.

    Parameters
    ----------
    dataset : str
        As `data.load` takes it.
    names : dict of str to str
        From its own names of labels to those of `LABELS`.
    splits : dict of str to DataFrame
        As `splits` gives them.
    suite : DataFrame
        As `load_suite` gives it.
    twofold : dict of str to DataFrame
        By group, pairs that are asked whether the hypothesis follows or not (IndoNLI alone).
    diagnostic : DataFrame or None
        As `diagnostic` gives it (IndoNLI alone).

    Examples
    --------
    >>> task("nli").splits["test"].columns[:4].tolist()
    ['id', 'premise', 'hypothesis', 'label']
    """

    dataset: str
    names: dict[str, str]
    splits: dict[str, pd.DataFrame]
    suite: pd.DataFrame
    twofold: dict[str, pd.DataFrame]
    diagnostic: pd.DataFrame | None
    labels = LABELS

    @property
    def own_labels(self) -> list[str]:
        """The labels of its classifiers, by their own names."""
        own = data.labels(self.dataset)
        return own if {*own} == {*self.names} else LABELS

    @property
    def last(self) -> pd.DataFrame:
        """The last split."""
        return self.splits[list(self.splits)[-1]]

    @property
    def halves(self) -> list[str]:
        """Data sets of two labels whose classifiers are asked beside, about two labels alone."""
        return ["wrete"] if self.twofold else []

    @property
    def beside(self) -> list[str]:
        """Data sets whose classifiers are asked beside."""
        return corpus.variants(self.dataset) + self.halves

    @property
    def frames(self) -> list[pd.DataFrame]:
        """All pairs."""
        return [*self.splits.values(), self.suite, *self.twofold.values()]

    def named(self, classifier, dataset: str = "") -> Renamed:
        """A classifier that was fine-tuned on a data set (this one) with the names of `LABELS`."""
        own = corpus.WRETE if dataset in self.halves else self.names
        return Renamed(classifier, own)

    def sizes(self) -> pd.DataFrame:
        """Pairs by split and label, premises, and pairs with a premise that training lacks."""
        labels = {name: frame["label"].value_counts() for name, frame in self.splits.items()}
        table = pd.DataFrame(labels).T.reindex(columns=LABELS).fillna(0).astype(int)
        if "train" not in self.splits:
            return table
        new = [one[corpus.unseen(one, self.splits["train"])] for one in self.splits.values()]
        return table.assign(
            premises=[one["premise"].nunique() for one in self.splits.values()],
            **{"new premises": [one["premise"].nunique() for one in new]},
            **{"pairs with a new premise": list(map(len, new))},
        )


def task(dataset: str, own: Sequence[str] = ()) -> Task:
    """The task of a data set of inference.

    Parameters
    ----------
    dataset : str
        A name of data/registry.yaml, a folder or a file of pairs.
    own : sequence of str
        Its names of entailment, contradiction and neutral, in this order; none where it has these.

    Returns
    -------
    Task

    Raises
    ------
    InputError
        As `splits`, and for names that are not three that differ.

    Examples
    --------
    >>> list(task("nli").splits)
    ['train', 'valid', 'test']
    """
    names = corpus.label_names(list(own))
    splits, twofold, tags = corpus.splits(dataset, names), {}, None
    if data.trained_as(dataset) == "indonli":
        twofold = {TWO.format("WReTE"): corpus.wrete()}
        twofold |= {TWO.format(name): corpus.two_way(splits[name]) for name in ("lay", "expert")}
        tags = corpus.diagnostic()
    return Task(dataset, names, splits, corpus.load_suite(), twofold, tags)
