"""How an HTTP/1.x connection is given away: to a tunnel after a 101, to HTTP/2 where the client begins with that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from quarterdeck._kernels import http1answer
from quarterdeck.transport import status_lines, tunnels
from quarterdeck.transport.http1_state import HTTP1State
from quarterdeck.transport.messages import Headers, Stream
from quarterdeck.transport.phases import BUSY, CLOSED

if TYPE_CHECKING:
    from quarterdeck.transport.connections import Connection


_PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\n"  # and a rest, which may come later


class HTTP1Tunnels(HTTP1State):
    __slots__ = ()

    def _begin_tunnel(self, stream: Stream, headers: Headers) -> None:
        self._channel.write(
            http1answer.build_head(status_lines.build(tunnels.STATUS), headers, -2, self._server.date_line, False)
        )
        self._stream = stream
        self._request = None
        # What has been read behind the request waits by then.
        self._server.loop.call_soon(self._hand_over)

    def _hand_over(self) -> None:
        """The connection is the stream's from now on, unless the client has left meanwhile."""
        stream = self._stream
        if stream is None or self._phase != BUSY:
            return
        first, self._stream, self._pending, self._phase = self._pending, None, b"", CLOSED
        tunnel = tunnels.Tunnel(self._server, self._channel, stream, is_paused=self._is_paused)
        self._channel.set_protocol(tunnel)
        self._server.replace(cast("Connection", self), tunnel)
        if self._is_reading_paused:
            self._channel.resume_reading()
        tunnel.begin(first)
        if self._server.is_draining:
            tunnel.end()

    def _speak_http2(self, data: bytes) -> bool:
        """A client that begins with HTTP/2's preface is served by that protocol, where it is spoken: prior knowledge of
        the plain port (RFC 9113, 3.3)."""
        if self._connection.is_secure or not self._server.limits.http2.is_served or not data.startswith(_PREFACE):
            return False
        from quarterdeck.transport.http2 import HTTP2Protocol

        successor = HTTP2Protocol(self._server)
        self._phase = CLOSED
        self._server.replace(cast("Connection", self), successor)
        self._channel.set_protocol(successor)
        successor.begin(self._channel, self._connection, self._socket, data)
        return True
