"""A connection without a network: HTTP1Protocol on a channel that records, under a clock that stands still."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from quarterdeck.transport.http1 import HTTP1Protocol
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.messages import ConnectionInfo, Request, Response, Stream, StreamWriter
from quarterdeck.transport.server import HTTPServer

GET = b"GET /%b HTTP/1.1\r\nHost: h\r\n\r\n"


class FakeChannel:
    """`is_reading_client` False: what is written stays in the buffer; the protocol is told when it gets too much."""

    def __init__(self) -> None:
        self.protocol: HTTP1Protocol | None = None
        self.sent = bytearray()
        self.buffered = 0
        self.high = 1 << 62
        self.is_reading_client = True
        self.is_reading = True
        self.has_written_eof = False
        self.state = "open"

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def write(self, data: bytes) -> None:
        assert self.state == "open", "written after the end"
        self.sent += data
        if not self.is_reading_client:
            was_below = self.buffered <= self.high
            self.buffered += len(data)
            if was_below and self.buffered > self.high:
                self.protocol.pause_writing()

    def catch_up(self, *, is_slow: bool = False) -> None:
        """The client reads everything that is there, and from then on (unless it is slow) as it comes."""
        was_paused = self.buffered > self.high
        self.buffered = 0
        self.is_reading_client = not is_slow
        if was_paused:
            self.protocol.resume_writing()

    def take_some(self, size: int) -> None:
        """The client reads `size` bytes, and more are left."""
        self.buffered -= size
        assert self.buffered > self.high

    def write_eof(self) -> None:
        self.has_written_eof = True

    def close(self) -> None:
        if self.state == "open":
            self.state = "closed"
            self.protocol.connection_lost(None)

    def abort(self) -> None:
        if self.state == "open":
            self.state = "aborted"
            self.protocol.connection_lost(None)

    def is_closing(self) -> bool:
        return self.state != "open"

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def get_write_buffer_size(self) -> int:
        return self.buffered

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self.high = high

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return default

    def take(self) -> bytes:
        data = bytes(self.sent)
        self.sent.clear()
        return data


class Bench:
    """One server, any number of connections. `requests` are those that the application has seen."""

    def __init__(
        self, answer: Callable[[Request], Response | Awaitable[Response]] | None = None, limits: Limits | None = None
    ) -> None:
        self.now = 1000.0
        self.requests: list[Request] = []
        self._answer = answer or (lambda request: Response(200, [], request.path.encode()))
        self.server = HTTPServer(self._application, limits, clock=lambda: self.now)

    def _application(self, request: Request) -> Response | Awaitable[Response]:
        self.requests.append(request)
        return self._answer(request)

    def connect(self) -> FakeChannel:
        channel = FakeChannel()
        protocol = HTTP1Protocol(self.server)
        channel.protocol = protocol
        if self.server.admit(protocol):
            protocol.deadline = self.server.now + self.server.limits.head_timeout_s
            protocol.begin(channel, ConnectionInfo("192.0.2.1", is_secure=True), 7)
        else:
            channel.state = "refused"
        return channel

    def exchange(self, *pieces: bytes) -> tuple[FakeChannel, bytes]:
        """Send pieces on a new connection; what has come back at once."""
        channel = self.connect()
        for piece in pieces:
            channel.protocol.data_received(piece)
        return channel, channel.take()

    def wait(self, seconds: float) -> None:
        """Time passes, second by second."""
        end = self.now + seconds
        while self.now < end:
            self.now += 1
            self.server.sweep()


class RecordingStream(Stream):
    """Records the calls of the transport."""

    def __init__(self, on_open: Callable[[StreamWriter], None] | None = None, status: int = 200) -> None:
        super().__init__(status, [("Content-Type", "application/json")] if status == 200 else [])
        self.events: list[str] = []
        self.writer: StreamWriter | None = None
        self._on_open = on_open

    def opened(self, writer: StreamWriter) -> None:
        self.events.append("opened")
        self.writer = writer
        if self._on_open is not None:
            self._on_open(writer)

    def resumed(self) -> None:
        self.events.append("resumed")

    def closed(self) -> None:
        self.events.append("closed")


async def settle() -> None:
    """Let the loop run what is ready."""
    for _ in range(5):
        await asyncio.sleep(0)


def body_of(answer: bytes) -> bytes:
    return answer.partition(b"\r\n\r\n")[2]


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])
