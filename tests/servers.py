"""An HTTP server on loopback that speaks OpenAI's chat completions and counts what it is asked."""

import json
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


def model(folder: Path) -> Callable[[dict], dict]:
    """Chat completions of a model folder, as `transformers serve` gives them: greedy."""
    words = AutoTokenizer.from_pretrained(folder)
    network, one_by_one = AutoModelForCausalLM.from_pretrained(folder), threading.Lock()

    def complete(asked: dict) -> dict:
        how = {"add_generation_prompt": True, "return_dict": True, "return_tensors": "pt"}
        prompt = words.apply_chat_template(asked["messages"], **how)
        with one_by_one, torch.no_grad():
            most = {"max_new_tokens": asked["max_tokens"], "do_sample": False, "pad_token_id": 0}
            new = network.generate(**prompt, **most)[0, prompt["input_ids"].shape[1] :]
        content = words.decode(new, skip_special_tokens=True)
        return reply(content, prompt["input_ids"].shape[1], len(new))

    return complete


def reply(content: str, prompt_tokens: int = 0, completion_tokens: int = 0) -> dict:
    """The JSON of a chat completion."""
    tokens = {"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens}
    return {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": tokens}


@dataclass
class Served:
    """What a server does and saw."""

    complete: Callable[[dict], dict]
    models: tuple[str, ...] = ("tiny",)
    seconds: float = 0.0
    key: str = ""
    failures: list[int] = field(default_factory=list)  # statuses of the next requests
    asked: list[str] = field(default_factory=list)
    at_once: int = 0
    peak: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    address: str = ""

    def post(self, content: dict) -> tuple[int, dict]:
        with self.lock:
            if self.failures:
                return self.failures.pop(0), {"error": "busy"}
            self.at_once += 1
            self.peak = max(self.peak, self.at_once)
            self.asked.append(content["messages"][0]["content"])
        try:
            time.sleep(self.seconds)
            return 200, self.complete(content)
        finally:
            with self.lock:
                self.at_once -= 1


def _handler(served: Served) -> type:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self, status: int, content: dict) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def allowed(self) -> bool:
            given = self.headers.get("Authorization", "")
            if served.key and given != f"Bearer {served.key}":
                self.answer(401, {"error": f"Incorrect API key provided: {given}"})
                return False
            return True

        def do_GET(self):
            if self.allowed():
                self.answer(200, {"data": [{"id": name} for name in served.models]})

        def do_POST(self):
            content = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.allowed():
                self.answer(*served.post(content))

        def log_message(self, *words):
            pass

    return Handler


class _Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):  # a killed client closes its connections
        pass


@contextmanager
def serving(complete: Callable[[dict], dict], port: int = 0, **more):
    """A running server, as `Served`."""
    served = Served(complete, **more)
    server = _Quiet(("127.0.0.1", port), _handler(served))
    served.address = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
