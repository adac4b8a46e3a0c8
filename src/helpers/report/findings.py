"""What the report says in sentences; every number in them is computed from the tables handed in."""

import pandas as pd

from helpers import tables, titles
from helpers.report import codemixing, compare, foretold, grid_scores, indonlu, matrix, runs
from helpers.report import thesis as thesis_tables

MOST = 6  # tests that a sentence names; the tables have them all
NO_PAIR = "No two models have answered the same changed texts of a classification task."
UNCHANGED = "No changed texts of a classification task have been answered."


def listed(items: list[str]) -> str:
    """Words in a row: `a, b and c`; `none` for none.

    >>> listed(["gak"]), listed(["gak", "nggak", "ga"])
    ('gak', 'gak, nggak and ga')
    """
    return " and ".join([", ".join(items[:-1]), items[-1]] if len(items) > 1 else items) or "none"


def few(items: list[str], most: int = MOST) -> str:
    """The first `most` words in a row, and how many more there are.

    >>> few(["gak"] * 6), few(["gak"] * 8)
    ('gak, gak, gak, gak, gak and gak', 'gak, gak, gak, gak, gak, gak and 2 more')
    """
    return listed(items if len(items) <= most else [*items[:most], f"{len(items) - most} more"])


def named(row) -> str:
    """A test's name in a sentence, with the variant where it is not the default."""
    variant = "" if row.variant == "default" else f" ({row.variant.replace('_', ' ')})"
    return f"*{titles.title(row.notebook, row.test)}*{variant}"


def robustness(between: pd.DataFrame) -> list[str]:
    """Which of every two models loses less to a test (`changes.models`), the largest differences
    first, and what the other comparisons could have shown; without unchanged texts.
    """
    said = []
    between = between[between["test"] != compare.CLEAN]  # unchanged texts say nothing of robustness
    for (first, second), part in between.groupby(["first", "second"], sort=False):
        differs, alike = compare.told_apart(part)
        by_gap = differs.sort_values("difference", key=abs, ascending=False, kind="stable")
        for better, sign in ((first, -1), (second, 1)):
            rows = by_gap[by_gap["difference"] * sign > 0]
            tests = [
                f"{named(row)} ({tables.points(row.first_change)} and "
                f"{tables.points(row.second_change)} points)"
                for row in rows.itertuples()
            ]
            if tests:
                said.append(
                    f"**{better}** fares better than {second if better == first else first} in "
                    f"{len(tests)} of {len(part)} comparisons (each a test at one rate or in one "
                    "setting), after Holm's correction over all of them "
                    f"(in brackets what a test costs {first} and {second}, of all its texts: "
                    f"errors added, answers that move the wrong way, or failures): {few(tests)}."
                )
        said.append(
            f"In {len(alike)} of {len(part)} comparisons no difference between {first} and "
            f"{second} was detected{_seen(alike['detectable'])}."
        )
    return said or [NO_PAIR]


def _seen(detectable: pd.Series) -> str:
    """What half of the comparisons without a difference would have detected; NaN counts as a
    comparison that would have detected none.
    """
    if detectable.empty:
        return ""
    half = detectable.astype(float).fillna(float("inf")).median()
    if half == float("inf"):
        return "; at least half of them could not have detected one of any size"
    return f"; half of them would have detected a difference of {100 * half:.1f} points"


def perturbations(moved: pd.DataFrame) -> list[str]:
    """Per model, of the default tests that leave the right label alone and add errors after Holm's
    correction the one with the largest increase, and the tests that add none that can be shown.
    """
    said = []
    for model, part in moved[
        (moved["variant"] == "default") & (moved["changed_share"] > 0)
    ].groupby("model", sort=False):
        part = part.assign(added=part["failure_rate"] - part["clean_error_rate"])
        adds = (part["p_holm"] < 0.05) & (part["added"] > 0)
        harmless = [named(row) for row in part[~adds].itertuples()]
        still = (
            f"{len(harmless)} of {len(part)} INV tests add no errors that can be shown after "
            f"Holm's correction over all tests and models: "
            f"{few(harmless)}."
        )
        if adds.any():
            worst = part.loc[part["added"].where(adds).idxmax()]
            still = (
                f"{named(worst)} adds errors: from {worst['clean_error_rate']:.1%} to "
                f"{worst['failure_rate']:.1%} of {worst['n']} texts, the largest increase (exact "
                f"McNemar test against the unchanged texts, none against the other tests). "
                f"{still if not adds.all() else 'Every test adds errors that can be shown.'}"
            )
        said.append(f"**{model}**: {still}")
    return said or [UNCHANGED]


def thesis(tests: pd.DataFrame, paired: pd.DataFrame, levels: pd.DataFrame) -> list[str]:
    """What Table 4.2 of Viannisa (2025) says when its rows are counted again and its comparisons
    are paired.
    """
    keys = ["number", "model"]
    both = tests[tests["source"] == "published"].merge(
        tests[tests["source"] == "recomputed"], on=keys, suffixes=("", "_again")
    )
    printed = tests[tests["source"] == "published"]
    off = printed[(printed["printed"] - printed["value"]).abs() > 0.00005 + 1e-9]
    slips = [
        f"{row.failures} of {row.n} printed as {row.printed:.2%} ({row.value:.2%})"
        for row in off.itertuples()
    ]
    said = [
        f"Of the {len(printed)} rates in Table 4.2 of Viannisa (2025), those that do not follow "
        f"from their own counts: {listed(slips)}."
    ]
    if both.empty:
        return said
    same = int((both["failures"] == both["failures_again"]).sum())
    differs, alike = compare.told_apart(paired)
    for_indobert, for_mbert = differs[differs["difference"] < 0], differs[differs["difference"] > 0]
    apart, _ = compare.told_apart(levels)
    return [
        f"{same} of {len(both)} counts of failures come out again from the per-row predictions of "
        f"Viannisa (2025).",
        *said,
        f"IndoBERT fails less often than mBERT on {int((paired['difference'] < 0).sum())} of "
        f"{len(paired)} tests as printed; paired on the same rows "
        f"and corrected by Holm, the difference is significant on {len(for_indobert)} "
        f"({listed([f'test {n}' for n in for_indobert['number']])}), "
        f"for mBERT on {len(for_mbert)} ({listed([f'test {n}' for n in for_mbert['number']])}), "
        f"and not significant on {len(alike)} "
        f"({listed([f'test {n}' for n in alike['number']])}).",
        f"Viannisa (2025) reads a gradual rise from formal to informal for IndoBERT and a "
        f"fluctuation for mBERT: of {len(levels)} pairs of levels, on the same triplets, "
        f"{len(apart)} differ significantly.",
    ]


def rerun(against: pd.DataFrame, datasets: set[str]) -> list[str]:
    """This profile's models on the eight tests of Viannisa (2025) beside her IndoBERT
    (`thesis.against`); no comparison where the runs read other data than SmSA.
    """
    if datasets != {"smsa"}:
        return [
            f"This profile tests texts of {listed(sorted(datasets))}, Viannisa (2025) those of "
            f"SmSA: the rates are listed together but not compared, because the texts differ."
        ]
    said = []
    for model, part in against.groupby("model", sort=False):
        differs, _ = compare.told_apart(part)
        more, less = (differs[differs["difference"] * sign > 0] for sign in (1, -1))
        said.append(
            f"**{model}**, run here, fails more often than the IndoBERT of Viannisa (2025) on "
            f"{_numbered(more)}, less often on {_numbered(less)} ({len(part)} tests, "
            f"{int(part['paired'].sum())} of them paired on the same rows, the others by their "
            f"counts; Holm's correction over all)."
        )
    return said


def _numbered(tests: pd.DataFrame) -> str:
    return listed([f"test {number}" for number in tests["number"]])


def invariant(moved: pd.DataFrame, judged: pd.DataFrame) -> pd.DataFrame:
    """The rows of the INV tests of the matrix that add errors (`matrix.judged`)."""
    inv = judged[judged["quantity"] == matrix.SHOWN["INV"]]
    tests = set(zip(inv["notebook"], inv["variant"], tables.titles(inv), strict=True))
    keys = zip(moved["notebook"], moved["variant"], moved["test"], strict=True)
    return moved[pd.Series([key in tests for key in keys], moved.index, dtype=bool)]


def every(
    between: pd.DataFrame,
    moved: pd.DataFrame,
    judged: pd.DataFrame,
    found: runs.Collection,
    margin: float,
) -> dict[str, list[str]]:
    """The sentences of a report by what they are about; what a profile has not run is left out."""
    cells = grid_scores.cells(found)
    dosed, defences = codemixing.at_dose(found), codemixing.defended(found)
    against = thesis_tables.against(found) if found.datasets == {"smsa"} else pd.DataFrame()
    said = {
        "Models": robustness(between),
        "Perturbed texts": perturbations(invariant(moved, judged)),
        "The perturbation grid": grid_scores.sentences(cells),
        "Code-mixing": codemixing.sentences(dosed, defences),
        "CheckList": foretold.sentences(foretold.trainings(found)),
        "Pre-training": indonlu.sentences(indonlu.benchmark(found)),
        "Tags and aspects": indonlu.on_tests(indonlu.moved(found, margin)),
        "Tables of Viannisa (2025)": rerun(against, found.datasets),
    }
    return {head: sentences for head, sentences in said.items() if sentences}
