"""A model behind an OpenAI-compatible server as a classifier: asked in words, its answers kept."""

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock

import numpy as np
import requests
from urllib3.util import Retry

from tahanuji import data, paths, predict
from tahanuji.errors import InputError
from tahanuji.models import prompts

AT_ONCE = 8
TIMEOUT = 120  # seconds for one answer
SETTINGS = {"temperature": 0.0, "max_tokens": 16}
AGAIN = (408, 429, 500, 502, 503, 504)  # answers after which a request is made again
TRIES = 6  # requests again, after 0.5 seconds and then twice as long each time
BACKOFF = 0.5
TOKENS = ("prompt_tokens", "completion_tokens")


class Kept:
    """Answers on disk, found by the hash of all that was asked; no prompt is written down.

    The thread that got an answer writes it before it asks anything else, so that an interrupted run
    asks only the rest.
    """

    def __init__(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.lock = sqlite3.connect(path, timeout=60, check_same_thread=False), Lock()
        columns = "key TEXT PRIMARY KEY, answer TEXT, prompt_tokens INT, completion_tokens INT"
        with self.file:
            self.file.execute(f"CREATE TABLE IF NOT EXISTS answers ({columns})")

    def find(self, key: str) -> tuple | None:
        """Answer and tokens, None where there is none."""
        columns = ", ".join(("answer", *TOKENS))
        query = f"SELECT {columns} FROM answers WHERE key = ?"
        return self.file.execute(query, [key]).fetchone()

    def keep(self, key: str, answer: tuple) -> None:
        """Write answer and tokens."""
        with self.lock, self.file:
            self.file.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", [key, *answer])


class Endpoint(prompts.Worded, predict.Classifier):
    """A served model asked with one wording; the label that it names has probability 1.

    An answer that is not exactly one of the label words has probability 0 everywhere: it is
    `predict.UNPARSABLE`, and no guess is made.
    """

    kind = "endpoint"

    def __init__(self, wording: prompts.Wording, labels: list[str], card: dict):
        self.wording, self.labels = wording, list(labels)
        self.address = card["source"].rstrip("/")
        self.at_once = int(card.get("at_once") or AT_ONCE)
        self.session = _session(card.get("key", ""), self.at_once)
        self.settings = SETTINGS | {name: card[name] for name in SETTINGS if name in card}
        self.model = card.get("model") or self._only_model()
        self.kept = Kept(Path(card.get("answers") or paths.downloads() / "answers.sqlite"))
        self.cost = dict.fromkeys(("requests", *TOKENS, "kept_answers", "kept_tokens"), 0)
        facts = {"labels": self.labels, "prompt": wording.name, "model": self.model}
        facts |= self.settings | {"cost": self.cost}
        self.card = card | facts  # provenance.json has the cost as it is at the run's end

    def predict_proba(self, texts: list[data.Example], precision: str = "fp32") -> np.ndarray:
        """Probabilities of texts or pairs, float32 (n, labels); each distinct one is asked once and
        never again, `precision` has no effect. InputError where the server cannot be asked.
        """
        answers = self.answers(predict.distinct(texts)[0])
        said = [self.wording.meant(answers[text]) for text in texts]
        rows = [[label == name for label in self.labels] for name in said]
        return np.array(rows, np.float32).reshape(-1, len(self.labels))

    def answers(self, examples: list[data.Example]) -> dict[data.Example, str]:
        """What the model answers to each text or pair, word for word."""
        result, missing = {}, {}
        for example in examples:
            asked = self._asked(example)
            key = data.text_hash(json.dumps([self.address, asked], sort_keys=True))
            if answer := self.kept.find(key):
                result[example] = answer[0]
                self.cost["kept_answers"] += 1
                self.cost["kept_tokens"] += sum(answer[1:])
            else:
                missing[example] = key, asked
        return result | self._fresh(missing)

    def _asked(self, example: data.Example) -> dict:
        message = {"role": "user", "content": self.wording.asked(example)}
        return {"model": self.model, "messages": [message], **self.settings}

    def _fresh(self, missing: dict) -> dict[data.Example, str]:
        """Answers of the server, so many at a time; the first that cannot be had ends it."""
        result = {}
        with ThreadPoolExecutor(self.at_once) as pool:
            coming = {pool.submit(self._fetched, *how): text for text, how in missing.items()}
            try:
                for done in as_completed(coming):
                    result[coming[done]], *tokens = done.result()
                    self.cost["requests"] += 1
                    for name, count in zip(TOKENS, tokens, strict=True):
                        self.cost[name] += count
            finally:
                pool.shutdown(cancel_futures=True)
        return result

    def _fetched(self, key: str, asked: dict) -> tuple[str, int, int]:
        """Answer and tokens of one request, kept on disk."""
        answer = self._read(self._request("POST", "chat/completions", asked))
        self.kept.keep(key, answer)
        return answer

    def _read(self, reply: dict) -> tuple[str, int, int]:
        """Answer and tokens of a reply; a server that counts none has none."""
        with self._as_openai("chat completions", reply):
            said = reply["choices"][0]["message"]["content"] or ""
            if not isinstance(said, str):
                raise TypeError("a content in parts")
            usage = reply.get("usage") or {}
            return said, *(int(usage.get(name) or 0) for name in TOKENS)

    @contextlib.contextmanager
    def _as_openai(self, what: str, reply: object) -> Iterator[None]:
        """What cannot be read of a reply becomes an InputError."""
        try:
            yield
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"{self.address} does not answer as OpenAI's {what} do "
                f"({str(reply)[:80]}); give the address that ends in /v1."
            ) from error

    def _request(self, method: str, path: str, content: dict | None = None) -> dict:
        """The JSON of a reply; InputError, which never has the key in it, for anything else."""
        try:
            place = f"{self.address}/{path}"
            reply = self.session.request(method, place, json=content, timeout=TIMEOUT)
            if reply.ok:
                return reply.json()
        except requests.RequestException as error:
            raise InputError(
                f"{self.address} gives no answer ({type(error).__name__}); see that the server "
                f"runs, then give the same command again: answers that came are kept."
            ) from error
        if reply.status_code in (401, 403):  # such replies may repeat the key
            hint = "export the key, and name its variable with --key (in models.yaml: key)"
        else:
            hint = f"it says: {' '.join(reply.text.split())[:160]}"
            hint += " Name the model with --served (in models.yaml: model)" * (path == "models")
        raise InputError(f"{self.address} refuses {path} with status {reply.status_code}; {hint}.")

    def _only_model(self) -> str:
        """The one model that the server has; InputError where it has none or several."""
        listed = self._request("GET", "models")
        with self._as_openai("models", listed):
            names = [str(one["id"]) for one in listed["data"]]
        if len(names) != 1:
            raise InputError(
                f"{self.address} serves {len(names)} models ({', '.join(names[:8])}); say which "
                f"one is meant with --served (in models.yaml: model)."
            )
        return names[0]


def _session(variable: str, at_once: int) -> requests.Session:
    """A session that asks again after a while where a server is busy, with the key that an
    environment variable holds.
    """
    how = {"backoff_factor": BACKOFF, "backoff_jitter": BACKOFF, "allowed_methods": None}
    retry = Retry(TRIES, status_forcelist=AGAIN, raise_on_status=False, **how)
    session = requests.Session()
    for scheme in ("http://", "https://"):
        adapter = requests.adapters.HTTPAdapter(pool_maxsize=at_once, max_retries=retry)
        session.mount(scheme, adapter)
    if variable:
        key = os.environ.get(variable, "").strip()
        if not key:
            raise InputError(
                f"the environment variable {variable} holds no key; export it, or name another one."
            )
        if not (key.isascii() and key.isprintable()):  # http would show it where it refuses it
            raise InputError(
                f"the key in the environment variable {variable} holds signs that no header can "
                f"carry; copy it anew."
            )
        session.auth = lambda request: _signed(request, key)
    return session


def _signed(request: requests.PreparedRequest, key: str) -> requests.PreparedRequest:
    request.headers["Authorization"] = f"Bearer {key}"
    return request


def load(labels: list[str], card: dict) -> Endpoint:
    """The served model of a card: `source`, its address, and perhaps `model, prompt, key` (the
    environment variable that holds it), `at_once, temperature, max_tokens`.
    """
    return Endpoint(prompts.wording(card.get("prompt", ""), labels), labels, card)
