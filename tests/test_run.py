"""Snakemake's arguments, and processes that start warm."""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import ROOT

from study import __main__ as study
from study import profiles, run

SERVE = "import sys; from study import warm; warm.IMPORTS = (); warm.serve(sys.argv[1])"
PROGRAM = """
import os, signal, sys, time
def stop(*_):
    os.write(1, b"stopped\\n")  # print may be in the middle of the line below
    sys.exit(3)
signal.signal(signal.SIGTERM, stop)
print(os.getcwd(), os.environ["OWN"], *sys.argv[1:], os.getppid(), flush=True)
time.sleep(float(sys.argv[1]))
sys.exit(int(sys.argv[2]))
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("TAHAN_OUTPUTS", str(tmp_path / "outputs"))
    monkeypatch.setattr(run, "has_gpu", lambda: True)


def arguments(*asked: str) -> list[str]:
    return run.arguments("embedded", profiles.configuration("embedded"), list(asked))


def test_cores_quiet_and_gpu_are_chosen_where_nobody_did():
    words = arguments("--forceall", "some/target")
    assert words[-2:] == ["--forceall", "some/target"]
    assert words[:6] == ["--resources", "gpu=1", "--quiet", "rules", "reason", "host"]
    assert words[words.index("--cores") + 1] == "all"
    assert words[words.index("--configfile") + 1].endswith("config/embedded.yaml")
    assert "--forcerun" not in words


@pytest.mark.parametrize("chosen", ["--cores", "--jobs=2", "-j2", "-c", "--executor", "--profile"])
def test_other_cores_are_left_alone(chosen):
    assert "all" not in arguments(chosen, "1")


def test_a_cluster_has_its_own_cards():
    assert "--resources" not in arguments("--executor", "slurm")
    assert arguments("--resources", "gpu=3").count("--resources") == 1
    assert arguments("--quiet").count("--quiet") == 1


def test_unknown_profiles_and_commands_are_wrong_use(capsys):
    assert study.main(["run", "embeded"]) == 2
    assert "unknown profile 'embeded'; did you mean 'embedded'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        study.main(["rnu"])
    assert end.value.code == 2


def test_a_second_study_in_one_folder_is_refused_and_a_dry_run_is_not(monkeypatch, capsys):
    monkeypatch.setattr(run, "study", lambda *words: 0)
    with run.occupied("embedded"):
        assert study.main(["run", "embedded", "--cores", "1"]) == 2
        assert "another study is at work in" in capsys.readouterr().err
        assert study.main(["run", "embedded", "--cores", "1", "--dry-run"]) == 0
    assert study.main(["run", "embedded", "--cores", "1"]) == 0


def test_outputs_that_are_read_only_get_one_sentence(monkeypatch, capsys):
    def denied(*_, **more):
        raise OSError(errno.EROFS, "Read-only file system", "outputs/embedded")

    monkeypatch.setattr(Path, "mkdir", denied)
    assert study.main(["run", "embedded", "--cores", "1"]) == 2
    assert "outputs/embedded is read-only" in capsys.readouterr().err


def test_a_study_ends_with_the_status_of_what_failed(monkeypatch):
    from study.report import __main__ as report

    for made, said, strict, expected in [
        (0, 0, True, 0), (0, 1, True, 1), (0, 1, False, 0), (0, 2, False, 2), (1, 0, False, 1),
        (130, 0, True, 130),
    ]:  # fmt: skip
        monkeypatch.setattr(run, "wait_for", lambda words, extra, made=made: made)
        monkeypatch.setattr(report, "main", lambda words, said=said: said)
        assert run.study("embedded", ["--executor", "x"], strict) == expected


@pytest.fixture
def warm(tmp_path) -> Iterator[dict[str, str]]:
    """The environment of processes that are forked from one without imports."""
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    own = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{tmp_path}", "OWN": "yes"}
    path = tmp_path / "socket"
    server = subprocess.Popen([sys.executable, "-c", SERVE, path], stdin=subprocess.PIPE, env=own)
    while not path.exists():
        assert server.poll() is None
        time.sleep(0.02)
    yield own | {"TAHAN_WARM": str(path), "PID": str(server.pid)}
    server.stdin.close()
    assert server.wait(10) == 0


def start(folder: Path, environment: dict[str, str], *words: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "study.warm", "program", *words]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    return subprocess.Popen(command, cwd=folder, env=environment, **piped)


def test_a_warm_process_has_its_clients_words_folder_environment_and_status(tmp_path, warm):
    process = start(tmp_path, warm, "0", "7")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 7
    assert said.split() == [str(tmp_path), "yes", "0", "7", warm["PID"]]
    unknown = subprocess.run(
        [sys.executable, "-m", "study.warm", "no_such_program"],
        env=warm, capture_output=True, text=True,
    )  # fmt: skip
    assert unknown.returncode == 1 and "no_such_program" in unknown.stderr


def test_without_a_warm_process_a_client_runs_the_module_itself(tmp_path, warm):
    process = start(tmp_path, warm | {"TAHAN_WARM": str(tmp_path / "nobody")}, "0", "5")
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 5 and said.split()[-1] == str(os.getpid())


@pytest.mark.parametrize(
    ("how", "said", "status"), [(signal.SIGTERM, "stopped\n", 3), (signal.SIGKILL, "", -9)]
)
def test_a_warm_process_ends_with_its_client(tmp_path, warm, how, said, status):
    process = start(tmp_path, warm, "60", "0")
    process.stdout.readline()
    process.send_signal(how)
    assert process.stdout.read() == said  # to its end: nobody holds the pipe any more
    assert process.wait(10) == status


def test_a_warm_process_ends_with_what_started_its_client(tmp_path, warm):
    code = "import subprocess, sys; subprocess.run(sys.argv[1:])"
    words = [sys.executable, "-c", code, sys.executable, "-m", "study.warm", "program", "60", "0"]
    process = subprocess.Popen(words, cwd=tmp_path, env=warm, stdout=subprocess.PIPE)
    process.stdout.readline()
    process.kill()
    assert process.stdout.read() == b""


SLOW = {"torch", "transformers", "datasets", "nbformat", "rfc3987_syntax"}  # seconds to load
REFUSED = """
import sys
from study.__main__ import main

for words in sys.argv[2:]:
    try:
        status = main(words.split())
    except SystemExit as stopped:
        status = stopped.code
    print(words, status, *set(sys.argv[1].split()) & set(sys.modules), sep=",")
"""


def test_what_takes_seconds_to_load_is_not_loaded_to_refuse():
    names = ("run", "stale", "gate", "judge", "audit", "harden", "report", "redraw", "demo")
    asked = [f"{name} nosuch" for name in (*names, "bench", "plan")]
    asked += ["audit nosuch/of_mine:answer"]
    command = [sys.executable, "-c", REFUSED, " ".join(sorted(SLOW)), *asked]
    done = subprocess.run(command, capture_output=True, text=True)
    answers = [line.split(",") for line in done.stdout.splitlines()]
    assert [words for words, *_ in answers] == asked, done.stderr
    for words, status, *loaded in answers:
        assert status in ("1", "2") and not loaded, words
