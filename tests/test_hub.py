"""The real download code of transformers and huggingface_hub against a stand-in of the hub on this
machine, which behaves well or badly.
"""

import functools
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import folders
import pytest
import torch
import yaml
from conftest import ROOT, environment, run_all
from huggingface_hub import constants
from safetensors.torch import load_file, save_file

pytestmark = pytest.mark.long
ENTRIES = yaml.safe_load((ROOT / "config/models.yaml").read_text(encoding="utf-8"))
CHUNK = constants.DOWNLOAD_CHUNK_SIZE
TOKEN = "hf_" + "rahasia" * 5
WEIGHTS = "model.safetensors"
THESIS = ("indobert", "mbert")  # the models of the profile


class Hub(BaseHTTPRequestHandler):
    """Serves `root/owner/name/file` at a commit per repository, as the server's `mode` says: good,
    broken (the first answer with weights breaks off halfway), stalled (nothing comes after half of
    them) or altered (a byte of the weights is another).
    """

    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.answer(with_body=False)

    def do_GET(self):
        self.answer(with_body=True)

    def answer(self, with_body: bool):
        server = self.server
        asked = (self.command, self.path, self.headers.get("Range"), self.headers["Authorization"])
        server.asked.append(asked)
        where = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", self.path.partition("?")[0])
        if listed := re.match(r"/api/models/([^/]+/[^/]+)(/tree/)?", self.path):
            self.describe(listed[1], bool(listed[2]))
            return
        path = server.root / where[1] / where[3] if where else None
        commit = server.commits.get(where[1]) if where else None
        if not path or not path.is_file() or where[2] not in ("main", commit):
            self.send_response(404)
            self.send_header("X-Error-Code", "EntryNotFound" if commit else "RepoNotFound")
            self.send_header("Content-Length", "0")
            if commit:
                self.send_header("X-Repo-Commit", commit)
            self.end_headers()
            return
        self.send(path.read_bytes(), commit, where[3], with_body)

    def describe(self, name: str, listing: bool):
        commit = self.server.commits.get(name)
        files = [path.name for path in (self.server.root / name).glob("*")] if commit else []
        tree = [{"type": "file", "path": file, "size": 1, "oid": "0"} for file in files]
        about = {"id": name, "sha": commit, "siblings": [{"rfilename": file} for file in files]}
        body = json.dumps(tree if listing else about).encode()
        self.send_response(200 if commit else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def send(self, body: bytes, commit: str, name: str, with_body: bool):
        digest = hashlib.sha256(body).hexdigest()
        start = int(re.findall(r"\d+", self.headers.get("Range") or "0")[0])
        weights = name == WEIGHTS
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("X-Repo-Commit", commit)
        self.send_header("ETag", f'"{digest if weights else digest[:40]}"')
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if not with_body:
            return
        if weights and self.server.mode == "altered":
            body = body[:-1] + bytes([body[-1] ^ 1])
        first = not self.server.halfway.is_set()
        cut = weights and first and self.server.mode in ("broken", "stalled")
        self.wfile.write(body[start : len(body) // 2 if cut else None])
        self.wfile.flush()
        if cut:
            self.server.halfway.set()
            if self.server.mode == "stalled":
                self.server.released.wait(60)
            self.close_connection = True
            self.connection.close()

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def models_of(tmp_path_factory) -> Path:
    """The two models of profile thesis, small and random, below their hub ids; and a classifier."""
    root = tmp_path_factory.mktemp("hub")
    for number, name in enumerate(THESIS):
        folder = folders.base(root / ENTRIES[name]["source"], "bert", seed=number)
        more = {"unused": torch.zeros(3 * CHUNK // 4)}  # what broke off is written chunk by chunk
        save_file(load_file(folder / WEIGHTS) | more, folder / WEIGHTS, {"format": "pt"})
    folders.classifier(root / "orang/penilai", "bert", ["Positif", "Netral", "Negatif"])
    return root


@pytest.fixture
def hub(models_of) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    server.daemon_threads = True
    server.root, server.mode, server.asked = models_of, "good", []
    server.commits = {ENTRIES[name]["source"]: ENTRIES[name]["revision"] for name in THESIS}
    server.commits["orang/penilai"] = "ab" * 20
    server.halfway, server.released = threading.Event(), threading.Event()
    threading.Thread(target=functools.partial(server.serve_forever, 0.01), daemon=True).start()
    yield server
    server.released.set()
    server.shutdown()
    server.server_close()


def online(hub: ThreadingHTTPServer, home: Path) -> dict[str, str]:
    """The environment of a process for which the stand-in is the hub, with a token."""
    address = f"http://127.0.0.1:{hub.server_port}"
    fetching = {
        "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        "HF_HUB_ETAG_TIMEOUT": "5",
        "HF_HUB_DISABLE_XET": "1",
    }
    return fetching | {
        "HF_ENDPOINT": address,
        "HF_HOME": str(home / "hf"),
        "HF_HUB_OFFLINE": "0",
        "HF_TOKEN": TOKEN,
        "no_proxy": "127.0.0.1",
        "NO_PROXY": "127.0.0.1",
    }


BUILD = """
from tahanuji import data, models
from tahanuji.errors import InputError
try:
    print(models.build("indobert", data.LABELS).card["revision"])
except InputError as error:
    print("InputError:", error)
"""


def built(hub: ThreadingHTTPServer, home: Path) -> subprocess.CompletedProcess:
    """A process that loads `indobert` by its entry in config/models.yaml."""
    return folders.python(BUILD, **online(hub, home))


def of_weights(hub: ThreadingHTTPServer) -> list[tuple]:
    return [asked for asked in hub.asked if asked[0] == "GET" and asked[1].endswith(WEIGHTS)]


def test_the_pinned_revision_is_asked_for_and_nothing_else(hub, tmp_path):
    done = built(hub, tmp_path)
    revision = ENTRIES["indobert"]["revision"]
    assert done.stdout.strip() == revision, done.stderr
    resolved = [path for _, path, _, _ in hub.asked if "/resolve/" in path]
    assert resolved and all(f"/resolve/{revision}/" in path for path in resolved)
    assert any(token == f"Bearer {TOKEN}" for *_, token in hub.asked)
    assert TOKEN not in done.stdout + done.stderr
    count = len(of_weights(hub))
    assert built(hub, tmp_path).stdout.strip() == revision
    assert len(of_weights(hub)) == count  # from the cache


def test_a_download_that_breaks_off_goes_on_where_it_broke(hub, tmp_path):
    hub.mode = "broken"
    done = built(hub, tmp_path)
    assert done.stdout.strip() == ENTRIES["indobert"]["revision"], done.stderr
    assert [asked[2] for asked in of_weights(hub)] == [None, f"bytes={CHUNK}-"]


def test_a_download_that_keeps_breaking_off_is_one_sentence(hub, tmp_path):
    hub.mode = "stalled"
    hub.released.set()
    hub.halfway.is_set = lambda: False  # every answer breaks off
    done = built(hub, tmp_path)
    assert done.stdout.startswith("InputError: cannot load 'indobenchmark/indobert-base-p1'")
    assert done.stdout.count("\n") == 1 and TOKEN not in done.stdout + done.stderr


def test_after_a_kill_in_the_middle_the_same_command_gets_whole_weights(hub, tmp_path):
    hub.mode = "stalled"
    killed = subprocess.Popen(
        [sys.executable, "-c", BUILD],
        env=environment(tmp_path, **online(hub, tmp_path)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert hub.halfway.wait(120)
    killed.kill()
    killed.wait()
    hub.released.set()
    hub.mode = "good"
    assert built(hub, tmp_path).stdout.strip() == ENTRIES["indobert"]["revision"]


def test_weights_that_are_not_those_announced_are_refused_and_fetched_again(hub, tmp_path):
    hub.mode = "altered"
    said = built(hub, tmp_path).stdout
    assert said.startswith("InputError: the weights of indobenchmark/indobert-base-p1 have another")
    hub.mode = "good"
    assert built(hub, tmp_path).stdout.strip() == ENTRIES["indobert"]["revision"]


LOADERS = """
import pandas as pd
from tahanuji.codemix import encoders
from tahanuji.errors import InputError
from tahanuji.models import masked
from tahanuji.tagging import networks
tags = pd.DataFrame({"words": [["Ani"]], "tags": [["B-PER"]]})
for load in (
    lambda: masked.load("indobert", ["first", "second"]),
    lambda: networks.built("indobert", tags, 64, 1),
    lambda: encoders.sentence_encoder("orang/penilai"),
):
    try:
        load()
    except InputError as error:
        print(error)
"""


def test_masked_models_taggers_and_sentence_encoders_are_checked_too(hub, tmp_path):
    hub.mode = "altered"
    done = folders.python(LOADERS, **online(hub, tmp_path))
    said = done.stdout.splitlines()
    assert len(said) == 3 and all("have another sha256" in line for line in said), done.stderr


def test_a_repository_that_is_not_there_is_one_sentence(hub, tmp_path):
    hub.commits.pop(ENTRIES["indobert"]["source"])
    done = built(hub, tmp_path)
    assert done.stdout.startswith("InputError: cannot load 'indobenchmark/indobert-base-p1'")
    assert done.stdout.count("\n") == 1 and TOKEN not in done.stdout + done.stderr


def test_an_audit_of_a_hub_id_keeps_the_commit_that_it_got(hub, tmp_path, monkeypatch):
    for name, value in online(hub, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    done = run_all(tmp_path / "outputs", "audit", "orang/penilai", "--quick", "--dry-run")
    assert done.returncode == 0, done.stderr[-2000:]
    (card,) = (tmp_path / "outputs/audit-penilai").glob("model-*/tahan.json")
    about = json.loads(card.read_text(encoding="utf-8"))
    assert about["revision"] == "ab" * 20
    assert about["names"] == {"Positif": "positive", "Netral": "neutral", "Negatif": "negative"}


def test_profile_thesis_from_the_hub_to_a_verdict(hub, tmp_path, monkeypatch, mirror):
    """Both models are fetched, fine-tuned on real SmSA and tested; the token is written nowhere."""
    for name, value in online(hub, tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    outputs = tmp_path / "outputs"
    runs = [outputs / "thesis" / name / "05_typos/default/provenance.json" for name in THESIS]
    done = run_all(outputs, "thesis", "--cores", "2", *map(str, runs))
    assert all(run.is_file() for run in runs), done.stderr[-3000:]
    for name in THESIS:
        trained = outputs / "thesis" / name / "01_finetune/default"
        about = json.loads((trained / "provenance.json").read_text(encoding="utf-8"))
        assert about["parameters"]["training_precision"] == "fp32"
        card = json.loads((trained / "checkpoint/last/tahan.json").read_text(encoding="utf-8"))
        assert ENTRIES[name]["revision"] in json.dumps(card)
    assert {path for _, path, _, _ in hub.asked if path.endswith(WEIGHTS)} == {
        f"/{ENTRIES[name]['source']}/resolve/{ENTRIES[name]['revision']}/{WEIGHTS}"
        for name in THESIS
    }
    assert TOKEN not in done.stdout + done.stderr
    for path in outputs.rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
