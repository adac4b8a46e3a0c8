"""Minimal pairs: which of two sentences does a masked language model hold for the likelier one?

An acceptable and an unacceptable sentence that differ in one point of grammar (Warstadt et al.,
2020, BLiMP); the model prefers the one with the higher pseudo-log-likelihood, the sum over its
pieces of the log probability of each when it is masked (Salazar et al., 2020). Nothing is trained.
A pair is an example of two sentences whose label says which is the acceptable one, so that the
perturbation grid works on it as on any pairs.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import torch
from huggingface_hub.errors import HFValidationError
from safetensors import SafetensorError
from transformers import AutoConfig, AutoModelForMaskedLM

from tahanuji import data, downloads, grid, measure, models, paths, perturb, predict
from tahanuji.errors import InputError, unknown
from tahanuji.models import sources

SIDES = ["first", "second"]
METHODS = ("word", "piece")
COLUMNS = ["text", "label", "pair"]


def load(dataset: str) -> pd.DataFrame:
    """The minimal pairs of all splits of a data set as a frame `id, text, text_pair, label,
    phenomenon`; the label is the acceptable side.

    `dataset` is a name of data/registry.yaml, or a folder with train, valid or test as csv or tsv:
    columns text, label (acceptable or unacceptable), pair (a name that two rows share) and, if
    there, phenomenon. Which side is the acceptable one follows from the id, so that both are as
    frequent. InputError for a missing column and for a pair that is not one acceptable and one
    unacceptable sentence.
    """
    files = {split: path for split in data.SPLITS if (path := file_of(dataset, split))}
    if not files:
        raise InputError(
            f"{dataset} holds no train, valid or test as csv or tsv with minimal pairs."
        )
    parts = [table_of(path) for path in files.values()]
    rows = pd.concat(parts, ignore_index=True)
    name, found = paths.slug(dataset), []
    for pair, two in rows.groupby("pair", sort=False):
        sides = dict(zip(two["label"], two["text"], strict=True))
        if len(two) != 2 or set(sides) != {"acceptable", "unacceptable"}:
            raise InputError(
                f"pair {pair} of {dataset} has the labels {', '.join(two['label'])}; it needs one "
                f"acceptable and one unacceptable sentence."
            )
        found.append(
            _example(
                f"{name}-pair-{pair}",
                sides["acceptable"],
                sides["unacceptable"],
                two["phenomenon"].iloc[0],
            )
        )
    entry = downloads.registry()["datasets"].get(dataset)
    frame = pd.DataFrame(found, columns=["id", "text", "text_pair", "label", "phenomenon"])
    digest = {split: data.sha256(path) for split, path in files.items()}
    return data.describe(
        frame,
        name=name,
        split="+".join(files),
        sha256=digest,
        publish_texts=bool(entry and entry["publish_texts"]),
    )


def _example(name: str, good: str, bad: str, phenomenon: str) -> tuple:
    first = perturb.key(0, name) % 2 == 0
    return (
        name,
        *((good, bad) if first else (bad, good)),
        SIDES[0] if first else SIDES[1],
        phenomenon,
    )


def file_of(dataset: str, split: str) -> Path | None:
    """The file of a split: of a registered data set, or in a folder; None where a folder does not
    have it.
    """
    if entry := downloads.registry()["datasets"].get(dataset):
        return downloads.locate(entry["splits"][split])
    there = (Path(dataset) / f"{split}.{ending}" for ending in ("csv", "tsv"))
    return next((path for path in there if path.is_file()), None)


def table_of(path: Path) -> pd.DataFrame:
    """A file's columns text, label, pair and phenomenon (`all` where it has none); InputError where
    it lacks one of the first three.
    """
    table = data.read_table(path)
    if missing := [column for column in COLUMNS if column not in table]:
        raise InputError(
            f"{paths.shown(path)} has no column {', '.join(missing)}; minimal pairs have text, "
            f"label, pair and, if there, phenomenon."
        )
    return table.assign(phenomenon=table.get("phenomenon", "all"))[[*COLUMNS, "phenomenon"]]


def load_model(model_name: str, device="cpu", method: str = "word") -> "Preference":
    """The masked language model of a name in config/models.yaml, a Hugging Face id or a local
    folder.

    InputError for tfidf, for a source that cannot be had, and for one without a trained masked
    language model's head or mask token.
    """
    entry = models.spec(model_name)
    if entry["kind"] != "transformer":
        raise InputError(
            f"{model_name} is no language model; minimal pairs need a masked one, such as mini, or "
            f"a Hugging Face id."
        )
    source, options = (
        paths.local(entry["source"]),
        {"revision": entry.get("revision"), "trust_remote_code": False},
    )
    sources.check_folder(source)
    try:
        config = AutoConfig.from_pretrained(source, **options)
        tokenizer = sources.load_tokenizer(source, options)
        model, about = AutoModelForMaskedLM.from_pretrained(
            source, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **options
        )
    except (OSError, HFValidationError, ValueError, SafetensorError) as error:
        if isinstance(error, InputError):
            raise
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise InputError(
            f"cannot load {source!r} as a masked language model: {reason} Check the id and the "
            f"network, or give a local folder."
        ) from error
    if lost := sorted(about["missing_keys"]):
        raise InputError(
            f"{source} has no trained head of a masked language model ({lost[0]} missing); a "
            f"fine-tuned classifier has lost it."
        )
    if tokenizer.mask_token_id is None:
        raise InputError(
            f"the tokenizer of {source} has no mask token, so that it cannot score sentences piece "
            f"by piece."
        )
    if entry.get("random_weights"):
        model = type(model)(config)
    weights = [
        data.sha256(path) for path in sorted(Path(source).glob("*.safetensors"))
    ]  # none of a hub's id, which its revision names
    card = {
        "source": entry["source"],
        "revision": getattr(config, "_commit_hash", None),
        "sha256": weights,
    }
    return Preference(model, tokenizer, device, method, card)


class Preference:
    """A masked language model as a classifier of pairs: probabilities of `first` and `second`, the
    softmax of the two sentences' scores.

    `method`: `word` masks with a piece the later pieces of its word too, which keeps long words
    from being guessed by their own ends (Kauf and Ivanova, 2023); `piece` masks it alone (Salazar
    et al., 2020). Scores are kept: a sentence is scored once.
    """

    labels = SIDES

    def __init__(
        self, model, tokenizer, device="cpu", method: str = "word", card: dict | None = None
    ):
        if method not in METHODS:
            raise unknown("method of scoring", method, METHODS)
        self.model, self.tokenizer, self.method, self.card = (
            model.to(device).eval(),
            tokenizer,
            method,
            card or {},
        )
        self.limit = sources.window(
            model.config, tokenizer.model_max_length if tokenizer.model_max_length < 10**6 else 512
        )
        self.known: dict[tuple[str, str], float] = {}
        self.converted: dict[str, torch.nn.Module] = {}

    def about(self) -> dict:
        """Source, revision and way of scoring, for provenance.json."""
        return self.card | {"method": self.method}

    def predict_proba(self, pairs: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities (n, 2) of pairs of sentences."""
        return (
            torch.tensor(self.scores(data.sentences(pairs), precision))
            .reshape(-1, 2)
            .softmax(1)
            .numpy()
            .astype(np.float32)
        )

    def scores(self, texts: list[str], precision: str = "fp32") -> np.ndarray:
        """Pseudo-log-likelihoods, float64 (n,), in nats; 0 for a text without pieces. Texts are cut
        at the model's window.
        """
        new = [text for text in dict.fromkeys(texts) if (text, precision) not in self.known]
        if new:
            if precision not in self.converted:
                self.converted = {precision: predict.convert(self.model, precision)}
            for start in range(0, len(new), 512):
                part = new[start : start + 512]
                self.known |= zip(
                    [(text, precision) for text in part],
                    self._score(part, self.converted[precision]),
                    strict=True,
                )
        return np.array([self.known[text, precision] for text in texts], dtype=float)

    def _score(self, texts: list[str], model) -> list[float]:
        """The scores of some texts: one row for every piece, masked, batched by length."""
        encoded = self.tokenizer(
            texts, truncation=True, max_length=self.limit, return_special_tokens_mask=True
        )
        rows, owners, places, wanted = [], [], [], []
        for number, (pieces, special) in enumerate(
            zip(encoded["input_ids"], encoded["special_tokens_mask"], strict=True)
        ):
            word_of = encoded.word_ids(number)
            for place in [place for place, fixed in enumerate(special) if not fixed]:
                hidden = [self._hidden(word_of, place, other) for other in range(len(pieces))]
                rows.append(
                    [
                        self.tokenizer.mask_token_id if mask else piece
                        for piece, mask in zip(pieces, hidden, strict=True)
                    ]
                )
                owners.append(number)
                places.append(place)
                wanted.append(pieces[place])
        found, device = np.zeros(len(texts)), next(model.parameters()).device
        budget = 8192 if device.type == "cuda" else 1024
        for batch in predict.batches([len(row) for row in rows], budget):
            chances = self._forward(
                model, [rows[at] for at in batch], [places[at] for at in batch], device
            )
            np.add.at(
                found,
                [owners[at] for at in batch],
                chances[np.arange(len(batch)), [wanted[at] for at in batch]],
            )
        return found.tolist()

    def _hidden(self, word_of: list, place: int, other: int) -> bool:
        return other == place or (
            self.method == "word"
            and other > place
            and word_of[other] is not None
            and word_of[other] == word_of[place]
        )

    @torch.inference_mode()
    def _forward(self, model, rows: list[list[int]], places: list[int], device) -> np.ndarray:
        """Log probabilities (rows, vocabulary) at one place of every row."""
        given = self.tokenizer.pad(
            {"input_ids": rows}, padding=True, return_tensors="pt", padding_side="right"
        ).to(device)
        logits = model(**given).logits[torch.arange(len(rows)), torch.tensor(places)]
        return logits.float().log_softmax(-1).cpu().numpy()


def texts(frame: pd.DataFrame, names: list[str], seed: int) -> tuple[dict[str, list], pd.DataFrame]:
    """What `grid.texts` gives for pairs, but both sentences of a pair with the same draws, so that
    noise hits them as alike as it can.
    """
    sides = [
        grid.texts(frame[["id", column]].rename(columns={column: "text"}), names, seed)
        for column in ("text", "text_pair")
    ]
    clean = data.inputs(frame)
    found = {
        test: [
            (one or pair[0], other or pair[1]) if one or other else None
            for pair, one, other in zip(clean, sides[0][0][test], sides[1][0][test], strict=True)
        ]
        for test in sides[0][0]
    }
    return found, pd.concat([errors for _, errors in sides], ignore_index=True)


def rows(
    classifier, frame: pd.DataFrame, perturbed: dict[str, list], precision: str = "fp32"
) -> pd.DataFrame:
    """`grid.rows` of the pairs, with the phenomenon as `by_phenomenon`, so that every rate is given
    for each.
    """
    table = grid.rows(classifier, frame, perturbed, precision)
    phenomenon = dict(zip(frame["id"], frame["phenomenon"], strict=True))
    return table.assign(by_phenomenon=table["id"].map(phenomenon))


def preferred(predictions: pd.DataFrame) -> pd.DataFrame:
    """How often the acceptable sentence of the clean pairs is preferred: `group, series, value,
    ci_low, ci_high, n`, Wilson intervals, worst last.

    `predictions` are the rows of any one test, or of several, of which each pair counts once.
    """
    clean = predictions.drop_duplicates("id").assign(
        right=lambda part: part["clean_label"] == part["gold"]
    )
    groups = {"all": clean} | dict(list(clean.groupby("by_phenomenon")))
    table = [
        (
            name,
            "acceptable preferred",
            *measure.share(int(part["right"].sum()), len(part)),
            len(part),
        )
        for name, part in groups.items()
    ]
    found = pd.DataFrame(table, columns=["group", "series", "value", "ci_low", "ci_high", "n"])
    return pd.concat(
        [found[:1], found[1:].sort_values("value", ascending=False, kind="stable")],
        ignore_index=True,
    )
