"""The one frame of outcomes that a gate judges: from a file, checked, by test, and two of them
paired.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from tahanuji import families, measure, paths, perturb
from tahanuji.errors import InputError
from tahanuji.instrument import Instrument
from tahanuji.measure.checks import yes_no
from tahanuji.outcomes import outcomes

CLEAN = "unchanged texts"
EVENTS = ("changed", "failure", "flip", "induced", "repaired", "moved", "is_wrong_way")
TEXTS = ("text", "text_pair", "perturbed", "perturbed_pair")
KEPT = ["id", "model", "family", "test", "type", "instrument", "gold", "clean_label"]
KEPT += ["perturbed_label", *EVENTS, "cluster", "clean_sha256", "perturbed_sha256"]


def read(path: Path | str) -> pd.DataFrame:
    """The frame of outcomes of a csv (`.csv`, `.csv.gz`) or parquet file, as `prepared` gives it.

    Parameters
    ----------
    path : Path or str
        A file with a row per example and test.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        For a file that is not there, cannot be read, or lacks what `prepared` needs.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"there is no file of outcomes {paths.shown(path)}.")
    named = dict.fromkeys(("id", "test", "gold", "clean_label", "perturbed_label", "cluster"), str)
    try:
        if path.suffix == ".parquet":
            frame = pd.read_parquet(path)
        else:
            options = {"keep_default_na": False, "na_values": [""], "low_memory": False}
            frame = pd.read_csv(path, dtype=named, **options)
    except (ValueError, OSError, ImportError) as error:
        said = str(error).strip().rstrip(".")
        raise InputError(f"{paths.shown(path)} cannot be read ({said}).") from None
    return prepared(frame, paths.shown(path))


def prepared(frame: pd.DataFrame, name: str = "the outcomes") -> pd.DataFrame:
    """A frame of outcomes with all that a gate needs to know of it.

    Parameters
    ----------
    frame : DataFrame
        A row per example and test: `id`, `test` and perhaps `rate` and `group`; what `outcomes`
        gives, or the labels that it takes (`gold`, `clean_label`, `perturbed_label`). Where they
        are there, `family`, `type` (INV, DIR, MFT), `instrument` (the bound of unfit outputs),
        `changed`, `cluster` and texts; repeated rows of a text are answers drawn again.
    name : str
        What a refusal calls it.

    Returns
    -------
    DataFrame
        With `test` (its name for readers), `family`, `type`, `instrument` and `changed`; what is
        not given is that of the perturbation of the name.

    Raises
    ------
    InputError
        Where there is no row, no id, no test, or no answers, and of INV tests no flips.

    Examples
    --------
    >>> labels = {"gold": "a", "clean_label": "a", "perturbed_label": ["a", "b"]}
    >>> frame = prepared(pd.DataFrame({"id": ["1", "2"], "test": "ocr", "rate": 0.05, **labels}))
    >>> frame[["test", "family", "type"]].iloc[1].tolist(), frame["induced"].tolist()
    (['ocr 0.05', 'typing', 'INV'], [False, True])
    """
    if missing := [column for column in ("id", "test") if column not in frame]:
        raise InputError(f"{name}: no column {', '.join(missing)}.")
    if frame.empty:
        raise InputError(f"{name}: no row, and so nothing to judge.")
    labelled = {"clean_label", "perturbed_label"} <= set(frame)
    if "failure" not in frame or "flip" not in frame and labelled:
        frame = _answered(frame, name)
    about = _registered(frame)
    changed = frame.get("changed", pd.Series(True, frame.index))
    frame = frame.assign(test=about.pop("test"), changed=changed.where(changed.notna(), True))
    given = {key: frame.get(key, pd.Series(None, frame.index, dtype=object)) for key in about}
    filled = {key: given[key].where(given[key].notna(), about[key]) for key in about}
    if "instrument" in frame:
        filled["instrument"] = frame["instrument"]  # none stays none
    frame = frame.assign(**filled).drop(columns=["rate", "group"], errors="ignore")
    _check_flips(frame, name)
    return frame


def _check_flips(frame: pd.DataFrame, name: str) -> None:
    """Raise an InputError where an INV test has no answers that flip, by which it is judged."""
    flips = frame.get("flip", pd.Series(None, frame.index, dtype=object))
    lacking = frame.loc[(frame["type"] == "INV") & flips.isna(), "test"]
    if len(lacking):
        raise InputError(
            f"{name}: no flip of {lacking.iloc[0]}, an INV test; give flip (perhaps induced and "
            f"repaired), or gold, clean_label and perturbed_label."
        )


def _answered(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """The frame with the outcomes of its labels."""
    if "perturbed_label" not in frame or not {"gold", "clean_label"} & set(frame):
        raise InputError(
            f"{name}: neither failure, flip, ... nor gold, clean_label and perturbed_label."
        )
    labels = (frame.get(key) for key in ("gold", "clean_label"))
    told = outcomes(*labels, frame["perturbed_label"])
    return frame.assign(**{key: told[key].to_numpy() for key in told if key not in frame})


def _registered(frame: pd.DataFrame) -> dict[str, pd.Series]:
    """Per row the name for readers, and family, type and instrument's bound of the perturbation
    that its test is called by.
    """
    keys = measure.keys(frame)
    numbers = keys.groupby(measure.KEY, dropna=False, sort=False).ngroup()  # as they appear
    firsts = keys[~numbers.duplicated()].itertuples(index=False, name=None)
    told = [_about(*key) for key in firsts]
    names = ("test", "family", "type", "instrument")
    columns = zip(*(told[number] for number in numbers), strict=True)
    return dict(zip(names, map(list, columns), strict=True))


def _about(test: str, rate: float, group: str) -> tuple[str, str, str, float | None]:
    """Name, family, type and bound of a test."""
    entry, bound = perturb.REGISTRY.get(test), None
    if entry and (validity := Instrument(test).validity):
        bound = 1.0 if rate > validity.rate else validity.unfit()
    kind = entry.test_type if entry else "INV"
    return measure.title(test, rate, group), families.family("", test), kind, bound


def tests(frame: pd.DataFrame) -> Iterator[tuple[tuple[str, str, str], pd.DataFrame]]:
    """The rows of every test by family, name and type, those of a text that was asked more than
    once in one cluster; InputError for outcomes that are neither true nor false.
    """
    for key, part in frame.groupby(["family", "test", "type"], sort=False):
        part = part.dropna(axis="columns", how="all")
        there = [name for name in EVENTS if name in part]
        events = {name: yes_no(part[name], f"{name} of {key[1]}") for name in there}
        part = part.assign(**events)
        if part["id"].duplicated().any() and "cluster" not in part:
            part = part.assign(cluster=part["id"])
        yield key, part


def unchanged(frame: pd.DataFrame) -> pd.DataFrame:
    """The answers to unchanged texts as rows of a test, each text once; none where no right labels
    or no clean answers are known.
    """
    if not {"gold", "clean_label"} <= set(frame):
        return frame.head(0)
    rows = frame.dropna(subset=["gold", "clean_label"])
    rows = rows[rows["type"] != "MFT"].drop_duplicates("id")
    kept = [key for key in ("id", "gold", "cluster", "clean_sha256", "text") if key in rows]
    said, family = rows["clean_label"], {"family": CLEAN, "test": CLEAN, "type": "INV"}
    wrong = said != rows["gold"]
    return rows[kept].assign(**family, perturbed_label=said, failure=wrong, changed=True)


def with_unchanged(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame with the answers to unchanged texts as one more test."""
    return pd.concat([frame, unchanged(frame)], ignore_index=True)


def failed(part: pd.DataFrame) -> pd.Series:
    """Which rows of one test went wrong: of a DIR test those that went the wrong way."""
    directed = part["type"].iloc[0] == "DIR" and "is_wrong_way" in part
    return part["is_wrong_way" if directed else "failure"]


def paired(new: pd.DataFrame, old: pd.DataFrame) -> pd.DataFrame | None:
    """What one test's answers changed from an old classifier to a new one, as outcomes: `induced`,
    the old one right and the new one wrong, `repaired` the reverse, `flip` another answer. None
    where the two were asked other texts.

    Raises InputError where they hold other examples.
    """
    new, old = (_numbered(part) for part in (new, old))
    if new["family"].iloc[0] == CLEAN:  # where one has more tests, it has more texts
        same = new.index.intersection(old.index)
        new, old = new.loc[same], old.loc[same]
        if new.empty:
            return None
    if len(new) != len(old) or set(new.index) != set(old.index):
        apart = len(set(new.index) ^ set(old.index))
        raise InputError(
            f"{new['test'].iloc[0]}: {apart} of the ids stand in one of the two alone; compare "
            f"answers to the same texts."
        )
    old = old.loc[new.index]
    for name in ("gold", "clean_sha256", "perturbed_sha256"):
        if name in new and name in old and (new[name].astype(str) != old[name].astype(str)).any():
            return None
    wrong, was = (failed(part) for part in (new, old))
    both = new.get("changed", True) & old.get("changed", True)  # MFT texts are none that changed
    told = {"flip": wrong != was, "induced": wrong & ~was, "repaired": was & ~wrong}
    if "perturbed_label" in new and "perturbed_label" in old:
        told |= {"flip": new["perturbed_label"] != old["perturbed_label"]}
        told |= {"old_label": old["perturbed_label"]}
    made = new.assign(**told, failure=wrong, changed=both).reset_index()
    return made.drop(columns="moved", errors="ignore")  # by the change, not from old to new


def _numbered(part: pd.DataFrame) -> pd.DataFrame:
    """Rows by id and by which of its answers they are."""
    return part.assign(draw=part.groupby("id").cumcount()).set_index(["id", "draw"])
