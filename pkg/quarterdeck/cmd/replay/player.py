"""Plays a recording against a server, in the order in which it happened.

Of requests that were under way together the recording tells in which order they were answered, and so what each of them
has seen of the others. They are sent in that order: each where its answer stands, and before an event that came while
it was under way. Each has a thread, a watch for as long as it lasts.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import socket
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from quarterdeck.cmd.client import connect
from quarterdeck.cmd.kubeconfig import Target
from quarterdeck.cmd.replay.normal import Difference, Names

JSON: Final = "application/json"
_EVENTS_MAX: Final = 10_000  # that a watch may be ahead
_UNDER_WAY_MAX: Final = 10_000
_LOST: Final = (OSError, ValueError, http.client.HTTPException)
_EVERYBODY: Final = "system:authenticated"

Line = dict[str, Any]
Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Result:
    """`skipped`: requests whose user was refused, or whose body is not in the recording."""

    requests: int = 0
    events: int = 0
    skipped: int = 0
    differing: int = 0


@dataclass(slots=True)
class _Sent:
    """A request. `status` 0: the connection broke."""

    line: Line
    done: threading.Event = field(default_factory=threading.Event)
    status: int = 0
    body: Any = None
    events: queue.Queue[Any] = field(default_factory=lambda: queue.Queue(_EVENTS_MAX))
    connection: http.client.HTTPConnection | None = None
    is_over: bool = False

    @property
    def title(self) -> str:
        return f"{self.line['request']}: {self.line['method']} {self.line['path']}"


class Player:
    """`tell(title, differences)` is called for what is not as it was. `wait_s`: how long an answer or an event is
    waited for. `impersonates`: each request is made as the user who made it. `cluster`: the logical cluster whose
    requests are played; "": those of the server itself."""

    def __init__(
        self,
        target: Target,
        tell: Callable[[str, list[Difference]], None],
        *,
        wait_s: float,
        impersonates: bool,
        cluster: str = "",
    ) -> None:
        self._cluster = cluster
        self._target = target
        self._tell = tell
        self._wait_s = wait_s
        self._impersonates = impersonates
        self._names = Names()
        self._sent: dict[int, _Sent] = {}
        self._waiting: dict[int, _Sent] = {}  # of those the ones that are not sent yet
        self.result = Result()

    def play(self, lines: Iterable[Line]) -> Result:
        try:
            for line in lines:
                if "request" in line:
                    self._send(line)
                elif "answer" in line:
                    self._compare_answer(line)
                elif "event" in line:
                    self._compare_event(line)
                elif "end" in line:
                    self._end(line["end"])
            self._begin_waiting()
        finally:
            for sent in list(self._sent.values()):
                _stop(sent)
        return self.result

    def _send(self, line: Line) -> None:
        number = line["request"]
        if line.get("cluster", "") != self._cluster:
            return
        if "user" not in line or "bytes" in line or len(self._sent) >= _UNDER_WAY_MAX:
            self.result.skipped += 1
            return
        sent = self._sent[number] = self._waiting[number] = _Sent(line)
        self.result.requests += 1
        if "watch" in line["path"]:
            self._begin(sent)

    def _begin(self, sent: _Sent) -> None:
        del self._waiting[sent.line["request"]]
        path, (data, headers) = self._target.root + self._names.path(sent.line["path"]), self._encode(sent.line)
        threading.Thread(target=self._run, args=(sent, path, data, headers), daemon=True).start()

    def _begin_waiting(self) -> None:
        for sent in list(self._waiting.values()):
            self._begin(sent)

    def _run(self, sent: _Sent, path: str, data: bytes | None, headers: Headers) -> None:
        try:
            sent.connection = connect(self._target)
            _request(sent.connection, sent.line["method"], path, data, headers)
            answer = sent.connection.getresponse()
            is_watch = answer.status == 200 and answer.getheader("Content-Length") is None
            sent.status = answer.status
            if is_watch and "watch" in sent.line["path"]:
                sent.done.set()
                _read_events(sent, answer)
            else:
                sent.body = _decode(answer.read())
        except _LOST:
            sent.status = 0
        finally:
            sent.done.set()
            sent.events.put(None)
            if sent.connection is not None:
                sent.connection.close()

    def _encode(self, line: Line) -> tuple[bytes | None, Headers]:
        headers = [*self._target.headers.items(), ("Accept", _accept(line.get("accept", "")))]
        if line.get("agent"):
            headers.append(("User-Agent", line["agent"]))
        if self._impersonates:
            headers.append(("Impersonate-User", line["user"]))
            headers += [("Impersonate-Group", each) for each in line["groups"] if each != _EVERYBODY]
        text = line.get("text")
        if "body" in line:
            text = json.dumps(self._names.value(line["body"]), separators=(",", ":"))
        if text is None:
            return None, headers
        kind = line.get("type", "")
        headers.append(("Content-Type", JSON if "protobuf" in kind or kind == "application/yaml" else kind or JSON))
        return text.encode(), headers

    def _compare_answer(self, line: Line) -> None:
        number = line["answer"]
        sent = self._sent.get(number)
        if sent is None:
            return
        if number in self._waiting:
            self._begin(sent)
        if not sent.done.wait(self._wait_s):
            self._report(sent.title, [("", "was not answered in time")])
        elif not line["status"]:
            pass  # the client had left, or the connection was cut: nobody knows what it would have been told
        elif sent.status != line["status"]:
            message = sent.body.get("message", "") if isinstance(sent.body, dict) else ""
            told = f"is {sent.status}{' ' if message else ''}{message}, was {line['status']}"
            self._report(sent.title, [("status", told)])
        elif "body" in line:
            self._names.learn(line["body"], sent.body)
            if _is_compared(sent.line["path"]):
                self._report(sent.title, self._names.compare(line["body"], sent.body))
        if not _is_watch(line, sent):
            del self._sent[number]

    def _compare_event(self, line: Line) -> None:
        sent = self._sent.get(line["event"])
        recorded = line.get("body")
        if sent is None or recorded is None or recorded.get("type") == "BOOKMARK":
            return
        self.result.events += 1
        self._begin_waiting()
        title = f"{sent.title}: {recorded.get('type')} {_name_of(recorded)}"
        try:
            met = sent.events.get(timeout=self._wait_s)
        except queue.Empty:
            self._report(title, [("", "did not come in time")])
            return
        if met is None:
            sent.events.put(None)
            self._report(title, [("", "did not come: the watch is over")])
            return
        self._names.learn(recorded, met)
        self._report(title, self._names.compare(recorded, met))

    def _end(self, number: int) -> None:
        sent = self._sent.pop(number, None)
        if sent is None:
            return
        _stop(sent)
        while not sent.events.empty():
            met = sent.events.get()
            if met is not None:
                self._report(f"{sent.title}: {met.get('type')} {_name_of(met)}", [("", "came, and had not")])

    def _report(self, title: str, differences: list[Difference]) -> None:
        if differences:
            self.result.differing += 1
            self._tell(title, differences)


def _read_events(sent: _Sent, answer: http.client.HTTPResponse) -> None:
    for data in answer:
        event = _decode(data)
        if not isinstance(event, dict) or event.get("type") == "BOOKMARK":
            continue
        while not sent.is_over:
            try:
                sent.events.put(event, timeout=1)
                break
            except queue.Full:
                continue


def _stop(sent: _Sent) -> None:
    """Its thread finds that the connection is gone."""
    sent.is_over = True
    connection = sent.connection
    if connection is not None and connection.sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def _is_watch(line: Line, sent: _Sent) -> bool:
    return line["status"] == 200 and "body" not in line and "watch" in sent.line["path"]


def _is_compared(path: str) -> bool:
    """What is told of the server itself (discovery, OpenAPI, its version) is asked for, and not compared."""
    parts = path.partition("?")[0].strip("/").split("/")
    return (parts[0] == "api" and len(parts) > 2) or (parts[0] == "apis" and len(parts) > 3)


def _request(
    connection: http.client.HTTPConnection, method: str, path: str, data: bytes | None, headers: Headers
) -> None:
    """Headers may come more than once."""
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.encode())
    if data is not None or method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", str(len(data or b"")))
    connection.endheaders(data)


def _name_of(event: Line) -> str:
    metadata = (event.get("object") or {}).get("metadata") or {}
    return "/".join(each for each in (metadata.get("namespace"), metadata.get("name")) if each)


def _accept(accept: str) -> str:
    """JSON in place of protobuf, tables and the like as they were."""
    wanted = [each for each in accept.split(",") if "protobuf" not in each]
    return ",".join(wanted) or JSON


def _decode(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
