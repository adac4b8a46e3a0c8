"""The tables of the benchmark as files: parquet in the layout that `datasets.load_dataset` reads,
and their sha256.
"""

from pathlib import Path

import pandas as pd

from tahanuji import data, paths
from tahanuji.errors import InputError, unknown

FOLDER = paths.DATA / "bench"
TABLES = ("sentiment", "inference", "instruments")
SUMS = "SHA256SUMS"
MOST = 3_000_000  # bytes of all tables


def place(folder: Path, table: str) -> Path:
    """Where a table lies: the one split of its configuration."""
    return folder / table / "test.parquet"


def write(folder: Path, tables: dict[str, pd.DataFrame]) -> dict[str, str]:
    """Write tables and their sha256.

    Parameters
    ----------
    folder : Path
    tables : dict of str to DataFrame
        By name of `TABLES`.

    Returns
    -------
    dict of str to str
        sha256 by file, as SHA256SUMS holds them.

    Raises
    ------
    InputError
        Where a row has the id of an earlier one, and where files are too large to be given away.
    """
    for name, table in tables.items():
        data.refuse(table, table["id"].duplicated(), name, "repeat the id of an earlier row")
        place(folder, name).parent.mkdir(parents=True, exist_ok=True)
        table.to_parquet(place(folder, name), index=False, compression="zstd")
    files = [place(folder, name) for name in tables]
    if (size := sum(file.stat().st_size for file in files)) > MOST:
        raise InputError(f"the tables take {size} bytes; the benchmark has at most {MOST}.")
    sums = {file.relative_to(folder).as_posix(): data.sha256(file) for file in files}
    lines = [f"{digest}  {name}\n" for name, digest in sums.items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    return sums


def check(folder: Path = FOLDER) -> dict[str, str]:
    """The sha256 of the tables, by file.

    Parameters
    ----------
    folder : Path
        Of the benchmark.

    Returns
    -------
    dict of str to str

    Raises
    ------
    InputError
        Where a file is missing or is not the one that was frozen.

    Examples
    --------
    >>> list(check())
    ['sentiment/test.parquet', 'inference/test.parquet', 'instruments/test.parquet']
    """
    if not (folder / SUMS).is_file():
        raise InputError(f"{paths.shown(folder)} is no benchmark: it has no {SUMS}.")
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    sums = {name: digest for digest, name in map(str.split, lines)}
    for name, digest in sums.items():
        if not (folder / name).is_file() or data.sha256(folder / name) != digest:
            raise InputError(
                f"{paths.shown(folder / name)} is missing or not the file that was frozen; fetch "
                f"the repository's anew."
            )
    return sums


def read(table: str, folder: Path = FOLDER) -> pd.DataFrame:
    """A table as it was frozen.

    Parameters
    ----------
    table : str
        A name of `TABLES`.
    folder : Path
        Of the benchmark.

    Returns
    -------
    DataFrame
        Of sentiment and inference a row per text or pair to be answered; of instruments a row per
        test. Empty cells are empty strings.

    Raises
    ------
    InputError
        For another name, and as `check`.

    Examples
    --------
    >>> read("inference")[["id", "expected"]].head(1).values.tolist()
    [['entailed_part-001', 'entailment']]
    """
    if table not in TABLES:
        raise unknown("table of the benchmark", table, TABLES)
    check(folder)
    return pd.read_parquet(place(folder, table))
