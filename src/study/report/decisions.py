"""What the runs decide: pure functions on frames, without sentences.

Which verdict a row shows and whether it counts, which model the tests prefer, what costs most, what
costs little, and what exchanging names moves beside exchanging other words.
"""

import pandas as pd
from scipy.stats import binomtest

from helpers import notebooks, titles, verdicts
from tahanuji import changes, checklist, measure, perturb
from tahanuji.errors import InputError
from tahanuji.families import FAIRNESS, MIXING, family
from tahanuji.instrument import Instrument
from tahanuji.results import Results, Run, select

# What a test is judged by; an INV test of texts without a right label by the labels that flip.
QUANTITY = {"INV": "errors added", "DIR": "failures", "MFT": "failures"}
ADDED, FLIPS = QUANTITY["INV"], "flips"
SKILL = "MFT"  # the type of written cases: no text is changed, and they count towards no robustness
STANDS, BREAKS, IMPROVES, UNDECIDED = "stands", "breaks", "improves", "undecided"
BALANCED = "on balance"  # stands by errors added, and breaks by labels that flip
BLIND, WEAK = measure.UNSEEN, measure.WEAK
SHOWN = (STANDS, BALANCED, BREAKS, IMPROVES, UNDECIDED, BLIND, WEAK)
COUNTED = (STANDS, BALANCED, BREAKS, IMPROVES, UNDECIDED)
LEVEL = 0.05  # of p after Holm's correction
RISE = "negative_rise"  # of a group, against the others of its test
AT_RATE = ["rate", "value", "lower", "upper", "n", "verdict", "detectable", "p"]
KEYS = ["model", "notebook", "variant", "test", "rate", "group", "margin"]
RATES = ["clean_error_rate", "failure_rate", "flip_rate", "induced_rate", "repaired_rate"]
RATES += ["changed_share"]
RANKED = ["model", "accuracy", "low", "high", "n", "worst test", "before", "after", "lost"]
RANKED += ["at chance"]
OWN = ["capability", "label", "flips", "p_holm", "shown", "counted", "alone"]


def judged(results: Results) -> pd.DataFrame:
    """The verdicts of runs that repeat no other one with another seed, on the data set that most of
    them are about: whole tests, by the quantity that the matrix shows of them.

    Left out are a notebook's totals, and other settings of a test that the default run has. Of
    perturbations that were run at several rates the rated one counts. Columns of verdicts.csv and
    OWN: `flips` is the verdict on labels that flip, `p_holm` Holm's correction at each margin,
    `shown` the verdict of SHOWN, `counted` whether it counts, `alone` whether it is decided by
    itself and not after Holm.
    """
    parts = [_named(run) for run in results.runs if _asked(run, results)]
    if not parts:
        columns = [*results.verdicts.columns, *OWN]
        return pd.DataFrame(columns=columns).astype({"counted": bool, "alone": bool})
    table = verdicts.enough(own_settings(pd.concat(parts, ignore_index=True)))
    flips = select(table, quantity=FLIPS).set_index(KEYS)["verdict"].rename("flips")
    table = table[_of_quantity(table) & ~table["test"].isin(list(QUANTITY))]
    table = table.join(flips, on=KEYS, validate="one_to_one")
    for _, part in table.groupby("margin"):
        table.loc[part.index, "p_holm"] = measure.holm(list(part["p"]))
    return decided(table)


def decided(table: pd.DataFrame) -> pd.DataFrame:
    """Verdicts with `shown`, `counted` and `alone`.

    Errors that cancel out while labels flip stand on balance alone.
    """
    hidden = (table["verdict"] == STANDS) & (table["flips"] == BREAKS)
    shown = table["verdict"].mask(hidden & (table["quantity"] == ADDED), BALANCED)
    corrected = table["p_holm"] < LEVEL
    alone = table["verdict"].isin(measure.DECIDED) & ~corrected
    return table.assign(shown=shown, counted=shown.isin(COUNTED), alone=alone)


def _asked(run: Run, results: Results) -> bool:
    return bool(len(run.verdicts)) and not run.repeat and run.dataset in results.datasets


def _named(run: Run) -> pd.DataFrame:
    """The whole tests of a run at their rated rates, with `capability` and `label`."""
    table = run.main(run.verdicts)
    rated = [
        Instrument(test).rate if test in perturb.REGISTRY else rate
        for test, rate in zip(table["test"], table["rate"], strict=True)
    ]
    table = table[table["rate"].isna() | (table["rate"] == rated)]
    capabilities = [capability(run.notebook, test) for test in table["test"]]
    labels = [label(run.notebook, title, run.variant) for title in table["title"]]
    return table.assign(capability=capabilities, label=labels)


def own_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Verdicts without those of other settings on tests that a model's default run has too."""
    keys = ["model", "notebook", "test", "rate", "group", "quantity", "margin"]
    default = table["variant"] == "default"
    own = table[default][keys].drop_duplicates().assign(default=True)
    again = table[keys].merge(own, "left", keys)["default"].eq(True).to_numpy()
    return table[default | ~again].reset_index(drop=True)


def _of_quantity(table: pd.DataFrame) -> pd.Series:
    """Which verdicts are of the quantity that the matrix shows of their test."""
    first = table["quantity"] == table["type"].map(QUANTITY)
    keys = ["model", "notebook", "variant", "test"]
    labelled = first.groupby([table[key] for key in keys]).transform("any")
    return first | ((table["quantity"] == FLIPS) & ~labelled)


def capability(notebook: str, test: str) -> str:
    """What a test is about: its perturbation's capability in the registry, else its notebook's, of
    the written suite with the group of its own.
    """
    about = notebooks.every().get(notebook)
    if about and about.capability:
        group = checklist.groups().get(test) if about.texts == "cases" else ""
        return f"{about.capability}: {group}" if group else about.capability
    return perturb.REGISTRY[test].capability if test in perturb.REGISTRY else "other"


def label(notebook: str, title: str, variant: str) -> str:
    """A test's name for readers, with the variant of its run where that is not the default."""
    name = titles.short(notebook, title)
    return name if variant == "default" else f"{name} ({variant.replace('_', ' ')})"


def tally(part: pd.DataFrame) -> pd.DataFrame:
    """Per model how many tests of a margin count, how many come to each of COUNTED, and how many
    stand and break after Holm's correction: `model, tests, stands, on balance, ..., stands after
    Holm, breaks after Holm`; `stands` holds those on balance too.
    """
    counts = part[part["counted"]]
    table = pd.crosstab(counts["model"], counts["shown"]).reindex(columns=COUNTED, fill_value=0)
    table.insert(0, "tests", table.sum(axis=1))
    table[STANDS] += table[BALANCED]
    sure = counts[~counts["alone"]]
    for word in (STANDS, BREAKS):
        left = sure[sure["verdict"] == word].groupby("model").size()
        table[f"{word} after Holm"] = left.reindex(table.index, fill_value=0)
    ordered = table.reindex(list(dict.fromkeys(part["model"])), fill_value=0)
    return ordered.rename_axis(columns=None).rename_axis("model").reset_index()


def families(part: pd.DataFrame) -> pd.DataFrame:
    """What the INV tests of every family of changes cost, without those that cannot judge, and
    without models that ran less than half as many tests as another: the verdicts with `family`,
    `most`, the cost of the family, and `foremost`, whether the test is the one of its family (and
    quantity) that costs most on the mean over the models; the costliest family first.
    """
    rows = part[(part["type"] == "INV") & part["counted"]]
    tests = rows.groupby("model")["label"].transform("nunique")
    rows = with_family(rows[tests > tests.max() / 2] if len(rows) else rows)
    rows["mean"] = rows.groupby(["quantity", "label"])["value"].transform("mean")
    most = rows.groupby(["family", "quantity"])["mean"].transform("max")
    rows = rows.assign(foremost=rows["mean"] == most)
    rows["most"] = rows.groupby("family")["mean"].transform("max")
    return rows.sort_values(["most", "family"], ascending=False, kind="stable").drop(columns="mean")


def with_family(part: pd.DataFrame) -> pd.DataFrame:
    """Verdicts with the `family` of changes of every test."""
    named = [family(*pair) for pair in zip(part["notebook"], part["test"], strict=True)]
    return part.assign(family=pd.Series(named, part.index, dtype=object))


def by_family(part: pd.DataFrame) -> pd.DataFrame:
    """The verdict of every model on every family of changes: `model, family, said, sure`. It breaks
    under a family where one of its tests breaks (`sure`: after Holm too), and stands where all
    stand; written cases are skills and count nowhere here.
    """
    tests, rows = with_family(part[part["counted"] & (part["type"] != SKILL)]), []
    for key, own in tests.groupby(["model", "family"], sort=False):
        breaks = own["shown"].eq(BREAKS)
        stands = own["shown"].isin([STANDS, BALANCED, IMPROVES]).all()
        said = BREAKS if breaks.any() else STANDS if stands else UNDECIDED
        rows.append((*key, said, bool((breaks & ~own["alone"]).any())))
    return pd.DataFrame(rows, columns=["model", "family", "said", "sure"])


def robustness(part: pd.DataFrame) -> pd.DataFrame:
    """Per model how many families of changes it stands and breaks under (`by_family`): `model,
    families, stands, breaks, breaks after Holm, undecided`.
    """
    table = by_family(part)
    sure = table[table["sure"].astype(bool)].groupby("model").size()
    table = pd.crosstab(table["model"], table["said"]).reindex(
        list(dict.fromkeys(part["model"])), columns=[STANDS, BREAKS, UNDECIDED], fill_value=0
    )
    table.insert(0, "families", table.sum(axis=1))
    table.insert(3, f"{BREAKS} after Holm", sure.reindex(table.index, fill_value=0))
    return table.rename_axis(columns=None).rename_axis("model").reset_index()


def skills(part: pd.DataFrame) -> pd.DataFrame:
    """Per model how many capabilities of written cases it stands (`tally`)."""
    return tally(select(part, type=SKILL))


def counts(part: pd.DataFrame) -> pd.DataFrame:
    """Per model and type of test how many tests come to each verdict."""
    said = [STANDS, BREAKS, IMPROVES, UNDECIDED, BLIND, WEAK]
    table = pd.crosstab([part["model"], part["type"]], part["verdict"])
    table = table.reindex(columns=said, fill_value=0)
    table = table.assign(tests=table.sum(axis=1)).rename_axis(columns=None).reset_index()
    place = {name: number for number, name in enumerate(dict.fromkeys(part["model"]))}
    return table.sort_values(["model", "type"], key=lambda names: names.map(place).fillna(0))


def ranking(results: Results, part: pd.DataFrame) -> pd.DataFrame:
    """Per model accuracy on unseen texts; of the INV tests the one that costs most accuracy, the
    accuracy on all its texts before and after, and the share lost; whether the model is at chance;
    best first.
    """
    default = select(results.metrics, variant="default")
    rows = []
    for model, own in default.groupby("model"):
        clean = select(own, test=changes.CLEAN, group="all")
        at_chance = bool(select(clean, metric="at_chance")["value"].any())
        for row in select(clean, metric="accuracy").head(1).to_dict("records"):
            measured = {"accuracy": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
            worst = _worst(select(results.metrics, model=model), select(part, model=model))
            rows.append(
                {"model": model, **measured, "n": row["n"], **worst, "at chance": at_chance}
            )
    ranked = pd.DataFrame(rows, columns=RANKED).astype({"at chance": bool})
    return ranked.sort_values("accuracy", ascending=False)


def _worst(metrics: pd.DataFrame, part: pd.DataFrame) -> dict:
    """Of a model's INV tests the one that costs most accuracy, before and after."""
    tests = part[(part["quantity"] == ADDED) & (part["verdict"] != WEAK)]
    costs = [_cost(metrics, row) for _, row in tests.iterrows()]
    nothing = {"worst test": "", **dict.fromkeys(("before", "after", "lost"), float("nan"))}
    return max(costs, key=lambda cost: cost["lost"], default=nothing)


def _cost(metrics: pd.DataFrame, row: pd.Series) -> dict:
    """A test with the accuracy on all its texts before and after; InputError where the metrics have
    no errors of it.
    """
    rate = None if pd.isna(row["rate"]) else row["rate"]
    same = select(metrics, **{name: row[name] for name in ("notebook", "variant", "test", "group")})
    rates = select(same, rate=rate).set_index("metric")["value"]
    if not {"clean_error_rate", "failure_rate"} <= set(rates.index):
        raise InputError(f"{row['notebook']} has no failure rate of {row['test']}.")
    before, after = 1 - rates["clean_error_rate"], 1 - rates["failure_rate"]
    name = named_rate(row["label"], rate if row["notebook"] == MIXING else None)
    return {"worst test": name, "before": before, "after": after, "lost": before - after}


def named_rate(label: str, rate: float | None) -> str:
    """A test's name with the R of an attack, where it has one.

    >>> named_rate("code mixing: English, worst case", 0.2), named_rate("typos", None)
    ('code mixing: English, worst case at R = 0.2', 'typos')
    """
    return label if rate is None or ", R = " in label else f"{label} at R = {rate:g}"


def told_apart(between: pd.DataFrame, level: float = LEVEL) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The comparisons that differ after Holm's correction, and those that cannot be told apart."""
    differs = between["p_holm"] < level
    return between[differs], between[~differs]


def better(between: pd.DataFrame) -> list[tuple[str, str]]:
    """The models shown to differ on unchanged texts, of each pair the better one first."""
    clean = select(between, test=changes.CLEAN, variant="default")
    return [(row["other"], row["model"]) for row in _losers(clean)]


def worse(between: pd.DataFrame) -> set[str]:
    """The models shown to err more than another one on unchanged texts."""
    return {model for _, model in better(between)}


def losses(part: pd.DataFrame, between: pd.DataFrame) -> pd.DataFrame:
    """The tests of the matrix that are shown to cost a model more than another one, most points
    first, written cases (skills) apart: `model, other, notebook, variant, test`.
    """
    losers = _losers(between[between["test"] != changes.CLEAN])
    lost = pd.DataFrame(losers, columns=["model", "other", "notebook", "variant", "test"])
    return lost[of_tests(lost, part[part["type"] != SKILL])].reset_index(drop=True)


def of_tests(rows: pd.DataFrame, part: pd.DataFrame) -> pd.Series:
    """Which comparisons are of the tests of some verdicts."""
    judged = set(zip(part["notebook"], part["variant"], part["title"], strict=True))
    tests = zip(rows["notebook"], rows["variant"], rows["test"], strict=True)
    return pd.Series([test in judged for test in tests], rows.index, dtype=bool)


def _losers(between: pd.DataFrame) -> list[dict]:
    """Of the comparisons that differ who loses more, largest differences first."""
    differs, _ = told_apart(between)
    rows = []
    for row in differs.sort_values("difference", key=abs, ascending=False).to_dict("records"):
        pair = [row["first"], row["second"]]
        model, other = pair if row["difference"] > 0 else pair[::-1]
        where = {name: row[name] for name in ("notebook", "variant", "test")}
        rows.append({"model": model, "other": other, **where})
    return rows


def preference(ranked: pd.DataFrame, part: pd.DataFrame, between: pd.DataFrame) -> pd.DataFrame:
    """Which model the tests prefer: `model, usable, loses, stands, preferred`, best first.

    Usable is who is above chance and not shown to err more than another model on unchanged texts.
    First is who, of these, loses more than another one under the fewest tests, then who stands
    most (of robustness, not of skills); all who are tied are preferred. A single first one is
    preferred only where it loses under no test, or is alone in being usable: else no model is safer
    throughout.
    """
    bad = worse(between)
    at_chance = set(ranked.loc[ranked["at chance"], "model"])
    names = [name for name in dict.fromkeys(part["model"]) if name in set(ranked["model"])]
    usable = [name not in bad | at_chance for name in names]
    kept = {name for name, good in zip(names, usable, strict=True) if good}
    lost = losses(part, between)
    lost = lost[lost["model"].isin(kept) & lost["other"].isin(kept)]
    rows = []
    for name, good in zip(names, usable, strict=True):
        stood = len(select(part, model=name, type=["INV", "DIR"], verdict=STANDS))
        rows.append((name, good, select(lost, model=name)["test"].nunique(), stood))
    table = pd.DataFrame(rows, columns=["model", "usable", "loses", "stands"])
    table = table.sort_values(
        ["usable", "loses", "stands"], ascending=[False, True, False], kind="stable"
    )
    best = table.iloc[:1]
    same = (
        table["usable"] & table["loses"].isin(best["loses"]) & table["stands"].isin(best["stands"])
    )
    safe = same.sum() != 1 or not best["loses"].iloc[0]
    return table.assign(preferred=same & safe).reset_index(drop=True)


def costliest(part: pd.DataFrame, most: int) -> pd.DataFrame:
    """The INV tests that break a model, with the rows of every model: those first that add most
    errors on the mean over the models; at most so many tests.
    """
    added = select(part, quantity=ADDED)
    return _largest(added, added[added["verdict"] == BREAKS], most)


def at_worst(results: Results, part: pd.DataFrame) -> pd.DataFrame:
    """The verdicts with every code-mixing attack at the R that adds most errors to a model, of
    those that its instrument can judge, in place of the R of the matrix; its label names no R.
    """
    keys = ["model", "notebook", "variant", "test", "group", "quantity", "margin"]
    attack = part["notebook"].eq(MIXING) & part["rate"].notna()
    parts = [run.verdicts for run in results.of(MIXING) if len(run.verdicts)]
    if not (attack.any() and parts):
        return part
    every = verdicts.enough(pd.concat(parts, ignore_index=True))
    every = every[every["verdict"] != WEAK].sort_values("value", kind="stable")
    worst = every.drop_duplicates(keys, keep="last").set_index(keys)
    table = part[attack].set_index(keys)
    same = table.index.intersection(worst.index)
    table.loc[same, AT_RATE] = worst.loc[same, AT_RATE]
    named = table["label"].str.replace(r", R = [\d.]+", "", regex=True)
    table = table.assign(label=named).reset_index()
    return pd.concat([part[~attack], table[part.columns]]).astype(part.dtypes)


def unrated(part: pd.DataFrame, most: int) -> pd.DataFrame:
    """The INV tests that would break a model and that nobody may judge by: their instrument is not
    valid, or not rated.
    """
    added = select(part, quantity=ADDED)
    return _largest(
        added, added[(added["verdict"] == WEAK) & (added["lower"] > added["margin"])], most
    )


def _largest(added: pd.DataFrame, chosen: pd.DataFrame, most: int) -> pd.DataFrame:
    own = added[added["label"].isin(chosen["label"])]
    means = own.groupby("label")["value"].mean().sort_values(ascending=False, kind="stable")
    parts = [select(own, label=name).drop_duplicates("model") for name in means.index[:most]]
    return pd.concat(parts) if parts else own


def withstood(part: pd.DataFrame) -> pd.DataFrame:
    """The INV tests that a model stands, not on balance only: `label, models, every, upper`, the
    models that stand it, whether these are all, and the largest upper bound of any model.
    """
    added = select(part, quantity=ADDED)
    names = list(dict.fromkeys(part["model"]))
    rows = []
    for name, own in added.groupby("label", sort=False):
        stood = [model for model in names if model in set(select(own, shown=STANDS)["model"])]
        if stood:
            rows.append((name, stood, stood == names, own["upper"].max()))
    table = pd.DataFrame(rows, columns=["label", "models", "every", "upper"])
    return table.astype({"every": bool})  # of no row too: it is what rows are chosen by


def balanced(part: pd.DataFrame) -> pd.DataFrame:
    """The INV tests that models stand on balance only: `label, models`."""
    rows = select(part, shown=BALANCED).groupby("label", sort=False)["model"].agg(list)
    return rows.rename("models").reset_index()


def fairness(results: Results, part: pd.DataFrame) -> pd.DataFrame:
    """What exchanging names and groups in written sentences moves, in whichever direction, beside
    what exchanging another word of the same sentences does: the verdicts of the fairness tests with
    `usual`, the flips of these controls, and `exceeds`, whether the paired difference is shown to
    lie above 0.
    """
    keys = ["model", "test"]
    measured = select(results.metrics, variant="default", group="all").drop_duplicates(
        [*keys, "metric"]
    )
    usual = select(measured, metric="control_flip_rate").set_index(keys)["value"].rename("usual")
    least = select(measured, metric="excess_flip_rate").set_index(keys)["ci_low"].rename("least")
    rows = part[part["test"].astype(str).str.startswith(FAIRNESS)]
    rows = rows.join(usual, on=keys).join(least, on=keys).dropna(subset="usual")
    return rows.assign(exceeds=rows["least"] > 0)


def directed(results: Results) -> bool:
    """Whether any run measured in which direction groups move the answers."""
    return len(results.select(variant="default", metric=RISE)) > 0


def biases(results: Results) -> pd.DataFrame:
    """The groups for which negative is shown to become more or less probable than for the others of
    their test, largest rise first: `model, test, group, value, ci_low, ci_high, n`.
    """
    keys = ["model", "test", "group"]
    own = select(results.metrics, variant="default").drop_duplicates([*keys, "metric"])
    p = select(own, metric="negative_rise_p").set_index(keys)["value"].rename("p")
    rises = select(own, metric=RISE).join(p, on=keys)
    rises = rises[rises["p"] < LEVEL].sort_values("value", ascending=False, kind="stable")
    return rises[[*keys, "value", "ci_low", "ci_high", "n"]]


def unclear(part: pd.DataFrame) -> dict[str, int]:
    """How many tests cannot judge any model at this margin (`weak`), how many there are (`tests`),
    and of how many the instrument is rated (`rated`).
    """
    tests = {
        "weak": part["verdict"] == WEAK,
        "tests": part["verdict"] != BLIND,
        "rated": part["instrument"].notna(),
    }
    return {name: int(part.loc[rows, "label"].nunique()) for name, rows in tests.items()}


def against_clean(results: Results) -> pd.DataFrame:
    """Clean against perturbed predictions of every behavioural test: `notebook, variant, test,
    model, n`, RATES, and p of the exact test of induced against repaired errors, also after Holm's
    correction over the table. Failure = clean error + induced - repaired.
    """
    rows = []
    for run in [run for run in results.runs if not run.repeat]:
        for test, part in run.main(run.metrics).groupby("title", sort=False):
            values = part.set_index("metric")["value"]
            if {*RATES} <= {*values.index}:
                n = int(part["n"].iloc[0])
                about = (run.notebook, run.variant, test, run.model, n)
                rows.append((*about, *values[RATES], _induces(values, n)))
    columns = ["notebook", "variant", "test", "model", "n", *RATES, "p"]
    table = pd.DataFrame(rows, columns=columns)
    return table.assign(p_holm=measure.holm(list(table["p"])))


def _induces(values: pd.Series, n: int) -> float:
    """p of the exact McNemar test of induced against repaired errors."""
    induced, repaired = (
        round(values[name] * n) if n else 0 for name in ("induced_rate", "repaired_rate")
    )
    return binomtest(induced, induced + repaired).pvalue if induced + repaired else 1.0


def adding(moved: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    """Per model which of its INV tests of the matrix (default runs) adds most errors after Holm's
    correction, and how many add none that can be shown: `model, tests, harmless, test, notebook,
    before, after, n`; no test where none adds errors.
    """
    kept = of_tests(moved, select(part, quantity=ADDED))
    moved = moved[kept & (moved["variant"] == "default") & (moved["changed_share"] > 0)]
    rows = []
    for model, own in moved.groupby("model", sort=False):
        own = own.assign(added=own["failure_rate"] - own["clean_error_rate"])
        adds = (own["p_holm"] < LEVEL) & (own["added"] > 0)
        row = {"model": model, "tests": len(own), "harmless": int((~adds).sum()), "test": ""}
        if adds.any():
            worst = own.loc[own["added"].where(adds).idxmax()]
            row |= {"notebook": worst["notebook"], "test": worst["test"], "n": worst["n"]}
            row |= {"before": worst["clean_error_rate"], "after": worst["failure_rate"]}
        rows.append(row)
    columns = ["model", "tests", "harmless", "notebook", "test", "before", "after", "n"]
    return pd.DataFrame(rows, columns=columns)


def pairs(between: pd.DataFrame, part: pd.DataFrame) -> pd.DataFrame:
    """Per two models how many comparisons (of changed texts) favour each and how many show no
    difference, and the difference that half of the latter would have shown: `first, second,
    comparisons, first_better, second_better, alike, detectable`.
    """
    rows = []
    # Neither unchanged texts nor written cases, the skills of some verdicts, tell of robustness.
    skill = of_tests(between, select(part, type=SKILL))
    changed = between[(between["test"] != changes.CLEAN) & ~skill]
    for (first, second), part in changed.groupby(["first", "second"], sort=False):
        differs, alike = told_apart(part)
        half = alike["detectable"].astype(float).fillna(float("inf")).median()
        better = [int((differs["difference"] * sign > 0).sum()) for sign in (-1, 1)]
        rows.append((first, second, len(part), *better, len(alike), half))
    columns = ["first", "second", "comparisons", "first_better", "second_better", "alike"]
    return pd.DataFrame(rows, columns=[*columns, "detectable"])


def elsewhere(results: Results) -> pd.DataFrame:
    """Verdicts of runs on other tasks than the matrix is about: `notebook, model, dataset, type,
    margin` and how many tests come to what.
    """
    parts = [
        run.main(run.verdicts)
        for run in results.runs
        if len(run.verdicts) and not run.repeat and not results.main_task(run)
    ]
    if not parts:
        return pd.DataFrame()
    every = pd.concat(parts, ignore_index=True)
    every = every[every["quantity"] == every["type"].map(QUANTITY)]
    keys = ["notebook", "model", "dataset", "type", "margin"]
    counted = pd.crosstab([every[name] for name in keys], every["verdict"])
    return counted.rename_axis(columns=None).reset_index()
