"""The state of one HTTP/2 connection, and its sending half: what is to be sent of all streams leaves together."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, cast

from quarterdeck._kernels import http2
from quarterdeck.transport import stalls, status_lines
from quarterdeck.transport.channel import Channel
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.messages import ConnectionInfo, Headers, Response
from quarterdeck.transport.phases import NEVER

if TYPE_CHECKING:
    from quarterdeck._kernels.http2stream import Stream

_TAKE_BYTES: Final = 64 * 1024  # so much is sealed and handed on at a time
_WINDOW_BYTES: Final = 256 * 1024  # of a stream; upstream: resourceBody99Percentile


class HTTP2Output(asyncio.Protocol):
    """`deadline` is read by the sweep over all connections (connections.py); `working_count`: requests whose answers
    are being made, those of streams that are closed already among them."""

    __slots__ = (
        "_channel",
        "_connection",
        "_has_left",
        "_is_ended",
        "_is_leaving",
        "_is_paused",
        "_is_planned",
        "_session",
        "_socket",
        "_stall",
        "_timer",
        "deadline",
        "server",
        "working_count",
    )

    _channel: Channel
    _connection: ConnectionInfo

    def __init__(self, server: Connections) -> None:
        limits = server.limits
        self.server = server
        self.working_count = 0
        self.deadline = NEVER
        self._socket = -1
        self._stall: stalls.Stall | None = None
        self._is_paused = False
        self._is_planned = False
        self._timer: asyncio.TimerHandle | None = None
        self._is_leaving = False  # the client was asked to go
        self._has_left = False  # and no more requests are served
        self._is_ended = False
        self._session = http2.Session(
            self._plan,
            limits.http2.streams_max,
            limits.head_bytes_max,
            limits.fields_max,
            limits.body_bytes_max,
            _WINDOW_BYTES,
        )

    def begin(self, channel: Channel, connection: ConnectionInfo, socket: int, data: bytes = b"") -> None:
        """The connection has been admitted by the server; `data` has come of it."""
        self._channel = channel
        self._connection = connection
        self._socket = socket
        self.deadline = self.server.now + self.server.limits.head_timeout_s
        channel.set_write_buffer_limits(high=self.server.limits.write_high_bytes)
        self._plan()
        if data:
            self.data_received(data)

    def data_received(self, data: bytes) -> None:
        raise NotImplementedError

    def _take_events(self, events: list[tuple[int, Stream]]) -> None:
        """What the kernel tells of streams."""
        raise NotImplementedError

    def _watch_answered(self) -> None:
        """Everything that could be sent has been."""
        raise NotImplementedError

    def send(self, stream: Stream, response: Response, *, is_head: bool = False) -> None:
        """A whole answer with a body of bytes."""
        body = cast("bytes", response.body)
        has_body = not is_head and response.status not in status_lines.WITHOUT_BODY
        length = -1 if response.status in status_lines.WITHOUT_BODY else len(body)
        self._session.answer(
            stream,
            response.status,
            response.headers,
            length,
            self.server.date_line,
            has_body and length > 0,
            body if has_body else None,
        )

    def send_head(self, stream: Stream, status: int, headers: Headers, content_length: int, *, has_body: bool) -> None:
        """The head alone; what is written to the stream follows."""
        self._session.answer(stream, status, headers, content_length, self.server.date_line, has_body)

    def _plan(self) -> None:
        """There is something to be sent: once in this turn of the loop."""
        if not self._is_planned and not self._is_ended:
            self._is_planned = True
            self.server.loop.call_soon(self._send_planned)

    def _send_planned(self) -> None:
        self._is_planned = False
        if not self._is_paused and not self._is_ended:
            self._flush()

    def _flush(self) -> None:
        """Hand on what there is, until the channel is full."""
        session, channel = self._session, self._channel
        while not self._is_paused:
            data = session.take(_TAKE_BYTES)
            if not data:
                break
            channel.write(data)
            if self._is_ended:
                return
            if len(data) < _TAKE_BYTES:
                break
        events = session.take_events()
        if events:
            self._take_events(events)
        self._watch_answered()
        if session.is_over and not self._is_ended and (self._has_left or not self._is_leaving):
            self._close()

    def _close(self) -> None:
        """Close when everything is written, which is waited for only so long."""
        self.deadline = self.server.now + self.server.limits.write_timeout_s
        self._channel.close()
