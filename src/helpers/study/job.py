"""Notebook runs of one study, whose imports are done once.

    python -m helpers.study.job --serve SOCKET
        import what every notebook needs, then wait for runs
    python -m helpers.study.job NOTEBOOK RUN_DIR ...
        `python -m helpers.runner` with the same words: forked from the process at $TAHAN_JOBS, by
        itself where none answers there

A forked run has the client's environment, folder, output and fate: it is stopped when the client
is. Its kernel is forked too, before a thread or an event loop is there to be copied.
"""

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import threading
from pathlib import Path

from tahanuji import fingerprints, paths

EVERY = (
    "torch",
    "transformers.models.bert.modeling_bert",
    "transformers.models.bert.tokenization_bert",
    "transformers.models.auto.modeling_auto",
    "transformers.trainer",
    "datasets",
    "sklearn.linear_model",
    "scipy.stats",
    "statsmodels.api",
)
EVERY += ("pandas", "seaborn", "papermill", "ipykernel.kernelapp", "matplotlib_inline", "requests")
EVERY += ("pooch",)


class Kernel:
    """A process that waits to become a kernel; to jupyter_client what subprocess.Popen would be."""

    stdin = stdout = stderr = returncode = None

    def __init__(self):
        wanted, self.pipe = os.pipe()
        self.pid = os.fork()
        os.setpgid(self.pid, self.pid)  # by both: signals are for the kernel alone
        if self.pid == 0:
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: no run, no kernel
            os.close(self.pipe)
            with os.fdopen(wanted) as words:
                become_kernel(words.read())

    def launch(self, command: list[str], env: dict, **_) -> "Kernel":
        """Start as the kernel of a command `python -m ipykernel_launcher ...`."""
        with os.fdopen(self.pipe, "w") as words:
            env = {**env, "JPY_PARENT_PID": str(os.getpid())}  # it ends soon after this process
            json.dump([command[command.index("-f") :], env], words)
        return self

    def poll(self) -> int | None:
        """The exit status, None while it runs."""
        if self.returncode is None and os.waitpid(self.pid, os.WNOHANG)[0]:
            self.returncode = 0
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            os.waitpid(self.pid, 0)
            self.returncode = 0
        return self.returncode


def become_kernel(words: str) -> None:
    """Be a kernel until it is shut down; without words, because the run was refused, end."""
    if not words:
        os._exit(0)
    arguments, environment = json.loads(words)
    prepare(environment)
    for name in [name for name in sys.modules if name.split(".")[0] == "helpers"]:
        del sys.modules[name]  # the notebook imports them as the first: see helpers.reads
    from ipykernel import kernelapp

    # matplotlib was imported before there was a kernel, which therefore has to be told of it
    kernelapp.launch_new_instance(argv=[*arguments, "--matplotlib=inline"])
    os._exit(0)


def prepare(environment: dict) -> None:
    """Take over an environment, and its number of threads."""
    os.environ.clear()
    os.environ.update(environment)
    import torch

    torch.set_num_threads(int(environment.get("OMP_NUM_THREADS") or os.cpu_count() or 1))


def run(client: socket.socket, asked: dict, outputs: list[int]) -> None:
    """In a fork of its own: one notebook run, whose status the client is sent."""
    os.dup2(outputs[0], 1)
    os.dup2(outputs[1], 2)
    os.chdir(asked["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(asked["environment"])
    kernel = Kernel()
    from jupyter_client.provisioning import local_provisioner

    from helpers import runner

    local_provisioner.launch_kernel = kernel.launch
    threading.Thread(target=follow, args=[client], daemon=True).start()
    status = runner.main(asked["words"])
    sys.stdout.flush()
    sys.stderr.flush()
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the client ends with the answer
    with contextlib.suppress(OSError):
        client.sendall(bytes([status]))
    os._exit(status)


def follow(client: socket.socket) -> None:
    """Stop this process when its client has ended."""
    if not client.recv(1):
        os.kill(os.getpid(), signal.SIGTERM)


def serve(path: str) -> None:
    """Answer clients until the process that started this one has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = os.getppid()
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen(64)
        for name in EVERY:
            __import__(name)
        for module in (paths.ROOT / "src" / "tahanuji").rglob("*.py"):
            fingerprints.bare(module.read_text(encoding="utf-8"))  # every run names what it read
        server.settimeout(2)
        while os.getppid() == parent:
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            with contextlib.suppress(TimeoutError):
                client, _ = server.accept()
                with client:
                    words, outputs, *_ = socket.recv_fds(client, 1 << 20, 2)
                    if os.fork() == 0:
                        server.close()
                        client.setblocking(True)
                        run(client, json.loads(words), outputs)
                    for number in outputs:
                        os.close(number)


def ask(path: str, words: list[str]) -> int | None:
    """The exit status of a run made by the process at a socket; None where none answers."""
    asked = {"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX) as client:
        try:
            client.connect(path)
        except OSError:
            return None
        socket.send_fds(client, [json.dumps(asked).encode()], [1, 2])
        status = client.recv(1)
    return status[0] if status else 1


def main(words: list[str]) -> int:
    """The command line; the exit status is that of helpers.runner."""
    if words[:1] == ["--serve"]:
        serve(words[1])
        return 0
    status = ask(os.environ["TAHAN_JOBS"], words) if os.environ.get("TAHAN_JOBS") else None
    if status is None:
        from helpers import runner

        status = runner.main(words)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
