"""Verified downloads: a file of the registry, from its pinned address, a mirror or the cache, with
the right sha256 or not at all.
"""

import hashlib
import os
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pooch
import requests

from tahanuji import paths
from tahanuji.errors import InputError

__all__ = ["at_hand", "fetch", "locate", "registered", "registry", "sha256"]


def registry() -> dict:
    """The registry of data sets and their files.

    Returns
    -------
    dict
        data/registry.yaml: `base` (the address that all begin with), `sources` (repository, commit
        and files with path, bytes and sha256), `datasets`, `formality`,
        `registers` and `tagging`.

    Examples
    --------
    >>> sorted(registry())
    ['base', 'datasets', 'formality', 'registers', 'sources', 'tagging']
    """
    return paths.read_yaml(paths.DATA / "registry.yaml")


def registered(kind: str, name: str):
    """An entry of the registry; what watches a run is told that it was looked up (an audit event).

    Parameters
    ----------
    kind : str
        A part of data/registry.yaml, such as `datasets`.
    name : str

    Returns
    -------
    dict or None
        None where the part has no such entry.
    """
    entry = registry()[kind].get(name)
    if entry is not None:
        sys.audit("tahanuji.entry", "data/registry.yaml", kind, name)
    return entry


def locate(name: str) -> Path:
    """The local path of a verified file.

    Parameters
    ----------
    name : str
        `data/...` for a file of the repository, `source/file` for a download of the registry; where
        that names a `member`, for this file of the downloaded archive.

    Returns
    -------
    Path
        Where it lies, after a download if need be.

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
        if not (paths.ROOT / name).is_file():
            raise InputError(
                f"{name} is a file of the repository that the installed package lacks; run this "
                "in a clone."
            )
        return paths.ROOT / name
    source, key = name.split("/")
    sys.audit("tahanuji.entry", "data/registry.yaml", "sources", source, "files", key)
    entry = registry()["sources"][source]
    path = fetch(entry, key)
    member = entry["files"][key].get("member")
    return _unpacked(path, member, _in_cache(_entry(entry, key)[1])) if member else path


def _unpacked(archive: Path, member: str, cached: Path) -> Path:
    """A file of a verified tar archive, unpacked anew beside where downloads are kept."""
    target = cached.with_name(f"{cached.name}.unpacked") / member
    target.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive) as files, TemporaryDirectory(dir=target.parent) as folder:
        files.extract(member, folder, filter="data")
        return Path(folder, member).replace(target)


def at_hand(name: str) -> Path | None:
    """The local path of a file where it needs no network.

    Parameters
    ----------
    name : str
        As `locate` takes it.

    Returns
    -------
    Path or None
        A file in the mirror's folder or already downloaded, with the right sha256; None where there
        is none.

    Examples
    --------
    >>> at_hand("data/lexicons/codemix.csv").name
    'codemix.csv'
    """
    if name.startswith("data/"):
        return locate(name)
    source, key = name.split("/")
    entry, relative = _entry(registry()["sources"][source], key)
    return next(
        (
            path
            for path in (_in_mirror(relative), _in_cache(relative))
            if path and path.is_file() and sha256(path) == entry["sha256"]
        ),
        None,
    )


def fetch(source: dict, key: str) -> Path:
    """A verified file of a source, downloaded unless it is there with the right hash already.

    Parameters
    ----------
    source : dict
        An entry of `sources` of the registry: repository, commit, files.
    key : str
        Of the file.

    Returns
    -------
    Path
        In the mirror's folder that TAHAN_DATA_MIRROR names, else in `paths.downloads()`.

    Raises
    ------
    InputError
        For a wrong hash, an unfinished download, a missing file or no network; nothing wrong stays
        on disk.

    Examples
    --------
    >>> fetch(registry()["sources"]["nusax"], "english").name  # doctest: +SKIP
    'english.csv'
    """
    entry, relative = _entry(source, key)
    if folder := _in_mirror(relative):
        return _from_folder(folder, entry)
    target = _in_cache(relative)
    if target.is_file() and sha256(target) == entry["sha256"]:
        return target
    url = (
        (os.environ.get("TAHAN_DATA_MIRROR") or registry()["base"]).rstrip("/")
        + "/"
        + quote(relative)
    )
    timeout = _timeout()
    pooch.get_logger().setLevel("ERROR")
    try:
        target.unlink(missing_ok=True)
        pooch.retrieve(
            url,
            f"sha256:{entry['sha256']}",
            target.name,
            target.parent,
            downloader=pooch.HTTPDownloader(timeout=timeout),
        )
    except requests.RequestException as error:
        raise InputError(_download_failed(url, error, timeout)) from error
    except ValueError as error:
        raise InputError(
            f"{url} is not the file that was registered (sha256 differs; {entry['bytes']:,} bytes "
            f"expected); try again, then report it."
        ) from error
    return target


def _entry(source: dict, key: str) -> tuple[dict, str]:
    entry = source["files"][key]
    return entry, f"{source['repository']}/{source['commit']}/{entry['path']}"


def _in_mirror(relative: str) -> Path | None:
    mirror = os.environ.get("TAHAN_DATA_MIRROR", "")
    return (
        Path(mirror).expanduser() / relative
        if mirror and not mirror.startswith(("http://", "https://"))
        else None
    )


def _in_cache(relative: str) -> Path:
    return paths.downloads() / relative


def _timeout() -> float:
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
    if isinstance(error, requests.HTTPError):
        return (
            f"{url} answers {error.response.status_code}; check the address, or name a copy in "
            "TAHAN_DATA_MIRROR."
        )
    if isinstance(error, requests.Timeout) or "timed out" in str(error):
        return (
            f"{url} sent nothing for {timeout:g} seconds; try again, or name a copy in "
            "TAHAN_DATA_MIRROR."
        )
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return f"{url} broke off before its end; try again."
    return f"no network to reach {url}; connect, or name a copy in TAHAN_DATA_MIRROR."


def sha256(path: Path) -> str:
    """The hash of a file.

    Parameters
    ----------
    path : Path
        Of any file.

    Returns
    -------
    str
        64 hex digits.

    Examples
    --------
    >>> len(sha256(Path(paths.__file__)))
    64
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
