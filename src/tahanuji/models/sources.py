"""Models of the Hugging Face hub or of a local folder: safetensors only, no code of theirs, and the
right tokenizer.
"""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch
from httpx2 import HTTPError
from huggingface_hub.errors import HFValidationError
from safetensors import SafetensorError
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertTokenizer,
)
from transformers.utils import cached_file, logging

from tahanuji import downloads
from tahanuji.errors import InputError
from tahanuji.models import attention  # noqa: F401  AutoModel knows it from here on
from tahanuji.models.config import label_set

FAILURES = (OSError, HFValidationError, ValueError, SafetensorError, HTTPError)  # to load a source

PICKLES = {".bin", ".pt", ".pth", ".pkl", ".h5"}


def window(config, max_length: int) -> int:
    """`max_length`, or what the position embeddings allow where that is less; RoBERTa and its kin
    number positions after the padding id.
    """
    positions = getattr(config, "max_position_embeddings", max_length)
    others = {"camembert", "xlm-roberta-xl", "longformer", "mpnet"}
    kin = config.model_type.endswith("roberta") or config.model_type in others
    return max_length if positions <= 0 else min(max_length, positions - 2 if kin else positions)


def from_source(source: str, revision: str | None = None, names: dict | None = None):
    """Model and tokenizer of a hub id or folder: float32, safetensors only, no code of the
    folder's.

    With `names` (id2label and label2id) a new head where the source is no classifier of these
    labels; without, InputError where the source has no trained head.
    """
    safe = {"revision": revision, "trust_remote_code": False}
    with loading(source, revision):
        config = AutoConfig.from_pretrained(source, **safe)
        fresh = bool(names) and label_set(config.id2label.values()) != label_set(names["label2id"])
        config = AutoConfig.from_pretrained(source, **safe, **names) if fresh else config
        options = {"config": config, "ignore_mismatched_sizes": fresh}
        kind = AutoModelForSequenceClassification
        model, tokenizer, missing = pretrained(kind, source, revision, **options)
    if missing and not names:
        raise InputError(
            f"{source} has no trained classification head ({', '.join(missing)} missing); "
            f"fine-tune it with notebook 01 first."
        )
    own = f"{model.base_model_prefix}."
    check_encoder(source, [key for key in missing if key.startswith(own)])
    return model, tokenizer


def pretrained(kind, source: str, revision: str | None = None, **options) -> tuple:
    """Model, tokenizer and the sorted names of missing weights, of an AutoModel class `kind`. To be
    called within `loading`.
    """
    safe = {"revision": revision, "trust_remote_code": False}
    tokenizer = load_tokenizer(source, safe)
    how = {"use_safetensors": True, "dtype": torch.float32, "output_loading_info": True}
    model, about = kind.from_pretrained(source, **how, **safe, **options)
    return model, tokenizer, sorted(about["missing_keys"])


def encoder(source: str, revision: str | None = None):
    """Encoder and tokenizer of a hub id or folder, without a head, under the conditions of
    `from_source`. To be called within `loading`; InputError where the source lacks weights of it.
    """
    model, tokenizer, missing = pretrained(AutoModel, source, revision)
    check_encoder(source, missing)
    return model, tokenizer


def check_encoder(source: str, missing: Iterable[str]) -> None:
    """Raise an InputError where a source lacks weights of its encoder; a pooler may be missing."""
    if lost := [key for key in missing if "pooler" not in key]:
        raise InputError(
            f"{source} lacks weights of its encoder ({lost[0]} and {len(lost) - 1} more); it is "
            f"not the model that its config.json describes."
        )


def causal(source: str, revision: str | None = None):
    """Causal language model and tokenizer of a hub id or folder, under the conditions of
    `from_source`; InputError where the source lacks weights of one.
    """
    with loading(source, revision):
        model, tokenizer, lost = pretrained(AutoModelForCausalLM, source, revision)
    if lost:
        raise InputError(
            f"{source} is no generative model: its weights lack {lost[0]} and {len(lost) - 1} more."
        )
    return model, tokenizer


def generates(source: str) -> bool:
    """Whether the configuration of a folder or hub id names a causal language model."""
    with loading(source):
        config = AutoConfig.from_pretrained(source, trust_remote_code=False)
    return any(name.endswith(("ForCausalLM", "LMHeadModel")) for name in config.architectures or ())


@contextlib.contextmanager
def loading(source: str, revision: str | None = None, named: str = "") -> Iterator[None]:
    """What fails while a source is loaded becomes an InputError, which calls it as `named` says or
    by its id, and its weights are checked. What transformers would print meanwhile is said by
    these errors.
    """
    check_folder(source)
    try:
        with silent():
            yield
    except FAILURES as error:
        check_download(source, revision)
        if isinstance(error, InputError):
            raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"cannot load {named or repr(source)} from the Hugging Face hub or disk: {reason} "
            f"Check the id and the network, or give a local folder."
        ) from error
    check_download(source, revision)


@contextlib.contextmanager
def silent() -> Iterator[None]:
    """Without transformers' tables of weights and its bars; both are as before afterwards."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _fetched(source: str, name: str, revision: str | None) -> str:
    return cached_file(source, name, revision=revision, local_files_only=True)


def commit(source: str, revision: str | None = None) -> str | None:
    """The commit of the hub that a source was fetched at; None for a folder, and where none is to
    be had.
    """
    if Path(source).is_dir():
        return None
    try:
        place = Path(_fetched(source, "config.json", revision))
    except FAILURES:
        return None
    return place.parent.name if place.parents[1].name == "snapshots" else None


def check_download(source: str, revision: str | None) -> None:
    """Raise an InputError where weights fetched from the hub are not those that it names.

    It files large files under the sha256 that it announces, and compares only their size. A wrong
    one is deleted, so that the next try fetches it again.
    """
    if Path(source).is_dir():
        return
    try:
        snapshot = Path(_fetched(source, "config.json", revision)).parent
    except FAILURES:
        return
    for place in snapshot.glob("*.safetensors"):
        blob = place.resolve()
        if re.fullmatch(r"[0-9a-f]{64}", blob.name) and downloads.sha256(blob) != blob.name:
            blob.unlink()
            place.unlink()
            raise InputError(
                f"the weights of {source} have another sha256 than the hub announces; they were "
                f"deleted, and the same command fetches them again."
            )


def load_tokenizer(source: str, options: dict):
    """The source's tokenizer; a BERT-like one from vocab.txt where AutoTokenizer invents one
    without words (IndoBERT-lite's layout).
    """
    tokenizer = AutoTokenizer.from_pretrained(source, **options)
    if len(tokenizer) > len(set(tokenizer.all_special_tokens)) + 1:
        return tokenizer
    try:
        cached_file(source, "vocab.txt", revision=options["revision"])
    except OSError as error:
        raise InputError(
            f"{source} has no tokenizer (tokenizer.json, or vocab.txt for BERT-like models); save "
            f"it beside the weights."
        ) from error
    return BertTokenizer.from_pretrained(source, **options)


def check_folder(source: str) -> None:
    """Raise an InputError where a local model folder lacks its configuration or holds pickled
    weights only.
    """
    folder = Path(source)
    if not folder.is_dir():
        return
    if not (folder / "config.json").is_file():
        raise InputError(
            f"{source} holds no config.json; a model folder has config.json, a tokenizer and "
            f"model.safetensors."
        )
    if not list(folder.glob("*.safetensors")):
        pickles = sorted(path.name for path in folder.iterdir() if path.suffix in PICKLES)
        weights = f"only pickled weights ({', '.join(pickles)})" if pickles else "no weights"
        raise InputError(
            f"{source} holds {weights}; convert them to model.safetensors (model.save_pretrained "
            f"does), pickles are never loaded."
        )
