"""The classifier that a name of config/models.yaml, a hub id or a checkpoint folder means.

A classifier is anything with `predict_proba(texts) -> float32 array (n, labels)`, `labels`,
`save(folder)` and `about()`; where it was fine-tuned on pairs of sentences, a text is a tuple
(text, text_pair).
"""

import hashlib
import json
from pathlib import Path

import pandas as pd

from tahanuji import data, paths
from tahanuji.errors import InputError, extra, unknown
from tahanuji.models.config import colours, entries, label_set, spec

__all__ = [
    "CARD",
    "build",
    "colours",
    "entries",
    "examples",
    "linked",
    "load",
    "needs_training",
    "prompted",
    "read_card",
    "save",
    "spec",
]

CARD = "tahan.json"
OUTSIDE = ("callable", "predictions", "recorder")  # kinds of cards whose classifier lies elsewhere
PROMPTED = ("generative", "endpoint")  # kinds that are asked in words and not fine-tuned here
KINDS = ("tfidf", "transformer", "link", *OUTSIDE, *PROMPTED)  # of cards


def build(model_name: str, labels: list[str], device="cpu", max_length: int = 0):
    """The classifier before fine-tuning: the weights of the model's source under a new head.

    Parameters
    ----------
    model_name : str
        A name of config/models.yaml, a Hugging Face id or a local folder. An entry with
        `random_weights` takes architecture and tokenizer of its source and nothing else, one with
        an `architecture` its vectors of word pieces and tokenizer.
    labels : list of str
        In the order of the columns of the probabilities.
    device : str or torch.device
        Where a network computes.
    max_length : int
        Pieces at which texts are cut; 0: the model's own.

    Returns
    -------
    Tfidf or Transformer
        A classifier with random or no weights of its head.

    Raises
    ------
    InputError
        Where a source cannot be had or holds no safetensors, and for a model that is asked in words
        or that reads tags and aspects alone.

    Examples
    --------
    >>> build("tfidf", ["positive", "negative"]).labels
    ['positive', 'negative']
    """
    entry = spec(model_name)
    if entry["kind"] in PROMPTED:
        raise InputError(
            f"{model_name} is asked in words (kind {entry['kind']}) and is not fine-tuned here; "
            f"name it in the notebooks that test a classifier."
        )
    if entry["kind"] == "link":
        raise InputError(f"{model_name} is a finished classifier and is not fine-tuned here.")
    if entry["kind"] == "word_vectors":
        raise InputError(
            f"{model_name} reads tags and aspects: run it in notebook 10_indonlu, which trains it."
        )
    if entry["kind"] == "tfidf":
        with extra("models"):
            from tahanuji.models.tfidf import Tfidf

        return Tfidf(labels)
    with extra("models"):
        from tahanuji.models import attention, sources
        from tahanuji.models.transformer import Transformer

    names = {
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    model, tokenizer = sources.from_source(
        paths.local(entry["source"]), entry.get("revision"), names
    )
    if entry.get("random_weights"):
        model = type(model)(model.config)
    if entry.get("architecture"):
        model = attention.over(model)
    fetched = sources.commit(paths.local(entry["source"]), entry.get("revision"))
    origin = {"source": entry["source"], "revision": fetched}
    window = sources.window(model.config, max_length or entry["training"]["max_length"])
    return Transformer(model, tokenizer, labels, window, device, origin)


def save(classifier, folder: Path, **facts) -> None:
    """Write a checkpoint: weights without pickle, tokenizer, and tahan.json.

    Parameters
    ----------
    classifier : Tfidf or Transformer
        Its `card` becomes what tahan.json says.
    folder : Path
        Made where it is not there.
    **facts
        Model, data set, epoch, seed and settings, for tahan.json beside labels and the weights'
        sha256.

    Examples
    --------
    >>> import tempfile
    >>> from tahanuji.models import tfidf
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> classifier = build("tfidf", ["positive", "negative"])
    >>> features = tfidf.fitted(spec("tfidf") | {"min_df": 1}, ["enak", "mahal"])
    >>> pair = features.transform(["enak", "mahal"])
    >>> head = LogisticRegression().fit(pair, ["positive", "negative"])
    >>> classifier.pipeline, folder = make_pipeline(features, head), Path(tempfile.mkdtemp())
    >>> save(classifier, folder, model_name="tfidf")
    >>> sorted(path.name for path in folder.glob("*"))
    ['model.safetensors', 'tahan.json', 'tfidf.json']
    """
    folder.mkdir(parents=True, exist_ok=True)
    classifier.save(folder)
    weights = sorted(folder.glob("*.safetensors"))
    digest = hashlib.sha256("".join(data.sha256(path) for path in weights).encode()).hexdigest()
    card = {
        "kind": classifier.kind,
        "labels": classifier.labels,
        "max_length": getattr(classifier, "max_length", None),
        "sha256": digest,
        **facts,
    }
    (folder / CARD).write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
    classifier.card = card


def read_card(folder: Path) -> dict:
    """What the tahan.json of a checkpoint says.

    Parameters
    ----------
    folder : Path
        Holds a tahan.json, as `save` writes it or as `load` describes it.

    Returns
    -------
    dict
        With at least `kind` and `labels`.

    Raises
    ------
    InputError
        For a file that is no json or lacks kind or labels, and for an unknown kind.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / CARD).write_text('{"kind": "recorder", "labels": ["yes", "no"]}') > 0
    True
    >>> read_card(folder)["labels"]
    ['yes', 'no']
    """
    path = folder / CARD
    try:
        card = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            f"{paths.shown(path)} is no json ({error}); mend it, or have notebook 01 write the "
            f"checkpoint again."
        ) from error
    if not isinstance(card, dict) or "kind" not in card or not isinstance(card.get("labels"), list):
        raise InputError(
            f"{paths.shown(path)} lacks the kind of the classifier or the list of its labels, such "
            f'as "kind": "transformer", "labels": ["positive", "neutral", "negative"].'
        )
    if card["kind"] not in KINDS:
        raise unknown("kind", card["kind"], KINDS, f"It stands in {paths.shown(path)}.")
    return card


def load(folder: Path | str, labels: list[str], device="cpu"):
    """The fine-tuned classifier of a checkpoint, of a sequence classifier's folder or of a hub id.

    Parameters
    ----------
    folder : Path or str
        What `save` wrote, a folder with config.json, tokenizer and safetensors, or a hub id. A
        folder may also hold nothing but tahan.json, whose `kind` is `link` (`source` names another
        checkpoint, `names` what its labels mean, `by` the module:function that loads it, where that
        is another one than this), `callable` (`source` is module:function),
        `predictions` (answers.csv holds what a system said) or one that `prompted` takes.
    labels : list of str
        In the order of the columns of the probabilities; the checkpoint has the same in any order.
    device : str or torch.device
        Where a network computes.

    Returns
    -------
    Tfidf, Transformer, Function, Answers, Generative, Endpoint or Renamed
        Ready for `predict_proba`.

    Raises
    ------
    InputError
        For a missing checkpoint, pickled weights, an untrained head, other labels, or a tahan.json
        that `read_card` refuses.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / CARD).write_text('{"kind": "tfidf", "labels": ["yes", "no"]}') > 0
    True
    >>> try:
    ...     load(folder, ["positive", "negative"])
    ... except InputError as error:
    ...     print(str(error).replace(str(folder), "FOLDER").split(";")[0])
    FOLDER has the labels yes, no, not positive, negative
    """
    folder = Path(folder)
    card = read_card(folder) if (folder / CARD).is_file() else None
    if card:
        check_labels(card["labels"], labels, folder)
    if card and card["kind"] == "tfidf":
        with extra("models"):
            from tahanuji.models.tfidf import Tfidf

        return Tfidf.load(folder, labels, card)
    if card and card["kind"] == "link" and (Path(card["source"]) / CARD).is_file():
        return linked(card, labels, device)
    if card and card["kind"] in OUTSIDE:
        from tahanuji.models import outside

        return outside.load(folder, labels, card)
    if card and card["kind"] in PROMPTED:
        return prompted(card, labels, device)
    with extra("models"):
        from tahanuji.models import sources
        from tahanuji.models.transformer import Transformer

    link = card if card and card["kind"] == "link" else {}
    model, tokenizer = sources.from_source(link.get("source", str(folder)), link.get("revision"))
    rename(model.config, link.get("names", {}))
    check_labels(list(model.config.id2label.values()), labels, folder)
    card = card or {
        "kind": "transformer",
        "source": str(folder),
        "revision": sources.commit(str(folder)),
    }
    return Transformer(
        model,
        tokenizer,
        labels,
        card.get("max_length") or sources.window(model.config, 512),
        device,
        card,
    )


def linked(card: dict, labels: list[str], device="cpu"):
    """The classifier of a checkpoint that a card of kind `link`, or an entry of config/models.yaml,
    names as its `source`, its labels renamed by `names`; loaded by `by` where the card has one.
    """
    from tahanuji.models import outside

    own = {meant: name for name, meant in card.get("names", {}).items()}
    loading = outside.function(card["by"]) if "by" in card else load
    source, wanted = paths.local(card["source"]), [own.get(label, label) for label in labels]
    inner = loading(source, wanted, device)
    names = dict(zip(inner.labels, labels, strict=True))
    return inner if inner.labels == labels else outside.Renamed(inner, names)


def needs_training(model_name: str) -> bool:
    """Whether a model has to be fine-tuned by notebook 01 before it can be tested.

    Parameters
    ----------
    model_name : str
        A name of config/models.yaml, a Hugging Face id or a local folder.

    Returns
    -------
    bool

    Examples
    --------
    >>> needs_training("tfidf"), needs_training("qwen"), needs_training("sentiment")
    (True, False, False)
    """
    return entries().get(model_name, {}).get("kind") not in (*PROMPTED, "link")


def prompted(entry: dict, labels: list[str], device="cpu"):
    """A generative model as a classifier: asked with one wording of data/prompts, never trained.

    Parameters
    ----------
    entry : dict
        `kind`, `source` and perhaps `prompt`, a wording of data/prompts. Of kind `generative` the
        source is a hub id or folder of a causal language model, with `revision`, `calibration`
        (`contextual` or `none`) and `max_length` (tokens of a prompt at most); of kind `endpoint`
        the address of an OpenAI-compatible server, with `model`, `key` (the environment variable
        that holds it), `at_once` (requests), `temperature` and `max_tokens`.
    labels : list of str
        In the order of the columns of the probabilities.
    device : str or torch.device
        Where a network computes.

    Returns
    -------
    Generative or Endpoint
        Ready for `predict_proba`. An answer of a server that is none of the label words has a row
        of zeros, which `predict.named` calls `unparsable`.

    Raises
    ------
    InputError
        For a source that cannot be had or is no causal model, and for an unknown wording.

    References
    ----------
    Zhao et al. (2021), *Calibrate before use*, section 5, for `contextual`.

    Examples
    --------
    >>> try:
    ...     prompted({"kind": "generative", "source": "x", "prompt": "id-ulas"}, ["yes", "no"])
    ... except InputError as error:
    ...     print(str(error).split(";")[0])
    unknown prompt 'id-ulas'
    """
    if entry["kind"] == "endpoint":
        from tahanuji.models import endpoint

        return endpoint.load(labels, entry)
    with extra("models"):
        from tahanuji.models import generative

    return generative.load(labels, entry, device)


def rename(config, names: dict[str, str]) -> None:
    """Give the labels of a network's configuration the names that they mean."""
    config.id2label = {
        number: names.get(str(label), label) for number, label in config.id2label.items()
    }


def check_labels(labels: list[str], wanted: list[str], folder: Path) -> None:
    """Raise an InputError unless a checkpoint has the wanted labels, in any order and case."""
    if label_set(labels) != label_set(wanted):
        raise InputError(
            f"{paths.shown(folder)} has the labels {', '.join(map(str, labels))}, not "
            f"{', '.join(wanted)}; "
            "name them in its config.json (id2label and label2id) where only the names differ."
        )


def examples(count: int = 3, like: pd.DataFrame | None = None) -> pd.DataFrame:
    """Short test sentences of the embedded corpus, for showing what a perturbation does.

    Parameters
    ----------
    count : int
        How many, one of each label in turn.
    like : DataFrame, optional
        Of the task: where it has pairs, each sentence is followed by the next one; `label` stays
        where it has such labels.

    Returns
    -------
    DataFrame
        Columns `id, text, label`, of pairs also `text_pair`, `label` left out where it fits no
        task.

    Examples
    --------
    >>> sorted(examples(3)["label"])
    ['negative', 'neutral', 'positive']
    """
    frame = data.load("embedded", "test")
    short = frame[frame["text"].str.split().str.len().between(8, 22)]
    order = short.groupby("label").cumcount()
    ordered = (
        short.assign(order=order)
        .sort_values(["order", "label"])
        .drop(columns="order")
        .reset_index(drop=True)
    )
    if like is not None and data.paired(like):
        ordered.insert(
            2, "text_pair", ordered["text"].shift(-1, fill_value=ordered["text"].iloc[0])
        )
    strange = like is not None and (
        data.paired(like) or not set(ordered["label"]) & set(like["label"])
    )
    return ordered.head(count).drop(columns="label" if strange else [])
