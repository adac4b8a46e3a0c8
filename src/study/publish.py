"""The reference: finished runs copied to outputs/reference, no more than recomputing needs.

Below outputs/reference/<profile>/<model>/<notebook>/ lie, of all variants together, metrics.csv,
verdicts.csv (of notebooks that judge), histories.csv (of trainings, epoch by epoch),
predictions.parquet (with the column `variant`, without texts and hashes, four digits) and
provenance.json ({variant: content}); of the variant `default` also executed.ipynb, its other tables
and its figures as png, of 256 colours. The same runs give the same bytes. Weights and texts stay
where they are. Runs of files that were not committed, or that have changed since, are refused, if
they are not published already: nobody could repeat them. So is a profile whose planned runs are not
all finished, but with --unfinished, which publishes those that are.

Of a profile of PAGES the report's page goes to docs/pages/<profile>.html, which leads to the
published notebooks.

--restore goes the other way: published runs that this machine has not made are laid beside its own,
without texts and checkpoints, so that a profile can be finished elsewhere, or its report made anew.
"""

import argparse
import re
import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from helpers import layout, tables
from helpers.provenance import read_json
from study import images, profiles, reads
from tahanuji import paths
from tahanuji.errors import InputError
from tahanuji.results import Results, Run, select

REFERENCE = layout.REFERENCE
TOGETHER, HISTORIES = ("metrics.csv", "verdicts.csv"), "histories.csv"
PROBABILITIES = ("p_", "clean_", "perturbed_")  # how their columns begin
ALONE = {"documents": ("findings.json", "provenance.json"), "report": ("findings.json",)}
PAGES = paths.ROOT / "docs" / "pages"
SHOWN = ("cpu", "embedded")  # the profiles with a page there, the findings first
EXECUTED = re.compile(r'<a href="(?:\.\./)?((?:[^"/]+/)*)executed\.ipynb">(.*?)</a>')
WHOLE = 1 << 30  # rows or bytes: no column is cut
APART = (
    *TOGETHER,
    HISTORIES,
    "predictions.csv",
    "misclassified.csv",
)  # the last follows from predictions


def reference(profile: str) -> Results:
    """The published runs of the default variant, as far as headline numbers need them."""
    runs = []
    for path in sorted((REFERENCE / profile).glob("*/*/metrics.csv")):
        about = read_json(path.with_name("provenance.json")).get("default")
        metrics = select(tables.read(path, tables.METRICS), variant="default")
        metrics = metrics.assign(title=tables.titles(metrics))
        runs += [Run(path.parent / "default", about, metrics)] if about and len(metrics) else []
    return Results(profile, runs)


def unrepeatable(profile: str) -> list[str]:
    """The finished runs of a profile that no commit holds the files of, and why, by name.

    Published ones are left out: what was repeatable then is.
    """
    source, reasons = layout.outputs() / profile, []
    for path in sorted(source.glob("**/provenance.json")):
        about = read_json(path)
        name = path.parent.relative_to(source).as_posix()
        if _published(path) == about:
            continue
        changed = reads.changed(about)
        if about.get("dirty") is not False:
            reasons.append(f"{name} was made with files of no known commit")
        elif changed:
            reasons.append(f"{name} read what has changed since: {changed[0]}")
    return reasons


def _published(path: Path) -> dict | None:
    """What the reference holds of a run's provenance.json."""
    one = REFERENCE / path.relative_to(layout.outputs())
    if one.is_file():  # a folder that is alone
        return read_json(one)
    together = one.parents[1] / one.name
    return read_json(together).get(one.parent.name) if together.is_file() else None


def unfinished(profile: str) -> list[str]:
    """The planned runs of a profile that are missing beside finished ones, by name."""
    names = profiles.folders(paths.read_yaml(profiles.configuration(profile)))
    source = layout.outputs() / profile
    missing = [name for name in names if not (source / name / "provenance.json").is_file()]
    return missing if len(missing) < len(names) else []


def publish(profile: str) -> Path:
    """Replace a profile's reference by the finished runs that are there; its folder."""
    source, target = layout.outputs() / profile, REFERENCE / profile
    folders: dict[Path, list[Path]] = {}
    for path in sorted(source.glob("*/*/*/provenance.json")):
        folders.setdefault(path.parents[1].relative_to(source), []).append(path.parent)
    if not folders:
        raise InputError(
            f"{paths.shown(source)} has no finished run; ./run_all.sh {profile} makes them."
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as part:
        whole = Path(part) / profile
        for name, variants in folders.items():
            _together(whole / name, variants)
            for folder in variants:
                if folder.name == "default":
                    _shown(folder, whole / name)
        for alone in ALONE:
            if (source / alone / "provenance.json").is_file():
                _shown(source / alone, whole / alone)
        shutil.rmtree(target, ignore_errors=True)
        whole.replace(target)
    for made in sorted((source / "report").glob("index*.html")) if profile in SHOWN else ():
        show(made, profile)
    return target


def show(made: Path, profile: str) -> Path:
    """Publish the page of a report, with its links to executed notebooks (the reference has those
    of the default variants) and cards leading to the reference, and those to the page in other
    languages to what is published of it; its path.
    """
    folder = f"../../{paths.shown(REFERENCE / profile)}"

    def there(link: re.Match) -> str:
        name = (link[1] or "report/").removesuffix("default/")
        leads = f'<a href="{folder}/{name}executed.ipynb">{link[2]}</a>'
        return leads if name.count("/") < 3 else link[2]

    PAGES.mkdir(parents=True, exist_ok=True)
    path = PAGES / made.name.replace("index", profile)
    text = EXECUTED.sub(there, made.read_text(encoding="utf-8"))
    text = text.replace('href="index', f'href="{profile}')
    text = text.replace('href="card-', f'href="{folder}/report/card-')
    path.write_text(text, encoding="utf-8", newline="\n")
    return path


def predictions(folder: Path) -> dict[str, pd.DataFrame]:
    """The predictions of a folder of the reference by variant, without other variants' columns."""
    path = folder / "predictions.parquet"
    try:
        whole = pd.read_parquet(path)
    except (ValueError, OSError):  # pyarrow's errors are both
        raise InputError(
            f"{paths.shown(path)} is damaged or cut off; git checkout {paths.shown(path)} brings "
            f"it back."
        ) from None
    for name in whole.select_dtypes("float32"):
        whole[name] = _printed(whole[name])
    parts = dict(list(whole.groupby(whole.pop("variant").astype(str), sort=False)))
    filled = whole.columns[whole.notna().any()]  # a column that is empty in all is every variant's
    others = {name: filled[part[filled].isna().all()] for name, part in parts.items()}
    return {
        name: part.drop(columns=others[name]).reset_index(drop=True) for name, part in parts.items()
    }


def _printed(column: pd.Series) -> pd.Series:
    """Numbers of 32 bits as they were printed: 0.1 and not 0.10000000149."""
    values, places = np.unique(column.to_numpy(), return_inverse=True)
    return pd.Series(values.astype(str).astype(float)[places], column.index)


def restore(profile: str) -> list[str]:
    """Lay the published runs of a profile that are not here beside those that are; their names.

    A restored run has its csv files, and the default one its notebook and figures.
    """
    restored = []
    documents = Path(profile) / "documents"
    there = (layout.outputs() / documents / "provenance.json").is_file()
    if (REFERENCE / documents / "provenance.json").is_file() and not there:
        shutil.copytree(REFERENCE / documents, layout.outputs() / documents, dirs_exist_ok=True)
        restored.append(documents.name)
    for path in sorted((REFERENCE / profile).glob("*/*/provenance.json")):
        whole: dict[str, pd.DataFrame] = {}
        for variant, about in read_json(path).items():
            folder = layout.outputs() / path.parent.relative_to(REFERENCE) / variant
            if not (folder / "provenance.json").is_file():
                if not whole and (path.parent / "predictions.parquet").is_file():
                    whole = predictions(path.parent)
                _restored(path.parent, folder, about, whole.get(variant))
                restored.append(folder.relative_to(layout.outputs() / profile).as_posix())
    return restored


def _restored(published: Path, folder: Path, about: dict, rows: pd.DataFrame | None) -> None:
    """Lay a published run with its predictions into its folder, its provenance last."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in TOGETHER:
        if (published / name).is_file():
            table = pd.read_csv(published / name, dtype=str)
            table[table["variant"] == folder.name].to_csv(folder / name, index=False)
    if (published / HISTORIES).is_file():
        table = pd.read_csv(published / HISTORIES, dtype=str)
        own = table[table.pop("variant") == folder.name].dropna(axis=1, how="all")
        if len(own):
            own.to_csv(folder / "history.csv", index=False)
    if rows is not None:
        rows.to_csv(folder / "predictions.csv", index=False)
    if folder.name == "default":
        _shown(published, folder)
    paths.write_json(folder / "provenance.json", about)


def _together(target: Path, variants: list[Path]) -> None:
    """Metrics, verdicts, predictions and provenance of all variants of a notebook and model."""
    target.mkdir(parents=True)
    about = {folder.name: read_json(folder / "provenance.json") for folder in variants}
    paths.write_json(target / "provenance.json", about)
    for name in TOGETHER:
        there = [folder / name for folder in variants if (folder / name).is_file()]
        if there:
            whole = pd.concat([pd.read_csv(path, dtype=str) for path in there], ignore_index=True)
            tables.write(target / name, whole)
    parts = [
        compact(tables.read(folder / "predictions.csv", [])).assign(variant=folder.name)
        for folder in variants
        if (folder / "predictions.csv").is_file()
    ]
    histories = [
        pd.read_csv(folder / "history.csv", dtype=str).assign(variant=folder.name)
        for folder in variants
        if (folder / "history.csv").is_file()
    ]
    if histories:
        tables.write(target / HISTORIES, pd.concat(histories, ignore_index=True))
    if parts:
        write_compact(target / "predictions.parquet", pd.concat(parts, ignore_index=True))


def compact(predictions: pd.DataFrame) -> pd.DataFrame:
    """Predictions without texts and hashes, probabilities to four digits.

    Other numbers stay as they are: a bootstrap draws otherwise where rounding makes values equal.
    """
    hashes = [name for name in predictions if name.endswith("_sha256")]
    kept = tables.bare(predictions).drop(columns=hashes)
    return kept.round(dict.fromkeys(_probabilities(kept), 4))


def _probabilities(frame: pd.DataFrame) -> list[str]:
    """The columns of a frame that hold probabilities."""
    return [name for name in frame.select_dtypes("float") if name.startswith(PROBABILITIES)]


def write_compact(path: Path, frame: pd.DataFrame) -> None:
    """Write a parquet file in which columns lie whole, probabilities in 32 bits, which hold their
    four digits, and what is a text in one variant and none in another as texts, as a csv has
    it; the same rows give the same bytes.
    """
    short = frame.astype(dict.fromkeys(_probabilities(frame), "float32"))
    for name in short.select_dtypes("object"):
        if pd.api.types.infer_dtype(short[name], skipna=True).startswith("mixed"):
            short[name] = short[name].map(str, na_action="ignore")
    whole = {"row_group_size": WHOLE, "max_rows_per_page": WHOLE, "data_page_size": WHOLE}
    zstd = {"compression": "zstd", "compression_level": 22, "use_dictionary": False}
    short.to_parquet(path, index=False, **whole, **zstd)


def _shown(folder: Path, target: Path) -> None:
    """What a reader looks at: the executed notebook, tables and figures of a run; of a report what
    README.md shows of it, and the cards of models.
    """
    import nbformat  # which loads its checks of formats for seconds

    target.mkdir(parents=True, exist_ok=True)
    notebook = nbformat.read(folder / "executed.ipynb", as_version=4)
    images.shrink(notebook.cells)
    nbformat.write(notebook, target / "executed.ipynb")
    report = folder.name == "report"
    kept = [] if report else [path for path in folder.glob("*.csv") if path.name not in APART]
    for path in kept:
        tables.write(target / path.name, tables.bare(pd.read_csv(path, dtype=str)))
    for name in ALONE.get(folder.name, ()):
        shutil.copyfile(folder / name, target / name)
    pictures = ("figures/families*.png", "card-*/*.png") if report else ("figures/*.png",)
    for path in [path for pattern in pictures for path in folder.glob(pattern)]:
        place = target / path.relative_to(folder)
        place.parent.mkdir(exist_ok=True)
        place.write_bytes(images.small(path.read_bytes()))
    for path in folder.glob("card-*/card*"):
        (target / path.parent.name).mkdir(exist_ok=True)
        shutil.copyfile(path, target / path.relative_to(folder))


def checked(profile: str, whole: bool) -> None:
    """Raise an InputError for runs that nobody could repeat and, of a whole profile, for runs that
    are missing.
    """
    if refused := unrepeatable(profile):
        raise InputError(
            f"{len(refused)} of the runs of {profile} cannot be repeated from a commit: "
            f"{refused[0]}; commit, and run them again by ./run_all.sh {profile} --forceall."
        )
    if whole and (missing := unfinished(profile)):
        raise InputError(
            f"{len(missing)} of the runs of {profile} have not finished, such as {missing[0]};"
            f" ./run_all.sh {profile} makes them, --unfinished publishes the others."
        )


def main(words: list[str]) -> int:
    """Publish a profile, or restore one."""
    parser = argparse.ArgumentParser(
        prog="python -m study publish",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("profile", help="a profile of config/, such as embedded")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--unfinished", action="store_true", help="publish the runs that are there")
    which.add_argument("--restore", action="store_true", help="lay published runs beside one's own")
    asked = parser.parse_args(words)
    if asked.restore:
        print(*restore(asked.profile), sep="\n")
        return 0
    checked(asked.profile, whole=not asked.unfinished)
    target = publish(asked.profile)
    files = [path for path in target.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files) / 2**20
    print(f"{paths.shown(target)}: {len(files)} files, {size:.1f} MB")
    return 0
