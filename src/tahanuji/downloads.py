"""Verified downloads: a file of the registry, from its pinned address, a mirror or the cache, with
the right sha256 or not at all.
"""

import hashlib
import os
import sys
from pathlib import Path

from tahanuji import paths
from tahanuji.errors import InputError

__all__ = ["locate"]

DATA_SETS = ("datasets", "tagging", "minimal_pairs")  # parts of the registry


def registry() -> dict:
    """The registry of data sets and their files, data/registry.yaml.

    >>> sorted(registry()["minimal_pairs"])
    ['lindsea']
    """
    return paths.read_yaml(paths.DATA / "registry.yaml")


def registered(kind: str, name: str) -> dict | None:
    """An entry of a part of the registry, such as `datasets`; what watches a run is told that it
    was looked up (an audit event).
    """
    entry = registry()[kind].get(name)
    if entry is not None:
        sys.audit("tahanuji.entry", "data/registry.yaml", kind, name)
    return entry


def data_sets() -> dict[str, dict]:
    """The entries that a notebook's parameter `dataset` can name, of all kinds."""
    return {name: entry for kind in DATA_SETS for name, entry in registry()[kind].items()}


def locate(name: str) -> Path:
    """The local path of a verified file, downloaded where need be.

    Parameters
    ----------
    name : str
        `data/...` for a file of the repository, `source/file` for a download of the registry; where
        that names a `member`, for this file of the downloaded archive.

    Returns
    -------
    Path

    Raises
    ------
    InputError
        Where it cannot be had, or is not what was registered.

    Examples
    --------
    >>> locate("data/lexicons/codemix.csv").name
    'codemix.csv'
    """
    if name.startswith("data/"):
        return _own(name)
    source, key = name.split("/")
    sys.audit("tahanuji.entry", "data/registry.yaml", "sources", source, "files", key)
    entry = registry()["sources"][source]
    path = fetch(entry, key)
    member = entry["files"][key].get("member")
    return _unpacked(path, member, _in_cache(_entry(entry, key)[1])) if member else path


def _own(name: str) -> Path:
    """A file of the repository."""
    path = paths.ROOT / name
    if not path.is_file():
        raise InputError(
            f"{name} is a file of the repository that the installed package lacks; run this in a "
            f"clone."
        )
    return path


def _unpacked(archive: Path, member: str, cached: Path) -> Path:
    """A file of a verified tar archive, unpacked anew beside where downloads are kept."""
    import shutil
    import tarfile
    from tempfile import TemporaryDirectory

    target = cached.with_name(f"{cached.name}.unpacked") / member
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files, TemporaryDirectory(dir=target.parent) as folder:
        part = Path(folder, target.name)
        with part.open("wb") as file:
            shutil.copyfileobj(files.extractfile(member), file)
        return part.replace(target)


def at_hand(name: str) -> Path | None:
    """The local path of what `locate` takes where it needs no network; None where there is none.

    >>> at_hand("data/lexicons/codemix.csv").name
    'codemix.csv'
    """
    if name.startswith("data/"):
        return _own(name)
    source, key = name.split("/")
    entry, relative = _entry(registry()["sources"][source], key)
    for path in (_in_mirror(relative), _in_cache(relative)):
        if path and path.is_file() and sha256(path) == entry["sha256"]:
            return path
    return None


def fetch(source: dict, key: str) -> Path:
    """A verified file of a source (repository, commit, files), downloaded unless it is there.

    Raises InputError for a wrong hash, an unfinished download, a missing file or no network;
    nothing wrong stays on disk.
    """
    entry, relative = _entry(source, key)
    if folder := _in_mirror(relative):
        return _from_folder(folder, entry)
    target = _in_cache(relative)
    if not (target.is_file() and sha256(target) == entry["sha256"]):
        target.unlink(missing_ok=True)
        _download(relative, target, entry)
    return target


def _download(relative: str, target: Path, entry: dict) -> None:
    """Fetch a file from the mirror's address or the registry's; InputError where that fails."""
    from urllib.parse import quote

    import pooch
    import requests

    base = os.environ.get("TAHAN_DATA_MIRROR") or registry()["base"]
    url, timeout = f"{base.rstrip('/')}/{quote(relative)}", _timeout()
    pooch.get_logger().setLevel("ERROR")
    loader, digest = pooch.HTTPDownloader(timeout=timeout), f"sha256:{entry['sha256']}"
    try:
        pooch.retrieve(url, digest, target.name, target.parent, downloader=loader)
    except requests.RequestException as error:
        raise InputError(_download_failed(url, error, timeout)) from error
    except ValueError as error:
        raise InputError(
            f"{url} is not the file that was registered (sha256 differs; {entry['bytes']:,} bytes "
            f"expected); try again, then report it."
        ) from error


def _entry(source: dict, key: str) -> tuple[dict, str]:
    """What the registry says of a file, and its path below a mirror or the cache."""
    entry = source["files"][key]
    return entry, f"{source['repository']}/{source['commit']}/{entry['path']}"


def _in_mirror(relative: str) -> Path | None:
    """A file's path below the folder that TAHAN_DATA_MIRROR names; None where it names none."""
    mirror = os.environ.get("TAHAN_DATA_MIRROR", "")
    if not mirror or mirror.startswith(("http://", "https://")):
        return None
    return Path(mirror).expanduser() / relative


def _in_cache(relative: str) -> Path:
    return paths.downloads() / relative


def _timeout() -> float:
    """The seconds after which a silent server is given up: TAHAN_DOWNLOAD_TIMEOUT, else 30."""
    given = os.environ.get("TAHAN_DOWNLOAD_TIMEOUT") or "30"
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if seconds <= 0:
        raise InputError(
            f"TAHAN_DOWNLOAD_TIMEOUT is a number of seconds above 0, and {given!r} is not."
        )
    return seconds


def _from_folder(path: Path, entry: dict) -> Path:
    """A file of a mirror's folder; InputError where it is missing or another one."""
    if not path.is_file():
        raise InputError(
            f"TAHAN_DATA_MIRROR has no {path}; unset it to download, or complete the mirror."
        )
    if sha256(path) != entry["sha256"]:
        raise InputError(
            f"{path} in TAHAN_DATA_MIRROR has another sha256 than data/registry.yaml states; "
            f"replace it."
        )
    return path


def _download_failed(url: str, error: Exception, timeout: float) -> str:
    """What went wrong on the way to an address, and what to do."""
    from requests import HTTPError, Timeout
    from requests.exceptions import ChunkedEncodingError

    otherwise = "name a copy in TAHAN_DATA_MIRROR."
    if isinstance(error, HTTPError):
        return f"{url} answers {error.response.status_code}; check the address, or {otherwise}"
    if isinstance(error, Timeout) or "timed out" in str(error):
        return f"{url} sent nothing for {timeout:g} seconds; try again, or {otherwise}"
    if isinstance(error, ChunkedEncodingError):
        return f"{url} broke off before its end; try again."
    return f"no network to reach {url}; connect, or {otherwise}"


def sha256(path: Path) -> str:
    """The sha256 of a file, 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
