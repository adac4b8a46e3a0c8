"""The data and the profile of an audit, written into its folder of runs."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import yaml

from helpers import layout, notebooks
from helpers.audit import labels as naming
from tahanuji import data, downloads, measure, paths
from tahanuji.data import splits
from tahanuji.errors import InputError
from tahanuji.perturb import negation

REFERENCES = ["tfidf", "mini"]
NEGATED = "negated"  # what a notebook's metadata call texts with the negation word
QUICK_MARGIN, QUICK_TRUTH = 0.05, 0.02  # a sample shows a true share of 2% to lie below 5%
PLANNED = Path(__file__).with_name("runs.yaml")


@dataclass
class Study:
    """An audit: its profile's name, its classifier's name, labels and card's folder, and whether
    it is quick and whether its texts must not depend on answers.
    """

    name: str
    labels: list[str]
    quick: bool = False
    fixed: bool = False
    left_out: list[str] = field(default_factory=list)

    @property
    def profile(self) -> str:
        return f"audit-{self.name}"

    @property
    def folder(self) -> Path:
        return layout.outputs() / self.profile

    @property
    def sentiment(self) -> bool:
        return data.of_sentiment(self.labels)


def split_frames(study: Study, own: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The splits of an audit: the user's; for sentiment the embedded corpus's where he has none.

    Rows of neutral texts are left out for a classifier of two labels, and the study says so.
    InputError for other labels that the classifier does not have, and where it has labels of which
    no text is there.
    """
    frames = dict(own)
    if study.sentiment:
        needed = data.SPLITS if not own else ("train", "valid") if len(own) < 3 else ()
        embedded = {split: data.load("embedded", split) for split in needed}
        paired = any("text_pair" in frame for frame in own.values())
        frames = ({} if paired else embedded) | own
    elif not own:
        raise InputError(
            f"the project has no texts with the labels {', '.join(study.labels)}; give yours with "
            f"--data FILE."
        )
    return {split: fitting(study, split, frame) for split, frame in frames.items()}


def fitting(study: Study, split: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a split whose labels the classifier has."""
    inside = frame["label"].isin(study.labels)
    strange = sorted(
        set(frame.loc[~inside, "label"]) - (set(data.LABELS) if study.sentiment else set())
    )
    if strange:
        raise InputError(
            f"the texts have the labels {', '.join(strange)}, which the classifier lacks (it has "
            f"{', '.join(study.labels)}); say what they mean, or leave them out, with --map "
            + ",".join(f"{label}={naming.LEFT_OUT}" for label in strange[:5])
            + "."
        )
    if not inside.any():
        raise InputError(
            f"no text has a label of the classifier ({', '.join(study.labels)}); the labels there "
            f"are {', '.join(sorted(set(frame['label'])))}. Say what they mean with --map."
        )
    if not inside.all() and split == "test":
        study.left_out.append(
            f"{int((~inside).sum())} of {len(frame)} test texts are left out: they are "
            f"{', '.join(sorted(set(frame.loc[~inside, 'label'])))}, a label that the classifier "
            f"lacks."
        )
    return frame[inside].reset_index(drop=True)


def sampled(study: Study, frame: pd.DataFrame) -> pd.DataFrame:
    """The test split, for a quick audit as many rows as its smaller margin asks for."""
    most = measure.texts_needed(QUICK_MARGIN, QUICK_TRUTH)
    if not study.quick or len(frame) <= most:
        return frame
    study.left_out.append(
        f"--quick takes {most} of {len(frame)} test texts, enough to show that a share of "
        f"{QUICK_TRUTH:.0%} lies below {QUICK_MARGIN:.0%}."
    )
    return splits.subsample(frame, most, seed=1)


def write_data(study: Study, frames: dict[str, pd.DataFrame], stem: str) -> str:
    """The data set of an audit as a folder, named by its content: other texts, other runs."""
    texts = {split: frame.to_csv(index=False) for split, frame in sorted(frames.items())}
    digest = hashlib.sha256("".join([*study.labels, *texts.values()]).encode()).hexdigest()[:8]
    folder = study.folder / f"data-{digest}" / paths.slug(stem)
    folder.mkdir(parents=True, exist_ok=True)
    for split, text in texts.items():
        (folder / f"{split}.csv").write_text(text, encoding="utf-8", newline="")
    (folder / "labels.txt").write_text("\n".join(study.labels) + "\n", encoding="utf-8")
    return paths.shown(folder)


def dataset(study: Study, own: dict[str, pd.DataFrame], stem: str) -> tuple[str, list[str]]:
    """The data set of an audit by name or folder, and its splits; the embedded corpus itself where
    nothing has to be changed.
    """
    frames = split_frames(study, own)
    columns = ["text", "text_pair", "label"]
    frames["test"] = sampled(study, frames["test"])
    if not own and not study.left_out:
        return "embedded", list(data.SPLITS)
    kept = {split: frame[[c for c in columns if c in frame]] for split, frame in frames.items()}
    return write_data(study, kept, stem), list(frames)


def suited(study: Study, texts: str) -> dict[str, dict]:
    """The runs that make sense for the labels and texts of an audit; what is left out is noted."""
    planned, test = paths.read_yaml(PLANNED), data.load(texts, "test")
    runs = planned["runs"] | (planned["quick"] if study.quick else {})
    negated, paired = test["text"].map(negation.contains).any(), data.paired(test)
    left = {}
    for name in runs:
        about = notebooks.every()[name]
        if paired and not about.pairs:
            left[name] = "it does not take pairs of sentences"
        elif about.adaptive and study.fixed:
            left[name] = "its texts follow from answers, and there is no classifier to ask"
        elif about.texts == NEGATED and not negated:
            left[name] = "no test text has the word tidak"
        elif about.sentiment and not study.sentiment:
            left[name] = "it asks about sentiment"
    study.left_out += [f"Not run: {name}, because {why}." for name, why in sorted(left.items())]
    return {name: variants for name, variants in runs.items() if name not in left}


def profile(study: Study, texts: str, there: list[str], card: Path) -> dict:
    """The profile of an audit: its classifier beside the references."""
    runs = suited(study, texts)
    own = [f"{name}/*" for name in runs]
    references = REFERENCES if {"train", "valid"} <= set(there) else []
    if not references:
        study.left_out.append(
            "No other model beside it: tfidf and mini would need train and valid in --data."
        )
    if study.sentiment and "neutral" not in study.labels:
        study.left_out.append(
            "The classifier has no neutral: all models are tested on positive and negative texts, "
            "triplets and cases alone."
        )
    planned = paths.read_yaml(PLANNED)
    if references:
        runs = planned["training"] | runs
    if references and at_hand(study, texts):
        smsa = {"smsa": {"dataset": "smsa"}}
        runs |= {name: runs[name] | smsa for name in planned["smsa"]}
    return {
        "profile": study.profile,
        "dataset": texts,
        "models": [study.name, *references],
        "checkpoints": {study.name: paths.shown(card)},
        "training_threads": 1,
        "runs": runs,
        "only": {study.name: own},
        "left_out": study.left_out,
    }


def at_hand(study: Study, texts: str) -> bool:
    """Whether SmSA takes part beside the embedded corpus: without a download, where all three
    labels are there and nothing else was asked for.
    """
    if texts != "embedded" or study.fixed:
        return False
    parts = downloads.registry()["datasets"]["smsa"]["splits"].values()
    return all(downloads.at_hand(part) for part in parts)


def write(study: Study, config: dict) -> Path:
    """profile.yaml of an audit."""
    study.folder.mkdir(parents=True, exist_ok=True)
    path = study.folder / "profile.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path
