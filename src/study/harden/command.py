"""`./run_all.sh harden MODEL --data FOLDER`: a plain and a hardened training, an audit of both, and
one table of what got better and what it cost. A black box gets what acts at test alone.
"""

import argparse
import contextlib
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from helpers import layout
from study import gate, run
from study.audit import classifiers, profile
from study.audit import command as auditing
from study.audit import labels as naming
from study.harden import costs, table
from study.harden.aims import AIMS, NETWORKS, OTHERS
from study.harden.bound import POINTS, Bound
from study.harden.remaining import Remaining
from tahanuji import commas, data, models, paths, training
from tahanuji.errors import InputError, unknown
from tahanuji.gate.policy import BASELINE
from tahanuji.harden import defences, distillation, halves, recipe
from tahanuji.harden.defence import Defence
from tahanuji.harden.interpolation import Interpolation

PREFIX, SEED = "harden-", 26092020
SHARED = ("data", "text", "label", "map", "labels", "encoding")  # options as the audit has them
BOTH, TEACHERS = "both", "teachers"
FILE = "classifier.py"
FUNCTION = '''"""The hardened classifier of this folder, behind what normalise.json names."""

from pathlib import Path
{torch}
from tahanuji.harden import defences

LABELS = {labels}
VERSION = "{version}"  # of weights and defences
hardened = defences.load(Path(__file__).parent, LABELS, {device})


def classify(texts):
    """For each text a list of probabilities, in the order of LABELS."""
    return hardened.predict_proba(list(texts)).tolist()
'''
TORCH, GPU = "\nimport torch\n", '"cuda" if torch.cuda.is_available() else "cpu"'


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    options = argparse.ArgumentParser(prog="./run_all.sh harden", allow_abbrev=False)
    about = "a name of config/models.yaml, a hub id or a checkpoint folder to train; or "
    options.add_argument("model", metavar="MODEL", help=f"{about} a black box, FILE.py:function")
    for name in SHARED:
        metavar, words = auditing.OPTIONS[name]
        options.add_argument(f"--{name}", default="", metavar=metavar, help=words)
    about = f"of {', '.join(defences.DEFENCES)}, joined by +; {NETWORKS} for networks that are "
    about += f"trained, else {OTHERS}"
    options.add_argument("--defence", default="", metavar="NAMES", help=about)
    about = f"instead: the defences that help against {', '.join(AIMS)} (joined by commas)"
    options.add_argument("--against", default="", metavar="WHAT", help=about)
    about = (
        f"points of accuracy on validation texts that hardening may cost ({POINTS:g}); where it "
    )
    about += "costs more, plain weights are mixed in; 100: never"
    options.add_argument("--clean-loss", type=float, metavar="POINTS", help=about)
    about = "texts like yours, a text a line, of which a network learns what several answer"
    options.add_argument("--unlabelled", default="", metavar="FILE", help=about)
    about = "the half of the word lists that the defences use: both (default), hardening or tests"
    options.add_argument("--half", default=BOTH, metavar="HALF", help=about)
    options.add_argument("--name", default="", metavar="NAME", help="of the folder of results")
    metavar, about = auditing.OPTIONS["gate"]
    about = f"{about}; the exit status is that of the audit after hardening"
    options.add_argument("--gate", default="", metavar=metavar, help=about)
    options.add_argument("--quick", action="store_true", help="audits with a sample of the texts")
    options.add_argument("--seed", type=int, default=SEED, metavar="N", help="of the trainings")
    return options


def main(words: list[str]) -> int:
    """Harden, audit twice, and write the table; the exit status is that of the audits."""
    given, rest = parser().parse_known_args(words)
    if run.asks(rest, (*run.DRY, "--plan")):
        raise InputError("harden trains before it audits, and has no --plan or --dry-run.")
    asked = Asked(given)
    with contextlib.redirect_stdout(sys.stderr):  # what training and users' functions print
        audits = asked.trained() if asked.trains else asked.wrapped()
    for when, audit in audits.items():
        say(f"Audit {when} hardening:")
        options = ["--name", asked.audit(when), "--alone", *["--quick"] * given.quick]
        asks = ["--gate", given.gate, "--whole"] if given.gate else []
        status = run.wait_for(["study", "audit", *audit, *options, *asks, *rest], {})
        if status and (when == table.WHEN[1] or not given.gate):
            break  # before hardening a gate may fail
    if status and not given.gate:
        return status
    print(table.write(asked.folder, asked.about(), *map(asked.audit, audits)))
    say(f"Hardened classifier: {paths.shown(asked.model)}; table: {paths.shown(asked.folder)}")
    return status


def say(words: str) -> None:
    """Print for a person, at once."""
    print(words, file=sys.stderr, flush=True)


class Asked:
    """What was asked for: the classifier, its texts by split, the defences and the folder.

    Raises InputError for what cannot be, before anything is computed.
    """

    def __init__(self, given: argparse.Namespace):
        self.given = given
        self.place = layout.called_from()
        self.half = None if given.half == BOTH else given.half
        if self.half not in (None, *halves.HALVES):
            raise InputError(f"--half takes {BOTH}, {' or '.join(halves.HALVES)}.")
        if given.clean_loss is not None and not 0 <= given.clean_loss <= 100:
            raise InputError(f"--clean-loss takes points from 0 to 100, not {given.clean_loss:g}.")
        if given.gate and BASELINE in gate.asked(given.gate, "").baselines:
            raise InputError(
                f"{given.gate} compares with a baseline, and harden has none: harden without it, "
                f"then audit the hardened classifier with --gate and --against NAME-before."
            )
        self.names = naming.mapping(given.map)
        self.frames = auditing.own_data(given, self.place, self.names) or embedded()
        if (self.place / given.model).is_dir():
            given.model = where(self.place / given.model)
        served = re.match(r"https?://", given.model)
        self.black_box = bool(served) or classifiers.is_function(given.model)
        self.trains = not self.black_box and "train" in self.frames
        if self.trains and "/" not in given.model and given.model not in models.entries():
            raise unknown("model", given.model, models.entries(), "Or a folder, or owner/name.")
        self.network = self.trains and models.spec(given.model)["kind"] != "tfidf"
        self.defence, self.unlabelled = self.chosen(), self.texts()
        self.points = POINTS if given.clean_loss is None else given.clean_loss
        self.name = paths.slug(given.name or re.split(r"[/\\:]", given.model.rstrip("/\\"))[-1])
        self.folder = layout.outputs() / f"{PREFIX}{self.name}"
        self.model = self.folder / "model"
        self.costs, self.loss = {}, {}  # of what was made, for the page

    def chosen(self) -> str:
        """The defences by name; InputError for those that the classifier cannot have."""
        given = self.given
        usual = NETWORKS if self.network else OTHERS
        names = given.defence or against(given.against, self.network) or usual
        asked = [name.strip() for name in names.split("+")]
        defences.named("+".join(asked), self.half)  # refuses unknown ones
        if not self.trains and (more := [name for name in asked if name not in defences.AT_TEST]):
            why = "a black box is not trained" if self.black_box else "--data holds no train split"
            raise InputError(
                f"{', '.join(more)} needs training, and {why}; --defence normaliser is possible."
            )
        if self.trains and "valid" not in self.frames:
            raise InputError(
                f"{given.data} holds train but no valid, by which the best epoch is chosen."
            )
        if given.clean_loss is not None and not self.trains:
            raise InputError("--clean-loss mixes weights, and here nothing is trained.")
        return "+".join(asked)

    def texts(self) -> list[str]:
        """The unlabelled texts; InputError where they cannot be had or nothing can learn them."""
        if not self.given.unlabelled:
            return []
        if not self.network:
            raise InputError("--unlabelled is for networks that are trained.")
        try:
            lines = (self.place / self.given.unlabelled).read_text(encoding="utf-8").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", "not UTF-8")
            raise InputError(f"--unlabelled {self.given.unlabelled}: {why}.") from None
        return [line.strip() for line in lines if line.strip()]

    def audit(self, when: str) -> str:
        """The name of the audit before or after hardening."""
        return f"{self.name}-{when}"

    def trained(self) -> dict[str, list[str]]:
        """Train plainly and under the defences, and write the hardened classifier; the words by
        which both are audited. What was trained before is used.
        """
        labels = naming.ordered(sorted(set(self.frames["train"]["label"])))
        mapped = {label: label for label in self.names.values()}
        naming.of_model(labels, mapped, self.given.data or "the corpus")
        for split, frame in self.frames.items():
            if strange := sorted(set(frame["label"]) - set(labels)):
                raise InputError(f"{split} has labels that train lacks: {', '.join(strange)}.")
        self.make_folder()
        own = self.given.data
        texts = profile.write_data(self.folder, labels, self.frames) if own else "embedded"
        plain = self.folder / "plain"
        folders = {"": plain, self.defence: self.folder / "hardened"}
        planned = {names: self.planned(names, folder, texts) for names, folder in folders.items()}
        for defence in defences.named(self.defence, self.half):
            defence.refuse(planned[self.defence])
        wrap = partial(defences.wrap, self.defence, half=self.half)
        first = self.fit("", planned[""])
        bound = Bound(first, planned[self.defence].valid, self.points, wrap)
        classifier = self.fit(self.defence, planned[self.defence], bound)
        self.loss = bound.facts
        mixed = {"hardened_share": self.loss["share"]} if self.loss["share"] < 1 else {}
        shutil.rmtree(self.model, ignore_errors=True)
        defences.save(classifier, self.model, self.defence, self.half, **mixed)
        places = [folders[self.defence], *[self.folder / TEACHERS] * bool(self.unlabelled)]
        self.cost("before", first, plain)
        self.cost("after", wrap(classifier), *places)
        words = ["--map", ",".join(f"{label}={label}" for label in labels)]
        words += ["--data", where(texts)] if own else []
        function = [self.function(labels), *words, "--labels", ",".join(labels)]
        return {"before": [where(plain / "best"), *words], "after": function}

    def planned(self, names: str, folder: Path, texts: str) -> recipe.Recipe:
        """A training in a folder, as defences find it."""
        model = self.given.model
        job = training.Job(model, texts, folder, self.given.seed, device(model))
        rows, valid = (data.load(texts, split) for split in ("train", "valid"))
        chosen = training.settings(model)
        return recipe.Recipe(job, rows, valid, chosen, f"{names} {self.half}")

    def fit(self, names: str, own: recipe.Recipe, bound: Bound | None = None):
        """The classifier of one training, at its best epoch, without what stands before it."""
        say(f"Training of {self.given.model}, {names or 'plain'}: {paths.shown(own.job.folder)}")
        make = partial(bound.fit, train=recipe.train) if bound else recipe.train
        for defence in reversed(defences.named(names, self.half)):
            if isinstance(defence, Interpolation):
                defence.clean_loss = self.points
            make = partial(defence.fit, train=make)
        if names and self.unlabelled:
            job = replace(own.job, folder=self.folder / TEACHERS)  # which no training clears
            own = own.changing(rows=self.taught(job, own.rows, own.valid))
        with contextlib.redirect_stdout(Remaining(sys.stdout, own.chosen.get("epochs", 0))):
            return make(own)

    def taught(self, job: training.Job, rows: pd.DataFrame, valid: pd.DataFrame) -> pd.DataFrame:
        """The training rows and the unlabelled texts with what several classifiers answer."""
        say(f"Training of those that answer about {len(self.unlabelled):,} unlabelled texts")
        group, _ = distillation.teachers(job, rows, valid)
        together = distillation.Together(group)
        answers = together.predict_proba(self.unlabelled)
        given = rows, self.unlabelled, answers, together.labels
        return distillation.rows(*given, amount=0, seed=job.seed)

    def wrapped(self) -> dict[str, list[str]]:
        """Put the defences before a classifier as it is; the words by which both are audited."""
        given = self.given
        if given.model.startswith(("classifier:", f"{FILE}:")) or f"/{FILE}:" in given.model:
            raise InputError(f"the hardened classifier is {FILE}; give your file another name.")
        made = classifiers.card(given.model, naming.kept(self.names), given.labels, self.place)
        self.make_folder()
        shutil.rmtree(self.model, ignore_errors=True)
        self.model.mkdir()
        paths.write_json(self.model / models.CARD, made)
        about = {"defences": self.defence, "half": self.half}
        paths.write_json(self.model / defences.CARD, about)
        labels = naming.ordered(made["labels"])
        self.cost("after", defences.wrap(self.defence, costs.Mute(labels), self.half))
        own = [word for name in SHARED if name != "labels" for word in self.passed(name)]
        function = [self.function(labels), *own, "--labels", ",".join(labels)]
        return {"before": [given.model, *own, *self.passed("labels")], "after": function}

    def cost(self, when: str, classifier, *folders: Path) -> None:
        """Take what a classifier costs, its trainings being in folders, and write it down."""
        self.costs[when] = costs.of(classifier, self.frames["test"], *folders)
        costs.write(self.folder / "costs.csv", self.costs)

    def about(self) -> dict:
        """What the page and the card of the hardened classifier say of how it was made."""
        given, source, made = self.given, "", models.read_card(self.model)
        if self.network:
            named = models.spec(given.model)["source"]
            source = "" if Path(paths.local(named)).is_dir() else named
        base = "a model on a server" if "://" in given.model else given.model
        return {
            "classifier": self.name,
            "base": Path(base).name if Path(base).is_absolute() else base,
            "source": source,
            "kind": "network" if self.network else "n-grams" if self.trains else "",
            "labels": made["labels"],
            "longest": made.get("max_length"),
            "seed": given.seed,
            "defence": self.defence,
            "half": self.half,
            "standing": self.standing(),
            "dataset": Path(given.data).name or "embedded",
            "files": list(self.files()),
            "costs": self.costs,
            "bound": self.loss,
        }

    def standing(self) -> list[str]:
        """The defences that act at test, by name."""
        made = zip(self.defence.split("+"), defences.named(self.defence, self.half), strict=True)
        return [name for name, one in made if type(one).wrap is not Defence.wrap]

    def files(self) -> Iterator[dict]:
        """The files of the texts that it learned from and was tested on: `name`, `use`, `texts`
        and `sha256`.
        """
        uses = {"train": "training", "valid": "validation", "test": "tests"}
        place = self.place / self.given.data
        own = data.own_files(place) if place.is_dir() else {"test": place}
        for split, use in uses.items():
            if split not in self.frames or not (self.trains or split == "test"):
                continue
            if self.given.data:
                name, digest = own[split].name, data.sha256(own[split])
            else:
                name, digest = "embedded", data.load("embedded", split).attrs["source"]["sha256"]
            about = {"name": name, "use": use}
            yield about | {"texts": len(self.frames[split]), "sha256": digest}
        if self.unlabelled:
            path = self.place / self.given.unlabelled
            about = {"name": path.name, "use": "training, without labels"}
            yield about | {"texts": len(self.unlabelled), "sha256": data.sha256(path)}

    def passed(self, name: str) -> list[str]:
        """An option as the audit is given it."""
        value = getattr(self.given, name)
        return [f"--{name}", value] if value else []

    def make_folder(self) -> None:
        """The folder of the results, which its user alone may read."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder.chmod(0o700)

    def function(self, labels: list[str]) -> str:
        """The hardened classifier as a function; its file names the weights, so that other weights
        are another classifier.
        """
        cards = [data.sha256(self.model / name)[:12] for name in (models.CARD, defences.CARD)]
        about = {"labels": labels, "version": "-".join(cards), "torch": "", "device": '"cpu"'}
        if models.read_card(self.model)["kind"] in ("transformer", "link", "generative"):
            about |= {"torch": TORCH, "device": GPU}
        content = FUNCTION.format(**about)
        (self.model / FILE).write_text(content, encoding="utf-8")
        return f"{where(self.model / FILE)}:classify"


def against(names: str, network: bool) -> str:
    """The defences that help against what is named, joined by +; InputError for what none helps.
    Networks are asked for the same answer to noisy copies as well.

    >>> against("mixing, skills", network=False), against("mixing", network=True)
    ('noise+templates', 'agreement')
    """
    wanted = commas.words(names)
    for name in wanted:
        if name not in AIMS:
            raise unknown("aim of hardening", name, AIMS)
    named = dict.fromkeys(one for name in wanted for one in AIMS[name].defences)
    return "+".join("agreement" if network and name == "noise" else name for name in named)


def embedded() -> dict[str, pd.DataFrame]:
    """The project's own texts, as `own_data` gives a user's."""
    parts = {split: data.load("embedded", split) for split in data.SPLITS}
    return {split: frame[["text", "label"]] for split, frame in parts.items()}


def where(place: Path | str) -> str:
    """An absolute path."""
    return str(Path(paths.local(str(place))).resolve())


def device(model: str):
    """Where a model is trained."""
    if models.spec(model)["kind"] == "tfidf":
        return "cpu"
    from helpers import session

    return session.pick_device()
