"""The same again? The headline numbers of the runs that are here beside those of the published
reference.
"""

import pandas as pd

from study import publish
from study.report import headline, runs
from tahanuji import measure, models, paths

SEEDS = paths.ROOT / "benchmarks" / "seeds.csv"
# How far a number may move, in points of a percentage, by kind of model: OK, close, and why.
TOLERANCES = {
    "tfidf": (
        0.05,
        1.0,
        "nothing is drawn: the same to the printed digit; a point for other versions of numpy or "
        "scikit-learn",
    ),
    "transformer": (
        0.5,
        3.0,
        "the same on one kind of processor; on another as between seeds: 2.8 standard deviations "
        "in benchmarks/seeds.csv, at least 3",
    ),
}
REPEATABILITY = (
    2.8  # two runs differ by less than this many standard deviations in 95% of cases (ISO 5725)
)


def tolerance(model: str, name: str) -> dict:
    """How far a model's number may move: `ok` and `close` in points, and the `reason`; close from
    its spread over seeds where that was measured.
    """
    kind = models.entries().get(model, {}).get("kind", "transformer")
    ok, close, reason = TOLERANCES.get(kind, TOLERANCES["transformer"])
    seeds = pd.read_csv(SEEDS).query("model == @model and name == @name and threads == 1")
    if len(seeds) > 1:
        close = max(close, REPEATABILITY * measure.over_seeds(seeds["percent"]).sd)
    return {"ok": ok, "close": round(close, 1), "reason": reason}


def verdicts(profile: str) -> pd.DataFrame:
    """Each reference number of a profile beside the fresh one: `name, model, reference, fresh,
    moved, ok, close, verdict, reason`; points of a percentage. Empty where nothing was published.

    A number that the fresh runs lack is a FAIL. Intervals over test rows play no part: the rows are
    the same.
    """
    fresh = headline.numbers(runs.collect(profile)).set_index(["model", "name"])["value"] * 100
    rows, published = [], headline.numbers(publish.reference(profile))
    place = runs.order(set(published["model"])).index
    ordered = published.sort_values("model", key=lambda names: names.map(place), kind="stable")
    for number in ordered.to_dict("records"):
        model, name = number["model"], number["name"]
        row = {"name": name, "model": model, "reference": number["value"] * 100}
        row |= {"fresh": fresh.get((model, name), float("nan")), **tolerance(model, name)}
        rows.append(row)
    columns = ["name", "model", "reference", "fresh", "ok", "close", "reason"]
    table = pd.DataFrame(rows, columns=columns)
    moved = (table["fresh"] - table["reference"]).abs()
    table["moved"] = moved.round(6)  # 80.05 - 80 is a little more than 0.05
    table["verdict"] = [
        "OK" if row.moved <= row.ok else "close" if row.moved <= row.close else "FAIL"
        for row in table.itertuples()
    ]
    return table


def printed(profile: str, table: pd.DataFrame) -> str:
    """The verdicts for the screen, and what they add up to."""
    if table.empty:
        return f"Profile {profile} has no published reference to compare with."
    shown = table[
        ["model", "name", "reference", "fresh", "moved", "ok", "close", "verdict"]
    ].assign(name=table["name"].str.replace("*", ""))
    counts = table["verdict"].value_counts()
    lines = [shown.to_markdown(index=False, floatfmt=".2f"), ""]
    lines += [
        f"{model}: {reason}."
        for model, reason in table.groupby("model", sort=False)["reason"].first().items()
    ]
    lines += [
        f"Profile {profile}: "
        + ", ".join(f"{counts.get(verdict, 0)} {verdict}" for verdict in ("OK", "close", "FAIL"))
        + "."
    ]
    return "\n".join(lines)
