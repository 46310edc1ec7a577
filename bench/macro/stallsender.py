"""Sends requests one after another and notes how long each took: the clients of bench/macro/stalls.py."""

from __future__ import annotations

import http.client
import json
import re
import threading
import time
from typing import Final, NamedTuple

JSON: Final = "application/json"
# In the body of an update: the revision of the answer before.
REVISION: Final = b"THE-REVISION"
_FOUND_REVISION: Final = re.compile(rb'"resourceVersion":"(\d+)"')
_PAUSE_S: Final = 0.02


class Step(NamedTuple):
    """`fits`: the statuses that are expected; `waits`: it is sent again until it is answered so."""

    name: str
    method: str
    path: str
    body: bytes = b""
    sent: str = JSON
    headers: dict[str, str] = {}
    fits: tuple[int, ...] = (200, 201)
    waits: bool = False


class Span(NamedTuple):
    """A step from its first byte to the last of its answer, by time.monotonic_ns()."""

    name: str
    begin_ns: int
    end_ns: int


class Sender:
    """Sends the steps of a round over and over, in a thread, until it is told to end."""

    def __init__(self, port: int, steps: list[Step]) -> None:
        self.spans: list[Span] = []
        self.failure = ""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._revision = b"0"
        self._steps = steps
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._is_over.set()
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while not self._is_over.is_set() and not self.failure:
            for step in self._steps:
                self._send(step)
                if self._is_over.is_set() or self.failure:
                    break

    def _send(self, step: Step) -> None:
        headers = {"Content-Type": step.sent, **step.headers} if step.body else step.headers
        body = step.body.replace(REVISION, self._revision)
        begin_ns = time.monotonic_ns()
        self._connection.request(step.method, step.path, body or None, headers)
        answer = self._connection.getresponse()
        text = answer.read()
        self.spans.append(Span(step.name, begin_ns, time.monotonic_ns()))
        if found := _FOUND_REVISION.search(text):
            self._revision = found[1]
        if answer.status in step.fits:
            return
        if step.waits and not self._is_over.wait(_PAUSE_S):
            self._send(step)
        elif not step.waits:
            self.failure = f"{step.name} was answered {answer.status} {text[:300]!r}"


def call(port: int, method: str, path: str, body: object = None) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    connection.request(method, path, json.dumps(body) if body else None, {"Content-Type": JSON})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status
