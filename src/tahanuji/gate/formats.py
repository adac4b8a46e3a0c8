"""What a gate decided, in the formats that pipelines, registries and readers take."""

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import yaml

from tahanuji import paths
from tahanuji.gate.judging import FAILED, PASSED, SKIPPED, UNDECIDED, outcome, said
from tahanuji.gate.policy import Policy
from tahanuji.measure import Estimate

__all__ = ["badge", "card", "cyclonedx", "junit", "sarif"]

TOOL, PAGE = "tahanuji", "https://github.com/tahan-uji/tahan-uji"
SARIF = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
KINDS = {PASSED: "pass", FAILED: "fail", UNDECIDED: "open", SKIPPED: "notApplicable"}
COLOURS = {PASSED: "brightgreen", FAILED: "red", UNDECIDED: "yellow"}
CARD = Path(__file__).with_name("card.md")


def junit(judged: pd.DataFrame, policy: Policy, model: str) -> str:
    """JUnit XML: a suite per family, a case per test; what is undecided is an error, or skipped
    where the policy lets it pass.
    """
    root = ElementTree.Element("testsuites", name=f"{TOOL}: {model}")
    open_one = "error" if policy.undecided else "skipped"
    tags = {FAILED: "failure", UNDECIDED: open_one, SKIPPED: "skipped"}
    for family, part in judged.groupby("family", sort=False):
        made = part["outcome"].map(tags)
        names = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        counts = {key: str(int(made.eq(tag).sum())) for key, tag in names.items()}
        about = {"name": family, "tests": str(len(part)), **counts}
        suite = ElementTree.SubElement(root, "testsuite", about)
        for row in part.itertuples():
            about = {"classname": f"{TOOL}.{family}", "name": _name(row)}
            case = ElementTree.SubElement(suite, "testcase", about, time="0")
            if row.outcome in tags:
                kind = row.outcome if pd.isna(row.verdict) else row.verdict
                ElementTree.SubElement(case, tags[row.outcome], message=said(row), type=kind)
            else:
                ElementTree.SubElement(case, "system-out").text = said(row)
    ElementTree.indent(root)
    return ElementTree.tostring(root, "unicode", xml_declaration=True) + "\n"


def _name(row) -> str:
    """A test with the quantity that it is judged by."""
    return row.test if pd.isna(row.quantity) else f"{row.test}: {row.quantity}"


def sarif(judged: pd.DataFrame, policy: Policy, model: str) -> dict:
    """A SARIF 2.1.0 log: a rule per family, a result per test, passed ones too."""
    names = list(dict.fromkeys(judged["family"]))
    rules = [{"id": paths.slug(name), "shortDescription": {"text": name}} for name in names]
    results = [
        {
            "ruleId": paths.slug(row.family),
            "ruleIndex": names.index(row.family),
            "kind": KINDS[row.outcome],
            "level": "error" if row.outcome == FAILED else "none",
            "message": {"text": f"{_name(row)}: {said(row)}"},
            "locations": [_location(model, row)],
        }
        for row in judged.itertuples()
    ]
    driver = {"name": TOOL, "version": _version(), "informationUri": PAGE, "rules": rules}
    about = {"policy": policy.name, "outcome": outcome(judged)}
    run = {"tool": {"driver": driver}, "results": results, "properties": about}
    return {"$schema": SARIF, "version": "2.1.0", "runs": [run]}


def _location(model: str, row) -> dict:
    """Where a result belongs: to the classifier, as a file and as a name."""
    name = f"{model}/{row.family}/{row.test}"
    return {
        "physicalLocation": {"artifactLocation": {"uri": paths.slug(model)}},
        "logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}],
    }


def cyclonedx(judged: pd.DataFrame, policy: Policy, model: str) -> dict:
    """A CycloneDX 1.6 bill of materials of the classifier, whose model card has a metric with its
    bounds per test.
    """
    metrics = [
        {
            "type": row.quantity,
            "value": f"{row.value:.6g}",
            "slice": f"{row.family}/{row.test}",
            "confidenceInterval": {
                "lowerBound": f"{row.lower:.6g}",
                "upperBound": f"{row.upper:.6g}",
            },
        }
        for row in judged.dropna(subset="value").itertuples()
    ]
    about = {"gate": outcome(judged), "policy": policy.name, "bounds": _bounds(judged)}
    component = {
        "type": "machine-learning-model",
        "bom-ref": paths.slug(model),
        "name": model,
        "modelCard": {"quantitativeAnalysis": {"performanceMetrics": metrics}},
        "properties": [{"name": f"{TOOL}:{key}", "value": value} for key, value in about.items()],
    }
    tools = {"components": [{"type": "library", "name": TOOL, "version": _version()}]}
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
    return document | {"metadata": {"tools": tools}, "components": [component]}


def _bounds(judged: pd.DataFrame) -> str:
    """What the bounds are, by the confidences of the rules."""
    levels = ", ".join(f"{level:.3g}" for level in sorted(judged["confidence"].unique()))
    return f"one-sided, confidence {levels}"


def model_index(judged: pd.DataFrame, model: str, dataset: str) -> dict:
    """The `model-index` of a model card on the Hugging Face hub: a metric per test, its bounds and
    verdict among its arguments.
    """
    metrics = [
        {
            "type": paths.slug(row.quantity).lower(),
            "value": round(float(row.value), 6),
            "name": f"{row.family}: {_name(row)}",
            "args": {
                "lower": round(float(row.lower), 6),
                "upper": round(float(row.upper), 6),
                "n": int(row.n),
                "margin": float(row.margin),
                "verdict": row.verdict,
            },
        }
        for row in judged.dropna(subset="value").itertuples()
    ]
    about = {
        "task": {"type": "text-classification", "name": "robustness"},
        "dataset": {"type": paths.slug(dataset).lower(), "name": dataset},
        "metrics": metrics,
    }
    return {"model-index": [{"name": model, "results": [about] if metrics else []}]}


def card(judged: pd.DataFrame, policy: Policy, model: str, dataset: str) -> str:
    """A model card's YAML header with its `model-index`, and a section in Markdown."""
    index = yaml.safe_dump(model_index(judged, model, dataset), sort_keys=False, allow_unicode=True)
    rows = "\n".join(f"| {' | '.join(cells)} |" for cells in _cells(judged))
    told = {"policy": policy.name, "model": model, "outcome": outcome(judged)}
    return CARD.read_text(encoding="utf-8").format(
        index=index, rows=rows, counts=counts(judged), **told
    )


def _cells(judged: pd.DataFrame) -> Iterator[list[str]]:
    """The cells of a test in a table."""
    for row in judged.itertuples():
        shown = why = ""
        if pd.notna(row.value):
            shown = f"{Estimate(row.value, row.lower, row.upper):points} of {row.n:.0f}"
        if row.outcome in (SKIPPED, UNDECIDED):
            why = f" ({said(row)})" if pd.isna(row.value) else ""
        quantity = "" if pd.isna(row.quantity) else row.quantity
        cells = [row.family, row.test, row.must, quantity, shown, f"{row.margin:.0%}"]
        yield [cell.replace("|", "\\|") for cell in (*cells, f"{row.outcome}{why}")]


def counts(judged: pd.DataFrame) -> str:
    """How many tests came to what.

    >>> counts(pd.DataFrame({"outcome": ["passed", "failed", "passed"]}))
    '2 passed, 1 failed, 0 undecided, 0 skipped'
    """
    numbers = judged["outcome"].value_counts()
    return ", ".join(f"{numbers.get(name, 0)} {name}" for name in KINDS)


def badge(judged: pd.DataFrame, policy: Policy) -> dict:
    """What an endpoint of shields.io answers.

    >>> badge(pd.DataFrame({"outcome": ["passed", "skipped"]}), Policy("strict"))["message"]
    '1 of 1 passed (strict)'
    """
    number = judged["outcome"].value_counts()
    counted = len(judged) - number.get(SKIPPED, 0)
    message = f"{number.get(PASSED, 0)} of {counted} passed ({policy.name})"
    colour = COLOURS[outcome(judged)]
    return {"schemaVersion": 1, "label": "tahan uji", "message": message, "color": colour}


def _version() -> str:
    """The library's version; that of no installation is unknown."""
    try:
        return version(TOOL)
    except PackageNotFoundError:
        return "0"


def write(
    folder: Path, judged: pd.DataFrame, policy: Policy, model: str, dataset: str = "texts"
) -> list[Path]:
    """Write what a gate decided in all formats.

    Parameters
    ----------
    folder : Path
        Made where it is not there.
    judged : DataFrame
        What `judge` gives.
    policy : Policy
    model, dataset : str
        Names for readers.

    Returns
    -------
    list of Path
        gate.csv, junit.xml, gate.sarif, bom.cdx.json, model_card.md and badge.json.
    """
    folder.mkdir(parents=True, exist_ok=True)
    judged.to_csv(folder / "gate.csv", index=False, float_format="%.6g", lineterminator="\n")
    (folder / "junit.xml").write_text(junit(judged, policy, model), encoding="utf-8")
    told = card(judged, policy, model, dataset)
    (folder / "model_card.md").write_text(told, encoding="utf-8")
    paths.write_json(folder / "gate.sarif", sarif(judged, policy, model))
    paths.write_json(folder / "bom.cdx.json", cyclonedx(judged, policy, model))
    paths.write_json(folder / "badge.json", badge(judged, policy))
    names = ("gate.csv", "junit.xml", "gate.sarif", "bom.cdx.json", "model_card.md", "badge.json")
    return [folder / name for name in names]
