"""The tables of the benchmark from the corpora, triplets, suites and instruments of today."""

from collections.abc import Iterable

import pandas as pd

from tahanuji import behaviour, checklist, data, grid, instrument, nli, paths
from tahanuji.instrument import Instrument
from tahanuji.nli.suite import one_sided

SEED = 26092020
REGIONAL = paths.DATA / "checklist_regional"
OPINIONS = {"positive": "saya cinta matematika .", "negative": "saya benci matematika ."}
ADDED = "insertion"
NOTEBOOKS = {"typos": "05_typos", "negation": "04_negation", ADDED: "03_sentence_insertion"}
GRID, TRIPLETS, CASES = "07_perturbation_grid", "06_formality", "12_checklist"
ABOUT = ("group", "source", "template", "register", "domain", "dialect")
SENTIMENT = ["id", "part", "test", "type", "original", "text", "label", "expected", *ABOUT]
INFERENCE = ["id", "test", "type", "original", "case"]
INFERENCE += ["premise", "hypothesis", "expected", "capability"]
RATED = ["n", "raters", "grammatical", "same_meaning", "same_label", "as_expected", "twice"]
INSTRUMENTS = ["id", "notebook", "family", "type", "rate", "towards", "bound", *RATED]


def tests() -> list[Instrument]:
    """Every INV and DIR instrument for Indonesian at its headline rate, each a test by its key, and
    the opinions that notebook 03 adds.

    >>> [one.test for one in tests()][:2], len({one.test for one in tests()}) == len(tests())
    (['typos', 'keyboard'], True)
    """
    judged = [one for one in instrument.rated() if one.test_type in ("INV", "DIR")]
    named = [Instrument(one.perturbation, "id", one.rate, one.options, one.key) for one in judged]
    added = {
        label: instrument.instrument(ADDED, test=f"{ADDED}:{label}", sentence=text)
        for label, text in OPINIONS.items()
    }
    return [*named, *added.values()]


def expected(test: Instrument, gold: str) -> set[str]:
    """The labels that are right after a test's change of a text with a label.

    >>> sorted(expected(tests()[0], "positive")), sorted(expected(tests()[-1], "positive"))
    (['positive'], ['negative', 'neutral'])
    """
    if test.perturbation == ADDED:
        return behaviour.directed(test.test.removeprefix(f"{ADDED}:"))(gold)
    return {gold} if test.test_type == "INV" else grid.reversed_expected(gold)


def instruments() -> pd.DataFrame:
    """What the tests of the part `perturbed` are, and what readers found of their outputs.

    Returns
    -------
    DataFrame
        `INSTRUMENTS`; `bound` and the shares are those of `tahanuji.instrument.Validity`, missing
        where there is nothing to rate.
    """
    rows = []
    for one in tests():
        about = one.validity
        rated = {name: getattr(about, name) for name in RATED} if about else {}
        rows.append(
            {
                "id": one.test,
                "notebook": NOTEBOOKS.get(one.perturbation, GRID),
                "family": one.family,
                "type": one.test_type,
                "rate": one.rate,
                "towards": one.test.partition(":")[2] if one.perturbation == ADDED else "",
                "bound": about.unfit() if about else None,
                **rated,
            }
        )
    return pd.DataFrame(rows, columns=INSTRUMENTS)


def sentiment(frame: pd.DataFrame | None = None) -> pd.DataFrame:
    """All texts of sentiment to be answered.

    Parameters
    ----------
    frame : DataFrame, optional
        `id, text, label`, the texts that are perturbed; those of the embedded test split.

    Returns
    -------
    DataFrame
        `SENTIMENT`. `original` is the id of the unchanged text, empty where the text is itself one;
        `label` the right label where there is one; `expected` the accepted labels, divided by `|`,
        or what CheckList expects of a pair.
    """
    frame = data.load("embedded", "test") if frame is None else frame
    parts = [perturbed(frame), triplets(), *(cases(name) for name in ("checklist", "regional"))]
    table = pd.concat(parts, ignore_index=True).reindex(columns=SENTIMENT)
    return table.fillna("").astype("str")


def perturbed(frame: pd.DataFrame) -> pd.DataFrame:
    """The texts of a frame, and every text that a test changed; unchanged ones stand once."""
    parts = [_labelled(frame, "perturbed", "clean", "clean")]
    for one in tests():
        new = one.apply(frame, SEED)
        changed = frame.assign(original=frame["id"], text=new, before=frame["text"])
        changed = changed[changed["text"].notna() & (changed["text"] != changed["before"])]
        changed = changed.assign(
            id=changed["id"] + f"/{one.test}",
            expected=[_joined(expected(one, gold)) for gold in changed["label"]],
        )
        parts.append(_labelled(changed, "perturbed", one.test, one.test_type))
    return pd.concat(parts, ignore_index=True)


def triplets() -> pd.DataFrame:
    """The formal, semi-formal and informal wordings, tokenised as notebook 06 does."""
    from tahanuji.perturb import formality  # needs the extra of English

    frame, parts = formality.load("embedded"), []
    for level in formality.LEVELS:
        part = frame.assign(id="triplets/" + frame["id"] + f"/{level}", text=frame[level])
        if level != formality.LEVELS[0]:
            part["original"] = "triplets/" + frame["id"] + f"/{formality.LEVELS[0]}"
        kind = "INV" if "original" in part else "clean"
        parts.append(_labelled(part, "triplets", level, kind))
    return pd.concat(parts, ignore_index=True)


def cases(part: str) -> pd.DataFrame:
    """The texts of a CheckList, `checklist` or `regional`, as `checklist.texts` gives them."""
    suite = checklist.read() if part == "checklist" else checklist.read(REGIONAL)
    rows = checklist.texts(checklist.expand(suite))
    changed = rows["version"] == "changed"
    rows = rows.assign(id=f"{part}/" + rows["id"], part=part, test=rows["capability"])
    rows = rows.assign(original=(f"{part}/" + rows["case"]).where(changed, ""))
    return rows.assign(type=rows["test_type"], group=rows["family"])


def inference() -> pd.DataFrame:
    """All pairs of inference to be answered, those of notebook 11's suite and, of its versions, the
    ones with one sentence of the pair that they were made of.

    Returns
    -------
    DataFrame
        `INFERENCE`; of a version `expected` is empty and `original` the id of its pair.
    """
    suite = nli.load_suite()
    written = suite[suite["expected"] == ""]
    rows = pd.concat([suite, *one_sided(written, suite.set_index("id"))], ignore_index=True)
    kinds = ["MFT" if labels else "INV" for labels in rows["expected"]]
    return rows.assign(type=kinds, original=rows["pair_of"])[INFERENCE]


def _labelled(frame: pd.DataFrame, part: str, test: str, kind: str) -> pd.DataFrame:
    """Rows of a part and test; the right label is expected where nothing else is."""
    rows = frame.assign(part=part, test=test, type=kind)
    return rows if "expected" in rows else rows.assign(expected=rows["label"])


def _joined(labels: Iterable[str]) -> str:
    """Labels in the order of the thesis, divided by `|`."""
    return "|".join(label for label in data.LABELS if label in labels)
