"""A finished run of notebook 18_classifier as a model that ships: calibrated, small, behind its
normaliser, as ONNX too, and with a card.
"""

import json
import time
from pathlib import Path

import pandas as pd
import torch

from tahanuji import data, measure, models, predict
from tahanuji.errors import InputError, extra
from tahanuji.harden import defences, trials
from tahanuji.measure import Estimate
from tahanuji.models import export
from tahanuji.shipping import card

CLASSIFIER = "classifier"  # of a run: the folder in its checkpoint, and the group in its tables
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
TIMED = 2000  # training texts that it reads against the clock
ASKED, NUMBER = ["test", "rate", "quantity"], ["value", "lower", "upper", "n"]
ORDER = ("breaks", "undecided", "undecided: instrument", "stands")  # of verdicts in the card


def ship(run: Path, out: Path, encoder: str = "") -> Path:
    """Write the shipped model of a finished run of 18_classifier.

    The temperature is fitted on validation texts and folded into the last layer, so that whatever
    reads the weights answers calibrated probabilities. The weights are in half precision, and the
    normaliser uses both halves of its word lists.

    Parameters
    ----------
    run : Path
        The folder of the run: its checkpoint, csv files and provenance.json.
    out : Path
        The folder of the model, made where it is not there.
    encoder : str
        The name in config/models.yaml of the network that it began as; empty: as in the run.

    Returns
    -------
    Path
        The card, README.md of the folder.

    Raises
    ------
    InputError
        For a run that has not finished, for a classifier that is no network, and where texts or
        packages cannot be had.
    """
    with extra("onnx"):
        import onnxruntime  # noqa: F401  rather now than at the end
    if not (run / "provenance.json").is_file():
        raise InputError(f"{run} holds no finished run of 18_classifier: no provenance.json.")
    about = json.loads((run / "provenance.json").read_text(encoding="utf-8"))
    given, folder = about["parameters"], run / "checkpoint" / CLASSIFIER
    unlabelled = card.sources(given)  # first, since somebody's folder may be gone
    began = models.spec(encoder or given["model_name"])
    splits = {name: data.load(given["dataset"], name) for name in ("valid", "test", "train")}
    before, plain = defences.before(folder), export.network(folder)
    names = before["defences"]
    raw = said(defences.wrap(names, plain, None), splits)
    fitted = measure.temperature(*raw["valid"], plain.labels)
    plain.cool(fitted)
    plain.model.half()
    plain.tokenizer.model_max_length = plain.max_length
    facts = {"model_name": began["name"], "source": began["source"]}
    defences.save(plain, out, names, half=None, temperature=round(fitted, 4), **facts)
    shares = said(defences.load(out), splits)
    figures = {
        "unlabelled": unlabelled,
        "temperature": fitted,
        "calibration": calibration(raw, shares, plain.labels),
        "abstention": abstention(*shares["test"], plain.labels),
        "readings": readings(out, before, splits["test"], given["seed"]),
        "speed": speed(defences.load(out), data.inputs(splits["train"].head(TIMED))),
        "onnx": exported(out, splits["test"]),
    }
    page = card.text(out, about, figures, tables(run), splits, began)
    (out / "README.md").write_text(page, encoding="utf-8")
    return out / "README.md"


def said(classifier, splits: dict[str, pd.DataFrame]) -> dict[str, tuple]:
    """A classifier's probabilities of the validation and the test texts, with the right labels."""
    return {
        name: (classifier.predict_proba(data.inputs(splits[name])), list(splits[name]["label"]))
        for name in ("valid", "test")
    }


def calibration(before: dict, after: dict, labels: list[str]) -> dict[str, tuple[float, float]]:
    """The expected calibration error of each split before and after."""
    return {
        name: (measure.ece(*before[name], labels), measure.ece(*after[name], labels))
        for name in after
    }


def abstention(probabilities, gold: list[str], labels: list[str]) -> dict[float, tuple]:
    """By the probability below which it abstains the share of texts that it answers, and the share
    of these answers that are right.
    """
    return {least: measure.selective(probabilities, gold, labels, least) for least in THRESHOLDS}


def readings(out: Path, before: dict, test: pd.DataFrame, seed: int) -> dict[str, dict]:
    """Metrics of the shipped model behind its normaliser of `both` halves of the word lists, of the
    `half` that it was hardened and tested with, and of `none`; of the first also by label, as
    `labels`.
    """
    plain = export.network(out)
    ways = {
        "both": defences.load(out),
        "half": defences.wrap(before["defences"], plain, before["half"]),
        "none": plain,
    }
    found = {name: scores(one, test, seed) for name, one in ways.items()}
    return {name: one["all"] for name, one in found.items()} | {"labels": found["both"]}


def scores(classifier, test: pd.DataFrame, seed: int) -> dict[str, dict[str, Estimate]]:
    """Metrics of a classifier on texts as they are, by label (`all`: of all) and name."""
    labels, found = classifier.labels, {}
    rows = predict.classified(test, classifier.predict_proba(data.inputs(test)), labels)
    for row in measure.evaluation(rows, labels, seed).itertuples():
        one = Estimate(row.value, row.ci_low, row.ci_high, row.n)
        found.setdefault(row.group, {})[row.metric] = one
    return found


def speed(classifier, texts: list) -> dict[str, float]:
    """How many texts a second a classifier answers, on so many threads."""
    began = time.perf_counter()
    classifier.predict_proba(texts)
    seconds = time.perf_counter() - began
    return {"texts": len(texts) / seconds, "threads": torch.get_num_threads(), "n": len(texts)}


def exported(out: Path, test: pd.DataFrame) -> dict[str, dict]:
    """Of each ONNX file of a shipped model its megabytes and, against the model itself on texts as
    they are, the largest difference of a probability and the share of equal labels.
    """
    classifier, texts = export.export(out), data.inputs(test)
    own, files = classifier.predict_proba(texts), {}
    for name in (export.FULL, export.QUANTIZED):
        answers = export.probabilities(out / name, classifier, texts)
        files[name] = {
            "megabytes": (out / name).stat().st_size / 1e6,
            "difference": float(abs(answers - own).max()),
            "equal": measure.share_of(answers.argmax(1) == own.argmax(1)),
        }
    return files


def tables(run: Path) -> dict[str, list[dict]]:
    """What the run's tables say of the classifier: `verdicts` at the largest margin, what breaks
    first; `failures` of written cases; `errors` on unchanged texts, by step; `strengths` of the
    adjustment for rare labels that were tried, the one taken first.
    """
    judged = measure.enough(pd.read_csv(run / "verdicts.csv"))
    margin = judged["margin"].max()
    judged = judged[judged["margin"] == margin]
    own = judged[judged["group"] == CLASSIFIER]
    own = own[measure.decisive(own) & own["verdict"].isin(ORDER)]
    plain = judged.loc[judged["group"] == trials.PLAIN, [*ASKED, *NUMBER]]
    own = own.merge(plain, on=ASKED, how="left", suffixes=("", "_before"))
    own = own.assign(place=own["verdict"].map(ORDER.index))
    own = own.sort_values(["place", "value"], ascending=[True, False], kind="stable")
    metrics = pd.read_csv(run / "metrics.csv")
    failures = metrics[(metrics["metric"] == "failures") & (metrics["group"] == CLASSIFIER)]
    errors = metrics[metrics["metric"].isin(["errors", "errors_change"])]
    own["before"] = list(map(Estimate, *(own[f"{name}_before"] for name in NUMBER)))
    strengths = pd.read_csv(run / "strengths.csv")
    strengths = strengths.sort_values("macro_f1", ascending=False, kind="stable")
    return {
        "strengths": strengths.to_dict("records"),
        "verdicts": _rows(own, "lower", "upper"),
        "failures": _rows(failures, "ci_low", "ci_high"),
        "errors": _rows(errors, "ci_low", "ci_high"),
    }


def _rows(table: pd.DataFrame, low: str, high: str) -> list[dict]:
    """Rows of a run's table with `title`, a test's name with its rate, and `number`."""
    numbers = map(Estimate, table["value"], table[low], table[high], table["n"])
    titles = map(measure.title, table["test"], table["rate"])
    made = table.assign(number=list(numbers), title=list(titles))
    return made.to_dict("records")
