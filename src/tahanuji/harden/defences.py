"""The defences by name, and how several of them harden one classifier.

| name | what it does |
| --- | --- |
| normaliser | texts in standard spelling, at training and at test |
| clusters | words that a typo can confuse read as one word, at training and at test |
| noise | half of every training batch with noise, drawn anew |
| agreement | noise, and a term for the same answer to a text and its noisy copy |
| wordings | 2,000 pairs of standard and everyday wording in training, and that term for them |
| deletion | half of every training batch with words left out, for smoothed certificates |
| pieces | word pieces refused at random in training |
| interpolation | plain and hardened weights mixed |
| templates | cases of half of the CheckList's capabilities among the training texts |
| adversarial | training texts attacked by code-mixing beside the others |
| ensemble | the mean answer to a text and noisy copies of it |

`noise-typing` is noise of all families but typing, `agreement-mixing` likewise. Names are joined by
`+`. At test the text passes the defences from left to right; in training noise
comes before the normaliser wherever it stands.
"""

import functools
import importlib
import json
from pathlib import Path

import pandas as pd

from tahanuji import models, paths, predict, training
from tahanuji.errors import InputError, absent, unknown
from tahanuji.harden import halves
from tahanuji.harden.recipe import Recipe, train

__all__ = ["DEFENCES", "fit", "load", "named", "save", "wrap"]

DEFENCES = {
    "normaliser": "normaliser:Normaliser",
    "clusters": "clusters:Clusters",
    "noise": "noisy:Noisy",
    "agreement": "agreement:Agreement",
    "wordings": "wordings:Wordings",
    "deletion": "deletion:Deletion",
    "pieces": "pieces:Pieces",
    "interpolation": "interpolation:Interpolation",
    "templates": "templates:Templates",
    "adversarial": "adversarial:Adversarial",
    "ensemble": "ensemble:Ensemble",
}
AT_TEST = ("normaliser", "ensemble")  # which need no training
CARD = "normalise.json"  # beside the weights: what stands before them
SHIPPED = paths.DATA / "models"  # in a clone; the wheel holds no weights


def named(names: str, half: str | None = "hardening") -> list:
    """The defences that a name means.

    Parameters
    ----------
    names : str
        Of `DEFENCES`, joined by `+`; empty: none. A family of noise behind `-` is left out.
    half : str, optional
        The half of the lexicons that they use, of `halves.HALVES`; None: both.

    Returns
    -------
    list of Defence

    Raises
    ------
    InputError
        For an unknown name, one that is there twice, an unknown half, and a family that there is
        not or that a defence does not have.

    Examples
    --------
    >>> [type(one).__name__ for one in named("normaliser+noise")]
    ['Normaliser', 'Noisy']
    """
    halves.check(half)
    asked = [name.strip() for name in names.split("+") if name.strip()]
    kinds = [name.partition("-")[0] for name in asked]
    for name in kinds:
        if name not in DEFENCES:
            raise unknown("defence", name, DEFENCES, "Several are joined by +.")
        if kinds.count(name) > 1:
            raise InputError(f"{names!r} names the defence {name} twice.")
    return [_made(name, half) for name in asked]


def _made(name: str, half: str | None):
    """One defence, without the family of noise that its name leaves out."""
    kind, _, family = name.partition("-")
    module, made = DEFENCES[kind].split(":")
    one = getattr(importlib.import_module(f"tahanuji.harden.{module}"), made)(half)
    if family and not hasattr(one, "without"):
        raise InputError(f"{kind} has no families of noise, and {name!r} leaves {family} out.")
    return one.without(family) if family else one


def fit(
    names: str,
    job: training.Job,
    rows: pd.DataFrame,
    valid: pd.DataFrame,
    chosen: dict,
    half: str | None = "hardening",
):
    """A classifier trained under defences, with those in front of it that act at test.

    Parameters
    ----------
    names : str
        As `named` takes them; empty: plain training.
    job : training.Job
        Where the checkpoints go.
    rows, valid : DataFrame
        The training and validation splits, as `data.load` gives them.
    chosen : dict
        As `training.settings` gives them.
    half : str, optional
        The half of the lexicons that the defences use; None: both.

    Returns
    -------
    classifier
        With `labels` and `predict_proba`.

    Raises
    ------
    InputError
        For unknown names, and for a defence that the model cannot take.

    Examples
    --------
    >>> import tempfile
    >>> from tahanuji import data
    >>> rows, valid = data.load("embedded", "train").head(90), data.load("embedded", "valid")
    >>> job = training.Job("tfidf", "embedded", Path(tempfile.mkdtemp()), seed=1)
    >>> fit("normaliser+noise", job, rows, valid.head(30), {}).predict_proba(["gk enak"]).shape
    (1, 3)
    """
    run = train
    for defence in reversed(named(names, half)):
        run = functools.partial(defence.fit, train=run)
    return wrap(names, run(Recipe(job, rows, valid, chosen, f"{names} {half}")), half)


def wrap(names: str, classifier, half: str | None = "hardening"):
    """A classifier with the defences in front of it that act at test.

    Parameters
    ----------
    names : str
        As `named` takes them.
    classifier
        Anything with `labels` and `predict_proba`.
    half : str, optional
        The half of the lexicons that the defences use; None: both.

    Returns
    -------
    classifier
        The same where no defence acts at test.

    Raises
    ------
    InputError
        For unknown names.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> echo = SimpleNamespace(predict_proba=lambda texts, precision: texts)
    >>> wrap("normaliser", echo, half=None).predict_proba(["gk enak"])
    ['tidak enak']
    """
    for defence in reversed(named(names, half)):
        classifier = defence.wrap(classifier)
    return classifier


def save(classifier, folder: Path, names: str, half: str | None = "hardening", **facts) -> None:
    """Write a hardened classifier: its checkpoint, and what stands before it in normalise.json.

    Parameters
    ----------
    classifier : Tfidf or Transformer
        Wrapped or not.
    folder : Path
        Made where it is not there.
    names : str
        The defences under which it was trained.
    half : str, optional
        The half of the lexicons that they use.
    **facts
        For the checkpoint's card.
    """
    classifier = behind(classifier)
    kept = {name: value for name, value in classifier.card.items() if name not in WRITTEN}
    models.save(classifier, folder, **{**kept, **facts})
    paths.write_json(folder / CARD, {"defences": names, "half": half})


def behind(classifier):
    """The classifier behind all that stands before it."""
    while isinstance(classifier, predict.Around):
        classifier = classifier.classifier
    return classifier


WRITTEN = ("kind", "labels", "max_length", "sha256")  # by models.save itself


def load(folder: Path | str, labels: list[str] | None = None, device="cpu"):
    """The hardened classifier that `save` wrote; a folder without normalise.json as it is. Also
    `tahanuji.load`.

    Parameters
    ----------
    folder : Path or str
        Or the name of a classifier that ships in data/models: `sentiment`.
    labels : list of str, optional
        In the order of the columns of the probabilities; None: as the folder's tahan.json or
        config.json says.
    device : str or torch.device
        Where a network computes.

    Returns
    -------
    classifier
        With `labels` and `predict_proba`.

    Raises
    ------
    InputError
        As `models.load`, for an unknown name, and for unknown defences.
    """
    shipped = {path.parent.name: path.parent for path in SHIPPED.glob(f"*/{models.CARD}")}
    if not (Path(folder) / models.CARD).is_file():
        folder = shipped.get(str(folder), folder)
    if not labels and (Path(folder) / models.CARD).is_file():
        labels = models.read_card(Path(folder))["labels"]
    elif not labels and (Path(folder) / "config.json").is_file():
        config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        named = config.get("id2label") or {"0": "LABEL_0", "1": "LABEL_1"}  # as transformers does
        labels = [named[number] for number in sorted(named, key=int)]
    elif not labels:
        hint = f"Or name a folder with {models.CARD} or config.json."
        names = sorted(shipped) or ["none in this installation"]
        raise absent("classifier", str(folder), names, hint)
    classifier, about = models.load(folder, labels, device), before(Path(folder))
    return wrap(about["defences"], classifier, about["half"]) if about else classifier


def before(folder: Path) -> dict:
    """What stands before the classifier of a folder, as its normalise.json says; empty where there
    is none.
    """
    card = folder / CARD
    return json.loads(card.read_text(encoding="utf-8")) if card.is_file() else {}
