"""The matrix: test by model with the test's capability, each cell a change from clean with its
verdict; and the ranking of the models.
"""

from functools import cache

import pandas as pd

from helpers import notebooks, tables, titles, verdicts
from helpers.report import runs
from tahanuji import checklist, measure, perturb, validity
from tahanuji.errors import InputError

# What a test is judged by; an INV test of texts without a right label by the labels that flip.
SHOWN = {"INV": "errors added", "DIR": "failures", "MFT": "failures"}
FLIPS = "flips"
BALANCED = "on balance"  # stands by errors added, and breaks by labels that flip
SIGNS = {
    "stands": "=",
    BALANCED: "\u2248",
    "breaks": "\u25b2",
    "improves": "\u25bc",
    "undecided": "?",
    "cannot act": "\u2013",
}
COLOURS = {
    "stands": "#d8efdf",
    BALANCED: "#e6ecc8",
    "breaks": "#f6d5cf",
    "improves": "#d3e6f5",
    "undecided": "#f4f0dc",
    "cannot act": "#ececec",
}
WEAK = "undecided: instrument"
ALONE = "*"  # behind a verdict that does not survive Holm's correction over the table
LEVEL = 0.05
INDEX = ["type", "capability", "test", "instrument", "texts"]


def judged(found: runs.Collection) -> pd.DataFrame:
    """The verdicts of a collection's runs that repeat no other one with another seed, on the data
    set that most of them are about, whole tests only, without a notebook's totals over its tests
    and without other settings of a test that the default run has; with `capability`, `label` (the
    test for readers), `flips` (the verdict on labels that flip) and `p_holm`, Holm's over the table
    at each margin. Few texts decide nothing here (`verdicts.enough`).
    """
    parts = []
    for run in found.runs:
        path = run.folder / "verdicts.csv"
        if (
            path.is_file()
            and not run.repeat
            and run.about["parameters"]["dataset"] in found.datasets
        ):
            table = _headline(run.main(tables.read(path, tables.VERDICTS)))
            tests = tables.titles(table)
            parts.append(
                table.assign(
                    capability=[capability(run.notebook, test) for test in table["test"]],
                    label=[_label(run, title) for title in tests],
                )
            )
    if not parts:
        return pd.DataFrame(columns=[*tables.VERDICTS, "capability", "label", "flips", "p_holm"])
    table = verdicts.enough(_once(pd.concat(parts, ignore_index=True)))
    keys = ["model", "notebook", "variant", "test", "rate", "group", "margin"]
    flips = tables.select(table, quantity=FLIPS)[[*keys, "verdict"]]
    flips = flips.rename(columns={"verdict": "flips"})
    table = table[_judged_by(table) & ~table["test"].isin(list(SHOWN))]
    table = table.merge(flips, "left", keys, validate="one_to_one")
    for _, part in table.groupby("margin"):
        table.loc[part.index, "p_holm"] = measure.holm(list(part["p"]))
    return table


def _once(table: pd.DataFrame) -> pd.DataFrame:
    """Verdicts without those of other settings on tests that a model's default run has too."""
    keys = ["model", "notebook", "test", "rate", "group", "quantity", "margin"]
    default = table["variant"] == "default"
    own = table[default][keys].drop_duplicates().assign(default=True)
    again = table[keys].merge(own, "left", keys)["default"].eq(True).to_numpy()
    return table[default | ~again].reset_index(drop=True)


def _judged_by(table: pd.DataFrame) -> pd.Series:
    """Which rows of verdicts are of the quantity that the matrix shows of their test."""
    first = table["quantity"] == table["type"].map(SHOWN)
    keys = ["model", "notebook", "variant", "test"]
    labelled = first.groupby([table[key] for key in keys]).transform("any")
    return first | ((table["quantity"] == FLIPS) & ~labelled)


def shown(row) -> str:
    """The verdict of a row of `judged` as the matrix shows it: errors added that cancel out while
    labels flip stand on balance alone.
    """
    hidden = row.verdict == "stands" and row.flips == "breaks" and row.quantity == SHOWN["INV"]
    return BALANCED if hidden else row.verdict


def alone(table: pd.DataFrame) -> pd.Series:
    """Which verdicts are decided by themselves and not after Holm's correction."""
    return table["verdict"].isin(measure.DECIDED) & ~(table["p_holm"] < LEVEL)


def _headline(table: pd.DataFrame) -> pd.DataFrame:
    """Of perturbations that were run at several rates the one at which readers rated them."""
    rated = [
        validity.headline_rate(test) if test in perturb.REGISTRY else rate
        for test, rate in zip(table["test"], table["rate"], strict=True)
    ]
    return table[table["rate"].isna() | (table["rate"] == rated)]


def capability(notebook: str, test: str) -> str:
    """What a test is about: its perturbation's capability in the registry, else its notebook's, of
    the written suite with the group of its own.
    """
    about = notebooks.every().get(notebook)
    if about and about.capability:
        group = _written().get(test) if about.texts == "cases" else ""
        return f"{about.capability}: {group}" if group else about.capability
    return perturb.REGISTRY[test].capability if test in perturb.REGISTRY else "other"


@cache
def _written() -> dict[str, str]:
    """The groups of the written suite's capabilities."""
    suite = checklist.read().capabilities
    return dict(zip(suite["capability"], suite["group"], strict=True))


def _label(run: runs.Finished, title: str) -> str:
    """A test's name for readers, with the variant of its run where that is not the default."""
    name = titles.short(run.notebook, title)
    return name if run.variant == "default" else f"{name} ({run.variant.replace('_', ' ')})"


def cells(table: pd.DataFrame, margin: float) -> pd.DataFrame:
    """The matrix at a margin: a row per type, capability and test, with the share of outputs that
    keep their right label at least and the number of texts judged (least to most over the models),
    a column per model with value, interval and verdict; `ALONE` behind one that does not survive
    Holm's correction.
    """
    part = table[table["margin"] == margin].copy()
    stars = [ALONE * one for one in alone(part)]
    part["cell"] = [_cell(row) + star for row, star in zip(part.itertuples(), stars, strict=True)]
    part["instrument"] = part["instrument"].map(instrument)
    counts = part.groupby(["type", "capability", "label"])["n"]
    spans = zip(counts.transform("min"), counts.transform("max"), strict=True)
    texts = [f"{low}" if low == high else f"{low} to {high}" for low, high in spans]
    part = part.assign(test=part["label"], texts=texts)
    wide = part.pivot_table(
        index=INDEX, columns="model", values="cell", aggfunc="first", sort=False
    )
    wide = wide[runs.order(set(wide.columns))]
    order = wide.index.get_level_values("type").map(list(SHOWN).index)
    return wide.iloc[order.argsort(kind="stable")].fillna("").rename_axis(columns=None)


def instrument(bound: float) -> str:
    """The validity of an instrument for readers, from the bound of its unfit outputs: those that
    lost their label, of a DIR test those that do not say what is expected.
    """
    if pd.isna(bound):
        return "written"
    return "not rated" if bound >= 1 else f"at most {bound:.1%} unfit"


def _cell(row) -> str:
    verdict, paired = shown(row), row.quantity == SHOWN["INV"]
    value = tables.points(row.value) if paired else f"{100 * row.value:.1f}%"
    least = f", {100 * row.detectable:.0f} would show" if row.detectable == row.detectable else ""
    said = verdict + least * (verdict == "undecided")
    return f"{SIGNS.get(verdict, '?')} {value} ({tables.between(row.lower, row.upper)}) {said}"


def styled(table: pd.DataFrame, margin: float):
    """The matrix for a notebook: the test and the models first, a colour, a sign and a word per
    verdict.
    """
    rows = cells(table, margin).reset_index()

    named = {sign: name for name, sign in SIGNS.items()}

    def verdict(cell: str) -> str:
        return "" if WEAK in cell else named.get(cell[:1], "")

    def colour(cell: str) -> str:
        ground = COLOURS.get(verdict(cell), COLOURS["undecided"])
        return f"background-color: {ground}; color: #222" if cell else ""

    models = [name for name in rows.columns if name not in INDEX]
    rows = rows[["test", *models, "texts", "type", "capability", "instrument"]]
    shown = tables.prose(rows).map(colour, subset=models)
    return shown.set_td_classes(rows[models].map(verdict))


def counts(table: pd.DataFrame, margin: float) -> pd.DataFrame:
    """Per model and type how many tests it stands, breaks, and how many are undecided, for want of
    texts or of a valid instrument.
    """
    part = table[table["margin"] == margin]
    said = [*(name for name in SIGNS if name != BALANCED), WEAK]
    counted = pd.crosstab([part["model"], part["type"]], part["verdict"])
    counted = counted.reindex(columns=said, fill_value=0)
    counted = counted.assign(tests=counted.sum(axis=1)).rename_axis(columns=None).reset_index()
    order = {name: place for place, name in enumerate(runs.order(set(part["model"])))}
    return counted.sort_values(["model", "type"], key=lambda column: column.map(order).fillna(0))


def ranking(found: runs.Collection, table: pd.DataFrame) -> pd.DataFrame:
    """Per model accuracy on unseen texts; of the INV tests the one that costs most accuracy, the
    accuracy on all its texts before and after, and the share lost; whether the model is at chance;
    best first.
    """
    metrics = found.metrics()
    default = metrics[metrics["variant"] == "default"]
    rows = []
    for model, part in default.groupby("model"):
        clean = tables.select(part, test="clean", group="all")
        flags = tables.select(clean, metric="at_chance")["value"]
        accuracy = tables.select(clean, metric="accuracy")
        if len(accuracy):
            row = accuracy.iloc[0]
            worst = _worst(metrics[metrics["model"] == model], table[table["model"] == model])
            measured = {"accuracy": row["value"], "low": row["ci_low"], "high": row["ci_high"]}
            rows.append({"model": model, **measured, **worst, "at chance": bool(flags.any())})
    ranked = pd.DataFrame(rows)
    return ranked.sort_values("accuracy", ascending=False) if len(ranked) else ranked


def ranks(ranked: pd.DataFrame) -> pd.DataFrame:
    """The ranking for reading."""
    lines = []
    for row in ranked.rename(columns={"worst test": "worst", "at chance": "chance"}).itertuples():
        accuracy = f"{row.accuracy:.1%} ({100 * row.low:.1f} to {100 * row.high:.1f})"
        told = [f"{100 * row.before:.1f}%", f"{100 * row.after:.1f}%", f"{100 * row.lost:.1f}"]
        told = told if row.worst else ["", "", ""]
        lines.append((row.model, accuracy, row.worst, *told, "yes" if row.chance else "no"))
    heads = ["model", "right on unseen texts", "test that costs most", "before it", "under it"]
    return pd.DataFrame(lines, columns=[*heads, "points lost", "at chance"])


def _worst(part: pd.DataFrame, table: pd.DataFrame) -> dict:
    """Of a model's INV tests the one that costs most accuracy, with the accuracy on all its texts
    before and after.
    """
    table = table[(table["quantity"] == SHOWN["INV"]) & (table["verdict"] != WEAK)]
    costs = [_cost(part, row) for _, row in table.iterrows()]
    nothing = {"worst test": "", **dict.fromkeys(("before", "after", "lost"), float("nan"))}
    return max(costs, key=lambda cost: cost["lost"], default=nothing)


def _cost(part: pd.DataFrame, row: pd.Series) -> dict:
    """A test with the accuracy on all its texts before and after, of a model's metrics; InputError
    where these have no errors.
    """
    key = {name: row[name] for name in ("notebook", "variant", "test", "group")}
    same = tables.select(part, **key)
    same = same[same["rate"].eq(row["rate"]) | (same["rate"].isna() & pd.isna(row["rate"]))]
    rates = same.set_index("metric")["value"]
    if not {"clean_error_rate", "failure_rate"} <= set(rates.index):
        raise InputError(f"{row['notebook']} has no failure rate of {row['test']}.")
    before, after = 1 - rates["clean_error_rate"], 1 - rates["failure_rate"]
    return {"worst test": row["label"], "before": before, "after": after, "lost": before - after}
