"""A client of HTTP/2 without a network: the `h2` package against HTTP2Protocol on a channel that records."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import h2.config
import h2.connection
import h2.events

from quarterdeck.transport.http2 import HTTP2Protocol
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import ConnectionInfo, Request, Response
from support.http1 import Bench, FakeChannel

Answer = Callable[[Request], Response | Awaitable[Response]]


@dataclass
class Got:
    """What has come for one stream."""

    headers: dict[str, str] = field(default_factory=dict)
    informational: list[str] = field(default_factory=list)
    body: bytes = b""
    is_ended: bool = False
    reset: int | None = None

    @property
    def status(self) -> int:
        return int(self.headers[":status"])


class Client:
    """`takes` False: what comes is kept unread, and no window is opened again."""

    def __init__(self, bench: Bench, *, window: int | None = None) -> None:
        self.bench = bench
        self.channel = FakeChannel()
        self.takes = True
        self._unread = b""
        self.got: dict[int, Got] = {}
        self.goaways: list[tuple[int, int]] = []
        config = h2.config.H2Configuration(header_encoding="utf-8", validate_outbound_headers=False)
        self.h2 = h2.connection.H2Connection(config)
        if window is not None:
            self.h2.local_settings.initial_window_size = window
        protocol = HTTP2Protocol(bench.server)
        self.channel.protocol = protocol
        assert bench.server.admit(protocol)
        protocol.begin(self.channel, ConnectionInfo("192.0.2.1", is_secure=True), -1)
        self.h2.initiate_connection()
        self.send()

    def send(self, data: bytes = b"") -> None:
        """What the client has to say, and then `data` as it is."""
        data = self.h2.data_to_send() + data
        if data and self.channel.state == "open":
            self.channel.protocol.data_received(data)
        self.read()

    def read(self) -> None:
        if not self.takes:
            return
        self._unread += self.channel.take()
        while len(self._unread) >= 9 and len(self._unread) >= (end := 9 + int.from_bytes(self._unread[:3], "big")):
            frame, self._unread = self._unread[:end], self._unread[end:]
            for event in self.h2.receive_data(frame):
                self._note(event)
        data = self.h2.data_to_send()
        if data and self.channel.state == "open":
            self.channel.protocol.data_received(data)
            self.read()

    def _note(self, event: Any) -> None:
        got = self.got.setdefault(getattr(event, "stream_id", 0) or 0, Got())
        if isinstance(event, h2.events.ResponseReceived):
            got.headers = dict(event.headers)
        elif isinstance(event, h2.events.InformationalResponseReceived):
            got.informational.append(dict(event.headers)[":status"])
        elif isinstance(event, h2.events.DataReceived):
            got.body += event.data
            if event.flow_controlled_length:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            got.is_ended = True
        elif isinstance(event, h2.events.StreamReset):
            got.reset = int(event.error_code)
        elif isinstance(event, h2.events.ConnectionTerminated):
            self.goaways.append((event.last_stream_id, int(event.error_code)))
            # The package takes this for the end of the connection, but streams that are open go on.
            self.h2.state_machine.state = h2.connection.ConnectionState.CLIENT_OPEN

    def request(
        self,
        path: str = "/",
        method: str = "GET",
        body: bytes | None = None,
        headers: list[tuple[str, str]] | None = None,
        *,
        ends: bool = True,
    ) -> int:
        """Send a request; the number of its stream."""
        stream = self.h2.get_next_available_stream_id()
        head = [(":method", method), (":scheme", "https"), (":authority", "h"), (":path", path), *(headers or [])]
        self.h2.send_headers(stream, head, end_stream=body is None and ends)
        if body is not None:
            for at in range(0, len(body), 16384):
                self.h2.send_data(stream, body[at : at + 16384])
            if ends:
                self.h2.end_stream(stream)
        self.send()
        return stream

    def get(self, path: str = "/", **arguments: Any) -> Got:
        return self.of(self.request(path, **arguments))

    def of(self, stream: int) -> Got:
        self.read()
        return self.got.setdefault(stream, Got())


def connect(answer: Answer | None = None, limits: Limits | None = None, *, window: int | None = None) -> Client:
    return Client(Bench(answer, limits), window=window)
