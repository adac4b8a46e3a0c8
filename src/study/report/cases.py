"""The cases that runs asked, in one form for all notebooks: what was expected, what was answered
before and after the change, and whether that is a failure. Texts stand in it only where the licence
of the data lets them be published.
"""

import functools
import hashlib

import pandas as pd

from helpers import tables
from study.report import runs
from tahanuji import checklist
from tahanuji.perturb import formality
from tahanuji.results import Run

COLUMNS = ["notebook", "variant", "dataset", "test", "title", "type", "model", "id", "expected"]
COLUMNS += ["before", "after", "verdict", "text", "changed"]
BESIDE = ["rate", "group", "summary", "sure"]  # by which cases are chosen
WRONG, INDUCED, BEFORE_TOO = "wrong", "right, then wrong", "wrong before and after"
UNMOVED = "right, then did not follow"  # where a change asks for another label
OF_PAIRS = {"INV": "label changed", "DIR": "moved the wrong way"}
MOVED = ["gold", "clean_label", "perturbed_label"]
TRIPLETS = "06_formality"
BETWEEN = " ‖ "  # between the two texts of a pair


def failures(run: Run) -> pd.DataFrame:
    """The failing cases that a run kept in misclassified.csv (COLUMNS), or of a published run,
    which has none, those of predictions.csv; never a case that passed, though a file may hold it.
    """
    kept = (run.folder / "misclassified.csv").is_file()
    return cases(run, "misclassified" if kept else "predictions", failing=True)


def cases(run: Run, name: str, failing: bool = False, private: bool = False) -> pd.DataFrame:
    """The cases of `<name>.csv` of a run, those that failed or all, `private` with texts whatever
    their licence; InputError where the file is not whole.
    """
    path = run.folder / f"{name}.csv"
    if not path.is_file() or not path.stat().st_size:
        return pd.DataFrame(columns=[*COLUMNS, *BESIDE])
    if name == "predictions":
        frame = run.predictions()
    else:
        frame = runs.titled(tables.read(path, ["id", "gold"]), run.about)
    frame = frame if "text" in frame else _rewritten(run, frame)
    form = _moved if "perturbed_label" in frame else _pairs if "test_type" in frame else _plain
    if failing and "failure" in frame:
        frame = frame[_column(frame, "failure") == "True"]
    judged = form(frame)
    if failing:  # what a row says counts, whatever list it is on
        plain = ~judged["verdict"].isin(OF_PAIRS.values())
        allowed = [expected.split("|") for expected in judged["expected"]]
        passed = [one in words for one, words in zip(judged["after"], allowed, strict=True)]
        judged = judged[~(plain & pd.Series(passed, judged.index, dtype=bool))]
    return _named(run, judged, private or publishable(run))


@functools.cache
def suite() -> checklist.Suite:
    """The CheckList as it is now, read once for all that a report shows of it."""
    return checklist.read()


@functools.cache
def _expanded() -> pd.DataFrame:
    return checklist.expand(suite())


@functools.cache
def triplets() -> pd.DataFrame:
    """The project's triplets, read once: the formal wording as `text`, those of all tests as
    `perturbed`, `dialect` of the informal one.
    """
    whole = formality.load("embedded")
    tests = {name: name for name in formality.LEVELS}
    tests[formality.SPELT_OUT] = formality.UNABBREVIATED
    parts = [
        whole[["id", "dialect"]].assign(test=test, text=whole["formal"], perturbed=whole[name])
        for test, name in tests.items()
    ]
    made = pd.concat(parts, ignore_index=True)
    made.attrs = whole.attrs
    return made


def _rewritten(run: Run, frame: pd.DataFrame) -> pd.DataFrame:
    """The cases of a published run with their texts, which the reference leaves out, where the
    project wrote them and they are as the run read them.
    """
    if "test_type" in frame:
        asked, key, own = _expanded(), ["id"], ["text", "changed"]
    elif run.notebook == TRIPLETS:
        asked, key, own = triplets(), ["id", "test"], ["text", "perturbed"]
    else:
        return frame
    if asked.attrs["source"]["sha256"] not in {one.get("sha256") for one in run.about["data"]}:
        return frame
    texts = asked.set_index(key)[own]
    return frame.drop(columns=own, errors="ignore").join(texts, on=key)


def draw(name: str) -> str:
    """A place in a draw by an id's hash: the same runs show the same cases."""
    return hashlib.sha256(name.encode()).hexdigest()


def publishable(run: Run) -> bool:
    """Whether the licences of all data of a run let a page show their texts."""
    return bool(run.about["data"]) and all(part.get("publish_texts") for part in run.about["data"])


def _column(frame: pd.DataFrame, name: str) -> pd.Series:
    """A column as words, empty ones where nothing stands."""
    if name not in frame:
        return pd.Series("", frame.index, dtype="str")
    return frame[name].astype("str").fillna("")


def _moved(frame: pd.DataFrame) -> pd.DataFrame:
    """Cases with a clean and a perturbed text."""
    gold, before, after = (_column(frame, name) for name in MOVED)
    expected, induced = _column(frame, "expected"), _column(frame, "induced")
    right = (induced == "True").where(induced != "", before == gold)
    verdict = right.map({True: INDUCED, False: BEFORE_TOO})
    return frame.assign(
        expected=expected.where(expected != "", gold),
        before=before,
        after=after,
        verdict=verdict.mask(right & (before == after), UNMOVED),
        sure=_probability(frame, after, "perturbed_"),
        type="",
        text=_joined(frame, "text", "text_pair"),
        changed=_joined(frame, "perturbed", "perturbed_pair"),
    )


def _pairs(frame: pd.DataFrame) -> pd.DataFrame:
    """Cases of the checklist: a text with an expected label, or two whose answers are compared."""
    label, changed = _column(frame, "label"), _column(frame, "changed_label")
    paired = changed != ""
    after = _probability(frame, changed, "changed_p_")
    return frame.assign(
        expected=_column(frame, "expected"),
        before=label.where(paired, ""),
        after=changed.where(paired, label),
        sure=after.where(paired, _probability(frame, label, "p_")),
        verdict=frame["test_type"].map(OF_PAIRS).where(paired, WRONG),
        type=frame["test_type"],
        text=_column(frame, "text"),
        changed=_column(frame, "changed").where(paired, ""),
    )


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """Texts that are not changed."""
    return frame.assign(
        expected=_column(frame, "gold"),
        before="",
        after=_column(frame, "label"),
        verdict=WRONG,
        sure=_probability(frame, _column(frame, "label"), "p_"),
        type="",
        text=_joined(frame, "text", "text_pair"),
        changed="",
    )


def _probability(frame: pd.DataFrame, answers: pd.Series, start: str) -> pd.Series:
    """The probability of each answer, from the columns that begin so."""
    sure = pd.Series(float("nan"), frame.index)
    for label in answers.unique():
        if (name := f"{start}{label}") in frame:
            sure = sure.mask(answers == label, frame[name])
    return sure


def _joined(frame: pd.DataFrame, first: str, second: str) -> pd.Series:
    texts, others = _column(frame, first), _column(frame, second)
    return texts.where(others == "", texts + BETWEEN + others)


def _named(run: Run, frame: pd.DataFrame, texts: bool) -> pd.DataFrame:
    of = {"notebook": run.notebook, "variant": run.variant, "model": run.model}
    frame = frame.assign(**of, dataset=str(run.about["parameters"].get("dataset", "")))
    if not texts:
        frame = frame.assign(text="", changed="")
    hidden = [name for name in tables.TEXTS if name in frame and name not in ("text", "changed")]
    return frame.drop(columns=hidden)[[*COLUMNS, *BESIDE]].reset_index(drop=True)
