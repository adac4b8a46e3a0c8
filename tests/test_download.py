"""The real download path of tahanuji.downloads.fetch, against a server on this machine that behaves
well or badly.
"""

import functools
import hashlib
import os
import socket
import tarfile
import threading
from collections.abc import Callable
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tahanuji import data, downloads
from tahanuji.errors import InputError

MIRROR = os.environ.get("TAHAN_DATA_MIRROR", "")
mirror = pytest.mark.skipif(
    not MIRROR or MIRROR.startswith("http"),
    reason="set TAHAN_DATA_MIRROR to a folder with the real data sets to run this",
)
REAL = Path(MIRROR).resolve()
BODY = b"Bakminya gurih dan porsinya pas.\tpositive\nKipasnya berisik semalaman.\tnegative\n"
RELATIVE = "pemilik/kumpulan/0a1b2c/data/ulasan #1.tsv"
ASKED = "/pemilik/kumpulan/0a1b2c/data/ulasan%20%231.tsv"
SOURCE = {
    "repository": "pemilik/kumpulan",
    "commit": "0a1b2c",
    "files": {
        "ulasan": {
            "path": "data/ulasan #1.tsv",
            "bytes": len(BODY),
            "sha256": hashlib.sha256(BODY).hexdigest(),
        }
    },
}
# seconds: longer than the limit that the tests set, so that only keeping to the limit gives the
# right sentence
STALL = 3


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder as the server's `mode` says: good, truncated, stalled (nothing sent) or
    halfway (stalled inside the body).
    """

    def do_GET(self):
        self.server.asked.append(self.requestline.split()[1])
        if self.server.mode == "good":
            super().do_GET()
        elif self.server.mode == "stalled":
            self.server.released.wait(STALL)
        else:
            self.send_half()

    def send_half(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY[: len(BODY) // 2])
        if self.server.mode == "halfway":
            self.server.released.wait(STALL)

    def log_message(self, *_):
        pass


@pytest.fixture
def serve():
    """Starts servers of folders on free ports and stops them all at the end."""
    servers = []

    def start(folder: Path) -> ThreadingHTTPServer:
        server = ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
        )
        server.mode, server.asked, server.released = "good", [], threading.Event()
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.released.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch) -> Path:
    """An empty cache, a limit of a second, and no proxy between the test and its server."""
    monkeypatch.setenv("TAHAN_DATA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TAHAN_DOWNLOAD_TIMEOUT", "1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path / "cache"


@pytest.fixture
def tree(tmp_path) -> Path:
    """A folder with the file of SOURCE in the layout of a mirror."""
    path = tmp_path / "tree" / RELATIVE
    path.parent.mkdir(parents=True)
    path.write_bytes(BODY)
    return tmp_path / "tree"


@pytest.fixture
def server(serve, tree, cache, monkeypatch) -> ThreadingHTTPServer:
    """A server of `tree` that TAHAN_DATA_MIRROR names."""
    server = serve(tree)
    monkeypatch.setenv("TAHAN_DATA_MIRROR", address(server))
    return server


def address(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def nowhere() -> str:
    """The address of a port where nothing listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}"


def refusal() -> str:
    """What fetch says when it fails: one sentence."""
    with pytest.raises(InputError) as caught:
        downloads.fetch(SOURCE, "ulasan")
    said = str(caught.value)
    assert said.endswith(".")
    assert "\n" not in said
    return said


def left(cache: Path) -> list[str]:
    return [path.name for path in cache.rglob("*") if path.is_file()]


def corrupt(server: ThreadingHTTPServer, tree: Path) -> None:
    (tree / RELATIVE).write_bytes(BODY.replace(b"gurih", b"anyir"))


def remove(server: ThreadingHTTPServer, tree: Path) -> None:
    (tree / RELATIVE).unlink()


def misbehave(mode: str) -> Callable[[ThreadingHTTPServer, Path], None]:
    return lambda server, tree: setattr(server, "mode", mode)


FAILURES = {
    "corrupted": (corrupt, ["not the file that was registered", "sha256", "try again"]),
    "truncated": (misbehave("truncated"), ["broke off before its end", "try again"]),
    "missing": (remove, ["answers 404", "check the address", "TAHAN_DATA_MIRROR"]),
    "stalled": (
        misbehave("stalled"),
        ["sent nothing for 1 seconds", "try again", "TAHAN_DATA_MIRROR"],
    ),
    "stalled halfway": (
        misbehave("halfway"),
        ["sent nothing for 1 seconds", "try again", "TAHAN_DATA_MIRROR"],
    ),
}


# From a server


def test_a_good_download_lies_in_the_cache_under_its_registered_place(server, cache):
    path = downloads.fetch(SOURCE, "ulasan")
    assert path == cache / RELATIVE
    assert path.read_bytes() == BODY
    assert left(cache) == [path.name]


def test_a_second_call_makes_no_request(server):
    first = downloads.fetch(SOURCE, "ulasan")
    assert downloads.fetch(SOURCE, "ulasan") == first
    assert server.asked == [ASKED]


def test_a_file_that_is_there_needs_no_server(cache, monkeypatch):
    (cache / RELATIVE).parent.mkdir(parents=True)
    (cache / RELATIVE).write_bytes(BODY)
    monkeypatch.setenv("TAHAN_DATA_MIRROR", nowhere())
    assert downloads.fetch(SOURCE, "ulasan") == cache / RELATIVE


def test_without_a_mirror_the_registry_base_is_asked(server, cache, monkeypatch):
    monkeypatch.delenv("TAHAN_DATA_MIRROR")
    monkeypatch.setattr(downloads, "registry", lambda: {"base": address(server) + "/"})
    assert downloads.fetch(SOURCE, "ulasan").read_bytes() == BODY
    assert server.asked == [ASKED]


@pytest.mark.parametrize("failure", FAILURES)
def test_a_failed_download_says_what_to_do_and_leaves_nothing(server, tree, cache, failure):
    spoil, words = FAILURES[failure]
    spoil(server, tree)
    said = refusal()
    assert [word for word in [*words, address(server)] if word not in said] == []
    assert left(cache) == []


@pytest.mark.parametrize("failure", ["corrupted", "truncated", "missing", "stalled halfway"])
def test_a_later_good_download_succeeds(server, tree, failure):
    FAILURES[failure][0](server, tree)
    refusal()
    server.mode = "good"
    (tree / RELATIVE).write_bytes(BODY)
    assert downloads.fetch(SOURCE, "ulasan").read_bytes() == BODY


def test_no_server_at_all_is_said_to_be_no_network(server, cache, monkeypatch):
    monkeypatch.setenv("TAHAN_DATA_MIRROR", nowhere())
    said = refusal()
    assert [
        word for word in ("no network to reach", "connect", "TAHAN_DATA_MIRROR") if word not in said
    ] == []
    assert left(cache) == []
    monkeypatch.setenv("TAHAN_DATA_MIRROR", address(server))
    assert downloads.fetch(SOURCE, "ulasan").read_bytes() == BODY


def test_a_spoiled_file_in_the_cache_is_downloaded_again(server, cache):
    path = downloads.fetch(SOURCE, "ulasan")
    path.write_bytes(BODY[:-5])
    assert downloads.fetch(SOURCE, "ulasan").read_bytes() == BODY
    assert len(server.asked) == 2


def test_a_spoiled_file_goes_even_if_its_download_fails(server, cache):
    downloads.fetch(SOURCE, "ulasan").write_bytes(BODY[:-5])
    server.mode = "truncated"
    refusal()
    assert left(cache) == []


# From a folder


def test_a_folder_mirror_is_read_in_place(tree, cache, monkeypatch):
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tree))
    assert downloads.fetch(SOURCE, "ulasan") == tree / RELATIVE
    assert left(cache) == []


def test_a_file_missing_from_a_folder_mirror_is_named(tree, cache, monkeypatch):
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tree))
    (tree / RELATIVE).unlink()
    said = refusal()
    assert [
        word
        for word in (
            "TAHAN_DATA_MIRROR has no",
            RELATIVE,
            "unset it to download",
            "complete the mirror",
        )
        if word not in said
    ] == []


def test_a_corrupted_file_of_a_folder_mirror_is_refused(tree, cache, monkeypatch):
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tree))
    (tree / RELATIVE).write_bytes(BODY[:-1])
    said = refusal()
    assert [
        word
        for word in (RELATIVE, "another sha256", "data/registry.yaml", "replace it")
        if word not in said
    ] == []


# The real data, over HTTP


@mirror
def test_smsa_loads_from_a_web_mirror(serve, cache, monkeypatch):
    server = serve(REAL)
    monkeypatch.setenv("TAHAN_DATA_MIRROR", address(server))
    frames = [data.load("smsa", "test") for _ in range(2)]
    assert [len(frame) for frame in frames] == [500, 500]
    assert len(server.asked) == 1
    assert left(cache) == ["test_preprocess.tsv"]


@pytest.fixture
def archive(tree, monkeypatch):
    """A registered file inside an archive of a folder mirror."""
    member, packed = "satu/isi.tsv", tree / "pemilik/kumpulan/0a1b2c/satu.tar.gz"
    (tree / "isi.tsv").write_bytes(BODY)
    with tarfile.open(packed, "w:gz") as file:
        file.add(tree / "isi.tsv", member)
    content = packed.read_bytes()
    facts = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    entry = SOURCE | {"files": {"isi": {"path": "satu.tar.gz", "member": member, **facts}}}
    registry = {"sources": {"kumpulan": entry}}
    monkeypatch.setattr(downloads, "registry", lambda: registry)
    monkeypatch.setenv("TAHAN_DATA_MIRROR", str(tree))


def test_a_member_of_an_archive_is_unpacked_into_the_cache(archive, tree, cache):
    path = downloads.locate("kumpulan/isi")
    assert path.read_bytes() == BODY and path.is_relative_to(cache)
    path.write_bytes(b"spoiled")
    assert downloads.locate("kumpulan/isi").read_bytes() == BODY
    assert [file for file in cache.rglob("*") if file.is_file()] == [path]
