"""One request that is played, and what came of it."""

from __future__ import annotations

import contextlib
import http.client
import json
import queue
import socket
import threading
from dataclasses import dataclass, field
from typing import Any, Final

from quarterdeck.cmd.replay.lines import Line

JSON: Final = "application/json"
_EVENTS_MAX: Final = 10_000  # that a watch may be ahead

Headers = list[tuple[str, str]]


@dataclass(slots=True)
class Sent:
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


def write_request(
    connection: http.client.HTTPConnection, method: str, path: str, data: bytes | None, headers: Headers
) -> None:
    """Headers may come more than once."""
    connection.putrequest(method, path, skip_accept_encoding=True)
    for name, value in headers:
        connection.putheader(name, value.encode())
    if data is not None or method in ("POST", "PUT", "PATCH"):
        connection.putheader("Content-Length", str(len(data or b"")))
    connection.endheaders(data)


def read_events(sent: Sent, answer: http.client.HTTPResponse) -> None:
    for data in answer:
        event = decode(data)
        if not isinstance(event, dict) or event.get("type") == "BOOKMARK":
            continue
        while not sent.is_over:
            try:
                sent.events.put(event, timeout=1)
                break
            except queue.Full:
                continue


def stop(sent: Sent) -> None:
    """Its thread finds that the connection is gone."""
    sent.is_over = True
    connection = sent.connection
    if connection is not None and connection.sock is not None:
        with contextlib.suppress(OSError):
            socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def accepted(accept: str) -> str:
    """JSON in place of protobuf, tables and the like as they were."""
    wanted = [each for each in accept.split(",") if "protobuf" not in each]
    return ",".join(wanted) or JSON


def decode(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
