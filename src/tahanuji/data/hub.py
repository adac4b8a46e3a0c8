"""Data sets of the Hugging Face hub through its library `datasets`, which also keeps them on disk;
no code of theirs runs.
"""

import hashlib
import os
import re
from pathlib import Path

import pandas as pd

from tahanuji import paths
from tahanuji.errors import InputError, extra


def load(hub: dict, part: str) -> tuple[pd.DataFrame, dict]:
    """An upstream split as a frame of strings, row numbers from 1, and the facts that identify it:
    hub id, config, revision, sha256 of its content.

    `hub` holds `id`, `config` (or nothing) and `revision`. A folder `<id>/<revision>` in
    TAHAN_DATA_MIRROR, a copy of the hub's repository, goes before the hub and its cache. Raises
    InputError where neither gives the data.
    """
    with extra("models"):
        import datasets  # takes a second, which only those who ask for the hub should wait

    folder = in_mirror(hub)
    anew = {
        "download_mode": "reuse_cache_if_exists",
        "verification_mode": "no_checks",
    }  # a copy may have changed since it was last read
    source, options = (str(folder), anew) if folder else (hub["id"], {"revision": hub["revision"]})
    datasets.disable_progress_bars()
    try:
        table = datasets.load_dataset(source, hub.get("config"), split=part, **options)
    # the library raises its own errors, those of the hub's client, of pyarrow, of the disk
    except Exception as error:
        raise InputError(_unavailable(hub, folder, error)) from error
    frame = table.to_pandas().astype(object)
    frame = frame.where(frame.notna(), "").map(str)
    frame.index += 1
    facts = {
        "hub": hub["id"],
        "config": hub.get("config"),
        "revision": _commit(table) or hub["revision"],
    }
    return frame, facts | {"sha256": content_hash(frame)}


def in_mirror(hub: dict) -> Path | None:
    """The copy of a hub repository in the folder that TAHAN_DATA_MIRROR names; None where there is
    none.
    """
    mirror = os.environ.get("TAHAN_DATA_MIRROR", "")
    folder = Path(mirror).expanduser() / hub["id"] / hub["revision"]
    return (
        folder
        if mirror and not mirror.startswith(("http://", "https://")) and folder.is_dir()
        else None
    )


def content_hash(frame: pd.DataFrame) -> str:
    """The sha256 of a frame's columns and cells: the same for the same content, however it was
    stored.
    """
    digest = hashlib.sha256("\x1f".join(frame.columns).encode())
    for row in frame.itertuples(index=False):
        digest.update(("\x1e" + "\x1f".join(row)).encode())
    return digest.hexdigest()


def _commit(table) -> str | None:
    """The commit that the hub resolved the revision to; None for data of a folder."""
    matches = (
        re.search(r"@([0-9a-f]{40})/", address) for address in table.info.download_checksums or {}
    )
    return next((hit[1] for hit in matches if hit), None)


def _unavailable(hub: dict, folder: Path | None, error: Exception) -> str:
    reason = (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
    if folder:
        return (
            f"{paths.shown(folder)} cannot be read as a copy of the data set {hub['id']}: "
            f"{reason}. Copy it again, or unset TAHAN_DATA_MIRROR."
        )
    fetch = (
        f"hf download {hub['id']} --repo-type dataset --revision {hub['revision']} "
        f"--local-dir MIRROR/{hub['id']}/{hub['revision']}"
    )
    return (
        f"cannot load the data set {hub['id']} from the Hugging Face hub or its cache: {reason}. "
        f"Connect once and run again; for a machine "
        f"without network run `{fetch}` on one that has it and name that MIRROR in "
        f"TAHAN_DATA_MIRROR."
    )
