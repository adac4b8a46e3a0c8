"""Views of the results: frames as a reader sees them, every number an `Estimate` that formats
itself.
"""

import pandas as pd

from helpers import notebooks, tables, verdicts
from study.report import decisions, grids, words
from study.report.cells import Cell, places, scale
from tahanuji import grid, perturb
from tahanuji.measure import Estimate
from tahanuji.results import Results, estimates, select

SIGNS = {
    decisions.STANDS: "=",
    decisions.BALANCED: "\u2248",
    decisions.BREAKS: "\u25b2",
    decisions.IMPROVES: "\u25bc",
    decisions.UNDECIDED: "?",
    decisions.BLIND: "\u2013",
    decisions.WEAK: "?",
}
KINDS = {decisions.BALANCED: "balance", decisions.BLIND: "cannot", decisions.WEAK: ""}
COLOURS = {
    decisions.STANDS: "#cfe2fa",
    decisions.BALANCED: "#e3ecf6",
    decisions.BREAKS: "#ffdfc2",
    decisions.IMPROVES: "#b9d4f5",
    decisions.UNDECIDED: "#ecebe6",
    decisions.BLIND: "#f5f5f5",
}
ALONE = "*"  # behind a verdict that does not survive Holm's correction over the table
BETWEEN = ["notebook", "variant", "test", "first", "second", "n", "first_change", "second_change"]
BETWEEN += ["difference", "ci_low", "ci_high", "detectable", "p_holm"]
FEW = 30  # changed texts below which a test decides little


def matrix(part: pd.DataFrame, links: dict[str, str], language: str = "en") -> pd.DataFrame:
    """The verdicts at a margin: a row per type, capability and test, a column per model with value,
    bounds and verdict, the number of texts judged (least to most over the models), and the validity
    of the instrument. `links` leads from a test to its examples.
    """
    order = part["type"].map(list(decisions.QUANTITY).index)
    part = part.iloc[order.argsort(kind="stable")]
    within = scale(estimates(part, "lower", "upper"))
    models, rows = list(dict.fromkeys(part["model"])), []
    keys = ["type", "capability", "label", "instrument"]
    for (kind, about, name, bound), own in part.groupby(keys, sort=False, dropna=False):
        counts = sorted({int(own["n"].min()), int(own["n"].max())})
        one = own.drop_duplicates("model").set_index("model")
        row = {"test": Cell.of(name, href=links.get(name, ""))}
        row |= {model: verdict(one, model, within, language) for model in models}
        row |= {"texts": "\u2013".join(map(str, counts)), "type": kind}
        row |= {"capability": about, "instrument": instrument(bound, language)}
        rows.append(row)
    columns = ["test", *models, "texts", "type", "capability", "instrument"]
    return pd.DataFrame(rows, columns=columns, dtype=object)  # a column of str forgets its cells


def verdict(one: pd.DataFrame, model: str, within: tuple, language: str) -> Cell:
    """A cell of the matrix; empty where the model has not run the test."""
    if model not in one.index:
        return Cell("")
    row = one.loc[model]
    number = Estimate(row["value"], row["lower"], row["upper"], row["n"])
    said = words.text(
        language,
        "cell",
        number=number,
        unit=verdicts.UNITS.get(row["quantity"], "%"),
        sign=SIGNS[row["shown"]],
        verdict=row["shown"],
        detectable=None if pd.isna(row["detectable"]) else row["detectable"],
        star=ALONE * bool(row["alone"]),
    )
    return Cell.of(said, KINDS.get(row["shown"], row["shown"]), plot=places(number, within))


def instrument(bound: float, language: str = "en") -> str:
    """The validity of an instrument for readers, from the bound of its unfit outputs: those that
    lost their label, of a DIR test those that do not say what is expected.
    """
    kind = "written" if pd.isna(bound) else "unrated" if bound >= 1 else "rated"
    shown = words.number(bound, "value:.1%", language)
    return words.strings(language)["instrument"][kind].format(bound=shown)


def styled(shown: pd.DataFrame):
    """The matrix for a notebook: a colour, a sign and a word per verdict."""
    kinds = {KINDS.get(name, name): colour for name, colour in COLOURS.items()}

    def colour(cell) -> str:
        ground = kinds.get(getattr(cell, "kind", ""))
        return f"background-color: {ground}; color: #222" if ground else ""

    return tables.prose(shown).map(colour)


def ranking(ranked: pd.DataFrame) -> pd.DataFrame:
    """The ranking for reading."""
    lines = []
    for row in ranked.to_dict("records"):
        accuracy = Estimate(row["accuracy"], row["low"], row["high"], row["n"])
        told = [Estimate(row[name]) for name in ("before", "after")]
        told = [f"{one:%}" if one else "" for one in told]
        lost = f"{Estimate(row['lost']):value:points}" if row["worst test"] else ""
        chance = "yes" if row["at chance"] else "no"
        lines.append((row["model"], f"{accuracy:%}", row["worst test"], *told, lost, chance))
    heads = ["model", "right on unseen texts", "test that costs most", "before it", "under it"]
    return pd.DataFrame(lines, columns=[*heads, "points lost", "at chance"])


def claims(table: pd.DataFrame, models: list[str], names: dict, language: str) -> pd.DataFrame:
    """The claims as a reader sees them; `models` where an outcome covers fewer than all of them."""
    rows = []
    for row in table.to_dict("records"):
        covered = [model for model in models if model in " and ".join(row["models"]).split(" and ")]
        said = words.text(
            language, "evidence", items=row["items"].to_dict("records"), unit=row["unit"]
        )
        rows.append(
            {
                "claim": row["claim"],
                "outcome": row["outcome"],
                "models": "" if covered == models else ", ".join(covered),
                "our runs": said,
                "published": row["evidence"],
                "where": f"{names[row['document']]}, {row['place']}",
                "note": row["note"],
            }
        )
    return pd.DataFrame(rows)


def claimed(table: pd.DataFrame, names: dict) -> pd.DataFrame:
    """The claims as numbers: a row per claim, model and item."""
    rows = [
        {
            "document": names[row["document"]],
            "claim": row["claim"],
            "outcome": row["outcome"],
            **one,
        }
        for row in table.to_dict("records")
        for one in row["items"].drop(columns=["first", "second"]).to_dict("records")
        or [dict.fromkeys(("model", "value"))]
    ]
    return pd.DataFrame(rows)


def instruments(rated: pd.DataFrame) -> pd.DataFrame:
    """What readers said of the instruments."""
    shares = ["grammatical", "same_meaning", "same_label"]
    shown = rated[["instrument", "test_type", "rate", "n", "twice"]].assign(
        **{name.replace("_", " "): [f"{share:.0%}" for share in rated[name]] for name in shares},
        **{"unfit at most": [f"{bound:.1%}" for bound in rated["bound"]]},
        rate=[f"{rate:g}" for rate in rated["rate"]],
        changed=["no" if current else "yes" for current in rated["current"]],
    )
    heads = {"test_type": "type", "n": "rated", "twice": "rated twice"}
    return shown.rename(columns={**heads, "changed": "changed since"})


def asked(results: Results, questions: list[dict]) -> pd.DataFrame:
    """Numbers that put others into proportion: `question, model, test, estimate` for each of some
    questions, a text with the metrics (`where`) that answer it.
    """
    rows = []
    for one in questions:
        own = results.select(**({"group": "all"} | one["where"]))
        for row, number in zip(own.to_dict("records"), estimates(own), strict=True):
            setting = "" if row["variant"] == "default" else f" ({row['variant']})"
            where = (row["model"], f"{row['title']}{setting}")
            rows.append((one["question"], *where, f"{number:%}", *vars(number).values()))
    columns = ["question", "model", "test", "share", "value", "ci_low", "ci_high", "n"]
    return pd.DataFrame(rows, columns=columns)


def limited(results: Results) -> pd.DataFrame:
    """Tests of the grid that decide little: `test, model, why, changed texts`, too few or none that
    the model sees.
    """
    rows = []
    for run in results.of(grids.NOTEBOOK, "default"):
        value = select(run.metrics, group="all").pivot_table(
            ["value", "n"], "test", "metric", "max", sort=False
        )
        changed, moved = value["value"]["changed_share"], value["value"]["moved_share"]
        count = (changed * value["n"]["changed_share"]).round()
        kinds = {name: entry.test_type for name, entry in perturb.REGISTRY.items()}
        for test in value.index:
            if changed[test] > 0 and moved[test] == 0:
                rows.append((test, run.model, "unseen", int(count[test])))
            elif kinds.get(test) == "INV" and count[test] < FEW:
                rows.append((test, run.model, "few texts", int(count[test])))
    return pd.DataFrame(rows, columns=["test", "model", "why", "changed texts"])


def at_chance(results: Results) -> pd.DataFrame:
    """`model, dataset` where a model does no better than chance in a test."""
    trainings = {notebooks.fine_tuning(), *notebooks.needing("trainings")}
    rows = results.select(metric="at_chance", value=1, group="all")
    return rows[~rows["notebook"].isin(trainings)][["model", "dataset"]].drop_duplicates()


def adding(table: pd.DataFrame) -> pd.DataFrame:
    """The tests that add most errors (`decisions.adding`) for reading, shares in percent."""
    shares = {name: _percents(table[name]) for name in ("before", "after")}
    return table.drop(columns="notebook").assign(**shares)


def _percents(values: pd.Series) -> list[str]:
    return [f"{one:value:%}" if one else "" for one in map(Estimate, values)]


def pairs(table: pd.DataFrame) -> pd.DataFrame:
    """How often two models differ (`decisions.pairs`) for reading, differences in points."""
    least = table["detectable"].replace(float("inf"), float("nan"))  # half of them would show none
    points = [f"{one:value:points}".lstrip("+") if one else "" for one in map(Estimate, least)]
    return table.assign(detectable=points)


def overview(results: Results, notebook: str) -> pd.DataFrame:
    """A notebook's whole-test numbers: one row per variant and test, one column per model.

    The figure is kappa where there is one, else the failure rate, else macro-F1: what a notebook
    is about (`attrs["metric"]`). Kappas of DIR tests, of which a low one is good, are marked.
    """
    whole = pd.concat([run.main(run.metrics) for run in results.of(notebook)], ignore_index=True)
    there = set(whole["metric"])
    wanted = ("kappa", "failure_rate", "macro_f1", "accuracy")
    metric = next((name for name in wanted if name in there), None)
    if metric is None:
        return pd.DataFrame()
    part = select(whole, metric=metric)
    shown = "kappa" if metric == "kappa" else "%"
    cells = zip(estimates(part), part["n"], strict=True)
    part = part.assign(cell=[_cell(one, n, shown) for one, n in cells])
    if metric == "kappa":
        part["title"] += [" (DIR)" if grid.kind(test) == "DIR" else "" for test in part["test"]]
    wide = part.pivot(index=["variant", "title"], columns="model", values="cell")
    wide = wide.reindex(part[["variant", "title"]].drop_duplicates().apply(tuple, axis=1))
    wide = wide[list(dict.fromkeys(part["model"]))]
    wide.attrs["metric"] = metric.replace("_", " ").replace("f1", "F1")
    return wide.rename_axis(columns=None)


def _cell(one: Estimate, n: float, shown: str) -> str:
    """A number of an overview; a kappa of raters who both always say the same label is none."""
    return "none" if n and not one else format(one, shown)


def compared(between: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Models on the same rows by the name of a table: tests that differ, and those that do not."""
    differs, alike = decisions.told_apart(between)
    return {"models_that_differ": differs[BETWEEN], "models_alike": alike[BETWEEN]}
