"""One connection after a 101: bytes both ways, which mean nothing to the transport any more.

A `Stream` with status 101 gets a Tunnel for its writer. What the client has sent behind its request comes first. A
stream that is behind pauses the tunnel: then nothing is read, so that one piece at most waits here. The tunnel ends
with the first of its ends; what was written by then still leaves, for as long as an answer may take. There is no other
deadline: who is gone without a word is found out by probes of the kernel (keep_alive.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from quarterdeck._kernels.outlet import Outlet
from quarterdeck._kernels.tlssealer import Sealer
from quarterdeck.transport import keep_alive
from quarterdeck.transport.channel import Channel
from quarterdeck.transport.connections import Connections
from quarterdeck.transport.messages import Stream
from quarterdeck.transport.phases import NEVER
from quarterdeck.transport.streams import unframe

STATUS: Final = 101

Take = Callable[[bytes], None]


class Tunnel(asyncio.Protocol):
    """To the channel its protocol, to the stream its writer, to the server a connection."""

    __slots__ = ("_channel", "_is_closing", "_server", "_stream", "_take", "_waiting", "deadline", "is_paused")

    def __init__(self, server: Connections, channel: Channel, stream: Stream, *, is_paused: bool) -> None:
        """The stream is admitted; it is told of its end once, whatever happens."""
        self._server = server
        self._channel = channel
        self._stream: Stream | None = stream
        self._take: Take | None = None
        self._waiting = b""
        self._is_closing = False
        self.is_paused = is_paused
        self.deadline = NEVER

    def begin(self, first: bytes) -> None:
        """`first`: what the client has sent already."""
        self._waiting = first
        keep_alive.watch(self._channel.get_extra_info("socket"))
        stream = self._stream
        if stream is not None:
            stream.opened(self)

    # The stream's side.

    def receive(self, take: Take) -> None:
        """Give what the client sends to `take`, which may pause the tunnel from within."""
        self._take = take
        first, self._waiting = self._waiting, b""
        if first:
            take(first)

    def pause_reading(self) -> None:
        if not self._channel.is_closing():
            self._channel.pause_reading()

    def resume_reading(self) -> None:
        if not self._channel.is_closing():
            self._channel.resume_reading()

    def write(self, data: bytes) -> None:
        if data and not self._channel.is_closing():
            self._channel.write(data)

    def write_chunks(self, chunks: bytes) -> None:
        self.write(unframe(chunks))

    def direct(self) -> tuple[int, Sealer | None, Outlet | None]:
        return -1, None, None

    def end(self) -> None:
        """Close when everything is written, which is waited for only so long."""
        if not self._is_closing:
            self._is_closing = True
            self.deadline = self._server.now + self._server.limits.write_timeout_s
            self._channel.close()
            self._close_stream()

    def abort(self) -> None:
        self._is_closing = True
        self._channel.abort()

    # The channel's calls.

    def data_received(self, data: bytes) -> None:
        if self._take is not None and not self._is_closing:
            self._take(data)

    def eof_received(self) -> bool:
        """Upstream too ends both ways where one has ended."""
        self.end()
        return False

    def pause_writing(self) -> None:
        self.is_paused = True

    def resume_writing(self) -> None:
        self.is_paused = False
        if self._stream is not None:
            self._stream.resumed()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_closing = True
        self._server.forget(self)
        self._close_stream()

    # The server's calls.

    def expire(self) -> None:
        self.abort()

    def drain(self) -> None:
        """The server stops: nobody can tell when the two would be done."""
        self.end()

    def _close_stream(self) -> None:
        stream, self._stream = self._stream, None
        self._take = None
        if stream is not None:
            self._server.forget_stream()
            stream.closed()
