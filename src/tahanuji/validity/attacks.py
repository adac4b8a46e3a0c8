"""Successful attacks as readers see them: a text is broken by an attack only where its right label
stayed.
"""

from pathlib import Path

import pandas as pd

from tahanuji import data, measure
from tahanuji.codemix import translators
from tahanuji.errors import InputError
from tahanuji.validity.making import KEY, SEED, fingerprint
from tahanuji.validity.shares import READERS, counted, items, ratings

ATTACK = "attack"
EACH = 70  # successes per language on a sheet


def successes(folder: Path, count: int = EACH) -> pd.DataFrame:
    """The texts that the attacks of a finished run turned from right to wrong, to be rated.

    As `outputs`, the instrument `attack:<language>`.

    >>> successes(Path("no such run"))
    Traceback (most recent call last):
    tahanuji.errors.InputError: no such run has no misclassified.csv; give the folder of a run ...
    """
    folder = Path(folder)
    places = [folder / "private" / "misclassified.csv", folder / "misclassified.csv"]
    path = next((path for path in places if path.is_file()), None)
    if path is None or not (folder / "metrics.csv").is_file():
        raise InputError(
            f"{folder} has no misclassified.csv; give the folder of a run of notebook 08."
        )
    rows = data.read_table(path)
    if not {"text", "perturbed"} <= set(rows) or (rows["perturbed"] == "").any():
        raise InputError(f"{path} holds no texts; run notebook 08 here instead of taking a copy.")
    rows = rows[rows["test"].isin(translators.LANGUAGES)]
    drawn = rows["id"].map(lambda example: fingerprint(f"{SEED} {ATTACK} {example}"))
    rows = rows.assign(drawn=drawn).sort_values("drawn").groupby("test").head(count)
    made = rows.assign(
        changed=rows["perturbed"],
        instrument=f"{ATTACK}:" + rows["test"],
        language="id",
        rate=pd.to_numeric(rows["rate"]),
        draw=str(SEED),
        dataset=data.read_table(folder / "metrics.csv")["dataset"].iloc[0],
        split="test",
    )
    return made[[*KEY, "text", "changed"]].reset_index(drop=True)


def success(rows: pd.DataFrame, rated: pd.DataFrame | None = None) -> pd.DataFrame:
    """Success of attacks, raw and among texts that keep their label.

    A row per language: test, n (texts that were classified rightly), broken (of these, made wrong),
    success with `_low` and `_high` (95%, Wilson), rated (of the broken texts), same_label (their
    share), valid_success with `_low` and `_high`: the product of the two shares and of the ends of
    their intervals, therefore wide; NaN without ratings.

    Source: Adilazuarda et al. (2022), section 3.3, rate naturalness of attacked texts and not their
    label.

    >>> row = {"test": "jv", "id": "a", "gold": "positive", "clean_label": "positive"}
    >>> table = success(pd.DataFrame([row | {"induced": True, "perturbed_sha256": "0"}]))
    >>> table[["test", "n", "broken", "rated"]].values.tolist()
    [['jv', 1, 1, 0]]
    """
    kept = _kept(ratings() if rated is None else rated)
    table = []
    for test, part in rows.groupby("test", sort=False):
        right = part[part["gold"] == part["clean_label"]]
        broken = right[right["induced"].astype(bool)]
        outputs = broken["id"].astype(str) + " " + broken["perturbed_sha256"].astype(str).str[:12]
        same = outputs.map(kept.get(f"{ATTACK}:{test}", {})).dropna()
        raw = measure.share(len(broken), len(right))
        share = measure.share(int(same.eq(True).sum()), len(same))
        valid = [one * other for one, other in zip(raw, share, strict=True)]
        table.append((test, len(right), len(broken), *raw, len(same), share.value, *valid))
    named = [
        f"{name}{end}" for name in ("success", "valid_success") for end in ("", "_low", "_high")
    ]
    columns = ["test", "n", "broken", *named[:3], "rated", "same_label", *named[3:]]
    return pd.DataFrame(table, columns=columns)


def _kept(rows: pd.DataFrame) -> dict[str, dict[str, bool]]:
    """By instrument, and by id and output, whether readers find the label the same; a text counts
    with all its readers, of whichever sample.
    """
    rows = counted(rows).assign(draw="")
    rows = rows[rows["instrument"].str.startswith(f"{ATTACK}:")]
    if rows.empty:
        return {}
    readers = rows.groupby([*KEY, "output"], dropna=False)["rater"].transform("nunique")
    judged = items(rows[readers >= READERS])
    judged.index = judged["id"].astype(str) + " " + judged["output"]
    return {name: dict(part["label"] == 1) for name, part in judged.groupby("instrument")}
