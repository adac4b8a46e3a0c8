"""The verdicts of a published profile made anew from its predictions, after a change of their rules
or bounds, without running a model.

Tests, their types, their margins and the bounds of their instruments stay those of the verdicts
that are there. Where one comes out otherwise, `judged` in provenance.json names the commit whose
rules they follow.
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import provenance, tables
from study import publish
from tahanuji import checklist, measure, minimal_pairs, paths
from tahanuji.errors import InputError

SAID = ["value", "lower", "upper", "n", "verdict", "detectable", "p"]


def again(predictions: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """The verdicts of one run from its predictions, for the same tests, quantities and margins,
    with the columns of `measure.verdicts`.
    """
    about = verdicts.drop_duplicates("test").set_index("test")
    weak = {}  # the bound of each test, and the highest rate that it holds for
    for test, part in verdicts.dropna(subset="instrument").groupby("test"):
        bound = part["instrument"].min()
        weak[test] = bound, part.loc[part["instrument"] == bound, "rate"].max()
    rows = as_tests(predictions)
    rows = rows[rows["test"].isin(about.index)]  # a control is judged by nothing
    margins = sorted(verdicts["margin"].unique())
    judged = measure.verdicts(rows, about["type"].to_dict(), margins, weak)
    # a notebook may judge fewer quantities: of registers only the flips
    return judged[judged["quantity"].isin(verdicts["quantity"])].reset_index(drop=True)


def as_tests(predictions: pd.DataFrame) -> pd.DataFrame:
    """The predictions of a run as rows of tests, whatever its task."""
    if "capability" in predictions:
        return checklist.as_tests(predictions)[0]
    if "hit" in predictions:
        from tahanuji import tagging

        return tagging.as_tests(predictions)
    if "kind" in predictions:
        from tahanuji import nli

        return nli.as_tests(predictions)[0]
    if set(predictions["gold"]) <= set(minimal_pairs.SIDES):
        return minimal_pairs.as_tests(predictions)[0]
    return predictions


def published(folder: Path) -> int:
    """Judge the runs of a folder of the reference anew; how many rows are others now."""
    path, parts, moved = folder / "verdicts.csv", [], 0
    verdicts = tables.read(path, tables.VERDICTS)
    about = provenance.read_json(folder / "provenance.json")
    rows = publish.predictions(folder)
    for variant, kept in verdicts.groupby(verdicts["variant"].astype(str), sort=False):
        new = again(rows[variant], kept)
        if len(new) != len(kept):
            raise InputError(f"{paths.shown(path)}: {len(kept)} verdicts, {len(new)} anew.")
        differ = sum(_differ(kept[name].to_numpy(), new[name].to_numpy()) for name in SAID) > 0
        moved += int(differ.sum())
        if differ.any():
            about[variant]["judged"] = provenance.repository_state()
            kept = kept.assign(**{name: new[name].to_numpy() for name in SAID})
        parts.append(kept)
    if moved:
        tables.write(path, pd.concat(parts, ignore_index=True))
        paths.write_json(folder / "provenance.json", about)
    return moved


def _differ(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Which verdicts or numbers are others, beyond the digits of the files."""
    if old.dtype == object:
        return old != new
    return ~np.isclose(old, new, rtol=1e-4, atol=1e-6, equal_nan=True)


def main(words: list[str]) -> int:
    """Judge a published profile anew."""
    parser = argparse.ArgumentParser(prog="python -m study judge", description=__doc__)
    parser.add_argument("profile", help="a published profile, such as embedded")
    profile = parser.parse_args(words).profile
    folders = [path.parent for path in publish.REFERENCE.glob(f"{profile}/*/*/verdicts.csv")]
    if not folders:
        raise InputError(f"{profile} has no published verdicts.")
    for folder in sorted(folders):
        name = folder.relative_to(publish.REFERENCE).as_posix()
        print(f"{name}: {published(folder)} verdicts anew")
    return 0
