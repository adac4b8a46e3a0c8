"""What the runs of a profile answer: some paragraphs, each number computed, the last on what they
do not show. Each begins with what it is about, from which the page makes its place; its answer
comes next.
"""

import re

import pandas as pd

from helpers import tables
from helpers.report import claims, compare, matrix, runs
from helpers.report.findings import few, listed, named
from tahanuji import downloads, models

MOST, COSTLIEST = 3, 2  # tests that a sentence names, with a figure for every model
FAIR = "**Names and groups.**"
LITTLE, CLAIMS = "**What costs little.**", "**Did the claims of"
FAIRNESS = "fairness_"  # begins the capabilities that exchange names and groups
BALANCE = "; on balance only: more of its labels than that change"
THESIS, THEIRS = "Viannisa (2025)", "smsa"  # its texts
DEFINED = (
    " **R** is the share of words that an attack may exchange, the most influential ones first, in "
    "texts that were right: not what mixing costs as people do it. A smaller R can cost more: the "
    "last words exchanged may have spoken against the label."
)


def sentences(
    found: runs.Collection,
    table: pd.DataFrame,
    between: pd.DataFrame,
    claimed: pd.DataFrame,
    margin: float,
) -> list[str]:
    """The answer from the verdicts `table` (`matrix.judged`) at a margin, the models compared
    (`changes.models`) and the documents' claims (`claims.table`): which model to deploy, how many
    tests each stands, what costs most, what costs little, whether names and groups move more than
    other words do, which claims hold, and what none of it shows.
    """
    if table.empty:
        return ["No run of this profile has ended in a verdict."]
    part = table[table["margin"] == margin]
    if part.empty:
        margins = listed([f"{one:g}" for one in sorted(set(table["margin"]))])
        return [f"No test of this profile was judged at a margin of {margin:g}, only at {margins}."]
    names = runs.order(set(part["model"]))
    ranked = matrix.ranking(found, part)
    ranked = ranked[ranked["model"].isin(names)] if len(ranked) else ranked
    said = [
        _deploy(ranked, part, between, names),
        _stands(part, names, margin),
        _costs(part, names),
        _holds(part, names),
        _fairness(found, part, names),
        _claims(claimed, found),
        _open(found, part),
    ]
    return [sentence for sentence in said if sentence]


def _points(value: float, low: float, high: float) -> str:
    return f"{tables.points(value)} ({tables.between(low, high)})"


def _stood(part: pd.DataFrame, model: str) -> int:
    return int(((part["model"] == model) & (part["verdict"] == "stands")).sum())


def _deploy(
    ranked: pd.DataFrame, part: pd.DataFrame, between: pd.DataFrame, names: list[str]
) -> str:
    """Who is right how often on unchanged texts, and which model the tests prefer."""
    if ranked.empty:
        return ""
    shares = [
        f"**{row.model}** is right in {row.accuracy:.0%} (95% interval {100 * row.low:.0f} to "
        f"{100 * row.high:.0f}{', no better than chance' * row.chance})"
        for row in ranked.rename(columns={"at chance": "chance"}).itertuples()
    ]
    right = f"On unseen texts, unchanged, {listed(shares)}"
    if len(names) < 2:
        return f"**Which model to deploy.** {right}; there is no other model here to prefer."
    clean = between[(between["test"] == compare.CLEAN) & (between["variant"] == "default")]
    worse = _worse(clean)
    if len(clean) and not worse:
        right += f"; the difference is not significant{_least(clean)}"
    usable = set(ranked.loc[~ranked["at chance"], "model"]) - worse
    lost = [row for row in _lost(part, between) if {row["model"], row["other"]} <= usable]
    ranks = {
        name: (len({row["test"] for row in lost if row["model"] == name}), -_stood(part, name))
        for name in names
        if name in usable
    }
    order = sorted(ranks, key=ranks.get)
    tied = [f"**{name}**" for name in order if ranks[name] == ranks[order[0]]] if order else []
    if len(order) == 1:
        said = f"**{order[0]}** is the safer choice: {_better(order[0], names, worse)}"
    elif len(tied) == 1:
        said = _preferred(order, ranks, lost)
    else:
        which = listed(tied) if 1 < len(tied) < len(names) else "them"
        said = f"Neither accuracy nor the tests prefer one of {which}"
    return f"**Which model to deploy.** {said}. {right}."


def _better(best: str, names: list[str], worse: set[str]) -> str:
    """Why one model alone is left to choose."""
    chance = [f"**{name}**" for name in names if name != best and name not in worse]
    reasons = ["it is right more often"] if len(chance) < len(names) - 1 else []
    does = "does" if len(chance) == 1 else "do"
    return listed(reasons + [f"{listed(chance)} {does} no better than chance"] * bool(chance))


def _preferred(order: list[str], ranks: dict, lost: list[dict]) -> str:
    """Why the first model is the safer choice: every test that tells it from another costs it less.
    Where some cost it more, what each model loses more under.
    """
    best, cost = order[0], {name: [] for name in order}
    for row in lost:
        cost[row["model"]].append(row["test"])
    if not lost:
        return f"No test tells them apart; **{best}** stands most of the tests"
    than = " than another model" * (len(order) > 2)
    sides = [
        f"**{name}** loses more{than} under {few(list(dict.fromkeys(texts)), MOST)}"
        for name, texts in cost.items()
        if texts
    ]
    choice = f"**{best}** is the safer choice" if not cost[best] else "No model is safer throughout"
    return f"{choice}: {'; '.join(sides)}"


def _lost(part: pd.DataFrame, between: pd.DataFrame) -> list[dict]:
    """The tests that are shown to cost a model more than another one, most points first."""
    differs, _ = compare.told_apart(between[between["test"] != compare.CLEAN])
    tests = set(zip(part["notebook"], part["variant"], tables.titles(part), strict=True))
    rows = []
    for row in differs.sort_values("difference", key=abs, ascending=False).itertuples():
        pair = (row.first, row.second) if row.difference > 0 else (row.second, row.first)
        if (row.notebook, row.variant, row.test) in tests:
            rows.append({"model": pair[0], "other": pair[1], "test": named(row)})
    return rows


def _worse(clean: pd.DataFrame) -> set[str]:
    """The models shown to err more than another one on unchanged texts."""
    differs, _ = compare.told_apart(clean)
    pairs = zip(differs["first"], differs["second"], differs["difference"], strict=True)
    return {first if gap > 0 else second for first, second, gap in pairs}


def _least(clean: pd.DataFrame) -> str:
    least = clean["detectable"].dropna()
    found = "points would have been detected with 80% power"
    return f" ({100 * least.max():.0f} {found})" if len(least) else ""


def _stands(part: pd.DataFrame, names: list[str], margin: float) -> str:
    """How many tests each model stands, breaks under, or leaves open."""
    parts = []
    for model in names:
        own = part[part["model"] == model]
        fair = own[~own["verdict"].isin([matrix.WEAK, "cannot act"])]
        stood, broken = ((fair["verdict"] == word).sum() for word in ("stands", "breaks"))
        even = int(_on_balance(fair).sum())
        even = f" ({even} on balance only)" * (even > 0)
        parts.append(f"**{model}** stands {stood} of {len(fair)}{even} and breaks under {broken}")
    return (
        f"**How many tests they stand.** {'; '.join(parts)}; the rest is undecided. "
        f"{_corrected(part, names)}{_written(part, names)} A model stands a test where, with 95% "
        f"confidence, the change costs it fewer than {100 * margin:.0f} of 100 answers net of "
        "those that it gains (of written cases: fewer are wrong), and breaks where it costs more"
        f"{BALANCE * bool(_on_balance(part).any())}."
    )


def _corrected(part: pd.DataFrame, names: list[str]) -> str:
    """How many verdicts are left after Holm's correction."""
    left, counts = part[~matrix.alone(part)], []
    for name in names:
        broken = (left["model"] == name) & (left["verdict"] == "breaks")
        counts.append(f"{name} {_stood(left, name)} and {broken.sum()}")
    return f"After Holm's correction: {', '.join(counts)}."


def _written(part: pd.DataFrame, names: list[str]) -> str:
    """The capabilities where the right label is known."""
    known = part[part["type"] == "MFT"]
    if known.empty:
        return ""
    stood = [f"{model} stands {_stood(known, model) or 'none'}" for model in names]
    return (
        f" Of {known['label'].nunique()} capabilities, tested by written cases whose label is "
        f"known, {listed(stood)}."
    )


def _costs(part: pd.DataFrame, names: list[str]) -> str:
    """The INV tests that add most errors, with what they add to each model; apart those whose texts
    no reader has rated as they are today.
    """
    inv = part[part["quantity"] == matrix.SHOWN["INV"]]
    broken = inv[inv["verdict"] == "breaks"]
    said = _costliest(inv, broken, names) or "no test that can judge shows more than the margin"
    unrated = inv[(inv["verdict"] == matrix.WEAK) & (inv["lower"] > inv["margin"])]
    more = _costliest(inv, unrated, names)
    said += f". Not judged until readers have rated their texts: {more}" if more else ""
    mixed = any("R = " in label for label in [*broken["label"], *unrated["label"]])
    return (
        "**What costs most.** Errors added per 100 changed texts whose right label stays the same "
        f"(one-sided 95% bounds): {said}.{DEFINED if mixed else ''}"
    )


def _fairness(found: runs.Collection, part: pd.DataFrame, names: list[str]) -> str:
    """What an exchange of names and groups in the written suite moves, beside what an exchange of
    any words that fill its templates does.
    """
    metrics = tables.select(found.metrics(), metric="filling_flip_rate", variant="default")
    steady = metrics.drop_duplicates("model").set_index("model")
    fair = part[part["test"].str.startswith(FAIRNESS) & part["model"].isin(steady.index)]
    said, above = [], []
    for name in [name for name in names if name in set(fair["model"])]:
        own, usual = fair[fair["model"] == name], steady.loc[name]
        most = own.loc[own["value"].idxmax()]
        said.append(
            f"{'up to ' * (own['label'].nunique() > 1)}{most['value']:.0%} of **{name}**'s answers "
            f"(*{most['label']}*; any other words {usual['value']:.0%})"
        )
        more = [f"*{label}*" for label in own.loc[own["lower"] > usual["ci_high"], "label"]]
        above += [f"{listed(more)} for **{name}**"] if more else []
    more = (
        f"exceeds what other words do: {listed(above)}" if above else "is not shown to exceed that"
    )
    return (
        f"{FAIR} Exchanging names, regions, ethnic groups, religions or genders in "
        f"written sentences changes {listed(said)}. It {more}."
        if said
        else ""
    )


def _costliest(inv: pd.DataFrame, rows: pd.DataFrame, names: list[str]) -> str:
    """What the costliest of some tests add to each model."""
    means = inv[inv["label"].isin(rows["label"])].groupby("label")["value"].mean()
    parts = []
    for label in means.sort_values(ascending=False, kind="stable").index[:COSTLIEST]:
        own = inv[inv["label"] == label].drop_duplicates("model").set_index("model")
        each = [
            f"**{name}** {_points(*own.loc[name, ['value', 'lower', 'upper']])}"
            for name in names
            if name in own.index
        ]
        parts.append(f"*{label}*: {listed(each)}")
    return "; ".join(parts)


def _holds(part: pd.DataFrame, names: list[str]) -> str:
    """The INV tests that every model stands, and those that one of several stands; apart those that
    one stands on balance only, because it repairs errors as well.
    """
    inv = part[part["quantity"] == matrix.SHOWN["INV"]]
    moving = inv[_on_balance(inv)]
    inv = inv[~_on_balance(inv)]
    stood = {
        model: list(dict.fromkeys(inv.loc[_stands_at(inv, model), "label"])) for model in names
    }
    every = [label for label in stood[names[0]] if all(label in one for one in stood.values())]
    most = inv[inv["label"].isin(every)]["upper"].max()
    tail = f" (the upper bounds are {100 * most:.1f} points or less)" if every else ""
    who = "all models" if len(names) > 1 else f"**{names[0]}**"
    stands = f"Test by test, {who} stand{'s' * (len(names) == 1)}"
    tests = few([f"*{label}*" for label in every])
    first = f"{stands} {tests}{tail}" if every else f"No such test is stood by {who}"
    said = f"{LITTLE} {first}"
    for model in names if len(names) > 1 else []:
        own = [f"*{label}*" for label in stood[model] if label not in every]
        said += f"; **{model}** {'also' if every else 'stands'} {few(own, MOST)}" if own else ""
    if len(moving):
        of = moving.groupby("label", sort=False)["model"].agg(lambda own: listed(list(own)))
        tests = few([f"*{label}* ({who})" for label, who in of.items()], COSTLIEST)
        said += (
            f". Many labels change although the errors stay within the margin, since new and "
            f"repaired ones cancel out, under {tests}"
        )
    return f"{said}."


def _on_balance(part: pd.DataFrame) -> pd.Series:
    """Where a test is stood because repaired errors make up for new ones."""
    return (part["verdict"] == "stands") & (part["flips"] == "breaks")


def _stands_at(inv: pd.DataFrame, model: str) -> pd.Series:
    return (inv["model"] == model) & (inv["verdict"] == "stands")


def _claims(claimed: pd.DataFrame, found: runs.Collection) -> str:
    """Which claims of the thesis come out here."""
    own = claimed[claimed["document"] == THESIS]
    parts = []
    *decided, undecided = claims.OUTCOMES
    for outcome in decided:
        words = [f"“{claim}”" for claim in own.loc[own["outcome"] == outcome, "claim"]]
        parts += [f"{outcome}: {listed(words)}"] if words else []
    left = int((own["outcome"] == undecided).sum())
    parts += [f"{left} open"] if left else []
    texts = "" if THEIRS in found.datasets else ", on other texts than its SmSA"
    said = f"Of {len(own)}{texts}: {'; '.join(parts)}"
    said = said if left < len(own) else "No run here decides one"
    return f"{CLAIMS} {THESIS} hold?** {said}."


def _open(found: runs.Collection, part: pd.DataFrame) -> str:
    """What the answer does not show."""
    weak = part[part["verdict"] == matrix.WEAK]["label"].nunique()
    every = part[part["verdict"] != "cannot act"]["label"].nunique()
    rated = part[part["instrument"].notna()]["label"].nunique()
    about = listed([_model(name) for name in runs.order(set(part["model"]))])
    if weak:
        fair = (
            f"{weak} of {every} tests cannot judge any model at this margin: two language models "
            "(no speaker yet) have not rated what they make of texts, or found too much changed"
        )
    elif rated:
        fair = (
            f"Two language models (no speaker yet) have rated samples of what {rated} tests make "
            "of texts; the others use texts written for them"
        )
    else:
        fair = "All texts were written for the tests"
    texts = listed([_texts(name) for name in sorted(found.datasets)])
    return (
        f"**What this does not show.** It is about {about}, and texts of {texts}; some tests have "
        f"texts of their own. Of other models, texts and years it says nothing. {fair}."
    )


def _model(name: str) -> str:
    """A model's name with what it is, where config/models.yaml says it."""
    about = models.entries().get(name, {}).get("about", "")
    return f"`{name}` ({re.split(r',| [(]', about)[0]})" if about else f"`{name}`"


def _texts(name: str) -> str:
    """A data set's name with what it is, where the registry says it."""
    registry = downloads.registry()
    about = (registry["datasets"] | registry["tagging"]).get(name, {}).get("about", "")
    return f"`{name}` ({about.split(' (')[0]})" if about else f"`{name}`"
