"""The same again? A fresh run's headline numbers against those of the committed runs, which
config/expected.yaml holds.
"""

import pandas as pd
import yaml

from helpers import layout
from helpers.report import headline, runs
from tahanuji import measure, models, paths
from tahanuji.errors import InputError, unknown

FILE = paths.CONFIG / "expected.yaml"
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
HEAD = """# The headline numbers of the committed runs, for ./run_all.sh --verify; written by python -m helpers.report --expected.
# A fresh number is OK within `ok` points of a percentage, close within `close`, else FAIL. Intervals over test rows play no part: the rows are the same.
"""


def tolerance(model: str, name: str) -> dict:
    """How far a model's number may move: `ok` and `close` in points, and the `reason`; close from
    its spread over seeds where that was measured.
    """
    kind = models.entries().get(model, {}).get("kind", "transformer")
    ok, close, reason = TOLERANCES[kind]
    seeds = pd.read_csv(SEEDS).query("model == @model and name == @name and threads == 1")
    if len(seeds) > 1:
        close = max(close, REPEATABILITY * measure.over_seeds(seeds["percent"]).sd)
    return {"ok": ok, "close": round(close, 1), "reason": reason}


def write(profiles: tuple[str, ...] = headline.PROFILES) -> None:
    """Write config/expected.yaml from the runs of the profiles that have any."""
    content = {}
    for profile in profiles:
        if (layout.outputs() / profile).is_dir():
            for row in headline.numbers(runs.collect(profile)).to_dict("records"):
                limits = tolerance(row["model"], row["name"])
                entry = content.setdefault(profile, {}).setdefault(
                    row["model"], {"reason": limits.pop("reason"), "numbers": {}}
                )
                entry["numbers"][row["name"]] = {"percent": round(row["value"] * 100, 2), **limits}
    FILE.write_text(
        HEAD + yaml.safe_dump(content, allow_unicode=True, sort_keys=False, width=200),
        encoding="utf-8",
    )


def verdicts(profile: str) -> pd.DataFrame:
    """Each expected number of a profile beside the fresh one: `name, model, expected, fresh, moved,
    ok, close, verdict, reason`; points of a percentage.

    A number that the fresh runs lack is a FAIL. Raises InputError where nothing is expected of the
    profile.
    """
    if not FILE.is_file():
        raise InputError(
            f"{paths.shown(FILE)} is not there; python -m helpers.report --expected writes it."
        )
    expected = yaml.safe_load(FILE.read_text(encoding="utf-8")) or {}
    if profile not in expected:
        raise unknown("profile with expected numbers", profile, expected)
    fresh = headline.numbers(runs.collect(profile)).set_index(["model", "name"])["value"] * 100
    rows = []
    for model, entry in expected[profile].items():
        for name, limits in entry["numbers"].items():
            rows.append(
                {
                    "name": name,
                    "model": model,
                    "fresh": fresh.get((model, name), float("nan")),
                    "reason": entry["reason"],
                    **limits,
                }
            )
    table = pd.DataFrame(rows).rename(columns={"percent": "expected"})
    table["moved"] = (
        (table["fresh"] - table["expected"]).abs().round(6)
    )  # 80.05 - 80 is a little more than 0.05
    table["verdict"] = [
        "OK" if row.moved <= row.ok else "close" if row.moved <= row.close else "FAIL"
        for row in table.itertuples()
    ]
    return table


def printed(profile: str, table: pd.DataFrame) -> str:
    """The verdicts for the screen, and what they add up to."""
    shown = table[["model", "name", "expected", "fresh", "moved", "ok", "close", "verdict"]].assign(
        name=table["name"].str.replace("*", "")
    )
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
