"""The data and the profile of an audit, written into its folder of runs, and that of the models
beside it, which all audits of the same labels and training texts share.
"""

import hashlib
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import yaml

from helpers import layout, notebooks
from study import profiles
from study.audit import labels as naming
from study.audit.asked import GRID, narrowed
from study.audit.files import OWN_ID
from study.report import words
from tahanuji import data, downloads, measure, models, paths
from tahanuji.data import splits
from tahanuji.errors import InputError, unknown
from tahanuji.gate import Policy
from tahanuji.perturb import negation

REFERENCES = ["tfidf", "mini"]
NEGATED = "negated"  # what a notebook's metadata call texts with the negation word
QUICK_MARGIN, QUICK_TRUTH = 0.05, 0.02  # a sample shows a true share of 2% to lie below 5%
PLANNED = Path(__file__).with_name("runs.yaml")
PREFIX, BESIDE, OWN_TEXTS = "audit-", "neighbours-", "neighbours-own-"  # of names of profiles
COPIES = (  # of a user's texts, in the folder of an audit
    "data-*",
    "texts.csv",
    "to_read.csv",
    "*/*/*/private",
    "gate/private",
    "report/private",
)


@dataclass
class Audit:
    """An audit: its classifier's name and labels; whether it is quick, whether its texts must not
    depend on answers, whether no other model runs beside it, whether one that does learnt texts of
    the kind that are tested (else the two are not compared), whether texts are the user's, which
    perturbations were asked for by name, whether certificates were, how often each test is run, the
    policy to whose tests the runs are narrowed, with the names of those that it leaves out, and
    what else takes no part.
    """

    name: str
    labels: list[str]
    quick: bool = False
    fixed: bool = False
    alone: bool = False
    compared: bool = True
    own_texts: bool = False
    perturbations: str = ""
    prove: bool = False
    repeats: int = 1
    policy: Policy | None = None
    unasked: list[str] = field(default_factory=list)
    left_out: list[tuple[str, dict]] = field(default_factory=list)

    @property
    def profile(self) -> str:
        return f"{PREFIX}{self.name}"

    @property
    def folder(self) -> Path:
        return layout.outputs() / self.profile

    def leave_out(self, why: str, **values: object) -> None:
        """Note what takes no part, by its name in words.yaml, with what that sentence says."""
        self.left_out.append((why, values))

    def said(self, language: str = words.ENGLISH) -> list[str]:
        """What takes no part, in a language."""
        sentences = words.strings(language)["left_out"]
        return [sentences[why].format(**values) for why, values in self.left_out]

    @property
    def sentiment(self) -> bool:
        return data.of_sentiment(self.labels)


def check_name(audit: Audit, made: dict, model: str) -> None:
    """Raise an InputError where an audit's folder holds that of another classifier, told by where
    it lies.
    """
    profile = audit.folder / "profile.yaml"
    about = paths.read_yaml(profile) if profile.is_file() else {}
    card = Path(about.get("checkpoints", {}).get(audit.name, ""))
    if "source" in made and (card / models.CARD).is_file():
        old = models.read_card(card)
        places = [Path(one.get("folder", ""), one.get("source", "")) for one in (old, made)]
        if places[0] != places[1]:
            raise InputError(
                f"{paths.shown(audit.folder)} holds the audit of {places[0]}; give {model} a name "
                f"of its own, audit {model} --name NAME, or delete that folder first."
            )


def split_frames(audit: Audit, own: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The splits of an audit: the user's; for sentiment the embedded corpus's where he has none.

    Rows of neutral texts are left out for a classifier of two labels, and the study says so.
    InputError for other labels that the classifier does not have, and where it has labels of which
    no text is there.
    """
    frames = dict(own)
    if audit.sentiment:
        needed = data.SPLITS if not own else ("train", "valid") if len(own) < 3 else ()
        embedded = {split: data.load("embedded", split) for split in needed}
        paired = any("text_pair" in frame for frame in own.values())
        frames = ({} if paired else embedded) | own
    elif not own:
        raise InputError(
            f"the project has no texts with the labels {', '.join(audit.labels)}; give yours with "
            f"--data FILE."
        )
    return {split: fitting(audit, split, frame) for split, frame in frames.items()}


def fitting(audit: Audit, split: str, frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of a split whose labels the classifier has."""
    inside = frame["label"].isin(audit.labels)
    strange = sorted(
        set(frame.loc[~inside, "label"]) - (set(data.LABELS) if audit.sentiment else set())
    )
    if strange:
        raise InputError(
            f"the texts have the labels {', '.join(strange)}, which the classifier lacks (it has "
            f"{', '.join(audit.labels)}); say what they mean with --map, such as "
            f"{naming.proposal(strange[:5], audit.labels)}; NAME={naming.LEFT_OUT} leaves its rows "
            f"out."
        )
    if not inside.any():
        raise InputError(
            f"no text has a label of the classifier ({', '.join(audit.labels)}); the labels there "
            f"are {', '.join(sorted(set(frame['label'])))}. Say what they mean with --map."
        )
    if not inside.all() and split == "test":
        labels = ", ".join(sorted(set(frame.loc[~inside, "label"])))
        audit.leave_out("labels", rows=int((~inside).sum()), whole=len(frame), labels=labels)
    return frame[inside].reset_index(drop=True)


def sampled(audit: Audit, frame: pd.DataFrame) -> pd.DataFrame:
    """The test split, for a quick audit as many rows as its smaller margin asks for."""
    most = measure.texts_needed(QUICK_MARGIN, QUICK_TRUTH)
    if not audit.quick or len(frame) <= most:
        return frame
    shares = {"truth": f"{QUICK_TRUTH:.0%}", "margin": f"{QUICK_MARGIN:.0%}"}
    audit.leave_out("quick", rows=most, whole=len(frame), **shares)
    return splits.subsample(frame, most, seed=1)


def digest(labels: list[str], frames: dict[str, pd.DataFrame]) -> str:
    """Eight letters for labels and splits: others for other labels or texts."""
    texts = [frame.to_csv(index=False) for _, frame in sorted(frames.items())]
    return hashlib.sha256("".join([*labels, *texts]).encode()).hexdigest()[:8]


def write_data(
    folder: Path, labels: list[str], frames: dict[str, pd.DataFrame], stem: str = "texts"
) -> str:
    """A data set as a folder that its user alone may read, named by its content: other texts, other
    runs.
    """
    place = folder / f"data-{digest(labels, frames)}"
    place.mkdir(parents=True, exist_ok=True)
    place.chmod(0o700)
    (place / paths.slug(stem)).mkdir(exist_ok=True)
    for split, frame in frames.items():
        text = frame.to_csv(index=False)
        (place / paths.slug(stem) / f"{split}.csv").write_text(text, encoding="utf-8", newline="")
    declared = place / paths.slug(stem) / "labels.txt"
    declared.write_text("\n".join(labels) + "\n", encoding="utf-8")
    return paths.shown(declared.parent)


def dataset(audit: Audit, own: dict[str, pd.DataFrame], stem: str) -> tuple[str, dict]:
    """The data set of an audit by name or folder, the embedded corpus itself where nothing has to
    be changed; and the configuration of the models beside it, empty where there are none.
    """
    frames = split_frames(audit, own)
    columns = ["text", "text_pair", "label"]
    kept = {split: frame[[c for c in columns if c in frame]] for split, frame in frames.items()}
    training = {split: frame for split, frame in kept.items() if split != "test"}
    traced = [*columns, OWN_ID]
    kept["test"] = sampled(audit, frames["test"][[c for c in traced if c in frames["test"]]])
    whole = not own and not audit.left_out
    place = "embedded" if whole else write_data(audit.folder, audit.labels, kept, stem)
    audit.compared, audit.own_texts = not own or "train" in own, bool(own)
    beside = neighbours(audit, training, bool({"train", "valid"} & set(own)))
    if beside and place == "embedded" and not audit.fixed and smsa_at_hand():
        for variants in beside["runs"].values():
            variants["smsa"] = {"dataset": "smsa"}
    if beside:
        write(layout.outputs() / beside["profile"], beside)
    return place, beside


def suited(audit: Audit, texts: str) -> dict[str, dict]:
    """The runs that make sense for the labels and texts of an audit; what is left out is noted."""
    planned, test = paths.read_yaml(PLANNED), data.load(texts, "test")
    whole = planned["runs"] | (planned["quick"] if audit.quick else {})
    runs, audit.unasked = narrowed(whole, audit.policy) if audit.policy else (whole, [])
    if audit.perturbations:
        by_name = whole[GRID]["default"] | {"perturbations": audit.perturbations}
        runs |= {GRID: runs.get(GRID, {}) | {"by_name": by_name}}
    runs |= planned["quick_prove" if audit.quick else "prove"] if audit.prove else {}
    negated, paired = test["text"].map(negation.contains).any(), data.paired(test)
    left = {}
    for name in runs:
        about = notebooks.every()[name]
        if paired and not about.pairs:
            left[name] = "pairs"
        elif about.adaptive and audit.fixed:
            left[name] = "answers"
        elif about.texts == NEGATED and not negated:
            left[name] = "negated"
        elif about.sentiment and not audit.sentiment:
            left[name] = "sentiment"
    runs = {name: runs[name] | repeats(runs[name], audit.repeats) for name in runs}
    for name, why in sorted(left.items()):
        audit.leave_out(why, notebook=name)
    if audit.unasked:
        audit.leave_out("policy", policy=audit.policy.name, runs=", ".join(audit.unasked))
    return {name: variants for name, variants in runs.items() if name not in left}


def repeats(variants: dict[str, dict], times: int) -> dict[str, dict]:
    """The variants of a notebook again with other seeds, for models that draw their answers.

    >>> repeats({"default": {}, "at_start": {"position": "start"}}, 2)["at_start_seed_2"]
    {'position': 'start', 'seed': 2}
    """
    return {
        f"{name}_seed_{seed}".removeprefix("default_"): {**given, "seed": seed}
        for name, given in variants.items()
        for seed in range(2, times + 1)
    }


def neighbours(audit: Audit, training: dict[str, pd.DataFrame], own: bool) -> dict:
    """The configuration of the models beside an audit's, trained once for all audits of the same
    labels and training texts; empty where there are none, which is noted.
    """
    if audit.sentiment and "neutral" not in audit.labels:
        audit.leave_out("neutral")
    if audit.alone:
        audit.leave_out("alone")
        return {}
    if len(training) < 2:
        audit.leave_out("untrained")
        return {}
    runs = {name: dict(variants) for name, variants in paths.read_yaml(PLANNED)["training"].items()}
    texts, name = "embedded", f"{BESIDE}embedded"
    if own or audit.labels != data.LABELS:
        name = f"{OWN_TEXTS if own else BESIDE}{digest(audit.labels, training)}"
        texts = write_data(layout.outputs() / name, audit.labels, training)
    made = {"profile": name, "dataset": texts, "models": REFERENCES, "training_threads": 1}
    return made | {"runs": runs, "learnt": "the train split of --data" if own else "embedded"}


def trained(beside: dict, tested: str) -> dict[str, dict[str, str]]:
    """The checkpoints of the models beside an audit's: a folder by model and data set tested."""
    places: dict[str, dict[str, str]] = {}
    for model, notebook, variant in profiles.planned(beside) if beside else ():
        folder = layout.run_dir(beside["profile"], model, notebook, variant)
        texts = beside["runs"][notebook][variant].get("dataset", tested)
        places.setdefault(model, {})[texts] = paths.shown(folder / "checkpoint" / "best")
    return places


def configuration(audit: Audit, texts: str, beside: dict, card: Path) -> dict:
    """The configuration of an audit: its classifier, by its card, with the models beside it."""
    runs = suited(audit, texts)
    own = [f"{name}/*" for name in runs]
    smsa = {"smsa": {"dataset": "smsa"}}
    if any("smsa" in variants for variants in beside.get("runs", {}).values()):
        too = [name for name in paths.read_yaml(PLANNED)["smsa"] if name in runs]
        runs |= {name: runs[name] | smsa for name in too}
    return {
        "profile": audit.profile,
        "dataset": texts,
        "models": [audit.name, *beside.get("models", [])],
        "checkpoints": {audit.name: paths.shown(card), **trained(beside, texts)},
        "audited": audit.name,
        "beside": beside.get("profile", ""),
        "learnt": dict.fromkeys(beside.get("models", []), beside.get("learnt")),
        "compared": audit.compared,
        "own_texts": audit.own_texts,
        "runs": runs,
        "only": {audit.name: own},
        "left_out": audit.said(),
        **{f"left_out_{name}": audit.said(name) for name in words.LANGUAGES},
        "unasked": audit.unasked,
    }


def smsa_at_hand() -> bool:
    """Whether SmSA is on this machine: then it takes part beside the embedded corpus."""
    parts = downloads.registry()["datasets"]["smsa"]["splits"].values()
    return all(downloads.at_hand(part) for part in parts)


def write(folder: Path, config: dict) -> Path:
    """The profile.yaml of a folder of runs."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "profile.yaml"
    path.write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), encoding="utf-8")
    return path


def forget(name: str) -> int:
    """Delete all copies of a user's texts that an audit made, and how many files and folders they
    were; the models that learnt from them go too. InputError where there is no such audit.
    """
    folder = layout.outputs() / f"{PREFIX}{name}"
    if not folder.is_dir():
        there = sorted(layout.outputs().glob(f"{PREFIX}*"))
        raise unknown("audit", name, [path.name.removeprefix(PREFIX) for path in there])
    copies = [path for pattern in COPIES for path in folder.glob(pattern)]
    profile = folder / "profile.yaml"
    beside = paths.read_yaml(profile).get("beside", "") if profile.is_file() else ""
    if beside.startswith(OWN_TEXTS):
        copies += layout.outputs().glob(beside)
    for path in copies:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return len(copies)
