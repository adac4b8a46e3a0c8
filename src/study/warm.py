"""Processes that start with the imports of every notebook done: `python -m study.warm MODULE WORD
...` is `python -m MODULE WORD ...`, forked from the process that $TAHAN_WARM names.

A study of small models spends more time on imports than on anything else: those below took 22 CPU
seconds a process (three rounds, 21.9 to 22.3, on a slow machine), which a forked process spares.
`environment` is all that the runner knows of it; a cluster's nodes do without.
"""

import contextlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

IMPORTS = (  # of packages alone: the repository's own modules may be edited while a study runs
    "torch",
    "transformers.models.bert.modeling_bert",
    "transformers.models.bert.tokenization_bert",
    "transformers.models.auto.modeling_auto",
    "transformers.trainer",
    "datasets",
    "sklearn.linear_model",
    "scipy.stats",
    "statsmodels.api",
    "pandas",
    "seaborn",
    "papermill",
    "ipykernel.kernelapp",
    "matplotlib_inline",
    "requests",
    "pooch",
)


@contextlib.contextmanager
def environment() -> Iterator[dict[str, str]]:
    """The environment of processes that are to start warm, while the one that they start from runs;
    their kernels do so by a kernel specification.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, kernel = f"{folder}/socket", Path(folder, "kernels", "python3", "kernel.json")
        words = [sys.executable, "-m", "study.warm", "ipykernel_launcher", "-f"]
        # matplotlib is imported before there is a kernel, which has to be told of it
        words += ["{connection_file}", "--matplotlib=inline"]
        kernel.parent.mkdir(parents=True)
        kernel.write_text(json.dumps({"argv": words, "display_name": "warm", "language": "python"}))
        backend = {"MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        server = subprocess.Popen(
            [sys.executable, "-c", "import sys; from study import warm; warm.serve(sys.argv[1])"]
            + [path],
            stdin=subprocess.PIPE,  # it ends when this process has ended
            env=os.environ | backend | {"OMP_NUM_THREADS": "1"},
        )
        kernels = os.pathsep.join(filter(None, [folder, os.environ.get("JUPYTER_PATH")]))
        try:
            yield {"TAHAN_WARM": path, "JUPYTER_PATH": kernels}
        finally:
            server.stdin.close()
            server.wait()


def serve(path: str) -> None:
    """Fork a process for every client, until standard input is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        for name in IMPORTS:
            __import__(name)
        signal.signal(signal.SIGCHLD, lambda *_: reap())
        while sys.stdin not in (ready := select.select([listening, sys.stdin], [], [])[0]):
            client, _ = ready[0].accept()
            with client:
                asked, outputs, *_ = socket.recv_fds(client, 1 << 20, 2)
                if os.fork() == 0:
                    listening.close()
                    become(client, json.loads(asked), outputs)
            for number in outputs:
                os.close(number)


def reap() -> None:
    """Take note of forked processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def become(client: socket.socket, asked: dict, outputs: list[int]) -> None:
    """Run a module as its client would, with the client's environment, folder, output and fate."""
    os.setpgid(0, 0)  # what interrupts the client's group comes by way of the client
    for standard, number in enumerate([os.open(os.devnull, os.O_RDONLY), *outputs]):
        os.dup2(number, standard)
    os.chdir(asked["folder"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1))
    threading.Thread(target=follow, args=[client], daemon=True).start()
    status = as_main(asked["words"])
    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(OSError):
        client.sendall(bytes([status]))
    os._exit(status)


def follow(client: socket.socket) -> None:
    """Send this process the signals that its client got, and kill it when the client was killed."""
    while number := client.recv(1):
        os.kill(os.getpid(), number[0])
    os.kill(os.getpid(), signal.SIGKILL)


def as_main(words: list[str]) -> int:
    """The exit status of `python -m` with these words."""
    sys.argv = list(words)
    try:
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def main(words: list[str]) -> int:
    """The exit status of a module that is run warm; run here where nothing is warm."""
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(os.environ.get("TAHAN_WARM") or os.devnull)
        except OSError:
            return as_main(words)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda number, _: client.sendall(bytes([number])))
        asked = {"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(client, [json.dumps(asked).encode()], [1, 2])
        return wait(client)


def wait(client: socket.socket) -> int:
    """The exit status that a forked process sends; 1 where it was killed, or the process was that
    started this one: a kernel ends with its run.
    """
    client.settimeout(0.5)
    parent = os.getppid()
    while os.getppid() == parent:
        with contextlib.suppress(TimeoutError):
            status = client.recv(1)
            return status[0] if status else 1
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
