"""What a policy says of a frame of outcomes: a row per test, by the verdicts of
`tahanuji.measure`.
"""

import math
import re
from collections.abc import Callable, Iterator

import pandas as pd

from tahanuji import families, measure, perturb
from tahanuji.errors import unknown
from tahanuji.gate import frames
from tahanuji.gate.policy import BY, NOT_BREAK, NOTHING, SKILLS, Policy, Rule
from tahanuji.measure import Estimate

PASSED, FAILED, UNDECIDED, SKIPPED = "passed", "failed", "undecided", "skipped"
COLUMNS = ["family", "test", "must", "quantity", "margin", "confidence", "value", "lower", "upper"]
COLUMNS += ["n", "verdict", "outcome", "needed", "why"]
NO_TEXTS = "no texts"
BOTH, ADDED, MORE = BY[2], "errors added", "more errors"
RATE = re.compile(r" [\d.]+$")  # behind a test's name
SHARES = ("flips", "failures")  # all else are differences


def judge(
    frame: pd.DataFrame, policy: Policy, baseline: Callable[[str], pd.DataFrame] | None = None
) -> pd.DataFrame:
    """What a policy says of every test.

    Parameters
    ----------
    frame : DataFrame
        Outcomes, as `frames.prepared` gives them.
    policy : Policy
        What the classifier must stand.
    baseline : callable, optional
        From the name of a baseline to its outcomes.

    Returns
    -------
    DataFrame
        A row per test and quantity: family, test; must, margin and confidence of the rule; value,
        one-sided bounds lower and upper, n and verdict as `measure.verdicts` gives them; outcome:
        passed, failed, undecided, or skipped where nothing is asked or the test cannot judge;
        needed, the texts that would decide what is undecided, NaN where none would; why, for what
        is skipped or undecided for another reason than its bounds.

    Raises
    ------
    InputError
        For a family or test of the policy that is none, and a baseline on other examples.

    Examples
    --------
    >>> rows = pd.DataFrame({"id": range(100), "test": "ocr", "gold": "a", "clean_label": "a"})
    >>> rows = frames.prepared(rows.astype(str).assign(perturbed_label=["b"] * 40 + ["a"] * 60))
    >>> judge(rows, Policy("own", {"margin": 0.1}))[["test", "verdict", "outcome"]].values.tolist()
    [['ocr', 'breaks', 'failed']]
    """
    olds = {name: baseline(name) for name in policy.baselines}
    parts = {name: dict(frames.tests(frames.with_unchanged(old))) for name, old in olds.items()}
    rows: list[dict] = []
    for key, part in frames.tests(frames.with_unchanged(frame) if olds else frame):
        rule = policy.of(*key[:2])
        if key[0] == frames.CLEAN and not rule.baseline:
            continue
        old = parts[rule.baseline].get(key) if rule.baseline else None
        told = _against(part, old, rule) if rule.baseline else _alone(part, rule)
        rows += [_asked(*key[:2], rule) | one for one in told]
    rows += _lacking(rows, policy)
    return pd.DataFrame(rows, columns=COLUMNS)


def _asked(family: str, test: str, rule: Rule) -> dict:
    """The columns of a test and its rule."""
    named = {name: getattr(rule, name) for name in ("must", "margin", "confidence")}
    return {"family": family, "test": test, **named}


def _lacking(rows: list[dict], policy: Policy) -> Iterator[dict]:
    """A row for each family and test that a policy names and that has no text here; InputError for
    what cannot be one.
    """
    there = {name: {row[name] for row in rows} for name in ("family", "test")}
    known = {"family": {*families.names(), frames.CLEAN, SKILLS}, "test": set(perturb.REGISTRY)}
    named = [("family", name, policy.of(name, "")) for name in policy.families]
    named += [("test", name, policy.of("", name)) for name in policy.tests]
    changes = {_change(name) for name in there["test"]}
    for kind, name, rule in named:
        absent = kind == "test" and _change(name) not in changes | {""}  # nothing of its change ran
        if name not in there[kind] | known[kind] and not absent:
            allowed = sorted(there[kind] | known[kind])
            raise unknown(f"{kind} of the policy {policy.name}", name, allowed)
        if name not in there[kind] and rule.must != NOTHING:
            yield _asked(name, name, rule) | {"n": 0, "outcome": UNDECIDED, "why": NO_TEXTS}


def _change(test: str) -> str:
    """The perturbation that a test's name begins with; empty where it begins with none.

    >>> _change("negation: gak"), _change("realistic noise 0.1"), _change("ocrs")
    ('negation', 'realistic_noise', '')
    """
    name = RATE.sub("", test.partition(":")[0]).replace(" ", "_")
    return name if name in perturb.REGISTRY else ""


def _alone(part: pd.DataFrame, rule: Rule) -> list[dict]:
    """What a rule says of one test by itself."""
    if rule.must == NOTHING:
        return [{"n": len(part), "outcome": SKIPPED, "why": "nothing is asked of it"}]
    kind = part["type"].iloc[0]
    if kind not in ("INV", "DIR", "MFT"):
        return [{"n": len(part), "outcome": SKIPPED, "why": "its texts may change the right label"}]
    judged = _judged(part, kind, rule)
    if kind == "INV" and rule.by == BY[0]:
        judged = judged[measure.decisive(judged)]
    elif kind == "INV" and rule.by != BOTH:
        judged = judged[judged["quantity"] == rule.by]
    return _outcomes(part, kind, judged, rule)


def _against(part: pd.DataFrame, old: pd.DataFrame | None, rule: Rule) -> list[dict]:
    """What a rule says of one test beside the same test of a baseline, by the errors that the new
    classifier has more.
    """
    if old is None:
        return [{"n": len(part), "outcome": UNDECIDED, "why": f"{rule.baseline} lacks the test"}]
    both = frames.paired(part, old)
    if both is None:
        return [{"n": len(part), "outcome": SKIPPED, "why": "the two were asked other texts"}]
    judged = _judged(both, "INV", rule)
    judged = judged[judged["quantity"] == ADDED].assign(quantity=MORE)
    return _outcomes(both, "INV", judged, rule)


def _judged(part: pd.DataFrame, kind: str, rule: Rule) -> pd.DataFrame:
    """The verdicts of one test's rows. A gate asks one side alone: what may add fewer errors than
    -margin stands too. An instrument that can judge nothing does not show that a change is unseen.
    """
    judged = measure.verdicts(part, kind, [rule.margin], _weak(part), rule.confidence)
    bounds = zip(judged["lower"], judged["upper"], strict=True)
    one_sided = [measure.verdict(*pair, rule.margin) for pair in bounds]
    still, unseen = (judged["verdict"] == name for name in ("undecided", measure.UNSEEN))
    said = judged["verdict"].mask(still, one_sided)
    weak = unseen & (judged["instrument"].astype(float) >= rule.margin)
    return judged.assign(verdict=said.mask(weak, measure.WEAK))


def _weak(part: pd.DataFrame) -> dict[str, tuple[float, float]]:
    """The bound of unfit outputs of one test's instrument, where it has one."""
    bounds = part["instrument"].dropna() if "instrument" in part else ()
    return {part["test"].iloc[0]: (float(max(bounds)), math.inf)} if len(bounds) else {}


def _outcomes(part: pd.DataFrame, kind: str, judged: pd.DataFrame, rule: Rule) -> list[dict]:
    """The outcomes of one test's verdicts under a rule."""
    rows = part if kind == "MFT" else part[part["changed"].astype(bool)]
    if judged.empty:
        return [{"n": 0, "outcome": UNDECIDED, "why": NO_TEXTS}]
    texts, asked = rows["id"].nunique(), int(rows.groupby("id").size().min())
    why = ""
    if texts < rule.least_texts:
        why = f"{texts} texts, and {rule.least_texts} are asked for"
    if asked < rule.repeats:
        why = f"texts were asked {asked} times, and {rule.repeats} times are asked for"
    told = []
    for row in judged.to_dict("records"):
        one = {name: row[name] for name in ("quantity", "value", "lower", "upper", "n", "verdict")}
        one |= _outcome(row["verdict"], why, rule)
        if one["outcome"] == UNDECIDED and asked >= rule.repeats:
            quantity = ADDED if row["quantity"] == MORE else row["quantity"]
            sizes = rule.margin, rule.confidence
            least = measure.texts_to_decide(part, kind, quantity, *sizes)
            one["needed"] = least and max(rule.least_texts, math.ceil(least / asked))
        told.append(one)
    return told


def _outcome(verdict: str, why: str, rule: Rule) -> dict:
    """The outcome of a verdict under a rule, and why it is not its bounds' alone."""
    if verdict == measure.WEAK:
        return {"outcome": SKIPPED, "why": "too many of its texts may have another right label"}
    if why:
        return {"verdict": "undecided", "outcome": UNDECIDED, "why": why}
    if verdict == measure.UNSEEN:
        return {"outcome": PASSED, "why": "the classifier does not see the change"}
    if verdict == "breaks":
        return {"outcome": FAILED}
    passes = verdict in measure.DECIDED or rule.must == NOT_BREAK
    return {"outcome": PASSED if passes else UNDECIDED}


def outcome(judged: pd.DataFrame) -> str:
    """What a gate comes to: failed where one test is, else undecided where one is or none passed,
    else passed.

    >>> outcome(pd.DataFrame({"outcome": ["passed", "skipped"]}))
    'passed'
    """
    there = set(judged["outcome"])
    if FAILED in there:
        return FAILED
    return PASSED if PASSED in there and UNDECIDED not in there else UNDECIDED


def status(judged: pd.DataFrame, policy: Policy) -> int:
    """The exit status of a gate: 0 passed, 1 failed, and that of the policy for undecided."""
    return {PASSED: 0, FAILED: 1, UNDECIDED: policy.undecided}[outcome(judged)]


def said(row) -> str:
    """What became of a test, for readers.

    >>> row = {"quantity": "flips", "value": 0.4, "lower": 0.32, "upper": 0.49, "n": 100}
    >>> row |= {"margin": 0.1, "verdict": "breaks", "outcome": "failed", "why": None}
    >>> said(pd.Series(row | {"needed": float("nan")}))
    'flips 40.0% (32.0 to 49.0) of 100 texts, margin 10%: breaks'
    """
    why = "" if pd.isna(row.why) else row.why
    if pd.isna(row.value):
        return why
    unit = "%" if row.quantity in SHARES else "points"
    shown = f"{Estimate(row.value, row.lower, row.upper, row.n):{unit}}"
    told = f"{row.quantity} {shown} of {row.n:.0f} texts, margin {row.margin:.0%}: {row.verdict}"
    if row.outcome == UNDECIDED and pd.notna(row.needed):
        why += f"{', ' if why else ''}{row.needed:.0f} texts would decide"
    elif row.outcome == UNDECIDED and not why:
        why = "it lies at the margin"
    return f"{told} ({why})" if why else told
