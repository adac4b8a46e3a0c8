"""Verified downloads: a file of the registry, from its pinned address, a mirror or the cache, with
the right sha256 or not at all.
"""

import hashlib
import os
import sys
from pathlib import Path
from urllib.parse import quote

import pooch
import requests
import yaml

from tahanuji import paths
from tahanuji.errors import InputError


def registry() -> dict:
    """data/registry.yaml as a dictionary."""
    return yaml.safe_load((paths.DATA / "registry.yaml").read_text(encoding="utf-8"))


def registered(kind: str, name: str):
    """An entry of the registry, `kind` being one of its parts, or None; what watches a run is told
    (an audit event).
    """
    entry = registry()[kind].get(name)
    if entry is not None:
        sys.audit("tahanuji.entry", "data/registry.yaml", kind, name)
    return entry


def locate(name: str) -> Path:
    """The local path of a file: one of the repository (`data/...`) or a download named
    `source/file`, verified.

    Raises InputError where it cannot be had.
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
    return fetch(registry()["sources"][source], key)


def at_hand(name: str) -> Path | None:
    """What `locate` gives where it needs no network: a file in the mirror's folder or already
    downloaded, with the right hash; else None.
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
    """The verified file `key` of a registry source, downloaded unless it is there with the right
    hash already.

    Raises InputError for a wrong hash, an unfinished download, a missing file or no network;
    nothing wrong stays on disk.
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
    """The file's sha256 as 64 hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
